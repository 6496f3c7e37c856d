// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// What the systems of a model share, whatever they solve with: forces at a point, and the tangents
// K and C there as block matrices in the internal order.

#ifndef LY_MODEL_TANGENT_H
#define LY_MODEL_TANGENT_H

#include "lyra/system.h"
#include "model/model.h"

/// Where something was evaluated; see tangent_points.c.
typedef struct LyTangentPoint {
    double *u, *v; // [size]; v: NULL unless a force depends on velocities
    double time, dt, unloaded;
    uint64_t version; // of the assembly
    bool valid;
} LyTangentPoint;

/// A matrix dfdx, and the forces where they were evaluated with it.
typedef struct LyTangentSlot {
    LyTangentPoint point;
    LyraBlockMatrix *dfdx; // made when first needed
    bool psd;
    bool joint;       // what follows is of the same pass
    double *gradient; // [size]
    double energy;
} LyTangentSlot;

/// Forces that were evaluated without a tangent.
typedef struct LyTangentForces {
    LyTangentPoint point;
    double *gradient; // [size]
    double energy;
    uint64_t used; // when they last served
} LyTangentForces;

#define LY_TANGENT_FORCES 2

/// A checksum of numbers of the model as of a version of them.
typedef struct LyFingerprint {
    bool known;
    uint64_t version, sum;
} LyFingerprint;

/// K and the K inside D each name one of two slots, and may name the same: where both are taken at
/// one point, one assembly serves both.
typedef struct LyTangent {
    LyraContext *ctx;
    LyraModel *model;
    int32_t size;
    LyTangentSlot slots[2];
    int32_t stiffness, damping; // slots; -1: not yet
    LyTangentForces forces[LY_TANGENT_FORCES];
    uint64_t clock;                       // of `used`
    LyraBlockMatrix *dfdv;                // of forces that depend on velocities. Nullable
    double *x, *f;                        // scratch in the caller's order, [size]
    double *Dv, *f_ext;                   // the same, of evaluations
    double *inner, *product;              // scratch in the internal order, [size]
    LyFingerprint parameters, directions; // of forces, of constraints
} LyTangent;

LyraStatus ly_tangent_create(LyraContext *ctx, LyraModel *model, LyTangent *out);
void ly_tangent_destroy(LyTangent *tangent);

/// As the functions of LyraSystemType.
LyraStatus ly_tangent_evaluate(LyTangent *tangent, const LyraPoint *at,
                               const LyraResponse *response);
LyraStatus ly_tangent_update_damping(LyTangent *tangent, const LyraPoint *at);
LyraStatus ly_tangent_linearise(LyTangent *tangent, const LyraPoint *at, bool psd);

/// D at a point where no update came before.
LyraStatus ly_tangent_ensure_damping(LyTangent *tangent, const LyraPoint *at);

/// Internal forces, lent until the next call, [size], and their energy. `trial_history`: Nullable.
LyraStatus ly_tangent_forces(LyTangent *tangent, const LyraPoint *at, LyraAhead ahead,
                             double *trial_history, const double **gradient, double *energy);

/// tangent->x = X + u.
void ly_tangent_place(LyTangent *tangent, const LyraVector *u);

/// Releases what was kept of points.
void ly_tangent_forget(LyTangent *tangent);

/// As lyra_system_fingerprint().
uint64_t ly_tangent_fingerprint(LyTangent *tangent);

void ly_tangent_prescribe(LyTangent *tangent, double t, LyraVector *u, LyraVector *v,
                          LyraVector *a);
LyraDetF ly_tangent_det_f(LyTangent *tangent, const LyraVector *u);

/// matrix = a M + b C + c K on the assembly's pattern, in one pass.
void ly_tangent_combine(const LyTangent *tangent, double a, double b, double c,
                        LyraBlockMatrix *matrix);

/// y = (a M + b C + c K) x, in the caller's order.
void ly_tangent_apply(LyTangent *tangent, double a, double b, double c, const double *x, double *y);

#endif
