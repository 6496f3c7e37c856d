// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef LYRA_CLI_BENCH_CALIBRATE_H
#define LYRA_CLI_BENCH_CALIBRATE_H

#include "bench.h"

/// Measures read bandwidth and fused multiply-add peak, on one thread and on all.
void bench_calibrate(Bench *bench);

#endif
