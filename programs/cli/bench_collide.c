// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Suite `collide`: what a step of contact asks of the broad phase. A folded sheet of layers that
// nearly touch, as cloth lies; per triangle.

#include "bench.h"

#include "lyra/collide.h"

#include <math.h>
#include <stdlib.h>

typedef struct CollideCase {
    int32_t cells; // along an edge
    double spacing, *positions;
    int32_t *points, *edges, *triangles;
    LyraPrimitives primitives;
    LyraBroadPhase *phase;
    bool failed;
} CollideCase;

// a sheet, folded to and fro in layers half a cell apart
static void place(CollideCase *self)
{
    const double pi = 3.14159265358979323846;
    int32_t n = self->cells + 1;
    double layer = 0.25 * self->cells * self->spacing;
    for (int32_t j = 0; j < n; ++j) {
        for (int32_t i = 0; i < n; ++i) {
            double *x = self->positions + 3 * ((size_t)j * (size_t)n + (size_t)i);
            double along = i * self->spacing, turns = along / layer;
            x[0] = layer / pi * acos(cos(pi * turns));
            x[1] = 0.5 * self->spacing * turns + 0.2 * self->spacing * sin(0.3 * j);
            x[2] = j * self->spacing;
        }
    }
}

static void make_case(CollideCase *self, int32_t cells)
{
    *self = (CollideCase){.cells = cells, .spacing = 0.01};
    size_t n = (size_t)cells + 1, side = (size_t)cells;
    self->positions = cli_allocate(sizeof(double) * 3 * n * n);
    self->points = cli_allocate(sizeof(int32_t) * n * n);
    self->edges = cli_allocate(sizeof(int32_t) * 2 * (3 * side * side + 2 * side));
    self->triangles = cli_allocate(sizeof(int32_t) * 6 * side * side);
    LyraPrimitives *made = &self->primitives;
    for (int32_t j = 0; j <= cells; ++j) {
        for (int32_t i = 0; i <= cells; ++i) {
            int32_t v = j * (cells + 1) + i, right = v + 1, up = v + cells + 1;
            self->points[made->point_count++] = v;
            const int32_t ends[3] = {right, up, up + 1};
            const bool inside[3] = {i < cells, j < cells, i < cells && j < cells};
            for (int32_t e = 0; e < 3; ++e) {
                if (inside[e]) {
                    self->edges[2 * made->edge_count] = v;
                    self->edges[2 * made->edge_count++ + 1] = ends[e];
                }
            }
            if (inside[2]) {
                const int32_t corners[6] = {v, right, up + 1, v, up + 1, up};
                for (int32_t c = 0; c < 6; ++c) {
                    self->triangles[3 * made->triangle_count + c] = corners[c];
                }
                made->triangle_count += 2;
            }
        }
    }
    made->vertex_count = made->point_count;
    made->points = self->points;
    made->edges = self->edges;
    made->triangles = self->triangles;
    place(self);
}

static void end_case(CollideCase *self)
{
    lyra_broad_phase_destroy(self->phase);
    free(self->positions);
    free(self->points);
    free(self->edges);
    free(self->triangles);
}

// ---- what is timed ------------------------------------------------------------------------------

static void update(void *data)
{
    CollideCase *self = data;
    self->failed |= lyra_broad_phase_update(self->phase, self->positions, NULL,
                                            0.25 * self->spacing) != LYRA_OK;
}

static void find(CollideCase *self, LyraPairKind kind)
{
    LyraPairList list;
    self->failed |= lyra_broad_phase_pairs(self->phase, kind, &list) != LYRA_OK;
}

static void find_points(void *data)
{
    find(data, LYRA_PAIR_POINT_TRIANGLE);
}

static void find_edges(void *data)
{
    find(data, LYRA_PAIR_EDGE_EDGE);
}

static void do_all(void *data)
{
    update(data);
    find_points(data);
    find_edges(data);
}

static CliExit measure(Bench *bench, CollideCase *self, int32_t threads, LyraIsa isa,
                       const char *subject)
{
    static const struct {
        const char *name;
        void (*run)(void *data);
    } rows[] = {
        {"broad/update", update},
        {"broad/point-triangle", find_points},
        {"broad/edge-edge", find_edges},
        {"broad/all", do_all},
    };
    LyraContext *ctx = cli_context(threads, isa);
    if (!ctx || lyra_broad_phase_create(ctx, &self->primitives, &self->phase) != LYRA_OK) {
        lyra_context_destroy(ctx);
        return cli_failed();
    }
    for (size_t r = 0; r < sizeof rows / sizeof rows[0] && !self->failed; ++r) {
        bench_row(bench, &(BenchRow){.name = rows[r].name,
                                     .subject = subject,
                                     .unit = "triangle",
                                     .items = self->primitives.triangle_count,
                                     .threads = threads,
                                     .isa = lyra_context_isa(ctx),
                                     .time = bench_time(bench, rows[r].run, self)});
    }
    lyra_broad_phase_destroy(self->phase);
    self->phase = NULL;
    lyra_context_destroy(ctx);
    return self->failed ? cli_failed() : CLI_OK;
}

CliExit bench_collide(Bench *bench)
{
    static const int32_t cells[] = {71, 224, 708};
    CliExit exit = CLI_OK;
    for (int32_t c = 0; c < (bench->large ? 3 : 2) && exit == CLI_OK; ++c) {
        CollideCase self;
        char subject[64];
        make_case(&self, cells[c]);
        snprintf(subject, sizeof subject, "folds %dk faces", self.primitives.triangle_count / 1000);
        for (int32_t threads = 1; threads <= bench->threads && exit == CLI_OK;
             threads = bench_next_threads(bench, threads)) {
            exit = measure(bench, &self, threads, LYRA_ISA_AUTO, subject);
        }
        end_case(&self);
    }
    return exit;
}
