// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// The vector area of a polygon x_0 ... x_n-1 is A = 1/2 sum_i (x_i - x_0) x (x_i+1 - x_0): it does
// not depend on the point of reference, and for a plane polygon, convex or not, it is area times
// normal. The normal of a vertex is the direction of sum_f w_f A_f / |A_f| over its faces, with w_f
// the angle of the face at the vertex or its area |A_f|.

#include "math/vec3.h"
#include "mesh/surface.h"

#include <math.h>
#include <string.h>

static void normalize(double v[3])
{
    // by the largest component first, so that the square neither vanishes nor overflows
    double largest = fmax(fabs(v[0]), fmax(fabs(v[1]), fabs(v[2])));
    if (!(largest > 0 && isfinite(largest))) {
        v[0] = v[1] = v[2] = 0;
        return;
    }
    for (int32_t i = 0; i < 3; ++i) {
        v[i] /= largest;
    }
    double length = sqrt(ly_dot3(v, v));
    for (int32_t i = 0; i < 3; ++i) {
        v[i] /= length;
    }
}

static const double *positions_of(const LyraSurface *surface, const double *positions)
{
    return positions ? positions : surface->arrays.positions;
}

void ly_face_vector_area(const LyraSurface *surface, const double *positions, int32_t face,
                         double area[3])
{
    const int32_t *vertices = surface->arrays.corner_vertices;
    int32_t begin = surface->arrays.face_begin[face], end = surface->arrays.face_begin[face + 1];
    const double *x0 = positions + 3 * (int64_t)vertices[begin];
    double u[3], sum[3] = {0};
    for (int32_t c = begin + 1; c < end; ++c) {
        const double *x = positions + 3 * (int64_t)vertices[c];
        double v[3] = {x[0] - x0[0], x[1] - x0[1], x[2] - x0[2]};
        if (c > begin + 1) {
            sum[0] += u[1] * v[2] - u[2] * v[1];
            sum[1] += u[2] * v[0] - u[0] * v[2];
            sum[2] += u[0] * v[1] - u[1] * v[0];
        }
        memcpy(u, v, sizeof u);
    }
    for (int32_t i = 0; i < 3; ++i) {
        area[i] = 0.5 * sum[i];
    }
}

void lyra_surface_face_normals(const LyraSurface *surface, const double *positions, double *normals)
{
    positions = positions_of(surface, positions);
    for (int32_t f = 0; f < surface->face_count; ++f) {
        double *normal = normals + 3 * (int64_t)f;
        ly_face_vector_area(surface, positions, f, normal);
        normalize(normal);
    }
}

// angle between the sides at a corner, 0 where one has no length
static double corner_angle(const LyraSurface *surface, const double *positions, int32_t f,
                           int32_t c)
{
    const int32_t *vertices = surface->arrays.corner_vertices;
    const int32_t *begin = surface->arrays.face_begin;
    const double *x = positions + 3 * (int64_t)vertices[c];
    const double *next = positions + 3 * (int64_t)vertices[ly_next_corner(begin, f, c)];
    const double *last = positions + 3 * (int64_t)vertices[ly_previous_corner(begin, f, c)];
    double u[3], v[3];
    for (int32_t i = 0; i < 3; ++i) {
        u[i] = next[i] - x[i];
        v[i] = last[i] - x[i];
    }
    normalize(u);
    normalize(v);
    double w[3] = {u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]};
    return atan2(sqrt(ly_dot3(w, w)), ly_dot3(u, v));
}

// adds the share of face f at corner c to `sum`; `area` and `normal` are those of the face
static void add_share(const LyraSurface *surface, const double *positions, LyraNormalWeight weight,
                      int32_t f, int32_t c, const double area[3], const double normal[3],
                      double sum[3])
{
    double angle = weight == LYRA_NORMAL_WEIGHT_ANGLE ? corner_angle(surface, positions, f, c) : 0;
    for (int32_t i = 0; i < 3; ++i) {
        sum[i] += weight == LYRA_NORMAL_WEIGHT_ANGLE ? angle * normal[i] : area[i];
    }
}

void lyra_surface_vertex_normals(const LyraSurface *surface, const double *positions,
                                 LyraNormalWeight weight, double *normals)
{
    LYRA_ASSERT((unsigned)weight < LYRA_NORMAL_WEIGHT_COUNT);
    positions = positions_of(surface, positions);
    const LySurfaceArrays *arrays = &surface->arrays;
    memset(normals, 0, 3 * sizeof *normals * (size_t)surface->vertex_count);
    for (int32_t f = 0; f < surface->face_count; ++f) {
        double area[3], normal[3];
        ly_face_vector_area(surface, positions, f, area);
        memcpy(normal, area, sizeof normal);
        normalize(normal);
        for (int32_t c = arrays->face_begin[f]; c < arrays->face_begin[f + 1]; ++c) {
            add_share(surface, positions, weight, f, c, area, normal,
                      normals + 3 * (int64_t)arrays->corner_vertices[c]);
        }
    }
    for (int32_t v = 0; v < surface->vertex_count; ++v) {
        normalize(normals + 3 * (int64_t)v);
    }
}

// ---- creases ------------------------------------------------------------------------------------

// joins corners across edges that are no crease
static void join_smooth(const LyraSurface *surface, const LySides *sides,
                        const double *face_normals, double crease_angle, int32_t *parents)
{
    // rounding may not part faces that lie in one plane
    double least = cos(crease_angle) - 1e-12;
    for (int64_t i = 0; i < sides->count;) {
        int64_t end = i + 1;
        while (end < sides->count && sides->keys[end] == sides->keys[i]) {
            ++end;
        }
        if (end == i + 2) {
            int32_t a = sides->corners[i], b = sides->corners[i + 1];
            const double *n_a = face_normals + 3 * (int64_t)sides->corner_face[a];
            const double *n_b = face_normals + 3 * (int64_t)sides->corner_face[b];
            if (ly_dot3(n_a, n_b) >= least) {
                ly_fans_join(surface, sides, parents, a, b);
            }
        }
        i = end;
    }
}

// Numbers the fans in the order of their first corners and sums up their normals. `parents` becomes
// the number of the normal of each corner.
static void sum_fans(const LyraSurface *surface, LyraNormalWeight weight, int32_t *parents,
                     double *normals, int32_t *normal_count)
{
    const LySurfaceArrays *arrays = &surface->arrays;
    // parents have lower ids, so that each is a number already when its children come
    *normal_count = 0;
    for (int32_t c = 0; c < surface->corner_count; ++c) {
        if (parents[c] == c) {
            memset(normals + 3 * (int64_t)*normal_count, 0, 3 * sizeof *normals);
            parents[c] = (*normal_count)++;
        } else {
            parents[c] = parents[parents[c]];
        }
    }
    for (int32_t f = 0; f < surface->face_count; ++f) {
        double area[3], normal[3];
        ly_face_vector_area(surface, arrays->positions, f, area);
        memcpy(normal, area, sizeof normal);
        normalize(normal);
        for (int32_t c = arrays->face_begin[f]; c < arrays->face_begin[f + 1]; ++c) {
            add_share(surface, arrays->positions, weight, f, c, area, normal,
                      normals + 3 * (int64_t)parents[c]);
        }
    }
    for (int32_t n = 0; n < *normal_count; ++n) {
        normalize(normals + 3 * (int64_t)n);
    }
}

LyraStatus lyra_surface_split_normals(const LyraSurface *surface, double crease_angle,
                                      LyraNormalWeight weight, LyraSurface **out)
{
    if (!(crease_angle >= 0) || (unsigned)weight >= LYRA_NORMAL_WEIGHT_COUNT) {
        return ly_fail(LYRA_INVALID_ARGUMENT,
                       "normals: the crease angle is negative or the weight unknown");
    }
    LyraContext *ctx = surface->ctx;
    LyraStatus status = LYRA_OK;
    LySides sides = {0};
    double *face_normals = NULL, *normals = NULL;
    int32_t *parents = NULL;
    LY_TRY_DONE(ly_sides_make(surface, &sides));
    LY_TRY_DONE(ly_allocate_array(ctx, 3 * (int64_t)surface->face_count, sizeof *face_normals,
                                  &face_normals));
    LY_TRY_DONE(
        ly_allocate_array(ctx, 3 * (int64_t)surface->corner_count, sizeof *normals, &normals));
    LY_TRY_DONE(ly_allocate_array(ctx, surface->corner_count, sizeof *parents, &parents));
    for (int32_t c = 0; c < surface->corner_count; ++c) {
        parents[c] = c;
    }
    lyra_surface_face_normals(surface, NULL, face_normals);
    join_smooth(surface, &sides, face_normals, fmin(crease_angle, acos(-1)), parents);
    LyraSurfaceView data = lyra_surface_view(surface);
    sum_fans(surface, weight, parents, normals, &data.normal_count);
    data.normals = normals;
    data.corner_normals = parents;
    LY_TRY_DONE(lyra_surface_create(ctx, &data, out));
done:
    ly_sides_release(&sides);
    ly_release(ctx, face_normals);
    ly_release(ctx, normals);
    ly_release(ctx, parents);
    return status;
}
