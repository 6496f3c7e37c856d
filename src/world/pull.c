// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Pulls: springs of no length from points of the bodies to targets,
//   E = k/2 |u - y|^2,   dE/du = k (u - y),   d2E/du2 = k I,
// u the displacement of the point and y that of the target from where the point is at rest.
// Being forces of the model they are implicit: a stiff pull is as stable as a soft one, whatever
// the step. They are a changing group: there are none while nobody pulls. A point moves with the
// vertices that it is made of, which some element couples already, so the pattern stays.

#include "world/world.h"

#include <math.h>
#include <string.h>

#define W LYRA_BATCH_WIDTH

enum { PULL_STIFFNESS, PULL_TARGET, PULL_COUNT = PULL_TARGET + 3 };

/// What people pull at, handed to the force.
struct LyPulls {
    LyraContext *ctx;
    uint64_t version;
    int32_t count, room;
    int64_t entry_room;
    int64_t *start;    // of the entries of each pull, [count + 1]
    int32_t *vertices; // [entries]
    double *weights;   // [entries]
    double *numbers;   // [count][PULL_COUNT]
};

// ---- the force ----------------------------------------------------------------------------------

static void evaluate(const void *self, const LyraBatch *batch, LyraArena *scratch)
{
    (void)self, (void)scratch;
    const double *stiffness = batch->parameters + PULL_STIFFNESS * W;
    if (batch->dfdx) {
        memset(batch->dfdx, 0, 9 * W * sizeof *batch->dfdx);
    }
    for (int i = 0; i < 3; ++i) {
        const double *target = batch->parameters + (PULL_TARGET + i) * W;
        for (int e = 0; e < W; ++e) {
            double d = batch->u[i * W + e] - target[e];
            if (batch->energy) {
                batch->energy[e] = (i ? batch->energy[e] : 0) + 0.5 * stiffness[e] * d * d;
            }
            if (batch->gradient) {
                batch->gradient[i * W + e] = stiffness[e] * d;
            }
            if (batch->dfdx) {
                batch->dfdx[4 * i * W + e] = stiffness[e];
            }
        }
    }
}

static void destroy(void *self)
{
    LyPulls *pulls = self;
    ly_release(pulls->ctx, pulls->start);
    ly_release(pulls->ctx, pulls->vertices);
    ly_release(pulls->ctx, pulls->weights);
    ly_release(pulls->ctx, pulls->numbers);
    ly_release(pulls->ctx, pulls);
}

static const char *const names[] = {"stiffness", "x", "y", "z"};
static const LyraParameterKind kinds[] = {LYRA_PARAMETER_NOT_NEGATIVE, LYRA_PARAMETER_ANY,
                                          LYRA_PARAMETER_ANY, LYRA_PARAMETER_ANY};

static const LyraForceType type = {
    .name = "pull",
    .nodes = 1,
    .traits = LYRA_FORCE_CONSERVATIVE | LYRA_FORCE_SYMMETRIC | LYRA_FORCE_LINEAR |
              LYRA_FORCE_DISPLACEMENT,
    .parameter_count = PULL_COUNT,
    .parameter_names = names,
    .parameter_kinds = kinds,
    .evaluate = evaluate,
    .destroy = destroy,
};

static LyraSurfacePoint point_of(const LyPulls *pulls, int32_t i)
{
    return (LyraSurfacePoint){.count = (int32_t)(pulls->start[i + 1] - pulls->start[i]),
                              .vertices = pulls->vertices + pulls->start[i],
                              .weights = pulls->weights + pulls->start[i]};
}

static LyraStatus update(const void *self, const LyraUpdate *at, LyraStencilSet *set,
                         uint64_t *version)
{
    (void)at;
    const LyPulls *pulls = self;
    if (*version == pulls->version) {
        return LYRA_OK;
    }
    *version = 0;
    LY_TRY(lyra_stencil_set_clear(set));
    for (int32_t i = 0; i < pulls->count; ++i) {
        LyraSurfacePoint point = point_of(pulls, i);
        LY_TRY(lyra_stencil_set_add(set, (uint64_t)i, &point,
                                    pulls->numbers + PULL_COUNT * (int64_t)i));
    }
    *version = pulls->version;
    return LYRA_OK;
}

LyraStatus ly_world_add_pull(LyraWorld *world)
{
    LyraContext *ctx = world->ctx;
    LyPulls *pulls = NULL;
    LyraForce *force = NULL;
    LY_TRY(ly_allocate_zeroed(ctx, 1, sizeof *pulls, &pulls));
    pulls->ctx = ctx;
    pulls->version = 1;
    LyraForceDef def = lyra_force_def_default();
    def.type = &type;
    def.self = pulls;
    def.update = update;
    LyraStatus status = lyra_force_create(ctx, &def, &force);
    if (status != LYRA_OK) {
        ly_release(ctx, pulls);
        return status;
    }
    LY_TRY(ly_world_own_force(world, -1, NULL, force));
    world->pulls = pulls;
    return LYRA_OK;
}

// ---- pulling ------------------------------------------------------------------------------------

static LyraStatus check_pull(int32_t vertex_count, const LyraSurfacePoint *point, double stiffness,
                             const double target[3])
{
    for (int32_t k = 0; k < point->count; ++k) {
        if (point->vertices[k] < 0 || point->vertices[k] >= vertex_count) {
            return ly_fail(LYRA_INVALID_ARGUMENT, "pull: vertex %d of %d", point->vertices[k],
                           vertex_count);
        }
        if (point->weights && !isfinite(point->weights[k])) {
            return ly_fail(LYRA_NOT_FINITE, "pull: the weight of vertex %d is not finite",
                           point->vertices[k]);
        }
    }
    if (point->count < 1 || (point->count > 1 && !point->weights)) {
        return ly_fail(LYRA_INVALID_ARGUMENT, "pull: a point of %d vertices%s", point->count,
                       point->count > 1 ? " without weights" : "");
    }
    if (!(stiffness >= 0 && isfinite(stiffness))) {
        return ly_fail(LYRA_INVALID_ARGUMENT,
                       "pull: a stiffness of %g N/m at vertex %d, expected 0 or more", stiffness,
                       point->vertices[0]);
    }
    if (!isfinite(target[0]) || !isfinite(target[1]) || !isfinite(target[2])) {
        return ly_fail(LYRA_NOT_FINITE, "pull: the target of vertex %d is not finite",
                       point->vertices[0]);
    }
    return LYRA_OK;
}

static LyraStatus reserve(LyPulls *pulls, int32_t count, int64_t entries)
{
    LyraContext *ctx = pulls->ctx;
    if (count > pulls->room || !pulls->start) {
        LY_TRY(ly_resize_array(ctx, (int64_t)count + 1, sizeof *pulls->start, &pulls->start));
        LY_TRY(ly_resize_array(ctx, PULL_COUNT * (int64_t)count, sizeof *pulls->numbers,
                               &pulls->numbers));
        pulls->room = count;
    }
    if (entries > pulls->entry_room) {
        LY_TRY(ly_resize_array(ctx, entries, sizeof *pulls->vertices, &pulls->vertices));
        LY_TRY(ly_resize_array(ctx, entries, sizeof *pulls->weights, &pulls->weights));
        pulls->entry_room = entries;
    }
    return LYRA_OK;
}

LyraStatus lyra_world_pull_points(LyraWorld *world, int32_t count, const LyraSurfacePoint *points,
                                  const double *stiffness, const double *targets)
{
    LYRA_ASSERT(world && (count == 0 || (points && stiffness && targets)));
    LY_TRY(lyra_world_prepare(world));
    LyraModelView model = lyra_model_view(world->model);
    LyPulls *pulls = world->pulls;
    int64_t entries = 0;
    for (int32_t i = 0; i < count; ++i) {
        LY_TRY(check_pull(model.vertex_count, &points[i], stiffness[i], targets + 3 * (int64_t)i));
        entries += points[i].count;
    }
    LY_TRY(reserve(pulls, count, entries));
    pulls->count = count;
    pulls->start[0] = 0;
    ++pulls->version;
    for (int32_t i = 0; i < count; ++i) {
        const LyraSurfacePoint *point = &points[i];
        double *numbers = pulls->numbers + PULL_COUNT * (int64_t)i;
        int64_t at = pulls->start[i];
        pulls->start[i + 1] = at + point->count;
        numbers[PULL_STIFFNESS] = stiffness[i];
        memcpy(numbers + PULL_TARGET, targets + 3 * (int64_t)i, 3 * sizeof *numbers);
        for (int32_t k = 0; k < point->count; ++k) {
            const double *rest = model.positions + 3 * (int64_t)point->vertices[k];
            double weight = point->weights ? point->weights[k] : 1;
            pulls->vertices[at + k] = point->vertices[k];
            pulls->weights[at + k] = weight;
            for (int a = 0; a < 3; ++a) {
                numbers[PULL_TARGET + a] -= weight * rest[a];
            }
        }
    }
    return LYRA_OK;
}

LyraStatus lyra_world_pull(LyraWorld *world, int32_t count, const int32_t *vertices,
                           const double *stiffness, const double *targets)
{
    LYRA_ASSERT(world && (count == 0 || (vertices && stiffness && targets)));
    LyraSurfacePoint *points = NULL;
    LY_TRY(ly_allocate_array(world->ctx, count, sizeof *points, &points));
    for (int32_t i = 0; i < count; ++i) {
        points[i] = (LyraSurfacePoint){.count = 1, .vertices = &vertices[i]};
    }
    LyraStatus status = lyra_world_pull_points(world, count, points, stiffness, targets);
    ly_release(world->ctx, points);
    return status;
}

double lyra_world_pull_energy(const LyraWorld *world)
{
    const LyPulls *pulls = world->pulls;
    if (!pulls || !world->state) {
        return 0; // not prepared
    }
    const double *u = lyra_vector_values(lyra_state_view(world->state).u);
    double energy = 0;
    for (int32_t i = 0; i < pulls->count; ++i) {
        LyraSurfacePoint point = point_of(pulls, i);
        const double *numbers = pulls->numbers + PULL_COUNT * (int64_t)i;
        for (int a = 0; a < 3; ++a) {
            double d = -numbers[PULL_TARGET + a];
            for (int32_t k = 0; k < point.count; ++k) {
                d += point.weights[k] * u[3 * (int64_t)point.vertices[k] + a];
            }
            energy += 0.5 * numbers[PULL_STIFFNESS] * d * d;
        }
    }
    return energy;
}
