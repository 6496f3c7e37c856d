// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Sets of faces: files name them by their corners, as faces among the cells or as faces of a cell,
// and a mesh has them as elements with a local face.
//
// A quad of cells that were cut into tets is two triangles, cut from its lowest vertex as the cells
// were (import_mesh.c). A face that names no cell is looked for among the sorted faces of all
// elements and found from both sides where two share it.

#include "mesh/import.h"

#include "lyra/mesh_ops.h"
#include "mesh/edit.h"
#include "mesh/topology.h"

#include <string.h>

// ---- faces among the cells ----------------------------------------------------------------------

/// Adds the triangles and quads of sets as faces; `ids` [cell_count]: which one each is, -1 for
/// other cells.
static LyraStatus add_faces(LyImport *import, int32_t *ids)
{
    const int32_t *at = import->corners;
    const LySetList *sets = &import->builder.sets;
    memset(ids, 0xff, (size_t)import->cell_count * sizeof *ids);
    for (int64_t i = 0; i < sets->id_count; ++i) {
        ids[sets->ids[i]] = 0;
    }
    for (int64_t c = 0; c < import->cell_count; ++c) {
        LyCellShape shape = import->shapes[c];
        int32_t nodes = shape == LY_CELL_POLYGON ? *at++ : ly_cell_nodes(shape);
        bool member = ids[c] == 0 && (shape == LY_CELL_TRIANGLE || shape == LY_CELL_QUAD);
        ids[c] = -1;
        if (member) {
            LyImportFace face = {.count = nodes, .cell = -1};
            memcpy(face.corners, at, (size_t)nodes * sizeof *at);
            LY_TRY(ly_import_face(import, &face, &ids[c]));
        }
        at += nodes;
    }
    return LYRA_OK;
}

LyraStatus ly_import_split_sets(LyImport *import)
{
    const LySetList *sets = &import->builder.sets;
    int32_t *ids = NULL;
    if (sets->id_count == 0) {
        return LYRA_OK;
    }
    LyraStatus status = LYRA_OK;
    LY_TRY_DONE(ly_allocate_array(import->ctx, import->cell_count, sizeof *ids, &ids));
    LY_TRY_DONE(add_faces(import, ids));
    for (int32_t s = 0; s < sets->names.count; ++s) {
        LySlice name = {sets->names.names[s], strlen(sets->names.names[s])};
        // a set of faces that the reader made has the name already
        bool begun = false, taken = ly_names_find(&import->face_sets.names, name) >= 0;
        for (int64_t i = sets->begins[s]; i < ly_set_list_end(sets, s) && !taken; ++i) {
            int32_t face = ids[sets->ids[i]];
            if (face >= 0 && !begun) {
                LY_TRY_DONE(ly_set_list_add(import->ctx, &import->face_sets, name));
                begun = true;
            }
            LY_TRY_DONE(face >= 0 ? ly_import_face_member(import, face) : LYRA_OK);
        }
    }
done:
    ly_release(import->ctx, ids);
    return status;
}

// ---- faces of elements --------------------------------------------------------------------------

/// What is looked in.
typedef struct Matcher {
    const LyMeshBuilder *builder;
    const int32_t *firsts; // first element of each cell
    int32_t sides;
    LySortedSides sorted; // zero where no face needs it
    uint64_t *keys;       // of the set being made: element * sides + side
    int64_t count, capacity;
} Matcher;

static LyraStatus add_key(Matcher *matcher, int64_t element, int32_t side)
{
    LY_TRY(ly_grow_array(matcher->builder->ctx, matcher->count + 1, sizeof *matcher->keys,
                         &matcher->capacity, &matcher->keys));
    matcher->keys[matcher->count++] = (uint64_t)(element * matcher->sides + side);
    return LYRA_OK;
}

static bool precedes(const LySortItem *item, const uint32_t key[3])
{
    for (int32_t i = 0; i < 3; ++i) {
        if (item->key[i] != key[i]) {
            return item->key[i] < key[i];
        }
    }
    return false;
}

/// First of the sorted faces with these corners, or where it would stand; `*end` behind the last.
static int64_t find_run(const Matcher *matcher, int32_t count, const int32_t *corners, int64_t *end)
{
    uint32_t v[4] = {0};
    for (int32_t a = 0; a < count; ++a) {
        int32_t at = a;
        for (; at > 0 && v[at - 1] > (uint32_t)corners[a]; --at) {
            v[at] = v[at - 1];
        }
        v[at] = (uint32_t)corners[a];
    }
    const LySortItem *items = matcher->sorted.items;
    int64_t low = matcher->sorted.start[v[0]], last = matcher->sorted.start[v[0] + 1], high = last;
    while (low < high) {
        int64_t middle = (low + high) / 2;
        if (precedes(&items[middle], v + 1)) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    bool found = low < last && memcmp(items[low].key, v + 1, sizeof items[low].key) == 0;
    *end = found ? ly_run_end(items, low, last) : low;
    return low;
}

/// Looks for a face of an element with just these corners: of those of a cell, or of all.
static LyraStatus match_corners(Matcher *matcher, int32_t cell, int32_t count,
                                const int32_t *corners)
{
    const LyMeshBuilder *builder = matcher->builder;
    if (cell >= 0) {
        int64_t nodes = lyra_element_kind_nodes(builder->kind);
        for (int32_t e = matcher->firsts[cell]; e < matcher->firsts[cell + 1]; ++e) {
            int32_t side =
                ly_find_side(builder->kind, builder->elements + nodes * e, count, corners, 0);
            LY_TRY(side >= 0 ? add_key(matcher, e, side) : LYRA_OK);
        }
        return LYRA_OK;
    }
    int64_t end;
    for (int64_t i = find_run(matcher, count, corners, &end); i < end; ++i) {
        int32_t owner = matcher->sorted.items[i].owner;
        LY_TRY(add_key(matcher, owner / matcher->sides, owner % matcher->sides));
    }
    return LYRA_OK;
}

/// The faces of the elements of a cell that no other element shares.
static LyraStatus match_free(Matcher *matcher, int32_t cell)
{
    const LyMeshBuilder *builder = matcher->builder;
    int64_t nodes = lyra_element_kind_nodes(builder->kind), end;
    int32_t count = ly_kind_face_corners(builder->kind), corners[4];
    for (int32_t e = matcher->firsts[cell]; e < matcher->firsts[cell + 1]; ++e) {
        for (int32_t side = 0; side < matcher->sides; ++side) {
            const int32_t *local = lyra_element_kind_face(builder->kind, side);
            for (int32_t a = 0; a < count; ++a) {
                corners[a] = builder->elements[nodes * e + local[a]];
            }
            int64_t begin = find_run(matcher, count, corners, &end);
            LY_TRY(end - begin == 1 ? add_key(matcher, e, side) : LYRA_OK);
        }
    }
    return LYRA_OK;
}

static LyraStatus match_face(Matcher *matcher, const LyImportFace *face)
{
    const int32_t *v = face->corners;
    if (face->count == 0) {
        return match_free(matcher, face->cell);
    }
    int32_t lowest = 0;
    for (int32_t a = 0; a < face->count; ++a) {
        if (v[a] < 0) {
            return LYRA_OK;
        }
        lowest = v[a] < v[lowest] ? a : lowest;
    }
    if (face->count == ly_kind_face_corners(matcher->builder->kind)) {
        return match_corners(matcher, face->cell, face->count, v);
    }
    for (int32_t t = 1; t < 3 && face->count == 4; ++t) {
        const int32_t half[3] = {v[lowest], v[(lowest + t) % 4], v[(lowest + t + 1) % 4]};
        if (half[0] != half[1] && half[1] != half[2] && half[2] != half[0]) {
            LY_TRY(match_corners(matcher, face->cell, 3, half));
        }
    }
    return LYRA_OK;
}

/// Makes one set; how many of its faces were not found.
static LyraStatus match_set(LyImport *import, Matcher *matcher, int32_t s, int64_t *lost)
{
    LyMeshBuilder *builder = &import->builder;
    const LySetList *sets = &import->face_sets;
    int64_t begin = sets->begins[s], end = ly_set_list_end(sets, s);
    matcher->count = 0;
    for (int64_t i = begin; i < end; ++i) {
        int64_t before = matcher->count;
        LY_TRY(match_face(matcher, &import->faces[sets->ids[i]]));
        *lost += matcher->count == before;
    }
    // one whose faces are all gone goes too
    if (matcher->count == 0 && end > begin) {
        return LYRA_OK;
    }
    int32_t *pairs = NULL;
    int64_t count = matcher->count;
    LY_TRY(ly_sort_face_keys(builder->ctx, matcher->sides, &count, matcher->keys, &pairs));
    const char *name = sets->names.names[s];
    LyraStatus status =
        ly_set_list_add(builder->ctx, &builder->face_sets, (LySlice){name, strlen(name)});
    if (status == LYRA_OK) {
        status = ly_set_list_add_ids(builder->ctx, &builder->face_sets, pairs, 2 * count);
    }
    ly_release(builder->ctx, pairs);
    return status;
}

LyraStatus ly_import_match_faces(LyImport *import, const int32_t *firsts)
{
    LyMeshBuilder *builder = &import->builder;
    LyraContext *ctx = import->ctx;
    Matcher matcher = {
        .builder = builder, .firsts = firsts, .sides = lyra_element_kind_faces(builder->kind)};
    int64_t lost = 0;
    bool anywhere = false;
    for (int64_t f = 0; f < import->face_count; ++f) {
        anywhere = anywhere || import->faces[f].cell < 0 || import->faces[f].count == 0;
    }
    LyraStatus status = LYRA_OK;
    if (anywhere) {
        // as much of a mesh as sorting looks at
        const LyraMesh mesh = {.ctx = ctx,
                               .kind = builder->kind,
                               .vertex_count = (int32_t)builder->vertex_count,
                               .element_count = (int32_t)builder->element_count,
                               .elements = builder->elements};
        LY_TRY_DONE(ly_sort_faces(&mesh, &matcher.sorted));
    }
    for (int32_t s = 0; s < import->face_sets.names.count; ++s) {
        LY_TRY_DONE(match_set(import, &matcher, s, &lost));
    }
    if (lost > 0) {
        ly_log(ctx, LYRA_LOG_INFO, "%s: %lld faces of sets left out, which no element has",
               import->path, (long long)lost);
    }
done:
    ly_release(ctx, matcher.keys);
    ly_sorted_sides_end(ctx, &matcher.sorted);
    return status;
}
