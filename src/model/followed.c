// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Constraints of a model as its systems hand them to solvers: in the order of the matrix, and with
// zero values, since an integrator looks for corrections in the range of P.

#include "model/system.h"
#include "solve/solve.h"

LyraStatus ly_followed_create(LyraContext *ctx, int32_t vertex_count, LyFollowed *out)
{
    LyFollowed followed = {.ctx = ctx};
    LyraStatus status = LYRA_OK;
    LY_TRY_DONE(lyra_constraints_create(ctx, 3 * vertex_count, &followed.constraints));
    LY_TRY_DONE(ly_allocate_array(ctx, vertex_count, sizeof(int32_t), &followed.first));
    *out = followed;
    return LYRA_OK;
done:
    ly_followed_destroy(&followed);
    return status;
}

void ly_followed_destroy(LyFollowed *followed)
{
    lyra_constraints_destroy(followed->constraints);
    ly_release(followed->ctx, followed->first);
    *followed = (LyFollowed){0};
}

LyraStatus ly_followed_update(LyFollowed *followed, const LyraConstraints *source,
                              const int32_t *order)
{
    LyraConstraintsView view = lyra_constraints_view(source);
    if (followed->current && view.version == followed->version) {
        return LYRA_OK;
    }
    int32_t n = view.size / 3;
    const uint8_t *scalar = ly_constraints_scalars(source);
    followed->current = false;
    if (scalar && !ly_constraints_scalars(followed->constraints)) {
        LY_TRY(ly_constraints_set_scalars(followed->constraints, scalar, order, false));
    }
    lyra_constraints_clear(followed->constraints);
    for (int32_t i = 0; i < n; ++i) {
        followed->first[i] = -1;
    }
    for (int32_t k = view.count - 1; k >= 0; --k) {
        followed->first[view.vertex[k]] = k;
    }
    // by place in the matrix, so that each is appended
    for (int32_t i = 0; i < n; ++i) {
        int32_t vertex = order ? order[i] : i, k = followed->first[vertex];
        for (; k >= 0 && k < view.count && view.vertex[k] == vertex; ++k) {
            const double *direction = view.direction + 3 * (int64_t)k;
            LY_TRY(lyra_constraints_add_direction(followed->constraints, i, direction));
        }
    }
    followed->version = view.version;
    followed->current = true;
    return LYRA_OK;
}
