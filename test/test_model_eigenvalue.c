// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// The largest eigenvalue of M^-1 K: against closed forms and dense eigenvalues, held and free.

#include "lyra/dense.h"
#include "model_bodies.h"

LYRA_TEST(chains_of_springs_match_the_closed_form)
{
    const double k = 700, m = 0.3, pi = 3.14159265358979323846;
    const int32_t counts[] = {3, 4, 10, 101};
    for (SystemKind kind = 0; kind < SYSTEM_KIND_COUNT; ++kind) {
        for (int c = 0; c < 4; ++c) {
            for (int held = 0; held < 2; ++held) {
                LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
                Body body = make_chain(ctx, counts[c], k, m, held);
                make_system(&body, kind, NULL);
                lyra_vector_fill(body.u, 0);
                lyra_vector_fill(body.v, 0);
                LyraPoint at = point_of(&body);
                double value = 0;
                TEST_STATUS(lyra_system_largest_eigenvalue(body.system, &value),
                            LYRA_INVALID_ARGUMENT);
                TEST_OK(lyra_system_linearise(body.system, &at, false));
                TEST_OK(lyra_system_largest_eigenvalue(body.system, &value));
                // N free masses between walls: 4 k/m sin^2(N pi / 2 (N + 1)); free: one less
                int32_t n = counts[c];
                double angle = held ? 0.5 * pi * (n - 2) / (n - 1) : 0.5 * pi * (n - 1) / n;
                double exact = 4 * k / m * sin(angle) * sin(angle);
                TEST_CHECK_MSG(value <= exact * (1 + 1e-9) && value >= exact * 0.99,
                               "%d masses, held %d: %.10g, expected %.10g", n, held, value, exact);
                end_body(&body);
                test_context_end(ctx);
            }
        }
    }
}

// dense eigenvalues of a body with constraints: P K P x = l M x with P M = M P for lumped masses,
// and in general K and M on a basis of what is free
static double dense_largest(Body *body)
{
    int32_t n = body->size, free_count = 0;
    double *Z = calloc((size_t)n * (size_t)n, sizeof *Z), *column = malloc((size_t)n * sizeof *Z);
    // a basis of the range of P from its columns, by Gram and Schmidt
    for (int32_t i = 0; i < n; ++i) {
        memset(column, 0, (size_t)n * sizeof *column);
        column[i] = 1;
        lyra_constraints_project(lyra_system_constraints(body->system), column);
        for (int pass = 0; pass < 2; ++pass) {
            for (int32_t f = 0; f < free_count; ++f) {
                double part = 0;
                for (int32_t r = 0; r < n; ++r) {
                    part += Z[r + f * n] * column[r];
                }
                for (int32_t r = 0; r < n; ++r) {
                    column[r] -= part * Z[r + f * n];
                }
            }
        }
        double norm = 0;
        for (int32_t r = 0; r < n; ++r) {
            norm += column[r] * column[r];
        }
        if (norm > 1e-8) {
            for (int32_t r = 0; r < n; ++r) {
                Z[r + free_count * n] = column[r] / sqrt(norm);
            }
            ++free_count;
        }
    }
    double *reduced[2], *values = malloc((size_t)n * sizeof *values);
    for (int which = 0; which < 2; ++which) {
        reduced[which] = malloc((size_t)n * (size_t)n * sizeof *Z);
        for (int32_t f = 0; f < free_count; ++f) {
            memcpy(lyra_vector_values_mutable(body->x), Z + f * n, (size_t)n * sizeof *Z);
            (which ? lyra_system_apply_mass : lyra_system_apply_stiffness)(body->system, body->x,
                                                                           body->y);
            for (int32_t e = 0; e < free_count; ++e) {
                double sum = 0;
                for (int32_t r = 0; r < n; ++r) {
                    sum += Z[r + e * n] * lyra_vector_values(body->y)[r];
                }
                reduced[which][e + f * free_count] = sum;
            }
        }
    }
    TEST_OK(
        lyra_dense_eigen_generalised(body->ctx, free_count, reduced[0], reduced[1], values, NULL));
    double largest = values[free_count - 1];
    free(Z);
    free(column);
    free(values);
    free(reduced[0]);
    free(reduced[1]);
    return largest;
}

LYRA_TEST(bodies_match_dense_eigenvalues)
{
    for (SystemKind kind = 0; kind < SYSTEM_KIND_COUNT; ++kind) {
        for (int way = 0; way < 8; ++way) {
            LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
            BlockDef def = {.cells = {3, 2, 2},
                            .consistent = way & 1,
                            .viscous = (way & 4) != 0,
                            .unsymmetric = (way & 4) != 0};
            Body body = make_block_system(ctx, &def, kind);
            if (way & 2) {
                hold_some(&body);
            }
            // without velocities the viscous part of K is zero: what is left is symmetric
            lyra_vector_fill(body.v, 0);
            LyraPoint at = point_of(&body);
            double value = 0, again = 0;
            TEST_OK(lyra_system_linearise(body.system, &at, false));
            TEST_OK(lyra_system_largest_eigenvalue(body.system, &value));
            TEST_OK(lyra_system_largest_eigenvalue(body.system, &again));
            TEST_CHECK(value == again);
            double exact = dense_largest(&body);
            TEST_CHECK_MSG(value <= exact * (1 + 1e-9) && value >= exact * 0.98,
                           "%s, way %d: %.10g, expected %.10g", lyra_system_name(body.system), way,
                           value, exact);
            end_body(&body);
            test_context_end(ctx);
        }
    }
}

LYRA_TEST(nothing_free_and_nothing_stiff_give_zero)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    Body body = make_block_system(ctx, &(BlockDef){0}, SYSTEM_SPARSE);
    int32_t all[64];
    double value = 1;
    for (int32_t i = 0; i < body.size / 3; ++i) {
        all[i] = i;
    }
    TEST_OK(lyra_constraints_fix_vertices(lyra_model_constraints(body.model), body.size / 3, all));
    LyraPoint at = point_of(&body);
    TEST_OK(lyra_system_linearise(body.system, &at, false));
    TEST_OK(lyra_system_largest_eigenvalue(body.system, &value));
    TEST_CHECK(value == 0);
    end_body(&body);
    body = make_chain(ctx, 5, 0, 1, false);
    make_system(&body, SYSTEM_SPARSE, NULL);
    at = point_of(&body);
    value = 1;
    TEST_OK(lyra_system_linearise(body.system, &at, false));
    TEST_OK(lyra_system_largest_eigenvalue(body.system, &value));
    TEST_CHECK(value == 0);
    end_body(&body);
    test_context_end(ctx);
}

static LyraStatus search(LyraContext *ctx, void *data)
{
    (void)ctx;
    Body *body = data;
    double value;
    return lyra_system_largest_eigenvalue(body->system, &value);
}

LYRA_TEST(the_second_search_allocates_nothing)
{
    LyraContext *ctx = test_context(2, LYRA_ISA_AUTO);
    Body body = make_block_system(ctx, &(BlockDef){.consistent = true}, SYSTEM_SPARSE);
    LyraPoint at = point_of(&body);
    TEST_OK(lyra_system_linearise(body.system, &at, false));
    TEST_OK(search(ctx, &body));
    int64_t before = test_allocation_count();
    TEST_OK(search(ctx, &body));
    TEST_EQUAL(test_allocation_count(), before);
    end_body(&body);
    test_context_end(ctx);
}
