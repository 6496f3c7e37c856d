// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// What the systems of a model share, whatever they solve with: forces at a point, and the tangents
// K and C there, part by part, as block matrices in the internal order.

#ifndef LY_MODEL_TANGENT_H
#define LY_MODEL_TANGENT_H

#include "lyra/system.h"
#include "model/changing.h"
#include "model/model.h"

/// Where something was evaluated; see tangent_points.c.
typedef struct LyTangentPoint {
    double *u, *v; // of the vertices of the part; v: NULL unless a force depends on velocities
    double time, dt, unloaded;
    uint64_t version; // of the parameters
    uint64_t history; // made of the stamps of histories; 0: not to be compared
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
    LyraDetF det; // of the one solid force, where the pass finds it
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

/// A part of the model as one system sees it. K and the K inside D each name one of two slots, and
/// may name the same: where both are taken at one point, one assembly serves both.
typedef struct LyPartTangent {
    const LyPart *part;
    LyAssemblyWork *work;
    int64_t size; // of its gradient
    LyTangentSlot slots[2];
    int32_t stiffness, damping; // slots; -1: not yet
    LyTangentForces forces[LY_TANGENT_FORCES];
    uint64_t clock;          // of `used`
    LyraBlockMatrix *dfdv;   // of forces that depend on velocities. Nullable
    uint64_t dfdv_next;      // of dashpots: version of parameters that comes next; 0: not yet
    LyraBlockMatrix *beside; // of a part that stands beside S: what it adds to b C + c K. Nullable
    LyTangentPoint measured; // where the energy alone was asked for, of parts that remember
    double energy;           // there
    LyraDetF measured_det;
    double *trial;   // gradient of evaluations that write history, [size]. Nullable
    double *history; // what they write, where it can't go to its place. Nullable
    double *x, *y;   // scratch of products of parts with few vertices, [size]. Nullable
} LyPartTangent;

/// A matrix in a sum: a A, or a (A + A^T) / 2 if `even`.
typedef struct LyTerm {
    double a;
    const LyraBlockMatrix *matrix;
    LyPartTangent *part; // whose rows it has. NULL: the model's
    bool even;
} LyTerm;

typedef struct LyTangent {
    LyraContext *ctx;
    LyraModel *model;
    int32_t size;
    int32_t part_count;
    LyPartTangent *parts;                 // [part_count]
    LyChangings changing;                 // groups whose stencils change
    LyraBlockMatrix *fixed;               // S without these, where its pattern is wider. Nullable
    LyTangentPoint taken[2];              // of K and of D, where there are several parts
    LyTerm *terms;                        // scratch of sums: three of each part, and one
    double *factors;                      // the same
    const double **summands;              // the same
    double *f;                            // scratch in the caller's order, [size]
    double *Dv, *f_ext;                   // the same, of evaluations
    double *inner, *product;              // scratch in the internal order, [size]
    LyFingerprint parameters, directions; // of forces, of constraints
    double *stepping; // numbers of the steppers, of the last begin or commit. Nullable
    double step;      // dt of the last begin
} LyTangent;

LyraStatus ly_tangent_create(LyraContext *ctx, LyraModel *model, LyTangent *out);
void ly_tangent_destroy(LyTangent *tangent);

/// As the functions of LyraSystemType.
LyraStatus ly_tangent_evaluate(LyTangent *tangent, const LyraPoint *at,
                               const LyraResponse *response);
LyraStatus ly_tangent_update_damping(LyTangent *tangent, const LyraPoint *at);
LyraStatus ly_tangent_linearise(LyTangent *tangent, const LyraPoint *at, bool psd);

/// Forgets where D was frozen.
void ly_tangent_thaw_damping(LyTangent *tangent);

/// D at a point where no update came before.
LyraStatus ly_tangent_ensure_damping(LyTangent *tangent, const LyraPoint *at);

/// C of the dashpots.
LyraStatus ly_tangent_ensure_dashpots(LyTangent *tangent, const LyraPoint *at);

/// Internal forces, lent until the next call, [size], and their energy. `gradient`: NULL: the
/// energy alone, `energy`: Nullable. `trial`: as of LyraResponse.
LyraStatus ly_tangent_forces(LyTangent *tangent, const LyraPoint *at, LyraTangentNeed need_tangent,
                             LyraState *trial, const double **gradient, double *energy);

/// tangent->product = X + u.
void ly_tangent_place(LyTangent *tangent, const LyraVector *u);

/// Releases what was kept of points.
void ly_tangent_forget(LyTangent *tangent);

/// As lyra_system_fingerprint().
uint64_t ly_tangent_fingerprint(LyTangent *tangent);

/// As lyra_system_material_digest().
uint64_t ly_tangent_material_digest(LyTangent *tangent);

/// The life of a step, as of LyraSystemType, and states at first.
LyraStatus ly_tangent_init_state(LyTangent *tangent, LyraState *state);
LyraStatus ly_tangent_begin_step(LyTangent *tangent, LyraState *state, double dt);
LyraStatus ly_tangent_commit(LyTangent *tangent, LyraState *state);

void ly_tangent_prescribe(LyTangent *tangent, double t, LyraVector *u, LyraVector *v,
                          LyraVector *a);
LyraDetF ly_tangent_det_f(LyTangent *tangent, const LyraVector *u);

/// matrix = a M + b C + c K, but for what stands beside; its pattern holds that of the model and
/// the blocks of changing groups.
LyraStatus ly_tangent_combine(LyTangent *tangent, double a, double b, double c,
                              LyraBlockMatrix *matrix);

/// The same without changing groups, on the pattern of the model, in one pass.
void ly_tangent_combine_fixed(LyTangent *tangent, double a, double b, double c,
                              LyraBlockMatrix *matrix);

/// Takes what stands beside it in b C + c K into the matrices `beside` of the parts.
void ly_tangent_form_beside(LyTangent *tangent, double b, double c);

/// Adds the product of these with x to y, both in the internal order.
void ly_tangent_add_beside(LyTangent *tangent, const double *x, double *y);

/// y = (a M + b C + c K) x, in the caller's order.
void ly_tangent_apply(LyTangent *tangent, double a, double b, double c, const double *x, double *y);

/// Where K (0) or the K of D (1) was taken. The v of the point is NULL if no force depends on it.
const LyTangentPoint *ly_tangent_point(const LyTangent *tangent, int32_t which);

/// Whether K (0) or the K of D (1) was taken with the forces, a bit for each part.
uint64_t ly_tangent_joint(const LyTangent *tangent, int32_t which);

/// det F of the one solid force of a part, where it was found with the forces at u. Nullable
const LyraDetF *ly_tangent_known_det_f(const LyTangent *tangent, int32_t part, const LyraVector *u);

/// Takes forces and tangents of the parts in `joint` in one pass.
LyraStatus ly_tangent_evaluate_joint(LyTangent *tangent, const LyraPoint *at, bool psd,
                                     uint64_t joint);

#endif
