// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// States: three vectors, the time, and a short list of named blocks.
//
// The clock. After n steps of one length dt the time is start + n dt, rounded once; a sum of n
// roundings would miss the moments that a step function or a table names. Where dt changes, the
// clock starts anew at the time it has, unrounded: as the sum of two doubles.
//
// Packed, a state is words of eight bytes: magic, version and number of blocks, unknowns, words in
// all, time, steps, the clock (four words), then u, v, a, then per block its name (four words),
// version, count and values, and last a checksum of all words before. Version 1 had no clock.

#include "lyra/state.h"

#include "base/base.h"
#include "model/model.h"

#include <math.h>
#include <string.h>

#define NAME_BYTES 32

typedef struct Block {
    char name[NAME_BYTES];
    int32_t version;
    int64_t count;
    double *values;
} Block;

// time = start + rest + count dt
typedef struct Clock {
    double start, rest;
    double dt;
    int64_t count;
} Clock;

struct LyraState {
    LyraContext *ctx;
    int32_t size;
    double time;
    Clock clock;
    int64_t steps;
    LyraVector *u, *v, *a;
    int32_t block_count, block_room;
    Block *blocks; // [block_room], the first block_count alive
};

// ---- life ---------------------------------------------------------------------------------------

LyraStatus lyra_state_create(LyraContext *ctx, int32_t size, LyraState **out)
{
    LYRA_ASSERT(ctx && out);
    LyraStatus status = LYRA_OK;
    LyraState *state = NULL;
    LY_TRY(ly_allocate_zeroed(ctx, 1, sizeof *state, &state));
    state->ctx = ctx;
    state->size = size;
    LY_TRY_DONE(lyra_vector_create(ctx, size, &state->u));
    LY_TRY_DONE(lyra_vector_create(ctx, size, &state->v));
    LY_TRY_DONE(lyra_vector_create(ctx, size, &state->a));
    *out = state;
    return LYRA_OK;
done:
    lyra_state_destroy(state);
    return status;
}

// releases blocks from `begin` on
static void drop_blocks(LyraState *state, int32_t begin)
{
    for (int32_t i = begin; i < state->block_count; ++i) {
        ly_release(state->ctx, state->blocks[i].values);
    }
    state->block_count = begin < state->block_count ? begin : state->block_count;
}

void lyra_state_destroy(LyraState *state)
{
    if (state) {
        drop_blocks(state, 0);
        ly_release(state->ctx, state->blocks);
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
    state->clock = (Clock){.start = time};
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
static double read_clock(const Clock *clock, double *rest)
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
static Clock tick(const Clock *clock, double dt)
{
    Clock next = *clock;
    if (clock->dt != dt) {
        next = (Clock){.dt = dt};
        next.start = read_clock(clock, &next.rest);
    }
    ++next.count;
    return next;
}

double lyra_state_next_time(const LyraState *state, double dt)
{
    LYRA_ASSERT(state);
    double rest;
    Clock next = tick(&state->clock, dt);
    return read_clock(&next, &rest);
}

void ly_state_tick(LyraState *state, const LyraState *from, double dt)
{
    double rest;
    state->clock = tick(&from->clock, dt);
    state->time = read_clock(&state->clock, &rest);
    state->steps = from->steps + 1;
}

// ---- blocks -------------------------------------------------------------------------------------

void lyra_state_forget(LyraState *state)
{
    LYRA_ASSERT(state);
    drop_blocks(state, 0);
}

// place of the block of that name in [begin, block_count), -1 if there is none
static int32_t find_block(const LyraState *state, int32_t begin, const char *name)
{
    for (int32_t i = begin; i < state->block_count; ++i) {
        if (strcmp(state->blocks[i].name, name) == 0) {
            return i;
        }
    }
    return -1;
}

static LyraStatus reserve_blocks(LyraState *state, int32_t room)
{
    if (room > state->block_room) {
        int32_t more = room > 2 * state->block_room ? room : 2 * state->block_room;
        LY_TRY(ly_resize_array(state->ctx, more, sizeof *state->blocks, &state->blocks));
        state->block_room = more;
    }
    return LYRA_OK;
}

LyraStatus lyra_state_block(LyraState *state, const char *name, int32_t version, int64_t count,
                            double **values, bool *fresh)
{
    LYRA_ASSERT(state && name && values && fresh);
    size_t length = strlen(name);
    if (length == 0 || length >= NAME_BYTES || count < 0) {
        return ly_fail(LYRA_INVALID_ARGUMENT,
                       "state: block \"%.40s\" with %lld numbers; names have 1 to %d bytes", name,
                       (long long)count, NAME_BYTES - 1);
    }
    int32_t at = find_block(state, 0, name);
    if (at >= 0 && state->blocks[at].version == version && state->blocks[at].count == count) {
        *values = state->blocks[at].values;
        *fresh = false;
        return LYRA_OK;
    }
    Block block = {.version = version, .count = count};
    memcpy(block.name, name, length);
    LY_TRY(reserve_blocks(state, state->block_count + (at < 0)));
    LY_TRY(ly_allocate_zeroed(state->ctx, count, sizeof(double), &block.values));
    if (at >= 0) {
        ly_release(state->ctx, state->blocks[at].values);
    } else {
        at = state->block_count++;
    }
    state->blocks[at] = block;
    *values = block.values;
    *fresh = true;
    return LYRA_OK;
}

bool lyra_state_block_at(const LyraState *state, int32_t index, LyraStateBlock *out)
{
    LYRA_ASSERT(state && out);
    if (index < 0 || index >= state->block_count) {
        return false;
    }
    const Block *block = &state->blocks[index];
    *out = (LyraStateBlock){block->name, block->version, block->count, block->values};
    return true;
}

// ---- copies -------------------------------------------------------------------------------------

// makes room in `state` for the blocks of `source`: appends the missing ones, then brings all into
// the order of `source` and drops the rest
static LyraStatus match_blocks(LyraState *state, const LyraState *source)
{
    int32_t before = state->block_count;
    LyraStatus status = LYRA_OK;
    for (int32_t i = 0; i < source->block_count; ++i) {
        const Block *wanted = &source->blocks[i];
        int32_t at = find_block(state, 0, wanted->name);
        if (at >= 0 && state->blocks[at].count == wanted->count) {
            continue;
        }
        Block block = *wanted;
        LY_TRY_DONE(reserve_blocks(state, state->block_count + 1));
        LY_TRY_DONE(
            ly_allocate_array(state->ctx, block.count, sizeof *block.values, &block.values));
        state->blocks[state->block_count++] = block;
    }
    for (int32_t i = 0; i < source->block_count; ++i) {
        // of two with one name, the later one is new and has the right count
        const Block *wanted = &source->blocks[i];
        int32_t at = find_block(state, i, wanted->name);
        if (state->blocks[at].count != wanted->count) {
            at = find_block(state, at + 1, wanted->name);
        }
        Block swap = state->blocks[i];
        state->blocks[i] = state->blocks[at];
        state->blocks[at] = swap;
    }
    drop_blocks(state, source->block_count);
    return LYRA_OK;
done:
    drop_blocks(state, before);
    return status;
}

static void copy_values(double *to, const double *from, int64_t count)
{
    if (count > 0) {
        memcpy(to, from, (size_t)count * sizeof *to);
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
    LY_TRY(match_blocks(state, source));
    for (int32_t i = 0; i < source->block_count; ++i) {
        const Block *from = &source->blocks[i];
        state->blocks[i].version = from->version;
        copy_values(state->blocks[i].values, from->values, from->count);
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
    LY_TRY(lyra_state_create(state->ctx, state->size, &copy));
    LyraStatus status = lyra_state_assign(copy, state);
    if (status != LYRA_OK) {
        lyra_state_destroy(copy);
        return status;
    }
    *out = copy;
    return LYRA_OK;
}

static bool same_bits(const double *a, const double *b, int64_t count)
{
    return count == 0 || memcmp(a, b, (size_t)count * sizeof *a) == 0;
}

static bool same_vector(const LyraVector *a, const LyraVector *b)
{
    return same_bits(lyra_vector_values(a), lyra_vector_values(b), lyra_vector_size(a));
}

static bool same_clock(const Clock *a, const Clock *b)
{
    return same_bits(&a->start, &b->start, 1) && same_bits(&a->rest, &b->rest, 1) &&
           same_bits(&a->dt, &b->dt, 1) && a->count == b->count;
}

bool lyra_state_equal(const LyraState *a, const LyraState *b)
{
    LYRA_ASSERT(a && b);
    if (a->size != b->size || a->steps != b->steps || a->block_count != b->block_count ||
        !same_bits(&a->time, &b->time, 1) || !same_clock(&a->clock, &b->clock) ||
        !same_vector(a->u, b->u) || !same_vector(a->v, b->v) || !same_vector(a->a, b->a)) {
        return false;
    }
    for (int32_t i = 0; i < a->block_count; ++i) {
        const Block *p = &a->blocks[i], *q = &b->blocks[i];
        if (strcmp(p->name, q->name) != 0 || p->version != q->version || p->count != q->count ||
            !same_bits(p->values, q->values, p->count)) {
            return false;
        }
    }
    return true;
}

// ---- bytes --------------------------------------------------------------------------------------

#define MAGIC 0x657461745361724cu // "LraState" where the low byte comes first
#define FORMAT_VERSION 2
#define HEADER_WORDS 10
#define HEADER_WORDS_1 6 // of version 1
#define BLOCK_WORDS 6

typedef struct Header {
    uint64_t magic;
    uint32_t version, block_count;
    int64_t size, words; // unknowns; words of the whole, checksum included
    double time;
    int64_t steps;
    Clock clock; // from version 2 on
} Header;

typedef struct BlockHeader {
    char name[NAME_BYTES];
    int64_t version, count;
} BlockHeader;

_Static_assert(sizeof(Header) == 8 * HEADER_WORDS, "no padding");
_Static_assert(sizeof(BlockHeader) == 8 * BLOCK_WORDS, "no padding");

static int64_t packed_words(const LyraState *state)
{
    int64_t words = HEADER_WORDS + 3 * (int64_t)state->size + 1;
    for (int32_t i = 0; i < state->block_count; ++i) {
        words += BLOCK_WORDS + state->blocks[i].count;
    }
    return words;
}

size_t lyra_state_packed_size(const LyraState *state)
{
    LYRA_ASSERT(state);
    return 8 * (size_t)packed_words(state);
}

static char *put(char *to, const void *from, size_t bytes)
{
    if (bytes > 0) {
        memcpy(to, from, bytes);
    }
    return to + bytes;
}

void lyra_state_pack(const LyraState *state, void *bytes)
{
    LYRA_ASSERT(state && bytes);
    Header header = {MAGIC,        FORMAT_VERSION,      (uint32_t)state->block_count,
                     state->size,  packed_words(state), state->time,
                     state->steps, state->clock};
    size_t vector = (size_t)state->size * sizeof(double);
    char *to = put(bytes, &header, sizeof header);
    to = put(to, lyra_vector_values(state->u), vector);
    to = put(to, lyra_vector_values(state->v), vector);
    to = put(to, lyra_vector_values(state->a), vector);
    for (int32_t i = 0; i < state->block_count; ++i) {
        const Block *block = &state->blocks[i];
        BlockHeader head = {.version = block->version, .count = block->count};
        memcpy(head.name, block->name, NAME_BYTES);
        to = put(to, &head, sizeof head);
        to = put(to, block->values, (size_t)block->count * sizeof(double));
    }
    uint64_t sum = ly_checksum(LY_CHECKSUM_START, bytes, header.words - 1);
    put(to, &sum, sizeof sum);
}

// whether the words of `bytes` are a state of this size, checksum aside
static LyraStatus check_header(const LyraState *state, const char *bytes, size_t length,
                               Header *header)
{
    if (length < 8 * (HEADER_WORDS_1 + 1)) {
        return ly_fail(LYRA_BAD_FORMAT, "state: %zu bytes, too few for a packed state", length);
    }
    memcpy(header, bytes, 8 * HEADER_WORDS_1);
    if (header->magic != MAGIC) {
        return ly_fail(LYRA_BAD_FORMAT, "state: the bytes do not begin as a packed state of this "
                                        "kind of machine does");
    }
    if (header->version < 1 || header->version > FORMAT_VERSION) {
        return ly_fail(LYRA_BAD_FORMAT, "state: packed in version %u, expected 1 to %d",
                       (unsigned)header->version, FORMAT_VERSION);
    }
    if (length % 8 != 0 || header->words < 0 || (uint64_t)header->words != length / 8) {
        return ly_fail(LYRA_BAD_FORMAT, "state: %zu bytes, expected %lld words of 8", length,
                       (long long)header->words);
    }
    if (header->size != state->size) {
        return ly_fail(LYRA_BAD_FORMAT, "state: packed with %lld unknowns, expected %d",
                       (long long)header->size, (int)state->size);
    }
    header->clock = (Clock){.start = header->time};
    if (header->version > 1 && header->words > HEADER_WORDS) {
        memcpy(header, bytes, sizeof *header);
    }
    double rest, time = header->time;
    bool counted = header->clock.count >= 0 && header->clock.count <= (int64_t)1 << 53;
    double shown = counted ? read_clock(&header->clock, &rest) : NAN;
    if (!counted || !(shown == time || (isnan(shown) && isnan(time)))) {
        return ly_fail(LYRA_BAD_FORMAT, "state: the time is %.17g s and the clock shows another",
                       time);
    }
    return LYRA_OK;
}

// checks the blocks from `from` on, of `words` words, and makes them in `blocks` if it is not NULL
static LyraStatus read_blocks(LyraContext *ctx, const char *from, int64_t words, uint32_t count,
                              Block *blocks)
{
    for (uint32_t i = 0; i < count; ++i) {
        BlockHeader head = {.name = ""};
        bool whole = words >= BLOCK_WORDS;
        if (whole) {
            memcpy(&head, from, sizeof head);
            whole = head.count >= 0 && head.count <= words - BLOCK_WORDS && head.name[0] &&
                    memchr(head.name, 0, NAME_BYTES) && head.version == (int32_t)head.version;
        }
        if (!whole) {
            return ly_fail(LYRA_BAD_FORMAT, "state: block %u of %u is not whole", (unsigned)i,
                           (unsigned)count);
        }
        if (blocks) {
            Block block = {.version = (int32_t)head.version, .count = head.count};
            memcpy(block.name, head.name, NAME_BYTES);
            for (uint32_t k = 0; k < i; ++k) {
                if (strcmp(blocks[k].name, block.name) == 0) {
                    return ly_fail(LYRA_BAD_FORMAT, "state: two blocks are called \"%s\"",
                                   block.name);
                }
            }
            LY_TRY(ly_allocate_array(ctx, block.count, sizeof *block.values, &block.values));
            put((char *)block.values, from + sizeof head, (size_t)block.count * sizeof(double));
            blocks[i] = block;
        }
        from += 8 * (BLOCK_WORDS + head.count);
        words -= BLOCK_WORDS + head.count;
    }
    return words == 0 ? LYRA_OK
                      : ly_fail(LYRA_BAD_FORMAT, "state: %lld words after the last block",
                                (long long)words);
}

LyraStatus lyra_state_unpack(LyraState *state, const void *bytes, size_t length)
{
    LYRA_ASSERT(state && (bytes || length == 0));
    Header header;
    uint64_t sum;
    LY_TRY(check_header(state, bytes, length, &header));
    const char *at = bytes;
    memcpy(&sum, at + 8 * (header.words - 1), sizeof sum);
    if (ly_checksum(LY_CHECKSUM_START, bytes, header.words - 1) != sum) {
        return ly_fail(LYRA_BAD_FORMAT, "state: the checksum is wrong: the bytes were changed");
    }
    int64_t head = header.version == 1 ? HEADER_WORDS_1 : HEADER_WORDS;
    int64_t vectors = 3 * (int64_t)state->size, words = header.words - 1 - head - vectors;
    const char *first = at + 8 * (head + vectors);
    if (words < 0 || header.block_count > words / BLOCK_WORDS) {
        return ly_fail(LYRA_BAD_FORMAT, "state: %lld words for %u blocks", (long long)words,
                       (unsigned)header.block_count);
    }
    LY_TRY(read_blocks(state->ctx, first, words, header.block_count, NULL));
    Block *blocks = NULL;
    LY_TRY(ly_allocate_zeroed(state->ctx, header.block_count, sizeof *blocks, &blocks));
    LyraStatus status = read_blocks(state->ctx, first, words, header.block_count, blocks);
    if (status != LYRA_OK) {
        for (uint32_t i = 0; i < header.block_count; ++i) {
            ly_release(state->ctx, blocks[i].values);
        }
        ly_release(state->ctx, blocks);
        return status;
    }
    drop_blocks(state, 0);
    ly_release(state->ctx, state->blocks);
    state->blocks = blocks;
    state->block_count = state->block_room = (int32_t)header.block_count;
    state->time = header.time;
    state->clock = header.clock;
    state->steps = header.steps;
    at += 8 * head;
    LyraVector *vector[3] = {state->u, state->v, state->a};
    for (int32_t i = 0; i < 3; ++i, at += 8 * (int64_t)state->size) {
        put((char *)lyra_vector_values_mutable(vector[i]), at, 8 * (size_t)state->size);
    }
    return LYRA_OK;
}
