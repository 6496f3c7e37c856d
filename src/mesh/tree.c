// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Queries walk the tree of boxes with a small stack. Containing: all elements whose box holds the
// point are tested, and the lowest id stays, so that the answer does not depend on the tree.
// Closest: the nearest box first, boxes farther than the best so far left out; a second walk within
// that distance and the tolerance takes the lowest id of the elements that are equally far, which
// rounding would otherwise choose among those that share the closest face, edge or vertex.

#include "mesh/tree.h"

#include "mesh/sort.h"

#include <math.h>
#include <string.h>

enum { GRAIN = 256 };

// ---- vertices -----------------------------------------------------------------------------------

static void point_box(const void *data, int32_t item, double low[3], double high[3])
{
    const double *x = (const double *)data + 3 * (int64_t)item;
    for (int32_t i = 0; i < 3; ++i) {
        low[i] = high[i] = x[i];
    }
}

static LyraStatus list_ids(LyraContext *ctx, int32_t count, int32_t **out)
{
    LY_TRY(ly_allocate_array(ctx, count, sizeof **out, out));
    for (int32_t i = 0; i < count; ++i) {
        (*out)[i] = i;
    }
    return LYRA_OK;
}

// the first item below a node
static int64_t first_below(int32_t level, int64_t index)
{
    for (; level >= 0; --level) {
        index *= LY_BOX_TREE_WIDTH;
    }
    return index;
}

// Marks the nodes below which all points are in one place: without, every query would look at each
// of them.
static void mark_together(const LyraVertexTree *tree)
{
    const LyBoxTree *boxes = &tree->boxes;
    for (int32_t level = 0; level < boxes->level_count; ++level) {
        int64_t nodes = boxes->level_begin[level + 1] - boxes->level_begin[level];
        int64_t below_count =
            level == 0 ? boxes->count : boxes->level_begin[level] - boxes->level_begin[level - 1];
        for (int64_t n = 0; n < nodes; ++n) {
            const double *place = tree->positions[first_below(level, n)];
            int64_t end = ly_min_i64(below_count, LY_BOX_TREE_WIDTH * (n + 1));
            bool together = true;
            for (int64_t c = LY_BOX_TREE_WIDTH * n; c < end; ++c) {
                const double *other = tree->positions[first_below(level - 1, c)];
                together = together &&
                           (level == 0 || tree->together[boxes->level_begin[level - 1] + c]) &&
                           memcmp(place, other, 3 * sizeof *place) == 0;
            }
            tree->together[boxes->level_begin[level] + n] = together;
        }
    }
}

LyraStatus lyra_vertex_tree_create(LyraContext *ctx, int32_t count, const double *positions,
                                   LyraVertexTree **out)
{
    if (count < 0) {
        return ly_fail(LYRA_INVALID_ARGUMENT, "vertex tree: the count is negative");
    }
    for (int32_t i = 0; i < count; ++i) {
        if (!ly_box_tree_accepts(positions + 3 * (int64_t)i)) {
            return ly_fail(LYRA_NOT_FINITE,
                           "vertex tree: a coordinate of point %d is not finite or not below 1e50",
                           i);
        }
    }
    LyraStatus status = LYRA_OK;
    LyraVertexTree *tree = NULL;
    int32_t *ids = NULL;
    LY_TRY_DONE(ly_allocate_zeroed(ctx, 1, sizeof *tree, &tree));
    tree->ctx = ctx;
    LY_TRY_DONE(list_ids(ctx, count, &ids));
    LY_TRY_DONE(ly_box_tree_build(ctx, count, ids, point_box, positions, &tree->boxes));
    LY_TRY_DONE(ly_allocate_array(ctx, count, sizeof *tree->positions, &tree->positions));
    for (int32_t i = 0; i < count; ++i) {
        memcpy(tree->positions[i], positions + 3 * (int64_t)tree->boxes.items[i],
               sizeof tree->positions[i]);
    }
    LY_TRY_DONE(ly_allocate_array(ctx, tree->boxes.level_begin[tree->boxes.level_count],
                                  sizeof *tree->together, &tree->together));
    mark_together(tree);
    *out = tree;
done:
    ly_release(ctx, ids);
    if (status != LYRA_OK) {
        lyra_vertex_tree_destroy(tree);
    }
    return status;
}

void lyra_vertex_tree_destroy(LyraVertexTree *tree)
{
    if (!tree) {
        return;
    }
    LyraContext *ctx = tree->ctx;
    ly_box_tree_release(ctx, &tree->boxes);
    ly_release(ctx, tree->positions);
    ly_release(ctx, tree->together);
    ly_release(ctx, tree);
}

static int32_t closest_vertex(const LyraVertexTree *tree, const double p[3], double *distance)
{
    const LyBoxTree *boxes = &tree->boxes;
    LyBoxTreeEntry stack[LY_BOX_TREE_STACK];
    int32_t top = 0, best = -1;
    double best2 = DBL_MAX, bound = DBL_MAX, q[3];
    if (boxes->level_count > 0 && ly_box_tree_accepts(p)) {
        ly_box_tree_scaled(boxes, p, q);
        stack[top++] = (LyBoxTreeEntry){0, boxes->level_count - 1, 0};
    }
    while (top > 0) {
        LyBoxTreeEntry entry = stack[--top];
        if (entry.distance2 > bound) {
            continue;
        }
        int64_t node = boxes->level_begin[entry.level] + entry.index;
        bool together = tree->together[node];
        if (entry.level > 0 && !together) {
            top = ly_box_tree_push_children(boxes, entry, q, bound, stack, top);
            continue;
        }
        int64_t begin = first_below(entry.level, entry.index);
        int64_t end = together ? begin + 1 : ly_min_i64(begin + LY_BOX_TREE_WIDTH, boxes->count);
        for (int64_t at = begin; at < end; ++at) {
            const double *x = tree->positions[at];
            double d[3] = {p[0] - x[0], p[1] - x[1], p[2] - x[2]};
            double d2 = d[0] * d[0] + d[1] * d[1] + d[2] * d[2];
            int32_t id = together ? boxes->lowest[node] : boxes->items[at];
            if (d2 < best2 || (d2 == best2 && id < best)) {
                best2 = d2;
                best = id;
            }
        }
        bound = ly_box_tree_bound(boxes, best2);
    }
    *distance = best < 0 ? INFINITY : sqrt(best2);
    return best;
}

typedef struct VertexQuery {
    const LyraVertexTree *tree;
    int32_t count, pieces;
    const double *points;
    int32_t *ids;
    double *distances;
} VertexQuery;

static void find_vertices(void *data, int32_t index, int32_t worker)
{
    (void)worker;
    const VertexQuery *query = data;
    int64_t end = ly_piece_begin(query->count, query->pieces, index + 1);
    for (int64_t i = ly_piece_begin(query->count, query->pieces, index); i < end; ++i) {
        double distance;
        int32_t id = closest_vertex(query->tree, query->points + 3 * i, &distance);
        if (query->ids) {
            query->ids[i] = id;
        }
        if (query->distances) {
            query->distances[i] = distance;
        }
    }
}

void lyra_vertex_tree_closest(const LyraVertexTree *tree, int32_t count, const double *points,
                              int32_t *ids, double *distances)
{
    LYRA_ASSERT(count >= 0);
    VertexQuery query = {
        .tree = tree,
        .count = count,
        .pieces = ly_piece_count(count, GRAIN),
        .points = points,
        .ids = ids,
        .distances = distances,
    };
    ly_parallel_for(tree->ctx, query.pieces, find_vertices, &query);
}

// ---- elements -----------------------------------------------------------------------------------

__attribute__((always_inline)) static inline void
bound_nodes(const LyraElementTree *tree, int32_t nodes, int32_t item, double low[3], double high[3])
{
    LyElementShape shape = ly_element_shape(tree->mesh, item);
    for (int32_t i = 0; i < 3; ++i) {
        low[i] = high[i] = shape.x[0][i];
        for (int32_t a = 1; a < nodes; ++a) {
            low[i] = shape.x[a][i] < low[i] ? shape.x[a][i] : low[i];
            high[i] = shape.x[a][i] > high[i] ? shape.x[a][i] : high[i];
        }
        low[i] -= tree->tolerance;
        high[i] += tree->tolerance;
    }
}

static void tet_box(const void *data, int32_t item, double low[3], double high[3])
{
    bound_nodes(data, 4, item, low, high);
}

static void cube_box(const void *data, int32_t item, double low[3], double high[3])
{
    bound_nodes(data, 8, item, low, high);
}

static void mapped_box(const void *data, int32_t item, double low[3], double high[3])
{
    const LyraElementTree *tree = data;
    LyElementShape shape = ly_element_shape(tree->mesh, item);
    ly_map_box(&shape, low, high);
    for (int32_t i = 0; i < 3; ++i) {
        low[i] -= tree->tolerance;
        high[i] += tree->tolerance;
    }
}

// 1e-12 of the largest coordinate and of the diagonal: thousands of times what rounding of
// coordinates can move a face
static LyraStatus measure_tolerance(const LyraMesh *mesh, double *tolerance)
{
    double low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY};
    for (int32_t v = 0; v < mesh->vertex_count; ++v) {
        const double *x = mesh->positions + 3 * (int64_t)v;
        if (!ly_box_tree_accepts(x)) {
            return ly_fail(LYRA_BAD_MESH,
                           "element tree: a coordinate of vertex %d is not below 1e50", v);
        }
        for (int32_t i = 0; i < 3; ++i) {
            low[i] = x[i] < low[i] ? x[i] : low[i];
            high[i] = x[i] > high[i] ? x[i] : high[i];
        }
    }
    double largest = 0, diagonal2 = 0;
    for (int32_t i = 0; i < 3 && mesh->vertex_count > 0; ++i) {
        largest = fmax(largest, fmax(fabs(low[i]), fabs(high[i])));
        diagonal2 += (high[i] - low[i]) * (high[i] - low[i]);
    }
    *tolerance = 1e-12 * (largest + sqrt(diagonal2));
    return LYRA_OK;
}

LyraStatus lyra_element_tree_create(const LyraMesh *mesh, LyraElementTree **out)
{
    LyraContext *ctx = mesh->ctx;
    LyraStatus status = LYRA_OK;
    LyraElementTree *tree = NULL;
    int32_t *ids = NULL;
    LY_TRY_DONE(ly_allocate_zeroed(ctx, 1, sizeof *tree, &tree));
    tree->mesh = mesh;
    LY_TRY_DONE(measure_tolerance(mesh, &tree->tolerance));
    LY_TRY_DONE(ly_allocate_array(ctx, mesh->element_count, sizeof *ids, &ids));
    int32_t count = 0;
    for (int32_t e = 0; e < mesh->element_count; ++e) {
        LyElementShape shape = ly_element_shape(mesh, e);
        if (ly_element_is_flat(&shape, tree->tolerance)) {
            continue;
        }
        if (!ly_element_is_aligned(&shape)) {
            LY_TRY_DONE(
                ly_fail(LYRA_BAD_MESH, "element tree: cube %d is not aligned with the axes", e));
        }
        ids[count++] = e;
    }
    LyItemBox *box = ly_kind_is_mapped(mesh->kind)     ? mapped_box
                     : mesh->kind == LYRA_ELEMENT_TET4 ? tet_box
                                                       : cube_box;
    LY_TRY_DONE(ly_box_tree_build(ctx, count, ids, box, tree, &tree->boxes));
    *out = tree;
done:
    ly_release(ctx, ids);
    if (status != LYRA_OK) {
        lyra_element_tree_destroy(tree);
    }
    return status;
}

void lyra_element_tree_destroy(LyraElementTree *tree)
{
    if (!tree) {
        return;
    }
    LyraContext *ctx = tree->mesh->ctx;
    ly_box_tree_release(ctx, &tree->boxes);
    ly_release(ctx, tree);
}

double lyra_element_tree_tolerance(const LyraElementTree *tree)
{
    return tree->tolerance;
}

int32_t ly_element_tree_contains(const LyraElementTree *tree, const double p[3])
{
    const LyBoxTree *boxes = &tree->boxes;
    struct {
        int32_t level, index;
    } stack[LY_BOX_TREE_STACK];
    int32_t top = 0, best = -1;
    LyBoxTreePoint point = ly_box_tree_point(boxes, p);
    if (boxes->level_count > 0 && ly_box_tree_accepts(p)) {
        stack[top].level = boxes->level_count - 1;
        stack[top++].index = 0;
    }
    while (top > 0) {
        int32_t level = stack[--top].level, index = stack[top].index;
        int64_t node = boxes->level_begin[level] + index;
        if (best >= 0 && boxes->lowest[node] > best) {
            continue;
        }
        uint32_t holds = ly_box_node_holds(&boxes->nodes[node], &point);
        while (holds) {
            // the first child comes on top, as it has the lower ids where many lie in one place
            int32_t last = 31 - __builtin_clz(holds);
            int32_t child = LY_BOX_TREE_WIDTH * index + last;
            holds &= ~(1u << last);
            if (level > 0) {
                stack[top].level = level - 1;
                stack[top++].index = child;
                continue;
            }
            int32_t element = boxes->items[child];
            if (best >= 0 && element > best) {
                continue;
            }
            LyElementShape shape = ly_element_shape(tree->mesh, element);
            if (ly_element_contains(&shape, p, tree->tolerance)) {
                best = element;
            }
        }
    }
    return best;
}

// One walk for both rounds: in the first, `lowest` false, elements have to be closer than the best
// so far; in the second, of those within the bound the lowest id counts.
static int32_t walk_closest(const LyraElementTree *tree, const double p[3], bool lowest,
                            double *bound2, double closest[3])
{
    const LyBoxTree *boxes = &tree->boxes;
    LyBoxTreeEntry stack[LY_BOX_TREE_STACK];
    int32_t top = 0, best = -1;
    double q[3], bound = ly_box_tree_bound(boxes, *bound2);
    ly_box_tree_scaled(boxes, p, q);
    stack[top++] = (LyBoxTreeEntry){0, boxes->level_count - 1, 0};
    while (top > 0) {
        LyBoxTreeEntry entry = stack[--top];
        int64_t node = boxes->level_begin[entry.level] + entry.index;
        if (entry.distance2 > bound || (lowest && best >= 0 && boxes->lowest[node] > best)) {
            continue;
        }
        if (entry.level > 0) {
            top = ly_box_tree_push_children(boxes, entry, q, bound, stack, top);
            continue;
        }
        double distance2[LY_BOX_TREE_WIDTH];
        ly_box_node_distances(&boxes->nodes[entry.index], q, distance2);
        for (int32_t k = 0; k < LY_BOX_TREE_WIDTH; ++k) {
            int64_t at = (int64_t)LY_BOX_TREE_WIDTH * entry.index + k;
            if (at >= boxes->count || distance2[k] > bound) {
                continue;
            }
            int32_t element = boxes->items[at];
            if (lowest && best >= 0 && element > best) {
                continue;
            }
            LyElementShape shape = ly_element_shape(tree->mesh, element);
            double point[3] = {0};
            double d2 = ly_element_distance2(&shape, p, point);
            if (lowest ? d2 <= *bound2 : d2 < *bound2) {
                best = element;
                memcpy(closest, point, sizeof point);
                if (!lowest) {
                    *bound2 = d2;
                    bound = ly_box_tree_bound(boxes, d2);
                }
            }
        }
    }
    return best;
}

int32_t ly_element_tree_find(const LyraElementTree *tree, const double p[3], double *distance,
                             double closest[3])
{
    int32_t element = ly_element_tree_contains(tree, p);
    memcpy(closest, p, 3 * sizeof *closest);
    if (element >= 0) {
        *distance = 0;
        return element;
    }
    if (tree->boxes.count == 0 || !ly_box_tree_accepts(p)) {
        *distance = INFINITY;
        return -1;
    }
    double bound2 = DBL_MAX;
    (void)walk_closest(tree, p, false, &bound2, closest);
    // far away, rounding of the distance itself is more than the tolerance
    double reach = sqrt(bound2) * (1 + 1e-14) + tree->tolerance;
    bound2 = reach * reach;
    element = walk_closest(tree, p, true, &bound2, closest);
    double d2 = 0;
    for (int32_t i = 0; i < 3; ++i) {
        d2 += (p[i] - closest[i]) * (p[i] - closest[i]);
    }
    *distance = fmax(sqrt(d2), DBL_MIN);
    return element;
}

// ---- batches ------------------------------------------------------------------------------------

typedef struct ElementQuery {
    const LyraElementTree *tree;
    int32_t count, pieces, nodes;
    const double *points;
    const int32_t *order; // NULL: as they come
    bool inside_only;
    LyraClosestElements out;
} ElementQuery;

static void find_elements(void *data, int32_t index, int32_t worker)
{
    (void)worker;
    const ElementQuery *query = data;
    const LyraElementTree *tree = query->tree;
    int64_t end = ly_piece_begin(query->count, query->pieces, index + 1);
    for (int64_t k = ly_piece_begin(query->count, query->pieces, index); k < end; ++k) {
        int64_t i = query->order ? query->order[k] : k;
        const double *p = query->points + 3 * i;
        double distance = 0, closest[3];
        int32_t element = query->inside_only ? ly_element_tree_contains(tree, p)
                                             : ly_element_tree_find(tree, p, &distance, closest);
        if (query->out.elements) {
            query->out.elements[i] = element;
        }
        if (query->out.distances) {
            query->out.distances[i] = distance;
        }
        if (query->out.points) {
            memcpy(query->out.points + 3 * i, closest, sizeof closest);
        }
        double *weights = query->out.weights ? query->out.weights + query->nodes * i : NULL;
        if (weights && element >= 0) {
            LyElementShape shape = ly_element_shape(tree->mesh, element);
            ly_element_weights(&shape, p, weights);
        } else if (weights) {
            memset(weights, 0, (size_t)query->nodes * sizeof *weights);
        }
    }
}

static void run_query(const LyraElementTree *tree, int32_t count, const double *points,
                      const int32_t *order, bool inside_only, LyraClosestElements out)
{
    LYRA_ASSERT(count >= 0);
    ElementQuery query = {
        .tree = tree,
        .count = count,
        .pieces = ly_piece_count(count, GRAIN),
        .nodes = lyra_element_kind_nodes(tree->mesh->kind),
        .points = points,
        .order = order,
        .inside_only = inside_only,
        .out = out,
    };
    ly_parallel_for(tree->mesh->ctx, query.pieces, find_elements, &query);
}

void lyra_element_tree_containing(const LyraElementTree *tree, int32_t count, const double *points,
                                  int32_t *elements, double *weights)
{
    run_query(tree, count, points, NULL, true,
              (LyraClosestElements){.elements = elements, .weights = weights});
}

void lyra_element_tree_closest(const LyraElementTree *tree, int32_t count, const double *points,
                               const LyraClosestElements *out)
{
    run_query(tree, count, points, NULL, false, *out);
}

// puts two zero bits between the low 10 bits of x
static uint64_t spread_bits(uint64_t x)
{
    x = (x | x << 16) & 0x030000ff;
    x = (x | x << 8) & 0x0300f00f;
    x = (x | x << 4) & 0x030c30c3;
    x = (x | x << 2) & 0x09249249;
    return x;
}

// along a Morton curve through the box of the tree
static LyraStatus sort_points(const LyraElementTree *tree, int32_t count, const double *points,
                              int32_t *order)
{
    LyraContext *ctx = tree->mesh->ctx;
    uint64_t *keys = NULL;
    LY_TRY(ly_allocate_array(ctx, count, sizeof *keys, &keys));
    for (int32_t k = 0; k < count; ++k) {
        double q[3];
        ly_box_tree_scaled(&tree->boxes, points + 3 * (int64_t)k, q);
        keys[k] = 0;
        for (int32_t i = 0; i < 3; ++i) {
            // NaN counts as 0
            double cell = q[i] > 0 ? q[i] * 1024 : 0;
            keys[k] |= spread_bits(cell < 1023 ? (uint64_t)cell : 1023) << i;
        }
        order[k] = k;
    }
    LyraStatus status = ly_sort_keys(ctx, count, keys, order);
    ly_release(ctx, keys);
    return status;
}

LyraStatus ly_element_tree_closest_sorted(const LyraElementTree *tree, int32_t count,
                                          const double *points, const LyraClosestElements *out)
{
    int32_t *order = NULL;
    LY_TRY(ly_allocate_array(tree->mesh->ctx, count, sizeof *order, &order));
    LyraStatus status = sort_points(tree, count, points, order);
    if (status == LYRA_OK) {
        run_query(tree, count, points, order, false, *out);
    }
    ly_release(tree->mesh->ctx, order);
    return status;
}
