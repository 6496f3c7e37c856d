// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

/// @file
/// Forces as kernels over batches of stencils, and their assembly: energy, gradient and tangent of
/// any number of forces over one set of vertices. Signs and layouts are in docs/conventions.md; the
/// elastic models are in elastic.h.

#ifndef LYRA_FORCE_H
#define LYRA_FORCE_H

#include "lyra/base.h"
#include "lyra/mesh.h"
#include "lyra/parameter.h"
#include "lyra/points.h"
#include "lyra/sparse.h"

#ifdef __cplusplus
extern "C" {
#endif

// ---- kernels ------------------------------------------------------------------------------------

/// What types with LYRA_FORCE_RATES tell beside forces, W.
typedef enum LyraRate {
    LYRA_RATE_POTENTIAL = 0, ///< The dissipation potential R.
    LYRA_RATE_LOST,          ///< Power that is dissipated.
    LYRA_RATE_SUPPLIED,      ///< Power of what moves by itself, as obstacles, on body and energy.
    LYRA_RATE_COUNT
} LyraRate;

/// Stencils in a batch: the stride of all arrays of a LyraBatch.
#define LYRA_BATCH_WIDTH 8

/// Most nodes of a stencil: tets of 10 nodes, ties of embedded points.
#define LYRA_STENCIL_NODES_MAX 10

/// One gathered batch of stencils. Component-major: x[i * LYRA_BATCH_WIDTH + e] is component i of
/// stencil e. Lanes from `count` on repeat a live stencil, so that a kernel may compute all lanes;
/// what it writes there is dropped. All arrays are aligned to 64 bytes.
typedef struct LyraBatch {
    int32_t count;          ///< Live stencils, [1, LYRA_BATCH_WIDTH].
    bool psd;               ///< Asks for a positive semi-definite dfdx, the exact one if it is.
    double time, dt;        ///< s.
    double unloaded;        ///< Share of a load that is left out, [0, 1]; see LyraEvaluation.
    const int32_t *element; ///< Ids of the stencils.
    /// Positions, m, [3 nodes]; those of LYRA_FORCE_TRANSLATION_INVARIANT types are counted from
    /// the middle of the rest positions. NULL with LYRA_FORCE_DISPLACEMENT.
    const double *x;
    const double *u;          ///< Displacements, m, [3 nodes]. NULL unless LYRA_FORCE_DISPLACEMENT.
    const double *v;          ///< Velocities, m/s, [3 nodes]. NULL unless LYRA_FORCE_VELOCITY.
    const double *a, *b;      ///< Directions, m, [3 nodes]. NULL without `contraction`.
    const double *constants;  ///< What `setup` wrote, [constant_count].
    const double *parameters; ///< [parameter_count].
    const double *history;    ///< Committed history, [history_count].
    double *trial_history;    ///< History at the end of the step, [history_count]. Nullable.
    double *energy;           ///< J, [1]; left at 0 by forces without one. Nullable.
    double *gradient;         ///< dE/dx (or minus the force), N, [3 nodes]. Nullable.
    double *dfdx;             ///< d gradient / dx, N/m, [blocks][9], row-major. Nullable.
    double *dfdv;             ///< d gradient / dv, N s/m, [blocks][9]. Nullable.
    double *contraction;      ///< (d dfdx / dx . a) b, N, [3 nodes]. Nullable.
    double *rates;            ///< Of LYRA_FORCE_RATES types, W, [LYRA_RATE_COUNT]. Nullable.
    /// Of the library's own forces with nodal pressure: means over the nodes of the energy density
    /// of volume, J/m^3, and of its slope, Pa, [2]. NULL for all others.
    const double *nodal;
    /// Of the library's own forces whose branches relax: what dt does to all of them. NULL for all
    /// others.
    const void *step;
} LyraBatch;

/// What a force is. Bits of LyraForceType::traits.
typedef enum LyraForceTrait {
    LYRA_FORCE_CONSERVATIVE = 1 << 0, ///< The gradient is that of an energy.
    /// dfdx and dfdv are symmetric: blocks (a, b) with a <= b only, row by row. A type of which one
    /// is not symmetric writes all blocks of both, and makes the matrices of its assembly full.
    LYRA_FORCE_SYMMETRIC = 1 << 1,
    /// Moving all nodes together changes nothing. With LYRA_FORCE_SYMMETRIC the blocks are those
    /// with a < b only; the diagonal follows from zero row sums.
    LYRA_FORCE_TRANSLATION_INVARIANT = 1 << 2,
    LYRA_FORCE_VELOCITY = 1 << 3, ///< Depends on velocities; writes dfdv.
    LYRA_FORCE_HISTORY = 1 << 4,  ///< Has history.
    /// Nodes may be given in any order, for all of them the same constants mean the same force once
    /// `setup` was told the order. Lets the assembly sort nodes, which saves it transposes.
    LYRA_FORCE_REORDERABLE = 1 << 5,
    /// Writes the contraction of the derivative of dfdx (the exact one, whatever `psd` says).
    LYRA_FORCE_CONTRACTION = 1 << 6,
    /// The gradient is linear in positions and velocities, but for a constant.
    LYRA_FORCE_LINEAR = 1 << 7,
    LYRA_FORCE_TIME = 1 << 8, ///< Depends on `time`, or on `dt` without velocities and history.
    /// Stencils are the elements of a solid, tets (4 or 10 nodes), cubes or hexahedra (8): their
    /// det F is watched.
    LYRA_FORCE_SOLID = 1 << 9,
    /// dfdx is not the derivative of the gradient, as where its symmetric part alone is kept.
    /// Methods whose order needs the derivative find the rest by differences.
    LYRA_FORCE_INEXACT = 1 << 10,
    /// Computes from displacements and a rest shape of its own, not from positions: small strains
    /// keep all their digits, wherever the body is.
    LYRA_FORCE_DISPLACEMENT = 1 << 11,
    /// The gradient is that of an energy plus C v, with a C that is constant, symmetric and
    /// positive semi-definite, so that v . C v / 2 is a potential of the rest.
    LYRA_FORCE_DASHPOT = 1 << 12,
    LYRA_FORCE_LOAD = 1 << 13,    ///< A load, as a traction: heeds `unloaded`.
    LYRA_FORCE_SPRINGS = 1 << 14, ///< Stencils are springs with a parameter "stiffness".
    /// The last number of the history is the energy that the stencil has lost so far, J.
    LYRA_FORCE_LOSES = 1 << 15,
    /// What is remembered changes the force by a jump where a step ends: statics refuse it.
    LYRA_FORCE_LATE = 1 << 16,
    LYRA_FORCE_DEFINITE = 1 << 17, ///< dfdx is positive semi-definite; `psd` changes no bit of it.
    /// With LYRA_FORCE_LOSES: what is lost is lost to plastic flow; without, to viscosity.
    LYRA_FORCE_FLOWS = 1 << 18,
    /// dfdx and dfdv are the same wherever the body is, and dfdx is positive semi-definite; those
    /// of LYRA_FORCE_LINEAR types are constant, too.
    LYRA_FORCE_CONSTANT = 1 << 19,
    /// Of changing groups: the gradient is that of an energy plus dR/dv, R a convex potential of
    /// velocities alone; writes `rates`.
    LYRA_FORCE_RATES = 1 << 20,
    /// Of changing groups: moves by itself as time goes on, and is told of all moments.
    LYRA_FORCE_MOVES = 1 << 21,
} LyraForceTrait;

/// A kind of force: the kernel and what the assembly must know of it.
typedef struct LyraForceType {
    const char *name;        ///< Unique; the word used in scene files.
    int32_t nodes;           ///< Nodes of a stencil, [1, LYRA_STENCIL_NODES_MAX].
    uint32_t traits;         ///< LyraForceTrait bits.
    int32_t constant_count;  ///< Numbers per stencil that `setup` gives, frozen.
    int32_t parameter_count; ///< Numbers per stencil that may change while running.
    /// Names of the parameters, for messages, [parameter_count]. Nullable.
    const char *const *parameter_names;
    /// Values that they may take, [parameter_count]. Nullable: any finite ones.
    const LyraParameterKind *parameter_kinds;
    int32_t history_count; ///< Numbers per stencil remembered from step to step.
    /// Names and units of these numbers, for outputs, [history_count]. Nullable: without names.
    const char *const *history_names, *const *history_units;
    int32_t history_version; ///< Of their meaning; states of another version are not continued.
    /// Writes the first history of stencil `element` [history_count], nodes in the order
    /// order[0..nodes) as for `setup`. Nullable: zeros.
    void (*history_init)(const void *self, int32_t element, const int32_t *order, double *history);
    size_t scratch_bytes; ///< Most bytes an evaluation pushes on the arena.
    /// Writes the constants of stencil `element` [constant_count] for nodes in the order
    /// order[0..nodes): node k of the batch is node order[k] of the stencil. Nullable without
    /// constants.
    void (*setup)(const void *self, int32_t element, const int32_t *order, double *constants);
    /// Evaluates a batch. May run on any thread, several at a time.
    void (*evaluate)(const void *self, const LyraBatch *batch, LyraArena *scratch);
    void (*destroy)(void *self); ///< Ends `self`. Nullable.
} LyraForceType;

/// Blocks that a type writes into dfdx: n(n-1)/2, n(n+1)/2 or n^2, by its traits.
LYRA_API int32_t lyra_force_type_blocks(const LyraForceType *type);

// ---- forces -------------------------------------------------------------------------------------

/// When the stencils of a changing group are asked for.
typedef enum LyraUpdateMoment {
    LYRA_UPDATE_STEP = 0,  ///< A step begins, or forces are evaluated outside of a step.
    LYRA_UPDATE_ITERATION, ///< An iteration of Newton's method begins.
    // of types with LYRA_FORCE_MOVES alone
    /// A solve begins, or begins again, from a point that was reached: what has moved on further
    /// than that point allows goes back.
    LYRA_UPDATE_SOLVE,
    /// A step is to end here, of any method. What moves by itself is to arrive; where it cannot,
    /// the function fails with LYRA_NOT_CONVERGED, and a shorter step is tried.
    LYRA_UPDATE_END,
    /// What has not arrived looks ahead: until the next call forces are those of `share` of the way
    /// that is left, finite wherever points are, and the bound is that of a motion of points and of
    /// what moves by itself together, each in proportion.
    LYRA_UPDATE_AHEAD,
    /// Points went `share` of the motion that was bounded last, and what moves by itself goes with
    /// them.
    LYRA_UPDATE_MOVED,
} LyraUpdateMoment;

/// Where they are asked for. Arrays are [vertex_count][3], vertices of the model.
typedef struct LyraUpdate {
    LyraUpdateMoment moment;
    double time, dt; ///< s; dt is 0 outside of a step.
    double begin;    ///< Time of the committed state, s; `time` where none is given.
    double share;    ///< Of LYRA_UPDATE_AHEAD and LYRA_UPDATE_MOVED, (0, 1].
    bool *ahead;     ///< Of LYRA_UPDATE_AHEAD: set by those that have not arrived.
    int32_t vertex_count;
    const double *positions; ///< At rest, m.
    const double *u, *v;     ///< m and m/s.
    int64_t known;           ///< Stencils that the committed state remembers; 0 without history.
    const uint64_t *keys;    ///< Theirs, [known].
    const double *history;   ///< [known][history_count].
} LyraUpdate;

/// Fills a set with the stencils of a changing group: lyra_stencil_set_clear(), then
/// lyra_stencil_set_add(). `version` is 0 at first and stays with the set from call to call: where
/// the function finds its own number there, it may leave the set as it is. What the stencils do
/// must not depend on ones that are there without need, as pairs that do not touch.
typedef LyraStatus LyraStencilUpdate(const void *self, const LyraUpdate *at, LyraStencilSet *set,
                                     uint64_t *version);

/// The largest share in [0, 1] of a motion from displacements u along d, m, [vertex_count][3] each,
/// that is allowed. `positions`: at rest. `set`: the stencils as they are, of a changing group;
/// otherwise NULL.
typedef double LyraMotionBound(const void *self, const LyraStencilSet *set, int32_t vertex_count,
                               const double *positions, const double *u, const double *d);

/// A group of stencils with one kernel, and the first values of their parameters.
typedef struct LyraForceDef {
    const LyraForceType *type; ///< Must outlive the force.
    void *self;                ///< Handed to the kernel. Taken: `type->destroy` ends it. Nullable.
    const char *name;          ///< Label, unique in a model; copied. Nullable: that of the type.
    /// Body of the model that the force belongs to; its stencils count from the first vertex of
    /// that body. -1 for vertices of the model, as between bodies. Default -1.
    int32_t owner;
    /// The mesh whose elements the stencils are, one by one; must outlive the force. Nullable.
    const LyraMesh *mesh;
    int32_t stencil_count;
    const int32_t *stencils;  ///< Vertices, [stencil_count][nodes], distinct in a stencil.
    const double *parameters; ///< [stencil_count][parameter_count]. Nullable without parameters.
    /// Makes it a changing group, which is given no stencils: they come from here, over points of
    /// the model. Its type is symmetric and has no constants. Nullable.
    LyraStencilUpdate *update;
    LyraMotionBound *bound; ///< Nullable: it bounds nothing.
    uint32_t cookie;        ///< Written by the default function only.
} LyraForceDef;

typedef struct LyraForce LyraForce;

LYRA_API LyraForceDef lyra_force_def_default(void);

/// Makes a force; stencils and parameters are copied. On failure `self` stays the caller's. Fails
/// with LYRA_INVALID_ARGUMENT, or LYRA_NOT_FINITE, for a parameter that is not of its kind.
LYRA_API LyraStatus lyra_force_create(LyraContext *ctx, const LyraForceDef *def, LyraForce **out);

/// Accepts NULL.
LYRA_API void lyra_force_destroy(LyraForce *force);

/// Gives a force that is in no model yet to a body, under a name of its own, as LyraForceDef has
/// it: for forces that other functions made.
LYRA_API LyraStatus lyra_force_set_owner(LyraForce *force, int32_t owner, const char *name);

LYRA_API const LyraForceType *lyra_force_type(const LyraForce *force);

/// Place of parameter `name` of a type, -1 if it has none of that name.
LYRA_API int32_t lyra_force_type_parameter(const LyraForceType *type, const char *name);

/// A view of a force, valid while it lives.
typedef struct LyraForceView {
    const LyraForceType *type;
    const char *name;
    int32_t owner;        ///< -1: none.
    const LyraMesh *mesh; ///< Nullable.
    int32_t stencil_count;
    const int32_t *stencils;  ///< [stencil_count][nodes].
    const double *parameters; ///< Those it was made with, [stencil_count][parameter_count].
    bool changing;            ///< Its stencils come and go.
} LyraForceView;

LYRA_API LyraForceView lyra_force_view(const LyraForce *force);

// ---- assembly -----------------------------------------------------------------------------------

/// Forces over one set of vertices, cut into batches in an order of its own: vertices along a
/// space-filling curve, stencils by their lowest vertex. Callers see their own order of vertices,
/// but for matrices, whose rows are in the internal one: see lyra_assembly_order.
typedef struct LyraAssembly LyraAssembly;

/// Prepares `forces`, which must outlive the assembly. `positions` [vertex_count][3] are those at
/// rest: displacements count from them, and they guide the order. All vertices get a row, those
/// that no force touches too. Matrices are stored upper unless a force is not symmetric.
LYRA_API LyraStatus lyra_assembly_create(LyraContext *ctx, int32_t vertex_count,
                                         const double *positions, int32_t force_count,
                                         LyraForce *const *forces, LyraAssembly **out);

/// Accepts NULL. Matrices on its pattern must be gone.
LYRA_API void lyra_assembly_destroy(LyraAssembly *assembly);

/// Pattern of the tangents, in the internal order.
LYRA_API const LyraBlockPattern *lyra_assembly_pattern(const LyraAssembly *assembly);

/// Vertex that stands at each internal place, [vertex_count].
LYRA_API const int32_t *lyra_assembly_order(const LyraAssembly *assembly);

/// Sets parameter `parameter` of all stencils of force `force`: `values` [stencil_count]. Fails,
/// naming force, parameter, stencil and value, if one is not of the parameter's kind. Constants
/// bound to one another, as 3 lambda + 2 mu > 0, change one after another and are the caller's
/// care.
LYRA_API LyraStatus lyra_assembly_set_parameter(LyraAssembly *assembly, int32_t force,
                                                int32_t parameter, const double *values);

/// Doubles of a history block of this assembly: all forces, in the internal layout.
LYRA_API int64_t lyra_assembly_history_size(const LyraAssembly *assembly);

/// Writes the first history of all forces, [history size].
LYRA_API void lyra_assembly_history_init(const LyraAssembly *assembly, double *history);

/// Reads number `component` of the history of all stencils of force `force`, [stencil_count].
LYRA_API LyraStatus lyra_assembly_read_history(const LyraAssembly *assembly, int32_t force,
                                               int32_t component, const double *history,
                                               double *values);

/// Input and outputs of an evaluation. Zero-initialise, then set what is needed; NULL outputs are
/// not computed.
typedef struct LyraEvaluation {
    const double *u; ///< Displacements, m, [vertex_count][3]. Nullable: `x` less rest.
    const double *x; ///< Positions, m, [vertex_count][3]. Not read where `u` is given.
    const double *v; ///< Velocities, m/s, [vertex_count][3]. Nullable: zero.
    double time, dt; ///< s.
    /// Share of the loads among the forces (tractions, pressures) that is left out, [0, 1].
    double unloaded;
    bool psd;              ///< Asks for a positive semi-definite `dfdx`.
    const double *history; ///< [history size]. Nullable without history.
    double *trial_history; ///< [history size]. Nullable.
    double *energy;        ///< J, a single number.
    double *gradient;      ///< N, [vertex_count][3].
    LyraBlockMatrix *dfdx; ///< On the assembly's pattern; overwritten.
    LyraBlockMatrix *dfdv; ///< On the assembly's pattern; overwritten.
    const double *a, *b;   ///< Directions, m, [vertex_count][3]. Nullable without `contraction`.
    double *contraction;   ///< (d dfdx / dx . a) b, symmetric in a and b, N, [vertex_count][3].
} LyraEvaluation;

/// Evaluates all forces. The result has the same bits at any thread count. Nothing is allocated
/// after the first call, and the first with `contraction`. Calls on one assembly from several
/// threads follow one another. Fails with LYRA_UNSUPPORTED if `contraction` is asked for and a
/// force lacks LYRA_FORCE_CONTRACTION.
LYRA_API LyraStatus lyra_assembly_evaluate(LyraAssembly *assembly,
                                           const LyraEvaluation *evaluation);

/// Evaluates force `force` alone, stencil by stencil, at the inputs of `at`; its outputs are not
/// written. `energies`: J, [stencil_count]. `gradients`: N, [stencil_count][nodes][3], nodes as the
/// force was given them. Each Nullable. The same kernels, the same bits at any thread count;
/// nothing is allocated.
LYRA_API LyraStatus lyra_assembly_evaluate_stencils(LyraAssembly *assembly, int32_t force,
                                                    const LyraEvaluation *at, double *energies,
                                                    double *gradients);

/// Writes the whole derivative of the tangent of a small system with d = 3 vertex_count dofs: entry
/// (i, j, k), that of dfdx_ij by x_k, stands at tensor[(i d + j) d + k]. The inputs of `at` say
/// where; its outputs are not written. Takes d (d + 1) / 2 evaluations.
LYRA_API LyraStatus lyra_assembly_tensor(LyraAssembly *assembly, const LyraEvaluation *at,
                                         double *tensor);

#ifdef __cplusplus
}
#endif

#endif
