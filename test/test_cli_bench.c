// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// `lyra bench` as a user types it: its forms of output, and the comparison with an earlier result.

#include "bench_baseline.h"
#include "cli_run.h"
#include "scene_yaml.h"

#include <math.h>

static char path[256];

static void keep(const char *text)
{
    snprintf(path, sizeof path, "%s", test_temp_path("earlier"));
    test_write_file(path, text, strlen(text));
}

#define MEMORY "bench memory --elements 216 --threads 1 --seconds 0"

LYRA_TEST(bench_knows_its_rows_in_both_forms)
{
    const char *forms[] = {"--csv", "--json"};
    for (int i = 0; i < 2; ++i) {
        TEST_EQUAL(lyra(MEMORY " %s", forms[i]), 0);
        TEST_CONTAINS(output, "neo-hookean/most at any time");
        keep(output);
        TEST_EQUAL(lyra(MEMORY " --baseline %s", path), 0);
        TEST_CONTAINS(output, " 0 without an earlier row; 0 differ in memory");
        // other rows than those
        TEST_EQUAL(lyra("bench memory --elements 300 --threads 1 --baseline %s", path), 0);
        TEST_CONTAINS(output, " 6 without an earlier row");
    }
}

// a row of the suite of memory whose times are `ns` and `median` and whose bytes are `bytes`
static void keep_row(const char *ns, const char *median, const char *bytes, const char *isa)
{
    char text[512];
    snprintf(text, sizeof text,
             "suite,name,mesh,threads,isa,ns_per_item,median_ns_per_item,memory_bytes\n"
             "memory,neo-hookean/forces,\"box 216 tets\",1,%s,%s,%s,%s\n",
             isa, ns, median, bytes);
    keep(text);
}

// what the earlier row says beside one of 216 elements that took these times, ns per element
static BenchChange compare(double ns, double median)
{
    Bench bench = {.suite = "memory"};
    BenchRow row = {.name = "neo-hookean/forces",
                    .subject = "box 216 tets",
                    .items = 216,
                    .threads = 1,
                    .isa = LYRA_ISA_SCALAR,
                    .time = {216e-9 * ns, 216e-9 * median},
                    .memory = 1000};
    TEST_EQUAL(bench_baseline_load(path, &bench.earlier), CLI_OK);
    BenchChange change = bench_baseline_compare(&bench, &row);
    bench_baseline_destroy(bench.earlier);
    return change;
}

LYRA_TEST(bench_marks_what_moved_by_more_than_its_noise)
{
    // minimum and median of the earlier row and of the new one, ns; the noise is the sum of both
    // distances between the two
    static const struct {
        const char *ns, *median;
        double new_ns, new_median;
        BenchVerdict verdict;
    } cases[] = {
        {"100", "100", 100, 100, BENCH_SAME},     {"100", "100", 100.5, 100.5, BENCH_SLOWER},
        {"100", "100", 99.5, 99.5, BENCH_FASTER}, {"100", "104", 106, 109, BENCH_SAME},
        {"100", "104", 108, 111, BENCH_SLOWER},   {"100", "104", 94, 97, BENCH_SAME},
        {"100", "104", 92, 95, BENCH_FASTER},     {"100", "1e9", 1e6, 1e6, BENCH_SAME},
        {"100", "100", 200, 301, BENCH_SAME},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        keep_row(cases[i].ns, cases[i].median, "", "scalar");
        BenchChange change = compare(cases[i].new_ns, cases[i].new_median);
        TEST_CHECK_MSG(change.verdict == cases[i].verdict, "case %zu: %s", i,
                       bench_verdict_name(change.verdict));
        TEST_CHECK(change.ns == 100 && !change.memory_differs);
    }
    // another instruction set is another row
    keep_row("100", "100", "", "vax");
    TEST_EQUAL(compare(100, 100).verdict, BENCH_NEW);
    // bytes have no noise
    keep_row("100", "100", "1000", "scalar");
    TEST_CHECK(!compare(100, 100).memory_differs);
    keep_row("100", "100", "1001", "scalar");
    TEST_CHECK(compare(100, 100).memory_differs);
}

LYRA_TEST(bench_prints_the_earlier_rows)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    const char *isa = lyra_isa_name(lyra_context_isa(ctx));
    keep_row("1e9", "1e9", "1", isa);
    TEST_EQUAL(lyra(MEMORY " --baseline %s", path), 0);
    TEST_CONTAINS(output, " memory was 0.000 MB");
    TEST_CONTAINS(output, " within the noise, 5 without an earlier row; 1 differ in memory");
    TEST_EQUAL(lyra(MEMORY " --csv --baseline %s", path), 0);
    TEST_CONTAINS(output, ",1e+09,");
    keep_row("1e9", "1e9", "", "vax");
    TEST_EQUAL(lyra(MEMORY " --baseline %s", path), 0);
    TEST_CONTAINS(output, " 6 without an earlier row");
    test_context_end(ctx);
}

LYRA_TEST(bench_refuses_files_that_are_no_results)
{
    static const struct {
        const char *text, *sentence;
    } cases[] = {
        {"", "no rows"},
        {"a,b\n1,2\n", ":2: expected a row of lyra bench"},
        {"suite,name\nx\n", ":2: expected as many cells"},
        {"suite,name,mesh,isa\n\"x,y,z,w\n", ":2: expected as many cells"},
        {"suite,name,mesh,isa,threads,ns_per_item\na,b,c,d,1,nan\n", ":2: expected positive times"},
        {"{\n\"rows\": 3}", ":2: expected an array"},
        {"{}", ":1: expected an array"},
        {"{\"rows\": [\n{\"suite\": \"a\"", ":2: expected a comma"},
        {"{\"rows\": [{\"suite\" 3}]}", ":1: expected a name"},
        {"{\"rows\": [{\"suite\": \"a\"}]}", ":1: expected a row"},
        {"{\"rows\": []}", "no rows"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        keep(cases[i].text);
        TEST_EQUAL(lyra(MEMORY " --baseline %s", path), 1);
        TEST_CONTAINS(errors, cases[i].sentence);
        TEST_STRING(output, "");
    }
    TEST_EQUAL(lyra(MEMORY " --baseline nowhere.csv"), 1);
    TEST_CONTAINS(errors, "nowhere.csv");
    TEST_EQUAL(lyra(MEMORY " --baseline /"), 1);
    TEST_CONTAINS(errors, "/: Is a directory");
}

LYRA_TEST(bench_refuses_results_that_were_cut_short)
{
    TEST_EQUAL(lyra(MEMORY " --json"), 0);
    size_t length = strlen(output);
    char *whole = malloc(length + 1);
    memcpy(whole, output, length + 1);
    // all but the white space at its end is needed
    for (size_t cut = length - 2; cut > 16; cut -= cut / 5) {
        whole[cut] = '\0';
        keep(whole);
        TEST_EQUAL(lyra(MEMORY " --baseline %s", path), 1);
        TEST_CONTAINS(errors, ": expected ");
        TEST_STRING(output, "");
    }
    free(whole);
}

// one tet, or none
static void keep_mesh(int32_t elements)
{
    char text[256];
    snprintf(text, sizeof text,
             "*VERTICES\n4 3\n1 0 0 0\n2 1 0 0\n3 0 1 0\n4 0 0 1\n*ELEMENTS\nTET\n%d 4\n%s",
             elements, elements ? "1 1 2 3 4\n" : "");
    snprintf(path, sizeof path, "%s", test_temp_path("body.veg"));
    test_write_file(path, text, strlen(text));
}

LYRA_TEST(bench_measures_all_that_takes_a_body_on_a_mesh)
{
    static const char *const suites[] = {"embed,", "forces,", "solvers,", "step,", "memory,"};
    static const char body[] = "--threads 1 --seconds 0 --model stvk --solver auto --dt 0.01";
    char mesh[256];
    keep_mesh(1);
    snprintf(mesh, sizeof mesh, "%s", path);
    TEST_EQUAL(lyra("bench --mesh %s %s --csv", mesh, body), 0);
    for (size_t i = 0; i < sizeof suites / sizeof suites[0]; ++i) {
        TEST_CONTAINS(output, suites[i]);
    }
    // each row has a minimum and a median, and its mesh has the name of the file
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    char columns[64];
    int32_t rows = 0;
    snprintf(columns, sizeof columns, ",1,%s,", lyra_isa_name(lyra_context_isa(ctx)));
    test_context_end(ctx);
    for (char *at = output; (at = strstr(at, columns)); ++rows) {
        double minimum = 0, median = 0;
        at += strlen(columns);
        TEST_EQUAL(sscanf(at, "%lf,%lf", &minimum, &median), 2);
        TEST_CHECK(minimum > 0 && median >= minimum && median < 1e12);
    }
    TEST_EQUAL(rows, 21);
    TEST_CHECK(!strstr(output, "inf") && !strstr(output, "nan"));
    TEST_CONTAINS(output, "body.veg");
    keep(output);
    TEST_EQUAL(lyra("bench --mesh %s %s --baseline %s", mesh, body, path), 0);
    TEST_CONTAINS(output, " 0 without an earlier row; 0 differ in memory");
}

LYRA_TEST(bench_measures_every_model_on_every_kind_of_element)
{
    static const char *const kinds[] = {"tet", "cube", "tet10", "hex"};
    for (size_t k = 0; k < sizeof kinds / sizeof kinds[0]; ++k) {
        snprintf(path, sizeof path, "%s", test_temp_path("few.vtu"));
        TEST_EQUAL(lyra("mesh box %s --type %s --elements 1", path, kinds[k]), 0);
        TEST_EQUAL(lyra("bench forces --mesh %s --threads 1 --seconds 0", path), 0);
        TEST_STRING(errors, "");
        TEST_CONTAINS(output, "force/neo-hookean+maxwell/");
        TEST_EQUAL(strstr(output, "force/mass-spring/") != NULL, strcmp(kinds[k], "tet10") != 0);
    }
    // what was asked for by name and is not there is no silent nothing
    snprintf(path, sizeof path, "%s", test_temp_path("few.vtu"));
    TEST_EQUAL(lyra("mesh box %s --type tet10 --elements 1", path), 0);
    TEST_EQUAL(lyra("bench forces --mesh %s --threads 1 --seconds 0 --model mass-spring", path), 1);
    TEST_CONTAINS(errors, "expected tets of 4");
}

// bent in proportion to its size, so that its tangent stays positive definite
LYRA_TEST(bench_takes_bodies_of_any_size_and_place)
{
    static const char text[] = "*VERTICES\n4 3\n1 100 100 100\n2 120 100 100\n3 100 120 100\n"
                               "4 100 100 120\n*ELEMENTS\nTET\n1 4\n1 1 2 3 4\n";
    snprintf(path, sizeof path, "%s", test_temp_path("body.veg"));
    test_write_file(path, text, strlen(text));
    TEST_EQUAL(lyra("bench solvers --mesh %s --threads 1 --seconds 0 --solver cholesky", path), 0);
    TEST_STRING(errors, "");
    TEST_CONTAINS(output, "cholesky");
}

LYRA_TEST(bench_judges_the_choice_of_auto)
{
    TEST_EQUAL(lyra("bench solvers --auto --elements 400 --seconds 0 --threads 1 --json"), 0);
    TEST_CONTAINS(output, "\"name\": \"auto/h=0.001\"");
    TEST_CONTAINS(output, "\"name\": \"auto/static\"");
    TEST_CONTAINS(output, "\"auto\": ");
    TEST_CONTAINS(output, "\"best\": ");
    TEST_CONTAINS(output, "\"ratio\": ");
}

LYRA_TEST(bench_judges_auto_on_the_bodies_and_steps_that_are_wanted)
{
    TEST_EQUAL(lyra("bench solvers --auto --body \"cube 300\" --dt 0.02 --seconds 0 --threads 1"),
               0);
    TEST_CONTAINS(output, "auto/h=0.02 ");
    TEST_CHECK(!strstr(output, "auto/h=0.01 ") && !strstr(output, "auto/static"));
    TEST_EQUAL(lyra("bench solvers --auto --elements 400 --statics --seconds 0 --threads 1"), 0);
    TEST_CONTAINS(output, "auto/static ");
    TEST_CHECK(!strstr(output, "auto/h="));
    keep_mesh(1);
    TEST_EQUAL(lyra("bench solvers --auto --mesh %s --dt 0.03 --seconds 0 --threads 1", path), 0);
    TEST_CONTAINS(output, "auto/h=0.03 ");
    TEST_CONTAINS(output, "body.veg");
}

// the number after `key` in the row whose name ends in `name`
static double value_of(const char *name, const char *key)
{
    char text[64];
    snprintf(text, sizeof text, "%s\",", name);
    const char *row = strstr(output, text);
    const char *end = row ? strchr(row, '}') : NULL;
    snprintf(text, sizeof text, "\"%s\": ", key);
    const char *at = row ? strstr(row, text) : NULL;
    TEST_CHECK_MSG(at && end && at < end, "%s has no %s", name, key);
    return at ? atof(at + strlen(text)) : NAN;
}

LYRA_TEST(bench_compares_steps_with_one_more_force)
{
    static const char *const rows[] = {"without", "pull", "damper", "history", "pressure"};
    static const char arguments[] = "bench step --elements 2000 --threads 1 --seconds 0";
    TEST_EQUAL(lyra("%s --with pull,damper,history,pressure --json", arguments), 0);
    for (int i = 0; i < 10; ++i) {
        char name[64];
        snprintf(name, sizeof name, "backward-euler/neo-hookean/%s%s", i < 5 ? "" : "full/",
                 rows[i % 5]);
        TEST_CHECK(value_of(name, "ms") > 0 && value_of(name, "ratio") > 0);
        TEST_CHECK(i % 5 > 0 || value_of(name, "ratio") == 1);
        // as many Newton iterations as without
        double newton =
            value_of(i < 5 ? "neo-hookean/without" : "full/without", "newton_iterations");
        TEST_CHECK_MSG(newton >= 1 && value_of(name, "newton_iterations") == newton, "%s: %g of %g",
                       name, value_of(name, "newton_iterations"), newton);
        TEST_CHECK(value_of(name, "linear_iterations") > 0);
    }
    // some of them, and on a mesh of its own
    TEST_EQUAL(lyra("%s --with history,pull", arguments), 0);
    TEST_CONTAINS(output, "/pull ");
    TEST_CONTAINS(output, "/history ");
    TEST_CHECK(!strstr(output, "/damper ") && !strstr(output, "/pressure "));
}

LYRA_TEST(bench_measures_rods)
{
    TEST_EQUAL(lyra("bench step memory forces --model rod --seconds 0 --threads 1 --csv"), 0);
    TEST_CONTAINS(output, "backward-euler/rod,cable 100 edges");
    TEST_CONTAINS(output, "backward-euler/rod/full,cable 10000 edges");
    TEST_CONTAINS(output, "band");
    TEST_EQUAL(lyra("bench step --model rod --elements 100"), 2);
    TEST_CONTAINS(errors, "--model rod goes without");
}

LYRA_TEST(bench_measures_cloth)
{
    TEST_EQUAL(lyra("bench forces step memory --model cloth --seconds 0 --threads 1 --csv"), 0);
    static const char *const rows[] = {
        "force/cloth,", "force+tangent/cloth/psd", "force/cloth/vega",
        "backward-euler/cloth,square 20000 triangles", "backward-euler/cloth/full"};
    for (int r = 0; r < 5; ++r) {
        TEST_CONTAINS(output, rows[r]);
    }
    TEST_EQUAL(lyra("bench forces --model cloth --elements 100"), 2);
    TEST_CONTAINS(errors, "--model cloth goes without");
}

// the matrix is the same, and so are the iterations
LYRA_TEST(bench_lays_many_bodies_beside_one)
{
    REQUIRE_YAML();
    TEST_EQUAL(lyra("bench bodies --elements 1500 --threads 1 --seconds 0 --json"), 0);
    static const char *const rows[] = {"load", "step"};
    for (int i = 0; i < 2; ++i) {
        TEST_CHECK(value_of(rows[i], "ms") > 0 && value_of(rows[i], "ratio") > 0);
        TEST_CHECK(value_of(rows[i], "newton_iterations") >= 1);
        TEST_CHECK(value_of(rows[i], "linear_iterations") > 0);
    }
    TEST_CONTAINS(output, "3 bodies, 1500 tets");
}

LYRA_TEST(bench_refuses_what_it_cannot_measure)
{
    static const struct {
        const char *arguments, *sentence;
        int code;
    } cases[] = {
        {"nothing", "memory", 2},
        {"memory --threads -1", "--threads needs a number of threads to 256, or 0", 2},
        {"memory --threads 10000", "or 0 for all cores, found \"10000\"", 2},
        {"memory --seconds -1", "--seconds are at least 0", 2},
        {"memory --json --csv", "take one", 2},
        {"step --fixed list.txt", "--fixed needs --mesh", 2},
        {"solvers --auto --solver pcg", "--auto has solvers of its own", 2},
        {"solvers --body rod", "--body and --statics are of --auto", 2},
        {"solvers --auto --statics --dt 1", "leave --dt out", 2},
        {"solvers --auto --body rod --mesh body.veg", "in place of the bodies of --auto", 2},
        {"solvers --auto --body ball", "no body of --auto has \"ball\" in its name", 1},
        {"step --mesh body.veg --large", "--mesh is in place of", 2},
        {"math --mesh body.veg", "of no use in the suite math", 2},
        {"step --model nothing", "no model \"nothing\", expected one of: linear, ", 2},
        {"solvers --solver nothing", "no solver \"nothing\", expected one of: pcg jacobi csr, ", 1},
        {"step --with pull,wind",
         "expected some of, by commas: pull, damper, history, pressure, "
         "viscoelastic",
         2},
        {"step --with pull,", "--with \"pull,\", expected some of", 2},
        {"step --with pullx", "--with \"pullx\", expected some of", 2},
        {"step --mesh nowhere.veg", "cannot read nowhere.veg", 1},
        {"volume --mesh nowhere.obj", "nowhere.obj", 1},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        TEST_EQUAL(lyra("bench %s", cases[i].arguments), cases[i].code);
        TEST_CONTAINS(errors, cases[i].sentence);
    }
    keep_mesh(0);
    TEST_EQUAL(lyra("bench --mesh %s", path), 1);
    TEST_CONTAINS(errors, "body.veg has no elements to measure on");
    TEST_STRING(output, "");
}
