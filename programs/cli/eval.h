// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// What the parts of `lyra eval` share.

#ifndef LYRA_CLI_EVAL_H
#define LYRA_CLI_EVAL_H

#include "cli.h"

/// A mesh with its forces at a state.
typedef struct EvalBody {
    LyraContext *ctx;
    LyraMesh *mesh;
    LyraSolid *solid;
    LyraAssembly *assembly;
    LyraBlockMatrix *K; ///< In the internal order.
    int32_t vertex_count;
    bool psd;
    double *x;       ///< Positions, [vertex_count][3].
    double *v;       ///< Velocities, [vertex_count][3].
    double *history; ///< Committed history: zeros.
    double *force;   ///< [vertex_count][3].
    double energy;
} EvalBody;

/// Evaluates at positions `x`; NULL outputs are not computed.
LyraStatus eval_at(const EvalBody *body, const double *x, double *energy, double *force,
                   LyraBlockMatrix *K);

/// `--check` at a body that was evaluated with its tangent: differences of force against energy and
/// of tangent against force at the state.
CliExit eval_check(const EvalBody *body, bool json);

// ---- one point ----------------------------------------------------------------------------------

/// `--point` and what belongs to it.
typedef struct EvalPoint {
    const char *path;       ///< CSV file of the path.
    const char *plasticity; ///< Nullable.
    const char *viscosity;  ///< Nullable.
    CliList branches;
    bool uniaxial, json;
} EvalPoint;

/// Drives a point of a solid along a path and prints what it finds.
CliExit eval_point(const CliUsage *usage, const LyraSolidDef *def, const EvalPoint *options);

#endif
