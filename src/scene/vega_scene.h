// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// What the parts of the reader of Vega's scenes share. docs/vega_scenes.md says what each key does.

#ifndef LY_SCENE_VEGA_SCENE_H
#define LY_SCENE_VEGA_SCENE_H

#include "scene/config_text.h"
#include "scene/scene.h"
#include "scene/spec.h"
#include "world/world.h"

/// Keys of a `.config` file.
typedef enum LyVegaKey {
    LY_VEGA_CLOTH = 0,
    LY_VEGA_MESH,
    LY_VEGA_CUSTOM_SPRINGS,
    LY_VEGA_SPRINGS_OBJ,
    LY_VEGA_SPRINGS_TET,
    LY_VEGA_SPRINGS_CUBIC,
    LY_VEGA_METHOD,
    LY_VEGA_MATERIAL,
    LY_VEGA_WARP,
    LY_VEGA_INVERSION_THRESHOLD,
    LY_VEGA_RESISTANCE_ON,
    LY_VEGA_RESISTANCE,
    LY_VEGA_FREQUENCY_SCALING,
    LY_VEGA_SOLVER,
    LY_VEGA_SOLVER_OLD,
    LY_VEGA_TANGENTIAL_UPDATE,
    LY_VEGA_NEWMARK_BETA,
    LY_VEGA_NEWMARK_GAMMA,
    LY_VEGA_MAX_ITERATIONS,
    LY_VEGA_EPSILON,
    LY_VEGA_TIMESTEP,
    LY_VEGA_SUBSTEPS,
    LY_VEGA_DAMPING_MASS,
    LY_VEGA_DAMPING_STIFFNESS,
    LY_VEGA_DAMPING_LAPLACIAN,
    LY_VEGA_FIXED_VERTICES,
    LY_VEGA_INITIAL_POSITION,
    LY_VEGA_INITIAL_VELOCITY,
    LY_VEGA_FORCE_LOADS,
    LY_VEGA_OUTPUT,
    LY_VEGA_ADD_GRAVITY,
    LY_VEGA_G,
    // of cloth alone
    LY_VEGA_TENSILE,
    LY_VEGA_SHEAR,
    LY_VEGA_BEND_U,
    LY_VEGA_BEND_V,
    LY_VEGA_SURFACE_DENSITY,
    LY_VEGA_REST_ANGLES,
    LY_VEGA_STRETCH_FORCE,
    LY_VEGA_STRETCH_STIFFNESS,
    LY_VEGA_BEND_FORCE,
    LY_VEGA_BEND_STIFFNESS,
    LY_VEGA_WIND_X,
    LY_VEGA_WIND_Y,
    LY_VEGA_WIND_Z,
    LY_VEGA_RENDERING_MESH,
    LY_VEGA_SECONDARY_MESH,
    LY_VEGA_SECONDARY_WEIGHTS,
    LY_VEGA_CAMERA_RADIUS,
    LY_VEGA_CAMERA_LONGITUDE,
    LY_VEGA_CAMERA_LATITUDE,
    LY_VEGA_FOCUS_X,
    LY_VEGA_FOCUS_Y,
    LY_VEGA_FOCUS_Z,
    // from here on for viewers, see LyraSceneSetting
    LY_VEGA_COMPLIANCE,
    LY_VEGA_NEIGHBORHOOD,
    LY_VEGA_LIGHTING,
    LY_VEGA_FORCE_THREADS,
    LY_VEGA_SOLVER_THREADS,
    LY_VEGA_SYNC,
    LY_VEGA_SINGLE_STEP,
    LY_VEGA_PAUSE,
    LY_VEGA_LOCK_30_HZ,
    LY_VEGA_WINDOW_WIDTH,
    LY_VEGA_WINDOW_HEIGHT,
    LY_VEGA_WIREFRAME,
    LY_VEGA_RENDER_SECONDARY,
    LY_VEGA_RENDER_AXES,
    LY_VEGA_EXTRA_GEOMETRY,
    LY_VEGA_TEXTURES,
    LY_VEGA_BACKGROUND,
    LY_VEGA_GROUND_PLANE,
    LY_VEGA_REAL_TIME_NORMALS,
    LY_VEGA_MOUSE_FORCE,
    LY_VEGA_FORCE_MAGNITUDE,
    LY_VEGA_Z_NEAR,
    LY_VEGA_Z_FAR,
    LY_VEGA_KEY_COUNT,
    LY_VEGA_FIRST_VIEWING = LY_VEGA_COMPLIANCE,
} LyVegaKey;

/// Those of solids and springs, and those of cloth; what one of them does not know has no name.
extern const LyConfigKey ly_vega_keys[LY_VEGA_KEY_COUNT];
extern const LyConfigKey ly_vega_cloth_keys[LY_VEGA_KEY_COUNT];

/// Whether the text is that of a scene of cloth: it has the key objMeshname.
bool ly_vega_is_cloth(const char *text, size_t length);

/// Words of `solver`, in their order.
typedef enum LyVegaSolver {
    LY_VEGA_NEWMARK = 0,
    LY_VEGA_BACKWARD_EULER,
    LY_VEGA_EULER,
    LY_VEGA_SYMPLECTIC_EULER,
    LY_VEGA_CENTRAL_DIFFERENCES,
} LyVegaSolver;

/// A scene while it is read: what it says becomes settings as those of a scene in YAML.
typedef struct LyVega {
    LyraContext *ctx; // of the scene
    LyraScene *scene;
    LyraArena *arena; // of what the settings point to
    uint64_t digest;  // of the texts
    LyConfig config;
    LyVegaSolver solver;
    double scale;     // of internal forces: frequencyScaling squared
    bool chain;       // the body is a chain of springs, fixed at its end
    LyVegaKey source; // the key that names the body
    LySceneSpec spec;
    LyraBodyDef body;
    LyraBodySprings springs; // where the body is of springs
    LyraBodyCloth cloth;     // where it is cloth
    LyraConstraintDef constraint;
    LyraLoadDef loads[2];
    LyraBodySurface surfaces[2];
    const char *surface;    // of the `.massspring` file, overruling renderingMeshFilename
    int32_t override_count; // of those that are of scenes in YAML
    const char **overrides;
} LyVega;

/// Adds to the digest of what makes the motion.
void ly_vega_digest(LyVega *vega, const void *bytes, size_t count);

/// Copies a text onto the arena. NULL stays NULL.
LyraStatus ly_vega_keep(LyVega *vega, const char *text, const char **out);

/// Vertices and kind of the mesh that the body is made of.
LyraStatus ly_vega_probe_mesh(LyVega *vega, int32_t *vertices, LyraElementKind *kind);

/// The body of springs that the scene names.
LyraStatus ly_vega_read_springs(LyVega *vega);

/// The body of cloth.
LyraStatus ly_vega_read_cloth(LyVega *vega);

/// The surfaces of the body. A file that is not there is a warning, and so is one with other
/// vertices than the body.
LyraStatus ly_vega_read_surfaces(LyVega *vega);

/// Fixed vertices, Laplacian damping, first state and loads. `force`: constant, on each vertex, N.
LyraStatus ly_vega_read_state(LyVega *vega);
void ly_vega_add_force(LyVega *vega, const double force[3]);

/// Keys of a `.massspring` file of a kind; for tests and fuzzing.
typedef enum LyVegaSprings { LY_SPRINGS_OBJ = 0, LY_SPRINGS_TET, LY_SPRINGS_CUBIC } LyVegaSprings;
const LyConfigKey *ly_vega_spring_keys(LyVegaSprings kind, int32_t *count);

#endif
