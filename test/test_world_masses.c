// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Masses that are turned while a world runs: those of one body alone, with velocities kept, the
// energy booked, taken back with a step that fails, and the same bits after a checkpoint.

#include "lyra/lyra.h"
#include "lyra_test.h"

#include <math.h>
#include <string.h>

#define DENSITY "bodies.a.material.density"

// two bars side by side, each held at one end; `factor` of the density of the first over time
static LyraWorld *make(LyraContext *ctx, LyraMassKind mass, const char *integrator,
                       const char *factor)
{
    static const LyraSelectHalfSpace left = {{-0.199, 0, 0}, {-1, 0, 0}};
    const int32_t cells[3] = {4, 2, 2};
    const double size[3] = {0.4, 0.1, 0.1};
    LyraWorldDef settings = lyra_world_def_default();
    LyraWorld *world = NULL;
    settings.mass = mass;
    settings.time.dt = strcmp(integrator, "central-differences") == 0 ? 0.0005 : 0.005;
    settings.gravity[1] = lyra_curve_constant(-9);
    settings.integrator.name = integrator;
    settings.integrator.critical = LYRA_CRITICAL_REFUSE;
    TEST_OK(lyra_world_create(ctx, &settings, &world));
    for (int b = 0; b < 2; ++b) {
        LyraMeshShapeDef box = lyra_mesh_shape_def_default();
        LyraBodyDef bar = lyra_body_def_default();
        memcpy(box.cells, cells, sizeof cells);
        memcpy(box.size, size, sizeof size);
        bar.name = b ? "b" : "a";
        bar.generate = &box;
        bar.material.young = 1e5;
        bar.transform.translate[2] = 0.3 * b;
        TEST_OK(lyra_world_add_body(world, &bar, NULL));
    }
    LyraConstraintDef held = lyra_constraint_def_default();
    held.select.half_space = &left;
    TEST_OK(lyra_world_add_constraint(world, &held));
    if (factor) {
        const LyraCurve curve = lyra_curve_expression(factor);
        LyraChangeDef change = lyra_change_def_default();
        change.parameter = DENSITY;
        change.factor = &curve;
        TEST_OK(lyra_world_add_change(world, &change));
    }
    return world;
}

static LyraStepReport run(LyraWorld *world, int32_t steps)
{
    LyraStepReport report = {0};
    for (int32_t s = 0; s < steps; ++s) {
        TEST_OK(lyra_world_step(world, &report));
    }
    return report;
}

// bytes of positions and velocities of a body
static bool same_body(LyraWorld *x, LyraWorld *y, int32_t body)
{
    int32_t count = 0;
    const double *const a[2] = {lyra_world_positions(x, body, &count),
                                lyra_world_velocities(x, body, NULL)};
    const double *const b[2] = {lyra_world_positions(y, body, NULL),
                                lyra_world_velocities(y, body, NULL)};
    size_t bytes = 3 * (size_t)count * sizeof(double);
    return memcmp(a[0], b[0], bytes) == 0 && memcmp(a[1], b[1], bytes) == 0;
}

static double kinetic_of(LyraWorld *world, int32_t body)
{
    const LyraModelView model = lyra_model_view(lyra_world_view(world).model);
    const LyraBodyView *view = &lyra_world_view(world).bodies[body];
    const double *v = lyra_world_velocities(world, body, NULL);
    double sum = 0;
    for (int64_t c = 0; c < 3 * (int64_t)view->vertex_count; ++c) {
        sum += 0.5 * model.masses[view->first_vertex + c / 3] * v[c] * v[c];
    }
    return sum;
}

LYRA_TEST(a_density_is_that_of_one_body)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    static const LyraMassKind kinds[] = {LYRA_MASS_LUMPED, LYRA_MASS_CONSISTENT};
    for (int k = 0; k < 2; ++k) {
        LyraWorld *turned = make(ctx, kinds[k], "backward-euler", NULL);
        LyraWorld *plain = make(ctx, kinds[k], "backward-euler", NULL);
        LyraWorldParameter found;
        run(turned, 4);
        run(plain, 4);
        TEST_OK(lyra_world_set(turned, DENSITY, 3000));
        TEST_OK(lyra_world_get(turned, DENSITY, &found));
        TEST_NEAR(found.value, 3000, 1e-9);
        TEST_OK(lyra_world_get(turned, "bodies.b.material.density", &found));
        TEST_NEAR(found.value, 1000, 1e-9);
        // u and v stay
        TEST_CHECK(same_body(turned, plain, 0) && same_body(turned, plain, 1));
        const LyraModelView a = lyra_model_view(lyra_world_view(turned).model);
        const LyraModelView b = lyra_model_view(lyra_world_view(plain).model);
        int32_t half = a.vertex_count / 2;
        for (int32_t i = 0; i < a.vertex_count; ++i) {
            double wanted = (i < half ? 3 : 1) * b.masses[i];
            TEST_NEAR(a.masses[i], wanted, 1e-13 * wanted);
        }
        run(turned, 4);
        run(plain, 4);
        TEST_CHECK(!same_body(turned, plain, 0));
        // the other body feels the stopping of Newton's method alone
        int32_t count = 0;
        const double *x = lyra_world_positions(turned, 1, &count);
        const double *y = lyra_world_positions(plain, 1, NULL);
        for (int32_t c = 0; c < 3 * count; ++c) {
            TEST_NEAR(x[c], y[c], 1e-9);
        }
        // all bodies at once, whatever each had
        TEST_OK(lyra_world_set(turned, "bodies.*.material.density", 1000));
        TEST_NEAR(lyra_model_view(lyra_world_view(turned).model).masses[0], b.masses[0],
                  1e-15 * b.masses[0]);
        TEST_STATUS(lyra_world_set(turned, DENSITY, 0), LYRA_INVALID_ARGUMENT);
        lyra_world_destroy(turned);
        lyra_world_destroy(plain);
    }
    test_context_end(ctx);
}

// what a body is given or loses at its velocity is the energy of the change
LYRA_TEST(a_change_of_masses_is_booked)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    LyraWorld *world = make(ctx, LYRA_MASS_LUMPED, "implicit-midpoint", NULL);
    LyraStepReport before = run(world, 8);
    double moving = kinetic_of(world, 0);
    TEST_CHECK(moving > 0.2 * before.kinetic);
    TEST_OK(lyra_world_set(world, DENSITY, 2500));
    TEST_NEAR(kinetic_of(world, 0), 2.5 * moving, 1e-13 * moving);
    LyraStepReport after = run(world, 1);
    TEST_NEAR(after.change, 1.5 * moving, 1e-12 * moving);
    double growth = after.kinetic + after.elastic - before.kinetic - before.elastic;
    TEST_NEAR(after.work + after.change, growth + after.dissipated + after.numerical,
              1e-12 * (before.kinetic + before.elastic));
    TEST_NEAR(run(world, 1).change, 0, 0);
    lyra_world_destroy(world);
    test_context_end(ctx);
}

LYRA_TEST(masses_over_time_go_on_with_the_same_bits)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    static const char *const integrators[] = {"backward-euler", "newmark", "bdf2",
                                              "central-differences", "rosenbrock2"};
    static const LyraMassKind kinds[] = {LYRA_MASS_LUMPED, LYRA_MASS_CONSISTENT};
    for (size_t i = 0; i < 2 * sizeof integrators / sizeof *integrators; ++i) {
        const char *name = integrators[i / 2], *factor = "1 + 20*t*t", *file = "masses.state";
        LyraWorld *whole = make(ctx, kinds[i % 2], name, factor);
        LyraWorld *parts = make(ctx, kinds[i % 2], name, factor);
        LyraWorldParameter gone;
        run(whole, 3);
        TEST_STATUS(lyra_world_get(whole, DENSITY, &gone), LYRA_INVALID_ARGUMENT);
        TEST_REQUIRE_OK(lyra_world_save(whole, test_temp_path(file)));
        LyraStepReport first = run(whole, 3);
        TEST_REQUIRE_OK(lyra_world_restore(parts, test_temp_path(file)));
        LyraStepReport second = run(parts, 3);
        TEST_CHECK_MSG(same_body(whole, parts, 0) && same_body(whole, parts, 1) &&
                           first.change == second.change && first.change > 0,
                       "%s: other bits, or a change of %g J for %g", name, second.change,
                       first.change);
        double mass = lyra_model_view(lyra_world_view(whole).model).masses[0];
        TEST_NEAR(mass, lyra_model_view(lyra_world_view(parts).model).masses[0], 0);
        lyra_world_destroy(whole);
        lyra_world_destroy(parts);
    }
    test_context_end(ctx);
}

// gravity over time pulls at the masses that there are
LYRA_TEST(gravity_over_time_knows_the_masses)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    LyraWorld *worlds[2];
    for (int w = 0; w < 2; ++w) {
        LyraWorldDef settings = lyra_world_def_default();
        LyraMeshShapeDef box = lyra_mesh_shape_def_default();
        LyraBodyDef stone = lyra_body_def_default();
        settings.gravity[1] = w ? lyra_curve_expression("-9 + 0*t") : lyra_curve_constant(-9);
        stone.name = "a";
        stone.generate = &box;
        TEST_OK(lyra_world_create(ctx, &settings, &worlds[w]));
        TEST_OK(lyra_world_add_body(worlds[w], &stone, NULL));
        TEST_OK(lyra_world_set(worlds[w], DENSITY, 4000));
        run(worlds[w], 5);
    }
    int32_t count = 0;
    const double *x = lyra_world_velocities(worlds[0], 0, &count);
    const double *y = lyra_world_velocities(worlds[1], 0, NULL);
    for (int32_t c = 0; c < 3 * count; ++c) {
        TEST_NEAR(x[c], y[c], 1e-9);
    }
    lyra_world_destroy(worlds[0]);
    lyra_world_destroy(worlds[1]);
    test_context_end(ctx);
}

LYRA_TEST(a_step_that_fails_takes_masses_back)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    LyraWorld *world = make(ctx, LYRA_MASS_LUMPED, "central-differences", "2 + t");
    LyraWorld *plain = make(ctx, LYRA_MASS_LUMPED, "central-differences", NULL);
    TEST_OK(lyra_world_prepare(world));
    TEST_OK(lyra_world_prepare(plain));
    TEST_OK(lyra_world_set(world, "time.dt", 1)); // far beyond the critical step
    TEST_CHECK(lyra_world_step(world, NULL) != LYRA_OK);
    TEST_NEAR(lyra_model_view(lyra_world_view(world).model).masses[0],
              lyra_model_view(lyra_world_view(plain).model).masses[0], 0);
    lyra_world_destroy(world);
    lyra_world_destroy(plain);
    test_context_end(ctx);
}

// a rigid body goes by its mass, if it is given one
LYRA_TEST(a_rigid_body_shows_the_mass_that_it_was_given)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    LyraWorld *world = NULL;
    LyraMeshShapeDef box = lyra_mesh_shape_def_default();
    LyraBodyRigid rigid = lyra_body_rigid_default();
    LyraBodyDef stone = lyra_body_def_default();
    LyraWorldParameter found;
    rigid.mass = 50;
    stone.name = "a";
    stone.kind = "rigid";
    stone.generate = &box;
    stone.rigid = &rigid;
    TEST_OK(lyra_world_create(ctx, NULL, &world));
    TEST_OK(lyra_world_add_body(world, &stone, NULL));
    TEST_OK(lyra_world_set(world, "bodies.a.rigid.mass", 75));
    TEST_OK(lyra_world_get(world, "bodies.a.rigid.mass", &found));
    TEST_NEAR(found.value, 75, 1e-12);
    TEST_NEAR(4 * lyra_model_view(lyra_world_view(world).model).masses[0], 75, 1e-10);
    TEST_STATUS(lyra_world_get(world, DENSITY, &found), LYRA_INVALID_ARGUMENT);
    lyra_world_destroy(world);
    test_context_end(ctx);
}
