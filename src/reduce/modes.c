// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Modes of a system: K x = w^2 M x on the free unknowns, smallest w^2 first.
//
// K is inverted with a shift, S = K + sigma M, so that its zero and, at unstable states, negative
// eigenvalues do no harm: with l the eigenvalues of (K, M), S^-1 M has 1 / (l + sigma), all
// positive when sigma > -l_min, the smallest l largest. How large sigma is matters little: rounding
// disturbs l by eps l_max whatever it is. Much above the l wanted, their 1 / (l + sigma) crowd
// together and the search is long; much below eps l_max, S is singular to rounding. A 1e-9 of l_max
// lies between for bodies of up to a thousand elements along their length, whose lowest l is about
// (h / L)^2 / 16 of l_max. An iterative solver cannot reach residuals below eps l_max / sigma of
// its right-hand side, so it gets a thousand times as much. Where S turns out not to be positive
// definite, sigma grows a hundredfold until it is.
//
// When modes are found they are checked, and improved, with a sigma as large as the first value
// that is not 0. The values given are Rayleigh quotients x . K x, whose error is the square of that
// of x.

#include "lyra/modes.h"

#include "base/base.h"
#include "model/system.h"
#include "reduce/modes.h"

#include <math.h>
#include <string.h>

#define SHIFT_DIRECT 1e-9
#define SHIFT_ITERATIVE 1e-6
/// Relative residual that an iterative solver is asked for: what it can reach with SHIFT_ITERATIVE.
#define SOLVE_TOLERANCE 3e-10
/// A direct solver goes to rounding whatever it is told.
#define SOLVE_TOLERANCE_DIRECT 1e-13
/// Residuals of the first search: for its sigma errors of a solve grow by l / sigma. That of the
/// check is the caller's; with an iterative solver, whose errors grow by l / l_1, not below this.
#define FIRST_TOLERANCE 1e-7
#define FIRST_TOLERANCE_ITERATIVE 1e-3
#define CHECK_TOLERANCE_ITERATIVE 1e-7
/// Part of the largest eigenvalue below which one is zero to rounding.
#define ZERO 1e-12

struct LyraModes {
    LyraContext *ctx;
    int32_t size, count, rigid_count;
    double *eigenvalues, *frequencies, *residuals; // [count]
    double *vectors;                               // [count][size]
};

const char *lyra_modes_method_name(LyraModesMethod method)
{
    static const char *const names[LYRA_MODES_METHOD_COUNT] = {"auto", "lanczos", "arpack"};
    return method >= 0 && method < LYRA_MODES_METHOD_COUNT ? names[method] : "unknown";
}

LyraModesDef lyra_modes_def_default(void)
{
    return (LyraModesDef){
        .count = 10,
        .method = LYRA_MODES_AUTO,
        .tolerance = 1e-10,
        .solves_max = 10000,
        .cookie = LY_DEF_COOKIE,
    };
}

void lyra_modes_destroy(LyraModes *modes)
{
    if (modes) {
        ly_release(modes->ctx, modes->eigenvalues);
        ly_release(modes->ctx, modes->frequencies);
        ly_release(modes->ctx, modes->residuals);
        ly_release(modes->ctx, modes->vectors);
        ly_release(modes->ctx, modes);
    }
}

static LyraStatus create(LyraContext *ctx, int32_t size, int32_t count, LyraModes **out)
{
    LyraModes *modes = NULL;
    LyraStatus status = LYRA_OK;
    LY_TRY(ly_allocate_zeroed(ctx, 1, sizeof *modes, &modes));
    modes->ctx = ctx;
    modes->size = size;
    modes->count = count;
    LY_TRY_DONE(ly_allocate_array(ctx, count, sizeof(double), &modes->eigenvalues));
    LY_TRY_DONE(ly_allocate_array(ctx, count, sizeof(double), &modes->frequencies));
    LY_TRY_DONE(ly_allocate_array(ctx, count, sizeof(double), &modes->residuals));
    LY_TRY_DONE(ly_allocate_array(ctx, (int64_t)count * size, sizeof(double), &modes->vectors));
    *out = modes;
    return LYRA_OK;
done:
    lyra_modes_destroy(modes);
    return status;
}

// ---- before the search --------------------------------------------------------------------------

static LyraStatus check_settings(const LyraSystem *system, const LyraModesDef *def)
{
    const LyraConstraints *constraints = lyra_system_constraints(system);
    int32_t held = constraints ? lyra_constraints_view(constraints).count : 0;
    int32_t free_count = system->size - held;
    if (def->count < 1 || def->count > free_count) {
        return ly_fail(LYRA_INVALID_ARGUMENT,
                       "modes: %d are asked for, and the body has %d free unknowns",
                       (int)def->count, (int)free_count);
    }
    if (def->method < 0 || def->method >= LYRA_MODES_METHOD_COUNT) {
        return ly_fail(LYRA_INVALID_ARGUMENT, "modes: there is no method %d", (int)def->method);
    }
    if (!(def->shift >= 0 && isfinite(def->shift))) {
        return ly_fail(LYRA_INVALID_ARGUMENT,
                       "modes: a shift of %g, expected more than 0, or 0 to choose one",
                       def->shift);
    }
    if (!(def->tolerance > 0 && def->tolerance < 0.1)) {
        return ly_fail(LYRA_INVALID_ARGUMENT, "modes: a tolerance of %g, expected 0 to 0.1",
                       def->tolerance);
    }
    if (def->solves_max < 1) {
        return ly_fail(LYRA_INVALID_ARGUMENT, "modes: at most %d solves", (int)def->solves_max);
    }
    if (!(lyra_system_traits(system) & LYRA_SYSTEM_SYMMETRIC)) {
        return ly_fail(LYRA_UNSUPPORTED, "modes: the stiffness is not symmetric");
    }
    return LYRA_OK;
}

// linearises at a point and looks at the largest eigenvalue, and whether all that is free has mass
static LyraStatus linearise(LyraSystem *system, const LyraPoint *at, double *largest)
{
    LyraVector *x = NULL, *y = NULL;
    LyraStatus status = LYRA_OK;
    if (!lyra_vector_is_finite(at->u) || !lyra_vector_is_finite(at->v)) {
        return ly_fail(LYRA_NOT_FINITE, "modes: the state is not finite");
    }
    LY_TRY(lyra_system_linearise(system, at, false));
    LY_TRY_DONE(lyra_vector_create(system->ctx, system->size, &x));
    LY_TRY_DONE(lyra_vector_create(system->ctx, system->size, &y));
    LY_TRY_DONE(lyra_system_solve_mass(system, x, y));
    LY_TRY_DONE(lyra_system_largest_eigenvalue(system, largest));
    if (!isfinite(*largest)) {
        status = ly_fail(LYRA_NOT_FINITE, "modes: the stiffness is not finite");
    } else if (!(*largest > 0)) {
        status = ly_fail(LYRA_SINGULAR, "modes: the body has no stiffness");
    }
done:
    lyra_vector_destroy(x);
    lyra_vector_destroy(y);
    return status;
}

// whether S is solved with by iteration: known after a solve
static LyraStatus ask_solver(LyraSystem *system, bool *iterates)
{
    LyraVector *b = NULL, *x = NULL;
    LyraSolveReport report = {0};
    LyraStatus status = LYRA_OK;
    LY_TRY_DONE(lyra_vector_create(system->ctx, system->size, &b));
    LY_TRY_DONE(lyra_vector_create(system->ctx, system->size, &x));
    for (int32_t i = 0; i < system->size; ++i) {
        lyra_vector_values_mutable(b)[i] = i % 3 ? 1 : -1;
    }
    LY_TRY_DONE(lyra_system_solve(system, b, 0.1, x, &report));
    *iterates = report.iterations > 0;
done:
    lyra_vector_destroy(b);
    lyra_vector_destroy(x);
    return status;
}

// ---- the search ---------------------------------------------------------------------------------

// the smallest value that is not zero to rounding, or sigma where none is larger
static double better_shift(const LySearch *search, const LyraModesReport *report)
{
    for (int32_t k = 0; k < search->count; ++k) {
        if (search->values[k] > ZERO * report->largest) {
            return fmax(search->values[k], report->shift);
        }
    }
    return report->shift;
}

// the modes for a sigma whose S is formed; they are checked with a better one
static LyraStatus search_with(const LyraModesDef *def, bool iterates, LySearch *search,
                              LyraSystem *system, LyraModesReport *report)
{
    double tolerance = iterates ? SOLVE_TOLERANCE : SOLVE_TOLERANCE_DIRECT;
    LY_TRY(ly_search_create(system, def, tolerance, search));
    bool arpack = def->method == LYRA_MODES_ARPACK ||
                  (def->method == LYRA_MODES_AUTO && ly_search_arpack_serves(search));
    if (def->method == LYRA_MODES_ARPACK && search->count + 1 >= search->free_count) {
        return ly_fail(LYRA_UNSUPPORTED,
                       "modes: ARPACK cannot give %d of %d modes; \"lanczos\" can",
                       (int)search->count, (int)search->free_count);
    }
    search->tolerance =
        fmax(def->tolerance, iterates ? FIRST_TOLERANCE_ITERATIVE : FIRST_TOLERANCE);
    LY_TRY(arpack ? ly_search_arpack(search) : ly_search_run(search));
    LY_TRY(ly_search_polish(search));
    double sigma = def->shift > 0 ? def->shift : better_shift(search, report);
    if (sigma != report->shift) {
        LY_TRY(lyra_system_form(system, sigma, 0, 1));
        report->shift = sigma;
    }
    search->tolerance = fmax(def->tolerance, iterates ? CHECK_TOLERANCE_ITERATIVE : 0);
    LY_TRY(ly_search_check(search, sigma));
    report->method = arpack ? LYRA_MODES_ARPACK : LYRA_MODES_LANCZOS;
    report->solves = search->solves;
    report->restarts = search->restarts;
    report->overlooked = search->overlooked;
    report->solver = search->solver;
    return LYRA_OK;
}

// forms S and searches, with larger sigma while it is not positive definite
static LyraStatus search_modes(LyraSystem *system, const LyraModesDef *def, LySearch *search,
                               LyraModesReport *report)
{
    double sigma = def->shift > 0 ? def->shift : SHIFT_DIRECT * report->largest;
    for (;;) {
        bool iterates = false;
        double start = ly_time();
        LyraStatus status = lyra_system_form(system, sigma, 0, 1);
        if (status == LYRA_OK) {
            status = ask_solver(system, &iterates);
        }
        if (status == LYRA_OK && iterates && def->shift == 0 &&
            sigma < SHIFT_ITERATIVE * report->largest) {
            sigma = SHIFT_ITERATIVE * report->largest;
            continue;
        }
        double formed = ly_time();
        report->factor_seconds = formed - start;
        if (status == LYRA_OK) {
            report->shift = sigma;
            status = search_with(def, iterates, search, system, report);
            report->search_seconds = ly_time() - formed;
        }
        bool retry = (status == LYRA_NOT_POSITIVE_DEFINITE || status == LYRA_SINGULAR) &&
                     def->shift == 0 && sigma < report->largest;
        if (!retry) {
            return status;
        }
        ly_search_destroy(search);
        *search = (LySearch){.ctx = system->ctx};
        sigma *= 100;
    }
}

// ---- after it -----------------------------------------------------------------------------------

static void turn(int32_t size, double *x)
{
    double largest = 0, sign = 1;
    for (int32_t i = 0; i < size; ++i) {
        if (fabs(x[i]) > largest) {
            largest = fabs(x[i]);
            sign = x[i] < 0 ? -1 : 1;
        }
    }
    for (int32_t i = 0; i < size; ++i) {
        x[i] *= sign;
    }
}

// value and residual of vector `k` of the basis, made of M-norm 1
static LyraStatus measure(LySearch *s, int32_t k, double sigma, double *value, double *residual)
{
    LyraVector *x = s->V[k];
    const LyraConstraints *constraints = lyra_system_constraints(s->system);
    if (constraints) {
        lyra_constraints_project(constraints, lyra_vector_values_mutable(x));
    }
    turn(s->size, lyra_vector_values_mutable(x));
    lyra_system_apply_mass(s->system, x, s->p);
    lyra_vector_axpby(0, s->p, 1 / sqrt(lyra_vector_dot(x, s->p)), x);
    lyra_system_apply_stiffness(s->system, x, s->p);
    *value = lyra_vector_dot(x, s->p);
    lyra_system_apply_mass(s->system, x, s->p);
    // the measuring may take solves beyond the limit of the search
    ++s->solves_max;
    LY_TRY(ly_search_solve(s, s->p, s->w));
    lyra_vector_axpby(1, x, -(*value + sigma), s->w);
    lyra_system_apply_mass(s->system, s->w, s->p);
    *residual = sqrt(fmax(0, lyra_vector_dot(s->w, s->p)));
    return LYRA_OK;
}

static LyraStatus fill(LyraModes *modes, LySearch *s, LyraModesReport *report)
{
    const double two_pi = 6.28318530717958647693;
    int32_t count = modes->count;
    double *value = s->values, *residual = s->ritz;
    for (int32_t k = 0; k < count; ++k) {
        LY_TRY(measure(s, k, report->shift, &value[k], &residual[k]));
    }
    report->solves = s->solves;
    for (int32_t k = 0; k < count; ++k) {
        int32_t place = 0;
        for (int32_t other = 0; other < count; ++other) {
            place += value[other] < value[k] || (value[other] == value[k] && other < k);
        }
        modes->eigenvalues[place] = value[k];
        modes->frequencies[place] = copysign(sqrt(fabs(value[k])), value[k]) / two_pi;
        modes->residuals[place] = residual[k];
        memcpy(modes->vectors + (int64_t)place * modes->size, lyra_vector_values(s->V[k]),
               (size_t)modes->size * sizeof(double));
        modes->rigid_count += fabs(value[k]) <= ZERO * report->largest;
        report->residual = fmax(report->residual, residual[k]);
    }
    return LYRA_OK;
}

LyraStatus lyra_modes_create(LyraSystem *system, const LyraPoint *at, const LyraModesDef *def,
                             LyraModes **out, LyraModesReport *report)
{
    LYRA_ASSERT(system && out);
    LyraModesDef settings = def ? *def : lyra_modes_def_default();
    LY_CHECK_DEF(&settings, "lyra_modes_def_default");
    LY_TRY(check_settings(system, &settings));
    if (system->type->vector_type) {
        return ly_fail(LYRA_UNSUPPORTED, "modes of system %s, whose vectors are not the host's",
                       system->type->name);
    }
    LyraContext *ctx = system->ctx;
    LyraState *rest = NULL;
    LyraModes *modes = NULL;
    LySearch search = {.ctx = ctx};
    LyraModesReport found = {.solver = ""};
    LyraStatus status = LYRA_OK;
    LyraPoint point;
    if (at) {
        point = *at;
    } else {
        LY_TRY_DONE(lyra_system_state_create(system, &rest));
        LyraStateView view = lyra_state_view(rest);
        point = (LyraPoint){.u = view.u, .v = view.v, .committed = rest};
    }
    LY_TRY_DONE(create(ctx, system->size, settings.count, &modes));
    LY_TRY_DONE(linearise(system, &point, &found.largest));
    LY_TRY_DONE(search_modes(system, &settings, &search, &found));
    LY_TRY_DONE(fill(modes, &search, &found));
    *out = modes;
    modes = NULL;
    if (report) {
        *report = found;
    }
done:
    ly_search_destroy(&search);
    lyra_modes_destroy(modes);
    lyra_state_destroy(rest);
    return status;
}

LyraModesView lyra_modes_view(const LyraModes *modes)
{
    LYRA_ASSERT(modes);
    return (LyraModesView){
        .size = modes->size,
        .count = modes->count,
        .rigid_count = modes->rigid_count,
        .eigenvalues = modes->eigenvalues,
        .frequencies = modes->frequencies,
        .residuals = modes->residuals,
        .vectors = modes->vectors,
    };
}
