// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Constitutive laws: derivatives by differences, Taylor polynomials, small strain, closed forms,
// instruction sets.

#include "lyra/material.h"
#include "lyra_test.h"

#include <string.h>

#define WIDTH LYRA_MATERIAL_WIDTH

// parameters that use all terms of each law
static void choose_parameters(LyraMaterialLaw law, double *p)
{
    TEST_OK(lyra_material_from_enu(law, 2, 0.3, p));
    switch (law) {
    case LYRA_MATERIAL_MOONEY_RIVLIN:
        p[0] = 0.4;
        break;
    case LYRA_MATERIAL_YEOH:
        p[1] = 0.1;
        p[2] = 0.03;
        break;
    case LYRA_MATERIAL_REDUCED_POLYNOMIAL:
        for (int i = 1; i < 6; ++i) {
            p[i] = 0.05 / (i * i);
        }
        break;
    case LYRA_MATERIAL_OGDEN:
        p[2] = 0.1;
        p[4] = -0.2;
        break;
    default:
        break;
    }
}

typedef struct Law {
    const LyraMaterialType *type;
    double parameters[LYRA_MATERIAL_PARAMETERS_MAX * WIDTH];
    int axis; // for expansions
} Law;

static Law make_law(LyraMaterialLaw law, LyraIsa isa)
{
    Law out = {.type = lyra_material_type(law, isa)};
    double p[LYRA_MATERIAL_PARAMETERS_MAX];
    choose_parameters(law, p);
    for (int i = 0; i < out.type->parameter_count * WIDTH; ++i) {
        out.parameters[i] = p[i / WIDTH];
    }
    return out;
}

static void evaluate(const Law *law, const double *x, double *energy, double *gradient,
                     double *hessian)
{
    double arguments[3 * WIDTH], W[WIDTH], g[3 * WIDTH], h[6 * WIDTH];
    for (int i = 0; i < 3 * WIDTH; ++i) {
        arguments[i] = x[i / WIDTH];
    }
    LyraMaterialBatch batch = {.arguments = arguments,
                               .parameters = law->parameters,
                               .energy = energy ? W : NULL,
                               .gradient = gradient ? g : NULL,
                               .hessian = hessian ? h : NULL};
    law->type->evaluate(NULL, &batch);
    if (energy) {
        *energy = W[WIDTH - 1];
    }
    for (int i = 0; gradient && i < 3; ++i) {
        gradient[i] = g[i * WIDTH + WIDTH - 1];
    }
    for (int i = 0; hessian && i < 6; ++i) {
        hessian[i] = h[i * WIDTH + WIDTH - 1];
    }
}

static void energy_at(void *data, const double *x, double *f)
{
    evaluate(data, x, f, NULL, NULL);
}

static void gradient_at(void *data, const double *x, double *f)
{
    evaluate(data, x, NULL, f, NULL);
}

static void expand(const Law *law, const double *s, double *taylor)
{
    double stretches[3 * WIDTH], out[27 * WIDTH];
    for (int i = 0; i < 3 * WIDTH; ++i) {
        stretches[i] = s[i / WIDTH];
    }
    law->type->expand(NULL, stretches, law->parameters, out);
    for (int k = 0; k < 27; ++k) {
        taylor[k] = out[k * WIDTH];
    }
}

static void arguments_of(const Law *law, const double *s, double *x)
{
    if (law->type->arguments == LYRA_MATERIAL_STRETCHES) {
        memcpy(x, s, 3 * sizeof *x);
        return;
    }
    x[0] = x[1] = 0;
    for (int i = 0; i < 3; ++i) {
        x[0] += s[i] * s[i];
        x[1] += s[i] * s[i] * s[i] * s[i];
    }
    x[2] = s[0] * s[1] * s[2];
}

static const double states[][3] = {
    {1.01, 0.995, 1.003}, {1.5, 0.85, 0.7}, {0.6, 0.55, 0.5}, {1.9, 1.4, 0.3}};

LYRA_TEST(law_derivatives_match_differences)
{
    const double direction[3] = {0.31, -0.17, 0.23};
    for (int law = 0; law < LYRA_MATERIAL_LAW_COUNT; ++law) {
        for (LyraIsa isa = LYRA_ISA_SCALAR; isa != LYRA_ISA_AUTO; isa = test_next_isa(isa)) {
            Law l = make_law((LyraMaterialLaw)law, isa);
            for (int state = 0; state < 4; ++state) {
                double x[3], g[3], h[6];
                arguments_of(&l, states[state], x);
                evaluate(&l, x, NULL, g, h);
                double slope = 0, curvature[3];
                const double *d = direction;
                for (int i = 0; i < 3; ++i) {
                    slope += g[i] * d[i];
                    curvature[i] = h[i] * d[i] + h[3 + i] * d[(i + 1) % 3] +
                                   h[3 + (i + 2) % 3] * d[(i + 2) % 3];
                }
                test_check_difference(test_difference(energy_at, &l, 3, 1, x, d, &slope, 0.1), 1e-8,
                                      l.type->name);
                test_check_difference(test_difference(gradient_at, &l, 3, 3, x, d, curvature, 0.1),
                                      1e-8, l.type->name);
            }
        }
    }
}

// coefficient (i + 1, j, k) times i + 1 is the derivative of coefficient (i, j, k) by the stretch
static void lower_coefficients(void *data, const double *s, double *f)
{
    const Law *law = data;
    const int stride[3] = {9, 3, 1};
    double taylor[27];
    expand(law, s, taylor);
    for (int k = 0, n = 0; k < 27; ++k) {
        int power = k / stride[law->axis] % 3;
        if (power < 2) {
            f[n++] = taylor[k];
        }
    }
}

LYRA_TEST(law_taylor_polynomials_match_differences)
{
    const int stride[3] = {9, 3, 1};
    for (int law = 0; law < LYRA_MATERIAL_LAW_COUNT; ++law) {
        for (int state = 0; state < 4; ++state) {
            for (int axis = 0; axis < 3; ++axis) {
                Law l = make_law((LyraMaterialLaw)law, LYRA_ISA_SCALAR);
                l.axis = axis;
                double taylor[27], derivative[18], direction[3] = {0}, energy, x[3];
                expand(&l, states[state], taylor);
                for (int k = 0, n = 0; k < 27; ++k) {
                    int power = k / stride[axis] % 3;
                    if (power < 2) {
                        derivative[n++] = 0.1 * (power + 1) * taylor[k + stride[axis]];
                    }
                }
                direction[axis] = 0.1;
                test_check_difference(test_difference(lower_coefficients, &l, 3, 18, states[state],
                                                      direction, derivative, 0.1),
                                      1e-8, l.type->name);
                arguments_of(&l, states[state], x);
                evaluate(&l, x, &energy, NULL, NULL);
                TEST_NEAR(taylor[0], energy, 1e-13 * fmax(1, fabs(energy)));
            }
        }
    }
}

LYRA_TEST(law_rest_is_free_of_stress_and_matches_linear_elasticity)
{
    const double young = 2, poisson = 0.3;
    double lambda = young * poisson / ((1 + poisson) * (1 - 2 * poisson));
    double mu = young / (2 * (1 + poisson));
    for (int law = 0; law < LYRA_MATERIAL_LAW_COUNT; ++law) {
        Law l = make_law((LyraMaterialLaw)law, LYRA_ISA_SCALAR);
        double p[LYRA_MATERIAL_PARAMETERS_MAX], rest[3] = {1, 1, 1}, taylor[27];
        TEST_OK(lyra_material_from_enu((LyraMaterialLaw)law, young, poisson, p));
        TEST_NEAR(lyra_material_bulk3((LyraMaterialLaw)law, p), young / (1 - 2 * poisson), 1e-14);
        for (int i = 0; i < l.type->parameter_count * WIDTH; ++i) {
            l.parameters[i] = p[i / WIDTH];
        }
        expand(&l, rest, taylor);
        TEST_NEAR(taylor[0], 0, 1e-15);
        TEST_NEAR(taylor[1], 0, 4e-15);
        TEST_NEAR(taylor[2], lambda / 2 + mu, 2e-14);
        TEST_NEAR(taylor[4], lambda, 2e-14);
    }
}

// stretch 2 along x with free sides, by Newton on the lateral stretch
static void pull(LyraMaterialLaw law, double *lateral, double *stress)
{
    Law l = make_law(law, LYRA_ISA_SCALAR);
    double p[LYRA_MATERIAL_PARAMETERS_MAX], s = 0.8, taylor[27];
    TEST_OK(lyra_material_from_enu(law, 1, 0.3, p));
    for (int i = 0; i < l.type->parameter_count * WIDTH; ++i) {
        l.parameters[i] = p[i / WIDTH];
    }
    for (int i = 0; i < 50; ++i) {
        double at[3] = {2, s, s};
        expand(&l, at, taylor);
        s -= taylor[3] / (2 * taylor[6] + taylor[4]);
    }
    *lateral = s;
    *stress = taylor[9];
}

LYRA_TEST(law_stable_neo_hookean_pulled_to_twice_its_length)
{
    double lateral, stress;
    pull(LYRA_MATERIAL_STABLE_NEO_HOOKEAN, &lateral, &stress);
    TEST_NEAR(lateral, 0.774597, 1e-6);
    TEST_NEAR(stress, 0.653846, 1e-6);
    pull(LYRA_MATERIAL_STABLE_NEO_HOOKEAN_LOG, &lateral, &stress);
    TEST_NEAR(lateral, 0.771045, 1e-6);
    TEST_NEAR(stress, 0.732113, 1e-6);
}

LYRA_TEST(law_instruction_sets_agree)
{
    for (int law = 0; law < LYRA_MATERIAL_LAW_COUNT; ++law) {
        Law reference = make_law((LyraMaterialLaw)law, LYRA_ISA_SCALAR);
        for (LyraIsa isa = LYRA_ISA_SCALAR; isa != LYRA_ISA_AUTO; isa = test_next_isa(isa)) {
            Law l = make_law((LyraMaterialLaw)law, isa);
            for (int state = 0; state < 4; ++state) {
                double a[27], b[27], size = 0;
                expand(&reference, states[state], a);
                expand(&l, states[state], b);
                for (int k = 0; k < 27; ++k) {
                    size = fmax(size, fabs(a[k]));
                }
                for (int k = 0; k < 27; ++k) {
                    TEST_NEAR(b[k], a[k], 1e-12 * size);
                }
            }
        }
    }
}

LYRA_TEST(law_special_cases_agree)
{
    // Yeoh is the reduced polynomial of three terms; Ogden of exponents 2 and -2 is Mooney-Rivlin
    Law yeoh = make_law(LYRA_MATERIAL_YEOH, LYRA_ISA_SCALAR);
    Law reduced = make_law(LYRA_MATERIAL_REDUCED_POLYNOMIAL, LYRA_ISA_SCALAR);
    Law ogden = make_law(LYRA_MATERIAL_OGDEN, LYRA_ISA_SCALAR);
    Law mooney = make_law(LYRA_MATERIAL_MOONEY_RIVLIN, LYRA_ISA_SCALAR);
    for (int i = 0; i < WIDTH; ++i) {
        for (int k = 0; k < 6; ++k) {
            reduced.parameters[k * WIDTH + i] = k < 3 ? yeoh.parameters[k * WIDTH + i] : 0;
        }
        const double mu01 = mooney.parameters[i], mu10 = mooney.parameters[WIDTH + i];
        const double p[7] = {
            2 * mu10, 2, 0, 4, -2 * mu01, -2, 2 * mooney.parameters[2 * WIDTH + i]};
        for (int k = 0; k < 7; ++k) {
            ogden.parameters[k * WIDTH + i] = p[k];
        }
    }
    for (int state = 0; state < 4; ++state) {
        double a[27], b[27];
        expand(&yeoh, states[state], a);
        expand(&reduced, states[state], b);
        for (int k = 0; k < 27; ++k) {
            TEST_NEAR(a[k], b[k], 1e-13 * fmax(1, fabs(a[k])));
        }
        expand(&mooney, states[state], a);
        expand(&ogden, states[state], b);
        for (int k = 0; k < 27; ++k) {
            TEST_NEAR(a[k], b[k], 1e-12 * fmax(1, fabs(a[k])));
        }
    }
}

LYRA_TEST(law_bad_arguments_are_refused)
{
    double p[LYRA_MATERIAL_PARAMETERS_MAX] = {7};
    TEST_CHECK(lyra_material_type(LYRA_MATERIAL_LAW_COUNT, LYRA_ISA_SCALAR) == NULL);
    TEST_STATUS(lyra_material_from_enu(LYRA_MATERIAL_STVK, 0, 0.3, p), LYRA_INVALID_ARGUMENT);
    TEST_STATUS(lyra_material_from_enu(LYRA_MATERIAL_STVK, 1, 0.5, p), LYRA_INVALID_ARGUMENT);
    TEST_STATUS(lyra_material_from_enu(LYRA_MATERIAL_LAW_COUNT, 1, 0.3, p), LYRA_INVALID_ARGUMENT);
    TEST_CHECK(p[0] == 7);
}
