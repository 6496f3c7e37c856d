// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Bodies that were mistreated, and whether they recover. A free cube of 3,072 tets (0.4 m, E = 0.1
// MPa, 1000 kg/m^3) is put into a bad state at rest and stepped by backward Euler, h = 1/30 s;
// nothing damps but the method. All settings are those that come by default.
//
// Measure: after the rigid motion that fits best in the least squares, the largest distance of a
// vertex from where it belongs, over the edge of the body. It has recovered when that is below
// 1e-3; it may take STEPS_MAX steps.

#ifndef INTEGRATE_ROBUST_H
#define INTEGRATE_ROBUST_H

#include "integrate_cases.h"
#include "lyra/math3.h"

typedef enum Damage { STREWN, FLATTENED, COLLAPSED, DAMAGE_COUNT } Damage;

typedef struct Law {
    const char *name;
    LyraInversion inversion;
    // of what; by default 8^3 cells of six tets
    LyraElementKind kind;
    LyraVolumetric volumetric;
    int32_t cells;
} Law;

static const Law laws[] = {
    {.name = "neo-hookean", .inversion = LYRA_INVERSION_EXTEND},
    {.name = "neo-hookean", .inversion = LYRA_INVERSION_CLAMP},
    {.name = "stvk", .inversion = LYRA_INVERSION_EXTEND},
    {.name = "stvk", .inversion = LYRA_INVERSION_CLAMP},
    {.name = "stable-neo-hookean", .inversion = LYRA_INVERSION_EXTEND},
    {.name = "stable-neo-hookean", .inversion = LYRA_INVERSION_NONE},
};
#define LAW_COUNT ((int32_t)(sizeof laws / sizeof laws[0]))

#define CELLS 8
#define EDGE 0.4
#define STEPS_MAX 400
#define RECOVERED 1e-3

typedef struct Recovery {
    bool recovered, finite;
    LyraStatus status;
    int32_t steps, iterations, most, rejected;
    double distance;
} Recovery;

static inline const char *damage_name(Damage damage)
{
    static const char *const names[] = {"strewn", "flattened", "collapsed"};
    return names[damage];
}

// where all vertices are put
static inline void damage_body(const Body *body, Damage damage, uint64_t seed)
{
    TestRandom random = test_random(seed);
    const double *X = lyra_mesh_view(body->mesh).positions;
    double R[9], point[3], *u = body_u(body);
    test_random_rotation(&random, R);
    for (int k = 0; k < 3; ++k) {
        point[k] = test_random_in(&random, -0.5 * EDGE, 0.5 * EDGE);
    }
    for (int32_t i = 0; i < body->vertex_count; ++i) {
        // R^T e_x is the normal of a random plane through the point
        const double *x = X + 3 * i;
        double height = 0;
        for (int k = 0; k < 3; ++k) {
            height += R[k] * (x[k] - point[k]);
        }
        for (int k = 0; k < 3; ++k) {
            double strewn = test_random_in(&random, -0.5 * EDGE, 0.5 * EDGE) - x[k];
            u[3 * i + k] = damage == STREWN      ? strewn
                           : damage == FLATTENED ? -height * R[k]
                                                 : point[k] - x[k];
        }
    }
}

// the measure above; NaN stays NaN
static inline double find_distance(const Body *body)
{
    const double *X = lyra_mesh_view(body->mesh).positions, *u = body_u(body);
    double C[3] = {0, 0, 0}, c[3] = {0, 0, 0}, worst = 0;
    int32_t n = body->vertex_count;
    for (int32_t i = 0; i < 3 * n; ++i) {
        C[i % 3] += X[i] / n;
        c[i % 3] += (X[i] + u[i]) / n;
    }
    LyraMat3 A = {{{0}}};
    for (int32_t i = 0; i < n; ++i) {
        for (int k = 0; k < 9; ++k) {
            int p = 3 * i + k / 3, q = 3 * i + k % 3;
            A.m[k / 3][k % 3] += (X[p] + u[p] - c[k / 3]) * (X[q] - C[k % 3]);
        }
    }
    LyraMat3 R = lyra_mat3_polar(A);
    for (int32_t i = 0; i < n; ++i) {
        double square = 0;
        for (int k = 0; k < 3; ++k) {
            double d = X[3 * i + k] + u[3 * i + k] - c[k];
            for (int j = 0; j < 3; ++j) {
                d -= R.m[k][j] * (X[3 * i + j] - C[j]);
            }
            square += d * d;
        }
        worst = square <= worst ? worst : square;
    }
    return sqrt(worst) / EDGE;
}

static inline Recovery recover(LyraContext *ctx, const Law *law, Damage damage, double poisson,
                               uint64_t seed)
{
    Recovery result = {.finite = true, .distance = NAN};
    BodyDef settings = body_def();
    settings.model = law->name;
    settings.inversion = law->inversion;
    settings.fixed = false;
    settings.poisson = poisson;
    settings.kind = law->kind;
    settings.volumetric = law->volumetric;
    int32_t cells = law->cells > 0 ? law->cells : CELLS;
    settings.edge = EDGE / cells;
    settings.cells[0] = settings.cells[1] = settings.cells[2] = cells;
    Body body;
    LyraIntegrator *it = NULL;
    LyraIntegratorDef def = lyra_integrator_def_default();
    if (make_body(ctx, &settings, &body) &&
        TEST_OK(lyra_integrator_create(ctx, &def, body.system, &it))) {
        damage_body(&body, damage, seed);
        while (result.steps < STEPS_MAX && result.status == LYRA_OK && !result.recovered) {
            LyraStepReport report;
            result.status = lyra_integrator_step(it, body.state, 1.0 / 30, &report);
            ++result.steps;
            result.iterations += report.newton_iterations;
            result.rejected += report.rejected;
            result.most =
                report.newton_iterations > result.most ? report.newton_iterations : result.most;
            result.distance = find_distance(&body);
            result.finite = result.finite && lyra_vector_is_finite(lyra_state_view(body.state).u) &&
                            lyra_vector_is_finite(lyra_state_view(body.state).v) &&
                            isfinite(report.elastic) && isfinite(report.kinetic);
            result.recovered = result.distance < RECOVERED;
        }
    }
    lyra_integrator_destroy(it);
    end_body(&body);
    return result;
}

// `count` seeds of one law from `first` on, all of which must recover
static inline void check_law_recovers(const Law *law, Damage damage, double poisson, int32_t first,
                                      int32_t count)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    int32_t good = 0, steps = 0, iterations = 0, most = 0, halved = 0;
    for (int32_t seed = first; seed < first + count; ++seed) {
        Recovery r = recover(ctx, law, damage, poisson, (uint64_t)seed);
        TEST_CHECK_MSG(r.finite, "%s, inversion %d, %s, seed %d: not finite", law->name,
                       (int)law->inversion, damage_name(damage), (int)seed);
        TEST_OK(r.status);
        if (!r.recovered) {
            printf("%s, inversion %d, %s, seed %d: distance %.3g after %d steps\n", law->name,
                   (int)law->inversion, damage_name(damage), (int)seed, r.distance, (int)r.steps);
        }
        good += r.recovered;
        steps += r.steps;
        iterations += r.iterations;
        most = r.most > most ? r.most : most;
        halved += r.rejected > 0;
    }
    printf("%s, inversion %d, nu %g, %s: %d of %d recovered, %.1f steps and %.0f iterations each, "
           "at most "
           "%d in a step, %d halved\n",
           law->name, (int)law->inversion, poisson, damage_name(damage), (int)good, (int)count,
           (double)steps / count, (double)iterations / count, (int)most, (int)halved);
    TEST_CHECK_MSG(good == count, "%s, inversion %d, %s: %d of %d recovered", law->name,
                   (int)law->inversion, damage_name(damage), (int)good, (int)count);
    test_context_end(ctx);
}

static inline void check_recovery_of(int32_t which, Damage damage, double poisson, int32_t first,
                                     int32_t count)
{
    check_law_recovers(&laws[which], damage, poisson, first, count);
}

// seeds 1 .. count
static inline void check_recovery(int32_t which, Damage damage, double poisson, int32_t count)
{
    check_recovery_of(which, damage, poisson, 1, count);
}

#endif
