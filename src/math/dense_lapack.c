// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// The primitives of dense algebra through LAPACK and BLAS, 32-bit integers. The Fortran symbols are
// declared here, with the hidden lengths of character arguments that compilers add at the end, so
// that no header of a particular LAPACK is needed. Arguments are always legal: an illegal one would
// make LAPACK print and stop.

#include "math/dense.h"

#include "config.h"

#include <math.h>
#include <string.h>

#if LY_HAVE_LAPACK

extern void dgemm_(const char *trans_a, const char *trans_b, const int32_t *m, const int32_t *n,
                   const int32_t *k, const double *alpha, const double *a, const int32_t *lda,
                   const double *b, const int32_t *ldb, const double *beta, double *c,
                   const int32_t *ldc, size_t, size_t);
extern void dgemv_(const char *trans, const int32_t *m, const int32_t *n, const double *alpha,
                   const double *a, const int32_t *lda, const double *x, const int32_t *incx,
                   const double *beta, double *y, const int32_t *incy, size_t);
extern void dtrsm_(const char *side, const char *uplo, const char *trans, const char *diag,
                   const int32_t *m, const int32_t *n, const double *alpha, const double *a,
                   const int32_t *lda, double *b, const int32_t *ldb, size_t, size_t, size_t,
                   size_t);
extern void dtrsv_(const char *uplo, const char *trans, const char *diag, const int32_t *n,
                   const double *a, const int32_t *lda, double *x, const int32_t *incx, size_t,
                   size_t, size_t);
extern void dgetrf_(const int32_t *m, const int32_t *n, double *a, const int32_t *lda,
                    int32_t *ipiv, int32_t *info);
extern void dpotrf_(const char *uplo, const int32_t *n, double *a, const int32_t *lda,
                    int32_t *info, size_t);
extern void dsytrf_(const char *uplo, const int32_t *n, double *a, const int32_t *lda,
                    int32_t *ipiv, double *work, const int32_t *lwork, int32_t *info, size_t);
extern void dsyev_(const char *jobz, const char *uplo, const int32_t *n, double *a,
                   const int32_t *lda, double *w, double *work, const int32_t *lwork, int32_t *info,
                   size_t, size_t);
extern void dgesvd_(const char *jobu, const char *jobvt, const int32_t *m, const int32_t *n,
                    double *a, const int32_t *lda, double *s, double *u, const int32_t *ldu,
                    double *vt, const int32_t *ldvt, double *work, const int32_t *lwork,
                    int32_t *info, size_t, size_t);

static void multiply(const LyraDenseProduct *product)
{
    const LyraDenseProduct p = *product;
    const int32_t one = 1;
    if (p.columns == 1 && !p.B_transposed) {
        dgemv_(p.A_transposed ? "T" : "N", p.A_transposed ? &p.inner : &p.rows,
               p.A_transposed ? &p.rows : &p.inner, &p.alpha, p.A, &p.A_stride, p.B, &one, &p.beta,
               p.C, &one, 1);
        return;
    }
    dgemm_(p.A_transposed ? "T" : "N", p.B_transposed ? "T" : "N", &p.rows, &p.columns, &p.inner,
           &p.alpha, p.A, &p.A_stride, p.B, &p.B_stride, &p.beta, p.C, &p.C_stride, 1, 1);
}

static void solve_triangle(bool upper, bool transposed, bool unit, int32_t size, int32_t columns,
                           const double *T, double *B)
{
    const double one = 1;
    if (columns == 1) {
        const int32_t step = 1;
        dtrsv_(upper ? "U" : "L", transposed ? "T" : "N", unit ? "U" : "N", &size, T, &size, B,
               &step, 1, 1, 1);
        return;
    }
    dtrsm_("L", upper ? "U" : "L", transposed ? "T" : "N", unit ? "U" : "N", &size, &columns, &one,
           T, &size, B, &size, 1, 1, 1, 1);
}

static void lu(int32_t size, double *A, int32_t *pivots)
{
    int32_t info = 0;
    dgetrf_(&size, &size, A, &size, pivots, &info);
}

static int32_t cholesky(int32_t size, double *A)
{
    int32_t info = 0;
    dpotrf_("L", &size, A, &size, &info, 1);
    return info;
}

static void ldl(int32_t size, double *A, int32_t *pivots, double *work)
{
    // a shorter work array only makes the blocks narrower
    int64_t room = (int64_t)LY_DENSE_LDL_WORK * size;
    int32_t count = room > INT32_MAX ? INT32_MAX : (int32_t)room, info = 0;
    dsytrf_("L", &size, A, &size, pivots, work, &count, &info, 1);
}

/// Takes the work array that a query asked for.
static LyraStatus take_work(LyraContext *ctx, double asked, int32_t *count, double **work)
{
    if (!(asked <= INT32_MAX)) {
        return ly_fail(LYRA_TOO_LARGE,
                       "LAPACK needs a work array of %.0f numbers, beyond its reach", asked);
    }
    *count = asked < 1 ? 1 : (int32_t)asked;
    return ly_allocate_array(ctx, *count, sizeof **work, work);
}

static LyraStatus eigen(LyraContext *ctx, int32_t size, double *A, double *values, bool vectors)
{
    const char *job = vectors ? "V" : "N";
    int32_t count = -1, info = 0;
    double asked = 0, *work = NULL;
    dsyev_(job, "L", &size, A, &size, values, &asked, &count, &info, 1, 1);
    LY_TRY(take_work(ctx, asked, &count, &work));
    dsyev_(job, "L", &size, A, &size, values, work, &count, &info, 1, 1);
    ly_release(ctx, work);
    if (info != 0) {
        return ly_fail(LYRA_NOT_CONVERGED, "eigenvalues: %d of %d did not converge in LAPACK", info,
                       size);
    }
    return LYRA_OK;
}

static LyraStatus svd(LyraContext *ctx, int32_t rows, int32_t columns, double *A, double *U,
                      double *s, double *V)
{
    LyraStatus status = LYRA_OK;
    int32_t k = rows < columns ? rows : columns, count = -1, info = 0;
    double asked = 0, unused = 0, *work = NULL, *VT = NULL;
    if (V) {
        LY_TRY_DONE(ly_allocate_array(ctx, (int64_t)k * columns, sizeof *VT, &VT));
    }
    const char *U_job = U ? "S" : "N", *V_job = V ? "S" : "N";
    double *U_out = U ? U : &unused, *V_out = V ? VT : &unused;
    dgesvd_(U_job, V_job, &rows, &columns, A, &rows, s, U_out, &rows, V_out, &k, &asked, &count,
            &info, 1, 1);
    LY_TRY_DONE(take_work(ctx, asked, &count, &work));
    dgesvd_(U_job, V_job, &rows, &columns, A, &rows, s, U_out, &rows, V_out, &k, work, &count,
            &info, 1, 1);
    if (info != 0) {
        status = ly_fail(LYRA_NOT_CONVERGED, "singular values: %d of %d did not converge in LAPACK",
                         info, k);
        goto done;
    }
    if (V) {
        ly_dense_transpose(k, columns, VT, V);
    }
done:
    ly_release(ctx, work);
    ly_release(ctx, VT);
    return status;
}

const LyDenseType ly_dense_lapack = {
    .name = "lapack",
    .multiply = multiply,
    .solve_triangle = solve_triangle,
    .lu = lu,
    .cholesky = cholesky,
    .ldl = ldl,
    .eigen = eigen,
    .svd = svd,
};

#else

// a file of a C program may not be empty
typedef int LyDenseNoLapack;

#endif
