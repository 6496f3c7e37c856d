// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Decompositions of arrays: the instruction sets agree, and a matrix gives the same bits wherever
// it stands, beside whatever neighbours, at any thread count.

#include "lyra/math3.h"
#include "lyra_test.h"

#include <string.h>

// more than some pieces of the parallel loop, and no multiple of any lane count
#define COUNT 10007

typedef struct Arrays {
    LyraMat3 U[COUNT], V[COUNT], R[COUNT], S[COUNT], vectors[COUNT];
    LyraVec3 s[COUNT], values[COUNT];
} Arrays;

static LyraMat3 F[COUNT], in_place[COUNT];
static LyraVec3 s[COUNT];
static Arrays plain, other, out;

static void fill(uint64_t seed, int32_t count)
{
    TestRandom random = test_random(seed);
    for (int32_t i = 0; i < count; ++i) {
        TestMatrixKind kind = (TestMatrixKind)test_random_below(&random, TEST_MATRIX_KIND_COUNT);
        test_random_matrix3(&random, kind, 1, (double *)&F[i]);
    }
}

static void decompose(LyraContext *ctx, int64_t count, const LyraMat3 *matrices, Arrays *to)
{
    lyra_mat3_svd_batch(ctx, count, matrices, to->U, to->s, to->V);
    lyra_mat3_polar_batch(ctx, count, matrices, to->R, to->S);
    lyra_mat3_eigen_batch(ctx, count, matrices, to->values, to->vectors);
}

LYRA_TEST(isas_agree)
{
    fill(1, COUNT);
    LyraContext *ctx = test_context(1, LYRA_ISA_SCALAR);
    decompose(ctx, COUNT, F, &plain);
    test_context_end(ctx);
    for (LyraIsa isa = test_next_isa(LYRA_ISA_SCALAR); isa != LYRA_ISA_AUTO;
         isa = test_next_isa(isa)) {
        ctx = test_context(1, isa);
        decompose(ctx, COUNT, F, &other);
        test_context_end(ctx);
        double stretch = 0, value = 0, rotation = 0;
        for (int32_t i = 0; i < COUNT; ++i) {
            LyraVec3 a = plain.s[i], l = plain.values[i];
            if (a.x == 0) {
                continue;
            }
            // where R is unique; the error allowed grows with its condition
            double unique = (a.y + a.z) / a.x;
            LyraMat3 dR = lyra_mat3_subtract(plain.R[i], other.R[i]);
            LyraVec3 ds = lyra_vec3_subtract(a, other.s[i]);
            LyraVec3 dl = lyra_vec3_subtract(l, other.values[i]);
            stretch = fmax(stretch, lyra_vec3_length(ds) / a.x);
            value = fmax(value, lyra_vec3_length(dl) / a.x);
            rotation = fmax(rotation, unique > 1e-8 ? unique * lyra_mat3_norm(dR) : 0);
        }
        TEST_NEAR(stretch, 0, 1e-14);
        TEST_NEAR(value, 0, 1e-14);
        TEST_NEAR(rotation, 0, 1e-13);
    }
}

// Every count up to some lanes; nothing is written past the end.
LYRA_TEST(tails_match_and_stay_inside)
{
    enum { LONG = 37 };
    fill(2, LONG);
    for (LyraIsa isa = LYRA_ISA_SCALAR; isa != LYRA_ISA_AUTO; isa = test_next_isa(isa)) {
        LyraContext *ctx = test_context(1, isa);
        decompose(ctx, LONG, F, &plain);
        for (int32_t count = 0; count <= LONG; ++count) {
            // from the end, so that each matrix stands in other lanes beside other neighbours
            int32_t begin = LONG - count;
            memset(&other, 0x7b, sizeof other);
            decompose(ctx, count, F + begin, &other);
            size_t matrices = (size_t)count * sizeof(LyraMat3);
            size_t vectors = (size_t)count * sizeof(LyraVec3);
            bool same = memcmp(other.U, plain.U + begin, matrices) == 0 &&
                        memcmp(other.V, plain.V + begin, matrices) == 0 &&
                        memcmp(other.R, plain.R + begin, matrices) == 0 &&
                        memcmp(other.S, plain.S + begin, matrices) == 0 &&
                        memcmp(other.vectors, plain.vectors + begin, matrices) == 0 &&
                        memcmp(other.s, plain.s + begin, vectors) == 0 &&
                        memcmp(other.values, plain.values + begin, vectors) == 0;
            TEST_CHECK_MSG(same, "%s, count %d: bits differ", lyra_isa_name(isa), count);
            unsigned char guard[sizeof(LyraVec3)];
            memset(guard, 0x7b, sizeof guard);
            bool inside = memcmp(other.U + count, guard, sizeof guard) == 0 &&
                          memcmp(other.V + count, guard, sizeof guard) == 0 &&
                          memcmp(other.R + count, guard, sizeof guard) == 0 &&
                          memcmp(other.S + count, guard, sizeof guard) == 0 &&
                          memcmp(other.vectors + count, guard, sizeof guard) == 0 &&
                          memcmp(other.s + count, guard, sizeof guard) == 0 &&
                          memcmp(other.values + count, guard, sizeof guard) == 0;
            TEST_CHECK_MSG(inside, "%s, count %d: written past the end", lyra_isa_name(isa), count);
        }
        test_context_end(ctx);
    }
}

static void compute(LyraContext *ctx, void *data, void *to)
{
    decompose(ctx, COUNT, data, to);
}

LYRA_TEST(threads_give_the_same_bits)
{
    fill(3, COUNT);
    test_same_bits(compute, F, sizeof(Arrays));
}

LYRA_TEST(outputs_may_be_the_input_or_missing)
{
    fill(4, COUNT);
    const size_t matrices = COUNT * sizeof(LyraMat3), vectors = COUNT * sizeof(LyraVec3);
    for (LyraIsa isa = LYRA_ISA_SCALAR; isa != LYRA_ISA_AUTO; isa = test_next_isa(isa)) {
        LyraContext *ctx = test_context(2, isa);
        decompose(ctx, COUNT, F, &out);
        memcpy(in_place, F, matrices);
        lyra_mat3_svd_batch(ctx, COUNT, in_place, in_place, s, NULL);
        TEST_CHECK(memcmp(in_place, out.U, matrices) == 0 && memcmp(s, out.s, vectors) == 0);
        memcpy(in_place, F, matrices);
        lyra_mat3_svd_batch(ctx, COUNT, in_place, NULL, s, in_place);
        TEST_CHECK(memcmp(in_place, out.V, matrices) == 0 && memcmp(s, out.s, vectors) == 0);
        memcpy(in_place, F, matrices);
        lyra_mat3_polar_batch(ctx, COUNT, in_place, in_place, NULL);
        TEST_CHECK(memcmp(in_place, out.R, matrices) == 0);
        memcpy(in_place, F, matrices);
        lyra_mat3_polar_batch(ctx, COUNT, in_place, NULL, in_place);
        TEST_CHECK(memcmp(in_place, out.S, matrices) == 0);
        memcpy(in_place, F, matrices);
        lyra_mat3_eigen_batch(ctx, COUNT, in_place, s, in_place);
        TEST_CHECK(memcmp(in_place, out.vectors, matrices) == 0);
        TEST_CHECK(memcmp(s, out.values, vectors) == 0);
        lyra_mat3_eigen_batch(ctx, COUNT, F, s, NULL);
        TEST_CHECK(memcmp(s, out.values, vectors) == 0);
        test_context_end(ctx);
    }
}

LYRA_TEST(nothing_is_allocated)
{
    fill(5, COUNT);
    LyraContext *ctx = test_context(3, LYRA_ISA_AUTO);
    int64_t before = test_allocation_count();
    decompose(ctx, COUNT, F, &out);
    decompose(ctx, 0, NULL, &out);
    TEST_EQUAL(test_allocation_count(), before);
    test_context_end(ctx);
}
