// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// What the systems of a model share, whatever they solve with: forces at a point, and the tangents
// K and C there as block matrices in the internal order.

#ifndef LY_MODEL_TANGENT_H
#define LY_MODEL_TANGENT_H

#include "lyra/system.h"
#include "model/model.h"

/// A matrix dfdx, and the point and model it was assembled at.
typedef struct LyTangentSlot {
    LyraBlockMatrix *dfdx; // made when first needed
    double *u, *v;         // [size]
    double time, dt;
    bool psd, valid;
    uint64_t version; // of the assembly
} LyTangentSlot;

/// K and the K inside D each name one of two slots, and may name the same: where both are taken at
/// one point, one assembly serves both.
typedef struct LyTangent {
    LyraContext *ctx;
    LyraModel *model;
    int32_t size;
    LyTangentSlot slots[2];
    int32_t stiffness, damping; // slots; -1: not yet
    LyraBlockMatrix *dfdv;      // of forces that depend on velocities. Nullable
    double *x, *f;              // scratch in the caller's order, [size]
    double *inner, *product;    // scratch in the internal order, [size]
} LyTangent;

LyraStatus ly_tangent_create(LyraContext *ctx, LyraModel *model, LyTangent *out);
void ly_tangent_destroy(LyTangent *tangent);

/// As the functions of LyraSystemType.
LyraStatus ly_tangent_evaluate(LyTangent *tangent, const LyraPoint *at,
                               const LyraResponse *response);
LyraStatus ly_tangent_update_damping(LyTangent *tangent, const LyraPoint *at);
LyraStatus ly_tangent_linearise(LyTangent *tangent, const LyraPoint *at, bool psd);
void ly_tangent_prescribe(LyTangent *tangent, double t, LyraVector *u, LyraVector *v,
                          LyraVector *a);
void ly_tangent_min_det(LyTangent *tangent, const LyraVector *u, double *det, int32_t *element);

/// matrix = a M + b C + c K on the assembly's pattern, in one pass.
void ly_tangent_combine(const LyTangent *tangent, double a, double b, double c,
                        LyraBlockMatrix *matrix);

/// y = (a M + b C + c K) x, in the caller's order.
void ly_tangent_apply(LyTangent *tangent, double a, double b, double c, const double *x, double *y);

#endif
