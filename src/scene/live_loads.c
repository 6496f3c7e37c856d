// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// What the loads of a scene push its vertices with now, for people who look at it. Forces on
// vertices are external forces of the model; tractions and pressures are among its forces, with
// minus the load as their gradient, which is summed here triangle by triangle.

#include "force/force.h"
#include "lyra/scene_live.h"
#include "lyra/traction.h"
#include "model/model.h"
#include "scene/scene.h"

#include <string.h>

static bool is_traction(const LyraForce *force)
{
    return strcmp(lyra_force_type(force)->name, "traction") == 0;
}

// Where tractions are evaluated.
typedef struct Tractions {
    LyraEvaluation at;
    double *gradients; // [3][3] per triangle of the largest one
    double *energies;  // [1] per triangle of it
} Tractions;

static LyraStatus prepare(LyraScene *scene, int32_t most, Tractions *out)
{
    LyraStateView state = lyra_state_view(scene->state);
    LY_TRY(ly_allocate_array(scene->ctx, 9 * (int64_t)most, sizeof(double), &out->gradients));
    LY_TRY(ly_allocate_array(scene->ctx, most, sizeof(double), &out->energies));
    out->at = (LyraEvaluation){
        .u = lyra_vector_values(state.u), .v = lyra_vector_values(state.v), .time = state.time};
    return LYRA_OK;
}

// adds what force `index` of the model does
static LyraStatus add_traction(LyraScene *scene, const LyraForce *force, int32_t index,
                               Tractions *tractions, double *loads, double *energy)
{
    const double *gradients = tractions->gradients, *energies = tractions->energies;
    LY_TRY(lyra_assembly_evaluate_stencils(lyra_model_assembly(scene->model), index, &tractions->at,
                                           tractions->energies, tractions->gradients));
    for (int32_t t = 0; t < force->stencil_count; ++t) {
        *energy += energies[t];
    }
    for (int64_t c = 0; loads && c < 3 * (int64_t)force->stencil_count; ++c) {
        for (int i = 0; i < 3; ++i) {
            loads[3 * (int64_t)force->stencils[c] + i] -= gradients[3 * c + i];
        }
    }
    return LYRA_OK;
}

LyraStatus lyra_scene_loads(LyraScene *scene, double *loads, double *energy)
{
    LYRA_ASSERT(scene);
    LyraStateView state = lyra_state_view(scene->state);
    Tractions tractions = {0};
    int32_t most = 0, first = 0;
    double sum = 0;
    LyraStatus status = LYRA_OK;
    for (int32_t f = 0; f < scene->force_count; ++f) {
        const LyraForce *force = scene->forces[f];
        most = is_traction(force) && force->stencil_count > most ? force->stencil_count : most;
    }
    if (most > 0) {
        LY_TRY_DONE(prepare(scene, most, &tractions));
    }
    if (loads) {
        ly_model_loads(scene->model, state.time, lyra_vector_values(state.u),
                       lyra_vector_values(state.v), loads);
    }
    // the solids' own forces come first in the model
    for (int32_t b = 0; b < scene->body_count; ++b) {
        int32_t count = 0;
        if (scene->bodies[b].solid) {
            lyra_solid_forces(scene->bodies[b].solid, &count);
        }
        first += count;
    }
    for (int32_t f = 0; f < scene->force_count; ++f) {
        if (most > 0 && is_traction(scene->forces[f])) {
            LY_TRY_DONE(add_traction(scene, scene->forces[f], first + f, &tractions, loads, &sum));
        }
    }
    if (energy) {
        *energy = sum;
    }
done:
    ly_release(scene->ctx, tractions.gradients);
    ly_release(scene->ctx, tractions.energies);
    return status;
}
