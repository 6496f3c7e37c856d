// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// The table of laws: names, parameters, and their values from Young's modulus and Poisson's ratio.

#include "material/material.h"

#include "base/base.h"

#include <math.h>
#include <string.h>

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

// ---- parameters that agree with linear elasticity at small strain
// --------------------------------

typedef struct Moduli {
    double lambda, mu, kappa;
} Moduli;

static void set_lame(const Moduli *at, double *p)
{
    p[LY_LAMBDA] = at->lambda;
    p[LY_MU] = at->mu;
}

static double bulk3_lame(const double *p)
{
    return 3 * p[LY_LAMBDA] + 2 * p[LY_MU];
}

static void set_mooney(const Moduli *at, double *p)
{
    p[LY_MOONEY_MU01] = at->mu / 4;
    p[LY_MOONEY_MU10] = at->mu / 4;
    p[LY_MOONEY_V1] = at->kappa / 2;
}

static double bulk3_mooney(const double *p)
{
    return 6 * p[LY_MOONEY_V1];
}

static void set_yeoh(const Moduli *at, double *p)
{
    p[LY_YEOH_C1] = at->mu / 2;
    p[LY_YEOH_C2] = p[LY_YEOH_C3] = 0;
    p[LY_YEOH_KAPPA] = at->kappa;
}

static double bulk3_yeoh(const double *p)
{
    return 3 * p[LY_YEOH_KAPPA];
}

static void set_arruda(const Moduli *at, double *p)
{
    p[LY_ARRUDA_MU] = at->mu;
    p[LY_ARRUDA_LOCK] = 3;
    p[LY_ARRUDA_KAPPA] = at->kappa;
}

static double bulk3_arruda(const double *p)
{
    return 3 * p[LY_ARRUDA_KAPPA];
}

static void set_fung(const Moduli *at, double *p)
{
    p[LY_FUNG_MU] = at->mu;
    p[LY_FUNG_B] = 1;
    p[LY_FUNG_KAPPA] = at->kappa;
}

static double bulk3_fung(const double *p)
{
    return 3 * p[LY_FUNG_KAPPA];
}

static void set_reduced(const Moduli *at, double *p)
{
    p[LY_REDUCED_C1] = at->mu / 2;
    for (int i = 1; i < 6; ++i) {
        p[LY_REDUCED_C1 + i] = 0;
    }
    p[LY_REDUCED_KAPPA] = at->kappa;
}

static double bulk3_reduced(const double *p)
{
    return 3 * p[LY_REDUCED_KAPPA];
}

static void set_ogden(const Moduli *at, double *p)
{
    const double alpha[3] = {2, 4, -2};
    for (int term = 0; term < 3; ++term) {
        p[LY_OGDEN_MU1 + 2 * term] = term == 0 ? at->mu : 0;
        p[LY_OGDEN_ALPHA1 + 2 * term] = alpha[term];
    }
    p[LY_OGDEN_KAPPA] = at->kappa;
}

static double bulk3_ogden(const double *p)
{
    return 3 * p[LY_OGDEN_KAPPA];
}

static void set_spline(const Moduli *at, double *p)
{
    p[LY_SPLINE_K0] = 2 * at->mu;
    p[LY_SPLINE_KE] = 10 * at->mu;
    p[LY_SPLINE_LIMIT] = 0.2;
    p[LY_SPLINE_LAMBDA] = at->lambda;
}

static double bulk3_spline(const double *p)
{
    return p[LY_SPLINE_K0] + 3 * p[LY_SPLINE_LAMBDA];
}

// ---- the table of laws --------------------------------------------------------------------------

typedef struct Law {
    LyraMaterialType types[LYRA_ISA_COUNT];
    void (*set)(const Moduli *at, double *p); // all parameters of the law
    double (*bulk3)(const double *p);         // three bulk moduli
} Law;

#define TYPE(isa, text, on, no_second, words, function)                                            \
    {                                                                                              \
        .name = text, .arguments = on, .without_second = no_second,                                \
        .parameter_count = (int32_t)(sizeof words##_names / sizeof *words##_names),                \
        .parameter_names = words##_names, .parameter_kinds = words##_kinds,                        \
        .evaluate = ly_law_##function##_##isa, .expand = ly_law_expand_##function##_##isa,         \
    }
// name, arguments, whether W does not depend on II, parameters, kernel
#define LAW(text, on, no_second, words, function)                                                  \
    {                                                                                              \
        .types = LY_KERNEL_TABLE_OF(TYPE, text, LYRA_MATERIAL_##on, no_second, words, function),   \
        .set = set_##words, .bulk3 = bulk3_##words,                                                \
    }

static const Law laws[LYRA_MATERIAL_LAW_COUNT] = {
    [LYRA_MATERIAL_STVK] = LAW("stvk", INVARIANTS, false, lame, stvk),
    [LYRA_MATERIAL_NEO_HOOKEAN] = LAW("neo-hookean", INVARIANTS, true, lame, neo_hookean),
    [LYRA_MATERIAL_MOONEY_RIVLIN] = LAW("mooney-rivlin", INVARIANTS, false, mooney, mooney_rivlin),
    [LYRA_MATERIAL_STABLE_NEO_HOOKEAN] =
        LAW("stable-neo-hookean", INVARIANTS, true, lame, stable_neo_hookean),
    [LYRA_MATERIAL_STABLE_NEO_HOOKEAN_LOG] =
        LAW("stable-neo-hookean-log", INVARIANTS, true, lame, stable_neo_hookean_log),
    [LYRA_MATERIAL_OGDEN] = LAW("ogden", STRETCHES, true, ogden, ogden),
    [LYRA_MATERIAL_YEOH] = LAW("yeoh", INVARIANTS, true, yeoh, yeoh),
    [LYRA_MATERIAL_ARRUDA_BOYCE] = LAW("arruda-boyce", INVARIANTS, true, arruda, arruda_boyce),
    [LYRA_MATERIAL_FUNG] = LAW("fung", INVARIANTS, true, fung, fung),
    [LYRA_MATERIAL_REDUCED_POLYNOMIAL] =
        LAW("reduced-polynomial", INVARIANTS, true, reduced, reduced_polynomial),
    [LYRA_MATERIAL_BIPHASIC_SPLINE] =
        LAW("biphasic-spline", STRETCHES, true, spline, biphasic_spline),
    [LYRA_MATERIAL_ROTATED_LINEAR] = LAW("rotated-linear", STRETCHES, true, lame, rotated_linear),
    [LYRA_MATERIAL_HENCKY] = LAW("hencky", STRETCHES, true, lame, hencky),
};

const char *lyra_material_law_name(LyraMaterialLaw law)
{
    return (unsigned)law < LYRA_MATERIAL_LAW_COUNT ? laws[law].types[LYRA_ISA_SCALAR].name
                                                   : "unknown";
}

LyraStatus lyra_material_law_find(const char *name, LyraMaterialLaw *law)
{
    char list[512] = "";
    for (int32_t k = 0; k < LYRA_MATERIAL_LAW_COUNT; ++k) {
        const char *known = lyra_material_law_name((LyraMaterialLaw)k);
        if (strcmp(name, known) == 0) {
            *law = (LyraMaterialLaw)k;
            return LYRA_OK;
        }
        ly_list_name(sizeof list, list, known);
    }
    return ly_fail(LYRA_INVALID_ARGUMENT, "no material law \"%s\", expected one of: %s", name,
                   list);
}

const LyraMaterialType *lyra_material_type(LyraMaterialLaw law, LyraIsa isa)
{
    if ((unsigned)law >= LYRA_MATERIAL_LAW_COUNT || (unsigned)isa >= LYRA_ISA_COUNT) {
        return NULL;
    }
    const LyraMaterialType *type = &laws[law].types[isa == LYRA_ISA_AUTO ? LYRA_ISA_SCALAR : isa];
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
                       lyra_material_law_name(law), young, poisson);
    }
    Moduli at = {
        .lambda = young * poisson / ((1 + poisson) * (1 - 2 * poisson)),
        .mu = young / (2 * (1 + poisson)),
        .kappa = young / (3 * (1 - 2 * poisson)),
    };
    laws[law].set(&at, parameters);
    return LYRA_OK;
}

double lyra_material_bulk3(LyraMaterialLaw law, const double *parameters)
{
    return laws[law].bulk3(parameters);
}
