// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Numbers of a scene: with units, by expressions, and as curves over time with their derivatives.

#ifndef LY_SCENE_CURVE_H
#define LY_SCENE_CURVE_H

#include "scene/tree.h"

// ---- units --------------------------------------------------------------------------------------

/// Powers of metre, kilogram, second and radian.
typedef struct LyDimension {
    int8_t power[4];
} LyDimension;

/// Reads a unit such as "MPa", "kg/m^3", "N s/m" from [text, end): its dimension, and its size in
/// SI. False, with `bad` at the part that is none, if it is no unit.
bool ly_unit_parse(const char *text, const char *end, LyDimension *dimension, double *size,
                   const char **bad);

// ---- expressions --------------------------------------------------------------------------------

/// A function of t and its first two derivatives.
typedef struct LyJet {
    double value, rate, rate2;
} LyJet;

/// An expression in postfix order: numbers, t, pi, + - * / ^, functions.
typedef struct LyExpression LyExpression;

/// Reads an expression from the start of `text`; `end` is where it stops, in front of a unit or at
/// the end. On failure the sentence is in this thread's message, with `bad` at its place.
LyraStatus ly_expression_parse(LyraArena *arena, const char *text, const char **end,
                               const char **bad, LyExpression **out);

bool ly_expression_is_constant(const LyExpression *expression);

LyJet ly_expression_at(const LyExpression *expression, double t);

// ---- curves -------------------------------------------------------------------------------------

typedef enum LyInterpolation {
    LY_INTERPOLATE_LINEAR = 0,
    LY_INTERPOLATE_SMOOTH, // 3 s^2 - 2 s^3 between keys: at rest at each of them
    LY_INTERPOLATE_STEP,   // the value of the key before
} LyInterpolation;

/// A number over time: constant, an expression, or values at times. All memory is the arena's.
typedef struct LyCurve {
    double scale;                   // of all that follows
    const LyExpression *expression; // NULL: keys
    int32_t key_count;              // 0 with no expression: constant
    const double *times, *values;
    LyInterpolation interpolation;
    double constant;
} LyCurve;

LyJet ly_curve_at(const LyCurve *curve, double t);
bool ly_curve_is_constant(const LyCurve *curve);

/// A constant number from a scalar: an expression without t, and a unit. `unit` is what is expected
/// ("" for a plain number); a number without a unit is in SI.
LyraStatus ly_node_number(LyraArena *arena, const LyNode *node, const char *unit, double *value);

/// A curve from a scalar: an expression of t, and a unit.
LyraStatus ly_node_curve(LyraArena *arena, const LyNode *node, const char *unit, LyCurve *curve);

#endif
