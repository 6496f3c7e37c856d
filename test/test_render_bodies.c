// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// The renderer: what covers what, where, in which colour, and the same bits at any thread count.

#include "lyra/picture.h"
#include "lyra_test.h"
#include "render/camera.h"
#include "render/color.h"
#include "render/raster.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double red[3] = {1, 0, 0}, blue[3] = {0, 0, 1};

// ---- helpers ------------------------------------------------------------------------------------

static LyraSurface *make_surface(LyraContext *ctx, int32_t vertices, const double *positions,
                                 int32_t faces, int32_t nodes, const int32_t *corners)
{
    int32_t begin[8];
    for (int32_t f = 0; f <= faces; ++f) {
        begin[f] = f * nodes;
    }
    LyraSurfaceView view = {.vertex_count = vertices,
                            .face_count = faces,
                            .corner_count = faces * nodes,
                            .positions = positions,
                            .face_begin = begin,
                            .corner_vertices = corners};
    LyraSurface *surface = NULL;
    TEST_OK(lyra_surface_create(ctx, &view, &surface));
    return surface;
}

// a square of side 2 at height z
static LyraSurface *make_square(LyraContext *ctx, double z)
{
    const double positions[12] = {-1, -1, z, 1, -1, z, 1, 1, z, -1, 1, z};
    static const int32_t corners[4] = {0, 1, 2, 3};
    return make_surface(ctx, 4, positions, 1, 4, corners);
}

// a picture of 100 x 100 pixels of what lies within 2 of the z axis, seen along it from z = 10; no
// light but what is even
static LyraRenderDef make_def(void)
{
    LyraRenderDef def = lyra_render_def_default();
    def.width = def.height = 100;
    def.fitted = false;
    def.eye[2] = 10;
    def.field_of_view = 2 * atan(0.2);
    def.shadows = def.ground = false;
    return def;
}

static LyraRenderBody make_body(const LyraSurface *surface, const double color[3])
{
    LyraRenderBody body = lyra_render_body_default();
    body.surface = surface;
    memcpy(body.color, color, sizeof body.color);
    return body;
}

static const uint8_t *pixel_at(const LyraPicture *picture, int32_t x, int32_t y)
{
    LyraPictureView view = lyra_picture_view(picture);
    return view.pixels + 4 * ((int64_t)y * view.width + x);
}

static bool is_red(const uint8_t *p)
{
    return p[0] > 100 && p[1] < p[0] / 2 && p[2] < p[0] / 2;
}

static bool is_blue(const uint8_t *p)
{
    return p[2] > 100 && p[0] < p[2] / 2;
}

static bool is_background(const uint8_t *p)
{
    return p[0] > 220 && p[1] > 220 && p[2] > 220;
}

// ---- coverage -----------------------------------------------------------------------------------

LYRA_TEST(render_square_covers_its_pixels)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    LyraSurface *square = make_square(ctx, 0);
    LyraRenderDef def = make_def();
    LyraRenderBody body = make_body(square, red);
    LyraPicture *picture = NULL;
    TEST_REQUIRE_OK(lyra_render(ctx, &def, 1, &body, &picture));
    // 25 pixels per metre: the square is [25, 75) both ways
    for (int32_t y = 0; y < 100; ++y) {
        for (int32_t x = 0; x < 100; ++x) {
            bool inside = x >= 25 && x < 75 && y >= 25 && y < 75;
            const uint8_t *p = pixel_at(picture, x, y);
            TEST_CHECK_MSG(inside ? is_red(p) : is_background(p), "pixel %d %d: %d %d %d", x, y,
                           p[0], p[1], p[2]);
            TEST_CHECK(p[3] == 255);
        }
    }
    lyra_picture_destroy(picture);
    // half a pixel to the side: the border is a mixture
    const double moved[12] = {-0.98, -1, 0, 1.02, -1, 0, 1.02, 1, 0, -0.98, 1, 0};
    body.positions = moved;
    TEST_REQUIRE_OK(lyra_render(ctx, &def, 1, &body, &picture));
    const uint8_t *left = pixel_at(picture, 25, 50), *right = pixel_at(picture, 75, 50);
    TEST_CHECK(!is_background(left) && left[1] > 100 && left[1] < 220);
    TEST_CHECK(!is_background(right) && right[1] > 100 && right[1] < 220);
    lyra_picture_destroy(picture);
    lyra_surface_destroy(square);
    test_context_end(ctx);
}

LYRA_TEST(render_nearer_bodies_hide_farther_ones)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    LyraSurface *near = make_square(ctx, 1), *far = make_square(ctx, -3);
    const double tilted[12] = {-1, -1, -1, 1, -1, 1, 1, 1, 1, -1, 1, -1};
    LyraRenderDef def = make_def();
    for (int order = 0; order < 2; ++order) {
        LyraRenderBody bodies[2] = {make_body(order ? far : near, order ? blue : red),
                                    make_body(order ? near : far, order ? red : blue)};
        LyraPicture *picture = NULL;
        TEST_REQUIRE_OK(lyra_render(ctx, &def, 2, bodies, &picture));
        TEST_CHECK(is_red(pixel_at(picture, 50, 50)));
        TEST_CHECK(is_background(pixel_at(picture, 5, 50)));
        lyra_picture_destroy(picture);
        // they cross in the middle: red in front at the right only
        bodies[order].positions = tilted;
        const double flat[12] = {-1, -1, 0, 1, -1, 0, 1, 1, 0, -1, 1, 0};
        bodies[1 - order].positions = flat;
        TEST_REQUIRE_OK(lyra_render(ctx, &def, 2, bodies, &picture));
        TEST_CHECK(is_red(pixel_at(picture, 60, 50)));
        TEST_CHECK(is_blue(pixel_at(picture, 40, 50)));
        lyra_picture_destroy(picture);
    }
    lyra_surface_destroy(near);
    lyra_surface_destroy(far);
    test_context_end(ctx);
}

// Every sample of a fan of triangles with shared edges is drawn exactly once.
LYRA_TEST(raster_neighbours_leave_no_gap_and_no_overlap)
{
    enum { SIDE = 64, SPOKES = 24 };
    static double depth[SIDE * SIDE];
    static int32_t hits[SIDE * SIDE], ids[SIDE * SIDE];
    TestRandom random = test_random(3);
    for (int trial = 0; trial < 20; ++trial) {
        LyraVec3 rim[SPOKES];
        // two spokes run along a row of samples; depths differ for perspective
        LyraVec3 hub = lyra_vec3(32.3 * 2, 32.5 * 2, 2);
        for (int i = 0; i < SPOKES; ++i) {
            double a = 6.283185307179586 * i / SPOKES, w = test_random_in(&random, 1, 4);
            double x = 32.5 + 60 * cos(a), y = 32.5 + (i % (SPOKES / 2) ? 60 * sin(a) : 0);
            rim[i] = lyra_vec3(x * w, y * w, w);
        }
        memset(hits, 0, sizeof hits);
        for (int i = 0; i < SPOKES; ++i) {
            LyraVec3 v[3] = {hub, rim[i], rim[(i + 1) % SPOKES]};
            int64_t names[3] = {SPOKES, i, (i + 1) % SPOKES};
            // either way round
            if (i % 2) {
                v[1] = rim[(i + 1) % SPOKES];
                v[2] = rim[i];
                names[1] = (i + 1) % SPOKES;
                names[2] = i;
            }
            LyRasterTriangle triangle;
            TEST_REQUIRE(ly_raster_setup(v, names, 1e-3, NULL, &triangle));
            for (int k = 0; k < SIDE * SIDE; ++k) {
                depth[k] = 0;
                ids[k] = 0;
            }
            LyRasterGrid grid = {0.5, 0.5, 1, SIDE, SIDE, 1e9, depth, ids};
            ly_raster_draw(&triangle, 1, &grid);
            for (int k = 0; k < SIDE * SIDE; ++k) {
                hits[k] += ids[k];
            }
        }
        for (int k = 0; k < SIDE * SIDE; ++k) {
            TEST_CHECK_MSG(hits[k] == 1, "trial %d, sample %d %d: drawn %d times", trial, k % SIDE,
                           k / SIDE, hits[k]);
        }
    }
}

LYRA_TEST(raster_weights_have_perspective)
{
    // an edge from depth 1 to depth 3: the middle of the picture of it is at a quarter
    LyraVec3 v[3] = {lyra_vec3(0, 0, 1), lyra_vec3(30, 0, 3), lyra_vec3(0, 10, 1)};
    const int64_t ids[3] = {0, 1, 2};
    LyRasterTriangle triangle;
    double w[3];
    TEST_REQUIRE(ly_raster_setup(v, ids, 1e-3, NULL, &triangle));
    ly_raster_weights(&triangle, 5, 0, w);
    TEST_NEAR(w[0], 0.75, 1e-14);
    TEST_NEAR(w[1], 0.25, 1e-14);
    TEST_NEAR(w[2], 0, 1e-14);
    double inverse = triangle.depth[0] * 5 + triangle.depth[2];
    TEST_NEAR(1 / inverse, 1.5, 1e-14);
    // no area, and all behind the eye
    v[2] = lyra_vec3(15, 0, 2);
    TEST_CHECK(!ly_raster_setup(v, ids, 1e-3, NULL, &triangle));
    v[0].z = v[1].z = v[2].z = -1;
    TEST_CHECK(!ly_raster_setup(v, ids, 1e-3, NULL, &triangle));
}

// A floor that runs below the camera and behind it fills the lower half.
LYRA_TEST(render_cuts_what_is_behind_the_eye)
{
    static const double positions[12] = {-50, -1, -100, 50, -1, -100, 50, -1, 100, -50, -1, 100};
    static const int32_t corners[4] = {0, 3, 2, 1};
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    LyraSurface *floor = make_surface(ctx, 4, positions, 1, 4, corners);
    LyraRenderBody body = make_body(floor, red);
    LyraRenderDef def = make_def();
    LyraPicture *picture = NULL;
    def.eye[2] = 0;
    def.target[2] = -1;
    def.field_of_view = 1;
    TEST_REQUIRE_OK(lyra_render(ctx, &def, 1, &body, &picture));
    for (int32_t x = 0; x < 100; x += 9) {
        TEST_CHECK(is_background(pixel_at(picture, x, 45)));
        TEST_CHECK(is_red(pixel_at(picture, x, 55)));
        TEST_CHECK(is_red(pixel_at(picture, x, 99)));
    }
    lyra_picture_destroy(picture);
    lyra_surface_destroy(floor);
    test_context_end(ctx);
}

// ---- looks --------------------------------------------------------------------------------------

LYRA_TEST(render_field_ends_have_the_colors_of_the_map)
{
    static const double field[4] = {0, 1, 1, 0};
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    LyraSurface *square = make_square(ctx, 0);
    LyraRenderDef def = make_def();
    LyraRenderBody body = make_body(square, red);
    LyraPicture *picture = NULL;
    double table[LYRA_COLOR_MAP_SIZE][3];
    lyra_color_map_table(def.color_map, table);
    body.field = field;
    def.legend = false;
    TEST_REQUIRE_OK(lyra_render(ctx, &def, 1, &body, &picture));
    for (int end = 0; end < 2; ++end) {
        const uint8_t *p = pixel_at(picture, end ? 74 : 25, 50);
        const double *want = table[end ? 252 : 3];
        // light scales all three alike
        double scale = ly_color_to_linear(p[2] / 255.0) / ly_color_to_linear(want[2]);
        for (int c = 0; c < 3; ++c) {
            TEST_NEAR(ly_color_to_linear(p[c] / 255.0), scale * ly_color_to_linear(want[c]), 0.03);
        }
    }
    lyra_picture_destroy(picture);
    // NaN is grey, and a legend takes room at the right of a wider picture
    static const double holes[4] = {0, NAN, NAN, NAN};
    body.field = holes;
    def.legend = true;
    def.width = 600;
    def.height = 300;
    def.fitted = true;
    def.elevation = def.azimuth = 0;
    TEST_REQUIRE_OK(lyra_render(ctx, &def, 1, &body, &picture));
    int32_t colored = 0;
    for (int32_t y = 0; y < 300; ++y) {
        for (int32_t x = 450; x < 600; ++x) {
            const uint8_t *p = pixel_at(picture, x, y);
            colored += abs(p[0] - p[2]) > 60;
        }
    }
    TEST_CHECK(colored > 500);
    const uint8_t *grey = pixel_at(picture, 270, 150);
    TEST_CHECK(!is_background(grey) && abs(grey[0] - grey[2]) < 12);
    lyra_picture_destroy(picture);
    lyra_surface_destroy(square);
    test_context_end(ctx);
}

LYRA_TEST(render_edges_and_dots_are_seen)
{
    static const int32_t dots[1] = {2};
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    LyraSurface *square = make_square(ctx, 0);
    LyraRenderDef def = make_def();
    LyraRenderBody body = make_body(square, blue);
    LyraPicture *plain = NULL, *lines = NULL;
    TEST_REQUIRE_OK(lyra_render(ctx, &def, 1, &body, &plain));
    body.edges = true;
    body.dots = dots;
    body.dot_count = 1;
    TEST_REQUIRE_OK(lyra_render(ctx, &def, 1, &body, &lines));
    // darker at the border; the diagonal along which the square was cut is none of its edges
    TEST_CHECK(pixel_at(lines, 25, 50)[2] + 20 < pixel_at(plain, 25, 50)[2]);
    TEST_CHECK(memcmp(pixel_at(lines, 50, 50), pixel_at(plain, 50, 50), 4) == 0);
    TEST_CHECK(memcmp(pixel_at(lines, 40, 60), pixel_at(plain, 40, 60), 4) == 0);
    // vertex 2 is at the upper right
    TEST_CHECK(is_red(pixel_at(lines, 74, 25)) && is_red(pixel_at(lines, 75, 24)));
    lyra_picture_destroy(plain);
    lyra_picture_destroy(lines);
    lyra_surface_destroy(square);
    test_context_end(ctx);
}

LYRA_TEST(render_shadow_falls_on_what_is_below)
{
    static const double positions[24] = {-3, 0, -3, -3, 0, 3, 3, 0, 3, 3, 0, -3,
                                         -1, 1, -1, -1, 1, 1, 1, 1, 1, 1, 1, -1};
    static const int32_t corners[8] = {0, 1, 2, 3, 4, 5, 6, 7};
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    LyraSurface *table = make_surface(ctx, 8, positions, 2, 4, corners);
    static const double white[3] = {0.8, 0.8, 0.8};
    LyraRenderBody body = make_body(table, white);
    LyraRenderDef def = make_def();
    LyraPicture *lit = NULL, *shaded = NULL;
    def.fitted = true;
    def.elevation = 0.5;
    def.azimuth = 0;
    TEST_REQUIRE_OK(lyra_render(ctx, &def, 1, &body, &lit));
    def.shadows = true;
    TEST_REQUIRE_OK(lyra_render(ctx, &def, 1, &body, &shaded));
    // below the table, just in front of its rear edge: dark; in the open: as before, nearly
    int64_t darker = 0, same = 0, lighter = 0;
    for (int32_t i = 0; i < 100 * 100; ++i) {
        int32_t a = lyra_picture_view(lit).pixels[4 * i],
                b = lyra_picture_view(shaded).pixels[4 * i];
        darker += b < a - 40;
        same += abs(a - b) <= 12;
        lighter += b > a + 12;
    }
    TEST_CHECK_MSG(darker > 150 && darker < 2500, "%lld darker", (long long)darker);
    TEST_CHECK_MSG(same > 5000 && lighter < 20, "%lld same, %lld lighter", (long long)same,
                   (long long)lighter);
    lyra_picture_destroy(lit);
    lyra_picture_destroy(shaded);
    lyra_surface_destroy(table);
    test_context_end(ctx);
}

// ---- camera -------------------------------------------------------------------------------------

LYRA_TEST(camera_fits_all_points_and_no_more)
{
    TestRandom random = test_random(11);
    for (int trial = 0; trial < 50; ++trial) {
        double points[3 * 40], reach = 0, nearest = INFINITY;
        for (int i = 0; i < 120; ++i) {
            points[i] = test_random_in(&random, -1, 1) * (i % 3 == trial % 3 ? 0.1 : 1);
        }
        LyraRenderDef def = lyra_render_def_default();
        LyCamera camera;
        def.azimuth = test_random_in(&random, -9, 9);
        def.elevation = test_random_in(&random, -1.5707, 1.5707);
        def.field_of_view = test_random_in(&random, 0.1, 2);
        for (int c = 0; c < 3; ++c) {
            def.up[c] = test_random_in(&random, -1, 1);
        }
        TEST_REQUIRE_OK(ly_camera_make(&def, 640, 480, 40, points, &camera));
        for (int i = 0; i < 40; ++i) {
            LyraVec3 p = ly_camera_project(
                &camera, lyra_vec3(points[3 * i], points[3 * i + 1], points[3 * i + 2]));
            nearest = fmin(nearest, p.z);
            reach = fmax(reach, fmax(fabs(p.x / p.z - 320) / 320, fabs(p.y / p.z - 240) / 240));
        }
        // up to the margin of 7 % at each side, unless a point would come too near
        TEST_CHECK(nearest > 0.01 - 1e-12);
        TEST_CHECK_MSG(reach < 0.86 + 1e-9 && (reach > 0.86 - 1e-9 || nearest < 0.01 + 1e-12),
                       "reach %g, nearest %g", reach, nearest);
        TEST_NEAR(lyra_vec3_dot(camera.right, camera.sky), 0, 1e-12);
        TEST_CHECK(lyra_vec3_dot(camera.up, camera.sky) >= 0);
    }
}

// ---- hard cases ---------------------------------------------------------------------------------

LYRA_TEST(render_takes_empty_and_degenerate_scenes)
{
    static const double positions[12] = {0, 0, 0, 1, 0, 0, 2, 0, 0, 0, 0, 0};
    static const int32_t corners[6] = {0, 1, 2, 0, 3, 1};
    LyraContext *ctx = test_context(2, LYRA_ISA_AUTO);
    LyraSurface *line = make_surface(ctx, 4, positions, 2, 3, corners);
    LyraRenderDef def = lyra_render_def_default();
    LyraPicture *picture = NULL;
    for (int size = 1; size < 40; size += 13) {
        def.width = size;
        def.height = 1 + size / 2;
        TEST_OK(lyra_render(ctx, &def, 0, NULL, &picture));
        lyra_picture_destroy(picture);
        LyraRenderBody body = make_body(line, red);
        body.edges = true;
        TEST_OK(lyra_render(ctx, &def, 1, &body, &picture));
        lyra_picture_destroy(picture);
        // all in one point, far away, tiny
        double point[12];
        for (int i = 0; i < 12; ++i) {
            point[i] = 1e30;
        }
        body.positions = point;
        body.dot_count = 1;
        body.dots = corners;
        TEST_OK(lyra_render(ctx, &def, 1, &body, &picture));
        lyra_picture_destroy(picture);
        for (int i = 0; i < 12; ++i) {
            point[i] = positions[i] * 1e-40 + (i % 5) * 1e-41;
        }
        TEST_OK(lyra_render(ctx, &def, 1, &body, &picture));
        lyra_picture_destroy(picture);
    }
    // straight down and straight up
    for (int sign = -1; sign < 2; sign += 2) {
        def.elevation = sign * 1.5707963267948966;
        TEST_OK(lyra_render(ctx, &def, 0, NULL, &picture));
        lyra_picture_destroy(picture);
    }
    lyra_surface_destroy(line);
    test_context_end(ctx);
}

LYRA_TEST(render_refuses_bad_settings)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    LyraSurface *square = make_square(ctx, 0);
    LyraRenderBody body = make_body(square, red);
    LyraPicture *picture = NULL;
    LyraRenderDef def = {0}, good = make_def();
    TEST_STATUS(lyra_render(ctx, &def, 0, NULL, &picture), LYRA_INVALID_ARGUMENT);
    TEST_CONTAINS(lyra_error_message(), "lyra_render_def_default");
    LyraRenderBody raw = {.surface = square};
    TEST_STATUS(lyra_render(ctx, &good, 1, &raw, &picture), LYRA_INVALID_ARGUMENT);
#define REFUSE(change, status)                                                                     \
    def = good;                                                                                    \
    change;                                                                                        \
    TEST_STATUS(lyra_render(ctx, &def, 1, &body, &picture), status)
    REFUSE(def.width = 0, LYRA_INVALID_ARGUMENT);
    REFUSE(def.width = 100000, LYRA_INVALID_ARGUMENT);
    REFUSE(def.width = def.height = 16384, LYRA_INVALID_ARGUMENT);
    REFUSE(def.samples = 9, LYRA_INVALID_ARGUMENT);
    REFUSE(def.samples = 0, LYRA_INVALID_ARGUMENT);
    REFUSE(def.field_of_view = NAN, LYRA_INVALID_ARGUMENT);
    REFUSE(def.elevation = 2, LYRA_INVALID_ARGUMENT);
    REFUSE(def.eye[0] = INFINITY, LYRA_INVALID_ARGUMENT);
    REFUSE(def.eye[2] = 0, LYRA_INVALID_ARGUMENT);
    REFUSE(def.up[1] = 0, LYRA_INVALID_ARGUMENT);
    REFUSE(def.color_map = LYRA_COLOR_MAP_COUNT, LYRA_INVALID_ARGUMENT);
    REFUSE((def.field_range[0] = 1, def.field_range[1] = 1), LYRA_INVALID_ARGUMENT);
    double positions[12] = {0};
    body.positions = positions;
    positions[7] = NAN;
    REFUSE((void)0, LYRA_NOT_FINITE);
    TEST_CONTAINS(lyra_error_message(), "vertex 2");
    positions[7] = -1e51;
    REFUSE((void)0, LYRA_NOT_FINITE);
    positions[7] = 0;
    static const int32_t dots[1] = {4};
    body.dots = dots;
    body.dot_count = 1;
    REFUSE((void)0, LYRA_INVALID_ARGUMENT);
    lyra_surface_destroy(square);
    test_context_end(ctx);
}

// ---- bits and memory ----------------------------------------------------------------------------

enum { BUMPS = 12, SIDE = 70 };

// a bumpy sheet over a square, with a field, edges and dots, in shadow and on the ground
static LyraStatus draw_sheet(LyraContext *ctx, LyraPicture **out)
{
    static double positions[BUMPS * BUMPS * 3], field[BUMPS * BUMPS];
    static int32_t begin[(BUMPS - 1) * (BUMPS - 1) + 1], corners[(BUMPS - 1) * (BUMPS - 1) * 4];
    static const int32_t dots[3] = {0, 11, 70};
    for (int i = 0; i < BUMPS * BUMPS; ++i) {
        positions[3 * i] = i % BUMPS;
        positions[3 * i + 1] = 2 * sin(i % BUMPS) * cos(i / BUMPS);
        positions[3 * i + 2] = i / BUMPS;
        field[i] = positions[3 * i + 1];
    }
    int32_t faces = 0;
    for (int i = 0; i < BUMPS * (BUMPS - 1); ++i) {
        if (i % BUMPS < BUMPS - 1) {
            const int32_t quad[4] = {i, i + BUMPS, i + BUMPS + 1, i + 1};
            memcpy(corners + 4 * faces, quad, sizeof quad);
            ++faces;
            begin[faces] = 4 * faces;
        }
    }
    LyraSurfaceView view = {.vertex_count = BUMPS * BUMPS,
                            .face_count = faces,
                            .corner_count = 4 * faces,
                            .positions = positions,
                            .face_begin = begin,
                            .corner_vertices = corners};
    LyraSurface *surface = NULL;
    LyraStatus status = lyra_surface_create(ctx, &view, &surface);
    if (status == LYRA_OK) {
        LyraRenderBody body = make_body(surface, red);
        LyraRenderDef def = lyra_render_def_default();
        def.width = 3 * SIDE;
        def.height = 2 * SIDE;
        def.samples = 2;
        def.label = "height";
        def.title = "sheet";
        body.field = field;
        body.edges = true;
        body.dots = dots;
        body.dot_count = 3;
        status = lyra_render(ctx, &def, 1, &body, out);
    }
    lyra_surface_destroy(surface);
    return status;
}

static void draw_bits(LyraContext *ctx, void *data, void *out)
{
    LyraPicture *picture = NULL;
    (void)data;
    TEST_REQUIRE_OK(draw_sheet(ctx, &picture));
    memcpy(out, lyra_picture_view(picture).pixels, (size_t)3 * SIDE * 2 * SIDE * 4);
    lyra_picture_destroy(picture);
}

LYRA_TEST(render_has_the_same_bits_at_any_thread_count)
{
    test_same_bits(draw_bits, NULL, (size_t)3 * SIDE * 2 * SIDE * 4);
}

static LyraStatus draw_once(LyraContext *ctx, void *data)
{
    LyraPicture *picture = NULL;
    (void)data;
    LyraStatus status = draw_sheet(ctx, &picture);
    lyra_picture_destroy(picture);
    return status;
}

LYRA_TEST(render_survives_failing_allocations)
{
    test_fail_each_allocation(draw_once, NULL);
}
