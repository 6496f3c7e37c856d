// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Where the linear solver of a one-step policy starts. Motions are smooth in time, more or less, so
// the acceleration of the next step is looked for on the polynomial through the last ones,
//
//   a_n,   2 a_n - a_n-1,   3 a_n - 3 a_n-1 + a_n-2,
//
// of the degree that would have met the last step best. Nothing but the start depends on it: a bad
// one costs iterations. The block "prediction" of the state has what is needed, so that a restart
// goes on with the same bits.
//
// Layout: number of vectors, their step, degree, then a_n-1 and a_n-2.

#include "integrate/methods.h"

#define BLOCK "prediction"
#define VERSION 1
#define HEAD 3
#define DEGREES 3

bool ly_predicts(const LyraIntegrator *it)
{
    LyraNewtonPolicy policy = it->def.newton.policy;
    return policy == LYRA_NEWTON_ONE || policy == LYRA_NEWTON_COUNTED;
}

static LyraStatus find_block(LyraIntegrator *it, LyraState *trial, double **block)
{
    bool fresh = false;
    return lyra_state_block(trial, BLOCK, VERSION, HEAD + 2 * (int64_t)it->size, block, &fresh);
}

static double extrapolate(int32_t degree, double a, double before, double first)
{
    return degree == 0 ? a : degree == 1 ? 2 * a - before : 3 * (a - before) + first;
}

LyraStatus ly_predict(LyraIntegrator *it, LyraState *trial, double h, LyraVector *q)
{
    double *block = NULL;
    LY_TRY(find_block(it, trial, &block));
    const double *a = lyra_vector_values(lyra_state_view(trial).a);
    const double *before = block + HEAD, *first = before + it->size;
    double *to = lyra_vector_values_mutable(q);
    int32_t degree = block[1] == h ? (int32_t)block[2] : 0;
    for (int32_t i = 0; i < it->size; ++i) {
        to[i] = extrapolate(degree, a[i], before[i], first[i]);
    }
    return LYRA_OK;
}

LyraStatus ly_predict_note(LyraIntegrator *it, LyraState *trial, double h, const LyraVector *q)
{
    double *block = NULL;
    if (!ly_predicts(it)) {
        return LYRA_OK;
    }
    LY_TRY(find_block(it, trial, &block));
    const double *a = lyra_vector_values(lyra_state_view(trial).a), *next = lyra_vector_values(q);
    double *before = block + HEAD, *first = before + it->size;
    int32_t known = block[1] == h ? (int32_t)block[0] : 0;
    double error[DEGREES] = {0};
    for (int32_t i = 0; i < it->size; ++i) {
        for (int32_t k = 0; k < DEGREES; ++k) {
            double e = next[i] - extrapolate(k, a[i], before[i], first[i]);
            error[k] += e * e;
        }
        first[i] = before[i];
        before[i] = a[i];
    }
    int32_t degree = 0;
    for (int32_t k = 1; k <= known && k < DEGREES; ++k) {
        degree = error[k] < error[degree] ? k : degree;
    }
    block[0] = known < DEGREES - 1 ? known + 1 : known;
    block[1] = h;
    block[2] = degree;
    return LYRA_OK;
}
