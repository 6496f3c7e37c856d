// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Fibre forces on tets and cubes.

#include "force_bodies.h"
#include "lyra/elastic.h"
#include "lyra/fibre.h"

// laws to try: k1, k2, active stress, activation, tension only
typedef struct Law {
    const char *name;
    double stiffness, exponent, active, activation;
    bool tension_only;
} Law;

static const Law laws[] = {
    {"quadratic", 1e5, 0, 0, 0, false},
    {"exponential", 1e5, 2, 0, 0, false},
    {"active", 0, 0, 3e4, 0.7, true},
    {"muscle", 1e5, 1.5, 3e4, 0.5, true},
};
#define LAW_COUNT ((int)(sizeof laws / sizeof laws[0]))

// directions that vary from element to element
static LyraForce *make_fibre(LyraContext *ctx, const LyraMesh *mesh, const Law *law)
{
    int32_t count = lyra_mesh_view(mesh).element_count;
    double *directions = malloc((size_t)count * 3 * sizeof *directions);
    TestRandom random = test_random(17);
    for (int32_t i = 0; i < 3 * count; ++i) {
        directions[i] = test_random_normal(&random);
    }
    LyraFibreDef def = lyra_fibre_def_default();
    def.directions = directions;
    def.stiffness = law->stiffness;
    def.exponent = law->exponent;
    def.active_stress = law->active;
    def.activation = law->activation;
    def.tension_only = law->tension_only;
    LyraForce *force = NULL;
    TEST_OK(lyra_fibre_create(ctx, mesh, &def, &force));
    free(directions);
    return force;
}

static Body make_kind(LyraContext *ctx, LyraElementKind kind, const Law *law, int32_t n)
{
    LyraMeshMaterial material = enu_material(1e5, 0.3);
    LyraMesh *mesh = make_box(ctx, kind, n + 1, n, n, 1, &material);
    return make_body(ctx, mesh, make_fibre(ctx, mesh, law));
}

// ---- derivatives --------------------------------------------------------------------------------

LYRA_TEST(fibre_derivatives_match_differences)
{
    for (LyraIsa isa = LYRA_ISA_SCALAR; isa != LYRA_ISA_AUTO; isa = test_next_isa(isa)) {
        LyraContext *ctx = test_context(1, isa);
        for (int k = 0; k < LYRA_ELEMENT_KIND_COUNT * LAW_COUNT; ++k) {
            const Law *law = &laws[k / LYRA_ELEMENT_KIND_COUNT];
            LyraElementKind element = (LyraElementKind)(k % LYRA_ELEMENT_KIND_COUNT);
            Body body = make_kind(ctx, element, law, 2);
            TestRandom random = test_random(3);
            double *x = malloc((size_t)body.n * 3 * sizeof *x);
            for (int state = 0; state < STATE_COUNT; ++state) {
                // at I4 = 1 the law that bears tension only has a kink in its tangent
                bool near_kink = state != STATE_COLLAPSED;
                if (law->tension_only && law->stiffness > 0 && near_kink) {
                    continue;
                }
                char what[100];
                snprintf(what, sizeof what, "%s %s, %s, %s", law->name,
                         lyra_element_kind_name(element), lyra_isa_name(isa),
                         state_name((StateKind)state));
                set_state(&body, (StateKind)state, &random, x);
                check_derivatives(&body, x, 0.1, &random, true, what);
            }
            if (law->tension_only) {
                // all fibres taut: stretched by 1.6 with little noise
                for (int32_t i = 0; i < 3 * body.n; ++i) {
                    x[i] = 1.6 * body.rest[i] + 0.005 * CELL * test_random_in(&random, -1, 1);
                }
                check_derivatives(&body, x, 0.1, &random, true, "taut fibres");
            }
            free(x);
            end_body(&body);
        }
        test_context_end(ctx);
    }
}

// one fibre along x, stretched by s: energy and force by hand
LYRA_TEST(fibre_stress_of_a_single_element)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    LyraMeshMaterial material = enu_material(1, 0.3);
    const double direction[3] = {3, 0, 0}, stretches[3] = {1.3, 0.8, 1.02};
    for (int n = 0; n < 12; ++n) {
        LyraElementKind kind = n % 2 ? LYRA_ELEMENT_CUBE8 : LYRA_ELEMENT_TET4;
        bool tension_only = n / 2 % 2;
        double s = stretches[n / 4], d = s * s - 1, k1 = 2, k2 = n / 2 % 3 ? 3.5 : 0;
        LyraFibreDef def = lyra_fibre_def_default();
        def.directions = direction;
        def.stiffness = k1;
        def.exponent = k2;
        def.active_stress = 5;
        def.activation = 0.25;
        def.tension_only = tension_only;
        LyraMesh *mesh = make_single(ctx, kind, &material);
        LyraForce *force = NULL;
        TEST_REQUIRE_OK(lyra_fibre_create(ctx, mesh, &def, &force));
        Body body = make_body(ctx, mesh, force);
        double x[24], g[24], energy, q = k2 * d * d;
        for (int32_t i = 0; i < 3 * body.n; ++i) {
            x[i] = body.rest[i] * (i % 3 ? 0.9 : s);
        }
        evaluate(&body, x, &energy, g, false);
        bool slack = tension_only && d < 0;
        double passive = slack ? 0 : k2 > 0 ? k1 / (2 * k2) * expm1(q) : k1 / 2 * d * d;
        double volume = kind == LYRA_ELEMENT_TET4 ? 1. / 6 : 1;
        TEST_NEAR(energy, volume * (passive + 1.25 / 2 * d), 1e-14);
        // P = 2 W' s along x; nodes of the far face share P A, those of a tet have V P b
        double P = (2 * (slack ? 0 : k1 * d * exp(q)) + 1.25) * s;
        TEST_NEAR(g[3], P * (kind == LYRA_ELEMENT_TET4 ? 1. / 6 : 0.25), 1e-13);
        TEST_NEAR(g[4], 0, 1e-15);
        double net, torque;
        net_force(body.n, g, x, &net, &torque);
        TEST_NEAR(net, 0, 1e-15);
        TEST_NEAR(torque, 0, 1e-15);
        end_body(&body);
    }
    test_context_end(ctx);
}

LYRA_TEST(fibre_is_frame_invariant_and_balanced)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    for (int k = 0; k < 2; ++k) {
        Body body = make_kind(ctx, k ? LYRA_ELEMENT_CUBE8 : LYRA_ELEMENT_TET4, &laws[3], 2);
        TestRandom random = test_random(8);
        int32_t dofs = 3 * body.n;
        double Q[9], energy[2], force, torque, *x = calloc((size_t)dofs * 5, sizeof *x);
        double *y = x + dofs, *g = y + dofs, *turned = g + dofs, *expected = turned + dofs;
        test_random_rotation(&random, Q);
        set_state(&body, STATE_LARGE, &random, x);
        evaluate(&body, x, &energy[0], g, false);
        net_force(body.n, g, x, &force, &torque);
        TEST_NEAR(force, 0, 1e-13);
        TEST_NEAR(torque, 0, 1e-13);
        for (int32_t i = 0; i < dofs; ++i) {
            y[i] = 0.3;
            for (int c = 0; c < 3; ++c) {
                y[i] += Q[3 * (i % 3) + c] * x[i - i % 3 + c];
                expected[i] += Q[3 * (i % 3) + c] * g[i - i % 3 + c];
            }
        }
        evaluate(&body, y, &energy[1], turned, false);
        TEST_NEAR(energy[1], energy[0], 1e-12 * energy[0]);
        TEST_NEAR(apart(dofs, turned, expected), 0, 1e-12);
        free(x);
        end_body(&body);
    }
    test_context_end(ctx);
}

// ---- while running, twins, threads, memory, bad input -------------------------------------------

LYRA_TEST(fibre_activation_changes_while_running)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    // beside a solid in one assembly
    LyraMeshMaterial material = enu_material(1e5, 0.3);
    LyraMesh *mesh = make_box(ctx, LYRA_ELEMENT_TET4, 2, 2, 2, 1, &material);
    LyraMeshView view = lyra_mesh_view(mesh);
    LyraForce *forces[2] = {NULL, make_fibre(ctx, mesh, &laws[2])};
    LyraElasticDef def = lyra_elastic_def_default();
    TEST_OK(lyra_elastic_create(ctx, mesh, &def, &forces[0]));
    LyraAssembly *assembly = NULL;
    TEST_REQUIRE_OK(
        lyra_assembly_create(ctx, view.vertex_count, view.positions, 2, forces, &assembly));
    int32_t dofs = 3 * view.vertex_count;
    double *g = malloc((size_t)dofs * 3 * sizeof *g), norm[3] = {0};
    double *activation = malloc((size_t)view.element_count * sizeof *activation);
    const double values[3] = {0, 0.5, 1};
    for (int n = 0; n < 3; ++n) {
        for (int32_t e = 0; e < view.element_count; ++e) {
            activation[e] = values[n];
        }
        TEST_OK(lyra_assembly_set_parameter(assembly, 1, LYRA_FIBRE_ACTIVATION, activation));
        LyraEvaluation evaluation = {.x = view.positions, .gradient = g};
        TEST_OK(lyra_assembly_evaluate(assembly, &evaluation));
        for (int32_t i = 0; i < dofs; ++i) {
            norm[n] += g[i] * g[i];
        }
    }
    // rest of the solid, then proportional to the activation
    TEST_NEAR(norm[0] / norm[2], 0, 1e-20);
    TEST_NEAR(norm[1] / norm[2], 0.25, 1e-12);
    activation[3] = 1.5;
    TEST_STATUS(lyra_assembly_set_parameter(assembly, 1, LYRA_FIBRE_ACTIVATION, activation),
                LYRA_INVALID_ARGUMENT);
    TEST_CONTAINS(lyra_error_message(),
                  "force fibre: activation of element 3 is 1.5, expected 0 to 1");
    free(activation);
    free(g);
    lyra_assembly_destroy(assembly);
    lyra_force_destroy(forces[0]);
    lyra_force_destroy(forces[1]);
    lyra_mesh_destroy(mesh);
    test_context_end(ctx);
}

static Body make_of_kind(LyraContext *ctx, const void *data)
{
    return make_kind(ctx, *(const LyraElementKind *)data, &laws[1], 3);
}

LYRA_TEST(fibre_instruction_sets_agree)
{
    static const LyraElementKind kinds[] = {LYRA_ELEMENT_TET4, LYRA_ELEMENT_CUBE8,
                                            LYRA_ELEMENT_TET10, LYRA_ELEMENT_HEX8};
    for (int k = 0; k < 4; ++k) {
        check_instruction_sets(make_of_kind, &kinds[k], 1e-12);
    }
}

#define BIG 14

static void evaluate_big(LyraContext *ctx, void *data, void *out)
{
    Body body = make_kind(ctx, *(LyraElementKind *)data, &laws[3], BIG);
    TestRandom random = test_random(3);
    int32_t dofs = 3 * body.n;
    double *x = malloc((size_t)dofs * sizeof *x), *result = out;
    set_state(&body, STATE_LARGE, &random, x);
    evaluate(&body, x, result, result + 1, true);
    apply_tangent(&body, body.rest, result + 1 + dofs);
    int64_t before = test_allocation_count();
    evaluate(&body, x, result, result + 1, true);
    TEST_EQUAL(test_allocation_count(), before);
    free(x);
    end_body(&body);
}

LYRA_TEST(fibre_bits_do_not_depend_on_threads)
{
    size_t vertices = (BIG + 2) * (BIG + 1) * (BIG + 1);
    for (int kind = 0; kind < LYRA_ELEMENT_TET10; ++kind) {
        LyraElementKind element = (LyraElementKind)kind;
        test_same_bits(evaluate_big, &element, (1 + 6 * vertices) * sizeof(double));
    }
}

static LyraStatus build_all(LyraContext *ctx, void *data)
{
    const LyraMeshView *view = data;
    LyraMesh *mesh = NULL;
    LyraForce *force = NULL;
    LyraFibreDef def = lyra_fibre_def_default();
    def.directions = view->positions;
    LyraStatus status = lyra_mesh_create(ctx, view, &mesh);
    status = status == LYRA_OK ? lyra_fibre_create(ctx, mesh, &def, &force) : status;
    lyra_force_destroy(force);
    lyra_mesh_destroy(mesh);
    return status;
}

LYRA_TEST(fibre_allocation_failures_leak_nothing)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    LyraMeshMaterial material = enu_material(1, 0.3);
    LyraMesh *mesh = make_box(ctx, LYRA_ELEMENT_CUBE8, 2, 1, 1, 1, &material);
    LyraMeshView view = lyra_mesh_view(mesh);
    test_fail_each_allocation(build_all, &view);
    lyra_mesh_destroy(mesh);
    test_context_end(ctx);
}

LYRA_TEST(fibre_bad_input_is_refused)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    LyraMeshMaterial material = enu_material(1, 0.3);
    LyraMesh *mesh = make_box(ctx, LYRA_ELEMENT_TET4, 1, 1, 1, 1, &material);
    double directions[18] = {1, 0, 0, 0, 1, 0, 0, 0, 0, 1, 1, 1, 1, 0, 0, 1, 0, 0};
    LyraFibreDef def = lyra_fibre_def_default();
    LyraForce *force = NULL;
    TEST_STATUS(lyra_fibre_create(ctx, mesh, &def, &force), LYRA_INVALID_ARGUMENT);
    TEST_CONTAINS(lyra_error_message(), "no directions");
    def.directions = directions;
    TEST_STATUS(lyra_fibre_create(ctx, mesh, &def, &force), LYRA_INVALID_ARGUMENT);
    TEST_CONTAINS(lyra_error_message(), "element 2 has the direction (0, 0, 0)");
    // a number that is none is found beside others that are
    for (int k = 0; k < 3; ++k) {
        directions[6] = directions[7] = directions[8] = 1;
        directions[6 + k] = k == 1 ? NAN : INFINITY;
        TEST_STATUS(lyra_fibre_create(ctx, mesh, &def, &force), LYRA_INVALID_ARGUMENT);
        TEST_CONTAINS(lyra_error_message(), "element 2 has the direction");
    }
    // tiny and huge ones have a direction too
    directions[6] = 1e-300;
    directions[7] = directions[8] = 0;
    directions[9] = 1e300;
    TEST_OK(lyra_fibre_create(ctx, mesh, &def, &force));
    lyra_force_destroy(force);
    double *numbers[4] = {&def.stiffness, &def.exponent, &def.active_stress, &def.activation};
    const double bad[4] = {-1, NAN, INFINITY, 1.5};
    static const char *const names[4] = {
        "stiffness of element 0 is -1, expected 0 or more", "exponent of element 0 is nan",
        "active stress of element 0 is inf", "activation of element 0 is 1.5, expected 0 to 1"};
    for (int i = 0; i < 4; ++i) {
        *numbers[i] = bad[i];
        TEST_STATUS(lyra_fibre_create(ctx, mesh, &def, &force),
                    isfinite(bad[i]) ? LYRA_INVALID_ARGUMENT : LYRA_NOT_FINITE);
        TEST_CONTAINS(lyra_error_message(), names[i]);
        *numbers[i] = 0;
    }
    def.cookie = 0;
    TEST_STATUS(lyra_fibre_create(ctx, mesh, &def, &force), LYRA_INVALID_ARGUMENT);
    lyra_mesh_destroy(mesh);
    test_context_end(ctx);
}
