// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// The kinds of bodies: one row each.

#include "world/world.h"

#include <stdio.h>
#include <string.h>

extern const LyBodyType ly_body_solid, ly_body_affine, ly_body_springs, ly_body_cloth,
    ly_body_particle_cloth, ly_body_rod, ly_body_shell, ly_body_rigid;

static const LyBodyType *const types[] = {&ly_body_solid, &ly_body_affine,         &ly_body_springs,
                                          &ly_body_cloth, &ly_body_particle_cloth, &ly_body_rod,
                                          &ly_body_shell, &ly_body_rigid};

const char *lyra_body_kind(int32_t index)
{
    return index >= 0 && index < LY_COUNT_OF(types) ? types[index]->name : NULL;
}

const LyBodyType *ly_body_type_find(const char *name)
{
    for (int32_t t = 0; t < LY_COUNT_OF(types); ++t) {
        if (strcmp(types[t]->name, name) == 0) {
            return types[t];
        }
    }
    return NULL;
}

LyraStatus ly_body_set_vertices(LyraContext *ctx, LyraBodyView *view, LyBody *body, int32_t count,
                                const double *positions, const double *masses)
{
    LY_TRY(ly_allocate_array(ctx, 3 * (int64_t)count, sizeof(double), &body->positions));
    LY_TRY(ly_allocate_array(ctx, count, sizeof(double), &body->masses));
    memcpy(body->positions, positions, 3 * sizeof(double) * (size_t)count);
    memcpy(body->masses, masses, sizeof(double) * (size_t)count);
    view->vertex_count = count;
    return LYRA_OK;
}

LyraStatus ly_body_set_scalars(LyraContext *ctx, LyraBodyView *view, LyBody *body, int32_t count,
                               const double *positions, const double *masses)
{
    int64_t before = view->vertex_count, total = before + count;
    if (total > INT32_MAX / 3) {
        return ly_fail(LYRA_TOO_LARGE, "more than %d unknowns of vertices and edges", INT32_MAX);
    }
    LY_TRY(ly_resize_array(ctx, 3 * total, sizeof(double), &body->positions));
    LY_TRY(ly_resize_array(ctx, total, sizeof(double), &body->masses));
    if (count > 0) {
        memcpy(body->positions + 3 * before, positions, 3 * sizeof(double) * (size_t)count);
        memcpy(body->masses + before, masses, sizeof(double) * (size_t)count);
    }
    view->scalar_count = count;
    return LYRA_OK;
}
