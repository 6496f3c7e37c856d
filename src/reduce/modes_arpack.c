// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// The search by ARPACK [LSY98]: Lanczos with implicit restarts in the inner product of M, on the
// inverse of K + sigma M (its mode 3 with shift -sigma). It asks for products one by one and is
// answered through the system.
//
// ARPACK keeps what it knows between two requests in memory of the process, so one search runs at a
// time; others wait. It starts from one vector, so that it finds the six rigid modes of a free body
// only because of rounding: what it gives is checked as our own search is.

#include "reduce/modes.h"

#include "config.h"

#if LY_HAVE_ARPACK

#include <arpack/arpack.h>
#include <math.h>
#include <pthread.h>
#include <string.h>

/// Restarts before it gives up.
#define RESTARTS_MAX 1000

static pthread_mutex_t one_at_a_time = PTHREAD_MUTEX_INITIALIZER;

typedef struct Arpack {
    LyraContext *ctx;
    int n, wanted, columns;
    double *start;  // [n]
    double *V;      // [columns][n]
    double *work;   // [3][n]
    double *small;  // [columns * (columns + 8)]
    double *values; // [wanted]
    int *select;    // [columns]
    int parameters[11], places[14], info;
} Arpack;

// its basis: as wide as ours, which is what k modes need in few restarts
static int column_count(const LySearch *s)
{
    return (int)ly_min_i64(ly_max_i64(2 * (int64_t)s->count + 1, s->count + 20), s->free_count);
}

bool ly_search_arpack_serves(const LySearch *s)
{
    return column_count(s) > s->count + 1 && s->count + 1 < s->free_count;
}

static LyraStatus create(const LySearch *s, Arpack *out)
{
    LyraContext *ctx = s->ctx;
    Arpack *a = out;
    *a = (Arpack){.ctx = ctx, .n = s->size, .wanted = s->count, .columns = column_count(s)};
    int64_t columns = a->columns, small = columns * (columns + 8);
    LY_TRY(ly_allocate_zeroed(ctx, a->n, sizeof *a->start, &a->start));
    LY_TRY(ly_allocate_zeroed(ctx, a->n * columns, sizeof *a->V, &a->V));
    LY_TRY(ly_allocate_zeroed(ctx, 3 * (int64_t)a->n, sizeof *a->work, &a->work));
    LY_TRY(ly_allocate_zeroed(ctx, small, sizeof *a->small, &a->small));
    LY_TRY(ly_allocate_zeroed(ctx, a->wanted, sizeof *a->values, &a->values));
    return ly_allocate_zeroed(ctx, columns, sizeof *a->select, &a->select);
}

static void destroy(Arpack *a)
{
    ly_release(a->ctx, a->start);
    ly_release(a->ctx, a->V);
    ly_release(a->ctx, a->work);
    ly_release(a->ctx, a->small);
    ly_release(a->ctx, a->values);
    ly_release(a->ctx, a->select);
}

static void load(LyraVector *x, const double *values)
{
    memcpy(lyra_vector_values_mutable(x), values, (size_t)lyra_vector_size(x) * sizeof *values);
}

static void store(const LyraVector *x, double *values)
{
    memcpy(values, lyra_vector_values(x), (size_t)lyra_vector_size(x) * sizeof *values);
}

// answers one request: y = S^-1 M x, with M x given or not, or y = M x
static LyraStatus answer(LySearch *s, Arpack *a, int request)
{
    double *x = a->work + a->places[0] - 1, *y = a->work + a->places[1] - 1;
    LyraVector *in = s->V[0], *product = s->p, *out = s->w;
    if (request == 1) {
        load(product, a->work + a->places[2] - 1);
    } else {
        load(in, x);
        lyra_system_apply_mass(s->system, in, product);
    }
    if (request == 2) {
        store(product, y);
        return LYRA_OK;
    }
    LY_TRY(ly_search_solve(s, product, out));
    store(out, y);
    return LYRA_OK;
}

// a start in the range of S^-1 M, as its own generator would make, from our fixed sequence
static LyraStatus set_start(LySearch *s, Arpack *a)
{
    double *values = lyra_vector_values_mutable(s->V[0]);
    const LyraConstraints *constraints = lyra_system_constraints(s->system);
    for (int32_t i = 0; i < s->size; ++i) {
        values[i] = ly_search_random(s);
    }
    if (constraints) {
        lyra_constraints_project(constraints, values);
    }
    lyra_system_apply_mass(s->system, s->V[0], s->p);
    LY_TRY(ly_search_solve(s, s->p, s->w));
    store(s->w, a->start);
    a->info = 1; // the start is given
    return LYRA_OK;
}

static LyraStatus search(LySearch *s, Arpack *a)
{
    const int small = a->columns * (a->columns + 8);
    a->parameters[0] = 1; // exact shifts
    a->parameters[2] = RESTARTS_MAX;
    a->parameters[3] = 1;
    a->parameters[6] = 3; // shift and invert
    int request = 0;
    LY_TRY(set_start(s, a));
    for (;;) {
        dsaupd_c(&request, "G", a->n, "LM", a->wanted, s->tolerance, a->start, a->columns, a->V,
                 a->n, a->parameters, a->places, a->work, a->small, small, &a->info);
        if (request != -1 && request != 1 && request != 2) {
            break;
        }
        LY_TRY(answer(s, a, request));
    }
    if (a->info < 0) {
        return ly_fail(LYRA_UNSUPPORTED, "arpack: dsaupd failed with code %d", a->info);
    }
    if (a->info == 1 || a->parameters[4] < a->wanted) {
        return ly_fail(LYRA_NOT_CONVERGED, "arpack: %d of %d modes found in %d restarts",
                       a->parameters[4], a->wanted, a->parameters[2]);
    }
    s->restarts += a->parameters[2];
    // with shift 0 the values are 1 / theta, rising or falling as it pleases
    dseupd_c(1, "A", a->select, a->values, a->V, a->n, 0, "G", a->n, "LM", a->wanted, s->tolerance,
             a->start, a->columns, a->V, a->n, a->parameters, a->places, a->work, a->small, small,
             &a->info);
    if (a->info != 0) {
        return ly_fail(LYRA_UNSUPPORTED, "arpack: dseupd failed with code %d", a->info);
    }
    return LYRA_OK;
}

// its modes as the processed part of the basis, by falling theta
static LyraStatus take(LySearch *s, const Arpack *a)
{
    int32_t count = s->count;
    memset(s->T, 0, (size_t)s->capacity * (size_t)s->capacity * sizeof *s->T);
    for (int32_t k = 0; k < count; ++k) {
        double theta = 1 / a->values[k];
        if (!(theta > 0)) {
            return ly_fail(LYRA_NOT_POSITIVE_DEFINITE,
                           "modes: K + sigma M is not positive definite: sigma is too small");
        }
        int32_t place = 0;
        for (int32_t other = 0; other < count; ++other) {
            double value = 1 / a->values[other];
            place += value > theta || (value == theta && other < k);
        }
        load(s->V[place], a->V + (int64_t)k * a->n);
        s->ritz[place] = theta;
        s->T[place + (int64_t)place * s->capacity] = theta;
    }
    s->processed = s->filled = count;
    return LYRA_OK;
}

LyraStatus ly_search_arpack(LySearch *s)
{
    Arpack a;
    LyraStatus status = create(s, &a);
    if (status == LYRA_OK) {
        pthread_mutex_lock(&one_at_a_time);
        status = search(s, &a);
        pthread_mutex_unlock(&one_at_a_time);
    }
    if (status == LYRA_OK) {
        status = take(s, &a);
    }
    destroy(&a);
    return status;
}

#else

bool ly_search_arpack_serves(const LySearch *s)
{
    (void)s;
    return false;
}

LyraStatus ly_search_arpack(LySearch *s)
{
    (void)s;
    return ly_fail(LYRA_UNSUPPORTED, "modes: this build has no ARPACK");
}

#endif
