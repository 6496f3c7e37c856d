// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// What the tests of damaged bodies of tets of 10 nodes and hexahedra share.

#ifndef INTEGRATE_ROBUST_QUADRATIC_H
#define INTEGRATE_ROBUST_QUADRATIC_H

#include "integrate_robust.h"

// 27 cells
static inline void check_quadratic(Damage damage, int32_t first, int32_t count)
{
    static const LyraElementKind kinds[] = {LYRA_ELEMENT_TET10, LYRA_ELEMENT_HEX8};
    for (int k = 0; k < 2; ++k) {
        for (int way = 0; way < LYRA_VOLUMETRIC_COUNT; ++way) {
            const Law law = {.name = "neo-hookean",
                             .inversion = LYRA_INVERSION_EXTEND,
                             .kind = kinds[k],
                             .volumetric = (LyraVolumetric)way,
                             .cells = 3};
            check_law_recovers(&law, damage, 0.45, first, count);
        }
    }
}

#endif
