// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// The barrier and friction of obstacles: force and tangent belong to energy and dissipation
// potential, tangents are positive where they are asked to be, and a point is never let past.

#include "collide/obstacles.h"
#include "force/changing.h"
#include "lyra_test.h"

#include <math.h>
#include <string.h>

#define W LYRA_BATCH_WIDTH

static LyraShape *make(LyraContext *ctx, int32_t kind, bool inside)
{
    LyraShapeDef def = lyra_shape_def_default();
    LyraShape *shape = NULL;
    def.kind = (LyraShapeKind)kind;
    def.inside = inside;
    def.normal[0] = 0.3;
    TEST_OK(lyra_shape_create(ctx, &def, &shape));
    return shape;
}

static LyraStatus make_group(LyraContext *ctx, const LyraShape *shape, double friction,
                             LyraForce *forces[2], LyObstacleGroup **group)
{
    LyObstacle obstacle = {.shape = shape, .friction = friction, .slip = 0.1};
    LyObstaclePoints points = {.count = 1};
    LY_TRY(ly_allocate_zeroed(ctx, 2, sizeof *points.start, &points.start));
    LY_TRY(ly_allocate_zeroed(ctx, 1, sizeof *points.vertices, &points.vertices));
    LY_TRY(ly_allocate_zeroed(ctx, 1, sizeof *points.weights, &points.weights));
    LY_TRY(ly_allocate_zeroed(ctx, 1, sizeof *points.area, &points.area));
    LY_TRY(ly_allocate_zeroed(ctx, 1, sizeof *points.stiffness, &points.stiffness));
    LY_TRY(ly_allocate_zeroed(ctx, 1, sizeof *points.distance, &points.distance));
    points.start[1] = 1;
    points.distance[0] = 0.2;
    points.weights[0] = 1;
    points.area[0] = 0.5;
    points.stiffness[0] = 30;
    return ly_obstacle_group_create(ctx, 1, &obstacle, &points, 0.01, group, forces);
}

typedef struct Eval {
    double energy[W], gradient[3 * W], dfdx[9 * W], dfdv[9 * W], rates[LYRA_RATE_COUNT * W];
    double trial[W];
} Eval;

static void evaluate(const LyraForceType *type, const void *self, const double x[3],
                     const double v[3], const double *place, int mode, bool psd, Eval *out)
{
    double X[3 * W], V[3 * W], parameters[LY_FRICTION_PARAMETERS * W], history[W] = {0};
    int32_t element[W] = {0};
    const double base[5] = {0.5, 30, 0.2, mode, 0};
    for (int e = 0; e < W; ++e) {
        for (int i = 0; i < 3; ++i) {
            X[i * W + e] = x[i];
            V[i * W + e] = v[i];
            parameters[(LY_PLACE + i) * W + e] = place ? place[i] : 0;
        }
        for (int i = 0; i < 5; ++i) {
            parameters[i * W + e] = base[i];
        }
    }
    memset(out, 0, sizeof *out);
    const LyraBatch batch = {.count = W,
                             .psd = psd,
                             .element = element,
                             .x = X,
                             .v = V,
                             .parameters = parameters,
                             .history = history,
                             .trial_history = out->trial,
                             .energy = out->energy,
                             .gradient = out->gradient,
                             .dfdx = out->dfdx,
                             .dfdv = type->traits & LYRA_FORCE_VELOCITY ? out->dfdv : NULL,
                             .rates = out->rates};
    type->evaluate(self, &batch, NULL);
}

static double form(const double *H, const double a[3])
{
    double sum = 0;
    for (int i = 0; i < 9; ++i) {
        sum += a[i / 3] * H[i * W] * a[i % 3];
    }
    return sum;
}

LYRA_TEST(barrier_force_and_tangent_match_differences)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    for (int32_t kind = 0; kind <= LYRA_SHAPE_TORUS; ++kind) {
        for (int32_t inside = 0; inside < 2; ++inside) {
            LyraShape *shape = make(ctx, kind, inside == 1);
            LyObstacleGroup *group = NULL;
            LyraForce *forces[2] = {NULL, NULL};
            TEST_REQUIRE_OK(make_group(ctx, shape, 0.5, forces, &group));
            const LyraForceType *type = lyra_force_type(forces[0]);
            TestRandom random = test_random(11 + (uint64_t)kind);
            int32_t count = 0, bad[3] = {0};
            for (int32_t trial = 0; trial < 4000 && count < 60; ++trial) {
                double x[3], phi, n[3];
                const double zero[3] = {0}, h = 1e-6;
                int mode = trial % 3;
                for (int i = 0; i < 3; ++i) {
                    x[i] = test_random_in(&random, -1, 1);
                }
                lyra_shape_distance(shape, 1, x, &phi, n, NULL);
                if (phi > 0.19 || phi < (mode == LY_SOFT ? -0.05 : 0.01)) {
                    continue;
                }
                ++count;
                Eval here, positive, a, b;
                evaluate(type, group, x, zero, NULL, mode, false, &here);
                evaluate(type, group, x, zero, NULL, mode, true, &positive);
                double size = fabs(here.gradient[0]) + fabs(here.gradient[W]) +
                              fabs(here.gradient[2 * W]) + 1e-3;
                double worst[2] = {0};
                for (int k = 0; k < 3; ++k) {
                    double p[3], q[3];
                    memcpy(p, x, sizeof x);
                    memcpy(q, x, sizeof x);
                    p[k] += h;
                    q[k] -= h;
                    evaluate(type, group, p, zero, NULL, mode, false, &a);
                    evaluate(type, group, q, zero, NULL, mode, false, &b);
                    double slope = (a.energy[0] - b.energy[0]) / (2 * h);
                    worst[0] = fmax(worst[0], fabs(slope - here.gradient[k * W]) / size);
                    for (int i = 0; i < 3; ++i) {
                        double second = (a.gradient[i * W] - b.gradient[i * W]) / (2 * h);
                        double scale = fabs(here.dfdx[0]) + fabs(here.dfdx[4 * W]) +
                                       fabs(here.dfdx[8 * W]) + 1;
                        worst[1] =
                            fmax(worst[1], fabs(second - here.dfdx[(3 * i + k) * W]) / scale);
                    }
                }
                double least = 0;
                for (int s = 0; s < 20; ++s) {
                    double d[3] = {test_random_normal(&random), test_random_normal(&random),
                                   test_random_normal(&random)};
                    double exact = form(here.dfdx, d), kept = form(positive.dfdx, d);
                    least = fmin(least, fmin(kept, kept - exact) / (fabs(kept) + fabs(exact) + 1));
                }
                bad[0] += worst[0] > 1e-6;
                bad[1] += worst[1] > 1e-5;
                bad[2] += least < -1e-12;
                TEST_NEAR(here.trial[0], mode, 0);
            }
            // few points lie at edges, where curvature jumps
            TEST_CHECK_MSG(count >= 40 && bad[0] <= 1 && bad[1] <= 2 && bad[2] == 0,
                           "shape %d, inside %d: of %d forces %d, tangents %d, signs %d are wrong",
                           (int)kind, (int)inside, (int)count, (int)bad[0], (int)bad[1],
                           (int)bad[2]);
            lyra_force_destroy(forces[0]);
            lyra_force_destroy(forces[1]);
            lyra_shape_destroy(shape);
        }
    }
    test_context_end(ctx);
}

LYRA_TEST(friction_is_the_derivative_of_its_potential)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    LyraShape *shape = make(ctx, LYRA_SHAPE_SPHERE, false);
    LyObstacleGroup *group = NULL;
    LyraForce *forces[2] = {NULL, NULL};
    TEST_REQUIRE_OK(make_group(ctx, shape, 0.7, forces, &group));
    const LyraForceType *type = lyra_force_type(forces[1]);
    TestRandom random = test_random(5);
    for (int32_t trial = 0; trial < 60; ++trial) {
        const double place[3] = {0.1, 0.55, -0.2}, zero[3] = {0}, h = 1e-6;
        double v[3], scale = trial % 3 == 0 ? 0.02 : trial % 3 == 1 ? 0.3 : 5;
        Eval here, a, b;
        for (int i = 0; i < 3; ++i) {
            v[i] = trial == 0 ? 0 : scale * test_random_normal(&random);
        }
        evaluate(type, group, zero, v, place, trial % 2 ? LY_OUT : LY_SLOWED, true, &here);
        for (int k = 0; k < 3; ++k) {
            double p[3], q[3];
            memcpy(p, v, sizeof v);
            memcpy(q, v, sizeof v);
            p[k] += h;
            q[k] -= h;
            evaluate(type, group, zero, p, place, trial % 2 ? LY_OUT : LY_SLOWED, true, &a);
            evaluate(type, group, zero, q, place, trial % 2 ? LY_OUT : LY_SLOWED, true, &b);
            TEST_NEAR((a.rates[0] - b.rates[0]) / (2 * h), here.gradient[k * W], 1e-5);
            for (int i = 0; i < 3; ++i) {
                double second = (a.gradient[i * W] - b.gradient[i * W]) / (2 * h);
                TEST_NEAR(second, here.dfdv[(3 * i + k) * W],
                          3e-4 * (1 + fabs(here.dfdv[(3 * i + k) * W])));
            }
        }
        double d[3] = {1, -0.3, 0.2};
        TEST_CHECK(form(here.dfdv, d) >= 0);
        // what is lost is the power of the force, and nothing is gained
        double power = 0;
        for (int i = 0; i < 3; ++i) {
            power += here.gradient[i * W] * v[i];
        }
        TEST_NEAR(here.rates[LYRA_RATE_LOST * W], power, 1e-12 * (1 + power));
        TEST_CHECK(power >= 0);
    }
    lyra_force_destroy(forces[0]);
    lyra_force_destroy(forces[1]);
    lyra_shape_destroy(shape);
    test_context_end(ctx);
}

LYRA_TEST(bounds_stop_in_front_of_every_shape)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    for (int32_t kind = 0; kind <= LYRA_SHAPE_TORUS; ++kind) {
        for (int32_t inside = 0; inside < 2; ++inside) {
            LyraShape *shape = make(ctx, kind, inside == 1);
            LyObstacleGroup *group = NULL;
            LyraForce *forces[2] = {NULL, NULL};
            TEST_REQUIRE_OK(make_group(ctx, shape, 0, forces, &group));
            const double origin[3] = {0};
            const int32_t place = 0;
            LyraStencilSet *set = NULL;
            TEST_REQUIRE_OK(ly_stencil_set_create(ctx, lyra_force_type(forces[0]), group, 1, origin,
                                                  origin, &place, &set));
            TestRandom random = test_random(19 + (uint64_t)kind);
            int32_t passed = 0, late = 0, early = 0, hits = 0;
            for (int32_t trial = 0; trial < 3000; ++trial) {
                double u[3], d[3], phi;
                for (int i = 0; i < 3; ++i) {
                    u[i] = test_random_in(&random, -1.2, 1.2);
                    d[i] = (trial % 2 ? 3 : 0.05) * test_random_normal(&random);
                }
                lyra_shape_distance(shape, 1, u, &phi, NULL, NULL);
                if (!(phi > 0.002)) {
                    continue;
                }
                uint64_t version = 0;
                const LyraUpdate at = {.vertex_count = 1,
                                       .positions = origin,
                                       .u = u,
                                       .v = origin,
                                       .known = 1,
                                       .keys = (const uint64_t[]){0},
                                       .history = origin};
                TEST_OK(ly_obstacle_update(group, &at, set, &version));
                double share = ly_obstacle_bound(group, set, 1, origin, u, d), least = INFINITY;
                // nothing on the way up to there is inside; the whole way is free if it says so
                for (int s = 0; s <= 200; ++s) {
                    double x[3], gap, t = share * s / 200;
                    for (int i = 0; i < 3; ++i) {
                        x[i] = u[i] + t * d[i];
                    }
                    lyra_shape_distance(shape, 1, x, &gap, NULL, NULL);
                    least = fmin(least, gap);
                }
                passed += least <= 0;
                if (share < 1) {
                    double x[3], gap;
                    ++hits;
                    for (int i = 0; i < 3; ++i) {
                        x[i] = u[i] + share * d[i];
                    }
                    lyra_shape_distance(shape, 1, x, &gap, NULL, NULL);
                    late += gap < 0.099 * phi;
                    early += inside == 0 && gap > 0.25 * phi;
                }
            }
            TEST_CHECK_MSG(passed == 0 && late == 0 && hits > 10 && 10 * early <= hits,
                           "shape %d, inside %d: %d of %d passed, %d late, %d early", (int)kind,
                           (int)inside, (int)passed, (int)hits, (int)late, (int)early);
            ly_stencil_set_destroy(set);
            lyra_force_destroy(forces[0]);
            lyra_force_destroy(forces[1]);
            lyra_shape_destroy(shape);
        }
    }
    test_context_end(ctx);
}
