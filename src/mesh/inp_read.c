// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Reader of .inp, the input of Abaqus and CalculiX: lines that start with a star are keywords with
// options behind commas, ** starts a comment, other lines are data of the keyword above.
//
//     *NODE [, NSET=name]              number, x, y, z
//     *ELEMENT, TYPE=C3D4 [, ELSET=n]  number, nodes ..., over lines that end with a comma
//     *ELSET, ELSET=name [, GENERATE]  numbers and names of sets; or first, last, step
//     *NSET, NSET=name [, GENERATE]    the same of nodes; ELSET=name: nodes of those elements
//     *SURFACE, NAME=n [, TYPE=ELEMENT]  element or set, face S1 to S6; TYPE=NODE: node or set
//     *MATERIAL, NAME=name             *ELASTIC: E, nu     *DENSITY: rho
//                                      *HYPERELASTIC, MOONEY-RIVLIN: C10, C01, D1
//     *SOLID SECTION, ELSET=name, MATERIAL=name
//
// Words are read in upper and lower case alike, names too. Everything from *STEP on, and every
// other keyword with its data, is passed over.

#include "mesh/format.h"

#include "mesh/inp_reader.h"

#include <string.h>

// ---- lines --------------------------------------------------------------------------------------

bool ly_inp_next_line(LyScanner *scanner)
{
    for (;;) {
        if (!ly_scanner_next_content(scanner)) {
            return false;
        }
        if (scanner->at[0] != '*' || scanner->at[1] != '*') {
            return true;
        }
        ly_scanner_next_line(scanner);
    }
}

/// Goes to the next line of data; false in front of a keyword or the end.
bool ly_inp_next_data(LyScanner *scanner)
{
    return ly_inp_next_line(scanner) && *scanner->at != '*';
}

static LySlice trim(const char *begin, const char *end)
{
    while (begin < end && ly_char_class[(uint8_t)*begin]) {
        ++begin;
    }
    while (begin < end && ly_char_class[(uint8_t)end[-1]]) {
        --end;
    }
    return (LySlice){begin, (size_t)(end - begin)};
}

/// The part of a line up to the next comma, without quotes and blanks around it.
static LySlice next_part(LyScanner *scanner)
{
    const char *begin = scanner->at, *at = begin;
    bool quoted = false;
    while (at < scanner->end && *at != '\n' && *at != '\r' && (quoted || *at != ',')) {
        quoted ^= *at == '"';
        ++at;
    }
    scanner->at = at < scanner->end && *at == ',' ? at + 1 : at;
    LySlice part = trim(begin, at);
    if (part.length >= 2 && part.text[0] == '"' && part.text[part.length - 1] == '"') {
        part = (LySlice){part.text + 1, part.length - 2};
    }
    return part;
}

/// Reads a keyword line, which may go on behind a comma at its end.
static LyraStatus read_keyword(LyScanner *scanner, LyInpKeyword *keyword)
{
    *keyword = (LyInpKeyword){.at = scanner->at};
    ++scanner->at;
    keyword->name = next_part(scanner);
    bool comma = scanner->at[-1] == ',';
    while (!ly_scanner_at_line_end(scanner) || comma) {
        if (ly_scanner_at_line_end(scanner)) {
            // on the next line
            if (!ly_inp_next_data(scanner)) {
                break;
            }
        }
        if (keyword->option_count == LY_INP_OPTIONS_MAX) {
            return ly_scanner_fail(scanner, LYRA_BAD_FORMAT, "at most %d options",
                                   LY_INP_OPTIONS_MAX);
        }
        LyInpOption *option = &keyword->options[keyword->option_count++];
        LySlice part = next_part(scanner);
        comma = scanner->at[-1] == ',';
        const char *equals = memchr(part.text, '=', part.length);
        option->name = trim(part.text, equals ? equals : part.text + part.length);
        option->value = equals ? trim(equals + 1, part.text + part.length) : (LySlice){"", 0};
        size_t length = option->value.length;
        if (length >= 2 && option->value.text[0] == '"' && option->value.text[length - 1] == '"') {
            option->value = (LySlice){option->value.text + 1, length - 2};
        }
        if (!comma && !ly_scanner_at_line_end(scanner)) {
            break;
        }
    }
    ly_scanner_next_line(scanner);
    return LYRA_OK;
}

const LySlice *ly_inp_option(const LyInpKeyword *keyword, const char *name)
{
    for (int32_t i = 0; i < keyword->option_count; ++i) {
        if (ly_slice_is_word(keyword->options[i].name, name)) {
            return &keyword->options[i].value;
        }
    }
    return NULL;
}

LyraStatus ly_inp_require(const LyInpReader *reader, const LyInpKeyword *keyword, const char *name,
                          LySlice *value)
{
    const LySlice *found = ly_inp_option(keyword, name);
    if (!found || found->length == 0 || memchr(found->text, '\0', found->length)) {
        return ly_scanner_complain(&reader->import->scanner, keyword->at, LYRA_BAD_FORMAT,
                                   "found no %s=..., expected one", name);
    }
    *value = *found;
    return LYRA_OK;
}

// ---- nodes and elements -------------------------------------------------------------------------

static LyraStatus read_nodes(LyInpReader *reader, const LyInpKeyword *keyword)
{
    LyImport *import = reader->import;
    const LySlice *set_name = ly_inp_option(keyword, "NSET");
    int64_t first = import->builder.vertex_count;
    LyScanner *scanner = &import->scanner;
    while (ly_inp_next_data(scanner)) {
        double *x;
        int32_t *number;
        LY_TRY(ly_import_vertices(import, 1, &x, &number));
        LY_TRY(ly_scanner_int32(scanner, number, "the number of a node"));
        for (int32_t i = 0; i < 3; ++i) {
            // coordinates at the end may be left out
            x[i] = 0;
            if (!ly_scanner_at_line_end(scanner)) {
                LY_TRY(ly_scanner_double(scanner, &x[i], "a coordinate"));
            }
        }
        ly_scanner_next_line(scanner);
    }
    return set_name ? ly_inp_add_members(reader, &reader->node_sets, *set_name, first,
                                         import->builder.vertex_count)
                    : LYRA_OK;
}

/// Shape by the name of the type: letters behind, as of C3D8R or S4RS, change nothing here.
static LyCellType cell_type(LySlice name)
{
    static const struct {
        const char *word;
        LyCellType type;
    } types[] = {
        {"C3D4", {LY_CELL_TET, 4}},        {"C3D5", {LY_CELL_PYRAMID, 5}},
        {"C3D6", {LY_CELL_PRISM, 6}},      {"C3D8", {LY_CELL_HEX, 8}},
        {"C3D10", {LY_CELL_TET10, 10}},    {"C3D13", {LY_CELL_PYRAMID, 13}},
        {"C3D15", {LY_CELL_PRISM, 15}},    {"C3D20", {LY_CELL_HEX, 20}},
        {"C3D27", {LY_CELL_HEX, 27}},      {"S3", {LY_CELL_TRIANGLE, 3}},
        {"S4", {LY_CELL_QUAD, 4}},         {"S6", {LY_CELL_TRIANGLE, 6}},
        {"S8", {LY_CELL_QUAD, 8}},         {"S9", {LY_CELL_QUAD, 9}},
        {"STRI3", {LY_CELL_TRIANGLE, 3}},  {"STRI65", {LY_CELL_TRIANGLE, 6}},
        {"M3D3", {LY_CELL_TRIANGLE, 3}},   {"M3D4", {LY_CELL_QUAD, 4}},
        {"M3D6", {LY_CELL_TRIANGLE, 6}},   {"M3D8", {LY_CELL_QUAD, 8}},
        {"R3D3", {LY_CELL_TRIANGLE, 3}},   {"R3D4", {LY_CELL_QUAD, 4}},
        {"CPS3", {LY_CELL_TRIANGLE, 3}},   {"CPS4", {LY_CELL_QUAD, 4}},
        {"CPS6", {LY_CELL_TRIANGLE, 6}},   {"CPS8", {LY_CELL_QUAD, 8}},
        {"CPE3", {LY_CELL_TRIANGLE, 3}},   {"CPE4", {LY_CELL_QUAD, 4}},
        {"CPE6", {LY_CELL_TRIANGLE, 6}},   {"CPE8", {LY_CELL_QUAD, 8}},
        {"SFM3D3", {LY_CELL_TRIANGLE, 3}}, {"SFM3D4", {LY_CELL_QUAD, 4}},
        {"SFM3D6", {LY_CELL_TRIANGLE, 6}}, {"SFM3D8", {LY_CELL_QUAD, 8}},
        {"M3D9", {LY_CELL_QUAD, 9}},
    };
    for (int32_t i = 0; i < LY_COUNT_OF(types); ++i) {
        size_t length = strlen(types[i].word);
        if (name.length >= length &&
            ly_slice_is_word((LySlice){name.text, length}, types[i].word) &&
            (name.length == length || (name.text[length] < '0' || name.text[length] > '9'))) {
            return types[i].type;
        }
    }
    return (LyCellType){LY_CELL_NONE, 0};
}

/// Reads the next number of a row that goes on behind a comma.
static LyraStatus row_number(LyScanner *scanner, int32_t *value, const char *what)
{
    if (ly_scanner_at_line_end(scanner) && !ly_inp_next_data(scanner)) {
        return ly_scanner_fail(scanner, LYRA_BAD_FORMAT, "%s", what);
    }
    return ly_scanner_int32(scanner, value, what);
}

static LyraStatus read_elements(LyInpReader *reader, const LyInpKeyword *keyword)
{
    LyImport *import = reader->import;
    LyScanner *scanner = &import->scanner;
    LySlice type_name = {0};
    LY_TRY(ly_inp_require(reader, keyword, "TYPE", &type_name));
    const LySlice *set_name = ly_inp_option(keyword, "ELSET");
    LyCellType type = cell_type(type_name);
    if (type.shape == LY_CELL_NONE) {
        while (ly_inp_next_data(scanner)) {
            ly_scanner_next_line(scanner);
            import->passed += 1;
        }
        return LYRA_OK;
    }
    int32_t corner_count = ly_cell_nodes(type.shape);
    int64_t first = import->cell_count;
    import->quadratic[ly_cell_is_solid(type.shape)] |= type.nodes > corner_count;
    while (ly_inp_next_data(scanner)) {
        int32_t number, dropped, *corners;
        LY_TRY(ly_scanner_int32(scanner, &number, "the number of an element"));
        LY_TRY(ly_import_cells(import, type.shape, number, 1, &corners));
        for (int32_t a = 0; a < type.nodes; ++a) {
            LY_TRY(row_number(scanner, a < corner_count ? &corners[a] : &dropped,
                              "the number of a node"));
        }
        if (!ly_scanner_at_line_end(scanner)) {
            return ly_scanner_fail(scanner, LYRA_BAD_FORMAT,
                                   "the end of element %d, whose type has %d nodes", number,
                                   type.nodes);
        }
        ly_scanner_next_line(scanner);
    }
    return set_name ? ly_inp_add_members(reader, &reader->element_sets, *set_name, first,
                                         import->cell_count)
                    : LYRA_OK;
}

// ---- the file -----------------------------------------------------------------------------------

static LyraStatus skip_data(LyInpReader *reader)
{
    while (ly_inp_next_data(&reader->import->scanner)) {
        ly_scanner_next_line(&reader->import->scanner);
    }
    return LYRA_OK;
}

static LyraStatus read_section(LyInpReader *reader, const LyInpKeyword *keyword)
{
    if (ly_slice_is_word(keyword->name, "NODE")) {
        return read_nodes(reader, keyword);
    }
    if (ly_slice_is_word(keyword->name, "ELEMENT")) {
        return read_elements(reader, keyword);
    }
    if (ly_slice_is_word(keyword->name, "ELSET")) {
        return ly_inp_read_set(reader, keyword, &reader->element_sets);
    }
    if (ly_slice_is_word(keyword->name, "NSET")) {
        return ly_inp_read_set(reader, keyword, &reader->node_sets);
    }
    if (ly_slice_is_word(keyword->name, "SURFACE")) {
        return ly_inp_read_surface(reader, keyword);
    }
    if (ly_slice_is_word(keyword->name, "INCLUDE")) {
        return ly_scanner_complain(&reader->import->scanner, keyword->at, LYRA_UNSUPPORTED,
                                   "found *INCLUDE, expected a file that holds all of the mesh");
    }
    bool known;
    LY_TRY(ly_inp_read_material(reader, keyword, &known));
    return known ? LYRA_OK : skip_data(reader);
}

LyraStatus ly_inp_read(LyImport *import)
{
    LyInpReader reader = {.import = import,
                          .element_sets = {.option = "ELSET",
                                           .all = "EALL",
                                           .what = "elements",
                                           .number = "the number of an element"},
                          .node_sets = {.option = "NSET",
                                        .all = "NALL",
                                        .what = "nodes",
                                        .number = "the number of a node"},
                          .material = -1};
    LyraStatus status = LYRA_OK;
    LyScanner *scanner = &import->scanner;
    scanner->commas = true;
    if (!ly_inp_next_line(scanner) || *scanner->at != '*') {
        return ly_scanner_fail(scanner, LYRA_BAD_FORMAT, "a line such as *NODE");
    }
    while (ly_inp_next_line(scanner)) {
        LyInpKeyword keyword;
        LY_TRY_DONE(read_keyword(scanner, &keyword));
        // steps hold loads and outputs
        if (ly_slice_is_word(keyword.name, "STEP")) {
            break;
        }
        LY_TRY_DONE(read_section(&reader, &keyword));
    }
    status = ly_inp_finish_groups(&reader);
done:
    ly_inp_release_groups(&reader);
    return status;
}
