// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// A step of a world: what changes with time, then the integrator.

#include "integrate/integrate.h"
#include "model/state.h"
#include "world/world.h"

// The report of a whole step from those of its parts: counts, times and energies that passed are
// sums, the rest is that of the last part.
static void add_report(LyraStepReport *sum, const LyraStepReport *part)
{
    LyraStepReport last = *part;
    last.dt += sum->dt;
    last.substeps += sum->substeps;
    last.rejected += sum->rejected;
    last.newton_iterations += sum->newton_iterations;
    last.line_search_steps += sum->line_search_steps;
    last.psd_iterations += sum->psd_iterations;
    last.linear_iterations += sum->linear_iterations;
    last.evaluations += sum->evaluations;
    last.factorisations += sum->factorisations;
    last.residual_first = sum->residual_first;
    last.assembly_seconds += sum->assembly_seconds;
    last.solve_seconds += sum->solve_seconds;
    last.total_seconds += sum->total_seconds;
    last.work += sum->work;
    last.change += sum->change;
    last.dissipated += sum->dissipated;
    last.plastic += sum->plastic;
    last.viscous += sum->viscous;
    last.numerical += sum->numerical;
    last.error = sum->error > part->error ? sum->error : part->error;
    *sum = last;
}

static LyraStatus apply_rules(LyraWorld *world, double begin, double end)
{
    for (int32_t r = 0; r < world->rule_count; ++r) {
        LY_TRY(world->rules[r].apply(world->rules[r].self, world, begin, end));
    }
    return LYRA_OK;
}

// the parts of a step to `end`, in world->work
static LyraStatus take_parts(LyraWorld *world, double start, double end, LyraStepReport *report)
{
    LyraStatus status = ly_integrator_begin_parts(world->integrator, world->work, world->dt, end);
    for (int32_t s = 0; s < world->substeps && status == LYRA_OK; ++s) {
        LyraStepReport part = {0};
        double part_end =
            s + 1 < world->substeps ? start + (s + 1.0) / world->substeps * world->dt : end;
        status = ly_integrator_step_to(world->integrator, world->work, world->dt / world->substeps,
                                       part_end, &part);
        if (s == 0) {
            *report = part;
        } else {
            add_report(report, &part);
        }
    }
    bool ended = status == LYRA_OK;
    if (ended) {
        // a step of the world counts as one
        ly_state_tick(world->work, world->state, world->dt);
    }
    LyraStatus kept = ly_integrator_end_parts(world->integrator, ended ? world->work : NULL);
    return ended ? kept : status;
}

// all parts of a step, or none: they work on a copy of the state. Again where obstacles pulled.
static LyraStatus take_substeps(LyraWorld *world, LyraStepReport *report)
{
    double start = lyra_state_view(world->state).time;
    double end = lyra_state_next_time(world->state, world->dt);
    LyraStatus status = LYRA_OK;
    int32_t iterations = 0;
    bool again = true;
    for (int32_t pass = 0; again && status == LYRA_OK; ++pass) {
        LY_TRY(world->work ? lyra_state_assign(world->work, world->state)
                           : lyra_state_copy(world->state, &world->work));
        LY_TRY(ly_world_hold(world, world->work, end, pass));
        status = take_parts(world, start, end, report);
        iterations += report->newton_iterations;
        if (status == LYRA_OK) {
            status = ly_world_find_pulled(world, world->work, pass, &again);
        }
    }
    report->newton_iterations = iterations;
    if (status == LYRA_OK) {
        status = ly_world_project(world, world->work, report);
    }
    if (status == LYRA_OK) {
        status = ly_world_release(world, world->work, report);
    }
    if (status == LYRA_OK) {
        status = lyra_state_assign(world->state, world->work);
    }
    if (status != LYRA_OK) {
        report->time = start;
        report->dt = 0;
    }
    return status;
}

static LyraStatus take_step(LyraWorld *world, LyraStepReport *report)
{
    LY_TRY(apply_rules(world, report->time, lyra_state_next_time(world->state, world->dt)));
    return world->substeps > 1 || ly_world_projects(world) || ly_world_holds(world)
               ? take_substeps(world, report)
               : lyra_integrator_step(world->integrator, world->state, world->dt, report);
}

LyraStatus lyra_world_step(LyraWorld *world, LyraStepReport *report)
{
    LYRA_ASSERT(world);
    LyraStepReport local = {.outcome = LYRA_STEP_REFUSED};
    LyraStatus status = lyra_world_prepare(world);
    if (status == LYRA_OK) {
        local.time = lyra_state_view(world->state).time;
        status = take_step(world, &local);
    }
    if (status == LYRA_OK) {
        ly_undo_keep(&world->undo);
        ly_warn_bending(world);
        local.gap = ly_world_hard_gap(world);
    } else {
        ly_undo_back(&world->undo, world->model);
        local.outcome = local.outcome == LYRA_STEP_ACCEPTED ? LYRA_STEP_REFUSED : local.outcome;
        local.status = status;
    }
    if (report) {
        *report = local;
    }
    return status;
}
