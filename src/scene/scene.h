// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// The inside of a scene: what a file says beside its world. The readers fill it and make the world.

#ifndef LY_SCENE_SCENE_H
#define LY_SCENE_SCENE_H

#include "base/base.h"
#include "lyra/scene.h"
#include "world/world.h"

struct LyraScene {
    LyraContext *ctx; // of the memory here
    bool own_ctx;
    char *path, *name; // `name`: NULL: that of the file
    LyraSceneOutput output;
    LyraSceneCamera camera;
    int32_t setting_count;
    LyraSceneSetting *settings; // owned, with their values; keys are constants
};

/// The readers. `scene` comes zero but for ctx, path, and defaults of output and camera; what they
/// put there is released by lyra_scene_destroy(), also when they fail. The world is made on `ctx`
/// (Nullable: its own) and prepared; on failure there is none.
LyraStatus ly_scene_read_yaml(LyraScene *scene, LyraContext *ctx, const LyraSceneDef *def,
                              LyraWorld **out);
LyraStatus ly_scene_read_config(LyraScene *scene, LyraContext *ctx, const LyraSceneDef *def,
                                LyraWorld **out);

/// Makes the world of a scene of Vega, to see that it can be made, and its text in YAML, to
/// ly_release(). `folder`: put in front of its files; NULL: they are as in the scene.
LyraStatus ly_scene_format_config(LyraScene *scene, LyraContext *ctx, const LyraSceneDef *def,
                                  const char *folder, char **text);

/// As ly_scene_read_yaml(), from a text of `length` bytes.
LyraStatus ly_scene_compile(LyraScene *scene, LyraContext *ctx, const char *text, size_t length,
                            const LyraSceneDef *def, LyraWorld **out);

/// Writes a scene of Vega to `target` as one in YAML.
LyraStatus ly_scene_convert(LyraScene *scene, LyraContext *ctx, const LyraSceneDef *def,
                            const char *target);

/// Gives a world the folder of a scene's file, from which its files are seen.
LyraStatus ly_scene_set_folder(const LyraScene *scene, LyraWorld *world);

#endif
