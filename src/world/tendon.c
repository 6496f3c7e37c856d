// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Tendons: a cord that runs freely through points x_1 ... x_n of bodies, or of space. With the
// segments d_s = x_(s+1) - x_s, their lengths l_s and directions n_s = d_s / l_s, and L the sum of
// the lengths,
//   E     = T(t) L + k/2 <L - L0>^2,
//   tau   = T + k <L - L0>, the tension, the same all along,
//   c_p   = dL/dx_p = n_(p-1) - n_p,        dE/dx_p = tau c_p,
//   d2E   = tau sum over segments of +-P_s + k c c^T,   P_s = (I - n_s n_s^T) / l_s,
// where P_s stands with + on the diagonal blocks of the ends of s and with - between them. <a> is a
// where a > 0, and otherwise 0, unless the tendon may push; the last term is there with it. Each
// P_s is positive semi-definite, so the tangent is where tau >= 0. A segment of no length has no
// direction, and pulls nowhere.
// A point is a vertex, or has weights on those of its element; one of space has none that counts.

#include "world/tendon.h"

#include "world/curve.h"

#include <math.h>
#include <string.h>

#define W LYRA_BATCH_WIDTH
#define POINTS LYRA_TENDON_POINTS_MAX
#define NODES_MAX LYRA_STENCIL_NODES_MAX // of an element

enum { TENDON_STIFFNESS, TENDON_REST_LENGTH, TENDON_PLACE };

typedef struct Tendon {
    LyraContext *ctx;
    const LyraCurve *tension;
    bool pushes;
    int32_t count;
    LyraSurfacePoint points[POINTS];
    int32_t vertices[POINTS][NODES_MAX];
    double weights[POINTS][NODES_MAX];
    double numbers[TENDON_PLACE + 3 * POINTS];
} Tendon;

// ---- the force ----------------------------------------------------------------------------------

// of one lane
typedef struct Path {
    int32_t count;
    double length, n[POINTS - 1][3], l[POINTS - 1];
    double c[POINTS][3];
} Path;

static void find_path(const LyraBatch *batch, int32_t count, int lane, Path *path)
{
    const double *places = batch->parameters + TENDON_PLACE * W;
    memset(path, 0, sizeof *path);
    path->count = count;
    for (int32_t s = 0; s + 1 < count; ++s) {
        double d[3], square = 0;
        for (int i = 0; i < 3; ++i) {
            int32_t a = (3 * s + i) * W + lane, b = a + 3 * W;
            d[i] = (places[b] - places[a]) + (batch->u[b] - batch->u[a]);
            square += d[i] * d[i];
        }
        path->l[s] = sqrt(square);
        path->length += path->l[s];
        for (int i = 0; i < 3 && square > 0; ++i) {
            path->n[s][i] = d[i] / path->l[s];
            path->c[s][i] -= path->n[s][i];
            path->c[s + 1][i] += path->n[s][i];
        }
    }
}

// adds factor P of segment s to a block
static void add_across(const Path *path, int32_t s, double factor, int lane, double *block)
{
    if (!(path->l[s] > 0)) {
        return;
    }
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) {
            double across = (i == j) - path->n[s][i] * path->n[s][j];
            block[(3 * i + j) * W + lane] += factor * across / path->l[s];
        }
    }
}

static void add_tangent(const Path *path, double tau, double k, int lane, double *blocks)
{
    int32_t n = path->count;
    for (int32_t a = 0; a < n; ++a) {
        for (int32_t b = a; b < n; ++b, blocks += 9 * W) {
            for (int e = 0; e < 9; ++e) {
                blocks[e * W + lane] = k * path->c[a][e / 3] * path->c[b][e % 3];
            }
            if (a == b && a > 0) {
                add_across(path, a - 1, tau, lane, blocks);
            }
            if (a == b && a + 1 < n) {
                add_across(path, a, tau, lane, blocks);
            }
            if (b == a + 1) {
                add_across(path, a, -tau, lane, blocks);
            }
        }
    }
}

static void evaluate(const void *self, const LyraBatch *batch, LyraArena *scratch)
{
    (void)scratch;
    const Tendon *tendon = self;
    double tension = ly_curve_at(tendon->tension, batch->time).value;
    for (int e = 0; e < W; ++e) {
        Path path;
        find_path(batch, tendon->count, e, &path);
        double k = batch->parameters[TENDON_STIFFNESS * W + e];
        double over = path.length - batch->parameters[TENDON_REST_LENGTH * W + e];
        if (!tendon->pushes && over <= 0) {
            k = 0;
        }
        double tau = tension + k * over;
        if (batch->energy) {
            batch->energy[e] = tension * path.length + 0.5 * k * over * over;
        }
        for (int32_t i = 0; batch->gradient && i < 3 * path.count; ++i) {
            batch->gradient[i * W + e] = tau * path.c[i / 3][i % 3];
        }
        if (batch->dfdx) {
            add_tangent(&path, batch->psd && tau < 0 ? 0 : tau, k, e, batch->dfdx);
        }
    }
}

static void destroy(void *self)
{
    Tendon *tendon = self;
    ly_release(tendon->ctx, tendon);
}

static const char *const names[] = {
    "stiffness", "rest-length", "x1", "y1", "z1", "x2", "y2", "z2",  "x3",  "y3", "z3",
    "x4",        "y4",          "z4", "x5", "y5", "z5", "x6", "y6",  "z6",  "x7", "y7",
    "z7",        "x8",          "y8", "z8", "x9", "y9", "z9", "x10", "y10", "z10"};
static const LyraParameterKind kinds[TENDON_PLACE + 3 * POINTS] = {
    [TENDON_STIFFNESS] = LYRA_PARAMETER_NOT_NEGATIVE,
    [TENDON_REST_LENGTH] = LYRA_PARAMETER_NOT_NEGATIVE};

#define TYPE(points, bits)                                                                         \
    {                                                                                              \
        .name = "tendon", .nodes = points,                                                         \
        .traits = LYRA_FORCE_CONSERVATIVE | LYRA_FORCE_SYMMETRIC | LYRA_FORCE_DISPLACEMENT | bits, \
        .parameter_count = TENDON_PLACE + 3 * (points), .parameter_names = names,                  \
        .parameter_kinds = kinds, .evaluate = evaluate, .destroy = destroy                         \
    }
#define TYPES(points)                                                                              \
    {                                                                                              \
        TYPE(points, 0), TYPE(points, LYRA_FORCE_TIME)                                             \
    }

// by the points, and by whether the tension changes
static const LyraForceType types[POINTS + 1][2] = {
    [2] = TYPES(2), [3] = TYPES(3), [4] = TYPES(4), [5] = TYPES(5),  [6] = TYPES(6),
    [7] = TYPES(7), [8] = TYPES(8), [9] = TYPES(9), [10] = TYPES(10)};

static LyraStatus update(const void *self, const LyraUpdate *at, LyraStencilSet *set,
                         uint64_t *version)
{
    (void)at;
    const Tendon *tendon = self;
    if (*version == 1) {
        return LYRA_OK;
    }
    LY_TRY(lyra_stencil_set_clear(set));
    LY_TRY(lyra_stencil_set_add(set, 0, tendon->points, tendon->numbers));
    *version = 1;
    return LYRA_OK;
}

// ---- points -------------------------------------------------------------------------------------

static LyraStatus find_body(const LyraWorld *world, const char *load_body,
                            const LyraTendonPoint *point, int32_t *body)
{
    int32_t end;
    const char *name = point->body ? point->body : load_body;
    LY_TRY(ly_select_bodies(world, name, body, &end));
    return end - *body == 1
               ? LYRA_OK
               : ly_fail_key(LYRA_BAD_FORMAT, "body",
                             "found no body for a point beside %d bodies, expected its name",
                             (int)world->body_count);
}

static LyraStatus take_vertex(LyraWorld *world, int32_t body, int32_t vertex, Tendon *tendon,
                              int32_t p)
{
    LyBodyPoints points = ly_body_points(world, body);
    int32_t *vertices = NULL;
    double *weights = NULL;
    if (vertex < 0 || vertex >= points.count) {
        return ly_fail_key(LYRA_BAD_FORMAT, "vertex", "found %d, expected a vertex of 0 to %d",
                           (int)vertex, (int)points.count - 1);
    }
    memcpy(tendon->numbers + TENDON_PLACE + 3 * (int64_t)p, points.positions + 3 * (int64_t)vertex,
           3 * sizeof(double));
    tendon->points[p].count = 1;
    tendon->vertices[p][0] = world->views[body].first_vertex + vertex;
    tendon->weights[p][0] = 1;
    if (world->bodies[body].type->weighted) {
        LY_TRY(ly_world_point_weights(world, 1, &(LyBodyPoint){body, vertex}, &vertices, &weights));
        tendon->points[p].count = LYRA_AFFINE_PARTICLES;
        memcpy(tendon->vertices[p], vertices, LYRA_AFFINE_PARTICLES * sizeof *vertices);
        memcpy(tendon->weights[p], weights, LYRA_AFFINE_PARTICLES * sizeof *weights);
    }
    return LYRA_OK;
}

static LyraStatus take_place(LyraWorld *world, int32_t body, const double at[3], Tendon *tendon,
                             int32_t p)
{
    const LyraBodyView *view = &world->views[body];
    LyraEmbedding *embedding = NULL;
    memcpy(tendon->numbers + TENDON_PLACE + 3 * (int64_t)p, at, 3 * sizeof *at);
    if (world->bodies[body].type->weighted) {
        LY_TRY(world->bodies[body].type->embed(view, 1, at, &embedding));
    } else if (view->mesh) {
        LY_TRY(lyra_embedding_create(view->mesh, 1, at, 0, &embedding, NULL));
    } else {
        return ly_fail_key(LYRA_UNSUPPORTED, "at",
                           "found a place in %s body \"%.60s\", which has no mesh of elements; "
                           "expected vertex",
                           view->kind, view->name);
    }
    LyraEmbeddingView found = lyra_embedding_view(embedding);
    tendon->points[p].count = found.node_count;
    for (int32_t k = 0; k < found.node_count && k < NODES_MAX; ++k) {
        tendon->vertices[p][k] = view->first_vertex + found.vertices[k];
        tendon->weights[p][k] = found.weights[k];
    }
    lyra_embedding_destroy(embedding);
    return LYRA_OK;
}

static LyraStatus take_point(LyraWorld *world, const LyraLoadDef *load, Tendon *tendon, int32_t p)
{
    const LyraTendonPoint *point = &load->path[p];
    int32_t body = 0;
    tendon->points[p].vertices = tendon->vertices[p];
    tendon->points[p].weights = tendon->weights[p];
    if ((point->vertex >= 0) == (point->at != NULL)) {
        return ly_fail(LYRA_BAD_FORMAT, "found %s of a point of a tendon, expected vertex or at",
                       point->at ? "vertex and at" : "neither vertex nor at");
    }
    if (point->fixed && !point->at) {
        return ly_fail_key(LYRA_BAD_FORMAT, "fixed",
                           "found fixed of a vertex, expected it of a place");
    }
    if (point->fixed) {
        // any vertex, without weight
        memcpy(tendon->numbers + TENDON_PLACE + 3 * (int64_t)p, point->at, 3 * sizeof(double));
        tendon->points[p].count = 1;
        return LYRA_OK;
    }
    LY_TRY(find_body(world, load->body, point, &body));
    return point->at ? take_place(world, body, point->at, tendon, p)
                     : take_vertex(world, body, point->vertex, tendon, p);
}

static double length_at_rest(const Tendon *tendon)
{
    const double *x = tendon->numbers + TENDON_PLACE;
    double length = 0;
    for (int32_t p = 0; p + 1 < tendon->count; ++p, x += 3) {
        double square = 0;
        for (int i = 0; i < 3; ++i) {
            square += (x[3 + i] - x[i]) * (x[3 + i] - x[i]);
        }
        length += sqrt(square);
    }
    return length;
}

// ---- adding -------------------------------------------------------------------------------------

LyraTendonPoint lyra_tendon_point_default(void)
{
    return (LyraTendonPoint){.vertex = -1};
}

static LyraStatus fill(LyraWorld *world, const LyraLoadDef *load, Tendon *tendon)
{
    for (int32_t p = 0; p < tendon->count; ++p) {
        LY_TRY(ly_within_item(take_point(world, load, tendon, p), "path", p));
    }
    tendon->numbers[TENDON_STIFFNESS] = load->stiffness;
    tendon->numbers[TENDON_REST_LENGTH] =
        isnan(load->rest_length) ? length_at_rest(tendon) : load->rest_length;
    return LYRA_OK;
}

LyraStatus ly_world_add_tendon(LyraWorld *world, const LyraLoadDef *load)
{
    Tendon *tendon = NULL;
    LyraForce *force = NULL;
    if (load->path_count < 2 || load->path_count > POINTS) {
        return ly_fail_key(LYRA_BAD_FORMAT, "path", "found %d points, expected 2 to %d of a tendon",
                           (int)load->path_count, POINTS);
    }
    if (world->vertex_count == 0) {
        return ly_fail_key(LYRA_BAD_FORMAT, "path",
                           "found a tendon without bodies, expected it behind them");
    }
    LY_TRY(ly_allocate_zeroed(world->ctx, 1, sizeof *tendon, &tendon));
    tendon->ctx = world->ctx;
    tendon->tension = &load->tension;
    tendon->pushes = load->pushes;
    tendon->count = load->path_count;
    LyraForceDef def = lyra_force_def_default();
    def.type = &types[tendon->count][!ly_curve_is_constant(&load->tension)];
    def.self = tendon;
    def.update = update;
    LyraStatus status = fill(world, load, tendon);
    if (status == LYRA_OK) {
        status = lyra_force_create(world->ctx, &def, &force);
    }
    if (status != LYRA_OK) {
        ly_release(world->ctx, tendon);
        return status;
    }
    return ly_world_own_force(world, -1, NULL, force);
}
