// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// "auto" on symmetric block matrices: conjugate gradients with sweeps ("pcg") or with a kept factor
// (kept.h), whichever has shown to be cheaper. How many iterations sweeps take is seen only by
// trying: a cube takes 50 where a crane of the same size takes 2,000, and a factor does not care.
//
// Costs are counted, not measured, so that runs repeat: numbers that are touched and multiplied,
// times the constants below. Only their ratios matter.
//
//   - Inside a solve, after LOOK of the cost of a factor: sweeps that by their progress would cost
//     more than a factor from there on (half of one in statics) are left for it, after a second
//     look. So little is lost where they are hopeless.
//   - From solve to solve, what sweeps cost above a kept factor adds up, and when it has come to
//     the cost of a factor, one is made: the rule for hiring or buying, never worse than twice
//     the best.
//   - A factor is renewed when the last solve with it cost more than the mean since it was made,
//     its making included: that is where the mean is least. The next ones serve for as many solves
//     but one in PROBE, which finds out whether it may be more.
//   - When the mean of such a cycle is above what sweeps cost, these come back, and it takes twice
//     as much to leave them again.
//
// What this remembers from solve to solve is few numbers, and the matrix that was factored: who
// restarts gives both back by recall().

#include "lyra/reorder.h"
#include "solve/kept.h"
#include "solve/pcg.h"

#include <math.h>
#include <string.h>

// cost, in ns on a core that was measured
#define SWEEP 5.5         // a block in an iteration with sweeps
#define SWEEP_COARSE 11.0 // ... with a coarse space
#define COPY 34.0         // a block on its way to the copy that is swept
#define COPY_COARSE 180.0 // ... and to its coarse space
#define PRODUCT 6.0       // a block in a product with the matrix
#define ENTRY 0.9         // a number of the factor in a solve
#define FLOP 0.032        // of factoring
#define GATHER 120.0      // a block on its way to a factor
#define ANALYSIS 1150.0   // a block in the analysis of a factor

// an estimate of the factor before its analysis: V vertices in sections of s each give
#define ENTRIES_GUESS 60.0 // x V s^(1/2) numbers
#define FLOPS_GUESS 240.0  // x V s^(3/2) operations

#define LOOK 0.15        // part of the cost of a factor after which sweeps are looked at
#define HOPE_STATICS 0.5 // ... that they may still cost then; the factor will serve again
#define HOPE_DYNAMICS 1.0
#define SLOW 0.05         // progress so small that one look is enough
#define KEPT_ITERATIONS 4 // that a kept factor is expected to take
#define KEPT_SOLVES 10    // that it is expected to serve
#define ENTRIES_MAX 4e8   // numbers above which no factor is made: 3.2 GB
#define BACK 1.1          // times the cost of sweeps that a cycle may cost
#define PROBE 8           // cycles of which one may be longer than those before
#define ITERATIONS_LEAST 8
#define STATICS_TOLERANCE 1e-9 // most, in statics
#define STALLED 1e-6           // ... that sweeps may
#define ROUNDED 1e-4           // residual that a factor may leave by rounding
#define CURRENT_ITERATIONS 2   // of a factor of the very values

typedef struct Adaptive {
    LyraContext *ctx;
    LyraSolverDef def;
    LyraOperator A;
    const LyraConstraints *constraints;
    void *sweeps; // a "pcg"
    bool swept;   // it has the values of A
    bool fresh;   // ... and has not been asked yet
    LyKept kept;
    LyWatch watch;
    double *work; // [2 size]
    double blocks;
    double entries, flops;  // of the factor: estimated until it is analyzed; 0: not yet
    bool held;              // factor() is given what it had before
    bool unreported;        // no solve has told of the factor yet
    uint64_t serial;        // of the factor
    bool doubted;           // the last look at sweeps found them too slow
    double predicted;       // cost of the solve with sweeps that was left
    LyraSolveReport report; // of the sweeps' factor
    // memory
    bool keeps, due;       // a factor serves; the next values get a new one
    double regret;         // what sweeps cost above a factor so far
    double seen;           // cost of a solve with a kept factor, its making included; 0: not known
    double mean;           // cost of a solve with sweeps
    double patience;       // times the cost of a factor that is borne
    double cycle, solves;  // cost and number of solves since the factor was made
    double length, cycles; // solves that a factor is good for, 0: not known; cycles so far
} Adaptive;

// ---- costs --------------------------------------------------------------------------------------

// cost of sweeps once the values are copied
static double sweep_cost(const Adaptive *self, double iterations)
{
    return iterations * self->blocks * (self->report.coarse_size > 0 ? SWEEP_COARSE : SWEEP);
}

static double kept_cost(const Adaptive *self, double iterations)
{
    return (iterations + 1) * (PRODUCT * self->blocks + ENTRY * self->entries);
}

static double factor_cost(const Adaptive *self)
{
    double analysis = self->kept.self ? 0 : ANALYSIS * self->blocks;
    return analysis + GATHER * self->blocks + FLOP * self->flops;
}

// of a solve with a factor that is kept
static double kept_mean(const Adaptive *self)
{
    return fmax(self->seen, kept_cost(self, KEPT_ITERATIONS) + factor_cost(self) / KEPT_SOLVES);
}

// sections across the body, of vertices, by the width of breadth-first levels
static LyraStatus estimate(Adaptive *self)
{
    if (self->entries > 0) {
        return LYRA_OK;
    }
    LyraStatus status = LYRA_OK;
    LyraGraph graph = lyra_block_pattern_graph(lyra_block_matrix_pattern(self->A.block));
    int32_t *order = NULL;
    LyraBandwidth band = {0};
    LY_TRY(ly_allocate_array(self->ctx, graph.vertex_count, sizeof *order, &order));
    LY_TRY_DONE(lyra_reorder_rcm(self->ctx, graph, order));
    LY_TRY_DONE(lyra_graph_bandwidth(self->ctx, graph, order, &band));
    double V = graph.vertex_count, s = fmax(1, (double)band.profile / V);
    self->entries = fmax(9 * self->blocks, ENTRIES_GUESS * V * sqrt(s));
    self->flops = FLOPS_GUESS * V * s * sqrt(s);
done:
    ly_release(self->ctx, order);
    return status;
}

// ---- life ---------------------------------------------------------------------------------------

static void forget(Adaptive *self)
{
    ly_kept_destroy(&self->kept);
    self->entries = self->flops = 0;
    self->swept = self->keeps = self->due = self->unreported = false;
    self->regret = self->mean = self->cycle = self->solves = self->length = self->cycles =
        self->seen = 0;
    self->patience = 1;
}

static void destroy(void *data)
{
    Adaptive *self = data;
    if (self) {
        forget(self);
        ly_release(self->ctx, self->work);
        ly_solver_pcg.destroy(self->sweeps);
        ly_release(self->ctx, self);
    }
}

static bool go_on(void *user, int32_t iterations, double progress, int32_t *next)
{
    Adaptive *self = user;
    double total = sweep_cost(self, iterations / fmin(fmax(progress, 1e-3), 1));
    double rest = total - sweep_cost(self, iterations);
    double hope = self->def.task == LYRA_SOLVER_STATICS ? HOPE_STATICS : HOPE_DYNAMICS;
    bool hopeful = rest <= hope * (factor_cost(self) + kept_cost(self, 1));
    bool doubted = self->doubted;
    *next = iterations + iterations / 2;
    self->predicted = total;
    self->doubted = !hopeful;
    // iterations may yet become faster: a second look decides
    return hopeful || (!doubted && progress > SLOW);
}

// statics has no masses that hold errors down, so that more digits are asked for
static double wanted_tolerance(const Adaptive *self, double tolerance)
{
    return self->def.task == LYRA_SOLVER_STATICS ? fmin(tolerance, STATICS_TOLERANCE) : tolerance;
}

static LyraStatus create(LyraContext *ctx, const LyraSolverDef *def, void **out)
{
    LyraStatus status = LYRA_OK;
    Adaptive *self = NULL;
    LY_TRY(ly_allocate_zeroed(ctx, 1, sizeof *self, &self));
    self->ctx = ctx;
    self->def = *def;
    self->def.tolerance = wanted_tolerance(self, def->tolerance);
    self->watch = (LyWatch){.go_on = go_on, .user = self};
    LY_TRY_DONE(ly_solver_pcg.create(ctx, &self->def, &self->sweeps));
    *out = self;
    return LYRA_OK;
done:
    ly_release(ctx, self);
    return status;
}

static LyraStatus analyze(void *data, const LyraOperator *A, const LyraConstraints *constraints)
{
    Adaptive *self = data;
    forget(self);
    self->A = *A;
    self->constraints = constraints;
    self->blocks = (double)lyra_block_pattern_view(lyra_block_matrix_pattern(A->block)).block_count;
    LY_TRY(ly_resize_array(self->ctx, 2 * (int64_t)A->size, sizeof *self->work, &self->work));
    return ly_solver_pcg.analyze(self->sweeps, A, constraints);
}

// ---- factors ------------------------------------------------------------------------------------

static LyraStatus analyze_kept(Adaptive *self)
{
    if (!self->kept.self) {
        LY_TRY(ly_kept_create(self->ctx, &self->def, &self->A, self->constraints, &self->kept));
        ly_cholesky_work(self->kept.self, &self->entries, &self->flops);
    }
    return LYRA_OK;
}

static LyraStatus make_factor(Adaptive *self, const LyraOperator *A)
{
    LY_TRY(analyze_kept(self));
    LY_TRY(ly_kept_factor(&self->kept, A));
    ++self->serial;
    self->unreported = true;
    self->keeps = true;
    self->due = false;
    self->cycle = factor_cost(self);
    self->solves = 0;
    self->cycles = fmod(self->cycles + 1, PROBE);
    return LYRA_OK;
}

// whether a status is about the numbers of the matrix, which sweeps may still serve
static bool is_of_numbers(LyraStatus status)
{
    return status == LYRA_NOT_POSITIVE_DEFINITE || status == LYRA_SINGULAR;
}

static void return_to_sweeps(Adaptive *self)
{
    self->seen = self->solves > 0 ? self->cycle / self->solves : self->seen;
    self->keeps = self->due = false;
    self->patience *= 2;
    self->regret = 0;
}

// what the last solves say about the next
static LyraStatus decide(Adaptive *self)
{
    if (self->keeps && self->due && self->mean > 0 &&
        self->cycle > BACK * self->mean * self->solves) {
        return_to_sweeps(self);
    }
    if (!self->keeps && self->entries > 0 && self->entries <= ENTRIES_MAX &&
        self->regret > self->patience * factor_cost(self)) {
        LY_TRY(analyze_kept(self));
        self->keeps = self->due = self->entries <= ENTRIES_MAX && kept_mean(self) < self->mean;
        self->patience *= self->keeps ? 1 : 2;
        self->regret = 0;
    }
    return LYRA_OK;
}

static LyraStatus factor_sweeps(Adaptive *self)
{
    LyraSolveReport report = {0};
    LyraStatus status = ly_solver_pcg.factor(self->sweeps, &self->A, &report);
    self->report = report;
    self->swept = status == LYRA_OK;
    self->fresh = self->held ? self->fresh : self->swept;
    return status;
}

static LyraStatus factor(void *data, const LyraOperator *A, LyraSolveReport *report)
{
    Adaptive *self = data;
    self->A = *A;
    self->kept.current &= self->held;
    self->swept = false;
    LyraStatus status = LYRA_OK;
    if (!self->held) {
        LY_TRY(decide(self));
    }
    if (self->keeps && ((self->due && !self->held) || !self->kept.factored)) {
        status = make_factor(self, A);
        if (!is_of_numbers(status)) {
            LY_TRY(status);
        } else {
            return_to_sweeps(self);
        }
    }
    if (!self->keeps) {
        status = factor_sweeps(self);
        report->preconditioner = self->report.preconditioner;
        report->coarse_size = self->report.coarse_size;
        report->definiteness = self->report.definiteness;
        report->shift = self->report.shift;
    } else {
        report->factor_entries = self->kept.report.factor_entries;
        report->definiteness =
            self->kept.current ? LYRA_DEFINITENESS_POSITIVE : LYRA_DEFINITENESS_UNKNOWN;
    }
    return status;
}

// ---- solves -------------------------------------------------------------------------------------

// whether x leaves a residual of at most `part`: rounding may keep it from the tolerance
static bool is_answer(Adaptive *self, const double *b, const double *x, double part)
{
    int64_t n = self->A.size;
    double *r = self->work, *Pb = r + n;
    lyra_operator_apply(&self->A, x, r);
    ly_vector_axpby(self->ctx, n, 1, b, -1, r);
    ly_vector_copy(self->ctx, n, b, Pb);
    if (self->constraints) {
        lyra_constraints_project(self->constraints, r);
        lyra_constraints_project(self->constraints, Pb);
    }
    return ly_vector_norm(self->ctx, n, r) <= part * ly_vector_norm(self->ctx, n, Pb);
}

// notes what a solve with the factor did cost. A factor is good for as many solves as make their
// mean cost least, its making included; the last cycle has shown how many that are.
static void note_kept(Adaptive *self, int32_t iterations)
{
    double cost = kept_cost(self, iterations);
    self->cycle += cost;
    self->solves += 1;
    if (cost * self->solves > self->cycle) {
        self->due = true;
        self->length = self->solves - 1;
    } else if (self->length > 0 && self->solves >= self->length && self->cycles != 0) {
        self->due = true;
    }
}

static LyraStatus solve_kept(Adaptive *self, const double *b, bool warm, double *x,
                             LyraSolveReport *report)
{
    size_t bytes = (size_t)self->A.size * sizeof *x;
    double most = fmax(ITERATIONS_LEAST, 1.5 * factor_cost(self) / kept_cost(self, 0));
    LyKeptSolve ask = {
        .A = &self->A,
        .stop = self->def.stop,
        .tolerance = self->def.tolerance,
        .iterations_max = (int32_t)fmin(most, 500),
        .truncate = self->def.truncate,
    };
    int32_t iterations = 0;
    LyraStatus status = LYRA_NOT_CONVERGED;
    if (!self->kept.current) {
        if (warm) {
            memcpy(self->kept.start, x, bytes);
        }
        status = ly_kept_solve(&self->kept, &ask, b, warm, x, report, &iterations);
        bool rounded = iterations < ask.iterations_max && is_answer(self, b, x, ROUNDED);
        if (status == LYRA_NOT_CONVERGED && rounded) {
            status = LYRA_OK;
        } else if (status == LYRA_NOT_CONVERGED) {
            // the old one was good for less, and what it did was in vain
            double length = fmax(1, self->solves), cost = kept_cost(self, iterations);
            LY_TRY(make_factor(self, &self->A));
            self->length = length;
            self->cycle += cost;
            if (warm) {
                memcpy(x, self->kept.start, bytes);
            }
        }
    }
    if (self->kept.current) {
        // a factor of these very values answers at once, as well as rounding lets it
        ask.iterations_max = CURRENT_ITERATIONS;
        status = ly_kept_solve(&self->kept, &ask, b, warm, x, report, &iterations);
        if (status == LYRA_NOT_CONVERGED && is_answer(self, b, x, ROUNDED)) {
            status = LYRA_OK;
        }
    }
    note_kept(self, iterations);
    report->solver = ly_solver_factor_reuse.name;
    report->preconditioner = self->kept.direct->name;
    report->factor_entries = self->kept.report.factor_entries;
    report->coarse_size = 0;
    return status;
}

static LyraStatus solve_sweeps(Adaptive *self, const double *b, bool warm, double *x,
                               LyraSolveReport *report, bool watched)
{
    self->watch.ended = false;
    self->watch.best = 0;
    self->doubted = false;
    double first = LOOK * factor_cost(self) / sweep_cost(self, 1);
    self->watch.next = (int32_t)fmin(fmax(first, ITERATIONS_LEAST), 1e6);
    ly_pcg_watch(self->sweeps, watched ? &self->watch : NULL);
    LyraSolveReport now = *report;
    LyraStatus status = ly_solver_pcg.solve(self->sweeps, 1, b, warm, x, &now);
    now.iterations += report->iterations;
    now.refinements += report->refinements;
    *report = now;
    report->solver = ly_solver_pcg.name;
    return status;
}

// notes what a solve with sweeps did cost
static void note_sweeps(Adaptive *self, int32_t iterations)
{
    double copy = self->report.coarse_size > 0 ? COPY_COARSE : COPY;
    double cost = sweep_cost(self, iterations) + (self->fresh ? copy * self->blocks : 0);
    self->fresh = false;
    self->mean = self->mean > 0 ? 0.75 * self->mean + 0.25 * cost : cost;
    self->regret = fmax(0, self->regret + cost - kept_mean(self));
}

static LyraStatus solve_column(Adaptive *self, const double *b, bool warm, double *x,
                               LyraSolveReport *report)
{
    if (self->keeps) {
        LyraStatus status = solve_kept(self, b, warm, x, report);
        if (!is_of_numbers(status) || report->negative_curvature) {
            return status;
        }
        // the values have lost their factor
        return_to_sweeps(self);
    }
    if (!self->swept) {
        LY_TRY(factor_sweeps(self));
    }
    LY_TRY(estimate(self));
    int32_t before = report->iterations;
    bool watched = self->entries <= ENTRIES_MAX;
    LyraStatus status = solve_sweeps(self, b, warm, x, report, watched);
    if (status == LYRA_NOT_CONVERGED && !self->watch.ended && is_answer(self, b, x, STALLED)) {
        status = LYRA_OK;
    }
    if (status != LYRA_NOT_CONVERGED || !watched) {
        note_sweeps(self, report->iterations - before);
        return status;
    }
    double predicted = self->watch.ended ? self->predicted : INFINITY;
    status = make_factor(self, &self->A);
    if (status == LYRA_OK) {
        self->mean = fmax(self->mean, fmin(predicted, 1e3 * factor_cost(self)));
        self->regret = 0;
        return solve_kept(self, b, true, x, report);
    }
    if (!is_of_numbers(status)) {
        return status;
    }
    return_to_sweeps(self);
    status = solve_sweeps(self, b, true, x, report, false);
    note_sweeps(self, report->iterations - before);
    return status;
}

static LyraStatus solve(void *data, int32_t columns, const double *B, bool warm, double *X,
                        LyraSolveReport *report)
{
    Adaptive *self = data;
    LyraStatus status = LYRA_OK;
    report->iterations = report->refinements = 0;
    report->negative_curvature = false;
    for (int32_t c = 0; c < columns && status == LYRA_OK; ++c) {
        int64_t at = (int64_t)c * self->A.size;
        status = solve_column(self, B + at, warm, X + at, report);
    }
    report->refactored = self->unreported;
    self->unreported = false;
    return status;
}

// ---- the rest -----------------------------------------------------------------------------------

static void set_tolerance(void *data, double tolerance)
{
    Adaptive *self = data;
    self->def.tolerance = wanted_tolerance(self, tolerance);
    ly_solver_pcg.set_tolerance(self->sweeps, self->def.tolerance);
}

static int64_t bytes(const void *data)
{
    const Adaptive *self = data;
    int64_t work = self->work ? 2 * (int64_t)self->A.size * (int64_t)sizeof *self->work : 0;
    return (int64_t)sizeof *self + work + ly_solver_pcg.bytes(self->sweeps) +
           ly_kept_bytes(&self->kept);
}

static uint64_t kept(const void *data)
{
    const Adaptive *self = data;
    return self->keeps && self->kept.factored ? self->serial : 0;
}

static void renew(void *data)
{
    Adaptive *self = data;
    self->due = self->keeps;
}

static void hold(void *data, bool held)
{
    ((Adaptive *)data)->held = held;
}

static void remember(const void *data, double *memory)
{
    const Adaptive *self = data;
    const double numbers[LYRA_SOLVER_MEMORY] = {
        self->keeps,    self->due,    self->regret,       self->mean,
        self->patience, self->cycle,  self->solves,       self->kept.self != NULL,
        self->length,   self->cycles, self->kept.current, self->fresh,
        self->seen,
    };
    memcpy(memory, numbers, sizeof numbers);
}

static LyraStatus recall(void *data, const double *memory, const LyraOperator *A)
{
    Adaptive *self = data;
    if (!memory) {
        forget(self);
        return LYRA_OK;
    }
    if (memory[7] != 0) {
        LY_TRY(analyze_kept(self));
    } else {
        ly_kept_destroy(&self->kept);
        self->entries = self->flops = 0;
        LY_TRY(estimate(self));
    }
    self->keeps = memory[0] != 0;
    if (self->keeps && A) {
        LyraStatus status = make_factor(self, A);
        if (!is_of_numbers(status)) {
            LY_TRY(status);
        }
        self->unreported = false;
    }
    self->keeps = memory[0] != 0;
    self->due = memory[1] != 0;
    self->regret = memory[2];
    self->mean = memory[3];
    self->patience = memory[4];
    self->cycle = memory[5];
    self->solves = memory[6];
    self->length = memory[8];
    self->cycles = memory[9];
    self->kept.current = memory[10] != 0;
    self->fresh = memory[11] != 0;
    self->seen = memory[12];
    return LYRA_OK;
}

const LyraSolverType ly_solver_adaptive = {
    .name = "pcg",
    .traits = LYRA_SOLVES_BLOCK | LYRA_SOLVES_FILTERED | LYRA_SOLVES_MEASURED,
    .create = create,
    .analyze = analyze,
    .factor = factor,
    .solve = solve,
    .set_tolerance = set_tolerance,
    .bytes = bytes,
    .kept = kept,
    .renew = renew,
    .hold = hold,
    .remember = remember,
    .recall = recall,
    .destroy = destroy,
};
