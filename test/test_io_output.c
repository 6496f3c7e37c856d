// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Results in files: series, collections, animated surfaces, fields, checkpoints.

#include "lyra/matrix_file.h"
#include "lyra/output.h"
#include "mesh_file_test.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// ---- series -------------------------------------------------------------------------------------

static LyraSeries *start(LyraContext *ctx, const char *path, const LyraSeriesDef *def)
{
    LyraSeries *series = NULL;
    TEST_OK(lyra_series_create(ctx, path, def, &series));
    return series;
}

// a series of rows is an array of two dimensions, which our own reader takes
static void check_rows(LyraContext *ctx, const char *path, int32_t frames)
{
    LyraDense *dense = NULL;
    TEST_REQUIRE_OK(lyra_dense_load_npy(ctx, path, &dense));
    LyraDenseView view = lyra_dense_view(dense);
    TEST_EQUAL(view.rows, frames);
    TEST_EQUAL(view.columns, 4);
    for (int32_t f = 0; f < view.rows; ++f) {
        for (int32_t i = 0; i < view.columns; ++i) {
            TEST_CHECK(view.values[f + i * view.rows] == f + 0.1 * i);
        }
    }
    lyra_dense_destroy(dense);
}

static void append_rows(LyraSeries *series, int32_t begin, int32_t end)
{
    for (int32_t f = begin; f < end; ++f) {
        double row[4] = {f, f + 0.1 * 1, f + 0.1 * 2, f + 0.1 * 3};
        TEST_OK(lyra_series_append(series, row));
    }
}

LYRA_TEST(series_npy_grows_and_goes_on)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    const char *path = test_temp_path("rows.npy");
    LyraSeriesDef def = lyra_series_def_default();
    def.dimensions = 1;
    def.shape[0] = 4;
    LyraSeries *series = start(ctx, path, &def);
    check_rows(ctx, path, 0);
    append_rows(series, 0, 3);
    // whole at any time, while it is open
    check_rows(ctx, path, 3);
    append_rows(series, 3, 12);
    TEST_EQUAL(lyra_series_frames(series), 12);
    TEST_OK(lyra_series_sync(series));
    lyra_series_destroy(series);
    check_rows(ctx, path, 12);
    // go on after frame 5, as after a restart
    def.keep = 5;
    series = start(ctx, path, &def);
    check_rows(ctx, path, 5);
    append_rows(series, 5, 7);
    lyra_series_destroy(series);
    check_rows(ctx, path, 7);
    // a frame of which only a part was written, and which the head does not count
    size_t bytes;
    char *content = test_read_file(path, &bytes);
    TEST_EQUAL(bytes, 128 + 7 * 32);
    test_write_file(path, content, bytes - 5);
    def.keep = 6;
    series = start(ctx, path, &def);
    lyra_series_destroy(series);
    check_rows(ctx, path, 6);
    free(content);
    test_context_end(ctx);
}

LYRA_TEST(series_refuses_what_it_did_not_write)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    const char *path = test_temp_path("other.npy");
    LyraSeriesDef def = lyra_series_def_default(), wrong;
    LyraSeries *series = NULL;
    double frame[6] = {1, 2, 3, 4, 5, 6};
    def.shape[0] = 2;
    def.shape[1] = 3;
    wrong = def;
    wrong.keep = 0;
    TEST_STATUS(lyra_series_create(ctx, test_temp_path("none.npy"), &wrong, &series),
                LYRA_IO_FAILED);
    series = start(ctx, path, &def);
    TEST_OK(lyra_series_append(series, frame));
    lyra_series_destroy(series);
    size_t bytes;
    char *content = test_read_file(path, &bytes);
    TEST_CONTAINS(content + 10, "'shape': (1, 2, 3), }");
    wrong.shape[0] = 3;
    TEST_STATUS(lyra_series_create(ctx, path, &wrong, &series), LYRA_BAD_FORMAT);
    wrong = def;
    wrong.keep = 2;
    TEST_STATUS(lyra_series_create(ctx, path, &wrong, &series), LYRA_BAD_FORMAT);
    TEST_CONTAINS(lyra_error_message(), "holds 1 frames, expected at least 2");
    wrong.keep = 1;
    wrong.format = LYRA_SERIES_PC2;
    TEST_STATUS(lyra_series_create(ctx, path, &wrong, &series), LYRA_BAD_FORMAT);
    // none of them touched it
    size_t bytes_after;
    char *after = test_read_file(path, &bytes_after);
    TEST_CHECK(bytes_after == bytes && memcmp(after, content, bytes) == 0);
    wrong = def;
    wrong.shape[1] = -1;
    TEST_STATUS(lyra_series_create(ctx, path, &wrong, &series), LYRA_INVALID_ARGUMENT);
    wrong = (LyraSeriesDef){.dimensions = 0};
    TEST_STATUS(lyra_series_create(ctx, path, &wrong, &series), LYRA_INVALID_ARGUMENT);
    TEST_STATUS(lyra_series_create(ctx, test_temp_path("no/such/folder.npy"), &def, &series),
                LYRA_IO_FAILED);
    free(content);
    free(after);
    test_context_end(ctx);
}

LYRA_TEST(series_pc2_has_the_head_that_others_read)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    const char *path = test_temp_path("cache.pc2");
    LyraSeriesDef def = lyra_series_def_default();
    double frame[6] = {1, 2, 3, 4, 5, 0.1};
    def.format = LYRA_SERIES_PC2;
    def.shape[0] = 2;
    def.shape[1] = 3;
    LyraSeries *series = start(ctx, path, &def);
    TEST_OK(lyra_series_append(series, frame));
    frame[0] = -7;
    TEST_OK(lyra_series_append(series, frame));
    lyra_series_destroy(series);
    // "POINTCACHE2", 0, then 1, 2 points, 0.f, 1.f, 2 samples, little-endian
    static const unsigned char head[32] = {'P', 'O', 'I', 'N', 'T',  'C',  'A', 'C', 'H', 'E', '2',
                                           0,   1,   0,   0,   0,    2,    0,   0,   0,   0,   0,
                                           0,   0,   0,   0,   0x80, 0x3f, 2,   0,   0,   0};
    size_t bytes;
    char *content = test_read_file(path, &bytes);
    TEST_EQUAL(bytes, 32 + 2 * 24);
    TEST_CHECK(memcmp(content, head, sizeof head) == 0);
    // 0.1f is 0x3dcccccd, -7 is 0xc0e00000
    static const unsigned char tenth[4] = {0xcd, 0xcc, 0xcc, 0x3d}, seven[4] = {0, 0, 0xe0, 0xc0};
    TEST_CHECK(memcmp(content + 32 + 20, tenth, 4) == 0);
    TEST_CHECK(memcmp(content + 32 + 24, seven, 4) == 0);
    free(content);
    def.shape[1] = 2;
    TEST_STATUS(lyra_series_create(ctx, path, &def, &series), LYRA_INVALID_ARGUMENT);
    test_context_end(ctx);
}

LYRA_TEST(series_vega_is_a_matrix_of_columns)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    const char *path = test_temp_path("matrix.u");
    LyraSeriesDef def = lyra_series_def_default();
    double frame[6] = {1, 2, 3, 4, 5, 0.1};
    def.format = LYRA_SERIES_VEGA;
    def.shape[0] = 2;
    def.shape[1] = 3;
    LyraSeries *series = start(ctx, path, &def);
    for (int f = 0; f < 3; ++f) {
        frame[0] = 0.7 * f;
        TEST_OK(lyra_series_append(series, frame));
    }
    lyra_series_destroy(series);
    // two of them stay, one is added
    def.keep = 2;
    series = start(ctx, path, &def);
    frame[0] = -9;
    TEST_OK(lyra_series_append(series, frame));
    lyra_series_destroy(series);
    LyraDense *matrix = NULL;
    TEST_REQUIRE_OK(lyra_dense_load_vega(ctx, path, &matrix));
    LyraDenseView view = lyra_dense_view(matrix);
    TEST_EQUAL(view.rows, 6);
    TEST_EQUAL(view.columns, 3);
    TEST_CHECK(view.values[0] == 0 && view.values[6] == 0.7 && view.values[12] == -9);
    TEST_CHECK(memcmp(view.values + 13, frame + 1, 5 * sizeof *frame) == 0);
    lyra_dense_destroy(matrix);
    def.keep = 4;
    TEST_STATUS(lyra_series_create(ctx, path, &def, &series), LYRA_BAD_FORMAT);
    def.keep = 1;
    def.shape[0] = 3;
    TEST_STATUS(lyra_series_create(ctx, path, &def, &series), LYRA_BAD_FORMAT);
    def.keep = -1;
    def.shape[0] = INT32_MAX;
    TEST_STATUS(lyra_series_create(ctx, path, &def, &series), LYRA_INVALID_ARGUMENT);
    test_context_end(ctx);
}

// ---- collections --------------------------------------------------------------------------------

LYRA_TEST(pvd_lists_files_over_time)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    const char *path = test_temp_path("all.pvd");
    const LyraPvdEntry entries[2] = {{0, "frame_0.vtu"}, {0.1, "a<b>&\"c\".vtu"}};
    TEST_OK(lyra_pvd_save(ctx, path, 2, entries));
    size_t bytes;
    char *content = test_read_file(path, &bytes);
    TEST_CONTAINS(content, "<DataSet timestep=\"0\" part=\"0\" file=\"frame_0.vtu\"/>\n");
    TEST_CONTAINS(content, "timestep=\"0.1\" part=\"0\" file=\"a&lt;b&gt;&amp;&quot;c&quot;.vtu\"");
    free(content);
    test_context_end(ctx);
}

// ---- fields -------------------------------------------------------------------------------------

static bool holds(const char *content, size_t bytes, const void *part, size_t part_bytes)
{
    bool found = false;
    for (size_t i = 0; i + part_bytes <= bytes && !found; ++i) {
        found = memcmp(content + i, part, part_bytes) == 0;
    }
    return found;
}

LYRA_TEST(fields_go_with_a_mesh_that_reads_back)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    for (int kind = 0; kind < LYRA_ELEMENT_TET10; ++kind) {
        LyraMesh *mesh = test_awkward_mesh(ctx, (LyraElementKind)kind), *back = NULL;
        LyraMeshView view = lyra_mesh_view(mesh);
        const char *path = test_temp_path("fields.vtu");
        double *u = calloc((size_t)view.vertex_count * 3, sizeof *u), stress[2] = {7.25, NAN};
        for (int32_t i = 0; i < 3 * view.vertex_count; ++i) {
            u[i] = 0.1 * i;
        }
        LyraField fields[3] = {{"von Mises", true, 1, stress},
                               {"displacement", false, 3, u},
                               {"displacement", true, 1, stress}};
        TEST_OK(lyra_mesh_save_fields(mesh, path, NULL, 0.5, 3, fields));
        TEST_OK(lyra_mesh_load(ctx, path, LYRA_MESH_FORMAT_AUTO, &back));
        test_meshes_equal(mesh, back, "with fields");
        lyra_mesh_destroy(back);
        // the values stand in the file as they are
        size_t bytes;
        char *content = test_read_file(path, &bytes);
        TEST_CHECK(holds(content, bytes, u, (size_t)view.vertex_count * 24));
        TEST_CHECK(holds(content, bytes, stress, sizeof stress));
        TEST_CONTAINS(content, "Name=\"TimeValue\"");
        free(content);
        // positions of the frame
        TEST_OK(lyra_mesh_save_fields(mesh, path, u, 0, 0, NULL));
        TEST_OK(lyra_mesh_load(ctx, path, LYRA_MESH_FORMAT_AUTO, &back));
        TEST_CHECK(memcmp(lyra_mesh_view(back).positions, u, (size_t)view.vertex_count * 24) == 0);
        lyra_mesh_destroy(back);
        // names that cannot be
        fields[1].name = "a\"b";
        TEST_STATUS(lyra_mesh_save_fields(mesh, path, u, 0, 3, fields), LYRA_INVALID_ARGUMENT);
        fields[1].name = "";
        TEST_STATUS(lyra_mesh_save_fields(mesh, path, u, 0, 3, fields), LYRA_INVALID_ARGUMENT);
        fields[1] = fields[0];
        TEST_STATUS(lyra_mesh_save_fields(mesh, path, u, 0, 3, fields), LYRA_INVALID_ARGUMENT);
        TEST_CONTAINS(lyra_error_message(), "two fields with the name \"von Mises\"");
        fields[1].name = "material";
        TEST_STATUS(lyra_mesh_save_fields(mesh, path, u, 0, 3, fields), LYRA_INVALID_ARGUMENT);
        fields[1].name = "other";
        fields[1].components = 10;
        TEST_STATUS(lyra_mesh_save_fields(mesh, path, u, 0, 3, fields), LYRA_INVALID_ARGUMENT);
        free(u);
        lyra_mesh_destroy(mesh);
    }
    test_context_end(ctx);
}

// ---- animated surfaces --------------------------------------------------------------------------

// a square of two materials, one face of four corners and one triangle
static LyraSurface *make_surface(LyraContext *ctx)
{
    static const double positions[15] = {0, 0, 0, 1, 0, 0, 1, 1, 0, 0, 1, 0, 0, 0, 1};
    static const int32_t begin[3] = {0, 4, 7}, corners[7] = {0, 1, 2, 3, 0, 1, 4};
    static const int32_t materials[2] = {0, -1};
    LyraSurfaceMaterial red = lyra_surface_material_default();
    red.name = "red \"one\"";
    red.opacity = 0.5;
    LyraSurfaceView data = {.vertex_count = 5,
                            .face_count = 2,
                            .corner_count = 7,
                            .positions = positions,
                            .face_begin = begin,
                            .corner_vertices = corners,
                            .face_materials = materials,
                            .material_count = 1,
                            .materials = &red};
    LyraSurface *surface = NULL;
    TEST_OK(lyra_surface_create(ctx, &data, &surface));
    return surface;
}

static void write_frames(LyraContext *ctx, const char *path, int32_t frames)
{
    LyraSeriesDef def = lyra_series_def_default();
    def.format = LYRA_SERIES_PC2;
    def.shape[0] = 5;
    def.shape[1] = 3;
    LyraSeries *series = start(ctx, path, &def);
    for (int32_t f = 0; f < frames; ++f) {
        double x[15] = {0, 0, 0, 1, 0, 0, 1, 1, 0, 0, 1, 0, 0, 0, 1};
        x[14] += 0.25 * f;
        TEST_OK(lyra_series_append(series, x));
    }
    lyra_series_destroy(series);
}

LYRA_TEST(gltf_animation_is_consistent)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    LyraSurface *surface = make_surface(ctx);
    char cache[512], path[512], binary[512];
    snprintf(cache, sizeof cache, "%s", test_temp_path("frames.pc2"));
    snprintf(path, sizeof path, "%s", test_temp_path("moving.gltf"));
    snprintf(binary, sizeof binary, "%s", test_temp_path("moving.bin"));
    write_frames(ctx, cache, 4);
    const double times[4] = {10, 10.5, 11, 12};
    TEST_REQUIRE_OK(lyra_gltf_save_animation(ctx, path, surface, cache, 4, times));
    size_t bytes, json_bytes;
    char *content = test_read_file(binary, &bytes), *json = test_read_file(path, &json_bytes);
    // positions, times, 4 x 3 weights, 3 triangles, 3 targets
    TEST_EQUAL(bytes, 60 + 16 + 48 + 36 + 3 * 60);
    float times_found[4], target;
    memcpy(times_found, content + 60, sizeof times_found);
    TEST_CHECK(times_found[0] == 0 && times_found[3] == 2);
    memcpy(&target, content + 60 + 16 + 48 + 36 + 2 * 60 + 14 * 4, sizeof target);
    TEST_CHECK(target == 0.75F);
    uint32_t corners[9];
    memcpy(corners, content + 60 + 16 + 48, sizeof corners);
    TEST_EQUAL(corners[8], 4);
    TEST_CONTAINS(json, "\"byteLength\": 340}]");
    TEST_CONTAINS(json, "\"name\": \"red \\\"one\\\"\"");
    TEST_CONTAINS(json, "\"alphaMode\": \"BLEND\"");
    TEST_CONTAINS(json, "\"max\": [0, 0, 0.75]");
    TEST_CONTAINS(json, "\"targets\": [{\"POSITION\": 3}, {\"POSITION\": 4}, {\"POSITION\": 5}]");
    // views that several accessors share must say their stride
    TEST_CONTAINS(json, "\"byteOffset\": 160, \"byteLength\": 180, \"byteStride\": 12, ");
    int depth = 0, least = 0;
    for (size_t i = 0; i < json_bytes; ++i) {
        depth += (json[i] == '{' || json[i] == '[') - (json[i] == '}' || json[i] == ']');
        least = depth < least ? depth : least;
    }
    TEST_CHECK(depth == 0 && least == 0);
    free(content);
    free(json);
    // what cannot be an animation
    const double equal[5] = {0, 1, 1, 2, 3}, rising[5] = {0, 1, 2, 3, 4};
    TEST_STATUS(lyra_gltf_save_animation(ctx, path, surface, cache, 4, equal),
                LYRA_INVALID_ARGUMENT);
    TEST_STATUS(lyra_gltf_save_animation(ctx, path, surface, cache, 5, rising), LYRA_BAD_FORMAT);
    TEST_STATUS(lyra_gltf_save_animation(ctx, path, surface, cache, 1, rising),
                LYRA_INVALID_ARGUMENT);
    TEST_STATUS(lyra_gltf_save_animation(ctx, path, surface, path, 4, rising), LYRA_BAD_FORMAT);
    TEST_STATUS(lyra_gltf_save_animation(ctx, path, surface, "/nonexistent.pc2", 4, rising),
                LYRA_IO_FAILED);
    lyra_surface_destroy(surface);
    test_context_end(ctx);
}

// ---- checkpoints --------------------------------------------------------------------------------

static LyraState *make_state(LyraContext *ctx, double value)
{
    LyraState *state = NULL;
    const LyraStateBlockDef def = {.name = "memory", .version = 1, .count = 2};
    void *block = NULL;
    bool fresh;
    TEST_OK(lyra_state_create(ctx, 6, &state));
    LyraStateView view = lyra_state_view(state);
    lyra_vector_fill(view.u, value);
    lyra_vector_fill(view.v, -value);
    lyra_state_set_time(state, value, 3);
    TEST_OK(lyra_state_block(state, &def, &block, &fresh));
    ((double *)block)[1] = 2 * value;
    return state;
}

LYRA_TEST(checkpoint_reads_back_and_damage_is_found)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    const char *path = test_temp_path("run.checkpoint");
    LyraState *saved = make_state(ctx, 0.1), *other = make_state(ctx, 5), *copy = NULL;
    char *note = NULL;
    size_t length = 0, bytes;
    TEST_OK(lyra_state_copy(other, &copy));
    TEST_REQUIRE_OK(lyra_checkpoint_save(ctx, path, saved, "step 3", 6));
    char *content = test_read_file(path, &bytes);
    // cut, longer, and every byte changed
    for (size_t i = 0; i < 2 * bytes + 1; ++i) {
        size_t keep = i < bytes ? i : bytes;
        char *damaged = malloc(bytes + 1);
        memcpy(damaged, content, bytes);
        damaged[bytes] = 'x';
        if (i >= bytes && i < 2 * bytes) {
            damaged[i - bytes] ^= 1;
        }
        test_write_file(path, damaged, i < 2 * bytes ? keep : bytes + 1);
        TEST_STATUS(lyra_checkpoint_load(ctx, path, other, &note, &length), LYRA_BAD_FORMAT);
        free(damaged);
    }
    TEST_CHECK(lyra_state_equal(other, copy));
    test_write_file(path, content, bytes);
    TEST_REQUIRE_OK(lyra_checkpoint_load(ctx, path, NULL, &note, &length));
    TEST_STRING(note, "step 3");
    lyra_checkpoint_note_release(ctx, note);
    TEST_CHECK(lyra_state_equal(other, copy));
    TEST_REQUIRE_OK(lyra_checkpoint_load(ctx, path, other, &note, &length));
    TEST_EQUAL(length, 6);
    lyra_checkpoint_note_release(ctx, note);
    TEST_CHECK(lyra_state_equal(other, saved));
    TEST_STATUS(lyra_checkpoint_save(ctx, "/nonexistent/c", saved, "", 0), LYRA_IO_FAILED);
    free(content);
    lyra_state_destroy(saved);
    lyra_state_destroy(other);
    lyra_state_destroy(copy);
    test_context_end(ctx);
}

static LyraStatus write_all(LyraContext *ctx, void *data)
{
    LyraSeriesDef def = lyra_series_def_default();
    LyraSeries *series = NULL;
    LyraState *state = NULL;
    LyraSurface *surface = NULL;
    char *note = NULL;
    size_t length;
    const double times[2] = {0, 1};
    static const double positions[9] = {0, 0, 0, 1, 0, 0, 0, 1, 0};
    static const int32_t begin[2] = {0, 3}, corners[3] = {0, 1, 2};
    LyraSurfaceView triangle = {.vertex_count = 3,
                                .face_count = 1,
                                .corner_count = 3,
                                .positions = positions,
                                .face_begin = begin,
                                .corner_vertices = corners};
    char path[512];
    (void)data;
    def.format = LYRA_SERIES_PC2;
    def.shape[0] = def.shape[1] = 3;
    snprintf(path, sizeof path, "%s", test_temp_path("failing.pc2"));
    LyraStatus status = lyra_series_create(ctx, path, &def, &series);
    for (int f = 0; f < 2 && status == LYRA_OK; ++f) {
        status = lyra_series_append(series, positions);
    }
    lyra_series_destroy(series);
    status = status ? status : lyra_surface_create(ctx, &triangle, &surface);
    status = status ? status
                    : lyra_gltf_save_animation(ctx, test_temp_path("failing.gltf"), surface, path,
                                               2, times);
    status = status ? status : lyra_state_create(ctx, 3, &state);
    status =
        status ? status : lyra_checkpoint_save(ctx, test_temp_path("failing.chk"), state, "n", 1);
    status = status
                 ? status
                 : lyra_checkpoint_load(ctx, test_temp_path("failing.chk"), state, &note, &length);
    lyra_checkpoint_note_release(ctx, note);
    lyra_state_destroy(state);
    lyra_surface_destroy(surface);
    return status;
}

LYRA_TEST(output_survives_failing_allocations)
{
    test_fail_each_allocation(write_all, NULL);
}
