// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// What the parts of `lyra eval` share.

#ifndef LYRA_CLI_EVAL_H
#define LYRA_CLI_EVAL_H

#include "cli.h"

/// A mesh with its forces at a state.
typedef struct EvalBody {
    LyraContext *ctx;
    LyraMesh *mesh;          ///< NULL for cloth.
    LyraSolid *solid;        ///< NULL for cloth.
    LyraWorld *world;        ///< What owns the cloth, otherwise NULL.
    const LyraCloth *cloth;  ///< NULL for solids.
    const double *positions; ///< At rest, [vertex_count][3].
    const int32_t *edge;     ///< Two vertices that are neighbours; NULL without elements.
    LyraAssembly *assembly;
    LyraBlockMatrix *K; ///< In the internal order.
    int32_t vertex_count;
    bool psd, conservative;
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

/// Root of the sum of squares.
double eval_norm(int64_t n, const double *v);

// ---- cloth --------------------------------------------------------------------------------------

/// Options of `--kind cloth` alone.
typedef struct EvalCloth {
    const char *uv, *groups, *terms; ///< Nullable.
    int32_t rest_angles;
} EvalCloth;

/// Which terms of triangles count.
typedef struct EvalTerms {
    bool stretch, shear;
} EvalTerms;

/// What the options say; `memory` to free().
typedef struct EvalClothBody {
    LyraBodyCloth cloth;
    void *memory;
} EvalClothBody;

CliExit eval_cloth_read(const CliUsage *usage, const EvalCloth *options, const char *convention,
                        const CliList *parameters, EvalClothBody *out);

/// Reads the surface: fills what of `body` is about vertices.
CliExit eval_cloth_make(const char *path, EvalClothBody *own, EvalBody *body);

/// Prints sizes and strains, as text where `json` is NULL.
void eval_cloth_print(const EvalBody *body, CliJson *json);

// ---- one point ----------------------------------------------------------------------------------

/// `--point` and what belongs to it.
typedef struct EvalPoint {
    const char *path;       ///< CSV file of the path.
    const char *plasticity; ///< Nullable.
    const char *viscosity;  ///< Nullable.
    CliList branches;
    CliList strength; ///< Rows "strain,stress".
    bool uniaxial, json;
} EvalPoint;

/// Drives a point of a solid along a path and prints what it finds.
CliExit eval_point(const CliUsage *usage, const LyraSolidDef *def, const EvalPoint *options);

#endif
