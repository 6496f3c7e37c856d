// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// 200 random scenes of 500 steps: obstacle_scenes.h.

#include "obstacle_scenes.h"

LYRA_TEST(no_vertex_is_ever_inside)
{
    ObstacleCount count = {.least = INFINITY};
    for (uint64_t seed = 0; seed < 200; ++seed) {
        obstacle_scene(seed, 500, 2, &count);
    }
    printf("%d steps, %d scenes ended early, %d contacts, least gap %g m\n", (int)count.steps,
           (int)count.ended, (int)count.touched, count.least);
    TEST_EQUAL(count.inside, 0);
    TEST_CHECK(count.steps > 50000 && count.touched > 10000);
}

LYRA_TEST(other_responses_stay_finite)
{
    static const LyraObstacleResponse responses[] = {LYRA_OBSTACLE_PENALTY, LYRA_OBSTACLE_RELOCATE,
                                                     LYRA_OBSTACLE_CONSTRAINT};
    for (size_t r = 0; r < sizeof responses / sizeof responses[0]; ++r) {
        ObstacleCount count = {.least = INFINITY};
        for (uint64_t seed = 0; seed < 200; ++seed) {
            obstacle_scene_by(responses[r], seed, 500, 2, &count);
        }
        printf("%d steps, %d scenes ended early, %d contacts, least gap %g m\n", (int)count.steps,
               (int)count.ended, (int)count.touched, count.least);
        TEST_EQUAL(count.inside, 0);
        TEST_CHECK(count.steps > 50000 && count.touched > 10000);
    }
}
