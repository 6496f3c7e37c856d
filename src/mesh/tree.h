// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// The inside of the trees over vertices and elements.

#ifndef LY_MESH_TREE_H
#define LY_MESH_TREE_H

#include "lyra/embed.h"
#include "mesh/box_tree.h"
#include "mesh/element_map.h"

struct LyraVertexTree {
    LyraContext *ctx;
    LyBoxTree boxes;
    double (*positions)[3]; // in tree order
    bool *together;         // whether all points below a node are in one place
};

struct LyraElementTree {
    const LyraMesh *mesh;
    double tolerance; // m
    LyBoxTree boxes;  // grown by the tolerance; without flat elements
};

/// Lowest id of the elements that contain the point, -1 if none does.
int32_t ly_element_tree_contains(const LyraElementTree *tree, const double p[3]);

/// Containing or closest element, -1 in a tree of none; writes its distance (more than 0 exactly if
/// no element contains the point) and its closest point.
int32_t ly_element_tree_find(const LyraElementTree *tree, const double p[3], double *distance,
                             double closest[3]);

/// As lyra_element_tree_closest(), taking the points in an order in which neighbours in space
/// follow each other, so that a walk finds in the cache what the one before left there. The result
/// is the same.
LyraStatus ly_element_tree_closest_sorted(const LyraElementTree *tree, int32_t count,
                                          const double *points, const LyraClosestElements *out);

#endif
