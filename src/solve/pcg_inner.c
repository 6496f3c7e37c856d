// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// The iteration of pcg inside one precision, on the scaled copy A~ = L + D + L^T + R of pcg.h.
//
// Eisenstat's form of SSOR [Eis81]. D = I and M = E E^T with E = I + L (inside domains; R is left
// out of M, which makes it block Jacobi between domains). In the variables x^ = E^T x~, r^ = E^-1
// r~ the preconditioned method is the plain one on A^ = E^-1 A~ E^-T, and since
//     A~ = E + E^T - I + R,
// with t = E^-T p^,
//     A^ p^ = E^-1 (E t + E^T t - t + R t) = t + E^-1 (p^ - t + R t):
// a sweep up and a sweep down, each of which reads the upper blocks once, instead of two sweeps and
// a product. Constraints are filtered inside the sweeps, see pcg_matrix.c.
//
// The other preconditioners run the usual form: none, jacobi and block-jacobi are the identity,
// because the scaling has them in it; ic0 sweeps with its factor; a coarse space is added to any.
//
// The end. The norm at hand is that of r^, the norm wanted that of r = C E r^. Their ratio changes
// slowly, so r is formed only when the ratio seen last says that the target is met; that costs half
// an iteration, a few times.

#include "solve/pcg.h"

#include <math.h>
#include <string.h>

// steps the estimate of the energy norm lags behind; see cg.c
#define DELAY 10

typedef struct InnerLoop {
    LyPcgInner *inner;
    bool eisenstat;
    double alpha, beta;
    const void *from; // ly_pcg_precondition
    void *to;
} InnerLoop;

static double run(LyraContext *ctx, LyraTask *task, InnerLoop *loop)
{
    int32_t domains = loop->inner->matrix->domains;
    ly_parallel_for(ctx, domains, task, loop);
    double sum = 0.0;
    for (int32_t d = 0; d < domains; ++d) {
        sum += loop->inner->sums[d];
    }
    return sum;
}

// ---- the parts of an iteration ------------------------------------------------------------------

// |C r~|^2, with the domain's r~ formed in q
static void residual_task(void *data, int32_t domain, int32_t worker)
{
    (void)worker;
    InnerLoop *loop = data;
    LyPcgInner *inner = loop->inner;
    LyPcgMatrix *matrix = inner->matrix;
    LyPcgPiece piece = ly_pcg_piece(matrix, domain, false);
    const void *r = inner->r;
    if (loop->eisenstat) {
        matrix->kernels.lower(&piece, inner->r, inner->q);
        r = inner->q;
    }
    inner->sums[domain] = matrix->kernels.norm(piece.row_begin, piece.row_end, matrix->root, r);
}

// takes r~ to the variables of the iteration
static void start_task(void *data, int32_t domain, int32_t worker)
{
    (void)worker;
    InnerLoop *loop = data;
    LyPcgInner *inner = loop->inner;
    const LyPcgKernels *kernels = &inner->matrix->kernels;
    LyPcgPiece piece = ly_pcg_piece(inner->matrix, domain, false);
    size_t begin = 4 * inner->matrix->real * (size_t)piece.row_begin;
    size_t bytes = 4 * inner->matrix->real * (size_t)(piece.row_end - piece.row_begin);
    memset((char *)inner->x + begin, 0, bytes);
    memset((char *)inner->p + begin, 0, bytes);
    if (loop->eisenstat) {
        kernels->forward(&piece, inner->r);
    }
    inner->sums[domain] = kernels->dot(piece.row_begin, piece.row_end, inner->r, inner->r);
}

static void up_task(void *data, int32_t domain, int32_t worker)
{
    (void)worker;
    InnerLoop *loop = data;
    LyPcgInner *inner = loop->inner;
    const LyPcgKernels *kernels = &inner->matrix->kernels;
    LyPcgPiece piece = ly_pcg_piece(inner->matrix, domain, false);
    kernels->direct(piece.row_begin, piece.row_end, inner->r, loop->beta, inner->p);
    kernels->backward(&piece, inner->p, inner->z);
}

static void down_task(void *data, int32_t domain, int32_t worker)
{
    (void)worker;
    InnerLoop *loop = data;
    LyPcgInner *inner = loop->inner;
    const LyPcgKernels *kernels = &inner->matrix->kernels;
    LyPcgPiece piece = ly_pcg_piece(inner->matrix, domain, false);
    kernels->subtract(piece.row_begin, piece.row_end, inner->p, inner->z, inner->q);
    kernels->outer(&piece, inner->z, inner->q);
    kernels->forward(&piece, inner->q);
    inner->sums[domain] =
        kernels->join(piece.row_begin, piece.row_end, inner->p, inner->z, inner->q);
}

static void direct_task(void *data, int32_t domain, int32_t worker)
{
    (void)worker;
    InnerLoop *loop = data;
    LyPcgInner *inner = loop->inner;
    LyPcgPiece piece = ly_pcg_piece(inner->matrix, domain, false);
    inner->matrix->kernels.direct(piece.row_begin, piece.row_end, loop->from, loop->beta, inner->p);
}

static void product_task(void *data, int32_t domain, int32_t worker)
{
    (void)worker;
    InnerLoop *loop = data;
    LyPcgInner *inner = loop->inner;
    const LyPcgKernels *kernels = &inner->matrix->kernels;
    LyPcgPiece piece = ly_pcg_piece(inner->matrix, domain, false);
    kernels->product(&piece, inner->p, inner->q);
    inner->sums[domain] = kernels->dot(piece.row_begin, piece.row_end, inner->p, inner->q);
}

static void step_task(void *data, int32_t domain, int32_t worker)
{
    (void)worker;
    InnerLoop *loop = data;
    LyPcgInner *inner = loop->inner;
    LyPcgPiece piece = ly_pcg_piece(inner->matrix, domain, false);
    inner->sums[domain] = inner->matrix->kernels.step(piece.row_begin, piece.row_end, loop->alpha,
                                                      inner->p, inner->q, inner->x, inner->r);
}

static void dot_task(void *data, int32_t domain, int32_t worker)
{
    (void)worker;
    InnerLoop *loop = data;
    LyPcgInner *inner = loop->inner;
    LyPcgPiece piece = ly_pcg_piece(inner->matrix, domain, false);
    inner->sums[domain] =
        inner->matrix->kernels.dot(piece.row_begin, piece.row_end, inner->r, loop->from);
}

// x~ = E^-T x^
static void finish_task(void *data, int32_t domain, int32_t worker)
{
    (void)worker;
    InnerLoop *loop = data;
    LyPcgInner *inner = loop->inner;
    LyPcgPiece piece = ly_pcg_piece(inner->matrix, domain, false);
    inner->matrix->kernels.backward(&piece, inner->x, inner->x);
}

// ---- preconditioners ----------------------------------------------------------------------------

static void precondition_task(void *data, int32_t domain, int32_t worker)
{
    (void)worker;
    InnerLoop *loop = data;
    LyPcgMatrix *matrix = loop->inner->matrix;
    const LyPcgKernels *kernels = &matrix->kernels;
    bool ic = matrix->kind == LY_PCG_IC0;
    LyPcgPiece piece = ly_pcg_piece(matrix, domain, ic);
    size_t begin = 4 * matrix->real * (size_t)piece.row_begin;
    memcpy((char *)loop->to + begin, (const char *)loop->from + begin,
           4 * matrix->real * (size_t)(piece.row_end - piece.row_begin));
    if (!ic && matrix->kind != LY_PCG_SSOR) {
        return;
    }
    kernels->forward(&piece, loop->to);
    if (ic) {
        kernels->blocks(piece.row_begin, piece.row_end, matrix->ic_blocks, loop->to, loop->to);
    }
    kernels->backward(&piece, loop->to, loop->to);
}

void ly_pcg_precondition(LyraContext *ctx, LyPcgInner *inner, const void *r, void *z)
{
    InnerLoop loop = {.inner = inner, .from = r, .to = z};
    ly_parallel_for(ctx, inner->matrix->domains, precondition_task, &loop);
    if (inner->coarse) {
        ly_pcg_coarse_add(inner->coarse, r, z);
    }
}

// z = M^-1 r, where that is r itself without a copy; returns r . z
static double precondition(LyraContext *ctx, InnerLoop *loop, double rr)
{
    LyPcgInner *inner = loop->inner;
    LyPcgKind kind = inner->matrix->kind;
    if (loop->eisenstat || (!inner->coarse && kind != LY_PCG_IC0)) {
        loop->from = inner->r;
        return rr;
    }
    ly_pcg_precondition(ctx, inner, inner->r, inner->z);
    loop->from = inner->z;
    return run(ctx, dot_task, loop);
}

// ---- the iteration ------------------------------------------------------------------------------

typedef struct Watch {
    double ratio; // of the norm wanted to the norm at hand, as seen last
    double terms[DELAY];
} Watch;

static bool is_met(LyraContext *ctx, InnerLoop *loop, Watch *watch, double norm, double term)
{
    LyPcgInner *inner = loop->inner;
    if (norm == 0.0) {
        return true;
    }
    if (inner->stop == LYRA_STOP_ENERGY) {
        watch->terms[inner->iterations % DELAY] = term;
        double error = 0.0;
        for (int32_t i = 0; i < DELAY; ++i) {
            error += watch->terms[i];
        }
        double limit = inner->tolerance * inner->tolerance;
        return inner->iterations >= DELAY && error <= limit * (inner->energy_base + inner->gained);
    }
    if (norm * watch->ratio > inner->target) {
        return false;
    }
    double wanted = sqrt(run(ctx, residual_task, loop));
    // look again only after a fall, also when the ratio rises for ever
    watch->ratio = fmax(wanted, 1.05 * inner->target) / norm;
    return wanted <= inner->target;
}

static LyPcgEnd iterate(LyraContext *ctx, InnerLoop *loop, double start)
{
    LyPcgInner *inner = loop->inner;
    double rr = run(ctx, start_task, loop);
    Watch watch = {.ratio = rr > 0.0 ? start / sqrt(rr) : 1.0};
    double rz = precondition(ctx, loop, rr);
    inner->start = inner->end = sqrt(rr);
    loop->beta = 0.0;
    while (inner->iterations < inner->iterations_max) {
        if (!isfinite(rz) || rz < 0.0) {
            return LY_PCG_BROKEN;
        }
        if (rz == 0.0) {
            return LY_PCG_MET;
        }
        double curvature = 0.0;
        if (loop->eisenstat) {
            ly_parallel_for(ctx, inner->matrix->domains, up_task, loop);
            curvature = run(ctx, down_task, loop);
        } else {
            ly_parallel_for(ctx, inner->matrix->domains, direct_task, loop);
            curvature = run(ctx, product_task, loop);
        }
        if (!isfinite(curvature)) {
            return LY_PCG_BROKEN;
        }
        if (curvature <= 0.0) {
            inner->direction = loop->eisenstat ? inner->z : inner->p;
            return LY_PCG_CURVATURE;
        }
        loop->alpha = rz / curvature;
        rr = run(ctx, step_task, loop);
        ++inner->iterations;
        inner->gained += loop->alpha * rz;
        inner->end = sqrt(rr);
        if (!isfinite(rr)) {
            return LY_PCG_BROKEN;
        }
        if (is_met(ctx, loop, &watch, inner->end, loop->alpha * rz)) {
            return LY_PCG_MET;
        }
        double before = rz;
        rz = precondition(ctx, loop, rr);
        loop->beta = rz / before;
    }
    return LY_PCG_LIMIT;
}

LyPcgEnd ly_pcg_inner(LyraContext *ctx, LyPcgInner *inner)
{
    InnerLoop loop = {.inner = inner};
    inner->iterations = 0;
    inner->gained = 0.0;
    // r~ is at hand now, so its norm costs no sweep
    double start = sqrt(run(ctx, residual_task, &loop));
    loop.eisenstat = inner->matrix->kind == LY_PCG_SSOR && !inner->coarse;
    LyPcgEnd end = iterate(ctx, &loop, start);
    if (loop.eisenstat) {
        ly_parallel_for(ctx, inner->matrix->domains, finish_task, &loop);
    }
    return end;
}
