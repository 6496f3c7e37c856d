// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Isotropic solids: every law on tets and cubes at ordinary, extreme and singular states, inversion
// modes, resistance to compression, projection, and the two paths to the same numbers.

#include "isotropic_body.h"

// ---- derivatives --------------------------------------------------------------------------------

static void check_model(LyraIsa isa, LyraMaterialLaw model, LyraElementKind kind,
                        LyraInversion inversion, double resistance, int states)
{
    LyraContext *ctx = test_context(1, isa);
    LyraElasticDef def = lyra_elastic_def_default();
    def.model = model;
    def.inversion = inversion;
    def.compression_resistance = resistance;
    Body body = make_isotropic(ctx, def, kind, 2, 1, 1);
    TestRandom random = test_random(3);
    double *x = malloc((size_t)body.n * 3 * sizeof *x);
    for (int state = 0; state < states; ++state) {
        char what[120];
        snprintf(what, sizeof what, "%s, %s, %s, r = %g, %s", lyra_material_law_name(model),
                 lyra_element_kind_name(kind), lyra_inversion_name(inversion), resistance,
                 isotropic_state_names[state]);
        set_isotropic_state(&body, (IsotropicState)state, &random, x);
        // steps that stay clear of the limits between pieces of the energy
        check_derivatives_within(&body, x, state >= RANDOM ? 2e-5 : 1e-3, 1, 1e-6, &random, true,
                                 what);
    }
    free(x);
    end_body(&body);
    test_context_end(ctx);
}

LYRA_TEST(isotropic_extended_laws_match_differences_on_tets)
{
    for (int model = LYRA_MATERIAL_STVK; model < LYRA_MATERIAL_LAW_COUNT; ++model) {
        check_model(LYRA_ISA_AUTO, (LyraMaterialLaw)model, LYRA_ELEMENT_TET4, LYRA_INVERSION_EXTEND,
                    0, ISOTROPIC_STATE_COUNT);
        check_model(LYRA_ISA_SCALAR, (LyraMaterialLaw)model, LYRA_ELEMENT_TET4,
                    LYRA_INVERSION_EXTEND, 500, ISOTROPIC_STATE_COUNT);
    }
}

LYRA_TEST(isotropic_extended_laws_match_differences_on_cubes)
{
    for (int model = LYRA_MATERIAL_STVK; model < LYRA_MATERIAL_LAW_COUNT; ++model) {
        check_model(LYRA_ISA_AUTO, (LyraMaterialLaw)model, LYRA_ELEMENT_CUBE8,
                    LYRA_INVERSION_EXTEND, 0, ISOTROPIC_STATE_COUNT);
        check_model(LYRA_ISA_SCALAR, (LyraMaterialLaw)model, LYRA_ELEMENT_CUBE8,
                    LYRA_INVERSION_EXTEND, 500, ISOTROPIC_STATE_COUNT);
    }
}

LYRA_TEST(isotropic_extended_laws_match_differences_on_mapped_elements)
{
    const LyraElementKind kinds[] = {LYRA_ELEMENT_TET10, LYRA_ELEMENT_HEX8};
    for (int model = LYRA_MATERIAL_STVK; model < LYRA_MATERIAL_LAW_COUNT; ++model) {
        for (int k = 0; k < 2; ++k) {
            check_model(LYRA_ISA_AUTO, (LyraMaterialLaw)model, kinds[k], LYRA_INVERSION_EXTEND, 0,
                        ISOTROPIC_STATE_COUNT);
            check_model(LYRA_ISA_SCALAR, (LyraMaterialLaw)model, kinds[k], LYRA_INVERSION_EXTEND,
                        500, ISOTROPIC_STATE_COUNT);
        }
    }
}

LYRA_TEST(isotropic_clamped_and_plain_laws_match_differences_where_they_hold)
{
    for (int model = LYRA_MATERIAL_STVK; model < LYRA_MATERIAL_LAW_COUNT; ++model) {
        for (int kind = 0; kind < LYRA_ELEMENT_KIND_COUNT; ++kind) {
            check_model(LYRA_ISA_AUTO, (LyraMaterialLaw)model, (LyraElementKind)kind,
                        LYRA_INVERSION_CLAMP, 500, ROTATED + 1);
            // laws that are polynomials in F hold everywhere
            bool everywhere = model == LYRA_MATERIAL_STVK ||
                              model == LYRA_MATERIAL_STABLE_NEO_HOOKEAN ||
                              model == LYRA_MATERIAL_STABLE_NEO_HOOKEAN_LOG;
            check_model(LYRA_ISA_AUTO, (LyraMaterialLaw)model, (LyraElementKind)kind,
                        LYRA_INVERSION_NONE, 0, everywhere ? COLLAPSED : ROTATED + 1);
        }
    }
}

// diagonal blocks, the only ones whose transpose is not another's place
static void check_symmetry(const Body *body)
{
    LyraBlockPatternView pattern = lyra_block_pattern_view(lyra_block_matrix_pattern(body->K));
    const double *values = lyra_block_matrix_values(body->K);
    double size = 0;
    for (int64_t i = 0; i < 9 * pattern.block_count; ++i) {
        size = fmax(size, fabs(values[i]));
    }
    for (int32_t i = 0; i < pattern.row_count; ++i) {
        const double *D = values + 9 * (int64_t)pattern.diagonal[i];
        TEST_NEAR(D[1], D[3], 1e-12 * size);
        TEST_NEAR(D[2], D[6], 1e-12 * size);
        TEST_NEAR(D[5], D[7], 1e-12 * size);
    }
}

// ---- physics ------------------------------------------------------------------------------------

LYRA_TEST(isotropic_forces_turn_with_the_body_and_balance)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    for (int model = LYRA_MATERIAL_STVK; model < LYRA_MATERIAL_LAW_COUNT; ++model) {
        for (int kind = 0; kind < LYRA_ELEMENT_KIND_COUNT; ++kind) {
            LyraElasticDef def = lyra_elastic_def_default();
            def.model = (LyraMaterialLaw)model;
            def.compression_resistance = 100;
            Body body = make_isotropic(ctx, def, (LyraElementKind)kind, 2, 2, 1);
            TestRandom random = test_random(11);
            int32_t dofs = 3 * body.n;
            double *x = malloc((size_t)dofs * 4 * sizeof *x), *g = x + dofs;
            double *turned = g + dofs, *gt = turned + dofs, energy[2], R[9];
            const IsotropicState kinds[3] = {LARGE, RANDOM, INVERTED};
            for (int state = 0; state < 3; ++state) {
                set_isotropic_state(&body, kinds[state], &random, x);
                test_random_rotation(&random, R);
                for (int32_t i = 0; i < dofs; ++i) {
                    const double *p = x + i / 3 * 3, *row = R + 3 * (i % 3);
                    turned[i] = row[0] * p[0] + row[1] * p[1] + row[2] * p[2] + 0.3;
                }
                evaluate_psd(&body, x, false, &energy[0], g);
                check_symmetry(&body);
                evaluate_psd(&body, turned, false, &energy[1], gt);
                TEST_NEAR(energy[1], energy[0], 1e-11 * energy[0]);
                double size = 0, net[3] = {0}, torque[3] = {0};
                for (int32_t i = 0; i < dofs; ++i) {
                    size = fmax(size, fabs(g[i]));
                }
                for (int32_t i = 0; i < dofs; ++i) {
                    const double *p = g + i / 3 * 3, *row = R + 3 * (i % 3);
                    int c = i % 3, c1 = (c + 1) % 3, c2 = (c + 2) % 3;
                    TEST_NEAR(gt[i], row[0] * p[0] + row[1] * p[1] + row[2] * p[2], 1e-11 * size);
                    const double *at = x + i / 3 * 3;
                    net[c] += g[i];
                    torque[c] += at[c1] * p[c2] - at[c2] * p[c1];
                }
                for (int c = 0; c < 3; ++c) {
                    TEST_NEAR(net[c], 0, 1e-12 * size);
                    TEST_NEAR(torque[c], 0, 1e-12 * size);
                }
            }
            free(x);
            end_body(&body);
        }
    }
    test_context_end(ctx);
}

// a homogeneous deformation leaves the vertices inside without force
LYRA_TEST(isotropic_patch_test_passes)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    for (int model = LYRA_MATERIAL_STVK; model < LYRA_MATERIAL_LAW_COUNT; ++model) {
        for (int kind = 0; kind < LYRA_ELEMENT_KIND_COUNT; ++kind) {
            LyraElasticDef def = lyra_elastic_def_default();
            def.model = (LyraMaterialLaw)model;
            Body body = make_isotropic(ctx, def, (LyraElementKind)kind, 3, 3, 3);
            const double A[9] = {1.2, 0.1, 0, -0.1, 0.9, 0.2, 0.05, 0, 1.1};
            double *x = malloc((size_t)body.n * 6 * sizeof *x), *g = x + 3 * body.n, size = 0;
            for (int32_t i = 0; i < 3 * body.n; ++i) {
                const double *p = body.rest + i / 3 * 3, *row = A + 3 * (i % 3);
                x[i] = row[0] * p[0] + row[1] * p[1] + row[2] * p[2];
            }
            gradient_at(&body, x, g);
            for (int32_t i = 0; i < 3 * body.n; ++i) {
                size = fmax(size, fabs(g[i]));
            }
            int32_t inside = 0;
            for (int32_t i = 0; i < body.n; ++i) {
                const double *p = body.rest + 3 * i;
                if (fabs(p[0]) < 0.1 && fabs(p[1]) < 0.1 && fabs(p[2]) < 0.1) {
                    ++inside;
                    for (int c = 0; c < 3; ++c) {
                        TEST_NEAR(g[3 * i + c], 0, 1e-13 * size);
                    }
                }
            }
            TEST_CHECK(kind == LYRA_ELEMENT_TET10 ? inside > 8 : inside == 8);
            free(x);
            end_body(&body);
        }
    }
    test_context_end(ctx);
}

// cubes of a homogeneous state have the energy and the net faces forces of tets
LYRA_TEST(isotropic_elements_agree_on_homogeneous_states)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    for (int model = LYRA_MATERIAL_STVK; model < LYRA_MATERIAL_LAW_COUNT; ++model) {
        const double A[9] = {1.2, 0.1, 0, -0.1, 0.9, 0.2, 0.05, 0, 0.4};
        double energy[LYRA_ELEMENT_KIND_COUNT];
        for (int kind = 0; kind < LYRA_ELEMENT_KIND_COUNT; ++kind) {
            LyraElasticDef def = lyra_elastic_def_default();
            def.model = (LyraMaterialLaw)model;
            def.inversion_threshold = 0.6; // some of the energy is extended
            def.compression_resistance = 500;
            Body body = make_isotropic(ctx, def, (LyraElementKind)kind, 2, 2, 2);
            double *x = malloc((size_t)body.n * 3 * sizeof *x);
            for (int32_t i = 0; i < 3 * body.n; ++i) {
                const double *p = body.rest + i / 3 * 3, *row = A + 3 * (i % 3);
                x[i] = row[0] * p[0] + row[1] * p[1] + row[2] * p[2];
            }
            energy_at(&body, x, &energy[kind]);
            free(x);
            end_body(&body);
        }
        for (int kind = 1; kind < LYRA_ELEMENT_KIND_COUNT; ++kind) {
            TEST_NEAR(energy[kind], energy[0], 1e-12 * energy[0]);
        }
    }
    test_context_end(ctx);
}

// ---- inversion ----------------------------------------------------------------------------------

// exactly flat, mirrored, a line, a point: finite, and the extension pushes back
LYRA_TEST(isotropic_singular_states_stay_finite)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    static const double stretches[][3] = {{1, 1, 0},     {1, 1, -1},      {1, 0, 0},
                                          {0, 0, 0},     {0.1, 0.1, 0.1}, {0.5, 0.5, -0.5},
                                          {1, 0.1, -0.1}};
    for (int model = LYRA_MATERIAL_STVK; model < LYRA_MATERIAL_LAW_COUNT; ++model) {
        for (int mode = 0; mode < LYRA_INVERSION_NONE; ++mode) {
            for (int kind = 0; kind < LYRA_ELEMENT_KIND_COUNT; ++kind) {
                LyraElasticDef def = lyra_elastic_def_default();
                def.model = (LyraMaterialLaw)model;
                def.inversion = (LyraInversion)mode;
                Body body = make_isotropic(ctx, def, (LyraElementKind)kind, 1, 1, 1);
                double *x = malloc((size_t)body.n * 9 * sizeof *x), *g = x + 3 * body.n;
                double *Kg = g + 3 * body.n, energy, expansion = 0;
                for (int state = 0; state < 7; ++state) {
                    for (int32_t i = 0; i < 3 * body.n; ++i) {
                        x[i] = stretches[state][i % 3] * body.rest[i];
                    }
                    for (int psd = 0; psd < 2; ++psd) {
                        evaluate_psd(&body, x, psd, &energy, g);
                        apply_tangent(&body, body.rest, Kg);
                        bool finite = isfinite(energy);
                        expansion = 0;
                        for (int32_t i = 0; i < 3 * body.n; ++i) {
                            finite = finite && isfinite(g[i]) && isfinite(Kg[i]);
                            expansion -= g[i] * body.rest[i];
                        }
                        TEST_CHECK_MSG(finite, "%s, %s, state %d",
                                       lyra_material_law_name((LyraMaterialLaw)model),
                                       lyra_inversion_name((LyraInversion)mode), state);
                    }
                    if (state == 3 && mode == LYRA_INVERSION_EXTEND) {
                        TEST_CHECK_MSG(expansion > 0, "%s: a point does not expand",
                                       lyra_material_law_name((LyraMaterialLaw)model));
                    }
                }
                free(x);
                end_body(&body);
            }
        }
    }
    test_context_end(ctx);
}

// clamp: at stretches below the threshold all is as at the threshold
LYRA_TEST(isotropic_clamp_evaluates_at_the_threshold)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    for (int model = LYRA_MATERIAL_STVK; model < LYRA_MATERIAL_LAW_COUNT; ++model) {
        LyraElasticDef def = lyra_elastic_def_default();
        def.model = (LyraMaterialLaw)model;
        def.inversion = LYRA_INVERSION_CLAMP;
        def.compression_resistance = 500;
        Body body = make_isotropic(ctx, def, LYRA_ELEMENT_TET4, 1, 1, 1);
        double *x = malloc((size_t)body.n * 6 * sizeof *x), *g = x + 3 * body.n, first[24];
        const double last[3] = {0.1, 0.02, -0.4};
        double energy[3];
        for (int state = 0; state < 3; ++state) {
            const double s[3] = {1.1, 0.9, last[state]};
            for (int32_t i = 0; i < 3 * body.n; ++i) {
                x[i] = s[i % 3] * body.rest[i];
            }
            evaluate_psd(&body, x, false, &energy[state], g);
            memcpy(state ? g + 0 : first, g, sizeof first);
            TEST_NEAR(energy[state], energy[0], 1e-12 * energy[0]);
            for (int i = 0; i < 24; ++i) {
                TEST_NEAR(g[i], first[i], 1e-10 * fabs(energy[0]) / 0.1);
            }
        }
        free(x);
        end_body(&body);
    }
    test_context_end(ctx);
}

// ---- two paths, one result ----------------------------------------------------------------------

static void compare(LyraElasticDef a, LyraElasticDef b, LyraElementKind kind, bool psd,
                    double smallest, double tolerance)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    Body body[2] = {make_isotropic(ctx, a, kind, 2, 2, 1), make_isotropic(ctx, b, kind, 2, 2, 1)};
    TestRandom random = test_random(17);
    int32_t dofs = 3 * body[0].n;
    double *x = malloc((size_t)dofs * 5 * sizeof *x), R[9], Q[9], energy[2];
    double *g[2] = {x + dofs, x + 2 * dofs}, *Kd[2] = {x + 3 * dofs, x + 4 * dofs};
    for (int state = 0; state < 20; ++state) {
        test_random_rotation(&random, R);
        test_random_rotation(&random, Q);
        // the last one is uniform, with equal stretches
        double s[3] = {test_random_in(&random, 1, 1.6), test_random_in(&random, smallest, 1),
                       test_random_in(&random, smallest, 0.8)};
        for (int i = 0; i < 3 && state == 19; ++i) {
            s[i] = 1.01;
        }
        for (int32_t i = 0; i < dofs; ++i) {
            const double *p = body[0].rest + i / 3 * 3;
            x[i] = 0;
            for (int k = 0; k < 3; ++k) {
                x[i] += R[3 * (i % 3) + k] * s[k] *
                        (Q[3 * k] * p[0] + Q[3 * k + 1] * p[1] + Q[3 * k + 2] * p[2]);
            }
        }
        double size = 0;
        for (int k = 0; k < 2; ++k) {
            evaluate_psd(&body[k], x, psd && k, &energy[k], g[k]);
            apply_tangent(&body[k], body[0].rest, Kd[k]);
        }
        for (int32_t i = 0; i < dofs; ++i) {
            size = fmax(size, fmax(fabs(g[0][i]), fabs(Kd[0][i])));
        }
        TEST_NEAR(energy[1], energy[0], tolerance * fabs(energy[0]));
        for (int32_t i = 0; i < 2 * dofs; ++i) {
            double *from = i < dofs ? g[0] : Kd[0], *to = i < dofs ? g[1] : Kd[1];
            TEST_NEAR(to[i % dofs], from[i % dofs], tolerance * size);
        }
    }
    free(x);
    end_body(&body[0]);
    end_body(&body[1]);
    test_context_end(ctx);
}

LYRA_TEST(isotropic_paths_with_and_without_svd_agree)
{
    for (int model = LYRA_MATERIAL_STVK; model < LYRA_MATERIAL_LAW_COUNT; ++model) {
        for (int kind = 0; kind < LYRA_ELEMENT_KIND_COUNT; ++kind) {
            LyraElasticDef plain = lyra_elastic_def_default(), careful = plain;
            plain.model = careful.model = (LyraMaterialLaw)model;
            plain.inversion = LYRA_INVERSION_NONE;
            careful.inversion_threshold = 0.5; // the quick bound does not exclude it
            compare(plain, careful, (LyraElementKind)kind, false, 0.51, 1e-12);
            careful.inversion = LYRA_INVERSION_CLAMP;
            compare(plain, careful, (LyraElementKind)kind, false, 0.51, 1e-12);
            plain.compression_resistance = careful.compression_resistance = 500;
            compare(plain, careful, (LyraElementKind)kind, false, 0.51, 1e-12);
            // the closed forms leave it to the kernel of all laws
            plain.compression_resistance = 0;
            careful = plain;
            careful.compression_resistance = 1e-100;
            compare(plain, careful, (LyraElementKind)kind, false, 0.3, 1e-12);
        }
    }
}

// ---- a user's own law ---------------------------------------------------------------------------

// a copy of a law under another name takes the general kernels and gives the same numbers
LYRA_TEST(isotropic_user_laws_work_on_tets_and_cubes)
{
    const LyraMaterialLaw laws[] = {LYRA_MATERIAL_STVK, LYRA_MATERIAL_OGDEN};
    for (int round = 0; round < 4; ++round) {
        LyraMaterialType law = *lyra_material_type(laws[round / 2], LYRA_ISA_SCALAR);
        law.name = "mine";
        double p[LYRA_MATERIAL_PARAMETERS_MAX];
        TEST_OK(lyra_material_from_enu(laws[round / 2], 1e5, 0.3, p));
        LyraElasticConstant constants[LYRA_MATERIAL_PARAMETERS_MAX];
        for (int32_t i = 0; i < law.parameter_count; ++i) {
            constants[i] = (LyraElasticConstant){law.parameter_names[i], p[i]};
        }
        LyraElasticDef theirs = lyra_elastic_def_default(), mine = theirs;
        theirs.model = round / 2 ? LYRA_MATERIAL_OGDEN : LYRA_MATERIAL_STVK;
        theirs.constants = constants;
        theirs.constant_count = law.parameter_count;
        theirs.compression_resistance = 500;
        mine.law = &law;
        mine.constants = constants;
        mine.constant_count = law.parameter_count;
        mine.compression_resistance = 500;
        // a simple law does without `expand` where nothing is extended
        if (round % 2) {
            law.expand = NULL;
            theirs.inversion = mine.inversion = LYRA_INVERSION_CLAMP;
        }
        // on cubes the built-in StVK has more points, which tells nothing apart at uniform states
        compare(theirs, mine, (LyraElementKind)(round % 2), false, 0.3, 1e-11);
    }
}
