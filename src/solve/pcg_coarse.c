// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// A coarse space of rigid motions on top of another preconditioner of pcg: the six rigid modes of
// each aggregate of vertices as coarse functions, columns of Z [Nic87]. Stiff systems (statics,
// long steps) converge slowly because of motions that strain the body little; locally these are
// rigid, so they are solved for at once with G = Z^T A~ Z, and the iteration is left with the rest.
// This file makes Z, W = A~ Z and the factor of G; pcg_deflate.c has the iteration.
//
// Aggregates are pieces of equal length of the Hilbert curve through the vertices: compact, and
// fixed by the number of vertices. A row of W has a 3x6 block for each aggregate that the vertex or
// a neighbour of it belongs to, its own first.
//
// The columns of Z for one aggregate with centre c: translations e_k and rotations e_k x (X - c),
// filtered by the constraints and made orthonormal in scaled coordinates. A column that depends on
// the others (too few vertices, or held ones) is left out: zeros, and 1 on the diagonal of G. W and
// G are summed in doubles from A itself, since in floats the small eigenvalues of G would be noise.

#include "solve/pcg_coarse.h"
#include "lyra/reorder.h"

#include <math.h>
#include <string.h>

// Aggregates by size: at least so many vertices each, and their number grows with the root of the
// number of vertices, so that a solve with G costs a fixed part of a sweep.
#define VERTICES_MIN 48
#define AGGREGATES_PER_ROOT 0.55

// a coarse matrix beyond this takes longer to factor than it saves
#define AGGREGATES_MAX 2048

// a column that keeps less than this of its length counts as dependent
#define DEPENDENT 1e-6

// ---- making -------------------------------------------------------------------------------------

static LyraStatus take(LyPcgCoarse *coarse, int64_t count, size_t size, void *out)
{
    LY_TRY(ly_allocate_zeroed(coarse->ctx, count, size, out));
    coarse->bytes += count * (int64_t)size;
    return LYRA_OK;
}

static LyraStatus choose_aggregates(LyPcgCoarse *coarse, int32_t aggregate)
{
    int64_t rows = coarse->rows, root = (int64_t)(AGGREGATES_PER_ROOT * sqrt((double)rows)) + 1;
    int64_t each = aggregate > 0 ? aggregate : ly_max_i64(VERTICES_MIN, (rows + root - 1) / root);
    int64_t aggregates = (rows + each - 1) / each;
    if (aggregates > AGGREGATES_MAX) {
        return ly_fail(LYRA_INVALID_ARGUMENT,
                       "pcg: %lld aggregates make a coarse matrix of %lld unknowns; ask for at "
                       "least %lld vertices each",
                       (long long)aggregates, 6 * (long long)aggregates,
                       (long long)(rows / AGGREGATES_MAX + 1));
    }
    coarse->aggregates = (int32_t)aggregates;
    coarse->size = 6 * coarse->aggregates;
    return LYRA_OK;
}

// cuts the curve into aggregates
static LyraStatus cut(LyPcgCoarse *coarse, const double *positions)
{
    const LyPcgMatrix *matrix = coarse->matrix;
    int64_t rows = coarse->rows;
    LY_TRY(take(coarse, rows, sizeof(int32_t), &coarse->order));
    LY_TRY(take(coarse, (int64_t)coarse->aggregates + 1, sizeof(int32_t), &coarse->begin));
    LY_TRY(take(coarse, rows, sizeof(int32_t), &coarse->of));
    LY_TRY(take(coarse, 3 * rows, sizeof(double), &coarse->positions));
    // all here is in the order of the copy
    for (int64_t i = 0; i < rows; ++i) {
        memcpy(coarse->positions + 3 * i, positions + 3 * (int64_t)matrix->order[i],
               3 * sizeof(double));
    }
    LY_TRY(lyra_reorder_hilbert(coarse->ctx, matrix->rows, coarse->positions, coarse->order));
    for (int32_t a = 0; a < coarse->aggregates; ++a) {
        coarse->begin[a + 1] = (int32_t)ly_piece_begin(rows, coarse->aggregates, a + 1);
        for (int32_t i = coarse->begin[a]; i < coarse->begin[a + 1]; ++i) {
            coarse->of[coarse->order[i]] = a;
        }
    }
    return LYRA_OK;
}

// lists the neighbours of each row, itself first
static LyraStatus list_neighbours(LyPcgCoarse *coarse, const LyraBlockPatternView *pattern)
{
    const int32_t *place = coarse->matrix->place;
    int64_t rows = coarse->rows, *fill = NULL;
    LY_TRY(take(coarse, rows + 1, sizeof(int64_t), &coarse->near_start));
    for (int32_t i = 0; i < rows; ++i) {
        for (int64_t k = pattern->diagonal[i]; k < pattern->row_start[i + 1]; ++k) {
            ++coarse->near_start[place[i] + 1];
            coarse->near_start[place[pattern->column[k]] + 1] += pattern->column[k] != i;
        }
    }
    for (int64_t i = 0; i < rows; ++i) {
        coarse->near_start[i + 1] += coarse->near_start[i];
    }
    int64_t count = coarse->near_start[rows];
    LY_TRY(take(coarse, count, sizeof(int32_t), &coarse->near_row));
    LY_TRY(take(coarse, count, sizeof(int32_t), &coarse->near_source));
    LY_TRY(take(coarse, count, sizeof(int32_t), &coarse->near_slot));
    LY_TRY(ly_allocate_array(coarse->ctx, rows, sizeof(int64_t), &fill));
    for (int32_t i = 0; i < rows; ++i) {
        int64_t at = coarse->near_start[place[i]];
        coarse->near_row[at] = place[i];
        coarse->near_source[at] = (int32_t)pattern->diagonal[i];
        fill[place[i]] = at + 1;
    }
    for (int32_t i = 0; i < rows; ++i) {
        for (int64_t k = pattern->diagonal[i] + 1; k < pattern->row_start[i + 1]; ++k) {
            int32_t p = place[i], q = place[pattern->column[k]];
            coarse->near_row[fill[p]] = q;
            coarse->near_source[fill[p]++] = (int32_t)k;
            coarse->near_row[fill[q]] = p;
            coarse->near_source[fill[q]++] = ~(int32_t)k;
        }
    }
    ly_release(coarse->ctx, fill);
    return LYRA_OK;
}

// Lists the aggregates of the neighbours of each row, and which is that of each neighbour. A first
// pass counts.
static LyraStatus list_touched(LyPcgCoarse *coarse)
{
    int64_t rows = coarse->rows;
    LyraStatus status = LYRA_OK;
    int32_t *seen = NULL, *slot = NULL; // row that met an aggregate last, and as which
    LY_TRY_DONE(ly_allocate_array(coarse->ctx, coarse->aggregates, sizeof *seen, &seen));
    LY_TRY_DONE(ly_allocate_array(coarse->ctx, coarse->aggregates, sizeof *slot, &slot));
    LY_TRY_DONE(take(coarse, rows + 1, sizeof(int64_t), &coarse->start));
    for (int pass = 0; pass < 2; ++pass) {
        int64_t total = 0;
        memset(seen, -1, (size_t)coarse->aggregates * sizeof *seen);
        for (int32_t i = 0; i < rows; ++i) {
            int32_t found = 0;
            coarse->start[i] = total;
            for (int64_t k = coarse->near_start[i]; k < coarse->near_start[i + 1]; ++k) {
                int32_t a = coarse->of[coarse->near_row[k]];
                if (seen[a] != i) {
                    seen[a] = i;
                    slot[a] = found++;
                    if (pass == 1) {
                        coarse->touched[total + slot[a]] = a;
                    }
                }
                coarse->near_slot[k] = slot[a];
            }
            total += found;
            coarse->touched_max = found > coarse->touched_max ? found : coarse->touched_max;
        }
        coarse->start[rows] = total;
        if (pass == 0) {
            LY_TRY_DONE(take(coarse, total, sizeof(int32_t), &coarse->touched));
        }
    }
done:
    ly_release(coarse->ctx, seen);
    ly_release(coarse->ctx, slot);
    return status;
}

static LyraStatus take_values(LyPcgCoarse *coarse)
{
    size_t real = coarse->matrix->real;
    int64_t rows = coarse->rows, n = coarse->size, aggregates = coarse->aggregates;
    LY_TRY(take(coarse, rows, sizeof(int32_t), &coarse->filter_of));
    LY_TRY(take(coarse, 24 * (int64_t)coarse->touched_max * lyra_context_thread_count(coarse->ctx),
                sizeof(double), &coarse->scratch));
    LY_TRY(take(coarse, 18 * rows + LY_PCG_PAD, sizeof(double), &coarse->modes));
    LY_TRY(take(coarse, 18 * rows + LY_PCG_PAD, real, &coarse->Z));
    LY_TRY(take(coarse, 18 * coarse->start[rows] + LY_PCG_PAD, real, &coarse->W));
    LY_TRY(take(coarse, n * n, sizeof(double), &coarse->dense));
    LY_TRY(take(coarse, 8 * aggregates * LY_PCG_DOMAINS_MAX, sizeof(double), &coarse->sums));
    LY_TRY(take(coarse, n, sizeof(double), &coarse->rhs));
    LY_TRY(take(coarse, 8 * aggregates, real, &coarse->mu));
    return take(coarse, n, sizeof(bool), &coarse->dropped);
}

LyraStatus ly_pcg_coarse_create(const LyPcgMatrix *matrix, const LyraBlockPattern *pattern,
                                const double *positions, int32_t aggregate, LyPcgCoarse **out)
{
    LyraContext *ctx = matrix->ctx;
    LyraBlockPatternView view = lyra_block_pattern_view(pattern);
    LyraStatus status = LYRA_OK;
    LyPcgCoarse *coarse = NULL;
    LY_TRY(ly_allocate_zeroed(ctx, 1, sizeof *coarse, &coarse));
    coarse->ctx = ctx;
    coarse->matrix = matrix;
    coarse->rows = matrix->rows;
    LY_TRY_DONE(choose_aggregates(coarse, aggregate));
    LY_TRY_DONE(cut(coarse, positions));
    LY_TRY_DONE(list_neighbours(coarse, &view));
    LY_TRY_DONE(list_touched(coarse));
    LY_TRY_DONE(take_values(coarse));
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
        ly_release(ctx, coarse->near_start);
        ly_release(ctx, coarse->near_row);
        ly_release(ctx, coarse->near_source);
        ly_release(ctx, coarse->near_slot);
        ly_release(ctx, coarse->start);
        ly_release(ctx, coarse->touched);
        ly_release(ctx, coarse->filter_of);
        ly_release(ctx, coarse->scratch);
        ly_release(ctx, coarse->modes);
        ly_release(ctx, coarse->Z);
        ly_release(ctx, coarse->W);
        ly_release(ctx, coarse->dense);
        ly_release(ctx, coarse->sums);
        ly_release(ctx, coarse->rhs);
        ly_release(ctx, coarse->mu);
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

// P~ Z of row `i`, whose filter is `f`
static void filter_modes(const LyPcgMatrix *matrix, int32_t f, double *Z)
{
    double P[9];
    for (int k = 0; k < 9; ++k) {
        int64_t at = 9 * (int64_t)f + k;
        P[k] = matrix->real == sizeof(float) ? (double)((const float *)matrix->filter)[at]
                                             : ((const double *)matrix->filter)[at];
    }
    for (int k = 0; k < 6; ++k) {
        double z[3] = {Z[k], Z[6 + k], Z[12 + k]};
        for (int d = 0; d < 3; ++d) {
            Z[6 * d + k] = P[3 * d] * z[0] + P[3 * d + 1] * z[1] + P[3 * d + 2] * z[2];
        }
    }
}

static void store(const LyPcgMatrix *matrix, const double *from, void *to, int64_t at)
{
    for (int k = 0; k < 18; ++k) {
        if (matrix->real == sizeof(float)) {
            ((float *)to)[18 * at + k] = (float)from[k];
        } else {
            ((double *)to)[18 * at + k] = from[k];
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

// centre of an aggregate and how far it reaches
static void find_centre(const LyPcgCoarse *coarse, int32_t a, double centre[3], double *reach)
{
    int32_t begin = coarse->begin[a], end = coarse->begin[a + 1];
    *reach = 0.0;
    for (int d = 0; d < 3; ++d) {
        centre[d] = 0.0;
        for (int32_t i = begin; i < end; ++i) {
            centre[d] += coarse->positions[3 * (int64_t)coarse->order[i] + d] / (end - begin);
        }
        for (int32_t i = begin; i < end; ++i) {
            double arm = coarse->positions[3 * (int64_t)coarse->order[i] + d] - centre[d];
            *reach = fmax(*reach, fabs(arm));
        }
    }
    *reach = *reach > 0.0 ? *reach : 1.0;
}

// clears the columns of aggregate `a` in the lower triangle of G
static void clear_columns(LyPcgCoarse *coarse, int32_t a)
{
    int64_t n = coarse->size, first = 6 * (int64_t)a;
    for (int64_t k = first; k < first + 6; ++k) {
        memset(coarse->dense + n * k + first, 0, (size_t)(n - first) * sizeof(double));
    }
}

// the modes of aggregate `a`: Z, and C^-T Z, as they act on A
static void modes_task(void *data, int32_t a, int32_t worker)
{
    (void)worker;
    LyPcgCoarse *coarse = data;
    const LyPcgMatrix *matrix = coarse->matrix;
    double centre[3], reach;
    clear_columns(coarse, a);
    find_centre(coarse, a, centre, &reach);
    for (int32_t i = coarse->begin[a]; i < coarse->begin[a + 1]; ++i) {
        int64_t row = coarse->order[i];
        const double *X = coarse->positions + 3 * row;
        double arm[3], Z[3][6];
        for (int d = 0; d < 3; ++d) {
            arm[d] = (X[d] - centre[d]) / reach;
        }
        scaled_modes(matrix->root + 9 * row, arm, Z);
        if (matrix->scalar && matrix->scalar[matrix->order[row]]) {
            memset(Z, 0, sizeof Z);
        }
        memcpy(coarse->modes + 18 * row, Z, sizeof Z);
        if (coarse->filter_of[row] >= 0) {
            filter_modes(matrix, coarse->filter_of[row], coarse->modes + 18 * row);
        }
    }
    orthonormalise(coarse, a);
    for (int32_t i = coarse->begin[a]; i < coarse->begin[a + 1]; ++i) {
        int64_t row = coarse->order[i];
        double *Z = coarse->modes + 18 * row;
        const double *S = matrix->scale + 9 * row;
        store(matrix, Z, coarse->Z, row);
        for (int k = 0; k < 6; ++k) {
            double z0 = Z[k], z1 = Z[6 + k], z2 = Z[12 + k];
            Z[k] = S[0] * z0 + S[3] * z1 + S[6] * z2;
            Z[6 + k] = S[4] * z1 + S[7] * z2;
            Z[12 + k] = S[8] * z2;
        }
    }
}

// ---- the coarse matrix --------------------------------------------------------------------------

typedef struct ProductLoop {
    LyPcgCoarse *coarse;
    const double *values;
    LyPcgExpand *expand;
} ProductLoop;

static LyPcgExpand *const expands[] = LY_KERNEL_TABLE(ly_pcg_expand);

// the rows of W of aggregate `a`, and its rows of the lower triangle of G = Y^T A Y
static void product_task(void *data, int32_t a, int32_t worker)
{
    const ProductLoop *loop = data;
    LyPcgCoarse *coarse = loop->coarse;
    const LyPcgMatrix *matrix = coarse->matrix;
    int64_t n = coarse->size;
    double *AY = coarse->scratch + 24 * (int64_t)coarse->touched_max * worker;
    for (int32_t p = coarse->begin[a]; p < coarse->begin[a + 1]; ++p) {
        int64_t i = coarse->order[p];
        int32_t count = (int32_t)(coarse->start[i + 1] - coarse->start[i]);
        int64_t first = coarse->near_start[i];
        memset(AY, 0, 24 * (size_t)count * sizeof *AY);
        loop->expand(coarse->near_start[i + 1] - first, coarse->near_row + first,
                     coarse->near_source + first, coarse->near_slot + first, loop->values,
                     coarse->modes, AY);
        const double *Y = coarse->modes + 18 * i, *S = matrix->scale + 9 * i;
        for (int32_t e = 0; e < count; ++e) {
            int32_t b = coarse->touched[coarse->start[i] + e];
            double V[18];
            for (int d = 0; d < 3; ++d) {
                memcpy(V + 6 * d, AY + 24 * (int64_t)e + 8 * d, 6 * sizeof *V);
            }
            for (int l = 0; l < 6 && b <= a; ++l) {
                double *column = coarse->dense + n * (6 * (int64_t)b + l) + 6 * (int64_t)a;
                for (int k = 0; k < 6; ++k) {
                    column[k] += Y[k] * V[l] + Y[6 + k] * V[6 + l] + Y[12 + k] * V[12 + l];
                }
            }
            // W = P~ C^-1 A Y
            for (int k = 0; k < 6; ++k) {
                double v0 = V[k], v1 = V[6 + k], v2 = V[12 + k];
                V[k] = S[0] * v0;
                V[6 + k] = S[3] * v0 + S[4] * v1;
                V[12 + k] = S[6] * v0 + S[7] * v1 + S[8] * v2;
            }
            if (coarse->filter_of[i] >= 0) {
                filter_modes(matrix, coarse->filter_of[i], V);
            }
            store(matrix, V, coarse->W, coarse->start[i] + e);
        }
    }
}

static LyraStatus factor_dense(LyPcgCoarse *coarse)
{
    return coarse->factor ? lyra_dense_factor_update(coarse->factor, coarse->dense)
                          : lyra_dense_factor_create(coarse->ctx, LYRA_FACTOR_CHOLESKY,
                                                     coarse->size, coarse->dense, &coarse->factor);
}

LyraStatus ly_pcg_coarse_factor(LyPcgCoarse *coarse, const LyraBlockMatrix *A)
{
    const LyPcgMatrix *matrix = coarse->matrix;
    ProductLoop loop = {coarse, lyra_block_matrix_values(A),
                        expands[lyra_context_isa(coarse->ctx)]};
    int64_t n = coarse->size;
    memset(coarse->filter_of, -1, (size_t)coarse->rows * sizeof(int32_t));
    for (int32_t f = 0; f < matrix->filters; ++f) {
        coarse->filter_of[matrix->filter_row[f]] = f;
    }
    ly_parallel_for(coarse->ctx, coarse->aggregates, modes_task, coarse);
    ly_parallel_for(coarse->ctx, coarse->aggregates, product_task, &loop);
    for (int64_t k = 0; k < n; ++k) {
        if (coarse->dropped[k]) {
            coarse->dense[k + n * k] = 1.0;
        }
    }
    LyraStatus status = factor_dense(coarse);
    if (status == LYRA_NOT_POSITIVE_DEFINITE || status == LYRA_SINGULAR) {
        return ly_fail(LYRA_NOT_POSITIVE_DEFINITE,
                       "pcg: the matrix is not positive definite for rigid motions of its parts");
    }
    return status;
}
