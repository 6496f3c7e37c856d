// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Fibre forces from meshes: settings, constants, types.

#include "force/fibre.h"

#include "base/base.h"
#include "force/definite.h"
#include "force/force.h"
#include "force/rest_shape.h"

#include <math.h>
#include <string.h>

LyraFibreDef lyra_fibre_def_default(void)
{
    return (LyraFibreDef){.tension_only = true, .cookie = LY_DEF_COOKIE};
}

// ---- constants ----------------------------------------------------------------------------------

static void setup_tet(const void *self, int32_t element, const int32_t *order, double *constants)
{
    const LyFibre *force = self;
    const double *a = force->directions + 3 * (int64_t)element;
    double tet[LY_TET_CONSTANTS];
    ly_rest_setup_tet(&force->rest, element, order, tet);
    for (int k = 0; k < 3; ++k) {
        const double *b = tet + LY_TET_B + 3 * k;
        constants[LY_FIBRE_M + k] = b[0] * a[0] + b[1] * a[1] + b[2] * a[2];
    }
    constants[LY_FIBRE_VOLUME] = tet[LY_TET_VOLUME];
    memcpy(constants + LY_FIBRE_DIRECTION, a, 3 * sizeof *a);
}

// cubes keep the order of the mesh
static void setup_cube(const void *self, int32_t element, const int32_t *order, double *constants)
{
    (void)order;
    const LyFibre *force = self;
    const double *a = force->directions + 3 * (int64_t)element;
    double edges[3], corners[24];
    ly_rest_corners(&force->rest, element, corners);
    ly_rest_cube(corners, edges);
    for (int i = 0; i < 3; ++i) {
        constants[LY_FIBRE_M + i] = a[i] / edges[i];
    }
    constants[LY_FIBRE_VOLUME] = fabs(edges[0] * edges[1] * edges[2]);
    memcpy(constants + LY_FIBRE_DIRECTION, a, 3 * sizeof *a);
}

// unit vectors, by way of the largest entry so that none overflows
static LyraStatus fill_directions(int32_t count, const double *from, double *to)
{
    for (int32_t e = 0; e < count; ++e) {
        const double *a = from + 3 * (int64_t)e;
        double largest = fmax(fabs(a[0]), fmax(fabs(a[1]), fabs(a[2])));
        if (!isfinite(a[0] + a[1] + a[2]) || !(largest > 0)) {
            return ly_fail(LYRA_INVALID_ARGUMENT,
                           "fibre: element %d has the direction (%g, %g, %g), expected a finite "
                           "vector that is not zero",
                           e, a[0], a[1], a[2]);
        }
        double u[3] = {a[0] / largest, a[1] / largest, a[2] / largest};
        double length = sqrt(u[0] * u[0] + u[1] * u[1] + u[2] * u[2]);
        for (int i = 0; i < 3; ++i) {
            to[3 * (int64_t)e + i] = u[i] / length;
        }
    }
    return LYRA_OK;
}

// ---- creation -----------------------------------------------------------------------------------

static void destroy(void *self)
{
    LyFibre *force = self;
    if (force) {
        ly_release(force->ctx, force->rest.positions);
        ly_release(force->ctx, force->directions);
        ly_release(force->ctx, force);
    }
}

static const char *const parameter_names[LYRA_FIBRE_PARAMETER_COUNT] = {
    [LYRA_FIBRE_STIFFNESS] = "stiffness",
    [LYRA_FIBRE_EXPONENT] = "exponent",
    [LYRA_FIBRE_ACTIVE_STRESS] = "active stress",
    [LYRA_FIBRE_ACTIVATION] = "activation",
};
static const LyraParameterKind parameter_kinds[LYRA_FIBRE_PARAMETER_COUNT] = {
    [LYRA_FIBRE_STIFFNESS] = LYRA_PARAMETER_NOT_NEGATIVE,
    [LYRA_FIBRE_EXPONENT] = LYRA_PARAMETER_NOT_NEGATIVE,
    [LYRA_FIBRE_ACTIVE_STRESS] = LYRA_PARAMETER_NOT_NEGATIVE,
    [LYRA_FIBRE_ACTIVATION] = LYRA_PARAMETER_FRACTION,
};

static void setup_mapped(const void *self, int32_t element, const int32_t *order, double *constants)
{
    (void)order;
    const LyFibre *force = self;
    const LyMappedRule *rule = &force->mapped;
    ly_mapped_setup_element(rule, &force->rest, element, constants);
    for (int i = 0; i < 3; ++i) {
        constants[rule->points * LY_MAPPED_POINT + i] = force->directions[3 * (int64_t)element + i];
    }
}

static void use_mapped(LyraContext *ctx, LyraElementKind kind, LyFibre *force)
{
    static LyFibreKernel *const kernels[] = LY_KERNEL_TABLE(ly_fibre_mapped);
    ly_mapped_rule(kind, &force->mapped);
    force->type.constant_count = force->mapped.points * LY_MAPPED_POINT + 3;
    force->type.scratch_bytes = ly_mapped_scratch(&force->mapped);
    force->type.setup = setup_mapped;
    force->type.evaluate = kernels[lyra_context_isa(ctx)];
}

static LyraForceType make_type(LyraContext *ctx, LyraElementKind kind, bool tension_only)
{
    static LyFibreKernel *const tets[] = LY_KERNEL_TABLE(ly_fibre_tet);
    static LyFibreKernel *const cubes[] = LY_KERNEL_TABLE(ly_fibre_cube);
    bool tet = kind == LYRA_ELEMENT_TET4;
    uint32_t traits = LYRA_FORCE_CONSERVATIVE | LYRA_FORCE_SYMMETRIC |
                      LYRA_FORCE_TRANSLATION_INVARIANT | LYRA_FORCE_DISPLACEMENT;
    return (LyraForceType){
        .name = "fibre",
        .nodes = lyra_element_kind_nodes(kind),
        .traits = traits | (tet ? LYRA_FORCE_REORDERABLE : 0u),
        .constant_count = LY_FIBRE_CONSTANTS,
        .parameter_count = LYRA_FIBRE_PARAMETER_COUNT,
        .parameter_names = parameter_names,
        .parameter_kinds = parameter_kinds,
        .scratch_bytes = tet || tension_only ? 0 : LY_POSITIVE_SCRATCH(8, true),
        .setup = tet ? setup_tet : setup_cube,
        .evaluate = (tet ? tets : cubes)[lyra_context_isa(ctx)],
        .destroy = destroy,
    };
}

static LyraStatus check_def(const LyraFibreDef *def, int32_t element_count)
{
    if (!def->directions && element_count > 0) {
        return ly_fail(LYRA_INVALID_ARGUMENT, "fibre: no directions for %d elements",
                       element_count);
    }
    return LYRA_OK;
}

LyraStatus lyra_fibre_create(LyraContext *ctx, const LyraMesh *mesh, const LyraFibreDef *def,
                             LyraForce **out)
{
    LY_CHECK_DEF(def, "lyra_fibre_def_default");
    LyraMeshView view = lyra_mesh_view(mesh);
    LY_TRY(check_def(def, view.element_count));
    double *parameters = NULL;
    LyFibre *self = NULL;
    LyraStatus status = LYRA_OK;
    LY_TRY_DONE(ly_allocate_zeroed(ctx, 1, sizeof *self, &self));
    self->ctx = ctx;
    self->type = make_type(ctx, view.kind, def->tension_only);
    if (ly_mapped_kind(view.kind)) {
        use_mapped(ctx, view.kind, self);
    }
    self->tension_only = def->tension_only;
    int64_t count = view.element_count;
    LY_TRY_DONE(ly_rest_create(ctx, mesh, &self->rest));
    LY_TRY_DONE(ly_allocate_array(ctx, 3 * count, sizeof(double), &self->directions));
    LY_TRY_DONE(fill_directions(view.element_count, def->directions, self->directions));
    LY_TRY_DONE(ly_allocate_array(ctx, count * LYRA_FIBRE_PARAMETER_COUNT, sizeof *parameters,
                                  &parameters));
    for (int64_t e = 0; e < count; ++e) {
        double *p = parameters + e * LYRA_FIBRE_PARAMETER_COUNT;
        p[LYRA_FIBRE_STIFFNESS] = def->stiffness;
        p[LYRA_FIBRE_EXPONENT] = def->exponent;
        p[LYRA_FIBRE_ACTIVE_STRESS] = def->active_stress;
        p[LYRA_FIBRE_ACTIVATION] = def->activation;
    }
    LY_TRY_DONE(
        ly_force_create_on_mesh(ctx, mesh, &self->type, self, &self->rest, parameters, out));
    self = NULL; // the force's now
done:
    destroy(self);
    ly_release(ctx, parameters);
    return status;
}
