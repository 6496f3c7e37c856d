// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Sets of constraints: storage, projections, elimination and the rigid motions they leave.

#include "base/base.h"
#include "solve/front.h"
#include "solve_bodies.h"

// ---- storage ------------------------------------------------------------------------------------

// checks order, orthonormality and the count of each vertex
static void check_set(const LyraConstraints *constraints, int32_t expected)
{
    LyraConstraintsView view = lyra_constraints_view(constraints);
    TEST_EQUAL(view.count, expected);
    for (int32_t k = 0; k < view.count; ++k) {
        if (k > 0) {
            TEST_CHECK(view.vertex[k] >= view.vertex[k - 1]);
        }
        for (int32_t j = k; j >= 0 && view.vertex[j] == view.vertex[k]; --j) {
            const double *a = view.direction + 3 * k, *b = view.direction + 3 * j;
            // a few roundings of products of numbers up to 1
            TEST_NEAR(a[0] * b[0] + a[1] * b[1] + a[2] * b[2], j == k ? 1.0 : 0.0, 1e-15);
        }
    }
}

LYRA_TEST(fixed_dofs_come_out_sorted_and_exact)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    LyraConstraints *set = NULL;
    TEST_REQUIRE_OK(lyra_constraints_create(ctx, 30, &set));
    uint64_t version = lyra_constraints_view(set).version;
    const int32_t dofs[] = {29, 0, 14, 2, 13, 0, 5};
    TEST_OK(lyra_constraints_fix_dofs(set, 7, dofs));
    check_set(set, 6);
    LyraConstraintsView view = lyra_constraints_view(set);
    TEST_CHECK(view.version != version);
    const int32_t found[] = {0, 2, 5, 13, 14, 29};
    for (int32_t k = 0; k < 6; ++k) {
        TEST_EQUAL(view.vertex[k], found[k] / 3);
        for (int32_t i = 0; i < 3; ++i) {
            TEST_CHECK(view.direction[3 * k + i] == (i == found[k] % 3 ? 1.0 : 0.0));
        }
        TEST_CHECK(view.value[k] == 0.0);
    }
    // the same again changes nothing
    version = view.version;
    TEST_OK(lyra_constraints_fix_dofs(set, 7, dofs));
    TEST_EQUAL(lyra_constraints_view(set).version, version);
    // dofs before, between and after
    const int32_t more[] = {1, 28, 27, 20};
    TEST_OK(lyra_constraints_fix_dofs(set, 4, more));
    check_set(set, 10);
    // vertices 4 and 9 go
    const int32_t released[] = {9, 4};
    TEST_OK(lyra_constraints_release_vertices(set, 2, released));
    check_set(set, 5);
    version = lyra_constraints_view(set).version;
    TEST_OK(lyra_constraints_release_vertices(set, 2, released));
    TEST_EQUAL(lyra_constraints_view(set).version, version);
    lyra_constraints_clear(set);
    check_set(set, 0);
    TEST_CHECK(lyra_constraints_view(set).version != version);
    lyra_constraints_destroy(set);
    test_context_end(ctx);
}

LYRA_TEST(directions_are_orthonormal_and_spanned_ones_change_nothing)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    LyraConstraints *set = NULL;
    TEST_REQUIRE_OK(lyra_constraints_create(ctx, 300, &set));
    TestRandom random = test_random(1);
    for (int32_t round = 0; round < 200; ++round) {
        int32_t v = test_random_below(&random, 100), held = set->held[v];
        double d[3], scale = pow(10.0, test_random_in(&random, -200, 200));
        for (int32_t i = 0; i < 3; ++i) {
            d[i] = scale * test_random_normal(&random);
        }
        uint64_t version = set->version;
        TEST_OK(lyra_constraints_add_direction(set, v, d));
        TEST_EQUAL(set->held[v], held < 3 ? held + 1 : 3);
        TEST_EQUAL(set->version, version + (held < 3));
        // along it again, and along a sum with another one
        version = set->version;
        d[0] *= -3, d[1] *= -3, d[2] *= -3;
        TEST_OK(lyra_constraints_add_direction(set, v, d));
        TEST_EQUAL(set->version, version);
    }
    // nearly parallel directions are told apart
    lyra_constraints_clear(set);
    const double a[3] = {1, 2, 3}, b[3] = {1, 2, 3 + 1e-5}, c[3] = {1, 2, 3 + 1e-10};
    TEST_OK(lyra_constraints_add_direction(set, 50, a));
    TEST_OK(lyra_constraints_add_direction(set, 50, b));
    TEST_OK(lyra_constraints_add_direction(set, 50, c));
    check_set(set, 2);
    // axes on top of slanted directions fill up what is left
    const int32_t vertex = 50;
    TEST_OK(lyra_constraints_fix_vertices(set, 1, &vertex));
    check_set(set, 3);
    lyra_constraints_destroy(set);
    test_context_end(ctx);
}

LYRA_TEST(wrong_arguments_are_refused_and_change_nothing)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    LyraConstraints *set = NULL;
    TEST_STATUS(lyra_constraints_create(ctx, -1, &set), LYRA_INVALID_ARGUMENT);
    // 4 unknowns: the last vertex has one
    TEST_REQUIRE_OK(lyra_constraints_create(ctx, 4, &set));
    const int32_t dofs[] = {0, 4}, negative = -1, vertex = 2, last = 1;
    TEST_STATUS(lyra_constraints_fix_dofs(set, 2, dofs), LYRA_INVALID_ARGUMENT);
    TEST_CONTAINS(lyra_error_message(), "dof 4 of 4");
    TEST_STATUS(lyra_constraints_fix_dofs(set, 1, &negative), LYRA_INVALID_ARGUMENT);
    TEST_STATUS(lyra_constraints_fix_vertices(set, 1, &vertex), LYRA_INVALID_ARGUMENT);
    TEST_STATUS(lyra_constraints_release_vertices(set, 1, &vertex), LYRA_INVALID_ARGUMENT);
    const double zero[3] = {0}, off[3] = {1, 1, 0}, bad[3] = {1, NAN, 0}, x_bar[4] = {1, INFINITY};
    TEST_STATUS(lyra_constraints_add_direction(set, 0, zero), LYRA_INVALID_ARGUMENT);
    TEST_STATUS(lyra_constraints_add_direction(set, 0, bad), LYRA_NOT_FINITE);
    TEST_STATUS(lyra_constraints_add_direction(set, 1, off), LYRA_INVALID_ARGUMENT);
    TEST_STATUS(lyra_constraints_add_direction(set, 2, off), LYRA_INVALID_ARGUMENT);
    check_set(set, 0);
    TEST_OK(lyra_constraints_fix_vertices(set, 1, &last));
    check_set(set, 1);
    TEST_OK(lyra_constraints_fix_dofs(set, 1, dofs));
    TEST_STATUS(lyra_constraints_set_values(set, (const double[]){NAN, 0, 0, 0}), LYRA_NOT_FINITE);
    // a value that no direction takes is not looked at
    TEST_OK(lyra_constraints_set_values(set, x_bar));
    double x[4] = {5, 6, 7, 8};
    lyra_constraints_impose(set, x);
    TEST_CHECK(x[0] == 1 && x[1] == 6 && x[2] == 7 && x[3] == 0);
    TEST_OK(lyra_constraints_set_values(set, NULL));
    lyra_constraints_impose(set, x);
    TEST_CHECK(x[0] == 0 && x[1] == 6 && x[2] == 7 && x[3] == 0);
    lyra_constraints_destroy(set);
    test_context_end(ctx);
}

// ---- projections --------------------------------------------------------------------------------

LYRA_TEST(projection_imposition_and_reaction_are_what_they_say)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    Body body = body_box(ctx, 4, 2, 2);
    LyraConstraints *set = NULL;
    TEST_REQUIRE_OK(lyra_constraints_create(ctx, body.size, &set));
    double *x = body_random(body.size, 5), *y = body_random(body.size, 5);
    double *b = body_random(body.size, 6), *r = body_allocate(body.size, sizeof *r);
    for (BodyCase kind = 0; kind < BODY_CASE_COUNT; ++kind) {
        body_constrain(&body, kind, set);
        LyraConstraintsView view = lyra_constraints_view(set);
        memcpy(x, y, (size_t)body.size * sizeof *x);
        lyra_constraints_project(set, x);
        double across = 0.0;
        for (int32_t i = 0; i < body.size; ++i) {
            across += x[i] * (y[i] - x[i]);
        }
        // orthogonal to what it took away; a sum of some hundred roundings
        TEST_NEAR(across, 0.0, 1e-13);
        for (int32_t k = 0; k < view.count; ++k) {
            const double *n = view.direction + 3 * k, *p = x + 3 * view.vertex[k];
            TEST_NEAR(n[0] * p[0] + n[1] * p[1] + n[2] * p[2], 0.0, 1e-15);
        }
        lyra_constraints_impose(set, x);
        for (int32_t k = 0; k < view.count; ++k) {
            const double *n = view.direction + 3 * k, *p = x + 3 * view.vertex[k];
            TEST_NEAR(n[0] * p[0] + n[1] * p[1] + n[2] * p[2], view.value[k], 1e-15);
        }
        // (I - P)(y - b) + P (y - b) is y - b
        lyra_constraints_reaction(set, y, b, r);
        for (int32_t i = 0; i < body.size; ++i) {
            x[i] = y[i] - b[i];
        }
        lyra_constraints_project(set, x);
        for (int32_t i = 0; i < body.size; ++i) {
            TEST_NEAR(x[i] + r[i], y[i] - b[i], 1e-14);
        }
        // in place
        memcpy(x, y, (size_t)body.size * sizeof *x);
        lyra_constraints_reaction(set, x, b, x);
        TEST_CHECK(memcmp(x, r, (size_t)body.size * sizeof *x) == 0);
    }
    free(x);
    free(y);
    free(b);
    free(r);
    lyra_constraints_destroy(set);
    body_end(&body);
    test_context_end(ctx);
}

// ---- elimination --------------------------------------------------------------------------------

// y = P A P x + s (I - P) x by products alone
static void apply_expected(const LyraOperator *A, const LyraConstraints *set, double s,
                           const double *x, double *y)
{
    double *t = body_allocate(A->size, sizeof *t);
    memcpy(t, x, (size_t)A->size * sizeof *t);
    lyra_constraints_project(set, t);
    lyra_operator_apply(A, t, y);
    lyra_constraints_project(set, y);
    for (int32_t i = 0; i < A->size; ++i) {
        y[i] += s * (x[i] - t[i]);
    }
    free(t);
}

LYRA_TEST(elimination_is_the_same_in_every_form)
{
    LyraContext *ctx = test_context(2, LYRA_ISA_AUTO);
    Body body = body_box(ctx, 4, 2, 2);
    LyraBlockPattern *full_pattern = NULL;
    LyraBlockMatrix *full = NULL, *upper = NULL;
    const LyraBlockPattern *pattern = lyra_block_matrix_pattern(body.K);
    TEST_REQUIRE_OK(lyra_block_pattern_convert(pattern, LYRA_STORAGE_FULL, &full_pattern));
    TEST_REQUIRE_OK(lyra_block_matrix_create(full_pattern, &full));
    TEST_REQUIRE_OK(lyra_block_matrix_copy(body.K, &upper));
    LyraConstraints *set = NULL;
    TEST_REQUIRE_OK(lyra_constraints_create(ctx, body.size, &set));
    double *x = body_random(body.size, 5), *expected = body_allocate(body.size, sizeof *x);
    double *y = body_allocate(body.size, sizeof *y), s = 1234.5;
    int64_t n = body.size;
    double *dense = body_allocate(n * n, sizeof *dense);
    LyraOperator A = lyra_operator_block(body.K, true);
    for (BodyCase kind = 0; kind < BODY_CASE_COUNT; ++kind) {
        body_constrain(&body, kind, set);
        apply_expected(&A, set, s, x, expected);
        TEST_OK(lyra_constraints_eliminate_block(set, body.K, s, upper));
        TEST_CHECK(lyra_block_matrix_asymmetry(upper) == 0.0);
        lyra_block_matrix_multiply(upper, x, y);
        TEST_NEAR(body_distance(n, y, expected), 0.0, 1e-14);
        // full storage, in place
        TEST_OK(lyra_block_matrix_assign(full, body.K));
        TEST_OK(lyra_constraints_eliminate_block(set, full, s, full));
        lyra_block_matrix_multiply(full, x, y);
        TEST_NEAR(body_distance(n, y, expected), 0.0, 1e-14);
        for (int64_t i = 0; i < n; ++i) {
            for (int64_t j = 0; j < n; ++j) {
                double block[9];
                lyra_block_matrix_get_block(body.K, (int32_t)i / 3, (int32_t)j / 3, block);
                dense[i + j * n] = block[i % 3 * 3 + j % 3];
            }
        }
        ly_constraints_eliminate_dense(set, s, dense);
        LyraOperator D = lyra_operator_dense(body.size, dense, true);
        lyra_operator_apply(&D, x, y);
        TEST_NEAR(body_distance(n, y, expected), 0.0, 1e-14);
    }
    TEST_STATUS(lyra_constraints_eliminate_block(set, body.K, s, full), LYRA_INVALID_ARGUMENT);
    TEST_STATUS(lyra_constraints_eliminate_block(set, body.K, 0.0, upper), LYRA_INVALID_ARGUMENT);
    free(x);
    free(y);
    free(expected);
    free(dense);
    lyra_constraints_destroy(set);
    lyra_block_matrix_destroy(upper);
    lyra_block_matrix_destroy(full);
    lyra_block_pattern_destroy(full_pattern);
    body_end(&body);
    test_context_end(ctx);
}

LYRA_TEST(scalar_patterns_are_filled_where_directions_need_it)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    // a chain of 11 unknowns, in either storage: the last vertex has two
    int32_t row[22], column[22], count = 0;
    double value[22];
    for (int32_t i = 0; i < 11; ++i) {
        row[count] = i, column[count] = i, value[count++] = 4.0 + i;
        if (i < 10) {
            row[count] = i, column[count] = i + 1, value[count++] = -1.0 - 0.1 * i;
        }
    }
    LyraConstraints *set = NULL;
    TEST_REQUIRE_OK(lyra_constraints_create(ctx, 11, &set));
    const double a[3] = {1, 2, 2}, b[3] = {1, -1, 0};
    TEST_OK(lyra_constraints_add_direction(set, 1, a));
    TEST_OK(lyra_constraints_add_direction(set, 3, b));
    for (int32_t storage = 0; storage < LYRA_STORAGE_COUNT; ++storage) {
        LyraCsrPattern *pattern = NULL, *whole = NULL;
        LyraCsrMatrix *A = NULL, *E = NULL;
        TEST_OK(lyra_csr_matrix_create_entries(ctx,
                                               &(LyraCsrEntries){.row_count = 11,
                                                                 .column_count = 11,
                                                                 .storage = (LyraStorage)storage,
                                                                 .count = count,
                                                                 .row = row,
                                                                 .column = column,
                                                                 .value = value},
                                               &pattern, &A));
        TEST_OK(ly_csr_pattern_whole_blocks(ctx, pattern, &whole));
        TEST_OK(lyra_csr_matrix_create(whole, &E));
        TEST_OK(lyra_csr_matrix_assign(E, A));
        ly_constraints_eliminate_csr(set, 7.0, E);
        LyraOperator op = lyra_operator_csr(A, false);
        double x[11], y[11], expected[11];
        for (int32_t i = 0; i < 11; ++i) {
            x[i] = sin(1.0 + i);
        }
        apply_expected(&op, set, 7.0, x, expected);
        lyra_csr_matrix_multiply(E, x, y);
        TEST_NEAR(body_distance(11, y, expected), 0.0, 1e-15);
        lyra_csr_matrix_destroy(A);
        lyra_csr_matrix_destroy(E);
        lyra_csr_pattern_destroy(whole);
        lyra_csr_pattern_destroy(pattern);
    }
    lyra_constraints_destroy(set);
    test_context_end(ctx);
}

static void apply_block(void *user, const double *x, double *y)
{
    lyra_block_matrix_multiply(user, x, y);
}

LYRA_TEST(callbacks_are_eliminated_by_callbacks)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    Body body = body_box(ctx, 4, 2, 2);
    LyraConstraints *set = NULL;
    TEST_REQUIRE_OK(lyra_constraints_create(ctx, body.size, &set));
    double *x = body_random(body.size, 5), *y = body_allocate(body.size, sizeof *x);
    double *expected = body_allocate(body.size, sizeof *x);
    double *diagonal = body_allocate(body.size, sizeof *x);
    lyra_block_matrix_diagonal(body.K, diagonal);
    for (BodyCase kind = 0; kind < BODY_CASE_COUNT; ++kind) {
        for (int32_t known = 0; known < 2; ++known) {
            body_constrain(&body, kind, set);
            LyraOperator A = lyra_operator_callback(body.size, true, apply_block, body.K,
                                                    known ? diagonal : NULL);
            LyEliminated eliminated;
            TEST_REQUIRE_OK(ly_eliminated_create(ctx, &A, set, &eliminated));
            TEST_OK(ly_eliminated_update(&eliminated, &A));
            // s is of the size of the diagonal, known or not
            TEST_CHECK(eliminated.s > 0.01 * diagonal[0] && eliminated.s < 100 * diagonal[0]);
            apply_expected(&A, set, eliminated.s, x, expected);
            lyra_operator_apply(&eliminated.E, x, y);
            TEST_NEAR(body_distance(body.size, y, expected), 0.0, 1e-14);
            TEST_CHECK((eliminated.E.diagonal != NULL) == (known == 1));
            for (int32_t i = 0; known && i < body.size; ++i) {
                TEST_CHECK(eliminated.E.diagonal[i] > 0.0);
                TEST_CHECK(set->held[i / 3] > 0 || eliminated.E.diagonal[i] == diagonal[i]);
            }
            ly_eliminated_destroy(&eliminated);
        }
    }
    free(x);
    free(y);
    free(expected);
    free(diagonal);
    lyra_constraints_destroy(set);
    body_end(&body);
    test_context_end(ctx);
}

// ---- free motions -------------------------------------------------------------------------------

// modes of `body` under `set`; checks that each is one
static int32_t find_modes(LyraContext *ctx, const Body *body, const LyraConstraints *set,
                          LyraFreeMode modes[12])
{
    int32_t count = -1;
    const LyraBlockPattern *pattern = lyra_block_matrix_pattern(body->K);
    TEST_OK(lyra_constraints_free_modes(ctx, set, pattern, body->positions, 12, modes, &count));
    double *u = body_allocate(body->size, sizeof *u), *Pu = body_allocate(body->size, sizeof *u);
    for (int32_t k = 0; k < count && k < 12; ++k) {
        const LyraFreeMode *m = modes + k;
        for (int32_t v = 0; v < body->vertex_count; ++v) {
            double d[3];
            for (int32_t i = 0; i < 3; ++i) {
                d[i] = body->positions[3 * v + i] - m->centre[i];
            }
            for (int32_t i = 0; i < 3; ++i) {
                int32_t j = (i + 1) % 3, l = (i + 2) % 3;
                u[3 * v + i] = m->velocity[i] + m->rotation[j] * d[l] - m->rotation[l] * d[j];
            }
        }
        memcpy(Pu, u, (size_t)body->size * sizeof *u);
        if (set) {
            lyra_constraints_project(set, Pu);
        }
        TEST_NEAR(body_distance(body->size, Pu, u), 0.0, 1e-12);
    }
    free(u);
    free(Pu);
    return count;
}

LYRA_TEST(free_modes_of_a_box_are_found)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    Body body = body_box(ctx, 3, 2, 2);
    LyraConstraints *set = NULL;
    LyraFreeMode modes[12];
    TEST_REQUIRE_OK(lyra_constraints_create(ctx, body.size, &set));
    TEST_EQUAL(find_modes(ctx, &body, NULL, modes), 6);
    TEST_EQUAL(find_modes(ctx, &body, set, modes), 6);
    // translations along the axes first, then rotations about the centre
    for (int32_t k = 0; k < 6; ++k) {
        double turn = 0.0, move = 0.0;
        for (int32_t i = 0; i < 3; ++i) {
            turn += fabs(modes[k].rotation[i]);
            move += fabs(modes[k].velocity[i]);
        }
        TEST_NEAR(move, k < 3 ? 1.0 : 0.0, 1e-12);
        TEST_NEAR(turn, k < 3 ? 0.0 : 1.0, 1e-12);
    }
    // one vertex: three rotations about it
    int32_t corner = 0;
    TEST_OK(lyra_constraints_fix_vertices(set, 1, &corner));
    TEST_EQUAL(find_modes(ctx, &body, set, modes), 3);
    // the edge x = -0.5, y = low: a hinge along z
    lyra_constraints_clear(set);
    for (int32_t v = 0; v < body.vertex_count; ++v) {
        const double *p = body.positions + 3 * v;
        if (fabs(p[0] + 0.5) < 1e-9 && fabs(p[1] + 1.0 / 3.0) < 1e-9) {
            TEST_OK(lyra_constraints_fix_vertices(set, 1, &v));
        }
    }
    TEST_EQUAL(find_modes(ctx, &body, set, modes), 1);
    TEST_NEAR(fabs(modes[0].rotation[2]), 1.0, 1e-12);
    TEST_NEAR(modes[0].rotation[0], 0.0, 1e-12);
    TEST_NEAR(modes[0].rotation[1], 0.0, 1e-12);
    // everything in a plane across a slanted direction: it slides and turns in the plane
    lyra_constraints_clear(set);
    const double n[3] = {1, 1, 1};
    for (int32_t v = 0; v < body.vertex_count; ++v) {
        TEST_OK(lyra_constraints_add_direction(set, v, n));
    }
    TEST_EQUAL(find_modes(ctx, &body, set, modes), 3);
    TEST_NEAR(fabs(modes[2].rotation[0]) * sqrt(3.0), 1.0, 1e-12);
    // statically determinate: 3-2-1
    lyra_constraints_clear(set);
    int32_t far_x = 0, far_y = 0;
    for (int32_t v = 0; v < body.vertex_count; ++v) {
        const double *p = body.positions + 3 * v, *o = body.positions;
        far_x = fabs(p[0] - o[0]) > 0.9 && fabs(p[1] - o[1]) + fabs(p[2] - o[2]) < 1e-9 ? v : far_x;
        far_y = fabs(p[1] - o[1]) > 0.6 && fabs(p[0] - o[0]) + fabs(p[2] - o[2]) < 1e-9 ? v : far_y;
    }
    TEST_REQUIRE(far_x > 0 && far_y > 0);
    const int32_t dofs[] = {0, 1, 2, 3 * far_x + 1, 3 * far_x + 2, 3 * far_y + 2};
    for (int32_t k = 5; k <= 6; ++k) {
        lyra_constraints_clear(set);
        TEST_OK(lyra_constraints_fix_dofs(set, k, dofs));
        TEST_EQUAL(find_modes(ctx, &body, set, modes), 6 - k);
    }
    lyra_constraints_destroy(set);
    body_end(&body);
    test_context_end(ctx);
}

LYRA_TEST(lines_points_and_parts_have_the_modes_they_have)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    // a rod 0-3-5 along (1, 2, 2), a triangle 1-4-6, a point 2; far from the origin
    const int32_t ids[] = {0, 3, 3, 5, 1, 4, 4, 6};
    double positions[21] = {0};
    for (int32_t i = 0; i < 3; ++i) {
        const double direction[3] = {1, 2, 2};
        positions[9 + i] = 0.1 * direction[i];
        positions[15 + i] = 0.35 * direction[i];
        positions[3 + i] = i == 0, positions[12 + i] = i == 1, positions[18 + i] = i == 2;
    }
    LyraStencils edges = {2, 4, ids};
    LyraBlockPattern *pattern = NULL;
    LyraConstraints *set = NULL;
    TEST_REQUIRE_OK(lyra_constraints_create(ctx, 21, &set));
    for (int32_t storage = 0; storage < LYRA_STORAGE_COUNT; ++storage) {
        for (double offset = 0; offset < 2e3; offset += 1e3) {
            double moved[21];
            for (int32_t i = 0; i < 21; ++i) {
                moved[i] = positions[i] + offset;
            }
            TEST_OK(lyra_block_pattern_create(ctx, 7, (LyraStorage)storage, 1, &edges, &pattern));
            LyraFreeMode modes[14];
            int32_t count = 0;
            TEST_OK(lyra_constraints_free_modes(ctx, NULL, pattern, moved, 14, modes, &count));
            TEST_EQUAL(count, 5 + 6 + 3);
            TEST_EQUAL(modes[0].vertex, 0);
            TEST_EQUAL(modes[5].vertex, 1);
            TEST_EQUAL(modes[11].vertex, 2);
            // the rod held at one end keeps two rotations; the point held has nothing
            const int32_t held[] = {5, 2};
            lyra_constraints_clear(set);
            TEST_OK(lyra_constraints_fix_vertices(set, 2, held));
            TEST_OK(lyra_constraints_free_modes(ctx, set, pattern, moved, 2, modes, &count));
            TEST_EQUAL(count, 2 + 6);
            lyra_block_pattern_destroy(pattern);
        }
    }
    lyra_constraints_destroy(set);
    test_context_end(ctx);
}

// ---- memory and threads -------------------------------------------------------------------------

static LyraStatus memory_scenario(LyraContext *ctx, void *data)
{
    (void)data;
    LyraStatus status = LYRA_OK;
    LyraConstraints *set = NULL;
    LyraBlockPattern *pattern = NULL;
    const int32_t ids[] = {0, 1, 1, 2}, dofs[] = {0, 1, 2, 5};
    const double n[3] = {1, 1, 0}, positions[9] = {0, 0, 0, 1, 0, 0, 0, 1, 0};
    LyraStencils edges = {2, 2, ids};
    LyraFreeMode modes[6];
    int32_t count = 0;
    LY_TRY_DONE(lyra_constraints_create(ctx, 9, &set));
    LY_TRY_DONE(lyra_constraints_fix_dofs(set, 4, dofs));
    LY_TRY_DONE(lyra_constraints_add_direction(set, 2, n));
    LY_TRY_DONE(lyra_block_pattern_create(ctx, 3, LYRA_STORAGE_UPPER, 1, &edges, &pattern));
    LY_TRY_DONE(lyra_constraints_free_modes(ctx, set, pattern, positions, 6, modes, &count));
done:
    lyra_constraints_destroy(set);
    lyra_block_pattern_destroy(pattern);
    return status;
}

LYRA_TEST(constraints_survive_each_failing_allocation)
{
    test_fail_each_allocation(memory_scenario, NULL);
}

static void eliminate_bits(LyraContext *ctx, void *data, void *out)
{
    (void)data;
    Body body = body_box(ctx, 30, 12, 12);
    LyraConstraints *set = NULL;
    TEST_REQUIRE_OK(lyra_constraints_create(ctx, body.size, &set));
    body_constrain(&body, BODY_SLANTED, set);
    TEST_OK(lyra_constraints_eliminate_block(set, body.K, 1e5, body.K));
    const LyraBlockPattern *pattern = lyra_block_matrix_pattern(body.K);
    memcpy(out, lyra_block_matrix_values(body.K),
           (size_t)lyra_block_pattern_view(pattern).block_count * 9 * sizeof(double));
    lyra_constraints_destroy(set);
    body_end(&body);
}

LYRA_TEST(elimination_has_the_same_bits_at_any_thread_count)
{
    // 5,239 vertices: two pieces of rows; at most 8 upper blocks a row
    test_same_bits(eliminate_bits, NULL, (size_t)5239 * 8 * 9 * sizeof(double));
}
