// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Building the tree: items are sorted along a Morton curve by the centres of their boxes, those of
// one cell of it by their number; every eight in a row share a node, every eight nodes a node
// above.

#include "collide/boxes.h"

#include <math.h>
#include <string.h>

enum {
    GRAIN = 2048,
    CELL_BITS = 11, // of each coordinate
    ITEM_BITS = 31, // of the number of an item, below the place on the curve
    DIGITS = 1 << 11,
    ROUNDS = 3, // of the sort
};

// by which a coordinate may be off as a float, above 2^-24
#define ROUNDING 7e-8

// ---- room ---------------------------------------------------------------------------------------

LyraStatus ly_boxes_make(LyraContext *ctx, int32_t count, int32_t corners, const int32_t *vertices,
                         LyBoxes *boxes)
{
    *boxes = (LyBoxes){.count = count, .corners = corners};
    if (count == 0) {
        return LYRA_OK;
    }
    int64_t nodes = 0, level = count;
    do {
        level = (level + LY_BOXES_WIDTH - 1) / LY_BOXES_WIDTH;
        nodes += level;
        boxes->level_begin[++boxes->level_count] = nodes;
    } while (level > 1);
    LY_TRY(ly_allocate_array(ctx, (int64_t)corners * count, sizeof *vertices, &boxes->vertices));
    LY_TRY(ly_allocate_array(ctx, count, sizeof *boxes->items, &boxes->items));
    LY_TRY(ly_allocate_array(ctx, 2 * (int64_t)count, sizeof *boxes->keys, &boxes->keys));
    LY_TRY(ly_allocate_array(ctx, nodes, sizeof *boxes->nodes, &boxes->nodes));
    memcpy(boxes->vertices, vertices, (size_t)corners * (size_t)count * sizeof *vertices);
    return LYRA_OK;
}

void ly_boxes_release(LyraContext *ctx, LyBoxes *boxes)
{
    ly_release(ctx, boxes->vertices);
    ly_release(ctx, boxes->items);
    ly_release(ctx, boxes->keys);
    ly_release(ctx, boxes->nodes);
    *boxes = (LyBoxes){0};
}

// ---- boxes --------------------------------------------------------------------------------------

typedef struct Build {
    LyBoxes *boxes;
    const LyBoxFrame *frame;
    const double *positions, *ends;
    int32_t pieces, level;
} Build;

// the box of an item, m
static void item_box(const Build *build, int32_t item, double low[3], double high[3])
{
    const LyBoxes *boxes = build->boxes;
    const int32_t *vertices = boxes->vertices + (int64_t)boxes->corners * item;
    for (int32_t c = 0; c < boxes->corners; ++c) {
        const double *x = build->positions + 3 * (int64_t)vertices[c];
        const double *y = build->ends ? build->ends + 3 * (int64_t)vertices[c] : x;
        for (int32_t i = 0; i < 3; ++i) {
            double least = x[i] < y[i] ? x[i] : y[i], most = x[i] > y[i] ? x[i] : y[i];
            low[i] = c == 0 || least < low[i] ? least : low[i];
            high[i] = c == 0 || most > high[i] ? most : high[i];
        }
    }
}

// two zeros between any two bits
static uint64_t spread(uint64_t x)
{
    x = (x | x << 32) & 0x1f00000000ffffu;
    x = (x | x << 16) & 0x1f0000ff0000ffu;
    x = (x | x << 8) & 0x100f00f00f00f00fu;
    x = (x | x << 4) & 0x10c30c30c30c30c3u;
    return (x | x << 2) & 0x1249249249249249u;
}

static void make_keys(void *data, int32_t index, int32_t worker)
{
    (void)worker;
    const Build *build = data;
    const LyBoxFrame *frame = build->frame;
    int64_t end = ly_piece_begin(build->boxes->count, build->pieces, index + 1);
    for (int64_t k = ly_piece_begin(build->boxes->count, build->pieces, index); k < end; ++k) {
        double low[3], high[3];
        item_box(build, (int32_t)k, low, high);
        uint64_t key = 0;
        for (int32_t i = 0; i < 3; ++i) {
            double center = (0.5 * low[i] + 0.5 * high[i] - frame->origin[i]) * frame->scale;
            int32_t cell = (int32_t)(center * (1 << CELL_BITS));
            cell = cell < 0 ? 0 : cell >= 1 << CELL_BITS ? (1 << CELL_BITS) - 1 : cell;
            key |= spread((uint64_t)cell) << i;
        }
        build->boxes->keys[k] = key << ITEM_BITS | (uint64_t)k;
    }
}

// sorts the keys by their place on the curve; those of one place stay in their order
static void sort_items(LyBoxes *boxes)
{
    int32_t begin[ROUNDS][DIGITS] = {0};
    uint64_t *from = boxes->keys, *to = boxes->keys + boxes->count;
    for (int32_t k = 0; k < boxes->count; ++k) {
        for (int32_t r = 0; r < ROUNDS; ++r) {
            ++begin[r][from[k] >> (ITEM_BITS + CELL_BITS * r) & (DIGITS - 1)];
        }
    }
    for (int32_t r = 0; r < ROUNDS; ++r) {
        int32_t sum = 0;
        for (int32_t d = 0; d < DIGITS; ++d) {
            int32_t count = begin[r][d];
            begin[r][d] = sum;
            sum += count;
        }
        for (int32_t k = 0; k < boxes->count; ++k) {
            to[begin[r][from[k] >> (ITEM_BITS + CELL_BITS * r) & (DIGITS - 1)]++] = from[k];
        }
        uint64_t *swap = from;
        from = to;
        to = swap;
    }
    for (int32_t k = 0; k < boxes->count; ++k) {
        boxes->items[k] = (int32_t)(from[k] & (((uint64_t)1 << ITEM_BITS) - 1));
    }
}

// sets lane k of a node, or empties it
static void set_lane(LyBoxes8 *node, int32_t k, const float low[3], const float high[3])
{
    for (int32_t i = 0; i < 3; ++i) {
        node->low[i][k] = low ? low[i] : INFINITY;
        node->high[i][k] = high ? high[i] : -INFINITY;
    }
}

static void fill_leaves(void *data, int32_t index, int32_t worker)
{
    (void)worker;
    const Build *build = data;
    const LyBoxFrame *frame = build->frame;
    LyBoxes *boxes = build->boxes;
    int64_t leaves = boxes->level_begin[1];
    int64_t end = ly_piece_begin(leaves, build->pieces, index + 1);
    for (int64_t n = ly_piece_begin(leaves, build->pieces, index); n < end; ++n) {
        for (int32_t k = 0; k < LY_BOXES_WIDTH; ++k) {
            int64_t at = LY_BOXES_WIDTH * n + k;
            if (at >= boxes->count) {
                set_lane(&boxes->nodes[n], k, NULL, NULL);
                continue;
            }
            double low[3], high[3];
            float least[3], most[3];
            item_box(build, boxes->items[at], low, high);
            for (int32_t i = 0; i < 3; ++i) {
                double below = (low[i] - frame->grow - frame->origin[i]) * frame->scale;
                double above = (high[i] + frame->grow - frame->origin[i]) * frame->scale;
                // beyond 2 a float is as far off in proportion, and nothing is there
                least[i] = (float)(below - ROUNDING * (1 + fabs(below)));
                most[i] = (float)(above + ROUNDING * (1 + fabs(above)));
            }
            set_lane(&boxes->nodes[n], k, least, most);
        }
    }
}

static void fill_level(void *data, int32_t index, int32_t worker)
{
    (void)worker;
    const Build *build = data;
    LyBoxes *boxes = build->boxes;
    int32_t level = build->level;
    const LyBoxes8 *below = &boxes->nodes[boxes->level_begin[level - 1]];
    int64_t below_count = boxes->level_begin[level] - boxes->level_begin[level - 1];
    int64_t count = boxes->level_begin[level + 1] - boxes->level_begin[level];
    int64_t end = ly_piece_begin(count, build->pieces, index + 1);
    for (int64_t n = ly_piece_begin(count, build->pieces, index); n < end; ++n) {
        LyBoxes8 *node = &boxes->nodes[boxes->level_begin[level] + n];
        for (int32_t k = 0; k < LY_BOXES_WIDTH; ++k) {
            int64_t child = LY_BOXES_WIDTH * n + k;
            if (child >= below_count) {
                set_lane(node, k, NULL, NULL);
                continue;
            }
            float low[3], high[3];
            for (int32_t i = 0; i < 3; ++i) {
                low[i] = below[child].low[i][0];
                high[i] = below[child].high[i][0];
                for (int32_t c = 1; c < LY_BOXES_WIDTH; ++c) {
                    low[i] = fminf(low[i], below[child].low[i][c]);
                    high[i] = fmaxf(high[i], below[child].high[i][c]);
                }
            }
            set_lane(node, k, low, high);
        }
    }
}

void ly_boxes_build(LyraContext *ctx, LyBoxes *boxes, const LyBoxFrame *frame,
                    const double *positions, const double *ends)
{
    if (boxes->count == 0) {
        return;
    }
    Build build = {
        .boxes = boxes,
        .frame = frame,
        .positions = positions,
        .ends = ends,
        .pieces = ly_piece_count(boxes->count, GRAIN),
    };
    ly_parallel_for(ctx, build.pieces, make_keys, &build);
    sort_items(boxes);
    build.pieces = ly_piece_count(boxes->level_begin[1], GRAIN / LY_BOXES_WIDTH);
    ly_parallel_for(ctx, build.pieces, fill_leaves, &build);
    for (build.level = 1; build.level < boxes->level_count; ++build.level) {
        int64_t count = boxes->level_begin[build.level + 1] - boxes->level_begin[build.level];
        build.pieces = ly_piece_count(count, GRAIN / LY_BOXES_WIDTH);
        ly_parallel_for(ctx, build.pieces, fill_level, &build);
    }
}
