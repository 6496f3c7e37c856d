// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Running the `lyra` command as a user does, for its tests.

#ifndef LYRA_TEST_CLI_RUN_H
#define LYRA_TEST_CLI_RUN_H

#include "lyra_test.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

static char output[1 << 16], errors[1 << 16];

static inline void read_into(const char *path, char *buffer)
{
    size_t bytes = 0;
    char *content = test_read_file(path, &bytes);
    snprintf(buffer, 1 << 16, "%s", content ? content : "");
    free(content);
}

// runs `lyra` with arguments, fills `output` and `errors`, returns the exit code, -1 for a signal
LYRA_PRINTF(1, 2) static inline int lyra(const char *format, ...)
{
    char arguments[2048], command[8192];
    va_list list;
    va_start(list, format);
    vsnprintf(arguments, sizeof arguments, format, list);
    va_end(list);
    static char out[1024], err[1024];
    if (!out[0]) {
        snprintf(out, sizeof out, "%s", test_temp_path("stdout"));
        snprintf(err, sizeof err, "%s", test_temp_path("stderr"));
    }
    snprintf(command, sizeof command, "'%s' %s >'%s' 2>'%s' </dev/null", LYRA_CLI, arguments, out,
             err);
    int status = system(command);
    read_into(out, output);
    read_into(err, errors);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

// the number after "key": in the output
static inline double number_of(const char *key)
{
    char quoted[64];
    snprintf(quoted, sizeof quoted, "\"%s\": ", key);
    const char *at = strstr(output, quoted);
    return at ? strtod(at + strlen(quoted), NULL) : NAN;
}

#endif
