// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Assemblies of several forces: rows that do not sum to zero, parameters that are equal or not.

#include "force_bodies.h"
#include "lyra/elastic.h"

// ---- anchors: k/2 |x|^2 at each vertex, which moves of all vertices change ----------------------

static const double anchor_stiffness = 7e3;

static void evaluate_anchors(const void *self, const LyraBatch *batch, LyraArena *scratch)
{
    (void)self;
    (void)scratch;
    const int width = LYRA_BATCH_WIDTH;
    for (int e = 0; e < width; ++e) {
        double energy = 0;
        for (int i = 0; i < 3; ++i) {
            double x = batch->x[i * width + e];
            energy += 0.5 * anchor_stiffness * x * x;
            if (batch->gradient) {
                batch->gradient[i * width + e] = anchor_stiffness * x;
            }
            for (int j = 0; batch->dfdx && j < 3; ++j) {
                batch->dfdx[(3 * i + j) * width + e] = i == j ? anchor_stiffness : 0;
            }
        }
        if (batch->energy) {
            batch->energy[e] = energy;
        }
    }
}

static const LyraForceType anchor_type = {
    .name = "test anchors",
    .nodes = 1,
    .traits = LYRA_FORCE_CONSERVATIVE | LYRA_FORCE_SYMMETRIC,
    .evaluate = evaluate_anchors,
};

static LyraForce *make_anchors(LyraContext *ctx, int32_t count)
{
    int32_t *ids = malloc((size_t)count * sizeof *ids);
    for (int32_t i = 0; i < count; ++i) {
        ids[i] = i;
    }
    LyraForceDef def = lyra_force_def_default();
    LyraForce *force = NULL;
    def.type = &anchor_type;
    def.stencil_count = count;
    def.stencils = ids;
    TEST_OK(lyra_force_create(ctx, &def, &force));
    free(ids);
    return force;
}

static Body make_solid(LyraContext *ctx, LyraElementKind kind, LyraMaterialLaw model)
{
    LyraMeshMaterial material = enu_material(2e5, 0.3);
    LyraMesh *mesh = make_box(ctx, kind, 3, 2, 2, 1, &material);
    LyraElasticDef def = lyra_elastic_def_default();
    LyraForce *force = NULL;
    def.model = model;
    TEST_OK(lyra_elastic_create(ctx, mesh, &def, &force));
    return make_body(ctx, mesh, force);
}

static double *tangent_at(Body *body, const double *x)
{
    size_t dofs = 3 * (size_t)body->n;
    double *A = malloc(dofs * dofs * sizeof *A);
    evaluate(body, x, NULL, NULL, true);
    dense_tangent(body, A);
    return A;
}

// Alone, an invariant force leaves the diagonal to the sums of the rows; beside anchors it writes
// its own.
LYRA_TEST(assembly_adds_forces_whose_rows_do_not_sum_to_zero)
{
    const LyraElementKind kinds[] = {LYRA_ELEMENT_TET4, LYRA_ELEMENT_CUBE8};
    for (int isa = 0; isa < LYRA_ISA_COUNT; ++isa) {
        for (int kind = 0; kind < 2 && lyra_isa_available((LyraIsa)isa); ++kind) {
            LyraContext *ctx = test_context(1, (LyraIsa)isa);
            Body solid = make_solid(ctx, kinds[kind], LYRA_MATERIAL_NEO_HOOKEAN);
            Body both = make_solid(ctx, kinds[kind], LYRA_MATERIAL_NEO_HOOKEAN);
            LyraForce *anchors = make_anchors(ctx, both.n), *forces[] = {both.force, anchors};
            lyra_block_matrix_destroy(both.K);
            lyra_assembly_destroy(both.assembly);
            free(both.rest);
            free(both.history);
            assemble(&both, 2, forces);
            int32_t dofs = 3 * solid.n;
            double *x = malloc((size_t)dofs * sizeof *x);
            TestRandom random = test_random(11);
            for (int32_t i = 0; i < dofs; ++i) {
                x[i] = 1.1 * solid.rest[i] + 0.01 * test_random_normal(&random);
            }
            double *A = tangent_at(&solid, x), *B = tangent_at(&both, x), largest = 0, error = 0;
            for (int32_t i = 0; i < dofs * dofs; ++i) {
                double expected = A[i] + (i % (dofs + 1) == 0 ? anchor_stiffness : 0);
                largest = fmax(largest, fabs(expected));
                error = fmax(error, fabs(B[i] - expected));
            }
            // a few dozen roundings
            TEST_CHECK(error <= 1e-14 * largest);
            free(A);
            free(B);
            free(x);
            end_body(&solid);
            lyra_block_matrix_destroy(both.K);
            both.K = NULL;
            lyra_assembly_destroy(both.assembly);
            both.assembly = NULL;
            lyra_force_destroy(anchors);
            end_body(&both);
            test_context_end(ctx);
        }
    }
}

// one copy serves where all stencils have the same parameters, and only there; the energy of StVK
// is linear in lambda
LYRA_TEST(assembly_parameters_may_become_equal_and_unequal)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    Body body = make_solid(ctx, LYRA_ELEMENT_TET4, LYRA_MATERIAL_STVK);
    int32_t count = lyra_mesh_view(body.mesh).element_count;
    double *x = malloc((size_t)body.n * 3 * sizeof *x), *lambda = calloc((size_t)count, sizeof *x);
    TestRandom random = test_random(12);
    for (int32_t i = 0; i < 3 * body.n; ++i) {
        x[i] = body.rest[i] + 0.002 * test_random_normal(&random);
    }
    double none = 0, sum = 0, all = 0;
    TEST_OK(lyra_assembly_set_parameter(body.assembly, 0, LYRA_ELASTIC_LAMBDA, lambda));
    energy_at(&body, x, &none);
    for (int32_t e = 0; e < count; ++e) {
        double energy = 0;
        lambda[e] = 1e4;
        TEST_OK(lyra_assembly_set_parameter(body.assembly, 0, LYRA_ELASTIC_LAMBDA, lambda));
        energy_at(&body, x, &energy);
        TEST_CHECK_MSG(energy > none, "element %d adds %g", e, energy - none);
        sum += energy - none;
        lambda[e] = 0;
    }
    for (int32_t e = 0; e < count; ++e) {
        lambda[e] = 1e4;
    }
    TEST_OK(lyra_assembly_set_parameter(body.assembly, 0, LYRA_ELASTIC_LAMBDA, lambda));
    energy_at(&body, x, &all);
    // a rounding of the whole for each element
    TEST_CHECK(fabs(none + sum - all) <= count * 1e-15 * all);
    free(lambda);
    free(x);
    end_body(&body);
    test_context_end(ctx);
}
