// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Forces that change with the steps: a column of a file for each step, then none.

#include "world/start.h"

#include <string.h>

struct LyStepForces {
    int32_t first, end; // bodies, whose vertices follow one another in a column
    LyraDense *columns;
};

static LyraStatus apply(void *self, LyraWorld *world, double begin, double end)
{
    (void)self, (void)begin, (void)end;
    int64_t step = lyra_state_view(world->state).steps;
    memset(world->step_force, 0, 3 * (size_t)world->vertex_count * sizeof *world->step_force);
    for (int32_t f = 0; f < world->step_force_count; ++f) {
        LyraDenseView view = lyra_dense_view(world->step_forces[f].columns);
        const double *from = step < view.columns ? view.values + step * view.rows : NULL;
        for (int32_t b = world->step_forces[f].first; from && b < world->step_forces[f].end; ++b) {
            double *to = world->step_force + 3 * (int64_t)world->views[b].first_vertex;
            int64_t count = 3 * (int64_t)world->views[b].vertex_count;
            for (int64_t i = 0; i < count; ++i) {
                to[i] += from[i];
            }
            from += count;
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
    int64_t vertices = 0;
    for (int32_t b = first; b < end; ++b) {
        vertices += world->views[b].vertex_count;
    }
    LY_TRY(
        ly_within_key(ly_world_load_columns(world, load->file, 3 * vertices, 0, &columns), "file"));
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
    world->step_forces[count] = (LyStepForces){first, end, columns};
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
