// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// The boundary of a mesh and its connected components.

#include "base/forest.h"
#include "lyra/mesh_ops.h"
#include "mesh/element.h"
#include "mesh/topology.h"

// ---- boundary -----------------------------------------------------------------------------------

struct LyraMeshBoundary {
    LyraContext *ctx;
    int32_t face_count, nodes, non_manifold;
    int32_t *faces, *elements, *sides;
};

static void add_face(LyraMeshBoundary *boundary, const int32_t *vertices, int32_t element,
                     int32_t side)
{
    int64_t at = boundary->face_count++;
    for (int32_t i = 0; i < boundary->nodes; ++i) {
        boundary->faces[boundary->nodes * at + i] = vertices[i];
    }
    boundary->elements[at] = element;
    boundary->sides[at] = side;
}

// Place `i` of a face run through the other way; middles stay between their corners.
static int32_t turned_place(int32_t count, int32_t i)
{
    static const int8_t six[6] = {2, 1, 0, 4, 3, 5};
    return count == 6 ? six[i] : count - 1 - i;
}

static void fill_boundary(const LyraMesh *mesh, const int32_t *neighbors,
                          LyraMeshBoundary *boundary)
{
    int32_t nodes = lyra_element_kind_nodes(mesh->kind);
    int32_t faces = ly_kind_faces(mesh->kind);
    int32_t count = lyra_element_kind_face_nodes(mesh->kind);
    for (int64_t e = 0; e < mesh->element_count; ++e) {
        bool known = false, inverted = false;
        for (int32_t side = 0; side < faces; ++side) {
            if (neighbors[faces * e + side] != LYRA_MESH_NO_NEIGHBOR) {
                continue;
            }
            if (!known) {
                inverted = ly_element_volume(mesh, (int32_t)e) < 0;
                known = true;
            }
            const int32_t *local = lyra_element_kind_face(mesh->kind, side);
            int32_t v[LY_FACE_NODES_MAX] = {0};
            for (int32_t i = 0; i < count; ++i) {
                v[i] = mesh->elements[nodes * e + local[inverted ? turned_place(count, i) : i]];
            }
            if (count == 6 && boundary->nodes == 3) {
                add_face(boundary, (int32_t[]){v[0], v[3], v[5]}, (int32_t)e, side);
                add_face(boundary, (int32_t[]){v[3], v[1], v[4]}, (int32_t)e, side);
                add_face(boundary, (int32_t[]){v[5], v[4], v[2]}, (int32_t)e, side);
                add_face(boundary, (int32_t[]){v[3], v[4], v[5]}, (int32_t)e, side);
                continue;
            }
            add_face(boundary, v, (int32_t)e, side);
            if (count > boundary->nodes) {
                add_face(boundary, (int32_t[]){v[0], v[2], v[3]}, (int32_t)e, side);
            }
        }
    }
}

LyraStatus lyra_mesh_boundary_create(const LyraMesh *mesh, bool triangles, LyraMeshBoundary **out)
{
    LyraContext *ctx = mesh->ctx;
    int64_t total = (int64_t)ly_kind_faces(mesh->kind) * mesh->element_count;
    LyraMeshBoundary *boundary = NULL;
    int32_t *neighbors = NULL;
    LyraStatus status = LYRA_OK;
    LY_TRY_DONE(ly_allocate_zeroed(ctx, 1, sizeof *boundary, &boundary));
    boundary->ctx = ctx;
    boundary->nodes = triangles ? 3 : lyra_element_kind_face_nodes(mesh->kind);
    LY_TRY_DONE(ly_allocate_array(ctx, total, sizeof *neighbors, &neighbors));
    LY_TRY_DONE(ly_match_faces(mesh, neighbors, &boundary->non_manifold));
    int64_t count = 0;
    for (int64_t i = 0; i < total; ++i) {
        count += neighbors[i] == LYRA_MESH_NO_NEIGHBOR;
    }
    int32_t whole = lyra_element_kind_face_nodes(mesh->kind);
    count *= boundary->nodes == whole ? 1 : whole == 6 ? 4 : 2;
    if (count > INT32_MAX) {
        status = ly_fail(LYRA_TOO_LARGE, "mesh: %lld boundary faces, at most %d", (long long)count,
                         INT32_MAX);
        goto done;
    }
    LY_TRY_DONE(
        ly_allocate_array(ctx, count * boundary->nodes, sizeof *boundary->faces, &boundary->faces));
    LY_TRY_DONE(ly_allocate_array(ctx, count, sizeof *boundary->elements, &boundary->elements));
    LY_TRY_DONE(ly_allocate_array(ctx, count, sizeof *boundary->sides, &boundary->sides));
    fill_boundary(mesh, neighbors, boundary);
    *out = boundary;
done:
    ly_release(ctx, neighbors);
    if (status != LYRA_OK) {
        lyra_mesh_boundary_destroy(boundary);
    }
    return status;
}

LyraMeshBoundaryView lyra_mesh_boundary_view(const LyraMeshBoundary *boundary)
{
    return (LyraMeshBoundaryView){
        .face_count = boundary->face_count,
        .nodes = boundary->nodes,
        .faces = boundary->faces,
        .elements = boundary->elements,
        .sides = boundary->sides,
        .non_manifold = boundary->non_manifold,
    };
}

void lyra_mesh_boundary_destroy(LyraMeshBoundary *boundary)
{
    if (!boundary) {
        return;
    }
    LyraContext *ctx = boundary->ctx;
    ly_release(ctx, boundary->faces);
    ly_release(ctx, boundary->elements);
    ly_release(ctx, boundary->sides);
    ly_release(ctx, boundary);
}

// ---- components ---------------------------------------------------------------------------------

// Joins all elements that share a vertex; `parent` is over elements, `first` the first element seen
// at each vertex.
static void unite_at_vertices(const LyraMesh *mesh, int32_t *first, int32_t *parent)
{
    int64_t nodes = lyra_element_kind_nodes(mesh->kind);
    for (int64_t v = 0; v < mesh->vertex_count; ++v) {
        first[v] = -1;
    }
    for (int64_t i = 0; i < nodes * mesh->element_count; ++i) {
        int32_t v = mesh->elements[i], e = (int32_t)(i / nodes);
        if (first[v] < 0) {
            first[v] = e;
        } else {
            ly_forest_join(parent, first[v], e);
        }
    }
}

static LyraStatus unite_at_faces(const LyraMesh *mesh, int32_t *parent)
{
    LySortedSides sides;
    LY_TRY(ly_sort_faces(mesh, &sides));
    int32_t faces = ly_kind_faces(mesh->kind);
    for (int64_t v = 0; v < mesh->vertex_count; ++v) {
        int64_t end = sides.start[v + 1];
        for (int64_t i = sides.start[v], next; i < end; i = next) {
            next = ly_run_end(sides.items, i, end);
            for (int64_t j = i + 1; j < next; ++j) {
                ly_forest_join(parent, sides.items[i].owner / faces, sides.items[j].owner / faces);
            }
        }
    }
    ly_sorted_sides_end(mesh->ctx, &sides);
    return LYRA_OK;
}

LyraStatus lyra_mesh_components(const LyraMesh *mesh, LyraMeshConnection connection, int32_t *count,
                                int32_t *labels)
{
    LyraContext *ctx = mesh->ctx;
    int32_t *parent = NULL, *first = NULL;
    LyraStatus status = LYRA_OK;
    LY_TRY_DONE(ly_allocate_array(ctx, mesh->element_count, sizeof *parent, &parent));
    for (int32_t e = 0; e < mesh->element_count; ++e) {
        parent[e] = e;
    }
    if (connection == LYRA_MESH_CONNECTION_FACE) {
        LY_TRY_DONE(unite_at_faces(mesh, parent));
    } else {
        LY_TRY_DONE(ly_allocate_array(ctx, mesh->vertex_count, sizeof *first, &first));
        unite_at_vertices(mesh, first, parent);
    }
    // a root comes before its members, so labels can be given in one pass
    int32_t found = 0;
    for (int32_t e = 0; e < mesh->element_count; ++e) {
        int32_t root = ly_forest_root(parent, e);
        if (labels) {
            labels[e] = root == e ? found : labels[root];
        }
        found += root == e;
    }
    *count = found;
done:
    ly_release(ctx, parent);
    ly_release(ctx, first);
    return status;
}
