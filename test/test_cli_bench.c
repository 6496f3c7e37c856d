// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// `lyra bench` as a user types it: its forms of output, and the comparison with an earlier result.

#include "cli_run.h"

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

LYRA_TEST(bench_marks_what_moved_by_more_than_its_noise)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    const char *isa = lyra_isa_name(lyra_context_isa(ctx));
    // no machine takes a picosecond, or a second, for an element
    keep_row("0.001", "0.001", "1", isa);
    TEST_EQUAL(lyra(MEMORY " --baseline %s", path), 0);
    TEST_CONTAINS(output, " slower, memory was 0.000 MB");
    TEST_CONTAINS(output, ": 0 faster, 1 slower, 0 within the noise, 5 without an earlier row; 1");
    keep_row("1e9", "1e9", "", isa);
    TEST_EQUAL(lyra(MEMORY " --baseline %s", path), 0);
    TEST_CONTAINS(output, ": 1 faster, 0 slower, 0 within the noise, 5 without an earlier row; 0");
    TEST_EQUAL(lyra(MEMORY " --csv --baseline %s", path), 0);
    TEST_CONTAINS(output, ",1e+09,faster\n");
    // the same minimum from repeats that lay far apart says nothing
    keep_row("0.001", "1e9", "", isa);
    TEST_EQUAL(lyra(MEMORY " --baseline %s", path), 0);
    TEST_CONTAINS(output, ": 0 faster, 0 slower, 1 within the noise");
    // another instruction set is another row
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
    TEST_EQUAL(lyra("bench nothing"), 2);
    TEST_CONTAINS(errors, "memory");
}
