// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// What a scene in YAML may say: the keys of a world (world/keys.h), and of outputs and pictures.
// From them it is read, and the tables of docs/scenes.md are made.

#ifndef LY_SCENE_SPEC_H
#define LY_SCENE_SPEC_H

#include "base/file.h"
#include "lyra/probe.h"
#include "lyra/scene.h"
#include "scene/tree.h"
#include "world/keys.h"

/// Where pictures are taken from, in SI.
typedef struct LyCameraSpec {
    double azimuth, elevation;
    const double *eye; // [3]; NULL: fitted
    double target[3], up[3], field_of_view;
} LyCameraSpec;

/// What a scene wishes to have written.
typedef struct LyOutputSpec {
    LyraSceneOutput files;
    const LyraProbeDef *probes; // [probe_count]
    int32_t probe_count;
} LyOutputSpec;

/// A scene as it is read: public settings, without the tree that they came from.
typedef struct LySceneSpec {
    LyWorldSpec world;
    LyOutputSpec output;
    LyCameraSpec camera;
} LySceneSpec;

#define LY_SCENE_KEYS_MAX 32

/// The group of LySceneSpec; its rows are written to `keys`.
LyGroup ly_scene_keys(LyKey keys[LY_SCENE_KEYS_MAX]);

/// Reads a mapping by a group that is not part of another into its struct, defaults first. Curves
/// are not compiled. All that the struct points to is on the arena or in the tree.
LyraStatus ly_spec_read(LyraArena *arena, const LyGroup *group, const LyNode *node, void *out);

/// What is to become of settings, and who knows where they came from.
typedef struct LySceneBuild {
    LyraScene *scene; // gets outputs, camera and name
    const LySceneSpec *spec;
    /// Puts the place of a key in front of this thread's message, whose path of keys is seen from
    /// the whole scene, as "bodies[0].material".
    LyraStatus (*place)(const void *self, LyraStatus status);
    const void *self;
    uint64_t digest; // of what makes the motion
} LySceneBuild;

/// Makes a world of settings, prepared. `ctx`: Nullable: its own.
LyraStatus ly_scene_build(const LySceneBuild *build, LyraContext *ctx, LyraWorld **out);

/// Writes settings as a scene in YAML, those that are not defaults: numbers so that they read back
/// to the same bits. Fails with LYRA_UNSUPPORTED, naming the key, for what a file cannot say. The
/// text is zero-terminated, to ly_release().
LyraStatus ly_spec_format(LyraContext *ctx, const LySceneSpec *spec, char **text);

/// A scene with every key, its default, unit and meaning.
LyraStatus ly_spec_write_defaults(LyraContext *ctx, LyWriter *writer);

/// The tables of docs/scenes.md.
LyraStatus ly_spec_write_tables(LyraContext *ctx, LyWriter *writer);

#endif
