// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Kernels of block products, compiled once per instruction set.
//
// A block A is 9 doubles, row-major, read as three vectors of four, r0 = (a00 a01 a02 .), r1, r2;
// the fourth lane holds whatever follows and never reaches a result. Both halves of a symmetric
// product come from these three loads:
//   A x_j   : three vectors of partial sums, r_k * x_j, added up once at the end of the row;
//   A^T x_i : r0 x_i0 + r1 x_i1 + r2 x_i2, one vector, added to the accumulator of column j.
// Accumulators are padded to four doubles, so that neighbours never share a vector: a store that
// overlaps the next load would stall. x is not padded; its last vertex is read from a copy.
//
// The scalar twin is the plain loop.

#include "sparse/sparse.h"

#define JOIN_(a, b) a##_##b
#define JOIN(a, b) JOIN_(a, b)
#define NAME(base) JOIN(base, LY_ISA)

// doubles behind the block at hand that are prefetched: about 16 blocks
#define PREFETCH 576

#define COLUMNS_MAX 4

#if LY_LANES == 1

// y_i += A x_j
static inline void add_product(const double *A, const double *x, double *y)
{
    y[0] += A[0] * x[0] + A[1] * x[1] + A[2] * x[2];
    y[1] += A[3] * x[0] + A[4] * x[1] + A[5] * x[2];
    y[2] += A[6] * x[0] + A[7] * x[1] + A[8] * x[2];
}

// y_j += A^T (a x_i)
static inline void add_transposed(const double *A, double a, const double *x, double *y)
{
    double x0 = a * x[0], x1 = a * x[1], x2 = a * x[2];
    y[0] += A[0] * x0 + A[3] * x1 + A[6] * x2;
    y[1] += A[1] * x0 + A[4] * x1 + A[7] * x2;
    y[2] += A[2] * x0 + A[5] * x1 + A[8] * x2;
}

void NAME(ly_block_full)(const LyProductPiece *piece, int32_t columns)
{
    for (int32_t i = piece->row_begin; i < piece->row_end; ++i) {
        for (int32_t c = 0; c < columns; ++c) {
            const double *x = piece->x + c * piece->x_stride;
            double *y = piece->y + c * piece->y_stride + 3 * (int64_t)i;
            double sum[3] = {0.0, 0.0, 0.0};
            for (int64_t k = piece->row_start[i]; k < piece->row_start[i + 1]; ++k) {
                add_product(piece->values + 9 * k, x + 3 * (int64_t)piece->column[k], sum);
            }
            for (int32_t d = 0; d < 3; ++d) {
                y[d] = piece->add ? y[d] + piece->a * sum[d] : piece->a * sum[d];
            }
        }
    }
}

static void accumulate(const LyProductPiece *piece, int32_t columns, bool symmetric)
{
    const int32_t *halo = piece->entry_halo;
    int32_t own_count = piece->own_end - piece->own_begin;
    for (int32_t i = piece->row_begin; i < piece->row_end; ++i) {
        for (int64_t k = piece->row_start[i]; k < piece->row_start[i + 1]; ++k) {
            int32_t j = piece->column[k];
            bool own = j >= piece->own_begin && j < piece->own_end;
            int64_t place = own ? j - piece->own_begin : own_count + *halo++;
            const double *A = piece->values + 9 * k;
            for (int32_t c = 0; c < columns; ++c) {
                const double *x = piece->x + c * piece->x_stride;
                double *local = piece->local + 4 * c;
                if (symmetric) {
                    double sum[3] = {0.0, 0.0, 0.0};
                    add_product(A, x + 3 * (int64_t)j, sum);
                    double *y = local + 4 * columns * (int64_t)(i - piece->own_begin);
                    for (int32_t d = 0; d < 3; ++d) {
                        y[d] += piece->a * sum[d];
                    }
                }
                if (!symmetric || j != i) {
                    add_transposed(A, piece->a, x + 3 * (int64_t)i, local + 4 * columns * place);
                }
            }
        }
    }
}

void NAME(ly_block_upper)(const LyProductPiece *piece, int32_t columns)
{
    accumulate(piece, columns, true);
}

void NAME(ly_block_transposed)(const LyProductPiece *piece, int32_t columns)
{
    accumulate(piece, columns, false);
}

#else

#define INLINE static inline __attribute__((always_inline))

typedef double V4 __attribute__((vector_size(32)));

INLINE V4 load(const double *p)
{
    V4 v;
    memcpy(&v, p, sizeof v);
    return v;
}

INLINE void store(double *p, V4 v)
{
    memcpy(p, &v, sizeof v);
}

// the rows of a block
typedef struct Rows {
    V4 r0, r1, r2;
} Rows;

// Keeps a value in a register: compilers would rather load it again for each use, and loads that
// cross cache lines are what these kernels have too many of.
#if LY_LANES >= 4 && defined(__x86_64__)
#define KEEP(v) __asm__("" : "+v"(v))
#else
#define KEEP(v) ((void)0)
#endif

INLINE Rows load_rows(const double *A)
{
    Rows rows = {load(A), load(A + 3), load(A + 6)};
    KEEP(rows.r0);
    KEEP(rows.r1);
    KEEP(rows.r2);
    return rows;
}

INLINE V4 all(double a)
{
    return (V4){a, a, a, a};
}

// the sums of three vectors over their first three lanes, and 0
INLINE V4 sum_lanes(V4 a, V4 b, V4 c)
{
#ifdef __clang__
#define SHUFFLE(p, q, ...) __builtin_shufflevector(p, q, __VA_ARGS__)
#else
    typedef int64_t I4 __attribute__((vector_size(32)));
#define SHUFFLE(p, q, ...) __builtin_shuffle(p, q, (I4){__VA_ARGS__})
#endif
    // rows to columns
    V4 ab02 = SHUFFLE(a, b, 0, 4, 2, 6);
    V4 ab1 = SHUFFLE(a, b, 1, 5, 1, 5);
    V4 first = SHUFFLE(ab02, c, 0, 1, 4, 4);
    V4 second = SHUFFLE(ab1, c, 0, 1, 5, 5);
    V4 third = SHUFFLE(ab02, c, 2, 3, 6, 6);
#undef SHUFFLE
    return first + second + third;
}

typedef struct Source {
    const double *x;
    int64_t stride;
    int32_t last;                // its entry is read from `tail`
    double tail[COLUMNS_MAX][4]; // padded copy of the last vertex
} Source;

INLINE Source source_of(const LyProductPiece *piece, const int columns)
{
    Source source = {.x = piece->x, .stride = piece->x_stride, .last = piece->column_count - 1};
    for (int c = 0; c < columns; ++c) {
        for (int d = 0; d < 3; ++d) {
            source.tail[c][d] = piece->x[c * piece->x_stride + 3 * (int64_t)source.last + d];
        }
    }
    return source;
}

INLINE V4 entry(const Source *source, int c, int32_t j)
{
    const double *x = source->x + c * source->stride + 3 * (int64_t)j;
    return load(j == source->last ? source->tail[c] : x);
}

INLINE void full_rows(const LyProductPiece *piece, const int columns)
{
    if (piece->row_begin >= piece->row_end) {
        return;
    }
    const Source source = source_of(piece, columns);
    const int32_t *restrict column = piece->column;
    const double *A = piece->values + 9 * piece->row_start[piece->row_begin];
    int64_t k = piece->row_start[piece->row_begin];
    for (int32_t i = piece->row_begin; i < piece->row_end; ++i) {
        V4 s[COLUMNS_MAX][3] = {0};
        for (int64_t end = piece->row_start[i + 1]; k < end; ++k, A += 9) {
            // a block is longer than a cache line: one fetch each would leave out every ninth line
            __builtin_prefetch(A + PREFETCH);
            __builtin_prefetch(A + PREFETCH + 8);
            Rows rows = load_rows(A);
            for (int c = 0; c < columns; ++c) {
                V4 xj = entry(&source, c, column[k]);
                s[c][0] += rows.r0 * xj;
                s[c][1] += rows.r1 * xj;
                s[c][2] += rows.r2 * xj;
            }
        }
        for (int c = 0; c < columns; ++c) {
            double *y = piece->y + c * piece->y_stride + 3 * (int64_t)i;
            V4 sum = piece->a * sum_lanes(s[c][0], s[c][1], s[c][2]);
            if (piece->add) {
                sum += (V4){y[0], y[1], y[2], 0.0};
            }
            y[0] = sum[0];
            y[1] = sum[1];
            y[2] = sum[2];
        }
    }
}

// one off-diagonal block: its product into `s`, its transposed product into accumulator y
INLINE void both(const Rows *A, V4 xj, const V4 xi[3], V4 s[3], double *y)
{
    s[0] += A->r0 * xj;
    s[1] += A->r1 * xj;
    s[2] += A->r2 * xj;
    store(y, load(y) + A->r0 * xi[0] + A->r1 * xi[1] + A->r2 * xi[2]);
}

INLINE void upper_rows(const LyProductPiece *piece, const int columns)
{
    if (piece->row_begin >= piece->row_end) {
        return;
    }
    const Source source = source_of(piece, columns);
    const int32_t *restrict column = piece->column;
    const int32_t *restrict halo = piece->entry_halo;
    const double a = piece->a;
    const int32_t begin = piece->row_begin, end = piece->row_end;
    double *own = piece->local, *outside = own + 4 * columns * (int64_t)(end - begin);
    int64_t k = piece->row_start[begin];
    const double *A = piece->values + 9 * k;
    for (int32_t i = begin; i < end; ++i) {
        V4 s[COLUMNS_MAX][3], xi[COLUMNS_MAX][3];
        // the diagonal block comes first
        for (int c = 0; c < columns; ++c) {
            V4 x = entry(&source, c, i);
            s[c][0] = load(A) * x;
            s[c][1] = load(A + 3) * x;
            s[c][2] = load(A + 6) * x;
            x *= a;
            xi[c][0] = all(x[0]);
            xi[c][1] = all(x[1]);
            xi[c][2] = all(x[2]);
        }
        ++k;
        A += 9;
        int64_t row_end = piece->row_start[i + 1];
        for (; k < row_end && column[k] < end; ++k, A += 9) {
            int32_t j = column[k];
            __builtin_prefetch(A + PREFETCH);
            Rows rows = load_rows(A);
            for (int c = 0; c < columns; ++c) {
                both(&rows, entry(&source, c, j), xi[c], s[c],
                     own + 4 * (columns * (int64_t)(j - begin) + c));
            }
        }
        for (; k < row_end; ++k, A += 9) {
            int64_t h = *halo++;
            __builtin_prefetch(A + PREFETCH);
            Rows rows = load_rows(A);
            for (int c = 0; c < columns; ++c) {
                both(&rows, entry(&source, c, column[k]), xi[c], s[c],
                     outside + 4 * (columns * h + c));
            }
        }
        for (int c = 0; c < columns; ++c) {
            double *y = own + 4 * (columns * (int64_t)(i - begin) + c);
            store(y, load(y) + a * sum_lanes(s[c][0], s[c][1], s[c][2]));
        }
    }
}

void NAME(ly_block_full)(const LyProductPiece *piece, int32_t columns)
{
    switch (columns) {
    case 1:
        full_rows(piece, 1);
        break;
    case 2:
        full_rows(piece, 2);
        break;
    case 3:
        full_rows(piece, 3);
        break;
    default:
        full_rows(piece, 4);
        break;
    }
}

void NAME(ly_block_upper)(const LyProductPiece *piece, int32_t columns)
{
    switch (columns) {
    case 1:
        upper_rows(piece, 1);
        break;
    case 2:
        upper_rows(piece, 2);
        break;
    case 3:
        upper_rows(piece, 3);
        break;
    default:
        upper_rows(piece, 4);
        break;
    }
}

void NAME(ly_block_transposed)(const LyProductPiece *piece, int32_t columns)
{
    const int64_t *restrict row_start = piece->row_start;
    const int32_t *restrict column = piece->column;
    const int32_t *restrict halo = piece->entry_halo;
    const double *values = piece->values, a = piece->a;
    const int32_t begin = piece->own_begin, end = piece->own_end;
    double *local = piece->local;
    for (int32_t i = piece->row_begin; i < piece->row_end; ++i) {
        const int32_t *row_halo = halo;
        for (int32_t c = 0; c < columns; ++c) {
            const double *x = piece->x + c * piece->x_stride + 3 * (int64_t)i;
            const V4 x0 = all(a * x[0]), x1 = all(a * x[1]), x2 = all(a * x[2]);
            row_halo = halo;
            for (int64_t k = row_start[i], row_end = row_start[i + 1]; k < row_end; ++k) {
                const double *A = values + 9 * k;
                bool is_own = column[k] >= begin && column[k] < end;
                int64_t place = is_own ? column[k] - begin : end - begin + *row_halo++;
                double *y = local + 4 * (columns * place + c);
                __builtin_prefetch(A + PREFETCH);
                store(y, load(y) + load(A) * x0 + load(A + 3) * x1 + load(A + 6) * x2);
            }
        }
        halo = row_halo;
    }
}

#endif
