// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Sets that grow together (union-find): a forest over ids with links to parents, roots to
// themselves. The lower root stays, so that a set is named by its first member.

#ifndef LY_BASE_FOREST_H
#define LY_BASE_FOREST_H

#include <stdint.h>

/// Root of the tree of `i`; halves the path on the way.
static inline int32_t ly_forest_root(int32_t *parents, int32_t i)
{
    while (parents[i] != i) {
        parents[i] = parents[parents[i]];
        i = parents[i];
    }
    return i;
}

/// Makes one tree of those of `a` and `b`.
static inline void ly_forest_join(int32_t *parents, int32_t a, int32_t b)
{
    a = ly_forest_root(parents, a);
    b = ly_forest_root(parents, b);
    parents[a < b ? b : a] = a < b ? a : b;
}

#endif
