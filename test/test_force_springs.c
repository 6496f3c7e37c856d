// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Springs: derivatives, damping, singular points, instruction sets, threads.

#include "force_cases.h"
#include "lyra/springs.h"

// ---- bodies -------------------------------------------------------------------------------------

// the variants of a mass-spring force
typedef enum Variant { UNDAMPED, FULL, ALONG, ALONG_SYMMETRIC, VARIANT_COUNT } Variant;

static const int has_of[VARIANT_COUNT] = {
    [UNDAMPED] = HAS_ENERGY | HAS_CONTRACTION,
    [FULL] = HAS_VELOCITY | HAS_CONTRACTION,
    [ALONG] = HAS_VELOCITY,
    [ALONG_SYMMETRIC] = HAS_VELOCITY,
};

static LyraMassSpringDef def_of(Variant variant)
{
    LyraMassSpringDef def = lyra_mass_spring_def_default();
    def.stiffness = 300;
    def.damping = 7;
    def.damping_kind = variant == UNDAMPED ? LYRA_SPRING_UNDAMPED
                       : variant == FULL   ? LYRA_SPRING_DAMPING_FULL
                                           : LYRA_SPRING_DAMPING_ALONG;
    def.symmetric = variant == ALONG_SYMMETRIC;
    return def;
}

static Case make_body(LyraContext *ctx, Variant variant, LyraElementKind kind, int32_t nx,
                      int32_t ny, int32_t nz)
{
    LyraMesh *mesh = make_box(ctx, kind, nx, ny, nz);
    LyraMeshView view = lyra_mesh_view(mesh);
    LyraSprings *springs = NULL;
    LyraForce *force = NULL;
    LyraMassSpringDef def = def_of(variant);
    TEST_OK(lyra_springs_create_from_mesh(ctx, mesh, &springs));
    TEST_OK(lyra_mass_spring_create(ctx, springs, &def, &force));
    Case c = make_case(ctx, view.vertex_count, view.positions, force);
    lyra_springs_destroy(springs);
    lyra_mesh_destroy(mesh);
    return c;
}

// one spring from (0,0,0) to (length,0,0) of rest length 1
static Case make_single(LyraContext *ctx, Variant variant, double rest_length)
{
    const int32_t pair[2] = {0, 1};
    const double x[6] = {0, 0, 0, 1, 0, 0};
    LyraSpringsDef list = lyra_springs_def_default();
    list.vertex_count = 2;
    list.spring_count = 1;
    list.vertices = pair;
    list.rest_lengths = &rest_length;
    LyraSprings *springs = NULL;
    LyraForce *force = NULL;
    LyraMassSpringDef def = def_of(variant);
    TEST_OK(lyra_springs_create(ctx, &list, &springs));
    TEST_OK(lyra_mass_spring_create(ctx, springs, &def, &force));
    lyra_springs_destroy(springs);
    return make_case(ctx, 2, x, force);
}

// ---- derivatives --------------------------------------------------------------------------------

LYRA_TEST(springs_derivatives_match_differences)
{
    for (LyraIsa isa = LYRA_ISA_SCALAR; isa != LYRA_ISA_AUTO; isa = test_next_isa(isa)) {
        for (int variant = 0; variant < ALONG_SYMMETRIC; ++variant) {
            LyraContext *ctx = test_context(1, isa);
            Case c = make_body(ctx, (Variant)variant,
                               variant == FULL ? LYRA_ELEMENT_CUBE8 : LYRA_ELEMENT_TET4, 2, 2, 1);
            TestRandom random = test_random(3);
            double *x = malloc((size_t)c.n * 6 * sizeof *x), *v = x + 3 * c.n;
            for (int kind = 0; kind < STATE_COUNT; ++kind) {
                char what[100];
                snprintf(what, sizeof what, "variant %d, %s, state %d", variant, lyra_isa_name(isa),
                         kind);
                set_state(&c, (StateKind)kind, &random, x);
                set_random(3 * c.n, 1, &random, v);
                check_derivatives(&c, x, v, &random, has_of[variant], what);
            }
            free(x);
            end_case(&c);
            test_context_end(ctx);
        }
    }
}

// the option `symmetric` gives the symmetric part, and the same force
LYRA_TEST(springs_symmetric_option_gives_the_symmetric_part)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    Case c = make_body(ctx, ALONG, LYRA_ELEMENT_TET4, 2, 1, 1);
    Case s = make_body(ctx, ALONG_SYMMETRIC, LYRA_ELEMENT_TET4, 2, 1, 1);
    TestRandom random = test_random(4);
    int32_t dofs = 3 * c.n;
    double *x = malloc((size_t)dofs * 8 * sizeof *x), *v = x + dofs, *out[2] = {v + dofs, NULL};
    out[1] = out[0] + 3 * dofs;
    set_state(&c, STATE_LARGE, &random, x);
    set_random(dofs, 3, &random, v);
    evaluate_all(&c, x, v, out[0]);
    evaluate_all(&s, x, v, out[1]);
    TEST_NEAR(largest_difference(dofs, out[0], out[1]), 0, 1e-13 * largest_of(dofs, out[0]));
    double *K = dense_of(&c, c.dfdx), *K_symmetric = dense_of(&s, s.dfdx);
    double *D = dense_of(&c, c.dfdv), *D_symmetric = dense_of(&s, s.dfdv), apart = 0, skew = 0;
    for (int32_t i = 0; i < dofs; ++i) {
        for (int32_t j = 0; j < dofs; ++j) {
            double a = K[i + j * dofs], b = K[j + i * dofs];
            apart = larger(apart, fabs(0.5 * (a + b) - K_symmetric[i + j * dofs]));
            apart = larger(apart, fabs(D[i + j * dofs] - D_symmetric[i + j * dofs]));
            skew = larger(skew, fabs(a - b));
        }
    }
    TEST_NEAR(apart, 0, 1e-12 * largest_of((int64_t)dofs * dofs, K));
    TEST_CHECK_MSG(skew > 1, "the exact derivative should not be symmetric: %g", skew);
    TEST_NEAR(asymmetry(&s, s.dfdx), 0, 1e-14);
    free(K);
    free(K_symmetric);
    free(D);
    free(D_symmetric);
    free(x);
    end_case(&c);
    end_case(&s);
    test_context_end(ctx);
}

LYRA_TEST(springs_tensor_is_symmetric_and_agrees_with_contractions)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    Case c = make_body(ctx, UNDAMPED, LYRA_ELEMENT_TET4, 1, 1, 1);
    TestRandom random = test_random(4);
    int32_t d = 3 * c.n;
    double *x = malloc((size_t)d * 4 * sizeof *x), *a = x + d, *b = a + d, *h = b + d;
    double *tensor = malloc((size_t)d * (size_t)d * (size_t)d * sizeof *tensor);
    set_state(&c, STATE_LARGE, &random, x);
    set_random(d, 1, &random, a);
    set_random(d, 1, &random, b);
    LyraEvaluation evaluation = {.x = x, .a = a, .b = b, .contraction = h};
    TEST_OK(lyra_assembly_evaluate(c.assembly, &evaluation));
    TEST_OK(lyra_assembly_tensor(c.assembly, &evaluation, tensor));
    double size = largest_of((int64_t)d * d * d, tensor), apart = 0, skew = 0;
    for (int32_t i = 0; i < d; ++i) {
        double sum = 0;
        for (int32_t j = 0; j < d; ++j) {
            for (int32_t k = 0; k < d; ++k) {
                double entry = tensor[(i * d + j) * d + k];
                sum += entry * a[j] * b[k];
                skew = larger(skew, fabs(entry - tensor[(j * d + i) * d + k]));
            }
        }
        apart = larger(apart, fabs(sum - h[i]));
    }
    TEST_CHECK(size > 1);
    TEST_NEAR(apart, 0, 1e-12 * size);
    TEST_NEAR(skew, 0, 1e-13 * size);
    TEST_STATUS(lyra_assembly_evaluate(c.assembly, &(LyraEvaluation){.x = x, .contraction = h}),
                LYRA_INVALID_ARGUMENT);
    end_case(&c);
    c = make_body(ctx, ALONG, LYRA_ELEMENT_TET4, 1, 1, 1);
    TEST_STATUS(lyra_assembly_evaluate(c.assembly, &evaluation), LYRA_UNSUPPORTED);
    TEST_CONTAINS(lyra_error_message(), "mass-spring");
    end_case(&c);
    free(x);
    free(tensor);
    test_context_end(ctx);
}

// ---- physics ------------------------------------------------------------------------------------

LYRA_TEST(springs_balance_and_rigid_motions)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    for (int variant = 0; variant < VARIANT_COUNT; ++variant) {
        Case c = make_body(ctx, (Variant)variant, LYRA_ELEMENT_CUBE8, 2, 2, 2);
        TestRandom random = test_random(5);
        int32_t dofs = 3 * c.n;
        double R[9], *x = calloc((size_t)dofs * 3, sizeof *x), *v = x + dofs, *g = v + dofs;
        double force, torque, power = 0;
        LyraEvaluation evaluation = {.x = x, .v = v, .gradient = g};
        set_state(&c, STATE_LARGE, &random, x);
        set_random(dofs, 1, &random, v);
        TEST_OK(lyra_assembly_evaluate(c.assembly, &evaluation));
        find_balance(c.n, x, g, &force, &torque);
        TEST_NEAR(force, 0, 1e-14);
        // damping that is not along the spring turns it
        TEST_CHECK(variant == FULL ? torque > 1e-6 : torque < 1e-14 * test_tolerance_scale());
        // a turned body that spins
        test_random_rotation(&random, R);
        for (int32_t i = 0; i < dofs; ++i) {
            const double *X = c.rest + i - i % 3, *row = R + 3 * (i % 3);
            x[i] = 0.7 + row[0] * X[0] + row[1] * X[1] + row[2] * X[2];
        }
        set_rigid_velocity(c.n, x, &random, v);
        TEST_OK(lyra_assembly_evaluate(c.assembly, &evaluation));
        TEST_CHECK(variant == FULL ? largest_of(dofs, g) > 1e-2 : largest_of(dofs, g) < 1e-11);
        // damping takes energy
        set_random(dofs, 1, &random, v);
        TEST_OK(lyra_assembly_evaluate(c.assembly, &evaluation));
        for (int32_t i = 0; i < dofs; ++i) {
            power += v[i] * g[i];
        }
        TEST_CHECK(variant == UNDAMPED ? fabs(power) < 1e-9 : power > 1);
        free(x);
        end_case(&c);
    }
    test_context_end(ctx);
}

// a stretched spring: numbers by hand
LYRA_TEST(springs_single_numbers)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    const double x[6] = {0, 0, 0, 1.5, 0, 0}, v[6] = {0, 0, 0, 2, 3, 0};
    for (int variant = 0; variant < VARIANT_COUNT; ++variant) {
        Case c = make_single(ctx, (Variant)variant, 1);
        double energy, g[6], block[9];
        LyraEvaluation evaluation = evaluation_of(&c, x, v);
        evaluation.energy = &energy;
        evaluation.gradient = g;
        evaluation.dfdx = c.dfdx;
        evaluation.dfdv = c.dfdv;
        TEST_OK(lyra_assembly_evaluate(c.assembly, &evaluation));
        TEST_NEAR(energy, 150 * 0.25, 1e-13);
        TEST_NEAR(g[3], variant == UNDAMPED ? 150 : 150 + 14, 1e-12);
        TEST_NEAR(g[4], variant == FULL ? 21 : 0, 1e-12);
        TEST_NEAR(g[0], -g[3], 0);
        lyra_block_matrix_get_block(c.dfdx, 0, 0, block);
        TEST_NEAR(block[0], 300, 1e-12);
        // (n.w) P / l on the diagonal
        TEST_NEAR(block[4], variant < ALONG ? 100 : 100 + 7 * 2 / 1.5, 1e-12);
        lyra_block_matrix_get_block(c.dfdv, 0, 1, block);
        TEST_NEAR(block[0], variant == UNDAMPED ? 0 : -7, 0);
        TEST_NEAR(block[4], variant == FULL ? -7 : 0, 0);
        end_case(&c);
    }
    test_context_end(ctx);
}

LYRA_TEST(springs_psd_tangent_is_positive)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    TestRandom random = test_random(8);
    for (int variant = 0; variant < VARIANT_COUNT; ++variant) {
        Case c = make_single(ctx, (Variant)variant, 1);
        int indefinite = 0;
        for (int repeat = 0; repeat < 1000; ++repeat) {
            double x[6], v[6], length = 0;
            set_random(6, pow(10, test_random_in(&random, -4, 1)), &random, x);
            set_random(6, 1, &random, v);
            LyraEvaluation evaluation = evaluation_of(&c, x, variant == UNDAMPED ? NULL : v);
            evaluation.dfdx = c.dfdx;
            TEST_OK(lyra_assembly_evaluate(c.assembly, &evaluation));
            double *exact = dense_of(&c, c.dfdx);
            bool negative = variant < ALONG && smallest_eigenvalue(&c, c.dfdx) < -1e-12;
            indefinite += negative;
            evaluation.psd = true;
            TEST_OK(lyra_assembly_evaluate(c.assembly, &evaluation));
            TEST_CHECK(smallest_eigenvalue(&c, c.dfdx) >= -1e-12);
            TEST_NEAR(asymmetry(&c, c.dfdx), 0, 1e-14);
            for (int i = 0; i < 3; ++i) {
                length += (x[i + 3] - x[i]) * (x[i + 3] - x[i]);
            }
            TEST_CHECK(variant >= ALONG || negative == (length < 1));
            double *projected = dense_of(&c, c.dfdx);
            // equal where the exact one is positive
            TEST_CHECK(variant >= ALONG || negative ||
                       memcmp(exact, projected, 36 * sizeof *exact) == 0);
            free(exact);
            free(projected);
        }
        TEST_CHECK(variant >= ALONG || (indefinite > 100 && indefinite < 900));
        end_case(&c);
    }
    // and a whole body
    Case c = make_body(ctx, UNDAMPED, LYRA_ELEMENT_TET4, 2, 1, 1);
    double *x = malloc((size_t)c.n * 3 * sizeof *x);
    set_state(&c, STATE_FLAT, &random, x);
    LyraEvaluation evaluation = {.x = x, .dfdx = c.dfdx};
    TEST_OK(lyra_assembly_evaluate(c.assembly, &evaluation));
    TEST_CHECK(smallest_eigenvalue(&c, c.dfdx) < -1e-3);
    TEST_NEAR(asymmetry(&c, c.dfdx), 0, 1e-14);
    evaluation.psd = true;
    TEST_OK(lyra_assembly_evaluate(c.assembly, &evaluation));
    TEST_CHECK(smallest_eigenvalue(&c, c.dfdx) > -1e-13);
    free(x);
    end_case(&c);
    test_context_end(ctx);
}

// the rule: no direction, no force, and stiffness the same all around
LYRA_TEST(springs_without_length_stay_finite)
{
    static const double lengths[] = {0, 1e-320, 1e-200, 1e-155, 1e-150, 1e-30, 1e-9};
    for (LyraIsa isa = LYRA_ISA_SCALAR; isa != LYRA_ISA_AUTO; isa = test_next_isa(isa)) {
        LyraContext *ctx = test_context(1, isa);
        for (int variant = 0; variant < VARIANT_COUNT; ++variant) {
            Case c = make_single(ctx, (Variant)variant, 1);
            for (int i = 0; i < 7; ++i) {
                double x[6] = {0}, v[6] = {1, 2, 3, 0, 0, 5}, a[6] = {0, 1, 2, 2, 1, 0};
                double energy, g[6], h[6] = {0}, block[9];
                x[4] = lengths[i];
                LyraEvaluation evaluation = evaluation_of(&c, x, v);
                evaluation.energy = &energy;
                evaluation.gradient = g;
                evaluation.dfdx = c.dfdx;
                evaluation.dfdv = c.dfdv;
                evaluation.a = evaluation.b = a;
                evaluation.contraction = variant < ALONG ? h : NULL;
                TEST_OK(lyra_assembly_evaluate(c.assembly, &evaluation));
                TEST_CHECK(all_finite(6, g) && all_finite(6, h) && matrix_finite(c.dfdx) &&
                           matrix_finite(c.dfdv));
                TEST_NEAR(energy, 150, 1e-6);
                lyra_block_matrix_get_block(c.dfdx, 0, 1, block);
                if (lengths[i] < 1e-154 && variant == UNDAMPED) {
                    TEST_CHECK(largest_of(6, g) == 0 && largest_of(6, h) == 0);
                    TEST_CHECK(block[0] == -300 && block[4] == -300 && block[8] == -300);
                    TEST_CHECK(block[1] == 0 && block[5] == 0);
                } else if (variant == UNDAMPED) {
                    TEST_NEAR(g[4], -300, 1e-6);
                }
                evaluation.psd = true;
                TEST_OK(lyra_assembly_evaluate(c.assembly, &evaluation));
                TEST_CHECK(matrix_finite(c.dfdx));
            }
            end_case(&c);
        }
        // a rest length of zero is no singular point: linear in x
        Case c = make_single(ctx, UNDAMPED, 0);
        TestRandom random = test_random(1);
        double x[6] = {0};
        check_derivatives(&c, x, NULL, &random, HAS_ENERGY, "zero rest length");
        TEST_CHECK(smallest_eigenvalue(&c, c.dfdx) > -1e-14);
        end_case(&c);
        test_context_end(ctx);
    }
}

// ---- twins, threads, memory ---------------------------------------------------------------------

static Case make_small(LyraContext *ctx, const void *data)
{
    return make_body(ctx, *(const Variant *)data, LYRA_ELEMENT_TET4, 5, 3, 3);
}

LYRA_TEST(springs_instruction_sets_agree)
{
    for (Variant variant = 0; variant < VARIANT_COUNT; ++variant) {
        check_instruction_sets(make_small, &variant);
    }
}

#define BIG 16

static void evaluate_big(LyraContext *ctx, void *data, void *out)
{
    Case c = make_body(ctx, *(Variant *)data, LYRA_ELEMENT_TET4, BIG, BIG, BIG);
    evaluate_large(&c, out);
}

LYRA_TEST(springs_bits_do_not_depend_on_threads)
{
    Variant variants[2] = {UNDAMPED, ALONG};
    size_t vertices = (BIG + 1) * (BIG + 1) * (BIG + 1);
    for (int i = 0; i < 2; ++i) {
        test_same_bits(evaluate_big, &variants[i], 9 * vertices * sizeof(double));
    }
}

LYRA_TEST(springs_evaluation_allocates_nothing)
{
    LyraContext *ctx = test_context(2, LYRA_ISA_AUTO);
    Case c = make_body(ctx, FULL, LYRA_ELEMENT_TET4, 12, 12, 12);
    double energy, *g = malloc((size_t)c.n * 6 * sizeof *g);
    LyraEvaluation evaluation = evaluation_of(&c, c.rest, c.rest);
    evaluation.energy = &energy;
    evaluation.gradient = g;
    evaluation.dfdx = c.dfdx;
    evaluation.dfdv = c.dfdv;
    evaluation.a = evaluation.b = c.rest;
    evaluation.contraction = g + 3 * c.n;
    check_allocates_nothing(c.assembly, &evaluation);
    free(g);
    end_case(&c);
    test_context_end(ctx);
}

LYRA_TEST(springs_parameters_change_while_running)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    const double x[6] = {0, 0, 0, 2, 0, 0}, v[6] = {0, 0, 0, 1, 0, 0};
    double value = 50, g[6];
    Case c = make_single(ctx, ALONG, 1);
    LyraEvaluation evaluation = {.x = x, .v = v, .gradient = g};
    TEST_OK(lyra_assembly_set_parameter(c.assembly, 0, LYRA_SPRING_STIFFNESS, &value));
    TEST_OK(lyra_assembly_evaluate(c.assembly, &evaluation));
    TEST_NEAR(g[3], 57, 1e-13);
    value = 1.5;
    TEST_OK(lyra_assembly_set_parameter(c.assembly, 0, LYRA_SPRING_REST_LENGTH, &value));
    value = 3;
    TEST_OK(lyra_assembly_set_parameter(c.assembly, 0, LYRA_SPRING_DAMPING, &value));
    TEST_OK(lyra_assembly_evaluate(c.assembly, &evaluation));
    TEST_NEAR(g[3], 28, 1e-13);
    end_case(&c);
    c = make_single(ctx, UNDAMPED, 1);
    TEST_STATUS(lyra_assembly_set_parameter(c.assembly, 0, LYRA_SPRING_DAMPING, &value),
                LYRA_INVALID_ARGUMENT);
    end_case(&c);
    test_context_end(ctx);
}
