// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Reciprocal condition of a factored matrix. With B = (R A C)^-1 = C^-1 A^-1 R^-1, the 1-norm of B
// is the largest of |B x|_1 over |x|_1 = 1, a convex function whose largest value is taken at a
// unit vector. Hager's method climbs: the subgradient at x is B^T sign(B x); where its largest
// component j exceeds its product with x, go on from e_j [Hag84]. Higham adds a vector of
// alternating signs that the climb can't miss twice [Hig88]. What comes out is a lower bound that
// is rarely off by more than a factor of 3; it makes the reciprocal condition an upper bound.

#include "solve/direct.h"

#include <math.h>

enum { CLIMBS_MAX = 5 };

// y = B x, or B^T x; x is scaled in place and lost
static LyraStatus apply_inverse(const LyCondition *condition, bool transposed, double *x, double *y)
{
    const double *first = transposed ? condition->column_scale : condition->row_scale;
    const double *last = transposed ? condition->row_scale : condition->column_scale;
    for (int32_t i = 0; i < condition->size; ++i) {
        x[i] /= first[i];
    }
    LY_TRY(condition->solve(condition->user, transposed, x, y));
    for (int32_t i = 0; i < condition->size; ++i) {
        y[i] /= last[i];
    }
    return LYRA_OK;
}

static double sum_of_magnitudes(int32_t size, const double *x)
{
    double sum = 0;
    for (int32_t i = 0; i < size; ++i) {
        sum += fabs(x[i]);
    }
    return sum;
}

LyraStatus ly_condition_estimate(const LyCondition *condition, double *rcond)
{
    int32_t size = condition->size, at = -1;
    double *x = condition->work, *y = x + size, *z = y + size;
    double largest = 0;
    for (int32_t climb = 0; climb < CLIMBS_MAX; ++climb) {
        for (int32_t i = 0; i < size; ++i) {
            x[i] = at < 0 ? 1.0 / size : i == at ? 1.0 : 0.0;
        }
        LY_TRY(apply_inverse(condition, false, x, y));
        double sum = sum_of_magnitudes(size, y);
        if (!(sum > largest)) {
            // no higher, or not a number
            largest = sum == sum ? largest : INFINITY;
            break;
        }
        largest = sum;
        for (int32_t i = 0; i < size; ++i) {
            x[i] = y[i] < 0 ? -1.0 : 1.0;
        }
        LY_TRY(apply_inverse(condition, true, x, z));
        // the subgradient's product with the point of this climb
        double here = at < 0 ? 0.0 : z[at];
        int32_t best = 0;
        for (int32_t i = 0; i < size; ++i) {
            here += at < 0 ? z[i] / size : 0.0;
            best = fabs(z[i]) > fabs(z[best]) ? i : best;
        }
        if (best == at || !(fabs(z[best]) > here)) {
            break;
        }
        at = best;
    }
    for (int32_t i = 0; i < size; ++i) {
        double magnitude = 1.0 + (size > 1 ? (double)i / (size - 1) : 0.0);
        x[i] = i % 2 == 0 ? magnitude : -magnitude;
    }
    LY_TRY(apply_inverse(condition, false, x, y));
    double alternating = 2.0 * sum_of_magnitudes(size, y) / (3.0 * size);
    largest = alternating > largest || alternating != alternating ? alternating : largest;
    double product = largest * condition->norm;
    *rcond = product >= 1.0 ? 1.0 / product : product == product ? 1.0 : 0.0;
    return LYRA_OK;
}
