// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// A tet with corners at the origin and at the ends of the axes: x = F X. With its forces g_a at the
// corners a, P = sum g_a X_a^T / V and dP_ij/dF_kl = sum X_aj K_(ai)(bk) X_bl / V.

#include "point.h"

#include "cli.h"
#include "lyra/reorder.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define VOLUME (1.0 / 6)
#define NEWTON_STEPS 100
#define HALVINGS 40

static const double corners[12] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1};

// ---- making it ----------------------------------------------------------------------------------

static LyraStatus make_point(CliPoint *point, const LyraSolidDef *def,
                             const LyraViscosityDef *viscous)
{
    static const int32_t tet[4] = {0, 1, 2, 3};
    LyraMeshView data = {.kind = LYRA_ELEMENT_TET4,
                         .vertex_count = 4,
                         .element_count = 1,
                         .positions = corners,
                         .elements = tet};
    LyraStatus status = lyra_mesh_create(point->ctx, &data, &point->mesh);
    if (status == LYRA_OK) {
        status = lyra_solid_create(point->ctx, point->mesh, def, &point->solid);
    }
    if (status == LYRA_OK && viscous) {
        status = lyra_viscosity_create(point->ctx, point->mesh, viscous, &point->viscous);
    }
    if (status != LYRA_OK) {
        return status;
    }
    LyraForce *const *forces = lyra_solid_forces(point->solid, &point->force_count);
    memcpy(point->forces, forces, (size_t)point->force_count * sizeof(LyraForce *));
    if (viscous) {
        point->forces[point->force_count++] = point->viscous;
    }
    status = lyra_assembly_create(point->ctx, 4, corners, point->force_count, point->forces,
                                  &point->assembly);
    if (status == LYRA_OK) {
        status = lyra_block_matrix_create(lyra_assembly_pattern(point->assembly), &point->K);
    }
    if (status == LYRA_OK) {
        status = lyra_block_matrix_create(lyra_assembly_pattern(point->assembly), &point->C);
    }
    return status;
}

LyraStatus cli_point_create(LyraContext *ctx, const LyraSolidDef *def,
                            const LyraViscosityDef *viscous, CliPoint **out)
{
    CliPoint *point = cli_allocate(sizeof *point);
    *point = (CliPoint){.ctx = ctx, .F = {1, 0, 0, 0, 1, 0, 0, 0, 1}};
    LyraStatus status = make_point(point, def, viscous);
    if (status != LYRA_OK) {
        cli_point_destroy(point);
        return status;
    }
    point->history_size = lyra_assembly_history_size(point->assembly);
    point->history = cli_allocate((size_t)point->history_size * 2 * sizeof(double));
    point->trial = point->history + point->history_size;
    lyra_assembly_history_init(point->assembly, point->history);
    *out = point;
    return LYRA_OK;
}

void cli_point_destroy(CliPoint *point)
{
    if (point) {
        lyra_block_matrix_destroy(point->K);
        lyra_block_matrix_destroy(point->C);
        lyra_assembly_destroy(point->assembly);
        lyra_force_destroy(point->viscous);
        lyra_solid_destroy(point->solid);
        lyra_mesh_destroy(point->mesh);
        free(point->history);
        free(point);
    }
}

// ---- stress and its derivative ------------------------------------------------------------------

// positions at F, and velocities of a step of dt from the last F
static void place(const CliPoint *point, const double F[9], double dt, double x[12], double v[12])
{
    for (int i = 0; i < 12; ++i) {
        const double *X = corners + i / 3 * 3, *row = F + i % 3 * 3;
        const double *before = point->F + i % 3 * 3;
        x[i] = v[i] = 0;
        for (int k = 0; k < 3; ++k) {
            x[i] += row[k] * X[k];
            v[i] += dt > 0 ? (row[k] - before[k]) * X[k] / dt : 0;
        }
    }
}

static void find_stress(const double g[12], double P[9])
{
    for (int k = 0; k < 9; ++k) {
        P[k] = 0;
        for (int a = 0; a < 4; ++a) {
            P[k] += g[3 * a + k / 3] * corners[3 * a + k % 3] / VOLUME;
        }
    }
}

// adds `factor` times the derivative that a matrix of the assembly holds
static void add_tangent(const CliPoint *point, const LyraBlockMatrix *K, double factor,
                        double tangent[81])
{
    const int32_t *order = lyra_assembly_order(point->assembly);
    for (int c = 0; c < 9; ++c) {
        // K times the motion with F_kl = 1 alone
        double d[12], inner[12], product[12], force[12], P[9];
        for (int i = 0; i < 12; ++i) {
            d[i] = i % 3 == c / 3 ? corners[i / 3 * 3 + c % 3] : 0;
        }
        lyra_permutation_apply(4, order, 3, d, inner);
        lyra_block_matrix_multiply(K, inner, product);
        lyra_permutation_undo(4, order, 3, product, force);
        find_stress(force, P);
        for (int r = 0; r < 9; ++r) {
            tangent[9 * r + c] += factor * P[r];
        }
    }
}

LyraStatus cli_point_stress(CliPoint *point, const double F[9], double dt, double P[9],
                            double tangent[81])
{
    double x[12], v[12], g[12];
    place(point, F, dt, x, v);
    LyraEvaluation evaluation = {
        .x = x,
        .v = v,
        .time = point->time + dt,
        .dt = dt,
        .history = point->history,
        .gradient = g,
        .dfdx = tangent ? point->K : NULL,
        .dfdv = tangent && dt > 0 ? point->C : NULL,
    };
    LyraStatus status = lyra_assembly_evaluate(point->assembly, &evaluation);
    if (status != LYRA_OK) {
        return status;
    }
    find_stress(g, P);
    if (tangent) {
        memset(tangent, 0, 81 * sizeof *tangent);
        add_tangent(point, point->K, 1, tangent);
        if (dt > 0) {
            add_tangent(point, point->C, 1 / dt, tangent);
        }
    }
    return LYRA_OK;
}

// ---- steps --------------------------------------------------------------------------------------

double cli_point_history(const CliPoint *point, const char *name)
{
    for (int32_t f = 0; f < point->force_count; ++f) {
        const LyraForceType *type = lyra_force_type(point->forces[f]);
        for (int32_t i = 0; i < type->history_count; ++i) {
            double value;
            if (strcmp(type->history_names[i], name) == 0 &&
                lyra_assembly_read_history(point->assembly, f, i, point->history, &value) ==
                    LYRA_OK) {
                return value;
            }
        }
    }
    return NAN;
}

// what forces with history have lost so far, J/m^3
static LyraStatus find_lost(const CliPoint *point, double *lost)
{
    *lost = 0;
    for (int32_t f = 0; f < point->force_count; ++f) {
        const LyraForceType *type = lyra_force_type(point->forces[f]);
        if (type->traits & LYRA_FORCE_LOSES) {
            double value;
            LyraStatus status = lyra_assembly_read_history(
                point->assembly, f, type->history_count - 1, point->history, &value);
            if (status != LYRA_OK) {
                return status;
            }
            *lost += value / VOLUME;
        }
    }
    return LYRA_OK;
}

// tau and Cauchy stress from P and F
static void push_forward(CliPoint *point)
{
    const double *F = point->F;
    double J = F[0] * (F[4] * F[8] - F[5] * F[7]) - F[1] * (F[3] * F[8] - F[5] * F[6]) +
               F[2] * (F[3] * F[7] - F[4] * F[6]);
    for (int k = 0; k < 9; ++k) {
        int i = k / 3, j = k % 3;
        point->tau[k] = 0;
        for (int l = 0; l < 3; ++l) {
            point->tau[k] += point->P[3 * i + l] * F[3 * j + l];
        }
        point->cauchy[k] = J != 0 ? point->tau[k] / J : NAN;
    }
}

LyraStatus cli_point_step(CliPoint *point, const double F[9], double time)
{
    double dt = time - point->time, x[12], v[12], g[12], without[12], still[12] = {0}, energy;
    place(point, F, dt, x, v);
    LyraEvaluation evaluation = {
        .x = x,
        .v = v,
        .time = time,
        .dt = dt,
        .history = point->history,
        .trial_history = point->history_size > 0 ? point->trial : NULL,
        .energy = &energy,
        .gradient = g,
    };
    LyraStatus status = lyra_assembly_evaluate(point->assembly, &evaluation);
    if (status != LYRA_OK) {
        return status;
    }
    // the same at rest, from what is kept
    double before = 0, after = 0, stored, P[9], still_P[9];
    status = find_lost(point, &before);
    memcpy(point->history, point->trial, (size_t)point->history_size * sizeof(double));
    evaluation = (LyraEvaluation){
        .x = x, .v = still, .time = time, .history = point->history, .energy = &stored};
    if (status == LYRA_OK) {
        status = lyra_assembly_evaluate(point->assembly, &evaluation);
    }
    if (status == LYRA_OK) {
        status = find_lost(point, &after);
    }
    if (status != LYRA_OK) {
        return status;
    }
    find_stress(g, P);
    point->dissipated += after - before;
    for (int k = 0; k < 9; ++k) {
        point->work += 0.5 * (P[k] + point->P[k]) * (F[k] - point->F[k]);
    }
    if (point->viscous) {
        // the work of the stress that the rate makes
        evaluation = (LyraEvaluation){.x = x,
                                      .v = still,
                                      .time = time,
                                      .dt = dt,
                                      .history = point->history,
                                      .gradient = without};
        status = lyra_assembly_evaluate(point->assembly, &evaluation);
        find_stress(without, still_P);
        for (int k = 0; k < 9 && status == LYRA_OK; ++k) {
            point->dissipated += (P[k] - still_P[k]) * (F[k] - point->F[k]);
        }
    }
    point->stored = stored / VOLUME;
    point->potential = energy / VOLUME;
    point->time = time;
    memcpy(point->P, P, sizeof P);
    memcpy(point->F, F, sizeof point->F);
    push_forward(point);
    return status;
}

// ---- free sides ---------------------------------------------------------------------------------

// places of F_11, F_22, F_33
static const int diagonal[3] = {0, 4, 8};

// what Newton's method is to bring to zero: the stresses along `free` less `target`
static double find_residual(const double P[9], const double target[3], int first, double r[3])
{
    double square = 0;
    for (int i = first; i < 3; ++i) {
        r[i] = P[diagonal[i]] - target[i];
        square += r[i] * r[i];
    }
    return sqrt(square);
}

// solves the rows and columns from `first` on of a 3x3 system by elimination with pivots
static bool solve(int first, double A[3][3], double b[3])
{
    for (int k = first; k < 3; ++k) {
        int pivot = k;
        for (int i = k + 1; i < 3; ++i) {
            pivot = fabs(A[i][k]) > fabs(A[pivot][k]) ? i : pivot;
        }
        if (!(fabs(A[pivot][k]) > 0)) {
            return false;
        }
        for (int j = 0; j < 3; ++j) {
            double t = A[k][j];
            A[k][j] = A[pivot][j];
            A[pivot][j] = t;
        }
        double t = b[k];
        b[k] = b[pivot];
        b[pivot] = t;
        for (int i = first; i < 3; ++i) {
            double factor = i == k ? 0 : A[i][k] / A[k][k];
            for (int j = k; j < 3; ++j) {
                A[i][j] -= factor * A[k][j];
            }
            b[i] -= factor * b[k];
        }
    }
    for (int k = first; k < 3; ++k) {
        b[k] /= A[k][k];
    }
    return true;
}

// Finds the stretches from `first` on for which the stresses along them are `target`.
static LyraStatus find_stretches(CliPoint *point, double F[9], double dt, int first,
                                 const double target[3], double *left)
{
    double P[9], tangent[81], r[3], scale = 0;
    for (int step = 0; step < NEWTON_STEPS; ++step) {
        LyraStatus status = cli_point_stress(point, F, dt, P, tangent);
        if (status != LYRA_OK) {
            return status;
        }
        double A[3][3] = {{0}}, d[3] = {0};
        double size = find_residual(P, target, first, r);
        for (int i = first; i < 3; ++i) {
            for (int j = first; j < 3; ++j) {
                A[i][j] = tangent[9 * diagonal[i] + diagonal[j]];
                scale = fmax(scale, fabs(A[i][j]));
            }
            d[i] = -r[i];
        }
        *left = size;
        if (size <= 1e-14 * scale) {
            break;
        }
        if (!solve(first, A, d)) {
            break;
        }
        // no stretch falls below a half or doubles, and the residual falls
        double part = 1, tried[9], next = INFINITY;
        for (int i = first; i < 3; ++i) {
            part = fmin(part, 0.5 * fabs(F[diagonal[i]]) / fmax(fabs(d[i]), 1e-300));
        }
        for (int k = 0; k < HALVINGS && !(next < size); ++k, part *= 0.5) {
            memcpy(tried, F, sizeof tried);
            for (int i = first; i < 3; ++i) {
                tried[diagonal[i]] += part * d[i];
            }
            status = cli_point_stress(point, tried, dt, P, NULL);
            if (status != LYRA_OK) {
                return status;
            }
            next = find_residual(P, target, first, r);
        }
        if (!(next < size)) {
            break;
        }
        memcpy(F, tried, sizeof tried);
        *left = next;
    }
    *left = scale > 0 ? *left / scale : NAN;
    return LYRA_OK;
}

static LyraStatus step_free(CliPoint *point, double F[9], double time, int first, double stress)
{
    const double target[3] = {stress, 0, 0};
    double left = NAN;
    LyraStatus status = find_stretches(point, F, time - point->time, first, target, &left);
    if (status != LYRA_OK) {
        return status;
    }
    return left <= 1e-9 ? cli_point_step(point, F, time) : LYRA_NOT_CONVERGED;
}

LyraStatus cli_point_pull(CliPoint *point, double stretch, double time)
{
    double F[9];
    memcpy(F, point->F, sizeof F);
    // the sides follow at constant volume, as a start
    double ratio = stretch / F[0], narrower = ratio > 0 ? 1 / sqrt(ratio) : 1;
    F[0] = stretch;
    F[4] *= narrower;
    F[8] *= narrower;
    return step_free(point, F, time, 1, 0);
}

LyraStatus cli_point_load(CliPoint *point, double stress, double time)
{
    double F[9];
    memcpy(F, point->F, sizeof F);
    return step_free(point, F, time, 0, stress);
}
