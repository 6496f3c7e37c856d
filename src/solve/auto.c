// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// The choice of "auto", by form, size and task alone, so that runs repeat on every machine. The
// limits were measured (docs/solvers.md has the table); each is where two solvers take about the
// same time, or where a factor would take more memory than a desk machine has.

#include "solve/solve.h"

#include <string.h>

/// Unknowns up to which a dense factor is the fastest of all.
#define DENSE_FASTEST 60
/// Unknowns up to which a dense factor serves where there is no sparse one.
#define DENSE_LAST_RESORT 3000
/// Unknowns of a dense operator up to which it is factored.
#define DENSE_OPERATOR 20000
/// Unknowns up to which a Cholesky factor of a solid takes at most about 8 GB, 25 n^(4/3) doubles.
#define CHOLMOD_UNKNOWNS 400000
/// The same for LU, which fills about four times as much.
#define UMFPACK_UNKNOWNS 100000

static const LyraSolverType *cholmod_for(const LyraOperator *A)
{
#if LY_HAVE_CHOLMOD
    return A->size <= CHOLMOD_UNKNOWNS ? &ly_solver_cholmod : NULL;
#else
    (void)A;
    return NULL;
#endif
}

static const LyraSolverType *umfpack_for(const LyraOperator *A)
{
#if LY_HAVE_UMFPACK
    return A->size <= UMFPACK_UNKNOWNS ? &ly_solver_umfpack : NULL;
#else
    (void)A;
    return NULL;
#endif
}

// a factor of a sparse symmetric matrix, NULL where none is sensible
static const LyraSolverType *factor_for(const LyraOperator *A)
{
    if (A->size <= DENSE_FASTEST) {
        return &ly_solver_dense;
    }
    const LyraSolverType *cholmod = cholmod_for(A);
    return cholmod || A->size > DENSE_LAST_RESORT ? cholmod : &ly_solver_dense;
}

static const LyraSolverType *choose_unsymmetric(const LyraOperator *A, const LyraSolverDef *def)
{
    bool factors = A->kind == LYRA_OPERATOR_BLOCK || A->kind == LYRA_OPERATOR_CSR;
    if (!factors || strcmp(def->preconditioner, "auto") != 0 ||
        def->constrain == LYRA_CONSTRAIN_FILTER) {
        return &ly_solver_gmres;
    }
    const LyraSolverType *umfpack = umfpack_for(A);
    if (A->size <= DENSE_FASTEST || (!umfpack && A->size <= DENSE_LAST_RESORT)) {
        return &ly_solver_dense;
    }
    return umfpack ? umfpack : &ly_solver_gmres;
}

const LyraSolverType *ly_solver_choose(const LyraOperator *A, const LyraConstraints *constraints,
                                       LyraSolverDef *def)
{
    (void)constraints;
    if (A->kind == LYRA_OPERATOR_DENSE && A->size <= DENSE_OPERATOR) {
        return &ly_solver_dense;
    }
    if (!A->symmetric) {
        return choose_unsymmetric(A, def);
    }
    const LyraSolverType *factor =
        A->kind == LYRA_OPERATOR_BLOCK || A->kind == LYRA_OPERATOR_CSR ? factor_for(A) : NULL;
    bool iterate = strcmp(def->preconditioner, "auto") != 0 || def->coarse ||
                   def->constrain == LYRA_CONSTRAIN_FILTER;
    bool indefinite = def->indefinite != LYRA_INDEFINITE_REFUSE;
    bool wants_factor = def->task != LYRA_SOLVER_DYNAMICS || indefinite ||
                        def->constrain == LYRA_CONSTRAIN_LOW_RANK || A->size <= DENSE_FASTEST;
    if (factor && wants_factor && !iterate) {
        return factor;
    }
    if (def->indefinite == LYRA_INDEFINITE_LDL) {
        return &ly_solver_minres;
    }
    // what no factor serves, and is stiff: a coarse space instead
    if (def->task == LYRA_SOLVER_STATICS && A->kind == LYRA_OPERATOR_BLOCK && def->positions) {
        def->coarse = true;
    }
    return &ly_solver_pcg;
}
