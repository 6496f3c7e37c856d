// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// A cloth of 100 x 100 cells, held at two corners, falls for five seconds: stiffness over four
// decades, with three methods, none of which fails, and which come to one shape.

#include "lyra/lyra.h"
#include "lyra_test.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { CELLS = 100, VERTICES = (CELLS + 1) * (CELLS + 1), STEPS = 500, METHODS = 3 };

static const char *const methods[METHODS] = {"backward-euler", "bdf2", "generalized-alpha"};

static LyraWorld *make_cloth(LyraContext *ctx, double stiffness, const char *method)
{
    LyraWorldDef def = lyra_world_def_default();
    LyraSheetDef sheet = lyra_sheet_def_default();
    LyraBodyCloth cloth = lyra_body_cloth_default();
    LyraBodyDef body = lyra_body_def_default();
    LyraSelector corners = lyra_selector_default();
    const int32_t ends[2] = {0, CELLS};
    LyraWorld *world = NULL;
    sheet.cells[0] = sheet.cells[1] = CELLS;
    cloth.generate = &sheet;
    cloth.uv = LYRA_CLOTH_UV_FILE;
    cloth.fabric.stretch = stiffness;
    cloth.fabric.shear = 0.1 * stiffness;
    cloth.fabric.bend_u = cloth.fabric.bend_v = 1e-5;
    body.kind = "cloth";
    body.cloth = &cloth;
    def.gravity[1] = lyra_curve_constant(-9.81);
    def.damping.mass = 3; // 1/s, for it to come to rest
    def.damping.stiffness = 0.002;
    def.integrator.name = method;
    def.time.dt = 0.01;
    corners.vertices = ends;
    corners.vertex_count = 2;
    TEST_OK(lyra_world_create(ctx, &def, &world));
    TEST_OK(lyra_world_add_body(world, &body, NULL));
    TEST_OK(lyra_world_fix(world, NULL, &corners));
    return world;
}

// where all vertices are after five seconds
static bool fall(LyraContext *ctx, double stiffness, const char *method, double *x)
{
    LyraWorld *world = make_cloth(ctx, stiffness, method);
    bool good = true;
    for (int step = 0; step < STEPS && good; ++step) {
        LyraStepReport report;
        good = TEST_OK(lyra_world_step(world, &report));
    }
    if (good) {
        memcpy(x, lyra_world_positions(world, 0, NULL), 3 * sizeof *x * VERTICES);
    }
    lyra_world_destroy(world);
    return good;
}

static void check_shape(double stiffness)
{
    LyraContext *ctx = test_context(0, LYRA_ISA_AUTO);
    double *x = malloc(3 * sizeof *x * VERTICES * METHODS);
    bool good = x != NULL;
    for (int m = 0; m < METHODS && good; ++m) {
        double *own = x + (ptrdiff_t)3 * VERTICES * m, square = 0;
        good = fall(ctx, stiffness, methods[m], own);
        for (int i = 0; i < 3 * VERTICES && good; ++i) {
            square += (own[i] - x[i]) * (own[i] - x[i]);
        }
        // of the side of the cloth, which is 1
        double apart = sqrt(square / VERTICES);
        TEST_CHECK_MSG(apart < 0.01, "%g N/m: %s ends %g m from %s", stiffness, methods[m], apart,
                       methods[0]);
    }
    free(x);
    test_context_end(ctx);
}

LYRA_TEST(cloth_of_10_newton_a_metre_falls)
{
    check_shape(10);
}

LYRA_TEST(cloth_of_100_newton_a_metre_falls)
{
    check_shape(100);
}

LYRA_TEST(cloth_of_1000_newton_a_metre_falls)
{
    check_shape(1000);
}

LYRA_TEST(cloth_of_10000_newton_a_metre_falls)
{
    check_shape(10000);
}

LYRA_TEST(cloth_of_100000_newton_a_metre_falls)
{
    check_shape(100000);
}
