// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

/// @file
/// What holds the bodies of a world and acts on them: constraints, loads, forces of your own, ties,
/// and parameters that change over time.

#ifndef LYRA_WORLD_LOADS_H
#define LYRA_WORLD_LOADS_H

#include "lyra/base.h"
#include "lyra/curve.h"
#include "lyra/force.h"
#include "lyra/model.h"
#include "lyra/world_select.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct LyraWorld LyraWorld;

/// A rotation over time.
typedef struct LyraRotation {
    double axis[3];   ///< Default z.
    double center[3]; ///< A point of the axis, m. Default 0.
    LyraCurve angle;  ///< rad.
} LyraRotation;

/// Vertices that are held, and where. Start from lyra_constraint_def_default().
typedef struct LyraConstraintDef {
    const char *body; ///< Nullable: all.
    LyraSelector select;
    int32_t axes;              ///< Bits 1 x, 2 y, 4 z along which they are held. Default 7.
    const double *direction;   ///< The one direction, in place of `axes`, [3]. Nullable.
    LyraCurve displacement[3]; ///< From their place at rest, m. Default 0.
    LyraRotation rotation;     ///< Of their place at rest, before the displacement.
    /// Holds the edges of rods with both ends among the vertices, too: their angle about
    /// themselves, rad, from directors that go along without twist. Nullable: they turn freely.
    const LyraCurve *twist;
} LyraConstraintDef;

LYRA_API LyraConstraintDef lyra_constraint_def_default(void);

LYRA_API LyraStatus lyra_world_add_constraint(LyraWorld *world, const LyraConstraintDef *def);

/// Holds vertices where they are at rest.
LYRA_API LyraStatus lyra_world_fix(LyraWorld *world, const char *body, const LyraSelector *select);

/// Kinds of loads.
typedef enum LyraLoadKind {
    LYRA_LOAD_FORCE = 0, ///< On vertices.
    LYRA_LOAD_TRACTION,  ///< On faces, force per area.
    LYRA_LOAD_PRESSURE,  ///< On faces, against the normal.
    LYRA_LOAD_SPRING,    ///< Springs of no length from vertices to targets.
    LYRA_LOAD_TENDON,    ///< A cord along points, that pulls.
    LYRA_LOAD_KIND_COUNT
} LyraLoadKind;

/// Points of a tendon at most.
#define LYRA_TENDON_POINTS_MAX 10

/// A point that a tendon goes through: one of `vertex` and `at`. Start from
/// lyra_tendon_point_default().
typedef struct LyraTendonPoint {
    const char *body; ///< Nullable: that of the load, or the only one.
    int32_t vertex;   ///< Of the body's mesh. Default -1: not given.
    const double *at; ///< A place in the body at rest, m, [3]. Nullable.
    bool fixed;       ///< `at` is a place in space, of no body. Default false.
} LyraTendonPoint;

LYRA_API LyraTendonPoint lyra_tendon_point_default(void);

/// A load. Start from lyra_load_def_default().
typedef struct LyraLoadDef {
    LyraLoadKind type;
    const char *body; ///< Nullable: all.
    LyraSelector select;
    LyraCurve factor;   ///< Of a force, traction or pressure; not of `file`. Default 1.
    LyraCurve force[3]; ///< N.
    /// Forces on all vertices of the body, N, on top of `force`: a matrix of Vega with 3 n rows,
    /// whose column k acts in step k, and none after the last, or an `.npy` array of (steps, 3 n)
    /// or (steps, n, 3) numbers. `select` is then all of the body. Nullable.
    const char *file;
    bool total;          ///< All vertices together get the force, not each. Default false.
    double traction[3];  ///< Pa.
    bool live;           ///< A traction turns and stretches with the surface. Default false.
    LyraCurve pressure;  ///< Pa; above 0 it pushes into the material, and inflates a cavity.
    bool symmetric;      ///< Keeps the symmetric part of the tangent only. Default false.
    double stiffness;    ///< Of a spring or a tendon, N/m, >= 0.
    double damping;      ///< Of a spring, against motion relative to the target, N s/m, >= 0.
    LyraCurve offset[3]; ///< Of a spring's target from the place of the vertex at rest, m.
    /// Of a tendon, [path_count], 2 to LYRA_TENDON_POINTS_MAX. Nullable.
    const LyraTendonPoint *path;
    int32_t path_count;
    LyraCurve tension; ///< Of a tendon, N, >= 0, whatever its length. `stiffness` adds to it.
    /// Length of a tendon at which its `stiffness` adds nothing, m, >= 0. Default NaN: as at rest.
    double rest_length;
    bool pushes; ///< An elastic tendon pushes where it is too short. Default false.
} LyraLoadDef;

LYRA_API LyraLoadDef lyra_load_def_default(void);

LYRA_API LyraStatus lyra_world_add_load(LyraWorld *world, const LyraLoadDef *def);

/// A load of your own: called with the place of all vertices of the world, as LyraModelDef::load.
LYRA_API LyraStatus lyra_world_add_load_function(LyraWorld *world, LyraLoad *load, void *user);

/// A force group of your own. `body`: whose vertices its stencils count; Nullable: those of the
/// world. Takes the force, also on failure.
LYRA_API LyraStatus lyra_world_take_force(LyraWorld *world, const char *body, LyraForce *force);

/// A place in a body.
typedef struct LyraTiePoint {
    double at[3]; ///< At rest, m.
} LyraTiePoint;

/// Points of a body that are tied to points of another, or of the world: by springs, or hard, so
/// that only what tolerances leave parts them. Start from lyra_tie_def_default().
typedef struct LyraTieDef {
    const char *name; ///< Unique, for probes. Nullable.
    const char *body; ///< Whose points.
    LyraSelector select;
    /// Places in the body, beside those selected, or alone: in its closest element, or on its
    /// closest face where it has no elements. [point_count]. Nullable.
    const LyraTiePoint *points;
    int32_t point_count;
    /// The body that they are tied to, at the places where they are at rest: of its closest
    /// element, which goes on to there, or of its closest face. Nullable: the world.
    const char *to;
    /// Points of `to`: each point is tied to the closest one of them at rest, as in a seam. With
    /// it, `to` may be the body itself. Nullable.
    const LyraSelector *to_select;
    bool hard; ///< Default false: a spring.
    /// Of each point, N/m, >= 0. Of a hard tie, how fast Newton's method gets there: it changes no
    /// result beyond tolerances. Default NaN: to be given, of hard ties automatic.
    double stiffness;
    double damping; ///< Against relative motion, of each point, N s/m, >= 0. Default 0.
    /// Share of the gap at rest between the points that is kept, in space: 0 draws them together,
    /// a path from 1 to 0 sews. Default 1.
    LyraCurve gap;
    LyraCurve displacement[3]; ///< Of what they are tied to, beside its own motion, m. Default 0.
    LyraRotation rotation;     ///< Of what they are tied to before it; of the world alone.
} LyraTieDef;

LYRA_API LyraTieDef lyra_tie_def_default(void);

/// Adds a tie. `index`: Nullable: its number, from 0.
LYRA_API LyraStatus lyra_world_add_tie(LyraWorld *world, const LyraTieDef *def, int32_t *index);

/// Number of a tie, -1 for none of that name.
LYRA_API int32_t lyra_world_find_tie(const LyraWorld *world, const char *name);

/// The force of a tie on its body now, N; on the other body it is the opposite.
LYRA_API LyraStatus lyra_world_tie_force(LyraWorld *world, int32_t index, double force[3]);

/// How far the points of a tie are at most from where it wants them, m.
LYRA_API LyraStatus lyra_world_tie_gap(LyraWorld *world, int32_t index, double *gap);

/// A parameter over time. Start from lyra_change_def_default().
typedef struct LyraChangeDef {
    const char *body; ///< Nullable: all.
    /// The path of a parameter, as lyra_world_parameter() has it, in place of `body`; or "young",
    /// or a parameter of the body's forces. Gravity and the step can't change so. Default "young".
    const char *parameter;
    const LyraSelector *select; ///< Elements whose material changes. Nullable: all.
    const LyraCurve *factor;    ///< Multiplies what it was. Nullable.
    const LyraCurve *value;     ///< What it is, in SI, in place of `factor`. Nullable.
} LyraChangeDef;

LYRA_API LyraChangeDef lyra_change_def_default(void);

LYRA_API LyraStatus lyra_world_add_change(LyraWorld *world, const LyraChangeDef *def);

#ifdef __cplusplus
}
#endif

#endif
