// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

/// @file
/// Shells over triangles: a membrane in plane stress of any isotropic law of solids, and bending.
/// The formulas are in docs/theory/shells.md.

#ifndef LYRA_SHELL_H
#define LYRA_SHELL_H

#include "lyra/base.h"
#include "lyra/elastic.h"
#include "lyra/force.h"

#ifdef __cplusplus
extern "C" {
#endif

/// How a shell bends.
typedef enum LyraShellBend {
    /// "morley": converges to plates and shells on any mesh. One unknown per inner edge, the turn
    /// of the normal there.
    LYRA_SHELL_BEND_MORLEY = 0,
    LYRA_SHELL_BEND_HINGE, ///< "hinge": angles of edges alone; for looks: depends on the mesh.
    /// "quadratic": a constant matrix; for flat sheets that hardly stretch. Depends on the mesh.
    LYRA_SHELL_BEND_QUADRATIC,
    LYRA_SHELL_BEND_NONE, ///< "none": a membrane.
    LYRA_SHELL_BEND_COUNT
} LyraShellBend;

/// Name of a model of bending, "unknown" outside the list.
LYRA_API const char *lyra_shell_bend_name(LyraShellBend bend);

/// What a shell is. Start from lyra_shell_def_default(). All of it is copied.
typedef struct LyraShellDef {
    int32_t vertex_count, triangle_count;
    const double *positions;   ///< At rest, curved or flat, m, [vertex_count][3].
    const int32_t *triangles;  ///< [triangle_count][3]; neighbours may wind either way.
    double thickness;          ///< m, > 0. Default 1e-3.
    const double *thicknesses; ///< Of each triangle in its place, m, [triangle_count]. Nullable.
    /// The law, as of solids: `model`, `young` (to be given, unless `constants` have all of the
    /// law), `poisson`, `constants`, `inversion`, `compression_resistance`, `plasticity`,
    /// `viscoelasticity`, `law`. With `plasticity`, bending by "morley" flows as well.
    LyraElasticDef material;
    LyraShellBend bend; ///< Default LYRA_SHELL_BEND_MORLEY.
    double bend_factor; ///< On the bending stiffness E h^3/(12 (1 - nu^2)), >= 0. Default 1.
    bool rest_angles;   ///< Bending starts from the shape at rest, not from flat. Default true.
    /// Edges of one triangle, by their vertices, that keep the direction they have at rest:
    /// "morley" alone. [clamped_count][2].
    const int32_t *clamped;
    int32_t clamped_count;
    uint32_t cookie; ///< Written by the default function only.
} LyraShellDef;

LYRA_API LyraShellDef lyra_shell_def_default(void);

/// The rest shape of a shell and its forces.
typedef struct LyraShell LyraShell;

/// Makes the forces. Edges of three or more triangles, and of two that lie on the same vertices,
/// do not bend and are counted. Fails with LYRA_BAD_MESH for triangles without area at rest or of
/// vertices that are not three; LYRA_NOT_FINITE, LYRA_INVALID_ARGUMENT, LYRA_UNSUPPORTED for
/// settings that are not allowed.
LYRA_API LyraStatus lyra_shell_create(LyraContext *ctx, const LyraShellDef *def, LyraShell **out);

/// Accepts NULL. Assemblies of its forces must be gone.
LYRA_API void lyra_shell_destroy(LyraShell *shell);

/// Lends the forces, [count]: the membrane, then those that bend, over vertices of the shell with
/// its scalar nodes behind them.
LYRA_API LyraForce *const *lyra_shell_forces(const LyraShell *shell, int32_t *count);

/// A view of a shell, valid while it lives.
typedef struct LyraShellView {
    int32_t vertex_count, triangle_count;
    const int32_t *triangles;  ///< [triangle_count][3].
    const double *areas;       ///< At rest, m^2, [triangle_count].
    const double *thicknesses; ///< m, [triangle_count].
    double young, poisson;     ///< Of the law at rest; Pa and 1.
    LyraShellBend bend;
    int32_t edge_count;
    /// Ends of each edge, the lower first, and the first two triangles at it, -1 where there is
    /// none, [edge_count][4].
    const int32_t *edges;
    const double *rest_angles;  ///< Of edges that bend, rad; 0 of others. [edge_count].
    int32_t boundary_edges;     ///< Edges of one triangle.
    int32_t non_manifold_edges; ///< Edges of three or more, which do not bend.
    int32_t folded_edges;       ///< Of two triangles on the same vertices, which do not bend.
    /// "morley": scalar nodes, behind the vertices; see LyraModelBody.
    int32_t scalar_count;
    const int32_t *scalar_edges; ///< The edge of each, [scalar_count].
    double scalar_length;        ///< Length that the unknown has for a turn of 1 rad, m.
} LyraShellView;

LYRA_API LyraShellView lyra_shell_view(const LyraShell *shell);

/// Writes the masses of the vertices and behind them those of the scalar nodes for a density in
/// kg/m^3, kg, [vertex_count + scalar_count], and the places of the latter at rest, m,
/// [scalar_count][3]. Both Nullable.
LYRA_API void lyra_shell_masses(const LyraShell *shell, double density, double *masses,
                                double *scalar_positions);

/// Writes the larger and the smaller principal stretch of each triangle at `positions`,
/// [vertex_count][3]: [triangle_count][2]. Allocates nothing.
LYRA_API void lyra_shell_stretches(const LyraShell *shell, const double *positions,
                                   double *stretches);

/// What a triangle shows. Principal values, the larger one first.
typedef struct LyraShellMeasure {
    double strain[2];    ///< Of the middle surface: stretches less 1.
    double curvature[2]; ///< 1/m, from the shape at rest; above 0 where the upper side is longer.
    /// Strains of the upper surface, to which the normal points, and of the lower one.
    double top[2], bottom[2];
    /// Von Mises stresses there, Pa, as young and poisson give them for these strains; NaN of
    /// shells that flow.
    double top_stress, bottom_stress;
} LyraShellMeasure;

/// Measures each triangle, [triangle_count], at `positions` [vertex_count][3] with the unknowns of
/// edges at `scalars`, as lengths, [scalar_count] (Nullable without). Allocates nothing.
LYRA_API void lyra_shell_measure(const LyraShell *shell, const double *positions,
                                 const double *scalars, LyraShellMeasure *out);

#ifdef __cplusplus
}
#endif

#endif
