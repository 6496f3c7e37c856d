// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// What the tests of damaged bodies of tets of 10 nodes, hexahedra, and tets with nodal pressure
// share.

#ifndef INTEGRATE_ROBUST_QUADRATIC_H
#define INTEGRATE_ROBUST_QUADRATIC_H

#include "integrate_robust.h"

// 27 cells
static inline void check_quadratic(Damage damage, int32_t first, int32_t count)
{
    static const struct {
        LyraElementKind kind;
        LyraVolumetric volumetric;
    } rows[] = {{LYRA_ELEMENT_TET10, LYRA_VOLUMETRIC_STANDARD},
                {LYRA_ELEMENT_TET10, LYRA_VOLUMETRIC_MEAN},
                {LYRA_ELEMENT_HEX8, LYRA_VOLUMETRIC_STANDARD},
                {LYRA_ELEMENT_HEX8, LYRA_VOLUMETRIC_MEAN},
                {LYRA_ELEMENT_TET4, LYRA_VOLUMETRIC_NODAL}};
    for (size_t r = 0; r < sizeof rows / sizeof rows[0]; ++r) {
        const Law law = {.name = "neo-hookean",
                         .inversion = LYRA_INVERSION_EXTEND,
                         .kind = rows[r].kind,
                         .volumetric = rows[r].volumetric,
                         .cells = 3};
        check_law_recovers(&law, damage, 0.45, first, count);
    }
}

#endif
