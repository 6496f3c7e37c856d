// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Viscous forces from meshes: settings and constants per element. The mathematics is in
// viscosity_kernel.c.

#include "force/viscosity.h"

#include "base/base.h"
#include "force/force.h"

#include <math.h>

// ---- the force's own data -----------------------------------------------------------------------

typedef struct ViscousSolid {
    LyraContext *ctx;
    LyraForceType type;
    LyRest rest;
} ViscousSolid;

static void destroy_solid(void *self)
{
    ViscousSolid *solid = self;
    if (solid) {
        ly_release(solid->ctx, solid->rest.positions);
        ly_release(solid->ctx, solid);
    }
}

static void setup_tet(const void *self, int32_t element, const int32_t *order, double *constants)
{
    const ViscousSolid *solid = self;
    ly_rest_setup_tet(&solid->rest, element, order, constants);
}

// ---- creation -----------------------------------------------------------------------------------

static LyraForceType make_damping_type(LyraContext *ctx, bool irving)
{
    static const char *const names[LYRA_STRETCH_DAMPING_PARAMETER_COUNT] = {"shear", "volume"};
    static const LyraParameterKind kinds[LYRA_STRETCH_DAMPING_PARAMETER_COUNT] = {
        LYRA_PARAMETER_NOT_NEGATIVE, LYRA_PARAMETER_NOT_NEGATIVE};
    static LyViscosityKernel *const objective[] = LY_KERNEL_TABLE(ly_tet_stretch_damping);
    static LyViscosityKernel *const irvings[] = LY_KERNEL_TABLE(ly_tet_stretch_damping_irving);
    return (LyraForceType){
        .name = "stretch-damping",
        .nodes = 4,
        .traits = LYRA_FORCE_VELOCITY | LYRA_FORCE_TRANSLATION_INVARIANT | LYRA_FORCE_DISPLACEMENT |
                  LYRA_FORCE_REORDERABLE | LYRA_FORCE_SYMMETRIC | LYRA_FORCE_INEXACT,
        .constant_count = LY_TET_CONSTANTS,
        .parameter_count = LYRA_STRETCH_DAMPING_PARAMETER_COUNT,
        .parameter_names = names,
        .parameter_kinds = kinds,
        .setup = setup_tet,
        .evaluate = (irving ? irvings : objective)[lyra_context_isa(ctx)],
        .destroy = destroy_solid,
    };
}

static LyraForceType make_type(LyraContext *ctx, bool symmetric)
{
    static const char *const names[LYRA_VISCOSITY_PARAMETER_COUNT] = {"lambda", "mu"};
    static const LyraParameterKind kinds[LYRA_VISCOSITY_PARAMETER_COUNT] = {
        LYRA_PARAMETER_ANY, LYRA_PARAMETER_NOT_NEGATIVE};
    static LyViscosityKernel *const exact[] = LY_KERNEL_TABLE(ly_tet_viscosity);
    static LyViscosityKernel *const halves[] = LY_KERNEL_TABLE(ly_tet_viscosity_symmetric);
    return (LyraForceType){
        .name = "viscosity",
        .nodes = 4,
        .traits = LYRA_FORCE_VELOCITY | LYRA_FORCE_TRANSLATION_INVARIANT | LYRA_FORCE_DISPLACEMENT |
                  LYRA_FORCE_REORDERABLE |
                  (symmetric ? LYRA_FORCE_SYMMETRIC | LYRA_FORCE_INEXACT : 0u),
        .constant_count = LY_TET_CONSTANTS,
        .parameter_count = LYRA_VISCOSITY_PARAMETER_COUNT,
        .parameter_names = names,
        .parameter_kinds = kinds,
        .setup = setup_tet,
        .evaluate = (symmetric ? halves : exact)[lyra_context_isa(ctx)],
        .destroy = destroy_solid,
    };
}

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

static LyraStatus make_force(LyraContext *ctx, const LyraMesh *mesh, const LyraForceType *type,
                             const double *parameters, LyraForce **out)
{
    ViscousSolid *solid = NULL;
    LyraStatus status = LYRA_OK;
    LY_TRY(ly_allocate_zeroed(ctx, 1, sizeof *solid, &solid));
    solid->ctx = ctx;
    solid->type = *type;
    LY_TRY_DONE(ly_rest_create(ctx, mesh, &solid->rest));
    LY_TRY_DONE(
        ly_force_create_on_mesh(ctx, mesh, &solid->type, solid, &solid->rest, parameters, out));
    solid = NULL; // the force's now
done:
    destroy_solid(solid);
    return status;
}

LyraStatus lyra_viscosity_create(LyraContext *ctx, const LyraMesh *mesh,
                                 const LyraViscosityDef *def, LyraForce **out)
{
    LY_CHECK_DEF(def, "lyra_viscosity_def_default");
    LyraMeshView view = lyra_mesh_view(mesh);
    if (view.kind != LYRA_ELEMENT_TET4) {
        return ly_fail(LYRA_UNSUPPORTED,
                       "viscosity takes tets of 4 nodes, found elements of kind %s",
                       lyra_element_kind_name(view.kind));
    }
    double *parameters = NULL;
    LyraStatus status = LYRA_OK;
    LY_TRY_DONE(ly_allocate_array(ctx, (int64_t)view.element_count * LYRA_VISCOSITY_PARAMETER_COUNT,
                                  sizeof *parameters, &parameters));
    LY_TRY_DONE(fill_parameters(def, view.element_count, parameters));
    const LyraForceType type = make_type(ctx, def->symmetric);
    LY_TRY_DONE(make_force(ctx, mesh, &type, parameters, out));
done:
    ly_release(ctx, parameters);
    return status;
}

// ---- rates of stretches -------------------------------------------------------------------------

LyraStretchDampingDef lyra_stretch_damping_def_default(void)
{
    return (LyraStretchDampingDef){.cookie = LY_DEF_COOKIE};
}

LyraStatus lyra_stretch_damping_create(LyraContext *ctx, const LyraMesh *mesh,
                                       const LyraStretchDampingDef *def, LyraForce **out)
{
    LY_CHECK_DEF(def, "lyra_stretch_damping_def_default");
    LyraMeshView view = lyra_mesh_view(mesh);
    if (view.kind != LYRA_ELEMENT_TET4) {
        return ly_fail(LYRA_UNSUPPORTED,
                       "stretch-damping takes tets of 4 nodes, found elements of kind %s",
                       lyra_element_kind_name(view.kind));
    }
    if (!(def->shear >= 0 && def->volume >= 0) || !isfinite(def->shear + def->volume)) {
        return ly_fail(LYRA_INVALID_ARGUMENT,
                       "stretch-damping: shear %g and volume %g, expected numbers from 0 up",
                       def->shear, def->volume);
    }
    double *parameters = NULL;
    LyraStatus status = LYRA_OK;
    const int64_t count = LYRA_STRETCH_DAMPING_PARAMETER_COUNT;
    LY_TRY_DONE(
        ly_allocate_array(ctx, view.element_count * count, sizeof *parameters, &parameters));
    for (int32_t e = 0; e < view.element_count; ++e) {
        parameters[e * count + LYRA_STRETCH_DAMPING_SHEAR] = def->shear;
        parameters[e * count + LYRA_STRETCH_DAMPING_VOLUME] = def->volume;
    }
    const LyraForceType type = make_damping_type(ctx, def->irving);
    LY_TRY_DONE(make_force(ctx, mesh, &type, parameters, out));
done:
    ly_release(ctx, parameters);
    return status;
}
