// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Vectors, matrices and quaternions, one at a time.

#include "lyra/math3.h"
#include "lyra_test.h"

static LyraVec3 random_vec3(TestRandom *random)
{
    return lyra_vec3(test_random_normal(random), test_random_normal(random),
                     test_random_normal(random));
}

static LyraMat3 random_mat3(TestRandom *random)
{
    LyraMat3 A;
    test_random_matrix3(random, TEST_MATRIX_NORMAL, 1, (double *)&A);
    return A;
}

static LyraQuat random_quat(TestRandom *random)
{
    return lyra_quat_normalize(lyra_quat(test_random_normal(random), test_random_normal(random),
                                         test_random_normal(random), test_random_normal(random)));
}

static double mat3_distance(LyraMat3 a, LyraMat3 b)
{
    return lyra_mat3_norm(lyra_mat3_subtract(a, b));
}

static double vec3_distance(LyraVec3 a, LyraVec3 b)
{
    return lyra_vec3_length(lyra_vec3_subtract(a, b));
}

// as rotations: q and -q are the same
static double quat_distance(LyraQuat p, LyraQuat q)
{
    return mat3_distance(lyra_quat_to_mat3(p), lyra_quat_to_mat3(q));
}

// ---- vectors and matrices -----------------------------------------------------------------------

LYRA_TEST(vector_identities)
{
    TestRandom random = test_random(1);
    for (int i = 0; i < 100; ++i) {
        LyraVec3 a = random_vec3(&random), b = random_vec3(&random), c = random_vec3(&random);
        LyraVec3 triple = lyra_vec3_cross(a, lyra_vec3_cross(b, c));
        LyraVec3 rule =
            lyra_vec3_add_scaled(lyra_vec3_scale(b, lyra_vec3_dot(a, c)), -lyra_vec3_dot(a, b), c);
        TEST_NEAR(vec3_distance(triple, rule), 0, 1e-13);
        TEST_NEAR(vec3_distance(lyra_vec3_add(lyra_vec3_subtract(a, b), b), a), 0, 1e-14);
        TEST_NEAR(lyra_vec3_dot(lyra_vec3_cross(a, b), a), 0, 1e-13);
    }
    TEST_NEAR(lyra_vec3_cross(lyra_vec3(1, 0, 0), lyra_vec3(0, 1, 0)).z, 1, 0);
}

LYRA_TEST(normalize_works_at_every_scale)
{
    const double scales[] = {5e-324, 1e-310, 1e-200, 1, 1e200, 1.7e308};
    for (int i = 0; i < 6; ++i) {
        double s = scales[i];
        LyraVec3 a = lyra_vec3_normalize(lyra_vec3(s, -s, 0));
        TEST_NEAR(a.x, sqrt(0.5), 1e-15);
        TEST_NEAR(a.y, -sqrt(0.5), 1e-15);
        LyraQuat q = lyra_quat_normalize(lyra_quat(s, s, -s, s));
        TEST_NEAR(q.w, 0.5, 1e-15);
        TEST_NEAR(q.y, -0.5, 1e-15);
    }
    LyraVec3 zero = lyra_vec3_normalize(lyra_vec3(0, -0.0, 0));
    TEST_CHECK(zero.x == 0 && zero.y == 0 && zero.z == 0);
    TEST_CHECK(lyra_quat_normalize(lyra_quat(0, 0, 0, 0)).w == 1);
    TEST_CHECK(isnan(lyra_vec3_normalize(lyra_vec3(NAN, 0, 0)).x));
    TEST_CHECK(isnan(lyra_quat_normalize(lyra_quat(NAN, 0, 0, 0)).w));
}

LYRA_TEST(matrix_identities)
{
    TestRandom random = test_random(2);
    for (int i = 0; i < 100; ++i) {
        LyraMat3 A = random_mat3(&random), B = random_mat3(&random);
        LyraMat3 At = lyra_mat3_transpose(A);
        LyraVec3 a = random_vec3(&random), b = random_vec3(&random), c = random_vec3(&random);
        LyraMat3 AB = lyra_mat3_multiply(A, B);
        TEST_NEAR(vec3_distance(lyra_mat3_apply(AB, a), lyra_mat3_apply(A, lyra_mat3_apply(B, a))),
                  0, 1e-13);
        TEST_NEAR(mat3_distance(lyra_mat3_transposed_multiply(A, B), lyra_mat3_multiply(At, B)), 0,
                  0);
        TEST_NEAR(mat3_distance(lyra_mat3_multiply_transposed(B, At), lyra_mat3_multiply(B, A)), 0,
                  0);
        TEST_NEAR(vec3_distance(lyra_mat3_transposed_apply(A, a), lyra_mat3_apply(At, a)), 0, 0);
        TEST_NEAR(lyra_mat3_determinant(AB), lyra_mat3_determinant(A) * lyra_mat3_determinant(B),
                  1e-12);
        TEST_NEAR(lyra_mat3_dot(A, B), lyra_mat3_trace(lyra_mat3_multiply(At, B)), 1e-13);
        TEST_NEAR(vec3_distance(lyra_mat3_apply(lyra_mat3_cross(a), b), lyra_vec3_cross(a, b)), 0,
                  1e-14);
        TEST_NEAR(vec3_distance(lyra_mat3_apply(lyra_mat3_outer(a, b), c),
                                lyra_vec3_scale(a, lyra_vec3_dot(b, c))),
                  0, 1e-13);
        // A cof(A)^T = det(A) I
        LyraMat3 D = lyra_mat3_multiply_transposed(A, lyra_mat3_cofactor(A));
        double det = lyra_mat3_determinant(A);
        TEST_NEAR(mat3_distance(D, lyra_mat3_diagonal(det, det, det)), 0, 1e-13);
        LyraMat3 columns = lyra_mat3_from_columns(a, b, c);
        TEST_NEAR(vec3_distance(lyra_mat3_column(columns, 1), b), 0, 0);
        TEST_NEAR(lyra_mat3_row(columns, 2).y, b.z, 0);
        TEST_NEAR(lyra_mat3_determinant(columns), lyra_vec3_dot(a, lyra_vec3_cross(b, c)), 1e-13);
    }
}

LYRA_TEST(inverse_works_at_every_scale_of_rows_and_columns)
{
    TestRandom random = test_random(3);
    for (int i = 0; i < 20000; ++i) {
        // a well-conditioned matrix between two diagonal ones
        LyraMat3 A, inverse;
        test_random_matrix3(&random, TEST_MATRIX_NEAR_IDENTITY, 1, (double *)&A);
        double rows[3], columns[3];
        for (int k = 0; k < 3; ++k) {
            rows[k] = pow(10, test_random_in(&random, -70, 70));
            columns[k] = pow(10, test_random_in(&random, -70, 70));
        }
        LyraMat3 B = lyra_mat3_multiply(lyra_mat3_diagonal(rows[0], rows[1], rows[2]), A);
        B = lyra_mat3_multiply(B, lyra_mat3_diagonal(columns[0], columns[1], columns[2]));
        TEST_OK(lyra_mat3_inverse(B, &inverse));
        // take the scales out again before the comparison
        LyraMat3 C =
            lyra_mat3_multiply(lyra_mat3_diagonal(columns[0], columns[1], columns[2]), inverse);
        C = lyra_mat3_multiply(C, lyra_mat3_diagonal(rows[0], rows[1], rows[2]));
        TEST_NEAR(mat3_distance(lyra_mat3_multiply(A, C), lyra_mat3_identity()), 0, 1e-13);
    }
}

LYRA_TEST(inverse_refuses_what_has_none)
{
    TestRandom random = test_random(4);
    const TestMatrixKind kinds[] = {TEST_MATRIX_ZERO, TEST_MATRIX_RANK_1, TEST_MATRIX_RANK_2};
    LyraMat3 untouched = lyra_mat3_diagonal(7, 7, 7), out = untouched;
    for (int i = 0; i < 3000; ++i) {
        LyraMat3 A;
        double scale = pow(10, test_random_in(&random, -150, 150));
        test_random_matrix3(&random, kinds[i % 3], scale, (double *)&A);
        TEST_STATUS(lyra_mat3_inverse(A, &out), LYRA_SINGULAR);
    }
    LyraMat3 bad = lyra_mat3_identity();
    bad.m[1][2] = NAN;
    TEST_STATUS(lyra_mat3_inverse(bad, &out), LYRA_NOT_FINITE);
    bad.m[1][2] = INFINITY;
    TEST_STATUS(lyra_mat3_inverse(bad, &out), LYRA_NOT_FINITE);
    TEST_STATUS(lyra_mat3_inverse(lyra_mat3_diagonal(1, 1, 5e-324), &out), LYRA_NOT_FINITE);
    TEST_NEAR(mat3_distance(out, untouched), 0, 0);
    TEST_OK(lyra_mat3_inverse(lyra_mat3_diagonal(1, 1e-150, -1e-300), &out));
    TEST_NEAR(out.m[2][2] / -1e300, 1, 1e-15);
}

// ---- quaternions --------------------------------------------------------------------------------

LYRA_TEST(quaternion_and_matrix_agree)
{
    TestRandom random = test_random(5);
    for (int i = 0; i < 10000; ++i) {
        LyraQuat p = random_quat(&random), q = random_quat(&random);
        if (i % 4 == 0) {
            // half turns, where w is zero or nearly so
            p = lyra_quat_normalize(lyra_quat(i % 8 ? 0 : 1e-12, p.x, p.y, i % 16 ? p.z : 0));
        }
        LyraVec3 a = random_vec3(&random);
        LyraMat3 P = lyra_quat_to_mat3(p), Q = lyra_quat_to_mat3(q);
        TEST_NEAR(vec3_distance(lyra_quat_rotate(p, a), lyra_mat3_apply(P, a)), 0, 1e-14);
        TEST_NEAR(
            mat3_distance(lyra_quat_to_mat3(lyra_quat_multiply(p, q)), lyra_mat3_multiply(P, Q)), 0,
            1e-14);
        TEST_NEAR(mat3_distance(lyra_quat_to_mat3(lyra_quat_conjugate(p)), lyra_mat3_transpose(P)),
                  0, 0);
        TEST_NEAR(lyra_mat3_determinant(P), 1, 1e-14);
        LyraQuat back = lyra_quat_from_mat3(P);
        TEST_CHECK(back.w >= 0);
        TEST_NEAR(fabs(lyra_quat_dot(back, p)), 1, 1e-15);
        TEST_NEAR(quat_distance(back, p), 0, 1e-14);
    }
    // a quarter turn about z takes x to y
    LyraVec3 y = lyra_quat_rotate(lyra_quat(sqrt(0.5), 0, 0, sqrt(0.5)), lyra_vec3(1, 0, 0));
    TEST_NEAR(vec3_distance(y, lyra_vec3(0, 1, 0)), 0, 1e-15);
}

LYRA_TEST(exp_and_log_are_inverse)
{
    TestRandom random = test_random(6);
    const double pi = 3.141592653589793;
    for (int i = 0; i < 10000; ++i) {
        LyraVec3 axis = lyra_vec3_normalize(random_vec3(&random));
        double angle = i % 2 ? test_random_in(&random, 0, 0.999 * pi)
                             : pow(10, test_random_in(&random, -200, 0));
        LyraVec3 w = lyra_vec3_scale(axis, angle);
        LyraVec3 back = lyra_quat_log(lyra_quat_exp(w));
        LyraVec3 error = lyra_vec3_scale(lyra_vec3_subtract(back, w), 1 / angle);
        TEST_NEAR(lyra_vec3_length(error), 0, 1e-14);
        LyraQuat q = random_quat(&random);
        TEST_NEAR(quat_distance(lyra_quat_exp(lyra_quat_log(q)), q), 0, 1e-14);
        TEST_CHECK(lyra_vec3_length(lyra_quat_log(q)) <= pi * (1 + 1e-15));
    }
    LyraQuat none = lyra_quat_exp(lyra_vec3(0, 0, 0));
    TEST_CHECK(none.w == 1 && none.x == 0 && none.y == 0 && none.z == 0);
    TEST_NEAR(lyra_vec3_length(lyra_quat_log(none)), 0, 0);
    // a half turn has length pi
    TEST_NEAR(lyra_quat_log(lyra_quat(0, 0, 1, 0)).y, pi, 1e-15);
}

LYRA_TEST(slerp_has_constant_speed)
{
    TestRandom random = test_random(7);
    for (int i = 0; i < 2000; ++i) {
        LyraQuat p = random_quat(&random), q = random_quat(&random);
        double t = test_random_in(&random, 0, 1);
        TEST_NEAR(quat_distance(lyra_quat_slerp(p, q, 0), p), 0, 1e-14);
        TEST_NEAR(quat_distance(lyra_quat_slerp(p, q, 1), q), 0, 1e-14);
        LyraQuat r = lyra_quat_slerp(p, q, t);
        TEST_NEAR(lyra_quat_dot(r, r), 1, 1e-15);
        LyraQuat whole = lyra_quat_multiply(q, lyra_quat_conjugate(p));
        LyraQuat part = lyra_quat_multiply(r, lyra_quat_conjugate(p));
        LyraVec3 w = lyra_vec3_scale(lyra_quat_log(whole), t);
        TEST_NEAR(vec3_distance(lyra_quat_log(part), w), 0, 1e-13);
        // -q is the same rotation, and the same way is taken
        LyraQuat minus = lyra_quat(-q.w, -q.x, -q.y, -q.z);
        TEST_NEAR(quat_distance(lyra_quat_slerp(p, minus, t), r), 0, 1e-14);
        TEST_NEAR(quat_distance(lyra_quat_slerp(p, p, t), p), 0, 1e-14);
    }
}

LYRA_TEST(integration_of_constant_spin_is_exact)
{
    TestRandom random = test_random(8);
    LyraQuat q = random_quat(&random), many = q;
    LyraVec3 w = lyra_vec3(1, -2, 0.5), a = random_vec3(&random);
    for (int i = 0; i < 1000; ++i) {
        many = lyra_quat_integrate(many, w, 0.01);
    }
    TEST_NEAR(quat_distance(many, lyra_quat_integrate(q, w, 10)), 0, 1e-12);
    TEST_NEAR(lyra_quat_dot(many, many), 1, 1e-15);
    // the angular velocity is that of the fixed frame: d/dt (q a) = w x (q a)
    double h = 1e-5;
    LyraVec3 ahead = lyra_quat_rotate(lyra_quat_integrate(q, w, h), a);
    LyraVec3 behind = lyra_quat_rotate(lyra_quat_integrate(q, w, -h), a);
    LyraVec3 rate = lyra_vec3_scale(lyra_vec3_subtract(ahead, behind), 1 / (2 * h));
    TEST_NEAR(vec3_distance(rate, lyra_vec3_cross(w, lyra_quat_rotate(q, a))), 0, 1e-8);
}
