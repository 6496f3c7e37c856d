// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Operations on vectors of three numbers that stand in arrays.

#ifndef LY_MATH_VEC3_H
#define LY_MATH_VEC3_H

#include <math.h>

/// out = a - b
static inline void ly_subtract3(const double a[3], const double b[3], double out[3])
{
    out[0] = a[0] - b[0];
    out[1] = a[1] - b[1];
    out[2] = a[2] - b[2];
}

/// a . b
static inline double ly_dot3(const double a[3], const double b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/// |a|, for components whose squares are in range.
static inline double ly_length3(const double a[3])
{
    return sqrt(ly_dot3(a, a));
}

/// out = a x b; `out` is neither of them.
static inline void ly_cross3(const double a[3], const double b[3], double out[3])
{
    out[0] = a[1] * b[2] - a[2] * b[1];
    out[1] = a[2] * b[0] - a[0] * b[2];
    out[2] = a[0] * b[1] - a[1] * b[0];
}

/// a . (b x c), the determinant of the matrix with these rows.
static inline double ly_determinant3(const double a[3], const double b[3], const double c[3])
{
    return a[0] * (b[1] * c[2] - b[2] * c[1]) + a[1] * (b[2] * c[0] - b[0] * c[2]) +
           a[2] * (b[0] * c[1] - b[1] * c[0]);
}

#endif
