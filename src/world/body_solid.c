// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Bodies of kind "solid": elements with a law, viscosity and fibres.

#include "lyra/fibre.h"
#include "lyra/mesh_ops.h"
#include "lyra/viscosity.h"
#include "world/curve.h"
#include "world/world.h"

#include <math.h>

static LyraStatus add_viscosity(LyraWorld *world, const LyraBodyView *view,
                                const LyraBodyViscosity *viscosity)
{
    LyraForce *force = NULL;
    LyraViscosityDef def = lyra_viscosity_def_default();
    def.lambda = viscosity->lambda;
    def.mu = viscosity->mu;
    def.symmetric = viscosity->symmetric;
    LY_TRY(lyra_viscosity_create(world->ctx, view->mesh, &def, &force));
    return ly_world_own_force(world, world->body_count, view->name, force);
}

static LyraStatus add_damping(LyraWorld *world, const LyraBodyView *view,
                              const LyraStretchDampingDef *def)
{
    LyraForce *force = NULL;
    LY_TRY(ly_within_key(lyra_stretch_damping_create(world->ctx, view->mesh, def, &force),
                         "stretch-rate"));
    return ly_world_own_force(world, world->body_count, view->name, force);
}

// sets the activation of a force of fibres
typedef struct Activation {
    const LyraBodyFibre *fibre;
    const LyraForce *force;
    int32_t count; // of elements
    double *values;
} Activation;

static LyraStatus activate(void *self, LyraWorld *world, double begin, double end)
{
    (void)begin;
    const Activation *activation = self;
    double value = ly_curve_at(&activation->fibre->activation, end).value;
    // a curve may overshoot by rounding
    value = value < 0 && value > -1e-12 ? 0 : value > 1 && value < 1 + 1e-12 ? 1 : value;
    for (int32_t e = 0; e < activation->count; ++e) {
        activation->values[e] = value;
    }
    return ly_undo_set_parameter(&world->undo, world->model,
                                 lyra_model_group_of(world->model, activation->force), "activation",
                                 activation->values);
}

static LyraStatus add_fibre(LyraWorld *world, const LyraBodyView *view, const LyraBodyFibre *fibre)
{
    LyraContext *ctx = world->ctx;
    int32_t count = lyra_mesh_view(view->mesh).element_count;
    double *directions = NULL;
    LY_TRY(ly_check_direction("direction", fibre->direction));
    LY_TRY(ly_allocate_array(ctx, 3 * (int64_t)count, sizeof *directions, &directions));
    for (int64_t i = 0; i < 3 * (int64_t)count; ++i) {
        directions[i] = fibre->direction[i % 3];
    }
    LyraFibreDef def = lyra_fibre_def_default();
    def.directions = directions;
    def.stiffness = fibre->stiffness;
    def.exponent = fibre->exponent;
    def.active_stress = fibre->active_stress;
    def.activation = ly_curve_at(&fibre->activation, 0).value;
    def.tension_only = fibre->tension_only;
    LyraForce *force = NULL;
    LyraStatus status = lyra_fibre_create(ctx, view->mesh, &def, &force);
    ly_release(ctx, directions);
    LY_TRY(status);
    LY_TRY(ly_world_own_force(world, world->body_count, view->name, force));
    if (ly_curve_is_constant(&fibre->activation)) {
        return LYRA_OK;
    }
    Activation *self = NULL;
    LY_TRY(ly_arena_allocate(world->arena, 1, sizeof *self, &self));
    *self = (Activation){fibre, force, count, NULL};
    LY_TRY(ly_arena_allocate(world->arena, count, sizeof *self->values, &self->values));
    return ly_world_take_rule(
        world,
        (LyRule){.apply = activate, .self = self, .force = force, .parameter = "activation"});
}

static LyraStatus create(LyraWorld *world, LyraMesh *take, LyraBodyView *view, LyBody *body)
{
    const LyraBodyDef *def = body->def;
    LyraMeshView mesh = lyra_mesh_view(take);
    double *masses = NULL;
    LyraSolid *solid = NULL;
    view->mesh = take;
    if (!isnan(def->stiffness)) {
        return ly_fail_key(
            LYRA_BAD_FORMAT, "stiffness",
            "found stiffness of a solid, expected it of affine and rigid bodies alone");
    }
    if (def->springs) {
        return ly_fail_key(LYRA_BAD_FORMAT, "springs",
                           "found springs of a solid, expected them of bodies of kind springs");
    }
    // the mesh has the moduli
    body->solid_def = def->material;
    body->solid_def.young = 0;
    body->solid_def.poisson = lyra_solid_def_default().poisson;
    LY_TRY(ly_body_set_memory(world, take, body));
    LY_TRY(
        ly_within_key(lyra_solid_create(world->ctx, take, &body->solid_def, &solid), "material"));
    view->solid = solid;
    LY_TRY(ly_body_select_regions(world, take, body));
    LY_TRY(ly_body_set_regions(body, solid));
    LY_TRY(ly_allocate_array(world->ctx, mesh.vertex_count, sizeof *masses, &masses));
    lyra_mesh_lumped_masses(take, NULL, masses);
    LyraStatus status =
        ly_body_set_vertices(world->ctx, view, body, mesh.vertex_count, mesh.positions, masses);
    ly_release(world->ctx, masses);
    LY_TRY(status);
    if (def->viscosity && def->viscosity->model == LYRA_VISCOUS_STRAIN_RATE) {
        LY_TRY(ly_within_key(add_viscosity(world, view, def->viscosity), "viscosity"));
    }
    if (def->damping.stretch_rate) {
        LY_TRY(ly_within_key(add_damping(world, view, def->damping.stretch_rate), "damping"));
    }
    return def->fibre ? ly_within_key(add_fibre(world, view, def->fibre), "fibre") : LYRA_OK;
}

static LyraForce *const *forces(const LyraBodyView *view, int32_t *count)
{
    return lyra_solid_forces(view->solid, count);
}

const LyBodyType ly_body_solid = {.name = "solid", .create = create, .forces = forces};
