// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// States as bytes. Packed, a state is words of eight bytes: magic, version and number of blocks,
// unknowns, words in all, time, steps, the clock (four words), then u, v, a, then per block its
// name (four words), version and owner, type and size of vectors, count, and its numbers, filled up
// with zero bytes to whole words; last a checksum of all words before.
//
// Version 2 had blocks of doubles alone: name, version, count (a word each) and values. Version 1
// had no clock either.

#include "model/model.h"
#include "model/state.h"

#include <math.h>
#include <string.h>

#define MAGIC 0x657461745361724cu // "LraState" where the low byte comes first
#define FORMAT_VERSION 3
#define HEADER_WORDS 10
#define HEADER_WORDS_1 6 // of version 1
#define BLOCK_WORDS 7
#define BLOCK_WORDS_2 6       // up to version 2
#define OLD_HISTORY "history" // what the material remembered, up to version 2
#define CHUNK 512

typedef struct Header {
    uint64_t magic;
    uint32_t version, block_count;
    int64_t size, words; // unknowns; words of the whole, checksum included
    double time;
    int64_t steps;
    LyClock clock; // from version 2 on
} Header;

typedef struct BlockHeader {
    char name[LY_BLOCK_NAME_BYTES];
    int32_t version, owner, type, size;
    int64_t count;
} BlockHeader;

typedef struct BlockHeader2 {
    char name[LY_BLOCK_NAME_BYTES];
    int64_t version, count;
} BlockHeader2;

_Static_assert(sizeof(Header) == 8 * HEADER_WORDS, "no padding");
_Static_assert(sizeof(BlockHeader) == 8 * BLOCK_WORDS, "no padding");
_Static_assert(sizeof(BlockHeader2) == 8 * BLOCK_WORDS_2, "no padding");

// words of the numbers of a block
static int64_t block_words(const LyBlock *block)
{
    if (block->type == LYRA_STATE_VECTOR) {
        return block->count * block->size;
    }
    return (block->count * (int64_t)ly_state_type_bytes(block->type) + 7) / 8;
}

// ---- writing ------------------------------------------------------------------------------------

static int64_t packed_words(const LyraState *state)
{
    int64_t words = HEADER_WORDS + 3 * (int64_t)state->size + 1;
    for (int32_t i = 0; i < state->block_count; ++i) {
        words += BLOCK_WORDS + block_words(&state->blocks[i]);
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

// `to` may be at any address
static char *put_vector(char *to, const LyraVector *vector)
{
    double part[CHUNK];
    int32_t size = lyra_vector_size(vector);
    for (int32_t i = 0; i < size; i += CHUNK) {
        int32_t count = size - i < CHUNK ? size - i : CHUNK;
        lyra_vector_read(vector, i, count, part);
        to = put(to, part, (size_t)count * sizeof *part);
    }
    return to;
}

static char *put_block(char *to, const LyBlock *block)
{
    BlockHeader head = {.version = block->version,
                        .owner = (int32_t)block->owner,
                        .type = (int32_t)block->type,
                        .size = block->size,
                        .count = block->count};
    memcpy(head.name, block->name, LY_BLOCK_NAME_BYTES);
    to = put(to, &head, sizeof head);
    for (int64_t i = 0; block->vectors && i < block->count; ++i) {
        to = put_vector(to, block->vectors[i]);
    }
    if (block->values) {
        size_t bytes = (size_t)block->count * ly_state_type_bytes(block->type);
        to = put(to, block->values, bytes);
        size_t rest = 8 * (size_t)block_words(block) - bytes;
        memset(to, 0, rest);
        to += rest;
    }
    return to;
}

void lyra_state_pack(const LyraState *state, void *bytes)
{
    LYRA_ASSERT(state && bytes);
    Header header = {MAGIC,        FORMAT_VERSION,      (uint32_t)state->block_count,
                     state->size,  packed_words(state), state->time,
                     state->steps, state->clock};
    char *to = put(bytes, &header, sizeof header);
    to = put_vector(to, state->u);
    to = put_vector(to, state->v);
    to = put_vector(to, state->a);
    for (int32_t i = 0; i < state->block_count; ++i) {
        to = put_block(to, &state->blocks[i]);
    }
    uint64_t sum = ly_checksum(LY_CHECKSUM_START, bytes, header.words - 1);
    put(to, &sum, sizeof sum);
}

// ---- reading ------------------------------------------------------------------------------------

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
    header->clock = (LyClock){.start = header->time};
    if (header->version > 1 && header->words > HEADER_WORDS) {
        memcpy(header, bytes, sizeof *header);
    }
    double rest, time = header->time;
    bool counted = header->clock.count >= 0 && header->clock.count <= (int64_t)1 << 53;
    double shown = counted ? ly_clock_read(&header->clock, &rest) : NAN;
    if (!counted || !(shown == time || (isnan(shown) && isnan(time)))) {
        return ly_fail(LYRA_BAD_FORMAT, "state: the time is %.17g s and the clock shows another",
                       time);
    }
    return LYRA_OK;
}

// The head of the block at `from`, of at most `words` words; how many words it and the numbers
// have.
static bool read_head(const char *from, int64_t words, uint32_t version, LyBlock *block,
                      int64_t *head_words)
{
    BlockHeader head = {.name = ""};
    *head_words = version < 3 ? BLOCK_WORDS_2 : BLOCK_WORDS;
    if (words < *head_words) {
        return false;
    }
    if (version < 3) {
        BlockHeader2 old;
        memcpy(&old, from, sizeof old);
        memcpy(head.name, old.name, sizeof old.name);
        head.version = (int32_t)old.version;
        head.count = old.count;
        if (old.version != head.version || old.count < 0 || old.count > words) {
            return false;
        }
        if (strncmp(old.name, OLD_HISTORY, sizeof old.name) == 0) {
            if (old.count > INT32_MAX) {
                return false;
            }
            head.owner = LYRA_STATE_MATERIAL;
            head.type = LYRA_STATE_VECTOR;
            head.size = (int32_t)old.count;
            head.count = 1;
        }
    } else {
        memcpy(&head, from, sizeof head);
    }
    int64_t most = words - *head_words;
    if (!head.name[0] || !memchr(head.name, 0, LY_BLOCK_NAME_BYTES) || head.owner < 0 ||
        head.owner >= LYRA_STATE_OWNER_COUNT || head.type < 0 ||
        head.type >= LYRA_STATE_TYPE_COUNT || head.count < 0 || head.size < 0) {
        return false;
    }
    bool vectors = head.type == LYRA_STATE_VECTOR;
    // vectors without entries are made one by one as well, so their number is bounded, too
    int64_t bound = vectors ? most / ly_max_i64(head.size, 1) + (head.size == 0) : 8 * most;
    if ((!vectors && head.size != 0) || head.count > bound) {
        return false;
    }
    *block = (LyBlock){.version = head.version,
                       .owner = (LyraStateOwner)head.owner,
                       .type = (LyraStateType)head.type,
                       .size = head.size,
                       .count = head.count};
    memcpy(block->name, head.name, LY_BLOCK_NAME_BYTES);
    return block_words(block) <= most;
}

// `from` may be at any address
static const char *get_vector(const char *from, LyraVector *vector)
{
    double part[CHUNK];
    int32_t size = lyra_vector_size(vector);
    for (int32_t i = 0; i < size; i += CHUNK) {
        int32_t count = size - i < CHUNK ? size - i : CHUNK;
        memcpy(part, from, (size_t)count * sizeof *part);
        lyra_vector_write(vector, i, count, part);
        from += (size_t)count * sizeof *part;
    }
    return from;
}

// whether the bytes that fill up the last word of a block's numbers are zero
static bool is_filled_up(const char *from, const LyBlock *block)
{
    if (block->type == LYRA_STATE_VECTOR) {
        return true;
    }
    int64_t end = block->count * (int64_t)ly_state_type_bytes(block->type);
    while (end % 8 != 0 && from[end] == 0) {
        ++end;
    }
    return end % 8 == 0;
}

static LyraStatus get_block(const LyraState *state, const char *from, LyBlock *block)
{
    LY_TRY(ly_block_create(state, block));
    for (int64_t i = 0; block->vectors && i < block->count; ++i) {
        from = get_vector(from, block->vectors[i]);
    }
    if (block->values) {
        put(block->values, from, (size_t)block->count * ly_state_type_bytes(block->type));
    }
    return LYRA_OK;
}

// checks the blocks from `from` on, of `words` words, and adds them to `to` if it is not NULL
static LyraStatus read_blocks(const LyraState *state, const char *from, int64_t words,
                              const Header *header, LyraState *to)
{
    uint32_t count = header->block_count;
    for (uint32_t i = 0; i < count; ++i) {
        LyBlock block;
        int64_t head = 0;
        if (!read_head(from, words, header->version, &block, &head) ||
            !is_filled_up(from + 8 * head, &block)) {
            return ly_fail(LYRA_BAD_FORMAT, "state: block %u of %u is not whole", (unsigned)i,
                           (unsigned)count);
        }
        if (to && ly_state_find_block(to, block.name, block.owner) >= 0) {
            return ly_fail(LYRA_BAD_FORMAT, "state: two blocks are called \"%s\"", block.name);
        }
        if (to) {
            LY_TRY(get_block(state, from + 8 * head, &block));
            ly_state_add_block(to, &block);
        }
        head += block_words(&block);
        from += 8 * head;
        words -= head;
    }
    return words == 0 ? LYRA_OK
                      : ly_fail(LYRA_BAD_FORMAT, "state: %lld words after the last block",
                                (long long)words);
}

static void drop(LyraState *state)
{
    ly_state_drop_blocks(state, 0);
    ly_release(state->ctx, state->blocks);
    ly_release(state->ctx, state->slots);
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
    if (words < 0 || header.block_count > words / BLOCK_WORDS_2) {
        return ly_fail(LYRA_BAD_FORMAT, "state: %lld words for %u blocks", (long long)words,
                       (unsigned)header.block_count);
    }
    LY_TRY(read_blocks(state, first, words, &header, NULL));
    LyraState read = {.ctx = state->ctx};
    LyraStatus status = ly_state_reserve_blocks(&read, (int32_t)header.block_count);
    if (status == LYRA_OK) {
        status = read_blocks(state, first, words, &header, &read);
    }
    if (status != LYRA_OK) {
        drop(&read);
        return status;
    }
    drop(state);
    state->blocks = read.blocks;
    state->block_count = read.block_count;
    state->block_room = read.block_room;
    state->slots = read.slots;
    state->slot_mask = read.slot_mask;
    state->time = header.time;
    state->clock = header.clock;
    state->steps = header.steps;
    at = get_vector(at + 8 * head, state->u);
    at = get_vector(at, state->v);
    get_vector(at, state->a);
    return LYRA_OK;
}
