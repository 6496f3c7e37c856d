// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// A hundred seeds of every damage that a body can take. integrate_robust.h states the measure.

#include "integrate_robust.h"

#define SEEDS 100

static void check_all(int32_t law, Damage damage)
{
    static const double poisson[] = {0.3, 0.4, 0.45};
    for (int32_t k = 0; k < 3; ++k) {
        check_recovery(law, damage, poisson[k], SEEDS);
    }
}

LYRA_TEST(neo_hookean_extended_bodies_recover_strewn)
{
    check_all(0, STREWN);
}

LYRA_TEST(neo_hookean_clamped_bodies_recover_strewn)
{
    check_all(1, STREWN);
}

LYRA_TEST(stvk_extended_bodies_recover_strewn_at_03)
{
    check_recovery(2, STREWN, 0.3, SEEDS);
}

LYRA_TEST(stvk_extended_bodies_recover_strewn_at_04)
{
    check_recovery(2, STREWN, 0.4, SEEDS);
}

LYRA_TEST(stvk_extended_bodies_recover_strewn_at_045)
{
    check_recovery(2, STREWN, 0.45, SEEDS);
}

// the slow one, a thousand iterations each
LYRA_TEST(stvk_clamped_bodies_recover_strewn_at_03_first_half)
{
    check_recovery_of(3, STREWN, 0.3, 1, SEEDS / 2);
}

LYRA_TEST(stvk_clamped_bodies_recover_strewn_at_03_second_half)
{
    check_recovery_of(3, STREWN, 0.3, 1 + SEEDS / 2, SEEDS / 2);
}

LYRA_TEST(stvk_clamped_bodies_recover_strewn_at_04)
{
    check_recovery(3, STREWN, 0.4, SEEDS);
}

LYRA_TEST(stvk_clamped_bodies_recover_strewn_at_045)
{
    check_recovery(3, STREWN, 0.45, SEEDS);
}

LYRA_TEST(stable_neo_hookean_extended_bodies_recover_strewn)
{
    check_all(4, STREWN);
}

LYRA_TEST(stable_neo_hookean_plain_bodies_recover_strewn)
{
    check_all(5, STREWN);
}

LYRA_TEST(neo_hookean_extended_bodies_recover_flattened)
{
    check_all(0, FLATTENED);
}

LYRA_TEST(neo_hookean_clamped_bodies_recover_flattened)
{
    check_all(1, FLATTENED);
}

LYRA_TEST(stvk_extended_bodies_recover_flattened)
{
    check_all(2, FLATTENED);
}

LYRA_TEST(stvk_clamped_bodies_recover_flattened)
{
    check_all(3, FLATTENED);
}

LYRA_TEST(stable_neo_hookean_extended_bodies_recover_flattened)
{
    check_all(4, FLATTENED);
}

LYRA_TEST(stable_neo_hookean_plain_bodies_recover_flattened)
{
    check_all(5, FLATTENED);
}

LYRA_TEST(neo_hookean_extended_bodies_recover_collapsed)
{
    check_all(0, COLLAPSED);
}

LYRA_TEST(neo_hookean_clamped_bodies_recover_collapsed)
{
    check_all(1, COLLAPSED);
}

LYRA_TEST(stvk_extended_bodies_recover_collapsed)
{
    check_all(2, COLLAPSED);
}

LYRA_TEST(stvk_clamped_bodies_recover_collapsed)
{
    check_all(3, COLLAPSED);
}

LYRA_TEST(stable_neo_hookean_extended_bodies_recover_collapsed)
{
    check_all(4, COLLAPSED);
}

LYRA_TEST(stable_neo_hookean_plain_bodies_recover_collapsed)
{
    check_all(5, COLLAPSED);
}
