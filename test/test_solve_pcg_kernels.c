// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// The vector kernels of conjugate gradients, in floats and doubles of every instruction set,
// against plain loops in doubles. A vector has four numbers per row, the last of them 0.

#include "lyra_test.h"
#include "math/kernel.h"
#include "solve/pcg.h"

#include <string.h>

// more rows than are summed at once; those outside [BEGIN, END) stay as they are
enum { ROWS = 150, BEGIN = 3, END = 141, ROOM = 4 * ROWS, BLOCKS = 9 * ROWS + 16 };

typedef struct Kernels {
    const LyPcgKernels *table;
    bool single;
    double tolerance; // of sums of some hundred terms of size 1
    char name[40];
} Kernels;

// what a kernel reads and writes, in its own precision
typedef struct Numbers {
    _Alignas(64) double memory[BLOCKS];
} Numbers;

static void put(const Kernels *kernels, int32_t count, const double *values, Numbers *out)
{
    for (int32_t i = 0; i < count; ++i) {
        if (kernels->single) {
            float value = (float)values[i];
            memcpy((char *)out->memory + sizeof value * (size_t)i, &value, sizeof value);
        } else {
            out->memory[i] = values[i];
        }
    }
}

static double get(const Kernels *kernels, const Numbers *numbers, int32_t i)
{
    float value = 0;
    memcpy(&value, (const char *)numbers->memory + sizeof value * (size_t)i, sizeof value);
    return kernels->single ? value : numbers->memory[i];
}

static void check(const Kernels *kernels, const char *what, const Numbers *found,
                  const double *expected)
{
    double worst = 0;
    for (int32_t i = 0; i < ROOM; ++i) {
        double error = fabs(get(kernels, found, i) - expected[i]);
        worst = error <= worst ? worst : error;
    }
    TEST_CHECK_MSG(worst <= kernels->tolerance * test_tolerance_scale(), "%s, %s: off by %g",
                   kernels->name, what, worst);
}

static void check_number(const Kernels *kernels, const char *what, double found, double expected)
{
    TEST_CHECK_MSG(fabs(found - expected) <= 500 * kernels->tolerance * test_tolerance_scale(),
                   "%s, %s: %.17g, expected %.17g", kernels->name, what, found, expected);
}

static void fill(TestRandom *random, int32_t count, bool vector, double *values)
{
    for (int32_t i = 0; i < count; ++i) {
        values[i] = vector && i % 4 == 3 ? 0 : test_random_in(random, -1, 1);
    }
}

// ---- plain loops --------------------------------------------------------------------------------

static double dot(const double *x, const double *y)
{
    double sum = 0;
    for (int32_t i = 4 * BEGIN; i < 4 * END; ++i) {
        sum += x[i] * y[i];
    }
    return sum;
}

static void check_vectors(const Kernels *kernels, TestRandom *random)
{
    const LyPcgKernels *table = kernels->table;
    double p[ROOM], t[ROOM], w[ROOM], x[ROOM], r[ROOM], expected[ROOM], other[ROOM];
    Numbers P, T, W, X, R;
    fill(random, ROOM, true, p);
    fill(random, ROOM, true, t);
    fill(random, ROOM, true, w);
    fill(random, ROOM, true, x);
    fill(random, ROOM, true, r);
    put(kernels, ROOM, p, &P);
    put(kernels, ROOM, t, &T);
    put(kernels, ROOM, w, &W);
    put(kernels, ROOM, x, &X);
    put(kernels, ROOM, r, &R);
    check_number(kernels, "dot", table->dot(BEGIN, END, &P, &T), dot(p, t));

    memcpy(expected, w, sizeof expected);
    for (int32_t i = 4 * BEGIN; i < 4 * END; ++i) {
        expected[i] = t[i] + 0.7 * w[i];
    }
    table->direct(BEGIN, END, &T, 0.7, &W);
    check(kernels, "direct", &W, expected);

    for (int32_t i = 4 * BEGIN; i < 4 * END; ++i) {
        expected[i] = p[i] - t[i];
    }
    table->subtract(BEGIN, END, &P, &T, &W);
    check(kernels, "subtract", &W, expected);

    // t + w is p again
    double sums[3];
    table->joint(BEGIN, END, &X, &T, &W, &R, sums);
    check_number(kernels, "joint, p . q", sums[0], dot(x, p));
    check_number(kernels, "joint, r . q", sums[1], dot(r, p));
    check_number(kernels, "joint, q . q", sums[2], dot(p, p));
    check(kernels, "joint", &W, expected);

    memcpy(expected, x, sizeof expected);
    memcpy(other, r, sizeof other);
    for (int32_t i = 4 * BEGIN; i < 4 * END; ++i) {
        expected[i] = x[i] - 1.3 * p[i];
        other[i] = r[i] + 1.3 * t[i];
    }
    check_number(kernels, "step", table->step(BEGIN, END, -1.3, &P, NULL, &T, &X, &R),
                 dot(other, other));
    check(kernels, "step", &X, expected);
    check(kernels, "step", &R, other);

    // and with both parts
    for (int32_t i = 4 * BEGIN; i < 4 * END; ++i) {
        expected[i] -= 0.4 * t[i];
        other[i] += 0.4 * p[i];
    }
    check_number(kernels, "step of two", table->step(BEGIN, END, -0.4, &T, &T, &W, &X, &R),
                 dot(other, other));
    check(kernels, "step of two", &X, expected);
    check(kernels, "step of two", &R, other);

    // the same and the next direction at once; t + w is the old p
    double next[ROOM];
    memcpy(next, p, sizeof next);
    for (int32_t i = 4 * BEGIN; i < 4 * END; ++i) {
        expected[i] += 0.3 * p[i];
        other[i] -= 0.3 * p[i];
        next[i] = other[i] + 0.6 * p[i];
    }
    check_number(kernels, "advance",
                 table->advance(BEGIN, END, (const double[]){0.3, 0.6}, &T, &W, &X, &R, &P),
                 dot(other, other));
    check(kernels, "advance, x", &X, expected);
    check(kernels, "advance, r", &R, other);
    check(kernels, "advance, p", &P, next);
}

static void check_blocks(const Kernels *kernels, TestRandom *random)
{
    double Q[BLOCKS], r[ROOM], expected[ROOM] = {0};
    Numbers q, R, Z;
    fill(random, BLOCKS, false, Q);
    fill(random, ROOM, true, r);
    put(kernels, BLOCKS, Q, &q);
    put(kernels, ROOM, r, &R);
    put(kernels, ROOM, expected, &Z);
    for (int32_t i = BEGIN; i < END; ++i) {
        for (int32_t e = 0; e < 9; ++e) {
            expected[4 * i + e / 3] += Q[9 * i + e] * r[4 * i + e % 3];
        }
    }
    kernels->table->blocks(BEGIN, END, &q, &R, &Z);
    check(kernels, "blocks", &Z, expected);
}

// to the scaled unknowns and back: with the C of `scale` inverted, and the rows in another order
static void check_scales(const Kernels *kernels, TestRandom *random)
{
    const LyPcgKernels *table = kernels->table;
    double S[9 * ROWS], b[3 * ROWS], x[3 * ROWS], v[ROOM] = {0}, expected[ROOM] = {0}, sum = 0;
    double back[3 * ROWS];
    int32_t order[ROWS];
    Numbers V;
    fill(random, 9 * ROWS, false, S);
    fill(random, 3 * ROWS, false, b);
    fill(random, 3 * ROWS, false, x);
    put(kernels, ROOM, v, &V);
    for (int32_t i = 0; i < ROWS; ++i) {
        order[i] = ROWS - 1 - i;
        S[9 * i + 1] = S[9 * i + 2] = S[9 * i + 5] = 0;
    }
    for (int32_t i = BEGIN; i < END; ++i) {
        for (int32_t e = 0; e < 9; ++e) {
            expected[4 * i + e / 3] += 1.7 * S[9 * i + e] * b[3 * order[i] + e % 3];
        }
    }
    TEST_CHECK(table->enter(BEGIN, END, order, S, 1.7, b, &V));
    check(kernels, "enter", &V, expected);
    // |S v|^2 and x += a S^T v
    memcpy(back, x, sizeof back);
    for (int32_t i = BEGIN; i < END; ++i) {
        for (int32_t row = 0; row < 3; ++row) {
            double c = 0;
            for (int32_t column = 0; column < 3; ++column) {
                c += S[9 * i + 3 * row + column] * expected[4 * i + column];
                back[3 * order[i] + column] +=
                    -0.4 * S[9 * i + 3 * row + column] * expected[4 * i + row];
            }
            sum += c * c;
        }
    }
    check_number(kernels, "norm", table->norm(BEGIN, END, S, &V), sum);
    table->leave(BEGIN, END, order, S, -0.4, &V, x);
    for (int32_t i = 0; i < 3 * ROWS; ++i) {
        TEST_NEAR(x[i], back[i], 10 * kernels->tolerance);
    }
    // numbers that are none are told from the rest, wherever they are
    for (int32_t i = BEGIN; i < END; ++i) {
        for (int32_t d = 0; d < 3; ++d) {
            double kept = b[3 * order[i] + d];
            b[3 * order[i] + d] = d == 1 ? NAN : INFINITY;
            TEST_CHECK(!table->enter(BEGIN, END, order, S, 1, b, &V));
            b[3 * order[i] + d] = kept;
        }
    }
}

LYRA_TEST(vector_kernels_match_plain_loops)
{
    static const LyPcgKernels *const singles[] = LY_KERNEL_TABLE(&ly_pcg_kernels_float);
    static const LyPcgKernels *const doubles[] = LY_KERNEL_TABLE(&ly_pcg_kernels_double);
    for (LyraIsa isa = LYRA_ISA_SCALAR; isa != LYRA_ISA_AUTO; isa = test_next_isa(isa)) {
        for (int single = 0; single < 2; ++single) {
            Kernels kernels = {.table = (single ? singles : doubles)[isa],
                               .single = single == 1,
                               .tolerance = single ? 2e-6 : 4e-15};
            TestRandom random = test_random(41);
            snprintf(kernels.name, sizeof kernels.name, "%s, %s", lyra_isa_name(isa),
                     single ? "floats" : "doubles");
            check_vectors(&kernels, &random);
            check_blocks(&kernels, &random);
            check_scales(&kernels, &random);
        }
    }
}
