// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Tets of 4 nodes to tets of 10 and back, and the refinement of curved ones.
//
// A tet of 10 nodes is refined at its own middle nodes: they become corners, and the new middles
// are the images of the middles of the children's edges in the reference element of the parent. On
// a face they depend on the nodes of the face alone, so that neighbours agree; of several elements
// the first decides about rounding.

#include "mesh/quadratic.h"

#include "lyra/mesh_edit.h"
#include "lyra/mesh_ops.h"
#include "mesh/element.h"
#include "mesh/element_map.h"

#include <math.h>
#include <string.h>

// Which edge of a tet of 4 nodes each edge of one of 10 is.
static const int8_t linear_edge[6] = {0, 3, 1, 2, 4, 5};

// A mesh with the groups of `mesh` and its elements, of another kind or other nodes, which is
// taken; on failure it is given back to the allocator.
static LyraStatus rebuild(const LyraMesh *mesh, LyraElementKind kind, int64_t vertex_count,
                          double *positions, int32_t *elements,
                          const LyraMeshVertexSet *vertex_sets, LyraMesh **out)
{
    LyraMeshView view = lyra_mesh_view(mesh);
    view.kind = kind;
    view.vertex_count = (int32_t)vertex_count;
    view.vertex_sets = vertex_sets;
    LyraStatus status = ly_mesh_create_take(mesh->ctx, &view, positions, elements, out);
    if (status != LYRA_OK) {
        ly_release(mesh->ctx, positions);
        ly_release(mesh->ctx, elements);
    }
    return status;
}

LyraStatus ly_mesh_change_kind(const LyraMesh *mesh, LyraElementKind kind, LyraMesh **out)
{
    LyraMeshView view = lyra_mesh_view(mesh);
    view.kind = kind;
    return lyra_mesh_create(mesh->ctx, &view, out);
}

// ---- to ten nodes -------------------------------------------------------------------------------

// The sets of vertices, each with the middles of edges whose ends both belong to it. Members stay
// ascending: middles come behind all vertices, in the order of the edges.
static LyraStatus widen_sets(const LyraMesh *mesh, const LyraMeshEdgesView *edges,
                             LyraMeshVertexSet *sets)
{
    LyraContext *ctx = mesh->ctx;
    uint8_t *member = NULL;
    LY_TRY(ly_allocate_zeroed(ctx, mesh->vertex_count, sizeof *member, &member));
    LyraStatus status = LYRA_OK;
    for (int32_t s = 0; s < mesh->vertex_set_count; ++s) {
        const LyraMeshVertexSet *set = &mesh->vertex_sets[s];
        int64_t count = set->count;
        int32_t *ids = NULL;
        for (int32_t i = 0; i < set->count; ++i) {
            member[set->vertices[i]] = 1;
        }
        for (int64_t e = 0; e < edges->edge_count; ++e) {
            count += member[edges->vertices[2 * e]] & member[edges->vertices[2 * e + 1]];
        }
        LY_TRY_DONE(ly_allocate_array(ctx, count, sizeof *ids, &ids));
        sets[s] = (LyraMeshVertexSet){.name = set->name, .vertices = ids, .count = (int32_t)count};
        if (set->count > 0) {
            memcpy(ids, set->vertices, (size_t)set->count * sizeof *ids);
        }
        int64_t at = set->count;
        for (int64_t e = 0; e < edges->edge_count; ++e) {
            if (member[edges->vertices[2 * e]] & member[edges->vertices[2 * e + 1]]) {
                ids[at++] = mesh->vertex_count + (int32_t)e;
            }
        }
        for (int32_t i = 0; i < set->count; ++i) {
            member[set->vertices[i]] = 0;
        }
    }
done:
    ly_release(ctx, member);
    return status;
}

static void fill_quadratic(const LyraMesh *mesh, const LyraMeshEdgesView *edges, double *positions,
                           int32_t *elements)
{
    if (mesh->vertex_count > 0) {
        memcpy(positions, mesh->positions, 3 * (size_t)mesh->vertex_count * sizeof *positions);
    }
    for (int64_t i = 0; i < edges->edge_count; ++i) {
        const double *a = mesh->positions + 3 * (int64_t)edges->vertices[2 * i];
        const double *b = mesh->positions + 3 * (int64_t)edges->vertices[2 * i + 1];
        for (int32_t c = 0; c < 3; ++c) {
            positions[3 * (mesh->vertex_count + i) + c] = 0.5 * a[c] + 0.5 * b[c];
        }
    }
    for (int64_t e = 0; e < mesh->element_count; ++e) {
        memcpy(elements + 10 * e, mesh->elements + 4 * e, 4 * sizeof *elements);
        for (int32_t i = 0; i < 6; ++i) {
            elements[10 * e + 4 + i] =
                mesh->vertex_count + edges->element_edge[6 * e + linear_edge[i]];
        }
    }
}

LyraStatus lyra_mesh_quadratic(const LyraMesh *mesh, LyraMesh **out)
{
    if (mesh->kind != LYRA_ELEMENT_TET4) {
        return ly_fail(LYRA_UNSUPPORTED, "quadratic: the elements are of kind %s, expected tet",
                       lyra_element_kind_name(mesh->kind));
    }
    LyraContext *ctx = mesh->ctx;
    LyraMeshEdges *found = NULL;
    LyraMeshVertexSet *sets = NULL;
    double *positions = NULL;
    int32_t *elements = NULL;
    LyraStatus status = LYRA_OK;
    LY_TRY_DONE(lyra_mesh_edges_create(mesh, &found));
    LyraMeshEdgesView edges = lyra_mesh_edges_view(found);
    for (int64_t i = 0; i < 6 * (int64_t)mesh->element_count; ++i) {
        if (edges.element_edge[i] < 0) {
            LY_TRY_DONE(ly_fail(LYRA_BAD_MESH, "quadratic: element %lld names a vertex twice",
                                (long long)(i / 6)));
        }
    }
    int64_t total = (int64_t)mesh->vertex_count + edges.edge_count;
    if (total > INT32_MAX) {
        LY_TRY_DONE(ly_fail(LYRA_TOO_LARGE, "quadratic: %lld vertices, at most %d",
                            (long long)total, INT32_MAX));
    }
    LY_TRY_DONE(ly_allocate_zeroed(ctx, mesh->vertex_set_count, sizeof *sets, &sets));
    LY_TRY_DONE(widen_sets(mesh, &edges, sets));
    LY_TRY_DONE(ly_allocate_array(ctx, 3 * total, sizeof *positions, &positions));
    LY_TRY_DONE(
        ly_allocate_array(ctx, 10 * (int64_t)mesh->element_count, sizeof *elements, &elements));
    fill_quadratic(mesh, &edges, positions, elements);
    status = rebuild(mesh, LYRA_ELEMENT_TET10, total, positions, elements, sets, out);
    positions = NULL;
    elements = NULL;
done:
    for (int32_t s = 0; s < mesh->vertex_set_count && sets; ++s) {
        ly_release(ctx, (void *)sets[s].vertices);
    }
    ly_release(ctx, sets);
    ly_release(ctx, positions);
    ly_release(ctx, elements);
    lyra_mesh_edges_destroy(found);
    return status;
}

// ---- to four nodes ------------------------------------------------------------------------------

// The corners alone; middle nodes stay as vertices.
static LyraStatus corner_mesh(const LyraMesh *mesh, LyraMesh **out)
{
    int32_t *elements = NULL;
    LY_TRY(ly_allocate_array(mesh->ctx, 4 * (int64_t)mesh->element_count, sizeof *elements,
                             &elements));
    for (int64_t e = 0; e < mesh->element_count; ++e) {
        memcpy(elements + 4 * e, mesh->elements + 10 * e, 4 * sizeof *elements);
    }
    LyraMeshView view = lyra_mesh_view(mesh);
    view.kind = LYRA_ELEMENT_TET4;
    view.elements = elements;
    LyraStatus status = lyra_mesh_create(mesh->ctx, &view, out);
    ly_release(mesh->ctx, elements);
    return status;
}

LyraStatus lyra_mesh_linear(const LyraMesh *mesh, int32_t *vertex_map, LyraMesh **out)
{
    if (mesh->kind != LYRA_ELEMENT_TET10) {
        return ly_fail(LYRA_UNSUPPORTED, "linear: the elements are of kind %s, expected tet10",
                       lyra_element_kind_name(mesh->kind));
    }
    LyraMesh *corners = NULL;
    LY_TRY(corner_mesh(mesh, &corners));
    LyraStatus status = lyra_mesh_remove_orphans(corners, vertex_map, out);
    lyra_mesh_destroy(corners);
    return status;
}

// ---- refinement ---------------------------------------------------------------------------------

// Local node of the parent that is vertex `id`.
static int32_t find_node(const int32_t *parent, int32_t id)
{
    int32_t a = 0;
    while (a < 9 && parent[a] != id) {
        ++a;
    }
    return a;
}

// Moves the middles of the children, whose corners are nodes of `mesh`, to the parents' curves.
static LyraStatus curve_children(const LyraMesh *mesh, LyraMesh *fine)
{
    uint8_t *placed = NULL;
    LY_TRY(ly_allocate_zeroed(mesh->ctx, fine->vertex_count, sizeof *placed, &placed));
    for (int64_t c = 0; c < fine->element_count; ++c) {
        const int32_t *child = fine->elements + 10 * c, *parent = mesh->elements + 10 * (c / 8);
        for (int32_t e = 0; e < 6; ++e) {
            int32_t id = child[4 + e];
            if (placed[id]) {
                continue;
            }
            const int32_t *ends = lyra_element_kind_edge(LYRA_ELEMENT_TET10, e);
            double a[3], b[3], N[10], dN[10][3], x[3] = {0};
            ly_tet10_place(find_node(parent, child[ends[0]]), a);
            ly_tet10_place(find_node(parent, child[ends[1]]), b);
            for (int32_t i = 0; i < 3; ++i) {
                a[i] = 0.5 * (a[i] + b[i]);
            }
            ly_shape_functions(LYRA_ELEMENT_TET10, a, N, dN);
            for (int32_t n = 0; n < 10; ++n) {
                for (int32_t i = 0; i < 3; ++i) {
                    x[i] += N[n] * mesh->positions[3 * (int64_t)parent[n] + i];
                }
            }
            memcpy(fine->positions + 3 * (int64_t)id, x, sizeof x);
            placed[id] = 1;
        }
    }
    ly_release(mesh->ctx, placed);
    return LYRA_OK;
}

LyraStatus ly_refine_quadratic(const LyraMesh *mesh, LyraMesh **out)
{
    LyraContext *ctx = mesh->ctx;
    LyraMesh *corners = NULL, *fine = NULL, *made = NULL;
    int32_t *middles = NULL;
    LyraStatus status = LYRA_OK;
    LY_TRY_DONE(
        ly_allocate_array(ctx, 6 * (int64_t)mesh->element_count, sizeof *middles, &middles));
    for (int64_t e = 0; e < mesh->element_count; ++e) {
        for (int32_t i = 0; i < 6; ++i) {
            middles[6 * e + linear_edge[i]] = mesh->elements[10 * e + 4 + i];
        }
    }
    LY_TRY_DONE(corner_mesh(mesh, &corners));
    LY_TRY_DONE(ly_refine_at(corners, middles, &fine));
    LY_TRY_DONE(lyra_mesh_quadratic(fine, &made));
    LY_TRY_DONE(curve_children(mesh, made));
    *out = made;
    made = NULL;
done:
    ly_release(ctx, middles);
    lyra_mesh_destroy(corners);
    lyra_mesh_destroy(fine);
    lyra_mesh_destroy(made);
    return status;
}

// ---- curving ------------------------------------------------------------------------------------

// Elements that a move has folded get the straight middles of their edges back, until none is left;
// each round straightens one at least.
static void unfold(LyraMesh *mesh)
{
    for (bool folded = true; folded;) {
        folded = false;
        for (int32_t e = 0; e < mesh->element_count; ++e) {
            const int32_t *v = mesh->elements + 10 * (int64_t)e;
            if (ly_element_least_jacobian(mesh, e) > 0) {
                continue;
            }
            for (int32_t i = 0; i < 6; ++i) {
                const int32_t *ends = lyra_element_kind_edge(LYRA_ELEMENT_TET10, i);
                for (int32_t c = 0; c < 3; ++c) {
                    double middle = 0.5 * mesh->positions[3 * (int64_t)v[ends[0]] + c] +
                                    0.5 * mesh->positions[3 * (int64_t)v[ends[1]] + c];
                    double *at = &mesh->positions[3 * (int64_t)v[4 + i] + c];
                    folded = folded || *at != middle;
                    *at = middle;
                }
            }
        }
    }
}

LyraStatus ly_mesh_curve(LyraMesh *mesh, LyMeshProject *project, const void *shape)
{
    LyraMeshBoundary *found = NULL;
    LY_TRY(lyra_mesh_boundary_create(mesh, false, &found));
    LyraMeshBoundaryView boundary = lyra_mesh_boundary_view(found);
    for (int64_t f = 0; f < boundary.face_count; ++f) {
        const int32_t *v = boundary.faces + 6 * f;
        const double *x[3];
        for (int32_t a = 0; a < 3; ++a) {
            x[a] = mesh->positions + 3 * (int64_t)v[a];
        }
        for (int32_t a = 0; a < 3; ++a) {
            double middle[3];
            for (int32_t i = 0; i < 3; ++i) {
                middle[i] = 0.5 * x[a][i] + 0.5 * x[(a + 1) % 3][i];
            }
            if (project(shape, x, middle)) {
                memcpy(mesh->positions + 3 * (int64_t)v[3 + a], middle, sizeof middle);
            }
        }
    }
    lyra_mesh_boundary_destroy(found);
    unfold(mesh);
    return LYRA_OK;
}
