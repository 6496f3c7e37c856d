// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Keys of obstacles.

#include "world/keys_rows.h"

static void init_obstacle(void *out)
{
    *(LyraObstacleDef *)out = lyra_obstacle_def_default();
}

static const LyKey pair_keys[] = {
    {"body", LY_KEY_TEXT, AT(LyraObstaclePair, body), .required = true, .meaning = "Its name."},
    {"friction", LY_KEY_NUMBER, AT(LyraObstaclePair, friction), .range = LY_RANGE_NOT_NEGATIVE,
     .required = true, .meaning = "Coefficient of Coulomb's friction with it."},
};
GROUP(pair, LyraObstaclePair, NULL, "pairs", "Friction with single bodies.");

static const LyKey obstacle_keys[] = {
    {"name", LY_KEY_TEXT, AT(LyraObstacleDef, name),
     .meaning = "Unique. Without, `obstacle1`, `obstacle2`, ..."},
    {"shape", LY_KEY_WORD, AT(LyraObstacleDef, shape), .required = true,
     .choices = "plane|sphere|capsule|box|cylinder|torus|height-field|mesh",
     .meaning = "What it is; a plane is all that is behind it."},
    {"body", LY_KEY_TEXT, AT(LyraObstacleDef, body),
     .meaning = "Body that it holds off. Without, all bodies."},
    {"point", LY_KEY_VECTOR, AT(LyraObstacleDef, point), .unit = "m",
     .meaning = "A point of a plane; centre of a sphere, box or torus; one end of the axis of a "
                "capsule or cylinder; where heights begin."},
    {"normal", LY_KEY_VECTOR, AT(LyraObstacleDef, normal),
     .meaning = "Of a plane, towards the bodies; axis of a torus."},
    {"end", LY_KEY_VECTOR, AT(LyraObstacleDef, end), .unit = "m",
     .meaning = "The other end of the axis of a capsule or cylinder."},
    {"radius", LY_KEY_NUMBER, AT(LyraObstacleDef, radius), .unit = "m", .range = LY_RANGE_POSITIVE,
     .meaning = "Of a sphere, capsule or cylinder; of the ring of a torus."},
    {"tube", LY_KEY_NUMBER, AT(LyraObstacleDef, tube), .unit = "m", .range = LY_RANGE_POSITIVE,
     .meaning = "Radius of the tube of a torus."},
    {"size", LY_KEY_SCALE, AT(LyraObstacleDef, size), .unit = "m", .meaning = "Edges of a box."},
    {"inside", LY_KEY_BOOL, AT(LyraObstacleDef, inside),
     .meaning = "Bodies are inside, as in a box or a pipe."},
    {"file", LY_KEY_TEXT, AT(LyraObstacleDef, file),
     .meaning = "Of a mesh: a closed surface of any format. Of a height field: an `.npy` array of "
                "heights along y in m, x runs fastest, then z."},
    {"spacing", LY_KEY_NUMBER, AT(LyraObstacleDef, spacing), .unit = "m",
     .range = LY_RANGE_POSITIVE, .meaning = "Between heights."},
    {"resolution", LY_KEY_INTEGER, AT(LyraObstacleDef, resolution), .range = LY_RANGE_POSITIVE,
     .meaning = "Of a mesh: cells of its distance field along its longest edge, 4 to 1024."},
    {"rotate", LY_KEY_GROUP, AT(LyraObstacleDef, rotate), .group = &ly_turn_keys,
     .meaning = "Turns it before all motion."},
    {"displacement", LY_KEY_CURVES, AT(LyraObstacleDef, displacement), .unit = "m",
     .meaning = "How far it is from its place, over time."},
    {"rotation", LY_KEY_GROUP, AT(LyraObstacleDef, rotation), .group = &ly_rotation_keys,
     .meaning = "Turns it over time, before the displacement."},
    {"friction", LY_KEY_NUMBER, AT(LyraObstacleDef, friction), .range = LY_RANGE_NOT_NEGATIVE,
     .meaning = "Coefficient of Coulomb's friction."},
    {"pairs", LY_KEY_LIST, LIST(LyraObstacleDef, pairs, pair_count), .group = &pair,
     .meaning = "Friction with single bodies, in its place."},
    {"slip", LY_KEY_NUMBER, AT(LyraObstacleDef, slip), .unit = "m/s", .range = LY_RANGE_POSITIVE,
     .meaning = "Speed up to which what sticks may creep."},
    {"distance", LY_KEY_NUMBER, AT(LyraObstacleDef, distance), .unit = "m",
     .range = LY_RANGE_POSITIVE, .shown_default = "by the body's mesh",
     .meaning = "At which it begins to push."},
    {"stiffness", LY_KEY_NUMBER, AT(LyraObstacleDef, stiffness), .unit = "Pa",
     .range = LY_RANGE_POSITIVE, .shown_default = "by the body's own",
     .meaning = "Of its push: the pressure at half the distance, nearly."},
    {"vertices", LY_KEY_WORD, AT(LyraObstacleDef, vertices), .choices = "surface|all",
     .meaning = "Which vertices it holds off; all for obstacles smaller than elements."},
    {"response", LY_KEY_WORD, AT(LyraObstacleDef, response),
     .choices = "barrier|penalty|relocate|constraint",
     .meaning =
         "How: never let in, pushed back in proportion to the depth, set on the surface, or held "
         "there by constraints."},
};
PUBLIC_GROUP(ly_obstacle_keys, obstacle_keys, LyraObstacleDef, init_obstacle, "obstacles",
             "What bodies do not enter: [obstacles](obstacles.md).");
