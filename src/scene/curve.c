// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Numbers with units, and curves over time: expressions or keys.

#include "scene/curve.h"

#include "base/scanner.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// ---- evaluating ---------------------------------------------------------------------------------

static LyJet keys_at(const LyCurve *curve, double t)
{
    int32_t last = curve->key_count - 1;
    if (t < curve->times[0] || last == 0) {
        return (LyJet){curve->values[0], 0, 0};
    }
    if (t >= curve->times[last]) {
        return (LyJet){curve->values[last], 0, 0};
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
    case LY_INTERPOLATE_SMOOTH:
        return (LyJet){from + rise * s * s * (3 - 2 * s), rise * 6 * s * (1 - s) / span,
                       rise * (6 - 12 * s) / (span * span)};
    case LY_INTERPOLATE_STEP:
        return (LyJet){from, 0, 0};
    default:
        return (LyJet){from + rise * s, rise / span, 0};
    }
}

LyJet ly_curve_at(const LyCurve *curve, double t)
{
    LyJet jet = curve->expression  ? ly_expression_at(curve->expression, t)
                : curve->key_count ? keys_at(curve, t)
                                   : (LyJet){curve->constant, 0, 0};
    return (LyJet){curve->scale * jet.value, curve->scale * jet.rate, curve->scale * jet.rate2};
}

bool ly_curve_is_constant(const LyCurve *curve)
{
    return !curve->expression && curve->key_count <= 1;
}

// ---- reading ------------------------------------------------------------------------------------

// Fails with the sentence about a place in a scalar: columns are right for plain ones on one line.
static LyraStatus fail_inside(const LyNode *node, const char *at, const char *sentence)
{
    LyNode place = *node;
    place.column += (int32_t)(at - node->text) + node->quoted;
    char quote[LY_QUOTE_CHARS];
    if (*at == 0) {
        return ly_node_fail(&place, LYRA_BAD_FORMAT, "found the end of \"%.80s\", %s", node->text,
                            sentence);
    }
    return ly_node_fail(&place, LYRA_BAD_FORMAT, "found %s, %s",
                        ly_quote(quote, (LySlice){at, strlen(at)}), sentence);
}

static const char *describe_unit(const char *unit)
{
    return *unit ? unit : "1";
}

// the unit behind an expression: its size, which is 1 where there is none
static LyraStatus read_unit(const LyNode *node, const char *text, const char *wanted, double *size)
{
    *size = 1;
    if (*text == 0) {
        return LYRA_OK;
    }
    LyDimension found, expected = {{0}};
    double one;
    const char *bad = text;
    if (!ly_unit_parse(text, text + strlen(text), &found, size, &bad)) {
        char sentence[120];
        snprintf(sentence, sizeof sentence, "expected a unit as %s%s",
                 *wanted ? wanted : "%, or nothing more", *wanted ? ", or nothing more" : "");
        return fail_inside(node, bad, sentence);
    }
    if (*wanted) {
        (void)ly_unit_parse(wanted, wanted + strlen(wanted), &expected, &one, &bad);
    }
    if (memcmp(&found, &expected, sizeof found) != 0) {
        return *wanted ? ly_node_expect(node, "a number in %s or a unit of its kind", wanted)
                       : ly_node_expect(node, "a number without a unit");
    }
    return LYRA_OK;
}

static LyraStatus read_expression(LyraArena *arena, const LyNode *node, const char *unit,
                                  LyExpression **expression, double *size)
{
    if (node->kind != LY_NODE_SCALAR || ly_node_is_null(node)) {
        return ly_node_expect(node, "a number%s%s", *unit ? " in " : "", unit);
    }
    const char *end, *bad;
    LyraStatus status = ly_expression_parse(arena, node->text, &end, &bad, expression);
    if (status == LYRA_OUT_OF_MEMORY) {
        return status;
    }
    if (status != LYRA_OK) {
        char sentence[300];
        if (bad == node->text) {
            // not even the beginning of a number
            return ly_node_expect(node, "a number%s%s", *unit ? " in " : "", unit);
        }
        snprintf(sentence, sizeof sentence, "%s", lyra_error_message());
        return fail_inside(node, bad, sentence);
    }
    return read_unit(node, end, unit, size);
}

LyraStatus ly_node_number(LyraArena *arena, const LyNode *node, const char *unit, double *value)
{
    LyExpression *expression;
    double size;
    LY_TRY(read_expression(arena, node, unit, &expression, &size));
    if (!ly_expression_is_constant(expression)) {
        return ly_node_expect(node, "a number that does not change with t");
    }
    double number = size * ly_expression_at(expression, 0).value;
    if (!isfinite(number)) {
        return ly_node_expect(node, "a finite number in %s", describe_unit(unit));
    }
    *value = number;
    return LYRA_OK;
}

LyraStatus ly_node_curve(LyraArena *arena, const LyNode *node, const char *unit, LyCurve *curve)
{
    LyExpression *expression;
    double size;
    LY_TRY(read_expression(arena, node, unit, &expression, &size));
    *curve = (LyCurve){.scale = size, .expression = expression};
    double first = ly_curve_at(curve, 0).value;
    if (!isfinite(first)) {
        return ly_node_expect(node, "an expression that is finite at t = 0");
    }
    if (ly_expression_is_constant(expression)) {
        *curve = (LyCurve){.scale = 1, .constant = first};
    }
    return LYRA_OK;
}
