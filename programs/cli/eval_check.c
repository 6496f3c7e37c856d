// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// `lyra eval --check`: central differences along a fixed random direction. The error of a
// consistent derivative falls by four when the step is halved, until rounding takes over.

#include "eval.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define STEPS 14

typedef struct Probe {
    double *direction, *tangent; // d and K d, [3n]
    double *point, *forward, *backward;
    double slope, scale; // gradient . d, and that and |d . K d|: what the energy changes by
    int64_t dofs;
} Probe;

static double norm(int64_t n, const double *v)
{
    double sum = 0;
    for (int64_t i = 0; i < n; ++i) {
        sum += v[i] * v[i];
    }
    return sqrt(sum);
}

// numbers in [-1, 1) of a linear congruential generator
static double random_number(uint64_t *state)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (double)(int64_t)*state * 0x1p-63;
}

// K d in the order of the file
static void apply(const EvalBody *body, Probe *probe)
{
    const int32_t *order = lyra_assembly_order(body->assembly);
    lyra_permutation_apply(body->vertex_count, order, 3, probe->direction, probe->forward);
    lyra_block_matrix_multiply(body->K, probe->forward, probe->backward);
    lyra_permutation_undo(body->vertex_count, order, 3, probe->backward, probe->tangent);
}

static void move(const EvalBody *body, Probe *probe, double h)
{
    for (int64_t i = 0; i < probe->dofs; ++i) {
        probe->point[i] = body->x[i] + h * probe->direction[i];
    }
}

// relative errors of slope and tangent at step h
static LyraStatus measure(const EvalBody *body, Probe *probe, double h, double errors[2])
{
    double energy[2];
    move(body, probe, h);
    LyraStatus status = eval_at(body, probe->point, &energy[0], probe->forward, NULL);
    if (status != LYRA_OK) {
        return status;
    }
    move(body, probe, -h);
    status = eval_at(body, probe->point, &energy[1], probe->backward, NULL);
    if (status != LYRA_OK) {
        return status;
    }
    for (int64_t i = 0; i < probe->dofs; ++i) {
        probe->forward[i] = (probe->forward[i] - probe->backward[i]) / (2 * h) - probe->tangent[i];
    }
    double scale = norm(probe->dofs, probe->tangent), slope = (energy[0] - energy[1]) / (2 * h);
    errors[0] = fabs(slope - probe->slope) / (probe->scale > 0 ? probe->scale : 1);
    errors[1] = norm(probe->dofs, probe->forward) / (scale > 0 ? scale : 1);
    return LYRA_OK;
}

// slope of the errors between steps h and h/4, where neither is rounding
static void print_order(double before, double after, double best)
{
    if (before > 0 && after > 10 * best && after > 1e-12) {
        printf(" %6.2f", 0.5 * log2(before / after));
    } else {
        printf(" %6s", "-");
    }
}

static CliExit check(const EvalBody *body, Probe *probe)
{
    LyraStatus status = eval_at(body, body->x, NULL, body->force, body->K);
    if (status != LYRA_OK) {
        return cli_failed();
    }
    apply(body, probe);
    double curvature = 0;
    for (int64_t i = 0; i < probe->dofs; ++i) {
        probe->slope += body->force[i] * probe->direction[i];
        curvature += probe->tangent[i] * probe->direction[i];
    }
    probe->scale = fabs(probe->slope) + fabs(curvature);
    double errors[STEPS][2], best[2] = {INFINITY, INFINITY}, first = 1e-2;
    for (int k = 0; k < STEPS; ++k) {
        status = measure(body, probe, ldexp(first, -2 * k), errors[k]);
        if (status != LYRA_OK) {
            return cli_failed();
        }
        for (int i = 0; i < 2; ++i) {
            best[i] = errors[k][i] < best[i] ? errors[k][i] : best[i];
        }
    }
    bool conservative = lyra_solid_is_conservative(body->solid);
    printf("relative errors along a random direction of the size of an edge\n");
    printf("%10s %12s %6s %12s %6s\n", "step", "force", "order", "tangent", "order");
    for (int k = 0; k < STEPS; ++k) {
        printf("%10.3g", ldexp(first, -2 * k));
        for (int i = 0; i < 2; ++i) {
            printf(" %12.3e", errors[k][i]);
            if (k == 0) {
                printf(" %6s", "");
            } else {
                print_order(errors[k - 1][i], errors[k][i], best[i]);
            }
        }
        printf("\n");
    }
    printf("best       %12.3e        %12.3e\n", best[0], best[1]);
    if (!conservative) {
        printf("the force of this model is not the gradient of an energy\n");
    }
    return cli_finish_output();
}

CliExit eval_check(const EvalBody *body)
{
    int64_t dofs = 3 * (int64_t)body->vertex_count;
    Probe probe = {.dofs = dofs};
    double *memory = calloc((size_t)dofs * 5 + 1, sizeof *memory);
    if (!memory) {
        return cli_fail("out of memory");
    }
    probe.direction = memory;
    probe.tangent = memory + dofs;
    probe.point = memory + 2 * dofs;
    probe.forward = memory + 3 * dofs;
    probe.backward = memory + 4 * dofs;
    // directions of the size of the first edge, so that steps are strains
    LyraMeshView view = lyra_mesh_view(body->mesh);
    double edge = 1;
    if (view.element_count > 0) {
        const double *a = view.positions + 3 * (int64_t)view.elements[0];
        const double *b = view.positions + 3 * (int64_t)view.elements[1];
        edge = sqrt((a[0] - b[0]) * (a[0] - b[0]) + (a[1] - b[1]) * (a[1] - b[1]) +
                    (a[2] - b[2]) * (a[2] - b[2]));
    }
    uint64_t state = 1;
    for (int64_t i = 0; i < dofs; ++i) {
        probe.direction[i] = edge * random_number(&state);
    }
    CliExit exit = check(body, &probe);
    free(memory);
    return exit;
}
