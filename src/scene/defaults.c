// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// The table of keys in print: a scene of all defaults, and the tables of docs/scenes.md.

#include "base/file.h"
#include "lyra/scene.h"
#include "scene/schema.h"

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
static void write_choices(LyWriter *writer, const LyKey *key)
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
    for (int32_t i = 0; (name = key->choice(i)) != NULL; ++i) {
        ly_writer_print(writer, "%s%s", i ? ", " : "", name);
    }
}

// ---- the scene of all defaults ------------------------------------------------------------------

// columns of text; longer comments go on in the next line
#define WIDTH 96

// `text` in lines that open with `indent` blanks and "# "
static void write_comment(LyWriter *writer, int32_t indent, const char *text)
{
    while (*text) {
        size_t length = strlen(text), room = (size_t)(WIDTH - indent - 2);
        if (length > room) {
            for (length = room; length > 1 && text[length] != ' '; --length) {
            }
        }
        ly_writer_print(writer, "%*s# ", (int)indent, "");
        ly_writer_bytes(writer, text, length);
        ly_writer_char(writer, '\n');
        text += length;
        text += *text == ' ';
    }
}

static void write_facts(LyWriter *writer, int32_t indent, const LyKey *key)
{
    ly_writer_print(writer, "%*s#   %s", (int)indent, "", describe_kind(key));
    if (key->unit) {
        ly_writer_print(writer, ", %s", key->unit);
    }
    if (key->range != LY_RANGE_ANY) {
        ly_writer_print(writer, ", %s", ly_range_text(key->range));
    }
    if (key->only) {
        ly_writer_string(writer, ", with type ");
        for (const char *at = key->only; *at; ++at) {
            ly_writer_string(writer, *at == '|' ? " or " : (char[]){*at, 0});
        }
    }
    ly_writer_string(writer, key->required ? ", needed\n" : "\n");
    if (key->kind == LY_KEY_WORD || key->kind == LY_KEY_NAME) {
        ly_writer_print(writer, "%*s#   one of ", (int)indent, "");
        write_choices(writer, key);
        ly_writer_char(writer, '\n');
    }
}

static void write_group(LyWriter *writer, const LyGroup *group, int32_t indent, bool silent);

// `silent`: as a comment, because what is around it is one
static void write_key(LyWriter *writer, const LyKey *key, int32_t indent, bool silent)
{
    bool nested = key->kind == LY_KEY_GROUP || key->kind == LY_KEY_LIST;
    silent |= !key->fallback && !key->shown;
    const char *hush = silent ? "#" : "";
    write_comment(writer, indent, key->meaning);
    if (nested) {
        ly_writer_print(writer, "%*s%s%s:\n", (int)indent, "", hush, key->name);
        if (key->kind == LY_KEY_LIST) {
            ly_writer_print(writer, "%*s%s-\n", (int)indent + 2, "", hush);
        }
        write_group(writer, key->group, indent + (key->kind == LY_KEY_LIST ? 4 : 2), silent);
        return;
    }
    write_facts(writer, indent, key);
    ly_writer_print(writer, "%*s%s%s:%s%s\n", (int)indent, "", hush, key->name,
                    key->fallback ? " " : "", key->fallback ? key->fallback : "");
}

static void write_group(LyWriter *writer, const LyGroup *group, int32_t indent, bool silent)
{
    for (int32_t k = 0; k < group->key_count; ++k) {
        write_key(writer, &group->keys[k], indent, silent);
    }
}

void ly_schema_write_defaults(LyWriter *writer)
{
    ly_writer_string(
        writer, "# A scene with every key, its default and its meaning. Lines that open with # "
                "have no\n# default, or belong to what a scene need not have. Numbers are in "
                "SI or have a unit.\n\n");
    write_group(writer, &ly_scene_schema, 0, false);
}

LyraStatus lyra_scene_save_defaults(LyraContext *ctx, const char *path)
{
    LyWriter *writer = NULL;
    LY_TRY(ly_writer_create(ctx, path, &writer));
    ly_schema_write_defaults(writer);
    return ly_writer_commit(writer);
}

// ---- tables -------------------------------------------------------------------------------------

static void write_row(LyWriter *writer, const LyKey *key)
{
    ly_writer_print(writer, "| `%s` | %s", key->name, describe_kind(key));
    if (key->unit) {
        ly_writer_print(writer, ", %s", key->unit);
    }
    if (key->range != LY_RANGE_ANY) {
        ly_writer_print(writer, ", %s", ly_range_text(key->range));
    }
    if (key->kind == LY_KEY_WORD) {
        ly_writer_string(writer, ": ");
        write_choices(writer, key);
    }
    ly_writer_string(writer, " | ");
    if (key->fallback) {
        ly_writer_print(writer, "`%s`", key->fallback);
    } else if (key->required) {
        ly_writer_string(writer, "needed");
    }
    ly_writer_print(writer, " | %s", key->meaning);
    if (key->only) {
        ly_writer_string(writer, " With type ");
        for (const char *at = key->only; *at; ++at) {
            ly_writer_string(writer, *at == '|' ? " or " : (char[]){*at, 0});
        }
        ly_writer_char(writer, '.');
    }
    ly_writer_string(writer, " |\n");
}

#define GROUPS_MAX 64

// each group once, in the order in which it is first met
static void collect(const LyGroup *group, const LyGroup **groups, int32_t *count)
{
    for (int32_t g = 0; g < *count; ++g) {
        if (groups[g] == group) {
            return;
        }
    }
    groups[(*count)++] = group;
    for (int32_t k = 0; k < group->key_count; ++k) {
        if (group->keys[k].group && *count < GROUPS_MAX) {
            collect(group->keys[k].group, groups, count);
        }
    }
}

void ly_schema_write_tables(LyWriter *writer)
{
    const LyGroup *groups[GROUPS_MAX];
    int32_t count = 0;
    collect(&ly_scene_schema, groups, &count);
    for (int32_t g = 0; g < count; ++g) {
        ly_writer_print(writer,
                        "%s### %s\n\n%s\n\n| key | value | default | meaning |\n"
                        "|---|---|---|---|\n",
                        g ? "\n" : "", groups[g]->name, groups[g]->meaning);
        for (int32_t k = 0; k < groups[g]->key_count; ++k) {
            write_row(writer, &groups[g]->keys[k]);
        }
    }
}
