// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// What the tests of mesh files share: comparing meshes to the last bit, and feeding readers with
// damaged files.

#ifndef LYRA_MESH_FILE_TEST_H
#define LYRA_MESH_FILE_TEST_H

#include "lyra/mesh.h"
#include "lyra_test.h"

/// Checks that all data of two meshes agree to the last bit. `what` is for messages.
void test_meshes_equal(const LyraMesh *a, const LyraMesh *b, const char *what);

/// Reads `text` as a file named `path`, by its extension.
LyraStatus test_load_text(LyraContext *ctx, const char *path, const char *text, LyraMesh **out);

/// Checks that reading `text` as `path` fails with this status and exactly this sentence.
void test_check_refused(const char *path, const char *text, LyraStatus status,
                        const char *sentence);

/// Reads files[0] (and what it refers to among the others) damaged in every way: each file cut at
/// every length, and each byte replaced by every other (in files of more than 1500 bytes by those
/// that differ in one bit). Every load must give a status with a
/// sentence, or a mesh; give back its memory; and hold at most 64 KiB and 40 times the bytes of the
/// files while it runs.
void test_damaged_files(const LyraMemoryFile *files, int32_t count, LyraMeshFormat format);

/// As above, but only cut, at every `step`-th length.
void test_cut_files(const LyraMemoryFile *files, int32_t count, LyraMeshFormat format, size_t step);

/// Writes `mesh` to a temporary file `name`, reads it back, and checks that nothing changed.
void test_round_trip(const LyraMesh *mesh, const char *name);

/// A mesh of two elements with awkward positions, every kind of material, sets and regions.
LyraMesh *test_awkward_mesh(LyraContext *ctx, LyraElementKind kind);

#endif
