// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// States: blocks, copies, equality, bytes and what happens when bytes are cut or changed.

#include "lyra/state.h"
#include "lyra_test.h"
#include "model/state.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SIZE 6

static double *block(LyraState *state, const char *name, int32_t version, int64_t count,
                     bool expect_fresh)
{
    const LyraStateBlockDef def = {.name = name, .version = version, .count = count};
    void *values = NULL;
    bool fresh = !expect_fresh;
    TEST_OK(lyra_state_block(state, &def, &values, &fresh));
    TEST_EQUAL(fresh, expect_fresh);
    return values;
}

static LyraState *make(LyraContext *ctx, uint64_t seed)
{
    LyraState *state = NULL;
    TEST_OK(lyra_state_create(ctx, SIZE, &state));
    LyraStateView view = lyra_state_view(state);
    TestRandom random = test_random(seed);
    LyraVector *all[3] = {view.u, view.v, view.a};
    for (int k = 0; k < 3; ++k) {
        for (int i = 0; i < SIZE; ++i) {
            TEST_CHECK(lyra_vector_values(all[k])[i] == 0);
            lyra_vector_values_mutable(all[k])[i] = test_random_normal(&random);
        }
    }
    TEST_CHECK(view.time == 0 && view.steps == 0);
    lyra_state_set_time(state, test_random_in(&random, 0, 9), 17);
    return state;
}

static void fill(double *values, int64_t count, double first)
{
    for (int64_t i = 0; i < count; ++i) {
        values[i] = first + (double)i;
    }
}

LYRA_TEST(blocks_are_found_made_and_replaced)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    LyraState *state = make(ctx, 1);
    LyraStateBlock look;
    TEST_CHECK(!lyra_state_block_at(state, 0, &look));
    double *first = block(state, "bdf", 1, 4, true);
    TEST_CHECK(first[0] == 0 && first[3] == 0);
    fill(first, 4, 5);
    block(state, "controller", 2, 3, true);
    block(state, "empty", 1, 0, true);
    TEST_CHECK(block(state, "bdf", 1, 4, false) == first);
    TEST_CHECK(lyra_state_block_at(state, 1, &look));
    TEST_STRING(look.name, "controller");
    TEST_EQUAL(look.version, 2);
    TEST_EQUAL(look.count, 3);
    TEST_CHECK(!lyra_state_block_at(state, 3, &look) && !lyra_state_block_at(state, -1, &look));
    // another version, then another count: new zeros at the same place
    first = block(state, "bdf", 2, 4, true);
    TEST_CHECK(first[0] == 0);
    fill(first, 4, 5);
    first = block(state, "bdf", 2, 5, true);
    TEST_CHECK(first[0] == 0 && first[4] == 0);
    TEST_CHECK(lyra_state_block_at(state, 0, &look));
    TEST_STRING(look.name, "bdf");
    // names
    void *values = NULL;
    bool fresh = false;
    const LyraStateBlockDef bad[] = {
        {.name = "", .version = 1, .count = 1},
        {.name = "x", .version = 1, .count = -1},
        {.name = "a name of thirty-two bytes ....!", .version = 1, .count = 1},
        {.name = "x", .type = LYRA_STATE_VECTOR, .count = 1},
        {.name = "x", .type = LYRA_STATE_TYPE_COUNT, .count = 1},
        {.name = "x", .owner = LYRA_STATE_OWNER_COUNT, .count = 1},
    };
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; ++i) {
        TEST_STATUS(lyra_state_block(state, &bad[i], &values, &fresh), LYRA_INVALID_ARGUMENT);
    }
    block(state, "a name of thirty-one bytes ....", 1, 1, true);
    TEST_CHECK(!values);
    lyra_state_forget(state, LYRA_STATE_METHOD);
    TEST_CHECK(!lyra_state_block_at(state, 0, &look));
    lyra_state_destroy(state);
    lyra_state_destroy(NULL);
    TEST_STATUS(lyra_state_create(ctx, -3, &state), LYRA_INVALID_ARGUMENT);
    test_context_end(ctx);
}

// the checksum as docs and source state it, for bytes that lie with a right one
static void sign(unsigned char *packed, size_t bytes)
{
    uint64_t h = 0xcbf29ce484222325u, word;
    for (size_t i = 0; i + 8 < bytes; i += 8) {
        memcpy(&word, packed + i, 8);
        h = (h ^ word) * 0x9e3779b97f4a7c15u;
        h ^= h >> 32;
    }
    memcpy(packed + bytes - 8, &h, 8);
}

// a block of each type and two of vectors, of all owners
static void add_all_kinds(LyraState *state, double seed)
{
    static const char *const names[] = {"doubles", "ints", "longs", "bytes"};
    for (int32_t type = 0; type < LYRA_STATE_VECTOR; ++type) {
        const LyraStateBlockDef def = {.name = names[type],
                                       .version = 3,
                                       .owner = (LyraStateOwner)(type % LYRA_STATE_OWNER_COUNT),
                                       .type = (LyraStateType)type,
                                       .count = 5 + 2 * type};
        void *values = NULL;
        bool fresh = false;
        TEST_OK(lyra_state_block(state, &def, &values, &fresh));
        size_t bytes = (size_t)def.count * ly_state_type_bytes(def.type);
        for (size_t i = 0; i < bytes; ++i) {
            TEST_CHECK(!fresh || ((unsigned char *)values)[i] == 0);
            ((unsigned char *)values)[i] = (unsigned char)(7 * i + (size_t)seed);
        }
    }
    for (int32_t k = 0; k < 2; ++k) {
        // one name, two owners
        const LyraStateVectorsDef def = {.name = "memory",
                                         .version = 1,
                                         .owner = k ? LYRA_STATE_MATERIAL : LYRA_STATE_KEPT,
                                         .size = 3 + 600 * k,
                                         .count = 2 - k};
        LyraVector **vectors = NULL;
        bool fresh = false;
        TEST_OK(lyra_state_vectors(state, &def, &vectors, &fresh));
        for (int32_t i = 0; i < def.count; ++i) {
            TEST_EQUAL(lyra_vector_size(vectors[i]), def.size);
            lyra_vector_fill(vectors[i], seed + i);
        }
    }
}

LYRA_TEST(blocks_of_every_type_and_vectors_are_copied_compared_and_packed)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    LyraState *a = make(ctx, 1), *b = make(ctx, 2), *c = make(ctx, 3);
    add_all_kinds(a, 1);
    add_all_kinds(b, 2);
    TEST_CHECK(!lyra_state_equal(a, b));
    TEST_OK(lyra_state_assign(b, a));
    TEST_CHECK(lyra_state_equal(a, b));
    int64_t before = test_allocation_count();
    TEST_OK(lyra_state_assign(b, a));
    TEST_EQUAL(test_allocation_count(), before);
    size_t bytes = lyra_state_packed_size(a);
    char *packed = malloc(bytes), *again = malloc(bytes);
    lyra_state_pack(a, packed);
    TEST_OK(lyra_state_unpack(c, packed, bytes));
    TEST_CHECK(lyra_state_equal(a, c));
    lyra_state_pack(c, again);
    TEST_CHECK(memcmp(packed, again, bytes) == 0);
    // what fills up a word is zero
    unsigned char *bytes_end = (unsigned char *)packed + bytes - 8;
    while (bytes_end[0] == 0 || memcmp(bytes_end, "bytes", 5) != 0) {
        bytes_end -= 8;
    }
    bytes_end[56 + 12] = 1;
    sign((unsigned char *)packed, bytes);
    TEST_STATUS(lyra_state_unpack(b, packed, bytes), LYRA_BAD_FORMAT);
    TEST_CHECK(lyra_state_equal(a, b));
    // each byte of numbers and each vector counts
    LyraStateBlock block;
    for (int32_t i = 0; lyra_state_block_at(c, i, &block); ++i) {
        if (block.vectors) {
            double value;
            LyraVector *last = block.vectors[block.count - 1];
            lyra_vector_read(last, block.size - 1, 1, &value);
            lyra_vector_write(last, block.size - 1, 1, &(double){-value});
            TEST_CHECK(!lyra_state_equal(a, c));
            lyra_vector_write(last, block.size - 1, 1, &value);
        } else {
            char *byte =
                (char *)block.values + (size_t)block.count * ly_state_type_bytes(block.type) - 1;
            *byte ^= 1;
            TEST_CHECK(!lyra_state_equal(a, c));
            *byte ^= 1;
        }
        TEST_CHECK(lyra_state_equal(a, c));
    }
    free(packed);
    free(again);
    lyra_state_destroy(a);
    lyra_state_destroy(b);
    lyra_state_destroy(c);
    test_context_end(ctx);
}

static int32_t count_of(const LyraState *state, LyraStateOwner owner)
{
    LyraStateBlock block;
    int32_t count = 0;
    for (int32_t i = 0; lyra_state_block_at(state, i, &block); ++i) {
        count += block.owner == owner;
    }
    return count;
}

LYRA_TEST(what_methods_and_materials_remember_is_forgotten_by_different_calls)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    LyraState *state = make(ctx, 1), *copy = NULL;
    LyraStateBlock block;
    add_all_kinds(state, 1);
    TEST_CHECK(count_of(state, LYRA_STATE_METHOD) == 2 && count_of(state, LYRA_STATE_KEPT) == 2 &&
               count_of(state, LYRA_STATE_MATERIAL) == 2);
    TEST_REQUIRE_OK(lyra_state_copy(state, &copy));
    lyra_state_forget(state, LYRA_STATE_METHOD);
    TEST_CHECK(count_of(state, LYRA_STATE_METHOD) == 0 && count_of(state, LYRA_STATE_KEPT) == 0 &&
               count_of(state, LYRA_STATE_MATERIAL) == 2);
    // and what is left is whole
    TEST_CHECK(ly_state_blocks_equal(state, LYRA_STATE_MATERIAL, copy, LYRA_STATE_MATERIAL));
    TEST_CHECK(lyra_state_find_block(state, "memory", LYRA_STATE_MATERIAL, &block) &&
               !lyra_state_find_block(state, "memory", LYRA_STATE_KEPT, &block));
    lyra_state_forget(copy, LYRA_STATE_MATERIAL);
    TEST_CHECK(count_of(copy, LYRA_STATE_METHOD) == 2 && count_of(copy, LYRA_STATE_KEPT) == 2 &&
               count_of(copy, LYRA_STATE_MATERIAL) == 0);
    lyra_state_destroy(state);
    lyra_state_destroy(copy);
    test_context_end(ctx);
}

LYRA_TEST(blocks_are_taken_from_owner_to_owner)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    LyraState *a = make(ctx, 1), *b = make(ctx, 2);
    add_all_kinds(a, 1);
    block(b, "mine", 1, 3, true);
    TEST_OK(ly_state_take_blocks(b, LYRA_STATE_KEPT, a, LYRA_STATE_MATERIAL));
    TEST_CHECK(ly_state_blocks_equal(b, LYRA_STATE_KEPT, a, LYRA_STATE_MATERIAL));
    block(b, "mine", 1, 3, false);
    // within one state, over what was there before; then without memory
    TEST_CHECK(!ly_state_blocks_equal(a, LYRA_STATE_KEPT, a, LYRA_STATE_MATERIAL));
    TEST_OK(ly_state_take_blocks(a, LYRA_STATE_KEPT, a, LYRA_STATE_MATERIAL));
    TEST_CHECK(ly_state_blocks_equal(a, LYRA_STATE_KEPT, a, LYRA_STATE_MATERIAL));
    int64_t before = test_allocation_count();
    TEST_OK(ly_state_take_blocks(a, LYRA_STATE_KEPT, a, LYRA_STATE_MATERIAL));
    TEST_EQUAL(test_allocation_count(), before);
    lyra_state_destroy(a);
    lyra_state_destroy(b);
    test_context_end(ctx);
}

LYRA_TEST(assignment_makes_equal_and_then_allocates_nothing)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    LyraState *a = make(ctx, 1), *b = make(ctx, 2), *copy = NULL;
    LyraStateView view = lyra_state_view(b);
    fill(block(a, "one", 1, 3, true), 3, 1);
    fill(block(a, "two", 1, 5, true), 5, 10);
    fill(block(a, "three", 7, 2, true), 2, 20);
    // another order, another count, one too many
    fill(block(b, "three", 1, 2, true), 2, 3);
    fill(block(b, "other", 1, 9, true), 9, 3);
    fill(block(b, "two", 1, 4, true), 4, 3);
    TEST_CHECK(!lyra_state_equal(a, b));
    TEST_OK(lyra_state_assign(b, a));
    TEST_CHECK(lyra_state_equal(a, b));
    TEST_CHECK(lyra_state_view(b).u == view.u);
    int64_t before = test_allocation_count();
    block(a, "one", 1, 3, false)[1] = 4;
    TEST_CHECK(!lyra_state_equal(a, b));
    TEST_OK(lyra_state_assign(b, a));
    TEST_OK(lyra_state_assign(b, b));
    TEST_EQUAL(test_allocation_count(), before);
    TEST_CHECK(lyra_state_equal(a, b));
    TEST_OK(lyra_state_copy(a, &copy));
    TEST_CHECK(lyra_state_equal(a, copy));
    // fewer blocks need no memory either
    lyra_state_forget(a, LYRA_STATE_METHOD);
    block(a, "three", 7, 2, true);
    before = test_allocation_count();
    TEST_OK(lyra_state_assign(b, a));
    TEST_EQUAL(test_allocation_count(), before);
    TEST_CHECK(lyra_state_equal(a, b) && !lyra_state_equal(a, copy));
    LyraState *small = NULL;
    TEST_OK(lyra_state_create(ctx, 3, &small));
    TEST_STATUS(lyra_state_assign(small, a), LYRA_INVALID_ARGUMENT);
    TEST_CHECK(!lyra_state_equal(small, a));
    lyra_state_destroy(small);
    lyra_state_destroy(a);
    lyra_state_destroy(b);
    lyra_state_destroy(copy);
    test_context_end(ctx);
}

LYRA_TEST(equality_sees_every_bit)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    LyraState *a = make(ctx, 1), *b = NULL;
    block(a, "history", 1, 2, true);
    TEST_REQUIRE_OK(lyra_state_copy(a, &b));
    LyraStateView view = lyra_state_view(b);
    double *numbers[4] = {lyra_vector_values_mutable(view.u), lyra_vector_values_mutable(view.v),
                          lyra_vector_values_mutable(view.a), block(b, "history", 1, 2, false)};
    for (int k = 0; k < 4; ++k) {
        double keep = numbers[k][1];
        numbers[k][1] = k == 3 ? -0.0 : nextafter(keep, 100);
        TEST_CHECK(!lyra_state_equal(a, b));
        numbers[k][1] = keep;
        TEST_CHECK(lyra_state_equal(a, b));
    }
    lyra_state_set_time(b, view.time, view.steps + 1);
    TEST_CHECK(!lyra_state_equal(a, b));
    lyra_state_set_time(b, nextafter(view.time, 0), view.steps);
    TEST_CHECK(!lyra_state_equal(a, b));
    // NaN equals the same NaN
    lyra_state_set_time(a, NAN, 3);
    lyra_state_set_time(b, NAN, 3);
    TEST_CHECK(lyra_state_equal(a, b));
    lyra_state_destroy(a);
    lyra_state_destroy(b);
    test_context_end(ctx);
}

// ---- bytes --------------------------------------------------------------------------------------

LYRA_TEST(packed_states_come_back)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    LyraState *a = make(ctx, 1), *b = make(ctx, 2);
    for (int blocks = 0; blocks < 4; ++blocks) {
        if (blocks > 0) {
            char name[8];
            snprintf(name, sizeof name, "b%d", blocks);
            fill(block(a, name, -blocks, 3 * (blocks - 1), true), 3 * (blocks - 1), blocks);
        }
        size_t bytes = lyra_state_packed_size(a);
        // an odd address
        char *room = malloc(bytes + 1), *packed = room + 1;
        lyra_state_pack(a, packed);
        TEST_CHECK(!lyra_state_equal(a, b));
        TEST_OK(lyra_state_unpack(b, packed, bytes));
        TEST_CHECK(lyra_state_equal(a, b));
        lyra_state_set_time(b, 1, 1);
        free(room);
    }
    lyra_state_destroy(a);
    lyra_state_destroy(b);
    test_context_end(ctx);
}

LYRA_TEST(cut_and_changed_bytes_are_refused)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    LyraState *a = make(ctx, 1), *b = make(ctx, 2), *keep = NULL;
    fill(block(a, "history", 1, 4, true), 4, 1);
    block(b, "mine", 3, 2, true);
    TEST_REQUIRE_OK(lyra_state_copy(b, &keep));
    size_t bytes = lyra_state_packed_size(a);
    unsigned char *packed = malloc(bytes + 8), *changed = malloc(bytes + 8);
    lyra_state_pack(a, packed);
    memset(packed + bytes, 0, 8);
    // every byte, several ways
    for (size_t i = 0; i < bytes; ++i) {
        for (int way = 0; way < 9; ++way) {
            memcpy(changed, packed, bytes);
            changed[i] ^= way < 8 ? 1u << way : 0xffu;
            TEST_STATUS(lyra_state_unpack(b, changed, bytes), LYRA_BAD_FORMAT);
        }
    }
    TEST_CHECK(lyra_state_equal(b, keep));
    // every length but the right one
    for (size_t length = 0; length <= bytes + 8; ++length) {
        if (length != bytes) {
            TEST_STATUS(lyra_state_unpack(b, packed, length), LYRA_BAD_FORMAT);
        }
    }
    TEST_CHECK(lyra_state_equal(b, keep));
    TEST_STATUS(lyra_state_unpack(b, NULL, 0), LYRA_BAD_FORMAT);
    // a state of another size
    LyraState *small = NULL;
    TEST_OK(lyra_state_create(ctx, 3, &small));
    TEST_STATUS(lyra_state_unpack(small, packed, bytes), LYRA_BAD_FORMAT);
    TEST_CONTAINS(lyra_error_message(), "6 unknowns, expected 3");
    TEST_OK(lyra_state_unpack(b, packed, bytes));
    TEST_CHECK(lyra_state_equal(a, b));
    lyra_state_destroy(small);
    lyra_state_destroy(a);
    lyra_state_destroy(b);
    lyra_state_destroy(keep);
    free(packed);
    free(changed);
    test_context_end(ctx);
}

// a state as versions 1 (without a clock) and 2 wrote it: blocks of doubles, without owners
static unsigned char *write_old(const LyraState *state, uint32_t version, int32_t block_count,
                                const char *const *names, const int64_t *counts, size_t *bytes)
{
    LyraStateView view = lyra_state_view(state);
    int64_t words = 1 + (version == 1 ? 6 : 10) + 3 * SIZE;
    for (int32_t i = 0; i < block_count; ++i) {
        words += 6 + counts[i];
    }
    *bytes = 8 * (size_t)words;
    unsigned char *packed = calloc(1, *bytes), *to = packed;
    const uint64_t magic = 0x657461745361724cu;
    const uint32_t pair[2] = {version, (uint32_t)block_count};
    const int64_t sizes[2] = {SIZE, words};
    memcpy(to, &magic, 8);
    memcpy(to + 8, pair, 8);
    memcpy(to + 16, sizes, 16);
    memcpy(to + 32, &view.time, 8);
    memcpy(to + 40, &view.steps, 8);
    to += 48;
    if (version == 2) {
        memcpy(to, &view.time, 8);
        to += 32;
    }
    LyraVector *all[3] = {view.u, view.v, view.a};
    for (int k = 0; k < 3; ++k, to += 8 * SIZE) {
        memcpy(to, lyra_vector_values(all[k]), 8 * SIZE);
    }
    for (int32_t i = 0; i < block_count; ++i) {
        const int64_t numbers[2] = {4, counts[i]};
        memcpy(to, names[i], strlen(names[i]));
        memcpy(to + 32, numbers, 16);
        fill((double *)(void *)(to + 48), counts[i], 10 * i);
        to += 48 + 8 * counts[i];
    }
    sign(packed, *bytes);
    return packed;
}

LYRA_TEST(states_of_versions_1_and_2_are_read)
{
    static const char *const names[3] = {"halving", "history", "bdf"};
    static const int64_t counts[3] = {2, 7, 0};
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    for (uint32_t version = 1; version <= 2; ++version) {
        LyraState *a = make(ctx, 1), *b = make(ctx, 2);
        size_t bytes = 0;
        unsigned char *packed = write_old(a, version, 3, names, counts, &bytes);
        TEST_OK(lyra_state_unpack(b, packed, bytes));
        LyraStateBlock look = {0};
        TEST_CHECK(lyra_state_block_at(b, 0, &look) && look.owner == LYRA_STATE_METHOD &&
                   look.type == LYRA_STATE_DOUBLE && look.count == 2 && look.version == 4);
        // what the material remembered is a vector now
        TEST_REQUIRE(lyra_state_find_block(b, "history", LYRA_STATE_MATERIAL, &look));
        TEST_CHECK(look.type == LYRA_STATE_VECTOR && look.count == 1 && look.size == 7);
        TEST_CHECK(lyra_vector_values(look.vectors[0])[6] == 16);
        TEST_CHECK(lyra_state_find_block(b, "bdf", LYRA_STATE_METHOD, &look) && look.count == 0);
        lyra_state_forget(b, LYRA_STATE_METHOD);
        lyra_state_forget(b, LYRA_STATE_MATERIAL);
        TEST_CHECK(lyra_state_equal(a, b));
        // a count that the bytes do not hold
        memcpy(packed + bytes - 8 * (1 + 6 + 7 + 6) + 40, &(int64_t){INT64_MAX}, 8);
        sign(packed, bytes);
        TEST_STATUS(lyra_state_unpack(b, packed, bytes), LYRA_BAD_FORMAT);
        TEST_CHECK(lyra_state_equal(a, b));
        free(packed);
        lyra_state_destroy(a);
        lyra_state_destroy(b);
    }
    test_context_end(ctx);
}

// ---- the clock ----------------------------------------------------------------------------------

LYRA_TEST(times_are_start_plus_multiples_of_dt)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    LyraState *state = make(ctx, 1), *twin = make(ctx, 2);
    // multiples of one dt are rounded once
    lyra_state_set_time(state, 0, 0);
    for (int n = 1; n <= 100000; ++n) {
        double next = lyra_state_next_time(state, 0.01);
        ly_state_tick(state, state, 0.01);
        TEST_REQUIRE(lyra_state_view(state).time == n * 0.01 && next == n * 0.01);
        TEST_REQUIRE(lyra_state_view(state).steps == n);
    }
    // another dt: a start that is no multiple of it, and back; the bits of a copy go on alike
    const double lengths[3] = {0.003, 0.01, 1.0 / 7};
    int taken[3] = {0, 100000, 0};
    for (int n = 0; n < 3000; ++n) {
        int which = n % 1000 < 500 ? 0 : n % 3 ? 1 : 2;
        double dt = lengths[which];
        ++taken[which];
        if (n == 700) {
            char *packed = malloc(lyra_state_packed_size(state));
            lyra_state_pack(state, packed);
            TEST_OK(lyra_state_unpack(twin, packed, lyra_state_packed_size(state)));
            free(packed);
        }
        ly_state_tick(state, state, dt);
        if (n >= 700) {
            ly_state_tick(twin, twin, dt);
        }
        long double exact = 0;
        for (int k = 0; k < 3; ++k) {
            exact += taken[k] * (long double)lengths[k];
        }
        // half a unit in the last place of a double below 2048
        TEST_REQUIRE(fabsl(lyra_state_view(state).time - exact) <= 0x1p-43L * 1.001L);
    }
    TEST_CHECK(lyra_state_view(twin).time == lyra_state_view(state).time);
    // by hand
    lyra_state_set_time(state, 5, 3);
    ly_state_tick(state, state, 1.0 / 3);
    TEST_CHECK(lyra_state_view(state).time == 5 + 1.0 / 3);
    lyra_state_destroy(state);
    lyra_state_destroy(twin);
    test_context_end(ctx);
}

LYRA_TEST(hostile_bytes_with_a_right_checksum_are_refused)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    LyraState *a = make(ctx, 1), *b = make(ctx, 2), *keep = NULL;
    block(a, "one", 1, 2, true);
    block(a, "two", 1, 2, true);
    TEST_REQUIRE_OK(lyra_state_copy(b, &keep));
    size_t bytes = lyra_state_packed_size(a), first = 8 * (10 + 3 * SIZE), second = first + 9 * 8;
    unsigned char *packed = malloc(bytes), *changed = malloc(bytes);
    lyra_state_pack(a, packed);
    memcpy(changed, packed, bytes);
    sign(changed, bytes);
    TEST_CHECK(memcmp(packed, changed, bytes) == 0);
    struct {
        size_t at;
        int64_t value;
    } lies[] = {
        {first + 48, -1},
        {first + 48, INT64_MAX},
        {first + 48, 3},
        {first + 48, 1},
        {first, 0},
        // owners, types, sizes
        {first + 32, 1LL | (3LL << 32)},
        {first + 32, 1LL | INT64_MIN},
        {first + 40, LYRA_STATE_TYPE_COUNT},
        {first + 40, -1},
        {first + 40, LYRA_STATE_DOUBLE | (1LL << 32)},
        {first + 40, LYRA_STATE_VECTOR | (2LL << 32)},
        {first + 40, LYRA_STATE_VECTOR | (0x7fffffffLL << 32)},
        {first + 40, LYRA_STATE_VECTOR | INT64_MIN},
        {first + 40, LYRA_STATE_BYTE},
        {second + 48, 1},
        {8, 3LL | (1LL << 32)},
        {8, 3LL | (3LL << 32)},
        {8, 3LL | (0x7fffffffLL << 32)},
        {second + 48, 1LL << 60},
        {8, 1LL | (2LL << 32)},
        {8, 2LL | (2LL << 32)},
        {8, 4LL | (2LL << 32)},
        {8 * 6, 0},
        {8 * 9, -1},
        {8 * 9, INT64_MAX},
    };
    for (size_t i = 0; i < sizeof lies / sizeof lies[0]; ++i) {
        memcpy(changed, packed, bytes);
        memcpy(changed + lies[i].at, &lies[i].value, 8);
        sign(changed, bytes);
        TEST_STATUS(lyra_state_unpack(b, changed, bytes), LYRA_BAD_FORMAT);
    }
    // a name without an end, and two of one name
    memcpy(changed, packed, bytes);
    memset(changed + first, 'x', 32);
    sign(changed, bytes);
    TEST_STATUS(lyra_state_unpack(b, changed, bytes), LYRA_BAD_FORMAT);
    memcpy(changed, packed, bytes);
    memcpy(changed + second, "one", 4);
    sign(changed, bytes);
    TEST_STATUS(lyra_state_unpack(b, changed, bytes), LYRA_BAD_FORMAT);
    TEST_CONTAINS(lyra_error_message(), "two blocks");
    TEST_CHECK(lyra_state_equal(b, keep));
    lyra_state_destroy(a);
    lyra_state_destroy(b);
    lyra_state_destroy(keep);
    free(packed);
    free(changed);
    test_context_end(ctx);
}

// ---- many blocks --------------------------------------------------------------------------------

#define MANY 300

static LyraStateOwner owner_of(int i)
{
    return i % 3 == 0 ? LYRA_STATE_METHOD : i % 3 == 1 ? LYRA_STATE_MATERIAL : LYRA_STATE_KEPT;
}

// block i, called as two others are that have another owner
static double *numbered(LyraState *state, int i, int32_t version, int64_t count)
{
    char name[32];
    snprintf(name, sizeof name, "block.%d", i / 3);
    const LyraStateBlockDef def = {
        .name = name, .version = version, .owner = owner_of(i), .count = count};
    void *values = NULL;
    bool fresh = false;
    TEST_OK(lyra_state_block(state, &def, &values, &fresh));
    return values;
}

// finds each block in turn by a walk over all, and the same by its name
static void check_names(const LyraState *state, int32_t count)
{
    LyraStateBlock block, same;
    int32_t seen = 0;
    for (; lyra_state_block_at(state, seen, &block); ++seen) {
        TEST_CHECK(lyra_state_find_block(state, block.name, block.owner, &same));
        TEST_CHECK(same.values == block.values && same.name == block.name);
    }
    TEST_EQUAL(seen, count);
    TEST_CHECK(!lyra_state_find_block(state, "block.100", LYRA_STATE_METHOD, &block));
}

LYRA_TEST(many_blocks_are_found_as_they_come_and_go)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    LyraState *a = make(ctx, 1), *b = make(ctx, 2), *copy = NULL;
    LyraStateBlock block;
    check_names(a, 0);
    for (int i = 0; i < MANY; ++i) {
        numbered(a, i, 1, 2)[0] = i;
        // the other way round, and one of three in another shape
        numbered(b, MANY - 1 - i, 2, i % 3 == 0 ? 5 : 2)[0] = -i;
        if (i % 50 == 0) {
            check_names(a, i + 1);
            check_names(b, i + 1);
        }
    }
    TEST_OK(lyra_state_copy(a, &copy));
    check_names(copy, MANY);
    numbered(copy, 7, 1, 9); // replaced by a longer one
    check_names(copy, MANY);
    TEST_OK(lyra_state_assign(b, a));
    TEST_CHECK(lyra_state_equal(a, b));
    check_names(b, MANY);
    for (int i = 0; i < MANY; ++i) {
        TEST_CHECK(numbered(b, i, 1, 2)[0] == i);
    }
    // without the second of each three; the rest move up
    lyra_state_forget(b, LYRA_STATE_MATERIAL);
    check_names(b, MANY - MANY / 3);
    TEST_CHECK(!lyra_state_find_block(b, "block.5", LYRA_STATE_MATERIAL, &block));
    TEST_OK(lyra_state_assign(a, b));
    TEST_CHECK(lyra_state_equal(a, b));
    check_names(a, MANY - MANY / 3);
    TEST_OK(ly_state_take_blocks(a, LYRA_STATE_MATERIAL, copy, LYRA_STATE_KEPT));
    TEST_CHECK(ly_state_blocks_equal(a, LYRA_STATE_MATERIAL, copy, LYRA_STATE_KEPT));
    check_names(a, MANY);
    size_t bytes = lyra_state_packed_size(a);
    unsigned char *packed = malloc(bytes);
    lyra_state_pack(a, packed);
    TEST_OK(lyra_state_unpack(b, packed, bytes));
    TEST_CHECK(lyra_state_equal(a, b));
    check_names(b, MANY);
    numbered(b, MANY, 1, 3);
    TEST_CHECK(lyra_state_find_block(b, "block.100", LYRA_STATE_METHOD, &block) &&
               block.count == 3);
    lyra_state_destroy(a);
    lyra_state_destroy(b);
    lyra_state_destroy(copy);
    free(packed);
    test_context_end(ctx);
}

// ---- memory -------------------------------------------------------------------------------------

// everything that allocates; a failure leaves the state it was to change as it was
static LyraStatus all(LyraContext *ctx, void *data)
{
    (void)data;
    LyraState *a = NULL, *b = NULL, *keep = NULL;
    const LyraStateBlockDef own = {.name = "own", .version = 1, .count = 3},
                            one = {.name = "one", .version = 1, .count = 3},
                            other = {.name = "own", .version = 1, .count = 2};
    const LyraStateVectorsDef two = {.name = "two", .version = 1, .size = 2, .count = 2};
    void *values;
    LyraVector **vectors;
    bool fresh;
    char packed[8 * (10 + 3 * SIZE + 3 * 7 + 5 + 4 + 1)];
    LyraStatus status = lyra_state_create(ctx, SIZE, &a);
    status = status ? status : lyra_state_create(ctx, SIZE, &b);
    status = status ? status : lyra_state_block(b, &own, &values, &fresh);
    status = status ? status : lyra_state_copy(b, &keep);
    status = status ? status : lyra_state_block(a, &one, &values, &fresh);
    status = status ? status : lyra_state_vectors(a, &two, &vectors, &fresh);
    status = status ? status : lyra_state_block(a, &other, &values, &fresh);
    if (status == LYRA_OK) {
        status = lyra_state_assign(b, a);
        TEST_CHECK(lyra_state_equal(b, status ? keep : a));
    }
    if (status == LYRA_OK) {
        TEST_EQUAL(lyra_state_packed_size(a), sizeof packed);
        lyra_state_pack(a, packed);
        status = lyra_state_unpack(keep, packed, sizeof packed);
        TEST_EQUAL(lyra_state_equal(keep, a), status == LYRA_OK);
    }
    lyra_state_destroy(a);
    lyra_state_destroy(b);
    lyra_state_destroy(keep);
    return status;
}

LYRA_TEST(failing_allocations_leave_states_as_they_were)
{
    test_fail_each_allocation(all, NULL);
}
