// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Bodies that flow, under integrators and statics: the account of energy, restarts, threads,
// strength that changes, scales.

#include "integrate_cases.h"

#define SIZE (3 * 3 * 2 * 2)

static LyraPlasticityDef soft(LyraYield yield)
{
    LyraPlasticityDef def = lyra_plasticity_def_default();
    def.yield = yield;
    def.yield_stress = 150;
    def.yield_strain = 2e-3;
    def.hardening = 5e3;
    return def;
}

static bool make(LyraContext *ctx, const char *integrator, const char *solver,
                 const LyraPlasticityDef *plasticity, Body *body, LyraIntegrator **it)
{
    BodyDef settings = body_def();
    settings.model = "hencky";
    settings.poisson = 0.3;
    settings.cells[0] = 2;
    settings.cells[1] = settings.cells[2] = 1;
    settings.gravity = -9.81;
    settings.solver = solver;
    settings.plasticity = plasticity;
    LyraIntegratorDef def = lyra_integrator_def_default();
    def.name = integrator;
    return make_body(ctx, &settings, body) &&
           TEST_OK(lyra_integrator_create(ctx, &def, body->system, it));
}

static void end(Body *body, LyraIntegrator *it)
{
    lyra_integrator_destroy(it);
    end_body(body);
}

static double flow_of(const Body *body)
{
    int32_t count = lyra_mesh_view(body->mesh).element_count;
    double *values = malloc((size_t)count * sizeof *values), most = 0;
    TEST_OK(lyra_model_read_history(body->model, 0, body->state, 9, values));
    for (int32_t e = 0; e < count; ++e) {
        most = fmax(most, values[e]);
    }
    free(values);
    return most;
}

LYRA_TEST(plastic_bodies_keep_account_of_what_they_lose)
{
    static const char *const names[] = {"implicit-midpoint", "newmark", "symplectic-euler",
                                        "central-differences"};
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    for (int y = 0; y < 2; ++y) {
        // flow at the end of steps is of first order in what a step adds beyond yield
        LyraPlasticityDef plasticity = soft((LyraYield)y);
        plasticity.yield_strain = 0.02;
        for (int n = 0; n < 4; ++n) {
            double off[2];
            for (int fine = 0; fine < 2; ++fine) {
                Body body;
                LyraIntegrator *it = NULL;
                double lost = 0, work = 0, balance = 0;
                int32_t steps = fine ? 800 : 400;
                if (make(ctx, names[n], "dense", &plasticity, &body, &it)) {
                    for (int32_t i = 0; i < steps; ++i) {
                        LyraStepReport report;
                        TEST_OK(lyra_integrator_step(it, body.state, 0.4 / steps, &report));
                        TEST_CHECK(report.dissipated >= 0);
                        lost += report.dissipated;
                        work += report.work;
                        balance += report.balance;
                    }
                    TEST_CHECK(flow_of(&body) > 0.01);
                    TEST_CHECK(lost > 0.05 * work);
                }
                off[fine] = fabs(balance) / work;
                end(&body, it);
            }
            bool falls = off[1] < 0.02 || (y == LYRA_YIELD_DEFORMATION && off[1] < 0.6 * off[0]);
            TEST_CHECK_MSG(falls && off[1] < 0.2, "%s, %s: balance off by %g, then %g of the work",
                           lyra_yield_name((LyraYield)y), names[n], off[0], off[1]);
        }
    }
    test_context_end(ctx);
}

LYRA_TEST(plastic_restart_in_mid_flow_continues_with_the_same_bits)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    LyraIntegratorFacts facts;
    for (int32_t n = 0; lyra_integrator_name(n, &facts) && !facts.constant; ++n) {
        for (int y = 0; y < 2; ++y) {
            LyraPlasticityDef plasticity = soft((LyraYield)y);
            bool late = y == LYRA_YIELD_DEFORMATION && strcmp(facts.name, "static") == 0;
            plasticity.yield_stress = 10;
            plasticity.yield_strain = 1e-4;
            Body a, b;
            LyraIntegrator *it_a = NULL, *it_b = NULL;
            if (!late && make(ctx, facts.name, "pcg", &plasticity, &a, &it_a) &&
                make(ctx, facts.name, "pcg", &plasticity, &b, &it_b)) {
                for (int32_t i = 0; i < 100; ++i) {
                    TEST_OK(lyra_integrator_step(it_a, a.state, 4e-4, NULL));
                    if (i == 79) {
                        TEST_CHECK_MSG(flow_of(&a) > 0, "%s", facts.name);
                        size_t bytes = lyra_state_packed_size(a.state);
                        void *packed = malloc(bytes);
                        lyra_state_pack(a.state, packed);
                        TEST_OK(lyra_state_unpack(b.state, packed, bytes));
                        free(packed);
                    }
                    if (i >= 80) {
                        TEST_OK(lyra_integrator_step(it_b, b.state, 4e-4, NULL));
                    }
                }
                TEST_CHECK_MSG(memcmp(body_u(&a), body_u(&b), SIZE * sizeof(double)) == 0 &&
                                   flow_of(&a) == flow_of(&b),
                               "%s, %s", facts.name, lyra_yield_name((LyraYield)y));
            }
            if (!late) {
                end(&a, it_a);
                end(&b, it_b);
            }
        }
    }
    test_context_end(ctx);
}

static void run_threads(LyraContext *ctx, void *data, void *out)
{
    LyraPlasticityDef plasticity = soft(*(LyraYield *)data);
    Body body;
    LyraIntegrator *it = NULL;
    double *values = out;
    if (make(ctx, "backward-euler", "pcg", &plasticity, &body, &it)) {
        for (int32_t i = 0; i < 20; ++i) {
            LyraStepReport report;
            TEST_OK(lyra_integrator_step(it, body.state, 0.01, &report));
            values[SIZE] += report.dissipated;
        }
        memcpy(values, body_u(&body), SIZE * sizeof *values);
    }
    end(&body, it);
}

LYRA_TEST(plastic_runs_have_the_same_bits_on_any_threads)
{
    for (int y = 0; y < 2; ++y) {
        LyraYield yield = (LyraYield)y;
        test_same_bits(run_threads, &yield, (SIZE + 1) * sizeof(double));
    }
}

LYRA_TEST(plastic_statics_hold_at_yield_and_refuse_flow_at_commit)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    LyraPlasticityDef plasticity = soft(LYRA_YIELD_VON_MISES);
    Body body;
    LyraIntegrator *it = NULL;
    if (make(ctx, "static", "dense", &plasticity, &body, &it)) {
        LyraStepReport report;
        TEST_OK(lyra_integrator_step(it, body.state, 1, &report));
        TEST_CHECK(flow_of(&body) > 1e-3);
        // unloaded it stays bent, and loses hardly more
        double before = flow_of(&body), lost = report.dissipated, zero[3] = {0}, sag = 0;
        lyra_model_set_gravity(body.model, zero);
        TEST_OK(lyra_integrator_step(it, body.state, 1, &report));
        for (int32_t i = 1; i < SIZE; i += 3) {
            sag = fmin(sag, body_u(&body)[i]);
        }
        TEST_CHECK_MSG(sag < -1e-4, "%g", sag);
        TEST_NEAR(flow_of(&body), before, 0);
        TEST_CHECK(report.dissipated >= 0 && report.dissipated < 0.05 * lost);
    }
    end(&body, it);
    plasticity = soft(LYRA_YIELD_DEFORMATION);
    it = NULL;
    if (make(ctx, "static", "dense", &plasticity, &body, &it)) {
        LyraStepReport report;
        TEST_STATUS(lyra_integrator_step(it, body.state, 1, &report), LYRA_UNSUPPORTED);
        TEST_EQUAL(report.outcome, LYRA_STEP_REFUSED);
        TEST_CONTAINS(lyra_error_message(), "flows at the end of a step alone");
    }
    end(&body, it);
    test_context_end(ctx);
}

LYRA_TEST(plastic_strength_may_change_by_element_while_it_moves)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    LyraPlasticityDef plasticity = soft(LYRA_YIELD_VON_MISES);
    plasticity.yield_stress = 1e5;
    Body body;
    LyraIntegrator *it = NULL;
    if (make(ctx, "backward-euler", "dense", &plasticity, &body, &it)) {
        LyraStepReport report;
        int32_t count = lyra_mesh_view(body.mesh).element_count;
        double *yields = malloc((size_t)count * sizeof *yields);
        double *flow = malloc((size_t)count * sizeof *flow);
        for (int32_t i = 0; i < 20; ++i) {
            TEST_OK(lyra_integrator_step(it, body.state, 0.01, NULL));
        }
        TEST_NEAR(flow_of(&body), 0, 0);
        // half of it melts; its elastic energy is not the work of a step
        for (int32_t e = 0; e < count; ++e) {
            yields[e] = e % 2 ? 1e5 : 20;
        }
        TEST_OK(lyra_model_set_parameter(body.model, 0, "yield", yields));
        for (int32_t i = 0; i < 20; ++i) {
            TEST_OK(lyra_integrator_step(it, body.state, 0.01, &report));
            TEST_CHECK(report.dissipated >= 0);
        }
        TEST_OK(lyra_model_read_history(body.model, 0, body.state, 9, flow));
        for (int32_t e = 0; e < count; ++e) {
            TEST_CHECK(e % 2 ? flow[e] == 0 : flow[e] > 0);
        }
        yields[1] = -1;
        TEST_STATUS(lyra_model_set_parameter(body.model, 0, "yield", yields),
                    LYRA_INVALID_ARGUMENT);
        free(yields);
        free(flow);
    }
    end(&body, it);
    test_context_end(ctx);
}
