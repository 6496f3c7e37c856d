// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// `lyra fit` as a user types it.

#include "cli_run.h"

#include "lyra/lyra.h"

#include <unistd.h>

#define ROWS 25

// G_inf 1000 and branches of 300, 500 Pa with 2, 0.1 s
static const double times[2] = {2, 0.1}, moduli[2] = {300, 500};

// writes rows in an order that is not sorted, with blank lines, of complex moduli or a relaxation
// after a ramp of half a second
static const char *write_data(bool dynamic, const char *bad_row)
{
    static char path[1024];
    snprintf(path, sizeof path, "%s", test_temp_path(dynamic ? "dynamic.csv" : "relaxation.csv"));
    FILE *file = fopen(path, "w");
    TEST_CHECK(file);
    fprintf(file, dynamic ? "loss,frequency,note,storage\n\n" : "time,modulus\n\n");
    for (int i = 0; i < ROWS; ++i) {
        double at = 0.01 * pow(10, (double)(7 * i % ROWS) / 6), storage = 1000, loss = 0;
        for (int k = 0; k < 2; ++k) {
            double y = 2 * acos(-1) * at * times[k];
            if (dynamic) {
                storage += moduli[k] * y * y / (1 + y * y);
                loss += moduli[k] * y / (1 + y * y);
            } else {
                storage +=
                    moduli[k] * exp(-at / times[k]) * times[k] / 0.5 * (1 - exp(-0.5 / times[k]));
            }
        }
        if (i == 3 && bad_row) {
            fprintf(file, "%s\n", bad_row);
        } else if (dynamic) {
            fprintf(file, "%.17g,%.17g,,%.17g\n", loss, at, storage);
        } else {
            fprintf(file, "%.17g,%.17g\n", at, storage);
        }
    }
    fclose(file);
    return path;
}

LYRA_TEST(cli_fit_finds_the_series_that_made_the_data)
{
    const char *chart = test_temp_path("fit.svg");
    for (int dynamic = 0; dynamic < 2; ++dynamic) {
        unlink(chart);
        TEST_EQUAL(lyra("fit prony %s %s --json --plot %s", write_data(dynamic, NULL),
                        dynamic ? "" : "--ramp 0.5", chart),
                   0);
        TEST_NEAR(number_of("branches"), 2, 0);
        TEST_NEAR(number_of("rows"), ROWS, 0);
        TEST_NEAR(number_of("equilibrium"), 1000, 1e-4);
        TEST_NEAR(number_of("instantaneous"), 1800, 1e-4);
        TEST_CONTAINS(output, "shear: [{time: 2, share: 0.3}, {time: 0.1, share: 0.5}]");
        TEST_CHECK(!strstr(output, "bulk"));
        TEST_EQUAL(access(chart, R_OK), 0);
        TEST_CHECK(number_of("error") < 1e-8);
    }
    // Young's moduli leave Poisson's ratio alone
    TEST_EQUAL(lyra("fit prony %s --kind young --poisson 0.3", write_data(true, NULL)), 0);
    TEST_CONTAINS(output, "material: {young: 1000, poisson: 0.3}");
    TEST_CONTAINS(output, "bulk: [{time: 2, share: 0.3}, {time: 0.1, share: 0.5}]");
}

LYRA_TEST(cli_fit_takes_as_many_branches_as_the_error_needs)
{
    const char *q = "fit constant-q --q 4.8 --low 0.1 --high 1e4 --modulus 2500 --reference 2";
    // the figures of docs/theory/viscoelasticity.md
    const double expected[] = {0.123, 0.067, 0.035, 0.018};
    for (int n = 2; n <= 5; ++n) {
        TEST_EQUAL(lyra("%s --json --branches %d", q, n), 0);
        TEST_NEAR(number_of("error"), expected[n - 2], 1e-3);
        TEST_NEAR(number_of("branches"), n, 0);
        TEST_EQUAL(lyra("%s --json --error %g", q, expected[n - 2] + 1e-3), 0);
        TEST_NEAR(number_of("branches"), n, 0);
    }
    TEST_NEAR(number_of("q_min"), 4.45, 0.01);
    TEST_NEAR(number_of("q_max"), 5.86, 0.01);
    TEST_EQUAL(lyra("%s --error 1e-5", q), 1);
    TEST_CONTAINS(errors, "no series of up to 8 branches has an error of 1e-05");
}

LYRA_TEST(cli_fit_says_what_is_wrong_with_data)
{
    static const struct {
        bool dynamic;
        const char *row, *says;
    } cases[] = {
        {true, "5,0,,3", ":6: found 0 for \"frequency\", expected a number above 0"},
        {true, "-1,2,,3", ":6: found -1 for \"loss\", expected a number from 0 up"},
        {true, "1,2,,", ":6: found no number for \"storage\", expected a number above 0"},
        {true, "1,2,,soft", ":6: found \"soft\", expected a number for \"storage\""},
        {true, "1,2,3", ":6: found 3 cells, expected 4"},
        {false, "1,-2", ":6: found -2 for \"modulus\", expected a number above 0"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        TEST_EQUAL(lyra("fit prony %s", write_data(cases[i].dynamic, cases[i].row)), 1);
        TEST_CONTAINS(errors, cases[i].says);
        TEST_STRING(output, "");
    }
    const char *path = test_temp_path("columns.csv");
    test_write_file(path, "hz,storage,loss\n1,2,3\n", 22);
    TEST_EQUAL(lyra("fit prony %s", path), 1);
    TEST_CONTAINS(errors, "found the columns hz, storage, loss, expected either frequency");
    test_write_file(path, "time,modulus\n1,2\n", 17);
    TEST_EQUAL(lyra("fit prony %s", path), 1);
    TEST_CONTAINS(errors, "found 1 rows, expected at least 2");
    test_write_file(path, "time,modulus\n1,2\n1,3\n", 21);
    TEST_EQUAL(lyra("fit prony %s", path), 1);
    TEST_CONTAINS(errors, "found one time only");
    test_write_file(path, "time,modulus\n1,2\n2,1\n", 21);
    TEST_EQUAL(lyra("fit prony %s --branches 1", path), 1);
    TEST_CONTAINS(errors, "found 2 moduli, expected at least 3 for 1 branch");
    TEST_EQUAL(lyra("fit prony %s", path), 1);
    TEST_CONTAINS(errors, "found 2 moduli, expected at least 3 for 1 branch");
    // what grows does not relax
    test_write_file(path, "time,modulus\n1,1\n2,2\n3,3\n4,5\n", 29);
    TEST_EQUAL(lyra("fit prony %s", path), 0);
    TEST_CONTAINS(errors, "warning: ");
    TEST_CONTAINS(errors, "columns.csv: the series is off by 51 %");
    // what no number holds
    TEST_EQUAL(lyra("fit constant-q --q 1e12 --low 1e-3 --high 1e9 --modulus 1e300 --reference "
                    "1e-300"),
               1);
    TEST_CONTAINS(errors, "fit: no series of 1 branches has a finite error");
    TEST_STRING(output, "");
    TEST_EQUAL(lyra("fit prony %s --ramp 1", write_data(true, NULL)), 1);
    TEST_CONTAINS(errors, "found frequencies, expected times with --ramp");
}

LYRA_TEST(cli_fit_refuses_options_that_make_no_sense)
{
    static const char *const wrong[] = {
        "prony d.csv --branches 9",
        "prony d.csv --ramp -1",
        "prony d.csv --kind bulk",
        "prony d.csv --poisson 0.5",
        "prony",
        "prony d.csv --branches 2 --error 0.1",
        "prony d.csv --error 0",
        "constant-q --low 1 --high 2 --modulus 1",
        "constant-q --q 4 --low 2 --high 1 --modulus 1",
        "constant-q --q 4 --low 1 --high 2 --modulus 1 --reference 0",
        "moon",
    };
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; ++i) {
        TEST_CHECK_MSG(lyra("fit %s", wrong[i]) == 2, "fit %s", wrong[i]);
    }
    // nothing is printed where the chart cannot be written
    TEST_EQUAL(lyra("fit prony %s --plot /nowhere/fit.svg", write_data(true, NULL)), 1);
    TEST_STRING(output, "");
}
