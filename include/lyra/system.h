// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

/// @file
/// The seam between integrators and what they integrate. A system evaluates forces at a point,
/// linearises there, forms a M + b C + c K, multiplies with it and solves. Sparse systems on the
/// CPU are one kind, dense ones another.
///
/// With the residual force g(t, u, v) = f_int(u, v) + D v - f_ext(t, u, v) the motion is
/// M a + g = 0; K = dg/du and C = dg/dv. D is frozen at the point of the last
/// lyra_system_update_damping() (before the first, where it is first evaluated), and so is the K
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

/// Where a system is evaluated.
typedef struct LyraPoint {
    double time, dt; ///< s; `dt` since the committed state.
    const LyraVector *u, *v;
    /// What the material remembers is read from here, and nothing else: its u and v may be on their
    /// way. Nullable unless the system is LYRA_SYSTEM_HISTORY.
    const LyraState *committed;
    /// Share of all loads that is left out, [0, 1]; heeded by systems that are LYRA_SYSTEM_LOADS.
    double unloaded;
    /// Of begin_iteration: LYRA_UPDATE_ITERATION unless said otherwise (0).
    LyraUpdateMoment moment;
    double share; ///< Of LYRA_UPDATE_AHEAD and LYRA_UPDATE_MOVED.
    bool *ahead;  ///< Of LYRA_UPDATE_AHEAD: set where something has not arrived. Nullable.
} LyraPoint;

/// Which tangent the caller takes next, at the same point.
typedef enum LyraTangentNeed {
    LYRA_TANGENT_NONE = 0,
    LYRA_TANGENT_EXACT, ///< A linearise at this very point.
    LYRA_TANGENT_PSD,   ///< The same, of the positive semi-definite tangent.
} LyraTangentNeed;

/// What can be asked of a system at a point. NULL outputs are not computed.
typedef struct LyraResponse {
    LyraVector *g;        ///< f_int + D v - f_ext, N.
    LyraVector *external; ///< f_ext, N.
    LyraVector *damping;  ///< D v, N (forces that depend on velocities are part of f_int).
    double *elastic;      ///< Energy of the conservative internal forces, J.
    double *potential;    ///< `elastic` minus f_ext . u for loads that do not move, J.
    double *rates;        ///< Of LYRA_SYSTEM_RATES systems, W, [LYRA_RATE_COUNT].
    /// Where the material goes on remembering, at this point: its blocks are written, nothing else.
    /// May be the committed state.
    LyraState *trial;
    /// Lets forces and tangent share a pass. After a call with one of the others, linearise before
    /// matrices are asked for.
    LyraTangentNeed need_tangent;
} LyraResponse;

/// What a system is. Bits of lyra_system_traits().
typedef enum LyraSystemTrait {
    LYRA_SYSTEM_SYMMETRIC = 1 << 0, ///< K and C are symmetric.
    /// g - D v is the gradient of `potential`, with LYRA_SYSTEM_RATES plus that by v of a convex R.
    LYRA_SYSTEM_POTENTIAL = 1 << 1,
    LYRA_SYSTEM_LINEAR = 1 << 2,     ///< g is linear in u and v.
    LYRA_SYSTEM_LUMPED = 1 << 3,     ///< M is diagonal.
    LYRA_SYSTEM_UNDAMPED = 1 << 4,   ///< g does not depend on v.
    LYRA_SYSTEM_STATIONARY = 1 << 5, ///< g does not depend on t.
    LYRA_SYSTEM_INEXACT = 1 << 6,    ///< K or C lacks parts of the derivative of g (but of D).
    LYRA_SYSTEM_LOADS = 1 << 7,      ///< Knows its loads: heeds LyraPoint::unloaded.
    LYRA_SYSTEM_HISTORY = 1 << 8,    ///< Forces depend on what the material remembers.
    /// Loads or prescribed motion are functions that see the memory of the host. Where vectors lie
    /// elsewhere they are staged there and back, and counted: lyra_system_staged().
    LYRA_SYSTEM_HOST_CALLBACKS = 1 << 9,
    LYRA_SYSTEM_LATE = 1 << 10,     ///< The end of a step changes forces by a jump: no statics.
    LYRA_SYSTEM_CONSTANT = 1 << 11, ///< K and C are the same at every point.
    /// Some unknowns are no places, and far faster than these: explicit methods refuse.
    LYRA_SYSTEM_SCALARS = 1 << 12,
    LYRA_SYSTEM_RATES = 1 << 13, ///< Has `rates`.
} LyraSystemTrait;

/// What systems of solids can tell beside.
typedef struct LyraSolidDiagnostics {
    /// det F of the elements; `min` 1 and `element` -1 without. Nullable: no elements.
    LyraDetF (*det_f)(void *self, const LyraVector *u);
    /// Displacements of the rest shape, each connected part placed by the rigid motion that fits
    /// `u` best. Nullable: unknown.
    void (*rest)(void *self, const LyraVector *u, LyraVector *rest);
} LyraSolidDiagnostics;

/// Bits of LyraSystemType::hooks.
typedef enum LyraSystemHook {
    LYRA_HOOK_STEP = 1 << 0,      ///< begin_step, commit and discard.
    LYRA_HOOK_ITERATION = 1 << 1, ///< begin_iteration.
    LYRA_HOOK_BOUND = 1 << 2,     ///< step_bound.
} LyraSystemHook;

/// A kind of system. Vectors have the system's size; what is constrained is in `constraints`.
typedef struct LyraSystemType {
    const char *name;
    int32_t (*size)(const void *self);
    uint32_t (*traits)(const void *self);
    /// Where its vectors lie; their place is `self`. Nullable: in the memory of the host.
    const LyraVectorType *vector_type;
    /// Copies of vectors that were staged for functions of the host so far. Nullable: none.
    int64_t (*staged)(const void *self);
    /// Makes the blocks of LYRA_STATE_MATERIAL that forces need, as of a body that nothing has
    /// happened to, where the state lacks them; what is there stays. Nullable: none needed.
    LyraStatus (*init_state)(void *self, LyraState *state);
    /// Energy that the material has lost so far, as a state remembers it, J; `plastic`: what of it
    /// plastic flow took. Nullable: none.
    double (*lost)(void *self, const LyraState *state, double *plastic);
    /// See lyra_system_material_digest(). Nullable: 0, the material stays as it is.
    uint64_t (*material_digest)(void *self);
    /// The constraints over the unknowns. Lent. Nullable function: none ever.
    const LyraConstraints *(*constraints)(const void *self);
    /// What is done with them: x = P x; y = P y + (I - P) x, zero for x NULL, where a direction
    /// along an axis takes the very bits; values[k] = n_k . x; x += sum n_k values[k]. Nullable,
    /// all together, where vectors are the host's or there are no constraints.
    void (*project)(void *self, LyraVector *x);
    void (*merge)(void *self, const LyraVector *x, LyraVector *y);
    void (*components)(void *self, const LyraVector *x, double *values);
    void (*add_components)(void *self, const double *values, LyraVector *x);
    /// Where they hold the body, as LyraPrescription. Nullable: at zero.
    void (*prescribe)(void *self, double t, LyraVector *u, LyraVector *v, LyraVector *a);
    LyraStatus (*evaluate)(void *self, const LyraPoint *at, const LyraResponse *response);
    /// Freezes D at a point. Nullable: D is constant.
    LyraStatus (*update_damping)(void *self, const LyraPoint *at);
    /// Nobody asks for the frozen damping before the next update: what it takes may serve others.
    /// Nullable.
    void (*thaw_damping)(void *self);
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
    /// a factor: writes it into blocks of LYRA_STATE_METHOD of a state; goes back to what a state
    /// has, without any: as if nothing had been solved, after which linearise and form, and says
    /// so in `changed`; false where it is what the system remembers anyway. Nullable, together.
    LyraStatus (*remember)(void *self, LyraState *state);
    LyraStatus (*recall)(void *self, const LyraState *state, bool *changed);
    const LyraSolidDiagnostics *solid; ///< Nullable: not one of solids.
    /// Size of the body, m: a scale of steps. Nullable: unknown.
    double (*extent)(const void *self);
    /// Sizes of the numbers, beside displacements, that forces at each unknown are computed from,
    /// m: edges of elements, positions. Forces are known to what these are rounded by. Nullable: 0.
    void (*lengths)(const void *self, LyraVector *lengths);
    /// See lyra_system_fingerprint(). Nullable: 0, matrices depend on the point alone.
    uint64_t (*fingerprint)(void *self);
    /// Which of the following have something to say: LyraSystemHook bits. Nullable: those that are
    /// there.
    uint32_t (*hooks)(const void *self);
    /// The life of a step: begin_step, then evaluations, then commit or discard, each Nullable.
    /// What outlives a step is in the state: begin_step and commit write into the one they get, an
    /// integrator's copy, and one that is dropped takes everything back. `dt` is 0 outside of a
    /// step.
    LyraStatus (*begin_step)(void *self, LyraState *state, double dt);
    /// Newton's method is about to linearise at a point: forces that are known near a point only
    /// may be found anew. Also called where a solve begins and where a step is to end, even of
    /// methods that do not iterate (LyraPoint::moment): there it fails with LYRA_NOT_CONVERGED if
    /// something that moves by itself cannot arrive. `changed`: forces and energies are others now.
    LyraStatus (*begin_iteration)(void *self, const LyraPoint *at, bool *changed);
    LyraStatus (*commit)(void *self, LyraState *state);
    void (*discard)(void *self);
    /// How far the body may go from `u`, where it is or was, along `d`: the largest `bound` in
    /// [0, 1] for which all of u + s d, 0 <= s <= bound, is allowed. No integrator evaluates a
    /// point that it did not reach in this way. Nullable: everywhere.
    LyraStatus (*step_bound)(void *self, const LyraVector *u, const LyraVector *d, double *bound);
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

/// A vector of `size` zeros where the system's vectors lie; it must be destroyed before the system.
LYRA_API LyraStatus lyra_system_vector_create(LyraSystem *system, int32_t size, LyraVector **out);

/// A state of the system's size and vectors, with what the material remembers at first. To be
/// destroyed before the system where the vectors are its own.
LYRA_API LyraStatus lyra_system_state_create(LyraSystem *system, LyraState **out);

/// Whether vectors of a state are such as the system computes with.
LYRA_API bool lyra_system_takes(const LyraSystem *system, const LyraState *state);

// As the functions of LyraSystemType, with arguments checked.

LYRA_API LyraStatus lyra_system_init_state(LyraSystem *system, LyraState *state);
LYRA_API int64_t lyra_system_staged(const LyraSystem *system);
LYRA_API double lyra_system_lost(LyraSystem *system, const LyraState *state, double *plastic);

/// NULL: none.
LYRA_API const LyraConstraints *lyra_system_constraints(const LyraSystem *system);

/// Directions of the constraints: how many, their version (0 without), a digest that is the same in
/// every process, and their values, lent, [count].
LYRA_API int32_t lyra_system_constraint_count(const LyraSystem *system);
LYRA_API uint64_t lyra_system_constraint_version(const LyraSystem *system);
LYRA_API uint64_t lyra_system_constraint_digest(const LyraSystem *system);
LYRA_API const double *lyra_system_constraint_values(const LyraSystem *system);

// Without effect where there are none.
LYRA_API void lyra_system_project(LyraSystem *system, LyraVector *x);
LYRA_API void lyra_system_merge(LyraSystem *system, const LyraVector *x, LyraVector *y);
LYRA_API void lyra_system_components(LyraSystem *system, const LyraVector *x, double *values);
LYRA_API void lyra_system_add_components(LyraSystem *system, const double *values, LyraVector *x);
LYRA_API void lyra_system_prescribe(LyraSystem *system, double t, LyraVector *u, LyraVector *v,
                                    LyraVector *a);
LYRA_API LyraStatus lyra_system_evaluate(LyraSystem *system, const LyraPoint *at,
                                         const LyraResponse *response);
LYRA_API LyraStatus lyra_system_update_damping(LyraSystem *system, const LyraPoint *at);
LYRA_API void lyra_system_thaw_damping(LyraSystem *system);
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

LYRA_API LyraStatus lyra_system_remember(LyraSystem *system, LyraState *state);
LYRA_API LyraStatus lyra_system_recall(LyraSystem *system, const LyraState *state);
LYRA_API LyraDetF lyra_system_det_f(LyraSystem *system, const LyraVector *u);

/// 0 where the system does not know it.
LYRA_API double lyra_system_extent(const LyraSystem *system);
LYRA_API void lyra_system_lengths(const LyraSystem *system, LyraVector *lengths);

/// False, and nothing written, where the system does not know. The two must not be one.
LYRA_API bool lyra_system_rest(LyraSystem *system, const LyraVector *u, LyraVector *rest);

LYRA_API LyraStatus lyra_system_begin_step(LyraSystem *system, LyraState *state, double dt);
LYRA_API LyraStatus lyra_system_begin_iteration(LyraSystem *system, const LyraPoint *at,
                                                bool *changed);
LYRA_API LyraStatus lyra_system_commit(LyraSystem *system, LyraState *state);
LYRA_API void lyra_system_discard(LyraSystem *system);
LYRA_API LyraStatus lyra_system_step_bound(LyraSystem *system, const LyraVector *u,
                                           const LyraVector *d, double *bound);

/// Whether it has bounds, begins iterations, begins steps.
LYRA_API bool lyra_system_is_bounded(const LyraSystem *system);
LYRA_API bool lyra_system_has_iterations(const LyraSystem *system);
LYRA_API bool lyra_system_has_steps(const LyraSystem *system);

/// A number that changes with every linearise and form: what was formed is still there while it
/// stays.
LYRA_API uint64_t lyra_system_stamp(const LyraSystem *system);

/// A number made of all that a M + b C + c K and its solutions depend on beside the point: the
/// parameters of forces, masses, damping, directions of constraints. It is the same where these
/// are, also in another process, and another one where they differ, but once in 2^64.
LYRA_API uint64_t lyra_system_fingerprint(LyraSystem *system);

/// The same of what energies depend on beside the state: parameters of forces, the scale of masses.
LYRA_API uint64_t lyra_system_material_digest(LyraSystem *system);

/// Largest eigenvalue of M^-1 K (squared angular frequency, 1/s^2) of the last linearise on the
/// free unknowns, by Lanczos with a fixed start: an estimate from below, within about one percent.
LYRA_API LyraStatus lyra_system_largest_eigenvalue(LyraSystem *system, double *value);

#ifdef __cplusplus
}
#endif

#endif
