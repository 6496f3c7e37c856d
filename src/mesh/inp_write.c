// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Writer of .inp, the input of Abaqus and CalculiX. Nodes and elements are numbered from 1 and make
// the sets Nall and Eall. Sets of faces are surfaces: S1 to S6 of an element. Each material has a
// section: over Eall if it is the only one in use, over a set of the mesh that holds just its
// elements, or over a set Section_<material>.
//
// Mooney-Rivlin: our energy mu01 (I2 - 3) + mu10 (I1 - 3) + v1 (J - 1)^2 in the isochoric
// invariants is that of the format with C10 = mu10, C01 = mu01, D1 = 1/v1.
// Orthotropic: E1, E2, E3, nu12, nu13, nu23, G12, G13, G23 with nu13 = nu31 E1/E3, in axes whose
// first two are the first columns of the rotation.
//
// Both programs read at most 20 characters of a number, so longer ones are rounded to what fits.

#include "mesh/format.h"

#include "base/file.h"
#include "base/number.h"
#include "mesh/inp.h"

#include <stdio.h>
#include <string.h>

#define NUMBER_CHARS 20
// a line has at most 132 characters
#define IDS_PER_LINE 8

// ---- numbers ------------------------------------------------------------------------------------

/// Significant digits of a shortest text and the power of ten of the first.
static int32_t digits_of(const char *text, char digits[LY_DOUBLE_CHARS], int32_t *exponent)
{
    int32_t count = 0, point = -1, position = 0, shift = 0;
    for (const char *at = text; *at; ++at) {
        if (*at == 'e') {
            ly_parse_int32(at + 1, at + strlen(at), &shift);
            break;
        }
        if (*at == '.') {
            point = position;
        } else if (*at != '-') {
            if (count > 0 || *at != '0') {
                digits[count++] = *at;
            }
            position += 1;
        }
    }
    point = point < 0 ? position : point;
    // the first significant digit stands at position - count
    *exponent = point - (position - count) - 1 + shift;
    return count;
}

void ly_inp_format(char text[LY_DOUBLE_CHARS], double value)
{
    if (ly_format_double(text, value) <= NUMBER_CHARS) {
        return;
    }
    char digits[LY_DOUBLE_CHARS];
    int32_t exponent;
    int32_t count = digits_of(text, digits, &exponent);
    bool negative = text[0] == '-';
    char power[16];
    int power_length = snprintf(power, sizeof power, "e%d", exponent);
    int32_t fit = NUMBER_CHARS - negative - 1 - power_length;
    fit = fit < count ? fit : count;
    // round to nearest; all nines become a one and a higher power
    int32_t last = fit - 1;
    if (fit < count && digits[fit] >= '5') {
        while (last >= 0 && digits[last] == '9') {
            digits[last--] = '0';
        }
        if (last >= 0) {
            digits[last] = (char)(digits[last] + 1);
        } else {
            digits[0] = '1';
            snprintf(power, sizeof power, "e%d", exponent + 1);
            fit -= 1;
        }
    }
    snprintf(text, LY_DOUBLE_CHARS, "%s%c.%.*s%s", negative ? "-" : "", digits[0], (int)fit - 1,
             digits + 1, power);
}

static void write_numbers(LyWriter *writer, int32_t count, const double *values)
{
    for (int32_t i = 0; i < count; ++i) {
        char text[LY_DOUBLE_CHARS];
        ly_inp_format(text, values[i]);
        // eight numbers fill a line
        ly_writer_string(writer, i == 0 ? "" : i % 8 == 0 ? ",\n" : ", ");
        ly_writer_string(writer, text);
    }
    ly_writer_char(writer, '\n');
}

// ---- nodes and elements -------------------------------------------------------------------------

static void write_nodes(LyWriter *writer, const LyExport *data)
{
    ly_writer_string(writer, "*NODE, NSET=Nall\n");
    for (int64_t v = 0; v < data->vertex_count; ++v) {
        ly_writer_int(writer, v + 1);
        ly_writer_string(writer, ", ");
        write_numbers(writer, 3, data->positions + 3 * v);
    }
}

/// Elements with `nodes` corners, numbered as all.
static void write_elements(LyWriter *writer, const LyExport *data, int32_t nodes)
{
    const char *solid = nodes == 4    ? "C3D4"
                        : nodes == 10 ? "C3D10"
                                      : "C3D8",
               *face = nodes == 3 ? "S3" : "S4";
    bool begun = false;
    for (int64_t e = 0; e < data->cell_count; ++e) {
        if (ly_export_nodes(data, e) != nodes) {
            continue;
        }
        if (!begun) {
            ly_writer_print(writer, "*ELEMENT, TYPE=%s, ELSET=Eall\n", data->mesh ? solid : face);
            begun = true;
        }
        const int32_t *corners = ly_export_corners(data, e);
        ly_writer_int(writer, e + 1);
        for (int32_t a = 0; a < nodes; ++a) {
            ly_writer_string(writer, ", ");
            ly_writer_int(writer, (int64_t)corners[a] + 1);
        }
        ly_writer_char(writer, '\n');
    }
}

static void write_id(LyWriter *writer, int64_t id, int64_t *written)
{
    ly_writer_string(writer, *written == 0 ? "" : *written % IDS_PER_LINE == 0 ? ",\n" : ", ");
    ly_writer_int(writer, id + 1);
    *written += 1;
}

static void write_set(LyWriter *writer, const char *label, const LyraMeshSet *set)
{
    int64_t written = 0;
    ly_writer_print(writer, "*ELSET, ELSET=%s\n", label);
    for (int32_t i = 0; i < set->count; ++i) {
        write_id(writer, set->elements[i], &written);
    }
    ly_writer_string(writer, written > 0 ? "\n" : "");
}

static void write_vertex_set(LyWriter *writer, const char *label, const LyraMeshVertexSet *set)
{
    int64_t written = 0;
    ly_writer_print(writer, "*NSET, NSET=%s\n", label);
    for (int32_t i = 0; i < set->count; ++i) {
        write_id(writer, set->vertices[i], &written);
    }
    ly_writer_string(writer, written > 0 ? "\n" : "");
}

static void write_face_set(LyWriter *writer, const char *label, LyraElementKind kind,
                           const LyraMeshFaceSet *set)
{
    // S1 of a tet is that of its first three corners, opposite the last; S1 of a cube is at low z
    static const char *const tet = "3421", *const cube = "643512";
    ly_writer_print(writer, "*SURFACE, NAME=%s, TYPE=ELEMENT\n", label);
    for (int64_t i = 0; i < set->count; ++i) {
        int32_t side = set->faces[2 * i + 1];
        ly_writer_int(writer, (int64_t)set->faces[2 * i] + 1);
        ly_writer_print(writer, ", S%c\n", ly_kind_is_tet(kind) ? tet[side] : cube[side]);
    }
}

// ---- materials ----------------------------------------------------------------------------------

static void write_material(LyWriter *writer, const char *label, const LyraMeshMaterial *material)
{
    const LyraMaterialMooneyRivlin *mr = &material->mooney_rivlin;
    const LyraMaterialOrthotropic *ortho = &material->orthotropic;
    ly_writer_print(writer, "*MATERIAL, NAME=%s\n", label);
    switch (material->kind) {
    case LYRA_MESH_MATERIAL_ENU:
        ly_writer_string(writer, "*ELASTIC\n");
        write_numbers(writer, 2, (const double[]){material->enu.young, material->enu.poisson});
        break;
    case LYRA_MESH_MATERIAL_MOONEY_RIVLIN:
        ly_writer_string(writer, "*HYPERELASTIC, MOONEY-RIVLIN\n");
        write_numbers(writer, 3, (const double[]){mr->mu10, mr->mu01, 1 / mr->v1});
        break;
    default: {
        const double *E = ortho->young, *nu = ortho->poisson, *G = ortho->shear;
        ly_writer_string(writer, "*ELASTIC, TYPE=ENGINEERING CONSTANTS\n");
        write_numbers(writer, 9,
                      (const double[]){E[0], E[1], E[2], nu[0], nu[2] * E[0] / E[2], nu[1], G[0],
                                       G[2], G[1]});
        break;
    }
    }
    ly_writer_string(writer, "*DENSITY\n");
    write_numbers(writer, 1, &material->density);
    if (material->kind == LYRA_MESH_MATERIAL_ORTHOTROPIC) {
        const double *R = ortho->axes;
        ly_writer_print(writer, "*ORIENTATION, NAME=Axes_%s, SYSTEM=RECTANGULAR\n", label);
        write_numbers(writer, 6, (const double[]){R[0], R[3], R[6], R[1], R[4], R[7]});
    }
}

/// Elements of material `m`: their number, and whether set `s` holds them and nothing else.
static bool set_is_material(const LyraMesh *mesh, int32_t s, int32_t m, int32_t count)
{
    const LyraMeshSet *set = &mesh->sets[s];
    bool same = set->count == count;
    for (int32_t i = 0; same && i < count; ++i) {
        same = mesh->element_materials[set->elements[i]] == m;
    }
    return same;
}

static LyraStatus write_section(LyWriter *writer, const LyraMesh *mesh, int32_t m,
                                const char *label, char (*set_labels)[LY_LABEL_MAX], LyNames *used)
{
    int32_t count = 0;
    for (int32_t e = 0; e < mesh->element_count; ++e) {
        count += mesh->element_materials[e] == m;
    }
    if (count == 0) {
        return LYRA_OK;
    }
    char section[LY_LABEL_MAX] = "Eall";
    int32_t s = 0;
    while (s < mesh->set_count && !set_is_material(mesh, s, m, count)) {
        ++s;
    }
    if (count < mesh->element_count && s < mesh->set_count) {
        memcpy(section, set_labels[s], sizeof section);
    } else if (count < mesh->element_count) {
        char wanted[LY_LABEL_MAX + 16];
        snprintf(wanted, sizeof wanted, "Section_%s", label);
        LY_TRY(ly_export_label(used, wanted, section));
        ly_writer_print(writer, "*ELSET, ELSET=%s\n", section);
        int64_t written = 0;
        for (int32_t e = 0; e < mesh->element_count; ++e) {
            if (mesh->element_materials[e] == m) {
                write_id(writer, e, &written);
            }
        }
        ly_writer_char(writer, '\n');
    }
    ly_writer_print(writer, "*SOLID SECTION, ELSET=%s, MATERIAL=%s", section, label);
    if (mesh->materials[m].kind == LYRA_MESH_MATERIAL_ORTHOTROPIC) {
        ly_writer_print(writer, ", ORIENTATION=Axes_%s", label);
    }
    ly_writer_char(writer, '\n');
    return LYRA_OK;
}

// ---- the file -----------------------------------------------------------------------------------

/// Sets of vertices and of faces, whose labels are counted apart.
static LyraStatus write_further_sets(LyWriter *writer, const LyraMesh *mesh)
{
    LyNames nodes = {.ctx = mesh->ctx}, surfaces = {.ctx = mesh->ctx};
    char label[LY_LABEL_MAX];
    LyraStatus status = LYRA_OK;
    LY_TRY_DONE(ly_export_label(&nodes, "Nall", label));
    for (int32_t s = 0; s < mesh->vertex_set_count; ++s) {
        LY_TRY_DONE(ly_export_label(&nodes, mesh->vertex_sets[s].name, label));
        write_vertex_set(writer, label, &mesh->vertex_sets[s]);
    }
    for (int32_t s = 0; s < mesh->face_set_count; ++s) {
        LY_TRY_DONE(ly_export_label(&surfaces, mesh->face_sets[s].name, label));
        write_face_set(writer, label, mesh->kind, &mesh->face_sets[s]);
    }
done:
    ly_names_release(&nodes);
    ly_names_release(&surfaces);
    return status;
}

static LyraStatus write_groups(LyWriter *writer, const LyExport *data)
{
    LyraContext *ctx = data->ctx;
    LyNames used = {.ctx = ctx}, materials = {.ctx = ctx};
    char(*labels)[LY_LABEL_MAX] = NULL, reserved[LY_LABEL_MAX], label[LY_LABEL_MAX];
    LyraStatus status = LYRA_OK;
    LY_TRY_DONE(ly_allocate_array(ctx, data->set_count, sizeof *labels, &labels));
    LY_TRY_DONE(ly_export_label(&used, "Eall", reserved));
    for (int32_t s = 0; s < data->set_count; ++s) {
        LY_TRY_DONE(ly_export_label(&used, data->sets[s].name, labels[s]));
        write_set(writer, labels[s], &data->sets[s]);
    }
    if (data->mesh) {
        LY_TRY_DONE(write_further_sets(writer, data->mesh));
    }
    for (int32_t m = 0; data->mesh && m < data->mesh->material_count; ++m) {
        LY_TRY_DONE(ly_export_label(&materials, data->mesh->materials[m].name, label));
        write_material(writer, label, &data->mesh->materials[m]);
        LY_TRY_DONE(write_section(writer, data->mesh, m, label, labels, &used));
    }
done:
    ly_release(ctx, labels);
    ly_names_release(&materials);
    ly_names_release(&used);
    return status;
}

LyraStatus ly_inp_save(const LyExport *data)
{
    LyWriter *writer = NULL;
    LY_TRY(ly_writer_create(data->ctx, data->path, &writer));
    ly_writer_print(writer, "*HEADING\nMesh by Lyra: %lld nodes, %lld elements\n",
                    (long long)data->vertex_count, (long long)data->cell_count);
    write_nodes(writer, data);
    for (int32_t nodes = 3; nodes <= 10; ++nodes) {
        write_elements(writer, data, nodes);
    }
    LyraStatus status = write_groups(writer, data);
    if (status != LYRA_OK) {
        ly_writer_discard(writer);
        return status;
    }
    return ly_writer_commit(writer);
}
