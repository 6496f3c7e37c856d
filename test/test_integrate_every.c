// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// What every integrator of the list promises, on a sparse model with constraints that move: the
// same bits after a restart and at any number of threads, no allocation after the first step.

#include "integrate_cases.h"

#define SIZE (3 * 3 * 2 * 2)
#define STEP 1e-4

// the held end goes up and down
static void shake(void *user, double t, double *u, double *v, double *a)
{
    (void)user;
    const double w = 40;
    for (int32_t i = 1; i < SIZE; i += 3) {
        u[i] = 0.01 * (1 - cos(w * t));
        if (v) {
            v[i] = 0.01 * w * sin(w * t);
        }
        if (a) {
            a[i] = 0.01 * w * w * cos(w * t);
        }
    }
}

static bool make(LyraContext *ctx, const char *name, Body *body, LyraIntegrator **it)
{
    BodyDef settings = body_def();
    settings.cells[0] = 2;
    settings.cells[1] = settings.cells[2] = 1;
    settings.gravity = -9.81;
    settings.mass_damping = 0.5;
    settings.stiffness_damping = 1e-3;
    settings.prescription = shake;
    settings.solver = "pcg";
    LyraIntegratorDef def = lyra_integrator_def_default();
    def.name = name;
    def.critical_interval = 3;
    return make_body(ctx, &settings, body) &&
           TEST_OK(lyra_integrator_create(ctx, &def, body->system, it));
}

static void step(LyraIntegrator *it, LyraState *state, int32_t begin, int32_t end)
{
    for (int32_t i = begin; i < end; ++i) {
        TEST_OK(lyra_integrator_step(it, state, i < 9 ? STEP : 0.7 * STEP, NULL));
    }
}

LYRA_TEST(every_restart_continues_with_the_same_bits)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    LyraIntegratorFacts facts;
    int32_t count = 0;
    for (; lyra_integrator_name(count, &facts); ++count) {
        Body body, other;
        LyraIntegrator *it = NULL, *fresh = NULL;
        bool made = make(ctx, facts.name, &body, &it);
        made = make(ctx, facts.name, &other, &fresh) && made;
        if (made) {
            step(it, body.state, 0, 7);
            size_t bytes = lyra_state_packed_size(body.state);
            void *packed = malloc(bytes);
            lyra_state_pack(body.state, packed);
            step(it, body.state, 7, 13);
            TEST_OK(lyra_state_unpack(other.state, packed, bytes));
            step(fresh, other.state, 7, 13);
            TEST_CHECK_MSG(lyra_state_equal(body.state, other.state), "%s: other bits", facts.name);
            free(packed);
        }
        lyra_integrator_destroy(it);
        lyra_integrator_destroy(fresh);
        end_body(&body);
        end_body(&other);
    }
    TEST_CHECK_MSG(count >= 21, "%d integrators", (int)count);
    test_context_end(ctx);
}

static void compute_bits(LyraContext *ctx, void *data, void *out)
{
    Body body;
    LyraIntegrator *it = NULL;
    if (make(ctx, data, &body, &it)) {
        TEST_EQUAL(body.size, SIZE);
        step(it, body.state, 0, 5);
        memcpy(out, body_u(&body), SIZE * sizeof(double));
        memcpy((double *)out + SIZE, body_v(&body), SIZE * sizeof(double));
    }
    lyra_integrator_destroy(it);
    end_body(&body);
}

LYRA_TEST(threads_change_no_bit_of_any)
{
    LyraIntegratorFacts facts;
    for (int32_t i = 0; lyra_integrator_name(i, &facts); ++i) {
        char name[32];
        snprintf(name, sizeof name, "%s", facts.name);
        test_same_bits(compute_bits, name, 2 * SIZE * sizeof(double));
    }
}

LYRA_TEST(no_step_after_the_first_allocates)
{
    LyraContext *ctx = test_context(2, LYRA_ISA_AUTO);
    LyraIntegratorFacts facts;
    for (int32_t i = 0; lyra_integrator_name(i, &facts); ++i) {
        Body body;
        LyraIntegrator *it = NULL;
        if (make(ctx, facts.name, &body, &it)) {
            step(it, body.state, 0, 1);
            int64_t before = test_allocation_count();
            step(it, body.state, 1, 12);
            TEST_CHECK_MSG(test_allocation_count() == before, "%s: %lld requests", facts.name,
                           (long long)(test_allocation_count() - before));
        }
        lyra_integrator_destroy(it);
        end_body(&body);
    }
    test_context_end(ctx);
}
