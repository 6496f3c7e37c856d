// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Numbers of sample meshes that another program and an independent evaluation gave.

#include "mesh_samples.h"

typedef struct Reference {
    const char *file;
    LyraElementKind kind;
    int32_t vertices, elements;
    double volume, mass, center[3], inertia[9];
    int64_t entries;                            // of the n x n mass matrix
    double sum, frobenius, trace, wMw;          // of the 3n x 3n mass matrix
    double lumped_sum, lumped_norm, lumped_dot; // of the lumped masses
    double matrix_tolerance; // relative; the other program's cube table is 9.3e-8 low
} Reference;

static const Reference references[] = {
    {
        .file = "meshes/turtle-volumetric-homogeneous.veg",
        .vertices = 347,
        .elements = 1185,
        .volume = 45.1870452522165,
        .mass = 45187.045252216485,
        .center = {0.001207480463406822, 3.518519113188948, 0.1471358100475616},
        .inertia = {188531.16263951862, -66.5071511872115, -109.2680590726705, -66.50715118721091,
                    72620.9088629768, -17560.601204137438, -109.26805907267024, -17560.601204137434,
                    217063.32121336198},
        .entries = 11817 / 3,
        .sum = 135561.13575664943,
        .frobenius = 2246.6096911210975,
        .trace = 54224.45430265976,
        .wMw = 26709.075180532327,
        .lumped_sum = 45187.045252216514,
        .lumped_norm = 2980.526590370229,
        .lumped_dot = 3712.6561419700547,
        .matrix_tolerance = 1e-10,
    },
    {
        .file = "meshes/beam3_tet.veg",
        .vertices = 208,
        .elements = 450,
        .volume = 0.0048,
        .mass = 4.8,
        .center = {0, 0.5, 0},
        .inertia = {0.40064, 0, 0, 0, 0.0064, 0, 0, 0, 0.40576},
        .entries = 5802 / 3,
        .sum = 14.399999999999254,
        .frobenius = 0.27830803078603067,
        .trace = 5.760000000000024,
        .wMw = 4.8256238183985145,
        .lumped_sum = 4.800000000000003,
        .lumped_norm = 0.354656641462321,
        .lumped_dot = -0.06807561264881977,
        .matrix_tolerance = 1e-10,
    },
    {
        .file = "meshes/beam3.veg",
        .kind = LYRA_ELEMENT_CUBE8,
        .vertices = 208,
        .elements = 75,
        .volume = 0.0048,
        .mass = 4.8,
        .center = {0, 0.5, 0},
        .inertia = {0.40064, 0, 0, 0, 0.0064, 0, 0, 0, 0.40576},
        .entries = 9120 / 3,
        .sum = 14.399998658896129,
        .frobenius = 0.23140719616553065,
        .trace = 4.266666269302349,
        .wMw = 2.173516785595097,
        .lumped_sum = 4.79999955296516,
        .lumped_norm = 0.3541750649537327,
        .lumped_dot = -0.06484871454719834,
        .matrix_tolerance = 1e-6,
    },
};

static void check_properties(const LyraMesh *mesh, const Reference *r)
{
    LyraMassProperties p;
    TEST_REQUIRE_OK(lyra_mesh_mass_properties(mesh, NULL, &p));
    TEST_NEAR(p.volume, r->volume, 1e-10 * r->volume);
    TEST_NEAR(p.mass, r->mass, 1e-10 * r->mass);
    for (int32_t i = 0; i < 3; ++i) {
        TEST_NEAR(p.center_of_mass[i], r->center[i], 1e-12);
    }
    for (int32_t i = 0; i < 9; ++i) {
        TEST_NEAR(p.inertia[i], r->inertia[i], 1e-10 * r->inertia[8]);
    }
}

// w_k of the convention: sin(0.37 (k + 1)).
static double w(int64_t k)
{
    return sin(0.37 * (double)(k + 1));
}

static void check_matrix(const LyraMesh *mesh, const Reference *r)
{
    LyraMassMatrix *matrix = NULL;
    TEST_REQUIRE_OK(lyra_mass_matrix_create(mesh, NULL, false, &matrix));
    LyraMassMatrixView m = lyra_mass_matrix_view(matrix);
    TEST_EQUAL(m.entry_count, r->entries);
    double sum = 0, square = 0, trace = 0, form = 0;
    for (int64_t i = 0; i < m.row_count; ++i) {
        for (int64_t k = m.row_start[i]; k < m.row_start[i + 1]; ++k) {
            int64_t j = m.column[k];
            sum += 3 * m.values[k];
            square += 3 * m.values[k] * m.values[k];
            trace += i == j ? 3 * m.values[k] : 0;
            for (int64_t axis = 0; axis < 3; ++axis) {
                form += m.values[k] * w(3 * i + axis) * w(3 * j + axis);
            }
        }
    }
    TEST_NEAR(sum, r->sum, r->matrix_tolerance * r->sum);
    TEST_NEAR(sqrt(square), r->frobenius, r->matrix_tolerance * r->frobenius);
    TEST_NEAR(trace, r->trace, r->matrix_tolerance * r->trace);
    TEST_NEAR(form, r->wMw, r->matrix_tolerance * r->wMw);
    lyra_mass_matrix_destroy(matrix);
}

static void check_lumped(const LyraMesh *mesh, const Reference *r)
{
    double *masses = malloc((size_t)r->vertices * sizeof *masses);
    lyra_mesh_lumped_masses(mesh, NULL, masses);
    double sum = 0, square = 0, dot = 0;
    for (int32_t v = 0; v < r->vertices; ++v) {
        sum += masses[v];
        square += masses[v] * masses[v];
        dot += masses[v] * w(v);
    }
    TEST_NEAR(sum, r->lumped_sum, r->matrix_tolerance * r->lumped_sum);
    TEST_NEAR(sqrt(square), r->lumped_norm, r->matrix_tolerance * r->lumped_norm);
    TEST_NEAR(dot, r->lumped_dot, r->matrix_tolerance * r->lumped_norm);
    free(masses);
}

LYRA_TEST(sample_meshes_have_the_reference_masses)
{
    if (!test_reference_path(references[0].file)) {
        TEST_SKIP("no reference meshes here");
    }
    LyraContext *ctx = test_context(2, LYRA_ISA_AUTO);
    for (size_t i = 0; i < sizeof references / sizeof references[0]; ++i) {
        const Reference *r = &references[i];
        LyraMesh *mesh = NULL;
        TEST_REQUIRE_OK(
            lyra_mesh_load(ctx, test_reference_path(r->file), LYRA_MESH_FORMAT_AUTO, &mesh));
        LyraMeshView view = lyra_mesh_view(mesh);
        TEST_EQUAL(view.kind, r->kind);
        TEST_EQUAL(view.vertex_count, r->vertices);
        TEST_EQUAL(view.element_count, r->elements);
        check_properties(mesh, r);
        check_matrix(mesh, r);
        check_lumped(mesh, r);
        lyra_mesh_destroy(mesh);
    }
    test_context_end(ctx);
}

LYRA_TEST(sample_meshes_are_sound)
{
    static const char *const files[] = {"asianDragon",
                                        "dragon-coarse.tet",
                                        "quintupleTorus",
                                        "simpleBridge-ic_128_0.15_.1",
                                        "simpleBridge_resol92-b1.155_enlarged",
                                        "torus-easy",
                                        "towerCrane_resol166",
                                        "turtle-volumetric-heterogeneous"};
    if (!test_reference_path(references[0].file)) {
        TEST_SKIP("no reference meshes here");
    }
    LyraContext *ctx = test_context(2, LYRA_ISA_AUTO);
    for (size_t i = 0; i < sizeof files / sizeof files[0]; ++i) {
        char name[100];
        snprintf(name, sizeof name, "meshes/%s.veg", files[i]);
        LyraMesh *mesh = NULL;
        TEST_REQUIRE_OK(
            lyra_mesh_load(ctx, test_reference_path(name), LYRA_MESH_FORMAT_AUTO, &mesh));
        LyraMeshQuality q;
        LyraMassProperties p;
        TEST_REQUIRE_OK(lyra_mesh_quality(mesh, &q));
        TEST_REQUIRE_OK(lyra_mesh_mass_properties(mesh, NULL, &p));
        TEST_EQUAL(q.inverted + q.degenerate + q.non_manifold_faces + q.duplicates, 0);
        TEST_CHECK(p.min_element_volume > 0 && p.mass > 0);
        // inertia obeys the triangle inequality of a body
        TEST_CHECK(p.inertia[0] + p.inertia[4] > p.inertia[8]);
        lyra_mesh_destroy(mesh);
    }
    test_context_end(ctx);
}
