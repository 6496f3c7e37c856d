// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// The bench harness. A suite is a function in its own file bench_<suite>.c, listed in bench.c. It
// sets up a case, times a function with bench_time and reports a row with bench_row; where a simple
// twin exists it times that as well, so that the ratio comes from one run.

#ifndef LYRA_CLI_BENCH_H
#define LYRA_CLI_BENCH_H

#include "cli.h"

/// Seconds per call over repeats.
typedef struct BenchTime {
    double minimum, median;
} BenchTime;

/// Repeats of one figure as they come in: as many as the time for a figure allows, 3 at least, or 2
/// where one takes a second or more. The first warms up and does not count, unless it is so long.
typedef struct BenchSamples {
    double seconds[1000], begin, budget;
    int32_t count;
    bool warm, slow;
} BenchSamples;

/// Forces that `lyra bench step --with` adds to a body.
typedef enum BenchWith {
    BENCH_WITH_PULL,
    BENCH_WITH_DAMPER,
    BENCH_WITH_HISTORY,
    BENCH_WITH_PRESSURE,
    BENCH_WITH_VISCOELASTIC,
    BENCH_WITH_COUNT
} BenchWith;

/// Settings and output of a run; filled by `lyra bench`.
typedef struct Bench {
    int32_t threads;    ///< Rows are of one thread and of this many.
    bool large;         ///< --large: the largest boxes and the slowest ways as well.
    const char *mesh;   ///< --mesh: a file in place of the generated case. Nullable.
    const char *model;  ///< --model: only this one in the suites of forces and steps. Nullable.
    const char *fixed;  ///< --fixed: vertices that hold the body of the suite of steps. Nullable.
    const char *solver; ///< --solver: only this one in the suite of solvers. Nullable.
    int32_t elements;   ///< --elements: one generated mesh of this size; 0: all. Solvers, steps.
    double dt;          ///< --dt: only this time step in the suite of solvers, s; 0: all.
    uint32_t with;      ///< --with: bits of BenchWith, for the suite of steps; 0: none.
    bool choice;        ///< --auto: the suite of solvers judges the choice of "auto".
    const char *body;   ///< --body: only bodies of --auto with this in their names. Nullable.
    bool statics;       ///< --statics: only the statics of --auto.
    double seconds;     ///< Time to spend on each figure, see BenchSamples.
    double read_bandwidth;                       ///< Measured, bytes/s, one thread.
    double read_bandwidth_all, flops, flops_all; ///< All threads; fused multiply-add peak, flop/s.
    enum { BENCH_TABLE, BENCH_JSON, BENCH_CSV } format;
    CliJson json;
    const char *suite;             ///< The suite that runs.
    struct BenchBaseline *earlier; ///< --baseline: what to compare with. Nullable.
} Bench;

/// What a linear solver did, for rows of that suite.
typedef struct BenchSolve {
    const char *solver;            ///< That served.
    double analyze, factor, solve; ///< Seconds of the phases.
    int32_t iterations;
    int64_t bytes;   ///< Memory it holds.
    double residual; ///< Relative, at the end.
} BenchSolve;

/// What "auto" takes beside the solvers that it could have been.
typedef struct BenchChoice {
    double chosen, best; ///< Seconds.
    const char *name;    ///< Of the best.
} BenchChoice;

/// What steps with one more force take beside those without. Iterations are means over the steps.
typedef struct BenchRatio {
    double ratio;
    double newton, linear;
    const char *solver; ///< That served.
} BenchRatio;

/// One figure. Times are per call of `items` items.
typedef struct BenchRow {
    const char *name;    ///< "product/upper"
    const char *subject; ///< Mesh or case: "box 160k tets"
    const char *unit;    ///< One item: "dof", "element", "matrix", "byte".
    double items;        ///< Items per call.
    double bytes;        ///< Memory that a call must move; 0 where that says nothing.
    double flops;        ///< Floating-point operations of a call; 0 where that says nothing.
    int32_t threads;
    LyraIsa isa; ///< Instruction set of the row.
    BenchTime time;
    BenchTime twin;            ///< The simple twin; zero where there is none.
    const char *twin_name;     ///< "scalar", "csr" ... Nullable.
    const BenchSolve *solve;   ///< Nullable.
    const BenchChoice *choice; ///< Nullable.
    const BenchRatio *ratio;   ///< Nullable.
    int64_t memory;            ///< Bytes held, for rows about them; 0 in others.
} BenchRow;

/// Whether `samples`, zero at the start, want another repeat.
bool bench_samples_want(const BenchSamples *samples);

/// Takes a repeat; true if it is the fastest that counts so far.
bool bench_samples_add(const Bench *bench, BenchSamples *samples, double seconds);

/// Sorts the repeats.
BenchTime bench_samples_time(BenchSamples *samples);

/// Calls `function` as often as BenchSamples say; many times for a repeat if a call is short.
BenchTime bench_time(const Bench *bench, void (*function)(void *data), void *data);

/// The next number of threads to measure with after `threads`, which begins at 1; one more than
/// bench->threads at the end.
int32_t bench_next_threads(const Bench *bench, int32_t threads);

/// The mesh of --mesh; refuses one without elements.
CliExit bench_mesh_load(const Bench *bench, LyraContext *ctx, LyraMesh **out);

/// What rows call the mesh: the last part of the path of --mesh, or a box by its size.
void bench_mesh_name(const Bench *bench, const LyraMesh *mesh, char name[64]);

void bench_row(Bench *bench, const BenchRow *row);

/// Prints a line of explanation (table output only).
void bench_note(const Bench *bench, const char *format, ...) LYRA_PRINTF(2, 3);

/// Sorts numbers, the smallest first.
void bench_sort(int32_t count, double *values);

double bench_now(void);

// ---- suites -------------------------------------------------------------------------------------

/// Each returns CLI_OK or what cli_failed() gave.
typedef CliExit BenchSuite(Bench *bench);

BenchSuite bench_bodies;
BenchSuite bench_collide;
BenchSuite bench_embed;
BenchSuite bench_forces;
BenchSuite bench_io;
BenchSuite bench_math;
BenchSuite bench_memory;
BenchSuite bench_solvers;
BenchSuite bench_sparse;
BenchSuite bench_step;
BenchSuite bench_volume;

/// `lyra bench solvers --auto`.
CliExit bench_auto(Bench *bench);

/// Reads the names of --with, separated by commas, into bits of BenchWith; false if one is none.
/// `expected` lists those there are.
bool bench_with_parse(const char *list, uint32_t *with, char expected[128]);

/// Whether --solver may be `name`; explains it if not.
CliExit bench_solvers_check(const char *name);

#endif
