// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

/// @file
/// What people turn while a scene runs: numbers of its materials and its motion, the integrator,
/// the solver, and pulls at vertices; and what its loads are. All of it between two steps.

#ifndef LYRA_SCENE_LIVE_H
#define LYRA_SCENE_LIVE_H

#include "lyra/scene.h"

#ifdef __cplusplus
extern "C" {
#endif

// ---- numbers ------------------------------------------------------------------------------------

/// A parameter that can be changed while running. `low` and `high` are the range of a slider, not
/// limits.
typedef struct LyraSceneKnob {
    const char *name; ///< "young", "poisson", "density", "dt" ... : docs/viewer.md has the list.
    const char *unit; ///< "" for factors and numbers without one.
    double value;     ///< Now.
    double start;     ///< As the scene has it.
    double low, high; ///< Range of a slider; both > 0 where `logarithmic`.
    bool logarithmic; ///< The number is felt by its logarithm.
} LyraSceneKnob;

/// Number `index` of a scene; false past the last. There are only those that the scene has and does
/// not change by itself over time. Where bodies differ in a number ("young", "density",
/// "stiffness"), it is a factor on theirs, without a unit.
LYRA_API bool lyra_scene_knob(const LyraScene *scene, int32_t index, LyraSceneKnob *out);

/// Turns a number. Fails with LYRA_INVALID_ARGUMENT for a name that the scene does not have, with
/// the list, and for a value that is not allowed; the scene is then as before.
LYRA_API LyraStatus lyra_scene_set_knob(LyraScene *scene, const char *name, double value);

// ---- methods ------------------------------------------------------------------------------------

/// Names of the integrator and of the solver that the scene asked for or that were set. Valid until
/// the next change.
LYRA_API const char *lyra_scene_integrator(const LyraScene *scene);
LYRA_API const char *lyra_scene_solver(const LyraScene *scene);

/// Takes another integrator of lyra_integrator_name(), with the settings of the scene's own. What
/// the old one remembers of past steps is forgotten, the history of materials is not. A view of the
/// scene is to be taken anew. On failure the scene is as before.
LYRA_API LyraStatus lyra_scene_set_integrator(LyraScene *scene, const char *name);

/// Takes another solver of lyra_solver_name(), or "auto". Otherwise as above.
LYRA_API LyraStatus lyra_scene_set_solver(LyraScene *scene, const char *name);

// ---- pulls --------------------------------------------------------------------------------------

/// Pulls points by springs of no length: stiffness k_i (N/m, >= 0, [count]) from points[i], over
/// vertices of the model, to targets[i] (m, [count][3]). Takes the place of all pulls before; a
/// count of 0 ends them. A point that is named twice feels both. The springs are implicit like any
/// force of the model, and their energy is counted as elastic. All of it is copied. It costs
/// nothing while nobody pulls.
LYRA_API LyraStatus lyra_scene_pull_points(LyraScene *scene, int32_t count,
                                           const LyraSurfacePoint *points, const double *stiffness,
                                           const double *targets);

/// The same for vertices.
LYRA_API LyraStatus lyra_scene_pull(LyraScene *scene, int32_t count, const int32_t *vertices,
                                    const double *stiffness, const double *targets);

/// Energy of the springs of lyra_scene_pull() at the present state, J; 0 without.
LYRA_API double lyra_scene_pull_energy(const LyraScene *scene);

// ---- loads --------------------------------------------------------------------------------------

/// Writes what the loads of a scene push its vertices with at the present state, N,
/// [vertices of the model][3]: forces on vertices, tractions and pressures. Gravity, springs and
/// pulls are not among them. `energy`: J, of those tractions and pressures that have one, minus
/// their work since rest; reports of steps count it as elastic. `loads`, `energy`: Nullable.
LYRA_API LyraStatus lyra_scene_loads(LyraScene *scene, double *loads, double *energy);

#ifdef __cplusplus
}
#endif

#endif
