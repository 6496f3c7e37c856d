// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// A body with memory that is driven through homogeneous deformation gradients, step by step.

#ifndef LYRA_TEST_PLASTIC_BODY_H
#define LYRA_TEST_PLASTIC_BODY_H

#include "force_cases.h"
#include "lyra/solid.h"

typedef struct PlasticDef {
    const char *model;
    double lambda, mu;
    double size; // of the box of one cell, m
    LyraVolumetric volumetric;
    LyraPlasticityDef plasticity;
} PlasticDef;

static inline PlasticDef plastic_def(double lambda, double mu)
{
    return (PlasticDef){.model = "hencky",
                        .lambda = lambda,
                        .mu = mu,
                        .size = 1,
                        .plasticity = lyra_plasticity_def_default()};
}

static inline Case make_plastic_box(LyraContext *ctx, const PlasticDef *def, LyraElementKind kind,
                                    int32_t nx, int32_t ny, int32_t nz)
{
    LyraMeshShapeDef shape = lyra_mesh_shape_def_default();
    int32_t cells[3] = {nx, ny, nz};
    shape.kind = kind;
    for (int i = 0; i < 3; ++i) {
        shape.cells[i] = cells[i];
        shape.size[i] = def->size * cells[i];
    }
    shape.shuffle = true;
    LyraElasticConstant constants[2] = {{"lambda", def->lambda}, {"mu", def->mu}};
    LyraElasticDef elastic = lyra_elastic_def_default();
    TEST_OK(lyra_material_law_find(def->model, &elastic.model));
    elastic.constants = constants;
    elastic.constant_count = 2;
    elastic.plasticity = &def->plasticity;
    elastic.volumetric = def->volumetric;
    LyraMesh *mesh = NULL;
    LyraForce *force = NULL;
    TEST_OK(lyra_mesh_generate(ctx, &shape, &mesh));
    TEST_OK(lyra_elastic_create(ctx, mesh, &elastic, &force));
    LyraMeshView view = lyra_mesh_view(mesh);
    Case c = make_case(ctx, view.vertex_count, view.positions, force);
    lyra_mesh_destroy(mesh);
    return c;
}

static inline void deform(const Case *c, const double F[9], double *x)
{
    for (int32_t i = 0; i < c->n; ++i) {
        for (int r = 0; r < 3; ++r) {
            x[3 * i + r] = 0;
            for (int k = 0; k < 3; ++k) {
                x[3 * i + r] += F[3 * r + k] * c->rest[3 * i + k];
            }
        }
    }
}

// mean first Piola stress of a box of volume V at F in a step of dt; the energy density
static inline void drive(Case *c, double V, const double F[9], double dt, bool commit, double P[9],
                         double *energy)
{
    double *x = malloc((size_t)c->n * 6 * sizeof *x), *g = x + 3 * c->n, W;
    deform(c, F, x);
    LyraEvaluation evaluation = {.x = x, .dt = dt, .history = c->history, .gradient = g};
    evaluation.energy = &W;
    evaluation.trial_history = commit ? c->history : NULL;
    TEST_OK(lyra_assembly_evaluate(c->assembly, &evaluation));
    for (int k = 0; k < 9; ++k) {
        P[k] = 0;
        for (int32_t i = 0; i < c->n; ++i) {
            P[k] += g[3 * i + k / 3] * c->rest[3 * i + k % 3] / V;
        }
    }
    if (energy) {
        *energy = W / V;
    }
    free(x);
}

// one number of the history of the first element
static inline double remembered(const Case *c, int32_t component)
{
    int32_t count = lyra_force_view(c->force).stencil_count;
    double *values = malloc((size_t)count * sizeof *values), first;
    TEST_OK(lyra_assembly_read_history(c->assembly, 0, component, c->history, values));
    first = values[0];
    free(values);
    return first;
}

// sum over the elements
static inline double remembered_sum(const Case *c, int32_t component)
{
    int32_t count = lyra_force_view(c->force).stencil_count;
    double *values = malloc((size_t)count * sizeof *values), sum = 0;
    TEST_OK(lyra_assembly_read_history(c->assembly, 0, component, c->history, values));
    for (int32_t i = 0; i < count; ++i) {
        sum += values[i];
    }
    free(values);
    return sum;
}

static inline int32_t history_place(const Case *c, const char *name)
{
    const LyraForceType *type = lyra_force_type(c->force);
    for (int32_t i = 0; i < type->history_count; ++i) {
        if (strcmp(type->history_names[i], name) == 0) {
            return i;
        }
    }
    TEST_CHECK_MSG(false, "no history \"%s\"", name);
    return 0;
}

static inline void forget(Case *c)
{
    memset(c->history, 0, (size_t)lyra_assembly_history_size(c->assembly) * sizeof *c->history);
}

// A step to the axial logarithmic strain e with free sides; returns the axial Kirchhoff stress.
// `side`: logarithmic strain of the sides, the start and the answer.
static inline double pull_uniaxial(Case *c, double V, double e, double dt, double *side)
{
    double P[9], step = 1e-4, at = *side, slope = 0, last = 0;
    for (int i = 0; i < 60; ++i) {
        double F[9] = {exp(e), 0, 0, 0, exp(at), 0, 0, 0, exp(at)};
        drive(c, V, F, dt, false, P, NULL);
        double now = P[4] + P[8];
        if (i > 0 && step != 0) {
            slope = (now - last) / step;
        }
        last = now;
        double next = i == 0 ? 1e-4 : slope != 0 ? -now / slope : 0;
        if (i > 0 && fabs(next) < 1e-15) {
            break;
        }
        step = next;
        at += step;
    }
    double F[9] = {exp(e), 0, 0, 0, exp(at), 0, 0, 0, exp(at)};
    drive(c, V, F, dt, true, P, NULL);
    *side = at;
    return P[0] * exp(e);
}

#endif
