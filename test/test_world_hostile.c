// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Each setting of worlds in turn has values that nobody means: not finite, negative, huge, no text.
// Whatever comes of it is a status with a sentence; the world can be stepped and ended afterwards.

#include "lyra/probe.h"
#include "lyra/world.h"
#include "lyra_test.h"
#include "world/keys_rows.h"

#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

enum { MEMORY_MAX = 64 << 20, DEF_BYTES_MAX = 4096 };

// ---- memory -------------------------------------------------------------------------------------

// a machine that has little, so that huge counts are refused at once
static void *allocate(void *user, size_t bytes, size_t alignment)
{
    size_t *held = user;
    void *memory = NULL;
    if (bytes > MEMORY_MAX - *held || posix_memalign(&memory, alignment, bytes) != 0) {
        return NULL;
    }
    *held += bytes;
    return memory;
}

static void release(void *user, void *memory, size_t bytes)
{
    *(size_t *)user -= bytes;
    free(memory);
}

// ---- what is spoilt -----------------------------------------------------------------------------

typedef LyraStatus Apply(LyraWorld *world, const void *def);

// a struct of settings that are good, and how they are used
typedef struct Subject {
    const char *name;
    const LyGroup *group;
    const void *def; // good
    size_t size;
    Apply *apply; // NULL: `def` is the world's own
    size_t base;  // of the group in it
} Subject;

typedef struct Spoiler {
    const Subject *subject;
    _Alignas(16) char def[DEF_BYTES_MAX]; // of the try at hand, then what its pointers lead to
    size_t used;
    int32_t tries, refused;
} Spoiler;

static LyraStatus add_body(LyraWorld *world, const char *name, double x)
{
    LyraMeshShapeDef box = lyra_mesh_shape_def_default();
    LyraBodyDef body = lyra_body_def_default();
    box.cells[0] = box.cells[1] = box.cells[2] = 1;
    box.center[0] = x;
    body.generate = &box;
    body.name = name;
    return lyra_world_add_body(world, &body, NULL);
}

// a good world, the settings as they are, and a step where these were taken
static void try_settings(Spoiler *spoiler, const char *path, int value)
{
    const Subject *subject = spoiler->subject;
    size_t held = 0;
    LyraContext *ctx = NULL;
    LyraWorld *world = NULL;
    LyraContextDef def = lyra_context_def_default();
    def.thread_count = 1;
    def.allocator = (LyraAllocator){allocate, release, &held};
    TEST_REQUIRE_OK(lyra_context_create(&def, &ctx));
    bool whole = subject->apply == NULL;
    LyraStatus status =
        lyra_world_create(ctx, whole ? (const LyraWorldDef *)(void *)spoiler->def : NULL, &world);
    if (status == LYRA_OK) {
        TEST_OK(add_body(world, "a", 0));
        TEST_OK(add_body(world, "b", 1));
        status = whole ? LYRA_OK : subject->apply(world, spoiler->def);
        // the world goes on, also without what was refused
        LyraStatus step = lyra_world_step(world, NULL);
        TEST_CHECK_MSG(status == LYRA_OK || step == LYRA_OK, "%s %s, value %d: a step after it: %s",
                       subject->name, path, value, lyra_error_message());
        status = status == LYRA_OK ? step : status;
        if (step == LYRA_OK) {
            const double *x = lyra_world_positions(world, 0, NULL);
            TEST_CHECK_MSG(x && isfinite(x[0]), "%s %s, value %d: positions are not finite",
                           subject->name, path, value);
        }
    }
    TEST_CHECK_MSG(status == LYRA_OK ||
                       (*lyra_error_message() && !strstr(lyra_error_message(), "(null)")),
                   "%s %s, value %d: no sentence", subject->name, path, value);
    lyra_world_destroy(world);
    TEST_EQUAL(lyra_context_byte_count(ctx), 0);
    lyra_context_destroy(ctx);
    ++spoiler->tries;
    spoiler->refused += status != LYRA_OK;
}

static void spoil_group(Spoiler *spoiler, const LyGroup *group, size_t base, const char *path);

static void spoil_with(Spoiler *spoiler, size_t at, const void *bytes, size_t size,
                       const char *path, int value)
{
    char kept[sizeof(LyraCurve) + 64];
    TEST_REQUIRE(size <= sizeof kept && at + size <= sizeof spoiler->def);
    memcpy(kept, spoiler->def + at, size);
    memcpy(spoiler->def + at, bytes, size);
    try_settings(spoiler, path, value);
    memcpy(spoiler->def + at, kept, size);
}

static const double numbers[] = {NAN, INFINITY, -INFINITY, -1, 0, 1e300, -1e300, 1e-300, 5e-324};
static const int32_t integers[] = {-1, 0, INT32_MAX, INT32_MIN};
static const char *const texts[] = {NULL, "", "nonsense", "%s%n", "a\nb/../c", "bodies.*.a[0]"};

enum { NUMBERS = sizeof numbers / sizeof *numbers, INTEGERS = sizeof integers / sizeof *integers };
enum { TEXTS = sizeof texts / sizeof *texts };

// work that was asked for is no error: so many steps within a step would take a year
static bool is_work(const LyKey *key)
{
    return strcmp(key->name, "substeps") == 0 || strcmp(key->name, "load-steps") == 0 ||
           strcmp(key->name, "halvings") == 0 || strcmp(key->name, "stages") == 0;
}

static void spoil_curve(Spoiler *spoiler, size_t at, const char *path)
{
    static const double times[] = {1, 0}, values[] = {NAN, 1};
    const LyraCurve curves[] = {lyra_curve_constant(NAN),
                                lyra_curve_constant(-1e300),
                                lyra_curve_expression("sin("),
                                lyra_curve_expression("1/0"),
                                lyra_curve_expression("0/t"),
                                lyra_curve_expression("1/(t-0.01)"),
                                {.key_count = 2, .times = times, .values = values},
                                {.key_count = -3},
                                {.key_count = 5}};
    for (size_t i = 0; i < sizeof curves / sizeof *curves; ++i) {
        spoil_with(spoiler, at, &curves[i], sizeof curves[i], path, (int)i);
    }
}

static void spoil_value(Spoiler *spoiler, const LyKey *key, size_t at, const char *path)
{
    size_t count = key->size / sizeof(double);
    switch (key->kind) {
    case LY_KEY_NUMBER:
    case LY_KEY_VECTOR:
    case LY_KEY_SCALE:
    case LY_KEY_PAIR:
        for (int i = 0; i < NUMBERS * (int)count; ++i) {
            spoil_with(spoiler, at + (size_t)(i / NUMBERS) * sizeof(double), &numbers[i % NUMBERS],
                       sizeof(double), path, i);
        }
        break;
    case LY_KEY_INTEGER:
    case LY_KEY_WORD:
    case LY_KEY_AXES:
        for (int i = 0; i < INTEGERS && key->size >= sizeof(int32_t); ++i) {
            int64_t wide = integers[i];
            if (!is_work(key) || integers[i] < 1) {
                spoil_with(spoiler, at, key->size == sizeof wide ? (void *)&wide : &integers[i],
                           key->size, path, i);
            }
        }
        break;
    case LY_KEY_NAME:
    case LY_KEY_TEXT:
        for (int i = 0; i < TEXTS; ++i) {
            spoil_with(spoiler, at, &texts[i], sizeof texts[i], path, i);
        }
        break;
    case LY_KEY_CURVES:
    case LY_KEY_CURVE:
        for (size_t c = 0; c < key->size / sizeof(LyraCurve); ++c) {
            spoil_curve(spoiler, at + c * sizeof(LyraCurve), path);
        }
        break;
    default:
        break;
    }
}

// settings that need not be given: with their defaults, then each of them
static void spoil_pointed(Spoiler *spoiler, const LyKey *key, size_t at, const char *path)
{
    char kept[sizeof(void *)];
    size_t size = key->group ? key->group->size : 0, begin = (spoiler->used + 15) / 16 * 16;
    char *made = spoiler->def + begin;
    if (size == 0) {
        return;
    }
    TEST_REQUIRE(begin + size <= sizeof spoiler->def);
    memset(made, 0, size);
    if (key->group->init) {
        key->group->init(made);
    }
    spoiler->used = begin + size;
    memcpy(kept, spoiler->def + at, sizeof kept);
    memcpy(spoiler->def + at, &made, sizeof made);
    try_settings(spoiler, path, 0);
    spoil_group(spoiler, key->group, begin, path);
    memcpy(spoiler->def + at, kept, sizeof kept);
    spoiler->used = begin;
}

static void spoil_key(Spoiler *spoiler, const LyKey *key, size_t base, const char *path)
{
    size_t at = base + key->offset;
    if (key->count_offset) {
        for (int i = 0; i < INTEGERS; ++i) {
            const void *list = NULL;
            char kept[sizeof list];
            memcpy(kept, spoiler->def + at, sizeof kept);
            memcpy(spoiler->def + at, &list, sizeof list);
            spoil_with(spoiler, base + key->count_offset, &integers[i], sizeof integers[i], path,
                       i);
            memcpy(spoiler->def + at, kept, sizeof kept);
        }
    } else if (key->pointer) {
        spoil_pointed(spoiler, key, at, path);
    } else if (key->kind == LY_KEY_GROUP) {
        spoil_group(spoiler, key->group, at, path);
    } else {
        spoil_value(spoiler, key, at, path);
    }
}

static void spoil_group(Spoiler *spoiler, const LyGroup *group, size_t base, const char *path)
{
    for (int32_t k = 0; k < group->key_count; ++k) {
        char deeper[200];
        snprintf(deeper, sizeof deeper, "%s.%s", path, group->keys[k].name);
        spoil_key(spoiler, &group->keys[k], base, deeper);
    }
}

static void spoil(const Subject *subject)
{
    Spoiler spoiler = {.subject = subject};
    TEST_REQUIRE(subject->size <= sizeof spoiler.def);
    spoiler.used = subject->size;
    memcpy(spoiler.def, subject->def, subject->size);
    try_settings(&spoiler, "nothing", 0);
    TEST_CHECK_MSG(spoiler.refused == 0, "%s: %s", subject->name, lyra_error_message());
    spoil_group(&spoiler, subject->group, subject->base, "");
    TEST_CHECK_MSG(spoiler.refused > 0 && spoiler.refused < spoiler.tries, "%s: %d of %d refused",
                   subject->name, (int)spoiler.refused, (int)spoiler.tries);
}

// ---- subjects -----------------------------------------------------------------------------------

static LyraStatus apply_body(LyraWorld *world, const void *def)
{
    return lyra_world_add_body(world, def, NULL);
}

static LyraStatus apply_constraint(LyraWorld *world, const void *def)
{
    return lyra_world_add_constraint(world, def);
}

static LyraStatus apply_load(LyraWorld *world, const void *def)
{
    return lyra_world_add_load(world, def);
}

static LyraStatus apply_tie(LyraWorld *world, const void *def)
{
    return lyra_world_add_tie(world, def, NULL);
}

static LyraStatus apply_change(LyraWorld *world, const void *def)
{
    return lyra_world_add_change(world, def);
}

static LyraStatus apply_probe(LyraWorld *world, const void *def)
{
    return lyra_world_add_probe(world, def, NULL);
}

static LyraMeshShapeDef cell(void)
{
    LyraMeshShapeDef box = lyra_mesh_shape_def_default();
    box.cells[0] = box.cells[1] = box.cells[2] = 1;
    box.center[1] = 3;
    return box;
}

LYRA_TEST(bodies_may_be_wrong_in_every_number)
{
    LyraMeshShapeDef box = cell();
    LyraBodyDef body = lyra_body_def_default();
    body.generate = &box;
    spoil(&(Subject){"body", &ly_body_keys, &body, sizeof body, apply_body, 0});
}

LYRA_TEST(springs_may_be_wrong_in_every_number)
{
    LyraBodyDef body = lyra_body_def_default();
    LyraBodySprings springs = lyra_body_springs_default();
    springs.over = LYRA_SPRINGS_OVER_CHAIN;
    body.kind = "springs";
    body.springs = &springs;
    spoil(&(Subject){"springs", &ly_body_keys, &body, sizeof body, apply_body, 0});
}

LYRA_TEST(worlds_may_be_wrong_in_every_number)
{
    LyraWorldDef def = lyra_world_def_default();
    spoil(&(Subject){"damping", &ly_damping_keys, &def, sizeof def, NULL,
                     offsetof(LyraWorldDef, damping)});
    spoil(&(Subject){"integrator", &ly_integrator_keys, &def, sizeof def, NULL,
                     offsetof(LyraWorldDef, integrator)});
    spoil(&(Subject){"solver", &ly_solver_keys, &def, sizeof def, NULL,
                     offsetof(LyraWorldDef, solver)});
    spoil(&(Subject){"time", &ly_time_keys, &def, sizeof def, NULL, offsetof(LyraWorldDef, time)});
}

LYRA_TEST(constraints_and_probes_may_be_wrong_in_every_number)
{
    LyraConstraintDef held = lyra_constraint_def_default();
    LyraProbeDef probe = lyra_probe_def_default();
    held.select.all = true;
    probe.body = "a";
    held.axes = 2;
    spoil(&(Subject){"constraint", &ly_constraint_keys, &held, sizeof held, apply_constraint, 0});
    spoil(&(Subject){"probe", &ly_probe_keys, &probe, sizeof probe, apply_probe, 0});
}

LYRA_TEST(loads_may_be_wrong_in_every_number)
{
    static const LyraTendonPoint path[] = {{.body = "a", .vertex = 0}, {.body = "b", .vertex = 1}};
    LyraLoadDef load = lyra_load_def_default();
    load.select.all = true;
    load.stiffness = 10;
    load.path = path;
    load.path_count = 2;
    for (int type = LYRA_LOAD_FORCE; type <= LYRA_LOAD_TENDON; ++type) {
        load.type = (LyraLoadKind)type;
        spoil(&(Subject){"load", &ly_load_keys, &load, sizeof load, apply_load, 0});
    }
}

LYRA_TEST(ties_and_changes_may_be_wrong_in_every_number)
{
    LyraCurve factor = lyra_curve_constant(1);
    LyraTieDef tie = lyra_tie_def_default();
    LyraChangeDef change = lyra_change_def_default();
    tie.body = "a";
    tie.to = "b";
    tie.select.all = true;
    tie.stiffness = 10;
    change.factor = &factor;
    spoil(&(Subject){"tie", &ly_tie_keys, &tie, sizeof tie, apply_tie, 0});
    spoil(&(Subject){"change", &ly_change_keys, &change, sizeof change, apply_change, 0});
}
