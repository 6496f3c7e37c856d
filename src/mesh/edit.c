// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Operations that only renumber: submesh, orphans, random order. The common end of all edits is
// here too; edit_sets.c carries the sets along.

#include "mesh/edit.h"

#include "lyra/mesh_ops.h"
#include "mesh/sort.h"

#include <string.h>

// ---- the common end -----------------------------------------------------------------------------

LyraStatus ly_mesh_edit_finish(const LyMeshEdit *edit, LyraMesh **out)
{
    const LyraMesh *mesh = edit->mesh;
    LyraContext *ctx = mesh->ctx;
    LyraMeshView view = {
        .kind = mesh->kind,
        .vertex_count = edit->vertex_count,
        .element_count = edit->element_count,
        .material_count = mesh->material_count,
        .region_count = mesh->region_count,
        .materials = edit->materials ? edit->materials : mesh->materials,
        .regions = mesh->regions,
    };
    LyraStatus status = ly_carry_sets(edit, &view);
    if (status == LYRA_OK) {
        status = ly_mesh_create_take(ctx, &view, edit->positions, edit->elements, out);
    }
    ly_carried_sets_release(ctx, &view);
    if (status != LYRA_OK) {
        ly_release(ctx, edit->positions);
        ly_release(ctx, edit->elements);
    }
    return status;
}

LyraStatus ly_mesh_edit_renumber(const LyraMesh *mesh, int32_t vertex_count,
                                 const int32_t *vertex_map, int32_t count, const int32_t *list,
                                 const int32_t *element_map, LyraMesh **out)
{
    int64_t nodes = lyra_element_kind_nodes(mesh->kind);
    double *positions = NULL;
    int32_t *elements = NULL;
    LY_TRY(ly_allocate_array(mesh->ctx, 3 * (int64_t)vertex_count, sizeof *positions, &positions));
    LyraStatus status = ly_allocate_array(mesh->ctx, nodes * count, sizeof *elements, &elements);
    if (status != LYRA_OK) {
        ly_release(mesh->ctx, positions);
        return status;
    }
    // from the back, so that the first of several has the last word
    for (int64_t v = mesh->vertex_count; v-- > 0;) {
        if (vertex_map[v] >= 0) {
            memcpy(positions + 3 * (int64_t)vertex_map[v], mesh->positions + 3 * v,
                   3 * sizeof *positions);
        }
    }
    for (int64_t i = 0; i < count; ++i) {
        const int32_t *from = mesh->elements + nodes * (list ? list[i] : i);
        for (int32_t a = 0; a < nodes; ++a) {
            elements[nodes * i + a] = vertex_map[from[a]];
        }
    }
    const LyMeshEdit edit = {.mesh = mesh,
                             .vertex_count = vertex_count,
                             .element_count = count,
                             .positions = positions,
                             .elements = elements,
                             .vertex_map = vertex_map,
                             .element_map = element_map,
                             .children = 1};
    return ly_mesh_edit_finish(&edit, out);
}

// ---- submesh and orphans ------------------------------------------------------------------------

// Numbers the vertices marked with anything but -1 in their order; returns how many.
static int32_t number_marked(int32_t vertex_count, int32_t *vertex_map)
{
    int32_t next = 0;
    for (int32_t v = 0; v < vertex_count; ++v) {
        vertex_map[v] = vertex_map[v] >= 0 ? next++ : -1;
    }
    return next;
}

static void fill_ids(int64_t count, int32_t value, int32_t *ids)
{
    for (int64_t i = 0; i < count; ++i) {
        ids[i] = value;
    }
}

static void copy_ids(int64_t count, const int32_t *from, int32_t *to)
{
    if (to && count > 0) {
        memcpy(to, from, (size_t)count * sizeof *to);
    }
}

LyraStatus lyra_mesh_submesh(const LyraMesh *mesh, int32_t count, const int32_t *elements,
                             int32_t *vertex_map, int32_t *element_map, LyraMesh **out)
{
    if (count < 0) {
        return ly_fail(LYRA_INVALID_ARGUMENT, "submesh: the number of elements is %d", count);
    }
    LyraContext *ctx = mesh->ctx;
    int32_t nodes = lyra_element_kind_nodes(mesh->kind);
    int32_t *new_vertex = NULL, *new_element = NULL;
    LyraStatus status = LYRA_OK;
    LY_TRY_DONE(ly_allocate_array(ctx, mesh->vertex_count, sizeof *new_vertex, &new_vertex));
    LY_TRY_DONE(ly_allocate_array(ctx, mesh->element_count, sizeof *new_element, &new_element));
    fill_ids(mesh->vertex_count, -1, new_vertex);
    fill_ids(mesh->element_count, -1, new_element);
    for (int32_t i = 0; i < count; ++i) {
        int32_t e = elements[i];
        if (e < 0 || e >= mesh->element_count || new_element[e] >= 0) {
            status =
                ly_fail(LYRA_INVALID_ARGUMENT,
                        "submesh: entry %d is element %d, expected ids from 0 to %d, each once", i,
                        e, mesh->element_count - 1);
            goto done;
        }
        new_element[e] = i;
        for (int32_t a = 0; a < nodes; ++a) {
            new_vertex[mesh->elements[(int64_t)nodes * e + a]] = 0;
        }
    }
    int32_t vertex_count = number_marked(mesh->vertex_count, new_vertex);
    LY_TRY_DONE(
        ly_mesh_edit_renumber(mesh, vertex_count, new_vertex, count, elements, new_element, out));
    copy_ids(mesh->vertex_count, new_vertex, vertex_map);
    copy_ids(mesh->element_count, new_element, element_map);
done:
    ly_release(ctx, new_vertex);
    ly_release(ctx, new_element);
    return status;
}

LyraStatus lyra_mesh_remove_orphans(const LyraMesh *mesh, int32_t *vertex_map, LyraMesh **out)
{
    int64_t total = (int64_t)lyra_element_kind_nodes(mesh->kind) * mesh->element_count;
    int32_t *new_vertex = NULL;
    LY_TRY(ly_allocate_array(mesh->ctx, mesh->vertex_count, sizeof *new_vertex, &new_vertex));
    fill_ids(mesh->vertex_count, -1, new_vertex);
    for (int64_t i = 0; i < total; ++i) {
        new_vertex[mesh->elements[i]] = 0;
    }
    int32_t vertex_count = number_marked(mesh->vertex_count, new_vertex);
    LyraStatus status =
        ly_mesh_edit_renumber(mesh, vertex_count, new_vertex, mesh->element_count, NULL, NULL, out);
    if (status == LYRA_OK) {
        copy_ids(mesh->vertex_count, new_vertex, vertex_map);
    }
    ly_release(mesh->ctx, new_vertex);
    return status;
}

LyraStatus lyra_mesh_orphans(const LyraMesh *mesh, int32_t *count, int32_t *vertices)
{
    int64_t total = (int64_t)lyra_element_kind_nodes(mesh->kind) * mesh->element_count;
    bool *used = NULL;
    LY_TRY(ly_allocate_zeroed(mesh->ctx, mesh->vertex_count, sizeof *used, &used));
    for (int64_t i = 0; i < total; ++i) {
        used[mesh->elements[i]] = true;
    }
    int32_t found = 0;
    for (int32_t v = 0; v < mesh->vertex_count; ++v) {
        if (!used[v]) {
            if (vertices) {
                vertices[found] = v;
            }
            ++found;
        }
    }
    *count = found;
    ly_release(mesh->ctx, used);
    return LYRA_OK;
}

// ---- random order -------------------------------------------------------------------------------

// Random permutation (Fisher-Yates).
static void shuffle_ids(int32_t count, uint64_t *state, int32_t *ids)
{
    for (int32_t i = 0; i < count; ++i) {
        uint32_t j = ly_random_below(state, (uint32_t)i + 1);
        ids[i] = ids[j];
        ids[j] = i;
    }
}

LyraStatus lyra_mesh_shuffle(const LyraMesh *mesh, uint64_t seed, int32_t *vertex_map,
                             int32_t *element_map, LyraMesh **out)
{
    LyraContext *ctx = mesh->ctx;
    int32_t *new_vertex = NULL, *new_element = NULL, *list = NULL;
    LyraStatus status = LYRA_OK;
    LY_TRY_DONE(ly_allocate_zeroed(ctx, mesh->vertex_count, sizeof *new_vertex, &new_vertex));
    LY_TRY_DONE(ly_allocate_array(ctx, mesh->element_count, sizeof *new_element, &new_element));
    LY_TRY_DONE(ly_allocate_zeroed(ctx, mesh->element_count, sizeof *list, &list));
    uint64_t state = ly_hash_bits(seed);
    shuffle_ids(mesh->vertex_count, &state, new_vertex);
    shuffle_ids(mesh->element_count, &state, list);
    for (int32_t i = 0; i < mesh->element_count; ++i) {
        new_element[list[i]] = i;
    }
    LY_TRY_DONE(ly_mesh_edit_renumber(mesh, mesh->vertex_count, new_vertex, mesh->element_count,
                                      list, new_element, out));
    copy_ids(mesh->vertex_count, new_vertex, vertex_map);
    copy_ids(mesh->element_count, new_element, element_map);
done:
    ly_release(ctx, new_vertex);
    ly_release(ctx, new_element);
    ly_release(ctx, list);
    return status;
}
