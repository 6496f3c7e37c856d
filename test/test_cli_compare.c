// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// `lyra compare`: runs that are the same, runs of other steps, and what cannot be compared.

#include "lyra/matrix_file.h"
#include "run_cases.h"

LYRA_TEST(a_run_is_no_way_from_itself)
{
    const char *scene = make_scene(), *a = kept("a"), *b = kept("b");
    TEST_EQUAL(lyra("run %s --steps 6 --save-every 2 --out %s", scene, a), 0);
    TEST_EQUAL(lyra("run %s --steps 8 --save-every 1 --out %s", scene, b), 0);
    TEST_EQUAL(lyra("compare %s %s --json", a, b), 0);
    TEST_NEAR(number_of("common_steps"), 6, 0);
    TEST_NEAR(number_of("common_frames"), 4, 0);
    TEST_NEAR(number_of("largest"), 0, 0);
    TEST_NEAR(number_of("rms"), 0, 0);
    TEST_CHECK(number_of("size") > 1e-4);
    TEST_CONTAINS(output, "\"name\": \"elastic\"");
    TEST_EQUAL(lyra("compare %s %s", b, a), 0);
    TEST_CONTAINS(output, "6 common steps, 4 common frames");
    TEST_CONTAINS(output, "positions of body");
    TEST_STRING(errors, "");
}

// entry (vertex, component) of a frame
static double entry(const LyraDense *frame, int32_t vertex, int component)
{
    LyraDenseView view = lyra_dense_view(frame);
    return view.values[vertex + (int64_t)view.rows * component];
}

LYRA_TEST(distances_are_those_of_the_files)
{
    const char *scene = make_scene(), *a = kept("coarse"), *b = kept("fine");
    TEST_EQUAL(lyra("run %s --steps 4 --save-every 1 --out %s", scene, a), 0);
    TEST_EQUAL(lyra("run %s --steps 8 --save-every 2 --set timestep=0.005 --out %s", scene, b), 0);
    TEST_EQUAL(lyra("compare %s %s --json", a, b), 0);
    TEST_NEAR(number_of("common_frames"), 5, 0);
    TEST_NEAR(number_of("common_steps"), 4, 0);
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    double largest = 0, sum = 0;
    int64_t count = 0;
    for (int f = 0; f < 5; ++f) {
        LyraDense *x = NULL, *y = NULL;
        char path[2][2048];
        snprintf(path[0], sizeof path[0], "%s/displacement.npy", a);
        snprintf(path[1], sizeof path[1], "%s/displacement.npy", b);
        TEST_REQUIRE_OK(lyra_dense_load_npy_frame(ctx, path[0], f, &x));
        TEST_REQUIRE_OK(lyra_dense_load_npy_frame(ctx, path[1], f, &y));
        for (int32_t v = 0; v < lyra_dense_view(x).rows; ++v, ++count) {
            double d = 0;
            for (int i = 0; i < 3; ++i) {
                d = hypot(d, entry(x, v, i) - entry(y, v, i));
            }
            largest = fmax(largest, d);
            sum += d * d;
        }
        lyra_dense_destroy(x);
        lyra_dense_destroy(y);
    }
    TEST_CHECK(largest > 1e-6);
    TEST_NEAR(number_of("largest"), largest, 1e-12 * largest);
    TEST_NEAR(number_of("rms"), sqrt(sum / (double)count), 1e-12 * largest);
    test_context_end(ctx);
}

LYRA_TEST(runs_without_frames_have_energies)
{
    const char *scene = make_scene(), *a = kept("a"), *b = kept("b");
    TEST_EQUAL(lyra("run %s --steps 3 --out %s", scene, a), 0);
    TEST_EQUAL(lyra("run %s --steps 3 --out %s --set dampingMassCoef=2", scene, b), 0);
    TEST_EQUAL(lyra("compare %s %s", a, b), 0);
    TEST_CONTAINS(output, "3 common steps, 0 common frames\nno positions: both runs need frames");
    TEST_CONTAINS(output, "kinetic");
}

LYRA_TEST(what_cannot_be_compared_is_told)
{
    const char *scene = make_scene(), *a = kept("a"), *b = kept("b"), *other = kept("other");
    TEST_EQUAL(lyra("run %s --steps 2 --save-every 1 --out %s", scene, a), 0);
    // steps of which none ends when another does
    TEST_EQUAL(lyra("run %s --steps 2 --save-every 1 --set timestep=0.0033 --out %s", scene, b), 0);
    TEST_EQUAL(lyra("compare %s %s", a, b), 1);
    TEST_CONTAINS(errors, "have no common times after the start");
    TEST_EQUAL(lyra("mesh box %s --elements 400 --size 1,0.5,0.5 --young 1e5", kept("block.veg")),
               0);
    TEST_EQUAL(lyra("run %s --steps 2 --out %s", scene, other), 0);
    TEST_EQUAL(lyra("compare %s %s", a, other), 1);
    TEST_CONTAINS(errors, "runs of the same bodies can be compared");
    TEST_EQUAL(lyra("compare %s %s", a, kept("nothing")), 1);
    TEST_CONTAINS(errors, "not the folder of a run");
    TEST_EQUAL(lyra("compare %s", a), 2);
    TEST_CONTAINS(errors, "expected RUN_A RUN_B");
    TEST_EQUAL(lyra("compare --help"), 0);
    TEST_CONTAINS(output, "usage: lyra compare RUN_A RUN_B");
    // a summary that is none, and a time.npy that is none
    char path[2048];
    snprintf(path, sizeof path, "%s/summary.json", b);
    static const char wrong[] = "{\n  \"bodies\": [\n    {\n      \"name\": 3\n    }\n  ]\n}\n";
    test_write_file(path, wrong, sizeof wrong - 1);
    TEST_EQUAL(lyra("compare %s %s", a, b), 1);
    TEST_CONTAINS(errors, "not the summary of a run");
    test_write_file(path, "{", 1);
    TEST_EQUAL(lyra("compare %s %s", a, b), 1);
    TEST_CONTAINS(errors, "not the summary of a run");
    snprintf(path, sizeof path, "%s/time.npy", a);
    test_write_file(path, "short", 5);
    TEST_EQUAL(lyra("compare %s %s", a, a), 1);
    TEST_CONTAINS(errors, "time.npy");
    snprintf(path, sizeof path, "%s/steps.csv", a);
    test_write_file(path, "step\n1\n", 7);
    snprintf(path, sizeof path, "%s/time.npy", a);
    remove(path);
    TEST_EQUAL(lyra("compare %s %s", a, a), 1);
    TEST_CONTAINS(errors, "found no column \"time\"");
}
