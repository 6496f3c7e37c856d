// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Constraints that are moved by their values, lyra_constraints_set_values(), without derivatives:
// what a device says. The values before a step are those at its end. Along each direction the path
// inside the step is the polynomial p through them and the last values,
//
//   p(t) = sum_k f[x_0 .. x_k] (t - x_0) .. (t - x_{k-1}),   x_0 the end of the step, x_1 its
//   begin, x_2 the begin of the step before ...
//
// with divided differences f[..] for steps of any length; p' and p'' are the velocity and the
// acceleration. A p of degree d has errors O(h^(d+1)), O(h^d) and O(h^(d-1)) at the end of the
// step, so a method of order o gets d = min(o, 3) + 1: then accelerations, and the reactions that
// they enter, are right to order min(o, 3).
//
// Start. The state knows where the constraint is and how fast: x_m, the oldest, counts twice, with
// the velocity for f[x_m, x_m], until there are d old values. It starts anew where directions came,
// went or turned, where the time is not that of the last value, and before a step that is more than
// GROWTH times as long as the last: p would blow up what is not smooth in the old values.
//
// Old values, with their times, are in the state's block "targets"; there is none until a value
// differs from zero. Where the system prescribes a motion of its own, the two are added.

#include "integrate/integrate.h"

#include <math.h>
#include <string.h>

#define BLOCK "targets"
#define GROWTH 4.0
#define DEPTH (LY_TARGET_TERMS - 1) // old values that are kept

// the block: this many old values, whether the oldest has a velocity, a digest of the directions,
// times, newest first; then values [DEPTH][count] and velocities [count]
enum { KNOWN, SLOPED, DIGEST, TIME = DIGEST + 2, HEAD = TIME + DEPTH };

typedef struct Old {
    double *head, *values, *slope;
    int32_t count;
} Old;

static double *old_value(const Old *old, int32_t i)
{
    return old->values + (int64_t)i * old->count;
}

static LyraStatus find_old(LyraState *work, int32_t count, Old *out)
{
    const LyraStateBlockDef def = {
        .name = BLOCK, .version = 1, .count = HEAD + (int64_t)(DEPTH + 1) * count};
    void *block = NULL;
    bool fresh = false;
    LY_TRY(lyra_state_block(work, &def, &block, &fresh));
    double *values = (double *)block + HEAD;
    *out = (Old){block, values, values + (int64_t)DEPTH * count, count};
    return LYRA_OK;
}

static bool is_any_set(const double *values, int32_t count)
{
    int32_t k = 0;
    while (k < count && values[k] == 0) {
        ++k;
    }
    return k < count;
}

static void digest_directions(const LyraSystem *system, double out[2])
{
    uint64_t h = lyra_system_constraint_digest(system);
    out[0] = (double)(h >> 32);
    out[1] = (double)(h & 0xffffffffu);
}

// the part of x along each direction, less that of `own`
static void take_parts(LyraIntegrator *it, const LyraVector *x, const LyraVector *own,
                       int32_t count, double *parts)
{
    double *less = it->targets.p;
    lyra_system_components(it->system, x, parts);
    lyra_system_components(it->system, own, less);
    for (int32_t k = 0; k < count; ++k) {
        parts[k] -= less[k];
    }
}

// takes place and velocity of the state, less what the system prescribes, for the only old value
static void start(LyraIntegrator *it, const LyraState *state, Old *old)
{
    LyraStateView y = lyra_state_view(state);
    LyraVector *const *own = it->prescribed;
    lyra_system_prescribe(it->system, y.time, own[0], own[1], own[2]);
    take_parts(it, y.u, own[0], old->count, old_value(old, 0));
    take_parts(it, y.v, own[1], old->count, old->slope);
    old->head[KNOWN] = 1;
    old->head[SLOPED] = 1;
    old->head[TIME] = y.time;
}

static bool goes_on(const Old *old, double time, double dt, const double digest[2])
{
    const double *head = old->head, *times = head + TIME;
    return head[KNOWN] >= 1 && head[KNOWN] <= DEPTH && head[DIGEST] == digest[0] &&
           head[DIGEST + 1] == digest[1] && fabs(times[0] - time) <= 1e-12 * fabs(time) &&
           (head[KNOWN] < 2 || dt <= GROWTH * (times[0] - times[1]));
}

// the divided differences of all directions
static void fill_terms(LyTargets *targets, const double *values, const Old *old, int32_t known,
                       bool sloped)
{
    int32_t last = known + sloped;
    double *x = targets->x;
    for (int32_t i = 1; i <= last; ++i) {
        x[i] = old->head[TIME + (i <= known ? i : known) - 1];
    }
    targets->terms = last + 1;
    for (int32_t k = 0; k < old->count; ++k) {
        double f[LY_TARGET_TERMS], *c = targets->c + (int64_t)k * LY_TARGET_TERMS;
        f[0] = values[k];
        for (int32_t i = 1; i <= last; ++i) {
            f[i] = old_value(old, (i <= known ? i : known) - 1)[k];
        }
        c[0] = f[0];
        for (int32_t level = 1; level <= last; ++level) {
            for (int32_t j = 0; j + level <= last; ++j) {
                bool twice = sloped && level == 1 && j + 1 == last;
                f[j] = twice ? old->slope[k] : (f[j] - f[j + 1]) / (x[j] - x[j + level]);
            }
            c[level] = f[0];
        }
    }
}

// room for so many directions
static LyraStatus reserve(LyraIntegrator *it, int32_t count)
{
    LyTargets *targets = &it->targets;
    if (count > targets->capacity) {
        LY_TRY(ly_resize_array(it->ctx, (int64_t)count * LY_TARGET_TERMS, sizeof *targets->c,
                               &targets->c));
        LY_TRY(ly_resize_array(it->ctx, 3 * (int64_t)count, sizeof *targets->p, &targets->p));
        targets->capacity = count;
    }
    return LYRA_OK;
}

LyraStatus ly_targets_begin(LyraIntegrator *it, LyraState *work, double dt, double end)
{
    LyTargets *targets = &it->targets;
    int32_t count = lyra_system_constraint_count(it->system);
    const double *values = lyra_system_constraint_values(it->system);
    LyraStateBlock block;
    targets->active = false;
    if (count == 0 || !(is_any_set(values, count) ||
                        lyra_state_find_block(work, BLOCK, LYRA_STATE_METHOD, &block))) {
        return LYRA_OK;
    }
    double digest[2];
    Old old;
    LY_TRY(reserve(it, count));
    LY_TRY(find_old(work, count, &old));
    digest_directions(it->system, digest);
    if (!goes_on(&old, lyra_state_view(work).time, dt, digest)) {
        start(it, work, &old);
        memcpy(old.head + DIGEST, digest, sizeof digest);
    }
    int32_t order = it->type->facts.order, degree = (order < 1 ? 1 : order > 3 ? 3 : order) + 1;
    int32_t known = (int32_t)old.head[KNOWN];
    bool sloped = known < degree && old.head[SLOPED] == 1;
    targets->x[0] = end;
    fill_terms(targets, values, &old, known < degree ? known : degree, sloped);
    targets->active = true;
    return LYRA_OK;
}

void ly_targets_add(const LyraIntegrator *it, double t, LyraVector *u, LyraVector *v, LyraVector *a)
{
    const LyTargets *targets = &it->targets;
    if (!targets->active) {
        return;
    }
    int32_t count = lyra_system_constraint_count(it->system);
    double *out[3] = {targets->p, targets->p + count, targets->p + 2 * (int64_t)count};
    for (int32_t k = 0; k < count; ++k) {
        const double *c = targets->c + (int64_t)k * LY_TARGET_TERMS;
        double p[3] = {c[targets->terms - 1]};
        for (int32_t i = targets->terms - 2; i >= 0; --i) {
            double d = t - targets->x[i];
            p[2] = p[2] * d + 2 * p[1];
            p[1] = p[1] * d + p[0];
            p[0] = p[0] * d + c[i];
        }
        for (int j = 0; j < 3; ++j) {
            out[j][k] = p[j];
        }
    }
    lyra_system_add_components(it->system, out[0], u);
    lyra_system_add_components(it->system, out[1], v);
    lyra_system_add_components(it->system, out[2], a);
}

LyraStatus ly_targets_end(LyraIntegrator *it, LyraState *work)
{
    if (!it->targets.active) {
        return LYRA_OK;
    }
    int32_t count = lyra_system_constraint_count(it->system);
    Old old;
    LY_TRY(find_old(work, count, &old));
    int32_t known = (int32_t)old.head[KNOWN];
    old.head[SLOPED] = old.head[SLOPED] == 1 && known < DEPTH;
    memmove(old.head + TIME + 1, old.head + TIME, (DEPTH - 1) * sizeof(double));
    memmove(old_value(&old, 1), old.values, (size_t)count * (DEPTH - 1) * sizeof(double));
    memcpy(old.values, lyra_system_constraint_values(it->system), (size_t)count * sizeof(double));
    old.head[TIME] = lyra_state_view(work).time;
    old.head[KNOWN] = known < DEPTH ? known + 1 : DEPTH;
    return LYRA_OK;
}
