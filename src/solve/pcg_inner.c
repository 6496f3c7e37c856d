// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// The iteration of pcg inside one precision, on the scaled copy A~ = L + D + L^T + R of pcg.h.
//
// Eisenstat's form of SSOR [Eis81]. D = I and M = E E^T with E = I + L. In the variables x^ = E^T
// x~, r^ = E^-1 r~ the preconditioned method is the plain one on A^ = E^-1 A~ E^-T, and since
//     A~ = E + E^T - I,
// with t = E^-T p^,
//     A^ p^ = E^-1 (E t + E^T t - t) = t + E^-1 (p^ - t):
// a sweep up and a sweep down, each of which reads the upper blocks once, instead of two sweeps and
// a product. The two parts of the sum are kept apart, t in z and w = E^-1 (p^ - t) in q: who needs
// it adds them. Constraints are filtered inside the sweeps, see pcg_matrix.c. A sweep goes over the
// domains of one colour after those of another.
//
// Deferred steps. A step needs alpha and the next direction beta, two sums that threads must meet
// for. But with q = A^ p^,
//     |r - alpha q|^2 = r . r - 2 alpha r . q + alpha^2 q . q,
// and the sums on the right come with p . q, so beta is known before the step is taken: x, r and p
// go on as the sweep up comes to their rows, and threads meet once less. What cancels costs eps r.r
// of the new square, so this serves while the square falls by less than PREDICT_FALL; it serves for
// beta alone, as alpha takes the square of r itself. Steps after which the end is looked at are
// taken at once.
//
// The other preconditioners run the usual form: none, jacobi and block-jacobi are the identity,
// because the scaling has them in it; ic0 sweeps with its factor. A coarse space is deflated from
// Eisenstat's form and added to the others (pcg_deflate.c).
//
// The end. The norm at hand is that of r^, the norm wanted that of r = C E r^. Their ratio changes
// slowly, so r is formed only when the ratio seen last says that the target is met; that costs half
// an iteration, a few times.

#include "solve/pcg.h"

#include <math.h>
#include <string.h>

// part of r . r that must remain for a deferred step
#define PREDICT_FALL 0.01
// and how far above the goal, in norm
#define PREDICT_MARGIN 1.01

typedef struct InnerLoop {
    LyPcgInner *inner;
    int32_t domain; // the first of the colour at hand
    bool eisenstat, deflated;
    bool pending; // the step by alpha is taken by the next sweep up
    double alpha, beta;
    const void *from; // ly_pcg_precondition
    void *to;
} InnerLoop;

static double sum_of(const InnerLoop *loop)
{
    double sum = 0.0;
    for (int32_t d = 0; d < loop->inner->matrix->domains; ++d) {
        sum += loop->inner->sums[d];
    }
    return sum;
}

static double run(LyraContext *ctx, LyraTask *task, InnerLoop *loop)
{
    ly_parallel_for(ctx, loop->inner->matrix->shares, task, loop);
    return sum_of(loop);
}

// runs a task over the domains of one colour
static void sweep(LyraContext *ctx, LyraTask *task, InnerLoop *loop, int32_t colour)
{
    const LyPcgMatrix *matrix = loop->inner->matrix;
    loop->domain = matrix->colour_begin[colour];
    ly_parallel_for(ctx, matrix->colour_begin[colour + 1] - loop->domain, task, loop);
}

static void sweep_down(LyraContext *ctx, LyraTask *task, InnerLoop *loop)
{
    for (int32_t c = 0; c < loop->inner->matrix->colours; ++c) {
        sweep(ctx, task, loop, c);
    }
}

static void sweep_up(LyraContext *ctx, LyraTask *task, InnerLoop *loop)
{
    for (int32_t c = loop->inner->matrix->colours - 1; c >= 0; --c) {
        sweep(ctx, task, loop, c);
    }
}

// ---- the parts of an iteration ------------------------------------------------------------------

// |C r~|^2, with the r~ of the share's domains formed in z
static void residual_task(void *data, int32_t share, int32_t worker)
{
    (void)worker;
    InnerLoop *loop = data;
    LyPcgInner *inner = loop->inner;
    LyPcgMatrix *matrix = inner->matrix;
    for (int32_t d = share; d >= 0; d = matrix->share_next[d]) {
        LyPcgPiece piece = ly_pcg_piece(matrix, d, false);
        const void *r = inner->r;
        if (loop->eisenstat) {
            matrix->kernels.lower(&piece, inner->r, inner->z);
            r = inner->z;
        }
        inner->sums[d] = matrix->kernels.norm(piece.row_begin, piece.row_end, matrix->root, r);
    }
}

// takes r~ to the variables of the iteration
static void start_task(void *data, int32_t index, int32_t worker)
{
    (void)worker;
    InnerLoop *loop = data;
    LyPcgInner *inner = loop->inner;
    const LyPcgKernels *kernels = &inner->matrix->kernels;
    int32_t domain = loop->domain + index;
    LyPcgPiece piece = ly_pcg_piece(inner->matrix, domain, false);
    size_t begin = 4 * inner->matrix->real * (size_t)piece.row_begin;
    size_t bytes = 4 * inner->matrix->real * (size_t)(piece.row_end - piece.row_begin);
    memset((char *)inner->x + begin, 0, bytes);
    if (!inner->resume) {
        memset((char *)inner->p + begin, 0, bytes);
        memset((char *)inner->q + begin, 0, bytes);
    }
    if (loop->eisenstat) {
        kernels->forward(&piece, inner->r);
    }
    inner->sums[domain] = kernels->dot(piece.row_begin, piece.row_end, inner->r, inner->r);
}

static void up_task(void *data, int32_t index, int32_t worker)
{
    (void)worker;
    InnerLoop *loop = data;
    LyPcgInner *inner = loop->inner;
    const LyPcgKernels *kernels = &inner->matrix->kernels;
    int32_t domain = loop->domain + index;
    LyPcgPiece piece = ly_pcg_piece(inner->matrix, domain, false);
    if (loop->pending) {
        inner->squares[domain] = kernels->advance(piece.row_begin, piece.row_end,
                                                  (const double[]){loop->alpha, loop->beta},
                                                  inner->z, inner->q, inner->x, inner->r, inner->p);
    } else {
        kernels->direct(piece.row_begin, piece.row_end, inner->r, loop->beta, inner->p);
    }
    kernels->backward(&piece, inner->p, inner->z);
}

static void down_task(void *data, int32_t index, int32_t worker)
{
    (void)worker;
    InnerLoop *loop = data;
    LyPcgInner *inner = loop->inner;
    const LyPcgKernels *kernels = &inner->matrix->kernels;
    int32_t domain = loop->domain + index;
    LyPcgPiece piece = ly_pcg_piece(inner->matrix, domain, false);
    kernels->subtract(piece.row_begin, piece.row_end, inner->p, inner->z, inner->q);
    kernels->forward(&piece, inner->q);
    kernels->joint(piece.row_begin, piece.row_end, inner->p, inner->z, inner->q, inner->r,
                   inner->joint[domain]);
}

// Up and down at once for the first colour, whose way down needs no other domain: threads meet one
// time less, and what the sweep up left is still in the caches.
static void turn_task(void *data, int32_t index, int32_t worker)
{
    up_task(data, index, worker);
    down_task(data, index, worker);
}

static void direct_task(void *data, int32_t share, int32_t worker)
{
    (void)worker;
    InnerLoop *loop = data;
    LyPcgInner *inner = loop->inner;
    const LyPcgMatrix *matrix = inner->matrix;
    for (int32_t d = share; d >= 0; d = matrix->share_next[d]) {
        matrix->kernels.direct(matrix->domain_begin[d], matrix->domain_begin[d + 1], loop->from,
                               loop->beta, inner->p);
    }
}

static void product_task(void *data, int32_t share, int32_t worker)
{
    (void)worker;
    InnerLoop *loop = data;
    LyPcgInner *inner = loop->inner;
    const LyPcgMatrix *matrix = inner->matrix;
    for (int32_t d = share; d >= 0; d = matrix->share_next[d]) {
        LyPcgPiece piece = ly_pcg_piece(matrix, d, false);
        matrix->kernels.product(&piece, inner->p, inner->q);
        inner->sums[d] = matrix->kernels.dot(piece.row_begin, piece.row_end, inner->p, inner->q);
    }
}

static void step_task(void *data, int32_t share, int32_t worker)
{
    (void)worker;
    InnerLoop *loop = data;
    LyPcgInner *inner = loop->inner;
    const LyPcgMatrix *matrix = inner->matrix;
    const void *t = loop->eisenstat && !loop->deflated ? inner->z : NULL;
    for (int32_t d = share; d >= 0; d = matrix->share_next[d]) {
        inner->sums[d] =
            matrix->kernels.step(matrix->domain_begin[d], matrix->domain_begin[d + 1], loop->alpha,
                                 inner->p, t, inner->q, inner->x, inner->r);
    }
}

static void dot_task(void *data, int32_t share, int32_t worker)
{
    (void)worker;
    InnerLoop *loop = data;
    LyPcgInner *inner = loop->inner;
    const LyPcgMatrix *matrix = inner->matrix;
    for (int32_t d = share; d >= 0; d = matrix->share_next[d]) {
        inner->sums[d] = matrix->kernels.dot(matrix->domain_begin[d], matrix->domain_begin[d + 1],
                                             inner->r, loop->from);
    }
}

// x~ = E^-T x^
static void finish_task(void *data, int32_t index, int32_t worker)
{
    (void)worker;
    InnerLoop *loop = data;
    LyPcgInner *inner = loop->inner;
    LyPcgPiece piece = ly_pcg_piece(inner->matrix, loop->domain + index, false);
    inner->matrix->kernels.backward(&piece, inner->x, inner->x);
}

// ---- preconditioners ----------------------------------------------------------------------------

// z = E^-1 r, or that of the incomplete factor with its blocks
static void precondition_down_task(void *data, int32_t index, int32_t worker)
{
    (void)worker;
    InnerLoop *loop = data;
    LyPcgMatrix *matrix = loop->inner->matrix;
    bool ic = matrix->kind == LY_PCG_IC0;
    LyPcgPiece piece = ly_pcg_piece(matrix, loop->domain + index, ic);
    size_t begin = 4 * matrix->real * (size_t)piece.row_begin;
    memcpy((char *)loop->to + begin, (const char *)loop->from + begin,
           4 * matrix->real * (size_t)(piece.row_end - piece.row_begin));
    if (ic || matrix->kind == LY_PCG_SSOR) {
        matrix->kernels.forward(&piece, loop->to);
    }
    if (ic) {
        matrix->kernels.blocks(piece.row_begin, piece.row_end, matrix->ic_blocks, loop->to,
                               loop->to);
    }
}

static void precondition_up_task(void *data, int32_t index, int32_t worker)
{
    (void)worker;
    InnerLoop *loop = data;
    LyPcgMatrix *matrix = loop->inner->matrix;
    LyPcgPiece piece = ly_pcg_piece(matrix, loop->domain + index, matrix->kind == LY_PCG_IC0);
    matrix->kernels.backward(&piece, loop->to, loop->to);
}

void ly_pcg_precondition(LyraContext *ctx, LyPcgInner *inner, const void *r, void *z)
{
    InnerLoop loop = {.inner = inner, .from = r, .to = z};
    sweep_down(ctx, precondition_down_task, &loop);
    if (inner->matrix->kind == LY_PCG_SSOR || inner->matrix->kind == LY_PCG_IC0) {
        sweep_up(ctx, precondition_up_task, &loop);
    }
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

double ly_pcg_last_gain(const LyPcgInner *inner)
{
    double sum = 0.0;
    for (int32_t i = 0; i < LY_PCG_DELAY && i < inner->term_count; ++i) {
        sum += inner->terms[i];
    }
    return sum;
}

static bool energy_is_small(LyPcgInner *inner)
{
    double error = ly_pcg_last_gain(inner);
    double limit = inner->tolerance * inner->tolerance * (inner->energy_base + inner->gained);
    return inner->term_count >= LY_PCG_DELAY && error <= limit;
}

// `ratio`: of the norm wanted to the norm at hand, as seen last
static bool residual_is_small(LyraContext *ctx, InnerLoop *loop, double norm, double *ratio)
{
    LyPcgInner *inner = loop->inner;
    if (norm * *ratio > inner->target) {
        return false;
    }
    double wanted = sqrt(run(ctx, residual_task, loop));
    // look again only after a fall
    *ratio = fmax(wanted, 1.05 * inner->target) / norm;
    return wanted <= inner->target;
}

// Both sweeps of Eisenstat's form, and the step before where that is pending, with the square of
// its r in `rz`. Returns p . q.
static double sweep_both(LyraContext *ctx, InnerLoop *loop, double *rz)
{
    LyPcgInner *inner = loop->inner;
    const LyPcgMatrix *matrix = inner->matrix;
    for (int32_t c = matrix->colours - 1; c > 0; --c) {
        sweep(ctx, up_task, loop, c);
    }
    sweep(ctx, turn_task, loop, 0);
    for (int32_t c = 1; c < matrix->colours; ++c) {
        sweep(ctx, down_task, loop, c);
    }
    double curvature = 0.0, squares = 0.0;
    for (int32_t d = 0; d < matrix->domains; ++d) {
        curvature += inner->joint[d][0];
        squares += inner->squares[d];
    }
    *rz = loop->pending ? squares : *rz;
    return curvature;
}

// Leaves the step by alpha to the next sweep, with the beta of |r - alpha q|^2, which `rz` becomes;
// false where the step is to be taken at once.
static bool defer_step(InnerLoop *loop, double ratio, double *rz)
{
    LyPcgInner *inner = loop->inner;
    if (!loop->eisenstat || loop->deflated || inner->iterations >= inner->iterations_max) {
        return false;
    }
    double rq = 0.0, qq = 0.0;
    for (int32_t d = 0; d < inner->matrix->domains; ++d) {
        rq += inner->joint[d][1];
        qq += inner->joint[d][2];
    }
    double next = *rz + loop->alpha * (loop->alpha * qq - 2.0 * rq);
    // false for numbers that are none, too
    if (!(next >= PREDICT_FALL * *rz && next <= *rz / PREDICT_FALL &&
          sqrt(next) * ratio > PREDICT_MARGIN * inner->target)) {
        return false;
    }
    inner->end = sqrt(next);
    loop->beta = next / *rz;
    *rz = next;
    return true;
}

static LyPcgEnd iterate(LyraContext *ctx, InnerLoop *loop, double start)
{
    LyPcgInner *inner = loop->inner;
    sweep_down(ctx, start_task, loop);
    double rr = sum_of(loop);
    double ratio = rr > 0.0 ? start / sqrt(rr) : 1.0;
    double rz = precondition(ctx, loop, rr);
    inner->start = inner->end = sqrt(rr);
    loop->beta = inner->resume ? rz / inner->rz * inner->rescale : 0.0;
    while (inner->iterations < inner->iterations_max) {
        if (!isfinite(rz) || rz < 0.0) {
            return LY_PCG_BROKEN;
        }
        if (rz == 0.0) {
            return LY_PCG_MET;
        }
        double curvature = 0.0;
        if (loop->deflated) {
            curvature = ly_pcg_deflated_step(ctx, inner, loop->beta);
        } else if (loop->eisenstat) {
            curvature = sweep_both(ctx, loop, &rz);
        } else {
            ly_parallel_for(ctx, inner->matrix->shares, direct_task, loop);
            curvature = run(ctx, product_task, loop);
        }
        if (!isfinite(curvature) || !isfinite(rz)) {
            return LY_PCG_BROKEN;
        }
        if (curvature <= 0.0) {
            inner->direction = loop->eisenstat && !loop->deflated ? inner->z : inner->p;
            return LY_PCG_CURVATURE;
        }
        inner->rz = rz;
        loop->alpha = rz / curvature;
        ++inner->iterations;
        inner->gained += loop->alpha * rz;
        inner->terms[inner->term_count++ % LY_PCG_DELAY] = loop->alpha * rz;
        bool small = inner->stop == LYRA_STOP_ENERGY && energy_is_small(inner);
        loop->pending = !small && defer_step(loop, ratio, &rz);
        if (loop->pending) {
            continue;
        }
        rr = run(ctx, step_task, loop);
        inner->end = sqrt(rr);
        if (!isfinite(rr)) {
            return LY_PCG_BROKEN;
        }
        if (small) {
            return LY_PCG_MET;
        }
        // an energy-norm iteration has a target too, where its recurrence is to be renewed
        if (rr == 0.0 || residual_is_small(ctx, loop, inner->end, &ratio)) {
            return inner->stop == LYRA_STOP_ENERGY ? LY_PCG_RENEW : LY_PCG_MET;
        }
        rz = precondition(ctx, loop, rr);
        loop->beta = rz / inner->rz;
    }
    return LY_PCG_LIMIT;
}

LyPcgEnd ly_pcg_inner(LyraContext *ctx, LyPcgInner *inner)
{
    InnerLoop loop = {.inner = inner};
    inner->iterations = 0;
    if (!inner->resume) {
        inner->gained = 0.0;
        inner->term_count = 0;
    }
    // r~ is at hand now, so its norm costs no sweep
    double start = sqrt(run(ctx, residual_task, &loop));
    loop.eisenstat = inner->matrix->kind == LY_PCG_SSOR;
    loop.deflated = ly_pcg_is_deflated(inner);
    LyPcgEnd end = iterate(ctx, &loop, start);
    if (loop.eisenstat && !loop.deflated) {
        sweep_up(ctx, finish_task, &loop);
    }
    return end;
}
