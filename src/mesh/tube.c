// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Tubes around lines. Lines are cut into chains at their ends and where more than two edges meet;
// each vertex of a chain carries a ring of points across the mean of the tangents beside it. The
// ring at the begin of a chain goes along from its direction at rest without twist, and each ring
// follows from the one before without twist: a tube never wrings, whatever the line does.

#include "mesh/tube.h"

#include "base/base.h"
#include "lyra/surface.h"
#include "math/vec3.h"

#include <math.h>
#include <string.h>

#define PI 3.14159265358979323846

struct LyTube {
    LyraContext *ctx;
    int32_t vertex_count, ring_count, chain_count, sides;
    double *positions;    // at rest, [vertex_count][3]
    int32_t *vertices;    // of rings, [ring_count]
    double *radii;        // of rings
    int32_t *chain_begin; // first ring of each chain, [chain_count + 1]
    double *starts;       // tangent and direction of its first ring at rest, [chain_count][6]
    double *c, *s;        // of the angles around, [sides]
};

void ly_tube_destroy(LyTube *tube)
{
    if (tube) {
        ly_release(tube->ctx, tube->positions);
        ly_release(tube->ctx, tube->vertices);
        ly_release(tube->ctx, tube->radii);
        ly_release(tube->ctx, tube->chain_begin);
        ly_release(tube->ctx, tube->starts);
        ly_release(tube->ctx, tube->c);
        ly_release(tube->ctx, tube->s);
        ly_release(tube->ctx, tube);
    }
}

// ---- chains -------------------------------------------------------------------------------------

// what walks along edges
typedef struct Walk {
    const LyraLinesView *lines;
    int64_t *begin;  // edges around vertices
    int32_t *around; // [2 edge_count]
    bool *done;      // edges
} Walk;

static LyraStatus find_around(LyraContext *ctx, Walk *walk)
{
    const LyraLinesView *lines = walk->lines;
    int64_t ends = 2 * (int64_t)lines->edge_count;
    LY_TRY(ly_allocate_zeroed(ctx, (int64_t)lines->vertex_count + 1, sizeof *walk->begin,
                              &walk->begin));
    LY_TRY(ly_allocate_array(ctx, ends, sizeof *walk->around, &walk->around));
    LY_TRY(ly_allocate_zeroed(ctx, lines->edge_count, sizeof *walk->done, &walk->done));
    for (int64_t i = 0; i < ends; ++i) {
        ++walk->begin[lines->edges[i]];
    }
    for (int32_t v = 0; v < lines->vertex_count; ++v) {
        walk->begin[v + 1] += walk->begin[v];
    }
    for (int64_t i = ends - 1; i >= 0; --i) {
        walk->around[--walk->begin[lines->edges[i]]] = (int32_t)(i / 2);
    }
    return LYRA_OK;
}

static void add_ring(LyTube *tube, int32_t vertex, double radius)
{
    tube->vertices[tube->ring_count] = vertex;
    tube->radii[tube->ring_count++] = radius;
}

// the chain from `vertex` along `edge`, up to an end, a junction or round to its begin
static void follow(LyTube *tube, Walk *walk, int32_t vertex, int32_t edge)
{
    const LyraLinesView *lines = walk->lines;
    double before = lines->radii[edge];
    tube->chain_begin[tube->chain_count++] = tube->ring_count;
    while (edge >= 0) {
        const int32_t *ends = lines->edges + 2 * (int64_t)edge;
        add_ring(tube, vertex, 0.5 * (before + lines->radii[edge]));
        before = lines->radii[edge];
        walk->done[edge] = true;
        vertex = ends[0] == vertex ? ends[1] : ends[0];
        const int32_t *next = walk->around + walk->begin[vertex];
        bool passes = walk->begin[vertex + 1] - walk->begin[vertex] == 2;
        edge = !passes ? -1 : next[0] == edge ? next[1] : next[0];
        edge = edge >= 0 && walk->done[edge] ? -1 : edge;
    }
    add_ring(tube, vertex, before);
}

static void find_chains(LyTube *tube, Walk *walk)
{
    const LyraLinesView *lines = walk->lines;
    // those that begin at an end or a junction, then what is left: rings
    for (int32_t v = 0; v < lines->vertex_count; ++v) {
        int64_t count = walk->begin[v + 1] - walk->begin[v];
        for (int64_t k = walk->begin[v]; k < walk->begin[v + 1] && count != 2; ++k) {
            if (!walk->done[walk->around[k]]) {
                follow(tube, walk, v, walk->around[k]);
            }
        }
    }
    for (int32_t e = 0; e < lines->edge_count; ++e) {
        if (!walk->done[e]) {
            follow(tube, walk, lines->edges[2 * (int64_t)e], e);
        }
    }
    tube->chain_begin[tube->chain_count] = tube->ring_count;
}

// ---- rings --------------------------------------------------------------------------------------

static bool normalize(double v[3])
{
    double length = sqrt(ly_dot3(v, v));
    for (int i = 0; i < 3; ++i) {
        v[i] /= length > 0 ? length : 1;
    }
    return length > 0;
}

// carries d from across t to across u; t becomes u
static void carry(double t[3], const double u[3], double d[3])
{
    double b[3], turned[3], c = ly_dot3(t, u), along;
    ly_cross3(t, u, b);
    ly_cross3(b, d, turned);
    along = ly_dot3(b, d) / fmax(1e-6, 1 + c);
    for (int i = 0; i < 3; ++i) {
        d[i] = c * d[i] + turned[i] + along * b[i];
    }
    along = ly_dot3(d, u);
    for (int i = 0; i < 3; ++i) {
        d[i] -= along * u[i];
        t[i] = u[i];
    }
    if (!normalize(d)) {
        ly_choose_across3(u, d);
    }
}

// where vertex of ring r is
static void place(const LyTube *tube, const double *u, int32_t r, double x[3])
{
    int64_t at = 3 * (int64_t)tube->vertices[r];
    for (int i = 0; i < 3; ++i) {
        x[i] = tube->positions[at + i] + (u ? u[at + i] : 0);
    }
}

// direction of the chain at ring r of [begin, end): the mean of the tangents beside it
static void tangent_at(const LyTube *tube, const double *u, int32_t r, int32_t begin, int32_t end,
                       double t[3])
{
    double x[3][3], a[3], b[3];
    bool loop = tube->vertices[begin] == tube->vertices[end - 1];
    int32_t before = r > begin ? r - 1 : loop ? end - 2 : r;
    int32_t next = r + 1 < end ? r + 1 : loop ? begin + 1 : r;
    place(tube, u, before, x[0]);
    place(tube, u, r, x[1]);
    place(tube, u, next, x[2]);
    for (int i = 0; i < 3; ++i) {
        a[i] = x[1][i] - x[0][i];
        b[i] = x[2][i] - x[1][i];
    }
    (void)normalize(a);
    (void)normalize(b);
    for (int i = 0; i < 3; ++i) {
        t[i] = a[i] + b[i];
    }
    if (!normalize(t)) {
        memcpy(t, a, sizeof a);
    }
}

static void write_ring(const LyTube *tube, const double *u, int32_t r, const double t[3],
                       const double d[3], double *out)
{
    double x[3], side[3];
    place(tube, u, r, x);
    ly_cross3(t, d, side);
    for (int32_t k = 0; k < tube->sides; ++k, out += 3) {
        for (int i = 0; i < 3; ++i) {
            out[i] = x[i] + tube->radii[r] * (tube->c[k] * d[i] + tube->s[k] * side[i]);
        }
    }
}

// rings, then a point in the middle of both ends of each chain
void ly_tube_move(const LyTube *tube, const double *u, double *out)
{
    double *middle = out + 3 * (int64_t)tube->ring_count * tube->sides;
    for (int32_t chain = 0; chain < tube->chain_count; ++chain, middle += 6) {
        int32_t begin = tube->chain_begin[chain], end = tube->chain_begin[chain + 1];
        double t[3], d[3], next[3];
        memcpy(t, tube->starts + 6 * (int64_t)chain, sizeof t);
        memcpy(d, tube->starts + 6 * (int64_t)chain + 3, sizeof d);
        for (int32_t r = begin; r < end; ++r) {
            tangent_at(tube, u, r, begin, end, next);
            carry(t, next, d);
            write_ring(tube, u, r, t, d, out + 3 * (int64_t)r * tube->sides);
        }
        place(tube, u, begin, middle);
        place(tube, u, end - 1, middle + 3);
    }
}

// ---- creation -----------------------------------------------------------------------------------

static LyraStatus fill(LyTube *tube, const LyraLinesView *lines)
{
    LyraContext *ctx = tube->ctx;
    int64_t edges = lines->edge_count, vertices = lines->vertex_count;
    Walk walk = {.lines = lines};
    LyraStatus status = LYRA_OK;
    tube->vertex_count = lines->vertex_count;
    LY_TRY_DONE(ly_allocate_array(ctx, 3 * vertices, sizeof(double), &tube->positions));
    LY_TRY_DONE(ly_allocate_array(ctx, 2 * edges, sizeof(int32_t), &tube->vertices));
    LY_TRY_DONE(ly_allocate_array(ctx, 2 * edges, sizeof(double), &tube->radii));
    LY_TRY_DONE(ly_allocate_array(ctx, edges + 1, sizeof(int32_t), &tube->chain_begin));
    LY_TRY_DONE(ly_allocate_array(ctx, tube->sides, sizeof(double), &tube->c));
    LY_TRY_DONE(ly_allocate_array(ctx, tube->sides, sizeof(double), &tube->s));
    memcpy(tube->positions, lines->positions, 3 * (size_t)vertices * sizeof(double));
    for (int32_t k = 0; k < tube->sides; ++k) {
        tube->c[k] = cos(2 * PI * k / tube->sides);
        tube->s[k] = sin(2 * PI * k / tube->sides);
    }
    LY_TRY_DONE(find_around(ctx, &walk));
    find_chains(tube, &walk);
    LY_TRY_DONE(
        ly_allocate_array(ctx, 6 * (int64_t)tube->chain_count, sizeof(double), &tube->starts));
    for (int32_t chain = 0; chain < tube->chain_count; ++chain) {
        double *start = tube->starts + 6 * (int64_t)chain;
        int32_t begin = tube->chain_begin[chain], end = tube->chain_begin[chain + 1];
        tangent_at(tube, NULL, begin, begin, end, start);
        ly_choose_across3(start, start + 3);
    }
done:
    ly_release(ctx, walk.begin);
    ly_release(ctx, walk.around);
    ly_release(ctx, walk.done);
    return status;
}

LyraStatus ly_tube_create(LyraContext *ctx, const LyraLinesView *lines, int32_t sides, LyTube **out)
{
    LyTube *tube = NULL;
    int64_t points = 2 * (int64_t)lines->edge_count * sides + 2 * (int64_t)lines->edge_count;
    if (points > INT32_MAX / 8) {
        return ly_fail(LYRA_TOO_LARGE, "tube: %d edges of %d sides are too many points",
                       (int)lines->edge_count, (int)sides);
    }
    LY_TRY(ly_allocate_zeroed(ctx, 1, sizeof *tube, &tube));
    tube->ctx = ctx;
    tube->sides = sides;
    LyraStatus status = fill(tube, lines);
    if (status != LYRA_OK) {
        ly_tube_destroy(tube);
        return status;
    }
    *out = tube;
    return LYRA_OK;
}

int32_t ly_tube_point_count(const LyTube *tube)
{
    return tube->ring_count * tube->sides + 2 * tube->chain_count;
}

int32_t ly_tube_vertex(const LyTube *tube, int32_t point)
{
    int32_t rings = tube->ring_count * tube->sides;
    if (point < rings) {
        return tube->vertices[point / tube->sides];
    }
    int32_t chain = (point - rings) / 2;
    return (point - rings) % 2 ? tube->vertices[tube->chain_begin[chain + 1] - 1]
                               : tube->vertices[tube->chain_begin[chain]];
}

LyraStatus ly_tube_surface(const LyTube *tube, LyraSurface **out)
{
    LyraContext *ctx = tube->ctx;
    int32_t sides = tube->sides, points = ly_tube_point_count(tube), at = 0;
    int64_t faces = 2 * (int64_t)sides * tube->ring_count; // of which the last of chains are caps
    int32_t *corners = NULL, *begin = NULL;
    double *positions = NULL;
    LyraStatus status = LYRA_OK;
    LY_TRY_DONE(ly_allocate_array(ctx, 3 * faces, sizeof *corners, &corners));
    LY_TRY_DONE(ly_allocate_array(ctx, faces + 1, sizeof *begin, &begin));
    LY_TRY_DONE(ly_allocate_array(ctx, 3 * (int64_t)points, sizeof *positions, &positions));
    ly_tube_move(tube, NULL, positions);
    for (int32_t chain = 0; chain < tube->chain_count; ++chain) {
        int32_t first = tube->chain_begin[chain], end = tube->chain_begin[chain + 1];
        int32_t middle = tube->ring_count * sides + 2 * chain;
        for (int32_t k = 0; k < sides; ++k) {
            int32_t next = (k + 1) % sides;
            for (int32_t r = first; r + 1 < end; ++r) {
                const int32_t quad[6] = {r * sides + k,          r * sides + next,
                                         (r + 1) * sides + next, r * sides + k,
                                         (r + 1) * sides + next, (r + 1) * sides + k};
                memcpy(corners + at, quad, sizeof quad);
                at += 6;
            }
            const int32_t caps[6] = {middle,     first * sides + next,  first * sides + k,
                                     middle + 1, (end - 1) * sides + k, (end - 1) * sides + next};
            memcpy(corners + at, caps, sizeof caps);
            at += 6;
        }
    }
    for (int32_t f = 0; f <= at / 3; ++f) {
        begin[f] = 3 * f;
    }
    const LyraSurfaceView view = {.vertex_count = points,
                                  .positions = positions,
                                  .face_count = at / 3,
                                  .corner_count = at,
                                  .face_begin = begin,
                                  .corner_vertices = corners};
    LY_TRY_DONE(lyra_surface_create(ctx, &view, out));
done:
    ly_release(ctx, corners);
    ly_release(ctx, begin);
    ly_release(ctx, positions);
    return status;
}
