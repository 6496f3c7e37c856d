// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// The tables of keys in print: a scene of all defaults, and the tables of docs/scenes.md. Defaults
// are what the fields of a struct hold that its group has initialised.

#include "scene/spec.h"

#include "base/number.h"

#include <math.h>
#include <string.h>

// ---- words --------------------------------------------------------------------------------------

static const char *describe_kind(const LyKey *key)
{
    static const char *const words[] = {
        [LY_KEY_NUMBER] = "number",
        [LY_KEY_INTEGER] = "whole number",
        [LY_KEY_BOOL] = "true or false",
        [LY_KEY_WORD] = "word",
        [LY_KEY_NAME] = "name",
        [LY_KEY_TEXT] = "text",
        [LY_KEY_VECTOR] = "[x, y, z]",
        [LY_KEY_SCALE] = "number or [x, y, z]",
        [LY_KEY_PAIR] = "[low, high]",
        [LY_KEY_CURVE] = "curve",
        [LY_KEY_CURVES] = "[x, y, z] of curves",
        [LY_KEY_INTEGERS] = "list of whole numbers",
        [LY_KEY_AXES] = "letters of xyz",
        [LY_KEY_NAMED] = "names with numbers",
        [LY_KEY_GROUP] = "keys",
        [LY_KEY_LIST] = "list of keys",
    };
    return words[key->kind];
}

// "one of a, b, c" of words and names
static void write_choices(LyWriter *writer, const LyraContext *ctx, const LyKey *key)
{
    if (key->kind == LY_KEY_WORD) {
        for (const char *at = key->choices; *at; ++at) {
            if (*at == '|') {
                ly_writer_string(writer, ", ");
            } else {
                ly_writer_char(writer, *at);
            }
        }
        return;
    }
    const char *name;
    for (int32_t i = 0; (name = key->choice(ctx, i)) != NULL; ++i) {
        ly_writer_print(writer, "%s%s", i ? ", " : "", name);
    }
}

static void write_only(LyWriter *writer, const LyKey *key)
{
    for (const char *at = key->only; *at; ++at) {
        ly_writer_string(writer, *at == '|' ? " or " : (char[]){*at, 0});
    }
}

// ---- values -------------------------------------------------------------------------------------

#define VALUE_CHARS 120

static void put_double(char *text, double value)
{
    ly_format_double(text + strlen(text), value);
}

static void put_triple(char *text, const double value[3])
{
    for (int i = 0; i < 3; ++i) {
        strcat(text, i ? ", " : "[");
        put_double(text, value[i]);
    }
    strcat(text, "]");
}

static void put_pair(char *text, const double value[2])
{
    strcat(text, "[");
    put_double(text, value[0]);
    strcat(text, ", ");
    put_double(text, value[1]);
    strcat(text, "]");
}

static int64_t integer_at(const LyKey *key, const void *place)
{
    return key->size == sizeof(int32_t) ? *(const int32_t *)place : *(const int64_t *)place;
}

static void put_word(char *text, const LyKey *key, const void *place)
{
    int32_t index = key->size == sizeof(bool) ? *(const bool *)place : *(const int32_t *)place;
    const char *word = key->choices;
    for (; index > 0; --index) {
        word = strchr(word, '|') + 1;
    }
    strncat(text, word, strcspn(word, "|"));
}

// false where nothing is given: a number outside its range stands for that
static bool put_array(char *text, const LyKey *key, const int32_t *values)
{
    for (size_t i = 0; i < key->size / sizeof *values; ++i) {
        if (!ly_range_holds(key->range, values[i])) {
            return false;
        }
        strcat(text, i ? ", " : "[");
        put_double(text, values[i]);
    }
    strcat(text, "]");
    return true;
}

// Writes the value of a field as a scene would say it; false where there is none.
static bool format_value(char text[VALUE_CHARS], const LyKey *key, const char *defaults)
{
    const void *place = defaults + key->offset;
    const double *numbers = place;
    text[0] = 0;
    if (key->pointer || key->count_offset || key->required) {
        return false;
    }
    switch (key->kind) {
    case LY_KEY_NUMBER:
        put_double(text, *numbers);
        return ly_range_holds(key->range, *numbers);
    case LY_KEY_INTEGER:
        ly_format_int64(text, integer_at(key, place));
        return ly_range_holds(key->range, (double)integer_at(key, place));
    case LY_KEY_BOOL:
        strcpy(text, *(const bool *)place ? "true" : "false");
        return true;
    case LY_KEY_WORD:
        put_word(text, key, place);
        return true;
    case LY_KEY_NAME:
    case LY_KEY_TEXT: {
        const char *own = *(const char *const *)place;
        strncat(text, own ? own : "", VALUE_CHARS - 1);
        return own != NULL;
    }
    case LY_KEY_SCALE:
        if (numbers[0] == numbers[1] && numbers[0] == numbers[2]) {
            put_double(text, numbers[0]);
            return true;
        }
        put_triple(text, numbers);
        return true;
    case LY_KEY_VECTOR:
        put_triple(text, numbers);
        return true;
    case LY_KEY_PAIR:
        put_pair(text, numbers);
        return ly_range_holds(key->range, numbers[0]);
    case LY_KEY_CURVE:
        put_double(text, ((const LyraCurve *)place)->value);
        return true;
    case LY_KEY_CURVES: {
        const LyraCurve *curves = place;
        put_triple(text, (double[]){curves[0].value, curves[1].value, curves[2].value});
        return true;
    }
    case LY_KEY_INTEGERS:
        return put_array(text, key, place);
    case LY_KEY_AXES:
        for (int i = 0; i < 3; ++i) {
            strncat(text, &"xyz"[i], (size_t)(*(const int32_t *)place >> i & 1));
        }
        return true;
    default:
        return false;
    }
}

// what a scene may say in its place
static bool default_of(char text[VALUE_CHARS], const LyKey *key, const char *defaults)
{
    if (!format_value(text, key, defaults)) {
        return false;
    }
    if (key->shown_default) {
        text[0] = 0;
        strncat(text, key->shown_default, VALUE_CHARS - 1);
    }
    return true;
}

// ---- groups -------------------------------------------------------------------------------------

// A group with its defaults: in those of the group around, or on the arena where it stands alone.
typedef struct Shown {
    const LyGroup *group;
    const char *defaults;
} Shown;

static LyraStatus show_group(LyraArena *arena, const LyKey *key, const char *around, Shown *out)
{
    out->group = key->group;
    if (!key->pointer && key->kind == LY_KEY_GROUP) {
        out->defaults = around + key->offset;
        return LYRA_OK;
    }
    char *made = NULL;
    LY_TRY(ly_arena_allocate(arena, 1, key->group->size, &made));
    if (key->group->init) {
        key->group->init(made);
    }
    out->defaults = made;
    return LYRA_OK;
}

// ---- the scene of all defaults ------------------------------------------------------------------

// columns of comments, and of the page; longer ones go on in the next line
#define WIDTH 96
#define PAGE_WIDTH 120

// the part of `text` that fits into `room` columns, cut at a blank
static size_t line_length(const char *text, size_t room)
{
    size_t length = strlen(text);
    if (length > room) {
        for (length = room; length > 1 && text[length] != ' '; --length) {
        }
    }
    return length;
}

// `text` in lines that open with `indent` blanks and "# "
static void write_comment(LyWriter *writer, int32_t indent, const char *text)
{
    while (*text) {
        size_t length = line_length(text, (size_t)(WIDTH - indent - 2));
        ly_writer_print(writer, "%*s# ", (int)indent, "");
        ly_writer_bytes(writer, text, length);
        ly_writer_char(writer, '\n');
        text += length;
        text += *text == ' ';
    }
}

static void write_facts(LyWriter *writer, const LyraContext *ctx, int32_t indent,
                        const LyGroup *group, const LyKey *key)
{
    ly_writer_print(writer, "%*s#   %s", (int)indent, "", describe_kind(key));
    if (key->unit) {
        ly_writer_print(writer, ", %s", key->unit);
    }
    if (key->range != LY_RANGE_ANY) {
        ly_writer_print(writer, ", %s", ly_range_text(key->range));
    }
    if (key->only) {
        ly_writer_print(writer, ", with %s ", group->keys[0].name);
        write_only(writer, key);
    }
    ly_writer_string(writer, key->required ? ", needed\n" : "\n");
    if (key->kind == LY_KEY_WORD || (key->kind == LY_KEY_NAME && key->choice(ctx, 0))) {
        ly_writer_print(writer, "%*s#   one of ", (int)indent, "");
        write_choices(writer, ctx, key);
        ly_writer_char(writer, '\n');
    }
}

static LyraStatus write_group(LyWriter *writer, LyraArena *arena, Shown shown, int32_t indent,
                              bool silent);

// `silent`: as a comment, because what is around it is one
static LyraStatus write_key(LyWriter *writer, LyraArena *arena, const LyGroup *group,
                            const LyKey *key, const char *defaults, int32_t indent, bool silent)
{
    char text[VALUE_CHARS];
    bool given = default_of(text, key, defaults);
    silent |= !given && !key->shown;
    const char *hush = silent ? "#" : "";
    write_comment(writer, indent, key->meaning);
    if (key->group) {
        Shown inner;
        LY_TRY(show_group(arena, key, defaults, &inner));
        ly_writer_print(writer, "%*s%s%s:\n", (int)indent, "", hush, key->name);
        if (key->kind == LY_KEY_LIST) {
            ly_writer_print(writer, "%*s%s-\n", (int)indent + 2, "", hush);
        }
        return write_group(writer, arena, inner, indent + (key->kind == LY_KEY_LIST ? 4 : 2),
                           silent);
    }
    write_facts(writer, ly_arena_context(arena), indent, group, key);
    ly_writer_print(writer, "%*s%s%s:%s%s\n", (int)indent, "", hush, key->name, given ? " " : "",
                    given ? text : "");
    return LYRA_OK;
}

static LyraStatus write_group(LyWriter *writer, LyraArena *arena, Shown shown, int32_t indent,
                              bool silent)
{
    for (int32_t k = 0; k < shown.group->key_count; ++k) {
        LY_TRY(write_key(writer, arena, shown.group, &shown.group->keys[k], shown.defaults, indent,
                         silent));
    }
    return LYRA_OK;
}

LyraStatus ly_spec_write_defaults(LyraContext *ctx, LyWriter *writer)
{
    LyKey keys[LY_SCENE_KEYS_MAX];
    LySceneSpec spec;
    LyraArena *arena = NULL;
    LyGroup group = ly_scene_keys(keys);
    LY_TRY(ly_arena_create(ctx, 0, &arena));
    group.init(&spec);
    ly_writer_string(
        writer, "# A scene with every key, its default and its meaning. Lines that open with # "
                "have no\n# default, or belong to what a scene need not have. Numbers are in "
                "SI or have a unit.\n\n");
    LyraStatus status = write_group(writer, arena, (Shown){&group, (const char *)&spec}, 0, false);
    ly_arena_destroy(ctx, arena);
    return status;
}

LyraStatus lyra_scene_save_defaults(LyraContext *ctx, const char *path)
{
    LyWriter *writer = NULL;
    LY_TRY(ly_writer_create(ctx, path, &writer));
    LyraStatus status = ly_spec_write_defaults(ctx, writer);
    if (status != LYRA_OK) {
        ly_writer_discard(writer);
        return status;
    }
    return ly_writer_commit(writer);
}

// ---- tables -------------------------------------------------------------------------------------

static void write_row(LyWriter *writer, const LyGroup *group, const LyKey *key,
                      const char *defaults)
{
    char text[VALUE_CHARS];
    ly_writer_print(writer, "| `%s` | %s", key->name, describe_kind(key));
    if (key->unit) {
        ly_writer_print(writer, ", %s", key->unit);
    }
    if (key->range != LY_RANGE_ANY) {
        ly_writer_print(writer, ", %s", ly_range_text(key->range));
    }
    if (key->kind == LY_KEY_WORD) {
        ly_writer_string(writer, ": ");
        write_choices(writer, NULL, key);
    }
    ly_writer_string(writer, " | ");
    if (default_of(text, key, defaults)) {
        ly_writer_print(writer, "`%s`", text);
    } else if (key->required || key->shown_default) {
        ly_writer_string(writer, key->required ? "needed" : key->shown_default);
    }
    ly_writer_print(writer, " | %s", key->meaning);
    if (key->only) {
        ly_writer_print(writer, " With `%s` ", group->keys[0].name);
        write_only(writer, key);
        ly_writer_char(writer, '.');
    }
    ly_writer_string(writer, " |\n");
}

static void write_paragraph(LyWriter *writer, const char *text)
{
    while (*text) {
        size_t length = line_length(text, PAGE_WIDTH);
        ly_writer_bytes(writer, text, length);
        ly_writer_char(writer, '\n');
        text += length;
        text += *text == ' ';
    }
}

#define GROUPS_MAX 64

// each group once, in the order in which it is first met
static LyraStatus collect(LyraArena *arena, Shown shown, Shown *list, int32_t *count)
{
    for (int32_t g = 0; g < *count; ++g) {
        if (list[g].group == shown.group) {
            return LYRA_OK;
        }
    }
    list[(*count)++] = shown;
    for (int32_t k = 0; k < shown.group->key_count; ++k) {
        const LyKey *key = &shown.group->keys[k];
        Shown inner;
        if (key->group && *count < GROUPS_MAX) {
            LY_TRY(show_group(arena, key, shown.defaults, &inner));
            LY_TRY(collect(arena, inner, list, count));
        }
    }
    return LYRA_OK;
}

LyraStatus ly_spec_write_tables(LyraContext *ctx, LyWriter *writer)
{
    LyKey keys[LY_SCENE_KEYS_MAX];
    LySceneSpec spec;
    Shown list[GROUPS_MAX];
    int32_t count = 0;
    LyraArena *arena = NULL;
    LyGroup group = ly_scene_keys(keys);
    LY_TRY(ly_arena_create(ctx, 0, &arena));
    group.init(&spec);
    LyraStatus status = collect(arena, (Shown){&group, (const char *)&spec}, list, &count);
    for (int32_t g = 0; g < count && status == LYRA_OK; ++g) {
        ly_writer_print(writer, "%s### %s\n\n", g ? "\n" : "", list[g].group->name);
        write_paragraph(writer, list[g].group->meaning);
        ly_writer_string(writer, "\n| key | value | default | meaning |\n|---|---|---|---|\n");
        for (int32_t k = 0; k < list[g].group->key_count; ++k) {
            write_row(writer, list[g].group, &list[g].group->keys[k], list[g].defaults);
        }
    }
    ly_arena_destroy(ctx, arena);
    return status;
}
