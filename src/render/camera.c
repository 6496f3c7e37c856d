// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// A fitted camera has a given direction and stands as near as it can. With r, u, f the coordinates
// of a point along right, up and forward, (a, b, e) those of the eye, and t the tangent of half the
// field of view upward, the point is in sight from above and below if
//     u - b <= t (f - e)   and   b - u <= t (f - e) ,
// that is, with P = max(u - t f) and Q = max(-u - t f) over all points,
//     P <= b - t e   and   Q <= -b - t e .
// Their sum gives e <= -(P + Q) / (2 t), and b = (P - Q) / 2 serves for that e and leaves the same
// room above and below for smaller ones. The same holds sideways; the smaller e of the two counts.

#include "render/camera.h"

#include <math.h>

/// Part of the width and height that a fitted camera leaves empty at each side.
static const double margin = 0.07;

/// Axes of a camera that looks along `forward`, a unit vector, with `sky` up as far as can be.
static void set_axes(LyCamera *camera, LyraVec3 forward, LyraVec3 sky, LyraVec3 spare)
{
    LyraVec3 right = lyra_vec3_cross(forward, sky);
    // looking straight up or down, something else must be up
    if (lyra_vec3_length(right) < 1e-6) {
        right = lyra_vec3_cross(forward, spare);
    }
    camera->forward = forward;
    camera->right = lyra_vec3_normalize(right);
    camera->up = lyra_vec3_cross(camera->right, forward);
    camera->sky = sky;
}

/// Two unit vectors at right angles to `sky`, the azimuths 0 and pi/2: z and x for y, x and y for
/// z.
static void horizon(LyraVec3 sky, LyraVec3 *front, LyraVec3 *beside)
{
    LyraVec3 axis = fabs(sky.z) < 0.9 ? lyra_vec3(0, 0, 1) : lyra_vec3(1, 0, 0);
    axis = lyra_vec3_add_scaled(axis, -lyra_vec3_dot(axis, sky), sky);
    *front = lyra_vec3_normalize(axis);
    *beside = lyra_vec3_cross(sky, *front);
}

static void fit(LyCamera *camera, double tan_x, double tan_y, int64_t count, const double *points)
{
    double x[2] = {-INFINITY, -INFINITY}, y[2] = {-INFINITY, -INFINITY};
    double tx = tan_x * (1 - 2 * margin), ty = tan_y * (1 - 2 * margin), near = INFINITY;
    for (int64_t i = 0; i < count; ++i) {
        LyraVec3 p = lyra_vec3(points[3 * i], points[3 * i + 1], points[3 * i + 2]);
        double r = lyra_vec3_dot(p, camera->right), u = lyra_vec3_dot(p, camera->up);
        double f = lyra_vec3_dot(p, camera->forward);
        x[0] = fmax(x[0], r - tx * f);
        x[1] = fmax(x[1], -r - tx * f);
        y[0] = fmax(y[0], u - ty * f);
        y[1] = fmax(y[1], -u - ty * f);
        near = fmin(near, f);
    }
    double a = 0, b = 0, e = -1 / tan_y;
    if (count > 0) {
        a = (x[0] - x[1]) / 2;
        b = (y[0] - y[1]) / 2;
        e = fmin(-(x[0] + x[1]) / (2 * tx), -(y[0] + y[1]) / (2 * ty));
        // a point alone, and what is flat and seen from its edge, must not touch the eye
        e = fmin(e, near - 0.01);
    }
    camera->eye = lyra_vec3_scale(camera->right, a);
    camera->eye = lyra_vec3_add_scaled(camera->eye, b, camera->up);
    camera->eye = lyra_vec3_add_scaled(camera->eye, e, camera->forward);
}

LyraStatus ly_camera_make(const LyraRenderDef *def, double width, double height, int64_t count,
                          const double *points, LyCamera *camera)
{
    LyraVec3 sky = lyra_vec3_normalize(lyra_vec3(def->up[0], def->up[1], def->up[2]));
    LyraVec3 front, beside, forward;
    if (!(lyra_vec3_length(sky) > 0.5)) {
        return ly_fail(LYRA_INVALID_ARGUMENT, "render: the direction up is zero or not finite");
    }
    horizon(sky, &front, &beside);
    double tan_y = tan(def->field_of_view / 2);
    camera->focal = height / 2 / tan_y;
    camera->center[0] = width / 2;
    camera->center[1] = height / 2;
    if (def->fitted) {
        LyraVec3 level = lyra_vec3_scale(front, cos(def->azimuth));
        level = lyra_vec3_add_scaled(level, sin(def->azimuth), beside);
        LyraVec3 back = lyra_vec3_scale(level, cos(def->elevation));
        back = lyra_vec3_add_scaled(back, sin(def->elevation), sky);
        forward = lyra_vec3_normalize(lyra_vec3_scale(back, -1));
        set_axes(camera, forward, sky, lyra_vec3_scale(level, def->elevation > 0 ? -1 : 1));
        fit(camera, tan_y * width / height, tan_y, count, points);
        return LYRA_OK;
    }
    LyraVec3 eye = lyra_vec3(def->eye[0], def->eye[1], def->eye[2]);
    LyraVec3 target = lyra_vec3(def->target[0], def->target[1], def->target[2]);
    forward = lyra_vec3_normalize(lyra_vec3_subtract(target, eye));
    if (!(lyra_vec3_length(forward) > 0.5)) {
        return ly_fail(LYRA_INVALID_ARGUMENT,
                       "render: the eye stands at its target, or they are not finite");
    }
    set_axes(camera, forward, sky, lyra_vec3_scale(front, -1));
    camera->eye = eye;
    return LYRA_OK;
}
