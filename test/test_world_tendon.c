// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Tendons: forces are the gradient of the energy, tangents that of the forces; they pull with their
// tension along the whole path, balance, and hang where they are slack.

#include "lyra/world.h"
#include "lyra_test.h"

#include <math.h>
#include <string.h>

#define POINTS 4

// a block with a tendon through two of its vertices, a place in it and a place in space
static LyraWorld *make_world(LyraContext *ctx, const char *tension, double stiffness,
                             double rest_length, bool pushes)
{
    static const double places[2][3] = {{0.3, 0.1, 0.2}, {1.5, 1, 0.5}};
    LyraMeshShapeDef shape = lyra_mesh_shape_def_default();
    LyraBodyDef body = lyra_body_def_default();
    LyraLoadDef load = lyra_load_def_default();
    LyraTendonPoint path[POINTS];
    LyraWorld *world = NULL;
    shape.cells[0] = shape.cells[1] = shape.cells[2] = 2;
    body.generate = &shape;
    body.material.young = 1e-6; // next to none
    body.material.poisson = 0.3;
    for (int32_t p = 0; p < POINTS; ++p) {
        path[p] = lyra_tendon_point_default();
    }
    path[0].vertex = 0;
    path[1].at = places[0];
    path[2].vertex = 20;
    path[3].at = places[1];
    path[3].fixed = true;
    load.type = LYRA_LOAD_TENDON;
    load.tension = lyra_curve_expression(tension);
    load.stiffness = stiffness;
    load.rest_length = rest_length;
    load.pushes = pushes;
    load.path = path;
    load.path_count = POINTS;
    if (!TEST_OK(lyra_world_create(ctx, NULL, &world)) ||
        !TEST_OK(lyra_world_add_body(world, &body, NULL)) ||
        !TEST_OK(lyra_world_add_load(world, &load)) || !TEST_OK(lyra_world_prepare(world))) {
        lyra_world_destroy(world);
        return NULL;
    }
    return world;
}

// energy and internal forces at u, at time t
static double evaluate(LyraWorld *world, const double *u, double t, double *g)
{
    LyraWorldView view = lyra_world_view(world);
    LyraStateView state = lyra_state_view(view.state);
    int32_t size = lyra_vector_size(state.u);
    LyraVector *gradient = NULL;
    double energy = 0;
    memcpy(lyra_vector_values_mutable(state.u), u, (size_t)size * sizeof *u);
    LyraPoint at = {.time = t, .u = state.u, .v = state.v, .committed = view.state};
    TEST_OK(lyra_system_vector_create(view.system, size, &gradient));
    LyraResponse response = {.g = gradient, .elastic = &energy};
    TEST_OK(lyra_system_evaluate(view.system, &at, &response));
    if (g) {
        memcpy(g, lyra_vector_values(gradient), (size_t)size * sizeof *g);
    }
    lyra_vector_destroy(gradient);
    return energy;
}

// K d at u
static void apply_tangent(LyraWorld *world, const double *u, double t, const double *d, double *out,
                          bool psd)
{
    LyraWorldView view = lyra_world_view(world);
    LyraStateView state = lyra_state_view(view.state);
    int32_t size = lyra_vector_size(state.u);
    LyraVector *from = NULL, *to = NULL;
    memcpy(lyra_vector_values_mutable(state.u), u, (size_t)size * sizeof *u);
    LyraPoint at = {.time = t, .u = state.u, .v = state.v, .committed = view.state};
    TEST_OK(lyra_system_vector_create(view.system, size, &from));
    TEST_OK(lyra_system_vector_create(view.system, size, &to));
    memcpy(lyra_vector_values_mutable(from), d, (size_t)size * sizeof *d);
    TEST_OK(lyra_system_linearise(view.system, &at, psd));
    lyra_system_apply_stiffness(view.system, from, to);
    memcpy(out, lyra_vector_values(to), (size_t)size * sizeof *out);
    lyra_vector_destroy(from);
    lyra_vector_destroy(to);
}

#define SIZE_MAX_U (3 * 27)

// errors of central differences of step h, of forces against energies and tangents against forces
static void find_errors(LyraWorld *world, const double *u, const double *d, double h,
                        double errors[2])
{
    double g[SIZE_MAX_U], Kd[SIZE_MAX_U], ends[2][SIZE_MAX_U], moved[SIZE_MAX_U], energies[2];
    double slope = 0, size = 0, work = 0;
    evaluate(world, u, 0.5, g);
    apply_tangent(world, u, 0.5, d, Kd, false);
    for (int s = 0; s < 2; ++s) {
        for (int i = 0; i < SIZE_MAX_U; ++i) {
            moved[i] = u[i] + (s ? h : -h) * d[i];
        }
        energies[s] = evaluate(world, moved, 0.5, ends[s]);
    }
    errors[1] = 0;
    for (int i = 0; i < SIZE_MAX_U; ++i) {
        slope += g[i] * d[i];
        work += fabs(g[i] * d[i]);
        size = fmax(size, fabs(Kd[i]));
        errors[1] = fmax(errors[1], fabs((ends[1][i] - ends[0][i]) / (2 * h) - Kd[i]));
    }
    errors[0] = fabs((energies[1] - energies[0]) / (2 * h) - slope) / work;
    errors[1] /= size;
}

static void check_derivatives(LyraContext *ctx, const char *tension, double stiffness,
                              double rest_length, bool pushes)
{
    LyraWorld *world = make_world(ctx, tension, stiffness, rest_length, pushes);
    double u[SIZE_MAX_U], d[SIZE_MAX_U], coarse[2], fine[2];
    TEST_REQUIRE(world);
    TEST_EQUAL(lyra_world_view(world).bodies[0].vertex_count, 27);
    for (int32_t trial = 0; trial < 4; ++trial) {
        for (int i = 0; i < SIZE_MAX_U; ++i) {
            u[i] = 0.3 * sin(1.7 * i + trial) * trial;
            d[i] = cos(0.9 * i + 2 * trial);
        }
        find_errors(world, u, d, 2e-3, coarse);
        find_errors(world, u, d, 1e-3, fine);
        for (int e = 0; e < 2; ++e) {
            TEST_CHECK_MSG(fine[e] < 1e-4, "error %d is %g", e, fine[e]);
            // of second order, and not the same thing twice
            TEST_CHECK_MSG(fine[e] > 0 && coarse[e] > 3.5 * fine[e] && coarse[e] < 4.5 * fine[e],
                           "errors %d are %g and %g", e, coarse[e], fine[e]);
        }
    }
    lyra_world_destroy(world);
}

LYRA_TEST(tendon_derivatives_match_differences)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    check_derivatives(ctx, "7", 0, NAN, false);
    check_derivatives(ctx, "3 + 4*t", 0, NAN, false);
    check_derivatives(ctx, "0", 50, 0.4, false);
    check_derivatives(ctx, "2*t", 50, 30, true);
    test_context_end(ctx);
}

LYRA_TEST(tendon_tension_changes_with_time)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    LyraWorld *world = make_world(ctx, "3 + 4*t", 0, NAN, false);
    TEST_REQUIRE(world);
    const double u[SIZE_MAX_U] = {0};
    double g[SIZE_MAX_U], first = evaluate(world, u, 0, NULL), later = evaluate(world, u, 1, g);
    TEST_NEAR(later, 7.0 / 3.0 * first, 1e-12 * first);
    // the first vertex is pulled with it
    TEST_NEAR(sqrt(g[0] * g[0] + g[1] * g[1] + g[2] * g[2]), 7, 1e-12);
    lyra_world_destroy(world);
    test_context_end(ctx);
}

LYRA_TEST(slack_tendons_do_nothing_unless_they_push)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    const double u[SIZE_MAX_U] = {0};
    double g[SIZE_MAX_U], d[SIZE_MAX_U], Kd[SIZE_MAX_U], sum = 0, curvature = 0;
    LyraWorld *hangs = make_world(ctx, "0", 50, 30, false);
    LyraWorld *pushes = make_world(ctx, "0", 50, 30, true);
    TEST_REQUIRE(hangs && pushes);
    evaluate(hangs, u, 0, g);
    for (int i = 0; i < SIZE_MAX_U; ++i) {
        sum += fabs(g[i]);
        d[i] = cos(3.1 * i);
    }
    TEST_CHECK_MSG(sum < 1e-6, "a slack tendon pulls with %g N", sum);
    evaluate(pushes, u, 0, g);
    TEST_CHECK(fabs(g[0]) > 1);
    // where it pushes the tangent is indefinite, and the positive one is not
    apply_tangent(pushes, u, 0, d, Kd, false);
    for (int i = 0; i < SIZE_MAX_U; ++i) {
        curvature += d[i] * Kd[i];
    }
    TEST_CHECK(curvature < 0);
    curvature = 0;
    apply_tangent(pushes, u, 0, d, Kd, true);
    for (int i = 0; i < SIZE_MAX_U; ++i) {
        curvature += d[i] * Kd[i];
    }
    TEST_CHECK(curvature >= 0);
    lyra_world_destroy(hangs);
    lyra_world_destroy(pushes);
    test_context_end(ctx);
}

// A rope of two masses, the first one fixed; a tendon from the second over a place in space back to
// another: in equilibrium with gravity, a weight m g hangs on two strands of tension m g / 2.
LYRA_TEST(a_weight_hangs_on_two_strands)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    static const double left[3] = {-1, 1, 0}, right[3] = {1, 1, 0};
    LyraWorldDef def = lyra_world_def_default();
    LyraBodyDef body = lyra_body_def_default();
    LyraBodySprings springs = lyra_body_springs_default();
    LyraLoadDef load = lyra_load_def_default();
    LyraTendonPoint path[3] = {lyra_tendon_point_default(), lyra_tendon_point_default(),
                               lyra_tendon_point_default()};
    LyraWorld *world = NULL;
    springs.over = LYRA_SPRINGS_OVER_CHAIN;
    springs.count = 1;
    springs.mass = 2;
    body.kind = "springs";
    body.springs = &springs;
    def.gravity[1] = lyra_curve_constant(-9.81);
    def.damping.mass = 5;
    def.time.dt = 0.05;
    path[0].at = left;
    path[2].at = right;
    path[0].fixed = path[2].fixed = true;
    path[1].vertex = 0;
    load.type = LYRA_LOAD_TENDON;
    load.tension = lyra_curve_constant(20);
    load.path = path;
    load.path_count = 3;
    TEST_REQUIRE_OK(lyra_world_create(ctx, &def, &world));
    TEST_REQUIRE_OK(lyra_world_add_body(world, &body, NULL));
    TEST_REQUIRE_OK(lyra_world_add_load(world, &load));
    for (int s = 0; s < 400; ++s) {
        TEST_REQUIRE_OK(lyra_world_step(world, NULL));
    }
    // 2 T sin = m g, with sin = h / sqrt(1 + h^2) below the two places
    double sine = 2 * 9.81 / 40, h = sine / sqrt(1 - sine * sine);
    const double *x = lyra_world_positions(world, 0, NULL);
    TEST_NEAR(x[0], 0, 1e-9);
    TEST_NEAR(x[1], 1 - h, 1e-6);
    lyra_world_destroy(world);
    test_context_end(ctx);
}

// ---- what is wrong ------------------------------------------------------------------------------

LYRA_TEST(wrong_tendons_are_one_sentence_and_add_nothing)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    LyraMeshShapeDef shape = lyra_mesh_shape_def_default();
    LyraBodyDef body = lyra_body_def_default();
    LyraTendonPoint path[12];
    LyraWorld *world = NULL;
    static const double place[3] = {0};
    shape.cells[0] = shape.cells[1] = shape.cells[2] = 1;
    body.generate = &shape;
    TEST_REQUIRE_OK(lyra_world_create(ctx, NULL, &world));
    TEST_REQUIRE_OK(lyra_world_add_body(world, &body, NULL));
    TEST_REQUIRE_OK(lyra_world_add_body(world, &body, NULL));
    for (int p = 0; p < 12; ++p) {
        path[p] = lyra_tendon_point_default();
        path[p].body = "body1";
        path[p].vertex = p % 8;
    }
    LyraLoadDef load = lyra_load_def_default();
    load.type = LYRA_LOAD_TENDON;
    load.path = path;
    static const struct {
        int32_t count;
        const char *sentence;
    } counts[] = {{0, "found 0 points, expected 2 to 10"}, {1, "found 1"}, {11, "found 11"}};
    for (int c = 0; c < 3; ++c) {
        load.path_count = counts[c].count;
        TEST_STATUS(lyra_world_add_load(world, &load), LYRA_BAD_FORMAT);
        TEST_CONTAINS(lyra_error_message(), counts[c].sentence);
    }
    load.path_count = 3;
    path[1].vertex = 8;
    TEST_STATUS(lyra_world_add_load(world, &load), LYRA_BAD_FORMAT);
    TEST_CONTAINS(lyra_error_message(), "path[1].vertex: found 8, expected a vertex of 0 to 7");
    path[1].vertex = -1;
    TEST_STATUS(lyra_world_add_load(world, &load), LYRA_BAD_FORMAT);
    TEST_CONTAINS(lyra_error_message(), "neither vertex nor at");
    path[1].at = place;
    path[1].vertex = 1;
    TEST_STATUS(lyra_world_add_load(world, &load), LYRA_BAD_FORMAT);
    TEST_CONTAINS(lyra_error_message(), "vertex and at");
    path[1].at = NULL;
    path[1].fixed = true;
    TEST_STATUS(lyra_world_add_load(world, &load), LYRA_BAD_FORMAT);
    TEST_CONTAINS(lyra_error_message(), "fixed of a vertex");
    path[1].fixed = false;
    path[2].body = NULL;
    TEST_STATUS(lyra_world_add_load(world, &load), LYRA_BAD_FORMAT);
    TEST_CONTAINS(lyra_error_message(), "path[2].body");
    path[2].body = "nobody";
    TEST_STATUS(lyra_world_add_load(world, &load), LYRA_BAD_FORMAT);
    path[2].body = "body2";
    load.stiffness = -1;
    TEST_STATUS(lyra_world_add_load(world, &load), LYRA_INVALID_ARGUMENT);
    load.stiffness = 0;
    load.tension = lyra_curve_constant(-3);
    TEST_STATUS(lyra_world_add_load(world, &load), LYRA_INVALID_ARGUMENT);
    load.tension = lyra_curve_constant(3);
    // none of them is there
    TEST_OK(lyra_world_prepare(world));
    LyraForceGroup group;
    for (int32_t g = 0; lyra_model_group(lyra_world_view(world).model, g, &group); ++g) {
        TEST_CHECK(strcmp(group.type->name, "tendon") != 0);
    }
    lyra_world_destroy(world);
    test_context_end(ctx);
}

static LyraStatus make_and_step(LyraContext *ctx, void *data)
{
    (void)data;
    static const double place[3] = {0.3, 0.1, 0.2};
    LyraMeshShapeDef shape = lyra_mesh_shape_def_default();
    LyraBodyDef body = lyra_body_def_default();
    LyraTendonPoint path[2] = {lyra_tendon_point_default(), lyra_tendon_point_default()};
    LyraLoadDef load = lyra_load_def_default();
    LyraWorld *world = NULL;
    shape.cells[0] = shape.cells[1] = shape.cells[2] = 1;
    body.generate = &shape;
    path[0].vertex = 0;
    path[1].at = place;
    load.type = LYRA_LOAD_TENDON;
    load.tension = lyra_curve_expression("t");
    load.path = path;
    load.path_count = 2;
    LyraStatus status = lyra_world_create(ctx, NULL, &world);
    status = status == LYRA_OK ? lyra_world_add_body(world, &body, NULL) : status;
    status = status == LYRA_OK ? lyra_world_add_load(world, &load) : status;
    status = status == LYRA_OK ? lyra_world_step(world, NULL) : status;
    lyra_world_destroy(world);
    return status;
}

LYRA_TEST(failing_allocations_of_tendons_leak_nothing)
{
    test_fail_each_allocation(make_and_step, NULL);
}
