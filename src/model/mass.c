// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Masses. Lumped ones are a number per vertex. A consistent matrix is kept twice, each time in the
// form its use wants: as full rows in the caller's order, so that a product gathers and needs no
// permutation, and as one number per block of the assembly's pattern, so that a M + b C + c K is
// one pass.

#include "model/model.h"

#include "lyra/reorder.h"

#include <math.h>
#include <string.h>

#define GRAIN 2048

// ---- reading ------------------------------------------------------------------------------------

int64_t ly_mass_pairs(const LyraMassMatrix *matrix, int32_t *pairs)
{
    LyraMassMatrixView view = lyra_mass_matrix_view(matrix);
    int64_t count = 0;
    for (int32_t i = 0; i < view.row_count; ++i) {
        for (int64_t k = view.row_start[i]; k < view.row_start[i + 1]; ++k) {
            if (view.column[k] > i) {
                if (pairs) {
                    pairs[2 * count] = i;
                    pairs[2 * count + 1] = view.column[k];
                }
                ++count;
            }
        }
    }
    return count;
}

// full rows from a matrix that may be stored upper: rows of the transpose ascend by themselves
static LyraStatus make_rows(LyraContext *ctx, const LyraMassMatrixView *view, LyMass *mass)
{
    int32_t n = view->row_count;
    int64_t *next = NULL;
    LyraStatus status = LYRA_OK;
    LY_TRY_DONE(ly_allocate_zeroed(ctx, (int64_t)n + 1, sizeof(int64_t), &mass->row_start));
    LY_TRY_DONE(ly_allocate_array(ctx, n, sizeof *next, &next));
    for (int32_t i = 0; i < n; ++i) {
        for (int64_t k = view->row_start[i]; k < view->row_start[i + 1]; ++k) {
            ++mass->row_start[i + 1];
            if (view->upper && view->column[k] != i) {
                ++mass->row_start[view->column[k] + 1];
            }
        }
    }
    for (int32_t i = 0; i < n; ++i) {
        mass->row_start[i + 1] += mass->row_start[i];
        next[i] = mass->row_start[i];
    }
    LY_TRY_DONE(ly_allocate_array(ctx, mass->row_start[n], sizeof(int32_t), &mass->column));
    LY_TRY_DONE(ly_allocate_array(ctx, mass->row_start[n], sizeof(double), &mass->values));
    LY_TRY_DONE(ly_allocate_array(ctx, mass->row_start[n], sizeof(double), &mass->base_rows));
    // rows in turn: what row i puts below the diagonal comes before what those rows put themselves
    for (int32_t i = 0; i < n; ++i) {
        for (int64_t k = view->row_start[i]; k < view->row_start[i + 1]; ++k) {
            int32_t j = view->column[k];
            mass->column[next[i]] = j;
            mass->values[next[i]++] = view->values[k];
            if (view->upper && j != i) {
                mass->column[next[j]] = i;
                mass->values[next[j]++] = view->values[k];
            }
        }
    }
    if (mass->row_start[n] > 0) {
        memcpy(mass->base_rows, mass->values, (size_t)mass->row_start[n] * sizeof(double));
    }
done:
    ly_release(ctx, next);
    return status;
}

static void put_on_pattern(LyraModel *model)
{
    LyMass *mass = &model->mass;
    LyraBlockPatternView view = lyra_block_pattern_view(model->pattern);
    for (int32_t i = 0; i < model->vertex_count; ++i) {
        for (int64_t k = mass->row_start[i]; k < mass->row_start[i + 1]; ++k) {
            int32_t row = model->place[i], column = model->place[mass->column[k]];
            if (view.storage == LYRA_STORAGE_FULL || row <= column) {
                // the pattern was made with all pairs of the mass matrix
                mass->on_pattern[lyra_block_pattern_find(model->pattern, row, column)] =
                    mass->values[k];
            }
        }
    }
}

static LyraStatus check_mass(double value, int32_t i, const char *what)
{
    if (!isfinite(value) || value < 0) {
        return ly_fail(isfinite(value) ? LYRA_INVALID_ARGUMENT : LYRA_NOT_FINITE,
                       "model: %s %d is %g kg, expected 0 or more", what, i, value);
    }
    return LYRA_OK;
}

// what a vertex resists by itself: lumped, or on the diagonal. Row sums are negative at the corners
// of tets of 10 nodes
static double own_mass(const LyMass *mass, int32_t i)
{
    if (!mass->consistent) {
        return mass->base[i];
    }
    for (int64_t k = mass->row_start[i]; k < mass->row_start[i + 1]; ++k) {
        if (mass->column[k] == i) {
            return mass->values[k];
        }
    }
    return 0;
}

static LyraStatus read_lumped(LyraModel *model, const LyraModelDef *def)
{
    for (int32_t i = 0; i < model->vertex_count; ++i) {
        LY_TRY(check_mass(def->masses[i], i, "the mass of vertex"));
    }
    if (model->vertex_count > 0) {
        memcpy(model->mass.base, def->masses, (size_t)model->vertex_count * sizeof(double));
    }
    return LYRA_OK;
}

static LyraStatus read_consistent(LyraModel *model, const LyraModelDef *def)
{
    LyMass *mass = &model->mass;
    LyraMassMatrixView view = lyra_mass_matrix_view(def->mass_matrix);
    LY_TRY(make_rows(model->ctx, &view, mass));
    for (int32_t i = 0; i < model->vertex_count; ++i) {
        for (int64_t k = mass->row_start[i]; k < mass->row_start[i + 1]; ++k) {
            mass->base[i] += mass->values[k];
        }
        // a row that is not finite, or the entry that has to be positive
        double sum = mass->base[i];
        LY_TRY(check_mass(isfinite(sum) ? own_mass(mass, i) : sum, i,
                          "the diagonal of the mass matrix at vertex"));
    }
    LY_TRY(ly_allocate_zeroed(model->ctx, lyra_block_pattern_view(model->pattern).block_count,
                              sizeof(double), &mass->on_pattern));
    put_on_pattern(model);
    return LYRA_OK;
}

LyraStatus ly_mass_create(LyraModel *model, const LyraModelDef *def)
{
    LyraContext *ctx = model->ctx;
    LyMass *mass = &model->mass;
    int32_t n = model->vertex_count;
    LY_TRY(ly_allocate_array(ctx, model->body_count, sizeof(double), &mass->factor));
    for (int32_t b = 0; b < model->body_count; ++b) {
        mass->factor[b] = 1;
    }
    mass->consistent = def->mass_matrix != NULL;
    LY_TRY(ly_allocate_zeroed(ctx, n, sizeof(double), &mass->base));
    LY_TRY(mass->consistent ? read_consistent(model, def) : read_lumped(model, def));
    LY_TRY(ly_allocate_zeroed(ctx, n, sizeof(double), &mass->lumped));
    for (int32_t i = 0; i < n; ++i) {
        mass->lumped[i] = mass->base[i];
        mass->empty_count += own_mass(mass, i) == 0;
    }
    LY_TRY(ly_allocate_array(ctx, mass->empty_count, sizeof(int32_t), &mass->empty));
    for (int32_t i = 0, count = 0; i < n; ++i) {
        if (own_mass(mass, i) == 0) {
            mass->empty[count++] = i;
        }
    }
    return LYRA_OK;
}

void ly_mass_destroy(LyraContext *ctx, LyMass *mass)
{
    ly_release(ctx, mass->factor);
    ly_release(ctx, mass->base);
    ly_release(ctx, mass->lumped);
    ly_release(ctx, mass->empty);
    ly_release(ctx, mass->row_start);
    ly_release(ctx, mass->column);
    ly_release(ctx, mass->base_rows);
    ly_release(ctx, mass->values);
    ly_release(ctx, mass->on_pattern);
}

// ---- factors of bodies --------------------------------------------------------------------------

// the factor of a vertex, most likely of body b
static double factor_of(const LyraModel *model, int32_t b, int32_t vertex)
{
    while (vertex < model->bodies[b].first_vertex) {
        --b;
    }
    while (vertex - model->bodies[b].first_vertex >= model->bodies[b].vertex_count) {
        ++b;
    }
    return model->mass.factor[b];
}

static void scale_rows(LyraModel *model)
{
    LyMass *mass = &model->mass;
    for (int32_t b = 0; b < model->body_count; ++b) {
        int32_t first = model->bodies[b].first_vertex;
        for (int32_t i = first; i - first < model->bodies[b].vertex_count; ++i) {
            double own = mass->factor[b], sum = 0;
            for (int64_t k = mass->row_start[i]; k < mass->row_start[i + 1]; ++k) {
                double other = factor_of(model, b, mass->column[k]);
                mass->values[k] = (own == other ? own : sqrt(own * other)) * mass->base_rows[k];
                sum += mass->values[k];
            }
            mass->lumped[i] = sum;
        }
    }
    put_on_pattern(model);
}

bool ly_mass_scale(LyraModel *model, int32_t body, double factor)
{
    LyMass *mass = &model->mass;
    if (mass->factor[body] == factor) {
        return false;
    }
    mass->factor[body] = factor;
    if (mass->consistent) {
        scale_rows(model);
        return true;
    }
    int32_t first = model->bodies[body].first_vertex;
    for (int32_t i = first; i - first < model->bodies[body].vertex_count; ++i) {
        mass->lumped[i] = factor * mass->base[i];
    }
    return true;
}

// ---- use ----------------------------------------------------------------------------------------

typedef struct MassLoop {
    const LyMass *mass;
    int32_t vertex_count, pieces;
    const double *x;
    double *y;
} MassLoop;

static void apply_task(void *data, int32_t index, int32_t worker)
{
    (void)worker;
    const MassLoop *loop = data;
    const LyMass *mass = loop->mass;
    int64_t begin = ly_piece_begin(loop->vertex_count, loop->pieces, index);
    int64_t end = ly_piece_begin(loop->vertex_count, loop->pieces, index + 1);
    for (int64_t i = begin; i < end; ++i) {
        double sum[3] = {0, 0, 0};
        if (mass->consistent) {
            for (int64_t k = mass->row_start[i]; k < mass->row_start[i + 1]; ++k) {
                const double *x = loop->x + 3 * (int64_t)mass->column[k];
                double m = mass->values[k];
                sum[0] += m * x[0];
                sum[1] += m * x[1];
                sum[2] += m * x[2];
            }
        } else {
            for (int32_t d = 0; d < 3; ++d) {
                sum[d] = mass->lumped[i] * loop->x[3 * i + d];
            }
        }
        memcpy(loop->y + 3 * i, sum, sizeof sum);
    }
}

void ly_mass_apply(const LyraModel *model, const double *x, double *y)
{
    MassLoop loop = {.mass = &model->mass, .vertex_count = model->vertex_count, .x = x, .y = y};
    loop.pieces = ly_piece_count(model->vertex_count, GRAIN);
    ly_parallel_for(model->ctx, loop.pieces, apply_task, &loop);
}

void ly_mass_divide(const LyraModel *model, const double *b, double *x)
{
    const double *m = model->mass.lumped;
    for (int32_t i = 0; i < 3 * model->vertex_count; ++i) {
        // without mass it is fixed, and does not move
        x[i] = m[i / 3] > 0 ? b[i] / m[i / 3] : 0;
    }
    lyra_constraints_project(model->constraints, x);
}

LyraStatus ly_mass_check(const LyraModel *model)
{
    LyraConstraintsView view = lyra_constraints_view(model->constraints);
    // both lists ascend by vertex
    for (int32_t e = 0, k = 0; e < model->mass.empty_count; ++e) {
        int32_t vertex = model->mass.empty[e], held = 0;
        for (; k < view.count && view.vertex[k] <= vertex; ++k) {
            held += view.vertex[k] == vertex;
        }
        if (held < 3) {
            return ly_fail(LYRA_SINGULAR,
                           "model: vertex %d has no mass and is free to move: give it mass or fix "
                           "it",
                           (int)vertex);
        }
    }
    return LYRA_OK;
}
