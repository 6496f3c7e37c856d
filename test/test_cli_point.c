// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// `lyra eval --point` as a user types it.

#include "cli_run.h"

#include "lyra/lyra.h"

// the number after the last "key": in the output
static double last_of(const char *key)
{
    char quoted[64];
    snprintf(quoted, sizeof quoted, "\"%s\": ", key);
    double value = NAN;
    for (const char *at = output; (at = strstr(at, quoted)) != NULL;) {
        at += strlen(quoted);
        value = strtod(at + (*at == '['), NULL);
    }
    return value;
}

// component of the last tensor of that name
static double last_tensor(const char *key, int component)
{
    char quoted[64];
    snprintf(quoted, sizeof quoted, "\"%s\": [", key);
    double value = NAN;
    for (const char *at = output; (at = strstr(at, quoted)) != NULL;) {
        char *end = NULL;
        at += strlen(quoted);
        for (int k = 0; k <= component; ++k) {
            value = strtod(k > 0 ? end + 1 : at, &end);
        }
    }
    return value;
}

// a path of `count` rows to t = 1, on which the logarithmic strain grows to `strain`
static const char *write_pull(int count, double strain)
{
    static char path[1024];
    snprintf(path, sizeof path, "%s", test_temp_path("pull.csv"));
    FILE *file = fopen(path, "w");
    fprintf(file, "t,F11\n");
    for (int i = 1; i <= count; ++i) {
        fprintf(file, "%.17g,%.17g\n", (double)i / count, exp(strain * i / count));
    }
    fclose(file);
    return path;
}

#define NINE "t,F11,F12,F13,F21,F22,F23,F31,F32,F33\n"

// simple shear to `end`, in `count` rows to t = 1; the first at t = 0 with `jump`
static const char *write_shear(int count, double end, bool jump)
{
    static char path[1024];
    snprintf(path, sizeof path, "%s", test_temp_path("shear.csv"));
    FILE *file = fopen(path, "w");
    fprintf(file, NINE);
    for (int i = jump ? 0 : 1; i <= count; ++i) {
        fprintf(file, "%.17g,1,%.17g,0,0,1,0,0,0,1\n", (double)i / count,
                jump ? end : end * i / count);
    }
    fclose(file);
    return path;
}

#define FLOWING "--model hencky --plasticity von-mises --json"

LYRA_TEST(cli_point_of_metal_is_the_closed_form)
{
    for (int count = 1; count <= 30; count += 29) {
        TEST_EQUAL(lyra("eval --point %s --uniaxial " FLOWING " --param mu=3 --param lambda=5 "
                        "--param yield=0.4 --param hardening=0.7",
                        write_pull(count, 0.3)),
                   0);
        double stress = 0.4 + 7.875 * 0.7 / 8.575 * (0.3 - 0.4 / 7.875);
        TEST_NEAR(last_tensor("tau", 0), stress, 1e-9);
        TEST_NEAR(last_tensor("P", 4), 0, 1e-9);
        TEST_NEAR(last_of("equivalent-plastic-strain"), (stress - 0.4) / 0.7, 1e-9);
        // yield * alpha is lost
        TEST_NEAR(last_of("dissipated"), 0.4 * (stress - 0.4) / 0.7, 1e-9);
    }
    // a table with the same line, and a second one that is flat from an equivalent strain of 0.1 on
    TEST_EQUAL(lyra("eval --point %s --uniaxial " FLOWING " --param mu=3 --param lambda=5 "
                    "--strength 0,0.4 --strength 1,1.1",
                    write_pull(7, 0.3)),
               0);
    TEST_NEAR(last_tensor("tau", 0), 0.4 + 7.875 * 0.7 / 8.575 * (0.3 - 0.4 / 7.875), 1e-9);
    TEST_EQUAL(lyra("eval --point %s --uniaxial " FLOWING " --param mu=3 --param lambda=5 "
                    "--strength 0,0.4 --strength 0.1,0.47",
                    write_pull(7, 0.3)),
               0);
    TEST_NEAR(last_tensor("tau", 0), 0.47, 1e-9);
    // Perzyna at constant rate, from above by elastic transients that have died away
    TEST_EQUAL(lyra("eval --point %s --uniaxial " FLOWING " --param mu=300 --param lambda=500 "
                    "--param yield=0.4 --param flow-viscosity=0.2",
                    write_pull(40, 0.3)),
               0);
    TEST_NEAR(last_tensor("tau", 0), 0.4 + 1.5 * 0.2 * 0.3, 1e-4);
    // simple shear
    TEST_EQUAL(lyra("eval --point %s " FLOWING " --param mu=1 --param lambda=1 --param yield=0.01",
                    write_shear(10, 1, false)),
               0);
    TEST_NEAR(last_tensor("tau", 1) / 0.01, 0.576455, 1e-6);
    TEST_NEAR(last_of("dissipated"), 5.7362e-3, 1e-7);
    TEST_NEAR(last_of("stored"), 1e-4 / 6, 1e-12);
}

LYRA_TEST(cli_point_flows_by_the_other_criteria)
{
    TEST_EQUAL(lyra("eval --point %s --uniaxial --model hencky --plasticity kinematic --json "
                    "--param mu=3 --param lambda=5 --param yield=0.4 "
                    "--param kinematic-hardening=0.7",
                    write_pull(7, 0.3)),
               0);
    TEST_NEAR(last_tensor("tau", 0), 0.4 + 7.875 * 0.7 / 8.575 * (0.3 - 0.4 / 7.875), 1e-9);
    TEST_CHECK(strstr(output, "plastic-strain-11") && !strstr(output, "unused"));
    TEST_EQUAL(lyra("eval --point %s --model neo-hookean --plasticity deformation --json "
                    "--param yield-strain=0.1 --param keeps-volume=1",
                    write_shear(20, 0.5, false)),
               0);
    TEST_CHECK(last_of("equivalent-plastic-strain") > 0.1);
    TEST_CHECK(last_of("dissipated") > 0);
}

LYRA_TEST(cli_point_relaxes)
{
    // a jump of shear, then e^(-t/tau); small, so that it is linear
    double jump = 1e-4;
    TEST_EQUAL(lyra("eval --point %s --model hencky --param mu=3 --param lambda=5 --json "
                    "--viscosity prony --branch 0.5,2 --branch 2,1",
                    write_shear(4, jump, true)),
               0);
    TEST_NEAR(last_tensor("P", 1) / jump, 3 * (1 + 2 * exp(-2) + exp(-0.5)), 1e-3);
    TEST_CHECK(last_of("dissipated") > 0);
    TEST_EQUAL(lyra("eval --point %s --model hencky --param mu=3 --param lambda=5 --json "
                    "--viscosity maxwell --branch 0.5,6",
                    write_shear(40, jump, true)),
               0);
    // each step relaxes by 1/(1 + dt/tau)
    TEST_NEAR(last_tensor("P", 1) / jump, 3 + 6 * pow(1.05, -40), 1e-3);
    TEST_CHECK(last_of("equivalent-creep-strain") > 0);
    // constant Q: a series of five branches, of which the fastest hold the jump; moduli at rest
    TEST_EQUAL(lyra("eval --point %s --model hencky --param mu=3 --param lambda=5 --json "
                    "--viscosity constant-q --param q=4.8 --param low=0.1 --param high=1e4 "
                    "--param branches=5",
                    write_shear(1, jump, true)),
               0);
    // handbook of the fit: moduli over that at rest, times
    static const double moduli[] = {0.262, 0.337, 0.470, 0.654, 1.086};
    static const double times[] = {0.719, 0.0540, 0.00429, 3.41e-4, 2.46e-5};
    double kept = 1;
    for (int i = 0; i < 5; ++i) {
        kept += moduli[i] / 0.603 * exp(-1 / times[i]);
    }
    TEST_NEAR(last_tensor("P", 1) / jump / 3, kept, 2e-3);
    // and at 2 Hz: the law has less at rest
    TEST_EQUAL(lyra("eval --point %s --model hencky --young 2.9 --json --viscosity constant-q "
                    "--param q=4.8 --param low=0.1 --param high=1e4 --param branches=5 "
                    "--param reference=2",
                    write_shear(1, jump, true)),
               0);
    TEST_NEAR(last_tensor("P", 1) / jump, 0.603 * kept, 2e-3);
    // at a constant rate
    TEST_EQUAL(lyra("eval --point %s --model hencky --param mu=3 --param lambda=5 --json "
                    "--viscosity strain-rate --param viscosity-mu=7",
                    write_shear(10, jump, false)),
               0);
    TEST_NEAR(last_tensor("P", 1) / jump, 3 + 7, 1e-3);
    TEST_NEAR(last_of("dissipated") / (jump * jump), 7, 1e-3);
}

LYRA_TEST(cli_point_runs_every_law)
{
    const char *path = write_pull(4, 0.2);
    const char *name;
    for (int32_t m = 0; (name = lyra_solid_model(m)) != NULL; ++m) {
        TEST_CHECK_MSG(lyra("eval --point %s --uniaxial --model %s --json", path, name) == 0,
                       "%s: %s", name, errors);
        TEST_CHECK_MSG(last_tensor("P", 0) > 0 && last_of("stored") > 0, "%s", name);
        TEST_CHECK_MSG(fabs(last_tensor("P", 8)) < 1e-8 * last_tensor("P", 0), "%s: %g", name,
                       last_tensor("P", 8));
        TEST_NEAR(last_of("dissipated"), 0, 0);
    }
    // CSV has a line for each row and one of names
    TEST_EQUAL(lyra("eval --point %s --uniaxial --model stvk", path), 0);
    int lines = 0;
    for (const char *c = output; *c; ++c) {
        lines += *c == '\n';
    }
    TEST_EQUAL(lines, 5);
    TEST_CHECK(strncmp(output, NINE, strlen(NINE) - 1) == 0);
}

LYRA_TEST(cli_point_says_what_is_wrong)
{
    static const struct {
        const char *text, *options, *says;
    } cases[] = {
        {"t,F11\n1,0.5\n0.5,1\n", "--uniaxial", ":3: found t = 0.5 after 1, expected times"},
        {"t,F11\n-1,0.5\n", "--uniaxial", ":2: found t = -1 after 0"},
        {"t,F11\n1,0\n", "--uniaxial", ":2: found 0 for \"F11\", expected a stretch above 0"},
        {"t,F11\n1,\n", "--uniaxial", ":2: found nan for \"F11\""},
        {"t,F11\n1,2,3\n", "--uniaxial", ":2: found 3 cells, expected 2"},
        {"t,F11\n", "--uniaxial", "found 0 rows, expected at least 1"},
        {"t,F11\n1,2\n", "", "found the columns t, F11, expected t,F11,F12"},
        {NINE "1,1,0,0,0,1,0,0,0,-1\n",
         "--plasticity kinematic --param yield=1 --param kinematic-hardening=1",
         ":2: the law has no stress at det F = -1, expected more than 0"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        const char *path = test_temp_path("bad.csv");
        test_write_file(path, cases[i].text, strlen(cases[i].text));
        TEST_EQUAL(lyra("eval --point %s --model hencky %s", path, cases[i].options), 1);
        TEST_CONTAINS(errors, cases[i].says);
    }
    static const char *const wrong[][2] = {
        {"--plasticity von-mises", "needs --param yield=NUMBER"},
        {"--plasticity kinematic --param yield=1", "needs --param kinematic-hardening=NUMBER"},
        {"--plasticity deformation", "needs --param yield-strain=NUMBER"},
        {"--plasticity clay", "expected von-mises, kinematic or deformation"},
        {"--viscosity prony", "needs 1 to 8 of --branch, found 0"},
        {"--viscosity honey", "expected prony, maxwell, constant-q or strain-rate"},
        {"--viscosity constant-q --param q=4.8", "needs --param q=NUMBER, low=HZ and high=HZ"},
        {"--viscosity constant-q --param q=5 --param low=1 --param high=9 --param branches=0.5",
         "expected a whole number up to 8"},
        {"--viscosity constant-q --param q=5 --param low=1 --param high=9 --param reference=2 "
         "--param mu=1",
         "needs a frequency above 0, and --young"},
        {"--strength 0,1", "--strength needs --plasticity"},
        {"--plasticity von-mises --strength 1", "--strength needs STRAIN,STRESS, found \"1\""},
        {"--plasticity deformation --param yield-strain=1 --strength 0,1",
         "--strength goes with von-mises or kinematic"},
        {"--viscosity prony --branch 1", "--branch needs TIME,SHEAR"},
        {"--viscosity strain-rate", "needs --param viscosity-mu"},
        {"--branch 1,2", "--branch needs --viscosity"},
        {"--check", "without options of one"},
        {"body.veg", "goes without a mesh"},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; ++i) {
        TEST_EQUAL(lyra("eval --point x.csv --model hencky %s", wrong[i][0]), 2);
        TEST_CONTAINS(errors, wrong[i][1]);
    }
    TEST_EQUAL(lyra("eval --model hencky"), 2);
    TEST_EQUAL(lyra("eval body.veg --model hencky --uniaxial"), 2);
    // parameters that neither the law nor the flow has
    TEST_EQUAL(
        lyra("eval --point %s --uniaxial --model hencky --param yield=1", write_pull(1, 0.1)), 1);
    TEST_CONTAINS(errors, "yield");
}
