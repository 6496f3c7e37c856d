// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// All models of lyra_solid_model() on tets and cubes: empty meshes, few elements, vertices of no
// element, numbers that are not finite, units, boxes.

#include "force_bodies.h"

// ---- solids of separate elements ----------------------------------------------------------------

// `count` elements of edge `size` that share no vertex, each followed by a vertex of no element;
// only those with bit e of `use` are elements
static LyraMesh *make_separate(LyraContext *ctx, LyraElementKind kind, int32_t count, double size,
                               uint32_t use)
{
    LyraMeshMaterial material = lyra_mesh_material_default();
    LyraMesh *single = make_single(ctx, kind, &material), *mesh = NULL;
    LyraMeshView view = lyra_mesh_view(single);
    int32_t nodes = view.vertex_count, n = count * (nodes + 1), used = 0;
    double *x = calloc((size_t)n * 3 + 1, sizeof *x);
    int32_t *ids = calloc((size_t)(count * nodes) + 1, sizeof *ids);
    for (int32_t e = 0; e < count; ++e) {
        double *corners = x + 3 * e * (nodes + 1);
        for (int32_t i = 0; i < 3 * (nodes + 1); ++i) {
            corners[i] = size * (i < 3 * nodes ? view.positions[i] : 0.5);
        }
        for (int32_t a = 0; use >> e & 1 && a < nodes; ++a) {
            ids[used++] = e * (nodes + 1) + a;
        }
    }
    LyraMeshView data = {.kind = kind,
                         .vertex_count = n,
                         .element_count = used / nodes,
                         .positions = x,
                         .elements = ids};
    TEST_OK(lyra_mesh_create(ctx, &data, &mesh));
    lyra_mesh_destroy(single);
    free(x);
    free(ids);
    return mesh;
}

// every model with all its terms; all its numbers are proportional to `young`
static Body make_solid(LyraContext *ctx, const char *model, LyraMesh *mesh, double young,
                       double size)
{
    const LyraElasticConstant fibre[4] = {{"fibre-stiffness", 0.5 * young},
                                          {"fibre-exponent", 2},
                                          {"active-stress", 0.1 * young},
                                          {"activation", 0.7}};
    LyraSolidDef def = lyra_solid_def_default();
    def.model = model;
    def.young = young;
    def.poisson = 0.3;
    def.stiffness = young * size;
    def.compression_resistance = 5;
    if (strcmp(model, "fibre") == 0) {
        def.constants = fibre;
        def.constant_count = 4;
    }
    return make_solid_body(ctx, mesh, &def);
}

// the same in all elements: stretched, turned, or turned inside out
static void deform(const Body *body, int32_t block, StateKind kind, double size, double *x)
{
    TestRandom random = test_random(11);
    double F[9], noise[27];
    rotation_by(&random, kind == STATE_ROTATED ? 2.9 : 0.3, F);
    for (int i = 0; i < 9; ++i) {
        double inverted = i % 3 == 2 ? -0.4 : 1;
        F[i] *= kind == STATE_LARGE ? 1.3 - 0.2 * (i % 3) : kind == STATE_INVERTED ? inverted : 1;
    }
    for (int i = 0; i < 27; ++i) {
        noise[i] = 0.02 * size * test_random_in(&random, -1, 1);
    }
    for (int32_t i = 0; i < 3 * body->n; ++i) {
        x[i] = noise[i % (3 * block)];
        for (int k = 0; k < 3; ++k) {
            x[i] += F[3 * (i % 3) + k] * body->rest[i - i % 3 + k];
        }
    }
}

static const StateKind states[] = {STATE_LARGE, STATE_ROTATED, STATE_INVERTED};

// ---- few elements -------------------------------------------------------------------------------

static void check_empty(LyraContext *ctx, const char *model, LyraElementKind kind, int32_t count)
{
    Body body = make_solid(ctx, model, make_separate(ctx, kind, count, 1, 0), 1e4, 1);
    double energy = 1, *g = malloc((size_t)(3 * body.n + 1) * sizeof *g);
    for (int32_t i = 0; i < 3 * body.n; ++i) {
        g[i] = 1;
    }
    for (int psd = 0; psd < 2; ++psd) {
        body.psd = psd;
        evaluate(&body, body.rest, &energy, g, true);
        TEST_CHECK(energy == 0);
        for (int32_t i = 0; i < 3 * body.n; ++i) {
            TEST_CHECK(g[i] == 0);
        }
        LyraBlockPatternView view = lyra_block_pattern_view(lyra_assembly_pattern(body.assembly));
        for (int64_t i = 0; i < 9 * view.block_count; ++i) {
            TEST_CHECK(lyra_block_matrix_values(body.K)[i] == 0);
        }
    }
    free(g);
    end_body(&body);
}

LYRA_TEST(solids_without_elements_have_no_force)
{
    LyraContext *ctx = test_context(2, LYRA_ISA_AUTO);
    for (int32_t m = 0; lyra_solid_model(m); ++m) {
        for (int kind = 0; kind < LYRA_ELEMENT_TET10; ++kind) {
            check_empty(ctx, lyra_solid_model(m), (LyraElementKind)kind, 0);
            check_empty(ctx, lyra_solid_model(m), (LyraElementKind)kind, 2);
        }
    }
    test_context_end(ctx);
}

// energy, gradient and tangent times `rest` of `count` elements against as many times one
static void check_count(LyraContext *ctx, const char *model, LyraElementKind kind, int32_t count,
                        StateKind state, bool psd)
{
    Body one = make_solid(ctx, model, make_separate(ctx, kind, 1, 1, 1), 1e4, 1);
    Body many = make_solid(ctx, model, make_separate(ctx, kind, count, 1, ~0u), 1e4, 1);
    int32_t block = one.n, dofs = 3 * many.n;
    double *x = malloc((size_t)dofs * 3 * sizeof *x), *g = x + dofs, *Kx = g + dofs;
    double expected[3][27], energy[2];
    one.psd = many.psd = psd;
    deform(&one, block, state, 1, expected[0]);
    evaluate(&one, expected[0], &energy[0], expected[1], true);
    apply_tangent(&one, expected[0], expected[2]);
    deform(&many, block, state, 1, x);
    evaluate(&many, x, &energy[1], g, true);
    apply_tangent(&many, x, Kx);
    TEST_CHECK_MSG(isfinite(energy[0]), "energy of %s", model);
    TEST_NEAR(energy[1] / count, energy[0], 1e-13 * fabs(energy[0]));
    double worst = 0;
    for (int32_t e = 0; e < count; ++e) {
        worst = larger(worst, apart(3 * block, g + 3 * block * e, expected[1]));
        worst = larger(worst, apart(3 * block, Kx + 3 * block * e, expected[2]));
        // the vertex of no element
        for (int32_t i = 3 * block - 3; i < 3 * block; ++i) {
            TEST_CHECK(g[3 * block * e + i] == 0 && Kx[3 * block * e + i] == 0);
        }
    }
    TEST_CHECK_MSG(worst <= 1e-13 * test_tolerance_scale(), "%s, %s, %d elements, state %d: %g",
                   model, lyra_element_kind_name(kind), count, state, worst);
    free(x);
    end_body(&one);
    end_body(&many);
}

LYRA_TEST(solids_of_a_few_elements_are_the_sum_of_each)
{
    static const int32_t counts[] = {1, 2, 3, 5, 7, 8, 9};
    for (LyraIsa isa = LYRA_ISA_SCALAR; isa != LYRA_ISA_AUTO; isa = test_next_isa(isa)) {
        LyraContext *ctx = test_context(1, isa);
        for (int32_t m = 0; lyra_solid_model(m); ++m) {
            for (int i = 0; i < 2 * 7 * 3; ++i) {
                LyraElementKind kind = i % 2 ? LYRA_ELEMENT_CUBE8 : LYRA_ELEMENT_TET4;
                check_count(ctx, lyra_solid_model(m), kind, counts[i / 2 % 7], states[i / 14],
                            i / 2 % 2);
            }
        }
        test_context_end(ctx);
    }
}

// two forces that have no vertex in common, in one assembly
LYRA_TEST(solids_over_disjoint_vertices_do_not_meet)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    for (int32_t m = 0; lyra_solid_model(m); ++m) {
        for (int kind = 0; kind < LYRA_ELEMENT_TET10; ++kind) {
            const char *model = lyra_solid_model(m);
            Body part[3];
            LyraForce *forces[4];
            int32_t count = 0;
            for (int p = 0; p < 3; ++p) {
                static const uint32_t use[3] = {0x7f, 0x15, 0x6a};
                LyraMesh *mesh = make_separate(ctx, (LyraElementKind)kind, 7, 1, use[p]);
                part[p] = make_solid(ctx, model, mesh, 1e4, 1);
                int32_t own = 0;
                LyraForce *const *these = lyra_solid_forces(part[p].solid, &own);
                for (int32_t f = 0; p > 0 && f < own; ++f) {
                    forces[count++] = these[f];
                }
            }
            Body both = {.ctx = ctx, .mesh = part[0].mesh};
            assemble(&both, count, forces);
            int32_t dofs = 3 * both.n, block = both.n / 7;
            double *x = malloc((size_t)dofs * 3 * sizeof *x), *g[2] = {x + dofs, x + 2 * dofs};
            double energy[2];
            deform(&both, block, STATE_LARGE, 1, x);
            evaluate(&part[0], x, &energy[0], g[0], false);
            evaluate(&both, x, &energy[1], g[1], true);
            TEST_NEAR(energy[1], energy[0], 1e-13 * fabs(energy[0]));
            TEST_NEAR(apart(dofs, g[1], g[0]), 0, 1e-13);
            free(x);
            both.mesh = NULL;
            end_body(&both);
            for (int p = 0; p < 3; ++p) {
                end_body(&part[p]);
            }
        }
    }
    test_context_end(ctx);
}

// ---- numbers that are not finite ----------------------------------------------------------------

// one bad element spoils itself and the energy, and nothing else, whatever its batch
LYRA_TEST(solids_keep_what_is_not_finite_to_its_element)
{
    static const double bad[] = {NAN, INFINITY, -INFINITY, 1e200};
    for (LyraIsa isa = LYRA_ISA_SCALAR; isa != LYRA_ISA_AUTO; isa = test_next_isa(isa)) {
        LyraContext *ctx = test_context(1, isa);
        for (int32_t m = 0; lyra_solid_model(m); ++m) {
            for (int kind = 0; kind < LYRA_ELEMENT_TET10; ++kind) {
                const char *model = lyra_solid_model(m);
                LyraMesh *mesh = make_separate(ctx, (LyraElementKind)kind, 5, 1, ~0u);
                Body body = make_solid(ctx, model, mesh, 1e4, 1);
                int32_t dofs = 3 * body.n, block = dofs / 5;
                double *x = malloc((size_t)dofs * 3 * sizeof *x), energy;
                double *g = x + dofs, *expected = g + dofs;
                for (int i = 0; i < 4 * 2; ++i) {
                    body.psd = i % 2;
                    deform(&body, block / 3, STATE_LARGE, 1, x);
                    evaluate(&body, x, NULL, expected, true);
                    x[4 * block + 4] = bad[i / 2];
                    evaluate(&body, x, &energy, g, true);
                    TEST_CHECK_MSG(apart(4 * block, g, expected) <= 1e-12,
                                   "%s, %s: others of an element at %g", model, lyra_isa_name(isa),
                                   bad[i / 2]);
                    bool spoilt = !isfinite(g[4 * block + 4]) && !isfinite(energy);
                    TEST_CHECK_MSG(spoilt || i >= 2, "%s, %s: NaN gives %g N, %g J", model,
                                   lyra_isa_name(isa), g[4 * block + 4], energy);
                }
                free(x);
                end_body(&body);
            }
        }
        test_context_end(ctx);
    }
}

// ---- units --------------------------------------------------------------------------------------

// energy goes with E L^3, force with E L^2, stiffness with E L
LYRA_TEST(solids_scale_with_units)
{
    static const double youngs[] = {1, 1e-3, 1e5, 1e12}, sizes[] = {1, 1e-6, 1e-2, 1e6};
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    for (int32_t m = 0; lyra_solid_model(m); ++m) {
        const char *model = lyra_solid_model(m);
        for (int i = 0; i < 2 * 3 * 2; ++i) {
            LyraElementKind kind = i % 2 ? LYRA_ELEMENT_CUBE8 : LYRA_ELEMENT_TET4;
            double reference[2][27], reference_energy = 0;
            for (int k = 0; k < 16; ++k) {
                double E = youngs[k % 4], L = sizes[k / 4], x[27], found[2][27], energy;
                Body body = make_solid(ctx, model, make_separate(ctx, kind, 1, L, 1), E, L);
                int32_t dofs = 3 * body.n;
                body.psd = i / 6;
                deform(&body, body.n, states[i / 2 % 3], L, x);
                evaluate(&body, x, &energy, found[0], true);
                apply_tangent(&body, x, found[1]);
                for (int32_t j = 0; j < dofs; ++j) {
                    found[0][j] /= E * L * L;
                    found[1][j] /= E * L * L;
                }
                if (k == 0) {
                    memcpy(reference, found, sizeof reference);
                    reference_energy = energy;
                }
                double off[3] = {fabs(energy / (E * L * L * L) - reference_energy) /
                                     fmax(fabs(reference_energy), 1e-300),
                                 apart(dofs, found[0], reference[0]),
                                 apart(dofs, found[1], reference[1])};
                double worst = larger(larger(off[0], off[1]), off[2]);
                TEST_CHECK_MSG(worst <= 1e-11 * test_tolerance_scale(),
                               "%s, %s, state %d, psd %d, E = %g, L = %g: off by %g, %g, %g", model,
                               lyra_element_kind_name(kind), i / 2 % 3, body.psd, E, L, off[0],
                               off[1], off[2]);
                end_body(&body);
            }
        }
    }
    test_context_end(ctx);
}

// ---- boxes --------------------------------------------------------------------------------------

// one box with edges of its own, as a cube or as tets that fill it
static LyraMesh *make_brick(LyraContext *ctx, LyraElementKind kind)
{
    static const double size[3] = {0.1, 0.25, 0.04};
    LyraMeshShapeDef shape = lyra_mesh_shape_def_default();
    LyraMesh *unit = NULL, *mesh = NULL;
    double x[24];
    shape.kind = kind;
    for (int i = 0; i < 3; ++i) {
        shape.cells[i] = 1;
        shape.size[i] = 1;
    }
    TEST_OK(lyra_mesh_generate(ctx, &shape, &unit));
    LyraMeshView view = lyra_mesh_view(unit);
    for (int i = 0; i < 24; ++i) {
        x[i] = size[i % 3] * view.positions[i];
    }
    view.positions = x;
    TEST_OK(lyra_mesh_create(ctx, &view, &mesh));
    lyra_mesh_destroy(unit);
    return mesh;
}

// a cube need not have equal edges: it has the energy of tets in uniform states, and derivatives
LYRA_TEST(solids_of_boxes)
{
    const double F[9] = {1.2, 0.1, 0, -0.1, 0.9, 0.2, 0.05, 0, 1.1};
    for (LyraIsa isa = LYRA_ISA_SCALAR; isa != LYRA_ISA_AUTO; isa = test_next_isa(isa)) {
        LyraContext *ctx = test_context(1, isa);
        for (int32_t m = 0; lyra_solid_model(m); ++m) {
            const char *model = lyra_solid_model(m);
            double energy[2], x[24];
            bool conservative = false;
            for (int kind = 0; kind < 2; ++kind) {
                LyraMesh *mesh = make_brick(ctx, (LyraElementKind)kind);
                Body body = make_solid(ctx, model, mesh, 1e4, 0.1);
                TestRandom random = test_random(5);
                for (int32_t i = 0; i < 3 * body.n; ++i) {
                    const double *X = body.rest + i / 3 * 3, *row = F + 3 * (i % 3);
                    x[i] = row[0] * X[0] + row[1] * X[1] + row[2] * X[2];
                }
                evaluate(&body, x, &energy[kind], NULL, false);
                conservative = lyra_solid_is_conservative(body.solid);
                if (kind == 1 && strcmp(model, "corotational") != 0) {
                    for (int32_t i = 0; i < 3 * body.n; ++i) {
                        x[i] += 0.004 * test_random_normal(&random);
                    }
                    check_derivatives(&body, x, 0.05, &random, conservative, model);
                }
                end_body(&body);
            }
            if (strcmp(model, "mass-spring") != 0) {
                TEST_CHECK_MSG(fabs(energy[1] - energy[0]) <= 1e-12 * energy[0], "%s: %g and %g J",
                               model, energy[0], energy[1]);
            }
        }
        test_context_end(ctx);
    }
}

// all models take and refuse the same cubes
LYRA_TEST(solids_agree_on_what_a_cube_is)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    for (int32_t m = 0; lyra_solid_model(m); ++m) {
        const char *model = lyra_solid_model(m);
        for (int round = 0; round < 2; ++round) {
            LyraMeshMaterial material = lyra_mesh_material_default();
            LyraMesh *plain = make_single(ctx, LYRA_ELEMENT_CUBE8, &material), *mesh = NULL;
            LyraMeshView view = lyra_mesh_view(plain);
            double x[24];
            memcpy(x, view.positions, sizeof x);
            x[7] += round ? 2e-4 : 5e-5; // few digits, or a corner out of place
            view.positions = x;
            TEST_OK(lyra_mesh_create(ctx, &view, &mesh));
            LyraSolidDef def = lyra_solid_def_default();
            LyraSolid *solid = NULL;
            def.model = model;
            def.stiffness = 1;
            if (round == 0) {
                TEST_OK(lyra_solid_create(ctx, mesh, &def, &solid));
            } else {
                TEST_STATUS(lyra_solid_create(ctx, mesh, &def, &solid), LYRA_BAD_MESH);
                TEST_CONTAINS(lyra_error_message(), "element 0 is no axis-aligned box");
            }
            lyra_solid_destroy(solid);
            lyra_mesh_destroy(mesh);
            lyra_mesh_destroy(plain);
        }
    }
    test_context_end(ctx);
}

// ---- far away -----------------------------------------------------------------------------------

// a bar of whole cells of 1/4 m about a place that doubles hold to the last bit
static LyraMesh *make_bar(LyraContext *ctx, LyraElementKind kind, double place)
{
    LyraMeshShapeDef def = lyra_mesh_shape_def_default();
    LyraMesh *mesh = NULL;
    def.kind = kind;
    for (int i = 0; i < 3; ++i) {
        def.cells[i] = i == 0 ? 4 : 2;
        def.size[i] = 0.25 * def.cells[i];
        def.center[i] = (i + 1) * place;
    }
    TEST_OK(lyra_mesh_generate(ctx, &def, &mesh));
    return mesh;
}

// displacements a million million times smaller than a bar, which stands a million million times
// its size from the origin, do the same there, bit for bit
LYRA_TEST(forces_do_not_know_where_a_body_is)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    for (int32_t k = 0; lyra_solid_model(k); ++k) {
        for (int kind = 0; kind < LYRA_ELEMENT_TET10; ++kind) {
            double *gradient[2], energy[2];
            int32_t size = 0;
            for (int far = 0; far < 2; ++far) {
                LyraMesh *mesh = make_bar(ctx, (LyraElementKind)kind, far ? 0x1p40 : 0);
                Body body = make_solid(ctx, lyra_solid_model(k), mesh, 1e9, 0.25);
                TestRandom random = test_random(5);
                size = 3 * body.n;
                double *u = calloc((size_t)size, sizeof *u);
                gradient[far] = calloc((size_t)size, sizeof *u);
                for (int32_t i = 0; i < size; ++i) {
                    u[i] = 1e-12 * test_random_normal(&random);
                }
                LyraEvaluation at = {.u = u,
                                     .history = body.history,
                                     .energy = &energy[far],
                                     .gradient = gradient[far],
                                     .dfdx = body.K};
                TEST_OK(lyra_assembly_evaluate(body.assembly, &at));
                free(u);
                end_body(&body);
            }
            TEST_CHECK_MSG(energy[0] == energy[1] &&
                               memcmp(gradient[0], gradient[1], (size_t)size * sizeof(double)) == 0,
                           "%s, %s", lyra_solid_model(k),
                           lyra_element_kind_name((LyraElementKind)kind));
            free(gradient[0]);
            free(gradient[1]);
        }
    }
    test_context_end(ctx);
}

// numbers per stencil that its type asks for, and the place of each vertex once
LYRA_TEST(solids_hold_each_position_once)
{
    const size_t fixed = 20000; // the rules of elements
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    for (int kind = 0; kind < LYRA_ELEMENT_KIND_COUNT; ++kind) {
        LyraMesh *mesh = make_box(ctx, (LyraElementKind)kind, 8, 8, 8, 0, NULL);
        for (int32_t m = 0; lyra_solid_model(m); ++m) {
            LyraSolidDef def = lyra_solid_def_default();
            LyraSolid *solid = NULL;
            size_t before = lyra_context_byte_count(ctx);
            def.model = lyra_solid_model(m);
            def.young = def.stiffness = 1e4;
            def.poisson = 0.3;
            if (lyra_solid_create(ctx, mesh, &def, &solid) != LYRA_OK) {
                TEST_STRING(def.model, "mass-spring"); // takes no middle nodes
                continue;
            }
            size_t most = fixed;
            int32_t count = 0;
            LyraForce *const *forces = lyra_solid_forces(solid, &count);
            for (int32_t f = 0; f < count; ++f) {
                LyraForceView view = lyra_force_view(forces[f]);
                int32_t fibre = strcmp(view.type->name, "fibre") == 0 ? 3 : 0;
                int32_t numbers = fibre + view.type->parameter_count;
                most += (size_t)view.stencil_count * (size_t)(4 * view.type->nodes + 8 * numbers) +
                        24 * (size_t)lyra_mesh_view(mesh).vertex_count;
            }
            size_t bytes = lyra_context_byte_count(ctx) - before;
            TEST_CHECK_MSG(bytes <= most, "%s of %ss: %zu bytes, expected at most %zu", def.model,
                           lyra_element_kind_name((LyraElementKind)kind), bytes, most);
            lyra_solid_destroy(solid);
        }
        lyra_mesh_destroy(mesh);
    }
    test_context_end(ctx);
}
