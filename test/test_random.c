// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Random numbers and 3x3 matrices for tests.

#include "lyra_test.h"

static uint64_t rotate_left(uint64_t x, int k)
{
    return (x << k) | (x >> (64 - k));
}

TestRandom test_random(uint64_t seed)
{
    // splitmix64 spreads the seed
    TestRandom random;
    for (int i = 0; i < 4; ++i) {
        seed += 0x9e3779b97f4a7c15u;
        uint64_t z = seed;
        z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
        z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
        random.s[i] = z ^ (z >> 31);
    }
    return random;
}

uint64_t test_random_bits(TestRandom *random)
{
    uint64_t *s = random->s;
    uint64_t result = rotate_left(s[0] + s[3], 23) + s[0];
    uint64_t t = s[1] << 17;
    s[2] ^= s[0];
    s[3] ^= s[1];
    s[1] ^= s[2];
    s[0] ^= s[3];
    s[2] ^= t;
    s[3] = rotate_left(s[3], 45);
    return result;
}

double test_random_in(TestRandom *random, double a, double b)
{
    return a + (b - a) * ((double)(test_random_bits(random) >> 11) * 0x1p-53);
}

int32_t test_random_below(TestRandom *random, int32_t n)
{
    return (int32_t)(((test_random_bits(random) >> 32) * (uint64_t)n) >> 32);
}

double test_random_normal(TestRandom *random)
{
    double u = 1 - test_random_in(random, 0, 1);
    double v = test_random_in(random, 0, 6.283185307179586);
    return sqrt(-2 * log(u)) * cos(v);
}

void test_random_rotation(TestRandom *random, double R[9])
{
    // uniform unit quaternion
    double q[4], length = 0;
    do {
        length = 0;
        for (int i = 0; i < 4; ++i) {
            q[i] = test_random_normal(random);
            length += q[i] * q[i];
        }
    } while (length < 1e-6);
    length = sqrt(length);
    double w = q[0] / length, x = q[1] / length, y = q[2] / length, z = q[3] / length;
    const double rotation[9] = {
        1 - 2 * (y * y + z * z), 2 * (x * y - w * z),     2 * (x * z + w * y),
        2 * (x * y + w * z),     1 - 2 * (x * x + z * z), 2 * (y * z - w * x),
        2 * (x * z - w * y),     2 * (y * z + w * x),     1 - 2 * (x * x + y * y),
    };
    for (int i = 0; i < 9; ++i) {
        R[i] = rotation[i];
    }
}

const char *test_matrix_kind_name(TestMatrixKind kind)
{
    static const char *const names[TEST_MATRIX_KIND_COUNT] = {
        "normal",   "near identity", "rotation",  "reflection",  "zero",         "rank 1",
        "rank 2",   "near singular", "two equal", "three equal", "nearly equal", "opposite",
        "diagonal", "permutation",   "graded",    "symmetric",   "integer",
    };
    return names[kind];
}

static double random_sign(TestRandom *random)
{
    return test_random_below(random, 2) ? 1 : -1;
}

// power of ten with a uniform exponent
static double random_decade(TestRandom *random, double low, double high)
{
    return pow(10, test_random_in(random, low, high));
}

// stretches of the kinds that are U diag(s) V^T with random rotations
static bool random_stretches(TestRandom *random, TestMatrixKind kind, double s[3])
{
    for (int i = 0; i < 3; ++i) {
        s[i] = test_random_in(random, 0.1, 2);
    }
    int odd = test_random_below(random, 3);
    switch (kind) {
    case TEST_MATRIX_ROTATION:
        s[0] = s[1] = s[2] = 1;
        return true;
    case TEST_MATRIX_REFLECTION:
        s[0] = s[1] = 1;
        s[2] = -1;
        return true;
    case TEST_MATRIX_RANK_1:
        s[1] = s[2] = 0;
        return true;
    case TEST_MATRIX_RANK_2:
        s[2] = 0;
        return true;
    case TEST_MATRIX_NEAR_SINGULAR:
        s[2] = random_sign(random) * random_decade(random, -16, -8);
        s[1] = test_random_below(random, 2) ? s[1] : random_decade(random, -16, -8);
        return true;
    case TEST_MATRIX_TWO_EQUAL:
        s[odd] = s[(odd + 1) % 3];
        s[(odd + 2) % 3] *= random_sign(random);
        return true;
    case TEST_MATRIX_THREE_EQUAL:
        s[1] = s[0];
        s[2] = random_sign(random) * s[0];
        return true;
    case TEST_MATRIX_NEARLY_EQUAL:
        s[1] = s[0] * (1 + random_decade(random, -15, -4));
        s[2] = random_sign(random) * s[0] * (1 + random_decade(random, -15, -4));
        return true;
    case TEST_MATRIX_OPPOSITE:
        s[0] += 2;
        s[2] = -s[1];
        return true;
    case TEST_MATRIX_GRADED:
        s[1] = random_decade(random, -100, 0);
        s[2] = random_sign(random) * s[1] * random_decade(random, -50, 0);
        return true;
    default:
        return false;
    }
}

void test_random_matrix3(TestRandom *random, TestMatrixKind kind, double scale, double F[9])
{
    double s[3];
    if (random_stretches(random, kind, s)) {
        double U[9], V[9];
        test_random_rotation(random, U);
        test_random_rotation(random, V);
        for (int i = 0; i < 3; ++i) {
            for (int j = 0; j < 3; ++j) {
                F[3 * i + j] = 0;
                for (int k = 0; k < 3; ++k) {
                    F[3 * i + j] += U[3 * i + k] * s[k] * V[3 * j + k];
                }
            }
        }
    } else {
        double R[9];
        test_random_rotation(random, R);
        int permutation = test_random_below(random, 3);
        for (int i = 0; i < 9; ++i) {
            int row = i / 3, column = i % 3;
            switch (kind) {
            case TEST_MATRIX_NEAR_IDENTITY:
                F[i] = R[i] + 0.1 * test_random_normal(random);
                break;
            case TEST_MATRIX_ZERO:
                F[i] = test_random_below(random, 2) ? 0.0 : -0.0;
                break;
            case TEST_MATRIX_DIAGONAL:
                F[i] = row != column ? 0 : test_random_below(random, 4) - 1.5;
                F[i] = fabs(F[i]) > 1 ? 0 : F[i] * test_random_in(random, 0, 2);
                break;
            case TEST_MATRIX_PERMUTATION:
                F[i] = column == (row + permutation) % 3 ? random_sign(random) : 0;
                break;
            case TEST_MATRIX_INTEGER:
                F[i] = test_random_below(random, 7) - 3;
                break;
            default:
                F[i] = test_random_normal(random);
            }
        }
        if (kind == TEST_MATRIX_SYMMETRIC) {
            F[3] = F[1];
            F[6] = F[2];
            F[7] = F[5];
        }
    }
    for (int i = 0; i < 9; ++i) {
        F[i] *= scale;
    }
}
