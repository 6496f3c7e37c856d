// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// What the files of integrate share: the table of an integrator, the driver's scratch, and the
// equation that all implicit methods hand to Newton's method.

#ifndef LY_INTEGRATE_INTEGRATE_H
#define LY_INTEGRATE_INTEGRATE_H

#include "base/base.h"
#include "lyra/integrator.h"

/// A method. The driver (integrator.c) checks arguments, halves and grows steps back, keeps the
/// state whole on failure, measures energies and times; a method only makes one step on a trial
/// state, which it may leave in any condition when it fails.
typedef struct LyIntegratorType {
    LyraIntegratorFacts facts;
    int32_t vector_count; // scratch vectors it->scratch[0 .. vector_count)
    bool newton;          // solves by ly_newton_solve()
    /// Makes it->self. Nullable.
    LyraStatus (*create)(LyraIntegrator *it);
    /// One step of `trial` by dt to it->end: writes u, v, a, blocks; the driver sets time. Adds its
    /// counts to it->report and sets report.outcome when it fails.
    LyraStatus (*step)(LyraIntegrator *it, LyraState *trial, double dt);
    /// Displacements and velocities inside the last step. Nullable.
    LyraStatus (*interpolate)(const LyraIntegrator *it, double time, LyraVector *u, LyraVector *v);
    void (*destroy)(LyraIntegrator *it); // ends it->self. Nullable
} LyIntegratorType;

#define LY_SCRATCH_MAX 24

struct LyNewton;

/// Energies of a state, and the forces whose work is measured.
typedef struct LyMeasure {
    double kinetic, elastic;       // J
    double power;                  // lost to damping and velocity forces, W
    double rates[LYRA_RATE_COUNT]; // of obstacles, W
    double lost, plastic;          // by the material, since it began; of it by flow, J
    LyraVector *external;          // loads, N
} LyMeasure;

#define LY_TARGET_TERMS 5

/// The path of the constraints' values inside the step in progress (targets.c).
typedef struct LyTargets {
    bool active;
    bool spans;                // it is that of a longer step, of which this is a part
    int32_t terms, capacity;   // of each polynomial; directions that `c` has room for
    double x[LY_TARGET_TERMS]; // places of Newton's form, s
    double *c;                 // [capacity][LY_TARGET_TERMS]
    double *p;                 // values, velocities, accelerations: scratch, [3][capacity]
} LyTargets;

struct LyraIntegrator {
    LyraContext *ctx;
    LyraIntegratorDef def;
    const LyIntegratorType *type;
    LyIntegratorType own_type;     // `type` of a method of the program's own
    const LyraIntegratorType *own; // ... and that method. Nullable
    LyraSystem *system;
    int32_t size;
    LyraVector *scratch[LY_SCRATCH_MAX];
    LyraVector *prescribed[3];    // u, v, a of constraints at the time of the last ly_prescribe
    LyraState *work, *trial;      // accepted so far inside this step; being tried
    struct LyNewton *newton;      // of implicit methods, made by the driver
    LyraStepReport report;        // of the step in progress
    double end;                   // time at which the substep in progress ends, s
    LyMeasure measure[2];         // at the begin and the end of a substep
    LyraVector *account[3];       // scratch of the measures
    LyraTangentNeed need_tangent; // the tangent that a step takes first, at its begin
    LyraVector *force;            // g of the driver and of ly_acceleration
    LyTargets targets;
    LyraVector *reached, *way; // reach.c; NULL where nothing is bounded
    bool measured;             // measure[0] is that of the begin of the step in progress
    double energy;             // ... and its kinetic and elastic energy, J
    LyraVector *damped[2];     // u, v where the damping was frozen last; NULL unless tangents are
                               // kept
    double damped_time;        // ... and the time, s
    double damped_dt;          // ... and the time since the committed state, s
    uint64_t masses_checked;   // version of the constraints for which masses were looked at
    bool masses_known;         // ... and whether they were
    void *self;                // the method's own
};

extern const LyIntegratorType *const ly_integrators[];
extern const int32_t ly_integrator_count;

/// The table of a method of the program's own, and whether it has what it needs (own.c).
LyIntegratorType ly_integrator_adapt(const LyraIntegratorType *own);
LyraStatus ly_integrator_type_check(const LyraIntegratorType *type);

/// Names of integrators: those of lyra_integrator_name(), then the registered ones.
const char *ly_integrator_choice(const LyraContext *ctx, int32_t index);

/// lyra_integrator_step() to a time that the caller knows better than the clock of the state, whose
/// clock starts anew there: parts of a longer step.
LyraStatus ly_integrator_step_to(LyraIntegrator *it, LyraState *state, double dt, double end,
                                 LyraStepReport *report);

/// Around the parts of a longer step from `state` to `end`: values of constraints hold at its end,
/// and the parts share one path to them. After a begin, failed or not, comes an end; `state` is
/// NULL there if the step failed.
LyraStatus ly_integrator_begin_parts(LyraIntegrator *it, LyraState *state, double dt, double end);
LyraStatus ly_integrator_end_parts(LyraIntegrator *it, LyraState *state);

// ---- what methods call --------------------------------------------------------------------------

/// Fails a step: sets report.outcome and report.status.
LyraStatus ly_step_fail(LyraIntegrator *it, LyraStepOutcome outcome, LyraStatus status);

/// a = -M^-1 g(t, u, v) on the free unknowns, the prescribed acceleration elsewhere.
LyraStatus ly_acceleration(LyraIntegrator *it, double t, double dt, const LyraVector *u,
                           const LyraVector *v, const LyraState *committed, LyraVector *a);

/// t + dt; the very end of the step where rounding alone parts the two.
double ly_moment(const LyraIntegrator *it, double t, double dt);

/// Evaluates the system at a point that can be reached, counted and timed; LYRA_STEP_BLOCKED where
/// it can't.
LyraStatus ly_evaluate(LyraIntegrator *it, const LyraPoint *at, const LyraResponse *response);

/// Freezes the damping of the model for this step; where the point can't be reached, at the last
/// that was.
LyraStatus ly_update_damping(LyraIntegrator *it, double t, double dt, const LyraVector *u,
                             const LyraVector *v, const LyraState *committed);

/// The same at a point of an earlier step.
LyraStatus ly_update_damping_known(LyraIntegrator *it, double t, double dt, const LyraVector *u,
                                   const LyraVector *v, const LyraState *committed);

/// Writes where the constraints hold the body at time t into it->prescribed: what the system
/// prescribes, and the path of their values.
void ly_prescribe(LyraIntegrator *it, double t);

/// Puts prescribed displacements and velocities at time t onto the constraints of u and v.
/// Nullable: not that one.
void ly_impose(LyraIntegrator *it, double t, LyraVector *u, LyraVector *v);

/// Lets the material remember the end of the step, at (t, u, v) of `trial` after a step of dt.
LyraStatus ly_commit_material(LyraIntegrator *it, LyraState *trial, double t, double dt);

/// Makes sure that a of `trial` is the acceleration at its time: true once a step of a method that
/// keeps it has ended there, otherwise computed, or zero when the convention is Vega's.
LyraStatus ly_start_acceleration(LyraIntegrator *it, LyraState *trial);

/// Gives `state` the acceleration -M^-1 g on the free unknowns, a staying as it is on the others.
LyraStatus ly_free_acceleration(LyraIntegrator *it, LyraState *state);

/// Notes that a of `trial` is the acceleration at time t.
LyraStatus ly_keep_acceleration(LyraState *trial, double t);

// ---- points that can be reached (reach.c) -------------------------------------------------------

/// Goes back to a point that was reached before, or to where the state is.
void ly_reach_return(LyraIntegrator *it, const LyraVector *u);

/// Whether a straight way leads from the last point that was reached to u. If so, u is the last.
LyraStatus ly_reach(LyraIntegrator *it, const LyraVector *u, bool *can);

/// The same; the step fails at time t where none does.
LyraStatus ly_reach_or_fail(LyraIntegrator *it, const LyraVector *u, double t);

/// The part of scale d that the body can go from there, in [0, 1]: a little less than the bound.
LyraStatus ly_reach_part(LyraIntegrator *it, double scale, const LyraVector *d, double *part);

/// Ends a step whose way is blocked at time t.
LyraStatus ly_fail_blocked(LyraIntegrator *it, double t);

/// Ends a step whose forces (`what`) are not finite at the displacements u, and says so if elements
/// are inside out there.
LyraStatus ly_fail_forces(LyraIntegrator *it, const char *what, double t, const LyraVector *u);

// ---- values of constraints that move (targets.c) ------------------------------------------------

/// Finds the path of the values to `end`, from `work` at the begin of a step, and makes room there.
LyraStatus ly_targets_begin(LyraIntegrator *it, LyraState *work, double dt, double end);

/// Adds the path at time t, its velocity and its acceleration.
void ly_targets_add(const LyraIntegrator *it, double t, LyraVector *u, LyraVector *v,
                    LyraVector *a);

/// Remembers the values in `work` at the end of the step.
LyraStatus ly_targets_end(LyraIntegrator *it, LyraState *work);

// ---- measures (measure.c) -----------------------------------------------------------------------

/// Energies and loads of a state, into it->measure[k].
LyraStatus ly_measure(LyraIntegrator *it, LyraState *state, int32_t k);

/// ly_measure() where a step begins, into it->measure[0].
LyraStatus ly_measure_begin(LyraIntegrator *it, LyraState *state);

/// The power that a state loses with the D at hand, after ly_measure() of it.
LyraStatus ly_measure_losses(LyraIntegrator *it, LyraState *state, int32_t k);

/// Adds the work and the losses of a substep of h from `begin` to `end`, measured in measure[0] and
/// measure[1], to the report.
LyraStatus ly_measure_step(LyraIntegrator *it, LyraState *begin, LyraState *end, double h);

/// The energy of a state, measured in measure[0], less that of the end of the step before, where
/// the material has other numbers since.
double ly_measure_change(LyraIntegrator *it, const LyraState *state);

/// Lets a state remember the energy that it has where a step ends, measured in measure[0].
LyraStatus ly_measure_keep(LyraIntegrator *it, LyraState *state);

/// (I - P)(M a + g) of a state, with the D at hand.
LyraStatus ly_find_reaction(LyraIntegrator *it, LyraState *state, LyraVector *reaction);

// ---- constant matrices --------------------------------------------------------------------------

/// S as it was formed last of a system that is LYRA_SYSTEM_CONSTANT. Zero: none.
typedef struct LyFormed {
    bool known;
    uint64_t stamp, fingerprint;
    double factors[3];
} LyFormed;

/// Linearises and forms a M + b C + c K, counted and timed.
LyraStatus ly_form_at(LyraIntegrator *it, const LyraPoint *at, bool psd, const double factors[3]);

/// Linearises and forms a M + b C + c K, unless it stands already. A step that fails: the status.
LyraStatus ly_form_constant(LyraIntegrator *it, const LyraPoint *at, bool psd,
                            const double factors[3], LyFormed *formed);

// ---- implicit methods ---------------------------------------------------------------------------

/// The equation of a step in the unknown q, of all one-stage implicit methods:
///   M a + g(t, u, v) + r_0 = 0   with   u = u_q q + u_0,  v = v_q q + v_0,  a = a_q q + a_0.
/// Its derivative is a_q M + v_q C + u_q K; statics has v_q = a_q = 0.
typedef struct LyStage {
    double time, dt;
    double u_q, v_q, a_q;              // u_q > 0
    const LyraVector *u_0, *v_0, *a_0; // NULL: zero
    const LyraVector *r_0;             // NULL: zero
    /// A second start: u = previous on the free unknowns. Newton takes the better of the two; the
    /// one-step and counted policies always take this one. NULL: none.
    const LyraVector *previous;
    bool still;                 // v = 0 at the second start
    double unloaded;            // share of the loads that is left out
    int32_t iterations_max;     // fewer than the settings allow; 0: as many
    const LyraState *committed; // what the material remembers
    /// The counted policy sees the reactions of constraints as part of the residual.
    bool reactions;
} LyStage;

typedef struct LyNewton LyNewton;

LyraStatus ly_newton_create(LyraContext *ctx, const LyraNewtonDef *def, LyraSystem *system,
                            LyNewton **out);
void ly_newton_destroy(LyNewton *newton);

/// The tangent that Newton takes first, before it knows more than forces, where the body is.
LyraTangentNeed ly_newton_need_tangent(const LyraNewtonDef *def);

/// Solves for q, which holds a start that meets the constraints. On failure q is undefined, and the
/// report has the outcome. `trial` lends its blocks to the simplified policy.
LyraStatus ly_newton_solve(LyNewton *newton, LyraIntegrator *it, const LyStage *stage,
                           LyraState *trial, LyraVector *q);

#endif
