// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Viscosity of tets: derivatives, rigid motions, dissipation, instruction sets, threads.

#include "force_cases.h"
#include "lyra/elastic.h"
#include "lyra/viscosity.h"

#define LAMBDA 30.0
#define MU 7.0

static Case make_body(LyraContext *ctx, bool symmetric, int32_t nx, int32_t ny, int32_t nz)
{
    LyraMesh *mesh = make_box(ctx, LYRA_ELEMENT_TET4, nx, ny, nz);
    LyraMeshView view = lyra_mesh_view(mesh);
    LyraViscosityDef def = lyra_viscosity_def_default();
    LyraForce *force = NULL;
    def.lambda = LAMBDA;
    def.mu = MU;
    def.symmetric = symmetric;
    TEST_OK(lyra_viscosity_create(ctx, mesh, &def, &force));
    Case c = make_case(ctx, view.vertex_count, view.positions, force);
    lyra_mesh_destroy(mesh);
    return c;
}

// ---- derivatives --------------------------------------------------------------------------------

LYRA_TEST(viscosity_derivatives_match_differences)
{
    for (LyraIsa isa = LYRA_ISA_SCALAR; isa != LYRA_ISA_AUTO; isa = test_next_isa(isa)) {
        LyraContext *ctx = test_context(1, isa);
        Case c = make_body(ctx, false, 2, 2, 1);
        TestRandom random = test_random(3);
        double *x = malloc((size_t)c.n * 6 * sizeof *x), *v = x + 3 * c.n;
        for (int kind = 0; kind <= STATE_COUNT; ++kind) {
            char what[100];
            snprintf(what, sizeof what, "%s, state %d", lyra_isa_name(isa), kind);
            // the last state: all nearly in one place
            for (int32_t i = 0; i < 3 * c.n; ++i) {
                x[i] = 1e-3 * c.rest[i];
            }
            if (kind < STATE_COUNT) {
                set_state(&c, (StateKind)kind, &random, x);
            }
            set_random(3 * c.n, 1, &random, v);
            check_derivatives(&c, x, v, &random, HAS_VELOCITY, what);
        }
        free(x);
        end_case(&c);
        test_context_end(ctx);
    }
}

// dfdv is symmetric and positive, dfdx is neither
LYRA_TEST(viscosity_symmetry_and_definiteness)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    Case c = make_body(ctx, false, 2, 1, 1);
    TestRandom random = test_random(5);
    int32_t dofs = 3 * c.n;
    double *x = malloc((size_t)dofs * 5 * sizeof *x), *v = x + dofs, *out = v + dofs;
    for (int repeat = 0; repeat < 50; ++repeat) {
        set_state(&c, (StateKind)(repeat % STATE_COUNT), &random, x);
        set_random(dofs, 1, &random, v);
        evaluate_all(&c, x, v, out);
        TEST_NEAR(asymmetry(&c, c.dfdv), 0, 1e-13);
        TEST_CHECK(smallest_eigenvalue(&c, c.dfdv) > -1e-13);
        TEST_CHECK(asymmetry(&c, c.dfdx) > 1e-3);
        // linear in the velocities: f = dfdv v
        apply_matrix(&c, c.dfdv, v, out + dofs);
        TEST_NEAR(largest_difference(dofs, out, out + dofs), 0, 1e-12 * largest_of(dofs, out));
        // the PSD mode has no derivative by position, and the same by velocity
        c.psd = true;
        evaluate_all(&c, x, v, out);
        TEST_CHECK(largest_of(dofs, out + dofs) == 0);
        TEST_CHECK(smallest_eigenvalue(&c, c.dfdv) > -1e-13);
        c.psd = false;
    }
    free(x);
    end_case(&c);
    test_context_end(ctx);
}

LYRA_TEST(viscosity_symmetric_option_gives_the_symmetric_part)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    Case c = make_body(ctx, false, 2, 1, 1), s = make_body(ctx, true, 2, 1, 1);
    TestRandom random = test_random(4);
    int32_t dofs = 3 * c.n;
    TEST_EQUAL(lyra_block_pattern_view(lyra_assembly_pattern(c.assembly)).storage,
               LYRA_STORAGE_FULL);
    TEST_EQUAL(lyra_block_pattern_view(lyra_assembly_pattern(s.assembly)).storage,
               LYRA_STORAGE_UPPER);
    double *x = malloc((size_t)dofs * 8 * sizeof *x), *v = x + dofs, *out[2] = {v + dofs, NULL};
    out[1] = out[0] + 3 * dofs;
    set_state(&c, STATE_LARGE, &random, x);
    set_random(dofs, 1, &random, v);
    evaluate_all(&c, x, v, out[0]);
    evaluate_all(&s, x, v, out[1]);
    TEST_NEAR(largest_difference(dofs, out[0], out[1]), 0, 1e-13 * largest_of(dofs, out[0]));
    double *Kx = dense_of(&c, c.dfdx), *Sx = dense_of(&s, s.dfdx), apart[2] = {0};
    double *Kv = dense_of(&c, c.dfdv), *Sv = dense_of(&s, s.dfdv);
    for (int32_t i = 0; i < dofs; ++i) {
        for (int32_t j = 0; j < dofs; ++j) {
            double part = 0.5 * (Kx[i + j * dofs] + Kx[j + i * dofs]);
            apart[0] = fmax(apart[0], fabs(part - Sx[i + j * dofs]));
            apart[1] = fmax(apart[1], fabs(Kv[i + j * dofs] - Sv[i + j * dofs]));
        }
    }
    TEST_NEAR(apart[0], 0, 1e-13 * largest_of((int64_t)dofs * dofs, Kx));
    TEST_NEAR(apart[1], 0, 1e-13 * largest_of((int64_t)dofs * dofs, Kv));
    s.psd = true;
    evaluate_all(&s, x, v, out[1]);
    TEST_CHECK(largest_of(dofs, out[1] + dofs) == 0);
    free(Kx);
    free(Sx);
    free(Kv);
    free(Sv);
    free(x);
    end_case(&c);
    end_case(&s);
    test_context_end(ctx);
}

// ---- physics ------------------------------------------------------------------------------------

LYRA_TEST(viscosity_lets_rigid_motions_go)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    Case c = make_body(ctx, false, 3, 2, 2);
    TestRandom random = test_random(5);
    int32_t dofs = 3 * c.n;
    double *x = malloc((size_t)dofs * 3 * sizeof *x), *v = x + dofs, *g = v + dofs, force, torque;
    LyraEvaluation evaluation = {.x = x, .v = v, .gradient = g};
    for (int kind = 0; kind < STATE_COUNT; ++kind) {
        // a body of any shape that flies and spins
        set_state(&c, (StateKind)kind, &random, x);
        set_rigid_velocity(c.n, x, &random, v);
        TEST_OK(lyra_assembly_evaluate(c.assembly, &evaluation));
        // 50 Pa s over faces of 1e-2 m^2 at rates of 3/s, rounding 1e-15
        TEST_NEAR(largest_of(dofs, g), 0, 1e-13);
        // any motion: balanced, and energy is lost
        double power = 0, energy = 1;
        set_random(dofs, 1, &random, v);
        evaluation.energy = &energy;
        TEST_OK(lyra_assembly_evaluate(c.assembly, &evaluation));
        evaluation.energy = NULL;
        TEST_CHECK(energy == 0);
        find_balance(c.n, x, g, &force, &torque);
        TEST_NEAR(force, 0, 1e-14);
        TEST_NEAR(torque, 0, 1e-14);
        for (int32_t i = 0; i < dofs; ++i) {
            power += v[i] * g[i];
        }
        TEST_CHECK(power > 1e-3);
    }
    // no velocities: no force
    evaluation.v = NULL;
    TEST_OK(lyra_assembly_evaluate(c.assembly, &evaluation));
    TEST_CHECK(largest_of(dofs, g) == 0);
    free(x);
    end_case(&c);
    test_context_end(ctx);
}

// F = diag(s), F' = diag(r): E' = diag(s r), by hand
LYRA_TEST(viscosity_of_a_single_tet_matches_the_closed_form)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    const double X[12] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1}, s[3] = {1.2, 0.9, 1.1};
    const double r[3] = {0.5, -0.3, 2};
    const int32_t tet[4] = {0, 1, 2, 3};
    LyraMeshView data = {.kind = LYRA_ELEMENT_TET4,
                         .vertex_count = 4,
                         .element_count = 1,
                         .positions = X,
                         .elements = tet};
    LyraMesh *mesh = NULL;
    LyraForce *force = NULL;
    LyraViscosityDef def = lyra_viscosity_def_default();
    def.lambda = LAMBDA;
    def.mu = MU;
    TEST_REQUIRE_OK(lyra_mesh_create(ctx, &data, &mesh));
    TEST_REQUIRE_OK(lyra_viscosity_create(ctx, mesh, &def, &force));
    Case c = make_case(ctx, 4, X, force);
    double x[12], v[12], g[12], trace = 0;
    for (int i = 0; i < 12; ++i) {
        x[i] = s[i % 3] * X[i];
        v[i] = r[i % 3] * X[i];
    }
    for (int i = 0; i < 3; ++i) {
        trace += s[i] * r[i];
    }
    LyraEvaluation evaluation = {.x = x, .v = v, .gradient = g};
    TEST_OK(lyra_assembly_evaluate(c.assembly, &evaluation));
    for (int i = 0; i < 3; ++i) {
        double expected = s[i] * (LAMBDA * trace + 2 * MU * s[i] * r[i]) / 6;
        TEST_NEAR(g[3 * (i + 1) + i], expected, 1e-13);
        TEST_NEAR(g[i], -expected, 1e-13);
        TEST_NEAR(g[3 * (i + 1) + (i + 1) % 3], 0, 1e-14);
    }
    // constants change while running
    double zero = 0;
    TEST_OK(lyra_assembly_set_parameter(c.assembly, 0, LYRA_VISCOSITY_LAMBDA, &zero));
    TEST_OK(lyra_assembly_evaluate(c.assembly, &evaluation));
    TEST_NEAR(g[3], s[0] * 2 * MU * s[0] * r[0] / 6, 1e-14);
    end_case(&c);
    lyra_mesh_destroy(mesh);
    test_context_end(ctx);
}

// beside a symmetric force in one assembly: full storage, and the sum of both
LYRA_TEST(viscosity_joins_elasticity_in_one_assembly)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    LyraMesh *mesh = make_box(ctx, LYRA_ELEMENT_TET4, 2, 2, 1);
    LyraMeshView view = lyra_mesh_view(mesh);
    LyraForce *forces[2] = {NULL, NULL};
    LyraViscosityDef def = lyra_viscosity_def_default();
    LyraElasticDef elastic = lyra_elastic_def_default();
    def.lambda = LAMBDA;
    def.mu = MU;
    elastic.model = LYRA_MATERIAL_STVK;
    TEST_REQUIRE_OK(lyra_elastic_create(ctx, mesh, &elastic, &forces[0]));
    TEST_REQUIRE_OK(lyra_viscosity_create(ctx, mesh, &def, &forces[1]));
    // the case owns the second force, and its assembly is replaced by one of both
    Case c = make_case(ctx, view.vertex_count, view.positions, forces[1]);
    Case both = c;
    both.dfdx = both.dfdv = NULL;
    TEST_REQUIRE_OK(lyra_assembly_create(ctx, c.n, view.positions, 2, forces, &both.assembly));
    TEST_REQUIRE_OK(lyra_block_matrix_create(lyra_assembly_pattern(both.assembly), &both.dfdx));
    TEST_REQUIRE_OK(lyra_block_matrix_create(lyra_assembly_pattern(both.assembly), &both.dfdv));
    TestRandom random = test_random(2);
    double *x = malloc((size_t)c.n * 6 * sizeof *x), *v = x + 3 * c.n;
    set_state(&c, STATE_ROTATED, &random, x);
    set_random(3 * c.n, 1000, &random, v);
    check_derivatives(&both, x, v, &random, HAS_VELOCITY, "both forces");
    TEST_CHECK(asymmetry(&both, both.dfdx) > 1e-3);
    lyra_block_matrix_destroy(both.dfdx);
    lyra_block_matrix_destroy(both.dfdv);
    lyra_assembly_destroy(both.assembly);
    free(x);
    end_case(&c);
    lyra_force_destroy(forces[0]);
    lyra_mesh_destroy(mesh);
    test_context_end(ctx);
}

// ---- twins, threads, memory ---------------------------------------------------------------------

static Case make_small(LyraContext *ctx, const void *data)
{
    return make_body(ctx, *(const bool *)data, 5, 3, 3);
}

LYRA_TEST(viscosity_instruction_sets_agree)
{
    const bool symmetric[2] = {false, true};
    check_instruction_sets(make_small, &symmetric[0]);
    check_instruction_sets(make_small, &symmetric[1]);
}

#define BIG 13

static void evaluate_big(LyraContext *ctx, void *data, void *out)
{
    Case c = make_body(ctx, *(bool *)data, BIG, BIG, BIG);
    evaluate_large(&c, out);
}

LYRA_TEST(viscosity_bits_do_not_depend_on_threads)
{
    size_t vertices = (BIG + 1) * (BIG + 1) * (BIG + 1);
    bool symmetric[2] = {false, true};
    for (int i = 0; i < 2; ++i) {
        test_same_bits(evaluate_big, &symmetric[i], 9 * vertices * sizeof(double));
    }
}

LYRA_TEST(viscosity_evaluation_allocates_nothing)
{
    LyraContext *ctx = test_context(2, LYRA_ISA_AUTO);
    Case c = make_body(ctx, false, 10, 10, 10);
    double *g = malloc((size_t)c.n * 3 * sizeof *g);
    LyraEvaluation evaluation = evaluation_of(&c, c.rest, c.rest);
    evaluation.gradient = g;
    evaluation.dfdx = c.dfdx;
    evaluation.dfdv = c.dfdv;
    check_allocates_nothing(c.assembly, &evaluation);
    free(g);
    end_case(&c);
    test_context_end(ctx);
}

static LyraStatus build_all(LyraContext *ctx, void *data)
{
    LyraMesh *mesh = NULL;
    LyraForce *force = NULL;
    LyraViscosityDef def = lyra_viscosity_def_default();
    LyraStatus status = lyra_mesh_create(ctx, data, &mesh);
    status = status ? status : lyra_viscosity_create(ctx, mesh, &def, &force);
    lyra_force_destroy(force);
    lyra_mesh_destroy(mesh);
    return status;
}

LYRA_TEST(viscosity_bad_input_and_failing_allocations)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    LyraMesh *mesh = make_box(ctx, LYRA_ELEMENT_TET4, 1, 1, 1);
    LyraMesh *cubes = make_box(ctx, LYRA_ELEMENT_CUBE8, 1, 1, 1);
    LyraForce *force = NULL;
    LyraMeshView view = lyra_mesh_view(mesh);
    test_fail_each_allocation(build_all, &view);
    LyraViscosityDef def = {.mu = 1};
    TEST_STATUS(lyra_viscosity_create(ctx, mesh, &def, &force), LYRA_INVALID_ARGUMENT);
    def = lyra_viscosity_def_default();
    TEST_STATUS(lyra_viscosity_create(ctx, cubes, &def, &force), LYRA_UNSUPPORTED);
    def.mu = -1;
    TEST_STATUS(lyra_viscosity_create(ctx, mesh, &def, &force), LYRA_INVALID_ARGUMENT);
    def.mu = 3;
    def.lambda = -2.1;
    TEST_STATUS(lyra_viscosity_create(ctx, mesh, &def, &force), LYRA_INVALID_ARGUMENT);
    def.lambda = -2;
    TEST_OK(lyra_viscosity_create(ctx, mesh, &def, &force));
    lyra_force_destroy(force);
    double constants[6] = {1, 1, 1, NAN, 1, 1};
    def.element_lambda = constants;
    TEST_STATUS(lyra_viscosity_create(ctx, mesh, &def, &force), LYRA_NOT_FINITE);
    lyra_mesh_destroy(mesh);
    // the second of two tets turned inside out, then flat
    const double x[15] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 1, 1, 0};
    int32_t tets[8] = {0, 1, 2, 3, 0, 2, 1, 3};
    LyraMeshView data = {.kind = LYRA_ELEMENT_TET4,
                         .vertex_count = 5,
                         .element_count = 2,
                         .positions = x,
                         .elements = tets};
    def.element_lambda = NULL;
    for (int round = 0; round < 2; ++round) {
        TEST_REQUIRE_OK(lyra_mesh_create(ctx, &data, &mesh));
        TEST_STATUS(lyra_viscosity_create(ctx, mesh, &def, &force), LYRA_BAD_MESH);
        TEST_CONTAINS(lyra_error_message(),
                      round ? "element 1 has zero" : "element 1 has negative");
        lyra_mesh_destroy(mesh);
        tets[7] = 4;
    }
    lyra_mesh_destroy(cubes);
    test_context_end(ctx);
}
