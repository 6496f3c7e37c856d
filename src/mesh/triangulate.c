// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Polygons to triangles. A polygon is seen along the axis its vector area is closest to, turned so
// that it runs counter-clockwise. If it turns left everywhere and the fan from its first corner has
// no triangle that is turned over, that fan is the answer. Otherwise ears are cut off: an ear is a
// corner that turns left and whose triangle holds no corner that turns right. Every simple polygon
// has two ears, and after a cut the state of its two neighbours is found anew, which takes
// quadratic time in all. Where a polygon crosses itself and no ear is left, a corner is cut off all
// the same, so that n corners always give n - 2 triangles.

#include "mesh/surface.h"

#include <math.h>
#include <string.h>

enum { EAR_CORNERS_MAX = 65536, REFRESH_MAX = 16 };

// a polygon while it is being cut
typedef struct Polygon {
    int32_t count;            // corners left
    double (*points)[2];      // of all corners
    int32_t *next, *previous; // ring of the corners left
    uint8_t *state;
} Polygon;

enum { TURNS_RIGHT = 1, IS_EAR = 2 };

static double turn(const double a[2], const double b[2], const double c[2])
{
    return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]);
}

static void project(const LyraSurface *surface, int32_t face, double (*points)[2])
{
    const LySurfaceArrays *arrays = &surface->arrays;
    double area[3];
    ly_face_vector_area(surface, arrays->positions, face, area);
    int32_t axis = 0;
    for (int32_t i = 1; i < 3; ++i) {
        axis = fabs(area[i]) > fabs(area[axis]) ? i : axis;
    }
    // right-handed axes of the plane, swapped if the polygon looks the other way
    int32_t u = (axis + 1) % 3, v = (axis + 2) % 3;
    if (area[axis] < 0) {
        int32_t swap = u;
        u = v;
        v = swap;
    }
    int32_t begin = arrays->face_begin[face], end = arrays->face_begin[face + 1];
    const double *x0 = arrays->positions + 3 * (int64_t)arrays->corner_vertices[begin];
    for (int32_t c = begin; c < end; ++c) {
        const double *x = arrays->positions + 3 * (int64_t)arrays->corner_vertices[c];
        points[c - begin][0] = x[u] - x0[u];
        points[c - begin][1] = x[v] - x0[v];
    }
}

static bool fan_fits(int32_t count, double (*points)[2])
{
    for (int32_t i = 0; i < count; ++i) {
        int32_t next = i + 1 < count ? i + 1 : 0, last = i > 0 ? i - 1 : count - 1;
        if (turn(points[last], points[i], points[next]) < 0 ||
            (i > 0 && next > 0 && turn(points[0], points[i], points[next]) < 0)) {
            return false;
        }
    }
    return true;
}

// ---- ears ---------------------------------------------------------------------------------------

static bool same_place(const double a[2], const double b[2])
{
    return a[0] == b[0] && a[1] == b[1];
}

static bool find_ear(const Polygon *polygon, int32_t i)
{
    const double *a = polygon->points[polygon->previous[i]], *b = polygon->points[i];
    const double *c = polygon->points[polygon->next[i]];
    if (turn(a, b, c) <= 0) {
        return false;
    }
    int32_t end = polygon->previous[i];
    for (int32_t k = polygon->next[polygon->next[i]]; k != end; k = polygon->next[k]) {
        const double *p = polygon->points[k];
        if ((polygon->state[k] & TURNS_RIGHT) && turn(a, b, p) >= 0 && turn(b, c, p) >= 0 &&
            turn(c, a, p) >= 0 && !same_place(p, a) && !same_place(p, b) && !same_place(p, c)) {
            return false;
        }
    }
    return true;
}

static void find_turn(const Polygon *polygon, int32_t i)
{
    double t = turn(polygon->points[polygon->previous[i]], polygon->points[i],
                    polygon->points[polygon->next[i]]);
    polygon->state[i] = t < 0 ? TURNS_RIGHT : 0;
}

static void find_state(const Polygon *polygon, int32_t i)
{
    find_turn(polygon, i);
    polygon->state[i] |= find_ear(polygon, i) ? IS_EAR : 0;
}

static void find_all_states(const Polygon *polygon, int32_t first)
{
    int32_t i = first;
    do {
        find_turn(polygon, i);
        i = polygon->next[i];
    } while (i != first);
    do {
        polygon->state[i] |= find_ear(polygon, i) ? IS_EAR : 0;
        i = polygon->next[i];
    } while (i != first);
}

// writes triangles as corners of the face, [count - 2][3]
static void cut_ears(Polygon *polygon, int32_t (*triangles)[3])
{
    for (int32_t i = 0; i < polygon->count; ++i) {
        polygon->next[i] = i + 1 < polygon->count ? i + 1 : 0;
        polygon->previous[i] = i > 0 ? i - 1 : polygon->count - 1;
    }
    find_all_states(polygon, 0);
    int32_t at = 0, refreshes = 0;
    while (polygon->count > 3) {
        int32_t steps = 0;
        while (steps < polygon->count && !(polygon->state[at] & IS_EAR)) {
            at = polygon->next[at];
            ++steps;
        }
        // a cut may also have freed an ear farther away
        if (steps == polygon->count && refreshes < REFRESH_MAX) {
            ++refreshes;
            find_all_states(polygon, at);
            for (; steps > 0 && !(polygon->state[at] & IS_EAR); --steps) {
                at = polygon->next[at];
            }
        }
        // no ear at all: take a corner that does not turn right, or any
        bool ear = (polygon->state[at] & IS_EAR) != 0;
        for (steps = 0; !ear && steps < polygon->count && (polygon->state[at] & TURNS_RIGHT);
             ++steps) {
            at = polygon->next[at];
        }
        int32_t before = polygon->previous[at], after = polygon->next[at];
        memcpy(*triangles++, (int32_t[3]){before, at, after}, sizeof *triangles);
        polygon->next[before] = after;
        polygon->previous[after] = before;
        --polygon->count;
        find_state(polygon, before);
        find_state(polygon, after);
        at = after;
    }
    memcpy(*triangles, (int32_t[3]){polygon->previous[at], at, polygon->next[at]},
           sizeof *triangles);
}

static LyraStatus cut_face(const LyraSurface *surface, int32_t face, Polygon *polygon,
                           int32_t (*triangles)[3])
{
    const int32_t *begin = surface->arrays.face_begin;
    int32_t count = begin[face + 1] - begin[face];
    bool fan = count == 3;
    if (!fan) {
        project(surface, face, polygon->points);
        fan = fan_fits(count, polygon->points);
    }
    if (!fan && count > EAR_CORNERS_MAX) {
        return ly_fail(LYRA_TOO_LARGE,
                       "triangulation: face %d has %d corners and is not convex, expected at most "
                       "%d corners",
                       face, count, EAR_CORNERS_MAX);
    }
    if (fan) {
        for (int32_t t = 0; t < count - 2; ++t) {
            memcpy(triangles[t], (int32_t[3]){0, t + 1, t + 2}, sizeof triangles[t]);
        }
    } else {
        polygon->count = count;
        cut_ears(polygon, triangles);
    }
    for (int32_t t = 0; t < count - 2; ++t) {
        for (int32_t k = 0; k < 3; ++k) {
            triangles[t][k] += begin[face];
        }
    }
    return LYRA_OK;
}

// ---- the surface --------------------------------------------------------------------------------

static LyraStatus cut_faces(const LyraSurface *surface, int32_t (*triangles)[3])
{
    LyraContext *ctx = surface->ctx;
    const int32_t *begin = surface->arrays.face_begin;
    int32_t largest = 0;
    for (int32_t f = 0; f < surface->face_count; ++f) {
        int32_t count = begin[f + 1] - begin[f];
        largest = count > largest ? count : largest;
    }
    LyraStatus status = LYRA_OK;
    Polygon polygon = {0};
    LY_TRY_DONE(ly_allocate_array(ctx, largest, sizeof *polygon.points, &polygon.points));
    LY_TRY_DONE(ly_allocate_array(ctx, largest, sizeof *polygon.next, &polygon.next));
    LY_TRY_DONE(ly_allocate_array(ctx, largest, sizeof *polygon.previous, &polygon.previous));
    LY_TRY_DONE(ly_allocate_array(ctx, largest, sizeof *polygon.state, &polygon.state));
    for (int32_t f = 0; f < surface->face_count; ++f) {
        LY_TRY_DONE(cut_face(surface, f, &polygon, triangles));
        triangles += begin[f + 1] - begin[f] - 2;
    }
done:
    ly_release(ctx, polygon.points);
    ly_release(ctx, polygon.next);
    ly_release(ctx, polygon.previous);
    ly_release(ctx, polygon.state);
    return status;
}

static LyraStatus pick(LyraContext *ctx, const int32_t *source, int32_t count, const int32_t *ids,
                       int32_t **out)
{
    if (!source) {
        return LYRA_OK;
    }
    LY_TRY(ly_allocate_array(ctx, count, sizeof **out, out));
    for (int32_t i = 0; i < count; ++i) {
        (*out)[i] = source[ids[i]];
    }
    return LYRA_OK;
}

LyraStatus lyra_surface_triangulate(const LyraSurface *surface, LyraSurface **out)
{
    LyraContext *ctx = surface->ctx;
    const LySurfaceArrays *arrays = &surface->arrays;
    int64_t triangle_count = surface->corner_count - 2 * (int64_t)surface->face_count;
    if (triangle_count > INT32_MAX / 3) {
        return ly_fail(LYRA_TOO_LARGE, "triangulation: %lld triangles, expected at most %d",
                       (long long)triangle_count, INT32_MAX / 3);
    }
    LyraStatus status = LYRA_OK;
    LyraSurfaceView data = lyra_surface_view(surface);
    int32_t(*triangles)[3] = NULL;
    LySurfaceArrays made = {0};
    int32_t *owners = NULL;
    data.face_count = (int32_t)triangle_count;
    data.corner_count = 3 * data.face_count;
    LY_TRY_DONE(ly_allocate_array(ctx, triangle_count, sizeof *triangles, &triangles));
    LY_TRY_DONE(ly_allocate_array(ctx, triangle_count, sizeof *owners, &owners));
    LY_TRY_DONE(
        ly_allocate_array(ctx, triangle_count + 1, sizeof *made.face_begin, &made.face_begin));
    LY_TRY_DONE(cut_faces(surface, triangles));
    for (int32_t f = 0; f < surface->face_count; ++f) {
        int32_t end = arrays->face_begin[f + 1] - 2 * (f + 1);
        for (int32_t t = arrays->face_begin[f] - 2 * f; t < end; ++t) {
            owners[t] = f;
        }
    }
    for (int32_t t = 0; t <= data.face_count; ++t) {
        made.face_begin[t] = 3 * t;
    }
    const int32_t *corners = &triangles[0][0];
    LY_TRY_DONE(
        pick(ctx, arrays->corner_vertices, data.corner_count, corners, &made.corner_vertices));
    LY_TRY_DONE(
        pick(ctx, arrays->corner_texcoords, data.corner_count, corners, &made.corner_texcoords));
    LY_TRY_DONE(
        pick(ctx, arrays->corner_normals, data.corner_count, corners, &made.corner_normals));
    LY_TRY_DONE(pick(ctx, arrays->face_groups, data.face_count, owners, &made.face_groups));
    LY_TRY_DONE(pick(ctx, arrays->face_materials, data.face_count, owners, &made.face_materials));
    data.face_begin = made.face_begin;
    data.corner_vertices = made.corner_vertices;
    data.corner_texcoords = made.corner_texcoords;
    data.corner_normals = made.corner_normals;
    data.face_groups = made.face_groups;
    data.face_materials = made.face_materials;
    LY_TRY_DONE(lyra_surface_create(ctx, &data, out));
done:
    ly_surface_arrays_release(ctx, &made);
    ly_release(ctx, triangles);
    ly_release(ctx, owners);
    return status;
}
