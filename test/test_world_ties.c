// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Ties: what hangs by them weighs what it weighs, whatever kind of body it is; they push nobody who
// moves as a whole, and keep momentum; what they are told wrong is refused.

#include "lyra/probe.h"
#include "lyra/scene.h"
#include "lyra/world.h"
#include "lyra_test.h"

#include <math.h>
#include <string.h>

// an upper block that is held at its top, and a lower one, `gap` below it
static LyraStatus add_blocks(LyraWorld *world, const char *lower_kind, double gap)
{
    LyraMeshShapeDef shape = lyra_mesh_shape_def_default();
    LyraSelectHalfSpace top = {.point = {0, 0.49, 0}, .normal = {0, 1, 0}};
    LyraSelector held = lyra_selector_default();
    LyraBodyDef upper = lyra_body_def_default(), lower = upper;
    shape.cells[0] = shape.cells[1] = shape.cells[2] = 2;
    upper.name = "upper";
    upper.generate = &shape;
    upper.material.young = 1e6;
    upper.material.poisson = 0.3;
    lower.name = "lower";
    lower.generate = &shape;
    lower.kind = lower_kind;
    if (strcmp(lower_kind, "solid") == 0) {
        lower.material = upper.material;
    }
    lower.density = 500;
    lower.transform.translate[1] = -1 - gap;
    LyraStatus status = lyra_world_add_body(world, &upper, NULL);
    if (status == LYRA_OK) {
        status = lyra_world_add_body(world, &lower, NULL);
    }
    held.half_space = &top;
    return status == LYRA_OK ? lyra_world_fix(world, "upper", &held) : status;
}

static LyraTieDef tie_of_top(LyraSelectHalfSpace *plane, double gap)
{
    LyraTieDef tie = lyra_tie_def_default();
    *plane = (LyraSelectHalfSpace){.point = {0, -0.51 - gap, 0}, .normal = {0, 1, 0}};
    tie.body = "lower";
    tie.select.half_space = plane;
    tie.to = "upper";
    tie.stiffness = 1e5;
    return tie;
}

static LyraWorld *make_world(LyraContext *ctx, const char *integrator, const char *kind, double gap)
{
    LyraWorld *world = NULL;
    LyraWorldDef def = lyra_world_def_default();
    def.integrator.name = integrator;
    def.gravity[1] = lyra_curve_constant(-9.81);
    TEST_OK(lyra_world_create(ctx, &def, &world));
    TEST_OK(add_blocks(world, kind, gap));
    return world;
}

LYRA_TEST(a_tied_body_hangs_with_its_weight)
{
    static const char *const kinds[] = {"solid", "affine"};
    for (int k = 0; k < 2; ++k) {
        LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
        LyraWorld *world = make_world(ctx, "static", kinds[k], 0.25);
        LyraSelectHalfSpace plane;
        LyraTieDef tie = tie_of_top(&plane, 0.25);
        double force[3] = {0};
        int32_t index = -1;
        TEST_OK(lyra_world_add_tie(world, &tie, &index));
        TEST_EQUAL(index, 0);
        TEST_OK(lyra_world_step(world, NULL));
        TEST_OK(lyra_world_tie_force(world, index, force));
        // 1 m^3 of 500 kg/m^3
        TEST_NEAR(force[1], 500 * 9.81, 1e-5 * 500 * 9.81);
        TEST_NEAR(force[0], 0, 1e-3);
        lyra_world_destroy(world);
        test_context_end(ctx);
    }
}

// the same springs said as a load and as a tie to the world
LYRA_TEST(a_tie_to_the_world_is_a_spring_to_the_place_at_rest)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    double places[2][81];
    for (int k = 0; k < 2; ++k) {
        LyraWorld *world = make_world(ctx, "backward-euler", "solid", 0);
        LyraSelectHalfSpace plane;
        LyraTieDef tie = tie_of_top(&plane, 0);
        LyraLoadDef load = lyra_load_def_default();
        tie.to = NULL;
        tie.damping = 30;
        load.type = LYRA_LOAD_SPRING;
        load.body = tie.body;
        load.select = tie.select;
        load.stiffness = tie.stiffness;
        load.damping = tie.damping;
        TEST_OK(k ? lyra_world_add_load(world, &load) : lyra_world_add_tie(world, &tie, NULL));
        for (int step = 0; step < 5; ++step) {
            TEST_OK(lyra_world_step(world, NULL));
        }
        int32_t count = 0;
        const double *x = lyra_world_positions(world, 1, &count);
        TEST_REQUIRE(count == 27);
        memcpy(places[k], x, sizeof places[k]);
        lyra_world_destroy(world);
    }
    for (int i = 0; i < 81; ++i) {
        TEST_NEAR(places[0][i], places[1][i], 1e-9);
    }
    test_context_end(ctx);
}

// two free bodies, tied with a gap and with damping: what one gains the other loses
LYRA_TEST(ties_keep_momentum_and_leave_rigid_motion_alone)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    for (int spin = 0; spin < 2; ++spin) {
        LyraWorld *world = NULL;
        LyraMeshShapeDef shape = lyra_mesh_shape_def_default();
        LyraWorldDef def = lyra_world_def_default();
        LyraSelectHalfSpace plane;
        LyraTieDef tie = tie_of_top(&plane, 0.1);
        double force[3];
        shape.cells[0] = shape.cells[1] = shape.cells[2] = 1;
        def.integrator.name = "implicit-midpoint";
        TEST_OK(lyra_world_create(ctx, &def, &world));
        for (int b = 0; b < 2; ++b) {
            LyraBodyDef body = lyra_body_def_default();
            body.name = b ? "lower" : "upper";
            body.generate = &shape;
            body.transform.translate[1] = b ? -1.1 : 0;
            body.start.velocity[0] = 2;
            body.start.velocity[2] = spin && b ? 1 : 0;
            TEST_OK(lyra_world_add_body(world, &body, NULL));
        }
        tie.damping = 50;
        TEST_OK(lyra_world_add_tie(world, &tie, NULL));
        for (int step = 0; step < 10; ++step) {
            TEST_OK(lyra_world_step(world, NULL));
        }
        TEST_OK(lyra_world_tie_force(world, 0, force));
        double size = sqrt(force[0] * force[0] + force[1] * force[1] + force[2] * force[2]);
        TEST_CHECK(spin ? size > 1 : size < 1e-6);
        LyraModelView model = lyra_model_view(lyra_world_view(world).model);
        const double *v = lyra_vector_values(lyra_state_view(lyra_world_view(world).state).v);
        double momentum[3] = {0};
        for (int32_t i = 0; i < 3 * model.vertex_count; ++i) {
            momentum[i % 3] += model.masses[i / 3] * v[i];
        }
        TEST_NEAR(momentum[0], 4000, 1e-6);
        TEST_NEAR(momentum[2], spin ? 1000 : 0, 1e-6);
        lyra_world_destroy(world);
    }
    test_context_end(ctx);
}

// ---- hard ties ----------------------------------------------------------------------------------

static LyraWorld *make_hard(LyraContext *ctx, const char *integrator, LyraTieDef *tie)
{
    LyraWorld *world = make_world(ctx, integrator, "solid", 0.25);
    LyraSelectHalfSpace plane;
    *tie = tie_of_top(&plane, 0.25);
    tie->name = "glue";
    tie->hard = true;
    tie->stiffness = NAN;
    TEST_OK(lyra_world_add_tie(world, tie, NULL));
    return world;
}

// Whatever the method, after each step: what is left of the gap is k^-1 times what Newton's method
// leaves of forces, 1e-8 of them, here below 2e-12 m; and statics hang by the weight.
LYRA_TEST(hard_ties_leave_no_gap_with_any_method_that_iterates)
{
    static const char *const methods[] = {
        "static", "backward-euler",    "bdf2",    "bdf3",
        "bdf4",   "implicit-midpoint", "newmark", "generalized-alpha"};
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    for (size_t m = 0; m < sizeof methods / sizeof *methods; ++m) {
        LyraTieDef tie;
        LyraWorld *world = make_hard(ctx, methods[m], &tie);
        double force[3], gap = -1;
        int64_t requests = 0;
        for (int step = 0; step < 8; ++step) {
            LyraStepReport report;
            TEST_OK(lyra_world_step(world, &report));
            TEST_OK(lyra_world_tie_gap(world, 0, &gap));
            TEST_EQUAL(gap, report.gap);
            TEST_CHECK(report.gap < 1e-11);
            TEST_CHECK(step < 4 || report.newton_iterations < 15);
            requests = step < 4 ? test_allocation_count() : requests;
        }
        TEST_EQUAL(test_allocation_count(), requests);
        TEST_OK(lyra_world_tie_force(world, 0, force));
        if (m == 0) {
            TEST_NEAR(force[1], 500 * 9.81, 1e-5 * 500 * 9.81);
        }
        lyra_world_destroy(world);
    }
    test_context_end(ctx);
}

// the stiffness of a hard tie is that of its search alone
LYRA_TEST(the_stiffness_of_a_hard_tie_changes_no_result)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    double places[3][81];
    for (int k = 0; k < 3; ++k) {
        LyraWorld *world = make_world(ctx, "bdf2", "solid", 0.25);
        LyraSelectHalfSpace plane;
        LyraTieDef tie = tie_of_top(&plane, 0.25);
        tie.hard = k < 2;
        tie.stiffness = k == 0 ? NAN : 1e6;
        TEST_OK(lyra_world_add_tie(world, &tie, NULL));
        for (int step = 0; step < 10; ++step) {
            TEST_OK(lyra_world_step(world, NULL));
        }
        memcpy(places[k], lyra_world_positions(world, 1, NULL), sizeof places[k]);
        lyra_world_destroy(world);
    }
    double differ = 0;
    for (int i = 0; i < 81; ++i) {
        TEST_NEAR(places[0][i], places[1][i], 1e-9);
        differ = fmax(differ, fabs(places[0][i] - places[2][i]));
    }
    TEST_CHECK(differ > 1e-5); // the spring gives
    test_context_end(ctx);
}

LYRA_TEST(hard_ties_keep_momentum_and_spin)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    LyraWorld *world = NULL;
    LyraMeshShapeDef shape = lyra_mesh_shape_def_default();
    LyraWorldDef def = lyra_world_def_default();
    LyraSelectHalfSpace plane;
    LyraTieDef tie = tie_of_top(&plane, 0.1);
    shape.cells[0] = shape.cells[1] = shape.cells[2] = 1;
    def.integrator.name = "implicit-midpoint";
    def.integrator.newton.residual = 1e-12;
    TEST_OK(lyra_world_create(ctx, &def, &world));
    for (int b = 0; b < 2; ++b) {
        LyraBodyDef body = lyra_body_def_default();
        body.name = b ? "lower" : "upper";
        body.generate = &shape;
        body.transform.translate[1] = b ? -1.1 : 0;
        body.start.velocity[0] = 2;
        body.start.velocity[2] = b ? 1 : 0;
        TEST_OK(lyra_world_add_body(world, &body, NULL));
    }
    tie.hard = true;
    tie.stiffness = NAN;
    TEST_OK(lyra_world_add_tie(world, &tie, NULL));
    double momentum[2][3], spin[2][3];
    for (int when = 0; when < 2; ++when) {
        for (int step = 0; step < 20 * when; ++step) {
            TEST_OK(lyra_world_step(world, NULL));
        }
        TEST_OK(lyra_world_prepare(world));
        LyraModelView model = lyra_model_view(lyra_world_view(world).model);
        LyraStateView state = lyra_state_view(lyra_world_view(world).state);
        const double *u = lyra_vector_values(state.u), *v = lyra_vector_values(state.v);
        memset(momentum[when], 0, sizeof *momentum);
        memset(spin[when], 0, sizeof *spin);
        for (int32_t i = 0; i < 3 * model.vertex_count; ++i) {
            int32_t at = i - i % 3, j = (i + 1) % 3, k = (i + 2) % 3;
            double m = model.masses[i / 3];
            momentum[when][i % 3] += m * v[i];
            spin[when][i % 3] += m * ((model.positions[at + j] + u[at + j]) * v[at + k] -
                                      (model.positions[at + k] + u[at + k]) * v[at + j]);
        }
    }
    for (int i = 0; i < 3; ++i) {
        TEST_NEAR(momentum[1][i], momentum[0][i], 1e-8);
        // the points meet to what Newton's method leaves of the gap
        TEST_NEAR(spin[1][i], spin[0][i], 1e-5);
    }
    lyra_world_destroy(world);
    test_context_end(ctx);
}

LYRA_TEST(checkpoints_keep_what_hard_ties_push_with)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    LyraTieDef tie;
    LyraWorld *whole = make_hard(ctx, "newmark", &tie), *part = make_hard(ctx, "newmark", &tie);
    for (int step = 0; step < 4; ++step) {
        TEST_OK(lyra_world_step(whole, NULL));
    }
    TEST_REQUIRE_OK(lyra_world_save(whole, test_temp_path("ties.state")));
    TEST_REQUIRE_OK(lyra_world_restore(part, test_temp_path("ties.state")));
    double force[2][3];
    TEST_OK(lyra_world_tie_force(whole, 0, force[0]));
    TEST_OK(lyra_world_tie_force(part, 0, force[1]));
    TEST_CHECK(memcmp(force[0], force[1], sizeof *force) == 0 && fabs(force[0][1]) > 1);
    for (int step = 0; step < 4; ++step) {
        TEST_OK(lyra_world_step(whole, NULL));
        TEST_OK(lyra_world_step(part, NULL));
    }
    TEST_CHECK(memcmp(lyra_world_positions(whole, 1, NULL), lyra_world_positions(part, 1, NULL),
                      81 * sizeof(double)) == 0);
    lyra_world_destroy(whole);
    lyra_world_destroy(part);
    test_context_end(ctx);
}

// dg/du of the whole system along a direction, by differences
// a factor of a later time does not serve an earlier one
LYRA_TEST(worlds_that_go_back_have_the_same_bits)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    LyraMeshShapeDef shape = lyra_mesh_shape_def_default();
    LyraBodyDef bar = lyra_body_def_default();
    LyraSelectHalfSpace left = {.point = {-0.499, 0, 0}, .normal = {-1, 0, 0}};
    LyraSelector held = lyra_selector_default();
    LyraTieDef tie = lyra_tie_def_default();
    LyraTiePoint place = {{0.6, 0, 0}};
    LyraWorldDef def = lyra_world_def_default();
    LyraWorld *world = NULL;
    def.time.dt = 0.005;
    def.gravity[1] = lyra_curve_constant(-9.81);
    shape.size[1] = shape.size[2] = 0.2;
    shape.cells[0] = 4;
    shape.cells[1] = shape.cells[2] = 1;
    bar.generate = &shape;
    bar.name = "held";
    held.half_space = &left;
    TEST_REQUIRE_OK(lyra_world_create(ctx, &def, &world));
    TEST_OK(lyra_world_add_body(world, &bar, NULL));
    bar.name = "tied";
    bar.material.young = 5e4;
    bar.transform.translate[0] = 1.1;
    TEST_OK(lyra_world_add_body(world, &bar, NULL));
    TEST_OK(lyra_world_fix(world, "held", &held));
    tie.body = "tied";
    tie.to = "held";
    tie.hard = true;
    tie.points = &place;
    tie.point_count = 1;
    TEST_OK(lyra_world_add_tie(world, &tie, NULL));
    double ends[3][60];
    for (int turn = 0; turn < 3; ++turn) {
        for (int step = 0; step < 8; ++step) {
            if (step == 5 && turn == 0) {
                TEST_REQUIRE_OK(lyra_world_save(world, test_temp_path("back.state")));
            }
            if (step >= 5 || turn == 0) {
                TEST_OK(lyra_world_step(world, NULL));
            }
        }
        memcpy(ends[turn], lyra_world_positions(world, 1, NULL), sizeof ends[turn]);
        TEST_REQUIRE_OK(lyra_world_restore(world, test_temp_path("back.state")));
    }
    TEST_CHECK(memcmp(ends[0], ends[1], sizeof *ends) == 0);
    TEST_CHECK(memcmp(ends[0], ends[2], sizeof *ends) == 0);
    lyra_world_destroy(world);
    test_context_end(ctx);
}

LYRA_TEST(tangents_of_ties_match_differences)
{
    for (int hard = 0; hard < 2; ++hard) {
        LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
        LyraWorld *world = make_world(ctx, "backward-euler", "solid", 0.25);
        LyraSelectHalfSpace plane;
        LyraTieDef tie = tie_of_top(&plane, 0.25);
        tie.hard = hard;
        tie.damping = 7;
        tie.gap = lyra_curve_constant(0.3);
        TEST_OK(lyra_world_add_tie(world, &tie, NULL));
        TEST_OK(lyra_world_step(world, NULL));
        LyraWorldView view = lyra_world_view(world);
        LyraStateView state = lyra_state_view(view.state);
        int32_t size = lyra_system_size(view.system);
        LyraVector *u = NULL, *d = NULL, *g[2] = {NULL}, *Kd = NULL;
        LyraVector **all[] = {&u, &d, &g[0], &g[1], &Kd};
        for (int i = 0; i < 5; ++i) {
            TEST_REQUIRE_OK(lyra_vector_create(ctx, size, all[i]));
        }
        double *direction = lyra_vector_values_mutable(d);
        for (int32_t i = 0; i < size; ++i) {
            direction[i] = sin(1 + 7.0 * i);
        }
        LyraPoint at = {.time = state.time, .u = state.u, .v = state.v, .committed = view.state};
        TEST_OK(lyra_system_linearise(view.system, &at, false));
        lyra_system_apply_stiffness(view.system, d, Kd);
        const double h = 1e-5;
        at.u = u;
        for (int side = 0; side < 2; ++side) {
            const LyraResponse response = {.g = g[side]};
            lyra_vector_sum(side ? h : -h, d, state.u, u);
            TEST_OK(lyra_system_evaluate(view.system, &at, &response));
        }
        double error = 0, largest = 0;
        const double *low = lyra_vector_values(g[0]), *high = lyra_vector_values(g[1]);
        for (int32_t i = 0; i < size; ++i) {
            double exact = lyra_vector_values(Kd)[i];
            error = fmax(error, fabs((high[i] - low[i]) / (2 * h) - exact));
            largest = fmax(largest, fabs(exact));
        }
        // h^2 of the elastic part; the tie is linear
        TEST_CHECK(error < 1e-7 * largest);
        for (int i = 0; i < 5; ++i) {
            lyra_vector_destroy(*all[i]);
        }
        lyra_world_destroy(world);
        test_context_end(ctx);
    }
}

// ---- points, seams and pins ---------------------------------------------------------------------

// two squares of 4 x 4 quads in the plane z = 0, 0.5 apart along x
static LyraSurface *make_sheet(LyraContext *ctx)
{
    double positions[75];
    int32_t corners[64], begin[17];
    for (int v = 0; v < 25; ++v) {
        positions[3 * v] = 0.25 * (v % 5);
        positions[3 * v + 1] = 0.25 * (v / 5);
        positions[3 * v + 2] = 0;
    }
    for (int f = 0; f < 16; ++f) {
        int at = f % 4 + 5 * (f / 4);
        const int quad[4] = {at, at + 1, at + 6, at + 5};
        begin[f] = 4 * f;
        for (int c = 0; c < 4; ++c) {
            corners[4 * f + c] = quad[c];
        }
    }
    begin[16] = 64;
    LyraSurfaceView view = {.vertex_count = 25,
                            .positions = positions,
                            .face_count = 16,
                            .face_begin = begin,
                            .corner_count = 64,
                            .corner_vertices = corners};
    LyraSurface *surface = NULL;
    TEST_OK(lyra_surface_create(ctx, &view, &surface));
    return surface;
}

static LyraWorld *make_sheets(LyraContext *ctx)
{
    LyraWorld *world = NULL;
    LyraWorldDef def = lyra_world_def_default();
    LyraSurface *surface = make_sheet(ctx);
    def.damping.mass = 2;
    TEST_OK(lyra_world_create(ctx, &def, &world));
    for (int b = 0; b < 2; ++b) {
        LyraBodySprings springs = lyra_body_springs_default();
        LyraBodyDef body = lyra_body_def_default();
        springs.over = LYRA_SPRINGS_OVER_QUADS;
        springs.surface = surface;
        body.name = b ? "right" : "left";
        body.kind = "springs";
        body.springs = &springs;
        body.transform.translate[0] = b ? 1.5 : 0;
        TEST_OK(lyra_world_add_body(world, &body, NULL));
    }
    lyra_surface_destroy(surface);
    return world;
}

LYRA_TEST(a_seam_draws_two_sheets_together_and_holds)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    LyraWorld *world = make_sheets(ctx);
    LyraSelectBox left = {{0.9, -1, -1}, {1.1, 2, 1}}, right = {{1.4, -1, -1}, {1.6, 2, 1}};
    LyraSelector edge = lyra_selector_default();
    LyraTieDef tie = lyra_tie_def_default();
    const double times[2] = {0, 0.5}, shares[2] = {1, 0};
    tie.name = "seam";
    tie.body = "left";
    tie.select.box = &left;
    tie.to = "right";
    edge.box = &right;
    tie.to_select = &edge;
    tie.hard = true;
    tie.gap.key_count = 2;
    tie.gap.times = times;
    tie.gap.values = shares;
    TEST_OK(lyra_world_add_tie(world, &tie, NULL));
    TEST_EQUAL(lyra_world_find_tie(world, "seam"), 0);
    TEST_EQUAL(lyra_world_find_tie(world, "hem"), -1);
    const double *x = NULL, *y = NULL;
    for (int step = 0; step < 80; ++step) {
        LyraStepReport report;
        TEST_OK(lyra_world_step(world, &report));
        TEST_CHECK(report.gap < 1e-9);
        x = lyra_world_positions(world, 0, NULL);
        y = lyra_world_positions(world, 1, NULL);
        double share = fmax(0, 1 - report.time / 0.5);
        for (int row = 0; row < 5; ++row) {
            TEST_NEAR(y[3 * 5 * row] - x[3 * (5 * row + 4)], 0.5 * share, 1e-8);
        }
    }
    // by symmetry it lies in the middle
    TEST_NEAR(x[3 * 4], 1.25, 1e-6);
    lyra_world_destroy(world);
    test_context_end(ctx);
}

// a place in a face of a sheet, led around by the world; and one on it, tied to by a block
LYRA_TEST(places_in_faces_follow_a_moving_pin)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    LyraWorld *world = make_sheets(ctx);
    LyraTieDef tie = lyra_tie_def_default();
    const LyraTiePoint place = {{0.3, 0.4, 0}};
    const double times[2] = {0, 1}, angles[2] = {0, 1}, lift[2] = {0, 0.2};
    tie.name = "pin";
    tie.body = "left";
    tie.points = &place;
    tie.point_count = 1;
    tie.hard = true;
    tie.rotation.angle.key_count = tie.displacement[2].key_count = 2;
    tie.rotation.angle.times = tie.displacement[2].times = times;
    tie.rotation.angle.values = angles;
    tie.displacement[2].values = lift;
    TEST_OK(lyra_world_add_tie(world, &tie, NULL));
    // the closest face of the other sheet, with a gap along z that is kept
    const LyraTiePoint above = {{1.8, 0.4, 0.3}};
    tie = lyra_tie_def_default();
    tie.name = "over";
    tie.body = "left";
    tie.points = &above;
    tie.point_count = 1;
    tie.to = "right";
    tie.stiffness = 1;
    TEST_OK(lyra_world_add_tie(world, &tie, NULL));
    LyraProbeDef probe = lyra_probe_def_default();
    probe.quantity = LYRA_PROBE_TIE_GAP;
    probe.tie = "pin";
    TEST_OK(lyra_world_add_probe(world, &probe, NULL));
    probe.quantity = LYRA_PROBE_TIE_FORCE;
    probe.component = LYRA_PROBE_LENGTH;
    TEST_OK(lyra_world_add_probe(world, &probe, NULL));
    for (int step = 0; step < 20; ++step) {
        LyraStepReport report;
        TEST_OK(lyra_world_step(world, &report));
        const double *x = lyra_world_positions(world, 0, NULL);
        double found[3] = {0}, a = report.time;
        double force[3], size;
        LyraProbeView gap, push;
        TEST_OK(lyra_world_probe(world, 0, &gap));
        TEST_OK(lyra_world_probe(world, 1, &push));
        TEST_OK(lyra_world_tie_force(world, 0, force));
        size = sqrt(force[0] * force[0] + force[1] * force[1] + force[2] * force[2]);
        TEST_CHECK(gap.count == 1 && gap.values[0] == report.gap && report.gap < 1e-10);
        TEST_NEAR(push.values[0], size, 1e-12 * size);
        // of the quad 6, 7, 12, 11 around the place, the triangle 6, 12, 11
        for (int i = 0; i < 3; ++i) {
            found[i] = 0.4 * x[3 * 6 + i] + 0.2 * x[3 * 12 + i] + 0.4 * x[3 * 11 + i];
        }
        TEST_NEAR(found[0], 0.3 * cos(a) - 0.4 * sin(a), 1e-9);
        TEST_NEAR(found[1], 0.3 * sin(a) + 0.4 * cos(a), 1e-9);
        TEST_NEAR(found[2], 0.2 * a, 1e-9);
    }
    lyra_world_destroy(world);
    test_context_end(ctx);
}

static void swing(LyraContext *ctx, void *data, void *out)
{
    (void)data;
    LyraWorld *world = make_world(ctx, "backward-euler", "affine", 0.25);
    LyraSelectHalfSpace plane;
    LyraTieDef tie = tie_of_top(&plane, 0.25);
    tie.hard = true;
    TEST_OK(lyra_world_add_tie(world, &tie, NULL));
    for (int step = 0; step < 3; ++step) {
        TEST_OK(lyra_world_step(world, NULL));
    }
    memcpy(out, lyra_world_positions(world, 0, NULL), 81 * sizeof(double));
    lyra_world_destroy(world);
}

LYRA_TEST(tied_bodies_have_the_same_bits_on_all_threads)
{
    test_same_bits(swing, NULL, 81 * sizeof(double));
}

LYRA_TEST(wrong_ties_are_refused)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    LyraWorld *world = make_world(ctx, "backward-euler", "solid", 0);
    LyraSelectHalfSpace plane;
    LyraTieDef tie = tie_of_top(&plane, 0);
    tie.to = "lower";
    TEST_STATUS(lyra_world_add_tie(world, &tie, NULL), LYRA_BAD_FORMAT);
    TEST_CONTAINS(lyra_error_message(), "tied to itself");
    tie.to = "louer";
    TEST_STATUS(lyra_world_add_tie(world, &tie, NULL), LYRA_BAD_FORMAT);
    TEST_CONTAINS(lyra_error_message(), "to: found \"louer\"");
    tie.to = NULL;
    tie.stiffness = -1;
    TEST_STATUS(lyra_world_add_tie(world, &tie, NULL), LYRA_INVALID_ARGUMENT);
    TEST_CONTAINS(lyra_error_message(), "stiffness");
    tie.stiffness = NAN;
    TEST_STATUS(lyra_world_add_tie(world, &tie, NULL), LYRA_BAD_FORMAT);
    TEST_CONTAINS(lyra_error_message(), "stiffness: found none, expected it, or hard");
    tie.hard = true;
    tie.stiffness = 0;
    TEST_STATUS(lyra_world_add_tie(world, &tie, NULL), LYRA_BAD_FORMAT);
    TEST_CONTAINS(lyra_error_message(), "found 0 of a hard tie");
    tie.to_select = &tie.select;
    tie.stiffness = 1;
    TEST_STATUS(lyra_world_add_tie(world, &tie, NULL), LYRA_BAD_FORMAT);
    TEST_CONTAINS(lyra_error_message(), "to-select: found it without to");
    tie.to_select = NULL;
    tie.to = "upper";
    tie.rotation.angle = lyra_curve_constant(1);
    TEST_STATUS(lyra_world_add_tie(world, &tie, NULL), LYRA_BAD_FORMAT);
    TEST_CONTAINS(lyra_error_message(), "rotation: found it beside to");
    tie.rotation = lyra_tie_def_default().rotation;
    tie.hard = false;
    plane.point[1] = 5;
    TEST_STATUS(lyra_world_add_tie(world, &tie, NULL), LYRA_BAD_FORMAT);
    TEST_CONTAINS(lyra_error_message(), "select: found no vertices");
    TEST_OK(lyra_world_step(world, NULL));
    double force[3];
    TEST_STATUS(lyra_world_tie_force(world, 0, force), LYRA_INVALID_ARGUMENT);
    LyraProbeDef probe = lyra_probe_def_default();
    probe.quantity = LYRA_PROBE_TIE_GAP;
    TEST_STATUS(lyra_world_add_probe(world, &probe, NULL), LYRA_BAD_FORMAT);
    TEST_CONTAINS(lyra_error_message(), "tie: found none with quantity tie-gap");
    probe.tie = "glue";
    TEST_STATUS(lyra_world_add_probe(world, &probe, NULL), LYRA_BAD_FORMAT);
    TEST_CONTAINS(lyra_error_message(), "tie: found \"glue\", expected the name of a tie");
    lyra_world_destroy(world);
    test_context_end(ctx);
}

// a stiff block, tied at a place inside of it to the end of a chain, which has no faces
LYRA_TEST(chains_and_stiff_bodies_are_tied_by_places_and_vertices)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    LyraWorld *world = NULL;
    LyraWorldDef def = lyra_world_def_default();
    LyraMeshShapeDef shape = lyra_mesh_shape_def_default();
    LyraBodySprings springs = lyra_body_springs_default();
    LyraBodyDef chain = lyra_body_def_default(), block = chain;
    const int32_t first = 0, last = 4;
    LyraSelector top = lyra_selector_default(), end = top;
    const LyraTiePoint middle = {{0.05, 0.02, 0}};
    LyraTieDef tie = lyra_tie_def_default();
    def.integrator.name = "backward-euler";
    def.damping.mass = 5;
    def.time.dt = 0.02;
    def.gravity[1] = lyra_curve_constant(-9.81);
    springs.over = LYRA_SPRINGS_OVER_CHAIN;
    springs.count = 5;
    springs.structural = 1e5;
    springs.mass = 0.1;
    springs.from[0] = springs.to[0] = 0.05;
    springs.from[1] = 2;
    springs.to[1] = 1;
    chain.name = "chain";
    chain.kind = "springs";
    chain.springs = &springs;
    shape.cells[0] = shape.cells[1] = shape.cells[2] = 2;
    block.name = "block";
    block.kind = "affine";
    block.generate = &shape;
    block.density = 100;
    top.vertices = &first;
    end.vertices = &last;
    top.vertex_count = end.vertex_count = 1;
    TEST_OK(lyra_world_create(ctx, &def, &world));
    TEST_OK(lyra_world_add_body(world, &chain, NULL));
    TEST_OK(lyra_world_add_body(world, &block, NULL));
    TEST_OK(lyra_world_fix(world, "chain", &top));
    tie.name = "hook";
    tie.body = "block";
    tie.points = &middle;
    tie.point_count = 1;
    tie.to = "chain";
    tie.hard = true;
    TEST_STATUS(lyra_world_add_tie(world, &tie, NULL), LYRA_UNSUPPORTED);
    TEST_CONTAINS(lyra_error_message(), "to: found springs body \"chain\", which has neither");
    tie.to_select = &end;
    TEST_OK(lyra_world_add_tie(world, &tie, NULL));
    TEST_STATUS(lyra_world_add_tie(world, &tie, NULL), LYRA_BAD_FORMAT);
    TEST_CONTAINS(lyra_error_message(), "found a second tie called \"hook\"");
    LyraTieDef soft = lyra_tie_def_default();
    soft.body = "block";
    soft.select.all = true;
    soft.stiffness = 1;
    TEST_OK(lyra_world_add_tie(world, &soft, NULL));
    LyraStepReport report;
    double force[3], other[3];
    for (int step = 0; step < 400; ++step) {
        TEST_OK(lyra_world_step(world, &report));
        TEST_CHECK(report.gap < 1e-9);
    }
    TEST_OK(lyra_world_tie_force(world, 0, force));
    TEST_OK(lyra_world_tie_force(world, 1, other));
    // at rest again
    TEST_NEAR(force[1] + other[1], 100 * 9.81, 1);
    lyra_world_destroy(world);
    test_context_end(ctx);
}

LYRA_TEST(hard_ties_refuse_methods_that_do_not_iterate)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    LyraTieDef tie;
    LyraWorld *world = make_hard(ctx, "symplectic-euler", &tie);
    TEST_STATUS(lyra_world_step(world, NULL), LYRA_UNSUPPORTED);
    TEST_CONTAINS(lyra_error_message(), "found integrator \"symplectic-euler\" with hard ties");
    lyra_world_destroy(world);
    world = make_hard(ctx, "backward-euler", &tie);
    TEST_OK(lyra_world_step(world, NULL));
    TEST_STATUS(lyra_world_set_integrator(world, "rosenbrock3"), LYRA_UNSUPPORTED);
    TEST_OK(lyra_world_step(world, NULL));
    TEST_OK(lyra_world_set_integrator(world, "bdf2"));
    TEST_OK(lyra_world_step(world, NULL));
    lyra_world_destroy(world);
    test_context_end(ctx);
}

static LyraStatus load_scene(LyraContext *ctx, void *data)
{
    LyraWorld *world = NULL;
    LyraStatus status = lyra_world_load_memory(ctx, data, strlen(data), NULL, NULL, &world, NULL);
    if (status == LYRA_OK) {
        status = lyra_world_step(world, NULL);
    }
    lyra_world_destroy(world);
    return status;
}

LYRA_TEST(scenes_have_ties)
{
    char text[] = "bodies:\n"
                  "  - {name: a, generate: {cells: [1, 1, 1]}}\n"
                  "  - {name: b, generate: {cells: [1, 1, 1], center: [0, -1, 0]}}\n"
                  "constraints:\n"
                  "  - {body: a, select: {all: true}}\n"
                  "ties:\n"
                  "  - {body: b, select: {box: {min: [-1, -0.6, -1], max: [1, 0, 1]}}, to: a,\n"
                  "     stiffness: 1 kN/m, damping: 2 N s/m}\n";
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    TEST_OK(load_scene(ctx, text));
    *strstr(text, "to: a") = 'T';
    TEST_STATUS(load_scene(ctx, text), LYRA_BAD_FORMAT);
    TEST_CONTAINS(lyra_error_message(), "found key \"To\" in ties");
    *strstr(text, "To: a") = 't';
    memcpy(strstr(text, "stiffness: 1 kN/m"), "hard: true       ", 17);
    TEST_OK(load_scene(ctx, text));
    test_context_end(ctx);
    test_fail_each_allocation(load_scene, text);
}
