// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Matching the faces of elements.

#ifndef LY_MESH_TOPOLOGY_H
#define LY_MESH_TOPOLOGY_H

#include "mesh/mesh.h"
#include "mesh/sort.h"

/// Edges of an element: 6 or 12.
static inline int32_t ly_kind_edges(LyraElementKind kind)
{
    return ly_kind_is_tet(kind) ? 6 : 12;
}

/// Faces of an element: 4 or 6.
static inline int32_t ly_kind_faces(LyraElementKind kind)
{
    return ly_kind_is_tet(kind) ? 4 : 6;
}

/// Corners of a face: 3 or 4.
static inline int32_t ly_kind_face_corners(LyraElementKind kind)
{
    return ly_kind_is_tet(kind) ? 3 : 4;
}

/// Most vertices of a face.
enum { LY_FACE_NODES_MAX = 6 };

/// Things with vertices (faces or edges of elements), sorted by their lowest vertex and then by the
/// others, so that equal ones stand together.
typedef struct LySortedSides {
    int64_t *start;    // [vertex_count + 1]: those of lowest vertex v
    LySortItem *items; // key: the other vertices ascending; owner: element * sides + side
} LySortedSides;

/// Sorts all faces of a mesh. LYRA_TOO_LARGE where elements * faces is beyond int32.
LyraStatus ly_sort_faces(const LyraMesh *mesh, LySortedSides *out);

/// Sorts all edges of a mesh.
LyraStatus ly_sort_edges(const LyraMesh *mesh, LySortedSides *out);

void ly_sorted_sides_end(LyraContext *ctx, LySortedSides *sides);

/// As lyra_mesh_neighbors; counts the faces of more than two elements.
LyraStatus ly_match_faces(const LyraMesh *mesh, int32_t *neighbors, int32_t *non_manifold);

/// Writes the number of each face of each element, [element_count][faces]: equal faces have one,
/// and numbers run from 0 to in front of `*count`.
LyraStatus ly_number_faces(const LyraMesh *mesh, int32_t *element_face, int64_t *count);

/// First item after `begin` that differs from it, at most `end`.
static inline int64_t ly_run_end(const LySortItem *items, int64_t begin, int64_t end)
{
    int64_t next = begin + 1;
    while (next < end && items[next].key[0] == items[begin].key[0] &&
           items[next].key[1] == items[begin].key[1] && items[next].key[2] == items[begin].key[2]) {
        ++next;
    }
    return next;
}

#endif
