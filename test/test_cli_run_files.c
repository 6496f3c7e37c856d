// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// The files of `lyra run` one by one: shapes of arrays, pictures, sequences of surfaces,
// animations, Vega's matrix, and what is shown meanwhile.

// terminals of our own
#define _XOPEN_SOURCE 700

#include "run_cases.h"

#include "lyra/dense.h"
#include "lyra/lyra.h"
#include "lyra/matrix_file.h"
#include "lyra/picture.h"
#include "lyra/plot.h"

#include <fcntl.h>

static char *read_in(const char *folder, const char *name, size_t *bytes)
{
    char path[2048];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return test_read_file(path, bytes);
}

// files in a folder of the results
static int count_files(const char *out, const char *name)
{
    char path[2048];
    snprintf(path, sizeof path, "%s/%s", out, name);
    DIR *folder = opendir(path);
    int count = 0;
    for (struct dirent *entry; folder && (entry = readdir(folder));) {
        count += entry->d_name[0] != '.';
    }
    if (folder) {
        closedir(folder);
    }
    return count;
}

static bool has_feature(const char *name)
{
    char line[64];
    TEST_EQUAL(lyra("version"), 0);
    snprintf(line, sizeof line, "%-10s yes", name);
    return strstr(output, line) != NULL;
}

// ---- arrays -------------------------------------------------------------------------------------

static void check_array(const char *out, const char *name, const char *shape, size_t numbers)
{
    size_t bytes = 0;
    char *npy = read_in(out, name, &bytes);
    TEST_CHECK_MSG(npy != NULL && bytes == 128 + 8 * numbers, "%s has %zu bytes", name, bytes);
    if (npy) {
        TEST_CHECK(memcmp(npy, "\x93NUMPY\x01", 7) == 0);
        TEST_CONTAINS(npy + 10, "'descr': '<f8', 'fortran_order': False, ");
        TEST_CONTAINS(npy + 10, shape);
    }
    free(npy);
}

LYRA_TEST(cli_run_arrays_have_their_shapes)
{
    const char *scene = make_scene(), *out = kept("arrays");
    TEST_EQUAL(lyra("run %s --steps 10 --out %s --save-every 4 --threads 2", scene, out), 0);
    // frames 0, 4, 8
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    LyraMesh *mesh = NULL;
    TEST_REQUIRE_OK(lyra_mesh_load(ctx, kept("block.veg"), LYRA_MESH_FORMAT_AUTO, &mesh));
    size_t vertices = (size_t)lyra_mesh_view(mesh).vertex_count;
    lyra_mesh_destroy(mesh);
    test_context_end(ctx);
    char shape[64];
    snprintf(shape, sizeof shape, "'shape': (3, %zu, 3), }", vertices);
    check_array(out, "displacement.npy", shape, 9 * vertices);
    check_array(out, "velocity.npy", shape, 9 * vertices);
    check_array(out, "time.npy", "'shape': (3,), }", 3);
    size_t bytes = 0;
    char *times = read_in(out, "time.npy", &bytes);
    TEST_REQUIRE(times);
    for (int f = 0; f < 3; ++f) {
        double time;
        memcpy(&time, times + 128 + 8 * f, sizeof time);
        TEST_NEAR(time, 0.04 * f, 1e-15);
    }
    free(times);
    char *summary = read_in(out, "summary.json", &bytes);
    TEST_REQUIRE(summary);
    TEST_CONTAINS(summary, "\"threads\": 2,");
    TEST_CONTAINS(summary, "\"probes\": {}");
    // the body's own positions at rest
    const char *files = strstr(summary, "\"files\": \"");
    TEST_REQUIRE(files);
    char name[128];
    files += strlen("\"files\": \"");
    snprintf(name, sizeof name, "%.*s_rest.npy", (int)strcspn(files, "\""), files);
    free(summary);
    snprintf(shape, sizeof shape, "'shape': (%zu, 3), }", vertices);
    check_array(out, name, shape, 3 * vertices);
    char *rest = read_in(out, name, &bytes);
    TEST_REQUIRE(rest);
    ctx = test_context(1, LYRA_ISA_AUTO);
    TEST_REQUIRE_OK(lyra_mesh_load(ctx, kept("block.veg"), LYRA_MESH_FORMAT_AUTO, &mesh));
    TEST_CHECK(memcmp(rest + 128, lyra_mesh_view(mesh).positions, 24 * vertices) == 0);
    lyra_mesh_destroy(mesh);
    test_context_end(ctx);
    free(rest);
}

// a scene's probes are columns, for a run in parts too
LYRA_TEST(cli_run_has_columns_of_probes)
{
    if (!has_feature("yaml")) {
        TEST_SKIP("no libyaml in this build");
    }
    static const char text[] =
        "bodies:\n"
        "  - name: beam\n"
        "    generate: {cells: [6, 1, 1], size: [1, 0.2, 0.2]}\n"
        "    material: {young: 50 kPa}\n"
        "constraints:\n"
        "  - select: {half-space: {point: [-0.49, 0, 0], normal: [-1, 0, 0]}}\n"
        "gravity: [0, -9.81, 0]\n"
        "time: {dt: 20 ms, steps: 6}\n"
        "output:\n"
        "  probes:\n"
        "    - {name: tip, quantity: position, body: beam, reduce: point,\n"
        "       select: {near: {point: [0.5, 0.1, 0.1], count: 1}}}\n"
        "    - {name: hold, quantity: reaction, component: y}\n"
        "    - {quantity: distance, select: {vertices: [0]},\n"
        "       to: {body: beam, select: {vertices: [1]}}}\n";
    const char *scene = kept("probes.yaml"), *whole = kept("whole"), *parts = kept("parts");
    test_write_file(scene, text, sizeof text - 1);
    TEST_EQUAL(lyra("run %s --quiet --out %s", scene, whole), 0);
    TEST_EQUAL(lyra("run %s --quiet --out %s --steps 2", scene, parts), 0);
    TEST_EQUAL(lyra("run %s --quiet --out %s --resume", scene, parts), 0);
    size_t bytes = 0;
    char *csv = read_in(whole, "steps.csv", &bytes), *again = read_in(parts, "steps.csv", &bytes);
    TEST_REQUIRE(csv && again);
    TEST_CONTAINS(csv, ",seconds,tip_x,tip_y,tip_z,hold,probe3\n");
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    LyraTable *tables[2] = {NULL, NULL};
    char path[2048];
    snprintf(path, sizeof path, "%s/steps.csv", whole);
    TEST_REQUIRE_OK(lyra_table_load(ctx, path, &tables[0]));
    snprintf(path, sizeof path, "%s/steps.csv", parts);
    TEST_REQUIRE_OK(lyra_table_load(ctx, path, &tables[1]));
    LyraTableView a = lyra_table_view(tables[0]), b = lyra_table_view(tables[1]);
    TEST_EQUAL(a.column_count, b.column_count);
    TEST_EQUAL(a.row_count, 6);
    TEST_EQUAL(b.row_count, 6);
    for (int32_t c = a.column_count - 5; c < a.column_count; ++c) {
        TEST_CHECK(memcmp(a.values + 6 * c, b.values + 6 * c, 6 * sizeof *a.values) == 0);
    }
    const double *fall = a.values + 6 * (int64_t)(a.column_count - 4);
    TEST_CHECK(fall[0] < 0.1 && fall[5] < fall[0] && fall[5] > -0.2);
    // the last values are in the summary, and each step of --json has them
    char *summary = read_in(whole, "summary.json", &bytes), expected[64];
    TEST_REQUIRE(summary);
    const char *at = strstr(summary, "\"tip_y\": ");
    TEST_CHECK(at && strtod(at + strlen("\"tip_y\": "), NULL) == fall[5]);
    TEST_EQUAL(lyra("run %s --json", scene), 0);
    snprintf(expected, sizeof expected, "\"tip_y\": %.15g", fall[0]);
    expected[20] = '\0';
    TEST_CONTAINS(output, expected);
    // other probes are another file
    TEST_EQUAL(
        lyra("run %s --quiet --out %s --steps 8 --resume --set output.probes=[]", scene, parts), 1);
    TEST_CONTAINS(errors, "with its probes");
    // names of columns differ
    TEST_EQUAL(lyra("run %s --quiet --set output.probes[1].name=time", scene), 1);
    TEST_CONTAINS(errors, "probe \"time\" makes a second column \"time\"");
    TEST_EQUAL(lyra("run %s --quiet --set output.probes[1].name=tip_y", scene), 1);
    TEST_CONTAINS(errors, "a second column \"tip_y\"");
    TEST_EQUAL(lyra("run %s --quiet --set output.probes[1].quantity=heat", scene), 1);
    TEST_CONTAINS(errors, "found \"heat\", expected one of: displacement");
    TEST_EQUAL(lyra("scene %s", scene), 0);
    TEST_CONTAINS(output, "tip                            m, x y z\n");
    free(summary);
    free(csv);
    free(again);
    lyra_table_destroy(tables[0]);
    lyra_table_destroy(tables[1]);
    test_context_end(ctx);
}

// --set names keys of Vega's scenes as well
LYRA_TEST(cli_run_sets_keys_of_vegas_scenes)
{
    const char *scene = make_scene(), *out = kept("set");
    size_t bytes = 0;
    TEST_EQUAL(
        lyra("run %s --steps 2 --set timestep=0.25 --set dampingMassCoef=1 --out %s", scene, out),
        0);
    char *summary = read_in(out, "summary.json", &bytes);
    TEST_REQUIRE(summary);
    TEST_CONTAINS(summary, "\"time\": 0.5,");
    free(summary);
    TEST_EQUAL(lyra("run %s --steps 2 --set timestep=0", scene), 1);
    TEST_CONTAINS(errors, "expected a number above 0 for timestep");
    TEST_EQUAL(lyra("run %s --steps 2 --set time.st=1", scene), 1);
    TEST_CONTAINS(errors, "time.st");
}

// Vega's matrix of displacements: a column per step, also for a run in parts
LYRA_TEST(cli_run_writes_vegas_matrix)
{
    const char *scene = make_scene(), *out = kept("matrix");
    const char *options = "--set outputFilename=some/where/block.matrix --save-every 1";
    TEST_EQUAL(lyra("run %s --steps 3 --out %s %s", scene, out, options), 0);
    TEST_CONTAINS(output, "block.u: 3 columns");
    TEST_EQUAL(lyra("run %s --steps 7 --out %s %s --resume", scene, out, options), 0);
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    LyraDense *matrix = NULL;
    char path[2048];
    size_t bytes = 0;
    snprintf(path, sizeof path, "%s/block.u", out);
    TEST_REQUIRE_OK(lyra_dense_load_vega(ctx, path, &matrix));
    LyraDenseView view = lyra_dense_view(matrix);
    TEST_EQUAL(view.columns, 7);
    char *npy = read_in(out, "displacement.npy", &bytes);
    TEST_REQUIRE(npy);
    TEST_EQUAL(bytes, 128 + 8 * (size_t)view.rows * 8);
    // frame k + 1 is column k
    TEST_CHECK(memcmp(npy + 128 + 8 * (size_t)view.rows, view.values, 8 * (size_t)view.rows * 7) ==
               0);
    TEST_CHECK(lyra_dense_view(matrix).values[view.rows - 2] < 0);
    free(npy);
    lyra_dense_destroy(matrix);
    test_context_end(ctx);
}

// ---- cloth --------------------------------------------------------------------------------------

// triangles with their strains, pictures in their colours, and a resumed run has the same bits
LYRA_TEST(cli_run_writes_cloth)
{
    char scene[2048], first[2048];
    const char *out = kept("cloth"), *parts = kept("cloth-parts");
    snprintf(scene, sizeof scene, "%s", make_cloth());
    static const char options[] = "--save-every 1 --vtu-every 10 --obj-every 10 --quiet";
    TEST_EQUAL(lyra("run %s --steps 20 --out %s %s", scene, out, options), 0);
    TEST_EQUAL(lyra("run %s --steps 7 --out %s %s", scene, parts, options), 0);
    TEST_EQUAL(lyra("run %s --steps 20 --out %s %s --resume", scene, parts, options), 0);
    size_t bytes[2] = {0};
    char *whole = read_in(out, "displacement.npy", &bytes[0]);
    char *resumed = read_in(parts, "displacement.npy", &bytes[1]);
    TEST_REQUIRE(whole && resumed);
    TEST_CHECK(bytes[0] == bytes[1] && memcmp(whole, resumed, bytes[0]) == 0);
    free(whole);
    free(resumed);
    TEST_EQUAL(count_files(out, "vtu"), 3);
    char *vtu = read_in(out, "vtu/body_000020.vtu", &bytes[0]);
    TEST_REQUIRE(vtu);
    TEST_CHECK(strstr(vtu, "NumberOfCells=\"72\"") && strstr(vtu, "Name=\"larger stretch\""));
    free(vtu);
    snprintf(first, sizeof first, "%s/vtu/body_000020.vtu", out);
    TEST_EQUAL(lyra("mesh info %s --json", first), 0);
    TEST_EQUAL(number_of("vertices"), 49);
    if (has_feature("libpng")) {
        TEST_EQUAL(lyra("run %s --steps 20 --out %s --quiet --snapshot-every 20 --snapshot-field "
                        "strain --snapshot-size 64x48",
                        scene, kept("cloth-pictures")),
                   0);
        TEST_EQUAL(count_files(kept("cloth-pictures"), "pictures"), 2);
    }
}

// ---- memory -------------------------------------------------------------------------------------

// what bodies remember of flow is in arrays, VTU files, pictures and probes, for a run in parts too
LYRA_TEST(cli_run_shows_what_bodies_remember)
{
    if (!has_feature("yaml")) {
        TEST_SKIP("no libyaml in this build");
    }
    static const char text[] =
        "bodies:\n"
        "  - name: clay\n"
        "    generate: {cells: [2, 1, 1], size: [0.4, 0.2, 0.2]}\n"
        "    material: {model: hencky, young: 50 kPa, plasticity: {yield-stress: 200 Pa}}\n"
        "  - name: flesh\n"
        "    generate: {cells: [2, 1, 1], size: [0.4, 0.2, 0.2]}\n"
        "    material: {model: neo-hookean, young: 5 kPa}\n"
        "    viscosity: {model: maxwell, shear: [{time: 50 ms, modulus: 2 kPa}]}\n"
        "constraints:\n"
        "  - select: {half-space: {point: [-0.19, 0, 0], normal: [-1, 0, 0]}}\n"
        "gravity: [0, -9.81, 0]\n"
        "time: {dt: 20 ms, steps: 6}\n"
        "output:\n"
        "  save-every: 1\n"
        "  save-history: true\n"
        "  vtu-every: 3\n"
        "  probes:\n"
        "    - {name: strain, quantity: plastic-strain, body: clay}\n"
        "    - {name: mean, quantity: plastic-strain, body: clay, reduce: mean}\n"
        "    - {name: flow, quantity: plastic-loss, body: clay}\n"
        "    - {name: creep, quantity: viscous-loss, body: flesh}\n";
    static const char *const names[] = {"clay_plastic-strain.npy", "clay_inverse-flow.npy",
                                        "clay_plastic-loss.npy", "flesh_viscous-loss.npy"};
    const char *scene = kept("memory.yaml"), *whole = kept("all"), *parts = kept("half");
    test_write_file(scene, text, sizeof text - 1);
    TEST_EQUAL(
        lyra("run %s --out %s --snapshot-every 6 --snapshot-field plastic-strain", scene, whole),
        0);
    TEST_CONTAINS(output, "clay_plastic-strain.npy");
    TEST_EQUAL(lyra("run %s --quiet --out %s --steps 2", scene, parts), 0);
    TEST_EQUAL(
        lyra("run %s --quiet --out %s --resume --set output.save-history=false", scene, parts), 1);
    TEST_CONTAINS(errors, "begun with output of save-history 1, found 0");
    TEST_EQUAL(lyra("run %s --quiet --out %s --resume", scene, parts), 0);
    check_array(whole, names[0], "'shape': (7, 12), }", 84);
    check_array(whole, names[1], "'shape': (7, 12, 9), }", 756);
    for (size_t i = 0; i < sizeof names / sizeof names[0]; ++i) {
        size_t bytes[2];
        char *all = read_in(whole, names[i], &bytes[0]),
             *half = read_in(parts, names[i], &bytes[1]);
        TEST_REQUIRE(all && half);
        TEST_CHECK(bytes[0] == bytes[1] && memcmp(all, half, bytes[0]) == 0);
        free(all);
        free(half);
    }
    // the probe is the mean of the last frame
    size_t bytes = 0;
    char *npy = read_in(whole, names[0], &bytes), *vtu = NULL;
    double sum = 0, strains[12];
    memcpy(strains, npy + bytes - sizeof strains, sizeof strains);
    free(npy);
    for (int e = 0; e < 12; ++e) {
        sum += strains[e];
    }
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    LyraTable *table = NULL;
    char path[2048];
    snprintf(path, sizeof path, "%s/steps.csv", whole);
    TEST_REQUIRE_OK(lyra_table_load(ctx, path, &table));
    LyraTableView view = lyra_table_view(table);
    const double *last = view.values + view.row_count * (int64_t)(view.column_count - 4) + 5;
    TEST_NEAR(last[6], sum / 12, 1e-15);
    TEST_CHECK(sum > 0 && last[0] >= last[6] && last[12] > 0 && last[18] > 0);
    // von Mises without hardening loses yield times strain
    TEST_NEAR(last[12], 200 * last[6] * 0.016, 1e-12);
    lyra_table_destroy(table);
    test_context_end(ctx);
    vtu = read_in(whole, "vtu/clay_000006.vtu", &bytes);
    TEST_REQUIRE(vtu);
    TEST_CONTAINS(vtu, "Name=\"plastic-strain\"");
    TEST_CONTAINS(vtu, "Name=\"inverse-flow\" NumberOfComponents=\"9\"");
    TEST_CHECK(!strstr(vtu, "viscous-loss"));
    free(vtu);
    vtu = read_in(whole, "vtu/flesh_000006.vtu", &bytes);
    TEST_REQUIRE(vtu);
    TEST_CONTAINS(vtu, "Name=\"viscous-loss\"");
    free(vtu);
    // what nobody remembers
    TEST_EQUAL(lyra("run %s --quiet --out %s --snapshot-every 1 --snapshot-field goal-distance",
                    scene, kept("none")),
               1);
    TEST_CONTAINS(errors, "\"goal-distance\", which no body remembers: expected one with "
                          "plasticity toward a goal");
    TEST_EQUAL(lyra("run %s --quiet --set output.probes[3].body=clay", scene), 1);
    TEST_CONTAINS(errors, "body \"clay\" has no elements with a viscous-loss");
}

// ---- affine bodies ------------------------------------------------------------------------------

// the shape of an affine body is carried along in all files, and a resumed run has the same bits
LYRA_TEST(cli_run_writes_the_shape_of_affine_bodies)
{
    if (!has_feature("yaml")) {
        TEST_SKIP("this build is without libyaml");
    }
    char scene[2048], path[2048];
    const char *out = kept("affine"), *parts = kept("affine-parts");
    const char *options = "--save-every 1 --vtu-every 10 --obj-every 10 "
                          "--set output.snapshot-every=0 --quiet";
    snprintf(scene, sizeof scene, "%s", test_data_path("../../examples/gallery/thrown_brick.yaml"));
    TEST_EQUAL(lyra("run %s --steps 20 --out %s %s", scene, out, options), 0);
    TEST_EQUAL(lyra("run %s --steps 7 --out %s %s", scene, parts, options), 0);
    TEST_EQUAL(lyra("run %s --steps 20 --out %s %s --resume", scene, parts, options), 0);
    size_t bytes[2] = {0};
    char *whole = read_in(out, "displacement.npy", &bytes[0]);
    char *resumed = read_in(parts, "displacement.npy", &bytes[1]);
    TEST_REQUIRE(whole && resumed);
    TEST_CHECK(bytes[0] == bytes[1] && memcmp(whole, resumed, bytes[0]) == 0);
    free(whole);
    free(resumed);
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    LyraMesh *rest = NULL, *moved = NULL;
    LyraSurface *skin = NULL;
    snprintf(path, sizeof path, "%s/vtu/brick_000000.vtu", out);
    TEST_REQUIRE_OK(lyra_mesh_load(ctx, path, LYRA_MESH_FORMAT_AUTO, &rest));
    snprintf(path, sizeof path, "%s/vtu/brick_000020.vtu", out);
    TEST_REQUIRE_OK(lyra_mesh_load(ctx, path, LYRA_MESH_FORMAT_AUTO, &moved));
    snprintf(path, sizeof path, "%s/obj/brick_skin_000020.obj", out);
    TEST_REQUIRE_OK(lyra_surface_load(ctx, path, LYRA_MESH_FORMAT_AUTO, &skin));
    LyraMeshView a = lyra_mesh_view(rest), b = lyra_mesh_view(moved);
    TEST_EQUAL(a.vertex_count, 5 * 2 * 3);
    TEST_EQUAL(b.vertex_count, 5 * 2 * 3);
    // thrown up by 7 m/s for 0.1 s, all distances as before, and the surface where the mesh is
    int32_t last = b.vertex_count - 1;
    double distance[2] = {0}, height = 0;
    for (int i = 0; i < 3; ++i) {
        distance[0] += pow(a.positions[3 * last + i] - a.positions[i], 2);
        distance[1] += pow(b.positions[3 * last + i] - b.positions[i], 2);
    }
    for (int32_t v = 0; v <= last; ++v) {
        height += (b.positions[3 * v + 1] - a.positions[3 * v + 1]) / (last + 1);
        for (int i = 0; i < 3; ++i) {
            TEST_NEAR(lyra_surface_view(skin).positions[3 * v + i], b.positions[3 * v + i], 1e-12);
        }
    }
    TEST_NEAR(sqrt(distance[1] / distance[0]), 1, 1e-3);
    TEST_NEAR(height, 0.7 - 9.81 * 0.01 / 2, 2e-3);
    lyra_surface_destroy(skin);
    lyra_mesh_destroy(rest);
    lyra_mesh_destroy(moved);
    test_context_end(ctx);
}

// ---- checkpoints by the clock -------------------------------------------------------------------

LYRA_TEST(cli_run_checkpoints_by_the_clock)
{
    const char *scene = make_scene(), *out = kept("clock");
    char arguments[4096];
    snprintf(arguments, sizeof arguments,
             "run %s --steps 1000000 --out %s --quiet --checkpoint-seconds 0.05", scene, out);
    pid_t process = start_lyra(arguments);
    long long first = -1, second = -1;
    for (int k = 0; k < PATIENCE && (first < 1 || second <= first); ++k) {
        wait_seconds(0.01);
        long long step = note_number(out, "\nstep ");
        first = first < 1 ? step : first;
        second = step;
    }
    kill(process, SIGKILL);
    TEST_EQUAL(end_of(process), -SIGKILL);
    TEST_CHECK(first >= 1 && second > first);
}

// ---- surfaces -----------------------------------------------------------------------------------

LYRA_TEST(cli_run_obj_sequence_is_the_cache)
{
    const char *scene = make_scene(), *out = kept("sequence");
    TEST_EQUAL(lyra("run %s --steps 6 --out %s --save-every 2 --obj-every 2", scene, out), 0);
    TEST_EQUAL(count_files(out, "obj"), 4);
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    size_t bytes = 0;
    char *cache = read_in(out, "body_block_obj.pc2", &bytes);
    TEST_REQUIRE(cache && bytes > 32);
    uint32_t points = 0, samples = 0;
    memcpy(&points, cache + 16, sizeof points);
    memcpy(&samples, cache + 28, sizeof samples);
    TEST_EQUAL(samples, 4);
    TEST_EQUAL(bytes, 32 + 12 * (size_t)points * samples);
    for (int f = 0; f < 4; ++f) {
        char path[2048];
        LyraSurface *surface = NULL;
        snprintf(path, sizeof path, "%s/obj/body_block_obj_%06d.obj", out, 2 * f);
        TEST_REQUIRE_OK(lyra_surface_load(ctx, path, LYRA_MESH_FORMAT_AUTO, &surface));
        LyraSurfaceView view = lyra_surface_view(surface);
        TEST_EQUAL(view.vertex_count, points);
        for (uint32_t i = 0; i < 3 * points; ++i) {
            float x;
            memcpy(&x, cache + 32 + 4 * ((size_t)f * 3 * points + i), sizeof x);
            TEST_CHECK(x == (float)view.positions[i]);
        }
        lyra_surface_destroy(surface);
    }
    free(cache);
    test_context_end(ctx);
}

// ---- pictures -----------------------------------------------------------------------------------

static LyraPicture *load_picture(LyraContext *ctx, const char *out, int step)
{
    LyraPicture *picture = NULL;
    char path[2048];
    snprintf(path, sizeof path, "%s/pictures/picture_%06d.png", out, step);
    TEST_OK(lyra_picture_load(ctx, path, &picture));
    return picture;
}

// pixels in which two pictures differ
static int64_t count_changes(const LyraPicture *a, const LyraPicture *b)
{
    int64_t count = -1;
    if (a && b) {
        LyraPictureView x = lyra_picture_view(a), y = lyra_picture_view(b);
        TEST_CHECK(x.width == 240 && y.width == 240 && x.height == 180 && y.height == 180);
        count = 0;
        for (int64_t i = 0; i < (int64_t)x.width * x.height; ++i) {
            count += memcmp(x.pixels + 4 * i, y.pixels + 4 * i, 3) != 0;
        }
    }
    return count;
}

LYRA_TEST(cli_run_takes_pictures)
{
    if (!has_feature("png") || !has_feature("yaml")) {
        TEST_SKIP("no libpng or no libyaml in this build");
    }
    static const char text[] = "bodies:\n"
                               "  - generate: {size: [1, 0.2, 0.2], cells: [6, 2, 2]}\n"
                               "    material: {model: neo-hookean, young: 50 kPa}\n"
                               "constraints:\n"
                               "  - select: {half-space: {point: [-0.49, 0, 0], normal: [-1, 0, "
                               "0]}}\n"
                               "gravity: [0, -9.81, 0]\n"
                               "time: {dt: 20 ms, steps: 9}\n"
                               "camera: {eye: [1.5, 1, 3]}\n"
                               "output: {snapshot-size: [240, 180]}\n";
    const char *scene = kept("pictures.yaml"), *out = kept("pictures"), *colored = kept("colored");
    test_write_file(scene, text, sizeof text - 1);
    TEST_EQUAL(lyra("run %s --out %s --snapshot-every 8 --threads 1", scene, out), 0);
    TEST_CONTAINS(output, "the last one picture_000008.png");
    TEST_EQUAL(count_files(out, "pictures"), 2);
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    LyraPicture *first = load_picture(ctx, out, 0), *last = load_picture(ctx, out, 8);
    // it hangs
    TEST_CHECK(count_changes(first, last) > 1000);
    // and is stressed, each field in colours of its own
    static const char *const fields[] = {"displacement", "speed", "von-mises"};
    for (int f = 0; f < 3; ++f) {
        TEST_EQUAL(lyra("run %s --out %s --snapshot-every 8 --set output.snapshot-field=%s --set "
                        "output.snapshot-edges=true --quiet",
                        scene, colored, fields[f]),
                   0);
        LyraPicture *picture = load_picture(ctx, colored, 8);
        TEST_CHECK_MSG(count_changes(last, picture) > 1000, "%s is not seen", fields[f]);
        lyra_picture_destroy(last);
        last = picture;
    }
    lyra_picture_destroy(first);
    lyra_picture_destroy(last);
    test_context_end(ctx);
}

// size, field and camera of the command line, in a scene that has no words for them
LYRA_TEST(cli_run_takes_pictures_as_told)
{
    if (!has_feature("png")) {
        TEST_SKIP("no libpng in this build");
    }
    const char *scene = make_scene(),
               *outs[] = {kept("plain"), kept("field"), kept("view"), kept("eye")};
    static const char *const options[] = {
        "", "--snapshot-field displacement",
        "--snapshot-field displacement --snapshot-camera=-60,40",
        "--snapshot-field displacement --snapshot-camera 2,1,4/0,0,0"};
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    LyraPicture *last = NULL;
    for (int i = 0; i < 4; ++i) {
        TEST_EQUAL(lyra("run %s --steps 4 --out %s --snapshot-every 4 --snapshot-size 240x180 %s",
                        scene, outs[i], options[i]),
                   0);
        TEST_CONTAINS(output, " s without pictures, ");
        LyraPicture *picture = load_picture(ctx, outs[i], 4);
        TEST_REQUIRE(picture);
        TEST_EQUAL(lyra_picture_view(picture).width, 240);
        TEST_EQUAL(lyra_picture_view(picture).height, 180);
        if (last) {
            TEST_CHECK_MSG(count_changes(last, picture) > 500, "%s is not seen", options[i]);
        }
        lyra_picture_destroy(last);
        last = picture;
    }
    lyra_picture_destroy(last);
    size_t bytes = 0;
    char *summary = read_in(outs[0], "summary.json", &bytes);
    TEST_REQUIRE(summary);
    const char *all = strstr(summary, "\"seconds\": ");
    const char *less = strstr(summary, "\"picture_seconds\": ");
    TEST_REQUIRE(all && less);
    double seconds = strtod(all + strlen("\"seconds\": "), NULL);
    double rest = strtod(less + strlen("\"picture_seconds\": "), NULL);
    TEST_CHECK_MSG(rest > 0 && rest < seconds, "%g of %g s", rest, seconds);
    free(summary);
    static const char *const wrong[][2] = {
        {"--snapshot-size 8x8", "expected WxH, each from 16 to 8000 pixels"},
        {"--snapshot-size big", "expected WxH"},
        {"--snapshot-field heat",
         "expected one of: none, displacement, speed, von-mises, strain, plastic-strain"},
        {"--snapshot-camera 1,2,3", "expected AZIMUTH,ELEVATION in degrees or an eye"},
        {"--snapshot-camera 1,2,3/1,2,3", "an eye and another place"},
        {"--snapshot-camera 1,95", "expected AZIMUTH,ELEVATION"},
    };
    for (int i = 0; i < 6; ++i) {
        TEST_EQUAL(
            lyra("run %s --steps 4 --out %s --snapshot-every 4 %s", scene, outs[0], wrong[i][0]),
            1);
        TEST_CONTAINS(errors, wrong[i][1]);
    }
    TEST_EQUAL(lyra("run %s --steps 4 --out %s --snapshot-size 100x100", scene, outs[0]), 1);
    TEST_CONTAINS(errors, "--snapshot-size without pictures: give --snapshot-every N");
    test_context_end(ctx);
}

// rounding makes stresses of some 1e-9 Pa in a body at rest: no reason for colours
LYRA_TEST(cli_run_shows_a_resting_body_in_one_color)
{
    if (!has_feature("png") || !has_feature("yaml")) {
        TEST_SKIP("no libpng or no libyaml in this build");
    }
    static const char *const models[] = {"linear", "neo-hookean", "stable-neo-hookean"};
    const char *scene = kept("resting.yaml"), *out = kept("resting");
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    LyraPicture *first = NULL;
    for (int m = 0; m < 3; ++m) {
        char text[1024];
        snprintf(
            text, sizeof text,
            "bodies:\n"
            "  - generate: {size: [1, 0.2, 0.2], cells: [6, 2, 2]}\n"
            "    transform: {rotate: {axis: [1, 2, 3], angle: 30 deg}, translate: [3, 4, 5]}\n"
            "    material: {model: %s, young: 3 MPa, poisson: 0.49}\n"
            "constraints: [{select: {vertices: [0, 1, 2, 3]}}]\n"
            "time: {dt: 20 ms, steps: 2}\n"
            "output: {snapshot-every: 2, snapshot-field: von-mises, snapshot-size: [240, 180]}\n",
            models[m]);
        test_write_file(scene, text, strlen(text));
        TEST_EQUAL(lyra("run %s --out %s --threads 1 --quiet", scene, out), 0);
        LyraPicture *picture = load_picture(ctx, out, 2);
        // where no law has a stress, all show the same
        if (m > 0) {
            TEST_EQUAL(count_changes(first, picture), 0);
        } else {
            first = load_picture(ctx, out, 0);
            TEST_EQUAL(count_changes(first, picture), 0);
        }
        lyra_picture_destroy(picture);
    }
    // a push of some Pa is one
    TEST_EQUAL(lyra("run %s --out %s --threads 1 --quiet --set gravity=[0,-1e-3,0]", scene, out),
               0);
    LyraPicture *pulled = load_picture(ctx, out, 2);
    TEST_CHECK(count_changes(first, pulled) > 1000);
    lyra_picture_destroy(pulled);
    lyra_picture_destroy(first);
    test_context_end(ctx);
}

// ---- what is shown ------------------------------------------------------------------------------

// on a terminal of its own, until it was seen
LYRA_TEST(cli_run_shows_a_line_on_terminals)
{
    const char *scene = make_scene();
    int master = posix_openpt(O_RDWR | O_NOCTTY);
    TEST_REQUIRE(master >= 0 && grantpt(master) == 0 && unlockpt(master) == 0);
    int slave = open(ptsname(master), O_RDWR | O_NOCTTY);
    TEST_REQUIRE(slave >= 0);
    fcntl(master, F_SETFL, O_NONBLOCK);
    fflush(NULL);
    pid_t process = fork();
    if (process == 0) {
        dup2(slave, STDERR_FILENO);
        execl(LYRA_CLI, LYRA_CLI, "run", scene, "--steps", "1000000", (char *)NULL);
        _exit(127);
    }
    char shown[1 << 14] = "";
    size_t length = 0;
    for (int k = 0; k < PATIENCE && !strstr(shown, "left"); ++k) {
        ssize_t count = read(master, shown + length, sizeof shown - 1 - length);
        length += count > 0 ? (size_t)count : 0;
        shown[length] = '\0';
        wait_seconds(0.01);
    }
    kill(process, SIGINT);
    TEST_EQUAL(end_of(process), 130);
    close(slave);
    close(master);
    TEST_CHECK(shown[0] == '\r');
    TEST_CONTAINS(shown, " %  step ");
    TEST_CONTAINS(shown, " of 1000000  ");
    TEST_CONTAINS(shown, " steps/s  t = ");
    TEST_CONTAINS(shown, " Newton  ");
    TEST_CONTAINS(shown, "\x1b[K");
}

// elsewhere a line of its own every five seconds; stopped meanwhile, the run costs none of them
LYRA_TEST(cli_run_shows_lines_elsewhere)
{
    const char *scene = make_scene(), *shown = kept("shown"), *out = kept("plain");
    char command[4096];
    snprintf(command, sizeof command,
             "'%s' run %s --steps 1000000000 --out %s --checkpoint-every 1 >/dev/null 2>'%s' & "
             "p=$!; while ! test -f '%s/checkpoint.lyra'; do sleep 0.05; done; "
             "kill -STOP $p; sleep 5; kill -CONT $p; "
             "while ! grep -q left '%s'; do sleep 0.05; done; kill -INT $p; wait $p",
             LYRA_CLI, scene, out, shown, out, shown);
    int status = system(command);
    // a shell lets its background processes ignore SIGINT: the run sets its own handler
    TEST_EQUAL(WIFEXITED(status) ? WEXITSTATUS(status) : -1, 130);
    read_into(shown, errors);
    TEST_CHECK(strchr(errors, '\r') == NULL && strchr(errors, '\x1b') == NULL);
    TEST_CONTAINS(errors, " of 1000000000  ");
    TEST_CONTAINS(errors, " left\n");
}

LYRA_TEST(cli_run_quiet_shows_nothing)
{
    const char *scene = make_scene();
    TEST_EQUAL(lyra("run %s --steps 5 --quiet", scene), 0);
    TEST_STRING(output, "");
    TEST_STRING(errors, "");
    TEST_EQUAL(lyra("run %s --steps 5 --json --quiet", scene), 0);
    TEST_CHECK(output[0] == '{');
    TEST_STRING(errors, "");
}

LYRA_TEST(cli_run_prints_defaults)
{
    TEST_EQUAL(lyra("run --print-defaults"), 0);
    TEST_STRING(errors, "");
    TEST_CONTAINS(output, "bodies:");
    TEST_CONTAINS(output, "snapshot-every: 0");
    if (!has_feature("yaml")) {
        TEST_SKIP("no libyaml in this build");
    }
    // they are a scene
    TEST_EQUAL(lyra("run --print-defaults"), 0);
    const char *path = kept("defaults.yaml");
    test_write_file(path, output, strlen(output));
    TEST_EQUAL(lyra("run %s --steps 2 --quiet", path), 0);
}

// every scene of the folder: one sentence, 1, and nothing written
LYRA_TEST(cli_run_refuses_bad_scenes)
{
    if (!has_feature("yaml")) {
        TEST_SKIP("no libyaml in this build");
    }
    char folder[1024];
    snprintf(folder, sizeof folder, "%s", test_data_path("bad-scenes"));
    const char *out = kept("never");
    DIR *scenes = opendir(folder);
    TEST_REQUIRE(scenes);
    int count = 0;
    for (struct dirent *entry; (entry = readdir(scenes));) {
        if (!strstr(entry->d_name, ".yaml")) {
            continue;
        }
        ++count;
        int code = lyra("run %s/%s --steps 3 --out %s", folder, entry->d_name, out);
        const char *end = strchr(errors, '\n');
        TEST_CHECK_MSG(code == 1, "%s: exit code %d", entry->d_name, code);
        TEST_CHECK_MSG(end && end[1] == '\0', "%s: \"%s\" is not one line", entry->d_name, errors);
        TEST_CHECK_MSG(strstr(errors, entry->d_name) != NULL, "%s is not named", entry->d_name);
        TEST_STRING(output, "");
        TEST_CHECK(access(out, F_OK) != 0);
    }
    closedir(scenes);
    TEST_CHECK(count >= 20);
}
