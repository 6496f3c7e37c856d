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
static LyraWorld *load(LyraContext *ctx, const char *model, int count, const char *const *overrides)
{
    char text[2048];
    const char *path = test_temp_path("beam.yaml");
    const char *at = strstr(beam, "MODEL");
    snprintf(text, sizeof text, "%.*s%s%s", (int)(at - beam), beam, model, at + 5);
    test_write_file(path, text, strlen(text));
    LyraSceneDef def = lyra_scene_def_default();
    def.overrides = overrides;
    def.override_count = count;
    LyraWorld *world = NULL;
    TEST_OK(lyra_world_load(ctx, path, &def, &world, NULL));
    return world;
}

static void steps(LyraWorld *world, int count)
{
    for (int s = 0; s < count; ++s) {
        TEST_OK(lyra_world_step(world, NULL));
    }
}

static double largest(const LyraWorld *world)
{
    LyraVector *u = lyra_state_view(lyra_world_view(world).state).u;
    const double *values = lyra_vector_values(u);
    double most = 0;
    for (int32_t i = 0; i < lyra_vector_size(u); ++i) {
        most = fmax(most, fabs(values[i]));
    }
    return most;
}

static double difference(const LyraWorld *a, const LyraWorld *b)
{
    LyraVector *u = lyra_state_view(lyra_world_view(a).state).u;
    const double *x = lyra_vector_values(u);
    const double *y = lyra_vector_values(lyra_state_view(lyra_world_view(b).state).u);
    double most = 0;
    for (int32_t i = 0; i < lyra_vector_size(u); ++i) {
        most = fmax(most, fabs(x[i] - y[i]));
    }
    return most;
}

// NaN where there is none
static double value_of(LyraWorld *world, const char *path)
{
    LyraWorldParameter found;
    return lyra_world_get(world, path, &found) == LYRA_OK ? found.value : NAN;
}

LYRA_TEST(numbers_act_as_if_the_scene_had_them)
{
    REQUIRE_YAML();
    static const struct {
        const char *name;
        double value;
        const char *path;
    } cases[] = {
        {"bodies.*.material.young", 2e4, "bodies[0].material.young=20 kPa"},
        {"bodies.*.material.poisson", 0.45, "bodies[0].material.poisson=0.45"},
        {"bodies.*.material.density", 2000, "bodies[0].material.density=2000"},
        {"damping.mass", 3, "damping.mass=3"},
        {"damping.stiffness", 0.02, "damping.stiffness=0.02"},
        {"time.dt", 0.01, "time.dt=10 ms"},
        {"gravity", 3, "gravity=[0, -3, 0]"},
    };
    static const char *const models[] = {"stvk", "neo-hookean", "corotational", "mooney-rivlin"};
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    for (size_t m = 0; m < sizeof models / sizeof *models; ++m) {
        for (size_t c = 0; c < sizeof cases / sizeof *cases; ++c) {
            LyraWorld *turned = load(ctx, models[m], 0, NULL);
            LyraWorld *written = load(ctx, models[m], 1, &cases[c].path);
            LyraWorld *plain = load(ctx, models[m], 0, NULL);
            TEST_REQUIRE(turned && written && plain);
            TEST_NEAR(value_of(written, cases[c].name), cases[c].value, 1e-12 * cases[c].value);
            TEST_OK(lyra_world_set(turned, cases[c].name, cases[c].value));
            TEST_NEAR(value_of(turned, cases[c].name), cases[c].value, 1e-12 * cases[c].value);
            steps(turned, 8);
            steps(written, 8);
            steps(plain, 8);
            // rounding of factors, and where Newton stops
            TEST_CHECK_MSG(difference(turned, written) <= 1e-7 * largest(written),
                           "%s, %s: %g of %g", models[m], cases[c].name,
                           difference(turned, written), largest(written));
            TEST_CHECK_MSG(difference(turned, plain) > 1e-4 * largest(plain), "%s, %s: no effect",
                           models[m], cases[c].name);
            lyra_world_destroy(turned);
            lyra_world_destroy(written);
            lyra_world_destroy(plain);
        }
    }
    test_context_end(ctx);
}

// how plastic bodies flow, also after their modulus was turned
LYRA_TEST(flow_acts_as_if_the_scene_had_it)
{
    REQUIRE_YAML();
    static const char *const bases[2] = {
        "bodies[0].material.plasticity={yield-stress: 300, hardening: 10 kPa, viscosity: 20, "
        "flow-limit: 0.04}",
        "bodies[0].material.plasticity={yield: deformation, yield-strain: 0.01}"};
    static const struct {
        int base;
        const char *name;
        double value;
        const char *path;
    } cases[] = {
        {0, "yield-stress", 150, "yield-stress=150"},
        {0, "hardening", 3e3, "hardening=3 kPa"},
        {0, "viscosity", 200, "viscosity=200"},
        {0, "flow-limit", 0.02, "flow-limit=0.02"},
        {1, "yield-strain", 0.003, "yield-strain=0.003"},
    };
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    for (size_t c = 0; c < sizeof cases / sizeof *cases; ++c) {
        const char *young = "bodies[0].material.young=20 kPa", *base = bases[cases[c].base];
        char path[80], name[80];
        snprintf(path, sizeof path, "bodies[0].material.plasticity.%s", cases[c].path);
        snprintf(name, sizeof name, "bodies.*.material.plasticity.%s", cases[c].name);
        LyraWorld *turned = load(ctx, "hencky", 1, &base);
        LyraWorld *written = load(ctx, "hencky", 3, (const char *[]){base, path, young});
        LyraWorld *plain = load(ctx, "hencky", 2, (const char *[]){base, young});
        TEST_REQUIRE(turned && written && plain);
        TEST_OK(lyra_world_set(turned, name, cases[c].value));
        TEST_OK(lyra_world_set(turned, "bodies.*.material.young", 2e4));
        TEST_NEAR(value_of(turned, name), cases[c].value, 1e-12 * cases[c].value);
        TEST_NEAR(value_of(written, name), cases[c].value, 1e-12 * cases[c].value);
        steps(turned, 12);
        steps(written, 12);
        steps(plain, 12);
        TEST_CHECK_MSG(difference(turned, written) <= 1e-6 * largest(written), "%s: %g of %g", name,
                       difference(turned, written), largest(written));
        TEST_CHECK_MSG(difference(turned, plain) > 1e-3 * largest(plain), "%s: no effect", name);
        TEST_STATUS(lyra_world_set(turned, name, -1), LYRA_INVALID_ARGUMENT);
        lyra_world_destroy(turned);
        lyra_world_destroy(written);
        lyra_world_destroy(plain);
    }
    // none without plasticity, for a strength of 0, and where changes turn them
    const char *path = "bodies.*.material.plasticity.yield-stress",
               *none[3] = {bases[0], "bodies[0].material.plasticity.yield-stress=0",
                           "changes[0]={parameter: yield, factor: 2}"};
    LyraWorld *worlds[3] = {load(ctx, "hencky", 0, NULL), load(ctx, "hencky", 2, none),
                            load(ctx, "hencky", 2, (const char *[]){none[0], none[2]})};
    for (int w = 0; w < 3; ++w) {
        TEST_CHECK(isnan(value_of(worlds[w], path)));
        lyra_world_destroy(worlds[w]);
    }
    test_context_end(ctx);
}

LYRA_TEST(activation_shortens_fibres)
{
    REQUIRE_YAML();
    static const char *const fibre[] = {"bodies[0].fibre.active-stress=20 kPa",
                                        "gravity=[0, 0, 0]"};
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    LyraWorld *world = load(ctx, "neo-hookean", 2, fibre);
    TEST_REQUIRE(world);
    TEST_NEAR(value_of(world, "bodies.*.fibre.activation"), 0, 0);
    steps(world, 3);
    TEST_CHECK(largest(world) < 1e-9);
    TEST_OK(lyra_world_set(world, "bodies.*.fibre.activation", 1));
    steps(world, 3);
    TEST_CHECK_MSG(largest(world) > 1e-3, "%g", largest(world));
    TEST_STATUS(lyra_world_set(world, "bodies.*.fibre.activation", 1.5), LYRA_INVALID_ARGUMENT);
    TEST_NEAR(value_of(world, "bodies.*.fibre.activation"), 1, 0);
    lyra_world_destroy(world);
    test_context_end(ctx);
}

// a row of the table of keys is all that these have
LYRA_TEST(parameters_of_forces_act_as_if_the_scene_had_them)
{
    REQUIRE_YAML();
    static const struct {
        const char *name, *unit;
        double value;
        const char *plain, *written;
    } cases[] = {
        {"bodies.body1.fibre.active-stress", "Pa", 2e4,
         "bodies[0].fibre={active-stress: 5 kPa, activation: 1}",
         "bodies[0].fibre={active-stress: 20 kPa, activation: 1}"},
        {"bodies.body1.fibre.stiffness", "Pa", 8e4, "bodies[0].fibre={stiffness: 10 kPa}",
         "bodies[0].fibre={stiffness: 80 kPa}"},
        {"bodies.body1.fibre.activation", "", 0.75,
         "bodies[0].fibre={active-stress: 10 kPa, activation: 0.25}",
         "bodies[0].fibre={active-stress: 10 kPa, activation: 0.75}"},
        {"bodies.body1.viscosity.mu", "Pa s", 900, "bodies[0].viscosity={mu: 100}",
         "bodies[0].viscosity={mu: 900}"},
        {"bodies.body1.viscosity.lambda", "Pa s", 900, "bodies[0].viscosity={lambda: 100}",
         "bodies[0].viscosity={lambda: 900}"},
        {"bodies.body1.damping.stretch-rate.shear", "Pa s", 900,
         "bodies[0].damping={stretch-rate: {shear: 100}}",
         "bodies[0].damping={stretch-rate: {shear: 900}}"},
        {"bodies.body1.damping.stretch-rate.volume", "Pa s", 900,
         "bodies[0].damping={stretch-rate: {volume: 100}}",
         "bodies[0].damping={stretch-rate: {volume: 900}}"},
    };
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    for (size_t c = 0; c < sizeof cases / sizeof *cases; ++c) {
        LyraWorld *turned = load(ctx, "neo-hookean", 1, &cases[c].plain);
        LyraWorld *written = load(ctx, "neo-hookean", 1, &cases[c].written);
        LyraWorld *plain = load(ctx, "neo-hookean", 1, &cases[c].plain);
        LyraWorldParameter found;
        TEST_REQUIRE(turned && written && plain);
        TEST_REQUIRE_OK(lyra_world_get(turned, cases[c].name, &found));
        TEST_CHECK(found.low < found.start && found.start < found.high);
        TEST_STRING(found.unit, cases[c].unit);
        TEST_OK(lyra_world_set(turned, cases[c].name, cases[c].value));
        TEST_NEAR(value_of(turned, cases[c].name), cases[c].value, 1e-12 * cases[c].value);
        TEST_NEAR(value_of(written, cases[c].name), cases[c].value, 1e-12 * cases[c].value);
        TEST_STATUS(lyra_world_set(turned, cases[c].name, -1),
                    c == 4 ? LYRA_OK : LYRA_INVALID_ARGUMENT); // lambda may be negative
        TEST_OK(lyra_world_set(turned, cases[c].name, cases[c].value));
        steps(turned, 8);
        steps(written, 8);
        steps(plain, 8);
        // rounding of factors, and where Newton stops
        TEST_CHECK_MSG(difference(turned, written) <= 1e-7 * largest(written), "%s: %g of %g",
                       cases[c].name, difference(turned, written), largest(written));
        TEST_CHECK_MSG(difference(turned, plain) > 1e-4 * largest(plain), "%s: no effect",
                       cases[c].name);
        lyra_world_destroy(turned);
        lyra_world_destroy(written);
        lyra_world_destroy(plain);
    }
    test_context_end(ctx);
}

// each body keeps its own, all are turned at once, and what is 0 has no scale to be turned by
LYRA_TEST(parameters_of_forces_are_of_one_body_or_of_all)
{
    REQUIRE_YAML();
    static const char *const overrides[] = {
        "bodies=[{name: a, generate: {cells: [1, 1, 1]}, fibre: {stiffness: 100, active-stress: 1}}"
        ", {name: b, generate: {cells: [1, 1, 1], center: [5, 0, 0]}, fibre: {stiffness: 300}}]"};
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    LyraWorld *world = load(ctx, "stvk", 1, overrides);
    TEST_REQUIRE(world);
    TEST_NEAR(value_of(world, "bodies.*.fibre.stiffness"), 1, 0); // they differ: a factor
    TEST_OK(lyra_world_set(world, "bodies.*.fibre.stiffness", 2));
    TEST_NEAR(value_of(world, "bodies.a.fibre.stiffness"), 200, 0);
    TEST_NEAR(value_of(world, "bodies.b.fibre.stiffness"), 600, 0);
    TEST_OK(lyra_world_set(world, "bodies.b.fibre.stiffness", 900));
    TEST_NEAR(value_of(world, "bodies[1].fibre.stiffness"), 900, 1e-12);
    TEST_NEAR(value_of(world, "bodies.a.fibre.stiffness"), 200, 0);
    TEST_NEAR(value_of(world, "bodies.*.fibre.stiffness"), 2, 0); // the first stands for all
    TEST_CHECK(isnan(value_of(world, "bodies.b.fibre.active-stress")));
    TEST_NEAR(value_of(world, "bodies.a.fibre.active-stress"), 1, 0);
    steps(world, 1);
    lyra_world_destroy(world);
    test_context_end(ctx);
}

LYRA_TEST(springs_have_a_factor)
{
    REQUIRE_YAML();
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    LyraWorld *soft = load(ctx, "mass-spring", 0, NULL), *hard = load(ctx, "mass-spring", 0, NULL);
    TEST_REQUIRE(soft && hard);
    TEST_CHECK(isnan(value_of(soft, "bodies.*.material.young")) &&
               value_of(soft, "bodies.*.material.stiffness") == 1);
    TEST_OK(lyra_world_set(hard, "bodies.*.material.stiffness", 10));
    steps(soft, 20);
    steps(hard, 20);
    TEST_CHECK(largest(hard) < 0.6 * largest(soft));
    lyra_world_destroy(soft);
    lyra_world_destroy(hard);
    test_context_end(ctx);
}

LYRA_TEST(numbers_that_the_scene_turns_itself_are_no_parameters)
{
    REQUIRE_YAML();
    static const char *const changes[] = {
        "gravity=[0, sin(t), 0]",
        "changes=[{parameter: young, factor: 1 + t}]",
        "bodies[0].fibre={active-stress: 1 kPa, activation: 0.5 + 0.5*sin(t)}",
    };
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    LyraWorld *world = load(ctx, "stvk", 3, changes);
    TEST_REQUIRE(world);
    static const char *const gone[] = {"gravity", "bodies.*.material.young",
                                       "bodies.*.material.poisson", "bodies.*.fibre.activation"};
    for (size_t i = 0; i < sizeof gone / sizeof *gone; ++i) {
        TEST_CHECK_MSG(isnan(value_of(world, gone[i])), "%s can be turned", gone[i]);
        TEST_STATUS(lyra_world_set(world, gone[i], 1), LYRA_INVALID_ARGUMENT);
    }
    lyra_world_destroy(world);
    test_context_end(ctx);
}

LYRA_TEST(bad_numbers_are_refused_and_change_nothing)
{
    REQUIRE_YAML();
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    LyraWorld *world = load(ctx, "stvk", 0, NULL), *plain = load(ctx, "stvk", 0, NULL);
    TEST_REQUIRE(world && plain);
    static const struct {
        const char *name;
        double value;
    } cases[] = {{"bodies.*.material.young", 0},
                 {"bodies.*.material.young", -1},
                 {"bodies.*.material.young", NAN},
                 {"bodies.*.material.poisson", 0.5},
                 {"bodies.*.material.poisson", -1},
                 {"bodies.*.material.density", 0},
                 {"time.dt", 0},
                 {"time.dt", INFINITY},
                 {"gravity", NAN},
                 {"damping.mass", -1},
                 {"colour", 1}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        TEST_CHECK(lyra_world_set(world, cases[i].name, cases[i].value) == LYRA_INVALID_ARGUMENT);
    }
    TEST_CHECK(lyra_world_set_integrator(world, "guess") == LYRA_INVALID_ARGUMENT);
    TEST_CHECK(lyra_world_set_solver(world, "guess") == LYRA_INVALID_ARGUMENT);
    TEST_STRING(lyra_world_integrator(world), "backward-euler");
    TEST_STRING(lyra_world_solver(world), "auto");
    steps(world, 3);
    steps(plain, 3);
    TEST_CHECK(lyra_state_equal(lyra_world_view(world).state, lyra_world_view(plain).state));
    lyra_world_destroy(world);
    lyra_world_destroy(plain);
    test_context_end(ctx);
}

LYRA_TEST(methods_change_while_it_runs)
{
    REQUIRE_YAML();
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    LyraWorld *world = load(ctx, "stvk", 0, NULL);
    TEST_REQUIRE(world);
    static const char *const integrators[] = {"newmark", "bdf2", "newmark", "implicit-midpoint",
                                              "backward-euler"};
    static const char *const solvers[] = {"pcg", "auto"};
    for (size_t i = 0; i < sizeof integrators / sizeof *integrators; ++i) {
        char word[40];
        snprintf(word, sizeof word, "%s", integrators[i]);
        steps(world, 2);
        TEST_OK(lyra_world_set_integrator(world, word));
        TEST_OK(lyra_world_set_solver(world, solvers[i % 2]));
        memset(word, 'x', sizeof word - 1); // the name was copied
        TEST_STRING(lyra_world_integrator(world), integrators[i]);
        TEST_STRING(lyra_world_solver(world), solvers[i % 2]);
    }
    steps(world, 2);
    // twelve steps of backward Euler and its like from rest fall about as far as one method does
    LyraWorld *plain = load(ctx, "stvk", 0, NULL);
    TEST_REQUIRE(plain);
    steps(plain, 12);
    TEST_NEAR(largest(world) / largest(plain), 1, 0.2);
    TEST_EQUAL(lyra_state_view(lyra_world_view(world).state).steps, 12);
    lyra_world_destroy(world);
    lyra_world_destroy(plain);
    test_context_end(ctx);
}

LYRA_TEST(pulls_are_springs)
{
    REQUIRE_YAML();
    static const char *const still[] = {"gravity=[0, 0, 0]", "integrator.name=static"};
    LyraContext *ctx = test_context(2, LYRA_ISA_AUTO);
    LyraWorld *world = load(ctx, "linear", 2, still);
    TEST_REQUIRE(world);
    LyraWorldView view = lyra_world_view(world);
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
    TEST_OK(lyra_world_pull(world, 2, both, k, targets));
    steps(world, 1);
    reach[0] = lyra_vector_values(lyra_state_view(view.state).u)[3 * vertex + 1];
    const double one = 40;
    targets[1] = X[3 * vertex + 1] + (10 * 0.08 + 30 * 0.02) / 40;
    TEST_OK(lyra_world_pull(world, 1, &vertex, &one, targets));
    steps(world, 1);
    reach[1] = lyra_vector_values(lyra_state_view(view.state).u)[3 * vertex + 1];
    TEST_NEAR(reach[0], reach[1], 1e-9);
    TEST_CHECK_MSG(reach[0] > 1e-3 && reach[0] < 0.035, "%g", reach[0]);
    double rest = 0.035 - reach[1];
    TEST_CHECK(lyra_world_pull_energy(world) >= 0.5 * one * rest * rest * (1 - 1e-6));
    // let go: back at rest
    TEST_OK(lyra_world_pull(world, 0, NULL, NULL, NULL));
    TEST_CHECK(lyra_world_pull_energy(world) == 0);
    steps(world, 1);
    TEST_CHECK_MSG(largest(world) < 1e-9, "%g", largest(world));
    lyra_world_destroy(world);
    test_context_end(ctx);
}

LYRA_TEST(bad_pulls_are_refused)
{
    REQUIRE_YAML();
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    LyraWorld *world = load(ctx, "stvk", 0, NULL);
    TEST_REQUIRE(world);
    const int32_t vertex = 3, beyond = 1000000, below = -1;
    const double k = 10, negative = -1, target[] = {0, 0, 0}, bad[] = {0, NAN, 0};
    TEST_STATUS(lyra_world_pull(world, 1, &beyond, &k, target), LYRA_INVALID_ARGUMENT);
    TEST_STATUS(lyra_world_pull(world, 1, &below, &k, target), LYRA_INVALID_ARGUMENT);
    TEST_STATUS(lyra_world_pull(world, 1, &vertex, &negative, target), LYRA_INVALID_ARGUMENT);
    TEST_STATUS(lyra_world_pull(world, 1, &vertex, &k, bad), LYRA_NOT_FINITE);
    lyra_world_destroy(world);
    test_context_end(ctx);
}

#define END_FACE "select: {normal: {direction: [1, 0, 0]}}"

// the sum of what loads push with, N, and the moment of it about the origin, N m
static void sum_loads(LyraWorld *world, double force[3], double moment[3])
{
    LyraWorldView view = lyra_world_view(world);
    LyraModelView model = lyra_model_view(view.model);
    const double *u = lyra_vector_values(lyra_state_view(view.state).u);
    double loads[3 * VERTICES];
    TEST_REQUIRE(model.vertex_count == VERTICES);
    TEST_OK(lyra_world_loads(world, loads, NULL));
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
        LyraWorld *world = load(ctx, "stvk", 1, &cases[c].loads);
        TEST_REQUIRE(world);
        double force[3], moment[3];
        sum_loads(world, force, moment);
        for (int i = 0; i < 3; ++i) {
            TEST_NEAR(force[i], cases[c].force[i], 1e-9);
        }
        lyra_world_destroy(world);
    }
    // pressure all around turns with the body: no force and no moment, whatever its shape
    LyraWorld *world = load(ctx, "stvk", 1, &cases[5].loads);
    TEST_REQUIRE(world);
    steps(world, 8);
    TEST_CHECK_MSG(largest(world) > 1e-3, "%g", largest(world));
    double force[3], moment[3];
    sum_loads(world, force, moment);
    for (int i = 0; i < 3; ++i) {
        TEST_NEAR(force[i], 0, 1e-9);
        TEST_NEAR(moment[i], 0, 1e-9);
    }
    lyra_world_destroy(world);
    // and that on the end has changed: it pushes against the face as it is now
    world = load(ctx, "stvk", 1, &cases[3].loads);
    TEST_REQUIRE(world);
    steps(world, 8);
    sum_loads(world, force, moment);
    TEST_CHECK_MSG(fabs(force[1]) > 0.1 && force[0] < -25, "%g %g", force[0], force[1]);
    lyra_world_destroy(world);
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
    LyraWorld *world = load(ctx, "stvk", 2, overrides);
    TEST_REQUIRE(world);
    double energy = NAN, force[3], moment[3];
    TEST_OK(lyra_world_loads(world, NULL, &energy));
    TEST_NEAR(energy, 0, 1e-12);
    LyraStepReport report;
    for (int s = 0; s < 8; ++s) {
        TEST_OK(lyra_world_step(world, &report));
    }
    TEST_OK(lyra_world_loads(world, NULL, &energy));
    sum_loads(world, force, moment);
    TEST_NEAR(force[1], 1, 1e-9);
    LyraWorldView view = lyra_world_view(world);
    LyraModelView model = lyra_model_view(view.model);
    const double *u = lyra_vector_values(lyra_state_view(view.state).u);
    double loads[3 * VERTICES], work = 0;
    TEST_OK(lyra_world_loads(world, loads, NULL));
    for (int64_t i = 0; i < 3 * (int64_t)model.vertex_count; ++i) {
        work += loads[i] * u[i];
    }
    TEST_NEAR(energy, -work, 1e-9);
    TEST_CHECK_MSG(energy < -1e-3 && report.elastic - energy > 0, "%g of %g", energy,
                   report.elastic);
    lyra_world_destroy(world);
    // one without an energy, and none at all
    static const char *const pressure[] = {"loads=[{type: pressure, " END_FACE
                                           ", pressure: 3 kPa}]"};
    for (int c = 0; c < 2; ++c) {
        world = load(ctx, "stvk", c, pressure);
        TEST_REQUIRE(world);
        steps(world, 2);
        TEST_OK(lyra_world_loads(world, NULL, &energy));
        TEST_CHECK(energy == 0);
        lyra_world_destroy(world);
    }
    test_context_end(ctx);
}

static LyraStatus turn_everything(LyraContext *ctx, void *path)
{
    LyraSceneDef def = lyra_scene_def_default();
    LyraWorld *world = NULL;
    const int32_t vertex = 3;
    const double k = 10, target[] = {0, 0, 0};
    LyraStatus status = lyra_world_load(ctx, path, &def, &world, NULL);
    status = status == LYRA_OK ? lyra_world_set(world, "bodies.*.material.young", 2e4) : status;
    status = status == LYRA_OK ? lyra_world_set_integrator(world, "newmark") : status;
    status = status == LYRA_OK ? lyra_world_pull(world, 1, &vertex, &k, target) : status;
    double loads[3 * VERTICES];
    status = status == LYRA_OK ? lyra_world_loads(world, loads, NULL) : status;
    lyra_world_destroy(world);
    return status;
}

LYRA_TEST(each_allocation_may_fail)
{
    REQUIRE_YAML();
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    lyra_world_destroy(load(ctx, "stvk", 0, NULL));
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
