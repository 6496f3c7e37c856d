// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Where the picture is taken from. Bodies are shown in coordinates of the view: moved and scaled so
// that they lie within the unit ball around the origin; see render.c.

#ifndef LY_RENDER_CAMERA_H
#define LY_RENDER_CAMERA_H

#include "base/base.h"
#include "lyra/math3.h"
#include "lyra/picture.h"

typedef struct LyCamera {
    LyraVec3 eye;
    LyraVec3 right, up, forward; ///< Orthonormal; `up` is up in the picture.
    LyraVec3 sky;                ///< The unit vector that is up in the world.
    double focal;                ///< Pixels per unit at distance 1.
    double center[2];            ///< Pixel that `forward` points at.
} LyCamera;

/// Places what is nearer to the eye than this is not shown.
#define LY_CAMERA_NEAR 1e-3

/// Camera of a def whose eye and target are in coordinates of the view, for a picture whose bodies
/// may cover [0, width) x [0, height); a fitted one shows all of `points` [count][3].
LyraStatus ly_camera_make(const LyraRenderDef *def, double width, double height, int64_t count,
                          const double *points, LyCamera *camera);

/// Homogeneous pixel (x w, y w, w) of a point; w is the distance along `forward`.
static inline LyraVec3 ly_camera_project(const LyCamera *camera, LyraVec3 point)
{
    LyraVec3 d = lyra_vec3_subtract(point, camera->eye);
    double w = lyra_vec3_dot(d, camera->forward);
    return lyra_vec3(camera->focal * lyra_vec3_dot(d, camera->right) + camera->center[0] * w,
                     -camera->focal * lyra_vec3_dot(d, camera->up) + camera->center[1] * w, w);
}

/// Direction, not of unit length, in which pixel (x, y) looks.
static inline LyraVec3 ly_camera_ray(const LyCamera *camera, double x, double y)
{
    LyraVec3 ray = lyra_vec3_scale(camera->forward, camera->focal);
    ray = lyra_vec3_add_scaled(ray, x - camera->center[0], camera->right);
    return lyra_vec3_add_scaled(ray, camera->center[1] - y, camera->up);
}

#endif
