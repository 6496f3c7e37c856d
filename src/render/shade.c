// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// What a pixel sees. A surface of colour c (linear light) with normal n sends to the eye
//     c (KEY k + SKY s + BOUNCE (1 - n . up) / 2 + FILL max(0, n . v)) + highlight ,
// where k and s are what reaches it of the key light and of the sky (light.c), v points to the eye,
// the third term is light thrown back by the ground and the fourth a weak lamp at the camera, so
// that no side is black. The highlight is Blinn's, (n . h)^m with h between v and the key light.

#include "render/view.h"

#include "render/color.h"

#include <math.h>
#include <string.h>

static const double KEY = 0.86, SKY = 0.46, BOUNCE = 0.14, FILL = 0.14;
static const double DOT_COLOR[3] = {0.68, 0.045, 0.02};   // linear light
static const double EDGE_COLOR[3] = {0.01, 0.014, 0.022}; // linear light
static const double NO_VALUE = 0.35;                      // grey where a field is not finite

/// What light falls on.
typedef struct Spot {
    LyraVec3 place, normal, surface; ///< `surface`: normal of the triangle itself.
    double color[3], specular[3], shininess;
} Spot;

static void light_spot(const LyView *view, const Spot *spot, double color[3])
{
    const LyCamera *camera = &view->camera;
    LyraVec3 n = spot->normal;
    LyraVec3 v = lyra_vec3_normalize(lyra_vec3_subtract(camera->eye, spot->place));
    double key, sky;
    ly_lights_gather(&view->lights, spot->place, n, spot->surface, &key, &sky);
    double light = KEY * key + SKY * sky + BOUNCE * (1 - lyra_vec3_dot(n, camera->sky)) / 2 +
                   FILL * fmax(lyra_vec3_dot(n, v), 0);
    LyraVec3 h = lyra_vec3_normalize(lyra_vec3_add(v, view->lights.lights[0].direction));
    double shine =
        key > 0 ? pow(fmax(lyra_vec3_dot(n, h), 0), spot->shininess) * fmin(4 * key, 1) : 0;
    for (int c = 0; c < 3; ++c) {
        color[c] = spot->color[c] * light + spot->specular[c] * shine;
    }
}

// ---- surfaces -----------------------------------------------------------------------------------

static LyraVec3 mix(const LyraVec3 v[3], const double w[3])
{
    LyraVec3 sum = lyra_vec3_scale(v[0], w[0]);
    return lyra_vec3_add_scaled(lyra_vec3_add_scaled(sum, w[1], v[1]), w[2], v[2]);
}

/// Texture coordinates of triangle `t`; false where it has none.
static bool texture_at(const LyViewBody *body, int32_t t, const double w[3], double uv[2])
{
    uv[0] = uv[1] = 0;
    for (int i = 0; i < 3; ++i) {
        int32_t id =
            body->view.corner_texcoords ? body->view.corner_texcoords[3 * (int64_t)t + i] : -1;
        if (id < 0) {
            return false;
        }
        uv[0] += w[i] * body->view.texcoords[2 * (int64_t)id];
        uv[1] += w[i] * body->view.texcoords[2 * (int64_t)id + 1];
    }
    return true;
}

/// Colour by texture; `footprint` is what a step of a pixel in x or y moves in the texture.
static bool paint_texture(const LyPrimitive *primitive, const LyViewBody *body, int32_t material,
                          double x, double y, Spot *spot)
{
    const LyraTextureSet *set = body->def->textures;
    if (!set || material >= set->count || set->textures[material].level_count == 0) {
        return false;
    }
    double uv[3][2];
    for (int i = 0; i < 3; ++i) {
        double w[3];
        ly_raster_weights(&primitive->raster, x + (i == 1), y + (i == 2), w);
        if (!texture_at(body, primitive->index, w, uv[i])) {
            return false;
        }
    }
    double footprint = fmax(hypot(uv[1][0] - uv[0][0], uv[1][1] - uv[0][1]),
                            hypot(uv[2][0] - uv[0][0], uv[2][1] - uv[0][1]));
    ly_texture_sample(&set->textures[material], uv[0][0], uv[0][1], footprint, spot->color);
    return true;
}

static void paint_field(const LyView *view, const LyViewBody *body, int32_t t, const double w[3],
                        double color[3])
{
    double value = 0;
    for (int i = 0; i < 3; ++i) {
        double corner = body->def->field[body->view.corner_vertices[3 * (int64_t)t + i]];
        value += w[i] * corner;
    }
    if (!isfinite(value)) {
        color[0] = color[1] = color[2] = NO_VALUE;
        return;
    }
    double t_map = (value - view->range[0]) / (view->range[1] - view->range[0]);
    ly_color_map_at(view->map, isfinite(t_map) ? t_map : 0.5, color);
}

static void paint_material(const LyView *view, const LyPrimitive *primitive, const LyViewBody *body,
                           const double w[3], double x, double y, Spot *spot)
{
    int32_t material = body->view.face_materials[primitive->index];
    memcpy(spot->color, body->color, sizeof spot->color);
    for (int c = 0; c < 3; ++c) {
        spot->specular[c] = 0.08;
    }
    spot->shininess = 40;
    if (body->def->field) {
        paint_field(view, body, primitive->index, w, spot->color);
        return;
    }
    if (!body->def->materials || material < 0) {
        return;
    }
    const LyraSurfaceMaterial *paint = &body->view.materials[material];
    for (int c = 0; c < 3; ++c) {
        spot->color[c] = ly_color_to_linear(fmin(fmax(paint->diffuse[c], 0), 1));
        spot->specular[c] = 0.5 * fmin(fmax(paint->specular[c], 0), 1);
    }
    spot->shininess = fmin(fmax(paint->shininess, 5), 200);
    paint_texture(primitive, body, material, x, y, spot);
}

/// How much of pixel (x, y) the edges of a triangle cover; those of tiny triangles fade away, so
/// that a fine mesh does not turn black.
static double edge_cover(const LyPrimitive *primitive, uint8_t edges, double width, double x,
                         double y)
{
    double cover = 0, smallest = INFINITY;
    const LyRasterTriangle *raster = &primitive->raster;
    for (int i = 0; i < 3; ++i) {
        const double *e = raster->edge[i];
        double length = hypot(e[0], e[1]), distance = (e[0] * x + e[1] * y + e[2]) / length;
        if (length > 0 && edges >> i & 1) {
            cover = fmax(cover, fmin(width / 2 + 0.5 - distance, 1));
        }
    }
    smallest = fmin(raster->box[2] - raster->box[0], raster->box[3] - raster->box[1]);
    smallest =
        fmax(smallest, fmax(raster->box[2] - raster->box[0], raster->box[3] - raster->box[1]) / 2);
    return cover * fmin(fmax((smallest - 1.5) / 8, 0.12), 1);
}

static void shade_triangle(const LyView *view, const LyPrimitive *primitive, double x, double y,
                           double color[3])
{
    const LyViewBody *body = &view->bodies[primitive->body];
    int32_t t = primitive->index;
    double w[3];
    LyraVec3 p[3], n[3];
    ly_raster_weights(&primitive->raster, x, y, w);
    for (int i = 0; i < 3; ++i) {
        int64_t corner = 3 * (int64_t)t + i;
        p[i] = ly_view_point(body, body->view.corner_vertices[corner]);
        int32_t id = body->view.corner_normals ? body->view.corner_normals[corner] : -1;
        const double *normal = id >= 0 ? body->view.normals + 3 * (int64_t)id : NULL;
        n[i] = normal ? lyra_vec3(normal[0], normal[1], normal[2]) : lyra_vec3(0, 0, 0);
    }
    Spot spot = {.place = mix(p, w)};
    spot.surface = lyra_vec3_normalize(
        lyra_vec3_cross(lyra_vec3_subtract(p[1], p[0]), lyra_vec3_subtract(p[2], p[0])));
    spot.normal = lyra_vec3_normalize(mix(n, w));
    if (body->def->flat || lyra_vec3_length(spot.normal) < 0.5) {
        spot.normal = spot.surface;
    }
    // both sides of a face look alike
    LyraVec3 out = lyra_vec3_subtract(view->camera.eye, spot.place);
    if (lyra_vec3_dot(spot.surface, out) < 0) {
        spot.surface = lyra_vec3_scale(spot.surface, -1);
        spot.normal = lyra_vec3_scale(spot.normal, -1);
    }
    paint_material(view, primitive, body, w, x, y, &spot);
    light_spot(view, &spot, color);
    if (body->def->edges) {
        double width = fmax(1, 1.1 * view->def->height / 900.0);
        double cover = 0.85 * edge_cover(primitive, body->edges[t], width, x, y);
        // dark lines, on dark surfaces light ones
        double light = 0.2126 * color[0] + 0.7152 * color[1] + 0.0722 * color[2];
        double bright = 0.22 * fmax(1 - light / 0.05, 0);
        for (int c = 0; c < 3 && cover > 0; ++c) {
            color[c] += cover * (EDGE_COLOR[c] + bright - color[c]);
        }
    }
}

double ly_view_dot_radius(const LyView *view)
{
    return fmax(2, 5 * fmin(view->def->width, view->def->height) / 900.0);
}

static void shade_dot(const LyView *view, const LyPrimitive *primitive, double x, double y,
                      double color[3])
{
    const LyCamera *camera = &view->camera;
    const double *box = primitive->raster.box;
    double radius = ly_view_dot_radius(view);
    double dx = (x - (box[0] + box[2]) / 2) / radius, dy = ((box[1] + box[3]) / 2 - y) / radius;
    LyraVec3 n = lyra_vec3_scale(camera->forward, -sqrt(fmax(1 - dx * dx - dy * dy, 0.05)));
    n = lyra_vec3_add_scaled(lyra_vec3_add_scaled(n, dx, camera->right), dy, camera->up);
    n = lyra_vec3_normalize(n);
    // a mark, not a thing: it is lit, but lies in no shadow
    double key = fmax(lyra_vec3_dot(n, view->lights.lights[0].direction), 0);
    for (int c = 0; c < 3; ++c) {
        color[c] = DOT_COLOR[c] * (0.45 + 0.75 * key) + 0.25 * pow(key, 24);
    }
}

void ly_shade_primitive(const LyView *view, const LyPrimitive *primitive, double x, double y,
                        double color[3])
{
    if (primitive->dot) {
        shade_dot(view, primitive, x, y, color);
    } else {
        shade_triangle(view, primitive, x, y, color);
    }
}

// ---- behind the bodies --------------------------------------------------------------------------

void ly_shade_background(const LyView *view, double y, double color[3])
{
    double t = y / view->def->height;
    for (int c = 0; c < 3; ++c) {
        double top = view->background[0][c], bottom = view->background[1][c];
        color[c] = ly_color_to_linear(top + t * (bottom - top));
    }
}

/// The ground is the background, darker where it lies in shadow; far away it has none.
void ly_shade_ground(const LyView *view, double x, double y, double color[3])
{
    const LyCamera *camera = &view->camera;
    LyraVec3 ray = ly_camera_ray(camera, x, y);
    double t = (view->ground_height - lyra_vec3_dot(camera->eye, camera->sky)) /
               lyra_vec3_dot(ray, camera->sky);
    LyraVec3 place = lyra_vec3_add_scaled(camera->eye, t, ray);
    ly_shade_background(view, y, color);
    double far = (lyra_vec3_length(place) - 1.2) / 1.3;
    double near = 1 - fmin(fmax(far, 0), 1);
    if (!(near > 0)) {
        return;
    }
    double key, sky, open_key = 0;
    ly_lights_gather(&view->lights, place, camera->sky, camera->sky, &key, &sky);
    for (int32_t i = 0; i < view->lights.count; ++i) {
        const LyLight *light = &view->lights.lights[i];
        open_key += light->key * lyra_vec3_dot(light->direction, camera->sky);
    }
    double lit = 0.45 * key / open_key + 0.55 * fmin(sky, 1);
    double dark = 0.72 * near * near * (3 - 2 * near) * (1 - fmin(lit, 1));
    for (int c = 0; c < 3; ++c) {
        color[c] *= 1 - dark;
    }
}
