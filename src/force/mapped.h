// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// What the kernels of mapped elements and their set-up share: tets of 10 nodes at 4 points, and
// hexahedra of any shape at 2 x 2 x 2.

#ifndef LY_FORCE_MAPPED_H
#define LY_FORCE_MAPPED_H

#include "force/rest_shape.h"
#include "lyra/force.h"

#include <stddef.h>

#define LY_MAPPED_POINTS_MAX 8

/// Constants of an element at each of its points: gradients g_k of the reference coordinates, the
/// rows of (dX/dxi)^-1, 1/m, and the point's part of the rest volume, m^3.
enum { LY_MAPPED_G = 0, LY_MAPPED_WEIGHT = 9, LY_MAPPED_POINT };

/// Points of the reference element.
typedef struct LyMappedRule {
    bool tet;
    int32_t nodes, points;
    double shape[LY_MAPPED_POINTS_MAX][LYRA_STENCIL_NODES_MAX][3]; // dN/dxi
    double coordinate[LY_MAPPED_POINTS_MAX][3];
    double value[2][3], product[3][3]; // of hexahedra, as in LyCubeRule
} LyMappedRule;

/// Whether elements of this kind are mapped.
bool ly_mapped_kind(LyraElementKind kind);

void ly_mapped_rule(LyraElementKind kind, LyMappedRule *rule);

/// Constants of an element with rest positions `corners` [nodes][3]: [points][LY_MAPPED_POINT].
void ly_mapped_setup(const LyMappedRule *rule, const double *corners, double *constants);

/// The same for an element of a force.
void ly_mapped_setup_element(const LyMappedRule *rule, const LyRest *rest, int32_t element,
                             double *constants);

/// Bytes of scratch of a kernel.
size_t ly_mapped_scratch(const LyMappedRule *rule);

#endif
