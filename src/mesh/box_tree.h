// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// A tree of boxes over items that have boxes: points or elements.

#ifndef LY_MESH_BOX_TREE_H
#define LY_MESH_BOX_TREE_H

#include "base/base.h"

#include <float.h>
#include <string.h>

/// Largest magnitude of a coordinate in trees: products of six stay finite.
#define LY_BOX_TREE_LIMIT 1e50

enum { LY_BOX_TREE_WIDTH = 4, LY_BOX_TREE_LEVELS = 16 };

/// Boxes of four children, or of four items in the lowest level, in the tree's own coordinates and
/// rounded outward. Missing ones are empty: low above high.
typedef struct LyBoxNode {
    float low[3][LY_BOX_TREE_WIDTH], high[3][LY_BOX_TREE_WIDTH];
} LyBoxNode;

/// Item i of the lowest level stands in node i / 4; node i of a level is child of node i / 4 of the
/// next. Coordinates of the tree run from 0 to 1: (x - origin) * scale. Of items with one
/// centre those with lower ids stand in earlier nodes.
typedef struct LyBoxTree {
    int32_t count;       // items
    int32_t level_count; // 0 for no items; the root is the only node of the last level
    int64_t level_begin[LY_BOX_TREE_LEVELS + 1];
    int32_t *items; // id of each item in tree order, [count]
    LyBoxNode *nodes;
    int32_t *lowest; // lowest id below each node
    double origin[3], scale;
} LyBoxTree;

/// Writes the box of an item.
typedef void LyItemBox(const void *data, int32_t item, double low[3], double high[3]);

/// Builds the tree over `items` [count], whose ids it takes over in `*tree` in a new order. All
/// boxes are finite and below LY_BOX_TREE_LIMIT. On failure `*tree` is untouched.
LyraStatus ly_box_tree_build(LyraContext *ctx, int32_t count, const int32_t *items,
                             LyItemBox *item_box, const void *data, LyBoxTree *tree);
void ly_box_tree_release(LyraContext *ctx, LyBoxTree *tree);

/// Whether a point can be looked for: finite and below LY_BOX_TREE_LIMIT; false for NaN.
static inline bool ly_box_tree_accepts(const double p[3])
{
    return __builtin_fabs(p[0]) < LY_BOX_TREE_LIMIT && __builtin_fabs(p[1]) < LY_BOX_TREE_LIMIT &&
           __builtin_fabs(p[2]) < LY_BOX_TREE_LIMIT;
}

// ---- walking ------------------------------------------------------------------------------------

/// A node that is still to be visited.
typedef struct LyBoxTreeEntry {
    double distance2; // from the point to the box, squared, in the tree's coordinates
    int32_t level, index;
} LyBoxTreeEntry;

/// Deep enough for every walk: each level leaves at most three siblings behind.
enum { LY_BOX_TREE_STACK = 3 * LY_BOX_TREE_LEVELS + 4 };

/// Four numbers side by side.
typedef float LyFloat4 __attribute__((vector_size(16)));
typedef int32_t LyMask4 __attribute__((vector_size(16)));

/// A point in the coordinates of the tree, for ly_box_node_holds(): rounded down and up.
typedef struct LyBoxTreePoint {
    float down[3], up[3];
} LyBoxTreePoint;

static inline LyBoxTreePoint ly_box_tree_point(const LyBoxTree *tree, const double p[3])
{
    LyBoxTreePoint point;
    for (int32_t i = 0; i < 3; ++i) {
        // beyond the boxes it does not matter where
        double x = (p[i] - tree->origin[i]) * tree->scale;
        x = x < -2 ? -2 : x > 3 ? 3 : x;
        point.down[i] = (float)(x - 4e-7);
        point.up[i] = (float)(x + 4e-7);
    }
    return point;
}

/// Bits of the children whose box holds the point.
static inline uint32_t ly_box_node_holds(const LyBoxNode *node, const LyBoxTreePoint *p)
{
    LyMask4 inside = {-1, -1, -1, -1};
    for (int32_t i = 0; i < 3; ++i) {
        LyFloat4 low, high;
        memcpy(&low, node->low[i], sizeof low);
        memcpy(&high, node->high[i], sizeof high);
        LyFloat4 down = {p->down[i], p->down[i], p->down[i], p->down[i]};
        LyFloat4 up = {p->up[i], p->up[i], p->up[i], p->up[i]};
        inside &= (up >= low) & (down <= high);
    }
    inside &= (LyMask4){1, 2, 4, 8};
    return (uint32_t)(inside[0] | inside[1] | inside[2] | inside[3]);
}

/// A point in the coordinates of the tree.
static inline void ly_box_tree_scaled(const LyBoxTree *tree, const double p[3], double q[3])
{
    for (int32_t i = 0; i < 3; ++i) {
        q[i] = (p[i] - tree->origin[i]) * tree->scale;
    }
}

/// Squared distances from the point to the boxes of the children, in the tree's coordinates, or
/// less; infinite for empty ones.
static inline void ly_box_node_distances(const LyBoxNode *node, const double q[3],
                                         double distance2[LY_BOX_TREE_WIDTH])
{
    for (int32_t k = 0; k < LY_BOX_TREE_WIDTH; ++k) {
        double sum = 0;
        for (int32_t i = 0; i < 3; ++i) {
            double below = (double)node->low[i][k] - q[i], above = q[i] - (double)node->high[i][k];
            double outside = below > above ? below : above;
            outside = outside > 0 ? outside : 0;
            sum += outside * outside;
        }
        distance2[k] = sum;
    }
}

/// Bound in the tree's coordinates for a squared distance, which rounding cannot cross.
static inline double ly_box_tree_bound(const LyBoxTree *tree, double distance2)
{
    double bound = distance2 * (tree->scale * tree->scale) * (1 + 1e-12);
    return bound < DBL_MAX ? bound : DBL_MAX;
}

/// Pushes the children of an inner node that may be as close as `bound`, the closest on top.
static inline int32_t ly_box_tree_push_children(const LyBoxTree *tree, LyBoxTreeEntry entry,
                                                const double q[3], double bound,
                                                LyBoxTreeEntry stack[LY_BOX_TREE_STACK],
                                                int32_t top)
{
    const LyBoxNode *node = &tree->nodes[tree->level_begin[entry.level] + entry.index];
    double distance2[LY_BOX_TREE_WIDTH];
    ly_box_node_distances(node, q, distance2);
    int32_t first = top;
    for (int32_t k = 0; k < LY_BOX_TREE_WIDTH; ++k) {
        // empty boxes are infinitely far, which no bound is
        if (!(distance2[k] <= bound)) {
            continue;
        }
        int32_t at = top++;
        while (at > first && stack[at - 1].distance2 < distance2[k]) {
            stack[at] = stack[at - 1];
            --at;
        }
        stack[at] =
            (LyBoxTreeEntry){distance2[k], entry.level - 1, LY_BOX_TREE_WIDTH * entry.index + k};
    }
    return top;
}

#endif
