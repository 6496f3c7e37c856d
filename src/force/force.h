// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// The inside of forces and assemblies.

#ifndef LY_FORCE_FORCE_H
#define LY_FORCE_FORCE_H

#include "base/base.h"
#include "force/rest_shape.h"
#include "lyra/elastic.h"
#include "lyra/force.h"
#include "lyra/mesh.h"
#include "math/kernel.h"

#include <pthread.h>
#include <stdatomic.h>

struct LyraForce {
    LyraContext *ctx;
    const LyraForceType *type;
    void *self;
    char *name;
    int32_t owner;        // body, -1: none
    const LyraMesh *mesh; // Nullable
    int32_t stencil_count;
    int32_t *stencils;         // [stencil_count][nodes]
    double *parameters;        // [stencil_count][parameter_count]
    LyraStencilUpdate *update; // of changing groups. Nullable
    LyraMotionBound *bound;    // Nullable
};

/// What was expected in place of a value that is not of a kind; NULL for one that is.
const char *ly_parameter_fault(LyraParameterKind kind, double value);

/// Fails unless `value` is of the kind that `parameter` of the type must be.
LyraStatus ly_force_check_parameter(const LyraForceType *type, int32_t parameter, int32_t stencil,
                                    double value);

/// Force with the elements of a mesh as stencils. Takes `self`, as lyra_force_create() does, and
/// gives its elements to the rest shape that is part of it.
LyraStatus ly_force_create_on_mesh(LyraContext *ctx, const LyraMesh *mesh,
                                   const LyraForceType *type, void *self, LyRest *rest,
                                   const double *parameters, LyraForce **out);

/// What an assembly is made of.
typedef struct LyAssemblyDef {
    int32_t vertex_count;    // that it evaluates
    const double *positions; // at rest, of all vertices that `order` names, [3] each
    int32_t force_count;
    LyraForce *const *forces;
    /// Vertex that the stencils of each force count from, [force_count]. Nullable: 0.
    const int32_t *first;
    /// Vertex at each internal place, [vertex_count], and the internal place of each vertex that
    /// stencils name; they outlive the assembly. Nullable, both: along a curve.
    const int32_t *order, *place;
    /// Pattern that holds all the blocks, in that order; outlives the assembly. Nullable: one of
    /// its own.
    const LyraBlockPattern *pattern;
    const double *middle; // from which near positions are counted, [3]. Nullable: of the box
    bool upper;           // the matrices; full ones else. All forces must be symmetric
    /// Displacements and velocities come for all vertices, but gradients go to those of `order`
    /// alone, in that order.
    bool compact;
} LyAssemblyDef;

/// Pattern of the blocks of forces, and of further pairs of vertices, with rows by `place`.
typedef struct LyPatternDef {
    int32_t row_count;
    bool upper;
    int32_t force_count;
    LyraForce *const *forces;
    const int32_t *first; // [force_count]. Nullable: 0
    const int32_t *place; // row of each vertex
    int64_t pair_count;
    const int32_t *pairs; // vertices, [pair_count][2]
} LyPatternDef;

LyraStatus ly_force_pattern(LyraContext *ctx, const LyPatternDef *def, LyraBlockPattern **out);

LyraStatus ly_assembly_create(LyraContext *ctx, const LyAssemblyDef *def, LyraAssembly **out);

/// det F of elements with 4 or 8 nodes, ids [element_count][nodes], from positions `rest` to `x`,
/// as lyra_elastic_det_f() has it.
LyraDetF ly_det_f(LyraContext *ctx, int32_t nodes, int32_t element_count, const int32_t *elements,
                  const double *rest, const double *x);

/// Takes `other`, of further elements, in.
void ly_det_f_join(LyraDetF *all, const LyraDetF *other);

/// Most numbers that a stencil may remember.
#define LY_HISTORY_MAX 640

/// The first history of one stencil, into one lane of a batch.
void ly_history_init_lane(const LyraForceType *type, const void *self, int32_t element,
                          const int32_t *order, double *lane);

/// The first history of all stencils of a force, and one number of theirs, [stencil_count].
void ly_history_begin(const LyraAssembly *assembly, int32_t force, double *history);
LyraStatus ly_history_read(const LyraAssembly *assembly, int32_t force, int32_t component,
                           const double *history, double *values);
LyraStatus ly_history_set(const LyraAssembly *assembly, int32_t force, int32_t component,
                          const double *values, double *history);

/// Of forces with nodal pressure, see nodal.h.
typedef struct LyNodalPressure LyNodalPressure;
typedef struct LyNodalPressureWork LyNodalPressureWork;

/// The stencils of one force in batches. Arrays have a last index of LYRA_BATCH_WIDTH lanes.
typedef struct LyBatches {
    const LyraForce *force;
    int32_t first; // vertex that the stencils count from
    int32_t batch_count;
    int32_t slot_count; // per stencil
    int32_t *count;     // [batch], live lanes
    int32_t *element;   // [batch][lane]
    int32_t *vertex;    // [batch][node][lane], internal places
    int32_t *slot;      // [batch][slot][lane]; ~place where the transpose goes; see LyDiagonal
    double *constants;  // [batch][constant][lane]
    double *parameters; // [batch][parameter][lane]
    // doubles between the parameters that batches read: 0 where all stencils have the same, so that
    // one copy stays in the cache
    int64_t parameter_stride;
    int64_t history_begin;  // first double of this force in a history block
    LyNodalPressure *nodal; // Nullable
} LyBatches;

/// Vertices are halved again and again into a binary tree of ranges; a stencil belongs to the
/// smallest range that holds all its vertices. Nodes of one level touch different vertices, so they
/// run side by side; a node follows its two halves, from the leaves up. Sizes come from the vertex
/// count alone.
typedef struct LyRangeTree {
    int32_t vertex_count;
    int32_t levels;     // at least 1; level 0 has 2^(levels - 1) leaves
    int32_t node_count; // 2^levels - 1, leaves first, then level by level
} LyRangeTree;

/// The batches [begin, end) of one force that belong to a node of the tree.
typedef struct LyNodeRun {
    int32_t force, begin, end;
} LyNodeRun;

/// Diagonal blocks of a matrix whose rows sum to zero, as those of translation-invariant forces do:
///   K_ii = - sum over j > i of K_ij - (sum over j < i of K_ji)^T.
/// Where all forces of an assembly are such, stencils add only their blocks beside the diagonal and
/// have slots for these alone: per tet six blocks instead of ten.
typedef struct LyDiagonal {
    const int64_t *row_start; // of the pattern, which is stored upper: the diagonal begins a row
    int64_t *column_start;    // [vertex_count + 1]
    int32_t *column_block;    // blocks above the diagonal, column by column
} LyDiagonal;

/// What a force sees of where its nodes are: displacements, positions counted from the middle of
/// the rest positions, where moving all nodes changes nothing, or positions as they are.
typedef enum LyPlace { LY_PLACE_DISPLACED, LY_PLACE_NEAR, LY_PLACE_TRUE, LY_PLACES } LyPlace;

LyPlace ly_force_place(const LyraForceType *type);

/// Writes what a force sees of the vertex at an internal place `id`.
void ly_place_vertex(const LyraAssembly *assembly, LyPlace place, const LyraEvaluation *evaluation,
                     int32_t id, double out[3]);

/// Scratch of evaluations: an assembly stays as it is while several evaluate it, each with its own.
typedef struct LyAssemblyWork {
    LyraContext *ctx;
    double *places[LY_PLACES]; // [vertex_count][4], internal order; NULL if no force needs them
    double *gradient;          // the same
    double *v;                 // the same; NULL if no force needs velocities
    double *directions;        // [3][vertex_count][4]: a, b, contraction; made when first needed
    double *energy;            // [node_count]
    LyraDetF *node_det;        // [node_count]; NULL unless ly_assembly_finds_det()
    LyraDetF *det;             // set by the caller: evaluations write det F here. Nullable
    atomic_int *arrivals;      // [node_count], halves of a node that are done
    LyraArena **arenas;        // [thread_count]
    /// History of each force where it does not lie in that of the evaluation, [force_count].
    const double **history;
    double **trial_history;      // the same of what is written
    LyNodalPressureWork **nodal; // of each force, [force_count]; NULL: without nodal pressure
    int32_t force_count;
} LyAssemblyWork;

struct LyraAssembly {
    LyraContext *ctx;
    int32_t vertex_count, force_count;
    LyRangeTree tree;
    bool symmetric;
    bool zero_sums;                // the diagonal is summed last
    bool lent_order, lent_pattern; // they are another's
    bool compact;                  // see LyAssemblyDef
    LyDiagonal diagonal;           // if zero_sums
    const int32_t *order;          // [vertex_count], caller's vertex at each internal place
    const int32_t *place;          // internal place of each vertex
    const LyraBlockPattern *pattern;
    LyBatches *batches; // [force_count]
    int64_t *run_start; // [tree nodes + 1], first of the runs of each node
    LyNodeRun *runs;    // by node, in it by force; those with batches alone
    int64_t history_size;
    uint64_t version;       // changes with every parameter that is set
    double *rest;           // [vertex_count][3], internal order
    double middle[3];       // from which near positions are counted
    size_t scratch_bytes;   // most that a kernel pushes
    pthread_mutex_t lock;   // of what follows
    LyAssemblyWork *shared; // of evaluations without a scratch of their own; made by the first
};

/// Whether evaluations can find det F in passing: where one force of all is solid, of tets.
bool ly_assembly_finds_det(const LyraAssembly *assembly);

LyraStatus ly_assembly_work_create(LyraContext *ctx, const LyraAssembly *assembly,
                                   LyAssemblyWork **out);
void ly_assembly_work_destroy(LyAssemblyWork *work);

/// History of force `force` in an evaluation; NULL: none.
const double *ly_history_at(const LyAssemblyWork *work, const LyBatches *batches, int32_t force,
                            const LyraEvaluation *evaluation);

/// lyra_assembly_evaluate() with a scratch of the caller's.
LyraStatus ly_assembly_evaluate(const LyraAssembly *assembly, LyAssemblyWork *work,
                                const LyraEvaluation *evaluation);

/// Finds what forces with nodal pressure need before their kernels run; with `slopes` of tangents.
void ly_assembly_prepare_nodal(const LyraAssembly *assembly, LyAssemblyWork *work,
                               const LyraEvaluation *evaluation, bool slopes);

/// The same of lyra_assembly_evaluate_stencils().
LyraStatus ly_assembly_evaluate_stencils(const LyraAssembly *assembly, LyAssemblyWork *work,
                                         int32_t force, const LyraEvaluation *at, double *energies,
                                         double *gradients);

/// What a kernel needs to run a range of batches.
typedef struct LyRun {
    const LyBatches *batches;
    const LyraEvaluation *evaluation;
    bool symmetric;        // matrices are stored upper
    bool zero_sums;        // without the diagonal
    const double *x, *v;   // [vertex][4]; x is what the force sees of places
    double *gradient;      // [vertex][4], Nullable
    double *dfdx, *dfdv;   // values, Nullable
    const double *a, *b;   // [vertex][4], Nullable without contraction
    double *contraction;   // [vertex][4], Nullable
    LyraDetF *det;         // of the elements, added to what is there. Nullable
    const double *history; // of the force. Nullable
    double *trial_history;
    const double *nodal; // means of nodal pressure, [vertex][2]. Nullable
} LyRun;

/// Runs batches [begin, end) and returns the sum of their energies. Pushes at most
/// ly_run_scratch() bytes and what the type declares.
typedef double LyRunKernel(const LyRun *run, int32_t begin, int32_t end, LyraArena *arena);
LY_KERNEL_DECLARE(LyRunKernel, ly_force_run);

/// Writes the diagonal blocks of rows [begin, end).
typedef void LyDiagonalKernel(const LyDiagonal *diagonal, int32_t begin, int32_t end,
                              double *values);
LY_KERNEL_DECLARE(LyDiagonalKernel, ly_force_diagonal);

/// Sets the stride of parameters by their values.
void ly_batches_set_stride(LyBatches *batches);

size_t ly_run_scratch(void);

int32_t ly_range_tree_level_begin(const LyRangeTree *tree, int32_t level);
int32_t ly_range_tree_level_size(const LyRangeTree *tree, int32_t level);
/// First internal place of a leaf; the next leaf begins where it ends.
int32_t ly_range_tree_leaf_begin(const LyRangeTree *tree, int32_t leaf);

#endif
