// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Tangents kept from step to step by the simplified policy. A factor is no state, but the point at
// which it was taken is: the state has (u, v, t, dt) of the linearisation, the coefficients of S,
// the point at which the damping was frozen then, and what the material remembered. After a restart
// S is formed anew from there; in a run that goes on it is still there, as the stamps of the system
// and of the vectors tell, and both have the same bits. A tangent of other parameters, masses,
// damping or directions of constraints than the model has now does not serve: their fingerprint is
// kept, too.
//
// Layout: the numbers below in the block "newton", u, v, u and v of damping in the vectors
// "newton.point", and the material's blocks under their names, of LYRA_STATE_KEPT.

#include "integrate/newton.h"

#include "model/state.h"

#include <string.h>

enum {
    VALID,
    TIME,
    DT,
    A_Q,
    V_Q,
    U_Q,
    PSD,
    DAMPED_TIME,
    DAMPED_DT,
    FINGERPRINT,
    UNLOADED, // share of loads left out
    HEAD
};
_Static_assert(HEAD == LY_KEPT_HEAD, "the head has all of these");

enum { U, V, DAMPED_U, DAMPED_V, VECTORS };
_Static_assert(VECTORS == LY_KEPT_VECTORS, "and these are the vectors");

typedef struct Kept {
    double *head;
    LyraVector **vectors;
} Kept;

static LyraStatus find(const LyNewton *newton, LyraState *trial, Kept *out)
{
    const LyraStateBlockDef head = {.name = "newton", .version = 5, .count = HEAD};
    const LyraStateVectorsDef point = {
        .name = "newton.point", .version = 1, .size = newton->size, .count = VECTORS};
    void *values = NULL;
    bool fresh = false;
    LY_TRY(lyra_state_block(trial, &head, &values, &fresh));
    LY_TRY(lyra_state_vectors(trial, &point, &out->vectors, &fresh));
    out->head = values;
    return LYRA_OK;
}

// as many bits as a double counts with
static double fingerprint(const LyNewton *newton)
{
    return (double)(lyra_system_fingerprint(newton->system) >> 11);
}

// notes that S was formed from `kept`; newton->kept.point has what the material remembered
static void note_formed(LyNewton *newton, const Kept *kept)
{
    newton->kept.stamp = lyra_system_stamp(newton->system);
    memcpy(newton->kept.head, kept->head, sizeof newton->kept.head);
    for (int32_t i = 0; i < VECTORS; ++i) {
        newton->kept.vectors[i] = lyra_vector_stamp(kept->vectors[i]);
    }
}

// whether S is still what was formed from `kept` of `trial`
static bool is_formed(const LyNewton *newton, const Kept *kept, const LyraState *trial)
{
    bool same = newton->kept.stamp == lyra_system_stamp(newton->system) &&
                memcmp(newton->kept.head, kept->head, sizeof newton->kept.head) == 0;
    for (int32_t i = 0; same && i < VECTORS; ++i) {
        uint64_t stamp = lyra_vector_stamp(kept->vectors[i]);
        same = stamp != 0 && stamp == newton->kept.vectors[i];
    }
    return same &&
           ly_state_blocks_equal(newton->kept.point, LYRA_STATE_MATERIAL, trial, LYRA_STATE_KEPT);
}

LyraStatus ly_keep_note(LyNewton *newton, LyraIntegrator *it, const LyStage *stage, bool psd,
                        LyraState *trial)
{
    Kept kept;
    LY_TRY(find(newton, trial, &kept));
    const double head[HEAD] = {[VALID] = 1,
                               [TIME] = stage->time,
                               [DT] = stage->dt,
                               [A_Q] = stage->a_q,
                               [V_Q] = stage->v_q,
                               [U_Q] = stage->u_q,
                               [PSD] = psd,
                               [DAMPED_TIME] = it->damped_time,
                               [DAMPED_DT] = it->damped_dt,
                               [FINGERPRINT] = fingerprint(newton),
                               [UNLOADED] = stage->unloaded};
    memcpy(kept.head, head, sizeof head);
    lyra_vector_copy(newton->u, kept.vectors[U]);
    lyra_vector_copy(newton->v, kept.vectors[V]);
    lyra_vector_copy(it->damped[0], kept.vectors[DAMPED_U]);
    lyra_vector_copy(it->damped[1], kept.vectors[DAMPED_V]);
    LY_TRY(ly_state_take_blocks(trial, LYRA_STATE_KEPT, stage->committed, LYRA_STATE_MATERIAL));
    LY_TRY(ly_state_take_blocks(newton->kept.point, LYRA_STATE_MATERIAL, stage->committed,
                                LYRA_STATE_MATERIAL));
    note_formed(newton, &kept);
    return LYRA_OK;
}

// forms S from what `trial` has, and freezes the damping of this step again
static LyraStatus form_again(LyNewton *newton, LyraIntegrator *it, const Kept *kept,
                             const LyraState *trial)
{
    const double *head = kept->head;
    newton->kept.stamp = 0;
    LY_TRY(ly_state_take_blocks(newton->kept.point, LYRA_STATE_MATERIAL, trial, LYRA_STATE_KEPT));
    LyraPoint at = {.time = head[DAMPED_TIME],
                    .dt = head[DAMPED_DT],
                    .u = kept->vectors[DAMPED_U],
                    .v = kept->vectors[DAMPED_V],
                    .committed = newton->kept.point};
    LY_TRY(lyra_system_update_damping(newton->system, &at));
    at.time = head[TIME];
    at.dt = head[DT];
    at.unloaded = head[UNLOADED];
    at.u = kept->vectors[U];
    at.v = kept->vectors[V];
    LY_TRY(lyra_system_linearise(newton->system, &at, head[PSD] != 0));
    LyraStatus status = lyra_system_form_again(newton->system, head[A_Q], head[V_Q], head[U_Q]);
    ++it->report.factorisations;
    const LyraPoint now = {.time = it->damped_time,
                           .dt = it->damped_dt,
                           .u = it->damped[0],
                           .v = it->damped[1],
                           .committed = it->work};
    LY_TRY(lyra_system_update_damping(newton->system, &now));
    return status;
}

LyraStatus ly_keep_find(LyNewton *newton, LyraIntegrator *it, const LyStage *stage,
                        LyraState *trial, bool *found)
{
    Kept kept;
    LY_TRY(find(newton, trial, &kept));
    const double *head = kept.head;
    *found = head[VALID] == 1 && head[A_Q] == stage->a_q && head[V_Q] == stage->v_q &&
             head[U_Q] == stage->u_q && head[FINGERPRINT] == fingerprint(newton);
    if (!*found || is_formed(newton, &kept, trial)) {
        return LYRA_OK;
    }
    LyraStatus status = form_again(newton, it, &kept, trial);
    if (status != LYRA_OK) {
        *found = false;
        return status == LYRA_SINGULAR || status == LYRA_NOT_POSITIVE_DEFINITE ? LYRA_OK : status;
    }
    note_formed(newton, &kept);
    return LYRA_OK;
}

LyraStatus ly_keep_drop(LyNewton *newton, LyraState *trial)
{
    Kept kept;
    LY_TRY(find(newton, trial, &kept));
    kept.head[VALID] = 0;
    return LYRA_OK;
}
