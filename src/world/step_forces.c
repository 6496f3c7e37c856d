// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Forces that change with the steps: a column of a file for each step, then none.

#include "world/start.h"

#include <string.h>

struct LyStepForces {
    int64_t first; // unknown of the model
    LyraDense *columns;
};

static LyraStatus apply(void *self, LyraWorld *world, double begin, double end)
{
    (void)self, (void)begin, (void)end;
    int64_t step = lyra_state_view(world->state).steps;
    memset(world->step_force, 0, 3 * (size_t)world->vertex_count * sizeof *world->step_force);
    for (int32_t f = 0; f < world->step_force_count; ++f) {
        LyraDenseView view = lyra_dense_view(world->step_forces[f].columns);
        double *to = world->step_force + world->step_forces[f].first;
        for (int64_t i = 0; i < view.rows && step < view.columns; ++i) {
            to[i] += view.values[i + step * view.rows];
        }
    }
    return ly_undo_set_force(&world->undo, world->model, world->step_force);
}

// says nothing but `all`
static bool is_all(const LyraSelector *select)
{
    return select->all && !select->vertices && !select->file && !select->set && !select->box &&
           !select->sphere && !select->half_space && !select->near && select->component < 0 &&
           !select->component_at && !select->surface && !select->normal && !select->invert;
}

LyraStatus ly_world_add_step_forces(LyraWorld *world, const LyraLoadDef *load)
{
    LyraDense *columns = NULL;
    int32_t first, end;
    LY_TRY(ly_select_bodies(world, load->body, &first, &end));
    if (!is_all(&load->select)) {
        return ly_fail_key(LYRA_BAD_FORMAT, "select",
                           "found a selection of vertices beside file, expected {all: true}");
    }
    int32_t from = world->views[first].first_vertex;
    int32_t to = world->views[end - 1].first_vertex + world->views[end - 1].vertex_count;
    LY_TRY(ly_within_key(
        ly_world_load_columns(world, load->file, 3 * (int64_t)(to - from), 0, &columns), "file"));
    int32_t count = world->step_force_count;
    LyraStatus status =
        ly_grow_array(world->ctx, count, sizeof *world->step_forces, &world->step_forces);
    if (status == LYRA_OK && count == 0) {
        status = ly_world_take_rule(world, (LyRule){.apply = apply});
    }
    if (status != LYRA_OK) {
        lyra_dense_destroy(columns);
        return status;
    }
    world->step_forces[count] = (LyStepForces){3 * (int64_t)from, columns};
    ++world->step_force_count;
    return LYRA_OK;
}

LyraStatus ly_world_prepare_step_forces(LyraWorld *world)
{
    return world->step_force_count && !world->step_force
               ? ly_allocate_zeroed(world->ctx, 3 * (int64_t)world->vertex_count,
                                    sizeof *world->step_force, &world->step_force)
               : LYRA_OK;
}

void ly_world_end_step_forces(LyraWorld *world)
{
    for (int32_t f = 0; f < world->step_force_count; ++f) {
        lyra_dense_destroy(world->step_forces[f].columns);
    }
    ly_release(world->ctx, world->step_forces);
    ly_release(world->ctx, world->step_force);
}
