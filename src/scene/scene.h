// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// The inside of a scene, which the readers fill through the public interfaces of the other modules.

#ifndef LY_SCENE_SCENE_H
#define LY_SCENE_SCENE_H

#include "base/base.h"
#include "lyra/scene.h"
#include "scene/undo.h"

/// What changes with time: called before each step with the time at its begin and end. It changes
/// the model through the scene's `undo` alone, and remembers nothing of earlier calls: a step that
/// fails takes it back.
typedef struct LySceneRule {
    LyraStatus (*apply)(void *self, LyraScene *scene, double begin, double end);
    void (*destroy)(LyraContext *ctx, void *self); // Nullable
    void *self;
} LySceneRule;

typedef struct LyPulls LyPulls;

struct LyraScene {
    LyraContext *ctx;
    char *path, *name;
    int32_t body_count;
    LyraSceneBody *bodies; // owned, with their meshes, solids, surfaces, embeddings and names
    int32_t force_count;
    LyraForce **forces; // owned; those beside the solids' own: loads, springs, viscosity
    int32_t rule_count;
    LySceneRule *rules;
    LyUndo undo; // what the rules of the step in progress found
    void *loads; // handed to the model's load and prescription functions; owned by `loads_destroy`
    void (*loads_destroy)(LyraContext *ctx, void *loads);
    LyraModel *model;
    LyraSystem *system;
    LyraIntegrator *integrator;
    LyraState *state;
    LyraState *work;                  // of a step of several substeps; made by the first one
    LyraIntegratorDef integrator_def; // what the two were made from; names outlive the scene or
    LyraSolverDef solver_def;         // are those of its own text
    LyraSolidDef *solid_defs;         // [body_count], owned; constants as the names above. Nullable
    bool moduli_change, activation_changes, gravity_changes; // by themselves, over time
    LyPulls *pulls;                   // what people pull at; owned by its force
    double young, density, stiffness; // factors on what the scene has
    double poisson;                   // of all bodies; NaN: theirs
    double activation;                // of all fibres; NaN: theirs
    double start_dt, start_damping[2], start_gravity[3];
    double dt;
    int32_t substeps;
    int64_t steps;
    LyraSceneOutput output;
    LyraSceneCamera camera;
    int32_t setting_count;
    LyraSceneSetting *settings; // owned, with their values; keys are constants
    uint64_t digest;
};

/// Adds bytes to a digest; files' contents, keys and values in the order read.
uint64_t ly_digest(uint64_t digest, const void *bytes, size_t count);

/// Adds the group of springs of lyra_scene_pull(), without any at first, to the forces of a scene.
LyraStatus ly_scene_add_pull(LyraScene *scene);

/// Gives the bodies and all forces of the scene to the def of its model: those of the solids, each
/// body's own, then the scene's. The caller releases the arrays, also on failure.
LyraStatus ly_scene_gather(LyraScene *scene, LyraModelDef *def, LyraForce ***forces,
                           LyraModelBody **bodies);

/// Gives a force to a body, as "BODY.TYPE".
LyraStatus ly_scene_own_force(const LyraScene *scene, int32_t body, LyraForce *force);

/// Adds a force to the scene, which owns it from here on, also on failure.
LyraStatus ly_scene_take_force(LyraScene *scene, LyraForce *force);

/// Notes where the numbers that can be turned start, once a reader is through.
void ly_scene_note_start(LyraScene *scene);

/// The readers: `scene` comes zero but for ctx, path, and defaults of output and camera. What they
/// put there is released by lyra_scene_destroy(), also when they fail.
LyraStatus ly_scene_read_yaml(LyraScene *scene, const LyraSceneDef *def);
LyraStatus ly_scene_read_config(LyraScene *scene, const LyraSceneDef *def);

#endif
