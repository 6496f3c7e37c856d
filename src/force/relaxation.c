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

LyraStatus ly_prony_create(LyraContext *ctx, const LyraViscoelasticityDef *def, int32_t points,
                           LyProny **out)
{
    LyProny *prony = NULL;
    LY_TRY(ly_allocate_zeroed(ctx, 1, sizeof *prony, &prony));
    prony->branch_count = def->branch_count;
    memcpy(prony->branches, def->branches, (size_t)def->branch_count * sizeof *def->branches);
    prony->point_count = points;
    prony->numbers = LY_PRONY_BRANCHES + def->branch_count * LY_PRONY_BRANCH_COUNT;
    prony->history_count = points * prony->numbers + 1;
    name_history(prony);
    *out = prony;
    return LYRA_OK;
}
