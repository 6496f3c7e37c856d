// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Bodies of tets of 10 nodes and of hexahedra in a bad way, with and without mean dilatation.
// test_integrate_robust_quadratic_long.c has 100 seeds of each.

#include "integrate_robust_quadratic.h"

LYRA_TEST(strewn_bodies_of_curved_elements_recover)
{
    check_quadratic(STREWN, 1, 1);
}

LYRA_TEST(flattened_and_collapsed_bodies_of_curved_elements_recover)
{
    check_quadratic(FLATTENED, 1, 1);
    check_quadratic(COLLAPSED, 1, 1);
}
