// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Forces of isotropic solids: settings checked, parameters of each element, rest shapes, Gauss
// points of cubes, and the choice of the kernel.

#include "force/isotropic.h"

#include "base/base.h"
#include "force/definite.h"
#include "force/nodal.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// ---- settings -----------------------------------------------------------------------------------

static bool remembers(const LyraElasticDef *def)
{
    return def->plasticity || def->viscoelasticity;
}

static LyraStatus check_volumetric(const LyraElasticDef *def, LyraElementKind kind)
{
    if ((unsigned)def->volumetric >= LYRA_VOLUMETRIC_COUNT) {
        return ly_fail(LYRA_INVALID_ARGUMENT, "elastic: volumetric %d, expected 0 to %d",
                       (int)def->volumetric, LYRA_VOLUMETRIC_COUNT - 1);
    }
    if (def->volumetric == LYRA_VOLUMETRIC_MEAN && kind == LYRA_ELEMENT_TET4) {
        return ly_fail(
            LYRA_UNSUPPORTED,
            "elastic: volumetric mean is that of every tet of 4 nodes already; nodal helps them, "
            "or `lyra mesh quadratic`, which makes tets of 10 nodes");
    }
    if (def->volumetric == LYRA_VOLUMETRIC_NODAL && kind != LYRA_ELEMENT_TET4) {
        return ly_fail(
            LYRA_UNSUPPORTED,
            "elastic: volumetric nodal is for tets of 4 nodes, found elements of kind %s, "
            "which mean helps",
            lyra_element_kind_name(kind));
    }
    bool flows_by_stress = def->plasticity && def->plasticity->yield == LYRA_YIELD_VON_MISES &&
                           def->plasticity->kinematic_hardening == 0;
    if (def->volumetric != LYRA_VOLUMETRIC_STANDARD && remembers(def) && !flows_by_stress) {
        return ly_fail(LYRA_UNSUPPORTED,
                       "elastic: of what remembers, volumetric %s has the yield criterion "
                       "von-mises without kinematic hardening; the rest needs standard",
                       lyra_volumetric_name(def->volumetric));
    }
    if (def->volumetric != LYRA_VOLUMETRIC_STANDARD && def->inversion == LYRA_INVERSION_CLAMP) {
        return ly_fail(LYRA_UNSUPPORTED,
                       "elastic: volumetric %s needs an energy, which the inversion mode clamp has "
                       "not; extend and none have",
                       lyra_volumetric_name(def->volumetric));
    }
    return LYRA_OK;
}

static LyraStatus check_def(const LyraElasticDef *def, const LyraMaterialType *law)
{
    if ((unsigned)def->inversion >= LYRA_INVERSION_COUNT) {
        return ly_fail(LYRA_INVALID_ARGUMENT, "elastic: inversion mode %d, expected 0 to %d",
                       (int)def->inversion, LYRA_INVERSION_COUNT - 1);
    }
    if (!(def->inversion_threshold > 0 && def->inversion_threshold < 1)) {
        return ly_fail(LYRA_INVALID_ARGUMENT,
                       "elastic: inversion threshold %g, expected a stretch between 0 and 1",
                       def->inversion_threshold);
    }
    if (!(def->compression_resistance >= 0 && isfinite(def->compression_resistance))) {
        return ly_fail(LYRA_INVALID_ARGUMENT,
                       "elastic: compression resistance %g, expected a number from 0 up",
                       def->compression_resistance);
    }
    if (!law->name || !law->evaluate || law->parameter_count < 0 ||
        law->parameter_count > LYRA_MATERIAL_PARAMETERS_MAX ||
        (law->parameter_count > 0 && !law->parameter_names)) {
        return ly_fail(LYRA_INVALID_ARGUMENT,
                       "elastic: the law needs a name, evaluate, and at most %d named parameters",
                       LYRA_MATERIAL_PARAMETERS_MAX);
    }
    if (def->inversion == LYRA_INVERSION_EXTEND && !law->expand) {
        return ly_fail(LYRA_UNSUPPORTED,
                       "elastic: law %s has no function `expand`, which the inversion mode extend "
                       "needs; clamp and none do without",
                       law->name);
    }
    if (def->viscoelasticity) {
        LY_TRY(ly_viscoelasticity_check(def->viscoelasticity));
        bool prony = def->viscoelasticity->model == LYRA_RELAXATION_PRONY;
        if (!prony || def->viscoelasticity->coefficient_count > 0) {
            return ly_fail(LYRA_UNSUPPORTED,
                           "elastic: the branches of %s are forces of their own, which solids of "
                           "lyra_solid_create() have",
                           prony ? "coefficients"
                                 : lyra_relaxation_name(def->viscoelasticity->model));
        }
        if (def->plasticity || def->inversion == LYRA_INVERSION_CLAMP) {
            return ly_fail(LYRA_UNSUPPORTED, "elastic: a Prony series goes with %s",
                           def->plasticity ? "no plasticity; maxwell does"
                                           : "the inversion modes extend and none");
        }
    }
    if (def->plasticity && def->inversion == LYRA_INVERSION_CLAMP) {
        return ly_fail(LYRA_UNSUPPORTED,
                       "elastic: the inversion mode clamp has no plasticity, expected extend or "
                       "none");
    }
    if (def->plasticity && def->plasticity->kinematic_hardening > 0 &&
        def->compression_resistance > 0) {
        return ly_fail(LYRA_UNSUPPORTED,
                       "elastic: kinematic hardening goes without resistance to compression");
    }
    return def->plasticity ? ly_plasticity_check(def->plasticity, law->name) : LYRA_OK;
}

// ---- parameters ---------------------------------------------------------------------------------

// values given by name, the resistance last
typedef struct Given {
    double value[LYRA_MATERIAL_PARAMETERS_MAX + 1];
    bool is[LYRA_MATERIAL_PARAMETERS_MAX + 1];
    bool all; // of the law's own
} Given;

static LyraStatus read_constants(const LyraElasticDef *def, const LyraMaterialType *law,
                                 Given *given)
{
    *given = (Given){.all = true};
    int32_t count = law->parameter_count;
    for (int32_t c = 0; c < def->constant_count; ++c) {
        const LyraElasticConstant *constant = &def->constants[c];
        int32_t at = 0;
        while (at < count && strcmp(law->parameter_names[at], constant->name) != 0) {
            ++at;
        }
        if (at == count && strcmp(constant->name, "compression-resistance") != 0) {
            char list[256] = "";
            for (int32_t i = 0; i < count; ++i) {
                ly_list_name(sizeof list, list, law->parameter_names[i]);
            }
            ly_list_name(sizeof list, list, "compression-resistance");
            return ly_fail(LYRA_INVALID_ARGUMENT,
                           "law %s has no parameter \"%s\", expected one of: %s", law->name,
                           constant->name, list);
        }
        if (!isfinite(constant->value)) {
            return ly_fail(LYRA_NOT_FINITE, "parameter \"%s\" of law %s is not finite",
                           constant->name, law->name);
        }
        given->value[at] = constant->value;
        given->is[at] = true;
    }
    for (int32_t i = 0; i < count; ++i) {
        given->all = given->all && given->is[i];
    }
    return LYRA_OK;
}

// names, kinds and values of the parameters of plasticity
typedef struct Plastic {
    const char *names[LY_PLASTIC_PARAMETERS_MAX];
    LyraParameterKind kinds[LY_PLASTIC_PARAMETERS_MAX];
    double values[LY_PLASTIC_PARAMETERS_MAX];
} Plastic;

static int32_t list_plastic(const LyraElasticDef *def, Plastic *p)
{
    return ly_plasticity_parameters(def->plasticity, p->names, p->kinds, p->values);
}

// parameters from a material of the mesh
static LyraStatus from_material(const LyraElasticDef *def, const LyraMaterialType *type,
                                const LyraMeshMaterial *material, double *p)
{
    LyraMaterialLaw law = def->law ? LYRA_MATERIAL_LAW_COUNT : def->model;
    if (material->kind == LYRA_MESH_MATERIAL_MOONEY_RIVLIN && law == LYRA_MATERIAL_MOONEY_RIVLIN) {
        p[0] = material->mooney_rivlin.mu01;
        p[1] = material->mooney_rivlin.mu10;
        p[2] = material->mooney_rivlin.v1;
        return LYRA_OK;
    }
    if (material->kind != LYRA_MESH_MATERIAL_ENU) {
        return ly_fail(LYRA_UNSUPPORTED,
                       "material \"%s\" is not of the kind ENU%s that model %s takes",
                       material->name, law == LYRA_MATERIAL_MOONEY_RIVLIN ? " or MOONEYRIVLIN" : "",
                       type->name);
    }
    LY_TRY(ly_check_enu(material));
    type->from_enu(def->law_user, material->enu.young, material->enu.poisson, p);
    return LYRA_OK;
}

// parameters from the moduli of the settings
static LyraStatus from_moduli(const LyraElasticDef *def, const LyraMaterialType *law, double *p)
{
    if (!(def->young > 0 && isfinite(def->young)) || !(def->poisson > -1 && def->poisson < 0.5)) {
        return ly_fail(LYRA_INVALID_ARGUMENT,
                       "law %s needs E > 0 and -1 < nu < 0.5, found E = %g, nu = %g", law->name,
                       def->young, def->poisson);
    }
    law->from_enu(def->law_user, def->young, def->poisson, p);
    return LYRA_OK;
}

// W_11 and W_12 by stretches of a law at rest
static void slopes_at_rest(const LyraMaterialType *law, const void *user, const double *values,
                           double *W_11, double *W_12)
{
    enum { WIDTH = LYRA_MATERIAL_WIDTH };
    double arguments[3 * WIDTH] __attribute__((aligned(64)));
    double p[LYRA_MATERIAL_PARAMETERS_MAX * WIDTH] __attribute__((aligned(64)));
    double g[3 * WIDTH] __attribute__((aligned(64))), h[6 * WIDTH] __attribute__((aligned(64)));
    bool invariants = law->arguments == LYRA_MATERIAL_INVARIANTS;
    for (int i = 0; i < 3 * WIDTH; ++i) {
        arguments[i] = invariants && i < 2 * WIDTH ? 3 : 1;
    }
    for (int i = 0; i < law->parameter_count * WIDTH; ++i) {
        p[i] = values[i / WIDTH];
    }
    LyraMaterialBatch batch = {
        .arguments = arguments, .parameters = p, .gradient = g, .hessian = h};
    law->evaluate(user, &batch);
    double W[6];
    for (int n = 0; n < 6; ++n) {
        W[n] = h[n * WIDTH];
    }
    *W_11 = W[0];
    *W_12 = W[3];
    if (invariants) {
        // along equal stretches z = (2, 4, 1) for each, see isotropic_point.h
        double curvature = 4 * W[0] + 16 * W[1] + W[2] + 16 * W[3] + 8 * W[4] + 4 * W[5];
        *W_11 = 2 * g[0] + 12 * g[WIDTH] + curvature;
        *W_12 = g[2 * WIDTH] + curvature;
    }
}

// three bulk moduli of a user's law at rest
static double find_bulk3(const LyraMaterialType *law, const void *user, const double *values)
{
    double W_11, W_12;
    slopes_at_rest(law, user, values, &W_11, &W_12);
    return W_11 + 2 * W_12;
}

// parameters of one kind of element, [parameter_count + 1]; `material` NULL: those of the settings
static LyraStatus make_parameters(const LyraElasticDef *def, const LyraMaterialType *law,
                                  const Given *given, const LyraMeshMaterial *material, double *p)
{
    int32_t count = law->parameter_count;
    if (!given->all) {
        if (!law->from_enu) {
            return ly_fail(LYRA_INVALID_ARGUMENT,
                           "law %s needs all its parameters by name, as it has no function "
                           "`from_enu` to find them by",
                           law->name);
        }
        LY_TRY(material ? from_material(def, law, material, p) : from_moduli(def, law, p));
    }
    for (int32_t i = 0; i < count; ++i) {
        p[i] = given->is[i] ? given->value[i] : p[i];
    }
    p[count] = 0;
    if (given->is[count]) {
        p[count] = given->value[count];
    } else if (def->compression_resistance > 0) {
        double bulk3 =
            def->law ? find_bulk3(law, def->law_user, p) : lyra_material_bulk3(def->model, p);
        p[count] = def->compression_resistance * bulk3;
    }
    return LYRA_OK;
}

static int32_t count_parameters(const LyraElasticDef *def, const LyraMaterialType *law)
{
    Plastic plastic;
    return law->parameter_count + 1 + (def->plasticity ? list_plastic(def, &plastic) : 0);
}

static LyraStatus fill_parameters(LyraContext *ctx, const LyraElasticDef *def,
                                  const LyraMaterialType *law, const LyraMeshView *mesh,
                                  double *parameters)
{
    Given given;
    LY_TRY(read_constants(def, law, &given));
    int64_t count = count_parameters(def, law), plastic = law->parameter_count + 1;
    // one material is enough where the mesh has no say
    bool uniform = given.all || def->young != 0;
    int32_t materials = uniform ? 1 : mesh->material_count;
    double *table = NULL;
    bool *made = NULL;
    LyraStatus status = LYRA_OK;
    LY_TRY_DONE(ly_allocate_zeroed(ctx, materials * count, sizeof *table, &table));
    LY_TRY_DONE(ly_allocate_zeroed(ctx, materials, sizeof *made, &made));
    if (uniform) {
        LY_TRY_DONE(make_parameters(def, law, &given, NULL, table));
        made[0] = true;
    }
    for (int32_t e = 0; e < mesh->element_count; ++e) {
        // a material that no element has may be of any kind
        int32_t m = uniform ? 0 : mesh->element_materials[e];
        if (!made[m]) {
            LY_TRY_DONE(make_parameters(def, law, &given, &mesh->materials[m], table + m * count));
            made[m] = true;
        }
        memcpy(parameters + e * count, table + m * count, (size_t)plastic * sizeof *table);
        if (def->plasticity) {
            Plastic values;
            int32_t more = list_plastic(def, &values);
            memcpy(parameters + e * count + plastic, values.values, (size_t)more * sizeof *table);
        }
    }
done:
    ly_release(ctx, made);
    ly_release(ctx, table);
    return status;
}

// ---- rest shapes --------------------------------------------------------------------------------

static void setup_tet(const void *self, int32_t element, const int32_t *order, double *constants)
{
    const LyIsotropic *solid = self;
    ly_rest_setup_tet(&solid->rest, element, order, constants);
}

static void setup_cube(const void *self, int32_t element, const int32_t *order, double *constants)
{
    (void)order;
    const LyIsotropic *solid = self;
    double corners[24];
    ly_rest_corners(&solid->rest, element, corners);
    ly_rest_cube(corners, constants + LY_CUBE_EDGES);
}

static void setup_mapped(const void *self, int32_t element, const int32_t *order, double *constants)
{
    (void)order;
    const LyIsotropic *solid = self;
    ly_mapped_setup_element(&solid->mapped, &solid->rest, element, constants);
}

static void fill_rule(int32_t n, LyCubeRule *rule)
{
    double root = n == 2 ? sqrt(1.0 / 3) : sqrt(0.6);
    double at[3] = {0.5 - root / 2, n == 2 ? 0.5 + root / 2 : 0.5, 0.5 + root / 2};
    double weight[3] = {n == 2 ? 0.5 : 5.0 / 18, n == 2 ? 0.5 : 4.0 / 9, 5.0 / 18};
    rule->n = n;
    for (int i = 0; i < n; ++i) {
        double N[2] = {1 - at[i], at[i]};
        rule->value[0][i] = N[0];
        rule->value[1][i] = N[1];
        rule->product[0][i] = N[0] * N[0];
        rule->product[1][i] = N[0] * N[1];
        rule->product[2][i] = N[1] * N[1];
    }
    for (int q = 0; q < n * n * n; ++q) {
        int index[3] = {q % n, q / n % n, q / n / n};
        rule->weight[q] = weight[index[0]] * weight[index[1]] * weight[index[2]];
        for (int a = 0; a < 8; ++a) {
            for (int i = 0; i < 3; ++i) {
                int j = (i + 1) % 3, k = (i + 2) % 3;
                rule->shape[q][a][i] = ly_cube_sign(a, i) *
                                       rule->value[ly_cube_bits[a] >> j & 1][index[j]] *
                                       rule->value[ly_cube_bits[a] >> k & 1][index[k]];
            }
        }
    }
}

// ---- creation -----------------------------------------------------------------------------------

void ly_isotropic_release(LyIsotropic *solid)
{
    ly_release(solid->ctx, solid->goals);
    ly_release(solid->ctx, solid->prony);
    ly_release(solid->ctx, solid->plasticity);
    ly_release(solid->ctx, solid->rest.positions);
}

static void destroy_solid(void *self)
{
    LyIsotropic *solid = self;
    if (solid) {
        ly_isotropic_release(solid);
        ly_release(solid->ctx, solid);
    }
}

const LyProny *ly_prony_of(const void *self)
{
    return ((const LyIsotropic *)self)->prony;
}

static bool is_stvk(const LyraElasticDef *def)
{
    return !def->law && def->model == LYRA_MATERIAL_STVK;
}

static bool is_mapped(const LyraElasticDef *def, LyraElementKind kind)
{
    return ly_mapped_kind(kind) || def->volumetric == LYRA_VOLUMETRIC_MEAN;
}

// the third derivatives of the other inversion modes jump at the threshold
static bool has_contraction(const LyraElasticDef *def, LyraElementKind kind)
{
    return is_stvk(def) && def->inversion == LYRA_INVERSION_NONE && !is_mapped(def, kind) &&
           !remembers(def) && def->volumetric == LYRA_VOLUMETRIC_STANDARD;
}

static LyElasticKernel *choose_kernel(const LyraElasticDef *def, LyraElementKind kind, LyraIsa isa)
{
    static LyElasticKernel *const tets[] = LY_KERNEL_TABLE(ly_tet_isotropic);
    static LyElasticKernel *const cubes[] = LY_KERNEL_TABLE(ly_cube_isotropic);
    static LyElasticKernel *const stvk[] = LY_KERNEL_TABLE(ly_tet_stvk);
    static LyElasticKernel *const neo_hookean[] = LY_KERNEL_TABLE(ly_tet_neo_hookean);
    static LyElasticKernel *const contracted[] = LY_KERNEL_TABLE(ly_tet_stvk_contracted);
    static LyElasticKernel *const contracted_cubes[] = LY_KERNEL_TABLE(ly_cube_stvk_contracted);
    static LyElasticKernel *const mapped[] = LY_KERNEL_TABLE(ly_mapped_isotropic);
    if (is_mapped(def, kind)) {
        return mapped[isa];
    }
    if (kind == LYRA_ELEMENT_CUBE8) {
        return has_contraction(def, kind) ? contracted_cubes[isa] : cubes[isa];
    }
    if (def->volumetric == LYRA_VOLUMETRIC_NODAL) {
        return tets[isa];
    }
    if (is_stvk(def) && !remembers(def)) {
        return has_contraction(def, kind) ? contracted[isa] : stvk[isa];
    }
    if (!def->law && !remembers(def) && def->model == LYRA_MATERIAL_NEO_HOOKEAN) {
        return neo_hookean[isa];
    }
    return tets[isa];
}

static LyraStatus add_plasticity(LyraContext *ctx, const LyraElasticDef *def, int32_t first,
                                 int32_t points, LyIsotropic *solid)
{
    Plastic plastic;
    int32_t count = list_plastic(def, &plastic);
    for (int32_t i = 0; i < count; ++i) {
        solid->parameter_names[first + i] = plastic.names[i];
        solid->parameter_kinds[first + i] = plastic.kinds[i];
    }
    return ly_plasticity_create(ctx, def->plasticity, points, first, &solid->plasticity);
}

static void init_goal(const void *self, int32_t element, const int32_t *order, double *history)
{
    (void)order;
    const LyIsotropic *solid = self;
    const double *strain = solid->goals + 6 * (int64_t)element;
    double square = 0;
    for (int k = 0; k < 6; ++k) {
        square += (k < 3 ? 1 : 2) * strain[k] * strain[k];
    }
    for (int32_t n = LY_FLOW_LOCKED; n < solid->type.history_count; n += LY_FLOW_COUNT) {
        history[n] = sqrt(square);
    }
}

static LyraStatus take_goal(const double given[6], int32_t element, double strain[6])
{
    for (int k = 0; k < 6; ++k) {
        if (!isfinite(given[k])) {
            return ly_fail(LYRA_NOT_FINITE, "plasticity: the goal of element %d has the strain %g",
                           element, given[k]);
        }
        strain[k] = given[k];
    }
    return LYRA_OK;
}

// the strain of the goal of each element, as parameters and for the history at first
static LyraStatus fill_goals(const LyraMeshView *mesh, const LyraElasticDef *def,
                             LyIsotropic *solid, double *parameters)
{
    int32_t count = solid->type.parameter_count;
    const double *given = def->plasticity->goal_strain;
    LY_TRY(ly_allocate_array(solid->ctx, 6 * (int64_t)mesh->element_count, sizeof *solid->goals,
                             &solid->goals));
    for (int32_t e = 0; e < mesh->element_count; ++e) {
        double *strain = solid->goals + 6 * (int64_t)e;
        LY_TRY(given ? take_goal(given + 6 * (int64_t)e, e, strain)
                     : ly_goal_strain(mesh, e, def->plasticity->goal, strain));
        memcpy(parameters + (int64_t)(e + 1) * count - 6, strain, 6 * sizeof *strain);
    }
    return LYRA_OK;
}

// the law, names and kinds of parameters, and what points remember
static LyraStatus open_solid(LyraContext *ctx, const LyraElasticDef *def,
                             const LyraMaterialType *law, int32_t points, LyIsotropic *solid)
{
    solid->ctx = ctx;
    solid->law = law;
    solid->law_user = def->law_user;
    // the logarithm of this law is extended already
    bool goes_on = !def->law && def->model == LYRA_MATERIAL_HENCKY;
    solid->inversion =
        goes_on && def->inversion == LYRA_INVERSION_EXTEND ? LYRA_INVERSION_NONE : def->inversion;
    solid->threshold = def->inversion_threshold;
    for (int32_t i = 0; i < law->parameter_count; ++i) {
        solid->parameter_names[i] = law->parameter_names[i];
        solid->parameter_kinds[i] =
            law->parameter_kinds ? law->parameter_kinds[i] : LYRA_PARAMETER_ANY;
    }
    solid->parameter_names[law->parameter_count] = "compression-resistance";
    solid->parameter_kinds[law->parameter_count] = LYRA_PARAMETER_NOT_NEGATIVE;
    if (def->plasticity) {
        LY_TRY(add_plasticity(ctx, def, law->parameter_count + 1, points, solid));
    }
    if (def->viscoelasticity) {
        LY_TRY(
            ly_prony_create(ctx, def->viscoelasticity, points, law, def->law_user, &solid->prony));
    }
    const LyPlasticity *plasticity = solid->plasticity;
    const LyProny *prony = solid->prony;
    bool branch = plasticity && plasticity->rule == LY_FLOW_BRANCH;
    bool late = plasticity && plasticity->rule == LY_FLOW_DEFORMATION;
    solid->type = (LyraForceType){
        .name = law->name,
        .traits = LYRA_FORCE_SYMMETRIC | LYRA_FORCE_TRANSLATION_INVARIANT | LYRA_FORCE_SOLID |
                  LYRA_FORCE_DISPLACEMENT |
                  (def->inversion == LYRA_INVERSION_CLAMP ? 0 : LYRA_FORCE_CONSERVATIVE) |
                  (remembers(def) ? LYRA_FORCE_HISTORY | LYRA_FORCE_LOSES : 0) |
                  (late ? LYRA_FORCE_LATE : 0) | (plasticity && !branch ? LYRA_FORCE_FLOWS : 0),
        .parameter_count =
            law->parameter_count + 1 + (plasticity ? plasticity->parameter_count : 0),
        .parameter_names = solid->parameter_names,
        .parameter_kinds = solid->parameter_kinds,
        .history_count = plasticity ? plasticity->history_count
                         : prony    ? prony->history_count
                                    : 0,
        .history_names = plasticity ? plasticity->history_names
                         : prony    ? prony->history_names
                                    : NULL,
        .history_units = plasticity ? plasticity->history_units
                         : prony    ? prony->history_units
                                    : NULL,
        .history_init = plasticity && plasticity->goal ? init_goal : NULL,
    };
    return LYRA_OK;
}

static LyraStatus make_solid(LyraContext *ctx, const LyraMesh *whole, const LyraMeshView *mesh,
                             const LyraElasticDef *def, const LyraMaterialType *law,
                             LyIsotropic **out)
{
    LyIsotropic *solid = NULL;
    LY_TRY(ly_allocate_zeroed(ctx, 1, sizeof *solid, &solid));
    bool cubes = mesh->kind == LYRA_ELEMENT_CUBE8, mapped = is_mapped(def, mesh->kind);
    if (mapped) {
        ly_mapped_rule(cubes ? LYRA_ELEMENT_HEX8 : mesh->kind, &solid->mapped);
    }
    int32_t points = mapped ? solid->mapped.points : cubes ? 8 : 1;
    LyraStatus status = LYRA_OK;
    LY_TRY_DONE(open_solid(ctx, def, law, points, solid));
    LyraForceType *type = &solid->type;
    type->nodes = lyra_element_kind_nodes(mesh->kind);
    type->traits |= (cubes || mapped ? 0 : LYRA_FORCE_REORDERABLE) |
                    (has_contraction(def, mesh->kind) ? LYRA_FORCE_CONTRACTION : 0);
    type->constant_count = cubes ? LY_CUBE_CONSTANTS : LY_TET_CONSTANTS;
    type->scratch_bytes = cubes            ? LY_CUBE_SCRATCH
                          : remembers(def) ? LY_POSITIVE_SCRATCH(4, true)
                                           : 0;
    type->setup = cubes ? setup_cube : setup_tet;
    type->evaluate = choose_kernel(def, mesh->kind, lyra_context_isa(ctx));
    type->destroy = destroy_solid;
    if (mapped) {
        solid->mean = def->volumetric == LYRA_VOLUMETRIC_MEAN;
        solid->type.constant_count = solid->mapped.points * LY_MAPPED_POINT;
        solid->type.scratch_bytes = ly_mapped_scratch(&solid->mapped);
        solid->type.setup = setup_mapped;
    }
    if (cubes) {
        // three points along an edge integrate the fourth powers of StVK exactly
        fill_rule(is_stvk(def) && !remembers(def) ? 3 : 2, &solid->rule);
    }
    LY_TRY_DONE(ly_rest_create(ctx, whole, &solid->rest));
    solid->type.traits |= mesh->kind == LYRA_ELEMENT_TET4 ? LY_FORCE_REST_TET : 0u;
    solid->type.traits |= def->volumetric == LYRA_VOLUMETRIC_NODAL ? LY_FORCE_NODAL : 0u;
    solid->type.traits |= solid->prony ? LY_FORCE_RELAXES : 0u;
    *out = solid;
done:
    if (status != LYRA_OK) {
        destroy_solid(solid);
    }
    return status;
}

LyraStatus ly_isotropic_create(LyraContext *ctx, const LyraMesh *mesh, const LyraElasticDef *def,
                               LyraForce **out)
{
    const LyraMaterialType *law =
        def->law ? def->law : lyra_material_type(def->model, lyra_context_isa(ctx));
    LyraMeshView view = lyra_mesh_view(mesh);
    LY_TRY(check_def(def, law));
    LY_TRY(check_volumetric(def, view.kind));
    double *parameters = NULL;
    LyIsotropic *solid = NULL;
    LyraStatus status = LYRA_OK;
    LY_TRY_DONE(ly_allocate_array(ctx, (int64_t)view.element_count * count_parameters(def, law),
                                  sizeof *parameters, &parameters));
    LY_TRY_DONE(fill_parameters(ctx, def, law, &view, parameters));
    LY_TRY_DONE(make_solid(ctx, mesh, &view, def, law, &solid));
    if (solid->plasticity && solid->plasticity->goal) {
        LY_TRY_DONE(fill_goals(&view, def, solid, parameters));
    }
    LY_TRY_DONE(
        ly_force_create_on_mesh(ctx, mesh, &solid->type, solid, &solid->rest, parameters, out));
    solid = NULL; // the force's now
done:
    destroy_solid(solid);
    ly_release(ctx, parameters);
    return status;
}

// ---- points without a mesh ----------------------------------------------------------------------

LyraStatus ly_isotropic_open(LyraContext *ctx, const LyraElasticDef *def, LyIsotropic *solid)
{
    const LyraMaterialType *law =
        def->law ? def->law : lyra_material_type(def->model, lyra_context_isa(ctx));
    LY_TRY(check_def(def, law));
    if (def->plasticity && (def->plasticity->goal || def->plasticity->goal_strain)) {
        return ly_fail(LYRA_UNSUPPORTED, "elastic: a goal shape is for solids of a mesh");
    }
    return open_solid(ctx, def, law, 1, solid);
}

LyraStatus ly_isotropic_numbers(const LyraElasticDef *def, const LyIsotropic *solid,
                                double *parameters)
{
    Given given;
    LY_TRY(read_constants(def, solid->law, &given));
    LY_TRY(make_parameters(def, solid->law, &given, NULL, parameters));
    if (def->plasticity) {
        Plastic values;
        int32_t more = list_plastic(def, &values);
        memcpy(parameters + solid->law->parameter_count + 1, values.values,
               (size_t)more * sizeof *parameters);
    }
    return LYRA_OK;
}

LyraStatus ly_isotropic_moduli(const LyIsotropic *solid, const double *parameters, double *young,
                               double *poisson)
{
    double W_11, W_12;
    slopes_at_rest(solid->law, solid->law_user, parameters, &W_11, &W_12);
    // lambda + 2 mu and lambda
    double mu = 0.5 * (W_11 - W_12), nu = W_12 / (W_11 + W_12);
    if (!(mu > 0 && nu > -1 && nu < 0.5)) {
        return ly_fail(LYRA_INVALID_ARGUMENT,
                       "law %s has E = %g Pa and nu = %g at rest, expected E > 0 and nu between -1 "
                       "and 0.5",
                       solid->law->name, 2 * mu * (1 + nu), nu);
    }
    *young = 2 * mu * (1 + nu);
    *poisson = nu;
    return LYRA_OK;
}

// a force under a name of its own, beside the one that is the solid
static LyraStatus create_beside(LyraContext *ctx, const LyraMesh *mesh, const LyraElasticDef *def,
                                const char *name, LyraForce **out)
{
    LyraForce *force = NULL;
    LY_TRY(ly_isotropic_create(ctx, mesh, def, &force));
    LyIsotropic *solid = force->self;
    snprintf(solid->name, sizeof solid->name, "%s", name);
    solid->type.name = solid->name;
    solid->type.traits &= ~(uint32_t)LYRA_FORCE_SOLID;
    LyraStatus status = lyra_force_set_owner(force, -1, solid->name);
    if (status != LYRA_OK) {
        lyra_force_destroy(force);
        return status;
    }
    *out = force;
    return LYRA_OK;
}

LyraStatus ly_branch_create(LyraContext *ctx, const LyraMesh *mesh, int32_t number, double mu,
                            double time, LyraForce **out)
{
    const LyraElasticConstant constants[] = {{"lambda", -2 * mu / 3}, {"mu", mu}};
    LyraPlasticityDef plasticity = lyra_plasticity_def_default();
    LyraElasticDef def = lyra_elastic_def_default();
    plasticity.yield = LY_YIELD_BRANCH;
    plasticity.viscosity = time;
    def.model = LYRA_MATERIAL_HENCKY;
    def.constants = constants;
    def.constant_count = 2;
    def.plasticity = &plasticity;
    char name[48];
    snprintf(name, sizeof name, "maxwell-%d", (int)number);
    return create_beside(ctx, mesh, &def, name, out);
}

LyraStatus ly_corotated_series_create(LyraContext *ctx, const LyraMesh *mesh, double young,
                                      double poisson, const LyraViscoelasticityDef *series,
                                      LyraForce **out)
{
    LyraElasticDef def = lyra_elastic_def_default();
    def.model = LYRA_MATERIAL_HENCKY; // for its parameters: lambda and mu
    def.young = young;
    def.poisson = poisson;
    def.viscoelasticity = series;
    LyraForce *force = NULL;
    LY_TRY(create_beside(ctx, mesh, &def, "prony", &force));
    LyIsotropic *solid = force->self;
    solid->prony->corotated = true;
    *out = force;
    return LYRA_OK;
}

// whether the energy of a law is the sum of those of its coefficients alone
static bool is_linear(const LyraMaterialType *law, const void *user, const double *values)
{
    enum { WIDTH = LYRA_MATERIAL_WIDTH };
    // invariants of the stretches 1.2, 0.9, 1, and these
    static const double invariants[3] = {3.25, 3.7297, 1.08}, stretches[3] = {1.2, 1, 0.9};
    double arguments[3 * WIDTH] __attribute__((aligned(64)));
    double p[LYRA_MATERIAL_PARAMETERS_MAX * WIDTH] __attribute__((aligned(64)));
    double energy[WIDTH] __attribute__((aligned(64))), sum = 0, size = 0;
    bool by_invariants = law->arguments == LYRA_MATERIAL_INVARIANTS;
    for (int i = 0; i < 3 * WIDTH; ++i) {
        arguments[i] = by_invariants ? invariants[i / WIDTH] : stretches[i / WIDTH];
    }
    const LyraMaterialBatch batch = {.arguments = arguments, .parameters = p, .energy = energy};
    for (int32_t c = 0; c <= law->parameter_count; ++c) {
        for (int32_t i = 0; i < law->parameter_count * WIDTH; ++i) {
            bool has = c == law->parameter_count || i / WIDTH == c;
            p[i] = has ? values[i / WIDTH] : 0;
        }
        law->evaluate(user, &batch);
        sum += c == law->parameter_count ? -energy[0] : energy[0];
        size += fabs(energy[0]);
    }
    return fabs(sum) <= 1e-12 * size;
}

LyraStatus ly_coefficient_series_create(LyraContext *ctx, const LyraMesh *mesh,
                                        const LyraElasticDef *def, int32_t number, LyraForce **out)
{
    const LyraCoefficientSeries *series = &def->viscoelasticity->coefficients[number];
    const LyraMaterialType *law =
        def->law ? def->law : lyra_material_type(def->model, lyra_context_isa(ctx));
    LyraRelaxationBranch branches[LYRA_RELAXATION_BRANCHES_MAX];
    LyraViscoelasticityDef own = lyra_viscoelasticity_def_default();
    LyraElasticDef one = *def;
    LyraForce *force = NULL;
    char list[256] = "", name[48];
    int32_t c = 0;
    for (; c < law->parameter_count && strcmp(law->parameter_names[c], series->coefficient) != 0;
         ++c) {
        ly_list_name(sizeof list, list, law->parameter_names[c]);
    }
    if (c == law->parameter_count) {
        return ly_fail(LYRA_INVALID_ARGUMENT,
                       "viscoelasticity: law %s has no coefficient \"%s\", expected one of: %s",
                       law->name, series->coefficient, list);
    }
    for (int32_t i = 0; i < series->branch_count; ++i) {
        branches[i] = series->branches[i];
        branches[i].bulk = branches[i].shear;
    }
    own.branches = branches;
    own.branch_count = series->branch_count;
    one.viscoelasticity = &own;
    one.compression_resistance = 0;
    snprintf(name, sizeof name, "prony-%s", series->coefficient);
    LY_TRY(create_beside(ctx, mesh, &one, name, &force));
    LyIsotropic *solid = force->self;
    solid->prony->alone = true;
    int32_t count = solid->type.parameter_count;
    if (force->stencil_count > 0 && !is_linear(law, def->law_user, force->parameters)) {
        lyra_force_destroy(force);
        return ly_fail(LYRA_UNSUPPORTED,
                       "viscoelasticity: law %s is not linear in its coefficients, expected series "
                       "in shear and bulk",
                       law->name);
    }
    for (int64_t i = 0; i < (int64_t)force->stencil_count * count; ++i) {
        force->parameters[i] = i % count == c ? force->parameters[i] : 0;
    }
    *out = force;
    return LYRA_OK;
}
