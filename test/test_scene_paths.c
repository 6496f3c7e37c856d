// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// One path, one number: what lyra_world_parameter() lists is set alike by an override of the scene,
// while the world runs, and by a change over time.

#include "lyra/lyra.h"
#include "lyra_test.h"
#include "scene_yaml.h"

// bodies of all kinds, each of which deforms
static const char all_kinds[] =
    "bodies:\n"
    "  - name: bar\n"
    "    generate: {size: [1, 0.2, 0.2], cells: [4, 1, 1]}\n"
    "    material: {model: stvk, young: 50 kPa, poisson: 0.3}\n"
    "    viscosity: {lambda: 20, mu: 30}\n"
    "  - name: stone\n"
    "    kind: affine\n"
    "    stiffness: 5 kPa\n"
    "    generate: {shape: sphere, radius: 0.2, elements: 100, center: [0, 2, 0]}\n"
    "  - name: flag\n"
    "    kind: cloth\n"
    "    transform: {translate: [0, 3, 0]}\n"
    "    cloth: {generate: {length: 1, width: 1, cells: [6, 6], bands: 2},\n"
    "            groups: [{name: band2, stretch: 300}], bend-u: 1e-3, bend-v: 1e-3}\n"
    "  - name: chain\n"
    "    kind: springs\n"
    "    springs: {over: chain, count: 5, from: [0, 4, 0], to: [1, 4, 0], structural: 200,\n"
    "              damping: 0.5}\n"
    "  - name: net\n"
    "    kind: particles\n"
    "    transform: {translate: [0, 5, 0]}\n"
    "    particles: {generate: {length: 1, width: 1, cells: [5, 5], faces: quads}, bend: 0,\n"
    "                stiffness: 300, shear: 300, damping: 0.3}\n"
    "  - name: muscle\n"
    "    generate: {shape: cylinder, elements: 200, radius: 0.3, height: 1, center: [3, 0, 0]}\n"
    "    material: {model: neo-hookean, young: 50 kPa, poisson: 0.3}\n"
    "    fibre: {direction: [0, 0, 1], stiffness: 20 kPa, active-stress: 9 kPa, activation: 0.4}\n"
    "    start: {scale: [1, 1, 1.2]}\n"
    "  - name: clay\n"
    "    generate: {size: [0.4, 0.2, 0.2], cells: [2, 1, 1], center: [6, 0, 0]}\n"
    "    material: {model: hencky, young: 100 kPa, poisson: 0.3,\n"
    "               plasticity: {yield-stress: 2 kPa, hardening: 5 kPa, viscosity: 20}}\n"
    "    start: {scale: [1.3, 1, 1]}\n"
    "  - name: rope\n"
    "    kind: rod\n"
    "    rod: {generate: {edges: 6, from: [0, 7, 0], to: [1, 7, 0]}, young: 1e6, damping: 0.01}\n"
    "  - name: frame\n"
    "    kind: springs\n"
    "    generate: {size: [1, 0.5, 0.5], cells: [2, 1, 1], element: cube, center: [0, 8, 0]}\n"
    "    springs: {structural: 300, mass: 2}\n"
    "  - name: tin\n"
    "    kind: shell\n"
    "    transform: {translate: [0, 9, 0]}\n"
    "    shell: {generate: {length: 1, width: 0.5, cells: [4, 2]}, thickness: 5 mm}\n"
    "    material: {young: 1 MPa, poisson: 0.3}\n"
    "gravity: [0, -5, -8]\n"
    "damping: {mass: 0.5, stiffness: 1 ms}\n"
    "constraints:\n"
    "  - {body: bar, select: {half-space: {point: [-0.499, 0, 0], normal: [-1, 0, 0]}}}\n"
    "  - {body: flag, select: {near: {point: [0.5, 3, 0.5], count: 3}}}\n"
    "  - {body: chain, select: {vertices: [0]}}\n"
    "  - {body: rope, select: {vertices: [0, 1]}}\n"
    "  - {body: frame, select: {vertices: [0, 1]}}\n"
    "  - {body: tin, select: {vertices: [0, 1, 2]}}\n"
    "  - {body: net, select: {near: {point: [0.5, 5, 0.5], count: 2}}}\n"
    "loads:\n"
    "  - {type: force, body: stone, force: [0, 40, 0], share: total,\n"
    "     select: {half-space: {point: [0, 2, 0], normal: [0, 1, 0]}}}\n"
    "time: {dt: 10 ms, steps: 10}\n";

enum { STEPS = 6 };

static LyraWorld *load(LyraContext *ctx, const char *text, int32_t count,
                       const char *const *overrides)
{
    LyraSceneDef def = lyra_scene_def_default();
    LyraWorld *world = NULL;
    def.overrides = overrides;
    def.override_count = count;
    TEST_OK(lyra_world_load_memory(ctx, text, strlen(text), NULL, &def, &world, NULL));
    return world;
}

static void run(LyraWorld *world)
{
    for (int s = 0; s < STEPS; ++s) {
        TEST_OK(lyra_world_step(world, NULL));
    }
}

// largest difference of displacements, over the largest displacement
static double difference(const LyraWorld *a, const LyraWorld *b)
{
    LyraVector *u = lyra_state_view(lyra_world_view(a).state).u;
    const double *x = lyra_vector_values(u);
    const double *y = lyra_vector_values(lyra_state_view(lyra_world_view(b).state).u);
    double most = 0, largest = 0;
    for (int32_t i = 0; i < lyra_vector_size(u); ++i) {
        most = fmax(most, fabs(x[i] - y[i]));
        largest = fmax(largest, fabs(y[i]));
    }
    return most / largest;
}

static bool ends_in(const char *path, const char *end)
{
    size_t length = strlen(path), own = strlen(end);
    return length >= own && strcmp(path + length - own, end) == 0;
}

// gravity and the step are no changes
static bool is_fixed(const char *path)
{
    return strcmp(path, "gravity") == 0 || strcmp(path, "time.dt") == 0;
}

static void check_parameter(LyraContext *ctx, const LyraWorld *plain,
                            const LyraWorldParameter *parameter)
{
    char changed[200], override[200];
    const char *over[] = {override}, *change[] = {changed};
    const char *path = parameter->path;
    double factor = 0.8, value = factor * parameter->start;
    LyraWorld *turned = load(ctx, all_kinds, 0, NULL);
    TEST_REQUIRE(turned);
    TEST_OK(lyra_world_set(turned, path, value));
    run(turned);
    // this flow stays far from its limit
    TEST_CHECK_MSG(difference(turned, plain) > 1e-9 || ends_in(path, "flow-limit"),
                   "%s turns nothing", path);
    snprintf(changed, sizeof changed, "changes=[{parameter: \"%s\", factor: %.17g}]", path, factor);
    if (!is_fixed(path)) {
        LyraWorld *changing = load(ctx, all_kinds, 1, change);
        TEST_REQUIRE(changing);
        LyraWorldParameter gone;
        TEST_STATUS(lyra_world_get(changing, path, &gone), LYRA_INVALID_ARGUMENT);
        run(changing);
        TEST_CHECK_MSG(difference(changing, turned) < 1e-7, "change of %s: %g", path,
                       difference(changing, turned));
        lyra_world_destroy(changing);
    }
    snprintf(override, sizeof override, "%s=%.17g", path, value);
    // an override of all bodies is one of each, whatever it is
    if (!parameter->factor && !strchr(path, '*')) {
        LyraWorld *written = load(ctx, all_kinds, 1, over);
        TEST_REQUIRE(written);
        run(written);
        // a chain's other numbers may follow from the one that is written
        TEST_CHECK_MSG(difference(written, turned) < 1e-7, "override of %s: %g", path,
                       difference(written, turned));
        lyra_world_destroy(written);
    }
    lyra_world_destroy(turned);
}

LYRA_TEST(each_parameter_is_one_number_however_it_is_set)
{
    REQUIRE_YAML();
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    LyraWorld *list = load(ctx, all_kinds, 0, NULL), *plain = load(ctx, all_kinds, 0, NULL);
    TEST_REQUIRE(list && plain);
    run(plain);
    LyraWorldParameter parameter;
    int32_t count = 0;
    for (; lyra_world_parameter(list, count, &parameter); ++count) {
        check_parameter(ctx, plain, &parameter);
    }
    TEST_CHECK(count > 40);
    static const char *const own[] = {
        "bodies.stone.stiffness", "bodies.chain.springs.structural", "bodies.chain.springs.damping",
        "bodies.net.particles.stiffness", "bodies.clay.material.plasticity.yield-stress"};
    for (size_t i = 0; i < sizeof own / sizeof *own; ++i) {
        TEST_OK(lyra_world_get(list, own[i], &parameter));
        TEST_STRING(parameter.path, own[i]);
    }
    TEST_OK(lyra_world_get(list, "bodies.flag.cloth.stretch", &parameter));
    TEST_CHECK(parameter.factor && parameter.value == 1);
    TEST_STATUS(lyra_world_get(list, "bodies.chain.material.stiffness", &parameter),
                LYRA_INVALID_ARGUMENT);
    lyra_world_destroy(list);
    lyra_world_destroy(plain);
    test_context_end(ctx);
}

#define TWO                                                                                        \
    "bodies:\n"                                                                                    \
    "  - {name: a, generate: {cells: [1, 1, 1]}}\n"                                                \
    "  - {name: b, generate: {cells: [1, 1, 1], center: [3, 0, 0]}, material: {young: 5 MPa}}\n"   \
    "gravity: [0, 0, -2]\n"                                                                        \
    "constraints: [{body: a, select: {vertices: [0]}}, {body: b, select: {vertices: [1]}}]\n"

static double number_of(LyraWorld *world, const char *path)
{
    LyraWorldParameter found = {0};
    TEST_OK(lyra_world_get(world, path, &found));
    return found.value;
}

LYRA_TEST(an_override_may_be_for_each_item)
{
    REQUIRE_YAML();
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    static const char *const each[] = {"bodies.*.material.young=2 MPa", "constraints.*.axes=xy"};
    static const char *const bad[][2] = {
        {"loads.*.factor=3", "\"loads\" has no items, so none is set"},
        {"gravity.*.x=3", "has no keys"},
        {"bodies.*.material.yuong=3", "\"bodies[0].material.yuong=3\": found key \"yuong\""},
        {"*.x=3", "found key \"*\" in scene"},
    };
    LyraWorld *world = load(ctx, TWO, 2, each);
    TEST_REQUIRE(world);
    TEST_NEAR(number_of(world, "bodies.a.material.young"), 2e6, 0);
    TEST_NEAR(number_of(world, "bodies.b.material.young"), 2e6, 0);
    TEST_EQUAL(lyra_constraints_view(lyra_system_constraints(lyra_world_view(world).system)).count,
               4);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; ++i) {
        LyraSceneDef def = lyra_scene_def_default();
        LyraWorld *none = NULL;
        def.overrides = bad[i];
        def.override_count = 1;
        TEST_STATUS(lyra_world_load_memory(ctx, TWO, strlen(TWO), NULL, &def, &none, NULL),
                    LYRA_BAD_FORMAT);
        TEST_CONTAINS(lyra_error_message(), bad[i][1]);
        TEST_CHECK(!none);
    }
    lyra_world_destroy(world);
    test_context_end(ctx);
}

// a number for gravity is its size: along what it replaces, otherwise down
LYRA_TEST(gravity_may_be_its_size)
{
    REQUIRE_YAML();
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    static const char *const one[] = {"gravity=3 m/s^2"}, *const two[] = {"gravity=7", "gravity=3"};
    static const char *const other[] = {"gravity=[0, -5, 0]", "gravity=3"};
    static const char *const nothing[] = {"gravity=[0, 0, 0]", "gravity=3"};
    const struct {
        int32_t count;
        const char *const *overrides;
        double y, z;
    } cases[] = {{1, one, 0, -3}, {2, two, 0, -3}, {2, other, -3, 0}, {2, nothing, -3, 0}};
    uint64_t digests[4];
    for (int i = 0; i < 4; ++i) {
        LyraWorld *world = load(ctx, TWO, cases[i].count, cases[i].overrides);
        TEST_REQUIRE(world);
        LyraModelView model = lyra_model_view(lyra_world_view(world).model);
        TEST_CHECK(model.gravity[0] == 0 && model.gravity[1] == cases[i].y &&
                   model.gravity[2] == cases[i].z);
        digests[i] = lyra_world_view(world).digest;
        lyra_world_destroy(world);
    }
    TEST_CHECK(digests[0] != digests[2]);
    test_context_end(ctx);
}

LYRA_TEST(changes_that_cannot_be_are_refused)
{
    REQUIRE_YAML();
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    static const char *const bad[][2] = {
        {"{parameter: gravity, factor: t}", "in the key gravity itself"},
        {"{parameter: time.dt, factor: t}", "cannot change over time"},
        {"{parameter: bodies.a.cloth.mass, factor: t}", "which this world does not have"},
        {"{parameter: bodies.a.material.density, factor: 2}, "
         "{parameter: bodies.*.material.density, factor: 2}",
         "already changes"},
        {"{parameter: bodies.a.fibre.stiffness, factor: t}", "body \"a\" has none"},
        {"{parameter: bodies.*.fibre.stiffness, factor: t}", "which no body has"},
        {"{parameter: bodies.a.stiffness, factor: t}", "which this world does not have"},
        {"{parameter: damping.mas, factor: t}", "expected a parameter, or a path"},
        {"{parameter: bodies.*.material.poisson, value: 0.3, select: {all: true}}", "no select"},
        {"{parameter: damping.mass, value: 1, body: a}", "expected one of them"},
        {"{parameter: bodies.a.material.poisson, value: 0.3}, "
         "{parameter: bodies.*.material.young, factor: 2}",
         "whose poisson changes"},
        {"{parameter: bodies.a.material.young, factor: 2}, "
         "{parameter: bodies.*.material.poisson, value: 0.3}",
         "already changes"},
        {"{parameter: damping.mass, value: 1}, {parameter: damping.mass, value: 2}",
         "already changes"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; ++i) {
        char changes[300];
        const char *overrides[] = {changes};
        LyraSceneDef def = lyra_scene_def_default();
        LyraWorld *none = NULL;
        snprintf(changes, sizeof changes, "changes=[%s]", bad[i][0]);
        def.overrides = overrides;
        def.override_count = 1;
        LyraStatus status = lyra_world_load_memory(ctx, TWO, strlen(TWO), NULL, &def, &none, NULL);
        TEST_CHECK_MSG(status == LYRA_BAD_FORMAT || status == LYRA_UNSUPPORTED, "%s", bad[i][0]);
        TEST_CONTAINS(lyra_error_message(), bad[i][1]);
        TEST_CHECK(!none);
    }
    test_context_end(ctx);
}

// a step that fails takes back what changes have set, damping too
LYRA_TEST(a_step_that_fails_takes_damping_back)
{
    REQUIRE_YAML();
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    static const char *const overrides[] = {
        ("changes=[{parameter: damping.mass, value: 2 + t}, "
         "{parameter: bodies.*.material.poisson, value: 0.2}]"),
        "integrator={name: central-differences, critical: refuse}", "time.dt=1"};
    LyraWorld *world = load(ctx, TWO, 3, overrides);
    TEST_REQUIRE(world);
    LyraStepReport report;
    TEST_CHECK(lyra_world_step(world, &report) != LYRA_OK);
    TEST_NEAR(lyra_model_view(lyra_world_view(world).model).mass_damping, 0, 0);
    lyra_world_destroy(world);
    test_context_end(ctx);
}
