// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// 100 seeds of each damage of bodies of tets of 10 nodes and of hexahedra.

#include "integrate_robust_quadratic.h"

LYRA_TEST(bodies_of_curved_elements_recover_strewn)
{
    check_quadratic(STREWN, 1, 100);
}

LYRA_TEST(bodies_of_curved_elements_recover_flattened)
{
    check_quadratic(FLATTENED, 1, 100);
}

LYRA_TEST(bodies_of_curved_elements_recover_collapsed)
{
    check_quadratic(COLLAPSED, 1, 100);
}
