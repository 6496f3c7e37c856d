// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// A tree of boxes over items that have boxes: points or elements.

#ifndef LY_MESH_BOX_TREE_H
#define LY_MESH_BOX_TREE_H

#include "base/base.h"

#include <float.h>

/// Largest magnitude of a coordinate in trees: products of six stay finite.
#define LY_TREE_LIMIT 1e50

enum { LY_TREE_WIDTH = 4, LY_TREE_LEVELS = 16 };

/// Boxes of four children, or of four items in the lowest level. Missing ones are empty: low above
/// high.
typedef struct LyBoxNode {
    double low[3][LY_TREE_WIDTH], high[3][LY_TREE_WIDTH];
} LyBoxNode;

/// Item i of the lowest level stands in node i / 4; node i of a level is child of node i / 4 of the
/// next. Items are in the order of a space-filling curve.
typedef struct LyBoxTree {
    int32_t count;       // items
    int32_t level_count; // 0 for no items; the root is the only node of the last level
    int64_t level_begin[LY_TREE_LEVELS + 1];
    int32_t *items; // id of each item in tree order, [count]
    LyBoxNode *nodes;
} LyBoxTree;

/// Writes the box of an item.
typedef void LyItemBox(const void *data, int32_t item, double low[3], double high[3]);

/// Builds the tree over `items` [count], whose ids it takes over in `*tree` in a new order. All
/// boxes are finite and below LY_TREE_LIMIT. On failure `*tree` is untouched.
LyraStatus ly_box_tree_build(LyraContext *ctx, int32_t count, const int32_t *items,
                             LyItemBox *item_box, const void *data, LyBoxTree *tree);
void ly_box_tree_release(LyraContext *ctx, LyBoxTree *tree);

/// Whether a point can be looked for: finite and below LY_TREE_LIMIT; false for NaN.
static inline bool ly_tree_accepts(const double p[3])
{
    return __builtin_fabs(p[0]) < LY_TREE_LIMIT && __builtin_fabs(p[1]) < LY_TREE_LIMIT &&
           __builtin_fabs(p[2]) < LY_TREE_LIMIT;
}

// ---- walking ------------------------------------------------------------------------------------

/// A node that is still to be visited.
typedef struct LyTreeEntry {
    double distance2; // from the point to the box, squared
    int32_t level, index;
} LyTreeEntry;

/// Deep enough for every walk: each level leaves at most three siblings behind.
enum { LY_TREE_STACK = 3 * LY_TREE_LEVELS + 4 };

/// Bits of the children whose box holds the point.
static inline uint32_t ly_box_node_holds(const LyBoxNode *node, const double p[3])
{
    int64_t inside[LY_TREE_WIDTH];
    for (int32_t k = 0; k < LY_TREE_WIDTH; ++k) {
        inside[k] = (p[0] >= node->low[0][k]) & (p[0] <= node->high[0][k]) &
                    (p[1] >= node->low[1][k]) & (p[1] <= node->high[1][k]) &
                    (p[2] >= node->low[2][k]) & (p[2] <= node->high[2][k]);
    }
    return (uint32_t)(inside[0] | inside[1] << 1 | inside[2] << 2 | inside[3] << 3);
}

/// Squared distances from the point to the boxes of the children; infinite for empty ones.
static inline void ly_box_node_distances(const LyBoxNode *node, const double p[3],
                                         double distance2[LY_TREE_WIDTH])
{
    for (int32_t k = 0; k < LY_TREE_WIDTH; ++k) {
        double sum = 0;
        for (int32_t i = 0; i < 3; ++i) {
            double below = node->low[i][k] - p[i], above = p[i] - node->high[i][k];
            double outside = below > above ? below : above;
            outside = outside > 0 ? outside : 0;
            sum += outside * outside;
        }
        distance2[k] = sum;
    }
}

/// Bound for squared distances that rounding in another order cannot cross.
static inline double ly_tree_bound(double distance2)
{
    return distance2 * (1 + 1e-14);
}

/// Pushes the children of an inner node that may be as close as `bound`, the closest on top.
static inline int32_t ly_tree_push_children(const LyBoxTree *tree, LyTreeEntry entry,
                                            const double p[3], double bound,
                                            LyTreeEntry stack[LY_TREE_STACK], int32_t top)
{
    const LyBoxNode *node = &tree->nodes[tree->level_begin[entry.level] + entry.index];
    double distance2[LY_TREE_WIDTH];
    ly_box_node_distances(node, p, distance2);
    int32_t first = top;
    for (int32_t k = 0; k < LY_TREE_WIDTH; ++k) {
        // empty boxes are infinitely far, which no bound is
        if (!(distance2[k] <= bound)) {
            continue;
        }
        int32_t at = top++;
        while (at > first && stack[at - 1].distance2 < distance2[k]) {
            stack[at] = stack[at - 1];
            --at;
        }
        stack[at] = (LyTreeEntry){distance2[k], entry.level - 1, LY_TREE_WIDTH * entry.index + k};
    }
    return top;
}

#endif
