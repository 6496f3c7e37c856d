// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// A model is constant while it is shared: states, systems and integrators of one model on several
// threads at once give the bits that they give one after another.

#include "model_parts.h"

#include <pthread.h>

#define HOSTS 2
#define STEPS 6

// a state on its way, with a system and an integrator of its own
typedef struct Run {
    LyraSystem *system;
    LyraState *state;
    LyraIntegrator *integrator;
    LyraStatus status;
} Run;

static void begin(const Mixed *body, LyraContext *ctx, const char *integrator, int32_t which,
                  Run *run)
{
    LyraIntegratorDef def = lyra_integrator_def_default();
    LyraSolverDef solver = lyra_solver_def_default();
    def.name = integrator;
    *run = (Run){0};
    TEST_OK(lyra_system_create_sparse(ctx, body->model, &solver, &run->system));
    TEST_OK(lyra_system_state_create(run->system, &run->state));
    TEST_OK(lyra_integrator_create(ctx, &def, run->system, &run->integrator));
    LyraVector *v = lyra_state_view(run->state).v;
    for (int32_t i = 0; i < lyra_vector_size(v); ++i) {
        lyra_vector_values_mutable(v)[i] = 0.1 * sin(i + 7 * which);
    }
    lyra_system_project(run->system, v);
}

static void end(Run *run)
{
    lyra_integrator_destroy(run->integrator);
    lyra_state_destroy(run->state);
    lyra_system_destroy(run->system);
}

static void *step(void *data)
{
    Run *run = data;
    run->status = LYRA_OK;
    for (int32_t k = 0; k < STEPS && run->status == LYRA_OK; ++k) {
        run->status = lyra_integrator_step(run->integrator, run->state, 0.002, NULL);
    }
    return NULL;
}

// `contexts`: of the hosts, which may be one
static void check(const Mixed *body, LyraContext *const contexts[HOSTS], const char *integrator)
{
    Run alone[HOSTS], together[HOSTS];
    pthread_t hosts[HOSTS];
    for (int32_t h = 0; h < HOSTS; ++h) {
        begin(body, contexts[h], integrator, h, &alone[h]);
        begin(body, contexts[h], integrator, h, &together[h]);
    }
    for (int32_t h = 0; h < HOSTS; ++h) {
        step(&alone[h]);
    }
    for (int32_t h = 0; h < HOSTS; ++h) {
        TEST_EQUAL(pthread_create(&hosts[h], NULL, step, &together[h]), 0);
    }
    for (int32_t h = 0; h < HOSTS; ++h) {
        pthread_join(hosts[h], NULL);
    }
    for (int32_t h = 0; h < HOSTS; ++h) {
        TEST_CHECK_MSG(alone[h].status == LYRA_OK && together[h].status == LYRA_OK,
                       "%s: statuses %d and %d", integrator, (int)alone[h].status,
                       (int)together[h].status);
        TEST_CHECK_MSG(lyra_state_equal(alone[h].state, together[h].state), "%s on host %d",
                       integrator, (int)h);
    }
    // the two did not do the same
    TEST_CHECK(!lyra_state_equal(alone[0].state, alone[1].state));
    for (int32_t h = 0; h < HOSTS; ++h) {
        end(&alone[h]);
        end(&together[h]);
    }
}

static void check_all(int32_t threads, bool one_context, int32_t kinds)
{
    static const char *const integrators[] = {"backward-euler", "newmark", "bdf2", "rosenbrock4",
                                              "symplectic-euler"};
    LyraContext *owner = test_context(1, LYRA_ISA_AUTO), *contexts[HOSTS];
    for (int32_t h = 0; h < HOSTS; ++h) {
        contexts[h] = one_context && h > 0 ? contexts[0] : test_context(threads, LYRA_ISA_AUTO);
    }
    Mixed body = mixed_create(owner, kinds, 0.1, 0.002);
    mixed_hold(&body);
    for (size_t i = 0; i < sizeof integrators / sizeof integrators[0]; ++i) {
        check(&body, contexts, integrators[i]);
    }
    mixed_end(&body);
    for (int32_t h = 0; h < (one_context ? 1 : HOSTS); ++h) {
        test_context_end(contexts[h]);
    }
    test_context_end(owner);
}

LYRA_TEST(a_model_is_constant_while_shared_by_contexts)
{
    check_all(1, false, MIXED_SYMMETRIC);
    check_all(2, false, MIXED_ALL);
}

LYRA_TEST(a_model_is_constant_while_shared_in_one_context)
{
    check_all(2, true, MIXED_SYMMETRIC);
    check_all(1, true, MIXED_ALL);
}
