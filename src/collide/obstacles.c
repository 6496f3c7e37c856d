// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Points against obstacles between evaluations: which way they are held off, where moving obstacles
// are, and how far points may go.
//
// Stencils are all points, one by one, so that energies of all points that a search compares are
// those of one function. The time of the pose is a parameter, and also the number that the set
// keeps (`version`), as bits. It is that of the state where a step begins, and where a solve begins
// again at points that are inside by now. Where an iteration of Newton's method begins it goes on
// towards the time of the stage as far as the points let it; Newton's method then pushes them on.
// Where a step ends it has to arrive, or the step is tried with half the length.
//
// Barriers push points by a fraction of their range per iteration: too little where obstacles are
// fast. So an obstacle that cannot arrive at once is looked ahead for first (LYRA_UPDATE_AHEAD):
// forces are those of a barrier at its next place that stays finite inside, which moves the body
// out of the way as a whole. Then points and obstacle go there together, as far as they stay apart.
//
// How far a pose goes. A point x at the distance phi from the obstacle at time a has at time b the
// distance phi at M x, seen from a, with M the motion from b back to a: at least phi - |M x - x|.
// So the time may go on until |M x - x| is what phi has to spare for some point, and from there
// again [LKJ21]. Points are moved in the same way, with the obstacle
// at rest; where the shape is convex the tangent of the distance along the way is a lower bound and
// takes the place of its length.
//
// Points that are inside at first (LY_SOFT) are pushed by a force that stays finite and slowed, may
// go anywhere, and count as out when half the range of the barrier is behind them; slowed
// (LY_SLOWED) they go on until they have left it. The mode is history.

#include "collide/obstacles.h"

#include "math/vec3.h"

#include <float.h>
#include <math.h>
#include <string.h>

#define NEAR 0.9      // of a distance may be used up
#define LITTLE 0.1    // of what may be used up: not worth a further look
#define STEPS_MAX 64  // of a pose on its way, and of a point
#define ALL_OUT 0.95  // s at which a slowed one is let go
#define SHARES_MAX 32 // of a motion of points and obstacles together
#define ROUNDING (1e3 * DBL_EPSILON)
#define POSES 16 // that are kept at hand

// ---- points -------------------------------------------------------------------------------------

void ly_obstacle_place(const LyObstaclePoints *points, int32_t p, const double *positions,
                       const double *u, double x[3])
{
    x[0] = x[1] = x[2] = 0;
    for (int64_t k = points->start[p]; k < points->start[p + 1]; ++k) {
        int64_t at = 3 * (int64_t)points->vertices[k];
        for (int i = 0; i < 3; ++i) {
            x[i] +=
                points->weights[k] * ((positions ? positions[at + i] : 0) + (u ? u[at + i] : 0));
        }
    }
}

// poses of all obstacles at one time; those that do not fit are found each time
typedef struct Poses {
    double time;
    LyPose first[POSES];
} Poses;

static void find_poses(const LyObstacleGroup *group, double time, Poses *out)
{
    out->time = time;
    for (int32_t o = 0; o < POSES && o < group->count; ++o) {
        ly_obstacle_pose(&group->obstacles[o], time, &out->first[o]);
    }
}

static const LyPose *pose_of(const LyObstacleGroup *group, const Poses *poses, int32_t o,
                             LyPose *room)
{
    if (o < POSES) {
        return &poses->first[o];
    }
    ly_obstacle_pose(&group->obstacles[o], poses->time, room);
    return room;
}

// least distance over ranges of barriers: s, of point p at x from all obstacles
static double find_share(const LyObstacleGroup *group, const Poses *poses, int32_t p,
                         const double x[3])
{
    double least = 2;
    for (int32_t o = 0; o < group->count; ++o) {
        const LyObstacle *obstacle = &group->obstacles[o];
        double range = obstacle->distance > 0 ? obstacle->distance : group->points.distance[p],
               q[3];
        LyPose room;
        if (obstacle->response != LY_BARRIER) {
            continue;
        }
        ly_pose_back(pose_of(group, poses, o, &room), x, q);
        if (ly_shape_is_far(obstacle->shape, q, range)) {
            continue;
        }
        for (int32_t t = 0; t < obstacle->shape->term_count; ++t) {
            double n[3];
            least = fmin(least, ly_term_distance(&obstacle->shape->terms[t], q, n, NULL) / range);
        }
    }
    return least;
}

static int next_mode(bool known, double before, double s)
{
    if (!known) {
        return s < LY_HALF_OUT ? LY_SOFT : s < ALL_OUT ? LY_SLOWED : LY_OUT;
    }
    if (!(s > 0)) {
        return LY_SOFT;
    }
    if (before == LY_SOFT) {
        return s < LY_HALF_OUT ? LY_SOFT : s < ALL_OUT ? LY_SLOWED : LY_OUT;
    }
    return before == LY_SLOWED && s < ALL_OUT ? LY_SLOWED : LY_OUT;
}

// all stencils; modes and places of a step that begins, or those of the set
static LyraStatus set_stencils(const LyObstacleGroup *group, const LyraUpdate *at,
                               const double times[2], bool fresh, int32_t count,
                               LyraStencilSet *set)
{
    const LyObstaclePoints *points = &group->points;
    const double *kept = fresh ? NULL : lyra_stencil_set_view(set).parameters;
    bool known = at->known == points->count;
    Poses poses;
    find_poses(group, times[0], &poses);
    LY_TRY(lyra_stencil_set_clear(set));
    for (int32_t p = 0; p < points->count; ++p) {
        double numbers[LY_FRICTION_PARAMETERS] = {points->area[p], points->stiffness[p],
                                                  points->distance[p]};
        int64_t entry = points->start[p];
        const LyraSurfacePoint point = {.count = (int32_t)(points->start[p + 1] - entry),
                                        .vertices = points->vertices + entry,
                                        .weights = points->weights + entry};
        if (fresh) {
            double *x = numbers + LY_PLACE;
            ly_obstacle_place(points, p, at->positions, at->u, x);
            numbers[LY_MODE] =
                next_mode(known, known ? at->history[p] : 0, find_share(group, &poses, p, x));
        } else {
            // read before the stencil is written anew
            memcpy(numbers, kept + (int64_t)count * p, (size_t)count * sizeof *numbers);
        }
        numbers[LY_TIME] = times[0];
        numbers[LY_AHEAD] = times[1];
        LY_TRY(lyra_stencil_set_add(set, (uint64_t)p, &point, numbers));
    }
    return LYRA_OK;
}

// ---- the time of poses --------------------------------------------------------------------------

// no time has the bits 0
static uint64_t pack_time(double time)
{
    uint64_t bits;
    double value = time == 0 ? -0.0 : time;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static double unpack_time(uint64_t bits)
{
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

// a lower bound of the distance of x from an obstacle at a pose, negative inside
static double find_gap(const LyObstacle *o, const LyPose *pose, const double x[3])
{
    double least = INFINITY, n[3], q[3];
    ly_pose_back(pose, x, q);
    for (int32_t t = 0; t < o->shape->term_count; ++t) {
        least = fmin(least, ly_term_distance(&o->shape->terms[t], q, n, NULL) /
                                o->shape->terms[t].lipschitz);
    }
    return least;
}

// how far x moves, as seen from an obstacle that goes from pose a to b
static double find_way(const LyPose *a, const LyPose *b, const double x[3])
{
    double p[3], q[3], d[3];
    ly_pose_back(a, x, p);
    ly_pose_back(b, x, q);
    ly_subtract3(q, p, d);
    return ly_length3(d);
}

typedef struct Advance {
    const LyObstacleGroup *group;
    const LyObstacle *obstacle;
    const double *parameters; // of the stencils
    const LyraUpdate *at;
    LyPose first; // where it was, with the distances a tenth of which is kept
} Advance;

// whether point p, at x, counts for an obstacle that moves from pose a to b, and how far it seems
// to
static bool find_moved(const Advance *advance, int32_t p, const LyPose *a, const LyPose *b,
                       double x[3], double *way)
{
    double q[3];
    if (advance->parameters[(int64_t)LY_BARRIER_PARAMETERS * p + LY_MODE] == LY_SOFT) {
        return false;
    }
    ly_obstacle_place(&advance->group->points, p, advance->at->positions, advance->at->u, x);
    *way = find_way(a, b, x);
    ly_pose_back(a, x, q);
    return *way > 0 && !ly_shape_is_far(advance->obstacle->shape, q, *way / NEAR);
}

// What x may seem to move from pose a on. Inside of a step a quarter of the barrier is left, and
// most of what is less, as Newton's method goes astray on forces that grow manyfold.
static double find_room(const Advance *advance, int32_t p, const LyPose *a, const double x[3])
{
    const LyObstacle *o = advance->obstacle;
    double range = o->distance > 0 ? o->distance : advance->group->points.distance[p];
    double first = find_gap(o, &advance->first, x), kept = (1 - NEAR) * first;
    if (advance->at->moment != LYRA_UPDATE_END) {
        kept = first > LY_GENTLE * range ? LY_GENTLE * range : NEAR * first;
    }
    return find_gap(o, a, x) - kept;
}

// the time that an obstacle may go on to from `from` towards `to` in one go
static double advance_once(const Advance *advance, double from, double to)
{
    int32_t count = advance->group->points.count;
    LyPose a, b;
    double best = 1, x[3], way;
    ly_obstacle_pose(advance->obstacle, from, &a);
    ly_obstacle_pose(advance->obstacle, to, &b);
    for (int32_t p = 0; p < count; ++p) {
        if (find_moved(advance, p, &a, &b, x, &way)) {
            double room = find_room(advance, p, &a, x);
            best = fmin(best, room > 0 ? room / way : 0);
        }
    }
    if (best >= 1) {
        return to;
    }
    // ways need not be proportional to times
    double share = NEAR * best;
    for (int trial = 0; trial < STEPS_MAX && share > 0; ++trial, share *= 0.5) {
        double time = from + share * (to - from);
        bool can = true;
        ly_obstacle_pose(advance->obstacle, time, &b);
        for (int32_t p = 0; can && p < count; ++p) {
            can = !find_moved(advance, p, &a, &b, x, &way) || find_room(advance, p, &a, x) >= way;
        }
        if (can) {
            return time;
        }
    }
    return from;
}

// the time that all obstacles may go on to
static double advance_poses(const LyObstacleGroup *group, const LyraUpdate *at,
                            const double *parameters, double from)
{
    Advance advance = {.group = group, .at = at, .parameters = parameters};
    double reached = at->time;
    for (int32_t o = 0; o < group->count; ++o) {
        advance.obstacle = &group->obstacles[o];
        if (!advance.obstacle->pose || advance.obstacle->response != LY_BARRIER) {
            continue;
        }
        ly_obstacle_pose(advance.obstacle, from, &advance.first);
        double time = from;
        for (int32_t step = 0; step < STEPS_MAX && time != reached; ++step) {
            double next = advance_once(&advance, time, reached);
            if (next == time) {
                break;
            }
            time = next;
        }
        // the next ones go on to there at most
        reached = time;
    }
    return reached;
}

// whether all points that are held off are out of all obstacles that move
static bool is_outside(const LyObstacleGroup *group, const LyraUpdate *at, const double *parameters,
                       double time)
{
    for (int32_t o = 0; o < group->count; ++o) {
        LyPose pose;
        if (!group->obstacles[o].pose || group->obstacles[o].response != LY_BARRIER) {
            continue;
        }
        ly_obstacle_pose(&group->obstacles[o], time, &pose);
        for (int32_t p = 0; p < group->points.count; ++p) {
            double x[3];
            ly_obstacle_place(&group->points, p, at->positions, at->u, x);
            if (parameters[(int64_t)LY_BARRIER_PARAMETERS * p + LY_MODE] != LY_SOFT &&
                !(find_gap(&group->obstacles[o], &pose, x) > 0)) {
                return false;
            }
        }
    }
    return true;
}

// where the obstacles of a step that goes on are now, times[0], and where forces look, times[1]
static void find_times(const LyObstacleGroup *group, const LyraUpdate *at, const double *parameters,
                       double times[2])
{
    double from = times[0];
    times[1] = from;
    switch (at->moment) {
    case LYRA_UPDATE_SOLVE:
        times[0] = is_outside(group, at, parameters, from) ? from : at->begin;
        break;
    case LYRA_UPDATE_AHEAD:
        times[0] = at->share < 1 ? from : advance_poses(group, at, parameters, from);
        if (times[0] != at->time) {
            times[0] = from;
            times[1] = from + at->share * (at->time - from);
            *at->ahead = times[1] != from;
            return;
        }
        break;
    case LYRA_UPDATE_MOVED:
        // all of it to the last bit
        times[0] = at->share == 1 ? parameters[LY_AHEAD]
                                  : from + at->share * (parameters[LY_AHEAD] - from);
        break;
    default:
        times[0] = advance_poses(group, at, parameters, from);
    }
    times[1] = times[0];
}

LyraStatus ly_obstacle_update(const void *self, const LyraUpdate *at, LyraStencilSet *set,
                              uint64_t *version)
{
    const LyObstacleGroup *group = self;
    bool begins = at->moment == LYRA_UPDATE_STEP || *version == 0;
    double times[2] = {at->time, at->time};
    if (!begins) {
        const double *parameters = lyra_stencil_set_view(set).parameters;
        times[0] = unpack_time(*version);
        if (!group->moves || group->points.count == 0 ||
            (times[0] == at->time && parameters[LY_AHEAD] == at->time)) {
            return LYRA_OK;
        }
        double from = times[0];
        find_times(group, at, parameters, times);
        if (at->moment == LYRA_UPDATE_END && times[0] != at->time) {
            return ly_fail(LYRA_NOT_CONVERGED,
                           "a body is in the way of an obstacle that moves, at %g s", times[0]);
        }
        if (times[0] == from && times[1] == parameters[LY_AHEAD]) {
            return LYRA_OK;
        }
    }
    *version = 0;
    LY_TRY(set_stencils(group, at, times, begins, LY_BARRIER_PARAMETERS, set));
    *version = pack_time(times[0]);
    return LYRA_OK;
}

static bool has_friction(const LyObstacleGroup *group)
{
    bool any = false;
    for (int32_t o = 0; o < group->count; ++o) {
        any |= group->obstacles[o].friction > 0;
    }
    return any;
}

LyraStatus ly_friction_update(const void *self, const LyraUpdate *at, LyraStencilSet *set,
                              uint64_t *version)
{
    if (at->moment == LYRA_UPDATE_STEP || *version == 0) {
        const double times[2] = {at->time, at->time};
        *version = 0;
        LY_TRY(lyra_stencil_set_clear(set));
        if (has_friction(self)) {
            LY_TRY(set_stencils(self, at, times, true, LY_FRICTION_PARAMETERS, set));
        }
        *version = pack_time(at->time);
    }
    return LYRA_OK;
}

// ---- bounds -------------------------------------------------------------------------------------

double ly_term_way(const LyTerm *term, const double q[3], const double d[3], double first,
                   double floor)
{
    double n[3], t = 0, gap = first, length = ly_length3(d);
    if (gap - floor > term->lipschitz * length) {
        return 1;
    }
    ly_term_distance(term, q, n, NULL);
    double slope = term->convex ? -ly_dot3(n, d) : term->lipschitz * length;
    if (slope <= 0) {
        return 1;
    }
    if (!(gap > ROUNDING * (ly_length3(q) + length))) {
        return 0;
    }
    for (int32_t step = 0; step < STEPS_MAX && slope > 0; ++step) {
        double move = (gap - floor) / slope;
        if (!(t + move < 1)) {
            return 1;
        }
        // what is left is not worth a further look
        if (move <= 0 || (step > 0 && gap - floor < LITTLE * (first - floor))) {
            return t;
        }
        t += move;
        const double x[3] = {q[0] + t * d[0], q[1] + t * d[1], q[2] + t * d[2]};
        gap = ly_term_distance(term, x, n, NULL);
        slope = term->convex ? -ly_dot3(n, d) : slope;
    }
    return slope > 0 ? t : 1;
}

// A motion of a point, whose barrier begins at `distance`, that an obstacle sees, from q along d.
static double bound_seen(double distance, const LyObstacle *o, const double q[3], const double d[3],
                         bool together, double bound)
{
    double length = ly_length3(d), n[3];
    double range = o->distance > 0 ? o->distance : distance;
    if (!(length > 0) || ly_shape_is_far(o->shape, q, length + range)) {
        return bound;
    }
    for (int32_t t = 0; t < o->shape->term_count; ++t) {
        double first = ly_term_distance(&o->shape->terms[t], q, n, NULL);
        // what goes together keeps more apart, as it is not judged by its forces
        double floor = together ? fmin(LY_GENTLE * range, 0.5 * first) : (1 - NEAR) * first;
        bound = fmin(bound, ly_term_way(&o->shape->terms[t], q, d, first, floor));
    }
    return bound;
}

// points that go along `share` of d, and obstacles that go from one set of poses to another
static double bound_share(const LyObstacleGroup *group, const double *parameters,
                          const Poses poses[2], const double *positions, const double *u,
                          const double *d, double share)
{
    bool together = poses[0].time != poses[1].time;
    double bound = 1;
    for (int32_t p = 0; p < group->points.count; ++p) {
        double x[3], way[3];
        if (parameters[(int64_t)LY_BARRIER_PARAMETERS * p + LY_MODE] == LY_SOFT) {
            continue;
        }
        ly_obstacle_place(&group->points, p, positions, u, x);
        ly_obstacle_place(&group->points, p, NULL, d, way);
        const double end[3] = {x[0] + share * way[0], x[1] + share * way[1], x[2] + share * way[2]};
        for (int32_t o = 0; o < group->count; ++o) {
            double q[3], last[3], seen[3];
            LyPose room[2];
            if (group->obstacles[o].response != LY_BARRIER) {
                continue;
            }
            ly_pose_back(pose_of(group, &poses[0], o, &room[0]), x, q);
            ly_pose_back(pose_of(group, &poses[1], o, &room[1]), end, last);
            ly_subtract3(last, q, seen);
            bound = bound_seen(group->points.distance[p], &group->obstacles[o], q, seen,
                               together && group->obstacles[o].pose, bound);
        }
    }
    return bound;
}

double ly_obstacle_bound(const void *self, const LyraStencilSet *set, int32_t vertex_count,
                         const double *positions, const double *u, const double *d)
{
    (void)vertex_count;
    const LyObstacleGroup *group = self;
    LyraStencilSetView view = lyra_stencil_set_view(set);
    Poses poses[2];
    if (view.count == 0) {
        return 1;
    }
    double from = view.parameters[LY_TIME], to = view.parameters[LY_AHEAD], share = 1;
    find_poses(group, from, &poses[0]);
    if (from == to) {
        return bound_share(group, view.parameters, (const Poses[2]){poses[0], poses[0]}, positions,
                           u, d, 1);
    }
    // ways need not be proportional to shares
    for (int trial = 0; trial < SHARES_MAX && share > 0; ++trial) {
        find_poses(group, from + share * (to - from), &poses[1]);
        double part = bound_share(group, view.parameters, poses, positions, u, d, share);
        if (part >= 1) {
            return share;
        }
        share *= part * (trial == 0 ? 1 - ROUNDING : NEAR);
    }
    return 0;
}
