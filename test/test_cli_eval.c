// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// `lyra eval` as a user types it.

#include "cli_run.h"

#include "lyra/lyra.h"

#include <unistd.h>

static const char *const models[] = {
    "linear",
    "corotational",
    "corotational-exact",
    "stvk",
    "neo-hookean",
    "mooney-rivlin",
    "stable-neo-hookean",
    "stable-neo-hookean-log",
    "ogden",
    "yeoh",
    "arruda-boyce",
    "fung",
    "reduced-polynomial",
    "biphasic-spline",
    "rotated-linear",
    "fibre",
    "mass-spring",
};

// writes n rows of a smooth displacement as .npy, one or two dimensions
static void write_displacement(const char *path, int32_t n, double size, bool vector)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    double *u = malloc((size_t)n * 3 * sizeof *u);
    for (int32_t i = 0; i < 3 * n; ++i) {
        // vectors are given by rows, matrices by columns
        int32_t row = vector ? i / 3 : i % n, axis = vector ? i % 3 : i / n;
        u[i] = size * sin(0.3 * row + axis);
    }
    LyraDenseView view = {.rows = vector ? 3 * n : n, .columns = vector ? 1 : 3, .values = u};
    TEST_OK(lyra_dense_save_npy(ctx, path, vector ? LYRA_NPY_VECTOR : LYRA_NPY_ROW_MAJOR, view));
    free(u);
    test_context_end(ctx);
}

static int32_t make_mesh(const char *path, const char *type)
{
    TEST_EQUAL(lyra("mesh box %s --cells 2,2,2 --type %s --young 1e5 --poisson 0.3", path, type),
               0);
    return 27;
}

LYRA_TEST(cli_eval_of_rest_is_quiet_for_every_model)
{
    static const char *const types[] = {"tet", "cube"};
    for (int t = 0; t < 2; ++t) {
        const char *path = test_temp_path("a.veg");
        make_mesh(path, types[t]);
        for (size_t m = 0; m < sizeof models / sizeof models[0]; ++m) {
            TEST_EQUAL(lyra("eval %s --model %s --stiffness 100 --json", path, models[m]), 0);
            TEST_NEAR(number_of("energy"), 0, 1e-9);
            TEST_NEAR(number_of("force_norm"), 0, 1e-8);
            TEST_CHECK(number_of("stiffness_frobenius") > 1);
            TEST_CHECK(number_of("stiffness_trace") > 1);
            TEST_NEAR(number_of("min_det_f"), 1, 1e-12);
            TEST_CHECK(number_of("min_det_f_element") >= 0);
            TEST_CHECK(number_of("seconds") >= 0);
        }
    }
}

LYRA_TEST(cli_eval_writes_force_stiffness_and_mass)
{
    char path[1024], u[1024], f[1024], k[1024], m[1024];
    snprintf(path, sizeof path, "%s", test_temp_path("a.veg"));
    snprintf(u, sizeof u, "%s", test_temp_path("u.npy"));
    snprintf(f, sizeof f, "%s", test_temp_path("f.npy"));
    snprintf(k, sizeof k, "%s", test_temp_path("k.mtx"));
    snprintf(m, sizeof m, "%s", test_temp_path("m.mtx"));
    int32_t n = make_mesh(path, "tet");
    write_displacement(u, n, 0.02, false);
    TEST_EQUAL(lyra("eval %s --model stvk --displacement %s --force-out %s --stiffness-out %s "
                    "--mass-out %s --threads 2 --json",
                    path, u, f, k, m),
               0);
    TEST_STRING(errors, "");
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    LyraDense *force = NULL;
    LyraCsrPattern *pattern = NULL;
    LyraCsrMatrix *K = NULL;
    TEST_REQUIRE_OK(lyra_dense_load_npy(ctx, f, &force));
    TEST_EQUAL(lyra_dense_view(force).rows, n);
    TEST_EQUAL(lyra_dense_view(force).columns, 3);
    double square = 0;
    for (int32_t i = 0; i < 3 * n; ++i) {
        square += lyra_dense_view(force).values[i] * lyra_dense_view(force).values[i];
    }
    TEST_NEAR(sqrt(square), number_of("force_norm"), 1e-12 * sqrt(square));
    TEST_REQUIRE_OK(lyra_matrix_market_load(ctx, k, &pattern, &K));
    TEST_EQUAL(lyra_csr_pattern_view(pattern).row_count, 3 * n);
    TEST_EQUAL(lyra_csr_pattern_view(pattern).storage, LYRA_STORAGE_UPPER);
    // in the order of the file: moving all vertices together along x costs nothing
    double x[81], y[81], largest = 0;
    for (int32_t i = 0; i < 3 * n; ++i) {
        x[i] = i % 3 == 0;
    }
    lyra_csr_matrix_multiply(K, x, y);
    for (int32_t i = 0; i < 3 * n; ++i) {
        largest = fmax(largest, fabs(y[i]));
    }
    TEST_NEAR(largest, 0, 1e-9);
    lyra_csr_matrix_destroy(K);
    lyra_csr_pattern_destroy(pattern);
    // the mass of the unit box, three times
    for (int lumped = 0; lumped < 2; ++lumped) {
        TEST_REQUIRE_OK(lyra_matrix_market_load(ctx, m, &pattern, &K));
        double ones[81], sum = 0;
        for (int32_t i = 0; i < 3 * n; ++i) {
            ones[i] = 1;
        }
        lyra_csr_matrix_multiply(K, ones, y);
        for (int32_t i = 0; i < 3 * n; ++i) {
            sum += y[i];
        }
        TEST_NEAR(sum, lumped ? 1500 : 3000, 1e-9);
        lyra_csr_matrix_destroy(K);
        lyra_csr_pattern_destroy(pattern);
        TEST_EQUAL(lyra("eval %s --model stvk --mass-out %s --lumped --density 500", path, m), 0);
    }
    lyra_dense_destroy(force);
    test_context_end(ctx);
}

LYRA_TEST(cli_eval_takes_both_shapes_of_displacement)
{
    char path[1024], u[1024];
    snprintf(path, sizeof path, "%s", test_temp_path("a.veg"));
    snprintf(u, sizeof u, "%s", test_temp_path("u.npy"));
    int32_t n = make_mesh(path, "tet");
    double energy[2];
    for (int vector = 0; vector < 2; ++vector) {
        write_displacement(u, n, 0.02, vector);
        TEST_EQUAL(lyra("eval %s --model neo-hookean --displacement %s --json", path, u), 0);
        energy[vector] = number_of("energy");
    }
    TEST_CHECK(energy[0] > 0);
    TEST_NEAR(energy[0], energy[1], 0);
    // one vertex too many
    write_displacement(u, n + 1, 0.02, false);
    TEST_EQUAL(lyra("eval %s --model neo-hookean --displacement %s", path, u), 1);
    TEST_CONTAINS(errors, "found shape (28, 3), expected (27, 3) or (81)");
}

LYRA_TEST(cli_eval_check_shows_second_order)
{
    static const char *const exact[] = {"stvk", "neo-hookean", "corotational-exact", "mass-spring"};
    char path[1024], u[1024];
    snprintf(path, sizeof path, "%s", test_temp_path("a.veg"));
    snprintf(u, sizeof u, "%s", test_temp_path("u.npy"));
    int32_t n = make_mesh(path, "tet");
    write_displacement(u, n, 0.02, true);
    for (int m = 0; m < 4; ++m) {
        TEST_EQUAL(
            lyra("eval %s --model %s --stiffness 50 --displacement %s --check", path, exact[m], u),
            0);
        const char *best = strstr(output, "best");
        TEST_REQUIRE(best);
        double force, tangent;
        TEST_EQUAL(sscanf(best, "best %lf %lf", &force, &tangent), 2);
        TEST_CHECK(force < 1e-7 && tangent < 1e-7);
        TEST_CONTAINS(output, "2.00");
    }
}

LYRA_TEST(cli_eval_inversion_and_psd_change_what_they_should)
{
    char path[1024], u[1024];
    snprintf(path, sizeof path, "%s", test_temp_path("a.veg"));
    snprintf(u, sizeof u, "%s", test_temp_path("u.npy"));
    int32_t n = make_mesh(path, "tet");
    write_displacement(u, n, 0.6, true);
    TEST_EQUAL(lyra("eval %s --model neo-hookean --displacement %s --json", path, u), 0);
    TEST_CHECK(number_of("min_det_f") < 0);
    double extend = number_of("energy"), trace = number_of("stiffness_trace");
    TEST_CHECK(isfinite(extend) && isfinite(trace));
    TEST_EQUAL(lyra("eval %s --model neo-hookean --displacement %s --psd --json", path, u), 0);
    TEST_NEAR(number_of("energy"), extend, 0);
    TEST_CHECK(number_of("stiffness_trace") > trace);
    TEST_EQUAL(
        lyra("eval %s --model neo-hookean --displacement %s --inversion clamp --json", path, u), 0);
    TEST_CHECK(number_of("energy") < extend);
    TEST_EQUAL(lyra("eval %s --model neo-hookean --displacement %s --compression-resistance 500 "
                    "--json",
                    path, u),
               0);
    TEST_CHECK(number_of("energy") > extend);
}

LYRA_TEST(cli_eval_same_numbers_at_any_thread_count)
{
    const char *path = test_temp_path("a.veg");
    static char first[sizeof output];
    TEST_EQUAL(lyra("mesh sphere %s --elements 20000 --shuffle 3", path), 0);
    static const int threads[] = {1, 2, 3, 7};
    for (int t = 0; t < 4; ++t) {
        TEST_EQUAL(
            lyra("eval %s --model neo-hookean --young 1e4 --threads %d --json", path, threads[t]),
            0);
        char *seconds = strstr(output, "\"seconds\"");
        TEST_REQUIRE(seconds);
        *seconds = '\0';
        if (t == 0) {
            snprintf(first, sizeof first, "%s", output);
        }
        TEST_STRING(output, first);
    }
}

LYRA_TEST(cli_eval_bad_input)
{
    char path[1024];
    snprintf(path, sizeof path, "%s", test_temp_path("a.veg"));
    make_mesh(path, "tet");
    TEST_EQUAL(lyra("eval"), 2);
    TEST_EQUAL(lyra("eval %s", path), 2);
    TEST_CONTAINS(errors, "--model");
    TEST_EQUAL(lyra("eval %s --model stvk --param nonsense", path), 2);
    TEST_EQUAL(lyra("eval %s --model stvk --inversion maybe", path), 2);
    TEST_EQUAL(lyra("eval %s --model stvk --convention cgs", path), 2);
    TEST_EQUAL(lyra("eval %s --model rubber", path), 1);
    TEST_CONTAINS(errors, "neo-hookean");
    TEST_EQUAL(lyra("eval %s --model stvk --param nonsense=1", path), 1);
    TEST_EQUAL(lyra("eval %s --model corotational --param nonsense=1", path), 1);
    TEST_EQUAL(lyra("eval %s --model stvk --young -5", path), 1);
    TEST_EQUAL(lyra("eval %s --model stvk --young 5 --poisson 0.5", path), 1);
    TEST_EQUAL(lyra("eval %s --model stvk --inversion-threshold 2", path), 1);
    TEST_EQUAL(lyra("eval %s --model stvk --displacement /nonexistent.npy", path), 1);
    TEST_EQUAL(lyra("eval %s --model stvk --stiffness-out /nonexistent/k.mtx", path), 1);
    static const char turned[] = "*VERTICES\n4 3\n1 0 0 0\n2 1 0 0\n3 0 1 0\n4 0 0 1\n"
                                 "*ELEMENTS\nTET\n1 4\n1 1 3 2 4\n";
    test_write_file(path, turned, sizeof turned - 1);
    for (size_t m = 0; m < sizeof models / sizeof models[0]; ++m) {
        // springs have no use for a volume
        int expected = strcmp(models[m], "mass-spring") == 0 ? 0 : 1;
        TEST_EQUAL(lyra("eval %s --model %s --stiffness 1", path, models[m]), expected);
        if (expected) {
            TEST_CONTAINS(errors, "element 0");
        }
    }
}
