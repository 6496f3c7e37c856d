// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// What the files of solve share: the table of solvers, the choice of "auto", vectors whose sums do
// not depend on threads, and the plain conjugate gradient method on any preconditioner.

#ifndef LY_SOLVE_SOLVE_H
#define LY_SOLVE_SOLVE_H

#include "base/base.h"
#include "config.h"
#include "lyra/solver.h"

// ---- solvers ------------------------------------------------------------------------------------

extern const LyraSolverType ly_solver_pcg;
extern const LyraSolverType ly_solver_minres;
extern const LyraSolverType ly_solver_bicgstab;
extern const LyraSolverType ly_solver_gmres;
extern const LyraSolverType ly_solver_dense;
extern const LyraSolverType ly_solver_cholesky;
extern const LyraSolverType ly_solver_band;
#if LY_HAVE_CHOLMOD
extern const LyraSolverType ly_solver_cholmod;
#endif
#if LY_HAVE_UMFPACK
extern const LyraSolverType ly_solver_umfpack;
#endif
#if LY_HAVE_MUMPS
extern const LyraSolverType ly_solver_mumps;
#endif
#if LY_HAVE_SPOOLES
extern const LyraSolverType ly_solver_spooles;
#endif
/// Loaded at run time: one of the solvers if ly_pardiso_found().
extern const LyraSolverType ly_solver_pardiso;
bool ly_pardiso_found(void);
/// PCG whose preconditioner is an old factor, by "cholesky" or "dense".
extern const LyraSolverType ly_solver_factor_reuse;

/// The same for preconditioners that stay: memory to factor in is held only while it is needed.
extern const LyraSolverType ly_solver_cholesky_kept;
/// ... and the factor, of symmetric positive definite matrices, is in single precision.
extern const LyraSolverType ly_solver_cholesky_single;

/// Lets the numbers of an analyzed "cholesky" go until its next factor().
void ly_cholesky_rest(void *self);

/// Numbers of the factor of an analyzed "cholesky", and operations that make it.
void ly_cholesky_work(const void *self, double *entries, double *flops);

/// "auto" where it is to find out: sweeps or a kept factor.
extern const LyraSolverType ly_solver_adaptive;

/// Whether a type of the caller's has what it needs.
LyraStatus ly_solver_type_check(const LyraSolverType *type);

/// Names of solvers: those of lyra_solver_name(), then the registered ones.
const char *ly_solver_choice(const LyraContext *ctx, int32_t index);

/// Type by name. LYRA_INVALID_ARGUMENT with the list, LYRA_UNSUPPORTED for one this build lacks.
LyraStatus ly_solver_find(const LyraContext *ctx, const char *name, const LyraSolverType **out);

/// The choice of "auto" for a matrix of this form and size: by the rule of docs/solvers.md.
/// `constraints`: Nullable.
LyraStatus ly_solver_choose(LyraContext *ctx, const LyraOperator *A, const LyraSolverDef *def,
                            const LyraConstraints *constraints, const LyraSolverType **out);

/// Says which vertices are scalar nodes, `scalar` [vertices]: no rigid motion moves these. `order`:
/// the vertex at each place of the set. Nullable: as they are. `hold`: holds their second and third
/// unknown at 0, whatever is released, cleared or prescribed from here on; the set is empty yet.
LyraStatus ly_constraints_set_scalars(LyraConstraints *constraints, const uint8_t *scalar,
                                      const int32_t *order, bool hold);

/// Lends the flags, NULL without.
const uint8_t *ly_constraints_scalars(const LyraConstraints *constraints);

/// The same where directions hold all but the first unknown of each scalar node now; else NULL, as
/// where scalar nodes share a vertex (packed.h).
const uint8_t *ly_constraints_lone_scalars(const LyraConstraints *constraints);

/// What messages call vertex `v`.
static inline int64_t ly_vertex_label(const int32_t *labels, int64_t v)
{
    return labels ? labels[v] : v;
}

/// And unknown `i`.
static inline int64_t ly_unknown_label(const int32_t *labels, int64_t i)
{
    return 3 * ly_vertex_label(labels, i / 3) + i % 3;
}

// ---- memory -------------------------------------------------------------------------------------

/// As the functions of LyraSolverType; remember() is false, and nothing is written, where there is
/// nothing to remember.
uint64_t ly_solver_kept(const LyraSolver *solver);
void ly_solver_renew(LyraSolver *solver);
void ly_solver_hold(LyraSolver *solver, bool held);
bool ly_solver_remember(const LyraSolver *solver, double *memory);
LyraStatus ly_solver_recall(LyraSolver *solver, const double *memory, const LyraOperator *A);

// ---- vectors ------------------------------------------------------------------------------------

/// Sums over fixed pieces in fixed order: the same bits at any thread count.
double ly_vector_dot(LyraContext *ctx, int64_t count, const double *x, const double *y);
double ly_vector_norm(LyraContext *ctx, int64_t count, const double *x);

/// y = a x + b y; with b = 0, y is not read.
void ly_vector_axpby(LyraContext *ctx, int64_t count, double a, const double *x, double b,
                     double *y);
/// out = y + a x. `out` may be one of the two.
void ly_vector_sum(LyraContext *ctx, int64_t count, double a, const double *x, const double *y,
                   double *out);
/// The largest |x|, NaN left out; 0 for none.
double ly_vector_largest(LyraContext *ctx, int64_t count, const double *x);
void ly_vector_copy(LyraContext *ctx, int64_t count, const double *x, double *y);
void ly_vector_fill(LyraContext *ctx, int64_t count, double value, double *y);

/// Vertex order[i] of x becomes vertex i of y, three numbers each; y may not be x.
void ly_vector_sort(LyraContext *ctx, int32_t vertices, const int32_t *order, const double *x,
                    double *y);
/// Vertex i of x becomes vertex order[i] of y.
void ly_vector_unsort(LyraContext *ctx, int32_t vertices, const int32_t *order, const double *x,
                      double *y);

/// Place of the first value that is NaN or infinite, -1 where all are numbers.
int64_t ly_find_not_finite(LyraContext *ctx, int64_t count, const double *values);

// ---- conjugate gradients ------------------------------------------------------------------------

/// A callback that may end an iteration that converges too slowly.
typedef struct LyWatch {
    /// Whether to go on after `iterations`, which have brought the residual `progress` of the way
    /// from its start to its goal, in logarithms. Writes after how many to ask again.
    bool (*go_on)(void *user, int32_t iterations, double progress, int32_t *next);
    void *user;
    int32_t next; // iterations after which to ask first
    double best;  // the most progress so far; 0 at first
    bool ended;   // by go_on; the status is LYRA_NOT_CONVERGED
} LyWatch;

/// Asks; sets `ended`.
bool ly_watch_goes_on(LyWatch *watch, int32_t iterations, double start, double now, double goal);

/// The plain method in doubles, for operators and preconditioners of any kind.
typedef struct LyCg {
    const LyraOperator *A;
    const LyraConstraints *constraints; // filtered: answers in the range of P. Nullable
    /// z = B r, symmetric positive definite. Nullable: z = r.
    LyraStatus (*precondition)(void *user, const double *r, double *z);
    void *user;
    LyraSolverStop stop;
    double tolerance;
    int32_t iterations_max; // of one call
    bool truncate;
    bool follows;   // a warm start is an iterate of an iteration from zero: a direction of descent
    LyWatch *watch; // Nullable
    double watch_start; // residual from which the watch sees progress; 0: that of the first x
    double *work;       // [4 size]
} LyCg;

/// Solves P A P x = P b. LYRA_NOT_CONVERGED at the limit, LYRA_NOT_POSITIVE_DEFINITE on negative
/// curvature unless `truncate`, LYRA_NOT_FINITE when numbers overflow; x then holds the last
/// iterate. Adds to report->iterations and sets what it learns.
LyraStatus ly_cg(LyraContext *ctx, const LyCg *cg, const double *b, bool warm, double *x,
                 LyraSolveReport *report);

#endif
