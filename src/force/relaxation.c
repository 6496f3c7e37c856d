// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Viscoelastic solids: settings checked, names of the history.

#include "force/relaxation.h"

#include "base/base.h"
#include "force/elastic.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const char *const model_names[LYRA_RELAXATION_COUNT] = {
    [LYRA_RELAXATION_PRONY] = "prony",
    [LYRA_RELAXATION_MAXWELL] = "maxwell",
};

const char *lyra_relaxation_name(LyraRelaxation model)
{
    return (unsigned)model < LYRA_RELAXATION_COUNT ? model_names[model] : "unknown";
}

LyraStatus lyra_relaxation_find(const char *name, LyraRelaxation *model)
{
    int32_t index = 0;
    LY_TRY(ly_find_name("viscoelastic model", name, model_names, LYRA_RELAXATION_COUNT, &index));
    *model = (LyraRelaxation)index;
    return LYRA_OK;
}

LyraViscoelasticityDef lyra_viscoelasticity_def_default(void)
{
    return (LyraViscoelasticityDef){.cookie = LY_DEF_COOKIE};
}

static LyraStatus check_coefficients(const LyraViscoelasticityDef *def)
{
    if (def->model != LYRA_RELAXATION_PRONY || def->branch_count > 0 ||
        def->coefficient_count > LYRA_COEFFICIENT_SERIES_MAX || !def->coefficients) {
        return ly_fail(LYRA_INVALID_ARGUMENT,
                       "viscoelasticity: %d series of coefficients and %d branches with the model "
                       "%s, expected at most %d, alone, with prony",
                       def->coefficient_count, def->branch_count, lyra_relaxation_name(def->model),
                       LYRA_COEFFICIENT_SERIES_MAX);
    }
    for (int32_t c = 0; c < def->coefficient_count; ++c) {
        LyraViscoelasticityDef one = lyra_viscoelasticity_def_default();
        one.branches = def->coefficients[c].branches;
        one.branch_count = def->coefficients[c].branch_count;
        LyraStatus status = ly_viscoelasticity_check(&one);
        if (status != LYRA_OK) {
            return ly_fail_within(status, "coefficient %s", def->coefficients[c].coefficient);
        }
    }
    return LYRA_OK;
}

LyraStatus ly_viscoelasticity_check(const LyraViscoelasticityDef *def)
{
    LY_CHECK_DEF(def, "lyra_viscoelasticity_def_default");
    if ((unsigned)def->model >= LYRA_RELAXATION_COUNT) {
        return ly_fail(LYRA_INVALID_ARGUMENT, "viscoelasticity: model %d, expected 0 to %d",
                       (int)def->model, LYRA_RELAXATION_COUNT - 1);
    }
    if (def->coefficient_count > 0) {
        return check_coefficients(def);
    }
    if (def->branch_count < 1 || def->branch_count > LYRA_RELAXATION_BRANCHES_MAX ||
        !def->branches) {
        return ly_fail(LYRA_INVALID_ARGUMENT, "viscoelasticity: %d branches, expected 1 to %d",
                       def->branch_count, LYRA_RELAXATION_BRANCHES_MAX);
    }
    for (int32_t i = 0; i < def->branch_count; ++i) {
        const LyraRelaxationBranch *b = &def->branches[i];
        if (!(b->time > 0 && isfinite(b->time))) {
            return ly_fail(LYRA_INVALID_ARGUMENT,
                           "viscoelasticity: the time of branch %d is %g s, expected more than 0",
                           i, b->time);
        }
        bool prony = def->model == LYRA_RELAXATION_PRONY;
        bool fits = prony ? b->shear >= 0 && b->bulk >= 0 && isfinite(b->shear + b->bulk)
                          : b->shear > 0 && isfinite(b->shear);
        if (!fits) {
            return ly_fail(LYRA_INVALID_ARGUMENT,
                           "viscoelasticity: branch %d has the moduli %g (shear) and %g (bulk), "
                           "expected numbers %s",
                           i, b->shear, b->bulk, prony ? "from 0 up" : "above 0 for shear");
        }
    }
    return LYRA_OK;
}

static void name_history(LyProny *prony)
{
    static const char *const pairs[6] = {"11", "22", "33", "12", "23", "31"};
    static const char *const singles[6] = {"energy",     "volume-energy", "pressure",
                                           "dilatation", "shear-modulus", "bulk-modulus"};
    static const char *const units[6] = {"J/m^3", "J/m^3", "Pa", "1", "Pa", "Pa"};
    for (int32_t i = 0; i < prony->history_count; ++i) {
        int32_t point = i / prony->numbers, n = i % prony->numbers;
        char *text = prony->history_text[i], suffix[8] = "";
        size_t size = sizeof prony->history_text[i];
        prony->history_names[i] = text;
        if (i == prony->history_count - 1) {
            snprintf(text, size, "dissipated");
            prony->history_units[i] = "J";
            continue;
        }
        if (prony->point_count > 1) {
            snprintf(suffix, sizeof suffix, ".%d", (int)(point % 100));
        }
        if (n < LY_PRONY_W) {
            snprintf(text, size, "%s-%s%s", n < LY_PRONY_S ? "strain" : "stress", pairs[n % 6],
                     suffix);
            prony->history_units[i] = n < LY_PRONY_S ? "1" : "Pa";
        } else if (n < LY_PRONY_BRANCHES) {
            snprintf(text, size, "%s%s", singles[n - LY_PRONY_W], suffix);
            prony->history_units[i] = units[n - LY_PRONY_W];
        } else {
            int32_t b = (n - LY_PRONY_BRANCHES) / LY_PRONY_BRANCH_COUNT;
            int32_t k = (n - LY_PRONY_BRANCHES) % LY_PRONY_BRANCH_COUNT;
            snprintf(text, size, "branch-%d-%s%s", (int)(b + 1) % 100,
                     k < LY_PRONY_PRESSURE ? pairs[k % 6] : "p", suffix);
            prony->history_units[i] = "Pa";
        }
    }
}

// mu and K of a law at rest
static void find_moduli(const LyraMaterialType *law, const void *user, const double *parameters,
                        double moduli[2])
{
    enum { WIDTH = LYRA_BATCH_WIDTH };
    double p[LYRA_MATERIAL_PARAMETERS_MAX * WIDTH] __attribute__((aligned(64)));
    double arguments[3 * WIDTH] __attribute__((aligned(64)));
    double energy[WIDTH] __attribute__((aligned(64))), g[3 * WIDTH] __attribute__((aligned(64)));
    double h[6 * WIDTH] __attribute__((aligned(64)));
    bool invariants = law->arguments == LYRA_MATERIAL_INVARIANTS;
    for (int i = 0; i < law->parameter_count * WIDTH; ++i) {
        p[i] = parameters[i / WIDTH];
    }
    for (int i = 0; i < 3 * WIDTH; ++i) {
        arguments[i] = invariants && i < 2 * WIDTH ? 3 : 1;
    }
    const LyraMaterialBatch batch = {
        .arguments = arguments, .parameters = p, .energy = energy, .gradient = g, .hessian = h};
    law->evaluate(user, &batch);
    double own = h[0], mixed = h[3 * WIDTH];
    if (invariants) {
        // by stretches: I_i = 2, II_i = 4, J_i = 1
        const double z[3] = {2, 4, 1};
        const double H[3][3] = {{h[0], h[3 * WIDTH], h[5 * WIDTH]},
                                {h[3 * WIDTH], h[WIDTH], h[4 * WIDTH]},
                                {h[5 * WIDTH], h[4 * WIDTH], h[2 * WIDTH]}};
        double square = 0;
        for (int k = 0; k < 9; ++k) {
            square += z[k / 3] * H[k / 3][k % 3] * z[k % 3];
        }
        own = 2 * g[0] + 12 * g[WIDTH] + square;
        mixed = g[2 * WIDTH] + square;
    }
    moduli[0] = 0.5 * (own - mixed);
    moduli[1] = (own + 2 * mixed) / 3;
}

// Looks whether moduli at rest are linear in the parameters of a law.
static void find_factors(const LyraMaterialType *law, const void *user, LyProny *prony)
{
    double p[LYRA_MATERIAL_PARAMETERS_MAX] = {0}, moduli[2];
    for (int k = 0; k < law->parameter_count; ++k) {
        p[k] = 1;
        find_moduli(law, user, p, moduli);
        prony->mu[k] = moduli[0];
        prony->K[k] = moduli[1];
        p[k] = 0;
    }
    prony->linear = true;
    for (int trial = 1; trial <= 3; ++trial) {
        double mu = 0, K = 0, size = 0;
        for (int k = 0; k < law->parameter_count; ++k) {
            // numbers without a pattern
            p[k] = 0.1 + fmod(trial * (k + 1) * 0.61803398874989485, 1);
            mu += prony->mu[k] * p[k];
            K += prony->K[k] * p[k];
            size += fabs(prony->mu[k] * p[k]) + fabs(prony->K[k] * p[k]);
        }
        find_moduli(law, user, p, moduli);
        prony->linear = prony->linear && fabs(mu - moduli[0]) <= 1e-13 * size &&
                        fabs(K - moduli[1]) <= 1e-13 * size;
    }
}

LyraStatus ly_prony_create(LyraContext *ctx, const LyraViscoelasticityDef *def, int32_t points,
                           const LyraMaterialType *law, const void *user, LyProny **out)
{
    LyProny *prony = NULL;
    LY_TRY(ly_allocate_zeroed(ctx, 1, sizeof *prony, &prony));
    prony->branch_count = def->branch_count;
    memcpy(prony->branches, def->branches, (size_t)def->branch_count * sizeof *def->branches);
    for (int32_t i = 0; i < LYRA_BATCH_WIDTH; ++i) {
        prony->rates[i] = i < def->branch_count ? 1 / def->branches[i].time : 0;
    }
    for (int32_t i = 0; i < def->branch_count; ++i) {
        const LyraRelaxationBranch *branch = &prony->branches[i];
        prony->shear_compliance[i] = branch->shear > 0 ? 1 / (4 * branch->shear) : 0;
        prony->bulk_compliance[i] = branch->bulk > 0 ? 1 / (2 * branch->bulk) : 0;
    }
    find_factors(law, user, prony);
    prony->point_count = points;
    prony->numbers = LY_PRONY_BRANCHES + def->branch_count * LY_PRONY_BRANCH_COUNT;
    prony->history_count = points * prony->numbers + 1;
    name_history(prony);
    *out = prony;
    return LYRA_OK;
}
