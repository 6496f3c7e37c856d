// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

#include "base/base.h"

#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#define MESSAGE_SIZE 1024

static _Thread_local char error_message[MESSAGE_SIZE];
// of the path of keys and its ": " that the message opens with; 0 without one
static _Thread_local size_t key_length;

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
    key_length = 0;
    return status;
}

static void put_in_front(const char *where, const char *separator)
{
    char text[MESSAGE_SIZE];
    int written = snprintf(text, sizeof text, "%s%s", where, separator);
    if (written > 0 && (size_t)written < sizeof text) {
        size_t space = sizeof text - (size_t)written - 1;
        size_t length = strlen(error_message);
        length = length < space ? length : space;
        memcpy(text + written, error_message, length);
        text[(size_t)written + length] = '\0';
    }
    memcpy(error_message, text, sizeof text);
}

LyraStatus ly_fail_within(LyraStatus status, const char *format, ...)
{
    char where[MESSAGE_SIZE];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(where, sizeof where, format, arguments);
    va_end(arguments);
    put_in_front(where, ": ");
    key_length = 0;
    return status;
}

LyraStatus ly_fail_key(LyraStatus status, const char *key, const char *format, ...)
{
    char text[MESSAGE_SIZE];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    memcpy(error_message, text, sizeof text);
    key_length = 0;
    return ly_within_key(status, key);
}

LyraStatus ly_within_key(LyraStatus status, const char *key)
{
    if (status == LYRA_OK || status == LYRA_OUT_OF_MEMORY) {
        return status;
    }
    bool nested = key_length > 0 && error_message[0] != '[';
    put_in_front(key, nested ? "." : key_length > 0 ? "" : ": ");
    key_length = key_length > 0 ? key_length + strlen(key) + (nested ? 1 : 0) : strlen(key) + 2;
    key_length = key_length < MESSAGE_SIZE ? key_length : MESSAGE_SIZE - 1;
    return status;
}

LyraStatus ly_within_item(LyraStatus status, const char *list, int32_t index)
{
    char key[80];
    snprintf(key, sizeof key, "%.60s[%d]", list, (int)index);
    return ly_within_key(status, key);
}

const char *ly_error_key(char key[LY_ERROR_KEY_CHARS])
{
    size_t length = key_length > 2 ? key_length - 2 : 0;
    length = length < LY_ERROR_KEY_CHARS ? length : LY_ERROR_KEY_CHARS - 1;
    memcpy(key, error_message, length);
    key[length] = '\0';
    return error_message + key_length;
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
