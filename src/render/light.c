// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Light comes from a set of fixed directions: some close together, the key light, whose spread
// makes its shadows soft, and some all over the sky, which leave corners and the ground below a
// body dark. Each direction l has a map of heights p . l of the first surface it meets, drawn by
// the same rasteriser as the picture, seen from far away along l. A place is lit from l if it is as
// high as the map there, less what the map's grid cannot tell.
//
// Places are moved off their surface by `LIFT` cells along its normal before they are compared, so
// that a surface does not shade itself. Between cells the answers of four are mixed.

#include "render/view.h"

#include <math.h>

static const double PI = 3.14159265358979323846;

enum { KEY_LIGHTS = 24, SKY_LIGHTS = 96 };
enum { KEY_MAP = 512, SKY_MAP = 256 }; // cells per side
static const double KEY_SPREAD = 0.16; // radius of the key light, rad
static const double LIFT = 1.5;        // cells

// ---- directions ---------------------------------------------------------------------------------

static LyraVec3 combine(LyraVec3 a, double s, LyraVec3 b, double t, LyraVec3 c, double u)
{
    return lyra_vec3_normalize(
        lyra_vec3_add_scaled(lyra_vec3_add_scaled(lyra_vec3_scale(a, s), t, b), u, c));
}

static void add_light(LyLights *lights, LyraVec3 direction, double key, double sky)
{
    LyLight *light = &lights->lights[lights->count++];
    LyraVec3 axis = fabs(direction.x) < 0.6 ? lyra_vec3(1, 0, 0) : lyra_vec3(0, 1, 0);
    light->direction = direction;
    light->side = lyra_vec3_normalize(lyra_vec3_cross(axis, direction));
    light->top = lyra_vec3_cross(direction, light->side);
    light->key = key;
    light->sky = sky;
    light->size = key > 0 ? KEY_MAP : SKY_MAP;
}

/// The key light stands above, to the left and behind the camera; points of both sets follow the
/// golden angle, which spreads them evenly.
static void choose_directions(LyView *view)
{
    const double golden = PI * (3 - sqrt(5));
    const LyCamera *camera = &view->camera;
    LyraVec3 back = lyra_vec3_cross(camera->right, camera->sky);
    LyraVec3 key = combine(camera->sky, 0.9, camera->right, -0.62, back, 0.62);
    LyraVec3 side = combine(camera->right, 1, key, -lyra_vec3_dot(camera->right, key), key, 0);
    LyraVec3 top = lyra_vec3_cross(key, side);
    LyLights *lights = &view->lights;
    int32_t keys = view->def->shadows ? KEY_LIGHTS : 1;
    for (int32_t i = 0; i < keys; ++i) {
        double r = keys > 1 ? KEY_SPREAD * sqrt((i + 0.5) / keys) : 0;
        add_light(lights, combine(key, 1, side, r * cos(golden * i), top, r * sin(golden * i)),
                  1.0 / keys, 0);
    }
    // denser high up, by the cosine from above: the mean of n . l is 2/3 for n = up
    LyraVec3 beside = lyra_vec3_cross(camera->sky, back);
    for (int32_t i = 0; i < SKY_LIGHTS; ++i) {
        double z = sqrt((i + 0.5) / SKY_LIGHTS), r = sqrt(1 - z * z);
        add_light(lights,
                  combine(camera->sky, z, beside, r * cos(golden * i), back, r * sin(golden * i)),
                  0, 1.5 / SKY_LIGHTS);
    }
}

// ---- maps ---------------------------------------------------------------------------------------

static LyraVec3 map_place(const LyLight *light, LyraVec3 p)
{
    const double half = light->size / 2.0;
    return lyra_vec3(half + half * lyra_vec3_dot(p, light->side),
                     half + half * lyra_vec3_dot(p, light->top), 1);
}

typedef struct MapTask {
    LyView *view;
    double *depths; // [workers][KEY_MAP][KEY_MAP]
} MapTask;

static void draw_map(void *data, int32_t index, int32_t worker)
{
    const MapTask *task = data;
    LyView *view = task->view;
    LyLight *light = &view->lights.lights[index];
    const int64_t cells = (int64_t)light->size * light->size;
    double *depth = task->depths + (int64_t)worker * KEY_MAP * KEY_MAP;
    for (int64_t i = 0; i < cells; ++i) {
        depth[i] = -INFINITY;
    }
    LyRasterGrid grid = {.x = 0.5,
                         .y = 0.5,
                         .step = 1,
                         .columns = light->size,
                         .rows = light->size,
                         .depth_max = INFINITY,
                         .depth = depth};
    for (int32_t b = 0; b < view->body_count; ++b) {
        const LyViewBody *body = &view->bodies[b];
        for (int32_t t = 0; t < body->view.face_count; ++t) {
            LyraVec3 v[3];
            int64_t ids[3];
            double heights[3];
            for (int i = 0; i < 3; ++i) {
                int32_t vertex = body->view.corner_vertices[3 * (int64_t)t + i];
                LyraVec3 p = ly_view_point(body, vertex);
                v[i] = map_place(light, p);
                ids[i] = body->first_vertex + vertex;
                heights[i] = lyra_vec3_dot(p, light->direction);
            }
            LyRasterTriangle triangle;
            if (ly_raster_setup(v, ids, 0.5, heights, &triangle)) {
                ly_raster_draw(&triangle, 0, &grid);
            }
        }
    }
    for (int64_t i = 0; i < cells; ++i) {
        light->map[i] = (float)depth[i];
    }
}

LyraStatus ly_lights_make(LyView *view)
{
    int64_t cells = 0;
    LyLights *lights = &view->lights;
    choose_directions(view);
    if (!view->def->shadows || view->primitive_count == 0) {
        return LYRA_OK;
    }
    MapTask task = {.view = view};
    for (int32_t i = 0; i < lights->count; ++i) {
        cells += (int64_t)lights->lights[i].size * lights->lights[i].size;
    }
    LY_TRY(ly_allocate_array(view->ctx, cells, sizeof(float), &lights->maps));
    LY_TRY(ly_allocate_array(view->ctx,
                             lyra_context_thread_count(view->ctx) * (int64_t)KEY_MAP * KEY_MAP,
                             sizeof(double), &task.depths));
    cells = 0;
    for (int32_t i = 0; i < lights->count; ++i) {
        lights->lights[i].map = lights->maps + cells;
        cells += (int64_t)lights->lights[i].size * lights->lights[i].size;
    }
    ly_parallel_for(view->ctx, lights->count, draw_map, &task);
    ly_release(view->ctx, task.depths);
    return LYRA_OK;
}

void ly_lights_release(LyraContext *ctx, LyLights *lights)
{
    ly_release(ctx, lights->maps);
}

// ---- use ----------------------------------------------------------------------------------------

/// Part of the light that reaches a place, [0, 1].
static double reach(const LyLight *light, LyraVec3 place, LyraVec3 surface)
{
    const double cell = 2.0 / light->size, last = light->size - 1;
    if (!light->map) {
        return 1;
    }
    place = lyra_vec3_add_scaled(place, LIFT * cell, surface);
    LyraVec3 at = map_place(light, place);
    double x = at.x - 0.5, y = at.y - 0.5;
    if (!(x >= 0 && y >= 0 && x < last && y < last)) {
        return 1;
    }
    int32_t i = (int32_t)x, j = (int32_t)y;
    double a = x - i, b = y - j, height = lyra_vec3_dot(place, light->direction) + cell;
    const float *low = light->map + (int64_t)j * light->size + i, *high = low + light->size;
    return (1 - b) * ((1 - a) * (low[0] <= height) + a * (low[1] <= height)) +
           b * ((1 - a) * (high[0] <= height) + a * (high[1] <= height));
}

void ly_lights_gather(const LyLights *lights, LyraVec3 place, LyraVec3 normal, LyraVec3 surface,
                      double *key, double *sky)
{
    *key = *sky = 0;
    for (int32_t i = 0; i < lights->count; ++i) {
        const LyLight *light = &lights->lights[i];
        double facing = lyra_vec3_dot(normal, light->direction);
        if (facing > 0) {
            double part = facing * reach(light, place, surface);
            *key += light->key * part;
            *sky += light->sky * part;
        }
    }
}
