// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Decompositions of 3x3 matrices in lanes: symmetric eigenvalues, SVD with rotations, nearest
// rotation and its derivatives, inverse. Force kernels include this file; the scalar functions of
// lyra/math3.h are its instance with one lane.
//
// Every function first divides by the power of two at the largest entry, so that squares neither
// overflow nor vanish, and poisons lanes with NaN or infinite entries, which then come out all NaN.
// No lane's result depends on what is in the others: iterations go on until all lanes are done, but
// a lane that is done keeps its value.
//
// Jacobi. A rotation in the plane (p, q) that makes a_pq = 0 puts the larger eigenvalue of the 2x2
// block first, so that the sweep sorts as it goes. With d = a_pp - a_qq, b = 2 a_pq and
// h = sqrt(d^2 + b^2) the eigenvalues are (a_pp + a_qq +- h) / 2, and the first eigenvector is
// along (|d| + h, b) for d >= 0, along (b, |d| + h) otherwise: no cancellation in either. Three
// sweeps bring most matrices to rounding [GVL13, 8.5].
//
// SVD. The eigenvectors V of F^T F are exact to eps relative to s1^2, so B = F V has a first column
// orthogonal to the others to eps s1, which is all that |F - U S V^T| asks; but where s2 is small
// beside s1, the columns 2 and 3 may be far from orthogonal. So: u1 from column 1, any orthonormal
// complement (t1, t2) of it without cancellation [DBC17], then the SVD of the 2x2 matrix of what
// columns 2 and 3 have in (t1, t2), by one rotation from the right, which only some lanes need, and
// one from the left. U and V are products of rotations for every F, rank 0 included, the sign of
// det F falls on s3, and no small stretch is squared away: the error is a few eps s1 in each.
//
// Nearest rotation. The sum l = s1 + s2 + s3 of the signed stretches is the largest root of
//     l^4 - 2 I l^2 - 8 J l + I^2 - 4 II = 0,    I = |F|^2, II = |cof F|^2, J = det F [HN16].
// Its slope there is 4 D with D = l^3 - I l - 2 J = 2 (s1 + s2)(s2 + s3)(s3 + s1), and
//     R = ((l^2 + I) F - 2 F F^T F + 2 l cof F) / D.
// Newton from sqrt(3 I) >= l comes down monotonically. The error grows as
// eps (s1 / (s2 + s3))^2: where D is small beside l^3 the SVD takes over, R = U V^T.

#ifndef LY_MATH_DECOMPOSE_H
#define LY_MATH_DECOMPOSE_H

#include "math/mat3_lanes.h"

typedef struct LySvd3 {
    LyMat3 U;
    LyVec3 s;
    LyMat3 V;
} LySvd3;

// beside entries of about 1, what is below it counts as zero, and squares below its own
#define LY_TINY_ROOT 0x1p-482
#define LY_TINY 0x1p-964

// power of two beside the largest entry, within what can be inverted
LY_INLINE LyReal ly_decompose_scale(LyReal largest)
{
    return ly_power_of_two_below(ly_min(ly_max(largest, ly_set(0x1p-1021)), ly_set(0x1p1021)));
}

// ---- Jacobi -------------------------------------------------------------------------------------

typedef struct LyRotation {
    LyReal c, s, h;
} LyRotation;

// unit eigenvector (c, s) of the larger eigenvalue of [a_pp, b/2; b/2, a_qq] with d = a_pp - a_qq;
// (1, 0) where both vanish
LY_INLINE LyRotation ly_jacobi_rotation(LyReal d, LyReal b)
{
    LyReal h = ly_sqrt(d * d + b * b);
    LyReal large = ly_max(ly_abs(d) + h, ly_set(LY_TINY_ROOT));
    LyReal inverse = 1.0 / ly_sqrt(large * large + b * b);
    LyReal x = large * inverse, y = b * inverse;
    LyMask swap = ly_less(d, ly_set(0));
    return (LyRotation){ly_select(swap, y, x), ly_select(swap, x, y), h};
}

// columns p and q of V turned
LY_INLINE void ly_jacobi_turn(LyMat3 *V, int p, int q, LyReal c, LyReal s)
{
#pragma GCC unroll 3
    for (int i = 0; i < 3; ++i) {
        LyReal x = V->m[i][p], y = V->m[i][q];
        V->m[i][p] = c * x + s * y;
        V->m[i][q] = c * y - s * x;
    }
}

// one rotation; r is the third index, a_rp stands for a_pr
LY_INLINE void ly_jacobi_step(LyReal *pp, LyReal *qq, LyReal *pq, LyReal *pr, LyReal *qr, LyMat3 *V,
                              int p, int q)
{
    LyRotation g = ly_jacobi_rotation(*pp - *qq, 2.0 * *pq);
    LyReal middle = 0.5 * (*pp + *qq), x = *pr, y = *qr;
    *pp = middle + 0.5 * g.h;
    *qq = middle - 0.5 * g.h;
    *pq = ly_set(0);
    *pr = g.c * x + g.s * y;
    *qr = g.c * y - g.s * x;
    ly_jacobi_turn(V, p, q, g.c, g.s);
}

// symmetric matrix as xx, yy, zz, xy, yz, zx
typedef struct LySym3 {
    LyReal a[6];
} LySym3;

LY_INLINE void ly_jacobi_sweep(LySym3 *A, LyMat3 *V)
{
    LyReal *a = A->a;
    ly_jacobi_step(&a[0], &a[1], &a[3], &a[5], &a[4], V, 0, 1);
    ly_jacobi_step(&a[0], &a[2], &a[5], &a[3], &a[4], V, 0, 2);
    ly_jacobi_step(&a[1], &a[2], &a[4], &a[3], &a[5], V, 1, 2);
}

// A becomes diagonal, descending; V the rotation with V^T A V
LY_INLINE void ly_jacobi(LySym3 *A, LyMat3 *V)
{
    LyReal *a = A->a;
    LyReal norm =
        a[0] * a[0] + a[1] * a[1] + a[2] * a[2] + 2.0 * (a[3] * a[3] + a[4] * a[4] + a[5] * a[5]);
    *V = ly_mat3_identity();
    ly_jacobi_sweep(A, V);
    ly_jacobi_sweep(A, V);
    ly_jacobi_sweep(A, V);
    // few lanes want more; those that do not keep what they have
    for (int sweep = 3; sweep < 16; ++sweep) {
        LyReal off = a[3] * a[3] + a[4] * a[4] + a[5] * a[5];
        LyMask active = ly_greater(off, 0x1p-108 * norm);
        if (!ly_any(active)) {
            break;
        }
        LySym3 next = *A;
        LyMat3 turned = *V;
        ly_jacobi_sweep(&next, &turned);
        for (int k = 0; k < 6; ++k) {
            a[k] = ly_select(active, next.a[k], a[k]);
        }
        *V = ly_mat3_select(active, &turned, V);
    }
}

// ---- symmetric eigenvalues ----------------------------------------------------------------------

/// A = V diag(values) V^T, values descending, V a rotation. Reads the upper triangle of A.
static inline void ly_mat3_eigen(const LyMat3 *A, LyVec3 *values, LyMat3 *V)
{
    LyMat3 upper = *A;
    upper.m[1][0] = A->m[0][1];
    upper.m[2][0] = A->m[0][2];
    upper.m[2][1] = A->m[1][2];
    LyReal scale = ly_decompose_scale(ly_mat3_largest(&upper));
    LyReal inverse = ly_power_of_two_inverse(scale) + ly_mat3_poison(&upper);
    LySym3 S = {{inverse * A->m[0][0], inverse * A->m[1][1], inverse * A->m[2][2],
                 inverse * A->m[0][1], inverse * A->m[1][2], inverse * A->m[0][2]}};
    ly_jacobi(&S, V);
    // rounding may leave equal ones an ulp out of order
    LyReal second = ly_max(S.a[2], S.a[1]);
    values->v[0] = scale * ly_max(second, S.a[0]);
    values->v[1] = scale * second;
    values->v[2] = scale * S.a[2];
}

// ---- singular values ----------------------------------------------------------------------------

// orthonormal t1, t2 with t1 x t2 = u, for a unit vector u; (e2, e3) for u = e1
LY_INLINE void ly_complement(const LyReal u[3], LyReal t1[3], LyReal t2[3])
{
    LyReal sign = ly_copysign(ly_set(1), u[0]);
    LyReal a = -1.0 / (sign + u[0]), b = u[1] * u[2] * a;
    t1[0] = -sign * u[1];
    t1[1] = 1.0 + sign * (u[1] * u[1] * a);
    t1[2] = sign * b;
    t2[0] = -u[2];
    t2[1] = b;
    t2[2] = sign + u[2] * u[2] * a;
}

/// F = U diag(s) V^T; U, V rotations; s0 >= s1 >= |s2|, and s2 has the sign of det F.
static inline void ly_mat3_svd(const LyMat3 *F, LySvd3 *out)
{
    LyReal scale = ly_decompose_scale(ly_mat3_largest(F));
    LyMat3 G = ly_mat3_scale(F, ly_power_of_two_inverse(scale) + ly_mat3_poison(F));

    // V from G^T G, columns of B = G V by descending length
    LySym3 C;
    const int row[6] = {0, 1, 2, 0, 1, 2}, column[6] = {0, 1, 2, 1, 2, 0};
#pragma GCC unroll 6
    for (int k = 0; k < 6; ++k) {
        int i = row[k], j = column[k];
        C.a[k] = G.m[0][i] * G.m[0][j] + G.m[1][i] * G.m[1][j] + G.m[2][i] * G.m[2][j];
    }
    LyMat3 V;
    ly_jacobi(&C, &V);
    LyMat3 B = ly_mat3_multiply(&G, &V);

    // u1 along the first column, e1 for the zero matrix
    LyReal length = B.m[0][0] * B.m[0][0] + B.m[1][0] * B.m[1][0] + B.m[2][0] * B.m[2][0];
    LyMask zero = ly_less(length, ly_set(LY_TINY));
    LyReal s1 = ly_sqrt(length);
    LyReal inverse = 1.0 / ly_select(zero, ly_set(1), s1);
    LyReal u[3] = {ly_select(zero, ly_set(1), B.m[0][0] * inverse), B.m[1][0] * inverse,
                   B.m[2][0] * inverse};
    LyReal t1[3], t2[3];
    ly_complement(u, t1, t2);

    // columns 2 and 3 in (t1, t2): the matrix [a b; c d]
    LyReal a = t1[0] * B.m[0][1] + t1[1] * B.m[1][1] + t1[2] * B.m[2][1];
    LyReal b = t1[0] * B.m[0][2] + t1[1] * B.m[1][2] + t1[2] * B.m[2][2];
    LyReal c = t2[0] * B.m[0][1] + t2[1] * B.m[1][1] + t2[2] * B.m[2][1];
    LyReal d = t2[0] * B.m[0][2] + t2[1] * B.m[1][2] + t2[2] * B.m[2][2];

    // from the right: make its columns orthogonal and the first the longer, where they are not
    LyReal first = a * a + c * c, second = b * b + d * d, cross = a * b + c * d;
    LyMask skew = ly_greater(cross * cross, 0x1p-100 * length * first);
    LyMask wrong = ly_or(skew, ly_greater(second, (1 + 0x1p-51) * first));
    if (ly_any(wrong)) {
        LyRotation g = ly_jacobi_rotation(first - second, 2.0 * cross);
        LyReal gc = ly_select(wrong, g.c, ly_set(1)), gs = ly_select(wrong, g.s, ly_set(0));
        LyReal a0 = a, c0 = c;
        a = gc * a0 + gs * b;
        b = gc * b - gs * a0;
        c = gc * c0 + gs * d;
        d = gc * d - gs * c0;
        first = a * a + c * c;
        ly_jacobi_turn(&V, 1, 2, gc, gs);
    }

    // from the left: make it triangular
    LyMask none = ly_less(first, ly_set(LY_TINY));
    LyReal s2 = ly_sqrt(first);
    inverse = 1.0 / ly_select(none, ly_set(1), s2);
    LyReal gc = ly_select(none, ly_set(1), a * inverse);
    LyReal gs = ly_select(none, ly_set(0), c * inverse);
    LyReal s3 = gc * d - gs * b;
#pragma GCC unroll 3
    for (int i = 0; i < 3; ++i) {
        out->U.m[i][0] = u[i];
        out->U.m[i][1] = gc * t1[i] + gs * t2[i];
        out->U.m[i][2] = gc * t2[i] - gs * t1[i];
    }
    out->V = V;

    // rounding may leave equal ones an ulp out of order
    s2 = ly_max(ly_abs(s3), s2);
    out->s.v[0] = scale * ly_max(s2, s1);
    out->s.v[1] = scale * s2;
    out->s.v[2] = scale * s3;
}

// ---- nearest rotation ---------------------------------------------------------------------------

/// The rotation R nearest to F in the Frobenius norm. Where it is not unique (s2 + s3 = 0: rank 0
/// or 1, or opposite last stretches) it is the U V^T that ly_mat3_svd gives; I for F = 0.
static inline void ly_mat3_polar(const LyMat3 *F, LyMat3 *R)
{
    LyReal scale = ly_decompose_scale(ly_mat3_largest(F));
    LyMat3 G = ly_mat3_scale(F, ly_power_of_two_inverse(scale));
    LyMat3 K = ly_mat3_cofactor(&G);
    LyReal I = ly_mat3_norm_squared(&G), II = ly_mat3_norm_squared(&K);
    LyReal J = G.m[0][0] * K.m[0][0] + G.m[0][1] * K.m[0][1] + G.m[0][2] * K.m[0][2];

    // Halley's method from above, of third order: all four roots are real, so it comes down on the
    // largest. Where D below is large enough a step of this size leaves an error below rounding;
    // lanes that need more than 8 steps are for the SVD anyway.
    LyReal constant = I * I - 4.0 * II, l = ly_sqrt(3.0 * I);
    LyMask active = ly_greater(l, ly_set(0));
    for (int i = 0; i < 8 && ly_any(active); ++i) {
        LyReal square = l * l;
        LyReal f = ((square - 2.0 * I) * l - 8.0 * J) * l + constant;
        LyReal slope = 4.0 * ((square - I) * l - 2.0 * J), bend = 6.0 * square - 2.0 * I;
        LyReal step = f * slope / (slope * slope - f * bend);
        l = ly_select(active, l - step, l);
        active = ly_and(active, ly_greater(step, 0x1p-20 * l));
    }
    LyReal square = l * l, D = (square - I) * l - 2.0 * J;
    LyMask good = ly_greater(D, 0.15 * (square * l));

    LyReal inverse = 1.0 / D;
    LyReal fF = (square + I) * inverse, fC = -2.0 * inverse, fK = 2.0 * l * inverse;
    LyMat3 C = ly_mat3_transposed_multiply(&G, &G);
    LyMat3 GC = ly_mat3_multiply(&G, &C);
#pragma GCC unroll 9
    for (int k = 0; k < 9; ++k) {
        int i = k / 3, j = k % 3;
        R->m[i][j] = fF * G.m[i][j] + (fC * GC.m[i][j] + fK * K.m[i][j]);
    }
    if (!ly_all(good)) {
        LySvd3 svd;
        ly_mat3_svd(F, &svd);
        LyMat3 UV = ly_mat3_multiply_transposed(&svd.U, &svd.V);
        *R = ly_mat3_select(good, R, &UV);
    }
}

// ---- derivatives of the nearest rotation --------------------------------------------------------

// With S = R^T F and W = R^T dF, the rate w of R^T dR = [w]x solves (tr S I - S) w = axial(W -
// W^T). In the frame of V this is diagonal, s_j + s_k. Where s_j + s_k vanishes beside s1, R is not
// unique and that component of w is taken as 0: the derivative stays finite.

// 1 / (s_j + s_k), or 0
LY_INLINE LyVec3 ly_polar_compliance(const LySvd3 *svd)
{
    LyVec3 out;
    LyReal limit = 0x1p-48 * svd->s.v[0];
#pragma GCC unroll 3
    for (int i = 0; i < 3; ++i) {
        LyReal sum = svd->s.v[(i + 1) % 3] + svd->s.v[(i + 2) % 3];
        LyMask singular = ly_less_equal(sum, limit);
        out.v[i] = ly_select(singular, ly_set(0), 1.0 / ly_select(singular, ly_set(1), sum));
    }
    return out;
}

// U^T A V
LY_INLINE LyMat3 ly_polar_to_frame(const LySvd3 *svd, const LyMat3 *A)
{
    LyMat3 half = ly_mat3_transposed_multiply(&svd->U, A);
    return ly_mat3_multiply(&half, &svd->V);
}

// U A V^T
LY_INLINE LyMat3 ly_polar_from_frame(const LySvd3 *svd, const LyMat3 *A)
{
    LyMat3 half = ly_mat3_multiply(&svd->U, A);
    return ly_mat3_multiply_transposed(&half, &svd->V);
}

// the vector w of A - A^T = [w]x
LY_INLINE LyVec3 ly_mat3_axial(const LyMat3 *A)
{
    return (LyVec3){{A->m[2][1] - A->m[1][2], A->m[0][2] - A->m[2][0], A->m[1][0] - A->m[0][1]}};
}

LY_INLINE LyMat3 ly_mat3_cross(const LyVec3 *w)
{
    LyReal o = ly_set(0);
    return (LyMat3){{{o, -w->v[2], w->v[1]}, {w->v[2], o, -w->v[0]}, {-w->v[1], w->v[0], o}}};
}

/// Derivative dR of the nearest rotation along dF.
static inline void ly_polar_derivative(const LySvd3 *svd, const LyMat3 *dF, LyMat3 *dR)
{
    LyVec3 g = ly_polar_compliance(svd);
    LyMat3 W = ly_polar_to_frame(svd, dF);
    LyVec3 w = ly_mat3_axial(&W);
#pragma GCC unroll 3
    for (int i = 0; i < 3; ++i) {
        w.v[i] *= g.v[i];
    }
    LyMat3 turn = ly_mat3_cross(&w);
    *dR = ly_polar_from_frame(svd, &turn);
}

/// Second derivative of the nearest rotation along dF1 and dF2; symmetric in the two.
// From G w1 = axial(W1) along dF2: G dw1 = axial(-[w2]x W1) - dG2 w1, with dG2 = tr(dS2) I - dS2
// and dS2 = W2 - [w2]x S; then d2R = R ([w2]x [w1]x + [dw1]x).
static inline void ly_polar_second_derivative(const LySvd3 *svd, const LyMat3 *dF1,
                                              const LyMat3 *dF2, LyMat3 *d2R)
{
    LyVec3 g = ly_polar_compliance(svd);
    LyMat3 W1 = ly_polar_to_frame(svd, dF1), W2 = ly_polar_to_frame(svd, dF2);
    LyVec3 w1 = ly_mat3_axial(&W1), w2 = ly_mat3_axial(&W2);
#pragma GCC unroll 3
    for (int i = 0; i < 3; ++i) {
        w1.v[i] *= g.v[i];
        w2.v[i] *= g.v[i];
    }
    LyMat3 X1 = ly_mat3_cross(&w1), X2 = ly_mat3_cross(&w2), dS2;
#pragma GCC unroll 9
    for (int k = 0; k < 9; ++k) {
        dS2.m[k / 3][k % 3] = W2.m[k / 3][k % 3] - X2.m[k / 3][k % 3] * svd->s.v[k % 3];
    }
    LyReal trace = dS2.m[0][0] + dS2.m[1][1] + dS2.m[2][2];
    LyMat3 product = ly_mat3_multiply(&X2, &W1);
    LyVec3 rate = ly_mat3_axial(&product), dw;
#pragma GCC unroll 3
    for (int i = 0; i < 3; ++i) {
        LyReal along = dS2.m[i][0] * w1.v[0] + dS2.m[i][1] * w1.v[1] + dS2.m[i][2] * w1.v[2];
        dw.v[i] = g.v[i] * (along - trace * w1.v[i] - rate.v[i]);
    }
    LyMat3 turn = ly_mat3_multiply(&X2, &X1), more = ly_mat3_cross(&dw);
#pragma GCC unroll 9
    for (int k = 0; k < 9; ++k) {
        turn.m[k / 3][k % 3] += more.m[k / 3][k % 3];
    }
    *d2R = ly_polar_from_frame(svd, &turn);
}

// ---- inverse ------------------------------------------------------------------------------------

/// A^-1. True where A has one to working precision; elsewhere `out` is not to be used. The answer
/// does not depend on the scale of rows and columns: A is singular where its determinant drowns in
/// the rounding of its terms.
static inline LyMask ly_mat3_inverse(const LyMat3 *A, LyMat3 *out)
{
    // rows scaled to about 1
    LyMat3 G, size;
    LyReal inverse[3];
#pragma GCC unroll 3
    for (int i = 0; i < 3; ++i) {
        const LyReal *a = A->m[i];
        LyReal largest = ly_max(ly_max(ly_abs(a[0]), ly_abs(a[1])), ly_abs(a[2]));
        inverse[i] = ly_power_of_two_inverse(ly_decompose_scale(largest));
        for (int j = 0; j < 3; ++j) {
            G.m[i][j] = a[j] * inverse[i];
            size.m[i][j] = ly_abs(G.m[i][j]);
        }
    }
    LyMat3 K = ly_mat3_cofactor(&G);
    LyReal det = G.m[0][0] * K.m[0][0] + G.m[0][1] * K.m[0][1] + G.m[0][2] * K.m[0][2];
    // sum of the sizes of the six terms of the determinant
    const LyReal *p = size.m[0], *q = size.m[1], *r = size.m[2];
    LyReal terms = p[0] * (q[1] * r[2] + q[2] * r[1]) + p[1] * (q[2] * r[0] + q[0] * r[2]) +
                   p[2] * (q[0] * r[1] + q[1] * r[0]);
    LyMask regular = ly_greater(ly_abs(det), 0x1p-50 * terms);
    LyReal factor = 1.0 / ly_select(regular, det, ly_set(1));
#pragma GCC unroll 9
    for (int k = 0; k < 9; ++k) {
        int i = k / 3, j = k % 3;
        out->m[i][j] = K.m[j][i] * factor * inverse[j];
    }
    return regular;
}

#endif
