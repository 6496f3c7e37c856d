// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

/// @file
/// Affine bodies: stiff ones that are moved as a whole, x = A X + t, by 12 numbers. These are the
/// places of four particles of a quarter of the mass each, whose centre, mass and second moments
/// are those of the body, so that it falls, spins and is pushed as the body would, with lumped
/// masses and without terms of inertia. Every point of the body has constant weights on the four,
/// and one stiff tet between them keeps the shape: A^T A stays near the identity.
/// docs/theory/affine.md has the formulas.

#ifndef LYRA_AFFINE_H
#define LYRA_AFFINE_H

#include "lyra/base.h"
#include "lyra/embed.h"
#include "lyra/force.h"
#include "lyra/mesh.h"
#include "lyra/mesh_ops.h"
#include "lyra/surface.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Vertices of a model that an affine body takes: its particles.
#define LYRA_AFFINE_PARTICLES 4

/// Settings of an affine body. Start from lyra_affine_def_default(). It has the mass and the points
/// of `mesh` or of `surface`; `properties` beside them, or alone, give the mass.
typedef struct LyraAffineDef {
    const LyraMesh *mesh;       ///< A body of tets or cubes. Nullable.
    const double *densities;    ///< Of its elements, kg/m^3. Nullable: those of its materials.
    const LyraSurface *surface; ///< A closed surface whose faces point outward. Nullable.
    double density;             ///< Of what it encloses, kg/m^3, > 0. Default 1000.
    /// Volume, mass, centre of mass and inertia; the rest is not read. A volume of 0 is taken as
    /// that of the box of the same mass and moments. Nullable.
    const LyraMassProperties *properties;
    /// Young's modulus, Pa, > 0, of a body of this volume and a Poisson's ratio of 0 that resists
    /// being stretched and sheared as a whole: E = stiffness V / 8 |A^T A - 1|^2. A stress of
    /// sigma changes its lengths by sigma / stiffness. Default 0: 1e6 (m/s)^2 times the density,
    /// 1 GPa for water, so that its own weight or a spin changes a length of L by about
    /// g L / 1e6 or (w L)^2 / 1e6, while a step of 10 ms of a body of 10 cm has a matrix whose
    /// condition is 1e4.
    double stiffness;
    const char *name; ///< Of its force; copied. Nullable: "affine".
    uint32_t cookie;  ///< Written by the default function only.
} LyraAffineDef;

LYRA_API LyraAffineDef lyra_affine_def_default(void);

/// An affine body. Immutable.
typedef struct LyraAffine LyraAffine;

/// Makes a body; what the def points to is copied or read only now. Fails with LYRA_BAD_MESH for
/// a surface that is not closed or points inward, with LYRA_INVALID_ARGUMENT for a mass that is not
/// positive, moments that no body has, and a flat one, whose particles would lie in a plane: of
/// its second moments the least must be more than 1e-10 of the largest.
LYRA_API LyraStatus lyra_affine_create(LyraContext *ctx, const LyraAffineDef *def,
                                       LyraAffine **out);

/// Accepts NULL. Models with its force must be gone.
LYRA_API void lyra_affine_destroy(LyraAffine *affine);

/// A view of a body, valid while it lives: what a LyraModelDef takes of it, and its points.
typedef struct LyraAffineView {
    const LyraMesh *mesh;     ///< The particles as one tet; that of the force.
    const double *positions;  ///< Of the particles at rest, m, [4][3].
    const double *masses;     ///< Of the particles, all the same, kg, [4].
    LyraForce *const *forces; ///< The stiff tet, [force_count]: give it to the body by
                              ///< lyra_force_set_owner().
    int32_t force_count;
    double mass;             ///< kg.
    double volume;           ///< m^3.
    double center[3];        ///< Of mass, at rest, m.
    double second_moment[9]; ///< About it, integral of rho r r^T, kg m^2, row-major.
    double stiffness;        ///< As it is used, Pa.
    /// The vertices of the def's mesh or surface on the particles. NULL with properties alone.
    const LyraEmbedding *embedding;
} LyraAffineView;

LYRA_API LyraAffineView lyra_affine_view(const LyraAffine *affine);

/// Weights on the particles of a point at rest, m: they sum to 1. With vertices {0, 1, 2, 3} past
/// the body's first they make a LyraSurfacePoint.
LYRA_API void lyra_affine_weights(const LyraAffine *affine, const double point[3],
                                  double weights[LYRA_AFFINE_PARTICLES]);

/// Embeds `points` [count][3], at rest, inside or outside of the body. LYRA_NOT_FINITE for points
/// that are not finite.
LYRA_API LyraStatus lyra_affine_embed(const LyraAffine *affine, int32_t count, const double *points,
                                      LyraEmbedding **out);

/// The map x = A X + t of the particles with displacements `u` [4][3]: A row-major.
LYRA_API void lyra_affine_map(const LyraAffine *affine, const double *u, double A[9], double t[3]);

#ifdef __cplusplus
}
#endif

#endif
