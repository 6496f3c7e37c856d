// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

#include "force/force.h"

int32_t ly_range_tree_level_size(const LyRangeTree *tree, int32_t level)
{
    return 1 << (tree->levels - 1 - level);
}

int32_t ly_range_tree_level_begin(const LyRangeTree *tree, int32_t level)
{
    // 2^levels - 2^(levels - level), the nodes of the levels below
    return (1 << tree->levels) - (1 << (tree->levels - level));
}

int32_t ly_range_tree_leaf_begin(const LyRangeTree *tree, int32_t leaf)
{
    return (int32_t)ly_piece_begin(tree->vertex_count, 1 << (tree->levels - 1), leaf);
}
