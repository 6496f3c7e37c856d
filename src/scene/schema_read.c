// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Reading by the table: each key of a mapping into its place in the group's struct, with defaults
// for those that are missing. What the table does not have is an error that names the nearest key.

#include "base/scanner.h"
#include "scene/schema.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define LIST_CHARS 400

// ---- ranges -------------------------------------------------------------------------------------

static const struct {
    double low, high;
    bool open; // the ends are out
    const char *text;
} ranges[LY_RANGE_COUNT] = {
    [LY_RANGE_ANY] = {-INFINITY, INFINITY, false, ""},
    [LY_RANGE_POSITIVE] = {0, INFINITY, true, "above 0"},
    [LY_RANGE_NOT_NEGATIVE] = {0, INFINITY, false, "not below 0"},
    [LY_RANGE_FRACTION] = {0, 1, false, "from 0 to 1"},
    [LY_RANGE_INSIDE] = {0, 1, true, "between 0 and 1"},
    [LY_RANGE_POISSON] = {-1, 0.5, true, "between -1 and 0.5"},
    [LY_RANGE_FIELD] = {0, 3.14159265358979323846, true, "between 0 and 180 deg"},
};

const char *ly_range_text(LyRange range)
{
    return ranges[range].text;
}

bool ly_range_holds(LyRange range, double value)
{
    return ranges[range].open ? value > ranges[range].low && value < ranges[range].high
                              : value >= ranges[range].low && value <= ranges[range].high;
}

static LyraStatus check_range(const LyNode *node, const LyKey *key, double value)
{
    return ly_range_holds(key->range, value)
               ? LYRA_OK
               : ly_node_expect(node, "a %snumber %s for %s",
                                key->kind == LY_KEY_INTEGER ? "whole " : "",
                                ly_range_text(key->range), key->name);
}

// ---- names --------------------------------------------------------------------------------------

// Levenshtein's distance of words up to 40 bytes; beyond, far.
static int32_t edit_distance(const char *a, const char *b)
{
    size_t m = strlen(a), n = strlen(b);
    if (m > 40 || n > 40) {
        return 100;
    }
    int32_t row[41];
    for (size_t j = 0; j <= n; ++j) {
        row[j] = (int32_t)j;
    }
    for (size_t i = 1; i <= m; ++i) {
        int32_t diagonal = row[0];
        row[0] = (int32_t)i;
        for (size_t j = 1; j <= n; ++j) {
            int32_t replaced = diagonal + (a[i - 1] != b[j - 1]);
            int32_t other = 1 + (row[j] < row[j - 1] ? row[j] : row[j - 1]);
            diagonal = row[j];
            row[j] = replaced < other ? replaced : other;
        }
    }
    return row[n];
}

// names one after another, to be listed or to find the nearest
typedef struct Names {
    char list[LIST_CHARS];
    const char *word, *nearest;
    int32_t distance;
} Names;

static void add_name(Names *names, const char *name)
{
    size_t used = strlen(names->list);
    snprintf(names->list + used, sizeof names->list - used, "%s%s", used ? ", " : "", name);
    int32_t distance = edit_distance(names->word, name);
    // a third of its letters may be wrong, two at least
    int32_t allowed = (int32_t)strlen(name) / 3;
    if (distance < names->distance && distance <= (allowed < 2 ? 2 : allowed)) {
        names->distance = distance;
        names->nearest = name;
    }
}

static LyraStatus refuse_key(const LyGroup *group, const LyNode *child)
{
    Names names = {.word = child->key, .distance = 100};
    for (int32_t k = 0; k < group->key_count; ++k) {
        add_name(&names, group->keys[k].name);
    }
    char quote[LY_QUOTE_CHARS];
    ly_quote(quote, (LySlice){child->key, strlen(child->key)});
    if (names.nearest) {
        return ly_key_fail(child, LYRA_BAD_FORMAT, "found key %s in %s, expected \"%s\" perhaps",
                           quote, group->name, names.nearest);
    }
    return ly_key_fail(child, LYRA_BAD_FORMAT, "found key %s in %s, expected one of: %s", quote,
                       group->name, names.list);
}

static LyraStatus refuse_word(const LyNode *node, const Names *names)
{
    if (names->nearest) {
        return ly_node_expect(node, "\"%s\" perhaps, or another of: %s", names->nearest,
                              names->list);
    }
    return ly_node_expect(node, "one of: %s", names->list);
}

// ---- values -------------------------------------------------------------------------------------

static const char *unit_of(const LyKey *key)
{
    return key->unit ? key->unit : "";
}

static LyraStatus want_scalar(const LyNode *node, const char *what)
{
    return node->kind == LY_NODE_SCALAR && !ly_node_is_null(node)
               ? LYRA_OK
               : ly_node_expect(node, "%s", what);
}

static LyraStatus read_integer_value(const LyNode *node, const char *name, int64_t *value)
{
    char what[120];
    snprintf(what, sizeof what, "a whole number for %s", name);
    LY_TRY(want_scalar(node, what));
    const char *end = node->text + strlen(node->text);
    int64_t number;
    const char *stop = ly_parse_int64(node->text, end, &number);
    if (!stop || stop != end) {
        return ly_node_expect(node, "%s", what);
    }
    *value = number;
    return LYRA_OK;
}

static LyraStatus read_bool(const LyNode *node, const LyKey *key, bool *value)
{
    LY_TRY(want_scalar(node, "true or false"));
    bool yes = strcmp(node->text, "true") == 0;
    if (!yes && strcmp(node->text, "false") != 0) {
        return ly_node_expect(node, "true or false for %s", key->name);
    }
    *value = yes;
    return LYRA_OK;
}

static LyraStatus read_word(const LyNode *node, const LyKey *key, int32_t *value)
{
    char what[120];
    snprintf(what, sizeof what, "a word for %s", key->name);
    LY_TRY(want_scalar(node, what));
    Names names = {.word = node->text, .distance = 100};
    int32_t index = 0;
    for (const char *at = key->choices; *at; ++index) {
        size_t length = strcspn(at, "|");
        if (strlen(node->text) == length && memcmp(node->text, at, length) == 0) {
            *value = index;
            return LYRA_OK;
        }
        at += length + (at[length] == '|');
    }
    // the words as strings of their own, for the message
    char words[LIST_CHARS];
    snprintf(words, sizeof words, "%s", key->choices);
    for (char *at = words; at;) {
        char *bar = strchr(at, '|');
        if (bar) {
            *bar = 0;
        }
        add_name(&names, at);
        at = bar ? bar + 1 : NULL;
    }
    return refuse_word(node, &names);
}

static LyraStatus read_name(const LyNode *node, const LyKey *key, const char **value)
{
    char what[120];
    snprintf(what, sizeof what, "a name for %s", key->name);
    LY_TRY(want_scalar(node, what));
    Names names = {.word = node->text, .distance = 100};
    const char *name;
    for (int32_t i = 0; (name = key->choice(i)) != NULL; ++i) {
        if (strcmp(name, node->text) == 0) {
            *value = name;
            return LYRA_OK;
        }
        add_name(&names, name);
    }
    return refuse_word(node, &names);
}

static LyraStatus read_vector(LyraArena *arena, const LyNode *node, const LyKey *key,
                              double value[3])
{
    if (key->kind == LY_KEY_SCALE && node->kind == LY_NODE_SCALAR) {
        LY_TRY(ly_node_number(arena, node, unit_of(key), &value[0]));
        value[1] = value[2] = value[0];
        return check_range(node, key, value[0]);
    }
    if (node->kind != LY_NODE_SEQUENCE || node->count != 3) {
        return ly_node_expect(node, "%sthree numbers [x, y, z] for %s",
                              key->kind == LY_KEY_SCALE ? "a number or " : "", key->name);
    }
    int i = 0;
    for (const LyNode *item = node->first; item; item = item->next, ++i) {
        LY_TRY(ly_node_number(arena, item, unit_of(key), &value[i]));
        LY_TRY(check_range(item, key, value[i]));
    }
    return LYRA_OK;
}

static LyraStatus read_integers(LyraArena *arena, const LyNode *node, const LyKey *key,
                                LyIntegers *out)
{
    if (node->kind != LY_NODE_SEQUENCE) {
        return ly_node_expect(node, "a list of whole numbers for %s", key->name);
    }
    int32_t *values = NULL;
    LY_TRY(ly_tree_allocate(arena, node->count, sizeof *values, &values));
    int32_t count = 0;
    for (const LyNode *item = node->first; item; item = item->next) {
        int64_t value;
        LY_TRY(read_integer_value(item, key->name, &value));
        if (value < 0 || value > INT32_MAX) {
            return ly_node_expect(item, "a whole number from 0 to 2147483647 for %s", key->name);
        }
        values[count++] = (int32_t)value;
    }
    *out = (LyIntegers){count, values};
    return LYRA_OK;
}

static LyraStatus read_axes(const LyNode *node, int32_t *value)
{
    static const char what[] = "letters of xyz, as in xy";
    LY_TRY(want_scalar(node, what));
    int32_t axes = 0;
    for (const char *at = node->text; *at; ++at) {
        int32_t bit = *at >= 'x' && *at <= 'z' ? 1 << (*at - 'x') : 0;
        if (!bit || (axes & bit)) {
            return ly_node_expect(node, "%s", what);
        }
        axes |= bit;
    }
    *value = axes;
    return LYRA_OK;
}

static LyraStatus read_named(LyraArena *arena, const LyNode *node, const LyKey *key,
                             LyNamedNumbers *out)
{
    if (node->kind != LY_NODE_MAPPING) {
        return ly_node_expect(node, "names with numbers for %s", key->name);
    }
    LyNamedNumber *items = NULL;
    LY_TRY(ly_tree_allocate(arena, node->count, sizeof *items, &items));
    int32_t count = 0;
    for (const LyNode *child = node->first; child; child = child->next) {
        items[count] = (LyNamedNumber){.name = child->key, .node = child};
        LY_TRY(ly_node_number(arena, child, "", &items[count].value));
        ++count;
    }
    *out = (LyNamedNumbers){count, items};
    return LYRA_OK;
}

// ---- curves -------------------------------------------------------------------------------------

// Keys of a curve: `times`, `values` with `width` numbers each, `interpolation`.
static LyraStatus read_keys(LyraArena *arena, const LyNode *node, const LyKey *key, int32_t width,
                            LyCurve *curves)
{
    static const LyKey interpolation = {.name = "interpolation", .choices = "linear|smooth|step"};
    static const LyKey keys[] = {{.name = "times"}, {.name = "values"}, {.name = "interpolation"}};
    static const LyGroup group = {.name = "a curve", .key_count = 3, .keys = keys};
    const LyNode *times = ly_node_find(node, "times"), *values = ly_node_find(node, "values");
    for (const LyNode *child = node->first; child; child = child->next) {
        if (child != times && child != values && strcmp(child->key, "interpolation") != 0) {
            return refuse_key(&group, child);
        }
    }
    if (!times || !values) {
        return ly_node_expect(node, "times and values for %s", key->name);
    }
    if (times->kind != LY_NODE_SEQUENCE || times->count == 0) {
        return ly_node_expect(times, "a list of times, at least one");
    }
    if (values->kind != LY_NODE_SEQUENCE || values->count != times->count) {
        return ly_node_expect(values, "a list of %d values, one for each time", (int)times->count);
    }
    double *t = NULL, *v = NULL;
    int32_t count = times->count, mode = 0;
    LY_TRY(ly_tree_allocate(arena, count, sizeof *t, &t));
    LY_TRY(ly_tree_allocate(arena, (int64_t)width * count, sizeof *v, &v));
    int32_t i = 0;
    for (const LyNode *item = times->first; item; item = item->next, ++i) {
        LY_TRY(ly_node_number(arena, item, "s", &t[i]));
        if (i > 0 && t[i] <= t[i - 1]) {
            return ly_node_expect(item, "a time after the one before it");
        }
    }
    i = 0;
    const LyKey vector = {.name = key->name, .kind = LY_KEY_VECTOR, .unit = key->unit};
    for (const LyNode *item = values->first; item; item = item->next, ++i) {
        double value[3];
        if (width == 3) {
            LY_TRY(read_vector(arena, item, &vector, value));
        } else {
            LY_TRY(ly_node_number(arena, item, unit_of(key), value));
            LY_TRY(check_range(item, key, value[0]));
        }
        for (int32_t c = 0; c < width; ++c) {
            v[(int64_t)c * count + i] = value[c];
        }
    }
    const LyNode *word = ly_node_find(node, "interpolation");
    if (word) {
        LY_TRY(read_word(word, &interpolation, &mode));
    }
    for (int32_t c = 0; c < width; ++c) {
        curves[c] = (LyCurve){.scale = 1,
                              .key_count = count,
                              .times = t,
                              .values = v + (int64_t)c * count,
                              .interpolation = (LyInterpolation)mode};
    }
    return LYRA_OK;
}

static LyraStatus read_curve(LyraArena *arena, const LyNode *node, const LyKey *key, LyCurve *curve)
{
    if (node->kind == LY_NODE_MAPPING) {
        return read_keys(arena, node, key, 1, curve);
    }
    LY_TRY(ly_node_curve(arena, node, unit_of(key), curve));
    return check_range(node, key, ly_curve_at(curve, 0).value);
}

static LyraStatus read_curves(LyraArena *arena, const LyNode *node, const LyKey *key,
                              LyCurves *curves)
{
    if (node->kind == LY_NODE_MAPPING) {
        return read_keys(arena, node, key, 3, curves->axis);
    }
    if (node->kind != LY_NODE_SEQUENCE || node->count != 3) {
        return ly_node_expect(node,
                              "three numbers or expressions [x, y, z], or times and values, "
                              "for %s",
                              key->name);
    }
    int i = 0;
    for (const LyNode *item = node->first; item; item = item->next, ++i) {
        LY_TRY(ly_node_curve(arena, item, unit_of(key), &curves->axis[i]));
    }
    return LYRA_OK;
}

// ---- groups -------------------------------------------------------------------------------------

static LyraStatus read_list(LyraArena *arena, const LyNode *node, const LyKey *key, LyList *out)
{
    if (node->kind != LY_NODE_SEQUENCE || (key->required && node->count == 0)) {
        return ly_node_expect(node, "a list for %s%s", key->name,
                              key->required ? ", with at least one item" : "");
    }
    char *items = NULL;
    LY_TRY(ly_tree_allocate(arena, node->count, key->group->size, &items));
    int32_t count = 0;
    for (const LyNode *item = node->first; item; item = item->next) {
        if (item->kind != LY_NODE_MAPPING) {
            return ly_node_expect(item, "keys with values for an item of %s", key->name);
        }
        LY_TRY(ly_schema_read(arena, key->group, item, items + (size_t)count * key->group->size));
        ++count;
    }
    *out = (LyList){count, items};
    return LYRA_OK;
}

static LyraStatus read_value(LyraArena *arena, const LyNode *node, const LyKey *key, void *place)
{
    switch (key->kind) {
    case LY_KEY_NUMBER:
        LY_TRY(ly_node_number(arena, node, unit_of(key), place));
        return check_range(node, key, *(double *)place);
    case LY_KEY_INTEGER:
        LY_TRY(read_integer_value(node, key->name, place));
        return check_range(node, key, (double)*(int64_t *)place);
    case LY_KEY_BOOL:
        return read_bool(node, key, place);
    case LY_KEY_WORD:
        return read_word(node, key, place);
    case LY_KEY_NAME:
        return read_name(node, key, place);
    case LY_KEY_TEXT:
        LY_TRY(want_scalar(node, "a text"));
        *(const char **)place = node->text;
        return LYRA_OK;
    case LY_KEY_VECTOR:
    case LY_KEY_SCALE:
        return read_vector(arena, node, key, place);
    case LY_KEY_CURVE:
        return read_curve(arena, node, key, place);
    case LY_KEY_CURVES:
        return read_curves(arena, node, key, place);
    case LY_KEY_INTEGERS:
        return read_integers(arena, node, key, place);
    case LY_KEY_AXES:
        return read_axes(node, place);
    case LY_KEY_NAMED:
        return read_named(arena, node, key, place);
    case LY_KEY_GROUP:
        return ly_schema_read(arena, key->group, node, place);
    default:
        return read_list(arena, node, key, place);
    }
}

// keys of one `type` where another is chosen
static LyraStatus check_only(const LyGroup *group, const LyNode *node, const void *out)
{
    const LyKey *type = &group->keys[0];
    for (int32_t k = 1; k < group->key_count; ++k) {
        const LyKey *key = &group->keys[k];
        const LyNode *child = key->only ? ly_node_find(node, key->name) : NULL;
        if (!child) {
            continue;
        }
        // the word that was chosen, and whether it is one of those that the key is for
        const char *word = type->choices;
        for (int32_t i = *(const int32_t *)((const char *)out + type->offset); i > 0; --i) {
            word = strchr(word, '|') + 1;
        }
        size_t length = strcspn(word, "|");
        bool meant = false;
        for (const char *at = key->only; at; at = strchr(at, '|') ? strchr(at, '|') + 1 : NULL) {
            meant |= strcspn(at, "|") == length && memcmp(at, word, length) == 0;
        }
        if (!meant) {
            return ly_key_fail(child, LYRA_BAD_FORMAT,
                               "found key \"%s\" in %s of type %.*s, expected it with type %s only",
                               key->name, group->name, (int)length, word, key->only);
        }
    }
    return LYRA_OK;
}

static LyraStatus read_key(LyraArena *arena, const LyGroup *group, const LyKey *key,
                           const LyNode *node, void *place)
{
    LyNode *child = ly_node_find(node, key->name);
    if (child && !ly_node_is_null(child)) {
        return read_value(arena, child, key, place);
    }
    if (key->required && node) {
        return ly_node_fail(node, LYRA_BAD_FORMAT, "found no key \"%s\" in %s, expected one",
                            key->name, group->name);
    }
    if (key->kind == LY_KEY_GROUP) {
        return ly_schema_read(arena, key->group, NULL, place);
    }
    if (key->fallback) {
        LyNode *made = NULL;
        LY_TRY(ly_tree_parse(arena, "default", key->fallback, strlen(key->fallback), &made));
        return read_value(arena, made, key, place);
    }
    return LYRA_OK;
}

LyraStatus ly_schema_read(LyraArena *arena, const LyGroup *group, const LyNode *node, void *out)
{
    if (node && node->kind != LY_NODE_MAPPING) {
        return ly_node_expect(node, "keys with values for %s", group->name);
    }
    *(const LyNode **)out = node;
    for (const LyNode *child = node ? node->first : NULL; child; child = child->next) {
        int32_t k = 0;
        for (; k < group->key_count && strcmp(group->keys[k].name, child->key) != 0; ++k) {
        }
        if (k == group->key_count) {
            return refuse_key(group, child);
        }
    }
    for (int32_t k = 0; k < group->key_count; ++k) {
        const LyKey *key = &group->keys[k];
        LY_TRY(read_key(arena, group, key, node, (char *)out + key->offset));
    }
    return check_only(group, node, out);
}

bool ly_schema_says(const void *group, const char *key)
{
    const LyNode *child = ly_node_find(*(const LyNode *const *)group, key);
    return child && !ly_node_is_null(child);
}
