// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// What happens inside a front, compiled once per instruction set.
//
// Products keep a block of sums in registers: three vectors of rows times COLUMNS columns. Both
// factors are panels of one and the same storage, A with its rows in lanes and B with one number
// after the other spread over all lanes; both are read straight through, so nothing is packed.
// Three panels of rows are a triple. Depths are cut at DEPTH, so that a panel of B stays in the
// first cache, and rows by the caller, so that those of A stay in the second.
//
// Every entry of a front is the sum of the same products in the same order however the rows are
// cut: triples and single panels add alike.

#include "math/lanes.h"
#include "solve/fronts.h"

#include <math.h>
#include <string.h>

#define PANEL LY_PANEL
#define BLOCK (PANEL * PANEL)
// vectors of a panel
#define PARTS (PANEL / LY_LANES)
// vectors of a product
#define VECTORS 3
#if LY_LANES == 8
#define COLUMNS 8
#else
#define COLUMNS 4
#endif
// vectors of a product with one panel
#define SINGLE (PARTS == 1 ? 1 : 2)
#define DEPTH 256

typedef struct Rows {
    double *panel[VECTORS];
} Rows;

// vector `g` of three panels
LY_INLINE double *vector_at(const Rows *rows, int32_t g)
{
    return rows->panel[g / PARTS] + LY_LANES * (g % PARTS);
}

// columns [begin, end) of a panel B, with the signs S (nullable)
typedef struct Part {
    int32_t begin, end;
    const double *B, *signs;
} Part;

// acc += A S B^T over the columns of a part for `vectors` vectors of rows and the COLUMNS rows of B
// from h on
LY_INLINE void multiply(int32_t vectors, const Part *part, int32_t h, const double *restrict a0,
                        const double *restrict a1, const double *restrict a2,
                        LyReal acc[COLUMNS][VECTORS])
{
    const double *restrict b = part->B + h, *restrict signs = part->signs;
    const int64_t end = (int64_t)PANEL * part->end;
#pragma GCC unroll 4
    for (int64_t p = (int64_t)PANEL * part->begin; p < end; p += PANEL) {
        LyReal x0 = ly_load(a0 + p), x1 = x0, x2 = x0;
        if (vectors > 1) {
            x1 = ly_load(a1 + p);
        }
        if (vectors > 2) {
            x2 = ly_load(a2 + p);
        }
        if (signs) {
            const LyReal sign = ly_set(signs[p / PANEL]);
            x0 *= sign;
            x1 *= sign;
            x2 *= sign;
        }
#pragma GCC unroll 8
        for (int j = 0; j < COLUMNS; ++j) {
            const LyReal bj = ly_set(b[p + j]);
            acc[j][0] += x0 * bj;
            if (vectors > 1) {
                acc[j][1] += x1 * bj;
            }
            if (vectors > 2) {
                acc[j][2] += x2 * bj;
            }
        }
    }
}

// one product of `vectors` vectors from vector `g` on with the columns [h, h + COLUMNS) of B, taken
// from block `at` of the rows
LY_INLINE void subtract_part(int32_t vectors, const Rows *A, const Rows *C, int32_t g, int32_t h,
                             int32_t columns, const Part *part, int64_t at)
{
    LyReal acc[COLUMNS][VECTORS];
    for (int j = 0; j < COLUMNS; ++j) {
        acc[j][0] = acc[j][1] = acc[j][2] = ly_set(0.0);
    }
    const double *a0 = vector_at(A, g);
    const double *a1 = vectors > 1 ? vector_at(A, g + 1) : a0;
    const double *a2 = vectors > 2 ? vector_at(A, g + 2) : a0;
    multiply(vectors, part, h, a0, a1, a2, acc);
#pragma GCC unroll 8
    for (int j = 0; j < COLUMNS; ++j) {
        if (h + j < columns) {
            for (int v = 0; v < vectors; ++v) {
                double *c = vector_at(C, g + v) + at + PANEL * (h + j);
                ly_store(c, ly_load(c) - acc[j][v]);
            }
        }
    }
}

// C -= A S B^T over the columns of a part: three panels, or the first, by `columns` rows of panel B
LY_INLINE void subtract(bool triple, const Rows *A, const Rows *C, int32_t columns,
                        const Part *part, int64_t at)
{
    for (int32_t h = 0; h < PANEL && h < columns; h += COLUMNS) {
        if (triple) {
#pragma GCC unroll 8
            for (int32_t g = 0; g < 3 * PARTS; g += VECTORS) {
                subtract_part(VECTORS, A, C, g, h, columns, part, at);
            }
        } else {
#pragma GCC unroll 8
            for (int32_t g = 0; g < PARTS; g += SINGLE) {
                subtract_part(SINGLE, A, C, g, h, columns, part, at);
            }
        }
    }
}

LY_INLINE Rows rows_at(const LyTrapezoid *front, int32_t i, bool triple)
{
    Rows rows = {{ly_trapezoid_panel(front, i)}};
    rows.panel[1] = triple ? ly_trapezoid_panel(front, i + 1) : rows.panel[0];
    rows.panel[2] = triple ? ly_trapezoid_panel(front, i + 2) : rows.panel[0];
    return rows;
}

LY_INLINE int32_t least(int32_t a, int32_t b)
{
    return a < b ? a : b;
}

// ---- factor -------------------------------------------------------------------------------------

// columns [begin, end) of the panels less the product of the columns before `begin`
LY_INLINE void subtract_before(const LyTrapezoid *front, int32_t begin, int32_t end, int32_t first,
                               int32_t last, const double *signs)
{
    for (int32_t depth = 0; depth < begin; depth += DEPTH) {
        int32_t deep = least(depth + DEPTH, begin);
        for (int32_t column = begin; column < end; column += PANEL) {
            const double *B = ly_trapezoid_panel(front, column / PANEL);
            int32_t columns = least(PANEL, end - column), i = first;
            int64_t at = (int64_t)PANEL * column;
            // rows of pivots have no columns beyond their diagonal block
            if (i < column / PANEL) {
                i = column / PANEL;
            }
            for (; i + 3 <= last; i += 3) {
                const Rows rows = rows_at(front, i, true);
                subtract(true, &rows, &rows, columns, &(Part){depth, deep, B, signs}, at);
            }
            for (; i < last; ++i) {
                const Rows rows = rows_at(front, i, false);
                subtract(false, &rows, &rows, columns, &(Part){depth, deep, B, signs}, at);
            }
        }
    }
}

// vectors of rows times the inverse transposed of a diagonal block L with `columns` columns
LY_INLINE void divide_part(int32_t vectors, const Rows *X, int32_t g, int32_t columns,
                           const double *L, const double *signs, int64_t at)
{
    LyReal x[PANEL][VECTORS];
#pragma GCC unroll 8
    for (int k = 0; k < PANEL; ++k) {
        if (k >= columns) {
            break;
        }
        const double inverse = (signs ? signs[k] : 1.0) / L[k + PANEL * k];
        for (int v = 0; v < vectors; ++v) {
            LyReal sum = ly_load(vector_at(X, g + v) + at + PANEL * k);
#pragma GCC unroll 8
            for (int q = 0; q < k; ++q) {
                sum -= x[q][v] * (signs ? signs[q] * L[k + PANEL * q] : L[k + PANEL * q]);
            }
            x[k][v] = sum * inverse;
            ly_store(vector_at(X, g + v) + at + PANEL * k, x[k][v]);
        }
    }
}

LY_INLINE void divide(bool triple, const Rows *X, int32_t columns, const double *L,
                      const double *signs, int64_t at)
{
    if (triple) {
        for (int32_t g = 0; g < 3 * PARTS; g += VECTORS) {
            divide_part(VECTORS, X, g, columns, L, signs, at);
        }
    } else {
        for (int32_t g = 0; g < PARTS; g += SINGLE) {
            divide_part(SINGLE, X, g, columns, L, signs, at);
        }
    }
}

// panels of rows by columns [begin, end) of which the products before `begin` are subtracted
LY_INLINE void finish_rows(bool triple, const LyTrapezoid *front, int32_t i, int32_t begin,
                           int32_t end, const double *signs)
{
    const Rows rows = rows_at(front, i, triple);
    for (int32_t column = begin; column < end; column += PANEL) {
        const double *B = ly_trapezoid_panel(front, column / PANEL);
        int32_t columns = least(PANEL, end - column);
        int64_t at = (int64_t)PANEL * column;
        subtract(triple, &rows, &rows, columns, &(Part){begin, column, B, signs}, at);
        divide(triple, &rows, columns, B + at, signs ? signs + column : NULL, at);
    }
}

LY_INLINE void below_any(const LyTrapezoid *front, int32_t begin, int32_t end, int32_t first,
                         int32_t last, const double *signs)
{
    subtract_before(front, begin, end, first, last, signs);
    int32_t i = first;
    for (; i + 3 <= last; i += 3) {
        finish_rows(true, front, i, begin, end, signs);
    }
    for (; i < last; ++i) {
        finish_rows(false, front, i, begin, end, signs);
    }
}

static void below(const LyTrapezoid *front, int32_t begin, int32_t end, int32_t first, int32_t last,
                  const double *signs)
{
    if (signs) {
        below_any(front, begin, end, first, last, signs);
    } else {
        below_any(front, begin, end, first, last, NULL);
    }
}

// Cholesky factor of one diagonal block
LY_INLINE int32_t factor_block(int32_t columns, double *D, double *signs)
{
    for (int32_t k = 0; k < columns; ++k) {
        double *column = D + PANEL * k;
        double pivot = column[k];
        if (signs ? pivot == 0.0 || !isfinite(pivot) : !(pivot > 0.0)) {
            return k + 1;
        }
        double sign = pivot < 0.0 ? -1.0 : 1.0, root = sqrt(fabs(pivot)), inverse = sign / root;
        if (signs) {
            signs[k] = sign;
        }
        for (int32_t i = k + 1; i < PANEL; ++i) {
            column[i] *= inverse;
        }
        column[k] = root;
        for (int32_t j = k + 1; j < columns; ++j) {
            double factor = sign * column[j];
            for (int32_t i = j; i < PANEL; ++i) {
                D[PANEL * j + i] -= factor * column[i];
            }
        }
    }
    return 0;
}

LY_INLINE int32_t diagonal_any(const LyTrapezoid *front, int32_t begin, int32_t end, double *signs)
{
    int32_t first = begin / PANEL, last = ly_panel_count(end);
    subtract_before(front, begin, end, first, last, signs);
    for (int32_t column = begin; column < end; column += PANEL) {
        int32_t panel = column / PANEL, columns = least(PANEL, end - column);
        int64_t at = (int64_t)PANEL * column;
        const Rows own = rows_at(front, panel, false);
        double *B = own.panel[0];
        subtract(false, &own, &own, columns, &(Part){begin, column, B, signs}, at);
        int32_t failed = factor_block(columns, B + at, signs ? signs + column : NULL);
        if (failed) {
            return column + failed;
        }
        for (int32_t i = panel + 1; i < last; ++i) {
            const Rows rows = rows_at(front, i, false);
            subtract(false, &rows, &rows, columns, &(Part){begin, column, B, signs}, at);
            divide(false, &rows, columns, B + at, signs ? signs + column : NULL, at);
        }
    }
    return 0;
}

static int32_t diagonal(const LyTrapezoid *front, int32_t begin, int32_t end, double *signs)
{
    return signs ? diagonal_any(front, begin, end, signs) : diagonal_any(front, begin, end, NULL);
}

// ---- what is passed on --------------------------------------------------------------------------

LY_INLINE Rows triangle_at(double *C, int32_t i, bool triple)
{
    Rows rows = {{C + ly_triangle_room(i)}};
    rows.panel[1] = triple ? C + ly_triangle_room(i + 1) : rows.panel[0];
    rows.panel[2] = triple ? C + ly_triangle_room(i + 2) : rows.panel[0];
    return rows;
}

LY_INLINE void update_any(const LyTrapezoid *front, double *C, int32_t first, int32_t last,
                          int32_t left, int32_t right, const double *signs)
{
    int32_t pivots = ly_panel_count(front->width);
    for (int32_t depth = 0; depth < front->width; depth += DEPTH) {
        int32_t deep = least(depth + DEPTH, front->width);
        for (int32_t j = left; j < right; ++j) {
            const double *B = ly_trapezoid_panel(front, pivots + j);
            int64_t at = (int64_t)BLOCK * j;
            int32_t i = first < j ? j : first;
            for (; i + 3 <= last; i += 3) {
                const Rows A = rows_at(front, pivots + i, true), to = triangle_at(C, i, true);
                subtract(true, &A, &to, PANEL, &(Part){depth, deep, B, signs}, at);
            }
            for (; i < last; ++i) {
                const Rows A = rows_at(front, pivots + i, false), to = triangle_at(C, i, false);
                subtract(false, &A, &to, PANEL, &(Part){depth, deep, B, signs}, at);
            }
        }
    }
}

static void update(const LyTrapezoid *front, double *C, int32_t first, int32_t last, int32_t left,
                   int32_t right, const double *signs)
{
    if (signs) {
        update_any(front, C, first, last, left, right, signs);
    } else {
        update_any(front, C, first, last, left, right, NULL);
    }
}

// ---- solve, one right-hand side -----------------------------------------------------------------

LY_INLINE void clear(LyReal acc[PANEL])
{
    for (int c = 0; c < PANEL; ++c) {
        acc[c] = ly_set(0.0);
    }
}

#if LY_LANES == 1
LY_INLINE LyReal load_single(const float *p)
{
    return (double)*p;
}
#else
typedef float Singles __attribute__((vector_size(4 * LY_LANES)));

LY_INLINE LyReal load_single(const float *p)
{
    Singles singles;
    memcpy(&singles, p, sizeof singles);
    return __builtin_convertvector(singles, LyReal);
}
#endif

#define NUMBER double
#define NUMBERS values
#define LOAD ly_load
#include "solve/front_solve.h"

#define NUMBER float
#define NUMBERS singles
#define LOAD load_single
#include "solve/front_solve.h"

// ---- solve, a group -----------------------------------------------------------------------------

#define GROUP LY_FRONT_GROUP
_Static_assert(GROUP % LY_LANES == 0, "a group is whole vectors");

// rows of a panel less its columns [0, end) times X; vector `v` of the group
LY_INLINE void apply_group_panel(const double *A, int32_t end, const double *X, double *Y)
{
    for (int32_t v = 0; v < GROUP; v += LY_LANES) {
        LyReal acc[PANEL];
#pragma GCC unroll 8
        for (int r = 0; r < PANEL; ++r) {
            acc[r] = ly_load(Y + GROUP * r + v);
        }
        for (int64_t p = 0; p < end; ++p) {
            const LyReal x = ly_load(X + GROUP * p + v);
#pragma GCC unroll 8
            for (int r = 0; r < PANEL; ++r) {
                acc[r] -= ly_set(A[PANEL * p + r]) * x;
            }
        }
#pragma GCC unroll 8
        for (int r = 0; r < PANEL; ++r) {
            ly_store(Y + GROUP * r + v, acc[r]);
        }
    }
}

// `columns` columns of panels from A on, `stride` apart and more by `growth` each, times Y
LY_INLINE void add_group_columns(int32_t columns, const double *A, const double *Y, int32_t v,
                                 LyReal acc[PANEL])
{
    for (int r = 0; r < PANEL; ++r) {
        const LyReal y = ly_load(Y + GROUP * r + v);
#pragma GCC unroll 8
        for (int c = 0; c < columns; ++c) {
            acc[c] += ly_set(A[PANEL * c + r]) * y;
        }
    }
}

static void solve_group(const LyTrapezoid *front, double *x)
{
    int32_t panels = ly_panel_count(front->width);
    for (int32_t i = 0; i < panels; ++i) {
        const double *L = ly_trapezoid_panel(front, i), *D = L + (int64_t)BLOCK * i;
        double *own = x + GROUP * PANEL * i;
        apply_group_panel(L, PANEL * i, x, own);
        int32_t columns = least(PANEL, front->width - PANEL * i);
        for (int32_t k = 0; k < columns; ++k) {
            for (int32_t v = 0; v < GROUP; v += LY_LANES) {
                LyReal sum = ly_load(own + GROUP * k + v);
                for (int32_t q = 0; q < k; ++q) {
                    sum -= ly_load(own + GROUP * q + v) * ly_set(D[k + PANEL * q]);
                }
                ly_store(own + GROUP * k + v, sum / D[k + PANEL * k]);
            }
        }
    }
}

static void apply_group(const LyTrapezoid *front, const double *x, int32_t first, int32_t last,
                        double *y)
{
    int32_t pivots = ly_panel_count(front->width);
    for (int32_t i = first; i < last; ++i) {
        apply_group_panel(ly_trapezoid_panel(front, pivots + i), front->width, x,
                          y + (int64_t)GROUP * PANEL * i);
    }
}

static void apply_transposed_group(const LyTrapezoid *front, const double *y, int32_t first,
                                   int32_t last, double *x)
{
    int32_t panels = ly_panel_count(front->height);
    const double *A = ly_trapezoid_panel(front, ly_panel_count(front->width));
    int64_t stride = (int64_t)PANEL * front->width;
    for (int32_t c = first; c < last; ++c) {
        int32_t columns = least(PANEL, front->width - PANEL * c);
        for (int32_t v = 0; v < GROUP; v += LY_LANES) {
            LyReal acc[PANEL];
            clear(acc);
            for (int32_t i = 0; i < panels; ++i) {
                const double *from = A + stride * i + (int64_t)BLOCK * c;
                const double *Y = y + (int64_t)GROUP * PANEL * i;
                if (columns == PANEL) {
                    add_group_columns(PANEL, from, Y, v, acc);
                } else {
                    add_group_columns(columns, from, Y, v, acc);
                }
            }
            for (int32_t k = 0; k < columns; ++k) {
                double *to = x + (int64_t)GROUP * (PANEL * c + k) + v;
                ly_store(to, ly_load(to) - acc[k]);
            }
        }
    }
}

static void solve_transposed_group(const LyTrapezoid *front, double *x)
{
    int32_t panels = ly_panel_count(front->width);
    for (int32_t c = panels - 1; c >= 0; --c) {
        int32_t columns = least(PANEL, front->width - PANEL * c);
        double *own = x + (int64_t)GROUP * PANEL * c;
        const double *D = ly_trapezoid_panel(front, c) + (int64_t)BLOCK * c;
        for (int32_t v = 0; v < GROUP; v += LY_LANES) {
            LyReal acc[PANEL];
            clear(acc);
            for (int32_t i = c + 1; i < panels; ++i) {
                add_group_columns(PANEL, ly_trapezoid_panel(front, i) + (int64_t)BLOCK * c,
                                  x + (int64_t)GROUP * PANEL * i, v, acc);
            }
            for (int32_t k = columns - 1; k >= 0; --k) {
                LyReal sum = ly_load(own + GROUP * k + v) - acc[k];
                for (int32_t r = k + 1; r < columns; ++r) {
                    sum -= ly_load(own + GROUP * r + v) * ly_set(D[r + PANEL * k]);
                }
                ly_store(own + GROUP * k + v, sum / D[k + PANEL * k]);
            }
        }
    }
}

// ---- table --------------------------------------------------------------------------------------

static void solve(const LyTrapezoid *front, bool group, double *x)
{
    (group ? solve_group : front->singles ? solve_float : solve_double)(front, x);
}

static void apply(const LyTrapezoid *front, bool group, const double *x, int32_t first,
                  int32_t last, double *y)
{
    (group ? apply_group : front->singles ? apply_float : apply_double)(front, x, first, last, y);
}

static void apply_transposed(const LyTrapezoid *front, bool group, const double *y, int32_t first,
                             int32_t last, double *x)
{
    (group            ? apply_transposed_group
     : front->singles ? apply_transposed_float
                      : apply_transposed_double)(front, y, first, last, x);
}

static void solve_transposed(const LyTrapezoid *front, bool group, double *x)
{
    (group            ? solve_transposed_group
     : front->singles ? solve_transposed_float
                      : solve_transposed_double)(front, x);
}

const LyFrontKernels LY_KERNEL(ly_front_kernels) = {
    .diagonal = diagonal,
    .below = below,
    .update = update,
    .solve = solve,
    .apply = apply,
    .apply_transposed = apply_transposed,
    .solve_transposed = solve_transposed,
};
