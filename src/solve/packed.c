// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Scalar nodes, three to a vertex. A matrix of 3x3 blocks has for each unknown of an edge a row of
// blocks with one number of use in nine; shells have three edges for each vertex, so that most of
// their matrix would be zeros that are swept, multiplied and factored. Solvers see a matrix in
// which three scalar nodes that follow each other are the components of one vertex. It has the same
// unknowns in fewer blocks: couplings of a vertex with a scalar node are columns of blocks, those
// of two scalar nodes are entries. Rows keep the order in which their first vertices stood.
//
// The unknowns that scalar nodes do not use are held (ly_constraints_set_scalars) and vanish;
// places of a last row that stay empty are held instead, with a diagonal like their neighbours'.

#include "solve/packed.h"

#include "solve/constraints.h"

#include <math.h>
#include <string.h>

// scalar nodes for each other vertex from which on it pays
#define SHARE 1

// scalar nodes below which nobody would notice
#define SCALARS_MIN 64

#define GRAIN 2048

// how a block goes to its place: whole; as three numbers, from a column or a row to a column or a
// row; as one number, to one place or, in a diagonal block, to two
enum { WHOLE, THREE, ONE };

#define HOW(kind, a, b, from_row) (uint8_t)((kind) | (a) << 2 | (b) << 4 | (from_row) << 6)
#define TWICE 3 // b of a column: to a row

static LyraStatus take(LyPacked *packed, int64_t count, size_t size, void *out)
{
    LY_TRY(ly_allocate_zeroed(packed->ctx, count, size, out));
    packed->bytes += count * (int64_t)size;
    return LYRA_OK;
}

void ly_packed_destroy(LyPacked *packed)
{
    LyraContext *ctx = packed->ctx;
    if (!ctx) {
        return;
    }
    lyra_constraints_destroy(packed->constraints);
    lyra_block_matrix_destroy(packed->block);
    lyra_block_pattern_destroy(packed->pattern);
    ly_release(ctx, packed->positions);
    ly_release(ctx, packed->labels);
    ly_release(ctx, packed->row);
    ly_release(ctx, packed->member);
    ly_release(ctx, packed->place);
    ly_release(ctx, packed->start);
    ly_release(ctx, packed->source);
    ly_release(ctx, packed->how);
    ly_release(ctx, packed->B);
    ly_release(ctx, packed->X);
    ly_release(ctx, packed->values);
    *packed = (LyPacked){0};
}

// ---- rows ---------------------------------------------------------------------------------------

static bool pays(const LyraOperator *A, const LyraConstraints *constraints)
{
    const uint8_t *scalar = constraints ? ly_constraints_lone_scalars(constraints) : NULL;
    if (!scalar || A->kind != LYRA_OPERATOR_BLOCK || !A->symmetric ||
        constraints->size != A->size) {
        return false;
    }
    LyraBlockPatternView pattern = lyra_block_pattern_view(lyra_block_matrix_pattern(A->block));
    int64_t count = 0;
    for (int32_t v = 0; v < pattern.row_count; ++v) {
        count += scalar[v];
    }
    return pattern.storage == LYRA_STORAGE_UPPER && count >= SCALARS_MIN &&
           count >= SHARE * (pattern.row_count - count);
}

static int32_t find_part(int32_t *part, int32_t v)
{
    while (part[v] != v) {
        v = part[v] = part[part[v]];
    }
    return v;
}

// the least vertex of the part of each: scalar nodes of two parts must not join these
static void find_parts(const LyraBlockPatternView *before, int32_t *part)
{
    for (int32_t v = 0; v < before->row_count; ++v) {
        part[v] = v;
    }
    for (int32_t v = 0; v < before->row_count; ++v) {
        for (int64_t k = before->row_start[v]; k < before->row_start[v + 1]; ++k) {
            int32_t a = find_part(part, v), b = find_part(part, before->column[k]);
            part[a > b ? a : b] = a > b ? b : a;
        }
    }
    for (int32_t v = 0; v < before->row_count; ++v) {
        part[v] = find_part(part, v);
    }
}

// `part`: scratch, [vertices]
static LyraStatus number_rows(LyPacked *packed, const LyraBlockPatternView *before,
                              const uint8_t *scalar, int32_t *part)
{
    int32_t n = packed->vertices, open = -1, used = 0, last = -1;
    LY_TRY(take(packed, n, sizeof(int32_t), &packed->row));
    LY_TRY(take(packed, n, sizeof(int8_t), &packed->place));
    LY_TRY(take(packed, 3 * (int64_t)n, sizeof(int32_t), &packed->member));
    memset(packed->member, -1, 3 * (size_t)n * sizeof(int32_t));
    find_parts(before, part);
    for (int32_t v = 0; v < n; ++v) {
        bool joins = scalar[v] && open >= 0 && used < 3 && part[v] == last;
        last = scalar[v] ? part[v] : last;
        int32_t row = joins ? open : packed->rows++;
        if (scalar[v]) {
            used = joins ? used : 0;
            open = row;
        }
        packed->row[v] = row;
        packed->place[v] = scalar[v] ? (int8_t)used : -1;
        packed->member[3 * (int64_t)row + (scalar[v] ? used++ : 0)] = v;
    }
    return LYRA_OK;
}

static LyraStatus describe_rows(LyPacked *packed, const double *positions, const int32_t *labels)
{
    LY_TRY(take(packed, packed->rows, sizeof(int32_t), &packed->labels));
    if (positions) {
        LY_TRY(take(packed, 3 * (int64_t)packed->rows, sizeof(double), &packed->positions));
    }
    for (int32_t r = 0; r < packed->rows; ++r) {
        const int32_t *member = packed->member + 3 * (int64_t)r;
        packed->labels[r] = (int32_t)ly_vertex_label(labels, member[0]);
        int count = 1 + (member[1] >= 0) + (member[2] >= 0);
        for (int k = 0; k < 3 * count && positions; ++k) {
            packed->positions[3 * (int64_t)r + k % 3] +=
                positions[3 * (int64_t)member[k / 3] + k % 3] / count;
        }
    }
    return LYRA_OK;
}

// ---- blocks -------------------------------------------------------------------------------------

static LyraStatus make_pattern(LyPacked *packed, const LyraBlockPatternView *before)
{
    LyraContext *ctx = packed->ctx;
    int64_t *start = NULL;
    int32_t *column = NULL;
    LyraStatus status = LYRA_OK;
    LY_TRY_DONE(ly_allocate_zeroed(ctx, (int64_t)packed->rows + 2, sizeof *start, &start));
    LY_TRY_DONE(ly_allocate_array(ctx, before->block_count, sizeof *column, &column));
    for (int32_t i = 0; i < before->row_count; ++i) {
        start[packed->row[i] + 2] += before->row_start[i + 1] - before->row_start[i];
    }
    for (int32_t r = 0; r < packed->rows; ++r) {
        start[r + 2] += start[r + 1];
    }
    for (int32_t i = 0; i < before->row_count; ++i) {
        for (int64_t k = before->row_start[i]; k < before->row_start[i + 1]; ++k) {
            column[start[packed->row[i] + 1]++] = packed->row[before->column[k]];
        }
    }
    LY_TRY_DONE(lyra_block_pattern_create_rows(ctx, packed->rows, LYRA_STORAGE_UPPER, start, column,
                                               &packed->pattern));
    LY_TRY_DONE(lyra_block_matrix_create(packed->pattern, &packed->block));
done:
    ly_release(ctx, start);
    ly_release(ctx, column);
    return status;
}

// place of the block that (i, j) goes to, and how
static int32_t send(const LyPacked *packed, int32_t i, int32_t j, uint8_t *how)
{
    int32_t p = packed->row[i], q = packed->row[j], a = packed->place[i], b = packed->place[j];
    if (a < 0 && b < 0) {
        *how = HOW(WHOLE, 0, 0, 0);
    } else if (a >= 0 && b >= 0) {
        *how = HOW(ONE, a, b, 0); // rows of scalar nodes follow each other, as these do
    } else {
        // the row with the scalar nodes, and whether it is that of the block
        int32_t packed_row = a >= 0 ? p : q, other = a >= 0 ? q : p;
        *how = HOW(THREE, a >= 0 ? a : b, packed_row < other ? TWICE : 0, a >= 0);
    }
    return p <= q ? lyra_block_pattern_find(packed->pattern, p, q)
                  : lyra_block_pattern_find(packed->pattern, q, p);
}

static LyraStatus list_sources(LyPacked *packed, const LyraBlockPatternView *before)
{
    int64_t blocks = lyra_block_pattern_view(packed->pattern).block_count;
    int32_t *to = NULL;
    LyraStatus status = LYRA_OK;
    LY_TRY_DONE(ly_allocate_array(packed->ctx, before->block_count, sizeof *to, &to));
    LY_TRY_DONE(take(packed, blocks + 2, sizeof(int64_t), &packed->start));
    LY_TRY_DONE(take(packed, before->block_count, sizeof(int32_t), &packed->source));
    LY_TRY_DONE(take(packed, before->block_count, sizeof(uint8_t), &packed->how));
    for (int32_t i = 0; i < before->row_count; ++i) {
        for (int64_t k = before->row_start[i]; k < before->row_start[i + 1]; ++k) {
            uint8_t how;
            to[k] = send(packed, i, before->column[k], &how);
            ++packed->start[to[k] + 2];
        }
    }
    for (int64_t b = 0; b < blocks; ++b) {
        packed->start[b + 2] += packed->start[b + 1];
    }
    for (int32_t i = 0; i < before->row_count; ++i) {
        for (int64_t k = before->row_start[i]; k < before->row_start[i + 1]; ++k) {
            int64_t at = packed->start[to[k] + 1]++;
            packed->source[at] = (int32_t)k;
            send(packed, i, before->column[k], &packed->how[at]);
        }
    }
done:
    ly_release(packed->ctx, to);
    return status;
}

LyraStatus ly_packed_create(LyraContext *ctx, const LyraOperator *A,
                            const LyraConstraints *constraints, const double *positions,
                            const int32_t *labels, LyPacked *out)
{
    if (!pays(A, constraints)) {
        return LYRA_OK;
    }
    const LyraBlockPattern *pattern = lyra_block_matrix_pattern(A->block);
    LyraBlockPatternView before = lyra_block_pattern_view(pattern);
    LyPacked packed = {
        .ctx = ctx, .vertices = before.row_count, .before = pattern, .followed = constraints};
    LyraStatus status = LYRA_OK;
    uint8_t *scalar = NULL;
    int32_t *part = NULL;
    LY_TRY_DONE(ly_allocate_array(ctx, before.row_count, sizeof *part, &part));
    LY_TRY_DONE(number_rows(&packed, &before, ly_constraints_scalars(constraints), part));
    LY_TRY_DONE(describe_rows(&packed, positions, labels));
    LY_TRY_DONE(make_pattern(&packed, &before));
    LY_TRY_DONE(list_sources(&packed, &before));
    LY_TRY_DONE(take(&packed, 3 * ((int64_t)packed.vertices + packed.rows), sizeof(double),
                     &packed.values));
    LY_TRY_DONE(lyra_constraints_create(ctx, 3 * packed.rows, &packed.constraints));
    LY_TRY_DONE(ly_allocate_array(ctx, packed.rows, 1, &scalar));
    for (int32_t r = 0; r < packed.rows; ++r) {
        scalar[r] = packed.place[packed.member[3 * (int64_t)r]] >= 0;
    }
    LY_TRY_DONE(ly_constraints_set_scalars(packed.constraints, scalar, NULL, false));
    packed.A = lyra_operator_block(packed.block, true);
    LY_TRY_DONE(ly_packed_follow(&packed));
    *out = packed;
    packed.ctx = NULL;
done:
    ly_release(ctx, scalar);
    ly_release(ctx, part);
    ly_packed_destroy(&packed);
    return status;
}

// ---- values -------------------------------------------------------------------------------------

typedef struct Update {
    LyPacked *packed;
    const double *from;
    double *to;
    int64_t blocks;
    int32_t pieces;
} Update;

static void add_source(const double *from, uint8_t how, bool diagonal, double *to)
{
    int a = how >> 2 & 3, b = how >> 4 & 3;
    switch (how & 3) {
    case WHOLE:
        memcpy(to, from, 9 * sizeof *to);
        break;
    case THREE: {
        int step = how >> 6 ? 1 : 3;
        for (int k = 0; k < 3; ++k) {
            to[b == TWICE ? 3 * a + k : 3 * k + a] = from[step * k];
        }
        break;
    }
    default:
        to[3 * a + b] = from[0];
        if (diagonal) {
            to[3 * b + a] = from[0];
        }
    }
}

static void update_task(void *data, int32_t index, int32_t worker)
{
    (void)worker;
    const Update *update = data;
    const LyPacked *packed = update->packed;
    LyraBlockPatternView view = lyra_block_pattern_view(packed->pattern);
    int32_t begin = (int32_t)ly_piece_begin(packed->rows, update->pieces, index);
    int32_t end = (int32_t)ly_piece_begin(packed->rows, update->pieces, index + 1);
    for (int32_t r = begin; r < end; ++r) {
        for (int64_t b = view.row_start[r]; b < view.row_start[r + 1]; ++b) {
            double to[9] = {0};
            bool diagonal = view.column[b] == r;
            for (int64_t k = packed->start[b]; k < packed->start[b + 1]; ++k) {
                add_source(update->from + 9 * (int64_t)packed->source[k], packed->how[k], diagonal,
                           to);
            }
            const int32_t *member = packed->member + 3 * (int64_t)r;
            for (int c = 1; c < 3 && diagonal && packed->place[member[0]] >= 0; ++c) {
                to[4 * c] = member[c] < 0 ? to[0] : to[4 * c];
            }
            memcpy(update->to + 9 * b, to, sizeof to);
        }
    }
}

LyraStatus ly_packed_update(LyPacked *packed, const LyraOperator *A)
{
    if (A->kind != LYRA_OPERATOR_BLOCK || lyra_block_matrix_pattern(A->block) != packed->before) {
        return ly_fail(LYRA_INVALID_ARGUMENT,
                       "solver: the operator, of %d unknowns, is not on the analyzed pattern, of "
                       "%d",
                       (int)A->size, 3 * (int)packed->vertices);
    }
    Update update = {packed, lyra_block_matrix_values(A->block),
                     lyra_block_matrix_values_mutable(packed->block), 0,
                     ly_piece_count(packed->rows, GRAIN)};
    ly_parallel_for(packed->ctx, update.pieces, update_task, &update);
    return LYRA_OK;
}

// ---- constraints --------------------------------------------------------------------------------

static LyraStatus follow_row(LyPacked *packed, const LyraConstraintsView *view, int32_t r)
{
    for (int c = 0; c < 3; ++c) {
        int32_t v = packed->member[3 * (int64_t)r + c];
        bool vertex = packed->place[packed->member[3 * (int64_t)r]] < 0, held = v < 0 && !vertex;
        int32_t first = v < 0 ? 0 : ly_constraints_begin(packed->followed, v);
        int32_t end = v < 0 ? 0 : first + packed->followed->held[v];
        for (int32_t k = first; k < end; ++k) {
            const double *n = view->direction + 3 * (int64_t)k;
            if (vertex) {
                LY_TRY(lyra_constraints_add_direction(packed->constraints, r, n));
            }
            held |= !vertex && n[0] != 0;
        }
        if (held) {
            const double n[3] = {c == 0, c == 1, c == 2};
            LY_TRY(lyra_constraints_add_direction(packed->constraints, r, n));
        }
    }
    return LYRA_OK;
}

LyraStatus ly_packed_follow(LyPacked *packed)
{
    LyraConstraintsView view = lyra_constraints_view(packed->followed);
    if (!packed->taken || view.version != packed->version) {
        packed->taken = false;
        lyra_constraints_clear(packed->constraints);
        for (int32_t r = 0; r < packed->rows; ++r) {
            LY_TRY(follow_row(packed, &view, r));
        }
        packed->version = view.version;
        packed->taken = true;
    }
    double *before = packed->values, *after = before + 3 * (int64_t)packed->vertices;
    bool moved = ly_constraints_prescribed(packed->followed, before);
    if (moved || packed->moved) {
        ly_packed_take(packed, before, after);
        LY_TRY(lyra_constraints_set_values(packed->constraints, after));
        packed->moved = moved;
    }
    return LYRA_OK;
}

// ---- vectors ------------------------------------------------------------------------------------

LyraStatus ly_packed_reserve(LyPacked *packed, int32_t columns)
{
    if (columns <= packed->columns) {
        return LYRA_OK;
    }
    int64_t count = 3 * (int64_t)packed->rows * columns;
    LY_TRY(ly_resize_array(packed->ctx, count, sizeof(double), &packed->B));
    LY_TRY(ly_resize_array(packed->ctx, count, sizeof(double), &packed->X));
    packed->bytes +=
        2 * (columns - packed->columns) * 3 * (int64_t)packed->rows * (int64_t)sizeof(double);
    packed->columns = columns;
    return LYRA_OK;
}

void ly_packed_take(const LyPacked *packed, const double *x, double *y)
{
    for (int32_t r = 0; r < packed->rows; ++r) {
        const int32_t *member = packed->member + 3 * (int64_t)r;
        bool vertex = packed->place[member[0]] < 0;
        for (int c = 0; c < 3; ++c) {
            y[3 * (int64_t)r + c] = vertex          ? x[3 * (int64_t)member[0] + c]
                                    : member[c] < 0 ? 0
                                                    : x[3 * (int64_t)member[c]];
        }
    }
}

void ly_packed_give(const LyPacked *packed, const double *y, double *x)
{
    for (int32_t v = 0; v < packed->vertices; ++v) {
        const double *from = y + 3 * (int64_t)packed->row[v];
        int place = packed->place[v];
        for (int c = 0; c < 3; ++c) {
            x[3 * (int64_t)v + c] = place < 0 ? from[c] : c == 0 ? from[place] : 0;
        }
    }
}
