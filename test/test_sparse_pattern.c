// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

#include "sparse_cases.h"

// which pairs of vertices share a stencil, [n][n]
static bool *brute_pairs(int32_t n, int32_t set_count, const LyraStencils *sets)
{
    bool *pairs = case_allocate((size_t)n * (size_t)n, sizeof *pairs);
    for (int32_t i = 0; i < n; ++i) {
        pairs[i * n + i] = true;
    }
    for (int32_t set = 0; set < set_count; ++set) {
        for (int64_t s = 0; s < sets[set].count; ++s) {
            const int32_t *ids = sets[set].ids + s * sets[set].nodes;
            for (int32_t a = 0; a < sets[set].nodes; ++a) {
                for (int32_t b = 0; b < sets[set].nodes; ++b) {
                    pairs[ids[a] * n + ids[b]] = true;
                }
            }
        }
    }
    return pairs;
}

static void check_pattern(LyraContext *ctx, int32_t n, LyraStorage storage, int32_t set_count,
                          const LyraStencils *sets)
{
    LyraBlockPattern *pattern = NULL;
    TEST_REQUIRE_OK(lyra_block_pattern_create(ctx, n, storage, set_count, sets, &pattern));
    LyraBlockPatternView view = lyra_block_pattern_view(pattern);
    bool *pairs = brute_pairs(n, set_count, sets);
    TEST_EQUAL(view.row_count, n);
    TEST_EQUAL(view.storage, storage);
    int64_t next = 0;
    bool same = true;
    for (int32_t i = 0; i < n; ++i) {
        same = same && view.row_start[i] == next;
        for (int32_t j = storage == LYRA_STORAGE_UPPER ? i : 0; j < n; ++j) {
            if (pairs[i * n + j]) {
                same = same && next < view.block_count && view.column[next] == j;
                same = same && lyra_block_pattern_find(pattern, i, j) == next;
                same = same && (i != j || view.diagonal[i] == next);
                ++next;
            } else {
                same = same && lyra_block_pattern_find(pattern, i, j) == -1;
            }
        }
    }
    TEST_CHECK(same);
    TEST_EQUAL(view.row_start[n], next);
    TEST_EQUAL(view.block_count, next);

    // slots against search
    for (int32_t set = 0; set < set_count; ++set) {
        int32_t nodes = sets[set].nodes, slot_count = lyra_stencil_slot_count(storage, nodes);
        int32_t *slots = case_allocate((size_t)(sets[set].count * slot_count), sizeof *slots),
                *slot = slots;
        TEST_OK(lyra_block_pattern_slots(pattern, &sets[set], slots));
        bool right = true;
        for (int64_t s = 0; s < sets[set].count; ++s) {
            const int32_t *ids = sets[set].ids + s * nodes;
            for (int32_t a = 0; a < nodes; ++a) {
                for (int32_t b = storage == LYRA_STORAGE_UPPER ? a : 0; b < nodes; ++b, ++slot) {
                    bool flip = storage == LYRA_STORAGE_UPPER && ids[a] > ids[b];
                    int32_t place = flip ? lyra_block_pattern_find(pattern, ids[b], ids[a])
                                         : lyra_block_pattern_find(pattern, ids[a], ids[b]);
                    right = right && place >= 0 && *slot == (flip ? ~place : place);
                }
            }
        }
        TEST_CHECK(right);
        free(slots);
    }
    free(pairs);
    lyra_block_pattern_destroy(pattern);
}

LYRA_TEST(patterns_hold_the_pairs_of_stencils)
{
    TestRandom random = test_random(1);
    LyraContext *ctx = test_context(2, LYRA_ISA_AUTO);
    for (int32_t trial = 0; trial < 60; ++trial) {
        int32_t n = 8 + test_random_below(&random, 60);
        CaseStencils a = case_random(&random, n, 1 + test_random_below(&random, 8),
                                     test_random_below(&random, 40));
        CaseStencils b = case_random(&random, n, 4, test_random_below(&random, 30));
        LyraStencils sets[2] = {case_view(&a), case_view(&b)};
        for (int32_t count = 0; count <= 2; ++count) {
            check_pattern(ctx, n, LYRA_STORAGE_FULL, count, sets);
            check_pattern(ctx, n, LYRA_STORAGE_UPPER, count, sets);
        }
        free(a.ids);
        free(b.ids);
    }
    // a long row: every vertex beside vertex 0
    enum { STAR = 300 };
    int32_t star[STAR][2];
    for (int32_t i = 0; i < STAR; ++i) {
        star[i][0] = STAR - i;
        star[i][1] = 0;
    }
    LyraStencils set = {2, STAR, &star[0][0]};
    check_pattern(ctx, STAR + 1, LYRA_STORAGE_FULL, 1, &set);
    check_pattern(ctx, STAR + 1, LYRA_STORAGE_UPPER, 1, &set);
    test_context_end(ctx);
}

LYRA_TEST(patterns_may_be_empty)
{
    LyraContext *ctx = test_context(2, LYRA_ISA_AUTO);
    LyraStencils none = {4, 0, NULL};
    for (int32_t n = 0; n < 2; ++n) {
        check_pattern(ctx, n, LYRA_STORAGE_FULL, 0, NULL);
        check_pattern(ctx, n, LYRA_STORAGE_UPPER, 1, &none);
    }
    lyra_block_pattern_destroy(NULL);
    test_context_end(ctx);
}

LYRA_TEST(bad_stencils_are_refused)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    LyraBlockPattern *pattern = NULL;
    int32_t ids[4] = {0, 1, 2, 7};
    LyraStencils set = {4, 1, ids};
    TEST_STATUS(lyra_block_pattern_create(ctx, 5, LYRA_STORAGE_FULL, 1, &set, &pattern),
                LYRA_INVALID_ARGUMENT);
    TEST_CONTAINS(lyra_error_message(), "vertex 7");
    ids[3] = -1;
    TEST_STATUS(lyra_block_pattern_create(ctx, 5, LYRA_STORAGE_FULL, 1, &set, &pattern),
                LYRA_INVALID_ARGUMENT);
    ids[3] = 1;
    TEST_STATUS(lyra_block_pattern_create(ctx, 5, LYRA_STORAGE_FULL, 1, &set, &pattern),
                LYRA_INVALID_ARGUMENT);
    TEST_CONTAINS(lyra_error_message(), "twice");
    set.nodes = 0;
    TEST_STATUS(lyra_block_pattern_create(ctx, 5, LYRA_STORAGE_FULL, 1, &set, &pattern),
                LYRA_INVALID_ARGUMENT);
    set.nodes = 65;
    TEST_STATUS(lyra_block_pattern_create(ctx, 5, LYRA_STORAGE_FULL, 1, &set, &pattern),
                LYRA_INVALID_ARGUMENT);
    set = (LyraStencils){4, INT64_C(1) << 31, ids};
    TEST_STATUS(lyra_block_pattern_create(ctx, 5, LYRA_STORAGE_FULL, 1, &set, &pattern),
                LYRA_TOO_LARGE);
    set.count = -1;
    TEST_STATUS(lyra_block_pattern_create(ctx, 5, LYRA_STORAGE_FULL, 1, &set, &pattern),
                LYRA_INVALID_ARGUMENT);
    TEST_STATUS(lyra_block_pattern_create(ctx, -1, LYRA_STORAGE_FULL, 0, NULL, &pattern),
                LYRA_INVALID_ARGUMENT);
    TEST_STATUS(lyra_block_pattern_create(ctx, 1, (LyraStorage)7, 0, NULL, &pattern),
                LYRA_INVALID_ARGUMENT);
    TEST_CHECK(pattern == NULL);

    // the first storage that there is not, of blocks and of scalars
    int64_t row_start[2] = {0, 1};
    int32_t column = 0;
    LyraCsrPattern *scalars = NULL;
    LyraStorage unknown = (LyraStorage)LYRA_STORAGE_COUNT;
    TEST_STATUS(lyra_block_pattern_create_rows(ctx, 1, unknown, row_start, &column, &pattern),
                LYRA_INVALID_ARGUMENT);
    TEST_STATUS(lyra_csr_pattern_create_rows(ctx, 1, 1, unknown, row_start, &column, &scalars),
                LYRA_INVALID_ARGUMENT);
    TEST_CHECK(pattern == NULL && scalars == NULL);

    // slots of a pair that the pattern lacks
    int32_t pair[2] = {0, 3}, slots[4];
    set = (LyraStencils){2, 1, pair};
    TEST_REQUIRE_OK(lyra_block_pattern_create(ctx, 5, LYRA_STORAGE_UPPER, 0, NULL, &pattern));
    TEST_STATUS(lyra_block_pattern_slots(pattern, &set, slots), LYRA_INVALID_ARGUMENT);
    TEST_CONTAINS(lyra_error_message(), "stencil 0");
    lyra_block_pattern_destroy(pattern);
    test_context_end(ctx);
}

// the first of many is the one that lacks its pair, and the last
LYRA_TEST(lacking_pairs_are_found_wherever_they_are)
{
    enum { COUNT = 50000 };
    LyraContext *ctx = test_context(2, LYRA_ISA_AUTO);
    int32_t *pairs = malloc(2 * COUNT * sizeof *pairs), *slots = malloc(3 * COUNT * sizeof *slots);
    for (int32_t i = 0; i < COUNT; ++i) {
        pairs[2 * i] = i;
        pairs[2 * i + 1] = i + 1;
    }
    const LyraStencils inner = {2, COUNT - 2, pairs + 2}, all = {2, COUNT, pairs};
    const LyraStencils first = {2, COUNT - 1, pairs}, last = {2, COUNT - 1, pairs + 2};
    LyraBlockPattern *pattern = NULL;
    TEST_REQUIRE_OK(
        lyra_block_pattern_create(ctx, COUNT + 1, LYRA_STORAGE_UPPER, 1, &inner, &pattern));
    TEST_OK(lyra_block_pattern_slots(pattern, &inner, slots));
    TEST_STATUS(lyra_block_pattern_slots(pattern, &all, slots), LYRA_INVALID_ARGUMENT);
    TEST_CONTAINS(lyra_error_message(), "stencil 0 ");
    TEST_STATUS(lyra_block_pattern_slots(pattern, &first, slots), LYRA_INVALID_ARGUMENT);
    TEST_CONTAINS(lyra_error_message(), "stencil 0 ");
    TEST_STATUS(lyra_block_pattern_slots(pattern, &last, slots), LYRA_INVALID_ARGUMENT);
    TEST_CONTAINS(lyra_error_message(), "stencil 49998 ");
    lyra_block_pattern_destroy(pattern);
    free(slots);
    free(pairs);
    test_context_end(ctx);
}

LYRA_TEST(rows_are_sorted_and_merged)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    LyraBlockPattern *pattern = NULL, *other = NULL;
    int64_t row_start[4] = {0, 3, 4, 6};
    int32_t column[6] = {2, 1, 2, 0, 0, 0};
    TEST_REQUIRE_OK(
        lyra_block_pattern_create_rows(ctx, 3, LYRA_STORAGE_FULL, row_start, column, &pattern));
    LyraBlockPatternView view = lyra_block_pattern_view(pattern);
    int32_t full[7] = {0, 1, 2, 0, 1, 0, 2}, upper[5] = {0, 1, 2, 1, 2};
    TEST_EQUAL(view.block_count, 7);
    TEST_CHECK(memcmp(view.column, full, sizeof full) == 0);
    TEST_REQUIRE_OK(lyra_block_pattern_convert(pattern, LYRA_STORAGE_UPPER, &other));
    view = lyra_block_pattern_view(other);
    TEST_EQUAL(view.block_count, 5);
    TEST_CHECK(memcmp(view.column, upper, sizeof upper) == 0);
    lyra_block_pattern_destroy(pattern);
    TEST_REQUIRE_OK(lyra_block_pattern_convert(other, LYRA_STORAGE_FULL, &pattern));
    TEST_EQUAL(lyra_block_pattern_view(pattern).block_count, 7);
    lyra_block_pattern_destroy(pattern);
    lyra_block_pattern_destroy(other);

    column[5] = 3;
    TEST_STATUS(
        lyra_block_pattern_create_rows(ctx, 3, LYRA_STORAGE_FULL, row_start, column, &pattern),
        LYRA_INVALID_ARGUMENT);
    TEST_CONTAINS(lyra_error_message(), "column 3");
    row_start[1] = 5;
    TEST_STATUS(
        lyra_block_pattern_create_rows(ctx, 3, LYRA_STORAGE_FULL, row_start, column, &pattern),
        LYRA_INVALID_ARGUMENT);
    test_context_end(ctx);
}

static void pattern_bits(LyraContext *ctx, void *data, void *out)
{
    const CaseStencils *box = data;
    int32_t *next = out;
    for (int32_t storage = 0; storage < LYRA_STORAGE_COUNT; ++storage) {
        LyraBlockPattern *pattern = case_pattern(ctx, box, (LyraStorage)storage);
        LyraBlockPatternView view = lyra_block_pattern_view(pattern);
        LyraStencils set = case_view(box);
        memcpy(next, view.column, (size_t)view.block_count * sizeof *next);
        next += view.block_count;
        TEST_OK(lyra_block_pattern_slots(pattern, &set, next));
        next += box->count * lyra_stencil_slot_count((LyraStorage)storage, 4);
        lyra_block_pattern_destroy(pattern);
    }
}

LYRA_TEST(patterns_and_slots_are_the_same_at_any_thread_count)
{
    CaseStencils box = case_box(19, 20, 21);
    size_t count = (size_t)(box.count * 26 + 30 * (int64_t)box.vertex_count);
    test_same_bits(pattern_bits, &box, count * sizeof(int32_t));
    free(box.ids);
}

static LyraStatus make_patterns(LyraContext *ctx, void *data)
{
    const CaseStencils *box = data;
    LyraStencils sets[2] = {case_view(box), case_view(box)};
    LyraBlockPattern *pattern = NULL, *other = NULL;
    int32_t slots[16 * 48];
    LyraStatus status =
        lyra_block_pattern_create(ctx, box->vertex_count, LYRA_STORAGE_UPPER, 2, sets, &pattern);
    if (status == LYRA_OK) {
        status = lyra_block_pattern_slots(pattern, &sets[0], slots);
    }
    if (status == LYRA_OK) {
        status = lyra_block_pattern_convert(pattern, LYRA_STORAGE_FULL, &other);
    }
    lyra_block_pattern_destroy(pattern);
    lyra_block_pattern_destroy(other);
    return status;
}

LYRA_TEST(failed_allocations_of_patterns_leak_nothing)
{
    CaseStencils box = case_box(2, 2, 2);
    test_fail_each_allocation(make_patterns, &box);
    free(box.ids);
}
