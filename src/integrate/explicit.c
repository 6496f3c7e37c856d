// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Sums of vectors, evaluations, linear solves: what the explicit and the linearly implicit methods
// do at every stage.

#include "integrate/explicit.h"

#include <math.h>
#include <string.h>

// ---- vectors ------------------------------------------------------------------------------------

#define COMBINE_GRAIN 8192
#define COMBINE_CHUNK 256
#define COMBINE_MAX 32

typedef struct Combination {
    int32_t size, pieces, count;
    double c[COMBINE_MAX];
    const double *x[COMBINE_MAX];
    double *y;
} Combination;

static void combine_piece(void *data, int32_t index, int32_t worker)
{
    (void)worker;
    const Combination *sum = data;
    int64_t begin = ly_piece_begin(sum->size, sum->pieces, index);
    int64_t end = ly_piece_begin(sum->size, sum->pieces, index + 1);
    double part[COMBINE_CHUNK];
    for (int64_t i = begin; i < end; i += COMBINE_CHUNK) {
        int32_t n = (int32_t)ly_min_i64(COMBINE_CHUNK, end - i);
        for (int32_t j = 0; j < n; ++j) {
            part[j] = 0;
        }
        for (int32_t k = 0; k < sum->count; ++k) {
            const double *x = sum->x[k] + i;
            double c = sum->c[k];
            for (int32_t j = 0; j < n; ++j) {
                part[j] += c * x[j];
            }
        }
        // y only now, as it may be one of the x
        memcpy(sum->y + i, part, (size_t)n * sizeof *part);
    }
}

void ly_combine(LyraContext *ctx, int32_t count, const double *c, LyraVector *const *x,
                LyraVector *y)
{
    LYRA_ASSERT(count <= COMBINE_MAX);
    Combination sum = {.size = lyra_vector_size(y), .y = lyra_vector_values_mutable(y)};
    for (int32_t k = 0; k < count; ++k) {
        if (c[k] != 0) {
            sum.c[sum.count] = c[k];
            sum.x[sum.count++] = lyra_vector_values(x[k]);
        }
    }
    sum.pieces = ly_piece_count(sum.size, COMBINE_GRAIN);
    ly_parallel_for(ctx, sum.pieces, combine_piece, &sum);
}

#define SQUARES_PIECES 256

typedef struct Squares {
    int32_t size, pieces;
    const double *e, *x, *y;
    double absolute, relative;
    double part[SQUARES_PIECES];
} Squares;

static void squares_piece(void *data, int32_t index, int32_t worker)
{
    (void)worker;
    Squares *squares = data;
    int64_t end = ly_piece_begin(squares->size, squares->pieces, index + 1);
    double sum = 0;
    for (int64_t i = ly_piece_begin(squares->size, squares->pieces, index); i < end; ++i) {
        double size = fmax(fabs(squares->x[i]), fabs(squares->y[i]));
        // what is held, or at zero, meets a tolerance of zero as well
        double e = squares->e[i];
        double ratio = e == 0 ? 0 : e / (squares->absolute + squares->relative * size);
        sum += ratio * ratio;
    }
    squares->part[index] = sum;
}

double ly_weighted_squares(LyraContext *ctx, const LyraVector *e, const LyraVector *x,
                           const LyraVector *y, double absolute, double relative)
{
    Squares squares = {.size = lyra_vector_size(e),
                       .e = lyra_vector_values(e),
                       .x = lyra_vector_values(x),
                       .y = lyra_vector_values(y),
                       .absolute = absolute,
                       .relative = relative};
    int64_t grain = ly_max_i64(COMBINE_GRAIN, squares.size / (SQUARES_PIECES / 2));
    squares.pieces = ly_piece_count(squares.size, grain);
    LYRA_ASSERT(squares.pieces <= SQUARES_PIECES);
    ly_parallel_for(ctx, squares.pieces, squares_piece, &squares);
    double sum = 0;
    for (int32_t i = 0; i < squares.pieces; ++i) {
        sum += squares.part[i];
    }
    return sum;
}

void ly_project(LyraIntegrator *it, LyraVector *x)
{
    const LyraConstraints *constraints = lyra_system_constraints(it->system);
    if (constraints) {
        lyra_constraints_project(constraints, lyra_vector_values_mutable(x));
    }
}

// ---- steps --------------------------------------------------------------------------------------

LyraStatus ly_explicit_acceleration(LyraIntegrator *it, LyraState *trial, double t, double dt,
                                    const LyraVector *u, const LyraVector *v, LyraVector *a)
{
    const double *history = ly_state_history(it, trial);
    if (!(lyra_system_traits(it->system) & LYRA_SYSTEM_UNDAMPED)) {
        LY_TRY(ly_update_damping(it, t, dt, u, v, history));
    }
    return ly_acceleration(it, t, dt, u, v, history, a);
}

LyraStatus ly_explicit_finish(LyraIntegrator *it, LyraState *trial, double t, double dt)
{
    LyraStateView view = lyra_state_view(trial);
    double end = ly_moment(it, t, dt);
    ly_impose(it, end, view.u, view.v);
    ly_merge_constrained(it, it->prescribed[2], view.a);
    if (!lyra_vector_is_finite(view.u) || !lyra_vector_is_finite(view.v)) {
        return ly_step_fail(it, LYRA_STEP_NOT_FINITE,
                            ly_fail(LYRA_NOT_FINITE,
                                    "%s: displacements or velocities are not finite at time %g, "
                                    "after a step of %g",
                                    it->type->facts.name, end, dt));
    }
    return ly_commit_history(it, trial, end, dt);
}

LyraStatus ly_linearise_at(LyraIntegrator *it, LyraState *trial, double t, bool update_damping)
{
    LyraStateView view = lyra_state_view(trial);
    const double *history = ly_state_history(it, trial);
    if (update_damping) {
        LY_TRY(ly_update_damping(it, t, 0, view.u, view.v, history));
    }
    double start = ly_time();
    LyraPoint at = {.time = t, .u = view.u, .v = view.v, .history = history};
    LY_TRY(lyra_system_linearise(it->system, &at, false));
    it->report.assembly_seconds += ly_time() - start;
    return LYRA_OK;
}

bool ly_prescribed_acceleration(LyraIntegrator *it, double t, LyraVector *a)
{
    const LyraConstraints *constraints = lyra_system_constraints(it->system);
    if (!constraints || lyra_constraints_view(constraints).count == 0) {
        return false;
    }
    ly_prescribe(it, t);
    lyra_vector_fill(a, 0);
    ly_merge_constrained(it, it->prescribed[2], a);
    return true;
}

LyraStatus ly_linear_form(LyraIntegrator *it, double a, double b, double c)
{
    double start = ly_time();
    LyraStatus status = lyra_system_form(it->system, a, b, c);
    it->report.solve_seconds += ly_time() - start;
    it->report.factorisations += 1;
    return status == LYRA_OK ? LYRA_OK : ly_step_fail(it, LYRA_STEP_SOLVER, status);
}

LyraStatus ly_linear_solve(LyraIntegrator *it, const LyraVector *b, double tolerance, LyraVector *x)
{
    double start = ly_time();
    LyraSolveReport report = {.solver = ""};
    LyraStatus status = lyra_system_solve(it->system, b, tolerance, x, &report);
    it->report.solve_seconds += ly_time() - start;
    it->report.linear_iterations += report.iterations;
    it->report.solver = report.solver ? report.solver : "";
    if (status == LYRA_NOT_FINITE && !lyra_vector_is_finite(b)) {
        return ly_step_fail(it, LYRA_STEP_NOT_FINITE,
                            ly_fail(LYRA_NOT_FINITE,
                                    "the forces in a step from %g s are not finite",
                                    lyra_state_view(it->work).time));
    }
    return status == LYRA_OK ? LYRA_OK : ly_step_fail(it, LYRA_STEP_SOLVER, status);
}
