// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// What the sources of cloth and its kernels share.

#ifndef LY_FORCE_CLOTH_H
#define LY_FORCE_CLOTH_H

#include "lyra/cloth.h"
#include "math/kernel.h"

/// Constants of a triangle, of which the coefficients of node 0 are minus the sum of the others:
/// w_u = sum of U_k (x_k - x_0), w_v = sum of V_k (x_k - x_0).
enum {
    LY_CLOTH_U1 = 0,
    LY_CLOTH_U2,
    LY_CLOTH_V1,
    LY_CLOTH_V2,
    LY_CLOTH_FACTOR, // square of the area factor
    LY_CLOTH_CONSTANTS
};

/// What a force of cloth is handed.
typedef struct LyClothForce {
    LyraContext *ctx;
    LyraForceType type;
    bool force, stiffness; // whether they are computed, or zero
    double *constants;     // of triangles, [triangle][LY_CLOTH_CONSTANTS]. Nullable
} LyClothForce;

struct LyraCloth {
    LyraContext *ctx;
    LyraClothView view;
    LyraForce *forces[2];
    int32_t force_count;
    int32_t *triangles, *hinges;
    int32_t *sides; // triangles on both sides of each hinge, [hinge][2]
    double *areas, *rest_angles, *bend;
    double *constants; // [triangle][LY_CLOTH_CONSTANTS]
    double rest_stretch[2];
};

/// Finds the hinges of the triangles, and their angles at rest.
LyraStatus ly_cloth_find_hinges(LyraCloth *cloth, const double *positions);

/// What forces over the triangles of a cloth share: `self` is a LyClothForce with constants.
void ly_cloth_setup_triangle(const void *self, int32_t element, const int32_t *order, double *out);
void ly_cloth_destroy_force(void *self);

typedef void LyClothKernel(const void *self, const LyraBatch *batch, LyraArena *scratch);
LY_KERNEL_DECLARE(LyClothKernel, ly_cloth_stretch);
LY_KERNEL_DECLARE(LyClothKernel, ly_cloth_stretch_damped);
LY_KERNEL_DECLARE(LyClothKernel, ly_cloth_stretch_damped_symmetric);
LY_KERNEL_DECLARE(LyClothKernel, ly_cloth_bend);
LY_KERNEL_DECLARE(LyClothKernel, ly_cloth_bend_frozen);
LY_KERNEL_DECLARE(LyClothKernel, ly_cloth_bend_damped);
LY_KERNEL_DECLARE(LyClothKernel, ly_cloth_bend_damped_symmetric);

/// Angle of the hinge along the edge from x0 to x1, as cloth_bend_kernel.c has it: 0 where the
/// triangles to its left and right are flat.
double ly_hinge_angle(const double x0[3], const double x1[3], const double left[3],
                      const double right[3]);

#endif
