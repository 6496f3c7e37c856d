// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

#include "config.h"
#include "sparse/graph.h"
#include "sparse_cases.h"

// the pattern of a box with its vertices shuffled
static LyraBlockPattern *shuffled_box(LyraContext *ctx, int32_t n, LyraStorage storage,
                                      uint64_t seed)
{
    TestRandom random = test_random(seed);
    CaseStencils box = case_box(n, n, n);
    int32_t *order = case_shuffle(&random, box.vertex_count);
    for (int64_t i = 0; i < 4 * box.count; ++i) {
        box.ids[i] = order[box.ids[i]];
    }
    LyraBlockPattern *pattern = case_pattern(ctx, &box, storage);
    free(order);
    free(box.ids);
    return pattern;
}

LYRA_TEST(rcm_reduces_the_bandwidth)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    enum { CELLS = 9, COUNT = 1000 };
    int32_t order[2][COUNT];
    for (int32_t storage = 0; storage < LYRA_STORAGE_COUNT; ++storage) {
        LyraBlockPattern *pattern = shuffled_box(ctx, CELLS, (LyraStorage)storage, 3);
        LyraGraph graph = lyra_block_pattern_graph(pattern);
        LyraBandwidth before, after;
        TEST_REQUIRE_OK(lyra_reorder_rcm(ctx, graph, order[storage]));
        TEST_OK(lyra_permutation_check(ctx, COUNT, order[storage]));
        TEST_OK(lyra_graph_bandwidth(ctx, graph, NULL, &before));
        TEST_OK(lyra_graph_bandwidth(ctx, graph, order[storage], &after));
        TEST_CHECK(before.bandwidth > 900);
        // levels from a corner of the box hold at most about 3/4 n^2 vertices
        TEST_CHECK_MSG(after.bandwidth <= 200, "bandwidth %d", (int)after.bandwidth);
        TEST_CHECK(after.profile < before.profile / 4 && after.mean < before.mean / 4);
        lyra_block_pattern_destroy(pattern);
    }
    // both storages are one graph
    TEST_CHECK(memcmp(order[0], order[1], sizeof order[0]) == 0);
    test_context_end(ctx);
}

LYRA_TEST(rcm_of_a_path_is_the_path)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    enum { COUNT = 31 };
    TestRandom random = test_random(4);
    int32_t *path = case_shuffle(&random, COUNT), edges[COUNT - 1][2], order[COUNT];
    for (int32_t i = 0; i + 1 < COUNT; ++i) {
        edges[i][0] = path[i];
        edges[i][1] = path[i + 1];
    }
    CaseStencils line = {2, COUNT, COUNT - 1, &edges[0][0]};
    LyraBlockPattern *pattern = case_pattern(ctx, &line, LYRA_STORAGE_UPPER);
    LyraGraph graph = lyra_block_pattern_graph(pattern);
    LyraBandwidth after;
    TEST_REQUIRE_OK(lyra_reorder_rcm(ctx, graph, order));
    TEST_OK(lyra_graph_bandwidth(ctx, graph, order, &after));
    TEST_EQUAL(after.bandwidth, 1);
    TEST_EQUAL(after.profile, COUNT - 1);
    TEST_NEAR(after.mean, 1.0, 0.0);
    lyra_block_pattern_destroy(pattern);
    free(path);
    test_context_end(ctx);
}

// pieces apart, vertices alone, no vertices
LYRA_TEST(orders_handle_graphs_in_pieces)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    TestRandom random = test_random(5);
    for (int32_t trial = 0; trial < 40; ++trial) {
        int32_t count = trial < 4 ? trial : 4 + test_random_below(&random, 60);
        CaseStencils some =
            case_random(&random, count, 2, count < 2 || trial % 5 == 0 ? 0 : count / 2);
        LyraBlockPattern *pattern = case_pattern(ctx, &some, LYRA_STORAGE_UPPER);
        LyraGraph graph = lyra_block_pattern_graph(pattern);
        int32_t order[64], again[64];
        TEST_OK(lyra_reorder_rcm(ctx, graph, order));
        TEST_OK(lyra_permutation_check(ctx, count, order));
        TEST_OK(ly_reorder_dissect(ctx, graph, order));
        TEST_OK(lyra_permutation_check(ctx, count, order));
#if LY_HAVE_METIS
        TEST_OK(lyra_reorder_metis(ctx, graph, order));
        TEST_OK(lyra_permutation_check(ctx, count, order));
        TEST_OK(lyra_reorder_metis(ctx, graph, again));
        TEST_CHECK(memcmp(order, again, (size_t)count * sizeof order[0]) == 0);
#else
        (void)again;
        TEST_STATUS(lyra_reorder_metis(ctx, graph, order), LYRA_UNSUPPORTED);
        TEST_CONTAINS(lyra_error_message(), "METIS");
#endif
        LyraBandwidth bandwidth;
        TEST_OK(lyra_graph_bandwidth(ctx, graph, order, &bandwidth));
        lyra_block_pattern_destroy(pattern);
        free(some.ids);
    }
    test_context_end(ctx);
}

// entries of the Cholesky factor of a graph in an order, by elimination on bit sets
static int64_t count_fill(LyraGraph graph, const int32_t *order)
{
    int32_t n = graph.vertex_count;
    int32_t *place = case_allocate((size_t)n, sizeof *place);
    TEST_OK(lyra_permutation_invert(n, order, place));
    bool *linked = case_allocate((size_t)n * (size_t)n, sizeof *linked);
    for (int32_t v = 0; v < n; ++v) {
        for (int64_t k = graph.row_start[v]; k < graph.row_start[v + 1]; ++k) {
            int32_t i = place[v], j = place[graph.column[k]];
            linked[i * n + j] = linked[j * n + i] = true;
        }
    }
    int64_t fill = 0;
    for (int32_t p = 0; p < n; ++p) {
        for (int32_t i = p + 1; i < n; ++i) {
            fill += linked[p * n + i];
            for (int32_t j = p + 1; linked[p * n + i] && j < n; ++j) {
                linked[i * n + j] |= linked[p * n + j];
            }
        }
    }
    free(place);
    free(linked);
    return fill;
}

LYRA_TEST(metis_reduces_fill_and_repeats)
{
    if (!LY_HAVE_METIS) {
        TEST_SKIP("this build has no METIS");
    }
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    LyraBlockPattern *pattern = shuffled_box(ctx, 8, LYRA_STORAGE_FULL, 3);
    LyraGraph graph = lyra_block_pattern_graph(pattern);
    enum { COUNT = 729 };
    int32_t rcm[COUNT], metis[COUNT], again[COUNT];
    TEST_REQUIRE_OK(lyra_reorder_rcm(ctx, graph, rcm));
    TEST_REQUIRE_OK(lyra_reorder_metis(ctx, graph, metis));
    TEST_OK(lyra_permutation_check(ctx, COUNT, metis));
    srand(99);
    TEST_REQUIRE_OK(lyra_reorder_metis(ctx, graph, again));
    TEST_CHECK(memcmp(metis, again, sizeof metis) == 0);
    int64_t metis_fill = count_fill(graph, metis), rcm_fill = count_fill(graph, rcm);
    TEST_CHECK_MSG(metis_fill < 0.9 * (double)rcm_fill, "fill %lld, by RCM %lld",
                   (long long)metis_fill, (long long)rcm_fill);
    lyra_block_pattern_destroy(pattern);
    test_context_end(ctx);
}

// our own order is not far from that of METIS, which has 34,447 entries here
LYRA_TEST(dissection_reduces_fill)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    LyraBlockPattern *pattern = shuffled_box(ctx, 8, LYRA_STORAGE_FULL, 3);
    LyraGraph graph = lyra_block_pattern_graph(pattern);
    enum { COUNT = 729 };
    int32_t own[COUNT];
    TEST_REQUIRE_OK(ly_reorder_dissect(ctx, graph, own));
    TEST_OK(lyra_permutation_check(ctx, COUNT, own));
    int64_t fill = count_fill(graph, own);
    TEST_CHECK_MSG(fill < 38000, "fill %lld", (long long)fill);
    lyra_block_pattern_destroy(pattern);
    test_context_end(ctx);
}

static LyraStatus dissect_once(LyraContext *ctx, void *data)
{
    int32_t own[729];
    return ly_reorder_dissect(ctx, *(const LyraGraph *)data, own);
}

LYRA_TEST(dissection_survives_want_of_memory)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    LyraBlockPattern *pattern = shuffled_box(ctx, 4, LYRA_STORAGE_FULL, 3);
    LyraGraph graph = lyra_block_pattern_graph(pattern);
    test_fail_each_allocation(dissect_once, &graph);
    lyra_block_pattern_destroy(pattern);
    test_context_end(ctx);
}

// A long body, wherever it stands, whichever axis it lies along: the curve runs through its cells
// in the same order. All numbers are exact.
LYRA_TEST(hilbert_curve_does_not_see_where_a_body_stands)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    enum { COUNT = 32 * 4 * 4 };
    static double at_origin[3 * COUNT], moved[3 * COUNT];
    static int32_t order[COUNT], moved_order[COUNT];
    const double shift[3] = {-64, 256, 32};
    for (int32_t axis = 0; axis < 3; ++axis) {
        for (int32_t i = 0; i < COUNT; ++i) {
            int32_t cell[3] = {i % 32, i / 32 % 4, i / 128};
            for (int32_t d = 0; d < 3; ++d) {
                at_origin[3 * i + (axis + d) % 3] = cell[d];
            }
        }
        for (int32_t i = 0; i < 3 * COUNT; ++i) {
            moved[i] = at_origin[i] + shift[i % 3];
        }
        TEST_OK(lyra_reorder_hilbert(ctx, COUNT, at_origin, order));
        TEST_OK(lyra_reorder_hilbert(ctx, COUNT, moved, moved_order));
        TEST_CHECK_MSG(memcmp(order, moved_order, sizeof order) == 0, "axis %d", (int)axis);
        // the long axis sets the scale: the curve never leaps, as it would in a squeezed body
        double length = 0;
        for (int32_t i = 1; i < COUNT; ++i) {
            for (int32_t d = 0; d < 3; ++d) {
                length += fabs(at_origin[3 * order[i] + d] - at_origin[3 * order[i - 1] + d]);
            }
        }
        TEST_CHECK_MSG(length < 1.5 * COUNT, "axis %d: length %g", (int)axis, length);
    }
    test_context_end(ctx);
}

// On a full grid of a power of two, neighbours on the curve are neighbours in space.
LYRA_TEST(hilbert_curve_walks_to_neighbours)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    enum { SIDE = 16, COUNT = SIDE * SIDE * SIDE };
    double *positions = case_allocate(3 * COUNT, sizeof *positions);
    int32_t *order = case_allocate(COUNT, sizeof *order);
    for (int32_t i = 0; i < COUNT; ++i) {
        positions[3 * i] = -2.0 + 0.5 * (i % SIDE);
        positions[3 * i + 1] = 0.5 * (i / SIDE % SIDE);
        int32_t layer = i / (SIDE * SIDE);
        positions[3 * i + 2] = 100.0 + 0.5 * layer;
    }
    TEST_REQUIRE_OK(lyra_reorder_hilbert(ctx, COUNT, positions, order));
    TEST_OK(lyra_permutation_check(ctx, COUNT, order));
    bool near = true;
    for (int32_t i = 0; i + 1 < COUNT; ++i) {
        double distance = 0.0;
        for (int32_t d = 0; d < 3; ++d) {
            distance += fabs(positions[3 * order[i] + d] - positions[3 * order[i + 1] + d]);
        }
        near = near && distance == 0.5;
    }
    TEST_CHECK(near);

    // equal points keep their order; the largest doubles do not overflow; NaN is refused
    for (int32_t i = 0; i < 3 * COUNT; ++i) {
        positions[i] = 7.0;
    }
    TEST_REQUIRE_OK(lyra_reorder_hilbert(ctx, COUNT, positions, order));
    TEST_CHECK(order[0] == 0 && order[COUNT - 1] == COUNT - 1);
    positions[0] = 1e308;
    positions[4] = -1.7e308;
    TEST_OK(lyra_reorder_hilbert(ctx, COUNT, positions, order));
    TEST_OK(lyra_permutation_check(ctx, COUNT, order));
    positions[5] = NAN;
    TEST_STATUS(lyra_reorder_hilbert(ctx, COUNT, positions, order), LYRA_NOT_FINITE);
    TEST_CONTAINS(lyra_error_message(), "position 1");
    TEST_OK(lyra_reorder_hilbert(ctx, 0, NULL, NULL));
    free(positions);
    free(order);
    test_context_end(ctx);
}

LYRA_TEST(permutations_are_checked)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    int32_t order[4] = {2, 0, 3, 1}, inverse[4];
    double old[8] = {0, 1, 10, 11, 20, 21, 30, 31}, moved[8], back[8];
    TEST_OK(lyra_permutation_invert(4, order, inverse));
    TEST_STATUS(lyra_permutation_invert(-1, order, inverse), LYRA_INVALID_ARGUMENT);
    TEST_STATUS(lyra_permutation_check(ctx, -1, order), LYRA_INVALID_ARGUMENT);
    TEST_OK(lyra_permutation_check(ctx, 0, NULL));
    TEST_CHECK(inverse[2] == 0 && inverse[0] == 1 && inverse[3] == 2 && inverse[1] == 3);
    lyra_permutation_apply(4, order, 2, old, moved);
    TEST_CHECK(moved[0] == 20 && moved[1] == 21 && moved[6] == 10);
    lyra_permutation_undo(4, order, 2, moved, back);
    TEST_CHECK(case_equal(old, back, 8));
    order[2] = 0;
    TEST_STATUS(lyra_permutation_check(ctx, 4, order), LYRA_INVALID_ARGUMENT);
    TEST_CONTAINS(lyra_error_message(), "places 1 and 2 both hold 0");
    order[2] = 4;
    TEST_STATUS(lyra_permutation_check(ctx, 4, order), LYRA_INVALID_ARGUMENT);
    TEST_CONTAINS(lyra_error_message(), "place 2 holds 4");
    TEST_STATUS(lyra_permutation_check(ctx, -1, order), LYRA_INVALID_ARGUMENT);
    TEST_OK(lyra_permutation_check(ctx, 0, NULL));
    test_context_end(ctx);
}

LYRA_TEST(matrices_are_permuted)
{
    TestRandom random = test_random(6);
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    enum { COUNT = 13, N = 3 * COUNT };
    for (int32_t storage = 0; storage < LYRA_STORAGE_COUNT; ++storage) {
        CaseStencils some = case_random(&random, COUNT, 4, 6);
        int32_t *order = case_shuffle(&random, COUNT), *scalar_order = case_shuffle(&random, N);
        LyraBlockPattern *pattern = case_pattern(ctx, &some, (LyraStorage)storage);
        LyraBlockPattern *moved_pattern = NULL;
        LyraBlockMatrix *matrix = case_matrix(pattern, 1), *moved = NULL;
        TEST_REQUIRE_OK(lyra_block_pattern_permute(pattern, order, &moved_pattern));
        TEST_REQUIRE_OK(lyra_block_matrix_create(moved_pattern, &moved));
        TEST_OK(lyra_block_matrix_permute(moved, matrix, order));
        double *a = case_dense(matrix), *b = case_dense(moved);
        bool right = true;
        for (int32_t i = 0; i < N; ++i) {
            for (int32_t j = 0; j < N; ++j) {
                int32_t old_i = 3 * order[i / 3] + i % 3, old_j = 3 * order[j / 3] + j % 3;
                right = right && b[i * N + j] == a[old_i * N + old_j];
            }
        }
        TEST_CHECK(right);

        // scalar twin; rows alone where storage is full
        LyraCsrPattern *csr_pattern = NULL, *moved_csr_pattern = NULL;
        LyraCsrMatrix *csr = NULL, *moved_csr = NULL;
        const int32_t *columns = storage == LYRA_STORAGE_UPPER ? scalar_order : NULL;
        TEST_REQUIRE_OK(lyra_csr_pattern_create_block(pattern, (LyraStorage)storage, &csr_pattern));
        TEST_REQUIRE_OK(lyra_csr_matrix_create(csr_pattern, &csr));
        TEST_OK(lyra_csr_matrix_assign_block(csr, matrix));
        TEST_REQUIRE_OK(
            lyra_csr_pattern_permute(csr_pattern, scalar_order, columns, &moved_csr_pattern));
        TEST_REQUIRE_OK(lyra_csr_matrix_create(moved_csr_pattern, &moved_csr));
        TEST_OK(lyra_csr_matrix_permute(moved_csr, csr, scalar_order, columns));
        double *c = case_csr_dense(moved_csr);
        for (int32_t i = 0; i < N; ++i) {
            for (int32_t j = 0; j < N; ++j) {
                int32_t old_j = columns ? columns[j] : j;
                right = right && c[i * N + j] == a[scalar_order[i] * N + old_j];
            }
        }
        TEST_CHECK(right);
        order[0] = order[1];
        LyraBlockPattern *none = NULL;
        TEST_STATUS(lyra_block_pattern_permute(pattern, order, &none), LYRA_INVALID_ARGUMENT);
        TEST_STATUS(lyra_block_matrix_permute(moved, matrix, order), LYRA_INVALID_ARGUMENT);
        free(a);
        free(b);
        free(c);
        free(order);
        free(scalar_order);
        free(some.ids);
        lyra_csr_matrix_destroy(csr);
        lyra_csr_matrix_destroy(moved_csr);
        lyra_csr_pattern_destroy(csr_pattern);
        lyra_csr_pattern_destroy(moved_csr_pattern);
        lyra_block_matrix_destroy(matrix);
        lyra_block_matrix_destroy(moved);
        lyra_block_pattern_destroy(pattern);
        lyra_block_pattern_destroy(moved_pattern);
    }
    test_context_end(ctx);
}

static LyraStatus make_orders(LyraContext *ctx, void *data)
{
    const CaseStencils *box = data;
    LyraStencils set = case_view(box);
    LyraBlockPattern *pattern = NULL, *moved = NULL;
    int32_t order[8];
    const double positions[24] = {1.0, 2.0, 3.0};
    LyraBandwidth bandwidth;
    LyraStatus status =
        lyra_block_pattern_create(ctx, box->vertex_count, LYRA_STORAGE_UPPER, 1, &set, &pattern);
    if (status == LYRA_OK) {
        status = lyra_reorder_hilbert(ctx, 8, positions, order);
    }
    if (status == LYRA_OK) {
        status = lyra_reorder_rcm(ctx, lyra_block_pattern_graph(pattern), order);
    }
    if (status == LYRA_OK) {
        status = lyra_graph_bandwidth(ctx, lyra_block_pattern_graph(pattern), order, &bandwidth);
    }
    if (status == LYRA_OK) {
        status = lyra_block_pattern_permute(pattern, order, &moved);
    }
#if LY_HAVE_METIS
    if (status == LYRA_OK) {
        status = lyra_reorder_metis(ctx, lyra_block_pattern_graph(pattern), order);
    }
#endif
    lyra_block_pattern_destroy(pattern);
    lyra_block_pattern_destroy(moved);
    return status;
}

LYRA_TEST(failed_allocations_of_orders_leak_nothing)
{
    CaseStencils box = case_box(1, 1, 1);
    test_fail_each_allocation(make_orders, &box);
    free(box.ids);
}
