// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Octasection: every element becomes eight.
//
// A tet gives four tets at its corners, each half its size, and an octahedron of the six midpoints,
// which is cut in four around one of its three diagonals. The shortest keeps the children in shape:
// repeated refinement then yields finitely many shapes. A cube gives eight cubes from its vertices,
// midpoints of edges, middles of faces and of the body. Midpoints belong to edges and faces that
// neighbours share, so the new mesh conforms where the old one did.

#include "mesh/edit.h"
#include "mesh/quadratic.h"
#include "mesh/topology.h"

#include "lyra/mesh_ops.h"

#include <string.h>

// The two ends of each diagonal of the octahedron, then the others in the order around it that
// makes (end, end, this, next) positive. Midpoints are numbered as edges: 01 02 03 12 13 23.
static const int32_t octahedron[3][6] = {
    {0, 5, 3, 1, 2, 4}, {1, 4, 5, 2, 0, 3}, {2, 3, 4, 0, 1, 5}};

static void midpoint(const double *a, const double *b, double *out)
{
    for (int32_t i = 0; i < 3; ++i) {
        // halves first: no overflow; and bit-equal where a and b are
        out[i] = 0.5 * a[i] + 0.5 * b[i];
    }
}

static double distance2(const double *a, const double *b)
{
    double sum = 0;
    for (int32_t i = 0; i < 3; ++i) {
        sum += (a[i] - b[i]) * (a[i] - b[i]);
    }
    return sum;
}

static LyraStatus too_large(int64_t vertex_count, int64_t element_count)
{
    if (vertex_count > INT32_MAX || element_count > INT32_MAX) {
        return ly_fail(LYRA_TOO_LARGE,
                       "refine: %lld vertices and %lld elements, at most %d of each",
                       (long long)vertex_count, (long long)element_count, INT32_MAX);
    }
    return LYRA_OK;
}

// ---- tets ---------------------------------------------------------------------------------------

// Writes the eight children of a tet. `m`: its midpoints.
static void cut_tet(const double *positions, const int32_t v[4], const int32_t m[6],
                    int32_t out[32])
{
    const int32_t corners[16] = {v[0], m[0], m[1], m[2], m[0], v[1], m[3], m[4],
                                 m[1], m[3], v[2], m[5], m[2], m[4], m[5], v[3]};
    memcpy(out, corners, sizeof corners);
    int32_t best = 0;
    double shortest = 0;
    for (int32_t d = 0; d < 3; ++d) {
        double length = distance2(positions + 3 * (int64_t)m[octahedron[d][0]],
                                  positions + 3 * (int64_t)m[octahedron[d][1]]);
        if (d == 0 || length < shortest) {
            shortest = length;
            best = d;
        }
    }
    const int32_t *order = octahedron[best];
    for (int32_t t = 0; t < 4; ++t) {
        int32_t *tet = out + 16 + 4 * t;
        tet[0] = m[order[0]];
        tet[1] = m[order[1]];
        tet[2] = m[order[2 + t]];
        tet[3] = m[order[2 + (t + 1) % 4]];
    }
}

// ---- cubes --------------------------------------------------------------------------------------

// What stands at place i + 3 j + 9 k of the 3 x 3 x 3 lattice of a cut cube: vertices 0..7, edges
// 8..19, faces 20..25, the middle 26, numbered as in the element.
static const int8_t lattice[27] = {
    0,  8,  1,  12, 24, 13, 3,  9,  2,  // k = 0
    16, 22, 17, 20, 26, 21, 19, 23, 18, // k = 1
    4,  10, 5,  14, 25, 15, 7,  11, 6,  // k = 2
};

static const int8_t corner_place[8][3] = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0},
                                          {0, 0, 1}, {1, 0, 1}, {1, 1, 1}, {0, 1, 1}};

// Writes the eight children of a cube: child c holds vertex c. `points`: what `lattice` numbers.
static void cut_cube(const int32_t points[27], int32_t out[64])
{
    for (int32_t c = 0; c < 8; ++c) {
        for (int32_t a = 0; a < 8; ++a) {
            int32_t i = corner_place[c][0] + corner_place[a][0];
            int32_t j = corner_place[c][1] + corner_place[a][1];
            int32_t k = corner_place[c][2] + corner_place[a][2];
            out[8 * c + a] = points[(int32_t)lattice[i + 3 * j + 9 * k]];
        }
    }
}

// Middle of a face or of the body: that of midpoints of opposite corners, which agree to the last
// bit in a box.
static void middle_of_face(const LyraMesh *mesh, const int32_t *element, int32_t face, double *out)
{
    const int32_t *local = lyra_element_kind_face(LYRA_ELEMENT_CUBE8, face);
    const double *x[4];
    for (int32_t i = 0; i < 4; ++i) {
        x[i] = mesh->positions + 3 * (int64_t)element[local[i]];
    }
    double p[3], q[3];
    midpoint(x[0], x[2], p);
    midpoint(x[1], x[3], q);
    midpoint(p, q, out);
}

static void refine_cubes(const LyraMesh *mesh, const LyraMeshEdgesView *edges,
                         const int32_t *element_face, int64_t face_count, double *positions,
                         int32_t *elements)
{
    int64_t first_face = (int64_t)mesh->vertex_count + edges->edge_count;
    int64_t first_body = first_face + face_count;
    for (int64_t e = 0; e < mesh->element_count; ++e) {
        const int32_t *element = mesh->elements + 8 * e;
        int32_t points[27];
        memcpy(points, element, 8 * sizeof *points);
        for (int32_t i = 0; i < 12; ++i) {
            points[8 + i] = mesh->vertex_count + edges->element_edge[12 * e + i];
        }
        for (int32_t i = 0; i < 6; ++i) {
            int64_t at = first_face + element_face[6 * e + i];
            points[20 + i] = (int32_t)at;
            middle_of_face(mesh, element, i, positions + 3 * at);
        }
        points[26] = (int32_t)(first_body + e);
        midpoint(positions + 3 * (int64_t)points[24], positions + 3 * (int64_t)points[25],
                 positions + 3 * (int64_t)points[26]);
        cut_cube(points, elements + 64 * e);
    }
}

// ---- both ---------------------------------------------------------------------------------------

static LyraStatus check_edges(const LyraMesh *mesh, const LyraMeshEdgesView *edges)
{
    for (int64_t i = 0; i < (int64_t)edges->element_edges * mesh->element_count; ++i) {
        if (edges->element_edge[i] < 0) {
            return ly_fail(LYRA_BAD_MESH, "refine: element %lld names a vertex twice",
                           (long long)(i / edges->element_edges));
        }
    }
    return LYRA_OK;
}

LyraStatus ly_refine_at(const LyraMesh *mesh, const int32_t *middles, LyraMesh **out)
{
    LyraContext *ctx = mesh->ctx;
    int64_t element_count = 8 * (int64_t)mesh->element_count;
    double *positions = NULL;
    int32_t *elements = NULL;
    LY_TRY(too_large(0, element_count));
    LY_TRY(ly_allocate_array(ctx, 3 * (int64_t)mesh->vertex_count, sizeof *positions, &positions));
    LyraStatus status = ly_allocate_array(ctx, 4 * element_count, sizeof *elements, &elements);
    if (status != LYRA_OK) {
        ly_release(ctx, positions);
        return status;
    }
    if (mesh->vertex_count > 0) {
        memcpy(positions, mesh->positions, 3 * (size_t)mesh->vertex_count * sizeof *positions);
    }
    for (int64_t e = 0; e < mesh->element_count; ++e) {
        cut_tet(positions, mesh->elements + 4 * e, middles + 6 * e, elements + 32 * e);
    }
    const LyMeshEdit edit = {.mesh = mesh,
                             .vertex_count = mesh->vertex_count,
                             .element_count = (int32_t)element_count,
                             .positions = positions,
                             .elements = elements,
                             .children = 8};
    return ly_mesh_edit_finish(&edit, out);
}

LyraStatus lyra_mesh_refine(const LyraMesh *mesh, LyraMesh **out)
{
    if (mesh->kind == LYRA_ELEMENT_TET10) {
        return ly_refine_quadratic(mesh, out);
    }
    LyraContext *ctx = mesh->ctx;
    bool cubes = !ly_kind_is_tet(mesh->kind);
    int64_t nodes = cubes ? 8 : 4, element_count = 8 * (int64_t)mesh->element_count, faces = 0;
    LyraMeshEdges *found = NULL;
    double *positions = NULL;
    int32_t *elements = NULL, *element_face = NULL;
    LyraStatus status = LYRA_OK;
    LY_TRY_DONE(too_large(0, element_count));
    LY_TRY_DONE(lyra_mesh_edges_create(mesh, &found));
    LyraMeshEdgesView edges = lyra_mesh_edges_view(found);
    LY_TRY_DONE(check_edges(mesh, &edges));
    if (cubes) {
        LY_TRY_DONE(ly_allocate_array(ctx, 6 * (int64_t)mesh->element_count, sizeof *element_face,
                                      &element_face));
        LY_TRY_DONE(ly_number_faces(mesh, element_face, &faces));
    }
    int64_t vertex_count =
        (int64_t)mesh->vertex_count + edges.edge_count + faces + (cubes ? mesh->element_count : 0);
    LY_TRY_DONE(too_large(vertex_count, element_count));
    LY_TRY_DONE(ly_allocate_array(ctx, 3 * vertex_count, sizeof *positions, &positions));
    LY_TRY_DONE(ly_allocate_array(ctx, nodes * element_count, sizeof *elements, &elements));

    if (mesh->vertex_count > 0) {
        memcpy(positions, mesh->positions, 3 * (size_t)mesh->vertex_count * sizeof *positions);
    }
    for (int64_t i = 0; i < edges.edge_count; ++i) {
        midpoint(mesh->positions + 3 * (int64_t)edges.vertices[2 * i],
                 mesh->positions + 3 * (int64_t)edges.vertices[2 * i + 1],
                 positions + 3 * (mesh->vertex_count + i));
    }
    if (cubes) {
        refine_cubes(mesh, &edges, element_face, faces, positions, elements);
    }
    for (int64_t e = 0; e < mesh->element_count && !cubes; ++e) {
        int32_t m[6];
        for (int32_t i = 0; i < 6; ++i) {
            m[i] = mesh->vertex_count + edges.element_edge[6 * e + i];
        }
        cut_tet(positions, mesh->elements + 4 * e, m, elements + 32 * e);
    }
    const LyMeshEdit edit = {.mesh = mesh,
                             .vertex_count = (int32_t)vertex_count,
                             .element_count = (int32_t)element_count,
                             .positions = positions,
                             .elements = elements,
                             .children = 8};
    positions = NULL;
    elements = NULL;
    status = ly_mesh_edit_finish(&edit, out);
done:
    lyra_mesh_edges_destroy(found);
    ly_release(ctx, element_face);
    ly_release(ctx, positions);
    ly_release(ctx, elements);
    return status;
}
