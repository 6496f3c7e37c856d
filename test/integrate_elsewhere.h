// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// A system whose vectors lie elsewhere: numbers behind a handle, which only copies reach, around a
// plain system of the host. What the host sees of a vector is garbage.

#ifndef INTEGRATE_ELSEWHERE_H
#define INTEGRATE_ELSEWHERE_H

#include "lyra_test.h"

#include "lyra/lyra.h"

#include <stdlib.h>
#include <string.h>

#define ELSEWHERE_VECTORS 512
#define ELSEWHERE_HANDLE 64 // bytes in front of what the host sees

typedef struct Elsewhere {
    LyraContext *ctx;
    LyraSystem *inner;
    LyraVector *store[ELSEWHERE_VECTORS]; // the numbers
    LyraVector *stage[8];                 // of the host
    LyraState *committed, *trial;         // of the host
    int64_t staged;
    int32_t alive;
} Elsewhere;

// ---- vectors ------------------------------------------------------------------------------------

static inline LyraVector *elsewhere_of(const void *place, const void *data)
{
    int32_t id;
    memcpy(&id, (const char *)data - ELSEWHERE_HANDLE, sizeof id);
    return ((const Elsewhere *)place)->store[id];
}

static inline LyraStatus elsewhere_create(void *place, int32_t size, void **data)
{
    Elsewhere *e = place;
    int32_t id = 0;
    while (id < ELSEWHERE_VECTORS && e->store[id]) {
        ++id;
    }
    LyraStatus status = id < ELSEWHERE_VECTORS ? lyra_vector_create(e->ctx, size, &e->store[id])
                                               : LYRA_OUT_OF_MEMORY;
    if (status != LYRA_OK) {
        return status;
    }
    // signalling NaNs
    const uint64_t garbage = 0x7ff4000000c0ffeeu;
    char *memory = malloc(ELSEWHERE_HANDLE + (size_t)size * sizeof garbage);
    memcpy(memory, &id, sizeof id);
    for (int32_t i = 0; i < size; ++i) {
        memcpy(memory + ELSEWHERE_HANDLE + (size_t)i * sizeof garbage, &garbage, sizeof garbage);
    }
    ++e->alive;
    *data = memory + ELSEWHERE_HANDLE;
    return LYRA_OK;
}

static inline void elsewhere_destroy(void *place, void *data)
{
    Elsewhere *e = place;
    int32_t id;
    memcpy(&id, (char *)data - ELSEWHERE_HANDLE, sizeof id);
    lyra_vector_destroy(e->store[id]);
    e->store[id] = NULL;
    --e->alive;
    free((char *)data - ELSEWHERE_HANDLE);
}

static inline void elsewhere_read(void *place, const void *x, int32_t first, int32_t count,
                                  double *values)
{
    lyra_vector_read(elsewhere_of(place, x), first, count, values);
}

static inline void elsewhere_write(void *place, void *y, int32_t first, int32_t count,
                                   const double *values)
{
    lyra_vector_write(elsewhere_of(place, y), first, count, values);
}

static inline void elsewhere_fill(void *place, int32_t size, double value, void *y)
{
    (void)size;
    lyra_vector_fill(elsewhere_of(place, y), value);
}

static inline void elsewhere_copy(void *place, int32_t size, const void *x, void *y)
{
    (void)size;
    lyra_vector_copy(elsewhere_of(place, x), elsewhere_of(place, y));
}

static inline void elsewhere_axpby(void *place, int32_t size, double a, const void *x, double b,
                                   void *y)
{
    (void)size;
    lyra_vector_axpby(a, elsewhere_of(place, x), b, elsewhere_of(place, y));
}

static inline void elsewhere_sum(void *place, int32_t size, double a, const void *x, const void *y,
                                 void *out)
{
    (void)size;
    lyra_vector_sum(a, elsewhere_of(place, x), elsewhere_of(place, y), elsewhere_of(place, out));
}

static inline void elsewhere_combine(void *place, int32_t size, int32_t count, const double *c,
                                     const void *const *x, void *y)
{
    (void)size;
    LyraVector *terms[LYRA_COMBINE_MAX];
    for (int32_t k = 0; k < count; ++k) {
        TEST_CHECK(c[k] != 0);
        terms[k] = elsewhere_of(place, x[k]);
    }
    lyra_vector_combine(count, c, terms, elsewhere_of(place, y));
}

static inline double elsewhere_dot(void *place, int32_t size, const void *x, const void *y)
{
    (void)size;
    return lyra_vector_dot(elsewhere_of(place, x), elsewhere_of(place, y));
}

static inline double elsewhere_norm(void *place, int32_t size, const void *x)
{
    (void)size;
    return lyra_vector_norm(elsewhere_of(place, x));
}

static inline double elsewhere_largest(void *place, int32_t size, const void *x)
{
    (void)size;
    return lyra_vector_largest(elsewhere_of(place, x));
}

static inline bool elsewhere_is_finite(void *place, int32_t size, const void *x)
{
    (void)size;
    return lyra_vector_is_finite(elsewhere_of(place, x));
}

static inline bool elsewhere_equal(void *place, int32_t size, const void *x, const void *y)
{
    (void)size;
    return lyra_vector_equal(elsewhere_of(place, x), elsewhere_of(place, y));
}

static inline double elsewhere_error_squares(void *place, int32_t size, const void *e,
                                             const void *x, const void *y, double absolute,
                                             double relative)
{
    (void)size;
    return lyra_vector_error_squares(elsewhere_of(place, e), elsewhere_of(place, x),
                                     elsewhere_of(place, y), absolute, relative);
}

static inline void elsewhere_noise(void *place, int32_t size, const void *signs,
                                   const void *lengths, const void *x, void *z)
{
    (void)size;
    lyra_vector_noise(elsewhere_of(place, signs), lengths ? elsewhere_of(place, lengths) : NULL,
                      elsewhere_of(place, x), elsewhere_of(place, z));
}

static const LyraVectorType elsewhere_vectors = {
    .name = "elsewhere",
    .create = elsewhere_create,
    .destroy = elsewhere_destroy,
    .read = elsewhere_read,
    .write = elsewhere_write,
    .fill = elsewhere_fill,
    .copy = elsewhere_copy,
    .axpby = elsewhere_axpby,
    .sum = elsewhere_sum,
    .combine = elsewhere_combine,
    .dot = elsewhere_dot,
    .norm = elsewhere_norm,
    .largest = elsewhere_largest,
    .is_finite = elsewhere_is_finite,
    .equal = elsewhere_equal,
    .error_squares = elsewhere_error_squares,
    .noise = elsewhere_noise,
};

// ---- staging ------------------------------------------------------------------------------------

// copies a vector of any place
static inline void elsewhere_move(const LyraVector *from, LyraVector *to)
{
    int32_t size = lyra_vector_size(from);
    double *values = malloc((size_t)size * sizeof *values + 1);
    lyra_vector_read(from, 0, size, values);
    lyra_vector_write(to, 0, size, values);
    free(values);
}

static inline LyraVector *elsewhere_in(Elsewhere *e, int32_t k, const LyraVector *x)
{
    if (x) {
        TEST_CHECK(lyra_vector_type(x) == &elsewhere_vectors);
        elsewhere_move(x, e->stage[k]);
    }
    return x ? e->stage[k] : NULL;
}

static inline LyraVector *elsewhere_room(Elsewhere *e, int32_t k, const LyraVector *y)
{
    return y ? e->stage[k] : NULL;
}

static inline void elsewhere_out(Elsewhere *e, int32_t k, LyraVector *y)
{
    if (y) {
        elsewhere_move(e->stage[k], y);
    }
}

// makes what the material remembers in `to` that of `from`
static inline LyraStatus elsewhere_move_material(const LyraState *from, LyraState *to)
{
    LyraStateBlock block;
    for (int32_t i = 0; lyra_state_block_at(from, i, &block); ++i) {
        if (block.owner != LYRA_STATE_MATERIAL || !block.vectors) {
            continue;
        }
        const LyraStateVectorsDef def = {.name = block.name,
                                         .version = block.version,
                                         .owner = block.owner,
                                         .size = block.size,
                                         .count = (int32_t)block.count};
        LyraVector **vectors = NULL;
        bool fresh;
        LyraStatus status = lyra_state_vectors(to, &def, &vectors, &fresh);
        if (status != LYRA_OK) {
            return status;
        }
        for (int64_t k = 0; k < block.count; ++k) {
            elsewhere_move(block.vectors[k], vectors[k]);
        }
    }
    return LYRA_OK;
}

static inline LyraStatus elsewhere_point(Elsewhere *e, const LyraPoint *at, LyraPoint *out)
{
    *out = *at;
    out->u = elsewhere_in(e, 0, at->u);
    out->v = elsewhere_in(e, 1, at->v);
    if (!at->committed) {
        return LYRA_OK;
    }
    out->committed = e->committed;
    lyra_state_forget(e->committed, LYRA_STATE_MATERIAL);
    return elsewhere_move_material(at->committed, e->committed);
}

// ---- the system ---------------------------------------------------------------------------------

static inline int32_t elsewhere_size(const void *self)
{
    return lyra_system_size(((const Elsewhere *)self)->inner);
}

static inline uint32_t elsewhere_traits(const void *self)
{
    return lyra_system_traits(((const Elsewhere *)self)->inner);
}

static inline int64_t elsewhere_staged(const void *self)
{
    return ((const Elsewhere *)self)->staged;
}

static inline LyraStatus elsewhere_init_state(void *self, LyraState *state)
{
    Elsewhere *e = self;
    lyra_state_forget(e->trial, LYRA_STATE_MATERIAL);
    LyraStatus status = elsewhere_move_material(state, e->trial);
    status = status ? status : lyra_system_init_state(e->inner, e->trial);
    return status ? status : elsewhere_move_material(e->trial, state);
}

static inline const LyraConstraints *elsewhere_constraints(const void *self)
{
    return lyra_system_constraints(((const Elsewhere *)self)->inner);
}

static inline void elsewhere_project(void *self, LyraVector *x)
{
    Elsewhere *e = self;
    lyra_system_project(e->inner, elsewhere_in(e, 0, x));
    elsewhere_out(e, 0, x);
}

static inline void elsewhere_merge(void *self, const LyraVector *x, LyraVector *y)
{
    Elsewhere *e = self;
    elsewhere_in(e, 1, y);
    lyra_system_merge(e->inner, elsewhere_in(e, 0, x), e->stage[1]);
    elsewhere_out(e, 1, y);
}

static inline void elsewhere_components(void *self, const LyraVector *x, double *values)
{
    Elsewhere *e = self;
    lyra_system_components(e->inner, elsewhere_in(e, 0, x), values);
}

static inline void elsewhere_add_components(void *self, const double *values, LyraVector *x)
{
    Elsewhere *e = self;
    lyra_system_add_components(e->inner, values, elsewhere_in(e, 0, x));
    elsewhere_out(e, 0, x);
}

static inline bool elsewhere_calls_host(const Elsewhere *e)
{
    return lyra_system_traits(e->inner) & LYRA_SYSTEM_HOST_CALLBACKS;
}

static inline void elsewhere_prescribe(void *self, double t, LyraVector *u, LyraVector *v,
                                       LyraVector *a)
{
    Elsewhere *e = self;
    LyraVector *all[3] = {u, v, a};
    lyra_system_prescribe(e->inner, t, elsewhere_room(e, 0, u), elsewhere_room(e, 1, v),
                          elsewhere_room(e, 2, a));
    for (int32_t i = 0; i < 3; ++i) {
        elsewhere_out(e, i, all[i]);
        e->staged += all[i] && elsewhere_calls_host(e);
    }
}

static inline LyraStatus elsewhere_evaluate(void *self, const LyraPoint *at,
                                            const LyraResponse *response)
{
    Elsewhere *e = self;
    LyraPoint point;
    LyraStatus status = elsewhere_point(e, at, &point);
    LyraResponse there = *response;
    there.g = elsewhere_room(e, 2, response->g);
    there.external = elsewhere_room(e, 3, response->external);
    there.damping = elsewhere_room(e, 4, response->damping);
    there.trial = response->trial ? e->trial : NULL;
    status = status ? status : lyra_system_evaluate(e->inner, &point, &there);
    if (status == LYRA_OK) {
        elsewhere_out(e, 2, response->g);
        elsewhere_out(e, 3, response->external);
        elsewhere_out(e, 4, response->damping);
    }
    // u and v to the loads, f back
    e->staged +=
        elsewhere_calls_host(e) && (response->g || response->external || response->potential) ? 3
                                                                                              : 0;
    return status || !response->trial ? status : elsewhere_move_material(e->trial, response->trial);
}

static inline LyraStatus elsewhere_update_damping(void *self, const LyraPoint *at)
{
    Elsewhere *e = self;
    LyraPoint point;
    LyraStatus status = elsewhere_point(e, at, &point);
    return status ? status : lyra_system_update_damping(e->inner, &point);
}

static inline LyraStatus elsewhere_linearise(void *self, const LyraPoint *at, bool psd)
{
    Elsewhere *e = self;
    LyraPoint point;
    LyraStatus status = elsewhere_point(e, at, &point);
    return status ? status : lyra_system_linearise(e->inner, &point, psd);
}

static inline LyraStatus elsewhere_form(void *self, double a, double b, double c)
{
    return lyra_system_form(((Elsewhere *)self)->inner, a, b, c);
}

static inline LyraStatus elsewhere_form_again(void *self, double a, double b, double c)
{
    return lyra_system_form_again(((Elsewhere *)self)->inner, a, b, c);
}

#define ELSEWHERE_PRODUCT(name)                                                                    \
    static inline void elsewhere_##name(void *self, const LyraVector *x, LyraVector *y)            \
    {                                                                                              \
        Elsewhere *e = self;                                                                       \
        lyra_system_##name(e->inner, elsewhere_in(e, 0, x), e->stage[1]);                          \
        elsewhere_out(e, 1, y);                                                                    \
    }
ELSEWHERE_PRODUCT(apply)
ELSEWHERE_PRODUCT(apply_mass)
ELSEWHERE_PRODUCT(apply_damping)
ELSEWHERE_PRODUCT(apply_stiffness)

static inline LyraStatus elsewhere_solve(void *self, const LyraVector *b, double tolerance,
                                         LyraVector *x, LyraSolveReport *report)
{
    Elsewhere *e = self;
    LyraStatus status =
        lyra_system_solve(e->inner, elsewhere_in(e, 0, b), tolerance, e->stage[1], report);
    if (status == LYRA_OK) {
        elsewhere_out(e, 1, x);
    }
    return status;
}

static inline LyraStatus elsewhere_solve_from(void *self, const LyraVector *b, double tolerance,
                                              LyraVector *x, LyraSolveReport *report)
{
    Elsewhere *e = self;
    elsewhere_in(e, 1, x);
    LyraStatus status =
        lyra_system_solve_from(e->inner, elsewhere_in(e, 0, b), tolerance, e->stage[1], report);
    if (status == LYRA_OK) {
        elsewhere_out(e, 1, x);
    }
    return status;
}

static inline LyraStatus elsewhere_solve_mass(void *self, const LyraVector *b, LyraVector *x)
{
    Elsewhere *e = self;
    LyraStatus status = lyra_system_solve_mass(e->inner, elsewhere_in(e, 0, b), e->stage[1]);
    if (status == LYRA_OK) {
        elsewhere_out(e, 1, x);
    }
    return status;
}

static inline LyraStatus elsewhere_remember(void *self, LyraState *state)
{
    return lyra_system_remember(((Elsewhere *)self)->inner, state);
}

static inline LyraStatus elsewhere_recall(void *self, const LyraState *state, bool *changed)
{
    Elsewhere *e = self;
    uint64_t before = lyra_system_stamp(e->inner);
    LyraStatus status = lyra_system_recall(e->inner, state);
    *changed = lyra_system_stamp(e->inner) != before;
    return status;
}

static inline LyraDetF elsewhere_det_f(void *self, const LyraVector *u)
{
    Elsewhere *e = self;
    return lyra_system_det_f(e->inner, elsewhere_in(e, 0, u));
}

static inline void elsewhere_rest(void *self, const LyraVector *u, LyraVector *rest)
{
    Elsewhere *e = self;
    TEST_CHECK(lyra_system_rest(e->inner, elsewhere_in(e, 0, u), e->stage[1]));
    elsewhere_out(e, 1, rest);
}

static inline double elsewhere_extent(const void *self)
{
    return lyra_system_extent(((const Elsewhere *)self)->inner);
}

static inline void elsewhere_lengths(const void *self, LyraVector *lengths)
{
    Elsewhere *e = (Elsewhere *)self;
    lyra_system_lengths(e->inner, e->stage[0]);
    elsewhere_out(e, 0, lengths);
}

static inline uint64_t elsewhere_material_digest(void *self)
{
    return lyra_system_material_digest(((Elsewhere *)self)->inner);
}

static inline uint64_t elsewhere_fingerprint(void *self)
{
    return lyra_system_fingerprint(((Elsewhere *)self)->inner);
}

static inline void elsewhere_end(void *self)
{
    Elsewhere *e = self;
    TEST_EQUAL(e->alive, 0);
    for (int32_t i = 0; i < 8; ++i) {
        lyra_vector_destroy(e->stage[i]);
    }
    lyra_state_destroy(e->committed);
    lyra_state_destroy(e->trial);
    free(e);
}

static const LyraSolidDiagnostics elsewhere_solid = {
    .det_f = elsewhere_det_f,
    .rest = elsewhere_rest,
};

static const LyraSystemType elsewhere_type = {
    .name = "elsewhere",
    .size = elsewhere_size,
    .traits = elsewhere_traits,
    .vector_type = &elsewhere_vectors,
    .staged = elsewhere_staged,
    .init_state = elsewhere_init_state,
    .constraints = elsewhere_constraints,
    .project = elsewhere_project,
    .merge = elsewhere_merge,
    .components = elsewhere_components,
    .add_components = elsewhere_add_components,
    .prescribe = elsewhere_prescribe,
    .evaluate = elsewhere_evaluate,
    .update_damping = elsewhere_update_damping,
    .linearise = elsewhere_linearise,
    .form = elsewhere_form,
    .form_again = elsewhere_form_again,
    .apply = elsewhere_apply,
    .apply_mass = elsewhere_apply_mass,
    .apply_damping = elsewhere_apply_damping,
    .apply_stiffness = elsewhere_apply_stiffness,
    .solve = elsewhere_solve,
    .solve_from = elsewhere_solve_from,
    .solve_mass = elsewhere_solve_mass,
    .remember = elsewhere_remember,
    .recall = elsewhere_recall,
    .solid = &elsewhere_solid,
    .extent = elsewhere_extent,
    .lengths = elsewhere_lengths,
    .fingerprint = elsewhere_fingerprint,
    .material_digest = elsewhere_material_digest,
    .destroy = elsewhere_end,
};

/// The same system with its vectors elsewhere; `inner` must outlive it.
static inline LyraSystem *make_elsewhere(LyraContext *ctx, LyraSystem *inner)
{
    Elsewhere *e = calloc(1, sizeof *e);
    LyraSystem *system = NULL;
    e->ctx = ctx;
    e->inner = inner;
    for (int32_t i = 0; i < 8; ++i) {
        TEST_OK(lyra_vector_create(ctx, lyra_system_size(inner), &e->stage[i]));
    }
    TEST_OK(lyra_state_create(ctx, lyra_system_size(inner), &e->committed));
    TEST_OK(lyra_state_create(ctx, lyra_system_size(inner), &e->trial));
    TEST_OK(lyra_system_create(ctx, &elsewhere_type, e, &system));
    return system;
}

#endif
