// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Rigid bodies: a free top, Vega's two classes, pendulums by joints.
//
// Top. Principal moments 1, 2 and 3 kg m^2, 6 rad/s near the middle axis, whose turns are unstable.
//
// Pendulum. A body that hangs by a hinge at the distance l above its centre moves by
// (I + m l^2) phi'' = -m g l sin phi, two that hang by each other by the equations of a double
// pendulum of bodies; both here by classical Runge-Kutta in steps so small that they are exact. The
// hinge pushes with m (a - g).

#include "verify.h"

#include "lyra/lyra.h"

#include <math.h>
#include <string.h>

#define G 9.81

// ---- free bodies --------------------------------------------------------------------------------

static LyraStatus run_top(Verify *verify)
{
    const LyraRigidBody body = {.mass = 1, .inertia = {1, 0, 0, 0, 2, 0, 0, 0, 3}};
    const double spin[3] = {0.06, 6, 0.06}, none[3] = {0};
    LyraRigidMotion motion = {.rotation = {1, 0, 0, 0}};
    VERIFY_TRY(lyra_rigid_start(&body, spin, &motion));
    double energy = lyra_rigid_energy(&motion), worst[2] = {0}, L[3];
    memcpy(L, motion.angular_momentum, sizeof L);
    for (int32_t step = 0; step < 10000; ++step) {
        double off = 0;
        VERIFY_TRY(lyra_rigid_step(&body, LYRA_RIGID_LIE_MIDPOINT, none, none, 0.01, &motion));
        for (int i = 0; i < 3; ++i) {
            off += (motion.angular_momentum[i] - L[i]) * (motion.angular_momentum[i] - L[i]);
        }
        worst[0] = fmax(worst[0], fabs(lyra_rigid_energy(&motion) / energy - 1));
        worst[1] = fmax(worst[1], sqrt(off) / 12);
    }
    verify_absolute(verify, 0, worst[0], 1e-12,
                    "100 s in steps of 10 ms: largest change of energy");
    verify_absolute(verify, 0, worst[1], 1e-13, "100 s: largest change of angular momentum");
    return LYRA_OK;
}

// the same as a body of a world, thrown; a flat one is given a thickness
static LyraStatus spin_in_world(Verify *verify, const char *integrator, double worst[2])
{
    static const double moments[3] = {1, 2, 2.5};
    LyraWorld *world = NULL;
    LyraWorldDef def = lyra_world_def_default();
    LyraBodyDef body = lyra_body_def_default();
    LyraBodyRigid rigid = lyra_body_rigid_default();
    LyraMeshShapeDef shape = lyra_mesh_shape_def_default();
    LyraRigidMotion first, now;
    def.integrator.name = integrator;
    rigid.mass = 12;
    rigid.moments = moments;
    body.kind = "rigid";
    body.generate = &shape;
    body.rigid = &rigid;
    body.start.angular_velocity[0] = body.start.angular_velocity[2] = 0.06;
    body.start.angular_velocity[1] = 6;
    VERIFY_TRY(lyra_world_create(verify->ctx, &def, &world));
    LyraStatus status = lyra_world_add_body(world, &body, NULL);
    status = status == LYRA_OK ? lyra_world_rigid_motion(world, 0, &first) : status;
    for (int32_t step = 0; step < 10000 && status == LYRA_OK; ++step) {
        status = lyra_world_step(world, NULL);
        status = status == LYRA_OK ? lyra_world_rigid_motion(world, 0, &now) : status;
        double off = 0;
        for (int i = 0; i < 3 && status == LYRA_OK; ++i) {
            off += pow(now.angular_momentum[i] - first.angular_momentum[i], 2);
        }
        worst[0] = fmax(worst[0], fabs(lyra_rigid_energy(&now) / lyra_rigid_energy(&first) - 1));
        worst[1] = fmax(worst[1], sqrt(off) / 12);
    }
    lyra_world_destroy(world);
    return status;
}

static LyraStatus run_tops(Verify *verify)
{
    static const char *const names[] = {"backward-euler", "newmark", "generalized-alpha",
                                        "implicit-midpoint"};
    for (int k = 0; k < 4; ++k) {
        double worst[2] = {0};
        VERIFY_TRY(spin_in_world(verify, names[k], worst));
        verify_absolute(verify, 0, worst[0], 1e-12, "%s, 100 s: largest change of energy",
                        names[k]);
        verify_absolute(verify, 0, worst[1], 1e-13, "%s, 100 s: largest change of angular momentum",
                        names[k]);
    }
    return LYRA_OK;
}

// ---- Vega ---------------------------------------------------------------------------------------

typedef struct Vega {
    const char *name;
    LyraRigidMethod method;
    LyraRigidBody body;
    double R[9], x[3], v[3], w[3], force[3], torque[3];
    double end_x[3], end_v[3], end_w[3], end_L[3], end_R[9];
} Vega;

static const Vega vega[] = {
    {.name = "general tensor, Euler",
     .method = LYRA_RIGID_VEGA_EULER,
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
    {.name = "general tensor, symplectic",
     .method = LYRA_RIGID_VEGA_SYMPLECTIC,
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
    {.name = "diagonal, Euler",
     .method = LYRA_RIGID_VEGA_EULER,
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
    {.name = "diagonal, symplectic",
     .method = LYRA_RIGID_VEGA_SYMPLECTIC,
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

// unit quaternion of a rotation matrix whose trace may be small: by its largest component
static void quaternion_of(const double R[9], double q[4])
{
    double squares[4] = {1 + R[0] + R[4] + R[8], 1 + R[0] - R[4] - R[8], 1 - R[0] + R[4] - R[8],
                         1 - R[0] - R[4] + R[8]};
    int largest = 0;
    for (int i = 1; i < 4; ++i) {
        largest = squares[i] > squares[largest] ? i : largest;
    }
    double s = 2 * sqrt(squares[largest]);
    const double off[3] = {R[7] - R[5], R[2] - R[6], R[3] - R[1]};
    const double sum[3] = {R[7] + R[5], R[2] + R[6], R[3] + R[1]};
    q[largest] = s / 4;
    for (int i = 1; i < 4; ++i) {
        if (largest == 0) {
            q[i] = off[i - 1] / s;
        } else if (i != largest) {
            q[i] = sum[6 - largest - i - 1] / s;
        }
    }
    if (largest > 0) {
        q[0] = off[largest - 1] / s;
    }
}

static void rotation_of(const double q[4], double R[9])
{
    double w = q[0], x = q[1], y = q[2], z = q[3];
    const double made[9] = {
        1 - 2 * (y * y + z * z), 2 * (x * y - w * z),     2 * (x * z + w * y),
        2 * (x * y + w * z),     1 - 2 * (x * x + z * z), 2 * (y * z - w * x),
        2 * (x * z - w * y),     2 * (y * z + w * x),     1 - 2 * (x * x + y * y)};
    memcpy(R, made, sizeof made);
}

static double apart(int count, const double *a, const double *b)
{
    double most = 0;
    for (int i = 0; i < count; ++i) {
        most = fmax(most, fabs(a[i] - b[i]));
    }
    return most;
}

static LyraStatus run_vega(Verify *verify)
{
    for (size_t c = 0; c < sizeof vega / sizeof *vega; ++c) {
        const Vega *own = &vega[c];
        LyraRigidMotion m = {0};
        double R[9];
        memcpy(m.position, own->x, sizeof m.position);
        memcpy(m.velocity, own->v, sizeof m.velocity);
        quaternion_of(own->R, m.rotation);
        VERIFY_TRY(lyra_rigid_start(&own->body, own->w, &m));
        for (int step = 0; step < 80; ++step) {
            VERIFY_TRY(
                lyra_rigid_step(&own->body, own->method, own->force, own->torque, 0.005, &m));
        }
        rotation_of(m.rotation, R);
        double most = fmax(apart(3, m.position, own->end_x), apart(3, m.velocity, own->end_v));
        most = fmax(most, apart(9, R, own->end_R));
        verify_absolute(verify, 0, most, 1e-13, "%s, 80 steps: place, velocity, rotation",
                        own->name);
        most = fmax(apart(3, m.spin, own->end_w), apart(3, m.angular_momentum, own->end_L));
        verify_absolute(verify, 0, most, 1e-12, "%s, 80 steps: spin and angular momentum",
                        own->name);
    }
    verify_note(verify, "Made by Vega FEM 4.0; an independent program agrees with it to 4e-16.");
    return LYRA_OK;
}

// ---- pendulums ----------------------------------------------------------------------------------

// boxes of 0.1 x 0.4 x 0.1 m of water, each hinged 0.2 m above its centre
#define HALF 0.2
#define MASS 4.0
#define INERTIA (MASS * (0.1 * 0.1 + 0.4 * 0.4) / 12)

// angles and their rates of one or two, from downwards
static void rates(int count, const double *y, double *d)
{
    const double l = 2 * HALF, a = HALF;
    if (count == 1) {
        d[0] = y[1];
        d[1] = -MASS * G * a * sin(y[0]) / (INERTIA + MASS * a * a);
        return;
    }
    // M11 p1'' + c cos(p1 - p2) p2'' + c sin(p1 - p2) p2'^2 = -(m a + m l) g sin p1, and so on
    double M11 = INERTIA + MASS * a * a + MASS * l * l, M22 = INERTIA + MASS * a * a;
    double c = MASS * l * a, s = sin(y[0] - y[1]), k = cos(y[0] - y[1]);
    double f1 = -MASS * (a + l) * G * sin(y[0]) - c * s * y[3] * y[3];
    double f2 = -MASS * a * G * sin(y[1]) + c * s * y[2] * y[2];
    double det = M11 * M22 - c * c * k * k;
    d[0] = y[2];
    d[1] = y[3];
    d[2] = (M22 * f1 - c * k * f2) / det;
    d[3] = (M11 * f2 - c * k * f1) / det;
}

static void advance(int count, double h, double *y)
{
    double k[4][4], at[4];
    for (int stage = 0; stage < 4; ++stage) {
        double share = stage == 0 ? 0 : stage == 3 ? 1 : 0.5;
        for (int i = 0; i < 2 * count; ++i) {
            at[i] = y[i] + (stage ? share * h * k[stage - 1][i] : 0);
        }
        rates(count, at, k[stage]);
    }
    for (int i = 0; i < 2 * count; ++i) {
        y[i] += h / 6 * (k[0][i] + 2 * k[1][i] + 2 * k[2][i] + k[3][i]);
    }
}

// bodies one below the other, turned to the side by a right angle at the start: at rest they lie
// along x
static LyraStatus make_pendulum(Verify *verify, const char *integrator, double dt, int count,
                                LyraWorld **out)
{
    LyraWorldDef def = lyra_world_def_default();
    LyraMeshShapeDef shape = lyra_mesh_shape_def_default();
    def.integrator.name = integrator;
    def.integrator.newton.policy = LYRA_NEWTON_FULL;
    def.gravity[1] = lyra_curve_constant(-G);
    def.time.dt = dt;
    shape.size[0] = 2 * HALF;
    shape.size[1] = shape.size[2] = 0.1;
    VERIFY_TRY(lyra_world_create(verify->ctx, &def, out));
    for (int b = 0; b < count; ++b) {
        LyraBodyDef body = lyra_body_def_default();
        LyraJointDef joint = lyra_joint_def_default();
        body.name = b ? "lower" : "upper";
        body.kind = "rigid";
        body.generate = &shape;
        body.transform.translate[0] = HALF + 2 * HALF * b;
        joint.body = body.name;
        joint.to = b ? "upper" : NULL;
        joint.kind = LYRA_JOINT_HINGE;
        joint.at[0] = 2 * HALF * b;
        VERIFY_TRY(lyra_world_add_body(*out, &body, NULL));
        VERIFY_TRY(lyra_world_add_joint(*out, &joint, NULL));
    }
    return lyra_world_prepare(*out);
}

// error of the angles after a second, and of the force of the first hinge at its end
static LyraStatus swing(Verify *verify, const char *integrator, double dt, int count,
                        double error[2])
{
    LyraWorld *world = NULL;
    double y[4] = {0}, force[3] = {0}, d[4];
    y[0] = y[1] = 0;
    for (int i = 0; i < count; ++i) {
        y[i] = acos(0.0);
    }
    LyraStatus status = make_pendulum(verify, integrator, dt, count, &world);
    for (int step = 0; step < (int)(1 / dt + 0.5) && status == LYRA_OK; ++step) {
        status = lyra_world_step(world, NULL);
    }
    for (int step = 0; step < 20000; ++step) {
        advance(count, 1.0 / 20000, y);
    }
    error[0] = 0;
    for (int b = 0; b < count && status == LYRA_OK; ++b) {
        LyraRigidMotion m;
        status = lyra_world_rigid_motion(world, b, &m);
        // the body's x axis points down at angle 0
        double own = 2 * atan2(m.rotation[3], m.rotation[0]) + acos(0.0);
        error[0] = fmax(error[0], fabs(remainder(own - y[b], 4 * acos(0.0))));
    }
    status = status == LYRA_OK ? lyra_world_tie_force(world, 0, force) : status;
    rates(count, y, d);
    // a = l (phi'' e_t - phi'^2 e_r) of the centre, for one body
    double s = sin(y[0]), c = cos(y[0]), w = y[1];
    double fx = MASS * HALF * (d[1] * c - w * w * s),
           fy = MASS * (HALF * (d[1] * s + w * w * c) + G);
    error[1] = count == 1 ? hypot(force[0] - fx, force[1] - fy) / hypot(fx, fy) : 0;
    lyra_world_destroy(world);
    return status;
}

static LyraStatus run_pendulums(Verify *verify)
{
    static const struct {
        const char *integrator;
        double dt, tolerance;
        int count, order;
    } rows[] = {{"newmark", 1e-3, 2e-4, 1, 2},
                {"generalized-alpha", 1e-3, 5e-4, 1, 2},
                {"backward-euler", 1e-3, 2e-2, 1, 1},
                {"newmark", 1e-3, 1e-3, 2, 2},
                {"generalized-alpha", 1e-3, 2e-3, 2, 2}};
    for (size_t r = 0; r < sizeof rows / sizeof *rows; ++r) {
        double fine[2], coarse[2];
        VERIFY_TRY(swing(verify, rows[r].integrator, rows[r].dt, rows[r].count, fine));
        VERIFY_TRY(swing(verify, rows[r].integrator, 2 * rows[r].dt, rows[r].count, coarse));
        verify_absolute(verify, 0, fine[0], rows[r].tolerance,
                        "%s, %s, 1 s in steps of 1 ms: error of angles, rad",
                        rows[r].count > 1 ? "double pendulum" : "pendulum", rows[r].integrator);
        verify_range(verify, rows[r].order - 0.3, rows[r].order + 1.3, log2(coarse[0] / fine[0]),
                     "%s, %s: order", rows[r].count > 1 ? "double pendulum" : "pendulum",
                     rows[r].integrator);
        // the multipliers of Newmark's rule, which has no damping, ring
        if (rows[r].count == 1 && strcmp(rows[r].integrator, "newmark") == 0) {
            verify_information(verify, 0, fine[1], "pendulum, %s: error of the hinge's force",
                               rows[r].integrator);
        } else if (rows[r].count == 1) {
            verify_absolute(verify, 0, fine[1], 0.1, "pendulum, %s: error of the hinge's force",
                            rows[r].integrator);
        }
    }
    return LYRA_OK;
}

const VerifyCase verify_rigid_cases[] = {
    {"free-top", "rigid", "A free top for 100 s", true, run_top},
    {"tops", "rigid", "A free top in a world, by each method", false, run_tops},
    {"vega-rigid", "rigid", "Vega's rigid bodies", true, run_vega},
    {"pendulums", "rigid", "A pendulum and a double one by hinges", true, run_pendulums},
    {0},
};
