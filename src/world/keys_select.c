// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Keys of selectors.

#include "world/keys_rows.h"

#include <math.h>

static void init_normal(void *out)
{
    *(LyraSelectNormal *)out = (LyraSelectNormal){.angle = 0.52359877559829887};
}

static void init_near(void *out)
{
    *(LyraSelectNear *)out = (LyraSelectNear){.distance = NAN};
}

static void init_select(void *out)
{
    *(LyraSelector *)out = lyra_selector_default();
}

static const LyKey box_keys[] = {
    {"min", LY_KEY_VECTOR, AT(LyraSelectBox, min), .unit = "m", .required = true,
     .meaning = "Low corner."},
    {"max", LY_KEY_VECTOR, AT(LyraSelectBox, max), .unit = "m", .required = true,
     .meaning = "High corner."},
};
GROUP(box, LyraSelectBox, NULL, "box", "Points in an axis-aligned box, its faces included.");

static const LyKey sphere_keys[] = {
    {"center", LY_KEY_VECTOR, AT(LyraSelectSphere, center), .unit = "m", .meaning = "Its centre."},
    {"radius", LY_KEY_NUMBER, AT(LyraSelectSphere, radius), .unit = "m", .range = LY_RANGE_POSITIVE,
     .required = true, .meaning = "Its radius."},
};
GROUP(sphere, LyraSelectSphere, NULL, "sphere", "Points in a ball, its surface included.");

static const LyKey half_space_keys[] = {
    {"point", LY_KEY_VECTOR, AT(LyraSelectHalfSpace, point), .unit = "m",
     .meaning = "A point of the plane."},
    {"normal", LY_KEY_VECTOR, AT(LyraSelectHalfSpace, normal), .required = true,
     .meaning = "Points on the side it points to are in, and those of the plane."},
};
GROUP(half_space, LyraSelectHalfSpace, NULL, "half-space", "Points on one side of a plane.");

static const LyKey normal_keys[] = {
    {"direction", LY_KEY_VECTOR, AT(LyraSelectNormal, direction), .required = true,
     .meaning = "Direction of the normals."},
    {"angle", LY_KEY_NUMBER, AT(LyraSelectNormal, angle), .unit = "rad", .shown_default = "30 deg",
     .range = LY_RANGE_ANGLE, .meaning = "Largest angle to it."},
};
GROUP(normal, LyraSelectNormal, init_normal, "normal",
      "Vertices of the surface whose normal (the mean of the faces around) has a direction; for "
      "faces, their own normal.");

static const LyKey near_keys[] = {
    {"point", LY_KEY_VECTOR, AT(LyraSelectNear, point), .unit = "m", .required = true,
     .meaning = "A place."},
    {"distance", LY_KEY_NUMBER, AT(LyraSelectNear, distance), .unit = "m",
     .range = LY_RANGE_NOT_NEGATIVE, .meaning = "How far from it they are at most."},
    {"count", LY_KEY_INTEGER, AT(LyraSelectNear, count), .range = LY_RANGE_POSITIVE,
     .meaning = "In place of `distance`: the nearest ones, so many of those that meet all else."},
};
GROUP(near, LyraSelectNear, init_near, "near",
      "Points near a place. Of two at one distance the first counts.");

static const LyKey select_group_keys[] = {
    {"all", LY_KEY_BOOL, AT(LyraSelector, all), .meaning = "All vertices."},
    {"vertices", LY_KEY_INTEGERS, LIST(LyraSelector, vertices, vertex_count),
     .meaning = "Numbers of vertices, from 0, in the order of the mesh."},
    {"file", LY_KEY_TEXT, AT(LyraSelector, file),
     .meaning = "Numbers of vertices in a `.bou` file."},
    {"first", LY_KEY_INTEGER, AT(LyraSelector, first),
     .meaning = "What stands for the first vertex in `file`."},
    {"set", LY_KEY_TEXT, AT(LyraSelector, set),
     .meaning = "A set of the mesh, of vertices, faces or elements: its vertices. Faces are "
                "selected by a set of faces as they are, elements by sets of elements alone."},
    {"box", LY_KEY_GROUP, AT(LyraSelector, box), .pointer = true, .group = &box,
     .meaning = "Points in a box."},
    {"sphere", LY_KEY_GROUP, AT(LyraSelector, sphere), .pointer = true, .group = &sphere,
     .meaning = "Points in a ball."},
    {"half-space", LY_KEY_GROUP, AT(LyraSelector, half_space), .pointer = true,
     .group = &half_space, .meaning = "Points on one side of a plane."},
    {"near", LY_KEY_GROUP, AT(LyraSelector, near), .pointer = true, .group = &near,
     .meaning = "Points near a place."},
    {"component", LY_KEY_INTEGER, AT(LyraSelector, component), .range = LY_RANGE_NOT_NEGATIVE,
     .meaning = "A part of the body that shares no vertex with the rest, from 0, numbered by their "
                "first elements."},
    {"component-at", LY_KEY_VECTOR, AT(LyraSelector, component_at), .pointer = true, .unit = "m",
     .meaning = "The part whose element is at this place, or nearest to it."},
    {"surface", LY_KEY_WORD, AT(LyraSelector, surface), .choices = "false|true|inner|outer",
     .meaning =
         "Vertices of the surface; `inner`: of the walls of cavities, `outer`: of the rest."},
    {"normal", LY_KEY_GROUP, AT(LyraSelector, normal), .pointer = true, .group = &normal,
     .meaning = "Parts of the surface, by their normals."},
    {"invert", LY_KEY_BOOL, AT(LyraSelector, invert), .meaning = "What was not selected."},
};
PUBLIC_GROUP(
    ly_select_keys, select_group_keys, LyraSelector, init_select, "select",
    "Which vertices, faces or elements: those that meet all that is said. Places are those at "
    "rest, after `transform`. A face is in if all its vertices are, an element if its centre "
    "is.");
