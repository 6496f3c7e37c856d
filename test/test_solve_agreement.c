// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// The same system by every solver and every form of constraints.

#include "lyra/csr.h"
#include "solve_agree.h"

static const char *method_name(LyraConstraintMethod method)
{
    static const char *const names[] = {"auto", "eliminate", "filter", "low-rank"};
    return names[method];
}

static bool method_suits(const LyraSolverType *type, LyraConstraintMethod method)
{
    uint32_t needed = method == LYRA_CONSTRAIN_FILTER     ? LYRA_SOLVES_FILTERED
                      : method == LYRA_CONSTRAIN_LOW_RANK ? LYRA_SOLVES_DIRECTLY
                                                          : 0;
    return (type->traits & needed) == needed;
}

// ---- forms of constraints -----------------------------------------------------------------------

LYRA_TEST(forms_of_constraints_agree_for_every_solver)
{
    LyraContext *ctx = test_context(2, LYRA_ISA_AUTO);
    Body body = body_box(ctx, 5, 2, 2);
    LyraBlockMatrix *S = body_dynamics(&body, 0.01);
    LyraOperator A = lyra_operator_block(S, true);
    LyraConstraints *set = NULL;
    TEST_REQUIRE_OK(lyra_constraints_create(ctx, body.size, &set));
    double *b = body_random(body.size, 1), *x = body_allocate(body.size, sizeof *x);
    double *y = body_allocate(body.size, sizeof *x), *r = body_allocate(body.size, sizeof *x);
    int32_t solved = 0;
    for (BodyCase kind = 0; kind < BODY_CASE_COUNT; ++kind) {
        body_constrain(&body, kind, set);
        LyraSolver *reference = make_solver(ctx, "dense", LYRA_CONSTRAIN_ELIMINATE);
        LyraSolveReport report;
        TEST_REQUIRE(solve_once(reference, &A, set, b, y, &report));
        lyra_solver_destroy(reference);
        // the answer meets the constraints, and A x = b + r with r along the directions
        lyra_operator_apply(&A, y, x);
        lyra_constraints_reaction(set, x, b, r);
        for (int32_t i = 0; i < body.size; ++i) {
            r[i] += b[i];
        }
        TEST_NEAR(body_distance(body.size, x, r), 0.0, 1e-12);
        memcpy(x, y, (size_t)body.size * sizeof *x);
        lyra_constraints_impose(set, x);
        TEST_NEAR(body_distance(body.size, x, y), 0.0, 1e-15);
        for (int32_t k = 0; lyra_solver_name(k, NULL); ++k) {
            const LyraSolverType *type = NULL;
            const char *name = lyra_solver_name(k, &type);
            for (int32_t m = 0; m <= LYRA_CONSTRAIN_LOW_RANK; ++m) {
                LyraConstraintMethod method = (LyraConstraintMethod)m;
                if (!method_suits(type, method)) {
                    continue;
                }
                LyraSolver *solver = make_solver(ctx, name, method);
                if (solve_once(solver, &A, set, b, x, &report)) {
                    ++solved;
                    double distance = body_distance(body.size, x, y);
                    TEST_CHECK_MSG(distance <= AGREE, "%s, %s, case %d: %g", name,
                                   method_name(method), (int)kind, distance);
                    TEST_CHECK_MSG(report.residual <= 1.1 * TOLERANCE,
                                   "%s, %s, case %d: residual %g", name, method_name(method),
                                   (int)kind, report.residual);
                    TEST_CHECK(method == LYRA_CONSTRAIN_AUTO || report.constrain == method);
                }
                lyra_solver_destroy(solver);
            }
        }
    }
    TEST_CHECK(solved >= 3 * BODY_CASE_COUNT);
    free(b);
    free(x);
    free(y);
    free(r);
    lyra_constraints_destroy(set);
    lyra_block_matrix_destroy(S);
    body_end(&body);
    test_context_end(ctx);
}

LYRA_TEST(preconditioners_agree_under_constraints)
{
    static const char *const names[] = {"none", "jacobi", "block-jacobi", "ssor", "ic0", "auto"};
    LyraContext *ctx = test_context(2, LYRA_ISA_AUTO);
    Body body = body_box(ctx, 5, 2, 2);
    LyraBlockMatrix *S = body_dynamics(&body, 0.01);
    LyraOperator A = lyra_operator_block(S, true);
    LyraConstraints *set = NULL;
    TEST_REQUIRE_OK(lyra_constraints_create(ctx, body.size, &set));
    double *b = body_random(body.size, 1), *x = body_allocate(body.size, sizeof *x);
    double *y = body_allocate(body.size, sizeof *x);
    for (BodyCase kind = 0; kind < BODY_CASE_COUNT; ++kind) {
        body_constrain(&body, kind, set);
        LyraSolver *reference = make_solver(ctx, "dense", LYRA_CONSTRAIN_ELIMINATE);
        TEST_REQUIRE(solve_once(reference, &A, set, b, y, NULL));
        lyra_solver_destroy(reference);
        // each name, with and without a coarse space, in floats and in doubles, in both forms
        for (int32_t c = 0; c < 8 * LY_COUNT_OF(names); ++c) {
            LyraSolver *solver = NULL;
            LyraSolverDef def = lyra_solver_def_default();
            def.name = "pcg";
            def.preconditioner = names[c / 8];
            def.coarse = c & 1;
            def.single = c & 2;
            def.constrain = c & 4 ? LYRA_CONSTRAIN_FILTER : LYRA_CONSTRAIN_ELIMINATE;
            def.positions = body.positions;
            def.aggregate = 12;
            def.tolerance = TOLERANCE;
            TEST_OK(lyra_solver_create(ctx, &def, &solver));
            TEST_CHECK(solve_once(solver, &A, set, b, x, NULL));
            double distance = body_distance(body.size, x, y);
            TEST_CHECK_MSG(distance <= AGREE, "%s, choice %d, case %d: %g", names[c / 8],
                           (int)c % 8, (int)kind, distance);
            lyra_solver_destroy(solver);
        }
    }
    free(b);
    free(x);
    free(y);
    lyra_constraints_destroy(set);
    lyra_block_matrix_destroy(S);
    body_end(&body);
    test_context_end(ctx);
}

LYRA_TEST(directions_come_and_go_without_a_new_factor)
{
    LyraContext *ctx = test_context(2, LYRA_ISA_AUTO);
    Body body = body_box(ctx, 5, 2, 2);
    LyraBlockMatrix *S = body_dynamics(&body, 0.01);
    LyraOperator A = lyra_operator_block(S, true);
    LyraConstraints *set = NULL;
    TEST_REQUIRE_OK(lyra_constraints_create(ctx, body.size, &set));
    double *b = body_random(body.size, 1), *x = body_allocate(body.size, sizeof *x);
    double *y = body_allocate(body.size, sizeof *x);
    LyraSolver *reference = make_solver(ctx, "dense", LYRA_CONSTRAIN_ELIMINATE);
    for (int32_t k = 0; lyra_solver_name(k, NULL); ++k) {
        const LyraSolverType *type = NULL;
        const char *name = lyra_solver_name(k, &type);
        for (int32_t m = LYRA_CONSTRAIN_FILTER; m <= LYRA_CONSTRAIN_LOW_RANK; ++m) {
            LyraConstraintMethod method = (LyraConstraintMethod)m;
            if (!method_suits(type, method)) {
                continue;
            }
            LyraSolver *solver = make_solver(ctx, name, method);
            lyra_constraints_clear(set);
            TEST_OK(lyra_solver_analyze(solver, &A, set));
            TEST_OK(lyra_solver_factor(solver, &A));
            // from case to case, and back to none
            for (int32_t kind = 0; kind <= BODY_CASE_COUNT; ++kind) {
                body_constrain(&body, (BodyCase)(kind % BODY_CASE_COUNT), set);
                TEST_OK(lyra_solver_solve(solver, b, false, x, NULL));
                TEST_REQUIRE(solve_once(reference, &A, set, b, y, NULL));
                double distance = body_distance(body.size, x, y);
                TEST_CHECK_MSG(distance <= AGREE, "%s, %s, case %d: %g", name, method_name(method),
                               (int)kind, distance);
            }
            lyra_solver_destroy(solver);
        }
    }
    free(b);
    free(x);
    free(y);
    lyra_solver_destroy(reference);
    lyra_constraints_destroy(set);
    lyra_block_matrix_destroy(S);
    body_end(&body);
    test_context_end(ctx);
}

LYRA_TEST(reactions_in_statics_balance_the_loads)
{
    LyraContext *ctx = test_context(2, LYRA_ISA_AUTO);
    Body body = body_box(ctx, 8, 2, 2);
    LyraOperator A = lyra_operator_block(body.K, true);
    LyraConstraints *set = NULL;
    TEST_REQUIRE_OK(lyra_constraints_create(ctx, body.size, &set));
    body_constrain(&body, BODY_FIXED, set);
    double *b = body_random(body.size, 1), *x = body_allocate(body.size, sizeof *x);
    double *Ax = body_allocate(body.size, sizeof *x);
    for (int32_t k = 0; lyra_solver_name(k, NULL); ++k) {
        const char *name = lyra_solver_name(k, NULL);
        LyraSolver *solver = NULL;
        LyraSolverDef def = lyra_solver_def_default();
        def.name = name;
        def.task = LYRA_SOLVER_STATICS;
        def.positions = body.positions;
        def.tolerance = 1e-11;
        def.iterations_max = 50000;
        TEST_OK(lyra_solver_create(ctx, &def, &solver));
        if (solve_once(solver, &A, set, b, x, NULL)) {
            lyra_operator_apply(&A, x, Ax);
            lyra_constraints_reaction(set, Ax, b, Ax);
            // forces and moments about the origin
            double force[3] = {0}, moment[3] = {0};
            for (int32_t i = 0; i < body.size; ++i) {
                double f = b[i] + Ax[i];
                const double *p = body.positions + i / 3 * 3;
                int32_t c = i % 3, d = (c + 1) % 3, e = (c + 2) % 3;
                force[c] += f;
                moment[d] += p[e] * f;
                moment[e] -= p[d] * f;
            }
            for (int32_t i = 0; i < 3; ++i) {
                TEST_NEAR(force[i], 0.0, 1e-8);
                TEST_NEAR(moment[i], 0.0, 1e-8);
            }
        }
        lyra_solver_destroy(solver);
    }
    free(b);
    free(x);
    free(Ax);
    lyra_constraints_destroy(set);
    body_end(&body);
    test_context_end(ctx);
}

// ---- forms of matrices --------------------------------------------------------------------------

static void apply_block(void *user, const double *x, double *y)
{
    lyra_block_matrix_multiply(user, x, y);
}

LYRA_TEST(forms_of_matrices_agree_for_every_solver)
{
    LyraContext *ctx = test_context(2, LYRA_ISA_AUTO);
    Body body = body_box(ctx, 4, 2, 2);
    LyraBlockMatrix *S = body_dynamics(&body, 0.01), *full = NULL;
    LyraBlockPattern *full_pattern = NULL;
    LyraCsrPattern *upper_csr_pattern = NULL, *csr_pattern = NULL;
    LyraCsrMatrix *upper_csr = NULL, *csr = NULL;
    const LyraBlockPattern *pattern = lyra_block_matrix_pattern(S);
    TEST_REQUIRE_OK(lyra_block_pattern_convert(pattern, LYRA_STORAGE_FULL, &full_pattern));
    TEST_REQUIRE_OK(lyra_block_matrix_create(full_pattern, &full));
    TEST_OK(lyra_block_matrix_assign(full, S));
    TEST_REQUIRE_OK(lyra_csr_pattern_create_block(pattern, LYRA_STORAGE_UPPER, &upper_csr_pattern));
    TEST_REQUIRE_OK(lyra_csr_matrix_create(upper_csr_pattern, &upper_csr));
    TEST_OK(lyra_csr_matrix_assign_block(upper_csr, S));
    TEST_REQUIRE_OK(lyra_csr_pattern_create_block(full_pattern, LYRA_STORAGE_FULL, &csr_pattern));
    TEST_REQUIRE_OK(lyra_csr_matrix_create(csr_pattern, &csr));
    TEST_OK(lyra_csr_matrix_assign_block(csr, full));
    int64_t n = body.size;
    double *dense = body_allocate(n * n, sizeof *dense),
           *diagonal = body_allocate(n, sizeof *dense);
    for (int64_t j = 0; j < n; ++j) {
        for (int64_t i = 0; i < n; ++i) {
            dense[i + j * n] = lyra_csr_matrix_get(csr, (int32_t)i, (int32_t)j);
        }
    }
    lyra_block_matrix_diagonal(S, diagonal);
    const LyraOperator forms[] = {
        lyra_operator_block(S, true),
        lyra_operator_block(full, true),
        lyra_operator_block(full, false),
        lyra_operator_csr(upper_csr, true),
        lyra_operator_csr(csr, true),
        lyra_operator_csr(csr, false),
        lyra_operator_dense(body.size, dense, true),
        lyra_operator_dense(body.size, dense, false),
        lyra_operator_callback(body.size, true, apply_block, S, diagonal),
        lyra_operator_callback(body.size, true, apply_block, S, NULL),
        lyra_operator_callback(body.size, false, apply_block, S, diagonal),
    };
    LyraConstraints *set = NULL;
    TEST_REQUIRE_OK(lyra_constraints_create(ctx, body.size, &set));
    double *b = body_random(n, 1), *x = body_allocate(n, sizeof *x),
           *y = body_allocate(n, sizeof *x);
    int32_t solved = 0;
    for (int32_t c = 0; c < 2; ++c) {
        body_constrain(&body, c ? BODY_SLANTED : BODY_NONE, set);
        LyraSolver *reference = make_solver(ctx, "dense", LYRA_CONSTRAIN_ELIMINATE);
        TEST_REQUIRE(solve_once(reference, &forms[0], set, b, y, NULL));
        lyra_solver_destroy(reference);
        for (int32_t k = 0; lyra_solver_name(k, NULL); ++k) {
            const LyraSolverType *type = NULL;
            const char *name = lyra_solver_name(k, &type);
            for (int32_t m = 0; m <= LYRA_CONSTRAIN_LOW_RANK; ++m) {
                LyraConstraintMethod method = (LyraConstraintMethod)m;
                LyraSolver *solver = make_solver(ctx, name, method);
                for (int32_t f = 0; method_suits(type, method) && f < LY_COUNT_OF(forms); ++f) {
                    memset(x, 0, (size_t)n * sizeof *x);
                    if (solve_once(solver, &forms[f], set, b, x, NULL)) {
                        ++solved;
                        double distance = body_distance(n, x, y);
                        TEST_CHECK_MSG(distance <= AGREE, "%s, %s, form %d, set %d: %g", name,
                                       method_name(method), (int)f, (int)c, distance);
                    }
                }
                lyra_solver_destroy(solver);
            }
        }
    }
    TEST_CHECK(solved > 30);
    free(b);
    free(x);
    free(y);
    free(dense);
    free(diagonal);
    lyra_constraints_destroy(set);
    lyra_csr_matrix_destroy(csr);
    lyra_csr_matrix_destroy(upper_csr);
    lyra_csr_pattern_destroy(csr_pattern);
    lyra_csr_pattern_destroy(upper_csr_pattern);
    lyra_block_matrix_destroy(full);
    lyra_block_pattern_destroy(full_pattern);
    lyra_block_matrix_destroy(S);
    body_end(&body);
    test_context_end(ctx);
}

LYRA_TEST(unsymmetric_systems_agree)
{
    LyraContext *ctx = test_context(2, LYRA_ISA_AUTO);
    Body body = body_box(ctx, 4, 2, 2);
    LyraBlockMatrix *S = body_dynamics(&body, 0.01), *full = NULL;
    LyraBlockPattern *pattern = NULL;
    TEST_REQUIRE_OK(
        lyra_block_pattern_convert(lyra_block_matrix_pattern(S), LYRA_STORAGE_FULL, &pattern));
    TEST_REQUIRE_OK(lyra_block_matrix_create(pattern, &full));
    TEST_OK(lyra_block_matrix_assign(full, S));
    // as a flow through the body would: a skew part of a fifth of each block
    LyraBlockPatternView view = lyra_block_pattern_view(pattern);
    double *values = lyra_block_matrix_values_mutable(full);
    for (int32_t i = 0; i < view.row_count; ++i) {
        for (int64_t e = view.row_start[i]; e < view.row_start[i + 1]; ++e) {
            for (int32_t d = 0; view.column[e] != i && d < 9; ++d) {
                values[9 * e + d] *= view.column[e] > i ? 1.2 : 0.8;
            }
        }
    }
    TEST_CHECK(lyra_block_matrix_asymmetry(full) > 0.0);
    LyraOperator A = lyra_operator_block(full, false);
    LyraConstraints *set = NULL;
    TEST_REQUIRE_OK(lyra_constraints_create(ctx, body.size, &set));
    double *b = body_random(body.size, 1), *x = body_allocate(body.size, sizeof *x);
    double *y = body_allocate(body.size, sizeof *x);
    for (BodyCase kind = 0; kind < BODY_CASE_COUNT; ++kind) {
        body_constrain(&body, kind, set);
        LyraSolver *reference = make_solver(ctx, "dense", LYRA_CONSTRAIN_ELIMINATE);
        TEST_REQUIRE(solve_once(reference, &A, set, b, y, NULL));
        lyra_solver_destroy(reference);
        for (int32_t k = 0; lyra_solver_name(k, NULL); ++k) {
            const LyraSolverType *type = NULL;
            const char *name = lyra_solver_name(k, &type);
            for (int32_t m = 0; m <= LYRA_CONSTRAIN_LOW_RANK; ++m) {
                LyraSolver *solver = make_solver(ctx, name, (LyraConstraintMethod)m);
                if (method_suits(type, (LyraConstraintMethod)m) &&
                    solve_once(solver, &A, set, b, x, NULL)) {
                    double distance = body_distance(body.size, x, y);
                    TEST_CHECK_MSG(distance <= AGREE, "%s, %s, case %d: %g", name,
                                   method_name((LyraConstraintMethod)m), (int)kind, distance);
                }
                lyra_solver_destroy(solver);
            }
        }
    }
    free(b);
    free(x);
    free(y);
    lyra_constraints_destroy(set);
    lyra_block_matrix_destroy(full);
    lyra_block_pattern_destroy(pattern);
    lyra_block_matrix_destroy(S);
    body_end(&body);
    test_context_end(ctx);
}

LYRA_TEST(indefinite_systems_get_a_status_or_the_answer)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    Body body = body_box(ctx, 3, 2, 2);
    // K - w M between two frequencies
    LyraBlockMatrix *S = NULL;
    TEST_REQUIRE_OK(lyra_block_matrix_copy(body.K, &S));
    lyra_block_matrix_add_diagonal(S, -2e4, body.mass);
    LyraOperator A = lyra_operator_block(S, true);
    double *b = body_random(body.size, 1), *x = body_allocate(body.size, sizeof *x);
    double *y = body_allocate(body.size, sizeof *x);
    LyraSolver *reference = NULL;
    LyraSolverDef def = lyra_solver_def_default();
    def.name = "dense";
    def.indefinite = LYRA_INDEFINITE_LDL;
    LyraSolveReport report;
    TEST_REQUIRE_OK(lyra_solver_create(ctx, &def, &reference));
    TEST_REQUIRE(solve_once(reference, &A, NULL, b, y, &report));
    TEST_EQUAL(report.definiteness, LYRA_DEFINITENESS_INDEFINITE);
    TEST_CHECK(report.negative >= 6);
    lyra_solver_destroy(reference);
    for (int32_t k = 0; lyra_solver_name(k, NULL); ++k) {
        const LyraSolverType *type = NULL;
        const char *name = lyra_solver_name(k, &type);
        for (int32_t i = 0; i <= LYRA_INDEFINITE_LDL; ++i) {
            LyraSolver *solver = NULL;
            def.name = name;
            def.indefinite = (LyraIndefinite)i;
            def.tolerance = TOLERANCE;
            def.iterations_max = 5000;
            TEST_OK(lyra_solver_create(ctx, &def, &solver));
            TEST_OK(lyra_solver_analyze(solver, &A, NULL));
            LyraStatus status = lyra_solver_factor(solver, &A);
            if (status == LYRA_OK) {
                status = lyra_solver_solve(solver, b, false, x, &report);
            }
            if (status == LYRA_OK) {
                double distance = body_distance(body.size, x, y);
                TEST_CHECK_MSG(distance <= AGREE, "%s: %g", name, distance);
            } else {
                TEST_CHECK_MSG(status == LYRA_NOT_POSITIVE_DEFINITE || status == LYRA_NOT_CONVERGED,
                               "%s: %s", name, lyra_error_message());
            }
            // who is made for it does it
            bool made = strcmp(name, "minres") == 0 || strcmp(name, "umfpack") == 0 ||
                        (i == LYRA_INDEFINITE_LDL && type->traits & LYRA_SOLVES_INDEFINITE &&
                         type->traits & LYRA_SOLVES_DIRECTLY);
            TEST_CHECK_MSG(!made || status == LYRA_OK, "%s: %s", name, lyra_error_message());
            lyra_solver_destroy(solver);
        }
    }
    free(b);
    free(x);
    free(y);
    lyra_block_matrix_destroy(S);
    body_end(&body);
    test_context_end(ctx);
}

// ---- iterations ---------------------------------------------------------------------------------

// The sheared cube of 24,576 tets of Hauth's table 3.4 [Hau04], where he has 90, 81, 33 and 27.
// Constants and right-hand side are ours, so the ranking is what compares.
LYRA_TEST(preconditioners_rank_as_in_hauths_table)
{
    static const char *const names[] = {"jacobi", "block-jacobi", "ssor", "ic0"};
    const double shear[9] = {1, 0.3, 0, 0, 1, 0, 0, 0, 1}, origin[3] = {0};
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    LyraMeshShapeDef shape = lyra_mesh_shape_def_default();
    LyraMesh *cube = NULL, *mesh = NULL;
    for (int32_t d = 0; d < 3; ++d) {
        shape.cells[d] = 16;
        shape.size[d] = 0.1;
    }
    TEST_REQUIRE_OK(lyra_mesh_generate(ctx, &shape, &cube));
    TEST_REQUIRE_OK(lyra_mesh_transform(cube, shear, origin, &mesh));
    TEST_EQUAL(lyra_mesh_view(mesh).element_count, 24576);
    Body body = body_of_mesh(ctx, mesh, 1e4);
    LyraBlockMatrix *S = body_dynamics(&body, 0.01);
    LyraOperator A = lyra_operator_block(S, true);
    double *b = body_random(body.size, 1), *x = body_allocate(body.size, sizeof *x);
    int32_t before = INT32_MAX;
    for (int32_t k = 0; k < LY_COUNT_OF(names); ++k) {
        LyraSolverDef def = lyra_solver_def_default();
        LyraSolver *solver = NULL;
        LyraSolveReport report = {0};
        def.name = "pcg";
        def.preconditioner = names[k];
        def.positions = body.positions;
        TEST_REQUIRE_OK(lyra_solver_create(ctx, &def, &solver));
        solve_once(solver, &A, NULL, b, x, &report);
        TEST_CHECK_MSG(report.iterations < before, "%s: %d iterations after %d", names[k],
                       (int)report.iterations, (int)before);
        if (getenv("LYRA_TEST_VERBOSE")) {
            printf("  %s: %d iterations\n", names[k], (int)report.iterations);
        }
        before = report.iterations;
        lyra_solver_destroy(solver);
    }
    free(b);
    free(x);
    lyra_block_matrix_destroy(S);
    body_end(&body);
    lyra_mesh_destroy(cube);
    test_context_end(ctx);
}

// ---- meshes -------------------------------------------------------------------------------------

LYRA_TEST(solvers_agree_on_generated_bodies)
{
    LyraContext *ctx = test_context(2, LYRA_ISA_AUTO);
    for (int32_t shape = 0; shape < LYRA_MESH_SHAPE_COUNT; ++shape) {
        for (int32_t cubes = 0; cubes < 2; ++cubes) {
            LyraMeshShapeDef def = lyra_mesh_shape_def_default();
            LyraMesh *mesh = NULL;
            def.shape = (LyraMeshShape)shape;
            def.kind = cubes ? LYRA_ELEMENT_CUBE8 : LYRA_ELEMENT_TET4;
            def.elements = cubes ? 200 : 1000;
            TEST_REQUIRE_OK(lyra_mesh_generate(ctx, &def, &mesh));
            Body body = body_of_mesh(ctx, mesh, 1e6);
            for (double h = 0.001; h < 2; h *= 10) {
                check_body(ctx, lyra_mesh_shape_name(def.shape), &body, h);
            }
            body_end(&body);
        }
    }
    test_context_end(ctx);
}

LYRA_TEST(solvers_agree_on_beams)
{
    check_mesh_file("meshes/beam3.veg");
    check_mesh_file("meshes/beam3_tet.veg");
}

LYRA_TEST(solvers_agree_on_dragons)
{
    check_mesh_file("meshes/asianDragon.veg");
    check_mesh_file("meshes/asianDragon_MooneyRivlin.veg");
    check_mesh_file("meshes/dragon-coarse.tet.veg");
}

LYRA_TEST(solvers_agree_on_turtles)
{
    check_mesh_file("meshes/turtle-volumetric-heterogeneous.veg");
    check_mesh_file("meshes/turtle-volumetric-heterogeneous.ortho.veg");
    check_mesh_file("meshes/turtle-volumetric-homogeneous.veg");
    check_mesh_file("meshes/turtle-volumetric-homogeneous.ortho.veg");
}

LYRA_TEST(solvers_agree_on_the_coarse_bridge)
{
    check_mesh_file("meshes/simpleBridge_resol92-b1.155_enlarged.veg");
}
