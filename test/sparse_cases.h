// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Patterns and matrices that the tests of sparse share.

#ifndef LYRA_SPARSE_CASES_H
#define LYRA_SPARSE_CASES_H

#include "lyra/csr.h"
#include "lyra/lyra.h"
#include "lyra_test.h"

#include <stdlib.h>
#include <string.h>

/// Stencils with their own memory, to free(ids).
typedef struct CaseStencils {
    int32_t nodes, vertex_count;
    int64_t count;
    int32_t *ids;
} CaseStencils;

static inline void *case_allocate(size_t count, size_t size)
{
    void *memory = calloc(count ? count : 1, size);
    if (!memory) {
        abort();
    }
    return memory;
}

/// Box of cells, each cut into 6 tets along its diagonal.
static inline CaseStencils case_box(int32_t nx, int32_t ny, int32_t nz)
{
    static const int8_t paths[6][3] = {{0, 1, 2}, {0, 2, 1}, {1, 0, 2},
                                       {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};
    CaseStencils box = {4, (nx + 1) * (ny + 1) * (nz + 1), 6 * (int64_t)nx * ny * nz, NULL};
    int32_t stride[3] = {1, nx + 1, (nx + 1) * (ny + 1)};
    int32_t *id = box.ids = case_allocate((size_t)box.count * 4, sizeof *id);
    for (int32_t cell = 0; cell < nx * ny * nz; ++cell) {
        int32_t corner =
            cell % nx * stride[0] + cell / nx % ny * stride[1] + cell / (nx * ny) * stride[2];
        for (int32_t p = 0; p < 6; ++p) {
            int32_t v = corner;
            *id++ = v;
            for (int32_t d = 0; d < 3; ++d) {
                v += stride[paths[p][d]];
                *id++ = v;
            }
        }
    }
    return box;
}

/// `count` stencils of distinct random vertices.
static inline CaseStencils case_random(TestRandom *random, int32_t vertex_count, int32_t nodes,
                                       int64_t count)
{
    CaseStencils stencils = {nodes, vertex_count, count, NULL};
    stencils.ids = case_allocate((size_t)(count * nodes), sizeof(int32_t));
    for (int64_t s = 0; s < count; ++s) {
        int32_t *ids = stencils.ids + s * nodes;
        for (int32_t a = 0; a < nodes;) {
            ids[a] = test_random_below(random, vertex_count);
            bool again = false;
            for (int32_t b = 0; b < a; ++b) {
                again |= ids[b] == ids[a];
            }
            a += !again;
        }
    }
    return stencils;
}

/// Random permutation of [0, count), to free().
static inline int32_t *case_shuffle(TestRandom *random, int32_t count)
{
    int32_t *order = case_allocate((size_t)count, sizeof *order);
    for (int32_t i = 0; i < count; ++i) {
        int32_t j = test_random_below(random, i + 1);
        order[i] = order[j];
        order[j] = i;
    }
    return order;
}

static inline LyraStencils case_view(const CaseStencils *stencils)
{
    return (LyraStencils){stencils->nodes, stencils->count, stencils->ids};
}

static inline LyraBlockPattern *case_pattern(LyraContext *ctx, const CaseStencils *stencils,
                                             LyraStorage storage)
{
    LyraBlockPattern *pattern = NULL;
    LyraStencils set = case_view(stencils);
    TEST_OK(lyra_block_pattern_create(ctx, stencils->vertex_count, storage, 1, &set, &pattern));
    return pattern;
}

/// Random values; diagonal blocks of upper storage symmetric.
static inline LyraBlockMatrix *case_matrix(const LyraBlockPattern *pattern, uint64_t seed)
{
    LyraBlockMatrix *matrix = NULL;
    TestRandom random = test_random(seed);
    TEST_OK(lyra_block_matrix_create(pattern, &matrix));
    LyraBlockPatternView view = lyra_block_pattern_view(pattern);
    double *values = lyra_block_matrix_values_mutable(matrix);
    for (int64_t k = 0; k < 9 * view.block_count; ++k) {
        values[k] = test_random_in(&random, -1.0, 1.0);
    }
    for (int32_t i = 0; view.storage == LYRA_STORAGE_UPPER && i < view.row_count; ++i) {
        double *block = values + 9 * (int64_t)view.diagonal[i];
        block[3] = block[1];
        block[6] = block[2];
        block[7] = block[5];
    }
    return matrix;
}

static inline double *case_vector(int64_t count, uint64_t seed)
{
    TestRandom random = test_random(seed);
    double *x = case_allocate((size_t)count, sizeof *x);
    for (int64_t i = 0; i < count; ++i) {
        x[i] = test_random_in(&random, -1.0, 1.0);
    }
    return x;
}

/// Dense twin of a block matrix, row-major [3n][3n], to free().
static inline double *case_dense(const LyraBlockMatrix *matrix)
{
    LyraBlockPatternView view = lyra_block_pattern_view(lyra_block_matrix_pattern(matrix));
    const double *values = lyra_block_matrix_values(matrix);
    int64_t n = 3 * (int64_t)view.row_count;
    double *dense = case_allocate((size_t)(n * n), sizeof *dense);
    for (int32_t i = 0; i < view.row_count; ++i) {
        for (int64_t k = view.row_start[i]; k < view.row_start[i + 1]; ++k) {
            for (int32_t d = 0; d < 9; ++d) {
                int64_t row = 3 * (int64_t)i + d / 3, column = 3 * (int64_t)view.column[k] + d % 3;
                dense[row * n + column] = values[9 * k + d];
                if (view.storage == LYRA_STORAGE_UPPER && view.column[k] != i) {
                    dense[column * n + row] = values[9 * k + d];
                }
            }
        }
    }
    return dense;
}

/// Dense twin of a scalar matrix, row-major, to free().
static inline double *case_csr_dense(const LyraCsrMatrix *matrix)
{
    LyraCsrPatternView view = lyra_csr_pattern_view(lyra_csr_matrix_pattern(matrix));
    const double *values = lyra_csr_matrix_values(matrix);
    int64_t n = view.column_count;
    double *dense = case_allocate((size_t)(n * view.row_count), sizeof *dense);
    for (int32_t i = 0; i < view.row_count; ++i) {
        for (int64_t k = view.row_start[i]; k < view.row_start[i + 1]; ++k) {
            dense[i * n + view.column[k]] = values[k];
            if (view.storage == LYRA_STORAGE_UPPER) {
                dense[view.column[k] * n + i] = values[k];
            }
        }
    }
    return dense;
}

/// Whether two arrays hold the same numbers.
static inline bool case_equal(const double *a, const double *b, int64_t count)
{
    for (int64_t i = 0; i < count; ++i) {
        if (!(a[i] == b[i])) {
            return false;
        }
    }
    return true;
}

#endif
