// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// The inside of systems, and the dense matrices that two kinds of them share.

#ifndef LY_MODEL_SYSTEM_H
#define LY_MODEL_SYSTEM_H

#include "base/base.h"
#include "lyra/dense.h"
#include "lyra/system.h"

/// Vectors of the search for the largest eigenvalue, made when it is first asked for.
typedef struct LyLanczos LyLanczos;

struct LyraSystem {
    LyraContext *ctx;
    const LyraSystemType *type;
    void *self;
    int32_t size;
    bool linearised, formed;
    uint64_t stamp;
    LyLanczos *lanczos;
};

/// Accepts NULL.
void ly_lanczos_destroy(LyraContext *ctx, LyLanczos *lanczos);

// ---- constraints --------------------------------------------------------------------------------

/// The constraints of a model in the order of a matrix, with zero values.
typedef struct LyFollowed {
    LyraContext *ctx;
    LyraConstraints *constraints;
    bool current;     // they are those of `version`
    uint64_t version; // of the model's
    int32_t *first;   // scratch: first direction of each vertex, [vertex_count]
} LyFollowed;

LyraStatus ly_followed_create(LyraContext *ctx, int32_t vertex_count, LyFollowed *out);
void ly_followed_destroy(LyFollowed *followed);

/// Takes the directions of `source` where they have changed. `order`: the vertex at each place of
/// the matrix. Nullable: the same.
LyraStatus ly_followed_update(LyFollowed *followed, const LyraConstraints *source,
                              const int32_t *order);

// ---- dense matrices -----------------------------------------------------------------------------

/// M, C, K and S of a small system, column-major, and their factors.
typedef struct LyDenseMatrices {
    LyraContext *ctx;
    int32_t size;
    bool symmetric;          // K and C are: S by Cholesky, otherwise by LU
    double *M, *C, *K, *S;   // [size * size]
    double *work;            // [size * size]: what is factored
    double *r, *s;           // [size]
    LyraDenseFactor *factor; // of S; NULL before the first form that succeeds
    double factor_seconds;
} LyDenseMatrices;

LyraStatus ly_dense_matrices_create(LyraContext *ctx, int32_t size, bool symmetric,
                                    LyDenseMatrices *out);
void ly_dense_matrices_destroy(LyDenseMatrices *dense);

/// S = a M + b C + c K, and its factor.
LyraStatus ly_dense_matrices_form(LyDenseMatrices *dense, double a, double b, double c);

/// y = A x for one of the four.
void ly_dense_matrices_apply(const LyDenseMatrices *dense, const double *A, const LyraVector *x,
                             LyraVector *y);

/// Solves S x = b.
LyraStatus ly_dense_matrices_solve(LyDenseMatrices *dense, const LyraVector *b, LyraVector *x,
                                   LyraSolveReport *report);

/// The nearest positive semi-definite matrix to the symmetric part of A, in place.
LyraStatus ly_dense_make_psd(LyraContext *ctx, int32_t size, double *A);

#endif
