// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Layout of a block: the numbers of the solver, then what HAS to D_PSD name, then, if there is a
// factor, u and v of K, u and v of D, and the histories of both, each with as many numbers as there
// are.

#include "model/remembered.h"

#include "model/history.h"
#include "solve/solve.h"

#include <string.h>

enum {
    HAS = LYRA_SOLVER_MEMORY, // a point follows
    SUM,                      // of the numbers of the point
    PRINT,                    // fingerprint of the model
    A,
    B,
    C,
    K_TIME,
    K_DT,
    K_PSD,
    K_JOINT,
    D_HAS,
    D_TIME,
    D_DT,
    D_JOINT,
    HEAD
};
_Static_assert(HEAD == LY_REMEMBERED_HEAD, "the head has all of these");

// as many bits as a double counts with
static double to_number(uint64_t sum)
{
    return (double)(sum >> 11);
}

static int64_t point_count(const LyTangent *tangent)
{
    return 4 * (int64_t)tangent->size + 2 * tangent->model->history_count;
}

void ly_remembered_destroy(LyraContext *ctx, const LyraModel *model, LyRemembered *remembered)
{
    ly_release(ctx, remembered->point);
    ly_histories_destroy(ctx, model, remembered->history[0]);
    ly_histories_destroy(ctx, model, remembered->history[1]);
    lyra_state_destroy(remembered->state);
    *remembered = (LyRemembered){0};
}

// ---- noting -------------------------------------------------------------------------------------

// keeps the history of K (0) or of D (1)
static LyraStatus keep_history(LyRemembered *remembered, const LyTangent *tangent, int32_t which,
                               const LyraState *committed)
{
    const LyraModel *model = tangent->model;
    if (model->history_count == 0) {
        return LYRA_OK;
    }
    if (!remembered->history[which]) {
        LY_TRY(ly_histories_create(tangent->ctx, model, &remembered->history[which]));
    }
    // where one is missing, the evaluation of forces fails
    ly_histories_take(model, committed, remembered->history[which]);
    return LYRA_OK;
}

LyraStatus ly_remembered_linearise(LyRemembered *remembered, LyTangent *tangent,
                                   const LyraPoint *at, bool psd)
{
    remembered->psd = psd;
    return keep_history(remembered, tangent, 0, at->committed);
}

LyraStatus ly_remembered_damping(LyRemembered *remembered, LyTangent *tangent, const LyraPoint *at)
{
    return keep_history(remembered, tangent, 1, at->committed);
}

static void copy_point(const LyTangent *tangent, const LyTangentPoint *point, double *u)
{
    int32_t size = tangent->size;
    ly_vector_copy(tangent->ctx, size, point->u, u);
    if (point->v) {
        ly_vector_copy(tangent->ctx, size, point->v, u + size);
    } else {
        ly_vector_fill(tangent->ctx, size, 0, u + size);
    }
}

LyraStatus ly_remembered_note(LyRemembered *remembered, LyTangent *tangent,
                              const LyraSolver *solver)
{
    uint64_t serial = ly_solver_kept(solver);
    if (serial == remembered->serial) {
        return LYRA_OK;
    }
    remembered->serial = 0;
    if (serial == 0) {
        return LYRA_OK;
    }
    int64_t count = point_count(tangent), size = tangent->size;
    if (!remembered->point) {
        LY_TRY(ly_allocate_zeroed(tangent->ctx, count, sizeof(double), &remembered->point));
    }
    double *head = remembered->head, *point = remembered->point;
    const LyTangentPoint *K = ly_tangent_point(tangent, 0), *D = ly_tangent_point(tangent, 1);
    copy_point(tangent, K, point);
    if (D) {
        copy_point(tangent, D, point + 2 * size);
    }
    int64_t history = tangent->model->history_count;
    for (int32_t k = 0; k < 2; ++k) {
        if (remembered->history[k]) {
            ly_histories_read(tangent->model, remembered->history[k],
                              point + 4 * size + k * history);
        }
    }
    head[HAS] = 1;
    head[SUM] = to_number(ly_checksum(LY_CHECKSUM_START, point, count));
    head[PRINT] = to_number(ly_tangent_fingerprint(tangent));
    memcpy(head + A, remembered->factors, sizeof remembered->factors);
    head[K_TIME] = K->time;
    head[K_DT] = K->dt;
    head[K_PSD] = remembered->psd;
    head[K_JOINT] = (double)ly_tangent_joint(tangent, 0);
    head[D_HAS] = D != NULL;
    head[D_TIME] = D ? D->time : 0;
    head[D_DT] = D ? D->dt : 0;
    head[D_JOINT] = D ? (double)ly_tangent_joint(tangent, 1) : 0;
    remembered->serial = serial;
    return LYRA_OK;
}

bool ly_remembered_is_old(const LyRemembered *remembered, LyTangent *tangent)
{
    return remembered->serial != 0 &&
           remembered->head[PRINT] != to_number(ly_tangent_fingerprint(tangent));
}

// ---- writing ------------------------------------------------------------------------------------

int64_t ly_remembered_count(const LyRemembered *remembered, const LyTangent *tangent,
                            const LyraSolver *solver)
{
    double memory[LYRA_SOLVER_MEMORY];
    if (!ly_solver_remember(solver, memory)) {
        return 0;
    }
    return HEAD + (remembered->serial != 0 ? point_count(tangent) : 0);
}

// the head as of now
static void renew_head(LyRemembered *remembered, const LyraSolver *solver)
{
    if (remembered->serial == 0) {
        memset(remembered->head, 0, sizeof remembered->head);
    }
    (void)ly_solver_remember(solver, remembered->head);
}

void ly_remembered_write(LyRemembered *remembered, const LyTangent *tangent,
                         const LyraSolver *solver, double *block)
{
    renew_head(remembered, solver);
    bool known = block[HAS] == 1 && block[SUM] == remembered->head[SUM];
    memcpy(block, remembered->head, sizeof remembered->head);
    if (remembered->serial != 0 && !known) {
        ly_vector_copy(tangent->ctx, point_count(tangent), remembered->point, block + HEAD);
    }
}

bool ly_remembered_is_same(LyRemembered *remembered, const LyTangent *tangent,
                           const LyraSolver *solver, const double *block, int64_t count)
{
    if (count != ly_remembered_count(remembered, tangent, solver)) {
        return false;
    }
    renew_head(remembered, solver);
    return count == 0 || memcmp(block, remembered->head, sizeof remembered->head) == 0;
}

// ---- recalling ----------------------------------------------------------------------------------

LyraStatus ly_remembered_place(LyRemembered *remembered, LyTangent *tangent, const double *block,
                               int64_t count, bool *placed)
{
    int64_t size = tangent->size;
    *placed = count == HEAD + point_count(tangent) && block[HAS] == 1 &&
              block[PRINT] == to_number(ly_tangent_fingerprint(tangent));
    if (!*placed) {
        return LYRA_OK;
    }
    if (!remembered->state) {
        LY_TRY(lyra_state_create(tangent->ctx, (int32_t)size, &remembered->state));
    }
    const double *point = block + HEAD;
    LyraStateView view = lyra_state_view(remembered->state);
    LyraPoint at = {.u = view.u, .v = view.v, .committed = remembered->state};
    if (block[D_HAS] != 0) {
        bool psd = !tangent->model->damping_exact;
        at.time = block[D_TIME];
        at.dt = block[D_DT];
        LY_TRY(ly_history_write_all(tangent->model, remembered->state,
                                    point + 4 * size + tangent->model->history_count));
        LY_TRY(ly_remembered_damping(remembered, tangent, &at));
        lyra_vector_write(view.u, 0, (int32_t)size, point + 2 * size);
        lyra_vector_write(view.v, 0, (int32_t)size, point + 3 * size);
        LY_TRY(ly_tangent_evaluate_joint(tangent, &at, psd, (uint64_t)block[D_JOINT]));
        LY_TRY(ly_tangent_update_damping(tangent, &at));
    }
    LY_TRY(ly_history_write_all(tangent->model, remembered->state, point + 4 * size));
    bool psd = block[K_PSD] != 0;
    at.time = block[K_TIME];
    at.dt = block[K_DT];
    lyra_vector_write(view.u, 0, (int32_t)size, point);
    lyra_vector_write(view.v, 0, (int32_t)size, point + size);
    LY_TRY(ly_tangent_evaluate_joint(tangent, &at, psd, (uint64_t)block[K_JOINT]));
    LY_TRY(ly_remembered_linearise(remembered, tangent, &at, psd));
    LY_TRY(ly_tangent_linearise(tangent, &at, psd));
    memcpy(remembered->factors, block + A, sizeof remembered->factors);
    return LYRA_OK;
}
