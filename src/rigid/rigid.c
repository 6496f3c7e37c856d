// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// The motion of one rigid body. With the angular momentum L = R I w in axes of the world and
// W = R^T w the spin in those of the body, the Lie midpoint rule of a free body is
//
//   exp(h [m]) I W_1 = I W_0,   m = (W_0 + W_1) / 2,   R_1 = R_0 exp(h [m]).                   (1)
//
// R_1 I W_1 = R_0 I W_0, so L stays. The energy changes by m . (I W_1 - I W_0), and with (1)
// m . I W_1 = exp(h [m]) m . I W_0 = m . I W_0, so it stays too. With p = I W_0 the unknown W_1 is
// found by Newton's method on
//
//   F = I W_1 - y,   y = exp(-h [m]) p,   dF/dW_1 = I - h/2 [y] J(-h m),
//
// J(a) = 1 + (1 - cos|a|)/|a|^2 [a] + (|a| - sin|a|)/|a|^3 [a]^2.
//
// Forces come as half impulses before and after the turn. Of dampings, -c v, the first half is
// explicit and the second implicit, so that the step is symmetric.

#include "rigid/rigid.h"

#include <math.h>
#include <string.h>

#define ITERATIONS 60

static LyraVec3 take(const double a[3])
{
    return lyra_vec3(a[0], a[1], a[2]);
}

static void give(LyraVec3 a, double out[3])
{
    out[0] = a.x;
    out[1] = a.y;
    out[2] = a.z;
}

static LyraQuat take_quat(const double q[4])
{
    return lyra_quat(q[0], q[1], q[2], q[3]);
}

static bool finite3(const double a[3])
{
    return isfinite(a[0]) && isfinite(a[1]) && isfinite(a[2]);
}

// ---- mass properties ----------------------------------------------------------------------------

LyraBodyRigid lyra_body_rigid_default(void)
{
    return (LyraBodyRigid){.mass = NAN};
}

LyraStatus lyra_rigid_check(const LyraRigidBody *body, bool strict)
{
    LYRA_ASSERT(body);
    const double *I = body->inertia;
    double size = fabs(I[0]) + fabs(I[4]) + fabs(I[8]);
    if (!(body->mass > 0 && isfinite(body->mass))) {
        return ly_fail(LYRA_INVALID_ARGUMENT,
                       "rigid body: a mass of %g kg, expected a positive number", body->mass);
    }
    if (!finite3(I) || !finite3(I + 3) || !finite3(I + 6)) {
        return ly_fail(LYRA_NOT_FINITE, "rigid body: an inertia that is not finite");
    }
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < i; ++j) {
            if (!(fabs(I[3 * i + j] - I[3 * j + i]) <= 1e-12 * size)) {
                return ly_fail(LYRA_INVALID_ARGUMENT,
                               "rigid body: an inertia with %g and %g across its diagonal, "
                               "expected a symmetric one",
                               I[3 * i + j], I[3 * j + i]);
            }
        }
    }
    if (!(body->linear_damping >= 0 && isfinite(body->linear_damping)) ||
        !(body->rotational_damping >= 0 && isfinite(body->rotational_damping))) {
        return ly_fail(LYRA_INVALID_ARGUMENT,
                       "rigid body: dampings of %g N s/m and %g N m s, expected numbers >= 0",
                       body->linear_damping, body->rotational_damping);
    }
    LyraMat3 M;
    for (int i = 0; i < 9; ++i) {
        M.m[i / 3][i % 3] = I[i];
    }
    LyraVec3 moments = lyra_mat3_eigen(M).values;
    if (!(moments.z > 1e-14 * moments.x)) {
        return ly_fail(LYRA_INVALID_ARGUMENT,
                       "rigid body: principal moments of inertia of %g, %g and %g kg m^2, "
                       "expected positive ones",
                       moments.x, moments.y, moments.z);
    }
    if (strict && moments.x > (moments.y + moments.z) * (1 + 1e-12)) {
        return ly_fail(LYRA_INVALID_ARGUMENT,
                       "rigid body: a principal moment of inertia of %g kg m^2 beside %g and %g, "
                       "which no body has: none is larger than the two others together",
                       moments.x, moments.y, moments.z);
    }
    return LYRA_OK;
}

LyraStatus ly_inertia_take(const double inertia[9], LyInertia *out)
{
    for (int i = 0; i < 9; ++i) {
        out->I.m[i / 3][i % 3] = inertia[i];
    }
    return lyra_mat3_inverse(out->I, &out->inverse);
}

LyraVec3 ly_inertia_spin(const LyInertia *inertia, LyraQuat rotation, LyraVec3 L)
{
    LyraVec3 own = lyra_quat_rotate(lyra_quat_conjugate(rotation), L);
    return lyra_quat_rotate(rotation, lyra_mat3_apply(inertia->inverse, own));
}

// ---- the free turn ------------------------------------------------------------------------------

// J(a) of the head of this file
static LyraMat3 slope(LyraVec3 a)
{
    double t = lyra_vec3_length(a);
    double c = t > 1e-4 ? (1 - cos(t)) / (t * t) : 0.5 - t * t / 24;
    double s = t > 1e-2 ? (t - sin(t)) / (t * t * t) : 1.0 / 6 - t * t / 120 + t * t * t * t / 5040;
    LyraMat3 K = lyra_mat3_cross(a), KK = lyra_mat3_multiply(K, K), J = {{{0}}};
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) {
            J.m[i][j] = (i == j) + c * K.m[i][j] + s * KK.m[i][j];
        }
    }
    return J;
}

LyraStatus ly_rigid_turn(const LyInertia *inertia, LyraVec3 L, double h, LyraVec3 *turn)
{
    const LyraVec3 W0 = lyra_mat3_apply(inertia->inverse, L);
    LyraVec3 W = W0, a = {0};
    double before = INFINITY;
    bool settled = false;
    for (int n = 0; n < ITERATIONS && !settled; ++n) {
        a = lyra_vec3_scale(lyra_vec3_add(W0, W), 0.5 * h);
        LyraVec3 back = lyra_vec3_scale(a, -1), y = lyra_quat_rotate(lyra_quat_exp(back), L);
        LyraMat3 A = lyra_mat3_multiply(lyra_mat3_cross(y), slope(back)), inverse;
        for (int i = 0; i < 9; ++i) {
            A.m[i / 3][i % 3] = inertia->I.m[i / 3][i % 3] - 0.5 * h * A.m[i / 3][i % 3];
        }
        LY_TRY(lyra_mat3_inverse(A, &inverse));
        LyraVec3 F = lyra_vec3_subtract(lyra_mat3_apply(inertia->I, W), y);
        LyraVec3 d = lyra_mat3_apply(inverse, F);
        double size = lyra_vec3_length(d);
        // where it gets no smaller any more, rounding is left
        settled = !(size > 1e-15 * lyra_vec3_length(W)) || (n > 3 && size >= before);
        before = size;
        W = lyra_vec3_subtract(W, d);
    }
    a = lyra_vec3_scale(lyra_vec3_add(W0, W), 0.5 * h);
    double angle = lyra_vec3_length(a);
    if (!settled || !(angle < LY_RIGID_TURN_MAX)) {
        return ly_fail(LYRA_NOT_CONVERGED,
                       "a rigid body turns by %.3g rad in a step of %g s, expected less than %g: "
                       "take shorter steps",
                       h * lyra_vec3_length(W0), h, LY_RIGID_TURN_MAX);
    }
    *turn = a;
    return LYRA_OK;
}

// ---- steps --------------------------------------------------------------------------------------

LyraStatus lyra_rigid_start(const LyraRigidBody *body, const double spin[3],
                            LyraRigidMotion *motion)
{
    LYRA_ASSERT(body && spin && motion);
    LyInertia inertia;
    LyraQuat q = take_quat(motion->rotation);
    double length = sqrt(lyra_quat_dot(q, q));
    LY_TRY(lyra_rigid_check(body, false));
    LY_TRY(ly_inertia_take(body->inertia, &inertia));
    if (!finite3(motion->position) || !finite3(motion->velocity) || !finite3(spin) ||
        !isfinite(length)) {
        return ly_fail(LYRA_NOT_FINITE, "rigid body: a motion that is not finite");
    }
    if (!(length > 0)) {
        return ly_fail(LYRA_INVALID_ARGUMENT,
                       "rigid body: a rotation of length 0, expected a unit quaternion");
    }
    q = lyra_quat_normalize(q);
    LyraVec3 own = lyra_quat_rotate(lyra_quat_conjugate(q), take(spin));
    give(lyra_quat_rotate(q, lyra_mat3_apply(inertia.I, own)), motion->angular_momentum);
    memcpy(motion->spin, spin, sizeof motion->spin);
    memcpy(motion->rotation, (double[4]){q.w, q.x, q.y, q.z}, sizeof motion->rotation);
    for (int i = 0; i < 3; ++i) {
        motion->momentum[i] = body->mass * motion->velocity[i];
    }
    return LYRA_OK;
}

double lyra_rigid_energy(const LyraRigidMotion *motion)
{
    LYRA_ASSERT(motion);
    double sum = 0;
    for (int i = 0; i < 3; ++i) {
        sum += 0.5 * motion->velocity[i] * motion->momentum[i] +
               0.5 * motion->spin[i] * motion->angular_momentum[i];
    }
    return sum;
}

// h F / m or h T without damping, [0, 3) linear, [3, 6) angular, added by (1 - x c) and 1 / (1 + x
// c)
static void kick(const LyraRigidBody *body, const double force[3], const double torque[3], double h,
                 bool implicit, const LyInertia *inertia, LyraRigidMotion *motion)
{
    double x = h * body->linear_damping / body->mass;
    for (int i = 0; i < 3; ++i) {
        double gain = h * force[i] / body->mass;
        motion->velocity[i] = implicit ? (motion->velocity[i] + gain) / (1 + x)
                                       : motion->velocity[i] * (1 - x) + gain;
        motion->momentum[i] = body->mass * motion->velocity[i];
    }
    // (1 + h c I^-1) L_1 = L_0 + h T in the frame of the rotation as it is
    LyraQuat q = take_quat(motion->rotation);
    LyraVec3 L = take(motion->angular_momentum), T = lyra_vec3_scale(take(torque), h);
    double y = h * body->rotational_damping;
    if (!implicit) {
        L = lyra_vec3_subtract(L, lyra_vec3_scale(ly_inertia_spin(inertia, q, L), y));
        L = lyra_vec3_add(L, T);
    } else {
        L = lyra_vec3_add(L, T);
        if (y > 0) {
            // L_1 = I w_1 with (I + y) w_1 = R^T (L_0 + h T); I + y is positive as I is
            LyraMat3 A = inertia->I, inverse = A;
            for (int i = 0; i < 3; ++i) {
                A.m[i][i] += y;
            }
            if (lyra_mat3_inverse(A, &inverse) == LYRA_OK) {
                LyraVec3 w = lyra_mat3_apply(inverse, lyra_quat_rotate(lyra_quat_conjugate(q), L));
                L = lyra_quat_rotate(q, lyra_mat3_apply(inertia->I, w));
            }
        }
    }
    give(L, motion->angular_momentum);
    give(ly_inertia_spin(inertia, q, L), motion->spin);
}

static void set_rotation(LyraQuat q, LyraRigidMotion *motion)
{
    q = lyra_quat_normalize(q);
    memcpy(motion->rotation, (double[4]){q.w, q.x, q.y, q.z}, sizeof motion->rotation);
}

static LyraStatus step_lie(const LyraRigidBody *body, const double force[3], const double torque[3],
                           double h, const LyInertia *inertia, LyraRigidMotion *motion)
{
    LyraRigidMotion next = *motion;
    kick(body, force, torque, 0.5 * h, false, inertia, &next);
    LyraQuat q = take_quat(next.rotation);
    LyraVec3 own = lyra_quat_rotate(lyra_quat_conjugate(q), take(next.angular_momentum)), turn;
    LY_TRY(ly_rigid_turn(inertia, own, h, &turn));
    set_rotation(lyra_quat_multiply(q, lyra_quat_exp(turn)), &next);
    for (int i = 0; i < 3; ++i) {
        next.position[i] += h * next.velocity[i];
    }
    kick(body, force, torque, 0.5 * h, true, inertia, &next);
    *motion = next;
    return LYRA_OK;
}

// q + h/2 (0, w) q, normalised
static void turn_euler(double h, LyraRigidMotion *motion)
{
    LyraQuat q = take_quat(motion->rotation);
    const double *w = motion->spin;
    LyraQuat d = lyra_quat_multiply(lyra_quat(0, w[0], w[1], w[2]), q);
    set_rotation(lyra_quat(q.w + 0.5 * h * d.w, q.x + 0.5 * h * d.x, q.y + 0.5 * h * d.y,
                           q.z + 0.5 * h * d.z),
                 motion);
}

static void step_vega(const LyraRigidBody *body, bool symplectic, const double force[3],
                      const double torque[3], double h, const LyInertia *inertia,
                      LyraRigidMotion *motion)
{
    LyraQuat old = take_quat(motion->rotation);
    double spin[3];
    memcpy(spin, motion->spin, sizeof spin);
    for (int i = 0; i < 3; ++i) {
        double v = motion->velocity[i];
        double next = v + h * (force[i] - body->linear_damping * v) / body->mass;
        motion->position[i] += h * (symplectic ? next : v);
        motion->velocity[i] = next;
        motion->momentum[i] = body->mass * next;
    }
    if (!symplectic) {
        turn_euler(h, motion);
    }
    for (int i = 0; i < 3; ++i) {
        motion->angular_momentum[i] += h * (torque[i] - body->rotational_damping * spin[i]);
    }
    LyraQuat q = symplectic ? old : take_quat(motion->rotation);
    give(ly_inertia_spin(inertia, q, take(motion->angular_momentum)), motion->spin);
    if (symplectic) {
        turn_euler(h, motion);
    }
}

LyraStatus lyra_rigid_step(const LyraRigidBody *body, LyraRigidMethod method, const double force[3],
                           const double torque[3], double dt, LyraRigidMotion *motion)
{
    LYRA_ASSERT(body && force && torque && motion);
    LyInertia inertia;
    LY_TRY(lyra_rigid_check(body, false));
    LY_TRY(ly_inertia_take(body->inertia, &inertia));
    if (!(dt > 0 && isfinite(dt)) || !finite3(force) || !finite3(torque)) {
        return ly_fail(LYRA_INVALID_ARGUMENT,
                       "rigid body: a step of %g s, expected a positive number, and finite loads",
                       dt);
    }
    if (method == LYRA_RIGID_LIE_MIDPOINT) {
        return step_lie(body, force, torque, dt, &inertia, motion);
    }
    step_vega(body, method == LYRA_RIGID_VEGA_SYMPLECTIC, force, torque, dt, &inertia, motion);
    return LYRA_OK;
}
