// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Materials and sections of .inp files. inp_write.c has the formulas between their constants and
// ours. A law that is not read leaves the default one, with a line in the log.

#include "mesh/inp_reader.h"

#include <string.h>

// ---- reading ------------------------------------------------------------------------------------

/// Reads `count` numbers over any number of lines.
static LyraStatus read_numbers(LyInpReader *reader, int32_t count, double *values, const char *what)
{
    LyScanner *scanner = &reader->import->scanner;
    for (int32_t i = 0; i < count; ++i) {
        if ((i == 0 || ly_scanner_at_line_end(scanner)) && !ly_inp_next_data(scanner)) {
            return ly_scanner_fail(scanner, LYRA_BAD_FORMAT, "%d numbers of %s", count, what);
        }
        LY_TRY(ly_scanner_double(scanner, &values[i], what));
    }
    return LYRA_OK;
}

static LyraStatus find_material(LyInpReader *reader, LySlice name, int32_t *id)
{
    LyraContext *ctx = reader->import->ctx;
    LY_TRY(ly_inp_name(ctx, &reader->material_names, name, id));
    int64_t known = reader->material_capacity;
    LY_TRY(ly_grow_array(ctx, (int64_t)*id + 1, sizeof *reader->materials,
                         &reader->material_capacity, &reader->materials));
    for (int64_t m = known; m < reader->material_capacity; ++m) {
        reader->materials[m] = (LyInpMaterial){.data = lyra_mesh_material_default()};
    }
    return LYRA_OK;
}

static LyraStatus find_axes(LyInpReader *reader, LySlice name, int32_t *id)
{
    LyraContext *ctx = reader->import->ctx;
    LY_TRY(ly_inp_name(ctx, &reader->axes_names, name, id));
    int64_t known = reader->axes_capacity;
    LY_TRY(ly_grow_array(ctx, (int64_t)*id + 1, sizeof *reader->axes, &reader->axes_capacity,
                         &reader->axes));
    for (int64_t a = known; a < reader->axes_capacity; ++a) {
        reader->axes[a][0] = NAN;
    }
    return LYRA_OK;
}

static LyraStatus fail_constants(const LyInpReader *reader, const LyInpKeyword *keyword)
{
    return ly_scanner_complain(&reader->import->scanner, keyword->at, LYRA_NOT_FINITE,
                               "found constants beyond the range of numbers, expected moduli and "
                               "compressibilities other than 0");
}

static LyraStatus read_elastic(LyInpReader *reader, const LyInpKeyword *keyword,
                               LyInpMaterial *material)
{
    const LySlice *type = ly_inp_option(keyword, "TYPE");
    if (!type || ly_slice_is_word(*type, "ISO") || ly_slice_is_word(*type, "ISOTROPIC")) {
        double c[2];
        LY_TRY(read_numbers(reader, 2, c, "E and nu"));
        material->data.kind = LYRA_MESH_MATERIAL_ENU;
        material->data.enu = (LyraMaterialEnu){c[0], c[1]};
        material->has_law = true;
    } else if (ly_slice_is_word(*type, "ENGINEERING CONSTANTS")) {
        double c[9];
        LY_TRY(read_numbers(reader, 9, c, "engineering constants"));
        material->data.kind = LYRA_MESH_MATERIAL_ORTHOTROPIC;
        material->data.orthotropic = (LyraMaterialOrthotropic){
            .young = {c[0], c[1], c[2]},
            .poisson = {c[3], c[5], c[4] * c[2] / c[0]},
            .shear = {c[6], c[8], c[7]},
            .axes = {1, 0, 0, 0, 1, 0, 0, 0, 1},
        };
        material->has_law = true;
        if (!isfinite(material->data.orthotropic.poisson[2])) {
            return fail_constants(reader, keyword);
        }
    }
    return LYRA_OK;
}

static LyraStatus read_hyperelastic(LyInpReader *reader, const LyInpKeyword *keyword,
                                    LyInpMaterial *material)
{
    bool mooney = ly_inp_option(keyword, "MOONEY-RIVLIN") != NULL;
    bool neo = ly_inp_option(keyword, "NEO HOOKE") != NULL;
    if (!mooney && !neo) {
        return LYRA_OK;
    }
    double c[3] = {0};
    LY_TRY(read_numbers(reader, mooney ? 3 : 2, c, "C10, C01 and D1"));
    double D1 = mooney ? c[2] : c[1];
    material->data.kind = LYRA_MESH_MATERIAL_MOONEY_RIVLIN;
    material->data.mooney_rivlin =
        (LyraMaterialMooneyRivlin){.mu01 = mooney ? c[1] : 0, .mu10 = c[0], .v1 = 1 / D1};
    material->has_law = true;
    return isfinite(material->data.mooney_rivlin.v1) ? LYRA_OK : fail_constants(reader, keyword);
}

/// Axes from two points: the first along the first axis, the second in the plane of the first two.
static LyraStatus read_axes(LyInpReader *reader, const LyInpKeyword *keyword)
{
    LySlice name = {0};
    int32_t id;
    double c[6], e[3][3];
    LY_TRY(ly_inp_require(reader, keyword, "NAME", &name));
    LY_TRY(find_axes(reader, name, &id));
    const LySlice *system = ly_inp_option(keyword, "SYSTEM");
    if (system && !ly_slice_is_word(*system, "RECTANGULAR")) {
        return LYRA_OK;
    }
    LY_TRY(read_numbers(reader, 6, c, "the axes"));
    double along = c[0] * c[0] + c[1] * c[1] + c[2] * c[2];
    double part = (c[0] * c[3] + c[1] * c[4] + c[2] * c[5]) / along, across = 0;
    for (int32_t i = 0; i < 3; ++i) {
        e[0][i] = c[i] / sqrt(along);
        e[1][i] = c[3 + i] - part * c[i];
        across += e[1][i] * e[1][i];
    }
    for (int32_t i = 0; i < 3; ++i) {
        e[1][i] /= sqrt(across);
    }
    for (int32_t i = 0; i < 3; ++i) {
        int32_t j = (i + 1) % 3, k = (i + 2) % 3;
        e[2][i] = e[0][j] * e[1][k] - e[0][k] * e[1][j];
    }
    if (!isfinite(e[2][0] + e[2][1] + e[2][2])) {
        return ly_scanner_complain(&reader->import->scanner, keyword->at, LYRA_BAD_FORMAT,
                                   "found two axes along each other, expected others");
    }
    for (int32_t i = 0; i < 9; ++i) {
        // a zero without a sign
        reader->axes[id][i] = e[i % 3][i / 3] + 0.0;
    }
    return LYRA_OK;
}

static LyraStatus read_section(LyInpReader *reader, const LyInpKeyword *keyword)
{
    LySlice set = {0}, material = {0};
    LyInpSection section = {.at = keyword->at, .axes = -1};
    LY_TRY(ly_inp_require(reader, keyword, "ELSET", &set));
    LY_TRY(ly_inp_require(reader, keyword, "MATERIAL", &material));
    LY_TRY(ly_inp_name(reader->import->ctx, &reader->element_sets.names, set, &section.set));
    LY_TRY(find_material(reader, material, &section.material));
    const LySlice *axes = ly_inp_option(keyword, "ORIENTATION");
    if (axes) {
        LY_TRY(find_axes(reader, *axes, &section.axes));
    }
    LY_TRY(ly_grow_array(reader->import->ctx, reader->section_count + 1, sizeof section,
                         &reader->section_capacity, &reader->sections));
    reader->sections[reader->section_count++] = section;
    return LYRA_OK;
}

LyraStatus ly_inp_read_material(LyInpReader *reader, const LyInpKeyword *keyword, bool *known)
{
    LyInpMaterial *material = reader->material < 0 ? NULL : &reader->materials[reader->material];
    LySlice word = keyword->name, name = {0};
    *known = true;
    if (ly_slice_is_word(word, "MATERIAL")) {
        LY_TRY(ly_inp_require(reader, keyword, "NAME", &name));
        LY_TRY(find_material(reader, name, &reader->material));
        reader->materials[reader->material].defined = true;
    } else if (material && ly_slice_is_word(word, "ELASTIC")) {
        LY_TRY(read_elastic(reader, keyword, material));
    } else if (material && ly_slice_is_word(word, "HYPERELASTIC")) {
        LY_TRY(read_hyperelastic(reader, keyword, material));
    } else if (material && ly_slice_is_word(word, "DENSITY")) {
        LY_TRY(read_numbers(reader, 1, &material->data.density, "the density"));
        material->has_density = true;
    } else if (ly_slice_is_word(word, "ORIENTATION")) {
        LY_TRY(read_axes(reader, keyword));
    } else if (ly_slice_is_word(word, "SOLID SECTION")) {
        LY_TRY(read_section(reader, keyword));
    } else {
        *known = false;
        return LYRA_OK;
    }
    // further numbers depend on temperature, or are of no use here
    while (ly_inp_next_data(&reader->import->scanner)) {
        ly_scanner_next_line(&reader->import->scanner);
    }
    return LYRA_OK;
}

// ---- at the end ---------------------------------------------------------------------------------

/// Turns the axes of the material of a section.
static LyraStatus apply_axes(LyInpReader *reader, const LyInpSection *section)
{
    LyInpMaterial *material = &reader->materials[section->material];
    if (material->data.kind != LYRA_MESH_MATERIAL_ORTHOTROPIC || section->axes < 0) {
        return LYRA_OK;
    }
    const double *axes = reader->axes[section->axes];
    double *old = material->data.orthotropic.axes;
    bool differ = material->has_axes && memcmp(old, axes, 9 * sizeof *axes) != 0;
    if (!isfinite(axes[0]) || differ) {
        return ly_scanner_complain(&reader->import->scanner, section->at, LYRA_UNSUPPORTED,
                                   "found a material in axes that are not rectangular or not the "
                                   "only ones, expected one *ORIENTATION for it");
    }
    memcpy(old, axes, 9 * sizeof *axes);
    material->has_axes = true;
    return LYRA_OK;
}

static LyraStatus finish_materials(LyInpReader *reader)
{
    LyImport *import = reader->import;
    for (int32_t m = 0; m < reader->material_names.upper.count; ++m) {
        const LyInpMaterial *material = &reader->materials[m];
        const char *name = reader->material_names.written.names[m];
        if (!material->defined) {
            return ly_fail(LYRA_BAD_FORMAT,
                           "%s: a section names the material \"%s\", expected one of the file",
                           import->path, name);
        }
        if (!material->has_law) {
            ly_log(import->ctx, LYRA_LOG_WARNING,
                   "%s: material \"%s\" has no law that is read and takes E 1e6 Pa and nu 0.45",
                   import->path, name);
        }
        if (!material->has_density) {
            ly_log(import->ctx, LYRA_LOG_WARNING,
                   "%s: material \"%s\" has no density and takes 1000 kg/m^3", import->path, name);
        }
        LY_TRY(ly_mesh_builder_add_material(&import->builder, (LySlice){name, strlen(name)},
                                            &material->data));
    }
    return LYRA_OK;
}

/// First corner of each cell; there are no polygons among them.
static LyraStatus find_begins(LyInpReader *reader)
{
    const LyImport *import = reader->import;
    LY_TRY(ly_allocate_array(import->ctx, import->cell_count, sizeof *reader->corner_begins,
                             &reader->corner_begins));
    int64_t at = 0;
    for (int64_t c = 0; c < import->cell_count; ++c) {
        reader->corner_begins[c] = at;
        at += ly_cell_nodes(import->shapes[c]);
    }
    return LYRA_OK;
}

LyraStatus ly_inp_finish_groups(LyInpReader *reader)
{
    for (int64_t i = 0; i < reader->section_count; ++i) {
        LY_TRY(apply_axes(reader, &reader->sections[i]));
    }
    LY_TRY(finish_materials(reader));
    LY_TRY(find_begins(reader));
    LY_TRY(ly_inp_finish_sets(reader));
    LY_TRY(ly_inp_finish_node_sets(reader));
    LY_TRY(ly_inp_finish_surfaces(reader));
    for (int64_t i = 0; i < reader->section_count; ++i) {
        const LyInpSection *section = &reader->sections[i];
        LY_TRY(ly_mesh_builder_add_region(&reader->import->builder,
                                          reader->element_map[section->set], section->material));
    }
    return LYRA_OK;
}

void ly_inp_release_groups(LyInpReader *reader)
{
    LyraContext *ctx = reader->import->ctx;
    LyInpNames *const names[] = {&reader->element_sets.names, &reader->node_sets.names,
                                 &reader->surfaces, &reader->material_names, &reader->axes_names};
    for (int32_t i = 0; i < LY_COUNT_OF(names); ++i) {
        names[i]->upper.ctx = names[i]->written.ctx = ctx;
        ly_names_release(&names[i]->upper);
        ly_names_release(&names[i]->written);
    }
    ly_release(ctx, reader->element_sets.pieces);
    ly_release(ctx, reader->node_sets.pieces);
    ly_release(ctx, reader->items);
    ly_release(ctx, reader->element_map);
    ly_release(ctx, reader->cell_numbers);
    ly_release(ctx, reader->cells_by_number);
    ly_release(ctx, reader->corner_begins);
    ly_release(ctx, reader->materials);
    ly_release(ctx, reader->sections);
    ly_release(ctx, reader->axes);
}
