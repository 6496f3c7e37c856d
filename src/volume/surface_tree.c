// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// The tree of triangles and its closest points. The walk takes the nearest box first and leaves out
// boxes farther than the best triangle so far.

#include "math/vec3.h"
#include "mesh/surface.h"
#include "volume/volume.h"

#include <math.h>
#include <string.h>

enum { GRAIN = 256 };

// ---- making -------------------------------------------------------------------------------------

// triangles while the tree is being built
typedef struct Triangles {
    int32_t count;
    double (*x)[9]; // three corners
} Triangles;

static void triangle_box(const void *data, int32_t item, double low[3], double high[3])
{
    const double *x = ((const Triangles *)data)->x[item];
    for (int32_t i = 0; i < 3; ++i) {
        low[i] = fmin(x[i], fmin(x[3 + i], x[6 + i]));
        high[i] = fmax(x[i], fmax(x[3 + i], x[6 + i]));
    }
}

static LyraStatus collect_triangles(const LyraSurface *surface, Triangles *triangles,
                                    LyraSurfaceTree *tree)
{
    int64_t count = (int64_t)surface->corner_count - 2 * (int64_t)surface->face_count;
    if (count == 0) {
        return ly_fail(LYRA_BAD_MESH, "surface tree: the surface has no faces");
    }
    for (int32_t v = 0; v < surface->vertex_count; ++v) {
        if (!ly_box_tree_accepts(surface->arrays.positions + 3 * (int64_t)v)) {
            return ly_fail(LYRA_BAD_MESH,
                           "surface tree: a coordinate of vertex %d is not below 1e50", v);
        }
    }
    LY_TRY(ly_allocate_array(tree->ctx, count, sizeof *triangles->x, &triangles->x));
    LY_TRY(ly_allocate_array(tree->ctx, count, sizeof *tree->faces, &tree->faces));
    const LySurfaceArrays *arrays = &surface->arrays;
    for (int32_t f = 0; f < surface->face_count; ++f) {
        int32_t first = arrays->face_begin[f];
        for (int32_t c = first + 1; c + 1 < arrays->face_begin[f + 1]; ++c) {
            const int32_t corners[3] = {first, c, c + 1};
            for (int32_t a = 0; a < 3; ++a) {
                memcpy(triangles->x[triangles->count] + 3 * a,
                       arrays->positions + 3 * (int64_t)arrays->corner_vertices[corners[a]],
                       3 * sizeof(double));
            }
            tree->faces[triangles->count++] = f;
        }
    }
    return LYRA_OK;
}

static void fill_blocks(const Triangles *triangles, LyraSurfaceTree *tree)
{
    for (int32_t at = 0; at < tree->boxes.count; ++at) {
        const double *x = triangles->x[tree->boxes.items[at]];
        LyTriangleBlock *block = &tree->blocks[at / LY_BOX_TREE_WIDTH];
        int32_t lane = at % LY_BOX_TREE_WIDTH;
        for (int32_t a = 0; a < 3; ++a) {
            for (int32_t i = 0; i < 3; ++i) {
                block->x[a][i][lane] = x[3 * a + i];
            }
        }
        // missing lanes follow the first and are overwritten where there is a triangle
        for (int32_t k = lane == 0 ? 1 : LY_BOX_TREE_WIDTH; k < LY_BOX_TREE_WIDTH; ++k) {
            for (int32_t a = 0; a < 3; ++a) {
                for (int32_t i = 0; i < 3; ++i) {
                    block->x[a][i][k] = x[i];
                }
            }
        }
    }
}

static void bound_triangles(const Triangles *triangles, LyraSurfaceTree *tree)
{
    triangle_box(triangles, 0, tree->low, tree->high);
    for (int32_t t = 1; t < triangles->count; ++t) {
        double low[3], high[3];
        triangle_box(triangles, t, low, high);
        for (int32_t i = 0; i < 3; ++i) {
            tree->low[i] = fmin(tree->low[i], low[i]);
            tree->high[i] = fmax(tree->high[i], high[i]);
        }
    }
}

LyraStatus lyra_surface_tree_create(const LyraSurface *surface, LyraSurfaceTree **out)
{
    static LyTriangleDistances *const kernels[] = LY_KERNEL_TABLE(ly_triangle_distances);
    LyraContext *ctx = surface->ctx;
    LyraStatus status = LYRA_OK;
    LyraSurfaceTree *tree = NULL;
    Triangles triangles = {0};
    int32_t *ids = NULL;
    LY_TRY_DONE(ly_allocate_zeroed(ctx, 1, sizeof *tree, &tree));
    tree->ctx = ctx;
    tree->distances = kernels[lyra_context_isa(ctx)];
    LY_TRY_DONE(collect_triangles(surface, &triangles, tree));
    LY_TRY_DONE(ly_allocate_array(ctx, triangles.count, sizeof *ids, &ids));
    for (int32_t t = 0; t < triangles.count; ++t) {
        ids[t] = t;
    }
    LY_TRY_DONE(
        ly_box_tree_build(ctx, triangles.count, ids, triangle_box, &triangles, &tree->boxes));
    LY_TRY_DONE(ly_allocate_array(ctx,
                                  (triangles.count + LY_BOX_TREE_WIDTH - 1) / LY_BOX_TREE_WIDTH,
                                  sizeof *tree->blocks, &tree->blocks));
    fill_blocks(&triangles, tree);
    bound_triangles(&triangles, tree);
    LY_TRY_DONE(ly_surface_tree_expand(tree));
    *out = tree;
done:
    ly_release(ctx, ids);
    ly_release(ctx, triangles.x);
    if (status != LYRA_OK) {
        lyra_surface_tree_destroy(tree);
    }
    return status;
}

void lyra_surface_tree_destroy(LyraSurfaceTree *tree)
{
    if (!tree) {
        return;
    }
    LyraContext *ctx = tree->ctx;
    ly_box_tree_release(ctx, &tree->boxes);
    ly_release(ctx, tree->faces);
    ly_release(ctx, tree->blocks);
    ly_release(ctx, tree->far);
    ly_release(ctx, tree);
}

// ---- closest point ------------------------------------------------------------------------------

// a / b, 0 for a side without length
static double ratio(double a, double b)
{
    return b > 0 ? a / b : 0;
}

// Weights (v, w) of corners b and c at the point of the triangle closest to the origin, by the
// regions of its vertices, edges and inside. A triangle without area is the longest of its sides:
// its products v_* below vanish, and the tests of the sides decide.
static void closest_weights(const double a[3], const double b[3], const double c[3], double *v,
                            double *w)
{
    const double ab[3] = {b[0] - a[0], b[1] - a[1], b[2] - a[2]};
    const double ac[3] = {c[0] - a[0], c[1] - a[1], c[2] - a[2]};
    double d1 = -ly_dot3(ab, a), d2 = -ly_dot3(ac, a);
    double d3 = -ly_dot3(ab, b), d4 = -ly_dot3(ac, b);
    double d5 = -ly_dot3(ab, c), d6 = -ly_dot3(ac, c);
    double va = d3 * d6 - d5 * d4, vb = d5 * d2 - d1 * d6, vc = d1 * d4 - d3 * d2;
    *v = *w = 0;
    if (d1 <= 0 && d2 <= 0) {
        return;
    }
    if (d3 >= 0 && d4 <= d3) {
        *v = 1;
    } else if (d6 >= 0 && d5 <= d6) {
        *w = 1;
    } else if (vc <= 0 && d1 >= 0 && d3 <= 0) {
        *v = ratio(d1, d1 - d3);
    } else if (vb <= 0 && d2 >= 0 && d6 <= 0) {
        *w = ratio(d2, d2 - d6);
    } else if (va <= 0 && d4 - d3 >= 0 && d5 - d6 >= 0) {
        *w = ratio(d4 - d3, (d4 - d3) + (d5 - d6));
        *v = 1 - *w;
    } else {
        double sum = va + vb + vc;
        *v = ratio(vb, sum);
        *w = ratio(vc, sum);
    }
}

// squared distance, and the way from the point to the closest one
static double triangle_distance2(const LyTriangleBlock *block, int32_t lane, const double p[3],
                                 double way[3])
{
    double x[3][3], v, w;
    for (int32_t a = 0; a < 3; ++a) {
        for (int32_t i = 0; i < 3; ++i) {
            x[a][i] = block->x[a][i][lane] - p[i];
        }
    }
    closest_weights(x[0], x[1], x[2], &v, &w);
    for (int32_t i = 0; i < 3; ++i) {
        way[i] = x[0][i] + v * (x[1][i] - x[0][i]) + w * (x[2][i] - x[0][i]);
    }
    return ly_dot3(way, way);
}

// A point for the walk, in the tree's coordinates as floats. Boxes are found closer than they are
// by `slack`, which is more than what the roundings of the point and of the differences amount to.
typedef struct WalkPoint {
    LyFloat4 q[3], slack[3];
} WalkPoint;

// Points farther off than this many sizes of the tree walk from the closest point at that distance:
// squares of floats must not overflow.
#define WALK_LIMIT 1e6

static WalkPoint walk_point(const LyBoxTree *boxes, const double p[3])
{
    WalkPoint point;
    double scaled[3];
    ly_box_tree_scaled(boxes, p, scaled);
    for (int32_t i = 0; i < 3; ++i) {
        double q = fmin(fmax(scaled[i], -WALK_LIMIT), WALK_LIMIT);
        float slack = (float)(3e-7 * (fabs(q) + 1));
        point.q[i] = (LyFloat4){(float)q, (float)q, (float)q, (float)q};
        point.slack[i] = (LyFloat4){slack, slack, slack, slack};
    }
    return point;
}

// Squared distances to the boxes of a node, or less; more than any bound for missing ones.
static LyFloat4 box_distances2(const LyBoxNode *node, const WalkPoint *point)
{
    LyFloat4 sum = {0};
    for (int32_t i = 0; i < 3; ++i) {
        LyFloat4 low, high;
        memcpy(&low, node->low[i], sizeof low);
        memcpy(&high, node->high[i], sizeof high);
        LyFloat4 below = low - point->q[i], above = point->q[i] - high;
        LyMask4 under = below > above;
        LyFloat4 outside = (LyFloat4)(((LyMask4)below & under) | ((LyMask4)above & ~under));
        outside -= point->slack[i];
        outside = (LyFloat4)((LyMask4)outside & (outside > 0));
        sum += outside * outside;
    }
    return sum * 0.999999f;
}

// The bound as a float that is not below it.
static float walk_bound(const LyBoxTree *boxes, double distance2)
{
    double bound = ly_box_tree_bound(boxes, distance2);
    return bound < 1e30 ? (float)bound * 1.000001f : 1e30f;
}

typedef struct WalkEntry {
    float distance2;
    int32_t level, index;
} WalkEntry;

// Pushes the children that may be as close as the bound, the closest on top.
static int32_t push_children(const LyBoxNode *node, WalkEntry entry, const WalkPoint *point,
                             float bound, WalkEntry stack[LY_BOX_TREE_STACK], int32_t top)
{
    LyFloat4 distance2 = box_distances2(node, point);
    int32_t first = top;
    for (int32_t k = 0; k < LY_BOX_TREE_WIDTH; ++k) {
        // missing boxes are infinitely far, which no bound is
        if (!(distance2[k] <= bound)) {
            continue;
        }
        int32_t at = top++;
        for (; at > first && stack[at - 1].distance2 < distance2[k]; --at) {
            stack[at] = stack[at - 1];
        }
        stack[at] = (WalkEntry){distance2[k], entry.level - 1, LY_BOX_TREE_WIDTH * entry.index + k};
    }
    return top;
}

double ly_surface_tree_distance(const LyraSurfaceTree *tree, const double p[3], double limit,
                                int32_t *item, double closest[3])
{
    const LyBoxTree *boxes = &tree->boxes;
    WalkEntry stack[LY_BOX_TREE_STACK];
    int32_t top = 0, best = -1;
    double best2 = limit < 1e150 ? limit * limit : DBL_MAX;
    WalkPoint point = walk_point(boxes, p);
    float bound = walk_bound(boxes, best2);
    stack[top++] = (WalkEntry){0, boxes->level_count - 1, 0};
    while (top > 0) {
        WalkEntry entry = stack[--top];
        if (entry.distance2 > bound) {
            continue;
        }
        const LyBoxNode *node = &boxes->nodes[boxes->level_begin[entry.level] + entry.index];
        if (entry.level > 0) {
            top = push_children(node, entry, &point, bound, stack, top);
            continue;
        }
        double distance2[LY_BOX_TREE_WIDTH];
        tree->distances(&tree->blocks[entry.index], p, distance2);
        int64_t size =
            ly_min_i64(boxes->count - LY_BOX_TREE_WIDTH * entry.index, LY_BOX_TREE_WIDTH);
        for (int32_t k = 0; k < size; ++k) {
            if (distance2[k] < best2) {
                best2 = distance2[k];
                best = LY_BOX_TREE_WIDTH * entry.index + k;
                bound = walk_bound(boxes, best2);
            }
        }
    }
    if (item) {
        *item = best;
    }
    if (best < 0) {
        return limit;
    }
    double way[3];
    double distance2 = triangle_distance2(&tree->blocks[best / LY_BOX_TREE_WIDTH],
                                          best % LY_BOX_TREE_WIDTH, p, way);
    for (int32_t i = 0; closest && i < 3; ++i) {
        closest[i] = p[i] + way[i];
    }
    return sqrt(distance2);
}

// ---- many points --------------------------------------------------------------------------------

typedef struct Query {
    const LyraSurfaceTree *tree;
    int32_t count, pieces;
    const double *points;
    LyraClosestFaces closest;
    double *winding, *distances, *gradients;
} Query;

static void find_closest(const Query *query, int64_t i)
{
    const double *p = query->points + 3 * i;
    int32_t item = -1;
    double closest[3] = {p[0], p[1], p[2]}, distance = INFINITY;
    if (ly_box_tree_accepts(p)) {
        distance = ly_surface_tree_distance(query->tree, p, INFINITY, &item, closest);
    }
    if (query->closest.faces) {
        query->closest.faces[i] =
            item < 0 ? -1 : query->tree->faces[query->tree->boxes.items[item]];
    }
    if (query->closest.distances) {
        query->closest.distances[i] = distance;
    }
    if (query->closest.points) {
        memcpy(query->closest.points + 3 * i, closest, sizeof closest);
    }
}

static void find_signed(const Query *query, int64_t i)
{
    const double *p = query->points + 3 * i;
    double closest[3] = {p[0], p[1], p[2]}, distance = INFINITY, sign = 1;
    if (ly_box_tree_accepts(p)) {
        distance = ly_surface_tree_distance(query->tree, p, INFINITY, NULL, closest);
        sign = ly_surface_tree_holds(query->tree, p) ? -1 : 1;
    }
    query->distances[i] = sign * distance;
    for (int32_t k = 0; query->gradients && k < 3; ++k) {
        query->gradients[3 * i + k] =
            distance > 0 && isfinite(distance) ? sign * (p[k] - closest[k]) / distance : 0;
    }
}

static void run_query(void *data, int32_t index, int32_t worker)
{
    (void)worker;
    const Query *query = data;
    int64_t end = ly_piece_begin(query->count, query->pieces, index + 1);
    for (int64_t i = ly_piece_begin(query->count, query->pieces, index); i < end; ++i) {
        const double *p = query->points + 3 * i;
        if (query->winding) {
            query->winding[i] =
                ly_box_tree_accepts(p) ? ly_surface_tree_winding(query->tree, p) : 0;
        } else if (query->distances) {
            find_signed(query, i);
        } else {
            find_closest(query, i);
        }
    }
}

static void run_queries(Query query)
{
    LYRA_ASSERT(query.count >= 0);
    query.pieces = ly_piece_count(query.count, GRAIN);
    ly_parallel_for(query.tree->ctx, query.pieces, run_query, &query);
}

void lyra_surface_tree_closest(const LyraSurfaceTree *tree, int32_t count, const double *points,
                               const LyraClosestFaces *out)
{
    run_queries((Query){.tree = tree, .count = count, .points = points, .closest = *out});
}

void lyra_surface_tree_winding(const LyraSurfaceTree *tree, int32_t count, const double *points,
                               double *winding)
{
    run_queries((Query){.tree = tree, .count = count, .points = points, .winding = winding});
}

void lyra_surface_tree_signed_distance(const LyraSurfaceTree *tree, int32_t count,
                                       const double *points, double *distances, double *gradients)
{
    run_queries((Query){.tree = tree,
                        .count = count,
                        .points = points,
                        .distances = distances,
                        .gradients = gradients});
}
