// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

/// @file
/// Cloth after Baraff and Witkin over triangles: stretch along two directions u and v of the fabric
/// and shear between them in each triangle, bending at each edge of two triangles. The formulas are
/// in docs/theory/cloth.md.

#ifndef LYRA_CLOTH_H
#define LYRA_CLOTH_H

#include "lyra/base.h"
#include "lyra/force.h"

#ifdef __cplusplus
extern "C" {
#endif

/// The factor a of a triangle in its conditions C_u = a (|w_u| - b_u), C_v alike and
/// C_s = a w_u.w_v, of which the energy has half the squares times stiffness.
typedef enum LyraClothArea {
    LYRA_CLOTH_AREA_OURS = 0, ///< Root of its area in uv: stiffness in N/m, whatever the mesh.
    LYRA_CLOTH_AREA_PAPER, ///< Its area in uv, as Baraff and Witkin have it: depends on the mesh.
    LYRA_CLOTH_AREA_VEGA,  ///< Its rest area to the power 3/4, as Vega has it: depends on it too.
    LYRA_CLOTH_AREA_COUNT
} LyraClothArea;

/// Fabric of a part of a cloth. Start from lyra_cloth_group_default(). Units are those of
/// LYRA_CLOTH_AREA_OURS.
typedef struct LyraClothGroup {
    double stretch;        ///< Along u and v, N/m, >= 0. Default 1000.
    double shear;          ///< Between them, N/m, >= 0. Default 100.
    double bend_u, bend_v; ///< Of edges along u and along v, N m per rad^2, >= 0. Default 1e-4.
    /// Against the rate of each condition: N s/m of stretch and shear, N m s of bending, >= 0.
    /// Default 0.
    double stretch_damping, shear_damping, bend_damping;
} LyraClothGroup;

LYRA_API LyraClothGroup lyra_cloth_group_default(void);

/// What a cloth is. Start from lyra_cloth_def_default(). All of it is copied.
typedef struct LyraClothDef {
    int32_t vertex_count, triangle_count;
    const double *positions;  ///< At rest, m, [vertex_count][3].
    const int32_t *triangles; ///< [triangle_count][3].
    /// Place of each corner in the flat fabric, m, [triangle_count][3][2]. Nullable: each triangle
    /// as it is at rest, u along its first edge, which has no direction in common with the others.
    const double *uv;
    const int32_t *triangle_groups; ///< [triangle_count]. Nullable: group 0.
    int32_t group_count;            ///< Default 0.
    const LyraClothGroup *groups;   ///< [group_count]. Nullable without: the default group.
    LyraClothArea area;             ///< Default LYRA_CLOTH_AREA_OURS.
    double rest_stretch[2]; ///< b_u and b_v: length at which u and v are at ease. Default 1.
    bool rest_angles; ///< Bending starts from the angles at rest, not from flat. Default true.
    /// Differentiates the angle as if lengths of normals and edges did not change, as Vega does:
    /// a force that is the gradient of no energy. Without bend damping. Default false.
    bool frozen_bend;
    /// Switches of force and stiffness, of stretch and shear and of bending. Default true.
    bool stretch_force, stretch_stiffness, bend_force, bend_stiffness;
    /// Keeps the symmetric part of the derivative of damping by place, so that matrices stay
    /// symmetric. Default true.
    bool symmetric;
    uint32_t cookie; ///< Written by the default function only.
} LyraClothDef;

LYRA_API LyraClothDef lyra_cloth_def_default(void);

/// The rest shape of a cloth and its forces.
typedef struct LyraCloth LyraCloth;

/// Makes the forces. An edge of more than two triangles bends between any two of them. Hinges
/// without area at rest are left out and counted. Fails with LYRA_BAD_MESH for triangles without
/// area in uv, or of vertices that are not three; LYRA_NOT_FINITE, LYRA_INVALID_ARGUMENT for
/// numbers that are not allowed.
LYRA_API LyraStatus lyra_cloth_create(LyraContext *ctx, const LyraClothDef *def, LyraCloth **out);

/// Accepts NULL. Assemblies of its forces must be gone.
LYRA_API void lyra_cloth_destroy(LyraCloth *cloth);

/// Lends the forces, "cloth" and "cloth-bend", of which one is missing where all of it is switched
/// off or there is nothing to bend: [count].
LYRA_API LyraForce *const *lyra_cloth_forces(const LyraCloth *cloth, int32_t *count);

/// A view of a cloth, valid while it lives.
typedef struct LyraClothView {
    int32_t vertex_count, triangle_count, hinge_count;
    const int32_t *triangles; ///< [triangle_count][3].
    const double *areas;      ///< At rest, m^2, [triangle_count].
    /// Ends of the edge, corner opposite in the first triangle and in the second,
    /// [hinge_count][4].
    const int32_t *hinges;
    const double *rest_angles;    ///< 0 flat, rad, [hinge_count].
    const double *bend_stiffness; ///< N m per rad^2, [hinge_count].
    int32_t hinges_left_out;      ///< Hinges of triangles without area at rest.
    int32_t boundary_edges;       ///< Edges of one triangle.
    int32_t non_manifold_edges;   ///< Edges of three or more.
} LyraClothView;

LYRA_API LyraClothView lyra_cloth_view(const LyraCloth *cloth);

/// Writes how far each triangle is strained at `positions`, [vertex_count][3]: |w_u| - b_u,
/// |w_v| - b_v, w_u.w_v, [triangle_count][3]. Allocates nothing.
LYRA_API void lyra_cloth_strains(const LyraCloth *cloth, const double *positions, double *strains);

/// Writes the principal stretches of each triangle at `positions`, the larger first: 1 where the
/// fabric is as cut, 0 where it is folded onto a line. [triangle_count][2]. Allocates nothing.
LYRA_API void lyra_cloth_stretches(const LyraCloth *cloth, const double *positions,
                                   double *stretches);

/// Parameters of "cloth", by triangle.
typedef enum LyraClothParameter {
    LYRA_CLOTH_STRETCH = 0,
    LYRA_CLOTH_SHEAR,
    LYRA_CLOTH_REST_U,
    LYRA_CLOTH_REST_V,
    LYRA_CLOTH_STRETCH_DAMPING, ///< With damping only, as is the next.
    LYRA_CLOTH_SHEAR_DAMPING,
    LYRA_CLOTH_PARAMETER_COUNT
} LyraClothParameter;

/// Parameters of "cloth-bend", by hinge.
typedef enum LyraClothBendParameter {
    LYRA_CLOTH_BEND = 0,
    LYRA_CLOTH_REST_ANGLE,
    LYRA_CLOTH_BEND_DAMPING, ///< With damping only.
    LYRA_CLOTH_BEND_PARAMETER_COUNT
} LyraClothBendParameter;

#ifdef __cplusplus
}
#endif

#endif
