// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Collecting: vertices, cells, tags and sets, as readers find them.

#include "mesh/import.h"

#include <string.h>

// ---- growing ------------------------------------------------------------------------------------

static LyraStatus fail_large(const LyImport *import, const char *what)
{
    return ly_fail(LYRA_TOO_LARGE, "%s: found more than %d %s", import->path, INT32_MAX - 1, what);
}

LyraStatus ly_import_vertices(LyImport *import, int64_t count, double **positions, int32_t **ids)
{
    LyMeshBuilder *builder = &import->builder;
    int64_t total = builder->vertex_count + count;
    if (total >= INT32_MAX) {
        return fail_large(import, "vertices");
    }
    int64_t capacity = builder->vertex_capacity;
    // one at least, so that even nothing has a place
    LY_TRY(ly_grow_array(import->ctx, ly_max_i64(total, 1), 3 * sizeof *builder->positions,
                         &builder->vertex_capacity, &builder->positions));
    if (ids && (builder->vertex_capacity > capacity || !import->vertex_ids)) {
        LY_TRY(ly_resize_array(import->ctx, builder->vertex_capacity, sizeof *import->vertex_ids,
                               &import->vertex_ids));
    }
    *positions = builder->positions + 3 * builder->vertex_count;
    if (ids) {
        *ids = import->vertex_ids + builder->vertex_count;
    }
    builder->vertex_count = total;
    return LYRA_OK;
}

/// Room for cells and their corners.
static LyraStatus add_cells(LyImport *import, LyCellShape shape, int32_t tag, int64_t count,
                            int64_t corner_count, int32_t **corners)
{
    int64_t total = import->cell_count + count;
    if (total >= INT32_MAX) {
        return fail_large(import, "cells");
    }
    int64_t capacity = import->cell_capacity;
    LY_TRY(ly_grow_array(import->ctx, ly_max_i64(total, 1), sizeof *import->shapes,
                         &import->cell_capacity, &import->shapes));
    if (import->cell_capacity > capacity) {
        LY_TRY(ly_resize_array(import->ctx, import->cell_capacity, sizeof *import->tags,
                               &import->tags));
    }
    LY_TRY(ly_grow_array(import->ctx, ly_max_i64(import->corner_count + corner_count, 1),
                         sizeof *import->corners, &import->corner_capacity, &import->corners));
    memset(import->shapes + import->cell_count, (int)shape, (size_t)count);
    for (int64_t c = import->cell_count; c < total; ++c) {
        import->tags[c] = tag;
    }
    *corners = import->corners + import->corner_count;
    import->cell_count = total;
    import->corner_count += corner_count;
    return LYRA_OK;
}

LyraStatus ly_import_cells(LyImport *import, LyCellShape shape, int32_t tag, int64_t count,
                           int32_t **corners)
{
    return add_cells(import, shape, tag, count, ly_cell_nodes(shape) * count, corners);
}

LyraStatus ly_import_polygon(LyImport *import, int32_t tag, int32_t count, int32_t **corners)
{
    if (count <= 4) {
        return ly_import_cells(import, count == 3 ? LY_CELL_TRIANGLE : LY_CELL_QUAD, tag, 1,
                               corners);
    }
    LY_TRY(add_cells(import, LY_CELL_POLYGON, tag, 1, (int64_t)count + 1, corners));
    (*corners)[0] = count;
    *corners += 1;
    return LYRA_OK;
}

LyraStatus ly_import_face(LyImport *import, const LyImportFace *face, int32_t *id)
{
    if (import->face_count >= INT32_MAX) {
        return fail_large(import, "faces of sets");
    }
    *id = (int32_t)import->face_count;
    LY_TRY(ly_grow_array(import->ctx, import->face_count + 1, sizeof *import->faces,
                         &import->face_capacity, &import->faces));
    import->faces[import->face_count++] = *face;
    return LYRA_OK;
}

LyraStatus ly_import_face_member(LyImport *import, int32_t id)
{
    return ly_set_list_add_ids(import->ctx, &import->face_sets, &id, 1);
}

// ---- the file -----------------------------------------------------------------------------------

LyraStatus ly_import_read(LyImport *import, LyraContext *ctx, const LyFileSource *source,
                          const char *path, LyImportRead *read)
{
    *import = (LyImport){
        .ctx = ctx, .path = path, .source = source, .builder = {.ctx = ctx}, .vertex_first = 1};
    LyStream stream = {0};
    LyraStatus status = LYRA_OK;
    LY_TRY_DONE(ly_stream_open(&stream, ctx, source, path, false));
    LY_TRY_DONE(ly_stream_read_all(&stream));
    import->scanner = stream.scanner;
    import->scanner.comment = '\0';
    import->scanner.commas = false;
    LY_TRY_DONE(read(import));
    LY_TRY_DONE(ly_import_tags_to_sets(import));
    if (import->repeats) {
        status = ly_import_join_repeats(import);
    }
done:
    // the text goes before the rest of the mesh comes
    import->scanner = (LyScanner){0};
    ly_stream_close(&stream);
    if (status != LYRA_OK) {
        ly_import_finish(import);
    }
    return status;
}

bool ly_import_has_solids(const LyImport *import)
{
    for (int64_t c = 0; c < import->cell_count; ++c) {
        if (ly_cell_is_solid(import->shapes[c])) {
            return true;
        }
    }
    return false;
}

void ly_import_finish(LyImport *import)
{
    if (!import->ctx) {
        return;
    }
    ly_mesh_builder_finish(&import->builder);
    ly_release(import->ctx, import->vertex_ids);
    ly_release(import->ctx, import->shapes);
    ly_release(import->ctx, import->tags);
    ly_release(import->ctx, import->corners);
    ly_release(import->ctx, import->tag_sets);
    ly_release(import->ctx, import->faces);
    ly_set_list_release(import->ctx, &import->face_sets);
    import->tag_names.ctx = import->ctx;
    ly_names_release(&import->tag_names);
    *import = (LyImport){0};
}
