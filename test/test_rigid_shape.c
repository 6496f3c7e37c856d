// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// The force that keeps rigid bodies in shape: its derivatives, and what it does not resist.

#include "force/force.h"
#include "lyra/affine.h"
#include "lyra/math3.h"
#include "lyra_test.h"
#include "rigid/rigid.h"

#include <math.h>
#include <string.h>

#define W LYRA_BATCH_WIDTH
#define N 12

typedef struct Shape {
    LyraContext *ctx;
    LyraAffine *affine;
    LyraForce *force;
    double constants[N * W], parameters[W], history[LY_RIGID_HISTORY * W], time;
    double rest[N];
    bool psd;
} Shape;

static Shape make_shape(void)
{
    Shape s = {.ctx = test_context(1, LYRA_ISA_AUTO)};
    const LyraMassProperties properties = {
        .volume = 0.5,
        .mass = 3,
        .center_of_mass = {1, 2, 3},
        .inertia = {3, 0.4, -0.2, 0.4, 2.5, 0.3, -0.2, 0.3, 1.5}};
    LyraAffineDef def = lyra_affine_def_default();
    def.properties = &properties;
    TEST_OK(lyra_affine_create(s.ctx, &def, &s.affine));
    const LyRigidShape shape = {.affine = s.affine, .first_vertex = 0, .stiffness = 20};
    TEST_OK(ly_rigid_shapes_create(s.ctx, 1, &shape, &s.force));
    memcpy(s.rest, lyra_affine_view(s.affine).positions, sizeof s.rest);
    LyraForceView view = lyra_force_view(s.force);
    const int32_t order[4] = {0, 1, 2, 3};
    double constants[N];
    view.type->setup(s.force->self, 0, order, constants);
    for (int i = 0; i < N; ++i) {
        s.constants[i * W] = constants[i];
    }
    s.parameters[0] = 20 * 0.5 / 8;
    return s;
}

static void end_shape(Shape *s)
{
    lyra_force_destroy(s->force);
    lyra_affine_destroy(s->affine);
    test_context_end(s->ctx);
}

// energy, gradient [N] and all of the tangent [N][N] at displacements u
static double evaluate(const Shape *s, const double *u, double *gradient, double *tangent)
{
    static const int32_t element[W] = {0};
    double lanes[N * W] = {0}, g[N * W], blocks[54 * W], energy[W];
    LyraForceView view = lyra_force_view(s->force);
    for (int i = 0; i < N; ++i) {
        lanes[i * W] = u[i];
    }
    LyraBatch batch = {.count = 1,
                       .psd = s->psd,
                       .time = s->time,
                       .element = element,
                       .u = lanes,
                       .constants = s->constants,
                       .parameters = s->parameters,
                       .history = s->history,
                       .energy = energy,
                       .gradient = g,
                       .dfdx = blocks};
    view.type->evaluate(s->force->self, &batch, NULL);
    for (int i = 0; i < N; ++i) {
        gradient[i] = g[i * W];
    }
    memset(tangent, 0, N * N * sizeof *tangent);
    for (int a = 0, block = 0; a < 4; ++a) {
        for (int b = a + 1; b < 4; ++b, ++block) {
            for (int i = 0; i < 9; ++i) {
                double value = blocks[(9 * block + i) * W];
                int r = i / 3, c = i % 3;
                tangent[N * (3 * a + r) + 3 * b + c] += value;
                tangent[N * (3 * b + c) + 3 * a + r] += value;
                tangent[N * (3 * a + r) + 3 * a + c] -= value;
                tangent[N * (3 * b + c) + 3 * b + r] -= value;
            }
        }
    }
    return energy[0];
}

static void set_history(Shape *s, const double chord[3], double begin, double span, double time)
{
    memset(s->history, 0, sizeof s->history);
    for (int i = 0; i < 3; ++i) {
        s->history[(LY_RIGID_CHORD + i) * W] = chord[i];
    }
    s->history[LY_RIGID_BEGIN * W] = begin;
    s->history[LY_RIGID_SPAN * W] = span;
    s->time = time;
}

// at ordinary, large, inverted and flat states, within a step and at its end
LYRA_TEST(rigid_shapes_have_the_derivatives_of_their_energy)
{
    Shape s = make_shape();
    TestRandom random = test_random(7);
    for (int k = 0; k < 16; ++k) {
        double u[N], g[N], K[N * N], d[N], low[N], high[N], scratch[N * N];
        const double chord[3] = {0.5, -0.7, 0.3};
        set_history(&s, chord, 1, 0.1, k % 2 ? 1.04 : 1.1);
        double size = k < 4 ? 1e-3 : k < 8 ? 1 : 10;
        for (int i = 0; i < N; ++i) {
            u[i] = size * test_random_in(&random, -1, 1);
            d[i] = test_random_in(&random, -1, 1);
        }
        for (int p = 0; p < 4 && k >= 12; ++p) {
            // turned inside out, and flat
            u[3 * p] = (k < 14 ? -2 : -1) * (s.rest[3 * p] - 1);
        }
        evaluate(&s, u, g, K);
        double along = 0, errors[2][2];
        for (int i = 0; i < N; ++i) {
            along += g[i] * d[i];
        }
        for (int r = 0; r < 2; ++r) {
            double h = 1e-3 * size / (r + 1), plus[N], minus[N], worst = 0, scale = 0;
            for (int i = 0; i < N; ++i) {
                plus[i] = u[i] + h * d[i];
                minus[i] = u[i] - h * d[i];
            }
            double e1 = evaluate(&s, plus, high, scratch), e0 = evaluate(&s, minus, low, scratch);
            errors[r][0] = fabs((e1 - e0) / (2 * h) - along) / (fabs(along) + 1e-12);
            for (int i = 0; i < N; ++i) {
                double row = 0;
                for (int j = 0; j < N; ++j) {
                    row += K[N * i + j] * d[j];
                }
                worst = fmax(worst, fabs((high[i] - low[i]) / (2 * h) - row));
                scale = fmax(scale, fabs(row));
            }
            errors[r][1] = worst / scale;
        }
        for (int e = 0; e < 2; ++e) {
            TEST_CHECK(errors[1][e] < 1e-3);
            TEST_CHECK(errors[0][e] < 1e-9 || errors[0][e] / errors[1][e] > 3.5);
        }
    }
    end_shape(&s);
}

// a body that turns freely goes along chords, and nothing holds it back on its way
LYRA_TEST(rigid_shapes_are_at_ease_along_chords)
{
    Shape s = make_shape();
    const LyraVec3 turn = {0.9, -0.6, 0.4};
    LyraMat3 start = lyra_quat_to_mat3(lyra_quat_normalize(lyra_quat(0.3, 0.5, -0.2, 0.7)));
    LyraMat3 end = lyra_mat3_multiply(start, lyra_quat_to_mat3(lyra_quat_exp(turn)));
    double angle = lyra_vec3_length(turn), factor = 2 * sin(0.5 * angle) / angle;
    const double chord[3] = {factor * turn.x, factor * turn.y, factor * turn.z};
    for (int k = 0; k <= 10; ++k) {
        double share = k / 10.0, u[N], g[N], K[N * N];
        set_history(&s, chord, 2, 0.5, 2 + 0.5 * share);
        for (int p = 0; p < 4; ++p) {
            LyraVec3 r = {s.rest[3 * p] - 1, s.rest[3 * p + 1] - 2, s.rest[3 * p + 2] - 3};
            LyraVec3 a = lyra_mat3_apply(start, r), b = lyra_mat3_apply(end, r);
            u[3 * p] = (1 - share) * a.x + share * b.x - r.x + 5;
            u[3 * p + 1] = (1 - share) * a.y + share * b.y - r.y;
            u[3 * p + 2] = (1 - share) * a.z + share * b.z - r.z;
        }
        TEST_CHECK(evaluate(&s, u, g, K) < 1e-28);
        for (int i = 0; i < N; ++i) {
            TEST_NEAR(g[i], 0, 1e-12);
        }
    }
    end_shape(&s);
}

LYRA_TEST(rigid_shapes_have_definite_tangents_on_request)
{
    Shape s = make_shape();
    TestRandom random = test_random(3);
    s.psd = true;
    set_history(&s, (double[3]){0}, 0, 0, 0);
    for (int k = 0; k < 20; ++k) {
        double u[N], g[N], K[N * N];
        for (int i = 0; i < N; ++i) {
            u[i] = 2 * test_random_in(&random, -1, 1);
        }
        evaluate(&s, u, g, K);
        for (int trial = 0; trial < 50; ++trial) {
            double d[N], form = 0, scale = 0;
            for (int i = 0; i < N; ++i) {
                d[i] = test_random_in(&random, -1, 1);
            }
            for (int i = 0; i < N * N; ++i) {
                form += d[i / N] * K[i] * d[i % N];
                scale += fabs(K[i]);
            }
            TEST_CHECK(form > -1e-13 * scale);
        }
    }
    end_shape(&s);
}
