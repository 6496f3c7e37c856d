// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// The largest eigenvalue of M^-1 K on the free unknowns.
//
// Symmetric K: Lanczos in the inner product of M. With q_1 of M-norm 1 in the range of P,
//
//   w = M^-1 K q_j - b_(j-1) q_(j-1),   a_j = w . M q_j,   w <- w - a_j q_j,
//   b_j = (w . M w)^(1/2),              q_(j+1) = w / b_j,
//
// and the largest eigenvalue of the tridiagonal matrix T of the a and b comes from below to that of
// M^-1 K. Vectors that lose their orthogonality do so because it has converged, and bring copies of
// it, no other numbers [Pai80], so three vectors are enough and none is orthogonalised again.
// With (theta, s) the largest pair of T, b_j |s_j| bounds the distance to an eigenvalue; the search
// ends when that is half a percent of theta.
//
// K that is not symmetric: powers of M^-1 K, with the quotient of norms, until it rests.

#include "lyra/system.h"

#include "model/system.h"

#include <math.h>

#define STEPS_MAX 200
#define ACCURACY 0.005
#define CHUNK 256

struct LyLanczos {
    LyraVector *q, *before, *w, *p; // p = M q, then M w
    double a[STEPS_MAX], b[STEPS_MAX];
};

void ly_lanczos_destroy(LyraContext *ctx, LyLanczos *lanczos)
{
    if (lanczos) {
        lyra_vector_destroy(lanczos->q);
        lyra_vector_destroy(lanczos->before);
        lyra_vector_destroy(lanczos->w);
        lyra_vector_destroy(lanczos->p);
        ly_release(ctx, lanczos);
    }
}

static LyraStatus create(LyraSystem *system)
{
    LyraContext *ctx = system->ctx;
    LyLanczos *lanczos = NULL;
    LyraStatus status = LYRA_OK;
    LY_TRY(ly_allocate_zeroed(ctx, 1, sizeof *lanczos, &lanczos));
    LY_TRY_DONE(lyra_system_vector_create(system, system->size, &lanczos->q));
    LY_TRY_DONE(lyra_system_vector_create(system, system->size, &lanczos->before));
    LY_TRY_DONE(lyra_system_vector_create(system, system->size, &lanczos->w));
    LY_TRY_DONE(lyra_system_vector_create(system, system->size, &lanczos->p));
    system->lanczos = lanczos;
    return LYRA_OK;
done:
    ly_lanczos_destroy(ctx, lanczos);
    return status;
}

// ---- the tridiagonal matrix ---------------------------------------------------------------------

// whether theta is above all eigenvalues of T of size m: all pivots of theta - T are positive
static bool is_above(const LyLanczos *l, int32_t m, double theta)
{
    double d = theta - l->a[0];
    for (int32_t j = 1; j < m && d > 0; ++j) {
        d = theta - l->a[j] - l->b[j - 1] * l->b[j - 1] / d;
    }
    return d > 0;
}

// largest eigenvalue of T of size m by bisection between bounds of Gershgorin
static double largest_of(const LyLanczos *l, int32_t m)
{
    double low = l->a[0], high = l->a[0];
    for (int32_t j = 0; j < m; ++j) {
        double reach = (j > 0 ? l->b[j - 1] : 0) + (j + 1 < m ? l->b[j] : 0);
        low = fmax(low, l->a[j]);
        high = fmax(high, l->a[j] + reach);
    }
    for (int32_t i = 0; i < 60 && high - low > 1e-12 * fabs(high); ++i) {
        double middle = 0.5 * (low + high);
        if (is_above(l, m, middle)) {
            high = middle;
        } else {
            low = middle;
        }
    }
    return high;
}

// |s_m| / |s| of the eigenvector: s_(j+1) = s_j d_j / b_j with the pivots d_j of theta - T, all of
// one sign. It is built from its end, so that nothing overflows.
static double last_share(const LyLanczos *l, int32_t m, double theta)
{
    double pivots[STEPS_MAX], share = 1, square = 1;
    pivots[0] = theta - l->a[0];
    for (int32_t j = 1; j < m; ++j) {
        pivots[j] = theta - l->a[j] - l->b[j - 1] * l->b[j - 1] / pivots[j - 1];
    }
    for (int32_t j = m - 2; j >= 0; --j) {
        share *= l->b[j] / pivots[j];
        square += share * share;
    }
    return 1 / sqrt(square);
}

// ---- the search ---------------------------------------------------------------------------------

// a start with a part along every mode: numbers in [-1, 1] from a fixed congruential sequence
static void set_start(LyraVector *q)
{
    uint64_t random = 0x9e3779b97f4a7c15u;
    double part[CHUNK];
    int32_t size = lyra_vector_size(q);
    for (int32_t i = 0; i < size; i += CHUNK) {
        int32_t count = size - i < CHUNK ? size - i : CHUNK;
        for (int32_t k = 0; k < count; ++k) {
            random = random * 6364136223846793005u + 1442695040888963407u;
            part[k] = (double)(int64_t)random * 0x1p-63;
        }
        lyra_vector_write(q, i, count, part);
    }
}

// w = M^-1 K q on the free unknowns
static LyraStatus apply(LyraSystem *system, const LyraVector *q, LyraVector *product, LyraVector *w)
{
    lyra_system_apply_stiffness(system, q, product);
    return lyra_system_solve_mass(system, product, w);
}

static LyraStatus lanczos(LyraSystem *system, double *value)
{
    LyLanczos *l = system->lanczos;
    double theta = 0;
    lyra_vector_fill(l->before, 0);
    for (int32_t j = 0; j < STEPS_MAX; ++j) {
        LY_TRY(apply(system, l->q, l->p, l->w));
        lyra_system_apply_mass(system, l->q, l->p);
        lyra_vector_axpby(j > 0 ? -l->b[j - 1] : 0, l->before, 1, l->w);
        l->a[j] = lyra_vector_dot(l->w, l->p);
        lyra_vector_axpby(-l->a[j], l->q, 1, l->w);
        lyra_system_apply_mass(system, l->w, l->p);
        l->b[j] = sqrt(fmax(0, lyra_vector_dot(l->w, l->p)));
        if (!isfinite(l->a[j]) || !isfinite(l->b[j])) {
            return ly_fail(LYRA_NOT_FINITE, "largest eigenvalue: the stiffness is not finite");
        }
        theta = largest_of(l, j + 1);
        if (l->b[j] * last_share(l, j + 1, theta) <= ACCURACY * fabs(theta)) {
            break;
        }
        LyraVector *next = l->before;
        lyra_vector_axpby(1 / l->b[j], l->w, 0, next);
        l->before = l->q;
        l->q = next;
    }
    *value = theta;
    return LYRA_OK;
}

static LyraStatus powers(LyraSystem *system, double *value)
{
    LyLanczos *l = system->lanczos;
    double theta = 0;
    for (int32_t j = 0; j < STEPS_MAX; ++j) {
        LY_TRY(apply(system, l->q, l->p, l->w));
        lyra_system_apply_mass(system, l->w, l->p);
        double before = theta;
        theta = sqrt(fmax(0, lyra_vector_dot(l->w, l->p)));
        if (!isfinite(theta)) {
            return ly_fail(LYRA_NOT_FINITE, "largest eigenvalue: the stiffness is not finite");
        }
        // a hundredth of the accuracy per step, since the quotient creeps
        if (theta == 0 || (j > 20 && fabs(theta - before) <= 0.01 * ACCURACY * theta)) {
            break;
        }
        lyra_vector_axpby(1 / theta, l->w, 0, l->q);
    }
    *value = theta;
    return LYRA_OK;
}

LyraStatus lyra_system_largest_eigenvalue(LyraSystem *system, double *value)
{
    LYRA_ASSERT(system && value);
    if (!system->linearised) {
        return ly_fail(LYRA_INVALID_ARGUMENT, "system %s: linearise before its eigenvalue",
                       system->type->name);
    }
    if (!system->lanczos) {
        LY_TRY(create(system));
    }
    LyLanczos *l = system->lanczos;
    set_start(l->q);
    lyra_system_project(system, l->q);
    // to M-norm 1; nothing is free where it is 0
    lyra_system_apply_mass(system, l->q, l->p);
    double norm = sqrt(fmax(0, lyra_vector_dot(l->q, l->p)));
    if (norm == 0) {
        *value = 0;
        return LYRA_OK;
    }
    lyra_vector_axpby(1 / norm, l->q, 0, l->w);
    lyra_vector_copy(l->w, l->q);
    return lyra_system_traits(system) & LYRA_SYSTEM_SYMMETRIC ? lanczos(system, value)
                                                              : powers(system, value);
}
