// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Solves with a front for one right-hand side, by a factor of NUMBERs, which LOAD brings into lanes
// of doubles. Included by front_kernels.c, once for each kind of number; NUMBERS is where a front
// has them.

#define NAME_JOIN(name, number) name##_##number
#define NAME_OF(name, number) NAME_JOIN(name, number)
#define NAME(name) NAME_OF(name, NUMBER)

LY_INLINE const NUMBER *NAME(panel)(const LyTrapezoid *front, int32_t i)
{
    return front->NUMBERS + ly_trapezoid_place(front, i);
}

// y -= columns [0, end) of `panels` panels, `stride` apart, times x
LY_INLINE void NAME(apply_panels)(int32_t panels, const NUMBER *A, int64_t stride, int32_t end,
                                  const double *x, double *y)
{
    LyReal acc[4][PARTS];
    for (int32_t i = 0; i < panels; ++i) {
        for (int v = 0; v < PARTS; ++v) {
            acc[i][v] = ly_load(y + PANEL * i + LY_LANES * v);
        }
    }
    for (int32_t p = 0; p < end; ++p) {
        const LyReal xp = ly_set(x[p]);
        for (int32_t i = 0; i < panels; ++i) {
            for (int v = 0; v < PARTS; ++v) {
                acc[i][v] -= LOAD(A + stride * i + PANEL * (int64_t)p + LY_LANES * v) * xp;
            }
        }
    }
    for (int32_t i = 0; i < panels; ++i) {
        for (int v = 0; v < PARTS; ++v) {
            ly_store(y + PANEL * i + LY_LANES * v, acc[i][v]);
        }
    }
}

// acc[c] += column c of panel A times y, in lanes
LY_INLINE void NAME(add_columns)(int32_t columns, const NUMBER *A, const double *y,
                                 LyReal acc[PANEL])
{
    for (int v = 0; v < PARTS; ++v) {
        const LyReal yv = ly_load(y + LY_LANES * v);
#pragma GCC unroll 8
        for (int c = 0; c < columns; ++c) {
            acc[c] += LOAD(A + PANEL * c + LY_LANES * v) * yv;
        }
    }
}

static void NAME(solve)(const LyTrapezoid *front, double *x)
{
    int32_t panels = ly_panel_count(front->width);
    for (int32_t i = 0; i < panels; ++i) {
        const NUMBER *L = NAME(panel)(front, i), *D = L + (int64_t)BLOCK * i;
        double *own = x + PANEL * i;
        NAME(apply_panels)(1, L, 0, PANEL * i, x, own);
        int32_t columns = least(PANEL, front->width - PANEL * i);
        for (int32_t k = 0; k < columns; ++k) {
            own[k] /= D[k + PANEL * k];
            for (int32_t r = k + 1; r < columns; ++r) {
                own[r] -= D[r + PANEL * k] * own[k];
            }
        }
    }
}

static void NAME(apply)(const LyTrapezoid *front, const double *x, int32_t first, int32_t last,
                        double *y)
{
    int32_t pivots = ly_panel_count(front->width), i = first;
    int64_t stride = (int64_t)PANEL * front->width;
    for (; i + 4 <= last; i += 4) {
        NAME(apply_panels)
        (4, NAME(panel)(front, pivots + i), stride, front->width, x, y + PANEL * i);
    }
    for (; i < last; ++i) {
        NAME(apply_panels)
        (1, NAME(panel)(front, pivots + i), stride, front->width, x, y + PANEL * i);
    }
}

static void NAME(apply_transposed)(const LyTrapezoid *front, const double *y, int32_t first,
                                   int32_t last, double *x)
{
    int32_t panels = ly_panel_count(front->height);
    const NUMBER *A = NAME(panel)(front, ly_panel_count(front->width));
    int64_t stride = (int64_t)PANEL * front->width;
    for (int32_t c = first; c < last; ++c) {
        int32_t columns = least(PANEL, front->width - PANEL * c);
        LyReal acc[PANEL];
        clear(acc);
        for (int32_t i = 0; i < panels; ++i) {
            const NUMBER *from = A + stride * i + (int64_t)BLOCK * c;
            if (columns == PANEL) {
                NAME(add_columns)(PANEL, from, y + PANEL * i, acc);
            } else {
                NAME(add_columns)(columns, from, y + PANEL * i, acc);
            }
        }
        for (int32_t k = 0; k < columns; ++k) {
            x[PANEL * c + k] -= ly_sum(acc[k]);
        }
    }
}

static void NAME(solve_transposed)(const LyTrapezoid *front, double *x)
{
    int32_t panels = ly_panel_count(front->width);
    for (int32_t c = panels - 1; c >= 0; --c) {
        int32_t columns = least(PANEL, front->width - PANEL * c);
        double *own = x + PANEL * c;
        if (c + 1 < panels) {
            LyReal acc[PANEL];
            clear(acc);
            for (int32_t i = c + 1; i < panels; ++i) {
                NAME(add_columns)
                (PANEL, NAME(panel)(front, i) + (int64_t)BLOCK * c, x + PANEL * i, acc);
            }
            for (int32_t k = 0; k < PANEL; ++k) {
                own[k] -= ly_sum(acc[k]);
            }
        }
        const NUMBER *D = NAME(panel)(front, c) + (int64_t)BLOCK * c;
        for (int32_t k = columns - 1; k >= 0; --k) {
            double sum = own[k];
            for (int32_t r = k + 1; r < columns; ++r) {
                sum -= D[r + PANEL * k] * own[r];
            }
            own[k] = sum / D[k + PANEL * k];
        }
    }
}

#undef NAME
#undef NAME_OF
#undef NAME_JOIN
#undef NUMBER
#undef NUMBERS
#undef LOAD
