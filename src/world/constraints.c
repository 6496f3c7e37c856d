// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// What a world holds, where it is held over time, and where bodies are at the start.

#include "lyra/mesh_ops.h"
#include "math/vec3.h"
#include "world/motion.h"
#include "world/start.h"

#include <math.h>
#include <string.h>

// ---- finding ------------------------------------------------------------------------------------

static void set_directions(LyMotion *motion, const LyraConstraintDef *def)
{
    motion->direction_count = 0;
    if (def->direction) {
        double length = sqrt(ly_dot3(def->direction, def->direction));
        for (int i = 0; i < 3; ++i) {
            motion->directions[0][i] = def->direction[i] / length;
        }
        motion->direction_count = 1;
        return;
    }
    for (int i = 0; i < 3; ++i) {
        if (def->axes & (1 << i)) {
            motion->directions[motion->direction_count++][i] = 1;
        }
    }
}

LyraConstraintDef lyra_constraint_def_default(void)
{
    return (LyraConstraintDef){
        .select = lyra_selector_default(), .axes = 7, .rotation.axis = {0, 0, 1}};
}

static LyraStatus make_motion(LyraWorld *world, const LyraConstraintDef *def, LyMotion *motion)
{
    if (def->direction) {
        LY_TRY(ly_check_direction("direction", def->direction));
        if (def->axes != lyra_constraint_def_default().axes) {
            return ly_fail_key(LYRA_BAD_FORMAT, "axes",
                               "found axes beside direction, expected one of them");
        }
    }
    if (!def->direction && !def->axes) {
        return ly_fail_key(LYRA_BAD_FORMAT, "axes", "found none, expected letters of xyz");
    }
    LY_TRY(ly_within_key(ly_check_direction("axis", def->rotation.axis), "rotation"));
    LY_TRY(ly_select_whole(world, def->body, &def->select, &motion->count, &motion->vertices));
    motion->def = def;
    set_directions(motion, def);
    motion->moves = !ly_curve_is_zero(&def->rotation.angle);
    for (int i = 0; i < 3; ++i) {
        motion->moves |= !ly_curve_is_zero(&def->displacement[i]);
    }
    return LYRA_OK;
}

LyraStatus lyra_world_add_constraint(LyraWorld *world, const LyraConstraintDef *def)
{
    LYRA_ASSERT(world && def);
    LyMotion motion = {0};
    LyraConstraintDef *own = NULL;
    LY_TRY(ly_world_check_open(world, "a constraint"));
    LY_TRY(ly_arena_allocate(world->arena, 1, sizeof *own, &own));
    LY_TRY(ly_keys_copy(world->arena, &ly_constraint_keys, def, own));
    LY_TRY(make_motion(world, own, &motion));
    LY_TRY(ly_grow_array(world->ctx, world->motion_count, sizeof *world->motions, &world->motions));
    world->motions[world->motion_count++] = motion;
    ly_world_digest(world, motion.vertices, sizeof(int32_t) * (size_t)motion.count);
    return LYRA_OK;
}

LyraStatus lyra_world_fix(LyraWorld *world, const char *body, const LyraSelector *select)
{
    LYRA_ASSERT(world && select);
    LyraConstraintDef def = lyra_constraint_def_default();
    def.body = body;
    def.select = *select;
    return lyra_world_add_constraint(world, &def);
}

bool ly_world_moves(const LyraWorld *world)
{
    bool moves = false;
    for (int32_t m = 0; m < world->motion_count; ++m) {
        moves |= world->motions[m].moves;
    }
    return moves;
}

LyraStatus ly_world_constrain(LyraWorld *world)
{
    LyraConstraints *constraints = lyra_model_constraints(world->model);
    for (int32_t m = 0; m < world->motion_count; ++m) {
        const LyMotion *motion = &world->motions[m];
        if (motion->direction_count == 3) {
            LY_TRY(lyra_constraints_fix_vertices(constraints, motion->count, motion->vertices));
            continue;
        }
        for (int32_t i = 0; i < motion->count; ++i) {
            for (int32_t d = 0; d < motion->direction_count; ++d) {
                LY_TRY(lyra_constraints_add_direction(constraints, motion->vertices[i],
                                                      motion->directions[d]));
            }
        }
    }
    return LYRA_OK;
}

// ---- motion -------------------------------------------------------------------------------------

// to += n (n . (from - to)): takes the part along n
static void take_along(const double n[3], const double from[3], double *to)
{
    double difference = 0;
    for (int i = 0; i < 3; ++i) {
        difference += n[i] * (from[i] - to[i]);
    }
    for (int i = 0; i < 3; ++i) {
        to[i] += n[i] * difference;
    }
}

static void hold(const LyraWorld *world, const LyMotion *motion, double t, double *u, double *v,
                 double *a)
{
    const double *positions = lyra_model_view(world->model).positions;
    LyMotionFrame frame = ly_frame_at(&motion->def->rotation, motion->def->displacement, t);
    for (int32_t k = 0; k < motion->count; ++k) {
        int64_t at = 3 * (int64_t)motion->vertices[k];
        double place[3], speed[3], gain[3];
        ly_frame_move(&frame, positions + at, place, speed, gain);
        for (int32_t d = 0; d < motion->direction_count; ++d) {
            take_along(motion->directions[d], place, u + at);
            if (v) {
                take_along(motion->directions[d], speed, v + at);
            }
            if (a) {
                take_along(motion->directions[d], gain, a + at);
            }
        }
    }
}

void ly_world_prescribe(void *user, double t, double *u, double *v, double *a)
{
    const LyraWorld *world = user;
    for (int32_t m = 0; m < world->motion_count; ++m) {
        if (world->motions[m].moves) {
            hold(world, &world->motions[m], t, u, v, a);
        }
    }
}

// ---- start --------------------------------------------------------------------------------------

// x = c + R (c' ...): scale about the middle of the box, rotation about its own centre, translation
static LyraStatus start_body(const LyraWorld *world, int32_t b, double *u, double *v)
{
    static const LyraStart none = {.scale = {1, 1, 1}, .rotate.axis = {0, 0, 1}};
    const LyraBodyView *body = &world->views[b];
    const LyraStart *start = &world->bodies[b].def->start;
    if (memcmp(start, &none, sizeof none) == 0) {
        return LYRA_OK;
    }
    double R[9], low[3], high[3], middle[3];
    // without rounding where it is only moved along
    bool turned =
        start->rotate.angle != 0 || memcmp(start->scale, none.scale, sizeof none.scale) != 0;
    ly_turn_matrix(start->rotate.axis, start->rotate.angle, R);
    const double *X = world->bodies[b].positions;
    LyBodyPoints shape = ly_body_points(world, b);
    for (int i = 0; i < 3; ++i) {
        low[i] = high[i] = shape.positions[i];
        for (int32_t k = 0; k < shape.count; ++k) {
            low[i] = fmin(low[i], shape.positions[3 * (int64_t)k + i]);
            high[i] = fmax(high[i], shape.positions[3 * (int64_t)k + i]);
        }
        middle[i] = 0.5 * (low[i] + high[i]);
    }
    for (int32_t k = 0; k < body->vertex_count; ++k) {
        int64_t at = 3 * ((int64_t)body->first_vertex + k);
        double p[3], x[3], arm[3], spin[3];
        for (int i = 0; i < 3; ++i) {
            double scaled = middle[i] + start->scale[i] * (X[3 * (int64_t)k + i] - middle[i]);
            p[i] = scaled - start->rotate.center[i];
        }
        for (int i = 0; i < 3; ++i) {
            x[i] = start->rotate.center[i] + ly_dot3(R + 3 * i, p) + start->translate[i];
            u[at + i] = turned ? x[i] - X[3 * (int64_t)k + i] : start->translate[i];
            arm[i] = x[i] - start->translate[i] - middle[i];
        }
        ly_cross3(start->angular_velocity, arm, spin);
        for (int i = 0; i < 3; ++i) {
            v[at + i] = start->velocity[i] + spin[i];
        }
    }
    // files overrule all that
    for (int i = 0; i < 2; ++i) {
        if (world->bodies[b].start[i]) {
            memcpy((i ? v : u) + 3 * (int64_t)body->first_vertex, world->bodies[b].start[i],
                   3 * (size_t)body->vertex_count * sizeof *u);
        }
    }
    return LYRA_OK;
}

LyraStatus ly_world_start(LyraWorld *world)
{
    LyraStateView view = lyra_state_view(world->state);
    double *u = lyra_vector_values_mutable(view.u), *v = lyra_vector_values_mutable(view.v);
    for (int32_t b = 0; b < world->body_count; ++b) {
        LY_TRY(start_body(world, b, u, v));
    }
    for (int32_t m = 0; m < world->motion_count; ++m) {
        hold(world, &world->motions[m], 0, u, v, NULL);
    }
    return ly_world_start_vega(world);
}
