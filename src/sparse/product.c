// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Products of block and scalar matrices: pieces to threads, kernels by instruction set.
//
// Gathering products (full storage) write each output once. Scattering products (upper storage,
// transposed) run in two phases: pieces of rows fill their own accumulators, then pieces of outputs
// add the owner's accumulator and the halos in order of pieces (see LyPlan).

#include "config.h"
#include "sparse/sparse.h"

LySparseKernels ly_sparse_kernels(LyraIsa isa)
{
#define KERNELS(name)                                                                              \
    (LySparseKernels)                                                                              \
    {                                                                                              \
        ly_block_full_##name, ly_block_upper_##name, ly_block_transposed_##name,                   \
            ly_csr_full_##name, ly_csr_upper_##name, ly_csr_transposed_##name                      \
    }
    switch (isa) {
#if LY_HAVE_X86_KERNELS
    case LYRA_ISA_AVX2:
        return KERNELS(avx2);
    case LYRA_ISA_AVX512:
        return KERNELS(avx512);
#endif
    case LYRA_ISA_SCALAR:
        return KERNELS(scalar);
    default:
        return KERNELS(baseline);
    }
}

// what to compute: y (+)= a op(A) x
typedef struct Product {
    const LyPlan *plan;
    LyProductPiece piece; // what all pieces share
    LyBlockKernel *block; // one of the two kernels is NULL
    LyCsrKernel *csr;
    double *scratch;
    double *y;
    int64_t y_stride;
    int32_t columns;
    bool add;
} Product;

static void run_kernel(const Product *product, const LyProductPiece *piece)
{
    if (product->block) {
        product->block(piece, product->columns);
    } else {
        product->csr(piece);
    }
}

static void gather_task(void *data, int32_t index, int32_t worker)
{
    (void)worker;
    const Product *product = data;
    LyProductPiece piece = product->piece;
    piece.row_begin = product->plan->row_begin[index];
    piece.row_end = product->plan->row_begin[index + 1];
    piece.y = product->y;
    piece.y_stride = product->y_stride;
    piece.add = product->add;
    run_kernel(product, &piece);
}

static void scatter_task(void *data, int32_t index, int32_t worker)
{
    (void)worker;
    const Product *product = data;
    const LyPlan *plan = product->plan;
    int64_t width = product->block ? 4 * (int64_t)product->columns : 1;
    int64_t begin = ly_plan_local_begin(plan, index);
    int64_t count = ly_plan_local_begin(plan, index + 1) - begin;
    LyProductPiece piece = product->piece;
    piece.row_begin = plan->row_begin[index];
    piece.row_end = plan->row_begin[index + 1];
    piece.own_begin = plan->owns ? piece.row_begin : 0;
    piece.own_end = plan->owns ? piece.row_end : 0;
    piece.entry_halo = plan->entry_halo + plan->entry_start[index];
    piece.local = product->scratch + width * begin;
    memset(piece.local, 0, (size_t)(width * count) * sizeof(double));
    run_kernel(product, &piece);
}

// adds `size` doubles of accumulator
static inline void add_to(double *y, const double *local, int32_t size)
{
    for (int32_t d = 0; d < size; ++d) {
        y[d] += local[d];
    }
}

static void reduce_task(void *data, int32_t index, int32_t worker)
{
    (void)worker;
    const Product *product = data;
    const LyPlan *plan = product->plan;
    int32_t size = product->block ? 3 : 1, columns = product->columns;
    int64_t width = product->block ? 4 : 1;
    int32_t begin = plan->target_begin[index], end = plan->target_begin[index + 1];
    for (int32_t c = 0; c < columns; ++c) {
        double *y = product->y + c * product->y_stride;
        if (!product->add) {
            memset(y + (int64_t)size * begin, 0, (size_t)size * (size_t)(end - begin) * 8);
        }
        if (plan->owns) {
            const double *local =
                product->scratch + width * (columns * ly_plan_local_begin(plan, index) + c);
            for (int32_t j = begin; j < end; ++j, local += width * columns) {
                add_to(y + (int64_t)size * j, local, size);
            }
        }
        for (int32_t p = 0; p < plan->pieces; ++p) {
            int64_t h = plan->target_halo[(int64_t)index * plan->pieces + p];
            int64_t h_end = plan->target_halo[((int64_t)index + 1) * plan->pieces + p];
            // accumulators of the halo follow those of the rows owned so far
            int64_t place = (plan->owns ? plan->row_begin[p + 1] : 0) + h;
            const double *local = product->scratch + width * (columns * place + c);
            for (; h < h_end; ++h, local += width * columns) {
                add_to(y + (int64_t)size * plan->halo_column[h], local, size);
            }
        }
    }
}

static void gather(LyraContext *ctx, Product *product)
{
    ly_parallel_for(ctx, product->plan->pieces, gather_task, product);
}

static void scatter(LyraContext *ctx, Product *product)
{
    ly_parallel_for(ctx, product->plan->pieces, scatter_task, product);
    ly_parallel_for(ctx, product->plan->target_pieces, reduce_task, product);
}

// ---- blocks -------------------------------------------------------------------------------------

// the columns of a product
typedef struct Columns {
    int32_t count;
    const double *x;
    int64_t x_stride;
    double *y;
    int64_t y_stride;
} Columns;

static void block_product(const LyraBlockMatrix *matrix, bool transposed, bool add, double a,
                          const Columns *of)
{
    LYRA_ASSERT(matrix && ((of->x && of->y) || matrix->pattern->row_count == 0) && of->count >= 0);
    const LyraBlockPattern *pattern = matrix->pattern;
    LySparseKernels kernels = ly_sparse_kernels(lyra_context_isa(matrix->ctx));
    bool upper = pattern->storage == LYRA_STORAGE_UPPER;
    bool gathers = !upper && !transposed;
    int32_t group = gathers ? 4 : matrix->columns;
    if (pattern->row_count == 0) {
        return;
    }
    for (int32_t first = 0; first < of->count; first += group) {
        Product product = {
            .plan = &pattern->plan,
            .piece = {.row_start = pattern->row_start,
                      .column = pattern->column,
                      .values = matrix->values,
                      .column_count = pattern->row_count,
                      .x = of->x + first * of->x_stride,
                      .x_stride = of->x_stride,
                      .a = a},
            .scratch = matrix->scratch,
            .y = of->y + first * of->y_stride,
            .y_stride = of->y_stride,
            .columns = of->count - first < group ? of->count - first : group,
            .add = add,
        };
        product.block = gathers ? kernels.block_full
                        : upper ? kernels.block_upper
                                : kernels.block_transposed;
        if (gathers) {
            gather(matrix->ctx, &product);
        } else {
            scatter(matrix->ctx, &product);
        }
    }
}

void lyra_block_matrix_multiply(const LyraBlockMatrix *matrix, const double *x, double *y)
{
    block_product(matrix, false, false, 1.0, &(Columns){1, x, 0, y, 0});
}

void lyra_block_matrix_multiply_add(const LyraBlockMatrix *matrix, double a, const double *x,
                                    double *y)
{
    block_product(matrix, false, true, a, &(Columns){1, x, 0, y, 0});
}

void lyra_block_matrix_multiply_transposed(const LyraBlockMatrix *matrix, const double *x,
                                           double *y)
{
    block_product(matrix, true, false, 1.0, &(Columns){1, x, 0, y, 0});
}

void lyra_block_matrix_multiply_transposed_add(const LyraBlockMatrix *matrix, double a,
                                               const double *x, double *y)
{
    block_product(matrix, true, true, a, &(Columns){1, x, 0, y, 0});
}

void lyra_block_matrix_multiply_columns(const LyraBlockMatrix *matrix, int32_t columns,
                                        const double *x, int64_t x_stride, double *y,
                                        int64_t y_stride)
{
    block_product(matrix, false, false, 1.0, &(Columns){columns, x, x_stride, y, y_stride});
}

void lyra_block_matrix_multiply_columns_add(const LyraBlockMatrix *matrix, double a,
                                            int32_t columns, const double *x, int64_t x_stride,
                                            double *y, int64_t y_stride)
{
    block_product(matrix, false, true, a, &(Columns){columns, x, x_stride, y, y_stride});
}

// ---- scalars ------------------------------------------------------------------------------------

static void csr_product(const LyraCsrMatrix *matrix, bool transposed, bool add, double a,
                        const double *x, double *y)
{
    LYRA_ASSERT(matrix);
    const LyraCsrPattern *pattern = matrix->pattern;
    LySparseKernels kernels = ly_sparse_kernels(lyra_context_isa(matrix->ctx));
    bool upper = pattern->storage == LYRA_STORAGE_UPPER;
    bool gathers = !upper && !transposed;
    Product product = {
        .plan = &pattern->plan,
        .piece = {.row_start = pattern->row_start,
                  .column = pattern->column,
                  .values = matrix->values,
                  .column_count = pattern->column_count,
                  .x = x,
                  .a = a},
        .csr = gathers ? kernels.csr_full
               : upper ? kernels.csr_upper
                       : kernels.csr_transposed,
        .scratch = matrix->scratch,
        .y = y,
        .columns = 1,
        .add = add,
    };
    if (gathers) {
        gather(matrix->ctx, &product);
    } else {
        scatter(matrix->ctx, &product);
    }
}

void lyra_csr_matrix_multiply(const LyraCsrMatrix *matrix, const double *x, double *y)
{
    csr_product(matrix, false, false, 1.0, x, y);
}

void lyra_csr_matrix_multiply_add(const LyraCsrMatrix *matrix, double a, const double *x, double *y)
{
    csr_product(matrix, false, true, a, x, y);
}

void lyra_csr_matrix_multiply_transposed(const LyraCsrMatrix *matrix, const double *x, double *y)
{
    csr_product(matrix, true, false, 1.0, x, y);
}

void lyra_csr_matrix_multiply_transposed_add(const LyraCsrMatrix *matrix, double a, const double *x,
                                             double *y)
{
    csr_product(matrix, true, true, a, x, y);
}

void lyra_csr_matrix_multiply_columns(const LyraCsrMatrix *matrix, int32_t columns, const double *x,
                                      int64_t x_stride, double *y, int64_t y_stride)
{
    for (int32_t c = 0; c < columns; ++c) {
        csr_product(matrix, false, false, 1.0, x + c * x_stride, y + c * y_stride);
    }
}
