// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Rows from entries in any order: two stable counting sorts, by column and by row, bring them in
// order in linear time; equal neighbours are then one entry. On it rest the patterns made from
// rows, and the other storage and the transpose of a pattern.

#include "sparse/entries.h"

#include "sparse/sparse.h"

// stable order of `count` entries by `key` in [0, key_count); `from` is the order before, or NULL
static void sort_by_key(int64_t count, int32_t key_count, const int32_t *key, const int64_t *from,
                        int64_t *start, int64_t *to)
{
    memset(start, 0, ((size_t)key_count + 1) * sizeof *start);
    for (int64_t e = 0; e < count; ++e) {
        ++start[key[e] + 1];
    }
    for (int32_t k = 0; k < key_count; ++k) {
        start[k + 1] += start[k];
    }
    for (int64_t e = 0; e < count; ++e) {
        int64_t entry = from ? from[e] : e;
        to[start[key[entry]]++] = entry;
    }
}

LyraStatus ly_entries_sort(LyraContext *ctx, const LyraCsrEntries *entries, int64_t **row_start_out,
                           int32_t **column_out, int64_t *place)
{
    const int32_t row_count = entries->row_count, column_count = entries->column_count;
    const int32_t *row = entries->row, *column = entries->column;
    const int64_t count = entries->count;
    LyraStatus status = LYRA_OK;
    int64_t *start = NULL, *by_column = NULL, *order = NULL, *row_start = NULL;
    int32_t *columns = NULL;
    int64_t keys = ly_max_i64(row_count, column_count);
    LY_TRY_DONE(ly_allocate_array(ctx, keys + 1, sizeof(int64_t), &start));
    LY_TRY_DONE(ly_allocate_array(ctx, count, sizeof(int64_t), &by_column));
    LY_TRY_DONE(ly_allocate_array(ctx, count, sizeof(int64_t), &order));
    LY_TRY_DONE(ly_allocate_zeroed(ctx, (int64_t)row_count + 1, sizeof(int64_t), &row_start));
    sort_by_key(count, column_count, column, NULL, start, by_column);
    sort_by_key(count, row_count, row, by_column, start, order);

    // count distinct entries, then write them
    int64_t distinct = 0;
    for (int64_t e = 0; e < count; ++e) {
        bool same =
            e > 0 && row[order[e]] == row[order[e - 1]] && column[order[e]] == column[order[e - 1]];
        distinct += !same;
        row_start[row[order[e]] + 1] = distinct;
        if (place) {
            place[order[e]] = distinct - 1;
        }
    }
    for (int32_t i = 0; i < row_count; ++i) {
        row_start[i + 1] = ly_max_i64(row_start[i + 1], row_start[i]);
    }
    LY_TRY_DONE(ly_allocate_array(ctx, distinct, sizeof(int32_t), &columns));
    int64_t next = -1;
    for (int64_t e = 0; e < count; ++e) {
        bool same =
            e > 0 && row[order[e]] == row[order[e - 1]] && column[order[e]] == column[order[e - 1]];
        next += !same;
        columns[next] = column[order[e]];
    }
    *row_start_out = row_start;
    *column_out = columns;
    row_start = NULL;
    columns = NULL;
done:
    ly_release(ctx, start);
    ly_release(ctx, by_column);
    ly_release(ctx, order);
    ly_release(ctx, row_start);
    ly_release(ctx, columns);
    return status;
}

static LyraStatus check_rows(const LyRows *rows)
{
    if (rows->row_count < 0 || rows->column_count < 0) {
        return ly_fail(LYRA_INVALID_ARGUMENT, "pattern: %d rows and %d columns",
                       (int)rows->row_count, (int)rows->column_count);
    }
    if (rows->row_start[0] != 0) {
        return ly_fail(LYRA_INVALID_ARGUMENT, "pattern: rows start at %lld, expected 0",
                       (long long)rows->row_start[0]);
    }
    for (int32_t i = 0; i < rows->row_count; ++i) {
        if (rows->row_start[i + 1] < rows->row_start[i]) {
            return ly_fail(LYRA_INVALID_ARGUMENT, "pattern: row %d ends before it starts", (int)i);
        }
        for (int64_t k = rows->row_start[i]; k < rows->row_start[i + 1]; ++k) {
            if ((uint32_t)rows->column[k] >= (uint32_t)rows->column_count) {
                return ly_fail(LYRA_INVALID_ARGUMENT,
                               "pattern: row %d names column %d, expected 0 to %d", (int)i,
                               (int)rows->column[k], (int)rows->column_count - 1);
            }
        }
    }
    return LYRA_OK;
}

LyraStatus ly_rows_rebuild(LyraContext *ctx, const LyRows *rows, LyRowsChange change,
                           int64_t **row_start_out, int32_t **column_out)
{
    LY_TRY(check_rows(rows));
    LyraStatus status = LYRA_OK;
    int64_t given = rows->row_start[rows->row_count], count = 0;
    int32_t *row = NULL, *column = NULL;
    int64_t room = given * (change.mirror ? 2 : 1) + (change.diagonal ? rows->row_count : 0);
    LY_TRY_DONE(ly_allocate_array(ctx, room, sizeof(int32_t), &row));
    LY_TRY_DONE(ly_allocate_array(ctx, room, sizeof(int32_t), &column));
    for (int32_t i = 0; i < rows->row_count; ++i) {
        for (int64_t k = rows->row_start[i]; k < rows->row_start[i + 1]; ++k) {
            int32_t j = rows->column[k];
            bool flip = change.transpose || (change.upper && i > j);
            row[count] = flip ? j : i;
            column[count++] = flip ? i : j;
            if (change.mirror && i != j) {
                row[count] = j;
                column[count++] = i;
            }
        }
    }
    for (int32_t i = 0; change.diagonal && i < rows->row_count; ++i) {
        row[count] = i;
        column[count++] = i;
    }
    status = ly_entries_sort(
        ctx,
        &(LyraCsrEntries){.row_count = change.transpose ? rows->column_count : rows->row_count,
                          .column_count = change.transpose ? rows->row_count : rows->column_count,
                          .count = count,
                          .row = row,
                          .column = column},
        row_start_out, column_out, NULL);
done:
    ly_release(ctx, row);
    ly_release(ctx, column);
    return status;
}

// ---- block patterns made from rows --------------------------------------------------------------

static LyraStatus block_from_rows(LyraContext *ctx, const LyRows *rows, LyraStorage storage,
                                  bool mirror, LyraBlockPattern **out)
{
    int64_t *row_start = NULL;
    int32_t *column = NULL;
    LyRowsChange change = {
        .upper = storage == LYRA_STORAGE_UPPER, .mirror = mirror, .diagonal = true};
    LY_TRY(ly_rows_rebuild(ctx, rows, change, &row_start, &column));
    return ly_block_pattern_take(ctx, rows->row_count, storage, row_start, column, out);
}

LyraStatus lyra_block_pattern_create_rows(LyraContext *ctx, int32_t row_count, LyraStorage storage,
                                          const int64_t *row_start, const int32_t *column,
                                          LyraBlockPattern **out)
{
    LYRA_ASSERT(ctx && row_start && out);
    if ((uint32_t)storage >= LYRA_STORAGE_COUNT) {
        return ly_fail(LYRA_INVALID_ARGUMENT, "block pattern: storage %d is unknown", (int)storage);
    }
    LyRows rows = {row_count, row_count, row_start, column};
    return block_from_rows(ctx, &rows, storage, false, out);
}

LyraStatus lyra_block_pattern_convert(const LyraBlockPattern *pattern, LyraStorage storage,
                                      LyraBlockPattern **out)
{
    LYRA_ASSERT(pattern && out);
    if ((uint32_t)storage >= LYRA_STORAGE_COUNT) {
        return ly_fail(LYRA_INVALID_ARGUMENT, "block pattern: storage %d is unknown", (int)storage);
    }
    LyRows rows = {pattern->row_count, pattern->row_count, pattern->row_start, pattern->column};
    bool mirror = pattern->storage == LYRA_STORAGE_UPPER && storage == LYRA_STORAGE_FULL;
    return block_from_rows(pattern->ctx, &rows, storage, mirror, out);
}
