// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Faces and edges of elements, and what follows from matching them.
//
// Equal faces are found by a bucket per lowest vertex (a counting sort), inside which the few faces
// are sorted by their other vertices. Buckets are independent, so they are sorted in parallel.

#include "mesh/topology.h"

#include "lyra/mesh_ops.h"

#include <string.h>

#define GRAIN 16384

// local vertices of one face or edge after the other
static const int32_t tet_faces[4 * 3] = {1, 2, 3, 0, 3, 2, 0, 1, 3, 0, 2, 1};
// corners, then the middles of the edges from each to the next
static const int32_t tet10_faces[4 * 6] = {1, 2, 3, 5, 9, 8, 0, 3, 2, 7, 9, 6,
                                           0, 1, 3, 4, 8, 7, 0, 2, 1, 6, 5, 4};
static const int32_t cube_faces[6 * 4] = {0, 4, 7, 3, 1, 2, 6, 5, 0, 1, 5, 4,
                                          3, 7, 6, 2, 0, 3, 2, 1, 4, 5, 6, 7};
static const int32_t tet_edges[6 * 2] = {0, 1, 0, 2, 0, 3, 1, 2, 1, 3, 2, 3};
static const int32_t tet10_edges[6 * 2] = {0, 1, 1, 2, 2, 0, 0, 3, 1, 3, 2, 3};
static const int32_t cube_edges[12 * 2] = {0, 1, 3, 2, 4, 5, 7, 6, 0, 3, 1, 2,
                                           4, 7, 5, 6, 0, 4, 1, 5, 2, 6, 3, 7};

int32_t lyra_element_kind_faces(LyraElementKind kind)
{
    return (unsigned)kind < LYRA_ELEMENT_KIND_COUNT ? ly_kind_faces(kind) : 0;
}

int32_t lyra_element_kind_face_nodes(LyraElementKind kind)
{
    return kind == LYRA_ELEMENT_TET10                 ? 6
           : (unsigned)kind < LYRA_ELEMENT_KIND_COUNT ? ly_kind_face_corners(kind)
                                                      : 0;
}

int32_t lyra_element_kind_face_corners(LyraElementKind kind)
{
    return (unsigned)kind < LYRA_ELEMENT_KIND_COUNT ? ly_kind_face_corners(kind) : 0;
}

const int32_t *lyra_element_kind_face(LyraElementKind kind, int32_t face)
{
    return kind == LYRA_ELEMENT_TET10 ? tet10_faces + 6 * face
           : ly_kind_is_tet(kind)     ? tet_faces + 3 * face
                                      : cube_faces + 4 * face;
}

const int32_t *lyra_element_kind_edge(LyraElementKind kind, int32_t edge)
{
    return (kind == LYRA_ELEMENT_TET10 ? tet10_edges
            : ly_kind_is_tet(kind)     ? tet_edges
                                       : cube_edges) +
           2 * edge;
}

// ---- sorting sides ------------------------------------------------------------------------------

// Vertices of a side in ascending order; `count` is 2, 3 or 4.
static inline void ascending(int32_t count, uint32_t v[4])
{
    for (int32_t i = 1; i < count; ++i) {
        for (int32_t j = i; j > 0 && v[j] < v[j - 1]; --j) {
            uint32_t swap = v[j];
            v[j] = v[j - 1];
            v[j - 1] = swap;
        }
    }
}

// Which vertices make side `side`: of each element `sides` sides of `count` vertices.
typedef struct SideKind {
    int32_t nodes, sides, count;
    const int32_t *local; // [sides][count]
} SideKind;

static inline uint32_t lowest_vertex(const SideKind *kind, const int32_t *element, int32_t side)
{
    const int32_t *local = kind->local + kind->count * side;
    uint32_t lowest = (uint32_t)element[local[0]];
    for (int32_t i = 1; i < kind->count; ++i) {
        uint32_t v = (uint32_t)element[local[i]];
        lowest = v < lowest ? v : lowest;
    }
    return lowest;
}

typedef struct SortTask {
    int32_t vertex_count, pieces;
    const LySortedSides *sides;
} SortTask;

static void sort_piece(void *data, int32_t index, int32_t worker)
{
    (void)worker;
    const SortTask *task = data;
    int64_t end = ly_piece_begin(task->vertex_count, task->pieces, index + 1);
    for (int64_t v = ly_piece_begin(task->vertex_count, task->pieces, index); v < end; ++v) {
        int64_t begin = task->sides->start[v];
        ly_sort_items(task->sides->start[v + 1] - begin, task->sides->items + begin);
    }
}

static LyraStatus sort_sides(const LyraMesh *mesh, SideKind kind, LySortedSides *out)
{
    int64_t total = (int64_t)kind.sides * mesh->element_count;
    if (total > INT32_MAX) {
        return ly_fail(LYRA_TOO_LARGE, "mesh: %lld faces or edges of elements, at most %d",
                       (long long)total, INT32_MAX);
    }
    LySortedSides sides = {0};
    LY_TRY(ly_allocate_zeroed(mesh->ctx, (int64_t)mesh->vertex_count + 2, sizeof *sides.start,
                              &sides.start));
    LyraStatus status = ly_allocate_array(mesh->ctx, total, sizeof *sides.items, &sides.items);
    if (status != LYRA_OK) {
        ly_release(mesh->ctx, sides.start);
        return status;
    }
    // counting sort by lowest vertex; start is shifted by one while filling
    for (int64_t e = 0; e < mesh->element_count; ++e) {
        for (int32_t side = 0; side < kind.sides; ++side) {
            ++sides.start[lowest_vertex(&kind, mesh->elements + kind.nodes * e, side) + 2];
        }
    }
    for (int64_t v = 0; v < mesh->vertex_count; ++v) {
        sides.start[v + 2] += sides.start[v + 1];
    }
    for (int64_t e = 0; e < mesh->element_count; ++e) {
        const int32_t *element = mesh->elements + kind.nodes * e;
        for (int32_t side = 0; side < kind.sides; ++side) {
            uint32_t v[4] = {0};
            for (int32_t i = 0; i < kind.count; ++i) {
                v[i] = (uint32_t)element[kind.local[kind.count * side + i]];
            }
            ascending(kind.count, v);
            sides.items[sides.start[v[0] + 1]++] = (LySortItem){
                .key = {v[1], v[2], v[3]},
                .owner = (int32_t)(kind.sides * e + side),
            };
        }
    }
    SortTask task = {mesh->vertex_count, ly_piece_count(mesh->vertex_count, GRAIN), &sides};
    ly_parallel_for(mesh->ctx, task.pieces, sort_piece, &task);
    *out = sides;
    return LYRA_OK;
}

LyraStatus ly_sort_faces(const LyraMesh *mesh, LySortedSides *out)
{
    SideKind tet = {4, 4, 3, tet_faces}, cube = {8, 6, 4, cube_faces};
    tet.nodes = lyra_element_kind_nodes(mesh->kind);
    return sort_sides(mesh, ly_kind_is_tet(mesh->kind) ? tet : cube, out);
}

LyraStatus ly_sort_edges(const LyraMesh *mesh, LySortedSides *out)
{
    static const SideKind tet = {4, 6, 2, tet_edges}, tet10 = {10, 6, 2, tet10_edges};
    static const SideKind cube = {8, 12, 2, cube_edges};
    return sort_sides(mesh,
                      mesh->kind == LYRA_ELEMENT_TET10 ? tet10
                      : ly_kind_is_tet(mesh->kind)     ? tet
                                                       : cube,
                      out);
}

void ly_sorted_sides_end(LyraContext *ctx, LySortedSides *sides)
{
    ly_release(ctx, sides->start);
    ly_release(ctx, sides->items);
}

// ---- neighbours ---------------------------------------------------------------------------------

LyraStatus ly_match_faces(const LyraMesh *mesh, int32_t *neighbors, int32_t *non_manifold)
{
    LySortedSides sides;
    LY_TRY(ly_sort_faces(mesh, &sides));
    int32_t faces = ly_kind_faces(mesh->kind);
    *non_manifold = 0;
    for (int64_t v = 0; v < mesh->vertex_count; ++v) {
        int64_t end = sides.start[v + 1];
        for (int64_t i = sides.start[v], next; i < end; i = next) {
            next = ly_run_end(sides.items, i, end);
            *non_manifold += next - i > 2;
            for (int64_t j = i; j < next; ++j) {
                int32_t other = next - i == 1   ? LYRA_MESH_NO_NEIGHBOR
                                : next - i == 2 ? sides.items[i + next - 1 - j].owner / faces
                                                : LYRA_MESH_NON_MANIFOLD;
                neighbors[sides.items[j].owner] = other;
            }
        }
    }
    ly_sorted_sides_end(mesh->ctx, &sides);
    return LYRA_OK;
}

LyraStatus ly_number_faces(const LyraMesh *mesh, int32_t *element_face, int64_t *count)
{
    LySortedSides sides;
    LY_TRY(ly_sort_faces(mesh, &sides));
    int64_t next_face = 0;
    for (int64_t v = 0; v < mesh->vertex_count; ++v) {
        int64_t end = sides.start[v + 1];
        for (int64_t i = sides.start[v], next; i < end; i = next, ++next_face) {
            next = ly_run_end(sides.items, i, end);
            for (int64_t j = i; j < next; ++j) {
                element_face[sides.items[j].owner] = (int32_t)next_face;
            }
        }
    }
    ly_sorted_sides_end(mesh->ctx, &sides);
    *count = next_face;
    return LYRA_OK;
}

LyraStatus lyra_mesh_neighbors(const LyraMesh *mesh, int32_t *neighbors)
{
    int32_t non_manifold = 0;
    return ly_match_faces(mesh, neighbors, &non_manifold);
}

void lyra_mesh_vertex_elements(const LyraMesh *mesh, int64_t *start, int32_t *elements)
{
    int64_t nodes = lyra_element_kind_nodes(mesh->kind);
    int64_t total = nodes * mesh->element_count;
    memset(start, 0, ((size_t)mesh->vertex_count + 1) * sizeof *start);
    for (int64_t i = 0; i < total; ++i) {
        ++start[mesh->elements[i] + 1];
    }
    for (int64_t v = 0; v < mesh->vertex_count; ++v) {
        start[v + 1] += start[v];
    }
    // filled from the back, which leaves every start where it belongs and the lists ascending
    for (int64_t i = total; i-- > 0;) {
        elements[--start[mesh->elements[i] + 1]] = (int32_t)(i / nodes);
    }
    memmove(start, start + 1, (size_t)mesh->vertex_count * sizeof *start);
    start[mesh->vertex_count] = total;
}

// ---- edges --------------------------------------------------------------------------------------

struct LyraMeshEdges {
    LyraContext *ctx;
    int32_t edge_count, element_edges;
    int32_t *vertices;     // [edge_count][2]
    int32_t *element_edge; // [element_count][element_edges]
};

// Numbers the runs of equal edges; writes their vertices where there is room for them.
static int64_t number_edges(const LyraMesh *mesh, const LySortedSides *sides, int32_t *vertices,
                            int32_t *element_edge)
{
    int64_t count = 0;
    for (int64_t v = 0; v < mesh->vertex_count; ++v) {
        int64_t end = sides->start[v + 1];
        for (int64_t i = sides->start[v], next; i < end; i = next) {
            next = ly_run_end(sides->items, i, end);
            bool collapsed = sides->items[i].key[0] == (uint32_t)v;
            for (int64_t j = i; j < next && element_edge; ++j) {
                element_edge[sides->items[j].owner] = collapsed ? -1 : (int32_t)count;
            }
            if (vertices && !collapsed) {
                vertices[2 * count] = (int32_t)v;
                vertices[2 * count + 1] = (int32_t)sides->items[i].key[0];
            }
            count += collapsed ? 0 : 1;
        }
    }
    return count;
}

LyraStatus lyra_mesh_edges_create(const LyraMesh *mesh, LyraMeshEdges **out)
{
    LyraContext *ctx = mesh->ctx;
    LySortedSides sides = {0};
    LyraMeshEdges *edges = NULL;
    LyraStatus status = LYRA_OK;
    LY_TRY_DONE(ly_allocate_zeroed(ctx, 1, sizeof *edges, &edges));
    edges->ctx = ctx;
    edges->element_edges = ly_kind_edges(mesh->kind);
    LY_TRY_DONE(ly_sort_edges(mesh, &sides));
    edges->edge_count = (int32_t)number_edges(mesh, &sides, NULL, NULL);
    LY_TRY_DONE(ly_allocate_array(ctx, 2 * (int64_t)edges->edge_count, sizeof *edges->vertices,
                                  &edges->vertices));
    LY_TRY_DONE(ly_allocate_array(ctx, (int64_t)edges->element_edges * mesh->element_count,
                                  sizeof *edges->element_edge, &edges->element_edge));
    number_edges(mesh, &sides, edges->vertices, edges->element_edge);
    *out = edges;
done:
    ly_sorted_sides_end(ctx, &sides);
    if (status != LYRA_OK) {
        lyra_mesh_edges_destroy(edges);
    }
    return status;
}

LyraMeshEdgesView lyra_mesh_edges_view(const LyraMeshEdges *edges)
{
    return (LyraMeshEdgesView){
        .edge_count = edges->edge_count,
        .vertices = edges->vertices,
        .element_edges = edges->element_edges,
        .element_edge = edges->element_edge,
    };
}

void lyra_mesh_edges_destroy(LyraMeshEdges *edges)
{
    if (!edges) {
        return;
    }
    LyraContext *ctx = edges->ctx;
    ly_release(ctx, edges->vertices);
    ly_release(ctx, edges->element_edge);
    ly_release(ctx, edges);
}
