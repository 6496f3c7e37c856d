// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// 3x3 matrices and 3-vectors in lanes: LY_LANES of them side by side, one per lane.

#ifndef LY_MATH_MAT3_LANES_H
#define LY_MATH_MAT3_LANES_H

#include "math/lanes.h"

typedef struct LyVec3 {
    LyReal v[3];
} LyVec3;

typedef struct LyMat3 {
    LyReal m[3][3]; // row, column
} LyMat3;

// ---- in and out ---------------------------------------------------------------------------------

/// Lane i from the row-major matrix at p + 9 i.
LY_INLINE LyMat3 ly_mat3_load(const double *p)
{
    LyMat3 A;
#pragma GCC unroll 9
    for (int k = 0; k < 9; ++k) {
        A.m[k / 3][k % 3] = ly_load_strided(p + k, 9);
    }
    return A;
}

LY_INLINE void ly_mat3_store(double *p, const LyMat3 *A)
{
#pragma GCC unroll 9
    for (int k = 0; k < 9; ++k) {
        ly_store_strided(p + k, 9, A->m[k / 3][k % 3]);
    }
}

/// Component k = 3 row + column of all lanes from p + k stride: the layout of batches.
LY_INLINE LyMat3 ly_mat3_load_components(const double *p, int64_t stride)
{
    LyMat3 A;
#pragma GCC unroll 9
    for (int k = 0; k < 9; ++k) {
        A.m[k / 3][k % 3] = ly_load(p + k * stride);
    }
    return A;
}

LY_INLINE void ly_mat3_store_components(double *p, int64_t stride, const LyMat3 *A)
{
#pragma GCC unroll 9
    for (int k = 0; k < 9; ++k) {
        ly_store(p + k * stride, A->m[k / 3][k % 3]);
    }
}

/// Lane i to the vector at p + 3 i.
LY_INLINE void ly_vec3_store(double *p, const LyVec3 *a)
{
#pragma GCC unroll 3
    for (int k = 0; k < 3; ++k) {
        ly_store_strided(p + k, 3, a->v[k]);
    }
}

// ---- algebra ------------------------------------------------------------------------------------

LY_INLINE LyMat3 ly_mat3_identity(void)
{
    LyReal o = ly_set(0), l = ly_set(1);
    return (LyMat3){{{l, o, o}, {o, l, o}, {o, o, l}}};
}

LY_INLINE LyReal ly_vec3_dot(const LyVec3 *a, const LyVec3 *b)
{
    return a->v[0] * b->v[0] + a->v[1] * b->v[1] + a->v[2] * b->v[2];
}

LY_INLINE LyVec3 ly_vec3_cross(const LyVec3 *a, const LyVec3 *b)
{
    return (LyVec3){{a->v[1] * b->v[2] - a->v[2] * b->v[1], a->v[2] * b->v[0] - a->v[0] * b->v[2],
                     a->v[0] * b->v[1] - a->v[1] * b->v[0]}};
}

/// A v
LY_INLINE LyVec3 ly_mat3_apply(const LyMat3 *A, const LyVec3 *v)
{
    LyVec3 r;
#pragma GCC unroll 3
    for (int i = 0; i < 3; ++i) {
        r.v[i] = A->m[i][0] * v->v[0] + A->m[i][1] * v->v[1] + A->m[i][2] * v->v[2];
    }
    return r;
}

/// A^T v
LY_INLINE LyVec3 ly_mat3_apply_transposed(const LyMat3 *A, const LyVec3 *v)
{
    LyVec3 r;
#pragma GCC unroll 3
    for (int i = 0; i < 3; ++i) {
        r.v[i] = A->m[0][i] * v->v[0] + A->m[1][i] * v->v[1] + A->m[2][i] * v->v[2];
    }
    return r;
}

LY_INLINE LyMat3 ly_mat3_scale(const LyMat3 *A, LyReal factor)
{
    LyMat3 out;
#pragma GCC unroll 9
    for (int k = 0; k < 9; ++k) {
        out.m[k / 3][k % 3] = A->m[k / 3][k % 3] * factor;
    }
    return out;
}

LY_INLINE LyMat3 ly_mat3_select(LyMask mask, const LyMat3 *A, const LyMat3 *B)
{
    LyMat3 out;
#pragma GCC unroll 9
    for (int k = 0; k < 9; ++k) {
        out.m[k / 3][k % 3] = ly_select(mask, A->m[k / 3][k % 3], B->m[k / 3][k % 3]);
    }
    return out;
}

/// A B
LY_INLINE LyMat3 ly_mat3_multiply(const LyMat3 *A, const LyMat3 *B)
{
    LyMat3 out;
#pragma GCC unroll 9
    for (int k = 0; k < 9; ++k) {
        const LyReal *a = A->m[k / 3];
        int j = k % 3;
        out.m[k / 3][j] = a[0] * B->m[0][j] + a[1] * B->m[1][j] + a[2] * B->m[2][j];
    }
    return out;
}

/// A^T B
LY_INLINE LyMat3 ly_mat3_transposed_multiply(const LyMat3 *A, const LyMat3 *B)
{
    LyMat3 out;
#pragma GCC unroll 9
    for (int k = 0; k < 9; ++k) {
        int i = k / 3, j = k % 3;
        out.m[i][j] = A->m[0][i] * B->m[0][j] + A->m[1][i] * B->m[1][j] + A->m[2][i] * B->m[2][j];
    }
    return out;
}

/// A B^T
LY_INLINE LyMat3 ly_mat3_multiply_transposed(const LyMat3 *A, const LyMat3 *B)
{
    LyMat3 out;
#pragma GCC unroll 9
    for (int k = 0; k < 9; ++k) {
        const LyReal *a = A->m[k / 3], *b = B->m[k % 3];
        out.m[k / 3][k % 3] = a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
    }
    return out;
}

/// Sum of the squares of all entries.
LY_INLINE LyReal ly_mat3_norm_squared(const LyMat3 *A)
{
    LyReal row[3];
#pragma GCC unroll 3
    for (int i = 0; i < 3; ++i) {
        const LyReal *a = A->m[i];
        row[i] = a[0] * a[0] + a[1] * a[1] + a[2] * a[2];
    }
    return row[0] + row[1] + row[2];
}

/// d det(A) / dA: det(A) A^-T where A has an inverse.
LY_INLINE LyMat3 ly_mat3_cofactor(const LyMat3 *A)
{
    LyMat3 out;
#pragma GCC unroll 9
    for (int k = 0; k < 9; ++k) {
        int i = k / 3, j = k % 3;
        const LyReal *a = A->m[(i + 1) % 3], *b = A->m[(i + 2) % 3];
        out.m[i][j] = a[(j + 1) % 3] * b[(j + 2) % 3] - a[(j + 2) % 3] * b[(j + 1) % 3];
    }
    return out;
}

LY_INLINE LyReal ly_mat3_determinant(const LyMat3 *A)
{
    const LyReal *a = A->m[0], *b = A->m[1], *c = A->m[2];
    return a[0] * (b[1] * c[2] - b[2] * c[1]) + a[1] * (b[2] * c[0] - b[0] * c[2]) +
           a[2] * (b[0] * c[1] - b[1] * c[0]);
}

/// Largest size of an entry; NaN entries may be passed over.
LY_INLINE LyReal ly_mat3_largest(const LyMat3 *A)
{
    LyReal row[3];
#pragma GCC unroll 3
    for (int i = 0; i < 3; ++i) {
        const LyReal *a = A->m[i];
        row[i] = ly_max(ly_max(ly_abs(a[0]), ly_abs(a[1])), ly_abs(a[2]));
    }
    return ly_max(ly_max(row[0], row[1]), row[2]);
}

/// 0 where all entries are finite, NaN elsewhere.
LY_INLINE LyReal ly_mat3_poison(const LyMat3 *A)
{
    LyReal row[3];
#pragma GCC unroll 3
    for (int i = 0; i < 3; ++i) {
        const LyReal *a = A->m[i];
        row[i] = 0.0 * a[0] + 0.0 * a[1] + 0.0 * a[2];
    }
    return row[0] + row[1] + row[2];
}

#endif
