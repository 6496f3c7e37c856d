// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Taylor polynomials in lanes, in d1, d2, d3 and truncated after the second power of each: the
// extension of a law past the limit of compression is made of them. A law is taken from numbers to
// polynomials by three operations: outer products of functions of one stretch, products, and
// composition with a function given by its Taylor coefficients; as the seventh power of a
// polynomial without constant vanishes, seven of them are enough.

#ifndef LY_MATERIAL_TAYLOR_H
#define LY_MATERIAL_TAYLOR_H

#include "math/lanes.h"

typedef struct LyTaylor {
    LyReal c[27]; // coefficient of d1^i d2^j d3^k at 9 i + 3 j + k
} LyTaylor;

/// Taylor coefficients needed to compose.
#define LY_TAYLOR_TERMS 7

static inline void ly_taylor_clear(LyTaylor *a)
{
    for (int k = 0; k < 27; ++k) {
        a->c[k] = ly_set(0);
    }
}

/// a += factor b
static inline void ly_taylor_add(LyTaylor *a, LyReal factor, const LyTaylor *b)
{
    for (int k = 0; k < 27; ++k) {
        a->c[k] += factor * b->c[k];
    }
}

/// a += x(d1) y(d2) z(d3)
static inline void ly_taylor_add_outer(LyTaylor *a, const LyReal x[3], const LyReal y[3],
                                       const LyReal z[3])
{
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) {
            LyReal xy = x[i] * y[j];
            for (int k = 0; k < 3; ++k) {
                a->c[9 * i + 3 * j + k] += xy * z[k];
            }
        }
    }
}

/// a += x(d_axis)
static inline void ly_taylor_add_single(LyTaylor *a, int axis, const LyReal x[3])
{
    const int stride[3] = {9, 3, 1};
    for (int i = 0; i < 3; ++i) {
        a->c[i * stride[axis]] += x[i];
    }
}

/// out = a b; `out` is neither.
static inline void ly_taylor_multiply(const LyTaylor *a, const LyTaylor *b, LyTaylor *out)
{
    ly_taylor_clear(out);
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) {
            for (int k = 0; k < 3; ++k) {
                LyReal x = a->c[9 * i + 3 * j + k];
                for (int p = 0; i + p < 3; ++p) {
                    for (int q = 0; j + q < 3; ++q) {
                        for (int r = 0; k + r < 3; ++r) {
                            out->c[9 * (i + p) + 3 * (j + q) + k + r] +=
                                x * b->c[9 * p + 3 * q + r];
                        }
                    }
                }
            }
        }
    }
}

/// a += sum over n of terms[n] (u - u0)^n with u0 the constant of u.
static inline void ly_taylor_add_composed(LyTaylor *a, const LyTaylor *u,
                                          const LyReal terms[LY_TAYLOR_TERMS])
{
    LyTaylor e = *u, sum, next;
    e.c[0] = ly_set(0);
    ly_taylor_clear(&sum);
    sum.c[0] = terms[LY_TAYLOR_TERMS - 1];
    for (int n = LY_TAYLOR_TERMS - 2; n >= 0; --n) {
        ly_taylor_multiply(&sum, &e, &next);
        sum = next;
        sum.c[0] += terms[n];
    }
    ly_taylor_add(a, ly_set(1), &sum);
}

/// Taylor coefficients of s^p, given v = s^p.
LY_INLINE void ly_taylor_power(LyReal s, LyReal v, LyReal p, LyReal out[3])
{
    LyReal inverse = 1.0 / s;
    out[0] = v;
    out[1] = p * v * inverse;
    out[2] = 0.5 * (p - 1.0) * out[1] * inverse;
}

#endif
