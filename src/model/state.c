// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// States: three vectors, the time, and a short list of named blocks.
//
// The clock. After n steps of one length dt the time is start + n dt, rounded once; a sum of n
// roundings would miss the moments that a step function or a table names. Where dt changes, the
// clock starts anew at the time it has, unrounded: as the sum of two doubles.

#include "model/state.h"

#include "base/name_index.h"
#include "model/vector.h"

#include <math.h>
#include <string.h>

// version of blocks that nobody continues
#define OUTDATED INT32_MIN

// ---- life ---------------------------------------------------------------------------------------

LyraStatus lyra_state_create(LyraContext *ctx, int32_t size, LyraState **out)
{
    return ly_state_create(ctx, NULL, NULL, size, out);
}

LyraStatus ly_state_create(LyraContext *ctx, const LyraVectorType *type, void *place, int32_t size,
                           LyraState **out)
{
    LYRA_ASSERT(ctx && out);
    LyraStatus status = LYRA_OK;
    LyraState *state = NULL;
    LY_TRY(ly_allocate_zeroed(ctx, 1, sizeof *state, &state));
    state->ctx = ctx;
    state->type = type;
    state->place = place;
    state->size = size;
    LY_TRY_DONE(lyra_vector_create_typed(ctx, type, place, size, &state->u));
    LY_TRY_DONE(lyra_vector_create_typed(ctx, type, place, size, &state->v));
    LY_TRY_DONE(lyra_vector_create_typed(ctx, type, place, size, &state->a));
    *out = state;
    return LYRA_OK;
done:
    lyra_state_destroy(state);
    return status;
}

void lyra_state_destroy(LyraState *state)
{
    if (state) {
        ly_state_drop_blocks(state, 0);
        ly_release(state->ctx, state->blocks);
        ly_release(state->ctx, state->slots);
        lyra_vector_destroy(state->u);
        lyra_vector_destroy(state->v);
        lyra_vector_destroy(state->a);
        ly_release(state->ctx, state);
    }
}

LyraStateView lyra_state_view(const LyraState *state)
{
    LYRA_ASSERT(state);
    return (LyraStateView){state->time, state->steps, state->u, state->v, state->a};
}

void lyra_state_set_time(LyraState *state, double time, int64_t steps)
{
    LYRA_ASSERT(state);
    state->time = time;
    state->clock = (LyClock){.start = time};
    state->steps = steps;
}

// ---- clock --------------------------------------------------------------------------------------

// a + b as x + *rest
static double sum_of(double a, double b, double *rest)
{
    double x = a + b, part = x - a;
    *rest = (a - (x - part)) + (b - part);
    return x;
}

// start + rest + count dt, as x + *rest
double ly_clock_read(const LyClock *clock, double *rest)
{
    if (clock->count == 0) {
        *rest = clock->rest;
        return clock->start;
    }
    double count = (double)clock->count, product = count * clock->dt, low;
    double x = sum_of(clock->start, product, &low);
    low += fma(count, clock->dt, -product) + clock->rest;
    return sum_of(x, low, rest);
}

// the clock after a further step of dt
static LyClock tick(const LyClock *clock, double dt)
{
    LyClock next = *clock;
    if (clock->dt != dt) {
        next = (LyClock){.dt = dt};
        next.start = ly_clock_read(clock, &next.rest);
    }
    ++next.count;
    return next;
}

double lyra_state_next_time(const LyraState *state, double dt)
{
    LYRA_ASSERT(state);
    double rest;
    LyClock next = tick(&state->clock, dt);
    return ly_clock_read(&next, &rest);
}

void ly_state_tick(LyraState *state, const LyraState *from, double dt)
{
    double rest;
    state->clock = tick(&from->clock, dt);
    state->time = ly_clock_read(&state->clock, &rest);
    state->steps = from->steps + 1;
}

// ---- finding by name ----------------------------------------------------------------------------

static uint32_t hash_of(const char *name, LyraStateOwner owner)
{
    uint64_t hash = ly_name_hash(name) + (uint64_t)owner;
    return (uint32_t)(hash ^ hash >> 32);
}

static bool is_called(const LyBlock *block, uint32_t hash, const char *name, LyraStateOwner owner)
{
    return block->hash == hash && block->owner == owner && strcmp(block->name, name) == 0;
}

// the slot of a block, or the free one where it would go
static int32_t *find_slot(const LyraState *state, uint32_t hash, const char *name,
                          LyraStateOwner owner)
{
    uint32_t at = hash & state->slot_mask;
    while (state->slots[at] > 0 &&
           !is_called(&state->blocks[state->slots[at] - 1], hash, name, owner)) {
        at = (at + 1) & state->slot_mask;
    }
    return &state->slots[at];
}

static int32_t *slot_of(const LyraState *state, const LyBlock *block)
{
    return find_slot(state, block->hash, block->name, block->owner);
}

// of two blocks of one name the later one is found
static void index_blocks(LyraState *state)
{
    if (state->slots) {
        memset(state->slots, 0, ((size_t)state->slot_mask + 1) * sizeof *state->slots);
    }
    for (int32_t i = 0; i < state->block_count; ++i) {
        *slot_of(state, &state->blocks[i]) = i + 1;
    }
}

int32_t ly_state_find_block(const LyraState *state, const char *name, LyraStateOwner owner)
{
    return state->slots ? *find_slot(state, hash_of(name, owner), name, owner) - 1 : -1;
}

LyraStatus ly_state_reserve_blocks(LyraState *state, int32_t room)
{
    if (room <= state->block_room) {
        return LYRA_OK;
    }
    int32_t more = room > 2 * state->block_room ? room : 2 * state->block_room, *slots = NULL;
    uint32_t count = 8;
    // at most half of them are used
    while (count / 2 < (uint32_t)more) {
        count *= 2;
    }
    LY_TRY(ly_resize_array(state->ctx, more, sizeof *state->blocks, &state->blocks));
    LY_TRY(ly_allocate_zeroed(state->ctx, count, sizeof *slots, &slots));
    ly_release(state->ctx, state->slots);
    state->slots = slots;
    state->slot_mask = count - 1;
    state->block_room = more;
    index_blocks(state);
    return LYRA_OK;
}

void ly_state_add_block(LyraState *state, const LyBlock *block)
{
    LYRA_ASSERT(state->block_count < state->block_room);
    LyBlock *own = &state->blocks[state->block_count++];
    *own = *block;
    own->hash = hash_of(own->name, own->owner);
    *slot_of(state, own) = state->block_count;
}

void ly_state_drop_blocks(LyraState *state, int32_t begin)
{
    if (begin < state->block_count) {
        for (int32_t i = begin; i < state->block_count; ++i) {
            ly_block_destroy(state->ctx, &state->blocks[i]);
        }
        state->block_count = begin;
        index_blocks(state);
    }
}

// ---- blocks -------------------------------------------------------------------------------------

size_t ly_state_type_bytes(LyraStateType type)
{
    static const size_t bytes[LYRA_STATE_TYPE_COUNT] = {sizeof(double), sizeof(int32_t),
                                                        sizeof(int64_t), 1, sizeof(double)};
    return bytes[type];
}

LyraStatus ly_block_create(const LyraState *state, LyBlock *block)
{
    LyraStatus status = LYRA_OK;
    block->values = NULL;
    block->vectors = NULL;
    if (block->type != LYRA_STATE_VECTOR) {
        return ly_allocate_zeroed(state->ctx, block->count, ly_state_type_bytes(block->type),
                                  &block->values);
    }
    LY_TRY(ly_allocate_zeroed(state->ctx, block->count, sizeof(LyraVector *), &block->vectors));
    for (int64_t i = 0; i < block->count; ++i) {
        LY_TRY_DONE(lyra_vector_create_typed(state->ctx, state->type, state->place, block->size,
                                             &block->vectors[i]));
    }
    return LYRA_OK;
done:
    ly_block_destroy(state->ctx, block);
    return status;
}

void ly_block_destroy(LyraContext *ctx, LyBlock *block)
{
    for (int64_t i = 0; block->vectors && i < block->count; ++i) {
        lyra_vector_destroy(block->vectors[i]);
    }
    ly_release(ctx, block->vectors);
    ly_release(ctx, block->values);
    block->vectors = NULL;
    block->values = NULL;
}

void lyra_state_forget(LyraState *state, LyraStateOwner owner)
{
    LYRA_ASSERT(state);
    int32_t kept = 0;
    for (int32_t i = 0; i < state->block_count; ++i) {
        LyBlock block = state->blocks[i];
        if (block.owner == owner ||
            (owner == LYRA_STATE_METHOD && block.owner == LYRA_STATE_KEPT)) {
            ly_block_destroy(state->ctx, &block);
        } else {
            state->blocks[kept++] = block;
        }
    }
    if (kept < state->block_count) {
        state->block_count = kept;
        index_blocks(state);
    }
}

static bool same_shape(const LyBlock *a, const LyBlock *b)
{
    return a->type == b->type && a->count == b->count && a->size == b->size;
}

// zeros, as of a block that was made anew
static void clear_block(LyBlock *block)
{
    for (int64_t i = 0; block->vectors && i < block->count; ++i) {
        lyra_vector_fill(block->vectors[i], 0);
    }
    if (block->values) {
        memset(block->values, 0, (size_t)block->count * ly_state_type_bytes(block->type));
    }
}

void ly_state_outdate(LyraState *state)
{
    for (int32_t i = 0; i < state->block_count; ++i) {
        LyBlock *block = &state->blocks[i];
        bool of_method = block->owner == LYRA_STATE_METHOD || block->owner == LYRA_STATE_KEPT;
        if (of_method && strcmp(block->name, LY_SOLVER_BLOCK) != 0) {
            block->version = OUTDATED;
        }
    }
}

// finds or makes a block whose fields but the name are set
static LyraStatus take_block(LyraState *state, const char *name, LyBlock *wanted, LyBlock **out,
                             bool *fresh)
{
    size_t length = strlen(name);
    if (length == 0 || length >= LY_BLOCK_NAME_BYTES || wanted->count < 0 || wanted->size < 0) {
        return ly_fail(LYRA_INVALID_ARGUMENT,
                       "state: block \"%.40s\" with %lld numbers; names have 1 to %d bytes", name,
                       (long long)wanted->count, LY_BLOCK_NAME_BYTES - 1);
    }
    if ((int)wanted->owner < 0 || wanted->owner >= LYRA_STATE_OWNER_COUNT) {
        return ly_fail(LYRA_INVALID_ARGUMENT, "state: block \"%s\" of owner %d, expected [0, %d)",
                       name, (int)wanted->owner, (int)LYRA_STATE_OWNER_COUNT);
    }
    int32_t at = ly_state_find_block(state, name, wanted->owner);
    if (at >= 0 && state->blocks[at].version == wanted->version &&
        same_shape(&state->blocks[at], wanted)) {
        *out = &state->blocks[at];
        *fresh = false;
        return LYRA_OK;
    }
    if (at >= 0 && state->blocks[at].version == OUTDATED &&
        same_shape(&state->blocks[at], wanted)) {
        clear_block(&state->blocks[at]);
        state->blocks[at].version = wanted->version;
        *out = &state->blocks[at];
        *fresh = true;
        return LYRA_OK;
    }
    memcpy(wanted->name, name, length);
    LY_TRY(ly_state_reserve_blocks(state, state->block_count + (at < 0)));
    LY_TRY(ly_block_create(state, wanted));
    if (at >= 0) {
        wanted->hash = state->blocks[at].hash;
        ly_block_destroy(state->ctx, &state->blocks[at]);
        state->blocks[at] = *wanted;
    } else {
        at = state->block_count;
        ly_state_add_block(state, wanted);
    }
    *out = &state->blocks[at];
    *fresh = true;
    return LYRA_OK;
}

LyraStatus lyra_state_block(LyraState *state, const LyraStateBlockDef *def, void **values,
                            bool *fresh)
{
    LYRA_ASSERT(state && def && def->name && values && fresh);
    if ((int)def->type < 0 || def->type >= LYRA_STATE_VECTOR) {
        return ly_fail(LYRA_INVALID_ARGUMENT, "state: block \"%.40s\" of type %d, expected [0, %d)",
                       def->name, (int)def->type, (int)LYRA_STATE_VECTOR);
    }
    LyBlock wanted = {
        .version = def->version, .owner = def->owner, .type = def->type, .count = def->count};
    LyBlock *block = NULL;
    LY_TRY(take_block(state, def->name, &wanted, &block, fresh));
    *values = block->values;
    return LYRA_OK;
}

LyraStatus lyra_state_vectors(LyraState *state, const LyraStateVectorsDef *def,
                              LyraVector ***vectors, bool *fresh)
{
    LYRA_ASSERT(state && def && def->name && vectors && fresh);
    LyBlock wanted = {.version = def->version,
                      .owner = def->owner,
                      .type = LYRA_STATE_VECTOR,
                      .size = def->size,
                      .count = def->count};
    LyBlock *block = NULL;
    LY_TRY(take_block(state, def->name, &wanted, &block, fresh));
    *vectors = block->vectors;
    return LYRA_OK;
}

static LyraStateBlock view_of(const LyBlock *block)
{
    return (LyraStateBlock){.name = block->name,
                            .version = block->version,
                            .owner = block->owner,
                            .type = block->type,
                            .count = block->count,
                            .values = block->values,
                            .size = block->size,
                            .vectors = block->vectors};
}

bool lyra_state_block_at(const LyraState *state, int32_t index, LyraStateBlock *out)
{
    LYRA_ASSERT(state && out);
    if (index < 0 || index >= state->block_count) {
        return false;
    }
    *out = view_of(&state->blocks[index]);
    return true;
}

bool lyra_state_find_block(const LyraState *state, const char *name, LyraStateOwner owner,
                           LyraStateBlock *out)
{
    LYRA_ASSERT(state && name && out);
    int32_t at = ly_state_find_block(state, name, owner);
    if (at >= 0) {
        *out = view_of(&state->blocks[at]);
    }
    return at >= 0;
}

// ---- copies -------------------------------------------------------------------------------------

// a block of the shape and the names of another, its numbers not yet set
static LyraStatus append_like(LyraState *state, const LyBlock *wanted, LyraStateOwner owner)
{
    LyBlock block = *wanted;
    block.owner = owner;
    LY_TRY(ly_state_reserve_blocks(state, state->block_count + 1));
    LY_TRY(ly_block_create(state, &block));
    ly_state_add_block(state, &block);
    return LYRA_OK;
}

// place of the block that is called as `like`, -1 if there is none; looks at `guess` first
static int32_t find_like(const LyraState *state, const LyBlock *like, int32_t guess)
{
    if (guess < state->block_count &&
        is_called(&state->blocks[guess], like->hash, like->name, like->owner)) {
        return guess;
    }
    return state->slots ? *slot_of(state, like) - 1 : -1;
}

static void swap_blocks(LyraState *state, int32_t i, int32_t k)
{
    LyBlock swap = state->blocks[i];
    int32_t *slot = slot_of(state, &state->blocks[i]), *other = slot_of(state, &state->blocks[k]);
    // of two of one name, the slot goes with the one that is found
    bool found = *slot == i + 1, other_found = *other == k + 1;
    state->blocks[i] = state->blocks[k];
    state->blocks[k] = swap;
    *slot = found ? k + 1 : *slot;
    *other = other_found ? i + 1 : *other;
}

// makes room in `state` for the blocks of `source`: appends the missing ones, then brings all into
// the order of `source` and drops the rest
static LyraStatus match_blocks(LyraState *state, const LyraState *source)
{
    int32_t before = state->block_count;
    LyraStatus status = LYRA_OK;
    for (int32_t i = 0; i < source->block_count; ++i) {
        const LyBlock *wanted = &source->blocks[i];
        int32_t at = find_like(state, wanted, i);
        if (at < 0 || !same_shape(&state->blocks[at], wanted)) {
            LY_TRY_DONE(append_like(state, wanted, wanted->owner));
        }
    }
    for (int32_t i = 0; i < source->block_count; ++i) {
        // of two with one name the new one is found, which has the right shape
        int32_t at = *slot_of(state, &source->blocks[i]) - 1;
        if (at != i) {
            swap_blocks(state, i, at);
        }
    }
    ly_state_drop_blocks(state, source->block_count);
    return LYRA_OK;
done:
    ly_state_drop_blocks(state, before);
    return status;
}

// for two of one shape
static void copy_block(const LyBlock *from, LyBlock *to)
{
    to->version = from->version;
    if (from->values && from->count > 0) {
        memcpy(to->values, from->values, (size_t)from->count * ly_state_type_bytes(from->type));
    }
    // what the material remembers is long, and is written as a whole
    bool shared = from->owner == LYRA_STATE_MATERIAL || from->owner == LYRA_STATE_KEPT;
    for (int64_t i = 0; from->vectors && i < from->count; ++i) {
        (shared ? ly_vector_share : lyra_vector_copy)(from->vectors[i], to->vectors[i]);
    }
}

LyraStatus lyra_state_assign(LyraState *state, const LyraState *source)
{
    LYRA_ASSERT(state && source);
    if (state == source) {
        return LYRA_OK;
    }
    if (state->size != source->size) {
        return ly_fail(LYRA_INVALID_ARGUMENT, "state: %d unknowns assigned from %d",
                       (int)state->size, (int)source->size);
    }
    if (!lyra_vector_is_alike(state->u, source->u)) {
        return ly_fail(LYRA_INVALID_ARGUMENT,
                       "state: assigned from one whose vectors lie elsewhere");
    }
    LY_TRY(match_blocks(state, source));
    for (int32_t i = 0; i < source->block_count; ++i) {
        copy_block(&source->blocks[i], &state->blocks[i]);
    }
    lyra_vector_copy(source->u, state->u);
    lyra_vector_copy(source->v, state->v);
    lyra_vector_copy(source->a, state->a);
    state->time = source->time;
    state->clock = source->clock;
    state->steps = source->steps;
    return LYRA_OK;
}

LyraStatus lyra_state_copy(const LyraState *state, LyraState **out)
{
    LYRA_ASSERT(state && out);
    LyraState *copy = NULL;
    LY_TRY(ly_state_create(state->ctx, state->type, state->place, state->size, &copy));
    LyraStatus status = lyra_state_assign(copy, state);
    if (status != LYRA_OK) {
        lyra_state_destroy(copy);
        return status;
    }
    *out = copy;
    return LYRA_OK;
}

// whether `state` has a block of owner `owner` for each of `source` of owner `from`, and no others
static bool has_same_blocks(const LyraState *state, LyraStateOwner to, const LyraState *source,
                            LyraStateOwner from)
{
    int32_t wanted = 0, there = 0;
    for (int32_t i = 0; i < source->block_count; ++i) {
        const LyBlock *block = &source->blocks[i];
        if (block->owner == from) {
            int32_t at = ly_state_find_block(state, block->name, to);
            if (at < 0 || !same_shape(&state->blocks[at], block)) {
                return false;
            }
            ++wanted;
        }
    }
    for (int32_t i = 0; i < state->block_count; ++i) {
        there += state->blocks[i].owner == to;
    }
    return wanted == there;
}

LyraStatus ly_state_take_blocks(LyraState *state, LyraStateOwner to, const LyraState *source,
                                LyraStateOwner from)
{
    if (!has_same_blocks(state, to, source, from)) {
        lyra_state_forget(state, to);
        for (int32_t i = 0; i < source->block_count; ++i) {
            if (source->blocks[i].owner == from) {
                LyBlock wanted = source->blocks[i];
                LY_TRY(append_like(state, &wanted, to));
            }
        }
    }
    for (int32_t i = 0; i < source->block_count; ++i) {
        const LyBlock *block = &source->blocks[i];
        if (block->owner == from) {
            copy_block(block, &state->blocks[ly_state_find_block(state, block->name, to)]);
        }
    }
    return LYRA_OK;
}

// ---- equality -----------------------------------------------------------------------------------

static bool same_bits(const void *a, const void *b, size_t bytes)
{
    return bytes == 0 || memcmp(a, b, bytes) == 0;
}

static bool same_clock(const LyClock *a, const LyClock *b)
{
    return same_bits(&a->start, &b->start, sizeof a->start) &&
           same_bits(&a->rest, &b->rest, sizeof a->rest) &&
           same_bits(&a->dt, &b->dt, sizeof a->dt) && a->count == b->count;
}

static bool same_block(const LyBlock *a, const LyBlock *b)
{
    if (strcmp(a->name, b->name) != 0 || a->version != b->version || !same_shape(a, b)) {
        return false;
    }
    for (int64_t i = 0; a->vectors && i < a->count; ++i) {
        if (!ly_vector_has_stamp_of(a->vectors[i], b->vectors[i]) &&
            !lyra_vector_equal(a->vectors[i], b->vectors[i])) {
            return false;
        }
    }
    return a->vectors ||
           same_bits(a->values, b->values, (size_t)a->count * ly_state_type_bytes(a->type));
}

bool lyra_state_equal(const LyraState *a, const LyraState *b)
{
    LYRA_ASSERT(a && b);
    if (a->size != b->size || a->steps != b->steps || a->block_count != b->block_count ||
        !same_bits(&a->time, &b->time, sizeof a->time) || !same_clock(&a->clock, &b->clock) ||
        !lyra_vector_is_alike(a->u, b->u) || !lyra_vector_equal(a->u, b->u) ||
        !lyra_vector_equal(a->v, b->v) || !lyra_vector_equal(a->a, b->a)) {
        return false;
    }
    for (int32_t i = 0; i < a->block_count; ++i) {
        if (a->blocks[i].owner != b->blocks[i].owner || !same_block(&a->blocks[i], &b->blocks[i])) {
            return false;
        }
    }
    return true;
}

bool ly_state_blocks_equal(const LyraState *a, LyraStateOwner p, const LyraState *b,
                           LyraStateOwner q)
{
    if (!has_same_blocks(a, p, b, q)) {
        return false;
    }
    for (int32_t i = 0; i < b->block_count; ++i) {
        const LyBlock *block = &b->blocks[i];
        if (block->owner == q &&
            !same_block(&a->blocks[ly_state_find_block(a, block->name, p)], block)) {
            return false;
        }
    }
    return true;
}
