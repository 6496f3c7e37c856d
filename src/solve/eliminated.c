// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// A matrix with its constraints eliminated, P A P + s (I - P), for solvers that know nothing of
// constraints: a copy in the form of A, or a callback around a callback.
//
// s is the mean magnitude of the diagonal, so that the held directions stand amidst the spectrum
// whatever the units. Where a callback does not know its diagonal, s is |A v| / |v| for a v of ones
// and minus ones by turns of three, of which a smooth operator cannot make nothing.

#include "solve/front.h"

#include <math.h>
#include <string.h>

static void apply_eliminated(void *user, const double *x, double *y)
{
    const LyEliminated *eliminated = user;
    size_t bytes = (size_t)eliminated->A.size * sizeof(double);
    double *projected = eliminated->scratch;
    memcpy(projected, x, bytes);
    lyra_constraints_project(eliminated->constraints, projected);
    lyra_operator_apply(&eliminated->A, projected, y);
    lyra_constraints_project(eliminated->constraints, y);
    for (int32_t i = 0; i < eliminated->A.size; ++i) {
        y[i] += eliminated->s * (x[i] - projected[i]);
    }
}

LyraStatus ly_eliminated_create(LyraContext *ctx, const LyraOperator *A,
                                const LyraConstraints *constraints, LyEliminated *out)
{
    LyraStatus status = LYRA_OK;
    *out = (LyEliminated){.ctx = ctx, .constraints = constraints, .A = *A, .E = *A, .s = 1.0};
    LY_TRY_DONE(ly_allocate_array(ctx, A->size, sizeof(double), &out->diagonal));
    switch (A->kind) {
    case LYRA_OPERATOR_BLOCK:
        LY_TRY_DONE(lyra_block_matrix_create(lyra_block_matrix_pattern(A->block), &out->block));
        out->E.block = out->block;
        break;
    case LYRA_OPERATOR_CSR:
        LY_TRY_DONE(
            ly_csr_pattern_whole_blocks(ctx, lyra_csr_matrix_pattern(A->csr), &out->csr_pattern));
        LY_TRY_DONE(lyra_csr_matrix_create(out->csr_pattern, &out->csr));
        out->E.csr = out->csr;
        break;
    case LYRA_OPERATOR_DENSE:
        LY_TRY_DONE(
            ly_allocate_array(ctx, (int64_t)A->size * A->size, sizeof(double), &out->dense));
        out->E.dense = out->dense;
        break;
    case LYRA_OPERATOR_CALLBACK:
        LY_TRY_DONE(ly_allocate_array(ctx, A->size, sizeof(double), &out->scratch));
        out->E = lyra_operator_callback(A->size, A->symmetric, apply_eliminated, out,
                                        A->diagonal ? out->diagonal : NULL);
        break;
    }
    return LYRA_OK;
done:
    ly_eliminated_destroy(out);
    return status;
}

// |A v| / |v| for a callback without a diagonal
static double probe(LyEliminated *eliminated)
{
    int32_t size = eliminated->A.size;
    double *v = eliminated->diagonal, *w = eliminated->scratch, sum = 0.0;
    for (int32_t i = 0; i < size; ++i) {
        v[i] = i / 3 % 2 == 0 ? 1.0 : -1.0;
    }
    lyra_operator_apply(&eliminated->A, v, w);
    for (int32_t i = 0; i < size; ++i) {
        sum += w[i] * w[i];
    }
    return sqrt(sum / size);
}

static double typical_diagonal(LyEliminated *eliminated)
{
    int32_t size = eliminated->A.size;
    double s = 0.0;
    if (ly_operator_diagonal(&eliminated->A, eliminated->diagonal)) {
        for (int32_t i = 0; i < size; ++i) {
            s += fabs(eliminated->diagonal[i]) / size;
        }
    } else {
        s = probe(eliminated);
    }
    return s > 0.0 && isfinite(s) ? s : 1.0;
}

// diagonal of P diag(d) P + s (I - P), for the preconditioners of callbacks
static void eliminate_diagonal(LyEliminated *eliminated)
{
    const LyraConstraints *constraints = eliminated->constraints;
    for (int32_t v = 0; v < constraints->vertex_count; ++v) {
        if (!constraints->held[v]) {
            continue;
        }
        double P[9], d[3] = {0}, *dv = eliminated->diagonal + 3 * (int64_t)v;
        int32_t width = ly_vertex_width(constraints->size, v);
        ly_constraints_block(constraints, v, P);
        for (int32_t e = 0; e < 9; ++e) {
            d[e / 3] += e % 3 < width ? P[e] * P[e] * dv[e % 3] : 0.0;
        }
        for (int32_t i = 0; i < width; ++i) {
            dv[i] = d[i] + eliminated->s * (1.0 - P[4 * i]);
        }
    }
}

LyraStatus ly_eliminated_update(LyEliminated *eliminated, const LyraOperator *A)
{
    const LyraConstraints *constraints = eliminated->constraints;
    eliminated->A = *A;
    eliminated->s = typical_diagonal(eliminated);
    switch (A->kind) {
    case LYRA_OPERATOR_BLOCK:
        LY_TRY(lyra_constraints_eliminate_block(constraints, A->block, eliminated->s,
                                                eliminated->block));
        break;
    case LYRA_OPERATOR_CSR:
        LY_TRY(lyra_csr_matrix_assign(eliminated->csr, A->csr));
        ly_constraints_eliminate_csr(constraints, eliminated->s, eliminated->csr);
        break;
    case LYRA_OPERATOR_DENSE:
        ly_vector_copy(eliminated->ctx, (int64_t)A->size * A->size, A->dense, eliminated->dense);
        ly_constraints_eliminate_dense(constraints, eliminated->s, eliminated->dense);
        break;
    case LYRA_OPERATOR_CALLBACK:
        if (A->diagonal) {
            eliminate_diagonal(eliminated);
        }
        eliminated->E.diagonal = A->diagonal ? eliminated->diagonal : NULL;
        break;
    }
    eliminated->E.symmetric = A->symmetric;
    return LYRA_OK;
}

int64_t ly_eliminated_bytes(const LyEliminated *eliminated)
{
    int64_t numbers = eliminated->diagonal ? eliminated->A.size : 0, indices = 0;
    numbers += eliminated->scratch ? eliminated->A.size : 0;
    if (eliminated->block) {
        const LyraBlockPattern *pattern = lyra_block_matrix_pattern(eliminated->block);
        numbers += 9 * lyra_block_pattern_view(pattern).block_count;
    }
    if (eliminated->csr) {
        numbers += lyra_csr_pattern_view(eliminated->csr_pattern).entry_count;
        indices += lyra_csr_pattern_view(eliminated->csr_pattern).entry_count;
    }
    if (eliminated->dense) {
        numbers += (int64_t)eliminated->A.size * eliminated->A.size;
    }
    return numbers * (int64_t)sizeof(double) + indices * (int64_t)sizeof(int32_t);
}

void ly_eliminated_destroy(LyEliminated *eliminated)
{
    LyraContext *ctx = eliminated->ctx;
    if (!ctx) {
        return;
    }
    lyra_block_matrix_destroy(eliminated->block);
    lyra_csr_matrix_destroy(eliminated->csr);
    lyra_csr_pattern_destroy(eliminated->csr_pattern);
    ly_release(ctx, eliminated->dense);
    ly_release(ctx, eliminated->diagonal);
    ly_release(ctx, eliminated->scratch);
    *eliminated = (LyEliminated){0};
}
