// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Vectors of small bodies lie in the caches, where the width of the registers and the latency of
// sums count. A sum runs in WIDTH lanes, lane l with the entries WIDTH i + l, however many of them
// a register holds, and products are rounded before they are added (sources.cmake): so all
// instruction sets give the same bits.

#include "solve/vector_kernels.h"

#include "math/lanes.h"

#define WIDTH 16
#define SETS (WIDTH / LY_LANES)

static double dot(int64_t count, const double *x, const double *y)
{
    LyReal sums[SETS];
    for (int s = 0; s < SETS; ++s) {
        sums[s] = ly_set(0);
    }
    int64_t i = 0;
    for (; i + WIDTH <= count; i += WIDTH) {
#pragma GCC unroll 16
        for (int s = 0; s < SETS; ++s) {
            sums[s] += ly_load(x + i + s * LY_LANES) * ly_load(y + i + s * LY_LANES);
        }
    }
    double lanes[WIDTH];
    for (int s = 0; s < SETS; ++s) {
        ly_store(lanes + s * LY_LANES, sums[s]);
    }
    for (int half = WIDTH / 2; half > 0; half /= 2) {
        for (int l = 0; l < half; ++l) {
            lanes[l] += lanes[l + half];
        }
    }
    double sum = lanes[0];
    for (; i < count; ++i) {
        sum += x[i] * y[i];
    }
    return sum;
}

static void axpby(int64_t count, double a, const double *x, double b, double *y)
{
    const LyReal va = ly_set(a), vb = ly_set(b);
    int64_t i = 0, whole = count - count % LY_LANES;
    if (b == 0.0) {
        for (; i < whole; i += LY_LANES) {
            ly_store(y + i, va * ly_load(x + i));
        }
        for (; i < count; ++i) {
            y[i] = a * x[i];
        }
    } else if (b == 1.0) {
        for (; i < whole; i += LY_LANES) {
            ly_store(y + i, ly_load(y + i) + va * ly_load(x + i));
        }
        for (; i < count; ++i) {
            y[i] += a * x[i];
        }
    } else {
        for (; i < whole; i += LY_LANES) {
            ly_store(y + i, va * ly_load(x + i) + vb * ly_load(y + i));
        }
        for (; i < count; ++i) {
            y[i] = a * x[i] + b * y[i];
        }
    }
}

static void sum(int64_t count, double a, const double *x, const double *y, double *out)
{
    const LyReal va = ly_set(a);
    int64_t i = 0;
    for (; i + LY_LANES <= count; i += LY_LANES) {
        ly_store(out + i, ly_load(y + i) + va * ly_load(x + i));
    }
    for (; i < count; ++i) {
        out[i] = y[i] + a * x[i];
    }
}

static double largest(int64_t count, const double *x)
{
    LyReal most[4] = {ly_set(0), ly_set(0), ly_set(0), ly_set(0)};
    int64_t i = 0;
    for (; i + 4 * LY_LANES <= count; i += 4 * LY_LANES) {
        for (int s = 0; s < 4; ++s) {
            most[s] = ly_max(ly_abs(ly_load(x + i + s * LY_LANES)), most[s]);
        }
    }
    double all = ly_largest(ly_max(ly_max(most[0], most[1]), ly_max(most[2], most[3])));
    for (; i < count; ++i) {
        double each = fabs(x[i]);
        all = each > all ? each : all;
    }
    return all;
}

// 0 x is 0 for numbers and NaN for the others
static bool is_finite(int64_t count, const double *x)
{
    LyReal sums[4] = {ly_set(0), ly_set(0), ly_set(0), ly_set(0)};
    int64_t i = 0;
    for (; i + 4 * LY_LANES <= count; i += 4 * LY_LANES) {
        for (int s = 0; s < 4; ++s) {
            sums[s] += 0.0 * ly_load(x + i + s * LY_LANES);
        }
    }
    double all = ly_sum((sums[0] + sums[1]) + (sums[2] + sums[3]));
    for (; i < count; ++i) {
        all += 0.0 * x[i];
    }
    return all == 0.0;
}

const LyVectorKernels LY_KERNEL(ly_vector_kernels) = {
    .dot = dot, .axpby = axpby, .sum = sum, .largest = largest, .is_finite = is_finite};
