// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Parts: the force groups of a model sorted by what they are, so that one damper, one load or one
// force with memory changes nothing of how the elastic groups are evaluated, kept and solved with.
//
// Groups are alike if they agree in the traits SIGNATURE. A part is one assembly. Where its groups
// touch a small share of the vertices (SPARSE of them) it has these alone, with a matrix of its
// own, whose blocks have places in the pattern of the model.
//
// The pattern of the model is upper, and holds the blocks of all symmetric groups, of masses and
// of damping. Groups that are not symmetric (pressures that follow an open surface) then stand
// beside: products add them, S = a M + b C + c K is made without them. Where such groups outweigh
// the symmetric ones the pattern is full, and holds all.

#include "model/model.h"

#include "lyra/reorder.h"

#include <math.h>
#include <string.h>

#define SIGNATURE                                                                                  \
    (LYRA_FORCE_SYMMETRIC | LYRA_FORCE_TRANSLATION_INVARIANT | LYRA_FORCE_VELOCITY |               \
     LYRA_FORCE_DASHPOT | LYRA_FORCE_HISTORY | LYRA_FORCE_TIME | LYRA_FORCE_LINEAR)
#define SIGNATURE_BITS 7
#define SPARSE 4 // a part that touches fewer than one in so many vertices has these alone

// some of the groups, and the vertices that their stencils count from
typedef struct Members {
    int32_t count;
    LyraForce **forces;
    int32_t *first;
} Members;

static uint32_t signature_of(const LyraModel *model, int32_t group)
{
    return model->forces[group]->type->traits & SIGNATURE;
}

// ---- groups to parts ----------------------------------------------------------------------------

// the part of each group and its place there, parts in the order of their first groups; returns the
// number of parts
static int32_t sort_groups(LyraModel *model)
{
    uint32_t found[1 << SIGNATURE_BITS];
    int32_t members[1 << SIGNATURE_BITS], count = 0;
    for (int32_t g = 0; g < model->force_count; ++g) {
        uint32_t signature = signature_of(model, g);
        int32_t part = 0;
        if (model->forces[g]->update) {
            model->group_part[g] = -1;
            continue;
        }
        while (part < count && found[part] != signature) {
            ++part;
        }
        if (part == count) {
            found[count] = signature;
            members[count++] = 0;
        }
        model->group_part[g] = part;
        model->group_index[g] = members[part]++;
    }
    return count;
}

// whether symmetric groups are the greater share, by nodes of stencils
static bool is_mostly_symmetric(const LyraModel *model)
{
    int64_t symmetric = 0, other = 0;
    for (int32_t g = 0; g < model->force_count; ++g) {
        const LyraForce *force = model->forces[g];
        int64_t nodes = (int64_t)force->stencil_count * force->type->nodes;
        *(force->type->traits & LYRA_FORCE_SYMMETRIC ? &symmetric : &other) += nodes;
    }
    return symmetric >= other;
}

// ---- order and pattern --------------------------------------------------------------------------

static LyraStatus make_order(LyraModel *model)
{
    int32_t n = model->vertex_count;
    LY_TRY(ly_allocate_array(model->ctx, n, sizeof *model->order, &model->order));
    LY_TRY(ly_allocate_array(model->ctx, n, sizeof *model->place, &model->place));
    LY_TRY(lyra_reorder_hilbert(model->ctx, n, model->positions, model->order));
    return lyra_permutation_invert(n, model->order, model->place);
}

// `merged`: room for the groups whose blocks enter S
static LyraStatus make_pattern(LyraModel *model, bool upper, int64_t pair_count,
                               const int32_t *pairs, Members *merged)
{
    for (int32_t g = 0; g < model->force_count; ++g) {
        uint32_t traits = model->forces[g]->type->traits;
        // of velocities the symmetric part enters, see tangent.c
        bool merges = !upper || traits & (LYRA_FORCE_SYMMETRIC | LYRA_FORCE_VELOCITY);
        if (merges && !model->forces[g]->update) {
            merged->forces[merged->count] = model->forces[g];
            merged->first[merged->count++] = ly_group_first(model, g);
        }
    }
    const LyPatternDef def = {.row_count = model->vertex_count,
                              .upper = upper,
                              .force_count = merged->count,
                              .forces = merged->forces,
                              .first = merged->first,
                              .place = model->place,
                              .pair_count = pair_count,
                              .pairs = pairs};
    return ly_force_pattern(model->ctx, &def, &model->pattern);
}

// ---- one part -----------------------------------------------------------------------------------

static void list_members(const LyraModel *model, int32_t part, Members *members)
{
    members->count = 0;
    for (int32_t g = 0; g < model->force_count; ++g) {
        if (model->group_part[g] == part) {
            members->forces[members->count] = model->forces[g];
            members->first[members->count++] = ly_group_first(model, g);
        }
    }
}

// the vertices that a part touches, by internal place, if they are few
static LyraStatus find_vertices(LyraModel *model, const Members *members, LyPart *part,
                                int32_t *vertex_count)
{
    int32_t n = model->vertex_count, count = 0, *place = NULL;
    LY_TRY(ly_allocate_array(model->ctx, n, sizeof *place, &place));
    for (int32_t i = 0; i < n; ++i) {
        place[i] = -1;
    }
    for (int32_t f = 0; f < members->count; ++f) {
        const LyraForce *force = members->forces[f];
        int64_t ids = (int64_t)force->stencil_count * force->type->nodes;
        for (int64_t i = 0; i < ids; ++i) {
            int32_t vertex = members->first[f] + force->stencils[i];
            count += place[vertex] < 0;
            place[vertex] = 0;
        }
    }
    *vertex_count = n;
    if ((int64_t)SPARSE * count >= n) {
        ly_release(model->ctx, place);
        return LYRA_OK;
    }
    part->place = place;
    LY_TRY(ly_allocate_array(model->ctx, count, sizeof *part->vertices, &part->vertices));
    count = 0;
    for (int32_t i = 0; i < n; ++i) {
        int32_t vertex = model->order[i];
        if (place[vertex] >= 0) {
            place[vertex] = count;
            part->vertices[count++] = vertex;
        }
    }
    *vertex_count = count;
    return LYRA_OK;
}

// places of the blocks of a part in the pattern of the model
static LyraStatus find_slots(LyraModel *model, LyPart *part)
{
    LyraBlockPatternView own = lyra_block_pattern_view(part->assembly->pattern);
    bool upper = lyra_block_pattern_view(model->pattern).storage == LYRA_STORAGE_UPPER;
    LY_TRY(ly_allocate_array(model->ctx, own.block_count, sizeof *part->slot, &part->slot));
    const int32_t *order = part->assembly->order;
    for (int32_t row = 0; row < own.row_count; ++row) {
        for (int64_t k = own.row_start[row]; k < own.row_start[row + 1]; ++k) {
            int32_t i = model->place[order[row]], j = model->place[order[own.column[k]]];
            bool below = upper && i > j;
            int32_t slot = lyra_block_pattern_find(model->pattern, below ? j : i, below ? i : j);
            part->slot[k] = below ? ~slot : slot;
        }
    }
    return LYRA_OK;
}

static LyraStatus find_transposes(LyraModel *model, LyPart *part)
{
    const LyraBlockPattern *pattern = part->assembly->pattern;
    LyraBlockPatternView own = lyra_block_pattern_view(pattern);
    LY_TRY(
        ly_allocate_array(model->ctx, own.block_count, sizeof *part->transpose, &part->transpose));
    for (int32_t row = 0; row < own.row_count; ++row) {
        for (int64_t k = own.row_start[row]; k < own.row_start[row + 1]; ++k) {
            part->transpose[k] = lyra_block_pattern_find(pattern, own.column[k], row);
        }
    }
    return LYRA_OK;
}

static LyraStatus make_part(LyraModel *model, int32_t index, Members *members, bool upper)
{
    LyPart *part = &model->parts[index];
    int32_t vertex_count = 0;
    LY_TRY(ly_allocate_array(model->ctx, model->force_count, sizeof *part->groups, &part->groups));
    list_members(model, index, members);
    for (int32_t g = 0; g < model->force_count; ++g) {
        if (model->group_part[g] == index) {
            part->groups[model->group_index[g]] = g;
        }
    }
    part->all = ~0u;
    for (int32_t f = 0; f < members->count; ++f) {
        part->some |= members->forces[f]->type->traits;
        part->all &= members->forces[f]->type->traits;
    }
    part->beside = upper && !(part->all & LYRA_FORCE_SYMMETRIC);
    LY_TRY(find_vertices(model, members, part, &vertex_count));
    bool whole = !part->vertices;
    const LyAssemblyDef def = {.vertex_count = vertex_count,
                               .positions = model->positions,
                               .force_count = members->count,
                               .forces = members->forces,
                               .first = members->first,
                               .order = whole ? model->order : part->vertices,
                               .place = whole ? model->place : part->place,
                               .pattern = whole && !part->beside ? model->pattern : NULL,
                               .middle = model->middle,
                               .upper = upper && !part->beside,
                               .compact = !whole};
    LY_TRY(ly_assembly_create(model->ctx, &def, &part->assembly));
    model->history_count += part->assembly->history_size;
    model->beside |= part->beside;
    bool mapped = part->assembly->pattern != model->pattern &&
                  (!part->beside || part->some & LYRA_FORCE_VELOCITY);
    LY_TRY(mapped ? find_slots(model, part) : LYRA_OK);
    return part->beside && mapped ? find_transposes(model, part) : LYRA_OK;
}

// ---- all of them --------------------------------------------------------------------------------

LyraStatus ly_model_make_parts(LyraModel *model, int64_t pair_count, const int32_t *pairs)
{
    LyraContext *ctx = model->ctx;
    int32_t groups = model->force_count;
    bool upper = is_mostly_symmetric(model);
    Members members = {0};
    LyraStatus status = LYRA_OK;
    LY_TRY_DONE(ly_allocate_array(ctx, groups, sizeof *members.forces, &members.forces));
    LY_TRY_DONE(ly_allocate_array(ctx, groups, sizeof *members.first, &members.first));
    LY_TRY_DONE(ly_allocate_zeroed(ctx, groups, sizeof(int32_t), &model->group_part));
    LY_TRY_DONE(ly_allocate_zeroed(ctx, groups, sizeof(int32_t), &model->group_index));
    LY_TRY_DONE(make_order(model));
    LY_TRY_DONE(make_pattern(model, upper, pair_count, pairs, &members));
    int32_t count = sort_groups(model);
    LY_TRY_DONE(ly_allocate_zeroed(ctx, count, sizeof *model->parts, &model->parts));
    model->part_count = count;
    for (int32_t p = 0; p < count; ++p) {
        LY_TRY_DONE(make_part(model, p, &members, upper));
    }
    LY_TRY_DONE(ly_allocate_zeroed(ctx, groups, sizeof(int32_t), &model->history_versions));
    for (int32_t g = 0; g < groups; ++g) {
        model->history_versions[g] = ly_history_version(model, g);
        model->bounded |= model->forces[g]->bound != NULL;
    }
done:
    ly_release(ctx, members.forces);
    ly_release(ctx, members.first);
    return status;
}

void ly_model_destroy_parts(LyraModel *model)
{
    LyraContext *ctx = model->ctx;
    for (int32_t p = 0; p < model->part_count; ++p) {
        LyPart *part = &model->parts[p];
        lyra_assembly_destroy(part->assembly);
        ly_release(ctx, part->groups);
        ly_release(ctx, part->vertices);
        ly_release(ctx, part->place);
        ly_release(ctx, part->slot);
        ly_release(ctx, part->transpose);
    }
    ly_release(ctx, model->parts);
    ly_release(ctx, model->group_part);
    ly_release(ctx, model->group_index);
    ly_release(ctx, model->history_versions);
    lyra_block_pattern_destroy(model->pattern);
    ly_release(ctx, model->order);
    ly_release(ctx, model->place);
}
