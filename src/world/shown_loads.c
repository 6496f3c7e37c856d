// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// What the loads of a world push its vertices with now, for people who look at it. Forces on
// vertices are external forces of the model; tractions and pressures are among its forces, with
// minus the load as their gradient, which is summed here triangle by triangle.

#include "force/force.h"
#include "lyra/traction.h"
#include "model/model.h"
#include "world/world.h"

#include <string.h>

// Where tractions are evaluated.
typedef struct Tractions {
    double *gradients; // [3][3] per triangle of the largest one
    double *energies;  // [1] per triangle of it
} Tractions;

static LyraStatus prepare(LyraWorld *world, int32_t most, Tractions *out)
{
    LY_TRY(ly_allocate_array(world->ctx, 9 * (int64_t)most, sizeof(double), &out->gradients));
    LY_TRY(ly_allocate_array(world->ctx, most, sizeof(double), &out->energies));
    return LYRA_OK;
}

// adds what a group of loads does
static LyraStatus add_traction(const LyraWorld *world, const LyraForceGroup *group,
                               Tractions *tractions, double *loads, double *energy)
{
    const double *gradients = tractions->gradients, *energies = tractions->energies;
    const int32_t *stencils = lyra_force_view(group->force).stencils;
    LY_TRY(ly_model_evaluate_group(world->model, group->id, world->state, tractions->energies,
                                   tractions->gradients));
    for (int32_t t = 0; t < group->stencil_count; ++t) {
        *energy += energies[t];
    }
    for (int64_t c = 0; loads && c < 3 * (int64_t)group->stencil_count; ++c) {
        for (int i = 0; i < 3; ++i) {
            loads[3 * (int64_t)(group->first_vertex + stencils[c]) + i] -= gradients[3 * c + i];
        }
    }
    return LYRA_OK;
}

LyraStatus lyra_world_loads(LyraWorld *world, double *loads, double *energy)
{
    LYRA_ASSERT(world);
    LY_TRY(lyra_world_prepare(world));
    LyraStateView state = lyra_state_view(world->state);
    Tractions tractions = {0};
    LyraForceGroup group;
    int32_t most = 0;
    double sum = 0;
    LyraStatus status = LYRA_OK;
    for (int32_t g = 0; lyra_model_group(world->model, g, &group); ++g) {
        bool load = group.type->traits & LYRA_FORCE_LOAD;
        most = load && group.stencil_count > most ? group.stencil_count : most;
    }
    if (most > 0) {
        LY_TRY_DONE(prepare(world, most, &tractions));
    }
    if (loads) {
        // without gravity, whether it changes or not
        memcpy(loads, world->model->force, 3 * (size_t)world->vertex_count * sizeof *loads);
        ly_world_add_nodals(world, state.time, lyra_vector_values(state.u),
                            lyra_vector_values(state.v), loads);
    }
    for (int32_t g = 0; most > 0 && lyra_model_group(world->model, g, &group); ++g) {
        if (group.type->traits & LYRA_FORCE_LOAD) {
            LY_TRY_DONE(add_traction(world, &group, &tractions, loads, &sum));
        }
    }
    if (energy) {
        *energy = sum;
    }
done:
    ly_release(world->ctx, tractions.gradients);
    ly_release(world->ctx, tractions.energies);
    return status;
}
