// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// What MINRES, BiCGStab and GMRES share: the object behind a LyraSolverType, its preconditioner
// from the diagonal or by sweeps, and the true residual.

#ifndef LY_SOLVE_KRYLOV_H
#define LY_SOLVE_KRYLOV_H

#include "solve/solve.h"

typedef struct LyKrylov LyKrylov;

// ---- preconditioners by sweeps (krylov_sweeps.c) ------------------------------------------------

typedef struct LySweeps LySweeps;

/// For blocks or scalars, by ILU(0) or by SSOR.
LyraStatus ly_sweeps_create(LyraContext *ctx, const LyraOperator *A, bool ilu, LySweeps **out);
void ly_sweeps_destroy(LySweeps *sweeps);
int64_t ly_sweeps_bytes(const LySweeps *sweeps);

/// Takes values. Not `good` where a diagonal block has no inverse. `shift` is the multiple of the
/// diagonal that ILU(0) needed.
LyraStatus ly_sweeps_factor(LySweeps *sweeps, const LyraOperator *A, bool *good, double *shift);

/// z = M^-1 r. z may not be r.
void ly_sweeps_apply(const LySweeps *sweeps, const double *r, double *z);

// ---- the object ---------------------------------------------------------------------------------

/// Solves A x = b for one right-hand side of norm `b_norm` > 0, from x as it stands.
typedef LyraStatus LyKrylovMethod(LyKrylov *krylov, const double *b, double b_norm, double *x,
                                  LyraSolveReport *report);

struct LyKrylov {
    LyraContext *ctx;
    LyraSolverDef def;
    const char *name;
    bool positive; // the preconditioner has to be
    LyKrylovMethod *method;
    LyraOperator A;
    int32_t size, iterations_max, blocks; // 3x3 blocks of the preconditioner; 0: scalars
    double *inverse;                      // of the diagonal or its blocks; NULL: none
    LySweeps *sweeps;                     // Nullable
    bool swept;                           // the sweeps hold, and come before `inverse`
    int32_t vectors;                      // of work, without the basis
    bool basis;
    double *work;    // [vectors][size]
    int32_t restart; // vectors of the basis, at most `size`; 0: has none
    double *small;   // for a basis: Hessenberg matrix and rotations
};

/// `vectors` of work, and as many as the settings say for a basis where the method has one.
LyraStatus ly_krylov_create(LyraContext *ctx, const LyraSolverDef *def, const char *name,
                            LyKrylovMethod *method, bool positive, int32_t vectors, bool basis,
                            void **self);
LyraStatus ly_krylov_analyze(void *self, const LyraOperator *A, const LyraConstraints *constraints);
LyraStatus ly_krylov_factor(void *self, const LyraOperator *A, LyraSolveReport *report);
LyraStatus ly_krylov_solve(void *self, int32_t columns, const double *B, bool warm, double *X,
                           LyraSolveReport *report);
void ly_krylov_set_tolerance(void *self, double tolerance);
int64_t ly_krylov_bytes(const void *self);
void ly_krylov_destroy(void *self);

/// All of them but create, in the initialiser of a LyraSolverType.
#define LY_KRYLOV_FUNCTIONS                                                                        \
    .analyze = ly_krylov_analyze, .factor = ly_krylov_factor, .solve = ly_krylov_solve,            \
    .set_tolerance = ly_krylov_set_tolerance, .bytes = ly_krylov_bytes,                            \
    .destroy = ly_krylov_destroy

/// z = B r, the preconditioner. z may not be r.
void ly_krylov_precondition(const LyKrylov *krylov, const double *r, double *z);

/// r = b - A x; returns |r|.
double ly_krylov_residual(const LyKrylov *krylov, const double *b, const double *x, double *r);

/// One run of a method from the residual of norm `start` in the first vector of work.
typedef LyraStatus LyKrylovRun(LyKrylov *krylov, double start, double target, const double *b,
                               double *x, LyraSolveReport *report);

/// Runs until the true residual meets the tolerance, each time from the true residual. `stalls`
/// runs after each other that leave more than `gain` of it end the iteration.
LyraStatus ly_krylov_repeat(LyKrylov *krylov, LyKrylovRun *run, double gain, int32_t stalls,
                            const double *b, double b_norm, double *x, LyraSolveReport *report);

/// The failure with its sentence.
LyraStatus ly_krylov_not_finite(const LyKrylov *krylov);

#endif
