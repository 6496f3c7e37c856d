// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Mean dilatation of cubes, hexahedra and tets of 10 nodes; nodal pressure of tets of 4.

#include "isotropic_body.h"
#include "lyra/traction.h"

static const LyraElementKind kinds[] = {LYRA_ELEMENT_CUBE8, LYRA_ELEMENT_TET10, LYRA_ELEMENT_HEX8,
                                        LYRA_ELEMENT_TET4};

enum { KINDS = sizeof kinds / sizeof kinds[0] };

static LyraVolumetric way_of(LyraElementKind kind)
{
    return kind == LYRA_ELEMENT_TET4 ? LYRA_VOLUMETRIC_NODAL : LYRA_VOLUMETRIC_MEAN;
}

static Body make_mean(LyraContext *ctx, LyraMaterialLaw model, LyraElementKind kind, int32_t nx,
                      int32_t ny, int32_t nz, LyraInversion inversion)
{
    LyraElasticDef def = lyra_elastic_def_default();
    def.model = model;
    def.inversion = inversion;
    def.volumetric = way_of(kind);
    return make_isotropic(ctx, def, kind, nx, ny, nz);
}

LYRA_TEST(mean_dilatation_matches_differences)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    for (int model = LYRA_MATERIAL_STVK; model < LYRA_MATERIAL_LAW_COUNT; ++model) {
        for (int k = 0; k < KINDS; ++k) {
            // of tets of 4 nodes more, so that there are vertices two edges apart
            int32_t more = kinds[k] == LYRA_ELEMENT_TET4;
            Body body = make_mean(ctx, (LyraMaterialLaw)model, kinds[k], 2 + more, 1 + more, 1,
                                  LYRA_INVERSION_EXTEND);
            TestRandom random = test_random(3);
            double *x = malloc((size_t)body.n * 3 * sizeof *x);
            for (int state = 0; state < ISOTROPIC_STATE_COUNT; ++state) {
                char what[120];
                snprintf(what, sizeof what, "%s, %s, %s",
                         lyra_material_law_name((LyraMaterialLaw)model),
                         lyra_element_kind_name(kinds[k]), isotropic_state_names[state]);
                set_isotropic_state(&body, (IsotropicState)state, &random, x);
                check_derivatives_within(&body, x, state >= RANDOM ? 2e-5 : 1e-3, 1, 1e-6, &random,
                                         true, what);
            }
            free(x);
            end_body(&body);
        }
    }
    test_context_end(ctx);
}

// where the volume changes alike everywhere, the mean is no other than the value at the points
LYRA_TEST(mean_dilatation_changes_nothing_in_homogeneous_states)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    const double A[9] = {1.2, 0.1, 0, -0.1, 0.9, 0.2, 0.05, 0, 0.8};
    for (int model = LYRA_MATERIAL_STVK; model < LYRA_MATERIAL_LAW_COUNT; ++model) {
        for (int k = 0; k < KINDS; ++k) {
            double *forces[2], energy[2], size = 0;
            int32_t dofs = 0;
            for (int mean = 0; mean < 2; ++mean) {
                LyraElasticDef def = lyra_elastic_def_default();
                def.model = (LyraMaterialLaw)model;
                def.volumetric = mean ? way_of(kinds[k]) : LYRA_VOLUMETRIC_STANDARD;
                Body body = make_isotropic(ctx, def, kinds[k], 2, 2, 2);
                dofs = 3 * body.n;
                double *x = malloc((size_t)dofs * sizeof *x);
                forces[mean] = malloc((size_t)dofs * sizeof *x);
                for (int32_t i = 0; i < dofs; ++i) {
                    const double *p = body.rest + i / 3 * 3, *row = A + 3 * (i % 3);
                    x[i] = row[0] * p[0] + row[1] * p[1] + row[2] * p[2];
                }
                evaluate(&body, x, &energy[mean], forces[mean], false);
                free(x);
                end_body(&body);
            }
            for (int32_t i = 0; i < dofs; ++i) {
                size = fmax(size, fabs(forces[0][i]));
            }
            TEST_NEAR(energy[1], energy[0], 1e-12 * energy[0]);
            for (int32_t i = 0; i < dofs; ++i) {
                TEST_NEAR(forces[1][i], forces[0][i], 1e-12 * size);
            }
            free(forces[0]);
            free(forces[1]);
        }
    }
    test_context_end(ctx);
}

// a stiff response to changes of volume only where the mean changes: bending of one element costs
// what it costs a compressible one
LYRA_TEST(mean_dilatation_frees_the_bending_of_an_incompressible_cube)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    double energies[2][2]; // [mean][incompressible]
    for (int mean = 0; mean < 2; ++mean) {
        for (int stiff = 0; stiff < 2; ++stiff) {
            LyraElasticConstant constants[] = {{"lambda", stiff ? 1e6 : 1.0}, {"mu", 1}};
            LyraElasticDef def = lyra_elastic_def_default();
            def.constants = constants;
            def.constant_count = 2;
            def.volumetric = mean ? LYRA_VOLUMETRIC_MEAN : LYRA_VOLUMETRIC_STANDARD;
            Body body = make_isotropic(ctx, def, LYRA_ELEMENT_CUBE8, 1, 1, 1);
            double *x = malloc((size_t)body.n * 3 * sizeof *x);
            for (int32_t v = 0; v < body.n; ++v) {
                const double *p = body.rest + 3 * v;
                memcpy(x + 3 * v, p, 3 * sizeof *x);
                // longer above, shorter below
                x[3 * v] += 0.1 * p[0] * p[1] / CELL;
            }
            energy_at(&body, x, &energies[mean][stiff]);
            free(x);
            end_body(&body);
        }
    }
    TEST_CHECK_MSG(energies[0][1] > 1e4 * energies[0][0], "%g, %g", energies[0][1], energies[0][0]);
    TEST_CHECK_MSG(energies[1][1] < 2 * energies[1][0], "%g, %g", energies[1][1], energies[1][0]);
    test_context_end(ctx);
}

// eigenvalues by what x^T K x gives along random directions
LYRA_TEST(projected_tangents_of_mean_dilatation_are_positive)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    for (int k = 0; k < KINDS; ++k) {
        Body body =
            make_mean(ctx, LYRA_MATERIAL_NEO_HOOKEAN, kinds[k], 1, 1, 1, LYRA_INVERSION_EXTEND);
        TestRandom random = test_random(31);
        int32_t dofs = 3 * body.n;
        double *A = malloc((size_t)(dofs * dofs) * sizeof *A),
               *x = malloc((size_t)dofs * sizeof *x);
        double *values = malloc((size_t)dofs * sizeof *values);
        for (int state = 0; state < ISOTROPIC_STATE_COUNT; ++state) {
            double energy, largest = 0, least = 0;
            set_isotropic_state(&body, (IsotropicState)state, &random, x);
            evaluate_psd(&body, x, true, &energy, values);
            dense_tangent(&body, A);
            TEST_OK(lyra_dense_eigen(ctx, dofs, A, values, NULL));
            for (int32_t i = 0; i < dofs; ++i) {
                largest = fmax(largest, values[i]);
                least = fmin(least, values[i]);
            }
            TEST_CHECK_MSG(least > -1e-10 * largest, "%s, %s: %g beside %g",
                           lyra_element_kind_name(kinds[k]), isotropic_state_names[state], least,
                           largest);
        }
        free(A);
        free(x);
        free(values);
        end_body(&body);
    }
    test_context_end(ctx);
}

LYRA_TEST(mean_dilatation_says_where_it_cannot_be)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    LyraMeshShapeDef shape = lyra_mesh_shape_def_default();
    LyraElasticDef def = lyra_elastic_def_default();
    LyraMesh *tets = NULL, *cubes = NULL;
    LyraForce *force = NULL;
    LyraVolumetric found = LYRA_VOLUMETRIC_STANDARD;
    TEST_OK(lyra_mesh_generate(ctx, &shape, &tets));
    shape.kind = LYRA_ELEMENT_CUBE8;
    TEST_OK(lyra_mesh_generate(ctx, &shape, &cubes));
    def.volumetric = LYRA_VOLUMETRIC_MEAN;
    TEST_STATUS(lyra_elastic_create(ctx, tets, &def, &force), LYRA_UNSUPPORTED);
    TEST_STRING(
        lyra_error_message(),
        "elastic: volumetric mean is that of every tet of 4 nodes already; nodal helps them, "
        "or `lyra mesh quadratic`, which makes tets of 10 nodes");
    def.volumetric = LYRA_VOLUMETRIC_NODAL;
    TEST_STATUS(lyra_elastic_create(ctx, cubes, &def, &force), LYRA_UNSUPPORTED);
    TEST_STRING(lyra_error_message(), "elastic: volumetric nodal is for tets of 4 nodes, found "
                                      "elements of kind cube, which mean helps");
    def.volumetric = LYRA_VOLUMETRIC_MEAN;
    def.inversion = LYRA_INVERSION_CLAMP;
    TEST_STATUS(lyra_elastic_create(ctx, cubes, &def, &force), LYRA_UNSUPPORTED);
    TEST_CONTAINS(lyra_error_message(), "needs an energy");
    def.volumetric = LYRA_VOLUMETRIC_COUNT;
    TEST_STATUS(lyra_elastic_create(ctx, cubes, &def, &force), LYRA_INVALID_ARGUMENT);
    TEST_OK(lyra_volumetric_find("mean", &found));
    TEST_EQUAL(found, LYRA_VOLUMETRIC_MEAN);
    TEST_STATUS(lyra_volumetric_find("some", &found), LYRA_INVALID_ARGUMENT);
    TEST_CHECK(!force);
    lyra_mesh_destroy(tets);
    lyra_mesh_destroy(cubes);
    test_context_end(ctx);
}

// sliders set the parameters of elements: what a vertex takes of them follows
LYRA_TEST(nodal_pressure_follows_parameters_and_nothing_is_allocated)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    double energies[2];
    for (int set = 0; set < 2; ++set) {
        LyraElasticConstant constants[] = {{"lambda", set ? 1e3 : 2e4}, {"mu", 1e3}};
        LyraElasticDef def = lyra_elastic_def_default();
        def.constants = constants;
        def.constant_count = 2;
        def.volumetric = LYRA_VOLUMETRIC_NODAL;
        Body body = make_isotropic(ctx, def, LYRA_ELEMENT_TET4, 3, 2, 2);
        int32_t tets = lyra_mesh_view(body.mesh).element_count;
        double *x = malloc((size_t)body.n * 3 * sizeof *x),
               *g = malloc((size_t)body.n * 3 * sizeof *g);
        double *lambda = malloc((size_t)tets * sizeof *lambda);
        TestRandom random = test_random(5);
        for (int32_t e = 0; e < tets; ++e) {
            lambda[e] = 2e4;
        }
        set_isotropic_state(&body, LARGE, &random, x);
        if (set) {
            TEST_OK(lyra_assembly_set_parameter(body.assembly, 0, LYRA_ELASTIC_LAMBDA, lambda));
        }
        LyraEvaluation evaluation = {
            .x = x, .energy = &energies[set], .gradient = g, .dfdx = body.K};
        check_allocates_nothing(body.assembly, &evaluation);
        free(x);
        free(g);
        free(lambda);
        end_body(&body);
    }
    TEST_NEAR(energies[1], energies[0], 1e-13 * energies[0]);
    test_context_end(ctx);
}

// the energies and forces of the single tets are those of the whole
LYRA_TEST(nodal_pressure_is_shared_by_the_tets)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    Body body = make_mean(ctx, LYRA_MATERIAL_NEO_HOOKEAN, LYRA_ELEMENT_TET4, 3, 2, 2,
                          LYRA_INVERSION_EXTEND);
    LyraMeshView mesh = lyra_mesh_view(body.mesh);
    int32_t dofs = 3 * body.n;
    double *x = malloc((size_t)dofs * sizeof *x), *g = malloc((size_t)dofs * sizeof *g);
    double *energies = malloc((size_t)mesh.element_count * sizeof *energies), energy = 0;
    double *forces = malloc((size_t)mesh.element_count * 12 * sizeof *forces);
    TestRandom random = test_random(6);
    set_isotropic_state(&body, RANDOM, &random, x);
    LyraEvaluation evaluation = {.x = x, .energy = &energy, .gradient = g};
    TEST_OK(lyra_assembly_evaluate(body.assembly, &evaluation));
    TEST_OK(lyra_assembly_evaluate_stencils(body.assembly, 0, &evaluation, energies, forces));
    double size = largest_of(dofs, g), sum = 0;
    for (int32_t e = 0; e < mesh.element_count; ++e) {
        sum += energies[e];
        for (int32_t k = 0; k < 12; ++k) {
            g[3 * mesh.elements[4 * e + k / 3] + k % 3] -= forces[12 * e + k];
        }
    }
    TEST_NEAR(sum, energy, 1e-12 * fabs(energy));
    TEST_CHECK_MSG(largest_of(dofs, g) < 1e-12 * size, "%g beside %g", largest_of(dofs, g), size);
    free(x);
    free(g);
    free(energies);
    free(forces);
    end_body(&body);
    test_context_end(ctx);
}

// K d of some forces at x, from an assembly of their own
static void apply_forces(LyraContext *ctx, const LyraMeshView *mesh, int32_t count,
                         LyraForce *const *forces, const double *x, const double *d, double *y)
{
    LyraAssembly *assembly = NULL;
    LyraBlockMatrix *K = NULL;
    TEST_OK(
        lyra_assembly_create(ctx, mesh->vertex_count, mesh->positions, count, forces, &assembly));
    TEST_OK(lyra_block_matrix_create(lyra_assembly_pattern(assembly), &K));
    LyraEvaluation evaluation = {.x = x, .dfdx = K};
    TEST_OK(lyra_assembly_evaluate(assembly, &evaluation));
    apply_in_order(assembly, mesh->vertex_count, K, d, y);
    lyra_block_matrix_destroy(K);
    lyra_assembly_destroy(assembly);
}

// beside a load that is not symmetric matrices are full, beside one that turns with the body's
// place their diagonal is not summed last
LYRA_TEST(nodal_pressure_goes_with_other_forces)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    Body body = make_mean(ctx, LYRA_MATERIAL_NEO_HOOKEAN, LYRA_ELEMENT_TET4, 3, 2, 2,
                          LYRA_INVERSION_EXTEND);
    LyraMeshView mesh = lyra_mesh_view(body.mesh);
    TestRandom random = test_random(8);
    int32_t dofs = 3 * body.n;
    double *x = malloc((size_t)dofs * 5 * sizeof *x), *d = x + dofs, *y[3];
    for (int k = 0; k < 3; ++k) {
        y[k] = d + (k + 1) * dofs;
    }
    set_isotropic_state(&body, RANDOM, &random, x);
    for (int32_t i = 0; i < dofs; ++i) {
        d[i] = test_random_in(&random, -1, 1);
    }
    for (int symmetric = 0; symmetric < 2; ++symmetric) {
        LyraTractionDef def = lyra_traction_def_default();
        LyraForce *forces[2] = {body.force, NULL};
        def.kind = LYRA_TRACTION_PRESSURE;
        def.pressure = 1e4;
        def.triangle_count = 1;
        def.triangles = mesh.elements;
        def.symmetric = symmetric;
        TEST_OK(lyra_traction_create(ctx, body.n, mesh.positions, &def, &forces[1]));
        apply_forces(ctx, &mesh, 2, forces, x, d, y[0]);
        apply_forces(ctx, &mesh, 1, forces, x, d, y[1]);
        apply_forces(ctx, &mesh, 1, forces + 1, x, d, y[2]);
        for (int32_t i = 0; i < dofs; ++i) {
            y[1][i] += y[2][i];
        }
        TEST_CHECK_MSG(apart(dofs, y[0], y[1]) < 1e-13, "symmetric %d: %g", symmetric,
                       apart(dofs, y[0], y[1]));
        lyra_force_destroy(forces[1]);
    }
    free(x);
    end_body(&body);
    test_context_end(ctx);
}

static LyraStatus make_and_evaluate(LyraContext *ctx, void *data)
{
    const LyraMesh *mesh = data;
    LyraMeshView view = lyra_mesh_view(mesh);
    LyraElasticDef def = lyra_elastic_def_default();
    LyraForce *force = NULL;
    LyraAssembly *assembly = NULL;
    double energy = 0;
    def.volumetric = LYRA_VOLUMETRIC_NODAL;
    def.young = 1e5;
    LyraStatus status = lyra_elastic_create(ctx, mesh, &def, &force);
    if (status == LYRA_OK) {
        status = lyra_assembly_create(ctx, view.vertex_count, view.positions, 1, &force, &assembly);
    }
    if (status == LYRA_OK) {
        LyraEvaluation evaluation = {.x = view.positions, .energy = &energy};
        status = lyra_assembly_evaluate(assembly, &evaluation);
    }
    lyra_assembly_destroy(assembly);
    lyra_force_destroy(force);
    return status;
}

LYRA_TEST(nodal_pressure_survives_each_failing_allocation)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    LyraMeshShapeDef shape = lyra_mesh_shape_def_default();
    LyraMesh *mesh = NULL;
    shape.cells[0] = shape.cells[1] = shape.cells[2] = 2;
    TEST_OK(lyra_mesh_generate(ctx, &shape, &mesh));
    test_fail_each_allocation(make_and_evaluate, mesh);
    lyra_mesh_destroy(mesh);
    test_context_end(ctx);
}

static Body make_of_kind(LyraContext *ctx, const void *data)
{
    return make_mean(ctx, LYRA_MATERIAL_NEO_HOOKEAN, *(const LyraElementKind *)data, 3, 2, 2,
                     LYRA_INVERSION_EXTEND);
}

LYRA_TEST(mean_dilatation_agrees_between_instruction_sets)
{
    for (int k = 0; k < KINDS; ++k) {
        check_instruction_sets(make_of_kind, &kinds[k], 1e-11);
    }
}

static void compute_mean(LyraContext *ctx, void *data, void *out)
{
    LyraElementKind kind = *(LyraElementKind *)data;
    int32_t cells = kind == LYRA_ELEMENT_TET4 ? 12 : 3;
    Body body =
        make_mean(ctx, LYRA_MATERIAL_NEO_HOOKEAN, kind, cells, cells, cells, LYRA_INVERSION_EXTEND);
    TestRandom random = test_random(2);
    double *x = malloc((size_t)body.n * 3 * sizeof *x), *sums = out;
    double *g = malloc((size_t)body.n * 3 * sizeof *g);
    set_isotropic_state(&body, RANDOM, &random, x);
    evaluate_psd(&body, x, true, &sums[0], g);
    memcpy(sums + 1, g, 300 * sizeof *g);
    apply_tangent(&body, body.rest, g);
    memcpy(sums + 301, g, 300 * sizeof *g);
    free(x);
    free(g);
    end_body(&body);
}

LYRA_TEST(mean_dilatation_has_the_same_bits_at_any_thread_count)
{
    LyraElementKind tets[] = {LYRA_ELEMENT_TET10, LYRA_ELEMENT_TET4};
    for (int k = 0; k < 2; ++k) {
        test_same_bits(compute_mean, &tets[k], 601 * sizeof(double));
    }
}
