// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Sparse LU and LDL^T factors by MUMPS [ADKL01], the sequential library; pivoted.c does the rest.
// Nothing promises that two threads may be inside it at once, so calls are made one at a time.

#include "solve/direct.h"

#if LY_HAVE_MUMPS

#include <pthread.h>
#include <string.h>

#include <dmumps_c.h>

// controls and results as the manual numbers them
#define ICNTL(i) icntl[(i)-1]
#define INFOG(i) infog[(i)-1]

#define JOB_BEGIN (-1)
#define JOB_END (-2)
#define JOB_ANALYZE 1
#define JOB_FACTOR 2
#define JOB_SOLVE 3
#define WORLD (-987654) // the only process
/// Room for fill by pivoting beyond the estimate, per cent, and where to stop asking for more.
#define ROOM_FIRST 30
#define ROOM_LAST 2000

static pthread_mutex_t mumps_lock = PTHREAD_MUTEX_INITIALIZER;

typedef struct Mumps {
    LyraContext *ctx;
    DMUMPS_STRUC_C mumps;
    bool begun;
    const LyColumns *rows;
    MUMPS_INT *row, *column; // of the entries, from 1
} Mumps;

static void call(Mumps *self, MUMPS_INT job)
{
    pthread_mutex_lock(&mumps_lock);
    int levels = ly_openmp_pause();
    self->mumps.job = job;
    dmumps_c(&self->mumps);
    ly_openmp_resume(levels);
    pthread_mutex_unlock(&mumps_lock);
}

static void forget(Mumps *self)
{
    if (self->begun) {
        call(self, JOB_END);
    }
    self->begun = false;
    self->rows = NULL;
    ly_release(self->ctx, self->row);
    ly_release(self->ctx, self->column);
    self->row = self->column = NULL;
}

static LyraStatus create(LyraContext *ctx, void **out)
{
    Mumps *self;
    LY_TRY(ly_allocate_zeroed(ctx, 1, sizeof *self, &self));
    self->ctx = ctx;
    *out = self;
    return LYRA_OK;
}

static void destroy(void *data)
{
    Mumps *self = data;
    forget(self);
    ly_release(self->ctx, self);
}

static LyraStatus check_library(const Mumps *self, const char *doing)
{
    int code = self->mumps.INFOG(1);
    switch (code) {
    case -5:
    case -7:
    case -8:
    case -9:
    case -13:
    case -19:
        return ly_fail(LYRA_OUT_OF_MEMORY, "mumps: out of memory while %s %d unknowns", doing,
                       self->rows->size);
    default:
        return code >= 0 ? LYRA_OK
                         : ly_fail(LYRA_UNSUPPORTED,
                                   "mumps: the library failed with code %d while %s", code, doing);
    }
}

// values are not known yet: no permutation for large diagonals, and scaling with the factor
static LyraStatus begin(Mumps *self, bool symmetric)
{
    memset(&self->mumps, 0, sizeof self->mumps);
    self->mumps.sym = symmetric ? 2 : 0;
    self->mumps.par = 1;
    self->mumps.comm_fortran = WORLD;
    call(self, JOB_BEGIN);
    LY_TRY(check_library(self, "beginning with"));
    self->begun = true;
    // no word on any channel
    for (int32_t channel = 1; channel <= 3; ++channel) {
        self->mumps.ICNTL(channel) = -1;
    }
    self->mumps.ICNTL(4) = 0;
    self->mumps.ICNTL(6) = 0;
    self->mumps.ICNTL(8) = symmetric ? 7 : 8;
    self->mumps.ICNTL(12) = 1;
    self->mumps.ICNTL(14) = ROOM_FIRST;
    return LYRA_OK;
}

static LyraStatus analyze(void *data, bool symmetric, const LyColumns *rows)
{
    Mumps *self = data;
    LyraStatus status = LYRA_OK;
    forget(self);
    self->rows = rows;
    LY_TRY_DONE(ly_allocate_array(self->ctx, rows->count, sizeof *self->row, &self->row));
    LY_TRY_DONE(ly_allocate_array(self->ctx, rows->count, sizeof *self->column, &self->column));
    for (int32_t i = 0; i < rows->size; ++i) {
        for (int64_t k = rows->start[i]; k < rows->start[i + 1]; ++k) {
            self->row[k] = i + 1;
            self->column[k] = (MUMPS_INT)rows->index[k] + 1;
        }
    }
    LY_TRY_DONE(begin(self, symmetric));
    self->mumps.n = rows->size;
    self->mumps.nnz = rows->count;
    self->mumps.irn = self->row;
    self->mumps.jcn = self->column;
    self->mumps.a = rows->values;
    call(self, JOB_ANALYZE);
    // a structure without a full diagonal of pivots: the factor tells
    if (self->mumps.INFOG(1) != -6) {
        LY_TRY_DONE(check_library(self, "analyzing"));
    }
done:
    if (status != LYRA_OK) {
        forget(self);
    }
    return status;
}

static LyraStatus factor(void *data, LyPivotedFacts *facts)
{
    Mumps *self = data;
    if (self->mumps.INFOG(1) == -6) {
        facts->singular = true;
        return LYRA_OK;
    }
    call(self, JOB_FACTOR);
    // pivoting filled more than was foreseen
    while ((self->mumps.INFOG(1) == -8 || self->mumps.INFOG(1) == -9) &&
           self->mumps.ICNTL(14) < ROOM_LAST) {
        self->mumps.ICNTL(14) *= 2;
        call(self, JOB_FACTOR);
    }
    facts->singular = self->mumps.INFOG(1) == -10;
    if (!facts->singular) {
        LY_TRY(check_library(self, "factoring"));
    }
    facts->negative = self->mumps.sym ? self->mumps.INFOG(12) : 0;
    int64_t entries = self->mumps.INFOG(29);
    facts->entries = entries < 0 ? -1000000 * entries : entries;
    return LYRA_OK;
}

static LyraStatus solve(void *data, bool transposed, int32_t columns, const double *B, double *X)
{
    Mumps *self = data;
    memcpy(X, B, (size_t)columns * (size_t)self->rows->size * sizeof *X);
    self->mumps.rhs = X;
    self->mumps.nrhs = columns;
    self->mumps.lrhs = self->rows->size;
    self->mumps.ICNTL(9) = transposed ? 0 : 1;
    call(self, JOB_SOLVE);
    return check_library(self, "solving with");
}

static int64_t bytes(const void *data)
{
    const Mumps *self = data;
    int64_t own = self->rows ? 2 * self->rows->count * (int64_t)sizeof *self->row : 0;
    // the library counts in megabytes
    return (int64_t)sizeof *self + own +
           (self->begun ? 1000000 * (int64_t)self->mumps.INFOG(22) : 0);
}

static LyraStatus create_solver(LyraContext *ctx, const LyraSolverDef *def, void **out)
{
    static const LyPivotedType type = {
        .name = "mumps",
        .create = create,
        .analyze = analyze,
        .factor = factor,
        .solve = solve,
        .bytes = bytes,
        .destroy = destroy,
    };
    return ly_pivoted_create(ctx, def, &type, out);
}

const LyraSolverType ly_solver_mumps = {
    .name = "mumps",
    .traits = LYRA_SOLVES_BLOCK | LYRA_SOLVES_CSR | LYRA_SOLVES_UNSYMMETRIC |
              LYRA_SOLVES_INDEFINITE | LYRA_SOLVES_DIRECTLY,
    .create = create_solver,
    LY_PIVOTED_FUNCTIONS,
};

#endif
