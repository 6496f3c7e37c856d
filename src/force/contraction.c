// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// The derivative of the tangent as a tensor, from contractions with pairs of unit vectors. Where
// the tangent is the Hessian of an energy all six permutations of (i, j, k) agree; only the last
// two are taken as one, which holds for any gradient that has second derivatives.

#include "force/force.h"

LyraStatus lyra_assembly_tensor(LyraAssembly *assembly, const LyraEvaluation *at, double *tensor)
{
    LyraContext *ctx = assembly->ctx;
    int64_t d = 3 * (int64_t)assembly->vertex_count;
    double *a = NULL, *b = NULL, *column = NULL;
    LyraStatus status = LYRA_OK;
    LY_TRY_DONE(ly_allocate_zeroed(ctx, d, sizeof *a, &a));
    LY_TRY_DONE(ly_allocate_zeroed(ctx, d, sizeof *b, &b));
    LY_TRY_DONE(ly_allocate_array(ctx, d, sizeof *column, &column));
    LyraEvaluation evaluation = {
        .x = at->x,
        .v = at->v,
        .time = at->time,
        .dt = at->dt,
        .history = at->history,
        .a = a,
        .b = b,
        .contraction = column,
    };
    for (int64_t j = 0; j < d; ++j) {
        a[j] = 1;
        for (int64_t k = 0; k <= j; ++k) {
            b[k] = 1;
            LY_TRY_DONE(lyra_assembly_evaluate(assembly, &evaluation));
            b[k] = 0;
            for (int64_t i = 0; i < d; ++i) {
                tensor[(i * d + j) * d + k] = tensor[(i * d + k) * d + j] = column[i];
            }
        }
        a[j] = 0;
    }
done:
    ly_release(ctx, a);
    ly_release(ctx, b);
    ly_release(ctx, column);
    return status;
}
