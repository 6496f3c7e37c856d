// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef LYRA_TEST_MATH_LANES_KERNEL_H
#define LYRA_TEST_MATH_LANES_KERNEL_H

#include "math/kernel.h"

typedef void TestLanes(void);
LY_KERNEL_DECLARE(TestLanes, test_lanes_operations);
LY_KERNEL_DECLARE(TestLanes, test_lanes_memory);
LY_KERNEL_DECLARE(TestLanes, test_lanes_matrices);
LY_KERNEL_DECLARE(TestLanes, test_lanes_exponential);
LY_KERNEL_DECLARE(TestLanes, test_lanes_logarithm);
LY_KERNEL_DECLARE(TestLanes, test_lanes_angle);
LY_KERNEL_DECLARE(TestLanes, test_lanes_sine);

#endif
