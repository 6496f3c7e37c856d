// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Sparse Cholesky and LDL^T factors of our own, by fronts (the multifrontal method [DR83],
// [Liu92]). The analysis, once per pattern, orders the unknowns, finds which columns of the factor
// share their rows, and plans all memory; fronts.c computes with it.

#ifndef LY_SOLVE_FRONTS_H
#define LY_SOLVE_FRONTS_H

#include "base/base.h"
#include "lyra/reorder.h"
#include "lyra/solver.h"
#include "math/kernel.h"

// ---- one front ----------------------------------------------------------------------------------

/// Rows that lie side by side in memory.
#define LY_PANEL 8

/// Dense trapezoid of a front: `width` pivots and `height` rows below them.
///
/// Rows are stored in panels of LY_PANEL, a panel column by column, so that LY_PANEL rows of a
/// column are one line of the cache. Panel i of the pivots ends with its diagonal block and starts
/// at 64 i (i + 1) / 2; the panels below, of `width` columns each, follow. Rows that fill the last
/// panel of either part up are 0. What is above the diagonal is never read.
///
/// A factor in single precision has `singles` in place of `values` once the front is done.
typedef struct LyTrapezoid {
    double *values;
    const float *singles;
    int32_t width, height;
} LyTrapezoid;

static inline int32_t ly_panel_count(int32_t rows)
{
    return (rows + LY_PANEL - 1) / LY_PANEL;
}

/// Numbers of a triangle of `panels` panels, and where its panel `panels` would start.
static inline int64_t ly_triangle_room(int64_t panels)
{
    return LY_PANEL * LY_PANEL * (panels * (panels + 1) / 2);
}

static inline int64_t ly_trapezoid_room(int32_t width, int32_t height)
{
    return ly_triangle_room(ly_panel_count(width)) +
           (int64_t)LY_PANEL * width * ly_panel_count(height);
}

/// Where panel `i`, counted through both parts, starts.
static inline int64_t ly_trapezoid_place(const LyTrapezoid *front, int32_t i)
{
    int32_t pivots = ly_panel_count(front->width);
    return i < pivots ? ly_triangle_room(i)
                      : ly_triangle_room(pivots) + (int64_t)LY_PANEL * front->width * (i - pivots);
}

static inline double *ly_trapezoid_panel(const LyTrapezoid *front, int32_t i)
{
    return front->values + ly_trapezoid_place(front, i);
}

/// Pivots that are eliminated before the rows below them are visited.
#define LY_FRONT_BLOCK 64
/// Right-hand sides that are solved together.
#define LY_FRONT_GROUP 8

/// What happens inside a front, compiled once per instruction set. `signs`: those of the pivots,
/// [width], for F = L S L^T; NULL for F = L L^T.
typedef struct LyFrontKernels {
    /// Finishes the rows of the pivots [begin, end) in the columns [begin, end). Returns 0 or the
    /// number, from 1, of the pivot that is not positive; with `signs`, which are then written,
    /// that is 0 or not finite.
    int32_t (*diagonal)(const LyTrapezoid *front, int32_t begin, int32_t end, double *signs);
    /// Finishes the columns [begin, end), whose own rows are finished, in panels [first, last).
    void (*below)(const LyTrapezoid *front, int32_t begin, int32_t end, int32_t first, int32_t last,
                  const double *signs);
    /// C -= B B^T with the rows B below the pivots: rows of panels [first, last), columns of panels
    /// [left, right). C is a triangle of panels.
    void (*update)(const LyTrapezoid *front, double *C, int32_t first, int32_t last, int32_t left,
                   int32_t right, const double *signs);

    /// x = L^-1 x for the pivots, x filled up with 0 to whole panels. One number per row, or
    /// LY_FRONT_GROUP side by side, with a factor in double precision.
    void (*solve)(const LyTrapezoid *front, bool group, double *x);
    /// y -= B x, panels [first, last) of the rows below.
    void (*apply)(const LyTrapezoid *front, bool group, const double *x, int32_t first,
                  int32_t last, double *y);
    /// x -= B^T y, panels [first, last) of the pivots.
    void (*apply_transposed)(const LyTrapezoid *front, bool group, const double *y, int32_t first,
                             int32_t last, double *x);
    /// x = L^-T x.
    void (*solve_transposed)(const LyTrapezoid *front, bool group, double *x);
} LyFrontKernels;

LY_KERNEL_DECLARE(const LyFrontKernels, ly_front_kernels);

// ---- analysis -----------------------------------------------------------------------------------

/// Columns that share their rows. Nodes are what the graph has: vertices of 3 unknowns, or
/// unknowns.
typedef struct LyFront {
    int32_t first;  // node of its first pivot, in the order of elimination
    int32_t width;  // nodes of pivots
    int32_t height; // nodes of rows below
    int32_t parent; // -1: none
    int32_t child;  // its first, -1: none; children are numbered before it
    int32_t next;   // of the same parent, -1: none
    int64_t rows;   // its first in LyFronts::rows
    int64_t values; // its trapezoid in the factor
    int64_t pivot;  // its pivots in vectors of the order of elimination
    int64_t below;  // its rows in vectors of what is passed on
    int64_t passed; // its triangle that is passed on, in the memory that `area` says
    int8_t area;    // 0, 1: one of two stacks; 2: kept
    bool top;       // done on all threads, one front after the other
} LyFront;

/// A tree of fronts, children before parents.
typedef struct LyFronts {
    LyraContext *ctx;
    int32_t node_count, node_size; // of node_size unknowns each
    int32_t count;
    LyFront *fronts;   // [count]
    int32_t *order;    // order[new node] = old node, [node_count]
    int32_t *inverse;  // [node_count]
    int32_t *front_of; // by new node, [node_count]
    int32_t *rows;     // new nodes below the pivots, ascending, [row_count]
    int32_t *place;    // of a row in the front of the parent, its pivots first, [row_count]
    int64_t row_count;

    // subtrees that one thread does: fronts [begin, end]
    int32_t tree_count;
    int32_t *tree_begin, *tree_end; // [tree_count]

    // rooms, in numbers
    int64_t values_room; // factor
    int64_t pivot_room;  // vectors over pivots, and over rows below
    int64_t below_room;
    int64_t tree_stack[2]; // of a thread
    int64_t top_stack[2];
    int64_t kept_room;
    int64_t tree_front; // largest front of a subtree, and of those above
    int64_t top_front;
    int32_t widest; // unknowns of a front's rows below

    // cost
    int64_t entries; // of the factor without zeros that were added
    double flops;    // of the factor, products and sums counted apart
} LyFronts;

/// Analyzes a graph whose nodes stand for `node_size` unknowns each, in the order `order` or one of
/// its own that changes nothing in fill. On failure `out` is empty.
LyraStatus ly_fronts_create(LyraContext *ctx, LyraGraph graph, int32_t node_size,
                            const int32_t *order, LyFronts *out);
void ly_fronts_destroy(LyFronts *fronts);
int64_t ly_fronts_bytes(const LyFronts *fronts);

// ---- numbers ------------------------------------------------------------------------------------

/// How the numbers of a factor are held. Computed in doubles they are either way.
typedef struct LyFrontHolding {
    bool single;    // in single precision: half the memory, for preconditioners
    bool transient; // memory to factor in is there only while it is needed, if it is large
} LyFrontHolding;

/// A node of the matrix, node_size x node_size entries, in a front.
typedef struct LyFrontEntry {
    int64_t source;      // twice its number in the matrix, and 1 if it is transposed
    int32_t row, column; // of its first entry; rows count through pivots and rows below
} LyFrontEntry;

/// A factor on an analysis, which must outlive it.
typedef struct LyFrontFactor {
    const LyFronts *fronts;
    const LyFrontKernels *kernels;
    LyFrontHolding holding;
    int64_t source_count;  // nodes that the matrix stores
    int64_t entry_count;   // ... and those of one triangle
    int64_t *entry_start;  // of a front's entries, [count + 1]
    LyFrontEntry *entries; // [entry_count]
    double *values;        // [values_room], or:
    float *singles;        // [values_room]
    double *signs;         // of the pivots, [pivot_room]
    double *scratch; // stacks and fronts at hand of all threads, of the top; then what is kept
    int64_t *base;   // scratch of assembly, [threads][3 widest]
    int64_t *failed; // of a subtree: the pivot that failed, -1: none, [tree_count + 1]
    double *x, *y;   // vectors over pivots and rows below, of `group` numbers each
    int32_t group;   // 0: not made yet
} LyFrontFactor;

/// Makes room for a factor of A, of blocks or CSR, whose graph was analyzed. Of a symmetric matrix
/// that stores both triangles, the upper one is read.
LyraStatus ly_front_factor_create(const LyFronts *fronts, const LyraOperator *A,
                                  LyFrontHolding holding, LyFrontFactor *out);
void ly_front_factor_destroy(LyFrontFactor *factor);
int64_t ly_front_factor_bytes(const LyFrontFactor *factor);

/// What a factor is made of.
typedef struct LyFrontInput {
    const LyraOperator *A; // on the pattern of create
    const double *added;   // to its diagonal, by old number, [size]. Nullable: nothing
    bool indefinite;
} LyFrontInput;

/// Factors. `failed` is the unknown, by old number, whose pivot is not positive, or -1; with
/// `indefinite`, one whose pivot is 0 or not finite. LYRA_INVALID_ARGUMENT where A has another
/// pattern; allocates where memory is transient or was let go.
LyraStatus ly_front_factor_compute(LyFrontFactor *factor, const LyFrontInput *input,
                                   int64_t *failed);

/// Lets the numbers go until the next factor, where memory is transient.
void ly_front_factor_rest(LyFrontFactor *factor);

/// The pivots, d of L D L^T, by old number, [size].
void ly_front_factor_pivots(const LyFrontFactor *factor, double *pivots);

/// X = A^-1 B, [columns][size]. The two may overlap if they are the same. Allocates the first time,
/// and the first time for more than one column of a factor in double precision.
LyraStatus ly_front_factor_solve(LyFrontFactor *factor, int32_t columns, const double *B,
                                 double *X);

#endif
