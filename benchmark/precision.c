// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// lyra_precision CASE [--quick] [METHOD...]: how much work the integrators need for how much
// precision, on the bar or the sheared cube of hauth.h. Prints a table that `lyra plot` draws:
//
//   steps,h,seconds,evaluations,factorisations,METHOD,METHOD,...
//
// a row for each run, its error in the column of the method and the other columns empty. The error
// is the root of the mean squared distance of the vertices, in m, from where dopri853 takes them at
// a tolerance of 1e-14: after 0.5 s for the bar, after 1 s, when its loads have grown to the full,
// for the cube. Seconds are those of all steps on one thread, the least of the runs that one second
// has room for (at least one). Methods with constant steps run with halved steps, those with error
// control with tightened tolerances. --quick takes one point of each, against a reference after a
// tenth of the time.

#include "hauth.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

// Newton iterates to 1e-10 of the forces and of the body, so that the error is that of the method
#define NEWTON_LIMIT 1e-10
#define SECONDS 1.0

typedef struct Method {
    const char *name;
    bool adaptive;
    int32_t least[2]; // steps of the first run, bar and cube; explicit ones need them to be stable
    int32_t runs[2];
} Method;

static const Method methods[] = {
    {"backward-euler", false, {50, 20}, {8, 7}},
    {"newmark", false, {50, 20}, {8, 7}},
    {"generalized-alpha", false, {50, 20}, {8, 7}},
    {"implicit-midpoint", false, {50, 20}, {8, 7}},
    {"bdf2", false, {50, 20}, {8, 7}},
    {"bdf3", false, {50, 20}, {8, 7}},
    {"bdf4", false, {50, 20}, {8, 7}},
    {"rosenbrock2", false, {50, 20}, {8, 7}},
    {"rosenbrock3", false, {50, 20}, {8, 7}},
    {"rosenbrock4", false, {50, 20}, {8, 7}},
    {"amf-rk32", false, {50, 20}, {8, 7}},
    {"rkc2", false, {100, 80}, {7, 6}},
    {"rock2", false, {100, 80}, {7, 6}},
    {"dopri5", true, {0}, {5, 2}},
    {"dopri853", true, {0}, {5, 2}},
};
enum { METHOD_COUNT = sizeof methods / sizeof methods[0] };

static double seconds_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

// What a run did.
typedef struct Run {
    double seconds;
    int64_t steps, evaluations, factorisations;
} Run;

// a body moved from rest to `end`: in `steps` steps, or by one step within `tolerance`
static LyraStatus run(LyraContext *ctx, HauthCase which, const char *name, double end,
                      int32_t steps, double tolerance, double **u, int32_t *size, Run *out)
{
    Hauth body;
    LyraIntegrator *it = NULL;
    LyraIntegratorDef def = lyra_integrator_def_default();
    def.name = name;
    def.critical = LYRA_CRITICAL_IGNORE;
    def.relative_tolerance = def.absolute_tolerance = tolerance;
    def.newton.residual = def.newton.step = NEWTON_LIMIT;
    def.newton.halvings_max = 0; // a step that fails is a gap in the table
    LyraStatus status = hauth_make(ctx, which, false, &body);
    if (status == LYRA_OK) {
        status = lyra_integrator_create(ctx, &def, body.system, &it);
    }
    *out = (Run){0};
    double begin = seconds_now();
    for (int32_t s = 0; s < steps && status == LYRA_OK; ++s) {
        LyraStepReport report;
        status = lyra_integrator_step(it, body.state, end / steps, &report);
        out->steps += report.substeps;
        out->evaluations += report.evaluations;
        out->factorisations += report.factorisations;
    }
    out->seconds = seconds_now() - begin;
    if (status == LYRA_OK) {
        *size = body.size;
        *u = malloc((size_t)body.size * sizeof **u);
        status = *u ? LYRA_OK : LYRA_OUT_OF_MEMORY;
    }
    if (status == LYRA_OK) {
        memcpy(*u, lyra_vector_values(lyra_state_view(body.state).u), (size_t)*size * sizeof **u);
    }
    lyra_integrator_destroy(it);
    hauth_end(&body);
    return status;
}

// one row; a run that fails gives none
static bool print_row(LyraContext *ctx, HauthCase which, int32_t m, double end, int32_t steps,
                      double tolerance, const double *exact, bool once)
{
    Run best = {.seconds = INFINITY};
    double error = NAN, spent = 0;
    do {
        Run one;
        double *u = NULL;
        int32_t size = 0;
        LyraStatus status =
            run(ctx, which, methods[m].name, end, steps, tolerance, &u, &size, &one);
        if (status != LYRA_OK) {
            fprintf(stderr, "%s, %d steps: %s\n", methods[m].name, (int)steps,
                    lyra_error_message());
            return status == LYRA_NOT_CONVERGED || status == LYRA_NOT_FINITE;
        }
        error = hauth_distance(size, u, exact);
        spent += one.seconds;
        best = one.seconds < best.seconds ? one : best;
        free(u);
    } while (!once && spent + best.seconds < SECONDS);
    printf("%lld,%.6g,%.4g,%lld,%lld", (long long)best.steps, end / (double)best.steps,
           best.seconds, (long long)best.evaluations, (long long)best.factorisations);
    for (int32_t c = 0; c < METHOD_COUNT; ++c) {
        putchar(',');
        if (c == m) {
            printf("%.4g", error);
        }
    }
    putchar('\n');
    fflush(stdout);
    return true;
}

// the rows of one method
static bool print_method(LyraContext *ctx, HauthCase which, int32_t m, double end,
                         const double *exact, bool quick)
{
    const Method *method = &methods[m];
    int32_t runs = quick ? 1 : method->runs[which];
    for (int32_t r = 0; r < runs; ++r) {
        int32_t steps = method->adaptive ? 1 : method->least[which] << r;
        if (!print_row(ctx, which, m, end, steps, pow(10, -3 - 2 * r), exact, quick)) {
            return false;
        }
    }
    return true;
}

static bool is_wanted(const char *name, int count, char **names)
{
    for (int i = 0; i < count; ++i) {
        if (strcmp(names[i], name) == 0) {
            return true;
        }
    }
    return count == 0;
}

int main(int argument_count, char **arguments)
{
    bool bar = argument_count > 1 && strcmp(arguments[1], "bar") == 0;
    bool cube = argument_count > 1 && strcmp(arguments[1], "shear") == 0;
    if (!bar && !cube) {
        fprintf(stderr, "usage: lyra_precision bar|shear [--quick] [METHOD...]\n");
        return 2;
    }
    bool quick = argument_count > 2 && strcmp(arguments[2], "--quick") == 0;
    int first = quick ? 3 : 2;
    HauthCase which = bar ? HAUTH_BAR : HAUTH_SHEAR;
    double end = (bar ? 0.5 : 1.0) * (quick ? 0.1 : 1);
    LyraContextDef def = lyra_context_def_default();
    def.thread_count = 1;
    LyraContext *ctx = NULL;
    double *exact = NULL;
    int32_t size = 0;
    Run reference;
    bool good = lyra_context_create(&def, &ctx) == LYRA_OK &&
                run(ctx, which, "dopri853", end, 1, 1e-14, &exact, &size, &reference) == LYRA_OK;
    if (!good) {
        fprintf(stderr, "lyra_precision: %s\n", lyra_error_message());
    } else {
        printf("steps,h,seconds,evaluations,factorisations");
        for (int32_t m = 0; m < METHOD_COUNT; ++m) {
            printf(",%s", methods[m].name);
        }
        printf("\n");
    }
    for (int32_t m = 0; m < METHOD_COUNT && good; ++m) {
        if (is_wanted(methods[m].name, argument_count - first, arguments + first)) {
            good = print_method(ctx, which, m, end, exact, quick);
        }
    }
    free(exact);
    lyra_context_destroy(ctx);
    return good ? 0 : 1;
}
