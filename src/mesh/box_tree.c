// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Items are sorted along a Morton curve (the bits of the quantised centres of their boxes
// interleaved), then every four in a row share a node, every four nodes a node above, up to the
// root. No pointers, a depth that depends on the count alone, and linear time; along the curve
// neighbours in the row are neighbours in space, which keeps the boxes small.

#include "mesh/box_tree.h"

#include "mesh/radix.h"

#include <math.h>

enum { GRAIN = 4096, MORTON_BITS = 21 };

typedef struct Build {
    int32_t count;
    const int32_t *items;
    LyItemBox *item_box;
    const void *data;
    double low[3], scale[3]; // of the centres, for the curve
    double (*piece_boxes)[6];
    int32_t pieces;
    uint64_t *keys;
    LyBoxTree *tree;
} Build;

// ---- the curve ----------------------------------------------------------------------------------

static void center_of(const Build *build, int32_t item, double center[3])
{
    double low[3], high[3];
    build->item_box(build->data, item, low, high);
    for (int32_t i = 0; i < 3; ++i) {
        center[i] = 0.5 * (low[i] + high[i]);
    }
}

static void bound_centers(void *data, int32_t index, int32_t worker)
{
    (void)worker;
    const Build *build = data;
    double *box = build->piece_boxes[index];
    for (int32_t i = 0; i < 3; ++i) {
        box[i] = DBL_MAX;
        box[3 + i] = -DBL_MAX;
    }
    int64_t end = ly_piece_begin(build->count, build->pieces, index + 1);
    for (int64_t k = ly_piece_begin(build->count, build->pieces, index); k < end; ++k) {
        double center[3];
        center_of(build, build->items[k], center);
        for (int32_t i = 0; i < 3; ++i) {
            box[i] = fmin(box[i], center[i]);
            box[3 + i] = fmax(box[3 + i], center[i]);
        }
    }
}

// puts two zero bits between the low 21 bits of x
static uint64_t spread_bits(uint64_t x)
{
    x = (x | x << 32) & 0x001f00000000ffff;
    x = (x | x << 16) & 0x001f0000ff0000ff;
    x = (x | x << 8) & 0x100f00f00f00f00f;
    x = (x | x << 4) & 0x10c30c30c30c30c3;
    x = (x | x << 2) & 0x1249249249249249;
    return x;
}

static void make_keys(void *data, int32_t index, int32_t worker)
{
    (void)worker;
    const Build *build = data;
    int64_t end = ly_piece_begin(build->count, build->pieces, index + 1);
    for (int64_t k = ly_piece_begin(build->count, build->pieces, index); k < end; ++k) {
        double center[3];
        center_of(build, build->items[k], center);
        uint64_t key = 0;
        for (int32_t i = 0; i < 3; ++i) {
            double cell = (center[i] - build->low[i]) * build->scale[i];
            int64_t limit = ((int64_t)1 << MORTON_BITS) - 1;
            int64_t quantised = ly_max_i64(0, ly_min_i64((int64_t)cell, limit));
            key |= spread_bits((uint64_t)quantised) << i;
        }
        build->keys[k] = key;
        build->tree->items[k] = build->items[k];
    }
}

static void measure_centers(LyraContext *ctx, Build *build)
{
    ly_parallel_for(ctx, build->pieces, bound_centers, build);
    double size = 0;
    for (int32_t i = 0; i < 3; ++i) {
        double low = DBL_MAX, high = -DBL_MAX;
        for (int32_t p = 0; p < build->pieces; ++p) {
            low = fmin(low, build->piece_boxes[p][i]);
            high = fmax(high, build->piece_boxes[p][3 + i]);
        }
        build->low[i] = low;
        size = fmax(size, high - low);
    }
    // one scale for all axes, so that cells are cubes
    for (int32_t i = 0; i < 3; ++i) {
        double cells = (double)((int64_t)1 << MORTON_BITS) / size;
        build->scale[i] = isfinite(cells) ? cells : 0;
    }
}

// ---- the boxes ----------------------------------------------------------------------------------

static void clear_slot(LyBoxNode *node, int32_t k)
{
    for (int32_t i = 0; i < 3; ++i) {
        node->low[i][k] = INFINITY;
        node->high[i][k] = -INFINITY;
    }
}

static void fill_lowest(void *data, int32_t index, int32_t worker)
{
    (void)worker;
    const Build *build = data;
    LyBoxTree *tree = build->tree;
    int64_t nodes = tree->level_begin[1];
    int64_t end = ly_piece_begin(nodes, build->pieces, index + 1);
    for (int64_t n = ly_piece_begin(nodes, build->pieces, index); n < end; ++n) {
        LyBoxNode *node = &tree->nodes[n];
        for (int32_t k = 0; k < LY_TREE_WIDTH; ++k) {
            if (LY_TREE_WIDTH * n + k >= tree->count) {
                clear_slot(node, k);
                continue;
            }
            double low[3], high[3];
            build->item_box(build->data, tree->items[LY_TREE_WIDTH * n + k], low, high);
            for (int32_t i = 0; i < 3; ++i) {
                node->low[i][k] = low[i];
                node->high[i][k] = high[i];
            }
        }
    }
}

static void fill_level(LyBoxTree *tree, int32_t level)
{
    const LyBoxNode *below = tree->nodes + tree->level_begin[level - 1];
    int64_t below_count = tree->level_begin[level] - tree->level_begin[level - 1];
    LyBoxNode *nodes = tree->nodes + tree->level_begin[level];
    for (int64_t c = 0; c < (below_count + LY_TREE_WIDTH - 1) / LY_TREE_WIDTH * LY_TREE_WIDTH;
         ++c) {
        LyBoxNode *node = &nodes[c / LY_TREE_WIDTH];
        int32_t k = (int32_t)(c % LY_TREE_WIDTH);
        clear_slot(node, k);
        for (int32_t j = 0; j < LY_TREE_WIDTH && c < below_count; ++j) {
            for (int32_t i = 0; i < 3; ++i) {
                node->low[i][k] = fmin(node->low[i][k], below[c].low[i][j]);
                node->high[i][k] = fmax(node->high[i][k], below[c].high[i][j]);
            }
        }
    }
}

static void plan_levels(LyBoxTree *tree)
{
    int64_t nodes = tree->count;
    while (tree->count > 0 && (tree->level_count == 0 || nodes > 1)) {
        nodes = (nodes + LY_TREE_WIDTH - 1) / LY_TREE_WIDTH;
        tree->level_begin[tree->level_count + 1] = tree->level_begin[tree->level_count] + nodes;
        ++tree->level_count;
    }
}

LyraStatus ly_box_tree_build(LyraContext *ctx, int32_t count, const int32_t *items,
                             LyItemBox *item_box, const void *data, LyBoxTree *tree)
{
    LyraStatus status = LYRA_OK;
    LyBoxTree made = {.count = count};
    Build build = {
        .count = count,
        .items = items,
        .item_box = item_box,
        .data = data,
        .pieces = ly_piece_count(count, GRAIN),
        .tree = &made,
    };
    plan_levels(&made);
    LY_TRY_DONE(ly_allocate_array(ctx, count, sizeof *made.items, &made.items));
    LY_TRY_DONE(ly_allocate_array(ctx, made.level_begin[made.level_count], sizeof *made.nodes,
                                  &made.nodes));
    LY_TRY_DONE(
        ly_allocate_array(ctx, build.pieces, sizeof *build.piece_boxes, &build.piece_boxes));
    LY_TRY_DONE(ly_allocate_array(ctx, count, sizeof *build.keys, &build.keys));
    if (count > 0) {
        measure_centers(ctx, &build);
        ly_parallel_for(ctx, build.pieces, make_keys, &build);
        LY_TRY_DONE(ly_radix_sort(ctx, count, build.keys, made.items));
        ly_parallel_for(ctx, build.pieces, fill_lowest, &build);
        for (int32_t level = 1; level < made.level_count; ++level) {
            fill_level(&made, level);
        }
    }
    *tree = made;
done:
    if (status != LYRA_OK) {
        ly_box_tree_release(ctx, &made);
    }
    ly_release(ctx, build.piece_boxes);
    ly_release(ctx, build.keys);
    return status;
}

void ly_box_tree_release(LyraContext *ctx, LyBoxTree *tree)
{
    ly_release(ctx, tree->items);
    ly_release(ctx, tree->nodes);
    *tree = (LyBoxTree){0};
}
