// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// The shape of the tree depends on the count alone: every four items in a row share a node, every
// four nodes a node above, up to the root. What is left to choose is the order of the items. A
// block of items that has four nodes below is cut in two halves, and those once more, each time
// across the longest side of the box of their centres, by selection in linear time; then the same
// in each of the four. Boxes are held as floats, rounded outward, because a walk waits for memory
// most of the time.

#include "mesh/box_tree.h"

#include <math.h>
#include <string.h>

enum { GRAIN = 4096 };

// an item while it is being ordered
typedef struct Record {
    float center[3]; // in the tree's coordinates
    int32_t item;
} Record;

typedef struct Build {
    int32_t count;
    const int32_t *items;
    LyItemBox *item_box;
    const void *data;
    double (*piece_boxes)[6];
    int32_t pieces;
    Record *records;
    int64_t block, child; // items of a block and of a child of it, while blocks are cut
    LyBoxTree *tree;
} Build;

// ---- coordinates --------------------------------------------------------------------------------

static double lesser(double a, double b)
{
    return a < b ? a : b;
}

static double greater(double a, double b)
{
    return a > b ? a : b;
}

static void bound_items(void *data, int32_t index, int32_t worker)
{
    (void)worker;
    const Build *build = data;
    double box[6] = {DBL_MAX, DBL_MAX, DBL_MAX, -DBL_MAX, -DBL_MAX, -DBL_MAX};
    int64_t end = ly_piece_begin(build->count, build->pieces, index + 1);
    for (int64_t k = ly_piece_begin(build->count, build->pieces, index); k < end; ++k) {
        double low[3], high[3];
        build->item_box(build->data, build->items[k], low, high);
        for (int32_t i = 0; i < 3; ++i) {
            box[i] = lesser(box[i], low[i]);
            box[3 + i] = greater(box[3 + i], high[i]);
        }
    }
    memcpy(build->piece_boxes[index], box, sizeof box);
}

// the tree's coordinates: one scale for all axes, so that cells of the curve are cubes
static void choose_coordinates(LyraContext *ctx, Build *build)
{
    ly_parallel_for(ctx, build->pieces, bound_items, build);
    double size = 0;
    for (int32_t i = 0; i < 3; ++i) {
        double low = DBL_MAX, high = -DBL_MAX;
        for (int32_t p = 0; p < build->pieces; ++p) {
            low = lesser(low, build->piece_boxes[p][i]);
            high = greater(high, build->piece_boxes[p][3 + i]);
        }
        build->tree->origin[i] = low;
        size = greater(size, high - low);
    }
    // points that all lie within 1e-100 m are one
    build->tree->scale = size > 1e-100 ? 1 / size : 1;
}

static void make_records(void *data, int32_t index, int32_t worker)
{
    (void)worker;
    const Build *build = data;
    int64_t end = ly_piece_begin(build->count, build->pieces, index + 1);
    for (int64_t k = ly_piece_begin(build->count, build->pieces, index); k < end; ++k) {
        double low[3], high[3];
        build->item_box(build->data, build->items[k], low, high);
        Record *record = &build->records[k];
        record->item = build->items[k];
        for (int32_t i = 0; i < 3; ++i) {
            double center = 0.5 * (low[i] + high[i]) - build->tree->origin[i];
            // no negative zero either: places are compared by their bits
            record->center[i] = (float)greater(center * build->tree->scale, 0);
        }
    }
}

// ---- order --------------------------------------------------------------------------------------

static LyFloat4 as_vector(const Record *record)
{
    LyFloat4 x;
    memcpy(&x, record, sizeof x);
    return x;
}

static LyFloat4 choose(LyMask4 where, LyFloat4 a, LyFloat4 b)
{
    return (LyFloat4)(((LyMask4)a & where) | ((LyMask4)b & ~where));
}

static int32_t longest_axis(const Record *records, int64_t count)
{
    // the fourth lane, the item, goes along unused
    LyFloat4 low = as_vector(&records[0]), high = low;
    for (int64_t k = 1; k < count; ++k) {
        LyFloat4 x = as_vector(&records[k]);
        low = choose(x < low, x, low);
        high = choose(x > high, x, high);
    }
    int32_t axis = 0;
    for (int32_t i = 1; i < 3; ++i) {
        axis = high[i] - low[i] > high[axis] - low[axis] ? i : axis;
    }
    return axis;
}

// Place along an axis as a number: that of the bits of the coordinate, which is not negative; ids
// decide ties, so that no two records are equal.
static uint64_t place(const Record *record, int32_t axis)
{
    uint32_t bits;
    memcpy(&bits, &record->center[axis], sizeof bits);
    return (uint64_t)bits << 32 | (uint32_t)record->item;
}

// A record whose rank among all is about that of `middle`: the one of that rank in a sample drawn
// at random, from one sequence of numbers, so that no order of the input is slow.
static int64_t sample_pivot(const Record *records, int64_t begin, int64_t end, int64_t middle,
                            int32_t axis, uint64_t *state)
{
    enum { SAMPLE = 15 };
    int64_t at[SAMPLE];
    uint64_t places[SAMPLE];
    int32_t size = end - begin > 200 ? SAMPLE : 1;
    for (int32_t k = 0; k < size; ++k) {
        *state = *state * 6364136223846793005u + 1442695040888963407u;
        int64_t draw = begin + (int64_t)((*state >> 33) % (uint64_t)(end - begin));
        uint64_t its_place = place(&records[draw], axis);
        int32_t slot = k;
        for (; slot > 0 && places[slot - 1] > its_place; --slot) {
            places[slot] = places[slot - 1];
            at[slot] = at[slot - 1];
        }
        places[slot] = its_place;
        at[slot] = draw;
    }
    return at[(middle - begin) * size / (end - begin)];
}

// brings the `middle` first records along the axis to the front
static void select_front(Record *records, int64_t count, int64_t middle, int32_t axis)
{
    uint64_t state = 0x9e3779b97f4a7c15u;
    int64_t begin = 0, end = count;
    while (end - begin > 1) {
        int64_t at = sample_pivot(records, begin, end, middle, axis, &state);
        Record pivot = records[at];
        uint64_t pivot_place = place(&pivot, axis);
        records[at] = records[begin];
        // records before `split` precede the pivot; written without a branch on the comparison
        int64_t split = begin;
        for (int64_t k = begin + 1; k < end; ++k) {
            Record record = records[k];
            records[k] = records[split + 1];
            records[split + 1] = record;
            split += place(&record, axis) < pivot_place;
        }
        records[begin] = records[split];
        records[split] = pivot;
        if (split == middle || split + 1 == middle) {
            return;
        }
        if (split < middle) {
            begin = split + 1;
        } else {
            end = split;
        }
    }
}

static void cut(Record *records, int64_t count, int64_t front)
{
    if (count > front) {
        select_front(records, count, front, longest_axis(records, count));
    }
}

// orders a block so that every `child` items of it are neighbours in space
static void cut_block(Record *records, int64_t count, int64_t child)
{
    cut(records, count, 2 * child);
    cut(records, ly_min_i64(count, 2 * child), child);
    if (count > 2 * child) {
        cut(records + 2 * child, count - 2 * child, child);
    }
}

static void cut_one_level(void *data, int32_t index, int32_t worker)
{
    (void)worker;
    const Build *build = data;
    int64_t begin = build->block * index;
    cut_block(build->records + begin, ly_min_i64(build->block, build->count - begin), build->child);
}

static void cut_all_levels(void *data, int32_t index, int32_t worker)
{
    (void)worker;
    const Build *build = data;
    int64_t end = ly_min_i64(build->count, build->block * (index + (int64_t)1));
    for (int64_t block = build->block; block > LY_BOX_TREE_WIDTH; block /= LY_BOX_TREE_WIDTH) {
        for (int64_t begin = build->block * index; begin < end; begin += block) {
            cut_block(build->records + begin, ly_min_i64(block, end - begin),
                      block / LY_BOX_TREE_WIDTH);
        }
    }
    for (int64_t k = build->block * index; k < end; ++k) {
        build->tree->items[k] = build->records[k].item;
    }
}

static void order_items(LyraContext *ctx, Build *build)
{
    build->block = LY_BOX_TREE_WIDTH;
    while (build->block < build->count) {
        build->block *= LY_BOX_TREE_WIDTH;
    }
    for (; build->block > GRAIN; build->block /= LY_BOX_TREE_WIDTH) {
        build->child = build->block / LY_BOX_TREE_WIDTH;
        int64_t blocks = (build->count + build->block - 1) / build->block;
        ly_parallel_for(ctx, (int32_t)blocks, cut_one_level, build);
    }
    int64_t blocks = (build->count + build->block - 1) / build->block;
    ly_parallel_for(ctx, (int32_t)blocks, cut_all_levels, build);
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
        for (int32_t k = 0; k < LY_BOX_TREE_WIDTH; ++k) {
            if (LY_BOX_TREE_WIDTH * n + k >= tree->count) {
                clear_slot(node, k);
                continue;
            }
            double low[3], high[3];
            build->item_box(build->data, tree->items[LY_BOX_TREE_WIDTH * n + k], low, high);
            for (int32_t i = 0; i < 3; ++i) {
                // numbers up to 1: outward by more than the rounding to float
                double scale = tree->scale, origin = tree->origin[i];
                node->low[i][k] = (float)((low[i] - origin) * scale - 1e-7);
                node->high[i][k] = (float)((high[i] - origin) * scale + 1e-7);
            }
        }
    }
}

static void fill_level(LyBoxTree *tree, int32_t level)
{
    const LyBoxNode *below = tree->nodes + tree->level_begin[level - 1];
    int64_t below_count = tree->level_begin[level] - tree->level_begin[level - 1];
    LyBoxNode *nodes = tree->nodes + tree->level_begin[level];
    for (int64_t c = 0;
         c < (below_count + LY_BOX_TREE_WIDTH - 1) / LY_BOX_TREE_WIDTH * LY_BOX_TREE_WIDTH; ++c) {
        LyBoxNode *node = &nodes[c / LY_BOX_TREE_WIDTH];
        int32_t k = (int32_t)(c % LY_BOX_TREE_WIDTH);
        clear_slot(node, k);
        for (int32_t j = 0; j < LY_BOX_TREE_WIDTH && c < below_count; ++j) {
            for (int32_t i = 0; i < 3; ++i) {
                float low = below[c].low[i][j], high = below[c].high[i][j];
                node->low[i][k] = low < node->low[i][k] ? low : node->low[i][k];
                node->high[i][k] = high > node->high[i][k] ? high : node->high[i][k];
            }
        }
    }
}

// the lowest ids below each node
static void fill_lowest_ids(LyBoxTree *tree)
{
    for (int32_t level = 0; level < tree->level_count; ++level) {
        int64_t nodes = tree->level_begin[level + 1] - tree->level_begin[level];
        int64_t below_count =
            level == 0 ? tree->count : tree->level_begin[level] - tree->level_begin[level - 1];
        const int32_t *below =
            level == 0 ? tree->items : tree->lowest + tree->level_begin[level - 1];
        for (int64_t n = 0; n < nodes; ++n) {
            int32_t lowest = INT32_MAX;
            int64_t end = ly_min_i64(below_count, LY_BOX_TREE_WIDTH * (n + 1));
            for (int64_t c = LY_BOX_TREE_WIDTH * n; c < end; ++c) {
                lowest = below[c] < lowest ? below[c] : lowest;
            }
            tree->lowest[tree->level_begin[level] + n] = lowest;
        }
    }
}

static void plan_levels(LyBoxTree *tree)
{
    int64_t nodes = tree->count;
    while (tree->count > 0 && (tree->level_count == 0 || nodes > 1)) {
        nodes = (nodes + LY_BOX_TREE_WIDTH - 1) / LY_BOX_TREE_WIDTH;
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
    LY_TRY_DONE(ly_allocate_array(ctx, made.level_begin[made.level_count], sizeof *made.lowest,
                                  &made.lowest));
    LY_TRY_DONE(
        ly_allocate_array(ctx, build.pieces, sizeof *build.piece_boxes, &build.piece_boxes));
    LY_TRY_DONE(ly_allocate_array(ctx, count, sizeof *build.records, &build.records));
    if (count > 0) {
        choose_coordinates(ctx, &build);
        ly_parallel_for(ctx, build.pieces, make_records, &build);
        order_items(ctx, &build);
        ly_parallel_for(ctx, build.pieces, fill_lowest, &build);
        for (int32_t level = 1; level < made.level_count; ++level) {
            fill_level(&made, level);
        }
        fill_lowest_ids(&made);
    }
    *tree = made;
done:
    if (status != LYRA_OK) {
        ly_box_tree_release(ctx, &made);
    }
    ly_release(ctx, build.piece_boxes);
    ly_release(ctx, build.records);
    return status;
}

void ly_box_tree_release(LyraContext *ctx, LyBoxTree *tree)
{
    ly_release(ctx, tree->items);
    ly_release(ctx, tree->nodes);
    ly_release(ctx, tree->lowest);
    *tree = (LyBoxTree){0};
}
