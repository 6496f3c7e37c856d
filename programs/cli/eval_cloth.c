// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// `lyra eval --kind cloth`: a surface as the cloth that a world makes of it.

#include "eval.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define NAME_CHARS 128
#define ROWS_MAX 256
#define LINE_CHARS 1024

typedef struct Number {
    const char *name;
    double *value;
} Number;

enum { FABRIC_NUMBERS = 7, NUMBERS = 10 };

// the numbers of a fabric by their names in scenes
static void list_fabric(LyraClothGroup *fabric, Number numbers[FABRIC_NUMBERS])
{
    const Number all[FABRIC_NUMBERS] = {{"stretch", &fabric->stretch},
                                        {"shear", &fabric->shear},
                                        {"bend-u", &fabric->bend_u},
                                        {"bend-v", &fabric->bend_v},
                                        {"stretch-damping", &fabric->stretch_damping},
                                        {"shear-damping", &fabric->shear_damping},
                                        {"bend-damping", &fabric->bend_damping}};
    memcpy(numbers, all, sizeof all);
}

static Number *find_number(Number *numbers, int32_t count, const char *name)
{
    for (int32_t n = 0; n < count; ++n) {
        if (strcmp(numbers[n].name, name) == 0) {
            return &numbers[n];
        }
    }
    return NULL;
}

static bool parse_double(const char *text, double *value)
{
    char *end = NULL;
    *value = strtod(text, &end);
    return end != text && !*end && isfinite(*value);
}

// ---- options ------------------------------------------------------------------------------------

static bool take_parameters(const CliUsage *usage, const CliList *list, LyraBodyCloth *cloth,
                            CliExit *exit)
{
    Number numbers[NUMBERS];
    list_fabric(&cloth->fabric, numbers);
    numbers[FABRIC_NUMBERS] = (Number){"surface-density", &cloth->surface_density};
    numbers[FABRIC_NUMBERS + 1] = (Number){"rest-stretch-u", &cloth->rest_stretch[0]};
    numbers[FABRIC_NUMBERS + 2] = (Number){"rest-stretch-v", &cloth->rest_stretch[1]};
    for (int32_t i = 0; i < list->count; ++i) {
        char name[NAME_CHARS];
        const char *equals = strchr(list->items[i], '=');
        size_t length = equals ? (size_t)(equals - list->items[i]) : 0;
        snprintf(name, sizeof name, "%.*s", (int)(length < NAME_CHARS ? length : 0),
                 list->items[i]);
        Number *number = find_number(numbers, NUMBERS, name);
        if (!number || !parse_double(equals + 1, number->value)) {
            *exit = cli_usage_error(
                usage,
                "--param needs NAME=NUMBER, with stretch, shear, bend-u, bend-v, stretch-damping, "
                "shear-damping, bend-damping, surface-density, rest-stretch-u or rest-stretch-v, "
                "found \"%s\"",
                list->items[i]);
            return false;
        }
    }
    return true;
}

static bool take_terms(const CliUsage *usage, const char *terms, LyraBodyCloth *cloth,
                       EvalTerms *out, CliExit *exit)
{
    static const char *const names[] = {"stretch", "shear", "bend"};
    bool on[3] = {false, false, false};
    for (const char *at = terms; at && *at;) {
        size_t length = strcspn(at, ",");
        int32_t n = 0;
        while (n < 3 && (strlen(names[n]) != length || strncmp(at, names[n], length) != 0)) {
            ++n;
        }
        if (n == 3) {
            *exit = cli_usage_error(usage, "--terms is \"%s\", expected some of stretch,shear,bend",
                                    terms);
            return false;
        }
        on[n] = true;
        at += length + (at[length] == ',');
    }
    *out = (EvalTerms){!terms || on[0], !terms || on[1]};
    cloth->stretch_force = cloth->stretch_stiffness = out->stretch || out->shear;
    cloth->bend_force = cloth->bend_stiffness = !terms || on[2];
    return true;
}

static bool take_words(const CliUsage *usage, const EvalCloth *o, const char *convention,
                       LyraBodyCloth *cloth, CliExit *exit)
{
    static const char *const areas[] = {"ours", "paper", "vega"};
    int32_t area = 0;
    while (convention && area < 3 && strcmp(convention, areas[area]) != 0) {
        ++area;
    }
    const char *wrong = area == 3 ? "--convention" : NULL, *found = convention;
    const char *expected = "ours, paper or vega";
    if (o->uv && strcmp(o->uv, "auto") != 0 && strcmp(o->uv, "file") != 0) {
        wrong = "--uv", found = o->uv, expected = "auto or file";
    }
    if (o->rest_angles != 0 && o->rest_angles != 1) {
        wrong = "--rest-angles", found = "another number", expected = "0 or 1";
    }
    if (wrong) {
        *exit = cli_usage_error(usage, "%s is \"%s\", expected %s", wrong, found, expected);
        return false;
    }
    cloth->area = (LyraClothArea)area;
    cloth->frozen_bend = cloth->area == LYRA_CLOTH_AREA_VEGA;
    cloth->uv = o->uv && strcmp(o->uv, "file") == 0 ? LYRA_CLOTH_UV_FILE : LYRA_CLOTH_UV_AUTO;
    cloth->rest_angles = o->rest_angles;
    return true;
}

// ---- groups -------------------------------------------------------------------------------------

typedef struct Groups {
    LyraBodyFabric rows[ROWS_MAX];
    char names[ROWS_MAX][NAME_CHARS];
    char columns[FABRIC_NUMBERS + 1][NAME_CHARS]; // the first is that of the names
    int32_t column_count, row_count;
} Groups;

// the next cell of a line, without blanks around it; false past the last
static bool next_cell(char **at, char cell[NAME_CHARS])
{
    char *begin = *at;
    if (!begin) {
        return false;
    }
    size_t length = strcspn(begin, ",\r\n");
    *at = begin[length] == ',' ? begin + length + 1 : NULL;
    while (length > 0 && (*begin == ' ' || *begin == '\t')) {
        ++begin, --length;
    }
    while (length > 0 && (begin[length - 1] == ' ' || begin[length - 1] == '\t')) {
        --length;
    }
    snprintf(cell, NAME_CHARS, "%.*s", (int)(length < NAME_CHARS ? length : NAME_CHARS - 1), begin);
    return true;
}

static bool read_columns(const char *path, char *line, Groups *groups)
{
    LyraClothGroup fabric;
    Number numbers[FABRIC_NUMBERS];
    char cell[NAME_CHARS];
    list_fabric(&fabric, numbers);
    for (char *at = line; next_cell(&at, cell); ++groups->column_count) {
        int32_t c = groups->column_count;
        bool known = c == 0 ? strcmp(cell, "group") == 0
                            : c <= FABRIC_NUMBERS && find_number(numbers, FABRIC_NUMBERS, cell);
        if (!known) {
            cli_fail("%s:1: found column \"%s\", expected group, then some of stretch, shear, "
                     "bend-u, bend-v, stretch-damping, shear-damping, bend-damping",
                     path, cell);
            return false;
        }
        strcpy(groups->columns[c], cell);
    }
    return true;
}

static bool read_row(const char *path, int32_t number, char *line, Groups *groups)
{
    LyraBodyFabric *row = &groups->rows[groups->row_count];
    Number numbers[FABRIC_NUMBERS];
    char cell[NAME_CHARS];
    int32_t c = 0;
    *row = lyra_body_fabric_default();
    list_fabric(&row->fabric, numbers);
    for (char *at = line; next_cell(&at, cell); ++c) {
        Number *value = c > 0 && c < groups->column_count
                            ? find_number(numbers, FABRIC_NUMBERS, groups->columns[c])
                            : NULL;
        if (c == 0) {
            strcpy(groups->names[groups->row_count], cell);
            row->name = groups->names[groups->row_count];
        } else if (!value || !parse_double(cell, value->value)) {
            cli_fail("%s:%d: found \"%s\", expected %s", path, (int)number, cell,
                     value ? "a number" : "as many cells as there are columns");
            return false;
        }
    }
    if (c != groups->column_count) {
        cli_fail("%s:%d: found %d cells, expected %d", path, (int)number, (int)c,
                 (int)groups->column_count);
        return false;
    }
    ++groups->row_count;
    return true;
}

static bool read_groups(const char *path, Groups *groups)
{
    char line[LINE_CHARS];
    FILE *file = fopen(path, "rb");
    if (!file) {
        cli_fail("%s: %s", path, strerror(errno));
        return false;
    }
    bool good = true;
    for (int32_t number = 1; good && fgets(line, sizeof line, file); ++number) {
        bool blank = line[strspn(line, " \t\r\n")] == '\0';
        if (strlen(line) + 1 == sizeof line || groups->row_count == ROWS_MAX) {
            cli_fail("%s:%d: expected at most %d groups in lines of %d characters", path,
                     (int)number, ROWS_MAX, LINE_CHARS);
            good = false;
        } else if (!blank) {
            good = groups->column_count == 0 ? read_columns(path, line, groups)
                                             : read_row(path, number, line, groups);
        }
    }
    if (good && groups->column_count == 0) {
        cli_fail("%s: found nothing, expected a line group,stretch,shear,bend-u,bend-v", path);
        good = false;
    }
    fclose(file);
    return good;
}

// ---- the body -----------------------------------------------------------------------------------

// terms that are off have no stiffness of their own
static void switch_off(const EvalTerms *terms, LyraClothGroup *fabric)
{
    fabric->stretch = terms->stretch ? fabric->stretch : 0;
    fabric->stretch_damping = terms->stretch ? fabric->stretch_damping : 0;
    fabric->shear = terms->shear ? fabric->shear : 0;
    fabric->shear_damping = terms->shear ? fabric->shear_damping : 0;
}

CliExit eval_cloth_read(const CliUsage *usage, const EvalCloth *o, const char *convention,
                        const CliList *parameters, EvalClothBody *out)
{
    CliExit exit = CLI_OK;
    EvalTerms terms;
    *out = (EvalClothBody){.cloth = lyra_body_cloth_default()};
    if (!take_parameters(usage, parameters, &out->cloth, &exit) ||
        !take_words(usage, o, convention, &out->cloth, &exit) ||
        !take_terms(usage, o->terms, &out->cloth, &terms, &exit)) {
        return exit;
    }
    switch_off(&terms, &out->cloth.fabric);
    if (o->groups) {
        Groups *groups = calloc(1, sizeof *groups);
        out->memory = groups;
        if (!groups || !read_groups(o->groups, groups)) {
            return CLI_BAD_INPUT;
        }
        for (int32_t r = 0; r < groups->row_count; ++r) {
            switch_off(&terms, &groups->rows[r].fabric);
        }
        out->cloth.fabrics = groups->rows;
        out->cloth.fabric_count = groups->row_count;
    }
    return CLI_OK;
}

CliExit eval_cloth_make(const char *path, EvalClothBody *own, EvalBody *body)
{
    LyraBodyDef def = lyra_body_def_default();
    own->cloth.file = path;
    def.kind = "cloth";
    def.cloth = &own->cloth;
    if (lyra_world_create(body->ctx, NULL, &body->world) != LYRA_OK ||
        lyra_world_add_body(body->world, &def, NULL) != LYRA_OK) {
        return cli_failed();
    }
    const LyraBodyView *made = &lyra_world_view(body->world).bodies[0];
    body->cloth = made->cloth;
    body->vertex_count = made->vertex_count;
    body->positions = lyra_surface_view(made->sheet).positions;
    body->edge = lyra_cloth_view(made->cloth).triangles;
    return CLI_OK;
}

void eval_cloth_print(const EvalBody *body, CliJson *json)
{
    LyraClothView view = lyra_cloth_view(body->cloth);
    double most[3] = {0};
    double *strains = cli_allocate(3 * (size_t)view.triangle_count * sizeof *strains);
    lyra_cloth_strains(body->cloth, body->x, strains);
    for (int64_t i = 0; i < 3 * (int64_t)view.triangle_count; ++i) {
        most[i % 3] = fmax(most[i % 3], fabs(strains[i]));
    }
    free(strains);
    static const char *const names[2][5] = {
        {"triangles", "hinges", "max_strain_u", "max_strain_v", "max_shear"},
        {"triangles", "hinges", "largest strain u", "largest strain v", "largest shear"}};
    for (int n = 0; n < 5; ++n) {
        double value = n == 0 ? view.triangle_count : n == 1 ? view.hinge_count : most[n - 2];
        if (json) {
            cli_json_double(json, names[0][n], value);
        } else {
            printf("%-20s %.15g\n", names[1][n], value);
        }
    }
}
