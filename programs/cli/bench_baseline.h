// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// An earlier result of `lyra bench` to compare with.
//
// A row is known by its suite, name, mesh, threads and instruction set. Its time is the minimum
// over repeats, and median - minimum says how far repeats lay apart. A row has moved if the two
// minima are further apart than the spreads of both results together; within that the machine, not
// the program, may be the reason. Bytes do not scatter: any difference of them counts.

#ifndef LYRA_CLI_BENCH_BASELINE_H
#define LYRA_CLI_BENCH_BASELINE_H

#include "bench.h"

typedef struct BenchBaseline BenchBaseline;

typedef enum BenchVerdict {
    BENCH_NEW,  ///< The earlier result has no such row.
    BENCH_SAME, ///< Within the noise.
    BENCH_FASTER,
    BENCH_SLOWER,
} BenchVerdict;

/// What an earlier row says beside a new one.
typedef struct BenchChange {
    BenchVerdict verdict;
    double ns;           ///< Of the earlier row, per item; 0 where there is none.
    int64_t memory;      ///< Of the earlier row; 0 where it has none.
    bool memory_differs; ///< Both have a figure of memory, and not the same.
} BenchChange;

/// Reads what --csv or --json printed. Explains what is wrong with a file that is neither.
CliExit bench_baseline_load(const char *path, BenchBaseline **out);

/// Compares and counts. `bench->earlier` may not be NULL.
BenchChange bench_baseline_compare(const Bench *bench, const BenchRow *row);

const char *bench_verdict_name(BenchVerdict verdict);

/// Says how many rows moved (table output only). Accepts no baseline.
void bench_baseline_summary(const Bench *bench);

/// Accepts NULL.
void bench_baseline_destroy(BenchBaseline *baseline);

#endif
