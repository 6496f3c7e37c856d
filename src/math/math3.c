// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// The scalar decompositions: decompose.h with one lane. LyraMat3 and LyMat3 with one lane are both
// nine doubles, row by row.

#include "lyra/math3.h"

#include "base/base.h"
#include "math/decompose.h"

_Static_assert(LY_LANES == 1, "the scalar functions have one lane");
_Static_assert(sizeof(LyraMat3) == sizeof(LyMat3), "both are nine doubles");

static LyMat3 lane(LyraMat3 a)
{
    LyMat3 out;
    memcpy(&out, &a, sizeof out);
    return out;
}

static LyraMat3 unlane(LyMat3 a)
{
    LyraMat3 out;
    memcpy(&out, &a, sizeof out);
    return out;
}

static LyraVec3 unlane_vec3(LyVec3 a)
{
    return lyra_vec3(a.v[0], a.v[1], a.v[2]);
}

static LySvd3 lane_svd(const LyraSvd3 *svd)
{
    return (LySvd3){lane(svd->U), {{svd->s.x, svd->s.y, svd->s.z}}, lane(svd->V)};
}

LyraVec3 lyra_vec3_normalize(LyraVec3 a)
{
    if (a.x == 0 && a.y == 0 && a.z == 0) {
        return a;
    }
    double largest = fmax(fmax(fabs(a.x), fabs(a.y)), fabs(a.z));
    // the largest component to about 1 first, so that squares stay in range
    double factor = ly_power_of_two_inverse(ly_decompose_scale(largest));
    a = lyra_vec3_scale(a, factor);
    return lyra_vec3_scale(a, 1 / lyra_vec3_length(a));
}

LyraStatus lyra_mat3_inverse(LyraMat3 a, LyraMat3 *out)
{
    LyMat3 A = lane(a), inverse;
    if (ly_mat3_poison(&A) != 0) {
        return ly_fail(LYRA_NOT_FINITE, "a matrix to invert has a NaN or infinite entry");
    }
    if (!ly_mat3_inverse(&A, &inverse)) {
        return ly_fail(LYRA_SINGULAR, "a 3x3 matrix has no inverse, its determinant is %g",
                       lyra_mat3_determinant(a));
    }
    if (ly_mat3_poison(&inverse) != 0) {
        return ly_fail(LYRA_NOT_FINITE, "the inverse of a 3x3 matrix is beyond the largest double");
    }
    *out = unlane(inverse);
    return LYRA_OK;
}

LyraSvd3 lyra_mat3_svd(LyraMat3 F)
{
    LyMat3 A = lane(F);
    LySvd3 svd;
    ly_mat3_svd(&A, &svd);
    return (LyraSvd3){unlane(svd.U), unlane_vec3(svd.s), unlane(svd.V)};
}

LyraEigen3 lyra_mat3_eigen(LyraMat3 A)
{
    LyMat3 matrix = lane(A), vectors;
    LyVec3 values;
    ly_mat3_eigen(&matrix, &values, &vectors);
    return (LyraEigen3){unlane_vec3(values), unlane(vectors)};
}

LyraMat3 lyra_mat3_polar(LyraMat3 F)
{
    LyMat3 A = lane(F), R;
    ly_mat3_polar(&A, &R);
    return unlane(R);
}

LyraMat3 lyra_polar_derivative(const LyraSvd3 *svd, LyraMat3 dF)
{
    LySvd3 decomposition = lane_svd(svd);
    LyMat3 direction = lane(dF), dR;
    ly_polar_derivative(&decomposition, &direction, &dR);
    return unlane(dR);
}

LyraMat3 lyra_polar_second_derivative(const LyraSvd3 *svd, LyraMat3 dF1, LyraMat3 dF2)
{
    LySvd3 decomposition = lane_svd(svd);
    LyMat3 first = lane(dF1), second = lane(dF2), d2R;
    ly_polar_second_derivative(&decomposition, &first, &second, &d2R);
    return unlane(d2R);
}
