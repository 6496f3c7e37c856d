// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Damping by the rate of the stretches: derivatives, power, rigid motion, flat tets, settings.

#include "force_cases.h"
#include "lyra/viscosity.h"

static Case make(LyraContext *ctx, const void *data)
{
    LyraStretchDampingDef def = lyra_stretch_damping_def_default();
    LyraMesh *mesh = make_box(ctx, LYRA_ELEMENT_TET4, 2, 2, 1);
    LyraMeshView view = lyra_mesh_view(mesh);
    LyraForce *force = NULL;
    def.shear = 2;
    def.volume = 3;
    def.irving = *(const bool *)data;
    TEST_OK(lyra_stretch_damping_create(ctx, mesh, &def, &force));
    Case c = make_case(ctx, view.vertex_count, view.positions, force);
    lyra_mesh_destroy(mesh);
    return c;
}

static double power(int32_t count, const double *g, const double *v)
{
    double sum = 0;
    for (int32_t i = 0; i < count; ++i) {
        sum += g[i] * v[i];
    }
    return sum;
}

LYRA_TEST(stretch_damping_takes_energy_and_its_derivative_is_right)
{
    for (LyraIsa isa = LYRA_ISA_SCALAR; isa != LYRA_ISA_AUTO; isa = test_next_isa(isa)) {
        for (int irving = 0; irving < 2; ++irving) {
            bool form = irving;
            LyraContext *ctx = test_context(1, isa);
            Case c = make(ctx, &form);
            TestRandom random = test_random(3);
            int32_t dofs = 3 * c.n;
            double *x = malloc((size_t)dofs * 4 * sizeof *x), *v = x + dofs, *g = v + dofs;
            double *Cv = g + dofs;
            for (int kind = 0; kind < STATE_COUNT; ++kind) {
                set_state(&c, (StateKind)kind, &random, x);
                set_random(dofs, 1, &random, v);
                LyraEvaluation evaluation = evaluation_of(&c, x, v);
                evaluation.gradient = g;
                evaluation.dfdv = c.dfdv;
                evaluation.dfdx = c.dfdx;
                TEST_OK(lyra_assembly_evaluate(c.assembly, &evaluation));
                // linear in v
                apply_matrix(&c, c.dfdv, v, Cv);
                TEST_NEAR(largest_difference(dofs, g, Cv), 0, 1e-12 * largest_of(dofs, g));
                TEST_CHECK(power(dofs, g, v) > 0);
                TEST_NEAR(asymmetry(&c, c.dfdv), 0, 1e-13);
                TEST_CHECK(smallest_eigenvalue(&c, c.dfdv) > -1e-12);
                TEST_NEAR(asymmetry(&c, c.dfdx), 0, 0);
                // flat tets are damped like others
                TEST_CHECK(largest_of(dofs, g) > 1e-3);
            }
            free(x);
            end_case(&c);
            test_context_end(ctx);
        }
    }
}

LYRA_TEST(stretch_damping_is_free_of_torque_and_leaves_rigid_motion_alone)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    bool objective = false, irving = true;
    Case c = make(ctx, &objective), other = make(ctx, &irving);
    TestRandom random = test_random(5);
    int32_t dofs = 3 * c.n;
    double *x = malloc((size_t)dofs * 3 * sizeof *x), *v = x + dofs, *g = v + dofs, force, torque;
    static const StateKind upright[] = {STATE_SMALL, STATE_LARGE, STATE_ROTATED};
    for (int s = 0; s < 3; ++s) {
        set_state(&c, upright[s], &random, x);
        set_random(dofs, 1, &random, v);
        gradient_of_v(&(Case){.assembly = c.assembly, .x = x}, v, g);
        find_balance(c.n, x, g, &force, &torque);
        TEST_NEAR(force, 0, 1e-13);
        TEST_NEAR(torque, 0, 1e-12);
        double size = largest_of(dofs, g);
        set_rigid_velocity(c.n, x, &random, v);
        gradient_of_v(&(Case){.assembly = c.assembly, .x = x}, v, g);
        TEST_NEAR(largest_of(dofs, g), 0, 1e-12 * size);
    }
    // the other form brakes the rotation of a deformed body
    set_state(&c, STATE_LARGE, &random, x);
    set_rigid_velocity(c.n, x, &random, v);
    gradient_of_v(&(Case){.assembly = other.assembly, .x = x}, v, g);
    TEST_CHECK(power(dofs, g, v) > 1e-6);
    free(x);
    end_case(&c);
    end_case(&other);
    test_context_end(ctx);
}

LYRA_TEST(stretch_damping_at_rest_is_that_of_a_fluid)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    for (int form = 0; form < 2; ++form) {
        bool irving = form;
        Case c = make(ctx, &irving);
        static const double L[9] = {0.3, 0.2, -0.1, 0.5, -0.2, 0.4, 0.1, 0.3, 0.6};
        double *v = malloc((size_t)c.n * 6 * sizeof *v), *g = v + 3 * c.n, D2 = 0, trace = 0.7;
        for (int32_t i = 0; i < 3 * c.n; ++i) {
            const double *X = c.rest + i / 3 * 3, *row = L + i % 3 * 3;
            v[i] = row[0] * X[0] + row[1] * X[1] + row[2] * X[2];
        }
        for (int k = 0; k < 9; ++k) {
            double d = 0.5 * (L[k] + L[k % 3 * 3 + k / 3]);
            D2 += d * d;
        }
        gradient_of_v(&(Case){.assembly = c.assembly, .x = c.rest}, v, g);
        // 2 beta |D|^2 + alpha tr^2 on 0.2 x 0.2 x 0.1
        double expected = 0.004 * (2 * 2 * D2 + 3 * trace * trace);
        TEST_NEAR(power(3 * c.n, g, v), expected, 1e-12 * expected);
        free(v);
        end_case(&c);
    }
    test_context_end(ctx);
}

LYRA_TEST(stretch_damping_instruction_sets_agree_and_bad_settings_are_refused)
{
    bool irving = false;
    check_instruction_sets(make, &irving);
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    LyraStretchDampingDef def = lyra_stretch_damping_def_default();
    LyraForce *force = NULL;
    LyraMesh *tets = make_box(ctx, LYRA_ELEMENT_TET4, 1, 1, 1);
    LyraMesh *cubes = make_box(ctx, LYRA_ELEMENT_CUBE8, 1, 1, 1);
    TEST_STATUS(lyra_stretch_damping_create(ctx, cubes, &def, &force), LYRA_UNSUPPORTED);
    TEST_CONTAINS(lyra_error_message(), "stretch-damping takes tets");
    def.volume = -1;
    TEST_STATUS(lyra_stretch_damping_create(ctx, tets, &def, &force), LYRA_INVALID_ARGUMENT);
    def.cookie = 0;
    TEST_STATUS(lyra_stretch_damping_create(ctx, tets, &def, &force), LYRA_INVALID_ARGUMENT);
    lyra_mesh_destroy(tets);
    lyra_mesh_destroy(cubes);
    test_context_end(ctx);
}
