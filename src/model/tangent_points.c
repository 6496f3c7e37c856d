// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// What was evaluated at a point serves again while forces can't have changed: the end of a step is
// the start of the next, Newton begins where the body is, and D is frozen there. Points are
// compared by what some force depends on: positions always (but for tangents of linear forces),
// velocities, time and dt where a force says so, and the version of the parameters. History is not
// compared, so with one nothing is kept.
//
// Bits. Compilers round a force that is evaluated with its tangent otherwise than one without, so
// what serves must not depend on what happened to be there. Forces and energies are therefore kept
// in two places: beside the tangent that was taken in the same pass (`joint`), for those who
// announce that a tangent will follow, and in a list of their own for all others; each request
// looks at one place only and, where that has nothing, fills it the one way. A tangent is asked for
// without forces only where no one has announced it.

#include "model/tangent.h"

#include "force/force.h"
#include "solve/solve.h"

#include <string.h>

// ---- points -------------------------------------------------------------------------------------

static bool same_values(int32_t size, const double *a, const LyraVector *b)
{
    return size == 0 || memcmp(a, lyra_vector_values(b), (size_t)size * sizeof *a) == 0;
}

// whether forces at a point are those at `known`; `anywhere`: wherever the vertices are
static bool is_same(const LyTangent *tangent, const LyTangentPoint *known, const LyraPoint *at,
                    bool anywhere)
{
    const LyraAssembly *assembly = tangent->model->assembly;
    uint32_t traits = tangent->model->force_traits;
    bool moves = traits & LYRA_FORCE_VELOCITY, ages = moves || traits & LYRA_FORCE_TIME;
    return known->valid && known->version == assembly->version && assembly->history_size == 0 &&
           (!(traits & LYRA_FORCE_TIME) || known->time == at->time) &&
           (!ages || known->dt == at->dt) && known->unloaded == at->unloaded &&
           (anywhere || same_values(tangent->size, known->u, at->u)) &&
           (!moves || same_values(tangent->size, known->v, at->v));
}

static LyraStatus prepare_point(LyTangent *tangent, LyTangentPoint *point)
{
    if (!point->u) {
        LY_TRY(ly_allocate_array(tangent->ctx, tangent->size, sizeof(double), &point->u));
    }
    if (!point->v && tangent->model->force_traits & LYRA_FORCE_VELOCITY) {
        LY_TRY(ly_allocate_array(tangent->ctx, tangent->size, sizeof(double), &point->v));
    }
    point->valid = false;
    return LYRA_OK;
}

static void note_point(LyTangent *tangent, const LyraPoint *at, LyTangentPoint *point)
{
    ly_vector_copy(tangent->ctx, tangent->size, lyra_vector_values(at->u), point->u);
    if (point->v) {
        ly_vector_copy(tangent->ctx, tangent->size, lyra_vector_values(at->v), point->v);
    }
    point->time = at->time;
    point->dt = at->dt;
    point->unloaded = at->unloaded;
    point->version = tangent->model->assembly->version;
    point->valid = true;
}

void ly_tangent_place(LyTangent *tangent, const LyraVector *u)
{
    ly_vector_sum(tangent->ctx, tangent->size, 1, lyra_vector_values(u), tangent->model->positions,
                  tangent->x);
}

static LyraEvaluation evaluation_at(const LyraPoint *at)
{
    return (LyraEvaluation){.u = lyra_vector_values(at->u),
                            .v = lyra_vector_values(at->v),
                            .time = at->time,
                            .dt = at->dt,
                            .unloaded = at->unloaded,
                            .history = at->history};
}

// ---- tangents -----------------------------------------------------------------------------------

// whether a slot holds what an assembly at this point would give
static bool holds(const LyTangent *tangent, const LyTangentSlot *slot, const LyraPoint *at,
                  bool psd)
{
    bool linear = tangent->model->force_traits_all & LYRA_FORCE_LINEAR;
    return slot->psd == psd && is_same(tangent, &slot->point, at, linear);
}

static LyraStatus prepare_slot(LyTangent *tangent, LyTangentSlot *slot)
{
    LY_TRY(prepare_point(tangent, &slot->point));
    slot->joint = false;
    return slot->dfdx ? LYRA_OK
                      : lyra_block_matrix_create(lyra_assembly_pattern(tangent->model->assembly),
                                                 &slot->dfdx);
}

static LyraStatus assemble(LyTangent *tangent, const LyraPoint *at, bool psd, LyraBlockMatrix *dfdx,
                           LyraBlockMatrix *dfdv)
{
    LyraEvaluation evaluation = evaluation_at(at);
    evaluation.psd = psd;
    evaluation.dfdx = dfdx;
    evaluation.dfdv = dfdv;
    return lyra_assembly_evaluate(tangent->model->assembly, &evaluation);
}

// makes `which` (the stiffness or the damping) name a slot with dfdx at a point; the slot that
// `other` names keeps its content. Assembles dfdv in passing, unless it is NULL.
static LyraStatus take(LyTangent *tangent, const LyraPoint *at, bool psd, int32_t other,
                       LyraBlockMatrix *dfdv, int32_t *which)
{
    for (int32_t s = 0; s < 2; ++s) {
        if (holds(tangent, &tangent->slots[s], at, psd)) {
            *which = s;
            return dfdv ? assemble(tangent, at, psd, NULL, dfdv) : LYRA_OK;
        }
    }
    int32_t s = *which >= 0 && *which != other ? *which : other == 0 ? 1 : 0;
    LyTangentSlot *slot = &tangent->slots[s];
    LY_TRY(prepare_slot(tangent, slot));
    *which = *which == s ? -1 : *which;
    LY_TRY(assemble(tangent, at, psd, slot->dfdx, dfdv));
    note_point(tangent, at, &slot->point);
    slot->psd = psd;
    *which = s;
    return LYRA_OK;
}

LyraStatus ly_tangent_update_damping(LyTangent *tangent, const LyraPoint *at)
{
    const LyraModel *model = tangent->model;
    if (model->stiffness_damping == 0) {
        tangent->damping = -1;
        return LYRA_OK;
    }
    return take(tangent, at, !model->damping_exact, tangent->stiffness, NULL, &tangent->damping);
}

LyraStatus ly_tangent_ensure_damping(LyTangent *tangent, const LyraPoint *at)
{
    bool missing = tangent->model->stiffness_damping > 0 && tangent->damping < 0;
    return missing ? ly_tangent_update_damping(tangent, at) : LYRA_OK;
}

LyraStatus ly_tangent_linearise(LyTangent *tangent, const LyraPoint *at, bool psd)
{
    LY_TRY(ly_tangent_ensure_damping(tangent, at));
    return take(tangent, at, psd, tangent->damping, tangent->dfdv, &tangent->stiffness);
}

// ---- forces -------------------------------------------------------------------------------------

static LyraStatus prepare_gradient(LyTangent *tangent, double **gradient)
{
    return *gradient ? LYRA_OK
                     : ly_allocate_array(tangent->ctx, tangent->size, sizeof(double), gradient);
}

// forces and tangent in one pass, into the slot that the damping does not need
static LyraStatus evaluate_joint(LyTangent *tangent, const LyraPoint *at, bool psd,
                                 const double **gradient, double *energy)
{
    int32_t s = tangent->damping == 0 ? 1 : 0;
    for (int32_t k = 0; k < 2; ++k) {
        LyTangentSlot *slot = &tangent->slots[k];
        if (slot->joint && holds(tangent, slot, at, psd)) {
            *gradient = slot->gradient;
            *energy = slot->energy;
            return LYRA_OK;
        }
    }
    LyTangentSlot *slot = &tangent->slots[s], *other = &tangent->slots[1 - s];
    LY_TRY(prepare_slot(tangent, slot));
    LY_TRY(prepare_gradient(tangent, &slot->gradient));
    LyraEvaluation evaluation = evaluation_at(at);
    evaluation.psd = psd;
    evaluation.energy = &slot->energy;
    evaluation.gradient = slot->gradient;
    evaluation.dfdx = slot->dfdx;
    LY_TRY(lyra_assembly_evaluate(tangent->model->assembly, &evaluation));
    note_point(tangent, at, &slot->point);
    slot->psd = psd;
    slot->joint = true;
    // the tangent of this pass is the one that serves from now on
    if (holds(tangent, other, at, psd)) {
        other->point.valid = false;
        tangent->damping = tangent->damping == 1 - s ? s : tangent->damping;
    }
    tangent->stiffness = s;
    *gradient = slot->gradient;
    *energy = slot->energy;
    return LYRA_OK;
}

// room for all at once, so that no later step is the first to need it
static LyraStatus prepare_forces(LyTangent *tangent)
{
    for (int32_t k = 0; k < LY_TANGENT_FORCES; ++k) {
        LyTangentForces *forces = &tangent->forces[k];
        if (!forces->gradient) {
            LY_TRY(prepare_point(tangent, &forces->point));
            LY_TRY(prepare_gradient(tangent, &forces->gradient));
        }
    }
    return LYRA_OK;
}

static LyraStatus evaluate_alone(LyTangent *tangent, const LyraPoint *at, const double **gradient,
                                 double *energy)
{
    LyTangentForces *oldest = &tangent->forces[0], *found = NULL;
    for (int32_t k = 0; k < LY_TANGENT_FORCES; ++k) {
        LyTangentForces *forces = &tangent->forces[k];
        found = is_same(tangent, &forces->point, at, false) ? forces : found;
        oldest = forces->used < oldest->used ? forces : oldest;
    }
    if (!found) {
        LY_TRY(prepare_forces(tangent));
        oldest->point.valid = false;
        LyraEvaluation evaluation = evaluation_at(at);
        evaluation.energy = &oldest->energy;
        evaluation.gradient = oldest->gradient;
        LY_TRY(lyra_assembly_evaluate(tangent->model->assembly, &evaluation));
        note_point(tangent, at, &oldest->point);
        found = oldest;
    }
    found->used = ++tangent->clock;
    *gradient = found->gradient;
    *energy = found->energy;
    return LYRA_OK;
}

LyraStatus ly_tangent_forces(LyTangent *tangent, const LyraPoint *at, LyraAhead ahead,
                             double *trial_history, const double **gradient, double *energy)
{
    const LyraModel *model = tangent->model;
    if (trial_history) {
        LyraEvaluation evaluation = evaluation_at(at);
        evaluation.trial_history = trial_history;
        evaluation.energy = energy;
        evaluation.gradient = tangent->f;
        *gradient = tangent->f;
        return lyra_assembly_evaluate(model->assembly, &evaluation);
    }
    // one pass for both where the tangent is not known anyway and not asked for with another
    bool linear = model->force_traits_all & LYRA_FORCE_LINEAR;
    if (ahead != LYRA_AHEAD_NOTHING && !linear && !tangent->dfdv &&
        model->assembly->history_size == 0) {
        return evaluate_joint(tangent, at, ahead == LYRA_AHEAD_PSD, gradient, energy);
    }
    return evaluate_alone(tangent, at, gradient, energy);
}

// ---- life ---------------------------------------------------------------------------------------

void ly_tangent_forget(LyTangent *tangent)
{
    LyraContext *ctx = tangent->ctx;
    for (int32_t s = 0; s < 2; ++s) {
        LyTangentSlot *slot = &tangent->slots[s];
        lyra_block_matrix_destroy(slot->dfdx);
        ly_release(ctx, slot->point.u);
        ly_release(ctx, slot->point.v);
        ly_release(ctx, slot->gradient);
    }
    for (int32_t k = 0; k < LY_TANGENT_FORCES; ++k) {
        ly_release(ctx, tangent->forces[k].point.u);
        ly_release(ctx, tangent->forces[k].point.v);
        ly_release(ctx, tangent->forces[k].gradient);
    }
}
