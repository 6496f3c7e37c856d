// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Curves of worlds: expressions compiled, and evaluation with derivatives.

#ifndef LY_WORLD_CURVE_H
#define LY_WORLD_CURVE_H

#include "base/base.h"
#include "lyra/curve.h"

/// An expression in postfix order: numbers, t, pi, + - * / ^, functions.
typedef struct LyraExpression LyExpression;

/// Reads an expression from the start of `text`; `end` is where it stops, in front of a unit or at
/// the end. On failure the sentence is in this thread's message, with `bad` at its place.
LyraStatus ly_expression_parse(LyraArena *arena, const char *text, const char **end,
                               const char **bad, LyExpression **out);

bool ly_expression_is_constant(const LyExpression *expression);

LyraRates ly_expression_at(const LyExpression *expression, double t);

/// Copies what a curve points to onto the arena and compiles its expression. Fails with a sentence
/// for times that do not ascend, numbers that are not finite, an expression that is none.
LyraStatus ly_curve_compile(LyraArena *arena, LyraCurve *curve);

/// Where a compiled curve is at a time.
LyraRates ly_curve_at(const LyraCurve *curve, double t);

bool ly_curve_is_constant(const LyraCurve *curve);

/// Constant and zero.
bool ly_curve_is_zero(const LyraCurve *curve);

#endif
