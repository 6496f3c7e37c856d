// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// The histories of a model's force groups in a state: one vector each, of the material, in the
// layout of the group's batches.

#ifndef LY_MODEL_HISTORY_H
#define LY_MODEL_HISTORY_H

#include "lyra/state.h"
#include "model/model.h"

/// Doubles of the history of a group; 0 where it has none.
int64_t ly_history_size(const LyraModel *model, int32_t group);

/// Makes the histories that a state lacks, as their types begin.
LyraStatus ly_history_init(const LyraModel *model, LyraState *state);

/// Lends the history of a group; NULL where the state has none of this layout. `stamp` of the
/// vector: Nullable.
const double *ly_history_values(const LyraModel *model, int32_t group, const LyraState *state,
                                uint64_t *stamp);

/// Lends the history of a group to be written as a whole; makes it where the state lacks it.
LyraStatus ly_history_rewrite(const LyraModel *model, int32_t group, LyraState *state,
                              double **values);

/// The histories of all groups, [force_count], NULL where a group has none.
LyraStatus ly_histories_create(LyraContext *ctx, const LyraModel *model, LyraVector ***out);
void ly_histories_destroy(LyraContext *ctx, const LyraModel *model, LyraVector **histories);
/// Those of a state, without a copy where that is possible; not where one is missing.
void ly_histories_take(const LyraModel *model, const LyraState *state, LyraVector **histories);
/// One after another, [history_count].
void ly_histories_read(const LyraModel *model, LyraVector *const *histories, double *values);
LyraStatus ly_history_write_all(const LyraModel *model, LyraState *state, const double *values);

/// Energy that stencils have lost so far, of the groups that keep count, J; `plastic`: of those
/// that are LYRA_FORCE_FLOWS.
double ly_history_lost(const LyraModel *model, const LyraState *state, double *plastic);

#endif
