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

static bool make_relaxing(LyraContext *ctx, const char *integrator, const char *solver,
                          const LyraPlasticityDef *plasticity,
                          const LyraViscoelasticityDef *viscosity, const char *model, Body *body,
                          LyraIntegrator **it)
{
    BodyDef settings = body_def();
    settings.model = model;
    settings.poisson = 0.3;
    settings.cells[0] = 2;
    settings.cells[1] = settings.cells[2] = 1;
    settings.gravity = -9.81;
    settings.solver = solver;
    settings.plasticity = plasticity;
    settings.viscoelasticity = viscosity;
    LyraIntegratorDef def = lyra_integrator_def_default();
    def.name = integrator;
    return make_body(ctx, &settings, body) &&
           TEST_OK(lyra_integrator_create(ctx, &def, body->system, it));
}

static bool make(LyraContext *ctx, const char *integrator, const char *solver,
                 const LyraPlasticityDef *plasticity, Body *body, LyraIntegrator **it)
{
    return make_relaxing(ctx, integrator, solver, plasticity, NULL, "hencky", body, it);
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
                        balance += report.numerical;
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

// what the account of a run from rest under gravity has in the end
typedef struct Account {
    double growth; // of kinetic + elastic
    double plastic, viscous, work, change, numerical;
} Account;

// damped, flowing, or relaxing (2 to 4); if it changes, moduli and strength fall to the half
static Account keep_account(const char *integrator, int material, bool changes, int32_t steps)
{
    const LyraRelaxationBranch branches[2] = {{0.03, 0.8, 0.2}, {0.003, 0.5, 0}};
    const LyraRelaxationBranch maxwell = {0.01, 2e4, 0};
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    LyraPlasticityDef plasticity = soft(LYRA_YIELD_VON_MISES);
    LyraViscoelasticityDef viscosity = lyra_viscoelasticity_def_default();
    plasticity.viscosity = 0;
    viscosity.model = material == 3 ? LYRA_RELAXATION_MAXWELL : LYRA_RELAXATION_PRONY;
    viscosity.branches = material == 3 ? &maxwell : branches;
    viscosity.branch_count = material == 3 ? 1 : 2;
    const char *model = material == 4 ? "corotational-exact" : "hencky";
    Account account = {0};
    double last = 1;
    Body body;
    LyraIntegrator *it = NULL;
    if (make_relaxing(ctx, integrator, "dense", material == 1 ? &plasticity : NULL,
                      material >= 2 ? &viscosity : NULL, model, &body, &it)) {
        if (material == 0) {
            lyra_model_set_damping(body.model, 0, 1e-2);
        }
        for (int32_t i = 0; i < steps; ++i) {
            static const char *const names[] = {"mu", "lambda", "yield"};
            double values[64], share = changes ? 1 - 0.5 * i / steps : 1;
            // moduli of the law, of the series beside it, and the strength
            for (int p = 0; p < (material == 4 ? 4 : material == 1 ? 3 : 2); ++p) {
                int32_t group = material == 4 ? p / 2 : 0;
                const char *parameter = names[material == 4 ? p % 2 : p];
                TEST_OK(lyra_model_get_parameter(body.model, group, parameter, values));
                for (int32_t e = 0; e < lyra_mesh_view(body.mesh).element_count; ++e) {
                    values[e] *= share / last;
                }
                TEST_OK(lyra_model_set_parameter(body.model, group, parameter, values));
            }
            last = share;
            LyraStepReport report;
            TEST_OK(lyra_integrator_step(it, body.state, 0.1 / steps, &report));
            TEST_CHECK(report.dissipated == report.plastic + report.viscous);
            TEST_CHECK(changes ? report.change <= 0 : report.change == 0);
            account.growth = report.kinetic + report.elastic;
            account.plastic += report.plastic;
            account.viscous += report.viscous;
            account.work += report.work;
            account.change += report.change;
            account.numerical += report.numerical;
        }
    }
    end(&body, it);
    test_context_end(ctx);
    return account;
}

LYRA_TEST(what_is_numerical_falls_with_the_order_of_the_method_and_the_rest_closes)
{
    // flow and maxwell are of first order, whatever the method
    static const struct {
        const char *name;
        double order;
        int32_t fine;
    } materials[] = {{"damped", 1.7, 8000},
                     {"flowing", 0.8, 8000},
                     {"prony", 1.7, 8000},
                     {"maxwell", 0.8, 32000},
                     {"corotated", 1.7, 8000}};
    for (int m = 0; m < 5; ++m) {
        for (int midpoint = 0; midpoint < 2; ++midpoint) {
            const char *name = midpoint ? "implicit-midpoint" : "backward-euler";
            double numerical[2];
            for (int half = 0; half < 2; ++half) {
                Account a = keep_account(name, m, true, 200 << half);
                double sum = a.growth + a.plastic + a.viscous + a.numerical - a.work - a.change;
                TEST_NEAR(sum, 0, 1e-12 * a.work);
                TEST_CHECK(m == 1 ? a.plastic > 0.01 * a.work && a.viscous == 0
                                  : a.viscous > 0.01 * a.work && a.plastic == 0);
                TEST_CHECK(a.change < -1e-3 * a.work);
                TEST_CHECK(midpoint || a.numerical > 1e-3 * a.work);
                numerical[half] = fabs(a.numerical / a.work);
            }
            double order = log2(numerical[0] / numerical[1]);
            TEST_CHECK_MSG(order > (midpoint ? materials[m].order : 0.8), "%s, %s: order %g",
                           materials[m].name, name, order);
        }
        Account a = keep_account("implicit-midpoint", m, true, materials[m].fine);
        TEST_CHECK_MSG(fabs(a.numerical) < 1e-6 * a.work, "%s: off by %g of the work",
                       materials[m].name, a.numerical / a.work);
        a = keep_account("newmark", m, false, 100);
        TEST_CHECK(a.change == 0);
    }
}

// all that the material remembers, [history_count] of all groups
static double *find_memory(const Body *body, int64_t *count)
{
    LyraStateBlock block;
    *count = 0;
    double *values = NULL;
    for (int32_t i = 0; lyra_state_block_at(body->state, i, &block); ++i) {
        for (int64_t v = 0; block.owner == LYRA_STATE_MATERIAL && v < block.count; ++v) {
            size_t bytes = (size_t)block.size * sizeof *values;
            values = realloc(values, (size_t)*count * sizeof *values + bytes);
            memcpy(values + *count, lyra_vector_values(block.vectors[v]), bytes);
            *count += block.size;
        }
    }
    return values;
}

// the material of a restart: flow by stress, flow by strain, both with branches, series, and those
// beside a corotational law
enum { RESTARTS = 5 };

static bool make_restart(LyraContext *ctx, const char *integrator, int32_t m, Body *body,
                         LyraIntegrator **it)
{
    const LyraRelaxationBranch branches[2] = {{0.03, 0.8, 0.2}, {0.003, 0.5, 0}};
    const LyraRelaxationBranch maxwell = {0.01, 2e4, 0};
    LyraPlasticityDef plasticity = soft(m == 1 ? LYRA_YIELD_DEFORMATION : LYRA_YIELD_VON_MISES);
    LyraViscoelasticityDef series = lyra_viscoelasticity_def_default();
    plasticity.yield_stress = 10;
    plasticity.yield_strain = 1e-4;
    series.model = m == 2 ? LYRA_RELAXATION_MAXWELL : LYRA_RELAXATION_PRONY;
    series.branches = m == 2 ? &maxwell : branches;
    series.branch_count = m == 2 ? 1 : 2;
    return make_relaxing(ctx, integrator, "pcg", m < 3 ? &plasticity : NULL, m < 2 ? NULL : &series,
                         m == 4 ? "corotational-exact" : "hencky", body, it);
}

LYRA_TEST(plastic_and_viscous_restarts_in_mid_flow_continue_with_the_same_bits)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    LyraIntegratorFacts facts;
    for (int32_t n = 0; lyra_integrator_name(n, &facts) && !facts.constant; ++n) {
        for (int32_t m = 0; m < RESTARTS; ++m) {
            Body a, b;
            LyraIntegrator *it_a = NULL, *it_b = NULL;
            if (m == 1 && strcmp(facts.name, "static") == 0) {
                continue;
            }
            if (make_restart(ctx, facts.name, m, &a, &it_a) &&
                make_restart(ctx, facts.name, m, &b, &it_b)) {
                for (int32_t i = 0; i < 100; ++i) {
                    TEST_OK(lyra_integrator_step(it_a, a.state, 4e-4, NULL));
                    if (i == 79) {
                        TEST_CHECK_MSG(m >= 3 || flow_of(&a) > 0, "%s", facts.name);
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
                int64_t count[2];
                double *memory[2] = {find_memory(&a, &count[0]), find_memory(&b, &count[1])};
                TEST_CHECK(count[0] > 0 && count[0] == count[1]);
                TEST_CHECK_MSG(
                    memcmp(body_u(&a), body_u(&b), SIZE * sizeof(double)) == 0 &&
                        memcmp(memory[0], memory[1], (size_t)count[0] * sizeof(double)) == 0,
                    "%s, material %d", facts.name, m);
                free(memory[0]);
                free(memory[1]);
            }
            end(&a, it_a);
            end(&b, it_b);
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
