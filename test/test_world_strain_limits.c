// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Limits of strain of bodies: cloth that would stretch too far stays within bounds, by an energy
// and by projection; momentum is kept, what is held stays, and what is wrong is refused.

#include "lyra/scene.h"
#include "lyra/strain_limit.h"
#include "lyra/world.h"
#include "lyra_test.h"
#include "scene_yaml.h"

#include <math.h>
#include <string.h>

enum { CELLS = 6, VERTICES = (CELLS + 1) * (CELLS + 1) };

// a soft sheet, held at two corners where `held`
static LyraWorld *make_sheet(LyraContext *ctx, const char *integrator, bool held,
                             const LyraBodyStrainLimit *limit)
{
    static const int32_t corners[2] = {0, CELLS};
    LyraWorld *world = NULL;
    LyraWorldDef def = lyra_world_def_default();
    LyraSheetDef sheet = lyra_sheet_def_default();
    LyraBodyCloth cloth = lyra_body_cloth_default();
    LyraBodyDef body = lyra_body_def_default();
    LyraSelector select = lyra_selector_default();
    def.integrator.name = integrator;
    def.gravity[1] = lyra_curve_constant(held ? -9.81 : 0);
    sheet.cells[0] = sheet.cells[1] = CELLS;
    cloth.generate = &sheet;
    cloth.fabric.stretch = 20;
    cloth.fabric.shear = 5;
    cloth.fabric.bend_u = cloth.fabric.bend_v = 1e-5;
    body.name = "sheet";
    body.kind = "cloth";
    body.cloth = &cloth;
    body.strain_limit = limit;
    TEST_OK(lyra_world_create(ctx, &def, &world));
    TEST_OK(lyra_world_add_body(world, &body, NULL));
    select.vertices = corners;
    select.vertex_count = 2;
    TEST_OK(held ? lyra_world_fix(world, "sheet", &select) : LYRA_OK);
    return world;
}

// the largest principal stretch now
static double largest_stretch(LyraWorld *world)
{
    double stretches[4 * CELLS * CELLS], most = 0;
    lyra_cloth_stretches(lyra_world_view(world).bodies[0].cloth,
                         lyra_world_positions(world, 0, NULL), stretches);
    for (int k = 0; k < 4 * CELLS * CELLS; ++k) {
        most = fmax(most, stretches[k]);
    }
    return most;
}

LYRA_TEST(limits_hold_a_sheet_that_falls)
{
    static const char *const methods[] = {"backward-euler", "bdf2", "newmark", "symplectic-euler"};
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    for (int m = 0; m < 4; ++m) {
        for (int kind = 0; kind < 3; ++kind) {
            LyraBodyStrainLimit limit = lyra_body_strain_limit_default();
            limit.project = kind == 2;
            limit.passes = 2000;
            // an explicit method bears no such stiffness
            if (m == 3 && kind == 1) {
                continue;
            }
            LyraWorld *world = make_sheet(ctx, methods[m], true, kind ? &limit : NULL);
            LyraStepReport report;
            double most = 0, corner[3];
            int steps = m == 3 ? 250 : 25;
            TEST_OK(m == 3 ? lyra_world_set(world, "time.dt", 1e-3) : LYRA_OK);
            TEST_OK(lyra_world_prepare(world));
            memcpy(corner, lyra_world_positions(world, 0, NULL), sizeof corner);
            for (int step = 0; step < steps; ++step) {
                TEST_OK(lyra_world_step(world, &report));
                most = fmax(most, largest_stretch(world));
            }
            TEST_CHECK(memcmp(corner, lyra_world_positions(world, 0, NULL), sizeof corner) == 0);
            // 0.25 kg hang by springs of 20 N/m without a limit; the energy gives by the root of
            // force over k times a length, the projection by its tolerance
            TEST_CHECK_MSG(kind == 0   ? most > 1.3
                           : kind == 1 ? most > 1.1 && most < 1.13
                                       : most > 1.09 && most <= 1.101 + 1e-9,
                           "%s, %d: stretch %g", methods[m], kind, most);
            lyra_world_destroy(world);
        }
    }
    test_context_end(ctx);
}

// P and L of the vertices
static void find_momentum(LyraWorld *world, double P[3], double L[3])
{
    LyraModelView model = lyra_model_view(lyra_world_view(world).model);
    const double *v = lyra_vector_values(lyra_state_view(lyra_world_view(world).state).v);
    const double *x = lyra_world_positions(world, 0, NULL);
    memset(P, 0, 3 * sizeof *P);
    memset(L, 0, 3 * sizeof *L);
    for (int i = 0; i < 3 * VERTICES; ++i) {
        int at = i - i % 3, j = (i + 1) % 3, k = (i + 2) % 3;
        double m = model.masses[i / 3];
        P[i % 3] += m * v[i];
        L[i % 3] += m * (x[at + j] * v[at + k] - x[at + k] * v[at + j]);
    }
}

// a free sheet that flies apart, turning
LYRA_TEST(projection_keeps_both_momenta_of_a_free_sheet)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    LyraBodyStrainLimit limit = lyra_body_strain_limit_default();
    limit.project = true;
    LyraWorld *world = make_sheet(ctx, "implicit-midpoint", false, &limit);
    TEST_OK(lyra_world_prepare(world));
    const double *X = lyra_model_view(lyra_world_view(world).model).positions;
    double *v = lyra_vector_values_mutable(lyra_state_view(lyra_world_view(world).state).v);
    for (int k = 0; k < VERTICES; ++k) {
        const double *x = X + 3 * k;
        v[3 * k] = 0.3 + 4 * x[0] * x[0] * x[0] * 10 - 2 * x[2];
        v[3 * k + 1] = x[0] * x[2];
        v[3 * k + 2] = 2 * x[0] + 3 * x[2];
    }
    double begin[2][3], end[2][3], lost = 0;
    int64_t requests = 0;
    find_momentum(world, begin[0], begin[1]);
    for (int step = 0; step < 10; ++step) {
        LyraStepReport report;
        LyraEnergies energies;
        TEST_OK(lyra_world_step(world, &report));
        TEST_CHECK(step < 3 || test_allocation_count() == requests);
        TEST_OK(lyra_world_energies(world, &energies));
        requests = test_allocation_count();
        TEST_NEAR(report.kinetic, energies.kinetic, 1e-14);
        lost += report.numerical;
    }
    find_momentum(world, end[0], end[1]);
    TEST_CHECK(fabs(lost) > 1e-3);
    for (int i = 0; i < 3; ++i) {
        TEST_NEAR(end[0][i], begin[0][i], 1e-12);
        // Newton's method leaves a part of the forces of steps
        TEST_NEAR(end[1][i], begin[1][i], 1e-7);
    }
    lyra_world_destroy(world);
    test_context_end(ctx);
}

// y of a floor, m, that nothing may pass, and how often it was in the way
static double floor_y;
static int32_t floor_met;

static double floor_bound(const void *self, const LyraStencilSet *set, int32_t count,
                          const double *positions, const double *u, const double *d)
{
    (void)self, (void)set;
    double share = 1;
    for (int32_t i = 1; i < 3 * count; i += 3) {
        double gap = positions[i] + u[i] - floor_y;
        if (gap + d[i] < 0) {
            share = fmin(share, fmax(gap, 0) / -d[i]);
        }
    }
    floor_met += share < 1;
    return share;
}

static void push_nothing(const void *self, const LyraBatch *batch, LyraArena *scratch)
{
    (void)self, (void)scratch;
    for (int e = 0; e < LYRA_BATCH_WIDTH; ++e) {
        for (int i = 0; batch->gradient && i < 3; ++i) {
            batch->gradient[i * LYRA_BATCH_WIDTH + e] = 0;
        }
        for (int i = 0; batch->dfdx && i < 9; ++i) {
            batch->dfdx[i * LYRA_BATCH_WIDTH + e] = 0;
        }
        if (batch->energy) {
            batch->energy[e] = 0;
        }
    }
}

// an upright sheet that is squeezed above a floor, and that its projection would push through it
LYRA_TEST(projection_does_not_pass_what_bounds_the_motion)
{
    static const LyraForceType type = {.name = "test floor",
                                       .nodes = 1,
                                       .traits = LYRA_FORCE_CONSERVATIVE | LYRA_FORCE_SYMMETRIC,
                                       .evaluate = push_nothing};
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    LyraBodyStrainLimit limit = lyra_body_strain_limit_default();
    limit.project = true;
    limit.low = 0.9;
    LyraWorld *world = make_sheet(ctx, "symplectic-euler", false, &limit);
    LyraForceDef def = lyra_force_def_default();
    LyraForce *force = NULL;
    const int32_t first = 0;
    def.type = &type;
    def.stencil_count = 1;
    def.stencils = &first;
    def.bound = floor_bound;
    TEST_REQUIRE_OK(lyra_force_create(ctx, &def, &force));
    TEST_REQUIRE_OK(lyra_world_take_force(world, "sheet", force));
    TEST_REQUIRE_OK(lyra_world_set(world, "time.dt", 1e-5));
    TEST_REQUIRE_OK(lyra_world_prepare(world));
    const double *X = lyra_model_view(lyra_world_view(world).model).positions;
    LyraStateView y = lyra_state_view(lyra_world_view(world).state);
    double *u = lyra_vector_values_mutable(y.u);
    floor_y = INFINITY;
    floor_met = 0;
    for (int k = 0; k < VERTICES; ++k) {
        const double *x = X + 3 * k;
        u[3 * k + 1] = 0.5 * x[2] - x[1];
        u[3 * k + 2] = -x[2];
        floor_y = fmin(floor_y, x[1] + u[3 * k + 1] - 1e-3);
    }
    // one step, before the method is in front of the floor itself
    TEST_OK(lyra_world_step(world, NULL));
    const double *x = lyra_world_positions(world, 0, NULL);
    double lowest = INFINITY;
    for (int k = 0; k < VERTICES; ++k) {
        lowest = fmin(lowest, x[3 * k + 1]);
    }
    TEST_CHECK_MSG(lowest >= floor_y && lowest < floor_y + 1e-4, "%g m above the floor",
                   lowest - floor_y);
    TEST_CHECK(floor_met > 0);
    lyra_world_destroy(world);
    test_context_end(ctx);
}

static void fall(LyraContext *ctx, void *data, void *out)
{
    (void)data;
    LyraBodyStrainLimit limit = lyra_body_strain_limit_default();
    limit.project = true;
    LyraWorld *world = make_sheet(ctx, "bdf2", true, &limit);
    for (int step = 0; step < 12; ++step) {
        TEST_OK(lyra_world_step(world, NULL));
    }
    memcpy(out, lyra_world_positions(world, 0, NULL), 3 * VERTICES * sizeof(double));
    lyra_world_destroy(world);
}

LYRA_TEST(limited_sheets_have_the_same_bits_on_all_threads)
{
    test_same_bits(fall, NULL, 3 * VERTICES * sizeof(double));
}

LYRA_TEST(limited_sheets_go_on_with_the_same_bits_after_a_checkpoint)
{
    static const char *const methods[] = {"backward-euler", "bdf2", "newmark"};
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    LyraBodyStrainLimit limit = lyra_body_strain_limit_default();
    limit.project = true;
    for (int m = 0; m < 3; ++m) {
        LyraWorld *worlds[2];
        for (int k = 0; k < 2; ++k) {
            worlds[k] = make_sheet(ctx, methods[m], true, &limit);
            for (int step = 0; step < 14 * (1 - k); ++step) {
                TEST_OK(lyra_world_step(worlds[k], NULL));
            }
            const char *path = test_temp_path("limit.state");
            TEST_OK(k ? lyra_world_restore(worlds[k], path) : lyra_world_save(worlds[k], path));
        }
        TEST_CHECK(largest_stretch(worlds[1]) > 1.09);
        for (int step = 0; step < 6; ++step) {
            TEST_OK(lyra_world_step(worlds[0], NULL));
            TEST_OK(lyra_world_step(worlds[1], NULL));
        }
        TEST_CHECK(memcmp(lyra_world_positions(worlds[0], 0, NULL),
                          lyra_world_positions(worlds[1], 0, NULL),
                          3 * VERTICES * sizeof(double)) == 0);
        lyra_world_destroy(worlds[0]);
        lyra_world_destroy(worlds[1]);
    }
    test_context_end(ctx);
}

static LyraStatus load_scene(LyraContext *ctx, void *data)
{
    LyraWorld *world = NULL;
    LyraStatus status = lyra_world_load_memory(ctx, data, strlen(data), NULL, NULL, &world, NULL);
    status = status == LYRA_OK ? lyra_world_step(world, NULL) : status;
    lyra_world_destroy(world);
    return status;
}

LYRA_TEST(scenes_have_strain_limits_and_refuse_wrong_ones)
{
    REQUIRE_YAML();
    char text[] = "bodies:\n"
                  "  - {name: a, kind: cloth, cloth: {generate: {cells: [2, 2]}},\n"
                  "     strain-limit: {by: projection, high: 1.05, low: 0.9, passes: 7}}\n"
                  "integrator: {name: backward-euler}\n"
                  "gravity: [0, -9.81, 0]\n";
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    TEST_OK(load_scene(ctx, text));
    memcpy(strstr(text, "low: 0.9"), "low: 1.9", 8);
    TEST_STATUS(load_scene(ctx, text), LYRA_BAD_FORMAT);
    TEST_CONTAINS(lyra_error_message(), "found 1.9 above high 1.05, expected it below");
    memcpy(strstr(text, "low: 1.9"), "low: 0.9", 8);
    memcpy(strstr(text, "backward-euler"), "static        ", 14);
    TEST_STATUS(load_scene(ctx, text), LYRA_UNSUPPORTED);
    TEST_CONTAINS(lyra_error_message(), "found integrator \"static\" with strain limits");
    memcpy(strstr(text, "static        "), "backward-euler", 14);
    char solid[] = "bodies:\n"
                   "  - {name: a, generate: {cells: [1, 1, 1]}, strain-limit: {high: 1.05}}\n";
    TEST_STATUS(load_scene(ctx, solid), LYRA_UNSUPPORTED);
    TEST_CONTAINS(lyra_error_message(), "found solid body \"a\", expected a body that is made of");
    test_context_end(ctx);
    test_fail_each_allocation(load_scene, text);
}
