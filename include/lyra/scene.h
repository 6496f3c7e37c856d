// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

/// @file
/// Scenes: a file in, a model ready to step out. Two readers, one result: Lyra's own scenes in
/// YAML, and Vega's `.config` files unchanged. docs/scenes.md has every key.

#ifndef LYRA_SCENE_H
#define LYRA_SCENE_H

#include "lyra/affine.h"
#include "lyra/base.h"
#include "lyra/embed.h"
#include "lyra/integrator.h"
#include "lyra/mesh.h"
#include "lyra/model.h"
#include "lyra/solid.h"
#include "lyra/surface.h"
#include "lyra/system.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct LyraScene LyraScene;

/// Settings of loading. Start from lyra_scene_def_default().
typedef struct LyraSceneDef {
    /// "path=value" each, on top of the file: `time.dt=5 ms`, `bodies[0].material.young=2 MPa`
    /// in YAML scenes, `timestep=0.01` in `.config`. [override_count]. Nullable.
    const char *const *overrides;
    int32_t override_count;
    uint32_t cookie; ///< Written by the default function only.
} LyraSceneDef;

LYRA_API LyraSceneDef lyra_scene_def_default(void);

/// Reads a scene and builds all it describes. The format is told by the extension (`.config`,
/// `.yaml`, `.yml`), and by the content where that says nothing. Failures are one sentence with
/// file, line and column, what was found and what is allowed. `def`: Nullable: defaults.
LYRA_API LyraStatus lyra_scene_load(LyraContext *ctx, const char *path, const LyraSceneDef *def,
                                    LyraScene **out);

/// Accepts NULL.
LYRA_API void lyra_scene_destroy(LyraScene *scene);

/// A surface that a body carries along.
typedef struct LyraSceneSurface {
    const char *name;
    const char *path; ///< File it was read from; its textures are beside it. NULL: made.
    const LyraSurface *surface;
    /// Weights on the vertices of the body. NULL: the surface's vertices are the body's.
    const LyraEmbedding *embedding;
} LyraSceneSurface;

/// A body of a scene. Its vertices are [first_vertex, first_vertex + vertex_count) of the model.
typedef struct LyraSceneBody {
    const char *name;
    int32_t first_vertex, vertex_count;
    const LyraMesh *mesh;     ///< On these vertices. NULL for affine bodies and springs alone.
    const LyraSolid *solid;   ///< NULL for affine bodies and springs alone.
    const LyraAffine *affine; ///< Of an affine body, whose vertices are particles; otherwise NULL.
    /// The mesh that an affine body is made from, with vertices of its own, on which the embedding
    /// of `affine` has weights; otherwise NULL.
    const LyraMesh *shape;
    int32_t surface_count;
    const LyraSceneSurface *surfaces; ///< What to show, the first one first. [surface_count].
} LyraSceneBody;

/// What colours the bodies of pictures.
typedef enum LyraSceneField {
    LYRA_SCENE_FIELD_NONE = 0,     ///< Materials alone.
    LYRA_SCENE_FIELD_DISPLACEMENT, ///< Its length, m.
    LYRA_SCENE_FIELD_SPEED,        ///< m/s.
    LYRA_SCENE_FIELD_VON_MISES,    ///< Of the stress, Pa, the mean of the elements at a vertex.
    LYRA_SCENE_FIELD_COUNT
} LyraSceneField;

/// What a scene asks to be written; options of a command take precedence. 0 means never.
typedef struct LyraSceneOutput {
    int64_t save_every;            ///< Steps between frames of displacement.npy and its like.
    int64_t vtu_every;             ///< Steps between VTU files.
    int64_t obj_every;             ///< Steps between OBJ files of the surfaces.
    int64_t checkpoint_every;      ///< Steps between checkpoints.
    int64_t snapshot_every;        ///< Steps between pictures.
    bool pc2, gltf;                ///< Caches of the surfaces at the frames.
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

/// A view of a scene, valid while it lives.
typedef struct LyraSceneView {
    const char *name; ///< Title, or the name of the file.
    const char *path;
    LyraModel *model;
    LyraSystem *system;
    LyraIntegrator *integrator;
    LyraState *state;
    double dt;     ///< s, of a step.
    int64_t steps; ///< Number of steps; 0 means no limit.
    int32_t body_count;
    const LyraSceneBody *bodies; ///< [body_count].
    LyraSceneOutput output;
    LyraSceneCamera camera;
    int32_t setting_count;
    const LyraSceneSetting *settings; ///< Those that the file gives. [setting_count].
    uint64_t digest;                  ///< Of all that makes the motion: files, keys, overrides.
} LyraSceneView;

LYRA_API LyraSceneView lyra_scene_view(const LyraScene *scene);

/// One step of dt: loads and parameters that change with time first, then the integrator, as often
/// as the scene has substeps. On failure the state, and what changes with time in the model, are
/// bit for bit as they were. `report`: Nullable.
LYRA_API LyraStatus lyra_scene_step(LyraScene *scene, LyraStepReport *report);

/// Writes a YAML scene with every key, its default, unit and meaning, to `path`.
LYRA_API LyraStatus lyra_scene_save_defaults(LyraContext *ctx, const char *path);

#ifdef __cplusplus
}
#endif

#endif
