// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Numbers of a scene: expressions with units.

#ifndef LY_SCENE_NUMBERS_H
#define LY_SCENE_NUMBERS_H

#include "lyra/curve.h"
#include "scene/tree.h"

/// Powers of metre, kilogram, second and radian.
typedef struct LyDimension {
    int8_t power[4];
} LyDimension;

/// Reads a unit such as "MPa", "kg/m^3", "N s/m" from [text, end): its dimension, and its size in
/// SI. False, with `bad` at the part that is none, if it is no unit.
bool ly_unit_parse(const char *text, const char *end, LyDimension *dimension, double *size,
                   const char **bad);

/// A constant number from a scalar: an expression without t, and a unit. `unit` is what is expected
/// ("" for a plain number); a number without a unit is in SI.
LyraStatus ly_node_number(LyraArena *arena, const LyNode *node, const char *unit, double *value);

/// A curve from a scalar: an expression of t, and a unit. `first`: its value at t = 0.
LyraStatus ly_node_curve(LyraArena *arena, const LyNode *node, const char *unit, LyraCurve *curve,
                         double *first);

#endif
