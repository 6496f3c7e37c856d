// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Sparse LU and LDL^T factors by PARDISO as oneMKL has it. Lyra is not linked with oneMKL: its
// libmkl_rt is loaded at run time where the machine has it. The variant with 64-bit integers is
// called, which is there whatever interface the library is set to. pivoted.c does the rest.

#include "solve/direct.h"

#include <dlfcn.h>
#include <pthread.h>
#include <string.h>

// settings and results as the manual numbers them
#define IPARM(i) iparm[(i)-1]

enum { TYPE_SYMMETRIC = -2, TYPE_GENERAL = 11 };
enum { PHASE_ANALYZE = 11, PHASE_FACTOR = 22, PHASE_SOLVE = 33, PHASE_END = -1 };

typedef long long PardisoInt;
typedef void PardisoCall(void *pt, const PardisoInt *maxfct, const PardisoInt *mnum,
                         const PardisoInt *mtype, const PardisoInt *phase, const PardisoInt *n,
                         const void *a, const PardisoInt *ia, const PardisoInt *ja,
                         PardisoInt *perm, const PardisoInt *nrhs, PardisoInt *iparm,
                         const PardisoInt *msglvl, void *b, void *x, PardisoInt *error);
typedef int SetThreads(int count);

typedef struct Pardiso {
    LyraContext *ctx;
    void *library;
    PardisoCall *pardiso;
    SetThreads *set_threads; // of the calling thread. Nullable
    void *pt[64];
    PardisoInt iparm[64];
    PardisoInt type;
    const LyColumns *rows;
    PardisoInt *start, *index; // from 1
    bool begun;
} Pardiso;

static void *open_library(void)
{
    static const char *const names[] = {"libmkl_rt.so", "libmkl_rt.so.2", "libmkl_rt.so.1"};
    void *library = NULL;
    for (int32_t k = 0; k < LY_COUNT_OF(names) && !library; ++k) {
        library = dlopen(names[k], RTLD_NOW | RTLD_LOCAL);
    }
    return library;
}

// whether the machine has the library is looked up once
static pthread_once_t looked_up = PTHREAD_ONCE_INIT;
static bool is_found;

static void look_up(void)
{
    void *library = open_library();
    is_found = library && dlsym(library, "pardiso_64");
    if (library) {
        dlclose(library);
    }
}

bool ly_pardiso_found(void)
{
    pthread_once(&looked_up, look_up);
    return is_found;
}

// one call; on the calling thread alone, so that results repeat
static PardisoInt call(Pardiso *self, PardisoInt phase, PardisoInt columns, void *B, void *X)
{
    PardisoInt one = 1, none = 0, error = 0, size = self->rows->size;
    int threads = self->set_threads ? self->set_threads(1) : 0;
    self->pardiso(self->pt, &one, &one, &self->type, &phase, &size, self->rows->values, self->start,
                  self->index, NULL, &columns, self->iparm, &none, B, X, &error);
    if (self->set_threads) {
        self->set_threads(threads);
    }
    return error;
}

static void forget(Pardiso *self)
{
    if (self->begun) {
        call(self, PHASE_END, 1, NULL, NULL);
    }
    self->begun = false;
    self->rows = NULL;
    ly_release(self->ctx, self->start);
    ly_release(self->ctx, self->index);
    self->start = self->index = NULL;
}

static LyraStatus create(LyraContext *ctx, void **out)
{
    Pardiso *self;
    LY_TRY(ly_allocate_zeroed(ctx, 1, sizeof *self, &self));
    self->ctx = ctx;
    self->library = open_library();
    void *symbol = self->library ? dlsym(self->library, "pardiso_64") : NULL;
    if (!symbol) {
        if (self->library) {
            dlclose(self->library);
        }
        ly_release(ctx, self);
        return ly_fail(LYRA_UNSUPPORTED,
                       "pardiso: oneMKL (libmkl_rt.so) cannot be loaded; install it, or add its "
                       "folder to LD_LIBRARY_PATH");
    }
    // ISO C has no cast from an object's address to a function's
    memcpy(&self->pardiso, &symbol, sizeof symbol);
    symbol = dlsym(self->library, "MKL_Set_Num_Threads_Local");
    memcpy(&self->set_threads, &symbol, sizeof symbol);
    *out = self;
    return LYRA_OK;
}

static void destroy(void *data)
{
    Pardiso *self = data;
    forget(self);
    dlclose(self->library);
    ly_release(self->ctx, self);
}

static LyraStatus check_library(const Pardiso *self, PardisoInt error, const char *doing)
{
    if (error == -2) {
        return ly_fail(LYRA_OUT_OF_MEMORY, "pardiso: out of memory while %s %d unknowns", doing,
                       self->rows->size);
    }
    return error == 0
               ? LYRA_OK
               : ly_fail(LYRA_UNSUPPORTED, "pardiso: the library failed with code %lld while %s",
                         error, doing);
}

static LyraStatus analyze(void *data, bool symmetric, const LyColumns *rows)
{
    Pardiso *self = data;
    LyraStatus status = LYRA_OK;
    forget(self);
    self->rows = rows;
    LY_TRY_DONE(
        ly_allocate_array(self->ctx, (int64_t)rows->size + 1, sizeof *self->start, &self->start));
    LY_TRY_DONE(ly_allocate_array(self->ctx, rows->count, sizeof *self->index, &self->index));
    for (int32_t i = 0; i <= rows->size; ++i) {
        self->start[i] = rows->start[i] + 1;
    }
    for (int64_t k = 0; k < rows->count; ++k) {
        self->index[k] = rows->index[k] + 1;
    }
    memset(self->pt, 0, sizeof self->pt);
    memset(self->iparm, 0, sizeof self->iparm);
    self->type = symmetric ? TYPE_SYMMETRIC : TYPE_GENERAL;
    self->IPARM(1) = 1;                   // not the defaults
    self->IPARM(2) = 2;                   // nested dissection
    self->IPARM(10) = symmetric ? 8 : 13; // pivots that are perturbed, as powers of ten
    self->IPARM(18) = -1;                 // count entries
    self->IPARM(21) = 1;                  // Bunch-Kaufman pivots
    self->begun = true;
    LY_TRY_DONE(check_library(self, call(self, PHASE_ANALYZE, 1, NULL, NULL), "analyzing"));
done:
    if (status != LYRA_OK) {
        forget(self);
    }
    return status;
}

static LyraStatus factor(void *data, LyPivotedFacts *facts)
{
    Pardiso *self = data;
    PardisoInt error = call(self, PHASE_FACTOR, 1, NULL, NULL);
    facts->singular = error == -4;
    if (!facts->singular) {
        LY_TRY(check_library(self, error, "factoring"));
    }
    facts->negative = self->type == TYPE_SYMMETRIC ? (int32_t)self->IPARM(23) : 0;
    facts->entries = self->IPARM(18);
    return LYRA_OK;
}

static LyraStatus solve(void *data, bool transposed, int32_t columns, const double *B, double *X)
{
    Pardiso *self = data;
    self->IPARM(12) = transposed ? 2 : 0;
    // it only reads B
    PardisoInt error = call(self, PHASE_SOLVE, columns, (void *)B, X);
    return check_library(self, error, "solving with");
}

static int64_t bytes(const void *data)
{
    const Pardiso *self = data;
    int64_t own =
        self->rows ? (self->rows->count + self->rows->size + 1) * (int64_t)sizeof(PardisoInt) : 0;
    // the library counts in kilobytes: what stays of the analysis, and of the factor
    return (int64_t)sizeof *self + own + 1024 * (self->IPARM(16) + self->IPARM(17));
}

static LyraStatus create_solver(LyraContext *ctx, const LyraSolverDef *def, void **out)
{
    static const LyPivotedType type = {
        .name = "pardiso",
        .create = create,
        .analyze = analyze,
        .factor = factor,
        .solve = solve,
        .bytes = bytes,
        .destroy = destroy,
    };
    return ly_pivoted_create(ctx, def, &type, out);
}

const LyraSolverType ly_solver_pardiso = {
    .name = "pardiso",
    .traits = LYRA_SOLVES_BLOCK | LYRA_SOLVES_CSR | LYRA_SOLVES_UNSYMMETRIC |
              LYRA_SOLVES_INDEFINITE | LYRA_SOLVES_DIRECTLY,
    .create = create_solver,
    LY_PIVOTED_FUNCTIONS,
};
