// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

/// @file
/// Constraints on the unknowns of a linear system: fixed dofs, prescribed displacements and
/// directions that a vertex may not move along, as one object that every solver understands.
///
/// A constraint is a direction n at a vertex (three consecutive unknowns) with the value that
/// n . x takes there. The directions of one vertex are kept orthonormal, so P = I - sum n n^T is
/// the projection on what remains free.

#ifndef LYRA_CONSTRAINT_H
#define LYRA_CONSTRAINT_H

#include "lyra/base.h"
#include "lyra/sparse.h"

#ifdef __cplusplus
extern "C" {
#endif

/// A set of constraints over a number of unknowns, made for one system and changed at will.
typedef struct LyraConstraints LyraConstraints;

/// The directions, valid until the set changes. Ascending by vertex.
typedef struct LyraConstraintsView {
    int32_t size;            ///< Unknowns.
    int32_t count;           ///< Directions.
    uint64_t version;        ///< Changes when a direction comes, goes or turns; not with values.
    const int32_t *vertex;   ///< Vertex of each direction, [count]: unknowns 3 vertex to +2.
    const double *direction; ///< Unit vectors, [count][3].
    const double *value;     ///< Value of n . x, [count]; 0 until set.
} LyraConstraintsView;

/// An empty set over `size` unknowns (>= 0; the last vertex may have fewer than three).
LYRA_API LyraStatus lyra_constraints_create(LyraContext *ctx, int32_t size, LyraConstraints **out);

/// Accepts NULL.
LYRA_API void lyra_constraints_destroy(LyraConstraints *constraints);

/// Lends the directions until the set changes.
LYRA_API LyraConstraintsView lyra_constraints_view(const LyraConstraints *constraints);

/// Forgets all constraints.
LYRA_API void lyra_constraints_clear(LyraConstraints *constraints);

/// Fixes unknowns, [count], in any order; those fixed already stay so.
LYRA_API LyraStatus lyra_constraints_fix_dofs(LyraConstraints *constraints, int32_t count,
                                              const int32_t *dofs);

/// Fixes all three unknowns of vertices, [count].
LYRA_API LyraStatus lyra_constraints_fix_vertices(LyraConstraints *constraints, int32_t count,
                                                  const int32_t *vertices);

/// Forbids motion of `vertex` along `direction` (finite, not zero, any length). The direction is
/// made orthonormal to those that the vertex has; one that they span already changes nothing.
LYRA_API LyraStatus lyra_constraints_add_direction(LyraConstraints *constraints, int32_t vertex,
                                                   const double direction[3]);

/// Frees all unknowns of vertices, [count].
LYRA_API LyraStatus lyra_constraints_release_vertices(LyraConstraints *constraints, int32_t count,
                                                      const int32_t *vertices);

/// Prescribes n . x = n . x_bar for all directions: `x_bar` [size]. Nullable: zeros. Under an
/// integrator these are displacements at the end of the next step (of a world: of all its
/// substeps), and where the system prescribes a motion too they are added to it; velocities and
/// accelerations come by differences, see docs/constraints.md.
LYRA_API LyraStatus lyra_constraints_set_values(LyraConstraints *constraints, const double *x_bar);

/// x = P x, [size].
LYRA_API void lyra_constraints_project(const LyraConstraints *constraints, double *x);

/// x = P x + sum n value, [size]: the nearest vector that meets the constraints.
LYRA_API void lyra_constraints_impose(const LyraConstraints *constraints, double *x);

/// Reaction forces: r = (I - P)(A x - b), what the constraints add to the right-hand side so that
/// A x = b + r. `Ax`, `b`, `r`: [size]; r may be either of them.
LYRA_API void lyra_constraints_reaction(const LyraConstraints *constraints, const double *Ax,
                                        const double *b, double *r);

/// matrix = P A P + s (I - P): A with the constraints eliminated and the pattern kept. `s` > 0 is
/// the size of a typical diagonal entry, chosen by the caller. `matrix` may be A; otherwise both
/// were made on one pattern.
LYRA_API LyraStatus lyra_constraints_eliminate_block(const LyraConstraints *constraints,
                                                     const LyraBlockMatrix *A, double s,
                                                     LyraBlockMatrix *matrix);

/// A rigid motion that the constraints leave free to a connected part of the body.
typedef struct LyraFreeMode {
    int32_t vertex;     ///< Lowest vertex of the part.
    double velocity[3]; ///< Of the point `centre`, m per unit.
    double rotation[3]; ///< Angular velocity, rad per unit.
    double centre[3];   ///< Centre of the part, m.
} LyraFreeMode;

/// Finds the rigid motions that the constraints leave to the parts of a body: vertices that the
/// pattern connects. `positions` [vertices][3]. Writes at most `capacity` modes and the number
/// there are. `constraints`: Nullable: none. `modes`: Nullable if capacity is 0.
LYRA_API LyraStatus lyra_constraints_free_modes(LyraContext *ctx,
                                                const LyraConstraints *constraints,
                                                const LyraBlockPattern *pattern,
                                                const double *positions, int32_t capacity,
                                                LyraFreeMode *modes, int32_t *count);

#ifdef __cplusplus
}
#endif

#endif
