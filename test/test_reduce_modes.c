// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Linear modes: against closed forms, against dense eigenpairs, one method against the other; free
// bodies, unstable states, bad input.

#include "config.h"
#include "lyra/dense.h"
#include "lyra/modes.h"
#include "model_bodies.h"
#include "reduce/modes.h"

static const LyraModesMethod methods[] = {LYRA_MODES_LANCZOS, LYRA_MODES_ARPACK};
enum { METHOD_COUNT = LY_HAVE_ARPACK ? 2 : 1 };

static const char *const direct = "cholesky";

static LyraModesDef settings(int32_t count, LyraModesMethod method)
{
    LyraModesDef def = lyra_modes_def_default();
    def.count = count;
    def.method = method;
    return def;
}

// K x = l M x to the accuracy of the residuals, and X^T M X = 1
static void check_pairs(Body *body, const LyraModes *modes, double largest)
{
    LyraModesView view = lyra_modes_view(modes);
    const LyraConstraints *constraints = lyra_system_constraints(body->system);
    double unit = 0, error = 0, held = 0;
    for (int32_t k = 0; k < view.count; ++k) {
        double *x = lyra_vector_values_mutable(body->x);
        const double *mode = view.vectors + (int64_t)k * view.size;
        memcpy(x, mode, (size_t)view.size * sizeof *x);
        lyra_system_apply_mass(body->system, body->x, body->y);
        for (int32_t j = 0; j < view.count; ++j) {
            double product = 0;
            for (int32_t i = 0; i < view.size; ++i) {
                product +=
                    view.vectors[(int64_t)j * view.size + i] * lyra_vector_values(body->y)[i];
            }
            unit = fmax(unit, fabs(product - (j == k)));
        }
        // P (K x - l M x) over l_max M x
        double size = lyra_vector_norm(body->y);
        lyra_system_apply_stiffness(body->system, body->x, body->z);
        lyra_vector_axpby(-view.eigenvalues[k], body->y, 1, body->z);
        lyra_constraints_project(constraints, lyra_vector_values_mutable(body->z));
        error = fmax(error, lyra_vector_norm(body->z) / (largest * size));
        lyra_constraints_project(constraints, x);
        for (int32_t i = 0; i < view.size; ++i) {
            held = fmax(held, fabs(x[i] - mode[i]));
        }
        double w = 6.28318530717958647693 * view.frequencies[k];
        TEST_NEAR(copysign(w * w, w), view.eigenvalues[k], 1e-12 * fabs(view.eigenvalues[k]));
        TEST_CHECK(k == 0 || view.eigenvalues[k] >= view.eigenvalues[k - 1]);
    }
    TEST_NEAR(unit, 0, 1e-11);
    // the tolerance is on the inverse: what is left there of the highest modes counts l_max / l
    // here
    TEST_NEAR(error, 0, 1e-8);
    TEST_NEAR(held, 0, 1e-13); // of entries of about 10
}

// ---- closed forms -------------------------------------------------------------------------------

LYRA_TEST(chains_of_springs_match_the_closed_form)
{
    // N masses between walls: l = 4 k/m sin^2(j pi / 2 (N + 1)) along the chain, 0 across it
    const double k = 700, m = 0.3, pi = 3.14159265358979323846;
    const int32_t n = 12, free_masses = n - 2;
    for (SystemKind kind = 0; kind < SYSTEM_KIND_COUNT; ++kind) {
        for (int method = 0; method < METHOD_COUNT; ++method) {
            LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
            Body body = make_chain(ctx, n, k, m, true);
            make_system(&body, kind, NULL);
            // all there are but two, which is what ARPACK leaves
            LyraModesDef def = settings(3 * free_masses - 2, methods[method]);
            LyraModes *modes = NULL;
            LyraModesReport report;
            TEST_REQUIRE_OK(lyra_modes_create(body.system, NULL, &def, &modes, &report));
            LyraModesView view = lyra_modes_view(modes);
            TEST_EQUAL(view.rigid_count, 2 * free_masses);
            for (int32_t j = 1; j <= free_masses - 2; ++j) {
                double s = sin(0.5 * pi * j / (free_masses + 1)), exact = 4 * k / m * s * s;
                TEST_NEAR(view.eigenvalues[2 * free_masses + j - 1], exact, 1e-9 * exact);
            }
            TEST_CHECK(report.residual < 1e-6);
            check_pairs(&body, modes, 4 * k / m);
            lyra_modes_destroy(modes);
            end_body(&body);
            test_context_end(ctx);
        }
    }
}

// ---- dense eigenvalues --------------------------------------------------------------------------

// all eigenvalues of a body on a basis Z of what is free, rising, [returned count], to free()
static double *dense_values(Body *body, int32_t *count)
{
    int32_t n = body->size, m = 0;
    double *Z = calloc((size_t)n * (size_t)n, sizeof *Z), *values = calloc((size_t)n, sizeof *Z);
    double *reduced[2], *column = malloc((size_t)n * sizeof *column);
    for (int32_t i = 0; i < n; ++i) {
        memset(column, 0, (size_t)n * sizeof *column);
        column[i] = 1;
        lyra_constraints_project(lyra_system_constraints(body->system), column);
        for (int32_t f = 0; f < 2 * m; ++f) {
            const double *z = Z + (f % m) * n;
            double part = 0;
            for (int32_t r = 0; r < n; ++r) {
                part += z[r] * column[r];
            }
            for (int32_t r = 0; r < n; ++r) {
                column[r] -= part * z[r];
            }
        }
        double square = 0;
        for (int32_t r = 0; r < n; ++r) {
            square += column[r] * column[r];
        }
        if (square > 1e-8) {
            for (int32_t r = 0; r < n; ++r) {
                Z[r + m * n] = column[r] / sqrt(square);
            }
            ++m;
        }
    }
    for (int which = 0; which < 2; ++which) {
        reduced[which] = malloc((size_t)n * (size_t)n * sizeof *Z);
        for (int32_t f = 0; f < m; ++f) {
            memcpy(lyra_vector_values_mutable(body->x), Z + f * n, (size_t)n * sizeof *Z);
            (which ? lyra_system_apply_mass : lyra_system_apply_stiffness)(body->system, body->x,
                                                                           body->y);
            for (int32_t e = 0; e < m; ++e) {
                double sum = 0;
                for (int32_t r = 0; r < n; ++r) {
                    sum += Z[r + e * n] * lyra_vector_values(body->y)[r];
                }
                reduced[which][e + f * m] = sum;
            }
        }
    }
    TEST_OK(lyra_dense_eigen_generalised(body->ctx, m, reduced[0], reduced[1], values, NULL));
    free(Z);
    free(column);
    free(reduced[0]);
    free(reduced[1]);
    *count = m;
    return values;
}

LYRA_TEST(bodies_match_dense_eigenvalues_by_each_method)
{
    for (int way = 0; way < 16; ++way) {
        SystemKind kind = way & 4 ? SYSTEM_DENSE : SYSTEM_SPARSE;
        bool moved = way & 8, held = way & 2;
        LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
        BlockDef block = {.cells = {3, 2, 2}, .consistent = way & 1};
        Body body = make_block(ctx, &block);
        make_system(&body, kind, direct);
        if (held) {
            hold_some(&body);
        }
        lyra_vector_fill(body.v, 0);
        LyraPoint at = point_of(&body);
        for (int method = 0; method < METHOD_COUNT; ++method) {
            LyraModesDef def = settings(14, methods[method]);
            LyraModes *modes = NULL;
            LyraModesReport report;
            TEST_REQUIRE_OK(
                lyra_modes_create(body.system, moved ? &at : NULL, &def, &modes, &report));
            LyraModesView view = lyra_modes_view(modes);
            int32_t count;
            double *exact = dense_values(&body, &count);
            double largest = exact[count - 1];
            TEST_EQUAL(report.method, methods[method]);
            TEST_CHECK(report.largest <= largest * (1 + 1e-9) && report.largest > 0.9 * largest);
            // rounding disturbs eigenvalues by a few units of the largest
            for (int32_t k = 0; k < view.count; ++k) {
                TEST_CHECK_MSG(fabs(view.eigenvalues[k] - exact[k]) <= 1e-12 * largest,
                               "way %d, %s: mode %d is %.12g, expected %.12g", way,
                               lyra_modes_method_name(methods[method]), k, view.eigenvalues[k],
                               exact[k]);
            }
            TEST_EQUAL(view.rigid_count, held || moved ? (held ? 0 : 3) : 6);
            TEST_CHECK_MSG(report.residual < 1e-6, "way %d: residual %g", way, report.residual);
            check_pairs(&body, modes, largest);
            free(exact);
            lyra_modes_destroy(modes);
        }
        end_body(&body);
        test_context_end(ctx);
    }
}

// the smallest and the largest that can be asked for
LYRA_TEST(all_modes_of_a_body_can_be_had)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    Body body = make_block_system(ctx, &(BlockDef){.cells = {1, 1, 1}}, SYSTEM_SPARSE);
    hold_some(&body);
    int32_t count;
    LyraModesDef def = settings(1, LYRA_MODES_AUTO);
    LyraModes *modes = NULL;
    TEST_REQUIRE_OK(lyra_modes_create(body.system, NULL, &def, &modes, NULL));
    lyra_modes_destroy(modes);
    double *exact = dense_values(&body, &count);
    TEST_EQUAL(count, body.size - 9);
    def.count = count;
    TEST_REQUIRE_OK(lyra_modes_create(body.system, NULL, &def, &modes, NULL));
    for (int32_t k = 0; k < count; ++k) {
        TEST_NEAR(lyra_modes_view(modes).eigenvalues[k], exact[k], 1e-12 * exact[count - 1]);
    }
    lyra_modes_destroy(modes);
    def.count = count + 1;
    TEST_STATUS(lyra_modes_create(body.system, NULL, &def, &modes, NULL), LYRA_INVALID_ARGUMENT);
    TEST_CONTAINS(lyra_error_message(), "free unknowns");
    free(exact);
    end_body(&body);
    test_context_end(ctx);
}

// ---- multiple modes -----------------------------------------------------------------------------

// one value 20 times among others that are single: a block of 8 sees it 8 times
LYRA_TEST(values_more_often_multiple_than_the_block_is_wide_are_all_found)
{
    enum { EQUAL = 20, SIZE = 240 };
    for (int method = 0; method < METHOD_COUNT; ++method) {
        LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
        double *M = calloc(SIZE * SIZE, sizeof *M), *K = calloc(SIZE * SIZE, sizeof *K);
        for (int i = 0; i < SIZE; ++i) {
            M[i * (SIZE + 1)] = 2;
            K[i * (SIZE + 1)] = i < EQUAL ? 10 : 50 + i;
        }
        LyraDenseSystemDef def = lyra_dense_system_def_default();
        def.size = SIZE;
        def.mass = M;
        def.stiffness = K;
        def.traits = LYRA_SYSTEM_SYMMETRIC | LYRA_SYSTEM_LINEAR;
        LyraSystem *system = NULL;
        TEST_REQUIRE_OK(lyra_system_create_dense_functions(ctx, &def, &system));
        LyraModesDef search = settings(24, methods[method]);
        LyraModes *modes = NULL;
        LyraModesReport report;
        TEST_REQUIRE_OK(lyra_modes_create(system, NULL, &search, &modes, &report));
        LyraModesView view = lyra_modes_view(modes);
        TEST_CHECK(report.residual < 1e-9);
        for (int32_t k = 0; k < view.count; ++k) {
            TEST_NEAR(view.eigenvalues[k], k < EQUAL ? 5 : 0.5 * (50 + k), 1e-9);
        }
        lyra_modes_destroy(modes);
        lyra_system_destroy(system);
        free(M);
        free(K);
        test_context_end(ctx);
    }
}

// a search that has left out its lowest modes is told so, and gets them
LYRA_TEST(the_check_finds_what_a_search_has_overlooked)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    Body body = make_block(ctx, &(BlockDef){.cells = {3, 2, 2}});
    make_system(&body, SYSTEM_SPARSE, direct);
    hold_some(&body);
    LyraModesDef def = settings(9, LYRA_MODES_LANCZOS);
    LyraModes *modes = NULL;
    LyraModesReport report;
    TEST_REQUIRE_OK(lyra_modes_create(body.system, NULL, &def, &modes, &report));
    LyraModesView view = lyra_modes_view(modes);
    TEST_EQUAL(report.overlooked, 0);
    for (int32_t missing = 0; missing < 3; ++missing) {
        // six of the nine, without the first ones; the system is formed still
        LySearch search;
        def.count = 6;
        TEST_REQUIRE_OK(ly_search_create(body.system, &def, 1e-13, &search));
        search.tolerance = 1e-10;
        for (int32_t k = 0; k < 6; ++k) {
            search.values[k] = view.eigenvalues[k + missing];
            memcpy(lyra_vector_values_mutable(search.V[k]),
                   view.vectors + (int64_t)(k + missing) * view.size,
                   (size_t)view.size * sizeof(double));
        }
        TEST_OK(ly_search_check(&search, report.shift));
        TEST_EQUAL(search.overlooked, missing > 0);
        for (int32_t k = 0; k < 6; ++k) {
            TEST_NEAR(search.values[k], view.eigenvalues[k], 1e-10 * view.eigenvalues[k]);
        }
        ly_search_destroy(&search);
    }
    lyra_modes_destroy(modes);
    end_body(&body);
    test_context_end(ctx);
}

// ---- unstable states ----------------------------------------------------------------------------

LYRA_TEST(unstable_states_have_negative_values_first)
{
    // a chain pressed together: across it the springs push outwards
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    for (int method = 0; method < METHOD_COUNT; ++method) {
        Body body = make_chain(ctx, 10, 700, 0.3, true);
        make_system(&body, SYSTEM_SPARSE, NULL);
        lyra_vector_fill(body.v, 0);
        for (int32_t i = 0; i < body.size; ++i) {
            lyra_vector_values_mutable(body.u)[i] = i % 3 ? 0 : -0.1 * 0.5 * (i / 3);
        }
        LyraPoint at = point_of(&body);
        LyraModesDef def = settings(5, methods[method]);
        LyraModes *modes = NULL;
        LyraModesReport report;
        TEST_REQUIRE_OK(lyra_modes_create(body.system, &at, &def, &modes, &report));
        // transversal stiffness k (1 - r/|z|) = -k/9, each value twice
        LyraModesView view = lyra_modes_view(modes);
        double s = sin(0.5 * 3.14159265358979323846 * 8 / 9);
        double exact = -4 * 700 / 0.3 / 9 * s * s;
        TEST_NEAR(view.eigenvalues[0], exact, 1e-9 * fabs(exact));
        TEST_NEAR(view.eigenvalues[1], exact, 1e-9 * fabs(exact));
        TEST_CHECK(view.frequencies[0] < 0 && view.eigenvalues[2] > exact);
        TEST_CHECK(report.shift > -exact);
        lyra_modes_destroy(modes);
        // a shift that does not suffice is refused
        def.shift = -0.5 * exact;
        modes = NULL;
        TEST_STATUS(lyra_modes_create(body.system, &at, &def, &modes, NULL),
                    LYRA_NOT_POSITIVE_DEFINITE);
        TEST_CHECK(!modes);
        end_body(&body);
    }
    test_context_end(ctx);
}

// ---- other solvers ------------------------------------------------------------------------------

LYRA_TEST(an_iterative_solver_serves_too)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    for (int held = 0; held < 2; ++held) {
        double values[2][12];
        for (int iterate = 0; iterate < 2; ++iterate) {
            Body body = make_block(ctx, &(BlockDef){.cells = {4, 2, 2}});
            make_system(&body, SYSTEM_SPARSE, iterate ? "pcg" : "dense");
            if (held) {
                hold_some(&body);
            }
            LyraModesDef def = settings(12, LYRA_MODES_LANCZOS);
            LyraModes *modes = NULL;
            LyraModesReport report;
            TEST_REQUIRE_OK(lyra_modes_create(body.system, NULL, &def, &modes, &report));
            TEST_STRING(report.solver, iterate ? "pcg" : "dense");
            memcpy(values[iterate], lyra_modes_view(modes).eigenvalues, sizeof values[0]);
            TEST_EQUAL(lyra_modes_view(modes).rigid_count, held ? 0 : 6);
            lyra_modes_destroy(modes);
            end_body(&body);
        }
        for (int k = held ? 0 : 6; k < 12; ++k) {
            TEST_NEAR(values[1][k], values[0][k], 1e-9 * values[0][k]);
        }
    }
    test_context_end(ctx);
}

// ---- repeatability ------------------------------------------------------------------------------

static void compute_bits(LyraContext *ctx, void *data, void *out)
{
    LyraModesMethod method = *(const LyraModesMethod *)data;
    Body body = make_block(ctx, &(BlockDef){.cells = {5, 3, 3}});
    make_system(&body, SYSTEM_SPARSE, direct);
    LyraModesDef def = settings(9, method);
    LyraModes *modes = NULL;
    TEST_OK(lyra_modes_create(body.system, NULL, &def, &modes, NULL));
    if (modes) {
        LyraModesView view = lyra_modes_view(modes);
        memcpy(out, view.eigenvalues, 9 * sizeof(double));
        memcpy((double *)out + 9, view.vectors + 8 * view.size, 100 * sizeof(double));
    }
    lyra_modes_destroy(modes);
    end_body(&body);
}

LYRA_TEST(bits_do_not_depend_on_threads)
{
    for (int method = 0; method < METHOD_COUNT; ++method) {
        LyraModesMethod which = methods[method];
        test_same_bits(compute_bits, &which, 109 * sizeof(double));
    }
}

// ---- bad input ----------------------------------------------------------------------------------

LYRA_TEST(bad_input_is_refused_with_a_sentence)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    Body body = make_block_system(ctx, &(BlockDef){0}, SYSTEM_SPARSE);
    LyraModes *modes = NULL;
    LyraPoint at = point_of(&body);
    LyraModesDef good = settings(3, LYRA_MODES_AUTO), def = good;
    def.cookie = 0;
    TEST_STATUS(lyra_modes_create(body.system, NULL, &def, &modes, NULL), LYRA_INVALID_ARGUMENT);
    TEST_CONTAINS(lyra_error_message(), "lyra_modes_def_default");
    const int32_t counts[] = {0, -1, body.size + 1};
    for (int i = 0; i < 3; ++i) {
        def = good;
        def.count = counts[i];
        TEST_STATUS(lyra_modes_create(body.system, NULL, &def, &modes, NULL),
                    LYRA_INVALID_ARGUMENT);
    }
    const double shifts[] = {-1, NAN, INFINITY}, tolerances[] = {0, 0.5, NAN};
    for (int i = 0; i < 3; ++i) {
        def = good;
        def.shift = shifts[i];
        TEST_STATUS(lyra_modes_create(body.system, NULL, &def, &modes, NULL),
                    LYRA_INVALID_ARGUMENT);
        def = good;
        def.tolerance = tolerances[i];
        TEST_STATUS(lyra_modes_create(body.system, NULL, &def, &modes, NULL),
                    LYRA_INVALID_ARGUMENT);
    }
    def = good;
    def.method = LYRA_MODES_METHOD_COUNT;
    TEST_STATUS(lyra_modes_create(body.system, NULL, &def, &modes, NULL), LYRA_INVALID_ARGUMENT);
    def = good;
    def.solves_max = 0;
    TEST_STATUS(lyra_modes_create(body.system, NULL, &def, &modes, NULL), LYRA_INVALID_ARGUMENT);
    def.solves_max = 5;
    TEST_STATUS(lyra_modes_create(body.system, NULL, &def, &modes, NULL), LYRA_NOT_CONVERGED);
    def = good;
    def.method = LYRA_MODES_ARPACK;
    def.count = body.size;
    TEST_STATUS(lyra_modes_create(body.system, NULL, &def, &modes, NULL), LYRA_UNSUPPORTED);
    lyra_vector_values_mutable(body.u)[4] = NAN;
    TEST_STATUS(lyra_modes_create(body.system, &at, &good, &modes, NULL), LYRA_NOT_FINITE);
    TEST_CONTAINS(lyra_error_message(), "not finite");
    TEST_CHECK(!modes);
    end_body(&body);
    test_context_end(ctx);
}

LYRA_TEST(bodies_without_mass_or_stiffness_are_refused)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    LyraModesDef def = settings(2, LYRA_MODES_AUTO);
    LyraModes *modes = NULL;
    // a free vertex without mass is named
    Body body = make_chain(ctx, 5, 700, 0.3, true);
    LyraModelDef model = lyra_model_def_default();
    LyraModelView view = lyra_model_view(body.model);
    double masses[5] = {1, 1, 0, 1, 1};
    model.vertex_count = 5;
    model.positions = view.positions;
    model.force_count = 1;
    model.forces = body.forces;
    model.masses = masses;
    LyraModel *light = NULL, *soft = NULL;
    LyraSystem *system = NULL;
    TEST_REQUIRE_OK(lyra_model_create(ctx, &model, &light));
    TEST_REQUIRE_OK(lyra_system_create_sparse(ctx, light, NULL, &system));
    TEST_STATUS(lyra_modes_create(system, NULL, &def, &modes, NULL), LYRA_SINGULAR);
    TEST_CONTAINS(lyra_error_message(), "2");
    lyra_system_destroy(system);
    lyra_model_destroy(light);
    // no forces, no stiffness
    masses[2] = 1;
    model.force_count = 0;
    TEST_REQUIRE_OK(lyra_model_create(ctx, &model, &soft));
    TEST_REQUIRE_OK(lyra_system_create_sparse(ctx, soft, NULL, &system));
    TEST_STATUS(lyra_modes_create(system, NULL, &def, &modes, NULL), LYRA_SINGULAR);
    TEST_CONTAINS(lyra_error_message(), "no stiffness");
    lyra_system_destroy(system);
    lyra_model_destroy(soft);
    end_body(&body);
    // a stiffness that is not symmetric
    Body viscous =
        make_block_system(ctx, &(BlockDef){.viscous = true, .unsymmetric = true}, SYSTEM_SPARSE);
    TEST_STATUS(lyra_modes_create(viscous.system, NULL, &def, &modes, NULL), LYRA_UNSUPPORTED);
    end_body(&viscous);
    TEST_CHECK(!modes);
    test_context_end(ctx);
}

static LyraStatus allocate_all(LyraContext *ctx, void *data)
{
    LyraSystem *system = NULL;
    LyraModes *modes = NULL;
    LyraModesDef def = settings(3, *(const LyraModesMethod *)data);
    double M[64] = {0}, K[64] = {0};
    for (int i = 0; i < 8; ++i) {
        M[9 * i] = 1;
        K[9 * i] = i;
    }
    LyraDenseSystemDef dense = lyra_dense_system_def_default();
    dense.size = 8;
    dense.mass = M;
    dense.stiffness = K;
    dense.traits = LYRA_SYSTEM_SYMMETRIC | LYRA_SYSTEM_LINEAR;
    LyraStatus status = lyra_system_create_dense_functions(ctx, &dense, &system);
    if (status == LYRA_OK) {
        status = lyra_modes_create(system, NULL, &def, &modes, NULL);
    }
    lyra_modes_destroy(modes);
    lyra_system_destroy(system);
    return status;
}

LYRA_TEST(each_allocation_may_fail)
{
    for (int method = 0; method < METHOD_COUNT; ++method) {
        LyraModesMethod which = methods[method];
        test_fail_each_allocation(allocate_all, &which);
    }
}
