// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// MTL: `newmtl NAME` starts a material, lines below it state its numbers. Read are Ka, Kd, Ks (one
// number stands for three), Ns, d, Tr (1 - d), illum and map_Kd; colours given as `spectral` or
// `xyz` and all other keywords are skipped.

#include "mesh/mtl.h"

#include "mesh/line.h"

#include <string.h>

// ---- the table ----------------------------------------------------------------------------------

LyraStatus ly_materials_add(LyMaterials *materials, LySlice name, int32_t *id)
{
    LyraContext *ctx = materials->names.ctx;
    if (materials->names.count == materials->capacity) {
        int32_t capacity = materials->capacity ? 2 * materials->capacity : 8;
        LY_TRY(ly_resize_array(ctx, capacity, sizeof *materials->list, &materials->list));
        LY_TRY(ly_resize_array(ctx, capacity, sizeof *materials->defined, &materials->defined));
        materials->capacity = capacity;
    }
    bool added;
    LY_TRY(ly_names_add(&materials->names, name, id, &added));
    if (added) {
        materials->list[*id] = lyra_surface_material_default();
        materials->defined[*id] = false;
    }
    return LYRA_OK;
}

const LyraSurfaceMaterial *ly_materials_list(LyMaterials *materials)
{
    for (int32_t m = 0; m < materials->names.count; ++m) {
        materials->list[m].name = materials->names.names[m];
    }
    return materials->list;
}

void ly_materials_release(LyMaterials *materials)
{
    LyraContext *ctx = materials->names.ctx;
    for (int32_t m = 0; m < materials->names.count; ++m) {
        ly_release(ctx, (void *)materials->list[m].diffuse_map);
    }
    ly_release(ctx, materials->list);
    ly_release(ctx, materials->defined);
    ly_names_release(&materials->names);
    *materials = (LyMaterials){.names.ctx = ctx};
}

// ---- reading ------------------------------------------------------------------------------------

typedef struct Reader {
    LyraContext *ctx;
    LyScanner scanner;
    LyMaterials *materials;
    LyraSurfaceMaterial *current; // where numbers go, NULL before the first material
    LyraSurfaceMaterial spare;    // takes those of a material that is defined already
    char *buffer;
} Reader;

static LyraStatus read_color(Reader *reader, double color[3])
{
    LyScanner *scanner = &reader->scanner;
    ly_line_skip(scanner);
    if (ly_line_keyword(scanner, "spectral") || ly_line_keyword(scanner, "xyz")) {
        ly_line_ignore(scanner);
        return LYRA_OK;
    }
    double rgb[3] = {0};
    LY_TRY(ly_line_double(scanner, &rgb[0], "red"));
    rgb[1] = rgb[2] = rgb[0];
    if (!ly_line_at_end(scanner)) {
        LY_TRY(ly_line_double(scanner, &rgb[1], "green"));
        LY_TRY(ly_line_double(scanner, &rgb[2], "blue"));
    }
    memcpy(color, rgb, sizeof rgb);
    return ly_line_end(scanner);
}

static LyraStatus read_number(Reader *reader, double *value, const char *what)
{
    LY_TRY(ly_line_double(&reader->scanner, value, what));
    return ly_line_end(&reader->scanner);
}

static LyraStatus read_illumination(Reader *reader)
{
    LyScanner *scanner = &reader->scanner;
    ly_line_skip(scanner);
    int32_t value;
    const char *end = ly_parse_int32(scanner->at, scanner->end, &value);
    if (!end || !ly_line_ends_token(scanner, end)) {
        return ly_scanner_fail(scanner, LYRA_BAD_FORMAT, "a whole number for illum");
    }
    scanner->at = end;
    reader->current->illumination = value;
    return ly_line_end(scanner);
}

static LyraStatus read_map(Reader *reader)
{
    LySlice name;
    LY_TRY(ly_line_name(reader->ctx, &reader->scanner, &reader->buffer, &name));
    char *copy = NULL;
    if (name.length > 0) {
        LY_TRY(ly_string_copy(reader->ctx, name.text, name.length, &copy));
    }
    ly_release(reader->ctx, (void *)reader->current->diffuse_map);
    reader->current->diffuse_map = copy;
    return LYRA_OK;
}

static LyraStatus read_name(Reader *reader)
{
    LyScanner start = reader->scanner;
    LySlice name;
    LY_TRY(ly_line_name(reader->ctx, &reader->scanner, &reader->buffer, &name));
    if (name.length == 0) {
        return ly_scanner_fail(&start, LYRA_BAD_FORMAT, "the name of a material");
    }
    int32_t id;
    LY_TRY(ly_materials_add(reader->materials, name, &id));
    bool again = reader->materials->defined[id];
    reader->materials->defined[id] = true;
    reader->current = again ? &reader->spare : &reader->materials->list[id];
    return LYRA_OK;
}

static LyraStatus read_line(Reader *reader)
{
    LyScanner *scanner = &reader->scanner;
    LyScanner start = *scanner;
    if (ly_line_keyword(scanner, "newmtl")) {
        return read_name(reader);
    }
    static const char *const keywords[] = {"Ka", "Kd", "Ks", "Ns", "d", "Tr", "illum", "map_Kd"};
    int32_t keyword = 0;
    while (keyword < LY_COUNT_OF(keywords) && !ly_line_keyword(scanner, keywords[keyword])) {
        ++keyword;
    }
    if (keyword == LY_COUNT_OF(keywords)) {
        ly_line_ignore(scanner);
        return LYRA_OK;
    }
    if (!reader->current) {
        return ly_scanner_fail(&start, LYRA_BAD_FORMAT, "newmtl first");
    }
    switch (keyword) {
    case 0:
        return read_color(reader, reader->current->ambient);
    case 1:
        return read_color(reader, reader->current->diffuse);
    case 2:
        return read_color(reader, reader->current->specular);
    case 3:
        return read_number(reader, &reader->current->shininess, "Ns");
    case 4:
        ly_line_skip(scanner);
        (void)ly_line_keyword(scanner, "-halo");
        return read_number(reader, &reader->current->opacity, "d");
    case 5: {
        double transparency = 0;
        LY_TRY(read_number(reader, &transparency, "Tr"));
        reader->current->opacity = 1 - transparency;
        return LYRA_OK;
    }
    case 6:
        return read_illumination(reader);
    default:
        return read_map(reader);
    }
}

LyraStatus ly_mtl_parse(const char *path, const char *text, size_t length, LyMaterials *materials)
{
    Reader reader = {
        .ctx = materials->names.ctx,
        .scanner = ly_scanner_make(path, text, length, 0),
        .materials = materials,
    };
    LyraStatus status = LYRA_OK;
    while (!ly_scanner_at_end(&reader.scanner)) {
        if (ly_line_at_end(&reader.scanner)) {
            LY_TRY_DONE(ly_line_end(&reader.scanner));
        } else {
            LY_TRY_DONE(read_line(&reader));
        }
    }
done:
    ly_release(reader.ctx, reader.buffer);
    ly_release(reader.ctx, (void *)reader.spare.diffuse_map);
    return status;
}

// ---- writing ------------------------------------------------------------------------------------

static void write_numbers(LyWriter *writer, const char *keyword, const double *values,
                          int32_t count)
{
    ly_writer_string(writer, keyword);
    for (int32_t i = 0; i < count; ++i) {
        ly_writer_char(writer, ' ');
        ly_writer_double(writer, values[i]);
    }
    ly_writer_char(writer, '\n');
}

void ly_mtl_write(const LyraSurface *surface, LyWriter *writer)
{
    for (int32_t m = 0; m < surface->material_count; ++m) {
        const LyraSurfaceMaterial *material = &surface->materials[m];
        ly_writer_string(writer, m > 0 ? "\nnewmtl " : "newmtl ");
        ly_writer_string(writer, material->name);
        ly_writer_char(writer, '\n');
        write_numbers(writer, "Ka", material->ambient, 3);
        write_numbers(writer, "Kd", material->diffuse, 3);
        write_numbers(writer, "Ks", material->specular, 3);
        write_numbers(writer, "Ns", &material->shininess, 1);
        write_numbers(writer, "d", &material->opacity, 1);
        ly_writer_string(writer, "illum ");
        ly_writer_int(writer, material->illumination);
        ly_writer_char(writer, '\n');
        if (material->diffuse_map) {
            ly_writer_string(writer, "map_Kd ");
            ly_writer_string(writer, material->diffuse_map);
            ly_writer_char(writer, '\n');
        }
    }
}
