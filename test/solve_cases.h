// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Systems that the tests of direct solvers share: springs between the vertices of a mesh, with
// masses, and their solution by a dense factor.

#ifndef LYRA_SOLVE_CASES_H
#define LYRA_SOLVE_CASES_H

#include "lyra/csr.h"
#include "lyra/dense.h"
#include "sparse_cases.h"

/// Whether this build has a solver.
static inline bool solve_has(const char *name)
{
    const char *found;
    for (int32_t k = 0; (found = lyra_solver_name(k, NULL)); ++k) {
        if (strcmp(found, name) == 0) {
            return true;
        }
    }
    return false;
}

#define SOLVE_NEEDS(name)                                                                          \
    do {                                                                                           \
        if (!solve_has(name)) {                                                                    \
            TEST_SKIP("this build has no " name);                                                  \
        }                                                                                          \
    } while (0)

/// Forms in which one matrix is given.
enum { SOLVE_BLOCK_UPPER, SOLVE_BLOCK_FULL, SOLVE_CSR_UPPER, SOLVE_CSR_FULL, SOLVE_FORMS };

typedef struct SolveCase {
    LyraContext *ctx;
    CaseStencils stencils;
    bool owns_stencils;
    int32_t size;
    LyraBlockPattern *pattern;
    LyraBlockMatrix *upper;
    double *b, *x, *expected; // [size]
} SolveCase;

/// Adds springs of random directions, stiffness in [low, 1), along the edges of all stencils.
/// Translations remain free. Below 0 they push.
static inline void solve_springs(SolveCase *c, double low, uint64_t seed)
{
    TestRandom random = test_random(seed);
    LyraBlockPatternView view = lyra_block_pattern_view(c->pattern);
    for (int32_t i = 0; i < view.row_count; ++i) {
        for (int64_t k = view.row_start[i]; k < view.row_start[i + 1]; ++k) {
            int32_t j = view.column[k];
            if (j == i) {
                continue;
            }
            double n[3], block[9], stiffness = test_random_in(&random, low, 1.0);
            for (int32_t d = 0; d < 3; ++d) {
                n[d] = test_random_in(&random, -1.0, 1.0);
            }
            for (int32_t d = 0; d < 9; ++d) {
                block[d] = stiffness * (n[d / 3] * n[d % 3] + (d % 4 == 0 ? 0.2 : 0.0));
            }
            TEST_OK(lyra_block_matrix_add_block(c->upper, i, i, 1.0, block));
            TEST_OK(lyra_block_matrix_add_block(c->upper, j, j, 1.0, block));
            TEST_OK(lyra_block_matrix_add_block(c->upper, i, j, -1.0, block));
        }
    }
}

/// Solves by a dense LDL^T factor into c->expected.
static inline void solve_reference(SolveCase *c)
{
    double *dense = case_dense(c->upper);
    LyraDenseFactor *factor = NULL;
    TEST_OK(lyra_dense_factor_create(c->ctx, LYRA_FACTOR_LDL, c->size, dense, &factor));
    if (factor) {
        TEST_OK(lyra_dense_factor_solve(factor, 1, c->b, c->expected));
    }
    lyra_dense_factor_destroy(factor);
    free(dense);
}

/// Springs along the edges of stencils, and `mass` on the diagonal. With mass, solved.
static inline SolveCase solve_case_stencils(LyraContext *ctx, const CaseStencils *stencils,
                                            double mass, uint64_t seed)
{
    SolveCase c = {.ctx = ctx, .stencils = *stencils, .size = 3 * stencils->vertex_count};
    c.pattern = case_pattern(ctx, stencils, LYRA_STORAGE_UPPER);
    TEST_OK(lyra_block_matrix_create(c.pattern, &c.upper));
    solve_springs(&c, 0.1, seed);
    lyra_block_matrix_add_diagonal(c.upper, mass, NULL);
    c.b = case_vector(c.size, seed + 1000);
    c.x = case_vector(c.size, seed + 2000);
    c.expected = case_vector(c.size, seed + 3000);
    if (mass > 0) {
        solve_reference(&c);
    }
    return c;
}

/// The same on a cube of cells.
static inline SolveCase solve_case(LyraContext *ctx, int32_t cells, double mass, uint64_t seed)
{
    CaseStencils box = case_box(cells, cells, cells);
    SolveCase c = solve_case_stencils(ctx, &box, mass, seed);
    c.owns_stencils = true;
    return c;
}

static inline void solve_case_end(SolveCase *c)
{
    lyra_block_matrix_destroy(c->upper);
    lyra_block_pattern_destroy(c->pattern);
    free(c->b);
    free(c->x);
    free(c->expected);
    if (c->owns_stencils) {
        free(c->stencils.ids);
    }
}

/// Unit of each unknown times 10^[-decades, decades].
static inline void solve_rescale(SolveCase *c, double decades)
{
    TestRandom random = test_random(99);
    double *scale = case_vector(c->size, 1);
    for (int32_t i = 0; i < c->size; ++i) {
        scale[i] = pow(10.0, test_random_in(&random, -decades, decades));
    }
    LyraBlockPatternView view = lyra_block_pattern_view(c->pattern);
    double *values = lyra_block_matrix_values_mutable(c->upper);
    for (int32_t i = 0; i < view.row_count; ++i) {
        for (int64_t k = view.row_start[i]; k < view.row_start[i + 1]; ++k) {
            for (int32_t d = 0; d < 9; ++d) {
                values[9 * k + d] *= scale[3 * i + d / 3] * scale[3 * view.column[k] + d % 3];
            }
        }
    }
    for (int32_t i = 0; i < c->size; ++i) {
        c->b[i] *= scale[i];
    }
    free(scale);
}

/// Largest |x - expected| over the largest |expected|.
static inline double solve_difference(const SolveCase *c, const double *x)
{
    double worst = 0, largest = 0;
    for (int32_t i = 0; i < c->size; ++i) {
        double difference = fabs(x[i] - c->expected[i]);
        worst = difference > worst || isnan(difference) ? difference : worst;
        largest = fmax(largest, fabs(c->expected[i]));
    }
    return worst / largest;
}

static inline LyraSolver *solve_solver(LyraContext *ctx, const char *name,
                                       LyraIndefinite indefinite)
{
    LyraSolver *solver = NULL;
    LyraSolverDef def = lyra_solver_def_default();
    def.name = name;
    def.indefinite = indefinite;
    def.tolerance = 1e-12;
    TEST_OK(lyra_solver_create(ctx, &def, &solver));
    return solver;
}

/// What became of a system: the first status that is not LYRA_OK, and its sentence.
typedef struct SolveRun {
    LyraStatus status;
    LyraSolveReport report;
    char message[512];
    const double *x; // of the case
} SolveRun;

/// Analyzes, factors and solves the matrix of a case, given in a form, for c->b.
static inline SolveRun solve_run(const SolveCase *c, int32_t form, const char *name,
                                 LyraIndefinite indefinite)
{
    SolveRun run = {.x = c->x};
    LyraBlockPattern *full_pattern = NULL;
    LyraBlockMatrix *full = NULL;
    LyraCsrPattern *csr_pattern = NULL;
    LyraCsrMatrix *csr = NULL;
    LyraOperator A = lyra_operator_block(c->upper, true);
    if (form == SOLVE_BLOCK_FULL) {
        TEST_OK(lyra_block_pattern_convert(c->pattern, LYRA_STORAGE_FULL, &full_pattern));
        TEST_OK(lyra_block_matrix_create(full_pattern, &full));
        TEST_OK(lyra_block_matrix_assign(full, c->upper));
        A = lyra_operator_block(full, true);
    } else if (form != SOLVE_BLOCK_UPPER) {
        LyraStorage storage = form == SOLVE_CSR_UPPER ? LYRA_STORAGE_UPPER : LYRA_STORAGE_FULL;
        TEST_OK(lyra_csr_pattern_create_block(c->pattern, storage, &csr_pattern));
        TEST_OK(lyra_csr_matrix_create(csr_pattern, &csr));
        TEST_OK(lyra_csr_matrix_assign_block(csr, c->upper));
        A = lyra_operator_csr(csr, true);
    }
    LyraSolver *solver = solve_solver(c->ctx, name, indefinite);
    run.status = lyra_solver_analyze(solver, &A, NULL);
    if (run.status == LYRA_OK) {
        run.status = lyra_solver_factor(solver, &A);
        run.report = lyra_solver_report(solver);
    }
    if (run.status == LYRA_OK) {
        run.status = lyra_solver_solve(solver, c->b, false, c->x, &run.report);
    }
    snprintf(run.message, sizeof run.message, "%s",
             run.status == LYRA_OK ? "" : lyra_error_message());
    lyra_solver_destroy(solver);
    lyra_csr_matrix_destroy(csr);
    lyra_csr_pattern_destroy(csr_pattern);
    lyra_block_matrix_destroy(full);
    lyra_block_pattern_destroy(full_pattern);
    return run;
}

#endif
