// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Suite `embed`: building the tree over elements, finding the containing and the closest element,
// whole embeddings, and interpolation. The twin of a query is a scan over all elements, timed on a
// few points.

#include "bench.h"

#include "lyra/math3.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { POINTS = 100000, SCAN_POINTS = 8 };

typedef struct EmbedCase {
    LyraMesh *mesh;
    LyraMeshView view;
    LyraElementTree *tree;
    LyraEmbedding *embedding;
    double *points, *outside; // [POINTS][3]
    double *u;                // displacement of the vertices
    double *moved;            // of the points
    int32_t *elements;
    double *weights;
    bool failed;
    char subject[64];
} EmbedCase;

// ---- the case -----------------------------------------------------------------------------------

static double random_unit(uint64_t *state)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (double)(*state >> 11) * 0x1p-53;
}

static LyraStatus make_mesh(LyraContext *ctx, const char *path, LyraMesh **out)
{
    if (path) {
        return lyra_mesh_load(ctx, path, LYRA_MESH_FORMAT_AUTO, out);
    }
    LyraMeshShapeDef def = lyra_mesh_shape_def_default();
    def.elements = 160000;
    return lyra_mesh_generate(ctx, &def, out);
}

// points in the box of the mesh, and the same around a box half as large again
static bool make_points(EmbedCase *self)
{
    size_t bytes = sizeof(double) * 3 * POINTS;
    self->points = malloc(bytes);
    self->outside = malloc(bytes);
    self->moved = malloc(bytes);
    self->elements = malloc(sizeof *self->elements * POINTS);
    self->weights = malloc(sizeof *self->weights * 8 * POINTS);
    self->u = malloc(sizeof *self->u * 3 * (size_t)self->view.vertex_count);
    if (!self->points || !self->outside || !self->moved || !self->elements || !self->weights ||
        !self->u) {
        return false;
    }
    double low[3], high[3];
    for (int32_t i = 0; i < 3; ++i) {
        low[i] = high[i] = self->view.positions[i];
        for (int32_t v = 1; v < self->view.vertex_count; ++v) {
            low[i] = fmin(low[i], self->view.positions[3 * (size_t)v + (size_t)i]);
            high[i] = fmax(high[i], self->view.positions[3 * (size_t)v + (size_t)i]);
        }
    }
    uint64_t state = 1;
    for (size_t k = 0; k < 3 * POINTS; ++k) {
        double t = random_unit(&state), size = high[k % 3] - low[k % 3];
        self->points[k] = low[k % 3] + t * size;
        self->outside[k] = low[k % 3] + (1.5 * t - 0.25) * size;
    }
    for (size_t k = 0; k < 3 * (size_t)self->view.vertex_count; ++k) {
        self->u[k] = random_unit(&state);
    }
    return true;
}

static LyraStatus open_case(const Bench *bench, EmbedCase *self, LyraContext *ctx)
{
    LyraStatus status = make_mesh(ctx, bench->mesh, &self->mesh);
    if (status != LYRA_OK) {
        return status;
    }
    self->view = lyra_mesh_view(self->mesh);
    if (!make_points(self)) {
        return LYRA_OUT_OF_MEMORY;
    }
    bench_mesh_name(bench, self->mesh, self->subject);
    status = lyra_element_tree_create(self->mesh, &self->tree);
    return status != LYRA_OK
               ? status
               : lyra_embedding_create(self->mesh, POINTS, self->points, 0, &self->embedding, NULL);
}

static void close_case(EmbedCase *self)
{
    lyra_embedding_destroy(self->embedding);
    lyra_element_tree_destroy(self->tree);
    lyra_mesh_destroy(self->mesh);
    free(self->points);
    free(self->outside);
    free(self->moved);
    free(self->elements);
    free(self->weights);
    free(self->u);
}

// ---- what is timed ------------------------------------------------------------------------------

static void build_tree(void *data)
{
    EmbedCase *self = data;
    LyraElementTree *tree = NULL;
    self->failed |= lyra_element_tree_create(self->mesh, &tree) != LYRA_OK;
    lyra_element_tree_destroy(tree);
}

static void embed(void *data)
{
    EmbedCase *self = data;
    LyraEmbedding *embedding = NULL;
    self->failed |=
        lyra_embedding_create(self->mesh, POINTS, self->points, 0, &embedding, NULL) != LYRA_OK;
    lyra_embedding_destroy(embedding);
}

static void find_containing(void *data)
{
    EmbedCase *self = data;
    lyra_element_tree_containing(self->tree, POINTS, self->points, self->elements, self->weights);
}

static void find_closest(void *data)
{
    EmbedCase *self = data;
    lyra_element_tree_closest(
        self->tree, POINTS, self->outside,
        &(LyraClosestElements){.elements = self->elements, .weights = self->weights});
}

static void interpolate(void *data)
{
    EmbedCase *self = data;
    lyra_embedding_interpolate(self->embedding, self->u, self->moved);
}

// ---- twins --------------------------------------------------------------------------------------

// the containing tet of each of a few points by looking at all
static void scan_containing(void *data)
{
    EmbedCase *self = data;
    for (int32_t k = 0; k < SCAN_POINTS; ++k) {
        const double *p = self->points + 3 * k;
        self->elements[k] = -1;
        for (int32_t e = 0; e < self->view.element_count && self->elements[k] < 0; ++e) {
            LyraVec3 r[4];
            for (int32_t a = 0; a < 4; ++a) {
                const double *x = self->view.positions +
                                  3 * (size_t)self->view.elements[4 * (size_t)e + (size_t)a];
                r[a] = (LyraVec3){x[0] - p[0], x[1] - p[1], x[2] - p[2]};
            }
            LyraVec3 c01 = lyra_vec3_cross(r[0], r[1]), c23 = lyra_vec3_cross(r[2], r[3]);
            double w[4] = {lyra_vec3_dot(r[1], c23), -lyra_vec3_dot(r[0], c23),
                           lyra_vec3_dot(r[3], c01), -lyra_vec3_dot(r[2], c01)};
            if (w[0] >= 0 && w[1] >= 0 && w[2] >= 0 && w[3] >= 0) {
                self->elements[k] = e;
            }
        }
    }
}

// ---- the suite ----------------------------------------------------------------------------------

static void report(Bench *bench, EmbedCase *self, BenchRow row, void (*function)(void *data))
{
    row.subject = self->subject;
    row.time = bench_time(bench, function, self);
    bench_row(bench, &row);
}

static CliExit run_threads(Bench *bench, int32_t threads)
{
    LyraContext *ctx = cli_context(threads, LYRA_ISA_AUTO);
    if (!ctx) {
        return CLI_BAD_INPUT;
    }
    EmbedCase self = {0};
    CliExit exit = CLI_OK;
    if (open_case(bench, &self, ctx) != LYRA_OK) {
        exit = cli_failed();
        goto done;
    }
    BenchRow row = {.threads = threads, .isa = lyra_context_isa(ctx)};
    bool tets = self.view.kind == LYRA_ELEMENT_TET4;
    // a scan per point, scaled to all of them
    BenchTime scan = {0};
    if (tets && threads == 1) {
        scan = bench_time(bench, scan_containing, &self);
        scan.minimum *= (double)POINTS / SCAN_POINTS;
        scan.median *= (double)POINTS / SCAN_POINTS;
    }
    row.name = "tree build";
    row.unit = "element";
    row.items = self.view.element_count;
    report(bench, &self, row, build_tree);
    row.unit = "point";
    row.items = POINTS;
    row.name = "embed with tree build";
    row.twin = scan;
    row.twin_name = tets ? "scan" : NULL;
    report(bench, &self, row, embed);
    row.name = "containing element";
    report(bench, &self, row, find_containing);
    row.twin = (BenchTime){0};
    row.twin_name = NULL;
    row.name = "closest element, 70% outside";
    report(bench, &self, row, find_closest);
    row.name = "interpolate";
    // weights and ids in, points out; the vertices may stay in caches
    int32_t nodes = lyra_element_kind_nodes(self.view.kind);
    row.bytes = (double)POINTS * (12.0 * nodes + 24);
    report(bench, &self, row, interpolate);
    if (self.failed) {
        exit = cli_failed();
    }
done:
    close_case(&self);
    lyra_context_destroy(ctx);
    return exit;
}

CliExit bench_embed(Bench *bench)
{
    CliExit exit = run_threads(bench, 1);
    return exit != CLI_OK || bench->threads < 2 ? exit : run_threads(bench, bench->threads);
}
