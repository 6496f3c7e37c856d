// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// The scaled copy of a block matrix that pcg iterates on (see pcg.h): domains, values, constraints.
//
// Constraints in scaled coordinates. n . x = n . C^-T x~ = (C^-1 n) . x~, so a direction n of a
// vertex becomes n~ = C^-1 n; the directions of a vertex, made orthonormal, give P~ = I - sum n~
// n~^T per vertex, and the Galerkin system P A P x = P b is P~ A~ P~ x~ = P~ b~. The sweeps apply
// P~ to a row as they finish it. Then they are the sweeps of the filtered matrix itself,
//     (I + P~ L P~)^-1 P~,
// with D = I on the free motions: SSOR and Eisenstat's form hold unchanged, at no cost per
// direction, and the copy of A does not depend on the directions. Filtering p^ in Eisenstat's
// variables by p^ -= (E^T n)(E^-1 n . p^) instead, E = D + L, would need a triangular solve and a
// dense vector for each direction.
//
// The copy does depend on them where a diagonal block is not positive definite but is so on the
// free motions (a vertex without mass that is held): there C comes from P D P + s (I - P).

#include "solve/pcg.h"

#include <float.h>
#include <math.h>
#include <string.h>

// ---- pattern ------------------------------------------------------------------------------------

static LyraStatus take(LyPcgMatrix *matrix, int64_t count, size_t size, void *out)
{
    LY_TRY(ly_allocate_zeroed(matrix->ctx, count, size, out));
    matrix->bytes += count * (int64_t)size;
    return LYRA_OK;
}

// Goes over the blocks above the diagonal: counts those inside domains by row and those between
// them by both rows, or places them. `inner_of`, `outer_of`: counts, then places to fill.
static void place_blocks(LyPcgMatrix *matrix, const LyraBlockPatternView *view,
                         const int8_t *domain_of, int64_t *inner_of, int64_t *outer_of, bool fill)
{
    for (int32_t old = 0; old < matrix->rows; ++old) {
        for (int64_t k = view->diagonal[old] + 1; k < view->row_start[old + 1]; ++k) {
            int32_t i = matrix->place[old], j = matrix->place[view->column[k]];
            int32_t upper = i < j ? (int32_t)k : ~(int32_t)k;
            int32_t row = i < j ? i : j, column = i < j ? j : i;
            if (domain_of[i] == domain_of[j]) {
                if (fill) {
                    matrix->column[inner_of[row]] = column;
                    matrix->source[inner_of[row]] = upper;
                }
                ++inner_of[row];
                continue;
            }
            if (fill) {
                matrix->outer_column[outer_of[row]] = column;
                matrix->outer_source[outer_of[row]] = upper;
                matrix->outer_column[outer_of[column]] = row;
                matrix->outer_source[outer_of[column]] = ~upper;
            }
            ++outer_of[row];
            ++outer_of[column];
        }
    }
}

// turns counts per row into places, and lists the rows that have outer entries
static void start_rows(LyPcgMatrix *matrix, int64_t *inner_of, int64_t *outer_of)
{
    int32_t rows = 0;
    int64_t inner = 0, outer = 0;
    for (int32_t d = 0; d < matrix->domains; ++d) {
        matrix->outer_begin[d] = rows;
        for (int32_t i = matrix->domain_begin[d]; i < matrix->domain_begin[d + 1]; ++i) {
            int64_t inner_count = inner_of[i], outer_count = outer_of[i];
            matrix->row_start[i] = inner_of[i] = inner;
            outer_of[i] = outer;
            if (outer_count > 0) {
                matrix->outer_row[rows] = i;
                matrix->outer_start[rows++] = outer;
            }
            inner += inner_count;
            outer += outer_count;
        }
    }
    matrix->row_start[matrix->rows] = inner;
    matrix->outer_begin[matrix->domains] = rows;
    matrix->outer_start[rows] = outer;
}

// ascending columns in a list of entries
static void sort_entries(int64_t begin, int64_t end, int32_t *column, int32_t *source)
{
    for (int64_t k = begin + 1; k < end; ++k) {
        int32_t c = column[k], s = source[k];
        int64_t l = k;
        for (; l > begin && column[l - 1] > c; --l) {
            column[l] = column[l - 1];
            source[l] = source[l - 1];
        }
        column[l] = c;
        source[l] = s;
    }
}

// Deals the domains of later colours to the shares in the order of both, so that a thread with the
// first half of shares has the first half of every colour.
static void deal_shares(LyPcgMatrix *matrix)
{
    int32_t last[LY_PCG_DOMAINS_MAX];
    matrix->shares = matrix->colour_begin[1];
    for (int32_t s = 0; s < matrix->shares; ++s) {
        last[s] = s;
        matrix->share_next[s] = -1;
    }
    for (int32_t c = 1; c < matrix->colours; ++c) {
        int32_t begin = matrix->colour_begin[c], count = matrix->colour_begin[c + 1] - begin;
        for (int32_t i = 0; i < count; ++i) {
            int32_t share = i * matrix->shares / count;
            matrix->share_next[last[share]] = begin + i;
            matrix->share_next[begin + i] = -1;
            last[share] = begin + i;
        }
    }
}

static LyraStatus take_order(LyPcgMatrix *matrix, const LyraBlockPattern *pattern,
                             const double *positions, int8_t *domain_of)
{
    LY_TRY(take(matrix, LY_PCG_DOMAINS_MAX + 1, sizeof(int32_t), &matrix->domain_begin));
    LY_TRY(take(matrix, LY_PCG_DOMAINS_MAX, sizeof(int32_t), &matrix->share_next));
    LY_TRY(take(matrix, LY_PCG_DOMAINS_MAX + 1, sizeof(int32_t), &matrix->outer_begin));
    LY_TRY(take(matrix, LY_PCG_DOMAINS_MAX + 1, sizeof(int32_t), &matrix->filter_begin));
    LY_TRY(take(matrix, matrix->rows, sizeof(int32_t), &matrix->order));
    LY_TRY(take(matrix, matrix->rows, sizeof(int32_t), &matrix->place));
    LyPcgOrder cut;
    LY_TRY(ly_pcg_order(matrix->ctx, pattern, positions, matrix->kind == LY_PCG_IC0, matrix->order,
                        &cut));
    matrix->domains = cut.domains;
    matrix->colours = cut.colours;
    memcpy(matrix->colour_begin, cut.colour_begin, sizeof cut.colour_begin);
    memcpy(matrix->domain_begin, cut.begin, sizeof cut.begin);
    deal_shares(matrix);
    for (int32_t d = 0; d < cut.domains; ++d) {
        for (int32_t i = cut.begin[d]; i < cut.begin[d + 1]; ++i) {
            matrix->place[matrix->order[i]] = i;
            domain_of[i] = (int8_t)d;
        }
    }
    return LYRA_OK;
}

static LyraStatus take_pattern(LyPcgMatrix *matrix, const LyraBlockPatternView *view,
                               const int8_t *domain_of, int64_t *inner_of, int64_t *outer_of)
{
    place_blocks(matrix, view, domain_of, inner_of, outer_of, false);
    for (int32_t i = 0; i < matrix->rows; ++i) {
        matrix->blocks += inner_of[i];
        matrix->outer_rows += outer_of[i] > 0;
        matrix->outer_blocks += outer_of[i];
    }
    LY_TRY(take(matrix, (int64_t)matrix->rows + 1, sizeof(int64_t), &matrix->row_start));
    LY_TRY(take(matrix, matrix->blocks, sizeof(int32_t), &matrix->column));
    LY_TRY(take(matrix, matrix->blocks, sizeof(int32_t), &matrix->source));
    LY_TRY(take(matrix, matrix->outer_rows, sizeof(int32_t), &matrix->outer_row));
    LY_TRY(take(matrix, (int64_t)matrix->outer_rows + 1, sizeof(int64_t), &matrix->outer_start));
    LY_TRY(take(matrix, matrix->outer_rows, sizeof(int64_t), &matrix->outer_middle));
    LY_TRY(take(matrix, matrix->outer_blocks, sizeof(int32_t), &matrix->outer_column));
    LY_TRY(take(matrix, matrix->outer_blocks, sizeof(int32_t), &matrix->outer_source));
    start_rows(matrix, inner_of, outer_of);
    place_blocks(matrix, view, domain_of, inner_of, outer_of, true);
    for (int32_t i = 0; i < matrix->rows; ++i) {
        sort_entries(matrix->row_start[i], matrix->row_start[i + 1], matrix->column,
                     matrix->source);
    }
    for (int32_t o = 0; o < matrix->outer_rows; ++o) {
        int64_t middle = matrix->outer_start[o], end = matrix->outer_start[o + 1];
        sort_entries(middle, end, matrix->outer_column, matrix->outer_source);
        while (middle < end && matrix->outer_column[middle] < matrix->outer_row[o]) {
            ++middle;
        }
        matrix->outer_middle[o] = middle;
    }
    return LYRA_OK;
}

static LyraStatus take_values(LyPcgMatrix *matrix, bool filtered)
{
    size_t real = matrix->real;
    int64_t rows = matrix->rows;
    LY_TRY(take(matrix, 9 * matrix->blocks + LY_PCG_PAD, real, &matrix->values));
    LY_TRY(take(matrix, 9 * matrix->outer_blocks + LY_PCG_PAD, real, &matrix->outer_values));
    LY_TRY(take(matrix, 9 * rows, sizeof(double), &matrix->scale));
    LY_TRY(take(matrix, 9 * rows, sizeof(double), &matrix->root));
    if (matrix->kind == LY_PCG_NONE || matrix->kind == LY_PCG_JACOBI) {
        LY_TRY(take(matrix, 9 * rows + LY_PCG_PAD, real, &matrix->diagonal));
    }
    if (matrix->kind == LY_PCG_IC0) {
        LY_TRY(take(matrix, 9 * matrix->blocks + LY_PCG_PAD, real, &matrix->ic_values));
        LY_TRY(take(matrix, 9 * rows + LY_PCG_PAD, real, &matrix->ic_blocks));
        LY_TRY(take(matrix, 9 * (matrix->blocks + rows), sizeof(double), &matrix->ic_work));
    }
    if (filtered) {
        LY_TRY(take(matrix, rows, sizeof(int32_t), &matrix->filter_first));
    }
    return LYRA_OK;
}

LyraStatus ly_pcg_matrix_create(LyraContext *ctx, const LyraBlockPattern *pattern,
                                const double *positions, LyPcgKind kind, bool single, bool filtered,
                                LyPcgMatrix **out)
{
    static const LyPcgKernels *const singles[] = LY_KERNEL_TABLE(&ly_pcg_kernels_float);
    static const LyPcgKernels *const doubles[] = LY_KERNEL_TABLE(&ly_pcg_kernels_double);
    LyraBlockPatternView view = lyra_block_pattern_view(pattern);
    LyraStatus status = LYRA_OK;
    LyPcgMatrix *matrix = NULL;
    int64_t *inner_of = NULL, *outer_of = NULL;
    int8_t *domain_of = NULL;
    LY_TRY(ly_allocate_zeroed(ctx, 1, sizeof *matrix, &matrix));
    matrix->ctx = ctx;
    matrix->kind = kind;
    matrix->real = single ? sizeof(float) : sizeof(double);
    matrix->kernels = *(single ? singles : doubles)[lyra_context_isa(ctx)];
    matrix->rows = view.row_count;
    LY_TRY_DONE(ly_allocate_zeroed(ctx, view.row_count, sizeof(int64_t), &outer_of));
    LY_TRY_DONE(ly_allocate_zeroed(ctx, view.row_count, sizeof(int64_t), &inner_of));
    LY_TRY_DONE(ly_allocate_zeroed(ctx, view.row_count, 1, &domain_of));
    LY_TRY_DONE(take_order(matrix, pattern, positions, domain_of));
    LY_TRY_DONE(take_pattern(matrix, &view, domain_of, inner_of, outer_of));
    LY_TRY_DONE(take_values(matrix, filtered));
    *out = matrix;
    matrix = NULL;
done:
    ly_release(ctx, inner_of);
    ly_release(ctx, outer_of);
    ly_release(ctx, domain_of);
    ly_pcg_matrix_destroy(matrix);
    return status;
}

void ly_pcg_matrix_destroy(LyPcgMatrix *matrix)
{
    if (!matrix) {
        return;
    }
    LyraContext *ctx = matrix->ctx;
    ly_release(ctx, matrix->order);
    ly_release(ctx, matrix->place);
    ly_release(ctx, matrix->domain_begin);
    ly_release(ctx, matrix->share_next);
    ly_release(ctx, matrix->row_start);
    ly_release(ctx, matrix->column);
    ly_release(ctx, matrix->source);
    ly_release(ctx, matrix->values);
    ly_release(ctx, matrix->outer_row);
    ly_release(ctx, matrix->outer_begin);
    ly_release(ctx, matrix->outer_start);
    ly_release(ctx, matrix->outer_middle);
    ly_release(ctx, matrix->outer_column);
    ly_release(ctx, matrix->outer_source);
    ly_release(ctx, matrix->outer_values);
    ly_release(ctx, matrix->scale);
    ly_release(ctx, matrix->root);
    ly_release(ctx, matrix->diagonal);
    ly_release(ctx, matrix->ic_values);
    ly_release(ctx, matrix->ic_blocks);
    ly_release(ctx, matrix->ic_work);
    ly_release(ctx, matrix->filter_row);
    ly_release(ctx, matrix->filter_first);
    ly_release(ctx, matrix->filter_begin);
    ly_release(ctx, matrix->filter);
    ly_release(ctx, matrix);
}

LyPcgPiece ly_pcg_piece(const LyPcgMatrix *matrix, int32_t domain, bool ic)
{
    return (LyPcgPiece){
        .row_begin = matrix->domain_begin[domain],
        .row_end = matrix->domain_begin[domain + 1],
        .below = domain >= matrix->colour_begin[1],
        .above = domain < matrix->colour_begin[matrix->colours - 1],
        .row_start = matrix->row_start,
        .column = matrix->column,
        .values = ic ? matrix->ic_values : matrix->values,
        .outer_begin = matrix->outer_begin[domain],
        .outer_end = matrix->outer_begin[domain + 1],
        .outer_row = matrix->outer_row,
        .outer_start = matrix->outer_start,
        .outer_middle = matrix->outer_middle,
        .outer_column = matrix->outer_column,
        .outer_values = matrix->outer_values,
        .diagonal = matrix->diagonal,
        .filter_begin = matrix->filters ? matrix->filter_begin[domain] : 0,
        .filter_end = matrix->filters ? matrix->filter_begin[domain + 1] : 0,
        .filter_row = matrix->filter_row,
        .filter = matrix->filter,
    };
}

// ---- scaling ------------------------------------------------------------------------------------

// what a diagonal block is
typedef enum Pivot { PIVOT_GOOD = 0, PIVOT_ZERO, PIVOT_NEGATIVE, PIVOT_NOT_FINITE } Pivot;

// C C^T = A (upper triangle read), lower triangular, and its inverse S
static Pivot root_of_block(const double *A, double *C, double *S)
{
    double sum = A[0] + A[1] + A[2] + A[4] + A[5] + A[8];
    if (!isfinite(sum)) {
        return PIVOT_NOT_FINITE;
    }
    // sums of squares of the factor must stay inside the range: powers of two are exact
    double largest = fmax(fmax(fabs(A[0]), fabs(A[4])), fabs(A[8]));
    if (largest == 0.0) {
        return PIVOT_ZERO;
    }
    double a = 1.0, half = 1.0;
    if (largest < LY_PCG_ORDINARY_MIN || largest > LY_PCG_ORDINARY_MAX) {
        int exponent = 0;
        (void)frexp(largest, &exponent);
        exponent &= ~1;
        a = ldexp(1.0, -exponent);
        half = ldexp(1.0, exponent / 2);
    }
    double B[6] = {a * A[0], a * A[1], a * A[2], a * A[4], a * A[5], a * A[8]};
    double p0 = B[0];
    if (p0 <= 0.0) {
        return p0 < 0.0 ? PIVOT_NEGATIVE : PIVOT_ZERO;
    }
    double c00 = sqrt(p0), s0 = 1.0 / c00, c10 = B[1] * s0, c20 = B[2] * s0;
    double p1 = B[3] - c10 * c10;
    if (!(p1 > LY_PCG_PIVOT_MIN * fabs(B[3]))) {
        return p1 < -LY_PCG_PIVOT_MIN * (fabs(B[3]) + c10 * c10) ? PIVOT_NEGATIVE : PIVOT_ZERO;
    }
    double c11 = sqrt(p1), s1 = 1.0 / c11, c21 = (B[4] - c20 * c10) * s1;
    double p2 = B[5] - c20 * c20 - c21 * c21;
    if (!(p2 > LY_PCG_PIVOT_MIN * fabs(B[5]))) {
        return p2 < -LY_PCG_PIVOT_MIN * (fabs(B[5]) + c20 * c20 + c21 * c21) ? PIVOT_NEGATIVE
                                                                             : PIVOT_ZERO;
    }
    double c22 = sqrt(p2), s2 = 1.0 / c22;
    double s10 = -s1 * c10 * s0, s21 = -s2 * c21 * s1, s20 = -s2 * (c20 * s0 + c21 * s10);
    memcpy(C, (double[9]){c00, 0, 0, c10, c11, 0, c20, c21, c22}, 9 * sizeof(double));
    memcpy(S, (double[9]){s0, 0, 0, s10, s1, 0, s20, s21, s2}, 9 * sizeof(double));
    if (half == 1.0) {
        return PIVOT_GOOD;
    }
    // a power of two, so that its inverse is exact
    double back = 1.0 / half;
    for (int k = 0; k < 9; ++k) {
        C[k] *= half;
        S[k] *= back;
    }
    return PIVOT_GOOD;
}

// the same for the diagonal alone
static Pivot root_of_diagonal(const double *A, double *C, double *S)
{
    memset(C, 0, 9 * sizeof(double));
    memset(S, 0, 9 * sizeof(double));
    for (int d = 0; d < 9; d += 4) {
        if (!isfinite(A[d])) {
            return PIVOT_NOT_FINITE;
        }
        if (A[d] <= 0.0) {
            return A[d] < 0.0 ? PIVOT_NEGATIVE : PIVOT_ZERO;
        }
        C[d] = sqrt(A[d]);
        S[d] = 1.0 / C[d];
    }
    return PIVOT_GOOD;
}

// P A P + s (I - P) with the directions [begin, end) of a view, s the largest entry (1 if none)
static void hold_block(const LyraConstraintsView *view, int32_t begin, int32_t end, double *A)
{
    double P[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1}, B[9], s = 0.0;
    for (int32_t c = begin; c < end; ++c) {
        const double *n = view->direction + 3 * (int64_t)c;
        for (int k = 0; k < 9; ++k) {
            P[k] -= n[k / 3] * n[k % 3];
        }
    }
    for (int k = 0; k < 9; ++k) {
        s = fmax(s, fabs(A[k]));
        B[k] = A[k / 3 * 3] * P[k % 3] + A[k / 3 * 3 + 1] * P[3 + k % 3] +
               A[k / 3 * 3 + 2] * P[6 + k % 3];
    }
    s = s > 0.0 ? s : 1.0;
    for (int k = 0; k < 9; ++k) {
        A[k] = P[k / 3 * 3] * B[k % 3] + P[k / 3 * 3 + 1] * B[3 + k % 3] +
               P[k / 3 * 3 + 2] * B[6 + k % 3] + s * ((k % 4 == 0) - P[k]);
    }
}

#define ROOTS_MAX 8 // lanes of the kernel

typedef struct SetLoop {
    LyPcgMatrix *matrix;
    LyPcgRoots *roots; // NULL: one by one
    int32_t lanes;     // of these
    const LyraBlockPatternView *pattern;
    const double *values;
    LyraConstraintsView constraints; // count 0: none
    double scale;                    // of LY_PCG_NONE
    Pivot pivot[LY_PCG_DOMAINS_MAX];
    int32_t row[LY_PCG_DOMAINS_MAX]; // the first that failed
    bool rescued[LY_PCG_DOMAINS_MAX], finite[LY_PCG_DOMAINS_MAX];
    double largest[LY_PCG_DOMAINS_MAX]; // entry of the scaling
    double total[LY_PCG_DOMAINS_MAX];   // of the entries off the diagonal blocks
    double trace[LY_PCG_DOMAINS_MAX], within[LY_PCG_DOMAINS_MAX]; // of diagonal blocks, all of them
} SetLoop;

static Pivot root_of(const SetLoop *loop, const double *A, double *C, double *S)
{
    LyPcgKind kind = loop->matrix->kind;
    if (kind == LY_PCG_NONE) {
        double sum = A[0] + A[1] + A[2] + A[4] + A[5] + A[8], s = loop->scale;
        memcpy(C, (double[9]){s, 0, 0, 0, s, 0, 0, 0, s}, 9 * sizeof(double));
        memcpy(S, (double[9]){1 / s, 0, 0, 0, 1 / s, 0, 0, 0, 1 / s}, 9 * sizeof(double));
        return isfinite(sum) ? PIVOT_GOOD : PIVOT_NOT_FINITE;
    }
    return kind == LY_PCG_JACOBI ? root_of_diagonal(A, C, S) : root_of_block(A, C, S);
}

// the block of vertex `old`, which the directions that hold it may have to make positive
static Pivot rescue(SetLoop *loop, int32_t domain, int32_t old, const double *A, double *C,
                    double *S)
{
    const LyraConstraintsView *held = &loop->constraints;
    Pivot pivot = root_of(loop, A, C, S);
    if (pivot == PIVOT_ZERO || pivot == PIVOT_NEGATIVE) {
        int32_t begin = 0, end = 0;
        while (begin < held->count && held->vertex[begin] < old) {
            ++begin;
        }
        for (end = begin; end < held->count && held->vertex[end] == old;) {
            ++end;
        }
        double B[9];
        memcpy(B, A, sizeof B);
        hold_block(held, begin, end, B);
        pivot = end > begin ? root_of(loop, B, C, S) : pivot;
        loop->rescued[domain] = true;
    }
    return pivot;
}

static void scale_domain(SetLoop *loop, int32_t domain)
{
    LyPcgMatrix *matrix = loop->matrix;
    // summed here: the sums of domains lie side by side, and threads would wait for each other's
    double trace = 0.0, within = 0.0, largest = 0.0;
    int64_t end = matrix->domain_begin[domain + 1];
    loop->pivot[domain] = PIVOT_GOOD;
    loop->rescued[domain] = false;
    for (int64_t first = matrix->domain_begin[domain]; first < end;) {
        const double *blocks[ROOTS_MAX];
        int32_t count = (int32_t)ly_min_i64(loop->lanes, end - first);
        uint32_t done = 0;
        for (int32_t l = 0; l < count; ++l) {
            int32_t old = matrix->order[first + l];
            blocks[l] = loop->values + 9 * (int64_t)loop->pattern->diagonal[old];
        }
        if (loop->roots && count == loop->lanes) {
            done = loop->roots(blocks, matrix->root + 9 * first, matrix->scale + 9 * first);
        }
        for (int32_t l = 0; l < count; ++l) {
            const double *A = blocks[l];
            double *S = matrix->scale + 9 * (first + l);
            if (!(done >> l & 1)) {
                int32_t old = matrix->order[first + l];
                Pivot pivot = rescue(loop, domain, old, A, matrix->root + 9 * (first + l), S);
                if (pivot != PIVOT_GOOD) {
                    loop->pivot[domain] = pivot;
                    loop->row[domain] = old;
                    return;
                }
            }
            trace += A[0] + A[4] + A[8];
            within += A[0] + A[4] + A[8] + 2.0 * (A[1] + A[2] + A[5]); // upper triangle read
            double most = S[0] > S[4] ? S[0] : S[4];
            most = S[8] > most ? S[8] : most;
            largest = most > largest ? most : largest;
        }
        first += count;
    }
    loop->trace[domain] = trace;
    loop->within[domain] = within;
    loop->largest[domain] = largest;
}

static void scale_task(void *data, int32_t share, int32_t worker)
{
    (void)worker;
    SetLoop *loop = data;
    for (int32_t d = share; d >= 0; d = loop->matrix->share_next[d]) {
        scale_domain(loop, d);
    }
}

static void copy_diagonal(SetLoop *loop, int64_t i)
{
    LyPcgMatrix *matrix = loop->matrix;
    const double *A = loop->values + 9 * (int64_t)loop->pattern->diagonal[matrix->order[i]];
    const double *S = matrix->scale + 9 * i;
    for (int k = 0; k < 9; ++k) {
        double value = S[4 * (k / 3)] * A[k] * S[4 * (k % 3)]; // S is diagonal here
        if (matrix->real == sizeof(float)) {
            ((float *)matrix->diagonal)[9 * i + k] = (float)value;
        } else {
            ((double *)matrix->diagonal)[9 * i + k] = value;
        }
    }
}

static void copy_domain(SetLoop *loop, int32_t domain)
{
    LyPcgMatrix *matrix = loop->matrix;
    LyPcgPiece piece = ly_pcg_piece(matrix, domain, false);
    LyPcgCopy copy = {loop->values, matrix->scale, matrix->source, matrix->outer_source,
                      &loop->total[domain]};
    loop->finite[domain] =
        matrix->kernels.copy(&piece, &copy, matrix->values, matrix->outer_values);
    for (int64_t i = piece.row_begin; matrix->diagonal && i < piece.row_end; ++i) {
        copy_diagonal(loop, i);
    }
}

static void copy_task(void *data, int32_t share, int32_t worker)
{
    (void)worker;
    SetLoop *loop = data;
    for (int32_t d = share; d >= 0; d = loop->matrix->share_next[d]) {
        copy_domain(loop, d);
    }
}

// a power of two near the root of the largest diagonal entry
static double common_scale(const SetLoop *loop)
{
    double largest = 0.0;
    for (int64_t i = 0; i < loop->matrix->rows; ++i) {
        const double *A = loop->values + 9 * (int64_t)loop->pattern->diagonal[i];
        largest = fmax(largest, fmax(fmax(fabs(A[0]), fabs(A[4])), fabs(A[8])));
    }
    int exponent = 0;
    (void)frexp(largest > 0.0 && largest <= DBL_MAX ? largest : 1.0, &exponent);
    return ldexp(1.0, exponent / 2);
}

LyraStatus ly_pcg_matrix_set(LyPcgMatrix *matrix, const LyraBlockMatrix *A,
                             const LyraConstraints *constraints)
{
    LyraBlockPatternView pattern = lyra_block_pattern_view(lyra_block_matrix_pattern(A));
    SetLoop loop = {
        .matrix = matrix, .pattern = &pattern, .values = lyra_block_matrix_values(A), .scale = 1.0};
    if (constraints) {
        loop.constraints = lyra_constraints_view(constraints);
    }
    if (matrix->kind == LY_PCG_NONE) {
        loop.scale = common_scale(&loop);
    }
    static LyPcgRoots *const roots[] = LY_KERNEL_TABLE(ly_pcg_roots);
    static const int32_t lanes[LYRA_ISA_COUNT] = {
        [LYRA_ISA_SCALAR] = 1, [LYRA_ISA_BASELINE] = 2, [LYRA_ISA_AVX2] = 4, [LYRA_ISA_AVX512] = 8};
    bool blocks = matrix->kind != LY_PCG_NONE && matrix->kind != LY_PCG_JACOBI;
    LyraIsa isa = lyra_context_isa(matrix->ctx);
    loop.roots = blocks ? roots[isa] : NULL;
    loop.lanes = blocks ? lanes[isa] : 1;
    ly_parallel_for(matrix->ctx, matrix->shares, scale_task, &loop);
    matrix->rescued = false;
    matrix->scale_max = 0.0;
    for (int32_t d = 0; d < matrix->domains; ++d) {
        matrix->scale_max = fmax(matrix->scale_max, loop.largest[d]);
        matrix->rescued = matrix->rescued || loop.rescued[d];
        switch (loop.pivot[d]) {
        case PIVOT_GOOD:
            break;
        case PIVOT_NOT_FINITE:
            return ly_fail(LYRA_NOT_FINITE, "pcg: the diagonal block of vertex %d is not finite",
                           (int)ly_vertex_label(matrix->labels, loop.row[d]));
        case PIVOT_ZERO:
            return ly_fail(LYRA_SINGULAR, "pcg: the diagonal block of vertex %d is singular",
                           (int)ly_vertex_label(matrix->labels, loop.row[d]));
        case PIVOT_NEGATIVE:
            return ly_fail(LYRA_NOT_POSITIVE_DEFINITE,
                           "pcg: the diagonal block of vertex %d is not positive definite",
                           (int)ly_vertex_label(matrix->labels, loop.row[d]));
        }
    }
    ly_parallel_for(matrix->ctx, matrix->shares, copy_task, &loop);
    for (int32_t d = 0; d < matrix->domains; ++d) {
        if (!loop.finite[d]) {
            return ly_fail(LYRA_NOT_FINITE,
                           "pcg: entries are not finite, or far larger than those of a positive "
                           "definite matrix with this diagonal");
        }
    }
    double total = 0.0, trace = 0.0;
    for (int32_t d = 0; d < matrix->domains; ++d) {
        total += loop.within[d] + loop.total[d];
        trace += loop.trace[d];
    }
    matrix->share = trace > 0.0 ? total / trace : 1.0;
    return ly_pcg_matrix_filter(matrix, constraints);
}

// ---- constraints --------------------------------------------------------------------------------

// P~ of a vertex with the directions [begin, end)
static void filter_of(const LyraConstraintsView *view, int32_t begin, int32_t end, const double *S,
                      double P[9])
{
    double done[3][3];
    int32_t count = end - begin > 3 ? 3 : end - begin;
    memcpy(P, (double[9]){1, 0, 0, 0, 1, 0, 0, 0, 1}, 9 * sizeof(double));
    if (count == 3) {
        memset(P, 0, 9 * sizeof(double));
        return;
    }
    for (int32_t c = 0; c < count; ++c) {
        const double *n = view->direction + 3 * (int64_t)(begin + c);
        double m[3] = {S[0] * n[0], S[3] * n[0] + S[4] * n[1],
                       S[6] * n[0] + S[7] * n[1] + S[8] * n[2]};
        // twice, as once leaves a part of the size of the cancellation
        for (int32_t e = 0; e < 2 * c; ++e) {
            const double *o = done[e % c];
            double along = o[0] * m[0] + o[1] * m[1] + o[2] * m[2];
            for (int d = 0; d < 3; ++d) {
                m[d] -= along * o[d];
            }
        }
        double length = sqrt(m[0] * m[0] + m[1] * m[1] + m[2] * m[2]);
        for (int d = 0; d < 3; ++d) {
            done[c][d] = m[d] / length;
        }
        for (int k = 0; k < 9; ++k) {
            P[k] -= done[c][k / 3] * done[c][k % 3];
        }
    }
}

// room for the filters of as many vertices
static LyraStatus grow_filters(LyPcgMatrix *matrix, int32_t count)
{
    if (count <= matrix->filters_max) {
        return LYRA_OK;
    }
    size_t size = (9 * (size_t)count + LY_PCG_PAD) * matrix->real;
    LY_TRY(ly_resize_array(matrix->ctx, count, sizeof(int32_t), &matrix->filter_row));
    LY_TRY(ly_resize_array(matrix->ctx, (int64_t)size, 1, &matrix->filter));
    memset(matrix->filter, 0, size);
    matrix->bytes += (count - matrix->filters_max) * (int64_t)(sizeof(int32_t) + 9 * matrix->real);
    matrix->filters_max = count;
    return LYRA_OK;
}

LyraStatus ly_pcg_matrix_filter(LyPcgMatrix *matrix, const LyraConstraints *constraints)
{
    matrix->filters = 0;
    matrix->scalar = constraints ? ly_constraints_scalars(constraints) : NULL;
    if (!constraints) {
        return LYRA_OK;
    }
    LyraConstraintsView view = lyra_constraints_view(constraints);
    LY_TRY(grow_filters(matrix, view.count < matrix->rows ? view.count : matrix->rows));
    matrix->filter_version = view.version;
    // first direction of each row, in the order of the copy
    memset(matrix->filter_first, -1, (size_t)matrix->rows * sizeof(int32_t));
    for (int32_t c = view.count - 1; c >= 0; --c) {
        matrix->filter_first[matrix->place[view.vertex[c]]] = c;
    }
    for (int32_t d = 0; d < matrix->domains; ++d) {
        matrix->filter_begin[d] = matrix->filters;
        for (int32_t i = matrix->domain_begin[d]; i < matrix->domain_begin[d + 1]; ++i) {
            int32_t begin = matrix->filter_first[i], end = begin, f = matrix->filters;
            if (begin < 0) {
                continue;
            }
            while (end < view.count && view.vertex[end] == view.vertex[begin]) {
                ++end;
            }
            double P[9];
            filter_of(&view, begin, end, matrix->scale + 9 * (int64_t)i, P);
            matrix->filter_row[f] = i;
            for (int k = 0; k < 9; ++k) {
                if (matrix->real == sizeof(float)) {
                    ((float *)matrix->filter)[9 * (int64_t)f + k] = (float)P[k];
                } else {
                    ((double *)matrix->filter)[9 * (int64_t)f + k] = P[k];
                }
            }
            ++matrix->filters;
        }
    }
    matrix->filter_begin[matrix->domains] = matrix->filters;
    return LYRA_OK;
}
