// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Prony series from measurements. With w = 2 pi f and z = i w tau,
//
//   M(w) = G_inf + sum G_k z_k/(1 + z_k);   G(t) = G_inf + sum G_k e^(-t/tau_k) r_k,
//
// r_k = (1 - e^(-t_r/tau)) tau/t_r after a ramp of t_r, from whose end t counts. First G by
// non-negative least squares [LH74] for times spread evenly over the data, on rows that are divided
// by the data; then ln G and ln tau by the Gauss-Newton method with a damping that grows where a
// step fails [Mar63], on M/M_fit - 1 or G_fit/G - 1.

#include "base/base.h"
#include "lyra/dense.h"
#include "lyra/viscoelasticity.h"

#include <math.h>
#include <string.h>

#define BRANCHES LYRA_RELAXATION_BRANCHES_MAX
#define UNKNOWNS (1 + 2 * BRANCHES)
#define STEPS 200
#define TWO_PI 6.28318530717958647693

// rows of the data: real and imaginary parts, or moduli
typedef struct Rows {
    LyraContext *ctx;
    bool dynamic;
    int32_t points, rows;  // rows: 2 points if dynamic
    const double *at;      // angular frequencies or times, [points]
    const double *re, *im; // [points]
    double ramp;
    double *A, *b; // scratch: [rows][UNKNOWNS] column-major, [rows]
} Rows;

// ---- the model ----------------------------------------------------------------------------------

// a branch of modulus 1 at one point, and its derivative by ln tau
static void branch_at(const Rows *rows, int32_t p, double tau, double value[2], double slope[2])
{
    if (rows->dynamic) {
        double y = rows->at[p] * tau, d = 1 / (1 + y * y);
        value[0] = y * y * d;
        value[1] = y * d;
        // z/(1 + z)^2
        slope[0] = 2 * y * y * d * d;
        slope[1] = y * (1 - y * y) * d * d;
        return;
    }
    double y = rows->at[p] / tau, r = rows->ramp / tau, decay = exp(-y);
    // (1 - e^-r)/r, of times that count from the begin of the ramp: exp(r) is in the decay
    double mean = r > 0 ? -expm1(-r) / r : 1, by_r = r > 1e-4 ? (exp(-r) - mean) / r : -0.5 + r / 3;
    value[0] = decay * mean;
    slope[0] = decay * (y * mean - r * by_r);
    value[1] = slope[1] = 0;
}

// M_fit at point p
static void series_at(const Rows *rows, const LyraPronySeries *s, int32_t p, double value[2])
{
    value[0] = s->equilibrium;
    value[1] = 0;
    for (int32_t k = 0; k < s->branch_count; ++k) {
        double unit[2], slope[2];
        branch_at(rows, p, s->time[k], unit, slope);
        value[0] += s->modulus[k] * unit[0];
        value[1] += s->modulus[k] * unit[1];
    }
}

// c = a / b
static void divide(const double a[2], const double b[2], double c[2])
{
    double d = b[0] * b[0] + b[1] * b[1];
    double re = (a[0] * b[0] + a[1] * b[1]) / d, im = (a[1] * b[0] - a[0] * b[1]) / d;
    c[0] = re;
    c[1] = im;
}

// residuals of a series [rows]; their mean square per point
static double find_residuals(const Rows *rows, const LyraPronySeries *s, double *r)
{
    double sum = 0;
    for (int32_t p = 0; p < rows->points; ++p) {
        double fit[2], data[2] = {rows->re[p], rows->dynamic ? rows->im[p] : 0}, e[2];
        series_at(rows, s, p, fit);
        if (rows->dynamic) {
            divide(data, fit, e);
        } else {
            divide(fit, data, e);
        }
        e[0] -= 1;
        sum += e[0] * e[0] + e[1] * e[1];
        if (r) {
            r[p] = e[0];
            if (rows->dynamic) {
                r[rows->points + p] = e[1];
            }
        }
    }
    return sum / rows->points;
}

// ---- non-negative least squares -----------------------------------------------------------------

// x of the columns in `passive`, the others 0
static LyraStatus solve_passive(Rows *rows, const double *columns, int32_t count,
                                const bool *passive, double *x)
{
    int32_t used = 0;
    double y[UNKNOWNS];
    for (int32_t j = 0; j < count; ++j) {
        if (passive[j]) {
            memcpy(rows->A + (int64_t)used++ * rows->rows, columns + (int64_t)j * rows->rows,
                   (size_t)rows->rows * sizeof *columns);
        }
    }
    LyraDenseView A = {.rows = rows->rows, .columns = used, .values = rows->A};
    LY_TRY(lyra_dense_least_squares(rows->ctx, A, 1, rows->b, -1, y, NULL));
    for (int32_t j = 0, n = 0; j < count; ++j) {
        x[j] = passive[j] ? y[n++] : 0;
    }
    return LYRA_OK;
}

// smallest |A x - b| with x >= 0
static LyraStatus fit_not_negative(Rows *rows, const double *columns, int32_t count, double *x)
{
    bool passive[UNKNOWNS] = {false};
    double next[UNKNOWNS];
    memset(x, 0, (size_t)count * sizeof *x);
    for (int32_t step = 0; step < 10 * UNKNOWNS; ++step) {
        // the column along which the residual falls fastest
        int32_t best = -1;
        double most = 1e-10;
        for (int32_t j = 0; j < count; ++j) {
            double along = 0, size = 0;
            for (int32_t i = 0; i < rows->rows; ++i) {
                const double *a = columns + i;
                double r = rows->b[i];
                for (int32_t k = 0; k < count; ++k) {
                    r -= a[(int64_t)k * rows->rows] * x[k];
                }
                along += a[(int64_t)j * rows->rows] * r;
                size += a[(int64_t)j * rows->rows] * a[(int64_t)j * rows->rows];
            }
            along /= sqrt(size * rows->rows);
            if (!passive[j] && along > most) {
                best = j;
                most = along;
            }
        }
        if (best < 0) {
            return LYRA_OK;
        }
        passive[best] = true;
        LY_TRY(solve_passive(rows, columns, count, passive, next));
        // back to the bound as long as something is beyond it
        for (;;) {
            double part = 1;
            for (int32_t j = 0; j < count; ++j) {
                if (passive[j] && next[j] <= 0) {
                    part = fmin(part, x[j] / (x[j] - next[j]));
                }
            }
            bool beyond = false;
            for (int32_t j = 0; j < count; ++j) {
                bool out = passive[j] && next[j] <= 0;
                x[j] += part * (next[j] - x[j]);
                if (out && x[j] <= 1e-14 * fabs(next[j])) {
                    passive[j] = false;
                    x[j] = 0;
                }
                beyond = beyond || out;
            }
            if (!beyond) {
                break;
            }
            LY_TRY(solve_passive(rows, columns, count, passive, next));
        }
    }
    return LYRA_OK;
}

// a start: times spread over [first, last]; branches without a modulus are left out
static LyraStatus start_series(Rows *rows, int32_t branches, double first, double last,
                               double *columns, LyraPronySeries *s)
{
    double times[BRANCHES], x[1 + BRANCHES];
    int32_t count = branches + 1;
    for (int32_t k = 0; k < branches; ++k) {
        double part = branches > 1 ? (double)k / (branches - 1) : 0.5;
        times[k] = last * pow(first / last, part);
    }
    for (int32_t p = 0; p < rows->points; ++p) {
        double data[2] = {rows->re[p], rows->dynamic ? rows->im[p] : 0};
        for (int32_t j = 0; j < count; ++j) {
            double value[2] = {1, 0}, slope[2];
            if (j > 0) {
                branch_at(rows, p, times[j - 1], value, slope);
            }
            divide(value, data, value);
            double *to = columns + (int64_t)j * rows->rows + p;
            to[0] = value[0];
            if (rows->dynamic) {
                to[rows->points] = value[1];
            }
        }
        rows->b[p] = 1;
        if (rows->dynamic) {
            rows->b[rows->points + p] = 0;
        }
    }
    LY_TRY(fit_not_negative(rows, columns, count, x));
    *s = (LyraPronySeries){.equilibrium = x[0]};
    for (int32_t k = 0; k < branches; ++k) {
        if (x[k + 1] > 0) {
            s->time[s->branch_count] = times[k];
            s->modulus[s->branch_count++] = x[k + 1];
        }
    }
    return LYRA_OK;
}

// ---- Gauss-Newton -------------------------------------------------------------------------------

// derivatives of the residuals by ln G_inf, ln G and ln tau, [rows] each
static void find_slopes(const Rows *rows, const LyraPronySeries *s, double *columns)
{
    int32_t n = s->branch_count;
    for (int32_t p = 0; p < rows->points; ++p) {
        double fit[2], data[2] = {rows->re[p], rows->dynamic ? rows->im[p] : 0}, factor[2];
        series_at(rows, s, p, fit);
        if (rows->dynamic) {
            // d(M/M_fit) = - M/M_fit^2 dM_fit
            divide(data, fit, factor);
            divide(factor, fit, factor);
            factor[0] = -factor[0];
            factor[1] = -factor[1];
        } else {
            factor[0] = 1 / data[0];
            factor[1] = 0;
        }
        for (int32_t j = 0; j < 1 + 2 * n; ++j) {
            double unit[2] = {1, 0}, slope[2] = {0, 0};
            double size = j == 0 ? s->equilibrium : s->modulus[(j - 1) % n];
            if (j > 0) {
                branch_at(rows, p, s->time[(j - 1) % n], unit, slope);
            }
            const double *d = j > n ? slope : unit;
            double *to = columns + (int64_t)j * rows->rows + p;
            to[0] = size * (factor[0] * d[0] - factor[1] * d[1]);
            if (rows->dynamic) {
                to[rows->points] = size * (factor[0] * d[1] + factor[1] * d[0]);
            }
        }
    }
}

static LyraStatus improve(Rows *rows, double *columns, LyraPronySeries *s)
{
    double damping = 1e-3, square = find_residuals(rows, s, rows->b);
    int32_t count = 1 + 2 * s->branch_count;
    for (int32_t step = 0; step < STEPS && s->branch_count > 0; ++step) {
        double N[UNKNOWNS * UNKNOWNS], g[UNKNOWNS], d[UNKNOWNS];
        find_slopes(rows, s, columns);
        for (int32_t i = 0; i < count; ++i) {
            for (int32_t j = 0; j < count; ++j) {
                double sum = 0;
                for (int32_t r = 0; r < rows->rows; ++r) {
                    sum +=
                        columns[(int64_t)i * rows->rows + r] * columns[(int64_t)j * rows->rows + r];
                }
                N[i * count + j] = sum * (i == j ? 1 + damping : 1) + (i == j ? 1e-14 : 0);
            }
            g[i] = 0;
            for (int32_t r = 0; r < rows->rows; ++r) {
                g[i] -= columns[(int64_t)i * rows->rows + r] * rows->b[r];
            }
        }
        LyraDenseView A = {.rows = count, .columns = count, .values = N};
        LY_TRY(lyra_dense_least_squares(rows->ctx, A, 1, g, 1e-14, d, NULL));
        LyraPronySeries next = *s;
        next.equilibrium *= exp(fmax(-2, fmin(2, d[0])));
        for (int32_t k = 0; k < s->branch_count; ++k) {
            next.modulus[k] *= exp(fmax(-2, fmin(2, d[1 + k])));
            next.time[k] *= exp(fmax(-2, fmin(2, d[1 + s->branch_count + k])));
        }
        double reached = find_residuals(rows, &next, NULL);
        if (reached < square) {
            bool done = square - reached < 1e-12 * square;
            *s = next;
            square = find_residuals(rows, s, rows->b);
            damping = fmax(0.1 * damping, 1e-12);
            if (done) {
                break;
            }
        } else if ((damping *= 10) > 1e8) {
            break;
        }
    }
    s->error = sqrt(square);
    return LYRA_OK;
}

static void sort_branches(LyraPronySeries *s)
{
    for (int32_t i = 1; i < s->branch_count; ++i) {
        for (int32_t k = i; k > 0 && s->time[k] > s->time[k - 1]; --k) {
            double time = s->time[k], modulus = s->modulus[k];
            s->time[k] = s->time[k - 1];
            s->modulus[k] = s->modulus[k - 1];
            s->time[k - 1] = time;
            s->modulus[k - 1] = modulus;
        }
    }
}

// ---- fits ---------------------------------------------------------------------------------------

static LyraStatus fit_rows(LyraContext *ctx, Rows *rows, int32_t branches, double first,
                           double last, LyraPronySeries *out)
{
    double *columns = NULL;
    LyraStatus status = LYRA_OK;
    LyraPronySeries best = {0};
    rows->ctx = ctx;
    rows->rows = rows->dynamic ? 2 * rows->points : rows->points;
    int64_t size = (int64_t)rows->rows * UNKNOWNS;
    LY_TRY_DONE(ly_allocate_array(ctx, size, sizeof(double), &columns));
    LY_TRY_DONE(ly_allocate_array(ctx, size, sizeof(double), &rows->A));
    LY_TRY_DONE(ly_allocate_array(ctx, rows->rows, sizeof(double), &rows->b));
    for (int32_t n = branches > 0 ? branches : 1; n <= (branches > 0 ? branches : BRANCHES); ++n) {
        LyraPronySeries s;
        if (branches == 0 && 2 * n + 1 > rows->rows) {
            break;
        }
        LY_TRY_DONE(start_series(rows, n, first, last, columns, &s));
        LY_TRY_DONE(improve(rows, columns, &s));
        if (!isfinite(s.error)) {
            status = ly_fail(LYRA_INVALID_ARGUMENT,
                             "fit: no series of %d branches has a finite error: the moduli lie too "
                             "far apart",
                             n);
            goto done;
        }
        if (branches == 0 && n > 1 && !(s.error < 0.8 * best.error)) {
            break;
        }
        best = s;
        if (s.error < 1e-9) {
            break;
        }
    }
    sort_branches(&best);
    *out = best;
done:
    ly_release(ctx, rows->b);
    ly_release(ctx, rows->A);
    ly_release(ctx, columns);
    return status;
}

static LyraStatus check_branches(int32_t branches)
{
    if (branches < 0 || branches > BRANCHES) {
        return ly_fail(LYRA_INVALID_ARGUMENT, "fit: %d branches, expected 0 to %d", branches,
                       BRANCHES);
    }
    return LYRA_OK;
}

static LyraStatus check_data(const LyraPronyData *data)
{
    bool dynamic = data->frequency != NULL;
    int32_t least = dynamic ? 2 : 3;
    if (data->count < least || dynamic == (data->time != NULL) ||
        (dynamic ? !data->storage || !data->loss : !data->modulus)) {
        return ly_fail(LYRA_INVALID_ARGUMENT,
                       "fit: %d rows, expected at least 2 of frequency, storage and loss, or 3 of "
                       "time and modulus",
                       data->count);
    }
    if (!(data->ramp >= 0 && isfinite(data->ramp))) {
        return ly_fail(LYRA_INVALID_ARGUMENT, "fit: a ramp of %g s, expected a number from 0 up",
                       data->ramp);
    }
    for (int32_t p = 0; p < data->count; ++p) {
        double at = dynamic ? data->frequency[p] : data->time[p];
        double value = dynamic ? data->storage[p] : data->modulus[p];
        double loss = dynamic ? data->loss[p] : 0;
        if (!(at > 0 && value > 0 && loss >= 0) || !isfinite(at + value + loss)) {
            return ly_fail(LYRA_INVALID_ARGUMENT,
                           "fit: row %d is (%g, %g%s%g), expected %s above 0 and moduli above 0", p,
                           at, value, dynamic ? ", " : " and loss ", loss,
                           dynamic ? "a frequency" : "a time");
        }
    }
    return LYRA_OK;
}

LyraStatus lyra_fit_prony(LyraContext *ctx, const LyraPronyData *data, int32_t branches,
                          LyraPronySeries *out)
{
    LY_TRY(check_branches(branches));
    LY_TRY(check_data(data));
    bool dynamic = data->frequency != NULL;
    double *at = NULL, first = INFINITY, last = 0;
    LY_TRY(ly_allocate_array(ctx, data->count, sizeof *at, &at));
    for (int32_t p = 0; p < data->count; ++p) {
        at[p] = dynamic ? TWO_PI * data->frequency[p] : data->time[p];
        double time = dynamic ? 1 / at[p] : at[p];
        first = fmin(first, time);
        last = fmax(last, time);
    }
    Rows rows = {.dynamic = dynamic,
                 .points = data->count,
                 .at = at,
                 .re = dynamic ? data->storage : data->modulus,
                 .im = data->loss,
                 .ramp = dynamic ? 0 : data->ramp};
    LyraStatus status = fit_rows(ctx, &rows, branches, first, last, out);
    ly_release(ctx, at);
    return status;
}

// points of a constant Q over its band
#define BAND 200

LyraStatus lyra_fit_constant_q(LyraContext *ctx, double q, double low, double high, double modulus,
                               double reference, int32_t branches, LyraPronySeries *out)
{
    LY_TRY(check_branches(branches));
    if (!(q > 0 && low > 0 && high > low && modulus > 0 && reference > 0) ||
        !isfinite(q + high + modulus + reference)) {
        return ly_fail(LYRA_INVALID_ARGUMENT,
                       "fit: q %g from %g to %g Hz with %g Pa at %g Hz, expected numbers above 0 "
                       "and a band that ascends",
                       q, low, high, modulus, reference);
    }
    double at[BAND], re[BAND], im[BAND], gamma = atan(1 / q) / (0.5 * TWO_PI);
    for (int32_t p = 0; p < BAND; ++p) {
        at[p] = TWO_PI * low * pow(high / low, (double)p / (BAND - 1));
        // M_0 (i w/w_0)^(2 gamma)
        double size = modulus * pow(at[p] / (TWO_PI * reference), 2 * gamma);
        re[p] = size * cos(0.5 * TWO_PI * gamma);
        im[p] = size * sin(0.5 * TWO_PI * gamma);
    }
    Rows rows = {.dynamic = true, .points = BAND, .at = at, .re = re, .im = im};
    return fit_rows(ctx, &rows, branches, 1 / (TWO_PI * high), 1 / (TWO_PI * low), out);
}
