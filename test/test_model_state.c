// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// States: blocks, copies, equality, bytes and what happens when bytes are cut or changed.

#include "lyra/state.h"
#include "lyra_test.h"
#include "model/model.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define SIZE 6

static double *block(LyraState *state, const char *name, int32_t version, int64_t count,
                     bool expect_fresh)
{
    double *values = NULL;
    bool fresh = !expect_fresh;
    TEST_OK(lyra_state_block(state, name, version, count, &values, &fresh));
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
    double *values = NULL;
    bool fresh = false;
    TEST_STATUS(lyra_state_block(state, "", 1, 1, &values, &fresh), LYRA_INVALID_ARGUMENT);
    TEST_STATUS(lyra_state_block(state, "x", 1, -1, &values, &fresh), LYRA_INVALID_ARGUMENT);
    TEST_STATUS(lyra_state_block(state, "a name of thirty-two bytes ....!", 1, 1, &values, &fresh),
                LYRA_INVALID_ARGUMENT);
    block(state, "a name of thirty-one bytes ....", 1, 1, true);
    TEST_CHECK(!values);
    lyra_state_forget(state);
    TEST_CHECK(!lyra_state_block_at(state, 0, &look));
    lyra_state_destroy(state);
    lyra_state_destroy(NULL);
    TEST_STATUS(lyra_state_create(ctx, -3, &state), LYRA_INVALID_ARGUMENT);
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
    lyra_state_forget(a);
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

// what a state of version 1, which had no clock, is: the same words without the clock
LYRA_TEST(states_of_version_1_are_read)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    LyraState *a = make(ctx, 1), *b = make(ctx, 2);
    fill(block(a, "history", 1, 4, true), 4, 1);
    size_t bytes = lyra_state_packed_size(a), old = bytes - 32;
    unsigned char *packed = malloc(bytes);
    lyra_state_pack(a, packed);
    memmove(packed + 48, packed + 80, bytes - 80);
    memcpy(packed + 8, &(uint32_t){1}, 4);
    memcpy(packed + 24, &(int64_t){(int64_t)old / 8}, 8);
    sign(packed, old);
    TEST_OK(lyra_state_unpack(b, packed, old));
    TEST_CHECK(lyra_state_equal(a, b));
    free(packed);
    lyra_state_destroy(a);
    lyra_state_destroy(b);
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
    size_t bytes = lyra_state_packed_size(a), first = 8 * (10 + 3 * SIZE), second = first + 8 * 8;
    unsigned char *packed = malloc(bytes), *changed = malloc(bytes);
    lyra_state_pack(a, packed);
    memcpy(changed, packed, bytes);
    sign(changed, bytes);
    TEST_CHECK(memcmp(packed, changed, bytes) == 0);
    struct {
        size_t at;
        int64_t value;
    } lies[] = {
        {first + 40, -1},
        {first + 40, INT64_MAX},
        {first + 40, 3},
        {first + 40, 1},
        {first + 32, 1LL << 40},
        {first, 0},
        {second + 40, 1},
        {8, 2LL | (1LL << 32)},
        {8, 2LL | (3LL << 32)},
        {8, 2LL | (0x7fffffffLL << 32)},
        {second + 40, 1LL << 60},
        {8, 1LL | (2LL << 32)},
        {8, 3LL | (2LL << 32)},
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

// ---- memory -------------------------------------------------------------------------------------

// everything that allocates; a failure leaves the state it was to change as it was
static LyraStatus all(LyraContext *ctx, void *data)
{
    (void)data;
    LyraState *a = NULL, *b = NULL, *keep = NULL;
    double *values;
    bool fresh;
    char packed[8 * (10 + 3 * SIZE + 2 * 6 + 5 + 1)];
    LyraStatus status = lyra_state_create(ctx, SIZE, &a);
    status = status ? status : lyra_state_create(ctx, SIZE, &b);
    status = status ? status : lyra_state_block(b, "own", 1, 3, &values, &fresh);
    status = status ? status : lyra_state_copy(b, &keep);
    status = status ? status : lyra_state_block(a, "one", 1, 3, &values, &fresh);
    status = status ? status : lyra_state_block(a, "own", 1, 2, &values, &fresh);
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
