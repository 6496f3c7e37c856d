// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Corotational forces on tets and cubes: derivatives, physics, PSD, kept frames, twins, threads.

#include "force_bodies.h"
#include "lyra/corotational.h"

#define EXACT LYRA_COROTATIONAL_EXACT
#define APPROXIMATE LYRA_COROTATIONAL_APPROXIMATE

// one way to make a force
typedef struct Kind {
    const char *name;
    LyraElementKind element;
    bool orthotropic;
    LyraCubeFrame frame;
} Kind;

static const Kind kinds[] = {
    {"tets", LYRA_ELEMENT_TET4, false, LYRA_CUBE_FRAME_CENTRE},
    {"orthotropic tets", LYRA_ELEMENT_TET4, true, LYRA_CUBE_FRAME_CENTRE},
    {"cubes", LYRA_ELEMENT_CUBE8, false, LYRA_CUBE_FRAME_CENTRE},
    {"orthotropic cubes", LYRA_ELEMENT_CUBE8, true, LYRA_CUBE_FRAME_CENTRE},
    {"cubes, frame of a tet", LYRA_ELEMENT_CUBE8, false, LYRA_CUBE_FRAME_VEGA},
    {"orthotropic cubes, frame of a tet", LYRA_ELEMENT_CUBE8, true, LYRA_CUBE_FRAME_VEGA},
    {"tets of 10 nodes", LYRA_ELEMENT_TET10, false, LYRA_CUBE_FRAME_CENTRE},
    {"hexahedra", LYRA_ELEMENT_HEX8, false, LYRA_CUBE_FRAME_CENTRE},
};
#define KIND_COUNT ((int)(sizeof kinds / sizeof kinds[0]))

static LyraForce *make_force(LyraContext *ctx, const LyraMesh *mesh, LyraCorotationalModel model,
                             LyraCubeFrame frame, int32_t frame_steps)
{
    LyraCorotationalDef def = lyra_corotational_def_default();
    def.model = model;
    def.cube_frame = frame;
    def.frame_steps = frame_steps;
    LyraForce *force = NULL;
    TEST_OK(lyra_corotational_create(ctx, mesh, &def, &force));
    return force;
}

static Body make_kind(LyraContext *ctx, const Kind *kind, LyraCorotationalModel model, int32_t n)
{
    LyraMeshMaterial materials[2] = {enu_material(2e5, 0.3), enu_material(3e4, 0.45)};
    if (kind->orthotropic) {
        materials[1] = orthotropic_material();
    }
    LyraMesh *mesh = make_box(ctx, kind->element, n + 1, n, n, 2, materials);
    return make_body(ctx, mesh, make_force(ctx, mesh, model, kind->frame, 1));
}

static Body make_one(LyraContext *ctx, const Kind *kind, LyraCorotationalModel model)
{
    LyraMeshMaterial material = kind->orthotropic ? orthotropic_material() : enu_material(1, 0.3);
    LyraMesh *mesh = make_single(ctx, kind->element, &material);
    return make_body(ctx, mesh, make_force(ctx, mesh, model, kind->frame, 1));
}

static bool is_conservative(const Kind *kind)
{
    return kind->element != LYRA_ELEMENT_CUBE8 && !kind->orthotropic;
}

// ---- derivatives --------------------------------------------------------------------------------

LYRA_TEST(corotational_exact_derivatives_match_differences)
{
    for (LyraIsa isa = LYRA_ISA_SCALAR; isa != LYRA_ISA_AUTO; isa = test_next_isa(isa)) {
        LyraContext *ctx = test_context(1, isa);
        for (int k = 0; k < KIND_COUNT; ++k) {
            Body body = make_kind(ctx, &kinds[k], EXACT, 2);
            TestRandom random = test_random(3);
            double *x = malloc((size_t)body.n * 3 * sizeof *x);
            for (int state = 0; state < STATE_COUNT; ++state) {
                char what[120];
                snprintf(what, sizeof what, "%s, %s, %s", kinds[k].name, lyra_isa_name(isa),
                         state_name((StateKind)state));
                set_state(&body, (StateKind)state, &random, x);
                // directions no larger than the collapsed body
                check_derivatives(&body, x, state == STATE_COLLAPSED ? 0.01 : 0.3, &random,
                                  is_conservative(&kinds[k]), what);
            }
            free(x);
            end_body(&body);
        }
        test_context_end(ctx);
    }
}

LYRA_TEST(corotational_symmetry_is_as_declared)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    for (int k = 0; k < KIND_COUNT; ++k) {
        for (int model = APPROXIMATE; model <= EXACT; ++model) {
            Body body = make_one(ctx, &kinds[k], (LyraCorotationalModel)model);
            TestRandom random = test_random(4);
            double x[30], K[30 * 30], worst = 0, size = 0;
            set_state(&body, STATE_LARGE, &random, x);
            for (int32_t i = 0; i < 3 * body.n; ++i) {
                x[i] += test_random_in(&random, -0.1, 0.1);
            }
            evaluate(&body, x, NULL, NULL, true);
            dense_tangent(&body, K);
            int32_t dofs = 3 * body.n;
            for (int32_t i = 0; i < dofs; ++i) {
                for (int32_t j = 0; j < dofs; ++j) {
                    worst = larger(worst, fabs(K[i + j * dofs] - K[j + i * dofs]));
                    size = fmax(size, fabs(K[i + j * dofs]));
                }
            }
            bool symmetric = lyra_force_type(body.force)->traits & LYRA_FORCE_SYMMETRIC;
            TEST_EQUAL(symmetric, model == APPROXIMATE || is_conservative(&kinds[k]));
            // symmetric to rounding, or far from it
            TEST_CHECK_MSG(symmetric ? worst <= 1e-12 * size : worst > 1e-3 * size,
                           "%s, %s: asymmetry %g of %g", kinds[k].name,
                           lyra_corotational_model_name((LyraCorotationalModel)model), worst, size);
            end_body(&body);
        }
    }
    test_context_end(ctx);
}

LYRA_TEST(corotational_tangents_agree_at_zero_strain)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    for (int k = 0; k < KIND_COUNT; ++k) {
        Body exact = make_kind(ctx, &kinds[k], EXACT, 1);
        Body approximate = make_kind(ctx, &kinds[k], APPROXIMATE, 1);
        TestRandom random = test_random(6);
        int32_t dofs = 3 * exact.n;
        double R[9], *x = calloc((size_t)dofs * 3, sizeof *x), *a = x + dofs, *b = a + dofs;
        rotation_by(&random, 2.5, R);
        for (int32_t i = 0; i < dofs; ++i) {
            for (int j = 0; j < 3; ++j) {
                x[i] += R[3 * (i % 3) + j] * exact.rest[i - i % 3 + j];
            }
        }
        evaluate(&exact, x, NULL, NULL, true);
        evaluate(&approximate, x, NULL, NULL, true);
        double d[3 * 64];
        TEST_REQUIRE(dofs <= 3 * 64);
        for (int32_t i = 0; i < dofs; ++i) {
            d[i] = test_random_normal(&random);
        }
        apply_tangent(&exact, d, a);
        apply_tangent(&approximate, d, b);
        TEST_NEAR(apart(dofs, a, b), 0, 1e-12);
        free(x);
        end_body(&exact);
        end_body(&approximate);
    }
    test_context_end(ctx);
}

// ---- physics ------------------------------------------------------------------------------------

LYRA_TEST(corotational_energy_matches_the_closed_form)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    const double stretches[3][3] = {{1.2, 0.9, 1.1}, {1.3, 0.8, -0.5}, {1.1, 0.7, 0}};
    double lambda = 0.3 / (1.3 * 0.4), mu = 1 / 2.6;
    for (int k = 0; k < KIND_COUNT; ++k) {
        for (int n = 0; n < 3; ++n) {
            if (kinds[k].orthotropic) {
                continue;
            }
            Body body = make_one(ctx, &kinds[k], EXACT);
            TestRandom random = test_random(2);
            const double *s = stretches[n];
            double U[9], V[9], x[30] = {0}, energy, trace = 0, square = 0;
            test_random_rotation(&random, U);
            test_random_rotation(&random, V);
            for (int32_t i = 0; i < 3 * body.n; ++i) {
                for (int c = 0; c < 9; ++c) {
                    x[i] += U[3 * (i % 3) + c / 3] * s[c / 3] * V[3 * (c % 3) + c / 3] *
                            body.rest[i - i % 3 + c % 3];
                }
            }
            for (int c = 0; c < 3; ++c) {
                trace += s[c] - 1;
                square += (s[c] - 1) * (s[c] - 1);
            }
            evaluate(&body, x, &energy, NULL, false);
            double volume = lyra_element_kind_corners(kinds[k].element) == 4 ? 1. / 6 : 1;
            TEST_NEAR(energy, volume * (mu * square + lambda / 2 * trace * trace), 1e-14);
            end_body(&body);
        }
    }
    test_context_end(ctx);
}

LYRA_TEST(corotational_forces_turn_with_the_frame)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    for (int k = 0; k < KIND_COUNT; ++k) {
        Body body = make_kind(ctx, &kinds[k], EXACT, 2);
        TestRandom random = test_random(8);
        int32_t dofs = 3 * body.n;
        double Q[9], energy[2], *x = calloc((size_t)dofs * 5, sizeof *x);
        double *y = x + dofs, *g = y + dofs, *turned = g + dofs, *expected = turned + dofs;
        test_random_rotation(&random, Q);
        set_state(&body, STATE_LARGE, &random, x);
        evaluate(&body, x, &energy[0], g, false);
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
        // rest, turned, has neither energy nor force
        memset(y, 0, (size_t)dofs * sizeof *y);
        for (int32_t i = 0; i < dofs; ++i) {
            for (int c = 0; c < 3; ++c) {
                y[i] += Q[3 * (i % 3) + c] * body.rest[i - i % 3 + c];
            }
        }
        evaluate(&body, y, &energy[1], turned, false);
        TEST_NEAR(energy[1], 0, 1e-20 * energy[0] + 1e-24);
        for (int32_t i = 0; i < dofs; ++i) {
            TEST_NEAR(turned[i], 0, 1e-10);
        }
        free(x);
        end_body(&body);
    }
    test_context_end(ctx);
}

LYRA_TEST(corotational_net_force_vanishes_and_torque_where_conservative)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    for (int k = 0; k < KIND_COUNT; ++k) {
        Body body = make_kind(ctx, &kinds[k], APPROXIMATE, 2);
        TestRandom random = test_random(5);
        double *x = malloc((size_t)body.n * 6 * sizeof *x), *g = x + 3 * body.n, force, torque;
        set_state(&body, STATE_LARGE, &random, x);
        evaluate(&body, x, NULL, g, false);
        net_force(body.n, g, x, &force, &torque);
        TEST_NEAR(force, 0, 1e-13);
        if (is_conservative(&kinds[k])) {
            TEST_NEAR(torque, 0, 1e-13);
        } else {
            TEST_CHECK_MSG(torque > 1e-6, "%s: torque %g", kinds[k].name, torque);
        }
        free(x);
        end_body(&body);
    }
    test_context_end(ctx);
}

// ENU constants written as orthotropic ones, in turned axes
LYRA_TEST(corotational_orthotropic_with_isotropic_constants_is_isotropic)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    LyraMeshMaterial enu = enu_material(2e5, 0.3), same = orthotropic_material();
    for (int i = 0; i < 3; ++i) {
        same.orthotropic.young[i] = 2e5;
        same.orthotropic.poisson[i] = 0.3;
        same.orthotropic.shear[i] = 2e5 / 2.6;
    }
    for (int element = 0; element < LYRA_ELEMENT_TET10; ++element) {
        for (int model = 0; model < LYRA_COROTATIONAL_MODEL_COUNT; ++model) {
            double *result[2], *x = NULL, d[3 * 12];
            int32_t dofs = 0;
            for (int way = 0; way < 2; ++way) {
                LyraMesh *mesh =
                    make_box(ctx, (LyraElementKind)element, 2, 1, 1, 1, way ? &same : &enu);
                Body body = make_body(
                    ctx, mesh,
                    make_force(ctx, mesh, (LyraCorotationalModel)model, LYRA_CUBE_FRAME_CENTRE, 1));
                TestRandom random = test_random(2);
                dofs = 3 * body.n;
                TEST_REQUIRE(dofs <= 36);
                x = x ? x : malloc((size_t)dofs * sizeof *x);
                set_state(&body, STATE_LARGE, &random, x);
                for (int32_t i = 0; i < dofs; ++i) {
                    d[i] = test_random_normal(&random);
                }
                result[way] = malloc((size_t)(2 * dofs + 1) * sizeof **result);
                evaluate(&body, x, result[way], result[way] + 1, true);
                TEST_NEAR(result[way][0], result[0][0], 1e-13 * result[0][0]);
                apply_tangent(&body, d, result[way] + 1 + dofs);
                end_body(&body);
            }
            TEST_NEAR(apart(dofs, result[1] + 1, result[0] + 1), 0, 1e-12);
            TEST_NEAR(apart(dofs, result[1] + 1 + dofs, result[0] + 1 + dofs), 0, 1e-12);
            free(result[0]);
            free(result[1]);
            free(x);
        }
    }
    test_context_end(ctx);
}

LYRA_TEST(corotational_cubes_agree_with_tets_in_uniform_strain)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    LyraMeshMaterial material = orthotropic_material();
    double F[9], energy[2];
    TestRandom random = test_random(2);
    test_random_rotation(&random, F);
    F[0] += 0.3;
    F[5] -= 0.2;
    for (int element = 0; element < LYRA_ELEMENT_TET10; ++element) {
        LyraMesh *mesh = make_box(ctx, (LyraElementKind)element, 3, 2, 2, 1, &material);
        if (element == LYRA_ELEMENT_TET4) {
            // without jitter, so that the volume is that of the cubes
            lyra_mesh_destroy(mesh);
            LyraMeshShapeDef shape = lyra_mesh_shape_def_default();
            shape.material = &material;
            for (int i = 0; i < 3; ++i) {
                shape.cells[i] = i ? 2 : 3;
                shape.size[i] = CELL * shape.cells[i];
            }
            TEST_OK(lyra_mesh_generate(ctx, &shape, &mesh));
        }
        Body body =
            make_body(ctx, mesh, make_force(ctx, mesh, APPROXIMATE, LYRA_CUBE_FRAME_CENTRE, 1));
        double *x = calloc((size_t)body.n * 6, sizeof *x), *g = x + 3 * body.n, largest = 0;
        for (int32_t i = 0; i < 3 * body.n; ++i) {
            for (int c = 0; c < 3; ++c) {
                x[i] += F[3 * (i % 3) + c] * body.rest[i - i % 3 + c];
            }
        }
        evaluate(&body, x, &energy[element], g, false);
        // vertices inside are in balance
        for (int32_t i = 0; i < 3 * body.n; ++i) {
            largest = fmax(largest, fabs(g[i]));
        }
        for (int32_t i = 0; i < body.n; ++i) {
            const double *X = body.rest + 3 * i;
            bool inside =
                fabs(X[0]) < 1.4 * CELL && fabs(X[1]) < 0.9 * CELL && fabs(X[2]) < 0.9 * CELL;
            for (int c = 0; inside && c < 3; ++c) {
                TEST_NEAR(g[3 * i + c], 0, 1e-12 * largest);
            }
        }
        free(x);
        end_body(&body);
    }
    TEST_NEAR(energy[1], energy[0], 1e-12 * energy[0]);
    test_context_end(ctx);
}

// ---- positive semi-definite ---------------------------------------------------------------------

LYRA_TEST(corotational_approximate_tangent_is_psd)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    for (int k = 0; k < KIND_COUNT; ++k) {
        Body body = make_one(ctx, &kinds[k], APPROXIMATE);
        TestRandom random = test_random(12);
        for (int round = 0; round < 100; ++round) {
            double x[30], K[30 * 30];
            for (int32_t i = 0; i < 3 * body.n; ++i) {
                x[i] = body.rest[i] + 1.5 * test_random_in(&random, -1, 1);
            }
            evaluate(&body, x, NULL, NULL, true);
            TEST_CHECK(smallest_eigenvalue(&body, K) >= -1e-12);
        }
        end_body(&body);
    }
    test_context_end(ctx);
}

// the nearest rotation is not unique: rank 0 and 1, mirrored; nothing may become NaN
LYRA_TEST(corotational_singular_states_stay_finite)
{
    const double stretches[][3] = {{0, 0, 0},      {1, 0, 0},           {1, 1, -1},
                                   {2, 0.5, -0.5}, {1, 1e-9, -1e-9},    {1, 1e-20, 0},
                                   {1e-200, 0, 0}, {1e-310, 0, 0},      {-1, -1, -1},
                                   {1e-9, 0, 0},   {1e-160, 1e-160, 0}, {1, 1e-12, -1e-13}};
    for (LyraIsa isa = LYRA_ISA_SCALAR; isa != LYRA_ISA_AUTO; isa = test_next_isa(isa)) {
        LyraContext *ctx = test_context(1, isa);
        for (int k = 0; k < KIND_COUNT; ++k) {
            Body body = make_one(ctx, &kinds[k], EXACT);
            for (size_t n = 0; n < sizeof stretches / sizeof stretches[0]; ++n) {
                double x[30], g[30], K[30 * 30], energy;
                for (int32_t i = 0; i < 3 * body.n; ++i) {
                    x[i] = stretches[n][i % 3] * body.rest[i];
                }
                for (int psd = 0; psd < 2; ++psd) {
                    body.psd = psd;
                    evaluate(&body, x, &energy, g, true);
                    dense_tangent(&body, K);
                    double sum = energy;
                    for (int32_t i = 0; i < 3 * body.n; ++i) {
                        sum += g[i];
                    }
                    for (int32_t i = 0; i < 9 * body.n * body.n; ++i) {
                        sum += K[i];
                    }
                    TEST_CHECK_MSG(isfinite(sum), "%s, state %zu: %g", kinds[k].name, n, sum);
                    if (psd) {
                        TEST_CHECK(smallest_eigenvalue(&body, K) >= -1e-12);
                    }
                }
            }
            end_body(&body);
        }
        test_context_end(ctx);
    }
}
