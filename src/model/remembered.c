// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Layout of a block: the numbers of the solver, then what HAS to D_PSD name, then, if there is a
// factor, u and v of K, u and v of D, and the history, each with as many numbers as there are.

#include "model/remembered.h"

#include "force/force.h"
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
    return 4 * (int64_t)tangent->size + lyra_assembly_history_size(tangent->model->assembly);
}

void ly_remembered_destroy(LyraContext *ctx, LyRemembered *remembered)
{
    ly_release(ctx, remembered->point);
    ly_release(ctx, remembered->history);
    lyra_vector_destroy(remembered->u);
    lyra_vector_destroy(remembered->v);
    *remembered = (LyRemembered){0};
}

// ---- noting -------------------------------------------------------------------------------------

LyraStatus ly_remembered_linearise(LyRemembered *remembered, LyTangent *tangent,
                                   const LyraPoint *at)
{
    int64_t count = lyra_assembly_history_size(tangent->model->assembly);
    if (count == 0) {
        return LYRA_OK;
    }
    if (!remembered->history) {
        LY_TRY(ly_allocate_array(tangent->ctx, count, sizeof(double), &remembered->history));
    }
    ly_vector_copy(tangent->ctx, count, at->history, remembered->history);
    return LYRA_OK;
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
    const LyTangentSlot *K = &tangent->slots[tangent->stiffness];
    const LyTangentSlot *D = tangent->damping < 0 ? NULL : &tangent->slots[tangent->damping];
    copy_point(tangent, &K->point, point);
    if (D) {
        copy_point(tangent, &D->point, point + 2 * size);
    }
    if (remembered->history) {
        ly_vector_copy(tangent->ctx, count - 4 * size, remembered->history, point + 4 * size);
    }
    head[HAS] = 1;
    head[SUM] = to_number(ly_checksum(LY_CHECKSUM_START, point, count));
    head[PRINT] = to_number(ly_tangent_fingerprint(tangent));
    memcpy(head + A, remembered->factors, sizeof remembered->factors);
    head[K_TIME] = K->point.time;
    head[K_DT] = K->point.dt;
    head[K_PSD] = K->psd;
    head[K_JOINT] = K->joint;
    head[D_HAS] = D != NULL;
    head[D_TIME] = D ? D->point.time : 0;
    head[D_DT] = D ? D->point.dt : 0;
    head[D_JOINT] = D && D->joint;
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

// forces with their tangent in one pass, where it was so
static LyraStatus evaluate_joint(LyTangent *tangent, const LyraPoint *at, bool psd)
{
    const double *gradient = NULL;
    double energy = 0;
    return ly_tangent_forces(tangent, at, psd ? LYRA_AHEAD_PSD : LYRA_AHEAD_EXACT, NULL, &gradient,
                             &energy);
}

LyraStatus ly_remembered_place(LyRemembered *remembered, LyTangent *tangent, const double *block,
                               int64_t count, bool *placed)
{
    int64_t size = tangent->size;
    *placed = count == HEAD + point_count(tangent) && block[HAS] == 1 &&
              block[PRINT] == to_number(ly_tangent_fingerprint(tangent));
    if (!*placed) {
        return LYRA_OK;
    }
    if (!remembered->u) {
        LY_TRY(lyra_vector_create(tangent->ctx, (int32_t)size, &remembered->u));
    }
    if (!remembered->v) {
        LY_TRY(lyra_vector_create(tangent->ctx, (int32_t)size, &remembered->v));
    }
    const double *point = block + HEAD;
    LyraPoint at = {.u = remembered->u, .v = remembered->v, .history = point + 4 * size};
    if (block[D_HAS] != 0) {
        bool psd = !tangent->model->damping_exact;
        at.time = block[D_TIME];
        at.dt = block[D_DT];
        ly_vector_copy(tangent->ctx, size, point + 2 * size,
                       lyra_vector_values_mutable(remembered->u));
        ly_vector_copy(tangent->ctx, size, point + 3 * size,
                       lyra_vector_values_mutable(remembered->v));
        if (block[D_JOINT] != 0) {
            LY_TRY(evaluate_joint(tangent, &at, psd));
        }
        LY_TRY(ly_tangent_update_damping(tangent, &at));
    }
    bool psd = block[K_PSD] != 0;
    at.time = block[K_TIME];
    at.dt = block[K_DT];
    ly_vector_copy(tangent->ctx, size, point, lyra_vector_values_mutable(remembered->u));
    ly_vector_copy(tangent->ctx, size, point + size, lyra_vector_values_mutable(remembered->v));
    if (block[K_JOINT] != 0) {
        LY_TRY(evaluate_joint(tangent, &at, psd));
    }
    LY_TRY(ly_remembered_linearise(remembered, tangent, &at));
    LY_TRY(ly_tangent_linearise(tangent, &at, psd));
    memcpy(remembered->factors, block + A, sizeof remembered->factors);
    return LYRA_OK;
}
