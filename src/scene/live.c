// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Numbers and methods that people turn while a scene runs. Moduli reach the kernels by making the
// solids anew from meshes with changed materials, of which only the parameters are kept: whatever a
// law makes of Young's modulus and Poisson's ratio, it makes of the new ones too.

#include "force/elastic.h"
#include "force/force.h"
#include "lyra/scene_live.h"
#include "scene/scene.h"

#include <math.h>
#include <string.h>

typedef enum Knob {
    KNOB_YOUNG = 0,
    KNOB_POISSON,
    KNOB_STIFFNESS,
    KNOB_DENSITY,
    KNOB_MASS_DAMPING,
    KNOB_STIFFNESS_DAMPING,
    KNOB_DT,
    KNOB_GRAVITY,
    KNOB_ACTIVATION,
    KNOB_COUNT,
} Knob;

static const char *const knob_names[KNOB_COUNT] = {
    "young", "poisson", "stiffness",  "density", "mass-damping", "stiffness-damping",
    "dt",    "gravity", "activation",
};

void ly_scene_note_start(LyraScene *scene)
{
    LyraModelView model = lyra_model_view(scene->model);
    scene->young = scene->density = scene->stiffness = 1;
    scene->poisson = scene->activation = NAN;
    scene->start_dt = scene->dt;
    scene->start_damping[0] = model.mass_damping;
    scene->start_damping[1] = model.stiffness_damping;
    memcpy(scene->start_gravity, model.gravity, sizeof model.gravity);
}

// ---- what the scene has -------------------------------------------------------------------------

// Solids whose parameters come from moduli: all of theirs but springs.
static bool has_moduli(const LyraScene *scene, int32_t body)
{
    int32_t count;
    const LyraSolid *solid = scene->bodies[body].solid;
    return solid && scene->solid_defs &&
           !(lyra_force_type(lyra_solid_forces(solid, &count)[0])->traits & LYRA_FORCE_SPRINGS);
}

typedef double MaterialNumber(const LyraMeshMaterial *material);

static double young_of(const LyraMeshMaterial *material)
{
    return material->kind == LYRA_MESH_MATERIAL_ENU ? material->enu.young : NAN;
}

static double poisson_of(const LyraMeshMaterial *material)
{
    return material->kind == LYRA_MESH_MATERIAL_ENU ? material->enu.poisson : NAN;
}

static double density_of(const LyraMeshMaterial *material)
{
    return material->density;
}

// The number that all elements of all bodies agree on, NaN where they don't; `first`: that of the
// first element. Nullable.
static double common(const LyraScene *scene, MaterialNumber *number, double *first)
{
    double value = NAN;
    bool same = true, begun = false;
    for (int32_t b = 0; b < scene->body_count; ++b) {
        // affine bodies have densities, and no moduli
        const LyraMesh *mesh = scene->bodies[b].mesh;
        mesh = number == density_of && scene->bodies[b].affine ? scene->bodies[b].shape : mesh;
        if (!mesh) {
            continue;
        }
        LyraMeshView view = lyra_mesh_view(mesh);
        for (int32_t e = 0; e < view.element_count; ++e) {
            double found = number(&view.materials[view.element_materials[e]]);
            value = begun ? value : found;
            begun = true;
            same &= found == value;
        }
    }
    if (first) {
        *first = value;
    }
    return same ? value : NAN;
}

// whether a group has an activation, or is of springs
static bool has_activation(const LyraForceGroup *group)
{
    return lyra_force_type_parameter(group->type, "activation") >= 0;
}

static bool is_springs(const LyraForceGroup *group)
{
    return group->type->traits & LYRA_FORCE_SPRINGS;
}

static bool has_knob(const LyraScene *scene, Knob knob)
{
    double first = NAN;
    LyraForceGroup group;
    bool moduli = false;
    switch (knob) {
    case KNOB_YOUNG:
    case KNOB_POISSON:
        for (int32_t b = 0; b < scene->body_count; ++b) {
            moduli |= has_moduli(scene, b);
        }
        common(scene, poisson_of, &first);
        return moduli && !scene->moduli_change && (knob == KNOB_YOUNG || !isnan(first));
    case KNOB_STIFFNESS:
    case KNOB_ACTIVATION:
        if (knob == KNOB_STIFFNESS ? scene->moduli_change : scene->activation_changes) {
            return false;
        }
        for (int32_t g = 0; lyra_model_group(scene->model, g, &group); ++g) {
            if (knob == KNOB_STIFFNESS ? is_springs(&group) : has_activation(&group)) {
                return true;
            }
        }
        return false;
    case KNOB_DENSITY:
    case KNOB_GRAVITY:
        // gravity over time has masses of its own
        return !scene->gravity_changes;
    default:
        return true;
    }
}

// ---- looking ------------------------------------------------------------------------------------

static double length3(const double a[3])
{
    return sqrt(a[0] * a[0] + a[1] * a[1] + a[2] * a[2]);
}

// a number that is a factor, or where all agree on it itself
static LyraSceneKnob scaled_knob(const LyraScene *scene, MaterialNumber *number, const char *unit,
                                 double factor, double range)
{
    double base = number ? common(scene, number, NULL) : NAN;
    bool absolute = !isnan(base) && base > 0;
    double start = absolute ? base : 1;
    return (LyraSceneKnob){.unit = absolute ? unit : "",
                           .value = factor * start,
                           .start = start,
                           .low = start / range,
                           .high = start * range,
                           .logarithmic = true};
}

static LyraSceneKnob linear_knob(const char *unit, double value, double start, double low,
                                 double high)
{
    return (LyraSceneKnob){.unit = unit, .value = value, .start = start, .low = low, .high = high};
}

static LyraSceneKnob look(const LyraScene *scene, Knob knob)
{
    LyraModelView model = lyra_model_view(scene->model);
    LyraForceGroup group;
    const double *damping = scene->start_damping;
    double start = 0;
    switch (knob) {
    case KNOB_YOUNG:
        return scaled_knob(scene, young_of, "Pa", scene->young, 100);
    case KNOB_STIFFNESS:
        return scaled_knob(scene, NULL, "", scene->stiffness, 100);
    case KNOB_DENSITY:
        return scaled_knob(scene, density_of, "kg/m^3", scene->density, 10);
    case KNOB_DT: {
        LyraSceneKnob dt = linear_knob("s", scene->dt, scene->start_dt, scene->start_dt / 10,
                                       scene->start_dt * 10);
        dt.logarithmic = true;
        return dt;
    }
    case KNOB_POISSON:
        common(scene, poisson_of, &start);
        return linear_knob("", isnan(scene->poisson) ? start : scene->poisson, start, 0, 0.495);
    case KNOB_MASS_DAMPING:
        return linear_knob("1/s", model.mass_damping, damping[0], 0, fmax(10, 4 * damping[0]));
    case KNOB_STIFFNESS_DAMPING:
        return linear_knob("s", model.stiffness_damping, damping[1], 0, fmax(0.1, 4 * damping[1]));
    case KNOB_GRAVITY:
        start = length3(scene->start_gravity);
        return linear_knob("m/s^2", length3(model.gravity), start, 0, fmax(20, 2 * start));
    default:
        for (int32_t g = 0; lyra_model_group(scene->model, g, &group); ++g) {
            int32_t p = lyra_force_type_parameter(group.type, "activation");
            if (p >= 0 && group.stencil_count > 0) {
                start = lyra_force_view(group.force).parameters[p];
                break;
            }
        }
        return linear_knob("", isnan(scene->activation) ? start : scene->activation, start, 0, 1);
    }
}

bool lyra_scene_knob(const LyraScene *scene, int32_t index, LyraSceneKnob *out)
{
    LYRA_ASSERT(scene && out);
    for (int k = 0; k < KNOB_COUNT; ++k) {
        if (has_knob(scene, (Knob)k) && index-- == 0) {
            *out = look(scene, (Knob)k);
            out->name = knob_names[k];
            return true;
        }
    }
    return false;
}

// ---- turning ------------------------------------------------------------------------------------

// Parameter p of a group as that of `like` times `factor`.
static LyraStatus set_column(LyraScene *scene, LyUndo *undo, int32_t group, const LyraForce *like,
                             int32_t p, double factor)
{
    double *column = NULL;
    LyraForceView view = lyra_force_view(like);
    LY_TRY(ly_allocate_array(scene->ctx, view.stencil_count, sizeof *column, &column));
    for (int64_t e = 0; e < view.stencil_count; ++e) {
        column[e] = factor * view.parameters[view.type->parameter_count * e + p];
    }
    LyraStatus status =
        ly_undo_set_parameter(undo, scene->model, group, view.type->parameter_names[p], column);
    ly_release(scene->ctx, column);
    return status;
}

static void scale_material(LyraMeshMaterial *material, double young, double poisson)
{
    material->enu.young *= young;
    if (!isnan(poisson)) {
        material->enu.poisson = poisson;
    }
    material->mooney_rivlin.mu01 *= young;
    material->mooney_rivlin.mu10 *= young;
    material->mooney_rivlin.v1 *= young;
    for (int i = 0; i < 3; ++i) {
        material->orthotropic.young[i] *= young;
        material->orthotropic.shear[i] *= young;
    }
}

// a solid as that of a body would be with other moduli, on the body's own vertices
static LyraStatus make_like(const LyraScene *scene, int32_t body, double young, double poisson,
                            LyraSolid **out)
{
    LyraContext *ctx = scene->ctx;
    LyraMeshView view = lyra_mesh_view(scene->bodies[body].mesh);
    LyraMeshMaterial *materials = NULL;
    LyraMesh *mesh = NULL;
    LyraStatus status = LYRA_OK;
    LY_TRY(ly_allocate_array(ctx, view.material_count, sizeof *materials, &materials));
    for (int32_t m = 0; m < view.material_count; ++m) {
        materials[m] = view.materials[m];
        scale_material(&materials[m], young, poisson);
    }
    view.materials = materials;
    LY_TRY_DONE(lyra_mesh_create(ctx, &view, &mesh));
    LY_TRY_DONE(lyra_solid_create(ctx, mesh, &scene->solid_defs[body], out));
done:
    lyra_mesh_destroy(mesh);
    ly_release(ctx, materials);
    return status;
}

static LyraStatus set_moduli_of(LyraScene *scene, LyUndo *undo, int32_t body, double young,
                                double poisson)
{
    LyraSolid *like = NULL;
    int32_t count;
    LyraForce *const *own = lyra_solid_forces(scene->bodies[body].solid, &count);
    LyraStatus status = LYRA_OK;
    LY_TRY(make_like(scene, body, young, poisson, &like));
    LyraForce *const *forces = lyra_solid_forces(like, &count);
    for (int32_t f = 0; f < count; ++f) {
        // fibres have no moduli, and an activation that may have been turned
        const LyraForceType *type = lyra_force_type(forces[f]);
        if (lyra_force_type_parameter(type, "activation") >= 0) {
            continue;
        }
        int32_t group = lyra_model_group_of(scene->model, own[f]);
        for (int32_t p = 0; p < type->parameter_count; ++p) {
            LY_TRY_DONE(set_column(scene, undo, group, forces[f], p, 1));
        }
    }
done:
    lyra_solid_destroy(like);
    return status;
}

static LyraStatus set_moduli(LyraScene *scene, LyUndo *undo, double young, double poisson)
{
    if (!(young > 0 && isfinite(young))) {
        return ly_fail(LYRA_INVALID_ARGUMENT, "young is %g times the scene's, expected more than 0",
                       young);
    }
    if (!isnan(poisson) && !(poisson > -1 && poisson < 0.5)) {
        return ly_fail(LYRA_INVALID_ARGUMENT, "poisson is %g, expected more than -1 and below 0.5",
                       poisson);
    }
    for (int32_t b = 0; b < scene->body_count; ++b) {
        if (has_moduli(scene, b)) {
            LY_TRY(set_moduli_of(scene, undo, b, young, poisson));
        }
    }
    scene->young = young;
    scene->poisson = poisson;
    return LYRA_OK;
}

static LyraStatus set_stiffness(LyraScene *scene, LyUndo *undo, double factor)
{
    if (!(factor > 0 && isfinite(factor))) {
        return ly_fail(LYRA_INVALID_ARGUMENT,
                       "stiffness is %g times the scene's, expected more than 0", factor);
    }
    LyraForceGroup group;
    for (int32_t g = 0; lyra_model_group(scene->model, g, &group); ++g) {
        if (is_springs(&group)) {
            int32_t p = lyra_force_type_parameter(group.type, "stiffness");
            LY_TRY(set_column(scene, undo, g, group.force, p, factor));
        }
    }
    scene->stiffness = factor;
    return LYRA_OK;
}

static LyraStatus set_activation(LyraScene *scene, LyUndo *undo, double value)
{
    LyraForceGroup group;
    for (int32_t g = 0; lyra_model_group(scene->model, g, &group); ++g) {
        double *column = NULL;
        if (!has_activation(&group)) {
            continue;
        }
        LY_TRY(ly_allocate_array(scene->ctx, group.stencil_count, sizeof *column, &column));
        for (int32_t e = 0; e < group.stencil_count; ++e) {
            column[e] = value;
        }
        LyraStatus status = ly_undo_set_parameter(undo, scene->model, g, "activation", column);
        ly_release(scene->ctx, column);
        LY_TRY(status);
    }
    scene->activation = value;
    return LYRA_OK;
}

static LyraStatus set_gravity(LyraScene *scene, double value)
{
    // along the scene's own, and down where it has none
    double start = length3(scene->start_gravity), g[3] = {0, -value, 0};
    for (int i = 0; i < 3 && start > 0; ++i) {
        g[i] = value / start * scene->start_gravity[i];
    }
    return lyra_model_set_gravity(scene->model, g);
}

static LyraStatus set_dt(LyraScene *scene, double dt)
{
    if (!(dt > 0 && isfinite(dt))) {
        return ly_fail(LYRA_INVALID_ARGUMENT, "dt is %g s, expected more than 0", dt);
    }
    scene->dt = dt;
    return LYRA_OK;
}

static LyraStatus turn(LyraScene *scene, LyUndo *undo, Knob knob, double value)
{
    LyraModelView model = lyra_model_view(scene->model);
    double factor = value / look(scene, knob).start;
    switch (knob) {
    case KNOB_YOUNG:
        return set_moduli(scene, undo, factor, scene->poisson);
    case KNOB_POISSON:
        return set_moduli(scene, undo, scene->young, value);
    case KNOB_STIFFNESS:
        return set_stiffness(scene, undo, value);
    case KNOB_DENSITY:
        LY_TRY(lyra_model_set_mass_factor(scene->model, factor));
        scene->density = factor;
        return LYRA_OK;
    case KNOB_MASS_DAMPING:
        return lyra_model_set_damping(scene->model, value, model.stiffness_damping);
    case KNOB_STIFFNESS_DAMPING:
        return lyra_model_set_damping(scene->model, model.mass_damping, value);
    case KNOB_DT:
        return set_dt(scene, value);
    case KNOB_GRAVITY:
        return set_gravity(scene, value);
    default:
        return set_activation(scene, undo, value);
    }
}

LyraStatus lyra_scene_set_knob(LyraScene *scene, const char *name, double value)
{
    LYRA_ASSERT(scene && name);
    char list[256] = "";
    if (!isfinite(value)) {
        return ly_fail(LYRA_INVALID_ARGUMENT, "%s is not a finite number", name);
    }
    for (int k = 0; k < KNOB_COUNT; ++k) {
        if (!has_knob(scene, (Knob)k)) {
            continue;
        }
        if (strcmp(name, knob_names[k]) == 0) {
            LyUndo undo = {.ctx = scene->ctx};
            LyraStatus status = turn(scene, &undo, (Knob)k, value);
            if (status != LYRA_OK) {
                ly_undo_back(&undo, scene->model);
            }
            ly_undo_end(&undo);
            return status;
        }
        ly_list_name(sizeof list, list, knob_names[k]);
    }
    return ly_fail(LYRA_INVALID_ARGUMENT, "no number \"%s\" in this scene, expected one of: %s",
                   name, list);
}

// ---- methods ------------------------------------------------------------------------------------

const char *lyra_scene_integrator(const LyraScene *scene)
{
    return scene->integrator_def.name;
}

const char *lyra_scene_solver(const LyraScene *scene)
{
    return scene->solver_def.name;
}

// makes system and integrator anew, and only then drops the old ones
static LyraStatus take_methods(LyraScene *scene, const LyraIntegratorDef *integrator_def,
                               const LyraSolverDef *solver_def)
{
    LyraSystem *system = NULL;
    LyraIntegrator *integrator = NULL;
    LyraStatus status = LYRA_OK;
    LyraSolverDef solver = *solver_def;
    solver.task =
        strcmp(integrator_def->name, "static") == 0 ? LYRA_SOLVER_STATICS : LYRA_SOLVER_DYNAMICS;
    LY_TRY_DONE(lyra_system_create_sparse(scene->ctx, scene->model, &solver, &system));
    LY_TRY_DONE(lyra_integrator_create(scene->ctx, integrator_def, system, &integrator));
    lyra_state_forget(scene->state, LYRA_STATE_METHOD);
    scene->integrator_def = *integrator_def;
    scene->solver_def = solver;
    LyraIntegrator *old_integrator = scene->integrator;
    LyraSystem *old_system = scene->system;
    scene->integrator = integrator;
    scene->system = system;
    integrator = old_integrator;
    system = old_system;
done:
    lyra_integrator_destroy(integrator);
    lyra_system_destroy(system);
    return status;
}

LyraStatus lyra_scene_set_integrator(LyraScene *scene, const char *name)
{
    LYRA_ASSERT(scene && name);
    LyraIntegratorDef def = scene->integrator_def;
    LyraIntegratorFacts facts;
    def.name = name;
    // the list's own words live longer than the caller's; an unknown one fails below
    for (int32_t i = 0; lyra_integrator_name(i, &facts); ++i) {
        def.name = strcmp(facts.name, name) == 0 ? facts.name : def.name;
    }
    return take_methods(scene, &def, &scene->solver_def);
}

LyraStatus lyra_scene_set_solver(LyraScene *scene, const char *name)
{
    LYRA_ASSERT(scene && name);
    LyraSolverDef def = scene->solver_def;
    def.name = strcmp(name, "auto") == 0 ? "auto" : name;
    for (int32_t i = 0; lyra_solver_name(i, NULL); ++i) {
        def.name =
            strcmp(lyra_solver_name(i, NULL), name) == 0 ? lyra_solver_name(i, NULL) : def.name;
    }
    return take_methods(scene, &scene->integrator_def, &def);
}
