// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Elastic forces from meshes: the table of models, rest shapes, and constants per element.

#include "force/elastic.h"

#include "base/base.h"
#include "force/isotropic.h"

#include <math.h>
#include <string.h>

// ---- models -------------------------------------------------------------------------------------

static const char *const model_names[LYRA_ELASTIC_MODEL_COUNT] = {
    [LYRA_ELASTIC_LINEAR] = "linear",
    [LYRA_ELASTIC_STVK] = "stvk",
    [LYRA_ELASTIC_NEO_HOOKEAN] = "neo-hookean",
    [LYRA_ELASTIC_MOONEY_RIVLIN] = "mooney-rivlin",
    [LYRA_ELASTIC_STABLE_NEO_HOOKEAN] = "stable-neo-hookean",
    [LYRA_ELASTIC_STABLE_NEO_HOOKEAN_LOG] = "stable-neo-hookean-log",
    [LYRA_ELASTIC_YEOH] = "yeoh",
    [LYRA_ELASTIC_ARRUDA_BOYCE] = "arruda-boyce",
    [LYRA_ELASTIC_FUNG] = "fung",
    [LYRA_ELASTIC_REDUCED_POLYNOMIAL] = "reduced-polynomial",
    [LYRA_ELASTIC_OGDEN] = "ogden",
    [LYRA_ELASTIC_BIPHASIC_SPLINE] = "biphasic-spline",
    [LYRA_ELASTIC_ROTATED_LINEAR] = "rotated-linear",
};

static const char *const inversion_names[LYRA_INVERSION_COUNT] = {
    [LYRA_INVERSION_EXTEND] = "extend",
    [LYRA_INVERSION_CLAMP] = "clamp",
    [LYRA_INVERSION_NONE] = "none",
};

// index of a name among `count`, or a sentence that lists them
static LyraStatus find_name(const char *what, const char *name, const char *const *names,
                            int32_t count, int32_t *index)
{
    char list[512] = "";
    size_t length = 0;
    for (int32_t m = 0; m < count; ++m) {
        if (strcmp(name, names[m]) == 0) {
            *index = m;
            return LYRA_OK;
        }
        const char *comma = m > 0 ? ", " : "";
        size_t word = strlen(comma) + strlen(names[m]);
        if (length + word < sizeof list) {
            memcpy(list + length, comma, strlen(comma));
            memcpy(list + length + strlen(comma), names[m], strlen(names[m]) + 1);
            length += word;
        }
    }
    return ly_fail(LYRA_INVALID_ARGUMENT, "no %s \"%s\", expected one of: %s", what, name, list);
}

const char *lyra_elastic_model_name(LyraElasticModel model)
{
    return (unsigned)model < LYRA_ELASTIC_MODEL_COUNT ? model_names[model] : "unknown";
}

LyraStatus lyra_elastic_model_find(const char *name, LyraElasticModel *model)
{
    int32_t index = 0;
    LY_TRY(find_name("elastic model", name, model_names, LYRA_ELASTIC_MODEL_COUNT, &index));
    *model = (LyraElasticModel)index;
    return LYRA_OK;
}

const char *lyra_inversion_name(LyraInversion inversion)
{
    return (unsigned)inversion < LYRA_INVERSION_COUNT ? inversion_names[inversion] : "unknown";
}

LyraStatus lyra_inversion_find(const char *name, LyraInversion *inversion)
{
    int32_t index = 0;
    LY_TRY(find_name("inversion mode", name, inversion_names, LYRA_INVERSION_COUNT, &index));
    *inversion = (LyraInversion)index;
    return LYRA_OK;
}

LyraElasticDef lyra_elastic_def_default(void)
{
    return (LyraElasticDef){.model = LYRA_ELASTIC_NEO_HOOKEAN,
                            .inversion_threshold = 0.1,
                            .poisson = 0.45,
                            .cookie = LY_DEF_COOKIE};
}

// ---- parameters ---------------------------------------------------------------------------------

// names of a model's parameters, and how many
static int32_t list_parameters(LyraElasticModel model,
                               const char *names[LYRA_MATERIAL_PARAMETERS_MAX + 1])
{
    static const char *const lame[] = {"lambda", "mu"};
    const LyraMaterialType *law = lyra_material_type(ly_isotropic_law(model), LYRA_ISA_SCALAR);
    const char *const *own = law ? law->parameter_names : lame;
    int32_t count = law ? law->parameter_count : LYRA_ELASTIC_PARAMETER_COUNT;
    for (int32_t i = 0; i < count; ++i) {
        names[i] = own[i];
    }
    if (law) {
        names[count++] = "compression-resistance";
    }
    return count;
}

int32_t lyra_elastic_parameter_count(LyraElasticModel model)
{
    const char *names[LYRA_MATERIAL_PARAMETERS_MAX + 1];
    return (unsigned)model < LYRA_ELASTIC_MODEL_COUNT ? list_parameters(model, names) : 0;
}

const char *lyra_elastic_parameter_name(LyraElasticModel model, int32_t parameter)
{
    const char *names[LYRA_MATERIAL_PARAMETERS_MAX + 1];
    bool known = parameter >= 0 && parameter < lyra_elastic_parameter_count(model);
    return known && list_parameters(model, names) > 0 ? names[parameter] : NULL;
}

LyraStatus lyra_elastic_parameter_find(LyraElasticModel model, const char *name, int32_t *parameter)
{
    if ((unsigned)model >= LYRA_ELASTIC_MODEL_COUNT) {
        return ly_fail(LYRA_INVALID_ARGUMENT, "elastic: model %d, expected 0 to %d", (int)model,
                       LYRA_ELASTIC_MODEL_COUNT - 1);
    }
    const char *names[LYRA_MATERIAL_PARAMETERS_MAX + 1];
    int32_t count = list_parameters(model, names);
    return find_name("parameter", name, names, count, parameter);
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
void ly_tet_setup(const double *corners, const int32_t *order, double *constants)
{
    double edge[3][3];
    double volume6 = tet_edges(corners, order, edge);
    for (int k = 0; k < 3; ++k) {
        double *b = constants + LY_TET_B + 3 * k;
        cross(edge[(k + 1) % 3], edge[(k + 2) % 3], b);
        for (int i = 0; i < 3; ++i) {
            b[i] /= volume6;
        }
    }
    constants[LY_TET_VOLUME] = fabs(volume6) / 6;
}

static LyraStatus check_tets(int32_t count, const double *corners)
{
    static const int32_t natural[4] = {0, 1, 2, 3};
    for (int32_t e = 0; e < count; ++e) {
        double edge[3][3];
        double volume = tet_edges(corners + 12 * (int64_t)e, natural, edge) / 6;
        // a volume whose gradients overflow is as good as none
        double constants[LY_TET_CONSTANTS];
        ly_tet_setup(corners + 12 * (int64_t)e, natural, constants);
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

LyraStatus ly_tet_corners_create(LyraContext *ctx, const LyraMeshView *mesh, double **out)
{
    double *corners = NULL;
    LY_TRY(ly_allocate_array(ctx, 12 * (int64_t)mesh->element_count, sizeof(double), &corners));
    for (int64_t i = 0; i < 4 * (int64_t)mesh->element_count; ++i) {
        memcpy(corners + 3 * i, mesh->positions + 3 * (int64_t)mesh->elements[i],
               3 * sizeof(double));
    }
    LyraStatus status = check_tets(mesh->element_count, corners);
    if (status != LYRA_OK) {
        ly_release(ctx, corners);
        return status;
    }
    *out = corners;
    return LYRA_OK;
}

static void setup_tet(const void *self, int32_t element, const int32_t *order, double *constants)
{
    const ElasticSolid *solid = self;
    ly_tet_setup(solid->corners + 12 * (int64_t)element, order, constants);
}

// ---- creation -----------------------------------------------------------------------------------

LyraStatus ly_check_enu(const LyraMeshMaterial *material)
{
    double young = material->enu.young, poisson = material->enu.poisson;
    if (!(young > 0) || !(poisson > -1 && poisson < 0.5)) {
        return ly_fail(LYRA_INVALID_ARGUMENT,
                       "material \"%s\" needs E > 0 and -1 < nu < 0.5, found E = %g, nu = %g",
                       material->name, young, poisson);
    }
    return LYRA_OK;
}

// Lame constants of each element
static LyraStatus fill_parameters(const LyraMeshView *mesh, const LyraElasticDef *def,
                                  double *parameters)
{
    LyraMeshMaterial all = {.name = "of the settings",
                            .enu = {.young = def->young, .poisson = def->poisson}};
    bool homogeneous = def->young != 0;
    if (homogeneous) {
        LY_TRY(ly_check_enu(&all));
    }
    for (int32_t m = 0; !homogeneous && m < mesh->material_count; ++m) {
        const LyraMeshMaterial *material = &mesh->materials[m];
        if (material->kind != LYRA_MESH_MATERIAL_ENU) {
            return ly_fail(LYRA_UNSUPPORTED,
                           "material \"%s\" is not of the kind ENU that this model takes",
                           material->name);
        }
        LY_TRY(ly_check_enu(material));
    }
    double given[LYRA_ELASTIC_PARAMETER_COUNT];
    bool is_given[LYRA_ELASTIC_PARAMETER_COUNT] = {false};
    for (int32_t c = 0; c < def->constant_count; ++c) {
        int32_t parameter = 0;
        LY_TRY(lyra_elastic_parameter_find(def->model, def->constants[c].name, &parameter));
        given[parameter] = def->constants[c].value;
        is_given[parameter] = true;
    }
    for (int32_t e = 0; e < mesh->element_count; ++e) {
        const LyraMaterialEnu *enu =
            homogeneous ? &all.enu : &mesh->materials[mesh->element_materials[e]].enu;
        double *p = parameters + (int64_t)e * LYRA_ELASTIC_PARAMETER_COUNT;
        p[LYRA_ELASTIC_LAMBDA] =
            enu->young * enu->poisson / ((1 + enu->poisson) * (1 - 2 * enu->poisson));
        p[LYRA_ELASTIC_MU] = enu->young / (2 * (1 + enu->poisson));
        for (int i = 0; i < LYRA_ELASTIC_PARAMETER_COUNT; ++i) {
            p[i] = is_given[i] ? given[i] : p[i];
        }
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
};

static LyraStatus make_solid(LyraContext *ctx, const LyraMeshView *mesh, ElasticSolid **out)
{
    ElasticSolid *solid = NULL;
    LY_TRY(ly_allocate_zeroed(ctx, 1, sizeof *solid, &solid));
    solid->ctx = ctx;
    LyraStatus status = ly_tet_corners_create(ctx, mesh, &solid->corners);
    if (status != LYRA_OK) {
        destroy_solid(solid);
        return status;
    }
    *out = solid;
    return LYRA_OK;
}

LyraStatus lyra_elastic_create(LyraContext *ctx, const LyraMesh *mesh, const LyraElasticDef *def,
                               LyraForce **out)
{
    LY_CHECK_DEF(def, "lyra_elastic_def_default");
    if ((unsigned)def->model >= LYRA_ELASTIC_MODEL_COUNT) {
        return ly_fail(LYRA_INVALID_ARGUMENT, "elastic: model %d, expected 0 to %d",
                       (int)def->model, LYRA_ELASTIC_MODEL_COUNT - 1);
    }
    if (def->constant_count < 0 || (def->constant_count > 0 && !def->constants)) {
        return ly_fail(LYRA_INVALID_ARGUMENT, "elastic: %d constants without a list",
                       def->constant_count);
    }
    if (def->law || ly_isotropic_law(def->model) != LYRA_MATERIAL_LAW_COUNT) {
        return ly_isotropic_create(ctx, mesh, def, out);
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
    LY_TRY_DONE(fill_parameters(&view, def, parameters));
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
