// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

/// @file
/// Scenes: files, or texts in memory, from which worlds are made. Two formats: Lyra's own scenes in
/// YAML, and Vega's `.config` files unchanged. docs/scenes.md has every key.

#ifndef LYRA_SCENE_H
#define LYRA_SCENE_H

#include "lyra/base.h"
#include "lyra/world.h"

#ifdef __cplusplus
extern "C" {
#endif

/// What colours the bodies of pictures.
typedef enum LyraSceneField {
    LYRA_SCENE_FIELD_NONE = 0,     ///< Materials alone.
    LYRA_SCENE_FIELD_DISPLACEMENT, ///< Its length, m.
    LYRA_SCENE_FIELD_SPEED,        ///< m/s.
    LYRA_SCENE_FIELD_VON_MISES,    ///< Of the stress, Pa, the mean of the elements at a vertex.
    LYRA_SCENE_FIELD_STRAIN,       ///< Of cloth: its larger principal stretch less 1.
    // what elements remember (fields.h), the same mean
    LYRA_SCENE_FIELD_PLASTIC_STRAIN, ///< LYRA_MEMORY_PLASTIC_STRAIN.
    LYRA_SCENE_FIELD_GOAL_DISTANCE,  ///< LYRA_MEMORY_GOAL_DISTANCE.
    LYRA_SCENE_FIELD_PLASTIC_LOSS,   ///< LYRA_MEMORY_PLASTIC_LOSS.
    LYRA_SCENE_FIELD_VISCOUS_LOSS,   ///< LYRA_MEMORY_VISCOUS_LOSS.
    LYRA_SCENE_FIELD_COUNT
} LyraSceneField;

/// The word of scenes for a field, "unknown" outside the list.
LYRA_API const char *lyra_scene_field_name(LyraSceneField field);

/// What a scene wishes to have written; a command may overrule each. 0 is never.
typedef struct LyraSceneOutput {
    int64_t save_every;            ///< Steps between frames of displacement.npy and its like.
    int64_t vtu_every;             ///< Steps between VTU files.
    int64_t obj_every;             ///< Steps between OBJ files of the surfaces.
    int64_t checkpoint_every;      ///< Steps between checkpoints.
    int64_t snapshot_every;        ///< Steps between pictures.
    bool pc2, gltf;                ///< Caches of the surfaces at the frames.
    bool save_history;             ///< What elements remember (LyraMemory), at the frames.
    bool snapshot_edges;           ///< Edges of faces in pictures.
    LyraSceneField snapshot_field; ///< Colours in pictures.
    int32_t snapshot_size[2];      ///< Width and height in pixels; 0: as the renderer likes.
    const char *matrix; ///< Name, without a folder, of a file with a column of displacements per
                        ///< step. NULL: none.
} LyraSceneOutput;

/// Where pictures are taken from. `fitted` says that the rest is to be found from the bodies.
typedef struct LyraSceneCamera {
    bool fitted;
    double azimuth, elevation; ///< Degrees; read where fitted.
    double eye[3], target[3], up[3];
    double field_of_view; ///< Degrees, vertical.
} LyraSceneCamera;

/// A setting for viewers, which moves nothing: of Vega's scenes, `renderWireframe` and its like,
/// with the text that the file has. docs/vega_scenes.md lists them.
typedef struct LyraSceneSetting {
    const char *key, *value;
} LyraSceneSetting;

/// What a scene says beside its world: of outputs and pictures. Owned by whoever loaded it.
typedef struct LyraScene LyraScene;

/// Settings of loading. Start from lyra_scene_def_default().
typedef struct LyraSceneDef {
    /// "path=value" each, on top of the file: `time.dt=5 ms`, `bodies.beam.material.young=2 MPa`,
    /// `bodies[0].name=beam`; of `.config` scenes also their keys, `timestep=0.01`, which come
    /// first. [override_count]. Nullable.
    const char *const *overrides;
    int32_t override_count;
    uint32_t cookie; ///< Written by the default function only.
} LyraSceneDef;

LYRA_API LyraSceneDef lyra_scene_def_default(void);

/// Reads a scene and makes its world, prepared to step. The format is told by the extension
/// (`.config`, `.yaml`, `.yml`), and by the content where that says nothing. Failures are one
/// sentence with file, line and column, what was found and what is allowed. `ctx`: NULL: the
/// world's own. `def`: Nullable: defaults. `scene`: ended by lyra_scene_destroy(), before or after
/// the world; Nullable.
LYRA_API LyraStatus lyra_world_load(LyraContext *ctx, const char *path, const LyraSceneDef *def,
                                    LyraWorld **out, LyraScene **scene);

/// The same from a text in memory, a scene in YAML. Its files are searched in `folder`;
/// Nullable: where the program runs.
LYRA_API LyraStatus lyra_world_load_memory(LyraContext *ctx, const char *text, size_t length,
                                           const char *folder, const LyraSceneDef *def,
                                           LyraWorld **out, LyraScene **scene);

/// Writes a scene of Vega, `.config`, to `target` as a scene in YAML whose world moves alike, bit
/// for bit on one machine. Its files are named as there, or by absolute paths where `target` is in
/// another folder. The world is made first, so that what can't be simulated is not written. An
/// existing file is replaced, and left as it was on failure. `ctx`, `def`: as above.
LYRA_API LyraStatus lyra_scene_convert(LyraContext *ctx, const char *path, const LyraSceneDef *def,
                                       const char *target);

/// Accepts NULL.
LYRA_API void lyra_scene_destroy(LyraScene *scene);

/// A view of a scene, valid while it lives.
typedef struct LyraSceneView {
    const char *name; ///< Title, or the name of the file.
    const char *path;
    LyraSceneOutput output;
    LyraSceneCamera camera;
    int32_t setting_count;
    const LyraSceneSetting *settings; ///< Those that the file gives. [setting_count].
} LyraSceneView;

LYRA_API LyraSceneView lyra_scene_view(const LyraScene *scene);

/// Writes a YAML scene with every key, its default, unit and meaning, to `path`.
LYRA_API LyraStatus lyra_scene_save_defaults(LyraContext *ctx, const char *path);

#ifdef __cplusplus
}
#endif

#endif
