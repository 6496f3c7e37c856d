// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Springs of no length from vertices to targets that may move, X + y(t):
//   E = k/2 |u - y|^2,   dE/du = k (u - y),   d2E/du2 = k I,
// and against the motion relative to the target the force c (v - y').

#include "scene/yaml.h"

#include <string.h>

#define W LYRA_BATCH_WIDTH

typedef struct Targets {
    LyraContext *ctx;
    const LyCurves *offset;
} Targets;

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
        LyJet offset = ly_curve_at(&targets->offset->axis[i], batch->time);
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

static void destroy(void *self)
{
    Targets *targets = self;
    ly_release(targets->ctx, targets);
}

static const char *const names[] = {"stiffness", "damping"};
static const LyraParameterKind kinds[] = {LYRA_PARAMETER_NOT_NEGATIVE, LYRA_PARAMETER_NOT_NEGATIVE};

#define TYPE(bits)                                                                                 \
    {                                                                                              \
        .name = "target", .nodes = 1, .traits = bits, .parameter_count = PARAMETER_COUNT,          \
        .parameter_names = names, .parameter_kinds = kinds, .evaluate = evaluate,                  \
        .destroy = destroy,                                                                        \
    }

#define TRAITS (LYRA_FORCE_SYMMETRIC | LYRA_FORCE_LINEAR | LYRA_FORCE_DISPLACEMENT)

// by whether there is damping, and whether the targets move
static const LyraForceType types[2][2] = {
    {TYPE(TRAITS | LYRA_FORCE_CONSERVATIVE),
     TYPE(TRAITS | LYRA_FORCE_CONSERVATIVE | LYRA_FORCE_TIME)},
    {TYPE(TRAITS | LYRA_FORCE_VELOCITY), TYPE(TRAITS | LYRA_FORCE_VELOCITY | LYRA_FORCE_TIME)},
};

LyraStatus ly_target_springs_create(LyraContext *ctx, int32_t count, const int32_t *vertices,
                                    double stiffness, double damping, const LyCurves *offset,
                                    LyraForce **out)
{
    Targets *targets = NULL;
    double *parameters = NULL;
    LyraStatus status = LYRA_OK;
    bool timed = false;
    LY_TRY(ly_allocate_zeroed(ctx, 1, sizeof *targets, &targets));
    targets->ctx = ctx;
    targets->offset = offset;
    LY_TRY_DONE(
        ly_allocate_array(ctx, (int64_t)PARAMETER_COUNT * count, sizeof *parameters, &parameters));
    for (int32_t i = 0; i < count; ++i) {
        parameters[PARAMETER_COUNT * (int64_t)i + PARAMETER_STIFFNESS] = stiffness;
        parameters[PARAMETER_COUNT * (int64_t)i + PARAMETER_DAMPING] = damping;
    }
    for (int i = 0; i < 3; ++i) {
        timed |= !ly_curve_is_constant(&offset->axis[i]);
    }
    LyraForceDef def = lyra_force_def_default();
    def.type = &types[damping > 0][timed];
    def.self = targets;
    def.stencil_count = count;
    def.stencils = vertices;
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
