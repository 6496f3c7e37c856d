// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Elastic forces from meshes: the table of models, rest shapes, and constants per element.

#include "force/elastic.h"

#include "base/base.h"

#include <math.h>
#include <string.h>

// ---- models -------------------------------------------------------------------------------------

static const char *const model_names[LYRA_ELASTIC_MODEL_COUNT] = {
    [LYRA_ELASTIC_LINEAR] = "linear",
    [LYRA_ELASTIC_STVK] = "stvk",
    [LYRA_ELASTIC_NEO_HOOKEAN] = "neo-hookean",
};

const char *lyra_elastic_model_name(LyraElasticModel model)
{
    return (unsigned)model < LYRA_ELASTIC_MODEL_COUNT ? model_names[model] : "unknown";
}

LyraStatus lyra_elastic_model_find(const char *name, LyraElasticModel *model)
{
    char list[512] = "";
    size_t length = 0;
    for (int m = 0; m < LYRA_ELASTIC_MODEL_COUNT; ++m) {
        if (strcmp(name, model_names[m]) == 0) {
            *model = (LyraElasticModel)m;
            return LYRA_OK;
        }
        const char *comma = m > 0 ? ", " : "";
        size_t word = strlen(comma) + strlen(model_names[m]);
        if (length + word < sizeof list) {
            memcpy(list + length, comma, strlen(comma));
            memcpy(list + length + strlen(comma), model_names[m], strlen(model_names[m]) + 1);
            length += word;
        }
    }
    return ly_fail(LYRA_INVALID_ARGUMENT, "no elastic model \"%s\", expected one of: %s", name,
                   list);
}

LyraElasticDef lyra_elastic_def_default(void)
{
    return (LyraElasticDef){.model = LYRA_ELASTIC_NEO_HOOKEAN, .cookie = LY_DEF_COOKIE};
}

// ---- rest shapes --------------------------------------------------------------------------------

// owned by the force
typedef struct ElasticSolid {
    LyraContext *ctx;
    double *corners; // [element][4][3], rest positions in the order of the mesh
} ElasticSolid;

static void destroy_solid(void *self)
{
    ElasticSolid *solid = self;
    if (solid) {
        ly_release(solid->ctx, solid->corners);
        ly_release(solid->ctx, solid);
    }
}

static void cross(const double a[3], const double b[3], double out[3])
{
    out[0] = a[1] * b[2] - a[2] * b[1];
    out[1] = a[2] * b[0] - a[0] * b[2];
    out[2] = a[0] * b[1] - a[1] * b[0];
}

// edges from corner 0 in the given order, and six times the signed volume
static double tet_edges(const double *corners, const int32_t *order, double edge[3][3])
{
    for (int k = 0; k < 3; ++k) {
        for (int i = 0; i < 3; ++i) {
            edge[k][i] = corners[3 * order[k + 1] + i] - corners[3 * order[0] + i];
        }
    }
    double area[3];
    cross(edge[0], edge[1], area);
    return area[0] * edge[2][0] + area[1] * edge[2][1] + area[2] * edge[2][2];
}

// rows b_1, b_2, b_3 of the inverse of the matrix with columns edge_1, edge_2, edge_3
static void setup_tet(const void *self, int32_t element, const int32_t *order, double *constants)
{
    const ElasticSolid *solid = self;
    double edge[3][3];
    double volume6 = tet_edges(solid->corners + 12 * (int64_t)element, order, edge);
    for (int k = 0; k < 3; ++k) {
        double *b = constants + LY_TET_B + 3 * k;
        cross(edge[(k + 1) % 3], edge[(k + 2) % 3], b);
        for (int i = 0; i < 3; ++i) {
            b[i] /= volume6;
        }
    }
    constants[LY_TET_VOLUME] = fabs(volume6) / 6;
}

static LyraStatus check_rest(const LyraMeshView *mesh, const ElasticSolid *solid)
{
    static const int32_t natural[4] = {0, 1, 2, 3};
    for (int32_t e = 0; e < mesh->element_count; ++e) {
        double edge[3][3];
        double volume = tet_edges(solid->corners + 12 * (int64_t)e, natural, edge) / 6;
        // a volume whose gradients overflow is as good as none
        double constants[LY_TET_CONSTANTS];
        setup_tet(solid, e, natural, constants);
        bool finite = true;
        for (int i = 0; i < LY_TET_CONSTANTS; ++i) {
            finite = finite && isfinite(constants[i]);
        }
        if (!(volume > 0) || !finite) {
            return ly_fail(LYRA_BAD_MESH,
                           "element %d has %s rest volume; `lyra mesh orient` repairs orientation",
                           e, volume < 0 ? "negative" : "zero");
        }
    }
    return LYRA_OK;
}

// ---- creation -----------------------------------------------------------------------------------

// Lame constants of each element
static LyraStatus fill_parameters(const LyraMeshView *mesh, double *parameters)
{
    for (int32_t m = 0; m < mesh->material_count; ++m) {
        const LyraMeshMaterial *material = &mesh->materials[m];
        if (material->kind != LYRA_MESH_MATERIAL_ENU) {
            return ly_fail(LYRA_UNSUPPORTED,
                           "material \"%s\" is not of the kind ENU that this model takes",
                           material->name);
        }
        double young = material->enu.young, poisson = material->enu.poisson;
        if (!(young > 0) || !(poisson > -1 && poisson < 0.5)) {
            return ly_fail(LYRA_INVALID_ARGUMENT,
                           "material \"%s\" needs E > 0 and -1 < nu < 0.5, found E = %g, nu = %g",
                           material->name, young, poisson);
        }
    }
    for (int32_t e = 0; e < mesh->element_count; ++e) {
        const LyraMaterialEnu *enu = &mesh->materials[mesh->element_materials[e]].enu;
        double *p = parameters + (int64_t)e * LYRA_ELASTIC_PARAMETER_COUNT;
        p[LYRA_ELASTIC_LAMBDA] =
            enu->young * enu->poisson / ((1 + enu->poisson) * (1 - 2 * enu->poisson));
        p[LYRA_ELASTIC_MU] = enu->young / (2 * (1 + enu->poisson));
    }
    return LYRA_OK;
}

// the type of a model on an instruction set
#define TET_TYPE(model, kernel)                                                                    \
    {                                                                                              \
        .name = model, .nodes = 4,                                                                 \
        .traits = LYRA_FORCE_CONSERVATIVE | LYRA_FORCE_SYMMETRIC |                                 \
                  LYRA_FORCE_TRANSLATION_INVARIANT | LYRA_FORCE_REORDERABLE,                       \
        .constant_count = LY_TET_CONSTANTS, .parameter_count = LYRA_ELASTIC_PARAMETER_COUNT,       \
        .setup = setup_tet, .evaluate = kernel, .destroy = destroy_solid,                          \
    }
#if LY_HAVE_X86_KERNELS
#define TET_TYPES(model, kernel)                                                                   \
    {                                                                                              \
        [LYRA_ISA_SCALAR] = TET_TYPE(model, kernel##_scalar),                                      \
        [LYRA_ISA_BASELINE] = TET_TYPE(model, kernel##_baseline),                                  \
        [LYRA_ISA_AVX2] = TET_TYPE(model, kernel##_avx2),                                          \
        [LYRA_ISA_AVX512] = TET_TYPE(model, kernel##_avx512),                                      \
    }
#else
#define TET_TYPES(model, kernel)                                                                   \
    {                                                                                              \
        [LYRA_ISA_SCALAR] = TET_TYPE(model, kernel##_scalar),                                      \
        [LYRA_ISA_BASELINE] = TET_TYPE(model, kernel##_baseline),                                  \
    }
#endif

static const LyraForceType tet_types[LYRA_ELASTIC_MODEL_COUNT][LYRA_ISA_COUNT] = {
    [LYRA_ELASTIC_LINEAR] = TET_TYPES("linear", ly_tet_linear),
    [LYRA_ELASTIC_STVK] = TET_TYPES("stvk", ly_tet_stvk),
    [LYRA_ELASTIC_NEO_HOOKEAN] = TET_TYPES("neo-hookean", ly_tet_neo_hookean),
};

static LyraStatus make_solid(LyraContext *ctx, const LyraMeshView *mesh, ElasticSolid **out)
{
    ElasticSolid *solid = NULL;
    LY_TRY(ly_allocate_zeroed(ctx, 1, sizeof *solid, &solid));
    solid->ctx = ctx;
    LyraStatus status = LYRA_OK;
    LY_TRY_DONE(
        ly_allocate_array(ctx, 12 * (int64_t)mesh->element_count, sizeof(double), &solid->corners));
    for (int64_t i = 0; i < 4 * (int64_t)mesh->element_count; ++i) {
        memcpy(solid->corners + 3 * i, mesh->positions + 3 * (int64_t)mesh->elements[i],
               3 * sizeof(double));
    }
    LY_TRY_DONE(check_rest(mesh, solid));
    *out = solid;
done:
    if (status != LYRA_OK) {
        destroy_solid(solid);
    }
    return status;
}

LyraStatus lyra_elastic_create(LyraContext *ctx, const LyraMesh *mesh, const LyraElasticDef *def,
                               LyraForce **out)
{
    LY_CHECK_DEF(def, "lyra_elastic_def_default");
    if ((unsigned)def->model >= LYRA_ELASTIC_MODEL_COUNT) {
        return ly_fail(LYRA_INVALID_ARGUMENT, "elastic: model %d, expected 0 to %d",
                       (int)def->model, LYRA_ELASTIC_MODEL_COUNT - 1);
    }
    LyraMeshView view = lyra_mesh_view(mesh);
    if (view.kind != LYRA_ELEMENT_TET4) {
        return ly_fail(LYRA_UNSUPPORTED, "elastic: %s takes tets, the mesh has %ss",
                       lyra_elastic_model_name(def->model), lyra_element_kind_name(view.kind));
    }
    double *parameters = NULL;
    ElasticSolid *solid = NULL;
    LyraStatus status = LYRA_OK;
    LY_TRY_DONE(ly_allocate_array(ctx, (int64_t)view.element_count * LYRA_ELASTIC_PARAMETER_COUNT,
                                  sizeof *parameters, &parameters));
    LY_TRY_DONE(fill_parameters(&view, parameters));
    LY_TRY_DONE(make_solid(ctx, &view, &solid));
    LyraForceDef force = lyra_force_def_default();
    force.type = &tet_types[def->model][lyra_context_isa(ctx)];
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
