// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// From bodies to a picture.
//
//   1. Bodies are put in place, cut into triangles, and given normals.
//   2. Everything is moved and scaled into the unit ball, the coordinates of the view, so that no
//      size matters later on; the camera is fitted.
//   3. Triangles and dots are projected (raster.c) and sorted into the tiles that they touch.
//   4. Lights get their maps (light.c).
//   5. Each tile finds what each of its samples sees; samples of a pixel that see the same triangle
//      are shaded (shade.c) once, at their middle, and weighted by their number.
//   6. Title and scale are drawn on top (legend.c).
//
// Step 3 runs in the order of the triangles, lights and tiles are each one piece of work that
// writes its own place: the picture has the same bits at any thread count.

#include "render/view.h"

#include "render/color.h"
#include "render/ticks.h"

#include <math.h>
#include <string.h>

enum { TILE = 32, SAMPLES_MAX = 8, SEES_NOTHING = -1, SEES_GROUND = -2 };

static const double PI = 3.14159265358979323846;

/// Beyond this magnitude products of coordinates could leave the range of doubles.
static const double POSITION_MAX = 1e50;

LyraRenderBody lyra_render_body_default(void)
{
    return (LyraRenderBody){
        .color = {0.42, 0.58, 0.75},
        .materials = true,
        .crease_angle = 1,
        .cookie = LY_DEF_COOKIE,
    };
}

LyraRenderDef lyra_render_def_default(void)
{
    return (LyraRenderDef){
        .width = 1200,
        .height = 900,
        .samples = 4,
        .fitted = true,
        .azimuth = 0.6,
        .elevation = 0.35,
        .field_of_view = 0.5,
        .up = {0, 1, 0},
        .eye = {0, 0, 1},
        .background = {{0.90, 0.925, 0.95}, {0.985, 0.985, 0.98}},
        .shadows = true,
        .ground = true,
        .ground_height = NAN,
        .field_range = {NAN, NAN},
        .legend = true,
        .cookie = LY_DEF_COOKIE,
    };
}

// ---- settings -----------------------------------------------------------------------------------

static bool all_finite(int32_t count, const double *values)
{
    for (int32_t i = 0; i < count; ++i) {
        if (!isfinite(values[i])) {
            return false;
        }
    }
    return true;
}

static LyraStatus check_def(const LyraRenderDef *def)
{
    LY_TRY(ly_picture_check_size("render", def->width, def->height));
    if (def->samples < 1 || def->samples > SAMPLES_MAX) {
        return ly_fail(LYRA_INVALID_ARGUMENT, "render: samples is %d, expected 1 to %d",
                       def->samples, (int)SAMPLES_MAX);
    }
    if (!(def->field_of_view > 0 && def->field_of_view < 3) ||
        !(fabs(def->elevation) <= PI / 2 + 1e-9) || !isfinite(def->azimuth)) {
        return ly_fail(
            LYRA_INVALID_ARGUMENT,
            "render: the field of view is %g, the elevation %g, the azimuth %g; expected "
            "(0, 3), [-pi/2, pi/2] and a finite number",
            def->field_of_view, def->elevation, def->azimuth);
    }
    if (!all_finite(3, def->up) || !all_finite(3, def->eye) || !all_finite(3, def->target) ||
        !all_finite(6, def->background[0]) || isinf(def->ground_height) ||
        isinf(def->field_range[0]) || isinf(def->field_range[1])) {
        return ly_fail(LYRA_INVALID_ARGUMENT,
                       "render: a number of the settings is infinite or NaN");
    }
    if (def->field_range[0] >= def->field_range[1]) {
        return ly_fail(LYRA_INVALID_ARGUMENT, "render: the range of the field is %g to %g",
                       def->field_range[0], def->field_range[1]);
    }
    if ((uint32_t)def->color_map >= LYRA_COLOR_MAP_COUNT) {
        return ly_fail(LYRA_INVALID_ARGUMENT, "render: %d is no colour map", (int)def->color_map);
    }
    return LYRA_OK;
}

static LyraStatus check_body(int32_t index, const LyraRenderBody *body)
{
    LyraSurfaceView view = lyra_surface_view(body->surface);
    if (!all_finite(3, body->color) || !(body->crease_angle >= 0 && body->crease_angle <= 3.15)) {
        return ly_fail(
            LYRA_INVALID_ARGUMENT,
            "render: body %d: the colour is not finite, or the crease angle %g is not in "
            "[0, pi]",
            index, body->crease_angle);
    }
    for (int32_t i = 0; i < body->dot_count; ++i) {
        if (body->dots[i] < 0 || body->dots[i] >= view.vertex_count) {
            return ly_fail(LYRA_INVALID_ARGUMENT,
                           "render: body %d: dot %d is on vertex %d, and there are %d", index, i,
                           body->dots[i], view.vertex_count);
        }
    }
    const double *positions = body->positions ? body->positions : view.positions;
    for (int64_t i = 0; i < 3 * (int64_t)view.vertex_count; ++i) {
        if (!(fabs(positions[i]) < POSITION_MAX)) {
            return ly_fail(LYRA_NOT_FINITE,
                           "render: body %d: vertex %lld is at %g, expected less than 1e50", index,
                           (long long)(i / 3), positions[i]);
        }
    }
    return LYRA_OK;
}

// ---- bodies -------------------------------------------------------------------------------------

/// Which edges of the triangles belong to the faces that they were cut from.
static LyraStatus mark_edges(LyraContext *ctx, const LyraSurfaceView *faces, LyViewBody *body)
{
    int32_t *place = NULL; // of a vertex in the face at hand
    LY_TRY(ly_allocate_zeroed(ctx, body->view.face_count, 1, (void *)&body->edges));
    LY_TRY(ly_allocate_zeroed(ctx, faces->vertex_count, sizeof *place, &place));
    for (int32_t f = 0; f < faces->face_count; ++f) {
        int32_t begin = faces->face_begin[f], count = faces->face_begin[f + 1] - begin;
        for (int32_t i = 0; i < count; ++i) {
            place[faces->corner_vertices[begin + i]] = i;
        }
        for (int64_t t = begin - 2 * (int64_t)f; t < begin - 2 * (int64_t)f + count - 2; ++t) {
            for (int i = 0; i < 3; ++i) {
                int32_t a = place[body->view.corner_vertices[3 * t + (i + 1) % 3]];
                int32_t b = place[body->view.corner_vertices[3 * t + (i + 2) % 3]];
                int32_t apart = a > b ? a - b : b - a;
                body->edges[t] |= (uint8_t)((apart == 1 || apart == count - 1) << i);
            }
        }
    }
    ly_release(ctx, place);
    return LYRA_OK;
}

static LyraStatus place_body(LyraContext *ctx, const LyraRenderBody *def, LyViewBody *body)
{
    LyraSurfaceView view = lyra_surface_view(def->surface);
    LyraSurface *placed = NULL, *triangles = NULL;
    LyraStatus status = LYRA_OK;
    body->def = def;
    for (int c = 0; c < 3; ++c) {
        body->color[c] = ly_color_to_linear(fmin(fmax(def->color[c], 0), 1));
    }
    view.positions = def->positions ? def->positions : view.positions;
    LY_TRY_DONE(lyra_surface_create(ctx, &view, &placed));
    LY_TRY_DONE(lyra_surface_triangulate(placed, &triangles));
    if (def->flat) {
        body->surface = triangles;
        triangles = NULL;
    } else {
        LY_TRY_DONE(lyra_surface_split_normals(triangles, def->crease_angle,
                                               LYRA_NORMAL_WEIGHT_ANGLE, &body->surface));
    }
    body->view = lyra_surface_view(body->surface);
    if (def->edges) {
        LY_TRY_DONE(mark_edges(ctx, &view, body));
    }
done:
    lyra_surface_destroy(placed);
    lyra_surface_destroy(triangles);
    return status;
}

/// Calls for vertices that are seen: those of triangles and dots.
static void mark_used(const LyViewBody *body, uint8_t *used)
{
    for (int64_t i = 0; i < body->view.corner_count; ++i) {
        used[body->view.corner_vertices[i]] = 1;
    }
    for (int32_t i = 0; i < body->def->dot_count; ++i) {
        used[body->def->dots[i]] = 1;
    }
}

/// Middle and radius of all that is seen, and the bodies' coordinates in the unit ball.
static LyraStatus place_view(LyView *view)
{
    double low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY};
    int64_t total = 0;
    for (int32_t b = 0; b < view->body_count; ++b) {
        view->bodies[b].first_vertex = total;
        total += view->bodies[b].view.vertex_count;
    }
    uint8_t *used = NULL;
    LyraStatus status = LYRA_OK;
    LY_TRY(ly_allocate_zeroed(view->ctx, total, 1, (void *)&used));
    LY_TRY_DONE(ly_allocate_array(view->ctx, 3 * total, sizeof(double), &view->points));
    for (int32_t b = 0; b < view->body_count; ++b) {
        const LyViewBody *body = &view->bodies[b];
        mark_used(body, used + body->first_vertex);
        for (int64_t i = 0; i < 3 * (int64_t)body->view.vertex_count; ++i) {
            if (used[body->first_vertex + i / 3]) {
                low[i % 3] = fmin(low[i % 3], body->view.positions[i]);
                high[i % 3] = fmax(high[i % 3], body->view.positions[i]);
            }
        }
    }
    if (low[0] <= high[0]) {
        view->center =
            lyra_vec3((low[0] + high[0]) / 2, (low[1] + high[1]) / 2, (low[2] + high[2]) / 2);
        view->radius = hypot(hypot(high[0] - low[0], high[1] - low[1]), high[2] - low[2]) / 2;
    }
    view->radius = view->radius > 1e-50 ? view->radius : 1;
    const double center[3] = {view->center.x, view->center.y, view->center.z};
    for (int32_t b = 0; b < view->body_count; ++b) {
        LyViewBody *body = &view->bodies[b];
        int64_t count = 3 * (int64_t)body->view.vertex_count;
        LY_TRY_DONE(ly_allocate_array(view->ctx, count, sizeof(double), &body->positions));
        for (int64_t i = 0; i < count; ++i) {
            body->positions[i] = (body->view.positions[i] - center[i % 3]) / view->radius;
        }
        for (int32_t v = 0; v < body->view.vertex_count; ++v) {
            if (used[body->first_vertex + v]) {
                memcpy(view->points + 3 * view->vertex_count++, body->positions + 3 * (int64_t)v,
                       3 * sizeof(double));
            }
        }
    }
done:
    ly_release(view->ctx, used);
    return status;
}

// ---- fields -------------------------------------------------------------------------------------

static void find_range(LyView *view)
{
    double *range = view->range;
    range[0] = INFINITY;
    range[1] = -INFINITY;
    for (int32_t b = 0; b < view->body_count; ++b) {
        const LyViewBody *body = &view->bodies[b];
        view->has_field |= body->def->field != NULL;
        for (int64_t i = 0; i < body->view.corner_count && body->def->field; ++i) {
            double value = body->def->field[body->view.corner_vertices[i]];
            if (isfinite(value)) {
                range[0] = fmin(range[0], value);
                range[1] = fmax(range[1], value);
            }
        }
    }
    // the middle of a diverging map is zero where the numbers have both signs
    if (view->def->color_map == LYRA_COLOR_MAP_DIVERGING && range[0] < 0 && range[1] > 0) {
        range[1] = fmax(-range[0], range[1]);
        range[0] = -range[1];
    }
    for (int i = 0; i < 2; ++i) {
        range[i] = isnan(view->def->field_range[i]) ? range[i] : view->def->field_range[i];
    }
    ly_ticks_widen(range, false);
    lyra_color_map_table(view->def->color_map, view->map);
    for (int k = 0; k < LYRA_COLOR_MAP_SIZE; ++k) {
        for (int c = 0; c < 3; ++c) {
            view->map[k][c] = ly_color_to_linear(view->map[k][c]);
        }
    }
}

// ---- camera and ground --------------------------------------------------------------------------

static LyraStatus place_camera(LyView *view)
{
    LyraRenderDef def = *view->def;
    const double center[3] = {view->center.x, view->center.y, view->center.z};
    for (int i = 0; i < 3; ++i) {
        def.eye[i] = (def.eye[i] - center[i]) / view->radius;
        def.target[i] = (def.target[i] - center[i]) / view->radius;
    }
    double taken = view->has_field ? ly_legend_width(view->def, view->range) : 0;
    // the scale stands in an empty margin already: a part of it may be used
    return ly_camera_make(&def, def.width - 0.8 * taken, def.height, view->vertex_count,
                          view->points, &view->camera);
}

static void place_ground(LyView *view)
{
    const LyCamera *camera = &view->camera;
    double height = INFINITY;
    for (int64_t i = 0; i < view->vertex_count; ++i) {
        const double *p = view->points + 3 * i;
        height = fmin(height, lyra_vec3_dot(lyra_vec3(p[0], p[1], p[2]), camera->sky));
    }
    height -= 1e-3;
    if (!isnan(view->def->ground_height)) {
        height =
            (view->def->ground_height - lyra_vec3_dot(view->center, camera->sky)) / view->radius;
    }
    double below = height - lyra_vec3_dot(camera->eye, camera->sky);
    view->ground = view->def->ground && view->def->shadows && below < -1e-9 && isfinite(below);
    if (!view->ground) {
        return;
    }
    // 1/w = ray . sky / (focal below), with the ray of a pixel linear in x and y
    double k = 1 / (camera->focal * below);
    double right = lyra_vec3_dot(camera->right, camera->sky);
    double up = lyra_vec3_dot(camera->up, camera->sky);
    view->ground_height = height;
    view->ground_depth[0] = k * right;
    view->ground_depth[1] = -k * up;
    view->ground_depth[2] = k * (camera->focal * lyra_vec3_dot(camera->forward, camera->sky) -
                                 camera->center[0] * right + camera->center[1] * up);
}

// ---- primitives ---------------------------------------------------------------------------------

static bool in_picture(const LyView *view, const double box[4])
{
    return box[0] < view->def->width && box[1] < view->def->height && box[2] > 0 && box[3] > 0;
}

static void add_triangles(LyView *view, int32_t b)
{
    const LyViewBody *body = &view->bodies[b];
    for (int32_t t = 0; t < body->view.face_count; ++t) {
        LyPrimitive *primitive = &view->primitives[view->primitive_count];
        LyraVec3 v[3];
        int64_t ids[3];
        for (int i = 0; i < 3; ++i) {
            int32_t vertex = body->view.corner_vertices[3 * (int64_t)t + i];
            v[i] = ly_camera_project(&view->camera, ly_view_point(body, vertex));
            ids[i] = body->first_vertex + vertex;
        }
        if (ly_raster_setup(v, ids, LY_CAMERA_NEAR, NULL, &primitive->raster) &&
            in_picture(view, primitive->raster.box)) {
            primitive->body = b;
            primitive->index = t;
            primitive->dot = false;
            ++view->primitive_count;
        }
    }
}

static void add_dots(LyView *view, int32_t b)
{
    const LyViewBody *body = &view->bodies[b];
    double radius = ly_view_dot_radius(view);
    for (int32_t i = 0; i < body->def->dot_count; ++i) {
        LyPrimitive *primitive = &view->primitives[view->primitive_count];
        LyraVec3 v = ly_camera_project(&view->camera, ly_view_point(body, body->def->dots[i]));
        if (v.z < LY_CAMERA_NEAR) {
            continue;
        }
        double *box = primitive->raster.box, x = v.x / v.z, y = v.y / v.z;
        box[0] = x - radius;
        box[1] = y - radius;
        box[2] = x + radius;
        box[3] = y + radius;
        // in front of the surface that it lies on, by its own size
        double front = fmax(v.z - 2 * radius * v.z / view->camera.focal, LY_CAMERA_NEAR);
        primitive->raster.depth[2] = 1 / front;
        primitive->body = b;
        primitive->index = body->def->dots[i];
        primitive->dot = true;
        view->primitive_count += in_picture(view, box);
    }
}

static LyraStatus add_primitives(LyView *view)
{
    int64_t count = 0;
    for (int32_t b = 0; b < view->body_count; ++b) {
        count += view->bodies[b].view.face_count;
        count += view->bodies[b].def->dot_count;
    }
    if (count > INT32_MAX) {
        return ly_fail(LYRA_TOO_LARGE, "render: %lld triangles and dots are too many",
                       (long long)count);
    }
    LY_TRY(ly_allocate_array(view->ctx, count + 1, sizeof *view->primitives, &view->primitives));
    for (int32_t b = 0; b < view->body_count; ++b) {
        add_triangles(view, b);
        add_dots(view, b);
    }
    return LYRA_OK;
}

// ---- tiles --------------------------------------------------------------------------------------

typedef struct Tiles {
    const LyView *view;
    LyraPicture *picture;
    int32_t columns, rows;
    int64_t *start;   // [tiles + 1]
    int32_t *members; // primitives of each tile, ascending
    double *depths;   // [workers][samples of a tile]
    int32_t *ids;     // [workers][samples of a tile]
} Tiles;

/// Tiles that a box touches: [low, high).
static void tile_range(const Tiles *tiles, const double box[4], int32_t range[4])
{
    int32_t size[2] = {tiles->columns, tiles->rows};
    for (int i = 0; i < 2; ++i) {
        range[i] = (int32_t)fmax(floor((box[i] - 1) / TILE), 0);
        range[i + 2] = (int32_t)fmin(floor((box[i + 2] + 1) / TILE) + 1, size[i]);
    }
}

static LyraStatus fill_tiles(Tiles *tiles)
{
    const LyView *view = tiles->view;
    int64_t count = (int64_t)tiles->columns * tiles->rows;
    LY_TRY(ly_allocate_zeroed(view->ctx, count + 2, sizeof(int64_t), &tiles->start));
    // twice: count, then fill
    for (int pass = 0; pass < 2; ++pass) {
        for (int32_t p = 0; p < view->primitive_count; ++p) {
            int32_t range[4];
            tile_range(tiles, view->primitives[p].raster.box, range);
            for (int32_t y = range[1]; y < range[3]; ++y) {
                for (int32_t x = range[0]; x < range[2]; ++x) {
                    // after the first pass shifted by one more, so that filling ends at the next
                    int64_t *at = &tiles->start[(int64_t)y * tiles->columns + x + (pass ? 1 : 2)];
                    if (pass) {
                        tiles->members[*at] = p;
                    }
                    ++*at;
                }
            }
        }
        if (pass == 0) {
            for (int64_t i = 1; i <= count + 1; ++i) {
                tiles->start[i] += tiles->start[i - 1];
            }
            LY_TRY(ly_allocate_array(view->ctx, tiles->start[count + 1], sizeof(int32_t),
                                     &tiles->members));
        }
    }
    return LYRA_OK;
}

static void draw_dot(const LyPrimitive *primitive, int32_t id, const LyRasterGrid *grid)
{
    int32_t range[4];
    const double *box = primitive->raster.box;
    double x = (box[0] + box[2]) / 2, y = (box[1] + box[3]) / 2, radius = (box[2] - box[0]) / 2;
    double near = primitive->raster.depth[2];
    if (!ly_raster_range(grid, box, range)) {
        return;
    }
    for (int32_t j = range[1]; j < range[3]; ++j) {
        for (int32_t i = range[0]; i < range[2]; ++i) {
            int64_t at = (int64_t)j * grid->columns + i;
            double dx = grid->x + i * grid->step - x, dy = grid->y + j * grid->step - y;
            if (dx * dx + dy * dy <= radius * radius && near > grid->depth[at]) {
                grid->depth[at] = near;
                grid->ids[at] = id;
            }
        }
    }
}

/// Nothing, or the ground, at every sample.
static void clear_grid(const LyView *view, const LyRasterGrid *grid)
{
    const double *d = view->ground_depth;
    for (int32_t j = 0; j < grid->rows; ++j) {
        for (int32_t i = 0; i < grid->columns; ++i) {
            int64_t at = (int64_t)j * grid->columns + i;
            double x = grid->x + i * grid->step, y = grid->y + j * grid->step;
            double near = view->ground ? d[0] * x + d[1] * y + d[2] : 0;
            bool seen = near > 0 && near <= grid->depth_max;
            grid->depth[at] = seen ? near : 0;
            grid->ids[at] = seen ? SEES_GROUND : SEES_NOTHING;
        }
    }
}

/// Light of one pixel, whose samples start at `ids` in a grid.
static void resolve_pixel(const LyView *view, const LyRasterGrid *grid, int32_t column, int32_t row,
                          double color[3])
{
    int32_t s = view->def->samples, total = s * s, done = 0;
    bool seen[SAMPLES_MAX * SAMPLES_MAX] = {false};
    const int32_t *ids = grid->ids + (int64_t)row * s * grid->columns + (int64_t)column * s;
    color[0] = color[1] = color[2] = 0;
    for (int32_t first = 0; first < total && done < total; ++first) {
        if (seen[first]) {
            continue;
        }
        int32_t id = ids[(int64_t)(first / s) * grid->columns + first % s], count = 0;
        double x = 0, y = 0;
        for (int32_t k = first; k < total; ++k) {
            if (ids[(int64_t)(k / s) * grid->columns + k % s] == id) {
                seen[k] = true;
                ++count;
                x += grid->x + (column * s + k % s) * grid->step;
                y += grid->y + (row * s + k / s) * grid->step;
            }
        }
        double part[3];
        if (id == SEES_NOTHING) {
            ly_shade_background(view, y / count, part);
        } else if (id == SEES_GROUND) {
            ly_shade_ground(view, x / count, y / count, part);
        } else {
            ly_shade_primitive(view, &view->primitives[id], x / count, y / count, part);
        }
        for (int c = 0; c < 3; ++c) {
            color[c] += fmin(part[c], 1) * count / total;
        }
        done += count;
    }
}

static void draw_tile(void *data, int32_t index, int32_t worker)
{
    const Tiles *tiles = data;
    const LyView *view = tiles->view;
    int32_t s = view->def->samples, side = TILE * s;
    int32_t left = index % tiles->columns * TILE, top = index / tiles->columns * TILE;
    int32_t width = (int32_t)ly_min_i64(TILE, view->def->width - left);
    int32_t height = (int32_t)ly_min_i64(TILE, view->def->height - top);
    LyRasterGrid grid = {
        .x = left + 0.5 / s,
        .y = top + 0.5 / s,
        .step = 1.0 / s,
        .columns = width * s,
        .rows = height * s,
        .depth_max = 1 / LY_CAMERA_NEAR,
        .depth = tiles->depths + (int64_t)worker * side * side,
        .ids = tiles->ids + (int64_t)worker * side * side,
    };
    clear_grid(view, &grid);
    for (int64_t i = tiles->start[index]; i < tiles->start[index + 1]; ++i) {
        const LyPrimitive *primitive = &view->primitives[tiles->members[i]];
        if (primitive->dot) {
            draw_dot(primitive, tiles->members[i], &grid);
        } else {
            ly_raster_draw(&primitive->raster, tiles->members[i], &grid);
        }
    }
    for (int32_t y = 0; y < height; ++y) {
        for (int32_t x = 0; x < width; ++x) {
            uint8_t *pixel =
                tiles->picture->pixels + 4 * ((int64_t)(top + y) * view->def->width + left + x);
            double color[3];
            resolve_pixel(view, &grid, x, y, color);
            for (int c = 0; c < 3; ++c) {
                pixel[c] = ly_color_byte(ly_color_from_linear(color[c]));
            }
            pixel[3] = 255;
        }
    }
}

static LyraStatus draw_tiles(LyView *view, LyraPicture *picture)
{
    Tiles tiles = {
        .view = view,
        .picture = picture,
        .columns = (view->def->width + TILE - 1) / TILE,
        .rows = (view->def->height + TILE - 1) / TILE,
    };
    int64_t side = (int64_t)TILE * view->def->samples;
    int64_t samples = side * side * lyra_context_thread_count(view->ctx);
    LyraStatus status = LYRA_OK;
    LY_TRY_DONE(fill_tiles(&tiles));
    LY_TRY_DONE(ly_allocate_array(view->ctx, samples, sizeof(double), &tiles.depths));
    LY_TRY_DONE(ly_allocate_array(view->ctx, samples, sizeof(int32_t), &tiles.ids));
    ly_parallel_for(view->ctx, tiles.columns * tiles.rows, draw_tile, &tiles);
done:
    ly_release(view->ctx, tiles.start);
    ly_release(view->ctx, tiles.members);
    ly_release(view->ctx, tiles.depths);
    ly_release(view->ctx, tiles.ids);
    return status;
}

// ---- all ----------------------------------------------------------------------------------------

static LyraStatus draw_view(LyView *view, const LyraRenderBody *bodies, LyraPicture **out)
{
    LY_TRY(ly_allocate_zeroed(view->ctx, view->body_count, sizeof *view->bodies, &view->bodies));
    for (int32_t b = 0; b < view->body_count; ++b) {
        LY_TRY(check_body(b, &bodies[b]));
        LY_TRY(place_body(view->ctx, &bodies[b], &view->bodies[b]));
    }
    LY_TRY(place_view(view));
    find_range(view);
    LY_TRY(place_camera(view));
    place_ground(view);
    LY_TRY(add_primitives(view));
    LY_TRY(ly_lights_make(view));
    LyraPicture *picture = NULL;
    LY_TRY(ly_picture_create(view->ctx, view->def->width, view->def->height, &picture));
    LyraStatus status = draw_tiles(view, picture);
    if (status == LYRA_OK) {
        status = ly_legend_draw(view, picture);
    }
    if (status != LYRA_OK) {
        lyra_picture_destroy(picture);
        return status;
    }
    *out = picture;
    return LYRA_OK;
}

LyraStatus lyra_render(LyraContext *ctx, const LyraRenderDef *def, int32_t body_count,
                       const LyraRenderBody *bodies, LyraPicture **out)
{
    LYRA_ASSERT(ctx && def && out && (bodies || body_count == 0) && body_count >= 0);
    LY_CHECK_DEF(def, "lyra_render_def_default");
    for (int32_t b = 0; b < body_count; ++b) {
        LY_CHECK_DEF(&bodies[b], "lyra_render_body_default");
    }
    LY_TRY(check_def(def));
    LyView *view = NULL;
    LY_TRY(ly_allocate_zeroed(ctx, 1, sizeof *view, &view));
    view->ctx = ctx;
    view->def = def;
    view->body_count = body_count;
    memcpy(view->background, def->background, sizeof view->background);
    LyraStatus status = draw_view(view, bodies, out);
    for (int32_t b = 0; view->bodies && b < body_count; ++b) {
        lyra_surface_destroy(view->bodies[b].surface);
        ly_release(ctx, view->bodies[b].positions);
        ly_release(ctx, view->bodies[b].edges);
    }
    ly_lights_release(ctx, &view->lights);
    ly_release(ctx, view->bodies);
    ly_release(ctx, view->points);
    ly_release(ctx, view->primitives);
    ly_release(ctx, view);
    return status;
}
