// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Viscous forces from meshes: rest shapes and constants per element. The mathematics is in
// viscosity_kernel.c.

#include "force/viscosity.h"

#include "base/base.h"
#include "lyra/math3.h"

#include <math.h>

// ---- rest shapes --------------------------------------------------------------------------------

// b of the four nodes in the order of the mesh, and the volume
typedef struct RestTet {
    double b[4][3], volume;
} RestTet;

// owned by the force
typedef struct ViscousSolid {
    LyraContext *ctx;
    RestTet *tets; // [element]
} ViscousSolid;

static void destroy_solid(void *self)
{
    ViscousSolid *solid = self;
    if (solid) {
        ly_release(solid->ctx, solid->tets);
        ly_release(solid->ctx, solid);
    }
}

static void setup_tet(const void *self, int32_t element, const int32_t *order, double *constants)
{
    const RestTet *tet = &((const ViscousSolid *)self)->tets[element];
    for (int a = 0; a < 3; ++a) {
        for (int i = 0; i < 3; ++i) {
            constants[LY_VISCOSITY_B + 3 * a + i] = tet->b[order[a + 1]][i];
        }
    }
    constants[LY_VISCOSITY_VOLUME] = tet->volume;
}

// the rows of the inverse of the matrix with columns X_1 - X_0, X_2 - X_0, X_3 - X_0 are b_1 to b_3
static LyraStatus measure_tet(const LyraMeshView *mesh, int32_t element, RestTet *tet)
{
    const int32_t *ids = mesh->elements + 4 * (int64_t)element;
    LyraMat3 edges, inverse;
    for (int a = 0; a < 3; ++a) {
        for (int i = 0; i < 3; ++i) {
            edges.m[i][a] = mesh->positions[3 * (int64_t)ids[a + 1] + i] -
                            mesh->positions[3 * (int64_t)ids[0] + i];
        }
    }
    tet->volume = lyra_mat3_determinant(edges) / 6;
    if (!(tet->volume > 0) || lyra_mat3_inverse(edges, &inverse) != LYRA_OK) {
        return ly_fail(LYRA_BAD_MESH,
                       "element %d has %s rest volume; `lyra mesh orient` repairs orientation",
                       element, tet->volume < 0 ? "negative" : "zero");
    }
    for (int i = 0; i < 3; ++i) {
        tet->b[0][i] = 0;
        for (int a = 0; a < 3; ++a) {
            tet->b[a + 1][i] = inverse.m[a][i];
            tet->b[0][i] -= inverse.m[a][i];
        }
    }
    return LYRA_OK;
}

static LyraStatus make_solid(LyraContext *ctx, const LyraMeshView *mesh, ViscousSolid **out)
{
    ViscousSolid *solid = NULL;
    LY_TRY(ly_allocate_zeroed(ctx, 1, sizeof *solid, &solid));
    solid->ctx = ctx;
    LyraStatus status = LYRA_OK;
    LY_TRY_DONE(ly_allocate_array(ctx, mesh->element_count, sizeof *solid->tets, &solid->tets));
    for (int32_t e = 0; e < mesh->element_count; ++e) {
        LY_TRY_DONE(measure_tet(mesh, e, &solid->tets[e]));
    }
    *out = solid;
done:
    if (status != LYRA_OK) {
        destroy_solid(solid);
    }
    return status;
}

// ---- creation -----------------------------------------------------------------------------------

#define TRAITS (LYRA_FORCE_VELOCITY | LYRA_FORCE_TRANSLATION_INVARIANT | LYRA_FORCE_REORDERABLE)
#define VISCOUS_TYPE(bits, kernel)                                                                 \
    {                                                                                              \
        .name = "viscosity", .nodes = 4, .traits = bits, .constant_count = LY_VISCOSITY_CONSTANTS, \
        .parameter_count = LYRA_VISCOSITY_PARAMETER_COUNT, .setup = setup_tet, .evaluate = kernel, \
        .destroy = destroy_solid,                                                                  \
    }
#if LY_HAVE_X86_KERNELS
#define VISCOUS_TYPES(bits, kernel)                                                                \
    {                                                                                              \
        [LYRA_ISA_SCALAR] = VISCOUS_TYPE(bits, kernel##_scalar),                                   \
        [LYRA_ISA_BASELINE] = VISCOUS_TYPE(bits, kernel##_baseline),                               \
        [LYRA_ISA_AVX2] = VISCOUS_TYPE(bits, kernel##_avx2),                                       \
        [LYRA_ISA_AVX512] = VISCOUS_TYPE(bits, kernel##_avx512),                                   \
    }
#else
#define VISCOUS_TYPES(bits, kernel)                                                                \
    {                                                                                              \
        [LYRA_ISA_SCALAR] = VISCOUS_TYPE(bits, kernel##_scalar),                                   \
        [LYRA_ISA_BASELINE] = VISCOUS_TYPE(bits, kernel##_baseline),                               \
    }
#endif

static const LyraForceType exact_types[LYRA_ISA_COUNT] = VISCOUS_TYPES(TRAITS, ly_tet_viscosity);
static const LyraForceType symmetric_types[LYRA_ISA_COUNT] =
    VISCOUS_TYPES(TRAITS | LYRA_FORCE_SYMMETRIC, ly_tet_viscosity_symmetric);

LyraViscosityDef lyra_viscosity_def_default(void)
{
    return (LyraViscosityDef){.cookie = LY_DEF_COOKIE};
}

static LyraStatus fill_parameters(const LyraViscosityDef *def, int32_t element_count,
                                  double *parameters)
{
    for (int32_t e = 0; e < element_count; ++e) {
        double lambda = def->element_lambda ? def->element_lambda[e] : def->lambda;
        double mu = def->element_mu ? def->element_mu[e] : def->mu;
        if (!isfinite(lambda) || !isfinite(mu)) {
            return ly_fail(LYRA_NOT_FINITE, "viscosity: element %d has lambda %g and mu %g", e,
                           lambda, mu);
        }
        if (mu < 0 || 3 * lambda + 2 * mu < 0) {
            return ly_fail(LYRA_INVALID_ARGUMENT,
                           "viscosity: element %d has lambda %g and mu %g, expected mu >= 0 and "
                           "3 lambda + 2 mu >= 0",
                           e, lambda, mu);
        }
        double *p = parameters + (int64_t)e * LYRA_VISCOSITY_PARAMETER_COUNT;
        p[LYRA_VISCOSITY_LAMBDA] = lambda;
        p[LYRA_VISCOSITY_MU] = mu;
    }
    return LYRA_OK;
}

LyraStatus lyra_viscosity_create(LyraContext *ctx, const LyraMesh *mesh,
                                 const LyraViscosityDef *def, LyraForce **out)
{
    LY_CHECK_DEF(def, "lyra_viscosity_def_default");
    LyraMeshView view = lyra_mesh_view(mesh);
    if (view.kind != LYRA_ELEMENT_TET4) {
        return ly_fail(LYRA_UNSUPPORTED, "viscosity takes tets, the mesh has %ss",
                       lyra_element_kind_name(view.kind));
    }
    double *parameters = NULL;
    ViscousSolid *solid = NULL;
    LyraStatus status = LYRA_OK;
    LY_TRY_DONE(ly_allocate_array(ctx, (int64_t)view.element_count * LYRA_VISCOSITY_PARAMETER_COUNT,
                                  sizeof *parameters, &parameters));
    LY_TRY_DONE(fill_parameters(def, view.element_count, parameters));
    LY_TRY_DONE(make_solid(ctx, &view, &solid));
    LyraForceDef force = lyra_force_def_default();
    force.type = &(def->symmetric ? symmetric_types : exact_types)[lyra_context_isa(ctx)];
    force.self = solid;
    force.stencil_count = view.element_count;
    force.stencils = view.elements;
    force.parameters = parameters;
    LY_TRY_DONE(lyra_force_create(ctx, &force, out));
    solid = NULL; // the force's now
done:
    destroy_solid(solid);
    ly_release(ctx, parameters);
    return status;
}
