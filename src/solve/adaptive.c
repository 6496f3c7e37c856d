// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// "auto" on symmetric block matrices: conjugate gradients with sweeps ("pcg") or with a kept factor
// (kept.h), whichever has shown to be cheaper. How many iterations sweeps take is seen only by
// trying: a cube takes 50 where a crane of the same size takes 2,000, and a factor does not care.
//
// Costs are counted, not measured, so that runs repeat: numbers that are touched and multiplied,
// times the constants below. Only their ratios matter.
//
//   - What a factor costs is known before its analysis, by the sections of the body (sections.h).
//   - Statics begins with a factor where a body is so long or so flat that sweeps would cost more
//     even if all went well for them.
//   - Inside a solve, after CHECK of the cost of a factor and ever again: sweeps that by their
//     progress would cost more than a factor from there on, the solves that statics has yet to
//     come included, are left for it. The less iterations there were, the clearer it must be.
//   - From solve to solve, what sweeps cost above a kept factor at its best adds up. When it has
//     come to the cost of an analysis, that is made, and tells what a factor costs; when it has
//     come to the cost of a factor, one is made: the rule for hiring or buying, never worse than
//     twice the best.
//   - A factor is renewed when the last solve with it cost more than the mean since it was made,
//     its making included: that is where the mean is least. The next ones serve for as many solves
//     but one in PROBE, which finds out whether it may be more. It is also renewed when its solves
//     have cost as much above those of a new one as that costs, and at once, in the middle of a
//     solve, when that is cheaper than the iterations which are left.
//   - When the mean of such a cycle is above what sweeps cost, and a factor for each solve would be
//     too, these come back, and it takes twice as much to leave them again.
//
// What this remembers from solve to solve is few numbers, and the matrix that was factored: who
// restarts gives both back by recall().

#include "lyra/math3.h"
#include "solve/direct.h"
#include "solve/kept.h"
#include "solve/pcg.h"
#include "solve/sections.h"

#include <math.h>
#include <string.h>

// cost, in ns on a core that was measured
#define SWEEP 2.6            // a block in an iteration with sweeps
#define SWEEP_LARGE 1.2      // ... and more where the copy is beyond the caches
#define SWEEP_ROW 25.0       // a row in the coarse space of an iteration
#define SWEEP_START 4        // iterations that the begin and the end of a solve cost
#define COPY 17.0            // a block on its way to the copy that is swept
#define COPY_LARGE 35.0      // ... and more
#define COPY_ROW 700.0       // a row on its way to the coarse space
#define PRODUCT 4.0          // a block in a product with the matrix
#define ENTRY 0.28           // a number of the factor in a solve
#define ENTRY_LARGE 0.75     // ... and more where it is beyond the caches
#define KEPT_ROW 65.0        // a row in an iteration with a factor
#define FLOP 0.015           // of factoring, on cores with full vectors
#define GATHER 105.0         // a block on its way to a factor
#define FIRST 4.5            // a number of the first factor, whose memory is new
#define ANALYSIS 650.0       // a block in the analysis of a factor
#define ANALYSIS_LARGE 350.0 // ... and more

// blocks, and numbers of a factor, at which the caches begin to end; after as many doublings they
// have no part in it
#define BLOCKS_LARGE 4e4
#define BLOCKS_ANALYSIS 1e4
#define ENTRIES_LARGE 4e5
#define DOUBLINGS 3

#define CHECK 0.06            // part of the cost of a factor after which sweeps are checked first
#define CHECKS_APART 1.5      // iterations at a check over those at the one before it
#define LATELY 2              // checks after which progress since the last counts, if it is faster
#define TAIL 1.15             // iterations over those that progress in logarithms lets expect
#define STATICS_SOLVES 3      // of a static problem
#define BODY_ITERATIONS 45    // that sweeps with a coarse space take in statics ...
#define RATIO_ITERATIONS 11.5 // ... and this times the ratio of length to thickness, at best
#define PLAIN_ITERATIONS 8    // without one: this times that ratio and the cube root of the rows
#define DIRECT 1.1 // times the cost of a factor that sweeps may be expected to have, to be tried
#define KEPT_ITERATIONS 1    // that a kept factor is expected to take at best
#define STATICS_ITERATIONS 3 // ... in statics
#define KEPT_SOLVES 20       // that it is expected to serve
#define LONG 0.5  // part of the cost of a factor that is borne before, in dynamics: runs are long
#define HOLES 0.5 // part of the factor of a full body that one with holes may have
#define ENTRIES_MAX 4e8        // numbers above which no factor is made: 3.2 GB
#define PROBE 8                // cycles of which one may be longer than those before
#define PAYS 0.7               // part of the cost before that makes a new factor worth it
#define KEPT_CHECK 3           // iterations with a kept factor after which they are checked
#define ITERATIONS_LEAST 8     // with an old factor
#define CHECK_LEAST 16         // iterations before the first check of sweeps ...
#define CHECK_PLAIN 6          // ... and without a coarse space this times the rows' cube root
#define STATICS_TOLERANCE 1e-9 // most, in statics
#define STALLED 1e-6           // ... that sweeps may
#define ROUNDED 1e-4           // residual that a factor may leave by rounding
#define CURRENT_ITERATIONS 2   // of a factor of the very values ...
#define SINGLE_ITERATIONS 8    // ... in single precision
#define SINGLE_ENTRIES 4e5     // numbers from which a factor is kept in single precision
#define SINGLE_PIVOT 1e-6 // of the entry it started from that all pivots have in single precision

// times the cost of a factor that sweeps must seem to cost to be left, at the first checks and
// later: without a coarse space, where they are slow at first, and with one
static const double doubts[2][4] = {{4.8, 3.6, 2.8, 1.6}, {2.4, 1.8, 1.4, 1.2}};

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
    double blocks, rows;
    bool coarse;             // sweeps have a coarse space, or will have
    double large;            // how far the copy is beyond the caches, 0 to 1
    double entries, flops;   // of the factor: estimated until it is analyzed; 0: not yet
    double box;              // length of the body over its thickness, in m
    double ratio;            // ... and the same in vertices, if that is less
    bool held;               // factor() is given what it had before
    bool unreported;         // no solve has told of the factor yet
    uint64_t serial;         // of the factor
    int32_t checks, checked; // of the sweeps of this solve; iterations at the last
    double progress;         // ... and how far they had come
    double predicted;        // cost of the solve with sweeps that was left
    LyraSolveReport report;  // of the sweeps' factor
    // memory
    bool keeps, due;       // a factor serves; the next values get a new one
    double regret;         // what sweeps cost above a factor so far
    double seen;           // cost of a solve with a kept factor, its making included; 0: not known
    double mean;           // cost of a solve with sweeps
    double patience;       // times the cost of a factor that is borne
    double cycle, solves;  // cost and number of solves since the factor was made
    double length, cycles; // solves that a factor is good for, 0: not known; cycles so far
    double excess;         // what its solves cost above those of a new one so far
    double stale;          // times the cost of a factor that this may come to
    double last;           // cost of the last solve with the factor before, 0: seen to
} Adaptive;

// ---- costs --------------------------------------------------------------------------------------

// how far a count is beyond one at which the caches begin to end
static double beyond(double count, double begin)
{
    return fmin(fmax(log2(fmax(count, 1) / begin) / DOUBLINGS, 0), 1);
}

// cost of sweeps once the values are copied
static double sweep_cost(const Adaptive *self, double iterations)
{
    double coarse = self->coarse ? SWEEP_ROW * self->rows : 0;
    return (iterations + SWEEP_START) *
           ((SWEEP + SWEEP_LARGE * self->large) * self->blocks + coarse);
}

static double copy_cost(const Adaptive *self)
{
    double coarse = self->coarse ? COPY_ROW * self->rows : 0;
    return (COPY + COPY_LARGE * self->large) * self->blocks + coarse;
}

static double kept_cost_of(const Adaptive *self, double entries, double iterations)
{
    double entry = ENTRY + ENTRY_LARGE * beyond(entries, ENTRIES_LARGE);
    return (iterations + 1) * (PRODUCT * self->blocks + KEPT_ROW * self->rows + entry * entries);
}

static double kept_cost(const Adaptive *self, double iterations)
{
    return kept_cost_of(self, self->entries, iterations);
}

// all that is made once
static double analysis_cost(const Adaptive *self)
{
    double analysis = ANALYSIS + ANALYSIS_LARGE * beyond(self->blocks, BLOCKS_ANALYSIS);
    return self->kept.self ? 0 : analysis * self->blocks + FIRST * self->entries;
}

static double factor_cost(const Adaptive *self)
{
    return analysis_cost(self) + GATHER * self->blocks + FLOP * self->flops;
}

static bool statics(const Adaptive *self)
{
    return self->def.task == LYRA_SOLVER_STATICS;
}

// of a solve with a factor of its own
static double fresh_cost(const Adaptive *self)
{
    return GATHER * self->blocks + FLOP * self->flops + kept_cost(self, 1);
}

// Of a solve with a factor that is kept, at best. Before the analysis a body may yet turn out to
// have holes; statics is too short to find out.
static double kept_mean(const Adaptive *self)
{
    double part = self->kept.self || statics(self) ? 1 : HOLES;
    double factor = GATHER * self->blocks + FLOP * part * part * self->flops;
    double solve = kept_cost_of(self, part * self->entries, KEPT_ITERATIONS);
    double best = solve + factor / KEPT_SOLVES;
    return self->seen > best ? fmin(self->seen, fmax(best, fresh_cost(self))) : best;
}

// solves that are expected to follow the one at hand with much the same matrix
static double expected_solves(const Adaptive *self)
{
    return statics(self) ? STATICS_SOLVES - 1 : 0;
}

// of a factor and all the solves that are expected
static double factor_path(const Adaptive *self)
{
    return factor_cost(self) + kept_cost(self, 1) +
           expected_solves(self) * kept_cost(self, STATICS_ITERATIONS);
}

static LyraStatus estimate(Adaptive *self)
{
    if (self->entries > 0) {
        return LYRA_OK;
    }
    LySections sections;
    LyraGraph graph = lyra_block_pattern_graph(lyra_block_matrix_pattern(self->A.block));
    LY_TRY(ly_sections(self->ctx, graph, &sections));
    self->entries = fmax(9 * self->blocks, sections.entries);
    self->flops = sections.flops;
    self->ratio = fmin(sections.length / fmax(1, sections.thickness), self->box);
    return LYRA_OK;
}

// Length of a body over its thickness by the moments of its vertices. INFINITY where it is flat or
// positions are not known.
static double box_ratio(int64_t count, const double *positions)
{
    LyraMat3 moments = {0};
    double mean[3] = {0};
    for (int64_t i = 0; positions && i < 3 * count; ++i) {
        mean[i % 3] += positions[i] / (double)count;
    }
    for (int64_t i = 0; positions && i < 3 * count; i += 3) {
        for (int32_t k = 0; k < 9; ++k) {
            moments.m[k / 3][k % 3] +=
                (positions[i + k / 3] - mean[k / 3]) * (positions[i + k % 3] - mean[k % 3]);
        }
    }
    LyraVec3 moment = lyra_mat3_eigen(moments).values;
    return moment.z > 0 ? sqrt(moment.x / moment.z) : INFINITY;
}

// ---- life ---------------------------------------------------------------------------------------

static void forget(Adaptive *self)
{
    ly_kept_destroy(&self->kept);
    self->entries = self->flops = 0;
    self->swept = self->keeps = self->due = self->unreported = false;
    self->regret = self->mean = self->cycle = self->solves = self->length = self->cycles =
        self->seen = self->excess = self->last = 0;
    self->patience = self->stale = 1;
}

static void destroy(void *data)
{
    Adaptive *self = data;
    if (self) {
        forget(self);
        ly_solver_pcg.destroy(self->sweeps);
        ly_release(self->ctx, self);
    }
}

// whether sweeps are to go on: not when they seem dearer than a factor, by more the less is known
static bool go_on(void *user, int32_t iterations, double progress, int32_t *next)
{
    Adaptive *self = user;
    // of the way in an iteration; the first ones may be slow
    double rate = fmax(progress, 1e-3) / iterations;
    double lately = (progress - self->progress) / (iterations - self->checked);
    rate = self->checks < LATELY ? rate : fmax(rate, lately);
    double expected = iterations + TAIL * fmax(0, 1 - progress) / rate;
    double total = sweep_cost(self, expected), rest = total - sweep_cost(self, iterations);
    double sweeps = rest + expected_solves(self) * (total + copy_cost(self));
    double doubt = doubts[self->coarse][self->checks < 4 ? self->checks : 3];
    ++self->checks;
    self->checked = iterations;
    self->progress = progress;
    self->predicted = total;
    *next = (int32_t)(iterations * CHECKS_APART) + 1;
    return sweeps <= doubt * factor_path(self);
}

// the same of iterations with an old factor: a new one answers in one, and in statics serves the
// next solves better as well, because they converge
static bool kept_goes_on(void *user, int32_t iterations, double progress, int32_t *next)
{
    Adaptive *self = user;
    double rest = iterations / fmin(fmax(progress, 1e-3), 1) - iterations;
    *next = iterations + 1;
    double part = statics(self) ? PAYS : 1;
    return rest * kept_cost(self, 0) <= part * (factor_cost(self) + kept_cost(self, 1));
}

// statics has no masses that hold errors down, so that more digits are asked for
static double wanted_tolerance(const Adaptive *self, double tolerance)
{
    return statics(self) ? fmin(tolerance, STATICS_TOLERANCE) : tolerance;
}

static LyraStatus create(LyraContext *ctx, const LyraSolverDef *def, void **out)
{
    LyraStatus status = LYRA_OK;
    Adaptive *self = NULL;
    LY_TRY(ly_allocate_zeroed(ctx, 1, sizeof *self, &self));
    self->ctx = ctx;
    self->def = *def;
    self->def.tolerance = wanted_tolerance(self, def->tolerance);
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
    self->rows = A->size / 3;
    self->large = beyond(self->blocks, BLOCKS_LARGE);
    self->box = box_ratio(A->size / 3, self->def.positions);
    return ly_solver_pcg.analyze(self->sweeps, A, constraints);
}

// ---- factors ------------------------------------------------------------------------------------

// whether the factor is in single precision
static bool is_single(const Adaptive *self)
{
    return self->kept.direct == &ly_solver_cholesky_single;
}

// Whether a factor is to be tried in single precision: where it is beyond the caches, so that half
// the memory is half the time. Statics asks for more digits.
static bool wants_single(const Adaptive *self)
{
    return !statics(self) && self->entries > SINGLE_ENTRIES;
}

static LyraStatus analyze_kept(Adaptive *self, bool single)
{
    if (!self->kept.self) {
        const LyraSolverType *direct =
            single ? &ly_solver_cholesky_single : &ly_solver_cholesky_kept;
        LY_TRY(ly_kept_create(self->ctx, direct, &self->def, &self->A, self->constraints,
                              &self->kept));
        ly_cholesky_work(self->kept.self, &self->entries, &self->flops);
    }
    return LYRA_OK;
}

// whether a status is about the numbers of the matrix, which sweeps may still serve
static bool is_of_numbers(LyraStatus status)
{
    return status == LYRA_NOT_POSITIVE_DEFINITE || status == LYRA_SINGULAR;
}

// whether a factor that was made with this status is good enough in single precision
static bool serves_in_single(const Adaptive *self, LyraStatus status)
{
    return status == LYRA_OK && ly_symmetric_smallest_pivot(self->kept.self) > SINGLE_PIVOT;
}

static LyraStatus make_factor(Adaptive *self, const LyraOperator *A)
{
    LY_TRY(analyze_kept(self, wants_single(self)));
    LyraStatus status = ly_kept_factor(&self->kept, A);
    bool numbers = status == LYRA_OK || is_of_numbers(status);
    if (numbers && is_single(self) && !serves_in_single(self, status)) {
        ly_kept_destroy(&self->kept);
        LY_TRY(analyze_kept(self, false));
        status = ly_kept_factor(&self->kept, A);
    }
    LY_TRY(status);
    ++self->serial;
    self->unreported = true;
    self->keeps = true;
    self->due = false;
    self->cycle = factor_cost(self);
    self->solves = self->excess = 0;
    self->cycles = fmod(self->cycles + 1, PROBE);
    return LYRA_OK;
}

static void return_to_sweeps(Adaptive *self)
{
    if (self->kept.self) {
        ly_cholesky_rest(self->kept.self);
    }
    self->kept.factored = self->kept.current = false;
    self->seen = self->solves > 0 ? self->cycle / self->solves : self->seen;
    self->keeps = self->due = false;
    self->patience *= 2;
    self->regret = self->last = 0;
    self->stale = 1;
}

// Whether statics begins with a factor, without a check of sweeps: a body that is long for its
// thickness bends, which takes many iterations whatever its material.
static bool begins_with_factor(const Adaptive *self)
{
    bool untried = self->mean == 0 && self->patience == 1 && !self->keeps;
    double iterations = self->coarse ? BODY_ITERATIONS + RATIO_ITERATIONS * self->ratio
                                     : PLAIN_ITERATIONS * self->ratio * cbrt(self->rows);
    double sweeps = sweep_cost(self, iterations);
    return untried && self->entries <= ENTRIES_MAX &&
           STATICS_SOLVES * (sweeps + copy_cost(self)) > DIRECT * factor_path(self);
}

// what the last solves say about the next
static LyraStatus decide(Adaptive *self)
{
    bool dear = self->cycle > self->mean * self->solves && fresh_cost(self) > self->mean;
    if (self->keeps && self->due && self->mean > 0 && dear) {
        return_to_sweeps(self);
    }
    if (statics(self) && self->mean == 0 && !self->keeps) {
        LY_TRY(estimate(self));
        self->coarse = self->def.positions && self->rows >= LY_PCG_COARSE_ROWS;
        self->keeps = self->due = begins_with_factor(self);
    }
    if (self->keeps || self->entries == 0 || self->entries > ENTRIES_MAX) {
        return LYRA_OK;
    }
    double borne = self->patience * (statics(self) ? 1 : LONG);
    if (!statics(self) && self->regret > borne * analysis_cost(self)) {
        // tells what a factor costs
        LY_TRY(analyze_kept(self, wants_single(self)));
    }
    if (self->regret > borne * factor_cost(self)) {
        LY_TRY(analyze_kept(self, wants_single(self)));
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
    self->coarse = report.coarse_size > 0;
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
        report->preconditioner = self->kept.direct->name;
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
    double *r = ly_pcg_idle(self->sweeps), *Pb = r + n;
    lyra_operator_apply(&self->A, x, r);
    ly_vector_axpby(self->ctx, n, 1, b, -1, r);
    ly_vector_copy(self->ctx, n, b, Pb);
    if (self->constraints) {
        lyra_constraints_project(self->constraints, r);
        lyra_constraints_project(self->constraints, Pb);
    }
    return ly_vector_norm(self->ctx, n, r) <= part * ly_vector_norm(self->ctx, n, Pb);
}

// Notes what a solve with the factor did cost. A factor is good for as many solves as make their
// mean cost least; the last cycle has shown how many that are. A body that comes to rest far from
// where the factor was made shows no rise, so that a new one is tried too when what the old one
// costs above a new one has come to the cost of that, and less often where it did not help.
static void note_kept(Adaptive *self, int32_t iterations)
{
    double cost = kept_cost(self, iterations);
    self->cycle += cost;
    self->solves += 1;
    self->excess += cost - kept_cost(self, 1);
    if (self->solves == 2 && self->last > 0) {
        self->stale = cost <= PAYS * self->last ? 1 : 2 * self->stale;
        self->last = 0;
    }
    if (cost * self->solves > self->cycle) {
        self->due = true;
        self->length = self->solves - 1;
    } else if (self->length > 0 && self->solves >= self->length && self->cycles != 0) {
        self->due = true;
    } else if (self->mean > 0 && cost > self->mean) {
        self->due = true;
    } else if (self->excess > self->stale * factor_cost(self)) {
        self->due = true;
        self->last = cost;
        self->length = self->length > 0 ? fmax(self->length, self->solves) : 0;
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
        .watch = &self->watch,
    };
    int32_t iterations = 0;
    self->watch = (LyWatch){.go_on = kept_goes_on, .user = self, .next = KEPT_CHECK};
    LyraStatus status = LYRA_NOT_CONVERGED;
    if (!self->kept.current) {
        if (warm) {
            memcpy(self->kept.start, x, bytes);
        }
        status = ly_kept_solve(&self->kept, &ask, b, warm, x, report, &iterations);
        bool rounded =
            iterations < ask.iterations_max && !self->watch.ended && is_answer(self, b, x, ROUNDED);
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
        ask.iterations_max = is_single(self) ? SINGLE_ITERATIONS : CURRENT_ITERATIONS;
        ask.watch = NULL;
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
    double first = CHECK * factor_cost(self) / (sweep_cost(self, 1) - sweep_cost(self, 0));
    self->watch = (LyWatch){.go_on = go_on, .user = self};
    // without a coarse space they creep until they have been through the body
    double least = self->coarse ? CHECK_LEAST : fmax(CHECK_LEAST, CHECK_PLAIN * cbrt(self->rows));
    self->watch.next = (int32_t)fmin(fmax(first, least), 1e6);
    self->checks = self->checked = 0;
    self->progress = 0;
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
    double cost = sweep_cost(self, iterations) + (self->fresh ? copy_cost(self) : 0);
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
    return (int64_t)sizeof *self + ly_solver_pcg.bytes(self->sweeps) + ly_kept_bytes(&self->kept);
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
        self->patience, self->cycle,  self->solves,       self->kept.self ? 1 + is_single(self) : 0,
        self->length,   self->cycles, self->kept.current, self->fresh,
        self->seen,     self->excess, self->stale,        self->last,
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
    if (memory[7] != (self->kept.self ? 1 + is_single(self) : 0)) {
        ly_kept_destroy(&self->kept);
    }
    if (memory[7] != 0) {
        LY_TRY(analyze_kept(self, memory[7] == 2));
    } else {
        self->entries = self->flops = 0;
        LY_TRY(estimate(self));
    }
    self->keeps = memory[0] != 0;
    // a factor that is here is of another time
    self->kept.factored = false;
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
    self->excess = memory[13];
    self->stale = fmax(1, memory[14]);
    self->last = memory[15];
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
