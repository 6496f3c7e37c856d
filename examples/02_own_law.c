// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// A law of one's own: Gent's rubber, which locks when I - 3 reaches a limit m, as what it adds to a
// neo-Hookean body:
//
//   W = -mu m/2 ln(1 - (I - 3)/m) - mu/2 (I - 3)
//
// A law is a table with a function that gives W and its derivatives by the invariants I = tr C,
// II = tr C^2 and J = det F at eight points at once. Here a bar is pulled to longer and longer
// lengths; the force that this takes must be the slope of the energy.

#include "example.h"

#include <math.h>

enum { MU, LIMIT, PARAMETERS, WIDTH = LYRA_MATERIAL_WIDTH };

static void evaluate_gent(const void *user, const LyraMaterialBatch *batch)
{
    (void)user;
    for (int p = 0; p < WIDTH; ++p) {
        double mu = batch->parameters[MU * WIDTH + p], m = batch->parameters[LIMIT * WIDTH + p];
        double x = batch->arguments[p] - 3, room = 1 - x / m;
        if (batch->energy) {
            batch->energy[p] = -mu * m / 2 * log(room) - mu / 2 * x;
        }
        if (batch->gradient) {
            batch->gradient[p] = mu / 2 * (1 / room - 1); // by I
            batch->gradient[WIDTH + p] = 0;               // by II
            batch->gradient[2 * WIDTH + p] = 0;           // by J
        }
        for (int n = 0; batch->hessian && n < 6; ++n) {
            batch->hessian[n * WIDTH + p] = n == 0 ? mu / (2 * m * room * room) : 0;
        }
    }
}

static const char *const parameter_names[PARAMETERS] = {"mu", "limit"};

static const LyraMaterialType gent = {
    .name = "gent",
    .arguments = LYRA_MATERIAL_INVARIANTS,
    .without_second = true,
    .parameter_count = PARAMETERS,
    .parameter_names = parameter_names,
    .evaluate = evaluate_gent,
};

int main(void)
{
    LyraWorldDef settings = lyra_world_def_default();
    settings.integrator.name = "static";
    settings.time.dt = 0.2;
    LyraWorld *world = NULL;
    check(lyra_world_create(NULL, &settings, &world));
    LyraMeshShapeDef box = make_box((const int32_t[]){8, 2, 2}, 0.05);
    LyraBodyDef bar = lyra_body_def_default();
    bar.name = "bar";
    bar.generate = &box;
    bar.material.young = 3e5;
    check(lyra_world_add_body(world, &bar, NULL));

    // its parameters by name, and no handling of inversion, for which it would need `expand`
    const LyraElasticConstant constants[] = {{"mu", 1e5}, {"limit", 10}};
    LyraElasticDef def = lyra_elastic_def_default();
    def.law = &gent;
    def.constants = constants;
    def.constant_count = PARAMETERS;
    def.inversion = LYRA_INVERSION_NONE;
    LyraForce *force = NULL;
    const LyraMesh *mesh = lyra_world_view(world).bodies[0].mesh;
    check(lyra_elastic_create(lyra_world_context(world), mesh, &def, &force));
    check(lyra_world_take_force(world, "bar", force));

    // one end held, the other drawn out by 5 cm in each second
    LyraSelectHalfSpace left = {{-0.199, 0, 0}, {-1, 0, 0}}, right = {{0.199, 0, 0}, {1, 0, 0}};
    LyraConstraintDef ends[2] = {lyra_constraint_def_default(), lyra_constraint_def_default()};
    ends[0].select.half_space = &left;
    ends[1].select.half_space = &right;
    ends[1].displacement[0] = lyra_curve_expression("0.05*t");
    check(lyra_world_add_constraint(world, &ends[0]));
    check(lyra_world_add_constraint(world, &ends[1]));
    LyraProbeDef probe = lyra_probe_def_default();
    probe.quantity = LYRA_PROBE_REACTION;
    probe.select = &ends[1].select;
    probe.component = LYRA_PROBE_X;
    check(lyra_world_add_probe(world, &probe, NULL));

    bool good = true;
    double energy = 0, force_before = 0;
    printf(" length m    force N   energy J\n");
    for (int step = 1; step <= 40; ++step) {
        LyraEnergies now;
        LyraProbeView pull;
        check(lyra_world_step(world, NULL));
        check(lyra_world_energies(world, &now));
        check(lyra_world_probe(world, 0, &pull));
        if (step % 5 == 0) {
            printf("%9.2f %10.2f %10.4f\n", 0.4 + 0.01 * step, pull.values[0], now.elastic);
        }
        // the energy grows by the mean force times the way
        double work = 0.01 * (pull.values[0] + force_before) / 2;
        good = good && fabs(now.elastic - energy - work) < 0.01 * work;
        energy = now.elastic;
        force_before = pull.values[0];
    }
    lyra_world_destroy(world);
    return good ? 0 : 1;
}
