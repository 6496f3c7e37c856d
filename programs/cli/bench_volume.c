// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Suite `volume`: from a surface to a body. Trees over triangles, closest points, winding numbers,
// grids of distances, cubes and lattice tets. The twin of a query is a scan over all triangles,
// timed on a few points.

#include "bench.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { POINTS = 50000, SCAN_POINTS = 4, RINGS = 158, RESOLUTION = 39 };

typedef struct VolumeCase {
    LyraSurface *surface;
    LyraSurfaceView view;
    LyraSurfaceTree *tree;
    LyraDistanceField *field;
    LyraVolumeDef def;
    double *points, *results;
    int32_t elements; // of the last mesh
    bool failed;
    char subject[64];
} VolumeCase;

// ---- the case -----------------------------------------------------------------------------------

// A wavy torus of 4 RINGS^2 = 99,856 triangles.
static LyraStatus make_torus(LyraContext *ctx, LyraSurface **out)
{
    const double pi = 3.14159265358979323846;
    const int32_t around = 2 * RINGS, count = around * RINGS;
    double *positions = cli_allocate(sizeof(double) * 3 * (size_t)count);
    int32_t *corners = cli_allocate(sizeof(int32_t) * 6 * (size_t)count);
    int32_t *begin = cli_allocate(sizeof(int32_t) * (2 * (size_t)count + 1));
    for (int32_t v = 0; v < count; ++v) {
        int32_t i = v / RINGS, j = v % RINGS, next = (i + 1) % around * RINGS, up = (j + 1) % RINGS;
        double a = 2 * pi * i / around, b = 2 * pi * j / RINGS;
        double r = 0.4 * (1 + 0.2 * sin(5 * a) * cos(3 * b));
        const double x[3] = {(1 + r * cos(b)) * cos(a), (1 + r * cos(b)) * sin(a), r * sin(b)};
        const int32_t pair[6] = {v, next + j, next + up, v, next + up, i * RINGS + up};
        for (int32_t k = 0; k < 6; ++k) {
            positions[3 * (size_t)v + (size_t)(k % 3)] = x[k % 3];
            corners[6 * (size_t)v + (size_t)k] = pair[k];
        }
    }
    for (int32_t f = 0; f <= 2 * count; ++f) {
        begin[f] = 3 * f;
    }
    LyraSurfaceView data = {
        .vertex_count = count,
        .face_count = 2 * count,
        .corner_count = 6 * count,
        .positions = positions,
        .face_begin = begin,
        .corner_vertices = corners,
    };
    LyraStatus status = lyra_surface_create(ctx, &data, out);
    free(positions);
    free(corners);
    free(begin);
    return status;
}

// points in the box of the surface, a twentieth larger to each side
static void make_points(VolumeCase *self)
{
    LyraSurfaceMeasure box = lyra_surface_measure(self->surface, NULL);
    uint64_t state = 1;
    self->points = cli_allocate(sizeof(double) * 3 * POINTS);
    self->results = cli_allocate(sizeof(double) * POINTS);
    for (size_t k = 0; k < 3 * (size_t)POINTS; ++k) {
        state = state * 6364136223846793005u + 1442695040888963407u;
        double t = (double)(state >> 11) * 0x1p-53;
        self->points[k] = box.low[k % 3] + (1.1 * t - 0.05) * (box.high[k % 3] - box.low[k % 3]);
    }
}

static LyraStatus open_case(VolumeCase *self, LyraContext *ctx, const char *path)
{
    LyraDistanceFieldDef field = lyra_distance_field_def_default();
    self->def = lyra_volume_def_default();
    self->def.resolution = RESOLUTION;
    LyraStatus status = path ? lyra_surface_load(ctx, path, LYRA_MESH_FORMAT_AUTO, &self->surface)
                             : make_torus(ctx, &self->surface);
    if (status == LYRA_OK) {
        status = lyra_surface_tree_create(self->surface, &self->tree);
    }
    if (status == LYRA_OK) {
        status = lyra_distance_field_create(self->tree, &field, &self->field);
    }
    if (status == LYRA_OK) {
        self->view = lyra_surface_view(self->surface);
        const char *slash = path ? strrchr(path, '/') : NULL;
        if (path) {
            snprintf(self->subject, sizeof self->subject, "%s", slash ? slash + 1 : path);
        } else {
            snprintf(self->subject, sizeof self->subject, "torus %dk faces",
                     self->view.face_count / 1000);
        }
        make_points(self);
    }
    return status;
}

static void close_case(VolumeCase *self)
{
    lyra_distance_field_destroy(self->field);
    lyra_surface_tree_destroy(self->tree);
    lyra_surface_destroy(self->surface);
    free(self->points);
    free(self->results);
}

// ---- what is timed ------------------------------------------------------------------------------

static void build_tree(void *data)
{
    VolumeCase *self = data;
    LyraSurfaceTree *tree = NULL;
    self->failed |= lyra_surface_tree_create(self->surface, &tree) != LYRA_OK;
    lyra_surface_tree_destroy(tree);
}

static void find_closest(void *data)
{
    VolumeCase *self = data;
    lyra_surface_tree_closest(self->tree, POINTS, self->points,
                              &(LyraClosestFaces){.distances = self->results});
}

static void find_winding(void *data)
{
    VolumeCase *self = data;
    lyra_surface_tree_winding(self->tree, POINTS, self->points, self->results);
}

static void sample_field(void *data)
{
    VolumeCase *self = data;
    lyra_distance_field_sample(self->field, POINTS, self->points, self->results, NULL);
}

static void take_mesh(VolumeCase *self, LyraStatus status, LyraMesh *mesh)
{
    self->failed |= status != LYRA_OK;
    self->elements = mesh ? lyra_mesh_view(mesh).element_count : 1;
    lyra_mesh_destroy(mesh);
}

static void make_tets(void *data)
{
    VolumeCase *self = data;
    LyraMesh *mesh = NULL;
    LyraStatus status = lyra_mesh_tetrahedralize(self->surface, &self->def, NULL, &mesh);
    take_mesh(self, status, mesh);
}

static void make_cubes(void *data)
{
    VolumeCase *self = data;
    LyraMesh *mesh = NULL;
    LyraStatus status = lyra_mesh_voxelize(self->surface, &self->def, NULL, &mesh);
    take_mesh(self, status, mesh);
}

// ---- twin ---------------------------------------------------------------------------------------

// solid angles of all triangles, for a few points
static void scan_winding(void *data)
{
    VolumeCase *self = data;
    for (int32_t k = 0; k < SCAN_POINTS; ++k) {
        const double *p = self->points + 3 * k;
        double sum = 0;
        for (int32_t f = 0; f < self->view.face_count; ++f) {
            const int32_t *v = self->view.corner_vertices + self->view.face_begin[f];
            double x[3][3], length[3];
            for (int32_t a = 0; a < 3; ++a) {
                for (int32_t i = 0; i < 3; ++i) {
                    x[a][i] = self->view.positions[3 * (size_t)v[a] + (size_t)i] - p[i];
                }
                length[a] = sqrt(x[a][0] * x[a][0] + x[a][1] * x[a][1] + x[a][2] * x[a][2]);
            }
            double im = 0, re = length[0] * length[1] * length[2];
            for (int32_t i = 0; i < 3; ++i) {
                int32_t j = (i + 1) % 3, l = (i + 2) % 3;
                im += x[0][i] * (x[1][j] * x[2][l] - x[1][l] * x[2][j]);
                re += length[i] * (x[j][0] * x[l][0] + x[j][1] * x[l][1] + x[j][2] * x[l][2]);
            }
            sum += 2 * atan2(im, re);
        }
        self->results[k] = sum;
    }
}

// ---- the suite ----------------------------------------------------------------------------------

static void report(Bench *bench, VolumeCase *self, BenchRow row, void (*function)(void *data))
{
    row.subject = self->subject;
    row.time = bench_time(bench, function, self);
    row.items = row.items > 0 ? row.items : self->elements;
    bench_row(bench, &row);
}

static CliExit run_threads(Bench *bench, int32_t threads)
{
    LyraContext *ctx = cli_context(threads, LYRA_ISA_AUTO);
    if (!ctx) {
        return CLI_BAD_INPUT;
    }
    VolumeCase self = {0};
    CliExit exit = CLI_OK;
    if (open_case(&self, ctx, bench->mesh) != LYRA_OK) {
        exit = cli_failed();
        goto done;
    }
    BenchRow row = {.threads = threads, .isa = lyra_context_isa(ctx)};
    row.name = "tree build";
    row.unit = "face";
    row.items = self.view.face_count;
    report(bench, &self, row, build_tree);
    row.unit = "point";
    row.items = POINTS;
    row.name = "distance, grid";
    report(bench, &self, row, sample_field);
    row.name = "distance, exact";
    report(bench, &self, row, find_closest);
    row.name = "winding number";
    if (threads == 1) {
        row.twin = bench_time(bench, scan_winding, &self);
        row.twin.minimum *= (double)POINTS / SCAN_POINTS;
        row.twin.median *= (double)POINTS / SCAN_POINTS;
        row.twin_name = "scan";
    }
    report(bench, &self, row, find_winding);
    row.twin = (BenchTime){0};
    row.twin_name = NULL;
    row.unit = "element";
    row.items = 0;
    row.name = "lattice tets, repair included";
    report(bench, &self, row, make_tets);
    row.name = "cubes, repair included";
    report(bench, &self, row, make_cubes);
    if (self.failed) {
        exit = cli_failed();
    }
done:
    close_case(&self);
    lyra_context_destroy(ctx);
    return exit;
}

CliExit bench_volume(Bench *bench)
{
    CliExit exit = run_threads(bench, 1);
    return exit != CLI_OK || bench->threads < 2 ? exit : run_threads(bench, bench->threads);
}
