// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// The table of laws: names, parameters, and their values from Young's modulus and Poisson's ratio.

#include "material/material.h"

#include "base/base.h"

#include <math.h>

static const char *const lame_names[] = {"lambda", "mu"};
static const char *const mooney_names[] = {"mu01", "mu10", "v1"};
static const char *const yeoh_names[] = {"c10", "c20", "c30", "kappa"};
static const char *const arruda_names[] = {"mu", "lock", "kappa"};
static const char *const fung_names[] = {"mu", "b", "kappa"};
static const char *const reduced_names[] = {"c10", "c20", "c30", "c40", "c50", "c60", "kappa"};
static const char *const ogden_names[] = {"mu1", "alpha1", "mu2",  "alpha2",
                                          "mu3", "alpha3", "kappa"};
static const char *const spline_names[] = {"k0", "ke", "limit", "lambda"};

#define ANY LYRA_PARAMETER_ANY
#define NOT_ZERO LYRA_PARAMETER_NOT_ZERO
#define NOT_NEGATIVE LYRA_PARAMETER_NOT_NEGATIVE
#define POSITIVE LYRA_PARAMETER_POSITIVE

// coefficients of series may be of either sign; a fit has what it needs
static const LyraParameterKind lame_kinds[] = {ANY, NOT_NEGATIVE};
static const LyraParameterKind mooney_kinds[] = {ANY, ANY, NOT_NEGATIVE};
static const LyraParameterKind yeoh_kinds[] = {ANY, ANY, ANY, NOT_NEGATIVE};
static const LyraParameterKind arruda_kinds[] = {NOT_NEGATIVE, POSITIVE, NOT_NEGATIVE};
static const LyraParameterKind fung_kinds[] = {NOT_NEGATIVE, NOT_ZERO, NOT_NEGATIVE};
static const LyraParameterKind reduced_kinds[] = {ANY, ANY, ANY, ANY, ANY, ANY, NOT_NEGATIVE};
static const LyraParameterKind ogden_kinds[] = {ANY, NOT_ZERO, ANY,         NOT_ZERO,
                                                ANY, NOT_ZERO, NOT_NEGATIVE};
static const LyraParameterKind spline_kinds[] = {NOT_NEGATIVE, NOT_NEGATIVE, POSITIVE, ANY};

#define TYPE(isa, text, on, no_second, words, function)                                            \
    {                                                                                              \
        .name = text, .arguments = on, .without_second = no_second,                                \
        .parameter_count = (int32_t)(sizeof words##_names / sizeof *words##_names),                \
        .parameter_names = words##_names, .parameter_kinds = words##_kinds,                        \
        .evaluate = ly_law_##function##_##isa, .expand = ly_law_expand_##function##_##isa,         \
    }
#define TYPES(...) LY_KERNEL_TABLE_OF(TYPE, __VA_ARGS__)
#define INVARIANTS LYRA_MATERIAL_INVARIANTS
#define STRETCHES LYRA_MATERIAL_STRETCHES

static const LyraMaterialType types[LYRA_MATERIAL_LAW_COUNT][LYRA_ISA_COUNT] = {
    [LYRA_MATERIAL_STVK] = TYPES("stvk", INVARIANTS, false, lame, stvk),
    [LYRA_MATERIAL_NEO_HOOKEAN] = TYPES("neo-hookean", INVARIANTS, true, lame, neo_hookean),
    [LYRA_MATERIAL_MOONEY_RIVLIN] =
        TYPES("mooney-rivlin", INVARIANTS, false, mooney, mooney_rivlin),
    [LYRA_MATERIAL_STABLE_NEO_HOOKEAN] =
        TYPES("stable-neo-hookean", INVARIANTS, true, lame, stable_neo_hookean),
    [LYRA_MATERIAL_STABLE_NEO_HOOKEAN_LOG] =
        TYPES("stable-neo-hookean-log", INVARIANTS, true, lame, stable_neo_hookean_log),
    [LYRA_MATERIAL_YEOH] = TYPES("yeoh", INVARIANTS, true, yeoh, yeoh),
    [LYRA_MATERIAL_ARRUDA_BOYCE] = TYPES("arruda-boyce", INVARIANTS, true, arruda, arruda_boyce),
    [LYRA_MATERIAL_FUNG] = TYPES("fung", INVARIANTS, true, fung, fung),
    [LYRA_MATERIAL_REDUCED_POLYNOMIAL] =
        TYPES("reduced-polynomial", INVARIANTS, true, reduced, reduced_polynomial),
    [LYRA_MATERIAL_OGDEN] = TYPES("ogden", STRETCHES, true, ogden, ogden),
    [LYRA_MATERIAL_BIPHASIC_SPLINE] =
        TYPES("biphasic-spline", STRETCHES, true, spline, biphasic_spline),
    [LYRA_MATERIAL_ROTATED_LINEAR] = TYPES("rotated-linear", STRETCHES, true, lame, rotated_linear),
    [LYRA_MATERIAL_HENCKY] = TYPES("hencky", STRETCHES, true, lame, hencky),
};

const LyraMaterialType *lyra_material_type(LyraMaterialLaw law, LyraIsa isa)
{
    if ((unsigned)law >= LYRA_MATERIAL_LAW_COUNT || (unsigned)isa >= LYRA_ISA_COUNT) {
        return NULL;
    }
    const LyraMaterialType *type = &types[law][isa == LYRA_ISA_AUTO ? LYRA_ISA_SCALAR : isa];
    return type->evaluate ? type : NULL;
}

LyraStatus lyra_material_from_enu(LyraMaterialLaw law, double young, double poisson,
                                  double *parameters)
{
    if ((unsigned)law >= LYRA_MATERIAL_LAW_COUNT) {
        return ly_fail(LYRA_INVALID_ARGUMENT, "material: no law %d of %d", (int)law,
                       LYRA_MATERIAL_LAW_COUNT);
    }
    if (!(young > 0 && isfinite(young)) || !(poisson > -1 && poisson < 0.5)) {
        return ly_fail(LYRA_INVALID_ARGUMENT,
                       "law %s needs E > 0 and -1 < nu < 0.5, found E = %g, nu = %g",
                       types[law][LYRA_ISA_SCALAR].name, young, poisson);
    }
    double lambda = young * poisson / ((1 + poisson) * (1 - 2 * poisson));
    double mu = young / (2 * (1 + poisson)), kappa = young / (3 * (1 - 2 * poisson));
    double *p = parameters;
    switch (law) {
    case LYRA_MATERIAL_STVK:
    case LYRA_MATERIAL_NEO_HOOKEAN:
    case LYRA_MATERIAL_STABLE_NEO_HOOKEAN:
    case LYRA_MATERIAL_STABLE_NEO_HOOKEAN_LOG:
    case LYRA_MATERIAL_ROTATED_LINEAR:
    case LYRA_MATERIAL_HENCKY:
        p[LY_LAMBDA] = lambda;
        p[LY_MU] = mu;
        return LYRA_OK;
    case LYRA_MATERIAL_MOONEY_RIVLIN:
        p[LY_MOONEY_MU01] = mu / 4;
        p[LY_MOONEY_MU10] = mu / 4;
        p[LY_MOONEY_V1] = kappa / 2;
        return LYRA_OK;
    case LYRA_MATERIAL_YEOH:
        p[LY_YEOH_C1] = mu / 2;
        p[LY_YEOH_C2] = p[LY_YEOH_C3] = 0;
        p[LY_YEOH_KAPPA] = kappa;
        return LYRA_OK;
    case LYRA_MATERIAL_ARRUDA_BOYCE:
        p[LY_ARRUDA_MU] = mu;
        p[LY_ARRUDA_LOCK] = 3;
        p[LY_ARRUDA_KAPPA] = kappa;
        return LYRA_OK;
    case LYRA_MATERIAL_FUNG:
        p[LY_FUNG_MU] = mu;
        p[LY_FUNG_B] = 1;
        p[LY_FUNG_KAPPA] = kappa;
        return LYRA_OK;
    case LYRA_MATERIAL_REDUCED_POLYNOMIAL:
        p[LY_REDUCED_C1] = mu / 2;
        for (int i = 1; i < 6; ++i) {
            p[LY_REDUCED_C1 + i] = 0;
        }
        p[LY_REDUCED_KAPPA] = kappa;
        return LYRA_OK;
    case LYRA_MATERIAL_OGDEN: {
        const double alpha[3] = {2, 4, -2};
        for (int term = 0; term < 3; ++term) {
            p[LY_OGDEN_MU1 + 2 * term] = term == 0 ? mu : 0;
            p[LY_OGDEN_ALPHA1 + 2 * term] = alpha[term];
        }
        p[LY_OGDEN_KAPPA] = kappa;
        return LYRA_OK;
    }
    case LYRA_MATERIAL_BIPHASIC_SPLINE:
        p[LY_SPLINE_K0] = 2 * mu;
        p[LY_SPLINE_KE] = 10 * mu;
        p[LY_SPLINE_LIMIT] = 0.2;
        p[LY_SPLINE_LAMBDA] = lambda;
        return LYRA_OK;
    default: // the count
        return LYRA_OK;
    }
}

double lyra_material_bulk3(LyraMaterialLaw law, const double *parameters)
{
    const double *p = parameters;
    switch (law) {
    case LYRA_MATERIAL_MOONEY_RIVLIN:
        return 6 * p[LY_MOONEY_V1];
    case LYRA_MATERIAL_YEOH:
        return 3 * p[LY_YEOH_KAPPA];
    case LYRA_MATERIAL_ARRUDA_BOYCE:
        return 3 * p[LY_ARRUDA_KAPPA];
    case LYRA_MATERIAL_FUNG:
        return 3 * p[LY_FUNG_KAPPA];
    case LYRA_MATERIAL_REDUCED_POLYNOMIAL:
        return 3 * p[LY_REDUCED_KAPPA];
    case LYRA_MATERIAL_OGDEN:
        return 3 * p[LY_OGDEN_KAPPA];
    case LYRA_MATERIAL_BIPHASIC_SPLINE:
        return p[LY_SPLINE_K0] + 3 * p[LY_SPLINE_LAMBDA];
    default:
        return 3 * p[LY_LAMBDA] + 2 * p[LY_MU];
    }
}
