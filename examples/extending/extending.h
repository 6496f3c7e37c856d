// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// What the programs of docs/extending.md share: calls that must succeed, and a beam in a scene.

#ifndef LYRA_EXTENDING_H
#define LYRA_EXTENDING_H

#include "lyra/lyra.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/// Ends the program with the library's sentence unless a call succeeded; with 77 in a build without
/// YAML, which has no scenes.
static inline void check(LyraStatus status)
{
    if (status != LYRA_OK) {
        fprintf(stderr, "%s: %s\n", lyra_status_name(status), lyra_error_message());
        exit(status == LYRA_UNSUPPORTED && strstr(lyra_error_message(), "YAML") ? 77 : 1);
    }
}

static inline LyraContext *make_context(void)
{
    LyraContext *ctx = NULL;
    check(lyra_context_create(NULL, &ctx));
    return ctx;
}

/// A beam, clamped at its left end, under its weight: a scene to which more can be added.
#define BEAM(material)                                                                             \
    "bodies:\n"                                                                                    \
    "  - name: beam\n"                                                                             \
    "    generate: {size: [0.5, 0.1, 0.1], cells: [10, 2, 2]}\n"                                   \
    "    material: " material "\n"                                                                 \
    "gravity: [0, -9.81, 0]\n"                                                                     \
    "constraints:\n"                                                                               \
    "  - select: {half-space: {point: [-0.249, 0, 0], normal: [-1, 0, 0]}}\n"                      \
    "damping: {mass: 10}\n"

/// How far the lowest vertex of the scene's first body has gone down after 25 steps, m.
static inline double sag(LyraContext *ctx, const char *scene)
{
    LyraWorld *world = NULL;
    int32_t count = 0;
    double before = INFINITY, after = INFINITY;
    check(lyra_world_load_memory(ctx, scene, strlen(scene), NULL, NULL, &world, NULL));
    for (int step = 0; step <= 25; ++step) {
        double lowest = INFINITY;
        const double *x = lyra_world_positions(world, 0, &count);
        for (int32_t v = 0; v < count; ++v) {
            lowest = fmin(lowest, x[3 * v + 1]);
        }
        before = step == 0 ? lowest : before;
        after = lowest;
        check(step < 25 ? lyra_world_step(world, NULL) : LYRA_OK);
    }
    lyra_world_destroy(world);
    return before - after;
}

#endif
