// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Surfaces of shapes, to be shown: turned profiles, boxes, squares of planes, grids of heights.

#include "collide/shape.h"

#include "math/vec3.h"

#include <math.h>
#include <string.h>

#define AROUND 48
#define ARC 12 // of a quarter
#define PROFILE_MAX (4 * ARC + 8)

typedef struct Builder {
    LyraContext *ctx;
    int32_t vertices, faces;
    double *positions;
    int32_t *begin, *corners; // four to a face
} Builder;

static LyraStatus reserve(LyraContext *ctx, int64_t vertices, int64_t faces, Builder *out)
{
    *out = (Builder){.ctx = ctx};
    if (vertices > INT32_MAX || 4 * faces > INT32_MAX) {
        return ly_fail(LYRA_TOO_LARGE, "a surface of %lld faces to show", (long long)faces);
    }
    LyraStatus status = LYRA_OK;
    LY_TRY_DONE(ly_allocate_array(ctx, 3 * vertices, sizeof(double), &out->positions));
    LY_TRY_DONE(ly_allocate_array(ctx, faces + 1, sizeof(int32_t), &out->begin));
    LY_TRY_DONE(ly_allocate_array(ctx, 4 * faces, sizeof(int32_t), &out->corners));
    out->begin[0] = 0;
    return LYRA_OK;
done:
    ly_release(ctx, out->positions);
    ly_release(ctx, out->begin);
    return status;
}

static void add_vertex(Builder *b, const double x[3])
{
    memcpy(b->positions + 3 * (int64_t)b->vertices++, x, 3 * sizeof *x);
}

// a quad, or a triangle where d is c
static void add_face(Builder *b, int32_t p, int32_t q, int32_t r, int32_t s)
{
    int32_t at = b->begin[b->faces];
    const int32_t all[4] = {p, q, r, s};
    int32_t count = r == s ? 3 : 4;
    memcpy(b->corners + at, all, (size_t)count * sizeof *all);
    b->begin[++b->faces] = at + count;
}

static LyraStatus finish(Builder *b, LyraSurface **out)
{
    const LyraSurfaceView view = {.vertex_count = b->vertices,
                                  .face_count = b->faces,
                                  .corner_count = b->begin[b->faces],
                                  .positions = b->positions,
                                  .face_begin = b->begin,
                                  .corner_vertices = b->corners};
    LyraStatus status = lyra_surface_create(b->ctx, &view, out);
    ly_release(b->ctx, b->positions);
    ly_release(b->ctx, b->begin);
    ly_release(b->ctx, b->corners);
    return status;
}

// the place of the frame of a term where it has the coordinates q
static void place(const LyTerm *term, const double q[3], double x[3])
{
    const double *A = term->axes;
    for (int i = 0; i < 3; ++i) {
        x[i] = term->origin[i] + A[i] * q[0] + A[3 + i] * q[1] + A[6 + i] * q[2];
    }
}

// points of an arc in the half-plane, from one angle to another
static int32_t add_arc(double rho, double y, double r, double from, double to, int32_t steps,
                       double (*profile)[2], int32_t count)
{
    for (int32_t k = 0; k <= steps; ++k) {
        double a = from + (to - from) * k / steps;
        profile[count][0] = fmax(rho + r * cos(a), 0);
        profile[count++][1] = y + r * sin(a);
    }
    return count;
}

// from the lower end of the axis to the upper one; of a torus all around
static int32_t find_profile(const LyTerm *term, double (*profile)[2])
{
    const double half = 1.5707963267948966;
    double h = term->half[1], r = term->radius;
    int32_t count = 0;
    switch (term->kind) {
    case LY_TERM_CAPSULE:
        count = add_arc(0, -h, r, -half, 0, ARC, profile, 0);
        return add_arc(0, h, r, 0, half, ARC, profile, count);
    case LY_TERM_TORUS:
        return add_arc(r, 0, term->tube, -half, 3 * half, 4 * ARC, profile, 0);
    default:
        if (term->kind == LY_TERM_CYLINDER) {
            profile[count][0] = 0;
            profile[count++][1] = -h;
        }
        profile[count][0] = r;
        profile[count++][1] = -h;
        profile[count][0] = r;
        profile[count++][1] = h;
        if (term->kind == LY_TERM_CYLINDER) {
            profile[count][0] = 0;
            profile[count++][1] = h;
        }
        return count;
    }
}

static LyraStatus turn_profile(LyraContext *ctx, const LyTerm *term, LyraSurface **out)
{
    double profile[PROFILE_MAX][2];
    int32_t count = find_profile(term, profile);
    Builder b;
    LY_TRY(reserve(ctx, (int64_t)count * AROUND, (int64_t)(count - 1) * AROUND, &b));
    for (int32_t j = 0; j < count; ++j) {
        for (int32_t i = 0; i < AROUND; ++i) {
            double a = 6.283185307179586 * i / AROUND, x[3];
            const double q[3] = {profile[j][0] * cos(a), profile[j][1], -profile[j][0] * sin(a)};
            place(term, q, x);
            add_vertex(&b, x);
        }
    }
    for (int32_t j = 0; j + 1 < count; ++j) {
        for (int32_t i = 0; i < AROUND; ++i) {
            int32_t next = (i + 1) % AROUND, low = j * AROUND, high = low + AROUND;
            if (profile[j][0] == 0) {
                add_face(&b, low + i, high + next, high + i, high + i);
            } else if (profile[j + 1][0] == 0) {
                add_face(&b, low + i, low + next, high + i, high + i);
            } else {
                add_face(&b, low + i, low + next, high + next, high + i);
            }
        }
    }
    return finish(&b, out);
}

static LyraStatus make_box(LyraContext *ctx, const LyTerm *term, LyraSurface **out)
{
    static const int32_t faces[6][4] = {{0, 4, 6, 2}, {1, 3, 7, 5}, {0, 1, 5, 4},
                                        {2, 6, 7, 3}, {0, 2, 3, 1}, {4, 5, 7, 6}};
    Builder b;
    LY_TRY(reserve(ctx, 8, 6, &b));
    for (int32_t k = 0; k < 8; ++k) {
        double q[3], x[3];
        for (int i = 0; i < 3; ++i) {
            q[i] = k >> i & 1 ? term->half[i] : -term->half[i];
        }
        place(term, q, x);
        add_vertex(&b, x);
    }
    for (int32_t f = 0; f < 6; ++f) {
        add_face(&b, faces[f][0], faces[f][1], faces[f][2], faces[f][3]);
    }
    return finish(&b, out);
}

// the walls of a box from inside, and planes: a square of each around what is nearest to `center`
static LyraStatus make_planes(const LyraShape *shape, const double center[3], double extent,
                              LyraSurface **out)
{
    Builder b;
    LY_TRY(reserve(shape->ctx, 4 * (int64_t)shape->term_count, shape->term_count, &b));
    for (int32_t t = 0; t < shape->term_count; ++t) {
        const LyTerm *term = &shape->terms[t];
        double d[3];
        ly_subtract3(center, term->origin, d);
        double u = ly_dot3(term->axes, d), w = ly_dot3(term->axes + 6, d);
        for (int k = 0; k < 4; ++k) {
            const double q[3] = {u + (k == 1 || k == 2 ? extent : -extent), 0,
                                 w + (k < 2 ? extent : -extent)};
            double x[3];
            place(term, q, x);
            add_vertex(&b, x);
        }
        add_face(&b, 4 * t, 4 * t + 1, 4 * t + 2, 4 * t + 3);
    }
    return finish(&b, out);
}

static LyraStatus make_heights(LyraContext *ctx, const LyTerm *term, LyraSurface **out)
{
    int32_t nx = term->count[0], nz = term->count[2];
    Builder b;
    LY_TRY(reserve(ctx, (int64_t)nx * nz, (int64_t)(nx - 1) * (nz - 1), &b));
    for (int32_t j = 0; j < nz; ++j) {
        for (int32_t i = 0; i < nx; ++i) {
            const double q[3] = {i * term->spacing, term->values[(int64_t)j * nx + i],
                                 j * term->spacing};
            double x[3];
            place(term, q, x);
            add_vertex(&b, x);
        }
    }
    for (int32_t j = 0; j + 1 < nz; ++j) {
        for (int32_t i = 0; i + 1 < nx; ++i) {
            int32_t at = j * nx + i;
            add_face(&b, at, at + nx, at + nx + 1, at + 1);
        }
    }
    return finish(&b, out);
}

LyraStatus ly_shape_surface(const LyraShape *shape, const double center[3], double extent,
                            LyraSurface **out)
{
    const LyTerm *term = &shape->terms[0];
    switch (term->kind) {
    case LY_TERM_PLANE:
        return make_planes(shape, center, extent, out);
    case LY_TERM_BOX:
        return make_box(shape->ctx, term, out);
    case LY_TERM_HEIGHTS:
        return make_heights(shape->ctx, term, out);
    case LY_TERM_GRID:
        return ly_fail(LYRA_UNSUPPORTED, "a sampled mesh has a surface of its own to show");
    default:
        return turn_profile(shape->ctx, term, out);
    }
}
