// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

/// @file
/// The seam between integrators and what they integrate. A system evaluates forces at a point,
/// linearises there, forms a M + b C + c K, multiplies with it and solves. Sparse systems on the
/// CPU are one kind, dense ones another.
///
/// With the residual force g(t, u, v) = f_int(u, v) + D v - f_ext(t, u, v) the motion is
/// M a + g = 0; K = dg/du and C = dg/dv. D is frozen at the point of the last
/// lyra_system_update_damping() (before the first, where it is first looked at), and so is the K
/// inside it. Loads of a model are not differentiated.

#ifndef LYRA_SYSTEM_H
#define LYRA_SYSTEM_H

#include "lyra/base.h"
#include "lyra/constraint.h"
#include "lyra/elastic.h"
#include "lyra/model.h"
#include "lyra/solver.h"
#include "lyra/state.h"
#include "lyra/vector.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Where a system is looked at.
typedef struct LyraPoint {
    double time, dt; ///< s; `dt` since the committed history.
    const LyraVector *u, *v;
    const double *history; ///< Committed, [history_count]. Nullable without history.
    /// Share of all loads that is left out, [0, 1]; heeded by systems that are LYRA_SYSTEM_LOADS.
    double unloaded;
} LyraPoint;

/// What will be asked of a system next.
typedef enum LyraAhead {
    LYRA_AHEAD_NOTHING = 0,
    LYRA_AHEAD_EXACT, ///< A linearise at this very point.
    LYRA_AHEAD_PSD,   ///< The same, of the positive semi-definite tangent.
} LyraAhead;

/// What can be asked of a system at a point. NULL outputs are not computed.
typedef struct LyraResponse {
    LyraVector *g;         ///< f_int + D v - f_ext, N.
    LyraVector *external;  ///< f_ext, N.
    LyraVector *damping;   ///< D v, N (forces that depend on velocities are part of f_int).
    double *elastic;       ///< Energy of the conservative internal forces, J.
    double *potential;     ///< `elastic` minus f_ext . u for loads that do not move, J.
    double *trial_history; ///< [history_count].
    /// Lets forces and tangent share a pass. After a call with one of the others, linearise before
    /// matrices are asked for.
    LyraAhead ahead;
} LyraResponse;

/// What a system is. Bits of lyra_system_traits().
typedef enum LyraSystemTrait {
    LYRA_SYSTEM_SYMMETRIC = 1 << 0,  ///< K and C are symmetric.
    LYRA_SYSTEM_POTENTIAL = 1 << 1,  ///< g - D v is the gradient of `potential`.
    LYRA_SYSTEM_LINEAR = 1 << 2,     ///< g is linear in u and v.
    LYRA_SYSTEM_LUMPED = 1 << 3,     ///< M is diagonal.
    LYRA_SYSTEM_UNDAMPED = 1 << 4,   ///< g does not depend on v.
    LYRA_SYSTEM_STATIONARY = 1 << 5, ///< g does not depend on t.
    LYRA_SYSTEM_INEXACT = 1 << 6,    ///< K or C lacks parts of the derivative of g (but of D).
    LYRA_SYSTEM_LOADS = 1 << 7,      ///< Knows its loads: heeds LyraPoint::unloaded.
} LyraSystemTrait;

/// A kind of system. Vectors have the system's size; what is constrained is in `constraints`.
typedef struct LyraSystemType {
    const char *name;
    int32_t (*size)(const void *self);
    uint32_t (*traits)(const void *self);
    int64_t (*history_count)(const void *self); ///< Nullable: 0.
    /// The constraints over the unknowns. Lent. Nullable function: none ever.
    const LyraConstraints *(*constraints)(const void *self);
    /// Where they hold the body, as LyraPrescription. Nullable: at zero.
    void (*prescribe)(void *self, double t, LyraVector *u, LyraVector *v, LyraVector *a);
    LyraStatus (*evaluate)(void *self, const LyraPoint *at, const LyraResponse *response);
    /// Freezes D at a point. Nullable: D is constant.
    LyraStatus (*update_damping)(void *self, const LyraPoint *at);
    /// Takes K and C at a point; `psd` asks for positive semi-definite ones.
    LyraStatus (*linearise)(void *self, const LyraPoint *at, bool psd);
    /// S = a M + b C + c K of the last linearise, and its factor under the constraints.
    LyraStatus (*form)(void *self, double a, double b, double c);
    /// The same where it was formed before, by another run or before other forms: what a solver has
    /// learnt since stays as it is. Nullable: `form`.
    LyraStatus (*form_again)(void *self, double a, double b, double c);
    /// y = S x, y = M x, y = C x, y = K x.
    void (*apply)(void *self, const LyraVector *x, LyraVector *y);
    void (*apply_mass)(void *self, const LyraVector *x, LyraVector *y);
    void (*apply_damping)(void *self, const LyraVector *x, LyraVector *y);
    void (*apply_stiffness)(void *self, const LyraVector *x, LyraVector *y);
    /// Solves S x = b for x in the range of P. `tolerance` is relative; 0: the solver's own.
    LyraStatus (*solve)(void *self, const LyraVector *b, double tolerance, LyraVector *x,
                        LyraSolveReport *report);
    /// The same, for solvers that iterate, from x in the range of P. Nullable: `solve`.
    LyraStatus (*solve_from)(void *self, const LyraVector *b, double tolerance, LyraVector *x,
                             LyraSolveReport *report);
    /// Solves M x = b for x in the range of P. A vertex that is free and has no mass is
    /// LYRA_SINGULAR, and named.
    LyraStatus (*solve_mass)(void *self, const LyraVector *b, LyraVector *x);
    /// What solutions depend on beside matrix and right-hand side, because a solver learns or keeps
    /// a factor: how many numbers there are now, 0 for none; writes them into a block of zeros or
    /// of an earlier time; whether they are those of a block; goes back to a block, of no numbers:
    /// as if nothing had been solved, after which linearise and form. Nullable, all together.
    int64_t (*memory_count)(const void *self);
    void (*remember)(void *self, double *block);
    bool (*remembers)(void *self, const double *block, int64_t count);
    LyraStatus (*recall)(void *self, const double *block, int64_t count);
    /// det F of the elements; `min` 1 and `element` -1 without. Nullable: no elements.
    LyraDetF (*det_f)(void *self, const LyraVector *u);
    /// Size of the body, m: a scale of steps. Nullable: unknown.
    double (*extent)(const void *self);
    /// Sizes of the numbers, beside displacements, that forces at each unknown are computed from,
    /// m: edges of elements, positions. Forces are known to what these are rounded by. Nullable: 0.
    void (*lengths)(const void *self, LyraVector *lengths);
    /// See lyra_system_fingerprint(). Nullable: 0, matrices depend on the point alone.
    uint64_t (*fingerprint)(void *self);
    /// Displacements of the rest shape, each connected part placed by the rigid motion that fits
    /// `u` best. Nullable: unknown.
    void (*rest)(void *self, const LyraVector *u, LyraVector *rest);
    void (*destroy)(void *self);
} LyraSystemType;

typedef struct LyraSystem LyraSystem;

/// Wraps a system of the caller's type; `type` must outlive it. Takes `self` on success.
LYRA_API LyraStatus lyra_system_create(LyraContext *ctx, const LyraSystemType *type, void *self,
                                       LyraSystem **out);

/// A sparse system on the CPU. `model` must outlive it. `solver`: Nullable: defaults; its
/// positions, where NULL, are the rest positions.
LYRA_API LyraStatus lyra_system_create_sparse(LyraContext *ctx, LyraModel *model,
                                              const LyraSolverDef *solver, LyraSystem **out);

/// The same model as a dense system, for small ones.
LYRA_API LyraStatus lyra_system_create_dense(LyraContext *ctx, LyraModel *model, LyraSystem **out);

/// A dense system by functions. Start from lyra_dense_system_def_default(). Matrices are
/// column-major, [size * size], and copied.
typedef struct LyraDenseSystemDef {
    int32_t size;
    const double *mass;      ///< Symmetric positive definite, kg.
    const double *damping;   ///< N s/m. Nullable: 0.
    const double *stiffness; ///< Constant part of K: f_int gets K u. N/m. Nullable: 0.
    /// Adds to g [size] at (t, u, v), and to *energy (Nullable) if it has one. Nullable.
    void (*force)(void *user, double t, const double *u, const double *v, double *g,
                  double *energy);
    /// Adds to K and C what belongs to `force`. Nullable with `force` NULL.
    void (*tangent)(void *user, double t, const double *u, const double *v, double *K, double *C);
    void *user; ///< Nullable.
    /// LyraSystemTrait bits of `force` and the matrices. With LYRA_SYSTEM_SYMMETRIC, S is factored
    /// by Cholesky and must be positive definite; without, by LU. Default 0.
    uint32_t traits;
    uint32_t cookie; ///< Written by the default function only.
} LyraDenseSystemDef;

LYRA_API LyraDenseSystemDef lyra_dense_system_def_default(void);
LYRA_API LyraStatus lyra_system_create_dense_functions(LyraContext *ctx,
                                                       const LyraDenseSystemDef *def,
                                                       LyraSystem **out);

/// Accepts NULL.
LYRA_API void lyra_system_destroy(LyraSystem *system);

LYRA_API const char *lyra_system_name(const LyraSystem *system);
LYRA_API int32_t lyra_system_size(const LyraSystem *system);
LYRA_API uint32_t lyra_system_traits(const LyraSystem *system);
LYRA_API int64_t lyra_system_history_count(const LyraSystem *system);

/// Name and version of the block of a state that holds the committed history of its system.
#define LYRA_HISTORY_BLOCK "history"
#define LYRA_HISTORY_VERSION 1

/// A state of the system's size, with its history block where it has one.
LYRA_API LyraStatus lyra_system_state_create(LyraSystem *system, LyraState **out);

// As the functions of LyraSystemType, with arguments checked.

/// NULL: none.
LYRA_API const LyraConstraints *lyra_system_constraints(const LyraSystem *system);
LYRA_API void lyra_system_prescribe(LyraSystem *system, double t, LyraVector *u, LyraVector *v,
                                    LyraVector *a);
LYRA_API LyraStatus lyra_system_evaluate(LyraSystem *system, const LyraPoint *at,
                                         const LyraResponse *response);
LYRA_API LyraStatus lyra_system_update_damping(LyraSystem *system, const LyraPoint *at);
LYRA_API LyraStatus lyra_system_linearise(LyraSystem *system, const LyraPoint *at, bool psd);
LYRA_API LyraStatus lyra_system_form(LyraSystem *system, double a, double b, double c);
LYRA_API LyraStatus lyra_system_form_again(LyraSystem *system, double a, double b, double c);
LYRA_API void lyra_system_apply(LyraSystem *system, const LyraVector *x, LyraVector *y);
LYRA_API void lyra_system_apply_mass(LyraSystem *system, const LyraVector *x, LyraVector *y);
LYRA_API void lyra_system_apply_damping(LyraSystem *system, const LyraVector *x, LyraVector *y);
LYRA_API void lyra_system_apply_stiffness(LyraSystem *system, const LyraVector *x, LyraVector *y);
LYRA_API LyraStatus lyra_system_solve(LyraSystem *system, const LyraVector *b, double tolerance,
                                      LyraVector *x, LyraSolveReport *report);
LYRA_API LyraStatus lyra_system_solve_from(LyraSystem *system, const LyraVector *b,
                                           double tolerance, LyraVector *x,
                                           LyraSolveReport *report);
LYRA_API LyraStatus lyra_system_solve_mass(LyraSystem *system, const LyraVector *b, LyraVector *x);

/// The block of a state that holds what its system remembers; integrators see to it.
#define LYRA_SOLVER_BLOCK "solver"
#define LYRA_SOLVER_BLOCK_VERSION 1
LYRA_API int64_t lyra_system_memory_count(const LyraSystem *system);
LYRA_API void lyra_system_remember(LyraSystem *system, double *block);
LYRA_API bool lyra_system_remembers(LyraSystem *system, const double *block, int64_t count);
LYRA_API LyraStatus lyra_system_recall(LyraSystem *system, const double *block, int64_t count);
LYRA_API LyraDetF lyra_system_det_f(LyraSystem *system, const LyraVector *u);

/// 0 where the system does not know it.
LYRA_API double lyra_system_extent(const LyraSystem *system);
LYRA_API void lyra_system_lengths(const LyraSystem *system, LyraVector *lengths);

/// False, and nothing written, where the system does not know. The two must not be one.
LYRA_API bool lyra_system_rest(LyraSystem *system, const LyraVector *u, LyraVector *rest);

/// A number that changes with every linearise and form: what was formed is still there while it
/// stays.
LYRA_API uint64_t lyra_system_stamp(const LyraSystem *system);

/// A number made of all that a M + b C + c K and its solutions depend on beside the point: the
/// parameters of forces, masses, damping, directions of constraints. It is the same where these
/// are, also in another process, and another one where they differ, but once in 2^64.
LYRA_API uint64_t lyra_system_fingerprint(LyraSystem *system);

/// Largest eigenvalue of M^-1 K (squared angular frequency, 1/s^2) of the last linearise on the
/// free unknowns, by Lanczos with a fixed start: an estimate from below, within about one percent.
LYRA_API LyraStatus lyra_system_largest_eigenvalue(LyraSystem *system, double *value);

#ifdef __cplusplus
}
#endif

#endif
