// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// The long tables of text meshes: numbered rows of coordinates and of vertex ids.

#ifndef LY_MESH_ROWS_H
#define LY_MESH_ROWS_H

#include "base/file.h"
#include "mesh/stream.h"

/// Rows of one table.
typedef struct LyRowTable {
    const char *what;   ///< "vertex" or "element", in messages.
    int64_t count;      ///< Rows in the whole table.
    int64_t row;        ///< Next row, from 0.
    int32_t first;      ///< Number of row 0 in the file: 0 or 1; -1 until it is known.
    bool extra_columns; ///< Further numbers on a row are skipped; otherwise they are errors.
    int32_t vertex_first, vertex_count; ///< Ids that rows of elements may name, as in the file.
} LyRowTable;

/// Reads rows `i x y z` of table->row and following into positions[row] [3], as far as the lines at
/// hand, a line that starts with '*', or row `limit` goes.
LyraStatus ly_rows_read_positions(LyScanner *scanner, LyRowTable *table, int64_t limit,
                                  double *positions);

/// Reads rows `i v1 ... v<nodes>` into elements[row] [nodes], ids from 0, in the same way. If
/// `attributes` is not null, the number behind the ids goes there.
LyraStatus ly_rows_read_elements(LyScanner *scanner, LyRowTable *table, int64_t limit,
                                 int32_t nodes, int32_t *elements, double *attributes);

/// Writes `positions` [count][3] as rows numbered from 1.
void ly_rows_write_positions(LyWriter *writer, int64_t count, const double *positions);

#endif
