// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Motions of a stiff body as a whole: free fall, a pendulum, rotation without torque.
//
// Pendulum: a block of m, a x b in its plane, hung along an edge, with moment of inertia
// J = m (a^2 + b^2) / 3 about it and its centre at d = (a^2 + b^2)^(1/2) / 2. From rest at the
// angle q the period is T = 4 (J / m g d)^(1/2) K(sin(q/2)), K the complete elliptic integral of
// the first kind, pi / 2 M(1, cos(q/2)) by Gauss' mean M.
//
// Rotation: Euler's equations J w' = (J w) x w in the frame of the body, with R' = R [w]x for the
// attitude. A body set in rotation about its middle axis turns over; when, is known from the
// equations, which are integrated by Runge and Kutta's method of order 4. J is that of the masses
// at the vertices, so that what is compared is the motion, not the mesh.

#include "verify_body.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define PI 3.14159265358979323846

// a block of cubes with the default density of 1000 kg/m^3 for an integrator
static LyraStatus make_body(Verify *verify, const char *integrator, const int32_t cells[3],
                            const double size[3], double young, const double gravity[3],
                            VerifyBody *out)
{
    LyraMesh *mesh = NULL;
    LyraStatus status = verify_box(verify->ctx, LYRA_ELEMENT_CUBE8, cells, size, &mesh);
    if (status != LYRA_OK) {
        return status;
    }
    VerifyBodyDef def = verify_body_def_default(mesh);
    def.solid.model = "stvk";
    def.solid.young = young;
    def.solid.poisson = 0.3;
    def.integrator.name = integrator;
    def.integrator.critical = LYRA_CRITICAL_IGNORE;
    memcpy(def.gravity, gravity, sizeof def.gravity);
    return verify_body_create(verify->ctx, &def, out);
}

// ---- free fall ----------------------------------------------------------------------------------

static LyraStatus fall_with(Verify *verify, const LyraIntegratorFacts *facts)
{
    const double gravity[3] = {1, -9.81, 0.5}, size[3] = {1, 0.5, 0.5}, start[3] = {3, 4, -1};
    const int32_t cells[3] = {2, 1, 1};
    const double dt = 1.0 / 128; // a power of two: times add up without rounding
    VerifyBody body;
    LyraStatus status = make_body(verify, facts->name, cells, size, 1e3, gravity, &body);
    if (status != LYRA_OK) {
        return status;
    }
    LyraStateView view = lyra_state_view(body.state);
    int32_t dofs = lyra_vector_size(view.u);
    for (int32_t i = 0; i < dofs; ++i) {
        lyra_vector_values_mutable(view.v)[i] = start[i % 3];
    }
    for (int32_t s = 0; s < 128 && status == LYRA_OK; ++s) {
        status = lyra_integrator_step(body.integrator, body.state, dt, NULL);
    }
    double error = 0, shape = 0, first_order = facts->order == 1 ? dt : 0;
    for (int32_t i = 0; i < dofs; ++i) {
        double u = lyra_vector_values(view.u)[i];
        // after 1 s; methods of first order are off by g dt / 2 to either side
        double exact = start[i % 3] + 0.5 * gravity[i % 3];
        double off = 0.5 * gravity[i % 3] * first_order;
        error = fmax(error, fmin(fabs(u - exact - off), fabs(u - exact + off)));
        shape = fmax(shape, fabs(u - lyra_vector_values(view.u)[i % 3]));
    }
    if (status == LYRA_OK) {
        verify_absolute(verify, 0, error, 1e-10, "free fall for 1 s, %s: distance to x(t), m",
                        facts->name);
        verify_absolute(verify, 0, shape, 1e-10, "free fall for 1 s, %s: change of shape, m",
                        facts->name);
    }
    verify_body_end(&body);
    return status;
}

static LyraStatus run_fall(Verify *verify)
{
    verify_note(verify, "Every method that steps in time throws a soft body (E = 1 kPa), from "
                        "(3, 4, -1) m/s under (1, -9.81, 0.5) m/s^2. Methods of order 2 and more "
                        "follow the parabola to rounding; those of order 1 follow x(t) +- "
                        "g t dt / 2, to rounding too, and are compared with that.");
    LyraIntegratorFacts facts;
    LyraStatus status = LYRA_OK;
    for (int32_t i = 0; status == LYRA_OK && lyra_integrator_name(i, &facts) && !facts.constant;
         ++i) {
        if (facts.order > 0) {
            status = fall_with(verify, &facts);
        }
    }
    return status;
}

// ---- pendulum -----------------------------------------------------------------------------------

static double gauss_mean(double a, double b)
{
    while (fabs(a - b) > 1e-15 * a) {
        double mean = 0.5 * (a + b);
        b = sqrt(a * b);
        a = mean;
    }
    return a;
}

// angle of the centre of mass about the edge, from the vertical
static double angle_of(const VerifyBody *body)
{
    const double *u = verify_body_displacements(body);
    double x = 0, y = 0;
    for (int32_t v = 0; v < body->view.vertex_count; ++v) {
        x += body->masses[v] * (body->view.positions[3 * v] + u[3 * v]);
        y += body->masses[v] * (body->view.positions[3 * v + 1] + u[3 * v + 1]);
    }
    return atan2(x, -y);
}

// turns the body about the z axis by `angle`, as its displacement
static void turn(VerifyBody *body, double angle)
{
    double *u = lyra_vector_values_mutable(lyra_state_view(body->state).u);
    for (int32_t v = 0; v < body->view.vertex_count; ++v) {
        const double *X = body->view.positions + 3 * (int64_t)v;
        u[3 * v] = cos(angle) * X[0] - sin(angle) * X[1] - X[0];
        u[3 * v + 1] = sin(angle) * X[0] + cos(angle) * X[1] - X[1];
    }
}

// time of four quarters: from rest at the angle `start` through the vertical, twice the next half
static LyraStatus period(Verify *verify, double start, double dt, double *exact, double *out)
{
    const double gravity[3] = {0, -9.81, 0}, size[3] = {0.8, 0.2, 0.2};
    const int32_t cells[3] = {4, 1, 1};
    VerifyBody body;
    LyraStatus status = make_body(verify, "implicit-midpoint", cells, size, 1e9, gravity, &body);
    if (status != LYRA_OK) {
        return status;
    }
    LyraConstraints *constraints = lyra_model_constraints(body.model);
    for (int32_t v = 0; v < body.view.vertex_count && status == LYRA_OK; ++v) {
        if (verify_on_plane(&body, v, 0, 0) && verify_on_plane(&body, v, 1, 0)) {
            status = lyra_constraints_fix_vertices(constraints, 1, &v);
        }
    }
    // J / m d of the masses at the vertices
    double J = 0, moment[2] = {0, 0};
    for (int32_t v = 0; v < body.view.vertex_count; ++v) {
        const double *X = body.view.positions + 3 * (int64_t)v;
        J += body.masses[v] * (X[0] * X[0] + X[1] * X[1]);
        moment[0] += body.masses[v] * X[0];
        moment[1] += body.masses[v] * X[1];
    }
    double length = J / sqrt(moment[0] * moment[0] + moment[1] * moment[1]);
    *exact = 2 * PI * sqrt(length / 9.81) / gauss_mean(1, cos(0.5 * start));
    turn(&body, start - angle_of(&body));
    double before = angle_of(&body), first = 0;
    *out = 0;
    for (int32_t s = 0; s < 100000 && *out == 0 && status == LYRA_OK; ++s) {
        status = lyra_integrator_step(body.integrator, body.state, dt, NULL);
        double now = angle_of(&body), time = lyra_state_view(body.state).time;
        if ((before > 0) != (now > 0)) {
            double crossing = time - dt * now / (now - before);
            // the second crossing is half a period after the first
            *out = first > 0 ? 2 * (crossing - first) : 0;
            first = crossing;
        }
        before = now;
    }
    verify_body_end(&body);
    return status;
}

static LyraStatus run_pendulum(Verify *verify)
{
    verify_note(verify, "A block of 0.8 x 0.2 x 0.2 m (4 cubes) swings about an edge that is held, "
                        "by the implicit midpoint rule with 1 ms. The reference is the rigid "
                        "pendulum with the same masses at the vertices; gravity bends the block of "
                        "1 GPa by about 1e-4 of its length.");
    const double degrees[] = {5, 90, 150};
    for (int i = 0; i < (verify->quick ? 2 : 3); ++i) {
        double start = degrees[i] * PI / 180, exact = 0, ours = 0;
        LyraStatus status = period(verify, start, verify->quick ? 2e-3 : 1e-3, &exact, &ours);
        if (status != LYRA_OK) {
            return status;
        }
        verify_relative(verify, exact, ours, 5e-4, "period from %g degrees, s", degrees[i]);
    }
    return LYRA_OK;
}

// ---- rotation -----------------------------------------------------------------------------------

typedef struct Rotor {
    double J[3];    // principal moments, along x, y and z
    double w[3];    // angular velocity in the frame of the body
    double R[3][3]; // its attitude
} Rotor;

static void rotor_rate(const Rotor *at, Rotor *rate)
{
    const double *w = at->w, *J = at->J;
    for (int i = 0; i < 3; ++i) {
        int j = (i + 1) % 3, k = (i + 2) % 3;
        rate->w[i] = (J[j] - J[k]) * w[j] * w[k] / J[i];
        // column i of R [w]x
        for (int r = 0; r < 3; ++r) {
            rate->R[r][i] = at->R[r][j] * w[k] - at->R[r][k] * w[j];
        }
    }
}

static Rotor rotor_moved(const Rotor *at, double h, const Rotor *rate)
{
    Rotor out = *at;
    for (int i = 0; i < 3; ++i) {
        out.w[i] += h * rate->w[i];
        for (int j = 0; j < 3; ++j) {
            out.R[i][j] += h * rate->R[i][j];
        }
    }
    return out;
}

static void rotor_step(Rotor *rotor, double h)
{
    Rotor k[4], at = *rotor;
    const double place[4] = {0, 0.5, 0.5, 1}, weight[4] = {1, 2, 2, 1};
    for (int s = 0; s < 4; ++s) {
        k[s] = *rotor;
        at = s == 0 ? *rotor : rotor_moved(rotor, place[s] * h, &k[s - 1]);
        rotor_rate(&at, &k[s]);
    }
    for (int s = 0; s < 4; ++s) {
        *rotor = rotor_moved(rotor, weight[s] * h / 6, &k[s]);
    }
}

// The centre, the angular momentum about it, and the direction of the body's y axis: that of the
// second column of sum m (x - c) X^T with X about its own centre.
static void observe(const VerifyBody *body, const double center[3], double L[3], double axis[3])
{
    LyraStateView state = lyra_state_view(body->state);
    const double *u = lyra_vector_values(state.u), *v = lyra_vector_values(state.v);
    memset(L, 0, 3 * sizeof *L);
    memset(axis, 0, 3 * sizeof *axis);
    for (int32_t p = 0; p < body->view.vertex_count; ++p) {
        double X[3], x[3], m = body->masses[p];
        for (int i = 0; i < 3; ++i) {
            X[i] = body->view.positions[3 * p + i] - center[i];
            x[i] = X[i] + u[3 * p + i];
        }
        for (int i = 0; i < 3; ++i) {
            int j = (i + 1) % 3, k = (i + 2) % 3;
            L[i] += m * (x[j] * v[3 * p + k] - x[k] * v[3 * p + j]);
            axis[i] += m * x[i] * X[1];
        }
    }
    double length = sqrt(axis[0] * axis[0] + axis[1] * axis[1] + axis[2] * axis[2]);
    for (int i = 0; i < 3; ++i) {
        axis[i] /= length;
    }
}

// sets the body turning with w about its centre; moments of the masses at the vertices
static void set_turning(VerifyBody *body, const double center[3], const double w[3], double J[3])
{
    double *v = lyra_vector_values_mutable(lyra_state_view(body->state).v);
    memset(J, 0, 3 * sizeof *J);
    for (int32_t p = 0; p < body->view.vertex_count; ++p) {
        double X[3];
        for (int i = 0; i < 3; ++i) {
            X[i] = body->view.positions[3 * p + i] - center[i];
        }
        for (int i = 0; i < 3; ++i) {
            int j = (i + 1) % 3, k = (i + 2) % 3;
            v[3 * p + i] = w[j] * X[k] - w[k] * X[j];
            J[i] += body->masses[p] * (X[j] * X[j] + X[k] * X[k]);
        }
    }
}

static LyraStatus run_rotation(Verify *verify)
{
    verify_note(verify, "A block of 3 x 2 x 1 m and 0.1 GPa, set turning with (0.02, 1, 0.01) "
                        "rad/s about its middle axis, by the implicit midpoint rule, which keeps "
                        "angular momentum. \"Turn over\" is when the middle axis passes through "
                        "the plane across the angular momentum.");
    const double size[3] = {3, 2, 1}, none[3] = {0, 0, 0}, w[3] = {0.02, 1, 0.01};
    const double dt = verify->quick ? 0.02 : 0.005, end = 16;
    const int32_t cells[3] = {6, 4, 2};
    VerifyBody body;
    LyraStatus status = make_body(verify, "implicit-midpoint", cells, size, 1e8, none, &body);
    if (status != LYRA_OK) {
        return status;
    }
    double center[3] = {1.5, 1, 0.5}, first[3], L[3], axis[3], drift = 0, apart = 0;
    double before[2] = {1, 1}, over[2] = {0, 0};
    Rotor rotor = {.R = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
    memcpy(rotor.w, w, sizeof w);
    set_turning(&body, center, w, rotor.J);
    observe(&body, center, first, axis);
    double size_of_L = sqrt(first[0] * first[0] + first[1] * first[1] + first[2] * first[2]);
    for (double t = dt; t < end + 0.5 * dt && status == LYRA_OK; t += dt) {
        status = lyra_integrator_step(body.integrator, body.state, dt, NULL);
        for (int i = 0; i < 10; ++i) {
            rotor_step(&rotor, 0.1 * dt);
        }
        observe(&body, center, L, axis);
        double now[2] = {0, 0};
        for (int i = 0; i < 3; ++i) {
            drift = fmax(drift, fabs(L[i] - first[i]) / size_of_L);
            now[0] += axis[i] * first[i] / size_of_L;
            now[1] += rotor.R[i][1] * first[i] / size_of_L;
        }
        apart = fmax(apart, fabs(now[0] - now[1]));
        for (int k = 0; k < 2; ++k) {
            if (over[k] == 0 && now[k] <= 0) {
                over[k] = t - dt * now[k] / (now[k] - before[k]);
            }
            before[k] = now[k];
        }
    }
    if (status == LYRA_OK) {
        verify_absolute(verify, 0, drift, 1e-9, "angular momentum over %g s, relative drift", end);
        verify_relative(verify, over[1], over[0], 2e-3, "middle axis turns over after, s");
        verify_absolute(verify, 0, apart, 0.02, "middle axis along L over %g s, largest error",
                        end);
    }
    verify_body_end(&body);
    return status;
}

const VerifyCase verify_motion_cases[] = {
    {"free-fall", "motion", "A thrown body, with every integrator", true, run_fall},
    {"pendulum", "motion", "A stiff block hung along an edge", true, run_pendulum},
    {"free-rotation", "motion", "Rotation about the middle axis", true, run_rotation},
    {0},
};
