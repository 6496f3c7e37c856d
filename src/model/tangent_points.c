// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// What was evaluated at a point serves again while forces can't have changed: the end of a step is
// the start of the next, Newton begins where the body is, and D is frozen there. Each part of the
// model has its own memory, and compares points by what some force of it depends on: positions of
// its vertices always (but for tangents of linear forces), velocities, time and dt where a force
// says so, the version of its parameters, and the stamps of the histories of its groups.
//
// Bits. Compilers round a force that is evaluated with its tangent otherwise than one without, so
// what serves must not depend on what happened to be there. Forces and energies are therefore kept
// in two places: beside the tangent that was taken in the same pass (`joint`), for those who
// announce that a tangent will follow, and in a list of their own for all others; each request
// looks at one place only and, where that has nothing, fills it the one way. A tangent is asked for
// without forces only where no one has announced it.

#include "model/tangent.h"

#include "model/history.h"
#include "solve/solve.h"

#include <string.h>

// ---- points -------------------------------------------------------------------------------------

// the unknowns of a part, or of all vertices if `vertices` is NULL, compared with a vector
static bool same_values(const int32_t *vertices, int64_t size, const double *a, const LyraVector *b)
{
    const double *values = lyra_vector_values(b);
    if (!vertices) {
        return size == 0 || memcmp(a, values, (size_t)size * sizeof *a) == 0;
    }
    for (int64_t i = 0; i < size; i += 3) {
        if (memcmp(a + i, values + 3 * (int64_t)vertices[i / 3], 3 * sizeof *a) != 0) {
            return false;
        }
    }
    return true;
}

static void copy_values(LyraContext *ctx, const int32_t *vertices, int64_t size,
                        const LyraVector *from, double *to)
{
    const double *values = lyra_vector_values(from);
    if (!vertices) {
        ly_vector_copy(ctx, size, values, to);
        return;
    }
    for (int64_t i = 0; i < size; i += 3) {
        memcpy(to + i, values + 3 * (int64_t)vertices[i / 3], 3 * sizeof *to);
    }
}

// one number of the stamps of all histories of a part, 0 where one of them tells nothing
static uint64_t stamp_histories(const LyraModel *model, const LyPart *part, const LyraState *state)
{
    uint64_t sum = LY_CHECKSUM_START;
    for (int32_t f = 0; f < part->assembly->force_count; ++f) {
        int32_t group = part->groups[f];
        uint64_t stamp = 0;
        if (ly_history_size(model, group) == 0) {
            continue;
        }
        if (!ly_history_values(model, group, state, &stamp) || stamp == 0) {
            return 0;
        }
        sum = ly_checksum(sum, &stamp, 1);
    }
    return sum | 1;
}

// whether forces at a point are those at `known`; `anywhere`: wherever the vertices are
static bool is_same(const LyTangent *tangent, const LyPartTangent *pt, const LyTangentPoint *known,
                    const LyraPoint *at, bool anywhere)
{
    const LyPart *part = pt->part;
    bool moves = part->some & LYRA_FORCE_VELOCITY, remembers = part->some & LYRA_FORCE_HISTORY;
    bool ages = moves || remembers || part->some & LYRA_FORCE_TIME;
    return known->valid && known->version == part->assembly->version &&
           (!remembers ||
            (known->history != 0 &&
             known->history == stamp_histories(tangent->model, part, at->committed))) &&
           (!(part->some & LYRA_FORCE_TIME) || known->time == at->time) &&
           (!ages || known->dt == at->dt) && known->unloaded == at->unloaded &&
           (anywhere || same_values(part->vertices, pt->size, known->u, at->u)) &&
           (!moves || same_values(part->vertices, pt->size, known->v, at->v));
}

static LyraStatus prepare_point(LyraContext *ctx, int64_t size, bool moves, LyTangentPoint *point)
{
    if (!point->u) {
        LY_TRY(ly_allocate_array(ctx, size, sizeof(double), &point->u));
    }
    if (!point->v && moves) {
        LY_TRY(ly_allocate_array(ctx, size, sizeof(double), &point->v));
    }
    point->valid = false;
    return LYRA_OK;
}

static void note_point(LyraContext *ctx, const int32_t *vertices, int64_t size, uint64_t version,
                       const LyraPoint *at, LyTangentPoint *point)
{
    copy_values(ctx, vertices, size, at->u, point->u);
    if (point->v) {
        copy_values(ctx, vertices, size, at->v, point->v);
    }
    point->time = at->time;
    point->dt = at->dt;
    point->unloaded = at->unloaded;
    point->version = version;
    point->valid = true;
}

static LyraStatus prepare_part_point(LyTangent *tangent, const LyPartTangent *pt,
                                     LyTangentPoint *point)
{
    return prepare_point(tangent->ctx, pt->size, pt->part->some & LYRA_FORCE_VELOCITY, point);
}

static void note_part_point(LyTangent *tangent, const LyPartTangent *pt, const LyraPoint *at,
                            LyTangentPoint *point)
{
    note_point(tangent->ctx, pt->part->vertices, pt->size, pt->part->assembly->version, at, point);
    point->history = pt->part->some & LYRA_FORCE_HISTORY
                         ? stamp_histories(tangent->model, pt->part, at->committed)
                         : 0;
}

// whether one part has all vertices
static bool is_single(const LyTangent *tangent)
{
    return tangent->part_count == 1 && !tangent->parts[0].part->vertices;
}

// with several parts, none of which need have a whole point, one is kept for all
static LyraStatus note_taken(LyTangent *tangent, int32_t which, const LyraPoint *at)
{
    if (is_single(tangent)) {
        return LYRA_OK;
    }
    LyTangentPoint *point = &tangent->taken[which];
    LY_TRY(prepare_point(tangent->ctx, tangent->size,
                         tangent->model->force_traits & LYRA_FORCE_VELOCITY, point));
    note_point(tangent->ctx, NULL, tangent->size, tangent->model->parameter_version, at, point);
    return LYRA_OK;
}

const LyTangentPoint *ly_tangent_point(const LyTangent *tangent, int32_t which)
{
    if (is_single(tangent)) {
        const LyPartTangent *pt = &tangent->parts[0];
        int32_t slot = which ? pt->damping : pt->stiffness;
        return slot < 0 ? NULL : &pt->slots[slot].point;
    }
    return tangent->taken[which].valid ? &tangent->taken[which] : NULL;
}

uint64_t ly_tangent_joint(const LyTangent *tangent, int32_t which)
{
    uint64_t bits = 0;
    for (int32_t p = 0; p < tangent->part_count; ++p) {
        const LyPartTangent *pt = &tangent->parts[p];
        int32_t slot = which ? pt->damping : pt->stiffness;
        bits |= slot >= 0 && pt->slots[slot].joint ? (uint64_t)1 << p : 0;
    }
    return bits;
}

void ly_tangent_place(LyTangent *tangent, const LyraVector *u)
{
    ly_vector_sum(tangent->ctx, tangent->size, 1, lyra_vector_values(u), tangent->model->positions,
                  tangent->product);
}

static LyraStatus find_evaluation(const LyTangent *tangent, LyPartTangent *pt, const LyraPoint *at,
                                  LyraEvaluation *out)
{
    const LyPart *part = pt->part;
    for (int32_t f = 0; f < part->assembly->force_count; ++f) {
        int32_t group = part->groups[f];
        int64_t count = ly_history_size(tangent->model, group);
        if (count == 0) {
            continue;
        }
        pt->work->history[f] = ly_history_values(tangent->model, group, at->committed, NULL);
        if (!pt->work->history[f]) {
            return ly_fail(LYRA_INVALID_ARGUMENT,
                           "the committed state has no history of force group %s",
                           tangent->model->names[group]);
        }
    }
    *out = (LyraEvaluation){.u = lyra_vector_values(at->u),
                            .v = lyra_vector_values(at->v),
                            .time = at->time,
                            .dt = at->dt,
                            .unloaded = at->unloaded};
    return LYRA_OK;
}

// ---- tangents -----------------------------------------------------------------------------------

// whether a slot holds what an assembly at this point would give
static bool holds(const LyTangent *tangent, const LyPartTangent *pt, const LyTangentSlot *slot,
                  const LyraPoint *at, bool psd)
{
    bool linear = pt->part->all & LYRA_FORCE_LINEAR, definite = pt->part->all & LYRA_FORCE_DEFINITE;
    return (definite || slot->psd == psd) && is_same(tangent, pt, &slot->point, at, linear);
}

static LyraStatus prepare_slot(LyTangent *tangent, const LyPartTangent *pt, LyTangentSlot *slot)
{
    LY_TRY(prepare_part_point(tangent, pt, &slot->point));
    slot->joint = false;
    return slot->dfdx ? LYRA_OK
                      : lyra_block_matrix_create(pt->part->assembly->pattern, &slot->dfdx);
}

// whether dfdv has to be assembled anew with the tangent: that of dashpots is constant
static LyraBlockMatrix *wanted_dfdv(const LyPartTangent *pt)
{
    bool constant = pt->part->all & LYRA_FORCE_DASHPOT;
    return constant && pt->dfdv_next == pt->part->assembly->version + 1 ? NULL : pt->dfdv;
}

static LyraStatus assemble(const LyTangent *tangent, LyPartTangent *pt, const LyraPoint *at,
                           bool psd, LyraBlockMatrix *dfdx, LyraBlockMatrix *dfdv)
{
    LyraEvaluation evaluation;
    LY_TRY(find_evaluation(tangent, pt, at, &evaluation));
    evaluation.psd = psd;
    evaluation.dfdx = dfdx;
    evaluation.dfdv = dfdv;
    LY_TRY(ly_assembly_evaluate(pt->part->assembly, pt->work, &evaluation));
    if (dfdv) {
        pt->dfdv_next = pt->part->assembly->version + 1;
    }
    return LYRA_OK;
}

static LyraStatus prepare_gradient(LyTangent *tangent, const LyPartTangent *pt, double **gradient)
{
    return *gradient ? LYRA_OK
                     : ly_allocate_array(tangent->ctx, pt->size, sizeof(double), gradient);
}

// forces and tangent in one pass, into a slot
static LyraStatus fill_joint(LyTangent *tangent, LyPartTangent *pt, const LyraPoint *at, bool psd,
                             LyTangentSlot *slot)
{
    LY_TRY(prepare_slot(tangent, pt, slot));
    LY_TRY(prepare_gradient(tangent, pt, &slot->gradient));
    LyraEvaluation evaluation;
    LY_TRY(find_evaluation(tangent, pt, at, &evaluation));
    evaluation.psd = psd;
    evaluation.energy = &slot->energy;
    evaluation.gradient = slot->gradient;
    evaluation.dfdx = slot->dfdx;
    pt->work->det = &slot->det;
    LyraStatus status = ly_assembly_evaluate(pt->part->assembly, pt->work, &evaluation);
    pt->work->det = NULL;
    LY_TRY(status);
    note_part_point(tangent, pt, at, &slot->point);
    slot->psd = psd;
    slot->joint = true;
    return LYRA_OK;
}

// makes `which` (the stiffness or the damping) name a slot with dfdx at a point; the slot that
// `other` names keeps its content. Assembles dfdv in passing, unless it is NULL; or, `joint`, the
// forces.
static LyraStatus take(LyTangent *tangent, LyPartTangent *pt, const LyraPoint *at, bool psd,
                       int32_t other, LyraBlockMatrix *dfdv, int32_t *which, bool joint)
{
    for (int32_t s = 0; s < 2; ++s) {
        if (holds(tangent, pt, &pt->slots[s], at, psd)) {
            *which = s;
            return dfdv ? assemble(tangent, pt, at, psd, NULL, dfdv) : LYRA_OK;
        }
    }
    int32_t s = *which >= 0 && *which != other ? *which : other == 0 ? 1 : 0;
    LyTangentSlot *slot = &pt->slots[s];
    LY_TRY(prepare_slot(tangent, pt, slot));
    *which = *which == s ? -1 : *which;
    if (joint) {
        LY_TRY(fill_joint(tangent, pt, at, psd, slot));
    } else {
        LY_TRY(assemble(tangent, pt, at, psd, slot->dfdx, dfdv));
        note_part_point(tangent, pt, at, &slot->point);
        slot->psd = psd;
    }
    *which = s;
    return LYRA_OK;
}

LyraStatus ly_tangent_update_damping(LyTangent *tangent, const LyraPoint *at)
{
    const LyraModel *model = tangent->model;
    if (model->stiffness_damping == 0) {
        ly_tangent_thaw_damping(tangent);
        return LYRA_OK;
    }
    for (int32_t p = 0; p < tangent->part_count; ++p) {
        LyPartTangent *pt = &tangent->parts[p];
        // where nobody has evaluated forces yet, as their dt is that of the step; next it is begun
        bool joint = pt->part->some & LYRA_FORCE_HISTORY && !(pt->part->all & LYRA_FORCE_LINEAR);
        LY_TRY(
            take(tangent, pt, at, !model->damping_exact, pt->stiffness, NULL, &pt->damping, joint));
    }
    return note_taken(tangent, 1, at);
}

void ly_tangent_thaw_damping(LyTangent *tangent)
{
    for (int32_t p = 0; p < tangent->part_count; ++p) {
        tangent->parts[p].damping = -1;
    }
    tangent->taken[1].valid = false;
}

LyraStatus ly_tangent_ensure_damping(LyTangent *tangent, const LyraPoint *at)
{
    bool missing = false;
    for (int32_t p = 0; p < tangent->part_count; ++p) {
        missing |= tangent->parts[p].damping < 0;
    }
    return missing && tangent->model->stiffness_damping > 0 ? ly_tangent_update_damping(tangent, at)
                                                            : LYRA_OK;
}

LyraStatus ly_tangent_linearise(LyTangent *tangent, const LyraPoint *at, bool psd)
{
    LY_TRY(ly_tangent_ensure_damping(tangent, at));
    for (int32_t p = 0; p < tangent->part_count; ++p) {
        LyPartTangent *pt = &tangent->parts[p];
        LY_TRY(take(tangent, pt, at, psd, pt->damping, wanted_dfdv(pt), &pt->stiffness, false));
    }
    LY_TRY(ly_changings_ensure(&tangent->changing, at));
    LY_TRY(ly_changings_linearise(&tangent->changing, at, psd));
    return note_taken(tangent, 0, at);
}

LyraStatus ly_tangent_ensure_dashpots(LyTangent *tangent, const LyraPoint *at)
{
    for (int32_t p = 0; p < tangent->part_count; ++p) {
        LyPartTangent *pt = &tangent->parts[p];
        LyraBlockMatrix *dfdv = pt->part->all & LYRA_FORCE_DASHPOT ? wanted_dfdv(pt) : NULL;
        if (dfdv) {
            LY_TRY(assemble(tangent, pt, at, false, NULL, dfdv));
        }
    }
    return LYRA_OK;
}

// ---- forces -------------------------------------------------------------------------------------

// forces and tangent in one pass, into the slot that the damping does not need
static LyraStatus evaluate_joint(LyTangent *tangent, LyPartTangent *pt, const LyraPoint *at,
                                 bool psd, const double **gradient, double *energy)
{
    int32_t s = pt->damping == 0 ? 1 : 0;
    for (int32_t k = 0; k < 2; ++k) {
        LyTangentSlot *slot = &pt->slots[k];
        if (slot->joint && holds(tangent, pt, slot, at, psd)) {
            *gradient = slot->gradient;
            *energy = slot->energy;
            return LYRA_OK;
        }
    }
    LyTangentSlot *slot = &pt->slots[s], *other = &pt->slots[1 - s];
    LY_TRY(fill_joint(tangent, pt, at, psd, slot));
    // the tangent of this pass is the one that serves from now on
    if (holds(tangent, pt, other, at, psd)) {
        other->point.valid = false;
        pt->damping = pt->damping == 1 - s ? s : pt->damping;
    }
    pt->stiffness = s;
    *gradient = slot->gradient;
    *energy = slot->energy;
    return LYRA_OK;
}

const LyraDetF *ly_tangent_known_det_f(const LyTangent *tangent, int32_t part, const LyraVector *u)
{
    const LyPartTangent *pt = &tangent->parts[part];
    for (int32_t k = 0; k < 2 && pt->work->node_det; ++k) {
        const LyTangentSlot *slot = &pt->slots[k];
        if (slot->joint && slot->point.valid &&
            same_values(pt->part->vertices, pt->size, slot->point.u, u)) {
            return &slot->det;
        }
    }
    bool measured = pt->work->node_det && pt->measured.valid &&
                    same_values(pt->part->vertices, pt->size, pt->measured.u, u);
    return measured ? &pt->measured_det : NULL;
}

LyraStatus ly_tangent_evaluate_joint(LyTangent *tangent, const LyraPoint *at, bool psd,
                                     uint64_t joint)
{
    for (int32_t p = 0; p < tangent->part_count; ++p) {
        const double *gradient = NULL;
        double energy = 0;
        if (joint >> p & 1) {
            LY_TRY(evaluate_joint(tangent, &tangent->parts[p], at, psd, &gradient, &energy));
        }
    }
    return LYRA_OK;
}

// room for all at once, so that no later step is the first to need it
static LyraStatus prepare_forces(LyTangent *tangent, LyPartTangent *pt)
{
    for (int32_t k = 0; k < LY_TANGENT_FORCES; ++k) {
        LyTangentForces *forces = &pt->forces[k];
        if (!forces->gradient) {
            LY_TRY(prepare_part_point(tangent, pt, &forces->point));
            LY_TRY(prepare_gradient(tangent, pt, &forces->gradient));
        }
    }
    return LYRA_OK;
}

static LyraStatus evaluate_alone(LyTangent *tangent, LyPartTangent *pt, const LyraPoint *at,
                                 const double **gradient, double *energy)
{
    // what remembers was evaluated where the damping was frozen, in every step
    bool remembers = pt->part->some & LYRA_FORCE_HISTORY;
    const LyTangentSlot *slot = remembers && pt->damping >= 0 ? &pt->slots[pt->damping] : NULL;
    if (slot && slot->joint && is_same(tangent, pt, &slot->point, at, false)) {
        *gradient = slot->gradient;
        *energy = slot->energy;
        return LYRA_OK;
    }
    LyTangentForces *oldest = &pt->forces[0], *found = NULL;
    for (int32_t k = 0; k < LY_TANGENT_FORCES; ++k) {
        LyTangentForces *forces = &pt->forces[k];
        found = is_same(tangent, pt, &forces->point, at, false) ? forces : found;
        oldest = forces->used < oldest->used ? forces : oldest;
    }
    if (!found) {
        LY_TRY(prepare_forces(tangent, pt));
        oldest->point.valid = false;
        LyraEvaluation evaluation;
        LY_TRY(find_evaluation(tangent, pt, at, &evaluation));
        evaluation.energy = &oldest->energy;
        evaluation.gradient = oldest->gradient;
        LY_TRY(ly_assembly_evaluate(pt->part->assembly, pt->work, &evaluation));
        note_part_point(tangent, pt, at, &oldest->point);
        found = oldest;
    }
    found->used = ++pt->clock;
    *gradient = found->gradient;
    *energy = found->energy;
    return LYRA_OK;
}

// Where the forces of a part write the history of `trial`. Of a force whose committed history would
// lie in the same place, in pt->history first.
static LyraStatus find_trial(LyTangent *tangent, LyPartTangent *pt, LyraState *trial)
{
    const LyraAssembly *assembly = pt->part->assembly;
    for (int32_t f = 0; f < assembly->force_count; ++f) {
        int32_t group = pt->part->groups[f];
        double **to = &pt->work->trial_history[f];
        if (ly_history_size(tangent->model, group) == 0) {
            continue;
        }
        LY_TRY(ly_history_rewrite(tangent->model, group, trial, to));
        if (*to == pt->work->history[f]) {
            if (!pt->history) {
                LY_TRY(ly_allocate_zeroed(tangent->ctx, assembly->history_size, sizeof(double),
                                          &pt->history));
            }
            *to = pt->history + assembly->batches[f].history_begin;
        }
    }
    return LYRA_OK;
}

// forces with the history that they leave behind; the committed state may be the one that gets it
static LyraStatus evaluate_trial(LyTangent *tangent, LyPartTangent *pt, const LyraPoint *at,
                                 LyraState *trial, const double **gradient, double *energy)
{
    const LyraAssembly *assembly = pt->part->assembly;
    LyraEvaluation evaluation;
    LY_TRY(find_evaluation(tangent, pt, at, &evaluation));
    if (gradient) {
        LY_TRY(prepare_gradient(tangent, pt, &pt->trial));
    }
    LyraStatus status = find_trial(tangent, pt, trial);
    evaluation.energy = energy;
    evaluation.gradient = gradient ? pt->trial : NULL;
    if (gradient) {
        *gradient = pt->trial;
    }
    if (status == LYRA_OK) {
        status = ly_assembly_evaluate(assembly, pt->work, &evaluation);
    }
    for (int32_t f = 0; f < assembly->force_count; ++f) {
        int32_t group = pt->part->groups[f];
        int64_t begin = assembly->batches[f].history_begin;
        double *to = NULL;
        if (status == LYRA_OK && pt->history && pt->work->trial_history[f] == pt->history + begin) {
            status = ly_history_rewrite(tangent->model, group, trial, &to);
        }
        if (to) {
            ly_vector_copy(tangent->ctx, ly_history_size(tangent->model, group),
                           pt->history + begin, to);
        }
        pt->work->trial_history[f] = NULL;
    }
    return status;
}

// the energy alone: where a step ends, forces and tangent of a part that remembers are those of no
// step, and nobody asks for them
static LyraStatus evaluate_energy(LyTangent *tangent, LyPartTangent *pt, const LyraPoint *at,
                                  double *energy)
{
    if (!is_same(tangent, pt, &pt->measured, at, false)) {
        LyraEvaluation evaluation;
        LY_TRY(prepare_part_point(tangent, pt, &pt->measured));
        LY_TRY(find_evaluation(tangent, pt, at, &evaluation));
        evaluation.energy = &pt->energy;
        pt->work->det = &pt->measured_det;
        LyraStatus status = ly_assembly_evaluate(pt->part->assembly, pt->work, &evaluation);
        pt->work->det = NULL;
        LY_TRY(status);
        note_part_point(tangent, pt, at, &pt->measured);
    }
    *energy = pt->energy;
    return LYRA_OK;
}

static LyraStatus evaluate_part(LyTangent *tangent, LyPartTangent *pt, const LyraPoint *at,
                                LyraTangentNeed need_tangent, LyraState *trial,
                                const double **gradient, double *energy)
{
    const LyPart *part = pt->part;
    if (trial && part->some & LYRA_FORCE_HISTORY) {
        return evaluate_trial(tangent, pt, at, trial, gradient, energy);
    }
    if (!gradient && part->some & LYRA_FORCE_HISTORY) {
        return evaluate_energy(tangent, pt, at, energy);
    }
    const double *no_gradient = NULL;
    double no_energy = 0;
    gradient = gradient ? gradient : &no_gradient;
    energy = energy ? energy : &no_energy;
    // one pass for both where the tangent is not known anyway and not asked for with another
    bool linear = part->all & LYRA_FORCE_LINEAR;
    bool changes = pt->dfdv && !(part->all & LYRA_FORCE_DASHPOT);
    if (need_tangent != LYRA_TANGENT_NONE && !linear && !changes) {
        return evaluate_joint(tangent, pt, at, need_tangent == LYRA_TANGENT_PSD, gradient, energy);
    }
    return evaluate_alone(tangent, pt, at, gradient, energy);
}

LyraStatus ly_tangent_forces(LyTangent *tangent, const LyraPoint *at, LyraTangentNeed need_tangent,
                             LyraState *trial, const double **gradient, double *energy)
{
    LY_TRY(ly_changings_ensure(&tangent->changing, at));
    double *sum = gradient ? tangent->f : NULL;
    bool single = is_single(tangent) && tangent->changing.stencil_count == 0;
    double all = 0;
    if (gradient) {
        *gradient = sum;
    }
    if (sum && !single) {
        ly_vector_fill(tangent->ctx, tangent->size, 0, sum);
    }
    for (int32_t p = 0; p < tangent->part_count; ++p) {
        LyPartTangent *pt = &tangent->parts[p];
        const int32_t *vertices = pt->part->vertices;
        const double *g = NULL;
        double part_energy = 0;
        if (!gradient && !energy && !(pt->part->some & LYRA_FORCE_HISTORY)) {
            continue;
        }
        LY_TRY(evaluate_part(tangent, pt, at, need_tangent, trial, gradient ? &g : NULL,
                             energy ? &part_energy : NULL));
        all += part_energy;
        if (!gradient) {
            continue;
        }
        if (single) {
            *gradient = g;
        } else if (!vertices) {
            ly_vector_axpby(tangent->ctx, tangent->size, 1, g, 1, sum);
        }
        for (int64_t i = 0; vertices && i < pt->size; ++i) {
            sum[3 * (int64_t)vertices[i / 3] + i % 3] += g[i];
        }
    }
    if (!single || trial) {
        LY_TRY(ly_changings_forces(&tangent->changing, at, trial, sum, &all));
    }
    if (energy) {
        *energy = all;
    }
    return LYRA_OK;
}

// ---- life ---------------------------------------------------------------------------------------

void ly_tangent_forget(LyTangent *tangent)
{
    LyraContext *ctx = tangent->ctx;
    for (int32_t p = 0; p < tangent->part_count; ++p) {
        LyPartTangent *pt = &tangent->parts[p];
        for (int32_t s = 0; s < 2; ++s) {
            LyTangentSlot *slot = &pt->slots[s];
            lyra_block_matrix_destroy(slot->dfdx);
            ly_release(ctx, slot->point.u);
            ly_release(ctx, slot->point.v);
            ly_release(ctx, slot->gradient);
        }
        for (int32_t k = 0; k < LY_TANGENT_FORCES; ++k) {
            ly_release(ctx, pt->forces[k].point.u);
            ly_release(ctx, pt->forces[k].point.v);
            ly_release(ctx, pt->forces[k].gradient);
        }
        ly_release(ctx, pt->measured.u);
        ly_release(ctx, pt->measured.v);
        ly_release(ctx, pt->trial);
        ly_release(ctx, pt->history);
    }
    for (int32_t k = 0; k < 2; ++k) {
        ly_release(ctx, tangent->taken[k].u);
        ly_release(ctx, tangent->taken[k].v);
    }
}
