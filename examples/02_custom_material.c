// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// A law of one's own: Gent's rubber, which locks when I - 3 reaches a limit.
//
//   W = -mu m/2 ln(1 - (I - 3)/m) - mu ln J + lambda/2 (ln J)^2
//
// A law is a table with a function that gives W and its derivatives by the invariants I = tr C,
// II = tr C^2 and J = det F at eight points at once. Here it is put on a bar of cubes that is
// pulled to longer and longer lengths; the force is compared with the slope of the energy.

#include "lyra/lyra.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { LAMBDA, MU, LIMIT, PARAMETERS, WIDTH = LYRA_MATERIAL_WIDTH };

static void evaluate_gent(const void *user, const LyraMaterialBatch *batch)
{
    (void)user;
    for (int p = 0; p < WIDTH; ++p) {
        double lambda = batch->parameters[LAMBDA * WIDTH + p];
        double mu = batch->parameters[MU * WIDTH + p], m = batch->parameters[LIMIT * WIDTH + p];
        double x = batch->arguments[p] - 3, J = batch->arguments[2 * WIDTH + p], l = log(J);
        double room = 1 - x / m;
        if (batch->energy) {
            batch->energy[p] = -mu * m / 2 * log(room) - mu * l + lambda / 2 * l * l;
        }
        if (batch->gradient) {
            batch->gradient[p] = mu / (2 * room); // by I
            batch->gradient[WIDTH + p] = 0;       // by II
            batch->gradient[2 * WIDTH + p] = (lambda * l - mu) / J;
        }
        if (batch->hessian) {
            for (int n = 0; n < 6; ++n) {
                batch->hessian[n * WIDTH + p] = 0;
            }
            batch->hessian[p] = mu / (2 * m * room * room);
            batch->hessian[2 * WIDTH + p] = (lambda * (1 - l) + mu) / (J * J);
        }
    }
}

static const char *const parameter_names[PARAMETERS] = {"lambda", "mu", "limit"};

static const LyraMaterialType gent = {
    .name = "gent",
    .arguments = LYRA_MATERIAL_INVARIANTS,
    .without_second = true,
    .parameter_count = PARAMETERS,
    .parameter_names = parameter_names,
    .evaluate = evaluate_gent,
};

static void check(LyraStatus status)
{
    if (status != LYRA_OK) {
        fprintf(stderr, "%s: %s\n", lyra_status_name(status), lyra_error_message());
        exit(1);
    }
}

// energy of the bar at `stretch` with its volume kept, and the rate at which it grows
static double pull(LyraAssembly *assembly, const LyraMeshView *mesh, double stretch, double *rate)
{
    size_t n = (size_t)mesh->vertex_count * 3;
    double *x = malloc(n * sizeof *x), *gradient = malloc(n * sizeof *gradient), energy;
    if (!x || !gradient) {
        exit(1);
    }
    double side = 1 / sqrt(stretch);
    for (size_t i = 0; i < n; ++i) {
        x[i] = (i % 3 == 0 ? stretch : side) * mesh->positions[i];
    }
    LyraEvaluation evaluation = {.x = x, .energy = &energy, .gradient = gradient};
    check(lyra_assembly_evaluate(assembly, &evaluation));
    *rate = 0;
    for (size_t i = 0; i < n; ++i) {
        *rate += gradient[i] * mesh->positions[i] * (i % 3 == 0 ? 1 : -0.5 * side / stretch);
    }
    free(x);
    free(gradient);
    return energy;
}

int main(void)
{
    LyraContext *ctx = NULL;
    check(lyra_context_create(NULL, &ctx));
    LyraMeshShapeDef shape = lyra_mesh_shape_def_default();
    shape.kind = LYRA_ELEMENT_CUBE8;
    const int32_t cells[3] = {8, 2, 2};
    for (int i = 0; i < 3; ++i) {
        shape.cells[i] = cells[i];
        shape.size[i] = 0.01 * cells[i];
    }
    LyraMesh *mesh = NULL;
    check(lyra_mesh_generate(ctx, &shape, &mesh));

    // the law, its parameters by name, and no handling of inversion, for which it would need
    // `expand`
    const LyraElasticConstant constants[] = {{"lambda", 2e6}, {"mu", 1e5}, {"limit", 10}};
    LyraElasticDef def = lyra_elastic_def_default();
    def.law = &gent;
    def.constants = constants;
    def.constant_count = PARAMETERS;
    def.inversion = LYRA_INVERSION_NONE;
    LyraForce *force = NULL;
    check(lyra_elastic_create(ctx, mesh, &def, &force));
    LyraMeshView view = lyra_mesh_view(mesh);
    LyraAssembly *assembly = NULL;
    check(lyra_assembly_create(ctx, view.vertex_count, view.positions, 1, &force, &assembly));

    bool good = true;
    printf("stretch    energy J     rate J    by differences\n");
    for (double stretch = 1.25; stretch <= 3.25; stretch += 0.5) {
        const double h = 1e-5;
        double rate, unused;
        double energy = pull(assembly, &view, stretch, &rate);
        double high = pull(assembly, &view, stretch + h, &unused);
        double low = pull(assembly, &view, stretch - h, &unused), slope = (high - low) / (2 * h);
        printf("%7.2f  %10.5f  %9.5f  %9.5f\n", stretch, energy, rate, slope);
        good = good && fabs(rate - slope) <= 1e-6 * fabs(rate);
    }
    lyra_assembly_destroy(assembly);
    lyra_force_destroy(force);
    lyra_mesh_destroy(mesh);
    lyra_context_destroy(ctx);
    return good ? 0 : 1;
}
