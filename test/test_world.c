// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Worlds from C: they move as the scenes that say the same, calls that fail change nothing, and
// what they lend is what the state says.

#include "lyra/scene.h"
#include "lyra/world.h"
#include "lyra_test.h"
#include "scene_yaml.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static LyraSelector half_space(LyraSelectHalfSpace *plane, double x)
{
    LyraSelector select = lyra_selector_default();
    *plane = (LyraSelectHalfSpace){.point = {x, 0, 0}, .normal = {x < 0 ? -1 : 1, 0, 0}};
    select.half_space = plane;
    return select;
}

static const LyraMeshShapeDef *beam_shape(void)
{
    static LyraMeshShapeDef shape;
    shape = lyra_mesh_shape_def_default();
    shape.size[1] = shape.size[2] = 0.2;
    shape.cells[0] = 8;
    shape.cells[1] = shape.cells[2] = 2;
    return &shape;
}

static LyraStatus add_beam(LyraWorld *world, const char *name)
{
    LyraBodyDef beam = lyra_body_def_default();
    beam.name = name;
    beam.generate = beam_shape();
    beam.material.young = 2e5;
    beam.material.poisson = 0.3;
    beam.density = 900;
    return lyra_world_add_body(world, &beam, NULL);
}

static LyraStatus make_beam(LyraContext *ctx, LyraWorld **out)
{
    LyraSelectHalfSpace plane;
    LyraSelector left = half_space(&plane, -0.49);
    LyraStatus status = lyra_world_create(ctx, NULL, out);
    if (status == LYRA_OK) {
        status = lyra_world_set_gravity(*out, (double[3]){0, -9.81, 0});
    }
    if (status == LYRA_OK) {
        status = add_beam(*out, "beam");
    }
    if (status == LYRA_OK) {
        status = lyra_world_fix(*out, "beam", &left);
    }
    if (status != LYRA_OK) {
        lyra_world_destroy(*out);
        *out = NULL;
    }
    return status;
}

static void run(LyraWorld *world, int steps)
{
    for (int s = 0; s < steps; ++s) {
        TEST_OK(lyra_world_step(world, NULL));
    }
}

static bool same_state(const LyraWorld *a, const LyraWorld *b)
{
    return lyra_state_equal(lyra_world_view(a).state, lyra_world_view(b).state);
}

static const char *const beam_scene =
    "bodies:\n"
    "  - name: beam\n"
    "    generate: {size: [1, 0.2, 0.2], cells: [8, 2, 2]}\n"
    "    material: {young: 0.2 MPa, poisson: 0.3, density: 900}\n"
    "gravity: [0, -9.81, 0]\n"
    "constraints:\n"
    "  - {body: beam, select: {half-space: {point: [-0.49, 0, 0], normal: [-1, 0, 0]}}}\n";

LYRA_TEST(a_world_moves_as_its_scene)
{
    REQUIRE_YAML();
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    LyraWorld *made = NULL, *read = NULL;
    TEST_REQUIRE_OK(make_beam(ctx, &made));
    TEST_REQUIRE_OK(
        lyra_world_load_memory(ctx, beam_scene, strlen(beam_scene), NULL, NULL, &read, NULL));
    run(made, 5);
    run(read, 5);
    TEST_CHECK(same_state(made, read));
    int32_t count = 0;
    const double *x = lyra_world_positions(made, 0, &count);
    TEST_CHECK(x && count == 81);
    double lowest = 0;
    for (int32_t i = 0; i < count; ++i) {
        lowest = fmin(lowest, x[3 * i + 1]);
    }
    TEST_CHECK_MSG(lowest < -0.101, "nothing fell: lowest y %g", lowest);
    lyra_world_destroy(made);
    lyra_world_destroy(read);
    test_context_end(ctx);
}

LYRA_TEST(a_world_makes_a_context_of_its_own)
{
    LyraWorld *world = NULL;
    TEST_REQUIRE_OK(lyra_world_create(NULL, NULL, &world));
    TEST_CHECK(lyra_world_context(world) != NULL);
    TEST_REQUIRE_OK(add_beam(world, NULL));
    TEST_STRING(lyra_world_view(world).bodies[0].name, "body1");
    run(world, 1);
    TEST_NEAR(lyra_world_time(world), 0.01, 0);
    lyra_world_destroy(world);
}

LYRA_TEST(what_fails_leaves_a_world_as_it_was)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    LyraWorld *plain = NULL, *tried = NULL;
    LyraSelector none = lyra_selector_default();
    TEST_REQUIRE_OK(make_beam(ctx, &plain));
    TEST_REQUIRE_OK(make_beam(ctx, &tried));

    LyraBodyDef body = lyra_body_def_default();
    TEST_STATUS(lyra_world_add_body(tried, &body, NULL), LYRA_BAD_FORMAT);
    TEST_CONTAINS(lyra_error_message(), "neither mesh nor generate");
    body.file = "no-such-file.veg";
    TEST_STATUS(lyra_world_add_body(tried, &body, NULL), LYRA_IO_FAILED);
    TEST_CONTAINS(lyra_error_message(), "no-such-file.veg");
    body.file = NULL;
    body.generate = beam_shape();
    body.name = "beam";
    TEST_STATUS(lyra_world_add_body(tried, &body, NULL), LYRA_BAD_FORMAT);
    TEST_CONTAINS(lyra_error_message(), "second body called \"beam\"");
    body.name = "other";
    body.kind = "jelly";
    TEST_STATUS(lyra_world_add_body(tried, &body, NULL), LYRA_INVALID_ARGUMENT);
    TEST_CONTAINS(lyra_error_message(), "kind");
    body.kind = "solid";
    body.material.inversion_threshold = 2;
    TEST_STATUS(lyra_world_add_body(tried, &body, NULL), LYRA_INVALID_ARGUMENT);
    TEST_CONTAINS(lyra_error_message(), "inversion-threshold");
    body.material.inversion_threshold = 0.1;
    LyraBodyViscosity viscosity = lyra_body_viscosity_default();
    viscosity.mu = 1;
    viscosity.lambda = -5;
    body.viscosity = &viscosity;
    TEST_STATUS(lyra_world_add_body(tried, &body, NULL), LYRA_INVALID_ARGUMENT);

    TEST_STATUS(lyra_world_fix(tried, "beam", &none), LYRA_BAD_FORMAT);
    TEST_CONTAINS(lyra_error_message(), "select: found an empty selector");
    none.all = true;
    TEST_STATUS(lyra_world_fix(tried, "bean", &none), LYRA_BAD_FORMAT);
    TEST_CONTAINS(lyra_error_message(), "body: found \"bean\"");
    LyraLoadDef load = lyra_load_def_default();
    load.type = LYRA_LOAD_PRESSURE;
    load.pressure = lyra_curve_expression("sin(");
    load.select = none;
    TEST_STATUS(lyra_world_add_load(tried, &load), LYRA_BAD_FORMAT);
    TEST_CONTAINS(lyra_error_message(), "pressure");

    TEST_EQUAL(lyra_world_view(tried).body_count, 1);
    run(plain, 3);
    run(tried, 3);
    TEST_CHECK(same_state(plain, tried));

    // and what comes too late
    TEST_STATUS(add_beam(tried, "late"), LYRA_INVALID_ARGUMENT);
    TEST_CONTAINS(lyra_error_message(), "before its first step");
    TEST_STATUS(lyra_world_fix(tried, "beam", &none), LYRA_INVALID_ARGUMENT);
    run(plain, 1);
    run(tried, 1);
    TEST_CHECK(same_state(plain, tried));
    lyra_world_destroy(plain);
    lyra_world_destroy(tried);
    test_context_end(ctx);
}

LYRA_TEST(names_that_nobody_gave_are_free_ones)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    LyraWorld *world = NULL;
    TEST_REQUIRE_OK(lyra_world_create(ctx, NULL, &world));
    TEST_REQUIRE_OK(add_beam(world, "body2"));
    TEST_REQUIRE_OK(add_beam(world, NULL));
    TEST_STRING(lyra_world_view(world).bodies[1].name, "body3");
    lyra_world_destroy(world);
    test_context_end(ctx);
}

LYRA_TEST(directions_and_curves_are_checked)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    LyraWorld *world = NULL;
    TEST_REQUIRE_OK(make_beam(ctx, &world));
    LyraBodyDef body = lyra_body_def_default();
    body.generate = beam_shape();
    body.start.rotate.axis[2] = 0;
    TEST_STATUS(lyra_world_add_body(world, &body, NULL), LYRA_BAD_FORMAT);
    TEST_CONTAINS(lyra_error_message(), "start.rotate.axis");
    LyraLoadDef load = lyra_load_def_default();
    load.select.all = true;
    load.force[0].key_count = 2;
    TEST_STATUS(lyra_world_add_load(world, &load), LYRA_INVALID_ARGUMENT);
    TEST_CONTAINS(lyra_error_message(), "without times and values");
    LyraConstraintDef held = lyra_constraint_def_default();
    held.select.all = true;
    held.axes = 0;
    TEST_STATUS(lyra_world_add_constraint(world, &held), LYRA_BAD_FORMAT);
    TEST_CONTAINS(lyra_error_message(), "letters of xyz");
    lyra_world_destroy(world);
    test_context_end(ctx);
}

// a prepare that fails leaves a world that may be filled further
LYRA_TEST(a_prepare_that_failed_can_be_tried_again)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    LyraWorld *world = NULL;
    LyraWorldDef def = lyra_world_def_default();
    LyraBodyDef affine = lyra_body_def_default();
    def.mass = LYRA_MASS_CONSISTENT;
    affine.generate = beam_shape();
    affine.kind = "affine";
    TEST_REQUIRE_OK(lyra_world_create(ctx, &def, &world));
    TEST_REQUIRE_OK(lyra_world_add_body(world, &affine, NULL));
    TEST_STATUS(lyra_world_prepare(world), LYRA_UNSUPPORTED);
    TEST_NEAR(lyra_world_pull_energy(world), 0, 0);
    TEST_REQUIRE_OK(add_beam(world, "beam"));
    TEST_STATUS(lyra_world_step(world, NULL), LYRA_UNSUPPORTED);
    lyra_world_destroy(world);
    test_context_end(ctx);
}

// no rounding: what is not said to move has no displacement, and so no energy
LYRA_TEST(a_start_moves_no_more_than_it_says)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    LyraWorld *world = NULL;
    LyraMeshShapeDef box = lyra_mesh_shape_def_default();
    LyraBodyDef body = lyra_body_def_default();
    LyraEnergies energies;
    body.generate = &box;
    box.center[0] = 0.1;
    body.start.angular_velocity[2] = 3;
    TEST_REQUIRE_OK(lyra_world_create(ctx, NULL, &world));
    TEST_REQUIRE_OK(lyra_world_add_body(world, &body, NULL));
    body.start.translate[0] = 0.3;
    body.start.rotate.angle = 0.5;
    body.start.rotate.center[1] = 2;
    body.start.scale[2] = 1.5;
    TEST_REQUIRE_OK(lyra_world_add_body(world, &body, NULL));
    TEST_REQUIRE_OK(lyra_world_prepare(world));
    LyraWorldView view = lyra_world_view(world);
    const double *u = lyra_vector_values(lyra_state_view(view.state).u);
    int32_t count = view.bodies[0].vertex_count;
    const double *X = lyra_mesh_view(view.bodies[1].mesh).positions;
    for (int32_t i = 0; i < 3 * count; ++i) {
        TEST_NEAR(u[i], 0, 0);
    }
    for (int32_t k = 0; k < count; ++k, X += 3) {
        double c = cos(0.5), s = sin(0.5), y = X[1] - 2;
        double x[3] = {c * X[0] - s * y + 0.3, 2 + s * X[0] + c * y, 1.5 * X[2]};
        for (int i = 0; i < 3; ++i) {
            TEST_NEAR(X[i] + u[3 * (count + k) + i], x[i], 1e-14);
        }
    }
    TEST_OK(lyra_world_energies(world, &energies));
    TEST_CHECK(energies.kinetic > 0 && energies.elastic > 0);
    lyra_world_destroy(world);
    test_context_end(ctx);
}

LYRA_TEST(gravity_over_time_is_no_load)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    LyraWorld *world = NULL;
    LyraWorldDef def = lyra_world_def_default();
    double loads[243];
    def.gravity[1] = lyra_curve_expression("-9.81 * step(t)");
    TEST_REQUIRE_OK(lyra_world_create(ctx, &def, &world));
    TEST_REQUIRE_OK(add_beam(world, "beam"));
    TEST_REQUIRE_OK(lyra_world_loads(world, loads, NULL));
    for (int i = 0; i < 243; ++i) {
        TEST_NEAR(loads[i], 0, 0);
    }
    run(world, 1);
    TEST_CHECK(lyra_world_velocities(world, 0, NULL)[1] < -0.05);
    lyra_world_destroy(world);
    test_context_end(ctx);
}

LYRA_TEST(a_world_without_bodies_does_not_step)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    LyraWorld *world = NULL;
    LyraStepReport report;
    TEST_REQUIRE_OK(lyra_world_create(ctx, NULL, &world));
    TEST_STATUS(lyra_world_step(world, &report), LYRA_INVALID_ARGUMENT);
    TEST_CONTAINS(lyra_error_message(), "no bodies");
    TEST_EQUAL(report.outcome, LYRA_STEP_REFUSED);
    TEST_EQUAL(report.status, LYRA_INVALID_ARGUMENT);
    TEST_REQUIRE_OK(add_beam(world, NULL));
    run(world, 1);
    lyra_world_destroy(world);
    test_context_end(ctx);
}

LYRA_TEST(parameters_have_paths)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    LyraWorld *world = NULL;
    LyraWorldParameter found;
    TEST_REQUIRE_OK(lyra_world_create(ctx, NULL, &world));
    TEST_REQUIRE_OK(add_beam(world, "a"));
    TEST_REQUIRE_OK(add_beam(world, "b.c"));
    TEST_REQUIRE_OK(lyra_world_get(world, "bodies.b.c.material.young", &found));
    TEST_NEAR(found.value, 2e5, 0);
    TEST_STRING(found.unit, "Pa");
    TEST_STRING(found.name, "young");
    TEST_REQUIRE_OK(lyra_world_set(world, "bodies[1].material.young", 3e5));
    TEST_REQUIRE_OK(lyra_world_get(world, "bodies.b.c.material.young", &found));
    TEST_NEAR(found.value, 3e5, 1e-9);
    TEST_NEAR(found.start, 2e5, 0);
    TEST_REQUIRE_OK(lyra_world_get(world, "bodies.a.material.young", &found));
    TEST_NEAR(found.value, 2e5, 0);
    TEST_REQUIRE_OK(lyra_world_set(world, "bodies.*.material.young", 5e5));
    TEST_REQUIRE_OK(lyra_world_get(world, "bodies[0].material.young", &found));
    TEST_NEAR(found.value, 5e5, 1e-9);
    TEST_REQUIRE_OK(lyra_world_set(world, "time.dt", 0.02));
    TEST_NEAR(lyra_world_view(world).dt, 0.02, 0);

    TEST_STATUS(lyra_world_set(world, "bodies.a.material.yuong", 1), LYRA_INVALID_ARGUMENT);
    TEST_CONTAINS(lyra_error_message(), "bodies.*.material.young");
    TEST_STATUS(lyra_world_set(world, "bodies[2].material.young", 1), LYRA_INVALID_ARGUMENT);
    TEST_STATUS(lyra_world_set(world, "bodies.a.material.young", -1), LYRA_INVALID_ARGUMENT);
    TEST_STATUS(lyra_world_set(world, "bodies.a.material.poisson", 0.5), LYRA_INVALID_ARGUMENT);
    TEST_STATUS(lyra_world_set(world, "time.dt", NAN), LYRA_INVALID_ARGUMENT);
    TEST_REQUIRE_OK(lyra_world_get(world, "bodies[0].material.young", &found));
    TEST_NEAR(found.value, 5e5, 1e-9);

    int32_t count = 0;
    bool wildcard = false;
    for (; lyra_world_parameter(world, count, &found); ++count) {
        LyraWorldParameter again;
        wildcard |= strcmp(found.path, "bodies.*.material.young") == 0;
        TEST_CHECK(found.low <= found.value && found.value <= found.high);
        TEST_OK(lyra_world_get(world, found.path, &again));
        TEST_STRING(again.path, found.path);
    }
    TEST_CHECK(wildcard && count >= 10);
    lyra_world_destroy(world);
    test_context_end(ctx);
}

// a name that is long, or means something in a path, has parameters too
LYRA_TEST(parameters_of_odd_names_have_numbers)
{
    char longest[300];
    memset(longest, 'x', sizeof longest);
    longest[sizeof longest - 1] = '\0';
    const char *const names[] = {"a", "*", "b=c", longest};
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    LyraWorld *world = NULL;
    LyraWorldParameter found;
    TEST_REQUIRE_OK(lyra_world_create(ctx, NULL, &world));
    TEST_STATUS(add_beam(world, ""), LYRA_BAD_FORMAT);
    for (int32_t b = 0; b < 4; ++b) {
        TEST_REQUIRE_OK(add_beam(world, names[b]));
    }
    for (int32_t b = 0; b < 4; ++b) {
        char path[400];
        snprintf(path, sizeof path, "bodies[%d].material.young", (int)b);
        TEST_OK(lyra_world_set(world, path, 1e5 * (b + 1)));
        TEST_REQUIRE_OK(lyra_world_get(world, path, &found));
        TEST_STRING(found.path, b == 0 ? "bodies.a.material.young" : path);
        TEST_NEAR(found.value, 1e5 * (b + 1), 1e-9);
        if (b != 1) {
            snprintf(path, sizeof path, "bodies.%s.material.young", names[b]);
            TEST_OK(lyra_world_get(world, path, &found));
            TEST_NEAR(found.value, 1e5 * (b + 1), 1e-9);
        }
    }
    lyra_world_destroy(world);
    test_context_end(ctx);
}

// one body that is turned alone moves as one that was made so
LYRA_TEST(a_turned_modulus_is_that_of_another_world)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    LyraWorld *turned = NULL, *made = NULL;
    LyraSelectHalfSpace plane;
    LyraSelector left = half_space(&plane, -0.49);
    for (int k = 0; k < 2; ++k) {
        LyraWorld **world = k ? &made : &turned;
        TEST_REQUIRE_OK(lyra_world_create(ctx, NULL, world));
        TEST_REQUIRE_OK(lyra_world_set_gravity(*world, (double[3]){0, -9.81, 0}));
        TEST_REQUIRE_OK(add_beam(*world, "a"));
        LyraBodyDef b = lyra_body_def_default();
        b.generate = beam_shape();
        b.material.young = k ? 8e5 : 2e5;
        b.transform.translate[2] = 1;
        TEST_REQUIRE_OK(lyra_world_add_body(*world, &b, NULL));
        TEST_REQUIRE_OK(lyra_world_fix(*world, NULL, &left));
    }
    TEST_REQUIRE_OK(lyra_world_set(turned, "bodies.body2.material.young", 8e5));
    run(turned, 4);
    run(made, 4);
    for (int32_t b = 0; b < 2; ++b) {
        int32_t count = 0;
        const double *x = lyra_world_positions(turned, b, &count);
        const double *y = lyra_world_positions(made, b, NULL);
        for (int32_t i = 0; i < 3 * count; ++i) {
            TEST_NEAR(x[i], y[i], 1e-12);
        }
    }
    lyra_world_destroy(turned);
    lyra_world_destroy(made);
    test_context_end(ctx);
}

// one change said by body and name, by path, and by the number of the body
LYRA_TEST(changes_are_named_by_paths_too)
{
    static const char *const paths[] = {"young", "bodies.a.material.young",
                                        "bodies[0].material.young"};
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    LyraWorld *worlds[3] = {NULL}, *plain = NULL;
    LyraSelectHalfSpace plane;
    LyraSelector left = half_space(&plane, -0.49);
    for (int k = 0; k < 4; ++k) {
        LyraWorld **world = k < 3 ? &worlds[k] : &plain;
        LyraCurve factor = lyra_curve_expression("1 + 100*t");
        LyraChangeDef change = lyra_change_def_default();
        TEST_REQUIRE_OK(lyra_world_create(ctx, NULL, world));
        TEST_REQUIRE_OK(lyra_world_set_gravity(*world, (double[3]){0, -9.81, 0}));
        TEST_REQUIRE_OK(add_beam(*world, "a"));
        TEST_REQUIRE_OK(add_beam(*world, "b"));
        TEST_REQUIRE_OK(lyra_world_fix(*world, NULL, &left));
        change.body = k == 0 ? "a" : NULL;
        change.parameter = paths[k % 3];
        change.factor = &factor;
        TEST_REQUIRE_OK(k < 3 ? lyra_world_add_change(*world, &change) : LYRA_OK);
        run(*world, 4);
    }
    TEST_CHECK(same_state(worlds[0], worlds[1]) && same_state(worlds[0], worlds[2]));
    TEST_CHECK(!same_state(worlds[0], plain));
    for (int k = 0; k < 3; ++k) {
        lyra_world_destroy(worlds[k]);
    }
    lyra_world_destroy(plain);
    TEST_REQUIRE_OK(make_beam(ctx, &plain));
    LyraChangeDef wrong = lyra_change_def_default();
    LyraCurve factor = lyra_curve_constant(2);
    wrong.factor = &factor;
    wrong.parameter = "bodies.bean.material.young";
    TEST_STATUS(lyra_world_add_change(plain, &wrong), LYRA_BAD_FORMAT);
    TEST_CONTAINS(lyra_error_message(), "bodies.NAME.material.young");
    wrong.parameter = "bodies.beam.material.young";
    wrong.body = "beam";
    TEST_STATUS(lyra_world_add_change(plain, &wrong), LYRA_BAD_FORMAT);
    TEST_CONTAINS(lyra_error_message(), "body beside the path");
    lyra_world_destroy(plain);
    test_context_end(ctx);
}

// ---- loads of one's own -------------------------------------------------------------------------

static void push_up(void *user, double t, const double *u, const double *v, double *f)
{
    (void)t, (void)u, (void)v;
    for (int32_t i = 0; i < 81; ++i) {
        f[3 * i + 1] += *(const double *)user;
    }
}

LYRA_TEST(loads_of_ones_own_push_as_those_of_the_world)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    LyraWorld *own = NULL, *made = NULL;
    double force = 0.25;
    LyraLoadDef load = lyra_load_def_default();
    load.select.all = true;
    load.force[1] = lyra_curve_constant(force);
    TEST_REQUIRE_OK(make_beam(ctx, &own));
    TEST_REQUIRE_OK(make_beam(ctx, &made));
    TEST_REQUIRE_OK(lyra_world_add_load_function(own, push_up, &force));
    TEST_REQUIRE_OK(lyra_world_add_load(made, &load));
    run(own, 4);
    run(made, 4);
    TEST_CHECK(same_state(own, made));
    lyra_world_destroy(own);
    lyra_world_destroy(made);
    test_context_end(ctx);
}

static LyraRates swing(void *user, double t)
{
    double w = *(const double *)user;
    return (LyraRates){0.1 * sin(w * t), 0.1 * w * cos(w * t), -0.1 * w * w * sin(w * t)};
}

LYRA_TEST(curves_of_functions_are_those_of_expressions)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    LyraWorld *worlds[2] = {NULL};
    double w = 3;
    for (int k = 0; k < 2; ++k) {
        LyraSelectHalfSpace plane;
        LyraConstraintDef def = lyra_constraint_def_default();
        def.select = half_space(&plane, 0.49);
        def.displacement[2] = k ? lyra_curve_expression("0.1 * sin(3*t)")
                                : (LyraCurve){.function = swing, .user = &w};
        TEST_REQUIRE_OK(make_beam(ctx, &worlds[k]));
        TEST_REQUIRE_OK(lyra_world_add_constraint(worlds[k], &def));
        run(worlds[k], 4);
    }
    int32_t count = 0;
    const double *x = lyra_world_positions(worlds[0], 0, &count);
    const double *y = lyra_world_positions(worlds[1], 0, NULL);
    double moved = 0;
    for (int32_t i = 0; i < 3 * count; ++i) {
        TEST_NEAR(x[i], y[i], 1e-9);
        moved = fmax(
            moved,
            fabs(x[i] - lyra_mesh_view(lyra_world_view(worlds[0]).bodies[0].mesh).positions[i]));
    }
    TEST_CHECK(moved > 0.01);
    lyra_world_destroy(worlds[0]);
    lyra_world_destroy(worlds[1]);
    test_context_end(ctx);
}

// ---- plastic bodies -----------------------------------------------------------------------------

// fields can be had before the first step, when a state has no history yet, and later
static void check_fields(LyraContext *ctx, LyraWorld *world)
{
    LyraWorldView view = lyra_world_view(world);
    LyraFields *fields = NULL;
    double energy[48];
    const LyraElementFields out = {.energy_density = energy};
    TEST_OK(lyra_fields_create(ctx, view.model, view.bodies[0].mesh, 0, &fields));
    TEST_OK(lyra_fields_evaluate(fields, view.state, &out));
    TEST_CHECK(isfinite(energy[0]) && isfinite(energy[47]));
    lyra_fields_destroy(fields);
}

// height of a cube that was pressed by 8 kN and let go, with sides that are free
static double pressed_height(LyraContext *ctx, const char *plasticity)
{
    char text[1500];
    snprintf(
        text, sizeof text,
        "bodies:\n"
        "  - {name: cube, generate: {cells: [2, 2, 2]}, material: {model: hencky, young: 1 MPa,"
        " poisson: 0.3%s}}\n"
        "constraints:\n"
        "  - {select: {half-space: {point: [0, -0.49, 0], normal: [0, -1, 0]}}, axes: y}\n"
        "  - {body: cube, select: {near: {point: [0, -0.5, 0], count: 1}}, axes: xz}\n"
        "  - {body: cube, select: {near: {point: [0.5, -0.5, 0], count: 1}}, axes: z}\n"
        "loads:\n"
        "  - {type: force, share: total, force: [0, -8000, 0],\n"
        "     factor: {times: [0, 1, 2], values: [0, 1, 0]},\n"
        "     select: {half-space: {point: [0, 0.49, 0], normal: [0, 1, 0]}}}\n"
        "damping: {mass: 5}\n"
        "time: {dt: 50 ms}\n",
        plasticity);
    LyraWorld *world = NULL;
    TEST_OK(lyra_world_load_memory(ctx, text, strlen(text), NULL, NULL, &world, NULL));
    if (!world) {
        return NAN;
    }
    check_fields(ctx, world);
    run(world, 60);
    check_fields(ctx, world);
    double top = lyra_world_positions(world, 0, NULL)[3 * 26 + 1];
    lyra_world_destroy(world);
    return top + 0.5;
}

LYRA_TEST(plastic_bodies_of_scenes_stay_pressed)
{
    REQUIRE_YAML();
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    double elastic = pressed_height(ctx, "");
    double plastic = pressed_height(ctx, ", plasticity: {yield-stress: 5 kPa, hardening: 10 kPa}");
    TEST_NEAR(elastic, 1, 1e-3);
    TEST_CHECK_MSG(plastic < 0.9 && plastic > 0.5, "it is %g high", plastic);
    test_context_end(ctx);
}

// ---- looking, saving ----------------------------------------------------------------------------

LYRA_TEST(energies_are_those_of_the_report)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    LyraWorld *world = NULL;
    LyraStepReport report = {0};
    LyraEnergies energies = {0};
    TEST_REQUIRE_OK(make_beam(ctx, &world));
    run(world, 4);
    TEST_REQUIRE_OK(lyra_world_step(world, &report));
    TEST_REQUIRE_OK(lyra_world_energies(world, &energies));
    TEST_CHECK(report.kinetic > 0 && report.elastic > 0);
    TEST_NEAR(energies.kinetic, report.kinetic, 1e-14 * report.kinetic);
    TEST_NEAR(energies.elastic, report.elastic, 1e-14 * report.elastic);
    lyra_world_destroy(world);
    test_context_end(ctx);
}

LYRA_TEST(a_saved_world_goes_on_with_the_same_bits)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    LyraWorld *whole = NULL, *parts = NULL, *other = NULL;
    TEST_REQUIRE_OK(make_beam(ctx, &whole));
    TEST_REQUIRE_OK(make_beam(ctx, &parts));
    run(whole, 3);
    TEST_REQUIRE_OK(lyra_world_save(whole, test_temp_path("world.state")));
    run(whole, 3);
    TEST_REQUIRE_OK(lyra_world_restore(parts, test_temp_path("world.state")));
    run(parts, 3);
    TEST_CHECK(same_state(whole, parts));
    TEST_REQUIRE_OK(lyra_world_create(ctx, NULL, &other));
    TEST_REQUIRE_OK(add_beam(other, "beam"));
    TEST_STATUS(lyra_world_restore(other, test_temp_path("world.state")), LYRA_BAD_FORMAT);
    TEST_CONTAINS(lyra_error_message(), "another world");
    lyra_world_destroy(whole);
    lyra_world_destroy(parts);
    lyra_world_destroy(other);
    test_context_end(ctx);
}

LYRA_TEST(selections_are_those_of_the_mesh)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    LyraWorld *world = NULL;
    LyraSelectHalfSpace plane;
    LyraSelector left = half_space(&plane, -0.49);
    int32_t count = 0, *vertices = NULL;
    TEST_REQUIRE_OK(make_beam(ctx, &world));
    TEST_REQUIRE_OK(lyra_world_select(world, "beam", &left, &count, &vertices));
    TEST_EQUAL(count, 9);
    const double *X = lyra_mesh_view(lyra_world_view(world).bodies[0].mesh).positions;
    for (int32_t i = 0; i < count; ++i) {
        TEST_NEAR(X[3 * vertices[i]], -0.5, 1e-15);
    }
    lyra_vertex_list_destroy(ctx, vertices);
    lyra_world_destroy(world);
    test_context_end(ctx);
}

// moves what is held along y for some steps of a world of so many substeps; saves where it ends
static void follow(LyraContext *ctx, const char *integrator, int32_t substeps, double *u, double *v)
{
    LyraSelectHalfSpace plane;
    LyraSelector left = half_space(&plane, -0.49);
    LyraWorldDef def = lyra_world_def_default();
    def.integrator.name = integrator;
    def.integrator.critical = LYRA_CRITICAL_IGNORE;
    def.time.substeps = substeps;
    def.time.dt = 1e-3;
    LyraWorld *world = NULL;
    TEST_REQUIRE_OK(lyra_world_create(ctx, &def, &world));
    TEST_REQUIRE_OK(add_beam(world, "beam"));
    TEST_REQUIRE_OK(lyra_world_fix(world, "beam", &left));
    TEST_REQUIRE_OK(lyra_world_prepare(world));
    LyraConstraints *held = lyra_model_constraints(lyra_world_view(world).model);
    int32_t size = lyra_constraints_view(held).size, first = lyra_constraints_view(held).vertex[0];
    double *x_bar = malloc((size_t)size * sizeof *x_bar);
    for (int32_t n = 1; n <= 20; ++n) {
        double t = lyra_state_next_time(lyra_world_view(world).state, 1e-3);
        for (int32_t i = 0; i < size; ++i) {
            x_bar[i] = i % 3 == 1 ? 100 * t * t : 0;
        }
        TEST_OK(lyra_constraints_set_values(held, x_bar));
        TEST_OK(lyra_world_step(world, NULL));
        if (n == 10) {
            // a world that is saved and read in the middle goes on along the same path
            TEST_OK(lyra_world_save(world, test_temp_path("followed.state")));
            TEST_OK(lyra_world_restore(world, test_temp_path("followed.state")));
        }
    }
    LyraStateView y = lyra_state_view(lyra_world_view(world).state);
    *u = lyra_vector_values(y.u)[3 * first + 1];
    *v = lyra_vector_values(y.v)[3 * first + 1];
    free(x_bar);
    lyra_world_destroy(world);
}

LYRA_TEST(substeps_share_one_path_to_the_values_of_constraints)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    static const char *const names[] = {"backward-euler", "bdf2", "newmark", "rosenbrock4",
                                        "central-differences"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; ++i) {
        for (int32_t substeps = 1; substeps <= 5; substeps += 2) {
            double u = 0, v = 0;
            follow(ctx, names[i], substeps, &u, &v);
            // a parabola is met by all of them, but for the rounding of its differences
            TEST_NEAR(u, 0.04, 1e-15);
            TEST_NEAR(v, 4, 1e-9);
        }
    }
    test_context_end(ctx);
}

static LyraStatus fill_and_step(LyraContext *ctx, void *data)
{
    (void)data;
    LyraWorld *world = NULL;
    LyraStatus status = make_beam(ctx, &world);
    if (status == LYRA_OK) {
        status = add_beam(world, "second");
    }
    if (status == LYRA_OK) {
        status = lyra_world_step(world, NULL);
    }
    if (status == LYRA_OK) {
        status = lyra_world_set(world, "bodies.second.material.young", 1e6);
    }
    lyra_world_destroy(world);
    return status;
}

LYRA_TEST(each_allocation_of_a_world_may_fail)
{
    test_fail_each_allocation(fill_and_step, NULL);
}
