// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// One rigid body, by the Lie midpoint rule and by Vega's rules. The figures of the latter are those
// of Vega FEM 4.0.

#include "lyra/math3.h"
#include "lyra/rigid.h"
#include "lyra_test.h"

#include <math.h>
#include <string.h>

static double length(const double *a, int count)
{
    double sum = 0;
    for (int i = 0; i < count; ++i) {
        sum += a[i] * a[i];
    }
    return sqrt(sum);
}

static double apart(const double *a, const double *b, int count)
{
    double sum = 0;
    for (int i = 0; i < count; ++i) {
        sum += (a[i] - b[i]) * (a[i] - b[i]);
    }
    return sqrt(sum);
}

static const double nothing[3] = {0};

// general tensors and diagonal ones, spins near each axis, long steps and short ones
LYRA_TEST(free_bodies_keep_energy_and_momentum)
{
    static const double inertias[2][9] = {{1, 0, 0, 0, 2, 0, 0, 0, 3},
                                          {3, 0.4, -0.2, 0.4, 2.5, 0.3, -0.2, 0.3, 1.5}};
    for (int k = 0; k < 24; ++k) {
        LyraRigidBody body = {.mass = 2};
        LyraRigidMotion motion = {.rotation = {0.5, 0.5, -0.5, 0.5}, .velocity = {1, 2, 3}};
        double spin[3] = {0.05, 0.05, 0.05}, h = k % 4 < 2 ? 0.01 : 0.1, L[3];
        memcpy(body.inertia, inertias[k % 2], sizeof body.inertia);
        spin[k / 4 % 3] = k < 12 ? 6 : -6;
        TEST_OK(lyra_rigid_start(&body, spin, &motion));
        double energy = lyra_rigid_energy(&motion), worst = 0, turned = 0;
        memcpy(L, motion.angular_momentum, sizeof L);
        for (int step = 0; step < 10000; ++step) {
            TEST_REQUIRE_OK(
                lyra_rigid_step(&body, LYRA_RIGID_LIE_MIDPOINT, nothing, nothing, h, &motion));
            worst = fmax(worst, fabs(lyra_rigid_energy(&motion) / energy - 1));
            turned = fmax(turned, apart(motion.angular_momentum, L, 3) / length(L, 3));
        }
        TEST_CHECK(worst < 1e-12);
        TEST_CHECK(turned < 1e-13);
    }
}

// the same time in half the steps: a quarter of the error, with loads and damping
LYRA_TEST(the_rule_is_of_second_order)
{
    const LyraRigidBody body = {.mass = 2,
                                .inertia = {3, 0.4, -0.2, 0.4, 2.5, 0.3, -0.2, 0.3, 1.5},
                                .linear_damping = 0.3,
                                .rotational_damping = 0.2};
    const double force[3] = {1, -2, 0.5}, torque[3] = {0.7, -0.4, 0.6};
    double ends[4][17];
    for (int k = 0; k < 4; ++k) {
        LyraRigidMotion motion = {.rotation = {1, 0, 0, 0}, .velocity = {1, 2, 3}};
        int steps = k < 3 ? 50 << k : 6400;
        TEST_OK(lyra_rigid_start(&body, (double[3]){1, 2, -1}, &motion));
        for (int step = 0; step < steps; ++step) {
            TEST_OK(lyra_rigid_step(&body, LYRA_RIGID_LIE_MIDPOINT, force, torque, 1.0 / steps,
                                    &motion));
        }
        memcpy(ends[k], motion.position, 3 * sizeof(double));
        memcpy(ends[k] + 3, motion.rotation, 4 * sizeof(double));
        memcpy(ends[k] + 7, motion.angular_momentum, 3 * sizeof(double));
    }
    double error[3];
    for (int k = 0; k < 3; ++k) {
        error[k] = apart(ends[k], ends[3], 10);
    }
    TEST_CHECK(error[2] < 1e-4);
    TEST_NEAR(log2(error[0] / error[1]), 2, 0.1);
    TEST_NEAR(log2(error[1] / error[2]), 2, 0.1);
}

// a trajectory of Vega: 80 steps of 5 ms
typedef struct Vega {
    LyraRigidMethod method;
    LyraRigidBody body;
    double R[9], x[3], v[3], w[3], force[3], torque[3];
    double end_x[3], end_v[3], end_w[3], end_L[3], end_R[9];
} Vega;

static const Vega vega[] = {
    {.method = LYRA_RIGID_VEGA_EULER,
     .body = {.mass = 4.151,
              .inertia = {2.166, 0.549, 0.017, 0.549, 2.641, 0.475, 0.017, 0.475, 3.714},
              .linear_damping = 0.0,
              .rotational_damping = 0.0},
     .R = {0.8630880396631159, 0.4935184495176058, 0.1073246280040982, -0.4720638883356133,
           0.7127455825332175, 0.5187961255723156, 0.1795403050012485, -0.49843081221481744,
           0.8481344258517844},
     .x = {0.762, 0.92, 0.938},
     .v = {-0.292, -1.697, 0.883},
     .w = {-1.284, -2.243, 2.355},
     .force = {4.051, 3.994, 1.244},
     .torque = {0.412, 1.387, -0.865},
     .end_x = {0.7222968441339439, 0.31721204529029023, 1.3148752589737418},
     .end_v = {0.09836376776680356, -1.3121288846061256, 1.002874728980971},
     .end_w = {-1.613035118901422, -1.5149804555297084, 2.312107593076755},
     .end_L = {-4.811608823596319, -4.475028650290928, 4.507602686924029},
     .end_R = {0.43281746431802837, 0.18245704464737564, -0.8828241441192337, 0.5607301886034194,
               0.7123155326530517, 0.42212348611510936, 0.7058687542100768, -0.6777285657250585,
               0.20599342958009415}},
    {.method = LYRA_RIGID_VEGA_SYMPLECTIC,
     .body = {.mass = 0.89,
              .inertia = {3.059, -0.385, -0.263, -0.385, 3.193, -0.218, -0.263, -0.218, 3.542},
              .linear_damping = 0.35,
              .rotational_damping = 0.21},
     .R = {-0.6706076615239855, -0.3721999850996275, 0.6416794646840182, 0.684788698405126,
           0.021980815263272002, 0.7284101058448977, -0.28521886831334353, 0.9278922431253527,
           0.24013784022068807},
     .x = {0.396, -0.778, 0.887},
     .v = {1.058, -0.554, -1.577},
     .w = {-2.761, 2.508, 0.466},
     .force = {-4.608, -3.699, 4.444},
     .torque = {-1.719, 1.769, -1.631},
     .end_x = {0.388705919556923, -1.3027004160779845, 0.688220348550628},
     .end_v = {-1.0142173620545147, -2.0129978658853984, 0.5025641745086181},
     .end_w = {-2.8044732332815636, 2.816977644846094, -0.2538626786868371},
     .end_L = {-8.791088655039962, 6.85800709746909, -0.4089675231022345},
     .end_R = {-0.8895096936601619, 0.44517004242503844, 0.10293754520044453, 0.45567019159059285,
               0.8476518894706015, 0.2717553141572608, 0.03372212004599522, 0.2886345571898981,
               -0.9568452910556617}},
    {.method = LYRA_RIGID_VEGA_EULER,
     .body = {.mass = 1.418,
              .inertia = {3.608, 0.0, 0.0, 0.0, 2.413, 0.0, 0.0, 0.0, 0.618},
              .linear_damping = 0.0,
              .rotational_damping = 0.0},
     .R = {0.5318052268570858, -0.6044371081091254, 0.5931601664206394, 0.6227434322210098,
           0.7537788608711589, 0.2097809489190438, -0.5739109846597117, 0.2578239927633877,
           0.7772727773712808},
     .x = {0.272, -0.794, 0.289},
     .v = {-1.187, -0.835, 0.448},
     .w = {1.957, -1.492, 1.797},
     .force = {-1.926, -2.611, -4.577},
     .torque = {-1.616, 1.903, 1.319},
     .end_x = {-0.3101018335684057, -1.2734647390691112, 0.21320493653032427},
     .end_v = {-1.7303004231311678, -1.5715303244005616, -0.8431142454160798},
     .end_w = {0.3084691827497319, -1.1489815894880389, 3.6659503078494207},
     .end_L = {1.1015043340930282, -4.368635174744276, 2.3628697086576054},
     .end_R = {-0.39628048822745604, -0.9174383726874437, 0.03561750932932301, 0.9179444239362281,
               -0.3951234810198065, 0.03543260237658251, -0.018433914792995568, 0.04673614305231008,
               0.9987371644822268}},
    {.method = LYRA_RIGID_VEGA_SYMPLECTIC,
     .body = {.mass = 0.752,
              .inertia = {1.063, 0.0, 0.0, 0.0, 1.16, 0.0, 0.0, 0.0, 3.172},
              .linear_damping = 0.35,
              .rotational_damping = 0.21},
     .R = {0.5511333002937635, 0.7669129058570976, -0.32878059574300755, -0.6646048345130822,
           0.1652117586856341, -0.7287012342063369, -0.5045319605824224, 0.6201206895611714,
           0.6007477266948535},
     .x = {0.287, -0.754, -0.291},
     .v = {1.761, -0.423, -1.328},
     .w = {-0.747, -1.448, -2.337},
     .force = {4.589, -4.436, -2.76},
     .torque = {1.923, 0.566, 0.528},
     .end_x = {1.3942311841519566, -1.3580029592550025, -1.05493586494294},
     .end_v = {3.6911154089261116, -2.5063041842862375, -2.4431248880639393},
     .end_w = {-0.4336767097319071, -1.0567483181258006, -1.9171671567588318},
     .end_L = {-0.07338627965075484, -1.082240738833993, -2.362252379352864},
     .end_R = {-0.03163391839387888, 0.34196532146476705, -0.93917996897429, -0.9880869425929834,
               -0.15229148985333577, -0.022169708962958827, -0.1506103883678026, 0.9272901493242287,
               0.3427090455210507}},
};

LYRA_TEST(vegas_bodies_go_where_vega_takes_them)
{
    for (size_t c = 0; c < sizeof vega / sizeof *vega; ++c) {
        const Vega *own = &vega[c];
        LyraRigidMotion motion = {0};
        LyraMat3 R;
        memcpy(R.m, own->R, sizeof R.m);
        LyraQuat q = lyra_quat_from_mat3(R);
        memcpy(motion.rotation, (double[4]){q.w, q.x, q.y, q.z}, sizeof motion.rotation);
        memcpy(motion.position, own->x, sizeof motion.position);
        memcpy(motion.velocity, own->v, sizeof motion.velocity);
        TEST_OK(lyra_rigid_start(&own->body, own->w, &motion));
        for (int step = 0; step < 80; ++step) {
            TEST_OK(
                lyra_rigid_step(&own->body, own->method, own->force, own->torque, 0.005, &motion));
        }
        R = lyra_quat_to_mat3(lyra_quat(motion.rotation[0], motion.rotation[1], motion.rotation[2],
                                        motion.rotation[3]));
        TEST_CHECK(apart(motion.position, own->end_x, 3) < 1e-13);
        TEST_CHECK(apart(motion.velocity, own->end_v, 3) < 1e-13);
        TEST_CHECK(apart(motion.spin, own->end_w, 3) < 1e-13 * 4);
        TEST_CHECK(apart(motion.angular_momentum, own->end_L, 3) < 1e-13 * 10);
        TEST_CHECK(apart(&R.m[0][0], own->end_R, 9) < 1e-13);
    }
}

LYRA_TEST(bodies_that_do_not_exist_are_refused)
{
    const LyraRigidBody good = {.mass = 1, .inertia = {1, 0, 0, 0, 1, 0, 0, 0, 1}};
    LyraRigidBody bad = good;
    LyraRigidMotion motion = {.rotation = {1, 0, 0, 0}}, before = motion;
    TEST_OK(lyra_rigid_check(&good, true));
    bad.mass = 0;
    TEST_STATUS(lyra_rigid_check(&bad, true), LYRA_INVALID_ARGUMENT);
    bad = good;
    bad.inertia[4] = NAN;
    TEST_STATUS(lyra_rigid_check(&bad, true), LYRA_NOT_FINITE);
    bad = good;
    bad.inertia[1] = 0.5;
    TEST_STATUS(lyra_rigid_check(&bad, true), LYRA_INVALID_ARGUMENT);
    bad.inertia[3] = 0.5;
    TEST_OK(lyra_rigid_check(&bad, true));
    bad.inertia[1] = bad.inertia[3] = 1;
    TEST_STATUS(lyra_rigid_check(&bad, true), LYRA_INVALID_ARGUMENT);
    bad = good;
    bad.inertia[0] = 3;
    TEST_STATUS(lyra_rigid_check(&bad, true), LYRA_INVALID_ARGUMENT);
    TEST_OK(lyra_rigid_check(&bad, false));
    bad = good;
    bad.rotational_damping = -1;
    TEST_STATUS(lyra_rigid_check(&bad, true), LYRA_INVALID_ARGUMENT);
    TEST_STATUS(lyra_rigid_start(&good, (double[3]){NAN, 0, 0}, &motion), LYRA_NOT_FINITE);
    motion.rotation[0] = 0;
    TEST_STATUS(lyra_rigid_start(&good, nothing, &motion), LYRA_INVALID_ARGUMENT);
    motion.rotation[0] = NAN;
    TEST_STATUS(lyra_rigid_start(&good, nothing, &motion), LYRA_NOT_FINITE);
    motion = before;
    TEST_OK(lyra_rigid_start(&good, (double[3]){0, 0, 300}, &motion));
    before = motion;
    TEST_STATUS(lyra_rigid_step(&good, LYRA_RIGID_LIE_MIDPOINT, nothing, nothing, 0.01, &motion),
                LYRA_NOT_CONVERGED);
    TEST_CHECK(memcmp(&motion, &before, sizeof motion) == 0);
    TEST_STATUS(lyra_rigid_step(&good, LYRA_RIGID_LIE_MIDPOINT, nothing, nothing, 0, &motion),
                LYRA_INVALID_ARGUMENT);
}
