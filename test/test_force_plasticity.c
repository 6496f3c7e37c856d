// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Plastic flow: closed forms, derivatives at elastic, flowing, capped and inverted states,
// dissipation, inversion, limits, tables, threads, memory, bad input.

#include "plastic_body.h"

enum { KINDS = 4 };

static const LyraElementKind kinds[KINDS] = {LYRA_ELEMENT_TET4, LYRA_ELEMENT_CUBE8,
                                             LYRA_ELEMENT_TET10, LYRA_ELEMENT_HEX8};

// ---- closed forms -------------------------------------------------------------------------------

LYRA_TEST(plastic_uniaxial_hardening_is_the_closed_form_in_any_number_of_steps)
{
    for (LyraIsa isa = LYRA_ISA_SCALAR; isa != LYRA_ISA_AUTO; isa = test_next_isa(isa)) {
        for (int kind = 0; kind < KINDS; ++kind) {
            LyraContext *ctx = test_context(1, isa);
            PlasticDef def = plastic_def(5, 3);
            def.plasticity.yield_stress = 0.4;
            def.plasticity.hardening = 0.7;
            Case c = make_plastic_box(ctx, &def, kinds[kind], 1, 1, 1);
            static const int steps[] = {1, 7, 50};
            for (int s = 0; s < 3; ++s) {
                double side = 0, tau = 0;
                forget(&c);
                for (int i = 1; i <= steps[s]; ++i) {
                    tau = pull_uniaxial(&c, 1, 0.3 * i / steps[s], 0.1, &side);
                }
                // sy + E H/(E + H) (0.3 - sy/E)
                TEST_NEAR(tau, 0.4 + 7.875 * 0.7 / (7.875 + 0.7) * (0.3 - 0.4 / 7.875), 1e-10);
                TEST_NEAR(tau, 0.560204, 5e-7);
                int32_t alpha = 9; // of the first point
                TEST_NEAR(remembered(&c, alpha), (tau - 0.4) / 0.7, 1e-10);
                TEST_NEAR(remembered(&c, alpha), 0.228863, 5e-7);
            }
            end_case(&c);
            test_context_end(ctx);
        }
    }
}

LYRA_TEST(plastic_perzyna_stress_rises_with_the_rate)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    PlasticDef def = plastic_def(5, 3);
    def.plasticity.yield_stress = 0.1;
    def.plasticity.viscosity = 0.2;
    def.plasticity.flow_limit = 100;
    Case c = make_plastic_box(ctx, &def, LYRA_ELEMENT_TET4, 1, 1, 1);
    double side = 0, tau = 0, rate = 0.5;
    for (int i = 1; i <= 200; ++i) {
        tau = pull_uniaxial(&c, 1, rate * 0.02 * i, 0.02, &side);
    }
    TEST_NEAR(tau, 0.1 + 1.5 * 0.2 * rate, 1e-9);
    // a step of no length lets nothing flow
    double F[9] = {2, 0, 0, 0, 1, 0, 0, 0, 1}, P[9];
    forget(&c);
    drive(&c, 1, F, 0, true, P, NULL);
    TEST_NEAR(remembered(&c, 9), 0, 0);
    TEST_NEAR(P[0], 11 * log(2) / 2, 1e-12);
    end_case(&c);
    test_context_end(ctx);
}

LYRA_TEST(plastic_simple_shear_converges_as_it_should)
{
    static const double stress[] = {0.576455, 0.577317, 0.577339};
    static const double dissipated[] = {5.7362e-3, 5.7399e-3, 5.74006e-3};
    static const int steps[] = {10, 100, 1000};
    for (int kind = 0; kind < KINDS; ++kind) {
        LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
        PlasticDef def = plastic_def(1, 1);
        def.plasticity.yield_stress = 0.01;
        def.plasticity.flow_limit = 10;
        Case c = make_plastic_box(ctx, &def, kinds[kind], 1, 1, 1);
        for (int s = 0; s < 3; ++s) {
            double P[9], work = 0, last = 0, energy = 0;
            forget(&c);
            for (int i = 1; i <= steps[s]; ++i) {
                double shear = (double)i / steps[s];
                double F[9] = {1, shear, 0, 0, 1, 0, 0, 0, 1};
                drive(&c, 1, F, 0.1, true, P, NULL);
                work += 0.5 * (P[1] + last) / steps[s];
                last = P[1];
            }
            double F[9] = {1, 1, 0, 0, 1, 0, 0, 0, 1};
            drive(&c, 1, F, 0, false, P, &energy);
            // tau = P F^T, F22 = 1
            TEST_NEAR(P[1] / 0.01, stress[s], 1e-6);
            TEST_NEAR(remembered_sum(&c, history_place(&c, "dissipated")), dissipated[s],
                      0.0006 * dissipated[s] / steps[s] * 10);
            TEST_NEAR(energy, 1e-4 / 6, 1e-9);
            // the rule for the work is off where flow begins
            TEST_NEAR(work, energy + dissipated[2], 5e-4 / steps[s] * 10);
        }
        end_case(&c);
        test_context_end(ctx);
    }
}

LYRA_TEST(plastic_strength_by_table_is_linear_between_rows)
{
    static const LyraStrengthRow table[] = {{0, 0.4}, {0.05, 0.5}, {0.2, 0.53}};
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    PlasticDef def = plastic_def(5, 3);
    def.plasticity.table = table;
    def.plasticity.table_count = 3;
    Case c = make_plastic_box(ctx, &def, LYRA_ELEMENT_TET4, 1, 1, 1);
    // one step or many, into each line; the elastic strain is tau/E
    static const double ends[] = {0.03, 0.12, 0.35}, taus[] = {0.46, 0.514, 0.53};
    for (int e = 0; e < 3; ++e) {
        for (int n = 1; n <= 9; n += 4) {
            double side = 0, tau = 0, total = ends[e] + taus[e] / 7.875;
            forget(&c);
            for (int i = 1; i <= n; ++i) {
                tau = pull_uniaxial(&c, 1, total * i / n, 0.1, &side);
            }
            TEST_NEAR(tau, taus[e], 1e-10);
            TEST_NEAR(remembered(&c, 9), ends[e], 1e-10);
        }
    }
    // the strength by element scales the table
    double half[5 * 1 + 1] = {0.2, 0.2, 0.2, 0.2, 0.2, 0.2}, side = 0, tau = 0;
    int32_t yield = lyra_force_type_parameter(lyra_force_type(c.force), "yield");
    TEST_OK(lyra_assembly_set_parameter(c.assembly, 0, yield, half));
    forget(&c);
    tau = pull_uniaxial(&c, 1, 0.03 + 0.23 / 7.875, 0.1, &side);
    TEST_NEAR(tau, 0.23, 1e-10);
    end_case(&c);
    test_context_end(ctx);
}

// ---- kinematic hardening ------------------------------------------------------------------------

LYRA_TEST(kinematic_hardening_moves_the_yield_surface)
{
    for (int kind = 0; kind < KINDS; ++kind) {
        LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
        PlasticDef def = plastic_def(5, 3);
        def.plasticity.yield_stress = 0.4;
        def.plasticity.hardening = 0.2;
        def.plasticity.kinematic_hardening = 0.5;
        Case c = make_plastic_box(ctx, &def, kinds[kind], 1, 1, 1);
        double side = 0, tau = 0, E = 7.875, H = 0.7;
        for (int i = 1; i <= 5; ++i) {
            tau = pull_uniaxial(&c, 1, 0.06 * i, 0.1, &side);
        }
        // both kinds add up on the way out
        TEST_NEAR(tau, 0.4 + E * H / (E + H) * (0.3 - 0.4 / E), 1e-10);
        double alpha = remembered(&c, 9), top = tau;
        TEST_NEAR(alpha, (tau - 0.4) / H, 1e-10);
        // back: elastic over 2 (sy + H alpha), then plastic
        double reach = 2 * (0.4 + 0.2 * alpha), at = 0.3 - reach / E;
        tau = pull_uniaxial(&c, 1, at + 1e-9, 0.1, &side);
        TEST_NEAR(tau, top - reach, 1e-7);
        TEST_NEAR(remembered(&c, 9), alpha, 0);
        tau = pull_uniaxial(&c, 1, at - 0.1, 0.1, &side);
        TEST_NEAR(tau, top - reach - 0.1 * E * H / (E + H), 1e-9);
        TEST_CHECK(remembered(&c, 9) > alpha + 0.05);
        end_case(&c);
        test_context_end(ctx);
    }
}

LYRA_TEST(kinematic_hardening_has_no_energy_where_elements_are_inverted)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    PlasticDef def = plastic_def(5, 3);
    def.plasticity.yield_stress = 0.4;
    def.plasticity.kinematic_hardening = 0.5;
    Case c = make_plastic_box(ctx, &def, LYRA_ELEMENT_TET4, 1, 1, 1);
    double F[9] = {1, 0, 0, 0, 1, 0, 0, 0, -0.1}, P[9], energy;
    drive(&c, 1, F, 0.1, true, P, &energy);
    TEST_CHECK(isnan(energy) && isnan(P[0]));
    // the history is as it was
    F[8] = 1;
    drive(&c, 1, F, 0.1, true, P, &energy);
    TEST_NEAR(energy, 0, 0);
    end_case(&c);
    test_context_end(ctx);
}

// ---- derivatives --------------------------------------------------------------------------------

// a past in which all points have flowed, in other directions than those of the next step
static void set_past(Case *c, TestRandom *random, double size)
{
    double *x = malloc((size_t)c->n * 3 * sizeof *x);
    for (int i = 0; i < 3; ++i) {
        double F[9];
        for (int k = 0; k < 9; ++k) {
            F[k] = (k % 4 == 0) + size * test_random_normal(random);
        }
        deform(c, F, x);
        for (int32_t k = 0; k < 3 * c->n; ++k) {
            x[k] += 0.1 * size * test_random_normal(random);
        }
        LyraEvaluation evaluation = {
            .x = x, .dt = 0.01, .history = c->history, .trial_history = c->history};
        TEST_OK(lyra_assembly_evaluate(c->assembly, &evaluation));
    }
    free(x);
}

// states: elastic beside what was before, large, rotated, inverted
static void check_states(PlasticDef def, LyraElementKind kind, double dt, bool upright,
                         const char *what)
{
    for (LyraIsa isa = LYRA_ISA_SCALAR; isa != LYRA_ISA_AUTO; isa = test_next_isa(isa)) {
        LyraContext *ctx = test_context(1, isa);
        Case c = make_plastic_box(ctx, &def, kind, 1, 1, 1);
        TestRandom random = test_random(5);
        double *x = malloc((size_t)c.n * 3 * sizeof *x);
        set_past(&c, &random, 0.15);
        c.dt = dt;
        static const double Fs[][9] = {
            {1, 0, 0, 0, 1, 0, 0, 0, 1},
            {1.5, 0.2, 0, -0.1, 0.8, 0.1, 0, 0.3, 0.7},
            {-0.9, -0.4, 0.1, 0.5, -0.9, 0, 0.1, 0.2, 1.2},
            {1.1, 0.1, 0, 0, -0.6, 0.1, 0.2, 0, 0.9},
        };
        for (int f = 0; f < (upright ? 2 : 4); ++f) {
            char text[160];
            snprintf(text, sizeof text, "%s, %s, state %d, kind %d", what, lyra_isa_name(isa), f,
                     (int)kind);
            deform(&c, Fs[f], x);
            for (int32_t i = 0; i < 3 * c.n; ++i) {
                x[i] += 0.02 * test_random_normal(&random);
            }
            check_derivatives(&c, x, NULL, &random, HAS_ENERGY, text);
        }
        free(x);
        end_case(&c);
        test_context_end(ctx);
    }
}

LYRA_TEST(plastic_derivatives_match_differences)
{
    for (int kind = 0; kind < KINDS; ++kind) {
        PlasticDef def = plastic_def(5, 3);
        def.plasticity.yield_stress = 0.3;
        def.plasticity.hardening = 0.7;
        check_states(def, kinds[kind], 0.1, false, "hardening");
        def.plasticity.viscosity = 0.2;
        check_states(def, kinds[kind], 0.1, false, "perzyna");
        check_states(def, kinds[kind], 0, false, "perzyna at dt 0");
        def.plasticity.viscosity = 0;
        def.plasticity.step_flow_max = 0.05;
        check_states(def, kinds[kind], 0.1, false, "capped");
        def.plasticity.step_flow_max = 1;
        def.plasticity.flow_limit = 0.01;
        check_states(def, kinds[kind], 0.1, false, "locked");
        def.plasticity.flow_limit = 1;
        static const LyraStrengthRow rows[] = {{0, 0.3}, {0.05, 0.5}, {0.2, 0.6}};
        def.plasticity.table = rows;
        def.plasticity.table_count = 3;
        check_states(def, kinds[kind], 0.1, false, "table");
        def.plasticity.table_count = 0;
        def.plasticity.yield_stress = 1000;
        check_states(def, kinds[kind], 0.1, false, "elastic");
    }
}

LYRA_TEST(plastic_derivatives_match_differences_with_mean_dilatation)
{
    for (int kind = 1; kind < KINDS; ++kind) {
        PlasticDef def = plastic_def(5, 3);
        def.volumetric = LYRA_VOLUMETRIC_MEAN;
        def.plasticity.yield_stress = 0.3;
        def.plasticity.hardening = 0.7;
        check_states(def, kinds[kind], 0.1, false, "mean dilatation");
    }
}

LYRA_TEST(kinematic_derivatives_match_differences)
{
    for (int kind = 0; kind < KINDS; ++kind) {
        PlasticDef def = plastic_def(5, 3);
        def.plasticity.yield_stress = 0.3;
        def.plasticity.hardening = 0.7;
        def.plasticity.kinematic_hardening = 0.5;
        check_states(def, kinds[kind], 0.1, true, "kinematic");
        def.plasticity.viscosity = 0.2;
        check_states(def, kinds[kind], 0.1, true, "kinematic, perzyna");
        def.plasticity.step_flow_max = 0.05;
        check_states(def, kinds[kind], 0.1, true, "kinematic, capped");
        def.plasticity.step_flow_max = 1;
        def.plasticity.flow_limit = 0.01;
        check_states(def, kinds[kind], 0.1, true, "kinematic, locked");
        def.plasticity.yield_stress = 1000;
        check_states(def, kinds[kind], 0.1, true, "kinematic, elastic");
    }
}

LYRA_TEST(deformation_yield_derivatives_match_differences_for_all_forms_of_laws)
{
    static const char *const models[] = {"hencky", "neo-hookean", "stvk", "rotated-linear"};
    for (int m = 0; m < 4; ++m) {
        for (int kind = 0; kind < KINDS; ++kind) {
            PlasticDef def = plastic_def(5, 3);
            def.model = models[m];
            def.plasticity.yield = LYRA_YIELD_DEFORMATION;
            def.plasticity.yield_strain = 0.05;
            check_states(def, kinds[kind], 0.1, false, models[m]);
        }
    }
}

LYRA_TEST(plastic_projected_tangents_are_positive_and_exact_ones_are_kept)
{
    for (int kind = 0; kind < KINDS; ++kind) {
        for (int late = 0; late < 3; ++late) {
            LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
            PlasticDef def = plastic_def(5, 3);
            def.plasticity.yield = late == 1 ? LYRA_YIELD_DEFORMATION : LYRA_YIELD_VON_MISES;
            def.plasticity.kinematic_hardening = late == 2 ? 0.3 : 0;
            def.plasticity.yield_stress = 0.3;
            def.plasticity.yield_strain = 0.05;
            def.plasticity.hardening = 0.2;
            Case c = make_plastic_box(ctx, &def, kinds[kind], 1, 1, 1);
            TestRandom random = test_random(6);
            double *x = malloc((size_t)c.n * 6 * sizeof *x), *g = x + 3 * c.n, force, torque;
            set_past(&c, &random, 0.15);
            for (int repeat = 0; repeat < 30; ++repeat) {
                set_state(&c, (StateKind)(repeat % (late == 2 ? STATE_INVERTED : STATE_COUNT)),
                          &random, x);
                for (int32_t i = 0; i < 3 * c.n; ++i) {
                    x[i] += (late == 2 ? 0.03 : 0.1) * test_random_normal(&random);
                }
                c.dt = 0.1;
                LyraEvaluation evaluation = evaluation_of(&c, x, NULL);
                evaluation.dfdx = c.dfdx;
                evaluation.gradient = g;
                TEST_OK(lyra_assembly_evaluate(c.assembly, &evaluation));
                TEST_NEAR(asymmetry(&c, c.dfdx), 0, 1e-12);
                find_balance(c.n, x, g, &force, &torque);
                TEST_NEAR(force, 0, 1e-12);
                TEST_NEAR(torque, 0, 1e-12);
                evaluation.psd = true;
                TEST_OK(lyra_assembly_evaluate(c.assembly, &evaluation));
                TEST_CHECK(smallest_eigenvalue(&c, c.dfdx) > -1e-12);
            }
            free(x);
            end_case(&c);
            test_context_end(ctx);
        }
    }
}

// ---- dissipation --------------------------------------------------------------------------------

LYRA_TEST(plastic_dissipation_never_falls_and_closes_the_account)
{
    for (int late = 0; late < 2; ++late) {
        LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
        PlasticDef def = plastic_def(5, 3);
        def.plasticity.yield = late ? LYRA_YIELD_DEFORMATION : LYRA_YIELD_VON_MISES;
        def.plasticity.yield_stress = 0.3;
        def.plasticity.yield_strain = 0.05;
        def.plasticity.hardening = 0.2;
        def.plasticity.viscosity = 0.02;
        Case c = make_plastic_box(ctx, &def, LYRA_ELEMENT_CUBE8, 1, 1, 1);
        int32_t lost = history_place(&c, "dissipated");
        TestRandom random = test_random(8);
        double before = 0, P[9], F[9];
        for (int i = 0; i < 3000; ++i) {
            for (int k = 0; k < 9; ++k) {
                F[k] = (k % 4 == 0) + 0.3 * test_random_normal(&random);
            }
            drive(&c, 1, F, 0.01 * (i % 4), true, P, NULL);
            double now = remembered(&c, lost);
            TEST_CHECK_MSG(now >= before, "step %d: %g after %g", i, now, before);
            before = now;
        }
        TEST_CHECK(before > 0);
        // a smooth way: work = stored + lost, to first order in the step
        double errors[2];
        for (int fine = 0; fine < 2; ++fine) {
            double work = 0, energy = 0, last[9] = {0}, old[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
            int n = fine ? 400 : 200;
            forget(&c);
            for (int i = 1; i <= n; ++i) {
                double t = (double)i / n;
                double at[9] = {1 + 0.4 * t, 0.3 * sin(3 * t), 0, 0, 1 - 0.2 * t, 0, 0, 0, 1};
                drive(&c, 1, at, 1.0 / n, true, P, NULL);
                for (int k = 0; k < 9; ++k) {
                    work += 0.5 * (P[k] + last[k]) * (at[k] - old[k]);
                    last[k] = P[k];
                    old[k] = at[k];
                }
            }
            drive(&c, 1, old, 0, false, P, &energy);
            errors[fine] = fabs(work - energy - remembered(&c, lost)) / work;
        }
        TEST_CHECK_MSG(errors[1] < 0.02 && errors[1] < 0.6 * errors[0], "%g, then %g", errors[0],
                       errors[1]);
        end_case(&c);
        test_context_end(ctx);
    }
}

// ---- limits -------------------------------------------------------------------------------------

LYRA_TEST(plastic_flow_stops_at_its_limit_and_leads_back)
{
    for (int late = 0; late < 2; ++late) {
        LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
        PlasticDef def = plastic_def(5, 3);
        def.plasticity.yield = late ? LYRA_YIELD_DEFORMATION : LYRA_YIELD_VON_MISES;
        def.plasticity.yield_stress = 0.3;
        def.plasticity.yield_strain = 0.05;
        def.plasticity.keeps_volume = true;
        def.plasticity.flow_limit = 0.3;
        Case c = make_plastic_box(ctx, &def, LYRA_ELEMENT_TET4, 1, 1, 1);
        int32_t locked = history_place(&c, "locked"), lost = history_place(&c, "dissipated");
        double P[9], tau = 0, before = 0, size = 0;
        for (int i = 1; i <= 100; ++i) {
            double e = 0.006 * i;
            double F[9] = {exp(e), 0, 0, 0, exp(-e / 2), 0, 0, 0, exp(-e / 2)};
            drive(&c, 1, F, 0.1, true, P, NULL);
            tau = P[0] * F[0];
            before = i == 80 ? remembered(&c, lost) : before;
        }
        TEST_NEAR(remembered(&c, locked), 1, 0);
        // stopped: no loss any more, and the stress is that of the elastic rest of the strain
        TEST_NEAR(remembered(&c, lost), before, 0);
        for (int i = 0; i < 3; ++i) {
            double g = log(1 + remembered(&c, 4 * i));
            size += g * g;
        }
        TEST_NEAR(sqrt(size), 0.3, 1e-9);
        TEST_NEAR(tau, 6 * (0.6 - 0.3 * sqrt(2.0 / 3)), 1e-6);
        // back: it flows again once flow leads below the limit
        for (int i = 100; i >= -20; --i) {
            double e = 0.006 * i;
            double F[9] = {exp(e), 0, 0, 0, exp(-e / 2), 0, 0, 0, exp(-e / 2)};
            drive(&c, 1, F, 0.1, true, P, NULL);
        }
        TEST_NEAR(remembered(&c, locked), 0, 0);
        TEST_CHECK(remembered(&c, lost) > before);
        end_case(&c);
        test_context_end(ctx);
    }
}

// flow that the limit turns aside goes along it: that part counts, and takes energy
LYRA_TEST(plastic_flow_along_its_limit_is_flow)
{
    for (int rule = 0; rule < 3; ++rule) {
        LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
        PlasticDef def = plastic_def(5, 3);
        def.plasticity.yield = rule == 2 ? LYRA_YIELD_DEFORMATION : LYRA_YIELD_VON_MISES;
        def.plasticity.kinematic_hardening = rule == 1 ? 1e-3 : 0;
        def.plasticity.yield_stress = 0.3;
        def.plasticity.yield_strain = 0.05;
        def.plasticity.keeps_volume = true;
        def.plasticity.flow_limit = 0.3;
        Case c = make_plastic_box(ctx, &def, LYRA_ELEMENT_TET4, 1, 1, 1);
        int32_t locked = history_place(&c, "locked"), lost = history_place(&c, "dissipated");
        int32_t strain = history_place(&c, "equivalent-plastic-strain");
        // to the limit; back, which unlocks; across
        static const double ways[3][3] = {{0.6, -0.3, -0.3}, {0.1, -0.05, -0.05}, {0.3, 0.3, -0.6}};
        double P[9], before = 0, trial = 0, after = 0, alpha = 0;
        for (int way = 0; way < 3; ++way) {
            const double *e = ways[way];
            double F[9] = {exp(e[0]), 0, 0, 0, exp(e[1]), 0, 0, 0, exp(e[2])};
            before = remembered_sum(&c, lost);
            alpha = remembered(&c, strain);
            drive(&c, 1, F, 0, false, P, &trial);
            drive(&c, 1, F, 0.1, true, P, NULL);
            drive(&c, 1, F, 0, false, P, &after);
            TEST_NEAR(remembered(&c, locked), way != 1, 0);
        }
        double loss = remembered_sum(&c, lost) - before;
        double flow = remembered(&c, strain) - alpha;
        TEST_CHECK_MSG(flow > 0.1, "rule %d: %g", rule, flow);
        TEST_CHECK_MSG(loss > 0.02 && loss < (trial - after) * (1 + 1e-12), "rule %d: %g of %g",
                       rule, loss, trial - after);
        if (rule == 2) {
            TEST_NEAR(loss, trial - after, 1e-12 * trial);
        } else {
            TEST_NEAR(loss, 0.3 * flow, 1e-12);
        }
        end_case(&c);
        test_context_end(ctx);
    }
}

LYRA_TEST(plastic_caps_hold)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    PlasticDef def = plastic_def(5, 3);
    def.plasticity.yield_stress = 0.3;
    def.plasticity.flow_max = 0.1;
    Case c = make_plastic_box(ctx, &def, LYRA_ELEMENT_TET4, 1, 1, 1);
    double side = 0, tau = 0;
    for (int i = 1; i <= 20; ++i) {
        tau = pull_uniaxial(&c, 1, 0.02 * i, 0.1, &side);
    }
    TEST_NEAR(remembered(&c, 9), 0.1, 1e-12);
    TEST_NEAR(tau, 7.875 * (0.4 - 0.1), 1e-9);
    end_case(&c);
    test_context_end(ctx);
}

// nothing flows in an inverted element, and it is pushed out
LYRA_TEST(plastic_inverted_points_keep_their_flow)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    PlasticDef def = plastic_def(5, 3);
    def.plasticity.yield_stress = 0.1;
    Case c = make_plastic_box(ctx, &def, LYRA_ELEMENT_CUBE8, 1, 1, 1);
    TestRandom random = test_random(4);
    set_past(&c, &random, 0.1);
    size_t bytes = (size_t)lyra_assembly_history_size(c.assembly) * sizeof(double);
    double *before = malloc(bytes), P[9];
    memcpy(before, c.history, bytes);
    // the third stretch is the smallest
    for (int i = 1; i <= 20; ++i) {
        double F[9] = {1.1, 0.1, 0, 0, 0.9, 0, 0.1, 0, -0.04 * i};
        drive(&c, 1, F, 0.1, true, P, NULL);
        TEST_CHECK(P[8] < 0);
        TEST_CHECK(memcmp(before, c.history, bytes) == 0);
    }
    // nearly flat ones flow unless that would raise their energy, and nothing becomes NaN
    double flat[9] = {1.1, 0.1, 0, 0, 0.9, 0, 0.1, 0, 0.01}, nothing[9] = {0};
    drive(&c, 1, flat, 0.1, true, P, NULL);
    TEST_CHECK(memcmp(before, c.history, bytes) == 0);
    flat[8] = 0.09;
    drive(&c, 1, flat, 0.1, true, P, NULL);
    TEST_CHECK(memcmp(before, c.history, bytes) != 0);
    drive(&c, 1, nothing, 0.1, true, P, NULL);
    TEST_CHECK(all_finite((int64_t)(bytes / sizeof(double)), c.history) && all_finite(9, P));
    free(before);
    end_case(&c);
    test_context_end(ctx);
}

LYRA_TEST(plastic_flow_keeps_volume)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    PlasticDef def = plastic_def(5, 3);
    def.plasticity.yield_stress = 0.1;
    Case c = make_plastic_box(ctx, &def, LYRA_ELEMENT_TET4, 1, 1, 1);
    TestRandom random = test_random(4);
    for (int i = 0; i < 300; ++i) {
        set_past(&c, &random, 0.1);
    }
    double G[9];
    for (int k = 0; k < 9; ++k) {
        G[k] = (k % 4 == 0) + remembered(&c, k);
    }
    double det = G[0] * (G[4] * G[8] - G[5] * G[7]) - G[1] * (G[3] * G[8] - G[5] * G[6]) +
                 G[2] * (G[3] * G[7] - G[4] * G[6]);
    TEST_NEAR(det, 1, 1e-13);
    TEST_CHECK(fabs(G[0] - 1) + fabs(G[1]) > 0.01);
    end_case(&c);
    test_context_end(ctx);
}

// flow leads toward the goal only, and stays there
LYRA_TEST(goal_shapes_are_approached_and_never_left)
{
    static const double Fg[9] = {1.3, 0.2, 0, 0, 0.9, 0.1, 0, 0, 1.1};
    for (int kind = 0; kind < KINDS; ++kind) {
        LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
        PlasticDef def = plastic_def(5, 3);
        def.model = "neo-hookean";
        def.plasticity.yield = LYRA_YIELD_DEFORMATION;
        def.plasticity.yield_strain = 0.02;
        Case plain = make_plastic_box(ctx, &def, kinds[kind], 1, 1, 1);
        double *goal = malloc((size_t)plain.n * 3 * sizeof *goal), P[9], F[9];
        deform(&plain, Fg, goal);
        end_case(&plain);
        def.plasticity.goal = goal;
        Case c = make_plastic_box(ctx, &def, kinds[kind], 1, 1, 1);
        lyra_assembly_history_init(c.assembly, c.history);
        int32_t place = 10, lost = history_place(&c, "dissipated");
        double first = remembered(&c, place), before = first, energy = 0;
        TEST_CHECK(first > 0.2);
        TestRandom random = test_random(12);
        for (int i = 0; i < 400; ++i) {
            for (int k = 0; k < 9; ++k) {
                F[k] = (k % 4 == 0) + 0.2 * test_random_normal(&random);
            }
            drive(&c, 1, F, 0.1, true, P, NULL);
            double now = remembered(&c, place), more = remembered(&c, lost);
            TEST_CHECK_MSG(now <= before + 1e-15 && more >= energy, "%g after %g", now, before);
            before = now;
            energy = more;
        }
        TEST_CHECK(before < 0.5 * first);
        // pressed into the goal it arrives, but for what is elastic, and flows no more
        for (int i = 0; i < 50; ++i) {
            for (int k = 0; k < 9; ++k) {
                F[k] = i < 20 ? Fg[k] : (k % 4 == 0) * 1.05;
            }
            drive(&c, 1, F, 0.1, true, P, NULL);
            before = i == 19 ? remembered(&c, place) : before;
        }
        TEST_CHECK(before < 0.021);
        TEST_CHECK(remembered(&c, place) <= before);
        end_case(&c);
        free(goal);
        test_context_end(ctx);
    }
}

// ---- twins, threads, scales, memory -------------------------------------------------------------

#define BIG 9

typedef struct Big {
    LyraElementKind kind;
    LyraYield yield;
    double kinematic;
} Big;

static Big find_big(int i)
{
    return (Big){kinds[i % KINDS], i / KINDS == 1 ? LYRA_YIELD_DEFORMATION : LYRA_YIELD_VON_MISES,
                 i / KINDS == 2 ? 0.2 : 0};
}

// forces, tangent times rest, and the history's sum
static void evaluate_big(LyraContext *ctx, void *data, void *out)
{
    const Big *big = data;
    PlasticDef def = plastic_def(5, 3);
    // nodes lie as far apart
    def.size = big->kind == LYRA_ELEMENT_TET10 ? 0.2 : 0.1;
    def.plasticity.yield = big->yield;
    def.plasticity.kinematic_hardening = big->kinematic;
    def.plasticity.yield_stress = 0.1;
    def.plasticity.yield_strain = 0.02;
    def.plasticity.hardening = 0.3;
    int32_t cells = big->kind == LYRA_ELEMENT_TET10 ? BIG / 2 : BIG;
    Case c = make_plastic_box(ctx, &def, big->kind, cells, cells, cells);
    TestRandom random = test_random(3);
    double *x = malloc((size_t)c.n * 3 * sizeof *x);
    set_past(&c, &random, 0.05);
    set_state(&c, STATE_LARGE, &random, x);
    c.dt = 0.01;
    evaluate_all(&c, x, NULL, out);
    free(x);
    end_case(&c);
}

LYRA_TEST(plastic_bits_do_not_depend_on_threads)
{
    size_t vertices = (BIG + 1) * (BIG + 1) * (BIG + 1);
    for (int i = 0; i < 3 * KINDS; ++i) {
        Big big = find_big(i);
        test_same_bits(evaluate_big, &big, 9 * vertices * sizeof(double));
    }
}

LYRA_TEST(plastic_instruction_sets_agree)
{
    size_t count = 9 * (BIG + 1) * (BIG + 1) * (BIG + 1);
    double *out = malloc(count * sizeof *out), *reference = malloc(count * sizeof *reference);
    for (int i = 0; i < 3 * KINDS; ++i) {
        Big big = find_big(i);
        for (LyraIsa isa = LYRA_ISA_SCALAR; isa != LYRA_ISA_AUTO; isa = test_next_isa(isa)) {
            LyraContext *ctx = test_context(1, isa);
            evaluate_big(ctx, &big, out);
            if (isa == LYRA_ISA_SCALAR) {
                memcpy(reference, out, count * sizeof *out);
            }
            double apart = largest_difference((int64_t)count, out, reference);
            TEST_CHECK_MSG(apart <= 1e-10 * largest_of((int64_t)count, reference), "%d, %s: %g", i,
                           lyra_isa_name(isa), apart);
            test_context_end(ctx);
        }
    }
    free(out);
    free(reference);
}

LYRA_TEST(plastic_stress_does_not_depend_on_the_scale_of_lengths)
{
    static const double sizes[] = {1, 1e-3, 1e3};
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    for (int rule = 0; rule < 3 * KINDS; ++rule) {
        double reference[10];
        for (int s = 0; s < 3; ++s) {
            PlasticDef def = plastic_def(5, 3);
            def.size = sizes[s];
            def.plasticity.yield =
                rule / KINDS == 1 ? LYRA_YIELD_DEFORMATION : LYRA_YIELD_VON_MISES;
            def.plasticity.kinematic_hardening = rule / KINDS == 2 ? 0.3 : 0;
            def.plasticity.yield_stress = 0.1;
            def.plasticity.yield_strain = 0.02;
            def.plasticity.hardening = 0.3;
            Case c = make_plastic_box(ctx, &def, kinds[rule % KINDS], 1, 1, 1);
            double V = def.size * def.size * def.size, found[10];
            for (int i = 1; i <= 20; ++i) {
                double t = 0.05 * i;
                double F[9] = {1 + 0.5 * t, 0.3 * t, 0, 0, 1 - 0.2 * t, 0, 0.1 * t, 0, 1};
                drive(&c, V, F, 0.1, true, found, NULL);
            }
            found[9] = remembered_sum(&c, history_place(&c, "dissipated")) / V;
            TEST_CHECK(found[9] > 0.01);
            memcpy(reference, s == 0 ? found : reference, sizeof reference);
            TEST_NEAR(largest_difference(10, found, reference), 0, 1e-12);
            end_case(&c);
        }
    }
    test_context_end(ctx);
}

LYRA_TEST(plastic_history_is_trial_until_committed_and_nothing_is_allocated)
{
    LyraContext *ctx = test_context(2, LYRA_ISA_AUTO);
    for (int i = 0; i < 6; ++i) {
        PlasticDef def = plastic_def(5, 3);
        def.plasticity.yield = find_big(i).yield;
        def.plasticity.kinematic_hardening = find_big(i).kinematic;
        def.plasticity.yield_stress = 0.1;
        def.plasticity.yield_strain = 0.02;
        Case c = make_plastic_box(ctx, &def, kinds[i % 2], 3, 2, 2);
        TestRandom random = test_random(3);
        set_past(&c, &random, 0.1);
        size_t bytes = (size_t)lyra_assembly_history_size(c.assembly) * sizeof(double);
        double *before = malloc(bytes), *trial = malloc(bytes), *again = malloc(bytes);
        double *x = malloc((size_t)c.n * 6 * sizeof *x), *g = x + 3 * c.n;
        memcpy(before, c.history, bytes);
        set_state(&c, STATE_LARGE, &random, x);
        LyraEvaluation evaluation = {
            .x = x, .dt = 0.01, .history = c.history, .trial_history = trial, .gradient = g};
        TEST_OK(lyra_assembly_evaluate(c.assembly, &evaluation));
        TEST_CHECK(memcmp(before, c.history, bytes) == 0 && memcmp(before, trial, bytes) != 0);
        // with a tangent, projected, and with both histories in one place: the same
        evaluation.psd = true;
        evaluation.dfdx = c.dfdx;
        evaluation.trial_history = again;
        check_allocates_nothing(c.assembly, &evaluation);
        TEST_CHECK(memcmp(again, trial, bytes) == 0);
        evaluation.trial_history = c.history;
        TEST_OK(lyra_assembly_evaluate(c.assembly, &evaluation));
        TEST_CHECK(memcmp(c.history, trial, bytes) == 0);
        free(before);
        free(trial);
        free(again);
        free(x);
        end_case(&c);
    }
    test_context_end(ctx);
}

// ---- settings -----------------------------------------------------------------------------------

static LyraStatus build_all(LyraContext *ctx, void *data)
{
    const LyraPlasticityDef *plasticity = data;
    LyraMeshShapeDef shape = lyra_mesh_shape_def_default();
    LyraMesh *mesh = NULL;
    LyraSolid *solid = NULL;
    LyraSolidDef def = lyra_solid_def_default();
    def.model = "hencky";
    def.young = 1e5;
    def.plasticity = plasticity;
    LyraStatus status = lyra_mesh_generate(ctx, &shape, &mesh);
    status = status ? status : lyra_solid_create(ctx, mesh, &def, &solid);
    lyra_solid_destroy(solid);
    lyra_mesh_destroy(mesh);
    return status;
}

LYRA_TEST(plastic_settings_out_of_range_are_refused)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    LyraPlasticityDef good = lyra_plasticity_def_default(), def = good;
    test_fail_each_allocation(build_all, &good);
    def.yield_stress = -1;
    TEST_STATUS(build_all(ctx, &def), LYRA_INVALID_ARGUMENT);
    TEST_CONTAINS(lyra_error_message(), "yield is -1, expected a number from 0 up");
    def = good;
    def.flow_limit = 0;
    TEST_STATUS(build_all(ctx, &def), LYRA_INVALID_ARGUMENT);
    TEST_CONTAINS(lyra_error_message(), "flow-limit is 0, expected a number above 0");
    def = good;
    def.viscosity = NAN;
    TEST_STATUS(build_all(ctx, &def), LYRA_INVALID_ARGUMENT);
    def = good;
    def.cookie = 0;
    TEST_STATUS(build_all(ctx, &def), LYRA_INVALID_ARGUMENT);
    static const double falls[] = {0, 1, 0.5};
    static const LyraStrengthRow rows[] = {{0, 1}, {1, 2}, {0.5, 3}};
    def = good;
    def.table = rows;
    def.table_count = 3;
    TEST_STATUS(build_all(ctx, &def), LYRA_INVALID_ARGUMENT);
    TEST_CONTAINS(lyra_error_message(), "row 2 of the table");
    def = good;
    def.goal = falls;
    TEST_STATUS(build_all(ctx, &def), LYRA_UNSUPPORTED);
    TEST_CONTAINS(lyra_error_message(), "a goal shape needs the yield criterion deformation");
    // laws
    LyraMeshShapeDef shape = lyra_mesh_shape_def_default();
    LyraMesh *mesh = NULL;
    LyraSolid *solid = NULL;
    TEST_OK(lyra_mesh_generate(ctx, &shape, &mesh));
    LyraSolidDef solid_def = lyra_solid_def_default();
    solid_def.young = 1e5;
    solid_def.plasticity = &good;
    TEST_STATUS(lyra_solid_create(ctx, mesh, &solid_def, &solid), LYRA_UNSUPPORTED);
    TEST_CONTAINS(lyra_error_message(), "von-mises needs the law hencky, found neo-hookean");
    solid_def.model = "corotational";
    TEST_STATUS(lyra_solid_create(ctx, mesh, &solid_def, &solid), LYRA_UNSUPPORTED);
    TEST_CONTAINS(lyra_error_message(), "model corotational has no plasticity");
    solid_def.model = "hencky";
    solid_def.inversion = LYRA_INVERSION_CLAMP;
    TEST_STATUS(lyra_solid_create(ctx, mesh, &solid_def, &solid), LYRA_UNSUPPORTED);
    LyraElasticDef elastic = lyra_elastic_def_default();
    LyraForce *force = NULL;
    LyraMesh *quadratic = NULL;
    shape.kind = LYRA_ELEMENT_TET10;
    TEST_OK(lyra_mesh_generate(ctx, &shape, &quadratic));
    elastic.young = 1e5;
    elastic.model = LYRA_MATERIAL_HENCKY;
    elastic.volumetric = LYRA_VOLUMETRIC_MEAN;
    def = good;
    def.kinematic_hardening = 1;
    elastic.plasticity = &def;
    TEST_STATUS(lyra_elastic_create(ctx, quadratic, &elastic, &force), LYRA_UNSUPPORTED);
    TEST_CONTAINS(lyra_error_message(), "volumetric mean has the yield criterion von-mises");
    lyra_mesh_destroy(quadratic);
    LyraYield yield;
    TEST_STATUS(lyra_yield_find("tresca", &yield), LYRA_INVALID_ARGUMENT);
    TEST_OK(lyra_yield_find("deformation", &yield));
    TEST_EQUAL(yield, LYRA_YIELD_DEFORMATION);
    lyra_mesh_destroy(mesh);
    test_context_end(ctx);
}
