// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// What the kernels of the laws and their table share.

#ifndef LY_MATERIAL_MATERIAL_H
#define LY_MATERIAL_MATERIAL_H

#include "lyra/material.h"
#include "math/kernel.h"

// places of the parameters
enum { LY_LAMBDA = 0, LY_MU, LY_LAME_COUNT };
enum { LY_MOONEY_MU01 = 0, LY_MOONEY_MU10, LY_MOONEY_V1, LY_MOONEY_COUNT };
enum { LY_YEOH_C1 = 0, LY_YEOH_C2, LY_YEOH_C3, LY_YEOH_KAPPA, LY_YEOH_COUNT };
enum { LY_ARRUDA_MU = 0, LY_ARRUDA_LOCK, LY_ARRUDA_KAPPA, LY_ARRUDA_COUNT };
enum { LY_FUNG_MU = 0, LY_FUNG_B, LY_FUNG_KAPPA, LY_FUNG_COUNT };
enum { LY_REDUCED_C1 = 0, LY_REDUCED_KAPPA = 6, LY_REDUCED_COUNT };
enum { LY_OGDEN_MU1 = 0, LY_OGDEN_ALPHA1, LY_OGDEN_KAPPA = 6, LY_OGDEN_COUNT };
enum { LY_SPLINE_K0 = 0, LY_SPLINE_KE, LY_SPLINE_LIMIT, LY_SPLINE_LAMBDA, LY_SPLINE_COUNT };

typedef void LyLawEvaluate(const void *user, const LyraMaterialBatch *batch);
typedef void LyLawExpand(const void *user, const double *stretches, const double *parameters,
                         double *taylor);

#define LY_LAW_DECLARE(name)                                                                       \
    LY_KERNEL_DECLARE(LyLawEvaluate, ly_law_##name);                                               \
    LY_KERNEL_DECLARE(LyLawExpand, ly_law_expand_##name)

LY_LAW_DECLARE(stvk);
LY_LAW_DECLARE(neo_hookean);
LY_LAW_DECLARE(mooney_rivlin);
LY_LAW_DECLARE(stable_neo_hookean);
LY_LAW_DECLARE(stable_neo_hookean_log);
LY_LAW_DECLARE(yeoh);
LY_LAW_DECLARE(arruda_boyce);
LY_LAW_DECLARE(fung);
LY_LAW_DECLARE(reduced_polynomial);
LY_LAW_DECLARE(ogden);
LY_LAW_DECLARE(biphasic_spline);
LY_LAW_DECLARE(rotated_linear);
LY_LAW_DECLARE(hencky);

#endif
