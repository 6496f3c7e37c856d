// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Reader of Gmsh's .msh files, versions 2 and 4.1, as text and as bytes: sections from $Name to
// $EndName. What they hold in each version is in gmsh2.c and gmsh4.c. Physical groups become sets:
// of elements, faces and vertices of a mesh; those of faces groups of a surface. Other sections are
// passed over.

#include "mesh/format.h"

#include "mesh/gmsh.h"

#include <string.h>

// ---- types of elements --------------------------------------------------------------------------

LyCellType ly_gmsh_type(int64_t type)
{
    // number, shape, nodes: orders 1 and 2, and those above as far as they are in use
    static const struct {
        int32_t type;
        LyCellType cell;
    } types[] = {
        {1, {LY_CELL_NONE, 2}},       {2, {LY_CELL_TRIANGLE, 3}},   {3, {LY_CELL_QUAD, 4}},
        {4, {LY_CELL_TET, 4}},        {5, {LY_CELL_HEX, 8}},        {6, {LY_CELL_PRISM, 6}},
        {7, {LY_CELL_PYRAMID, 5}},    {8, {LY_CELL_NONE, 3}},       {9, {LY_CELL_TRIANGLE, 6}},
        {10, {LY_CELL_QUAD, 9}},      {11, {LY_CELL_TET10, 10}},    {12, {LY_CELL_HEX, 27}},
        {13, {LY_CELL_PRISM, 18}},    {14, {LY_CELL_PYRAMID, 14}},  {15, {LY_CELL_NONE, 1}},
        {16, {LY_CELL_QUAD, 8}},      {17, {LY_CELL_HEX, 20}},      {18, {LY_CELL_PRISM, 15}},
        {19, {LY_CELL_PYRAMID, 13}},  {20, {LY_CELL_TRIANGLE, 9}},  {21, {LY_CELL_TRIANGLE, 10}},
        {22, {LY_CELL_TRIANGLE, 12}}, {23, {LY_CELL_TRIANGLE, 15}}, {26, {LY_CELL_NONE, 4}},
        {27, {LY_CELL_NONE, 5}},      {28, {LY_CELL_NONE, 6}},      {29, {LY_CELL_TET, 20}},
        {30, {LY_CELL_TET, 35}},      {31, {LY_CELL_TET, 56}},      {36, {LY_CELL_QUAD, 16}},
        {37, {LY_CELL_QUAD, 25}},     {92, {LY_CELL_HEX, 64}},      {93, {LY_CELL_HEX, 125}},
    };
    for (int32_t i = 0; i < LY_COUNT_OF(types); ++i) {
        if (types[i].type == type) {
            return types[i].cell;
        }
    }
    return (LyCellType){LY_CELL_NONE, 0};
}

LyraStatus ly_gmsh_fail_type(const LyGmshReader *reader, int64_t type)
{
    const LyScanner *scanner = reader->values.scanner;
    return ly_scanner_complain(scanner, scanner->at, LYRA_UNSUPPORTED,
                               "found elements of type %lld, expected points, lines, triangles, "
                               "quads, tets, pyramids, prisms or hexahedra",
                               (long long)type);
}

// ---- names --------------------------------------------------------------------------------------

static LyraStatus read_names(LyGmshReader *reader)
{
    LyScanner *scanner = reader->values.scanner;
    const LyValues text = {.scanner = scanner};
    int64_t count;
    LY_TRY(ly_values_int64(&text, LY_SCALAR_INT32, 0, INT32_MAX, &count, "the number of names"));
    LY_TRY(ly_values_fit(&text, LY_SCALAR_INT32, 3 * count, "names"));
    for (int64_t i = 0; i < count; ++i) {
        LyGmshName name;
        LY_TRY(ly_values_int32(&text, LY_SCALAR_INT32, 1, &name.dimension, "a dimension"));
        LY_TRY(ly_values_int32(&text, LY_SCALAR_INT32, 1, &name.tag, "a tag"));
        ly_scanner_skip_blanks(scanner);
        const char *at = scanner->at;
        LySlice rest = ly_scanner_rest_of_line(scanner);
        if (rest.length < 3 || rest.text[0] != '"' || rest.text[rest.length - 1] != '"' ||
            memchr(rest.text, '\0', rest.length)) {
            return ly_scanner_fail_at(scanner, at, LYRA_BAD_FORMAT, "a name in quotes");
        }
        name.name = (LySlice){rest.text + 1, rest.length - 2};
        LY_TRY(ly_grow_array(reader->import->ctx, reader->name_count + 1, sizeof *reader->names,
                             &reader->name_capacity, &reader->names));
        reader->names[reader->name_count++] = name;
    }
    return LYRA_OK;
}

const LyGmshName *ly_gmsh_find_name(const LyGmshReader *reader, int32_t dimension, int32_t tag)
{
    for (int64_t i = 0; i < reader->name_count; ++i) {
        if (reader->names[i].dimension == dimension && reader->names[i].tag == tag) {
            return &reader->names[i];
        }
    }
    return NULL;
}

/// Version 2: the tag of a cell is its physical group; 0 is none.
static bool name_tag(void *user, bool solid, int32_t tag, LySlice *name)
{
    const LyGmshName *found = ly_gmsh_find_name(user, solid ? 3 : 2, tag);
    *name = found ? found->name : *name;
    return tag != 0;
}

// ---- sections -----------------------------------------------------------------------------------

static LyraStatus read_format(LyGmshReader *reader)
{
    LyScanner *scanner = reader->values.scanner;
    double version;
    int32_t binary, size;
    ly_scanner_skip_space(scanner);
    const char *at = scanner->at;
    LY_TRY(ly_scanner_double(scanner, &version, "the version"));
    LY_TRY(ly_scanner_int32_in(scanner, 0, 1, &binary, "the kind of file"));
    LY_TRY(ly_scanner_int32_in(scanner, 4, 8, &size, "the size of numbers"));
    reader->version4 = version >= 4;
    if (version < 2 || (version >= 3 && version < 4.05) || version >= 5) {
        return ly_scanner_fail_at(scanner, at, LYRA_UNSUPPORTED, "version 2 or 4.1");
    }
    if (size != 8) {
        return ly_scanner_complain(scanner, at, LYRA_UNSUPPORTED,
                                   "found numbers of %d bytes, expected 8", size);
    }
    reader->values.binary = binary == 1;
    if (binary == 1) {
        // a one shows the order of bytes
        const char *one = NULL;
        ly_scanner_next_line(scanner);
        LY_TRY(ly_values_bytes(&reader->values, 4, "the order of bytes", &one));
        reader->values.big_endian = ly_bytes_load(one, 4, true) == 1;
        if (!reader->values.big_endian && ly_bytes_load(one, 4, false) != 1) {
            return ly_scanner_complain(scanner, one, LYRA_BAD_FORMAT,
                                       "found no 1 in either order of bytes, expected it");
        }
    }
    return LYRA_OK;
}

/// Goes behind the line $End<name>.
static LyraStatus end_section(LyScanner *scanner, LySlice name, bool skip)
{
    const char *at = scanner->at;
    while (!ly_scanner_at_end(scanner)) {
        const char *dollar = memchr(scanner->at, '$', (size_t)(scanner->end - scanner->at));
        scanner->at = dollar ? dollar : scanner->end;
        size_t left = (size_t)(scanner->end - scanner->at);
        if (left >= name.length + 4 && memcmp(scanner->at, "$End", 4) == 0 &&
            memcmp(scanner->at + 4, name.text, name.length) == 0) {
            ly_scanner_next_line(scanner);
            return LYRA_OK;
        }
        scanner->at += dollar != NULL;
    }
    char quoted[LY_QUOTE_CHARS];
    return ly_scanner_complain(scanner, at, LYRA_BAD_FORMAT,
                               "found no end of the section %s%s, expected its $End",
                               ly_quote(quoted, name), skip ? "" : " behind what was read");
}

static LyraStatus read_section(LyGmshReader *reader, LySlice name)
{
    LyScanner *scanner = reader->values.scanner;
    bool known = true;
    if (ly_slice_is(name, "MeshFormat")) {
        LY_TRY(read_format(reader));
    } else if (ly_slice_is(name, "PhysicalNames")) {
        LY_TRY(read_names(reader));
    } else if (ly_slice_is(name, "Entities") && reader->version4) {
        LY_TRY(ly_gmsh4_entities(reader));
    } else if (ly_slice_is(name, "Nodes")) {
        LY_TRY(reader->version4 ? ly_gmsh4_nodes(reader) : ly_gmsh2_nodes(reader));
    } else if (ly_slice_is(name, "Elements")) {
        LY_TRY(reader->version4 ? ly_gmsh4_elements(reader) : ly_gmsh2_elements(reader));
    } else {
        known = false;
    }
    return end_section(scanner, name, !known);
}

LyraStatus ly_gmsh_read(LyImport *import)
{
    LyGmshReader reader = {.import = import, .values = {.scanner = &import->scanner}};
    LyScanner *scanner = &import->scanner;
    LyraStatus status = LYRA_OK;
    bool has_format = false;
    for (;;) {
        ly_scanner_skip_space(scanner);
        if (ly_scanner_at_end(scanner)) {
            break;
        }
        const char *at = scanner->at;
        LySlice word = ly_scanner_token(scanner);
        if (word.length < 2 || word.text[0] != '$') {
            LY_TRY_DONE(
                ly_scanner_fail_at(scanner, at, LYRA_BAD_FORMAT, "a section such as $Nodes"));
        }
        LySlice name = {word.text + 1, word.length - 1};
        bool format = ly_slice_is(name, "MeshFormat");
        if (!has_format && !format && !ly_slice_is(name, "Comments")) {
            LY_TRY_DONE(ly_scanner_fail_at(scanner, at, LYRA_BAD_FORMAT, "$MeshFormat"));
        }
        has_format |= format;
        ly_scanner_next_line(scanner);
        LY_TRY_DONE(read_section(&reader, name));
    }
    if (!has_format) {
        LY_TRY_DONE(ly_scanner_fail(scanner, LYRA_BAD_FORMAT, "$MeshFormat"));
    }
    if (!reader.version4) {
        LY_TRY_DONE(ly_import_tag_all(import, "physical", name_tag, &reader));
        import->repeats = import->tag_set_count > 1;
    }
    status = ly_gmsh_finish_points(&reader);
done:
    ly_release(import->ctx, reader.names);
    ly_gmsh_release_points(&reader);
    return status;
}
