// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Constraints eliminated from a matrix:
//
//   E = P A P + s (I - P),     P = I - sum n n^T.
//
// E y = P b has one solution for each that P A P has on the range of P, and it lies there: for
// b' = P b, multiplying by I - P gives s (I - P) y = 0. E is symmetric, and positive definite if A
// is on that range, with s as the eigenvalue of every held direction; s of the size of the diagonal
// keeps the condition number. P is block diagonal by vertex, so block (i, j) of E is P_i A_ij P_j:
// the pattern stays, and rows can be done in parallel with the same bits.

#include "solve/constraints.h"

#include <math.h>
#include <string.h>

// rows of blocks of a piece
#define GRAIN 4096

// C = A B, 3x3; C may be either
static void multiply3(const double A[9], const double B[9], double C[9])
{
    double product[9];
    for (int32_t e = 0; e < 9; ++e) {
        int32_t i = 3 * (e / 3), j = e % 3;
        product[e] = A[i] * B[j] + A[i + 1] * B[j + 3] + A[i + 2] * B[j + 6];
    }
    memcpy(C, product, sizeof product);
}

// B = P_i B P_j, with s (I - P_i) added on the diagonal
static void eliminate_block(const LyraConstraints *constraints, int32_t i, int32_t j, double s,
                            const double Pi[9], double B[9])
{
    double Pj[9];
    if (constraints->held[i]) {
        multiply3(Pi, B, B);
    }
    if (constraints->held[j]) {
        ly_constraints_block(constraints, j, Pj);
        multiply3(B, Pj, B);
    }
    for (int32_t e = 0; i == j && constraints->held[i] && e < 9; ++e) {
        B[e] += s * ((e % 4 == 0 ? 1.0 : 0.0) - Pi[e]);
    }
}

// a symmetric diagonal block stays so to the last bit
static void symmetrise(double B[9])
{
    B[1] = B[3] = 0.5 * (B[1] + B[3]);
    B[2] = B[6] = 0.5 * (B[2] + B[6]);
    B[5] = B[7] = 0.5 * (B[5] + B[7]);
}

// ---- blocks -------------------------------------------------------------------------------------

typedef struct BlockJob {
    const LyraConstraints *constraints;
    LyraBlockPatternView pattern;
    const double *source;
    double *values;
    double s;
    int32_t pieces;
} BlockJob;

static void block_task(void *data, int32_t index, int32_t worker)
{
    (void)worker;
    const BlockJob *job = data;
    const uint8_t *held = job->constraints->held;
    int32_t begin = (int32_t)ly_piece_begin(job->pattern.row_count, job->pieces, index);
    int32_t end = (int32_t)ly_piece_begin(job->pattern.row_count, job->pieces, index + 1);
    int64_t first = job->pattern.row_start[begin], last = job->pattern.row_start[end];
    if (job->values != job->source) {
        memcpy(job->values + 9 * first, job->source + 9 * first,
               (size_t)(9 * (last - first)) * sizeof(double));
    }
    for (int32_t i = begin; i < end; ++i) {
        double P[9];
        if (held[i]) {
            ly_constraints_block(job->constraints, i, P);
        }
        for (int64_t k = job->pattern.row_start[i]; k < job->pattern.row_start[i + 1]; ++k) {
            int32_t j = job->pattern.column[k];
            if (held[i] || held[j]) {
                eliminate_block(job->constraints, i, j, job->s, P, job->values + 9 * k);
            }
            if (i == j && held[i] && job->pattern.storage == LYRA_STORAGE_UPPER) {
                symmetrise(job->values + 9 * k);
            }
        }
    }
}

LyraStatus lyra_constraints_eliminate_block(const LyraConstraints *constraints,
                                            const LyraBlockMatrix *A, double s,
                                            LyraBlockMatrix *matrix)
{
    LYRA_ASSERT(constraints && A && matrix);
    const LyraBlockPattern *pattern = lyra_block_matrix_pattern(A);
    if (lyra_block_matrix_pattern(matrix) != pattern) {
        return ly_fail(LYRA_INVALID_ARGUMENT, "eliminate: the two block matrices share no pattern");
    }
    if (!(s > 0.0 && isfinite(s))) {
        return ly_fail(LYRA_INVALID_ARGUMENT, "eliminate: a diagonal of %g, expected > 0", s);
    }
    LyraBlockPatternView view = lyra_block_pattern_view(pattern);
    if (constraints->size != 3 * (int64_t)view.row_count) {
        return ly_fail(LYRA_INVALID_ARGUMENT,
                       "eliminate: constraints over %d unknowns for a matrix of %d block rows",
                       (int)constraints->size, (int)view.row_count);
    }
    int32_t pieces = ly_piece_count(view.row_count, GRAIN);
    BlockJob job = {
        constraints, view,  lyra_block_matrix_values(A), lyra_block_matrix_values_mutable(matrix),
        s,           pieces};
    ly_parallel_for(constraints->ctx, pieces, block_task, &job);
    return LYRA_OK;
}

// ---- scalars ------------------------------------------------------------------------------------

LyraStatus ly_csr_pattern_whole_blocks(LyraContext *ctx, const LyraCsrPattern *pattern,
                                       LyraCsrPattern **out)
{
    LyraCsrPatternView view = lyra_csr_pattern_view(pattern);
    int32_t size = view.row_count, vertex_count = size / 3 + (size % 3 != 0);
    LyraStatus status = LYRA_OK;
    LyraBlockPattern *blocks = NULL;
    int64_t *start = NULL, *row_start = NULL, total = 0;
    int32_t *vertex = NULL, *column = NULL;
    // the blocks that entries touch: rows of vertices, repetitions removed by the block pattern
    LY_TRY_DONE(ly_allocate_array(ctx, (int64_t)vertex_count + 1, sizeof(int64_t), &start));
    LY_TRY_DONE(ly_allocate_array(ctx, view.entry_count, sizeof(int32_t), &vertex));
    for (int32_t v = 0; v <= vertex_count; ++v) {
        start[v] = view.row_start[ly_min_i64(3 * (int64_t)v, size)];
    }
    for (int64_t k = 0; k < view.entry_count; ++k) {
        vertex[k] = view.column[k] / 3;
    }
    LY_TRY_DONE(
        lyra_block_pattern_create_rows(ctx, vertex_count, view.storage, start, vertex, &blocks));
    // and back to scalars, the last vertex in its width
    LyraBlockPatternView whole = lyra_block_pattern_view(blocks);
    LY_TRY_DONE(ly_allocate_array(ctx, (int64_t)size + 1, sizeof(int64_t), &row_start));
    LY_TRY_DONE(ly_allocate_array(ctx, 9 * whole.block_count, sizeof(int32_t), &column));
    for (int32_t row = 0; row < size; ++row) {
        row_start[row] = total;
        for (int64_t k = whole.row_start[row / 3]; k < whole.row_start[row / 3 + 1]; ++k) {
            int32_t j = whole.column[k], width = ly_vertex_width(size, j);
            for (int32_t c = 3 * j; c < 3 * j + width; ++c) {
                if (view.storage == LYRA_STORAGE_FULL || c >= row) {
                    column[total++] = c;
                }
            }
        }
    }
    row_start[size] = total;
    LY_TRY_DONE(
        lyra_csr_pattern_create_rows(ctx, size, size, view.storage, row_start, column, out));
done:
    lyra_block_pattern_destroy(blocks);
    ly_release(ctx, start);
    ly_release(ctx, vertex);
    ly_release(ctx, row_start);
    ly_release(ctx, column);
    return status;
}

typedef struct CsrJob {
    const LyraConstraints *constraints;
    LyraCsrPatternView pattern;
    double *values;
    double s;
    int32_t pieces;
} CsrJob;

// the rows of vertex i, block after block; `at` is the place of each row's next entry
static void eliminate_rows(const CsrJob *job, int32_t i)
{
    const LyraConstraints *constraints = job->constraints;
    bool upper = job->pattern.storage == LYRA_STORAGE_UPPER;
    int32_t size = constraints->size, rows = ly_vertex_width(size, i);
    int64_t at[3];
    double P[9];
    if (constraints->held[i]) {
        ly_constraints_block(constraints, i, P);
    }
    for (int32_t a = 0; a < rows; ++a) {
        at[a] = job->pattern.row_start[3 * i + a];
    }
    while (at[0] < job->pattern.row_start[3 * i + 1]) {
        int32_t j = job->pattern.column[at[0]] / 3, width = ly_vertex_width(size, j);
        bool mirrored = upper && i == j;
        double B[9] = {0};
        for (int32_t a = 0; a < rows; ++a) {
            for (int32_t b = mirrored ? a : 0, k = 0; b < width; ++b, ++k) {
                B[3 * a + b] = job->values[at[a] + k];
                if (mirrored) {
                    B[3 * b + a] = B[3 * a + b];
                }
            }
        }
        if (constraints->held[i] || constraints->held[j]) {
            eliminate_block(constraints, i, j, job->s, P, B);
        }
        if (mirrored) {
            symmetrise(B);
        }
        for (int32_t a = 0; a < rows; ++a) {
            for (int32_t b = mirrored ? a : 0; b < width; ++b) {
                job->values[at[a]++] = B[3 * a + b];
            }
        }
    }
}

static void csr_task(void *data, int32_t index, int32_t worker)
{
    (void)worker;
    const CsrJob *job = data;
    int32_t vertex_count = job->constraints->vertex_count;
    int32_t end = (int32_t)ly_piece_begin(vertex_count, job->pieces, index + 1);
    for (int32_t i = (int32_t)ly_piece_begin(vertex_count, job->pieces, index); i < end; ++i) {
        eliminate_rows(job, i);
    }
}

void ly_constraints_eliminate_csr(const LyraConstraints *constraints, double s,
                                  LyraCsrMatrix *matrix)
{
    int32_t pieces = ly_piece_count(constraints->vertex_count, GRAIN);
    CsrJob job = {constraints, lyra_csr_pattern_view(lyra_csr_matrix_pattern(matrix)),
                  lyra_csr_matrix_values_mutable(matrix), s, pieces};
    ly_parallel_for(constraints->ctx, pieces, csr_task, &job);
}

// ---- dense --------------------------------------------------------------------------------------

typedef struct DenseJob {
    const LyraConstraints *constraints;
    double *values;
    double s;
} DenseJob;

// columns of vertex j
static void dense_task(void *data, int32_t j, int32_t worker)
{
    (void)worker;
    const DenseJob *job = data;
    const LyraConstraints *constraints = job->constraints;
    int32_t size = constraints->size, width = ly_vertex_width(size, j);
    for (int32_t i = 0; i < constraints->vertex_count; ++i) {
        if (!constraints->held[i] && !constraints->held[j]) {
            continue;
        }
        int32_t rows = ly_vertex_width(size, i);
        double *place = job->values + 3 * (int64_t)j * size + 3 * (int64_t)i, B[9] = {0}, P[9];
        for (int32_t e = 0; e < 3 * rows; ++e) {
            B[e] = e % 3 < width ? place[e / 3 + (int64_t)(e % 3) * size] : 0.0;
        }
        if (constraints->held[i]) {
            ly_constraints_block(constraints, i, P);
        }
        eliminate_block(constraints, i, j, job->s, P, B);
        for (int32_t e = 0; e < 3 * rows; ++e) {
            if (e % 3 < width) {
                place[e / 3 + (int64_t)(e % 3) * size] = B[e];
            }
        }
    }
}

void ly_constraints_eliminate_dense(const LyraConstraints *constraints, double s, double *matrix)
{
    DenseJob job = {constraints, matrix, s};
    ly_parallel_for(constraints->ctx, constraints->vertex_count, dense_task, &job);
}
