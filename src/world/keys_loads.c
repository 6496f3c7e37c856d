// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Keys of what holds and pushes: constraints, loads, changes, damping.

#include "world/keys_rows.h"
#include "world/parameters.h"

static void init_constraint(void *out)
{
    *(LyraConstraintDef *)out = lyra_constraint_def_default();
}

static void init_load(void *out)
{
    *(LyraLoadDef *)out = lyra_load_def_default();
}

static void init_force(void *out)
{
    *(LyraWorldForceDef *)out = lyra_world_force_def_default();
}

static void init_tie(void *out)
{
    *(LyraTieDef *)out = lyra_tie_def_default();
}

static void init_change(void *out)
{
    *(LyraChangeDef *)out = lyra_change_def_default();
}

static const LyKey rotation_keys[] = {
    {"axis", LY_KEY_VECTOR, AT(LyraRotation, axis), .meaning = "Axis."},
    {"center", LY_KEY_VECTOR, AT(LyraRotation, center), .unit = "m",
     .meaning = "A point of the axis."},
    {"angle", LY_KEY_CURVE, AT(LyraRotation, angle), .unit = "rad", .meaning = "Over time."},
};
PUBLIC_GROUP(ly_rotation_keys, rotation_keys, LyraRotation, NULL, "rotation",
             "A rotation over time, before the displacement.");

static const LyKey constraint_keys[] = {
    {"body", LY_KEY_TEXT, AT(LyraConstraintDef, body), .meaning = "Its name. Without, all bodies."},
    {"select", LY_KEY_GROUP, AT(LyraConstraintDef, select), .required = true,
     .group = &ly_select_keys, .meaning = "Which vertices."},
    {"axes", LY_KEY_AXES, AT(LyraConstraintDef, axes),
     .meaning = "Along which they are held: letters of xyz."},
    {"direction", LY_KEY_VECTOR, AT(LyraConstraintDef, direction), .pointer = true,
     .meaning = "The one direction along which they are held, in place of `axes`."},
    {"displacement", LY_KEY_CURVES, AT(LyraConstraintDef, displacement), .unit = "m",
     .meaning = "Where they are held, from their place at rest, over time."},
    {"rotation", LY_KEY_GROUP, AT(LyraConstraintDef, rotation), .group = &ly_rotation_keys,
     .meaning = "Turns their place at rest over time."},
    {"twist", LY_KEY_CURVE, AT(LyraConstraintDef, twist), .pointer = true, .unit = "rad",
     .meaning = "Holds edges of rods with both ends among the vertices at this angle about "
                "themselves. Without, they turn freely."},
};
PUBLIC_GROUP(ly_constraint_keys, constraint_keys, LyraConstraintDef, init_constraint, "constraints",
             "What is held, and where.");

static void init_tendon_point(void *out)
{
    *(LyraTendonPoint *)out = lyra_tendon_point_default();
}

static const LyKey path_keys[] = {
    {"body", LY_KEY_TEXT, AT(LyraTendonPoint, body),
     .meaning = "Its name. Without, that of the load, or the only one."},
    {"vertex", LY_KEY_INTEGER, AT(LyraTendonPoint, vertex), .range = LY_RANGE_NOT_NEGATIVE,
     .meaning = "A vertex of the body's mesh, from 0."},
    {"at", LY_KEY_VECTOR, AT(LyraTendonPoint, at), .pointer = true, .unit = "m",
     .meaning = "In place of it, a place in the body at rest, after `transform`."},
    {"fixed", LY_KEY_BOOL, AT(LyraTendonPoint, fixed),
     .meaning = "`at` is a place in space, of no body."},
};
GROUP(path, LyraTendonPoint, init_tendon_point, "path",
      "Points that a tendon goes through: 2 to 10, each given by `vertex` or `at`.");

static const LyKey load_keys[] = {
    {"type", LY_KEY_WORD, AT(LyraLoadDef, type), .required = true,
     .choices = "force|traction|pressure|spring|tendon",
     .meaning = "On vertices, on faces, on faces, on vertices, along a path."},
    {"body", LY_KEY_TEXT, AT(LyraLoadDef, body), .meaning = "Its name. Without, all bodies."},
    {"select", LY_KEY_GROUP, AT(LyraLoadDef, select), .required = true, .group = &ly_select_keys,
     .only = "force|traction|pressure|spring", .meaning = "Where it acts."},
    {"factor", LY_KEY_CURVE, AT(LyraLoadDef, factor), .only = "force|traction|pressure",
     .meaning = "Multiplies the load, over time."},
    {"force", LY_KEY_CURVES, AT(LyraLoadDef, force), .unit = "N", .only = "force",
     .meaning = "Over time."},
    {"file", LY_KEY_TEXT, AT(LyraLoadDef, file), .only = "force",
     .meaning = "Forces on all vertices in N, on top of `force`: a matrix of Vega with 3 n rows, "
                "whose column k acts in step k, or an `.npy` array of (steps, 3 n) or (steps, n, "
                "3) numbers; none after the last. With `select: {all: true}`."},
    {"share", LY_KEY_WORD, AT(LyraLoadDef, total), .choices = "each|total", .only = "force",
     .meaning = "Whether each vertex gets the force, or all of them together."},
    {"traction", LY_KEY_VECTOR, AT(LyraLoadDef, traction), .unit = "Pa", .only = "traction",
     .meaning = "Force per area."},
    {"follow", LY_KEY_WORD, AT(LyraLoadDef, live), .choices = "dead|live", .only = "traction",
     .meaning = "Whether it turns and stretches with the surface."},
    {"pressure", LY_KEY_CURVE, AT(LyraLoadDef, pressure), .unit = "Pa", .only = "pressure",
     .meaning = "On the deformed surface, over time. Positive pressure pushes into the material; "
                "in a cavity it inflates."},
    {"symmetric", LY_KEY_BOOL, AT(LyraLoadDef, symmetric), .only = "traction|pressure",
     .meaning = "Keeps the symmetric part of the tangent only."},
    {"stiffness", LY_KEY_NUMBER, AT(LyraLoadDef, stiffness), .unit = "N/m",
     .range = LY_RANGE_NOT_NEGATIVE, .only = "spring|tendon",
     .meaning = "Of the spring of each vertex to its target; of a tendon, on top of its tension."},
    {"damping", LY_KEY_NUMBER, AT(LyraLoadDef, damping), .unit = "N s/m",
     .range = LY_RANGE_NOT_NEGATIVE, .only = "spring",
     .meaning = "Against motion relative to the target."},
    {"offset", LY_KEY_CURVES, AT(LyraLoadDef, offset), .unit = "m", .only = "spring",
     .meaning = "The target, from the place of the vertex at rest, over time."},
    {"path", LY_KEY_LIST, LIST(LyraLoadDef, path, path_count), .required = true, .group = &path,
     .only = "tendon", .meaning = "Where it goes."},
    {"tension", LY_KEY_CURVE, AT(LyraLoadDef, tension), .unit = "N", .range = LY_RANGE_NOT_NEGATIVE,
     .only = "tendon", .meaning = "Along it, whatever its length, over time."},
    {"rest-length", LY_KEY_NUMBER, AT(LyraLoadDef, rest_length), .unit = "m",
     .range = LY_RANGE_NOT_NEGATIVE, .only = "tendon",
     .meaning = "At which its `stiffness` adds nothing. Without, as at rest."},
    {"slack", LY_KEY_WORD, AT(LyraLoadDef, pushes), .choices = "hangs|pushes", .only = "tendon",
     .meaning = "What its `stiffness` does where it is shorter."},
};
PUBLIC_GROUP(ly_load_keys, load_keys, LyraLoadDef, init_load, "loads", "Forces from outside.");

static const LyKey force_keys[] = {
    {"type", LY_KEY_NAME, AT(LyraWorldForceDef, type), .required = true, .choice = ly_force_choice,
     .meaning = "Name of a kind of force that the program registered."},
    {"body", LY_KEY_TEXT, AT(LyraWorldForceDef, body), .meaning = "Its name. Without, all bodies."},
    {"select", LY_KEY_GROUP, AT(LyraWorldForceDef, select), .pointer = true,
     .group = &ly_select_keys, .meaning = "Vertices that it acts on. Without, all."},
    {"parameters", LY_KEY_NAMED, LIST(LyraWorldForceDef, parameters, parameter_count),
     .meaning = "Numbers of the force by name, in SI."},
};
PUBLIC_GROUP(ly_force_keys, force_keys, LyraWorldForceDef, init_force, "forces",
             "Forces of kinds that the program registered: [extending](extending.md).");

static const LyKey tie_point_keys[] = {
    {"at", LY_KEY_VECTOR, AT(LyraTiePoint, at), .unit = "m", .required = true,
     .meaning = "At rest, after `transform`."},
};
GROUP(tie_point, LyraTiePoint, NULL, "points",
      "Places in the body: in its closest element, or on its closest face.");

static const LyKey tie_keys[] = {
    {"name", LY_KEY_TEXT, AT(LyraTieDef, name), .meaning = "Unique, for probes."},
    {"body", LY_KEY_TEXT, AT(LyraTieDef, body), .required = true, .meaning = "Its name."},
    {"select", LY_KEY_GROUP, AT(LyraTieDef, select), .group = &ly_select_keys,
     .meaning = "Which of its points. Needed without `points`."},
    {"points", LY_KEY_LIST, LIST(LyraTieDef, points, point_count), .group = &tie_point,
     .meaning = "Places in it, beside those selected or alone."},
    {"to", LY_KEY_TEXT, AT(LyraTieDef, to),
     .meaning =
         "The body that they are tied to, at the places where they are at rest. Without, the "
         "world."},
    {"to-select", LY_KEY_GROUP, AT(LyraTieDef, to_select), .pointer = true,
     .group = &ly_select_keys,
     .meaning = "Points of `to`: each point is tied to the closest of them at rest, as in a seam; "
                "`to` may then be `body`."},
    {"hard", LY_KEY_BOOL, AT(LyraTieDef, hard),
     .meaning = "Nothing but tolerances parts the points, in place of springs."},
    {"stiffness", LY_KEY_NUMBER, AT(LyraTieDef, stiffness), .unit = "N/m",
     .range = LY_RANGE_NOT_NEGATIVE, .shown_default = "of hard ties automatic",
     .meaning = "Of the spring of each point; of a hard tie it changes no result, but how fast "
                "Newton's method finds it."},
    {"damping", LY_KEY_NUMBER, AT(LyraTieDef, damping), .unit = "N s/m",
     .range = LY_RANGE_NOT_NEGATIVE, .meaning = "Against relative motion, of each point."},
    {"gap", LY_KEY_CURVE, AT(LyraTieDef, gap),
     .meaning = "Share of the gap at rest that is kept, in space: 0 draws the points together, a "
                "path from 1 to 0 sews."},
    {"displacement", LY_KEY_CURVES, AT(LyraTieDef, displacement), .unit = "m",
     .meaning = "Of what they are tied to, beside its own motion, over time."},
    {"rotation", LY_KEY_GROUP, AT(LyraTieDef, rotation), .group = &ly_rotation_keys,
     .meaning = "Turns the places that points are tied to over time; without `to`."},
};
PUBLIC_GROUP(ly_tie_keys, tie_keys, LyraTieDef, init_tie, "ties",
             "Points of a body that are tied to points of another, or of the world: "
             "[ties](theory/ties.md).");

static void init_joint(void *out)
{
    *(LyraJointDef *)out = lyra_joint_def_default();
}

static const LyKey joint_keys[] = {
    {"name", LY_KEY_TEXT, AT(LyraJointDef, name), .meaning = "For probes, as that of a tie."},
    {"type", LY_KEY_WORD, AT(LyraJointDef, kind), .choices = "ball|hinge|slider|weld",
     .meaning = "Turns about a point; about an axis; the way along an axis; nothing is free."},
    {"body", LY_KEY_TEXT, AT(LyraJointDef, body), .required = true, .meaning = "What is joined."},
    {"to", LY_KEY_TEXT, AT(LyraJointDef, to),
     .meaning = "The body that it is joined to. Without, the world."},
    {"at", LY_KEY_VECTOR, AT(LyraJointDef, at), .unit = "m",
     .meaning = "Where, at rest, inside of the bodies or not."},
    {"axis", LY_KEY_VECTOR, AT(LyraJointDef, axis),
     .meaning = "Of a hinge, a slider and of `angle`."},
    {"span", LY_KEY_NUMBER, AT(LyraJointDef, span), .unit = "m", .range = LY_RANGE_POSITIVE,
     .shown_default = "by the body",
     .meaning = "From `at` to the points that hold turns. Without, a quarter of the diagonal of "
                "the body's box."},
    {"hard", LY_KEY_BOOL, AT(LyraJointDef, hard),
     .meaning = "Nothing but tolerances parts the points; if not, springs."},
    {"stiffness", LY_KEY_NUMBER, AT(LyraJointDef, stiffness), .unit = "N/m",
     .range = LY_RANGE_NOT_NEGATIVE, .shown_default = "of hard joints automatic",
     .meaning = "Of each point, as that of ties."},
    {"damping", LY_KEY_NUMBER, AT(LyraJointDef, damping), .unit = "N s/m",
     .range = LY_RANGE_NOT_NEGATIVE, .meaning = "Against relative motion, of each point."},
    {"angle", LY_KEY_CURVE, AT(LyraJointDef, angle), .unit = "rad",
     .meaning = "Turns the places of a weld to the world about the axis over time: a motor."},
};
PUBLIC_GROUP(ly_joint_keys, joint_keys, LyraJointDef, init_joint, "joints",
             "Joints between bodies, or bodies and the world: [ties](theory/ties.md).");

static const LyKey change_keys[] = {
    {"body", LY_KEY_TEXT, AT(LyraChangeDef, body),
     .meaning = "Its name. Without, all bodies. Not beside a path."},
    {"parameter", LY_KEY_TEXT, AT(LyraChangeDef, parameter),
     .meaning = "Path of a parameter, as `bodies.beam.material.young` or `damping.mass`; or in "
                "place of a path `young` or a parameter of the body's forces by name."},
    {"select", LY_KEY_GROUP, AT(LyraChangeDef, select), .pointer = true, .group = &ly_select_keys,
     .meaning = "Elements whose material changes. Without, all."},
    {"factor", LY_KEY_CURVE, AT(LyraChangeDef, factor), .pointer = true,
     .meaning = "Multiplies what it was, over time."},
    {"value", LY_KEY_CURVE, AT(LyraChangeDef, value), .pointer = true,
     .meaning = "What it is, in SI, over time, in place of `factor`."},
};
PUBLIC_GROUP(ly_change_keys, change_keys, LyraChangeDef, init_change, "changes",
             "Parameters that change with time: what holds in a step is the value at its end.");

static const LyKey damping_keys[] = {
    {"mass", LY_KEY_NUMBER, AT(LyraDamping, mass), .unit = "1/s", .range = LY_RANGE_NOT_NEGATIVE,
     .meaning = "alpha of alpha M.", .live = &ly_live_mass_damping},
    {"stiffness", LY_KEY_NUMBER, AT(LyraDamping, stiffness), .unit = "s",
     .range = LY_RANGE_NOT_NEGATIVE, .meaning = "beta of beta K.",
     .live = &ly_live_stiffness_damping},
    {"exact", LY_KEY_BOOL, AT(LyraDamping, exact), .meaning = "K as it is, indefinite or not."},
    {"laplacian", LY_KEY_NUMBER, AT(LyraDamping, laplacian), .unit = "N s/m",
     .range = LY_RANGE_NOT_NEGATIVE,
     .meaning = "Against differences of velocity between neighbours; with n_i and n_j neighbours "
                "(1/n_i + 1/n_j)/2 of it."},
};
PUBLIC_GROUP(ly_damping_keys, damping_keys, LyraDamping, NULL, "damping",
             "Rayleigh damping of everything.");
