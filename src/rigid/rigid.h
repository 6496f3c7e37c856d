// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// What rigid bodies share inside the library: the turn of a free body, and the force that keeps the
// shape of particles while they go along chords.

#ifndef LY_RIGID_RIGID_H
#define LY_RIGID_RIGID_H

#include "base/base.h"
#include "lyra/affine.h"
#include "lyra/force.h"
#include "lyra/math3.h"
#include "lyra/rigid.h"

/// Most that a body may turn in a step, rad: a chord of half a turn has no length left.
#define LY_RIGID_TURN_MAX 2.5

/// Of an inertia: itself and its inverse, in body axes.
typedef struct LyInertia {
    LyraMat3 I, inverse;
} LyInertia;

/// Fails with LYRA_INVALID_ARGUMENT where there is no inverse.
LyraStatus ly_inertia_take(const double inertia[9], LyInertia *out);

/// R I^-1 R^T L
LyraVec3 ly_inertia_spin(const LyInertia *inertia, LyraQuat rotation, LyraVec3 L);

/// The rotation vector, in body axes, of the free turn in a step `h` of a body whose angular
/// momentum in body axes is `L`. Fails with LYRA_NOT_CONVERGED for LY_RIGID_TURN_MAX or more.
LyraStatus ly_rigid_turn(const LyInertia *inertia, LyraVec3 L, double h, LyraVec3 *turn);

/// A body of the force below.
typedef struct LyRigidShape {
    const LyraAffine *affine; // read only now
    int32_t first_vertex;     // of the model: its four particles
    double stiffness;         // Pa
} LyRigidShape;

/// What the history of a stencil holds: 2 sin(|a| / 2) a / |a| of the turn `a` of the step in rest
/// axes, the time when the step began, and its length.
enum { LY_RIGID_CHORD = 0, LY_RIGID_BEGIN = 3, LY_RIGID_SPAN = 4, LY_RIGID_HISTORY = 5 };

/// The force that keeps the shapes of bodies, one stencil each, owned by no body.
LyraStatus ly_rigid_shapes_create(LyraContext *ctx, int32_t count, const LyRigidShape *shapes,
                                  LyraForce **out);

#endif
