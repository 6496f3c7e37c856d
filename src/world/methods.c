// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Integrators and solvers that are exchanged while a world runs.

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

// makes system and integrator anew, and only then drops the old ones
static LyraStatus take_methods(LyraWorld *world, const LyraIntegratorDef *integrator_def,
                               const LyraSolverDef *solver_def)
{
    LyraSystem *system = NULL;
    LyraIntegrator *integrator = NULL;
    LyraStatus status = LYRA_OK;
    LyraSolverDef solver = *solver_def;
    solver.task =
        strcmp(integrator_def->name, "static") == 0 ? LYRA_SOLVER_STATICS : LYRA_SOLVER_DYNAMICS;
    LY_TRY_DONE(lyra_system_create_sparse(world->ctx, world->model, &solver, &system));
    LY_TRY_DONE(lyra_integrator_create(world->ctx, integrator_def, system, &integrator));
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
    LyraIntegratorFacts facts;
    def.name = name;
    // the list's own words live longer than the caller's; an unknown one fails below
    for (int32_t i = 0; lyra_integrator_name(i, &facts); ++i) {
        def.name = strcmp(facts.name, name) == 0 ? facts.name : def.name;
    }
    return take_methods(world, &def, &world->spec.solver);
}

LyraStatus lyra_world_set_solver(LyraWorld *world, const char *name)
{
    LYRA_ASSERT(world && name);
    LY_TRY(lyra_world_prepare(world));
    LyraSolverDef def = world->spec.solver;
    def.name = strcmp(name, "auto") == 0 ? "auto" : name;
    for (int32_t i = 0; lyra_solver_name(i, NULL); ++i) {
        def.name =
            strcmp(lyra_solver_name(i, NULL), name) == 0 ? lyra_solver_name(i, NULL) : def.name;
    }
    return take_methods(world, &world->spec.integrator, &def);
}
