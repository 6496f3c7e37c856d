// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Whatever solvers and constraints are given, the outcome is the right answer or a status with a
// sentence and outputs untouched. Tables of matrices, right-hand sides, settings and arguments go
// through every solver of the build, in every form of operator.

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
static void fill_definite(int32_t n, double scale, double *A, double *b)
{
    for (int32_t i = 0; i < n; ++i) {
        for (int32_t j = 0; j < n; ++j) {
            A[i + n * j] = scale * (i == j ? 4.0 : 1.0 / (1 + abs(i - j)));
        }
        b[i] = 1.0 + 0.25 * i;
    }
}

static void times(int32_t n, double scale, double *b)
{
    for (int32_t i = 0; i < n; ++i) {
        b[i] *= scale;
    }
}

static void fill_plain(double *A, double *b)
{
    fill_definite(6, 1.0, A, b);
}

static void fill_one(double *A, double *b)
{
    A[0] = 4.0;
    b[0] = 1.0;
}

static void fill_one_zero(double *A, double *b)
{
    A[0] = 0.0;
    b[0] = 1.0;
}

static void fill_one_negative(double *A, double *b)
{
    A[0] = -4.0;
    b[0] = 1.0;
}

static void fill_zero(double *A, double *b)
{
    memset(A, 0, 36 * sizeof *A);
    fill_definite(6, 1.0, (double[36]){0}, b);
}

static void fill_zero_twice(double *A, double *b)
{
    memset(A, 0, 36 * sizeof *A);
    memset(b, 0, 6 * sizeof *b);
}

static void fill_no_load(double *A, double *b)
{
    fill_definite(6, 1.0, A, b);
    memset(b, 0, 6 * sizeof *b);
}

static void fill_negative(double *A, double *b)
{
    fill_definite(6, -1.0, A, b);
}

static void fill_indefinite(double *A, double *b)
{
    fill_definite(6, 1.0, A, b);
    A[0] = A[2 + 6 * 2] = -4.0;
}

// positive diagonal blocks, one negative eigenvalue across them
static void fill_hidden(double *A, double *b)
{
    fill_definite(6, 1.0, A, b);
    A[1 + 6 * 4] = A[4 + 6 * 1] = 9.0;
}

// [D B; B 0]: constraints by multipliers
static void fill_saddle(double *A, double *b)
{
    memset(A, 0, 36 * sizeof *A);
    for (int32_t i = 0; i < 3; ++i) {
        A[7 * i] = 2.0 + i;
        A[i + 6 * (3 + i)] = A[3 + i + 6 * i] = 1.0;
        b[i] = b[3 + i] = 1.0 + i;
    }
}

static void fill_exchange(double *A, double *b)
{
    memset(A, 0, 36 * sizeof *A);
    for (int32_t i = 0; i < 6; ++i) {
        A[i + 6 * (5 - i)] = 1.0;
        b[i] = 1.0 + i;
    }
}

static void fill_rank_one(double *A, double *b)
{
    for (int32_t k = 0; k < 36; ++k) {
        A[k] = 1.0;
    }
    fill_definite(6, 1.0, (double[36]){0}, b);
}

static void fill_rank_one_meets(double *A, double *b)
{
    fill_rank_one(A, b);
    for (int32_t i = 0; i < 6; ++i) {
        b[i] = 3.0;
    }
}

// two parts, and a vertex of its own
static void fill_apart(double *A, double *b)
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

static void fill_apart_free(double *A, double *b)
{
    fill_apart(A, b);
    for (int32_t i = 9; i < 12; ++i) {
        A[13 * i] = 0.0;
    }
}

static void fill_hilbert(double *A, double *b)
{
    for (int32_t i = 0; i < 12; ++i) {
        for (int32_t j = 0; j < 12; ++j) {
            A[i + 12 * j] = 1.0 / (1 + i + j);
        }
        b[i] = i % 2 ? 1.0 : -1.0;
    }
}

static void fill_graded(double *A, double *b)
{
    memset(A, 0, 36 * sizeof *A);
    for (int32_t i = 0; i < 6; ++i) {
        A[7 * i] = pow(10.0, 30.0 * (i - 2));
        b[i] = A[7 * i];
    }
}

static void fill_tiny(double *A, double *b)
{
    fill_definite(6, 1e-300, A, b);
    times(6, 1e-300, b);
}

static void fill_huge(double *A, double *b)
{
    fill_definite(6, 1e300, A, b);
    times(6, 1e300, b);
}

static void fill_denormal_load(double *A, double *b)
{
    fill_definite(6, 1.0, A, b);
    times(6, 1e-320, b);
}

static void fill_largest_load(double *A, double *b)
{
    fill_definite(6, 1.0, A, b);
    times(6, 5e307, b);
}

// the answer is beyond the range
static void fill_overflow(double *A, double *b)
{
    fill_definite(6, 1e-200, A, b);
    times(6, 1e200, b);
}

static void fill_cyclic(double *A, double *b)
{
    memset(A, 0, 36 * sizeof *A);
    for (int32_t i = 0; i < 6; ++i) {
        A[i + 6 * ((i + 1) % 6)] = 1.0;
        b[i] = 1.0 + i;
    }
}

static void fill_skew(double *A, double *b)
{
    memset(A, 0, 36 * sizeof *A);
    for (int32_t i = 0; i < 6; i += 2) {
        A[i + 6 * (i + 1)] = 1.0 + i;
        A[i + 1 + 6 * i] = -1.0 - i;
        b[i] = 1.0;
        b[i + 1] = 2.0;
    }
}

static void fill_nilpotent(double *A, double *b)
{
    fill_cyclic(A, b);
    A[5] = 0.0;
}

static void fill_triangle(double *A, double *b)
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

static void multiply_dense(void *user, const double *x, double *y)
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

static void make_block(LyraContext *ctx, Forms *forms)
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

static void make_forms(LyraContext *ctx, const Hostile *hostile, Forms *forms)
{
    int32_t n = hostile->size, row[SIZE_MAX_ * SIZE_MAX_], column[SIZE_MAX_ * SIZE_MAX_];
    *forms = (Forms){.size = n, .symmetric = hostile->symmetric};
    hostile->fill(forms->A, forms->b);
    for (int32_t k = 0; k < n * n; ++k) {
        row[k] = k % n;
        column[k] = k / n;
        forms->diagonal[k % n] = row[k] == column[k] ? forms->A[k] : forms->diagonal[k % n];
    }
    TEST_OK(lyra_csr_matrix_create_entries(ctx, n, n, LYRA_STORAGE_FULL, n * n, row, column,
                                           forms->A, &forms->csr_pattern, &forms->csr));
    if (n % 3 == 0) {
        make_block(ctx, forms);
    }
}

static void end_forms(Forms *forms)
{
    lyra_block_matrix_destroy(forms->block);
    lyra_block_pattern_destroy(forms->block_pattern);
    lyra_csr_matrix_destroy(forms->csr);
    lyra_csr_pattern_destroy(forms->csr_pattern);
}

static LyraOperator operator_of(Forms *forms, LyraOperatorKind kind)
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
static double residual_of(const Forms *forms, const double *x)
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

static LyraStatus run_all(LyraSolver *solver, const LyraOperator *A, const LyraConstraints *set,
                          const double *b, double *x, LyraSolveReport *report)
{
    LY_TRY(lyra_solver_analyze(solver, A, set));
    LY_TRY(lyra_solver_factor(solver, A));
    return lyra_solver_solve(solver, b, false, x, report);
}

static bool is_of_numbers(LyraStatus status)
{
    return status == LYRA_SINGULAR || status == LYRA_NOT_POSITIVE_DEFINITE ||
           status == LYRA_NOT_CONVERGED || status == LYRA_NOT_FINITE;
}

// What an answer may leave: ten times the tolerance of iterations, and what the spacing of the
// smallest numbers adds. A matrix that is not what its operator says, symmetric, gets as far as a
// direct solver lets answers go.
static double allowed_residual(const Hostile *hostile, double spacing)
{
    bool lies = hostile->symmetric && hostile->fill == fill_triangle;
    return (lies ? 1e-3 : 1e-5) + spacing;
}

// spacing of the smallest numbers against the right-hand side, times what rows add up
static double spacing_of(const Forms *forms)
{
    double load = 0.0;
    for (int32_t i = 0; i < forms->size; ++i) {
        load = fmax(load, fabs(forms->b[i]));
    }
    return load > 0.0 ? 50.0 * 0x1p-1074 / load : 0.0;
}

// one table row by one solver in one form
static void check_run(LyraContext *ctx, const Hostile *hostile, Forms *forms,
                      const LyraSolverDef *def, LyraOperatorKind kind, Outcome expected)
{
    LyraSolver *solver = NULL;
    LyraSolveReport report = {0};
    double x[SIZE_MAX_];
    for (int32_t i = 0; i < SIZE_MAX_; ++i) {
        x[i] = UNTOUCHED;
    }
    TEST_OK(lyra_solver_create(ctx, def, &solver));
    LyraOperator A = operator_of(forms, kind);
    LyraStatus status = run_all(solver, &A, NULL, forms->b, x, &report);
    char what[200];
    snprintf(what, sizeof what, "%s by %s (%s), form %d, indefinite %d: %s", hostile->name,
             def->name, lyra_solver_choice(solver), (int)kind, (int)def->indefinite,
             status == LYRA_OK ? "ok" : lyra_error_message());
    if (status == LYRA_OK) {
        // a shifted factor answers for another matrix, and says so
        bool shifted = def->indefinite == LYRA_INDEFINITE_SHIFT && report.shift > 0.0;
        double residual = residual_of(forms, x), spacing = spacing_of(forms);
        TEST_CHECK_MSG(shifted || residual <= allowed_residual(hostile, spacing), "%s, residual %g",
                       what, residual);
        TEST_CHECK_MSG(fabs(report.residual - residual) <= 1e-2 * residual + 1e-12 + spacing,
                       "%s, residual %g, reported %g", what, residual, report.residual);
        TEST_CHECK_MSG(expected != STATUS || shifted, "%s", what);
    } else if (status != LYRA_UNSUPPORTED) {
        TEST_CHECK_MSG(is_of_numbers(status), "%s: %s", what, lyra_status_name(status));
        TEST_CHECK_MSG(expected != ANSWER, "%s", what);
    }
    TEST_CHECK(status == LYRA_OK || strlen(lyra_error_message()) > 10);
    for (int32_t i = status == LYRA_OK ? hostile->size : 0; i < SIZE_MAX_; ++i) {
        TEST_CHECK_MSG(x[i] == UNTOUCHED, "%s: x[%d] is %g", what, (int)i, x[i]);
    }
    lyra_solver_destroy(solver);
}

// what a row has to come to by one solver
static Outcome expected_of(const Hostile *hostile, const char *name, LyraIndefinite indefinite)
{
    static const char *const for_any[] = {"minres", "bicgstab", "gmres", "umfpack"};
    bool any = false, factors = strcmp(name, "cholmod") == 0 || strcmp(name, "dense") == 0;
    for (int32_t k = 0; k < LY_COUNT_OF(for_any); ++k) {
        any |= strcmp(name, for_any[k]) == 0;
    }
    any |= factors && (indefinite == LYRA_INDEFINITE_LDL || !hostile->symmetric);
    if (any) {
        return hostile->any;
    }
    bool refuses = strcmp(name, "pcg") == 0 || (factors && indefinite == LYRA_INDEFINITE_REFUSE);
    return refuses || hostile->any == hostile->definite ? hostile->definite : EITHER;
}

LYRA_TEST(every_matrix_gets_the_right_answer_or_a_status)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    for (int32_t t = 0; t < LY_COUNT_OF(table); ++t) {
        Forms forms;
        make_forms(ctx, &table[t], &forms);
        for (int32_t k = -1; k < 0 || lyra_solver_name(k, NULL); ++k) {
            LyraSolverDef def = lyra_solver_def_default();
            def.name = k < 0 ? "auto" : lyra_solver_name(k, NULL);
            for (int32_t kind = 0; kind <= LYRA_OPERATOR_CALLBACK; ++kind) {
                bool given = kind != LYRA_OPERATOR_BLOCK || forms.block;
                for (int32_t i = 0; given && i <= LYRA_INDEFINITE_SHIFT; ++i) {
                    def.indefinite = (LyraIndefinite)i;
                    check_run(ctx, &table[t], &forms, &def, (LyraOperatorKind)kind,
                              expected_of(&table[t], def.name, def.indefinite));
                }
            }
        }
        end_forms(&forms);
    }
    test_context_end(ctx);
}

// ---- settings -----------------------------------------------------------------------------------

// a body of 8 vertices and a setting that is at the end of its range, or beyond what fits
typedef struct Setting {
    const char *name;
    LyraStatus status; // of the run; LYRA_OK: and the right answer
    void (*change)(LyraSolverDef *def);
    const char *part; // of the message
} Setting;

static double box_positions[24], same_positions[24], far_positions[24], bad_positions[24];

static void change_limit(LyraSolverDef *def)
{
    def->name = "pcg";
    def->iterations_max = 1;
}

static void change_smallest_tolerance(LyraSolverDef *def)
{
    def->name = "pcg";
    def->tolerance = 1e-300;
}

static void change_largest_tolerance(LyraSolverDef *def)
{
    def->name = "pcg";
    def->tolerance = 0.999999;
}

static void change_long_restart(LyraSolverDef *def)
{
    def->name = "gmres";
    def->restart = INT32_MAX;
}

static void change_short_restart(LyraSolverDef *def)
{
    def->name = "gmres";
    def->restart = 1;
}

static void change_one_aggregate(LyraSolverDef *def)
{
    def->coarse = true;
    def->aggregate = INT32_MAX;
    def->positions = box_positions;
}

static void change_small_aggregates(LyraSolverDef *def)
{
    def->coarse = true;
    def->aggregate = 1;
    def->positions = box_positions;
}

static void change_one_place(LyraSolverDef *def)
{
    def->coarse = true;
    def->positions = same_positions;
}

static void change_far(LyraSolverDef *def)
{
    def->coarse = true;
    def->positions = far_positions;
}

static void change_no_place(LyraSolverDef *def)
{
    def->positions = bad_positions;
}

static void change_coarse_without_positions(LyraSolverDef *def)
{
    def->coarse = true;
}

static void change_filter_of_factor(LyraSolverDef *def)
{
    def->name = "dense";
    def->constrain = LYRA_CONSTRAIN_FILTER;
}

static void change_low_rank_of_iteration(LyraSolverDef *def)
{
    def->name = "pcg";
    def->constrain = LYRA_CONSTRAIN_LOW_RANK;
}

static const Setting settings[] = {
    {"one iteration", LYRA_NOT_CONVERGED, change_limit, "1 iteration"},
    {"smallest tolerance", LYRA_NOT_CONVERGED, change_smallest_tolerance, "rounding"},
    {"largest tolerance", LYRA_OK, change_largest_tolerance, ""},
    {"long restart", LYRA_OK, change_long_restart, ""},
    {"short restart", LYRA_OK, change_short_restart, ""},
    {"one aggregate", LYRA_OK, change_one_aggregate, ""},
    {"small aggregates", LYRA_OK, change_small_aggregates, ""},
    {"positions in one place", LYRA_OK, change_one_place, ""},
    {"positions far out", LYRA_OK, change_far, ""},
    {"positions that are none", LYRA_NOT_FINITE, change_no_place, "position 2 of vertex 3"},
    {"coarse without positions", LYRA_INVALID_ARGUMENT, change_coarse_without_positions,
     "needs the positions"},
    {"filter of a factor", LYRA_UNSUPPORTED, change_filter_of_factor, "filtering"},
    {"low rank of an iteration", LYRA_UNSUPPORTED, change_low_rank_of_iteration, "low-rank"},
};

LYRA_TEST(settings_at_the_end_of_their_range_serve_or_say_why_not)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    SolveCase c = solve_case(ctx, 1, 0.5, 3);
    TEST_REQUIRE(c.size == 24);
    for (int32_t i = 0; i < 24; ++i) {
        box_positions[i] = (double)(i / 3 >> i % 3 & 1);
        same_positions[i] = 3.0;
        far_positions[i] = 1e150 * (1.0 + box_positions[i]);
        bad_positions[i] = i == 11 ? NAN : 0.0;
    }
    LyraConstraints *set = NULL;
    TEST_REQUIRE_OK(lyra_constraints_create(ctx, c.size, &set));
    LyraOperator A = lyra_operator_block(c.upper, true);
    for (int32_t k = 0; k < LY_COUNT_OF(settings); ++k) {
        LyraSolverDef def = lyra_solver_def_default();
        LyraSolver *solver = NULL;
        def.tolerance = 1e-10;
        settings[k].change(&def);
        memset(c.x, 0, (size_t)c.size * sizeof *c.x);
        TEST_OK(lyra_solver_create(ctx, &def, &solver));
        LyraStatus status = run_all(solver, &A, set, c.b, c.x, NULL);
        TEST_CHECK_MSG(status == settings[k].status, "%s: %s, %s", settings[k].name,
                       lyra_status_name(status), status ? lyra_error_message() : "");
        if (status == LYRA_OK) {
            double limit = fmax(1e-8, 100.0 * def.tolerance);
            TEST_CHECK_MSG(solve_difference(&c, c.x) <= limit, "%s: %g", settings[k].name,
                           solve_difference(&c, c.x));
        } else {
            TEST_CONTAINS(lyra_error_message(), settings[k].part);
            TEST_CHECK(c.x[0] == 0.0 && c.x[23] == 0.0);
        }
        lyra_solver_destroy(solver);
    }
    lyra_constraints_destroy(set);
    solve_case_end(&c);
    test_context_end(ctx);
}

// ---- operators ----------------------------------------------------------------------------------

static void multiply_none(void *user, const double *x, double *y)
{
    (void)x;
    for (int32_t i = 0; i < 6; ++i) {
        y[i] = *(double *)user;
    }
}

LYRA_TEST(operators_that_are_none_are_refused)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    Forms forms;
    make_forms(ctx, &table[0], &forms);
    LyraCsrPattern *pattern = NULL;
    LyraCsrMatrix *oblong = NULL;
    const int32_t zero = 0;
    TEST_REQUIRE_OK(lyra_csr_matrix_create_entries(ctx, 6, 5, LYRA_STORAGE_FULL, 1, &zero, &zero,
                                                   forms.A, &pattern, &oblong));
    LyraOperator block = lyra_operator_block(forms.block, true);
    LyraOperator csr = lyra_operator_csr(forms.csr, true), dense = csr, less = block, kind = block;
    LyraOperator below = lyra_operator_dense(-3, forms.A, true), apply = csr, more = csr;
    dense.kind = LYRA_OPERATOR_DENSE;
    apply.kind = LYRA_OPERATOR_CALLBACK;
    kind.kind = (LyraOperatorKind)9;
    less.size = 3;
    more.size = 7;
    LyraOperator bad[] = {
        (LyraOperator){0}, dense, apply, kind, less, more, below, lyra_operator_csr(oblong, true)};
    for (int32_t k = -1; k < 0 || lyra_solver_name(k, NULL); ++k) {
        LyraSolver *solver =
            solve_solver(ctx, k < 0 ? "auto" : lyra_solver_name(k, NULL), LYRA_INDEFINITE_REFUSE);
        for (int32_t o = 0; o < LY_COUNT_OF(bad); ++o) {
            TEST_STATUS(lyra_solver_analyze(solver, &bad[o], NULL), LYRA_INVALID_ARGUMENT);
        }
        TEST_OK(lyra_solver_analyze(solver, &block, NULL));
        for (int32_t o = 0; o < LY_COUNT_OF(bad); ++o) {
            TEST_STATUS(lyra_solver_factor(solver, &bad[o]), LYRA_INVALID_ARGUMENT);
        }
        TEST_STATUS(lyra_solver_factor(solver, &csr), LYRA_INVALID_ARGUMENT);
        lyra_solver_destroy(solver);
    }
    // callbacks and diagonals that give no numbers, zeros, or nothing definite
    const double values[] = {NAN, INFINITY, 0.0, -1.0};
    for (int32_t k = 0; lyra_solver_name(k, NULL); ++k) {
        const LyraSolverType *type = NULL;
        const char *name = lyra_solver_name(k, &type);
        for (int32_t v = 0; type->traits & LYRA_SOLVES_CALLBACK && v < LY_COUNT_OF(values); ++v) {
            double value = values[v], x[6] = {UNTOUCHED}, diagonal[6] = {1, 1, value, 1, 1, 1};
            LyraSolver *solver = solve_solver(ctx, name, LYRA_INDEFINITE_REFUSE);
            LyraOperator A = lyra_operator_callback(6, true, multiply_none, &value, NULL);
            LyraStatus status = run_all(solver, &A, NULL, forms.b, x, NULL);
            TEST_CHECK_MSG(is_of_numbers(status), "%s, %g: %s", name, value,
                           lyra_status_name(status));
            TEST_CHECK(x[0] == UNTOUCHED);
            A = lyra_operator_callback(6, true, multiply_dense, &forms, diagonal);
            status = run_all(solver, &A, NULL, forms.b, x, NULL);
            TEST_CHECK_MSG(status == LYRA_OK ? residual_of(&forms, x) <= 1e-9
                                             : is_of_numbers(status),
                           "%s, diagonal of %g: %s", name, value, lyra_status_name(status));
            lyra_solver_destroy(solver);
        }
    }
    lyra_csr_matrix_destroy(oblong);
    lyra_csr_pattern_destroy(pattern);
    end_forms(&forms);
    test_context_end(ctx);
}

// ---- constraints --------------------------------------------------------------------------------

/// A system and a set, by every way to constrain.
typedef struct Held {
    const char *name;
    void (*fill)(double *A, double *b); // 6 unknowns, symmetric
    void (*hold)(LyraConstraints *set);
    Outcome factored; // by elimination and by filtering
    Outcome low_rank; // which needs an inverse of the whole matrix
} Held;

static void hold_nothing(LyraConstraints *set)
{
    TEST_OK(lyra_constraints_fix_dofs(set, 0, NULL));
    TEST_OK(lyra_constraints_fix_vertices(set, 0, NULL));
    TEST_OK(lyra_constraints_release_vertices(set, 0, NULL));
}

static void hold_all(LyraConstraints *set)
{
    const int32_t dofs[] = {5, 0, 0, 3, 4, 5, 1, 2, 1};
    TEST_OK(lyra_constraints_fix_dofs(set, 9, dofs));
}

static void hold_first(LyraConstraints *set)
{
    const int32_t vertices[] = {0, 0, 0};
    TEST_OK(lyra_constraints_fix_vertices(set, 3, vertices));
}

// many times the same direction, its opposite, and ones that differ by rounding
static void hold_repeated(LyraConstraints *set)
{
    const double n[][3] = {{1, 2, 2},
                           {-1, -2, -2},
                           {1e-300, 2e-300, 2e-300},
                           {1e300, 2e300, 2e300},
                           {1, 2, 2 + 1e-12}};
    for (int32_t k = 0; k < LY_COUNT_OF(n); ++k) {
        TEST_OK(lyra_constraints_add_direction(set, 1, n[k]));
    }
    TEST_EQUAL(lyra_constraints_view(set).count, 1);
}

// three directions close to each other hold the whole vertex
static void hold_close(LyraConstraints *set)
{
    const double n[][3] = {{1, 0, 0}, {1, 1e-5, 0}, {1, 0, 1e-5}, {3, 1, 4}};
    for (int32_t k = 0; k < LY_COUNT_OF(n); ++k) {
        TEST_OK(lyra_constraints_add_direction(set, 1, n[k]));
    }
    TEST_EQUAL(lyra_constraints_view(set).count, 3);
}

static const Held held_table[] = {
    {"nothing", fill_plain, hold_nothing, ANSWER, ANSWER},
    {"everything", fill_plain, hold_all, ANSWER, ANSWER},
    {"everything of zero", fill_zero, hold_all, ANSWER, STATUS},
    {"one vertex", fill_plain, hold_first, ANSWER, ANSWER},
    {"one vertex of an indefinite matrix", fill_indefinite, hold_first, ANSWER, EITHER},
    {"one vertex of a negative matrix", fill_negative, hold_first, EITHER, EITHER},
    {"one vertex of zero", fill_zero, hold_first, STATUS, STATUS},
    {"one vertex of rank one", fill_rank_one, hold_first, STATUS, STATUS},
    {"one direction, repeated", fill_plain, hold_repeated, ANSWER, ANSWER},
    {"close directions", fill_plain, hold_close, ANSWER, ANSWER},
};

// |P (b - A x)| and |N^T x - v|, against the right-hand side
static double constrained_residual(const Forms *forms, const LyraConstraints *set, const double *x)
{
    double r[6], kept[6], worst = 0.0;
    multiply_dense((void *)(uintptr_t)forms, x, r);
    for (int32_t i = 0; i < 6; ++i) {
        r[i] = forms->b[i] - r[i];
        kept[i] = x[i];
    }
    lyra_constraints_project(set, r);
    lyra_constraints_impose(set, kept);
    for (int32_t i = 0; i < 6; ++i) {
        worst = fmax(worst, fmax(fabs(r[i]), fabs(kept[i] - x[i])));
    }
    return worst;
}

LYRA_TEST(constraints_of_every_kind_hold_or_give_a_status)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    const double x_bar[6] = {0.5, -0.25, 2.0, 1.0, 0.125, -3.0};
    for (int32_t h = 0; h < LY_COUNT_OF(held_table); ++h) {
        const Held *held = &held_table[h];
        Hostile hostile = {held->name, 6, true, ANSWER, ANSWER, held->fill};
        Forms forms;
        LyraConstraints *set = NULL;
        make_forms(ctx, &hostile, &forms);
        TEST_REQUIRE_OK(lyra_constraints_create(ctx, 6, &set));
        held->hold(set);
        TEST_OK(lyra_constraints_set_values(set, x_bar));
        for (int32_t run = 0; run < 16; ++run) {
            int32_t method = run % 4, kind = run / 4;
            for (int32_t k = -1; k < 0 || lyra_solver_name(k, NULL); ++k) {
                LyraSolverDef def = lyra_solver_def_default();
                LyraSolver *solver = NULL;
                double x[6] = {UNTOUCHED};
                def.name = k < 0 ? "auto" : lyra_solver_name(k, NULL);
                def.constrain = (LyraConstraintMethod)method;
                def.tolerance = 1e-12;
                TEST_OK(lyra_solver_create(ctx, &def, &solver));
                LyraOperator A = operator_of(&forms, (LyraOperatorKind)kind);
                LyraStatus status = run_all(solver, &A, set, forms.b, x, NULL);
                Outcome expected =
                    method == LYRA_CONSTRAIN_LOW_RANK ? held->low_rank : held->factored;
                const char *why = status == LYRA_OK ? "ok" : lyra_error_message();
                if (status == LYRA_OK) {
                    double residual = constrained_residual(&forms, set, x);
                    TEST_CHECK_MSG(expected != STATUS && residual <= 1e-8,
                                   "%s by %s, form %d, method %d: residual %g", held->name,
                                   def.name, (int)kind, (int)method, residual);
                } else if (status != LYRA_UNSUPPORTED) {
                    TEST_CHECK_MSG(expected != ANSWER && is_of_numbers(status),
                                   "%s by %s, form %d, method %d: %s", held->name, def.name,
                                   (int)kind, (int)method, why);
                    TEST_CHECK(x[0] == UNTOUCHED);
                }
                lyra_solver_destroy(solver);
            }
        }
        lyra_constraints_destroy(set);
        end_forms(&forms);
    }
    test_context_end(ctx);
}

LYRA_TEST(arguments_of_constraints_are_checked)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    Forms forms;
    make_forms(ctx, &table[0], &forms);
    LyraConstraints *set = NULL, *other = NULL, *none = NULL;
    TEST_REQUIRE_OK(lyra_constraints_create(ctx, 6, &set));
    TEST_REQUIRE_OK(lyra_constraints_create(ctx, 3, &other));
    TEST_REQUIRE_OK(lyra_constraints_create(ctx, 0, &none));
    TEST_STATUS(lyra_constraints_create(ctx, INT32_MIN, &none), LYRA_INVALID_ARGUMENT);
    // ids, each wrong in its way
    const int32_t ids[] = {-1, INT32_MIN, 6, INT32_MAX};
    for (int32_t k = 0; k < LY_COUNT_OF(ids); ++k) {
        const int32_t list[2] = {0, ids[k]};
        TEST_STATUS(lyra_constraints_fix_dofs(set, 2, list), LYRA_INVALID_ARGUMENT);
        TEST_STATUS(lyra_constraints_fix_vertices(set, 2, list), LYRA_INVALID_ARGUMENT);
        TEST_STATUS(lyra_constraints_release_vertices(set, 2, list), LYRA_INVALID_ARGUMENT);
        TEST_STATUS(lyra_constraints_add_direction(set, ids[k], (double[]){1, 0, 0}),
                    LYRA_INVALID_ARGUMENT);
        TEST_STATUS(lyra_constraints_fix_dofs(none, 1, list), LYRA_INVALID_ARGUMENT);
    }
    TEST_STATUS(lyra_constraints_fix_dofs(set, -1, ids), LYRA_INVALID_ARGUMENT);
    TEST_STATUS(lyra_constraints_fix_vertices(set, -1, ids), LYRA_INVALID_ARGUMENT);
    TEST_STATUS(lyra_constraints_release_vertices(set, INT32_MIN, ids), LYRA_INVALID_ARGUMENT);
    TEST_EQUAL(lyra_constraints_view(set).count, 0);
    // an empty set has an empty answer to everything
    lyra_constraints_clear(none);
    TEST_OK(lyra_constraints_set_values(none, NULL));
    lyra_constraints_project(none, NULL);
    lyra_constraints_impose(none, NULL);
    lyra_constraints_reaction(none, NULL, NULL, NULL);
    // elimination
    LyraBlockMatrix *same = NULL;
    TEST_REQUIRE_OK(lyra_block_matrix_create(forms.block_pattern, &same));
    const double scales[] = {0.0, -1.0, NAN, INFINITY};
    for (int32_t k = 0; k < LY_COUNT_OF(scales); ++k) {
        TEST_STATUS(lyra_constraints_eliminate_block(set, forms.block, scales[k], same),
                    LYRA_INVALID_ARGUMENT);
    }
    TEST_STATUS(lyra_constraints_eliminate_block(other, forms.block, 1.0, same),
                LYRA_INVALID_ARGUMENT);
    // free modes
    double positions[6] = {0, 0, 0, 1, 0, 0};
    LyraFreeMode modes[6];
    int32_t count = -7;
    TEST_STATUS(
        lyra_constraints_free_modes(ctx, other, forms.block_pattern, positions, 6, modes, &count),
        LYRA_INVALID_ARGUMENT);
    TEST_STATUS(
        lyra_constraints_free_modes(ctx, set, forms.block_pattern, positions, -1, modes, &count),
        LYRA_INVALID_ARGUMENT);
    positions[4] = NAN;
    TEST_STATUS(
        lyra_constraints_free_modes(ctx, set, forms.block_pattern, positions, 6, modes, &count),
        LYRA_NOT_FINITE);
    TEST_EQUAL(count, -7);
    positions[4] = 0.0;
    TEST_OK(
        lyra_constraints_free_modes(ctx, NULL, forms.block_pattern, positions, 0, NULL, &count));
    TEST_EQUAL(count, 5);
    lyra_block_matrix_destroy(same);
    lyra_constraints_destroy(set);
    lyra_constraints_destroy(other);
    lyra_constraints_destroy(none);
    lyra_constraints_destroy(NULL);
    end_forms(&forms);
    test_context_end(ctx);
}

// ---- types of the user's ------------------------------------------------------------------------

LYRA_TEST(types_that_lack_a_function_are_refused)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    const LyraSolverType *dense = NULL;
    for (int32_t k = 0; lyra_solver_name(k, &dense) && strcmp(dense->name, "dense") != 0; ++k) {
    }
    LyraSolverDef def = lyra_solver_def_default();
    LyraSolver *solver = NULL;
    for (int32_t k = 0; k < 7; ++k) {
        LyraSolverType type = *dense;
        type.name = k == 0 ? NULL : type.name;
        type.create = k == 1 ? NULL : type.create;
        type.analyze = k == 2 ? NULL : type.analyze;
        type.factor = k == 3 ? NULL : type.factor;
        type.solve = k == 4 ? NULL : type.solve;
        type.bytes = k == 5 ? NULL : type.bytes;
        type.destroy = k == 6 ? NULL : type.destroy;
        TEST_STATUS(lyra_solver_create_type(ctx, &type, &def, &solver), LYRA_INVALID_ARGUMENT);
    }
    TEST_CHECK(solver == NULL);
    // without set_tolerance there is none to set, and that is fine
    LyraSolverType type = *dense;
    type.set_tolerance = NULL;
    TEST_OK(lyra_solver_create_type(ctx, &type, &def, &solver));
    TEST_OK(lyra_solver_set_tolerance(solver, 1e-3));
    TEST_STATUS(lyra_solver_set_tolerance(solver, NAN), LYRA_INVALID_ARGUMENT);
    TEST_STATUS(lyra_solver_set_tolerance(solver, -INFINITY), LYRA_INVALID_ARGUMENT);
    lyra_solver_destroy(solver);
    test_context_end(ctx);
}
