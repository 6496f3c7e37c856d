// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// One material point: a tet with the forces of a solid, driven through deformation gradients. For
// `lyra eval --point` and the cases of `lyra verify`.

#ifndef LYRA_CLI_POINT_H
#define LYRA_CLI_POINT_H

#include "lyra/lyra.h"

/// A point, and what the last step found. It starts at rest, F = 1, at time 0.
typedef struct CliPoint {
    LyraContext *ctx;
    LyraMesh *mesh;
    LyraSolid *solid;
    LyraForce *viscous; // nullable
    LyraAssembly *assembly;
    LyraBlockMatrix *K, *C;
    LyraForce *forces[16];
    double *history, *trial; // [history_size]
    int64_t history_size;
    int32_t force_count;
    double time;
    double F[9];
    double P[9];       ///< First Piola stress, Pa, row-major.
    double tau[9];     ///< Kirchhoff stress P F^T, Pa.
    double cauchy[9];  ///< tau/det F, Pa; NaN where det F = 0.
    double stored;     ///< Energy density that is left, J/m^3.
    double potential;  ///< Incremental potential of the step, J/m^3.
    double dissipated; ///< So far, J/m^3.
    double work;       ///< Of P by the trapezoidal rule, so far, J/m^3.
} CliPoint;

/// Makes a point; `viscous` adds viscosity by the rate of strain. Nullable: `viscous`.
LyraStatus cli_point_create(LyraContext *ctx, const LyraSolidDef *def,
                            const LyraViscosityDef *viscous, CliPoint **out);

/// Accepts NULL.
void cli_point_destroy(CliPoint *point);

/// Stress at F at the end of a step of dt, and its derivative dP_ij/dF_kl at [9 (3i + j) + 3k + l]
/// (nullable); nothing is kept.
LyraStatus cli_point_stress(CliPoint *point, const double F[9], double dt, double P[9],
                            double tangent[81]);

/// A step to F at `time`, not before the last; the outcome stands in the point.
LyraStatus cli_point_step(CliPoint *point, const double F[9], double time);

/// A step to F_11 = `stretch` with free sides: F_22 and F_33 are found by Newton's method so that
/// no stress acts there, and shears stay as they are.
LyraStatus cli_point_pull(CliPoint *point, double stretch, double time);

/// A step after which the axial first Piola stress is `stress`, with free sides.
LyraStatus cli_point_load(CliPoint *point, double stress, double time);

/// Number `name` of the history of the first force that has it; NAN if none has.
double cli_point_history(const CliPoint *point, const char *name);

#endif
