// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Products and patterns on boxes of tets in good vertex order. The bytes of a product are those of
// the matrix (values and columns) and of both vectors, once; the twin is the product of the same
// matrix as scalar rows.

#include "bench.h"

#include "lyra/csr.h"

#include <stdlib.h>

typedef struct Box {
    int32_t vertex_count;
    int64_t tet_count;
    int32_t *tets; // [tet_count][4]
    int32_t *slots;
    double *x, *y; // [4][3 vertex_count]
} Box;

typedef struct Case {
    LyraContext *ctx;
    const Box *box;
    LyraStorage storage;
    LyraBlockPattern *pattern;
    LyraBlockMatrix *matrix;
    LyraCsrPattern *csr_pattern;
    LyraCsrMatrix *csr;
    LyraStatus status;
} Case;

// cells^3 cells of 6 tets each
static bool box_create(int32_t cells, Box *box)
{
    static const int8_t paths[6][3] = {{0, 1, 2}, {0, 2, 1}, {1, 0, 2},
                                       {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};
    int32_t side = cells + 1, stride[3] = {1, side, side * side};
    *box =
        (Box){.vertex_count = side * side * side, .tet_count = 6 * (int64_t)cells * cells * cells};
    size_t dofs = 3 * (size_t)box->vertex_count;
    box->tets = malloc((size_t)box->tet_count * 4 * sizeof(int32_t));
    box->slots = malloc((size_t)box->tet_count * 16 * sizeof(int32_t));
    box->x = malloc(4 * dofs * sizeof(double));
    box->y = malloc(4 * dofs * sizeof(double));
    if (!box->tets || !box->slots || !box->x || !box->y) {
        return false;
    }
    int32_t *id = box->tets;
    for (int32_t cell = 0; cell < cells * cells * cells; ++cell) {
        int32_t corner =
            cell % cells + cell / cells % cells * side + cell / (cells * cells) * stride[2];
        for (int32_t p = 0; p < 6; ++p) {
            int32_t v = corner;
            *id++ = v;
            for (int32_t d = 0; d < 3; ++d) {
                v += stride[paths[p][d]];
                *id++ = v;
            }
        }
    }
    for (size_t i = 0; i < 4 * dofs; ++i) {
        box->x[i] = 1.0 + 1e-3 * (double)(i % 97);
    }
    return true;
}

static void box_destroy(Box *box)
{
    free(box->tets);
    free(box->slots);
    free(box->x);
    free(box->y);
}

static void case_destroy(Case *c)
{
    lyra_csr_matrix_destroy(c->csr);
    lyra_csr_pattern_destroy(c->csr_pattern);
    lyra_block_matrix_destroy(c->matrix);
    lyra_block_pattern_destroy(c->pattern);
    lyra_context_destroy(c->ctx);
}

static LyraStatus case_create(int32_t threads, LyraIsa isa, const Box *box, LyraStorage storage,
                              Case *c)
{
    *c = (Case){.box = box, .storage = storage};
    c->ctx = cli_context(threads, isa);
    if (!c->ctx) {
        return LYRA_UNSUPPORTED;
    }
    LyraStencils tets = {4, box->tet_count, box->tets};
    LyraStatus status =
        lyra_block_pattern_create(c->ctx, box->vertex_count, storage, 1, &tets, &c->pattern);
    if (status == LYRA_OK) {
        status = lyra_block_matrix_create(c->pattern, &c->matrix);
    }
    if (status == LYRA_OK) {
        status = lyra_block_matrix_reserve_columns(c->matrix, 4);
    }
    if (status == LYRA_OK) {
        double *values = lyra_block_matrix_values_mutable(c->matrix);
        int64_t count = 9 * lyra_block_pattern_view(c->pattern).block_count;
        for (int64_t k = 0; k < count; ++k) {
            values[k] = 1.0 + 1e-3 * (double)(k % 89);
        }
        status = lyra_csr_pattern_create_block(c->pattern, LYRA_STORAGE_FULL, &c->csr_pattern);
    }
    if (status == LYRA_OK) {
        status = lyra_csr_matrix_create(c->csr_pattern, &c->csr);
    }
    return status == LYRA_OK ? lyra_csr_matrix_assign_block(c->csr, c->matrix) : status;
}

// ---- what is timed ------------------------------------------------------------------------------

static void multiply(void *data)
{
    Case *c = data;
    lyra_block_matrix_multiply(c->matrix, c->box->x, c->box->y);
}

static void multiply_transposed(void *data)
{
    Case *c = data;
    lyra_block_matrix_multiply_transposed(c->matrix, c->box->x, c->box->y);
}

static void multiply_columns(void *data)
{
    Case *c = data;
    int64_t n = 3 * (int64_t)c->box->vertex_count;
    lyra_block_matrix_multiply_columns(c->matrix, 4, c->box->x, n, c->box->y, n);
}

static void multiply_csr(void *data)
{
    Case *c = data;
    lyra_csr_matrix_multiply(c->csr, c->box->x, c->box->y);
}

static void build_pattern(void *data)
{
    Case *c = data;
    LyraStencils tets = {4, c->box->tet_count, c->box->tets};
    LyraBlockPattern *pattern = NULL;
    LyraStatus status =
        lyra_block_pattern_create(c->ctx, c->box->vertex_count, c->storage, 1, &tets, &pattern);
    if (status == LYRA_OK) {
        status = lyra_block_pattern_slots(pattern, &tets, c->box->slots);
    }
    lyra_block_pattern_destroy(pattern);
    if (status != LYRA_OK) {
        c->status = status;
    }
}

static void convert(void *data)
{
    Case *c = data;
    LyraStatus status = lyra_csr_matrix_assign_block(c->csr, c->matrix);
    if (status != LYRA_OK) {
        c->status = status;
    }
}

// ---- rows ---------------------------------------------------------------------------------------

static void product_rows(Bench *bench, Case *c, const char *subject, int32_t threads, LyraIsa isa)
{
    LyraBlockPatternView view = lyra_block_pattern_view(c->pattern);
    bool upper = c->storage == LYRA_STORAGE_UPPER;
    double dofs = 3.0 * view.row_count, blocks = (double)view.block_count;
    double matrix_bytes =
        blocks * (9 * sizeof(double) + sizeof(int32_t)) + view.row_count * (double)sizeof(int64_t);
    double vector_bytes = 2 * dofs * sizeof(double);
    double products = upper ? 2 * blocks - view.row_count : blocks;
    BenchTime twin = bench_time(bench, multiply_csr, c);
    BenchRow row = {.name = upper ? "product/upper" : "product/full",
                    .subject = subject,
                    .unit = "dof",
                    .items = dofs,
                    .bytes = matrix_bytes + vector_bytes,
                    .flops = 18 * products,
                    .threads = threads,
                    .isa = isa,
                    .time = bench_time(bench, multiply, c),
                    .twin = twin,
                    .twin_name = "csr"};
    bench_row(bench, &row);
    row.twin = (BenchTime){0};
    if (!upper) {
        row.name = "product/full transposed";
        row.time = bench_time(bench, multiply_transposed, c);
        bench_row(bench, &row);
        LyraCsrPatternView csr = lyra_csr_pattern_view(c->csr_pattern);
        row.name = "product/csr";
        row.bytes = (double)csr.entry_count * (sizeof(double) + sizeof(int32_t)) +
                    csr.row_count * (double)sizeof(int64_t) + vector_bytes;
        row.time = twin;
        bench_row(bench, &row);
    }
    row.name = upper ? "product/upper, 4 columns" : "product/full, 4 columns";
    row.items = 4 * dofs;
    row.bytes = matrix_bytes + 4 * vector_bytes;
    row.flops = 4 * 18 * products;
    row.time = bench_time(bench, multiply_columns, c);
    bench_row(bench, &row);
}

static LyraStatus pattern_rows(Bench *bench, Case *c, const char *subject, int32_t threads,
                               LyraIsa isa)
{
    bool upper = c->storage == LYRA_STORAGE_UPPER;
    BenchRow row = {.name = upper ? "pattern and slots/upper" : "pattern and slots/full",
                    .subject = subject,
                    .unit = "tet",
                    .items = (double)c->box->tet_count,
                    .threads = threads,
                    .isa = isa,
                    .time = bench_time(bench, build_pattern, c)};
    bench_row(bench, &row);
    bench_note(bench, "  %.1f ms for the whole mesh", 1e3 * row.time.minimum);
    row.name = upper ? "upper to csr" : "full to csr";
    row.time = bench_time(bench, convert, c);
    bench_row(bench, &row);
    return c->status;
}

CliExit bench_sparse(Bench *bench)
{
    static const struct {
        int32_t cells;
        const char *subject;
    } boxes[] = {{30, "box 162k tets"}, {44, "box 511k tets"}};
    CliExit exit = CLI_OK;
    for (size_t b = 0; b < sizeof boxes / sizeof boxes[0] && exit == CLI_OK; ++b) {
        Box box;
        if (!box_create(boxes[b].cells, &box)) {
            exit = cli_fail("out of memory");
        }
        for (int32_t threads = 1; exit == CLI_OK && threads <= bench->threads;
             threads = bench_next_threads(bench, threads)) {
            for (int32_t storage = LYRA_STORAGE_COUNT - 1; exit == CLI_OK && storage >= 0;
                 --storage) {
                Case c;
                if (case_create(threads, LYRA_ISA_AUTO, &box, (LyraStorage)storage, &c) ==
                    LYRA_OK) {
                    LyraIsa isa = lyra_context_isa(c.ctx);
                    product_rows(bench, &c, boxes[b].subject, threads, isa);
                    if (pattern_rows(bench, &c, boxes[b].subject, threads, isa) != LYRA_OK) {
                        exit = cli_failed();
                    }
                } else {
                    exit = cli_failed();
                }
                case_destroy(&c);
            }
        }
        box_destroy(&box);
    }
    return exit;
}
