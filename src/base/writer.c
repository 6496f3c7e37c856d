// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Files written in one piece or not at all. The temporary file lies in the target's folder, because
// only there can rename() put it in its place in one step. Unless asked for, it is not synced to
// the disk: a file is whole after a crash of the program, not necessarily after one of the machine.

#include "base/file.h"
#include "base/number.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define BUFFER_SIZE 65536
#define LINKS_MAX 40

struct LyWriter {
    LyraContext *ctx;
    char *path;      // as the caller gave it, for messages
    char *target;    // links followed; NULL when written straight to
    char *temporary; // NULL when written straight to
    int file;
    bool sync;         // to the disk before commit ends
    LyraStatus status; // of the first failure
    int error;         // errno of it, 0 for memory
    size_t used;
    char buffer[BUFFER_SIZE];
};

// ---- where to write -----------------------------------------------------------------------------

// Follows `path` through symbolic links to a name that is none (of a file that may not exist).
static LyraStatus follow_links(LyraContext *ctx, const char *path, char **out)
{
    char *name = NULL;
    LY_TRY(ly_string_copy(ctx, path, strlen(path), &name));
    for (int32_t links = 0; links <= LINKS_MAX; ++links) {
        char target[PATH_MAX];
        ssize_t length = readlink(name, target, sizeof target);
        if (length < 0) {
            // EINVAL: no link; all else will be said when the file is made
            *out = name;
            return LYRA_OK;
        }
        if ((size_t)length == sizeof target) {
            ly_release(ctx, name);
            return ly_fail_system("write", path, ENAMETOOLONG);
        }
        target[length] = '\0';
        char *next = NULL;
        LyraStatus status = ly_path_beside(ctx, name, target, &next);
        ly_release(ctx, name);
        LY_TRY(status);
        name = next;
    }
    ly_release(ctx, name);
    return ly_fail_system("write", path, ELOOP);
}

static int open_retrying(const char *path, int flags)
{
    int file;
    do {
        file = open(path, flags | O_CLOEXEC, 0666);
    } while (file < 0 && errno == EINTR);
    return file;
}

// Makes a new file beside `target`.
static LyraStatus open_temporary(LyWriter *writer, const struct stat *existing)
{
    static atomic_uint counter;
    for (int32_t attempt = 0; attempt < 1000; ++attempt) {
        char name[64];
        snprintf(name, sizeof name, ".lyra-%ld-%u.tmp", (long)getpid(),
                 atomic_fetch_add(&counter, 1));
        LY_TRY(ly_path_beside(writer->ctx, writer->target, name, &writer->temporary));
        writer->file = open_retrying(writer->temporary, O_WRONLY | O_CREAT | O_EXCL);
        if (writer->file >= 0) {
            // a file system without permissions refuses this; its files are fine without
            if (existing) {
                (void)!fchmod(writer->file, existing->st_mode & 0777);
            }
            return LYRA_OK;
        }
        int error = errno;
        ly_release(writer->ctx, writer->temporary);
        writer->temporary = NULL;
        if (error != EEXIST) {
            return ly_fail_system("write", writer->path, error);
        }
    }
    return ly_fail_system("write", writer->path, EEXIST);
}

// The process's own outputs share their place in the file with whoever else writes there.
static int open_straight(const char *path)
{
    if (strcmp(path, "/dev/stdout") == 0) {
        return fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3);
    }
    if (strcmp(path, "/dev/stderr") == 0) {
        return fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 3);
    }
    return open_retrying(path, O_WRONLY);
}

static LyraStatus open_target(LyWriter *writer)
{
    const char *path = writer->path;
    struct stat info;
    bool exists = stat(path, &info) == 0;
    bool inherited = strncmp(path, "/dev/", 5) == 0 || strncmp(path, "/proc/", 6) == 0;
    if (exists && (!S_ISREG(info.st_mode) || inherited)) {
        writer->file = S_ISDIR(info.st_mode) ? -1 : open_straight(path);
        if (writer->file < 0) {
            return ly_fail_system("write", path, S_ISDIR(info.st_mode) ? EISDIR : errno);
        }
        return LYRA_OK;
    }
    LY_TRY(follow_links(writer->ctx, path, &writer->target));
    if (*ly_path_name(writer->target) == '\0') {
        return ly_fail_system("write", path, *path ? EISDIR : ENOENT);
    }
    // rename() would replace a file that we may not write to
    if (exists && access(path, W_OK) != 0) {
        return ly_fail_system("write", path, errno);
    }
    return open_temporary(writer, exists ? &info : NULL);
}

// ---- begin and end ------------------------------------------------------------------------------

static void release_writer(LyWriter *writer)
{
    ly_release(writer->ctx, writer->path);
    ly_release(writer->ctx, writer->target);
    ly_release(writer->ctx, writer->temporary);
    ly_release(writer->ctx, writer);
}

LyraStatus ly_writer_create(LyraContext *ctx, const char *path, LyWriter **out)
{
    LyWriter *writer = NULL;
    LY_TRY(ly_allocate_array(ctx, 1, sizeof *writer, &writer));
    writer->ctx = ctx;
    writer->path = writer->target = writer->temporary = NULL;
    writer->file = -1;
    writer->sync = false;
    writer->status = LYRA_OK;
    writer->error = 0;
    writer->used = 0;
    LyraStatus status = ly_string_copy(ctx, path, strlen(path), &writer->path);
    if (status == LYRA_OK) {
        status = open_target(writer);
    }
    if (status != LYRA_OK) {
        release_writer(writer);
        return status;
    }
    *out = writer;
    return LYRA_OK;
}

static void set_error(LyWriter *writer, int error)
{
    writer->status = LYRA_IO_FAILED;
    writer->error = error;
}

static void write_out(LyWriter *writer, const char *bytes, size_t count)
{
    while (count > 0 && writer->status == LYRA_OK) {
        const size_t most = (size_t)1 << 30;
        ssize_t written = write(writer->file, bytes, count < most ? count : most);
        if (written < 0 && errno == EINTR) {
            continue;
        }
        if (written < 0) {
            set_error(writer, errno);
            return;
        }
        bytes += written;
        count -= (size_t)written;
    }
}

static void flush(LyWriter *writer)
{
    write_out(writer, writer->buffer, writer->used);
    writer->used = 0;
}

// Writes out what is left and closes the file.
static void finish(LyWriter *writer)
{
    flush(writer);
    // pipes and the like have nothing to sync
    if (writer->sync && writer->temporary && writer->status == LYRA_OK &&
        fsync(writer->file) != 0) {
        set_error(writer, errno);
    }
    // some file systems report a full disk here only
    if (close(writer->file) != 0 && errno != EINTR && writer->status == LYRA_OK) {
        set_error(writer, errno);
    }
    writer->file = -1;
}

static LyraStatus report(const LyWriter *writer)
{
    if (writer->status == LYRA_IO_FAILED) {
        return ly_fail_system("write", writer->path, writer->error);
    }
    if (writer->status != LYRA_OK) {
        ly_fail(writer->status, "cannot write %s: out of memory", writer->path);
    }
    return writer->status;
}

// The new name is safe when the folder is on the disk. Where a folder cannot be synced the file
// system keeps its names itself.
static void sync_folder(const LyWriter *writer)
{
    char folder[PATH_MAX] = ".";
    size_t length = ly_path_directory_length(writer->target);
    if (length >= sizeof folder) {
        return;
    }
    if (length > 0) {
        memcpy(folder, writer->target, length);
        folder[length] = '\0';
    }
    int file = open_retrying(folder, O_RDONLY | O_DIRECTORY);
    if (file >= 0) {
        (void)!fsync(file);
        close(file);
    }
}

LyraStatus ly_writer_commit_all(LyWriter **writers, int32_t count)
{
    LyraStatus status = LYRA_OK;
    for (int32_t i = 0; i < count; ++i) {
        finish(writers[i]);
        status = status == LYRA_OK ? report(writers[i]) : status;
    }
    // only when the content of all is safe does the first one take its place
    for (int32_t i = 0; i < count; ++i) {
        LyWriter *writer = writers[i];
        if (status == LYRA_OK && writer->temporary &&
            rename(writer->temporary, writer->target) != 0) {
            set_error(writer, errno);
            status = report(writer);
        }
        if (status != LYRA_OK && writer->temporary) {
            unlink(writer->temporary);
        } else if (writer->sync && writer->temporary) {
            sync_folder(writer);
        }
        release_writer(writer);
    }
    return status;
}

LyraStatus ly_writer_commit(LyWriter *writer)
{
    return ly_writer_commit_all(&writer, 1);
}

void ly_writer_sync(LyWriter *writer)
{
    writer->sync = true;
}

void ly_writer_discard(LyWriter *writer)
{
    if (!writer) {
        return;
    }
    close(writer->file);
    if (writer->temporary) {
        unlink(writer->temporary);
    }
    release_writer(writer);
}

LyraStatus ly_writer_status(const LyWriter *writer)
{
    return writer->status;
}

// ---- content ------------------------------------------------------------------------------------

// Room for `count` bytes, at most BUFFER_SIZE, in the buffer.
static inline char *reserve(LyWriter *writer, size_t count)
{
    if (BUFFER_SIZE - writer->used < count) {
        flush(writer);
    }
    return writer->buffer + writer->used;
}

void ly_writer_bytes(LyWriter *writer, const void *bytes, size_t count)
{
    if (count > BUFFER_SIZE / 2) {
        flush(writer);
        write_out(writer, bytes, count);
        return;
    }
    if (count > 0) {
        memcpy(reserve(writer, count), bytes, count);
        writer->used += count;
    }
}

void ly_writer_string(LyWriter *writer, const char *text)
{
    ly_writer_bytes(writer, text, strlen(text));
}

void ly_writer_char(LyWriter *writer, char c)
{
    *reserve(writer, 1) = c;
    writer->used += 1;
}

void ly_writer_double(LyWriter *writer, double value)
{
    writer->used += ly_format_double(reserve(writer, LY_DOUBLE_CHARS), value);
}

void ly_writer_int(LyWriter *writer, int64_t value)
{
    writer->used += ly_format_int64(reserve(writer, LY_INT_CHARS), value);
}

void ly_writer_print(LyWriter *writer, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    char text[1024];
    int length = vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    if (length < 0) {
        if (writer->status == LYRA_OK) {
            set_error(writer, errno);
        }
        return;
    }
    if ((size_t)length < sizeof text) {
        ly_writer_bytes(writer, text, (size_t)length);
        return;
    }
    // too long for the stack
    char *memory = ly_allocate(writer->ctx, (size_t)length + 1);
    if (!memory) {
        writer->status = writer->status == LYRA_OK ? LYRA_OUT_OF_MEMORY : writer->status;
        return;
    }
    va_start(arguments, format);
    vsnprintf(memory, (size_t)length + 1, format, arguments);
    va_end(arguments);
    ly_writer_bytes(writer, memory, (size_t)length);
    ly_release(writer->ctx, memory);
}
