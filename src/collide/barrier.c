// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// The kernels of points against obstacles. With the distance phi of a point from a term of a shape,
// its gradient n, s = phi/d and the weights A (area) and k (stiffness, Pa) of the point
//
//   E = A k d psi(s),   psi = -(s - 1)^2 ln s below s = 1, zero above [LFS20],                 (1)
//   dE/dx = A k psi' n,   d2E/dx2 = A k (psi''/d n n^T + psi' hess phi).                       (2)
//
// psi' < 0, so the second term of (2) is positive only where hess phi has negative eigenvalues: in
// the positive tangent that part is kept, as inside of tubes, and all of it is dropped for convex
// shapes. As n . hess phi = 0, hess phi is 2x2 in the tangent plane, but for sampled fields, whose
// second derivatives are projected to it.
//
// Friction [LFS20], at the place x_n where the step began, with the normal force
// l = -A k psi'(phi(x_n)/d) there, T = I - n n^T and y = T (v - v_obstacle):
//
//   R = mu l f_0(|y|),  f_0 = y^2/e - y^3/(3 e^2) + e/3 below y = e, y above,                  (3)
//   dR/dv = mu l f_1/|y| y,  d2R/dv2 = mu l T [f_1/|y| I + (f_1' |y| - f_1)/|y|^3 y y^T] T,    (4)
//
// f_1 = f_0'. Points that are on their way out are slowed along n by c = 64 A k h/d, h a usual
// step, so that they come out at about (psi'/64) d/h.

#include "collide/obstacles.h"

#include "math/vec3.h"

#include <math.h>
#include <string.h>

#define W LYRA_BATCH_WIDTH
#define SLOWING 64.0

void ly_barrier(double s, double soft, double out[3])
{
    if (s >= 1) {
        out[0] = out[1] = out[2] = 0;
        return;
    }
    double x = s < soft ? soft : s;
    if (!(x > 0)) {
        out[0] = INFINITY;
        out[1] = -INFINITY;
        out[2] = INFINITY;
        return;
    }
    double log_x = log(x), r = x - 1, d = s - x;
    double psi = -r * r * log_x, slope = -r * (2 * log_x + r / x);
    double curve = (1 / x + 2) / x - 2 * log_x - 3;
    out[0] = psi + (slope + 0.5 * curve * d) * d;
    out[1] = slope + curve * d;
    out[2] = curve;
}

void ly_response(const LyObstacle *obstacle, double s, double soft, double out[3])
{
    if (obstacle->response == LY_PENALTY) {
        double depth = s < 0 ? s : 0;
        out[0] = 0.5 * depth * depth;
        out[1] = depth;
        out[2] = s < 0 ? 1 : 0;
        return;
    }
    ly_barrier(s, soft, out);
}

void ly_obstacle_pose(const LyObstacle *obstacle, double time, LyPose *out)
{
    if (obstacle->pose) {
        obstacle->pose(obstacle->user, time, out);
        return;
    }
    *out = (LyPose){.R = {1, 0, 0, 0, 1, 0, 0, 0, 1}};
}

void ly_pose_back(const LyPose *pose, const double x[3], double out[3])
{
    double d[3];
    ly_subtract3(x, pose->t, d);
    for (int i = 0; i < 3; ++i) {
        out[i] = pose->R[i] * d[0] + pose->R[3 + i] * d[1] + pose->R[6 + i] * d[2];
    }
}

void ly_pose_velocity(const LyPose *pose, const double x[3], double out[3])
{
    double d[3];
    ly_subtract3(x, pose->t, d);
    ly_cross3(pose->w, d, out);
    for (int i = 0; i < 3; ++i) {
        out[i] += pose->v[i];
    }
}

// out = R v
static void turn(const LyPose *pose, const double v[3], double out[3])
{
    for (int i = 0; i < 3; ++i) {
        out[i] = ly_dot3(pose->R + 3 * i, v);
    }
}

// out = R H R^T
static void turn_matrix(const LyPose *pose, const double H[9], double out[9])
{
    double RH[9];
    const double *R = pose->R;
    for (int i = 0; i < 9; ++i) {
        const double *row = R + 3 * (i / 3);
        RH[i] = row[0] * H[i % 3] + row[1] * H[3 + i % 3] + row[2] * H[6 + i % 3];
    }
    for (int i = 0; i < 9; ++i) {
        out[i] = ly_dot3(RH + 3 * (i / 3), R + 3 * (i % 3));
    }
}

// two unit vectors across n, which has a length
static void find_tangents(const double n[3], double a[3], double b[3])
{
    double other[3] = {0}, length;
    int least = fabs(n[0]) <= fabs(n[1]) && fabs(n[0]) <= fabs(n[2]) ? 0
                : fabs(n[1]) <= fabs(n[2])                           ? 1
                                                                     : 2;
    other[least] = 1;
    ly_cross3(n, other, a);
    length = ly_length3(a);
    for (int i = 0; i < 3; ++i) {
        a[i] /= length;
    }
    ly_cross3(n, a, b);
    length = ly_length3(b);
    for (int i = 0; i < 3; ++i) {
        b[i] /= length;
    }
}

static double form(const double a[3], const double H[9], const double b[3])
{
    double sum = 0;
    for (int i = 0; i < 9; ++i) {
        sum += a[i / 3] * H[i] * b[i % 3];
    }
    return sum;
}

// H becomes its part with negative eigenvalues in the plane across n
static void keep_negative(const double n[3], double H[9])
{
    double a[3], b[3];
    find_tangents(n, a, b);
    double p = form(a, H, a), q = form(a, H, b), r = form(b, H, b);
    double mean = 0.5 * (p + r), half = 0.5 * (p - r), root = hypot(half, q);
    double low = mean - root, high = mean + root;
    memset(H, 0, 9 * sizeof *H);
    if (low >= 0) {
        return;
    }
    // c a + s b belongs to the higher one
    double angle = 0.5 * atan2(q, half), c = cos(angle), s = sin(angle);
    for (int i = 0; i < 9; ++i) {
        int k = i / 3, l = i % 3;
        double x = c * a[k] + s * b[k], y = c * a[l] + s * b[l];
        double z = c * b[k] - s * a[k], w = c * b[l] - s * a[l];
        H[i] = low * z * w + (high < 0 ? high * x * y : 0);
    }
}

// ---- barrier ------------------------------------------------------------------------------------

typedef struct Lane {
    double area, stiffness, distance;
    double soft; // s below which it is pushed softly
    double x[3];
} Lane;

static Lane lane_of(const LyObstacle *o, const LyraBatch *batch, int e)
{
    const double *p = batch->parameters;
    return (Lane){.area = p[LY_AREA * W + e],
                  .stiffness = o->stiffness > 0 ? o->stiffness : p[LY_STIFFNESS * W + e],
                  .distance = o->distance > 0 ? o->distance : p[LY_DISTANCE * W + e],
                  .soft = p[LY_MODE * W + e] == LY_SOFT ? LY_HALF_OUT : 0};
}

// adds what a term does at the distance phi, with the gradient n in space. H: of phi; NULL where it
// is left out
static void add_term(const Lane *lane, const double psi[3], const double n[3], const double *H,
                     const LyraBatch *batch, int e)
{
    double Ak = lane->area * lane->stiffness;
    if (batch->energy) {
        batch->energy[e] += Ak * lane->distance * psi[0];
    }
    for (int i = 0; batch->gradient && i < 3; ++i) {
        batch->gradient[i * W + e] += Ak * psi[1] * n[i];
    }
    for (int i = 0; batch->dfdx && i < 9; ++i) {
        batch->dfdx[i * W + e] +=
            Ak * (psi[2] / lane->distance * n[i / 3] * n[i % 3] + (H ? psi[1] * H[i] : 0));
    }
}

static void add_barrier(const LyObstacle *o, const LyPose *pose, const LyraBatch *batch, int e)
{
    Lane lane = lane_of(o, batch, e);
    double q[3], x[3], psi[3];
    for (int i = 0; i < 3; ++i) {
        x[i] = batch->x[i * W + e];
    }
    ly_pose_back(pose, x, q);
    if (ly_shape_is_far(o->shape, q, lane.distance)) {
        return;
    }
    for (int32_t t = 0; t < o->shape->term_count; ++t) {
        const LyTerm *term = &o->shape->terms[t];
        double own[3], n[3], H[9], second[9];
        bool bent = batch->dfdx && !(batch->psd && term->convex);
        double phi = ly_term_distance(term, q, own, bent ? H : NULL);
        if (phi >= ly_reach_of(o) * lane.distance) {
            continue;
        }
        ly_response(o, phi / lane.distance, lane.soft, psi);
        turn(pose, own, n);
        if (batch->rates) {
            double v[3];
            ly_pose_velocity(pose, x, v);
            batch->rates[LYRA_RATE_SUPPLIED * W + e] -=
                lane.area * lane.stiffness * psi[1] * ly_dot3(n, v);
        }
        if (bent) {
            turn_matrix(pose, H, second);
            if (batch->psd) {
                keep_negative(n, second);
            }
        }
        add_term(&lane, psi, n, bent ? second : NULL, batch, e);
    }
}

// The same for an obstacle that goes from the first pose to the second, as a point that stays sees
// it. Where the point is met on the way the distance goes on as it is there to first order: the
// other side of a thin obstacle does not push.
static void add_ahead(const LyObstacle *o, const LyPose poses[2], const LyraBatch *batch, int e)
{
    Lane lane = lane_of(o, batch, e);
    double q[3], last[3], d[3], x[3], psi[3];
    for (int i = 0; i < 3; ++i) {
        x[i] = batch->x[i * W + e];
    }
    ly_pose_back(&poses[0], x, q);
    ly_pose_back(&poses[1], x, last);
    ly_subtract3(last, q, d);
    if (ly_shape_is_far(o->shape, q, ly_length3(d) + lane.distance)) {
        return;
    }
    for (int32_t t = 0; t < o->shape->term_count; ++t) {
        const LyTerm *term = &o->shape->terms[t];
        double own[3], n[3], met = 1;
        double phi = ly_term_distance(term, q, own, NULL), s = phi / lane.distance;
        // what carries more already is as stiff as it is
        double soft = fmax(lane.soft, s > 0 ? fmin(s, LY_GENTLE) : LY_GENTLE);
        if (o->response == LY_BARRIER && phi > 0) {
            met = ly_term_way(term, q, d, phi, fmin(LY_GENTLE * lane.distance, 0.5 * phi));
        }
        const double place[3] = {q[0] + met * d[0], q[1] + met * d[1], q[2] + met * d[2]};
        phi = ly_term_distance(term, place, own, NULL) + (1 - met) * ly_dot3(own, d);
        if (phi < ly_reach_of(o) * lane.distance) {
            ly_response(o, phi / lane.distance, soft, psi);
            turn(&poses[1], own, n);
            add_term(&lane, psi, n, NULL, batch, e);
        }
    }
}

static void clear(const LyraBatch *batch)
{
    if (batch->energy) {
        memset(batch->energy, 0, W * sizeof(double));
    }
    if (batch->gradient) {
        memset(batch->gradient, 0, 3 * W * sizeof(double));
    }
    if (batch->dfdx) {
        memset(batch->dfdx, 0, 9 * W * sizeof(double));
    }
    if (batch->dfdv) {
        memset(batch->dfdv, 0, 9 * W * sizeof(double));
    }
    if (batch->rates) {
        memset(batch->rates, 0, LYRA_RATE_COUNT * W * sizeof(double));
    }
    if (batch->trial_history) {
        memcpy(batch->trial_history, batch->parameters + LY_MODE * W, W * sizeof(double));
    }
}

static void evaluate_barrier(const void *self, const LyraBatch *batch, LyraArena *scratch)
{
    (void)scratch;
    const LyObstacleGroup *group = self;
    clear(batch);
    double from = batch->parameters[LY_TIME * W], to = batch->parameters[LY_AHEAD * W];
    for (int32_t o = 0; o < group->count; ++o) {
        const LyObstacle *obstacle = &group->obstacles[o];
        bool ahead = obstacle->pose && from != to;
        LyPose poses[2];
        ly_obstacle_pose(obstacle, from, &poses[0]);
        if (ahead) {
            ly_obstacle_pose(obstacle, to, &poses[1]);
        }
        for (int e = 0; e < W; ++e) {
            if (ahead) {
                add_ahead(obstacle, poses, batch, e);
            } else {
                add_barrier(obstacle, &poses[0], batch, e);
            }
        }
    }
}

// ---- friction -----------------------------------------------------------------------------------

// (3) and (4) at a speed: R / (mu l), f_1 / y, (f_1' y - f_1) / y^3
static void find_drag(double y, double e, double out[3])
{
    if (y >= e) {
        out[0] = y;
        out[1] = 1 / y;
        out[2] = -1 / (y * y * y);
        return;
    }
    out[0] = y * y / e - y * y * y / (3 * e * e) + e / 3;
    out[1] = (2 - y / e) / e;
    out[2] = y > 0 ? -1 / (e * e * y) : 0;
}

typedef struct Slide {
    double n[3], w[3]; // normal, velocity against the obstacle
    double v[3];       // of the obstacle
    double load;       // mu l
    double slowing;    // c, N s/m
} Slide;

static void add_slide(const LyObstacle *o, const Slide *slide, const LyraBatch *batch, int e)
{
    double along = ly_dot3(slide->n, slide->w), y[3], g[3], drag[3];
    for (int i = 0; i < 3; ++i) {
        y[i] = slide->w[i] - along * slide->n[i];
    }
    double speed = ly_length3(y);
    find_drag(speed, o->slip, drag);
    for (int i = 0; i < 3; ++i) {
        g[i] = slide->load * drag[1] * y[i] + slide->slowing * along * slide->n[i];
    }
    for (int i = 0; batch->gradient && i < 3; ++i) {
        batch->gradient[i * W + e] += g[i];
    }
    if (batch->rates) {
        batch->rates[LYRA_RATE_POTENTIAL * W + e] +=
            slide->load * drag[0] + 0.5 * slide->slowing * along * along;
        batch->rates[LYRA_RATE_LOST * W + e] += ly_dot3(g, slide->w);
        batch->rates[LYRA_RATE_SUPPLIED * W + e] -= ly_dot3(g, slide->v);
    }
    for (int i = 0; batch->dfdv && i < 9; ++i) {
        int k = i / 3, l = i % 3;
        double nn = slide->n[k] * slide->n[l];
        batch->dfdv[i * W + e] +=
            slide->load * (drag[1] * ((k == l ? 1 : 0) - nn) + drag[2] * y[k] * y[l]) +
            slide->slowing * nn;
    }
}

static void add_friction(const LyObstacleGroup *group, const LyObstacle *o, const LyPose poses[2],
                         const LyraBatch *batch, int e)
{
    Lane lane = lane_of(o, batch, e);
    double q[3], x[3], psi[3];
    for (int i = 0; i < 3; ++i) {
        x[i] = batch->parameters[(LY_PLACE + i) * W + e];
    }
    ly_pose_back(&poses[0], x, q);
    if (ly_shape_is_far(o->shape, q, lane.distance)) {
        return;
    }
    bool out = batch->parameters[LY_MODE * W + e] == LY_OUT;
    for (int32_t t = 0; t < o->shape->term_count; ++t) {
        double own[3];
        double phi = ly_term_distance(&o->shape->terms[t], q, own, NULL);
        bool slowed = !out && o->response == LY_BARRIER;
        if (phi >= ly_reach_of(o) * lane.distance || (!slowed && o->friction == 0)) {
            continue;
        }
        Slide slide;
        double length = ly_length3(own), Ak = lane.area * lane.stiffness;
        if (!(length > 0)) {
            continue;
        }
        ly_response(o, phi / lane.distance, lane.soft, psi);
        turn(&poses[0], own, slide.n);
        ly_pose_velocity(&poses[1], x, slide.v);
        slide.load = -o->friction * Ak * psi[1] * length;
        slide.slowing = !slowed ? 0 : SLOWING * Ak * group->dt / lane.distance;
        for (int i = 0; i < 3; ++i) {
            slide.n[i] /= length;
            slide.w[i] = (batch->v ? batch->v[i * W + e] : 0) - slide.v[i];
        }
        add_slide(o, &slide, batch, e);
    }
}

static void evaluate_friction(const void *self, const LyraBatch *batch, LyraArena *scratch)
{
    (void)scratch;
    const LyObstacleGroup *group = self;
    clear(batch);
    for (int32_t o = 0; o < group->count; ++o) {
        LyPose poses[2];
        ly_obstacle_pose(&group->obstacles[o], batch->parameters[LY_TIME * W], &poses[0]);
        ly_obstacle_pose(&group->obstacles[o], batch->time, &poses[1]);
        for (int e = 0; e < W; ++e) {
            add_friction(group, &group->obstacles[o], poses, batch, e);
        }
    }
}

static void release(void *self)
{
    LyObstacleGroup *group = self;
    LyraContext *ctx = group->ctx;
    if (--group->owners > 0) {
        return;
    }
    ly_release(ctx, group->obstacles);
    ly_obstacle_points_release(ctx, &group->points);
    ly_release(ctx, group);
}

static const char *const names[] = {"area",  "stiffness", "distance", "mode",   "time",
                                    "ahead", "place-x",   "place-y",  "place-z"};
static const char *const history_names[] = {"mode"};
static const char *const history_units[] = {""};

#define COMMON(kernel, label, count, bits)                                                         \
    {                                                                                              \
        .name = label, .nodes = 1,                                                                 \
        .traits = LYRA_FORCE_SYMMETRIC | LYRA_FORCE_HISTORY | LYRA_FORCE_RATES | (bits),           \
        .parameter_count = count, .parameter_names = names, .history_count = 1,                    \
        .history_names = history_names, .history_units = history_units, .history_version = 1,      \
        .evaluate = kernel, .destroy = release,                                                    \
    }
#define BARRIER(bits)                                                                              \
    COMMON(evaluate_barrier, "barrier", LY_BARRIER_PARAMETERS, LYRA_FORCE_CONSERVATIVE | (bits))
#define FRICTION(bits)                                                                             \
    COMMON(evaluate_friction, "friction", LY_FRICTION_PARAMETERS, LYRA_FORCE_VELOCITY | (bits))

const LyraForceType ly_barrier_types[2] = {BARRIER(0), BARRIER(LYRA_FORCE_TIME | LYRA_FORCE_MOVES)};
const LyraForceType ly_friction_types[2] = {FRICTION(0), FRICTION(LYRA_FORCE_TIME)};
