// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

/// @file
/// Rods: lines that stretch, bend and twist, as cables, catheters, springs and hair; and ropes,
/// that do not resist twist. Energies, frames and junctions are in docs/theory/rods.md.

#ifndef LYRA_ROD_H
#define LYRA_ROD_H

#include "lyra/force.h"

#ifdef __cplusplus
extern "C" {
#endif

/// What a cross-section resists with and weighs. All >= 0, `line_density` > 0 and, of rods that
/// twist, `inertia` > 0.
typedef struct LyraRodSection {
    double stretch;      ///< EA, N.
    double bend[2];      ///< EI towards the first and the second director, N m^2.
    double twist;        ///< GJ, N m^2.
    double line_density; ///< kg/m.
    double inertia;      ///< About the tangent, per length, kg m.
} LyraRodSection;

/// A full circle of `radius` m, or a tube with a bore of radius `inner` >= 0 m. `young`: Pa;
/// `poisson`: for G = E/(2 (1 + nu)); `density`: kg/m^3.
LYRA_API LyraRodSection lyra_rod_section_circle(double young, double poisson, double density,
                                                double radius, double inner);

/// A rectangle: `width` along the first director, `height` along the second, m. Its torsion
/// constant is that of Saint-Venant's series.
LYRA_API LyraRodSection lyra_rod_section_rectangle(double young, double poisson, double density,
                                                   double width, double height);

/// Settings of a rod. Start from lyra_rod_def_default(). Arrays are copied.
typedef struct LyraRodDef {
    int32_t vertex_count;
    const double *positions; ///< m, [vertex_count][3].
    int32_t edge_count;
    const int32_t *edges; ///< [edge_count][2]. Several rods, rings and junctions may be among them.
    /// One for all edges, or one for each: 1 or `edge_count`.
    int32_t section_count;
    const LyraRodSection *sections; ///< [section_count].
    /// Resists and has twist: an unknown for each edge behind the vertices. Otherwise a rope, which
    /// is straight by nature and bends alike to all sides, by the mean of `bend`; where more than
    /// two edges meet it is hinged. Default true.
    bool twists;
    /// A direction that the first director of all edges leans to, [3], not along an edge. Nullable:
    /// the directors of a chain are carried along without twist, from one across its first edge.
    const double *normal;
    /// Straight and untwisted by nature, in whatever shape, but where more than two edges meet.
    /// Default false.
    bool straight;
    double curvature[2]; ///< By nature, on top of that, 1/m. Default 0.
    double turn;         ///< Twist by nature, on top of that, rad/m. Default 0.
    double damping;      ///< Viscosity over stiffness of all its strains, s, >= 0. Default 0.
    uint32_t cookie;     ///< Written by the default function only.
} LyraRodDef;

LYRA_API LyraRodDef lyra_rod_def_default(void);

/// Parameters of "rod": stiffnesses of joints, N m, natural strains, and damping. The first index
/// of those that stand in threes.
typedef enum LyraRodParameter {
    LYRA_ROD_BEND_1 = 0, ///< N m.
    LYRA_ROD_BEND_2,
    LYRA_ROD_TWIST,
    LYRA_ROD_REST_CURVATURE_1, ///< 2 tan of half the angle between the edges.
    LYRA_ROD_REST_CURVATURE_2,
    LYRA_ROD_REST_TWIST, ///< rad.
    LYRA_ROD_DAMPING,    ///< s.
    LYRA_ROD_PARAMETER_COUNT
} LyraRodParameter;

/// Parameters of "rope".
typedef enum LyraRopeParameter {
    LYRA_ROD_ROPE_BEND = 0, ///< N m.
    LYRA_ROD_ROPE_DAMPING,  ///< s.
    LYRA_ROD_ROPE_PARAMETER_COUNT
} LyraRopeParameter;

/// A rod with its forces.
typedef struct LyraRod LyraRod;

/// Makes a rod. Fails with LYRA_BAD_MESH for an edge of no length, one that names a vertex twice,
/// edges that turn back on one another, and more than LYRA_ROD_EDGES_MAX edges at a vertex.
LYRA_API LyraStatus lyra_rod_create(LyraContext *ctx, const LyraRodDef *def, LyraRod **out);

/// Edges that may meet at a vertex.
#define LYRA_ROD_EDGES_MAX 32

/// Accepts NULL. Assemblies and models of its forces must be gone.
LYRA_API void lyra_rod_destroy(LyraRod *rod);

/// A view of a rod, valid while it lives.
typedef struct LyraRodView {
    int32_t vertex_count, edge_count;
    /// Vertices, then a scalar node for each edge of a rod that twists: component 0 of its
    /// displacement is the angle times `scale`, its place at rest the middle of the edge.
    int32_t node_count;
    const double *positions; ///< At rest, m, [node_count][3].
    const double *masses;    ///< kg, [node_count].
    const int32_t *edges;    ///< [edge_count][2].
    const double *lengths;   ///< At rest, m, [edge_count].
    double scale;            ///< Mean length of the edges, m.
    bool twists;
    /// Tangent and directors at rest, [edge_count][3][3], a row each.
    const double *frames;
    int32_t joint_count;
    /// Vertices of each joint, the middle one second, [joint_count][3]; its edges,
    /// [joint_count][2].
    const int32_t *joints, *joint_edges;
    const double *stiffness; ///< EA/l of edges, N/m, [edge_count].
} LyraRodView;

LYRA_API LyraRodView lyra_rod_view(const LyraRod *rod);

/// Forces of the rod, over its nodes, [*count]: "mass-spring" along edges, then "rod" or "rope".
LYRA_API LyraForce *const *lyra_rod_forces(const LyraRod *rod, int32_t *count);

/// What is measured of a rod. NULL arrays are not written.
typedef struct LyraRodMeasures {
    double *tension;   ///< N, [edge_count].
    double *curvature; ///< 1/m, of joints at vertices, the largest of each, [vertex_count].
    double *moment;    ///< Of bending, N m, the same, [vertex_count].
    double *twist;     ///< rad/m, of joints, that of the largest size, [vertex_count].
    double *torque;    ///< N m, of joints, that of the largest size, [vertex_count].
} LyraRodMeasures;

/// Measures a rod with `positions`, m, [node_count][3]. `strains`: curvatures and twist of joints,
/// [joint_count][3], as the history of "rod" has them from its first strain on; Nullable of ropes.
LYRA_API void lyra_rod_measure(const LyraRod *rod, const double *positions, const double *strains,
                               const LyraRodMeasures *out);

#ifdef __cplusplus
}
#endif

#endif
