// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// A coarse space of rigid motions on top of another preconditioner of pcg: the two-level additive
// Schwarz method with the six rigid modes of each aggregate of vertices as coarse functions
// [Nic87]. Stiff systems (statics, long steps) converge slowly because of motions that strain the
// body little; locally these are rigid, so
//     M^-1 = M_0^-1 + Z (Z^T A Z)^-1 Z^T
// has them solved for at once. Aggregates are pieces of equal length of the Hilbert curve through
// the vertices: compact, and fixed by the number of vertices.
//
// The columns of Z for one aggregate with centre c: translations e_k and rotations e_k x (X - c),
// filtered by the constraints and made orthonormal in scaled coordinates. A column that depends on
// the others (too few vertices, or held ones) is left out: zeros, and 1 on the diagonal of Z^T A Z.
// Z^T A Z is summed in doubles from A itself, since in floats its small eigenvalues would be noise;
// its inverse is applied as a dense matrix of floats, symmetric to the last bit.

#include "lyra/reorder.h"
#include "solve/pcg.h"

#include <math.h>
#include <string.h>

// aggregates by size: at least so many vertices each, and no more than so many of them
#define VERTICES_MIN 64
#define AGGREGATES_MAX 96

// a column that keeps less than this of its length counts as dependent
#define DEPENDENT 1e-6

#define PIECES_MAX 32

struct LyPcgCoarse {
    LyraContext *ctx;
    const LyPcgMatrix *matrix;
    int32_t rows, aggregates, size;
    int32_t *order;          // rows along the curve, [rows]
    int32_t *begin;          // first place of each aggregate, [aggregates + 1]
    int32_t *of;             // aggregate of each row, [rows]
    double *positions;       // [rows][3]
    double *modes;           // columns of Z before scaling: C^-T Z, [rows][3][6]
    float *scaled;           // Z by place, [rows][3][6]
    double *dense, *inverse; // [size * size]
    float *applied;          // the inverse, [size][size]
    float *rhs, *solution;
    LyraDenseFactor *factor;
    bool *dropped; // [size]
    int64_t bytes;
};

static LyraStatus take(LyPcgCoarse *coarse, int64_t count, size_t size, void *out)
{
    LY_TRY(ly_allocate_zeroed(coarse->ctx, count, size, out));
    coarse->bytes += count * (int64_t)size;
    return LYRA_OK;
}

LyraStatus ly_pcg_coarse_create(const LyPcgMatrix *matrix, const double *positions,
                                int32_t aggregate, LyPcgCoarse **out)
{
    LyraContext *ctx = matrix->ctx;
    LyraStatus status = LYRA_OK;
    LyPcgCoarse *coarse = NULL;
    int64_t rows = matrix->rows;
    LY_TRY(ly_allocate_zeroed(ctx, 1, sizeof *coarse, &coarse));
    coarse->ctx = ctx;
    coarse->matrix = matrix;
    coarse->rows = matrix->rows;
    int64_t each = aggregate > 0
                       ? aggregate
                       : ly_max_i64(VERTICES_MIN, (rows + AGGREGATES_MAX - 1) / AGGREGATES_MAX);
    int64_t aggregates = ly_piece_count(rows, each);
    if (aggregates > 2048) {
        status =
            ly_fail(LYRA_INVALID_ARGUMENT,
                    "pcg: %lld aggregates make a coarse matrix of %lld unknowns; ask for at "
                    "least %lld vertices each",
                    (long long)aggregates, 6 * (long long)aggregates, (long long)(rows / 2048 + 1));
        goto done;
    }
    coarse->aggregates = (int32_t)aggregates;
    coarse->size = 6 * coarse->aggregates;
    int64_t square = (int64_t)coarse->size * coarse->size;
    LY_TRY_DONE(take(coarse, rows, sizeof(int32_t), &coarse->order));
    LY_TRY_DONE(take(coarse, aggregates + 1, sizeof(int32_t), &coarse->begin));
    LY_TRY_DONE(take(coarse, rows, sizeof(int32_t), &coarse->of));
    LY_TRY_DONE(take(coarse, 3 * rows, sizeof(double), &coarse->positions));
    LY_TRY_DONE(take(coarse, 18 * rows, sizeof(double), &coarse->modes));
    LY_TRY_DONE(take(coarse, 18 * rows, sizeof(float), &coarse->scaled));
    LY_TRY_DONE(take(coarse, square, sizeof(double), &coarse->dense));
    LY_TRY_DONE(take(coarse, square, sizeof(double), &coarse->inverse));
    LY_TRY_DONE(take(coarse, square, sizeof(float), &coarse->applied));
    LY_TRY_DONE(take(coarse, coarse->size, sizeof(float), &coarse->rhs));
    LY_TRY_DONE(take(coarse, coarse->size, sizeof(float), &coarse->solution));
    LY_TRY_DONE(take(coarse, coarse->size, sizeof(bool), &coarse->dropped));
    // all here is in the order of the copy
    for (int64_t i = 0; i < rows; ++i) {
        memcpy(coarse->positions + 3 * i, positions + 3 * (int64_t)matrix->order[i],
               3 * sizeof(double));
    }
    LY_TRY_DONE(lyra_reorder_hilbert(ctx, matrix->rows, coarse->positions, coarse->order));
    for (int32_t a = 0; a <= coarse->aggregates; ++a) {
        coarse->begin[a] = (int32_t)ly_piece_begin(rows, coarse->aggregates, a);
        for (int32_t i = a > 0 ? coarse->begin[a - 1] : 0; a > 0 && i < coarse->begin[a]; ++i) {
            coarse->of[coarse->order[i]] = a - 1;
        }
    }
    *out = coarse;
    coarse = NULL;
done:
    ly_pcg_coarse_destroy(coarse);
    return status;
}

void ly_pcg_coarse_destroy(LyPcgCoarse *coarse)
{
    if (coarse) {
        LyraContext *ctx = coarse->ctx;
        ly_release(ctx, coarse->order);
        ly_release(ctx, coarse->begin);
        ly_release(ctx, coarse->of);
        ly_release(ctx, coarse->positions);
        ly_release(ctx, coarse->modes);
        ly_release(ctx, coarse->scaled);
        ly_release(ctx, coarse->dense);
        ly_release(ctx, coarse->inverse);
        ly_release(ctx, coarse->applied);
        ly_release(ctx, coarse->rhs);
        ly_release(ctx, coarse->solution);
        ly_release(ctx, coarse->dropped);
        lyra_dense_factor_destroy(coarse->factor);
        ly_release(ctx, coarse);
    }
}

int32_t ly_pcg_coarse_size(const LyPcgCoarse *coarse)
{
    return coarse ? coarse->size : 0;
}

int64_t ly_pcg_coarse_bytes(const LyPcgCoarse *coarse)
{
    // the factor holds about one more square
    return coarse ? coarse->bytes + 8 * (int64_t)coarse->size * coarse->size : 0;
}

// ---- modes --------------------------------------------------------------------------------------

// rigid modes of one vertex at `arm` from the centre, in scaled coordinates: C^T (e_k | e_k x arm)
static void scaled_modes(const double *C, const double arm[3], double Z[3][6])
{
    const double rigid[3][6] = {{1, 0, 0, 0, arm[2], -arm[1]},
                                {0, 1, 0, -arm[2], 0, arm[0]},
                                {0, 0, 1, arm[1], -arm[0], 0}};
    for (int k = 0; k < 6; ++k) {
        Z[0][k] = C[0] * rigid[0][k] + C[3] * rigid[1][k] + C[6] * rigid[2][k];
        Z[1][k] = C[4] * rigid[1][k] + C[7] * rigid[2][k];
        Z[2][k] = C[8] * rigid[2][k];
    }
}

// P~ Z, with the filter of a row
static void filter_modes(const LyPcgMatrix *matrix, int32_t f, double Z[3][6])
{
    double P[9];
    for (int k = 0; k < 9; ++k) {
        int64_t at = 9 * (int64_t)f + k;
        P[k] = matrix->real == sizeof(float) ? (double)((const float *)matrix->filter)[at]
                                             : ((const double *)matrix->filter)[at];
    }
    for (int k = 0; k < 6; ++k) {
        double z[3] = {Z[0][k], Z[1][k], Z[2][k]};
        for (int d = 0; d < 3; ++d) {
            Z[d][k] = P[3 * d] * z[0] + P[3 * d + 1] * z[1] + P[3 * d + 2] * z[2];
        }
    }
}

// Gram-Schmidt over the 6 columns of an aggregate; `Z` is the mode array of its rows
static void orthonormalise(LyPcgCoarse *coarse, int32_t a)
{
    int32_t begin = coarse->begin[a], end = coarse->begin[a + 1];
    for (int k = 0; k < 6; ++k) {
        double before = 0.0, after = 0.0;
        // the second round removes what cancellation left
        for (int round = 0; round < 2; ++round) {
            for (int e = 0; e <= k; ++e) {
                double along = 0.0;
                for (int64_t i = begin; i < end; ++i) {
                    const double *Z = coarse->modes + 18 * (int64_t)coarse->order[i];
                    along += Z[k] * Z[e] + Z[6 + k] * Z[6 + e] + Z[12 + k] * Z[12 + e];
                }
                if (e == k) {
                    before = round == 0 ? fmax(before, along) : before;
                    after = along;
                    break;
                }
                if (round == 0) {
                    before += along * along;
                }
                for (int64_t i = begin; i < end; ++i) {
                    double *Z = coarse->modes + 18 * (int64_t)coarse->order[i];
                    for (int d = 0; d < 18; d += 6) {
                        Z[d + k] -= along * Z[d + e];
                    }
                }
            }
        }
        bool dropped = !(after > DEPENDENT * DEPENDENT * before) || !(after > 0.0);
        coarse->dropped[6 * a + k] = dropped;
        double scale = dropped ? 0.0 : 1.0 / sqrt(after);
        for (int64_t i = begin; i < end; ++i) {
            double *Z = coarse->modes + 18 * (int64_t)coarse->order[i];
            for (int d = 0; d < 18; d += 6) {
                Z[d + k] *= scale;
            }
        }
    }
}

// the modes of aggregate `a`, in scaled coordinates and as they act on A
static void modes_task(void *data, int32_t a, int32_t worker)
{
    (void)worker;
    LyPcgCoarse *coarse = data;
    const LyPcgMatrix *matrix = coarse->matrix;
    int32_t begin = coarse->begin[a], end = coarse->begin[a + 1];
    double centre[3] = {0, 0, 0}, reach = 0.0;
    for (int32_t i = begin; i < end; ++i) {
        for (int d = 0; d < 3; ++d) {
            centre[d] += coarse->positions[3 * (int64_t)coarse->order[i] + d] / (end - begin);
        }
    }
    for (int32_t i = begin; i < end; ++i) {
        for (int d = 0; d < 3; ++d) {
            double arm = coarse->positions[3 * (int64_t)coarse->order[i] + d] - centre[d];
            reach = fmax(reach, fabs(arm));
        }
    }
    reach = reach > 0.0 ? reach : 1.0;
    for (int32_t i = begin; i < end; ++i) {
        int64_t row = coarse->order[i];
        const double *X = coarse->positions + 3 * row;
        double arm[3], Z[3][6];
        for (int d = 0; d < 3; ++d) {
            arm[d] = (X[d] - centre[d]) / reach;
        }
        scaled_modes(matrix->root + 9 * row, arm, Z);
        memcpy(coarse->modes + 18 * row, Z, sizeof Z);
    }
    // constrained rows of this aggregate
    for (int32_t f = 0; f < matrix->filters; ++f) {
        int64_t row = matrix->filter_row[f];
        if (coarse->of[row] == a) {
            filter_modes(matrix, f, (double(*)[6])(coarse->modes + 18 * row));
        }
    }
    orthonormalise(coarse, a);
    for (int32_t i = begin; i < end; ++i) {
        int64_t row = coarse->order[i];
        double *Z = coarse->modes + 18 * row;
        const double *S = matrix->scale + 9 * row;
        for (int k = 0; k < 18; ++k) {
            coarse->scaled[18 * (int64_t)i + k] = (float)Z[k];
        }
        for (int k = 0; k < 6; ++k) {
            double z0 = Z[k], z1 = Z[6 + k], z2 = Z[12 + k];
            Z[k] = S[0] * z0 + S[3] * z1 + S[6] * z2;
            Z[6 + k] = S[4] * z1 + S[7] * z2;
            Z[12 + k] = S[8] * z2;
        }
    }
}

// ---- the coarse matrix --------------------------------------------------------------------------

// dense += Y_i^T A Y_j at the blocks of the aggregates of i and j, lower triangle
static void add_block(LyPcgCoarse *coarse, int32_t i, int32_t j, const double *A)
{
    const double *Yi = coarse->modes + 18 * (int64_t)i, *Yj = coarse->modes + 18 * (int64_t)j;
    int64_t a = 6 * (int64_t)coarse->of[i], b = 6 * (int64_t)coarse->of[j], n = coarse->size;
    double AY[3][6];
    for (int r = 0; r < 3; ++r) {
        for (int k = 0; k < 6; ++k) {
            AY[r][k] = A[3 * r] * Yj[k] + A[3 * r + 1] * Yj[6 + k] + A[3 * r + 2] * Yj[12 + k];
        }
    }
    for (int k = 0; k < 6; ++k) {
        for (int l = 0; l < 6; ++l) {
            double value = Yi[k] * AY[0][l] + Yi[6 + k] * AY[1][l] + Yi[12 + k] * AY[2][l];
            // the pair (i, j) above the diagonal stands for (j, i) too
            if (a + k >= b + l) {
                coarse->dense[a + k + n * (b + l)] += value;
            }
            if (i != j && b + l >= a + k) {
                coarse->dense[b + l + n * (a + k)] += value;
            }
        }
    }
}

static LyraStatus invert(LyPcgCoarse *coarse)
{
    int64_t n = coarse->size;
    if (coarse->factor) {
        LY_TRY(lyra_dense_factor_update(coarse->factor, coarse->dense));
    } else {
        LY_TRY(lyra_dense_factor_create(coarse->ctx, LYRA_FACTOR_CHOLESKY, coarse->size,
                                        coarse->dense, &coarse->factor));
    }
    memset(coarse->inverse, 0, (size_t)(n * n) * sizeof(double));
    for (int64_t k = 0; k < n; ++k) {
        coarse->inverse[k + n * k] = 1.0;
    }
    LY_TRY(lyra_dense_factor_solve(coarse->factor, coarse->size, coarse->inverse, coarse->inverse));
    for (int64_t k = 0; k < n; ++k) {
        for (int64_t l = 0; l <= k; ++l) {
            float value = (float)(0.5 * (coarse->inverse[k + n * l] + coarse->inverse[l + n * k]));
            bool dropped = coarse->dropped[k] || coarse->dropped[l];
            coarse->applied[k * n + l] = coarse->applied[l * n + k] = dropped ? 0.0f : value;
        }
    }
    return LYRA_OK;
}

LyraStatus ly_pcg_coarse_factor(LyPcgCoarse *coarse, const LyraBlockMatrix *A)
{
    LyraBlockPatternView pattern = lyra_block_pattern_view(lyra_block_matrix_pattern(A));
    const double *values = lyra_block_matrix_values(A);
    const int32_t *place = coarse->matrix->place;
    int64_t n = coarse->size;
    ly_parallel_for(coarse->ctx, coarse->aggregates, modes_task, coarse);
    memset(coarse->dense, 0, (size_t)(n * n) * sizeof(double));
    for (int32_t i = 0; i < coarse->rows; ++i) {
        for (int64_t k = pattern.diagonal[i]; k < pattern.row_start[i + 1]; ++k) {
            add_block(coarse, place[i], place[pattern.column[k]], values + 9 * k);
        }
    }
    for (int64_t k = 0; k < n; ++k) {
        if (coarse->dropped[k]) {
            coarse->dense[k + n * k] = 1.0;
        }
    }
    LyraStatus status = invert(coarse);
    if (status == LYRA_NOT_POSITIVE_DEFINITE || status == LYRA_SINGULAR) {
        return ly_fail(LYRA_NOT_POSITIVE_DEFINITE,
                       "pcg: the matrix is not positive definite for rigid motions of its parts");
    }
    return status;
}

// ---- application --------------------------------------------------------------------------------

typedef struct AddLoop {
    LyPcgCoarse *coarse;
    int32_t pieces;
    const void *r;
    void *z;
} AddLoop;

static void restrict_task(void *data, int32_t index, int32_t worker)
{
    (void)worker;
    AddLoop *loop = data;
    LyPcgCoarse *coarse = loop->coarse;
    bool single = coarse->matrix->real == sizeof(float);
    for (int64_t a = ly_piece_begin(coarse->aggregates, loop->pieces, index);
         a < ly_piece_begin(coarse->aggregates, loop->pieces, index + 1); ++a) {
        float sum[6] = {0};
        for (int64_t i = coarse->begin[a]; i < coarse->begin[a + 1]; ++i) {
            int64_t row = coarse->order[i];
            const float *Z = coarse->scaled + 18 * i;
            for (int d = 0; d < 3; ++d) {
                float r = single ? ((const float *)loop->r)[4 * row + d]
                                 : (float)((const double *)loop->r)[4 * row + d];
                for (int k = 0; k < 6; ++k) {
                    sum[k] += Z[6 * d + k] * r;
                }
            }
        }
        memcpy(coarse->rhs + 6 * a, sum, sizeof sum);
    }
}

static void solve_task(void *data, int32_t index, int32_t worker)
{
    (void)worker;
    AddLoop *loop = data;
    LyPcgCoarse *coarse = loop->coarse;
    int64_t n = coarse->size;
    for (int64_t k = ly_piece_begin(n, loop->pieces, index);
         k < ly_piece_begin(n, loop->pieces, index + 1); ++k) {
        const float *row = coarse->applied + n * k;
        // n is a multiple of 6
        float sum[6] = {0};
        for (int64_t l = 0; l < n; l += 6) {
            for (int e = 0; e < 6; ++e) {
                sum[e] += row[l + e] * coarse->rhs[l + e];
            }
        }
        coarse->solution[k] = sum[0] + sum[1] + sum[2] + sum[3] + sum[4] + sum[5];
    }
}

static void prolong_task(void *data, int32_t index, int32_t worker)
{
    (void)worker;
    AddLoop *loop = data;
    LyPcgCoarse *coarse = loop->coarse;
    bool single = coarse->matrix->real == sizeof(float);
    for (int64_t a = ly_piece_begin(coarse->aggregates, loop->pieces, index);
         a < ly_piece_begin(coarse->aggregates, loop->pieces, index + 1); ++a) {
        const float *y = coarse->solution + 6 * a;
        for (int64_t i = coarse->begin[a]; i < coarse->begin[a + 1]; ++i) {
            int64_t row = coarse->order[i];
            const float *Z = coarse->scaled + 18 * i;
            for (int d = 0; d < 3; ++d) {
                float sum = 0.0f;
                for (int k = 0; k < 6; ++k) {
                    sum += Z[6 * d + k] * y[k];
                }
                if (single) {
                    ((float *)loop->z)[4 * row + d] += sum;
                } else {
                    ((double *)loop->z)[4 * row + d] += (double)sum;
                }
            }
        }
    }
}

void ly_pcg_coarse_add(LyPcgCoarse *coarse, const void *r, void *z)
{
    AddLoop loop = {.coarse = coarse, .r = r, .z = z};
    loop.pieces = coarse->aggregates < PIECES_MAX ? coarse->aggregates : PIECES_MAX;
    if (loop.pieces < 1) {
        return;
    }
    ly_parallel_for(coarse->ctx, loop.pieces, restrict_task, &loop);
    ly_parallel_for(coarse->ctx, loop.pieces, solve_task, &loop);
    ly_parallel_for(coarse->ctx, loop.pieces, prolong_task, &loop);
}
