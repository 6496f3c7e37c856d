// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Springs: lists of them, derivatives, damping, singular points, instruction sets, threads.

#include "force_cases.h"
#include "lyra/elastic.h"
#include "lyra/mesh_ops.h"
#include "lyra/springs.h"

// ---- bodies -------------------------------------------------------------------------------------

// the variants of a mass-spring force
typedef enum Variant { UNDAMPED, FULL, ALONG, ALONG_SYMMETRIC, VARIANT_COUNT } Variant;

static const int has_of[VARIANT_COUNT] = {
    [UNDAMPED] = HAS_ENERGY | HAS_CONTRACTION,
    [FULL] = HAS_VELOCITY | HAS_CONTRACTION,
    [ALONG] = HAS_VELOCITY,
    [ALONG_SYMMETRIC] = HAS_VELOCITY,
};

static LyraMassSpringDef def_of(Variant variant)
{
    LyraMassSpringDef def = lyra_mass_spring_def_default();
    def.stiffness = 300;
    def.damping = 7;
    def.damping_kind = variant == UNDAMPED ? LYRA_SPRING_UNDAMPED
                       : variant == FULL   ? LYRA_SPRING_DAMPING_FULL
                                           : LYRA_SPRING_DAMPING_ALONG;
    def.symmetric = variant == ALONG_SYMMETRIC;
    return def;
}

static Case make_body(LyraContext *ctx, Variant variant, LyraElementKind kind, int32_t nx,
                      int32_t ny, int32_t nz)
{
    LyraMesh *mesh = make_box(ctx, kind, nx, ny, nz);
    LyraMeshView view = lyra_mesh_view(mesh);
    LyraSprings *springs = NULL;
    LyraForce *force = NULL;
    LyraMassSpringDef def = def_of(variant);
    TEST_OK(lyra_springs_create_from_mesh(ctx, mesh, &springs));
    TEST_OK(lyra_mass_spring_create(ctx, springs, &def, &force));
    Case c = make_case(ctx, view.vertex_count, view.positions, force);
    lyra_springs_destroy(springs);
    lyra_mesh_destroy(mesh);
    return c;
}

// one spring from (0,0,0) to (length,0,0) of rest length 1
static Case make_single(LyraContext *ctx, Variant variant, double rest_length)
{
    const int32_t pair[2] = {0, 1};
    const double x[6] = {0, 0, 0, 1, 0, 0};
    LyraSpringsDef list = lyra_springs_def_default();
    list.vertex_count = 2;
    list.spring_count = 1;
    list.vertices = pair;
    list.rest_lengths = &rest_length;
    LyraSprings *springs = NULL;
    LyraForce *force = NULL;
    LyraMassSpringDef def = def_of(variant);
    TEST_OK(lyra_springs_create(ctx, &list, &springs));
    TEST_OK(lyra_mass_spring_create(ctx, springs, &def, &force));
    lyra_springs_destroy(springs);
    return make_case(ctx, 2, x, force);
}

// ---- lists --------------------------------------------------------------------------------------

LYRA_TEST(springs_of_a_mesh_are_its_distinct_pairs)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    // 2 x 1 x 1 cells of 6 tets: edges 20, face diagonals 11, body diagonals 2
    LyraMesh *tets = make_box(ctx, LYRA_ELEMENT_TET4, 2, 1, 1);
    LyraMesh *cubes = make_box(ctx, LYRA_ELEMENT_CUBE8, 2, 1, 1);
    LyraSprings *springs = NULL;
    TEST_REQUIRE_OK(lyra_springs_create_from_mesh(ctx, tets, &springs));
    LyraSpringsView view = lyra_springs_view(springs);
    TEST_EQUAL(view.spring_count, 33);
    TEST_EQUAL(view.group_count, 1);
    LyraMeshEdges *edges = NULL;
    TEST_REQUIRE_OK(lyra_mesh_edges_create(tets, &edges));
    LyraMeshEdgesView expected = lyra_mesh_edges_view(edges);
    TEST_EQUAL(expected.edge_count, view.spring_count);
    TEST_CHECK(memcmp(expected.vertices, view.vertices,
                      (size_t)view.spring_count * 2 * sizeof(int32_t)) == 0);
    lyra_mesh_edges_destroy(edges);
    lyra_springs_destroy(springs);
    // cubes: 28 + 28 less the 6 of the shared face; 12 corners have 20 edges, 22 face diagonals
    // less the 2 counted twice, 8 body diagonals
    TEST_REQUIRE_OK(lyra_springs_create_from_mesh(ctx, cubes, &springs));
    view = lyra_springs_view(springs);
    TEST_EQUAL(view.spring_count, 50);
    int32_t counts[3] = {0};
    for (int32_t s = 0; s < view.spring_count; ++s) {
        ++counts[view.groups[s]];
        TEST_NEAR(view.rest_lengths[s], 0.1 * sqrt(view.groups[s] + 1), 1e-15);
    }
    TEST_EQUAL(counts[LYRA_MESH_SPRING_EDGE], 20);
    TEST_EQUAL(counts[LYRA_MESH_SPRING_FACE_DIAGONAL], 22);
    TEST_EQUAL(counts[LYRA_MESH_SPRING_BODY_DIAGONAL], 8);
    lyra_springs_destroy(springs);
    lyra_mesh_destroy(tets);
    lyra_mesh_destroy(cubes);
    test_context_end(ctx);
}

// grid of nx x ny quads in a plane
static void make_grid(int32_t nx, int32_t ny, double *x, int32_t *quads)
{
    for (int32_t i = 0; i < (nx + 1) * (ny + 1); ++i) {
        x[3 * i] = i % (nx + 1);
        x[3 * i + 1] = i / (nx + 1);
        x[3 * i + 2] = 0;
    }
    for (int32_t q = 0; q < nx * ny; ++q) {
        int32_t a = q % nx + (nx + 1) * (q / nx);
        memcpy(quads + 4 * q, (int32_t[]){a, a + 1, a + nx + 2, a + nx + 1}, 4 * sizeof a);
    }
}

LYRA_TEST(springs_of_quads_are_structural_shear_and_bend)
{
    enum { NX = 4, NY = 3, N = (NX + 1) * (NY + 1) };
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    double x[3 * N], masses[N];
    int32_t quads[4 * NX * NY], counts[3] = {0};
    make_grid(NX, NY, x, quads);
    LyraSprings *springs = NULL;
    TEST_REQUIRE_OK(lyra_springs_create_from_quads(ctx, N, x, NX * NY, quads, &springs));
    LyraSpringsView view = lyra_springs_view(springs);
    static const double length[3] = {1, 1.4142135623730951, 2};
    for (int32_t s = 0; s < view.spring_count; ++s) {
        ++counts[view.groups[s]];
        TEST_NEAR(view.rest_lengths[s], length[view.groups[s]], 1e-15);
    }
    TEST_EQUAL(counts[LYRA_QUAD_SPRING_STRUCTURAL], NX * (NY + 1) + NY * (NX + 1));
    TEST_EQUAL(counts[LYRA_QUAD_SPRING_SHEAR], 2 * NX * NY);
    TEST_EQUAL(counts[LYRA_QUAD_SPRING_BEND], (NX - 1) * (NY + 1) + (NY - 1) * (NX + 1));
    lyra_springs_destroy(springs);
    // 3 kg/m^2: corners a quarter, edges a half, inside a whole
    lyra_quads_lumped_masses(N, x, NX * NY, quads, 3, masses);
    TEST_NEAR(masses[0], 0.75, 1e-15);
    TEST_NEAR(masses[1], 1.5, 1e-15);
    TEST_NEAR(masses[NX + 2], 3, 1e-15);
    // the surface of a cube: all vertices have valence 3, and all neighbours share a quad
    const double corners[24] = {0, 0, 0, 1, 0, 0, 1, 1, 0, 0, 1, 0,
                                0, 0, 1, 1, 0, 1, 1, 1, 1, 0, 1, 1};
    const int32_t faces[24] = {0, 3, 2, 1, 4, 5, 6, 7, 0, 1, 5, 4,
                               1, 2, 6, 5, 2, 3, 7, 6, 3, 0, 4, 7};
    TEST_REQUIRE_OK(lyra_springs_create_from_quads(ctx, 8, corners, 6, faces, &springs));
    view = lyra_springs_view(springs);
    TEST_EQUAL(view.spring_count, 24);
    TEST_EQUAL(view.group_count, 2);
    lyra_springs_destroy(springs);
    test_context_end(ctx);
}

LYRA_TEST(springs_constants_come_from_groups_and_moduli)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    // two unit tets on a common face 1 2 3
    const double x[15] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 1, 1, 1};
    const int32_t tets[8] = {0, 1, 2, 3, 4, 2, 1, 3};
    LyraMeshView data = {.kind = LYRA_ELEMENT_TET4,
                         .vertex_count = 5,
                         .element_count = 2,
                         .positions = x,
                         .elements = tets};
    LyraMesh *mesh = NULL;
    LyraSprings *springs = NULL;
    TEST_REQUIRE_OK(lyra_mesh_create(ctx, &data, &mesh));
    TEST_REQUIRE_OK(lyra_springs_create_from_mesh(ctx, mesh, &springs));
    LyraSpringsView view = lyra_springs_view(springs);
    TEST_EQUAL(view.spring_count, 9);
    double volumes[2], stiffness[9], young[2] = {6, 12};
    lyra_mesh_element_volumes(mesh, volumes);
    TEST_OK(lyra_springs_modulus_stiffness(springs, mesh, young, stiffness));
    for (int32_t s = 0; s < view.spring_count; ++s) {
        int32_t a = view.vertices[2 * s], b = view.vertices[2 * s + 1];
        double sum = b == 4   ? 12 * volumes[1]
                     : a == 0 ? 6 * volumes[0]
                              : 6 * volumes[0] + 12 * volumes[1];
        TEST_NEAR(stiffness[s], sum / (view.rest_lengths[s] * view.rest_lengths[s]), 1e-14);
    }
    // the mesh's own material: E = 1e6
    TEST_OK(lyra_springs_modulus_stiffness(springs, mesh, NULL, stiffness));
    TEST_NEAR(stiffness[0], 1e6 / 6, 1e-8);
    young[1] = -1;
    TEST_STATUS(lyra_springs_modulus_stiffness(springs, mesh, young, stiffness),
                LYRA_INVALID_ARGUMENT);
    lyra_springs_destroy(springs);
    lyra_mesh_destroy(mesh);
    // a chain with two groups: series of energies tells which constant each spring has
    const int32_t pairs[4] = {0, 1, 1, 2}, groups[2] = {1, 0};
    const double line[9] = {0, 0, 0, 1, 0, 0, 3, 0, 0}, pulled[9] = {0, 0, 0, 2, 0, 0, 6, 0, 0};
    const double group_stiffness[2] = {10, 100};
    LyraSpringsDef list = lyra_springs_def_default();
    list.vertex_count = 3;
    list.spring_count = 2;
    list.vertices = pairs;
    list.groups = groups;
    list.positions = line;
    LyraMassSpringDef def = lyra_mass_spring_def_default();
    def.group_stiffness = group_stiffness;
    LyraForce *force = NULL;
    TEST_REQUIRE_OK(lyra_springs_create(ctx, &list, &springs));
    TEST_EQUAL(lyra_springs_view(springs).group_count, 2);
    TEST_REQUIRE_OK(lyra_mass_spring_create(ctx, springs, &def, &force));
    Case c = make_case(ctx, 3, line, force);
    double energy;
    energy_of_x(&c, pulled, &energy);
    TEST_NEAR(energy, 50.0 * 1 + 5.0 * 4, 1e-13);
    end_case(&c);
    lyra_springs_destroy(springs);
    test_context_end(ctx);
}

// ---- derivatives --------------------------------------------------------------------------------

LYRA_TEST(springs_derivatives_match_differences)
{
    for (LyraIsa isa = LYRA_ISA_SCALAR; isa != LYRA_ISA_AUTO; isa = test_next_isa(isa)) {
        for (int variant = 0; variant < ALONG_SYMMETRIC; ++variant) {
            LyraContext *ctx = test_context(1, isa);
            Case c = make_body(ctx, (Variant)variant,
                               variant == FULL ? LYRA_ELEMENT_CUBE8 : LYRA_ELEMENT_TET4, 2, 2, 1);
            TestRandom random = test_random(3);
            double *x = malloc((size_t)c.n * 6 * sizeof *x), *v = x + 3 * c.n;
            for (int kind = 0; kind < STATE_COUNT; ++kind) {
                char what[100];
                snprintf(what, sizeof what, "variant %d, %s, state %d", variant, lyra_isa_name(isa),
                         kind);
                set_state(&c, (StateKind)kind, &random, x);
                set_random(3 * c.n, 1, &random, v);
                check_derivatives(&c, x, v, &random, has_of[variant], what);
            }
            free(x);
            end_case(&c);
            test_context_end(ctx);
        }
    }
}

// the option `symmetric` gives the symmetric part, and the same force
LYRA_TEST(springs_symmetric_option_gives_the_symmetric_part)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    Case c = make_body(ctx, ALONG, LYRA_ELEMENT_TET4, 2, 1, 1);
    Case s = make_body(ctx, ALONG_SYMMETRIC, LYRA_ELEMENT_TET4, 2, 1, 1);
    TestRandom random = test_random(4);
    int32_t dofs = 3 * c.n;
    double *x = malloc((size_t)dofs * 8 * sizeof *x), *v = x + dofs, *out[2] = {v + dofs, NULL};
    out[1] = out[0] + 3 * dofs;
    set_state(&c, STATE_LARGE, &random, x);
    set_random(dofs, 3, &random, v);
    evaluate_all(&c, x, v, out[0]);
    evaluate_all(&s, x, v, out[1]);
    TEST_NEAR(largest_difference(dofs, out[0], out[1]), 0, 1e-13 * largest_of(dofs, out[0]));
    double *K = dense_of(&c, c.dfdx), *K_symmetric = dense_of(&s, s.dfdx);
    double *D = dense_of(&c, c.dfdv), *D_symmetric = dense_of(&s, s.dfdv), apart = 0, skew = 0;
    for (int32_t i = 0; i < dofs; ++i) {
        for (int32_t j = 0; j < dofs; ++j) {
            double a = K[i + j * dofs], b = K[j + i * dofs];
            apart = fmax(apart, fabs(0.5 * (a + b) - K_symmetric[i + j * dofs]));
            apart = fmax(apart, fabs(D[i + j * dofs] - D_symmetric[i + j * dofs]));
            skew = fmax(skew, fabs(a - b));
        }
    }
    TEST_NEAR(apart, 0, 1e-12 * largest_of((int64_t)dofs * dofs, K));
    TEST_CHECK_MSG(skew > 1, "the exact derivative should not be symmetric: %g", skew);
    TEST_NEAR(asymmetry(&s, s.dfdx), 0, 1e-14);
    free(K);
    free(K_symmetric);
    free(D);
    free(D_symmetric);
    free(x);
    end_case(&c);
    end_case(&s);
    test_context_end(ctx);
}

LYRA_TEST(springs_tensor_is_symmetric_and_agrees_with_contractions)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    Case c = make_body(ctx, UNDAMPED, LYRA_ELEMENT_TET4, 1, 1, 1);
    TestRandom random = test_random(4);
    int32_t d = 3 * c.n;
    double *x = malloc((size_t)d * 4 * sizeof *x), *a = x + d, *b = a + d, *h = b + d;
    double *tensor = malloc((size_t)d * (size_t)d * (size_t)d * sizeof *tensor);
    set_state(&c, STATE_LARGE, &random, x);
    set_random(d, 1, &random, a);
    set_random(d, 1, &random, b);
    LyraEvaluation evaluation = {.x = x, .a = a, .b = b, .contraction = h};
    TEST_OK(lyra_assembly_evaluate(c.assembly, &evaluation));
    TEST_OK(lyra_assembly_tensor(c.assembly, &evaluation, tensor));
    double size = largest_of((int64_t)d * d * d, tensor), apart = 0, skew = 0;
    for (int32_t i = 0; i < d; ++i) {
        double sum = 0;
        for (int32_t j = 0; j < d; ++j) {
            for (int32_t k = 0; k < d; ++k) {
                double entry = tensor[(i * d + j) * d + k];
                sum += entry * a[j] * b[k];
                skew = fmax(skew, fabs(entry - tensor[(j * d + i) * d + k]));
            }
        }
        apart = fmax(apart, fabs(sum - h[i]));
    }
    TEST_CHECK(size > 1);
    TEST_NEAR(apart, 0, 1e-12 * size);
    TEST_NEAR(skew, 0, 1e-13 * size);
    TEST_STATUS(lyra_assembly_evaluate(c.assembly, &(LyraEvaluation){.x = x, .contraction = h}),
                LYRA_INVALID_ARGUMENT);
    end_case(&c);
    c = make_body(ctx, ALONG, LYRA_ELEMENT_TET4, 1, 1, 1);
    TEST_STATUS(lyra_assembly_evaluate(c.assembly, &evaluation), LYRA_UNSUPPORTED);
    TEST_CONTAINS(lyra_error_message(), "mass-spring");
    end_case(&c);
    free(x);
    free(tensor);
    test_context_end(ctx);
}

// ---- physics ------------------------------------------------------------------------------------

LYRA_TEST(springs_balance_and_rigid_motions)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    for (int variant = 0; variant < VARIANT_COUNT; ++variant) {
        Case c = make_body(ctx, (Variant)variant, LYRA_ELEMENT_CUBE8, 2, 2, 2);
        TestRandom random = test_random(5);
        int32_t dofs = 3 * c.n;
        double R[9], *x = calloc((size_t)dofs * 3, sizeof *x), *v = x + dofs, *g = v + dofs;
        double force, torque, power = 0;
        LyraEvaluation evaluation = {.x = x, .v = v, .gradient = g};
        set_state(&c, STATE_LARGE, &random, x);
        set_random(dofs, 1, &random, v);
        TEST_OK(lyra_assembly_evaluate(c.assembly, &evaluation));
        find_balance(c.n, x, g, &force, &torque);
        TEST_NEAR(force, 0, 1e-14);
        // damping that is not along the spring turns it
        TEST_CHECK(variant == FULL ? torque > 1e-6 : torque < 1e-14 * test_tolerance_scale());
        // a turned body that spins
        test_random_rotation(&random, R);
        for (int32_t i = 0; i < dofs; ++i) {
            const double *X = c.rest + i - i % 3, *row = R + 3 * (i % 3);
            x[i] = 0.7 + row[0] * X[0] + row[1] * X[1] + row[2] * X[2];
        }
        set_rigid_velocity(c.n, x, &random, v);
        TEST_OK(lyra_assembly_evaluate(c.assembly, &evaluation));
        TEST_CHECK(variant == FULL ? largest_of(dofs, g) > 1e-2 : largest_of(dofs, g) < 1e-11);
        // damping takes energy
        set_random(dofs, 1, &random, v);
        TEST_OK(lyra_assembly_evaluate(c.assembly, &evaluation));
        for (int32_t i = 0; i < dofs; ++i) {
            power += v[i] * g[i];
        }
        TEST_CHECK(variant == UNDAMPED ? fabs(power) < 1e-9 : power > 1);
        free(x);
        end_case(&c);
    }
    test_context_end(ctx);
}

// a stretched spring: numbers by hand
LYRA_TEST(springs_single_numbers)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    const double x[6] = {0, 0, 0, 1.5, 0, 0}, v[6] = {0, 0, 0, 2, 3, 0};
    for (int variant = 0; variant < VARIANT_COUNT; ++variant) {
        Case c = make_single(ctx, (Variant)variant, 1);
        double energy, g[6], block[9];
        LyraEvaluation evaluation = evaluation_of(&c, x, v);
        evaluation.energy = &energy;
        evaluation.gradient = g;
        evaluation.dfdx = c.dfdx;
        evaluation.dfdv = c.dfdv;
        TEST_OK(lyra_assembly_evaluate(c.assembly, &evaluation));
        TEST_NEAR(energy, 150 * 0.25, 1e-13);
        TEST_NEAR(g[3], variant == UNDAMPED ? 150 : 150 + 14, 1e-12);
        TEST_NEAR(g[4], variant == FULL ? 21 : 0, 1e-12);
        TEST_NEAR(g[0], -g[3], 0);
        lyra_block_matrix_get_block(c.dfdx, 0, 0, block);
        TEST_NEAR(block[0], 300, 1e-12);
        // (n.w) P / l on the diagonal
        TEST_NEAR(block[4], variant < ALONG ? 100 : 100 + 7 * 2 / 1.5, 1e-12);
        lyra_block_matrix_get_block(c.dfdv, 0, 1, block);
        TEST_NEAR(block[0], variant == UNDAMPED ? 0 : -7, 0);
        TEST_NEAR(block[4], variant == FULL ? -7 : 0, 0);
        end_case(&c);
    }
    test_context_end(ctx);
}

LYRA_TEST(springs_psd_tangent_is_positive)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    TestRandom random = test_random(8);
    for (int variant = 0; variant < VARIANT_COUNT; ++variant) {
        Case c = make_single(ctx, (Variant)variant, 1);
        int indefinite = 0;
        for (int repeat = 0; repeat < 1000; ++repeat) {
            double x[6], v[6], length = 0;
            set_random(6, pow(10, test_random_in(&random, -4, 1)), &random, x);
            set_random(6, 1, &random, v);
            LyraEvaluation evaluation = evaluation_of(&c, x, variant == UNDAMPED ? NULL : v);
            evaluation.dfdx = c.dfdx;
            TEST_OK(lyra_assembly_evaluate(c.assembly, &evaluation));
            double *exact = dense_of(&c, c.dfdx);
            bool negative = variant < ALONG && smallest_eigenvalue(&c, c.dfdx) < -1e-12;
            indefinite += negative;
            evaluation.psd = true;
            TEST_OK(lyra_assembly_evaluate(c.assembly, &evaluation));
            TEST_CHECK(smallest_eigenvalue(&c, c.dfdx) >= -1e-12);
            TEST_NEAR(asymmetry(&c, c.dfdx), 0, 1e-14);
            for (int i = 0; i < 3; ++i) {
                length += (x[i + 3] - x[i]) * (x[i + 3] - x[i]);
            }
            TEST_CHECK(variant >= ALONG || negative == (length < 1));
            double *projected = dense_of(&c, c.dfdx);
            // equal where the exact one is positive
            TEST_CHECK(variant >= ALONG || negative ||
                       memcmp(exact, projected, 36 * sizeof *exact) == 0);
            free(exact);
            free(projected);
        }
        TEST_CHECK(variant >= ALONG || (indefinite > 100 && indefinite < 900));
        end_case(&c);
    }
    // and a whole body
    Case c = make_body(ctx, UNDAMPED, LYRA_ELEMENT_TET4, 2, 1, 1);
    double *x = malloc((size_t)c.n * 3 * sizeof *x);
    set_state(&c, STATE_FLAT, &random, x);
    LyraEvaluation evaluation = {.x = x, .dfdx = c.dfdx};
    TEST_OK(lyra_assembly_evaluate(c.assembly, &evaluation));
    TEST_CHECK(smallest_eigenvalue(&c, c.dfdx) < -1e-3);
    TEST_NEAR(asymmetry(&c, c.dfdx), 0, 1e-14);
    evaluation.psd = true;
    TEST_OK(lyra_assembly_evaluate(c.assembly, &evaluation));
    TEST_CHECK(smallest_eigenvalue(&c, c.dfdx) > -1e-13);
    free(x);
    end_case(&c);
    test_context_end(ctx);
}

// the rule: no direction, no force, and stiffness the same all around
LYRA_TEST(springs_without_length_stay_finite)
{
    static const double lengths[] = {0, 1e-320, 1e-200, 1e-155, 1e-150, 1e-30, 1e-9};
    for (LyraIsa isa = LYRA_ISA_SCALAR; isa != LYRA_ISA_AUTO; isa = test_next_isa(isa)) {
        LyraContext *ctx = test_context(1, isa);
        for (int variant = 0; variant < VARIANT_COUNT; ++variant) {
            Case c = make_single(ctx, (Variant)variant, 1);
            for (int i = 0; i < 7; ++i) {
                double x[6] = {0}, v[6] = {1, 2, 3, 0, 0, 5}, a[6] = {0, 1, 2, 2, 1, 0};
                double energy, g[6], h[6] = {0}, block[9];
                x[4] = lengths[i];
                LyraEvaluation evaluation = evaluation_of(&c, x, v);
                evaluation.energy = &energy;
                evaluation.gradient = g;
                evaluation.dfdx = c.dfdx;
                evaluation.dfdv = c.dfdv;
                evaluation.a = evaluation.b = a;
                evaluation.contraction = variant < ALONG ? h : NULL;
                TEST_OK(lyra_assembly_evaluate(c.assembly, &evaluation));
                TEST_CHECK(all_finite(6, g) && all_finite(6, h) && matrix_finite(c.dfdx) &&
                           matrix_finite(c.dfdv));
                TEST_NEAR(energy, 150, 1e-6);
                lyra_block_matrix_get_block(c.dfdx, 0, 1, block);
                if (lengths[i] < 1e-154 && variant == UNDAMPED) {
                    TEST_CHECK(largest_of(6, g) == 0 && largest_of(6, h) == 0);
                    TEST_CHECK(block[0] == -300 && block[4] == -300 && block[8] == -300);
                    TEST_CHECK(block[1] == 0 && block[5] == 0);
                } else if (variant == UNDAMPED) {
                    TEST_NEAR(g[4], -300, 1e-6);
                }
                evaluation.psd = true;
                TEST_OK(lyra_assembly_evaluate(c.assembly, &evaluation));
                TEST_CHECK(matrix_finite(c.dfdx));
            }
            end_case(&c);
        }
        // a rest length of zero is no singular point: linear in x
        Case c = make_single(ctx, UNDAMPED, 0);
        TestRandom random = test_random(1);
        double x[6] = {0};
        check_derivatives(&c, x, NULL, &random, HAS_ENERGY, "zero rest length");
        TEST_CHECK(smallest_eigenvalue(&c, c.dfdx) > -1e-14);
        end_case(&c);
        test_context_end(ctx);
    }
}

// ---- twins, threads, memory ---------------------------------------------------------------------

LYRA_TEST(springs_instruction_sets_agree)
{
    for (int variant = 0; variant < VARIANT_COUNT; ++variant) {
        double *reference = NULL;
        for (LyraIsa isa = LYRA_ISA_SCALAR; isa != LYRA_ISA_AUTO; isa = test_next_isa(isa)) {
            LyraContext *ctx = test_context(1, isa);
            Case c = make_body(ctx, (Variant)variant, LYRA_ELEMENT_TET4, 5, 3, 3);
            TestRandom random = test_random(3);
            int32_t dofs = 3 * c.n;
            double *x = malloc((size_t)dofs * 5 * sizeof *x), *v = x + dofs, *out = v + dofs;
            set_state(&c, STATE_LARGE, &random, x);
            set_random(dofs, 1, &random, v);
            evaluate_all(&c, x, v, out);
            if (!reference) {
                reference = malloc((size_t)dofs * 3 * sizeof *reference);
                memcpy(reference, out, (size_t)dofs * 3 * sizeof *reference);
            }
            TEST_NEAR(largest_difference(3 * dofs, out, reference), 0,
                      1e-13 * largest_of(3 * dofs, reference));
            free(x);
            end_case(&c);
            test_context_end(ctx);
        }
        free(reference);
    }
}

#define BIG 16

static void evaluate_big(LyraContext *ctx, void *data, void *out)
{
    Case c = make_body(ctx, *(Variant *)data, LYRA_ELEMENT_TET4, BIG, BIG, BIG);
    TestRandom random = test_random(3);
    double *x = malloc((size_t)c.n * 6 * sizeof *x), *v = x + 3 * c.n;
    set_state(&c, STATE_LARGE, &random, x);
    set_random(3 * c.n, 1, &random, v);
    evaluate_all(&c, x, v, out);
    free(x);
    end_case(&c);
}

LYRA_TEST(springs_bits_do_not_depend_on_threads)
{
    Variant variants[2] = {UNDAMPED, ALONG};
    size_t vertices = (BIG + 1) * (BIG + 1) * (BIG + 1);
    for (int i = 0; i < 2; ++i) {
        test_same_bits(evaluate_big, &variants[i], 9 * vertices * sizeof(double));
    }
}

static LyraStatus build_all(LyraContext *ctx, void *data)
{
    const LyraMeshView *view = data;
    double x[3 * 12], stiffness[64];
    int32_t quads[4 * 6];
    make_grid(3, 2, x, quads);
    LyraMesh *mesh = NULL;
    LyraSprings *springs = NULL, *cloth = NULL;
    LyraForce *forces[2] = {NULL, NULL};
    LyraAssembly *assembly = NULL;
    LyraMassSpringDef def = def_of(ALONG);
    double contraction[3 * 12];
    LyraEvaluation evaluation = {.x = x, .a = x, .b = x, .contraction = contraction};
    LyraStatus status = lyra_mesh_create(ctx, view, &mesh);
    status = status ? status : lyra_springs_create_from_mesh(ctx, mesh, &springs);
    status = status ? status : lyra_springs_modulus_stiffness(springs, mesh, NULL, stiffness);
    status = status ? status : lyra_springs_create_from_quads(ctx, 12, x, 6, quads, &cloth);
    status = status ? status : lyra_mass_spring_create(ctx, springs, &def, &forces[0]);
    def = def_of(UNDAMPED);
    status = status ? status : lyra_mass_spring_create(ctx, cloth, &def, &forces[1]);
    status = status ? status : lyra_assembly_create(ctx, 12, x, 1, &forces[1], &assembly);
    status = status ? status : lyra_assembly_evaluate(assembly, &evaluation);
    lyra_assembly_destroy(assembly);
    lyra_force_destroy(forces[0]);
    lyra_force_destroy(forces[1]);
    lyra_springs_destroy(springs);
    lyra_springs_destroy(cloth);
    lyra_mesh_destroy(mesh);
    return status;
}

LYRA_TEST(springs_allocation_failures_leak_nothing)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    LyraMesh *mesh = make_box(ctx, LYRA_ELEMENT_TET4, 2, 1, 1);
    LyraMeshView view = lyra_mesh_view(mesh);
    test_fail_each_allocation(build_all, &view);
    lyra_mesh_destroy(mesh);
    test_context_end(ctx);
}

LYRA_TEST(springs_evaluation_allocates_nothing)
{
    LyraContext *ctx = test_context(2, LYRA_ISA_AUTO);
    Case c = make_body(ctx, FULL, LYRA_ELEMENT_TET4, 12, 12, 12);
    double energy, *g = malloc((size_t)c.n * 6 * sizeof *g);
    LyraEvaluation evaluation = evaluation_of(&c, c.rest, c.rest);
    evaluation.energy = &energy;
    evaluation.gradient = g;
    evaluation.dfdx = c.dfdx;
    evaluation.dfdv = c.dfdv;
    evaluation.a = evaluation.b = c.rest;
    evaluation.contraction = g + 3 * c.n;
    TEST_OK(lyra_assembly_evaluate(c.assembly, &evaluation));
    int64_t before = test_allocation_count();
    TEST_OK(lyra_assembly_evaluate(c.assembly, &evaluation));
    TEST_EQUAL(test_allocation_count(), before);
    free(g);
    end_case(&c);
    test_context_end(ctx);
}

LYRA_TEST(springs_parameters_change_while_running)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    const double x[6] = {0, 0, 0, 2, 0, 0}, v[6] = {0, 0, 0, 1, 0, 0};
    double value = 50, g[6];
    Case c = make_single(ctx, ALONG, 1);
    LyraEvaluation evaluation = {.x = x, .v = v, .gradient = g};
    TEST_OK(lyra_assembly_set_parameter(c.assembly, 0, LYRA_SPRING_STIFFNESS, &value));
    TEST_OK(lyra_assembly_evaluate(c.assembly, &evaluation));
    TEST_NEAR(g[3], 57, 1e-13);
    value = 1.5;
    TEST_OK(lyra_assembly_set_parameter(c.assembly, 0, LYRA_SPRING_REST_LENGTH, &value));
    value = 3;
    TEST_OK(lyra_assembly_set_parameter(c.assembly, 0, LYRA_SPRING_DAMPING, &value));
    TEST_OK(lyra_assembly_evaluate(c.assembly, &evaluation));
    TEST_NEAR(g[3], 28, 1e-13);
    end_case(&c);
    c = make_single(ctx, UNDAMPED, 1);
    TEST_STATUS(lyra_assembly_set_parameter(c.assembly, 0, LYRA_SPRING_DAMPING, &value),
                LYRA_INVALID_ARGUMENT);
    end_case(&c);
    test_context_end(ctx);
}

// ---- bad input ----------------------------------------------------------------------------------

LYRA_TEST(springs_bad_lists_are_refused)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    int32_t pairs[4] = {0, 1, 1, 2}, groups[2] = {0, 0};
    double x[9] = {0, 0, 0, 1, 0, 0, 2, 0, 0}, lengths[2] = {1, 1};
    LyraSprings *springs = NULL;
    LyraSpringsDef list = {.vertex_count = 3};
    TEST_STATUS(lyra_springs_create(ctx, &list, &springs), LYRA_INVALID_ARGUMENT);
    list = lyra_springs_def_default();
    // nothing at all is a list
    TEST_OK(lyra_springs_create(ctx, &list, &springs));
    TEST_EQUAL(lyra_springs_view(springs).group_count, 0);
    lyra_springs_destroy(springs);
    list.vertex_count = 3;
    list.spring_count = 2;
    list.vertices = pairs;
    TEST_STATUS(lyra_springs_create(ctx, &list, &springs), LYRA_INVALID_ARGUMENT);
    list.positions = x;
    list.groups = groups;
    for (int bad = 0; bad < 3; ++bad) {
        pairs[3] = bad == 0 ? 3 : bad == 1 ? -1 : 1;
        TEST_STATUS(lyra_springs_create(ctx, &list, &springs), LYRA_INVALID_ARGUMENT);
        TEST_CONTAINS(lyra_error_message(), "spring 1");
    }
    pairs[3] = 2;
    groups[1] = -1;
    TEST_STATUS(lyra_springs_create(ctx, &list, &springs), LYRA_INVALID_ARGUMENT);
    groups[1] = 0;
    x[8] = INFINITY;
    TEST_STATUS(lyra_springs_create(ctx, &list, &springs), LYRA_NOT_FINITE);
    list.rest_lengths = lengths;
    lengths[1] = -1;
    TEST_STATUS(lyra_springs_create(ctx, &list, &springs), LYRA_INVALID_ARGUMENT);
    lengths[1] = NAN;
    TEST_STATUS(lyra_springs_create(ctx, &list, &springs), LYRA_NOT_FINITE);
    int32_t quads[8] = {0, 1, 2, 3, 0, 1, 1, 2};
    double corners[12] = {0};
    TEST_STATUS(lyra_springs_create_from_quads(ctx, 4, corners, 2, quads, &springs), LYRA_BAD_MESH);
    TEST_CONTAINS(lyra_error_message(), "quad 1");
    quads[5] = 4;
    TEST_STATUS(lyra_springs_create_from_quads(ctx, 4, corners, 2, quads, &springs), LYRA_BAD_MESH);
    TEST_STATUS(lyra_springs_create_from_quads(ctx, 4, NULL, 2, quads, &springs),
                LYRA_INVALID_ARGUMENT);
    test_context_end(ctx);
}

LYRA_TEST(springs_bad_constants_and_meshes_are_refused)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    // two corners in one place: fine for given constants, not for a modulus
    const double x[12] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 0};
    int32_t tet[4] = {0, 1, 2, 3};
    LyraMeshView data = {.kind = LYRA_ELEMENT_TET4,
                         .vertex_count = 4,
                         .element_count = 1,
                         .positions = x,
                         .elements = tet};
    LyraMesh *mesh = NULL, *cubes = make_box(ctx, LYRA_ELEMENT_CUBE8, 1, 1, 1);
    LyraSprings *springs = NULL;
    LyraForce *force = NULL;
    double stiffness[28];
    TEST_REQUIRE_OK(lyra_mesh_create(ctx, &data, &mesh));
    TEST_REQUIRE_OK(lyra_springs_create_from_mesh(ctx, mesh, &springs));
    TEST_STATUS(lyra_springs_modulus_stiffness(springs, mesh, NULL, stiffness), LYRA_BAD_MESH);
    TEST_CONTAINS(lyra_error_message(), "from vertex 0 to 3");
    TEST_STATUS(lyra_springs_modulus_stiffness(springs, cubes, NULL, stiffness), LYRA_UNSUPPORTED);
    LyraMassSpringDef def = {.stiffness = 1};
    TEST_STATUS(lyra_mass_spring_create(ctx, springs, &def, &force), LYRA_INVALID_ARGUMENT);
    def = lyra_mass_spring_def_default();
    def.stiffness = -1;
    TEST_STATUS(lyra_mass_spring_create(ctx, springs, &def, &force), LYRA_INVALID_ARGUMENT);
    TEST_CONTAINS(lyra_error_message(), "spring 0: stiffness -1");
    def.stiffness = NAN;
    TEST_STATUS(lyra_mass_spring_create(ctx, springs, &def, &force), LYRA_NOT_FINITE);
    def.stiffness = 1;
    def.damping = -1;
    TEST_OK(lyra_mass_spring_create(ctx, springs, &def, &force)); // not used
    lyra_force_destroy(force);
    def.damping_kind = LYRA_SPRING_DAMPING_FULL;
    TEST_STATUS(lyra_mass_spring_create(ctx, springs, &def, &force), LYRA_INVALID_ARGUMENT);
    def.damping_kind = LYRA_SPRING_DAMPING_KIND_COUNT;
    TEST_STATUS(lyra_mass_spring_create(ctx, springs, &def, &force), LYRA_INVALID_ARGUMENT);
    lyra_springs_destroy(springs);
    lyra_mesh_destroy(mesh);
    tet[3] = 1;
    TEST_REQUIRE_OK(lyra_mesh_create(ctx, &data, &mesh));
    TEST_STATUS(lyra_springs_create_from_mesh(ctx, mesh, &springs), LYRA_BAD_MESH);
    TEST_CONTAINS(lyra_error_message(), "vertex 1 twice");
    lyra_mesh_destroy(mesh);
    lyra_mesh_destroy(cubes);
    test_context_end(ctx);
}
