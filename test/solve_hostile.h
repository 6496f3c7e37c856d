// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Small systems that are wrong in many ways, in every form of operator, for the tests of what
// solvers and constraints make of them.

#ifndef LYRA_SOLVE_HOSTILE_H
#define LYRA_SOLVE_HOSTILE_H

#include "base/base.h"
#include "solve_cases.h"

#define UNTOUCHED 12345.0
#define SIZE_MAX_ 12

// ---- matrices -----------------------------------------------------------------------------------

/// What has to come out. Statuses are those of numbers: singular, not positive definite, not
/// converged, not finite.
typedef enum Outcome {
    ANSWER, // LYRA_OK, and right
    STATUS, // no answer exists
    EITHER, // LYRA_OK and right, or a status
} Outcome;

typedef struct Hostile {
    const char *name;
    int32_t size;
    bool symmetric;
    Outcome definite;                   // of solvers for positive definite matrices
    Outcome any;                        // of those for any matrix, or any symmetric one
    void (*fill)(double *A, double *b); // by columns
} Hostile;

// a well-conditioned positive definite matrix times `scale`, and a right-hand side
static inline void fill_definite(int32_t n, double scale, double *A, double *b)
{
    for (int32_t i = 0; i < n; ++i) {
        for (int32_t j = 0; j < n; ++j) {
            A[i + n * j] = scale * (i == j ? 4.0 : 1.0 / (1 + abs(i - j)));
        }
        b[i] = 1.0 + 0.25 * i;
    }
}

static inline void times(int32_t n, double scale, double *b)
{
    for (int32_t i = 0; i < n; ++i) {
        b[i] *= scale;
    }
}

static inline void fill_plain(double *A, double *b)
{
    fill_definite(6, 1.0, A, b);
}

static inline void fill_one(double *A, double *b)
{
    A[0] = 4.0;
    b[0] = 1.0;
}

static inline void fill_one_zero(double *A, double *b)
{
    A[0] = 0.0;
    b[0] = 1.0;
}

static inline void fill_one_negative(double *A, double *b)
{
    A[0] = -4.0;
    b[0] = 1.0;
}

static inline void fill_zero(double *A, double *b)
{
    memset(A, 0, 36 * sizeof *A);
    fill_definite(6, 1.0, (double[36]){0}, b);
}

static inline void fill_zero_twice(double *A, double *b)
{
    memset(A, 0, 36 * sizeof *A);
    memset(b, 0, 6 * sizeof *b);
}

static inline void fill_no_load(double *A, double *b)
{
    fill_definite(6, 1.0, A, b);
    memset(b, 0, 6 * sizeof *b);
}

static inline void fill_negative(double *A, double *b)
{
    fill_definite(6, -1.0, A, b);
}

static inline void fill_indefinite(double *A, double *b)
{
    fill_definite(6, 1.0, A, b);
    A[0] = A[2 + 6 * 2] = -4.0;
}

// positive diagonal blocks, one negative eigenvalue across them
static inline void fill_hidden(double *A, double *b)
{
    fill_definite(6, 1.0, A, b);
    A[1 + 6 * 4] = A[4 + 6 * 1] = 9.0;
}

// [D B; B 0]: constraints by multipliers
static inline void fill_saddle(double *A, double *b)
{
    memset(A, 0, 36 * sizeof *A);
    for (int32_t i = 0; i < 3; ++i) {
        A[7 * i] = 2.0 + i;
        A[i + 6 * (3 + i)] = A[3 + i + 6 * i] = 1.0;
        b[i] = b[3 + i] = 1.0 + i;
    }
}

static inline void fill_exchange(double *A, double *b)
{
    memset(A, 0, 36 * sizeof *A);
    for (int32_t i = 0; i < 6; ++i) {
        A[i + 6 * (5 - i)] = 1.0;
        b[i] = 1.0 + i;
    }
}

static inline void fill_rank_one(double *A, double *b)
{
    for (int32_t k = 0; k < 36; ++k) {
        A[k] = 1.0;
    }
    fill_definite(6, 1.0, (double[36]){0}, b);
}

static inline void fill_rank_one_meets(double *A, double *b)
{
    fill_rank_one(A, b);
    for (int32_t i = 0; i < 6; ++i) {
        b[i] = 3.0;
    }
}

// two parts, and a vertex of its own
static inline void fill_apart(double *A, double *b)
{
    memset(A, 0, 144 * sizeof *A);
    double part[36];
    fill_definite(12, 1.0, (double[144]){0}, b);
    fill_definite(6, 1.0, part, (double[6]){0});
    for (int32_t i = 0; i < 6; ++i) {
        for (int32_t j = 0; j < 6; ++j) {
            A[i + 12 * j] = part[i + 6 * j];
        }
    }
    for (int32_t i = 6; i < 12; ++i) {
        A[13 * i] = i < 9 ? 1e3 : 1e-3;
    }
}

static inline void fill_apart_free(double *A, double *b)
{
    fill_apart(A, b);
    for (int32_t i = 9; i < 12; ++i) {
        A[13 * i] = 0.0;
    }
}

static inline void fill_hilbert(double *A, double *b)
{
    for (int32_t i = 0; i < 12; ++i) {
        for (int32_t j = 0; j < 12; ++j) {
            A[i + 12 * j] = 1.0 / (1 + i + j);
        }
        b[i] = i % 2 ? 1.0 : -1.0;
    }
}

static inline void fill_graded(double *A, double *b)
{
    memset(A, 0, 36 * sizeof *A);
    for (int32_t i = 0; i < 6; ++i) {
        A[7 * i] = pow(10.0, 30.0 * (i - 2));
        b[i] = A[7 * i];
    }
}

static inline void fill_tiny(double *A, double *b)
{
    fill_definite(6, 1e-300, A, b);
    times(6, 1e-300, b);
}

static inline void fill_huge(double *A, double *b)
{
    fill_definite(6, 1e300, A, b);
    times(6, 1e300, b);
}

static inline void fill_denormal_load(double *A, double *b)
{
    fill_definite(6, 1.0, A, b);
    times(6, 1e-320, b);
}

static inline void fill_largest_load(double *A, double *b)
{
    fill_definite(6, 1.0, A, b);
    times(6, 5e307, b);
}

// the answer is beyond the range
static inline void fill_overflow(double *A, double *b)
{
    fill_definite(6, 1e-200, A, b);
    times(6, 1e200, b);
}

static inline void fill_cyclic(double *A, double *b)
{
    memset(A, 0, 36 * sizeof *A);
    for (int32_t i = 0; i < 6; ++i) {
        A[i + 6 * ((i + 1) % 6)] = 1.0;
        b[i] = 1.0 + i;
    }
}

static inline void fill_skew(double *A, double *b)
{
    memset(A, 0, 36 * sizeof *A);
    for (int32_t i = 0; i < 6; i += 2) {
        A[i + 6 * (i + 1)] = 1.0 + i;
        A[i + 1 + 6 * i] = -1.0 - i;
        b[i] = 1.0;
        b[i + 1] = 2.0;
    }
}

static inline void fill_nilpotent(double *A, double *b)
{
    fill_cyclic(A, b);
    A[5] = 0.0;
}

static inline void fill_triangle(double *A, double *b)
{
    fill_definite(6, 1.0, A, b);
    for (int32_t i = 0; i < 6; ++i) {
        for (int32_t j = 0; j < i; ++j) {
            A[i + 6 * j] = 0.0;
        }
    }
}

static const Hostile table[] = {
    {"plain", 6, true, ANSWER, ANSWER, fill_plain},
    {"1x1", 1, true, ANSWER, ANSWER, fill_one},
    {"1x1 zero", 1, true, STATUS, STATUS, fill_one_zero},
    {"1x1 negative", 1, true, STATUS, ANSWER, fill_one_negative},
    {"zero", 6, true, STATUS, STATUS, fill_zero},
    {"zero and no load", 6, true, EITHER, EITHER, fill_zero_twice},
    {"no load", 6, true, ANSWER, ANSWER, fill_no_load},
    {"negative definite", 6, true, STATUS, ANSWER, fill_negative},
    {"indefinite", 6, true, STATUS, ANSWER, fill_indefinite},
    {"indefinite across blocks", 6, true, STATUS, ANSWER, fill_hidden},
    {"saddle point", 6, true, STATUS, EITHER, fill_saddle},
    {"exchange", 6, true, STATUS, EITHER, fill_exchange},
    {"rank one", 6, true, STATUS, STATUS, fill_rank_one},
    {"rank one, load in its range", 6, true, EITHER, EITHER, fill_rank_one_meets},
    {"parts", 12, true, ANSWER, ANSWER, fill_apart},
    {"parts, one free", 12, true, STATUS, STATUS, fill_apart_free},
    {"Hilbert", 12, true, EITHER, EITHER, fill_hilbert},
    {"graded", 6, true, EITHER, EITHER, fill_graded},
    {"tiny", 6, true, EITHER, EITHER, fill_tiny},
    {"huge", 6, true, EITHER, EITHER, fill_huge},
    {"load of denormals", 6, true, EITHER, EITHER, fill_denormal_load},
    {"largest load", 6, true, EITHER, EITHER, fill_largest_load},
    {"answer beyond the range", 6, true, STATUS, STATUS, fill_overflow},
    {"cyclic", 6, false, STATUS, EITHER, fill_cyclic},
    {"skew", 6, false, STATUS, EITHER, fill_skew},
    {"nilpotent", 6, false, STATUS, STATUS, fill_nilpotent},
    {"triangle", 6, false, STATUS, ANSWER, fill_triangle},
    {"triangle that claims symmetry", 6, true, EITHER, EITHER, fill_triangle},
};

// ---- one matrix in every form -------------------------------------------------------------------

typedef struct Forms {
    int32_t size;
    bool symmetric;
    double A[SIZE_MAX_ * SIZE_MAX_], b[SIZE_MAX_], diagonal[SIZE_MAX_];
    LyraBlockPattern *block_pattern;
    LyraBlockMatrix *block;
    LyraCsrPattern *csr_pattern;
    LyraCsrMatrix *csr;
} Forms;

static inline void multiply_dense(void *user, const double *x, double *y)
{
    const Forms *forms = user;
    int32_t n = forms->size;
    for (int32_t i = 0; i < n; ++i) {
        y[i] = 0.0;
        for (int32_t j = 0; j < n; ++j) {
            y[i] += forms->A[i + n * j] * x[j];
        }
    }
}

static inline void make_block(LyraContext *ctx, Forms *forms)
{
    int32_t n = forms->size / 3, ids[SIZE_MAX_];
    for (int32_t i = 0; i < n; ++i) {
        ids[i] = i;
    }
    const LyraStencils whole = {.count = 1, .nodes = n, .ids = ids};
    TEST_OK(lyra_block_pattern_create(ctx, n, LYRA_STORAGE_FULL, 1, &whole, &forms->block_pattern));
    TEST_OK(lyra_block_matrix_create(forms->block_pattern, &forms->block));
    for (int32_t k = 0; k < n * n; ++k) {
        double block[9];
        for (int32_t e = 0; e < 9; ++e) {
            block[e] = forms->A[3 * (k / n) + e / 3 + forms->size * (3 * (k % n) + e % 3)];
        }
        TEST_OK(lyra_block_matrix_add_block(forms->block, k / n, k % n, 1.0, block));
    }
}

static inline void make_forms(LyraContext *ctx, const Hostile *hostile, Forms *forms)
{
    int32_t n = hostile->size, row[SIZE_MAX_ * SIZE_MAX_], column[SIZE_MAX_ * SIZE_MAX_];
    *forms = (Forms){.size = n, .symmetric = hostile->symmetric};
    hostile->fill(forms->A, forms->b);
    for (int32_t k = 0; k < n * n; ++k) {
        row[k] = k % n;
        column[k] = k / n;
        forms->diagonal[k % n] = row[k] == column[k] ? forms->A[k] : forms->diagonal[k % n];
    }
    TEST_OK(lyra_csr_matrix_create_entries(ctx,
                                           &(LyraCsrEntries){.row_count = n,
                                                             .column_count = n,
                                                             .storage = LYRA_STORAGE_FULL,
                                                             .count = n * n,
                                                             .row = row,
                                                             .column = column,
                                                             .value = forms->A},
                                           &forms->csr_pattern, &forms->csr));
    if (n % 3 == 0) {
        make_block(ctx, forms);
    }
}

static inline void end_forms(Forms *forms)
{
    lyra_block_matrix_destroy(forms->block);
    lyra_block_pattern_destroy(forms->block_pattern);
    lyra_csr_matrix_destroy(forms->csr);
    lyra_csr_pattern_destroy(forms->csr_pattern);
}

static inline LyraOperator operator_of(Forms *forms, LyraOperatorKind kind)
{
    switch (kind) {
    case LYRA_OPERATOR_BLOCK:
        return lyra_operator_block(forms->block, forms->symmetric);
    case LYRA_OPERATOR_CSR:
        return lyra_operator_csr(forms->csr, forms->symmetric);
    case LYRA_OPERATOR_DENSE:
        return lyra_operator_dense(forms->size, forms->A, forms->symmetric);
    default:
        return lyra_operator_callback(forms->size, forms->symmetric, multiply_dense, forms,
                                      forms->diagonal);
    }
}

// |b - A x| / |b|, by b of size 1, so that nothing overflows or vanishes
static inline double residual_of(const Forms *forms, const double *x)
{
    int32_t n = forms->size;
    double load = 0.0, sum = 0.0, size = 0.0;
    for (int32_t i = 0; i < n; ++i) {
        load = fmax(load, fabs(forms->b[i]));
    }
    load = load > 0.0 ? load : 1.0;
    for (int32_t i = 0; i < n; ++i) {
        double b = forms->b[i] / load, r = b;
        for (int32_t j = 0; j < n; ++j) {
            r -= forms->A[i + n * j] * (x[j] / load);
        }
        sum += r * r;
        size += b * b;
    }
    return sum == 0.0 ? 0.0 : sqrt(sum / size);
}

static inline LyraStatus run_all(LyraSolver *solver, const LyraOperator *A,
                                 const LyraConstraints *set, const double *b, double *x,
                                 LyraSolveReport *report)
{
    LY_TRY(lyra_solver_analyze(solver, A, set));
    LY_TRY(lyra_solver_factor(solver, A));
    return lyra_solver_solve(solver, b, false, x, report);
}

static inline bool is_of_numbers(LyraStatus status)
{
    return status == LYRA_SINGULAR || status == LYRA_NOT_POSITIVE_DEFINITE ||
           status == LYRA_NOT_CONVERGED || status == LYRA_NOT_FINITE;
}

#endif
