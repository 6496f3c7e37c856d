// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Answers that must not depend on where a body is, how stiff it is, how little it is loaded, or in
// which units all is given.

#include "integrate_cases.h"

#include <float.h>

// A cantilever of 2 x 0.25 x 0.25 m in whole cells of 1/4 m, which doubles hold exactly.
static BodyDef bar_def(const char *model)
{
    BodyDef def = body_def();
    def.model = model;
    def.young = 210e9;
    def.poisson = 0.3;
    def.density = 7850;
    def.cells[0] = 8;
    def.cells[1] = def.cells[2] = 1;
    def.edge = 0.25;
    return def;
}

typedef struct Answer {
    int32_t size;
    double *u;
    double largest;
    LyraStepReport report;
} Answer;

static Answer take_answer(const Body *body, const LyraStepReport *report)
{
    Answer answer = {.size = body->size, .report = *report};
    answer.u = calloc((size_t)body->size + 1, sizeof *answer.u);
    for (int32_t i = 0; body->state && i < body->size; ++i) {
        answer.u[i] = body_u(body)[i];
        answer.largest = fmax(answer.largest, fabs(answer.u[i]));
    }
    return answer;
}

// `force` at each vertex, downwards; steps of the method `name`
static Answer solve_with(LyraContext *ctx, const BodyDef *def, const LyraIntegratorDef *how,
                         double force, double h, int32_t steps)
{
    Body body;
    LyraIntegrator *it = NULL;
    LyraStepReport report = {0};
    if (make_body(ctx, def, &body) && TEST_OK(lyra_integrator_create(ctx, how, body.system, &it))) {
        double *f = calloc((size_t)body.size, sizeof *f);
        for (int32_t i = 1; i < body.size; i += 3) {
            f[i] = -force;
        }
        TEST_OK(lyra_model_set_force(body.model, f));
        free(f);
        for (int32_t s = 0; s < steps; ++s) {
            TEST_OK(lyra_integrator_step(it, body.state, h, &report));
        }
    }
    Answer answer = take_answer(&body, &report);
    lyra_integrator_destroy(it);
    end_body(&body);
    return answer;
}

static Answer solve_static(LyraContext *ctx, const BodyDef *def, double force)
{
    LyraIntegratorDef how = lyra_integrator_def_default();
    how.name = "static";
    return solve_with(ctx, def, &how, force, 1, 1);
}

// largest difference of a scale and b, beside that of b
static double difference(const Answer *a, double scale, const Answer *b)
{
    double worst = 0;
    for (int32_t i = 0; i < b->size; ++i) {
        worst = fmax(worst, fabs(scale * a->u[i] - b->u[i]));
    }
    return b->largest > 0 && a->size == b->size ? worst / b->largest : INFINITY;
}

// checks that displacements under a force, times `factor`, are those of `unit`
static void check_shape(LyraContext *ctx, const BodyDef *def, double force, double factor,
                        const Answer *unit, double allowed)
{
    Answer answer = solve_static(ctx, def, force);
    double found = difference(&answer, factor, unit);
    TEST_CHECK_MSG(found <= allowed, "%s, edges of %g m, %g Pa, %g N: off by %.3g", def->model,
                   def->edge, def->young, force, found);
    free(answer.u);
}

// ---- elsewhere ----------------------------------------------------------------------------------

// where doubles hold all coordinates, the same bits; elsewhere the rounding of the edges, which the
// bending of a slender bar sees about ten times
LYRA_TEST(statics_are_the_same_everywhere)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    for (int32_t k = 0; lyra_solid_model(k); ++k) {
        BodyDef def = bar_def(lyra_solid_model(k));
        def.gravity = -9.81;
        Answer home = solve_static(ctx, &def, 0);
        TEST_CHECK_MSG(home.largest > 1e-5 &&
                           home.report.residual_last < 1e-6 * home.report.residual_first,
                       "%s: %g m", def.model, home.largest);
        static const double places[] = {0x1p22, 0x1p30, 5e3 / 3, 5e5 / 3, 2e7 / 3};
        for (int p = 0; p < 5; ++p) {
            def.center = places[p];
            Answer away = solve_static(ctx, &def, 0);
            // laws that are not linear know strains to a few eps, and bending here is 1e-5 of the
            // bar
            double allowed = p < 2 ? 0 : 50 * DBL_EPSILON * (places[p] / def.edge + 1e5);
            double found = difference(&away, 1, &home);
            TEST_CHECK_MSG(found <= allowed, "%s at %g m: off by %.3g, allowed %.3g", def.model,
                           places[p], found, allowed);
            free(away.u);
        }
        free(home.u);
    }
    test_context_end(ctx);
}

LYRA_TEST(motions_are_the_same_everywhere)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    static const char *const methods[] = {"backward-euler", "newmark", "central-differences"};
    for (int m = 0; m < 3; ++m) {
        BodyDef def = bar_def("neo-hookean");
        def.gravity = -9.81;
        def.stiffness_damping = m < 2 ? 1e-4 : 0;
        LyraIntegratorDef how = lyra_integrator_def_default();
        how.name = methods[m];
        double h = m < 2 ? 1e-3 : 1e-6;
        Answer home = solve_with(ctx, &def, &how, 0, h, 5);
        def.center = 0x1p30;
        Answer away = solve_with(ctx, &def, &how, 0, h, 5);
        TEST_CHECK_MSG(difference(&away, 1, &home) == 0, "%s: off by %.3g", methods[m],
                       difference(&away, 1, &home));
        free(home.u);
        free(away.u);
    }
    test_context_end(ctx);
}

// ---- loads and moduli ---------------------------------------------------------------------------

LYRA_TEST(linear_bodies_answer_in_proportion)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    BodyDef def = bar_def("linear");
    Answer unit = solve_static(ctx, &def, 1);
    for (int decade = -100; decade <= 20; decade += decade < -20 ? 20 : 2) {
        check_shape(ctx, &def, pow(10, decade), pow(10, -decade), &unit, 1e-10);
    }
    free(unit.u);
    test_context_end(ctx);
}

// strains down to far below eps: the answer of the law for small strains
LYRA_TEST(tiny_loads_move_every_law)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    for (int32_t k = 0; lyra_solid_model(k); ++k) {
        BodyDef def = bar_def(lyra_solid_model(k));
        Answer small = solve_static(ctx, &def, 1e-2);
        for (int decade = -14; decade <= -4; decade += 2) {
            check_shape(ctx, &def, 1e-2 * pow(10, decade), pow(10, -decade), &small, 1e-3);
        }
        free(small.u);
    }
    test_context_end(ctx);
}

// loads in proportion to the modulus
LYRA_TEST(moduli_of_any_size_give_the_same_shape)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    for (int32_t k = 0; lyra_solid_model(k); ++k) {
        BodyDef def = bar_def(lyra_solid_model(k));
        def.young = 1;
        Answer unit = solve_static(ctx, &def, 1e-7);
        for (int decade = -6; decade <= 18; decade += 6) {
            def.young = pow(10, decade);
            check_shape(ctx, &def, 1e-7 * def.young, 1, &unit, 1e-8);
        }
        free(unit.u);
    }
    test_context_end(ctx);
}

// micrometres and kilometres: with the same modulus, forces go with the square of the size
LYRA_TEST(sizes_of_any_unit_give_the_same_shape)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    for (int32_t k = 0; lyra_solid_model(k); ++k) {
        BodyDef def = bar_def(lyra_solid_model(k));
        Answer unit = solve_static(ctx, &def, 1e3);
        for (int decade = -9; decade <= 9; decade += 3) {
            double scale = pow(10, decade);
            def.edge = 0.25 * scale;
            check_shape(ctx, &def, 1e3 * scale * scale, 1 / scale, &unit, 1e-7);
        }
        free(unit.u);
    }
    test_context_end(ctx);
}

// ---- convergence --------------------------------------------------------------------------------

// limits of zero end at the rounding of the forces
LYRA_TEST(statics_with_approximate_tangents_converge)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    static const char *const models[] = {"corotational", "corotational-exact", "neo-hookean"};
    for (int m = 0; m < 3; ++m) {
        BodyDef def = bar_def(models[m]);
        for (int decade = 0; decade <= 3; ++decade) {
            // up to a deflection of half of the length
            double force = 3e3 * pow(10, decade);
            LyraIntegratorDef how = lyra_integrator_def_default();
            how.name = "static";
            how.newton.decrement = how.newton.residual = how.newton.step = 0;
            Answer best = solve_with(ctx, &def, &how, force, 1, 1);
            Answer usual = solve_static(ctx, &def, force);
            TEST_CHECK_MSG(difference(&usual, 1, &best) <= 1e-8, "%s, %g m: off by %.3g", models[m],
                           best.largest, difference(&usual, 1, &best));
            free(best.u);
            free(usual.u);
        }
    }
    test_context_end(ctx);
}
