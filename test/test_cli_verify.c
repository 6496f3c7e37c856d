// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// `lyra verify`: what its recorder makes of rows, good and bad, and the command as a user types it.

#include "../programs/cli/verify.h"
#include "cli_run.h"

#include <ctype.h>
#include <unistd.h>

// ---- the recorder -------------------------------------------------------------------------------

static LyraStatus run_good(Verify *verify)
{
    verify_relative(verify, 100, 100.5, 0.006, "within %d", 1);
    verify_absolute(verify, 0, 1e-13, 1e-12, "near zero");
    verify_range(verify, -INFINITY, 2, 2, "at the end of its range");
    verify_information(verify, 5, 50, "far off, and said to be");
    verify_skip(verify, "not installed");
    verify_note(verify, "first");
    verify_note(verify, "second");
    const double x[3] = {1, 2, 3}, y[3] = {1, 4, 9};
    VerifyPlot *plot = verify_plot(verify, "squares", "A < B", "x", "y", false, true);
    verify_series(plot, 3, x, y, "y & %d", 2);
    return LYRA_OK;
}

static LyraStatus run_bad(Verify *verify)
{
    verify_relative(verify, 100, 100.5, 0.004, "tolerance that is broken");
    verify_relative(verify, -2, 2, 1, "wrong sign");
    verify_absolute(verify, 0, NAN, 1e300, "not a number");
    verify_range(verify, 1, 2, 0.999, "below its range");
    verify_range(verify, 1, 2, NAN, "not a number either");
    verify_relative(verify, 0, 0, 1, "relative to nothing");
    return LYRA_OK;
}

static LyraStatus run_broken(Verify *verify)
{
    LyraMesh *mesh = NULL;
    verify_absolute(verify, 1, 1, 0, "before it broke off");
    return lyra_mesh_load(verify->ctx, "/nonexistent.veg", LYRA_MESH_FORMAT_AUTO, &mesh);
}

static LyraVector *kept;
static LyraContext *kept_context;

static LyraStatus run_leaky(Verify *verify)
{
    kept_context = verify->ctx;
    return lyra_vector_create(verify->ctx, 10, &kept);
}

static const VerifyCase good = {"good", "toys", "Rows that pass", true, run_good};
static const VerifyCase bad = {"bad", "toys", "Rows that do not", true, run_bad};
static const VerifyCase broken = {"broken", "toys", "Breaks off", true, run_broken};
static const VerifyCase leaky = {"leaky", "toys", "Keeps memory", true, run_leaky};

LYRA_TEST(verify_rows_within_their_tolerance_pass)
{
    Verify verify = {0};
    TEST_EQUAL(verify_run_case(&verify, &good, 1), CLI_OK);
    TEST_EQUAL(verify.row_count, 5);
    TEST_EQUAL(verify_failure_count(&verify), 0);
    TEST_EQUAL(verify_judge(&verify), 0);
    TEST_STRING(verify.rows[0].quantity, "within 1");
    TEST_NEAR(verify.rows[0].error, 0.005, 1e-15);
    TEST_STRING(verify.runs[0].notes, "first\nsecond\n");
    VerifyCells cells;
    verify_cells(&verify.rows[2], &cells);
    TEST_STRING(cells.tolerance, "<= 2");
    TEST_STRING(cells.verdict, "pass");
    verify_cells(&verify.rows[3], &cells);
    TEST_STRING(cells.verdict, "info");
    verify_cells(&verify.rows[4], &cells);
    TEST_STRING(cells.verdict, "skip");
    verify_end(&verify);
}

LYRA_TEST(verify_rows_outside_fail_and_so_does_the_run)
{
    Verify verify = {0};
    TEST_EQUAL(verify_run_case(&verify, &good, 1), CLI_OK);
    TEST_EQUAL(verify_run_case(&verify, &bad, 1), CLI_OK);
    TEST_EQUAL(verify_failure_count(&verify), 6);
    TEST_EQUAL(verify_judge(&verify), 1);
    for (int32_t i = 5; i < verify.row_count; ++i) {
        VerifyCells cells;
        verify_cells(&verify.rows[i], &cells);
        TEST_CHECK_MSG(!verify.rows[i].pass, "%s", verify.rows[i].quantity);
        TEST_STRING(cells.verdict, "FAIL");
    }
    verify_end(&verify);
}

LYRA_TEST(verify_a_case_that_breaks_off_is_a_failed_row)
{
    Verify verify = {0};
    TEST_EQUAL(verify_run_case(&verify, &broken, 1), CLI_OK);
    TEST_REQUIRE(verify.row_count == 2);
    TEST_CHECK(verify.rows[0].pass);
    TEST_EQUAL(verify.rows[1].kind, VERIFY_FAILED);
    TEST_CONTAINS(verify.rows[1].quantity, "broke off: cannot read /nonexistent.veg");
    TEST_EQUAL(verify_judge(&verify), 1);
    verify_end(&verify);
}

LYRA_TEST(verify_a_case_that_keeps_memory_fails)
{
    Verify verify = {0};
    TEST_EQUAL(verify_run_case(&verify, &leaky, 1), CLI_OK);
    TEST_REQUIRE(verify.row_count == 1);
    TEST_CONTAINS(verify.rows[0].quantity, "bytes were not given back");
    TEST_EQUAL(verify_judge(&verify), 1);
    lyra_vector_destroy(kept);
    lyra_context_destroy(kept_context);
    verify_end(&verify);
}

// ---- the command --------------------------------------------------------------------------------

static const char *skip_blank(const char *at)
{
    return at + strspn(at, " \n\t\r");
}

// past one JSON value, NULL where there is none
static const char *skip_json(const char *at)
{
    at = skip_blank(at);
    if (*at == '"') {
        for (++at; *at != '"'; ++at) {
            if (!*at || (unsigned char)*at < 0x20 || (*at == '\\' && !*++at)) {
                return NULL;
            }
        }
        return at + 1;
    }
    if (*at == '{' || *at == '[') {
        char open = *at, close = open == '{' ? '}' : ']';
        at = skip_blank(at + 1);
        if (*at == close) {
            return at + 1;
        }
        for (;;) {
            if (open == '{') {
                at = *at == '"' ? skip_json(at) : NULL;
                at = at ? skip_blank(at) : NULL;
                if (!at || *at++ != ':') {
                    return NULL;
                }
            }
            at = skip_json(at);
            at = at ? skip_blank(at) : NULL;
            if (!at || (*at != ',' && *at != close)) {
                return NULL;
            }
            if (*at++ == close) {
                return at;
            }
            at = skip_blank(at);
        }
    }
    for (const char *const *word = (const char *const[]){"true", "false", "null", NULL}; *word;
         ++word) {
        if (strncmp(at, *word, strlen(*word)) == 0) {
            return at + strlen(*word);
        }
    }
    char *end = NULL;
    strtod(at, &end);
    return end != at && (isdigit((unsigned char)*at) || *at == '-') ? end : NULL;
}

static bool is_json(const char *text)
{
    const char *end = skip_json(text);
    return end && !*skip_blank(end);
}

LYRA_TEST(verify_json_is_one_object_and_the_same_at_any_thread_count)
{
    TEST_CHECK(is_json("{\"a\": [1, -2.5e3, null], \"b\": {}}"));
    TEST_CHECK(!is_json("{\"a\": [1, 2}"));
    TEST_EQUAL(lyra("verify volume --quick --json --threads 1"), 0);
    TEST_CHECK(is_json(output));
    TEST_CONTAINS(output, "\"pass\": true");
    TEST_CONTAINS(output, "\"failures\": 0");
    TEST_CONTAINS(output, "\"tolerance\": 1e-06");
    TEST_CONTAINS(output, "\"name\": \"volume\"");
    char *one = strdup(output);
    TEST_EQUAL(lyra("verify volume --quick --json --threads 3"), 0);
    TEST_STRING(output, one);
    free(one);
}

LYRA_TEST(verify_prints_a_table)
{
    TEST_EQUAL(lyra("verify patch-load"), 0);
    TEST_CONTAINS(output, "reference          ours        error        tolerance");
    TEST_CONTAINS(output, "distorted tets, neo-hookean: reaction, N");
    TEST_CONTAINS(output, "rows of 1 cases: all pass");
    TEST_EQUAL(lyra("verify --list"), 0);
    TEST_CONTAINS(output, "elastica           statics    quick");
}

LYRA_TEST(verify_reports_are_whole)
{
    char html[256], markdown[256];
    snprintf(html, sizeof html, "%s", test_temp_path("verify.html"));
    snprintf(markdown, sizeof markdown, "%s", test_temp_path("verify.md"));
    char folder[256];
    snprintf(folder, sizeof folder, "%s", test_temp_path("x"));
    *strrchr(folder, '/') = '\0';
    TEST_EQUAL(
        lyra("verify volume --quick --html %s --markdown %s --pictures %s", html, markdown, folder),
        0);
    char *text = test_read_file(html, NULL);
    TEST_REQUIRE(text);
    TEST_CONTAINS(text, "<h2 id=\"volume\">");
    TEST_CONTAINS(text, "<img alt=\"Change of volume");
    TEST_CONTAINS(text, "data:image/svg+xml,%3C%3Fxml");
    TEST_CONTAINS(text, "</body></html>");
    // it needs no other file
    TEST_CHECK(!strstr(text, "<link") && !strstr(text, "<script"));
    free(text);
    text = test_read_file(markdown, NULL);
    TEST_REQUIRE(text);
    TEST_CONTAINS(text, "| quantity | reference | ours | error | tolerance | |");
    TEST_CONTAINS(text, "/verify_volume.svg)");
    // prose is in lines that a page of docs may have
    for (const char *line = text; *line; line += strcspn(line, "\n") + 1) {
        TEST_CHECK_MSG(*line == '|' || strcspn(line, "\n") <= 120, "%.60s ...", line);
    }
    free(text);
    char picture[300];
    snprintf(picture, sizeof picture, "%s/verify_volume.svg", folder);
    TEST_EQUAL(access(picture, F_OK), 0);
    remove(picture);
}

LYRA_TEST(verify_says_what_is_wrong)
{
    TEST_EQUAL(lyra("verify elastika"), 2);
    TEST_CONTAINS(errors, "no case \"elastika\"; did you mean \"elastica\"?");
    TEST_EQUAL(lyra("verify something-else"), 2);
    TEST_CONTAINS(errors, "--list prints those there are");
    TEST_EQUAL(lyra("verify --threads -1"), 2);
    TEST_EQUAL(lyra("verify --pictures /tmp"), 2);
    TEST_EQUAL(lyra("verify patch-load --html /nonexistent/a.html"), 1);
    TEST_CONTAINS(errors, "/nonexistent/a.html");
    TEST_EQUAL(lyra("verify patch-load --markdown /nonexistent/a.md"), 1);
}
