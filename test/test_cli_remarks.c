// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// What the command makes of the remarks of the library: each kind once, and how often it came.

#include "base/base.h"
#include "cli.h"
#include "lyra_test.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// standard error goes to a file until shown() returns what was written
static char path[1024];
static int before;

static void watch(void)
{
    snprintf(path, sizeof path, "%s", test_temp_path("stderr"));
    fflush(stderr);
    before = dup(STDERR_FILENO);
    TEST_REQUIRE(freopen(path, "w", stderr) != NULL);
}

static char *shown(void)
{
    fflush(stderr);
    dup2(before, STDERR_FILENO);
    close(before);
    return test_read_file(path, NULL);
}

LYRA_TEST(remarks_come_once_with_a_count_at_the_end)
{
    LyraContext *ctx = cli_context(1, LYRA_ISA_AUTO);
    TEST_REQUIRE(ctx);
    watch();
    for (int i = 0; i < 622; ++i) {
        ly_log(ctx, LYRA_LOG_INFO, "pcg: slow at residual %g after %d iterations; going on",
               1e-3 / (i + 1), i);
        ly_log(ctx, LYRA_LOG_WARNING, "step %d: beyond (%d%%)", i, i);
    }
    // names with numbers in them are names, and warnings are no remarks
    ly_log(ctx, LYRA_LOG_INFO, "body1.obj: 3 faces dropped");
    ly_log(ctx, LYRA_LOG_INFO, "body2.obj: 3 faces dropped");
    ly_log(ctx, LYRA_LOG_WARNING, "body2.obj: 3 faces dropped");
    cli_remarks_end();
    // another run begins anew
    ly_log(ctx, LYRA_LOG_INFO, "body1.obj: 3 faces dropped");
    cli_remarks_end();
    char *text = shown();
    lyra_context_destroy(ctx);
    TEST_STRING(text, "lyra: pcg: slow at residual 0.001 after 0 iterations; going on\n"
                      "lyra: warning: step 0: beyond (0%)\n"
                      "lyra: body1.obj: 3 faces dropped\n"
                      "lyra: body2.obj: 3 faces dropped\n"
                      "lyra: warning: body2.obj: 3 faces dropped\n"
                      "lyra: 622 times in all: pcg: slow at residual 0.001 after 0 iterations; "
                      "going on\n"
                      "lyra: 622 times in all: warning: step 0: beyond (0%)\n"
                      "lyra: body1.obj: 3 faces dropped\n");
    free(text);
}

LYRA_TEST(more_kinds_of_remarks_than_are_counted_are_printed)
{
    LyraContext *ctx = cli_context(1, LYRA_ISA_AUTO);
    TEST_REQUIRE(ctx);
    watch();
    for (int i = 0; i < 2 * 100; ++i) {
        ly_log(ctx, LYRA_LOG_INFO, "body%d: dropped", i % 100);
    }
    cli_remarks_end();
    char *text = shown();
    lyra_context_destroy(ctx);
    // 64 once and with a count, 36 twice
    int lines = 0;
    for (const char *c = text; *c; ++c) {
        lines += *c == '\n';
    }
    TEST_EQUAL(lines, 64 * 2 + 36 * 2);
    free(text);
}
