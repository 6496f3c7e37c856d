// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// The steppers of a model's bodies. Their numbers are blocks in the state; a system keeps a copy of
// those of the last begin or commit, which loads and prescribed motion read.

#ifndef LY_MODEL_STEPPERS_H
#define LY_MODEL_STEPPERS_H

#include "lyra/state.h"
#include "model/model.h"

/// Copies the steppers of the bodies of a def into the model, whose bodies stand.
LyraStatus ly_steppers_create(LyraModel *model, const LyraModelDef *def);
void ly_steppers_destroy(LyraModel *model);

/// The numbers at first, [stepping_count].
void ly_steppers_init(const LyraModel *model, double *values);

/// Makes the blocks that a state lacks.
LyraStatus ly_steppers_init_state(const LyraModel *model, LyraState *state);

/// Begins a step, or ends it, for all of them; `values` [stepping_count] is what they made of it.
LyraStatus ly_steppers_begin(const LyraModel *model, LyraState *state, double dt, double *values);
LyraStatus ly_steppers_commit(const LyraModel *model, LyraState *state, double dt, double *values);

/// Adds their forces; writes where they hold vertices.
void ly_steppers_load(const LyraModel *model, const double *values, double t, double *f);
void ly_steppers_prescribe(const LyraModel *model, const double *values, double t, double *u,
                           double *v, double *a);

#endif
