// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Reading stress: a cantilever with a force at its end, in equilibrium. Fields give the stress of
// every element; beam theory says how large it is at the top, M c / I.

#include "example.h"

#include <math.h>

int main(void)
{
    const double length = 1, side = 0.1, force = 50;
    LyraWorldDef settings = lyra_world_def_default();
    settings.integrator.name = "static";
    LyraWorld *world = NULL;
    check(lyra_world_create(NULL, &settings, &world));
    LyraMeshShapeDef box = make_box((const int32_t[]){80, 8, 8}, side / 8);
    box.kind = LYRA_ELEMENT_CUBE8;
    LyraBodyDef beam = lyra_body_def_default();
    beam.generate = &box;
    beam.material.young = 1e8;
    beam.material.poisson = 0.3;
    check(lyra_world_add_body(world, &beam, NULL));
    LyraSelectHalfSpace left = {{-0.499, 0, 0}, {-1, 0, 0}}, right = {{0.499, 0, 0}, {1, 0, 0}};
    LyraSelector clamp = lyra_selector_default();
    clamp.half_space = &left;
    check(lyra_world_fix(world, NULL, &clamp));
    LyraLoadDef load = lyra_load_def_default();
    load.select.half_space = &right;
    load.force[1] = lyra_curve_constant(-force);
    load.total = true;
    check(lyra_world_add_load(world, &load));
    check(lyra_world_step(world, NULL));

    LyraWorldView view = lyra_world_view(world);
    const LyraBodyView *body = &view.bodies[0];
    LyraMeshView mesh = lyra_mesh_view(body->mesh);
    LyraFields *fields = NULL;
    check(lyra_fields_create(lyra_world_context(world), view.model, body->mesh, body->first_vertex,
                             &fields));
    double *stress = calloc(6 * (size_t)mesh.element_count, sizeof *stress);
    const LyraElementFields out = {.stress = stress}; // xx, yy, zz, xy, yz, xz of each element
    check(lyra_fields_evaluate(fields, view.state, &out));

    // the topmost row of elements: the middle of one is half a cell below the top
    bool good = true;
    double inertia = pow(side, 4) / 12, c = side / 2 - side / 16;
    printf("  from the wall    stress   beam theory\n");
    for (int32_t e = 0; e < mesh.element_count; ++e) {
        double middle[3] = {0};
        for (int i = 0; i < 24; ++i) {
            middle[i % 3] += mesh.positions[3 * mesh.elements[8 * e + i / 3] + i % 3] / 8;
        }
        double from = middle[0] + length / 2, theory = force * (length - from) * c / inertia;
        if (middle[1] > c - 1e-6 && fabs(middle[2] - side / 16) < 1e-6 &&
            fabs(remainder(from - side / 16, 0.1)) < 1e-6 && from > 0.15 && from < 0.85) {
            printf("%12.3f m %7.0f Pa %9.0f Pa\n", from, stress[6 * e], theory);
            good = good && fabs(stress[6 * e] - theory) < 0.05 * theory;
        }
    }
    free(stress);
    lyra_fields_destroy(fields);
    lyra_world_destroy(world);
    return good ? 0 : 1;
}
