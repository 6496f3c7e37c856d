// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Sets of fixed and free dofs, and their vectors.

#include "sparse/dofs.h"

#include "sparse/sparse.h"

LyraStatus lyra_dofs_create(LyraContext *ctx, int32_t count, int32_t fixed_count,
                            const int32_t *fixed, LyraDofs **out)
{
    LYRA_ASSERT(ctx && out && (fixed || fixed_count == 0));
    if (count < 0 || fixed_count < 0 || fixed_count > count) {
        return ly_fail(LYRA_INVALID_ARGUMENT, "%d fixed dofs of %d", (int)fixed_count, (int)count);
    }
    for (int32_t f = 0; f < fixed_count; ++f) {
        if (fixed[f] < 0 || fixed[f] >= count) {
            return ly_fail(LYRA_INVALID_ARGUMENT, "fixed dof number %d is %d, expected 0 to %d",
                           (int)f, (int)fixed[f], (int)count - 1);
        }
        if (f > 0 && fixed[f] <= fixed[f - 1]) {
            return ly_fail(LYRA_INVALID_ARGUMENT,
                           "fixed dofs must ascend, but %d follows %d at place %d", (int)fixed[f],
                           (int)fixed[f - 1], (int)f);
        }
    }
    LyraStatus status = LYRA_OK;
    LyraDofs *dofs = NULL;
    LY_TRY(ly_allocate_zeroed(ctx, 1, sizeof *dofs, &dofs));
    dofs->ctx = ctx;
    dofs->count = count;
    dofs->fixed_count = fixed_count;
    dofs->free_count = count - fixed_count;
    LY_TRY_DONE(ly_allocate_array(ctx, dofs->free_count, sizeof(int32_t), &dofs->free));
    LY_TRY_DONE(ly_allocate_array(ctx, fixed_count, sizeof(int32_t), &dofs->fixed));
    LY_TRY_DONE(ly_allocate_array(ctx, count, sizeof(int32_t), &dofs->reduced));
    for (int32_t i = 0, f = 0, r = 0; i < count; ++i) {
        if (f < fixed_count && fixed[f] == i) {
            dofs->fixed[f++] = i;
            dofs->reduced[i] = -1;
        } else {
            dofs->free[r] = i;
            dofs->reduced[i] = r++;
        }
    }
    *out = dofs;
    return LYRA_OK;
done:
    lyra_dofs_destroy(dofs);
    return status;
}

LyraStatus lyra_dofs_create_vertices(LyraContext *ctx, const LyraDofs *vertices, LyraDofs **out)
{
    LYRA_ASSERT(ctx && vertices && out);
    if (vertices->count > INT32_MAX / 3) {
        return ly_fail(LYRA_TOO_LARGE, "3 dofs for each of %d vertices exceed 2147483647",
                       (int)vertices->count);
    }
    int32_t *fixed = NULL;
    LY_TRY(ly_allocate_array(ctx, 3 * (int64_t)vertices->fixed_count, sizeof(int32_t), &fixed));
    for (int32_t f = 0; f < 3 * vertices->fixed_count; ++f) {
        fixed[f] = 3 * vertices->fixed[f / 3] + f % 3;
    }
    LyraStatus status =
        lyra_dofs_create(ctx, 3 * vertices->count, 3 * vertices->fixed_count, fixed, out);
    ly_release(ctx, fixed);
    return status;
}

void lyra_dofs_destroy(LyraDofs *dofs)
{
    if (dofs) {
        ly_release(dofs->ctx, dofs->free);
        ly_release(dofs->ctx, dofs->fixed);
        ly_release(dofs->ctx, dofs->reduced);
        ly_release(dofs->ctx, dofs);
    }
}

LyraDofsView lyra_dofs_view(const LyraDofs *dofs)
{
    LYRA_ASSERT(dofs);
    return (LyraDofsView){dofs->count, dofs->free_count, dofs->fixed_count,
                          dofs->free,  dofs->fixed,      dofs->reduced};
}

void lyra_dofs_gather(const LyraDofs *dofs, const double *full, double *reduced)
{
    LYRA_ASSERT(dofs);
    for (int32_t r = 0; r < dofs->free_count; ++r) {
        reduced[r] = full[dofs->free[r]];
    }
}

void lyra_dofs_scatter(const LyraDofs *dofs, const double *reduced, double *full)
{
    LYRA_ASSERT(dofs);
    for (int32_t r = 0; r < dofs->free_count; ++r) {
        full[dofs->free[r]] = reduced[r];
    }
}

void lyra_dofs_set_fixed(const LyraDofs *dofs, const double *values, double *full)
{
    LYRA_ASSERT(dofs);
    for (int32_t f = 0; f < dofs->fixed_count; ++f) {
        full[dofs->fixed[f]] = values ? values[f] : 0.0;
    }
}

void lyra_dofs_insert(const LyraDofs *dofs, const double *reduced, const double *values,
                      double *full)
{
    lyra_dofs_scatter(dofs, reduced, full);
    lyra_dofs_set_fixed(dofs, values, full);
}
