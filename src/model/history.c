// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// A vector is called "history." and the id of its group. Its version is made of the names of group
// and type, the version of the type's history and the order of its stencils in batches, so that a
// state of another model, or of another order, is not continued silently.

#include "model/history.h"

#include "model/vector.h"
#include "solve/solve.h"

#include <stdio.h>
#include <string.h>

static const LyBatches *batches_of(const LyraModel *model, int32_t group)
{
    const LyPart *part = &model->parts[model->group_part[group]];
    return &part->assembly->batches[model->group_index[group]];
}

int64_t ly_history_size(const LyraModel *model, int32_t group)
{
    if (model->group_part[group] < 0) {
        return 0; // see changing.c
    }
    int64_t count = model->forces[group]->type->history_count;
    return count > 0 ? batches_of(model, group)->batch_count * count * LYRA_BATCH_WIDTH : 0;
}

static uint64_t add_text(uint64_t sum, const char *text)
{
    for (; *text; ++text) {
        const uint64_t word = (unsigned char)*text;
        sum = ly_checksum(sum, &word, 1);
    }
    return sum;
}

int32_t ly_history_version(const LyraModel *model, int32_t group)
{
    const LyraForceType *type = model->forces[group]->type;
    const int64_t counts[2] = {type->history_version, type->history_count};
    uint64_t sum = ly_checksum(LY_CHECKSUM_START, counts, 2);
    sum = add_text(add_text(sum, model->names[group]), type->name);
    if (model->group_part[group] >= 0) {
        // eight lanes of four bytes are whole words
        const LyBatches *b = batches_of(model, group);
        sum = ly_checksum(sum, b->element, b->batch_count * (LYRA_BATCH_WIDTH / 2));
    }
    return (int32_t)(sum >> 33);
}

static LyraStateVectorsDef def_of(const LyraModel *model, int32_t group, char name[32])
{
    snprintf(name, 32, "history.%d", (int)group);
    return (LyraStateVectorsDef){.name = name,
                                 .version = model->history_versions[group],
                                 .owner = LYRA_STATE_MATERIAL,
                                 .size = (int32_t)ly_history_size(model, group),
                                 .count = 1};
}

static LyraStatus find(const LyraModel *model, int32_t group, LyraState *state, LyraVector **out,
                       bool *fresh)
{
    char name[32];
    if (ly_history_size(model, group) > INT32_MAX) {
        return ly_fail(LYRA_UNSUPPORTED, "force group %s: a history of more than %d numbers",
                       model->names[group], (int)INT32_MAX);
    }
    const LyraStateVectorsDef def = def_of(model, group, name);
    LyraVector **vectors = NULL;
    LY_TRY(lyra_state_vectors(state, &def, &vectors, fresh));
    *out = vectors[0];
    return LYRA_OK;
}

LyraStatus ly_history_init(const LyraModel *model, LyraState *state)
{
    for (int32_t g = 0; g < model->force_count; ++g) {
        LyraVector *vector = NULL;
        bool fresh = false;
        if (ly_history_size(model, g) == 0) {
            continue;
        }
        LY_TRY(find(model, g, state, &vector, &fresh));
        if (fresh && model->forces[g]->type->history_init) {
            const LyPart *part = &model->parts[model->group_part[g]];
            ly_history_begin(part->assembly, model->group_index[g], ly_vector_write_access(vector));
        }
    }
    return LYRA_OK;
}

// the history of a group; NULL where the state has none of this layout
static const LyraVector *find_known(const LyraModel *model, int32_t group, const LyraState *state)
{
    char name[32];
    LyraStateBlock block;
    const LyraStateVectorsDef def = def_of(model, group, name);
    bool found = state && lyra_state_find_block(state, name, LYRA_STATE_MATERIAL, &block) &&
                 block.version == def.version && block.type == LYRA_STATE_VECTOR &&
                 block.count == 1 && block.size == def.size && !lyra_vector_type(block.vectors[0]);
    return found ? block.vectors[0] : NULL;
}

const double *ly_history_values(const LyraModel *model, int32_t group, const LyraState *state,
                                uint64_t *stamp)
{
    const LyraVector *vector = find_known(model, group, state);
    if (vector && stamp) {
        *stamp = lyra_vector_stamp(vector);
    }
    return vector ? lyra_vector_values(vector) : NULL;
}

LyraStatus ly_history_rewrite(const LyraModel *model, int32_t group, LyraState *state,
                              double **values)
{
    LyraVector *vector = NULL;
    bool fresh = false;
    LY_TRY(find(model, group, state, &vector, &fresh));
    *values = ly_vector_rewrite_access(vector);
    return LYRA_OK;
}

LyraStatus ly_history_write_all(const LyraModel *model, LyraState *state, const double *values)
{
    for (int32_t g = 0; g < model->force_count; ++g) {
        int64_t size = ly_history_size(model, g);
        double *to = NULL;
        if (size > 0) {
            LY_TRY(ly_history_rewrite(model, g, state, &to));
            ly_vector_copy(model->ctx, size, values, to);
            values += size;
        }
    }
    return LYRA_OK;
}

// ---- beside states ------------------------------------------------------------------------------

LyraStatus ly_histories_create(LyraContext *ctx, const LyraModel *model, LyraVector ***out)
{
    LyraStatus status = LYRA_OK;
    LyraVector **histories = NULL;
    LY_TRY(ly_allocate_zeroed(ctx, model->force_count, sizeof *histories, &histories));
    for (int32_t g = 0; g < model->force_count; ++g) {
        int64_t size = ly_history_size(model, g);
        if (size > 0) {
            LY_TRY_DONE(lyra_vector_create(ctx, (int32_t)size, &histories[g]));
        }
    }
    *out = histories;
    return LYRA_OK;
done:
    ly_histories_destroy(ctx, model, histories);
    return status;
}

void ly_histories_destroy(LyraContext *ctx, const LyraModel *model, LyraVector **histories)
{
    for (int32_t g = 0; histories && g < model->force_count; ++g) {
        lyra_vector_destroy(histories[g]);
    }
    ly_release(ctx, histories);
}

void ly_histories_take(const LyraModel *model, const LyraState *state, LyraVector **histories)
{
    for (int32_t g = 0; g < model->force_count; ++g) {
        const LyraVector *from = histories[g] ? find_known(model, g, state) : NULL;
        if (from) {
            ly_vector_share(from, histories[g]);
        }
    }
}

void ly_histories_read(const LyraModel *model, LyraVector *const *histories, double *values)
{
    for (int32_t g = 0; g < model->force_count; ++g) {
        int64_t size = ly_history_size(model, g);
        if (size > 0) {
            ly_vector_copy(model->ctx, size, lyra_vector_values(histories[g]), values);
            values += size;
        }
    }
}

// fails unless a state has the history of a group
static LyraStatus check_history(const LyraModel *model, int32_t group, const LyraState *state)
{
    if (group < 0 || group >= model->force_count) {
        return ly_fail(LYRA_INVALID_ARGUMENT, "model: no force group %d of %d", group,
                       model->force_count);
    }
    if (ly_history_size(model, group) == 0) {
        return ly_fail(LYRA_INVALID_ARGUMENT, "force group %s %s", model->names[group],
                       model->group_part[group] < 0 ? "has stencils that change"
                                                    : "has no history");
    }
    if (!ly_history_values(model, group, state, NULL)) {
        return ly_fail(LYRA_INVALID_ARGUMENT, "the state has no history of force group %s",
                       model->names[group]);
    }
    return LYRA_OK;
}

LyraStatus lyra_model_read_history(const LyraModel *model, int32_t group, const LyraState *state,
                                   int32_t component, double *values)
{
    LYRA_ASSERT(model && state && values);
    LY_TRY(check_history(model, group, state));
    const LyPart *part = &model->parts[model->group_part[group]];
    return ly_history_read(part->assembly, model->group_index[group], component,
                           ly_history_values(model, group, state, NULL), values);
}

LyraStatus lyra_model_write_history(const LyraModel *model, int32_t group, LyraState *state,
                                    int32_t component, const double *values)
{
    LYRA_ASSERT(model && state && values);
    LyraVector *vector = NULL;
    bool fresh = false;
    LY_TRY(check_history(model, group, state));
    LY_TRY(find(model, group, state, &vector, &fresh));
    const LyPart *part = &model->parts[model->group_part[group]];
    return ly_history_set(part->assembly, model->group_index[group], component, values,
                          ly_vector_write_access(vector));
}

double ly_history_lost(const LyraModel *model, const LyraState *state, double *plastic)
{
    double sums[2] = {0, 0}; // to viscosity, to flow
    for (int32_t g = 0; g < model->force_count; ++g) {
        const LyraForceType *type = model->forces[g]->type;
        bool counts = type->traits & LYRA_FORCE_LOSES && ly_history_size(model, g) > 0;
        const double *values = counts ? ly_history_values(model, g, state, NULL) : NULL;
        if (!values) {
            continue;
        }
        const LyBatches *b = batches_of(model, g);
        int64_t count = type->history_count;
        double *sum = &sums[(type->traits & LYRA_FORCE_FLOWS) != 0];
        for (int64_t batch = 0; batch < b->batch_count; ++batch) {
            const double *lanes = values + ((batch + 1) * count - 1) * LYRA_BATCH_WIDTH;
            for (int32_t lane = 0; lane < b->count[batch]; ++lane) {
                *sum += lanes[lane];
            }
        }
    }
    *plastic = sums[1];
    return sums[0] + sums[1];
}
