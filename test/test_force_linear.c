// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Linear elasticity on tets and cubes: derivatives, patch test, known stresses, quadrature.

#include "force_bodies.h"
#include "lyra/corotational.h"

#define LINEAR LYRA_COROTATIONAL_LINEAR

// takes the mesh
static Body make_linear(LyraContext *ctx, LyraMesh *mesh)
{
    LyraCorotationalDef def = lyra_corotational_def_default();
    def.model = LINEAR;
    LyraForce *force = NULL;
    TEST_OK(lyra_corotational_create(ctx, mesh, &def, &force));
    return make_body(ctx, mesh, force);
}

// x = X + H X
static void displace(const Body *body, const double H[9], double *x)
{
    for (int32_t i = 0; i < 3 * body->n; ++i) {
        x[i] = body->rest[i];
        for (int c = 0; c < 3; ++c) {
            x[i] += H[3 * (i % 3) + c] * body->rest[i - i % 3 + c];
        }
    }
}

LYRA_TEST(linear_derivatives_match_differences)
{
    LyraMeshMaterial materials[2] = {orthotropic_material(), enu_material(2e5, 0.3)};
    for (LyraIsa isa = LYRA_ISA_SCALAR; isa != LYRA_ISA_AUTO; isa = test_next_isa(isa)) {
        LyraContext *ctx = test_context(1, isa);
        for (int k = 0; k < 4; ++k) {
            LyraElementKind kind = k % 2 ? LYRA_ELEMENT_CUBE8 : LYRA_ELEMENT_TET4;
            LyraMesh *mesh = make_box(ctx, kind, 3, 2, 2, 2 - k / 2, materials + k / 2);
            Body body = make_linear(ctx, mesh);
            TestRandom random = test_random(3);
            double *x = malloc((size_t)body.n * 3 * sizeof *x);
            for (int state = 0; state < STATE_COUNT; ++state) {
                char what[100];
                snprintf(what, sizeof what, "linear %d, %s, %s", k, lyra_isa_name(isa),
                         state_name((StateKind)state));
                set_state(&body, (StateKind)state, &random, x);
                check_derivatives_within(&body, x, 0.3, 0.02, 1e-7, &random, true, what);
            }
            free(x);
            end_body(&body);
        }
        test_context_end(ctx);
    }
}

// a linear displacement is in balance inside, whatever the elements: only the boundary has forces
LYRA_TEST(linear_patch_test)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    LyraMeshMaterial material = orthotropic_material();
    for (int element = 0; element < LYRA_ELEMENT_KIND_COUNT; ++element) {
        // curved inside, which four points do not integrate
        if (element == LYRA_ELEMENT_TET10) {
            continue;
        }
        LyraMesh *mesh = make_box(ctx, (LyraElementKind)element, 4, 4, 4, 1, &material);
        Body body = make_linear(ctx, mesh);
        const double H[9] = {0.1, 0.02, -0.03, 0.05, -0.07, 0.01, 0.04, -0.02, 0.06};
        double *x = malloc((size_t)body.n * 6 * sizeof *x), *g = x + 3 * body.n, largest = 0;
        int inside_count = 0;
        displace(&body, H, x);
        evaluate(&body, x, NULL, g, false);
        for (int32_t i = 0; i < 3 * body.n; ++i) {
            largest = fmax(largest, fabs(g[i]));
        }
        for (int32_t i = 0; i < body.n; ++i) {
            const double *X = body.rest + 3 * i;
            // jitter is 0.15 cells
            bool inside = fmax(fabs(X[0]), fmax(fabs(X[1]), fabs(X[2]))) < 1.5 * CELL;
            inside_count += inside;
            for (int c = 0; inside && c < 3; ++c) {
                TEST_NEAR(g[3 * i + c], 0, 1e-12 * largest);
            }
        }
        TEST_EQUAL(inside_count, 27);
        double force, torque;
        net_force(body.n, g, body.rest, &force, &torque);
        TEST_NEAR(force, 0, 1e-13);
        TEST_NEAR(torque, 0, 1e-13);
        free(x);
        end_body(&body);
    }
    test_context_end(ctx);
}

// pulled along material axis 1, which stands along world y: strain e1 = s / E1, e2 = - nu12 e1,
// e3 = - nu13 e1 with nu13 = nu31 E1 / E3; energy s e1 / 2 per volume, no other stress
LYRA_TEST(linear_orthotropic_uniaxial_stress)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    LyraMeshMaterial material = orthotropic_material();
    LyraMaterialOrthotropic *m = &material.orthotropic;
    // columns are the material axes in the world: y, z, x
    const double axes[9] = {0, 0, 1, 1, 0, 0, 0, 1, 0};
    memcpy(m->axes, axes, sizeof axes);
    double stress = 1000, e1 = stress / m->young[0];
    double e2 = -m->poisson[0] * e1, e3 = -m->poisson[2] * m->young[0] / m->young[2] * e1;
    const double H[9] = {e3, 0, 0, 0, e1, 0, 0, 0, e2};
    for (int element = 0; element < LYRA_ELEMENT_TET10; ++element) {
        LyraMesh *mesh = make_single(ctx, (LyraElementKind)element, &material);
        Body body = make_linear(ctx, mesh);
        double x[24], g[24], energy, volume = element == LYRA_ELEMENT_TET4 ? 1. / 6 : 1;
        displace(&body, H, x);
        evaluate(&body, x, &energy, g, false);
        TEST_NEAR(energy, 0.5 * volume * stress * e1, 1e-13);
        for (int32_t i = 0; i < body.n; ++i) {
            // a face of the cube shares its force among four; the tet has f_a = V stress b_a
            double share = element == LYRA_ELEMENT_CUBE8 ? (body.rest[3 * i + 1] > 0 ? 0.25 : -0.25)
                           : i == 2                      ? 1. / 6
                           : i == 0                      ? -1. / 6
                                                         : 0;
            TEST_NEAR(g[3 * i], 0, 1e-9);
            TEST_NEAR(g[3 * i + 1], share * stress, 1e-9);
            TEST_NEAR(g[3 * i + 2], 0, 1e-9);
        }
        end_body(&body);
    }
    test_context_end(ctx);
}

// the 24x24 matrix of a box against 2x2x2 Gauss points on the trilinear element, term by term
LYRA_TEST(linear_cube_matrix_matches_gauss_points)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    LyraMeshMaterial material = orthotropic_material();
    // a box of three different edges, away from the origin
    double corners[24] = {0, 0, 0, 1, 0, 0, 1, 1, 0, 0, 1, 0, 0, 0, 1, 1, 0, 1, 1, 1, 1, 0, 1, 1};
    const double edges[3] = {0.5, 0.75, 1.25};
    const int32_t ids[8] = {0, 1, 2, 3, 4, 5, 6, 7};
    double signs[8][3];
    for (int i = 0; i < 24; ++i) {
        signs[i / 3][i % 3] = corners[i] > 0 ? 1 : -1;
        corners[i] = 2 + edges[i % 3] * corners[i];
    }
    LyraMeshView data = {.kind = LYRA_ELEMENT_CUBE8,
                         .vertex_count = 8,
                         .element_count = 1,
                         .positions = corners,
                         .elements = ids,
                         .material_count = 1,
                         .materials = &material};
    LyraMesh *mesh = NULL;
    TEST_REQUIRE_OK(lyra_mesh_create(ctx, &data, &mesh));
    Body body = make_linear(ctx, mesh);
    double K[24 * 24], expected[24 * 24] = {0};
    evaluate(&body, body.rest, NULL, NULL, true);
    dense_tangent(&body, K);
    // stiffness D_ijkl column by column from energies of uniform strain: D of two strains by
    // polarisation
    double D[6][6];
    const int row[6] = {0, 1, 2, 0, 1, 2}, column[6] = {0, 1, 2, 1, 2, 0};
    for (int p = 0; p < 36; ++p) {
        double H[9] = {0}, x[24], energy[3];
        for (int part = 0; part < 3; ++part) {
            memset(H, 0, sizeof H);
            H[3 * row[p / 6] + column[p / 6]] += part != 1;
            H[3 * row[p % 6] + column[p % 6]] += part != 0;
            displace(&body, H, x);
            evaluate(&body, x, &energy[part], NULL, false);
        }
        double volume = edges[0] * edges[1] * edges[2];
        D[p / 6][p % 6] = (energy[2] - energy[0] - energy[1]) / volume;
    }
    static const int place[3][3] = {{0, 3, 5}, {3, 1, 4}, {5, 4, 2}};
    for (int point = 0; point < 8; ++point) {
        double b[8][3];
        for (int a = 0; a < 8; ++a) {
            for (int i = 0; i < 3; ++i) {
                b[a][i] = 0.25 * signs[a][i] / edges[i];
                for (int j = 0; j < 3; ++j) {
                    b[a][i] *= j == i ? 1 : 1 + signs[a][j] * signs[point][j] / sqrt(3);
                }
            }
        }
        for (int n = 0; n < 24 * 24; ++n) {
            int a = n / 72, i = n / 24 % 3, c = n % 24 / 3, k = n % 3;
            for (int p = 0; p < 9; ++p) {
                expected[3 * a + i + 24 * (3 * c + k)] += edges[0] * edges[1] * edges[2] / 8 *
                                                          D[place[i][p / 3]][place[k][p % 3]] *
                                                          b[a][p / 3] * b[c][p % 3];
            }
        }
    }
    TEST_NEAR(apart(24 * 24, K, expected), 0, 1e-12);
    // positive semi-definite with six zero eigenvalues: rigid motions
    double values[24];
    TEST_OK(lyra_dense_eigen(ctx, 24, K, values, NULL));
    TEST_NEAR(values[0] / values[23], 0, 1e-13);
    TEST_NEAR(values[5] / values[23], 0, 1e-13);
    TEST_CHECK(values[6] > 1e-3 * values[23]);
    end_body(&body);
    test_context_end(ctx);
}

// energy of principal stretches s along the axes: lambda/2 (sum of s - 1)^2 + mu sum of (s - 1)^2
LYRA_TEST(linear_energy_of_a_single_element_matches_the_closed_form)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    LyraMeshMaterial material = enu_material(1, 0.3);
    const double H[9] = {0.2, 0, 0, 0, -0.1, 0, 0, 0, 0.1};
    double lambda = 0.3 / (1.3 * 0.4), mu = 1 / 2.6, trace = 0, square = 0;
    for (int c = 0; c < 3; ++c) {
        trace += H[4 * c];
        square += H[4 * c] * H[4 * c];
    }
    for (int element = 0; element < LYRA_ELEMENT_TET10; ++element) {
        Body body = make_linear(ctx, make_single(ctx, (LyraElementKind)element, &material));
        double x[24], energy, volume = element == LYRA_ELEMENT_TET4 ? 1. / 6 : 1;
        displace(&body, H, x);
        evaluate(&body, x, &energy, NULL, false);
        TEST_NEAR(energy / volume, lambda / 2 * trace * trace + mu * square, 6e-16);
        end_body(&body);
    }
    test_context_end(ctx);
}

static Body make_numbered(LyraContext *ctx, const void *data)
{
    int k = *(const int *)data;
    LyraMeshMaterial material = k / 2 ? enu_material(2e5, 0.3) : orthotropic_material();
    LyraElementKind kind = k % 2 ? LYRA_ELEMENT_CUBE8 : LYRA_ELEMENT_TET4;
    // batches with a tail
    return make_linear(ctx, make_box(ctx, kind, 5, 3, 3, 1, &material));
}

// ENU tets have a kernel of their own
LYRA_TEST(linear_instruction_sets_agree)
{
    for (int k = 0; k < 4; ++k) {
        check_instruction_sets(make_numbered, &k, 1e-13);
    }
}

LYRA_TEST(linear_rest_and_translation_give_no_force)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    LyraMeshMaterial material = enu_material(2e5, 0.3);
    for (int element = 0; element < LYRA_ELEMENT_KIND_COUNT; ++element) {
        Body body =
            make_linear(ctx, make_box(ctx, (LyraElementKind)element, 3, 3, 2, 1, &material));
        double *x = malloc((size_t)body.n * 6 * sizeof *x), *g = x + 3 * body.n, energy;
        for (int32_t i = 0; i < 3 * body.n; ++i) {
            x[i] = body.rest[i] + 0.3 * (i % 3);
        }
        evaluate(&body, x, &energy, g, false);
        // stiffness 2e5 Pa x faces of 1e-2 m^2, rounding 1e-15
        for (int32_t i = 0; i < 3 * body.n; ++i) {
            TEST_NEAR(g[i], 0, 1e-10);
        }
        TEST_NEAR(energy, 0, 1e-12);
        free(x);
        end_body(&body);
    }
    test_context_end(ctx);
}

LYRA_TEST(linear_tangent_is_constant)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    LyraMeshMaterial material = enu_material(2e5, 0.3);
    for (int element = 0; element < LYRA_ELEMENT_KIND_COUNT; ++element) {
        Body body =
            make_linear(ctx, make_box(ctx, (LyraElementKind)element, 2, 2, 2, 1, &material));
        TestRandom random = test_random(3);
        int32_t dofs = 3 * body.n;
        double *x = malloc((size_t)dofs * 3 * sizeof *x), *a = x + dofs, *b = a + dofs;
        set_state(&body, STATE_LARGE, &random, x);
        evaluate(&body, body.rest, NULL, NULL, true);
        apply_tangent(&body, x, a);
        evaluate(&body, x, NULL, NULL, true);
        apply_tangent(&body, x, b);
        TEST_CHECK(memcmp(a, b, (size_t)dofs * sizeof *a) == 0);
        free(x);
        end_body(&body);
    }
    test_context_end(ctx);
}

LYRA_TEST(linear_contraction_is_zero)
{
    for (LyraIsa isa = LYRA_ISA_SCALAR; isa != LYRA_ISA_AUTO; isa = test_next_isa(isa)) {
        LyraContext *ctx = test_context(1, isa);
        for (int n = 0; n < 4; ++n) {
            LyraMeshMaterial material = n / 2 ? orthotropic_material() : enu_material(1e5, 0.3);
            LyraMesh *mesh = make_single(ctx, (LyraElementKind)(n % 2), &material);
            LyraSolidDef def = lyra_solid_def_default();
            def.model = "linear";
            Body body = make_solid_body(ctx, mesh, &def);
            double h[24], g[24];
            memset(h, 0xff, sizeof h);
            LyraEvaluation evaluation = {
                .x = body.rest, .a = body.rest, .b = body.rest, .gradient = g, .contraction = h};
            TEST_OK(lyra_assembly_evaluate(body.assembly, &evaluation));
            for (int32_t i = 0; i < 3 * body.n; ++i) {
                TEST_CHECK(h[i] == 0);
            }
            end_body(&body);
        }
        test_context_end(ctx);
    }
}
