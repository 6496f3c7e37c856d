// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// The force that keeps the shape of rigid bodies. A body is four particles, as those of affine
// bodies (force/affine.c), with x = A X + t, A = 1 + H, H = sum u_p g_p^T and g_p = L^-T s_p / 4.
// In a step that turns a free body by the rotation vector a in rest axes each particle goes along
// its chord, so that after the share s of the step
//
//   A_s = R ((1 - s) + s E),   A_s^T A_s = 1 - s (1 - s) D,   D = |d|^2 - d d^T,
//   E = exp [a],   d = 2 sin(|a| / 2) a / |a|.
//
// The energy is that of an affine body about this metric, E = k |X|^2 with k = Y V / 8 and
//
//   X = A^T A - A_s^T A_s = H + H^T + H^T H + s (1 - s) D.
//
// It is zero all along the way of a free body, and at the end of a step for every rotation. With
// P = 4 k A X the gradient at p is P g_p, and the block between p and q
//
//   4 k (1 (g_p . X g_q) + (A g_q) (A g_p)^T + A A^T (g_p . g_q)).

#include "rigid/rigid.h"

#include <math.h>
#include <string.h>

#define W LYRA_BATCH_WIDTH
#define NODES LYRA_AFFINE_PARTICLES

enum { PARAMETER_STIFFNESS, PARAMETER_COUNT };

// of all bodies
typedef struct Shapes {
    LyraContext *ctx;
    double *slopes; // g_p, [count][4][3]
} Shapes;

static void setup(const void *self, int32_t element, const int32_t *order, double *constants)
{
    const Shapes *shapes = self;
    for (int p = 0; p < NODES; ++p) {
        memcpy(constants + 3 * p, shapes->slopes + 12 * (int64_t)element + 3 * (int64_t)order[p],
               3 * sizeof *constants);
    }
}

// what a lane is evaluated from
typedef struct Lane {
    double g[NODES][3], A[3][3], X[3][3], k;
} Lane;

static void gather(const LyraBatch *batch, int e, Lane *lane)
{
    double H[3][3] = {{0}}, chord[3], square = 0;
    lane->k = batch->parameters[PARAMETER_STIFFNESS * W + e];
    for (int p = 0; p < NODES; ++p) {
        for (int j = 0; j < 3; ++j) {
            lane->g[p][j] = batch->constants[(3 * p + j) * W + e];
            for (int i = 0; i < 3; ++i) {
                H[i][j] += batch->u[(3 * p + i) * W + e] * lane->g[p][j];
            }
        }
    }
    for (int i = 0; i < 3; ++i) {
        chord[i] = batch->history[(LY_RIGID_CHORD + i) * W + e];
        square += chord[i] * chord[i];
    }
    double span = batch->history[LY_RIGID_SPAN * W + e];
    double s = span > 0 ? (batch->time - batch->history[LY_RIGID_BEGIN * W + e]) / span : 1;
    s = fmin(fmax(s, 0), 1);
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) {
            lane->A[i][j] = (i == j) + H[i][j];
            lane->X[i][j] = H[i][j] + H[j][i] + H[0][i] * H[0][j] + H[1][i] * H[1][j] +
                            H[2][i] * H[2][j] +
                            s * (1 - s) * ((i == j) * square - chord[i] * chord[j]);
        }
    }
}

static void write_gradient(const LyraBatch *batch, int e, const Lane *lane)
{
    for (int i = 0; i < 3; ++i) {
        double P[3];
        for (int j = 0; j < 3; ++j) {
            P[j] = 4 * lane->k *
                   (lane->A[i][0] * lane->X[0][j] + lane->A[i][1] * lane->X[1][j] +
                    lane->A[i][2] * lane->X[2][j]);
        }
        for (int p = 0; p < NODES; ++p) {
            const double *g = lane->g[p];
            batch->gradient[(3 * p + i) * W + e] = P[0] * g[0] + P[1] * g[1] + P[2] * g[2];
        }
    }
}

// the part of X that pulls
static void clamp(Lane *lane)
{
    LyraMat3 X;
    memcpy(X.m, lane->X, sizeof X.m);
    LyraEigen3 eigen = lyra_mat3_eigen(X);
    const double values[3] = {fmax(eigen.values.x, 0), fmax(eigen.values.y, 0),
                              fmax(eigen.values.z, 0)};
    for (int i = 0; i < 9; ++i) {
        lane->X[i / 3][i % 3] = 0;
        for (int n = 0; n < 3; ++n) {
            lane->X[i / 3][i % 3] +=
                values[n] * eigen.vectors.m[i / 3][n] * eigen.vectors.m[i % 3][n];
        }
    }
}

// blocks (a, b) with a < b
static void write_blocks(const LyraBatch *batch, int e, Lane *lane)
{
    double B[3][3], Ag[NODES][3];
    if (batch->psd) {
        clamp(lane);
    }
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) {
            B[i][j] = lane->A[i][0] * lane->A[j][0] + lane->A[i][1] * lane->A[j][1] +
                      lane->A[i][2] * lane->A[j][2];
        }
        for (int p = 0; p < NODES; ++p) {
            const double *g = lane->g[p];
            Ag[p][i] = lane->A[i][0] * g[0] + lane->A[i][1] * g[1] + lane->A[i][2] * g[2];
        }
    }
    int block = 0;
    for (int a = 0; a < NODES; ++a) {
        for (int b = a + 1; b < NODES; ++b, ++block) {
            const double *g = lane->g[a], *h = lane->g[b];
            double stress = 0, dot = g[0] * h[0] + g[1] * h[1] + g[2] * h[2];
            for (int i = 0; i < 9; ++i) {
                stress += g[i / 3] * lane->X[i / 3][i % 3] * h[i % 3];
            }
            for (int i = 0; i < 9; ++i) {
                batch->dfdx[(9 * block + i) * W + e] =
                    4 * lane->k *
                    ((i % 4 == 0) * stress + Ag[b][i / 3] * Ag[a][i % 3] + B[i / 3][i % 3] * dot);
            }
        }
    }
}

static void evaluate(const void *self, const LyraBatch *batch, LyraArena *scratch)
{
    (void)self, (void)scratch;
    for (int e = 0; e < W; ++e) {
        if (e >= batch->count) {
            // lanes without a stencil are read by nobody, but kept finite
            for (int i = 0; batch->energy && i < 1; ++i) {
                batch->energy[e] = 0;
            }
            for (int i = 0; batch->gradient && i < 3 * NODES; ++i) {
                batch->gradient[i * W + e] = 0;
            }
            for (int i = 0; batch->dfdx && i < 54; ++i) {
                batch->dfdx[i * W + e] = 0;
            }
            for (int i = 0; batch->trial_history && i < LY_RIGID_HISTORY; ++i) {
                batch->trial_history[i * W + e] = 0;
            }
            continue;
        }
        Lane lane;
        gather(batch, e, &lane);
        if (batch->energy) {
            double sum = 0;
            for (int i = 0; i < 9; ++i) {
                sum += lane.X[i / 3][i % 3] * lane.X[i / 3][i % 3];
            }
            batch->energy[e] = lane.k * sum;
        }
        if (batch->gradient) {
            write_gradient(batch, e, &lane);
        }
        if (batch->dfdx) {
            write_blocks(batch, e, &lane);
        }
        for (int i = 0; batch->trial_history && i < LY_RIGID_HISTORY; ++i) {
            batch->trial_history[i * W + e] = batch->history[i * W + e];
        }
    }
}

static void destroy(void *self)
{
    Shapes *shapes = self;
    ly_release(shapes->ctx, shapes->slopes);
    ly_release(shapes->ctx, shapes);
}

static const char *const parameter_names[PARAMETER_COUNT] = {"stiffness"};
static const LyraParameterKind parameter_kinds[PARAMETER_COUNT] = {LYRA_PARAMETER_NOT_NEGATIVE};
static const char *const history_names[LY_RIGID_HISTORY] = {"chord-x", "chord-y", "chord-z",
                                                            "begin", "span"};
static const char *const history_units[LY_RIGID_HISTORY] = {"", "", "", "s", "s"};

static const LyraForceType type = {
    .name = "rigid",
    .nodes = NODES,
    .traits = LYRA_FORCE_CONSERVATIVE | LYRA_FORCE_SYMMETRIC | LYRA_FORCE_TRANSLATION_INVARIANT |
              LYRA_FORCE_HISTORY | LYRA_FORCE_REORDERABLE | LYRA_FORCE_TIME |
              LYRA_FORCE_DISPLACEMENT,
    .constant_count = 3 * NODES,
    .parameter_count = PARAMETER_COUNT,
    .parameter_names = parameter_names,
    .parameter_kinds = parameter_kinds,
    .history_count = LY_RIGID_HISTORY,
    .history_names = history_names,
    .history_units = history_units,
    .history_version = 1,
    .setup = setup,
    .evaluate = evaluate,
    .destroy = destroy,
};

// g_p: weights are linear in the place, w_p(X) = 1/4 + g_p . (X - c)
static void find_slopes(const LyraAffine *affine, double *slopes)
{
    LyraAffineView view = lyra_affine_view(affine);
    double at_center[NODES], at[NODES];
    lyra_affine_weights(affine, view.center, at_center);
    for (int j = 0; j < 3; ++j) {
        double point[3] = {view.center[0], view.center[1], view.center[2]};
        // a step of the body's own size keeps the digits
        double size = fabs(view.positions[j] - view.center[j]);
        for (int p = 1; p < NODES; ++p) {
            size = fmax(size, fabs(view.positions[3 * p + j] - view.center[j]));
        }
        point[j] += size;
        double moved = point[j] - view.center[j];
        lyra_affine_weights(affine, point, at);
        for (int p = 0; p < NODES; ++p) {
            slopes[3 * p + j] = (at[p] - at_center[p]) / moved;
        }
    }
}

LyraStatus ly_rigid_shapes_create(LyraContext *ctx, int32_t count, const LyRigidShape *shapes,
                                  LyraForce **out)
{
    Shapes *self = NULL;
    int32_t *stencils = NULL;
    double *stiffness = NULL;
    LyraForce *made = NULL;
    LyraStatus status = LYRA_OK;
    LY_TRY(ly_allocate_zeroed(ctx, 1, sizeof *self, &self));
    self->ctx = ctx;
    LY_TRY_DONE(ly_allocate_array(ctx, 12 * (int64_t)count, sizeof *self->slopes, &self->slopes));
    LY_TRY_DONE(ly_allocate_array(ctx, NODES * (int64_t)count, sizeof *stencils, &stencils));
    LY_TRY_DONE(ly_allocate_array(ctx, count, sizeof *stiffness, &stiffness));
    for (int32_t b = 0; b < count; ++b) {
        find_slopes(shapes[b].affine, self->slopes + 12 * (int64_t)b);
        for (int32_t p = 0; p < NODES; ++p) {
            stencils[NODES * (int64_t)b + p] = shapes[b].first_vertex + p;
        }
        stiffness[b] = shapes[b].stiffness * lyra_affine_view(shapes[b].affine).volume / 8;
    }
    LyraForceDef def = lyra_force_def_default();
    def.type = &type;
    def.self = self;
    def.stencil_count = count;
    def.stencils = stencils;
    def.parameters = stiffness;
    LY_TRY_DONE(lyra_force_create(ctx, &def, &made));
    self = NULL;
    *out = made;
done:
    ly_release(ctx, stiffness);
    ly_release(ctx, stencils);
    if (self) {
        destroy(self);
    }
    return status;
}
