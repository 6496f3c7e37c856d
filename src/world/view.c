// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// What people see of a world: its bodies, positions, energies; and its state in a file.

#include "lyra/output.h"
#include "world/world.h"

#include <stdio.h>
#include <string.h>

LyraWorldView lyra_world_view(const LyraWorld *world)
{
    return (LyraWorldView){
        .title = world->spec.title ? world->spec.title : "",
        .model = world->model,
        .system = world->system,
        .integrator = world->integrator,
        .state = world->state,
        .dt = world->dt,
        .steps = world->steps,
        .body_count = world->body_count,
        .bodies = world->views,
        .digest = world->digest,
    };
}

double lyra_world_time(const LyraWorld *world)
{
    return world->state ? lyra_state_view(world->state).time : 0;
}

int32_t lyra_world_find_body(const LyraWorld *world, const char *name)
{
    return ly_name_index_find(&world->names, name);
}

// values of the vertices of a body on the points of its shape; `add_rest`: positions from
// displacements
static void show_points(const LyraWorld *world, int32_t b, const double *values, bool add_rest,
                        double *out)
{
    const LyraBodyView *view = &world->views[b];
    LyBodyPoints points = ly_body_points(world, b);
    const double *own = values + 3 * (int64_t)view->first_vertex;
    for (int64_t c = 0; c < 3 * (int64_t)points.count; ++c) {
        out[c] = add_rest ? points.positions[c] : 0;
    }
    if (!world->bodies[b].type->weighted) {
        for (int64_t c = 0; c < 3 * (int64_t)points.count; ++c) {
            out[c] += own[c];
        }
        return;
    }
    LyraEmbeddingView shape = lyra_embedding_view(lyra_affine_view(view->affine).embedding);
    for (int64_t p = 0; p < points.count; ++p) {
        for (int32_t k = 0; k < LYRA_AFFINE_PARTICLES; ++k) {
            double weight = shape.weights[LYRA_AFFINE_PARTICLES * p + k];
            for (int i = 0; i < 3; ++i) {
                out[3 * p + i] += weight * own[3 * k + i];
            }
        }
    }
}

static const double *look(LyraWorld *world, int32_t body, bool positions, int32_t *count)
{
    if (!world->state || body < 0 || body >= world->body_count) {
        return NULL;
    }
    LyraStateView state = lyra_state_view(world->state);
    double *out = world->bodies[body].shown[positions ? 0 : 1];
    show_points(world, body, lyra_vector_values(positions ? state.u : state.v), positions, out);
    if (count) {
        *count = ly_body_points(world, body).count;
    }
    return out;
}

const double *lyra_world_positions(LyraWorld *world, int32_t body, int32_t *count)
{
    LYRA_ASSERT(world);
    return look(world, body, true, count);
}

const double *lyra_world_velocities(LyraWorld *world, int32_t body, int32_t *count)
{
    LYRA_ASSERT(world);
    return look(world, body, false, count);
}

LyraStatus ly_world_energies_of(LyraWorld *world, const LyraState *of, LyraEnergies *out)
{
    LyraEnergies found = {0};
    LyraStateView state = lyra_state_view(of);
    const LyraPoint at = {.time = state.time, .u = state.u, .v = state.v, .committed = of};
    const LyraResponse response = {.elastic = &found.elastic};
    if (!world->momentum) {
        LY_TRY(
            lyra_system_vector_create(world->system, lyra_vector_size(state.v), &world->momentum));
    }
    LY_TRY(lyra_system_evaluate(world->system, &at, &response));
    lyra_system_apply_mass(world->system, state.v, world->momentum);
    found.kinetic = 0.5 * lyra_vector_dot(state.v, world->momentum);
    *out = found;
    return LYRA_OK;
}

LyraStatus lyra_world_energies(LyraWorld *world, LyraEnergies *out)
{
    LYRA_ASSERT(world && out);
    LY_TRY(lyra_world_prepare(world));
    return ly_world_energies_of(world, world->state, out);
}

// ---- checkpoints --------------------------------------------------------------------------------

// the note of a world's checkpoint: whose state it is
#define NOTE "lyra world %016llx"

LyraStatus lyra_world_save(LyraWorld *world, const char *path)
{
    LYRA_ASSERT(world && path);
    char note[48];
    LY_TRY(lyra_world_prepare(world));
    int length = snprintf(note, sizeof note, NOTE, (unsigned long long)world->digest);
    return lyra_checkpoint_save(world->ctx, path, world->state, note, (size_t)length);
}

LyraStatus lyra_world_restore(LyraWorld *world, const char *path)
{
    LYRA_ASSERT(world && path);
    char wanted[48], *note = NULL;
    size_t length;
    LY_TRY(lyra_world_prepare(world));
    snprintf(wanted, sizeof wanted, NOTE, (unsigned long long)world->digest);
    LY_TRY(lyra_checkpoint_load(world->ctx, path, NULL, &note, &length));
    bool own = strcmp(note, wanted) == 0;
    lyra_checkpoint_note_release(world->ctx, note);
    if (!own) {
        return ly_fail(LYRA_BAD_FORMAT,
                       "%s: found the state of another world, expected one that was filled as this "
                       "one",
                       path);
    }
    LY_TRY(lyra_checkpoint_load(world->ctx, path, world->state, &note, &length));
    lyra_checkpoint_note_release(world->ctx, note);
    return LYRA_OK;
}
