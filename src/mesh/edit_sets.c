// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Sets of elements, vertices and faces on their way from a mesh to the one made from it.
//
// A face goes with its element. Where the vertices of an element changed their order, its local
// number changes too: the face is found again by its vertices. Of an element cut in eight, child i
// holds vertex i and is a copy of its parent at half the size (refine.c), so that face f of the
// parent is made of the faces f of the children at its corners, and for a tet of the triangle
// between their midpoints, which belongs to one of the four inner tets.

#include "mesh/edit.h"

#include "lyra/mesh_ops.h"
#include "mesh/sort.h"
#include "mesh/topology.h"

// ---- elements and vertices ----------------------------------------------------------------------

static LyraStatus carry_elements(const LyMeshEdit *edit, const LyraMeshSet *set, LyraMeshSet *out)
{
    LyraContext *ctx = edit->mesh->ctx;
    int32_t *ids = NULL, children = edit->children;
    LY_TRY(ly_allocate_array(ctx, (int64_t)set->count * children, sizeof *ids, &ids));
    int64_t count = 0;
    for (int32_t i = 0; i < set->count; ++i) {
        int32_t e = set->elements[i];
        if (!edit->element_map) {
            for (int32_t c = 0; c < children; ++c) {
                ids[count++] = e * children + c;
            }
        } else if (edit->element_map[e] >= 0) {
            ids[count++] = edit->element_map[e];
        }
    }
    LyraStatus status = ly_sort_unique(ctx, &count, ids);
    if (status != LYRA_OK) {
        ly_release(ctx, ids);
        return status;
    }
    *out = (LyraMeshSet){.name = set->name, .elements = ids, .count = (int32_t)count};
    return LYRA_OK;
}

static LyraStatus carry_vertices(const LyMeshEdit *edit, const LyraMeshVertexSet *set,
                                 LyraMeshVertexSet *out)
{
    LyraContext *ctx = edit->mesh->ctx;
    int32_t *ids = NULL;
    LY_TRY(ly_allocate_array(ctx, set->count, sizeof *ids, &ids));
    int64_t count = 0;
    for (int32_t i = 0; i < set->count; ++i) {
        int32_t v = edit->vertex_map ? edit->vertex_map[set->vertices[i]] : set->vertices[i];
        if (v >= 0) {
            ids[count++] = v;
        }
    }
    LyraStatus status = ly_sort_unique(ctx, &count, ids);
    if (status != LYRA_OK) {
        ly_release(ctx, ids);
        return status;
    }
    *out = (LyraMeshVertexSet){.name = set->name, .vertices = ids, .count = (int32_t)count};
    return LYRA_OK;
}

// ---- faces --------------------------------------------------------------------------------------

static bool holds(const int32_t *list, int32_t count, int32_t id)
{
    bool found = false;
    for (int32_t i = 0; i < count; ++i) {
        found |= list[i] == id;
    }
    return found;
}

int32_t ly_find_side(LyraElementKind kind, const int32_t *element, int32_t count,
                     const int32_t *vertices, int32_t first)
{
    int32_t sides = ly_kind_faces(kind), nodes = ly_kind_face_corners(kind);
    for (int32_t i = 0; i < sides; ++i) {
        int32_t side = (first + i) % sides, face[4];
        const int32_t *local = lyra_element_kind_face(kind, side);
        bool same = true;
        for (int32_t a = 0; a < nodes; ++a) {
            face[a] = element[local[a]];
            same = same && holds(vertices, count, face[a]);
        }
        for (int32_t a = 0; a < count && same; ++a) {
            same = holds(face, nodes, vertices[a]);
        }
        if (same) {
            return side;
        }
    }
    return -1;
}

// Side of the new element that is the old one's `side`; -1 where there is none.
static int32_t follow_side(const LyMeshEdit *edit, int32_t old, int32_t new, int32_t side)
{
    const LyraMesh *mesh = edit->mesh;
    int64_t nodes = lyra_element_kind_nodes(mesh->kind);
    const int32_t *local = lyra_element_kind_face(mesh->kind, side);
    int32_t vertices[4], count = ly_kind_face_corners(mesh->kind);
    for (int32_t a = 0; a < count; ++a) {
        int32_t v = mesh->elements[nodes * old + local[a]];
        vertices[a] = edit->vertex_map ? edit->vertex_map[v] : v;
    }
    return ly_find_side(mesh->kind, edit->elements + nodes * new, count, vertices, side);
}

// Faces of the eight children of element `e` on its face `side`, as keys; how many, 4.
static int32_t cut_face(const LyMeshEdit *edit, int32_t e, int32_t side, uint64_t *keys)
{
    LyraElementKind kind = edit->mesh->kind;
    int32_t sides = ly_kind_faces(kind), corners = ly_kind_face_corners(kind), count = 0;
    const int32_t *local = lyra_element_kind_face(kind, side);
    for (int32_t a = 0; a < corners; ++a) {
        keys[count++] = ((uint64_t)e * 8 + (uint64_t)local[a]) * (uint64_t)sides + (uint64_t)side;
    }
    if (kind == LYRA_ELEMENT_TET4) {
        // the midpoint between corners a and b stands at place b of child a
        const int32_t *children = edit->elements + 32 * (int64_t)e;
        int32_t middle[3];
        for (int32_t a = 0; a < 3; ++a) {
            middle[a] = children[4 * local[a] + local[(a + 1) % 3]];
        }
        for (int32_t c = 4; c < 8; ++c) {
            int32_t inner = ly_find_side(kind, children + 4 * c, 3, middle, 0);
            if (inner >= 0) {
                keys[count++] = ((uint64_t)e * 8 + (uint64_t)c) * 4 + (uint64_t)inner;
            }
        }
    }
    return count;
}

LyraStatus ly_sort_face_keys(LyraContext *ctx, int32_t sides, int64_t *count, uint64_t *keys,
                             int32_t **out)
{
    int32_t *pairs = NULL;
    LY_TRY(ly_allocate_zeroed(ctx, 2 * *count, sizeof *pairs, &pairs));
    LyraStatus status = ly_sort_keys(ctx, *count, keys, pairs);
    if (status != LYRA_OK) {
        ly_release(ctx, pairs);
        return status;
    }
    int64_t kept = 0;
    for (int64_t i = 0; i < *count; ++i) {
        if (i == 0 || keys[i] != keys[i - 1]) {
            pairs[2 * kept] = (int32_t)(keys[i] / (uint64_t)sides);
            pairs[2 * kept++ + 1] = (int32_t)(keys[i] % (uint64_t)sides);
        }
    }
    *count = kept;
    *out = pairs;
    return LYRA_OK;
}

static LyraStatus carry_faces(const LyMeshEdit *edit, const LyraMeshFaceSet *set,
                              LyraMeshFaceSet *out)
{
    LyraContext *ctx = edit->mesh->ctx;
    int32_t sides = ly_kind_faces(edit->mesh->kind), *pairs = NULL;
    uint64_t *keys = NULL;
    int64_t count = 0, most = (int64_t)set->count * (edit->children > 1 ? 4 : 1);
    if (most > INT32_MAX) {
        return ly_fail(LYRA_TOO_LARGE, "refine: %lld faces in the set \"%s\", at most %d",
                       (long long)most, set->name, INT32_MAX);
    }
    LY_TRY(ly_allocate_array(ctx, most, sizeof *keys, &keys));
    for (int64_t i = 0; i < set->count; ++i) {
        int32_t e = set->faces[2 * i], side = set->faces[2 * i + 1];
        if (edit->children > 1) {
            count += cut_face(edit, e, side, keys + count);
            continue;
        }
        int32_t new = edit->element_map ? edit->element_map[e] : e;
        side = new >= 0 ? follow_side(edit, e, new, side) : -1;
        if (side >= 0) {
            keys[count++] = (uint64_t) new *(uint64_t)sides + (uint64_t)side;
        }
    }
    LyraStatus status = ly_sort_face_keys(ctx, sides, &count, keys, &pairs);
    ly_release(ctx, keys);
    LY_TRY(status);
    *out = (LyraMeshFaceSet){.name = set->name, .faces = pairs, .count = (int32_t)count};
    return LYRA_OK;
}

// ---- all ----------------------------------------------------------------------------------------

LyraStatus ly_carry_sets(const LyMeshEdit *edit, LyraMeshView *view)
{
    const LyraMesh *mesh = edit->mesh;
    LyraContext *ctx = mesh->ctx;
    LyraMeshSet *sets = NULL;
    LyraMeshVertexSet *vertex_sets = NULL;
    LyraMeshFaceSet *face_sets = NULL;
    LY_TRY(ly_allocate_array(ctx, mesh->set_count, sizeof *sets, &sets));
    view->sets = sets;
    for (; view->set_count < mesh->set_count; ++view->set_count) {
        int32_t s = view->set_count;
        LY_TRY(carry_elements(edit, &mesh->sets[s], &sets[s]));
    }
    LY_TRY(ly_allocate_array(ctx, mesh->vertex_set_count, sizeof *vertex_sets, &vertex_sets));
    view->vertex_sets = vertex_sets;
    for (; view->vertex_set_count < mesh->vertex_set_count; ++view->vertex_set_count) {
        int32_t s = view->vertex_set_count;
        LY_TRY(carry_vertices(edit, &mesh->vertex_sets[s], &vertex_sets[s]));
    }
    LY_TRY(ly_allocate_array(ctx, mesh->face_set_count, sizeof *face_sets, &face_sets));
    view->face_sets = face_sets;
    for (; view->face_set_count < mesh->face_set_count; ++view->face_set_count) {
        int32_t s = view->face_set_count;
        LY_TRY(carry_faces(edit, &mesh->face_sets[s], &face_sets[s]));
    }
    return LYRA_OK;
}

void ly_carried_sets_release(LyraContext *ctx, LyraMeshView *view)
{
    for (int32_t s = 0; s < view->set_count; ++s) {
        ly_release(ctx, (void *)view->sets[s].elements);
    }
    for (int32_t s = 0; s < view->vertex_set_count; ++s) {
        ly_release(ctx, (void *)view->vertex_sets[s].vertices);
    }
    for (int32_t s = 0; s < view->face_set_count; ++s) {
        ly_release(ctx, (void *)view->face_sets[s].faces);
    }
    ly_release(ctx, (void *)view->sets);
    ly_release(ctx, (void *)view->vertex_sets);
    ly_release(ctx, (void *)view->face_sets);
}
