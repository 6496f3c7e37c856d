// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// What integrators keep: momentum, energy and its account, equilibrium.

#include "integrate_cases.h"

// sum m v and sum m x cross v
static void find_momentum(const Body *body, double linear[3], double angular[3])
{
    LyraModelView view = lyra_model_view(body->model);
    for (int32_t k = 0; k < 3; ++k) {
        linear[k] = angular[k] = 0;
    }
    for (int32_t i = 0; i < body->vertex_count; ++i) {
        const double *v = body_v(body) + 3 * i;
        double x[3];
        for (int32_t k = 0; k < 3; ++k) {
            x[k] = view.positions[3 * i + k] + body_u(body)[3 * i + k];
            linear[k] += view.masses[i] * v[k];
        }
        for (int32_t k = 0; k < 3; ++k) {
            int32_t p = (k + 1) % 3, q = (k + 2) % 3;
            angular[k] += view.masses[i] * (x[p] * v[q] - x[q] * v[p]);
        }
    }
}

LYRA_TEST(midpoint_keeps_momentum_of_a_free_body)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    BodyDef settings = body_def();
    settings.fixed = false;
    settings.cells[0] = 2;
    settings.cells[1] = settings.cells[2] = 1;
    settings.solver = "dense";
    Body body;
    LyraIntegrator *it = NULL;
    LyraIntegratorDef def = lyra_integrator_def_default();
    def.name = "implicit-midpoint";
    def.newton.decrement = def.newton.residual = def.newton.step = 0; // to the floor of rounding
    if (make_body(ctx, &settings, &body) &&
        TEST_OK(lyra_integrator_create(ctx, &def, body.system, &it))) {
        // spinning and stretched, with a drift
        const double *X = lyra_mesh_view(body.mesh).positions;
        for (int32_t i = 0; i < body.vertex_count; ++i) {
            const double *x = X + 3 * i;
            body_u(&body)[3 * i] = 0.1 * x[0];
            body_v(&body)[3 * i] = 0.3 - 5 * x[1];
            body_v(&body)[3 * i + 1] = 5 * x[0] - 3 * x[2];
            body_v(&body)[3 * i + 2] = 3 * x[1] - 0.2;
        }
        double p[2][3], L[2][3], drift[2] = {0, 0}, size[2] = {0, 0}, first = 0, worst = 0;
        find_momentum(&body, p[0], L[0]);
        for (int32_t s = 0; s < 1000; ++s) {
            LyraStepReport report;
            if (!TEST_OK(lyra_integrator_step(it, body.state, 0.005, &report))) {
                break;
            }
            double energy = report.kinetic + report.elastic;
            first = s == 0 ? energy : first;
            worst = fmax(worst, fabs(energy - first));
            TEST_CHECK(report.newton_iterations < 12);
        }
        find_momentum(&body, p[1], L[1]);
        for (int32_t k = 0; k < 3; ++k) {
            drift[0] = fmax(drift[0], fabs(p[1][k] - p[0][k]));
            drift[1] = fmax(drift[1], fabs(L[1][k] - L[0][k]));
            size[0] = fmax(size[0], fabs(p[0][k]));
            size[1] = fmax(size[1], fabs(L[0][k]));
        }
        TEST_CHECK_MSG(drift[0] <= 1e-12 * size[0], "linear: %.3g", drift[0] / size[0]);
        TEST_CHECK_MSG(drift[1] <= 1e-12 * size[1], "angular: %.3g", drift[1] / size[1]);
        // energy oscillates by O(h^2) and does not drift away
        TEST_CHECK_MSG(worst < 0.15 * first, "energy off by %.3g of %.3g", worst, first);
    }
    lyra_integrator_destroy(it);
    end_body(&body);
    test_context_end(ctx);
}

// largest error of the energy of a free body that spins and is stretched, over 1 s and over its
// first half; a neo-Hookean body, so that the energy is no quadratic invariant
static void spin(const char *name, int32_t steps, double *half, double *whole)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    BodyDef settings = body_def();
    settings.fixed = false;
    settings.young = 1e4;
    settings.cells[0] = 2;
    settings.cells[1] = settings.cells[2] = 1;
    settings.solver = "dense";
    Body body;
    LyraIntegrator *it = NULL;
    LyraIntegratorDef def = lyra_integrator_def_default();
    def.name = name;
    def.critical = LYRA_CRITICAL_REFUSE;
    *half = *whole = 0;
    if (make_body(ctx, &settings, &body) &&
        TEST_OK(lyra_integrator_create(ctx, &def, body.system, &it))) {
        const double *X = lyra_mesh_view(body.mesh).positions;
        for (int32_t i = 0; i < body.vertex_count; ++i) {
            const double *x = X + 3 * i;
            body_u(&body)[3 * i] = 0.1 * x[0];
            body_v(&body)[3 * i] = -3 * x[1];
            body_v(&body)[3 * i + 1] = 3 * x[0];
        }
        LyraPoint at = {.u = lyra_state_view(body.state).u, .v = lyra_state_view(body.state).v};
        LyraModelView model = lyra_model_view(body.model);
        double first = 0;
        TEST_OK(lyra_system_evaluate(body.system, &at, &(LyraResponse){.elastic = &first}));
        for (int32_t i = 0; i < body.size; ++i) {
            first += 0.5 * model.masses[i / 3] * body_v(&body)[i] * body_v(&body)[i];
        }
        for (int32_t s = 0; s < steps; ++s) {
            LyraStepReport report;
            if (!TEST_OK(lyra_integrator_step(it, body.state, 1.0 / steps, &report))) {
                break;
            }
            double error = fabs(report.kinetic + report.elastic - first) / first;
            *whole = fmax(*whole, error);
            *half = s < steps / 2 ? *whole : *half;
        }
    }
    lyra_integrator_destroy(it);
    end_body(&body);
    test_context_end(ctx);
}

// the error of the energy of symplectic methods is of their order, and does not grow with time
LYRA_TEST(errors_of_energy_are_of_the_order_of_the_method)
{
    static const struct {
        const char *name;
        int32_t steps;
        double order;
    } cases[] = {{"implicit-midpoint", 400, 2}, {"symplectic-euler", 800, 1}, {"verlet", 400, 2}};
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; ++k) {
        double half[2], whole[2];
        for (int32_t r = 0; r < 2; ++r) {
            spin(cases[k].name, cases[k].steps << r, &half[r], &whole[r]);
        }
        double order = log2(whole[0] / whole[1]);
        printf("%s: %.3g and %.3g, order %.3f; halfway %.3g\n", cases[k].name, whole[0], whole[1],
               order, half[1]);
        TEST_CHECK_MSG(fabs(order - cases[k].order) <= 0.1 * test_tolerance_scale(),
                       "%s: the error of the energy falls with order %.3f", cases[k].name, order);
        TEST_CHECK_MSG(whole[1] < 1.4 * half[1], "%s: off by %.3g halfway, %.3g at the end",
                       cases[k].name, half[1], whole[1]);
    }
}

// kinetic + elastic over 300 steps of a plucked linear body
static void pluck(const char *name, double spectral_radius, double h, double *gain, double *loss)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    BodyDef settings = body_def();
    settings.model = "linear";
    settings.solver = "dense";
    Body body;
    LyraIntegrator *it = NULL;
    LyraIntegratorDef def = lyra_integrator_def_default();
    def.name = name;
    def.spectral_radius = spectral_radius;
    *gain = *loss = NAN;
    if (make_body(ctx, &settings, &body) &&
        TEST_OK(lyra_integrator_create(ctx, &def, body.system, &it))) {
        TestRandom random = test_random(3);
        const double *X = lyra_mesh_view(body.mesh).positions;
        for (int32_t i = 0; i < body.size; ++i) {
            bool held = X[i - i % 3] < -0.199;
            body_u(&body)[i] = held ? 0 : 0.01 * test_random_normal(&random);
            body_v(&body)[i] = held ? 0 : test_random_normal(&random);
        }
        LyraStepReport report;
        double last = INFINITY, first = 0;
        *gain = -INFINITY;
        for (int32_t s = 0; s < 300; ++s) {
            TEST_OK(lyra_integrator_step(it, body.state, h, &report));
            double energy = report.kinetic + report.elastic;
            first = s == 0 ? energy : first;
            *gain = s == 0 ? *gain : fmax(*gain, (energy - last) / first);
            last = energy;
        }
        *loss = (first - last) / first;
    }
    lyra_integrator_destroy(it);
    end_body(&body);
    test_context_end(ctx);
}

LYRA_TEST(linear_bodies_gain_no_energy)
{
    double gain, loss;
    static const double lengths[] = {1e-5, 1e-3, 1e-2, 1};
    for (int32_t k = 0; k < 4; ++k) {
        pluck("backward-euler", 0, lengths[k], &gain, &loss);
        TEST_CHECK_MSG(gain <= 1e-14, "backward Euler gains %.3g in a step of %g s", gain,
                       lengths[k]);
        TEST_CHECK(loss > (k < 2 ? 0 : 0.5));
    }
    // the trapezoidal rule keeps it, and so does generalised alpha without damping
    pluck("newmark", 0, 0.01, &gain, &loss);
    TEST_CHECK_MSG(fabs(gain) <= 1e-10 && fabs(loss) <= 1e-9, "newmark: %.3g, %.3g", gain, loss);
    pluck("implicit-midpoint", 0, 0.01, &gain, &loss);
    TEST_CHECK_MSG(fabs(gain) <= 1e-10 && fabs(loss) <= 1e-9, "midpoint: %.3g, %.3g", gain, loss);
    pluck("generalized-alpha", 0.2, 0.01, &gain, &loss);
    TEST_CHECK_MSG(loss > 0.1, "generalised alpha loses %.3g", loss);
}

// ---- the account --------------------------------------------------------------------------------

// the right end goes up and comes to rest
static void lift(void *user, double t, double *u, double *v, double *a)
{
    const LyraMeshView *mesh = user;
    double s = fmin(t / 0.2, 1), w = 0.05 * s * s * (3 - 2 * s);
    double rate = t < 0.2 ? 0.05 * 6 * s * (1 - s) / 0.2 : 0;
    double rise = t < 0.2 ? 0.05 * 6 * (1 - 2 * s) / 0.04 : 0;
    for (int32_t i = 0; i < mesh->vertex_count; ++i) {
        bool right = mesh->positions[3 * i] > 0;
        u[3 * i + 1] = right ? w : 0;
        if (v) {
            v[3 * i + 1] = right ? rate : 0;
        }
        if (a) {
            a[3 * i + 1] = right ? rise : 0;
        }
    }
}

// sum over the run of what is numerical, and the work
static void account(const char *name, int32_t steps, double *balance, double *work, double *lost)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    LyraMeshView mesh = {0};
    BodyDef settings = body_def();
    settings.held_both = true;
    settings.prescription = lift;
    settings.prescription_user = &mesh;
    settings.gravity = -9.81;
    settings.stiffness_damping = 2e-3;
    settings.solver = "dense";
    Body body;
    LyraIntegrator *it = NULL;
    LyraIntegratorDef def = lyra_integrator_def_default();
    def.name = name;
    *balance = *work = *lost = 0;
    if (make_body(ctx, &settings, &body) &&
        TEST_OK(lyra_integrator_create(ctx, &def, body.system, &it))) {
        mesh = lyra_mesh_view(body.mesh);
        for (int32_t s = 0; s < steps; ++s) {
            LyraStepReport report;
            TEST_OK(lyra_integrator_step(it, body.state, 0.25 / steps, &report));
            *balance += report.numerical;
            *work += report.work;
            *lost += report.dissipated;
            TEST_CHECK(report.dissipated >= 0);
        }
        // where it is held it is where it was told
        double worst = 0, *u = body_u(&body);
        for (int32_t i = 0; i < mesh.vertex_count; ++i) {
            bool right = mesh.positions[3 * i] > 0.199;
            worst = right ? fmax(worst, fabs(u[3 * i + 1] - 0.05)) : worst;
        }
        TEST_NEAR(worst, 0, 1e-15);
    }
    lyra_integrator_destroy(it);
    end_body(&body);
    test_context_end(ctx);
}

LYRA_TEST(the_account_balances_with_the_order_of_its_rule)
{
    double balance[3], work[3], lost[3];
    for (int32_t k = 0; k < 3; ++k) {
        account("newmark", 50 << k, &balance[k], &work[k], &lost[k]);
    }
    TEST_CHECK_MSG(fabs(work[2]) > 0.1 && lost[2] > 0.01, "work %g, lost %g", work[2], lost[2]);
    TEST_CHECK_MSG(fabs(balance[2]) < 2e-3 * fabs(work[2]), "balance %.3g of %.3g", balance[2],
                   work[2]);
    double order = log2(fabs(balance[1] / balance[2]));
    TEST_CHECK_MSG(order > 1.7, "the balance falls with order %.2f: %.3g, %.3g, %.3g", order,
                   balance[0], balance[1], balance[2]);
}

// ---- statics ------------------------------------------------------------------------------------

// tip of a beam under gravity
static double sag(const char *name, int32_t load_steps, double h, int32_t steps)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    BodyDef settings = body_def();
    settings.gravity = -9.81;
    settings.mass_damping = 20;
    settings.solver = "dense";
    Body body;
    double tip = NAN;
    LyraIntegrator *it = NULL;
    LyraIntegratorDef def = lyra_integrator_def_default();
    def.name = name;
    def.load_steps = load_steps;
    if (make_body(ctx, &settings, &body) &&
        TEST_OK(lyra_integrator_create(ctx, &def, body.system, &it))) {
        LyraStepReport report = {0};
        for (int32_t s = 0; s < steps; ++s) {
            TEST_OK(lyra_integrator_step(it, body.state, h, &report));
        }
        TEST_CHECK(strcmp(name, "static") != 0 || report.substeps == load_steps);
        tip = 0;
        for (int32_t i = 1; i < body.size; i += 3) {
            tip = fmin(tip, body_u(&body)[i]);
        }
    }
    lyra_integrator_destroy(it);
    end_body(&body);
    test_context_end(ctx);
    return tip;
}

LYRA_TEST(statics_finds_where_dynamics_comes_to_rest)
{
    double once = sag("static", 1, 1, 1), parts = sag("static", 5, 1, 1);
    double rest = sag("backward-euler", 1, 0.05, 200), huge = sag("backward-euler", 1, 1e6, 3);
    TEST_CHECK(once < -0.01);
    TEST_NEAR(parts, once, 1e-9);
    TEST_NEAR(rest, once, 1e-8);
    TEST_NEAR(huge, once, 1e-8);
}
