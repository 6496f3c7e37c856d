// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Pulls at vertices: a spring of no length at every vertex, whose stiffness is zero until somebody
// pulls,
//   E = k/2 |u - y|^2,   dE/du = k (u - y),   d2E/du2 = k I,
// y the target as a displacement.
// Being forces of the model they are implicit: a stiff pull is as stable as a soft one, whatever
// the step. They touch diagonal blocks alone, so the pattern stays. Several springs k_j, y_j at one
// vertex act as one of stiffness k = sum k_j to y = sum k_j y_j / k, but for a constant energy.

#include "lyra/scene_live.h"
#include "scene/scene.h"

#include <math.h>
#include <string.h>

#define W LYRA_BATCH_WIDTH

enum { PULL_STIFFNESS, PULL_TARGET, PULL_COUNT = PULL_TARGET + 3 };

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
};

LyraStatus ly_scene_add_pull(LyraScene *scene, int32_t vertex_count)
{
    LyraContext *ctx = scene->ctx;
    int32_t *vertices = NULL;
    LyraForce *force = NULL;
    LyraStatus status = LYRA_OK;
    // zeros serve as the parameters of the force too, whatever their order
    LY_TRY(ly_allocate_zeroed(ctx, PULL_COUNT * (int64_t)vertex_count, sizeof *scene->pulls,
                              &scene->pulls));
    LY_TRY(ly_allocate_array(ctx, vertex_count, sizeof *vertices, &vertices));
    for (int32_t i = 0; i < vertex_count; ++i) {
        vertices[i] = i;
    }
    LyraForceDef def = lyra_force_def_default();
    def.type = &type;
    def.stencil_count = vertex_count;
    def.stencils = vertices;
    def.parameters = scene->pulls;
    LY_TRY_DONE(lyra_force_create(ctx, &def, &force));
    LY_TRY_DONE(ly_scene_take_force(scene, force));
    scene->pull_force = force;
    // the last of all: behind those of the solids and the scene's own
    scene->pull_index = scene->force_count - 1;
    for (int32_t b = 0; b < scene->body_count; ++b) {
        int32_t count = 0;
        if (scene->bodies[b].solid) {
            lyra_solid_forces(scene->bodies[b].solid, &count);
        }
        scene->pull_index += count;
    }
done:
    ly_release(ctx, vertices);
    return status;
}

static LyraStatus check_pulls(const LyraScene *scene, int32_t count, const int32_t *vertices,
                              const double *stiffness, const double *targets)
{
    if (!scene->pull_force) {
        return ly_fail(LYRA_UNSUPPORTED, "%s: loaded without pulls: LyraSceneDef::pullable",
                       scene->path);
    }
    int32_t vertex_count = lyra_model_view(scene->model).vertex_count;
    for (int32_t i = 0; i < count; ++i) {
        if (vertices[i] < 0 || vertices[i] >= vertex_count) {
            return ly_fail(LYRA_INVALID_ARGUMENT, "pull: vertex %d of %d", vertices[i],
                           vertex_count);
        }
        if (!(stiffness[i] >= 0 && isfinite(stiffness[i]))) {
            return ly_fail(LYRA_INVALID_ARGUMENT,
                           "pull: a stiffness of %g N/m at vertex %d, expected 0 or more",
                           stiffness[i], vertices[i]);
        }
        for (int a = 0; a < 3; ++a) {
            if (!isfinite(targets[3 * (int64_t)i + a])) {
                return ly_fail(LYRA_NOT_FINITE, "pull: the target of vertex %d is not finite",
                               vertices[i]);
            }
        }
    }
    return LYRA_OK;
}

LyraStatus lyra_scene_pull(LyraScene *scene, int32_t count, const int32_t *vertices,
                           const double *stiffness, const double *targets)
{
    LYRA_ASSERT(scene && (count == 0 || (vertices && stiffness && targets)));
    LY_TRY(check_pulls(scene, count, vertices, stiffness, targets));
    LyraModelView model = lyra_model_view(scene->model);
    int64_t n = model.vertex_count;
    double *k = scene->pulls, *y = scene->pulls + n;
    memset(scene->pulls, 0, PULL_COUNT * (size_t)n * sizeof *scene->pulls);
    for (int32_t i = 0; i < count; ++i) {
        k[vertices[i]] += stiffness[i];
        for (int64_t a = 0; a < 3; ++a) {
            double rest = model.positions[3 * (int64_t)vertices[i] + a];
            y[a * n + vertices[i]] += stiffness[i] * (targets[3 * (int64_t)i + a] - rest);
        }
    }
    for (int64_t i = 0; i < 3 * n; ++i) {
        y[i] = k[i % n] > 0 ? y[i] / k[i % n] : 0;
    }
    LyraAssembly *assembly = lyra_model_assembly(scene->model);
    for (int32_t p = 0; p < PULL_COUNT; ++p) {
        LY_TRY(lyra_assembly_set_parameter(assembly, scene->pull_index, p, scene->pulls + p * n));
    }
    return LYRA_OK;
}

double lyra_scene_pull_energy(const LyraScene *scene)
{
    if (!scene->pull_force) {
        return 0;
    }
    const double *u = lyra_vector_values(lyra_state_view(scene->state).u);
    int64_t n = lyra_model_view(scene->model).vertex_count;
    double energy = 0;
    for (int64_t i = 0; i < n; ++i) {
        for (int64_t a = 0; a < 3 && scene->pulls[i] > 0; ++a) {
            double d = u[3 * i + a] - scene->pulls[(1 + a) * n + i];
            energy += 0.5 * scene->pulls[i] * d * d;
        }
    }
    return energy;
}
