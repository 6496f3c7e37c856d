// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// An integrator in a scene. docs/extending.md has this program.

#include "extending.h"

// Heun's method: a step of Euler, then the mean of the slopes at its two ends; order 2
typedef struct Heun {
    LyraVector *u, *v, *a; // at the end of Euler's step
} Heun;

static void destroy(void *self)
{
    Heun *heun = self;
    lyra_vector_destroy(heun->u);
    lyra_vector_destroy(heun->v);
    lyra_vector_destroy(heun->a);
    free(heun);
}

static LyraStatus create(LyraContext *ctx, const LyraIntegratorDef *def, LyraSystem *system,
                         void **self)
{
    (void)ctx, (void)def;
    Heun *heun = *self = calloc(1, sizeof *heun); // what is there is destroyed also on failure
    LyraVector **vectors[3] = {heun ? &heun->u : NULL, heun ? &heun->v : NULL,
                               heun ? &heun->a : NULL};
    LyraStatus status = heun ? LYRA_OK : LYRA_OUT_OF_MEMORY;
    for (int i = 0; i < 3 && status == LYRA_OK; ++i) {
        status = lyra_system_vector_create(system, lyra_system_size(system), vectors[i]);
    }
    return status;
}

static LyraStatus step(void *self, LyraIntegrator *driver, LyraState *trial, double dt,
                       LyraStepReport *report)
{
    (void)report;
    Heun *heun = self;
    LyraStateView y = lyra_state_view(trial);
    LyraStatus status = lyra_integrator_acceleration(driver, trial, y.time, y.u, y.v, y.a);
    if (status == LYRA_OK) {
        lyra_vector_sum(dt, y.v, y.u, heun->u); // u + dt v
        lyra_vector_sum(dt, y.a, y.v, heun->v); // v + dt a
        status =
            lyra_integrator_acceleration(driver, trial, y.time + dt, heun->u, heun->v, heun->a);
    }
    if (status == LYRA_OK) {
        lyra_vector_sum(dt / 2, y.v, y.u, y.u);
        lyra_vector_sum(dt / 2, heun->v, y.u, y.u);
        lyra_vector_sum(dt / 2, y.a, y.v, y.v);
        lyra_vector_sum(dt / 2, heun->a, y.v, y.v);
        lyra_vector_copy(heun->a, y.a);
    }
    return status;
}

static const LyraIntegratorType type = {
    .facts = {.name = "heun", .order = 2}, .create = create, .step = step, .destroy = destroy};

int main(void)
{
    LyraContext *ctx = make_context();
    check(lyra_register_integrator(ctx, &type));
    double own = sag(ctx, BEAM("{young: 300 kPa}") "integrator: {name: heun}\n"
                                                   "time: {dt: 0.02, substeps: 200}\n");
    double ours = sag(ctx, BEAM("{young: 300 kPa}") "integrator: {name: rk4}\n"
                                                    "time: {dt: 0.02, substeps: 200}\n");
    printf("a beam sags by %.4f mm, and by %.4f mm with rk4\n", 1e3 * own, 1e3 * ours);
    lyra_context_destroy(ctx);
    return fabs(own / ours - 1) < 1e-3 ? 0 : 1;
}
