// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// A body for whole steps: a mesh held at some vertices that swings under gravity from its rest
// shape, h = 10 ms, stiffness damping 0.01 s. What the suites step and memory share.

#ifndef LYRA_CLI_BENCH_BODY_H
#define LYRA_CLI_BENCH_BODY_H

#include "bench.h"

#define BENCH_STEP 0.01 // s

/// How steps are taken.
typedef struct BenchWay {
    const char *integrator;
    bool full; ///< To a decrement; else one Newton step, started and damped as Vega does.
} BenchWay;

/// What does not change from way to way.
typedef struct BenchSubject {
    LyraMesh *mesh;
    char name[64];
    bool generated; ///< A box without a material of its own.
    int32_t *fixed; ///< [fixed_count]
    int32_t fixed_count;
    double *masses; ///< [vertex_count]
} BenchSubject;

#define BENCH_BRANCHES 3

/// Room for what the settings of a solid point at.
typedef struct BenchLaw {
    char model[40];
    LyraPlasticityDef plasticity;
    LyraViscoelasticityDef viscous;
    LyraRelaxationBranch branches[BENCH_BRANCHES];
} BenchLaw;

/// Name of a model: those of lyra_solid_model(), then laws that flow or relax; NULL at the end.
const char *bench_model_name(int32_t index);

/// Sets the law of such a name. `law` must stay.
void bench_law(const char *model, BenchLaw *law, LyraSolidDef *def);

/// Masses, and the vertices that are held: those of the file `fixed`, or where x is least.
/// Nullable.
CliExit bench_subject_finish(const char *fixed, LyraContext *ctx, BenchSubject *subject);
void bench_subject_end(BenchSubject *subject);

typedef struct BenchBody {
    LyraContext *ctx;
    LyraSolid *solid;
    LyraForce *added; ///< One more force beside those of the solid. Nullable.
    LyraModel *model;
    LyraSystem *system;
    LyraState *state;
    LyraIntegrator *integrator;
} BenchBody;

/// Calls `run` for the subject of --mesh, or the box of --elements, or boxes of `sizes` [count].
CliExit bench_subjects(Bench *bench, int32_t count, const int32_t *sizes,
                       CliExit (*run)(Bench *bench, const BenchSubject *subject));

/// The parts of a body in the order in which they are made, in `body->ctx`.
LyraStatus bench_body_forces(const BenchSubject *subject, const char *model, BenchBody *body);
LyraStatus bench_body_model(const BenchSubject *subject, const BenchWay *way, BenchBody *body);
LyraStatus bench_body_system(BenchBody *body);
LyraStatus bench_body_integrator(const BenchWay *way, BenchBody *body);

/// All of them.
LyraStatus bench_body_create(const BenchSubject *subject, const char *model, const BenchWay *way,
                             BenchBody *body);

/// Rows of a body with its elastic forces alone and with each force of --with.
CliExit bench_with(Bench *bench, const BenchSubject *subject, const char *model,
                   const BenchWay *way, int32_t threads);

/// Rows of cloth.
CliExit bench_cloth_forces(Bench *bench);
CliExit bench_cloth_steps(Bench *bench);
/// Rows of shells.
CliExit bench_shell_forces(Bench *bench);
CliExit bench_shell_steps(Bench *bench);
/// Rows of rods.
CliExit bench_rod_steps(Bench *bench);

/// A world whose steps are timed: of `size` cells or edges, prepared; `full`: until Newton's method
/// has converged.
typedef struct BenchWorld {
    const char *name, *subject;
    int32_t size, kind;
    LyraStatus (*make)(LyraContext *ctx, int32_t size, int32_t kind, bool full, LyraWorld **out);
} BenchWorld;

/// Rows of its steps, by one Newton step and in full.
CliExit bench_world_steps(Bench *bench, const BenchWorld *world);

/// Destroys the parts and the context.
void bench_body_end(BenchBody *body);

#endif
