// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// A loop for a haptic device: steps of 1 ms, each of which takes the place of the hand and gives
// back the force that it feels. After the second step nothing is allocated.

#include "example.h"

#include <math.h>
#include <time.h>

static double now(void)
{
    struct timespec time;
    timespec_get(&time, TIME_UTC);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

int main(void)
{
    LyraWorldDef settings = lyra_world_def_default();
    settings.time.dt = 0.001;
    settings.damping.stiffness = 0.005;
    settings.integrator.newton.policy = LYRA_NEWTON_ONE; // one linear solve per step
    LyraWorld *world = NULL;
    check(lyra_world_create(NULL, &settings, &world));
    LyraMeshShapeDef box = make_box((const int32_t[]){8, 3, 3}, 0.03);
    LyraBodyDef body = lyra_body_def_default();
    body.generate = &box;
    body.material.model = "corotational";
    body.material.young = 5e4;
    check(lyra_world_add_body(world, &body, NULL));
    LyraSelectHalfSpace left = {{-0.119, 0, 0}, {-1, 0, 0}};
    LyraSelector clamp = lyra_selector_default();
    clamp.half_space = &left;
    check(lyra_world_fix(world, NULL, &clamp));
    check(lyra_world_step(world, NULL)); // sets up what later steps use again

    // a hand that takes the last vertex and moves it up by 4 cm in a quarter of a second
    int32_t count = 0;
    const double *x = lyra_world_positions(world, 0, &count);
    const int32_t grip = count - 1;
    const double stiffness = 200;
    double hand[3] = {x[3 * grip], x[3 * grip + 1], x[3 * grip + 2]}, top = hand[1] + 0.04;
    double force = 0, worst = 0, begin = now();
    for (int step = 1; step <= 500; ++step) {
        double start = now();
        hand[1] = step < 250 ? top - 0.04 * (250 - step) / 250 : top;
        check(lyra_world_pull(world, 1, &grip, &stiffness, hand));
        check(lyra_world_step(world, NULL));
        x = lyra_world_positions(world, 0, NULL);
        force = stiffness * (hand[1] - x[3 * grip + 1]);
        worst = fmax(worst, now() - start);
    }
    printf("the hand feels %.3f N; %.2f ms per step, %.2f ms at most\n", force,
           1e3 * (now() - begin) / 500, 1e3 * worst);
    lyra_world_destroy(world);
    return force > 0.01 && force < 8 ? 0 : 1;
}
