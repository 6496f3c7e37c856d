// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// The force of ties. Point p has the displacement u_p, what it is tied to the displacement w_p,
// both weights on vertices. With g_p the gap between the two at rest, s(t) the share of it that is
// kept and m_p(t) the motion that the tie is to make,
//
//   d_p = u_p - w_p + (1 - s) g_p - m_p                                                       (1)
//
// is how far they are from where the tie wants them. A point of a joint leaves directions f free,
// (1 - sum f f^T) d_p is what counts of it. They are those of the joint's own points as the step
// begins: as these keep their distances, points that may part along f alone do not part, and no
// distance is held twice, by the joint and by a rigid body. A compliant tie is a spring, E = k/2
// |d|^2, with damping c the force c d' besides. A hard tie has d = 0, by augmented Lagrangians
// [NW06, section 17.3]:
//
//   E = (l + p) . d + k/2 |d|^2,   dE/du_p = l + p + k d = -dE/dw_p.                          (2)
//
// The multiplier l is history, so it is in the state, checkpoints have it, and it belongs to the
// step that is accepted. p is zero where a step begins, and gains k d where an iteration of
// Newton's method does, but for the first, which stands where nothing was solved yet: Newton's last
// check, whether forces found anew leave the residual as small as it was, thus asks for |k d| below
// its limit. An iteration that begins where p has gained already adds nothing. What is committed is
// l + p + k d, the force that the step ended with. Both kinds are symmetric pairs of forces between
// points, so momentum is kept whatever k is; where the points meet, angular momentum too.
//
// Ties are a changing group over surface points, so that bodies of all kinds can be tied. Keys are
// the numbers of points.

#include "world/tie_force.h"

#include "lyra/embed.h"
#include "math/vec3.h"
#include "world/motion.h"
#include "world/world.h"

#include <string.h>

#define W LYRA_BATCH_WIDTH

enum {
    TIE_STIFFNESS,
    TIE_DAMPING,
    TIE_GAP,                  // g
    TIE_PLACE = TIE_GAP + 3,  // of the point at rest
    TIE_FREE = TIE_PLACE + 3, // f
    TIE_PUSH = TIE_FREE + 6,  // p
    TIE_SEEN = TIE_PUSH + 3   // d where p last gained
};
#define SOFT_COUNT TIE_PUSH
#define HARD_COUNT (TIE_SEEN + 3)

// m and the part of the gap that is gone, at one time
typedef struct Aim {
    LyMotionFrame frame;
    double gone, rate; // 1 - s and its derivative
} Aim;

static Aim aim_at(const LyTie *tie, double time)
{
    LyraRates share = ly_curve_at(&tie->def->gap, time);
    return (Aim){ly_frame_at(&tie->def->rotation, tie->def->displacement, time), 1 - share.value,
                 -share.rate};
}

// what (1) and its derivative have beside u and w: to be added
static void find_aim(const Aim *aim, const double gap[3], const double place[3], double d[3],
                     double rate[3])
{
    double u[3], v[3], a[3];
    ly_frame_move(&aim->frame, place, u, v, a);
    for (int i = 0; i < 3; ++i) {
        d[i] = aim->gone * gap[i] - u[i];
        rate[i] = aim->rate * gap[i] - v[i];
    }
}

// takes away what is along the free directions of a point, [2][3], zeros for none
static void take_free(const double *free, double a[3])
{
    for (int f = 0; f < 2; ++f) {
        const double *t = free + 3 * f;
        double along = a[0] * t[0] + a[1] * t[1] + a[2] * t[2];
        for (int i = 0; i < 3; ++i) {
            a[i] -= along * t[i];
        }
    }
}

// ---- the kernel ---------------------------------------------------------------------------------

// the blocks (0, 0), (0, 1), (1, 1), or (0, 0) alone
static void write_blocks(const double *free, const double *factor, bool both, double *blocks)
{
    memset(blocks, 0, (size_t)(both ? 3 : 1) * 9 * W * sizeof *blocks);
    for (int i = 0; i < 9 * W; ++i) {
        int at = i, r = i / W / 3, c = i / W % 3;
        const double *f = free + i % W;
        double share = (r == c) - f[r * W] * f[c * W] - f[(3 + r) * W] * f[(3 + c) * W];
        double value = share * factor[i % W];
        if (share == 0) {
            continue;
        }
        blocks[at] = value;
        if (both) {
            blocks[9 * W + at] = -value;
            blocks[18 * W + at] = value;
        }
    }
}

static void evaluate(const LyTie *tie, const LyraBatch *batch, bool both, bool hard)
{
    const double *k = batch->parameters + TIE_STIFFNESS * W;
    const double *c = batch->parameters + TIE_DAMPING * W;
    double d[3][W], rate[3][W];
    Aim aim = aim_at(tie, batch->time);
    for (int e = 0; e < W; ++e) {
        double gap[3], place[3], add[3], speed[3];
        for (int i = 0; i < 3; ++i) {
            gap[i] = batch->parameters[(TIE_GAP + i) * W + e];
            place[i] = batch->parameters[(TIE_PLACE + i) * W + e];
        }
        find_aim(&aim, gap, place, add, speed);
        for (int i = 0; i < 3; ++i) {
            int own = i * W + e, other = (3 + i) * W + e;
            d[i][e] = batch->u[own] - (both ? batch->u[other] : 0) + add[i];
            rate[i][e] =
                batch->v ? batch->v[own] - (both ? batch->v[other] : 0) + speed[i] : speed[i];
        }
        for (int i = 0; i < 3; ++i) {
            add[i] = d[i][e];
            speed[i] = rate[i][e];
        }
        double free[6];
        for (int i = 0; i < 6; ++i) {
            free[i] = batch->parameters[(TIE_FREE + i) * W + e];
        }
        take_free(free, add);
        take_free(free, speed);
        for (int i = 0; i < 3; ++i) {
            d[i][e] = add[i];
            rate[i][e] = speed[i];
        }
    }
    if (batch->dfdx) {
        write_blocks(batch->parameters + TIE_FREE * W, k, both, batch->dfdx);
    }
    if (batch->dfdv) {
        write_blocks(batch->parameters + TIE_FREE * W, c, both, batch->dfdv);
    }
    for (int i = 0; i < 3; ++i) {
        for (int e = 0; e < W; ++e) {
            double l =
                hard ? batch->history[i * W + e] + batch->parameters[(TIE_PUSH + i) * W + e] : 0;
            if (batch->energy) {
                batch->energy[e] =
                    (i ? batch->energy[e] : 0) + (l + 0.5 * k[e] * d[i][e]) * d[i][e];
            }
            if (batch->gradient) {
                batch->gradient[i * W + e] = l + k[e] * d[i][e] + c[e] * rate[i][e];
                if (both) {
                    batch->gradient[(3 + i) * W + e] = -batch->gradient[i * W + e];
                }
            }
            if (batch->trial_history) {
                batch->trial_history[i * W + e] = l + k[e] * d[i][e];
            }
        }
    }
}

#define KERNEL(name, both, hard)                                                                   \
    static void name(const void *self, const LyraBatch *batch, LyraArena *scratch)                 \
    {                                                                                              \
        (void)scratch;                                                                             \
        evaluate(self, batch, both, hard);                                                         \
    }
KERNEL(evaluate_world, false, false)
KERNEL(evaluate_bodies, true, false)
KERNEL(evaluate_hard_world, false, true)
KERNEL(evaluate_hard_bodies, true, true)

static void destroy(void *self)
{
    ly_tie_destroy(self);
}

static const char *const names[HARD_COUNT] = {
    "stiffness", "damping", "gap-x",   "gap-y",   "gap-z",   "place-x", "place-y",
    "place-z",   "free-1x", "free-1y", "free-1z", "free-2x", "free-2y", "free-2z",
    "push-x",    "push-y",  "push-z",  "seen-x",  "seen-y",  "seen-z"};
static const LyraParameterKind kinds[HARD_COUNT] = {LYRA_PARAMETER_NOT_NEGATIVE,
                                                    LYRA_PARAMETER_NOT_NEGATIVE};
static const char *const history_names[] = {"force-x", "force-y", "force-z"};
static const char *const history_units[] = {"N", "N", "N"};

#define TRAITS (LYRA_FORCE_SYMMETRIC | LYRA_FORCE_DISPLACEMENT)
#define SOFT(node_count, function, bits)                                                           \
    {                                                                                              \
        .name = "tie", .nodes = node_count, .traits = TRAITS | LYRA_FORCE_LINEAR | (bits),         \
        .parameter_count = SOFT_COUNT, .parameter_names = names, .parameter_kinds = kinds,         \
        .evaluate = function, .destroy = destroy,                                                  \
    }
#define HARD(node_count, function, bits)                                                           \
    {                                                                                              \
        .name = "hard-tie", .nodes = node_count,                                                   \
        .traits = TRAITS | LYRA_FORCE_HISTORY | LYRA_FORCE_CONSTANT | (bits),                      \
        .parameter_count = HARD_COUNT, .parameter_names = names, .parameter_kinds = kinds,         \
        .history_count = 3, .history_names = history_names, .history_units = history_units,        \
        .history_version = 1, .evaluate = function, .destroy = destroy,                            \
    }
#define FOUR(KIND, nodes, function)                                                                \
    {                                                                                              \
        {KIND(nodes, function, LYRA_FORCE_CONSERVATIVE),                                           \
         KIND(nodes, function, LYRA_FORCE_CONSERVATIVE | LYRA_FORCE_TIME)},                        \
        {                                                                                          \
            KIND(nodes, function, LYRA_FORCE_VELOCITY),                                            \
                KIND(nodes, function, LYRA_FORCE_VELOCITY | LYRA_FORCE_TIME)                       \
        }                                                                                          \
    }

// by whether it is hard, whether the other side is a body, whether there is damping, and whether
// time matters
static const LyraForceType types[2][2][2][2] = {
    {FOUR(SOFT, 1, evaluate_world), FOUR(SOFT, 2, evaluate_bodies)},
    {FOUR(HARD, 1, evaluate_hard_world), FOUR(HARD, 2, evaluate_hard_bodies)},
};

// ---- looking ------------------------------------------------------------------------------------

// adds sign times the value of a side's point to out
static void add_point(const LyTieSide *side, int32_t p, double sign, const double *values,
                      double out[3])
{
    for (int32_t k = 0; k < side->nodes; ++k) {
        int64_t at = (int64_t)side->nodes * p + k;
        for (int i = 0; i < 3; ++i) {
            out[i] += sign * side->weights[at] * values[3 * (int64_t)side->vertices[at] + i];
        }
    }
}

// where a point of the body is
static void own_place(const LyTie *tie, int32_t p, const double *u, double x[3])
{
    memcpy(x, tie->places + 3 * (int64_t)p, 3 * sizeof *x);
    add_point(&tie->own, p, 1, u, x);
}

// brings a to length 1, after taking what is along the unit vector t; zeros where nothing is left
static void make_unit(const double *t, double a[3])
{
    double along = t ? ly_dot3(a, t) : 0;
    for (int i = 0; i < 3; ++i) {
        a[i] -= t ? along * t[i] : 0;
    }
    double length = ly_length3(a);
    for (int i = 0; i < 3; ++i) {
        a[i] = length > 0 ? a[i] / length : 0;
    }
}

// the directions that a point leaves free, [2][3], where its body is now
static void find_free(const LyTie *tie, int32_t p, const double *u, double free[6])
{
    double x[3][3];
    memset(free, 0, 6 * sizeof *free);
    if (tie->frame == LY_FRAME_NONE || (p == 0 && tie->frame != LY_FRAME_SLIDER)) {
        return;
    }
    for (int k = 0; k < 3; ++k) {
        own_place(tie, k < tie->count ? k : 0, u, x[k]);
    }
    ly_subtract3(x[1], x[0], free);
    make_unit(NULL, free);
    if (p == 2) {
        ly_subtract3(x[2], x[0], free + 3);
        make_unit(free, free + 3);
    }
}

static void find_gap(const LyTie *tie, int32_t p, double time, const double *u, const double *v,
                     const double *free, double gap[3], double *rate)
{
    Aim aim = aim_at(tie, time);
    double speed[3];
    find_aim(&aim, tie->gaps + 3 * (int64_t)p, tie->places + 3 * (int64_t)p, gap, speed);
    add_point(&tie->own, p, 1, u, gap);
    add_point(&tie->other, p, -1, u, gap);
    take_free(free, gap);
    if (rate) {
        memcpy(rate, speed, sizeof speed);
        add_point(&tie->own, p, 1, v, rate);
        add_point(&tie->other, p, -1, v, rate);
        take_free(free, rate);
    }
}

void ly_tie_gap(const LyTie *tie, int32_t p, double time, const double *u, const double *v,
                double gap[3], double *rate)
{
    double free[6];
    find_free(tie, p, u, free);
    find_gap(tie, p, time, u, v, free, gap, rate);
}

// ---- stencils -----------------------------------------------------------------------------------

static LyraSurfacePoint point_of(const LyTieSide *side, int32_t p)
{
    int64_t at = (int64_t)side->nodes * p;
    return (LyraSurfacePoint){
        .count = side->nodes, .vertices = side->vertices + at, .weights = side->weights + at};
}

// what a set holds, beside the serial of the tie: without pushes, the same in an iteration, pushes
enum { PHASE_NONE, PHASE_FRESH, PHASE_FIRST, PHASE_PUSHED };

// Sets all stencils. `pushes`: those of the set, [count][HARD_COUNT] from its parameters, to which
// k d is added. Nullable: none.
static LyraStatus set_stencils(const LyTie *tie, const LyraUpdate *at, const double *pushes,
                               LyraStencilSet *set)
{
    LY_TRY(lyra_stencil_set_clear(set));
    for (int32_t p = 0; p < tie->count; ++p) {
        LyraSurfacePoint points[2] = {point_of(&tie->own, p)};
        double numbers[HARD_COUNT] = {tie->stiffness[p], tie->def->damping};
        memcpy(numbers + TIE_GAP, tie->gaps + 3 * (int64_t)p, 3 * sizeof *numbers);
        memcpy(numbers + TIE_PLACE, tie->places + 3 * (int64_t)p, 3 * sizeof *numbers);
        if (tie->other.nodes > 0) {
            points[1] = point_of(&tie->other, p);
        }
        const double *before = pushes ? pushes + HARD_COUNT * (int64_t)p : NULL;
        if (!before) {
            find_free(tie, p, at->u, numbers + TIE_FREE);
        } else {
            double d[3];
            memcpy(numbers + TIE_FREE, before + TIE_FREE, 6 * sizeof *numbers);
            find_gap(tie, p, at->time, at->u, NULL, numbers + TIE_FREE, d, NULL);
            for (int i = 0; i < 3; ++i) {
                // read before the stencil is written anew
                numbers[TIE_PUSH + i] = before[TIE_PUSH + i] + tie->stiffness[p] * d[i];
                numbers[TIE_SEEN + i] = d[i];
            }
        }
        LY_TRY(lyra_stencil_set_add(set, (uint64_t)p, points, numbers));
    }
    return LYRA_OK;
}

// whether the points are where the pushes of a set, [count][HARD_COUNT], gained last
static bool was_seen(const LyTie *tie, const LyraUpdate *at, const double *pushes)
{
    bool seen = true;
    for (int32_t p = 0; p < tie->count && seen; ++p) {
        const double *before = pushes + HARD_COUNT * (int64_t)p;
        double d[3];
        find_gap(tie, p, at->time, at->u, NULL, before + TIE_FREE, d, NULL);
        seen = memcmp(d, before + TIE_SEEN, sizeof d) == 0;
    }
    return seen;
}

static LyraStatus update(const void *self, const LyraUpdate *at, LyraStencilSet *set,
                         uint64_t *version)
{
    const LyTie *tie = self;
    uint64_t phase = *version >> 2 == tie->serial ? *version & 3 : PHASE_NONE;
    uint64_t next = PHASE_FRESH;
    if (at->moment == LYRA_UPDATE_ITERATION && phase != PHASE_NONE) {
        next = !tie->def->hard ? PHASE_FRESH : phase == PHASE_FRESH ? PHASE_FIRST : PHASE_PUSHED;
    }
    const double *pushes = next == PHASE_PUSHED ? lyra_stencil_set_view(set).parameters : NULL;
    bool same = pushes ? was_seen(tie, at, pushes) : phase == PHASE_FRESH || phase == PHASE_FIRST;
    // directions are found anew as a step begins
    same &= tie->frame == LY_FRAME_NONE || at->moment == LYRA_UPDATE_ITERATION;
    if (!same) {
        *version = 0;
        LY_TRY(set_stencils(tie, at, pushes, set));
    }
    *version = tie->serial << 2 | next;
    return LYRA_OK;
}

// ---- life ---------------------------------------------------------------------------------------

static void end_side(LyraContext *ctx, LyTieSide *side)
{
    ly_release(ctx, side->vertices);
    ly_release(ctx, side->weights);
}

void ly_tie_destroy(LyTie *tie)
{
    if (tie) {
        end_side(tie->ctx, &tie->own);
        end_side(tie->ctx, &tie->other);
        ly_release(tie->ctx, tie->gaps);
        ly_release(tie->ctx, tie->places);
        ly_release(tie->ctx, tie->stiffness);
        ly_release(tie->ctx, tie);
    }
}

bool ly_tie_is_timed(const LyTie *tie)
{
    bool timed =
        !ly_curve_is_constant(&tie->def->gap) || !ly_curve_is_constant(&tie->def->rotation.angle);
    for (int i = 0; i < 3; ++i) {
        timed |= !ly_curve_is_constant(&tie->def->displacement[i]);
    }
    return timed;
}

LyraStatus ly_tie_make_force(LyTie *take, LyraForce **out)
{
    LyraForceDef def = lyra_force_def_default();
    def.type = &types[take->def->hard][take->other.nodes > 0][take->def->damping > 0]
                     [ly_tie_is_timed(take)];
    def.self = take;
    def.update = update;
    LyraStatus status = lyra_force_create(take->ctx, &def, out);
    if (status != LYRA_OK) {
        ly_tie_destroy(take);
    }
    return status;
}
