// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

/// @file
/// Springs: lists of them from meshes, quads or edges, and two forces over them, "mass-spring" and
/// "maxwell-spring" (with memory). Energies, derivatives and the rule for springs of no length are
/// in docs/theory/springs.md.

#ifndef LYRA_SPRINGS_H
#define LYRA_SPRINGS_H

#include "lyra/force.h"
#include "lyra/mesh.h"

#ifdef __cplusplus
extern "C" {
#endif

// ---- lists of springs ---------------------------------------------------------------------------

/// Pairs of vertices with a rest length and a group each. Immutable.
typedef struct LyraSprings LyraSprings;

/// Valid while the list lives.
typedef struct LyraSpringsView {
    int32_t vertex_count;
    int32_t spring_count;
    int32_t group_count;        ///< Highest group + 1.
    const int32_t *vertices;    ///< [spring_count][2].
    const int32_t *groups;      ///< [spring_count].
    const double *rest_lengths; ///< m, [spring_count].
} LyraSpringsView;

/// An edge list. Start from lyra_springs_def_default().
typedef struct LyraSpringsDef {
    int32_t vertex_count;       ///< Vertices are in [0, vertex_count).
    int32_t spring_count;       ///< >= 0.
    const int32_t *vertices;    ///< [spring_count][2]; a pair may stand more than once.
    const int32_t *groups;      ///< >= 0, [spring_count]. Nullable: all 0.
    const double *positions;    ///< m, [vertex_count][3]. Nullable with `rest_lengths`.
    const double *rest_lengths; ///< m, >= 0, [spring_count]. Nullable: from `positions`.
    uint32_t cookie;            ///< Written by the default function only.
} LyraSpringsDef;

LYRA_API LyraSpringsDef lyra_springs_def_default(void);

/// Springs of an edge list, copied, in its order. Fails with LYRA_INVALID_ARGUMENT, naming the
/// spring, for a vertex out of range, one vertex twice, a negative group or rest length.
LYRA_API LyraStatus lyra_springs_create(LyraContext *ctx, const LyraSpringsDef *def,
                                        LyraSprings **out);

/// Groups of lyra_springs_create_from_mesh: all springs of tets are edges.
typedef enum LyraMeshSpringGroup {
    LYRA_MESH_SPRING_EDGE = 0,
    LYRA_MESH_SPRING_FACE_DIAGONAL,
    LYRA_MESH_SPRING_BODY_DIAGONAL,
} LyraMeshSpringGroup;

/// A spring between each two vertices that share an element: 6 per tet, 28 per cube, each pair
/// once, lower vertex first, ascending. A pair that is an edge of one cube and a diagonal of
/// another is an edge. Fails with LYRA_BAD_MESH if an element names a vertex twice.
LYRA_API LyraStatus lyra_springs_create_from_mesh(LyraContext *ctx, const LyraMesh *mesh,
                                                  LyraSprings **out);

/// Groups of lyra_springs_create_from_quads.
typedef enum LyraQuadSpringGroup {
    LYRA_QUAD_SPRING_STRUCTURAL = 0, ///< Edges.
    LYRA_QUAD_SPRING_SHEAR,          ///< Diagonals.
    LYRA_QUAD_SPRING_BEND,           ///< Between edge-neighbours of a vertex that share no quad.
} LyraQuadSpringGroup;

/// Springs of a surface of quads, [quad_count][4] around each. Each pair of vertices once, lower
/// vertex first, ascending, in the first group that applies. Fails with LYRA_BAD_MESH for a quad
/// that names a vertex twice or one out of range.
LYRA_API LyraStatus lyra_springs_create_from_quads(LyraContext *ctx, int32_t vertex_count,
                                                   const double *positions, int32_t quad_count,
                                                   const int32_t *quads, LyraSprings **out);

/// Accepts NULL.
LYRA_API void lyra_springs_destroy(LyraSprings *springs);

LYRA_API LyraSpringsView lyra_springs_view(const LyraSprings *springs);

/// Writes the stiffness of each spring from Young's moduli, k = sum of E_T V_T over the tets T
/// around it, divided by its rest length squared, N/m, [spring_count]. `springs` must come from
/// `mesh`, a mesh of tets. `young`: Pa, >= 0, [element_count]; Nullable: those of the ENU
/// materials. Fails with LYRA_BAD_MESH for a tet of negative volume or a spring of no length.
LYRA_API LyraStatus lyra_springs_modulus_stiffness(const LyraSprings *springs, const LyraMesh *mesh,
                                                   const double *young, double *stiffness);

/// Writes the mass of each vertex of a surface of quads, a quarter of the mass of each quad around
/// it, kg, [vertex_count]. `density`: kg/m^2. The area of a quad is half the cross product of its
/// diagonals. Indices must be in range. For volumes see lyra_mesh_lumped_masses().
LYRA_API void lyra_quads_lumped_masses(int32_t vertex_count, const double *positions,
                                       int32_t quad_count, const int32_t *quads, double density,
                                       double *masses);

// ---- mass-spring --------------------------------------------------------------------------------

/// How springs lose energy.
typedef enum LyraSpringDampingKind {
    LYRA_SPRING_UNDAMPED = 0,
    /// Force d (v_B - v_A) on vertex A: cheap and always symmetric, but brakes rotations too.
    LYRA_SPRING_DAMPING_FULL,
    /// The part of it along the spring: rigid motions go free.
    LYRA_SPRING_DAMPING_ALONG,
    LYRA_SPRING_DAMPING_KIND_COUNT
} LyraSpringDampingKind;

/// Parameters of mass-spring, for lyra_assembly_set_parameter().
typedef enum LyraSpringParameter {
    LYRA_SPRING_STIFFNESS = 0, ///< k, N/m.
    LYRA_SPRING_REST_LENGTH,   ///< l0, m.
    LYRA_SPRING_DAMPING,       ///< d, N s/m. Damped springs only.
    LYRA_SPRING_PARAMETER_COUNT
} LyraSpringParameter;

/// Settings of a mass-spring force. Start from lyra_mass_spring_def_default(). Arrays per spring
/// overrule those per group, which overrule the single numbers.
typedef struct LyraMassSpringDef {
    double stiffness;                   ///< N/m, >= 0. Default 1.
    double damping;                     ///< N s/m, >= 0. Default 0.
    const double *group_stiffness;      ///< [group_count]. Nullable. Default NULL.
    const double *group_damping;        ///< [group_count]. Nullable. Default NULL.
    const double *spring_stiffness;     ///< [spring_count]. Nullable. Default NULL.
    const double *spring_damping;       ///< [spring_count]. Nullable. Default NULL.
    LyraSpringDampingKind damping_kind; ///< Default LYRA_SPRING_UNDAMPED.
    /// For LYRA_SPRING_DAMPING_ALONG: dfdx keeps the symmetric part of the damping's derivative
    /// only, so that matrices stay symmetric. Default false.
    bool symmetric;
    /// Undamped, or with LYRA_SPRING_DAMPING_FULL: dfdx is k 1 of each spring wherever it is, in
    /// place of the derivative, and so never changes. Default false.
    bool constant;
    uint32_t cookie; ///< Written by the default function only.
} LyraMassSpringDef;

LYRA_API LyraMassSpringDef lyra_mass_spring_def_default(void);

/// Springs with energy k/2 (l - l0)^2, and damping. With `psd` the tangent is that of the energy
/// with its negative eigenvalues at 0, without the damping's derivative by position. Fails with
/// LYRA_INVALID_ARGUMENT for a negative stiffness or damping.
LYRA_API LyraStatus lyra_mass_spring_create(LyraContext *ctx, const LyraSprings *springs,
                                            const LyraMassSpringDef *def, LyraForce **out);

// ---- maxwell-spring -----------------------------------------------------------------------------

/// Parameters of maxwell-spring, for lyra_assembly_set_parameter().
typedef enum LyraMaxwellParameter {
    LYRA_MAXWELL_STIFFNESS = 0,    ///< k, of the spring alone, N/m.
    LYRA_MAXWELL_REST_LENGTH,      ///< l0, m.
    LYRA_MAXWELL_BRANCH_STIFFNESS, ///< k1, of the spring that a dashpot relaxes, N/m.
    LYRA_MAXWELL_RELAXATION_TIME,  ///< tau, s.
    LYRA_MAXWELL_PARAMETER_COUNT
} LyraMaxwellParameter;

/// Settings of a maxwell-spring force. Start from lyra_maxwell_spring_def_default().
typedef struct LyraMaxwellSpringDef {
    double stiffness;                      ///< k, N/m, >= 0. Default 1.
    double branch_stiffness;               ///< k1, N/m, >= 0. Default 1.
    double relaxation_time;                ///< tau, s, > 0. Default 1.
    const double *spring_stiffness;        ///< [spring_count]. Nullable. Default NULL.
    const double *spring_branch_stiffness; ///< [spring_count]. Nullable. Default NULL.
    const double *spring_relaxation_time;  ///< [spring_count]. Nullable. Default NULL.
    uint32_t cookie;                       ///< Written by the default function only.
} LyraMaxwellSpringDef;

LYRA_API LyraMaxwellSpringDef lyra_maxwell_spring_def_default(void);

/// Springs with a Maxwell element in parallel: the tension is k (l - l0) + q with
/// q' + q / tau = k1 l'. Over a step of dt from the committed history the length runs linearly and
/// q is integrated exactly; with dt = 0 the element is a spring that has had no time to relax. The
/// energy is the incremental potential whose gradient that is; at dt = 0 it is the energy stored. A
/// history of zeros is a spring relaxed at its rest length.
LYRA_API LyraStatus lyra_maxwell_spring_create(LyraContext *ctx, const LyraSprings *springs,
                                               const LyraMaxwellSpringDef *def, LyraForce **out);

#ifdef __cplusplus
}
#endif

#endif
