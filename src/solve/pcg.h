// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// The inside of "pcg" on block matrices: a copy of the matrix, scaled and in a layout of its own,
// in single or double precision, and what iterates on it.
//
// Scaling. With C_i C_i^T the diagonal block of vertex i (its diagonal, or a number, for weaker
// preconditioners) and C their block diagonal, everything inside works on
//     A~ = C^-1 A C^-T,   x~ = C^T x,   b~ = C^-1 b.
// Blocks of A~ of a positive definite A are at most 1 in norm, so floats neither overflow nor lose
// small parts, whatever the units.
//
// Order. Rows are put in an order of the copy's own: a sweep through the body, along its longest
// axis where positions are known and along breadth-first levels otherwise. It is cut, by the number
// of rows and the pattern alone, into domains of one size and thin separators between them, so that
// domains touch separators only; where separators are few, each is cut across in turn, into two
// halves and what is between these. Domains are the first colour, separators or their halves the
// second, what is between halves the third, a few rows that touch others far away the last; pieces
// of one colour, all of which are called domains in what follows, do not touch each other. The
// colours follow each other in the order, so that all of one colour can be swept at once, by any
// number of threads, to the same bits, and no coupling is left out: the sweeps are those of the
// whole matrix in this order. Entries between domains are kept apart, in both orientations, so that
// none writes to another.
//
// Shares. Loops that need no order between colours go over shares: a domain of the first colour and
// its part of the others, about what the thread that has the domain has of their sweeps.
// A~ = L + D + L^T, with D = I where blocks are scaled whole.
//
// Vectors have four numbers per vertex, the fourth zero.

#ifndef LY_SOLVE_PCG_H
#define LY_SOLVE_PCG_H

#include "lyra/dense.h"
#include "math/kernel.h"
#include "solve/solve.h"

/// Numbers after the last block, so that vector loads of it stay inside.
#define LY_PCG_PAD 8

/// Vertices from which on there may be a coarse space by default.
#define LY_PCG_COARSE_ROWS 1000

/// Most domains of a matrix, of all colours.
#define LY_PCG_DOMAINS_MAX 32
#define LY_PCG_COLOURS_MAX 4

/// What a domain's kernels see. Arrays of numbers are of the precision of the kernels.
typedef struct LyPcgPiece {
    int32_t row_begin, row_end;
    const int64_t *row_start; // blocks right of the diagonal and inside the domain, [rows + 1]
    const int32_t *column;
    const void *values; // [blocks][9], row-major
    // entries that lead out of the domain: below the diagonal to earlier colours, above to later
    bool below, above;              // whether there are such colours
    int32_t outer_begin, outer_end; // rows that have some, as places in outer_row
    const int32_t *outer_row;
    const int64_t *outer_start;  // [outer rows + 1]
    const int64_t *outer_middle; // first entry above the diagonal, [outer rows]
    const int32_t *outer_column;
    const void *outer_values;
    const void *diagonal; // D, [rows][9]; NULL: the identity
    // projections of constrained rows, ascending
    int32_t filter_begin, filter_end;
    const int32_t *filter_row;
    const void *filter; // [filters][9], symmetric
} LyPcgPiece;

/// Where values come from and how they are scaled: value = scale[row] A scale[column]^T.
typedef struct LyPcgCopy {
    const double *values;        // of the matrix
    const double *scale;         // C^-1, [rows][9], lower triangular
    const int32_t *source;       // place in the matrix of each block; ~place for the transpose
    const int32_t *outer_source; // the same of outer blocks
    double *total;               // set to the sum of all entries of the blocks that are copied
} LyPcgCopy;

/// Vectors of a deflated iteration: p = z - Z mu + beta p, q = z + w + beta q.
typedef struct LyPcgCombine {
    const int32_t *of; // aggregate of each row
    const void *Z, *mu, *r, *z, *w;
    double beta;
    void *p, *q;
} LyPcgCombine;

/// Blocks of rows of the coarse space, see LyPcgKernels.
typedef struct LyPcgRowBlocks {
    const int64_t *start;
    const int32_t *touched;
    const void *V;
} LyPcgRowBlocks;

/// One precision on one instruction set.
typedef struct LyPcgKernels {
    /// t = (I + L^T)^-1 p, filtered. The last colour first. t may be p.
    void (*backward)(const LyPcgPiece *piece, const void *p, void *t);
    /// w = (I + L)^-1 w, filtered. The first colour first.
    void (*forward)(const LyPcgPiece *piece, void *w);
    /// y = (I + L) x; for norms of residuals.
    void (*lower)(const LyPcgPiece *piece, const void *x, void *y);
    /// y = P~ (D + L + L^T) x.
    void (*product)(const LyPcgPiece *piece, const void *x, void *y);
    /// v = P~ v.
    void (*project)(const LyPcgPiece *piece, void *v);
    /// z = Q r with a 3x3 block per row.
    void (*blocks)(int32_t begin, int32_t end, const void *Q, const void *r, void *z);
    // vectors, rows [begin, end)
    double (*dot)(int32_t begin, int32_t end, const void *x, const void *y);
    /// p = z + beta p.
    void (*direct)(int32_t begin, int32_t end, const void *z, double beta, void *p);
    /// w = p - t.
    void (*subtract)(int32_t begin, int32_t end, const void *p, const void *t, void *w);
    /// With q = t + w: p . q, r . q and q . q.
    void (*joint)(int32_t begin, int32_t end, const void *p, const void *t, const void *w,
                  const void *r, double sums[3]);
    /// x += a p, r -= a (t + w); returns r . r. `t`: Nullable, zero.
    double (*step)(int32_t begin, int32_t end, double a, const void *p, const void *t,
                   const void *w, void *x, void *r);
    /// x += a p, r -= a (t + w), then p = r + beta p, with the factors a and beta; returns r . r.
    double (*advance)(int32_t begin, int32_t end, const double factors[2], const void *t,
                      const void *w, void *x, void *r, void *p);
    /// v = a C^-1 b, from doubles [rows][3] in the caller's order; whether all are finite.
    bool (*enter)(int32_t begin, int32_t end, const int32_t *order, const double *scale, double a,
                  const double *b, void *v);
    /// x += a C^-T v, to doubles [rows][3] in the caller's order.
    void (*leave)(int32_t begin, int32_t end, const int32_t *order, const double *scale, double a,
                  const void *v, double *x);
    /// |C v|^2 with the C of `root`, [rows][9] lower triangular.
    double (*norm)(int32_t begin, int32_t end, const double *root, const void *v);
    // the coarse space; a row has 3x6 blocks for the aggregates touched[start[i] .. start[i + 1])

    /// sums += V^T v, [aggregates][8].
    void (*gather)(int32_t begin, int32_t end, const int64_t *start, const int32_t *touched,
                   const void *V, const void *v, double *sums);

    /// w = r - z - V mu.
    void (*deflate)(int32_t begin, int32_t end, const LyPcgRowBlocks *blocks, const void *mu,
                    const void *r, const void *z, void *w);

    /// z += Z mu with the one block of each row.
    void (*spread)(int32_t begin, int32_t end, const int32_t *of, const void *Z, const void *mu,
                   void *z);

    /// Does what LyPcgCombine says; returns r . q.
    double (*combine)(const LyPcgCombine *combine, int32_t begin, int32_t end);

    /// Copies and scales the blocks of a piece; returns whether all are finite.
    bool (*copy)(const LyPcgPiece *piece, const LyPcgCopy *copy, void *values, void *outer_values);
} LyPcgKernels;

LY_KERNEL_DECLARE(const LyPcgKernels, ly_pcg_kernels_float);
LY_KERNEL_DECLARE(const LyPcgKernels, ly_pcg_kernels_double);

/// A pivot this small against its diagonal entry is a zero.
#define LY_PCG_PIVOT_MIN 1e-14
/// Between these the squares of entries are far from the ends of the range.
#define LY_PCG_ORDINARY_MIN 1e-100
#define LY_PCG_ORDINARY_MAX 1e100

/// C C^T = A and S = C^-1 for the blocks A at block[0 .. lanes), one per lane, into C and S, [9]
/// per lane, of which the lower triangles are written. Returns a bit for each lane that is as
/// ordinary as this needs; the others are to be done anew.
typedef uint32_t LyPcgRoots(const double *const *block, double *C, double *S);
LY_KERNEL_DECLARE(LyPcgRoots, ly_pcg_roots);

typedef enum LyPcgKind {
    LY_PCG_NONE = 0,
    LY_PCG_JACOBI,
    LY_PCG_BLOCK_JACOBI,
    LY_PCG_SSOR,
    LY_PCG_IC0,
} LyPcgKind;

/// Lets the following solves of a "pcg" be watched. `watch`: Nullable: none.
void ly_pcg_watch(void *self, LyWatch *watch);

/// Vectors that an analyzed "pcg" needs while it solves only, [4 size].
double *ly_pcg_idle(void *self);

// ---- the copy -----------------------------------------------------------------------------------

/// The scaled copy of a block matrix. Made by analyze, filled by factor.
typedef struct LyPcgMatrix {
    LyraContext *ctx;
    LyPcgKernels kernels;
    LyPcgKind kind;
    size_t real; // bytes of a number
    int32_t rows;
    int32_t *order, *place; // row of the matrix at each place, and the inverse
    int32_t domains, colours;
    int32_t colour_begin[LY_PCG_COLOURS_MAX + 1]; // first domain of each colour
    int32_t *domain_begin;                        // [domains + 1]
    // domain s of the first colour begins share s; the next of the same share, -1: none, [domains]
    int32_t shares, *share_next;
    int64_t *row_start; // [rows + 1]
    int32_t *column, *source;
    void *values;
    int32_t outer_rows;
    int32_t *outer_row, *outer_begin; // [outer_rows], [domains + 1]
    int64_t *outer_start, *outer_middle;
    int32_t *outer_column, *outer_source;
    void *outer_values;
    double *scale, *root; // C^-1 and C, [rows][9], lower triangular
    double scale_max;     // largest entry of `scale`
    double share;         // 1^T A 1 / 1^T diag A 1, see pcg.c
    void *diagonal;       // D, for scalings that do not make it 1. Nullable
    // block IC(0): values of W and the inverse of Lambda; see pcg_ic0.c
    void *ic_values, *ic_blocks;
    double *ic_work; // [blocks + rows][9]
    // constraints, in scaled coordinates
    int32_t filters, filters_max;
    int32_t *filter_row, *filter_begin; // [filters_max], [domains + 1]
    int32_t *filter_first;              // scratch, [rows]
    void *filter;
    uint64_t filter_version;
    const uint8_t *scalar; // rows of A that no rigid motion moves, lent. NULL: none
    bool rescued; // a diagonal block holds only thanks to constraints: new ones need a new copy
    int64_t blocks, outer_blocks;
    int64_t bytes;
    const int32_t *labels; // of vertices in messages. Nullable
} LyPcgMatrix;

/// Takes the pattern of a symmetric block matrix; `filtered` makes room for constraints.
/// `positions` [rows][3] guide the order. Nullable: unknown.
LyraStatus ly_pcg_matrix_create(LyraContext *ctx, const LyraBlockPattern *pattern,
                                const double *positions, LyPcgKind kind, bool single, bool filtered,
                                LyPcgMatrix **out);
void ly_pcg_matrix_destroy(LyPcgMatrix *matrix);

/// Order and domains of rows; see the head. See pcg_order.c.
typedef struct LyPcgOrder {
    int32_t domains, colours;
    int32_t colour_begin[LY_PCG_COLOURS_MAX + 1];
    int32_t begin[LY_PCG_DOMAINS_MAX + 1];
} LyPcgOrder;

/// Writes `order` [rows] and its cut. `one` asks for a single domain.
LyraStatus ly_pcg_order(LyraContext *ctx, const LyraBlockPattern *pattern, const double *positions,
                        bool one, int32_t *order, LyPcgOrder *out);

/// Takes the values. LYRA_NOT_FINITE, LYRA_NOT_POSITIVE_DEFINITE (a diagonal block is not) and
/// LYRA_SINGULAR (a row of zeros), with the vertex in the sentence.
LyraStatus ly_pcg_matrix_set(LyPcgMatrix *matrix, const LyraBlockMatrix *A,
                             const LyraConstraints *constraints);

/// Takes the directions of now. Nullable: none.
LyraStatus ly_pcg_matrix_filter(LyPcgMatrix *matrix, const LyraConstraints *constraints);

/// The piece of a domain, with the values of A~ or, with `ic`, of the incomplete factor.
LyPcgPiece ly_pcg_piece(const LyPcgMatrix *matrix, int32_t domain, bool ic);

/// Block IC(0) of the copy, which has one domain, with a diagonal shift that grows until it exists.
LyraStatus ly_pcg_ic0_factor(LyPcgMatrix *matrix, double *shift);

// ---- the coarse space ---------------------------------------------------------------------------

typedef struct LyPcgCoarse LyPcgCoarse;

/// Aggregates of about `aggregate` vertices (0: by size) along the Hilbert curve of `positions`,
/// [rows][3], copied. `pattern` is that of the copy.
LyraStatus ly_pcg_coarse_create(const LyPcgMatrix *matrix, const LyraBlockPattern *pattern,
                                const double *positions, int32_t aggregate, LyPcgCoarse **out);
void ly_pcg_coarse_destroy(LyPcgCoarse *coarse);
int32_t ly_pcg_coarse_size(const LyPcgCoarse *coarse);
int64_t ly_pcg_coarse_bytes(const LyPcgCoarse *coarse);

/// Takes the values of A, and the scaling and filters of the copy.
/// LYRA_NOT_POSITIVE_DEFINITE when Z^T A Z is not.
LyraStatus ly_pcg_coarse_factor(LyPcgCoarse *coarse, const LyraBlockMatrix *A);

/// z += Z (Z^T A~ Z)^-1 Z^T r, filtered.
void ly_pcg_coarse_add(LyPcgCoarse *coarse, const void *r, void *z);

/// The same in doubles and in the caller's coordinates: x += C^-T Z (Z^T A~ Z)^-1 Z^T C^-1 r.
void ly_pcg_coarse_correct(LyPcgCoarse *coarse, const double *r, double *x);

// ---- the iteration ------------------------------------------------------------------------------

/// Steps that the estimate of the energy norm lags behind; see cg.c.
#define LY_PCG_DELAY 10

/// How an inner iteration ended.
typedef enum LyPcgEnd {
    LY_PCG_MET = 0,   // the goal, the recurrence says
    LY_PCG_RENEW,     // the residual fell to `target`, before the energy norm did
    LY_PCG_LIMIT,     // of iterations
    LY_PCG_CURVATURE, // p . A p <= 0
    LY_PCG_BROKEN,    // numbers that are not finite
} LyPcgEnd;

typedef struct LyPcgInner {
    LyPcgMatrix *matrix;
    LyPcgCoarse *coarse;     // Nullable
    void *x, *r, *z, *p, *q; // [rows][4]
    void *w;                 // the same, where the iteration is deflated
    double sums[LY_PCG_DOMAINS_MAX];
    // of Eisenstat's form, over domains: p . q, r . q, q . q, and r . r
    double joint[LY_PCG_DOMAINS_MAX][3], squares[LY_PCG_DOMAINS_MAX];
    // goal, in the units of the right-hand side that was entered
    LyraSolverStop stop;
    double target;      // for |C r~|
    double tolerance;   // LYRA_STOP_ENERGY: for |x - x*|_A / |x|_A
    double energy_base; // LYRA_STOP_ENERGY: added to `gained`, |x|_A^2
    int32_t iterations_max;
    // Goes on with the direction of the last call, r having been computed anew: `rescale` is the
    // ratio of the factors with which the last r and this one were entered.
    bool resume;
    double rescale;
    // kept from call to call
    double rz, terms[LY_PCG_DELAY];
    int64_t term_count;
    // outcome
    int32_t iterations;
    const void *direction; // at LY_PCG_CURVATURE: the one, in scaled coordinates
    double gained;         // sum of alpha r.z: squared energy norm of the correction
    double start, end;     // norm of the residual in the variables of the iteration
} LyPcgInner;

/// Whether the coarse space is deflated from Eisenstat's iteration; it is added otherwise.
bool ly_pcg_is_deflated(const LyPcgInner *inner);

/// One step of the deflated iteration (pcg_deflate.c) up to p and q = A^ p; returns p . q.
double ly_pcg_deflated_step(LyraContext *ctx, LyPcgInner *inner, double beta);

/// Iterates on A~ x = r from x = 0; r holds the right-hand side (entered, filtered) and is
/// destroyed. x holds the last x~ at the end.
LyPcgEnd ly_pcg_inner(LyraContext *ctx, LyPcgInner *inner);

/// The part of `gained` that the last LY_PCG_DELAY steps made: about the squared error before them.
double ly_pcg_last_gain(const LyPcgInner *inner);

/// z = M^-1 r in the precision of the copy: r, z in scaled coordinates, r filtered.
void ly_pcg_precondition(LyraContext *ctx, LyPcgInner *inner, const void *r, void *z);

// ---- refinement ---------------------------------------------------------------------------------

/// What ly_pcg_refine works with.
typedef struct LyPcgRefine {
    const LyraOperator *A;
    const LyraConstraints *constraints; // Nullable
    LyPcgInner *inner;
    LyraSolverStop stop;
    double tolerance;
    int32_t iterations_max;
    bool truncate;
    bool doubles;   // the copy serves as a preconditioner only
    LyWatch *watch; // Nullable
    double *work;   // [4 size]
} LyPcgRefine;

/// Solves P A P x = P b to the tolerance in doubles by corrections from the inner iteration; the
/// contract is that of ly_cg().
LyraStatus ly_pcg_refine(LyraContext *ctx, LyPcgRefine *refine, const double *b, bool warm,
                         double *x, LyraSolveReport *report);

#endif
