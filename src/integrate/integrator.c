// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// The driver of all integrators. A step works on copies: `work` holds what is accepted so far,
// `trial` what a method tries from there; only a whole step is copied back to the caller's state.
//
// Halving. A step of dt is cut into 2^m units, m the largest number of halvings. At level l a
// substep takes 2^(m-l) units. A method that fails raises the level by one; two substeps in a row
// that succeed lower it again, where the position is a multiple of the longer substep. The level
// and the row outlive the step in the state's block "halving", so that a restart goes on with the
// same bits. Explicit methods halve where their way is blocked, and nowhere else.
//
// The system hears of each substep: begin on a copy of the state, then commit or discard.

#include "integrate/integrate.h"

#include "base/registry.h"
#include "integrate/newton.h"
#include "model/state.h"

#include <math.h>
#include <string.h>

#define HALVING_BLOCK "halving"
#define HALVINGS_LIMIT 30

// ---- names and defaults -------------------------------------------------------------------------

const char *lyra_step_outcome_name(LyraStepOutcome outcome)
{
    static const char *const names[LYRA_STEP_OUTCOME_COUNT] = {
        "accepted",   "not converged",        "line search failed", "linear solver failed",
        "not finite", "beyond critical step", "step too small",     "refused",
        "blocked",
    };
    bool known = (int)outcome >= 0 && outcome < LYRA_STEP_OUTCOME_COUNT;
    return known ? names[outcome] : "unknown";
}

LyraNewtonDef lyra_newton_def_default(void)
{
    return (LyraNewtonDef){
        .policy = LYRA_NEWTON_FULL,
        .iterations_max = 400,
        .decrement = 1e-12,
        .residual = 1e-8,
        .step = 1e-8,
        .line_search = true,
        .psd_always = false,
        .halvings_max = 8,
        .cookie = LY_DEF_COOKIE,
    };
}

LyraIntegratorDef lyra_integrator_def_default(void)
{
    return (LyraIntegratorDef){
        .name = "backward-euler",
        .newton = lyra_newton_def_default(),
        .beta = 0.25,
        .gamma = 0.5,
        .spectral_radius = 0.5,
        .damping_update = 1,
        .critical = LYRA_CRITICAL_WARN,
        .critical_interval = 100,
        .relative_tolerance = 1e-6,
        .absolute_tolerance = 1e-9,
        .load_steps = 1,
        .rosenbrock_set = "l-stable",
        .cookie = LY_DEF_COOKIE,
    };
}

bool lyra_integrator_name(int32_t index, LyraIntegratorFacts *facts)
{
    LYRA_ASSERT(facts);
    if (index < 0 || index >= ly_integrator_count) {
        return false;
    }
    *facts = ly_integrators[index]->facts;
    return true;
}

const char *ly_integrator_choice(const LyraContext *ctx, int32_t index)
{
    return index >= 0 && index < ly_integrator_count
               ? ly_integrators[index]->facts.name
               : ly_registry_name(ctx, LY_REGISTRY_INTEGRATOR, index - ly_integrator_count);
}

// ---- life ---------------------------------------------------------------------------------------

// one of ours, or one that is registered
static LyraStatus find_type(const LyraContext *ctx, const char *name, const LyIntegratorType **out,
                            const LyraIntegratorType **own)
{
    char list[512] = "";
    const LyRegistered *registered = ly_registry_find(ctx, LY_REGISTRY_INTEGRATOR, name);
    if (registered) {
        *own = registered->type;
        return LYRA_OK;
    }
    for (int32_t i = 0; i < ly_integrator_count; ++i) {
        const char *known = ly_integrators[i]->facts.name;
        if (strcmp(name, known) == 0) {
            *out = ly_integrators[i];
            return LYRA_OK;
        }
        ly_list_name(sizeof list, list, known);
    }
    ly_registry_list(ctx, LY_REGISTRY_INTEGRATOR, sizeof list, list);
    return ly_fail(LYRA_INVALID_ARGUMENT, "no integrator is called '%s'; there are %s", name, list);
}

// refuses values that no method can use; NaN fails every comparison
static LyraStatus check_def(const LyraIntegratorDef *def)
{
    const LyraNewtonDef *newton = &def->newton;
    if (!def->name) {
        return ly_fail(LYRA_INVALID_ARGUMENT, "an integrator without a name");
    }
    if ((int)newton->policy < 0 || newton->policy > LYRA_NEWTON_COUNTED) {
        return ly_fail(LYRA_INVALID_ARGUMENT, "newton: policy %d is not known",
                       (int)newton->policy);
    }
    if (newton->iterations_max < 1 || newton->halvings_max < 0 ||
        newton->halvings_max > HALVINGS_LIMIT) {
        return ly_fail(LYRA_INVALID_ARGUMENT,
                       "newton: %d iterations and %d halvings, expected >= 1 and [0, %d]",
                       (int)newton->iterations_max, (int)newton->halvings_max, HALVINGS_LIMIT);
    }
    if (!(newton->decrement >= 0 && newton->residual >= 0 && newton->step >= 0)) {
        return ly_fail(LYRA_INVALID_ARGUMENT, "newton: limits %g, %g, %g, expected >= 0",
                       newton->decrement, newton->residual, newton->step);
    }
    if (!(def->beta > 0 && def->beta <= 0.5 && def->gamma >= 0 && def->gamma <= 1)) {
        return ly_fail(LYRA_INVALID_ARGUMENT, "newmark: beta %g in (0, 0.5], gamma %g in [0, 1]",
                       def->beta, def->gamma);
    }
    if (!(def->spectral_radius >= 0 && def->spectral_radius <= 1)) {
        return ly_fail(LYRA_INVALID_ARGUMENT, "generalized-alpha: spectral radius %g, in [0, 1]",
                       def->spectral_radius);
    }
    if (def->load_steps < 1 || def->critical_interval < 1 || def->damping_update < 0 ||
        def->stages < 0) {
        return ly_fail(
            LYRA_INVALID_ARGUMENT,
            "%d load steps, critical interval %d, damping update %d, %d stages: expected "
            ">= 1, >= 1, >= 0, >= 0",
            (int)def->load_steps, (int)def->critical_interval, (int)def->damping_update,
            (int)def->stages);
    }
    if (!(def->relative_tolerance >= 0 && def->absolute_tolerance >= 0 &&
          def->relative_tolerance + def->absolute_tolerance > 0)) {
        return ly_fail(LYRA_INVALID_ARGUMENT, "tolerances %g and %g: expected >= 0, one above",
                       def->relative_tolerance, def->absolute_tolerance);
    }
    return LYRA_OK;
}

// Newton's method rests while forces are looked at and steps are measured, and lends its vectors
static LyraStatus make_scratch(LyraIntegrator *it)
{
    LyraVector **scratch[] = {&it->force, &it->account[0], &it->account[1], &it->account[2]};
    for (int32_t i = 0; i < LY_COUNT_OF(scratch); ++i) {
        if (it->newton) {
            LyraVector *const lent[] = {it->newton->r_try, it->newton->q_try, it->newton->b,
                                        it->newton->mass};
            *scratch[i] = lent[i];
        } else {
            LY_TRY(lyra_system_vector_create(it->system, it->size, scratch[i]));
        }
    }
    return LYRA_OK;
}

static LyraStatus make_vectors(LyraIntegrator *it)
{
    LYRA_ASSERT(it->type->vector_count <= LY_SCRATCH_MAX);
    for (int32_t i = 0; i < it->type->vector_count; ++i) {
        LY_TRY(lyra_system_vector_create(it->system, it->size, &it->scratch[i]));
    }
    for (int32_t i = 0; i < 3; ++i) {
        LY_TRY(lyra_system_vector_create(it->system, it->size, &it->prescribed[i]));
    }
    for (int32_t i = 0; i < 2; ++i) {
        LY_TRY(lyra_system_vector_create(it->system, it->size, &it->measure[i].external));
        if (it->def.newton.policy == LYRA_NEWTON_SIMPLIFIED) {
            LY_TRY(lyra_system_vector_create(it->system, it->size, &it->damped[i]));
        }
    }
    LY_TRY(make_scratch(it));
    if (lyra_system_is_bounded(it->system)) {
        LY_TRY(lyra_system_vector_create(it->system, it->size, &it->reached));
        LY_TRY(lyra_system_vector_create(it->system, it->size, &it->way));
    }
    LY_TRY(lyra_system_state_create(it->system, &it->work));
    return lyra_system_state_create(it->system, &it->trial);
}

// `type`: NULL for a method of the program's own
static LyraStatus create(LyraContext *ctx, const LyraIntegratorDef *def,
                         const LyIntegratorType *type, const LyraIntegratorType *own,
                         LyraSystem *system, LyraIntegrator **out)
{
    LyraStatus status = LYRA_OK;
    LyraIntegrator *it = NULL;
    LY_TRY(ly_allocate_zeroed(ctx, 1, sizeof *it, &it));
    it->ctx = ctx;
    it->def = *def;
    if (!type) {
        it->own = own;
        it->own_type = ly_integrator_adapt(own);
        type = &it->own_type;
    }
    it->def.name = type->facts.name;
    it->type = type;
    if (!own && !type->facts.is_implicit && lyra_system_traits(system) & LYRA_SYSTEM_SCALARS) {
        LY_TRY_DONE(ly_fail(LYRA_UNSUPPORTED,
                            "%s: found an explicit method of a system with unknowns of edges "
                            "(shells, rods), whose stable step is tiny; expected an implicit one, "
                            "as backward-euler",
                            type->facts.name));
    }
    it->system = system;
    it->size = lyra_system_size(system);
    if (type->newton) {
        it->need_tangent = ly_newton_need_tangent(&it->def.newton);
        LY_TRY_DONE(ly_newton_create(ctx, &it->def.newton, system, &it->newton));
    }
    LY_TRY_DONE(make_vectors(it));
    if (type->create) {
        LY_TRY_DONE(type->create(it));
    }
    *out = it;
    return LYRA_OK;
done:
    lyra_integrator_destroy(it);
    return status;
}

LyraStatus lyra_integrator_create(LyraContext *ctx, const LyraIntegratorDef *def,
                                  LyraSystem *system, LyraIntegrator **out)
{
    LYRA_ASSERT(ctx && def && system && out);
    LY_CHECK_DEF(def, "lyra_integrator_def_default");
    LY_CHECK_DEF(&def->newton, "lyra_newton_def_default");
    LY_TRY(check_def(def));
    const LyIntegratorType *type = NULL;
    const LyraIntegratorType *own = NULL;
    LY_TRY(find_type(ctx, def->name, &type, &own));
    return create(ctx, def, type, own, system, out);
}

LyraStatus lyra_integrator_create_type(LyraContext *ctx, const LyraIntegratorType *type,
                                       const LyraIntegratorDef *def, LyraSystem *system,
                                       LyraIntegrator **out)
{
    LYRA_ASSERT(ctx && type && def && system && out);
    LY_CHECK_DEF(def, "lyra_integrator_def_default");
    LY_CHECK_DEF(&def->newton, "lyra_newton_def_default");
    LY_TRY(check_def(def));
    LY_TRY(ly_integrator_type_check(type));
    return create(ctx, def, NULL, type, system, out);
}

void lyra_integrator_destroy(LyraIntegrator *it)
{
    if (!it) {
        return;
    }
    if (it->type->destroy) {
        it->type->destroy(it);
    }
    for (int32_t i = 0; i < LY_SCRATCH_MAX; ++i) {
        lyra_vector_destroy(it->scratch[i]);
    }
    for (int32_t i = 0; i < 3; ++i) {
        lyra_vector_destroy(it->prescribed[i]);
        lyra_vector_destroy(it->newton ? NULL : it->account[i]);
    }
    for (int32_t i = 0; i < 2; ++i) {
        lyra_vector_destroy(it->measure[i].external);
        lyra_vector_destroy(it->damped[i]);
    }
    lyra_vector_destroy(it->newton ? NULL : it->force);
    ly_newton_destroy(it->newton);
    lyra_vector_destroy(it->reached);
    lyra_vector_destroy(it->way);
    ly_release(it->ctx, it->targets.c);
    ly_release(it->ctx, it->targets.p);
    lyra_state_destroy(it->work);
    lyra_state_destroy(it->trial);
    ly_release(it->ctx, it);
}

// ---- a step -------------------------------------------------------------------------------------

static bool is_static(const LyraIntegrator *it)
{
    return it->type->facts.order == 0;
}

// dynamics needs a mass wherever a vertex is free; looked at anew when the constraints change
static LyraStatus check_masses(LyraIntegrator *it)
{
    uint64_t version = lyra_system_constraint_version(it->system);
    if (is_static(it) || (it->masses_known && it->masses_checked == version)) {
        return LYRA_OK;
    }
    lyra_vector_fill(it->force, 1);
    LY_TRY(lyra_system_solve_mass(it->system, it->force, it->account[0]));
    it->masses_known = true;
    it->masses_checked = version;
    return LYRA_OK;
}

// s; squares of shorter steps, halved ones too, would vanish
#define STEP_MIN 1e-100

static LyraStatus check_step(LyraIntegrator *it, const LyraState *state, double dt)
{
    LyraStateView view = lyra_state_view(state);
    if (!(dt >= STEP_MIN) || !isfinite(dt)) {
        return ly_fail(LYRA_INVALID_ARGUMENT, "a step of %g s, expected a finite number >= %g", dt,
                       STEP_MIN);
    }
    if (lyra_vector_size(view.u) != it->size) {
        return ly_fail(LYRA_INVALID_ARGUMENT, "a state of %d unknowns for a system of %d",
                       (int)lyra_vector_size(view.u), (int)it->size);
    }
    if (!lyra_system_takes(it->system, state)) {
        return ly_fail(LYRA_INVALID_ARGUMENT,
                       "a state whose vectors lie elsewhere than those of its system");
    }
    if (is_static(it) && lyra_system_traits(it->system) & LYRA_SYSTEM_LATE) {
        return ly_fail(LYRA_UNSUPPORTED,
                       "statics: a material flows at the end of a step alone, so that no state is "
                       "at rest; dynamics move it, and yield criteria like von-mises have statics");
    }
    // the time that passes is to be dt to one percent; late times are too coarse for short steps
    if (!(fabs(view.time + dt - view.time - dt) <= 0.01 * dt)) {
        return ly_fail(LYRA_INVALID_ARGUMENT,
                       "a step of %g s does not move the time %g s by as much", dt, view.time);
    }
    if (!lyra_vector_is_finite(view.u) || !lyra_vector_is_finite(view.v) ||
        !lyra_vector_is_finite(view.a)) {
        return ly_fail(LYRA_NOT_FINITE, "the state at %g s is not finite", view.time);
    }
    return check_masses(it);
}

// outcome for a status that a method returned without saying more
static LyraStepOutcome find_outcome(LyraStatus status)
{
    switch (status) {
    case LYRA_NOT_CONVERGED:
        return LYRA_STEP_NOT_CONVERGED;
    case LYRA_NOT_FINITE:
        return LYRA_STEP_NOT_FINITE;
    case LYRA_SINGULAR:
    case LYRA_NOT_POSITIVE_DEFINITE:
        return LYRA_STEP_SOLVER;
    default:
        return LYRA_STEP_REFUSED;
    }
}

// begins a substep to the time `end` on `trial`, a copy of `work`
static LyraStatus begin_substep(LyraIntegrator *it, double h, double end)
{
    it->end = end;
    it->report.outcome = LYRA_STEP_ACCEPTED;
    it->report.status = LYRA_OK;
    LY_TRY(lyra_state_assign(it->trial, it->work));
    ly_reach_return(it, lyra_state_view(it->work).u);
    return lyra_system_begin_step(it->system, it->trial, h);
}

// the account of a step begins after the first substep has: forces are those of this step now
static LyraStatus measure_once(LyraIntegrator *it)
{
    if (!it->measured) {
        LY_TRY(ly_measure_begin(it, it->work));
        ly_reach_return(it, lyra_state_view(it->work).u);
        it->energy = it->measure[0].kinetic + it->measure[0].elastic;
        it->report.change = ly_measure_change(it, it->work);
        it->measured = true;
    }
    return LYRA_OK;
}

// what moves by itself comes to where it is at the end of a substep, next to the body there
static LyraStatus arrive(LyraIntegrator *it, double h)
{
    LyraStateView view = lyra_state_view(it->trial);
    const LyraPoint at = {.time = it->end,
                          .dt = h,
                          .u = view.u,
                          .v = view.v,
                          .committed = it->work,
                          .moment = LYRA_UPDATE_END};
    bool changed = false;
    if (!lyra_system_has_iterations(it->system)) {
        return LYRA_OK;
    }
    LyraStatus status = lyra_system_begin_iteration(it->system, &at, &changed);
    return status == LYRA_NOT_CONVERGED ? ly_step_fail(it, LYRA_STEP_BLOCKED, status) : status;
}

// one substep from `work` in `trial`, after its begin
static LyraStatus try_substep(LyraIntegrator *it, double h)
{
    LyraStatus status = it->type->step(it, it->trial, h);
    LyraStateView view = lyra_state_view(it->trial);
    if (status == LYRA_OK && !(lyra_vector_is_finite(view.u) && lyra_vector_is_finite(view.v) &&
                               lyra_vector_is_finite(view.a))) {
        status = ly_fail(LYRA_NOT_FINITE, "a step of %g s from %g s ended at non-finite values", h,
                         view.time);
    }
    if (status == LYRA_OK) {
        status = ly_reach_or_fail(it, view.u, it->end);
    }
    if (status == LYRA_OK) {
        status = arrive(it, h);
    }
    if (status == LYRA_OK) {
        status = lyra_system_commit(it->system, it->trial);
    } else {
        lyra_system_discard(it->system);
    }
    if (status == LYRA_OK) {
        // a start that Newton tried and left may have set another
        it->report.outcome = LYRA_STEP_ACCEPTED;
    } else if (it->report.outcome == LYRA_STEP_ACCEPTED) {
        ly_step_fail(it, find_outcome(status), status);
    }
    return status;
}

static bool may_halve(const LyraIntegrator *it, LyraStatus status)
{
    bool numbers = status == LYRA_NOT_CONVERGED || status == LYRA_NOT_FINITE ||
                   status == LYRA_SINGULAR || status == LYRA_NOT_POSITIVE_DEFINITE;
    bool blocked = it->report.outcome == LYRA_STEP_BLOCKED;
    return numbers && (it->type->facts.is_implicit || blocked) && !it->type->facts.adaptive &&
           !is_static(it) && it->report.outcome != LYRA_STEP_REFUSED;
}

static int32_t count_blocks(const LyraState *state)
{
    LyraStateBlock block;
    int32_t count = 0;
    while (lyra_state_block_at(state, count, &block)) {
        ++count;
    }
    return count;
}

// accepts `trial`
static LyraStatus accept_substep(LyraIntegrator *it, double h)
{
    lyra_state_set_time(it->trial, it->end, lyra_state_view(it->trial).steps);
    LY_TRY(ly_measure_step(it, it->work, it->trial, h));
    LyMeasure begin = it->measure[0];
    it->measure[0] = it->measure[1];
    it->measure[1] = begin;
    LyraState *state = it->work;
    it->work = it->trial;
    it->trial = state;
    ++it->report.substeps;
    return LYRA_OK;
}

// level and row, see the head of this file
static LyraStatus find_halving(LyraState *state, int32_t **out)
{
    const LyraStateBlockDef def = {
        .name = HALVING_BLOCK, .version = 2, .type = LYRA_STATE_INT32, .count = 2};
    void *values = NULL;
    bool fresh = false;
    LY_TRY(lyra_state_block(state, &def, &values, &fresh));
    *out = values;
    return LYRA_OK;
}

// all substeps, from `work` at the begin to `work` at the time `end`
static LyraStatus run(LyraIntegrator *it, double dt, double end)
{
    int32_t halvings = it->def.newton.halvings_max, *halving = NULL;
    LY_TRY(find_halving(it->work, &halving));
    int64_t units = (int64_t)1 << halvings, done = 0;
    int32_t level = halving[0] < 0 ? 0 : halving[0], row = halving[1];
    level = level < halvings ? level : halvings;
    double start = lyra_state_view(it->work).time;
    // others than implicit methods halve a blocked step, and try the next one whole
    bool remembers = may_halve(it, LYRA_NOT_CONVERGED);
    if (!remembers) {
        level = row = 0;
    }
    while (done < units) {
        int64_t span = units >> level;
        double h = ldexp(dt, -level);
        double part = (double)(done + span) / (double)units;
        LY_TRY(begin_substep(it, h, part < 1 ? start + part * dt : end));
        LyraStatus status = measure_once(it);
        if (status != LYRA_OK) {
            lyra_system_discard(it->system);
            return status;
        }
        status = try_substep(it, h);
        if (status == LYRA_OK) {
            done += span;
            LY_TRY(accept_substep(it, h));
            ++row;
            if (level > 0 && row >= 2 && done % (2 * span) == 0) {
                --level;
                row = 0;
            }
            continue;
        }
        if (!may_halve(it, status)) {
            return status;
        }
        ++it->report.rejected;
        if (level == halvings) {
            return ly_fail_within(status, "at %g s, with a step of %g s (%s)",
                                  lyra_state_view(it->work).time, h,
                                  lyra_step_outcome_name(it->report.outcome));
        }
        ++level;
        row = 0;
    }
    LY_TRY(find_halving(it->work, &halving));
    halving[0] = remembers ? level : 0;
    halving[1] = remembers && level > 0 ? row : 0;
    return LYRA_OK;
}

// ---- a whole step -------------------------------------------------------------------------------

// whether the constraints hold the body at finite places, with finite velocities and accelerations
static bool is_prescription_finite(LyraIntegrator *it, double t)
{
    bool finite = true;
    ly_prescribe(it, t);
    for (int32_t i = 0; i < (is_static(it) ? 1 : 3); ++i) {
        lyra_vector_fill(it->account[0], 0);
        lyra_system_merge(it->system, it->prescribed[i], it->account[0]);
        finite &= lyra_vector_is_finite(it->account[0]);
    }
    return finite;
}

// what a step to `end` that failed with `status` came to, if that can be told better: non-finite
// values of the constraints show up as forces, solvers and errors of all kinds
static LyraStatus explain(LyraIntegrator *it, double end, LyraStatus status)
{
    if (it->report.outcome == LYRA_STEP_REFUSED || is_prescription_finite(it, end)) {
        return status;
    }
    status = ly_fail(LYRA_NOT_FINITE, "the motion prescribed at %g s is not finite", end);
    return ly_step_fail(it, LYRA_STEP_NOT_FINITE, status);
}

static LyraStatus step(LyraIntegrator *it, LyraState *state, double dt, double end_time)
{
    LyraStatus status = check_step(it, state, dt);
    if (status != LYRA_OK) {
        return ly_step_fail(it, LYRA_STEP_REFUSED, status);
    }
    LY_TRY(lyra_state_assign(it->work, state));
    LY_TRY(lyra_system_init_state(it->system, it->work));
    LY_TRY(lyra_system_recall(it->system, it->work));
    if (!it->targets.spans) {
        LY_TRY(ly_targets_begin(it, it->work, dt, end_time));
    }
    it->measured = false;
    LY_TRY(run(it, dt, end_time));

    // the account, of which measure[0] is the end now
    if (end_time == lyra_state_next_time(state, dt)) {
        ly_state_tick(it->work, state, dt);
    } else {
        lyra_state_set_time(it->work, end_time, lyra_state_view(state).steps + 1);
    }
    if (!it->targets.spans) {
        LY_TRY(ly_targets_end(it, it->work));
    }
    LyraStateView end = lyra_state_view(it->work);
    LyraStepReport *report = &it->report;
    report->time = end.time;
    report->kinetic = it->measure[0].kinetic;
    report->elastic = it->measure[0].elastic;
    report->dissipated = report->plastic + report->viscous;
    report->numerical =
        report->work - report->dissipated - (report->kinetic + report->elastic - it->energy);
    LY_TRY(ly_measure_keep(it, it->work));
    LyraDetF det_f = lyra_system_det_f(it->system, end.u);
    report->min_det = det_f.min;
    report->min_det_element = det_f.element;
    report->inverted = det_f.inverted;

    LY_TRY(lyra_system_remember(it->system, it->work));

    // all three states get the same blocks now, so that the next step allocates nothing
    if (count_blocks(it->trial) != count_blocks(it->work)) {
        LY_TRY(lyra_state_assign(it->trial, it->work));
    }
    return lyra_state_assign(state, it->work);
}

LyraStatus lyra_integrator_step(LyraIntegrator *it, LyraState *state, double dt,
                                LyraStepReport *report)
{
    LYRA_ASSERT(it && state);
    return ly_integrator_step_to(it, state, dt, lyra_state_next_time(state, dt), report);
}

LyraStatus ly_integrator_step_to(LyraIntegrator *it, LyraState *state, double dt, double end,
                                 LyraStepReport *report)
{
    double begin = ly_time();
    int64_t staged = lyra_system_staged(it->system);
    it->report = (LyraStepReport){.time = lyra_state_view(state).time,
                                  .dt = dt,
                                  .min_det = 1,
                                  .min_det_element = -1,
                                  .solver = ""};
    LyraStatus status = step(it, state, dt, end);
    if (status != LYRA_OK && it->report.outcome == LYRA_STEP_ACCEPTED) {
        ly_step_fail(it, find_outcome(status), status);
    }
    if (status != LYRA_OK) {
        status = explain(it, end, status);
    }
    it->targets.active &= it->targets.spans;
    it->report.status = status;
    it->report.staged = lyra_system_staged(it->system) - staged;
    it->report.total_seconds = ly_time() - begin;
    if (report) {
        *report = it->report;
    }
    if (status == LYRA_OK && it->def.callback) {
        it->def.callback(it->def.callback_user, state, &it->report);
    }
    return status;
}

LyraStatus ly_integrator_begin_parts(LyraIntegrator *it, LyraState *state, double dt, double end)
{
    it->targets.spans = true;
    return ly_targets_begin(it, state, dt, end);
}

LyraStatus ly_integrator_end_parts(LyraIntegrator *it, LyraState *state)
{
    LyraStatus status = state ? ly_targets_end(it, state) : LYRA_OK;
    it->targets.active = it->targets.spans = false;
    return status;
}

// ---- between and after steps --------------------------------------------------------------------

LyraStatus lyra_integrator_interpolate(const LyraIntegrator *it, double time, LyraVector *u,
                                       LyraVector *v)
{
    LYRA_ASSERT(it && u);
    if (!it->type->interpolate) {
        return ly_fail(LYRA_UNSUPPORTED, "%s has no values inside its steps", it->type->facts.name);
    }
    return it->type->interpolate(it, time, u, v);
}

static LyraStatus find_reaction(LyraIntegrator *it, LyraVector *reaction)
{
    LyraStateView work = lyra_state_view(it->work);
    ly_reach_return(it, work.u);
    LY_TRY(ly_update_damping(it, work.time, 0, work.u, work.v, it->work));
    // masses that couple vertices ask for the acceleration at this very time, which few methods
    // have
    if (!(lyra_system_traits(it->system) & LYRA_SYSTEM_LUMPED) && !is_static(it)) {
        LY_TRY(ly_free_acceleration(it, it->work));
    }
    return ly_find_reaction(it, it->work, reaction);
}

LyraStatus lyra_integrator_reaction(LyraIntegrator *it, const LyraState *state,
                                    LyraVector *reaction)
{
    LYRA_ASSERT(it && state && reaction);
    LyraStateView view = lyra_state_view(state);
    if (lyra_vector_size(view.u) != it->size || lyra_vector_size(reaction) != it->size) {
        return ly_fail(LYRA_INVALID_ARGUMENT, "vectors of %d and %d unknowns for a system of %d",
                       (int)lyra_vector_size(view.u), (int)lyra_vector_size(reaction),
                       (int)it->size);
    }
    if (!lyra_vector_is_alike(it->force, view.u) || !lyra_vector_is_alike(it->force, reaction)) {
        return ly_fail(LYRA_INVALID_ARGUMENT,
                       "vectors that lie elsewhere than those of their system");
    }
    LY_TRY(lyra_state_assign(it->work, state));
    LY_TRY(lyra_system_init_state(it->system, it->work));
    LY_TRY(lyra_system_begin_step(it->system, it->work, 0));
    LyraStatus status = find_reaction(it, reaction);
    lyra_system_discard(it->system);
    return status;
}
