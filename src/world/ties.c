// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Ties: springs of no length between points of one body and the same places of another, or of the
// world. Point p of the one has the displacement u_p, its place in the other, with weights on that
// body's vertices which sum to 1, the displacement w_p; both are zero at rest, wherever they are:
//
//   E = k/2 |u_p - w_p|^2,   dE/du_p = k (u_p - w_p) = -dE/dw_p,
//
// and with damping c the force c (u_p' - w_p') besides. A place outside of the other body is
// carried along as if its closest element went on to there. Ties are a changing group over surface
// points, filled once, so that bodies of all kinds can be tied.

#include "lyra/embed.h"
#include "world/world.h"

#include <string.h>

#define W LYRA_BATCH_WIDTH

enum { TIE_STIFFNESS, TIE_DAMPING, TIE_PARAMETER_COUNT };

// one side of all points of a tie: `nodes` vertices of the model and weights for each
typedef struct Side {
    int32_t nodes;
    int32_t *vertices; // [count][nodes], owned
    double *weights;   // [count][nodes], owned
} Side;

struct LyTie {
    LyraContext *ctx;
    int32_t count;
    Side own, other; // `other` has no nodes where the points are tied to the world
    double stiffness, damping;
};

// ---- the force ----------------------------------------------------------------------------------

// The difference of displacements, or of velocities, of the two points along axis i.
static double difference(const double *u, bool both, int i, int e)
{
    return u[i * W + e] - (both ? u[(3 + i) * W + e] : 0);
}

// the blocks (0, 0), (0, 1), (1, 1), or (0, 0) alone
static void write_blocks(const double *factor, bool both, double *blocks)
{
    memset(blocks, 0, (size_t)(both ? 3 : 1) * 9 * W * sizeof *blocks);
    for (int i = 0; i < 3 * W; ++i) {
        int at = 4 * (i / W) * W + i % W;
        double value = factor[i % W];
        blocks[at] = value;
        if (both) {
            blocks[9 * W + at] = -value;
            blocks[18 * W + at] = value;
        }
    }
}

static void evaluate(const LyraBatch *batch, bool both)
{
    const double *k = batch->parameters + TIE_STIFFNESS * W;
    const double *c = batch->parameters + TIE_DAMPING * W;
    if (batch->dfdx) {
        write_blocks(k, both, batch->dfdx);
    }
    if (batch->dfdv) {
        write_blocks(c, both, batch->dfdv);
    }
    for (int i = 0; i < 3; ++i) {
        for (int e = 0; e < W; ++e) {
            double d = difference(batch->u, both, i, e);
            double rate = batch->v ? difference(batch->v, both, i, e) : 0;
            if (batch->energy) {
                batch->energy[e] = (i ? batch->energy[e] : 0) + 0.5 * k[e] * d * d;
            }
            if (batch->gradient) {
                batch->gradient[i * W + e] = k[e] * d + c[e] * rate;
                if (both) {
                    batch->gradient[(3 + i) * W + e] = -batch->gradient[i * W + e];
                }
            }
        }
    }
}

static void evaluate_bodies(const void *self, const LyraBatch *batch, LyraArena *scratch)
{
    (void)self, (void)scratch;
    evaluate(batch, true);
}

static void evaluate_world(const void *self, const LyraBatch *batch, LyraArena *scratch)
{
    (void)self, (void)scratch;
    evaluate(batch, false);
}

static void end_side(LyraContext *ctx, Side *side)
{
    ly_release(ctx, side->vertices);
    ly_release(ctx, side->weights);
}

static void destroy(void *self)
{
    LyTie *tie = self;
    end_side(tie->ctx, &tie->own);
    end_side(tie->ctx, &tie->other);
    ly_release(tie->ctx, tie);
}

static const char *const names[] = {"stiffness", "damping"};
static const LyraParameterKind kinds[] = {LYRA_PARAMETER_NOT_NEGATIVE, LYRA_PARAMETER_NOT_NEGATIVE};

#define TIE(node_count, function, bits)                                                            \
    {                                                                                              \
        .name = "tie", .nodes = node_count,                                                        \
        .traits = LYRA_FORCE_SYMMETRIC | LYRA_FORCE_LINEAR | LYRA_FORCE_DISPLACEMENT | (bits),     \
        .parameter_count = TIE_PARAMETER_COUNT, .parameter_names = names,                          \
        .parameter_kinds = kinds, .evaluate = function, .destroy = destroy,                        \
    }

// by whether the other side is a body, and whether there is damping
static const LyraForceType types[2][2] = {
    {TIE(1, evaluate_world, LYRA_FORCE_CONSERVATIVE), TIE(1, evaluate_world, LYRA_FORCE_VELOCITY)},
    {TIE(2, evaluate_bodies, LYRA_FORCE_CONSERVATIVE),
     TIE(2, evaluate_bodies, LYRA_FORCE_VELOCITY)},
};

static LyraSurfacePoint point_of(const Side *side, int32_t p)
{
    int64_t at = (int64_t)side->nodes * p;
    return (LyraSurfacePoint){
        .count = side->nodes, .vertices = side->vertices + at, .weights = side->weights + at};
}

// there is one version of them
static LyraStatus update(const void *self, const LyraUpdate *at, LyraStencilSet *set,
                         uint64_t *version)
{
    (void)at;
    const LyTie *tie = self;
    const double parameters[TIE_PARAMETER_COUNT] = {tie->stiffness, tie->damping};
    if (*version == 1) {
        return LYRA_OK;
    }
    LY_TRY(lyra_stencil_set_clear(set));
    for (int32_t p = 0; p < tie->count; ++p) {
        LyraSurfacePoint points[2] = {point_of(&tie->own, p)};
        if (tie->other.nodes > 0) {
            points[1] = point_of(&tie->other, p);
        }
        LY_TRY(lyra_stencil_set_add(set, (uint64_t)p, points, parameters));
    }
    *version = 1;
    return LYRA_OK;
}

// ---- making -------------------------------------------------------------------------------------

static LyraStatus allocate_side(LyraContext *ctx, int32_t count, int32_t nodes, Side *side)
{
    side->nodes = nodes;
    LY_TRY(ly_allocate_array(ctx, (int64_t)nodes * count, sizeof *side->vertices, &side->vertices));
    return ly_allocate_array(ctx, (int64_t)nodes * count, sizeof *side->weights, &side->weights);
}

// places at rest, [count][3], as points of a body
static LyraStatus embed(const LyraWorld *world, int32_t body, int32_t count, const double *places,
                        Side *side)
{
    const LyraBodyView *view = &world->views[body];
    const LyBodyType *type = world->bodies[body].type;
    LyraEmbedding *embedding = NULL;
    if (!type->weighted && !view->mesh) {
        return ly_fail_key(LYRA_UNSUPPORTED, "to",
                           "found %s body \"%.60s\", expected one with elements to tie to",
                           view->kind, view->name);
    }
    LY_TRY(type->weighted ? type->embed(view, count, places, &embedding)
                          : lyra_embedding_create(view->mesh, count, places, 0, &embedding, NULL));
    LyraEmbeddingView made = lyra_embedding_view(embedding);
    LyraStatus status = allocate_side(world->ctx, count, made.node_count, side);
    for (int64_t e = 0; status == LYRA_OK && e < (int64_t)count * made.node_count; ++e) {
        side->vertices[e] = view->first_vertex + made.vertices[e];
        side->weights[e] = made.weights[e];
    }
    lyra_embedding_destroy(embedding);
    return status;
}

// the places at rest of the points of a selection, [count][3]
static void find_places(const LyraWorld *world, int32_t body, const LySelection *found,
                        double *places)
{
    const double *positions = ly_body_points(world, body).positions;
    int32_t first = world->views[body].first_vertex;
    for (int64_t p = 0; p < found->count + found->point_count; ++p) {
        int32_t vertex =
            p < found->count ? found->vertices[p] - first : found->points[p - found->count].vertex;
        memcpy(places + 3 * p, positions + 3 * (int64_t)vertex, 3 * sizeof *places);
    }
}

static LyraStatus fill(LyraWorld *world, const LyraTieDef *def, LyTie *tie)
{
    LySelection found;
    int32_t body, to = -1, end;
    double *places = NULL;
    LyraStatus status = LYRA_OK;
    if (!def->body) {
        return ly_fail_key(LYRA_BAD_FORMAT, "body", "found none, expected the name of a body");
    }
    LY_TRY(ly_select_bodies(world, def->body, &body, &end));
    if (def->to) {
        LY_TRY(ly_find_body(world, "to", def->to, &to));
    }
    if (to == body) {
        return ly_fail_key(LYRA_BAD_FORMAT, "to",
                           "found body \"%.60s\" tied to itself, expected another", def->body);
    }
    LY_TRY(ly_select_vertices(world, def->body, &def->select, &found));
    tie->count = found.count + found.point_count;
    tie->stiffness = def->stiffness;
    tie->damping = def->damping;
    LY_TRY_DONE(ly_allocate_array(world->ctx, 3 * (int64_t)tie->count, sizeof *places, &places));
    find_places(world, body, &found, places);
    if (found.point_count > 0) {
        LY_TRY_DONE(embed(world, body, tie->count, places, &tie->own));
    } else {
        LY_TRY_DONE(allocate_side(world->ctx, tie->count, 1, &tie->own));
        for (int32_t p = 0; p < tie->count; ++p) {
            tie->own.vertices[p] = found.vertices[p];
            tie->own.weights[p] = 1;
        }
    }
    LY_TRY_DONE(to >= 0 ? embed(world, to, tie->count, places, &tie->other) : LYRA_OK);
done:
    ly_release(world->ctx, places);
    return status;
}

LyraTieDef lyra_tie_def_default(void)
{
    return (LyraTieDef){.select = lyra_selector_default()};
}

static LyraStatus make_tie(LyraWorld *world, const LyraTieDef *def, LyTie **out, LyraForce **force)
{
    LyTie *tie = NULL;
    LY_TRY(ly_allocate_zeroed(world->ctx, 1, sizeof *tie, &tie));
    tie->ctx = world->ctx;
    LyraStatus status = fill(world, def, tie);
    if (status == LYRA_OK) {
        LyraForceDef made = lyra_force_def_default();
        made.type = &types[tie->other.nodes > 0][tie->damping > 0];
        made.self = tie;
        made.update = update;
        status = lyra_force_create(world->ctx, &made, force);
    }
    if (status != LYRA_OK) {
        destroy(tie);
        return status;
    }
    *out = tie;
    return LYRA_OK;
}

LyraStatus lyra_world_add_tie(LyraWorld *world, const LyraTieDef *def, int32_t *index)
{
    LYRA_ASSERT(world && def);
    LyraTieDef own;
    LyTie *tie = NULL;
    LyraForce *force = NULL;
    LY_TRY(ly_world_check_open(world, "a tie"));
    LY_TRY(ly_keys_copy(world->arena, &ly_tie_keys, def, &own));
    LY_TRY(ly_grow_array(world->ctx, world->tie_count, sizeof *world->ties, &world->ties));
    LY_TRY(make_tie(world, &own, &tie, &force));
    LY_TRY(ly_world_own_force(world, -1, NULL, force));
    world->ties[world->tie_count] = tie;
    if (index) {
        *index = world->tie_count;
    }
    ++world->tie_count;
    ly_world_digest(world, tie->own.vertices,
                    sizeof(int32_t) * (size_t)tie->own.nodes * (size_t)tie->count);
    ly_world_digest(world, &tie->stiffness, sizeof tie->stiffness);
    ly_world_digest(world, &tie->damping, sizeof tie->damping);
    return LYRA_OK;
}

// ---- looking ------------------------------------------------------------------------------------

// adds sign times the value of a side's point to out
static void add_point(const Side *side, int32_t p, double sign, const double *values, double out[3])
{
    for (int32_t k = 0; k < side->nodes; ++k) {
        int64_t at = (int64_t)side->nodes * p + k;
        for (int i = 0; i < 3; ++i) {
            out[i] += sign * side->weights[at] * values[3 * (int64_t)side->vertices[at] + i];
        }
    }
}

LyraStatus lyra_world_tie_force(LyraWorld *world, int32_t index, double force[3])
{
    LYRA_ASSERT(world && force);
    LY_TRY(lyra_world_prepare(world));
    if (index < 0 || index >= world->tie_count) {
        return ly_fail(LYRA_INVALID_ARGUMENT, "tie %d of %d", (int)index, (int)world->tie_count);
    }
    const LyTie *tie = world->ties[index];
    LyraStateView state = lyra_state_view(world->state);
    double sum[3] = {0};
    for (int32_t p = 0; p < tie->count; ++p) {
        double d[3] = {0}, rate[3] = {0};
        add_point(&tie->own, p, 1, lyra_vector_values(state.u), d);
        add_point(&tie->other, p, -1, lyra_vector_values(state.u), d);
        add_point(&tie->own, p, 1, lyra_vector_values(state.v), rate);
        add_point(&tie->other, p, -1, lyra_vector_values(state.v), rate);
        for (int i = 0; i < 3; ++i) {
            sum[i] -= tie->stiffness * d[i] + tie->damping * rate[i];
        }
    }
    memcpy(force, sum, sizeof sum);
    return LYRA_OK;
}
