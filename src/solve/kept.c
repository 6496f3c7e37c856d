// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

#include "solve/kept.h"

LyraStatus ly_kept_create(LyraContext *ctx, const LyraSolverType *direct,
                          const LyraSolverDef *wanted, const LyraOperator *A,
                          const LyraConstraints *constraints, LyKept *out)
{
    LyraStatus status = LYRA_OK;
    *out = (LyKept){.ctx = ctx, .direct = direct, .constraints = constraints, .size = A->size};
    LyraSolverDef def = *wanted;
    def.positions = NULL;
    // a preconditioner is positive definite or useless
    def.indefinite = LYRA_INDEFINITE_REFUSE;
    LY_TRY_DONE(direct->create(ctx, &def, &out->self));
    const LyraOperator *seen = A;
    if (constraints) {
        LY_TRY_DONE(ly_eliminated_create(ctx, A, constraints, &out->eliminated));
        seen = &out->eliminated.E;
    }
    LY_TRY_DONE(direct->analyze(out->self, seen, NULL));
    LY_TRY_DONE(ly_allocate_array(ctx, 4 * (int64_t)A->size, sizeof *out->work, &out->work));
    LY_TRY_DONE(ly_allocate_array(ctx, A->size, sizeof *out->start, &out->start));
    return LYRA_OK;
done:
    ly_kept_destroy(out);
    return status;
}

void ly_kept_destroy(LyKept *kept)
{
    if (kept->self) {
        kept->direct->destroy(kept->self);
    }
    if (kept->ctx) {
        ly_eliminated_destroy(&kept->eliminated);
        ly_release(kept->ctx, kept->work);
        ly_release(kept->ctx, kept->start);
    }
    *kept = (LyKept){0};
}

int64_t ly_kept_bytes(const LyKept *kept)
{
    return kept->self ? kept->direct->bytes(kept->self) + ly_eliminated_bytes(&kept->eliminated) +
                            5 * (int64_t)kept->size * (int64_t)sizeof(double)
                      : 0;
}

LyraStatus ly_kept_factor(LyKept *kept, const LyraOperator *A)
{
    const LyraOperator *seen = A;
    kept->factored = kept->current = false;
    kept->report = (LyraSolveReport){0};
    if (kept->constraints) {
        LY_TRY(ly_eliminated_update(&kept->eliminated, A));
        seen = &kept->eliminated.E;
    }
    LY_TRY(kept->direct->factor(kept->self, seen, &kept->report));
    kept->factored = kept->current = true;
    return LYRA_OK;
}

// direct solvers solve with what they factored, and do not look at the matrix
static LyraStatus precondition(void *data, const double *r, double *z)
{
    LyKept *kept = data;
    LyraSolveReport ignored = {0};
    return kept->direct->solve(kept->self, 1, r, false, z, &ignored);
}

LyraStatus ly_kept_solve(LyKept *kept, const LyKeptSolve *solve, const double *b, bool warm,
                         double *x, LyraSolveReport *report, int32_t *iterations)
{
    LyCg cg = {
        .A = solve->A,
        .constraints = kept->constraints,
        .precondition = precondition,
        .user = kept,
        .stop = solve->stop,
        .tolerance = solve->tolerance,
        .iterations_max = solve->iterations_max,
        .truncate = solve->truncate,
        .watch = solve->watch,
        .work = kept->work,
    };
    LyraSolveReport now = {.definiteness = report->definiteness};
    LyraStatus status = ly_cg(kept->ctx, &cg, b, warm, x, &now);
    *iterations = now.iterations;
    report->iterations += now.iterations;
    report->definiteness = now.definiteness;
    report->negative_curvature = now.negative_curvature;
    return status;
}
