// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Band Lanczos with thick restarts [WS00] for the largest eigenvalues theta of A = S^-1 M, S = K +
// sigma M, which is symmetric in the inner product of M: w^2 = 1 / theta - sigma.
//
// The basis V is M-orthonormal and starts with a block of fixed random vectors. One step takes the
// next vector whose image is not known, v_j, and orthogonalises
//
//   A v_j = sum_i T_ij v_i + T_cj v_c,     T_ij = v_i . M A v_j,
//
// against all of V, as often as cancellation asks for ("twice is enough"); what remains is the next
// vector v_c. So the image of every processed vector lies in V, with coefficients in the columns of
// T. With p processed and c vectors in all, (theta, y) of the symmetric part of T(0:p, 0:p) gives
// the Ritz vector V y with
//
//   |A V y - theta V y|_M = |T(p:c, 0:p) y|,
//
// which is looked at after each block. When the basis is full it shrinks to the best Ritz vectors
// and the vectors not yet processed; their products are T' = diag(theta) and T(p:c, 0:p) Y, so that
// nothing has to be computed again. An image that lies in V already (the Krylov space is exhausted)
// is replaced by a new random vector: so bodies smaller than the basis are solved in full.
//
// theta spreads from 1 / sigma, for rigid modes, to 1 / l, and dense eigenvectors of T are good to
// eps of the largest: a mode of large l comes with a part eps l / sigma of all others. So modes are
// turned within their span to diagonalise K, and processed once more in the check, for which sigma
// is as large as the first l that is not 0.
//
// In exact arithmetic a block of b vectors sees at most b of the modes of one multiple eigenvalue.
// The check at the end starts from the modes found with a new block, which sees b more, and repeats
// until nothing new appears.

#include "reduce/modes.h"

#include "lyra/dense.h"
#include "model/system.h"

#include <math.h>
#include <string.h>

/// Wider than the six rigid modes of a free body.
#define BLOCK 8
/// What is left of an image, relatively, where it counts as lying in the basis.
#define EXHAUSTED 1e-12
/// Relative growth of a value that tells of an overlooked mode, far above what tolerance leaves.
#define OVERLOOKED 1e-6
/// Blocks that a check looks at before it is content.
#define CHECK_BLOCKS 3

// ---- life ---------------------------------------------------------------------------------------

void ly_search_destroy(LySearch *s)
{
    for (int32_t j = 0; s->V && j < s->capacity; ++j) {
        lyra_vector_destroy(s->V[j]);
    }
    lyra_vector_destroy(s->w);
    lyra_vector_destroy(s->p);
    ly_release(s->ctx, s->V);
    ly_release(s->ctx, s->T);
    ly_release(s->ctx, s->ritz);
    ly_release(s->ctx, s->Y);
    ly_release(s->ctx, s->A);
    ly_release(s->ctx, s->values);
}

LyraStatus ly_search_create(LyraSystem *system, const LyraModesDef *def, double solve_tolerance,
                            LySearch *out)
{
    const LyraConstraints *constraints = lyra_system_constraints(system);
    LyraContext *ctx = system->ctx;
    LyraStatus status = LYRA_OK;
    LySearch s = {
        .ctx = ctx,
        .system = system,
        .size = system->size,
        .free_count = system->size - (constraints ? lyra_constraints_view(constraints).count : 0),
        .count = def->count,
        .solve_tolerance = solve_tolerance,
        .random = 0x9e3779b97f4a7c15u,
        .solves_max = def->solves_max,
        .solver = "",
    };
    s.block = (int32_t)ly_min_i64(BLOCK, s.free_count);
    int64_t room = ly_max_i64(2 * ((int64_t)s.count + BLOCK), (int64_t)s.count + 5 * BLOCK);
    s.capacity = (int32_t)ly_min_i64(room, s.free_count);
    int64_t square = (int64_t)s.capacity * s.capacity;
    LY_TRY_DONE(ly_allocate_zeroed(ctx, s.capacity, sizeof(LyraVector *), &s.V));
    for (int32_t j = 0; j < s.capacity; ++j) {
        LY_TRY_DONE(lyra_vector_create(ctx, s.size, &s.V[j]));
    }
    LY_TRY_DONE(lyra_vector_create(ctx, s.size, &s.w));
    LY_TRY_DONE(lyra_vector_create(ctx, s.size, &s.p));
    LY_TRY_DONE(ly_allocate_zeroed(ctx, square, sizeof *s.T, &s.T));
    LY_TRY_DONE(ly_allocate_zeroed(ctx, square, sizeof *s.Y, &s.Y));
    LY_TRY_DONE(ly_allocate_zeroed(ctx, square + 2 * (int64_t)s.capacity, sizeof *s.A, &s.A));
    LY_TRY_DONE(ly_allocate_zeroed(ctx, s.capacity, sizeof *s.ritz, &s.ritz));
    LY_TRY_DONE(ly_allocate_zeroed(ctx, s.count, sizeof *s.values, &s.values));
    *out = s;
    return LYRA_OK;
done:
    ly_search_destroy(&s);
    return status;
}

// ---- the operator and the inner product ---------------------------------------------------------

double ly_search_random(LySearch *s)
{
    s->random = s->random * 6364136223846793005u + 1442695040888963407u;
    return (double)(int64_t)s->random * 0x1p-63;
}

LyraStatus ly_search_solve(LySearch *s, const LyraVector *Mx, LyraVector *w)
{
    if (s->solves >= s->solves_max) {
        return ly_fail(LYRA_NOT_CONVERGED, "modes: %d not found after %d solves", (int)s->count,
                       (int)s->solves);
    }
    LyraSolveReport report = {0};
    ++s->solves;
    LY_TRY(lyra_system_solve(s->system, Mx, s->solve_tolerance, w, &report));
    s->solver = report.solver;
    // solvers that filter leave rounding of the whole where nothing may move
    const LyraConstraints *constraints = lyra_system_constraints(s->system);
    if (constraints) {
        lyra_constraints_project(constraints, lyra_vector_values_mutable(w));
    }
    if (report.definiteness == LYRA_DEFINITENESS_INDEFINITE || report.shift != 0) {
        return ly_fail(LYRA_NOT_POSITIVE_DEFINITE,
                       "modes: K + sigma M is not positive definite: sigma is too small");
    }
    if (!lyra_vector_is_finite(w)) {
        return ly_fail(LYRA_NOT_FINITE, "modes: a solve with K + sigma M is not finite");
    }
    return LYRA_OK;
}

// p = M w, and the M-norm of w
static double norm_of(LySearch *s)
{
    lyra_system_apply_mass(s->system, s->w, s->p);
    return sqrt(fmax(0, lyra_vector_dot(s->w, s->p)));
}

// Makes w orthogonal to all of V; adds the coefficients to h [filled]. Writes the norms of w before
// and after. `h`: Nullable.
static void orthogonalise(LySearch *s, double *h, double *before, double *after)
{
    *before = *after = norm_of(s);
    for (int pass = 0; pass < 4 && *after > 0; ++pass) {
        double last = *after;
        for (int32_t i = 0; i < s->filled; ++i) {
            // with p as it was at the start of the pass: the passes make it right
            double part = lyra_vector_dot(s->V[i], s->p);
            lyra_vector_axpby(-part, s->V[i], 1, s->w);
            if (h) {
                h[i] += part;
            }
        }
        *after = norm_of(s);
        if (*after > 0.5 * last || *after <= EXHAUSTED * *before) {
            break;
        }
    }
}

// w / norm as the next vector of V
static void append(LySearch *s, double norm)
{
    lyra_vector_axpby(1 / norm, s->w, 0, s->V[s->filled]);
    ++s->filled;
}

// a random vector as the next of V; nothing is left to add once V spans all that is free
static LyraStatus append_random(LySearch *s)
{
    const LyraConstraints *constraints = lyra_system_constraints(s->system);
    for (int attempt = 0; attempt < 8; ++attempt) {
        double *values = lyra_vector_values_mutable(s->w), before, after;
        for (int32_t i = 0; i < s->size; ++i) {
            values[i] = ly_search_random(s);
        }
        if (constraints) {
            lyra_constraints_project(constraints, values);
        }
        orthogonalise(s, NULL, &before, &after);
        if (after > EXHAUSTED * before) {
            append(s, after);
            return LYRA_OK;
        }
    }
    return ly_fail(LYRA_SINGULAR, "modes: the masses leave %d of %d free unknowns without weight",
                   (int)(s->free_count - s->filled), (int)s->free_count);
}

// ---- steps --------------------------------------------------------------------------------------

// the image of the next vector: a column of T and, where there is room, a new vector
static LyraStatus process(LySearch *s)
{
    int32_t j = s->processed;
    double *column = s->T + (int64_t)j * s->capacity, before, after;
    memset(column, 0, (size_t)s->capacity * sizeof *column);
    lyra_system_apply_mass(s->system, s->V[j], s->p);
    LY_TRY(ly_search_solve(s, s->p, s->w));
    orthogonalise(s, column, &before, &after);
    ++s->processed;
    if (s->filled == s->free_count) {
        return LYRA_OK;
    }
    if (after > EXHAUSTED * before) {
        column[s->filled] = after;
        append(s, after);
        return LYRA_OK;
    }
    return append_random(s);
}

// Ritz values, falling, and vectors of the processed part
static LyraStatus find_ritz(LySearch *s)
{
    int32_t p = s->processed, m = s->capacity;
    for (int32_t j = 0; j < p; ++j) {
        for (int32_t i = 0; i < p; ++i) {
            s->A[i + (int64_t)j * p] = 0.5 * (s->T[i + (int64_t)j * m] + s->T[j + (int64_t)i * m]);
        }
    }
    LY_TRY(lyra_dense_eigen(s->ctx, p, s->A, s->ritz, s->Y));
    if (s->ritz[0] < -1e-8 * s->ritz[p - 1]) {
        return ly_fail(LYRA_NOT_POSITIVE_DEFINITE,
                       "modes: K + sigma M is not positive definite: sigma is too small");
    }
    // dense eigenvalues rise
    for (int32_t i = 0; i < p / 2; ++i) {
        double value = s->ritz[i];
        s->ritz[i] = s->ritz[p - 1 - i];
        s->ritz[p - 1 - i] = value;
        double *a = s->Y + (int64_t)i * p, *b = s->Y + (int64_t)(p - 1 - i) * p;
        for (int32_t r = 0; r < p; ++r) {
            value = a[r];
            a[r] = b[r];
            b[r] = value;
        }
    }
    return LYRA_OK;
}

// row i >= processed of T Y for Ritz vector k
static double coupling(const LySearch *s, int32_t i, int32_t k)
{
    double sum = 0;
    for (int32_t j = 0; j < s->processed; ++j) {
        sum += s->T[i + (int64_t)j * s->capacity] * s->Y[j + (int64_t)k * s->processed];
    }
    return sum;
}

static bool has_converged(const LySearch *s)
{
    if (s->processed < s->count) {
        return false;
    }
    for (int32_t k = 0; k < s->count; ++k) {
        double square = 0;
        for (int32_t i = s->processed; i < s->filled; ++i) {
            double part = coupling(s, i, k);
            square += part * part;
        }
        if (!(sqrt(square) <= s->tolerance * s->ritz[k])) {
            return false;
        }
    }
    return true;
}

// V_0 ... V_(keep - 1) = V Y, Y [from * keep], in place, row by row
static void rotate(LySearch *s, int32_t from, int32_t keep)
{
    double *row = s->A, *image = s->A + s->capacity;
    for (int32_t r = 0; r < s->size; ++r) {
        for (int32_t j = 0; j < from; ++j) {
            row[j] = lyra_vector_values(s->V[j])[r];
        }
        for (int32_t k = 0; k < keep; ++k) {
            double sum = 0;
            for (int32_t j = 0; j < from; ++j) {
                sum += row[j] * s->Y[j + (int64_t)k * from];
            }
            image[k] = sum;
        }
        for (int32_t k = 0; k < keep; ++k) {
            lyra_vector_values_mutable(s->V[k])[r] = image[k];
        }
    }
}

// Shrinks the basis to its best `keep` Ritz vectors and, with `rest`, the unprocessed ones.
static void shrink(LySearch *s, int32_t keep, bool rest)
{
    int32_t p = s->processed, m = s->capacity, left = rest ? s->filled - p : 0;
    // what joins the Ritz vectors to the unprocessed ones, before T is cleared
    for (int32_t k = 0; k < keep; ++k) {
        for (int32_t i = 0; i < left; ++i) {
            s->A[(int64_t)k * m + i] = coupling(s, p + i, k);
        }
    }
    memset(s->T, 0, (size_t)m * (size_t)m * sizeof *s->T);
    for (int32_t k = 0; k < keep; ++k) {
        s->T[k + (int64_t)k * m] = s->ritz[k];
        memcpy(s->T + (int64_t)k * m + keep, s->A + (int64_t)k * m, (size_t)left * sizeof *s->T);
    }
    rotate(s, p, keep);
    for (int32_t i = 0; i < left; ++i) {
        LyraVector *moved = s->V[p + i];
        s->V[p + i] = s->V[keep + i];
        s->V[keep + i] = moved;
    }
    s->processed = keep;
    s->filled = keep + left;
}

// steps and restarts until all is found, after at least `steps`
static LyraStatus iterate(LySearch *s, int32_t steps)
{
    for (int32_t taken = 0;; ++taken) {
        bool complete = s->processed == s->filled;
        bool full = s->filled == s->capacity && s->filled < s->free_count;
        if (complete || full || (taken >= steps && taken % s->block == 0)) {
            LY_TRY(find_ritz(s));
            if (complete || (taken >= steps && has_converged(s))) {
                return LYRA_OK;
            }
        }
        if (full) {
            shrink(s, (int32_t)ly_min_i64(s->count + s->block, s->processed - 1), true);
            ++s->restarts;
        }
        LY_TRY(process(s));
    }
}

LyraStatus ly_search_run(LySearch *s)
{
    s->processed = s->filled = 0;
    for (int32_t b = 0; b < s->block; ++b) {
        LY_TRY(append_random(s));
    }
    LY_TRY(iterate(s, s->count));
    shrink(s, s->count, false);
    return LYRA_OK;
}

LyraStatus ly_search_polish(LySearch *s)
{
    int32_t count = s->count;
    for (int32_t k = 0; k < count; ++k) {
        lyra_system_apply_stiffness(s->system, s->V[k], s->p);
        for (int32_t i = k; i < count; ++i) {
            s->A[i + (int64_t)k * count] = lyra_vector_dot(s->V[i], s->p);
        }
    }
    LY_TRY(lyra_dense_eigen(s->ctx, count, s->A, s->values, s->Y));
    rotate(s, count, count);
    return LYRA_OK;
}

LyraStatus ly_search_check(LySearch *s, double sigma)
{
    for (;;) {
        // the modes known are processed anew, and a new block with them
        s->processed = s->filled = 0;
        for (int32_t k = 0; k < s->count; ++k) {
            double before, after;
            lyra_vector_copy(s->V[k], s->w);
            orthogonalise(s, NULL, &before, &after);
            append(s, after);
        }
        for (int32_t b = 0; b < s->block && s->filled < s->capacity; ++b) {
            LY_TRY(append_random(s));
        }
        LY_TRY(iterate(s, s->count + CHECK_BLOCKS * s->block));
        shrink(s, s->count, false);
        int32_t found = 0;
        for (int32_t k = 0; k < s->count; ++k) {
            found += s->ritz[k] * (s->values[k] + sigma) > 1 + OVERLOOKED;
        }
        LY_TRY(ly_search_polish(s));
        if (found == 0) {
            return LYRA_OK;
        }
        ++s->overlooked;
    }
}
