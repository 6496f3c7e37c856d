// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// OBJ and MTL files: rules, round trips, hostile input.

#include "lyra/surface.h"
#include "lyra_test.h"
#include "mesh/mtl.h"
#include "mesh/obj.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

// ---- reading from memory ------------------------------------------------------------------------

// from a copy of exactly that size, so that reading past it shows
static LyraStatus parse_bytes(LyraContext *ctx, const char *text, size_t length, LyraSurface **out)
{
    char *copy = malloc(length + 1);
    memcpy(copy, text, length);
    copy[length] = '\0';
    LyraStatus status = ly_obj_parse(ctx, "a.obj", false, copy, length, out);
    free(copy);
    return status;
}

static LyraSurface *parse(LyraContext *ctx, const char *text)
{
    LyraSurface *surface = NULL;
    TEST_OK(parse_bytes(ctx, text, strlen(text), &surface));
    return surface;
}

static bool same_ids(const int32_t *a, const int32_t *b, int32_t count)
{
    return (!a && !b) || (a && b && memcmp(a, b, sizeof *a * (size_t)count) == 0);
}

static bool same_text(const char *a, const char *b)
{
    return (!a && !b) || (a && b && strcmp(a, b) == 0);
}

static void check_same(const LyraSurface *first, const LyraSurface *second)
{
    LyraSurfaceView a = lyra_surface_view(first), b = lyra_surface_view(second);
    TEST_REQUIRE(a.vertex_count == b.vertex_count && a.face_count == b.face_count &&
                 a.corner_count == b.corner_count && a.texcoord_count == b.texcoord_count &&
                 a.normal_count == b.normal_count && a.group_count == b.group_count &&
                 a.material_count == b.material_count);
    size_t number = sizeof(double);
    TEST_CHECK(memcmp(a.positions, b.positions, 3 * number * (size_t)a.vertex_count) == 0);
    TEST_CHECK(memcmp(a.texcoords, b.texcoords, 2 * number * (size_t)a.texcoord_count) == 0);
    TEST_CHECK(memcmp(a.normals, b.normals, 3 * number * (size_t)a.normal_count) == 0);
    TEST_CHECK(same_ids(a.face_begin, b.face_begin, a.face_count + 1));
    TEST_CHECK(same_ids(a.corner_vertices, b.corner_vertices, a.corner_count));
    TEST_CHECK(same_ids(a.corner_texcoords, b.corner_texcoords, a.corner_count));
    TEST_CHECK(same_ids(a.corner_normals, b.corner_normals, a.corner_count));
    TEST_CHECK(same_ids(a.face_groups, b.face_groups, a.face_count));
    TEST_CHECK(same_ids(a.face_materials, b.face_materials, a.face_count));
    for (int32_t g = 0; g < a.group_count; ++g) {
        TEST_STRING(a.groups[g], b.groups[g]);
    }
    for (int32_t m = 0; m < a.material_count; ++m) {
        const LyraSurfaceMaterial *x = &a.materials[m], *y = &b.materials[m];
        TEST_STRING(x->name, y->name);
        TEST_CHECK(memcmp(x->ambient, y->ambient, 3 * number) == 0);
        TEST_CHECK(memcmp(x->diffuse, y->diffuse, 3 * number) == 0);
        TEST_CHECK(memcmp(x->specular, y->specular, 3 * number) == 0);
        TEST_CHECK(x->shininess == y->shininess && x->opacity == y->opacity);
        TEST_EQUAL(x->illumination, y->illumination);
        TEST_CHECK(same_text(x->diffuse_map, y->diffuse_map));
    }
}

// ---- rules --------------------------------------------------------------------------------------

#define TRIANGLE "v 0 0 0\nv 1 0 0\nv 0 1 0\n"

LYRA_TEST(obj_indices_take_all_forms)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    LyraSurface *surface = parse(ctx, TRIANGLE "vt 0 0\nvt 1 0.5\nvt 0.25\nvn 0 0 1\nvn 0 0 -1\n"
                                               "f 1 2 3\n"
                                               "f 1/1 2/2 3/3\n"
                                               "f 1//1 2//2 3//1\n"
                                               "f 3/1/2 2/2/1 1/3/2\n"
                                               "f -3 -2 -1\n"
                                               "f -1/-1/-1 -2/-2/-2 -3/-3/-1\n"
                                               "f 1 2/1 3//2 1/2/2\n"
                                               "f 5 4 6\n"
                                               "v 0 0 1\nv 0 0 2\nv 0 0 3\n");
    LyraSurfaceView view = lyra_surface_view(surface);
    TEST_EQUAL(view.face_count, 8);
    TEST_EQUAL(view.vertex_count, 6);
    const int32_t vertices[] = {0, 1, 2, 0, 1, 2, 0, 1, 2, 2, 1, 0, 0,
                                1, 2, 2, 1, 0, 0, 1, 2, 0, 4, 3, 5};
    const int32_t texcoords[] = {-1, -1, -1, 0, 1, 2,  -1, -1, -1, 0,  1,  2, -1,
                                 -1, -1, 2,  1, 0, -1, 0,  -1, 1,  -1, -1, -1};
    const int32_t normals[] = {-1, -1, -1, -1, -1, -1, 0,  1, 0, 1,  0,  1, -1,
                               -1, -1, 1,  0,  1,  -1, -1, 1, 1, -1, -1, -1};
    TEST_REQUIRE(view.corner_count == 25);
    TEST_CHECK(same_ids(view.corner_vertices, vertices, 25));
    TEST_CHECK(same_ids(view.corner_texcoords, texcoords, 25));
    TEST_CHECK(same_ids(view.corner_normals, normals, 25));
    TEST_CHECK(view.texcoords[5] == 0 && view.texcoords[3] == 0.5);
    lyra_surface_destroy(surface);
    test_context_end(ctx);
}

LYRA_TEST(obj_lines_end_and_go_on_in_all_ways)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    LyraSurface *plain = parse(ctx, TRIANGLE "v 1 1 0\ng a b\nf 1 2 3\nf 2 4 3\n");
    static const char *const variants[] = {
        "v 0 0 0\r\nv 1 0 0\r\nv 0 1 0\r\nv 1 1 0\r\ng a b\r\nf 1 2 3\r\nf 2 4 3\r\n",
        "v 0 0 0\rv 1 0 0\rv 0 1 0\rv 1 1 0\rg a b\rf 1 2 3\rf 2 4 3",
        "\xef\xbb\xbfv 0 0 0 # first\n  v\t1 0 0#\n\n#v 7 7 7\nv 0 1 0\nv 1 1 0\ng \ta b  \n"
        "f 1 2 3 # f 4 5 6\nf 2 4 3",
        "v 0\\\n 0 0\nv \\\r\n1 0 0\nv 0 1\\\n0\nv 1 1 0 \\\n\ng a\\\nb\nf 1 2\\\n\\\n 3\nf \\\r2 "
        "4 "
        "3\\",
        "v 0 0 0 1\nv 1 0 0 .5 .5 .5\nv 0 1 0 1 0 0 1\nv 1 1 0\no a b\nf 1 2 3\nf 2 4 3\n",
        "vp 1 2\nl 1 2\np 1\ns 1\ns off\nv 0 0 0\nv 1 0 0\nv 0 1 0\nv 1 1 0\ncurv 1 2 \\\n v 9 9 "
        "9\n"
        "g a b\nf 1 2 3\ns 2\nshadow_obj x\nf 2 4 3\nvx\nfo 1 2 3\n",
        "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 1 1 0\ng a b\nf 1 2 3\ng a b\nf 2 4 3\nusemtl\n",
        "v 0e5 -0.0e-3 0\nv +1 0 0\nv 0 1. 0\nv 10e-1 .1e1 0\n# c\\\ng a b\nf +1 2 3\nf 2 4 3\n",
    };
    for (int32_t i = 0; i < (int32_t)(sizeof variants / sizeof variants[0]); ++i) {
        LyraSurface *surface = parse(ctx, variants[i]);
        if (!surface) {
            TEST_CHECK_MSG(false, "variant %d", i);
            continue;
        }
        LyraSurfaceView a = lyra_surface_view(plain), b = lyra_surface_view(surface);
        TEST_EQUAL(b.vertex_count, 4);
        TEST_EQUAL(b.group_count, 1);
        TEST_STRING(b.groups[0], "a b");
        TEST_CHECK_MSG(b.corner_count == 6 && same_ids(a.corner_vertices, b.corner_vertices, 6),
                       "variant %d", i);
        for (int32_t k = 0; k < 12; ++k) {
            TEST_CHECK(a.positions[k] == b.positions[k]);
        }
        lyra_surface_destroy(surface);
    }
    lyra_surface_destroy(plain);
    test_context_end(ctx);
}

LYRA_TEST(obj_groups_and_materials)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    LyraSurface *surface = parse(ctx, TRIANGLE "f 1 2 3\ng\nf 1 2 3\ng one\nusemtl Material #25\n"
                                               "f 1 2 3\nusemtl blue\ng one two\nf 1 2 3\n"
                                               "o one\nf 1 2 3\nusemtl Material #25\nf 1 2 3\n"
                                               "usemtl\nf 1 2 3\ng empty\n");
    LyraSurfaceView view = lyra_surface_view(surface);
    TEST_REQUIRE(view.group_count == 4 && view.material_count == 2 && view.face_count == 7);
    TEST_STRING(view.groups[0], "default");
    TEST_STRING(view.groups[1], "one");
    TEST_STRING(view.groups[2], "one two");
    TEST_STRING(view.groups[3], "empty");
    TEST_STRING(view.materials[0].name, "Material #25");
    TEST_CHECK(same_ids(view.face_groups, (int32_t[]){0, 0, 1, 2, 1, 1, 1}, 7));
    TEST_CHECK(same_ids(view.face_materials, (int32_t[]){-1, -1, 0, 1, 1, 0, -1}, 7));
    lyra_surface_destroy(surface);
    test_context_end(ctx);
}

LYRA_TEST(obj_errors_name_line_and_token)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    static const struct {
        const char *text, *message;
    } bad[] = {
        {"", "a.obj:1: "},
        {"hello world\n", "expected a vertex"},
        {"v 1 2\n", "a.obj:1: "},
        {"v 1 2 x\n", "a.obj:1: found \"x\", expected a finite number for z"},
        {"v 1 2 3x\n", "a.obj:1: found \"3x\""},
        {"v nan 0 0\n", "a.obj:1: found \"nan\""},
        {"v 0 1e999 0\n", "a.obj:1: found \"1e999\""},
        {"v 1 2 3 4 5 6 7 8\n", "expected the end of the line"},
        {"v 1,5 2 3\n", "a.obj:1: found \"1,5\""},
        {"vt\n", "expected a finite number for u"},
        {"vt 1 2 3 4\n", "expected the end of the line"},
        {"vn 1 2\n", "expected a finite number for z"},
        {TRIANGLE "\nf 1 2\n", "a.obj:5: "},
        {TRIANGLE "f\n", "three or more corners"},
        {TRIANGLE "f 1 2 0\n", "a.obj:4: found \"0\""},
        {TRIANGLE "f 1 2 4\n", "a.obj:4: found \"4\", expected a vertex index up to 3"},
        {TRIANGLE "f 1 9 4\nf 1 2 8\n", "a.obj:4: found \"9\""},
        {TRIANGLE "f 1 2 -4\n", "a.obj:4: found \"-4\""},
        {TRIANGLE "f 1 2 2147483647\n", "a.obj:4: "},
        {TRIANGLE "f 1 2 2147483646\n", "a.obj:4: "},
        {TRIANGLE "f 1 2 4294967297\n", "a.obj:4: "},
        {TRIANGLE "f 1 2 99999999999999999999\n", "a.obj:4: "},
        {TRIANGLE "f 1 2 -2147483648\n", "a.obj:4: "},
        {TRIANGLE "f 1/1 2 3\n", "a.obj:4: found \"1/1\", expected a texture coordinate index"},
        {TRIANGLE "f 1 2//7 3\n", "a.obj:4: found \"2//7\", expected a normal index"},
        {TRIANGLE "f 1/ 2 3\n", "a.obj:4: found \"1/\""},
        {TRIANGLE "f 1// 2 3\n", "a.obj:4: found \"1//\""},
        {TRIANGLE "f 1/1/1/1 2 3\n", "a.obj:4: found \"1/1/1/1\""},
        {TRIANGLE "f 1.5 2 3\n", "a.obj:4: found \"1.5\""},
        {TRIANGLE "f 1 2 3 a\n", "a.obj:4: found \"a\""},
        {TRIANGLE "g a \\ ", "backslash"},
    };
    for (int32_t i = 0; i < (int32_t)(sizeof bad / sizeof bad[0]); ++i) {
        LyraSurface *surface = NULL;
        if (!TEST_STATUS(parse_bytes(ctx, bad[i].text, strlen(bad[i].text), &surface),
                         LYRA_BAD_FORMAT)) {
            fprintf(stderr, "in %s\n", bad[i].text);
        }
        TEST_CONTAINS(lyra_error_message(), bad[i].message);
        TEST_CHECK(surface == NULL);
    }
    LyraSurface *surface = NULL;
    TEST_STATUS(parse_bytes(ctx, "v 0 0 0\ng a\0b\n", 14, &surface), LYRA_BAD_FORMAT);
    TEST_STATUS(lyra_surface_load(ctx, test_temp_path("none.obj"), LYRA_MESH_FORMAT_AUTO, &surface),
                LYRA_IO_FAILED);
    TEST_STATUS(lyra_surface_load(ctx, "a.foo", LYRA_MESH_FORMAT_AUTO, &surface), LYRA_BAD_FORMAT);
    TEST_CHECK(surface == NULL);
    test_context_end(ctx);
}

// ---- materials ----------------------------------------------------------------------------------

static const char mtl_sample[] = "# two materials\n"
                                 "newmtl red\n"
                                 "Ka 0.1 0.2 0.3\n"
                                 "\tKd .5\n"
                                 "Ks 1 1 1\r\n"
                                 "Ns 96.078\nd 0.75\nillum 2\n"
                                 "map_Kd -s 1 1 1 red wall.png\n"
                                 "Ke 0 0 0\nmap_Bump x.png\n"
                                 "newmtl second one\n"
                                 "Kd spectral a.rfl 1\nTr 0.25\nd -halo 0.5\n";

LYRA_TEST(mtl_rules)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    LyMaterials materials = {.names.ctx = ctx};
    TEST_OK(ly_mtl_parse("a.mtl", mtl_sample, strlen(mtl_sample), &materials));
    const LyraSurfaceMaterial *list = ly_materials_list(&materials);
    TEST_REQUIRE(materials.names.count == 2);
    TEST_STRING(list[0].name, "red");
    TEST_CHECK(list[0].ambient[2] == 0.3 && list[0].diffuse[2] == 0.5 && list[0].specular[0] == 1);
    TEST_CHECK(list[0].shininess == 96.078 && list[0].opacity == 0.75);
    TEST_EQUAL(list[0].illumination, 2);
    TEST_STRING(list[0].diffuse_map, "-s 1 1 1 red wall.png");
    TEST_STRING(list[1].name, "second one");
    TEST_CHECK(list[1].opacity == 0.5);
    // what a material does not say is as the format has it
    for (int i = 0; i < 3; ++i) {
        TEST_CHECK(list[1].ambient[i] == 0.2 && list[1].diffuse[i] == 0.8 &&
                   list[1].specular[i] == 0);
    }
    // what is defined stays
    const char *again = "newmtl red\nKd 0 0 0\nmap_Kd other.png\nnewmtl third\nTr 1\n";
    TEST_OK(ly_mtl_parse("b.mtl", again, strlen(again), &materials));
    list = ly_materials_list(&materials);
    TEST_EQUAL(materials.names.count, 3);
    TEST_CHECK(list[0].diffuse[0] == 0.5 && list[2].opacity == 0);
    ly_materials_release(&materials);
    static const struct {
        const char *text, *message;
    } bad[] = {
        {"Kd 1 1 1\n", "a.mtl:1: found \"Kd\", expected newmtl first"},
        {"newmtl\n", "expected the name of a material"},
        {"newmtl a\nKd\n", "a.mtl:2: "},
        {"newmtl a\nKd 1 2\n", "for blue"},
        {"newmtl a\nKd 1 2 3 4\n", "the end of the line"},
        {"newmtl a\nNs nan\n", "found \"nan\""},
        {"newmtl a\nillum 1.5\n", "found \"1.5\""},
        {"newmtl a\nillum 99999999999\n", "a.mtl:2: "},
    };
    for (int32_t i = 0; i < (int32_t)(sizeof bad / sizeof bad[0]); ++i) {
        TEST_STATUS(ly_mtl_parse("a.mtl", bad[i].text, strlen(bad[i].text), &materials),
                    LYRA_BAD_FORMAT);
        TEST_CONTAINS(lyra_error_message(), bad[i].message);
        ly_materials_release(&materials);
    }
    test_context_end(ctx);
}

static int32_t warnings;
static char last_warning[512];

static void count_warning(void *user, LyraLogLevel level, const char *message)
{
    (void)user;
    warnings += level == LYRA_LOG_WARNING;
    snprintf(last_warning, sizeof last_warning, "%s", message);
}

static LyraSurface *load_text(LyraContext *ctx, const char *text)
{
    const char *path = test_temp_path("text.obj");
    LyraSurface *surface = NULL;
    test_write_file(path, text, strlen(text));
    warnings = 0;
    TEST_OK(lyra_surface_load(ctx, path, LYRA_MESH_FORMAT_AUTO, &surface));
    return surface;
}

LYRA_TEST(material_libraries_are_found_beside_the_file)
{
    LyraContextDef def = lyra_context_def_default();
    def.log = count_warning;
    LyraContext *ctx = NULL;
    TEST_REQUIRE_OK(lyra_context_create(&def, &ctx));
    test_write_file(test_temp_path("some colours.mtl"), mtl_sample, strlen(mtl_sample));
    test_write_file(test_temp_path("b.mtl"), "newmtl b\nKd 1 0 0\n", 18);
    LyraSurface *surface =
        load_text(ctx, "mtllib some colours.mtl\n" TRIANGLE "usemtl red\nf 1 2 3\n");
    TEST_EQUAL(warnings, 0);
    LyraSurfaceView view = lyra_surface_view(surface);
    TEST_EQUAL(view.material_count, 2);
    TEST_CHECK(view.materials[view.face_materials[0]].shininess == 96.078);
    lyra_surface_destroy(surface);
    // several on a line, one of them missing; used before the library comes
    surface = load_text(ctx, TRIANGLE "usemtl b\nf 1 2 3\nmtllib none.mtl b.mtl\nmtllib b.mtl\n");
    TEST_EQUAL(warnings, 0);
    view = lyra_surface_view(surface);
    TEST_CHECK(view.material_count == 1 && view.materials[0].diffuse[1] == 0);
    lyra_surface_destroy(surface);
    // missing altogether, twice: one warning for it and one for the material
    surface = load_text(ctx, "mtllib none.mtl\nmtllib none.mtl\n" TRIANGLE "usemtl c\nf 1 2 3\n");
    TEST_EQUAL(warnings, 2);
    TEST_CONTAINS(last_warning, "\"c\"");
    lyra_surface_destroy(surface);
    // one that is a pipe is not waited for
    warnings = 0;
    remove(test_temp_path("pipe.mtl"));
    TEST_REQUIRE(mkfifo(test_temp_path("pipe.mtl"), 0600) == 0);
    surface = load_text(ctx, "mtllib pipe.mtl\n" TRIANGLE "f 1 2 3\n");
    TEST_EQUAL(warnings, 1);
    lyra_surface_destroy(surface);
    // 40,000 names of one file, itself: read as often, this would take minutes
    enum { NAMES = 40000 };
    char *text = malloc((size_t)NAMES * 250 + 100), *at = text;
    for (int i = 0; i < NAMES; ++i) {
        at += sprintf(at, "mtllib ");
        for (int j = 0; j < 16; ++j) {
            at += sprintf(at, i >> j & 1 ? ".//" : "./");
        }
        at += sprintf(at, "text.obj\n");
    }
    sprintf(at, TRIANGLE "f 1 2 3\n");
    surface = load_text(ctx, text);
    lyra_surface_destroy(surface);
    free(text);
    // a bad one is an error in its own name
    test_write_file(test_temp_path("bad.mtl"), "newmtl b\nKd red\n", 16);
    test_write_file(test_temp_path("text.obj"), "mtllib bad.mtl\n", 15);
    surface = NULL;
    TEST_STATUS(lyra_surface_load(ctx, test_temp_path("text.obj"), LYRA_MESH_FORMAT_OBJ, &surface),
                LYRA_BAD_FORMAT);
    TEST_CONTAINS(lyra_error_message(), "bad.mtl:2: found \"red\"");
    TEST_EQUAL(lyra_context_byte_count(ctx), 0);
    lyra_context_destroy(ctx);
}

// ---- round trips --------------------------------------------------------------------------------

static const char obj_sample[] = "mtllib a.mtl\n"
                                 "v 0.1 -2e-7 3\nv 1 0 0\nv 0 1 0\nv 1 1 1.7976931348623157e308\n"
                                 "vt 0.3 0.7\nvt 1 0\nvn 0 0 1\nvn 0.6 0.8 0\n"
                                 "g left\nusemtl a\nf 1/1/1 2//2 3\n"
                                 "g right\nusemtl b c\ns 1\nf -1/2 -2 \\\n-3 -4\n"
                                 "usemtl\nf 1 2 3 # last\n";

static void check_round_trip(LyraContext *ctx, const LyraSurface *surface)
{
    const char *path = test_temp_path("back.obj");
    LyraSurface *back = NULL, *again = NULL;
    TEST_OK(lyra_surface_save(surface, path, LYRA_MESH_FORMAT_AUTO));
    size_t length, second_length;
    char *text = test_read_file(path, &length);
    TEST_OK(lyra_surface_load(ctx, path, LYRA_MESH_FORMAT_AUTO, &back));
    TEST_REQUIRE(back && text);
    check_same(surface, back);
    // the text of what was read back is the same as well
    TEST_OK(lyra_surface_save(back, path, LYRA_MESH_FORMAT_AUTO));
    char *second = test_read_file(path, &second_length);
    TEST_CHECK(length == second_length && memcmp(text, second, length) == 0);
    free(text);
    free(second);
    lyra_surface_destroy(back);
    lyra_surface_destroy(again);
}

LYRA_TEST(obj_files_come_back_to_the_bit)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    LyraSurface *surface = parse(ctx, obj_sample);
    check_round_trip(ctx, surface);
    lyra_surface_destroy(surface);
    // groups out of order and empty, materials of all kinds, numbers of all kinds
    TestRandom random = test_random(12);
    enum { COUNT = 500 };
    double *numbers = malloc(sizeof *numbers * 3 * COUNT);
    for (int32_t i = 0; i < 3 * COUNT; ++i) {
        uint64_t bits = test_random_bits(&random);
        memcpy(&numbers[i], &bits, sizeof bits);
        numbers[i] = isfinite(numbers[i]) ? numbers[i] : test_random_in(&random, -1, 1);
    }
    int32_t begin[101] = {0}, corners[700], texcoords[700], normals[700], groups[100], looks[100];
    for (int32_t f = 0; f < 100; ++f) {
        begin[f + 1] = begin[f] + 3 + test_random_below(&random, 5);
        groups[f] = test_random_below(&random, 4);
        looks[f] = test_random_below(&random, 4) - 1;
    }
    for (int32_t c = 0; c < 700; ++c) {
        corners[c] = test_random_below(&random, COUNT);
        texcoords[c] = test_random_below(&random, COUNT) - COUNT / 2;
        texcoords[c] = texcoords[c] < -1 ? -1 : texcoords[c];
        normals[c] = test_random_below(&random, 10) - 1;
    }
    LyraSurfaceMaterial materials[4];
    for (int32_t m = 0; m < 4; ++m) {
        materials[m] = lyra_surface_material_default();
        memcpy(materials[m].diffuse, numbers + 3 * m, sizeof materials[m].diffuse);
        materials[m].shininess = numbers[50 + m];
        materials[m].opacity = numbers[60 + m];
        materials[m].illumination = m - 2;
        materials[m].diffuse_map = m % 2 ? "a picture.png" : NULL;
    }
    materials[0].name = "z";
    materials[1].name = "a  #1";
    materials[2].name = "m/n";
    materials[3].name = "\xc3\xa4";
    LyraSurfaceView data = {
        .vertex_count = COUNT,
        .face_count = 100,
        .corner_count = begin[100],
        .texcoord_count = COUNT / 2,
        .normal_count = 9,
        .group_count = 5,
        .material_count = 4,
        .positions = numbers,
        .texcoords = numbers,
        .normals = numbers,
        .face_begin = begin,
        .corner_vertices = corners,
        .corner_texcoords = texcoords,
        .corner_normals = normals,
        .face_groups = groups,
        .face_materials = looks,
        .groups = (const char *const[]){"b", "a", "d c", "#e", "nothing"},
        .materials = materials,
    };
    TEST_OK(lyra_surface_create(ctx, &data, &surface));
    check_round_trip(ctx, surface);
    lyra_surface_destroy(surface);
    free(numbers);
    test_context_end(ctx);
}

LYRA_TEST(surfaces_are_not_saved_where_they_cannot_be)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    LyraSurface *surface = parse(ctx, obj_sample);
    TEST_STATUS(lyra_surface_save(surface, "/nowhere/at/all.obj", LYRA_MESH_FORMAT_AUTO),
                LYRA_IO_FAILED);
    TEST_CONTAINS(lyra_error_message(), "/nowhere/at/all.obj");
    TEST_STATUS(lyra_surface_save(surface, test_temp_path("a.foo"), LYRA_MESH_FORMAT_AUTO),
                LYRA_UNSUPPORTED);
    TEST_STATUS(lyra_surface_save(surface, test_temp_path("a\nb.obj"), LYRA_MESH_FORMAT_AUTO),
                LYRA_INVALID_ARGUMENT);
    lyra_surface_destroy(surface);
    test_context_end(ctx);
}

LYRA_TEST(reference_surfaces_load_and_come_back)
{
    static const struct {
        const char *name;
        int32_t vertices, faces;
        bool closed;
        int64_t euler;
    } files[] = {
        {"meshes/asianDragon.veg.obj", 959, 1854, true, 2},
        {"meshes/beam3.obj", 208, 206, true, 2},
        {"meshes/beam3_tet.obj", 208, 412, true, 2},
        {"meshes/cloth100.obj", 10201, 20000, false, 1},
        {"meshes/quintupleTorus.obj", 15211, 30438, true, -8},
        {"meshes/simpleBridge-ic_128_0.15_.1.obj", 4000, 7058, true, -50},
        {"meshes/simpleBridge_resol92-b1.155_enlarged.obj", 3923, 3848, true, -64},
        {"meshes/towerCrane_resol166.obj", 9875, 8150, true, -97},
        {"meshes/turtle-volumetric.obj", 347, 530, true, 2},
        {"meshes/turtle.obj", 1961, 1884, false, 6},
    };
    if (!test_reference_path(files[0].name)) {
        TEST_SKIP("no reference meshes");
    }
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    for (int32_t i = 0; i < (int32_t)(sizeof files / sizeof files[0]); ++i) {
        LyraSurface *surface = NULL, *triangles = NULL;
        LyraSurfaceReport report;
        TEST_REQUIRE_OK(lyra_surface_load(ctx, test_reference_path(files[i].name),
                                          LYRA_MESH_FORMAT_AUTO, &surface));
        LyraSurfaceView view = lyra_surface_view(surface);
        TEST_EQUAL(view.vertex_count, files[i].vertices);
        TEST_EQUAL(view.face_count, files[i].faces);
        TEST_OK(lyra_surface_report(surface, &report));
        TEST_EQUAL(report.closed, files[i].closed);
        TEST_EQUAL(report.euler, files[i].euler);
        check_round_trip(ctx, surface);
        TEST_OK(lyra_surface_triangulate(surface, &triangles));
        TEST_OK(lyra_surface_report(triangles, &report));
        TEST_EQUAL(report.closed, files[i].closed);
        TEST_EQUAL(report.euler, files[i].euler);
        lyra_surface_destroy(surface);
        lyra_surface_destroy(triangles);
    }
    test_context_end(ctx);
}

// ---- hostile files ------------------------------------------------------------------------------

// whatever comes: a status with a sentence, or a surface that can be used
static void parse_hostile(LyraContext *ctx, const char *text, size_t length)
{
    LyraSurface *surface = NULL, *triangles = NULL;
    LyraStatus status = parse_bytes(ctx, text, length, &surface);
    if (status == LYRA_OK) {
        LyraSurfaceReport report;
        TEST_OK(lyra_surface_triangulate(surface, &triangles));
        TEST_OK(lyra_surface_report(triangles, &report));
    } else {
        TEST_CHECK(status == LYRA_BAD_FORMAT);
        TEST_CONTAINS(lyra_error_message(), "a.obj:");
        TEST_CHECK(surface == NULL);
    }
    lyra_surface_destroy(surface);
    lyra_surface_destroy(triangles);
}

static void parse_hostile_mtl(LyraContext *ctx, const char *text, size_t length)
{
    char *copy = malloc(length + 1);
    memcpy(copy, text, length);
    copy[length] = '\0';
    LyMaterials materials = {.names.ctx = ctx};
    LyraStatus status = ly_mtl_parse("a.mtl", copy, length, &materials);
    if (status != LYRA_OK) {
        TEST_CHECK(status == LYRA_BAD_FORMAT);
        TEST_CONTAINS(lyra_error_message(), "a.mtl:");
    }
    ly_materials_release(&materials);
    free(copy);
}

static void cut_and_flip(const char *sample, void (*try)(LyraContext *, const char *, size_t))
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    size_t length = strlen(sample);
    char text[1024];
    TEST_REQUIRE(length < sizeof text);
    for (size_t cut = 0; cut <= length; ++cut) {
        try(ctx, sample, cut);
    }
    for (size_t at = 0; at < length; ++at) {
        memcpy(text, sample, length);
        for (int32_t byte = 0; byte < 256; ++byte) {
            text[at] = (char)byte;
            try(ctx, text, length);
        }
    }
    test_context_end(ctx);
}

LYRA_TEST(obj_truncated_and_flipped)
{
    cut_and_flip(obj_sample, parse_hostile);
}

LYRA_TEST(mtl_truncated_and_flipped)
{
    cut_and_flip(mtl_sample, parse_hostile_mtl);
}

LYRA_TEST(obj_of_many_groups_and_one_large_face)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    enum { COUNT = 20000 };
    char *text = malloc(COUNT * 40 + 100), *at = text;
    at += sprintf(at, TRIANGLE);
    for (int32_t i = 0; i < COUNT; ++i) {
        at += sprintf(at, "g part %d\nusemtl m%d\nf 1 2 3\n", i, i % 5000);
    }
    LyraSurface *surface = parse(ctx, text);
    TEST_EQUAL(lyra_surface_view(surface).group_count, COUNT);
    TEST_EQUAL(lyra_surface_view(surface).material_count, 5000);
    check_round_trip(ctx, surface);
    lyra_surface_destroy(surface);
    at = text + sprintf(text, TRIANGLE "f");
    for (int32_t i = 0; i < COUNT; ++i) {
        at += sprintf(at, " %d", 1 + i % 3);
    }
    surface = parse(ctx, text);
    TEST_EQUAL(lyra_surface_view(surface).corner_count, COUNT);
    lyra_surface_destroy(surface);
    free(text);
    test_context_end(ctx);
}

static LyraStatus load_and_save(LyraContext *ctx, void *data)
{
    const char **paths = data;
    LyraSurface *surface = NULL;
    LyraStatus status = lyra_surface_load(ctx, paths[0], LYRA_MESH_FORMAT_AUTO, &surface);
    if (status == LYRA_OK) {
        status = lyra_surface_save(surface, paths[1], LYRA_MESH_FORMAT_AUTO);
    }
    lyra_surface_destroy(surface);
    return status;
}

LYRA_TEST(obj_survives_failing_allocations)
{
    const char *library = "newmtl a\nmap_Kd x \\\n y\nnewmtl b c\nmap_Kd z\nnewmtl a\nmap_Kd w\n";
    const char *paths[] = {test_temp_path("fail.obj"), test_temp_path("failed.obj")};
    test_write_file(paths[0], obj_sample, strlen(obj_sample));
    test_write_file(test_temp_path("a.mtl"), library, strlen(library));
    test_fail_each_allocation(load_and_save, paths);
}
