// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Suite `io`: text meshes. A box of 1.2 million tets as .veg, with coordinates of 9 and of 17
// digits, is read from memory; the twin takes the same numbers from the same text with fscanf. The
// most memory that a load holds is counted by the context's allocator.

#include "bench.h"

#include <stdlib.h>
#include <string.h>

enum { CELLS_X = 50, CELLS_Y = 50, CELLS_Z = 80 };

typedef struct IoCase {
    LyraContext *ctx;
    char *text;
    size_t length;
    LyraMesh *mesh;
    LyraStatus status;
    size_t held, peak; // bytes of the context's memory, now and at most
    double checksum;   // of the twin, so that nothing is optimised away
    bool twin_failed;
} IoCase;

// ---- memory -------------------------------------------------------------------------------------

static void *counted_allocate(void *user, size_t bytes, size_t alignment)
{
    IoCase *io = user;
    void *memory = NULL;
    if (posix_memalign(&memory, alignment, bytes) != 0) {
        return NULL;
    }
    io->held += bytes;
    io->peak = io->held > io->peak ? io->held : io->peak;
    return memory;
}

static void counted_release(void *user, void *memory, size_t bytes)
{
    ((IoCase *)user)->held -= bytes;
    free(memory);
}

// ---- the text -----------------------------------------------------------------------------------

/// Uniform in [-0.3, 0.3), the same on every machine.
static double jitter(uint64_t *seed)
{
    *seed = *seed * 6364136223846793005u + 1442695040888963407u;
    return 0.6 * ((double)(*seed >> 11) / 9007199254740992.0 - 0.5);
}

static int32_t vertex_of(int32_t x, int32_t y, int32_t z)
{
    return 1 + x + (CELLS_X + 1) * (y + (CELLS_Y + 1) * z);
}

/// Six tets around the diagonal of each cell.
static char *write_elements(char *at)
{
    static const int32_t steps[6][2] = {{1, 2}, {2, 4}, {4, 1}, {2, 1}, {4, 2}, {1, 4}};
    int32_t element = 0;
    for (int32_t z = 0; z < CELLS_Z; ++z) {
        for (int32_t y = 0; y < CELLS_Y; ++y) {
            for (int32_t x = 0; x < CELLS_X; ++x) {
                for (int32_t t = 0; t < 6; ++t) {
                    int32_t corner[4] = {0, steps[t][0], steps[t][0] + steps[t][1], 7};
                    at += sprintf(at, "%d", ++element);
                    for (int32_t a = 0; a < 4; ++a) {
                        int32_t c = corner[a];
                        at += sprintf(at, " %d",
                                      vertex_of(x + (c & 1), y + (c >> 1 & 1), z + (c >> 2)));
                    }
                    *at++ = '\n';
                }
            }
        }
    }
    return at;
}

static char *write_text(int32_t digits, size_t *length)
{
    size_t vertices = (size_t)(CELLS_X + 1) * (CELLS_Y + 1) * (CELLS_Z + 1);
    size_t elements = (size_t)6 * CELLS_X * CELLS_Y * CELLS_Z;
    char *text = malloc(vertices * 96 + elements * 48 + 1000);
    if (!text) {
        return NULL;
    }
    char *at = text + sprintf(text, "*VERTICES\n%zu 3 0 0\n", vertices);
    uint64_t seed = 1;
    for (int32_t z = 0; z <= CELLS_Z; ++z) {
        for (int32_t y = 0; y <= CELLS_Y; ++y) {
            for (int32_t x = 0; x <= CELLS_X; ++x) {
                double px = x + jitter(&seed), py = y + jitter(&seed), pz = z + jitter(&seed);
                at += sprintf(at, "%d %.*g %.*g %.*g\n", vertex_of(x, y, z), digits, px, digits, py,
                              digits, pz);
            }
        }
    }
    at += sprintf(at, "\n*ELEMENTS\nTETS\n%zu 4 0\n", elements);
    at = write_elements(at);
    at += sprintf(at, "\n*MATERIAL soft\nENU, 1000, 1e6, 0.45\n\n*REGION\nallElements, soft\n");
    *length = (size_t)(at - text);
    return text;
}

// ---- what is timed ------------------------------------------------------------------------------

static void load(void *data)
{
    IoCase *io = data;
    lyra_mesh_destroy(io->mesh);
    io->mesh = NULL;
    const LyraMemoryFile file = {.path = "box.veg", .bytes = io->text, .length = io->length};
    io->status = lyra_mesh_load_memory(io->ctx, &file, 1, LYRA_MESH_FORMAT_VEG, &io->mesh);
}

static void scan(void *data)
{
    IoCase *io = data;
    FILE *file = fmemopen(io->text, io->length, "r");
    int32_t count = 0;
    io->twin_failed = !file || fscanf(file, "*VERTICES %d 3 0 0", &count) != 1;
    double sum = 0;
    for (int32_t i = 0; i < count && !io->twin_failed; ++i) {
        int32_t index;
        double x, y, z;
        io->twin_failed = fscanf(file, "%d %lf %lf %lf", &index, &x, &y, &z) != 4;
        sum += x + y + z;
    }
    io->twin_failed = io->twin_failed || fscanf(file, " *ELEMENTS TETS %d 4 0", &count) != 1;
    for (int32_t i = 0; i < count && !io->twin_failed; ++i) {
        int32_t e, a, b, c, d;
        io->twin_failed = fscanf(file, "%d %d %d %d %d", &e, &a, &b, &c, &d) != 5;
        sum += a + b + c + d;
    }
    io->checksum = sum;
    if (file) {
        fclose(file);
    }
}

static void save(void *data)
{
    IoCase *io = data;
    io->status = lyra_mesh_save(io->mesh, "/dev/null", LYRA_MESH_FORMAT_VEG);
}

/// The sum that the twin formed, from the mesh.
static double mesh_checksum(const LyraMesh *mesh)
{
    LyraMeshView view = lyra_mesh_view(mesh);
    double sum = 0;
    for (int64_t i = 0; i < view.vertex_count; ++i) {
        const double *p = view.positions + 3 * i;
        sum += p[0] + p[1] + p[2];
    }
    for (int64_t e = 0; e < view.element_count; ++e) {
        const int32_t *v = view.elements + 4 * e;
        sum += v[0] + v[1] + v[2] + v[3] + 4;
    }
    return sum;
}

static CliExit bench_digits(Bench *bench, IoCase *io, int32_t digits)
{
    io->text = write_text(digits, &io->length);
    if (!io->text) {
        return cli_fail("no memory for the text of the mesh");
    }
    char subject[64];
    snprintf(subject, sizeof subject, "1.2M tets, %d digits", digits);
    size_t before = io->held;
    io->peak = before;
    load(io);
    if (io->status != LYRA_OK) {
        return cli_failed();
    }
    double arrays = (double)(io->held - before), peak = (double)(io->peak - before);
    BenchRow row = {
        .name = "veg/read",
        .subject = subject,
        .unit = "byte",
        .items = (double)io->length,
        .bytes = (double)io->length,
        .threads = 1,
        .isa = lyra_context_isa(io->ctx),
        .time = bench_time(bench, load, io),
        .twin = bench_time(bench, scan, io),
        .twin_name = "fscanf",
    };
    if (io->status != LYRA_OK) {
        return cli_failed();
    }
    if (io->twin_failed || io->checksum != mesh_checksum(io->mesh)) {
        return cli_fail("fscanf reads other numbers than lyra_mesh_load_memory");
    }
    bench_row(bench, &row);
    bench_note(bench, "  %.0f MB at %.0f MB/s (fscanf %.0f); peak memory %.2fx of the mesh",
               1e-6 * row.items, 1e-6 * row.items / row.time.minimum,
               1e-6 * row.items / row.twin.minimum, peak / arrays);
    BenchRow written = row;
    written.name = "veg/write";
    written.time = bench_time(bench, save, io);
    written.twin = (BenchTime){0};
    if (io->status != LYRA_OK) {
        return cli_failed();
    }
    bench_row(bench, &written);
    return CLI_OK;
}

CliExit bench_io(Bench *bench)
{
    IoCase io = {0};
    LyraContextDef def = lyra_context_def_default();
    def.allocator = (LyraAllocator){counted_allocate, counted_release, &io};
    def.thread_count = 1;
    if (lyra_context_create(&def, &io.ctx) != LYRA_OK) {
        return cli_failed();
    }
    static const int32_t digits[] = {9, 17};
    CliExit exit = CLI_OK;
    for (int32_t i = 0; i < 2 && exit == CLI_OK; ++i) {
        exit = bench_digits(bench, &io, digits[i]);
        lyra_mesh_destroy(io.mesh);
        io.mesh = NULL;
        free(io.text);
        io.text = NULL;
    }
    lyra_context_destroy(io.ctx);
    return exit;
}
