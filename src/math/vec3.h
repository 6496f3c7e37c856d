// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Operations on vectors of three numbers that stand in arrays.

#ifndef LY_MATH_VEC3_H
#define LY_MATH_VEC3_H

#include <math.h>
#include <stdbool.h>

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

/// The part of `from` across the unit vector t, of length 1; false where there is none.
static inline bool ly_set_across3(const double t[3], const double from[3], double out[3])
{
    double along = ly_dot3(t, from), square = 0;
    for (int i = 0; i < 3; ++i) {
        out[i] = from[i] - along * t[i];
    }
    // once more, for the digits
    along = ly_dot3(t, out);
    for (int i = 0; i < 3; ++i) {
        out[i] -= along * t[i];
        square += out[i] * out[i];
    }
    double length = sqrt(square);
    for (int i = 0; i < 3; ++i) {
        out[i] /= length > 0 ? length : 1;
    }
    return length > 1e-6 * sqrt(ly_dot3(from, from));
}

/// Some unit vector across the unit vector t.
static inline void ly_choose_across3(const double t[3], double out[3])
{
    int least = fabs(t[0]) <= fabs(t[1]) && fabs(t[0]) <= fabs(t[2]) ? 0
                : fabs(t[1]) <= fabs(t[2])                           ? 1
                                                                     : 2;
    const double axis[3] = {least == 0, least == 1, least == 2};
    (void)ly_set_across3(t, axis, out);
}

#endif
