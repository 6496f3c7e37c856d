// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Springs of no length from points to targets that may move, X + y(t). A point is a vertex, or has
// the displacement u = sum w_a u_a of four:
//   E = k/2 |u - y|^2,   dE/du_a = w_a k (u - y),   d2E/du_a du_b = w_a w_b k I,
// and against the motion relative to the target the force c (v - y').

#include "world/target_springs.h"

#include "world/curve.h"

#include <string.h>

#define W LYRA_BATCH_WIDTH

typedef struct Targets {
    LyraContext *ctx;
    const LyraCurve *offset; // [3]
    const double *weights;   // [count][4]. Nullable: vertices
} Targets;

#define NODES 4

enum { PARAMETER_STIFFNESS, PARAMETER_DAMPING, PARAMETER_COUNT };

static void evaluate(const void *self, const LyraBatch *batch, LyraArena *scratch)
{
    (void)scratch;
    const Targets *targets = self;
    const double *stiffness = batch->parameters + PARAMETER_STIFFNESS * W;
    const double *damping = batch->parameters + PARAMETER_DAMPING * W;
    if (batch->dfdx) {
        memset(batch->dfdx, 0, 9 * W * sizeof *batch->dfdx);
    }
    if (batch->dfdv) {
        memset(batch->dfdv, 0, 9 * W * sizeof *batch->dfdv);
    }
    for (int i = 0; i < 3; ++i) {
        LyraRates offset = ly_curve_at(&targets->offset[i], batch->time);
        for (int e = 0; e < W; ++e) {
            double d = batch->u[i * W + e] - offset.value;
            double rate = batch->v ? batch->v[i * W + e] - offset.rate : 0;
            if (batch->energy) {
                batch->energy[e] = (i ? batch->energy[e] : 0) + 0.5 * stiffness[e] * d * d;
            }
            if (batch->gradient) {
                batch->gradient[i * W + e] = stiffness[e] * d + damping[e] * rate;
            }
            if (batch->dfdx) {
                batch->dfdx[4 * i * W + e] = stiffness[e];
            }
            if (batch->dfdv) {
                batch->dfdv[4 * i * W + e] = damping[e];
            }
        }
    }
}

static void setup(const void *self, int32_t element, const int32_t *order, double *constants)
{
    const double *weights = ((const Targets *)self)->weights + NODES * (int64_t)element;
    for (int k = 0; k < NODES; ++k) {
        constants[k] = weights[order[k]];
    }
}

// a matrix w_a w_b k I of each pair a <= b
static void fill_blocks(const double *weights, const double *factor, double *blocks)
{
    memset(blocks, 0, (NODES + 1) * NODES / 2 * 9 * W * sizeof *blocks);
    for (int a = 0; a < NODES; ++a) {
        for (int b = a; b < NODES; ++b, blocks += 9 * W) {
            for (int i = 0; i < 3 * W; ++i) {
                int e = i % W;
                blocks[4 * (i / W) * W + e] = weights[a * W + e] * weights[b * W + e] * factor[e];
            }
        }
    }
}

static double weighted(const double *weights, const double *x, int i, int e)
{
    double sum = 0;
    for (int a = 0; a < NODES; ++a) {
        sum += weights[a * W + e] * x[(3 * a + i) * W + e];
    }
    return sum;
}

static void evaluate_points(const void *self, const LyraBatch *batch, LyraArena *scratch)
{
    (void)scratch;
    const Targets *targets = self;
    const double *stiffness = batch->parameters + PARAMETER_STIFFNESS * W;
    const double *damping = batch->parameters + PARAMETER_DAMPING * W;
    const double *w = batch->constants;
    if (batch->dfdx) {
        fill_blocks(w, stiffness, batch->dfdx);
    }
    if (batch->dfdv) {
        fill_blocks(w, damping, batch->dfdv);
    }
    for (int i = 0; i < 3; ++i) {
        LyraRates offset = ly_curve_at(&targets->offset[i], batch->time);
        for (int e = 0; e < W; ++e) {
            double d = weighted(w, batch->u, i, e) - offset.value;
            double rate = batch->v ? weighted(w, batch->v, i, e) - offset.rate : 0;
            if (batch->energy) {
                batch->energy[e] = (i ? batch->energy[e] : 0) + 0.5 * stiffness[e] * d * d;
            }
            for (int a = 0; a < NODES && batch->gradient; ++a) {
                batch->gradient[(3 * a + i) * W + e] =
                    w[a * W + e] * (stiffness[e] * d + damping[e] * rate);
            }
        }
    }
}

static void destroy(void *self)
{
    Targets *targets = self;
    ly_release(targets->ctx, targets);
}

static const char *const names[] = {"stiffness", "damping"};
static const LyraParameterKind kinds[] = {LYRA_PARAMETER_NOT_NEGATIVE, LYRA_PARAMETER_NOT_NEGATIVE};

#define SHARED                                                                                     \
    .name = "target", .parameter_count = PARAMETER_COUNT, .parameter_names = names,                \
    .parameter_kinds = kinds, .destroy = destroy
#define TYPE(bits)                                                                                 \
    {                                                                                              \
        SHARED, .nodes = 1, .traits = bits, .evaluate = evaluate                                   \
    }
#define POINTS(bits)                                                                               \
    {                                                                                              \
        SHARED, .nodes = NODES, .traits = (bits) | LYRA_FORCE_REORDERABLE,                         \
                .constant_count = NODES, .setup = setup, .evaluate = evaluate_points               \
    }

#define TRAITS (LYRA_FORCE_SYMMETRIC | LYRA_FORCE_LINEAR | LYRA_FORCE_DISPLACEMENT)

// by whether points have weights, whether there is damping, and whether the targets move
static const LyraForceType types[2][2][2] = {
    {{TYPE(TRAITS | LYRA_FORCE_CONSERVATIVE),
      TYPE(TRAITS | LYRA_FORCE_CONSERVATIVE | LYRA_FORCE_TIME)},
     {TYPE(TRAITS | LYRA_FORCE_VELOCITY), TYPE(TRAITS | LYRA_FORCE_VELOCITY | LYRA_FORCE_TIME)}},
    {{POINTS(TRAITS | LYRA_FORCE_CONSERVATIVE),
      POINTS(TRAITS | LYRA_FORCE_CONSERVATIVE | LYRA_FORCE_TIME)},
     {POINTS(TRAITS | LYRA_FORCE_VELOCITY),
      POINTS(TRAITS | LYRA_FORCE_VELOCITY | LYRA_FORCE_TIME)}},
};

LyraStatus ly_target_springs_create(LyraContext *ctx, const LyTargetSprings *springs,
                                    LyraForce **out)
{
    Targets *targets = NULL;
    double *parameters = NULL;
    LyraStatus status = LYRA_OK;
    bool timed = false;
    LY_TRY(ly_allocate_zeroed(ctx, 1, sizeof *targets, &targets));
    targets->ctx = ctx;
    targets->offset = springs->offset;
    targets->weights = springs->weights;
    LY_TRY_DONE(ly_allocate_array(ctx, (int64_t)PARAMETER_COUNT * springs->count,
                                  sizeof *parameters, &parameters));
    for (int64_t i = 0; i < springs->count; ++i) {
        parameters[PARAMETER_COUNT * i + PARAMETER_STIFFNESS] = springs->stiffness;
        parameters[PARAMETER_COUNT * i + PARAMETER_DAMPING] = springs->damping;
    }
    for (int i = 0; i < 3; ++i) {
        timed |= !ly_curve_is_constant(&springs->offset[i]);
    }
    LyraForceDef def = lyra_force_def_default();
    def.type = &types[springs->nodes > 1][springs->damping > 0][timed];
    def.self = targets;
    def.stencil_count = springs->count;
    def.stencils = springs->vertices;
    def.parameters = parameters;
    LY_TRY_DONE(lyra_force_create(ctx, &def, out));
    targets = NULL;
done:
    ly_release(ctx, parameters);
    if (targets) {
        destroy(targets);
    }
    return status;
}
