// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Masses of bodies: consistent ones, and the number that those of a body go by, which is turned
// while the world runs. Velocities stay then; what that does to the kinetic energy is booked as a
// change of the step.

#include "lyra/mesh_ops.h"
#include "world/parameters.h"

#include <math.h>

// the mesh of all bodies, for their consistent masses; the caller releases it
static LyraStatus join_meshes(const LyraWorld *world, const double *positions, LyraMesh **out)
{
    for (int32_t b = 0; b < world->body_count; ++b) {
        if (!world->views[b].mesh) {
            return ly_fail_key(LYRA_UNSUPPORTED, "mass",
                               "found consistent masses beside %s body \"%.60s\", expected lumped",
                               world->views[b].kind, world->views[b].name);
        }
    }
    LyraMeshView whole = lyra_mesh_view(world->views[0].mesh);
    int32_t nodes = lyra_element_kind_nodes(whole.kind);
    int64_t count = 0;
    for (int32_t b = 0; b < world->body_count; ++b) {
        LyraMeshView view = lyra_mesh_view(world->views[b].mesh);
        const LyraBodySprings *springs = world->bodies[b].def->springs;
        if (springs && !isnan(springs->mass)) {
            return ly_fail_key(LYRA_UNSUPPORTED, "mass",
                               "found consistent masses beside the mass of springs body \"%.60s\", "
                               "expected lumped",
                               world->views[b].name);
        }
        if (view.kind != whole.kind) {
            return ly_fail_key(LYRA_UNSUPPORTED, "mass",
                               "found consistent masses for bodies of tets and of cubes together, "
                               "expected lumped");
        }
        count += view.element_count;
    }
    if (count > INT32_MAX) {
        return ly_fail(LYRA_TOO_LARGE, "more than %d elements in all bodies", INT32_MAX);
    }
    int32_t *elements = NULL, at = 0;
    LY_TRY(ly_allocate_array(world->ctx, count * nodes, sizeof *elements, &elements));
    for (int32_t b = 0; b < world->body_count; ++b) {
        LyraMeshView view = lyra_mesh_view(world->views[b].mesh);
        for (int64_t c = 0; c < (int64_t)view.element_count * nodes; ++c) {
            elements[(int64_t)at * nodes + c] = view.elements[c] + world->views[b].first_vertex;
        }
        at += view.element_count;
    }
    LyraMeshView data = {.kind = whole.kind,
                         .vertex_count = world->vertex_count,
                         .element_count = (int32_t)count,
                         .positions = positions,
                         .elements = elements};
    LyraStatus status = lyra_mesh_create(world->ctx, &data, out);
    ly_release(world->ctx, elements);
    return status;
}

LyraStatus ly_world_mass_matrix(const LyraWorld *world, const double *positions,
                                LyraMassMatrix **out)
{
    LyraMesh *whole = NULL;
    double *densities = NULL;
    int64_t at = 0;
    LyraStatus status = LYRA_OK;
    LY_TRY_DONE(join_meshes(world, positions, &whole));
    LY_TRY_DONE(ly_allocate_array(world->ctx, lyra_mesh_view(whole).element_count,
                                  sizeof *densities, &densities));
    for (int32_t b = 0; b < world->body_count; ++b) {
        LyraMeshView view = lyra_mesh_view(world->views[b].mesh);
        for (int32_t e = 0; e < view.element_count; ++e) {
            densities[at++] = view.materials[view.element_materials[e]].density;
        }
    }
    LY_TRY_DONE(lyra_mass_matrix_create(whole, densities, true, out));
done:
    ly_release(world->ctx, densities);
    lyra_mesh_destroy(whole);
    return status;
}

// ---- numbers that are turned --------------------------------------------------------------------

enum {
    DENSITY,
    SPRINGS_DENSITY,
    SPRINGS_MASS,
    CLOTH_DENSITY,
    CLOTH_MASS,
    PARTICLES_DENSITY,
    PARTICLES_MASS,
    ROD_DENSITY,
    ROD_MASS,
    RIGID_MASS
};

static double density_of(const LyraMeshMaterial *material)
{
    return material->density;
}

// the density of all parts of a cloth, NaN where they differ
static double cloth_density(const LyraBodyCloth *cloth)
{
    double density = cloth->surface_density;
    for (int32_t f = 0; f < cloth->fabric_count; ++f) {
        double own = cloth->fabrics[f].surface_density;
        density = isnan(own) || own == cloth->surface_density ? density : NAN;
    }
    return density;
}

// a mass of the whole body, which overrules the density
static double mass_or(double mass, int32_t mass_number, double density, int32_t density_number,
                      int32_t *number)
{
    *number = isnan(mass) ? density_number : mass_number;
    return isnan(mass) ? density : mass;
}

// what the masses of a body go by, and which number it is; 0 where they go by several
static double find_mass(const LyraWorld *world, int32_t body, int32_t *number)
{
    const LyraBodyDef *def = world->bodies[body].def;
    const LyraBodyView *view = &world->views[body];
    const LyraSpringsOver over = def->springs ? def->springs->over : LYRA_SPRINGS_OVER_ELEMENTS;
    *number = DENSITY;
    if (view->shell) {
        return ly_shell_density(def);
    }
    if (view->cloth) {
        return mass_or(def->cloth->mass, CLOTH_MASS, cloth_density(def->cloth), CLOTH_DENSITY,
                       number);
    }
    if (def->particles) {
        return mass_or(def->particles->mass, PARTICLES_MASS, def->particles->surface_density,
                       PARTICLES_DENSITY, number);
    }
    if (view->rod) {
        // masses and moments of inertia are turned together
        bool given = !isnan(def->rod->line_density) || !isnan(def->rod->inertia);
        return mass_or(def->rod->mass, ROD_MASS, given ? 0 : def->rod->density, ROD_DENSITY,
                       number);
    }
    if (def->springs && (over == LYRA_SPRINGS_OVER_CHAIN || !isnan(def->springs->mass))) {
        *number = SPRINGS_MASS;
        return isnan(def->springs->mass) ? 1 : def->springs->mass;
    }
    if (over != LYRA_SPRINGS_OVER_ELEMENTS) {
        *number = SPRINGS_DENSITY;
        return def->springs->surface_density;
    }
    if (def->rigid && !isnan(def->rigid->mass)) {
        *number = RIGID_MASS;
        return def->rigid->mass;
    }
    const LyraMesh *shape = ly_body_shape(view);
    return shape ? ly_common_number(shape, density_of, NULL) : 0;
}

static double start_mass(const LyraWorld *world, int32_t body, int32_t number)
{
    int32_t own;
    double value = find_mass(world, body, &own);
    return own == number ? value : 0;
}

static LyraStatus set_mass(LyraWorld *world, LyUndo *undo, int32_t body, int32_t number,
                           double factor)
{
    (void)number;
    return ly_undo_set_mass_factor(undo, world->model, body, factor);
}

#define NUMBER(which, number_name, number_unit)                                                    \
    [which] = {.name = number_name,                                                                \
               .unit = number_unit,                                                                \
               .range = 10,                                                                        \
               .factor = offsetof(LyBody, mass),                                                   \
               .number = which,                                                                    \
               .start = start_mass,                                                                \
               .set = set_mass}

static const LyScaled numbers[] = {
    NUMBER(DENSITY, "density", "kg/m^3"), NUMBER(SPRINGS_DENSITY, "surface-density", "kg/m^2"),
    NUMBER(SPRINGS_MASS, "mass", "kg"),   NUMBER(CLOTH_DENSITY, "surface-density", "kg/m^2"),
    NUMBER(CLOTH_MASS, "mass", "kg"),     NUMBER(PARTICLES_DENSITY, "surface-density", "kg/m^2"),
    NUMBER(PARTICLES_MASS, "mass", "kg"), NUMBER(ROD_DENSITY, "density", "kg/m^3"),
    NUMBER(ROD_MASS, "mass", "kg"),       NUMBER(RIGID_MASS, "mass", "kg")};
const LyLive ly_live_density = {.scaled = &numbers[DENSITY]};
const LyLive ly_live_springs_density = {.scaled = &numbers[SPRINGS_DENSITY]};
const LyLive ly_live_springs_mass = {.scaled = &numbers[SPRINGS_MASS]};
const LyLive ly_live_cloth_density = {.scaled = &numbers[CLOTH_DENSITY]};
const LyLive ly_live_cloth_mass = {.scaled = &numbers[CLOTH_MASS]};
const LyLive ly_live_particles_density = {.scaled = &numbers[PARTICLES_DENSITY]};
const LyLive ly_live_particles_mass = {.scaled = &numbers[PARTICLES_MASS]};
const LyLive ly_live_rod_density = {.scaled = &numbers[ROD_DENSITY]};
const LyLive ly_live_rod_mass = {.scaled = &numbers[ROD_MASS]};
const LyLive ly_live_rigid_mass = {.scaled = &numbers[RIGID_MASS]};
