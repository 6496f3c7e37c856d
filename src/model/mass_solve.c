// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Solves with consistent masses. A mass is the same in all directions, M = m (x) I with m of one
// number per pair of vertices. Where each vertex is wholly free or wholly held, P = p (x) I too,
// and P M P x = P b falls apart into three systems with one matrix p m p + s (1 - p): a third of
// the unknowns of the block matrix, a ninth of the numbers, and a factor that takes about a
// twentieth of the time. With slanted directions the block matrix has to serve.

#include "model/mass_solve.h"

#include <string.h>

static void forget(LyMassSolver *masses)
{
    LyraContext *ctx = masses->ctx;
    lyra_solver_destroy(masses->solver);
    lyra_csr_matrix_destroy(masses->matrix);
    lyra_csr_pattern_destroy(masses->pattern);
    ly_release(ctx, masses->source);
    ly_release(ctx, masses->held);
    ly_release(ctx, masses->b);
    ly_release(ctx, masses->x);
    *masses = (LyMassSolver){.ctx = ctx};
}

void ly_mass_solver_destroy(LyMassSolver *masses)
{
    forget(masses);
}

bool ly_mass_solver_serves(const LyraModel *model)
{
    LyraConstraintsView view = lyra_constraints_view(model->constraints);
    for (int32_t k = 0; k < view.count; k += 3) {
        // three in a row of one vertex are all there can be
        if (k + 2 >= view.count || view.vertex[k + 2] != view.vertex[k]) {
            return false;
        }
    }
    return true;
}

// the upper triangle of m, with every diagonal entry; `source` says where values come from
static LyraStatus create_pattern(LyMassSolver *masses, const LyraModel *model)
{
    const LyMass *mass = &model->mass;
    LyraContext *ctx = masses->ctx;
    int32_t n = model->vertex_count, *column = NULL;
    int64_t *row_start = NULL, most = mass->row_start[n] + n, count = 0;
    LyraStatus status = LYRA_OK;
    LY_TRY_DONE(ly_allocate_array(ctx, (int64_t)n + 1, sizeof *row_start, &row_start));
    LY_TRY_DONE(ly_allocate_array(ctx, most, sizeof *column, &column));
    row_start[0] = 0;
    for (int32_t i = 0; i < n; ++i) {
        column[count++] = i;
        for (int64_t k = mass->row_start[i]; k < mass->row_start[i + 1]; ++k) {
            if (mass->column[k] > i) {
                column[count++] = mass->column[k];
            }
        }
        row_start[i + 1] = count;
    }
    LY_TRY_DONE(lyra_csr_pattern_create_rows(ctx, n, n, LYRA_STORAGE_UPPER, row_start, column,
                                             &masses->pattern));
    LY_TRY_DONE(
        ly_allocate_array(ctx, mass->row_start[n], sizeof *masses->source, &masses->source));
    for (int32_t i = 0; i < n; ++i) {
        for (int64_t k = mass->row_start[i]; k < mass->row_start[i + 1]; ++k) {
            int32_t j = mass->column[k];
            masses->source[k] = j >= i ? lyra_csr_pattern_find(masses->pattern, i, j) : -1;
        }
    }
done:
    ly_release(ctx, row_start);
    ly_release(ctx, column);
    return status;
}

static LyraStatus create(LyMassSolver *masses, const LyraModel *model)
{
    LyraContext *ctx = masses->ctx;
    int64_t n = model->vertex_count;
    LY_TRY(create_pattern(masses, model));
    LY_TRY(lyra_csr_matrix_create(masses->pattern, &masses->matrix));
    LY_TRY(ly_allocate_array(ctx, n, sizeof(bool), &masses->held));
    LY_TRY(ly_allocate_array(ctx, 3 * n, sizeof(double), &masses->b));
    LY_TRY(ly_allocate_array(ctx, 3 * n, sizeof(double), &masses->x));
    LyraSolverDef def = lyra_solver_def_default();
    def.task = LYRA_SOLVER_MANY;
    def.tolerance = LY_MASS_TOLERANCE;
    LY_TRY(lyra_solver_create(ctx, &def, &masses->solver));
    LyraOperator A = lyra_operator_csr(masses->matrix, true);
    return lyra_solver_analyze(masses->solver, &A, NULL);
}

// p m p + s (1 - p), s the mean of the diagonal
static void set_values(LyMassSolver *masses, const LyraModel *model)
{
    const LyMass *mass = &model->mass;
    int32_t n = model->vertex_count;
    LyraConstraintsView view = lyra_constraints_view(model->constraints);
    double *values = lyra_csr_matrix_values_mutable(masses->matrix), sum = 0.0;
    memset(masses->held, 0, (size_t)n * sizeof(bool));
    for (int32_t k = 0; k < view.count; ++k) {
        masses->held[view.vertex[k]] = true;
    }
    for (int32_t i = 0; i < n; ++i) {
        sum += mass->lumped[i];
    }
    lyra_csr_matrix_zero(masses->matrix);
    for (int32_t i = 0; i < n; ++i) {
        for (int64_t k = mass->row_start[i]; k < mass->row_start[i + 1]; ++k) {
            if (masses->source[k] >= 0 && !masses->held[i] && !masses->held[mass->column[k]]) {
                values[masses->source[k]] = mass->values[k];
            }
        }
        if (masses->held[i]) {
            values[lyra_csr_pattern_find(masses->pattern, i, i)] = sum > 0.0 ? sum / n : 1.0;
        }
    }
}

static LyraStatus prepare(LyMassSolver *masses, const LyraModel *model)
{
    uint64_t version = lyra_constraints_view(model->constraints).version;
    if (masses->factored && masses->mass_version == model->mass_version &&
        masses->constraints_version == version) {
        return LYRA_OK;
    }
    masses->factored = false;
    if (!masses->solver) {
        LyraStatus status = create(masses, model);
        if (status != LYRA_OK) {
            forget(masses);
            return status;
        }
    }
    set_values(masses, model);
    LyraOperator A = lyra_operator_csr(masses->matrix, true);
    LY_TRY(lyra_solver_factor(masses->solver, &A));
    masses->factored = true;
    masses->mass_version = model->mass_version;
    masses->constraints_version = version;
    return LYRA_OK;
}

LyraStatus ly_mass_solver_solve(LyMassSolver *masses, const LyraModel *model, const double *b,
                                double *x)
{
    LY_TRY(prepare(masses, model));
    int64_t n = model->vertex_count;
    for (int64_t i = 0; i < n; ++i) {
        for (int32_t d = 0; d < 3; ++d) {
            masses->b[d * n + i] = masses->held[i] ? 0.0 : b[3 * i + d];
        }
    }
    LY_TRY(lyra_solver_solve_columns(masses->solver, 3, masses->b, false, masses->x, NULL));
    for (int64_t i = 0; i < n; ++i) {
        for (int32_t d = 0; d < 3; ++d) {
            x[3 * i + d] = masses->held[i] ? 0.0 : masses->x[d * n + i];
        }
    }
    return LYRA_OK;
}
