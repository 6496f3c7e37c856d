// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Constraints that are repeated, close to each other, too many or too few, on matrices with and
// without an inverse: by every solver and every way to constrain they hold, or there is a status.

#include "solve_hostile.h"

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
    // the first coordinate as well as one in the middle
    for (int bad = 0; bad <= 4; bad += 4) {
        double kept = positions[bad];
        positions[bad] = NAN;
        TEST_STATUS(
            lyra_constraints_free_modes(ctx, set, forms.block_pattern, positions, 6, modes, &count),
            LYRA_NOT_FINITE);
        TEST_EQUAL(count, -7);
        positions[bad] = kept;
    }
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
