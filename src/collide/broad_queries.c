// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Closest triangles and first triangles along rays, in doubles; boxes that are farther than the
// best so far are left out. Which of equally far triangles is taken must not hang on the tree: the
// lowest, by distances that are computed for each triangle alone.

#include "collide/broad_phase.h"

#include "math/vec3.h"
#include "mesh/box_tree.h"

#include <math.h>

enum { QUERY_GRAIN = 64, STACK = (LY_BOXES_WIDTH - 1) * LY_BOXES_LEVELS + 1 };

// a node that is still to be visited
typedef struct Entry {
    double distance; // of its box, squared for points, along the ray for rays; the frame's
    int64_t node;
    int32_t level;
} Entry;

typedef struct Query Query;

struct Query {
    const LyraBroadPhase *phase;
    const double *positions;
    LyraTriangleHit (*find)(const Query *query, const double *given);
    const double *given; // [count][width]
    int32_t width;
    LyraTriangleHit *hits;
    int32_t count, pieces;
};

static const LyraTriangleHit no_hit = {.triangle = -1, .distance = INFINITY};

// pushes an entry so that the closest is on top
static int32_t push(Entry stack[STACK], int32_t first, int32_t top, Entry entry)
{
    int32_t at = top;
    for (; at > first && stack[at - 1].distance < entry.distance; --at) {
        stack[at] = stack[at - 1];
    }
    stack[at] = entry;
    return top + 1;
}

// ---- closest ------------------------------------------------------------------------------------

// weights of the corners at the point of the segment a b closest to p
static double nearest_on_edge(const double p[3], const double a[3], const double b[3])
{
    double u[3], w[3];
    ly_subtract3(b, a, u);
    ly_subtract3(p, a, w);
    double length2 = ly_dot3(u, u), t = length2 > 0 ? ly_dot3(u, w) / length2 : 0;
    return t < 0 ? 0 : t > 1 ? 1 : t;
}

static double distance2_of(const double p[3], const double *const corners[3],
                           const double weights[3])
{
    double d[3];
    for (int32_t i = 0; i < 3; ++i) {
        d[i] = -p[i];
        for (int32_t c = 0; c < 3; ++c) {
            d[i] += weights[c] * corners[c][i];
        }
    }
    return ly_dot3(d, d);
}

// The point of the plane where that is inside, else the closest of the three sides.
static double closest_on_triangle(const double p[3], const double *const corners[3],
                                  double weights[3])
{
    double u[3], v[3], w[3], n[3], side[3];
    ly_subtract3(corners[1], corners[0], u);
    ly_subtract3(corners[2], corners[0], v);
    ly_subtract3(p, corners[0], w);
    ly_cross3(u, v, n);
    double area2 = ly_dot3(n, n), best2 = INFINITY;
    if (area2 > 0) {
        ly_cross3(w, v, side);
        double y = ly_dot3(side, n) / area2;
        ly_cross3(u, w, side);
        double z = ly_dot3(side, n) / area2;
        if (y >= 0 && z >= 0 && y + z <= 1) {
            weights[0] = 1 - y - z;
            weights[1] = y;
            weights[2] = z;
            best2 = distance2_of(p, corners, weights);
            // of thin triangles rounding may move the place: the sides are asked as well
            if (area2 > 1e-8 * ly_dot3(u, u) * ly_dot3(v, v)) {
                return best2;
            }
        }
    }
    for (int32_t c = 0; c < 3; ++c) {
        int32_t next = (c + 1) % 3;
        double t = nearest_on_edge(p, corners[c], corners[next]), trial[3] = {0};
        trial[c] = 1 - t;
        trial[next] = t;
        double distance2 = distance2_of(p, corners, trial);
        if (distance2 < best2) {
            best2 = distance2;
            weights[0] = trial[0];
            weights[1] = trial[1];
            weights[2] = trial[2];
        }
    }
    return best2;
}

// squared distance to a box, the frame's; infinite for an empty one
static double box_distance2(const LyBoxes8 *node, int32_t k, const double q[3])
{
    double sum = 0;
    for (int32_t i = 0; i < 3; ++i) {
        double below = (double)node->low[i][k] - q[i], above = q[i] - (double)node->high[i][k];
        double outside = below > above ? below : above;
        sum += outside > 0 ? outside * outside : 0;
    }
    return sum;
}

static void corners_of(const Query *query, int32_t triangle, const double *corners[3])
{
    const int32_t *vertices = query->phase->trees[LY_TRIANGLE].vertices + 3 * (int64_t)triangle;
    for (int32_t c = 0; c < 3; ++c) {
        corners[c] = query->positions + 3 * (int64_t)vertices[c];
    }
}

static LyraTriangleHit find_closest(const Query *query, const double p[3])
{
    const LyBoxes *boxes = &query->phase->trees[LY_TRIANGLE];
    const LyBoxFrame *frame = &query->phase->frame;
    LyraTriangleHit hit = no_hit;
    if (!query->phase->ready || boxes->level_count == 0 || !ly_box_tree_accepts(p)) {
        return hit;
    }
    Entry stack[STACK];
    int32_t top = push(stack, 0, 0, (Entry){0, 0, boxes->level_count - 1});
    double best2 = INFINITY, bound = INFINITY, q[3];
    for (int32_t i = 0; i < 3; ++i) {
        q[i] = (p[i] - frame->origin[i]) * frame->scale;
    }
    while (top > 0) {
        Entry entry = stack[--top];
        if (entry.distance > bound) {
            continue;
        }
        const LyBoxes8 *node = &boxes->nodes[boxes->level_begin[entry.level] + entry.node];
        int32_t first = top;
        for (int32_t k = 0; k < LY_BOXES_WIDTH; ++k) {
            int64_t child = LY_BOXES_WIDTH * entry.node + k;
            double distance2 = box_distance2(node, k, q);
            if (!(distance2 <= bound) || node->low[0][k] > node->high[0][k]) {
                continue;
            }
            if (entry.level > 0) {
                top = push(stack, first, top, (Entry){distance2, child, entry.level - 1});
                continue;
            }
            const double *corners[3];
            double weights[3] = {0};
            int32_t triangle = boxes->items[child];
            corners_of(query, triangle, corners);
            double found2 = closest_on_triangle(p, corners, weights);
            if (found2 < best2 || (found2 == best2 && triangle < hit.triangle)) {
                best2 = found2;
                hit.triangle = triangle;
                memcpy(hit.barycentric, weights, sizeof weights);
                // rounding may not leave out a box at the same distance
                bound = best2 * frame->scale * frame->scale * (1 + 1e-12);
            }
        }
    }
    hit.distance = sqrt(best2);
    return hit;
}

// ---- rays ---------------------------------------------------------------------------------------

// A ray in metres, with a direction of length 1, and in the frame.
typedef struct Ray {
    double origin[3], direction[3];
    double start[3], slope[3]; // the frame's origin, and 1 / direction
} Ray;

// Where the ray enters a box, in metres along it; negative: it does not.
static double enters_box(const Ray *ray, const LyBoxFrame *frame, const LyBoxes8 *node, int32_t k)
{
    double from = 0, to = INFINITY;
    for (int32_t i = 0; i < 3; ++i) {
        double low = (double)node->low[i][k] - ray->start[i];
        double high = (double)node->high[i][k] - ray->start[i];
        if (ray->direction[i] == 0) {
            if (low > 0 || high < 0) {
                return -1;
            }
            continue;
        }
        double a = low * ray->slope[i] / frame->scale, b = high * ray->slope[i] / frame->scale;
        // a face that is met at a place that rounding may move
        double near = a < b ? a : b, far = a < b ? b : a;
        near -= 1e-12 * fabs(near);
        far += 1e-12 * fabs(far);
        from = near > from ? near : from;
        to = far < to ? far : to;
    }
    return from <= to ? from : -1;
}

// Where the ray meets a triangle, or infinity.
static double meets_triangle(const Ray *ray, const double *const corners[3], double weights[3])
{
    double a[3], b[3], c[3], n[3], side[3];
    ly_subtract3(corners[0], ray->origin, a);
    ly_subtract3(corners[1], ray->origin, b);
    ly_subtract3(corners[2], ray->origin, c);
    // volumes that the ray spans with each side, of one sign inside
    ly_cross3(b, c, side);
    double x = ly_dot3(ray->direction, side);
    ly_cross3(c, a, side);
    double y = ly_dot3(ray->direction, side);
    ly_cross3(a, b, side);
    double z = ly_dot3(ray->direction, side), sum = x + y + z;
    if ((x < 0 || y < 0 || z < 0) && (x > 0 || y > 0 || z > 0)) {
        return INFINITY;
    }
    double u[3], v[3];
    ly_subtract3(b, a, u);
    ly_subtract3(c, a, v);
    ly_cross3(u, v, n);
    double t = ly_dot3(a, n) / ly_dot3(ray->direction, n);
    if (sum == 0 || !(t >= 0)) {
        return INFINITY;
    }
    weights[0] = x / sum;
    weights[1] = y / sum;
    weights[2] = z / sum;
    return t;
}

static bool prepare_ray(const double given[6], const LyBoxFrame *frame, Ray *ray)
{
    double largest = fmax(fabs(given[3]), fmax(fabs(given[4]), fabs(given[5])));
    if (!ly_box_tree_accepts(given) || !(largest > 0 && largest < INFINITY)) {
        return false;
    }
    double direction[3] = {given[3] / largest, given[4] / largest, given[5] / largest};
    double length = ly_length3(direction);
    for (int32_t i = 0; i < 3; ++i) {
        ray->origin[i] = given[i];
        ray->direction[i] = direction[i] / length;
        ray->start[i] = (given[i] - frame->origin[i]) * frame->scale;
        ray->slope[i] = 1 / ray->direction[i];
    }
    return true;
}

static LyraTriangleHit find_along(const Query *query, const double given[6])
{
    const LyBoxes *boxes = &query->phase->trees[LY_TRIANGLE];
    const LyBoxFrame *frame = &query->phase->frame;
    LyraTriangleHit hit = no_hit;
    Ray ray;
    if (!query->phase->ready || boxes->level_count == 0 || !prepare_ray(given, frame, &ray)) {
        return hit;
    }
    Entry stack[STACK];
    int32_t top = push(stack, 0, 0, (Entry){0, 0, boxes->level_count - 1});
    while (top > 0) {
        Entry entry = stack[--top];
        if (entry.distance > hit.distance) {
            continue;
        }
        const LyBoxes8 *node = &boxes->nodes[boxes->level_begin[entry.level] + entry.node];
        int32_t first = top;
        for (int32_t k = 0; k < LY_BOXES_WIDTH; ++k) {
            int64_t child = LY_BOXES_WIDTH * entry.node + k;
            if (node->low[0][k] > node->high[0][k]) {
                continue;
            }
            double distance = enters_box(&ray, frame, node, k);
            if (distance < 0 || distance > hit.distance) {
                continue;
            }
            if (entry.level > 0) {
                top = push(stack, first, top, (Entry){distance, child, entry.level - 1});
                continue;
            }
            const double *corners[3];
            double weights[3] = {0};
            int32_t triangle = boxes->items[child];
            corners_of(query, triangle, corners);
            double t = meets_triangle(&ray, corners, weights);
            if (t < hit.distance || (t == hit.distance && triangle < hit.triangle)) {
                hit.distance = t;
                hit.triangle = triangle;
                memcpy(hit.barycentric, weights, sizeof weights);
            }
        }
    }
    return hit;
}

// ---- batches ------------------------------------------------------------------------------------

static void find_piece(void *data, int32_t index, int32_t worker)
{
    (void)worker;
    const Query *query = data;
    int64_t end = ly_piece_begin(query->count, query->pieces, index + 1);
    for (int64_t k = ly_piece_begin(query->count, query->pieces, index); k < end; ++k) {
        query->hits[k] = query->find(query, query->given + query->width * k);
    }
}

static void find_all(Query query)
{
    LYRA_ASSERT(query.count >= 0);
    query.pieces = ly_piece_count(query.count, QUERY_GRAIN);
    ly_parallel_for(query.phase->ctx, query.pieces, find_piece, &query);
}

void lyra_broad_phase_closest(const LyraBroadPhase *phase, const double *positions, int32_t count,
                              const double *points, LyraTriangleHit *hits)
{
    find_all((Query){.phase = phase,
                     .positions = positions,
                     .find = find_closest,
                     .given = points,
                     .width = 3,
                     .hits = hits,
                     .count = count});
}

void lyra_broad_phase_rays(const LyraBroadPhase *phase, const double *positions, int32_t count,
                           const double *rays, LyraTriangleHit *hits)
{
    find_all((Query){.phase = phase,
                     .positions = positions,
                     .find = find_along,
                     .given = rays,
                     .width = 6,
                     .hits = hits,
                     .count = count});
}
