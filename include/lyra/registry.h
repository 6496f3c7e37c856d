// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

/// @file
/// Laws, solvers, integrators and forces of your own, by name. What is registered in a context can
/// be named wherever a name of the library's can: in scenes, in settings, while a world runs.
/// docs/extending.md walks through each.
///
/// Register before the worlds and scenes that name a type are made, and from one thread at a time;
/// other threads may find names meanwhile. Types, their names and what they point to must
/// outlive the context, which forgets them when it ends. A name that is taken, or that lacks what
/// its kind needs, is LYRA_INVALID_ARGUMENT, and nothing is registered.

#ifndef LYRA_REGISTRY_H
#define LYRA_REGISTRY_H

#include "lyra/base.h"
#include "lyra/elastic.h"
#include "lyra/force.h"
#include "lyra/integrator.h"
#include "lyra/material.h"
#include "lyra/solver.h"
#include "lyra/world.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Registers a law: a `model` of materials. Its parameters come from the moduli where it has
/// `from_enu`, and from `parameters` by name. `user`: handed to its functions. Nullable.
LYRA_API LyraStatus lyra_register_law(LyraContext *ctx, const LyraMaterialType *law,
                                      const void *user);

/// Registers a solver: a `name` of solvers. One without LYRA_SOLVES_BLOCK serves no world.
LYRA_API LyraStatus lyra_register_solver(LyraContext *ctx, const LyraSolverType *solver);

/// Registers an integrator: a `name` of integrators.
LYRA_API LyraStatus lyra_register_integrator(LyraContext *ctx,
                                             const LyraIntegratorType *integrator);

/// A number that a force is given by name.
typedef struct LyraForceNumber {
    const char *name;
    LyraParameterKind kind; ///< Values that it may take.
    bool optional;          ///< It may be left out.
    double fallback;        ///< What it is then.
} LyraForceNumber;

/// What a force is to be made of: one body, or the part of it that was selected.
typedef struct LyraForceInput {
    LyraContext *ctx;
    const LyraBodyView *body;
    const double *positions; ///< Of the vertices of the body at rest, m, [body->vertex_count][3].
    int32_t vertex_count;    ///< Selected.
    const int32_t *vertices; ///< Of the body, ascending, [vertex_count].
    const double *numbers;   ///< In the order of the maker's, [number_count].
} LyraForceInput;

/// A kind of force by name: the `type` of an item of `forces` in scenes.
typedef struct LyraForceMaker {
    const char *name;
    int32_t number_count;
    const LyraForceNumber *numbers; ///< [number_count]. Nullable without.
    /// Makes the force, whose stencils are vertices of the body. What `input` points to is lent for
    /// the call; the mesh and the name of the body live as long as the world.
    LyraStatus (*create)(void *user, const LyraForceInput *input, LyraForce **out);
    void *user; ///< Handed to `create`. Nullable.
} LyraForceMaker;

/// Registers a kind of force.
LYRA_API LyraStatus lyra_register_force(LyraContext *ctx, const LyraForceMaker *maker);

/// A force of a registered kind in a world. Start from lyra_world_force_def_default().
typedef struct LyraWorldForceDef {
    const char *type;           ///< Name of a registered kind.
    const char *body;           ///< Nullable: one force for each body that has selected vertices.
    const LyraSelector *select; ///< Vertices. Nullable: all.
    const LyraElasticConstant *parameters; ///< By name, [parameter_count]. Nullable.
    int32_t parameter_count;
} LyraWorldForceDef;

LYRA_API LyraWorldForceDef lyra_world_force_def_default(void);

/// Adds forces of a registered kind. A group is called "BODY.TYPE" after the name of its
/// LyraForceType; parameters of that type can change over time, as those of materials.
LYRA_API LyraStatus lyra_world_add_force(LyraWorld *world, const LyraWorldForceDef *def);

#ifdef __cplusplus
}
#endif

#endif
