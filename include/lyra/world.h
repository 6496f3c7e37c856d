// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

/// @file
/// Worlds: bodies, what holds them, what acts on them, and how time goes on, in one object that
/// owns all it makes. Fill a world, then step it; the first step, or lyra_world_prepare(), makes
/// its model, after which bodies, constraints and loads stay as they are and parameters move on.
/// Scenes are worlds in a file: scene.h.
///
/// Bodies are named. Where a function takes the name of a body, NULL means all bodies.

#ifndef LYRA_WORLD_H
#define LYRA_WORLD_H

#include "lyra/affine.h"
#include "lyra/base.h"
#include "lyra/cloth.h"
#include "lyra/curve.h"
#include "lyra/embed.h"
#include "lyra/fields.h"
#include "lyra/integrator.h"
#include "lyra/lines.h"
#include "lyra/mesh.h"
#include "lyra/mesh_generate.h"
#include "lyra/model.h"
#include "lyra/obstacle.h"
#include "lyra/points.h"
#include "lyra/rigid.h"
#include "lyra/rod.h"
#include "lyra/shell.h"
#include "lyra/solid.h"
#include "lyra/surface.h"
#include "lyra/system.h"
#include "lyra/viscosity.h"
#include "lyra/world_bodies.h"
#include "lyra/world_loads.h"
#include "lyra/world_obstacles.h"
#include "lyra/world_select.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct LyraWorld LyraWorld;

// ---- making -------------------------------------------------------------------------------------

/// Rayleigh damping of everything.
typedef struct LyraDamping {
    double mass;      ///< alpha of alpha M, 1/s, >= 0. Default 0.
    double stiffness; ///< beta of beta K, s, >= 0. Default 0.
    bool exact;       ///< K as it is, indefinite or not. Default false.
    /// Against differences of velocity between neighbours, along edges of elements and springs:
    /// between vertices with n_i and n_j neighbours (1/n_i + 1/n_j)/2 of it, N s/m, >= 0. Default
    /// 0.
    double laplacian;
} LyraDamping;

/// How long and how finely.
typedef struct LyraTiming {
    double dt;        ///< A step, s, > 0. Default 0.01.
    int64_t steps;    ///< To take; 0: no limit. Default 0.
    double duration;  ///< In place of `steps`, s. Default NaN: not given.
    int32_t substeps; ///< Steps of the integrator in a step, >= 1. Default 1.
} LyraTiming;

/// Mass matrices.
typedef enum LyraMassKind {
    LYRA_MASS_LUMPED = 0, ///< At the vertices.
    LYRA_MASS_CONSISTENT, ///< Of the elements.
} LyraMassKind;

/// Settings of a world. Start from lyra_world_def_default(). All of it is copied.
typedef struct LyraWorldDef {
    const char *title;            ///< Nullable.
    LyraCurve gravity[3];         ///< m/s^2. Default 0.
    LyraMassKind mass;            ///< Default LYRA_MASS_LUMPED.
    LyraDamping damping;          ///< Default none.
    LyraIntegratorDef integrator; ///< Default lyra_integrator_def_default().
    LyraSolverDef solver;         ///< Default lyra_solver_def_default(), its task chosen.
    LyraTiming time;
    uint32_t cookie; ///< Written by the default function only.
} LyraWorldDef;

LYRA_API LyraWorldDef lyra_world_def_default(void);

/// Makes an empty world. `ctx`: must outlive it; NULL: the world makes one of its own. `def`:
/// Nullable: defaults.
LYRA_API LyraStatus lyra_world_create(LyraContext *ctx, const LyraWorldDef *def, LyraWorld **out);

/// Accepts NULL.
LYRA_API void lyra_world_destroy(LyraWorld *world);

/// The context of a world, for meshes and other things to hand to it.
LYRA_API LyraContext *lyra_world_context(const LyraWorld *world);

/// Sets constant gravity, m/s^2, at any time.
LYRA_API LyraStatus lyra_world_set_gravity(LyraWorld *world, const double gravity[3]);

// ---- running ------------------------------------------------------------------------------------

/// Makes model, system, integrator and state, which the first step does otherwise. From here on
/// nothing can be added.
LYRA_API LyraStatus lyra_world_prepare(LyraWorld *world);

/// One step of dt: parameters that change with time first, then the integrator, as often as there
/// are substeps. On failure the state, and what changes with time, are bit for bit as they were.
/// `report`: Nullable.
LYRA_API LyraStatus lyra_world_step(LyraWorld *world, LyraStepReport *report);

/// Time, s.
LYRA_API double lyra_world_time(const LyraWorld *world);

/// Writes the state to a checkpoint file, and reads one of a world that was filled alike.
LYRA_API LyraStatus lyra_world_save(LyraWorld *world, const char *path);
LYRA_API LyraStatus lyra_world_restore(LyraWorld *world, const char *path);

// ---- reading ------------------------------------------------------------------------------------

/// A surface that a body carries along.
typedef struct LyraShownSurface {
    const char *name;
    const char *path; ///< File it was read from; its textures are beside it. NULL: made.
    const LyraSurface *surface;
    /// Weights on the vertices of the body. NULL: the surface's vertices are the body's.
    const LyraEmbedding *embedding;
} LyraShownSurface;

/// A view of a body, valid while the world lives and until a body is added. Its vertices are
/// [first_vertex, first_vertex + vertex_count) of the model; behind them are `scalar_count` scalar
/// nodes (LyraModelBody), which are no places and which nothing here counts, shows or selects.
typedef struct LyraBodyView {
    const char *name;
    const char *kind;
    int32_t first_vertex, vertex_count;
    int32_t scalar_count;     ///< Unknowns of edges, of shells and rods.
    const LyraMesh *mesh;     ///< On these vertices. NULL for affine bodies, cloth, springs alone.
    const LyraSolid *solid;   ///< NULL for affine bodies, cloth and springs alone.
    const LyraCloth *cloth;   ///< Of a cloth, on these vertices; otherwise NULL.
    const LyraRod *rod;       ///< Of a rod, on its vertices and scalars; otherwise NULL.
    const LyraShell *shell;   ///< Of a shell, on these vertices and scalar nodes; otherwise NULL.
    const LyraSurface *sheet; ///< The triangles of `cloth` or `shell`, with groups; otherwise NULL.
    /// Of an affine or rigid body, whose vertices are particles; otherwise NULL.
    const LyraAffine *affine;
    /// The mesh that such a body is made from, with vertices of its own, on which the embedding
    /// of `affine` has weights; otherwise NULL.
    const LyraMesh *shape;
    int32_t surface_count;
    const LyraShownSurface *surfaces; ///< What to show, the first one first. [surface_count].
} LyraBodyView;

/// A view of a world, valid while it lives and until a body is added or a method is set. Model,
/// system, integrator and state are NULL until it is prepared.
typedef struct LyraWorldView {
    const char *title; ///< "" without.
    LyraModel *model;
    LyraSystem *system;
    LyraIntegrator *integrator;
    LyraState *state;
    double dt;     ///< s, of a step.
    int64_t steps; ///< To take; 0: no limit.
    int32_t body_count;
    const LyraBodyView *bodies; ///< [body_count].
    uint64_t digest; ///< Of bodies, and what is held and tied; of a scene, all that moves it.
} LyraWorldView;

LYRA_API LyraWorldView lyra_world_view(const LyraWorld *world);

/// Number of a body, -1 for none of that name.
LYRA_API int32_t lyra_world_find_body(const LyraWorld *world, const char *name);

/// Positions, m, and velocities, m/s, of the vertices of a body's mesh (of an affine body: its
/// shape), [*count][3], now. They are the world's, and good until its next step. `count`:
/// Nullable. NULL where the world is not prepared.
LYRA_API const double *lyra_world_positions(LyraWorld *world, int32_t body, int32_t *count);
LYRA_API const double *lyra_world_velocities(LyraWorld *world, int32_t body, int32_t *count);

/// Vertices of a body that a selector holds, as numbers of the body's mesh, ascending. The caller
/// ends the list with lyra_vertex_list_destroy().
LYRA_API LyraStatus lyra_world_select(LyraWorld *world, const char *body,
                                      const LyraSelector *select, int32_t *count,
                                      int32_t **vertices);

/// Measures a rod now: lyra_rod_measure(). Twist and moments are those of the last step.
LYRA_API LyraStatus lyra_world_rod_measure(LyraWorld *world, int32_t body,
                                           const LyraRodMeasures *out);

/// Energies now, J.
typedef struct LyraEnergies {
    double kinetic;
    double elastic; ///< Of all forces that have one, loads among them.
} LyraEnergies;

LYRA_API LyraStatus lyra_world_energies(LyraWorld *world, LyraEnergies *out);

/// Writes what loads push the vertices of the model with now, N, [vertices of the model][3]:
/// forces on vertices, tractions and pressures. Gravity, springs and pulls are not among them.
/// `energy`: J, of those tractions and pressures that have one, minus their work since rest;
/// reports of steps count it as elastic. `loads`, `energy`: Nullable.
LYRA_API LyraStatus lyra_world_loads(LyraWorld *world, double *loads, double *energy);

// ---- parameters ---------------------------------------------------------------------------------

/// A number of a world that can be turned while it runs. Paths name what scenes say:
/// "bodies.beam.material.young" or "bodies[0].material.young", "bodies.*.material.young" for all
/// bodies at once, "damping.mass", "time.dt", "gravity".
typedef struct LyraWorldParameter {
    const char *path;
    const char *name; ///< Short, for a label: the last part of the path.
    const char *unit; ///< "" for factors and numbers without one.
    double value;     ///< Now.
    double start;     ///< As the world was made.
    double low, high; ///< Range for a slider, no limits; both > 0 where `logarithmic`.
    bool logarithmic; ///< A slider is to have a logarithmic scale.
    bool factor;      ///< Elements differ in the number: `value` multiplies theirs.
} LyraWorldParameter;

/// Parameter `index`; false past the last. First those of the world and of all bodies at once,
/// then those of single bodies where there are several. Only those that the world has and does not
/// change by itself over time. Where elements differ in a number, it is a factor on theirs, without
/// a unit (`factor`). The texts are good until the next call.
LYRA_API bool lyra_world_parameter(LyraWorld *world, int32_t index, LyraWorldParameter *out);

/// The parameter at a path. Fails with LYRA_INVALID_ARGUMENT for a path that is none, with a list
/// of those that are.
LYRA_API LyraStatus lyra_world_get(LyraWorld *world, const char *path, LyraWorldParameter *out);

/// Turns a parameter; the world is prepared first. Fails also for a value that is not allowed; the
/// world is then as before.
LYRA_API LyraStatus lyra_world_set(LyraWorld *world, const char *path, double value);

// ---- methods ------------------------------------------------------------------------------------

/// Names of the integrator and of the solver that were asked for. Valid until the next change.
LYRA_API const char *lyra_world_integrator(const LyraWorld *world);
LYRA_API const char *lyra_world_solver(const LyraWorld *world);

/// Takes another integrator of lyra_integrator_name(), with the settings of the world's own. What
/// the old one remembers of past steps is forgotten, the history of materials is not. On failure
/// the world is as before.
LYRA_API LyraStatus lyra_world_set_integrator(LyraWorld *world, const char *name);

/// Takes another solver of lyra_solver_name(), or "auto". Otherwise as above.
LYRA_API LyraStatus lyra_world_set_solver(LyraWorld *world, const char *name);

// ---- pulls --------------------------------------------------------------------------------------

/// Pulls points by springs of no length: stiffness k_i (N/m, >= 0, [count]) from points[i], over
/// vertices of the model, to targets[i] (m, [count][3]). Takes the place of all pulls before; a
/// count of 0 ends them. A point that is named twice feels both. The springs are implicit like any
/// force of the model, and their energy is counted as elastic. All of it is copied. It costs
/// nothing while nobody pulls.
LYRA_API LyraStatus lyra_world_pull_points(LyraWorld *world, int32_t count,
                                           const LyraSurfacePoint *points, const double *stiffness,
                                           const double *targets);

/// The same for vertices of the model.
LYRA_API LyraStatus lyra_world_pull(LyraWorld *world, int32_t count, const int32_t *vertices,
                                    const double *stiffness, const double *targets);

/// Energy of the springs of lyra_world_pull() now, J; 0 without.
LYRA_API double lyra_world_pull_energy(const LyraWorld *world);

#ifdef __cplusplus
}
#endif

#endif
