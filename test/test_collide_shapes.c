// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Shapes: gradients and second derivatives belong to the distance, distances are those of brute
// force, a distance changes by no more than the way, and what is no shape is refused.

#include "collide/shape.h"
#include "lyra/obstacle.h"
#include "lyra_test.h"

#include <math.h>
#include <string.h>

#define KINDS 11
#define ROOM 12

// a ball of triangles, 2 * ROOM by ROOM
static LyraStatus make_ball(LyraContext *ctx, double radius, bool open, LyraSurface **out)
{
    static double X[3 * 2 * ROOM * (ROOM + 1)];
    static int32_t begin[2 * ROOM * 2 * ROOM + 1], corner[3 * 2 * ROOM * 2 * ROOM];
    int32_t vertices = 2, faces = 0, around = 2 * ROOM;
    memset(X, 0, sizeof X);
    X[1] = radius;
    X[4] = -radius;
    for (int32_t j = 1; j < ROOM; ++j) {
        for (int32_t i = 0; i < around; ++i) {
            double theta = 3.14159265358979 * j / ROOM, phi = 6.28318530717959 * i / around;
            double *x = X + 3 * vertices++;
            x[0] = radius * sin(theta) * cos(phi);
            x[1] = radius * cos(theta);
            x[2] = -radius * sin(theta) * sin(phi);
        }
    }
    for (int32_t j = 0; j < ROOM; ++j) {
        for (int32_t i = 0; i < around; ++i) {
            int32_t next = (i + 1) % around;
            int32_t a = j == 0 ? 0 : 2 + (j - 1) * around + i;
            int32_t b = 2 + (j - 1) * around + next;
            int32_t c = j + 1 == ROOM ? 1 : 2 + j * around + i, d = 2 + j * around + next;
            if (open && j == 0) {
                continue;
            }
            if (j > 0) {
                memcpy(corner + 3 * faces++, (int32_t[3]){a, c, b}, 3 * sizeof(int32_t));
            }
            if (j + 1 < ROOM) {
                memcpy(corner + 3 * faces++, (int32_t[3]){j > 0 ? b : a, c, d},
                       3 * sizeof(int32_t));
            }
        }
    }
    for (int32_t f = 0; f <= faces; ++f) {
        begin[f] = 3 * f;
    }
    LyraSurfaceView view = {.vertex_count = vertices,
                            .face_count = faces,
                            .corner_count = 3 * faces,
                            .positions = X,
                            .face_begin = begin,
                            .corner_vertices = corner};
    return lyra_surface_create(ctx, &view, out);
}

static LyraShape *make(LyraContext *ctx, int32_t kind, LyraSurface *ball)
{
    static double heights[64];
    LyraShapeDef def = lyra_shape_def_default();
    LyraShape *shape = NULL;
    const double point[3] = {0.1, -0.2, 0.3}, end[3] = {0.5, 0.7, -0.1}, up[3] = {1, 2, -1};
    def.kind = (LyraShapeKind)(kind < 8    ? kind
                               : kind == 8 ? LYRA_SHAPE_BOX
                               : kind == 9 ? LYRA_SHAPE_CYLINDER
                                           : LYRA_SHAPE_SPHERE);
    def.inside = kind >= 8;
    memcpy(def.point, point, sizeof point);
    memcpy(def.end, end, sizeof end);
    memcpy(def.normal, up, sizeof up);
    def.radius = 0.4;
    def.tube = 0.15;
    def.size[0] = 0.6;
    def.size[1] = 0.8;
    def.size[2] = 1;
    def.spacing = 0.25;
    def.heights = heights;
    def.count[0] = def.count[1] = 8;
    for (int i = 0; i < 64; ++i) {
        heights[i] = 0.1 * sin(i % 8) * cos(i / 8);
    }
    def.surface = ball;
    def.resolution = 24;
    TEST_OK(lyra_shape_create(ctx, &def, &shape));
    return shape;
}

LYRA_TEST(derivatives_of_distances_match_differences)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    LyraSurface *ball = NULL;
    TEST_REQUIRE_OK(make_ball(ctx, 0.5, false, &ball));
    for (int32_t kind = 0; kind < KINDS; ++kind) {
        LyraShape *shape = make(ctx, kind, ball);
        TestRandom random = test_random(7 + (uint64_t)kind);
        int32_t bad[3] = {0}, count = 0;
        for (int32_t trial = 0; shape && trial < (kind < 7 ? 300 : 4000); ++trial) {
            double p[3], phi, n[3], H[9], worst[2] = {0}, length = 0;
            const double h = 1e-5;
            for (int i = 0; i < 3; ++i) {
                p[i] = test_random_in(&random, -1, 1.5);
            }
            lyra_shape_distance(shape, 1, p, &phi, n, H);
            // only where it is smooth: outside of corners of the inside
            if (phi < 0.02 || (kind == LYRA_SHAPE_MESH && phi > 0.05)) {
                continue;
            }
            ++count;
            for (int k = 0; k < 3; ++k) {
                double a[3], b[3], fa, fb, na[3], nb[3];
                memcpy(a, p, sizeof p);
                memcpy(b, p, sizeof p);
                a[k] += h;
                b[k] -= h;
                lyra_shape_distance(shape, 1, a, &fa, na, NULL);
                lyra_shape_distance(shape, 1, b, &fb, nb, NULL);
                worst[0] = fmax(worst[0], fabs((fa - fb) / (2 * h) - n[k]));
                for (int i = 0; i < 3; ++i) {
                    worst[1] = fmax(worst[1], fabs((na[i] - nb[i]) / (2 * h) - H[3 * i + k]));
                }
                length += n[k] * n[k];
            }
            // kinks and jumps of curvature lie on few surfaces
            bad[0] += worst[0] > 1e-6;
            bad[1] += worst[1] > 1e-4;
            bool sampled = kind == LYRA_SHAPE_MESH || kind == LYRA_SHAPE_HEIGHT_FIELD;
            bad[2] += sampled ? sqrt(length) > 1.01 : fabs(sqrt(length) - 1) > 1e-12;
        }
        TEST_CHECK_MSG(count > 4 && bad[0] <= 1 + count / 100 && bad[1] <= 2 + count / 100 &&
                           bad[2] == 0,
                       "kind %d: of %d gradients %d, second derivatives %d, lengths %d are wrong",
                       (int)kind, (int)count, (int)bad[0], (int)bad[1], (int)bad[2]);
        lyra_shape_destroy(shape);
    }
    lyra_surface_destroy(ball);
    test_context_end(ctx);
}

LYRA_TEST(no_distance_changes_by_more_than_the_way)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    LyraSurface *ball = NULL;
    TEST_REQUIRE_OK(make_ball(ctx, 0.5, false, &ball));
    for (int32_t kind = 0; kind < KINDS; ++kind) {
        LyraShape *shape = make(ctx, kind, ball);
        TestRandom random = test_random(70 + (uint64_t)kind);
        double worst = 0, limit = shape ? shape->terms[0].lipschitz : 1;
        for (int32_t trial = 0; shape && trial < 2000; ++trial) {
            double p[6], phi[2], way = 0;
            for (int i = 0; i < 3; ++i) {
                p[i] = test_random_in(&random, -2, 2);
                p[3 + i] = p[i] + test_random_in(&random, -0.3, 0.3);
                way += (p[3 + i] - p[i]) * (p[3 + i] - p[i]);
            }
            lyra_shape_distance(shape, 2, p, phi, NULL, NULL);
            // beyond their grid meshes have a lower bound only
            bool out = kind == LYRA_SHAPE_MESH && fmax(phi[0], phi[1]) > 0.05;
            worst = out ? worst : fmax(worst, fabs(phi[1] - phi[0]) / sqrt(way));
        }
        TEST_CHECK_MSG(worst <= limit * (1 + 1e-12), "kind %d: %g times the way", (int)kind, worst);
        lyra_shape_destroy(shape);
    }
    lyra_surface_destroy(ball);
    test_context_end(ctx);
}

LYRA_TEST(a_mesh_is_as_far_as_its_faces)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    LyraSurface *ball = NULL;
    LyraShape *shape = NULL;
    LyraShapeDef def = lyra_shape_def_default();
    TEST_REQUIRE_OK(make_ball(ctx, 0.5, false, &ball));
    def.kind = LYRA_SHAPE_MESH;
    def.surface = ball;
    def.reach = 0.1;
    TEST_REQUIRE_OK(lyra_shape_create(ctx, &def, &shape));
    TestRandom random = test_random(3);
    for (int32_t trial = 0; trial < 500; ++trial) {
        double p[3], phi, r = 0;
        for (int i = 0; i < 3; ++i) {
            p[i] = test_random_in(&random, -1, 1);
            r += p[i] * p[i];
        }
        lyra_shape_distance(shape, 1, p, &phi, NULL, NULL);
        double exact = sqrt(r) - 0.5;
        // its faces are 0.01 inside of the ball at most; the grid rounds by less
        if (fabs(exact) < 0.1) {
            TEST_CHECK_MSG(fabs(phi - exact) < 0.012, "%g m, not %g m", phi, exact);
        } else if (exact > 0) {
            TEST_CHECK_MSG(phi > 0.05 && phi < exact + 0.012, "far: %g m, not %g m", phi, exact);
        }
    }
    lyra_shape_destroy(shape);
    lyra_surface_destroy(ball);
    test_context_end(ctx);
}

LYRA_TEST(what_is_no_shape_is_refused)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    LyraSurface *open = NULL;
    LyraShape *shape = NULL;
    LyraShapeDef def = lyra_shape_def_default();
    def.kind = LYRA_SHAPE_SPHERE;
    def.radius = 0;
    TEST_STATUS(lyra_shape_create(ctx, &def, &shape), LYRA_INVALID_ARGUMENT);
    TEST_CONTAINS(lyra_error_message(), "radius");
    def = lyra_shape_def_default();
    def.normal[1] = 0;
    TEST_STATUS(lyra_shape_create(ctx, &def, &shape), LYRA_INVALID_ARGUMENT);
    def = lyra_shape_def_default();
    def.kind = LYRA_SHAPE_CAPSULE;
    memcpy(def.end, def.point, sizeof def.end);
    TEST_STATUS(lyra_shape_create(ctx, &def, &shape), LYRA_INVALID_ARGUMENT);
    def = lyra_shape_def_default();
    def.kind = LYRA_SHAPE_BOX;
    def.size[2] = NAN;
    TEST_STATUS(lyra_shape_create(ctx, &def, &shape), LYRA_INVALID_ARGUMENT);
    def = lyra_shape_def_default();
    def.kind = LYRA_SHAPE_MESH;
    TEST_STATUS(lyra_shape_create(ctx, &def, &shape), LYRA_INVALID_ARGUMENT);
    TEST_REQUIRE_OK(make_ball(ctx, 0.5, true, &open));
    def.surface = open;
    TEST_STATUS(lyra_shape_create(ctx, &def, &shape), LYRA_BAD_MESH);
    TEST_CONTAINS(lyra_error_message(), "thin sheets have no inside");
    TEST_CHECK(shape == NULL);
    lyra_surface_destroy(open);
    test_context_end(ctx);
}
