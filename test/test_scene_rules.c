// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// What rules set in a model (activation, materials that change with time) is taken back when a step
// fails, whatever made it fail: the model and the state have the bits that they had, and a shorter
// step goes as if the failed one had never been tried.

#include "lyra/lyra.h"
#include "lyra_test.h"
#include "scene_yaml.h"

#include <stdlib.h>

// two bodies whose rules are applied in this order: two activations, then Young's modulus of the
// first and of the second, which has another law, then a parameter that a rule has set already
#define BODIES                                                                                     \
    "bodies:\n"                                                                                    \
    "  - name: left\n"                                                                             \
    "    generate: {cells: [3, 1, 1], size: [3, 1, 1]}\n"                                          \
    "    material: {model: neo-hookean, young: 1 MPa, poisson: 0.3}\n"                             \
    "    fibre: {active-stress: 20 kPa, activation: 0.1+RISE*t}\n"                                 \
    "  - name: right\n"                                                                            \
    "    generate: {cells: [3, 1, 1], size: [3, 1, 1], center: [0, 5, 0]}\n"                       \
    "    material: {model: corotational, young: 1 MPa, poisson: 0.3}\n"                            \
    "    fibre: {active-stress: 20 kPa, activation: LEFT}\n"                                       \
    "constraints:\n"                                                                               \
    "  - {select: {half-space: {point: [-1.49, 0, 0], normal: [-1, 0, 0]}}, displacement: HELD}\n" \
    "loads:\n"                                                                                     \
    "  - {type: force, select: {all: true}, force: FORCE}\n"                                       \
    "changes:\n"                                                                                   \
    "  - {body: left, factor: 2+RISE*t}\n"                                                         \
    "  - {body: right, factor: FACTOR}\n"                                                          \
    "  - {body: left, parameter: mu, factor: 1.5+RISE*t}\n"                                        \
    "integrator: {name: METHOD, newton: {POLICY, halvings: 0}}\n"                                  \
    "gravity: [0, -9.81, 0]\n"                                                                     \
    "time: {dt: 20 ms, substeps: SUBSTEPS}\n"

// a way to fail in steps that end after t = 34 ms
typedef struct Failure {
    const char *name;
    const char *left, *held, *force, *factor;
    LyraStepOutcome outcome;
    const char *sentence; // part of the message
} Failure;

static const Failure failures[] = {
    {"not converged", "0.2+RISE*ramp(t)", "[0, 0, 0]", "[0, 1e9*step(t-0.034), 0]", "1+RISE*t",
     LYRA_STEP_NOT_CONVERGED, "ewton"},
    {"not finite", "0.2+RISE*ramp(t)", "[0.1*t/(1-step(t-0.034)), 0, 0]", "[0, 1, 0]", "1+RISE*t",
     LYRA_STEP_OUTCOME_COUNT, ""},
    {"the first rules refused", "0.2+RISE*ramp(t)-2*step(t-0.034)", "[0, 0, 0]", "[0, 1, 0]",
     "1+RISE*t", LYRA_STEP_REFUSED, "activation"},
    {"a late rule refused", "0.2+RISE*ramp(t)", "[0, 0, 0]", "[0, 1, 0]", "1-3*step(t-0.034)",
     LYRA_STEP_REFUSED, "expected"},
    {"a late rule not finite", "0.2+RISE*ramp(t)", "[0, 0, 0]", "[0, 1, 0]", "1/(1-step(t-0.034))",
     LYRA_STEP_REFUSED, "expected"},
};

static void replace(char *text, size_t room, const char *word, const char *by)
{
    char *at = strstr(text, word);
    char rest[4096];
    TEST_REQUIRE(at);
    snprintf(rest, sizeof rest, "%s", at + strlen(word));
    snprintf(at, room - (size_t)(at - text), "%s%s", by, rest);
}

// how steps are taken
typedef struct Way {
    const char *method, *policy, *substeps;
    const char *rise; // of what all rules set, 1/s; 0: they set the same numbers until they fail
} Way;

static const Way ways[] = {
    {"backward-euler", "iterations: 12", "1", "5"},
    {"backward-euler", "iterations: 12", "4", "5"},
    {"newmark", "policy: simplified, iterations: 40", "1", "5"},
    {"newmark", "policy: simplified, iterations: 40", "1", "0"},
    {"newmark", "policy: simplified, iterations: 40", "3", "0"},
};

static LyraWorld *load(LyraContext *ctx, const Failure *failure, const Way *way)
{
    char text[4096] = BODIES;
    const char *path = test_temp_path("rules.yaml");
    LyraWorld *world = NULL;
    replace(text, sizeof text, "LEFT", failure->left);
    replace(text, sizeof text, "HELD", failure->held);
    replace(text, sizeof text, "FORCE", failure->force);
    replace(text, sizeof text, "FACTOR", failure->factor);
    replace(text, sizeof text, "METHOD", way->method);
    replace(text, sizeof text, "POLICY", way->policy);
    replace(text, sizeof text, "SUBSTEPS", way->substeps);
    while (strstr(text, "RISE")) {
        replace(text, sizeof text, "RISE", way->rise);
    }
    test_write_file(path, text, strlen(text));
    TEST_OK(lyra_world_load(ctx, path, NULL, &world, NULL));
    return world;
}

// all parameters of all groups, one after another; NULL: counts them
static int64_t parameters(const LyraWorld *world, double *values)
{
    const LyraModel *model = lyra_world_view(world).model;
    LyraForceGroup group;
    int64_t count = 0;
    for (int32_t g = 0; lyra_model_group(model, g, &group); ++g) {
        for (int32_t p = 0; !group.changing && p < group.type->parameter_count; ++p) {
            if (values) {
                TEST_OK(lyra_model_get_parameter(model, g, group.type->parameter_names[p],
                                                 values + count));
            }
            count += group.stencil_count;
        }
    }
    return count;
}

// what a scene is at one time
typedef struct Picture {
    LyraState *state;
    double *parameters;
    uint64_t print;
} Picture;

static Picture take(const LyraWorld *world)
{
    LyraWorldView view = lyra_world_view(world);
    Picture picture = {.print = lyra_system_fingerprint(view.system)};
    TEST_OK(lyra_state_copy(view.state, &picture.state));
    picture.parameters = malloc((size_t)parameters(world, NULL) * sizeof(double));
    parameters(world, picture.parameters);
    return picture;
}

static bool is_as(const LyraWorld *world, const Picture *picture)
{
    LyraWorldView view = lyra_world_view(world);
    int64_t count = parameters(world, NULL);
    double *now = malloc((size_t)count * sizeof *now);
    parameters(world, now);
    bool same = memcmp(now, picture->parameters, (size_t)count * sizeof *now) == 0;
    free(now);
    return same && lyra_state_equal(view.state, picture->state) &&
           lyra_system_fingerprint(view.system) == picture->print;
}

static void drop(Picture *picture)
{
    lyra_state_destroy(picture->state);
    free(picture->parameters);
}

static void try_and_go_on(const Failure *failure, const Way *way)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    LyraWorld *tried = load(ctx, failure, way);
    LyraWorld *plain = load(ctx, failure, way);
    LyraStepReport report;
    TEST_REQUIRE(tried && plain);
    TEST_OK(lyra_world_step(tried, NULL));
    TEST_OK(lyra_world_step(plain, NULL));
    Picture before = take(tried);
    for (int attempt = 0; attempt < 2; ++attempt) {
        TEST_CHECK(lyra_world_step(tried, &report) != LYRA_OK);
        TEST_CONTAINS(lyra_error_message(), failure->sentence);
        TEST_CHECK(failure->outcome == LYRA_STEP_OUTCOME_COUNT
                       ? report.outcome != LYRA_STEP_ACCEPTED
                       : report.outcome == failure->outcome);
        TEST_CHECK(report.status != LYRA_OK && report.time == 0.02);
        TEST_CHECK_MSG(is_as(tried, &before), "%s, way %d: not as before", failure->name,
                       (int)(way - ways));
    }
    for (int step = 0; step < 3; ++step) {
        TEST_OK(lyra_world_set(tried, "time.dt", 0.004));
        TEST_OK(lyra_world_set(plain, "time.dt", 0.004));
        TEST_OK(lyra_world_step(tried, NULL));
        TEST_OK(lyra_world_step(plain, NULL));
        Picture after = take(plain);
        TEST_CHECK_MSG(is_as(tried, &after), "%s, way %d: step %d differs", failure->name,
                       (int)(way - ways), step);
        TEST_CHECK(!is_as(tried, &before));
        drop(&after);
    }
    drop(&before);
    lyra_world_destroy(tried);
    lyra_world_destroy(plain);
    test_context_end(ctx);
}

LYRA_TEST(failed_steps_take_back_what_rules_set)
{
    REQUIRE_YAML();
    for (size_t f = 0; f < sizeof failures / sizeof *failures; ++f) {
        for (size_t w = 0; w < sizeof ways / sizeof *ways; ++w) {
            try_and_go_on(&failures[f], &ways[w]);
        }
    }
}

// The model at rest has the numbers of the file, which no rule gives at t = 0 where a factor is not
// 1 there: taking back is not setting again.
LYRA_TEST(a_failed_first_step_leaves_the_model_of_the_file)
{
    REQUIRE_YAML();
    const Failure failure = {
        "", "0.5", "[0, 0, 0]", "[0, 1e9*step(t-0.01), 0]", "3+t", LYRA_STEP_NOT_CONVERGED, ""};
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    LyraWorld *world = load(ctx, &failure, &ways[1]);
    TEST_REQUIRE(world);
    Picture before = take(world);
    TEST_CHECK(lyra_world_step(world, NULL) != LYRA_OK);
    TEST_CHECK(is_as(world, &before));
    drop(&before);
    lyra_world_destroy(world);
    test_context_end(ctx);
}

static LyraStatus step_or_stay(LyraContext *ctx, void *data)
{
    LyraWorld *world = NULL;
    LyraStatus status = lyra_world_load(ctx, data, NULL, &world, NULL);
    for (int step = 0; step < 2 && status == LYRA_OK; ++step) {
        // the pictures of the state are of the same context: these may lack memory too
        LyraWorldView view = lyra_world_view(world);
        LyraState *before = NULL;
        status = lyra_state_copy(view.state, &before);
        if (status != LYRA_OK) {
            break;
        }
        int64_t count = parameters(world, NULL);
        double *was = malloc((size_t)count * sizeof *was), *is = malloc((size_t)count * sizeof *is);
        parameters(world, was);
        status = lyra_world_step(world, NULL);
        parameters(world, is);
        if (status != LYRA_OK) {
            TEST_CHECK(memcmp(was, is, (size_t)count * sizeof *was) == 0);
            TEST_CHECK(lyra_state_equal(view.state, before));
        }
        free(was);
        free(is);
        lyra_state_destroy(before);
    }
    lyra_world_destroy(world);
    return status;
}

LYRA_TEST(steps_without_memory_take_back_what_rules_set)
{
    REQUIRE_YAML();
    static const char text[] = "bodies:\n"
                               "  - generate: {cells: [1, 1, 1]}\n"
                               "    fibre: {active-stress: 1 kPa, activation: ramp(t)}\n"
                               "changes: [{factor: 1+t}]\n"
                               "constraints: [{select: {vertices: [0, 1, 2]}}]\n"
                               "time: {substeps: 2}\n"
                               "solver: {name: pcg}\n";
    char path[1000];
    snprintf(path, sizeof path, "%s", test_temp_path("memory.yaml"));
    test_write_file(path, text, strlen(text));
    test_fail_each_allocation(step_or_stay, path);
}

// turns Young's modulus of two bodies; the pictures are taken with memory at hand
static LyraStatus turn_or_stay(LyraContext *ctx, void *data)
{
    LyraWorld *world = NULL;
    LyraStatus status = lyra_world_load(ctx, data, NULL, &world, NULL);
    if (status == LYRA_OK) {
        int64_t count = parameters(world, NULL);
        double *was = malloc((size_t)count * sizeof *was), *is = malloc((size_t)count * sizeof *is);
        parameters(world, was);
        status = lyra_world_set(world, "bodies.*.material.young", 2e6);
        parameters(world, is);
        TEST_CHECK((memcmp(was, is, (size_t)count * sizeof *was) == 0) == (status != LYRA_OK));
        free(was);
        free(is);
    }
    lyra_world_destroy(world);
    return status;
}

LYRA_TEST(numbers_are_turned_for_all_bodies_or_none)
{
    REQUIRE_YAML();
    static const char text[] = "bodies:\n"
                               "  - {generate: {cells: [1, 1, 1]}}\n"
                               "  - {generate: {cells: [1, 1, 1], center: [3, 0, 0]}}\n";
    char path[1000];
    snprintf(path, sizeof path, "%s", test_temp_path("turn.yaml"));
    test_write_file(path, text, strlen(text));
    test_fail_each_allocation(turn_or_stay, path);
}
