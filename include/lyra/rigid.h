// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

/// @file
/// Rigid bodies: their free motion by the Lie midpoint rule, which keeps energy and momentum, and
/// by the two rules of Vega FEM. Bodies of `kind: rigid` in a world move by the first, between
/// forces that the integrator of the world brings. docs/theory/rigid.md has the formulas.

#ifndef LYRA_RIGID_H
#define LYRA_RIGID_H

#include "lyra/base.h"

#ifdef __cplusplus
extern "C" {
#endif

/// How a body is moved.
typedef enum LyraRigidMethod {
    /// Half of the impulse, a free turn with exp(h [w]) I w_1 = I w_0 and w the mean of both spins,
    /// the other half. Second order; without forces energy and momentum stay to rounding.
    LYRA_RIGID_LIE_MIDPOINT = 0,
    /// Vega's explicit Euler: place and turn with the old velocities. Its energy grows.
    LYRA_RIGID_VEGA_EULER,
    /// Vega's symplectic Euler: place and turn with the new ones; the spin that it leaves belongs
    /// to the rotation before.
    LYRA_RIGID_VEGA_SYMPLECTIC,
} LyraRigidMethod;

/// What a body weighs, and what slows it.
typedef struct LyraRigidBody {
    double mass;               ///< kg, > 0.
    double inertia[9];         ///< About the centre of mass in its own axes, kg m^2, row-major.
    double linear_damping;     ///< Force over velocity, N s/m, >= 0.
    double rotational_damping; ///< Torque over spin, N m s, >= 0.
} LyraRigidBody;

/// Where a body is and how it moves.
typedef struct LyraRigidMotion {
    double position[3];         ///< Of the centre of mass, m.
    double rotation[4];         ///< From its own axes to those of the world, w x y z.
    double velocity[3];         ///< Of the centre of mass, m/s.
    double spin[3];             ///< Angular velocity in axes of the world, rad/s.
    double momentum[3];         ///< Mass times velocity, kg m/s.
    double angular_momentum[3]; ///< About the centre of mass, in axes of the world, kg m^2/s.
} LyraRigidMotion;

/// Fails unless mass and inertia are those that a rigid body may have: finite, positive, the
/// inertia symmetric. With `strict` no moment is larger than the two others together, which the
/// moments of all real bodies obey.
LYRA_API LyraStatus lyra_rigid_check(const LyraRigidBody *body, bool strict);

/// Sets spin, momentum and angular momentum to those of `velocity` and of the spin `spin`, in axes
/// of the world. Fails as lyra_rigid_check() without `strict`, and where the motion is not finite
/// or the rotation has no length; it is brought to length 1.
LYRA_API LyraStatus lyra_rigid_start(const LyraRigidBody *body, const double spin[3],
                                     LyraRigidMotion *motion);

/// One step under a force at the centre of mass, N, and a torque, N m, in axes of the world, both
/// constant. Fails with LYRA_NOT_CONVERGED for a turn of 2.5 rad or more in a step.
LYRA_API LyraStatus lyra_rigid_step(const LyraRigidBody *body, LyraRigidMethod method,
                                    const double force[3], const double torque[3], double dt,
                                    LyraRigidMotion *motion);

/// Half of m |v|^2 + w . L, J.
LYRA_API double lyra_rigid_energy(const LyraRigidMotion *motion);

/// What a rigid body weighs, in place of what its mesh and density give, at the place of the mesh
/// after `transform`. Start from lyra_body_rigid_default().
typedef struct LyraBodyRigid {
    double mass;          ///< kg, > 0. Default NaN: that of the mesh.
    const double *center; ///< Of mass, m, [3]. Nullable: that of the mesh.
    /// Inertia about the centre: xx, yy, zz, kg m^2. A body that is flat or a line by them is
    /// given a thickness, a thousandth of its length. Nullable: the mesh's.
    const double *moments;
    const double *products; ///< xy, yz, zx of the same tensor, with `moments`. Nullable: zeros.
} LyraBodyRigid;

LYRA_API LyraBodyRigid lyra_body_rigid_default(void);

#ifdef __cplusplus
}
#endif

#endif
