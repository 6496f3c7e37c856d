// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Joints: ties of a few points. With the place c, the unit axis t, a unit vector n across it and
// the span s,
//
//   ball    c                              holds 3 numbers of a rigid body
//   hinge   c, c + s t                     5: all but the turn about t
//   weld    c, c + s t, c + s n            6
//   slider  c - s t, c + s t, c + s n      5: all but the way along t
//
// Points leave free what others hold already (LyTieFrame), so that nothing is held twice.

#include "math/vec3.h"
#include "world/curve.h"
#include "world/tie_force.h"
#include "world/world.h"

#include <math.h>
#include <string.h>

#define POINTS_MAX 3

LyraJointDef lyra_joint_def_default(void)
{
    return (LyraJointDef){.axis = {0, 0, 1},
                          .span = NAN,
                          .hard = true,
                          .stiffness = NAN,
                          .angle = lyra_curve_constant(0)};
}

static LyraStatus find_span(LyraWorld *world, int32_t body, double *span)
{
    LyBodyPoints points = ly_body_points(world, body);
    double low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY};
    for (int64_t i = 0; i < 3 * (int64_t)points.count; ++i) {
        low[i % 3] = fmin(low[i % 3], points.positions[i]);
        high[i % 3] = fmax(high[i % 3], points.positions[i]);
    }
    double square = 0;
    for (int i = 0; i < 3; ++i) {
        square += (high[i] - low[i]) * (high[i] - low[i]);
    }
    *span = 0.25 * sqrt(square);
    return *span > 0 && isfinite(*span)
               ? LYRA_OK
               : ly_fail_key(LYRA_BAD_FORMAT, "span",
                             "found none of body \"%.60s\", which is a point, expected it",
                             world->views[body].name);
}

// a unit vector across t
static void find_across(const double t[3], double n[3])
{
    int least = fabs(t[0]) <= fabs(t[1]) && fabs(t[0]) <= fabs(t[2]) ? 0
                : fabs(t[1]) <= fabs(t[2])                           ? 1
                                                                     : 2;
    double e[3] = {least == 0, least == 1, least == 2};
    ly_cross3(t, e, n);
    double length = ly_length3(n);
    for (int i = 0; i < 3; ++i) {
        n[i] /= length;
    }
}

static LyraStatus check(const LyraJointDef *def)
{
    bool turned = !ly_curve_is_zero(&def->angle);
    if (turned && (def->to || def->kind != LYRA_JOINT_WELD)) {
        return ly_fail_key(LYRA_BAD_FORMAT, "angle",
                           "found it of a joint that is no weld to the world, expected it there "
                           "alone");
    }
    if (def->hard && def->damping != 0) {
        return ly_fail_key(LYRA_BAD_FORMAT, "damping",
                           "found it of a hard joint, expected hard: false with it");
    }
    return ly_check_direction("axis", def->axis);
}

LyraStatus lyra_world_add_joint(LyraWorld *world, const LyraJointDef *def, int32_t *index)
{
    LYRA_ASSERT(world && def);
    LyraJointDef own;
    LyraTiePoint points[POINTS_MAX];
    LyraTieDef tie = lyra_tie_def_default();
    int32_t body;
    double t[3], n[3];
    LY_TRY(ly_world_check_open(world, "a joint"));
    LY_TRY(ly_keys_copy(world->arena, &ly_joint_keys, def, &own));
    LY_TRY(check(&own));
    LY_TRY(ly_find_body(world, "body", own.body, &body));
    LY_TRY(isnan(own.span) ? find_span(world, body, &own.span) : LYRA_OK);
    double length = ly_length3(own.axis);
    for (int i = 0; i < 3; ++i) {
        t[i] = own.axis[i] / length;
    }
    find_across(t, n);
    // offsets along t and n of each point, in spans
    static const double offsets[LYRA_JOINT_KIND_COUNT][POINTS_MAX][2] = {
        [LYRA_JOINT_HINGE] = {{0, 0}, {1, 0}},
        [LYRA_JOINT_SLIDER] = {{-1, 0}, {1, 0}, {0, 1}},
        [LYRA_JOINT_WELD] = {{0, 0}, {1, 0}, {0, 1}}};
    static const int32_t counts[LYRA_JOINT_KIND_COUNT] = {1, 2, 3, 3};
    static const LyTieFrame frames[LYRA_JOINT_KIND_COUNT] = {[LYRA_JOINT_HINGE] = LY_FRAME_HINGE,
                                                             [LYRA_JOINT_SLIDER] = LY_FRAME_SLIDER,
                                                             [LYRA_JOINT_WELD] = LY_FRAME_WELD};
    memset(points, 0, sizeof points);
    for (int32_t p = 0; p < counts[own.kind]; ++p) {
        for (int i = 0; i < 3; ++i) {
            points[p].at[i] = own.at[i] + own.span * (offsets[own.kind][p][0] * t[i] +
                                                      offsets[own.kind][p][1] * n[i]);
        }
    }
    tie.name = own.name;
    tie.body = own.body;
    tie.to = own.to;
    tie.points = points;
    tie.point_count = counts[own.kind];
    tie.hard = own.hard;
    tie.stiffness = own.stiffness;
    tie.damping = own.damping;
    memcpy(tie.rotation.axis, own.axis, sizeof tie.rotation.axis);
    memcpy(tie.rotation.center, own.at, sizeof tie.rotation.center);
    tie.rotation.angle = own.angle;
    return ly_world_add_framed_tie(world, &tie, frames[own.kind], index);
}
