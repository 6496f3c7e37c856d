// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Numbers over time: which of its forms a curve has, and its value with two derivatives.

#include "world/curve.h"

#include "base/number.h"
#include "base/scanner.h"
#include "world/keys.h"

#include <math.h>
#include <string.h>

LyraCurve lyra_curve_constant(double value)
{
    return (LyraCurve){.value = value};
}

LyraCurve lyra_curve_expression(const char *expression)
{
    return (LyraCurve){.expression = expression};
}

// ---- compiling ----------------------------------------------------------------------------------

static LyraStatus compile_expression(LyraArena *arena, LyraCurve *curve)
{
    const char *end, *bad;
    char *text = NULL, quote[LY_QUOTE_CHARS];
    LyExpression *compiled = NULL;
    size_t length = strlen(curve->expression);
    LY_TRY(ly_arena_allocate(arena, (int64_t)length + 1, 1, &text));
    memcpy(text, curve->expression, length);
    LY_TRY(ly_expression_parse(arena, text, &end, &bad, &compiled));
    if (*end) {
        return ly_fail(LYRA_BAD_FORMAT,
                       "found %s behind the expression \"%.80s\", expected its end",
                       ly_quote(quote, (LySlice){end, strlen(end)}), text);
    }
    curve->expression = text;
    curve->compiled = compiled;
    double first = ly_curve_at(curve, 0).value;
    if (!isfinite(first)) {
        return ly_fail(LYRA_BAD_FORMAT,
                       "found \"%.80s\", expected an expression that is finite at t = 0", text);
    }
    if (ly_expression_is_constant(compiled)) {
        *curve = lyra_curve_constant(first);
    }
    return LYRA_OK;
}

static LyraStatus copy_keys(LyraArena *arena, LyraCurve *curve)
{
    double *times = NULL, *values = NULL;
    if ((unsigned)curve->interpolation >= LYRA_INTERPOLATION_COUNT) {
        return ly_fail(LYRA_INVALID_ARGUMENT, "interpolation is %d, expected 0 to %d",
                       (int)curve->interpolation, LYRA_INTERPOLATION_COUNT - 1);
    }
    LY_TRY(ly_arena_allocate(arena, curve->key_count, sizeof *times, &times));
    LY_TRY(ly_arena_allocate(arena, curve->key_count, sizeof *values, &values));
    for (int32_t k = 0; k < curve->key_count; ++k) {
        times[k] = curve->times[k];
        values[k] = curve->values[k];
        if (!isfinite(times[k]) || !isfinite(values[k])) {
            return ly_fail(LYRA_NOT_FINITE, "key %d of a curve is not finite", (int)k);
        }
        if (k > 0 && times[k] <= times[k - 1]) {
            return ly_fail(LYRA_INVALID_ARGUMENT,
                           "found time %g after %g in a curve, expected times that ascend",
                           times[k], times[k - 1]);
        }
    }
    curve->times = times;
    curve->values = values;
    return LYRA_OK;
}

LyraStatus ly_curve_compile(LyraArena *arena, LyraCurve *curve)
{
    if (!isfinite(curve->value) || !isfinite(curve->scale)) {
        return ly_fail(LYRA_NOT_FINITE, "a curve is not finite");
    }
    if (curve->function) {
        return LYRA_OK;
    }
    if (!curve->expression &&
        (curve->key_count < 0 || (curve->key_count > 0 && (!curve->times || !curve->values)))) {
        return ly_fail(LYRA_INVALID_ARGUMENT,
                       "found a curve of %d keys without times and values, expected both",
                       (int)curve->key_count);
    }
    return curve->expression      ? compile_expression(arena, curve)
           : curve->key_count > 0 ? copy_keys(arena, curve)
                                  : LYRA_OK;
}

// ---- evaluating ---------------------------------------------------------------------------------

static LyraRates keys_at(const LyraCurve *curve, double t)
{
    int32_t last = curve->key_count - 1;
    if (t < curve->times[0] || last == 0) {
        return (LyraRates){curve->values[0], 0, 0};
    }
    if (t >= curve->times[last]) {
        return (LyraRates){curve->values[last], 0, 0};
    }
    // times[low] <= t < times[low + 1]
    int32_t low = 0, high = last;
    while (high - low > 1) {
        int32_t middle = low + (high - low) / 2;
        *(curve->times[middle] <= t ? &low : &high) = middle;
    }
    double span = curve->times[low + 1] - curve->times[low];
    double s = (t - curve->times[low]) / span;
    double from = curve->values[low], rise = curve->values[low + 1] - from;
    switch (curve->interpolation) {
    case LYRA_INTERPOLATE_SMOOTH:
        return (LyraRates){from + rise * s * s * (3 - 2 * s), rise * 6 * s * (1 - s) / span,
                           rise * (6 - 12 * s) / (span * span)};
    case LYRA_INTERPOLATE_STEP:
        return (LyraRates){from, 0, 0};
    default:
        return (LyraRates){from + rise * s, rise / span, 0};
    }
}

LyraRates ly_curve_at(const LyraCurve *curve, double t)
{
    if (curve->function) {
        return curve->function(curve->user, t);
    }
    if (!curve->compiled && curve->key_count == 0) {
        return (LyraRates){curve->value, 0, 0};
    }
    double scale = curve->scale == 0 ? 1 : curve->scale;
    LyraRates at = curve->compiled ? ly_expression_at(curve->compiled, t) : keys_at(curve, t);
    return (LyraRates){scale * at.value, scale * at.rate, scale * at.rate2};
}

bool ly_curve_is_constant(const LyraCurve *curve)
{
    return !curve->function && !curve->compiled && curve->key_count <= 1;
}

bool ly_curve_is_zero(const LyraCurve *curve)
{
    return ly_curve_is_constant(curve) && ly_curve_at(curve, 0).value == 0;
}
