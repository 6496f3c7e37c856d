// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Reading by the tables of keys: each key of a mapping into its place in the group's struct, over
// the defaults. What the table does not have is an error that names the nearest key.

#include "scene/spec.h"

#include "base/choices.h"
#include "base/scanner.h"
#include "scene/numbers.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static LyraStatus check_range(const LyNode *node, const LyKey *key, double value)
{
    return ly_range_holds(key->range, value)
               ? LYRA_OK
               : ly_node_expect(node, "a %snumber %s for %s",
                                key->kind == LY_KEY_INTEGER ? "whole " : "",
                                ly_range_text(key->range), key->name);
}

// ---- names --------------------------------------------------------------------------------------

// The one group within another that has a key of that name. `homes`: how many there are.
static const LyGroup *find_home(const LyGroup *group, const char *name, const LyGroup *found,
                                int32_t *homes)
{
    for (int32_t k = 0; k < group->key_count; ++k) {
        const LyKey *key = &group->keys[k];
        if (strcmp(key->name, name) == 0 && group != found) {
            found = group;
            ++*homes;
        }
        found = key->group ? find_home(key->group, name, found, homes) : found;
    }
    return found;
}

static LyraStatus refuse_key(const LyGroup *group, const LyNode *child)
{
    LyKey keys[LY_SCENE_KEYS_MAX];
    LyGroup scene = ly_scene_keys(keys);
    int32_t homes = 0;
    const LyGroup *home = find_home(&scene, child->key, NULL, &homes);
    LyChoices names = {.word = child->key};
    for (int32_t k = 0; k < group->key_count; ++k) {
        ly_choices_add(&names, group->keys[k].name);
    }
    char quote[LY_QUOTE_CHARS], expected[2 * LY_CHOICES_CHARS];
    ly_quote(quote, (LySlice){child->key, strlen(child->key)});
    // the page has the list; here it is for those who are far off
    snprintf(expected, sizeof expected, "\"%s\" perhaps", names.nearest ? names.nearest : "");
    if (homes == 1 && !names.nearest) {
        return ly_key_fail(child, LYRA_BAD_FORMAT, "found key %s in %s, expected it in %s", quote,
                           group->name, home->name);
    }
    return ly_key_fail(child, LYRA_BAD_FORMAT, "found key %s in %s, expected %s", quote,
                       group->name,
                       names.nearest ? expected : ly_choices_expected(&names, "none", expected));
}

static LyraStatus refuse_word(const LyNode *node, const LyChoices *names)
{
    char expected[2 * LY_CHOICES_CHARS];
    return ly_node_expect(node, "%s", ly_choices_expected(names, LY_NONE_REGISTERED, expected));
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

static LyraStatus read_integer(const LyNode *node, const LyKey *key, void *place)
{
    int64_t value;
    LY_TRY(read_integer_value(node, key->name, &value));
    LY_TRY(check_range(node, key, (double)value));
    if (key->size == sizeof(int64_t)) {
        *(int64_t *)place = value;
        return LYRA_OK;
    }
    if (value < INT32_MIN || value > INT32_MAX) {
        return ly_node_expect(node, "a whole number of at most 2147483647 for %s", key->name);
    }
    *(int32_t *)place = (int32_t)value;
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

// a field of two words may be a bool
static void set_word(const LyKey *key, void *place, int32_t index)
{
    if (key->size == sizeof(bool)) {
        *(bool *)place = index == 1;
    } else {
        *(int32_t *)place = index;
    }
}

static LyraStatus read_word(const LyNode *node, const LyKey *key, void *place)
{
    char what[120];
    snprintf(what, sizeof what, "a word for %s", key->name);
    LY_TRY(want_scalar(node, what));
    LyChoices names = {.word = node->text};
    int32_t index = 0;
    for (const char *at = key->choices; *at; ++index) {
        size_t length = strcspn(at, "|");
        if (strlen(node->text) == length && memcmp(node->text, at, length) == 0) {
            set_word(key, place, index);
            return LYRA_OK;
        }
        at += length + (at[length] == '|');
    }
    // the words as strings of their own, for the message
    char words[LY_CHOICES_CHARS];
    snprintf(words, sizeof words, "%s", key->choices);
    for (char *at = words; at;) {
        char *bar = strchr(at, '|');
        if (bar) {
            *bar = 0;
        }
        ly_choices_add(&names, at);
        at = bar ? bar + 1 : NULL;
    }
    return refuse_word(node, &names);
}

static LyraStatus read_name(const LyraContext *ctx, const LyNode *node, const LyKey *key,
                            const char **value)
{
    char what[120];
    snprintf(what, sizeof what, "a name for %s", key->name);
    LY_TRY(want_scalar(node, what));
    LyChoices names = {.word = node->text};
    const char *name;
    for (int32_t i = 0; (name = key->choice(ctx, i)) != NULL; ++i) {
        if (strcmp(name, node->text) == 0) {
            *value = name;
            return LYRA_OK;
        }
        ly_choices_add(&names, name);
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

static LyraStatus read_pair(LyraArena *arena, const LyNode *node, const LyKey *key, double value[2])
{
    if (node->kind != LY_NODE_SEQUENCE || node->count != 2) {
        return ly_node_expect(node, "two numbers [low, high] for %s", key->name);
    }
    int i = 0;
    for (const LyNode *item = node->first; item; item = item->next, ++i) {
        LY_TRY(ly_node_number(arena, item, unit_of(key), &value[i]));
        LY_TRY(check_range(item, key, value[i]));
    }
    return LYRA_OK;
}

// a list, or an array of the field's own
static LyraStatus read_integers(LyraArena *arena, const LyNode *node, const LyKey *key, void *place,
                                int32_t *count)
{
    static const char *const words[] = {"", "one", "two", "three"};
    int32_t room = key->count_offset ? node->count : (int32_t)(key->size / sizeof(int32_t));
    if (node->kind != LY_NODE_SEQUENCE || node->count != room) {
        return key->count_offset
                   ? ly_node_expect(node, "a list of whole numbers for %s", key->name)
                   : ly_node_expect(node, "%s whole numbers for %s", words[room], key->name);
    }
    int32_t *values = place, i = 0;
    if (key->count_offset) {
        LY_TRY(ly_arena_allocate(arena, room, sizeof *values, &values));
    }
    for (const LyNode *item = node->first; item; item = item->next) {
        int64_t value;
        LY_TRY(read_integer_value(item, key->name, &value));
        if (value < 0 || value > INT32_MAX) {
            return ly_node_expect(item, "a whole number from 0 to 2147483647 for %s", key->name);
        }
        values[i++] = (int32_t)value;
    }
    if (key->count_offset) {
        *(const int32_t **)place = values;
        *count = room;
    }
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
                             const LyraElasticConstant **out, int32_t *count)
{
    if (node->kind != LY_NODE_MAPPING) {
        return ly_node_expect(node, "names with numbers for %s", key->name);
    }
    LyraElasticConstant *items = NULL;
    LY_TRY(ly_arena_allocate(arena, node->count, sizeof *items, &items));
    int32_t i = 0;
    for (const LyNode *child = node->first; child; child = child->next) {
        items[i].name = child->key;
        LY_TRY(ly_node_number(arena, child, "", &items[i++].value));
    }
    *out = items;
    *count = i;
    return LYRA_OK;
}

// ---- curves -------------------------------------------------------------------------------------

// Keys of a curve: `times`, `values` with `width` numbers each, `interpolation`.
static LyraStatus read_keys(LyraArena *arena, const LyNode *node, const LyKey *key, int32_t width,
                            LyraCurve *curves)
{
    static const LyKey interpolation = {
        .name = "interpolation", .size = sizeof(int32_t), .choices = "linear|smooth|step"};
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
    LY_TRY(ly_arena_allocate(arena, count, sizeof *t, &t));
    LY_TRY(ly_arena_allocate(arena, (int64_t)width * count, sizeof *v, &v));
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
        curves[c] = (LyraCurve){.scale = 1,
                                .key_count = count,
                                .times = t,
                                .values = v + (int64_t)c * count,
                                .interpolation = (LyraInterpolation)mode};
    }
    return LYRA_OK;
}

static LyraStatus read_curve(LyraArena *arena, const LyNode *node, const LyKey *key,
                             LyraCurve *curve)
{
    if (node->kind == LY_NODE_MAPPING) {
        return read_keys(arena, node, key, 1, curve);
    }
    double first;
    LY_TRY(ly_node_curve(arena, node, unit_of(key), curve, &first));
    return check_range(node, key, first);
}

// The size of a vector that people turn: along what an override replaces, otherwise down.
static LyraStatus read_size(LyraArena *arena, const LyNode *node, const LyKey *key,
                            LyraCurve curves[3])
{
    const LyKey plain = {.name = key->name, .kind = LY_KEY_VECTOR, .unit = key->unit};
    double size, along[3] = {0, -1, 0};
    const LyNode *old = ly_node_replaced(node);
    LY_TRY(ly_node_number(arena, node, unit_of(key), &size));
    if (size < 0) {
        return ly_node_expect(node, "its size, not below 0, or [x, y, z] for %s", key->name);
    }
    if (old) {
        LY_TRY(read_vector(arena, old, &plain, along));
    }
    double length = sqrt(along[0] * along[0] + along[1] * along[1] + along[2] * along[2]);
    for (int i = 0; i < 3; ++i) {
        curves[i] =
            lyra_curve_constant(length > 0 ? size * (along[i] / length) : size * (i == 1 ? -1 : 0));
    }
    return LYRA_OK;
}

static LyraStatus read_curves(LyraArena *arena, const LyNode *node, const LyKey *key,
                              LyraCurve curves[3])
{
    if (node->kind == LY_NODE_MAPPING) {
        return read_keys(arena, node, key, 3, curves);
    }
    if (node->kind == LY_NODE_SCALAR && key->live) {
        return read_size(arena, node, key, curves);
    }
    if (node->kind != LY_NODE_SEQUENCE || node->count != 3) {
        return ly_node_expect(node,
                              "three numbers or expressions [x, y, z], or times and values, "
                              "for %s",
                              key->name);
    }
    int i = 0;
    for (const LyNode *item = node->first; item; item = item->next, ++i) {
        double first;
        LY_TRY(ly_node_curve(arena, item, unit_of(key), &curves[i], &first));
    }
    return LYRA_OK;
}

// ---- groups -------------------------------------------------------------------------------------

static LyraStatus read_group(LyraArena *arena, const LyGroup *group, const LyNode *node, char *out);

static LyraStatus read_list(LyraArena *arena, const LyNode *node, const LyKey *key,
                            const void **out, int32_t *out_count)
{
    if (node->kind != LY_NODE_SEQUENCE || (key->required && node->count == 0)) {
        return ly_node_expect(node, "a list for %s%s", key->name,
                              key->required ? ", with at least one item" : "");
    }
    char *items = NULL;
    LY_TRY(ly_arena_allocate(arena, node->count, key->group->size, &items));
    int32_t count = 0;
    for (const LyNode *item = node->first; item; item = item->next) {
        if (item->kind != LY_NODE_MAPPING) {
            return ly_node_expect(item, "keys with values for an item of %s", key->name);
        }
        LY_TRY(ly_spec_read(arena, key->group, item, items + (size_t)count * key->group->size));
        ++count;
    }
    *out = items;
    *out_count = count;
    return LYRA_OK;
}

// what a pointer is to lead to
static LyraStatus read_pointed(LyraArena *arena, const LyNode *node, const LyKey *key,
                               const void **out)
{
    if (key->kind == LY_KEY_GROUP) {
        void *made = NULL;
        LY_TRY(ly_arena_allocate(arena, 1, key->group->size, &made));
        LY_TRY(ly_spec_read(arena, key->group, node, made));
        *out = made;
    } else if (key->kind == LY_KEY_CURVE) {
        LyraCurve *made = NULL;
        LY_TRY(ly_arena_allocate(arena, 1, sizeof *made, &made));
        LY_TRY(read_curve(arena, node, key, made));
        *out = made;
    } else {
        double *made = NULL;
        LY_TRY(ly_arena_allocate(arena, 3, sizeof *made, &made));
        LY_TRY(read_vector(arena, node, key, made));
        *out = made;
    }
    return LYRA_OK;
}

static LyraStatus read_value(LyraArena *arena, const LyNode *node, const LyKey *key, char *out)
{
    void *place = out + key->offset;
    int32_t *count = (int32_t *)(out + key->count_offset);
    if (key->pointer) {
        return read_pointed(arena, node, key, place);
    }
    switch (key->kind) {
    case LY_KEY_NUMBER:
        LY_TRY(ly_node_number(arena, node, unit_of(key), place));
        return check_range(node, key, *(double *)place);
    case LY_KEY_INTEGER:
        return read_integer(node, key, place);
    case LY_KEY_BOOL:
        return read_bool(node, key, place);
    case LY_KEY_WORD:
        return read_word(node, key, place);
    case LY_KEY_NAME:
        return read_name(ly_arena_context(arena), node, key, place);
    case LY_KEY_TEXT:
        LY_TRY(want_scalar(node, "a text"));
        *(const char **)place = node->text;
        return LYRA_OK;
    case LY_KEY_VECTOR:
    case LY_KEY_SCALE:
        return read_vector(arena, node, key, place);
    case LY_KEY_PAIR:
        return read_pair(arena, node, key, place);
    case LY_KEY_CURVE:
        return read_curve(arena, node, key, place);
    case LY_KEY_CURVES:
        return read_curves(arena, node, key, place);
    case LY_KEY_INTEGERS:
        return read_integers(arena, node, key, place, count);
    case LY_KEY_AXES:
        return read_axes(node, place);
    case LY_KEY_NAMED:
        return read_named(arena, node, key, place, count);
    case LY_KEY_GROUP:
        return read_group(arena, key->group, node, place);
    default:
        return read_list(arena, node, key, place, count);
    }
}

// Whether a key is for the word that its group's first key, the type, has; `length`: Nullable, of
// that word.
static const char *type_word(const LyGroup *group, const char *out, size_t *length)
{
    const LyKey *type = &group->keys[0];
    const char *word = type->choices;
    for (int32_t i = *(const int32_t *)(out + type->offset); i > 0; --i) {
        word = strchr(word, '|') + 1;
    }
    *length = strcspn(word, "|");
    return word;
}

static bool is_meant(const LyGroup *group, const LyKey *key, const char *out)
{
    if (!key->only) {
        return true;
    }
    size_t length;
    const char *word = type_word(group, out, &length);
    bool meant = false;
    for (const char *at = key->only; at; at = strchr(at, '|') ? strchr(at, '|') + 1 : NULL) {
        meant |= strcspn(at, "|") == length && memcmp(at, word, length) == 0;
    }
    return meant;
}

// keys of one type where another is chosen
static LyraStatus check_only(const LyGroup *group, const LyNode *node, const char *out)
{
    for (int32_t k = 1; k < group->key_count; ++k) {
        const LyKey *key = &group->keys[k];
        const LyNode *child = key->only ? ly_node_find(node, key->name) : NULL;
        if (child && !is_meant(group, key, out)) {
            size_t length;
            const char *word = type_word(group, out, &length);
            return ly_key_fail(child, LYRA_BAD_FORMAT,
                               "found key \"%s\" in %s of %s %.*s, expected it with %s %s only",
                               key->name, group->name, group->keys[0].name, (int)length, word,
                               group->keys[0].name, key->only);
        }
    }
    return LYRA_OK;
}

static LyraStatus read_key(LyraArena *arena, const LyGroup *group, const LyKey *key,
                           const LyNode *node, char *out)
{
    LyNode *child = ly_node_find(node, key->name);
    if (child && !ly_node_is_null(child)) {
        return read_value(arena, child, key, out);
    }
    return key->required && is_meant(group, key, out)
               ? ly_node_fail(node, LYRA_BAD_FORMAT, "found no key \"%s\" in %s, expected one",
                              key->name, group->name)
               : LYRA_OK;
}

// `out` has the defaults
static LyraStatus read_group(LyraArena *arena, const LyGroup *group, const LyNode *node, char *out)
{
    if (node->kind != LY_NODE_MAPPING) {
        return ly_node_expect(node, "keys with values for %s", group->name);
    }
    for (const LyNode *child = node->first; child; child = child->next) {
        int32_t k = 0;
        for (; k < group->key_count && strcmp(group->keys[k].name, child->key) != 0; ++k) {
        }
        if (k == group->key_count) {
            return refuse_key(group, child);
        }
    }
    for (int32_t k = 0; k < group->key_count; ++k) {
        LY_TRY(read_key(arena, group, &group->keys[k], node, out));
    }
    return check_only(group, node, out);
}

LyraStatus ly_spec_read(LyraArena *arena, const LyGroup *group, const LyNode *node, void *out)
{
    memset(out, 0, group->size);
    if (group->init) {
        group->init(out);
    }
    return read_group(arena, group, node, out);
}
