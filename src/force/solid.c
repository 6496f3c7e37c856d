// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Models by name: a table from names to the functions that make their forces.

#include "force/solid.h"

#include "base/base.h"
#include "base/registry.h"
#include "force/elastic.h"
#include "force/isotropic.h"
#include "lyra/corotational.h"
#include "lyra/fibre.h"
#include "lyra/springs.h"

#include <string.h>

#define FORCES_MAX (2 + LYRA_RELAXATION_BRANCHES_MAX + LYRA_COEFFICIENT_SERIES_MAX)

struct LyraSolid {
    LyraContext *ctx;
    int32_t force_count;
    LyraForce *forces[FORCES_MAX];
};

// adds the forces of one model to a solid
typedef LyraStatus Maker(LyraSolid *solid, const LyraMesh *mesh, const LyraSolidDef *def);

// place for the next force; count it with keep() once it stands
static LyraForce **next(LyraSolid *solid)
{
    return &solid->forces[solid->force_count];
}

static LyraStatus keep(LyraSolid *solid, LyraStatus status)
{
    solid->force_count += status == LYRA_OK;
    return status;
}

// ---- makers -------------------------------------------------------------------------------------

static bool is_maxwell(const LyraSolidDef *def)
{
    return def->viscoelasticity && def->viscoelasticity->model == LYRA_RELAXATION_MAXWELL;
}

static bool has_series(const LyraSolidDef *def)
{
    return def->viscoelasticity && !is_maxwell(def);
}

LyraStatus ly_solid_elastic(const LyraContext *ctx, const LyraSolidDef *def, LyraElasticDef *out)
{
    LyraElasticDef elastic = lyra_elastic_def_default();
    const LyRegistered *own = ly_registry_find(ctx, LY_REGISTRY_LAW, def->model);
    if (own) {
        elastic.law = own->type;
        elastic.law_user = own->user;
    } else {
        LY_TRY(lyra_material_law_find(def->model, &elastic.model));
    }
    elastic.inversion = def->inversion;
    elastic.volumetric = def->volumetric;
    elastic.inversion_threshold = def->inversion_threshold;
    elastic.compression_resistance = def->compression_resistance;
    elastic.young = def->young;
    elastic.poisson = def->poisson;
    elastic.constants = def->constants;
    elastic.constant_count = def->constant_count;
    elastic.plasticity = def->plasticity;
    elastic.viscoelasticity = def->viscoelasticity;
    *out = elastic;
    return LYRA_OK;
}

static LyraStatus make_elastic(LyraSolid *solid, const LyraMesh *mesh, const LyraSolidDef *def)
{
    LyraElasticDef elastic;
    LY_TRY(ly_solid_elastic(solid->ctx, def, &elastic));
    bool beside = has_series(def) && def->viscoelasticity->coefficient_count > 0;
    elastic.viscoelasticity = is_maxwell(def) || beside ? NULL : def->viscoelasticity;
    LY_TRY(keep(solid, lyra_elastic_create(solid->ctx, mesh, &elastic, next(solid))));
    elastic.viscoelasticity = def->viscoelasticity;
    for (int32_t c = 0; beside && c < def->viscoelasticity->coefficient_count; ++c) {
        LY_TRY(
            keep(solid, ly_coefficient_series_create(solid->ctx, mesh, &elastic, c, next(solid))));
    }
    return LYRA_OK;
}

// a parameter by name and where it goes
typedef struct Parameter {
    const char *name;
    double *value;
} Parameter;

// the constants of `def` into parameters that are not those of an isotropic law
static LyraStatus read_constants(const LyraSolidDef *def, int32_t count,
                                 const Parameter *parameters)
{
    for (int32_t c = 0; c < def->constant_count; ++c) {
        const LyraElasticConstant *constant = &def->constants[c];
        char list[256] = "";
        int32_t p = 0;
        for (; p < count && strcmp(constant->name, parameters[p].name) != 0; ++p) {
            ly_list_name(sizeof list, list, parameters[p].name);
        }
        if (p == count) {
            return ly_fail(LYRA_INVALID_ARGUMENT, "model %s has no parameter \"%s\", %s%s",
                           def->model, constant->name, count ? "expected one of: " : "nor any",
                           list);
        }
        *parameters[p].value = constant->value;
    }
    return LYRA_OK;
}

static LyraStatus make_corotational(LyraSolid *solid, const LyraMesh *mesh, const LyraSolidDef *def)
{
    LY_TRY(read_constants(def, 0, NULL));
    LyraCorotationalDef corotational = lyra_corotational_def_default();
    for (int m = 0; m < LYRA_COROTATIONAL_MODEL_COUNT; ++m) {
        if (strcmp(def->model, lyra_corotational_model_name((LyraCorotationalModel)m)) == 0) {
            corotational.model = (LyraCorotationalModel)m;
        }
    }
    corotational.cube_frame = def->vega ? LYRA_CUBE_FRAME_VEGA : LYRA_CUBE_FRAME_CENTRE;
    corotational.young = def->young;
    corotational.poisson = def->poisson;
    LY_TRY(keep(solid, lyra_corotational_create(solid->ctx, mesh, &corotational, next(solid))));
    return has_series(def)
               ? keep(solid, ly_corotated_series_create(solid->ctx, mesh, def->young, def->poisson,
                                                        def->viscoelasticity, next(solid)))
               : LYRA_OK;
}

// constants of the springs from the moduli of the tets; the caller releases `stiffness`
static LyraStatus find_stiffness(LyraContext *ctx, const LyraMesh *mesh, const LyraSprings *springs,
                                 double young, double **stiffness)
{
    LyraMeshView view = lyra_mesh_view(mesh);
    double *youngs = NULL, *found = NULL;
    LyraStatus status = LYRA_OK;
    if (view.kind != LYRA_ELEMENT_TET4) {
        return ly_fail(LYRA_UNSUPPORTED,
                       "mass-spring: springs of %s elements need a stiffness, N/m; a "
                       "modulus gives that of tets only",
                       lyra_element_kind_name(view.kind));
    }
    if (young != 0) {
        LY_TRY_DONE(ly_allocate_array(ctx, view.element_count, sizeof *youngs, &youngs));
        for (int32_t e = 0; e < view.element_count; ++e) {
            youngs[e] = young;
        }
    }
    LY_TRY_DONE(
        ly_allocate_array(ctx, lyra_springs_view(springs).spring_count, sizeof *found, &found));
    LY_TRY_DONE(lyra_springs_modulus_stiffness(springs, mesh, youngs, found));
    *stiffness = found;
    found = NULL;
done:
    ly_release(ctx, found);
    ly_release(ctx, youngs);
    return status;
}

static LyraStatus make_springs(LyraSolid *solid, const LyraMesh *mesh, const LyraSolidDef *def)
{
    double given = def->stiffness, damping = def->damping;
    const Parameter parameters[] = {{"stiffness", &given}, {"damping", &damping}};
    LY_TRY(read_constants(def, LY_COUNT_OF(parameters), parameters));
    LY_TRY(ly_rest_check(mesh));
    LyraContext *ctx = solid->ctx;
    LyraSprings *springs = NULL;
    double *stiffness = NULL;
    LyraStatus status = LYRA_OK;
    LY_TRY_DONE(lyra_springs_create_from_mesh(ctx, mesh, &springs));
    if (given == 0) {
        LY_TRY_DONE(find_stiffness(ctx, mesh, springs, def->young, &stiffness));
    }
    LyraMassSpringDef spring = lyra_mass_spring_def_default();
    spring.stiffness = given;
    spring.spring_stiffness = stiffness;
    spring.damping = damping;
    spring.damping_kind = damping != 0 ? LYRA_SPRING_DAMPING_FULL : LYRA_SPRING_UNDAMPED;
    LY_TRY_DONE(keep(solid, lyra_mass_spring_create(ctx, springs, &spring, next(solid))));
done:
    ly_release(ctx, stiffness);
    lyra_springs_destroy(springs);
    return status;
}

// fibres in a neo-Hookean matrix
static LyraStatus make_fibre(LyraSolid *solid, const LyraMesh *mesh, const LyraSolidDef *def)
{
    LyraSolidDef matrix = *def;
    matrix.model = "neo-hookean";
    matrix.constant_count = 0;
    LY_TRY(make_elastic(solid, mesh, &matrix));
    LyraFibreDef fibre = lyra_fibre_def_default();
    const Parameter parameters[] = {
        {"fibre-stiffness", &fibre.stiffness},
        {"fibre-exponent", &fibre.exponent},
        {"active-stress", &fibre.active_stress},
        {"activation", &fibre.activation},
    };
    LY_TRY(read_constants(def, LY_COUNT_OF(parameters), parameters));
    int32_t elements = lyra_mesh_view(mesh).element_count;
    double *along_x = NULL;
    if (!def->directions) {
        LY_TRY(ly_allocate_zeroed(solid->ctx, 3 * (int64_t)elements, sizeof *along_x, &along_x));
        for (int32_t e = 0; e < elements; ++e) {
            along_x[3 * (int64_t)e] = 1;
        }
    }
    fibre.directions = def->directions ? def->directions : along_x;
    LyraStatus status = keep(solid, lyra_fibre_create(solid->ctx, mesh, &fibre, next(solid)));
    ly_release(solid->ctx, along_x);
    return status;
}

// ---- the list -----------------------------------------------------------------------------------

// models beside the material laws, each of which is a model too and stands between the two parts
static const struct {
    const char *name;
    Maker *make;
} before[] =
    {
        {"linear", make_corotational},
        {"corotational", make_corotational},
        {"corotational-exact", make_corotational},
},
  after[] = {
      {"fibre", make_fibre},
      {"mass-spring", make_springs},
};

enum { LAWS_END = LY_COUNT_OF(before) + LYRA_MATERIAL_LAW_COUNT };

static const char *find_model(int32_t index, Maker **make)
{
    if (index < 0 || index >= LAWS_END + LY_COUNT_OF(after)) {
        return NULL;
    }
    if (index < LY_COUNT_OF(before)) {
        *make = before[index].make;
        return before[index].name;
    }
    if (index >= LAWS_END) {
        *make = after[index - LAWS_END].make;
        return after[index - LAWS_END].name;
    }
    *make = make_elastic;
    return lyra_material_law_name((LyraMaterialLaw)(index - LY_COUNT_OF(before)));
}

const char *lyra_solid_model(int32_t index)
{
    Maker *make = NULL;
    return find_model(index, &make);
}

const char *ly_solid_choice(const LyraContext *ctx, int32_t index)
{
    const int32_t count = LAWS_END + LY_COUNT_OF(after);
    return index < count ? lyra_solid_model(index)
                         : ly_registry_name(ctx, LY_REGISTRY_LAW, index - count);
}

bool ly_model_has_moduli(const LyraContext *ctx, const char *model)
{
    const LyRegistered *own = ly_registry_find(ctx, LY_REGISTRY_LAW, model);
    return !own || ((const LyraMaterialType *)own->type)->from_enu;
}

// fails where a model can't flow or relax and shall
static LyraStatus check_plasticity(const LyraSolidDef *def, Maker *make)
{
    // one coefficient alone has no frame
    bool rotates = make == make_corotational && strcmp(def->model, "linear") != 0 &&
                   def->viscoelasticity && def->viscoelasticity->coefficient_count == 0;
    if ((!def->plasticity && !has_series(def)) || make == make_elastic ||
        (!def->plasticity && rotates)) {
        return LYRA_OK;
    }
    char list[512] = "";
    for (int32_t m = 1; !def->plasticity && m < LYRA_COROTATIONAL_MODEL_COUNT; ++m) {
        ly_list_name(sizeof list, list, lyra_corotational_model_name((LyraCorotationalModel)m));
    }
    for (int32_t m = 0; m < LYRA_MATERIAL_LAW_COUNT; ++m) {
        ly_list_name(sizeof list, list, lyra_material_law_name((LyraMaterialLaw)m));
    }
    return ly_fail(LYRA_UNSUPPORTED, "model %s has no %s; those that have: %s", def->model,
                   def->plasticity ? "plasticity" : "Prony series", list);
}

// fails where a model has no other way to see volumes and shall
static LyraStatus check_volumetric(const LyraSolidDef *def, Maker *make)
{
    if (def->volumetric == LYRA_VOLUMETRIC_STANDARD || make == make_elastic || make == make_fibre) {
        return LYRA_OK;
    }
    return ly_fail(LYRA_UNSUPPORTED,
                   "model %s has no volumetric %s; isotropic laws have, as neo-hookean", def->model,
                   lyra_volumetric_name(def->volumetric));
}

static LyraStatus find_maker(const LyraContext *ctx, const char *name, Maker **make)
{
    char list[512] = "";
    const char *known = NULL;
    for (int32_t m = 0; (known = find_model(m, make)) != NULL; ++m) {
        if (strcmp(name, known) == 0) {
            return LYRA_OK;
        }
        ly_list_name(sizeof list, list, known);
    }
    if (ly_registry_find(ctx, LY_REGISTRY_LAW, name)) {
        *make = make_elastic;
        return LYRA_OK;
    }
    ly_registry_list(ctx, LY_REGISTRY_LAW, sizeof list, list);
    return ly_fail(LYRA_INVALID_ARGUMENT, "no model \"%s\", expected one of: %s", name, list);
}

LyraSolidDef lyra_solid_def_default(void)
{
    LyraElasticDef elastic = lyra_elastic_def_default();
    return (LyraSolidDef){
        .model = lyra_material_law_name(elastic.model),
        .poisson = elastic.poisson,
        .inversion = elastic.inversion,
        .inversion_threshold = elastic.inversion_threshold,
        .cookie = LY_DEF_COOKIE,
    };
}

// the branches of Maxwell's beside the law
static LyraStatus add_branches(LyraSolid *solid, const LyraMesh *mesh, const LyraSolidDef *def)
{
    const LyraViscoelasticityDef *v = def->viscoelasticity;
    for (int32_t i = 0; i < v->branch_count; ++i) {
        LY_TRY(keep(solid, ly_branch_create(solid->ctx, mesh, i + 1, v->branches[i].shear,
                                            v->branches[i].time, next(solid))));
    }
    return LYRA_OK;
}

LyraStatus lyra_solid_create(LyraContext *ctx, const LyraMesh *mesh, const LyraSolidDef *def,
                             LyraSolid **out)
{
    LY_CHECK_DEF(def, "lyra_solid_def_default");
    if (def->constant_count < 0 || (def->constant_count > 0 && !def->constants)) {
        return ly_fail(LYRA_INVALID_ARGUMENT, "solid: %d constants without a list",
                       def->constant_count);
    }
    Maker *make = NULL;
    LY_TRY(find_maker(ctx, def->model, &make));
    LY_TRY(check_plasticity(def, make));
    LY_TRY(check_volumetric(def, make));
    if (def->viscoelasticity) {
        LY_TRY(ly_viscoelasticity_check(def->viscoelasticity));
    }
    LyraSolid *solid = NULL;
    LY_TRY(ly_allocate_zeroed(ctx, 1, sizeof *solid, &solid));
    solid->ctx = ctx;
    LyraStatus status = make(solid, mesh, def);
    if (status == LYRA_OK && is_maxwell(def)) {
        status = add_branches(solid, mesh, def);
    }
    if (status != LYRA_OK) {
        lyra_solid_destroy(solid);
        return status;
    }
    *out = solid;
    return LYRA_OK;
}

void lyra_solid_destroy(LyraSolid *solid)
{
    if (!solid) {
        return;
    }
    for (int32_t f = 0; f < solid->force_count; ++f) {
        lyra_force_destroy(solid->forces[f]);
    }
    ly_release(solid->ctx, solid);
}

LyraForce *const *lyra_solid_forces(const LyraSolid *solid, int32_t *count)
{
    *count = solid->force_count;
    return solid->forces;
}

bool lyra_solid_is_conservative(const LyraSolid *solid)
{
    bool conservative = true;
    for (int32_t f = 0; f < solid->force_count; ++f) {
        conservative &= (lyra_force_type(solid->forces[f])->traits & LYRA_FORCE_CONSERVATIVE) != 0;
    }
    return conservative;
}
