// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Dense systems by functions: constant matrices and, on top, a force and its tangent from the
// caller. With f the caller's force,
//
//   g = K_0 u + D v + f(t, u, v),   K = K_0 + df/du,   C = D + df/dv,
//   elastic = 1/2 u . K_0 u + energy of f.

#include "lyra/system.h"

#include "model/system.h"

#include <math.h>
#include <string.h>

typedef struct DenseFunctions {
    LyraContext *ctx;
    LyraDenseSystemDef def; // its arrays are NULL; they are below
    LyDenseMatrices dense;
    double *damping, *stiffness; // [size * size]. Nullable
    double *product;             // [size]
    LyraDenseFactor *mass;
} DenseFunctions;

// ---- evaluations --------------------------------------------------------------------------------

static int32_t functions_size(const void *self)
{
    return ((const DenseFunctions *)self)->def.size;
}

static uint32_t functions_traits(const void *self)
{
    return ((const DenseFunctions *)self)->def.traits;
}

// out = A x, zero without A
static void multiply(const DenseFunctions *f, const double *A, const double *x, double *out)
{
    int32_t n = f->def.size;
    if (A) {
        (void)lyra_dense_apply(f->ctx, false, 1, (LyraDenseView){n, n, A}, x, 0, out);
    } else {
        memset(out, 0, (size_t)n * sizeof *out);
    }
}

static LyraStatus functions_evaluate(void *self, const LyraPoint *at, const LyraResponse *response)
{
    DenseFunctions *f = self;
    int32_t n = f->def.size;
    const double *u = lyra_vector_values(at->u), *v = lyra_vector_values(at->v);
    double *product = f->product, *g = f->dense.r, energy = 0;
    multiply(f, f->stiffness, u, g);
    for (int32_t i = 0; i < n; ++i) {
        energy += 0.5 * u[i] * g[i];
    }
    multiply(f, f->damping, v, product);
    if (response->damping) {
        memcpy(lyra_vector_values_mutable(response->damping), product, (size_t)n * sizeof *product);
    }
    for (int32_t i = 0; i < n; ++i) {
        g[i] += product[i];
    }
    if (f->def.force) {
        f->def.force(f->def.user, at->time, u, v, g, &energy);
    }
    if (response->g) {
        memcpy(lyra_vector_values_mutable(response->g), g, (size_t)n * sizeof *g);
    }
    if (response->external) {
        lyra_vector_fill(response->external, 0);
    }
    if (response->elastic) {
        *response->elastic = energy;
    }
    if (response->potential) {
        *response->potential = energy;
    }
    return LYRA_OK;
}

static void set_matrix(double *A, const double *constant, int64_t count)
{
    if (constant) {
        memcpy(A, constant, (size_t)count * sizeof *A);
    } else {
        memset(A, 0, (size_t)count * sizeof *A);
    }
}

static LyraStatus functions_linearise(void *self, const LyraPoint *at, bool psd)
{
    DenseFunctions *f = self;
    int64_t count = (int64_t)f->def.size * f->def.size;
    set_matrix(f->dense.K, f->stiffness, count);
    set_matrix(f->dense.C, f->damping, count);
    if (f->def.tangent) {
        f->def.tangent(f->def.user, at->time, lyra_vector_values(at->u), lyra_vector_values(at->v),
                       f->dense.K, f->dense.C);
    }
    if (psd) {
        LY_TRY(ly_dense_make_psd(f->ctx, f->def.size, f->dense.K));
        LY_TRY(ly_dense_make_psd(f->ctx, f->def.size, f->dense.C));
    }
    return LYRA_OK;
}

// ---- matrices -----------------------------------------------------------------------------------

static LyraStatus functions_form(void *self, double a, double b, double c)
{
    return ly_dense_matrices_form(&((DenseFunctions *)self)->dense, a, b, c);
}

static void functions_apply(void *self, const LyraVector *x, LyraVector *y)
{
    const DenseFunctions *f = self;
    ly_dense_matrices_apply(&f->dense, f->dense.S, x, y);
}

static void functions_apply_mass(void *self, const LyraVector *x, LyraVector *y)
{
    const DenseFunctions *f = self;
    ly_dense_matrices_apply(&f->dense, f->dense.M, x, y);
}

static void functions_apply_damping(void *self, const LyraVector *x, LyraVector *y)
{
    const DenseFunctions *f = self;
    ly_dense_matrices_apply(&f->dense, f->dense.C, x, y);
}

static void functions_apply_stiffness(void *self, const LyraVector *x, LyraVector *y)
{
    const DenseFunctions *f = self;
    ly_dense_matrices_apply(&f->dense, f->dense.K, x, y);
}

static LyraStatus functions_solve(void *self, const LyraVector *b, double tolerance, LyraVector *x,
                                  LyraSolveReport *report)
{
    (void)tolerance; // a direct solve is exact to rounding
    return ly_dense_matrices_solve(&((DenseFunctions *)self)->dense, b, x, report);
}

static LyraStatus functions_solve_mass(void *self, const LyraVector *b, LyraVector *x)
{
    const DenseFunctions *f = self;
    LY_TRY(lyra_dense_factor_solve(f->mass, 1, lyra_vector_values(b), f->product));
    memcpy(lyra_vector_values_mutable(x), f->product, (size_t)f->def.size * sizeof *f->product);
    return LYRA_OK;
}

// ---- life ---------------------------------------------------------------------------------------

static void functions_destroy(void *self)
{
    DenseFunctions *f = self;
    lyra_dense_factor_destroy(f->mass);
    ly_dense_matrices_destroy(&f->dense);
    ly_release(f->ctx, f->damping);
    ly_release(f->ctx, f->stiffness);
    ly_release(f->ctx, f->product);
    ly_release(f->ctx, f);
}

static const LyraSystemType functions_type = {
    .name = "dense functions",
    .size = functions_size,
    .traits = functions_traits,
    .evaluate = functions_evaluate,
    .linearise = functions_linearise,
    .form = functions_form,
    .apply = functions_apply,
    .apply_mass = functions_apply_mass,
    .apply_damping = functions_apply_damping,
    .apply_stiffness = functions_apply_stiffness,
    .solve = functions_solve,
    .solve_mass = functions_solve_mass,
    .destroy = functions_destroy,
};

LyraDenseSystemDef lyra_dense_system_def_default(void)
{
    return (LyraDenseSystemDef){.cookie = LY_DEF_COOKIE};
}

static LyraStatus copy_matrix(LyraContext *ctx, const char *what, int32_t size, bool symmetric,
                              const double *from, double *to)
{
    for (int64_t i = 0; i < (int64_t)size * size; ++i) {
        if (!isfinite(from[i])) {
            return ly_fail(LYRA_NOT_FINITE, "dense system: entry (%d, %d) of the %s is %g",
                           (int)(i % size), (int)(i / size), what, from[i]);
        }
        to[i] = from[i];
    }
    double largest = 0;
    LY_TRY(lyra_dense_norm(ctx, LYRA_NORM_MAX, size, size, from, &largest));
    for (int32_t j = 0; symmetric && j < size; ++j) {
        for (int32_t i = 0; i < j; ++i) {
            double upper = from[i + (int64_t)j * size], lower = from[j + (int64_t)i * size];
            // the sum of a few rounded terms may be off by that much
            if (fabs(upper - lower) > 1e-12 * largest) {
                return ly_fail(LYRA_INVALID_ARGUMENT,
                               "dense system: the %s has %g at (%d, %d) and %g at (%d, %d), "
                               "expected a symmetric one",
                               what, upper, (int)i, (int)j, lower, (int)j, (int)i);
            }
        }
    }
    return LYRA_OK;
}

static LyraStatus fill(DenseFunctions *f, const LyraDenseSystemDef *def)
{
    LyraContext *ctx = f->ctx;
    int32_t n = def->size;
    bool symmetric = def->traits & LYRA_SYSTEM_SYMMETRIC;
    LY_TRY(ly_dense_matrices_create(ctx, n, symmetric, &f->dense));
    LY_TRY(copy_matrix(ctx, "mass", n, true, def->mass, f->dense.M));
    LY_TRY(lyra_dense_factor_create(ctx, LYRA_FACTOR_CHOLESKY, n, def->mass, &f->mass));
    if (def->damping) {
        LY_TRY(ly_allocate_array(ctx, (int64_t)n * n, sizeof(double), &f->damping));
        LY_TRY(copy_matrix(ctx, "damping", n, symmetric, def->damping, f->damping));
    }
    if (def->stiffness) {
        LY_TRY(ly_allocate_array(ctx, (int64_t)n * n, sizeof(double), &f->stiffness));
        LY_TRY(copy_matrix(ctx, "stiffness", n, symmetric, def->stiffness, f->stiffness));
    }
    return ly_allocate_zeroed(ctx, n, sizeof(double), &f->product);
}

LyraStatus lyra_system_create_dense_functions(LyraContext *ctx, const LyraDenseSystemDef *def,
                                              LyraSystem **out)
{
    LYRA_ASSERT(ctx && def && out);
    LY_CHECK_DEF(def, "lyra_dense_system_def_default");
    if (def->size < 0 || (def->size > 0 && !def->mass) || (def->force && !def->tangent)) {
        return ly_fail(LYRA_INVALID_ARGUMENT, "dense system: %d unknowns%s%s", (int)def->size,
                       def->mass ? "" : " without a mass matrix",
                       def->force && !def->tangent ? " with a force that has no tangent" : "");
    }
    DenseFunctions *f = NULL;
    LY_TRY(ly_allocate_zeroed(ctx, 1, sizeof *f, &f));
    f->ctx = f->dense.ctx = ctx;
    f->def = *def;
    f->def.mass = f->def.damping = f->def.stiffness = NULL;
    LyraStatus status = fill(f, def);
    if (status == LYRA_OK) {
        status = lyra_system_create(ctx, &functions_type, f, out);
    }
    if (status != LYRA_OK) {
        functions_destroy(f);
    }
    return status;
}
