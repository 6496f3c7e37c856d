// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// A hundred seeds of every damage that a body can take. integrate_robust.h states the measure.

#include "integrate_robust.h"

#define SEEDS 100

LYRA_TEST(neo_hookean_extended_bodies_recover_strewn)
{
    check_recovery(0, STREWN, SEEDS);
}

LYRA_TEST(neo_hookean_clamped_bodies_recover_strewn)
{
    check_recovery(1, STREWN, SEEDS);
}

LYRA_TEST(stvk_extended_bodies_recover_strewn)
{
    check_recovery(2, STREWN, SEEDS);
}

LYRA_TEST(stvk_clamped_bodies_recover_strewn)
{
    check_recovery(3, STREWN, SEEDS);
}

LYRA_TEST(stable_neo_hookean_bodies_recover_strewn)
{
    check_recovery(4, STREWN, SEEDS);
}

LYRA_TEST(neo_hookean_extended_bodies_recover_flattened)
{
    check_recovery(0, FLATTENED, SEEDS);
}

LYRA_TEST(neo_hookean_clamped_bodies_recover_flattened)
{
    check_recovery(1, FLATTENED, SEEDS);
}

LYRA_TEST(stvk_extended_bodies_recover_flattened)
{
    check_recovery(2, FLATTENED, SEEDS);
}

LYRA_TEST(stvk_clamped_bodies_recover_flattened)
{
    check_recovery(3, FLATTENED, SEEDS);
}

LYRA_TEST(stable_neo_hookean_bodies_recover_flattened)
{
    check_recovery(4, FLATTENED, SEEDS);
}

LYRA_TEST(neo_hookean_extended_bodies_recover_collapsed)
{
    check_recovery(0, COLLAPSED, SEEDS);
}

LYRA_TEST(neo_hookean_clamped_bodies_recover_collapsed)
{
    check_recovery(1, COLLAPSED, SEEDS);
}

LYRA_TEST(stvk_extended_bodies_recover_collapsed)
{
    check_recovery(2, COLLAPSED, SEEDS);
}

LYRA_TEST(stvk_clamped_bodies_recover_collapsed)
{
    check_recovery(3, COLLAPSED, SEEDS);
}
