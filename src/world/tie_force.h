// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Ties as forces: LyraForce "tie" and "hard-tie".

#ifndef LY_WORLD_TIE_FORCE_H
#define LY_WORLD_TIE_FORCE_H

#include "base/base.h"
#include "lyra/joint.h"
#include "lyra/world.h"

/// One side of all points of a tie: `nodes` vertices of the model and weights for each.
typedef struct LyTieSide {
    int32_t nodes;
    int32_t *vertices; // [count][nodes], owned
    double *weights;   // [count][nodes], owned
} LyTieSide;

/// What the points of a joint leave free, along a frame that they have themselves: t from the first
/// to the second, n across it toward the third.
typedef enum LyTieFrame {
    LY_FRAME_NONE = 0, // nothing: a tie, or a ball
    LY_FRAME_HINGE,    // the second along t
    LY_FRAME_WELD,     // the second along t, the third along t and n
    LY_FRAME_SLIDER,   // all along t, the third along n too
} LyTieFrame;

struct LyTie {
    LyraContext *ctx;
    const LyraTieDef *def; // the world's copy, curves compiled
    int32_t count;
    LyTieSide own, other; // `other` has no nodes where the points are tied to the world
    double *gaps;         // at rest, [count][3], owned
    double *places;       // of the points at rest, [count][3], owned
    double *stiffness;    // of each point, N/m, [count], owned
    LyTieFrame frame;
    uint64_t serial; // of the stiffness, which changes with it
    const LyraForce *force;
    int32_t group; // of the model, once there is one
};

/// Makes the force of a filled tie, which it takes, and destroys it on failure too.
LyraStatus ly_tie_make_force(struct LyTie *take, LyraForce **out);

/// Ends a tie that no force has taken. Accepts NULL.
void ly_tie_destroy(struct LyTie *tie);

/// Whether the force has to be evaluated at its time.
bool ly_tie_is_timed(const struct LyTie *tie);

/// How far point `p` is from where the tie wants it, and how fast it leaves. `u`, `v`: of the
/// model. `rate`: Nullable with `v`.
void ly_tie_gap(const struct LyTie *tie, int32_t p, double time, const double *u, const double *v,
                double gap[3], double *rate);

/// Adds a tie whose points leave free what `frame` says.
LyraStatus ly_world_add_framed_tie(LyraWorld *world, const LyraTieDef *def, LyTieFrame frame,
                                   int32_t *index);

#endif
