// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// What the kernels of laws share: parameters, stretches and results in lanes.

#ifndef LY_MATERIAL_LAW_LANES_H
#define LY_MATERIAL_LAW_LANES_H

#include "lyra/material.h"
#include "material/taylor.h"

/// Value and derivatives of an energy; the Hessian's 11, 22, 33, 12, 23, 31.
typedef struct LyLawDerivatives {
    LyReal energy, gradient[3], hessian[6];
} LyLawDerivatives;

LY_INLINE LyReal ly_law_parameter(const double *parameters, int index)
{
    return ly_load(parameters + index * LYRA_MATERIAL_WIDTH);
}

LY_INLINE void ly_law_load_stretches(const double *stretches, int lane, LyReal s[3])
{
    for (int i = 0; i < 3; ++i) {
        s[i] = ly_load(stretches + i * LYRA_MATERIAL_WIDTH + lane);
    }
}

LY_INLINE void ly_law_store(const LyraMaterialBatch *batch, int lane, const LyLawDerivatives *d)
{
    if (batch->energy) {
        ly_store(batch->energy + lane, d->energy);
    }
    for (int i = 0; batch->gradient && i < 3; ++i) {
        ly_store(batch->gradient + i * LYRA_MATERIAL_WIDTH + lane, d->gradient[i]);
    }
    for (int i = 0; batch->hessian && i < 6; ++i) {
        ly_store(batch->hessian + i * LYRA_MATERIAL_WIDTH + lane, d->hessian[i]);
    }
}

LY_INLINE void ly_law_store_taylor(const LyTaylor *polynomial, double *taylor)
{
    for (int k = 0; k < 27; ++k) {
        ly_store(taylor + k * LYRA_MATERIAL_WIDTH, polynomial->c[k]);
    }
}

#endif
