// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// `lyra eval --check`: central differences along a fixed random direction. The error of a
// consistent derivative falls by four when the step is halved, until rounding takes over.

#include "eval.h"

#include "lyra/reorder.h"

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
    double scale = eval_norm(probe->dofs, probe->tangent),
           slope = (energy[0] - energy[1]) / (2 * h);
    errors[0] = fabs(slope - probe->slope) / (probe->scale > 0 ? probe->scale : 1);
    errors[1] = eval_norm(probe->dofs, probe->forward) / (scale > 0 ? scale : 1);
    return LYRA_OK;
}

typedef struct Errors {
    double step[STEPS], error[STEPS][2], order[STEPS][2]; // of force and tangent; NaN: none
    double best[2];
    bool conservative;
} Errors;

// slope of the errors between steps 4 h and h, where neither is rounding
static double find_order(double before, double after, double best)
{
    bool truncation = before > 0 && after > 10 * best && after > 1e-12;
    return truncation ? 0.5 * log2(before / after) : NAN;
}

static void print_table(const Errors *errors)
{
    printf("relative errors along a random direction of the size of an edge\n");
    printf("%10s %12s %6s %12s %6s\n", "step", "force", "order", "tangent", "order");
    for (int k = 0; k < STEPS; ++k) {
        printf("%10.3g", errors->step[k]);
        for (int i = 0; i < 2; ++i) {
            printf(" %12.3e", errors->error[k][i]);
            if (isnan(errors->order[k][i])) {
                printf(" %6s", k == 0 ? "" : "-");
            } else {
                printf(" %6.2f", errors->order[k][i]);
            }
        }
        printf("\n");
    }
    printf("best       %12.3e        %12.3e\n", errors->best[0], errors->best[1]);
    if (!errors->conservative) {
        printf("the force of this model is not the gradient of an energy\n");
    }
    if (isinf(errors->best[0]) || isinf(errors->best[1])) {
        printf("energy, force or tangent are not finite at this state\n");
    }
}

static void print_json(const Errors *errors)
{
    static const char *const names[2][2] = {{"force_error", "force_order"},
                                            {"tangent_error", "tangent_order"}};
    CliJson json = {.file = stdout};
    cli_json_open(&json, NULL, '{');
    cli_json_bool(&json, "conservative", errors->conservative);
    cli_json_double(&json, "best_force_error", errors->best[0]);
    cli_json_double(&json, "best_tangent_error", errors->best[1]);
    cli_json_open(&json, "steps", '[');
    for (int k = 0; k < STEPS; ++k) {
        cli_json_open(&json, NULL, '{');
        cli_json_double(&json, "step", errors->step[k]);
        for (int i = 0; i < 2; ++i) {
            cli_json_double(&json, names[i][0], errors->error[k][i]);
            cli_json_double(&json, names[i][1], errors->order[k][i]);
        }
        cli_json_close(&json, '}');
    }
    cli_json_close(&json, ']');
    cli_json_close(&json, '}');
}

static LyraStatus check(const EvalBody *body, Probe *probe, Errors *errors)
{
    apply(body, probe);
    double curvature = 0;
    for (int64_t i = 0; i < probe->dofs; ++i) {
        probe->slope += body->force[i] * probe->direction[i];
        curvature += probe->tangent[i] * probe->direction[i];
    }
    probe->scale = fabs(probe->slope) + fabs(curvature);
    *errors = (Errors){.best = {INFINITY, INFINITY}};
    errors->conservative = body->conservative;
    for (int k = 0; k < STEPS; ++k) {
        errors->step[k] = ldexp(1e-2, -2 * k);
        LyraStatus status = measure(body, probe, errors->step[k], errors->error[k]);
        if (status != LYRA_OK) {
            return status;
        }
        for (int i = 0; i < 2; ++i) {
            errors->best[i] = fmin(errors->best[i], errors->error[k][i]);
        }
    }
    for (int i = 0; i < 2 * STEPS; ++i) {
        int k = i / 2, side = i % 2;
        errors->order[k][side] = k == 0 ? NAN
                                        : find_order(errors->error[k - 1][side],
                                                     errors->error[k][side], errors->best[side]);
    }
    return LYRA_OK;
}

CliExit eval_check(const EvalBody *body, bool json)
{
    int64_t dofs = 3 * (int64_t)body->vertex_count;
    Probe probe = {.dofs = dofs};
    double *memory = cli_allocate((size_t)dofs * 5 * sizeof *memory);
    probe.direction = memory;
    probe.tangent = memory + dofs;
    probe.point = memory + 2 * dofs;
    probe.forward = memory + 3 * dofs;
    probe.backward = memory + 4 * dofs;
    // directions of the size of the first edge, so that steps are strains
    double edge = 1;
    if (body->edge) {
        const double *a = body->positions + 3 * (int64_t)body->edge[0];
        const double *b = body->positions + 3 * (int64_t)body->edge[1];
        edge = sqrt((a[0] - b[0]) * (a[0] - b[0]) + (a[1] - b[1]) * (a[1] - b[1]) +
                    (a[2] - b[2]) * (a[2] - b[2]));
    }
    uint64_t state = 1;
    for (int64_t i = 0; i < dofs; ++i) {
        probe.direction[i] = edge * random_number(&state);
    }
    Errors errors;
    LyraStatus status = check(body, &probe, &errors);
    free(memory);
    if (status != LYRA_OK) {
        return cli_failed();
    }
    if (json) {
        print_json(&errors);
    } else {
        print_table(&errors);
    }
    return cli_finish_output();
}
