// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Lists of vertices, `.bou`: whole numbers with commas or blanks between, over any number of lines.

#include "mesh/mesh.h"
#include "mesh/sort.h"
#include "mesh/stream.h"

#include "base/file.h"

typedef struct List {
    int32_t *ids;
    int64_t count, capacity;
} List;

static LyraStatus read_line(LyraContext *ctx, LyScanner *scanner, int32_t first,
                            int32_t vertex_count, List *list)
{
    while (!ly_scanner_at_line_end(scanner)) {
        int64_t number = 0;
        LY_TRY(ly_scanner_int64_in(scanner, first, (int64_t)first + vertex_count - 1, &number,
                                   "a vertex"));
        if (list->count == list->capacity) {
            int64_t capacity = ly_max_i64(64, 2 * list->capacity);
            LY_TRY(ly_resize_array(ctx, capacity, sizeof *list->ids, &list->ids));
            list->capacity = capacity;
        }
        list->ids[list->count++] = (int32_t)(number - first);
    }
    return ly_scanner_end_line(scanner);
}

static LyraStatus load(LyraContext *ctx, const LyFileSource *source, const char *path,
                       int32_t first, int32_t vertex_count, int32_t *count, int32_t **out)
{
    LyStream stream = {0};
    List list = {0};
    LyraStatus status = LYRA_OK;
    LY_TRY_DONE(ly_stream_open(&stream, ctx, source, path, false));
    for (;;) {
        while (ly_scanner_next_content(&stream.scanner)) {
            LY_TRY_DONE(read_line(ctx, &stream.scanner, first, vertex_count, &list));
        }
        if (stream.ended) {
            break;
        }
        LY_TRY_DONE(ly_stream_refill(&stream));
    }
    LY_TRY_DONE(ly_sort_unique(ctx, &list.count, list.ids));
    // no more than there are vertices, so it fits; and an empty list is a list too
    LY_TRY_DONE(ly_resize_array(ctx, list.count, sizeof *list.ids, &list.ids));
    *count = (int32_t)list.count;
    *out = list.ids;
    list.ids = NULL;
done:
    ly_release(ctx, list.ids);
    ly_stream_close(&stream);
    return status;
}

LyraStatus lyra_vertex_list_load(LyraContext *ctx, const char *path, int32_t first,
                                 int32_t vertex_count, int32_t *count, int32_t **out)
{
    LYRA_ASSERT(ctx && path && count && out && vertex_count >= 0);
    return load(ctx, &(LyFileSource){0}, path, first, vertex_count, count, out);
}

LyraStatus lyra_vertex_list_load_memory(LyraContext *ctx, const LyraMemoryFile *file, int32_t first,
                                        int32_t vertex_count, int32_t *count, int32_t **out)
{
    LYRA_ASSERT(ctx && file && count && out && vertex_count >= 0);
    const LyFileSource source = {.files = file, .count = 1};
    return load(ctx, &source, file->path, first, vertex_count, count, out);
}

LyraStatus lyra_vertex_list_save(LyraContext *ctx, const char *path, int32_t first, int32_t count,
                                 const int32_t *list)
{
    LYRA_ASSERT(ctx && path && count >= 0);
    const int32_t ids_per_line = 8;
    LyWriter *writer = NULL;
    LY_TRY(ly_writer_create(ctx, path, &writer));
    for (int32_t i = 0; i < count; ++i) {
        ly_writer_int(writer, (int64_t)list[i] + first);
        bool last = i + 1 == count;
        bool line_full = i % ids_per_line == ids_per_line - 1;
        ly_writer_string(writer, last ? "\n" : line_full ? ",\n" : ",");
    }
    return ly_writer_commit(writer);
}

void lyra_vertex_list_destroy(LyraContext *ctx, int32_t *list)
{
    ly_release(ctx, list);
}
