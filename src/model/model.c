// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Models: checks of the settings, the parts of the forces over a pattern that also holds the
// mass matrix and the user's damping, external forces, setters.

#include "model/model.h"

#include "base/file.h"

#include "force/force.h"
#include "lyra/reorder.h"
#include "lyra/system.h"
#include "model/steppers.h"
#include "solve/solve.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

LyraModelDef lyra_model_def_default(void)
{
    return (LyraModelDef){.load_moves = true, .cookie = LY_DEF_COOKIE};
}

// ---- checks -------------------------------------------------------------------------------------

static LyraStatus check_damping_factors(double mass_damping, double stiffness_damping)
{
    if (!(mass_damping >= 0 && isfinite(mass_damping)) ||
        !(stiffness_damping >= 0 && isfinite(stiffness_damping))) {
        return ly_fail(LYRA_INVALID_ARGUMENT,
                       "model: damping of %g 1/s by mass and %g s by stiffness, expected 0 or more",
                       mass_damping, stiffness_damping);
    }
    return LYRA_OK;
}

static LyraStatus check_finite(const char *what, int64_t count, const double *values)
{
    for (int64_t i = 0; i < count; ++i) {
        if (!isfinite(values[i])) {
            return ly_fail(LYRA_NOT_FINITE, "model: component %lld of %s %lld is %g",
                           (long long)(i % 3), what, (long long)(i / 3), values[i]);
        }
    }
    return LYRA_OK;
}

// D_user: as many rows as vertices, finite and symmetric to rounding
static LyraStatus check_damping_matrix(int32_t vertex_count, const LyraBlockMatrix *damping)
{
    LyraBlockPatternView view = lyra_block_pattern_view(lyra_block_matrix_pattern(damping));
    const double *values = lyra_block_matrix_values(damping);
    double largest = 0;
    if (view.row_count != vertex_count) {
        return ly_fail(LYRA_INVALID_ARGUMENT, "model: a damping matrix of %d rows for %d vertices",
                       (int)view.row_count, (int)vertex_count);
    }
    for (int64_t i = 0; i < 9 * view.block_count; ++i) {
        if (!isfinite(values[i])) {
            return ly_fail(LYRA_NOT_FINITE, "model: the damping matrix has the entry %g",
                           values[i]);
        }
        largest = fmax(largest, fabs(values[i]));
    }
    double asymmetry = lyra_block_matrix_asymmetry(damping);
    // sums of rounded terms in two orders differ by that much
    if (asymmetry > 1e-12 * largest) {
        return ly_fail(LYRA_INVALID_ARGUMENT,
                       "model: the damping matrix is off symmetry by %g, with entries up to %g",
                       asymmetry, largest);
    }
    return LYRA_OK;
}

static LyraStatus check_def(const LyraModelDef *def)
{
    if (def->vertex_count < 0 || def->force_count < 0) {
        return ly_fail(LYRA_INVALID_ARGUMENT, "model: %d vertices and %d forces",
                       (int)def->vertex_count, (int)def->force_count);
    }
    if (def->vertex_count > INT32_MAX / 3) {
        return ly_fail(LYRA_TOO_LARGE, "model: %d vertices, expected at most %d",
                       (int)def->vertex_count, INT32_MAX / 3);
    }
    if ((def->vertex_count > 0 && !def->positions) || (def->force_count > 0 && !def->forces)) {
        return ly_fail(LYRA_INVALID_ARGUMENT, "model: the %s are missing",
                       def->positions ? "forces" : "positions");
    }
    if (def->body_count < 0 || (def->body_count > 0 && !def->bodies)) {
        return ly_fail(LYRA_INVALID_ARGUMENT, "model: %d bodies without a list", def->body_count);
    }
    if (def->vertex_count > 0 && !def->masses && !def->mass_matrix) {
        return ly_fail(LYRA_INVALID_ARGUMENT, "model: neither masses nor a mass matrix");
    }
    for (int32_t f = 0; f < def->force_count; ++f) {
        if (!def->forces[f]) {
            return ly_fail(LYRA_INVALID_ARGUMENT, "model: force %d is NULL", (int)f);
        }
    }
    if (def->mass_matrix) {
        int32_t rows = lyra_mass_matrix_view(def->mass_matrix).row_count;
        if (rows != def->vertex_count) {
            return ly_fail(LYRA_INVALID_ARGUMENT, "model: a mass matrix of %d rows for %d vertices",
                           (int)rows, (int)def->vertex_count);
        }
    }
    LY_TRY(check_finite("position", 3 * (int64_t)def->vertex_count, def->positions));
    LY_TRY(check_finite("gravity", 3, def->gravity));
    LY_TRY(check_damping_factors(def->mass_damping, def->stiffness_damping));
    return def->damping ? check_damping_matrix(def->vertex_count, def->damping) : LYRA_OK;
}

// ---- making -------------------------------------------------------------------------------------

static int64_t damping_pairs(const LyraBlockMatrix *damping, int32_t *pairs)
{
    LyraBlockPatternView view = lyra_block_pattern_view(lyra_block_matrix_pattern(damping));
    int64_t count = 0;
    for (int32_t i = 0; i < view.row_count; ++i) {
        for (int64_t k = view.row_start[i]; k < view.row_start[i + 1]; ++k) {
            if (view.column[k] != i) {
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

// the parts, on the union of what forces, masses and damping couple
static LyraStatus make_parts(LyraModel *model, const LyraModelDef *def)
{
    LyraContext *ctx = model->ctx;
    int32_t *pairs = NULL;
    LyraStatus status = LYRA_OK;
    int64_t masses = def->mass_matrix ? ly_mass_pairs(def->mass_matrix, NULL) : 0;
    int64_t dampers = def->damping ? damping_pairs(def->damping, NULL) : 0;
    LY_TRY_DONE(ly_allocate_array(ctx, 2 * (masses + dampers), sizeof *pairs, &pairs));
    if (def->mass_matrix) {
        ly_mass_pairs(def->mass_matrix, pairs);
    }
    if (def->damping) {
        damping_pairs(def->damping, pairs + 2 * masses);
    }
    LY_TRY_DONE(ly_model_make_parts(model, masses + dampers, pairs));
done:
    ly_release(ctx, pairs);
    return status;
}

// D_user in the internal order
static LyraStatus make_damping(LyraModel *model, const LyraBlockMatrix *damping)
{
    const int32_t *place = model->place;
    bool upper = lyra_block_pattern_view(model->pattern).storage == LYRA_STORAGE_UPPER;
    LyraBlockPatternView view = lyra_block_pattern_view(lyra_block_matrix_pattern(damping));
    bool from_upper = view.storage == LYRA_STORAGE_UPPER;
    LY_TRY(lyra_block_matrix_create(model->pattern, &model->damping));
    for (int32_t i = 0; i < model->vertex_count; ++i) {
        for (int64_t k = view.row_start[i]; k < view.row_start[i + 1]; ++k) {
            int32_t j = view.column[k];
            const double *block = lyra_block_matrix_values(damping) + 9 * k;
            // upper storage takes (i, j) for (j, i) too: of a full matrix, one of them is enough
            if (!upper || from_upper || place[i] <= place[j]) {
                LY_TRY(lyra_block_matrix_add_block(model->damping, place[i], place[j], 1, block));
            }
            if (!upper && from_upper && i != j) {
                double transpose[9];
                for (int32_t a = 0; a < 9; ++a) {
                    transpose[a] = block[3 * (a % 3) + a / 3];
                }
                LY_TRY(
                    lyra_block_matrix_add_block(model->damping, place[j], place[i], 1, transpose));
            }
        }
    }
    return LYRA_OK;
}

static void measure(LyraModel *model)
{
    for (int32_t d = 0; d < 3; ++d) {
        double low = INFINITY, high = -INFINITY;
        for (int32_t i = 0; i < model->vertex_count; ++i) {
            if (!ly_model_is_scalar(model, i)) {
                low = fmin(low, model->positions[3 * (int64_t)i + d]);
                high = fmax(high, model->positions[3 * (int64_t)i + d]);
            }
        }
        if (low <= high) {
            model->extent = fmax(model->extent, high - low);
            model->middle[d] = 0.5 * low + 0.5 * high;
        }
    }
}

// the longest edge between nodes of a stencil
static double longest_edge(const double *positions, int32_t nodes, const int32_t *stencil)
{
    double longest = 0;
    for (int32_t a = 0; a < nodes; ++a) {
        for (int32_t b = 0; b < a; ++b) {
            for (int i = 0; i < 3; ++i) {
                longest = fmax(longest, fabs(positions[3 * (int64_t)stencil[a] + i] -
                                             positions[3 * (int64_t)stencil[b] + i]));
            }
        }
    }
    return longest;
}

void ly_model_lengths(const LyraModel *model, double *lengths)
{
    memset(lengths, 0, 3 * (size_t)model->vertex_count * sizeof *lengths);
    for (int32_t f = 0; f < model->force_count; ++f) {
        const LyraForce *force = model->forces[f];
        const LyraForceType *type = force->type;
        int64_t first = 3 * (int64_t)ly_group_first(model, f);
        LyPlace place = ly_force_place(type);
        // displacements from a rest shape of their own: numbers of the size of its edges
        bool solid = type->traits & (LYRA_FORCE_SOLID | LYRA_FORCE_DISPLACEMENT) &&
                     !(type->traits & LYRA_FORCE_LINEAR);
        for (int32_t s = 0; s < force->stencil_count && (solid || place != LY_PLACE_DISPLACED);
             ++s) {
            const int32_t *stencil = force->stencils + (int64_t)s * type->nodes;
            double edge = longest_edge(model->positions + first, type->nodes, stencil);
            for (int32_t k = 0; k < 3 * type->nodes; ++k) {
                int64_t at = first + 3 * (int64_t)stencil[k / 3] + k % 3;
                double x = model->positions[at], middle = model->middle[k % 3];
                double length = place == LY_PLACE_DISPLACED ? edge
                                : place == LY_PLACE_NEAR    ? fabs(x - middle)
                                                            : fabs(x);
                lengths[at] = fmax(lengths[at], length);
            }
        }
    }
}

// one body of all vertices where the def names none
static LyraStatus make_bodies(LyraModel *model, const LyraModelDef *def)
{
    const LyraModelBody whole = {.vertex_count = def->vertex_count};
    int32_t count = def->body_count > 0 ? def->body_count : 1, next = 0;
    const LyraModelBody *bodies = def->body_count > 0 ? def->bodies : &whole;
    LY_TRY(ly_allocate_zeroed(model->ctx, count, sizeof *model->bodies, &model->bodies));
    model->body_count = count;
    for (int32_t b = 0; b < count; ++b) {
        char number[24];
        snprintf(number, sizeof number, "body%d", (int)b + 1);
        const char *name = bodies[b].name ? bodies[b].name : number;
        LyraModelBody *body = &model->bodies[b];
        body->first_vertex = bodies[b].first_vertex;
        body->vertex_count = bodies[b].vertex_count;
        if (body->first_vertex != next || body->vertex_count < 0 ||
            body->vertex_count > def->vertex_count - next) {
            return ly_fail(LYRA_INVALID_ARGUMENT,
                           "model: body %s has %d vertices from %d on, expected some of %d from %d "
                           "on",
                           name, body->vertex_count, body->first_vertex, def->vertex_count - next,
                           next);
        }
        next += body->vertex_count;
        body->scalar_count = bodies[b].scalar_count;
        if (body->scalar_count < 0 || body->scalar_count > body->vertex_count) {
            return ly_fail(LYRA_INVALID_ARGUMENT,
                           "model: body %s has %d scalar nodes among %d vertices", name,
                           body->scalar_count, body->vertex_count);
        }
        LY_TRY(ly_string_copy(model->ctx, name, strlen(name), (char **)&body->name));
    }
    if (next != def->vertex_count) {
        return ly_fail(LYRA_INVALID_ARGUMENT, "model: bodies of %d vertices, expected %d", next,
                       def->vertex_count);
    }
    return LYRA_OK;
}

// marks the scalar nodes
static LyraStatus mark_scalars(LyraModel *model)
{
    int64_t total = 0;
    for (int32_t b = 0; b < model->body_count; ++b) {
        total += model->bodies[b].scalar_count;
    }
    if (total == 0) {
        return LYRA_OK;
    }
    LY_TRY(ly_allocate_zeroed(model->ctx, model->vertex_count, 1, &model->scalar));
    for (int32_t b = 0; b < model->body_count; ++b) {
        const LyraModelBody *body = &model->bodies[b];
        int32_t end = body->first_vertex + body->vertex_count;
        if (body->scalar_count > 0) {
            memset(model->scalar + end - body->scalar_count, 1, (size_t)body->scalar_count);
        }
    }
    return LYRA_OK;
}

// stencils inside the bodies of their owners
static LyraStatus check_stencils(const LyraModel *model)
{
    for (int32_t g = 0; g < model->force_count; ++g) {
        const LyraForce *force = model->forces[g];
        if (force->owner >= model->body_count) {
            return ly_fail(LYRA_INVALID_ARGUMENT, "model: force %s belongs to body %d of %d",
                           force->name, force->owner, model->body_count);
        }
        int32_t limit =
            force->owner < 0 ? model->vertex_count : model->bodies[force->owner].vertex_count;
        int64_t ids = (int64_t)force->stencil_count * force->type->nodes;
        for (int64_t i = 0; i < ids; ++i) {
            if (force->stencils[i] >= limit) {
                return ly_fail(LYRA_INVALID_ARGUMENT,
                               "model: force %s has vertex %d, expected 0 to %d", force->name,
                               force->stencils[i], limit - 1);
            }
        }
    }
    return LYRA_OK;
}

static LyraStatus fill(LyraModel *model, const LyraModelDef *def)
{
    LyraContext *ctx = model->ctx;
    int64_t size = 3 * (int64_t)def->vertex_count;
    LY_TRY(ly_allocate_array(ctx, size, sizeof(double), &model->positions));
    LY_TRY(ly_allocate_zeroed(ctx, size, sizeof(double), &model->force));
    LY_TRY(ly_allocate_array(ctx, def->force_count, sizeof *model->forces, &model->forces));
    if (size > 0) {
        memcpy(model->positions, def->positions, (size_t)size * sizeof(double));
    }
    LY_TRY(make_bodies(model, def));
    LY_TRY(mark_scalars(model));
    measure(model);
    model->force_traits_all = ~0u;
    for (int32_t f = 0; f < def->force_count; ++f) {
        uint32_t traits = lyra_force_type(def->forces[f])->traits;
        traits |= traits & LYRA_FORCE_LINEAR ? LYRA_FORCE_CONSTANT : 0;
        model->forces[f] = def->forces[f];
        model->force_traits |= traits;
        model->force_traits_all &= traits;
    }
    LY_TRY(ly_steppers_create(model, def));
    LY_TRY(check_stencils(model));
    LY_TRY(ly_model_name_groups(model));
    LY_TRY(make_parts(model, def));
    LY_TRY(ly_mass_create(model, def));
    LY_TRY(ly_components_create(model));
    if (def->damping) {
        LY_TRY(make_damping(model, def->damping));
    }
    LY_TRY(lyra_constraints_create(ctx, (int32_t)size, &model->constraints));
    return model->scalar ? ly_constraints_set_scalars(model->constraints, model->scalar, NULL, true)
                         : LYRA_OK;
}

LyraStatus lyra_model_create(LyraContext *ctx, const LyraModelDef *def, LyraModel **out)
{
    LYRA_ASSERT(ctx && def && out);
    LY_CHECK_DEF(def, "lyra_model_def_default");
    LY_TRY(check_def(def));
    LyraModel *model = NULL;
    LY_TRY(ly_allocate_zeroed(ctx, 1, sizeof *model, &model));
    model->ctx = ctx;
    model->vertex_count = def->vertex_count;
    model->force_count = def->force_count;
    model->mass_damping = def->mass_damping;
    model->stiffness_damping = def->stiffness_damping;
    model->damping_exact = def->damping_exact;
    memcpy(model->gravity, def->gravity, sizeof model->gravity);
    model->load = def->load;
    model->load_user = def->load_user;
    model->load_moves = def->load_moves;
    model->prescription = def->prescription;
    model->prescription_user = def->prescription_user;
    model->version = model->mass_version = model->parameter_version = 1;
    LyraStatus status = fill(model, def);
    if (status != LYRA_OK) {
        lyra_model_destroy(model);
        return status;
    }
    *out = model;
    return LYRA_OK;
}

void lyra_model_destroy(LyraModel *model)
{
    if (model) {
        LyraContext *ctx = model->ctx;
        lyra_block_matrix_destroy(model->damping);
        lyra_constraints_destroy(model->constraints);
        ly_model_destroy_parts(model);
        ly_mass_destroy(ctx, &model->mass);
        for (int32_t b = 0; model->bodies && b < model->body_count; ++b) {
            ly_release(ctx, (char *)model->bodies[b].name);
        }
        for (int32_t g = 0; model->names && g < model->force_count; ++g) {
            ly_release(ctx, model->names[g]);
        }
        ly_steppers_destroy(model);
        ly_release(ctx, model->bodies);
        ly_release(ctx, model->scalar);
        ly_release(ctx, model->names);
        ly_name_index_release(ctx, &model->name_index);
        ly_release(ctx, model->force_slots);
        ly_release(ctx, model->component_start);
        ly_release(ctx, model->component_vertex);
        ly_release(ctx, model->positions);
        ly_release(ctx, model->forces);
        ly_release(ctx, model->force);
        ly_release(ctx, model);
    }
}

// ---- views --------------------------------------------------------------------------------------

LyraModelView lyra_model_view(const LyraModel *model)
{
    LYRA_ASSERT(model);
    return (LyraModelView){
        .vertex_count = model->vertex_count,
        .positions = model->positions,
        .masses = model->mass.lumped,
        .consistent = model->mass.consistent,
        .scalar = model->scalar,
        .mass_damping = model->mass_damping,
        .stiffness_damping = model->stiffness_damping,
        .gravity = {model->gravity[0], model->gravity[1], model->gravity[2]},
        .version = model->version,
    };
}

LyraConstraints *lyra_model_constraints(const LyraModel *model)
{
    LYRA_ASSERT(model);
    return model->constraints;
}

bool ly_model_damped(const LyraModel *model)
{
    return model->mass_damping > 0 || model->stiffness_damping > 0 || model->damping;
}

// whether all forces are gradients of energies, but for dashpots and dissipation potentials
static bool has_potential(const LyraModel *model)
{
    const uint32_t velocity = LYRA_FORCE_VELOCITY, dashpot = LYRA_FORCE_DASHPOT | LYRA_FORCE_RATES;
    for (int32_t f = 0; f < model->force_count; ++f) {
        uint32_t traits = model->forces[f]->type->traits;
        if (traits & velocity ? !(traits & dashpot) : !(traits & LYRA_FORCE_CONSERVATIVE)) {
            return false;
        }
    }
    return true;
}

uint32_t ly_model_traits(const LyraModel *model)
{
    uint32_t some = model->force_traits, all = model->force_traits_all, traits = 0;
    bool live = model->load && model->load_moves;
    traits |= all & LYRA_FORCE_SYMMETRIC ? LYRA_SYSTEM_SYMMETRIC : 0;
    traits |= has_potential(model) && !live ? LYRA_SYSTEM_POTENTIAL : 0;
    // the damping beta K of such forces is constant as well
    traits |= all & LYRA_FORCE_LINEAR && !live ? LYRA_SYSTEM_LINEAR : 0;
    traits |= all & LYRA_FORCE_CONSTANT ? LYRA_SYSTEM_CONSTANT : 0;
    traits |= LYRA_SYSTEM_LOADS;
    traits |= model->mass.consistent ? 0 : LYRA_SYSTEM_LUMPED;
    traits |= !ly_model_damped(model) && !(some & LYRA_FORCE_VELOCITY) && !live
                  ? LYRA_SYSTEM_UNDAMPED
                  : 0;
    traits |= some & LYRA_FORCE_INEXACT || live ? LYRA_SYSTEM_INEXACT : 0;
    bool loads = model->load || model->stepper_loads;
    traits |= !loads && !(some & LYRA_FORCE_TIME) ? LYRA_SYSTEM_STATIONARY : 0;
    traits |= some & LYRA_FORCE_HISTORY ? LYRA_SYSTEM_HISTORY : 0;
    traits |= some & LYRA_FORCE_LATE ? LYRA_SYSTEM_LATE : 0;
    traits |= some & LYRA_FORCE_RATES ? LYRA_SYSTEM_RATES : 0;
    traits |= model->scalar ? LYRA_SYSTEM_SCALARS : 0;
    traits |=
        loads || model->prescription || model->stepper_prescribes ? LYRA_SYSTEM_HOST_CALLBACKS : 0;
    return traits;
}

// ---- external forces ----------------------------------------------------------------------------

// vertices that are worth a piece
#define EXTERNAL_GRAIN 2048

typedef struct ExternalLoop {
    const LyraModel *model;
    int32_t pieces;
    double *f;
} ExternalLoop;

// f = m g and the constant forces
static void external_task(void *data, int32_t index, int32_t worker)
{
    (void)worker;
    const ExternalLoop *loop = data;
    const LyraModel *model = loop->model;
    const double *g = model->gravity, *constant = model->force;
    int64_t begin = ly_piece_begin(model->vertex_count, loop->pieces, index);
    int64_t end = ly_piece_begin(model->vertex_count, loop->pieces, index + 1);
    for (int64_t i = 3 * begin; i < 3 * end; i += 3) {
        double m = ly_model_is_scalar(model, i / 3) ? 0 : model->mass.lumped[i / 3];
        loop->f[i] = m * g[0] + constant[i];
        loop->f[i + 1] = m * g[1] + constant[i + 1];
        loop->f[i + 2] = m * g[2] + constant[i + 2];
    }
}

void ly_model_external(const LyraModel *model, const double *stepping, double t, const double *u,
                       const double *v, double *f, double *work)
{
    int64_t size = 3 * (int64_t)model->vertex_count;
    ExternalLoop loop = {model, ly_piece_count(model->vertex_count, EXTERNAL_GRAIN), f};
    ly_parallel_for(model->ctx, loop.pieces, external_task, &loop);
    if (model->load && !model->load_moves) {
        model->load(model->load_user, t, u, v, f);
    }
    ly_steppers_load(model, stepping, t, f);
    if (work) {
        *work = size > 0 ? ly_vector_dot(model->ctx, size, f, u) : 0;
    }
    if (model->load && model->load_moves) {
        model->load(model->load_user, t, u, v, f);
    }
}

void ly_model_loads(const LyraModel *model, double t, const double *u, const double *v, double *f)
{
    memcpy(f, model->force, 3 * (size_t)model->vertex_count * sizeof *f);
    if (model->load) {
        model->load(model->load_user, t, u, v, f);
    }
}

// ---- setters ------------------------------------------------------------------------------------

LyraStatus lyra_model_set_gravity(LyraModel *model, const double gravity[3])
{
    LYRA_ASSERT(model && gravity);
    LY_TRY(check_finite("gravity", 3, gravity));
    memcpy(model->gravity, gravity, sizeof model->gravity);
    ++model->version;
    return LYRA_OK;
}

LyraStatus lyra_model_set_damping(LyraModel *model, double mass_damping, double stiffness_damping)
{
    LYRA_ASSERT(model);
    LY_TRY(check_damping_factors(mass_damping, stiffness_damping));
    model->mass_damping = mass_damping;
    model->stiffness_damping = stiffness_damping;
    ++model->version;
    return LYRA_OK;
}

LyraStatus lyra_model_set_mass_factor(LyraModel *model, double factor)
{
    LYRA_ASSERT(model);
    for (int32_t b = 0; b < model->body_count; ++b) {
        LY_TRY(lyra_model_set_body_mass_factor(model, b, factor));
    }
    return LYRA_OK;
}

LyraStatus lyra_model_set_body_mass_factor(LyraModel *model, int32_t body, double factor)
{
    LYRA_ASSERT(model);
    if (body < 0 || body >= model->body_count) {
        return ly_fail(LYRA_INVALID_ARGUMENT, "model: no body %d of %d", (int)body,
                       (int)model->body_count);
    }
    if (!(factor > 0 && isfinite(factor))) {
        return ly_fail(LYRA_INVALID_ARGUMENT, "model: masses times %g, expected a positive number",
                       factor);
    }
    if (ly_mass_scale(model, body, factor)) {
        ++model->version;
        ++model->mass_version;
    }
    return LYRA_OK;
}

LyraStatus lyra_model_set_force(LyraModel *model, const double *force)
{
    LYRA_ASSERT(model);
    int64_t size = 3 * (int64_t)model->vertex_count;
    if (force) {
        LY_TRY(check_finite("the force on vertex", size, force));
    }
    for (int64_t i = 0; i < size; ++i) {
        model->force[i] = force ? force[i] : 0;
    }
    ++model->version;
    return LYRA_OK;
}
