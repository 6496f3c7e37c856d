// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

#include "model/whole.h"

void ly_whole_destroy(LyWhole *whole)
{
    lyra_solver_destroy(whole->solver);
    lyra_block_matrix_destroy(whole->matrix);
    lyra_block_pattern_destroy(whole->pattern);
    *whole = (LyWhole){.ctx = whole->ctx};
}

void ly_whole_forget_pattern(LyWhole *whole)
{
    lyra_block_matrix_destroy(whole->matrix);
    lyra_block_pattern_destroy(whole->pattern);
    whole->matrix = NULL;
    whole->pattern = NULL;
    whole->analyzed = false;
}

// rows of the pattern of S, both triangles, and of the parts that stand beside
static LyraStatus make_pattern(LyWhole *whole, const LyraModel *model, const LyraBlockPattern *S)
{
    int64_t pair_count = 0, at = 0;
    int32_t *pairs = NULL;
    LyraStatus status = LYRA_OK;
    LyraBlockPatternView main = lyra_block_pattern_view(S);
    for (int32_t p = 0; p < model->part_count; ++p) {
        const LyraBlockPattern *own = model->parts[p].assembly->pattern;
        pair_count += model->parts[p].beside ? lyra_block_pattern_view(own).block_count : 0;
    }
    LY_TRY(
        ly_allocate_array(whole->ctx, 2 * (main.block_count + pair_count), sizeof *pairs, &pairs));
    for (int32_t row = 0; row < main.row_count; ++row) {
        for (int64_t k = main.row_start[row]; k < main.row_start[row + 1]; ++k) {
            if (main.column[k] != row) {
                pairs[at++] = row;
                pairs[at++] = main.column[k];
            }
        }
    }
    for (int32_t p = 0; p < model->part_count; ++p) {
        const LyraAssembly *assembly = model->parts[p].assembly;
        LyraBlockPatternView own = lyra_block_pattern_view(assembly->pattern);
        for (int32_t row = 0; model->parts[p].beside && row < own.row_count; ++row) {
            for (int64_t k = own.row_start[row]; k < own.row_start[row + 1]; ++k) {
                if (own.column[k] != row) {
                    pairs[at++] = model->place[assembly->order[row]];
                    pairs[at++] = model->place[assembly->order[own.column[k]]];
                }
            }
        }
    }
    const LyraStencils stencils = {.nodes = 2, .count = at / 2, .ids = pairs};
    LY_TRY_DONE(lyra_block_pattern_create(whole->ctx, model->vertex_count, LYRA_STORAGE_FULL, 1,
                                          &stencils, &whole->pattern));
done:
    ly_release(whole->ctx, pairs);
    return status;
}

static LyraStatus prepare(LyWhole *whole, const LyraModel *model, const LyraBlockPattern *S)
{
    if (!whole->pattern) {
        LY_TRY(make_pattern(whole, model, S));
    }
    return whole->matrix ? LYRA_OK : lyra_block_matrix_create(whole->pattern, &whole->matrix);
}

// adds what a part has beside, block by block
static LyraStatus add_beside(LyWhole *whole, const LyraModel *model, const LyPartTangent *pt)
{
    const LyraAssembly *assembly = pt->part->assembly;
    LyraBlockPatternView own = lyra_block_pattern_view(assembly->pattern);
    const double *values = lyra_block_matrix_values(pt->beside);
    for (int32_t row = 0; row < own.row_count; ++row) {
        int32_t i = model->place[assembly->order[row]];
        for (int64_t k = own.row_start[row]; k < own.row_start[row + 1]; ++k) {
            int32_t j = model->place[assembly->order[own.column[k]]];
            LY_TRY(lyra_block_matrix_add_block(whole->matrix, i, j, 1, values + 9 * k));
        }
    }
    return LYRA_OK;
}

LyraStatus ly_whole_form(LyWhole *whole, const LyTangent *tangent, const LyraBlockMatrix *S,
                         const LyraConstraints *constraints)
{
    LY_TRY(prepare(whole, tangent->model, lyra_block_matrix_pattern(S)));
    LY_TRY(lyra_block_matrix_assign(whole->matrix, S));
    for (int32_t p = 0; p < tangent->part_count; ++p) {
        if (tangent->parts[p].beside) {
            LY_TRY(add_beside(whole, tangent->model, &tangent->parts[p]));
        }
    }
    LyraOperator A = lyra_operator_block(whole->matrix, false);
    if (!whole->analyzed || whole->constraints != constraints) {
        whole->analyzed = false;
        whole->tolerance = 0;
        LY_TRY(lyra_solver_analyze(whole->solver, &A, constraints));
        whole->analyzed = true;
        whole->constraints = constraints;
    }
    return lyra_solver_factor(whole->solver, &A);
}

LyraStatus ly_whole_solve(LyWhole *whole, double tolerance, const double *b, bool warm, double *x,
                          LyraSolveReport *report)
{
    if (whole->tolerance != tolerance) {
        LY_TRY(lyra_solver_set_tolerance(whole->solver, tolerance));
        whole->tolerance = tolerance;
    }
    return lyra_solver_solve(whole->solver, b, warm, x, report);
}
