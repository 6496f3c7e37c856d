// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Integrators and solvers that are exchanged while a world runs.

#include "integrate/integrate.h"
#include "solve/solve.h"
#include "world/world.h"

#include <string.h>

const char *lyra_world_integrator(const LyraWorld *world)
{
    return world->spec.integrator.name;
}

const char *lyra_world_solver(const LyraWorld *world)
{
    return world->spec.solver.name;
}

LyraSolverTask ly_world_solver_task(const LyraWorld *world, const char *integrator)
{
    bool rods = false;
    for (int32_t b = 0; b < world->body_count; ++b) {
        rods |= world->views[b].rod != NULL;
    }
    return strcmp(integrator, "static") == 0 ? LYRA_SOLVER_STATICS
           : rods                            ? LYRA_SOLVER_MANY
                                             : LYRA_SOLVER_DYNAMICS;
}

// makes system and integrator anew, and only then drops the old ones
static LyraStatus take_methods(LyraWorld *world, const LyraIntegratorDef *integrator_def,
                               const LyraSolverDef *solver_def)
{
    LyraSystem *system = NULL;
    LyraIntegrator *integrator = NULL;
    LyraStatus status = LYRA_OK;
    LyraSolverDef solver = *solver_def;
    solver.task = ly_world_solver_task(world, integrator_def->name);
    LY_TRY_DONE(lyra_system_create_sparse(world->ctx, world->model, &solver, &system));
    LY_TRY_DONE(lyra_integrator_create(world->ctx, integrator_def, system, &integrator));
    LY_TRY_DONE(ly_world_check_ties(world, integrator));
    LY_TRY_DONE(ly_world_check_holding(world, integrator));
    LY_TRY_DONE(ly_world_check_projections(world, integrator));
    LY_TRY_DONE(ly_world_check_rigid(world, integrator));
    lyra_state_forget(world->state, LYRA_STATE_METHOD);
    world->spec.integrator = *integrator_def;
    world->spec.solver = solver;
    LyraIntegrator *old_integrator = world->integrator;
    LyraSystem *old_system = world->system;
    world->integrator = integrator;
    world->system = system;
    integrator = old_integrator;
    system = old_system;
done:
    lyra_integrator_destroy(integrator);
    lyra_system_destroy(system);
    return status;
}

LyraStatus lyra_world_set_integrator(LyraWorld *world, const char *name)
{
    LYRA_ASSERT(world && name);
    LY_TRY(lyra_world_prepare(world));
    LyraIntegratorDef def = world->spec.integrator;
    const char *known;
    def.name = name;
    // the list's own words live longer than the caller's; an unknown one fails below
    for (int32_t i = 0; (known = ly_integrator_choice(world->ctx, i)) != NULL; ++i) {
        def.name = strcmp(known, name) == 0 ? known : def.name;
    }
    return take_methods(world, &def, &world->spec.solver);
}

LyraStatus lyra_world_set_solver(LyraWorld *world, const char *name)
{
    LYRA_ASSERT(world && name);
    LY_TRY(lyra_world_prepare(world));
    LyraSolverDef def = world->spec.solver;
    def.name = strcmp(name, "auto") == 0 ? "auto" : name;
    const char *known;
    for (int32_t i = 0; (known = ly_solver_choice(world->ctx, i)) != NULL; ++i) {
        def.name = strcmp(known, name) == 0 ? known : def.name;
    }
    return take_methods(world, &world->spec.integrator, &def);
}
