// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// The positive semi-definite mode of every force at 1000 random states of one stencil: no
// eigenvalue below -1e-12 of the norm, and the exact tangent where that has none.

#include "force_bodies.h"
#include "lyra/corotational.h"
#include "lyra/fibre.h"
#include "lyra/springs.h"

#define STATES 1000

// eigenvalues from here on are those of a positive matrix, up to rounding
#define ZERO -4e-15

// x = F X + noise, every other one stretched, so that some need no projection
static void set_random_state(const Body *body, int state, TestRandom *random, double *x)
{
    static const double noises[] = {0, 0.02, 0.1, 0.4};
    // middle nodes stand half as far apart, and move each other's corners
    double F[9] = {0}, noise = noises[state / 2 % 4] * (body->n == 10 ? 0.2 : 1);
    test_random_matrix3(random, (TestMatrixKind)(state % TEST_MATRIX_GRADED), 1, F);
    for (int i = 0; state % 2 && i < 9; ++i) {
        F[i] = (i % 4 ? 0.1 : 1.3) + 0.2 * test_random_in(random, -1, 1);
    }
    for (int32_t i = 0; i < 3 * body->n; ++i) {
        const double *p = body->rest + i / 3 * 3, *row = F + 3 * (i % 3);
        x[i] = row[0] * p[0] + row[1] * p[1] + row[2] * p[2] + noise * test_random_normal(random);
    }
}

// how many states were positive and how many were not
typedef struct Tally {
    int positive, negative;
} Tally;

// ends the body
static Tally check_body(Body body, const char *what)
{
    TestRandom random = test_random(23);
    Tally tally = {0, 0};
    int32_t dofs = 3 * body.n;
    int32_t count = 0;
    const LyraForce *force = body.force ? body.force : lyra_solid_forces(body.solid, &count)[0];
    bool definite = lyra_force_type(force)->traits & LYRA_FORCE_DEFINITE;
    for (int state = 0; state < STATES; ++state) {
        double x[30] = {0}, exact[30 * 30] = {0}, projected[30 * 30] = {0};
        set_random_state(&body, state, &random, x);
        body.psd = false;
        evaluate(&body, x, NULL, NULL, true);
        double low = smallest_eigenvalue(&body, exact);
        body.psd = true;
        evaluate(&body, x, NULL, NULL, true);
        double projected_low = smallest_eigenvalue(&body, projected);
        TEST_CHECK_MSG(projected_low >= -1e-12, "%s, state %d: eigenvalue %g", what, state,
                       projected_low);
        if (definite) {
            TEST_CHECK_MSG(memcmp(exact, projected, sizeof exact) == 0,
                           "%s, state %d: other bits of a definite tangent", what, state);
        }
        if (low >= ZERO) {
            double off = apart(dofs * dofs, projected, exact);
            TEST_CHECK_MSG(off <= 1e-11 * test_tolerance_scale(),
                           "%s, state %d: a positive tangent (%g) changed by %g", what, state, low,
                           off);
            ++tally.positive;
        } else {
            ++tally.negative;
        }
    }
    end_body(&body);
    return tally;
}

// both happen, so that both are tested
static void check_both(Body body, const char *what)
{
    Tally tally = check_body(body, what);
    TEST_CHECK_MSG(tally.positive > 10 && tally.negative > 10, "%s: %d positive, %d not", what,
                   tally.positive, tally.negative);
}

static LyraMesh *make_element(LyraContext *ctx, int kind)
{
    LyraMeshMaterial material = enu_material(1, 0.3);
    return make_single(ctx, (LyraElementKind)kind, &material);
}

// ---- solids -------------------------------------------------------------------------------------

static void check_elastic(LyraContext *ctx, int kind, LyraElasticDef def)
{
    LyraMesh *mesh = make_element(ctx, kind);
    LyraForce *force = NULL;
    TEST_OK(lyra_elastic_create(ctx, mesh, &def, &force));
    char text[100];
    snprintf(text, sizeof text, "%s, %s, %s", lyra_material_law_name(def.model),
             lyra_inversion_name(def.inversion), lyra_element_kind_name((LyraElementKind)kind));
    check_both(make_body(ctx, mesh, force), text);
}

LYRA_TEST(psd_isotropic_tangents)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    for (int model = 0; model < LYRA_MATERIAL_LAW_COUNT; ++model) {
        for (int kind = 0; kind < LYRA_ELEMENT_KIND_COUNT; ++kind) {
            LyraElasticDef def = lyra_elastic_def_default();
            def.model = (LyraMaterialLaw)model;
            check_elastic(ctx, kind, def);
            def.inversion = LYRA_INVERSION_CLAMP;
            def.compression_resistance = 5;
            check_elastic(ctx, kind, def);
        }
    }
    test_context_end(ctx);
}

// the scalar twins decide as the others do
LYRA_TEST(psd_tangents_of_instruction_sets_agree)
{
    enum { ROUNDS = 40 };
    static double reference[ROUNDS][24 * 24];
    for (LyraIsa isa = LYRA_ISA_SCALAR; isa != LYRA_ISA_AUTO; isa = test_next_isa(isa)) {
        LyraContext *ctx = test_context(1, isa);
        LyraMesh *mesh = make_element(ctx, LYRA_ELEMENT_CUBE8);
        LyraSolidDef def = lyra_solid_def_default();
        def.model = "stvk";
        Body body = make_solid_body(ctx, mesh, &def);
        TestRandom random = test_random(29);
        body.psd = true;
        for (int round = 0; round < ROUNDS; ++round) {
            double x[24] = {0}, K[24 * 24] = {0};
            // none of the singular ones, whose frames are not unique
            set_random_state(&body, 2 * round + 1, &random, x);
            evaluate(&body, x, NULL, NULL, true);
            dense_tangent(&body, K);
            if (isa == LYRA_ISA_SCALAR) {
                memcpy(reference[round], K, sizeof K);
            }
            TEST_NEAR(apart(24 * 24, K, reference[round]), 0, 1e-11);
        }
        end_body(&body);
        test_context_end(ctx);
    }
}

// ---- small strain -------------------------------------------------------------------------------

LYRA_TEST(psd_corotational_tangents)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    for (int n = 0; n < 2 * 2 * 2 * 2; ++n) {
        int kind = n % 2;
        LyraMeshMaterial material = n / 2 % 2 ? orthotropic_material() : enu_material(1, 0.3);
        LyraMesh *mesh = make_single(ctx, (LyraElementKind)kind, &material);
        LyraCorotationalDef def = lyra_corotational_def_default();
        def.model = LYRA_COROTATIONAL_EXACT;
        def.cube_frame = n / 4 % 2 ? LYRA_CUBE_FRAME_VEGA : LYRA_CUBE_FRAME_CENTRE;
        // zero history: the frame of the state
        def.frame_steps = n / 8 ? 3 : 1;
        LyraForce *force = NULL;
        TEST_OK(lyra_corotational_create(ctx, mesh, &def, &force));
        char text[100];
        snprintf(text, sizeof text, "corotational-exact, %s, material %d, frame %d, %d steps",
                 lyra_element_kind_name((LyraElementKind)kind), (int)material.kind,
                 (int)def.cube_frame, def.frame_steps);
        check_both(make_body(ctx, mesh, force), text);
    }
    test_context_end(ctx);
}

// what is positive as it is stays
LYRA_TEST(psd_linear_and_corotational_tangents)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    for (int n = 0; n < 2 * LYRA_ELEMENT_KIND_COUNT; ++n) {
        LyraSolidDef def = lyra_solid_def_default();
        def.model = n % 2 ? "corotational" : "linear";
        Tally tally = check_body(make_solid_body(ctx, make_element(ctx, n / 2), &def), def.model);
        TEST_EQUAL(tally.negative, 0);
    }
    test_context_end(ctx);
}

// ---- fibres and springs -------------------------------------------------------------------------

LYRA_TEST(psd_fibre_tangents)
{
    static const double direction[3] = {1, 0.5, -0.3};
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    for (int n = 0; n < 2 * 2 * 2; ++n) {
        LyraMesh *mesh = make_element(ctx, n % 2);
        LyraFibreDef def = lyra_fibre_def_default();
        def.directions = direction;
        def.stiffness = 1;
        def.exponent = n / 2 % 2;
        def.active_stress = 0.1;
        def.activation = 0.5;
        def.tension_only = n / 4;
        LyraForce *force = NULL;
        TEST_OK(lyra_fibre_create(ctx, mesh, &def, &force));
        Tally tally = check_body(make_body(ctx, mesh, force), "fibre");
        TEST_CHECK(tally.positive > 10);
        TEST_CHECK(def.tension_only ? tally.negative == 0 : tally.negative > 10);
    }
    test_context_end(ctx);
}

LYRA_TEST(psd_spring_tangents)
{
    static const int32_t ends[2] = {0, 1};
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    for (int n = 0; n < 2; ++n) {
        // one spring along an edge of the element
        LyraMesh *mesh = make_element(ctx, LYRA_ELEMENT_TET4);
        LyraSprings *springs = NULL;
        LyraForce *force = NULL;
        LyraSpringsDef list = lyra_springs_def_default();
        list.vertex_count = 4;
        list.spring_count = 1;
        list.vertices = ends;
        list.positions = lyra_mesh_view(mesh).positions;
        TEST_OK(lyra_springs_create(ctx, &list, &springs));
        if (n == 0) {
            LyraMassSpringDef def = lyra_mass_spring_def_default();
            TEST_OK(lyra_mass_spring_create(ctx, springs, &def, &force));
        } else {
            LyraMaxwellSpringDef def = lyra_maxwell_spring_def_default();
            TEST_OK(lyra_maxwell_spring_create(ctx, springs, &def, &force));
        }
        check_both(make_body(ctx, mesh, force), n ? "maxwell-spring" : "mass-spring");
        lyra_springs_destroy(springs);
    }
    test_context_end(ctx);
}
