// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

/// @file
/// Integrators: they move a state of a system through time, step by step, and explain each step.
/// Orders, coefficients and start-up are in docs/integrators.md.

#ifndef LYRA_INTEGRATOR_H
#define LYRA_INTEGRATOR_H

#include "lyra/base.h"
#include "lyra/solver.h"
#include "lyra/state.h"
#include "lyra/system.h"

#ifdef __cplusplus
extern "C" {
#endif

// ---- reports ------------------------------------------------------------------------------------

/// How a step ended.
typedef enum LyraStepOutcome {
    LYRA_STEP_ACCEPTED = 0,
    LYRA_STEP_NOT_CONVERGED, ///< Newton reached its limit.
    LYRA_STEP_LINE_SEARCH,   ///< No decrease along the direction found.
    LYRA_STEP_SOLVER,        ///< The linear solver failed; `status` says how.
    LYRA_STEP_NOT_FINITE,    ///< NaN or infinite forces or positions.
    LYRA_STEP_UNSTABLE,      ///< Explicit: dt is beyond the critical step.
    LYRA_STEP_TOO_SMALL,     ///< Error control or halving reached the smallest step.
    LYRA_STEP_REFUSED,       ///< Not begun; `status` and the message say why.
    LYRA_STEP_BLOCKED,       ///< The system lets the body go no further: a wall, a contact.
    LYRA_STEP_OUTCOME_COUNT
} LyraStepOutcome;

/// In words, for example "accepted", "line search failed". Never NULL.
LYRA_API const char *lyra_step_outcome_name(LyraStepOutcome outcome);

/// What a step did. Norms are in N (residuals) and m (steps).
typedef struct LyraStepReport {
    LyraStepOutcome outcome;
    LyraStatus status;         ///< LYRA_OK if accepted.
    double time, dt;           ///< After the step (before it, if it failed), s; step taken, s.
    int32_t substeps;          ///< Accepted steps inside: 1 unless halved or error-controlled.
    int32_t rejected;          ///< Halved or rejected steps inside.
    int32_t newton_iterations; ///< Summed over substeps.
    int32_t line_search_steps; ///< Trials beyond the first.
    int32_t psd_iterations;    ///< Newton iterations that needed the positive tangent.
    int32_t linear_iterations; ///< Of the linear solver.
    int32_t evaluations;       ///< Of forces.
    int32_t factorisations;    ///< Matrices formed and factored.
    double residual_first, residual_last; ///< |P r|, N.
    double decrement;                     ///< Last Newton decrement, the root of J.
    double step_last;                     ///< Largest entry of the last Newton step, m.
    double critical_dt; ///< Explicit: estimated critical step, s; 0: not estimated.
    double error;       ///< Estimated local error over tolerance; 0: no estimate.
    double assembly_seconds, solve_seconds, total_seconds;
    double kinetic, elastic; ///< Energies after the step, J.
    /// Of this step, J: work + change = the growth of kinetic + elastic, + dissipated + numerical.
    double work;             ///< Of loads and prescribed motion.
    double change;           ///< Of parameters that were changed since the last step.
    double dissipated;       ///< plastic + viscous.
    double plastic, viscous; ///< By flow; by damping, and by what relaxes.
    double numerical; ///< By the method: what it loses (< 0: gains), and the account's error.
    double min_det;   ///< Smallest det F after the step; 1 without elements.
    int32_t min_det_element; ///< Its element, -1 without.
    int32_t inverted;        ///< Elements with det F <= 0 after the step.
    double gap;              ///< Largest distance that hard ties of a world leave, m; 0 without.
    const char *solver;      ///< Linear solver that served, "" for none.
    int64_t staged;          ///< Vectors copied to and from the host for its functions.
} LyraStepReport;

// ---- Newton -------------------------------------------------------------------------------------

/// How implicit equations are solved.
typedef enum LyraNewtonPolicy {
    LYRA_NEWTON_FULL = 0,   ///< To convergence, new tangent at each iteration.
    LYRA_NEWTON_ONE,        ///< One step without a check of convergence, as Vega.
    LYRA_NEWTON_SIMPLIFIED, ///< The tangent is kept while it serves.
    LYRA_NEWTON_INEXACT,    ///< Full, with forcing terms for iterative solvers.
    /// Up to `iterations_max` whole steps, ended early by a residual of `residual` times the first
    /// one; what is left of it is accepted, as Vega does.
    LYRA_NEWTON_COUNTED,
} LyraNewtonPolicy;

/// Settings of Newton's method. Start from lyra_newton_def_default(). It stops when the decrement,
/// or both the residual and the step, are below their limits.
typedef struct LyraNewtonDef {
    LyraNewtonPolicy policy; ///< Default LYRA_NEWTON_FULL.
    int32_t iterations_max;  ///< Tangled bodies take hundreds, others a few. Default 400.
    double decrement;        ///< Decrement squared over the energy scale. Default 1e-12.
    double residual;         ///< |P r| over the size of the forces. Default 1e-8.
    double step;             ///< Largest entry of a step over the size of the body. Default 1e-8.
    bool line_search;        ///< Default true.
    bool psd_always;         ///< Skip the exact tangent. Default false.
    int32_t halvings_max;    ///< Of the time step; it grows back by itself. Default 8.
    uint32_t cookie;         ///< Written by the default function only.
} LyraNewtonDef;

LYRA_API LyraNewtonDef lyra_newton_def_default(void);

// ---- integrators --------------------------------------------------------------------------------

/// What an explicit integrator does beyond its critical step.
typedef enum LyraCriticalStep {
    LYRA_CRITICAL_WARN = 0, ///< A line in the log, and go on.
    LYRA_CRITICAL_REFUSE,   ///< LYRA_STEP_UNSTABLE.
    LYRA_CRITICAL_IGNORE,   ///< Do not estimate.
} LyraCriticalStep;

/// Called after each accepted step.
typedef void LyraStepCallback(void *user, const LyraState *state, const LyraStepReport *report);

/// Settings of an integrator. Start from lyra_integrator_def_default(). What an integrator has no
/// use for is ignored.
typedef struct LyraIntegratorDef {
    const char *name;       ///< Of lyra_integrator_name(), or registered. Default "backward-euler".
    LyraNewtonDef newton;   ///< Of implicit ones.
    bool vega;              ///< Starts and damps as Vega does. Default false.
    double beta, gamma;     ///< "newmark". Default 0.25, 0.5.
    double spectral_radius; ///< "generalized-alpha", in [0, 1]. Default 0.5.
    int32_t damping_update; ///< "central-differences": D anew every n steps; 0: never. Default 1.
    LyraCriticalStep critical; ///< Default LYRA_CRITICAL_WARN.
    int32_t critical_interval; ///< Steps between estimates; "rkc2", "rock2": at most. Default 100.
    /// Error control of "dopri5" and "dopri853", and the scale of the errors that "rock2" and
    /// "amf-rk32" report. Default 1e-6.
    double relative_tolerance;
    double absolute_tolerance;  ///< m (and m/s). Default 1e-9.
    int32_t stages;             ///< "rkc2", "rock2": 0: from the spectral radius. Default 0.
    const char *rosenbrock_set; ///< "rosenbrock4": of lyra_rosenbrock_set(). Default "l-stable".
    int32_t load_steps;         ///< "static": increments of loads and prescribed motion. Default 1.
    LyraStepCallback *callback; ///< Nullable.
    void *callback_user;        ///< Nullable.
    uint32_t cookie;            ///< Written by the default function only.
} LyraIntegratorDef;

LYRA_API LyraIntegratorDef lyra_integrator_def_default(void);

/// What is known of an integrator.
typedef struct LyraIntegratorFacts {
    const char *name;
    int32_t order; ///< In dt, for displacements; 0 for "static".
    bool is_implicit;
    bool adaptive; ///< Controls its error by steps of its own inside dt.
    bool constant; ///< Of systems that are LYRA_SYSTEM_CONSTANT alone; it refuses others.
} LyraIntegratorFacts;

/// Integrator `index`; false past the last.
LYRA_API bool lyra_integrator_name(int32_t index, LyraIntegratorFacts *facts);

/// Set `index` of coefficients of "rosenbrock4"; NULL past the last.
LYRA_API const char *lyra_rosenbrock_set(int32_t index);

typedef struct LyraIntegrator LyraIntegrator;

/// Makes an integrator. `system` must outlive it. LYRA_INVALID_ARGUMENT, with the list, for an
/// unknown name.
LYRA_API LyraStatus lyra_integrator_create(LyraContext *ctx, const LyraIntegratorDef *def,
                                           LyraSystem *system, LyraIntegrator **out);

/// A method of your own. It makes one step on a trial state, through lyra_system_* and
/// lyra_vector_* and the functions below; all around it is done as for every integrator: arguments
/// are checked, implicit methods that fail are tried again with half the step, energies and times
/// are measured, and the state of the caller stays as it was when a step fails.
typedef struct LyraIntegratorType {
    LyraIntegratorFacts facts; ///< The name must outlive the integrator.
    /// Makes `self`, with its scratch vectors: steps allocate nothing. Nullable.
    LyraStatus (*create)(LyraContext *ctx, const LyraIntegratorDef *def, LyraSystem *system,
                         void **self);
    /// Moves u, v and a of `trial` by dt from its time, which stays. What constraints prescribe at
    /// the end, and what the material remembers, follows by itself. On failure `trial` may be in
    /// any condition. Adds to `report` what it counts (evaluations and times of
    /// lyra_integrator_acceleration() are counted there), and may set `outcome` when it fails.
    LyraStatus (*step)(void *self, LyraIntegrator *driver, LyraState *trial, double dt,
                       LyraStepReport *report);
    void (*destroy)(void *self); ///< Ends what `create` made. Nullable.
} LyraIntegratorType;

/// Makes an integrator of a type of the caller's, which must outlive it; `def->name` is not read.
LYRA_API LyraStatus lyra_integrator_create_type(LyraContext *ctx, const LyraIntegratorType *type,
                                                const LyraIntegratorDef *def, LyraSystem *system,
                                                LyraIntegrator **out);

/// For `step` of a type: puts what constraints prescribe at `time` into displacements and
/// velocities. `u`, `v`: Nullable.
LYRA_API void lyra_integrator_hold(LyraIntegrator *driver, double time, LyraVector *u,
                                   LyraVector *v);

/// For `step` of a type: lyra_integrator_hold(), then a = -M^-1 g(time, u, v) with the damping at
/// this point, and the prescribed acceleration on constraints.
LYRA_API LyraStatus lyra_integrator_acceleration(LyraIntegrator *driver, LyraState *trial,
                                                 double time, LyraVector *u, LyraVector *v,
                                                 LyraVector *a);

/// Accepts NULL.
LYRA_API void lyra_integrator_destroy(LyraIntegrator *integrator);

/// Moves the state by dt > 0. On failure the state is bit for bit as it was, and the report says
/// why. Nothing is allocated after the first step in our own code. `report`: Nullable.
LYRA_API LyraStatus lyra_integrator_step(LyraIntegrator *integrator, LyraState *state, double dt,
                                         LyraStepReport *report);

/// Dense output of "dopri5" and "dopri853": displacements and velocities at a time inside the last
/// step of the method's own, which is all of dt where the report has one substep. LYRA_UNSUPPORTED
/// for others, LYRA_INVALID_ARGUMENT for a time outside. `v`: Nullable.
LYRA_API LyraStatus lyra_integrator_interpolate(const LyraIntegrator *integrator, double time,
                                                LyraVector *u, LyraVector *v);

/// Reaction forces of the constraints at the end of the last step, N: what holds the body there.
LYRA_API LyraStatus lyra_integrator_reaction(LyraIntegrator *integrator, const LyraState *state,
                                             LyraVector *reaction);

#ifdef __cplusplus
}
#endif

#endif
