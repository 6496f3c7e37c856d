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

// adds those of force `index` of the model; `gradients` has room for its triangles
static LyraStatus add_traction(LyraScene *scene, const LyraForce *force, int32_t index,
                               const LyraEvaluation *at, double *gradients, double *loads)
{
    LY_TRY(lyra_assembly_evaluate_stencils(lyra_model_assembly(scene->model), index, at, NULL,
                                           gradients));
    for (int64_t c = 0; c < 3 * (int64_t)force->stencil_count; ++c) {
        for (int i = 0; i < 3; ++i) {
            loads[3 * (int64_t)force->stencils[c] + i] -= gradients[3 * c + i];
        }
    }
    return LYRA_OK;
}

LyraStatus lyra_scene_loads(LyraScene *scene, double *loads)
{
    LYRA_ASSERT(scene && loads);
    LyraModelView model = lyra_model_view(scene->model);
    LyraStateView state = lyra_state_view(scene->state);
    const double *u = lyra_vector_values(state.u), *v = lyra_vector_values(state.v);
    int64_t size = 3 * (int64_t)model.vertex_count;
    int32_t most = 0, first = 0;
    double *x = NULL, *gradients = NULL;
    LyraStatus status = LYRA_OK;
    for (int32_t f = 0; f < scene->force_count; ++f) {
        const LyraForce *force = scene->forces[f];
        most = is_traction(force) && force->stencil_count > most ? force->stencil_count : most;
    }
    if (most == 0) {
        ly_model_loads(scene->model, state.time, u, v, loads);
        return LYRA_OK;
    }
    LY_TRY_DONE(ly_allocate_array(scene->ctx, size, sizeof *x, &x));
    LY_TRY_DONE(ly_allocate_array(scene->ctx, 9 * (int64_t)most, sizeof *gradients, &gradients));
    ly_model_loads(scene->model, state.time, u, v, loads);
    for (int64_t i = 0; i < size; ++i) {
        x[i] = model.positions[i] + u[i];
    }
    // the solids' own forces come first in the model
    for (int32_t b = 0; b < scene->body_count; ++b) {
        int32_t count = 0;
        if (scene->bodies[b].solid) {
            lyra_solid_forces(scene->bodies[b].solid, &count);
        }
        first += count;
    }
    const LyraEvaluation at = {.x = x, .v = v, .time = state.time};
    for (int32_t f = 0; f < scene->force_count; ++f) {
        if (is_traction(scene->forces[f])) {
            LY_TRY_DONE(add_traction(scene, scene->forces[f], first + f, &at, gradients, loads));
        }
    }
done:
    ly_release(scene->ctx, x);
    ly_release(scene->ctx, gradients);
    return status;
}
