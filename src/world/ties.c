// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Making ties, and looking at them: which points they have, and what these are tied to. Points are
// vertices of a body, or places in it: of elements, also beyond them, as if the closest one went on
// to there, of the faces of bodies that are surfaces, or of the shape of a body whose vertices are
// something else. tie_force.c has the force.
//
// A hard tie without a stiffness takes STIFFEN m (w^2 + 1/h^2), with 1/m = sum of w_i^2/m_i over
// the vertices of both points and w^2 the largest eigenvalue of M^-1 K: a free point that is tied
// this way answers to the tie STIFFEN times as much as to all else, whatever the bodies are made
// of.

#include "integrate/integrate.h"
#include "lyra/distance.h"
#include "lyra/embed.h"
#include "math/vec3.h"
#include "model/changing.h"
#include "world/curve.h"
#include "world/select.h"
#include "world/sheet.h"
#include "world/tie_force.h"
#include "world/world.h"

#include <math.h>
#include <string.h>

#define STIFFEN 100.0

LyraTieDef lyra_tie_def_default(void)
{
    return (LyraTieDef){.select = lyra_selector_default(),
                        .stiffness = NAN,
                        .gap = lyra_curve_constant(1),
                        .rotation.axis = {0, 0, 1}};
}

// ---- places in bodies ---------------------------------------------------------------------------

static LyraStatus allocate_side(LyraContext *ctx, int32_t count, int32_t nodes, LyTieSide *side)
{
    side->nodes = nodes;
    LY_TRY(ly_allocate_array(ctx, (int64_t)nodes * count, sizeof *side->vertices, &side->vertices));
    return ly_allocate_array(ctx, (int64_t)nodes * count, sizeof *side->weights, &side->weights);
}

static void difference(const double *a, const double *b, double out[3])
{
    for (int i = 0; i < 3; ++i) {
        out[i] = a[i] - b[i];
    }
}

// Weights of the foot of x in the plane of a triangle; false where it is not inside.
static bool weigh_foot(const double *const corners[3], const double x[3], double weights[3])
{
    double e[3], f[3], g[3];
    difference(corners[1], corners[0], e);
    difference(corners[2], corners[0], f);
    difference(x, corners[0], g);
    double ee = ly_dot3(e, e), ff = ly_dot3(f, f), ef = ly_dot3(e, f), det = ee * ff - ef * ef;
    double v = (ff * ly_dot3(e, g) - ef * ly_dot3(f, g)) / det;
    double w = (ee * ly_dot3(f, g) - ef * ly_dot3(e, g)) / det;
    weights[0] = 1 - v - w;
    weights[1] = v;
    weights[2] = w;
    return det > 0 && v >= 0 && w >= 0 && v + w <= 1;
}

// weights of the closest point of the edges
static void weigh_edges(const double *const corners[3], const double x[3], double weights[3])
{
    double best = INFINITY;
    for (int k = 0; k < 3; ++k) {
        double along[3], from[3];
        difference(corners[(k + 1) % 3], corners[k], along);
        difference(x, corners[k], from);
        double length = ly_dot3(along, along);
        double s = length > 0 ? fmin(fmax(ly_dot3(along, from) / length, 0), 1) : 0;
        for (int i = 0; i < 3; ++i) {
            from[i] -= s * along[i];
        }
        double far = ly_dot3(from, from);
        if (far < best) {
            best = far;
            weights[k] = 1 - s;
            weights[(k + 1) % 3] = s;
            weights[(k + 2) % 3] = 0;
        }
    }
}

// Weights of the point of a triangle that is closest to x, and its distance squared.
static double weigh_triangle(const double *const corners[3], const double x[3], double weights[3])
{
    double off[3];
    if (!weigh_foot(corners, x, weights)) {
        weigh_edges(corners, x, weights);
    }
    for (int i = 0; i < 3; ++i) {
        off[i] = x[i] - weights[0] * corners[0][i] - weights[1] * corners[1][i] -
                 weights[2] * corners[2][i];
    }
    return ly_dot3(off, off);
}

// the closest points of the faces of a surface, whose vertices are those of the body
static LyraStatus embed_in_faces(const LyraWorld *world, const LyraBodyView *view,
                                 const LyraSurface *surface, int32_t count, const double *places,
                                 LyTieSide *side)
{
    LyraSurfaceView faces = lyra_surface_view(surface);
    LyraSurfaceTree *tree = NULL;
    int32_t *closest = NULL;
    LyraStatus status = LYRA_OK;
    LY_TRY_DONE(allocate_side(world->ctx, count, 3, side));
    LY_TRY_DONE(ly_allocate_array(world->ctx, count, sizeof *closest, &closest));
    LY_TRY_DONE(lyra_surface_tree_create(surface, &tree));
    const LyraClosestFaces out = {.faces = closest};
    lyra_surface_tree_closest(tree, count, places, &out);
    for (int32_t p = 0; p < count; ++p) {
        double best = INFINITY;
        int32_t begin = faces.face_begin[closest[p]], end = faces.face_begin[closest[p] + 1];
        // of a polygon, the triangles around its first corner
        for (int32_t c = begin + 1; c + 1 < end; ++c) {
            const int32_t corners[3] = {faces.corner_vertices[begin], faces.corner_vertices[c],
                                        faces.corner_vertices[c + 1]};
            const double *const X[3] = {faces.positions + 3 * (int64_t)corners[0],
                                        faces.positions + 3 * (int64_t)corners[1],
                                        faces.positions + 3 * (int64_t)corners[2]};
            double weights[3] = {0};
            double distance = weigh_triangle(X, places + 3 * (int64_t)p, weights);
            for (int k = 0; k < 3 && distance < best; ++k) {
                side->vertices[3 * (int64_t)p + k] = view->first_vertex + corners[k];
                side->weights[3 * (int64_t)p + k] = weights[k];
            }
            best = fmin(best, distance);
        }
    }
done:
    ly_release(world->ctx, closest);
    lyra_surface_tree_destroy(tree);
    return status;
}

// places at rest, [count][3], as points of a body
static LyraStatus embed(const LyraWorld *world, const char *key, int32_t body, int32_t count,
                        const double *places, LyTieSide *side)
{
    const LyraBodyView *view = &world->views[body];
    const LyBodyType *type = world->bodies[body].type;
    LyraEmbedding *embedding = NULL;
    if (!type->weighted && !view->mesh) {
        const LyraSurface *surface = ly_body_faces(view);
        return surface ? embed_in_faces(world, view, surface, count, places, side)
                       : ly_fail_key(LYRA_UNSUPPORTED, key,
                                     "found %s body \"%.60s\", which has neither elements nor "
                                     "faces, expected vertices of it by a selector",
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

// where the points of a side are at rest, [count][3]
static void find_rest(const LyraWorld *world, int32_t body, const LyTieSide *side, int32_t count,
                      double *places)
{
    const double *X = world->bodies[body].positions;
    int32_t first = world->views[body].first_vertex;
    for (int32_t p = 0; p < count; ++p) {
        double *x = places + 3 * (int64_t)p;
        x[0] = x[1] = x[2] = 0;
        for (int32_t k = 0; k < side->nodes; ++k) {
            int64_t at = (int64_t)side->nodes * p + k;
            for (int i = 0; i < 3; ++i) {
                x[i] += side->weights[at] * X[3 * (int64_t)(side->vertices[at] - first) + i];
            }
        }
    }
}

// ---- points -------------------------------------------------------------------------------------

// vertices of a body, or places of them: those of its shape where it is weighted
static LyraStatus take_vertices(LyraContext *ctx, const LyraBodyView *view, int32_t count,
                                const int32_t *vertices, LyTieSide *side)
{
    LY_TRY(allocate_side(ctx, count, 1, side));
    for (int32_t p = 0; p < count; ++p) {
        side->vertices[p] = view->first_vertex + vertices[p];
        side->weights[p] = 1;
    }
    return LYRA_OK;
}

// numbers, in the body, of the points of a selection
static LyraStatus select_points(LyraWorld *world, const char *name, int32_t body,
                                const LyraSelector *select, int32_t *count, int32_t **out)
{
    LySelection found;
    LY_TRY(ly_select_vertices(world, name, select, &found));
    *count = found.count + found.point_count;
    LY_TRY(ly_arena_allocate(world->arena, *count, sizeof **out, out));
    for (int32_t p = 0; p < *count; ++p) {
        (*out)[p] = p < found.count ? found.vertices[p] - world->views[body].first_vertex
                                    : found.points[p - found.count].vertex;
    }
    return LYRA_OK;
}

// the points of the tie: those selected, then places
static LyraStatus fill_own(LyraWorld *world, int32_t body, LyTie *tie)
{
    const LyraTieDef *def = tie->def;
    const LyraBodyView *view = &world->views[body];
    int32_t count = 0, *chosen = NULL;
    if (def->point_count == 0 || ly_selector_says_any(&def->select)) {
        LY_TRY(select_points(world, def->body, body, &def->select, &count, &chosen));
    }
    tie->count = count + def->point_count;
    LY_TRY(ly_allocate_array(world->ctx, 3 * (int64_t)tie->count, sizeof(double), &tie->places));
    LY_TRY(ly_allocate_zeroed(world->ctx, 3 * (int64_t)tie->count, sizeof(double), &tie->gaps));
    LY_TRY(ly_allocate_array(world->ctx, tie->count, sizeof(double), &tie->stiffness));
    const double *positions = ly_body_points(world, body).positions;
    for (int32_t p = 0; p < tie->count; ++p) {
        const double *from =
            p < count ? positions + 3 * (int64_t)chosen[p] : def->points[p - count].at;
        memcpy(tie->places + 3 * (int64_t)p, from, 3 * sizeof *from);
    }
    if (def->point_count == 0 && !world->bodies[body].type->weighted) {
        return take_vertices(world->ctx, view, count, chosen, &tie->own);
    }
    LY_TRY(embed(world, "points", body, tie->count, tie->places, &tie->own));
    find_rest(world, body, &tie->own, tie->count, tie->places);
    return LYRA_OK;
}

// each point to the closest one of a selection
static LyraStatus fill_paired(LyraWorld *world, int32_t to, LyTie *tie)
{
    int32_t count = 0, *chosen = NULL, *closest = NULL;
    double *places = NULL;
    LyraVertexTree *tree = NULL;
    LyraStatus status = LYRA_OK;
    const LyraBodyView *view = &world->views[to];
    const double *positions = ly_body_points(world, to).positions;
    LY_TRY(ly_within_key(select_points(world, view->name, to, tie->def->to_select, &count, &chosen),
                         "to-select"));
    LY_TRY_DONE(ly_allocate_array(world->ctx, tie->count, sizeof *closest, &closest));
    LY_TRY_DONE(
        ly_allocate_array(world->ctx, 3 * ly_max_i64(count, tie->count), sizeof *places, &places));
    for (int32_t p = 0; p < count; ++p) {
        memcpy(places + 3 * (int64_t)p, positions + 3 * (int64_t)chosen[p], 3 * sizeof *places);
    }
    LY_TRY_DONE(lyra_vertex_tree_create(world->ctx, count, places, &tree));
    lyra_vertex_tree_closest(tree, tie->count, tie->places, closest, NULL);
    for (int32_t p = 0; p < tie->count; ++p) {
        closest[p] = chosen[closest[p]];
        memcpy(places + 3 * (int64_t)p, positions + 3 * (int64_t)closest[p], 3 * sizeof *places);
    }
    LY_TRY_DONE(world->bodies[to].type->weighted
                    ? embed(world, "to", to, tie->count, places, &tie->other)
                    : take_vertices(world->ctx, view, tie->count, closest, &tie->other));
done:
    lyra_vertex_tree_destroy(tree);
    ly_release(world->ctx, closest);
    ly_release(world->ctx, places);
    return status;
}

static LyraStatus fill_other(LyraWorld *world, int32_t to, LyTie *tie)
{
    double *rest = NULL;
    LY_TRY(tie->def->to_select ? fill_paired(world, to, tie)
                               : embed(world, "to", to, tie->count, tie->places, &tie->other));
    LY_TRY(ly_allocate_array(world->ctx, 3 * (int64_t)tie->count, sizeof *rest, &rest));
    find_rest(world, to, &tie->other, tie->count, rest);
    for (int64_t i = 0; i < 3 * (int64_t)tie->count; ++i) {
        tie->gaps[i] = tie->places[i] - rest[i];
    }
    ly_release(world->ctx, rest);
    return LYRA_OK;
}

// ---- making -------------------------------------------------------------------------------------

static bool turns(const LyraTieDef *def)
{
    return !ly_curve_is_zero(&def->rotation.angle);
}

static LyraStatus check_def(const LyraWorld *world, const LyraTieDef *def, int32_t body, int32_t to)
{
    if (to == body && !def->to_select) {
        return ly_fail_key(LYRA_BAD_FORMAT, "to",
                           "found body \"%.60s\" tied to itself, expected another, or to-select",
                           def->body);
    }
    if (!def->to && def->to_select) {
        return ly_fail_key(LYRA_BAD_FORMAT, "to-select",
                           "found it without to, expected the name of a body there");
    }
    if (def->to && turns(def)) {
        return ly_fail_key(LYRA_BAD_FORMAT, "rotation",
                           "found it beside to, expected it of ties to the world alone");
    }
    if (!def->hard && isnan(def->stiffness) && def->damping == 0) {
        return ly_fail_key(LYRA_BAD_FORMAT, "stiffness",
                           "found none, expected it, or hard: true for a tie that does not give");
    }
    if (def->hard && def->stiffness == 0) {
        return ly_fail_key(LYRA_BAD_FORMAT, "stiffness",
                           "found 0 of a hard tie, expected a number above 0, or none");
    }
    for (int32_t t = 0; def->name && t < world->tie_count; ++t) {
        if (world->ties[t]->def->name && strcmp(world->ties[t]->def->name, def->name) == 0) {
            return ly_fail_key(LYRA_BAD_FORMAT, "name",
                               "found a second tie called \"%.60s\", expected names to differ",
                               def->name);
        }
    }
    return ly_within_key(ly_check_direction("axis", def->rotation.axis), "rotation");
}

static LyraStatus fill(LyraWorld *world, const LyraTieDef *def, LyTie *tie)
{
    int32_t body, to = -1;
    if (!def->body) {
        return ly_fail_key(LYRA_BAD_FORMAT, "body", "found none, expected the name of a body");
    }
    LY_TRY(ly_find_body(world, "body", def->body, &body));
    if (def->to) {
        LY_TRY(ly_find_body(world, "to", def->to, &to));
    }
    LY_TRY(check_def(world, def, body, to));
    tie->def = def;
    tie->serial = 1;
    LY_TRY(fill_own(world, body, tie));
    LY_TRY(to >= 0 ? fill_other(world, to, tie) : LYRA_OK);
    for (int32_t p = 0; p < tie->count; ++p) {
        tie->stiffness[p] = isnan(def->stiffness) ? 0 : def->stiffness;
    }
    return LYRA_OK;
}

static void digest(LyraWorld *world, const LyTie *tie)
{
    const LyTieSide *sides[2] = {&tie->own, &tie->other};
    for (int s = 0; s < 2; ++s) {
        size_t count = (size_t)sides[s]->nodes * (size_t)tie->count;
        ly_world_digest(world, sides[s]->vertices, sizeof(int32_t) * count);
        ly_world_digest(world, sides[s]->weights, sizeof(double) * count);
    }
    ly_world_digest(world, &tie->def->stiffness, sizeof tie->def->stiffness);
    ly_world_digest(world, &tie->def->damping, sizeof tie->def->damping);
    ly_world_digest(world, &tie->def->hard, sizeof tie->def->hard);
    if (tie->frame != LY_FRAME_NONE) {
        ly_world_digest(world, &tie->frame, sizeof tie->frame);
    }
}

LyraStatus lyra_world_add_tie(LyraWorld *world, const LyraTieDef *def, int32_t *index)
{
    LYRA_ASSERT(world && def);
    return ly_world_add_framed_tie(world, def, LY_FRAME_NONE, index);
}

LyraStatus ly_world_add_framed_tie(LyraWorld *world, const LyraTieDef *def, LyTieFrame frame,
                                   int32_t *index)
{
    LyraTieDef *own = NULL;
    LyTie *tie = NULL;
    LyraForce *force = NULL;
    LY_TRY(ly_world_check_open(world, "a tie"));
    LY_TRY(ly_arena_allocate(world->arena, 1, sizeof *own, &own));
    LY_TRY(ly_keys_copy(world->arena, &ly_tie_keys, def, own));
    LY_TRY(ly_grow_array(world->ctx, world->tie_count, sizeof *world->ties, &world->ties));
    LY_TRY(ly_allocate_zeroed(world->ctx, 1, sizeof *tie, &tie));
    tie->ctx = world->ctx;
    tie->frame = frame;
    LyraStatus status = fill(world, own, tie);
    if (status != LYRA_OK) {
        ly_tie_destroy(tie);
        return status;
    }
    LY_TRY(ly_tie_make_force(tie, &force));
    tie->force = force;
    LY_TRY(ly_world_own_force(world, -1, NULL, force));
    world->ties[world->tie_count] = tie;
    if (index) {
        *index = world->tie_count;
    }
    ++world->tie_count;
    digest(world, tie);
    return LYRA_OK;
}

// ---- preparing ----------------------------------------------------------------------------------

static bool is_automatic(const LyTie *tie)
{
    return tie->def->hard && isnan(tie->def->stiffness);
}

static double inverse_mass(const LyTieSide *side, int32_t p, const double *masses)
{
    double sum = 0;
    for (int32_t k = 0; k < side->nodes; ++k) {
        int64_t at = (int64_t)side->nodes * p + k;
        double weight = side->weights[at], mass = masses[side->vertices[at]];
        sum += weight == 0 ? 0 : weight * weight / mass;
    }
    return sum;
}

static LyraStatus stiffen(LyraWorld *world, double rate, int32_t index)
{
    LyTie *tie = world->ties[index];
    const double *masses = lyra_model_view(world->model).masses;
    for (int32_t p = 0; p < tie->count; ++p) {
        double inverse = inverse_mass(&tie->own, p, masses) + inverse_mass(&tie->other, p, masses);
        tie->stiffness[p] = STIFFEN * rate / inverse;
        if (!(tie->stiffness[p] > 0 && isfinite(tie->stiffness[p]))) {
            return ly_within_item(
                ly_fail_key(LYRA_BAD_FORMAT, "stiffness",
                            "found none, and %g N/m from the masses at point %d, expected it given",
                            tie->stiffness[p], (int)p),
                "ties", index);
        }
    }
    ++tie->serial;
    return LYRA_OK;
}

LyraStatus ly_world_check_ties(const LyraWorld *world, const LyraIntegrator *integrator)
{
    bool hard = false;
    for (int32_t t = 0; t < world->tie_count; ++t) {
        hard |= world->ties[t]->def->hard;
    }
    if (!hard) {
        return LYRA_OK;
    }
    const LyraNewtonDef *newton = &integrator->def.newton;
    if (!integrator->type->newton) {
        return ly_fail(
            LYRA_UNSUPPORTED,
            "found integrator \"%s\" with hard ties, which are found by Newton's method, "
            "expected backward-euler or another that iterates",
            integrator->def.name);
    }
    bool once = newton->policy == LYRA_NEWTON_ONE ||
                (newton->policy == LYRA_NEWTON_COUNTED && newton->iterations_max < 2);
    return once ? ly_fail_key(LYRA_UNSUPPORTED, "newton",
                              "found a single step of Newton's method with hard ties, expected a "
                              "policy that iterates, as full")
                : LYRA_OK;
}

LyraStatus ly_world_prepare_ties(LyraWorld *world)
{
    bool any = false;
    double eigenvalue = 0;
    for (int32_t t = 0; t < world->tie_count; ++t) {
        any |= is_automatic(world->ties[t]);
        world->ties[t]->group = lyra_model_group_of(world->model, world->ties[t]->force);
    }
    if (!any) {
        return LYRA_OK;
    }
    LyraStateView view = lyra_state_view(world->state);
    const LyraPoint at = {.u = view.u, .v = view.v, .committed = world->state};
    // what keeps the shape of rigid bodies is no stiffness that a tie has to beat
    LY_TRY(ly_world_soften_rigid(world, true));
    LyraStatus status = lyra_system_linearise(world->system, &at, true);
    if (status == LYRA_OK) {
        status = lyra_system_largest_eigenvalue(world->system, &eigenvalue);
    }
    LY_TRY(ly_world_soften_rigid(world, false));
    LY_TRY(status);
    for (int32_t t = 0; t < world->tie_count; ++t) {
        LY_TRY(is_automatic(world->ties[t])
                   ? stiffen(world, eigenvalue + 1 / (world->dt * world->dt), t)
                   : LYRA_OK);
    }
    return LYRA_OK;
}

// ---- looking ------------------------------------------------------------------------------------

static LyraStatus find_tie(LyraWorld *world, int32_t index, const LyTie **tie)
{
    LY_TRY(lyra_world_prepare(world));
    if (index < 0 || index >= world->tie_count) {
        return ly_fail(LYRA_INVALID_ARGUMENT, "tie %d of %d", (int)index, (int)world->tie_count);
    }
    *tie = world->ties[index];
    return LYRA_OK;
}

int32_t lyra_world_find_tie(const LyraWorld *world, const char *name)
{
    LYRA_ASSERT(world && name);
    for (int32_t t = 0; t < world->tie_count; ++t) {
        if (world->ties[t]->def->name && strcmp(world->ties[t]->def->name, name) == 0) {
            return t;
        }
    }
    return -1;
}

// force of point p on the body
static void point_force(const LyraWorld *world, const LyTie *tie, int32_t p, double force[3])
{
    LyraStateView state = lyra_state_view(world->state);
    const double *u = lyra_vector_values(state.u), *v = lyra_vector_values(state.v);
    int64_t known = 0;
    const double *multipliers =
        tie->def->hard ? ly_model_changing_history(world->model, tie->group, world->state, &known)
                       : NULL;
    double d[3], rate[3];
    ly_tie_gap(tie, p, state.time, u, v, d, rate);
    for (int i = 0; i < 3; ++i) {
        double elastic = !tie->def->hard ? tie->stiffness[p] * d[i]
                         : p < known     ? multipliers[3 * (int64_t)p + i]
                                         : 0;
        force[i] = -elastic - tie->def->damping * rate[i];
    }
}

LyraStatus lyra_world_tie_force(LyraWorld *world, int32_t index, double force[3])
{
    LYRA_ASSERT(world && force);
    const LyTie *tie = NULL;
    LY_TRY(find_tie(world, index, &tie));
    double sum[3] = {0};
    for (int32_t p = 0; p < tie->count; ++p) {
        double own[3];
        point_force(world, tie, p, own);
        for (int i = 0; i < 3; ++i) {
            sum[i] += own[i];
        }
    }
    memcpy(force, sum, sizeof sum);
    return LYRA_OK;
}

LyraStatus lyra_world_tie_torque(LyraWorld *world, int32_t index, const double about[3],
                                 double torque[3])
{
    LYRA_ASSERT(world && about && torque);
    const LyTie *tie = NULL;
    LY_TRY(find_tie(world, index, &tie));
    const double *u = lyra_vector_values(lyra_state_view(world->state).u);
    double sum[3] = {0};
    for (int32_t p = 0; p < tie->count; ++p) {
        double force[3], arm[3], own[3];
        point_force(world, tie, p, force);
        for (int i = 0; i < 3; ++i) {
            arm[i] = tie->places[3 * (int64_t)p + i] - about[i];
            for (int32_t k = 0; k < tie->own.nodes; ++k) {
                int64_t at = (int64_t)tie->own.nodes * p + k;
                arm[i] += tie->own.weights[at] * u[3 * (int64_t)tie->own.vertices[at] + i];
            }
        }
        ly_cross3(arm, force, own);
        for (int i = 0; i < 3; ++i) {
            sum[i] += own[i];
        }
    }
    memcpy(torque, sum, sizeof sum);
    return LYRA_OK;
}

static double largest_gap(const LyraWorld *world, const LyTie *tie)
{
    LyraStateView state = lyra_state_view(world->state);
    const double *u = lyra_vector_values(state.u);
    double most = 0;
    for (int32_t p = 0; p < tie->count; ++p) {
        double d[3];
        ly_tie_gap(tie, p, state.time, u, NULL, d, NULL);
        most = fmax(most, ly_dot3(d, d));
    }
    return sqrt(most);
}

LyraStatus lyra_world_tie_gap(LyraWorld *world, int32_t index, double *gap)
{
    LYRA_ASSERT(world && gap);
    const LyTie *tie = NULL;
    LY_TRY(find_tie(world, index, &tie));
    *gap = largest_gap(world, tie);
    return LYRA_OK;
}

double ly_world_hard_gap(const LyraWorld *world)
{
    double most = 0;
    for (int32_t t = 0; t < world->tie_count; ++t) {
        if (world->ties[t]->def->hard) {
            most = fmax(most, largest_gap(world, world->ties[t]));
        }
    }
    return most;
}
