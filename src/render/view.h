// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// A picture while it is made: the bodies in coordinates of the view, lights, and what is seen
// where.

#ifndef LY_RENDER_VIEW_H
#define LY_RENDER_VIEW_H

#include "base/base.h"
#include "lyra/surface.h"
#include "render/camera.h"
#include "render/raster.h"
#include "render/texture.h"

// ---- bodies -------------------------------------------------------------------------------------

typedef struct LyViewBody {
    const LyraRenderBody *def;
    LyraSurface *surface; ///< Triangles at their places, with normals of corners unless flat.
    LyraSurfaceView view; ///< Of `surface`.
    double *positions;    ///< In coordinates of the view, [vertex_count][3].
    uint8_t *edges;       ///< Bit i: edge i of a triangle is one of its face, [triangles].
    int64_t first_vertex; ///< Ids of vertices over all bodies.
    double color[3];      ///< Linear light.
} LyViewBody;

/// What a sample may see: a triangle of a body, or a dot on one of its vertices.
typedef struct LyPrimitive {
    LyRasterTriangle raster; ///< Of a dot only the box is used, and depth[2].
    int32_t body, index;     ///< Triangle of the body, or vertex of a dot.
    bool dot;
} LyPrimitive;

// ---- lights -------------------------------------------------------------------------------------

/// Light from one direction, and how far it reaches: the height along `direction` of what it meets
/// first, on a grid over the unit ball.
typedef struct LyLight {
    LyraVec3 direction; ///< To the light, unit length.
    LyraVec3 side, top; ///< Axes of the map.
    double key, sky;    ///< Part of the key light and of the sky that comes from here.
    int32_t size;       ///< Cells per side of the map.
    float *map;         ///< [size][size]. Nullable: it shines through everything.
} LyLight;

#define LY_LIGHTS_MAX 128

typedef struct LyLights {
    int32_t count;
    LyLight lights[LY_LIGHTS_MAX];
    float *maps; // of all lights
} LyLights;

typedef struct LyView {
    LyraContext *ctx;
    const LyraRenderDef *def;
    int32_t body_count;
    LyViewBody *bodies;
    int64_t vertex_count;
    double *points;  ///< Positions of all bodies, [vertex_count][3].
    LyraVec3 center; ///< Of the view in the world, m.
    double radius;   ///< Of the view in the world, m.
    LyCamera camera;
    bool ground;            ///< Whether one is seen.
    double ground_height;   ///< Along camera.sky, in coordinates of the view.
    double ground_depth[3]; ///< Plane of 1/w of the ground.
    int32_t primitive_count;
    LyPrimitive *primitives;
    LyLights lights;
    double range[2]; ///< Of the fields.
    bool has_field;
    double map[LYRA_COLOR_MAP_SIZE][3]; ///< Linear light.
    double background[2][3];            ///< sRGB.
} LyView;

static inline LyraVec3 ly_view_point(const LyViewBody *body, int32_t vertex)
{
    const double *p = body->positions + 3 * (int64_t)vertex;
    return lyra_vec3(p[0], p[1], p[2]);
}

/// Chooses the directions of the lights and, with shadows, draws their maps.
LyraStatus ly_lights_make(LyView *view);
void ly_lights_release(LyraContext *ctx, LyLights *lights);

/// Light that falls on a place with a normal: from the key light and from the sky, each 1 in the
/// open when facing it. `surface` is the normal of the triangle itself.
void ly_lights_gather(const LyLights *lights, LyraVec3 place, LyraVec3 normal, LyraVec3 surface,
                      double *key, double *sky);

/// Linear light of a primitive at pixel (x, y).
void ly_shade_primitive(const LyView *view, const LyPrimitive *primitive, double x, double y,
                        double color[3]);

/// Linear light of the background, and of the ground in front of it.
void ly_shade_background(const LyView *view, double y, double color[3]);
void ly_shade_ground(const LyView *view, double x, double y, double color[3]);

/// Radius of a dot, pixels.
double ly_view_dot_radius(const LyView *view);

// ---- legend -------------------------------------------------------------------------------------

/// Width that the scale takes at the right of the picture, pixels; 0 without one.
double ly_legend_width(const LyraRenderDef *def, const double range[2]);

/// Draws title and, if there is a field, the scale.
LyraStatus ly_legend_draw(const LyView *view, LyraPicture *picture);

#endif
