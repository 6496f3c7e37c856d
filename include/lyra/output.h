// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

/// @file
/// Results in files that other programs open: fields on meshes for ParaView (VTU, PVD), growing
/// arrays for NumPy (NPY), vertex caches (PC2), animated surfaces (glTF), and checkpoints. Layouts
/// are in docs/results.md.

#ifndef LYRA_OUTPUT_H
#define LYRA_OUTPUT_H

#include "lyra/base.h"
#include "lyra/mesh.h"
#include "lyra/state.h"
#include "lyra/surface.h"

#ifdef __cplusplus
extern "C" {
#endif

// ---- series of frames ---------------------------------------------------------------------------

/// What a series of frames is written as.
typedef enum LyraSeriesFormat {
    LYRA_SERIES_NPY = 0, ///< NumPy array of doubles, of shape (frames, ...).
    LYRA_SERIES_PC2,     ///< Point cache 2 of floats, for Blender and others: frames of (n, 3).
    LYRA_SERIES_VEGA,    ///< Vega's binary matrix of doubles: a column per frame.
    LYRA_SERIES_COUNT
} LyraSeriesFormat;

/// Settings of a series. Start from lyra_series_def_default().
typedef struct LyraSeriesDef {
    LyraSeriesFormat format;       ///< Default LYRA_SERIES_NPY.
    int32_t dimensions;            ///< Of a frame, [0, 2]; PC2 has 2. Default 2.
    int64_t shape[2];              ///< Sizes of a frame, >= 0, for example vertices and 3.
    int64_t keep;                  ///< Frames of an existing file to go on after; -1: a new file.
                                   ///< Default -1.
    double start_frame, per_frame; ///< PC2: number of the first frame, frames per sample. 0, 1.
    uint32_t cookie;               ///< Written by the default function only.
} LyraSeriesDef;

/// A file that grows frame by frame and can be read at any time: the frames that its head counts
/// are whole, also after the program was killed.
typedef struct LyraSeries LyraSeries;

LYRA_API LyraSeriesDef lyra_series_def_default(void);

/// Starts a file, or goes on in one: with `keep` >= 0 it must exist, have the format and shape of
/// the def and at least that many frames; later ones are cut off. LYRA_BAD_FORMAT otherwise.
LYRA_API LyraStatus lyra_series_create(LyraContext *ctx, const char *path, const LyraSeriesDef *def,
                                       LyraSeries **out);

/// Adds a frame, [product of shape].
LYRA_API LyraStatus lyra_series_append(LyraSeries *series, const double *values);

/// Frames in the file.
LYRA_API int64_t lyra_series_frames(const LyraSeries *series);

/// Waits until the frames are on the disk.
LYRA_API LyraStatus lyra_series_sync(LyraSeries *series);

/// Closes the file. Accepts NULL.
LYRA_API void lyra_series_destroy(LyraSeries *series);

// ---- collections --------------------------------------------------------------------------------

/// One file of a collection and its time.
typedef struct LyraPvdEntry {
    double time;      ///< s.
    const char *file; ///< As seen from the collection's folder.
} LyraPvdEntry;

/// Writes a ParaView collection, `entries` [count], in one piece. Names are escaped for XML.
LYRA_API LyraStatus lyra_pvd_save(LyraContext *ctx, const char *path, int32_t count,
                                  const LyraPvdEntry *entries);

// ---- animated surfaces --------------------------------------------------------------------------

/// Writes a surface that moves as glTF 2.0: `path` (JSON, `.gltf`) and, beside it, the same name
/// with `.bin`. Polygons are cut into triangles. `frames` are read from a PC2 file of the surface's
/// vertices, `times` [frames] in s, rising. Every frame is a morph target of the first one.
/// Materials give colours.
LYRA_API LyraStatus lyra_gltf_save_animation(LyraContext *ctx, const char *path,
                                             const LyraSurface *surface, const char *frames_pc2,
                                             int64_t frames, const double *times);

// ---- checkpoints --------------------------------------------------------------------------------

/// Writes a state and a note of the caller's [note_length] to `path`: to a file beside it, synced,
/// which then takes its place, so that `path` is whole or as before at any moment.
LYRA_API LyraStatus lyra_checkpoint_save(LyraContext *ctx, const char *path, const LyraState *state,
                                         const void *note, size_t note_length);

/// Reads a checkpoint: the note, with a zero byte behind it, to lyra_checkpoint_note_release(), and
/// the state. LYRA_BAD_FORMAT, and the state as before, if the file is cut, changed, or of another
/// model. `state`: Nullable: the note alone.
LYRA_API LyraStatus lyra_checkpoint_load(LyraContext *ctx, const char *path, LyraState *state,
                                         char **note, size_t *note_length);

/// Ends a note. Accepts NULL.
LYRA_API void lyra_checkpoint_note_release(LyraContext *ctx, char *note);

#ifdef __cplusplus
}
#endif

#endif
