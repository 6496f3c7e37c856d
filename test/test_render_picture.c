// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Pictures in files, textures, colour maps, and the painter of lines and text.

#include "config.h"
#include "lyra/surface.h"
#include "lyra_test.h"
#include "render/color.h"
#include "render/font.h"
#include "render/paint.h"
#include "render/texture.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// ---- files --------------------------------------------------------------------------------------

static LyraPicture *random_picture(LyraContext *ctx, int32_t width, int32_t height, bool opaque)
{
    TestRandom random = test_random(7);
    size_t bytes = (size_t)width * (size_t)height * 4;
    uint8_t *pixels = malloc(bytes);
    for (size_t i = 0; i < bytes; ++i) {
        pixels[i] = opaque && i % 4 == 3 ? 255 : (uint8_t)test_random_below(&random, 256);
    }
    LyraPicture *picture = NULL;
    TEST_OK(lyra_picture_create(ctx, width, height, pixels, &picture));
    free(pixels);
    return picture;
}

static void check_same(const LyraPicture *a, const LyraPicture *b)
{
    LyraPictureView x = lyra_picture_view(a), y = lyra_picture_view(b);
    TEST_EQUAL(x.width, y.width);
    TEST_EQUAL(x.height, y.height);
    TEST_REQUIRE(x.width == y.width && x.height == y.height);
    TEST_CHECK(memcmp(x.pixels, y.pixels, (size_t)x.width * (size_t)x.height * 4) == 0);
}

LYRA_TEST(picture_files_read_back)
{
    static const char *const names[] = {"a.ppm", "a.png", "b.PNG"};
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    for (int i = 0; i < 3; ++i) {
        const char *path = test_temp_path(names[i]);
        LyraPicture *picture = random_picture(ctx, 37, 19, i < 2), *back = NULL;
        if (i > 0 && !LY_HAVE_PNG) {
            TEST_STATUS(lyra_picture_save(picture, path), LYRA_UNSUPPORTED);
            TEST_CONTAINS(lyra_error_message(), "libpng");
        } else {
            TEST_OK(lyra_picture_save(picture, path));
            TEST_OK(lyra_picture_load(ctx, path, &back));
            if (back) {
                check_same(picture, back);
            }
        }
        lyra_picture_destroy(back);
        lyra_picture_destroy(picture);
    }
    LyraPicture *picture = random_picture(ctx, 2, 2, true);
    TEST_STATUS(lyra_picture_save(picture, test_temp_path("a.bmp")), LYRA_INVALID_ARGUMENT);
    TEST_STATUS(lyra_picture_save(picture, test_temp_path("no/folder.ppm")), LYRA_IO_FAILED);
    lyra_picture_destroy(picture);
    test_context_end(ctx);
}

LYRA_TEST(picture_sizes_have_limits)
{
    static const int32_t sizes[][2] = {{0, 1}, {1, 0}, {-1, 5}, {16385, 1}, {16384, 4097}};
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    LyraPicture *picture = NULL;
    for (int i = 0; i < 5; ++i) {
        TEST_STATUS(lyra_picture_create(ctx, sizes[i][0], sizes[i][1], NULL, &picture),
                    LYRA_INVALID_ARGUMENT);
    }
    TEST_OK(lyra_picture_create(ctx, 16384, 1, NULL, &picture));
    TEST_EQUAL(lyra_picture_view(picture).pixels[4 * 16384 - 1], 255);
    lyra_picture_destroy(picture);
    test_context_end(ctx);
}

// bytes of a file, its length and what pixel (0, 0) and the last must be
typedef struct Sample {
    const char *bytes;
    size_t length;
    int32_t width, height;
    uint8_t first[4], last[4];
} Sample;

#define BYTES(text) text, sizeof(text) - 1

LYRA_TEST(picture_readers_know_every_kind)
{
    static const Sample samples[] = {
        {BYTES("P3 # colours\n2 1\n# more\n15\n15 0 3  0 15 0\n"),
         2,
         1,
         {255, 0, 51, 255},
         {0, 255, 0, 255}},
        {BYTES("P2 1 2 3 3 1"), 1, 2, {255, 255, 255, 255}, {85, 85, 85, 255}},
        {BYTES("P5\n2 1\n65535\n\xff\xff\x80\x00"),
         2,
         1,
         {255, 255, 255, 255},
         {128, 128, 128, 255}},
        {BYTES("P6 1 1 255\n\x01\x02\x03"), 1, 1, {1, 2, 3, 255}, {1, 2, 3, 255}},
        // true colour, 24 bits, from the bottom; the last row of the file is the first
        {BYTES("\0\0\2\0\0\0\0\0\0\0\0\0\1\0\2\0\x18\0\1\2\3\4\5\6"),
         1,
         2,
         {6, 5, 4, 255},
         {3, 2, 1, 255}},
        // 32 bits from the top, run of three
        {BYTES("\0\0\12\0\0\0\0\0\0\0\0\0\3\0\1\0\x20\x28\x82\1\2\3\4"),
         3,
         1,
         {3, 2, 1, 4},
         {3, 2, 1, 4}},
        // 16 bits: red highest; a packet of two plain pixels
        {BYTES("\0\0\12\0\0\0\0\0\0\0\0\0\2\0\1\0\x10\x20\1\0\x7c\x1f\0"),
         2,
         1,
         {255, 0, 0, 255},
         {0, 0, 255, 255}},
        // grey, rows from the right, an identification of two bytes
        {BYTES("\2\0\3\0\0\0\0\0\0\0\0\0\2\0\1\0\10\x30hi\5\7"),
         2,
         1,
         {7, 7, 7, 255},
         {5, 5, 5, 255}},
        // colour map of two entries from 4
        {BYTES("\0\1\1\4\0\2\0\x18\0\0\0\0\2\0\1\0\10\x20\1\2\3\4\5\6\5\4"),
         2,
         1,
         {6, 5, 4, 255},
         {3, 2, 1, 255}},
    };
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    for (size_t i = 0; i < sizeof samples / sizeof samples[0]; ++i) {
        const Sample *s = &samples[i];
        LyraPicture *picture = NULL;
        LyraMemoryFile file = {"sample", s->bytes, s->length};
        TEST_OK(lyra_picture_load_memory(ctx, &file, &picture));
        if (!picture) {
            continue;
        }
        LyraPictureView view = lyra_picture_view(picture);
        TEST_EQUAL(view.width, s->width);
        TEST_EQUAL(view.height, s->height);
        TEST_CHECK_MSG(memcmp(view.pixels, s->first, 4) == 0, "first pixel of sample %zu", i);
        TEST_CHECK_MSG(memcmp(view.pixels + 4 * (s->width * s->height - 1), s->last, 4) == 0,
                       "last pixel of sample %zu", i);
        lyra_picture_destroy(picture);
        picture = NULL;
        // every shorter file is an error
        for (size_t cut = 0; cut < s->length; ++cut) {
            file.length = cut;
            if (lyra_picture_load_memory(ctx, &file, &picture) == LYRA_OK) {
                // text may lose the line end behind it
                TEST_CHECK_MSG(cut + 1 == s->length && s->bytes[cut] == '\n',
                               "sample %zu cut to %zu", i, cut);
                lyra_picture_destroy(picture);
            }
        }
    }
    test_context_end(ctx);
}

LYRA_TEST(picture_bad_files_are_refused)
{
    static const struct {
        const char *bytes;
        size_t length;
        const char *message;
    } bad[] = {
        {BYTES(""), "not a picture"},
        {BYTES("GIF89a"), "not a picture"},
        {BYTES("P6 99999999 1 255\n"), "pixels"},
        {BYTES("P6 16384 16384 255\n"), "pixels"},
        {BYTES("P6 100 100 255\nabc"), "ends early"},
        {BYTES("P5 1 1 9\n\xff"), "expected at most 9"},
        {BYTES("P2 1 1 0\n0"), "largest value"},
        {BYTES("P3 1 x 255 0 0 0"), "expected the height"},
        {BYTES("\0\0\12\0\0\0\0\0\0\0\0\0\xff\0\xff\0\x18\x20\x82\1\2\3"), "too short"},
        {BYTES("\0\1\1\4\0\1\0\x18\0\0\0\0\1\0\1\0\10\x20\1\2\3\7"), "not in the map"},
    };
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; ++i) {
        LyraPicture *picture = NULL;
        LyraMemoryFile file = {"bad", bad[i].bytes, bad[i].length};
        TEST_CHECK(lyra_picture_load_memory(ctx, &file, &picture) != LYRA_OK);
        TEST_CONTAINS(lyra_error_message(), bad[i].message);
    }
    LyraMemoryFile png = {"cut.png", BYTES("\x89PNG\r\n\x1a\n\0\0\0\rIHDR")};
    LyraMemoryFile jpeg = {"cut.jpg", BYTES("\xff\xd8\xff\xe0\0\x10JFIF\0\1\1")};
    LyraPicture *picture = NULL;
    TEST_STATUS(lyra_picture_load_memory(ctx, &png, &picture),
                LY_HAVE_PNG ? LYRA_BAD_FORMAT : LYRA_UNSUPPORTED);
    TEST_STATUS(lyra_picture_load_memory(ctx, &jpeg, &picture),
                LY_HAVE_JPEG ? LYRA_BAD_FORMAT : LYRA_UNSUPPORTED);
    test_context_end(ctx);
}

LYRA_TEST(picture_jpeg_decodes)
{
    if (!LY_HAVE_JPEG) {
        TEST_SKIP("this build has no libjpeg");
    }
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    LyraPicture *picture = NULL;
    size_t length;
    // 16 x 8, the left half red, the right half blue
    const char *path = test_data_path("render/halves.jpg");
    TEST_REQUIRE_OK(lyra_picture_load(ctx, path, &picture));
    LyraPictureView view = lyra_picture_view(picture);
    TEST_EQUAL(view.width, 16);
    TEST_EQUAL(view.height, 8);
    const uint8_t *left = view.pixels, *right = view.pixels + 4 * 15;
    TEST_CHECK(left[0] > 200 && left[2] < 60 && left[3] == 255);
    TEST_CHECK(right[0] < 60 && right[2] > 200 && right[3] == 255);
    lyra_picture_destroy(picture);
    // cut off: no half pictures
    char *bytes = test_read_file(path, &length);
    TEST_REQUIRE(bytes);
    for (size_t cut = 3; cut + 2 < length; cut += 17) {
        LyraMemoryFile file = {"cut.jpg", bytes, cut};
        TEST_STATUS(lyra_picture_load_memory(ctx, &file, &picture), LYRA_BAD_FORMAT);
    }
    free(bytes);
    test_context_end(ctx);
}

// ---- textures -----------------------------------------------------------------------------------

LYRA_TEST(texture_entries_are_split)
{
    LyTexture texture;
    TEST_STRING(ly_texture_parse_map("wood.ppm", &texture), "wood.ppm");
    TEST_NEAR(texture.scale[0], 1, 0);
    TEST_STRING(ly_texture_parse_map("-s 2 3 1 -o 0.5 -clamp on a b.png", &texture), "a b.png");
    TEST_NEAR(texture.scale[1], 3, 0);
    TEST_NEAR(texture.offset[0], 0.5, 0);
    TEST_CHECK(texture.clamp);
    TEST_STRING(ly_texture_parse_map("-mm 0 1 -blendu off -bm 2 4wood.ppm", &texture), "4wood.ppm");
    TEST_STRING(ly_texture_parse_map("-s 2 4wood.ppm", &texture), "4wood.ppm");
    TEST_STRING(ly_texture_parse_map("-clamp", &texture), "");
}

static LyraStatus load_textures(LyraContext *ctx, void *data)
{
    static const double positions[9] = {0, 0, 0, 1, 0, 0, 0, 1, 0};
    static const int32_t begin[2] = {0, 3}, corners[3] = {0, 1, 2};
    LyraSurfaceMaterial materials[3] = {lyra_surface_material_default(),
                                        lyra_surface_material_default(),
                                        lyra_surface_material_default()};
    LyraSurfaceView view = {.vertex_count = 3,
                            .face_count = 1,
                            .corner_count = 3,
                            .positions = positions,
                            .face_begin = begin,
                            .corner_vertices = corners,
                            .material_count = 3,
                            .materials = materials};
    materials[0].name = "a";
    materials[0].diffuse_map = "board.ppm";
    materials[1].name = "b";
    materials[1].diffuse_map = "missing.ppm";
    materials[2].name = "c";
    LyraSurface *surface = NULL;
    LyraTextureSet *set = NULL;
    LyraStatus status = lyra_surface_create(ctx, &view, &surface);
    if (status == LYRA_OK) {
        status = lyra_texture_set_load(ctx, surface, test_temp_path("model.obj"), &set);
    }
    if (status == LYRA_OK) {
        TEST_CHECK(lyra_texture_set_get(set, 0) && !lyra_texture_set_get(set, 1));
        TEST_CHECK(!lyra_texture_set_get(set, 2) && !lyra_texture_set_get(set, -1));
        double color[3];
        // near: the pixels themselves, white at the lower left; from far away: grey, half the light
        ly_texture_sample(&set->textures[0], 0.25, 0.25, 0, color);
        TEST_NEAR(color[0], 1, 1e-12);
        ly_texture_sample(&set->textures[0], 1.75, -0.75, 0, color);
        TEST_NEAR(color[0], 0, 1e-12);
        ly_texture_sample(&set->textures[0], 0.3, 0.9, 5, color);
        TEST_NEAR(color[1], 0.5, 0.01);
        ly_texture_sample(&set->textures[0], INFINITY, NAN, INFINITY, color);
    }
    (void)data;
    lyra_texture_set_destroy(set);
    lyra_surface_destroy(surface);
    return status;
}

LYRA_TEST(texture_sets_leave_out_what_is_missing)
{
    // 2 x 2: black, white / white, black
    static const char board[] = "P2 2 2 1 0 1 1 0\n";
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    test_write_file(test_temp_path("board.ppm"), board, sizeof board - 1);
    TEST_OK(load_textures(ctx, NULL));
    test_context_end(ctx);
    test_fail_each_allocation(load_textures, NULL);
}

// ---- colours ------------------------------------------------------------------------------------

LYRA_TEST(color_maps_are_even_to_the_eye)
{
    for (int map = 0; map < LYRA_COLOR_MAP_COUNT; ++map) {
        double table[LYRA_COLOR_MAP_SIZE][3], low = INFINITY, high = 0, before[3] = {0};
        lyra_color_map_table((LyraColorMap)map, table);
        for (int k = 0; k < LYRA_COLOR_MAP_SIZE; ++k) {
            double linear[3], lab[3];
            for (int c = 0; c < 3; ++c) {
                TEST_CHECK(table[k][c] >= 0 && table[k][c] <= 1);
                linear[c] = ly_color_to_linear(table[k][c]);
            }
            ly_color_oklab(linear, lab);
            double step = sqrt(pow(lab[0] - before[0], 2) + pow(lab[1] - before[1], 2) +
                               pow(lab[2] - before[2], 2));
            // a diverging map turns around in the middle
            bool turn = map == LYRA_COLOR_MAP_DIVERGING && k == LYRA_COLOR_MAP_SIZE / 2;
            if (k > 0 && !turn) {
                low = fmin(low, step);
                high = fmax(high, step);
                bool rises = map == LYRA_COLOR_MAP_SEQUENTIAL || k < LYRA_COLOR_MAP_SIZE / 2;
                TEST_CHECK((lab[0] > before[0]) == rises);
            }
            memcpy(before, lab, sizeof before);
        }
        // the table cuts a curve into chords
        TEST_CHECK_MSG(high / low < 1.02, "map %d: steps from %g to %g", map, low, high);
    }
    TEST_STRING(lyra_color_map_name(LYRA_COLOR_MAP_SEQUENTIAL), "sequential");
}

LYRA_TEST(color_map_ends_are_dark_and_light)
{
    double table[LYRA_COLOR_MAP_SIZE][3], color[3];
    lyra_color_map_table(LYRA_COLOR_MAP_SEQUENTIAL, table);
    // violet and yellow
    TEST_CHECK(table[0][2] > table[0][0] && table[0][0] > table[0][1] && table[0][2] < 0.45);
    TEST_CHECK(table[255][0] > 0.9 && table[255][1] > 0.85 && table[255][2] < 0.5);
    ly_color_map_at(table, -3, color);
    TEST_CHECK(memcmp(color, table[0], sizeof color) == 0);
    ly_color_map_at(table, 7, color);
    TEST_NEAR(color[1], table[255][1], 1e-15);
    lyra_color_map_table(LYRA_COLOR_MAP_DIVERGING, table);
    TEST_CHECK(table[0][2] > table[0][0] + 0.3 && table[255][0] > table[255][2] + 0.3);
    for (int c = 0; c < 3; ++c) {
        TEST_CHECK(table[127][c] > 0.9);
    }
    for (int i = 0; i <= 255; ++i) {
        TEST_EQUAL(ly_color_byte(ly_color_from_linear(ly_color_to_linear(i / 255.0))), i);
    }
    TEST_EQUAL(ly_color_byte(NAN), 0);
    TEST_EQUAL(ly_color_byte(INFINITY), 255);
}

// ---- painting -----------------------------------------------------------------------------------

LYRA_TEST(paint_covers_what_it_must)
{
    static const double black[3] = {0, 0, 0};
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    LyraPicture *picture = NULL;
    LyPainter painter;
    TEST_REQUIRE_OK(lyra_picture_create(ctx, 20, 20, NULL, &picture));
    TEST_REQUIRE_OK(ly_painter_begin(picture, &painter));
    // a line of one pixel along the middle of row 5
    ly_paint_line(&painter, 2.5, 5.5, 16.5, 5.5, 1);
    ly_paint_flush(&painter, black, 1);
    TEST_EQUAL(picture->pixels[4 * (5 * 20 + 10)], 0);
    TEST_EQUAL(picture->pixels[4 * (4 * 20 + 10)], 255);
    TEST_EQUAL(picture->pixels[4 * (6 * 20 + 10)], 255);
    TEST_EQUAL(picture->pixels[4 * (5 * 20 + 1)], 255);
    // a box whose side is in the middle of a pixel
    const double box[4] = {3, 10, 5.5, 12};
    ly_paint_box(&painter, box, black, 1);
    TEST_EQUAL(picture->pixels[4 * (10 * 20 + 4)], 0);
    TEST_EQUAL(picture->pixels[4 * (11 * 20 + 5)], 128);
    TEST_EQUAL(picture->pixels[4 * (12 * 20 + 4)], 255);
    // outside: nothing happens
    const double clip[4] = {0, 0, 20, 3};
    ly_painter_clip(&painter, clip);
    ly_paint_line(&painter, -1e6, 18, 1e6, 18, 3);
    ly_paint_line(&painter, 1e6, -1e6, 1e6, 1e6, 3);
    ly_paint_line(&painter, NAN, 0, 1, 1, 3);
    ly_paint_flush(&painter, black, 1);
    TEST_EQUAL(picture->pixels[4 * (18 * 20 + 10)], 255);
    ly_painter_end(&painter);
    lyra_picture_destroy(picture);
    test_context_end(ctx);
}

static void measure(void *data, double x0, double y0, double x1, double y1)
{
    double *box = data;
    box[0] = fmin(box[0], fmin(x0, x1));
    box[1] = fmin(box[1], fmin(y0, y1));
    box[2] = fmax(box[2], fmax(x0, x1));
    box[3] = fmax(box[3], fmax(y0, y1));
    box[4] += 1;
}

LYRA_TEST(font_glyphs_stay_in_their_boxes)
{
    for (int code = 33; code < 127; ++code) {
        char text[2] = {(char)code, 0};
        double box[5] = {INFINITY, INFINITY, -INFINITY, -INFINITY, 0};
        ly_font_draw(text, measure, box);
        TEST_CHECK_MSG(box[4] > 0 && box[0] >= 0 && box[2] <= ly_font_width(text) + 1e-12 &&
                           box[1] >= -3 - 1e-12 && box[3] <= 10 + 1e-12,
                       "glyph '%c': %g to %g of %g, %g to %g", code, box[0], box[2],
                       ly_font_width(text), box[1], box[3]);
    }
    double box[5] = {0};
    // bytes that are no UTF-8 are boxes, and end where the text ends
    ly_font_draw("\xf0\x9f\x90\xa2\xff\xc3", measure, box);
    TEST_CHECK(box[4] > 0);
    TEST_NEAR(ly_font_width(""), 0, 0);
}
