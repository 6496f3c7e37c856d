// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// What pcg does with its coarse space Z (pcg_coarse.c). On top of preconditioners other than SSOR
// it is added, M^-1 = M_0^-1 + Z G^-1 Z^T with G = Z^T A~ Z. With SSOR it is deflated [SYEG00]: the
// iteration runs in the A~-orthogonal complement of Z, where the smallest eigenvalues are gone.
//
// In the variables of Eisenstat's form, r^ = E^-1 r~, p^ = E^T p~, the deflated direction is
//     p~ = z - Z mu + beta p~,   z = E^-T r^,   mu = G^-1 W^T z,   W = A~ Z,
// and with A~ z = E (z + E^-1 (r^ - z)), as in pcg_inner.c, and q^ = E^-1 A~ p~,
//     q^ = z + E^-1 (r^ - z - W mu) + beta q^:
// mu is known between the sweep up and the sweep down, so the two sweeps remain all there is, and Z
// and W are read besides. Directions are kept as p~, which makes x~ += alpha p~ the solution
// itself. p^ . q^ = r^ . q^, because q^ is orthogonal to the old direction and to Z.
//
// The iteration says nothing about Z. That part of x is found in doubles before each correction, by
// ly_pcg_coarse_correct: motions of the whole body that are far softer than all others (free
// bodies, long steps) never pass through floats. In floats W mu carries an error of eps |mu|; mu is
// of the size of z, since r has no part along Z, so this is rounding like any other.

#include "solve/pcg_coarse.h"

#include <string.h>

typedef struct DeflateLoop {
    LyPcgInner *inner;
    LyPcgCoarse *coarse;
    int32_t domain; // the first of the colour at hand
    const void *r;
    void *z;
    double beta;
    const double *caller_r; // in doubles, in the caller's order
    double *caller_x;
} DeflateLoop;

// what is done with the rows of one domain
typedef void DomainTask(const DeflateLoop *loop, int32_t domain);

// a share of all domains, see pcg.h
static void over_share(const DeflateLoop *loop, int32_t share, DomainTask *task)
{
    const LyPcgMatrix *matrix = loop->coarse->matrix;
    for (int32_t d = share; d >= 0; d = matrix->share_next[d]) {
        task(loop, d);
    }
}

bool ly_pcg_is_deflated(const LyPcgInner *inner)
{
    return inner->coarse && inner->matrix->kind == LY_PCG_SSOR;
}

static double *sums_of(const LyPcgCoarse *coarse, int32_t domain)
{
    return coarse->sums + 8 * (int64_t)coarse->aggregates * domain;
}

// ---- solving with G -----------------------------------------------------------------------------

// rhs = G^-1 of the sums over domains
static void solve_coarse(LyPcgCoarse *coarse)
{
    for (int32_t a = 0; a < coarse->aggregates; ++a) {
        double sum[6] = {0};
        for (int32_t d = 0; d < coarse->matrix->domains; ++d) {
            for (int e = 0; e < 6; ++e) {
                sum[e] += sums_of(coarse, d)[8 * (int64_t)a + e];
            }
        }
        memcpy(coarse->rhs + 6 * (int64_t)a, sum, sizeof sum);
    }
    // sums beyond the range come out as numbers that are none, which ends the iteration
    (void)lyra_dense_factor_solve(coarse->factor, 1, coarse->rhs, coarse->rhs);
}

// the same to mu, in the precision of the copy
static void solve_mu(LyPcgCoarse *coarse)
{
    bool single = coarse->matrix->real == sizeof(float);
    solve_coarse(coarse);
    for (int32_t a = 0; a < coarse->aggregates; ++a) {
        for (int e = 0; e < 6; ++e) {
            double value = coarse->rhs[6 * (int64_t)a + e];
            if (single) {
                ((float *)coarse->mu)[8 * (int64_t)a + e] = (float)value;
            } else {
                ((double *)coarse->mu)[8 * (int64_t)a + e] = value;
            }
        }
    }
}

static void clear_sums(const LyPcgCoarse *coarse, int32_t domain)
{
    memset(sums_of(coarse, domain), 0, 8 * (size_t)coarse->aggregates * sizeof(double));
}

// ---- added --------------------------------------------------------------------------------------

static void restrict_domain(const DeflateLoop *loop, int32_t domain)
{
    const LyPcgCoarse *coarse = loop->coarse;
    LyPcgPiece piece = ly_pcg_piece(coarse->matrix, domain, false);
    clear_sums(coarse, domain);
    coarse->matrix->kernels.gather(piece.row_begin, piece.row_end, NULL, coarse->of, coarse->Z,
                                   loop->r, sums_of(coarse, domain));
}

static void restrict_task(void *data, int32_t share, int32_t worker)
{
    (void)worker;
    over_share(data, share, restrict_domain);
}

static void spread_domain(const DeflateLoop *loop, int32_t domain)
{
    const LyPcgCoarse *coarse = loop->coarse;
    LyPcgPiece piece = ly_pcg_piece(coarse->matrix, domain, false);
    coarse->matrix->kernels.spread(piece.row_begin, piece.row_end, coarse->of, coarse->Z,
                                   coarse->mu, loop->z);
}

static void spread_task(void *data, int32_t share, int32_t worker)
{
    (void)worker;
    over_share(data, share, spread_domain);
}

void ly_pcg_coarse_add(LyPcgCoarse *coarse, const void *r, void *z)
{
    DeflateLoop loop = {.coarse = coarse, .r = r, .z = z};
    ly_parallel_for(coarse->ctx, coarse->matrix->shares, restrict_task, &loop);
    solve_mu(coarse);
    ly_parallel_for(coarse->ctx, coarse->matrix->shares, spread_task, &loop);
}

// ---- in doubles ---------------------------------------------------------------------------------

static void restrict_caller_domain(const DeflateLoop *loop, int32_t domain)
{
    const LyPcgCoarse *coarse = loop->coarse;
    LyPcgPiece piece = ly_pcg_piece(coarse->matrix, domain, false);
    clear_sums(coarse, domain);
    for (int64_t i = piece.row_begin; i < piece.row_end; ++i) {
        const double *r = loop->caller_r + 3 * (int64_t)coarse->matrix->order[i];
        const double *Y = coarse->modes + 18 * i;
        double *sum = sums_of(coarse, domain) + 8 * (int64_t)coarse->of[i];
        for (int e = 0; e < 6; ++e) {
            sum[e] += Y[e] * r[0] + Y[6 + e] * r[1] + Y[12 + e] * r[2];
        }
    }
}

static void restrict_caller_task(void *data, int32_t share, int32_t worker)
{
    (void)worker;
    over_share(data, share, restrict_caller_domain);
}

static void spread_caller_domain(const DeflateLoop *loop, int32_t domain)
{
    const LyPcgCoarse *coarse = loop->coarse;
    LyPcgPiece piece = ly_pcg_piece(coarse->matrix, domain, false);
    for (int64_t i = piece.row_begin; i < piece.row_end; ++i) {
        double *x = loop->caller_x + 3 * (int64_t)coarse->matrix->order[i];
        const double *Y = coarse->modes + 18 * i, *y = coarse->rhs + 6 * (int64_t)coarse->of[i];
        for (int e = 0; e < 6; ++e) {
            x[0] += Y[e] * y[e];
            x[1] += Y[6 + e] * y[e];
            x[2] += Y[12 + e] * y[e];
        }
    }
}

static void spread_caller_task(void *data, int32_t share, int32_t worker)
{
    (void)worker;
    over_share(data, share, spread_caller_domain);
}

void ly_pcg_coarse_correct(LyPcgCoarse *coarse, const double *r, double *x)
{
    DeflateLoop loop = {.coarse = coarse, .caller_r = r, .caller_x = x};
    ly_parallel_for(coarse->ctx, coarse->matrix->shares, restrict_caller_task, &loop);
    solve_coarse(coarse);
    ly_parallel_for(coarse->ctx, coarse->matrix->shares, spread_caller_task, &loop);
}

// ---- deflated -----------------------------------------------------------------------------------

static void sweep(LyraContext *ctx, LyraTask *task, DeflateLoop *loop, int32_t colour)
{
    const LyPcgMatrix *matrix = loop->inner->matrix;
    loop->domain = matrix->colour_begin[colour];
    ly_parallel_for(ctx, matrix->colour_begin[colour + 1] - loop->domain, task, loop);
}

// z = E^-T r^, W^T z
static void up_task(void *data, int32_t index, int32_t worker)
{
    (void)worker;
    const DeflateLoop *loop = data;
    const LyPcgInner *inner = loop->inner;
    const LyPcgCoarse *coarse = loop->coarse;
    const LyPcgKernels *kernels = &inner->matrix->kernels;
    int32_t domain = loop->domain + index;
    LyPcgPiece piece = ly_pcg_piece(inner->matrix, domain, false);
    kernels->backward(&piece, inner->r, inner->z);
    clear_sums(coarse, domain);
    kernels->gather(piece.row_begin, piece.row_end, coarse->start, coarse->touched, coarse->W,
                    inner->z, sums_of(coarse, domain));
}

// w = E^-1 (r^ - z - W mu)
static void down_task(void *data, int32_t index, int32_t worker)
{
    (void)worker;
    const DeflateLoop *loop = data;
    const LyPcgInner *inner = loop->inner;
    const LyPcgCoarse *coarse = loop->coarse;
    const LyPcgKernels *kernels = &inner->matrix->kernels;
    LyPcgPiece piece = ly_pcg_piece(inner->matrix, loop->domain + index, false);
    const LyPcgRowBlocks blocks = {coarse->start, coarse->touched, coarse->W};
    kernels->deflate(piece.row_begin, piece.row_end, &blocks, coarse->mu, inner->r, inner->z,
                     inner->w);
    kernels->forward(&piece, inner->w);
}

static void combine_domain(const DeflateLoop *loop, int32_t domain)
{
    LyPcgInner *inner = loop->inner;
    LyPcgPiece piece = ly_pcg_piece(inner->matrix, domain, false);
    LyPcgCombine combine = {
        .of = loop->coarse->of,
        .Z = loop->coarse->Z,
        .mu = loop->coarse->mu,
        .r = inner->r,
        .z = inner->z,
        .w = inner->w,
        .beta = loop->beta,
        .p = inner->p,
        .q = inner->q,
    };
    inner->sums[domain] = inner->matrix->kernels.combine(&combine, piece.row_begin, piece.row_end);
}

static void combine_task(void *data, int32_t share, int32_t worker)
{
    (void)worker;
    over_share(data, share, combine_domain);
}

double ly_pcg_deflated_step(LyraContext *ctx, LyPcgInner *inner, double beta)
{
    DeflateLoop loop = {.inner = inner, .coarse = inner->coarse, .beta = beta};
    for (int32_t c = inner->matrix->colours - 1; c >= 0; --c) {
        sweep(ctx, up_task, &loop, c);
    }
    solve_mu(inner->coarse);
    for (int32_t c = 0; c < inner->matrix->colours; ++c) {
        sweep(ctx, down_task, &loop, c);
    }
    ly_parallel_for(ctx, inner->matrix->shares, combine_task, &loop);
    double sum = 0.0;
    for (int32_t d = 0; d < inner->matrix->domains; ++d) {
        sum += inner->sums[d];
    }
    return sum;
}
