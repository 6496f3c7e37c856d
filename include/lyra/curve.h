// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

/// @file
/// Numbers over time: constants, expressions of t, values at times, or a function of yours.

#ifndef LYRA_CURVE_H
#define LYRA_CURVE_H

#include "lyra/base.h"

#ifdef __cplusplus
extern "C" {
#endif

/// A number at one time with its first two derivatives by time.
typedef struct LyraRates {
    double value, rate, rate2;
} LyraRates;

/// How a curve goes between its keys.
typedef enum LyraInterpolation {
    LYRA_INTERPOLATE_LINEAR = 0,
    LYRA_INTERPOLATE_SMOOTH, ///< 3 s^2 - 2 s^3: at rest at each key.
    LYRA_INTERPOLATE_STEP,   ///< The value of the key before.
    LYRA_INTERPOLATION_COUNT
} LyraInterpolation;

/// A number over time: `function` where given, else `expression`, else the keys, else `value`.
/// Zero-initialised it is the constant 0. Functions that take a curve copy it.
typedef struct LyraCurve {
    double value;           ///< The constant.
    const char *expression; ///< Of t, in s: "2 * sin(3*t)"; docs/scenes.md has the functions.
    double scale;           ///< Of an expression or of keys; 0 stands for 1.
    int32_t key_count;
    const double *times, *values; ///< Ascending times, s, and the values there, [key_count].
    LyraInterpolation interpolation;
    /// Called as a step begins and inside it, on the thread that steps. Its value must depend on
    /// `t` alone. Nullable.
    LyraRates (*function)(void *user, double t);
    void *user; ///< Handed to `function`; must outlive who takes the curve.
    const struct LyraExpression *compiled; ///< The library's own; NULL in a curve of yours.
} LyraCurve;

/// The curve of a constant.
LYRA_API LyraCurve lyra_curve_constant(double value);

/// The curve of an expression of t.
LYRA_API LyraCurve lyra_curve_expression(const char *expression);

#ifdef __cplusplus
}
#endif

#endif
