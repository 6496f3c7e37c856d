// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// What solids remember, from what scenes say of it: series that relax, goals of plastic flow, and
// parameters by region.
//
// Series. A law holds what is left when all has relaxed. A term has the modulus beta_i times that;
// where its share g_i of the modulus at once is given, beta_i = g_i/(1 - sum g). Terms of Lame's
// coefficients become terms of the shear modulus mu and of K = lambda + 2 mu/3: lambda's count
// lambda/K = 3 nu/(1 + nu) in K, mu's count (2 mu/3)/K = (1 - 2 nu)/(1 + nu) there.

#include "base/file.h"
#include "base/registry.h"
#include "force/force.h"
#include "lyra/matrix_file.h"
#include "lyra/mesh_ops.h"
#include "lyra/viscoelasticity.h"
#include "world/start.h"
#include "world/world.h"

#include <math.h>
#include <string.h>

// ---- series -------------------------------------------------------------------------------------

typedef struct Series {
    LyraRelaxation model;
    LyraRelaxationBranch branches[LYRA_RELAXATION_BRANCHES_MAX];
    int32_t count;
} Series;

// the branch of a time; NULL where there is no room for it
static LyraRelaxationBranch *find_branch(Series *series, double time)
{
    int32_t b = 0;
    while (b < series->count && series->branches[b].time != time) {
        ++b;
    }
    if (b == series->count && b < LYRA_RELAXATION_BRANCHES_MAX) {
        series->branches[series->count++] = (LyraRelaxationBranch){.time = time};
    }
    return b < LYRA_RELAXATION_BRANCHES_MAX ? &series->branches[b] : NULL;
}

static LyraStatus check_term(const LyraViscosityTerm *term, LyraRelaxation model, bool instant)
{
    int given = !isnan(term->share) + !isnan(term->instant_share) + !isnan(term->modulus);
    bool maxwell = model == LYRA_RELAXATION_MAXWELL;
    double value = maxwell ? term->modulus : instant ? term->instant_share : term->share;
    if (!(term->time > 0)) {
        return ly_fail_key(LYRA_BAD_FORMAT, "time", "found %g, expected a time above 0",
                           term->time);
    }
    if (given == 1 && !isnan(value)) {
        return LYRA_OK;
    }
    return ly_fail(LYRA_BAD_FORMAT, "found %s, expected %s",
                   given > 1    ? "several moduli of one term"
                   : given == 0 ? "no modulus of a term"
                                : "a modulus of another kind",
                   maxwell ? "modulus" : "share, or instant-share in all terms of the series");
}

// sum of the shares at once, below 1
static LyraStatus sum_instant(const LyraViscosityTerm *terms, int32_t count, double *sum)
{
    *sum = 0;
    for (int32_t i = 0; i < count; ++i) {
        *sum += terms[i].instant_share;
    }
    return *sum < 1 ? LYRA_OK
                    : ly_fail(LYRA_BAD_FORMAT,
                              "found instant shares of %g together, expected less than 1", *sum);
}

// adds terms, of which `shear` and `bulk` times the modulus count in mu and K
static LyraStatus add_terms(Series *series, const char *key, const LyraViscosityTerm *terms,
                            int32_t count, const double weights[2])
{
    bool instant = count > 0 && !isnan(terms[0].instant_share);
    double sum = 0;
    for (int32_t i = 0; i < count; ++i) {
        LY_TRY(ly_within_item(check_term(&terms[i], series->model, instant), key, i));
    }
    if (instant) {
        LY_TRY(ly_within_key(sum_instant(terms, count, &sum), key));
    }
    for (int32_t i = 0; i < count; ++i) {
        LyraRelaxationBranch *branch = find_branch(series, terms[i].time);
        double modulus = series->model == LYRA_RELAXATION_MAXWELL ? terms[i].modulus
                         : instant ? terms[i].instant_share / (1 - sum)
                                   : terms[i].share;
        if (!branch) {
            return ly_fail_key(LYRA_BAD_FORMAT, key, "found more than %d times, expected fewer",
                               LYRA_RELAXATION_BRANCHES_MAX);
        }
        branch->shear += weights[0] * modulus;
        branch->bulk += weights[1] * modulus;
    }
    return LYRA_OK;
}

// Poisson's ratio of all elements
static LyraStatus find_poisson(const LyraMesh *mesh, double *poisson)
{
    LyraMeshView view = lyra_mesh_view(mesh);
    *poisson = NAN;
    for (int32_t e = 0; e < view.element_count; ++e) {
        const LyraMeshMaterial *m = &view.materials[view.element_materials[e]];
        bool has = m->kind == LYRA_MESH_MATERIAL_ENU;
        if (!has || (e > 0 && m->enu.poisson != *poisson)) {
            return ly_fail(LYRA_BAD_FORMAT,
                           "found terms of Lame's coefficients in a body %s, expected shear and "
                           "bulk",
                           has ? "of several Poisson's ratios" : "without Poisson's ratio");
        }
        *poisson = m->enu.poisson;
    }
    return LYRA_OK;
}

static LyraStatus add_lame_terms(Series *series, const LyraMesh *mesh, const LyraBodyViscosity *v)
{
    double nu;
    if (!mesh) {
        return ly_fail_key(LYRA_UNSUPPORTED, v->lambda_count > 0 ? "lambda-terms" : "mu-terms",
                           "found series of Lame's coefficients of a shell, expected shear and "
                           "bulk");
    }
    LY_TRY(find_poisson(mesh, &nu));
    if (nu < 0 && v->lambda_count > 0) {
        return ly_fail_key(LYRA_BAD_FORMAT, "lambda-terms",
                           "found terms of a lambda below 0, expected shear and bulk");
    }
    const double of_lambda[2] = {0, 3 * nu / (1 + nu)}, of_mu[2] = {1, (1 - 2 * nu) / (1 + nu)};
    LY_TRY(add_terms(series, "lambda-terms", v->lambda_terms, v->lambda_count, of_lambda));
    return add_terms(series, "mu-terms", v->mu_terms, v->mu_count, of_mu);
}

// a definition on the arena
static LyraStatus keep_series(LyraWorld *world, const LyraRelaxationBranch *branches, int32_t count,
                              LyraRelaxation model, const LyraViscoelasticityDef **out)
{
    LyraViscoelasticityDef *def = NULL;
    LyraRelaxationBranch *copy = NULL;
    LY_TRY(ly_arena_allocate(world->arena, 1, sizeof *def, &def));
    LY_TRY(ly_arena_allocate(world->arena, count, sizeof *copy, &copy));
    if (count > 0) {
        memcpy(copy, branches, (size_t)count * sizeof *copy);
    }
    *def = lyra_viscoelasticity_def_default();
    def->model = model;
    def->branches = copy;
    def->branch_count = count;
    *out = def;
    return LYRA_OK;
}

// series of coefficients on the arena, one for each name
static LyraStatus read_coefficients(LyraWorld *world, const LyraBodyViscosity *v,
                                    const LyraViscoelasticityDef **out)
{
    const int32_t most = LYRA_COEFFICIENT_SERIES_MAX;
    LyraCoefficientSeries *series = NULL;
    LyraViscoelasticityDef *def = NULL;
    int32_t count = 0;
    LY_TRY(ly_arena_allocate(world->arena, 1, sizeof *def, &def));
    LY_TRY(ly_arena_allocate(world->arena, most, sizeof *series, &series));
    for (int32_t i = 0; i < v->coefficient_count; ++i) {
        const LyraViscosityTerm *term = &v->coefficients[i];
        LyraRelaxationBranch *branches = NULL;
        int32_t c = 0;
        while (c < count && strcmp(series[c].coefficient, term->coefficient) != 0) {
            ++c;
        }
        if (c == most) {
            return ly_fail_key(LYRA_BAD_FORMAT, "coefficients",
                               "found more than %d coefficients, expected fewer", most);
        }
        if (c == count) {
            LY_TRY(ly_arena_allocate(world->arena, LYRA_RELAXATION_BRANCHES_MAX, sizeof *branches,
                                     &branches));
            series[count++] = (LyraCoefficientSeries){term->coefficient, branches, 0};
        }
        if (series[c].branch_count == LYRA_RELAXATION_BRANCHES_MAX) {
            return ly_fail_key(LYRA_BAD_FORMAT, "coefficients",
                               "found more than %d terms of %s, expected fewer",
                               LYRA_RELAXATION_BRANCHES_MAX, term->coefficient);
        }
        branches = (LyraRelaxationBranch *)series[c].branches;
        branches[series[c].branch_count++] =
            (LyraRelaxationBranch){.time = term->time, .shear = term->share};
    }
    *def = lyra_viscoelasticity_def_default();
    def->coefficients = series;
    def->coefficient_count = count;
    *out = def;
    return LYRA_OK;
}

static LyraStatus read_series(LyraWorld *world, const LyraMesh *mesh, const LyraBodyViscosity *v,
                              const LyraViscoelasticityDef **out)
{
    bool maxwell = v->model == LYRA_VISCOUS_MAXWELL;
    const double of_shear[2] = {1, 0}, of_bulk[2] = {0, 1};
    Series series = {.model = maxwell ? LYRA_RELAXATION_MAXWELL : LYRA_RELAXATION_PRONY};
    bool lame = v->lambda_count > 0 || v->mu_count > 0;
    if (v->coefficient_count > 0) {
        return lame || v->shear_count > 0 || v->bulk_count > 0
                   ? ly_fail_key(LYRA_BAD_FORMAT, "coefficients",
                                 "found it beside other terms, expected one of the two kinds")
                   : read_coefficients(world, v, out);
    }
    if (lame && (v->shear_count > 0 || v->bulk_count > 0)) {
        return ly_fail(LYRA_BAD_FORMAT, "found terms of Lame's coefficients beside shear or bulk, "
                                        "expected one of the two kinds");
    }
    if (lame && !maxwell) {
        LY_TRY(add_lame_terms(&series, mesh, v));
    } else {
        LY_TRY(add_terms(&series, "shear", v->shear, v->shear_count, of_shear));
    }
    if (!maxwell) {
        LY_TRY(add_terms(&series, "bulk", v->bulk, v->bulk_count, of_bulk));
    }
    if (series.count == 0) {
        return ly_fail(LYRA_BAD_FORMAT, "found no term of a series, expected %s",
                       maxwell ? "some in shear" : "some in shear, bulk, lambda-terms or mu-terms");
    }
    return keep_series(world, series.branches, series.count, series.model, out);
}

LyraStatus ly_body_fit_viscosity(LyraWorld *world, LyraBodyDef *def)
{
    const LyraBodyViscosity *v = def->viscosity;
    if (!v || v->model != LYRA_VISCOUS_CONSTANT_Q) {
        return LYRA_OK;
    }
    LyraPronySeries fit;
    LyraRelaxationBranch branches[LYRA_RELAXATION_BRANCHES_MAX];
    bool refers = v->reference > 0;
    if (refers && def->material.constant_count > 0) {
        return ly_fail_key(LYRA_BAD_FORMAT, "reference",
                           "found a frequency of reference and parameters of the law by name, "
                           "expected the moduli young and poisson");
    }
    if (def->material.viscoelasticity) {
        return ly_fail(LYRA_BAD_FORMAT, "found it beside viscoelasticity of the material, expected "
                                        "one of them");
    }
    LY_TRY(lyra_fit_constant_q(world->ctx, v->q, v->band[0], v->band[1], 1,
                               refers ? v->reference : v->band[0], v->branches, &fit));
    if (!(fit.equilibrium > 0)) {
        return ly_fail(LYRA_BAD_FORMAT,
                       "found a band in which %d terms leave no modulus at rest, "
                       "expected fewer branches or a narrower band",
                       (int)fit.branch_count);
    }
    for (int32_t i = 0; i < fit.branch_count; ++i) {
        double share = fit.modulus[i] / fit.equilibrium;
        branches[i] = (LyraRelaxationBranch){fit.time[i], share, share};
    }
    // the modulus of the fit is 1 where the law's holds
    def->modulus_factor *= refers ? fit.equilibrium : 1;
    ly_log(world->ctx, LYRA_LOG_INFO, "constant Q of %g: %d terms, off by %.2g %%", v->q,
           (int)fit.branch_count, 100 * fit.error);
    return keep_series(world, branches, fit.branch_count, LYRA_RELAXATION_PRONY,
                       &def->material.viscoelasticity);
}

// ---- goals --------------------------------------------------------------------------------------

static LyraStatus check_goal_mesh(const LyraMeshView *mesh, const LyraMeshView *goal)
{
    size_t ids = (size_t)mesh->element_count * (size_t)lyra_element_kind_nodes(mesh->kind);
    if (goal->kind != mesh->kind || goal->vertex_count != mesh->vertex_count ||
        goal->element_count != mesh->element_count) {
        return ly_fail(LYRA_BAD_FORMAT,
                       "found %d elements of kind %s and %d vertices, expected %d of kind %s and "
                       "%d, as the body has",
                       (int)goal->element_count, lyra_element_kind_name(goal->kind),
                       (int)goal->vertex_count, (int)mesh->element_count,
                       lyra_element_kind_name(mesh->kind), (int)mesh->vertex_count);
    }
    return memcmp(mesh->elements, goal->elements, ids * sizeof *mesh->elements) == 0
               ? LYRA_OK
               : ly_fail(LYRA_BAD_FORMAT, "found elements of other vertices, expected those of the "
                                          "body in their order");
}

static LyraStatus read_goal_mesh(LyraWorld *world, const LyraBodyDef *def, const LyraMeshView *mesh,
                                 double *positions)
{
    const LyraBodyGoal *goal = def->goal;
    LyraMesh *loaded = NULL;
    LyraStatus status = LYRA_OK;
    char *path = NULL;
    if (goal->mesh) {
        LyraMeshView view = lyra_mesh_view(goal->mesh);
        LY_TRY(lyra_mesh_create(world->ctx, &view, &loaded));
    } else {
        LY_TRY(ly_world_path(world, goal->file, &path));
        LY_TRY_DONE(lyra_mesh_load(world->ctx, path, LYRA_MESH_FORMAT_AUTO, &loaded));
    }
    LY_TRY_DONE(ly_mesh_place(&def->transform, &loaded));
    LyraMeshView view = lyra_mesh_view(loaded);
    LY_TRY_DONE(check_goal_mesh(mesh, &view));
    memcpy(positions, view.positions, 3 * sizeof(double) * (size_t)view.vertex_count);
done:
    lyra_mesh_destroy(loaded);
    ly_release(world->ctx, path);
    return status;
}

static LyraStatus read_goal_strain(LyraWorld *world, const char *file, int32_t elements,
                                   double *strain)
{
    char *path = NULL;
    LyraDense *array = NULL;
    LyraStatus status = LYRA_OK;
    LY_TRY(ly_world_path(world, file, &path));
    LY_TRY_DONE(lyra_dense_load_npy(world->ctx, path, &array));
    LyraDenseView view = lyra_dense_view(array);
    if (view.rows != elements || view.columns != 6) {
        LY_TRY_DONE(ly_fail(LYRA_BAD_FORMAT,
                            "%s: found %d rows of %d numbers, expected %d rows of 6", path,
                            (int)view.rows, (int)view.columns, (int)elements));
    }
    for (int64_t i = 0; i < 6 * (int64_t)elements; ++i) {
        strain[i] = view.values[i / 6 + i % 6 * elements];
    }
done:
    lyra_dense_destroy(array);
    ly_release(world->ctx, path);
    return status;
}

static LyraStatus read_goal(LyraWorld *world, const LyraBodyDef *def, const LyraMeshView *mesh,
                            LyraPlasticityDef *plasticity)
{
    const LyraBodyGoal *goal = def->goal;
    double *values = NULL;
    int given = (goal->file != NULL) + (goal->mesh != NULL) + (goal->strain_file != NULL);
    if (given > 1 || plasticity->goal || plasticity->goal_strain) {
        return ly_fail(LYRA_BAD_FORMAT, "found several goals, expected one");
    }
    if (goal->strain_file) {
        LY_TRY(ly_arena_allocate(world->arena, 6 * (int64_t)mesh->element_count, sizeof *values,
                                 &values));
        plasticity->goal_strain = values;
        return ly_within_key(
            read_goal_strain(world, goal->strain_file, mesh->element_count, values), "strain-file");
    }
    LY_TRY(
        ly_arena_allocate(world->arena, 3 * (int64_t)mesh->vertex_count, sizeof *values, &values));
    plasticity->goal = values;
    if (given > 0) {
        return ly_within_key(read_goal_mesh(world, def, mesh, values), "mesh");
    }
    for (int64_t i = 0; i < 3 * (int64_t)mesh->vertex_count; ++i) {
        values[i] = goal->scale[i % 3] * mesh->positions[i];
    }
    return LYRA_OK;
}

// arrays that no table of keys copies
static LyraStatus copy_array(LyraWorld *world, int64_t count, const double **values)
{
    double *copy = NULL;
    if (!*values) {
        return LYRA_OK;
    }
    LY_TRY(ly_arena_allocate(world->arena, count, sizeof *copy, &copy));
    memcpy(copy, *values, (size_t)count * sizeof *copy);
    *values = copy;
    return LYRA_OK;
}

static LyraStatus set_plasticity(LyraWorld *world, const LyraMesh *mesh, LyBody *body)
{
    const LyraBodyDef *def = body->def;
    LyraMeshView view = mesh ? lyra_mesh_view(mesh) : (LyraMeshView){0};
    LyraPlasticityDef *plasticity = NULL;
    if (!def->material.plasticity) {
        return !def->goal ? LYRA_OK
                          : ly_fail_key(LYRA_BAD_FORMAT, "goal",
                                        "found a goal of a body without plasticity, expected "
                                        "plasticity with yield: deformation");
    }
    LY_TRY(ly_arena_allocate(world->arena, 1, sizeof *plasticity, &plasticity));
    *plasticity = *def->material.plasticity;
    if (def->goal) {
        LY_TRY(ly_within_key(read_goal(world, def, &view, plasticity), "goal"));
    } else {
        LY_TRY(copy_array(world, 3 * (int64_t)view.vertex_count, &plasticity->goal));
        LY_TRY(copy_array(world, 6 * (int64_t)view.element_count, &plasticity->goal_strain));
    }
    body->solid_def.plasticity = plasticity;
    return LYRA_OK;
}

LyraStatus ly_body_set_memory(LyraWorld *world, const LyraMesh *mesh, LyBody *body)
{
    const LyraBodyDef *def = body->def;
    const LyraViscoelasticityDef *own = def->material.viscoelasticity;
    bool series = def->viscosity && (def->viscosity->model == LYRA_VISCOUS_PRONY ||
                                     def->viscosity->model == LYRA_VISCOUS_MAXWELL);
    if (series && own) {
        return ly_fail_key(LYRA_BAD_FORMAT, "viscosity",
                           "found it beside viscoelasticity of the material, expected one of them");
    }
    if (series) {
        LY_TRY(ly_within_key(
            read_series(world, mesh, def->viscosity, &body->solid_def.viscoelasticity),
            "viscosity"));
    } else if (own && own->branches && own->branch_count > 0) {
        LY_TRY(keep_series(world, own->branches, own->branch_count, own->model,
                           &body->solid_def.viscoelasticity));
    }
    return set_plasticity(world, mesh, body);
}

// ---- parameters by region -----------------------------------------------------------------------

LyraStatus ly_body_select_regions(LyraWorld *world, const LyraMesh *mesh, LyBody *body)
{
    const LyraBodyDef *def = body->def;
    LY_TRY(
        ly_arena_allocate(world->arena, def->region_count, sizeof *body->regions, &body->regions));
    for (int32_t r = 0; r < def->region_count; ++r) {
        const LyraRegion *region = &def->regions[r];
        if (region->constant_count > 0) {
            LY_TRY(ly_within_item(ly_select_elements(world, mesh, &region->select,
                                                     &body->regions[r].count,
                                                     &body->regions[r].elements),
                                  "regions", r));
        }
    }
    return LYRA_OK;
}

// sets a parameter of the elements of a region in the first force that has it
static LyraStatus set_constant(const LyraSolid *solid, const LyraElasticConstant *constant,
                               const LyRegionElements *elements)
{
    char list[300] = "";
    int32_t count;
    LyraForce *const *forces = lyra_solid_forces(solid, &count);
    for (int32_t f = 0; f < count; ++f) {
        const LyraForceType *type = forces[f]->type;
        int32_t p = forces[f]->mesh ? lyra_force_type_parameter(type, constant->name) : -1;
        for (int32_t i = 0; forces[f]->mesh && i < type->parameter_count; ++i) {
            ly_list_name(sizeof list, list, type->parameter_names[i]);
        }
        if (p < 0) {
            continue;
        }
        LyraParameterKind kind =
            type->parameter_kinds ? type->parameter_kinds[p] : LYRA_PARAMETER_ANY;
        const char *expected = ly_parameter_fault(kind, constant->value);
        if (expected) {
            return ly_fail_key(LYRA_BAD_FORMAT, "parameters", "found %g for %s, expected %s",
                               constant->value, constant->name, expected);
        }
        for (int32_t i = 0; i < elements->count; ++i) {
            forces[f]->parameters[(int64_t)type->parameter_count * elements->elements[i] + p] =
                constant->value;
        }
        return LYRA_OK;
    }
    return ly_fail_key(LYRA_BAD_FORMAT, "parameters", "found \"%.60s\", expected one of: %s",
                       constant->name, list);
}

LyraStatus ly_body_set_regions(const LyBody *body, const LyraSolid *solid)
{
    for (int32_t r = 0; r < body->def->region_count; ++r) {
        const LyraRegion *region = &body->def->regions[r];
        for (int32_t c = 0; c < region->constant_count; ++c) {
            LY_TRY(ly_within_item(set_constant(solid, &region->constants[c], &body->regions[r]),
                                  "regions", r));
        }
    }
    return LYRA_OK;
}
