// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// `lyra bench bodies`: many small bodies beside one body of the same matrix. Boxes of 500 tets,
// each a body of its own, and all of them as one mesh, held at the bottom under gravity. Both
// scenes name their meshes by files; "load" is from the text to a world that has taken its first
// step, "step" the steps after it. The two take turns, so that whatever else the machine does falls
// on both; the ratio is the median over the turns.

#include "bench.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { PART_TETS = 500, BODIES = 200, WARM_STEPS = 4, MANY = 0, ONE = 1 };

static const char rest_of_scene[] =
    "gravity: [0, 0, -9.81]\n"
    "constraints:\n"
    "  - select: {half-space: {point: [0, 0, -0.499], normal: [0, 0, -1]}}\n"
    "time: {dt: 10 ms}\n";

// loads, or steps
typedef struct Turns {
    const char *name;
    BenchSamples samples[2]; // of MANY and ONE
    int64_t count, newton, linear;
    const char *solver;
} Turns;

typedef struct Case {
    int32_t count; // of bodies
    char folder[CLI_FOLDER_MAX];
    LyraContext *ctx;
    char *text[2]; // of MANY and ONE
    LyraWorld *worlds[2];
    Turns loads, steps;
} Case;

// ---- scenes -------------------------------------------------------------------------------------

static void place_of(int32_t body, double place[3])
{
    place[0] = 2.0 * (body % 20);
    place[1] = 2.0 * (body / 20);
    place[2] = 0;
}

// one mesh of all parts, in the order of the bodies
static LyraStatus repeat(LyraContext *ctx, const LyraMesh *part, int32_t count, LyraMesh **out)
{
    LyraMeshView view = lyra_mesh_view(part);
    int32_t vertices = view.vertex_count, elements = view.element_count;
    size_t corners = 4 * (size_t)elements;
    double *positions = cli_allocate((size_t)count * (size_t)vertices * 3 * sizeof *positions);
    int32_t *ids = cli_allocate((size_t)count * corners * sizeof *ids);
    int32_t *materials = cli_allocate((size_t)count * (size_t)elements * sizeof *materials);
    for (int32_t b = 0; b < count; ++b) {
        double place[3];
        place_of(b, place);
        for (int32_t i = 0; i < 3 * vertices; ++i) {
            positions[(size_t)b * 3 * (size_t)vertices + (size_t)i] =
                view.positions[i] + place[i % 3];
        }
        for (size_t i = 0; i < corners; ++i) {
            ids[(size_t)b * corners + i] = view.elements[i] + b * vertices;
        }
        memcpy(materials + (size_t)b * (size_t)elements, view.element_materials,
               (size_t)elements * sizeof *materials);
    }
    view.vertex_count = count * vertices;
    view.element_count = count * elements;
    view.positions = positions;
    view.elements = ids;
    view.element_materials = materials;
    LyraStatus status = lyra_mesh_create(ctx, &view, out);
    free(positions);
    free(ids);
    free(materials);
    return status;
}

static LyraStatus save(const Case *c, const LyraMesh *mesh, const char *name)
{
    char path[CLI_FOLDER_MAX + 16];
    snprintf(path, sizeof path, "%s/%s", c->folder, name);
    return lyra_mesh_save(mesh, path, LYRA_MESH_FORMAT_VEG);
}

static LyraStatus write_meshes(Case *c)
{
    LyraMeshShapeDef box = lyra_mesh_shape_def_default();
    LyraMesh *part = NULL, *whole = NULL;
    box.pattern = LYRA_TET_PATTERN_FIVE;
    box.cells[0] = box.cells[1] = 5;
    box.cells[2] = 4;
    LyraStatus status = lyra_mesh_generate(c->ctx, &box, &part);
    status = status == LYRA_OK ? repeat(c->ctx, part, c->count, &whole) : status;
    status = status == LYRA_OK ? save(c, part, "part.veg") : status;
    status = status == LYRA_OK ? save(c, whole, "whole.veg") : status;
    lyra_mesh_destroy(part);
    lyra_mesh_destroy(whole);
    return status;
}

static char *write_scene(int32_t count, const char *mesh)
{
    size_t room = (size_t)count * 200 + 400;
    char *text = cli_allocate(room);
    int length = snprintf(text, room, "bodies:\n");
    for (int32_t b = 0; b < count; ++b) {
        double place[3];
        place_of(b, place);
        length += snprintf(text + length, room - (size_t)length,
                           "  - mesh: %s\n    transform: {translate: [%g, %g, %g]}\n"
                           "    material: {model: neo-hookean, young: 1 MPa, poisson: 0.4}\n",
                           mesh, place[0], place[1], place[2]);
    }
    snprintf(text + length, room - (size_t)length, "%s", rest_of_scene);
    return text;
}

// ---- what is timed ------------------------------------------------------------------------------

static LyraStatus load(Case *c, int32_t which, LyraStepReport *report)
{
    const char *text = c->text[which];
    LyraStatus status = lyra_world_load_memory(c->ctx, text, strlen(text), c->folder, NULL,
                                               &c->worlds[which], NULL);
    return status == LYRA_OK ? lyra_world_step(c->worlds[which], report) : status;
}

static LyraStatus step(Case *c, int32_t which, LyraStepReport *report)
{
    return lyra_world_step(c->worlds[which], report);
}

static LyraStatus take_turn(const Bench *bench, Case *c, Turns *turns, int32_t which, bool counts)
{
    LyraStepReport report = {0};
    if (turns == &c->loads) {
        lyra_world_destroy(c->worlds[which]);
        c->worlds[which] = NULL;
    }
    double start = bench_now();
    LyraStatus status = turns == &c->loads ? load(c, which, &report) : step(c, which, &report);
    double seconds = bench_now() - start;
    if (counts && status == LYRA_OK) {
        bench_samples_add(bench, &turns->samples[which], seconds);
    }
    if (counts && status == LYRA_OK && which == MANY) {
        ++turns->count;
        turns->newton += report.newton_iterations;
        turns->linear += report.linear_iterations;
        turns->solver = report.solver;
    }
    return status;
}

static LyraStatus measure(const Bench *bench, Case *c, Turns *turns, int32_t warm)
{
    for (int32_t turn = 0; bench_samples_want(&turns->samples[ONE]); ++turn) {
        for (int32_t k = 0; k < 2; ++k) {
            LyraStatus status = take_turn(bench, c, turns, (turn + k) % 2, turn >= warm);
            if (status != LYRA_OK) {
                return status;
            }
        }
    }
    return LYRA_OK;
}

// the median over the turns; before samples are sorted
static double find_ratio(const Turns *turns)
{
    const BenchSamples *many = &turns->samples[MANY], *one = &turns->samples[ONE];
    int32_t count = many->count < one->count ? many->count : one->count;
    double ratios[sizeof many->seconds / sizeof *many->seconds];
    for (int32_t i = 0; i < count; ++i) {
        ratios[i] = many->seconds[i] / one->seconds[i];
    }
    bench_sort(count, ratios);
    return ratios[count / 2];
}

static void print_row(Bench *bench, const Case *c, Turns *turns)
{
    char subject[64];
    double median = find_ratio(turns);
    BenchTime many = bench_samples_time(&turns->samples[MANY]);
    BenchTime one = bench_samples_time(&turns->samples[ONE]);
    BenchRatio ratio = {.ratio = median,
                        .newton = (double)turns->newton / (double)turns->count,
                        .linear = (double)turns->linear / (double)turns->count,
                        .solver = turns->solver};
    snprintf(subject, sizeof subject, "%d bodies, %d tets", (int)c->count,
             (int)(c->count * PART_TETS));
    BenchRow row = {.name = turns->name,
                    .subject = subject,
                    .unit = "element",
                    .items = (double)c->count * PART_TETS,
                    .threads = lyra_context_thread_count(c->ctx),
                    .isa = lyra_context_isa(c->ctx),
                    .time = many,
                    .twin = one,
                    .twin_name = "one body",
                    .ratio = &ratio};
    bench_row(bench, &row);
}

static CliExit run_case(Bench *bench, Case *c)
{
    LyraStatus status = write_meshes(c);
    c->text[MANY] = write_scene(c->count, "part.veg");
    c->text[ONE] = write_scene(1, "whole.veg");
    status = status == LYRA_OK ? measure(bench, c, &c->loads, 0) : status;
    status = status == LYRA_OK ? measure(bench, c, &c->steps, WARM_STEPS) : status;
    if (status == LYRA_OK) {
        print_row(bench, c, &c->loads);
        print_row(bench, c, &c->steps);
    }
    for (int32_t which = 0; which < 2; ++which) {
        lyra_world_destroy(c->worlds[which]);
        free(c->text[which]);
    }
    return status == LYRA_OK ? CLI_OK : cli_failed();
}

CliExit bench_bodies(Bench *bench)
{
    CliExit exit = CLI_OK;
    for (int32_t threads = 1; threads <= bench->threads && exit == CLI_OK;
         threads = bench_next_threads(bench, threads)) {
        Case c = {.count = BODIES,
                  .ctx = cli_context(threads, LYRA_ISA_AUTO),
                  .loads.name = "load",
                  .steps.name = "step"};
        if (bench->elements > 0) {
            c.count = bench->elements > 2 * PART_TETS ? bench->elements / PART_TETS : 2;
        }
        if (!c.ctx) {
            return CLI_BAD_INPUT;
        }
        if (cli_folder_make(c.folder)) {
            exit = run_case(bench, &c);
            cli_folder_remove(c.folder);
        } else {
            exit = cli_fail("cannot make a folder for temporary files: %s", strerror(errno));
        }
        lyra_context_destroy(c.ctx);
    }
    return exit;
}
