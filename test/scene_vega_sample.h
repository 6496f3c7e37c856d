// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Runs a sample scene of Vega where this machine has it.

#ifndef SCENE_VEGA_SAMPLE_H
#define SCENE_VEGA_SAMPLE_H

#include "lyra_test.h"

#include "lyra/mesh_ops.h"
#include "lyra/scene.h"

#include <string.h>

#define SAMPLE_STEPS 100

// Nothing pulls these bodies, so they stay at rest; a push says more. All free vertices get a
// velocity, of a size that bends the body, and the energies must not grow over what it brought.
static inline void push_sample(LyraWorld *world, double speed)
{
    LyraWorldView view = lyra_world_view(world);
    double *v = lyra_vector_values_mutable(lyra_state_view(view.state).v);
    for (int32_t i = 0; i < view.bodies[0].vertex_count; ++i) {
        v[3 * i + 1] = speed;
    }
    lyra_constraints_project(lyra_model_constraints(view.model), v);
}

// 100 steps of scene `name` in the folder of samples
static inline void run_sample(const char *name, double speed)
{
    char path[1024];
    snprintf(path, sizeof path, "vega-examples/examples/%s", name);
    const char *found = test_reference_path(path);
    if (!found) {
        TEST_SKIP("the sample scenes are not here");
    }
    snprintf(path, sizeof path, "%s", found);
    LyraContext *ctx = test_context(2, LYRA_ISA_AUTO);
    LyraWorld *world = NULL;
    if (TEST_OK(lyra_world_load(ctx, path, NULL, &world, NULL))) {
        LyraWorldView view = lyra_world_view(world);
        LyraStateView state = lyra_state_view(view.state);
        push_sample(world, speed);
        double start = 0, last = 0;
        for (int32_t s = 0; s < SAMPLE_STEPS; ++s) {
            LyraStepReport report;
            if (!TEST_OK(lyra_world_step(world, &report))) {
                break;
            }
            last = report.kinetic + report.elastic;
            start = s == 0 ? last : start;
        }
        TEST_EQUAL(lyra_state_view(view.state).steps, SAMPLE_STEPS);
        TEST_CHECK(lyra_vector_is_finite(state.u) && lyra_vector_is_finite(state.v));
        TEST_CHECK_MSG(last <= 1.05 * start, "%s: %g J at the end, %g J after one step", name, last,
                       start);
        TEST_CHECK(start > 0 && lyra_vector_norm(state.u) > 0);
        TEST_EQUAL(view.body_count, 1);
        TEST_CHECK(view.bodies[0].surface_count > 0);
    }
    lyra_world_destroy(world);
    test_context_end(ctx);
}

#endif
