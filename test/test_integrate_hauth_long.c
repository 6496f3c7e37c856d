// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// The Rosenbrock methods on the whole motion of the bar of [Hau04], 0.5 s from rest: it takes tens
// of thousands of steps until h J, J the rates at which the viscosity damps, is small.

#include "integrate_hauth.h"

static void check_from_rest(const char *name, int32_t order, int32_t steps, double near)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    Motion begin = {0}, exact = {0};
    run_bar(ctx, "dopri853", 0.5, 1, &exact);
    check_limit(ctx, name, order, 0, steps, near, &begin, &exact);
    test_context_end(ctx);
}

LYRA_TEST(order_of_rosenbrock2_holds_from_rest)
{
    check_from_rest("rosenbrock2", 2, 12800, 0.1);
}

LYRA_TEST(order_of_rosenbrock3_holds_from_rest)
{
    // 2.901 at errors of 2.8e-13 m, whose rounding is 1e-2 of them on one machine or another
    check_from_rest("rosenbrock3", 3, 25600, 0.12);
}

LYRA_TEST(order_of_rosenbrock4_holds_from_rest)
{
    check_from_rest("rosenbrock4", 4, 12800, 0.1);
}
