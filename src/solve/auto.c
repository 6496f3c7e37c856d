// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// The choice of "auto", by form, size and task alone, so that runs repeat on every machine. The
// limits were measured (docs/solvers.md has the figures): each is where two solvers take about the
// same time, or where a factor takes more time or memory than one would wait or have.

#include "solve/band.h"
#include "solve/solve.h"

#include <string.h>

/// Unknowns up to which a dense Cholesky factor is made sooner than a sparse one; LU.
#define DENSE_BEATS_CHOLESKY 60
#define DENSE_BEATS_LU 250
/// Unknowns up to which a dense factor serves where there is no sparse one.
#define DENSE_SERVES 3000
/// Unknowns of a dense operator up to which it is factored.
#define DENSE_OPERATOR 20000
/// Unknowns up to which statics takes a Cholesky factor. With positions, for a coarse space: where
/// it takes at most 2 s; beyond, conjugate gradients win on every shape that was measured. Without:
/// where it takes 1 GB and 5 s.
#define CHOLESKY_STATICS_COARSE 50000
#define CHOLESKY_STATICS 100000
/// Unknowns up to which a Cholesky factor is made at all: about 4 GB and a minute.
#define CHOLESKY_SERVES 300000
/// Unknowns up to which LU is, which fills more.
#define LU_SERVES 100000

// the solver if this build has it and it takes this form
static const LyraSolverType *find(const LyraOperator *A, const char *name)
{
    const LyraSolverType *type;
    const char *found;
    for (int32_t k = 0; (found = lyra_solver_name(k, &type)); ++k) {
        if (strcmp(found, name) == 0) {
            return type->traits & (1u << A->kind) ? type : NULL;
        }
    }
    return NULL;
}

// a dense factor, a sparse one between `begin` and `end` unknowns, NULL where none is sensible
static const LyraSolverType *find_factor(const LyraOperator *A, const char *sparse, int32_t begin,
                                         int32_t end)
{
    const LyraSolverType *dense = find(A, "dense"), *best = find(A, sparse);
    if (A->kind == LYRA_OPERATOR_DENSE) {
        return A->size <= DENSE_OPERATOR ? dense : NULL;
    }
    if (best && A->size > begin) {
        return A->size <= end ? best : NULL;
    }
    return A->size <= DENSE_SERVES ? dense : NULL;
}

// whether there are settings that only an iteration has a use for
static bool iterates(const LyraSolverDef *def)
{
    return strcmp(def->preconditioner, "auto") != 0 || def->coarse ||
           def->constrain == LYRA_CONSTRAIN_FILTER;
}

// all but bands
static const LyraSolverType *choose(const LyraOperator *A, const LyraSolverDef *def)
{
    bool statics = def->task == LYRA_SOLVER_STATICS;
    bool indefinite = def->indefinite != LYRA_INDEFINITE_REFUSE;
    bool low_rank = def->constrain == LYRA_CONSTRAIN_LOW_RANK;
    bool iterate = iterates(def);
    bool coarse = A->kind == LYRA_OPERATOR_BLOCK && def->positions;
    int32_t cholesky_end = !statics ? CHOLESKY_SERVES
                           : coarse ? CHOLESKY_STATICS_COARSE
                                    : CHOLESKY_STATICS;
    const char *lu = find(A, "umfpack") ? "umfpack" : "mumps";
    const LyraSolverType *factor =
        A->symmetric ? find_factor(A, "cholesky", DENSE_BEATS_CHOLESKY, cholesky_end)
                     : find_factor(A, lu, DENSE_BEATS_LU, LU_SERVES);
    // conjugate gradients beat every factor where the matrix is well conditioned and not tiny
    bool block = A->kind == LYRA_OPERATOR_BLOCK;
    bool wanted = !A->symmetric || indefinite || low_rank || A->kind == LYRA_OPERATOR_DENSE ||
                  def->task == LYRA_SOLVER_MANY || (statics && !block) ||
                  A->size <= DENSE_BEATS_CHOLESKY;
    if (factor && wanted && !iterate) {
        return factor;
    }
    bool learns = A->symmetric && A->kind == LYRA_OPERATOR_BLOCK && !indefinite && !low_rank &&
                  !iterate && A->size > DENSE_BEATS_CHOLESKY;
    if (learns) {
        return &ly_solver_adaptive;
    }
    if (A->symmetric) {
        const LyraSolverType *minres =
            def->indefinite == LYRA_INDEFINITE_LDL ? find(A, "minres") : NULL;
        return minres ? minres : &ly_solver_pcg;
    }
    const LyraSolverType *gmres = find(A, "gmres");
    return gmres ? gmres : &ly_solver_dense;
}

LyraStatus ly_solver_choose(LyraContext *ctx, const LyraOperator *A, const LyraSolverDef *def,
                            const LyraConstraints *constraints, const LyraSolverType **out)
{
    bool narrow = false;
    *out = choose(A, def);
    if (A->kind == LYRA_OPERATOR_BLOCK && A->symmetric && !iterates(def) &&
        A->size > DENSE_BEATS_CHOLESKY) {
        LyraGraph graph = lyra_block_pattern_graph(lyra_block_matrix_pattern(A->block));
        const uint8_t *scalar = constraints ? ly_constraints_lone_scalars(constraints) : NULL;
        LY_TRY(ly_band_is_narrow(ctx, graph, scalar, &narrow));
    }
    *out = narrow ? &ly_solver_band : *out;
    return LYRA_OK;
}
