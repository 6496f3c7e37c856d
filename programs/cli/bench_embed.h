// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef LYRA_CLI_BENCH_EMBED_H
#define LYRA_CLI_BENCH_EMBED_H

#include "bench.h"

/// Suite `embed`.
CliExit bench_embed(Bench *bench);

#endif
