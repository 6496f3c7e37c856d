// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Plastic flow: settings checked, parameters, the strength as lines, names of the history.

#include "force/plasticity.h"

#include "base/base.h"
#include "force/elastic.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const char *const yield_names[LYRA_YIELD_COUNT] = {
    [LYRA_YIELD_VON_MISES] = "von-mises",
    [LYRA_YIELD_DEFORMATION] = "deformation",
};

const char *lyra_yield_name(LyraYield yield)
{
    return (unsigned)yield < LYRA_YIELD_COUNT ? yield_names[yield] : "unknown";
}

LyraStatus lyra_yield_find(const char *name, LyraYield *yield)
{
    char list[64] = "";
    for (int32_t y = 0; y < LYRA_YIELD_COUNT; ++y) {
        if (strcmp(name, yield_names[y]) == 0) {
            *yield = (LyraYield)y;
            return LYRA_OK;
        }
        ly_list_name(sizeof list, list, yield_names[y]);
    }
    return ly_fail(LYRA_INVALID_ARGUMENT, "no yield criterion \"%s\", expected one of: %s", name,
                   list);
}

LyraPlasticityDef lyra_plasticity_def_default(void)
{
    return (LyraPlasticityDef){
        .flow_max = 1e300, .step_flow_max = 1, .flow_limit = 1, .cookie = LY_DEF_COOKIE};
}

static bool has_goal(const LyraPlasticityDef *def)
{
    return def->goal || def->goal_strain;
}

// ---- parameters ---------------------------------------------------------------------------------

int32_t ly_plasticity_parameters(const LyraPlasticityDef *def,
                                 const char *names[LY_PLASTIC_PARAMETERS_MAX],
                                 LyraParameterKind kinds[LY_PLASTIC_PARAMETERS_MAX],
                                 double values[LY_PLASTIC_PARAMETERS_MAX])
{
    const LyraParameterKind from_zero = LYRA_PARAMETER_NOT_NEGATIVE;
    const LyraParameterKind positive = LYRA_PARAMETER_POSITIVE, any = LYRA_PARAMETER_ANY;
    const struct {
        const char *name;
        LyraParameterKind kind;
        double value;
    } von_mises[LY_PLASTIC_COUNT] =
        {
            [LY_PLASTIC_YIELD] = {"yield", from_zero,
                                  def->table_count > 0 ? def->table[0].stress : def->yield_stress},
            [LY_PLASTIC_HARDENING] = {"hardening", from_zero, def->hardening},
            [LY_PLASTIC_VISCOSITY] = {"flow-viscosity", from_zero, def->viscosity},
            [LY_PLASTIC_FLOW_MAX] = {"flow-max", from_zero, def->flow_max},
            [LY_PLASTIC_STEP_MAX] = {"step-flow-max", positive, def->step_flow_max},
            [LY_PLASTIC_LIMIT] = {"flow-limit", positive, def->flow_limit},
            [LY_PLASTIC_KINEMATIC] = {"kinematic-hardening", from_zero, def->kinematic_hardening},
        },
      deformation[LY_PLASTIC_PARAMETERS_MAX] = {
          [LY_DEFORMATION_STRAIN] = {"yield-strain", from_zero, def->yield_strain},
          [LY_DEFORMATION_LIMIT] = {"flow-limit", positive, def->flow_limit},
          {"goal-11", any, 0},
          {"goal-22", any, 0},
          {"goal-33", any, 0},
          {"goal-12", any, 0},
          {"goal-23", any, 0},
          {"goal-31", any, 0},
      };
    bool late = def->yield == LYRA_YIELD_DEFORMATION;
    if (def->yield == LY_YIELD_BRANCH) {
        names[0] = "relaxation-time";
        kinds[0] = positive;
        values[0] = def->viscosity;
        return LY_BRANCH_COUNT;
    }
    int32_t count = late                           ? LY_DEFORMATION_COUNT + (has_goal(def) ? 6 : 0)
                    : def->kinematic_hardening > 0 ? LY_PLASTIC_COUNT
                                                   : LY_PLASTIC_KINEMATIC;
    for (int32_t i = 0; i < count; ++i) {
        names[i] = late ? deformation[i].name : von_mises[i].name;
        kinds[i] = late ? deformation[i].kind : von_mises[i].kind;
        values[i] = late ? deformation[i].value : von_mises[i].value;
    }
    return count;
}

// ---- settings -----------------------------------------------------------------------------------

static LyraStatus check_table(const LyraPlasticityDef *def)
{
    const LyraStrengthRow *row = def->table;
    if (def->table_count < 0 || def->table_count > LY_STRENGTH_ROWS_MAX ||
        (def->table_count > 0 && !row)) {
        return ly_fail(LYRA_INVALID_ARGUMENT,
                       "plasticity: a table of %d rows, expected strains and stresses of 1 to %d",
                       def->table_count, LY_STRENGTH_ROWS_MAX);
    }
    for (int32_t k = 0; k < def->table_count; ++k) {
        bool ascends = k == 0 ? row[k].strain == 0 : row[k].strain > row[k - 1].strain;
        bool holds = k == 0 ? row[k].stress > 0 : row[k].stress >= row[k - 1].stress;
        if (!ascends || !holds || !isfinite(row[k].strain) || !isfinite(row[k].stress)) {
            return ly_fail(LYRA_INVALID_ARGUMENT,
                           "plasticity: row %d of the table is (%g, %g), expected strains that "
                           "ascend from 0 and stresses > 0 that do not fall",
                           k, row[k].strain, row[k].stress);
        }
    }
    return LYRA_OK;
}

LyraStatus ly_plasticity_check(const LyraPlasticityDef *def, const char *law)
{
    LY_CHECK_DEF(def, "lyra_plasticity_def_default");
    if ((unsigned)def->yield > LY_YIELD_BRANCH) {
        return ly_fail(LYRA_INVALID_ARGUMENT, "plasticity: yield criterion %d, expected 0 to %d",
                       (int)def->yield, LYRA_YIELD_COUNT - 1);
    }
    if (def->yield == LYRA_YIELD_VON_MISES && strcmp(law, "hencky") != 0) {
        return ly_fail(LYRA_UNSUPPORTED,
                       "plasticity: yield criterion von-mises needs the law hencky, found %s; "
                       "deformation takes any isotropic law",
                       law);
    }
    LY_TRY(check_table(def));
    const char *names[LY_PLASTIC_PARAMETERS_MAX];
    LyraParameterKind kinds[LY_PLASTIC_PARAMETERS_MAX];
    double values[LY_PLASTIC_PARAMETERS_MAX];
    int32_t count = ly_plasticity_parameters(def, names, kinds, values);
    for (int32_t i = 0; i < count; ++i) {
        bool fits = kinds[i] == LYRA_PARAMETER_POSITIVE ? values[i] > 0 : values[i] >= 0;
        fits = fits || kinds[i] == LYRA_PARAMETER_ANY;
        if (!fits || !isfinite(values[i])) {
            return ly_fail(LYRA_INVALID_ARGUMENT, "plasticity: %s is %g, expected a number %s",
                           names[i], values[i],
                           kinds[i] == LYRA_PARAMETER_POSITIVE ? "above 0" : "from 0 up");
        }
    }
    if (def->goal && def->goal_strain) {
        return ly_fail(LYRA_INVALID_ARGUMENT,
                       "plasticity: found a goal shape and the strain of a goal, expected one");
    }
    if (has_goal(def) && def->yield != LYRA_YIELD_DEFORMATION) {
        return ly_fail(LYRA_UNSUPPORTED,
                       "plasticity: a goal shape needs the yield criterion deformation, found %s",
                       lyra_yield_name(def->yield));
    }
    if (!(def->kinematic_hardening >= 0)) {
        return ly_fail(LYRA_INVALID_ARGUMENT,
                       "plasticity: kinematic-hardening is %g, expected a number from 0 up",
                       def->kinematic_hardening);
    }
    return LYRA_OK;
}

// ---- what elements share ------------------------------------------------------------------------

static void fill_strength(const LyraPlasticityDef *def, LyPlasticity *plasticity)
{
    const LyraStrengthRow *row = def->table;
    plasticity->rows = def->table_count > 0 ? def->table_count : 1;
    for (int32_t k = 0; k < plasticity->rows; ++k) {
        bool has = k < def->table_count, last = k + 1 >= def->table_count;
        plasticity->strain[k] = has ? row[k].strain : 0;
        plasticity->factor[k] = has ? row[k].stress / row[0].stress : 1;
        double width = last ? 1 : row[k + 1].strain - row[k].strain;
        double rise = last ? 0 : row[k + 1].stress - row[k].stress;
        plasticity->slope[k] = last ? 0 : rise / row[0].stress / width;
        if (k > 0) {
            double step = plasticity->strain[k] - plasticity->strain[k - 1];
            double mean = 0.5 * (plasticity->factor[k] + plasticity->factor[k - 1]) - 1;
            plasticity->integral[k] = plasticity->integral[k - 1] + step * mean;
        }
    }
}

static void name_history(LyPlasticity *plasticity, int32_t points)
{
    static const char *const flow[] = {"inverse-flow-11", "inverse-flow-12", "inverse-flow-13",
                                       "inverse-flow-21", "inverse-flow-22", "inverse-flow-23",
                                       "inverse-flow-31", "inverse-flow-32", "inverse-flow-33"};
    static const char *const creep[] = {"inverse-creep-11", "inverse-creep-12", "inverse-creep-13",
                                        "inverse-creep-21", "inverse-creep-22", "inverse-creep-23",
                                        "inverse-creep-31", "inverse-creep-32", "inverse-creep-33"};
    static const char *const strain[] = {
        "plastic-strain-11", "plastic-strain-22", "plastic-strain-33",
        "plastic-strain-12", "plastic-strain-23", "plastic-strain-31",
        "unused-1",          "unused-2",          "unused-3"};
    for (int32_t i = 0; i < plasticity->history_count; ++i) {
        int32_t point = i / LY_FLOW_COUNT, number = i % LY_FLOW_COUNT;
        bool last = i == plasticity->history_count - 1;
        bool branch = plasticity->rule == LY_FLOW_BRANCH;
        const char *name = last ? "dissipated"
                           : number == LY_FLOW_ALPHA
                               ? branch ? "equivalent-creep-strain" : "equivalent-plastic-strain"
                           : number == LY_FLOW_LOCKED
                               ? plasticity->goal ? "goal-distance" : "locked"
                           : plasticity->rule == LY_FLOW_KINEMATIC ? strain[number]
                           : branch                                ? creep[number]
                                                                   : flow[number];
        if (points > 1 && !last) {
            snprintf(plasticity->history_text[i], sizeof plasticity->history_text[i], "%s.%d", name,
                     (int)point);
        } else {
            snprintf(plasticity->history_text[i], sizeof plasticity->history_text[i], "%s", name);
        }
        plasticity->history_names[i] = plasticity->history_text[i];
        plasticity->history_units[i] = last ? "J" : "1";
    }
}

LyraStatus ly_plasticity_create(LyraContext *ctx, const LyraPlasticityDef *def, int32_t points,
                                int32_t first_parameter, LyPlasticity **out)
{
    LyPlasticity *plasticity = NULL;
    const char *names[LY_PLASTIC_PARAMETERS_MAX];
    LyraParameterKind kinds[LY_PLASTIC_PARAMETERS_MAX];
    double values[LY_PLASTIC_PARAMETERS_MAX];
    LY_TRY(ly_allocate_zeroed(ctx, 1, sizeof *plasticity, &plasticity));
    plasticity->rule = def->yield == LY_YIELD_BRANCH          ? LY_FLOW_BRANCH
                       : def->yield == LYRA_YIELD_DEFORMATION ? LY_FLOW_DEFORMATION
                       : def->kinematic_hardening > 0         ? LY_FLOW_KINEMATIC
                                                              : LY_FLOW_VON_MISES;
    plasticity->keeps_volume = def->keeps_volume;
    plasticity->goal = has_goal(def);
    plasticity->first_parameter = first_parameter;
    plasticity->parameter_count = ly_plasticity_parameters(def, names, kinds, values);
    plasticity->history_count = points * LY_FLOW_COUNT + 1;
    fill_strength(def, plasticity);
    name_history(plasticity, points);
    *out = plasticity;
    return LYRA_OK;
}
