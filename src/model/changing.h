// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// The changing groups of a model as one system has them: their stencils, and their share of forces
// and tangents.

#ifndef LY_MODEL_CHANGING_H
#define LY_MODEL_CHANGING_H

#include "force/changing.h"
#include "lyra/system.h"
#include "model/model.h"

typedef struct LyChanging {
    int32_t group;
    LyraStencilSet *set;
    uint64_t version;    // what the group's function left with the set
    uint64_t checksum;   // of the set
    bool ready;          // its stencils were asked for
    double *dfdx, *dfdv; // of the last linearise, [pairs][9]; dfdv NULL without velocities
    int64_t pair_room, pair_count;
    double *history, *trial; // [stencils][history_count]. Nullable
    int32_t *from;           // place of each stencil in the committed history, -1: new
    int64_t history_room;
} LyChanging;

typedef struct LyChangings {
    LyraContext *ctx;
    LyraModel *model;
    int32_t count;
    LyChanging *groups;    // [count]
    int64_t stencil_count; // in all
} LyChangings;

LyraStatus ly_changings_create(LyraContext *ctx, LyraModel *model, LyChangings *out);
void ly_changings_destroy(LyChangings *changings);

/// Asks for the stencils. `changed`: they are others than before.
LyraStatus ly_changings_update(LyChangings *changings, LyraUpdateMoment moment, const LyraPoint *at,
                               bool *changed);

/// The same where it has not been asked yet.
LyraStatus ly_changings_ensure(LyChangings *changings, const LyraPoint *at);

/// A checksum of all stencils.
uint64_t ly_changings_checksum(const LyChangings *changings);

/// The history of a changing group that a state has, stencil by stencil in the order of the set,
/// and their number; NULL where it has none.
const double *ly_model_changing_history(const LyraModel *model, int32_t group,
                                        const LyraState *state, int64_t *count);

/// Adds forces to `gradient` [3 vertex_count] and to the energy. `trial`: gets the history.
/// Nullable.
LyraStatus ly_changings_forces(LyChangings *changings, const LyraPoint *at, LyraState *trial,
                               double *gradient, double *energy);

/// Adds their rates, [LYRA_RATE_COUNT].
LyraStatus ly_changings_rates(LyChangings *changings, const LyraPoint *at, double *rates);

/// The largest share in [0, 1] of a motion from u along d that all groups of the model allow.
double ly_changings_bound(const LyChangings *changings, const double *u, const double *d);

/// Takes dfdx and dfdv at a point.
LyraStatus ly_changings_linearise(LyChangings *changings, const LyraPoint *at, bool psd);

/// Block k of b dfdv + c dfdx.
void ly_changing_block(const LyChanging *group, double b, double c, int64_t k, double block[9]);

/// Adds b dfdv + c dfdx to a matrix whose pattern has their blocks.
void ly_changings_add(const LyChangings *changings, double b, double c, LyraBlockMatrix *matrix);

/// y += (b dfdv + c dfdx) x. `order` of the vertices in x and y: Nullable: the internal one.
void ly_changings_multiply(const LyChangings *changings, double b, double c, const int32_t *order,
                           const double *x, double *y);

/// Pairs of rows that a pattern lacks: writes [count][2], and goes on with their checksum, unless
/// NULL.
int64_t ly_changings_missing(const LyChangings *changings, const LyraBlockPattern *pattern,
                             int32_t *pairs, uint64_t *sum);

#endif
