// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Quaternions. With half the rotation vector, h = w / 2, exp is (cos |h|, sin |h| h / |h|), and log
// undoes it with atan2, which is exact for small and large angles alike. Near zero sin(x) / x is 1
// to rounding where x^2 / 6 is below it, so that only the quotient 0 / 0 needs a rule.

#include "lyra/math3.h"

#include "math/decompose.h"

LyraQuat lyra_quat_normalize(LyraQuat q)
{
    if (q.w == 0 && q.x == 0 && q.y == 0 && q.z == 0) {
        return lyra_quat_identity();
    }
    double largest = fmax(fmax(fabs(q.w), fabs(q.x)), fmax(fabs(q.y), fabs(q.z)));
    // the largest component to about 1 first, so that squares stay in range
    double factor = ly_power_of_two_inverse(ly_decompose_scale(largest));
    q = lyra_quat(q.w * factor, q.x * factor, q.y * factor, q.z * factor);
    double inverse = 1 / sqrt(lyra_quat_dot(q, q));
    return lyra_quat(q.w * inverse, q.x * inverse, q.y * inverse, q.z * inverse);
}

LyraQuat lyra_quat_from_mat3(LyraMat3 R)
{
    // four times the product of the quaternion with its largest component, which the largest of the
    // trace and the diagonal points to
    double(*m)[3] = R.m, trace = lyra_mat3_trace(R);
    LyraQuat q;
    if (trace >= m[0][0] && trace >= m[1][1] && trace >= m[2][2]) {
        q = lyra_quat(1 + trace, m[2][1] - m[1][2], m[0][2] - m[2][0], m[1][0] - m[0][1]);
    } else if (m[0][0] >= m[1][1] && m[0][0] >= m[2][2]) {
        q = lyra_quat(m[2][1] - m[1][2], 1 + 2 * m[0][0] - trace, m[0][1] + m[1][0],
                      m[0][2] + m[2][0]);
    } else if (m[1][1] >= m[2][2]) {
        q = lyra_quat(m[0][2] - m[2][0], m[0][1] + m[1][0], 1 + 2 * m[1][1] - trace,
                      m[1][2] + m[2][1]);
    } else {
        q = lyra_quat(m[1][0] - m[0][1], m[0][2] + m[2][0], m[1][2] + m[2][1],
                      1 + 2 * m[2][2] - trace);
    }
    q = lyra_quat_normalize(q);
    return q.w < 0 ? lyra_quat(-q.w, -q.x, -q.y, -q.z) : q;
}

LyraMat3 lyra_quat_to_mat3(LyraQuat q)
{
    double x = 2 * q.x, y = 2 * q.y, z = 2 * q.z;
    double xx = x * q.x, yy = y * q.y, zz = z * q.z;
    double xy = x * q.y, yz = y * q.z, zx = z * q.x;
    double wx = x * q.w, wy = y * q.w, wz = z * q.w;
    return lyra_mat3_from_rows(lyra_vec3(1 - (yy + zz), xy - wz, zx + wy),
                               lyra_vec3(xy + wz, 1 - (xx + zz), yz - wx),
                               lyra_vec3(zx - wy, yz + wx, 1 - (xx + yy)));
}

LyraQuat lyra_quat_exp(LyraVec3 w)
{
    double angle = hypot(hypot(w.x, w.y), w.z);
    double factor = angle > 0 ? sin(0.5 * angle) / angle : 0.5;
    return lyra_quat(cos(0.5 * angle), factor * w.x, factor * w.y, factor * w.z);
}

LyraVec3 lyra_quat_log(LyraQuat q)
{
    // the quaternion of the shorter way
    if (q.w < 0) {
        q = lyra_quat(-q.w, -q.x, -q.y, -q.z);
    }
    double sine = hypot(hypot(q.x, q.y), q.z);
    double factor = sine > 0 ? 2 * atan2(sine, q.w) / sine : 2;
    return lyra_vec3(factor * q.x, factor * q.y, factor * q.z);
}

LyraQuat lyra_quat_slerp(LyraQuat p, LyraQuat q, double t)
{
    LyraVec3 w = lyra_quat_log(lyra_quat_multiply(lyra_quat_conjugate(p), q));
    return lyra_quat_normalize(lyra_quat_multiply(p, lyra_quat_exp(lyra_vec3_scale(w, t))));
}

LyraQuat lyra_quat_integrate(LyraQuat q, LyraVec3 w, double dt)
{
    return lyra_quat_normalize(lyra_quat_multiply(lyra_quat_exp(lyra_vec3_scale(w, dt)), q));
}
