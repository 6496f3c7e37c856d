// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Shells: derivatives, positive tangents, plane stress, rigid motion, angles beyond half a turn,
// what coincides, what is refused.

#include "force_cases.h"
#include "lyra/shell.h"

#define PI 3.14159265358979323846

// ---- bodies -------------------------------------------------------------------------------------

enum { SIDE = 3, VERTICES = (SIDE + 1) * (SIDE + 1), TRIANGLES = 2 * SIDE * SIDE };

// a wavy square, uneven inside; neighbours wind both ways
typedef struct Sample {
    double positions[3 * VERTICES], thicknesses[TRIANGLES];
    int32_t triangles[3 * TRIANGLES];
} Sample;

static Sample make_sample(bool flat)
{
    Sample s;
    TestRandom random = test_random(7);
    for (int v = 0; v < VERTICES; ++v) {
        double x = v % (SIDE + 1), z = (double)(v / (SIDE + 1));
        s.positions[3 * v] = 0.2 * x + 0.02 * test_random_normal(&random);
        s.positions[3 * v + 1] = 0.05 * sin(1.3 * x + 0.7 * z) + 0.01 * test_random_normal(&random);
        s.positions[3 * v + 2] = 0.25 * z + 0.02 * test_random_normal(&random);
        s.positions[3 * v + 1] *= flat ? 0 : 1;
    }
    for (int t = 0; t < TRIANGLES; ++t) {
        int cell = t / 2, a = cell / SIDE * (SIDE + 1) + cell % SIDE, c = a + SIDE + 1;
        const int32_t ids[2][3] = {{a, c, a + 1}, {a + 1, c, c + 1}};
        const int32_t turned[3] = {c, a, a + 1};
        memcpy(s.triangles + 3 * t, t == 4 ? turned : ids[t % 2], sizeof ids[0]);
        s.thicknesses[t] = 0.05 + 0.002 * (t % 5);
    }
    return s;
}

static LyraShellDef def_of(const Sample *s)
{
    LyraShellDef def = lyra_shell_def_default();
    def.vertex_count = VERTICES;
    def.triangle_count = TRIANGLES;
    def.positions = s->positions;
    def.triangles = s->triangles;
    def.thicknesses = s->thicknesses;
    def.material.young = 1000;
    def.material.poisson = 0.3;
    return def;
}

// all forces of a shell in one assembly, scalar nodes behind the vertices; ends with end_shell()
typedef struct Shell {
    LyraShell *shell;
    Case c;
} Shell;

static Shell make_shell(LyraContext *ctx, const LyraShellDef *def)
{
    Shell made = {.c = {.ctx = ctx}};
    int32_t count = 0;
    TEST_OK(lyra_shell_create(ctx, def, &made.shell));
    LyraShellView view = lyra_shell_view(made.shell);
    int32_t n = made.c.n = view.vertex_count + view.scalar_count;
    made.c.rest = malloc((size_t)n * 3 * sizeof *made.c.rest);
    memcpy(made.c.rest, def->positions, (size_t)view.vertex_count * 3 * sizeof *made.c.rest);
    lyra_shell_masses(made.shell, 1, NULL, made.c.rest + 3 * view.vertex_count);
    LyraForce *const *forces = lyra_shell_forces(made.shell, &count);
    TEST_OK(lyra_assembly_create(ctx, n, made.c.rest, count, forces, &made.c.assembly));
    TEST_OK(lyra_block_matrix_create(lyra_assembly_pattern(made.c.assembly), &made.c.dfdx));
    TEST_OK(lyra_block_matrix_create(lyra_assembly_pattern(made.c.assembly), &made.c.dfdv));
    int64_t history = lyra_assembly_history_size(made.c.assembly);
    made.c.history = calloc((size_t)history + 1, sizeof *made.c.history);
    lyra_assembly_history_init(made.c.assembly, made.c.history);
    return made;
}

static void end_shell(Shell *made)
{
    end_case(&made->c);
    lyra_shell_destroy(made->shell);
}

// goes to x and keeps what is remembered there
static void commit(Shell *made, const double *x, double dt)
{
    int64_t size = lyra_assembly_history_size(made->c.assembly);
    double *next = calloc((size_t)size + 1, sizeof *next);
    LyraEvaluation evaluation = evaluation_of(&made->c, x, NULL);
    evaluation.dt = dt;
    evaluation.trial_history = next;
    TEST_OK(lyra_assembly_evaluate(made->c.assembly, &evaluation));
    memcpy(made->c.history, next, (size_t)size * sizeof *next);
    free(next);
}

// ---- derivatives --------------------------------------------------------------------------------

static void check_states(Shell *made, TestRandom *random, const char *what)
{
    Case *c = &made->c;
    double *x = malloc((size_t)c->n * 3 * sizeof *x);
    for (int kind = 0; kind < STATE_FLAT; ++kind) {
        char text[100];
        snprintf(text, sizeof text, "%s, %s, state %d", what,
                 lyra_isa_name(lyra_context_isa(c->ctx)), kind);
        set_state(c, (StateKind)kind, random, x);
        check_derivatives(c, x, NULL, random, HAS_ENERGY, text);
    }
    free(x);
}

LYRA_TEST(shell_derivatives_match_differences)
{
    for (LyraIsa isa = LYRA_ISA_SCALAR; isa != LYRA_ISA_AUTO; isa = test_next_isa(isa)) {
        LyraContext *ctx = test_context(1, isa);
        TestRandom random = test_random(3);
        for (int bend = 0; bend < LYRA_SHELL_BEND_COUNT; ++bend) {
            Sample s = make_sample(bend == LYRA_SHELL_BEND_QUADRATIC);
            LyraShellDef def = def_of(&s);
            def.bend = (LyraShellBend)bend;
            Shell made = make_shell(ctx, &def);
            check_states(&made, &random, lyra_shell_bend_name(def.bend));
            end_shell(&made);
        }
        test_context_end(ctx);
    }
}

LYRA_TEST(membranes_of_all_laws_match_differences)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    // directions along which no energy stands nearly still, as a slope of rounding would tell
    // nothing
    TestRandom random = test_random(15);
    for (int law = 0; law < LYRA_MATERIAL_LAW_COUNT; ++law) {
        Sample s = make_sample(false);
        LyraShellDef def = def_of(&s);
        def.bend = LYRA_SHELL_BEND_NONE;
        def.material.model = (LyraMaterialLaw)law;
        Shell made = make_shell(ctx, &def);
        check_states(&made, &random, lyra_material_law_name((LyraMaterialLaw)law));
        end_shell(&made);
    }
    test_context_end(ctx);
}

LYRA_TEST(shells_that_flow_match_differences)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    TestRandom random = test_random(6);
    Sample s = make_sample(false);
    LyraShellDef def = def_of(&s);
    LyraPlasticityDef plasticity = lyra_plasticity_def_default();
    plasticity.yield_stress = 20;
    plasticity.hardening = 100;
    def.material.model = LYRA_MATERIAL_HENCKY;
    def.material.plasticity = &plasticity;
    Shell made = make_shell(ctx, &def);
    double *x = malloc((size_t)made.c.n * 3 * sizeof *x);
    made.c.dt = 0.01;
    for (int step = 0; step < 3; ++step) {
        char text[60];
        snprintf(text, sizeof text, "step %d", step);
        set_state(&made.c, step == 1 ? STATE_LARGE : STATE_SMALL, &random, x);
        check_derivatives(&made.c, x, NULL, &random, HAS_ENERGY, text);
        commit(&made, x, 0.01);
    }
    free(x);
    end_shell(&made);
    test_context_end(ctx);
}

// a tetrahedron: all wings of a triangle are one vertex; a pyramid: two are
LYRA_TEST(triangles_with_common_wings_match_differences)
{
    static const double corners[15] = {1, 0, 0, 0, 1, 0, -1, -0.2, 0, 0.1, 0.1, 0.9, 0, -0.3, -0.8};
    static const int32_t tetrahedron[12] = {0, 1, 2, 0, 3, 1, 1, 3, 2, 2, 3, 0};
    static const int32_t pair[18] = {0, 3, 1, 1, 3, 2, 2, 3, 0, 0, 1, 4, 1, 2, 4, 2, 0, 4};
    static const int32_t open[9] = {0, 1, 3, 1, 2, 3, 2, 0, 3};
    static const struct {
        int32_t vertices, triangles, scalars;
        const int32_t *ids;
    } bodies[] = {{4, 4, 6, tetrahedron}, {5, 6, 9, pair}, {4, 3, 3, open}};
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    TestRandom random = test_random(8);
    for (int b = 0; b < 3; ++b) {
        LyraShellDef def = lyra_shell_def_default();
        def.vertex_count = bodies[b].vertices;
        def.triangle_count = bodies[b].triangles;
        def.positions = corners;
        def.triangles = bodies[b].ids;
        def.thickness = 0.2;
        def.material.young = 1000;
        def.material.poisson = 0.3;
        Shell made = make_shell(ctx, &def);
        TEST_EQUAL(lyra_shell_view(made.shell).scalar_count, bodies[b].scalars);
        check_states(&made, &random, "common wings");
        end_shell(&made);
    }
    test_context_end(ctx);
}

LYRA_TEST(clamped_edges_match_differences_and_resist_turning)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    TestRandom random = test_random(9);
    Sample s = make_sample(false);
    const int32_t clamped[] = {0, 1, 2, 1, 3, 7};
    LyraShellDef def = def_of(&s);
    def.clamped = clamped;
    def.clamped_count = 3;
    Shell made = make_shell(ctx, &def);
    check_states(&made, &random, "clamped");
    end_shell(&made);
    // a triangle whose wing is of stone, turned about its edge by a: D/2 l^2/A a^2 times the share
    // that the free edges leave, (m.T m)^2/|T|^2 for the T that is normal to both of their m m^T
    static const double corners[9] = {0, 0, 0, 2, 0, 0, 0.5, 1.5, 0};
    static const int32_t triangle[3] = {0, 1, 2}, edge[2] = {1, 0};
    def = lyra_shell_def_default();
    def.vertex_count = 3;
    def.triangle_count = 1;
    def.positions = corners;
    def.triangles = triangle;
    def.thickness = 0.1;
    def.material.young = 1200;
    def.material.poisson = 0;
    def.clamped = edge;
    def.clamped_count = 1;
    made = make_shell(ctx, &def);
    double x[9], energy, turn = 0.3;
    memcpy(x, corners, sizeof x);
    x[7] = 1.5 * cos(turn);
    x[8] = 1.5 * sin(turn);
    LyraEvaluation evaluation = evaluation_of(&made.c, x, NULL);
    evaluation.energy = &energy;
    TEST_OK(lyra_assembly_evaluate(made.c.assembly, &evaluation));
    TEST_NEAR(energy, 0.5 * 1200 * 1e-3 / 12 * 4 / 1.5 * 0.75 * turn * turn, 1e-12);
    end_shell(&made);
    test_context_end(ctx);
}

// the moment at the clamped edge of that triangle, turned by `turn`
static double moment_of(Shell *made, double turn, double x[9])
{
    double gradient[9];
    x[7] = 1.5 * cos(turn);
    x[8] = 1.5 * sin(turn);
    LyraEvaluation evaluation = evaluation_of(&made->c, x, NULL);
    evaluation.gradient = gradient;
    TEST_OK(lyra_assembly_evaluate(made->c.assembly, &evaluation));
    return 1.5 * (gradient[8] * cos(turn) - gradient[7] * sin(turn));
}

LYRA_TEST(bending_flows_at_the_moment_of_the_whole_section_and_springs_back)
{
    static const double corners[9] = {0, 0, 0, 2, 0, 0, 0.5, 1.5, 0};
    static const int32_t triangle[3] = {0, 1, 2}, edge[2] = {1, 0};
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    for (int hard = 0; hard < 2; ++hard) {
        LyraShellDef def = lyra_shell_def_default();
        LyraPlasticityDef plasticity = lyra_plasticity_def_default();
        double E = 1200, h = 0.1, sy = 8, D = E * h * h * h / 12, area = 1.5, x[9];
        plasticity.yield_stress = sy;
        plasticity.hardening = hard ? 0.25 * E : 0;
        def.vertex_count = 3;
        def.triangle_count = 1;
        def.positions = corners;
        def.triangles = triangle;
        def.thickness = h;
        def.material.young = E;
        def.material.poisson = 0;
        def.material.model = LYRA_MATERIAL_HENCKY;
        def.material.plasticity = &plasticity;
        def.clamped = edge;
        def.clamped_count = 1;
        Shell made = make_shell(ctx, &def);
        memcpy(x, corners, sizeof x);
        // the energy at a turn a is D/2 l^2/A 3/4 a^2, so the curvature a sqrt(3/4) l/A; the whole
        // section of a strip carries sy h^2/4
        double per_turn = sqrt(0.75) * 2 / area, stiffness = D * area * per_turn * per_turn;
        double yield = 3 * sy / (E * h), r = hard ? 0.25 : 0;
        TEST_NEAR(D * yield, sy * h * h / 4, 1e-15);
        TEST_NEAR(moment_of(&made, 0.15, x), stiffness * 0.15, 1e-12);
        double flown = (0.6 * per_turn - yield) / (1 + r);
        TEST_NEAR(moment_of(&made, 0.6, x), D * area * per_turn * (0.6 * per_turn - flown), 1e-12);
        commit(&made, x, 0.01);
        double left = flown / per_turn;
        TEST_NEAR(moment_of(&made, 0.6 - 0.1, x), stiffness * (0.5 - left), 1e-12);
        TEST_NEAR(moment_of(&made, left, x), 0, 1e-12);
        // it has lost the work of flow, and flows again where it did
        double lost;
        TEST_OK(lyra_assembly_read_history(made.c.assembly, 1, 7, made.c.history, &lost));
        TEST_NEAR(lost, D * area * flown * (yield + 0.5 * r * flown), 1e-12);
        TEST_NEAR(moment_of(&made, 0.7, x),
                  D * area * per_turn * (0.7 * per_turn - flown - 0.1 * per_turn / (1 + r)), 1e-12);
        end_shell(&made);
    }
    test_context_end(ctx);
}

// ---- measures -----------------------------------------------------------------------------------

static double energy_at(Shell *made, const double *x)
{
    double energy;
    LyraEvaluation evaluation = evaluation_of(&made->c, x, NULL);
    evaluation.energy = &energy;
    TEST_OK(lyra_assembly_evaluate(made->c.assembly, &evaluation));
    return energy;
}

// curvatures of all triangles, those of free edges included, make up the energy of bending
LYRA_TEST(measured_curvatures_have_the_energy_of_bending)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    TestRandom random = test_random(12);
    Sample s = make_sample(false);
    const int32_t clamped[] = {0, 1};
    LyraShellDef def = def_of(&s);
    def.clamped = clamped;
    def.clamped_count = 1;
    Shell made = make_shell(ctx, &def);
    LyraShellView view = lyra_shell_view(made.shell);
    LyraShellMeasure measures[TRIANGLES];
    double *x = malloc((size_t)made.c.n * 3 * sizeof *x);
    double *scalars = malloc((size_t)view.scalar_count * sizeof *scalars);
    set_state(&made.c, STATE_SMALL, &random, x);
    for (int32_t k = 0; k < view.scalar_count; ++k) {
        int64_t at = 3 * ((int64_t)view.vertex_count + k);
        scalars[k] = x[at] - made.c.rest[at];
    }
    lyra_shell_measure(made.shell, x, scalars, measures);
    double bending = 0, stretches[2 * TRIANGLES];
    lyra_shell_stretches(made.shell, x, stretches);
    for (int32_t t = 0; t < TRIANGLES; ++t) {
        const LyraShellMeasure *m = &measures[t];
        double h = view.thicknesses[t], nu = view.poisson;
        double D = view.young * h * h * h / (12 * (1 - nu * nu)), k1 = m->curvature[0];
        double k2 = m->curvature[1];
        bending +=
            0.5 * view.areas[t] * D * ((1 - nu) * (k1 * k1 + k2 * k2) + nu * (k1 + k2) * (k1 + k2));
        TEST_NEAR(m->strain[0], stretches[2 * t] - 1, 1e-12);
        TEST_NEAR(m->strain[1], stretches[2 * t + 1] - 1, 1e-12);
        // both surfaces have the mean of the middle, and differ by the curvature
        TEST_NEAR(m->top[0] + m->top[1] + m->bottom[0] + m->bottom[1],
                  2 * (m->strain[0] + m->strain[1]), 1e-12);
        TEST_NEAR(m->top[0] + m->top[1] - m->bottom[0] - m->bottom[1], h * (k1 + k2), 1e-12);
    }
    double all = energy_at(&made, x);
    end_shell(&made);
    def.bend = LYRA_SHELL_BEND_NONE;
    def.clamped_count = 0;
    made = make_shell(ctx, &def);
    double membrane = energy_at(&made, x);
    TEST_CHECK(bending > 0.01 * all);
    TEST_NEAR(all - membrane, bending, 1e-10 * all);
    end_shell(&made);
    free(x);
    free(scalars);
    test_context_end(ctx);
}

// ---- plane stress -------------------------------------------------------------------------------

// E = 1, nu = 0.3, a unit square stretched: forces per side, against the closed forms solved apart
LYRA_TEST(membranes_are_in_plane_stress)
{
    static const double square[12] = {0, 0, 0, 1, 0, 0, 1, 1, 0, 0, 1, 0};
    static const int32_t triangles[6] = {0, 1, 2, 0, 2, 3};
    static const double cases[3][4] = {
        {1.2, 0.945633, 0.174929, 0}, {1.2, 1.2, 0.233989, 0.233989}, {1.2, 1, 0.189374, 0.058018}};
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    LyraShellDef def = lyra_shell_def_default();
    def.vertex_count = 4;
    def.triangle_count = 2;
    def.positions = square;
    def.triangles = triangles;
    def.thickness = 1;
    def.material.young = 1;
    def.material.poisson = 0.3;
    def.bend = LYRA_SHELL_BEND_NONE;
    Shell made = make_shell(ctx, &def);
    for (int k = 0; k < 3; ++k) {
        double x[12], g[12];
        for (int i = 0; i < 12; ++i) {
            x[i] = square[i] * (i % 3 == 0 ? cases[k][0] : cases[k][1]);
        }
        LyraEvaluation evaluation = evaluation_of(&made.c, x, NULL);
        evaluation.gradient = g;
        TEST_OK(lyra_assembly_evaluate(made.c.assembly, &evaluation));
        TEST_NEAR(g[3] + g[6], cases[k][2], 1e-6);
        TEST_NEAR(g[7] + g[10], cases[k][3], 1e-6);
    }
    end_shell(&made);
    test_context_end(ctx);
}

// ---- physics ------------------------------------------------------------------------------------

LYRA_TEST(rigid_motion_of_shells_gives_no_force)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    TestRandom random = test_random(5);
    for (int bend = 0; bend < LYRA_SHELL_BEND_COUNT; ++bend) {
        Sample s = make_sample(bend == LYRA_SHELL_BEND_QUADRATIC);
        LyraShellDef def = def_of(&s);
        def.bend = (LyraShellBend)bend;
        Shell made = make_shell(ctx, &def);
        int32_t n = made.c.n;
        double *x = malloc((size_t)n * 6 * sizeof *x), *g = x + 3 * n, R[9], force, torque;
        test_random_rotation(&random, R);
        for (int32_t i = 0; i < 3 * n; ++i) {
            const double *p = made.c.rest + i / 3 * 3, *r = R + 3 * (i % 3);
            x[i] =
                i < 3 * VERTICES ? 2.5 + r[0] * p[0] + r[1] * p[1] + r[2] * p[2] : made.c.rest[i];
        }
        LyraEvaluation evaluation = evaluation_of(&made.c, x, NULL);
        evaluation.gradient = g;
        TEST_OK(lyra_assembly_evaluate(made.c.assembly, &evaluation));
        TEST_NEAR(largest_of(3 * n, g), 0, 1e-10 * test_tolerance_scale());
        // and whatever the state, the forces on places balance
        set_state(&made.c, STATE_LARGE, &random, x);
        TEST_OK(lyra_assembly_evaluate(made.c.assembly, &evaluation));
        find_balance(VERTICES, x, g, &force, &torque);
        TEST_NEAR(force, 0, 1e-13 * test_tolerance_scale());
        TEST_NEAR(torque, 0, 1e-12 * test_tolerance_scale());
        free(x);
        end_shell(&made);
    }
    test_context_end(ctx);
}

LYRA_TEST(psd_shell_tangents_are_positive)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    TestRandom random = test_random(12);
    for (int bend = 0; bend < LYRA_SHELL_BEND_COUNT; ++bend) {
        Sample s = make_sample(bend == LYRA_SHELL_BEND_QUADRATIC);
        LyraShellDef def = def_of(&s);
        def.bend = (LyraShellBend)bend;
        Shell made = make_shell(ctx, &def);
        double *x = malloc((size_t)made.c.n * 3 * sizeof *x);
        for (int kind = 0; kind < STATE_COUNT; ++kind) {
            made.c.psd = true;
            set_state(&made.c, (StateKind)kind, &random, x);
            LyraEvaluation evaluation = evaluation_of(&made.c, x, NULL);
            evaluation.dfdx = made.c.dfdx;
            TEST_OK(lyra_assembly_evaluate(made.c.assembly, &evaluation));
            double least = smallest_eigenvalue(&made.c, made.c.dfdx);
            TEST_CHECK_MSG(least > -1e-10, "bend %d, state %d: %g", bend, kind, least);
        }
        free(x);
        end_shell(&made);
    }
    test_context_end(ctx);
}

// a sheet stretched both ways has a positive tangent of its own, which the PSD mode keeps
LYRA_TEST(psd_changes_nothing_where_membranes_are_taut)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    Sample s = make_sample(true);
    LyraShellDef def = def_of(&s);
    def.bend = LYRA_SHELL_BEND_NONE;
    Shell made = make_shell(ctx, &def);
    double x[3 * VERTICES], *exact[2];
    for (int i = 0; i < 3 * VERTICES; ++i) {
        x[i] = 1.2 * s.positions[i];
    }
    for (int psd = 0; psd < 2; ++psd) {
        made.c.psd = psd;
        LyraEvaluation evaluation = evaluation_of(&made.c, x, NULL);
        evaluation.dfdx = made.c.dfdx;
        TEST_OK(lyra_assembly_evaluate(made.c.assembly, &evaluation));
        exact[psd] = dense_of(&made.c, made.c.dfdx);
    }
    int32_t count = 9 * VERTICES * VERTICES;
    TEST_NEAR(largest_difference(count, exact[0], exact[1]), 0, 1e-9 * largest_of(count, exact[0]));
    free(exact[0]);
    free(exact[1]);
    end_shell(&made);
    test_context_end(ctx);
}

// two triangles folded step by step by one and a half turns: the angle is counted on
LYRA_TEST(angles_are_counted_beyond_half_a_turn)
{
    static const double corners[12] = {0, 0, 0, 1, 0, 0, 0.5, 0.8, 0, 0.5, -0.8, 0};
    static const int32_t triangles[6] = {0, 1, 2, 1, 0, 3};
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    LyraShellDef def = lyra_shell_def_default();
    def.vertex_count = 4;
    def.triangle_count = 2;
    def.positions = corners;
    def.triangles = triangles;
    def.thickness = 0.1;
    def.material.young = 1200;
    def.material.poisson = 0;
    Shell made = make_shell(ctx, &def);
    double x[15], energy = 0, before = 0;
    memcpy(x, made.c.rest, sizeof x);
    LyraEvaluation evaluation = evaluation_of(&made.c, x, NULL);
    evaluation.energy = &energy;
    for (int step = 0; step <= 30; ++step) {
        double turn = PI / 10 * step;
        x[10] = -0.8 * cos(turn);
        x[11] = 0.8 * sin(turn);
        TEST_OK(lyra_assembly_evaluate(made.c.assembly, &evaluation));
        // c = turn/2 in both: 2 D/2 l^2/A c^2, A = 0.4, D = 0.1, times what free edges leave
        TEST_NEAR(energy, 0.1 / 0.4 * 0.25 * 0.4096 / 0.4721 * turn * turn, 1e-10);
        TEST_CHECK(step == 0 || energy > before);
        before = energy;
        commit(&made, x, 0.01);
    }
    end_shell(&made);
    test_context_end(ctx);
}

LYRA_TEST(collapsed_shells_stay_finite)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    for (int bend = 0; bend < LYRA_SHELL_BEND_COUNT; ++bend) {
        Sample s = make_sample(bend == LYRA_SHELL_BEND_QUADRATIC);
        LyraShellDef def = def_of(&s);
        def.bend = (LyraShellBend)bend;
        Shell made = make_shell(ctx, &def);
        double *x = malloc((size_t)made.c.n * 6 * sizeof *x), *g = x + 3 * made.c.n, energy;
        for (int kind = 0; kind < 3; ++kind) {
            // into a point, onto a line, into a thin needle
            for (int32_t i = 0; i < 3 * made.c.n; ++i) {
                bool along = i % 3 == 0;
                x[i] = kind > 0 && along ? made.c.rest[i] : kind == 2 ? 1e-9 * made.c.rest[i] : 0;
            }
            for (int psd = 0; psd < 2; ++psd) {
                made.c.psd = psd;
                LyraEvaluation evaluation = evaluation_of(&made.c, x, NULL);
                evaluation.energy = &energy;
                evaluation.gradient = g;
                evaluation.dfdx = made.c.dfdx;
                TEST_OK(lyra_assembly_evaluate(made.c.assembly, &evaluation));
                TEST_CHECK_MSG(isfinite(energy) && all_finite(3 * made.c.n, g) &&
                                   matrix_finite(made.c.dfdx),
                               "bend %d, kind %d, psd %d", bend, kind, psd);
            }
        }
        free(x);
        end_shell(&made);
    }
    test_context_end(ctx);
}

// ---- settings -----------------------------------------------------------------------------------

static void refuse(LyraContext *ctx, const LyraShellDef *def, LyraStatus status, const char *text)
{
    LyraShell *shell = NULL;
    TEST_STATUS(lyra_shell_create(ctx, def, &shell), status);
    TEST_CONTAINS(lyra_error_message(), text);
}

LYRA_TEST(wrong_shells_are_one_sentence)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    Sample s = make_sample(false);
    LyraShellDef def = def_of(&s);
    def.cookie = 0;
    refuse(ctx, &def, LYRA_INVALID_ARGUMENT, "lyra_shell_def_default");
    def = def_of(&s);
    def.thicknesses = NULL;
    def.thickness = 0;
    refuse(ctx, &def, LYRA_INVALID_ARGUMENT, "0 m thick");
    def = def_of(&s);
    def.bend = LYRA_SHELL_BEND_QUADRATIC;
    refuse(ctx, &def, LYRA_UNSUPPORTED, "expected a flat one");
    def = def_of(&s);
    def.material.young = 0;
    refuse(ctx, &def, LYRA_INVALID_ARGUMENT, "E > 0");
    def = def_of(&s);
    const int32_t inner[2] = {0, 5};
    def.clamped = inner;
    def.clamped_count = 1;
    refuse(ctx, &def, LYRA_INVALID_ARGUMENT, "no edge of one triangle has the vertices 0 and 5");
    def = def_of(&s);
    memcpy(s.positions, s.positions + 3, 3 * sizeof(double));
    refuse(ctx, &def, LYRA_BAD_MESH, "triangle 0 has no area at rest");
    s = make_sample(false);
    s.triangles[0] = s.triangles[1];
    refuse(ctx, &def, LYRA_BAD_MESH, "expected three of 0 to 15");
    s = make_sample(false);
    s.positions[4] = NAN;
    refuse(ctx, &def, LYRA_NOT_FINITE, "vertex 1 is not finite");
    test_context_end(ctx);
}

LYRA_TEST(edges_that_do_not_bend_are_counted)
{
    static const double corners[15] = {0, 0, 0, 1, 0, 0, 0.5, 1, 0, 0.5, -1, 0, 0.5, 0, 1};
    static const int32_t fan[9] = {0, 1, 2, 1, 0, 3, 0, 1, 4}, pocket[6] = {0, 1, 2, 0, 2, 1};
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    LyraShellDef def = lyra_shell_def_default();
    LyraShell *shell = NULL;
    def.vertex_count = 5;
    def.triangle_count = 3;
    def.positions = corners;
    def.triangles = fan;
    def.material.young = 1e6;
    TEST_OK(lyra_shell_create(ctx, &def, &shell));
    TEST_EQUAL(lyra_shell_view(shell).non_manifold_edges, 1);
    TEST_EQUAL(lyra_shell_view(shell).boundary_edges, 6);
    TEST_EQUAL(lyra_shell_view(shell).scalar_count, 0);
    lyra_shell_destroy(shell);
    def.triangles = pocket;
    def.triangle_count = 2;
    TEST_OK(lyra_shell_create(ctx, &def, &shell));
    TEST_EQUAL(lyra_shell_view(shell).folded_edges, 3);
    TEST_EQUAL(lyra_shell_view(shell).scalar_count, 0);
    lyra_shell_destroy(shell);
    test_context_end(ctx);
}

static LyraStatus make_once(LyraContext *ctx, void *data)
{
    LyraShellDef def = def_of(data);
    LyraPlasticityDef plasticity = lyra_plasticity_def_default();
    plasticity.yield_stress = 20;
    def.material.model = LYRA_MATERIAL_HENCKY;
    def.material.plasticity = &plasticity;
    LyraShell *shell = NULL;
    LyraStatus status = lyra_shell_create(ctx, &def, &shell);
    lyra_shell_destroy(shell);
    return status;
}

LYRA_TEST(failing_allocations_of_shells_leak_nothing)
{
    Sample s = make_sample(false);
    test_fail_each_allocation(make_once, &s);
}

LYRA_TEST(masses_of_shells_are_those_of_slabs)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    Sample s = make_sample(false);
    LyraShellDef def = def_of(&s);
    def.thicknesses = NULL;
    def.thickness = 0.02;
    Shell made = make_shell(ctx, &def);
    LyraShellView view = lyra_shell_view(made.shell);
    double *masses = malloc((size_t)made.c.n * sizeof *masses), sum = 0, turning = 0, area = 0;
    lyra_shell_masses(made.shell, 800, masses, NULL);
    for (int i = 0; i < made.c.n; ++i) {
        (i < VERTICES ? &sum : &turning)[0] += masses[i];
        TEST_CHECK(masses[i] > 0);
    }
    for (int t = 0; t < TRIANGLES; ++t) {
        area += view.areas[t];
    }
    TEST_NEAR(sum, 800 * 0.02 * area, 1e-12);
    // of inner edges alone
    double all = 800 * 0.02 * 0.02 * 0.02 / 12 * area / (view.scalar_length * view.scalar_length);
    TEST_CHECK(turning > 0.6 * all && turning < all);
    free(masses);
    end_shell(&made);
    test_context_end(ctx);
}

// ---- lanes and threads --------------------------------------------------------------------------

LYRA_TEST(instruction_sets_and_threads_agree_on_shells)
{
    double *reference = NULL, *same = NULL;
    for (LyraIsa isa = LYRA_ISA_SCALAR; isa != LYRA_ISA_AUTO; isa = test_next_isa(isa)) {
        for (int threads = 1; threads < 8; threads += threads == 3 ? 4 : 1) {
            LyraContext *ctx = test_context(threads, isa);
            Sample s = make_sample(false);
            LyraShellDef def = def_of(&s);
            Shell made = make_shell(ctx, &def);
            int32_t dofs = 3 * made.c.n;
            double *x = malloc((size_t)dofs * sizeof *x);
            double *out = malloc((size_t)dofs * 3 * sizeof *out);
            TestRandom random = test_random(3);
            set_state(&made.c, STATE_LARGE, &random, x);
            evaluate_all(&made.c, x, NULL, out);
            if (threads > 1) {
                TEST_CHECK(memcmp(out, same, 2 * (size_t)dofs * sizeof *out) == 0);
                free(out);
            } else {
                free(same == reference ? NULL : same);
                same = out;
                reference = reference ? reference : out;
            }
            for (int k = 0; k < 2; ++k) {
                TEST_NEAR(largest_difference(dofs, same + k * dofs, reference + k * dofs), 0,
                          1e-10 * largest_of(dofs, reference + k * dofs));
            }
            free(x);
            end_shell(&made);
            test_context_end(ctx);
        }
    }
    free(same == reference ? NULL : same);
    free(reference);
}
