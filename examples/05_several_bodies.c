// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Several bodies in one world, tied by springs: a cube hangs from the end of a beam. Constraints,
// loads and parameters name the bodies; springs between them name vertices of the world.

#include "example.h"

#include <math.h>

// the vertex of a body that is nearest to a place, as a vertex of the world
static int32_t nearest(LyraWorld *world, const char *body, double x, double y)
{
    LyraSelectNear place = {.point = {x, y, 0}, .distance = NAN, .count = 1};
    LyraSelector select = lyra_selector_default();
    int32_t count = 0, *found = NULL;
    select.near = &place;
    check(lyra_world_select(world, body, &select, &count, &found));
    int32_t b = lyra_world_find_body(world, body);
    int32_t vertex = lyra_world_view(world).bodies[b].first_vertex + found[0];
    lyra_vertex_list_destroy(lyra_world_context(world), found);
    return vertex;
}

int main(void)
{
    LyraWorldDef settings = lyra_world_def_default();
    settings.gravity[1] = lyra_curve_constant(-9.81);
    settings.damping.mass = 4;
    LyraWorld *world = NULL;
    check(lyra_world_create(NULL, &settings, &world));
    LyraMeshShapeDef boxes[2] = {make_box((const int32_t[]){10, 2, 2}, 0.05),
                                 make_box((const int32_t[]){2, 2, 2}, 0.05)};
    LyraBodyDef beam = lyra_body_def_default(), cube = lyra_body_def_default();
    beam.name = "beam";
    beam.generate = &boxes[0];
    beam.material.young = 2e6;
    cube.name = "cube";
    cube.generate = &boxes[1];
    cube.transform.translate[0] = 0.25;
    cube.transform.translate[1] = -0.3;
    check(lyra_world_add_body(world, &beam, NULL));
    check(lyra_world_add_body(world, &cube, NULL));
    LyraSelectHalfSpace left = {{-0.249, 0, 0}, {-1, 0, 0}};
    LyraSelector clamp = lyra_selector_default();
    clamp.half_space = &left;
    check(lyra_world_fix(world, "beam", &clamp));

    // a spring between the two, 0.2 m long at rest; without a body its ends count in the world
    const int32_t ends[2] = {nearest(world, "beam", 0.25, -0.05),
                             nearest(world, "cube", 0.25, -0.25)};
    const double length = 0.2;
    LyraWorldView view = lyra_world_view(world);
    LyraSpringsDef list = lyra_springs_def_default();
    list.vertex_count = view.bodies[1].first_vertex + view.bodies[1].vertex_count;
    list.spring_count = 1;
    list.vertices = ends;
    list.rest_lengths = &length;
    LyraSprings *springs = NULL;
    check(lyra_springs_create(lyra_world_context(world), &list, &springs));
    LyraMassSpringDef stiff = lyra_mass_spring_def_default();
    stiff.stiffness = 1000;
    LyraForce *tie = NULL;
    check(lyra_mass_spring_create(lyra_world_context(world), springs, &stiff, &tie));
    lyra_springs_destroy(springs);
    check(lyra_world_take_force(world, NULL, tie));
    LyraProbeDef probe = lyra_probe_def_default();
    LyraSelector whole = lyra_selector_default();
    whole.all = true;
    LyraProbeEnd other = {.body = "beam", .select = clamp};
    probe.quantity = LYRA_PROBE_REACTION;
    probe.body = "beam";
    probe.component = LYRA_PROBE_Y;
    check(lyra_world_add_probe(world, &probe, NULL));
    probe.quantity = LYRA_PROBE_DISTANCE;
    probe.body = "cube";
    probe.select = &whole;
    probe.component = LYRA_PROBE_WHOLE;
    probe.to = &other;
    check(lyra_world_add_probe(world, &probe, NULL));

    for (int step = 1; step <= 600; ++step) {
        check(lyra_world_step(world, NULL));
    }
    LyraProbeView held, away;
    check(lyra_world_probe(world, 0, &held));
    check(lyra_world_probe(world, 1, &away));
    double weight = 9.81 * 1000 * (0.5 * 0.1 * 0.1 + 0.1 * 0.1 * 0.1);
    printf("the wall holds %.2f N of %.2f N; the cube hangs %.3f m away\n", held.values[0], weight,
           away.values[0]);
    lyra_world_destroy(world);
    return fabs(held.values[0] - weight) < 0.01 * weight ? 0 : 1;
}
