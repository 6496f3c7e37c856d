// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// A beam clamped at one end falls under its weight, swings and comes to rest: mesh, forces, model,
// system, integrator and state, and what a step reports.

#include "lyra/lyra.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define TRY(call)                                                                                  \
    do {                                                                                           \
        if ((call) != LYRA_OK) {                                                                   \
            fprintf(stderr, "%s\n", lyra_error_message());                                         \
            goto done;                                                                             \
        }                                                                                          \
    } while (0)

// displacement of the free end, the mean over its vertices
static double find_sag(const LyraMesh *mesh, const LyraState *state)
{
    LyraMeshView view = lyra_mesh_view(mesh);
    const double *u = lyra_vector_values(lyra_state_view(state).u);
    double sum = 0;
    int32_t count = 0;
    for (int32_t i = 0; i < view.vertex_count; ++i) {
        if (view.positions[3 * i] > 0.499) {
            sum += u[3 * i + 1];
            ++count;
        }
    }
    return sum / count;
}

int main(void)
{
    int result = 1;
    LyraContext *ctx = NULL;
    LyraMesh *mesh = NULL;
    LyraSolid *solid = NULL;
    LyraModel *model = NULL;
    LyraSystem *system = NULL;
    LyraState *state = NULL;
    LyraIntegrator *integrator = NULL;
    double *masses = NULL;
    int32_t *clamped = NULL, clamped_count = 0;
    TRY(lyra_context_create(NULL, &ctx));

    // a beam of 1 x 0.1 x 0.1 m along x, of rubber
    LyraMeshShapeDef shape = lyra_mesh_shape_def_default();
    const int32_t cells[3] = {20, 2, 2};
    const double size[3] = {1, 0.1, 0.1};
    for (int i = 0; i < 3; ++i) {
        shape.cells[i] = cells[i];
        shape.size[i] = size[i];
    }
    TRY(lyra_mesh_generate(ctx, &shape, &mesh));
    LyraMeshView view = lyra_mesh_view(mesh);
    LyraSolidDef rubber = lyra_solid_def_default();
    rubber.young = 1e7;
    rubber.poisson = 0.4;
    TRY(lyra_solid_create(ctx, mesh, &rubber, &solid));

    // the model: masses, gravity, some damping, and the clamped end
    masses = malloc((size_t)view.vertex_count * sizeof *masses);
    clamped = malloc((size_t)view.vertex_count * sizeof *clamped);
    if (!masses || !clamped) {
        goto done;
    }
    lyra_mesh_lumped_masses(mesh, NULL, masses);
    LyraModelDef def = lyra_model_def_default();
    def.vertex_count = view.vertex_count;
    def.positions = view.positions;
    def.forces = lyra_solid_forces(solid, &def.force_count);
    def.masses = masses;
    def.gravity[1] = -9.81;
    def.mass_damping = 2;
    TRY(lyra_model_create(ctx, &def, &model));
    for (int32_t i = 0; i < view.vertex_count; ++i) {
        if (view.positions[3 * i] < -0.499) {
            clamped[clamped_count++] = i;
        }
    }
    TRY(lyra_constraints_fix_vertices(lyra_model_constraints(model), clamped_count, clamped));

    // steps of 1/60 s
    TRY(lyra_system_create_sparse(ctx, model, NULL, &system));
    TRY(lyra_system_state_create(system, &state));
    LyraIntegratorDef settings = lyra_integrator_def_default();
    settings.name = "generalized-alpha";
    TRY(lyra_integrator_create(ctx, &settings, system, &integrator));
    printf("   time       sag   kinetic   elastic  Newton\n");
    for (int step = 1; step <= 300; ++step) {
        LyraStepReport report;
        TRY(lyra_integrator_step(integrator, state, 1.0 / 60, &report));
        if (step % 30 == 0) {
            printf("%5.2f s %6.2f mm %7.4f J %7.4f J  %6d\n", report.time,
                   -1e3 * find_sag(mesh, state), report.kinetic, report.elastic,
                   (int)report.newton_iterations);
        }
    }

    // statics knows where it will rest
    lyra_integrator_destroy(integrator);
    integrator = NULL;
    double swung = find_sag(mesh, state);
    settings.name = "static";
    TRY(lyra_integrator_create(ctx, &settings, system, &integrator));
    TRY(lyra_integrator_step(integrator, state, 1, NULL));
    double rest = find_sag(mesh, state);
    printf("at rest %6.2f mm\n", -1e3 * rest);
    result = fabs(swung - rest) > 0.05 * fabs(rest);
done:
    lyra_integrator_destroy(integrator);
    lyra_state_destroy(state);
    lyra_system_destroy(system);
    lyra_model_destroy(model);
    lyra_solid_destroy(solid);
    lyra_mesh_destroy(mesh);
    lyra_context_destroy(ctx);
    free(masses);
    free(clamped);
    return result;
}
