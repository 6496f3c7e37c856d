// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// What is turned while a scene runs: it acts as if the scene had been written so, failures change
// nothing, and pulls are springs.

#include "lyra/lyra.h"
#include "lyra_test.h"
#include "scene_yaml.h"

static const char beam[] =
    "bodies:\n"
    "  - generate: {shape: box, size: [0.4, 0.1, 0.1], cells: [4, 1, 1]}\n"
    "    material: {model: MODEL, young: 50 kPa, poisson: 0.3, density: 500}\n"
    "constraints:\n"
    "  - select: {box: {min: [-1, -1, -1], max: [-0.19, 1, 1]}}\n"
    "integrator: {name: backward-euler}\n"
    "time: {dt: 5 ms, steps: 10}\n"
    "gravity: [0, -9.81, 0]\n";

enum { VERTICES = 5 * 2 * 2 }; // of the beam

// the beam with a model and overrides
static LyraScene *load(LyraContext *ctx, const char *model, int count, const char *const *overrides)
{
    char text[2048];
    const char *path = test_temp_path("beam.yaml");
    const char *at = strstr(beam, "MODEL");
    snprintf(text, sizeof text, "%.*s%s%s", (int)(at - beam), beam, model, at + 5);
    test_write_file(path, text, strlen(text));
    LyraSceneDef def = lyra_scene_def_default();
    def.overrides = overrides;
    def.override_count = count;
    LyraScene *scene = NULL;
    TEST_OK(lyra_scene_load(ctx, path, &def, &scene));
    return scene;
}

static void steps(LyraScene *scene, int count)
{
    for (int s = 0; s < count; ++s) {
        TEST_OK(lyra_scene_step(scene, NULL));
    }
}

static double largest(const LyraScene *scene)
{
    LyraVector *u = lyra_state_view(lyra_scene_view(scene).state).u;
    const double *values = lyra_vector_values(u);
    double most = 0;
    for (int32_t i = 0; i < lyra_vector_size(u); ++i) {
        most = fmax(most, fabs(values[i]));
    }
    return most;
}

static double difference(const LyraScene *a, const LyraScene *b)
{
    LyraVector *u = lyra_state_view(lyra_scene_view(a).state).u;
    const double *x = lyra_vector_values(u);
    const double *y = lyra_vector_values(lyra_state_view(lyra_scene_view(b).state).u);
    double most = 0;
    for (int32_t i = 0; i < lyra_vector_size(u); ++i) {
        most = fmax(most, fabs(x[i] - y[i]));
    }
    return most;
}

static double knob(const LyraScene *scene, const char *name)
{
    LyraSceneKnob found;
    for (int32_t i = 0; lyra_scene_knob(scene, i, &found); ++i) {
        if (strcmp(found.name, name) == 0) {
            return found.value;
        }
    }
    return NAN;
}

LYRA_TEST(numbers_act_as_if_the_scene_had_them)
{
    REQUIRE_YAML();
    static const struct {
        const char *name;
        double value;
        const char *path;
    } cases[] = {
        {"young", 2e4, "bodies[0].material.young=20 kPa"},
        {"poisson", 0.45, "bodies[0].material.poisson=0.45"},
        {"density", 2000, "bodies[0].material.density=2000"},
        {"mass-damping", 3, "damping.mass=3"},
        {"stiffness-damping", 0.02, "damping.stiffness=0.02"},
        {"dt", 0.01, "time.dt=10 ms"},
        {"gravity", 3, "gravity=[0, -3, 0]"},
    };
    static const char *const models[] = {"stvk", "neo-hookean", "corotational", "mooney-rivlin"};
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    for (size_t m = 0; m < sizeof models / sizeof *models; ++m) {
        for (size_t c = 0; c < sizeof cases / sizeof *cases; ++c) {
            LyraScene *turned = load(ctx, models[m], 0, NULL);
            LyraScene *written = load(ctx, models[m], 1, &cases[c].path);
            LyraScene *plain = load(ctx, models[m], 0, NULL);
            TEST_REQUIRE(turned && written && plain);
            TEST_NEAR(knob(written, cases[c].name), cases[c].value, 1e-12 * cases[c].value);
            TEST_OK(lyra_scene_set_knob(turned, cases[c].name, cases[c].value));
            TEST_NEAR(knob(turned, cases[c].name), cases[c].value, 1e-12 * cases[c].value);
            steps(turned, 8);
            steps(written, 8);
            steps(plain, 8);
            // rounding of factors, and where Newton stops
            TEST_CHECK_MSG(difference(turned, written) <= 1e-7 * largest(written),
                           "%s, %s: %g of %g", models[m], cases[c].name,
                           difference(turned, written), largest(written));
            TEST_CHECK_MSG(difference(turned, plain) > 1e-4 * largest(plain), "%s, %s: no effect",
                           models[m], cases[c].name);
            lyra_scene_destroy(turned);
            lyra_scene_destroy(written);
            lyra_scene_destroy(plain);
        }
    }
    test_context_end(ctx);
}

LYRA_TEST(activation_shortens_fibres)
{
    REQUIRE_YAML();
    static const char *const fibre[] = {"bodies[0].fibre.active-stress=20 kPa",
                                        "gravity=[0, 0, 0]"};
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    LyraScene *scene = load(ctx, "neo-hookean", 2, fibre);
    TEST_REQUIRE(scene);
    TEST_NEAR(knob(scene, "activation"), 0, 0);
    steps(scene, 3);
    TEST_CHECK(largest(scene) < 1e-9);
    TEST_OK(lyra_scene_set_knob(scene, "activation", 1));
    steps(scene, 3);
    TEST_CHECK_MSG(largest(scene) > 1e-3, "%g", largest(scene));
    TEST_STATUS(lyra_scene_set_knob(scene, "activation", 1.5), LYRA_INVALID_ARGUMENT);
    TEST_NEAR(knob(scene, "activation"), 1, 0);
    lyra_scene_destroy(scene);
    test_context_end(ctx);
}

LYRA_TEST(springs_have_a_factor)
{
    REQUIRE_YAML();
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    LyraScene *soft = load(ctx, "mass-spring", 0, NULL), *hard = load(ctx, "mass-spring", 0, NULL);
    TEST_REQUIRE(soft && hard);
    TEST_CHECK(isnan(knob(soft, "young")) && knob(soft, "stiffness") == 1);
    TEST_OK(lyra_scene_set_knob(hard, "stiffness", 10));
    steps(soft, 20);
    steps(hard, 20);
    TEST_CHECK(largest(hard) < 0.6 * largest(soft));
    lyra_scene_destroy(soft);
    lyra_scene_destroy(hard);
    test_context_end(ctx);
}

LYRA_TEST(numbers_that_the_scene_turns_itself_are_not_offered)
{
    REQUIRE_YAML();
    static const char *const changes[] = {
        "gravity=[0, sin(t), 0]",
        "changes=[{parameter: young, factor: 1 + t}]",
        "bodies[0].fibre={active-stress: 1 kPa, activation: 0.5 + 0.5*sin(t)}",
    };
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    LyraScene *scene = load(ctx, "stvk", 3, changes);
    TEST_REQUIRE(scene);
    static const char *const gone[] = {"gravity", "density", "young", "poisson", "activation"};
    for (size_t i = 0; i < sizeof gone / sizeof *gone; ++i) {
        TEST_CHECK_MSG(isnan(knob(scene, gone[i])), "%s is offered", gone[i]);
        TEST_STATUS(lyra_scene_set_knob(scene, gone[i], 1), LYRA_INVALID_ARGUMENT);
    }
    TEST_CONTAINS(lyra_error_message(), "expected one of: mass-damping");
    lyra_scene_destroy(scene);
    test_context_end(ctx);
}

LYRA_TEST(bad_numbers_are_refused_and_change_nothing)
{
    REQUIRE_YAML();
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    LyraScene *scene = load(ctx, "stvk", 0, NULL), *plain = load(ctx, "stvk", 0, NULL);
    TEST_REQUIRE(scene && plain);
    static const struct {
        const char *name;
        double value;
    } cases[] = {{"young", 0},     {"young", -1},        {"young", NAN}, {"poisson", 0.5},
                 {"poisson", -1},  {"density", 0},       {"dt", 0},      {"dt", INFINITY},
                 {"gravity", NAN}, {"mass-damping", -1}, {"colour", 1}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        TEST_CHECK(lyra_scene_set_knob(scene, cases[i].name, cases[i].value) ==
                   LYRA_INVALID_ARGUMENT);
    }
    TEST_CHECK(lyra_scene_set_integrator(scene, "guess") == LYRA_INVALID_ARGUMENT);
    TEST_CHECK(lyra_scene_set_solver(scene, "guess") == LYRA_INVALID_ARGUMENT);
    TEST_STRING(lyra_scene_integrator(scene), "backward-euler");
    TEST_STRING(lyra_scene_solver(scene), "auto");
    steps(scene, 3);
    steps(plain, 3);
    TEST_CHECK(lyra_state_equal(lyra_scene_view(scene).state, lyra_scene_view(plain).state));
    lyra_scene_destroy(scene);
    lyra_scene_destroy(plain);
    test_context_end(ctx);
}

LYRA_TEST(methods_change_while_it_runs)
{
    REQUIRE_YAML();
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    LyraScene *scene = load(ctx, "stvk", 0, NULL);
    TEST_REQUIRE(scene);
    static const char *const integrators[] = {"newmark", "bdf2", "newmark", "implicit-midpoint",
                                              "backward-euler"};
    static const char *const solvers[] = {"pcg", "auto"};
    for (size_t i = 0; i < sizeof integrators / sizeof *integrators; ++i) {
        char word[40];
        snprintf(word, sizeof word, "%s", integrators[i]);
        steps(scene, 2);
        TEST_OK(lyra_scene_set_integrator(scene, word));
        TEST_OK(lyra_scene_set_solver(scene, solvers[i % 2]));
        memset(word, 'x', sizeof word - 1); // the name was copied
        TEST_STRING(lyra_scene_integrator(scene), integrators[i]);
        TEST_STRING(lyra_scene_solver(scene), solvers[i % 2]);
    }
    steps(scene, 2);
    // twelve steps of backward Euler and its like from rest fall about as far as one method does
    LyraScene *plain = load(ctx, "stvk", 0, NULL);
    TEST_REQUIRE(plain);
    steps(plain, 12);
    TEST_NEAR(largest(scene) / largest(plain), 1, 0.2);
    TEST_EQUAL(lyra_state_view(lyra_scene_view(scene).state).steps, 12);
    lyra_scene_destroy(scene);
    lyra_scene_destroy(plain);
    test_context_end(ctx);
}

LYRA_TEST(pulls_are_springs)
{
    REQUIRE_YAML();
    static const char *const still[] = {"gravity=[0, 0, 0]", "integrator.name=static"};
    LyraContext *ctx = test_context(2, LYRA_ISA_AUTO);
    LyraScene *scene = load(ctx, "linear", 2, still);
    TEST_REQUIRE(scene);
    LyraSceneView view = lyra_scene_view(scene);
    const double *X = lyra_model_view(view.model).positions;
    // a vertex at the free end; two springs are one of both stiffnesses to the mean of the targets
    int32_t vertex = lyra_model_view(view.model).vertex_count - 1, both[] = {vertex, vertex};
    const double k[] = {10, 30};
    double targets[6], reach[2];
    for (int i = 0; i < 6; ++i) {
        targets[i] = X[3 * vertex + i % 3];
    }
    targets[1] += 0.08;
    targets[4] += 0.02;
    TEST_OK(lyra_scene_pull(scene, 2, both, k, targets));
    steps(scene, 1);
    reach[0] = lyra_vector_values(lyra_state_view(view.state).u)[3 * vertex + 1];
    const double one = 40;
    targets[1] = X[3 * vertex + 1] + (10 * 0.08 + 30 * 0.02) / 40;
    TEST_OK(lyra_scene_pull(scene, 1, &vertex, &one, targets));
    steps(scene, 1);
    reach[1] = lyra_vector_values(lyra_state_view(view.state).u)[3 * vertex + 1];
    TEST_NEAR(reach[0], reach[1], 1e-9);
    TEST_CHECK_MSG(reach[0] > 1e-3 && reach[0] < 0.035, "%g", reach[0]);
    double rest = 0.035 - reach[1];
    TEST_CHECK(lyra_scene_pull_energy(scene) >= 0.5 * one * rest * rest * (1 - 1e-6));
    // let go: back at rest
    TEST_OK(lyra_scene_pull(scene, 0, NULL, NULL, NULL));
    TEST_CHECK(lyra_scene_pull_energy(scene) == 0);
    steps(scene, 1);
    TEST_CHECK_MSG(largest(scene) < 1e-9, "%g", largest(scene));
    lyra_scene_destroy(scene);
    test_context_end(ctx);
}

LYRA_TEST(bad_pulls_are_refused)
{
    REQUIRE_YAML();
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    LyraScene *scene = load(ctx, "stvk", 0, NULL);
    TEST_REQUIRE(scene);
    const int32_t vertex = 3, beyond = 1000000, below = -1;
    const double k = 10, negative = -1, target[] = {0, 0, 0}, bad[] = {0, NAN, 0};
    TEST_STATUS(lyra_scene_pull(scene, 1, &beyond, &k, target), LYRA_INVALID_ARGUMENT);
    TEST_STATUS(lyra_scene_pull(scene, 1, &below, &k, target), LYRA_INVALID_ARGUMENT);
    TEST_STATUS(lyra_scene_pull(scene, 1, &vertex, &negative, target), LYRA_INVALID_ARGUMENT);
    TEST_STATUS(lyra_scene_pull(scene, 1, &vertex, &k, bad), LYRA_NOT_FINITE);
    lyra_scene_destroy(scene);
    test_context_end(ctx);
}

#define END_FACE "select: {normal: {direction: [1, 0, 0]}}"

// the sum of what loads push with, N, and the moment of it about the origin, N m
static void sum_loads(LyraScene *scene, double force[3], double moment[3])
{
    LyraSceneView view = lyra_scene_view(scene);
    LyraModelView model = lyra_model_view(view.model);
    const double *u = lyra_vector_values(lyra_state_view(view.state).u);
    double loads[3 * VERTICES];
    TEST_REQUIRE(model.vertex_count == VERTICES);
    TEST_OK(lyra_scene_loads(scene, loads, NULL));
    for (int i = 0; i < 3; ++i) {
        int j = (i + 1) % 3, k = (i + 2) % 3;
        force[i] = moment[i] = 0;
        for (int64_t v = 0; v < model.vertex_count; ++v) {
            const double *f = loads + 3 * v, *X = model.positions + 3 * v, *d = u + 3 * v;
            force[i] += f[i];
            moment[i] += (X[j] + d[j]) * f[k] - (X[k] + d[k]) * f[j];
        }
    }
}

LYRA_TEST(loads_are_those_of_vertices_and_surfaces)
{
    REQUIRE_YAML();
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    // the end face is 0.01 m^2; weight is no load
    static const struct {
        const char *loads;
        double force[3];
    } cases[] = {
        {"loads=[]", {0, 0, 0}},
        {"loads=[{type: force, select: {vertices: [1, 2]}, force: [0, 3, 0]}]", {0, 6, 0}},
        {"loads=[{type: traction, " END_FACE ", traction: [1 kPa, 0, -2 kPa]}]", {10, 0, -20}},
        {"loads=[{type: pressure, " END_FACE ", pressure: 3 kPa}]", {-30, 0, 0}},
        {"loads=[{type: pressure, " END_FACE ", pressure: 1000*(1+t), factor: 2}, "
         "{type: force, select: {vertices: [0]}, force: [1, 0, 0]}]",
         {-19, 0, 0}},
        {"loads=[{type: pressure, select: {surface: true}, pressure: 3 kPa}]", {0, 0, 0}},
        {"loads=[{type: spring, select: {vertices: [5]}, stiffness: 10, offset: [0, 1, 0]}]",
         {0, 0, 0}},
    };
    for (size_t c = 0; c < sizeof cases / sizeof cases[0]; ++c) {
        LyraScene *scene = load(ctx, "stvk", 1, &cases[c].loads);
        TEST_REQUIRE(scene);
        double force[3], moment[3];
        sum_loads(scene, force, moment);
        for (int i = 0; i < 3; ++i) {
            TEST_NEAR(force[i], cases[c].force[i], 1e-9);
        }
        lyra_scene_destroy(scene);
    }
    // pressure all around turns with the body: no force and no moment, whatever its shape
    LyraScene *scene = load(ctx, "stvk", 1, &cases[5].loads);
    TEST_REQUIRE(scene);
    steps(scene, 8);
    TEST_CHECK_MSG(largest(scene) > 1e-3, "%g", largest(scene));
    double force[3], moment[3];
    sum_loads(scene, force, moment);
    for (int i = 0; i < 3; ++i) {
        TEST_NEAR(force[i], 0, 1e-9);
        TEST_NEAR(moment[i], 0, 1e-9);
    }
    lyra_scene_destroy(scene);
    // and that on the end has changed: it pushes against the face as it is now
    scene = load(ctx, "stvk", 1, &cases[3].loads);
    TEST_REQUIRE(scene);
    steps(scene, 8);
    sum_loads(scene, force, moment);
    TEST_CHECK_MSG(fabs(force[1]) > 0.1 && force[0] < -25, "%g %g", force[0], force[1]);
    lyra_scene_destroy(scene);
    test_context_end(ctx);
}

LYRA_TEST(loads_with_an_energy_are_told_from_the_body)
{
    REQUIRE_YAML();
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    // a dead traction of F = 1 N on the end has the energy -F . u, u the mean displacement of the
    // face, and without a body's own energy that is all of it: the rest of the report is elastic
    static const char *const overrides[] = {
        "loads=[{type: traction, " END_FACE ", traction: [0, 100 Pa, 0]}]", "gravity=[0, 0, 0]"};
    LyraScene *scene = load(ctx, "stvk", 2, overrides);
    TEST_REQUIRE(scene);
    double energy = NAN, force[3], moment[3];
    TEST_OK(lyra_scene_loads(scene, NULL, &energy));
    TEST_NEAR(energy, 0, 1e-12);
    LyraStepReport report;
    for (int s = 0; s < 8; ++s) {
        TEST_OK(lyra_scene_step(scene, &report));
    }
    TEST_OK(lyra_scene_loads(scene, NULL, &energy));
    sum_loads(scene, force, moment);
    TEST_NEAR(force[1], 1, 1e-9);
    LyraSceneView view = lyra_scene_view(scene);
    LyraModelView model = lyra_model_view(view.model);
    const double *u = lyra_vector_values(lyra_state_view(view.state).u);
    double loads[3 * VERTICES], work = 0;
    TEST_OK(lyra_scene_loads(scene, loads, NULL));
    for (int64_t i = 0; i < 3 * (int64_t)model.vertex_count; ++i) {
        work += loads[i] * u[i];
    }
    TEST_NEAR(energy, -work, 1e-9);
    TEST_CHECK_MSG(energy < -1e-3 && report.elastic - energy > 0, "%g of %g", energy,
                   report.elastic);
    lyra_scene_destroy(scene);
    // one without an energy, and none at all
    static const char *const pressure[] = {"loads=[{type: pressure, " END_FACE
                                           ", pressure: 3 kPa}]"};
    for (int c = 0; c < 2; ++c) {
        scene = load(ctx, "stvk", c, pressure);
        TEST_REQUIRE(scene);
        steps(scene, 2);
        TEST_OK(lyra_scene_loads(scene, NULL, &energy));
        TEST_CHECK(energy == 0);
        lyra_scene_destroy(scene);
    }
    test_context_end(ctx);
}

static LyraStatus turn_everything(LyraContext *ctx, void *path)
{
    LyraSceneDef def = lyra_scene_def_default();
    LyraScene *scene = NULL;
    const int32_t vertex = 3;
    const double k = 10, target[] = {0, 0, 0};
    LyraStatus status = lyra_scene_load(ctx, path, &def, &scene);
    status = status == LYRA_OK ? lyra_scene_set_knob(scene, "young", 2e4) : status;
    status = status == LYRA_OK ? lyra_scene_set_integrator(scene, "newmark") : status;
    status = status == LYRA_OK ? lyra_scene_pull(scene, 1, &vertex, &k, target) : status;
    double loads[3 * VERTICES];
    status = status == LYRA_OK ? lyra_scene_loads(scene, loads, NULL) : status;
    lyra_scene_destroy(scene);
    return status;
}

LYRA_TEST(each_allocation_may_fail)
{
    REQUIRE_YAML();
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    lyra_scene_destroy(load(ctx, "stvk", 0, NULL));
    test_context_end(ctx);
    // with a load on a surface
    FILE *file = fopen(test_temp_path("beam.yaml"), "a");
    TEST_REQUIRE(file);
    fputs("loads: [{type: pressure, select: {surface: true}, pressure: 3 kPa}]\n", file);
    fclose(file);
    char path[1024];
    snprintf(path, sizeof path, "%s", test_temp_path("beam.yaml"));
    test_fail_each_allocation(turn_everything, path);
}
