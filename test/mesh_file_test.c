// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

#include "mesh_file_test.h"

#include <float.h>
#include <stdlib.h>
#include <string.h>

// ---- comparing ----------------------------------------------------------------------------------

static void check_bits(const void *a, const void *b, size_t bytes, const char *part,
                       const char *what)
{
    TEST_CHECK_MSG(bytes == 0 || memcmp(a, b, bytes) == 0, "%s: %s differ", what, part);
}

static void check_materials(const LyraMeshMaterial *a, const LyraMeshMaterial *b, const char *what)
{
    TEST_STRING(a->name, b->name);
    TEST_EQUAL(a->kind, b->kind);
    check_bits(&a->density, &b->density, sizeof a->density, "densities", what);
    switch (a->kind) {
    case LYRA_MESH_MATERIAL_ENU:
        check_bits(&a->enu, &b->enu, sizeof a->enu, "ENU constants", what);
        break;
    case LYRA_MESH_MATERIAL_MOONEY_RIVLIN:
        check_bits(&a->mooney_rivlin, &b->mooney_rivlin, sizeof a->mooney_rivlin,
                   "Mooney-Rivlin constants", what);
        break;
    default:
        check_bits(&a->orthotropic, &b->orthotropic, sizeof a->orthotropic, "orthotropic constants",
                   what);
        break;
    }
}

void test_meshes_equal(const LyraMesh *mesh_a, const LyraMesh *mesh_b, const char *what)
{
    LyraMeshView a = lyra_mesh_view(mesh_a), b = lyra_mesh_view(mesh_b);
    TEST_REQUIRE(a.kind == b.kind && a.vertex_count == b.vertex_count &&
                 a.element_count == b.element_count && a.material_count == b.material_count &&
                 a.set_count == b.set_count && a.region_count == b.region_count);
    size_t vertices = (size_t)a.vertex_count, elements = (size_t)a.element_count;
    size_t nodes = (size_t)lyra_element_kind_nodes(a.kind);
    check_bits(a.positions, b.positions, 3 * vertices * sizeof(double), "positions", what);
    check_bits(a.elements, b.elements, nodes * elements * sizeof(int32_t), "elements", what);
    check_bits(a.element_materials, b.element_materials, elements * sizeof(int32_t),
               "materials of elements", what);
    check_bits(a.regions, b.regions, (size_t)a.region_count * sizeof *a.regions, "regions", what);
    for (int32_t m = 0; m < a.material_count; ++m) {
        check_materials(&a.materials[m], &b.materials[m], what);
    }
    for (int32_t s = 0; s < a.set_count; ++s) {
        TEST_STRING(a.sets[s].name, b.sets[s].name);
        TEST_REQUIRE(a.sets[s].count == b.sets[s].count);
        check_bits(a.sets[s].elements, b.sets[s].elements,
                   (size_t)a.sets[s].count * sizeof(int32_t), "sets", what);
    }
}

// ---- reading ------------------------------------------------------------------------------------

LyraStatus test_load_text(LyraContext *ctx, const char *path, const char *text, LyraMesh **out)
{
    const LyraMemoryFile file = {.path = path, .bytes = text, .length = strlen(text)};
    return lyra_mesh_load_memory(ctx, &file, 1, LYRA_MESH_FORMAT_AUTO, out);
}

void test_check_refused(const char *path, const char *text, LyraStatus status, const char *sentence)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    LyraMesh *mesh = NULL;
    TEST_STATUS(test_load_text(ctx, path, text, &mesh), status);
    TEST_STRING(lyra_error_message(), sentence);
    TEST_CHECK(!mesh);
    lyra_mesh_destroy(mesh);
    test_context_end(ctx);
}

void test_round_trip(const LyraMesh *mesh, const char *name)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    LyraMesh *back = NULL;
    const char *path = test_temp_path(name);
    TEST_OK(lyra_mesh_save(mesh, path, LYRA_MESH_FORMAT_AUTO));
    if (TEST_OK(lyra_mesh_load(ctx, path, LYRA_MESH_FORMAT_AUTO, &back))) {
        test_meshes_equal(mesh, back, name);
    }
    lyra_mesh_destroy(back);
    test_context_end(ctx);
}

LyraMesh *test_awkward_mesh(LyraContext *ctx, LyraElementKind kind)
{
    static const double positions[12][3] = {
        {-0.0, 0, 5e-324},
        {1, 1.0 / 3, DBL_MIN},
        {DBL_MAX, -DBL_MAX, 0.1},
        {123456789.123456789, 1e22, 1e23},
        {9007199254740993.0, 4.35, 0.000035},
        {2.2250738585072011e-308, 1e-5, 1e21},
        {0.30000000000000004, -1e-300, 299792458},
        {1.7976931348623157e308, 8.5e-320, 4},
        {1, 2, 3},
        {5e-5, 6, 7},
        {8, 9, 10},
        {DBL_EPSILON, 11, 12},
    };
    static const int32_t tets[2][4] = {{0, 1, 2, 3}, {8, 11, 10, 9}};
    static const int32_t cubes[2][8] = {{0, 1, 2, 3, 4, 5, 6, 7}, {11, 10, 9, 8, 7, 6, 5, 4}};
    static const LyraMeshMaterial materials[] = {
        {.name = "soft", .density = 1000.1, .enu = {1e6 / 3, 0.1 + 0.2}},
        {.name = "a b (\"quoted\") <&> \xc3\xa9",
         .kind = LYRA_MESH_MATERIAL_MOONEY_RIVLIN,
         .density = 5e-324,
         .mooney_rivlin = {1.0 / 7, -2e300, 3}},
        {.name = "wood",
         .kind = LYRA_MESH_MATERIAL_ORTHOTROPIC,
         .density = 700,
         .orthotropic = {{1e9, 2e9 / 3, 3e9},
                         {0.1, 0.2, 0.3},
                         {1e8, 1.0 / 3, 7},
                         {0, 1, 0, -1, -0.0, 0, 0, 0, 1.0 / 3}}},
    };
    static const int32_t both[] = {0, 1}, second[] = {1};
    static const LyraMeshSet sets[] = {
        {.name = "both of them", .elements = both, .count = 2},
        {.name = "none"},
        {.name = "second", .elements = second, .count = 1},
    };
    static const LyraMeshRegion regions[] = {{1, LYRA_MESH_ALL_ELEMENTS}, {0, 2}, {2, 1}};
    const LyraMeshView view = {
        .kind = kind,
        .vertex_count = 12,
        .element_count = 2,
        .positions = positions[0],
        .elements = kind == LYRA_ELEMENT_TET4 ? tets[0] : cubes[0],
        .material_count = 3,
        .set_count = 3,
        .region_count = 3,
        .materials = materials,
        .sets = sets,
        .regions = regions,
    };
    LyraMesh *mesh = NULL;
    if (!TEST_OK(lyra_mesh_create(ctx, &view, &mesh))) {
        exit(EXIT_FAILURE);
    }
    return mesh;
}

// ---- damage -------------------------------------------------------------------------------------

/// One load of files that may be damaged in any way.
static void load_damaged(LyraContext *ctx, const LyraMemoryFile *files, int32_t count,
                         LyraMeshFormat format)
{
    size_t bytes = 0;
    for (int32_t i = 0; i < count; ++i) {
        bytes += files[i].length;
    }
    int64_t held = test_allocation_bytes();
    test_allocation_peak_reset();
    LyraMesh *mesh = NULL;
    LyraStatus status = lyra_mesh_load_memory(ctx, files, count, format, &mesh);
    int64_t peak = test_allocation_peak() - held;
    TEST_CHECK_MSG(peak <= 65536 + 40 * (int64_t)bytes, "%lld bytes allocated for %zu of text",
                   (long long)peak, bytes);
    if (status == LYRA_OK) {
        LyraMeshView view = lyra_mesh_view(mesh);
        int32_t nodes = lyra_element_kind_nodes(view.kind);
        for (int64_t i = 0; i < (int64_t)nodes * view.element_count; ++i) {
            TEST_CHECK((uint32_t)view.elements[i] < (uint32_t)view.vertex_count);
        }
    } else {
        TEST_CHECK(status == LYRA_BAD_FORMAT || status == LYRA_NOT_FINITE ||
                   status == LYRA_IO_FAILED || status == LYRA_UNSUPPORTED ||
                   status == LYRA_BAD_MESH || status == LYRA_TOO_LARGE);
        TEST_CHECK(!mesh && strlen(lyra_error_message()) > 10);
    }
    lyra_mesh_destroy(mesh);
    TEST_CHECK_MSG(test_allocation_bytes() == held, "memory leaked: %s", lyra_error_message());
}

/// A copy of one file with exact bounds, so that a sanitizer sees every byte read beyond them.
static char *copy_of(const LyraMemoryFile *file, size_t length)
{
    char *copy = malloc(length > 0 ? length : 1);
    memcpy(copy, file->bytes, length);
    return copy;
}

void test_cut_files(const LyraMemoryFile *files, int32_t count, LyraMeshFormat format, size_t step)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    LyraMemoryFile damaged[16];
    memcpy(damaged, files, (size_t)count * sizeof *files);
    for (int32_t f = 0; f < count; ++f) {
        for (size_t length = 0; length <= files[f].length; length += step) {
            char *copy = copy_of(&files[f], length);
            damaged[f] = (LyraMemoryFile){files[f].path, copy, length};
            load_damaged(ctx, damaged, count, format);
            free(copy);
        }
        damaged[f] = files[f];
    }
    test_context_end(ctx);
}

void test_damaged_files(const LyraMemoryFile *files, int32_t count, LyraMeshFormat format)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    LyraMesh *whole = NULL;
    TEST_OK(lyra_mesh_load_memory(ctx, files, count, format, &whole));
    lyra_mesh_destroy(whole);
    test_cut_files(files, count, format, 1);
    LyraMemoryFile damaged[16];
    memcpy(damaged, files, (size_t)count * sizeof *files);
    for (int32_t f = 0; f < count; ++f) {
        char *copy = copy_of(&files[f], files[f].length);
        bool many = files[f].length > 1500;
        damaged[f].bytes = copy;
        for (size_t at = 0; at < files[f].length; ++at) {
            char original = copy[at];
            // all values, or all single bits where there are many bytes
            for (int change = 1; change < 256; change = many ? 2 * change : change + 1) {
                copy[at] = (char)(original ^ change);
                load_damaged(ctx, damaged, count, format);
            }
            copy[at] = original;
        }
        damaged[f] = files[f];
        free(copy);
    }
    test_context_end(ctx);
}
