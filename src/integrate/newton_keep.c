// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Tangents kept from step to step by the simplified policy. A factor is no state, but the point at
// which it was taken is: the block "newton" holds (u, v, t, dt, history) of the linearisation, the
// coefficients of S, and the point at which the damping was frozen then. After a restart S is
// formed anew from the block; in a run that goes on it is still there, as the stamp of the system
// tells, and both have the same bits. A tangent of other parameters, masses, damping or directions
// of constraints than the model has now does not serve: the block has their fingerprint.
//
// Layout: valid, time, dt, a_q, v_q, u_q, psd, time of damping, fingerprint, share of loads left
// out, then u, v, u and v of damping, and the history.

#include "integrate/newton.h"

#include <string.h>

#define KEEP_BLOCK "newton"
#define KEEP_VERSION 3
#define HEAD 10

int64_t ly_keep_count(const LyNewton *newton)
{
    return HEAD + 4 * (int64_t)newton->size + lyra_system_history_count(newton->system);
}

static LyraStatus find_block(LyNewton *newton, LyraState *trial, double **block)
{
    bool fresh = false;
    return lyra_state_block(trial, KEEP_BLOCK, KEEP_VERSION, newton->kept_count, block, &fresh);
}

static void copy_in(const LyraVector *from, double *to)
{
    memcpy(to, lyra_vector_values(from), (size_t)lyra_vector_size(from) * sizeof *to);
}

static void copy_out(const double *from, LyraVector *to)
{
    memcpy(lyra_vector_values_mutable(to), from, (size_t)lyra_vector_size(to) * sizeof *from);
}

// as many bits as a double counts with
static double fingerprint(const LyNewton *newton)
{
    return (double)(lyra_system_fingerprint(newton->system) >> 11);
}

LyraStatus ly_keep_note(LyNewton *newton, LyraIntegrator *it, const LyStage *stage, bool psd,
                        LyraState *trial)
{
    double *block = NULL;
    LY_TRY(find_block(newton, trial, &block));
    const double head[HEAD] = {
        1,          stage->time, stage->dt,       stage->a_q,          stage->v_q,
        stage->u_q, psd,         it->damped_time, fingerprint(newton), stage->unloaded};
    int64_t n = newton->size, history = lyra_system_history_count(newton->system);
    memcpy(block, head, sizeof head);
    copy_in(newton->u, block + HEAD);
    copy_in(newton->v, block + HEAD + n);
    copy_in(it->damped[0], block + HEAD + 2 * n);
    copy_in(it->damped[1], block + HEAD + 3 * n);
    if (history > 0) {
        memcpy(block + HEAD + 4 * n, stage->history, (size_t)history * sizeof *block);
    }
    memcpy(newton->kept, block, (size_t)newton->kept_count * sizeof *block);
    newton->stamp = lyra_system_stamp(newton->system);
    return LYRA_OK;
}

// forms S from the block, and freezes the damping of this step again
static LyraStatus form_again(LyNewton *newton, LyraIntegrator *it, const double *block)
{
    int64_t n = newton->size;
    const double *history =
        lyra_system_history_count(newton->system) > 0 ? block + HEAD + 4 * n : NULL;
    LyraPoint at = {.time = block[7], .dt = 0, .u = newton->u, .v = newton->v, .history = history};
    copy_out(block + HEAD + 2 * n, newton->u);
    copy_out(block + HEAD + 3 * n, newton->v);
    LY_TRY(lyra_system_update_damping(newton->system, &at));
    at.time = block[1];
    at.dt = block[2];
    at.unloaded = block[9];
    copy_out(block + HEAD, newton->u);
    copy_out(block + HEAD + n, newton->v);
    LY_TRY(lyra_system_linearise(newton->system, &at, block[6] != 0));
    LyraStatus status = lyra_system_form_again(newton->system, block[3], block[4], block[5]);
    ++it->report.factorisations;
    const LyraPoint now = {.time = it->damped_time,
                           .dt = 0,
                           .u = it->damped[0],
                           .v = it->damped[1],
                           .history = history ? ly_state_history(it, it->work) : NULL};
    LY_TRY(lyra_system_update_damping(newton->system, &now));
    return status;
}

LyraStatus ly_keep_find(LyNewton *newton, LyraIntegrator *it, const LyStage *stage,
                        LyraState *trial, bool *found)
{
    double *block = NULL;
    LY_TRY(find_block(newton, trial, &block));
    *found = block[0] == 1 && block[3] == stage->a_q && block[4] == stage->v_q &&
             block[5] == stage->u_q && block[8] == fingerprint(newton);
    if (!*found) {
        return LYRA_OK;
    }
    size_t bytes = (size_t)newton->kept_count * sizeof *block;
    if (newton->stamp == lyra_system_stamp(newton->system) &&
        memcmp(newton->kept, block, bytes) == 0) {
        return LYRA_OK;
    }
    LyraStatus status = form_again(newton, it, block);
    if (status != LYRA_OK) {
        *found = false;
        return status == LYRA_SINGULAR || status == LYRA_NOT_POSITIVE_DEFINITE ? LYRA_OK : status;
    }
    memcpy(newton->kept, block, bytes);
    newton->stamp = lyra_system_stamp(newton->system);
    return LYRA_OK;
}

LyraStatus ly_keep_drop(LyNewton *newton, LyraState *trial)
{
    double *block = NULL;
    LY_TRY(find_block(newton, trial, &block));
    block[0] = 0;
    return LYRA_OK;
}
