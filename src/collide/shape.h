// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// The inside of shapes. A shape is made of terms, each with a barrier of its own; its distance is
// the least of theirs. The inside of a box is six planes, that of a cylinder a tube and two planes:
// so barriers have no kink where two walls meet.

#ifndef LY_COLLIDE_SHAPE_H
#define LY_COLLIDE_SHAPE_H

#include "base/base.h"
#include "lyra/obstacle.h"

#define LY_TERMS_MAX 6

typedef enum LyTermKind {
    LY_TERM_PLANE = 0,
    LY_TERM_CAPSULE, // a sphere has no length
    LY_TERM_BOX,
    LY_TERM_CYLINDER,
    LY_TERM_TUBE, // a cylinder without ends
    LY_TERM_TORUS,
    LY_TERM_HEIGHTS,
    LY_TERM_GRID,
} LyTermKind;

typedef struct LyTerm {
    LyTermKind kind;
    bool inside;
    bool convex;      // the distance is a convex function
    double lipschitz; // most that it changes over a length
    double origin[3]; // of its frame
    double axes[9];   // rows are the axes of its frame; the second one is that of revolution
    double half[3];   // of a box; [1] of a cylinder, capsule: half of its length
    double radius, tube;
    // samples, x fastest; heights [count[2]][count[0]], grids [count[2]][count[1]][count[0]]
    int32_t count[3];
    double spacing, scale; // of heights: what their difference is multiplied by
    const double *values;
} LyTerm;

struct LyraShape {
    LyraContext *ctx;
    LyraShapeKind kind;
    int32_t term_count;
    LyTerm terms[LY_TERMS_MAX];
    double center[3], bound; // a sphere around what is solid; bound INFINITY: none
    double *values;          // of samples; owned. Nullable
};

/// Distance of p from a term, its gradient n and second derivatives H, row-major. H: Nullable.
double ly_term_distance(const LyTerm *term, const double p[3], double n[3], double H[9]);

/// A surface to show a shape by; planes are squares of 2 `extent` about what is nearest to
/// `center`. Fails with LYRA_UNSUPPORTED for meshes, which have one.
LyraStatus ly_shape_surface(const LyraShape *shape, const double center[3], double extent,
                            LyraSurface **out);

#endif
