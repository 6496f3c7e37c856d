// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// The solver "gmres": generalised minimal residuals with restarts, for any regular matrix,
// preconditioned from the right, so that the residual it minimises is that of the system [SS86].
// The basis is orthogonalised twice, which keeps it orthogonal to rounding. Each cycle starts from
// the true residual; cycles that gain nothing end the iteration.

#include "solve/krylov.h"

#include <math.h>
#include <string.h>

#define STALLS_MAX 3

typedef struct Cycle {
    double *V;       // basis, [restart + 1][size]
    double *w, *z;   // [size]
    double *H;       // triangle, column j at H + j (restart + 1)
    double *c, *s;   // rotations
    double *g, *y;   // right-hand side and solution of the small system
    int64_t columns; // made in this cycle
} Cycle;

// column j of the Hessenberg matrix into h, the next basis vector into V; its length
static double extend(const LyKrylov *krylov, const Cycle *cycle, int64_t j, double *h)
{
    LyraContext *ctx = krylov->ctx;
    int64_t n = krylov->size;
    double *next = cycle->V + (j + 1) * n;
    ly_krylov_precondition(krylov, cycle->V + j * n, cycle->z);
    lyra_operator_apply(&krylov->A, cycle->z, next);
    memset(h, 0, (size_t)(j + 1) * sizeof(double));
    for (int round = 0; round < 2; ++round) {
        for (int64_t i = 0; i <= j; ++i) {
            double along = ly_vector_dot(ctx, n, cycle->V + i * n, next);
            h[i] += along;
            ly_vector_axpby(ctx, n, -along, cycle->V + i * n, 1.0, next);
        }
    }
    return ly_vector_norm(ctx, n, next);
}

// x += B V y with the triangle H y = g; zero pivots (a singular matrix) count nothing
static void add_solution(const LyKrylov *krylov, const Cycle *cycle, double *x)
{
    LyraContext *ctx = krylov->ctx;
    int64_t n = krylov->size, height = krylov->restart + 1;
    double largest = 0.0;
    for (int64_t i = 0; i < cycle->columns; ++i) {
        largest = fmax(largest, fabs(cycle->H[i + i * height]));
    }
    for (int64_t i = cycle->columns - 1; i >= 0; --i) {
        double sum = cycle->g[i];
        for (int64_t k = i + 1; k < cycle->columns; ++k) {
            sum -= cycle->H[i + k * height] * cycle->y[k];
        }
        double pivot = cycle->H[i + i * height];
        cycle->y[i] = fabs(pivot) > 1e-15 * largest ? sum / pivot : 0.0;
    }
    memset(cycle->w, 0, (size_t)n * sizeof(double));
    for (int64_t i = 0; i < cycle->columns; ++i) {
        ly_vector_axpby(ctx, n, cycle->y[i], cycle->V + i * n, 1.0, cycle->w);
    }
    ly_krylov_precondition(krylov, cycle->w, cycle->z);
    ly_vector_axpby(ctx, n, 1.0, cycle->z, 1.0, x);
}

// one cycle from the residual, of norm `start`
static LyraStatus run(LyKrylov *krylov, double start, double target, const double *b, double *x,
                      LyraSolveReport *report)
{
    (void)b;
    LyraContext *ctx = krylov->ctx;
    int64_t n = krylov->size, m = krylov->restart;
    Cycle whole = {.V = krylov->work, .w = krylov->work + (m + 1) * n, .H = krylov->small};
    Cycle *cycle = &whole;
    cycle->z = cycle->w + n;
    cycle->c = cycle->H + (m + 1) * m;
    cycle->s = cycle->c + m + 1;
    cycle->g = cycle->s + m + 1;
    cycle->y = cycle->g + m + 1;
    ly_vector_axpby(ctx, n, 1.0 / start, cycle->V, 0.0, cycle->V);
    cycle->g[0] = start;
    for (int64_t j = 0; j < m && j < n && report->iterations < krylov->iterations_max; ++j) {
        double *h = cycle->H + j * (m + 1), length = extend(krylov, cycle, j, h);
        ++report->iterations;
        if (!isfinite(length)) {
            return ly_krylov_not_finite(krylov);
        }
        double size = length;
        for (int64_t i = 0; i <= j; ++i) {
            size = hypot(size, h[i]);
        }
        for (int64_t i = 0; i < j; ++i) {
            double upper = h[i], lower = h[i + 1];
            h[i] = cycle->c[i] * upper + cycle->s[i] * lower;
            h[i + 1] = cycle->c[i] * lower - cycle->s[i] * upper;
        }
        double gamma = hypot(h[j], length);
        cycle->c[j] = gamma > 0.0 ? h[j] / gamma : 1.0;
        cycle->s[j] = gamma > 0.0 ? length / gamma : 0.0;
        h[j] = gamma;
        cycle->g[j + 1] = -cycle->s[j] * cycle->g[j];
        cycle->g[j] *= cycle->c[j];
        cycle->columns = j + 1;
        // done, or the basis is whole
        if (fabs(cycle->g[j + 1]) <= target || length <= 1e-15 * size) {
            break;
        }
        double *next = cycle->V + (j + 1) * n;
        ly_vector_axpby(ctx, n, 1.0 / length, next, 0.0, next);
    }
    add_solution(krylov, cycle, x);
    return LYRA_OK;
}

static LyraStatus gmres(LyKrylov *krylov, const double *b, double b_norm, double *x,
                        LyraSolveReport *report)
{
    return ly_krylov_repeat(krylov, run, 0.999, STALLS_MAX, b, b_norm, x, report);
}

static LyraStatus create(LyraContext *ctx, const LyraSolverDef *def, void **self)
{
    return ly_krylov_create(ctx, def, "gmres", gmres, false, 3, true, self);
}

const LyraSolverType ly_solver_gmres = {
    .name = "gmres",
    .traits = LYRA_SOLVES_BLOCK | LYRA_SOLVES_CSR | LYRA_SOLVES_DENSE | LYRA_SOLVES_CALLBACK |
              LYRA_SOLVES_UNSYMMETRIC | LYRA_SOLVES_INDEFINITE,
    .create = create,
    LY_KRYLOV_FUNCTIONS,
};
