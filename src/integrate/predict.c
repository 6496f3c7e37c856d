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
// Layout: number of vectors, their step, degree; in "prediction.a" the vectors a_n-1 and a_n-2.

#include "integrate/methods.h"

#define DEGREES 3

enum { KNOWN, STEP, DEGREE, COUNT };

typedef struct Prediction {
    double *head;
    LyraVector *a, *before, *first; // a_n, a_n-1, a_n-2
} Prediction;

bool ly_predicts(const LyraIntegrator *it)
{
    LyraNewtonPolicy policy = it->def.newton.policy;
    return policy == LYRA_NEWTON_ONE || policy == LYRA_NEWTON_COUNTED;
}

static LyraStatus find(LyraIntegrator *it, LyraState *trial, Prediction *out)
{
    const LyraStateBlockDef head = {.name = "prediction", .version = 2, .count = COUNT};
    const LyraStateVectorsDef old = {
        .name = "prediction.a", .version = 1, .size = it->size, .count = DEGREES - 1};
    void *values = NULL;
    LyraVector **vectors = NULL;
    bool fresh = false;
    LY_TRY(lyra_state_block(trial, &head, &values, &fresh));
    LY_TRY(lyra_state_vectors(trial, &old, &vectors, &fresh));
    *out = (Prediction){values, lyra_state_view(trial).a, vectors[0], vectors[1]};
    return LYRA_OK;
}

// q = what a polynomial of that degree gives
static void extrapolate(const Prediction *p, int32_t degree, LyraVector *q)
{
    if (degree == 0) {
        lyra_vector_copy(p->a, q);
    } else if (degree == 1) {
        lyra_vector_axpby(2, p->a, 0, q);
        lyra_vector_axpby(-1, p->before, 1, q);
    } else {
        lyra_vector_sum(-1, p->before, p->a, q);
        lyra_vector_sum(3, q, p->first, q);
    }
}

LyraStatus ly_predict(LyraIntegrator *it, LyraState *trial, double h, LyraVector *q)
{
    Prediction p;
    LY_TRY(find(it, trial, &p));
    extrapolate(&p, p.head[STEP] == h ? (int32_t)p.head[DEGREE] : 0, q);
    return LYRA_OK;
}

LyraStatus ly_predict_note(LyraIntegrator *it, LyraState *trial, double h, const LyraVector *q)
{
    Prediction p;
    if (!ly_predicts(it)) {
        return LYRA_OK;
    }
    LY_TRY(find(it, trial, &p));
    int32_t known = p.head[STEP] == h ? (int32_t)p.head[KNOWN] : 0, degree = 0;
    LyraVector *miss = it->account[0];
    double best = 0;
    for (int32_t k = 0; k <= known && k < DEGREES; ++k) {
        extrapolate(&p, k, miss);
        lyra_vector_axpby(-1, q, 1, miss);
        double error = lyra_vector_dot(miss, miss);
        degree = k == 0 || error < best ? k : degree;
        best = k == 0 || error < best ? error : best;
    }
    lyra_vector_copy(p.before, p.first);
    lyra_vector_copy(p.a, p.before);
    p.head[KNOWN] = known < DEGREES - 1 ? known + 1 : known;
    p.head[STEP] = h;
    p.head[DEGREE] = degree;
    return LYRA_OK;
}
