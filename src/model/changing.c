// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Stencils are asked for where a step begins and where an iteration of Newton's method does, and
// stay as they are in between, so that all points that are compared see one energy. They do not
// enter the stiffness of D = beta K: what comes and goes must not leave damping behind.
//
// History. The state has a vector "history." and the id of the group, [stencil][component], and a
// block "keys." with the key of each stencil. Stencils find their history by key; new ones begin as
// their type says.

#include "model/changing.h"

#include "model/history.h"
#include "model/vector.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// ---- life ---------------------------------------------------------------------------------------

LyraStatus ly_changings_create(LyraContext *ctx, LyraModel *model, LyChangings *out)
{
    LyChangings changings = {.ctx = ctx, .model = model};
    LyraStatus status = LYRA_OK;
    int32_t count = 0;
    for (int32_t g = 0; g < model->force_count; ++g) {
        count += model->group_part[g] < 0;
    }
    LY_TRY_DONE(ly_allocate_zeroed(ctx, count, sizeof *changings.groups, &changings.groups));
    for (int32_t g = 0; g < model->force_count; ++g) {
        const LyraForce *force = model->forces[g];
        if (model->group_part[g] >= 0) {
            continue;
        }
        LyChanging *group = &changings.groups[changings.count++];
        group->group = g;
        LY_TRY_DONE(ly_stencil_set_create(ctx, force->type, force->self, model->vertex_count,
                                          model->positions, model->middle, model->place,
                                          &group->set));
        group->checksum = ly_stencil_set_checksum(group->set);
    }
    *out = changings;
    return LYRA_OK;
done:
    ly_changings_destroy(&changings);
    return status;
}

void ly_changings_destroy(LyChangings *changings)
{
    LyraContext *ctx = changings->ctx;
    for (int32_t i = 0; i < changings->count; ++i) {
        LyChanging *group = &changings->groups[i];
        ly_stencil_set_destroy(group->set);
        ly_release(ctx, group->dfdx);
        ly_release(ctx, group->dfdv);
        ly_release(ctx, group->history);
        ly_release(ctx, group->trial);
        ly_release(ctx, group->from);
    }
    ly_release(ctx, changings->groups);
    *changings = (LyChangings){0};
}

// ---- stencils -----------------------------------------------------------------------------------

static const LyraForce *force_of(const LyChangings *changings, const LyChanging *group)
{
    return changings->model->forces[group->group];
}

// the committed numbers of a group; a state without them has none
static void find_committed(const LyraModel *model, int32_t group, const LyraState *state,
                           LyraStateBlock *values, LyraStateBlock *keys)
{
    char name[32];
    int32_t version = model->history_versions[group];
    *values = *keys = (LyraStateBlock){0};
    if (!state) {
        return;
    }
    snprintf(name, sizeof name, "history.%d", (int)group);
    bool found = lyra_state_find_block(state, name, LYRA_STATE_MATERIAL, values);
    snprintf(name, sizeof name, "keys.%d", (int)group);
    found = found && lyra_state_find_block(state, name, LYRA_STATE_MATERIAL, keys) &&
            values->type == LYRA_STATE_VECTOR && values->count == 1 &&
            keys->type == LYRA_STATE_INT64 && values->version == version &&
            keys->version == version &&
            values->size == keys->count * model->forces[group]->type->history_count;
    if (!found) {
        *values = *keys = (LyraStateBlock){0};
    }
}

LyraStatus ly_changings_update(LyChangings *changings, LyraUpdateMoment moment, const LyraPoint *at,
                               bool *changed)
{
    const LyraModel *model = changings->model;
    *changed = false;
    if (changings->count == 0) {
        return LYRA_OK;
    }
    bool ahead = false;
    LyraUpdate update = {.moment = moment,
                         .share = at->share,
                         .ahead = &ahead,
                         .time = at->time,
                         .dt = at->dt,
                         .begin = at->committed ? lyra_state_view(at->committed).time : at->time,
                         .vertex_count = model->vertex_count,
                         .positions = model->positions,
                         .u = lyra_vector_values(at->u),
                         .v = lyra_vector_values(at->v)};
    changings->stencil_count = 0;
    for (int32_t i = 0; i < changings->count; ++i) {
        LyChanging *group = &changings->groups[i];
        const LyraForce *force = force_of(changings, group);
        LyraStateBlock values, keys;
        bool told = moment <= LYRA_UPDATE_ITERATION || !group->ready ||
                    force->type->traits & LYRA_FORCE_MOVES;
        if (!told) {
            changings->stencil_count += lyra_stencil_set_view(group->set).count;
            continue;
        }
        find_committed(model, group->group, at->committed, &values, &keys);
        update.known = keys.count;
        update.keys = keys.values;
        update.history = keys.count > 0 ? lyra_vector_values(values.vectors[0]) : NULL;
        // until it is finished again, the set must not pass for what it was
        bool ready = group->ready;
        group->ready = false;
        LY_TRY(force->update(force->self, &update, group->set, &group->version));
        LY_TRY(ly_stencil_set_finish(group->set));
        uint64_t checksum = ly_stencil_set_checksum(group->set);
        *changed |= !ready || checksum != group->checksum;
        group->checksum = checksum;
        group->ready = true;
        changings->stencil_count += lyra_stencil_set_view(group->set).count;
    }
    if (at->ahead) {
        *at->ahead = ahead;
    }
    return LYRA_OK;
}

LyraStatus ly_changings_ensure(LyChangings *changings, const LyraPoint *at)
{
    bool changed = false;
    for (int32_t i = 0; i < changings->count; ++i) {
        if (!changings->groups[i].ready) {
            return ly_changings_update(changings, LYRA_UPDATE_STEP, at, &changed);
        }
    }
    return LYRA_OK;
}

uint64_t ly_changings_checksum(const LyChangings *changings)
{
    uint64_t sum = LY_CHECKSUM_START;
    for (int32_t i = 0; i < changings->count; ++i) {
        sum = ly_checksum(sum, &changings->groups[i].checksum, 1);
    }
    return sum;
}

// ---- history ------------------------------------------------------------------------------------

static LyraStatus reserve_history(LyraContext *ctx, LyChanging *group, int64_t count, int64_t each)
{
    if (count > group->history_room) {
        int64_t room = ly_grown(group->history_room, count);
        LY_TRY(ly_resize_array(ctx, room * each, sizeof(double), &group->history));
        LY_TRY(ly_resize_array(ctx, room * each, sizeof(double), &group->trial));
        LY_TRY(ly_resize_array(ctx, room, sizeof(int32_t), &group->from));
        group->history_room = room;
    }
    return LYRA_OK;
}

const double *ly_model_changing_history(const LyraModel *model, int32_t group,
                                        const LyraState *state, int64_t *count)
{
    LyraStateBlock values, keys;
    find_committed(model, group, state, &values, &keys);
    *count = keys.count;
    return keys.count > 0 ? lyra_vector_values(values.vectors[0]) : NULL;
}

// group->history, stencil by stencil
static LyraStatus gather_history(LyChangings *changings, LyChanging *group, const LyraState *state)
{
    const LyraForce *force = force_of(changings, group);
    int64_t each = force->type->history_count, count = lyra_stencil_set_view(group->set).count;
    LyraStateBlock values, keys;
    if (each == 0) {
        return LYRA_OK;
    }
    LY_TRY(reserve_history(changings->ctx, group, count, each));
    find_committed(changings->model, group->group, state, &values, &keys);
    LY_TRY(ly_stencil_set_match(group->set, (int32_t)keys.count, keys.values, group->from));
    int32_t order[LYRA_STENCIL_NODES_MAX];
    for (int32_t k = 0; k < LYRA_STENCIL_NODES_MAX; ++k) {
        order[k] = k;
    }
    for (int64_t i = 0; i < count; ++i) {
        double *to = group->history + i * each;
        memset(to, 0, (size_t)each * sizeof *to);
        if (group->from[i] >= 0) {
            const double *old = lyra_vector_values(values.vectors[0]);
            memcpy(to, old + group->from[i] * each, (size_t)each * sizeof *to);
        } else if (force->type->history_init) {
            force->type->history_init(force->self, (int32_t)i, order, to);
        }
    }
    return LYRA_OK;
}

static LyraStatus write_history(LyChangings *changings, const LyChanging *group, LyraState *state)
{
    const LyraModel *model = changings->model;
    const LyraForceType *type = force_of(changings, group)->type;
    LyraStencilSetView view = lyra_stencil_set_view(group->set);
    char name[2][32];
    snprintf(name[0], sizeof name[0], "history.%d", (int)group->group);
    snprintf(name[1], sizeof name[1], "keys.%d", (int)group->group);
    const LyraStateVectorsDef values = {.name = name[0],
                                        .version = model->history_versions[group->group],
                                        .owner = LYRA_STATE_MATERIAL,
                                        .size = view.count * type->history_count,
                                        .count = 1};
    const LyraStateBlockDef keys = {.name = name[1],
                                    .version = values.version,
                                    .owner = LYRA_STATE_MATERIAL,
                                    .type = LYRA_STATE_INT64,
                                    .count = view.count};
    LyraVector **vectors = NULL;
    void *numbers = NULL;
    bool fresh = false;
    LY_TRY(lyra_state_vectors(state, &values, &vectors, &fresh));
    LY_TRY(lyra_state_block(state, &keys, &numbers, &fresh));
    if (view.count > 0) {
        memcpy(ly_vector_write_access(vectors[0]), group->trial,
               (size_t)values.size * sizeof(double));
        memcpy(numbers, view.keys, (size_t)view.count * sizeof *view.keys);
    }
    return LYRA_OK;
}

// ---- forces and tangents ------------------------------------------------------------------------

static LyraStatus find_evaluation(LyChangings *changings, LyChanging *group, const LyraPoint *at,
                                  LyStencilEvaluation *out)
{
    LY_TRY(gather_history(changings, group, at->committed));
    *out = (LyStencilEvaluation){.u = lyra_vector_values(at->u),
                                 .v = lyra_vector_values(at->v),
                                 .time = at->time,
                                 .dt = at->dt,
                                 .unloaded = at->unloaded,
                                 .history = group->history};
    return LYRA_OK;
}

LyraStatus ly_changings_forces(LyChangings *changings, const LyraPoint *at, LyraState *trial,
                               double *gradient, double *energy)
{
    for (int32_t i = 0; i < changings->count; ++i) {
        LyChanging *group = &changings->groups[i];
        bool remembers = force_of(changings, group)->type->history_count > 0;
        double part = 0;
        LyStencilEvaluation evaluation;
        LY_TRY(find_evaluation(changings, group, at, &evaluation));
        evaluation.gradient = gradient;
        evaluation.energy = &part;
        evaluation.trial_history = trial && remembers ? group->trial : NULL;
        LY_TRY(ly_stencil_set_evaluate(group->set, &evaluation));
        *energy += part;
        if (trial && remembers) {
            LY_TRY(write_history(changings, group, trial));
        }
    }
    return LYRA_OK;
}

LyraStatus ly_changings_rates(LyChangings *changings, const LyraPoint *at, double *rates)
{
    for (int32_t i = 0; i < changings->count; ++i) {
        LyChanging *group = &changings->groups[i];
        if (force_of(changings, group)->type->traits & LYRA_FORCE_RATES) {
            LyStencilEvaluation evaluation;
            LY_TRY(find_evaluation(changings, group, at, &evaluation));
            evaluation.rates = rates;
            LY_TRY(ly_stencil_set_evaluate(group->set, &evaluation));
        }
    }
    return LYRA_OK;
}

double ly_changings_bound(const LyChangings *changings, const double *u, const double *d)
{
    const LyraModel *model = changings->model;
    double bound = 1;
    for (int32_t f = 0, next = 0; f < model->force_count; ++f) {
        const LyraForce *force = model->forces[f];
        bool changes = next < changings->count && changings->groups[next].group == f;
        const LyraStencilSet *set = changes ? changings->groups[next++].set : NULL;
        if (force->bound) {
            double share =
                force->bound(force->self, set, model->vertex_count, model->positions, u, d);
            // what is no number allows nothing
            bound = share >= 0 ? fmin(bound, share) : 0;
        }
    }
    return bound;
}

LyraStatus ly_changings_linearise(LyChangings *changings, const LyraPoint *at, bool psd)
{
    for (int32_t i = 0; i < changings->count; ++i) {
        LyChanging *group = &changings->groups[i];
        bool moves = force_of(changings, group)->type->traits & LYRA_FORCE_VELOCITY;
        int64_t pairs = ly_stencil_set_pairs(group->set).count;
        group->pair_count = 0;
        if (pairs > group->pair_room) {
            int64_t room = ly_grown(group->pair_room, pairs);
            LY_TRY(ly_resize_array(changings->ctx, 9 * room, sizeof(double), &group->dfdx));
            if (moves) {
                LY_TRY(ly_resize_array(changings->ctx, 9 * room, sizeof(double), &group->dfdv));
            }
            group->pair_room = room;
        }
        LyStencilEvaluation evaluation;
        LY_TRY(find_evaluation(changings, group, at, &evaluation));
        evaluation.psd = psd;
        evaluation.dfdx = group->dfdx;
        evaluation.dfdv = group->dfdv;
        LY_TRY(ly_stencil_set_evaluate(group->set, &evaluation));
        group->pair_count = pairs;
    }
    return LYRA_OK;
}

// ---- matrices -----------------------------------------------------------------------------------

void ly_changing_block(const LyChanging *group, double b, double c, int64_t k, double block[9])
{
    for (int32_t e = 0; e < 9; ++e) {
        block[e] = c * group->dfdx[9 * k + e];
        block[e] += group->dfdv ? b * group->dfdv[9 * k + e] : 0;
    }
}

void ly_changings_add(const LyChangings *changings, double b, double c, LyraBlockMatrix *matrix)
{
    const LyraBlockPattern *pattern = lyra_block_matrix_pattern(matrix);
    bool upper = lyra_block_pattern_view(pattern).storage == LYRA_STORAGE_UPPER;
    double *values = lyra_block_matrix_values_mutable(matrix);
    for (int32_t i = 0; i < changings->count; ++i) {
        const LyChanging *group = &changings->groups[i];
        const int32_t *pairs = ly_stencil_set_pairs(group->set).pairs;
        for (int64_t k = 0; k < group->pair_count; ++k) {
            int32_t row = pairs[2 * k], column = pairs[2 * k + 1];
            double block[9];
            ly_changing_block(group, b, c, k, block);
            double *to = values + 9 * (int64_t)lyra_block_pattern_find(pattern, row, column);
            double *other =
                upper || row == column
                    ? NULL
                    : values + 9 * (int64_t)lyra_block_pattern_find(pattern, column, row);
            for (int32_t e = 0; e < 9; ++e) {
                to[e] += block[e];
                if (other) {
                    other[3 * (e % 3) + e / 3] += block[e];
                }
            }
        }
    }
}

void ly_changings_multiply(const LyChangings *changings, double b, double c, const int32_t *order,
                           const double *x, double *y)
{
    for (int32_t i = 0; i < changings->count; ++i) {
        const LyChanging *group = &changings->groups[i];
        const int32_t *pairs = ly_stencil_set_pairs(group->set).pairs;
        for (int64_t k = 0; k < group->pair_count; ++k) {
            int64_t row = pairs[2 * k], column = pairs[2 * k + 1];
            int64_t p = 3 * (order ? order[row] : row), q = 3 * (order ? order[column] : column);
            double block[9];
            ly_changing_block(group, b, c, k, block);
            for (int32_t e = 0; e < 9; ++e) {
                y[p + e / 3] += block[e] * x[q + e % 3];
                y[q + e % 3] += row != column ? block[e] * x[p + e / 3] : 0;
            }
        }
    }
}

int64_t ly_changings_missing(const LyChangings *changings, const LyraBlockPattern *pattern,
                             int32_t *pairs, uint64_t *sum)
{
    int64_t count = 0;
    for (int32_t i = 0; i < changings->count; ++i) {
        LyStencilPairs own = ly_stencil_set_pairs(changings->groups[i].set);
        for (int64_t k = 0; k < own.count; ++k) {
            if (lyra_block_pattern_find(pattern, own.pairs[2 * k], own.pairs[2 * k + 1]) >= 0) {
                continue;
            }
            if (sum) {
                *sum = ly_checksum(*sum, own.pairs + 2 * k, 1);
            }
            if (pairs) {
                memcpy(pairs + 2 * count, own.pairs + 2 * k, 2 * sizeof *pairs);
            }
            ++count;
        }
    }
    return count;
}
