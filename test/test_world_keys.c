// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Settings of worlds by the tables of keys: what is copied, and what is refused.

#include "lyra/probe.h"
#include "lyra/world.h"
#include "lyra_test.h"
#include "world/curve.h"
#include "world/keys.h"

#include <string.h>

typedef struct Fixture {
    LyraContext *ctx;
    LyraArena *arena;
} Fixture;

static Fixture begin(void)
{
    Fixture fixture = {.ctx = test_context(1, LYRA_ISA_AUTO)};
    TEST_OK(ly_arena_create(fixture.ctx, 0, &fixture.arena));
    return fixture;
}

static void end(Fixture *fixture)
{
    ly_arena_destroy(fixture->ctx, fixture->arena);
    test_context_end(fixture->ctx);
}

LYRA_TEST(copies_share_nothing_with_what_they_came_from)
{
    Fixture fixture = begin();
    char name[] = "beam", set[] = "foot", text[] = "2*t", word[] = "yeoh", own[] = "mu";
    double times[] = {0, 1}, values[] = {0, 0.5}, at[] = {1, 2, 3};
    int32_t vertices[] = {4, 5};
    LyraElasticConstant constant = {own, 7};
    LyraSelectBox box = {{0, 0, 0}, {1, 1, 1}};
    LyraRegion region = lyra_region_default();
    LyraBodyFibre fibre = lyra_body_fibre_default();
    LyraBodyDef def = lyra_body_def_default(), copy;
    region.select = (LyraSelector){.first = 1,
                                   .component = -1,
                                   .set = set,
                                   .box = &box,
                                   .vertices = vertices,
                                   .vertex_count = 2,
                                   .component_at = at};
    fibre.activation = (LyraCurve){.key_count = 2, .times = times, .values = values};
    def.name = name;
    def.material.model = word;
    def.material.constants = &constant;
    def.material.constant_count = 1;
    def.regions = &region;
    def.region_count = 1;
    def.fibre = &fibre;
    TEST_REQUIRE_OK(ly_keys_copy(fixture.arena, &ly_body_keys, &def, &copy));
    name[0] = set[0] = word[0] = own[0] = 'x';
    vertices[1] = 9, at[2] = 9, box.max[0] = 9, values[1] = 9, region.young = 9, constant.value = 9;
    fibre.stiffness = 9;
    TEST_STRING(copy.name, "beam");
    TEST_STRING(copy.material.model, "yeoh");
    TEST_STRING(copy.material.constants->name, "mu");
    TEST_NEAR(copy.material.constants->value, 7, 0);
    const LyraSelector *select = &copy.regions->select;
    TEST_STRING(select->set, "foot");
    TEST_EQUAL(select->vertices[1], 5);
    TEST_NEAR(select->component_at[2], 3, 0);
    TEST_NEAR(select->box->max[0], 1, 0);
    TEST_CHECK(isnan(copy.regions->young) && copy.fibre->stiffness == 0);
    TEST_NEAR(ly_curve_at(&copy.fibre->activation, 1).value, 0.5, 0);

    LyraChangeDef change = lyra_change_def_default(), changed;
    LyraCurve factor = lyra_curve_expression(text);
    change.factor = &factor;
    TEST_REQUIRE_OK(ly_keys_copy(fixture.arena, &ly_change_keys, &change, &changed));
    text[0] = '9';
    TEST_NEAR(ly_curve_at(changed.factor, 3).value, 6, 0);
    end(&fixture);
}

LYRA_TEST(copies_may_take_the_place_of_what_they_came_from)
{
    Fixture fixture = begin();
    char body[] = "beam";
    double direction[] = {0, 1, 0};
    LyraConstraintDef def = lyra_constraint_def_default();
    def.body = body;
    def.direction = direction;
    TEST_OK(ly_keys_copy(fixture.arena, &ly_constraint_keys, &def, &def));
    body[0] = 'x', direction[1] = 9;
    TEST_STRING(def.body, "beam");
    TEST_NEAR(def.direction[1], 1, 0);
    end(&fixture);
}

// one wrong setting each, in a copy of the defaults
typedef struct Wrong {
    const char *sentence;
    void (*spoil)(LyraBodyDef *def);
} Wrong;

static LyraRegion regions[2];
static LyraMeshShapeDef shape;
static LyraBodyFibre fibre;

static void spoil_density(LyraBodyDef *def)
{
    def->density = -1;
}

static void spoil_poisson(LyraBodyDef *def)
{
    def->material.poisson = 0.5;
}

static void spoil_translation(LyraBodyDef *def)
{
    def->transform.translate[1] = NAN;
}

static void spoil_model(LyraBodyDef *def)
{
    def->material.model = "rubber";
}

static void spoil_word(LyraBodyDef *def)
{
    def->material.inversion = (LyraInversion)3;
}

static void spoil_region(LyraBodyDef *def)
{
    regions[0] = regions[1] = lyra_region_default();
    regions[1].select.component = -2;
    def->regions = regions;
    def->region_count = 2;
}

static void spoil_list(LyraBodyDef *def)
{
    def->region_count = 1;
}

static void spoil_shape(LyraBodyDef *def)
{
    shape = lyra_mesh_shape_def_default();
    shape.cells[0] = -4;
    def->generate = &shape;
}

static void spoil_activation(LyraBodyDef *def)
{
    fibre = lyra_body_fibre_default();
    fibre.activation = lyra_curve_expression("2 + t");
    def->fibre = &fibre;
}

static void spoil_expression(LyraBodyDef *def)
{
    fibre = lyra_body_fibre_default();
    fibre.activation = lyra_curve_expression("sinh(t)");
    def->fibre = &fibre;
}

LYRA_TEST(wrong_settings_are_named_by_their_path)
{
    static const Wrong wrong[] = {
        {"material.density: found -1, expected a finite number above 0", spoil_density},
        {"material.poisson: found 0.5, expected a finite number between -1 and 0.5", spoil_poisson},
        {"transform.translate: found nan, expected a finite number", spoil_translation},
        {"material.model: found \"rubber\", expected one of: linear", spoil_model},
        {"material.inversion: found the number 3, expected 0 to 2", spoil_word},
        {"regions[1].select.component: found -2, expected a whole number not below 0",
         spoil_region},
        {"regions: found 1 items at NULL, expected a list", spoil_list},
        {"generate.cells: found -4, expected a whole number", spoil_shape},
        {"fibre.activation: found 2, expected a finite number from 0 to 1", spoil_activation},
        {"fibre.activation: ", spoil_expression},
    };
    Fixture fixture = begin();
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; ++i) {
        LyraBodyDef def = lyra_body_def_default(), copy = def;
        wrong[i].spoil(&def);
        LyraStatus status = ly_keys_copy(fixture.arena, &ly_body_keys, &def, &copy);
        TEST_CHECK_MSG(status != LYRA_OK, "no failure, expected \"%s\"", wrong[i].sentence);
        TEST_CONTAINS(lyra_error_message(), wrong[i].sentence);
        TEST_CHECK(copy.fibre == NULL && copy.region_count == 0);
    }
    end(&fixture);
}

// what the default functions make is allowed, NaN and all
static void check_defaults(Fixture *fixture, const LyGroup *group)
{
    char *def = NULL;
    TEST_REQUIRE_OK(ly_arena_allocate(fixture->arena, 1, group->size, &def));
    if (group->init) {
        group->init(def);
    }
    TEST_OK(ly_keys_copy(fixture->arena, group, def, def));
    for (int32_t k = 0; k < group->key_count; ++k) {
        const LyKey *key = &group->keys[k];
        TEST_CHECK(key->meaning && key->name && key->offset + key->size <= group->size);
        TEST_CHECK((key->group != NULL) == (key->kind == LY_KEY_GROUP || key->kind == LY_KEY_LIST));
        TEST_CHECK((key->choices != NULL) == (key->kind == LY_KEY_WORD));
        TEST_CHECK((key->choice != NULL) == (key->kind == LY_KEY_NAME));
    }
}

LYRA_TEST(defaults_are_allowed)
{
    Fixture fixture = begin();
    check_defaults(&fixture, &ly_world_keys);
    check_defaults(&fixture, &ly_body_keys);
    check_defaults(&fixture, &ly_constraint_keys);
    check_defaults(&fixture, &ly_load_keys);
    check_defaults(&fixture, &ly_change_keys);
    check_defaults(&fixture, &ly_select_keys);
    end(&fixture);
}

// the row of words of that name in a group or in those within it
static const LyKey *find_row(const LyGroup *group, const char *name)
{
    const LyKey *found = NULL;
    for (int32_t k = 0; k < group->key_count && !found; ++k) {
        const LyKey *key = &group->keys[k];
        found = key->choices && strcmp(key->name, name) == 0 ? key : NULL;
        found = !found && key->group ? find_row(key->group, name) : found;
    }
    return found;
}

// every name of `word` stands in the choices of a row, in its order, and no other
#define CHECK_WORDS(group, row, count, word)                                                       \
    do {                                                                                           \
        char words[400] = "";                                                                      \
        for (int i = 0; i < (int)(count); ++i) {                                                   \
            strcat(strcat(words, i > 0 ? "|" : ""), word(i));                                      \
        }                                                                                          \
        const LyKey *key = find_row(&(group), row);                                                \
        TEST_REQUIRE(key);                                                                         \
        TEST_STRING(key->choices, words);                                                          \
    } while (0)

LYRA_TEST(words_of_scenes_are_the_names_of_the_library)
{
    CHECK_WORDS(ly_body_keys, "shape", LYRA_MESH_SHAPE_COUNT, lyra_mesh_shape_name);
    CHECK_WORDS(ly_body_keys, "element", LYRA_ELEMENT_KIND_COUNT, lyra_element_kind_name);
    CHECK_WORDS(ly_body_keys, "yield", LYRA_YIELD_COUNT, lyra_yield_name);
    CHECK_WORDS(ly_body_keys, "inversion", LYRA_INVERSION_COUNT, lyra_inversion_name);
    CHECK_WORDS(ly_body_keys, "volumetric", LYRA_VOLUMETRIC_COUNT, lyra_volumetric_name);
    CHECK_WORDS(ly_probe_keys, "quantity", LYRA_PROBE_QUANTITY_COUNT, lyra_probe_quantity_name);
    CHECK_WORDS(ly_probe_keys, "reduce", LYRA_PROBE_REDUCE_COUNT, lyra_probe_reduce_name);
    CHECK_WORDS(ly_probe_keys, "component", LYRA_PROBE_COMPONENT_COUNT, lyra_probe_component_name);
}
