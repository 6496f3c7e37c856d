// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Settings as a scene in YAML: by the tables of keys, what is not a default. Numbers are in SI,
// with as few digits as bring the same bits back.

#include "scene/spec.h"

#include "base/number.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// ---- text ---------------------------------------------------------------------------------------

// what is written so far; after a failure nothing is added
typedef struct Text {
    LyraContext *ctx;
    LyraArena *arena; // of defaults
    LyraStatus status;
    char *bytes;
    size_t length, room;
} Text;

static void put_bytes(Text *text, const char *bytes, size_t count)
{
    if (text->status == LYRA_OK && text->length + count + 1 > text->room) {
        size_t room = 2 * (text->length + count) + 1024;
        text->status = ly_resize_array(text->ctx, (int64_t)room, 1, (void *)&text->bytes);
        text->room = text->status == LYRA_OK ? room : text->room;
    }
    if (text->status == LYRA_OK) {
        memcpy(text->bytes + text->length, bytes, count);
        text->length += count;
        text->bytes[text->length] = 0;
    }
}

static void put(Text *text, const char *string)
{
    put_bytes(text, string, strlen(string));
}

static void put_blanks(Text *text, int32_t count)
{
    for (int32_t i = 0; i < count; ++i) {
        put(text, " ");
    }
}

static void put_double(Text *text, double value)
{
    char digits[LY_DOUBLE_CHARS];
    ly_format_double(digits, value);
    put(text, digits);
}

static void put_triple(Text *text, const double value[3])
{
    for (int i = 0; i < 3; ++i) {
        put(text, i ? ", " : "[");
        put_double(text, value[i]);
    }
    put(text, "]");
}

// in double quotes, in which any text can stand
static void put_quoted(Text *text, const char *string)
{
    put(text, "\"");
    for (const char *at = string; *at; ++at) {
        unsigned char c = (unsigned char)*at;
        char escaped[8];
        if (c == '"' || c == '\\') {
            put_bytes(text, "\\", 1);
        }
        if (c < 0x20 || c == 0x7f) {
            snprintf(escaped, sizeof escaped, "\\x%02X", c);
            put(text, escaped);
        } else {
            put_bytes(text, at, 1);
        }
    }
    put(text, "\"");
}

// ---- values -------------------------------------------------------------------------------------

static bool same(double a, double b)
{
    return memcmp(&a, &b, sizeof a) == 0 || (isnan(a) && isnan(b));
}

static bool same_text(const char *a, const char *b)
{
    return a == b || (a && b && strcmp(a, b) == 0);
}

static int64_t integer_at(const LyKey *key, const void *place)
{
    return key->size == sizeof(bool)      ? (int64_t) * (const bool *)place
           : key->size == sizeof(int32_t) ? (int64_t) * (const int32_t *)place
                                          : *(const int64_t *)place;
}

// Whether a value is the default; groups and lists are asked elsewhere.
static bool is_default(const LyKey *key, const char *at, const char *fallback)
{
    const void *value = at + key->offset, *other = fallback + key->offset;
    if (key->pointer) {
        return *(const void *const *)value == NULL;
    }
    if (key->count_offset) {
        return *(const int32_t *)(at + key->count_offset) == 0;
    }
    switch (key->kind) {
    case LY_KEY_NUMBER:
        return same(*(const double *)value, *(const double *)other);
    case LY_KEY_NAME:
    case LY_KEY_TEXT:
        return same_text(*(const char *const *)value, *(const char *const *)other);
    case LY_KEY_CURVE:
    case LY_KEY_CURVES: {
        const LyraCurve *a = value, *b = other;
        bool all = true;
        for (size_t i = 0; i < key->size / sizeof *a; ++i) {
            all &= !a[i].expression && !a[i].function && !a[i].key_count &&
                   same(a[i].value, b[i].value);
        }
        return all;
    }
    case LY_KEY_BOOL:
    case LY_KEY_WORD:
    case LY_KEY_INTEGER:
    case LY_KEY_AXES:
        return integer_at(key, value) == integer_at(key, other);
    default:
        return memcmp(value, other, key->size) == 0;
    }
}

static void put_curve(Text *text, const LyKey *key, const LyraCurve *curve)
{
    if (curve->expression || curve->function || curve->key_count) {
        text->status = ly_fail_key(LYRA_UNSUPPORTED, key->name,
                                   "found a curve over time, expected a number to write");
    }
    put_double(text, curve->value);
}

static void put_integers(Text *text, const int32_t *values, int32_t count)
{
    char digits[LY_INT_CHARS];
    put(text, "[");
    for (int32_t i = 0; i < count; ++i) {
        ly_format_int64(digits, values[i]);
        put(text, i ? ", " : "");
        put(text, digits);
    }
    put(text, "]");
}

static void put_named(Text *text, const LyraElasticConstant *values, int32_t count)
{
    put(text, "{");
    for (int32_t i = 0; i < count; ++i) {
        put(text, i ? ", " : "");
        put_quoted(text, values[i].name);
        put(text, ": ");
        put_double(text, values[i].value);
    }
    put(text, "}");
}

static void put_value(Text *text, const LyKey *key, const char *at)
{
    const void *place = at + key->offset;
    const LyraCurve *curves = place;
    char digits[LY_INT_CHARS];
    int32_t count = key->count_offset ? *(const int32_t *)(at + key->count_offset) : 0;
    if (key->pointer) {
        place = *(const void *const *)place;
        curves = place;
    }
    switch (key->kind) {
    case LY_KEY_NUMBER:
        put_double(text, *(const double *)place);
        break;
    case LY_KEY_INTEGER:
        ly_format_int64(digits, integer_at(key, place));
        put(text, digits);
        break;
    case LY_KEY_BOOL:
        put(text, *(const bool *)place ? "true" : "false");
        break;
    case LY_KEY_WORD: {
        const char *word = key->choices;
        for (int64_t i = integer_at(key, place); i > 0; --i) {
            word = strchr(word, '|') + 1;
        }
        put_bytes(text, word, strcspn(word, "|"));
        break;
    }
    case LY_KEY_NAME:
        put(text, *(const char *const *)place);
        break;
    case LY_KEY_TEXT:
        put_quoted(text, *(const char *const *)place);
        break;
    case LY_KEY_VECTOR:
    case LY_KEY_SCALE:
        put_triple(text, place);
        break;
    case LY_KEY_PAIR:
        put(text, "[");
        put_double(text, ((const double *)place)[0]);
        put(text, ", ");
        put_double(text, ((const double *)place)[1]);
        put(text, "]");
        break;
    case LY_KEY_CURVE:
        put_curve(text, key, curves);
        break;
    case LY_KEY_CURVES:
        for (int i = 0; i < 3; ++i) {
            put(text, i ? ", " : "[");
            put_curve(text, key, &curves[i]);
        }
        put(text, "]");
        break;
    case LY_KEY_INTEGERS:
        put_integers(text, key->count_offset ? *(const int32_t *const *)place : place,
                     key->count_offset ? count : (int32_t)(key->size / sizeof(int32_t)));
        break;
    case LY_KEY_AXES:
        for (int i = 0; i < 3; ++i) {
            put_bytes(text, &"xyz"[i], (size_t)(*(const int32_t *)place >> i & 1));
        }
        break;
    case LY_KEY_NAMED:
        put_named(text, *(const LyraElasticConstant *const *)place, count);
        break;
    default:
        break;
    }
}

// ---- groups -------------------------------------------------------------------------------------

static const char *make_defaults(Text *text, const LyGroup *group)
{
    char *defaults = NULL;
    if (text->status == LYRA_OK) {
        text->status = ly_arena_allocate(text->arena, 1, group->size, &defaults);
    }
    if (text->status == LYRA_OK && group->init) {
        group->init(defaults);
    }
    return defaults;
}

// whether a group that is part of another says anything
static bool says_something(const LyGroup *group, const char *at, const char *fallback)
{
    for (int32_t k = 0; k < group->key_count; ++k) {
        const LyKey *key = &group->keys[k];
        bool part = key->kind == LY_KEY_GROUP && !key->pointer;
        if (part ? says_something(key->group, at + key->offset, fallback + key->offset)
                 : !is_default(key, at, fallback)) {
            return true;
        }
    }
    return false;
}

static void put_group(Text *text, const LyGroup *group, const char *at, const char *fallback,
                      int32_t indent, bool open);

static void put_items(Text *text, const LyKey *key, const char *at, int32_t indent)
{
    int32_t count = *(const int32_t *)(at + key->count_offset);
    const char *items = *(const char *const *)(at + key->offset);
    const char *fallback = make_defaults(text, key->group);
    for (int32_t i = 0; i < count && text->status == LYRA_OK; ++i) {
        put_blanks(text, indent + 2);
        put(text, "- ");
        put_group(text, key->group, items + (size_t)i * key->group->size, fallback, indent + 4,
                  true);
    }
}

static void put_key(Text *text, const LyKey *key, const char *at, const char *fallback,
                    int32_t indent)
{
    put(text, key->name);
    put(text, ":");
    if (key->kind == LY_KEY_LIST) {
        put(text, "\n");
        put_items(text, key, at, indent);
    } else if (key->kind == LY_KEY_GROUP) {
        put(text, "\n");
        const char *inner = at + key->offset, *other = fallback + key->offset;
        if (key->pointer) {
            inner = *(const char *const *)inner;
            other = make_defaults(text, key->group);
        }
        if (text->status == LYRA_OK) {
            put_group(text, key->group, inner, other, indent + 2, false);
        }
    } else {
        put(text, " ");
        put_value(text, key, at);
        put(text, "\n");
    }
}

// a key of one type alone is not asked for where another is chosen
static bool is_wanted(const LyKey *key, const char *at, const char *fallback)
{
    if (key->kind == LY_KEY_GROUP && !key->pointer) {
        return says_something(key->group, at + key->offset, fallback + key->offset);
    }
    return (key->required && !key->only && !key->count_offset) || !is_default(key, at, fallback);
}

// `open`: the first line has its indentation already. A group that says nothing is {}.
static void put_group(Text *text, const LyGroup *group, const char *at, const char *fallback,
                      int32_t indent, bool open)
{
    bool any = false;
    for (int32_t k = 0; k < group->key_count && text->status == LYRA_OK; ++k) {
        const LyKey *key = &group->keys[k];
        if (is_wanted(key, at, fallback)) {
            put_blanks(text, any || !open ? indent : 0);
            put_key(text, key, at, fallback, indent);
            any = true;
        }
    }
    if (!any) {
        put_blanks(text, open ? 0 : indent);
        put(text, "{}\n");
    }
}

LyraStatus ly_spec_format(LyraContext *ctx, const LySceneSpec *spec, char **text)
{
    LyKey keys[LY_SCENE_KEYS_MAX];
    LyGroup group = ly_scene_keys(keys);
    LySceneSpec defaults;
    Text made = {.ctx = ctx};
    LY_TRY(ly_arena_create(ctx, 0, &made.arena));
    memset(&defaults, 0, sizeof defaults);
    group.init(&defaults);
    put_group(&made, &group, (const char *)spec, (const char *)&defaults, 0, false);
    ly_arena_destroy(ctx, made.arena);
    if (made.status != LYRA_OK) {
        ly_release(ctx, made.bytes);
        return made.status;
    }
    *text = made.bytes;
    return LYRA_OK;
}
