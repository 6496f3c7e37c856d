// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// How the faces of a surface hang together. All sides of faces are sorted by their pair of
// vertices; sides with one pair make an edge. Fans of faces around vertices and connected parts
// come from forests (union-find), so that the whole takes linear time whatever the surface.

#include "base/forest.h"
#include "mesh/sort.h"
#include "mesh/surface.h"

#include <math.h>
#include <string.h>

// ---- sides and fans -----------------------------------------------------------------------------

LyraStatus ly_sides_make(const LyraSurface *surface, LySides *sides)
{
    LyraContext *ctx = surface->ctx;
    const LySurfaceArrays *arrays = &surface->arrays;
    LySides made = {.ctx = ctx};
    LyraStatus status = LYRA_OK;
    LY_TRY_DONE(ly_allocate_array(ctx, surface->corner_count, sizeof *made.keys, &made.keys));
    LY_TRY_DONE(ly_allocate_array(ctx, surface->corner_count, sizeof *made.corners, &made.corners));
    LY_TRY_DONE(
        ly_allocate_array(ctx, surface->corner_count, sizeof *made.corner_face, &made.corner_face));
    for (int32_t f = 0; f < surface->face_count; ++f) {
        for (int32_t c = arrays->face_begin[f]; c < arrays->face_begin[f + 1]; ++c) {
            made.corner_face[c] = f;
            uint64_t a = (uint64_t)arrays->corner_vertices[c];
            uint64_t b =
                (uint64_t)arrays->corner_vertices[ly_next_corner(arrays->face_begin, f, c)];
            if (a != b) {
                made.keys[made.count] = a < b ? a << 32 | b : b << 32 | a;
                made.corners[made.count++] = c;
            }
        }
    }
    LY_TRY_DONE(ly_sort_keys(ctx, made.count, made.keys, made.corners));
    *sides = made;
done:
    if (status != LYRA_OK) {
        ly_sides_release(&made);
    }
    return status;
}

void ly_sides_release(LySides *sides)
{
    ly_release(sides->ctx, sides->keys);
    ly_release(sides->ctx, sides->corners);
    ly_release(sides->ctx, sides->corner_face);
    *sides = (LySides){0};
}

void ly_fans_join(const LyraSurface *surface, const LySides *sides, int32_t *parents, int32_t a,
                  int32_t b)
{
    const LySurfaceArrays *arrays = &surface->arrays;
    int32_t a_end = ly_next_corner(arrays->face_begin, sides->corner_face[a], a);
    int32_t b_end = ly_next_corner(arrays->face_begin, sides->corner_face[b], b);
    bool same_way = arrays->corner_vertices[a] == arrays->corner_vertices[b];
    ly_forest_join(parents, a, same_way ? b : b_end);
    ly_forest_join(parents, a_end, same_way ? b_end : b);
}

// ---- report -------------------------------------------------------------------------------------

static void count_edges(const LyraSurface *surface, const LySides *sides, int32_t *parents,
                        LyraSurfaceReport *report)
{
    for (int64_t i = 0; i < sides->count;) {
        int64_t end = i + 1;
        while (end < sides->count && sides->keys[end] == sides->keys[i]) {
            ly_fans_join(surface, sides, parents, sides->corners[i], sides->corners[end]);
            ++end;
        }
        ++report->edges;
        report->boundary_edges += end - i == 1;
        report->non_manifold_edges += end - i > 2;
        if (end - i == 2) {
            const int32_t *vertices = surface->arrays.corner_vertices;
            report->inconsistent_edges +=
                vertices[sides->corners[i]] == vertices[sides->corners[i + 1]];
        }
        i = end;
    }
}

// fans of more than one root at a vertex; `first` [vertex_count] is scratch
static void count_vertices(const LyraSurface *surface, int32_t *parents, int32_t *first,
                           LyraSurfaceReport *report)
{
    enum { NONE = -1, SEVERAL = -2 };
    for (int32_t v = 0; v < surface->vertex_count; ++v) {
        first[v] = NONE;
    }
    for (int32_t c = 0; c < surface->corner_count; ++c) {
        int32_t v = surface->arrays.corner_vertices[c];
        int32_t root = ly_forest_root(parents, c);
        if (first[v] == NONE) {
            first[v] = root;
        } else if (first[v] != SEVERAL && first[v] != root) {
            first[v] = SEVERAL;
            ++report->non_manifold_vertices;
        }
    }
    for (int32_t v = 0; v < surface->vertex_count; ++v) {
        report->unused_vertices += first[v] == NONE;
    }
}

// parts connected by vertices; `parents` [vertex_count] is scratch
static void count_components(const LyraSurface *surface, int32_t *parents,
                             LyraSurfaceReport *report)
{
    const LySurfaceArrays *arrays = &surface->arrays;
    for (int32_t v = 0; v < surface->vertex_count; ++v) {
        parents[v] = v;
    }
    // as many parts as used vertices, one less with each join that connects two
    int64_t parts = (int64_t)surface->vertex_count - report->unused_vertices;
    for (int32_t f = 0; f < surface->face_count; ++f) {
        for (int32_t c = arrays->face_begin[f] + 1; c < arrays->face_begin[f + 1]; ++c) {
            int32_t a = arrays->corner_vertices[c - 1], b = arrays->corner_vertices[c];
            parts -= ly_forest_root(parents, a) != ly_forest_root(parents, b);
            ly_forest_join(parents, a, b);
        }
    }
    report->components = (int32_t)parts;
}

// `last` [vertex_count] is scratch: the last face seen at each vertex
static void count_faces(const LyraSurface *surface, int32_t *last, LyraSurfaceReport *report)
{
    const LySurfaceArrays *arrays = &surface->arrays;
    for (int32_t v = 0; v < surface->vertex_count; ++v) {
        last[v] = -1;
    }
    for (int32_t f = 0; f < surface->face_count; ++f) {
        int32_t corners = arrays->face_begin[f + 1] - arrays->face_begin[f];
        report->triangles += corners == 3;
        report->quads += corners == 4;
        report->polygons += corners > 4;
        bool twice = false;
        for (int32_t c = arrays->face_begin[f]; c < arrays->face_begin[f + 1]; ++c) {
            int32_t v = arrays->corner_vertices[c];
            twice |= last[v] == f;
            last[v] = f;
        }
        double area[3];
        ly_face_vector_area(surface, arrays->positions, f, area);
        report->degenerate_faces += twice || (area[0] == 0 && area[1] == 0 && area[2] == 0);
    }
}

LyraStatus lyra_surface_report(const LyraSurface *surface, LyraSurfaceReport *report)
{
    LyraContext *ctx = surface->ctx;
    LyraStatus status = LYRA_OK;
    LyraSurfaceReport found = {0};
    LySides sides = {.ctx = ctx};
    int32_t *parents = NULL, *scratch = NULL;
    LY_TRY_DONE(ly_sides_make(surface, &sides));
    LY_TRY_DONE(ly_allocate_array(ctx, surface->corner_count, sizeof *parents, &parents));
    LY_TRY_DONE(ly_allocate_array(ctx, surface->vertex_count, sizeof *scratch, &scratch));
    for (int32_t c = 0; c < surface->corner_count; ++c) {
        parents[c] = c;
    }
    count_edges(surface, &sides, parents, &found);
    count_vertices(surface, parents, scratch, &found);
    count_components(surface, scratch, &found);
    count_faces(surface, scratch, &found);
    found.euler =
        (int64_t)surface->vertex_count - found.unused_vertices - found.edges + surface->face_count;
    found.closed = found.edges > 0 && found.boundary_edges == 0;
    found.manifold = found.non_manifold_edges == 0 && found.non_manifold_vertices == 0;
    found.oriented = found.non_manifold_edges == 0 && found.inconsistent_edges == 0;
    *report = found;
done:
    ly_sides_release(&sides);
    ly_release(ctx, parents);
    ly_release(ctx, scratch);
    return status;
}

// ---- measures -----------------------------------------------------------------------------------

LyraSurfaceMeasure lyra_surface_measure(const LyraSurface *surface, const double *positions)
{
    const LySurfaceArrays *arrays = &surface->arrays;
    positions = positions ? positions : arrays->positions;
    LyraSurfaceMeasure measure = {0};
    for (int64_t i = 0; i < 3 * (int64_t)surface->vertex_count; ++i) {
        double x = positions[i];
        measure.low[i % 3] = i < 3 ? x : fmin(measure.low[i % 3], x);
        measure.high[i % 3] = i < 3 ? x : fmax(measure.high[i % 3], x);
    }
    // volumes of tets from the centre of the box, where they cancel least
    double center[3];
    for (int32_t i = 0; i < 3; ++i) {
        center[i] = 0.5 * measure.low[i] + 0.5 * measure.high[i];
    }
    for (int32_t f = 0; f < surface->face_count; ++f) {
        double area[3], face_area = 0;
        ly_face_vector_area(surface, positions, f, area);
        // the fan of a plane polygon has its vector area; out of plane its triangles differ
        const int32_t *vertices = arrays->corner_vertices + arrays->face_begin[f];
        int32_t corners = arrays->face_begin[f + 1] - arrays->face_begin[f];
        const double *x0 = positions + 3 * (int64_t)vertices[0];
        double volume = 0;
        for (int32_t c = 1; c + 1 < corners; ++c) {
            const double *x1 = positions + 3 * (int64_t)vertices[c];
            const double *x2 = positions + 3 * (int64_t)vertices[c + 1];
            double u[3], v[3], r[3];
            for (int32_t i = 0; i < 3; ++i) {
                u[i] = x1[i] - x0[i];
                v[i] = x2[i] - x0[i];
                r[i] = x0[i] - center[i];
            }
            double n[3] = {u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2],
                           u[0] * v[1] - u[1] * v[0]};
            volume += (r[0] * n[0] + r[1] * n[1] + r[2] * n[2]) / 6;
            // signed by the face as a whole, so that a fan over a bay counts right
            double along = n[0] * area[0] + n[1] * area[1] + n[2] * area[2];
            double size = 0.5 * sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
            face_area += along < 0 ? -size : size;
        }
        measure.area += face_area;
        measure.volume += volume;
    }
    return measure;
}
