// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// The solver "band": L D L^T without pivoting in a narrow band, for chains, trees and strips. It
// eliminates constraints on the way from the matrix to the band, so nothing is copied twice, and of
// scalar nodes it keeps the one unknown that is free.
//
// It has a factor only where every pivot is well above the rounding of the diagonal it comes from.
// Matrices of which that is not so are left to "cholesky", which tells singular ones from
// indefinite ones, and has a factor of the latter where it is asked for one.

#include "solve/band.h"
#include "solve/front.h"

#include <math.h>
#include <string.h>

/// Pivot over diagonal at least: root of the rounding unit.
#define PIVOT_LEAST 1.5e-8
/// Numbers of the factor at most: 3.2 GB.
#define ENTRIES_MAX 4e8
/// Rows of blocks that a piece copies.
#define GRAIN 512

// how a vertex is held
enum { FREE, HELD, PARTLY };

typedef struct Band {
    LyraContext *ctx;
    LyraSolverDef def;
    const LyBandKernels *kernels;
    const LyraConstraints *constraints; // NULL: none
    LyBandOrder order;
    LyBandFactor factor;
    int64_t room;       // numbers of its values
    int64_t *column_at; // where row 0 of a column would be in the values, [LY_BAND panels]
    uint8_t *held;      // [vertices]
    double *projectors; // of those that are held in part, [vertices with directions][9]
    int32_t *projector; // number of a vertex's, [vertices]
    int32_t capacity;   // projectors there is room for
    double *x;          // a right-hand side in the order of the band
    int64_t x_room;
    const LyraBlockMatrix *matrix; // that is copied
    // takes over
    LyEliminated eliminated;
    void *other;
    bool other_analyzed, other_serves, factored;
} Band;

// ---- life ---------------------------------------------------------------------------------------

static void forget(Band *self)
{
    LyraContext *ctx = self->ctx;
    ly_band_order_destroy(&self->order);
    ly_release(ctx, self->factor.start);
    ly_release(ctx, self->factor.stride);
    ly_release(ctx, self->factor.source);
    ly_release(ctx, self->factor.values);
    ly_release(ctx, self->factor.pivots);
    ly_release(ctx, self->factor.products);
    ly_release(ctx, self->column_at);
    ly_release(ctx, self->held);
    ly_release(ctx, self->projectors);
    ly_release(ctx, self->projector);
    ly_release(ctx, self->x);
    ly_eliminated_destroy(&self->eliminated);
    if (self->other) {
        ly_solver_cholesky.destroy(self->other);
    }
    *self = (Band){.ctx = ctx, .def = self->def, .kernels = self->kernels};
}

static LyraStatus create(LyraContext *ctx, const LyraSolverDef *def, void **out)
{
    static const LyBandKernels *const kernels[] = LY_KERNEL_TABLE(&ly_band_kernels);
    Band *self;
    LY_TRY(ly_allocate_zeroed(ctx, 1, sizeof *self, &self));
    *self = (Band){.ctx = ctx, .def = *def, .kernels = kernels[lyra_context_isa(ctx)]};
    self->def.positions = NULL;
    *out = self;
    return LYRA_OK;
}

static void destroy(void *data)
{
    Band *self = data;
    if (self) {
        forget(self);
        ly_release(self->ctx, self);
    }
}

// ---- analyze ------------------------------------------------------------------------------------

// strides, starts and sources of the panels
static void lay_out(Band *self)
{
    LyBandFactor *factor = &self->factor;
    int32_t source = 0, longest = LY_BAND_ROWS;
    for (int32_t p = 0; p < factor->panel_count; ++p) {
        int32_t stride = (self->order.height[p] + LY_BAND_ROWS - 1) / LY_BAND_ROWS * LY_BAND_ROWS;
        while (LY_BAND * source + self->order.height[source] <= LY_BAND * p) {
            ++source;
        }
        factor->start[p] = self->room;
        factor->stride[p] = stride;
        factor->source[p] = source;
        longest = stride > longest ? stride : longest;
        for (int32_t c = 0; c < LY_BAND; ++c) {
            self->column_at[LY_BAND * p + c] = self->room + c * (int64_t)stride - LY_BAND * p;
        }
        self->room += LY_BAND * (int64_t)stride;
    }
    self->x_room = LY_BAND * (int64_t)factor->panel_count + longest;
}

static int32_t most_sources(const LyBandFactor *factor)
{
    int32_t most = 0;
    for (int32_t p = 0; p < factor->panel_count; ++p) {
        int32_t count = p - factor->source[p];
        most = count > most ? count : most;
    }
    return most;
}

static LyraStatus make_factor(Band *self)
{
    LyraContext *ctx = self->ctx;
    LyBandFactor *factor = &self->factor;
    int64_t panels = self->order.panel_count;
    factor->panel_count = self->order.panel_count;
    LY_TRY(ly_allocate_array(ctx, panels, sizeof *factor->start, &factor->start));
    LY_TRY(ly_allocate_array(ctx, panels, sizeof *factor->stride, &factor->stride));
    LY_TRY(ly_allocate_array(ctx, panels, sizeof *factor->source, &factor->source));
    LY_TRY(ly_allocate_array(ctx, panels, sizeof *factor->pivots, &factor->pivots));
    LY_TRY(ly_allocate_array(ctx, LY_BAND * panels, sizeof *self->column_at, &self->column_at));
    lay_out(self);
    int64_t products = LY_BAND * LY_BAND * (int64_t)most_sources(factor);
    LY_TRY(ly_allocate_array(ctx, products, sizeof(double), &factor->products));
    LY_TRY(ly_allocate_array(ctx, self->room, sizeof(double), &factor->values));
    return ly_allocate_zeroed(ctx, self->x_room, sizeof(double), &self->x);
}

static LyraStatus analyze(void *data, const LyraOperator *A, const LyraConstraints *constraints)
{
    Band *self = data;
    LyraStatus status = LYRA_OK;
    const uint8_t *scalar = constraints ? ly_constraints_lone_scalars(constraints) : NULL;
    LyraGraph graph = lyra_block_pattern_graph(lyra_block_matrix_pattern(A->block));
    forget(self);
    self->constraints = constraints;
    LY_TRY_DONE(ly_band_order_create(self->ctx, graph, scalar, &self->order));
    if (self->order.entries > ENTRIES_MAX) {
        status = ly_fail(LYRA_TOO_LARGE,
                         "band: the band of this matrix holds %.2g numbers, expected at most %.2g; "
                         "cholesky fills less",
                         self->order.entries, ENTRIES_MAX);
        goto done;
    }
    LY_TRY_DONE(ly_allocate_zeroed(self->ctx, graph.vertex_count, 1, &self->held));
    LY_TRY_DONE(ly_allocate_array(self->ctx, graph.vertex_count, sizeof *self->projector,
                                  &self->projector));
    LY_TRY_DONE(make_factor(self));
done:
    if (status != LYRA_OK) {
        forget(self);
    }
    return status;
}

// ---- from the matrix to the band ----------------------------------------------------------------

// how each vertex is held now, with its projector where that is in part
static LyraStatus find_held(Band *self)
{
    const LyraConstraints *constraints = self->constraints;
    int32_t count = constraints ? constraints->count : 0, parts = 0;
    if (!constraints) {
        return LYRA_OK;
    }
    if (count > self->capacity) {
        LY_TRY(ly_resize_array(self->ctx, 9 * (int64_t)count, sizeof(double), &self->projectors));
        self->capacity = count;
    }
    memset(self->held, FREE, (size_t)self->order.vertex_count);
    for (int32_t k = 0, held; k < count; k += held) {
        int32_t v = constraints->vertex[k];
        held = constraints->held[v];
        if (held == 3) {
            self->held[v] = HELD;
        } else if (self->order.width[v] == 3) {
            double *P = self->projectors + 9 * (int64_t)parts;
            for (int32_t i = 0; i < 9; ++i) {
                P[i] = i % 4 == 0;
                for (int32_t n = k; n < k + held; ++n) {
                    const double *d = constraints->direction + 3 * (int64_t)n;
                    P[i] -= d[i / 3] * d[i % 3];
                }
            }
            self->held[v] = PARTLY;
            self->projector[v] = parts++;
        }
    }
    return LYRA_OK;
}

// B = P_i A P_j
static void project(const Band *self, int32_t i, int32_t j, const double *A, double B[9])
{
    double half[9];
    memcpy(half, A, sizeof half);
    if (self->held[i] == PARTLY) {
        const double *P = self->projectors + 9 * (int64_t)self->projector[i];
        for (int32_t e = 0; e < 9; ++e) {
            const double *row = P + 3 * (e / 3);
            half[e] = row[0] * A[e % 3] + row[1] * A[3 + e % 3] + row[2] * A[6 + e % 3];
        }
    }
    memcpy(B, half, sizeof half);
    if (self->held[j] == PARTLY) {
        const double *P = self->projectors + 9 * (int64_t)self->projector[j];
        for (int32_t e = 0; e < 9; ++e) {
            const double *row = half + 3 * (e / 3);
            B[e] = row[0] * P[e % 3] + row[1] * P[3 + e % 3] + row[2] * P[6 + e % 3];
        }
    }
}

// The diagonal block of a vertex with directions that are held: these get its mean diagonal.
static void hold(const Band *self, int32_t i, double B[9], const double *A)
{
    double mean = (fabs(A[0]) + fabs(A[4]) + fabs(A[8])) / 3;
    mean = self->order.width[i] == 1 ? fabs(A[0]) : mean;
    mean = mean > 0 ? mean : 1;
    if (self->held[i] == HELD) {
        memset(B, 0, 9 * sizeof *B);
        B[0] = B[4] = B[8] = mean;
        return;
    }
    const double *P = self->projectors + 9 * (int64_t)self->projector[i];
    for (int32_t e = 0; e < 9; ++e) {
        B[e] += mean * ((e % 4 == 0) - P[e]);
    }
}

// block (i, j) to its place, below the diagonal of the band
static void put(const Band *self, int32_t i, int32_t j, const double *B)
{
    const int32_t *place = self->order.place;
    int32_t rows = self->order.width[i], columns = self->order.width[j];
    double *values = self->factor.values;
    if (place[i] > place[j]) {
        for (int32_t c = 0; c < columns; ++c) {
            double *to = values + self->column_at[place[j] + c] + place[i];
            for (int32_t r = 0; r < rows; ++r) {
                to[r] = B[3 * r + c];
            }
        }
        return;
    }
    for (int32_t r = 0; r < rows; ++r) {
        double *to = values + self->column_at[place[i] + r] + place[j];
        for (int32_t c = i == j ? r : 0; c < columns; ++c) {
            to[c] = B[3 * r + c];
        }
    }
}

static void put_row(const Band *self, const LyraBlockPatternView *view, int32_t i)
{
    const double *values = lyra_block_matrix_values(self->matrix);
    for (int64_t k = view->row_start[i]; k < view->row_start[i + 1]; ++k) {
        int32_t j = view->column[k];
        const double *A = values + 9 * k;
        double B[9];
        if (j < i) {
            continue;
        }
        if (self->held[i] == FREE && self->held[j] == FREE) {
            put(self, i, j, A);
        } else if (i == j) {
            project(self, i, i, A, B);
            hold(self, i, B, A);
            put(self, i, i, B);
        } else if (self->held[i] != HELD && self->held[j] != HELD) {
            project(self, i, j, A, B);
            put(self, i, j, B);
        }
    }
}

static void put_piece(void *data, int32_t index, int32_t worker)
{
    (void)worker;
    Band *self = data;
    LyraBlockPatternView view = lyra_block_pattern_view(lyra_block_matrix_pattern(self->matrix));
    int32_t pieces = ly_piece_count(view.row_count, GRAIN);
    int64_t end = ly_piece_begin(view.row_count, pieces, index + 1);
    for (int64_t i = ly_piece_begin(view.row_count, pieces, index); i < end; ++i) {
        put_row(self, &view, (int32_t)i);
    }
}

static LyraStatus copy_matrix(Band *self, const LyraOperator *A)
{
    int32_t rows = lyra_block_pattern_view(lyra_block_matrix_pattern(A->block)).row_count;
    LY_TRY(find_held(self));
    self->matrix = A->block;
    memset(self->factor.values, 0, (size_t)self->room * sizeof(double));
    ly_parallel_for(self->ctx, ly_piece_count(rows, GRAIN), put_piece, self);
    for (int32_t i = self->order.size; i < LY_BAND * self->order.panel_count; ++i) {
        self->factor.values[self->column_at[i] + i] = 1;
    }
    return LYRA_OK;
}

// ---- factor and solve ---------------------------------------------------------------------------

static LyraStatus leave_to_cholesky(Band *self, const LyraOperator *A, LyraSolveReport *report)
{
    LyraOperator seen = *A;
    if (self->constraints && !self->eliminated.ctx) {
        LY_TRY(ly_eliminated_create(self->ctx, A, self->constraints, &self->eliminated));
    }
    if (self->constraints) {
        LY_TRY(ly_eliminated_update(&self->eliminated, A));
        seen = self->eliminated.E;
    }
    if (!self->other) {
        LY_TRY(ly_solver_cholesky.create(self->ctx, &self->def, &self->other));
    }
    if (!self->other_analyzed) {
        LY_TRY(ly_solver_cholesky.analyze(self->other, &seen, NULL));
        self->other_analyzed = true;
    }
    LY_TRY(ly_solver_cholesky.factor(self->other, &seen, report));
    self->other_serves = true;
    return LYRA_OK;
}

static LyraStatus factor(void *data, const LyraOperator *A, LyraSolveReport *report)
{
    Band *self = data;
    self->factored = self->other_serves = false;
    LY_TRY(copy_matrix(self, A));
    if (self->kernels->factor(&self->factor, PIVOT_LEAST) >= 0) {
        return leave_to_cholesky(self, A, report);
    }
    report->definiteness = LYRA_DEFINITENESS_POSITIVE;
    report->shift = 0;
    report->negative = 0;
    report->factor_entries = (int64_t)self->order.entries;
    self->factored = true;
    return LYRA_OK;
}

static LyraStatus solve(void *data, int32_t columns, const double *B, bool warm, double *X,
                        LyraSolveReport *report)
{
    Band *self = data;
    const LyBandOrder *order = &self->order;
    if (self->other_serves) {
        return ly_solver_cholesky.solve(self->other, columns, B, warm, X, report);
    }
    if (!self->factored) {
        return ly_fail(LYRA_INVALID_ARGUMENT, "band: there is no factor to solve with");
    }
    for (int64_t c = 0; c < columns; ++c) {
        const double *b = B + 3 * c * order->vertex_count;
        double *x = X + 3 * c * order->vertex_count;
        memset(self->x + order->size, 0, (size_t)(self->x_room - order->size) * sizeof *x);
        for (int64_t v = 0; v < order->vertex_count; ++v) {
            memcpy(self->x + order->place[v], b + 3 * v, order->width[v] * sizeof *x);
        }
        self->kernels->solve(&self->factor, self->x);
        for (int64_t v = 0; v < order->vertex_count; ++v) {
            x[3 * v + 1] = x[3 * v + 2] = 0;
            memcpy(x + 3 * v, self->x + order->place[v], order->width[v] * sizeof *x);
        }
    }
    return LYRA_OK;
}

static int64_t bytes(const void *data)
{
    const Band *self = data;
    int64_t panels = self->factor.panel_count, vertices = self->order.vertex_count;
    int64_t other = self->other ? ly_solver_cholesky.bytes(self->other) : 0;
    return (int64_t)sizeof *self + 8 * (self->room + self->x_room) +
           panels * (int64_t)(sizeof(LyBandPivots) + 3 * 4 + 8 + 8 * LY_BAND) + 10 * vertices +
           72 * (int64_t)self->capacity + other +
           (self->eliminated.ctx ? ly_eliminated_bytes(&self->eliminated) : 0);
}

const LyraSolverType ly_solver_band = {
    .name = "band",
    .traits =
        LYRA_SOLVES_BLOCK | LYRA_SOLVES_INDEFINITE | LYRA_SOLVES_DIRECTLY | LYRA_SOLVES_ELIMINATING,
    .create = create,
    .analyze = analyze,
    .factor = factor,
    .solve = solve,
    .bytes = bytes,
    .destroy = destroy,
};
