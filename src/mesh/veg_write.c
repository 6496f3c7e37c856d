// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Writer of .veg. Everything is numbered from 1, and every number is the shortest text that reads
// back to the same bits. Materials, sets and regions keep their order, so that the rule about
// elements without a region gives the same material again.

#include "mesh/format.h"

#include "base/file.h"
#include "mesh/names.h"
#include "mesh/rows.h"

#include <string.h>

// ---- names --------------------------------------------------------------------------------------

static LySlice slice_of(const char *text)
{
    return (LySlice){text, strlen(text)};
}

/// Whether the reader would give back the same name.
static bool is_plain(const char *name)
{
    LySlice slice = slice_of(name);
    bool blank_ends = slice.length == 0 || ly_char_class[(uint8_t)name[0]] ||
                      ly_char_class[(uint8_t)name[slice.length - 1]];
    return !blank_ends && strpbrk(name, ",#\n\r") == NULL;
}

static LyraStatus fail_name(const char *path, const char *what, const char *name)
{
    char quoted[LY_QUOTE_CHARS];
    return ly_fail(
        LYRA_UNSUPPORTED,
        "%s: found the %s %s, expected a name that .veg can hold: used once, not "
        "empty, not allElements, without comma, #, line end, star in front, or blank at its ends",
        path, what, ly_quote(quoted, slice_of(name)));
}

/// Regions name sets and materials, so all must be what they are when read back.
static LyraStatus check_name(LyNames *names, const char *path, const char *what, const char *name)
{
    int32_t id;
    bool fresh = false;
    if (is_plain(name)) {
        LY_TRY(ly_names_add(names, slice_of(name), &id, &fresh));
    }
    return fresh ? LYRA_OK : fail_name(path, what, name);
}

static LyraStatus check_names(const LyraMesh *mesh, const char *path)
{
    LyNames materials = {.ctx = mesh->ctx}, sets = {.ctx = mesh->ctx};
    LyraStatus status = LYRA_OK;
    for (int32_t m = 0; m < mesh->material_count; ++m) {
        LY_TRY_DONE(check_name(&materials, path, "material", mesh->materials[m].name));
    }
    for (int32_t s = 0; s < mesh->set_count; ++s) {
        const char *name = mesh->sets[s].name;
        LY_TRY_DONE(strcmp(name, "allElements") == 0 ? fail_name(path, "set", name)
                                                     : check_name(&sets, path, "set", name));
    }
    // the line of a region starts with its set, and a star there would make it a command
    for (int32_t r = 0; r < mesh->region_count; ++r) {
        int32_t set = mesh->regions[r].set;
        if (set != LYRA_MESH_ALL_ELEMENTS && mesh->sets[set].name[0] == '*') {
            LY_TRY_DONE(fail_name(path, "set", mesh->sets[set].name));
        }
    }
done:
    ly_names_release(&materials);
    ly_names_release(&sets);
    return status;
}

// ---- parts --------------------------------------------------------------------------------------

static void write_elements(LyWriter *writer, const LyraMesh *mesh)
{
    int32_t nodes = lyra_element_kind_nodes(mesh->kind);
    ly_writer_print(writer, "\n*ELEMENTS\n%s\n%d %d 0\n",
                    mesh->kind == LYRA_ELEMENT_TET4 ? "TETS" : "CUBIC", mesh->element_count, nodes);
    const int32_t *vertex = mesh->elements;
    for (int64_t e = 0; e < mesh->element_count; ++e) {
        ly_writer_int(writer, e + 1);
        for (int32_t a = 0; a < nodes; ++a) {
            ly_writer_char(writer, ' ');
            ly_writer_int(writer, (int64_t)*vertex++ + 1);
        }
        ly_writer_char(writer, '\n');
    }
}

static void write_numbers(LyWriter *writer, int32_t count, const double *values)
{
    for (int32_t i = 0; i < count; ++i) {
        ly_writer_string(writer, ", ");
        ly_writer_double(writer, values[i]);
    }
}

static void write_material(LyWriter *writer, const LyraMeshMaterial *material)
{
    static const char *const words[LYRA_MESH_MATERIAL_KIND_COUNT] = {
        [LYRA_MESH_MATERIAL_ENU] = "ENU",
        [LYRA_MESH_MATERIAL_MOONEY_RIVLIN] = "MOONEYRIVLIN",
        [LYRA_MESH_MATERIAL_ORTHOTROPIC] = "ORTHOTROPIC_N3G3R9",
    };
    const LyraMaterialMooneyRivlin *mr = &material->mooney_rivlin;
    const LyraMaterialOrthotropic *ortho = &material->orthotropic;
    ly_writer_string(writer, "\n*MATERIAL ");
    ly_writer_string(writer, material->name);
    ly_writer_char(writer, '\n');
    ly_writer_string(writer, words[material->kind]);
    write_numbers(writer, 1, &material->density);
    switch (material->kind) {
    case LYRA_MESH_MATERIAL_ENU:
        write_numbers(writer, 2, (const double[]){material->enu.young, material->enu.poisson});
        break;
    case LYRA_MESH_MATERIAL_MOONEY_RIVLIN:
        write_numbers(writer, 3, (const double[]){mr->mu01, mr->mu10, mr->v1});
        break;
    default:
        write_numbers(writer, 3, ortho->young);
        write_numbers(writer, 3, ortho->poisson);
        write_numbers(writer, 3, ortho->shear);
        write_numbers(writer, 9, ortho->axes);
        break;
    }
    ly_writer_char(writer, '\n');
}

static void write_set(LyWriter *writer, const LyraMeshSet *set)
{
    const int32_t ids_per_line = 8;
    ly_writer_string(writer, "\n*SET ");
    ly_writer_string(writer, set->name);
    ly_writer_char(writer, '\n');
    for (int32_t i = 0; i < set->count; ++i) {
        ly_writer_int(writer, (int64_t)set->elements[i] + 1);
        bool last = i + 1 == set->count;
        bool line_full = i % ids_per_line == ids_per_line - 1;
        ly_writer_string(writer, last ? "\n" : line_full ? ",\n" : ", ");
    }
}

LyraStatus ly_veg_save(const LyraMesh *mesh, const char *path)
{
    if (mesh->kind != LYRA_ELEMENT_TET4 && mesh->kind != LYRA_ELEMENT_CUBE8) {
        return ly_fail(LYRA_UNSUPPORTED,
                       "%s: .veg holds tets and cubes, and the elements are of kind %s; .vtu, "
                       ".msh, .vtk, .inp and .mesh hold them",
                       path, lyra_element_kind_name(mesh->kind));
    }
    LY_TRY(check_names(mesh, path));
    LyWriter *writer = NULL;
    LY_TRY(ly_writer_create(mesh->ctx, path, &writer));
    ly_writer_print(writer, "# Mesh by Lyra: %d vertices, %d elements.\n\n", mesh->vertex_count,
                    mesh->element_count);
    ly_writer_print(writer, "*VERTICES\n%d 3 0 0\n", mesh->vertex_count);
    ly_rows_write_positions(writer, mesh->vertex_count, mesh->positions);
    write_elements(writer, mesh);
    for (int32_t m = 0; m < mesh->material_count; ++m) {
        write_material(writer, &mesh->materials[m]);
    }
    for (int32_t s = 0; s < mesh->set_count; ++s) {
        write_set(writer, &mesh->sets[s]);
    }
    for (int32_t r = 0; r < mesh->region_count; ++r) {
        const LyraMeshRegion *region = &mesh->regions[r];
        bool all = region->set == LYRA_MESH_ALL_ELEMENTS;
        ly_writer_string(writer, "\n*REGION\n");
        ly_writer_string(writer, all ? "allElements" : mesh->sets[region->set].name);
        ly_writer_string(writer, ", ");
        ly_writer_string(writer, mesh->materials[region->material].name);
        ly_writer_char(writer, '\n');
    }
    return ly_writer_commit(writer);
}
