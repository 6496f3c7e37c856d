// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// The inside of trees of triangles, and what the meshers share.

#ifndef LY_VOLUME_VOLUME_H
#define LY_VOLUME_VOLUME_H

#include "lyra/volume.h"
#include "math/kernel.h"
#include "mesh/box_tree.h"

/// Four triangles of the lowest level of the tree: corner, axis, lane. Lanes without a triangle
/// repeat the first corner of the block thrice: no solid angle.
typedef struct LyTriangleBlock {
    double x[3][3][LY_BOX_TREE_WIDTH];
} LyTriangleBlock;

/// Writes the squared distances from a point to the triangles of a block, to a few roundings; for
/// missing lanes that to the corner they repeat.
typedef void LyTriangleDistances(const LyTriangleBlock *block, const double p[3],
                                 double distance2[LY_BOX_TREE_WIDTH]);
LY_KERNEL_DECLARE(LyTriangleDistances, ly_triangle_distances);

/// What four children of a node are from afar: centre, square of the distance beyond which the
/// expansion holds, and the moments of [theory: distance, eq. far field]. In the coordinates of the
/// tree.
typedef struct LyFarNode {
    float center[3][LY_BOX_TREE_WIDTH], reach2[LY_BOX_TREE_WIDTH];
    float area[3][LY_BOX_TREE_WIDTH];   // vector area
    float moment[6][LY_BOX_TREE_WIDTH]; // symmetric part of first moments: xx yy zz xy xz yz
} LyFarNode;

struct LyraSurfaceTree {
    LyraContext *ctx;
    LyTriangleDistances *distances;
    LyBoxTree boxes;
    int32_t *faces; // of the surface, by triangle id
    LyTriangleBlock *blocks;
    LyFarNode *far; // [nodes of the boxes]
    double low[3], high[3];
};

/// Moments of all nodes, from the triangles up.
LyraStatus ly_surface_tree_expand(LyraSurfaceTree *tree);

/// Winding number around a finite point of magnitude below LY_BOX_TREE_LIMIT.
double ly_surface_tree_winding(const LyraSurfaceTree *tree, const double p[3]);

/// Distance to the closest point of the surface where that is below `limit`, else `limit`. `item`:
/// triangle in tree order, -1 beyond. `closest`: written where found. Both Nullable.
double ly_surface_tree_distance(const LyraSurfaceTree *tree, const double p[3], double limit,
                                int32_t *item, double closest[3]);

/// Beyond one half in magnitude counts as inside.
static inline bool ly_surface_tree_holds(const LyraSurfaceTree *tree, const double p[3])
{
    double w = ly_surface_tree_winding(tree, p);
    return w > 0.5 || w < -0.5;
}

/// The surface as the meshers take it: repaired where asked for, in a tree, and the size of a cell.
typedef struct LyVolumeInput {
    LyraSurfaceTree *tree;
    double low[3], high[3]; // box of the triangles
    double cell;
    LyraSurfaceRepair repair;
} LyVolumeInput;

LyraStatus ly_volume_input_make(const LyraSurface *surface, const LyraVolumeDef *def,
                                LyVolumeInput *input);
void ly_volume_input_release(LyVolumeInput *input);

#endif
