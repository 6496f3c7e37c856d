// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Cloth: derivatives, positive tangents, rigid motion, singular places, switches, fabrics.

#include "force_cases.h"
#include "lyra/cloth.h"
#include "lyra/strain_limit.h"

#define PI 3.14159265358979323846

// ---- bodies -------------------------------------------------------------------------------------

enum { SIDE = 3, VERTICES = (SIDE + 1) * (SIDE + 1), TRIANGLES = 2 * SIDE * SIDE };

// a wavy square, uneven inside; two groups, fabric along x and z
typedef struct Sample {
    double positions[3 * VERTICES];
    int32_t triangles[3 * TRIANGLES], groups[TRIANGLES];
    double uv[6 * TRIANGLES];
    LyraClothGroup fabrics[2];
} Sample;

static Sample make_sample(void)
{
    Sample s = {.fabrics = {{5200, 140, 0.03, 0.008, 0, 0, 0}, {900, 60, 0.004, 0.02, 0, 0, 0}}};
    TestRandom random = test_random(7);
    for (int v = 0; v < VERTICES; ++v) {
        double x = v % (SIDE + 1), z = (double)(v / (SIDE + 1));
        s.positions[3 * v] = 0.2 * x + 0.02 * test_random_normal(&random);
        s.positions[3 * v + 1] = 0.05 * sin(1.3 * x + 0.7 * z) + 0.01 * test_random_normal(&random);
        s.positions[3 * v + 2] = 0.25 * z + 0.02 * test_random_normal(&random);
    }
    for (int t = 0; t < TRIANGLES; ++t) {
        int cell = t / 2, a = cell / SIDE * (SIDE + 1) + cell % SIDE, c = a + SIDE + 1;
        const int32_t ids[2][3] = {{a, c, a + 1}, {a + 1, c, c + 1}};
        memcpy(s.triangles + 3 * t, ids[t % 2], sizeof ids[0]);
        s.groups[t] = t % 3 == 0;
        for (int k = 0; k < 3; ++k) {
            s.uv[6 * t + 2 * k] = s.positions[3 * s.triangles[3 * t + k]];
            s.uv[6 * t + 2 * k + 1] = s.positions[3 * s.triangles[3 * t + k] + 2];
        }
    }
    return s;
}

static LyraClothDef def_of(const Sample *s)
{
    LyraClothDef def = lyra_cloth_def_default();
    def.vertex_count = VERTICES;
    def.triangle_count = TRIANGLES;
    def.positions = s->positions;
    def.triangles = s->triangles;
    def.uv = s->uv;
    def.triangle_groups = s->groups;
    def.group_count = 2;
    def.groups = s->fabrics;
    def.rest_stretch[0] = 1.05;
    def.rest_stretch[1] = 0.9;
    return def;
}

static void set_damping(Sample *s)
{
    s->fabrics[0].stretch_damping = 3;
    s->fabrics[0].shear_damping = 0.7;
    s->fabrics[0].bend_damping = 0.002;
    s->fabrics[1].stretch_damping = 1.1;
    s->fabrics[1].shear_damping = 0.4;
    s->fabrics[1].bend_damping = 0.0007;
}

// all forces of a cloth in one assembly; ends with end_cloth()
typedef struct Cloth {
    LyraCloth *cloth;
    Case c;
} Cloth;

static Cloth make_cloth(LyraContext *ctx, const LyraClothDef *def)
{
    Cloth made = {.c = {.ctx = ctx, .n = def->vertex_count}};
    int32_t count = 0;
    TEST_OK(lyra_cloth_create(ctx, def, &made.cloth));
    LyraForce *const *forces = lyra_cloth_forces(made.cloth, &count);
    TEST_OK(lyra_assembly_create(ctx, def->vertex_count, def->positions, count, forces,
                                 &made.c.assembly));
    TEST_OK(lyra_block_matrix_create(lyra_assembly_pattern(made.c.assembly), &made.c.dfdx));
    TEST_OK(lyra_block_matrix_create(lyra_assembly_pattern(made.c.assembly), &made.c.dfdv));
    made.c.rest = malloc((size_t)def->vertex_count * 3 * sizeof *made.c.rest);
    memcpy(made.c.rest, def->positions, (size_t)def->vertex_count * 3 * sizeof *made.c.rest);
    made.c.history = calloc(1, sizeof *made.c.history);
    return made;
}

static void end_cloth(Cloth *made)
{
    end_case(&made->c);
    lyra_cloth_destroy(made->cloth);
}

// two triangles that meet at an angle of `fold`, flat at 0
static LyraClothDef make_hinge(double fold, double positions[12])
{
    static const int32_t triangles[6] = {0, 1, 2, 1, 0, 3};
    const double x[12] = {0, 0, 0, 1, 0, 0, 0.3, 0.8, 0, 0.6, -0.7 * cos(fold), 0.7 * sin(fold)};
    memcpy(positions, x, sizeof x);
    LyraClothDef def = lyra_cloth_def_default();
    def.vertex_count = 4;
    def.triangle_count = 2;
    def.positions = positions;
    def.triangles = triangles;
    def.rest_angles = false;
    return def;
}

// ---- derivatives --------------------------------------------------------------------------------

static void check_states(Cloth *made, TestRandom *random, int has, const char *what)
{
    Case *c = &made->c;
    double *x = malloc((size_t)c->n * 6 * sizeof *x), *v = x + 3 * c->n;
    for (int kind = 0; kind < STATE_FLAT; ++kind) {
        char text[100];
        snprintf(text, sizeof text, "%s, %s, state %d", what,
                 lyra_isa_name(lyra_context_isa(c->ctx)), kind);
        set_state(c, (StateKind)kind, random, x);
        set_random(3 * c->n, 1, random, v);
        check_derivatives(c, x, v, random, has, text);
    }
    free(x);
}

LYRA_TEST(cloth_derivatives_match_differences)
{
    for (LyraIsa isa = LYRA_ISA_SCALAR; isa != LYRA_ISA_AUTO; isa = test_next_isa(isa)) {
        LyraContext *ctx = test_context(1, isa);
        TestRandom random = test_random(3);
        for (int area = 0; area < LYRA_CLOTH_AREA_COUNT; ++area) {
            Sample s = make_sample();
            LyraClothDef def = def_of(&s);
            def.area = (LyraClothArea)area;
            def.rest_angles = area != LYRA_CLOTH_AREA_PAPER;
            def.uv = area == LYRA_CLOTH_AREA_VEGA ? NULL : s.uv;
            Cloth made = make_cloth(ctx, &def);
            check_states(&made, &random, HAS_ENERGY, "undamped");
            end_cloth(&made);
        }
        Sample s = make_sample();
        set_damping(&s);
        LyraClothDef def = def_of(&s);
        def.symmetric = false;
        Cloth made = make_cloth(ctx, &def);
        check_states(&made, &random, HAS_VELOCITY, "damped");
        end_cloth(&made);
        test_context_end(ctx);
    }
}

// folded by 170 and nearly 180 degrees, over and back, and through the fold
LYRA_TEST(folded_hinges_match_differences)
{
    static const double folds[] = {170, -170, 179.5, 181.5, 90, 20, -3};
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    TestRandom random = test_random(4);
    for (int k = 0; k < (int)(sizeof folds / sizeof *folds); ++k) {
        double positions[12], flat[12], d[12], energy[2];
        LyraClothGroup group = {100, 10, 0.3, 0.2, 0, 0, 0};
        LyraClothDef def = make_hinge(0, flat);
        // near 180 degrees the angle at rest is beyond, so that the difference passes through pi
        def = k == 2 || k == 3 ? make_hinge(PI, flat) : def;
        def.rest_angles = k == 2 || k == 3;
        def.group_count = 1;
        def.groups = &group;
        Cloth made = make_cloth(ctx, &def);
        make_hinge(folds[k] * PI / 180, positions);
        set_random(12, 1e-4, &random, d);
        Case *c = &made.c;
        double g[12], slope = 0;
        set_random(12, 0.001, &random, d);
        LyraEvaluation evaluation = evaluation_of(c, positions, NULL);
        evaluation.energy = energy;
        evaluation.gradient = g;
        evaluation.dfdx = c->dfdx;
        TEST_OK(lyra_assembly_evaluate(c->assembly, &evaluation));
        double Kd[12];
        for (int i = 0; i < 12; ++i) {
            slope += g[i] * d[i];
        }
        apply_matrix(c, c->dfdx, d, Kd);
        test_check_difference(test_difference(energy_of_x, c, 12, 1, positions, d, &slope, 0.1),
                              1e-7, "folded, force");
        test_check_difference(test_difference(gradient_of_x, c, 12, 12, positions, d, Kd, 0.1),
                              1e-7, "folded, by position");
        end_cloth(&made);
    }
    test_context_end(ctx);
}

LYRA_TEST(the_angle_of_a_hinge_is_that_of_its_fold)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    for (int degrees = -175; degrees < 180; degrees += 25) {
        double positions[12];
        LyraClothDef def = make_hinge(degrees * PI / 180, positions);
        def.rest_angles = true;
        LyraCloth *cloth = NULL;
        TEST_OK(lyra_cloth_create(ctx, &def, &cloth));
        LyraClothView view = lyra_cloth_view(cloth);
        TEST_EQUAL(view.hinge_count, 1);
        TEST_EQUAL(view.boundary_edges, 4);
        TEST_NEAR(fabs(view.rest_angles[0]), abs(degrees) * PI / 180, 1e-14);
        TEST_CHECK(degrees == 0 || (view.rest_angles[0] < 0) == (degrees > 0));
        lyra_cloth_destroy(cloth);
    }
    test_context_end(ctx);
}

// ---- physics ------------------------------------------------------------------------------------

LYRA_TEST(rigid_motion_of_cloth_gives_no_force)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    TestRandom random = test_random(5);
    Sample s = make_sample();
    set_damping(&s);
    LyraClothDef def = def_of(&s);
    def.uv = NULL;
    def.rest_stretch[0] = def.rest_stretch[1] = 1;
    Cloth made = make_cloth(ctx, &def);
    double x[3 * VERTICES], v[3 * VERTICES], g[3 * VERTICES], R[9], force, torque;
    test_random_rotation(&random, R);
    for (int i = 0; i < 3 * VERTICES; ++i) {
        const double *p = s.positions + i / 3 * 3;
        x[i] = 2.5 + R[3 * (i % 3)] * p[0] + R[3 * (i % 3) + 1] * p[1] + R[3 * (i % 3) + 2] * p[2];
    }
    set_rigid_velocity(VERTICES, x, &random, v);
    LyraEvaluation evaluation = evaluation_of(&made.c, x, v);
    evaluation.gradient = g;
    TEST_OK(lyra_assembly_evaluate(made.c.assembly, &evaluation));
    TEST_NEAR(largest_of(3 * VERTICES, g), 0, 1e-10 * test_tolerance_scale());
    // and whatever the state, the forces balance
    set_state(&made.c, STATE_LARGE, &random, x);
    set_random(3 * VERTICES, 1, &random, v);
    TEST_OK(lyra_assembly_evaluate(made.c.assembly, &evaluation));
    find_balance(VERTICES, x, g, &force, &torque);
    TEST_NEAR(force, 0, 1e-13 * test_tolerance_scale());
    TEST_NEAR(torque, 0, 1e-13 * test_tolerance_scale());
    end_cloth(&made);
    test_context_end(ctx);
}

// a strip pulled along u by 10 %: k/2 A e^2, whatever the mesh
LYRA_TEST(stretch_in_our_units_is_that_of_a_plane)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    Sample s = make_sample();
    double area = 0, energy, x[3 * VERTICES];
    LyraClothDef def = def_of(&s);
    def.rest_stretch[0] = def.rest_stretch[1] = 1;
    def.group_count = 1;
    def.groups = s.fabrics;
    def.triangle_groups = NULL;
    def.bend_force = def.bend_stiffness = false;
    for (int v = 0; v < VERTICES; ++v) {
        s.positions[3 * v + 1] = 0;
        x[3 * v] = 1.1 * s.positions[3 * v];
        x[3 * v + 1] = 0;
        x[3 * v + 2] = s.positions[3 * v + 2];
    }
    Cloth made = make_cloth(ctx, &def);
    LyraClothView view = lyra_cloth_view(made.cloth);
    double strains[3 * TRIANGLES];
    lyra_cloth_strains(made.cloth, x, strains);
    for (int t = 0; t < TRIANGLES; ++t) {
        area += view.areas[t];
        TEST_NEAR(strains[3 * t], 0.1, 1e-14);
        TEST_NEAR(strains[3 * t + 1], 0, 1e-14);
        TEST_NEAR(strains[3 * t + 2], 0, 1e-14);
    }
    double stretches[2 * TRIANGLES];
    lyra_cloth_stretches(made.cloth, x, stretches);
    for (int t = 0; t < TRIANGLES; ++t) {
        TEST_NEAR(stretches[2 * t], 1.1, 1e-14);
        TEST_NEAR(stretches[2 * t + 1], 1, 1e-14);
    }
    LyraEvaluation evaluation = evaluation_of(&made.c, x, NULL);
    evaluation.energy = &energy;
    TEST_OK(lyra_assembly_evaluate(made.c.assembly, &evaluation));
    TEST_NEAR(energy, 0.5 * s.fabrics[0].stretch * area * 0.01, 1e-12 * energy);
    end_cloth(&made);
    test_context_end(ctx);
}

// ---- places without a direction -----------------------------------------------------------------

LYRA_TEST(collapsed_cloth_stays_finite_and_positive)
{
    for (LyraIsa isa = LYRA_ISA_SCALAR; isa != LYRA_ISA_AUTO; isa = test_next_isa(isa)) {
        LyraContext *ctx = test_context(1, isa);
        Sample s = make_sample();
        set_damping(&s);
        LyraClothDef def = def_of(&s);
        Cloth made = make_cloth(ctx, &def);
        double x[3 * VERTICES], v[3 * VERTICES], g[3 * VERTICES], energy;
        TestRandom random = test_random(6);
        set_random(3 * VERTICES, 1, &random, v);
        for (int kind = 0; kind < 5; ++kind) {
            for (int i = 0; i < 3 * VERTICES; ++i) {
                // into a point, a line, the plane; one vertex on another; folded flat
                double p = s.positions[i];
                int axis = i % 3;
                x[i] = kind == 0                 ? 0.25
                       : kind == 1               ? (axis == 2 ? p : 0.25)
                       : kind == 2               ? (axis == 1 ? 0 : p)
                       : kind == 3 && i / 3 == 5 ? s.positions[3 * 6 + axis]
                       : kind == 4 && axis == 0  ? fabs(p - 0.2)
                                                 : p;
            }
            for (int psd = 0; psd < 2; ++psd) {
                made.c.psd = psd;
                LyraEvaluation evaluation = evaluation_of(&made.c, x, v);
                evaluation.energy = &energy;
                evaluation.gradient = g;
                evaluation.dfdx = made.c.dfdx;
                evaluation.dfdv = made.c.dfdv;
                TEST_OK(lyra_assembly_evaluate(made.c.assembly, &evaluation));
                TEST_CHECK_MSG(isfinite(energy) && all_finite(3 * VERTICES, g) &&
                                   matrix_finite(made.c.dfdx) && matrix_finite(made.c.dfdv),
                               "state %d is not finite", kind);
            }
            TEST_CHECK_MSG(smallest_eigenvalue(&made.c, made.c.dfdx) > -1e-12,
                           "state %d is not positive", kind);
        }
        // what is not a number is not hidden
        x[7] = NAN;
        LyraEvaluation evaluation = evaluation_of(&made.c, x, v);
        evaluation.energy = &energy;
        TEST_OK(lyra_assembly_evaluate(made.c.assembly, &evaluation));
        TEST_CHECK(isnan(energy));
        end_cloth(&made);
        test_context_end(ctx);
    }
}

// ---- positive tangents --------------------------------------------------------------------------

// counts of states whose exact tangent was positive already
static int check_positive(LyraContext *ctx, const LyraClothDef *def, const char *what)
{
    enum { STATES = 1000 };
    Cloth made = make_cloth(ctx, def);
    Case *c = &made.c;
    TestRandom random = test_random(23);
    int32_t dofs = 3 * c->n, kept = 0;
    double x[12];
    for (int state = 0; state < STATES; ++state) {
        double size = pow(10, test_random_in(&random, -3, 0.5));
        for (int i = 0; i < dofs; ++i) {
            x[i] = (state % 2 ? 1.3 : 0.6) * c->rest[i] + size * test_random_normal(&random);
        }
        LyraEvaluation evaluation = evaluation_of(c, x, NULL);
        evaluation.dfdx = c->dfdx;
        TEST_OK(lyra_assembly_evaluate(c->assembly, &evaluation));
        double *exact = dense_of(c, c->dfdx), low = smallest_eigenvalue(c, c->dfdx);
        evaluation.psd = true;
        TEST_OK(lyra_assembly_evaluate(c->assembly, &evaluation));
        double *projected = dense_of(c, c->dfdx), least = smallest_eigenvalue(c, c->dfdx);
        TEST_CHECK_MSG(least >= -1e-12, "%s, state %d: eigenvalue %g", what, state, least);
        if (low >= -1e-15) {
            ++kept;
            TEST_NEAR(largest_difference((int64_t)dofs * dofs, projected, exact), 0,
                      1e-11 * largest_of((int64_t)dofs * dofs, exact));
        }
        free(exact);
        free(projected);
    }
    end_cloth(&made);
    return kept;
}

LYRA_TEST(psd_cloth_tangents_are_positive_and_exact_where_they_can_be)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    double positions[12];
    LyraClothGroup group = {100, 80, 0.3, 0.2, 0, 0, 0};
    LyraClothDef def = make_hinge(0.3, positions);
    def.group_count = 1;
    def.groups = &group;
    def.stretch_force = def.stretch_stiffness = false;
    int32_t kept = check_positive(ctx, &def, "hinge");
    TEST_CHECK_MSG(kept < 10, "%d of 1000 bent hinges were positive", (int)kept);
    def.stretch_force = def.stretch_stiffness = true;
    def.triangle_count = 1;
    def.vertex_count = 3;
    kept = check_positive(ctx, &def, "triangle");
    TEST_CHECK_MSG(kept > 10 && kept < 990, "%d of 1000 states were positive", (int)kept);
    test_context_end(ctx);
}

// the option `symmetric` keeps the force and takes the symmetric part of the derivative
LYRA_TEST(symmetric_damping_of_cloth_is_the_symmetric_part)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    Sample s = make_sample();
    set_damping(&s);
    LyraClothDef def = def_of(&s);
    Cloth soft = make_cloth(ctx, &def);
    def.symmetric = false;
    Cloth full = make_cloth(ctx, &def);
    enum { DOFS = 3 * VERTICES };
    double x[DOFS], v[DOFS], g[2][3 * DOFS];
    TestRandom random = test_random(8);
    set_state(&full.c, STATE_LARGE, &random, x);
    set_random(DOFS, 3, &random, v);
    evaluate_all(&full.c, x, v, g[0]);
    evaluate_all(&soft.c, x, v, g[1]);
    TEST_NEAR(largest_difference(DOFS, g[0], g[1]), 0, 1e-13 * largest_of(DOFS, g[0]));
    double *K = dense_of(&full.c, full.c.dfdx), *S = dense_of(&soft.c, soft.c.dfdx);
    double *D = dense_of(&full.c, full.c.dfdv), *T = dense_of(&soft.c, soft.c.dfdv);
    double off = 0, skew = 0;
    for (int i = 0; i < DOFS; ++i) {
        for (int j = 0; j < DOFS; ++j) {
            double a = K[i + j * DOFS], b = K[j + i * DOFS];
            off = larger(off, fabs(0.5 * (a + b) - S[i + j * DOFS]));
            off = larger(off, fabs(D[i + j * DOFS] - T[i + j * DOFS]));
            skew = larger(skew, fabs(a - b));
        }
    }
    TEST_NEAR(off, 0, 1e-12 * largest_of(DOFS * DOFS, K));
    TEST_CHECK(skew > 1);
    TEST_CHECK(smallest_eigenvalue(&soft.c, soft.c.dfdv) > -1e-13);
    free(K);
    free(S);
    free(D);
    free(T);
    end_cloth(&soft);
    end_cloth(&full);
    test_context_end(ctx);
}

// ---- switches -----------------------------------------------------------------------------------

LYRA_TEST(terms_of_cloth_are_switched_one_by_one)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    Sample s = make_sample();
    double x[3 * VERTICES], whole[3 * VERTICES], sum[3 * VERTICES] = {0};
    double energies = 0, all = 0, stiffness = 0, stiffnesses = 0;
    for (int part = 0; part < 5; ++part) {
        LyraClothDef def = def_of(&s);
        def.stretch_force = part == 0 || part == 1;
        def.stretch_stiffness = part == 0 || part == 2;
        def.bend_force = part == 0 || part == 3;
        def.bend_stiffness = part == 0 || part == 4;
        Cloth made = make_cloth(ctx, &def);
        double g[3 * VERTICES] = {0}, energy = 0;
        TestRandom random = test_random(9);
        int32_t count = 0;
        lyra_cloth_forces(made.cloth, &count);
        TEST_EQUAL(count, part == 0 ? 2 : 1);
        set_state(&made.c, STATE_LARGE, &random, x);
        LyraEvaluation evaluation = evaluation_of(&made.c, x, NULL);
        evaluation.energy = &energy;
        evaluation.gradient = g;
        evaluation.dfdx = made.c.dfdx;
        TEST_OK(lyra_assembly_evaluate(made.c.assembly, &evaluation));
        double *K = dense_of(&made.c, made.c.dfdx);
        for (int i = 0; i < 9 * VERTICES * VERTICES; ++i) {
            *(part == 0 ? &stiffness : &stiffnesses) += K[i] * (1 + i % 7);
        }
        free(K);
        for (int i = 0; i < 3 * VERTICES; ++i) {
            if (part == 0) {
                whole[i] = g[i];
            } else {
                sum[i] += g[i];
            }
        }
        *(part == 0 ? &all : &energies) += energy;
        end_cloth(&made);
    }
    TEST_NEAR(largest_difference(3 * VERTICES, whole, sum), 0,
              1e-12 * largest_of(3 * VERTICES, sum));
    TEST_NEAR(energies, all, 1e-12 * all);
    TEST_NEAR(stiffnesses, stiffness, 1e-10 * fabs(stiffness) + 1e-6);
    test_context_end(ctx);
}

// ---- fabrics ------------------------------------------------------------------------------------

// an edge between two groups has the mean of both, each along its own direction
LYRA_TEST(edges_average_their_groups)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    double positions[12];
    static const int32_t groups[2] = {0, 1};
    const LyraClothGroup fabrics[2] = {{1, 1, 0.03, 0.5, 0, 0, 0}, {1, 1, 0.7, 0.004, 0, 0, 0}};
    // the edge 0 1 along u in the first triangle, along v in the second
    const double uv[12] = {0, 0, 1, 0, 0.3, 0.8, 0, 1, 0, 0, 0.7, 0.6};
    LyraClothDef def = make_hinge(0, positions);
    def.uv = uv;
    def.triangle_groups = groups;
    def.group_count = 2;
    def.groups = fabrics;
    LyraCloth *cloth = NULL;
    TEST_OK(lyra_cloth_create(ctx, &def, &cloth));
    TEST_NEAR(lyra_cloth_view(cloth).bend_stiffness[0], 0.5 * (0.03 + 0.004), 1e-16);
    lyra_cloth_destroy(cloth);
    test_context_end(ctx);
}

// three triangles at an edge bend pairwise; a triangle without area bends with none
LYRA_TEST(edges_of_three_triangles_and_without_area)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    const double positions[15] = {0, 0, 0, 1, 0, 0, 0.3, 0.8, 0, 0.6, -0.7, 0, 0.5, 0, 0.9};
    static const int32_t triangles[9] = {0, 1, 2, 1, 0, 3, 0, 1, 4};
    LyraClothDef def = lyra_cloth_def_default();
    def.vertex_count = 5;
    def.triangle_count = 3;
    def.positions = positions;
    def.triangles = triangles;
    LyraCloth *cloth = NULL;
    TEST_OK(lyra_cloth_create(ctx, &def, &cloth));
    LyraClothView view = lyra_cloth_view(cloth);
    TEST_EQUAL(view.hinge_count, 3);
    TEST_EQUAL(view.non_manifold_edges, 1);
    TEST_EQUAL(view.boundary_edges, 6);
    lyra_cloth_destroy(cloth);
    // the third triangle lies on the edge at rest, but not in the fabric
    const double flat[15] = {0, 0, 0, 1, 0, 0, 0.3, 0.8, 0, 0.6, -0.7, 0, 0.5, 0, 0};
    const double uv[18] = {0, 0, 1, 0, 0, 1, 0, 0, 1, 0, 0, 1, 0, 0, 1, 0, 0, 1};
    def.positions = flat;
    def.uv = uv;
    TEST_OK(lyra_cloth_create(ctx, &def, &cloth));
    view = lyra_cloth_view(cloth);
    TEST_EQUAL(view.hinge_count, 1);
    TEST_EQUAL(view.hinges_left_out, 2);
    lyra_cloth_destroy(cloth);
    test_context_end(ctx);
}

LYRA_TEST(wrong_cloth_is_one_sentence)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    LyraCloth *cloth = NULL;
    double positions[12], flat[12] = {0, 0, 0, 1, 0, 0, 2, 0, 0, 0, 1, 0};
    const int32_t twice[6] = {0, 1, 1, 1, 0, 3}, far[6] = {0, 1, 4, 1, 0, 3}, group[2] = {0, 1};
    double uv[12] = {0, 0, 1, 0, 2, 0, 0, 0, 1, 0, 0, 1};
    LyraClothGroup fabric = lyra_cloth_group_default();
    for (int kind = 0; kind < 9; ++kind) {
        LyraClothDef def = make_hinge(0, positions);
        LyraClothGroup other = fabric;
        def.groups = &other;
        def.group_count = 1;
        static const char *const words[] = {"triangle 0 has no area at rest",
                                            "triangle 0 has no area in uv",
                                            "triangle 0 has the vertices 0, 1, 1",
                                            "triangle 0 has the vertices 0, 1, 4",
                                            "triangle 1 is of group 1",
                                            "group 0 has shear -1",
                                            "group 0 has bend_u nan",
                                            "bend damping with frozen bending",
                                            "rest stretch 0"};
        static const LyraStatus statuses[] = {
            LYRA_BAD_MESH,   LYRA_BAD_MESH,         LYRA_BAD_MESH,
            LYRA_BAD_MESH,   LYRA_INVALID_ARGUMENT, LYRA_INVALID_ARGUMENT,
            LYRA_NOT_FINITE, LYRA_INVALID_ARGUMENT, LYRA_INVALID_ARGUMENT};
        def.positions = kind == 0 ? flat : positions;
        def.uv = kind == 1 ? uv : NULL;
        def.triangles = kind == 2 ? twice : kind == 3 ? far : def.triangles;
        def.triangle_groups = kind == 4 ? group : NULL;
        other.shear = kind == 5 ? -1 : 1;
        other.bend_u = kind == 6 ? NAN : 1;
        other.bend_damping = kind == 7;
        def.frozen_bend = kind == 7;
        def.rest_stretch[1] = kind == 8 ? 0 : 1;
        TEST_EQUAL(lyra_cloth_create(ctx, &def, &cloth), statuses[kind]);
        TEST_CONTAINS(lyra_error_message(), words[kind]);
    }
    test_context_end(ctx);
}

static LyraStatus make_once(LyraContext *ctx, void *data)
{
    LyraClothDef def = def_of(data);
    LyraCloth *cloth = NULL;
    LyraStatus status = lyra_cloth_create(ctx, &def, &cloth);
    lyra_cloth_destroy(cloth);
    return status;
}

LYRA_TEST(failing_allocations_of_cloth_leak_nothing)
{
    Sample s = make_sample();
    set_damping(&s);
    test_fail_each_allocation(make_once, &s);
}

// ---- lanes and threads --------------------------------------------------------------------------

LYRA_TEST(instruction_sets_and_threads_agree_on_cloth)
{
    enum { DOFS = 3 * VERTICES };
    Sample s = make_sample();
    set_damping(&s);
    double reference[3 * DOFS], same[3 * DOFS];
    for (int frozen = 0; frozen < 2; ++frozen) {
        for (LyraIsa isa = LYRA_ISA_SCALAR; isa != LYRA_ISA_AUTO; isa = test_next_isa(isa)) {
            for (int threads = 1; threads < 8; threads += threads == 3 ? 4 : 1) {
                LyraContext *ctx = test_context(threads, isa);
                LyraClothDef def = def_of(&s);
                s.fabrics[0].bend_damping = s.fabrics[1].bend_damping = frozen ? 0 : 0.001;
                def.frozen_bend = frozen;
                Cloth made = make_cloth(ctx, &def);
                double x[DOFS], v[DOFS], out[3 * DOFS];
                TestRandom random = test_random(3);
                set_state(&made.c, STATE_LARGE, &random, x);
                set_random(DOFS, 1, &random, v);
                evaluate_all(&made.c, x, v, out);
                if (threads > 1) {
                    TEST_CHECK(memcmp(out, same, sizeof out) == 0);
                } else {
                    memcpy(same, out, sizeof out);
                }
                if (isa == LYRA_ISA_SCALAR) {
                    memcpy(reference, out, sizeof out);
                }
                for (int k = 0; k < 3; ++k) {
                    TEST_NEAR(largest_difference(DOFS, out + k * DOFS, reference + k * DOFS), 0,
                              1e-11 * largest_of(DOFS, reference + k * DOFS));
                }
                end_cloth(&made);
                test_context_end(ctx);
            }
        }
    }
}

// ---- limits of strain ---------------------------------------------------------------------------

static Cloth make_limit(LyraContext *ctx, const Sample *s, double low, double high)
{
    LyraClothDef def = def_of(s);
    LyraStrainLimitDef limit = lyra_strain_limit_def_default();
    LyraForce *force = NULL;
    Cloth made = {0};
    limit.low = low;
    limit.high = high;
    limit.stiffness = 700;
    TEST_OK(lyra_cloth_create(ctx, &def, &made.cloth));
    TEST_OK(lyra_strain_limit_create(made.cloth, &limit, &force));
    made.c = make_case(ctx, VERTICES, s->positions, force);
    return made;
}

// stretches above, between and below the bounds, both or one of a triangle
LYRA_TEST(strain_limit_derivatives_match_differences)
{
    static const double bounds[4][2] = {{0, 0.5}, {0.9, 1.1}, {2.5, 4}, {0.999, 1.001}};
    for (LyraIsa isa = LYRA_ISA_SCALAR; isa != LYRA_ISA_AUTO; isa = test_next_isa(isa)) {
        LyraContext *ctx = test_context(1, isa);
        TestRandom random = test_random(11);
        Sample s = make_sample();
        for (int k = 0; k < 4; ++k) {
            char text[40];
            Cloth made = make_limit(ctx, &s, bounds[k][0], bounds[k][1]);
            snprintf(text, sizeof text, "bounds %g to %g", bounds[k][0], bounds[k][1]);
            check_states(&made, &random, HAS_ENERGY, text);
            end_cloth(&made);
        }
        test_context_end(ctx);
    }
}

// a patch of area A stretched by (1.3, 0.8): A k/3 (0.2^3 + 0.1^3), forces by W'
LYRA_TEST(strain_limits_have_the_energy_of_a_plane_and_rest_inside)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    const double rest[9] = {0, 0, 0, 2, 0, 0, 0, 0, 3};
    static const int32_t triangle[3] = {0, 1, 2};
    const double stretches[3][2] = {{1.3, 0.8}, {1.1, 0.9}, {1, 1}};
    for (int k = 0; k < 3; ++k) {
        LyraClothDef def = lyra_cloth_def_default();
        LyraStrainLimitDef limit = lyra_strain_limit_def_default();
        LyraForce *force = NULL;
        Cloth made = {0};
        def.vertex_count = 3;
        def.triangle_count = 1;
        def.positions = rest;
        def.triangles = triangle;
        limit.low = 0.9;
        limit.stiffness = 50;
        TEST_OK(lyra_cloth_create(ctx, &def, &made.cloth));
        TEST_OK(lyra_strain_limit_create(made.cloth, &limit, &force));
        made.c = make_case(ctx, 3, rest, force);
        double x[9], g[9], energy = -1, found[2];
        for (int i = 0; i < 9; ++i) {
            x[i] = rest[i] * (i % 3 == 0 ? stretches[k][0] : stretches[k][1]);
        }
        LyraEvaluation at = evaluation_of(&made.c, x, NULL);
        at.energy = &energy;
        at.gradient = g;
        TEST_OK(lyra_assembly_evaluate(made.c.assembly, &at));
        lyra_cloth_stretches(made.cloth, x, found);
        TEST_NEAR(found[0], stretches[k][0], 1e-15);
        TEST_NEAR(found[1], stretches[k][1], 1e-15);
        double over = k == 0 ? 0.2 : 0, under = k == 0 ? 0.1 : 0;
        TEST_NEAR(energy, 3 * 50 / 3.0 * (over * over * over + under * under * under), 1e-13);
        TEST_NEAR(g[3], 3 * 50 * over * over / 2, 1e-13);
        TEST_NEAR(g[8], -3 * 50 * under * under / 3, 1e-13);
        end_cloth(&made);
    }
    test_context_end(ctx);
}

// collapsed triangles: finite, and positive where asked
LYRA_TEST(collapsed_strain_limits_stay_finite_and_positive)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    TestRandom random = test_random(17);
    Sample s = make_sample();
    Cloth made = make_limit(ctx, &s, 0.8, 1.2);
    double x[3 * VERTICES], g[3 * VERTICES], energy;
    for (int kind = 0; kind < 40; ++kind) {
        for (int i = 0; i < 3 * VERTICES; ++i) {
            double value = kind < 4 ? 0 : 3 * test_random_normal(&random);
            // to a point, a line, a plane, or anywhere
            x[i] = i % 3 < kind % 4 ? s.positions[i] + value : 0.3;
        }
        LyraEvaluation at = evaluation_of(&made.c, x, NULL);
        at.energy = &energy;
        at.gradient = g;
        at.psd = true;
        at.dfdx = made.c.dfdx;
        TEST_OK(lyra_assembly_evaluate(made.c.assembly, &at));
        TEST_CHECK(isfinite(energy));
        for (int i = 0; i < 3 * VERTICES; ++i) {
            TEST_CHECK(isfinite(g[i]));
        }
        double d[3 * VERTICES], Kd[3 * VERTICES], work = 0, size = 0;
        set_random(3 * VERTICES, 1, &random, d);
        lyra_block_matrix_multiply(made.c.dfdx, d, Kd);
        for (int i = 0; i < 3 * VERTICES; ++i) {
            work += d[i] * Kd[i];
            size += fabs(d[i] * Kd[i]);
        }
        TEST_CHECK(isfinite(work) && work >= -1e-12 * size);
    }
    end_cloth(&made);
    test_context_end(ctx);
}

// Stretches end within their bounds; neither momentum changes; what is held stays.
LYRA_TEST(projection_meets_its_bounds_and_keeps_momentum)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    for (int held = 0; held < 2; ++held) {
        TestRandom random = test_random(23);
        Sample s = make_sample();
        LyraClothDef def = def_of(&s);
        LyraCloth *cloth = NULL;
        double x[3 * VERTICES], begin[3 * VERTICES], mobility[9 * VERTICES] = {0};
        double masses[VERTICES], stretches[2 * TRIANGLES];
        TEST_OK(lyra_cloth_create(ctx, &def, &cloth));
        for (int v = 0; v < VERTICES; ++v) {
            masses[v] = 0.1 + 0.05 * (v % 7);
            for (int i = 0; i < 3; ++i) {
                begin[3 * v + i] = s.positions[3 * v + i] * (i == 0   ? 1.4
                                                             : i == 1 ? 1
                                                                      : 0.7) +
                                   0.01 * test_random_normal(&random);
                mobility[9 * v + 4 * i] = held && v == 0 ? 0 : 1 / masses[v];
            }
        }
        // one vertex slides along x and y
        mobility[9 * 3 + 8] = held ? 0 : mobility[9 * 3 + 8];
        memcpy(x, begin, sizeof x);
        const LyraStrainProjection projection = {
            .low = 0.9, .high = 1.1, .passes = 1000, .tolerance = 1e-6, .mobility = mobility};
        LyraStrainProjected done = lyra_cloth_limit_strain(cloth, &projection, x);
        TEST_CHECK(done.beyond <= 1e-6 && done.passes > 1 && done.passes < 1000);
        lyra_cloth_stretches(cloth, x, stretches);
        for (int k = 0; k < 2 * TRIANGLES; ++k) {
            TEST_CHECK(stretches[k] > 0.9 - 2e-6 && stretches[k] < 1.1 + 2e-6);
        }
        double sum[3] = {0}, moved = 0;
        for (int v = 0; v < VERTICES; ++v) {
            const double *to = x + 3 * v, *from = begin + 3 * v;
            for (int i = 0; i < 3; ++i) {
                sum[i] += masses[v] * (to[i] - from[i]);
                moved = fmax(moved, fabs(to[i] - from[i]));
            }
        }
        TEST_CHECK(moved > 0.05);
        for (int i = 0; i < 3 && !held; ++i) {
            TEST_NEAR(sum[i], 0, 1e-14);
        }
        if (held) {
            TEST_CHECK(memcmp(x, begin, 3 * sizeof *x) == 0 && x[11] == begin[11] &&
                       x[10] != begin[10]);
        }
        lyra_cloth_destroy(cloth);
    }
    test_context_end(ctx);
}

// the moment of a small move is zero but for its square, whatever the masses
LYRA_TEST(projection_turns_no_triangle)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    const double rest[9] = {0, 0, 0, 2, 0.3, 0, 0.4, 1, 0}, masses[3] = {1, 3, 0.5};
    static const int32_t triangle[3] = {0, 1, 2};
    LyraClothDef def = lyra_cloth_def_default();
    LyraCloth *cloth = NULL;
    double mobility[27] = {0}, x[9], begin[9], moment[3] = {0}, moved = 0;
    def.vertex_count = 3;
    def.triangle_count = 1;
    def.positions = rest;
    def.triangles = triangle;
    TEST_OK(lyra_cloth_create(ctx, &def, &cloth));
    for (int i = 0; i < 9; ++i) {
        begin[i] = rest[i] * (i % 3 ? 0.95 : 1.1 + 1e-6) + (i % 3 == 2 ? 0.2 * rest[i - 2] : 0);
        mobility[9 * (i / 3) + 4 * (i % 3)] = 1 / masses[i / 3];
    }
    double stretches[2];
    lyra_cloth_stretches(cloth, begin, stretches);
    const LyraStrainProjection projection = {
        .high = stretches[0] - 1e-6, .passes = 1, .mobility = mobility};
    memcpy(x, begin, sizeof x);
    lyra_cloth_limit_strain(cloth, &projection, x);
    for (int i = 0; i < 9; ++i) {
        int v = 3 * (i / 3), j = (i + 1) % 3, k = (i + 2) % 3;
        moment[i % 3] += masses[i / 3] * (begin[v + j] * (x[v + k] - begin[v + k]) -
                                          begin[v + k] * (x[v + j] - begin[v + j]));
        moved = fmax(moved, fabs(x[i] - begin[i]));
    }
    TEST_CHECK(moved > 1e-7);
    for (int i = 0; i < 3; ++i) {
        TEST_NEAR(moment[i], 0, 1e-13);
    }
    lyra_cloth_destroy(cloth);
    test_context_end(ctx);
}

LYRA_TEST(wrong_strain_limits_are_refused)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    Sample s = make_sample();
    LyraClothDef def = def_of(&s);
    LyraStrainLimitDef limit = lyra_strain_limit_def_default();
    LyraCloth *cloth = NULL;
    LyraForce *force = NULL;
    TEST_OK(lyra_cloth_create(ctx, &def, &cloth));
    limit.low = 1.2;
    TEST_STATUS(lyra_strain_limit_create(cloth, &limit, &force), LYRA_INVALID_ARGUMENT);
    TEST_CONTAINS(lyra_error_message(), "found stretches from 1.2 to 1.1");
    limit.low = NAN;
    TEST_STATUS(lyra_strain_limit_create(cloth, &limit, &force), LYRA_INVALID_ARGUMENT);
    limit.low = 0;
    limit.stiffness = -1;
    TEST_STATUS(lyra_strain_limit_create(cloth, &limit, &force), LYRA_INVALID_ARGUMENT);
    lyra_cloth_destroy(cloth);
    test_context_end(ctx);
}
