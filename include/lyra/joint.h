// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

/// @file
/// Joints of worlds: ball, hinge, slider and weld between bodies of any kinds and the world.
/// docs/theory/ties.md has how they are made of ties.

#ifndef LYRA_JOINT_H
#define LYRA_JOINT_H

#include "lyra/world.h"

#ifdef __cplusplus
extern "C" {
#endif

/// What a joint leaves free.
typedef enum LyraJointKind {
    LYRA_JOINT_BALL = 0, ///< All turns about a point.
    LYRA_JOINT_HINGE,    ///< The turn about an axis.
    LYRA_JOINT_SLIDER,   ///< The way along an axis.
    LYRA_JOINT_WELD,     ///< Nothing.
    LYRA_JOINT_KIND_COUNT
} LyraJointKind;

/// A joint between bodies of any kinds, or a body and the world: a tie of one, two or three points
/// of the body near a place. Start from lyra_joint_def_default().
typedef struct LyraJointDef {
    const char *name; ///< Unique among ties, for probes. Nullable.
    const char *body;
    const char *to; ///< Nullable: the world.
    LyraJointKind kind;
    double at[3];   ///< At rest, m. Default 0.
    double axis[3]; ///< Of a hinge or slider, and of `angle`. Default z.
    /// From `at` to the points that hold turns, m, > 0. Default NaN: a quarter of the diagonal of
    /// the body's box.
    double span;
    bool hard; ///< Default true; false: springs of `stiffness`, with `damping`, at each point.
    double stiffness, damping; ///< N/m and N s/m of each point, as those of LyraTieDef.
    /// Turns the places of a weld or hinge to the world about the axis, rad: a weld follows, as
    /// with a motor. Default 0.
    LyraCurve angle;
} LyraJointDef;

LYRA_API LyraJointDef lyra_joint_def_default(void);

/// Adds a joint. `index`: Nullable: the number of its tie, by which lyra_world_tie_force() has the
/// force and lyra_world_tie_gap() what is left of the gap.
LYRA_API LyraStatus lyra_world_add_joint(LyraWorld *world, const LyraJointDef *def, int32_t *index);

/// The torque about the point `about`, m, with which a tie turns its body now, N m: of its forces
/// where its points are.
LYRA_API LyraStatus lyra_world_tie_torque(LyraWorld *world, int32_t index, const double about[3],
                                          double torque[3]);

#ifdef __cplusplus
}
#endif

#endif
