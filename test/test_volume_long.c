// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Two hundred broken surfaces, one of them of a million triangles, as tets and as cubes.

#include "volume_bodies.h"

static void check_seeds(uint64_t first, uint64_t last)
{
    LyraContext *ctx = test_context(2, LYRA_ISA_AUTO);
    for (uint64_t seed = first; seed < last; ++seed) {
        check_broken(ctx, seed, 500 + 37 * (int32_t)seed, 8 + (int32_t)(seed % 7));
    }
    test_context_end(ctx);
}

LYRA_TEST(broken_surfaces_1)
{
    check_seeds(0, 100);
}

LYRA_TEST(broken_surfaces_2)
{
    check_seeds(100, 199);
}

LYRA_TEST(broken_surface_of_a_million)
{
    LyraContext *ctx = test_context(2, LYRA_ISA_AUTO);
    check_broken(ctx, 199, 1000000, 16);
    test_context_end(ctx);
}
