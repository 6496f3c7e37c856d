// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Prony series from measurements: constant Q, series that are found again, noise, bad data.

#include "lyra/viscoelasticity.h"
#include "lyra_test.h"

#include <math.h>

#define TWO_PI 6.28318530717958647693

static void moduli(const LyraPronySeries *s, double f, double *storage, double *loss)
{
    *storage = s->equilibrium;
    *loss = 0;
    for (int32_t k = 0; k < s->branch_count; ++k) {
        double y = TWO_PI * f * s->time[k];
        *storage += s->modulus[k] * y * y / (1 + y * y);
        *loss += s->modulus[k] * y / (1 + y * y);
    }
}

LYRA_TEST(constant_q_is_fitted_as_well_as_it_can_be)
{
    static const double errors[] = {0.123, 0.067, 0.035, 0.018};
    static const double times[] = {0.719, 0.0540, 0.00429, 3.41e-4, 2.46e-5};
    static const double sizes[] = {0.262, 0.337, 0.470, 0.654, 1.086};
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    LyraPronySeries s;
    for (int n = 2; n <= 5; ++n) {
        TEST_OK(lyra_fit_constant_q(ctx, 4.8, 0.1, 1e4, 2500, 2, n, &s));
        TEST_EQUAL(s.branch_count, n);
        TEST_NEAR(s.error, errors[n - 2], 0.0012);
    }
    TEST_NEAR(s.equilibrium / 2500, 0.603, 0.01);
    for (int k = 0; k < 5; ++k) {
        TEST_NEAR(s.time[k], times[k], 0.03 * times[k]);
        TEST_NEAR(s.modulus[k] / 2500, sizes[k], 0.03 * sizes[k]);
    }
    // Q over the band
    for (double f = 0.1; f < 1.01e4; f *= 1.3) {
        double storage, loss;
        moduli(&s, f, &storage, &loss);
        TEST_CHECK_MSG(storage / loss > 4.4 && storage / loss < 5.95, "Q %g at %g Hz",
                       storage / loss, f);
    }
    TEST_STATUS(lyra_fit_constant_q(ctx, 0, 0.1, 1e4, 1, 2, 3, &s), LYRA_INVALID_ARGUMENT);
    TEST_STATUS(lyra_fit_constant_q(ctx, 4, 10, 1, 1, 2, 3, &s), LYRA_INVALID_ARGUMENT);
    TEST_STATUS(lyra_fit_constant_q(ctx, 4, 1, 10, 1, 2, 9, &s), LYRA_INVALID_ARGUMENT);
    TEST_CONTAINS(lyra_error_message(), "9 branches, expected 0 to 8");
    test_context_end(ctx);
}

static const LyraPronySeries truth = {
    .equilibrium = 100, .branch_count = 3, .time = {2, 0.1, 0.004}, .modulus = {60, 150, 300}};

enum { ROWS = 60 };

LYRA_TEST(series_are_found_again_from_frequencies_with_noise)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    TestRandom random = test_random(2);
    double f[ROWS], storage[ROWS], loss[ROWS];
    for (int noisy = 0; noisy < 2; ++noisy) {
        for (int p = 0; p < ROWS; ++p) {
            f[p] = 0.02 * pow(1e4, (double)p / (ROWS - 1));
            moduli(&truth, f[p], &storage[p], &loss[p]);
            storage[p] *= 1 + 0.01 * noisy * test_random_normal(&random);
            loss[p] *= 1 + 0.01 * noisy * test_random_normal(&random);
        }
        LyraPronyData data = {.count = ROWS, .frequency = f, .storage = storage, .loss = loss};
        LyraPronySeries s;
        TEST_OK(lyra_fit_prony(ctx, &data, 0, &s));
        TEST_CHECK(s.branch_count >= 3);
        TEST_OK(lyra_fit_prony(ctx, &data, 3, &s));
        double tolerance = noisy ? 0.05 : 1e-6;
        TEST_NEAR(s.equilibrium, 100, 100 * tolerance);
        for (int k = 0; k < 3; ++k) {
            TEST_NEAR(s.time[k], truth.time[k], tolerance * truth.time[k]);
            TEST_NEAR(s.modulus[k], truth.modulus[k], tolerance * truth.modulus[k]);
        }
        TEST_CHECK(s.error < (noisy ? 0.015 : 1e-7));
    }
    test_context_end(ctx);
}

LYRA_TEST(series_are_found_again_from_relaxation_after_a_ramp)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    double t[ROWS], modulus[ROWS];
    for (int ramped = 0; ramped < 2; ++ramped) {
        double ramp = ramped ? 0.05 : 0;
        for (int p = 0; p < ROWS; ++p) {
            t[p] = 1e-3 * pow(1e4, (double)p / (ROWS - 1));
            modulus[p] = truth.equilibrium;
            for (int k = 0; k < 3; ++k) {
                double tau = truth.time[k];
                double mean = ramped ? tau / ramp * (exp(-t[p] / tau) - exp(-(t[p] + ramp) / tau))
                                     : exp(-t[p] / tau);
                modulus[p] += truth.modulus[k] * mean;
            }
        }
        LyraPronyData data = {.count = ROWS, .time = t, .modulus = modulus, .ramp = ramp};
        LyraPronySeries s;
        TEST_OK(lyra_fit_prony(ctx, &data, 3, &s));
        TEST_NEAR(s.equilibrium, 100, 1e-3);
        for (int k = 0; k < 3; ++k) {
            TEST_NEAR(s.time[k], truth.time[k], 1e-4 * truth.time[k]);
            TEST_NEAR(s.modulus[k], truth.modulus[k], 1e-4 * truth.modulus[k]);
        }
    }
    test_context_end(ctx);
}

static LyraStatus fit(LyraContext *ctx, void *data)
{
    LyraPronySeries s;
    return lyra_fit_prony(ctx, data, 2, &s);
}

LYRA_TEST(bad_measurements_are_refused)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    double t[4] = {1, 2, 3, 4}, G[4] = {4, 3, 2.5, 2.2};
    LyraPronyData data = {.count = 4, .time = t, .modulus = G};
    TEST_OK(fit(ctx, &data));
    test_fail_each_allocation(fit, &data);
    G[2] = -1;
    TEST_STATUS(fit(ctx, &data), LYRA_INVALID_ARGUMENT);
    TEST_CONTAINS(lyra_error_message(), "row 2 is (3, -1");
    G[2] = 2.5;
    data.ramp = NAN;
    TEST_STATUS(fit(ctx, &data), LYRA_INVALID_ARGUMENT);
    data.ramp = 0;
    data.frequency = t;
    TEST_STATUS(fit(ctx, &data), LYRA_INVALID_ARGUMENT);
    TEST_CONTAINS(lyra_error_message(), "frequency, storage and loss, or 3 of time and modulus");
    data.frequency = NULL;
    data.count = 1;
    TEST_STATUS(fit(ctx, &data), LYRA_INVALID_ARGUMENT);
    test_context_end(ctx);
}
