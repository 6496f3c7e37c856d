// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Forces and tangents of a model at a point:
//
//   g = f_int(u, v) + D v - f_ext(t, u, v),   D = alpha M + beta K_D + D_user,
//   K = df_int/du,   C = D + df_int/dv.
//
// K_D is dfdx at the point of the last update of the damping, positive semi-definite unless the
// model wants it exact. Derivatives of K_D, and of loads, are left out. So
//
//   a M + b C + c K = (a + b alpha) M + c K + b beta K_D + b D_user + b df_int/dv,
//
// a sum of at most four block matrices and the masses, taken in one pass over the pattern.

#include "model/tangent.h"

#include "force/force.h"
#include "lyra/reorder.h"
#include "solve/solve.h"

#include <math.h>
#include <string.h>

#define GRAIN 4096      // blocks of a piece of the sum
#define CHUNK_BLOCKS 64 // blocks that stay in the first-level cache while all terms are added

// ---- life ---------------------------------------------------------------------------------------

LyraStatus ly_tangent_create(LyraContext *ctx, LyraModel *model, LyTangent *out)
{
    LyTangent tangent = {.ctx = ctx,
                         .model = model,
                         .size = 3 * model->vertex_count,
                         .stiffness = -1,
                         .damping = -1};
    LyraStatus status = LYRA_OK;
    double **arrays[] = {&tangent.x,     &tangent.f,     &tangent.Dv,
                         &tangent.f_ext, &tangent.inner, &tangent.product};
    for (int32_t i = 0; i < LY_COUNT_OF(arrays); ++i) {
        LY_TRY_DONE(ly_allocate_zeroed(ctx, tangent.size, sizeof(double), arrays[i]));
    }
    if (model->force_traits & LYRA_FORCE_VELOCITY) {
        LY_TRY_DONE(
            lyra_block_matrix_create(lyra_assembly_pattern(model->assembly), &tangent.dfdv));
    }
    *out = tangent;
    return LYRA_OK;
done:
    ly_tangent_destroy(&tangent);
    return status;
}

void ly_tangent_destroy(LyTangent *tangent)
{
    LyraContext *ctx = tangent->ctx;
    ly_tangent_forget(tangent);
    lyra_block_matrix_destroy(tangent->dfdv);
    ly_release(ctx, tangent->x);
    ly_release(ctx, tangent->f);
    ly_release(ctx, tangent->Dv);
    ly_release(ctx, tangent->f_ext);
    ly_release(ctx, tangent->inner);
    ly_release(ctx, tangent->product);
    *tangent = (LyTangent){0};
}

// ---- sums of matrices ---------------------------------------------------------------------------

typedef struct Term {
    double a;
    const LyraBlockMatrix *matrix;
} Term;

static void add_term(Term *terms, int32_t *count, double a, const LyraBlockMatrix *matrix)
{
    if (!matrix || a == 0) {
        return;
    }
    for (int32_t t = 0; t < *count; ++t) {
        if (terms[t].matrix == matrix) {
            terms[t].a += a;
            return;
        }
    }
    terms[(*count)++] = (Term){a, matrix};
}

// the block matrices of b C + c K, without masses; returns the number of terms
static int32_t list_terms(const LyTangent *tangent, double b, double c, bool velocities,
                          Term terms[4])
{
    const LyraModel *model = tangent->model;
    int32_t count = 0;
    if (tangent->stiffness >= 0) {
        add_term(terms, &count, c, tangent->slots[tangent->stiffness].dfdx);
    }
    if (tangent->damping >= 0) {
        add_term(terms, &count, b * model->stiffness_damping,
                 tangent->slots[tangent->damping].dfdx);
    }
    add_term(terms, &count, b, model->damping);
    add_term(terms, &count, velocities ? b : 0, tangent->dfdv);
    return count;
}

typedef struct SumLoop {
    LyraBlockPatternView pattern;
    const int32_t *order;
    const LyMass *mass;
    double mass_factor; // of the masses as they are now
    int32_t term_count, pieces;
    double a[4];
    const double *terms[4];
    double *values;
} SumLoop;

// values [begin, end) of the sum of terms
static void add_terms(const SumLoop *loop, int64_t begin, int64_t end)
{
    double *restrict y = loop->values;
    if (loop->term_count == 0) {
        memset(y + begin, 0, (size_t)(end - begin) * sizeof *y);
    }
    for (int32_t t = 0; t < loop->term_count; ++t) {
        const double *restrict x = loop->terms[t];
        double a = loop->a[t];
        if (t == 0) {
            for (int64_t i = begin; i < end; ++i) {
                y[i] = a * x[i];
            }
        } else {
            for (int64_t i = begin; i < end; ++i) {
                y[i] += a * x[i];
            }
        }
    }
}

static void add_to_diagonal(double *block, double m)
{
    block[0] += m;
    block[4] += m;
    block[8] += m;
}

static void sum_task(void *data, int32_t index, int32_t worker)
{
    (void)worker;
    const SumLoop *loop = data;
    const LyMass *mass = loop->mass;
    const LyraBlockPatternView *pattern = &loop->pattern;
    int64_t row_begin = ly_piece_begin(pattern->row_count, loop->pieces, index);
    int64_t row_end = ly_piece_begin(pattern->row_count, loop->pieces, index + 1);
    int64_t end = pattern->row_start[row_end];
    for (int64_t k = pattern->row_start[row_begin]; k < end; k += CHUNK_BLOCKS) {
        int64_t stop = ly_min_i64(k + CHUNK_BLOCKS, end);
        add_terms(loop, 9 * k, 9 * stop);
        for (int64_t j = k; mass->consistent && j < stop; ++j) {
            add_to_diagonal(loop->values + 9 * j,
                            loop->mass_factor * mass->factor * mass->on_pattern[j]);
        }
    }
    for (int64_t i = row_begin; !mass->consistent && i < row_end; ++i) {
        add_to_diagonal(loop->values + 9 * (int64_t)pattern->diagonal[i],
                        loop->mass_factor * mass->lumped[loop->order[i]]);
    }
}

void ly_tangent_combine(const LyTangent *tangent, double a, double b, double c,
                        LyraBlockMatrix *matrix)
{
    const LyraModel *model = tangent->model;
    Term terms[4];
    SumLoop loop = {.pattern = lyra_block_pattern_view(lyra_block_matrix_pattern(matrix)),
                    .order = lyra_assembly_order(model->assembly),
                    .mass = &model->mass,
                    .mass_factor = a + b * model->mass_damping,
                    .term_count = list_terms(tangent, b, c, true, terms),
                    .values = lyra_block_matrix_values_mutable(matrix)};
    for (int32_t t = 0; t < loop.term_count; ++t) {
        loop.a[t] = terms[t].a;
        loop.terms[t] = lyra_block_matrix_values(terms[t].matrix);
    }
    loop.pieces = ly_piece_count(loop.pattern.block_count, GRAIN);
    ly_parallel_for(tangent->ctx, loop.pieces, sum_task, &loop);
}

// ---- products -----------------------------------------------------------------------------------

// y = mass M x + the terms, in the caller's order; x may not be y
static void apply_terms(LyTangent *tangent, double mass, int32_t count, const Term *terms,
                        const double *x, double *y)
{
    const LyraModel *model = tangent->model;
    const int32_t *order = lyra_assembly_order(model->assembly);
    int32_t n = model->vertex_count, size = tangent->size;
    if (count > 0) {
        ly_vector_sort(tangent->ctx, n, order, x, tangent->inner);
        ly_vector_fill(tangent->ctx, size, 0, tangent->product);
        for (int32_t t = 0; t < count; ++t) {
            lyra_block_matrix_multiply_add(terms[t].matrix, terms[t].a, tangent->inner,
                                           tangent->product);
        }
        ly_vector_unsort(tangent->ctx, n, order, tangent->product, y);
    }
    if (mass != 0) {
        // the scratch is free again
        double *Mx = count > 0 ? tangent->inner : y;
        ly_mass_apply(model, x, Mx);
        ly_vector_axpby(tangent->ctx, size, mass, Mx, count > 0 ? 1 : 0, y);
    } else if (count == 0) {
        memset(y, 0, (size_t)size * sizeof *y);
    }
}

void ly_tangent_apply(LyTangent *tangent, double a, double b, double c, const double *x, double *y)
{
    Term terms[4];
    int32_t count = list_terms(tangent, b, c, true, terms);
    apply_terms(tangent, a + b * tangent->model->mass_damping, count, terms, x, y);
}

// ---- forces -------------------------------------------------------------------------------------

static bool is_zero(int32_t size, const double *x)
{
    int32_t i = 0;
    while (i < size && x[i] == 0) {
        ++i;
    }
    return i == size;
}

// y = D v, without forces that depend on velocities
static void apply_frozen_damping(LyTangent *tangent, const double *v, double *y)
{
    // a body at rest, and the place where the one Newton step of Vega's begins
    if (is_zero(tangent->size, v)) {
        ly_vector_fill(tangent->ctx, tangent->size, 0, y);
        return;
    }
    Term terms[4];
    int32_t count = list_terms(tangent, 1, 0, false, terms);
    apply_terms(tangent, tangent->model->mass_damping, count, terms, v, y);
}

LyraStatus ly_tangent_evaluate(LyTangent *tangent, const LyraPoint *at,
                               const LyraResponse *response)
{
    LyraModel *model = tangent->model;
    const double *u = lyra_vector_values(at->u), *v = lyra_vector_values(at->v);
    const double *f_int = NULL;
    double *g = response->g ? lyra_vector_values_mutable(response->g) : NULL;
    double *Dv = response->damping ? lyra_vector_values_mutable(response->damping) : tangent->Dv;
    double *f_ext =
        response->external ? lyra_vector_values_mutable(response->external) : tangent->f_ext;
    double elastic = 0, work = 0;
    bool damped = ly_model_damped(model);
    if (g || response->damping) {
        LY_TRY(ly_tangent_ensure_damping(tangent, at));
    }
    if (g || response->elastic || response->potential || response->trial_history) {
        LY_TRY(ly_tangent_forces(tangent, at, response->ahead, response->trial_history, &f_int,
                                 &elastic));
    }
    if ((g && damped) || response->damping) {
        apply_frozen_damping(tangent, v, Dv);
    }
    if (g || response->external || response->potential) {
        ly_model_external(model, at->time, u, v, f_ext, response->potential ? &work : NULL);
        if (at->unloaded != 0) {
            ly_vector_axpby(tangent->ctx, tangent->size, 1 - at->unloaded, f_ext, 0, f_ext);
            work *= 1 - at->unloaded;
        }
    }
    if (g) {
        // g = f_int + D v - f_ext
        if (damped) {
            ly_vector_sum(tangent->ctx, tangent->size, 1, Dv, f_int, g);
            f_int = g;
        }
        ly_vector_sum(tangent->ctx, tangent->size, -1, f_ext, f_int, g);
    }
    if (response->elastic) {
        *response->elastic = elastic;
    }
    if (response->potential) {
        *response->potential = elastic - work;
    }
    return LYRA_OK;
}

void ly_tangent_prescribe(LyTangent *tangent, double t, LyraVector *u, LyraVector *v, LyraVector *a)
{
    const LyraModel *model = tangent->model;
    if (!model->prescription) {
        return;
    }
    // displacements always have a place to go
    double *place = u ? lyra_vector_values_mutable(u) : tangent->f;
    if (!u) {
        memset(place, 0, (size_t)tangent->size * sizeof *place);
    }
    model->prescription(model->prescription_user, t, place,
                        v ? lyra_vector_values_mutable(v) : NULL,
                        a ? lyra_vector_values_mutable(a) : NULL);
}

LyraDetF ly_tangent_det_f(LyTangent *tangent, const LyraVector *u)
{
    const LyraModel *model = tangent->model;
    LyraDetF all = {.min = INFINITY, .element = -1};
    ly_tangent_place(tangent, u);
    for (int32_t f = 0; f < model->force_count; ++f) {
        const LyraForce *force = model->forces[f];
        if (force->type->traits & LYRA_FORCE_SOLID) {
            LyraDetF part = ly_det_f(tangent->ctx, force->type->nodes, force->stencil_count,
                                     force->stencils, model->positions, tangent->x);
            ly_det_f_join(&all, &part);
        }
    }
    all.min = all.element < 0 ? 1 : all.min;
    return all;
}
