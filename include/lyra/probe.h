// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

/// @file
/// Probes: numbers of a world that are watched while it runs, such as the height of a tip, the
/// force that holds a wall, the largest stress of a body or the volume of a cavity.

#ifndef LYRA_PROBE_H
#define LYRA_PROBE_H

#include "lyra/world.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum LyraProbeQuantity {
    LYRA_PROBE_DISPLACEMENT = 0, ///< Of vertices, m.
    LYRA_PROBE_POSITION,         ///< Of vertices, m.
    LYRA_PROBE_VELOCITY,         ///< Of vertices, m/s.
    LYRA_PROBE_REACTION,         ///< What holds vertices that are held, at the end of a step, N.
    LYRA_PROBE_FORCE,            ///< What loads push vertices with, as lyra_world_loads(), N.
    LYRA_PROBE_STRESS,           ///< Von Mises stress of elements, Pa.
    LYRA_PROBE_ENERGY,           ///< Strain energy of elements, J.
    LYRA_PROBE_DISTANCE,         ///< Between the means of two selections of vertices, m.
    LYRA_PROBE_VOLUME,           ///< Inside faces that close: of a body, or of a cavity in it, m^3.
    // what elements remember (fields.h)
    LYRA_PROBE_PLASTIC_STRAIN, ///< Equivalent plastic strain of elements.
    LYRA_PROBE_GOAL_DISTANCE,  ///< How far elements are from the goal of their flow.
    LYRA_PROBE_PLASTIC_LOSS,   ///< Energy that elements have lost in plastic flow, J.
    LYRA_PROBE_VISCOUS_LOSS,   ///< The same in the branches of viscoelasticity, J.
    LYRA_PROBE_TIE_FORCE,      ///< Of a tie on its body, N.
    LYRA_PROBE_TIE_GAP,        ///< Largest distance of a tie's points from where it wants them, m.
    LYRA_PROBE_OBSTACLE_FORCE, ///< Of bodies on an obstacle, N.
    LYRA_PROBE_OBSTACLE_GAP,   ///< Least distance of any point from an obstacle, m.
    // what rods have (rod.h)
    LYRA_PROBE_CURVATURE,      ///< Of vertices, 1/m.
    LYRA_PROBE_BENDING_MOMENT, ///< Of vertices, N m.
    LYRA_PROBE_TWIST,          ///< Of vertices, rad/m.
    LYRA_PROBE_TORQUE,         ///< Of vertices, N m.
    LYRA_PROBE_TENSION,        ///< Of edges with both ends among the vertices, N.
    LYRA_PROBE_QUANTITY_COUNT
} LyraProbeQuantity;

/// How the numbers of all that is selected become one.
typedef enum LyraProbeReduce {
    /// The sum of reactions, forces, energies and losses, the largest stress, plastic strain,
    /// distance to a goal and number of a rod, the mean of all others.
    LYRA_PROBE_AUTO = 0,
    LYRA_PROBE_MEAN,
    LYRA_PROBE_SUM,
    LYRA_PROBE_MAX,   ///< Of the lengths of vectors, unless a component is named.
    LYRA_PROBE_MIN,   ///< The same.
    LYRA_PROBE_POINT, ///< The selection is a single vertex or element.
    LYRA_PROBE_REDUCE_COUNT
} LyraProbeReduce;

/// What is shown of a vector.
typedef enum LyraProbeComponent {
    LYRA_PROBE_WHOLE = 0, ///< All three components.
    LYRA_PROBE_X,
    LYRA_PROBE_Y,
    LYRA_PROBE_Z,
    LYRA_PROBE_LENGTH, ///< Of the mean or the sum.
    LYRA_PROBE_COMPONENT_COUNT
} LyraProbeComponent;

/// The other end of a distance.
typedef struct LyraProbeEnd {
    const char *body; ///< Nullable: all.
    LyraSelector select;
} LyraProbeEnd;

/// A probe. Start from lyra_probe_def_default(). All of it is copied.
typedef struct LyraProbeDef {
    /// Unique; letters, digits, '-' and '_'. Nullable: "probe1", "probe2", ...
    const char *name;
    LyraProbeQuantity quantity; ///< Default LYRA_PROBE_DISPLACEMENT.
    const char *body;           ///< Nullable: all. What elements and rods have is of one body.
    const LyraSelector *select; ///< Of the bodies that are there. Nullable: all of it.
    const LyraProbeEnd *to;     ///< Of a distance; Nullable otherwise.
    const char *tie;            ///< Name of a tie that is there; of its quantities alone. Nullable.
    const char *obstacle;       ///< The same of an obstacle. Nullable.
    /// Default LYRA_PROBE_AUTO. Not of distances, volumes, ties and obstacles.
    LyraProbeReduce reduce;
    LyraProbeComponent component; ///< Of vectors. Default LYRA_PROBE_WHOLE.
    uint32_t cookie;              ///< Written by the default function only.
} LyraProbeDef;

LYRA_API LyraProbeDef lyra_probe_def_default(void);

/// Words for quantities ("displacement" ...), reductions ("auto" ...) and components ("whole",
/// "x", "y", "z", "length").
LYRA_API const char *lyra_probe_quantity_name(LyraProbeQuantity quantity);
LYRA_API const char *lyra_probe_reduce_name(LyraProbeReduce reduce);
LYRA_API const char *lyra_probe_component_name(LyraProbeComponent component);

/// Adds a probe, at any time; it moves nothing. `index`: Nullable: its number, from 0. On failure
/// the world is as before.
LYRA_API LyraStatus lyra_world_add_probe(LyraWorld *world, const LyraProbeDef *def, int32_t *index);

/// What a probe says.
typedef struct LyraProbeView {
    const char *name;
    const char *unit;
    int32_t count;    ///< Numbers: 3 of a whole vector, 1 otherwise.
    double values[3]; ///< [count].
} LyraProbeView;

LYRA_API int32_t lyra_world_probe_count(const LyraWorld *world);

/// Evaluates a probe at the present state; the world is prepared first. The first call of each
/// allocates. A reaction, a force, a stress and an energy cost about an evaluation of forces.
LYRA_API LyraStatus lyra_world_probe(LyraWorld *world, int32_t index, LyraProbeView *out);

/// Where a rigid or affine body is now and how it moves: its rotation is the one nearest to its
/// map, its spin belongs to its angular momentum. Fails with LYRA_UNSUPPORTED for other kinds.
LYRA_API LyraStatus lyra_world_rigid_motion(LyraWorld *world, int32_t body, LyraRigidMotion *out);

#ifdef __cplusplus
}
#endif

#endif
