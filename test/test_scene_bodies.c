// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Several bodies cost the sum of their sizes: what scenes of more and more bodies allocate grows
// with their number, not with its square.

#include "lyra/lyra.h"
#include "lyra_test.h"
#include "scene_yaml.h"

#include <stdlib.h>

typedef struct Cost {
    int64_t requests, peak, kept;
} Cost;

// `count` small boxes beside one another, each with fibres, changes, a place where it is held and a
// pressure of its own
static void write_scene(const char *path, int32_t count)
{
    char *text = malloc((size_t)count * 1000 + 1000);
    size_t at = (size_t)sprintf(text, "bodies:\n");
    for (int32_t b = 0; b < count; ++b) {
        at += (size_t)sprintf(text + at,
                              "  - name: box%d\n"
                              "    generate: {cells: [2, 2, 2], center: [%d, 0, 0]}\n"
                              "    fibre: {active-stress: 1 kPa, activation: ramp(t)}\n",
                              b, 3 * b);
    }
    at += (size_t)sprintf(text + at, "constraints:\n");
    for (int32_t b = 0; b < count; ++b) {
        at += (size_t)sprintf(text + at, "  - {body: box%d, select: {vertices: [0, 1, 2]}}\n", b);
    }
    at += (size_t)sprintf(text + at, "loads:\n");
    for (int32_t b = 0; b < count; ++b) {
        at += (size_t)sprintf(
            text + at, "  - {type: pressure, body: box%d, select: {surface: true}, pressure: 1}\n",
            b);
    }
    at += (size_t)sprintf(text + at, "changes: [{factor: 1+t}]\nsolver: {name: pcg}\n");
    test_write_file(path, text, at);
    free(text);
}

// what loading, a step and the fields of all bodies cost
static Cost measure(int32_t count)
{
    char path[1000];
    snprintf(path, sizeof path, "%s", test_temp_path("bodies.yaml"));
    write_scene(path, count);
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    LyraWorld *world = NULL;
    LyraFields **fields = calloc((size_t)count, sizeof(LyraFields *));
    int64_t bytes = test_allocation_bytes();
    Cost cost = {.requests = -test_allocation_count()};
    test_allocation_peak_reset();
    TEST_OK(lyra_world_load(ctx, path, NULL, &world, NULL));
    if (!world) {
        return cost;
    }
    TEST_OK(lyra_world_step(world, NULL));
    LyraWorldView view = lyra_world_view(world);
    TEST_EQUAL(view.body_count, count);
    for (int32_t b = 0; b < count; ++b) {
        TEST_OK(lyra_fields_create(ctx, view.model, view.bodies[b].mesh,
                                   view.bodies[b].first_vertex, &fields[b]));
    }
    cost.requests += test_allocation_count();
    cost.peak = test_allocation_peak() - bytes;
    cost.kept = test_allocation_bytes() - bytes;
    for (int32_t b = 0; b < count; ++b) {
        lyra_fields_destroy(fields[b]);
    }
    free(fields);
    lyra_world_destroy(world);
    test_context_end(ctx);
    return cost;
}

LYRA_TEST(bodies_cost_the_sum_of_their_sizes)
{
    REQUIRE_YAML();
    enum { FEW = 50, TIMES = 4 };
    Cost few = measure(FEW), many = measure(TIMES * FEW);
    // arrays that double as they grow may be as much as twice too large for a moment
    TEST_CHECK_MSG((double)many.requests < 1.1 * TIMES * (double)few.requests,
                   "%lld requests, then %lld", (long long)few.requests, (long long)many.requests);
    TEST_CHECK_MSG((double)many.peak < 1.1 * TIMES * (double)few.peak, "%lld bytes, then %lld",
                   (long long)few.peak, (long long)many.peak);
    TEST_CHECK_MSG((double)many.kept < 1.1 * TIMES * (double)few.kept, "%lld bytes kept, then %lld",
                   (long long)few.kept, (long long)many.kept);
}

// the same name again and again: each group has its own, and is found by it
LYRA_TEST(groups_of_one_name_are_numbered)
{
    enum { COUNT = 300 };
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    const double positions[6] = {0, 0, 0, 1, 0, 0}, masses[2] = {1, 1};
    const int32_t pair[2] = {0, 1};
    LyraForce *forces[COUNT] = {NULL};
    LyraModel *model = NULL;
    LyraSprings *springs = NULL;
    LyraSpringsDef list = lyra_springs_def_default();
    list.vertex_count = 2;
    list.positions = positions;
    list.spring_count = 1;
    list.vertices = pair;
    TEST_REQUIRE_OK(lyra_springs_create(ctx, &list, &springs));
    for (int32_t f = 0; f < COUNT; ++f) {
        LyraMassSpringDef def = lyra_mass_spring_def_default();
        def.stiffness = 1;
        TEST_REQUIRE_OK(lyra_mass_spring_create(ctx, springs, &def, &forces[f]));
        // the third takes the name that the fourth would get
        TEST_OK(lyra_force_set_owner(forces[f], -1, f == 2 ? "pull-3" : "pull"));
    }
    LyraModelDef def = lyra_model_def_default();
    def.vertex_count = 2;
    def.positions = positions;
    def.masses = masses;
    def.forces = forces;
    def.force_count = COUNT;
    TEST_REQUIRE_OK(lyra_model_create(ctx, &def, &model));
    for (int32_t f = 0; f < COUNT; ++f) {
        char name[32] = "pull";
        if (f > 0) {
            snprintf(name, sizeof name, "pull-%d", (int)f + 1);
        }
        TEST_EQUAL(lyra_model_find_group(model, name), f);
        TEST_EQUAL(lyra_model_group_of(model, forces[f]), f);
    }
    TEST_EQUAL(lyra_model_find_group(model, "push"), -1);
    TEST_EQUAL(lyra_model_group_of(model, NULL), -1);
    lyra_model_destroy(model);
    for (int32_t f = 0; f < COUNT; ++f) {
        lyra_force_destroy(forces[f]);
    }
    lyra_springs_destroy(springs);
    test_context_end(ctx);
}
