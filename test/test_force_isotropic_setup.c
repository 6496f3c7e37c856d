// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Isotropic solids: instruction sets, threads, memory, parameters, bad input, smallest det F.

#include "isotropic_body.h"

// ---- twins, threads, memory ---------------------------------------------------------------------

static void evaluate_mixed(LyraContext *ctx, LyraMaterialLaw model, LyraElementKind kind,
                           int32_t cells, bool psd, double *out)
{
    LyraElasticDef def = lyra_elastic_def_default();
    def.model = model;
    Body body = make_isotropic(ctx, def, kind, cells, cells, cells);
    TestRandom random = test_random(5);
    double *x = malloc((size_t)body.n * 3 * sizeof *x);
    set_isotropic_state(&body, RANDOM, &random, x);
    evaluate_psd(&body, x, psd, out, out + 1);
    apply_tangent(&body, body.rest, out + 1 + 3 * body.n);
    free(x);
    end_body(&body);
}

LYRA_TEST(isotropic_instruction_sets_agree)
{
    enum { CELLS = 3, COUNT = 1 + 6 * (CELLS + 1) * (CELLS + 1) * (CELLS + 1) };
    for (int model = LYRA_MATERIAL_STVK; model < LYRA_MATERIAL_LAW_COUNT; ++model) {
        for (int round = 0; round < 4; ++round) {
            double reference[COUNT], found[COUNT], size = 0;
            for (LyraIsa isa = LYRA_ISA_SCALAR; isa != LYRA_ISA_AUTO; isa = test_next_isa(isa)) {
                LyraContext *ctx = test_context(1, isa);
                evaluate_mixed(ctx, (LyraMaterialLaw)model, (LyraElementKind)(round % 2), CELLS,
                               round > 1, isa == LYRA_ISA_SCALAR ? reference : found);
                test_context_end(ctx);
                for (int i = 1; i < COUNT; ++i) {
                    size = fmax(size, fabs(reference[i]));
                }
                // twists beside s2 + s3 = 0 lose digits
                for (int i = 0; isa != LYRA_ISA_SCALAR && i < COUNT; ++i) {
                    TEST_NEAR(found[i], reference[i], 1e-9 * size);
                }
            }
        }
    }
}

#define BIG 18

static void evaluate_big(LyraContext *ctx, void *data, void *out)
{
    evaluate_mixed(ctx, LYRA_MATERIAL_MOONEY_RIVLIN, *(LyraElementKind *)data, BIG, false, out);
}

LYRA_TEST(isotropic_bits_do_not_depend_on_threads)
{
    size_t vertices = (BIG + 1) * (BIG + 1) * (BIG + 1);
    for (int kind = 0; kind < LYRA_ELEMENT_TET10; ++kind) {
        LyraElementKind element = (LyraElementKind)kind;
        test_same_bits(evaluate_big, &element, (1 + 6 * vertices) * sizeof(double));
    }
}

LYRA_TEST(isotropic_evaluation_allocates_nothing)
{
    LyraContext *ctx = test_context(2, LYRA_ISA_AUTO);
    LyraElasticDef def = lyra_elastic_def_default();
    def.model = LYRA_MATERIAL_STVK;
    Body body = make_isotropic(ctx, def, LYRA_ELEMENT_CUBE8, 12, 12, 12);
    double energy, *g = malloc((size_t)body.n * 3 * sizeof *g);
    evaluate_psd(&body, body.rest, false, &energy, g);
    int64_t before = test_allocation_count();
    evaluate_psd(&body, body.rest, true, &energy, g);
    TEST_EQUAL(test_allocation_count(), before);
    free(g);
    end_body(&body);
    test_context_end(ctx);
}

static LyraStatus build_cubes(LyraContext *ctx, void *data)
{
    LyraMesh *mesh = NULL;
    LyraForce *force = NULL;
    LyraElasticDef def = lyra_elastic_def_default();
    def.model = LYRA_MATERIAL_OGDEN;
    LyraStatus status = lyra_mesh_create(ctx, data, &mesh);
    status = status == LYRA_OK ? lyra_elastic_create(ctx, mesh, &def, &force) : status;
    lyra_force_destroy(force);
    lyra_mesh_destroy(mesh);
    return status;
}

static const double cube_corners[24] = {0, 0, 0, 1, 0, 0, 1, 1, 0, 0, 1, 0,
                                        0, 0, 1, 1, 0, 1, 1, 1, 1, 0, 1, 1};
static const int32_t cube_ids[8] = {0, 1, 2, 3, 4, 5, 6, 7};

LYRA_TEST(isotropic_allocation_failures_leak_nothing)
{
    LyraMeshView view = {.kind = LYRA_ELEMENT_CUBE8,
                         .vertex_count = 8,
                         .element_count = 1,
                         .positions = cube_corners,
                         .elements = cube_ids};
    test_fail_each_allocation(build_cubes, &view);
}

// ---- parameters and bad input -------------------------------------------------------------------

LYRA_TEST(isotropic_parameters_have_names_and_change)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    for (int model = 0; model < LYRA_MATERIAL_LAW_COUNT; ++model) {
        LyraMaterialLaw m = (LyraMaterialLaw)model;
        int32_t count = lyra_elastic_parameter_count(m), found = -1;
        TEST_CHECK(count >= 2);
        for (int32_t i = 0; i < count; ++i) {
            TEST_OK(lyra_elastic_parameter_find(m, lyra_elastic_parameter_name(m, i), &found));
            TEST_EQUAL(found, i);
        }
        TEST_CHECK(lyra_elastic_parameter_name(m, count) == NULL);
        TEST_CHECK(lyra_elastic_parameter_name(m, -1) == NULL);
        TEST_STATUS(lyra_elastic_parameter_find(m, "colour", &found), LYRA_INVALID_ARGUMENT);
        TEST_CONTAINS(lyra_error_message(), lyra_elastic_parameter_name(m, 1));
    }
    // resistance set at the start or while running
    LyraElasticDef def = lyra_elastic_def_default();
    Body plain = make_isotropic(ctx, def, LYRA_ELEMENT_TET4, 1, 1, 1);
    def.compression_resistance = 500;
    Body resisting = make_isotropic(ctx, def, LYRA_ELEMENT_TET4, 1, 1, 1);
    double x[24], energy[3], values[6];
    for (int i = 0; i < 24; ++i) {
        x[i] = 0.8 * plain.rest[i];
    }
    for (int i = 0; i < 6; ++i) {
        values[i] = 500 * 1e5 / (1 - 2 * 0.3);
    }
    energy_at(&plain, x, &energy[0]);
    energy_at(&resisting, x, &energy[1]);
    TEST_OK(lyra_assembly_set_parameter(plain.assembly, 0, LYRA_ELASTIC_PARAMETER_COUNT, values));
    energy_at(&plain, x, &energy[2]);
    double J = 0.512, gain = 500 * 1e5 / 0.4 * pow(1 - J, 3) / 2592 * 1e-3;
    TEST_NEAR(energy[1] - energy[0], gain, 1e-12 * gain);
    TEST_NEAR(energy[2], energy[1], 1e-14 * energy[1]);
    end_body(&plain);
    end_body(&resisting);
    test_context_end(ctx);
}

LYRA_TEST(isotropic_constants_come_from_mesh_settings_or_names)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    LyraMeshMaterial material = lyra_mesh_material_default();
    material.kind = LYRA_MESH_MATERIAL_MOONEY_RIVLIN;
    material.mooney_rivlin = (LyraMaterialMooneyRivlin){.mu01 = 3, .mu10 = 5, .v1 = 7};
    LyraMeshView view = {.kind = LYRA_ELEMENT_CUBE8,
                         .vertex_count = 8,
                         .element_count = 1,
                         .positions = cube_corners,
                         .elements = cube_ids,
                         .material_count = 1,
                         .materials = &material};
    LyraMesh *mesh = NULL;
    TEST_REQUIRE_OK(lyra_mesh_create(ctx, &view, &mesh));
    const LyraElasticConstant names[] = {{"mu01", 3}, {"mu10", 5}, {"v1", 7}};
    double energy[2], x[24];
    for (int i = 0; i < 24; ++i) {
        x[i] = (1 + 0.1 * (i % 3)) * cube_corners[i];
    }
    LyraElasticDef def = lyra_elastic_def_default();
    def.model = LYRA_MATERIAL_MOONEY_RIVLIN;
    for (int round = 0; round < 2; ++round) {
        LyraForce *force = NULL;
        LyraAssembly *assembly = NULL;
        def.constants = round ? names : NULL;
        def.constant_count = round ? 3 : 0;
        TEST_REQUIRE_OK(lyra_elastic_create(ctx, mesh, &def, &force));
        TEST_REQUIRE_OK(lyra_assembly_create(ctx, 8, cube_corners, 1, &force, &assembly));
        LyraEvaluation evaluation = {.x = x, .energy = &energy[round]};
        TEST_OK(lyra_assembly_evaluate(assembly, &evaluation));
        lyra_assembly_destroy(assembly);
        lyra_force_destroy(force);
    }
    double I = 1 + 1.21 + 1.44, II = 1 + 1.21 * 1.21 + 1.44 * 1.44, J = 1.32;
    TEST_NEAR(energy[0],
              1.5 * ((I * I - II) / pow(J, 4.0 / 3) - 6) + 5 * (I / pow(J, 2.0 / 3) - 3) +
                  7 * (J - 1) * (J - 1),
              1e-13);
    TEST_NEAR(energy[1], energy[0], 1e-15);
    // other models do not take this material, unless told
    LyraForce *force = NULL;
    def = lyra_elastic_def_default();
    TEST_STATUS(lyra_elastic_create(ctx, mesh, &def, &force), LYRA_UNSUPPORTED);
    def.young = 10;
    TEST_OK(lyra_elastic_create(ctx, mesh, &def, &force));
    lyra_force_destroy(force);
    lyra_mesh_destroy(mesh);
    test_context_end(ctx);
}

static void expect(LyraContext *ctx, const LyraMesh *mesh, const LyraElasticDef *def,
                   LyraStatus status, const char *part)
{
    LyraForce *force = NULL;
    TEST_STATUS(lyra_elastic_create(ctx, mesh, def, &force), status);
    TEST_CONTAINS(lyra_error_message(), part);
    TEST_CHECK(force == NULL);
}

LYRA_TEST(isotropic_bad_settings_are_refused)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    double x[24];
    memcpy(x, cube_corners, sizeof x);
    LyraMeshView view = {.kind = LYRA_ELEMENT_CUBE8,
                         .vertex_count = 8,
                         .element_count = 1,
                         .positions = x,
                         .elements = cube_ids};
    LyraMesh *mesh = NULL;
    TEST_REQUIRE_OK(lyra_mesh_create(ctx, &view, &mesh));
    const LyraElasticDef good = lyra_elastic_def_default();
    LyraElasticDef def = good;
    def.inversion_threshold = 0;
    expect(ctx, mesh, &def, LYRA_INVALID_ARGUMENT, "threshold");
    def = good;
    def.inversion = LYRA_INVERSION_COUNT;
    expect(ctx, mesh, &def, LYRA_INVALID_ARGUMENT, "inversion");
    def = good;
    def.compression_resistance = NAN;
    expect(ctx, mesh, &def, LYRA_INVALID_ARGUMENT, "resistance");
    def = good;
    def.young = -1;
    expect(ctx, mesh, &def, LYRA_INVALID_ARGUMENT, "E > 0");
    const LyraElasticConstant unknown = {"colour", 1}, infinite = {"mu", INFINITY};
    const LyraElasticConstant zero = {"alpha2", 0};
    def = good;
    def.constants = &unknown;
    def.constant_count = 1;
    expect(ctx, mesh, &def, LYRA_INVALID_ARGUMENT, "lambda, mu, compression-resistance");
    def.constants = &infinite;
    expect(ctx, mesh, &def, LYRA_NOT_FINITE, "mu");
    def.constants = &zero;
    def.model = LYRA_MATERIAL_OGDEN;
    expect(ctx, mesh, &def, LYRA_INVALID_ARGUMENT, "alpha2 of element 0 is 0, expected not 0");
    static const struct {
        LyraMaterialLaw model;
        LyraElasticConstant constant;
        const char *message;
    } refused[] = {
        {LYRA_MATERIAL_STVK, {"mu", -1}, "stvk: mu of element 0 is -1, expected 0 or more"},
        {LYRA_MATERIAL_FUNG, {"b", 0}, "fung: b of element 0 is 0, expected not 0"},
        {LYRA_MATERIAL_ARRUDA_BOYCE, {"lock", 0}, "lock of element 0 is 0, expected more than 0"},
        {LYRA_MATERIAL_BIPHASIC_SPLINE, {"limit", -1}, "limit of element 0 is -1"},
        {LYRA_MATERIAL_YEOH, {"compression-resistance", -1}, "resistance of element 0 is -1"},
    };
    for (size_t i = 0; i < sizeof refused / sizeof refused[0]; ++i) {
        def.model = refused[i].model;
        def.constants = &refused[i].constant;
        expect(ctx, mesh, &def, LYRA_INVALID_ARGUMENT, refused[i].message);
    }
    LyraMaterialType law = *lyra_material_type(LYRA_MATERIAL_STVK, LYRA_ISA_SCALAR);
    law.expand = NULL;
    def = good;
    def.law = &law;
    expect(ctx, mesh, &def, LYRA_UNSUPPORTED, "extend needs; clamp and none do without");
    def.inversion = LYRA_INVERSION_CLAMP;
    expect(ctx, mesh, &def, LYRA_INVALID_ARGUMENT, "all its parameters");
    const LyraMaterialType whole = law;
    for (int k = 0; k < 5; ++k) {
        law = whole;
        law.name = k == 0 ? NULL : law.name;
        law.evaluate = k == 1 ? NULL : law.evaluate;
        law.parameter_count = k == 2   ? -1
                              : k == 3 ? LYRA_MATERIAL_PARAMETERS_MAX + 1
                                       : law.parameter_count;
        law.parameter_names = k == 4 ? NULL : law.parameter_names;
        expect(ctx, mesh, &def, LYRA_INVALID_ARGUMENT, "the law needs a name, evaluate");
    }
    // one without parameters needs no names
    law = whole;
    law.parameter_count = 0;
    law.parameter_names = NULL;
    law.parameter_kinds = NULL;
    LyraForce *force = NULL;
    TEST_OK(lyra_elastic_create(ctx, mesh, &def, &force));
    lyra_force_destroy(force);
    lyra_mesh_destroy(mesh);
    // a cube of no size
    memset(x, 0, sizeof x);
    TEST_REQUIRE_OK(lyra_mesh_create(ctx, &view, &mesh));
    expect(ctx, mesh, &good, LYRA_BAD_MESH, "element 0");
    lyra_mesh_destroy(mesh);
    LyraInversion inversion;
    TEST_OK(lyra_inversion_find("clamp", &inversion));
    TEST_EQUAL(inversion, LYRA_INVERSION_CLAMP);
    TEST_STATUS(lyra_inversion_find("mirror", &inversion), LYRA_INVALID_ARGUMENT);
    TEST_CONTAINS(lyra_error_message(), "extend, clamp, none");
    test_context_end(ctx);
}

// ---- smallest det F -----------------------------------------------------------------------------

LYRA_TEST(isotropic_smallest_determinant_is_found)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    for (int kind = 0; kind < LYRA_ELEMENT_TET10; ++kind) {
        Body body = make_isotropic(ctx, lyra_elastic_def_default(), (LyraElementKind)kind, 2, 1, 1);
        double *x = malloc((size_t)body.n * 3 * sizeof *x), low = INFINITY, high = -INFINITY;
        LyraMeshView view = lyra_mesh_view(body.mesh);
        for (int32_t i = 0; i < body.n; ++i) {
            low = fmin(low, body.rest[3 * i]);
            high = fmax(high, body.rest[3 * i]);
        }
        double middle = 0.5 * (low + high);
        for (int32_t i = 0; i < 3 * body.n; ++i) {
            x[i] = (i % 3 ? 1.1 : -0.5) * body.rest[i];
        }
        LyraDetF det_f = lyra_elastic_det_f(body.mesh, x);
        TEST_NEAR(det_f.min, -0.605, 1e-14);
        TEST_CHECK(det_f.element >= 0);
        TEST_EQUAL(det_f.inverted, view.element_count);
        TEST_EQUAL(det_f.elements, view.element_count);
        // the second of two cells folded back over the first
        for (int32_t i = 0; i < 3 * body.n; ++i) {
            bool beyond = i % 3 == 0 && body.rest[i] > middle;
            x[i] = beyond ? middle - 0.5 * (body.rest[i] - middle) : body.rest[i];
        }
        det_f = lyra_elastic_det_f(body.mesh, x);
        TEST_NEAR(det_f.min, -0.5, 1e-13);
        TEST_EQUAL(det_f.inverted, view.element_count / 2);
        // one vertex pulled in: the worst element is one of its own
        memcpy(x, body.rest, (size_t)body.n * 3 * sizeof *x);
        int32_t nodes = lyra_element_kind_nodes(view.kind);
        for (int i = 0; i < 3; ++i) {
            x[3 * view.elements[nodes] + i] *= 0.5;
        }
        det_f = lyra_elastic_det_f(body.mesh, x);
        TEST_CHECK(det_f.min > 0 && det_f.min < 1 && det_f.inverted == 0);
        bool has = false;
        for (int32_t a = 0; a < nodes; ++a) {
            has = has || view.elements[nodes * det_f.element + a] == view.elements[nodes];
        }
        TEST_CHECK(has);
        x[0] = NAN;
        TEST_CHECK(isnan(lyra_elastic_det_f(body.mesh, x).min));
        free(x);
        end_body(&body);
    }
    test_context_end(ctx);
}
