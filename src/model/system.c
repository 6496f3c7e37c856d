// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Systems as integrators see them: checks of arguments and of the order of calls, then the
// functions of the type. What a call needs is checked here once, so that a type has only algebra.

#include "lyra/system.h"

#include "base/base.h"
#include "model/state.h"
#include "model/system.h"
#include "model/vector.h"

#include <math.h>
#include <string.h>

// ---- life ---------------------------------------------------------------------------------------

static bool is_whole(const LyraVectorType *type)
{
    return type->name && type->create && type->destroy && type->read && type->write && type->fill &&
           type->copy && type->axpby && type->sum && type->combine && type->dot && type->norm &&
           type->largest && type->is_finite && type->equal && type->error_squares && type->noise;
}

LyraStatus lyra_system_create(LyraContext *ctx, const LyraSystemType *type, void *self,
                              LyraSystem **out)
{
    LYRA_ASSERT(ctx && type && out);
    if (!type->name || !type->size || !type->traits || !type->evaluate || !type->linearise ||
        !type->form || !type->apply || !type->apply_mass || !type->apply_damping ||
        !type->apply_stiffness || !type->solve || !type->solve_mass || !type->destroy) {
        return ly_fail(LYRA_INVALID_ARGUMENT, "system %s: the type lacks a function it must have",
                       type->name ? type->name : "without a name");
    }
    if (type->vector_type && !is_whole(type->vector_type)) {
        return ly_fail(LYRA_INVALID_ARGUMENT,
                       "system %s: the type of its vectors lacks a function it must have",
                       type->name);
    }
    bool own = type->project && type->merge && type->components && type->add_components;
    if (type->vector_type && type->constraints && !own) {
        return ly_fail(LYRA_INVALID_ARGUMENT,
                       "system %s: constraints on vectors of its own without the functions that "
                       "apply them",
                       type->name);
    }
    int32_t size = type->size(self);
    if (size < 0) {
        return ly_fail(LYRA_INVALID_ARGUMENT, "system %s: %d unknowns", type->name, (int)size);
    }
    LyraSystem *system = NULL;
    LY_TRY(ly_allocate_zeroed(ctx, 1, sizeof *system, &system));
    system->ctx = ctx;
    system->type = type;
    system->self = self;
    system->size = size;
    *out = system;
    return LYRA_OK;
}

void lyra_system_destroy(LyraSystem *system)
{
    if (system) {
        ly_lanczos_destroy(system->ctx, system->lanczos);
        system->type->destroy(system->self);
        ly_release(system->ctx, system);
    }
}

const char *lyra_system_name(const LyraSystem *system)
{
    LYRA_ASSERT(system);
    return system->type->name;
}

int32_t lyra_system_size(const LyraSystem *system)
{
    LYRA_ASSERT(system);
    return system->size;
}

uint32_t lyra_system_traits(const LyraSystem *system)
{
    LYRA_ASSERT(system);
    return system->type->traits(system->self);
}

// whether a vector lies where the system's do
static bool is_own(const LyraSystem *system, const LyraVector *vector)
{
    return ly_vector_lies_at(vector, system->type->vector_type, system->self);
}

static bool fits(const LyraSystem *system, const LyraVector *vector)
{
    return lyra_vector_size(vector) == system->size && is_own(system, vector);
}

LyraStatus lyra_system_vector_create(LyraSystem *system, int32_t size, LyraVector **out)
{
    LYRA_ASSERT(system && out);
    return lyra_vector_create_typed(system->ctx, system->type->vector_type, system->self, size,
                                    out);
}

LyraStatus lyra_system_state_create(LyraSystem *system, LyraState **out)
{
    LYRA_ASSERT(system && out);
    LyraState *state = NULL;
    LY_TRY(ly_state_create(system->ctx, system->type->vector_type, system->self, system->size,
                           &state));
    LyraStatus status = lyra_system_init_state(system, state);
    if (status != LYRA_OK) {
        lyra_state_destroy(state);
        return status;
    }
    *out = state;
    return LYRA_OK;
}

bool lyra_system_takes(const LyraSystem *system, const LyraState *state)
{
    LYRA_ASSERT(system && state);
    return state->size == system->size && is_own(system, state->u);
}

LyraStatus lyra_system_init_state(LyraSystem *system, LyraState *state)
{
    LYRA_ASSERT(system && state);
    return system->type->init_state ? system->type->init_state(system->self, state) : LYRA_OK;
}

double lyra_system_lost(LyraSystem *system, const LyraState *state, double *plastic)
{
    LYRA_ASSERT(system && state && plastic);
    *plastic = 0;
    return system->type->lost ? system->type->lost(system->self, state, plastic) : 0;
}

int64_t lyra_system_staged(const LyraSystem *system)
{
    LYRA_ASSERT(system);
    return system->type->staged ? system->type->staged(system->self) : 0;
}

// ---- checks -------------------------------------------------------------------------------------

static LyraStatus check_vector(const LyraSystem *system, const LyraVector *vector, const char *what)
{
    if (!vector) {
        return ly_fail(LYRA_INVALID_ARGUMENT, "system %s: %s is missing", system->type->name, what);
    }
    if (fits(system, vector)) {
        return LYRA_OK;
    }
    if (lyra_vector_size(vector) != system->size) {
        return ly_fail(LYRA_INVALID_ARGUMENT, "system %s: %s has %d entries, expected %d",
                       system->type->name, what, (int)lyra_vector_size(vector), (int)system->size);
    }
    return ly_fail(LYRA_INVALID_ARGUMENT,
                   "system %s: %s does not lie where the system's vectors do", system->type->name,
                   what);
}

static LyraStatus check_point(const LyraSystem *system, const LyraPoint *at)
{
    LY_TRY(check_vector(system, at->u, "u"));
    LY_TRY(check_vector(system, at->v, "v"));
    if (!isfinite(at->time) || !isfinite(at->dt)) {
        return ly_fail(LYRA_INVALID_ARGUMENT, "system %s: time %g and dt %g", system->type->name,
                       at->time, at->dt);
    }
    if (!at->committed && lyra_system_traits(system) & LYRA_SYSTEM_HISTORY) {
        return ly_fail(LYRA_INVALID_ARGUMENT,
                       "system %s: a point without the state that has its history",
                       system->type->name);
    }
    return LYRA_OK;
}

// ---- calls --------------------------------------------------------------------------------------

void lyra_system_prescribe(LyraSystem *system, double t, LyraVector *u, LyraVector *v,
                           LyraVector *a)
{
    LYRA_ASSERT(system && (!u || fits(system, u)) && (!v || fits(system, v)) &&
                (!a || fits(system, a)));
    LyraVector *all[3] = {u, v, a};
    for (int32_t i = 0; i < 3; ++i) {
        if (all[i]) {
            lyra_vector_fill(all[i], 0);
        }
    }
    if (system->type->prescribe) {
        system->type->prescribe(system->self, t, u, v, a);
    }
}

LyraStatus lyra_system_evaluate(LyraSystem *system, const LyraPoint *at,
                                const LyraResponse *response)
{
    LYRA_ASSERT(system && at && response);
    LY_TRY(check_point(system, at));
    LyraVector *outputs[3] = {response->g, response->external, response->damping};
    for (int32_t i = 0; i < 3; ++i) {
        if (outputs[i]) {
            LY_TRY(check_vector(system, outputs[i], "an output"));
        }
    }
    system->linearised &= response->need_tangent == LYRA_TANGENT_NONE;
    return system->type->evaluate(system->self, at, response);
}

LyraStatus lyra_system_update_damping(LyraSystem *system, const LyraPoint *at)
{
    LYRA_ASSERT(system && at);
    LY_TRY(check_point(system, at));
    return system->type->update_damping ? system->type->update_damping(system->self, at) : LYRA_OK;
}

void lyra_system_thaw_damping(LyraSystem *system)
{
    LYRA_ASSERT(system);
    if (system->type->thaw_damping) {
        system->type->thaw_damping(system->self);
    }
}

LyraStatus lyra_system_linearise(LyraSystem *system, const LyraPoint *at, bool psd)
{
    LYRA_ASSERT(system && at);
    LY_TRY(check_point(system, at));
    ++system->stamp;
    LyraStatus status = system->type->linearise(system->self, at, psd);
    system->linearised = status == LYRA_OK;
    return status;
}

// by `form`, form or form_again of the type
static LyraStatus form_by(LyraSystem *system, LyraStatus (*form)(void *, double, double, double),
                          double a, double b, double c)
{
    if (!system->linearised) {
        return ly_fail(LYRA_INVALID_ARGUMENT, "system %s: linearise before form",
                       system->type->name);
    }
    if (!isfinite(a) || !isfinite(b) || !isfinite(c)) {
        return ly_fail(LYRA_NOT_FINITE, "system %s: form with factors %g, %g and %g",
                       system->type->name, a, b, c);
    }
    ++system->stamp;
    LyraStatus status = form(system->self, a, b, c);
    system->formed = status == LYRA_OK;
    return status;
}

LyraStatus lyra_system_form(LyraSystem *system, double a, double b, double c)
{
    LYRA_ASSERT(system);
    return form_by(system, system->type->form, a, b, c);
}

LyraStatus lyra_system_form_again(LyraSystem *system, double a, double b, double c)
{
    LYRA_ASSERT(system);
    const LyraSystemType *type = system->type;
    return form_by(system, type->form_again ? type->form_again : type->form, a, b, c);
}

void lyra_system_apply(LyraSystem *system, const LyraVector *x, LyraVector *y)
{
    LYRA_ASSERT(system && system->formed && x != y && fits(system, x) && fits(system, y));
    system->type->apply(system->self, x, y);
}

void lyra_system_apply_mass(LyraSystem *system, const LyraVector *x, LyraVector *y)
{
    LYRA_ASSERT(system && x != y && fits(system, x) && fits(system, y));
    system->type->apply_mass(system->self, x, y);
}

void lyra_system_apply_damping(LyraSystem *system, const LyraVector *x, LyraVector *y)
{
    LYRA_ASSERT(system && system->linearised && x != y && fits(system, x) && fits(system, y));
    system->type->apply_damping(system->self, x, y);
}

void lyra_system_apply_stiffness(LyraSystem *system, const LyraVector *x, LyraVector *y)
{
    LYRA_ASSERT(system && system->linearised && x != y && fits(system, x) && fits(system, y));
    system->type->apply_stiffness(system->self, x, y);
}

static LyraStatus check_solve(const LyraSystem *system, const LyraVector *b, double tolerance,
                              const LyraVector *x)
{
    LY_TRY(check_vector(system, b, "b"));
    LY_TRY(check_vector(system, x, "x"));
    if (!system->formed) {
        return ly_fail(LYRA_INVALID_ARGUMENT, "system %s: form before solve", system->type->name);
    }
    if (!(tolerance >= 0 && tolerance < 1)) {
        return ly_fail(LYRA_INVALID_ARGUMENT, "system %s: a tolerance of %g, expected [0, 1)",
                       system->type->name, tolerance);
    }
    return LYRA_OK;
}

LyraStatus lyra_system_solve(LyraSystem *system, const LyraVector *b, double tolerance,
                             LyraVector *x, LyraSolveReport *report)
{
    LYRA_ASSERT(system && x != b);
    LY_TRY(check_solve(system, b, tolerance, x));
    LyraSolveReport unread = {.solver = "", .preconditioner = ""};
    return system->type->solve(system->self, b, tolerance, x, report ? report : &unread);
}

LyraStatus lyra_system_solve_from(LyraSystem *system, const LyraVector *b, double tolerance,
                                  LyraVector *x, LyraSolveReport *report)
{
    LYRA_ASSERT(system && x != b);
    LY_TRY(check_solve(system, b, tolerance, x));
    const LyraSystemType *type = system->type;
    LyraSolveReport unread = {.solver = "", .preconditioner = ""};
    return (type->solve_from ? type->solve_from : type->solve)(system->self, b, tolerance, x,
                                                               report ? report : &unread);
}

LyraStatus lyra_system_solve_mass(LyraSystem *system, const LyraVector *b, LyraVector *x)
{
    LYRA_ASSERT(system && x != b);
    LY_TRY(check_vector(system, b, "b"));
    LY_TRY(check_vector(system, x, "x"));
    return system->type->solve_mass(system->self, b, x);
}

LyraStatus lyra_system_remember(LyraSystem *system, LyraState *state)
{
    LYRA_ASSERT(system && state);
    return system->type->remember ? system->type->remember(system->self, state) : LYRA_OK;
}

LyraStatus lyra_system_recall(LyraSystem *system, const LyraState *state)
{
    LYRA_ASSERT(system && state);
    bool changed = true;
    if (!system->type->recall) {
        return LYRA_OK;
    }
    LyraStatus status = system->type->recall(system->self, state, &changed);
    if (changed) {
        ++system->stamp;
        system->linearised = system->formed = false;
    }
    return status;
}

LyraDetF lyra_system_det_f(LyraSystem *system, const LyraVector *u)
{
    LYRA_ASSERT(system && u && fits(system, u));
    const LyraSolidDiagnostics *solid = system->type->solid;
    return solid && solid->det_f ? solid->det_f(system->self, u)
                                 : (LyraDetF){.min = 1, .element = -1};
}

double lyra_system_extent(const LyraSystem *system)
{
    LYRA_ASSERT(system);
    return system->type->extent ? system->type->extent(system->self) : 0;
}

void lyra_system_lengths(const LyraSystem *system, LyraVector *lengths)
{
    LYRA_ASSERT(system && fits(system, lengths));
    if (system->type->lengths) {
        system->type->lengths(system->self, lengths);
    } else {
        lyra_vector_fill(lengths, 0);
    }
}

bool lyra_system_rest(LyraSystem *system, const LyraVector *u, LyraVector *rest)
{
    LYRA_ASSERT(system && u != rest && fits(system, u) && fits(system, rest));
    const LyraSolidDiagnostics *solid = system->type->solid;
    if (!solid || !solid->rest) {
        return false;
    }
    solid->rest(system->self, u, rest);
    return true;
}

uint64_t lyra_system_stamp(const LyraSystem *system)
{
    LYRA_ASSERT(system);
    return system->stamp;
}

uint64_t lyra_system_fingerprint(LyraSystem *system)
{
    LYRA_ASSERT(system);
    return system->type->fingerprint ? system->type->fingerprint(system->self) : 0;
}

uint64_t lyra_system_material_digest(LyraSystem *system)
{
    LYRA_ASSERT(system);
    return system->type->material_digest ? system->type->material_digest(system->self) : 0;
}

// ---- the life of a step -------------------------------------------------------------------------

static bool has_hook(const LyraSystem *system, LyraSystemHook hook)
{
    return !system->type->hooks || system->type->hooks(system->self) & hook;
}

LyraStatus lyra_system_begin_step(LyraSystem *system, LyraState *state, double dt)
{
    LYRA_ASSERT(system && state);
    return system->type->begin_step ? system->type->begin_step(system->self, state, dt) : LYRA_OK;
}

LyraStatus lyra_system_begin_iteration(LyraSystem *system, const LyraPoint *at, bool *changed)
{
    LYRA_ASSERT(system && at && changed);
    *changed = false;
    if (!system->type->begin_iteration) {
        return LYRA_OK;
    }
    LY_TRY(check_point(system, at));
    return system->type->begin_iteration(system->self, at, changed);
}

LyraStatus lyra_system_commit(LyraSystem *system, LyraState *state)
{
    LYRA_ASSERT(system && state);
    return system->type->commit ? system->type->commit(system->self, state) : LYRA_OK;
}

void lyra_system_discard(LyraSystem *system)
{
    LYRA_ASSERT(system);
    if (system->type->discard) {
        system->type->discard(system->self);
    }
}

LyraStatus lyra_system_step_bound(LyraSystem *system, const LyraVector *u, const LyraVector *d,
                                  double *bound)
{
    LYRA_ASSERT(system && bound);
    *bound = 1;
    if (!system->type->step_bound) {
        return LYRA_OK;
    }
    LY_TRY(check_vector(system, u, "u"));
    LY_TRY(check_vector(system, d, "d"));
    LY_TRY(system->type->step_bound(system->self, u, d, bound));
    if (!(*bound >= 0 && *bound <= 1)) {
        return ly_fail(LYRA_INVALID_ARGUMENT, "system %s: a bound of %g, expected [0, 1]",
                       system->type->name, *bound);
    }
    return LYRA_OK;
}

bool lyra_system_is_bounded(const LyraSystem *system)
{
    LYRA_ASSERT(system);
    return system->type->step_bound && has_hook(system, LYRA_HOOK_BOUND);
}

bool lyra_system_has_iterations(const LyraSystem *system)
{
    LYRA_ASSERT(system);
    return system->type->begin_iteration && has_hook(system, LYRA_HOOK_ITERATION);
}

bool lyra_system_has_steps(const LyraSystem *system)
{
    LYRA_ASSERT(system);
    return (system->type->begin_step || system->type->commit || system->type->discard) &&
           has_hook(system, LYRA_HOOK_STEP);
}
