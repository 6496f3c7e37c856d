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

/// A piece of a set: cells, or another set.
typedef struct LyInpPiece {
    int32_t set;               // that it belongs to
    int32_t first, last, step; // numbers of elements; or, with step 0, ids of cells from first on
                               // to in front of last; or, with step -1, set `first`
} LyInpPiece;

/// Names that are found in upper and lower case alike.
typedef struct LyInpNames {
    LyNames upper;   // what is looked for
    LyNames written; // as the file first has them, by the same ids
} LyInpNames;

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
    LyInpNames sets, material_names, axes_names;
    LyInpPiece *pieces;
    LyInpMaterial *materials; // by id of their names
    LyInpSection *sections;
    double (*axes)[9]; // by id of their names; the first number is NaN until they are known
    int64_t piece_count, section_count;
    int64_t piece_capacity, material_capacity, section_capacity, axes_capacity;
    int32_t material; // that the data that follow belong to; -1 before the first
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

/// Puts cells `first` to in front of `last` into a set.
LyraStatus ly_inp_add_cells(LyInpReader *reader, LySlice set, int64_t first, int64_t last);

/// Reads the data of *ELSET.
LyraStatus ly_inp_read_set(LyInpReader *reader, const LyInpKeyword *keyword);

/// Reads a material, a part of one or a section; whether the keyword is one of those.
LyraStatus ly_inp_read_material(LyInpReader *reader, const LyInpKeyword *keyword, bool *known);

/// Id of a name, which is added if it is new.
LyraStatus ly_inp_name(LyraContext *ctx, LyInpNames *names, LySlice name, int32_t *id);

/// Makes the sets; `map`: index of each in the mesh, LYRA_MESH_ALL_ELEMENTS for that of all
/// elements.
LyraStatus ly_inp_finish_sets(LyInpReader *reader, int32_t *map);

/// Makes sets, materials and regions of what was read.
LyraStatus ly_inp_finish_groups(LyInpReader *reader);

void ly_inp_release_groups(LyInpReader *reader);

#endif
