// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Dense systems by functions: forces, derivatives, products and solves against plain loops; the
// checks of arguments and of the order of calls that all systems share.

#include "lyra/system.h"
#include "lyra_test.h"

#include <stdlib.h>
#include <string.h>

#define N 4

// f_i = u_i^3 + c v_i u_next - sin t, energy u^4 / 4
static void cubic(void *user, double t, const double *u, const double *v, double *g, double *energy)
{
    double c = *(double *)user;
    for (int i = 0; i < N; ++i) {
        g[i] += u[i] * u[i] * u[i] + c * v[i] * u[(i + 1) % N] - sin(t);
        *energy += 0.25 * u[i] * u[i] * u[i] * u[i];
    }
}

static void cubic_tangent(void *user, double t, const double *u, const double *v, double *K,
                          double *C)
{
    (void)t;
    double c = *(double *)user;
    for (int i = 0; i < N; ++i) {
        K[i + N * i] += 3 * u[i] * u[i];
        K[i + N * ((i + 1) % N)] += c * v[i];
        C[i + N * i] += c * u[(i + 1) % N];
    }
}

typedef struct Fixture {
    LyraContext *ctx;
    LyraSystem *system;
    LyraVector *u, *v, *x, *y, *z;
    double mass[N * N], damping[N * N], stiffness[N * N], coupling;
} Fixture;

static LyraDenseSystemDef def_of(Fixture *f)
{
    LyraDenseSystemDef def = lyra_dense_system_def_default();
    def.size = N;
    def.mass = f->mass;
    def.damping = f->damping;
    def.stiffness = f->stiffness;
    def.force = cubic;
    def.tangent = cubic_tangent;
    def.user = &f->coupling;
    return def;
}

static void set_random(LyraVector *x, TestRandom *random)
{
    for (int i = 0; i < N; ++i) {
        lyra_vector_values_mutable(x)[i] = test_random_normal(random);
    }
}

static void setup(Fixture *f, uint32_t traits, double coupling)
{
    *f = (Fixture){.ctx = test_context(1, LYRA_ISA_AUTO), .coupling = coupling};
    TestRandom random = test_random(3);
    for (int i = 0; i < N; ++i) {
        for (int j = 0; j <= i; ++j) {
            f->mass[i + N * j] = f->mass[j + N * i] =
                (i == j ? 3 : 0) + test_random_in(&random, -0.3, 0.3);
            f->damping[i + N * j] = f->damping[j + N * i] = test_random_in(&random, -1, 1);
            f->stiffness[i + N * j] = f->stiffness[j + N * i] = test_random_in(&random, -1, 1);
        }
    }
    LyraDenseSystemDef def = def_of(f);
    def.traits = traits;
    TEST_OK(lyra_system_create_dense_functions(f->ctx, &def, &f->system));
    LyraVector **all[] = {&f->u, &f->v, &f->x, &f->y, &f->z};
    for (int i = 0; i < 5; ++i) {
        TEST_OK(lyra_vector_create(f->ctx, N, all[i]));
        set_random(*all[i], &random);
    }
}

static void end(Fixture *f)
{
    LyraVector *all[] = {f->u, f->v, f->x, f->y, f->z};
    for (int i = 0; i < 5; ++i) {
        lyra_vector_destroy(all[i]);
    }
    lyra_system_destroy(f->system);
    test_context_end(f->ctx);
}

static LyraPoint point_of(const Fixture *f)
{
    return (LyraPoint){.time = 0.7, .dt = 0.1, .u = f->u, .v = f->v};
}

LYRA_TEST(forces_match_plain_loops)
{
    Fixture f;
    setup(&f, 0, 0.5);
    LyraPoint at = point_of(&f);
    double elastic = 0, potential = 0, energy = 0, expected[N] = {0}, damping[N] = {0};
    const double *u = lyra_vector_values(f.u), *v = lyra_vector_values(f.v);
    for (int j = 0; j < N; ++j) {
        for (int i = 0; i < N; ++i) {
            expected[i] += f.stiffness[i + N * j] * u[j];
            damping[i] += f.damping[i + N * j] * v[j];
            energy += 0.5 * u[i] * f.stiffness[i + N * j] * u[j];
        }
    }
    cubic(&f.coupling, 0.7, u, v, expected, &energy);
    LyraResponse response = {
        .g = f.x, .external = f.y, .damping = f.z, .elastic = &elastic, .potential = &potential};
    TEST_OK(lyra_system_evaluate(f.system, &at, &response));
    for (int i = 0; i < N; ++i) {
        TEST_NEAR(lyra_vector_values(f.x)[i], expected[i] + damping[i], 1e-14);
        TEST_NEAR(lyra_vector_values(f.z)[i], damping[i], 1e-14);
        TEST_CHECK(lyra_vector_values(f.y)[i] == 0);
    }
    TEST_NEAR(elastic, energy, 1e-14);
    TEST_NEAR(potential, energy, 1e-14);
    TEST_STRING(lyra_system_name(f.system), "dense functions");
    TEST_EQUAL(lyra_system_size(f.system), N);
    TEST_CHECK(!(lyra_system_traits(f.system) & LYRA_SYSTEM_HISTORY));
    TEST_CHECK(!lyra_system_constraints(f.system));
    LyraDetF det_f = lyra_system_det_f(f.system, f.u);
    TEST_CHECK(det_f.min == 1 && det_f.element == -1 && det_f.inverted == 0 && det_f.elements == 0);
    // held at zero, as nothing is held
    lyra_system_prescribe(f.system, 0.1, f.x, NULL, f.y);
    TEST_CHECK(lyra_vector_norm(f.x) == 0 && lyra_vector_norm(f.y) == 0);
    end(&f);
}

static void residual(void *data, const double *x, double *g)
{
    Fixture *f = data;
    memcpy(lyra_vector_values_mutable(f->y), x, N * sizeof *x);
    memcpy(lyra_vector_values_mutable(f->z), x + N, N * sizeof *x);
    LyraPoint at = {.time = 0.7, .u = f->y, .v = f->z};
    LyraResponse response = {.g = f->x};
    TEST_OK(lyra_system_evaluate(f->system, &at, &response));
    memcpy(g, lyra_vector_values(f->x), N * sizeof *g);
}

LYRA_TEST(tangents_match_differences)
{
    Fixture f;
    setup(&f, 0, 0.5);
    double x[2 * N], direction[2 * N] = {0}, derivative[N];
    memcpy(x, lyra_vector_values(f.u), N * sizeof *x);
    memcpy(x + N, lyra_vector_values(f.v), N * sizeof *x);
    LyraPoint at = point_of(&f);
    TEST_OK(lyra_system_linearise(f.system, &at, false));
    for (int by = 0; by < 2; ++by) {
        memset(direction, 0, sizeof direction);
        memcpy(direction + N * by, lyra_vector_values(f.y), N * sizeof *x);
        (by ? lyra_system_apply_damping : lyra_system_apply_stiffness)(f.system, f.y, f.x);
        memcpy(derivative, lyra_vector_values(f.x), sizeof derivative);
        test_check_difference(
            test_difference(residual, &f, 2 * N, N, x, direction, derivative, 0.1), 1e-9,
            by ? "C" : "K");
        memcpy(lyra_vector_values_mutable(f.y), direction + N * by, N * sizeof *x);
    }
    end(&f);
}

LYRA_TEST(products_and_solves_agree)
{
    for (int symmetric = 0; symmetric < 2; ++symmetric) {
        Fixture f;
        setup(&f, symmetric ? LYRA_SYSTEM_SYMMETRIC : 0, symmetric ? 0 : 0.5);
        LyraPoint at = point_of(&f);
        LyraSolveReport report;
        TEST_EQUAL(lyra_system_traits(f.system), symmetric ? LYRA_SYSTEM_SYMMETRIC : 0);
        TEST_OK(lyra_system_linearise(f.system, &at, symmetric));
        TEST_OK(lyra_system_form(f.system, 1, 0.1, 0.01));
        TEST_OK(lyra_system_solve(f.system, f.u, 0, f.x, &report));
        TEST_STRING(report.solver, "dense");
        TEST_CHECK(report.residual < 1e-14);
        lyra_system_apply(f.system, f.x, f.y);
        lyra_vector_axpby(-1, f.u, 1, f.y);
        TEST_NEAR(lyra_vector_norm(f.y), 0, 1e-14);
        // the sum of its parts
        lyra_system_apply(f.system, f.u, f.x);
        lyra_system_apply_mass(f.system, f.u, f.y);
        lyra_vector_axpby(-1, f.y, 1, f.x);
        lyra_system_apply_damping(f.system, f.u, f.y);
        lyra_vector_axpby(-0.1, f.y, 1, f.x);
        lyra_system_apply_stiffness(f.system, f.u, f.y);
        lyra_vector_axpby(-0.01, f.y, 1, f.x);
        TEST_NEAR(lyra_vector_norm(f.x), 0, 1e-14);
        TEST_OK(lyra_system_solve_mass(f.system, f.u, f.x));
        lyra_system_apply_mass(f.system, f.x, f.y);
        lyra_vector_axpby(-1, f.u, 1, f.y);
        TEST_NEAR(lyra_vector_norm(f.y), 0, 1e-14);
        if (symmetric) {
            // a positive tangent
            lyra_system_apply_stiffness(f.system, f.u, f.y);
            TEST_CHECK(lyra_vector_dot(f.u, f.y) >= 0);
            lyra_system_apply_damping(f.system, f.u, f.y);
            TEST_CHECK(lyra_vector_dot(f.u, f.y) >= 0);
        }
        end(&f);
    }
}

LYRA_TEST(indefinite_systems_are_a_status)
{
    Fixture f;
    setup(&f, LYRA_SYSTEM_SYMMETRIC, 0);
    lyra_vector_fill(f.u, 0);
    LyraPoint at = point_of(&f);
    TEST_OK(lyra_system_linearise(f.system, &at, false));
    TEST_STATUS(lyra_system_form(f.system, 0, 0, 1), LYRA_NOT_POSITIVE_DEFINITE);
    TEST_STATUS(lyra_system_solve(f.system, f.u, 0, f.x, NULL), LYRA_INVALID_ARGUMENT);
    TEST_CONTAINS(lyra_error_message(), "form before solve");
    TEST_OK(lyra_system_form(f.system, 1, 0, 1e-3));
    TEST_OK(lyra_system_solve(f.system, f.v, 0, f.x, NULL));
    TEST_STATUS(lyra_system_form(f.system, 0, 0, 1), LYRA_NOT_POSITIVE_DEFINITE);
    // the positive one
    TEST_OK(lyra_system_linearise(f.system, &at, true));
    TEST_OK(lyra_system_form(f.system, 1e-3, 0, 1));
    end(&f);
}

LYRA_TEST(calls_out_of_order_or_range_are_refused)
{
    Fixture f;
    setup(&f, 0, 0.5);
    LyraPoint at = point_of(&f);
    LyraResponse response = {.g = f.x};
    TEST_STATUS(lyra_system_form(f.system, 1, 0, 0), LYRA_INVALID_ARGUMENT);
    TEST_CONTAINS(lyra_error_message(), "linearise before form");
    TEST_OK(lyra_system_update_damping(f.system, &at));
    TEST_OK(lyra_system_linearise(f.system, &at, false));
    TEST_STATUS(lyra_system_form(f.system, 1, NAN, 0), LYRA_NOT_FINITE);
    TEST_OK(lyra_system_form(f.system, 1, 0, 0));
    TEST_STATUS(lyra_system_solve(f.system, f.u, 1, f.x, NULL), LYRA_INVALID_ARGUMENT);
    TEST_STATUS(lyra_system_solve(f.system, f.u, NAN, f.x, NULL), LYRA_INVALID_ARGUMENT);
    LyraVector *small = NULL;
    TEST_OK(lyra_vector_create(f.ctx, N - 1, &small));
    TEST_STATUS(lyra_system_solve(f.system, small, 0, f.x, NULL), LYRA_INVALID_ARGUMENT);
    TEST_STATUS(lyra_system_solve_mass(f.system, f.x, small), LYRA_INVALID_ARGUMENT);
    response.damping = small;
    TEST_STATUS(lyra_system_evaluate(f.system, &at, &response), LYRA_INVALID_ARGUMENT);
    response.damping = NULL;
    at.v = small;
    TEST_STATUS(lyra_system_evaluate(f.system, &at, &response), LYRA_INVALID_ARGUMENT);
    TEST_CONTAINS(lyra_error_message(), "v has 3 entries, expected 4");
    at.v = NULL;
    TEST_STATUS(lyra_system_linearise(f.system, &at, false), LYRA_INVALID_ARGUMENT);
    at = point_of(&f);
    at.time = INFINITY;
    TEST_STATUS(lyra_system_evaluate(f.system, &at, &response), LYRA_INVALID_ARGUMENT);
    lyra_vector_destroy(small);
    end(&f);
}

LYRA_TEST(bad_settings_are_refused)
{
    Fixture f;
    setup(&f, 0, 0.5);
    LyraSystem *system = NULL;
    LyraDenseSystemDef def = {.size = N, .mass = f.mass};
    TEST_STATUS(lyra_system_create_dense_functions(f.ctx, &def, &system), LYRA_INVALID_ARGUMENT);
    def = def_of(&f);
    def.tangent = NULL;
    TEST_STATUS(lyra_system_create_dense_functions(f.ctx, &def, &system), LYRA_INVALID_ARGUMENT);
    def = def_of(&f);
    def.mass = NULL;
    TEST_STATUS(lyra_system_create_dense_functions(f.ctx, &def, &system), LYRA_INVALID_ARGUMENT);
    def = def_of(&f);
    def.size = -1;
    TEST_STATUS(lyra_system_create_dense_functions(f.ctx, &def, &system), LYRA_INVALID_ARGUMENT);
    def = def_of(&f);
    f.stiffness[1] = NAN;
    TEST_STATUS(lyra_system_create_dense_functions(f.ctx, &def, &system), LYRA_NOT_FINITE);
    f.stiffness[1] = 9;
    def.traits = LYRA_SYSTEM_SYMMETRIC;
    TEST_STATUS(lyra_system_create_dense_functions(f.ctx, &def, &system), LYRA_INVALID_ARGUMENT);
    TEST_CONTAINS(lyra_error_message(), "the stiffness has");
    def.traits = 0;
    f.mass[0] = -1;
    TEST_STATUS(lyra_system_create_dense_functions(f.ctx, &def, &system),
                LYRA_NOT_POSITIVE_DEFINITE);
    LyraSystemType type = {.name = "half"};
    TEST_STATUS(lyra_system_create(f.ctx, &type, NULL, &system), LYRA_INVALID_ARGUMENT);
    TEST_CHECK(!system);
    lyra_system_destroy(NULL);
    end(&f);
}

static LyraStatus build(LyraContext *ctx, void *data)
{
    Fixture *f = data;
    LyraDenseSystemDef def = def_of(f);
    LyraSystem *system = NULL;
    LyraState *state = NULL;
    LyraStatus status = lyra_system_create_dense_functions(ctx, &def, &system);
    status = status ? status : lyra_system_state_create(system, &state);
    if (status == LYRA_OK) {
        LyraStateView view = lyra_state_view(state);
        LyraPoint at = {.u = view.u, .v = view.v};
        status = lyra_system_linearise(system, &at, false);
        status = status ? status : lyra_system_form(system, 1, 1e-3, 1e-3);
        status = status ? status : lyra_system_solve(system, view.u, 0, view.v, NULL);
    }
    lyra_state_destroy(state);
    lyra_system_destroy(system);
    return status;
}

LYRA_TEST(failing_allocations_leak_nothing_and_steps_allocate_nothing)
{
    Fixture f;
    setup(&f, 0, 0.5);
    test_fail_each_allocation(build, &f);
    LyraPoint at = point_of(&f);
    LyraResponse response = {.g = f.x};
    int64_t before = 0;
    for (int step = 0; step < 3; ++step) {
        TEST_OK(lyra_system_evaluate(f.system, &at, &response));
        TEST_OK(lyra_system_linearise(f.system, &at, false));
        TEST_OK(lyra_system_form(f.system, 1, 0.1, 0.01));
        TEST_OK(lyra_system_solve(f.system, f.u, 0, f.x, NULL));
        TEST_OK(lyra_system_solve_mass(f.system, f.u, f.x));
        before = step == 0 ? test_allocation_count() : before;
    }
    TEST_EQUAL(test_allocation_count(), before);
    end(&f);
}
