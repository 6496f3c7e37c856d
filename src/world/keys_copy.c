// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Settings checked and copied by their rows. A number is allowed if it is in its range, or what the
// default is: NaN, 0 or -1 where that stands for "not given".

#include "world/keys.h"

#include "base/choices.h"
#include "world/curve.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

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
    [LY_RANGE_ANGLE] = {0, 3.14159265358979323846, true, "between 0 and 180 deg"},
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

// ---- memory -------------------------------------------------------------------------------------

LyraStatus ly_arena_allocate(LyraArena *arena, int64_t count, size_t size, void *out)
{
    if (count < 0 || (uint64_t)count > (SIZE_MAX >> 1) / size) {
        return ly_fail(LYRA_TOO_LARGE, "found %lld items of %zu bytes, more than memory can hold",
                       (long long)count, size);
    }
    size_t bytes = (size_t)count * size;
    void *memory = lyra_arena_push(arena, bytes ? bytes : 1);
    if (!memory) {
        return ly_fail_memory(bytes);
    }
    memset(memory, 0, bytes);
    *(void **)out = memory;
    return LYRA_OK;
}

static LyraStatus copy_bytes(LyraArena *arena, int64_t count, size_t size, const void *from,
                             void *out)
{
    void *copy = NULL;
    LY_TRY(ly_arena_allocate(arena, count, size, &copy));
    if (count > 0) {
        memcpy(copy, from, (size_t)count * size);
    }
    *(void **)out = copy;
    return LYRA_OK;
}

static LyraStatus copy_text(LyraArena *arena, const char **text)
{
    return *text ? copy_bytes(arena, (int64_t)strlen(*text) + 1, 1, *text, text) : LYRA_OK;
}

// ---- values -------------------------------------------------------------------------------------

static bool is_same(double a, double b)
{
    return a == b || (isnan(a) && isnan(b));
}

static LyraStatus check_number(const LyKey *key, double value, double fallback)
{
    if (is_same(value, fallback) || (isfinite(value) && ly_range_holds(key->range, value))) {
        return LYRA_OK;
    }
    const char *text = ly_range_text(key->range);
    bool is_whole = key->kind == LY_KEY_INTEGER || key->kind == LY_KEY_INTEGERS;
    return ly_fail_key(LYRA_INVALID_ARGUMENT, key->name, "found %g, expected a %s number%s%s",
                       value, is_whole ? "whole" : "finite", *text ? " " : "", text);
}

static LyraStatus check_vector(const LyKey *key, const double value[3], const double *fallback)
{
    for (int i = 0; i < 3; ++i) {
        LY_TRY(check_number(key, value[i], fallback ? fallback[i] : 0));
    }
    return LYRA_OK;
}

static double integer_at(const LyKey *key, const void *place)
{
    return key->size == sizeof(int32_t) ? (double)*(const int32_t *)place
                                        : (double)*(const int64_t *)place;
}

static int32_t word_count(const char *choices)
{
    int32_t count = 1;
    for (; *choices; ++choices) {
        count += *choices == '|';
    }
    return count;
}

static LyraStatus check_word(const LyKey *key, const void *place)
{
    int32_t count = word_count(key->choices);
    int32_t word = key->size == sizeof(bool) ? *(const bool *)place : *(const int32_t *)place;
    return word >= 0 && word < count
               ? LYRA_OK
               : ly_fail_key(LYRA_INVALID_ARGUMENT, key->name,
                             "found the number %d, expected 0 to %d for one of: %s", (int)word,
                             (int)count - 1, key->choices);
}

// names outlive all, as those of the list stand in for them
static LyraStatus copy_name(const LyraContext *ctx, const LyKey *key, const char **name)
{
    LyChoices names = {.word = *name ? *name : ""};
    char expected[2 * LY_CHOICES_CHARS];
    const char *choice;
    for (int32_t i = 0; (choice = key->choice(ctx, i)) != NULL; ++i) {
        if (*name && strcmp(choice, *name) == 0) {
            *name = choice;
            return LYRA_OK;
        }
        ly_choices_add(&names, choice);
    }
    return ly_fail_key(LYRA_INVALID_ARGUMENT, key->name, "found \"%.60s\", expected %s", names.word,
                       ly_choices_expected(&names, LY_NONE_REGISTERED, expected));
}

static LyraStatus copy_curve(LyraArena *arena, const LyKey *key, LyraCurve *curve)
{
    LyraStatus status = ly_curve_compile(arena, curve);
    if (status != LYRA_OK) {
        return ly_within_key(status, key->name);
    }
    double scale = curve->scale == 0 ? 1 : curve->scale;
    for (int32_t k = 0; !curve->function && !curve->compiled && k < curve->key_count; ++k) {
        LY_TRY(check_number(key, scale * curve->values[k], 0));
    }
    return check_number(key, ly_curve_at(curve, 0).value, 0);
}

static LyraStatus copy_named(LyraArena *arena, const LyKey *key, int32_t count,
                             const LyraElasticConstant **list)
{
    LyraElasticConstant *copy = NULL;
    LY_TRY(copy_bytes(arena, count, sizeof *copy, *list, &copy));
    for (int32_t i = 0; i < count; ++i) {
        if (!copy[i].name || !isfinite(copy[i].value)) {
            return ly_fail_key(LYRA_INVALID_ARGUMENT, key->name,
                               "found %s, expected names with finite numbers",
                               copy[i].name ? "a number that is not finite" : "no name");
        }
        LY_TRY(copy_text(arena, &copy[i].name));
    }
    *list = copy;
    return LYRA_OK;
}

// ---- groups -------------------------------------------------------------------------------------

static LyraStatus copy_group(LyraArena *arena, const LyGroup *group, const char *defaults,
                             char *to);

// the defaults of a group that is not part of another
static LyraStatus make_defaults(LyraArena *arena, const LyGroup *group, char **out)
{
    LY_TRY(ly_arena_allocate(arena, 1, group->size, out));
    if (group->init) {
        group->init(*out);
    }
    return LYRA_OK;
}

// a list of groups, or the one that a pointer leads to
static LyraStatus copy_items(LyraArena *arena, const LyKey *key, int32_t count, const char **items)
{
    char *copy = NULL, *defaults = NULL;
    size_t size = key->group->size;
    LY_TRY(copy_bytes(arena, count, size, *items, &copy));
    LY_TRY(make_defaults(arena, key->group, &defaults));
    for (int32_t i = 0; i < count; ++i) {
        LyraStatus status = copy_group(arena, key->group, defaults, copy + (size_t)i * size);
        if (status != LYRA_OK) {
            return key->kind == LY_KEY_LIST ? ly_within_item(status, key->name, i)
                                            : ly_within_key(status, key->name);
        }
    }
    *items = copy;
    return LYRA_OK;
}

// what a pointer leads to, where there is one
static LyraStatus copy_pointed(LyraArena *arena, const LyKey *key, const void **place)
{
    if (!*place) {
        return LYRA_OK;
    }
    if (key->kind == LY_KEY_GROUP) {
        return copy_items(arena, key, 1, (const char **)place);
    }
    if (key->kind == LY_KEY_CURVE) {
        LY_TRY(copy_bytes(arena, 1, sizeof(LyraCurve), *place, place));
        return copy_curve(arena, key, (LyraCurve *)*place);
    }
    LY_TRY(check_vector(key, *place, NULL));
    return copy_bytes(arena, 3, sizeof(double), *place, place);
}

static LyraStatus copy_integers(LyraArena *arena, const LyKey *key, int32_t count, void *place)
{
    if (key->count_offset) {
        return copy_bytes(arena, count, sizeof(int32_t), *(const int32_t **)place, place);
    }
    // an array of its own
    const int32_t *values = place;
    for (size_t i = 0; i < key->size / sizeof *values; ++i) {
        LY_TRY(check_number(key, values[i], 0));
    }
    return LYRA_OK;
}

static LyraStatus check_count(const LyKey *key, int32_t count, const void *list)
{
    return count >= 0 && (list || count == 0)
               ? LYRA_OK
               : ly_fail_key(LYRA_INVALID_ARGUMENT, key->name, "found %d items%s, expected a list",
                             (int)count, list ? "" : " at NULL");
}

static LyraStatus copy_value(LyraArena *arena, const LyKey *key, const char *defaults, char *to)
{
    void *place = to + key->offset;
    const void *fallback = defaults + key->offset;
    int32_t count = key->count_offset ? *(const int32_t *)(to + key->count_offset) : 0;
    if (key->pointer) {
        return copy_pointed(arena, key, place);
    }
    if (key->count_offset) {
        LY_TRY(check_count(key, count, *(const void *const *)place));
        if (!*(const void *const *)place) {
            return LYRA_OK; // a list that is not given, unlike one that is empty
        }
    }
    switch (key->kind) {
    case LY_KEY_NUMBER:
        return check_number(key, *(const double *)place, *(const double *)fallback);
    case LY_KEY_INTEGER:
        return check_number(key, integer_at(key, place), integer_at(key, fallback));
    case LY_KEY_WORD:
        return check_word(key, place);
    case LY_KEY_NAME:
        return copy_name(ly_arena_context(arena), key, place);
    case LY_KEY_TEXT:
        if (key->required && !*(const char *const *)place) {
            return ly_fail_key(LYRA_INVALID_ARGUMENT, key->name, "found none, expected a text");
        }
        return copy_text(arena, place);
    case LY_KEY_VECTOR:
    case LY_KEY_SCALE:
        return check_vector(key, place, fallback);
    case LY_KEY_PAIR:
        LY_TRY(check_number(key, ((const double *)place)[0], ((const double *)fallback)[0]));
        return check_number(key, ((const double *)place)[1], ((const double *)fallback)[1]);
    case LY_KEY_CURVE:
        return copy_curve(arena, key, place);
    case LY_KEY_CURVES:
        for (int i = 0; i < 3; ++i) {
            LY_TRY(copy_curve(arena, key, (LyraCurve *)place + i));
        }
        return LYRA_OK;
    case LY_KEY_INTEGERS:
        return copy_integers(arena, key, count, place);
    case LY_KEY_AXES:
        return (*(const int32_t *)place & ~7) == 0
                   ? LYRA_OK
                   : ly_fail_key(LYRA_INVALID_ARGUMENT, key->name,
                                 "found %d, expected bits 1 x, 2 y, 4 z", *(const int32_t *)place);
    case LY_KEY_NAMED:
        return copy_named(arena, key, count, place);
    case LY_KEY_GROUP: {
        LyraStatus status = copy_group(arena, key->group, fallback, place);
        return status == LYRA_OK ? LYRA_OK : ly_within_key(status, key->name);
    }
    case LY_KEY_LIST:
        return copy_items(arena, key, count, place);
    case LY_KEY_BOOL:
        break;
    }
    return LYRA_OK;
}

// in place: what is not in a row stays as it is
static LyraStatus copy_group(LyraArena *arena, const LyGroup *group, const char *defaults, char *to)
{
    for (int32_t k = 0; k < group->key_count; ++k) {
        LY_TRY(copy_value(arena, &group->keys[k], defaults, to));
    }
    return LYRA_OK;
}

LyraStatus ly_keys_copy(LyraArena *arena, const LyGroup *group, const void *from, void *to)
{
    char *defaults = NULL, *copy = NULL;
    LY_TRY(make_defaults(arena, group, &defaults));
    LY_TRY(copy_bytes(arena, 1, group->size, from, &copy));
    LY_TRY(copy_group(arena, group, defaults, copy));
    memcpy(to, copy, group->size);
    return LYRA_OK;
}
