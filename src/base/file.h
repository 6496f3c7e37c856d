// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Whole files in, files written in one piece or not at all, and paths.

#ifndef LY_BASE_FILE_H
#define LY_BASE_FILE_H

#include "base/base.h"

/// Fails with the sentence "cannot <action> <path>: <what errno value `error` means>".
LyraStatus ly_fail_system(const char *action, const char *path, int error);

// ---- reading ------------------------------------------------------------------------------------

/// Content of `path` with a zero byte after it that `length` does not count, to ly_release().
/// Reads regular files and pipes; a folder or a device is refused. `length`: Nullable.
LyraStatus ly_file_read(LyraContext *ctx, const char *path, char **text, size_t *length);

/// What tells whether two paths name one file. Fails unless `path` is a regular file: for paths
/// that a file gives, which must not make us wait for a pipe.
LyraStatus ly_file_identify(const char *path, uint64_t identity[2]);

// ---- paths --------------------------------------------------------------------------------------

/// First `length` bytes of `text` and a zero byte, to ly_release().
LyraStatus ly_string_copy(LyraContext *ctx, const char *text, size_t length, char **out);

/// Length of the folder part of `path`, its last slash included: 0 for "a.veg", 2 for "d/a.veg".
size_t ly_path_directory_length(const char *path);

/// Last part of `path`: "a.veg" for "d/a.veg". Points into `path`.
const char *ly_path_name(const char *path);

/// Extension with its dot: ".veg" for "d/a.veg", "" where there is none (".hidden" has none).
/// Points into `path`.
const char *ly_path_extension(const char *path);

/// Whether the extension of `path` is `extension` (with its dot), upper and lower case alike.
bool ly_path_has_extension(const char *path, const char *extension);

/// `name` as seen from the folder of the file `base`: "d/b.veg" for "d/a.veg" and "b.veg"; an
/// absolute `name` stays as it is. To ly_release().
LyraStatus ly_path_beside(LyraContext *ctx, const char *base, const char *name, char **out);

/// `name` in `directory`, with one slash between; `name` alone if it is absolute or `directory` is
/// "". To ly_release().
LyraStatus ly_path_join(LyraContext *ctx, const char *directory, const char *name, char **out);

/// `path` with its extension (if any) replaced: "d/a.ele" for "d/a.node" and ".ele". To
/// ly_release().
LyraStatus ly_path_replace_extension(LyraContext *ctx, const char *path, const char *extension,
                                     char **out);

// ---- writing ------------------------------------------------------------------------------------

/// Buffered writer. Output goes to a temporary file in the target's folder, which takes the
/// target's place at commit; until then, and after any failure, the target is as before. A target
/// that exists and is no regular file (a pipe, /dev/stdout) is written straight to. Symbolic links
/// are followed. An existing file keeps its permissions; a new one gets 0666 less the umask.
///
/// The functions that write don't fail: the first error sticks and commit reports it.
///     LY_TRY(ly_writer_create(ctx, path, &writer));
///     ly_writer_string(writer, "# vertices\n");
///     return ly_writer_commit(writer);
typedef struct LyWriter LyWriter;

/// Starts a file. Fails with one sentence that holds `path` and the system's reason.
LyraStatus ly_writer_create(LyraContext *ctx, const char *path, LyWriter **out);

/// Writes out what is left, puts the file in its place and ends the writer, also on failure.
LyraStatus ly_writer_commit(LyWriter *writer);

/// Commits several files that belong together: none takes its place unless all could be written.
LyraStatus ly_writer_commit_all(LyWriter **writers, int32_t count);

/// Asks commit to wait until the file and its new name are on the disk.
void ly_writer_sync(LyWriter *writer);

/// Drops the file and ends the writer. Accepts NULL.
void ly_writer_discard(LyWriter *writer);

/// Outcome so far, without a sentence: to leave long loops early, nothing more.
LyraStatus ly_writer_status(const LyWriter *writer);

void ly_writer_bytes(LyWriter *writer, const void *bytes, size_t count);
void ly_writer_string(LyWriter *writer, const char *text);
void ly_writer_char(LyWriter *writer, char c);
/// Shortest text that reads back to the same bits, see ly_format_double().
void ly_writer_double(LyWriter *writer, double value);
void ly_writer_int(LyWriter *writer, int64_t value);
/// As printf, for integers and strings only: conversions of floats obey the process locale.
void ly_writer_print(LyWriter *writer, const char *format, ...) LYRA_PRINTF(2, 3);

#endif
