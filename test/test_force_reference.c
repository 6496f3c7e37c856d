// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Every model that Vega has, against its numbers on sample meshes.

#include "lyra_test.h"

#include "lyra/lyra.h"

#include "force_reference.h"
#include "lyra/reorder.h"

#include <stdlib.h>
#include <string.h>

// the smooth deformation that the numbers belong to: L is the diagonal of the box
static void deform(const LyraMeshView *mesh, double *x)
{
    double low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY};
    for (int64_t i = 0; i < 3 * (int64_t)mesh->vertex_count; ++i) {
        low[i % 3] = fmin(low[i % 3], mesh->positions[i]);
        high[i % 3] = fmax(high[i % 3], mesh->positions[i]);
    }
    double L =
        sqrt((high[0] - low[0]) * (high[0] - low[0]) + (high[1] - low[1]) * (high[1] - low[1]) +
             (high[2] - low[2]) * (high[2] - low[2]));
    double s = 0.05 * L;
    for (int32_t i = 0; i < mesh->vertex_count; ++i) {
        const double *X = mesh->positions + 3 * (int64_t)i;
        x[3 * i] = X[0] + s * sin(3.1 * X[1] / L + 0.3);
        x[3 * i + 1] = X[1] + s * sin(2.3 * X[2] / L - 0.7) + 0.02 * X[0];
        x[3 * i + 2] = X[2] + s * cos(2.7 * X[0] / L + 0.11) - 0.01 * X[1];
    }
}

static double dot(int32_t n, const double *a, const double *b)
{
    double sum = 0;
    for (int32_t i = 0; i < n; ++i) {
        sum += a[i] * b[i];
    }
    return sum;
}

// entry c of the transpose of block (j, i), where block (i, j) stands at `place`
static double transposed_entry(const LyraBlockMatrix *K, int32_t i, int32_t j, int64_t place, int c)
{
    const LyraBlockPattern *pattern = lyra_block_matrix_pattern(K);
    const double *values = lyra_block_matrix_values(K);
    int turned = 3 * (c % 3) + c / 3;
    if (i == j) {
        return values[9 * place + turned];
    }
    // upper storage has one of the two for both
    bool full = lyra_block_pattern_view(pattern).storage == LYRA_STORAGE_FULL;
    return full ? values[9 * (int64_t)lyra_block_pattern_find(pattern, j, i) + turned]
                : values[9 * place + c];
}

// Frobenius norm, trace, and the norm of K - K^T
static void measure(const LyraBlockMatrix *K, double *frobenius, double *trace, double *asymmetry)
{
    LyraBlockPatternView pattern = lyra_block_pattern_view(lyra_block_matrix_pattern(K));
    *frobenius = *trace = *asymmetry = 0;
    for (int32_t i = 0; i < pattern.row_count; ++i) {
        for (int64_t k = pattern.row_start[i]; k < pattern.row_start[i + 1]; ++k) {
            const double *block = lyra_block_matrix_values(K) + 9 * k;
            bool diagonal = pattern.column[k] == i;
            bool twice = pattern.storage == LYRA_STORAGE_UPPER && !diagonal;
            *frobenius += (twice ? 2 : 1) * dot(9, block, block);
            *trace += diagonal ? block[0] + block[4] + block[8] : 0;
            for (int c = 0; c < 9; ++c) {
                double off = block[c] - transposed_entry(K, i, pattern.column[k], k, c);
                *asymmetry += off * off;
            }
        }
    }
    *frobenius = sqrt(*frobenius);
    *asymmetry = sqrt(*asymmetry);
}

static void check_number(const ForceReference *reference, const char *what, double found,
                         double expected, double scale)
{
    double error = fabs(found - expected) / fabs(scale);
    TEST_CHECK_MSG(error <= 1e-9 * test_tolerance_scale(),
                   "%s, %s: %s is %.17g, expected %.17g, relative error %.3g", reference->file,
                   reference->model, what, found, expected, error);
}

// sums that cancel, and entries, are compared on the size of all
static void check_vector(const ForceReference *reference, const char *what, int32_t dofs,
                         const double *found, const VectorReference *expected)
{
    double sum = 0, dot_w = 0, size = 0;
    int32_t middle = 3 * (dofs / 6);
    for (int32_t k = 0; k < dofs; ++k) {
        sum += fabs(found[k]);
        dot_w += found[k] * sin(0.37 * (k + 1));
    }
    for (int k = 0; k < 12; ++k) {
        size = fmax(size, fmax(fabs(expected->first[k]), fabs(expected->middle[k])));
    }
    check_number(reference, what, sqrt(dot(dofs, found, found)), expected->norm, expected->norm);
    check_number(reference, what, sum, expected->sum, expected->sum);
    check_number(reference, what, dot_w, expected->dot_w, expected->norm);
    for (int k = 0; k < 12; ++k) {
        check_number(reference, what, found[k], expected->first[k], size);
        check_number(reference, what, found[middle + k], expected->middle[k], size);
    }
}

static void check(const ForceReference *reference, LyraContext *ctx, const LyraMesh *mesh)
{
    LyraMeshView view = lyra_mesh_view(mesh);
    LyraElasticConstant constants[3] = {{"mu01", reference->mooney_rivlin[0]},
                                        {"mu10", reference->mooney_rivlin[1]},
                                        {"v1", reference->mooney_rivlin[2]}};
    LyraSolidDef def = lyra_solid_def_default();
    def.model = reference->model;
    def.inversion = reference->inversion;
    def.vega = true;
    def.stiffness = reference->stiffness;
    def.constants = constants;
    def.constant_count = reference->mooney_rivlin[2] > 0 ? 3 : 0;
    LyraSolid *solid = NULL;
    LyraAssembly *assembly = NULL;
    LyraBlockMatrix *K = NULL;
    TEST_REQUIRE_OK(lyra_solid_create(ctx, mesh, &def, &solid));
    int32_t count = 0, dofs = 3 * view.vertex_count;
    LyraForce *const *forces = lyra_solid_forces(solid, &count);
    TEST_REQUIRE_OK(
        lyra_assembly_create(ctx, view.vertex_count, view.positions, count, forces, &assembly));
    TEST_REQUIRE_OK(lyra_block_matrix_create(lyra_assembly_pattern(assembly), &K));
    double *x = malloc((size_t)dofs * 5 * sizeof *x), *f = x + dofs, *w = f + dofs;
    double *inner = w + dofs, *Kw = inner + dofs, energy;
    deform(&view, x);
    LyraEvaluation evaluation = {.x = x, .energy = &energy, .gradient = f, .dfdx = K};
    TEST_OK(lyra_assembly_evaluate(assembly, &evaluation));
    for (int32_t k = 0; k < dofs; ++k) {
        w[k] = sin(0.37 * (k + 1));
    }
    const int32_t *order = lyra_assembly_order(assembly);
    lyra_permutation_apply(view.vertex_count, order, 3, w, inner);
    lyra_block_matrix_multiply(K, inner, Kw);
    lyra_permutation_undo(view.vertex_count, order, 3, Kw, inner);
    double frobenius, trace, asymmetry;
    measure(K, &frobenius, &trace, &asymmetry);
    check_number(reference, "energy", energy, reference->energy, reference->energy);
    check_vector(reference, "force", dofs, f, &reference->force);
    check_number(reference, "frobenius", frobenius, reference->frobenius, reference->frobenius);
    check_number(reference, "trace", trace, reference->trace, reference->trace);
    check_number(reference, "asymmetry", asymmetry, reference->asymmetry, reference->frobenius);
    check_vector(reference, "Kw", dofs, inner, &reference->K_w);
    free(x);
    lyra_block_matrix_destroy(K);
    lyra_assembly_destroy(assembly);
    lyra_solid_destroy(solid);
}

LYRA_TEST(forces_agree_with_vega)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    bool skipped = false;
    for (size_t r = 0; r < sizeof references / sizeof references[0] && !skipped; ++r) {
        const char *path = test_reference_path(references[r].file);
        LyraMesh *mesh = NULL;
        skipped = !path;
        if (path && TEST_OK(lyra_mesh_load(ctx, path, LYRA_MESH_FORMAT_AUTO, &mesh))) {
            check(&references[r], ctx, mesh);
        }
        lyra_mesh_destroy(mesh);
    }
    test_context_end(ctx);
    if (skipped) {
        TEST_SKIP("the sample meshes are not here");
    }
}
