// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// What a scene in YAML holds, where it is held over time, and where bodies are at the start.
//
// A point X at rest is held at x = c + R(a, theta(t)) (X - c) + d(t). With p = X - c split into its
// part along the unit axis a and q = p - a (a . p), and r = a x p,
//   R p   = a (a . p) + cos q + sin r,
//   R' p  = theta' (cos r - sin q),
//   R'' p = theta'' (cos r - sin q) - theta'^2 (cos q + sin r).

#include "lyra/mesh_ops.h"
#include "math/vec3.h"
#include "scene/yaml.h"

#include <math.h>
#include <string.h>

// ---- finding ------------------------------------------------------------------------------------

static void set_directions(LyMotion *motion, const LyConstraintSpec *spec)
{
    motion->direction_count = 0;
    if (ly_schema_says(spec, "direction")) {
        double length = sqrt(ly_dot3(spec->direction, spec->direction));
        for (int i = 0; i < 3; ++i) {
            motion->directions[0][i] = spec->direction[i] / length;
        }
        motion->direction_count = 1;
        return;
    }
    for (int i = 0; i < 3; ++i) {
        if (spec->axes & (1 << i)) {
            motion->directions[motion->direction_count++][i] = 1;
        }
    }
}

static bool curve_stays_zero(const LyCurve *curve)
{
    return ly_curve_is_constant(curve) && ly_curve_at(curve, 0).value == 0;
}

LyraStatus ly_yaml_constraints(LyYaml *yaml)
{
    const LyConstraintSpec *specs = yaml->spec.constraints.items;
    int32_t count = yaml->spec.constraints.count;
    LY_TRY(ly_tree_allocate(yaml->arena, count, sizeof *yaml->motions, &yaml->motions));
    for (int32_t c = 0; c < count; ++c) {
        const LyConstraintSpec *spec = &specs[c];
        LyMotion *motion = &yaml->motions[c];
        if (ly_schema_says(spec, "direction")) {
            LY_TRY(ly_check_direction(spec, "direction", spec->direction));
            if (ly_schema_says(spec, "axes")) {
                return ly_key_fail(ly_node_find(spec->node, "axes"), LYRA_BAD_FORMAT,
                                   "found axes beside direction, expected one of them");
            }
        }
        LY_TRY(ly_check_direction(&spec->rotation, "axis", spec->rotation.axis));
        LY_TRY(ly_select_whole(yaml, spec->node, spec->body, &spec->select, &motion->count,
                               &motion->vertices));
        motion->spec = spec;
        set_directions(motion, spec);
        motion->moves = !curve_stays_zero(&spec->rotation.angle);
        for (int i = 0; i < 3; ++i) {
            motion->moves |= !curve_stays_zero(&spec->displacement.axis[i]);
        }
        ++yaml->motion_count;
        yaml->scene->digest = ly_digest(yaml->scene->digest, motion->vertices,
                                        sizeof(int32_t) * (size_t)motion->count);
    }
    return LYRA_OK;
}

bool ly_yaml_moves(const LyYaml *yaml)
{
    bool moves = false;
    for (int32_t m = 0; m < yaml->motion_count; ++m) {
        moves |= yaml->motions[m].moves;
    }
    return moves;
}

LyraStatus ly_yaml_constrain(LyYaml *yaml)
{
    LyraConstraints *constraints = lyra_model_constraints(yaml->scene->model);
    for (int32_t m = 0; m < yaml->motion_count; ++m) {
        const LyMotion *motion = &yaml->motions[m];
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

// where and how fast all of a motion goes at one time
typedef struct Frame {
    double axis[3];
    const double *center;
    double c, s, rate, rate2; // of the angle
    LyJet displacement[3];
} Frame;

static Frame frame_at(const LyConstraintSpec *spec, double t)
{
    Frame frame = {.center = spec->rotation.center};
    LyJet angle = ly_curve_at(&spec->rotation.angle, t);
    double length = sqrt(ly_dot3(spec->rotation.axis, spec->rotation.axis));
    for (int i = 0; i < 3; ++i) {
        frame.axis[i] = spec->rotation.axis[i] / length;
        frame.displacement[i] = ly_curve_at(&spec->displacement.axis[i], t);
    }
    frame.c = cos(angle.value);
    frame.s = sin(angle.value);
    frame.rate = angle.rate;
    frame.rate2 = angle.rate2;
    return frame;
}

// displacement, velocity and acceleration of a point at rest at X
static void move_point(const Frame *frame, const double X[3], double u[3], double v[3], double a[3])
{
    double p[3], r[3];
    for (int i = 0; i < 3; ++i) {
        p[i] = X[i] - frame->center[i];
    }
    double along = ly_dot3(frame->axis, p);
    ly_cross3(frame->axis, p, r);
    for (int i = 0; i < 3; ++i) {
        double q = p[i] - frame->axis[i] * along;
        double turned = frame->c * q + frame->s * r[i], ahead = frame->c * r[i] - frame->s * q;
        u[i] = turned - q + frame->displacement[i].value;
        v[i] = frame->rate * ahead + frame->displacement[i].rate;
        a[i] = frame->rate2 * ahead - frame->rate * frame->rate * turned +
               frame->displacement[i].rate2;
    }
}

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

static void hold(const LyYaml *yaml, const LyMotion *motion, double t, double *u, double *v,
                 double *a)
{
    Frame frame = frame_at(motion->spec, t);
    for (int32_t k = 0; k < motion->count; ++k) {
        int64_t at = 3 * (int64_t)motion->vertices[k];
        double place[3], speed[3], gain[3];
        move_point(&frame, yaml->positions + at, place, speed, gain);
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

void ly_yaml_prescribe(void *user, double t, double *u, double *v, double *a)
{
    const LyYaml *yaml = user;
    for (int32_t m = 0; m < yaml->motion_count; ++m) {
        if (yaml->motions[m].moves) {
            hold(yaml, &yaml->motions[m], t, u, v, a);
        }
    }
}

// ---- start --------------------------------------------------------------------------------------

// x = c + R (c' ...): scale about the middle of the box, rotation about its own centre, translation
static LyraStatus start_body(LyYaml *yaml, const LyraSceneBody *body, const LyStartSpec *spec,
                             double *u, double *v)
{
    if (!spec->node) {
        return LYRA_OK;
    }
    double R[9], low[3], high[3], middle[3];
    LY_TRY(ly_check_direction(&spec->rotate, "axis", spec->rotate.axis));
    ly_turn_matrix(spec->rotate.axis, spec->rotate.angle, R);
    const double *X = yaml->positions + 3 * (int64_t)body->first_vertex;
    LyraMeshView shape = lyra_mesh_view(ly_body_shape(body));
    for (int i = 0; i < 3; ++i) {
        low[i] = high[i] = shape.positions[i];
        for (int32_t k = 0; k < shape.vertex_count; ++k) {
            low[i] = fmin(low[i], shape.positions[3 * (int64_t)k + i]);
            high[i] = fmax(high[i], shape.positions[3 * (int64_t)k + i]);
        }
        middle[i] = 0.5 * (low[i] + high[i]);
    }
    for (int32_t k = 0; k < body->vertex_count; ++k) {
        int64_t at = 3 * ((int64_t)body->first_vertex + k);
        double p[3], x[3], arm[3], spin[3];
        for (int i = 0; i < 3; ++i) {
            double scaled = middle[i] + spec->scale[i] * (X[3 * (int64_t)k + i] - middle[i]);
            p[i] = scaled - spec->rotate.center[i];
        }
        for (int i = 0; i < 3; ++i) {
            x[i] = spec->rotate.center[i] + ly_dot3(R + 3 * i, p) + spec->translate[i];
            u[at + i] = x[i] - X[3 * (int64_t)k + i];
            arm[i] = x[i] - spec->translate[i] - middle[i];
        }
        ly_cross3(spec->angular_velocity, arm, spin);
        for (int i = 0; i < 3; ++i) {
            v[at + i] = spec->velocity[i] + spin[i];
        }
    }
    return LYRA_OK;
}

LyraStatus ly_yaml_start(LyYaml *yaml)
{
    LyraScene *scene = yaml->scene;
    LyraStateView view = lyra_state_view(scene->state);
    double *u = lyra_vector_values_mutable(view.u), *v = lyra_vector_values_mutable(view.v);
    for (int32_t b = 0; b < scene->body_count; ++b) {
        LY_TRY(start_body(yaml, &scene->bodies[b], &ly_body_spec(yaml, b)->start, u, v));
    }
    for (int32_t m = 0; m < yaml->motion_count; ++m) {
        hold(yaml, &yaml->motions[m], 0, u, v, NULL);
    }
    return LYRA_OK;
}
