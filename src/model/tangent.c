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
// a sum of block matrices and the masses. S is that sum without the parts that stand beside: it is
// symmetric. Matrices on the pattern of the model are added in one pass over it, those of parts
// with few vertices by the places of their blocks. Of C = df_int/dv of a part that stands beside, S
// has (C + C^T)/2, which is never indefinite where forces resist motion, and (C - C^T)/2 stays
// beside.

#include "model/tangent.h"

#include "model/history.h"
#include "model/steppers.h"
#include "solve/solve.h"

#include <math.h>
#include <string.h>

#define GRAIN 4096      // blocks of a piece of the sum
#define CHUNK_BLOCKS 64 // blocks that stay in the first-level cache while all terms are added

// ---- life ---------------------------------------------------------------------------------------

static LyraStatus make_part(LyTangent *tangent, const LyPart *part, LyPartTangent *pt)
{
    pt->part = part;
    pt->size = ly_part_size(part);
    pt->stiffness = pt->damping = -1;
    LY_TRY(ly_assembly_work_create(tangent->ctx, part->assembly, &pt->work));
    if (part->some & LYRA_FORCE_VELOCITY) {
        LY_TRY(lyra_block_matrix_create(part->assembly->pattern, &pt->dfdv));
    }
    if (part->beside) {
        LY_TRY(lyra_block_matrix_create(part->assembly->pattern, &pt->beside));
    }
    if (part->vertices) {
        LY_TRY(ly_allocate_zeroed(tangent->ctx, pt->size, sizeof(double), &pt->x));
        LY_TRY(ly_allocate_zeroed(tangent->ctx, pt->size, sizeof(double), &pt->y));
    }
    return LYRA_OK;
}

LyraStatus ly_tangent_create(LyraContext *ctx, LyraModel *model, LyTangent *out)
{
    LyTangent tangent = {.ctx = ctx, .model = model, .size = 3 * model->vertex_count};
    LyraStatus status = LYRA_OK;
    double **arrays[] = {&tangent.f, &tangent.Dv, &tangent.f_ext, &tangent.inner, &tangent.product};
    for (int32_t i = 0; i < LY_COUNT_OF(arrays); ++i) {
        LY_TRY_DONE(ly_allocate_zeroed(ctx, tangent.size, sizeof(double), arrays[i]));
    }
    LY_TRY_DONE(ly_allocate_zeroed(ctx, model->part_count, sizeof *tangent.parts, &tangent.parts));
    tangent.part_count = model->part_count;
    int64_t terms = 3 * (int64_t)model->part_count + 1;
    LY_TRY_DONE(ly_allocate_zeroed(ctx, terms, sizeof *tangent.terms, &tangent.terms));
    LY_TRY_DONE(ly_allocate_zeroed(ctx, terms, sizeof *tangent.factors, &tangent.factors));
    LY_TRY_DONE(ly_allocate_zeroed(ctx, terms, sizeof(void *), &tangent.summands));
    LY_TRY_DONE(ly_changings_create(ctx, model, &tangent.changing));
    for (int32_t p = 0; p < model->part_count; ++p) {
        LY_TRY_DONE(make_part(&tangent, &model->parts[p], &tangent.parts[p]));
    }
    if (model->stepper_count > 0) {
        LY_TRY_DONE(ly_allocate_array(ctx, model->stepping_count, sizeof *tangent.stepping,
                                      &tangent.stepping));
        ly_steppers_init(model, tangent.stepping);
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
    if (tangent->changing.ctx) {
        ly_changings_destroy(&tangent->changing);
    }
    lyra_block_matrix_destroy(tangent->fixed);
    for (int32_t p = 0; p < tangent->part_count; ++p) {
        LyPartTangent *pt = &tangent->parts[p];
        ly_assembly_work_destroy(pt->work);
        lyra_block_matrix_destroy(pt->dfdv);
        lyra_block_matrix_destroy(pt->beside);
        ly_release(ctx, pt->x);
        ly_release(ctx, pt->y);
    }
    ly_release(ctx, tangent->parts);
    ly_release(ctx, tangent->terms);
    ly_release(ctx, tangent->factors);
    ly_release(ctx, tangent->summands);
    ly_release(ctx, tangent->f);
    ly_release(ctx, tangent->Dv);
    ly_release(ctx, tangent->f_ext);
    ly_release(ctx, tangent->inner);
    ly_release(ctx, tangent->product);
    ly_release(ctx, tangent->stepping);
    *tangent = (LyTangent){0};
}

// ---- sums of matrices ---------------------------------------------------------------------------

static void add_term(LyTerm *terms, int32_t *count, LyTerm term)
{
    if (!term.matrix || term.a == 0) {
        return;
    }
    for (int32_t t = 0; t < *count; ++t) {
        if (terms[t].matrix == term.matrix) {
            terms[t].a += term.a;
            return;
        }
    }
    terms[(*count)++] = term;
}

// which matrices are wanted
typedef enum Wanted {
    WANTED_S,       // those of S
    WANTED_ALL,     // with those beside
    WANTED_DAMPING, // all but df_int/dv
} Wanted;

// the block matrices of b C + c K, without masses; returns the number of terms
static int32_t list_terms(LyTangent *tangent, double b, double c, Wanted wanted, LyTerm *terms)
{
    const LyraModel *model = tangent->model;
    int32_t count = 0;
    for (int32_t p = 0; p < tangent->part_count; ++p) {
        LyPartTangent *pt = &tangent->parts[p];
        bool left_out = pt->part->beside && wanted == WANTED_S;
        bool own = pt->part->assembly->pattern != model->pattern;
        LyTerm term = {.part = own ? pt : NULL};
        if (!left_out) {
            term.a = c;
            term.matrix = pt->stiffness < 0 ? NULL : pt->slots[pt->stiffness].dfdx;
            add_term(terms, &count, term);
            term.a = b * model->stiffness_damping;
            term.matrix = pt->damping < 0 ? NULL : pt->slots[pt->damping].dfdx;
            add_term(terms, &count, term);
        }
        if (wanted != WANTED_DAMPING) {
            term.a = b;
            term.matrix = pt->dfdv;
            term.even = left_out;
            add_term(terms, &count, term);
        }
    }
    add_term(terms, &count, (LyTerm){.a = b, .matrix = model->damping});
    return count;
}

// what a part that stands beside adds: c K + b beta K_D + b (C - C^T)/2
static void form_beside(const LyraModel *model, LyPartTangent *pt, double b, double c)
{
    LyraBlockMatrix *to = pt->beside;
    lyra_block_matrix_zero(to);
    // on one pattern, so that they cannot fail
    if (pt->stiffness >= 0 && c != 0) {
        (void)lyra_block_matrix_axpy(to, c, pt->slots[pt->stiffness].dfdx);
    }
    if (pt->damping >= 0 && b != 0) {
        (void)lyra_block_matrix_axpy(to, b * model->stiffness_damping, pt->slots[pt->damping].dfdx);
    }
    if (!pt->dfdv || b == 0) {
        return;
    }
    const double *C = lyra_block_matrix_values(pt->dfdv);
    double *values = lyra_block_matrix_values_mutable(to);
    int64_t count = lyra_block_pattern_view(pt->part->assembly->pattern).block_count;
    for (int64_t k = 0; k < count; ++k) {
        const double *other = C + 9 * (int64_t)pt->part->transpose[k];
        for (int32_t e = 0; e < 9; ++e) {
            values[9 * k + e] += 0.5 * b * (C[9 * k + e] - other[3 * (e % 3) + e / 3]);
        }
    }
}

void ly_tangent_form_beside(LyTangent *tangent, double b, double c)
{
    for (int32_t p = 0; p < tangent->part_count; ++p) {
        if (tangent->parts[p].beside) {
            form_beside(tangent->model, &tangent->parts[p], b, c);
        }
    }
}

typedef struct SumLoop {
    LyraBlockPatternView pattern;
    const int32_t *order;
    const LyMass *mass;
    double mass_factor; // of the masses as they are now
    int32_t term_count, pieces;
    double *a;            // [term_count]
    const double **terms; // [term_count]
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
            add_to_diagonal(loop->values + 9 * j, loop->mass_factor * mass->on_pattern[j]);
        }
    }
    for (int64_t i = row_begin; !mass->consistent && i < row_end; ++i) {
        add_to_diagonal(loop->values + 9 * (int64_t)pattern->diagonal[i],
                        loop->mass_factor * mass->lumped[loop->order[i]]);
    }
}

// adds a block, or its transpose, or both of one on the diagonal
static void add_block(double a, const double *block, bool transposed, double *to)
{
    for (int32_t e = 0; e < 9; ++e) {
        to[e] += a * block[transposed ? 3 * (e % 3) + e / 3 : e];
    }
}

// adds a matrix of few rows, or the symmetric part of one that stands beside
static void add_mapped(const LyTerm *term, double *values)
{
    const LyPart *part = term->part->part;
    LyraBlockPatternView own = lyra_block_pattern_view(part->assembly->pattern);
    const double *blocks = lyra_block_matrix_values(term->matrix);
    double a = term->even ? 0.5 * term->a : term->a;
    for (int32_t row = 0; row < own.row_count; ++row) {
        for (int64_t k = own.row_start[row]; k < own.row_start[row + 1]; ++k) {
            bool below = part->slot[k] < 0;
            double *to = values + 9 * (int64_t)(below ? ~part->slot[k] : part->slot[k]);
            add_block(a, blocks + 9 * k, below, to);
            if (term->even && own.column[k] == row) {
                add_block(a, blocks + 9 * k, true, to);
            }
        }
    }
}

void ly_tangent_combine_fixed(LyTangent *tangent, double a, double b, double c,
                              LyraBlockMatrix *matrix)
{
    const LyraModel *model = tangent->model;
    LyTerm *terms = tangent->terms;
    int32_t count = list_terms(tangent, b, c, WANTED_S, terms);
    SumLoop loop = {.pattern = lyra_block_pattern_view(lyra_block_matrix_pattern(matrix)),
                    .order = model->order,
                    .mass = &model->mass,
                    .mass_factor = a + b * model->mass_damping,
                    .a = tangent->factors,
                    .terms = tangent->summands,
                    .values = lyra_block_matrix_values_mutable(matrix)};
    for (int32_t t = 0; t < count; ++t) {
        if (!terms[t].part) {
            loop.a[loop.term_count] = terms[t].a;
            loop.terms[loop.term_count++] = lyra_block_matrix_values(terms[t].matrix);
        }
    }
    loop.pieces = ly_piece_count(loop.pattern.block_count, GRAIN);
    ly_parallel_for(tangent->ctx, loop.pieces, sum_task, &loop);
    for (int32_t t = 0; t < count; ++t) {
        if (terms[t].part) {
            add_mapped(&terms[t], loop.values);
        }
    }
}

LyraStatus ly_tangent_combine(LyTangent *tangent, double a, double b, double c,
                              LyraBlockMatrix *matrix)
{
    const LyraBlockPattern *pattern = tangent->model->pattern;
    if (lyra_block_matrix_pattern(matrix) == pattern) {
        ly_tangent_combine_fixed(tangent, a, b, c, matrix);
    } else {
        if (!tangent->fixed) {
            LY_TRY(lyra_block_matrix_create(pattern, &tangent->fixed));
        }
        ly_tangent_combine_fixed(tangent, a, b, c, tangent->fixed);
        LY_TRY(lyra_block_matrix_assign(matrix, tangent->fixed));
    }
    ly_changings_add(&tangent->changing, b, c, matrix);
    return LYRA_OK;
}

// ---- products -----------------------------------------------------------------------------------

// y += a A x with a matrix of few rows; `place` of each vertex in x and y. Nullable: the same
static void multiply_few(const LyTerm *term, const int32_t *place, const double *x, double *y)
{
    LyPartTangent *pt = term->part;
    const int32_t *vertices = pt->part->vertices;
    for (int64_t i = 0; i < pt->size; ++i) {
        int64_t vertex = vertices[i / 3];
        pt->x[i] = x[3 * (place ? place[vertex] : vertex) + i % 3];
    }
    lyra_block_matrix_multiply(term->matrix, pt->x, pt->y);
    for (int64_t i = 0; i < pt->size; ++i) {
        int64_t vertex = vertices[i / 3];
        y[3 * (place ? place[vertex] : vertex) + i % 3] += term->a * pt->y[i];
    }
}

static bool has_few(const LyTerm *term)
{
    return term->part && term->part->part->vertices;
}

void ly_tangent_add_beside(LyTangent *tangent, const double *x, double *y)
{
    for (int32_t p = 0; p < tangent->part_count; ++p) {
        LyPartTangent *pt = &tangent->parts[p];
        LyTerm term = {.a = 1, .matrix = pt->beside, .part = pt};
        if (pt->beside && pt->part->vertices) {
            multiply_few(&term, tangent->model->place, x, y);
        } else if (pt->beside) {
            lyra_block_matrix_multiply_add(pt->beside, 1, x, y);
        }
    }
}

// y = mass M x + the terms, in the caller's order; x may not be y
static void apply_terms(LyTangent *tangent, double mass, int32_t count, const LyTerm *terms,
                        const double *x, double *y)
{
    const LyraModel *model = tangent->model;
    int32_t n = model->vertex_count, size = tangent->size, whole = 0;
    for (int32_t t = 0; t < count; ++t) {
        whole += !has_few(&terms[t]);
    }
    if (whole > 0) {
        ly_vector_sort(tangent->ctx, n, model->order, x, tangent->inner);
        ly_vector_fill(tangent->ctx, size, 0, tangent->product);
        for (int32_t t = 0; t < count; ++t) {
            if (!has_few(&terms[t])) {
                lyra_block_matrix_multiply_add(terms[t].matrix, terms[t].a, tangent->inner,
                                               tangent->product);
            }
        }
        ly_vector_unsort(tangent->ctx, n, model->order, tangent->product, y);
    }
    if (mass != 0) {
        // the scratch is free again
        double *Mx = whole > 0 ? tangent->inner : y;
        ly_mass_apply(model, x, Mx);
        ly_vector_axpby(tangent->ctx, size, mass, Mx, whole > 0 ? 1 : 0, y);
    } else if (whole == 0) {
        memset(y, 0, (size_t)size * sizeof *y);
    }
    for (int32_t t = 0; t < count; ++t) {
        if (has_few(&terms[t])) {
            multiply_few(&terms[t], NULL, x, y);
        }
    }
}

void ly_tangent_apply(LyTangent *tangent, double a, double b, double c, const double *x, double *y)
{
    LyTerm *terms = tangent->terms;
    int32_t count = list_terms(tangent, b, c, WANTED_ALL, terms);
    apply_terms(tangent, a + b * tangent->model->mass_damping, count, terms, x, y);
    ly_changings_multiply(&tangent->changing, b, c, tangent->model->order, x, y);
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
    LyTerm *terms = tangent->terms;
    int32_t count = list_terms(tangent, 1, 0, WANTED_DAMPING, terms);
    apply_terms(tangent, tangent->model->mass_damping, count, terms, v, y);
}

// y += C v of the dashpots
static LyraStatus add_dashpots(LyTangent *tangent, const LyraPoint *at, double *y)
{
    const double *v = lyra_vector_values(at->v);
    LY_TRY(ly_tangent_ensure_dashpots(tangent, at));
    for (int32_t p = 0; p < tangent->part_count; ++p) {
        LyPartTangent *pt = &tangent->parts[p];
        LyTerm term = {.a = 1, .matrix = pt->dfdv, .part = pt};
        if (!(pt->part->all & LYRA_FORCE_DASHPOT)) {
            continue;
        }
        if (pt->part->vertices) {
            multiply_few(&term, NULL, v, y);
        } else {
            apply_terms(tangent, 0, 1, &term, v, tangent->f);
            ly_vector_axpby(tangent->ctx, tangent->size, 1, tangent->f, 1, y);
        }
    }
    return LYRA_OK;
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
    bool damped = ly_model_damped(model), wants_energy = response->elastic || response->potential;
    if (g || response->damping) {
        LY_TRY(ly_tangent_ensure_damping(tangent, at));
    }
    if (g || wants_energy || response->trial) {
        LY_TRY(ly_tangent_forces(tangent, at, response->need_tangent, response->trial,
                                 g ? &f_int : NULL, wants_energy ? &elastic : NULL));
    }
    if ((g && damped) || response->damping) {
        apply_frozen_damping(tangent, v, Dv);
    }
    if (g || response->external || response->potential) {
        ly_model_external(model, tangent->stepping, at->time, u, v, f_ext,
                          response->potential ? &work : NULL);
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
    if (response->damping && model->force_traits & LYRA_FORCE_DASHPOT) {
        LY_TRY(add_dashpots(tangent, at, Dv));
    }
    if (response->rates) {
        memset(response->rates, 0, LYRA_RATE_COUNT * sizeof *response->rates);
        LY_TRY(ly_changings_ensure(&tangent->changing, at));
        LY_TRY(ly_changings_rates(&tangent->changing, at, response->rates));
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
    if (!model->prescription && !model->stepper_prescribes) {
        return;
    }
    // displacements always have a place to go
    double *place = u ? lyra_vector_values_mutable(u) : tangent->f;
    if (!u) {
        memset(place, 0, (size_t)tangent->size * sizeof *place);
    }
    double *speed = v ? lyra_vector_values_mutable(v) : NULL;
    double *gain = a ? lyra_vector_values_mutable(a) : NULL;
    if (model->prescription) {
        model->prescription(model->prescription_user, t, place, speed, gain);
    }
    ly_steppers_prescribe(model, tangent->stepping, t, place, speed, gain);
    double *const all[3] = {place, speed, gain};
    for (int64_t i = 0; model->scalar && i < model->vertex_count; ++i) {
        for (int k = 0; model->scalar[i] && k < 3; ++k) {
            if (all[k]) {
                // what the model holds stays at 0, whatever is prescribed
                all[k][3 * i + 1] = all[k][3 * i + 2] = 0;
            }
        }
    }
}

// ---- steps --------------------------------------------------------------------------------------

LyraStatus ly_tangent_init_state(LyTangent *tangent, LyraState *state)
{
    LY_TRY(ly_history_init(tangent->model, state));
    return ly_steppers_init_state(tangent->model, state);
}

LyraStatus ly_tangent_begin_step(LyTangent *tangent, LyraState *state, double dt)
{
    tangent->step = dt;
    return ly_steppers_begin(tangent->model, state, dt, tangent->stepping);
}

LyraStatus ly_tangent_commit(LyTangent *tangent, LyraState *state)
{
    return ly_steppers_commit(tangent->model, state, tangent->step, tangent->stepping);
}

LyraDetF ly_tangent_det_f(LyTangent *tangent, const LyraVector *u)
{
    const LyraModel *model = tangent->model;
    LyraDetF all = {.min = INFINITY, .element = -1};
    bool placed = false;
    for (int32_t f = 0; f < model->force_count; ++f) {
        const LyraForce *force = model->forces[f];
        if (!(force->type->traits & LYRA_FORCE_SOLID)) {
            continue;
        }
        // mostly of the pass that ended the step
        int32_t part = model->group_part[f];
        const LyraDetF *known = part < 0 ? NULL : ly_tangent_known_det_f(tangent, part, u);
        LyraDetF found;
        if (!known) {
            int64_t first = 3 * (int64_t)ly_group_first(model, f);
            if (!placed) {
                ly_tangent_place(tangent, u);
                placed = true;
            }
            found = ly_det_f(tangent->ctx, force->type->nodes, force->stencil_count,
                             force->stencils, model->positions + first, tangent->product + first);
        }
        ly_det_f_join(&all, known ? known : &found);
    }
    all.min = all.element < 0 ? 1 : all.min;
    return all;
}
