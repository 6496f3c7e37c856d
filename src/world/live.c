// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Numbers that people turn while a world runs and that are no parameters of forces. Moduli reach
// the kernels by making the solids anew from meshes with changed materials, of which only the
// parameters are kept: whatever a law makes of Young's modulus and Poisson's ratio, it makes of the
// new ones too.

#include "world/parameters.h"

#include "force/elastic.h"
#include "force/force.h"
#include "force/solid.h"
#include "math/vec3.h"

#include <math.h>
#include <string.h>

void ly_world_note_start(LyraWorld *world)
{
    LyraModelView model = lyra_model_view(world->model);
    world->start_dt = world->dt;
    world->start_damping[0] = model.mass_damping;
    world->start_damping[1] = model.stiffness_damping;
    memcpy(world->start_gravity, model.gravity, sizeof model.gravity);
    for (int32_t b = 0; b < world->body_count; ++b) {
        world->bodies[b].young = world->bodies[b].mass = world->bodies[b].rod_damping = 1;
        world->bodies[b].poisson = NAN;
        for (int k = 0; k < 4; ++k) {
            world->bodies[b].cloth[k] = 1;
        }
    }
}

// ---- what a world has ---------------------------------------------------------------------------

// bodies [*first, *end) that a number is of
static void range_of(const LyraWorld *world, int32_t body, int32_t *first, int32_t *end)
{
    *first = body < 0 ? 0 : body;
    *end = body < 0 ? world->body_count : body + 1;
}

// Solids whose parameters come from moduli: all of theirs but springs.
static bool has_moduli(const LyraWorld *world, int32_t body)
{
    int32_t count;
    const LyraSolid *solid = world->views[body].solid;
    return solid && ly_model_has_moduli(world->ctx, world->bodies[body].solid_def.model) &&
           !(lyra_force_type(lyra_solid_forces(solid, &count)[0])->traits & LYRA_FORCE_SPRINGS);
}

static double young_of(const LyraMeshMaterial *material)
{
    return material->kind == LYRA_MESH_MATERIAL_ENU ? material->enu.young : NAN;
}

static double poisson_of(const LyraMeshMaterial *material)
{
    return material->kind == LYRA_MESH_MATERIAL_ENU ? material->enu.poisson : NAN;
}

double ly_common_number(const LyraMesh *mesh, LyMaterialNumber *number, double *first)
{
    LyraMeshView view = lyra_mesh_view(mesh);
    double value = NAN;
    bool same = true;
    for (int32_t e = 0; e < view.element_count; ++e) {
        double found = number(&view.materials[view.element_materials[e]]);
        value = e ? value : found;
        same &= found == value;
    }
    if (first) {
        *first = value;
    }
    return same ? value : NAN;
}

// the first body of a range that `holds`, -1 without
static int32_t first_with(const LyraWorld *world, int32_t body,
                          bool (*holds)(const LyraWorld *world, int32_t body))
{
    int32_t first, end;
    range_of(world, body, &first, &end);
    for (int32_t b = first; b < end; ++b) {
        if (holds(world, b)) {
            return b;
        }
    }
    return -1;
}

// whether a change over time sets a parameter of a solid's own forces
static bool changes_moduli(const LyraWorld *world, int32_t body)
{
    int32_t count = 0;
    const LyraSolid *solid = world->views[body].solid;
    LyraForce *const *forces = solid ? lyra_solid_forces(solid, &count) : NULL;
    for (int32_t f = 0; f < count; ++f) {
        if (ly_world_changes(world, forces[f], NULL)) {
            return true;
        }
    }
    return false;
}

// its law has moduli, and its elements Poisson's ratios
static bool has_ratio(const LyraWorld *world, int32_t body)
{
    double first = NAN;
    if (has_moduli(world, body)) {
        ly_common_number(world->views[body].mesh, poisson_of, &first);
    }
    return !isnan(first);
}

static bool has_poisson(const LyraWorld *world, int32_t body)
{
    return first_with(world, body, has_ratio) >= 0 && first_with(world, body, changes_moduli) < 0;
}

static bool has_gravity(const LyraWorld *world, int32_t body)
{
    (void)body;
    return !world->gravity_changes;
}

static bool always(const LyraWorld *world, int32_t body)
{
    (void)world, (void)body;
    return true;
}

// ---- reading ------------------------------------------------------------------------------------

void ly_read_scaled(double base, const char *unit, double factor, double range,
                    LyraWorldParameter *out)
{
    bool absolute = !isnan(base) && base > 0;
    out->start = absolute ? base : 1;
    out->unit = absolute ? unit : "";
    out->factor = !absolute;
    out->value = factor * out->start;
    out->low = out->start / range;
    out->high = out->start * range;
    out->logarithmic = true;
}

static void read_linear(const char *unit, double value, double start, double high,
                        LyraWorldParameter *out)
{
    out->unit = unit;
    out->value = value;
    out->start = start;
    out->high = high;
}

// the first body stands for all
static void read_poisson(const LyraWorld *world, int32_t body, LyraWorldParameter *out)
{
    double start = 0;
    int32_t first = first_with(world, body, has_ratio);
    ly_common_number(world->views[first].mesh, poisson_of, &start);
    double set = world->bodies[first].poisson;
    read_linear("", isnan(set) ? start : set, start, 0.495, out);
}

static void read_mass_damping(const LyraWorld *world, int32_t body, LyraWorldParameter *out)
{
    (void)body;
    double start = world->start_damping[0];
    read_linear("1/s", lyra_model_view(world->model).mass_damping, start, fmax(10, 4 * start), out);
}

static void read_stiffness_damping(const LyraWorld *world, int32_t body, LyraWorldParameter *out)
{
    (void)body;
    double start = world->start_damping[1];
    read_linear("s", lyra_model_view(world->model).stiffness_damping, start, fmax(0.1, 4 * start),
                out);
}

static void read_dt(const LyraWorld *world, int32_t body, LyraWorldParameter *out)
{
    (void)body;
    ly_read_scaled(world->start_dt, "s", world->dt / world->start_dt, 10, out);
    out->value = world->dt;
}

static void read_gravity(const LyraWorld *world, int32_t body, LyraWorldParameter *out)
{
    (void)body;
    double start = ly_length3(world->start_gravity);
    read_linear("m/s^2", ly_length3(lyra_model_view(world->model).gravity), start,
                fmax(20, 2 * start), out);
}

// ---- turning ------------------------------------------------------------------------------------

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
static LyraStatus make_like(const LyraWorld *world, int32_t body, double young, double poisson,
                            LyraSolid **out)
{
    LyraContext *ctx = world->ctx;
    LyraMeshView view = lyra_mesh_view(world->views[body].mesh);
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
    LY_TRY_DONE(lyra_solid_create(ctx, mesh, &world->bodies[body].solid_def, out));
    LY_TRY_DONE(ly_body_set_regions(&world->bodies[body], *out));
done:
    lyra_mesh_destroy(mesh);
    ly_release(ctx, materials);
    return status;
}

static LyraStatus set_moduli_of(LyraWorld *world, LyUndo *undo, int32_t body, double young,
                                double poisson)
{
    LyraSolid *like = NULL;
    int32_t count;
    LyraForce *const *own = lyra_solid_forces(world->views[body].solid, &count);
    LyraStatus status = LYRA_OK;
    LY_TRY(make_like(world, body, young, poisson, &like));
    LyraForce *const *forces = lyra_solid_forces(like, &count);
    for (int32_t f = 0; f < count; ++f) {
        // fibres have no moduli, and an activation that may have been turned
        const LyraForceType *type = lyra_force_type(forces[f]);
        if (lyra_force_type_parameter(type, "activation") >= 0) {
            continue;
        }
        int32_t group = lyra_model_group_of(world->model, own[f]);
        // those of plastic flow stand behind the law's, and may have been turned
        int32_t last = lyra_force_type_parameter(type, "compression-resistance");
        int32_t end = last < 0 ? type->parameter_count : last + 1;
        for (int32_t p = 0; p < end; ++p) {
            LY_TRY_DONE(ly_copy_parameter(world, undo, group, forces[f], p, 1));
        }
    }
done:
    lyra_solid_destroy(like);
    return status;
}

LyraStatus ly_find_factor(const char *name, double value, double start, double *factor)
{
    *factor = value / start;
    return *factor > 0 && isfinite(*factor)
               ? LYRA_OK
               : ly_fail(LYRA_INVALID_ARGUMENT, "%s is %g, expected more than 0", name, value);
}

// laws without a modulus of their own have a factor
static double start_young(const LyraWorld *world, int32_t body, int32_t number)
{
    (void)number;
    return has_moduli(world, body) ? ly_common_number(world->views[body].mesh, young_of, NULL) : 0;
}

static bool changes_young(const LyraWorld *world, int32_t body, int32_t number)
{
    (void)number;
    return changes_moduli(world, body);
}

static LyraStatus set_young(LyraWorld *world, LyUndo *undo, int32_t body, int32_t number,
                            double factor)
{
    (void)number;
    return set_moduli_of(world, undo, body, factor, world->bodies[body].poisson);
}

static LyraStatus set_poisson(LyraWorld *world, LyUndo *undo, int32_t body, double value)
{
    int32_t first, end;
    if (!(value > -1 && value < 0.5)) {
        return ly_fail(LYRA_INVALID_ARGUMENT, "poisson is %g, expected more than -1 and below 0.5",
                       value);
    }
    range_of(world, body, &first, &end);
    for (int32_t b = first; b < end; ++b) {
        if (has_moduli(world, b)) {
            LY_TRY(set_moduli_of(world, undo, b, world->bodies[b].young, value));
            LY_TRY(ly_undo_set_number(undo, &world->bodies[b].poisson, value));
        }
    }
    return LYRA_OK;
}

static LyraStatus set_mass_damping(LyraWorld *world, LyUndo *undo, int32_t body, double value)
{
    (void)body;
    return ly_undo_set_damping(undo, world->model, value,
                               lyra_model_view(world->model).stiffness_damping);
}

static LyraStatus set_stiffness_damping(LyraWorld *world, LyUndo *undo, int32_t body, double value)
{
    (void)body;
    return ly_undo_set_damping(undo, world->model, lyra_model_view(world->model).mass_damping,
                               value);
}

static LyraStatus set_dt(LyraWorld *world, LyUndo *undo, int32_t body, double dt)
{
    (void)undo, (void)body;
    double factor;
    LY_TRY(ly_find_factor("dt", dt, 1, &factor));
    world->dt = dt;
    return LYRA_OK;
}

// along the world's own, and down where it has none
static LyraStatus set_gravity(LyraWorld *world, LyUndo *undo, int32_t body, double value)
{
    (void)undo, (void)body;
    double start = ly_length3(world->start_gravity), g[3] = {0, -value, 0};
    for (int i = 0; i < 3 && start > 0; ++i) {
        g[i] = value / start * world->start_gravity[i];
    }
    return lyra_model_set_gravity(world->model, g);
}

// ---- rows ---------------------------------------------------------------------------------------

static const LyScaled young = {.name = "young",
                               .unit = "Pa",
                               .range = 100,
                               .factor = offsetof(LyBody, young),
                               .start = start_young,
                               .changes = changes_young,
                               .set = set_young};
const LyLive ly_live_young = {.scaled = &young};
const LyLive ly_live_poisson = {.has = has_poisson, .read = read_poisson, .set = set_poisson};
const LyLive ly_live_mass_damping = {
    .has = always, .read = read_mass_damping, .set = set_mass_damping};
const LyLive ly_live_stiffness_damping = {
    .has = always, .read = read_stiffness_damping, .set = set_stiffness_damping};
const LyLive ly_live_dt = {.has = always, .read = read_dt, .set = set_dt};
const LyLive ly_live_gravity = {.has = has_gravity, .read = read_gravity, .set = set_gravity};
