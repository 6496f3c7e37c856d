// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Numbers and curves over time from text: an expression, and a unit behind it.

#include "scene/numbers.h"

#include "base/scanner.h"
#include "world/curve.h"
#include "world/keys.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

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

// what a scalar says: `value` at t = 0 and `size` of the unit behind [text, end)
typedef struct Reading {
    double value, size;
    bool constant;
    const char *end;
} Reading;

static LyraStatus read_expression(LyraArena *arena, const LyNode *node, const char *unit,
                                  Reading *out)
{
    if (node->kind != LY_NODE_SCALAR || ly_node_is_null(node)) {
        return ly_node_expect(node, "a number%s%s", *unit ? " in " : "", unit);
    }
    const char *bad;
    LyExpression *expression;
    LyraStatus status = ly_expression_parse(arena, node->text, &out->end, &bad, &expression);
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
    out->constant = ly_expression_is_constant(expression);
    LY_TRY(read_unit(node, out->end, unit, &out->size));
    out->value = out->size * ly_expression_at(expression, 0).value;
    return LYRA_OK;
}

LyraStatus ly_node_number(LyraArena *arena, const LyNode *node, const char *unit, double *value)
{
    Reading reading;
    LY_TRY(read_expression(arena, node, unit, &reading));
    if (!reading.constant) {
        return ly_node_expect(node, "a number that does not change with t");
    }
    if (!isfinite(reading.value)) {
        return ly_node_expect(node, "a finite number in %s", describe_unit(unit));
    }
    *value = reading.value;
    return LYRA_OK;
}

LyraStatus ly_node_curve(LyraArena *arena, const LyNode *node, const char *unit, LyraCurve *curve,
                         double *first)
{
    Reading reading;
    char *text = NULL;
    LY_TRY(read_expression(arena, node, unit, &reading));
    if (!isfinite(reading.value)) {
        return ly_node_expect(node, "an expression that is finite at t = 0");
    }
    *first = reading.value;
    if (reading.constant) {
        *curve = lyra_curve_constant(reading.value);
        return LYRA_OK;
    }
    // without its unit
    size_t length = (size_t)(reading.end - node->text);
    LY_TRY(ly_arena_allocate(arena, (int64_t)length + 1, 1, &text));
    memcpy(text, node->text, length);
    *curve = (LyraCurve){.expression = text, .scale = reading.size};
    return LYRA_OK;
}
