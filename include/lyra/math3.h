// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

/// @file
/// 3-vectors, 3x3 matrices and quaternions: small operations inline, decompositions in the library,
/// and decompositions of whole arrays on the vector units and threads of a context.
///
/// Small operations take and return values. Decompositions work at every scale from the smallest to
/// the largest double; a NaN or infinite entry makes every output entry NaN.
///
/// A part: it may change between minor versions, and lyra/lyra.h leaves it out (lyra/parts.h).

#ifndef LYRA_MATH3_H
#define LYRA_MATH3_H

#include "lyra/base.h"

#include <math.h>

#ifdef __cplusplus
extern "C" {
#endif

/// Vector. An array of them is an array of doubles, x, y, z in turn.
typedef struct LyraVec3 {
    double x, y, z; ///< Components.
} LyraVec3;

/// Matrix. An array of them is an array of doubles, 9 per matrix, row by row.
typedef struct LyraMat3 {
    double m[3][3]; ///< m[row][column].
} LyraMat3;

/// Quaternion w + x i + y j + z k. Of unit length it is the rotation by 2 acos(w) about (x, y, z).
typedef struct LyraQuat {
    double w, x, y, z; ///< Components, the real one first.
} LyraQuat;

// ---- vectors ------------------------------------------------------------------------------------

/// Vector from its components.
static inline LyraVec3 lyra_vec3(double x, double y, double z)
{
    LyraVec3 a = {x, y, z};
    return a;
}

/// a + b
static inline LyraVec3 lyra_vec3_add(LyraVec3 a, LyraVec3 b)
{
    return lyra_vec3(a.x + b.x, a.y + b.y, a.z + b.z);
}

/// a - b
static inline LyraVec3 lyra_vec3_subtract(LyraVec3 a, LyraVec3 b)
{
    return lyra_vec3(a.x - b.x, a.y - b.y, a.z - b.z);
}

/// factor * a
static inline LyraVec3 lyra_vec3_scale(LyraVec3 a, double factor)
{
    return lyra_vec3(a.x * factor, a.y * factor, a.z * factor);
}

/// a + factor * b
static inline LyraVec3 lyra_vec3_add_scaled(LyraVec3 a, double factor, LyraVec3 b)
{
    return lyra_vec3(a.x + factor * b.x, a.y + factor * b.y, a.z + factor * b.z);
}

/// a . b
static inline double lyra_vec3_dot(LyraVec3 a, LyraVec3 b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

/// a x b
static inline LyraVec3 lyra_vec3_cross(LyraVec3 a, LyraVec3 b)
{
    return lyra_vec3(a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x);
}

/// Length, for components whose squares are in range (about 1e-150 to 1e150).
static inline double lyra_vec3_length(LyraVec3 a)
{
    return sqrt(lyra_vec3_dot(a, a));
}

/// Unit vector along `a`, at every scale; the zero vector for the zero vector.
LYRA_API LyraVec3 lyra_vec3_normalize(LyraVec3 a);

// ---- matrices -----------------------------------------------------------------------------------

/// Matrix from its rows.
static inline LyraMat3 lyra_mat3_from_rows(LyraVec3 x, LyraVec3 y, LyraVec3 z)
{
    LyraMat3 a = {{{x.x, x.y, x.z}, {y.x, y.y, y.z}, {z.x, z.y, z.z}}};
    return a;
}

/// Diagonal matrix.
static inline LyraMat3 lyra_mat3_diagonal(double x, double y, double z)
{
    return lyra_mat3_from_rows(lyra_vec3(x, 0, 0), lyra_vec3(0, y, 0), lyra_vec3(0, 0, z));
}

/// Ones on the diagonal.
static inline LyraMat3 lyra_mat3_identity(void)
{
    return lyra_mat3_diagonal(1, 1, 1);
}

/// Matrix from its columns.
static inline LyraMat3 lyra_mat3_from_columns(LyraVec3 a, LyraVec3 b, LyraVec3 c)
{
    return lyra_mat3_from_rows(lyra_vec3(a.x, b.x, c.x), lyra_vec3(a.y, b.y, c.y),
                               lyra_vec3(a.z, b.z, c.z));
}

/// a b^T
static inline LyraMat3 lyra_mat3_outer(LyraVec3 a, LyraVec3 b)
{
    return lyra_mat3_from_rows(lyra_vec3(a.x * b.x, a.x * b.y, a.x * b.z),
                               lyra_vec3(a.y * b.x, a.y * b.y, a.y * b.z),
                               lyra_vec3(a.z * b.x, a.z * b.y, a.z * b.z));
}

/// [w]x, the matrix with [w]x a = w x a.
static inline LyraMat3 lyra_mat3_cross(LyraVec3 w)
{
    return lyra_mat3_from_rows(lyra_vec3(0, -w.z, w.y), lyra_vec3(w.z, 0, -w.x),
                               lyra_vec3(-w.y, w.x, 0));
}

/// Column `j` in {0, 1, 2}.
static inline LyraVec3 lyra_mat3_column(LyraMat3 a, int32_t j)
{
    return lyra_vec3(a.m[0][j], a.m[1][j], a.m[2][j]);
}

/// Row `i` in {0, 1, 2}.
static inline LyraVec3 lyra_mat3_row(LyraMat3 a, int32_t i)
{
    return lyra_vec3(a.m[i][0], a.m[i][1], a.m[i][2]);
}

/// a^T
static inline LyraMat3 lyra_mat3_transpose(LyraMat3 a)
{
    return lyra_mat3_from_rows(lyra_vec3(a.m[0][0], a.m[1][0], a.m[2][0]),
                               lyra_vec3(a.m[0][1], a.m[1][1], a.m[2][1]),
                               lyra_vec3(a.m[0][2], a.m[1][2], a.m[2][2]));
}

/// a + factor * b
static inline LyraMat3 lyra_mat3_add_scaled(LyraMat3 a, double factor, LyraMat3 b)
{
    for (int32_t i = 0; i < 3; ++i) {
        for (int32_t j = 0; j < 3; ++j) {
            a.m[i][j] += factor * b.m[i][j];
        }
    }
    return a;
}

/// a + b
static inline LyraMat3 lyra_mat3_add(LyraMat3 a, LyraMat3 b)
{
    return lyra_mat3_add_scaled(a, 1, b);
}

/// a - b
static inline LyraMat3 lyra_mat3_subtract(LyraMat3 a, LyraMat3 b)
{
    return lyra_mat3_add_scaled(a, -1, b);
}

/// factor * a
static inline LyraMat3 lyra_mat3_scale(LyraMat3 a, double factor)
{
    for (int32_t i = 0; i < 3; ++i) {
        for (int32_t j = 0; j < 3; ++j) {
            a.m[i][j] *= factor;
        }
    }
    return a;
}

/// a b
static inline LyraMat3 lyra_mat3_multiply(LyraMat3 a, LyraMat3 b)
{
    LyraMat3 out;
    for (int32_t i = 0; i < 3; ++i) {
        for (int32_t j = 0; j < 3; ++j) {
            out.m[i][j] = a.m[i][0] * b.m[0][j] + a.m[i][1] * b.m[1][j] + a.m[i][2] * b.m[2][j];
        }
    }
    return out;
}

/// a^T b
static inline LyraMat3 lyra_mat3_transposed_multiply(LyraMat3 a, LyraMat3 b)
{
    return lyra_mat3_multiply(lyra_mat3_transpose(a), b);
}

/// a b^T
static inline LyraMat3 lyra_mat3_multiply_transposed(LyraMat3 a, LyraMat3 b)
{
    return lyra_mat3_multiply(a, lyra_mat3_transpose(b));
}

/// a x
static inline LyraVec3 lyra_mat3_apply(LyraMat3 a, LyraVec3 x)
{
    return lyra_vec3(lyra_vec3_dot(lyra_mat3_row(a, 0), x), lyra_vec3_dot(lyra_mat3_row(a, 1), x),
                     lyra_vec3_dot(lyra_mat3_row(a, 2), x));
}

/// a^T x
static inline LyraVec3 lyra_mat3_transposed_apply(LyraMat3 a, LyraVec3 x)
{
    return lyra_mat3_apply(lyra_mat3_transpose(a), x);
}

/// Sum of the diagonal.
static inline double lyra_mat3_trace(LyraMat3 a)
{
    return a.m[0][0] + a.m[1][1] + a.m[2][2];
}

/// Sum of the products of equal entries: tr(a^T b).
static inline double lyra_mat3_dot(LyraMat3 a, LyraMat3 b)
{
    double sum = 0;
    for (int32_t i = 0; i < 3; ++i) {
        sum += lyra_vec3_dot(lyra_mat3_row(a, i), lyra_mat3_row(b, i));
    }
    return sum;
}

/// Frobenius norm, for entries whose squares are in range (about 1e-150 to 1e150).
static inline double lyra_mat3_norm(LyraMat3 a)
{
    return sqrt(lyra_mat3_dot(a, a));
}

/// Determinant, for entries whose cubes are in range (about 1e-100 to 1e100).
static inline double lyra_mat3_determinant(LyraMat3 a)
{
    return lyra_vec3_dot(lyra_mat3_row(a, 0),
                         lyra_vec3_cross(lyra_mat3_row(a, 1), lyra_mat3_row(a, 2)));
}

/// Derivative of the determinant by the entries; det(a) a^-T where there is an inverse.
static inline LyraMat3 lyra_mat3_cofactor(LyraMat3 a)
{
    LyraVec3 r0 = lyra_mat3_row(a, 0), r1 = lyra_mat3_row(a, 1), r2 = lyra_mat3_row(a, 2);
    return lyra_mat3_transpose(lyra_mat3_from_columns(
        lyra_vec3_cross(r1, r2), lyra_vec3_cross(r2, r0), lyra_vec3_cross(r0, r1)));
}

/// Inverse. LYRA_SINGULAR where there is none to working precision: the determinant drowns in the
/// rounding of its six terms, which no scaling of rows or columns changes while the entries of a
/// row are within about 1e300 of each other. LYRA_NOT_FINITE for NaN or infinite entries, and for
/// an inverse beyond the range of doubles.
LYRA_API LyraStatus lyra_mat3_inverse(LyraMat3 a, LyraMat3 *out);

// ---- decompositions -----------------------------------------------------------------------------

/// F = U diag(s) V^T with the signs of invertible elements: U and V are rotations,
/// s.x >= s.y >= |s.z|, and s.z has the sign of det F.
typedef struct LyraSvd3 {
    LyraMat3 U; ///< Rotation.
    LyraVec3 s; ///< Stretches.
    LyraMat3 V; ///< Rotation.
} LyraSvd3;

/// |F - U diag(s) V^T| is a few rounding errors of |F|, whatever the stretches, zero and equal ones
/// included. U = V = I for F = 0.
LYRA_API LyraSvd3 lyra_mat3_svd(LyraMat3 F);

/// A = V diag(values) V^T.
typedef struct LyraEigen3 {
    LyraVec3 values;  ///< Descending: x >= y >= z.
    LyraMat3 vectors; ///< V, a rotation; its columns are the eigenvectors.
} LyraEigen3;

/// Eigenvalues and vectors of a symmetric matrix, of which the upper triangle is read.
LYRA_API LyraEigen3 lyra_mat3_eigen(LyraMat3 A);

/// The rotation nearest to F in the Frobenius norm: F = R S with S symmetric, positive definite
/// where det F > 0. For det F < 0 the smallest stretch of S is negative. The nearest rotation is
/// unique where s.y + s.z > 0, flat F included; elsewhere R is U V^T of lyra_mat3_svd, one of the
/// nearest, and I for F = 0.
LYRA_API LyraMat3 lyra_mat3_polar(LyraMat3 F);

/// Derivative of the nearest rotation along dF, at the F of which `svd` is the decomposition. It
/// grows as 1 / (s_i + s_j); where such a sum is below 2^-48 s.x, R is not unique, and the turn
/// about that axis is taken as 0.
LYRA_API LyraMat3 lyra_polar_derivative(const LyraSvd3 *svd, LyraMat3 dF);

/// Second derivative of the nearest rotation along dF1 and dF2, symmetric in them, with the same
/// rule where R is not unique.
LYRA_API LyraMat3 lyra_polar_second_derivative(const LyraSvd3 *svd, LyraMat3 dF1, LyraMat3 dF2);

// ---- arrays of decompositions -------------------------------------------------------------------

// Each matrix gives the same bits wherever it stands in the array and at any thread count. Nothing
// is allocated. An output of matrices may be the input itself; else arrays do not overlap.

/// The SVD of `count` matrices. `U`, `V`: Nullable: not wanted.
LYRA_API void lyra_mat3_svd_batch(LyraContext *ctx, int64_t count, const LyraMat3 *F, LyraMat3 *U,
                                  LyraVec3 *s, LyraMat3 *V);

/// The nearest rotation of `count` matrices, and S = R^T F, symmetric to the last bit. `R`, `S`:
/// Nullable: not wanted.
LYRA_API void lyra_mat3_polar_batch(LyraContext *ctx, int64_t count, const LyraMat3 *F, LyraMat3 *R,
                                    LyraMat3 *S);

/// Eigenvalues and vectors of `count` symmetric matrices. `vectors`: Nullable: not wanted.
LYRA_API void lyra_mat3_eigen_batch(LyraContext *ctx, int64_t count, const LyraMat3 *A,
                                    LyraVec3 *values, LyraMat3 *vectors);

// ---- quaternions --------------------------------------------------------------------------------

/// Quaternion from its components.
static inline LyraQuat lyra_quat(double w, double x, double y, double z)
{
    LyraQuat q = {w, x, y, z};
    return q;
}

/// No rotation.
static inline LyraQuat lyra_quat_identity(void)
{
    return lyra_quat(1, 0, 0, 0);
}

/// p q: as rotations, q first and then p.
static inline LyraQuat lyra_quat_multiply(LyraQuat p, LyraQuat q)
{
    return lyra_quat(p.w * q.w - p.x * q.x - p.y * q.y - p.z * q.z,
                     p.w * q.x + p.x * q.w + p.y * q.z - p.z * q.y,
                     p.w * q.y - p.x * q.z + p.y * q.w + p.z * q.x,
                     p.w * q.z + p.x * q.y - p.y * q.x + p.z * q.w);
}

/// The inverse rotation, for a unit quaternion.
static inline LyraQuat lyra_quat_conjugate(LyraQuat q)
{
    return lyra_quat(q.w, -q.x, -q.y, -q.z);
}

/// Sum of the products of equal components; for unit quaternions, the cosine of half the angle
/// between the rotations, up to its sign.
static inline double lyra_quat_dot(LyraQuat p, LyraQuat q)
{
    return p.w * q.w + p.x * q.x + p.y * q.y + p.z * q.z;
}

/// `a` turned by the unit quaternion q.
static inline LyraVec3 lyra_quat_rotate(LyraQuat q, LyraVec3 a)
{
    LyraVec3 v = lyra_vec3(q.x, q.y, q.z);
    LyraVec3 t = lyra_vec3_scale(lyra_vec3_cross(v, a), 2);
    return lyra_vec3_add(lyra_vec3_add_scaled(a, q.w, t), lyra_vec3_cross(v, t));
}

/// Unit quaternion along q, at every scale; the identity for the zero quaternion.
LYRA_API LyraQuat lyra_quat_normalize(LyraQuat q);

/// Unit quaternion, w >= 0, of a rotation matrix. For a matrix that is not quite a rotation, a
/// nearby one; take lyra_mat3_polar() first where it may be far.
LYRA_API LyraQuat lyra_quat_from_mat3(LyraMat3 R);

/// Rotation matrix of a unit quaternion.
LYRA_API LyraMat3 lyra_quat_to_mat3(LyraQuat q);

/// Rotation by |w| radians about w.
LYRA_API LyraQuat lyra_quat_exp(LyraVec3 w);

/// Rotation vector of a unit quaternion: the shorter way, at most pi long.
LYRA_API LyraVec3 lyra_quat_log(LyraQuat q);

/// From p (t = 0) to q (t = 1) at constant speed, the shorter way; t may lie outside [0, 1]. For
/// rotations exactly half a turn apart, one of the two ways.
LYRA_API LyraQuat lyra_quat_slerp(LyraQuat p, LyraQuat q, double t);

/// q after `dt` seconds of turning at the constant angular velocity w, rad/s in the fixed frame;
/// exact, and of unit length.
LYRA_API LyraQuat lyra_quat_integrate(LyraQuat q, LyraVec3 w, double dt);

#ifdef __cplusplus
}
#endif

#endif
