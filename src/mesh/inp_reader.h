// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// The parts of the reader of .inp.

#ifndef LY_MESH_INP_READER_H
#define LY_MESH_INP_READER_H

#include "mesh/import.h"

#define LY_INP_OPTIONS_MAX 24

typedef struct LyInpOption {
    LySlice name, value;
} LyInpOption;

typedef struct LyInpKeyword {
    const char *at; ///< Its star, for messages.
    LySlice name;
    int32_t option_count;
    LyInpOption options[LY_INP_OPTIONS_MAX];
} LyInpKeyword;

/// A piece of a set.
typedef struct LyInpPiece {
    int32_t set;               // that it belongs to
    int32_t first, last, step; // numbers; or, with step 0, members from first on to in front of
                               // last; or, with step -1, set `first`, named at byte `last`; with
                               // -2, nodes of that set of elements
} LyInpPiece;

/// Names that are found in upper and lower case alike.
typedef struct LyInpNames {
    LyNames upper;   // what is looked for
    LyNames written; // as the file first has them, by the same ids
} LyInpNames;

/// Sets of elements or of nodes.
typedef struct LyInpSets {
    const char *option; ///< What names them: ELSET or NSET.
    const char *all;    ///< The set of all, in upper case, which is not kept.
    const char *what;   ///< Their members, for messages.
    const char *number; ///< The number of one, for messages.
    LyInpNames names;
    LyInpPiece *pieces;
    int64_t piece_count, piece_capacity;
} LyInpSets;

/// A line of a surface of elements.
typedef struct LyInpSurfaceItem {
    const char *at; ///< For messages.
    LySlice word;   ///< The number of an element or the name of a set.
    int32_t surface, face;
} LyInpSurfaceItem;

typedef struct LyInpMaterial {
    LyraMeshMaterial data;
    bool defined, has_law, has_density, has_axes;
} LyInpMaterial;

/// Gives a material to a set, in axes (-1: those of the world).
typedef struct LyInpSection {
    const char *at;
    int32_t set, material, axes;
} LyInpSection;

typedef struct LyInpReader {
    LyImport *import;
    LyInpSets element_sets, node_sets;
    LyInpNames surfaces, material_names, axes_names;
    LyInpSurfaceItem *items;  // of surfaces
    LyInpMaterial *materials; // by id of their names
    LyInpSection *sections;
    double (*axes)[9]; // by id of their names; the first number is NaN until they are known
    int64_t item_count, section_count;
    int64_t item_capacity, material_capacity, section_capacity, axes_capacity;
    // at the end
    int32_t *element_map;   // index of each set of elements, LYRA_MESH_ALL_ELEMENTS for that of all
    uint64_t *cell_numbers; // numbers of the elements less INT32_MIN, ascending
    int32_t *cells_by_number; // which have them
    int64_t *corner_begins;   // first corner of each cell
    int32_t material;         // that the data that follow belong to; -1 before the first
} LyInpReader;

/// Goes to the next line that is neither empty nor a comment; false at the end.
bool ly_inp_next_line(LyScanner *scanner);

/// Goes to the next line of data; false in front of a keyword or the end.
bool ly_inp_next_data(LyScanner *scanner);

/// Value of an option, NULL if the keyword has none of that name.
const LySlice *ly_inp_option(const LyInpKeyword *keyword, const char *name);

/// Value of an option that must be there.
LyraStatus ly_inp_require(const LyInpReader *reader, const LyInpKeyword *keyword, const char *name,
                          LySlice *value);

/// Puts cells or nodes `first` to in front of `last`, in the order of the file, into a set.
LyraStatus ly_inp_add_members(LyInpReader *reader, LyInpSets *sets, LySlice name, int64_t first,
                              int64_t last);

/// Adds a number or the name of another set to a set.
LyraStatus ly_inp_add_word(LyInpReader *reader, LyInpSets *sets, int32_t set, LySlice word);

/// Reads the data of *ELSET or *NSET.
LyraStatus ly_inp_read_set(LyInpReader *reader, const LyInpKeyword *keyword, LyInpSets *sets);

/// Reads the data of *SURFACE.
LyraStatus ly_inp_read_surface(LyInpReader *reader, const LyInpKeyword *keyword);

/// A set by its name, which must be known; `at` for messages.
LyraStatus ly_inp_find_set(const LyInpReader *reader, const LyInpSets *sets, const char *at,
                           LySlice name, int32_t *set);

#define LY_INP_NAME_MAX 256

/// Writes a name in upper case, without a zero behind; false if it is too long.
bool ly_inp_upper(LySlice name, char upper[LY_INP_NAME_MAX], size_t *length);

/// What stands behind the point of <instance>.<name>.
LySlice ly_inp_without_instance(LySlice name);

/// Whether a word starts as a number; and the number that it is.
bool ly_inp_is_number(LySlice text);
LyraStatus ly_inp_number(const LyScanner *scanner, LySlice text, const char *what, int32_t *number);

/// Reads a material, a part of one or a section; whether the keyword is one of those.
LyraStatus ly_inp_read_material(LyInpReader *reader, const LyInpKeyword *keyword, bool *known);

/// Id of a name, which is added if it is new.
LyraStatus ly_inp_name(LyraContext *ctx, LyInpNames *names, LySlice name, int32_t *id);

/// Makes the sets of elements; then those of nodes; then those of faces.
LyraStatus ly_inp_finish_sets(LyInpReader *reader);
LyraStatus ly_inp_finish_node_sets(LyInpReader *reader);
LyraStatus ly_inp_finish_surfaces(LyInpReader *reader);

/// Once they are made: the cells of a set of elements are those at places `*begin` to in front of
/// `*end`; and the cell with a number, -1 for none.
void ly_inp_cells(const LyInpReader *reader, int32_t set, int64_t *begin, int64_t *end);
int32_t ly_inp_cell(const LyInpReader *reader, int32_t set, int64_t place);
int32_t ly_inp_find_cell(const LyInpReader *reader, int32_t number);

/// Makes sets, materials and regions of what was read.
LyraStatus ly_inp_finish_groups(LyInpReader *reader);

void ly_inp_release_groups(LyInpReader *reader);

#endif
