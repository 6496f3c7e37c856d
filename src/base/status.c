// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

#include "base/base.h"

#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#define MESSAGE_SIZE 1024

static _Thread_local char error_message[MESSAGE_SIZE];

const char *lyra_status_name(LyraStatus status)
{
    static const char *const names[LYRA_STATUS_COUNT] = {
        [LYRA_OK] = "ok",
        [LYRA_INVALID_ARGUMENT] = "invalid argument",
        [LYRA_OUT_OF_MEMORY] = "out of memory",
        [LYRA_IO_FAILED] = "input or output failed",
        [LYRA_BAD_FORMAT] = "bad format",
        [LYRA_BAD_MESH] = "bad mesh",
        [LYRA_TOO_LARGE] = "too large",
        [LYRA_UNSUPPORTED] = "unsupported",
        [LYRA_NOT_FINITE] = "not finite",
        [LYRA_SINGULAR] = "singular",
        [LYRA_NOT_POSITIVE_DEFINITE] = "not positive definite",
        [LYRA_NOT_CONVERGED] = "not converged",
    };
    return (unsigned)status < LYRA_STATUS_COUNT ? names[status] : "unknown status";
}

const char *lyra_error_message(void)
{
    return error_message;
}

LyraStatus ly_fail(LyraStatus status, const char *format, ...)
{
    // format into a copy: an argument may be the message itself
    char text[MESSAGE_SIZE];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    memcpy(error_message, text, sizeof text);
    return status;
}

LyraStatus ly_fail_within(LyraStatus status, const char *format, ...)
{
    char where[MESSAGE_SIZE];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(where, sizeof where, format, arguments);
    va_end(arguments);
    char text[MESSAGE_SIZE];
    int written = snprintf(text, sizeof text, "%s: ", where);
    if (written > 0 && (size_t)written < sizeof text) {
        size_t space = sizeof text - (size_t)written - 1;
        size_t length = strlen(error_message);
        length = length < space ? length : space;
        memcpy(text + written, error_message, length);
        text[(size_t)written + length] = '\0';
    }
    memcpy(error_message, text, sizeof text);
    return status;
}

void ly_list_name(size_t size, char *list, const char *name)
{
    size_t length = strlen(list), comma = length > 0 ? 2 : 0, word = strlen(name);
    if (length + comma + word < size) {
        memcpy(list + length, ", ", comma);
        memcpy(list + length + comma, name, word + 1);
    }
}

LyraStatus ly_find_name(const char *what, const char *name, const char *const *names, int32_t count,
                        int32_t *index)
{
    char list[512] = "";
    for (int32_t m = 0; m < count; ++m) {
        if (strcmp(name, names[m]) == 0) {
            *index = m;
            return LYRA_OK;
        }
        ly_list_name(sizeof list, list, names[m]);
    }
    return ly_fail(LYRA_INVALID_ARGUMENT, "no %s \"%s\", expected one of: %s", what, name, list);
}

LyraStatus ly_fail_memory(size_t bytes)
{
    return ly_fail(LYRA_OUT_OF_MEMORY, "out of memory: %zu bytes could not be allocated", bytes);
}

static _Atomic(LyraAssertHook *) assert_hook;

LyraAssertHook *lyra_set_assert_hook(LyraAssertHook *hook)
{
    return atomic_exchange(&assert_hook, hook);
}

bool ly_assert_failed(const char *condition, const char *file, int line)
{
    LyraAssertHook *hook = atomic_load(&assert_hook);
    return hook && hook(condition, file, line);
}
