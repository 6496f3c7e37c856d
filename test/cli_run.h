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

static inline int run(const char *before, const char *format, va_list list)
{
    char arguments[2048], command[8192];
    vsnprintf(arguments, sizeof arguments, format, list);
    static char out[1024], err[1024];
    if (!out[0]) {
        snprintf(out, sizeof out, "%s", test_temp_path("stdout"));
        snprintf(err, sizeof err, "%s", test_temp_path("stderr"));
    }
    snprintf(command, sizeof command, "%s '%s' %s >'%s' 2>'%s' </dev/null", before, LYRA_CLI,
             arguments, out, err);
    int status = system(command);
    read_into(out, output);
    read_into(err, errors);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

// runs `lyra` with arguments, fills `output` and `errors`, returns the exit code, -1 for a signal
LYRA_PRINTF(1, 2) static inline int lyra(const char *format, ...)
{
    va_list list;
    va_start(list, format);
    int code = run("", format, list);
    va_end(list);
    return code;
}

// the same where no other program is to be found
LYRA_PRINTF(1, 2) static inline int alone(const char *format, ...)
{
    va_list list;
    va_start(list, format);
    int code = run("PATH=/nowhere", format, list);
    va_end(list);
    return code;
}

// the same where no file can grow beyond a few thousand bytes, as on a full disk
LYRA_PRINTF(1, 2) static inline int limited(const char *format, ...)
{
    va_list list;
    va_start(list, format);
    int code = run("trap '' XFSZ; ulimit -f 10;", format, list);
    va_end(list);
    return code;
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
