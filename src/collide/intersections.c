// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Edges of surfaces that pass through faces: pairs by the broad phase, each asked exactly.

#include "math/vec3.h"
#include "mesh/surface.h"

#include "lyra/collide.h"

#include <string.h>

enum { GRAIN = 256 };

// ---- parts of surfaces --------------------------------------------------------------------------

// The triangles of a surface and their edges, at places of an array that surfaces share.
typedef struct Parts {
    int32_t first_vertex, edge_count, triangle_count;
    int32_t *edges, *triangles; // by shared vertices
    int32_t *faces;             // of the surface, by triangle
} Parts;

static void release_parts(LyraContext *ctx, Parts *parts)
{
    ly_release(ctx, parts->edges);
    ly_release(ctx, parts->triangles);
    ly_release(ctx, parts->faces);
}

// the edges of triangles, each once, in order of their vertices
static LyraStatus collect_edges(const LyraSurface *triangles, Parts *parts)
{
    LyraContext *ctx = triangles->ctx;
    LyraStatus status = LYRA_OK;
    LySides sides = {0};
    int64_t count = 0;
    LY_TRY_DONE(ly_sides_make(triangles, &sides));
    for (int64_t s = 0; s < sides.count; ++s) {
        count += s == 0 || sides.keys[s] != sides.keys[s - 1];
    }
    if (count > INT32_MAX) {
        status = ly_fail(LYRA_TOO_LARGE, "surface: more than 2^31 - 1 edges");
        goto done;
    }
    LY_TRY_DONE(ly_allocate_array(ctx, 2 * count, sizeof *parts->edges, &parts->edges));
    for (int64_t s = 0; s < sides.count; ++s) {
        if (s > 0 && sides.keys[s] == sides.keys[s - 1]) {
            continue;
        }
        int32_t *edge = parts->edges + 2 * (int64_t)parts->edge_count++;
        edge[0] = parts->first_vertex + (int32_t)(sides.keys[s] >> 32);
        edge[1] = parts->first_vertex + (int32_t)(sides.keys[s] & 0xffffffffu);
    }
done:
    ly_sides_release(&sides);
    return status;
}

static LyraStatus make_parts(const LyraSurface *surface, int32_t first_vertex, Parts *parts)
{
    LyraContext *ctx = surface->ctx;
    LyraStatus status = LYRA_OK;
    LyraSurface *triangles = NULL;
    parts->first_vertex = first_vertex;
    LY_TRY_DONE(lyra_surface_triangulate(surface, &triangles));
    int32_t count = triangles->face_count;
    LY_TRY_DONE(
        ly_allocate_array(ctx, 3 * (int64_t)count, sizeof *parts->triangles, &parts->triangles));
    LY_TRY_DONE(ly_allocate_array(ctx, count, sizeof *parts->faces, &parts->faces));
    parts->triangle_count = count;
    for (int64_t k = 0; k < 3 * (int64_t)count; ++k) {
        parts->triangles[k] = first_vertex + triangles->arrays.corner_vertices[k];
    }
    const int32_t *begin = surface->arrays.face_begin;
    for (int32_t f = 0; f < surface->face_count; ++f) {
        for (int32_t t = begin[f] - 2 * f; t < begin[f + 1] - 2 * (f + 1); ++t) {
            parts->faces[t] = f;
        }
    }
    LY_TRY_DONE(collect_edges(triangles, parts));
done:
    lyra_surface_destroy(triangles);
    return status;
}

// ---- meetings -----------------------------------------------------------------------------------

// Edges of one part against triangles of another, or of the same.
typedef struct Search {
    const double *positions;
    const Parts *edges, *triangles;
    LyraPairList list;
    int32_t pieces;
    uint8_t *meetings; // LyraMeeting of each pair
} Search;

static void meet_piece(void *data, int32_t index, int32_t worker)
{
    (void)worker;
    const Search *search = data;
    const double *x = search->positions;
    int64_t end = ly_piece_begin(search->list.count, search->pieces, index + 1);
    for (int64_t k = ly_piece_begin(search->list.count, search->pieces, index); k < end; ++k) {
        const int32_t *pair = search->list.pairs + 2 * k;
        const int32_t *e = search->edges->edges + 2 * (int64_t)pair[0];
        const int32_t *t = search->triangles->triangles + 3 * (int64_t)pair[1];
        search->meetings[k] = (uint8_t)lyra_edge_meets_triangle(
            x + 3 * (int64_t)e[0], x + 3 * (int64_t)e[1], x + 3 * (int64_t)t[0],
            x + 3 * (int64_t)t[1], x + 3 * (int64_t)t[2]);
    }
}

// Where an edge passes the plane of a triangle, to rounding; its middle if it lies in it.
static void meeting_point(const double p[3], const double q[3], const double a[3],
                          const double b[3], const double c[3], double point[3])
{
    double u[3], v[3], n[3], w[3];
    ly_subtract3(b, a, u);
    ly_subtract3(c, a, v);
    ly_cross3(u, v, n);
    ly_subtract3(p, a, w);
    double from = ly_dot3(w, n);
    ly_subtract3(q, a, w);
    double to = ly_dot3(w, n), t = from != to ? from / (from - to) : 0.5;
    t = t > 0 ? t < 1 ? t : 1 : 0;
    for (int32_t i = 0; i < 3; ++i) {
        point[i] = (1 - t) * p[i] + t * q[i];
    }
}

static void list_meetings(const Search *search, bool second, int64_t room, LyraIntersection *found,
                          LyraIntersectionReport *report)
{
    const double *x = search->positions;
    for (int64_t k = 0; k < search->list.count; ++k) {
        if (search->meetings[k] == LYRA_MEETING_NONE) {
            continue;
        }
        bool touch = search->meetings[k] == LYRA_MEETING_TOUCH;
        if (report->count < room) {
            const int32_t *pair = search->list.pairs + 2 * k;
            const int32_t *e = search->edges->edges + 2 * (int64_t)pair[0];
            const int32_t *t = search->triangles->triangles + 3 * (int64_t)pair[1];
            LyraIntersection *item = &found[report->count];
            *item = (LyraIntersection){
                .edge = {e[0] - search->edges->first_vertex, e[1] - search->edges->first_vertex},
                .face = search->triangles->faces[pair[1]],
                .second = second,
                .touch = touch,
            };
            meeting_point(x + 3 * (int64_t)e[0], x + 3 * (int64_t)e[1], x + 3 * (int64_t)t[0],
                          x + 3 * (int64_t)t[1], x + 3 * (int64_t)t[2], item->point);
        }
        ++report->count;
        report->touches += touch;
    }
}

static LyraStatus search_parts(LyraContext *ctx, Search *search, int32_t vertex_count, bool second,
                               int64_t room, LyraIntersection *found,
                               LyraIntersectionReport *report)
{
    LyraPrimitives primitives = {
        .vertex_count = vertex_count,
        .edge_count = search->edges->edge_count,
        .edges = search->edges->edges,
        .triangle_count = search->triangles->triangle_count,
        .triangles = search->triangles->triangles,
    };
    LyraBroadPhase *phase = NULL;
    LyraStatus status = LYRA_OK;
    search->meetings = NULL;
    LY_TRY_DONE(lyra_broad_phase_create(ctx, &primitives, &phase));
    LY_TRY_DONE(lyra_broad_phase_update(phase, search->positions, NULL, 0));
    LY_TRY_DONE(lyra_broad_phase_pairs(phase, LYRA_PAIR_EDGE_TRIANGLE, &search->list));
    LY_TRY_DONE(
        ly_allocate_array(ctx, search->list.count, sizeof *search->meetings, &search->meetings));
    search->pieces = ly_piece_count(search->list.count, GRAIN);
    ly_parallel_for(ctx, search->pieces, meet_piece, search);
    list_meetings(search, second, room, found, report);
done:
    ly_release(ctx, search->meetings);
    lyra_broad_phase_destroy(phase);
    return status;
}

LyraStatus lyra_surface_intersections(const LyraSurface *surface, const LyraSurface *other,
                                      int64_t room, LyraIntersection *found,
                                      LyraIntersectionReport *report)
{
    LyraContext *ctx = surface->ctx;
    LyraStatus status = LYRA_OK;
    LyraIntersectionReport made = {0};
    Parts parts[2] = {{0}, {0}};
    double *positions = NULL;
    int64_t vertices = (int64_t)surface->vertex_count + (other ? other->vertex_count : 0);
    if (vertices > INT32_MAX) {
        return ly_fail(LYRA_TOO_LARGE, "intersections: more than 2^31 - 1 vertices in all");
    }
    LY_TRY_DONE(ly_allocate_array(ctx, 3 * vertices, sizeof *positions, &positions));
    memcpy(positions, surface->arrays.positions,
           3 * (size_t)surface->vertex_count * sizeof *positions);
    LY_TRY_DONE(make_parts(surface, 0, &parts[0]));
    if (other) {
        memcpy(positions + 3 * (int64_t)surface->vertex_count, other->arrays.positions,
               3 * (size_t)other->vertex_count * sizeof *positions);
        LY_TRY_DONE(make_parts(other, surface->vertex_count, &parts[1]));
    }
    for (int32_t s = 0; s < (other ? 2 : 1); ++s) {
        Search search = {
            .positions = positions,
            .edges = &parts[s],
            .triangles = &parts[other ? 1 - s : 0],
        };
        LY_TRY_DONE(search_parts(ctx, &search, (int32_t)vertices, s == 1, room, found, &made));
    }
    if (report) {
        *report = made;
    }
done:
    release_parts(ctx, &parts[0]);
    release_parts(ctx, &parts[1]);
    ly_release(ctx, positions);
    return status;
}
