// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// `lyra eval --point`: one material point along a path of deformation gradients.

#include "eval.h"

#include "lyra/math3.h"
#include "lyra/plot.h"
#include "point.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// ---- the material -------------------------------------------------------------------------------

// A point's settings; what they point to lives beside them.
typedef struct Material {
    LyraSolidDef def;
    LyraPlasticityDef plasticity;
    LyraViscoelasticityDef relaxation;
    LyraViscosityDef viscosity;
    LyraElasticConstant constants[CLI_LIST_MAX]; // those of the law
    LyraRelaxationBranch branches[LYRA_RELAXATION_BRANCHES_MAX];
    LyraStrengthRow strength[CLI_LIST_MAX];
    struct Quality {
        double q, low, high, reference, branches; // reference 0: none
    } quality;
    bool flows, relaxes, viscous, fitted;
} Material;

// a parameter by name and where it goes; flags are true for numbers other than 0
typedef struct Place {
    const char *name;
    double *value;
    bool *flag;
} Place;

// takes the constants that are in the list [count] out of those of the law
static void take_constants(Material *m, int32_t count, const Place *places, bool *taken)
{
    int32_t left = 0;
    for (int32_t c = 0; c < m->def.constant_count; ++c) {
        int32_t p = 0;
        while (p < count && strcmp(places[p].name, m->constants[c].name) != 0) {
            ++p;
        }
        if (p == count) {
            m->constants[left++] = m->constants[c];
            continue;
        }
        taken[p] = true;
        if (places[p].flag) {
            *places[p].flag = m->constants[c].value != 0;
        } else {
            *places[p].value = m->constants[c].value;
        }
    }
    m->def.constant_count = left;
}

// rows "strain,stress" of a strength; they stand for the yield stress
static CliExit take_strength(const CliUsage *usage, const CliList *list, Material *m)
{
    for (int32_t i = 0; i < list->count; ++i) {
        double numbers[2];
        if (!cli_parse_numbers(list->items[i], 2, numbers, '\0')) {
            return cli_usage_error(usage, "--strength needs STRAIN,STRESS, found \"%s\"",
                                   list->items[i]);
        }
        m->strength[i] = (LyraStrengthRow){numbers[0], numbers[1]};
    }
    m->plasticity.table = list->count > 0 ? m->strength : NULL;
    m->plasticity.table_count = list->count;
    return CLI_OK;
}

static CliExit make_plasticity(const CliUsage *usage, const EvalPoint *o, Material *m)
{
    LyraPlasticityDef *p = &m->plasticity;
    const char *name = o->plasticity;
    bool kinematic = strcmp(name, "kinematic") == 0;
    *p = lyra_plasticity_def_default();
    if (!kinematic && lyra_yield_find(name, &p->yield) != LYRA_OK) {
        return cli_usage_error(usage,
                               "--plasticity is \"%s\", expected von-mises, kinematic or "
                               "deformation",
                               name);
    }
    const Place places[] = {
        {"yield", &p->yield_stress, NULL},
        {"yield-strain", &p->yield_strain, NULL},
        {"kinematic-hardening", &p->kinematic_hardening, NULL},
        {"hardening", &p->hardening, NULL},
        {"flow-viscosity", &p->viscosity, NULL},
        {"flow-max", &p->flow_max, NULL},
        {"step-flow-max", &p->step_flow_max, NULL},
        {"flow-limit", &p->flow_limit, NULL},
        {"keeps-volume", NULL, &p->keeps_volume},
    };
    bool taken[sizeof places / sizeof places[0]] = {false};
    take_constants(m, sizeof places / sizeof places[0], places, taken);
    int needed = p->yield == LYRA_YIELD_DEFORMATION ? 1 : 0;
    if (o->strength.count > 0 && (needed == 1 || taken[0])) {
        return cli_usage_error(usage, "--strength goes with von-mises or kinematic, without "
                                      "--param yield");
    }
    taken[0] = taken[0] || o->strength.count > 0;
    if (!taken[needed] || (kinematic && !(p->kinematic_hardening > 0))) {
        int missing = taken[needed] ? 2 : needed;
        return cli_usage_error(usage, "--plasticity %s needs --param %s=NUMBER%s", name,
                               places[missing].name, missing == 2 ? " above 0" : "");
    }
    m->flows = true;
    return take_strength(usage, &o->strength, m);
}

// "time,shear" or "time,shear,bulk"
static bool parse_branch(const char *text, LyraRelaxationBranch *branch)
{
    double numbers[3] = {0};
    if (!cli_parse_numbers(text, 3, numbers, '\0')) {
        numbers[2] = 0;
        if (!cli_parse_numbers(text, 2, numbers, '\0')) {
            return false;
        }
    }
    *branch = (LyraRelaxationBranch){numbers[0], numbers[1], numbers[2]};
    return true;
}

static CliExit take_quality(const CliUsage *usage, const EvalPoint *o, Material *m)
{
    struct Quality *quality = &m->quality;
    const Place places[] = {{"q", &quality->q, NULL},
                            {"low", &quality->low, NULL},
                            {"high", &quality->high, NULL},
                            {"reference", &quality->reference, NULL},
                            {"branches", &quality->branches, NULL}};
    bool taken[5] = {false};
    take_constants(m, 5, places, taken);
    double most = LYRA_RELAXATION_BRANCHES_MAX;
    bool whole = quality->branches == floor(quality->branches);
    if (o->branches.count > 0 || !(taken[0] && taken[1] && taken[2])) {
        return cli_usage_error(usage, "--viscosity constant-q needs --param q=NUMBER, low=HZ and "
                                      "high=HZ, and no --branch");
    }
    if (!whole || !(quality->branches >= 0 && quality->branches <= most)) {
        return cli_usage_error(usage, "--param branches is %g, expected a whole number up to %g",
                               quality->branches, most);
    }
    if (taken[3] && (!(quality->reference > 0) || m->def.constant_count > 0)) {
        return cli_usage_error(usage, "--param reference needs a frequency above 0, and --young "
                                      "in place of parameters of the law");
    }
    m->relaxes = m->fitted = true;
    return CLI_OK;
}

// finds the series, whose law has its moduli at the frequency of reference, or at rest
static LyraStatus fit_quality(LyraContext *ctx, Material *m)
{
    const struct Quality *quality = &m->quality;
    LyraPronySeries fit;
    bool refers = quality->reference > 0;
    LyraStatus status = lyra_fit_constant_q(ctx, quality->q, quality->low, quality->high, 1,
                                            refers ? quality->reference : quality->low,
                                            (int32_t)quality->branches, &fit);
    for (int32_t i = 0; status == LYRA_OK && i < fit.branch_count; ++i) {
        double share = fit.modulus[i] / fit.equilibrium;
        m->branches[i] = (LyraRelaxationBranch){fit.time[i], share, share};
    }
    if (status == LYRA_OK) {
        m->relaxation.branches = m->branches;
        m->relaxation.branch_count = fit.branch_count;
    }
    if (status == LYRA_OK && refers) {
        LyraMeshMaterial rest = lyra_mesh_material_default();
        m->def.poisson = m->def.young > 0 ? m->def.poisson : rest.enu.poisson;
        m->def.young = fit.equilibrium * (m->def.young > 0 ? m->def.young : rest.enu.young);
    }
    return status;
}

static CliExit make_viscosity(const CliUsage *usage, const EvalPoint *o, Material *m)
{
    if (strcmp(o->viscosity, "strain-rate") == 0) {
        m->viscosity = lyra_viscosity_def_default();
        const Place places[] = {{"viscosity-lambda", &m->viscosity.lambda, NULL},
                                {"viscosity-mu", &m->viscosity.mu, NULL}};
        bool taken[2] = {false};
        take_constants(m, 2, places, taken);
        if (o->branches.count > 0 || !(taken[0] || taken[1])) {
            return cli_usage_error(usage, "--viscosity strain-rate needs --param viscosity-mu=PA_S "
                                          "or viscosity-lambda=PA_S, and no --branch");
        }
        m->viscous = true;
        return CLI_OK;
    }
    m->relaxation = lyra_viscoelasticity_def_default();
    if (strcmp(o->viscosity, "constant-q") == 0) {
        return take_quality(usage, o, m);
    }
    if (lyra_relaxation_find(o->viscosity, &m->relaxation.model) != LYRA_OK) {
        return cli_usage_error(usage,
                               "--viscosity is \"%s\", expected prony, maxwell, constant-q or "
                               "strain-rate",
                               o->viscosity);
    }
    if (o->branches.count < 1 || o->branches.count > LYRA_RELAXATION_BRANCHES_MAX) {
        return cli_usage_error(usage, "--viscosity %s needs 1 to %d of --branch, found %d",
                               o->viscosity, LYRA_RELAXATION_BRANCHES_MAX, (int)o->branches.count);
    }
    for (int32_t i = 0; i < o->branches.count; ++i) {
        if (!parse_branch(o->branches.items[i], &m->branches[i])) {
            return cli_usage_error(usage,
                                   "--branch needs TIME,SHEAR or TIME,SHEAR,BULK, found "
                                   "\"%s\"",
                                   o->branches.items[i]);
        }
    }
    m->relaxation.branches = m->branches;
    m->relaxation.branch_count = o->branches.count;
    m->relaxes = true;
    return CLI_OK;
}

static CliExit make_material(const CliUsage *usage, const LyraSolidDef *def, const EvalPoint *o,
                             Material *m)
{
    *m = (Material){.def = *def};
    if (def->constant_count > 0) {
        memcpy(m->constants, def->constants, (size_t)def->constant_count * sizeof *m->constants);
    }
    m->def.constants = m->constants;
    CliExit exit = o->plasticity ? make_plasticity(usage, o, m) : CLI_OK;
    if (exit == CLI_OK && !o->plasticity && o->strength.count > 0) {
        return cli_usage_error(usage, "--strength needs --plasticity");
    }
    if (exit == CLI_OK && o->viscosity) {
        exit = make_viscosity(usage, o, m);
    } else if (exit == CLI_OK && o->branches.count > 0) {
        return cli_usage_error(usage, "--branch needs --viscosity");
    }
    m->def.plasticity = m->flows ? &m->plasticity : NULL;
    m->def.viscoelasticity = m->relaxes ? &m->relaxation : NULL;
    return exit;
}

// ---- the path -----------------------------------------------------------------------------------

static const char *const components[9] = {"F11", "F12", "F13", "F21", "F22",
                                          "F23", "F31", "F32", "F33"};

// A path, checked.
typedef struct Path {
    const char *file;
    LyraTableView table;
    const double *time, *F[9]; // F: of which only the first is read for uniaxial stress
    bool uniaxial;
} Path;

static bool check_path(Path *path)
{
    const LyraTableView *table = &path->table;
    int count = path->uniaxial ? 1 : 9;
    path->time = cli_column(table, "t");
    bool complete = path->time != NULL;
    for (int k = 0; k < count; ++k) {
        path->F[k] = cli_column(table, components[k]);
        complete = complete && path->F[k];
    }
    if (!complete) {
        char known[512] = "";
        for (int32_t c = 0; c < table->column_count && strlen(known) < 400; ++c) {
            cli_append(known, sizeof known, table->names[c]);
        }
        cli_fail("%s: found the columns %s, expected t,%s", path->file, known,
                 path->uniaxial ? "F11"
                                : "F11,F12,F13,F21,F22,F23,F31,F32,F33 (t,F11 with --uniaxial)");
        return false;
    }
    if (table->row_count == 0) {
        cli_fail("%s: found 0 rows, expected at least 1", path->file);
        return false;
    }
    for (int64_t row = 0; row < table->row_count; ++row) {
        long long line = (long long)table->lines[row];
        double before = row > 0 ? path->time[row - 1] : 0;
        if (!(path->time[row] >= before) || !isfinite(path->time[row])) {
            cli_fail("%s:%lld: found t = %g after %g, expected times from 0 on that do not fall",
                     path->file, line, path->time[row], before);
            return false;
        }
        for (int k = 0; k < count; ++k) {
            if (!isfinite(path->F[k][row]) || (path->uniaxial && !(path->F[k][row] > 0))) {
                cli_fail("%s:%lld: found %g for \"%s\", expected a %s", path->file, line,
                         path->F[k][row], components[k],
                         path->uniaxial ? "stretch above 0" : "number");
                return false;
            }
        }
    }
    return true;
}

// a step to row `row`; false after printing the reason
static bool take_row(CliPoint *point, const Path *path, int64_t row)
{
    long long line = (long long)path->table.lines[row];
    LyraStatus status;
    double F[9];
    for (int k = 0; k < (path->uniaxial ? 1 : 9); ++k) {
        F[k] = path->F[k][row];
    }
    status = path->uniaxial ? cli_point_pull(point, F[0], path->time[row])
                            : cli_point_step(point, F, path->time[row]);
    if (status == LYRA_NOT_CONVERGED) {
        cli_fail("%s:%lld: no stretches of the free sides make the stress on them zero at F11 = %g",
                 path->file, line, F[0]);
        return false;
    }
    if (status != LYRA_OK) {
        cli_failed();
        return false;
    }
    double sum = point->stored + point->dissipated;
    for (int k = 0; k < 9; ++k) {
        sum += point->P[k];
    }
    if (!isfinite(sum)) {
        LyraMat3 at;
        memcpy(&at, point->F, sizeof at);
        double det = lyra_mat3_determinant(at);
        cli_fail("%s:%lld: the law has no stress at det F = %g%s", path->file, line, det,
                 det > 0 ? "" : ", expected more than 0");
        return false;
    }
    return true;
}

// ---- results ------------------------------------------------------------------------------------

// name of a number of the history: behind that of its force where several have one
static void name_history(const CliPoint *point, int32_t force, int32_t number, char name[96])
{
    int32_t with = 0;
    for (int32_t f = 0; f < point->force_count; ++f) {
        with += lyra_force_type(point->forces[f])->history_count > 0;
    }
    const LyraForceType *type = lyra_force_type(point->forces[force]);
    snprintf(name, 96, "%s%s%s", with > 1 ? lyra_force_view(point->forces[force]).name : "",
             with > 1 ? "." : "", type->history_names[number]);
}

// how many numbers of the history of a force are printed: what it has lost stands elsewhere
static int32_t count_history(const LyraForceType *type)
{
    int32_t count = type->history_count - ((type->traits & LYRA_FORCE_LOSES) != 0);
    return count > 0 ? count : 0;
}

static bool is_used(const LyraForceType *type, int32_t number)
{
    return strncmp(type->history_names[number], "unused", 6) != 0;
}

static double read_history(const CliPoint *point, int32_t force, int32_t number)
{
    double value = NAN;
    lyra_assembly_read_history(point->assembly, force, number, point->history, &value);
    return value;
}

static void print_json_row(CliJson *json, const CliPoint *point)
{
    cli_json_open(json, NULL, '{');
    cli_json_double(json, "t", point->time);
    cli_json_doubles(json, "F", 9, point->F);
    cli_json_doubles(json, "P", 9, point->P);
    cli_json_doubles(json, "tau", 9, point->tau);
    cli_json_doubles(json, "cauchy", 9, point->cauchy);
    cli_json_double(json, "stored", point->stored);
    cli_json_double(json, "dissipated", point->dissipated);
    cli_json_double(json, "work", point->work);
    cli_json_open(json, "history", '{');
    for (int32_t f = 0; f < point->force_count; ++f) {
        const LyraForceType *type = lyra_force_type(point->forces[f]);
        for (int32_t i = 0; i < count_history(type); ++i) {
            char name[96];
            if (!is_used(type, i)) {
                continue;
            }
            name_history(point, f, i, name);
            cli_json_double(json, name, read_history(point, f, i));
        }
    }
    cli_json_close(json, '}');
    cli_json_close(json, '}');
}

// the same as CSV: names, or numbers
static void print_csv(const CliPoint *point, bool names)
{
    const struct {
        const char *name;
        const double *values;
    } tensors[] = {
        {"F", point->F}, {"P", point->P}, {"tau", point->tau}, {"cauchy", point->cauchy}};
    const struct {
        const char *name;
        double value;
    } numbers[] = {
        {"stored", point->stored}, {"dissipated", point->dissipated}, {"work", point->work}};
    char text[CLI_NUMBER_MAX], name[96];
    cli_format_double(point->time, text);
    printf("%s", names ? "t" : text);
    for (size_t i = 0; i < 9 * sizeof tensors / sizeof tensors[0]; ++i) {
        int k = (int)(i % 9);
        cli_format_double(tensors[i / 9].values[k], text);
        snprintf(name, sizeof name, "%s%d%d", tensors[i / 9].name, k / 3 + 1, k % 3 + 1);
        printf(",%s", names ? name : text);
    }
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; ++i) {
        cli_format_double(numbers[i].value, text);
        printf(",%s", names ? numbers[i].name : text);
    }
    for (int32_t f = 0; f < point->force_count; ++f) {
        const LyraForceType *type = lyra_force_type(point->forces[f]);
        for (int32_t i = 0; i < count_history(type); ++i) {
            if (!is_used(type, i)) {
                continue;
            }
            name_history(point, f, i, name);
            cli_format_double(read_history(point, f, i), text);
            printf(",%s", names ? name : text);
        }
    }
    printf("\n");
}

static CliExit follow(CliPoint *point, const Path *path, const char *model, bool as_json)
{
    CliJson json = {.file = stdout};
    CliExit exit = CLI_OK;
    if (as_json) {
        cli_json_open(&json, NULL, '{');
        cli_json_text(&json, "model", model);
        cli_json_open(&json, "rows", '[');
    } else {
        print_csv(point, true);
    }
    for (int64_t row = 0; row < path->table.row_count && exit == CLI_OK; ++row) {
        if (!take_row(point, path, row)) {
            exit = CLI_BAD_INPUT;
        } else if (as_json) {
            print_json_row(&json, point);
        } else {
            print_csv(point, false);
        }
    }
    if (as_json) {
        cli_json_close(&json, ']');
        cli_json_close(&json, '}');
    }
    CliExit written = cli_finish_output();
    return exit == CLI_OK ? written : exit;
}

CliExit eval_point(const CliUsage *usage, const LyraSolidDef *def, const EvalPoint *o)
{
    Material material;
    CliExit exit = make_material(usage, def, o, &material);
    if (exit != CLI_OK) {
        return exit;
    }
    LyraContext *ctx = cli_context(1, LYRA_ISA_AUTO);
    LyraTable *csv = NULL;
    CliPoint *point = NULL;
    exit = CLI_BAD_INPUT;
    if (ctx && ((material.fitted && fit_quality(ctx, &material) != LYRA_OK) ||
                lyra_table_load(ctx, o->path, &csv) != LYRA_OK ||
                cli_point_create(ctx, &material.def, material.viscous ? &material.viscosity : NULL,
                                 &point) != LYRA_OK)) {
        cli_failed();
    } else if (ctx) {
        Path path = {.file = o->path, .table = lyra_table_view(csv), .uniaxial = o->uniaxial};
        exit =
            check_path(&path) ? follow(point, &path, material.def.model, o->json) : CLI_BAD_INPUT;
    }
    cli_point_destroy(point);
    lyra_table_destroy(csv);
    lyra_context_destroy(ctx);
    return exit;
}
