// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// `lyra eval` as a user types it.

#include "cli_run.h"

#include "lyra/csr.h"
#include "lyra/dense.h"
#include "lyra/lyra.h"
#include "lyra/matrix_file.h"
#include "lyra/matrix_market.h"

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
        TEST_EQUAL(lyra("eval %s --model %s --stiffness 1", path, models[m]), 1);
        TEST_CONTAINS(errors, "element 0 has negative rest volume");
        TEST_CONTAINS(errors, "`lyra mesh orient` turns such elements");
    }
    // what turning does not help is not told to turn
    static const struct {
        const char *vertices, *element, *message;
    } flat[] = {
        {"3 1 1 0\n4 0.3 0.3 0", "1 2 3 4",
         "zero rest volume (0 m^3 with edges of up to 1.41421 m)"},
        {"3 0.1 0.7 0.3\n4 0.7 0.49 0.21", "1 2 3 4", "zero rest volume ("},
        {"3 0.1 0.7 0.3\n4 0.7 0.49 0.21", "1 3 2 4", "zero rest volume ("},
        {"3 0 1 0\n4 0 0 1", "1 2 3 2", "element 0 names vertex 1 twice"},
        {"3 0 1 0\n4 1 0 0", "1 2 3 4", "its vertices 1 and 3 are at the same place"},
    };
    for (size_t f = 0; f < sizeof flat / sizeof flat[0]; ++f) {
        char text[512];
        snprintf(text, sizeof text,
                 "*VERTICES\n4 3\n1 0 0 0\n2 1 0 0\n%s\n*ELEMENTS\nTET\n1 4\n1 %s\n",
                 flat[f].vertices, flat[f].element);
        test_write_file(path, text, strlen(text));
        for (size_t m = 0; m < sizeof models / sizeof models[0]; ++m) {
            TEST_EQUAL(lyra("eval %s --model %s --stiffness 1", path, models[m]), 1);
            TEST_CHECK_MSG(strstr(errors, flat[f].message) && !strstr(errors, "orient"),
                           "case %zu, %s: %s", f, models[m], errors);
        }
    }
}

LYRA_TEST(cli_eval_says_what_is_wrong)
{
    static const struct {
        const char *options;
        int code;
        const char *message;
    } cases[] = {
        {"--model stvk --young 0", 1, "--young is 0, expected more than 0"},
        {"--model stvk --density 0 --mass-out m.mtx", 1, "--density is 0, expected more than 0"},
        {"--model mass-spring --stiffness 0", 1, "--stiffness is 0, expected more than 0"},
        {"--model mass-spring", 1, "springs of cube elements need a stiffness, N/m"},
        {"--model stvk --poisson 0.3", 2, "--poisson needs --young"},
        {"--model stvk --lumped", 2, "--mass-out"},
        {"--model stvk --threads 1000", 2, "--threads needs a number of threads to 256"},
        {"--model stvk --param", 2, "--param needs a value"},
        {"--model stvk --param mu=nan", 2, "NAME=NUMBER"},
        {"--model stvk --param mu=1e5x", 2, "NAME=NUMBER"},
        {"--model stvk --param mu=-1", 1, "mu of element 0 is -1, expected 0 or more"},
        {"--model fibre --param activation=2", 1, "activation of element 0 is 2, expected 0 to 1"},
        {"--model fibre --param mu=2", 1, "fibre-stiffness, fibre-exponent, active-stress"},
        {"--model linear --param mu=2", 1, "model linear has no parameter \"mu\", nor any"},
        {"--model mass-spring --param k=2", 1, "expected one of: stiffness, damping"},
        {"--model stvk --young 5 --poisson 0.5", 1, "law stvk needs E > 0 and -1 < nu < 0.5"},
        {"--model linear --young 5 --poisson 0.5", 1, "-1 < nu < 0.5, found E = 5, nu = 0.5"},
    };
    const char *path = test_temp_path("a.veg");
    make_mesh(path, "cube");
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        TEST_EQUAL(lyra("eval %s %s", path, cases[i].options), cases[i].code);
        TEST_CONTAINS(errors, cases[i].message);
        TEST_STRING(output, "");
    }
}

// what no element has does not matter
LYRA_TEST(cli_eval_takes_materials_that_are_in_use)
{
    static const char mixed[] = "*VERTICES\n5 3\n1 0 0 0\n2 1 0 0\n3 0 1 0\n4 0 0 1\n5 1 1 1\n"
                                "*ELEMENTS\nTET\n2 4\n1 1 2 3 4\n2 2 5 3 4\n"
                                "*MATERIAL soft\nENU, 1000, 1e5, 0.3\n"
                                "*MATERIAL rubber\nMOONEYRIVLIN, 1000, 1e4, 1e4, 1e5\n"
                                "*MATERIAL wood\nORTHOTROPIC_N1, 1000, 1e5, 2e5, 3e5, 0.2\n"
                                "*SET all\n1, 2\n*REGION\nall, soft\n";
    char path[1024];
    snprintf(path, sizeof path, "%s", test_temp_path("a.veg"));
    test_write_file(path, mixed, sizeof mixed - 1);
    for (size_t m = 0; m < sizeof models / sizeof models[0]; ++m) {
        TEST_EQUAL(lyra("eval %s --model %s --json", path, models[m]), 0);
        TEST_STRING(errors, "");
    }
}

LYRA_TEST(cli_eval_json_has_what_it_should)
{
    static const char *const keys[] = {"energy",          "force_norm", "stiffness_frobenius",
                                       "stiffness_trace", "min_det_f",  "min_det_f_element",
                                       "inverted",        "seconds"};
    char path[1024];
    snprintf(path, sizeof path, "%s", test_temp_path("a.veg"));
    make_mesh(path, "cube");
    TEST_EQUAL(lyra("eval %s --model stvk --json", path), 0);
    const char *at = output;
    int count = 0;
    for (size_t k = 0; k < sizeof keys / sizeof keys[0]; ++k) {
        char quoted[64];
        snprintf(quoted, sizeof quoted, "\"%s\":", keys[k]);
        at = strstr(at, quoted);
        TEST_REQUIRE(at);
    }
    for (at = output; (at = strchr(at, ':')); ++at) {
        ++count;
    }
    TEST_EQUAL(count, 8);
    TEST_EQUAL(lyra("eval %s --model stvk --check --json", path), 0);
    TEST_CHECK(number_of("best_force_error") < 1e-9 && number_of("best_tangent_error") < 1e-9);
    TEST_CONTAINS(output, "\"conservative\": true");
    TEST_CONTAINS(output, "\"tangent_order\": 2.0");
}

// springs are the model that velocities move
// ---- cloth --------------------------------------------------------------------------------------

// the smooth state of the grid of 20 x 20 cells in the numbers of Vega
static void write_wave(const char *path)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    enum { N = 21 };
    static double u[3 * N * N];
    for (int v = 0; v < N * N; ++v) {
        double x = v % N / 20.0, z = v / N / 20.0, s = 0.05;
        u[v] = s * sin(0.3);
        u[N * N + v] = s * sin(2.3 * z - 0.7) + 0.02 * x;
        u[2 * N * N + v] = s * cos(2.7 * x + 0.11);
    }
    LyraDenseView view = {.rows = N * N, .columns = 3, .values = u};
    TEST_OK(lyra_dense_save_npy(ctx, path, LYRA_NPY_ROW_MAJOR, view));
    test_context_end(ctx);
}

LYRA_TEST(cli_eval_of_cloth_agrees_with_vega)
{
    static const struct {
        const char *options;
        double energy, force, stiffness;
    } cases[] = {
        {"--uv auto", 0.3957197346391482, 2.8147093278209168, 20301.04706135022},
        {"--uv file", 0.02712184604752181, 0.4598675160773543, 20891.275817143127},
        {"--uv file --terms bend", 0.00025858918150782747, 0.04008265535851853, 3151.603423563083},
    };
    char path[1024], u[1024], f[1024], k[1024];
    snprintf(path, sizeof path, "%s", test_temp_path("grid.obj"));
    snprintf(u, sizeof u, "%s", test_temp_path("u.npy"));
    snprintf(f, sizeof f, "%s", test_temp_path("f.npy"));
    snprintf(k, sizeof k, "%s", test_temp_path("k.mtx"));
    TEST_EQUAL(lyra("mesh grid %s --cells 20,20 --faces same --center 0.5,0,0.5", path), 0);
    TEST_CONTAINS(output, "441 vertices, 800 triangles");
    write_wave(u);
    for (int c = 0; c < 3; ++c) {
        TEST_EQUAL(lyra("eval %s --kind cloth --convention vega --param stretch=8500 --param "
                        "shear=100 --param bend-u=.02 --param bend-v=.02 --rest-angles 1 %s "
                        "--displacement %s --force-out %s --stiffness-out %s --json",
                        path, cases[c].options, u, f, k),
                   0);
        TEST_NEAR(number_of("energy"), cases[c].energy, 1e-12 * cases[c].energy);
        TEST_NEAR(number_of("force_norm"), cases[c].force, 1e-12 * cases[c].force);
        TEST_NEAR(number_of("stiffness_frobenius"), cases[c].stiffness, 1e-12 * cases[c].stiffness);
        TEST_EQUAL(number_of("triangles"), 800);
        TEST_EQUAL(number_of("hinges"), 1160);
    }
    TEST_CHECK(access(f, F_OK) == 0 && access(k, F_OK) == 0);
    // with our bending the force is a gradient, and the tangent its derivative
    TEST_EQUAL(lyra("eval %s --kind cloth --displacement %s --check --json", path, u), 0);
    TEST_CHECK(number_of("best_force_error") < 1e-8);
    TEST_CHECK(number_of("best_tangent_error") < 1e-7);
    TEST_CONTAINS(output, "\"conservative\": true");
    TEST_EQUAL(lyra("eval %s --kind cloth --displacement %s", path, u), 0);
    TEST_CONTAINS(output, "largest strain u");
}

LYRA_TEST(cli_eval_of_cloth_reads_groups)
{
    char path[1024], u[1024], groups[1024];
    snprintf(path, sizeof path, "%s", test_temp_path("bands.obj"));
    snprintf(u, sizeof u, "%s", test_temp_path("u.npy"));
    snprintf(groups, sizeof groups, "%s", test_temp_path("groups.csv"));
    TEST_EQUAL(lyra("mesh grid %s --cells 20,20 --bands 2", path), 0);
    write_wave(u);
    static const char text[] = "group, bend-u,stretch\n\nband1,0,100\r\nband2, 0, 300\n";
    test_write_file(groups, text, sizeof text - 1);
    double energy[4];
    for (int k = 0; k < 4; ++k) {
        const char *given = k == 0   ? "--param stretch=100"
                            : k == 1 ? "--param stretch=300"
                            : k == 2 ? "--terms stretch"
                                     : "--terms stretch,shear";
        TEST_EQUAL(lyra("eval %s --kind cloth --uv file --displacement %s --param bend-u=0 --param "
                        "bend-v=0 --param shear=0 %s %s%s --json",
                        path, u, given, k > 1 ? "--groups " : "", k > 1 ? groups : ""),
                   0);
        energy[k] = number_of("energy");
    }
    TEST_CHECK(energy[2] > energy[0] && energy[2] < energy[1]);
    TEST_NEAR(energy[2], energy[3], 1e-14);
    static const char *const wrong[][2] = {
        {"group,bend\nband1,2\n", "groups.csv:1: found column \"bend\""},
        {"name,bend-u\nband1,2\n", "groups.csv:1: found column \"name\""},
        {"group,bend-u\nband1,much\n", "groups.csv:2: found \"much\", expected a number"},
        {"group,bend-u\nband1\n", "groups.csv:2: found 1 cells, expected 2"},
        {"group,bend-u\nband1,1,2\n", "groups.csv:2: found \"2\", expected as many cells"},
        {"group,bend-u\nband7,1\n", "found \"band7\", expected a group or a material"},
        {"", "found nothing"},
    };
    for (size_t w = 0; w < sizeof wrong / sizeof wrong[0]; ++w) {
        test_write_file(groups, wrong[w][0], strlen(wrong[w][0]));
        TEST_EQUAL(lyra("eval %s --kind cloth --groups %s", path, groups), 1);
        TEST_CONTAINS(errors, wrong[w][1]);
    }
    static const char *const usage[][2] = {
        {"--kind cloth --terms twist", "expected some of stretch,shear,bend"},
        {"--kind cloth --param young=1", "--param needs NAME=NUMBER"},
        {"--kind cloth --param stretch", "--param needs NAME=NUMBER"},
        {"--kind cloth --uv all", "expected auto or file"},
        {"--kind cloth --convention other", "expected ours, paper or vega"},
        {"--kind cloth --rest-angles 2", "expected 0 or 1"},
        {"--kind cloth --model stvk", "--kind cloth goes without"},
        {"--kind felt", "expected solid or cloth"},
        {"--model stvk --uv auto", "need --kind cloth"},
    };
    for (size_t w = 0; w < sizeof usage / sizeof usage[0]; ++w) {
        TEST_EQUAL(lyra("eval %s %s", path, usage[w][0]), 2);
        TEST_CONTAINS(errors, usage[w][1]);
    }
}

LYRA_TEST(cli_eval_velocity_meets_damping)
{
    char path[1024], v[1024], f[1024];
    snprintf(path, sizeof path, "%s", test_temp_path("a.veg"));
    snprintf(v, sizeof v, "%s", test_temp_path("v.npy"));
    snprintf(f, sizeof f, "%s", test_temp_path("f.npy"));
    int32_t n = make_mesh(path, "cube");
    write_displacement(v, n, 2, true);
    double force[3];
    for (int damping = 0; damping < 3; ++damping) {
        // files are written beside a check, too
        TEST_EQUAL(lyra("eval %s --model mass-spring --stiffness 50 --param damping=%d --velocity "
                        "%s --force-out %s %s",
                        path, damping, v, f, damping == 2 ? "--check" : ""),
                   0);
        LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
        LyraDense *dense = NULL;
        TEST_REQUIRE_OK(lyra_dense_load_npy(ctx, f, &dense));
        force[damping] = 0;
        for (int32_t i = 0; i < 3 * n; ++i) {
            force[damping] += fabs(lyra_dense_view(dense).values[i]);
        }
        lyra_dense_destroy(dense);
        test_context_end(ctx);
    }
    TEST_NEAR(force[0], 0, 1e-9);
    TEST_CHECK(force[1] > 1);
    TEST_NEAR(force[2] / force[1], 2, 1e-9);
}
