// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// What the kernels of isotropic solids and their set-up share.

#ifndef LY_FORCE_ISOTROPIC_H
#define LY_FORCE_ISOTROPIC_H

#include "force/elastic.h"
#include "force/mapped.h"
#include "force/plasticity.h"
#include "force/relaxation.h"
#include "lyra/material.h"

/// Constants of a cube: the lengths of its edges along x, y, z, m.
enum { LY_CUBE_EDGES = 0, LY_CUBE_CONSTANTS = 3 };

#define LY_CUBE_POINTS_MAX 27

/// Gauss points of the unit cube, x fastest: the same numbers for all cubes.
typedef struct LyCubeRule {
    int32_t n;                              // points along an edge
    double weight[LY_CUBE_POINTS_MAX];      // sum 1
    double shape[LY_CUBE_POINTS_MAX][8][3]; // gradients of the shape functions
    double product[3][3], value[2][3];      // N_0 N_0, N_0 N_1, N_1 N_1 and N_0, N_1 along an edge
} LyCubeRule;

#define LY_ISOTROPIC_PARAMETERS_MAX (LYRA_MATERIAL_PARAMETERS_MAX + 1 + LY_PLASTIC_PARAMETERS_MAX)

/// `self` of the forces of isotropic solids. The parameters of an element are those of the law,
/// then its resistance to compression, then those of its plasticity.
typedef struct LyIsotropic {
    LyraForceType type; // of this force
    char name[48];      // of branches
    const char *parameter_names[LY_ISOTROPIC_PARAMETERS_MAX];
    LyraParameterKind parameter_kinds[LY_ISOTROPIC_PARAMETERS_MAX];
    LyraContext *ctx;
    LyRest rest;
    const LyraMaterialType *law;
    const void *law_user;
    LyraInversion inversion;
    double threshold;
    LyPlasticity *plasticity; // NULL: elastic
    LyProny *prony;           // NULL: no series
    double *goals;            // strain of goal shapes, [element][6]. Nullable
    LyCubeRule rule;          // cubes
    LyMappedRule mapped;      // tets of 10 nodes, hexahedra; cubes with mean dilatation
    bool mean;                // dilatation
} LyIsotropic;

/// Logarithmic strain of an element of a mesh from its rest positions to those of a goal shape
/// [vertex_count][3].
LyraStatus ly_goal_strain(const LyraMeshView *mesh, int32_t element, const double *goal,
                          double strain[6]);

LY_KERNEL_DECLARE(LyElasticKernel, ly_tet_isotropic);
LY_KERNEL_DECLARE(LyElasticKernel, ly_cube_isotropic);
LY_KERNEL_DECLARE(LyElasticKernel, ly_mapped_isotropic);
/// With the derivative of the tangent, for the inversion mode none.
LY_KERNEL_DECLARE(LyElasticKernel, ly_tet_stvk_contracted);
LY_KERNEL_DECLARE(LyElasticKernel, ly_cube_stvk_contracted);

/// Bytes of scratch of the kernels of cubes: 225 blocks of 9 numbers, and 28 of an exact tangent.
#define LY_CUBE_SCRATCH ((225 + 28) * 9 * LYRA_BATCH_WIDTH * sizeof(double))

/// Branch `number` of Maxwell's, from 1, for all elements: mu, Pa, and relaxation time, s.
LyraStatus ly_branch_create(LyraContext *ctx, const LyraMesh *mesh, int32_t number, double mu,
                            double time, LyraForce **out);

/// The branches of a Prony series for all elements beside a law of small strain in rotated frames,
/// with `young` (0: of the mesh) and `poisson` of that.
LyraStatus ly_corotated_series_create(LyraContext *ctx, const LyraMesh *mesh, double young,
                                      double poisson, const LyraViscoelasticityDef *series,
                                      LyraForce **out);

/// The branches of the series `number` of a coefficient for all elements beside a law of these
/// settings, whose viscoelasticity has them.
LyraStatus ly_coefficient_series_create(LyraContext *ctx, const LyraMesh *mesh,
                                        const LyraElasticDef *def, int32_t number, LyraForce **out);

/// One point per stencil of a force that has no mesh: checks the settings and fills the law, what
/// is remembered, and of the type all but nodes, constants and functions. `solid` is zero; ended by
/// ly_isotropic_release(), also on failure.
LyraStatus ly_isotropic_open(LyraContext *ctx, const LyraElasticDef *def, LyIsotropic *solid);
void ly_isotropic_release(LyIsotropic *solid);

/// The parameters of its stencils by the settings, [parameter_count of the type].
LyraStatus ly_isotropic_numbers(const LyraElasticDef *def, const LyIsotropic *solid,
                                double *parameters);

/// Young's modulus and Poisson's ratio at rest.
LyraStatus ly_isotropic_moduli(const LyIsotropic *solid, const double *parameters, double *young,
                               double *poisson);

/// lyra_elastic_create for the models that have a law, and for a user's own.
LyraStatus ly_isotropic_create(LyraContext *ctx, const LyraMesh *mesh, const LyraElasticDef *def,
                               LyraForce **out);

#endif
