// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// A beam of rubber, clamped at its left end, sags under its weight. README.md has this program.

#include "lyra/lyra.h"

#include <stdio.h>

int main(void)
{
    LyraMeshShapeDef box = lyra_mesh_shape_def_default();
    box.size[1] = box.size[2] = 0.1; // of 1 m along x
    LyraBodyDef beam = lyra_body_def_default();
    beam.generate = &box;
    beam.material.young = 1e7;
    LyraSelectHalfSpace left = {.point = {-0.499, 0, 0}, .normal = {-1, 0, 0}};
    LyraSelector clamp = lyra_selector_default();
    clamp.half_space = &left;

    LyraWorld *world = NULL;
    bool good = lyra_world_create(NULL, NULL, &world) == LYRA_OK &&
                lyra_world_add_body(world, &beam, NULL) == LYRA_OK &&
                lyra_world_fix(world, NULL, &clamp) == LYRA_OK &&
                lyra_world_set_gravity(world, (double[]){0, -9.81, 0}) == LYRA_OK;
    for (int step = 0; good && step < 100; ++step) {
        int32_t count = 0;
        good = lyra_world_step(world, NULL) == LYRA_OK;
        const double *x = lyra_world_positions(world, 0, &count);
        printf("%.2f s: corner at %.4f m\n", lyra_world_time(world), good ? x[3 * count - 2] : 0);
    }
    if (!good) {
        printf("%s\n", lyra_error_message());
    }
    lyra_world_destroy(world);
    return good ? 0 : 1;
}
