// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// A load of one's own: a weight that travels along a bridge, shared out among the vertices near it.

#include "example.h"

#include <math.h>

typedef struct Lorry {
    LyraMeshView bridge;         // at rest
    double weight, speed, width; // N, m/s, m
} Lorry;

// adds to f [vertices][3] at time t; must depend on its arguments and on what does not change
static void push(void *user, double t, const double *u, const double *v, double *f)
{
    (void)u, (void)v;
    const Lorry *lorry = user;
    double place = -1 + lorry->speed * t, sum = 0;
    for (int pass = 0; pass < 2; ++pass) {
        for (int32_t i = 0; i < lorry->bridge.vertex_count; ++i) {
            double near = (lorry->bridge.positions[3 * i] - place) / lorry->width;
            double share = exp(-near * near);
            if (pass == 0) {
                sum += share;
            } else {
                f[3 * i + 1] -= lorry->weight * share / sum;
            }
        }
    }
}

int main(void)
{
    LyraWorld *world = NULL;
    LyraWorldDef settings = lyra_world_def_default();
    settings.damping.stiffness = 0.01;
    check(lyra_world_create(NULL, &settings, &world));
    LyraMeshShapeDef box = make_box((const int32_t[]){20, 1, 2}, 0.1);
    LyraBodyDef bridge = lyra_body_def_default();
    bridge.generate = &box;
    bridge.material.young = 1e7;
    check(lyra_world_add_body(world, &bridge, NULL));
    LyraSelectBox middle = {{-0.99, -1, -1}, {0.99, 1, 1}};
    LyraSelector ends = lyra_selector_default();
    ends.box = &middle;
    ends.invert = true;
    check(lyra_world_fix(world, NULL, &ends));

    Lorry lorry = {.weight = 500, .speed = 2, .width = 0.1};
    lorry.bridge = lyra_mesh_view(lyra_world_view(world).bodies[0].mesh);
    check(lyra_world_add_load_function(world, push, &lorry));

    double deepest = 0, when = 0;
    for (int step = 1; step <= 100; ++step) {
        int32_t count = 0;
        check(lyra_world_step(world, NULL));
        const double *x = lyra_world_positions(world, 0, &count);
        double lowest = INFINITY;
        for (int32_t i = 0; i < count; ++i) {
            lowest = fmin(lowest, x[3 * i + 1]);
        }
        if (-0.05 - lowest > deepest) {
            deepest = -0.05 - lowest;
            when = lyra_world_time(world);
        }
    }
    printf("it sags most, by %.1f mm, at %.2f s; the lorry is halfway at 0.50 s\n", 1e3 * deepest,
           when);
    lyra_world_destroy(world);
    return deepest > 1e-3 && fabs(when - 0.5) < 0.15 ? 0 : 1;
}
