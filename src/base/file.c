// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Whole files in, and paths. Files are read, not mapped: another process may cut a mapped file
// short at any time, and touching what is gone ends the program.

#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

LyraStatus ly_fail_system(const char *action, const char *path, int error)
{
    char reason[200];
    if (strerror_r(error, reason, sizeof reason) != 0) {
        snprintf(reason, sizeof reason, "error %d", error);
    }
    return ly_fail(error == ENOMEM ? LYRA_OUT_OF_MEMORY : LYRA_IO_FAILED, "cannot %s %s: %s",
                   action, path, reason);
}

// ---- reading ------------------------------------------------------------------------------------

// Reads all that is left in `file`, which should be about `size` bytes.
static LyraStatus read_all(LyraContext *ctx, int file, const char *path, size_t size, char **text,
                           size_t *length)
{
    char *buffer = NULL;
    size_t capacity = size + 1, used = 0;
    LyraStatus status = LYRA_OK;
    LY_TRY_DONE(ly_allocate_array(ctx, (int64_t)capacity, 1, &buffer));
    for (;;) {
        // the last byte is for the zero, and shows whether the file is longer than it was
        size_t space = capacity - used;
        const size_t most = (size_t)1 << 30;
        ssize_t count = read(file, buffer + used, space < most ? space : most);
        if (count < 0 && errno == EINTR) {
            continue;
        }
        if (count < 0) {
            status = ly_fail_system("read", path, errno);
            goto done;
        }
        if (count == 0) {
            break;
        }
        used += (size_t)count;
        if (used == capacity) {
            capacity = capacity < 32768 ? 65536 : 2 * capacity;
            LY_TRY_DONE(ly_resize_array(ctx, (int64_t)capacity, 1, &buffer));
        }
    }
    // what pipes left over goes back
    if (capacity - used > 4096 && used + 1 < capacity / 2) {
        LY_TRY_DONE(ly_resize_array(ctx, (int64_t)used + 1, 1, &buffer));
    }
    buffer[used] = '\0';
    *text = buffer;
    if (length) {
        *length = used;
    }
    return LYRA_OK;
done:
    ly_release(ctx, buffer);
    return status;
}

LyraStatus ly_file_read(LyraContext *ctx, const char *path, char **text, size_t *length)
{
    // ask before opening: to open some devices has effects
    struct stat info;
    if (stat(path, &info) != 0) {
        return ly_fail_system("read", path, errno);
    }
    if (S_ISDIR(info.st_mode)) {
        return ly_fail_system("read", path, EISDIR);
    }
    if (!S_ISREG(info.st_mode) && !S_ISFIFO(info.st_mode) && !S_ISSOCK(info.st_mode)) {
        return ly_fail(LYRA_IO_FAILED, "cannot read %s: it is a device, not a file", path);
    }
    int file;
    do {
        file = open(path, O_RDONLY | O_CLOEXEC);
    } while (file < 0 && errno == EINTR);
    if (file < 0) {
        return ly_fail_system("read", path, errno);
    }
    size_t size = S_ISREG(info.st_mode) && info.st_size > 0 ? (size_t)info.st_size : 0;
    LyraStatus status = read_all(ctx, file, path, size, text, length);
    close(file);
    return status;
}

LyraStatus ly_file_identify(const char *path, uint64_t identity[2])
{
    struct stat info;
    if (stat(path, &info) != 0) {
        return ly_fail_system("read", path, errno);
    }
    if (!S_ISREG(info.st_mode)) {
        return ly_fail(LYRA_IO_FAILED, "cannot read %s: it is not a file", path);
    }
    identity[0] = (uint64_t)info.st_dev;
    identity[1] = (uint64_t)info.st_ino;
    return LYRA_OK;
}

// ---- paths --------------------------------------------------------------------------------------

// The first `a_length` bytes of `a`, then `b`, then `c`.
static LyraStatus concatenate(LyraContext *ctx, const char *a, size_t a_length, const char *b,
                              const char *c, char **out)
{
    size_t b_length = strlen(b), c_length = strlen(c);
    char *text = NULL;
    LY_TRY(ly_allocate_array(ctx, (int64_t)(a_length + b_length + c_length + 1), 1, &text));
    memcpy(text, a, a_length);
    memcpy(text + a_length, b, b_length);
    memcpy(text + a_length + b_length, c, c_length + 1);
    *out = text;
    return LYRA_OK;
}

LyraStatus ly_string_copy(LyraContext *ctx, const char *text, size_t length, char **out)
{
    return concatenate(ctx, text, length, "", "", out);
}

size_t ly_path_directory_length(const char *path)
{
    return (size_t)(ly_path_name(path) - path);
}

const char *ly_path_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

const char *ly_path_extension(const char *path)
{
    const char *name = ly_path_name(path);
    const char *dot = strrchr(name, '.');
    return dot && dot > name && strcmp(name, "..") != 0 ? dot : name + strlen(name);
}

bool ly_path_has_extension(const char *path, const char *extension)
{
    const char *found = ly_path_extension(path);
    for (; *found && *extension; ++found, ++extension) {
        char a = *found, b = *extension;
        a = a >= 'A' && a <= 'Z' ? (char)(a | 0x20) : a;
        b = b >= 'A' && b <= 'Z' ? (char)(b | 0x20) : b;
        if (a != b) {
            return false;
        }
    }
    return *found == *extension;
}

LyraStatus ly_path_beside(LyraContext *ctx, const char *base, const char *name, char **out)
{
    size_t length = name[0] == '/' ? 0 : ly_path_directory_length(base);
    return concatenate(ctx, base, length, name, "", out);
}

LyraStatus ly_path_join(LyraContext *ctx, const char *directory, const char *name, char **out)
{
    size_t length = name[0] == '/' ? 0 : strlen(directory);
    const char *slash = length > 0 && directory[length - 1] != '/' ? "/" : "";
    return concatenate(ctx, directory, length, slash, name, out);
}

LyraStatus ly_path_replace_extension(LyraContext *ctx, const char *path, const char *extension,
                                     char **out)
{
    size_t length = (size_t)(ly_path_extension(path) - path);
    return concatenate(ctx, path, length, extension, "", out);
}
