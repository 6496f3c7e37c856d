// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// A force of one's own: a soft floor. A vertex at depth d below y = 0 has the energy k d^3 / 3, so
// that force and stiffness begin smoothly. A ball falls on it and comes to rest, when the floor
// bears its weight.

#include "example.h"

#include <math.h>

enum { STIFFNESS, WIDTH = LYRA_BATCH_WIDTH };

// stencils are single vertices, eight at once; component i of vertex e is x[i * WIDTH + e]
static void evaluate_floor(const void *self, const LyraBatch *batch, LyraArena *scratch)
{
    (void)self, (void)scratch;
    for (int e = 0; e < WIDTH; ++e) {
        double k = batch->parameters[STIFFNESS * WIDTH + e];
        double d = fmax(0, -batch->x[1 * WIDTH + e]);
        if (batch->energy) {
            batch->energy[e] = k * d * d * d / 3;
        }
        for (int i = 0; batch->gradient && i < 3; ++i) {
            batch->gradient[i * WIDTH + e] = i == 1 ? -k * d * d : 0;
        }
        for (int n = 0; batch->dfdx && n < 9; ++n) {
            batch->dfdx[n * WIDTH + e] = n == 4 ? 2 * k * d : 0;
        }
    }
}

static const char *const parameter_names[] = {"stiffness"};

static const LyraForceType soft_floor = {
    .name = "floor",
    .nodes = 1,
    .traits = LYRA_FORCE_CONSERVATIVE | LYRA_FORCE_SYMMETRIC,
    .parameter_count = 1,
    .parameter_names = parameter_names,
    .evaluate = evaluate_floor,
};

int main(void)
{
    LyraWorldDef settings = lyra_world_def_default();
    settings.gravity[1] = lyra_curve_constant(-9.81);
    settings.damping.stiffness = 0.01;
    LyraWorld *world = NULL;
    check(lyra_world_create(NULL, &settings, &world));
    LyraMeshShapeDef sphere = lyra_mesh_shape_def_default();
    sphere.shape = LYRA_MESH_SHAPE_SPHERE;
    sphere.radius = 0.1;
    LyraBodyDef ball = lyra_body_def_default();
    ball.name = "ball";
    ball.generate = &sphere;
    ball.transform.translate[1] = 0.2;
    ball.material.young = 1e5;
    check(lyra_world_add_body(world, &ball, NULL));

    // a stencil and its stiffness for each vertex
    int32_t count = lyra_world_view(world).bodies[0].vertex_count;
    int32_t *vertices = calloc((size_t)count, sizeof *vertices);
    double *stiffness = calloc((size_t)count, sizeof *stiffness);
    for (int32_t v = 0; v < count && vertices && stiffness; ++v) {
        vertices[v] = v;
        stiffness[v] = 1e5; // N/m^2
    }
    LyraForceDef def = lyra_force_def_default();
    def.type = &soft_floor;
    def.stencil_count = count;
    def.stencils = vertices;
    def.parameters = stiffness;
    LyraForce *force = NULL;
    check(lyra_force_create(lyra_world_context(world), &def, &force));
    check(lyra_world_take_force(world, "ball", force));

    for (int step = 1; step <= 300; ++step) {
        check(lyra_world_step(world, NULL));
    }
    // at rest the floor bears the weight
    const double *x = lyra_world_positions(world, 0, NULL);
    const double *masses = lyra_model_view(lyra_world_view(world).model).masses;
    double push = 0, weight = 0;
    for (int32_t v = 0; v < count; ++v) {
        double d = fmax(0, -x[3 * v + 1]);
        push += stiffness[v] * d * d;
        weight += 9.81 * masses[v];
    }
    printf("after %.1f s the floor bears %.2f N of %.2f N\n", lyra_world_time(world), push, weight);
    free(vertices);
    free(stiffness);
    lyra_world_destroy(world);
    return fabs(push - weight) < 0.05 * weight ? 0 : 1;
}
