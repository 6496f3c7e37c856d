// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// A tree of boxes, eight to a node, that is built anew each time its items move. Unlike the tree of
// the meshes (mesh/box_tree.h), which is cut well and asked often, this one is sorted along a
// curve: half as good to ask, ten times as fast to make.

#ifndef LY_COLLIDE_BOXES_H
#define LY_COLLIDE_BOXES_H

#include "base/base.h"
#include "math/kernel.h"

enum { LY_BOXES_WIDTH = 8, LY_BOXES_LEVELS = 11 };

/// Boxes of eight items or children, in the frame's coordinates and rounded outward. Missing ones
/// are empty: low above high.
typedef struct LyBoxes8 {
    float low[3][LY_BOXES_WIDTH], high[3][LY_BOXES_WIDTH];
} LyBoxes8;

/// Coordinates of trees that are to be compared: (x - origin) * scale, from 0 to 1.
typedef struct LyBoxFrame {
    double origin[3], scale;
    double grow; // by which each box is larger, m
} LyBoxFrame;

/// Items with `corners` vertices each. Item k of the tree's order stands in node k / 8 of level 0,
/// and child c of a node n is node 8 n + c of the level below.
typedef struct LyBoxes {
    int32_t count, corners;
    int32_t *vertices; // of the items by their number, [count][corners]
    int32_t level_count;
    int64_t level_begin[LY_BOXES_LEVELS + 1];
    int32_t *items;  // numbers in the tree's order, [count]
    uint64_t *keys;  // [2][count]: along the curve, and room to sort
    LyBoxes8 *nodes; // [level_begin[level_count]]
} LyBoxes;

/// Makes room for a tree; its vertices are copied.
LyraStatus ly_boxes_make(LyraContext *ctx, int32_t count, int32_t corners, const int32_t *vertices,
                         LyBoxes *boxes);
void ly_boxes_release(LyraContext *ctx, LyBoxes *boxes);

/// Builds the tree around the items on their way from `positions` to `ends` (Nullable).
void ly_boxes_build(LyraContext *ctx, LyBoxes *boxes, const LyBoxFrame *frame,
                    const double *positions, const double *ends);

/// What a search for pairs is about: items of `first` near items of `second`, which is the same
/// tree if `self`.
typedef struct LyBoxSearch {
    const LyBoxes *first, *second;
    bool self;
} LyBoxSearch;

/// Finds the pairs of the items of one node of the first tree, whose boxes overlap and that share
/// no vertex; of a tree with itself each pair in one of its nodes. Writes at most `room` of them,
/// and returns how many there are.
typedef int64_t LyBoxPairs(const LyBoxSearch *search, int64_t leaf, int64_t room,
                           int32_t (*pairs)[2]);
LY_KERNEL_DECLARE(LyBoxPairs, ly_box_pairs);

#endif
