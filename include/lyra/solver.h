// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

/// @file
/// Linear solvers behind one interface: analyze a pattern, factor values, solve, report. Which one
/// serves is a name; "auto" picks by size and kind of task, never by timing, so that runs repeat.

#ifndef LYRA_SOLVER_H
#define LYRA_SOLVER_H

#include "lyra/base.h"
#include "lyra/constraint.h"
#include "lyra/sparse.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Scalar sparse matrices, of lyra/csr.h.
typedef struct LyraCsrMatrix LyraCsrMatrix;

// ---- what is solved -----------------------------------------------------------------------------

/// Form in which a solver is given its matrix.
typedef enum LyraOperatorKind {
    LYRA_OPERATOR_BLOCK = 0, ///< 3x3 blocks, upper (symmetric) or full.
    LYRA_OPERATOR_CSR,       ///< Scalars, upper (symmetric) or full.
    LYRA_OPERATOR_DENSE,     ///< Column-major array.
    LYRA_OPERATOR_CALLBACK,  ///< A function that multiplies; for iterative solvers.
} LyraOperatorKind;

/// A square matrix A as solvers see it. Made by the functions below; lent, never owned.
typedef struct LyraOperator {
    LyraOperatorKind kind;
    int32_t size;                 ///< Unknowns.
    bool symmetric;               ///< Known to be symmetric.
    const LyraBlockMatrix *block; ///< For LYRA_OPERATOR_BLOCK.
    const LyraCsrMatrix *csr;     ///< For LYRA_OPERATOR_CSR.
    const double *dense;          ///< For LYRA_OPERATOR_DENSE, [size][size], column-major.
    /// For LYRA_OPERATOR_CALLBACK: y = A x.
    void (*apply)(void *user, const double *x, double *y);
    void *user;             ///< Handed to `apply`. Nullable.
    const double *diagonal; ///< For LYRA_OPERATOR_CALLBACK, [size]. Nullable: unknown.
} LyraOperator;

/// A block matrix. Upper storage is symmetric; a full one is if the caller says so.
LYRA_API LyraOperator lyra_operator_block(const LyraBlockMatrix *matrix, bool symmetric);

/// A scalar matrix; solvers refuse one that is not square. Upper storage is symmetric; a full one
/// is if the caller says so.
LYRA_API LyraOperator lyra_operator_csr(const LyraCsrMatrix *matrix, bool symmetric);

/// A dense matrix, `values` [size * size], column-major.
LYRA_API LyraOperator lyra_operator_dense(int32_t size, const double *values, bool symmetric);

/// A function that multiplies. `diagonal` [size]: Nullable.
LYRA_API LyraOperator lyra_operator_callback(int32_t size, bool symmetric,
                                             void (*apply)(void *user, const double *x, double *y),
                                             void *user, const double *diagonal);

/// y = A x. The two may not overlap.
LYRA_API void lyra_operator_apply(const LyraOperator *A, const double *x, double *y);

// ---- settings -----------------------------------------------------------------------------------

/// What a solver is wanted for; guides "auto".
typedef enum LyraSolverTask {
    LYRA_SOLVER_DYNAMICS = 0, ///< M + h^2 K: well conditioned, new values at every solve.
    LYRA_SOLVER_STATICS,      ///< K alone: ill conditioned.
    LYRA_SOLVER_MANY,         ///< Many right-hand sides for one matrix.
} LyraSolverTask;

/// Norm in which an iteration is to have become small.
typedef enum LyraSolverStop {
    LYRA_STOP_RESIDUAL = 0, ///< |b - A x| <= tolerance |b|, on the true residual.
    LYRA_STOP_ENERGY,       ///< Estimated |x - x*|_A <= tolerance |x|_A.
} LyraSolverStop;

/// How constraints enter.
typedef enum LyraConstraintMethod {
    LYRA_CONSTRAIN_AUTO = 0,  ///< Filter where the solver can, eliminate otherwise.
    LYRA_CONSTRAIN_ELIMINATE, ///< The matrix is changed; new directions need a new factor.
    LYRA_CONSTRAIN_FILTER,    ///< Inside the iterations; only solvers that say they filter.
    LYRA_CONSTRAIN_LOW_RANK,  ///< A correction of a factor of the whole matrix; direct solvers.
} LyraConstraintMethod;

/// What a symmetric direct solver does when the matrix is not positive definite.
typedef enum LyraIndefinite {
    LYRA_INDEFINITE_REFUSE = 0, ///< Status LYRA_NOT_POSITIVE_DEFINITE.
    LYRA_INDEFINITE_LDL,        ///< LDL^T (or LU); the inertia is reported where known.
    LYRA_INDEFINITE_SHIFT,      ///< Adds a growing multiple of the diagonal; the report says which.
} LyraIndefinite;

/// Settings of a solver. Start from lyra_solver_def_default().
typedef struct LyraSolverDef {
    const char *name;    ///< Of lyra_solver_name(), registered, or "auto". Default "auto".
    LyraSolverTask task; ///< Default LYRA_SOLVER_DYNAMICS.
    /// "none", "jacobi", "block-jacobi", "ssor", "ic0" (pcg), "ilu0" (bicgstab, gmres) or "auto".
    /// Default "auto".
    const char *preconditioner;
    /// Rigid modes of aggregates on top, always. Default false: where they pay, if preconditioner
    /// is "auto" and there are positions.
    bool coarse;
    int32_t aggregate;              ///< Vertices per aggregate; 0: by size. Default 0.
    bool single;                    ///< Floats inside double refinement (pcg). Default true.
    LyraSolverStop stop;            ///< Default LYRA_STOP_RESIDUAL.
    double tolerance;               ///< In (0, 1). Default 1e-6. Direct solvers ignore it.
    int32_t iterations_max;         ///< Default 0: 10 unknowns + 100, at most 100,000.
    int32_t restart;                ///< gmres: size of its basis. Default 50.
    bool truncate;                  ///< Negative curvature ends pcg with LYRA_OK. Default false.
    LyraIndefinite indefinite;      ///< Default LYRA_INDEFINITE_REFUSE.
    LyraConstraintMethod constrain; ///< Default LYRA_CONSTRAIN_AUTO.
    /// "factor-reuse": refactor when a solve took more iterations than this. Default 30.
    int32_t reuse_iterations;
    /// Positions of the vertices, m, [size / 3][3], copied at analyze: for rigid modes (coarse
    /// spaces, and naming what is free when statics is singular). Nullable: unknown.
    const double *positions;
    /// Numbers by which messages call the vertices, [(size + 2) / 3], where the matrix is in an
    /// order without meaning; outlives the solver. Nullable: their places.
    const int32_t *labels;
    uint32_t cookie; ///< Written by the default function only.
} LyraSolverDef;

LYRA_API LyraSolverDef lyra_solver_def_default(void);

// ---- reports ------------------------------------------------------------------------------------

/// What is known of a matrix after factoring or solving.
typedef enum LyraDefiniteness {
    LYRA_DEFINITENESS_UNKNOWN = 0,
    LYRA_DEFINITENESS_POSITIVE,
    LYRA_DEFINITENESS_INDEFINITE,
    LYRA_DEFINITENESS_SINGULAR,
} LyraDefiniteness;

/// What a solver did.
typedef struct LyraSolveReport {
    const char *solver;             ///< Name of the solver that served; never "auto".
    const char *preconditioner;     ///< Its preconditioner; "" for direct solvers.
    LyraConstraintMethod constrain; ///< How constraints entered; AUTO without constraints.
    int32_t iterations;             ///< Of the iteration, summed over refinements; 0 for direct.
    int32_t refinements;            ///< Corrections on the true residual.
    /// True |P (b - A x)| / |P (b - A c)| at the end, with c what is prescribed, the worst of all
    /// columns (0/0 is 0).
    double residual;
    LyraDefiniteness definiteness;
    int32_t negative;        ///< Negative eigenvalues that an LDL^T factor counted; else 0.
    bool negative_curvature; ///< A direction with d . A d <= 0 ended the iteration.
    bool refactored;         ///< This solve made a new factor ("factor-reuse").
    double shift;            ///< Relative multiple of the diagonal that was added; 0: none.
    int32_t coarse_size;     ///< Unknowns of the coarse space; 0: none.
    double analyze_seconds;  ///< Of the last analyze.
    double factor_seconds;   ///< Of the last factor.
    double solve_seconds;    ///< Of this solve.
    int64_t bytes;           ///< Memory the solver holds, its libraries' included where known.
    int64_t factor_entries;  ///< Stored numbers of the factor; 0: none.
} LyraSolveReport;

// ---- solvers ------------------------------------------------------------------------------------

/// What a type of solver can do. Bits of LyraSolverType::traits.
typedef enum LyraSolverTrait {
    LYRA_SOLVES_BLOCK = 1 << 0,       ///< Takes LYRA_OPERATOR_BLOCK.
    LYRA_SOLVES_CSR = 1 << 1,         ///< Takes LYRA_OPERATOR_CSR.
    LYRA_SOLVES_DENSE = 1 << 2,       ///< Takes LYRA_OPERATOR_DENSE.
    LYRA_SOLVES_CALLBACK = 1 << 3,    ///< Takes LYRA_OPERATOR_CALLBACK.
    LYRA_SOLVES_UNSYMMETRIC = 1 << 4, ///< Symmetry is not needed.
    LYRA_SOLVES_INDEFINITE = 1 << 5,  ///< Positive definiteness is not needed.
    LYRA_SOLVES_DIRECTLY = 1 << 6,    ///< By a factor, to rounding.
    LYRA_SOLVES_FILTERED = 1 << 7,    ///< Filters constraints itself.
    LYRA_SOLVES_MEASURED = 1 << 8,    ///< Leaves the true residual in the report where it has it.
    LYRA_SOLVES_ELIMINATING = 1 << 9, ///< Eliminates constraints itself, as they are at factor.
} LyraSolverTrait;

/// A kind of solver: one table of functions, for ours and for adapters of other libraries. The
/// front end checks arguments, handles elimination and the low-rank form, subtracts prescribed
/// values and measures times, so an adapter has only the algebra.
typedef struct LyraSolverType {
    const char *name;
    uint32_t traits; ///< LyraSolverTrait bits.
    LyraStatus (*create)(LyraContext *ctx, const LyraSolverDef *def, void **self);
    /// Takes the pattern; values are not read. `constraints` only with LYRA_SOLVES_FILTERED or
    /// LYRA_SOLVES_ELIMINATING: outlives the solver or the next analyze; solve answers in the range
    /// of P. Nullable: none.
    LyraStatus (*analyze)(void *self, const LyraOperator *A, const LyraConstraints *constraints);
    /// Takes values on the analyzed pattern. Sets definiteness, shift, factor_entries. A must stay
    /// unchanged until the last solve with it. On failure there is no factor.
    LyraStatus (*factor)(void *self, const LyraOperator *A, LyraSolveReport *report);
    /// Solves for `columns` right-hand sides, B and X [columns][size], not overlapping. X holds
    /// start values if `warm`. Sets iterations, refinements, definiteness and what else it knows.
    /// The front end measures the residual, unless a type with LYRA_SOLVES_MEASURED has set the
    /// one of a single column, which was -1.
    LyraStatus (*solve)(void *self, int32_t columns, const double *B, bool warm, double *X,
                        LyraSolveReport *report);
    /// Relative tolerance of the following solves. Nullable for direct solvers.
    void (*set_tolerance)(void *self, double tolerance);
    int64_t (*bytes)(const void *self); ///< Memory held.
    /// For types that learn from solve to solve, or keep a factor for matrices to come; Nullable,
    /// all of them together. A number that changes with the factor; 0: none is kept.
    uint64_t (*kept)(const void *self);
    void (*renew)(void *self); ///< The next values get a factor of their own.
    /// Values that factor() takes while `held` are ones that it had before: nothing is learnt.
    void (*hold)(void *self, bool held);
    /// What answers depend on beside the matrix and the kept factor, [LYRA_SOLVER_MEMORY].
    void (*remember)(const void *self, double *memory);
    /// Goes back to that, after analyze, with a factor of A if there was one. `memory`: NULL: as if
    /// nothing had been solved. `A`: NULL: the factor is to be made of the next values.
    LyraStatus (*recall)(void *self, const double *memory, const LyraOperator *A);
    void (*destroy)(void *self);
} LyraSolverType;

/// Numbers that a solver may remember.
#define LYRA_SOLVER_MEMORY 16

/// Name of solver `index` of this build ("pcg", "cholmod", ...); NULL past the last. Writes its
/// type. `type`: Nullable.
LYRA_API const char *lyra_solver_name(int32_t index, const LyraSolverType **type);

typedef struct LyraSolver LyraSolver;

/// Makes a solver by name. LYRA_INVALID_ARGUMENT, with the list, for an unknown name,
/// LYRA_UNSUPPORTED for one that this build lacks.
LYRA_API LyraStatus lyra_solver_create(LyraContext *ctx, const LyraSolverDef *def,
                                       LyraSolver **out);

/// Makes a solver of a type of the caller's, which must outlive it.
LYRA_API LyraStatus lyra_solver_create_type(LyraContext *ctx, const LyraSolverType *type,
                                            const LyraSolverDef *def, LyraSolver **out);

/// Accepts NULL.
LYRA_API void lyra_solver_destroy(LyraSolver *solver);

/// Prepares for matrices on the pattern of A; its values are not read. `constraints` must outlive
/// the solver or the next analyze. Nullable: none. "auto" chooses here. After a failure there is
/// neither pattern nor factor.
LYRA_API LyraStatus lyra_solver_analyze(LyraSolver *solver, const LyraOperator *A,
                                        const LyraConstraints *constraints);

/// Takes values: A is on the analyzed pattern and must stay unchanged, and alive, until the last
/// solve with it. LYRA_NOT_FINITE for NaN or infinite entries, LYRA_NOT_POSITIVE_DEFINITE and
/// LYRA_SINGULAR as found; statics with too few constraints is LYRA_SINGULAR with a sentence that
/// says which rigid modes are free. After a failure there is no factor.
LYRA_API LyraStatus lyra_solver_factor(LyraSolver *solver, const LyraOperator *A);

/// Solves A x = b under the constraints and their values now. `x` [size] holds the start if `warm`;
/// x may not overlap b. When directions changed since factor: by elimination,
/// LYRA_INVALID_ARGUMENT; otherwise they hold at once. On failure x is untouched. Allocates nothing
/// after the first solve with our own solvers. `report`: Nullable; written on failure too.
LYRA_API LyraStatus lyra_solver_solve(LyraSolver *solver, const double *b, bool warm, double *x,
                                      LyraSolveReport *report);

/// Solves for `columns` right-hand sides, B and X [columns][size].
LYRA_API LyraStatus lyra_solver_solve_columns(LyraSolver *solver, int32_t columns, const double *B,
                                              bool warm, double *X, LyraSolveReport *report);

/// Tolerance of the following solves, in (0, 1): the forcing term of an inexact Newton method.
LYRA_API LyraStatus lyra_solver_set_tolerance(LyraSolver *solver, double tolerance);

/// Name of the solver that serves: the choice of "auto" after analyze, "auto" before.
LYRA_API const char *lyra_solver_choice(const LyraSolver *solver);

/// The report so far: times of analyze and factor, memory, definiteness.
LYRA_API LyraSolveReport lyra_solver_report(const LyraSolver *solver);

#ifdef __cplusplus
}
#endif

#endif
