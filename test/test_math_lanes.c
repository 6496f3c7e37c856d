// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Lanes on every instruction set; the checks themselves are in math_lanes_kernel.c.

#include "lyra_test.h"
#include "math_lanes_kernel.h"

static void run(TestLanes *const kernels[LYRA_ISA_COUNT])
{
    for (LyraIsa isa = LYRA_ISA_SCALAR; isa != LYRA_ISA_AUTO; isa = test_next_isa(isa)) {
        kernels[isa]();
    }
}

LYRA_TEST(operations_match_plain_c)
{
    static TestLanes *const kernels[LYRA_ISA_COUNT] = LY_KERNEL_TABLE(test_lanes_operations);
    run(kernels);
}

LYRA_TEST(loads_stores_and_sums_match_plain_c)
{
    static TestLanes *const kernels[LYRA_ISA_COUNT] = LY_KERNEL_TABLE(test_lanes_memory);
    run(kernels);
}

LYRA_TEST(matrix_functions_match_their_scalar_twins)
{
    static TestLanes *const kernels[LYRA_ISA_COUNT] = LY_KERNEL_TABLE(test_lanes_matrices);
    run(kernels);
}

LYRA_TEST(exponential_is_accurate)
{
    static TestLanes *const kernels[LYRA_ISA_COUNT] = LY_KERNEL_TABLE(test_lanes_exponential);
    run(kernels);
}

LYRA_TEST(logarithm_is_accurate)
{
    static TestLanes *const kernels[LYRA_ISA_COUNT] = LY_KERNEL_TABLE(test_lanes_logarithm);
    run(kernels);
}

LYRA_TEST(angle_is_accurate)
{
    static TestLanes *const kernels[LYRA_ISA_COUNT] = LY_KERNEL_TABLE(test_lanes_angle);
    run(kernels);
}

LYRA_TEST(sine_and_cosine_are_accurate)
{
    static TestLanes *const kernels[LYRA_ISA_COUNT] = LY_KERNEL_TABLE(test_lanes_sine);
    run(kernels);
}
