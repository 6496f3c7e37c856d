// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Sorted rows from entries in any order.

#ifndef LY_SPARSE_ENTRIES_H
#define LY_SPARSE_ENTRIES_H

#include "base/base.h"
#include "lyra/csr.h"

/// Sorts entries, all in range, as they are given, whatever their storage, and merges equal ones.
/// Writes new arrays [row_count + 1] and [number of distinct entries], and to `place` [count]
/// (nullable) where each entry went.
LyraStatus ly_entries_sort(LyraContext *ctx, const LyraCsrEntries *entries, int64_t **row_start_out,
                           int32_t **column_out, int64_t *place);

/// Rows as lists of columns.
typedef struct LyRows {
    int32_t row_count, column_count;
    const int64_t *row_start;
    const int32_t *column;
} LyRows;

/// What to do with each entry (i, j).
typedef struct LyRowsChange {
    bool transpose; // take (j, i)
    bool upper;     // take (j, i) if i > j
    bool mirror;    // take (j, i) as well
    bool diagonal;  // add all (i, i)
} LyRowsChange;

/// Checks rows, changes their entries, and gives them sorted without repetition.
LyraStatus ly_rows_rebuild(LyraContext *ctx, const LyRows *rows, LyRowsChange change,
                           int64_t **row_start_out, int32_t **column_out);

#endif
