// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Parameters by their paths: the rows of the tables of keys that can be turned, for the world, for
// all bodies at once and for single ones.

#include "world/parameters.h"

#include "force/elastic.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PATH_CHARS 200
#define NAME_CHARS 100 // of bodies in paths; longer ones have their number

typedef struct LyParameter {
    const char *path; // the arena's
    const char *rest; // of the path behind its body; NULL: the world's own
    const LyKey *key;
    int32_t body;         // -1: all, or the world's own
    double start, turned; // of ly_turns_find() and ly_turns_set()
} LyParameter;

struct LyParameters {
    int32_t count;
    LyParameter *items; // owned
};

// ---- the list -----------------------------------------------------------------------------------

static LyraStatus add(LyraWorld *world, const char *path, size_t prefix, const LyKey *key,
                      int32_t body)
{
    LyParameters *list = world->parameters;
    char *copy = NULL;
    double start = NAN;
    if (!(key->live ? ly_live_has(key->live, world, body) && !ly_world_changes_key(world, key, body)
                    : ly_turns_find(world, body, key, &start))) {
        return LYRA_OK;
    }
    LY_TRY(ly_grow_array(world->ctx, list->count, sizeof *list->items, &list->items));
    LY_TRY(ly_arena_allocate(world->arena, (int64_t)strlen(path) + 1, 1, &copy));
    memcpy(copy, path, strlen(path));
    list->items[list->count++] = (LyParameter){.path = copy,
                                               .rest = prefix ? copy + prefix : NULL,
                                               .key = key,
                                               .body = body,
                                               .start = start,
                                               .turned = NAN};
    return LYRA_OK;
}

// the rows of a group and of those within it that can be turned; `path` begins with the body, in
// `prefix` chars, and lists are for those who know their items
static LyraStatus collect(LyraWorld *world, const LyGroup *group, char path[PATH_CHARS],
                          size_t prefix, int32_t body)
{
    size_t begin = strlen(path);
    for (int32_t k = 0; k < group->key_count; ++k) {
        const LyKey *key = &group->keys[k];
        bool within = key->kind == LY_KEY_GROUP;
        snprintf(path + begin, PATH_CHARS - begin, "%s%s", key->name, within ? "." : "");
        if (key->live || key->turns.parameter) {
            LY_TRY(add(world, path, prefix, key, body));
        }
        if (within) {
            LY_TRY(collect(world, key->group, path, prefix, body));
        }
    }
    path[begin] = '\0';
    return LYRA_OK;
}

LyraStatus ly_world_list_parameters(LyraWorld *world)
{
    char path[PATH_CHARS] = "";
    LY_TRY(ly_allocate_zeroed(world->ctx, 1, sizeof *world->parameters, &world->parameters));
    LY_TRY(collect(world, &ly_world_keys, path, 0, -1));
    if (world->body_count > 1) {
        int length = snprintf(path, sizeof path, "bodies.*.");
        LY_TRY(collect(world, &ly_body_keys, path, (size_t)length, -1));
    }
    for (int32_t b = 0; b < world->body_count; ++b) {
        const char *name = world->views[b].name;
        // paths of names that would be read as something else have the number
        bool plain = strlen(name) <= NAME_CHARS && !strchr(name, '=') && strcmp(name, "*") != 0;
        int length = plain ? snprintf(path, sizeof path, "bodies.%s.", name)
                           : snprintf(path, sizeof path, "bodies[%d].", (int)b);
        LY_TRY(collect(world, &ly_body_keys, path, (size_t)length, b));
    }
    return LYRA_OK;
}

void ly_world_end_parameters(LyraWorld *world)
{
    if (world->parameters) {
        ly_release(world->ctx, world->parameters->items);
    }
    ly_release(world->ctx, world->parameters);
    world->parameters = NULL;
}

// ---- paths --------------------------------------------------------------------------------------

const LyKey *ly_find_turned(const LyGroup *group, const char *path)
{
    size_t length = strcspn(path, ".");
    for (int32_t k = 0; k < group->key_count; ++k) {
        const LyKey *key = &group->keys[k];
        if (strlen(key->name) == length && memcmp(key->name, path, length) == 0) {
            if (path[length] == '.') {
                return key->kind == LY_KEY_GROUP ? ly_find_turned(key->group, path + length + 1)
                                                 : NULL;
            }
            return key->live || key->turns.parameter ? key : NULL;
        }
    }
    return NULL;
}

// the body whose name is followed by a dot, by the longest name; -1 without
static int32_t find_named(const LyraWorld *world, const char *text, size_t *length)
{
    int32_t found = -1;
    for (int32_t b = 0; b < world->body_count; ++b) {
        size_t own = strlen(world->views[b].name);
        if (strncmp(text, world->views[b].name, own) == 0 && text[own] == '.' &&
            (found < 0 || own > *length)) {
            found = b;
            *length = own;
        }
    }
    return found;
}

const char *ly_path_body(const LyraWorld *world, const char *path, int32_t *body)
{
    *body = -1;
    if (strncmp(path, "bodies[", 7) == 0) {
        char *end = NULL;
        long number = strtol(path + 7, &end, 10);
        bool whole = end > path + 7 && end[0] == ']' && end[1] == '.' && number >= 0;
        *body = whole && number < world->body_count ? (int32_t)number : -1;
        return *body >= 0 ? end + 2 : NULL;
    }
    if (strncmp(path, "bodies.", 7) != 0) {
        return NULL;
    }
    if (strncmp(path + 7, "*.", 2) == 0) {
        return path + 9;
    }
    size_t length = 0;
    *body = find_named(world, path + 7, &length);
    return *body >= 0 ? path + 7 + length + 1 : NULL;
}

static LyraStatus refuse(const LyraWorld *world, const char *path)
{
    char list[400] = "";
    int32_t shown = 0, count = world->parameters->count;
    for (; shown < count &&
           strlen(list) + strlen(world->parameters->items[shown].path) + 20 < sizeof list;
         ++shown) {
        ly_list_name(sizeof list, list, world->parameters->items[shown].path);
    }
    char more[40] = "";
    if (shown < count) {
        snprintf(more, sizeof more, " and %d more", (int)(count - shown));
    }
    return ly_fail(LYRA_INVALID_ARGUMENT,
                   "no parameter \"%.100s\" can be turned in this world, expected one of: %s%s",
                   path, list, more);
}

static LyraStatus find(LyraWorld *world, const char *path, LyParameter **out)
{
    int32_t body;
    LY_TRY(lyra_world_prepare(world));
    const char *rest = ly_path_body(world, path, &body);
    // all bodies of one are that one
    body = rest && body < 0 && world->body_count == 1 ? 0 : body;
    for (int32_t p = 0; p < world->parameters->count; ++p) {
        LyParameter *own = &world->parameters->items[p];
        bool same = rest && own->rest ? own->body == body && strcmp(own->rest, rest) == 0
                                      : !rest && strcmp(own->path, path) == 0;
        if (same) {
            *out = own;
            return LYRA_OK;
        }
    }
    return refuse(world, path);
}

// the first body stands for all
static double find_turned(const LyParameters *list, const LyParameter *parameter)
{
    int32_t p = 0;
    while (parameter->body < 0 &&
           (list->items[p].key != parameter->key || list->items[p].body < 0)) {
        ++p;
    }
    return parameter->body < 0 ? list->items[p].turned : parameter->turned;
}

static void read(const LyraWorld *world, const LyParameter *parameter, LyraWorldParameter *out)
{
    const LyKey *key = parameter->key;
    *out = (LyraWorldParameter){.path = parameter->path, .name = key->name};
    if (key->live) {
        ly_live_read(key->live, world, parameter->body, out);
    } else {
        ly_turns_read(key, parameter->start, find_turned(world->parameters, parameter), out);
    }
}

static LyraStatus set(LyraWorld *world, LyUndo *undo, LyParameter *parameter, double value)
{
    const LyKey *key = parameter->key;
    double turned;
    if (key->live) {
        return ly_live_set(key->live, world, undo, parameter->body, value);
    }
    LY_TRY(ly_turns_set(world, undo, parameter->body, key, parameter->start, value, &turned));
    for (int32_t p = 0; p < world->parameters->count; ++p) {
        LyParameter *other = &world->parameters->items[p];
        bool covered = parameter->body < 0 || other->body == parameter->body;
        other->turned = other->key == key && covered ? turned : other->turned;
    }
    return LYRA_OK;
}

// ---- what people call ---------------------------------------------------------------------------

bool lyra_world_parameter(LyraWorld *world, int32_t index, LyraWorldParameter *out)
{
    LYRA_ASSERT(world && out);
    if (lyra_world_prepare(world) != LYRA_OK || index < 0 || index >= world->parameters->count) {
        return false;
    }
    read(world, &world->parameters->items[index], out);
    return true;
}

LyraStatus lyra_world_get(LyraWorld *world, const char *path, LyraWorldParameter *out)
{
    LYRA_ASSERT(world && path && out);
    LyParameter *parameter = NULL;
    LY_TRY(find(world, path, &parameter));
    read(world, parameter, out);
    return LYRA_OK;
}

LyraStatus lyra_world_set(LyraWorld *world, const char *path, double value)
{
    LYRA_ASSERT(world && path);
    LyParameter *parameter = NULL;
    LY_TRY(find(world, path, &parameter));
    if (!isfinite(value)) {
        return ly_fail(LYRA_INVALID_ARGUMENT, "%s is not a finite number", path);
    }
    LyUndo undo = {.ctx = world->ctx};
    LyraStatus status = set(world, &undo, parameter, value);
    if (status != LYRA_OK) {
        ly_undo_back(&undo, world->model);
    }
    ly_undo_end(&undo);
    return status;
}

LyraStatus lyra_world_set_gravity(LyraWorld *world, const double gravity[3])
{
    LYRA_ASSERT(world && gravity);
    if (world->model) {
        if (world->gravity_changes) {
            return ly_fail(LYRA_INVALID_ARGUMENT,
                           "the gravity of this world changes with time, expected a constant one");
        }
        return lyra_model_set_gravity(world->model, gravity);
    }
    for (int i = 0; i < 3; ++i) {
        if (!isfinite(gravity[i])) {
            return ly_fail(LYRA_NOT_FINITE, "gravity is not finite");
        }
    }
    for (int i = 0; i < 3; ++i) {
        world->spec.gravity[i] = lyra_curve_constant(gravity[i]);
    }
    world->gravity_changes = false;
    ly_world_digest(world, gravity, 3 * sizeof *gravity);
    return LYRA_OK;
}
