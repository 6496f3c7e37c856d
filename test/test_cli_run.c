// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// `lyra run` as a user types it: results, messages, exit codes, signals, kills, full disks.

#include "run_cases.h"

#include "lyra/matrix_file.h"
#include "lyra/mesh.h"
#include "lyra/surface.h"

static bool is_there(const char *folder, const char *name)
{
    char path[2048];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return access(path, F_OK) == 0;
}

static char *read_in(const char *folder, const char *name, size_t *bytes)
{
    char path[2048];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return test_read_file(path, bytes);
}

// lines of a file
static int64_t count_lines(const char *folder, const char *name)
{
    char *text = read_in(folder, name, NULL);
    int64_t lines = 0;
    for (const char *c = text ? text : ""; *c; ++c) {
        lines += *c == '\n';
    }
    free(text);
    return lines;
}

// ---- results ------------------------------------------------------------------------------------

LYRA_TEST(cli_run_writes_all_it_promises)
{
    const char *scene = make_scene(), *out = kept("all/of/it");
    TEST_EQUAL(lyra("run %s --steps 20 --out %s --save-every 5 --vtu-every 10 --obj-every 20 "
                    "--threads 1",
                    scene, out),
               0);
    TEST_CONTAINS(output, "20 steps");
    TEST_CONTAINS(output, "steps.csv");
    TEST_EQUAL(count_lines(out, "steps.csv"), 21);
    char *csv = read_in(out, "steps.csv", NULL), *summary = read_in(out, "summary.json", NULL);
    TEST_REQUIRE(csv && summary);
    TEST_CONTAINS(csv,
                  "step,time,dt,kinetic,elastic,plastic,viscous,work,change,numerical,momentum_x,");
    TEST_CONTAINS(summary, "\"result\": \"finished\"");
    TEST_CONTAINS(summary, "\"steps\": 20,");
    TEST_CONTAINS(summary, "\"threads\": 1,");
    TEST_CONTAINS(summary, "\"digest\": \"");
    TEST_CONTAINS(summary, "\"frames\": 5,");
    free(csv);
    free(summary);
    size_t bytes = 0;
    char *npy = read_in(out, "displacement.npy", &bytes);
    TEST_REQUIRE(npy && bytes > 128);
    const char *shape = strstr(npy + 10, "'shape': (");
    long long frames = 0, vertices = 0;
    TEST_REQUIRE(shape && sscanf(shape, "'shape': (%lld, %lld, 3)", &frames, &vertices) == 2);
    TEST_EQUAL(frames, 5);
    TEST_EQUAL(bytes, 128 + 8 * 3 * frames * vertices);
    // the start is at rest; the end hangs, and is what the last VTU holds
    double *u = malloc((size_t)(3 * vertices) * sizeof *u), largest = 0;
    memcpy(u, npy + 128, (size_t)(3 * vertices) * sizeof *u);
    for (long long i = 0; i < 3 * vertices; ++i) {
        TEST_EQUAL(u[i], 0);
    }
    memcpy(u, npy + 128 + 8 * 3 * 4 * vertices, (size_t)(3 * vertices) * sizeof *u);
    for (long long i = 0; i < 3 * vertices; ++i) {
        largest = fmax(largest, fabs(u[i]));
    }
    TEST_CHECK(largest > 1e-3);
    TEST_CHECK(is_there(out, "velocity.npy") && is_there(out, "time.npy"));

    // files by the name of their body
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    char folder[2048], path[4096] = "";
    snprintf(folder, sizeof folder, "%s/vtu", out);
    DIR *vtus = opendir(folder);
    struct dirent *entry;
    int count = 0;
    while (vtus && (entry = readdir(vtus))) {
        count += strstr(entry->d_name, ".vtu") != NULL;
        if (strstr(entry->d_name, "_000020.vtu")) {
            snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
        }
    }
    TEST_REQUIRE(vtus);
    closedir(vtus);
    TEST_EQUAL(count, 3);
    LyraMesh *mesh = NULL, *rest = NULL;
    TEST_REQUIRE_OK(lyra_mesh_load(ctx, path, LYRA_MESH_FORMAT_AUTO, &mesh));
    TEST_REQUIRE_OK(lyra_mesh_load(ctx, kept("block.veg"), LYRA_MESH_FORMAT_AUTO, &rest));
    TEST_EQUAL(lyra_mesh_view(mesh).vertex_count, vertices);
    for (long long i = 0; i < 3 * vertices; ++i) {
        double x = lyra_mesh_view(rest).positions[i] + u[i];
        TEST_CHECK(lyra_mesh_view(mesh).positions[i] == x);
    }
    char *vtu = test_read_file(path, &bytes);
    TEST_REQUIRE(vtu);
    static const char *const fields[] = {"displacement", "velocity",  "reaction force",
                                         "stress",       "von Mises", "strain energy density",
                                         "det F"};
    for (int f = 0; f < 7; ++f) {
        char name[64];
        snprintf(name, sizeof name, "Name=\"%s\"", fields[f]);
        TEST_CONTAINS(vtu, name);
    }
    free(vtu);
    free(npy);
    free(u);
    lyra_mesh_destroy(mesh);
    lyra_mesh_destroy(rest);
    test_context_end(ctx);
}

LYRA_TEST(cli_run_surfaces_move_with_the_body)
{
    const char *scene = make_scene(), *out = kept("surfaces");
    TEST_EQUAL(lyra("run %s --steps 10 --out %s --save-every 10 --obj-every 10", scene, out), 0);
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    char folder[2048], path[4096] = "", stem[256] = "";
    snprintf(folder, sizeof folder, "%s/obj", out);
    DIR *objs = opendir(folder);
    struct dirent *entry;
    while (objs && (entry = readdir(objs))) {
        char *end = strstr(entry->d_name, "_000010.obj");
        if (end) {
            snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
            *end = '\0';
            snprintf(stem, sizeof stem, "%s", entry->d_name);
        }
    }
    TEST_REQUIRE(objs);
    closedir(objs);
    LyraSurface *moved = NULL;
    TEST_REQUIRE_OK(lyra_surface_load(ctx, path, LYRA_MESH_FORMAT_AUTO, &moved));
    LyraSurfaceView view = lyra_surface_view(moved);
    // the second frame of the cache holds the same points as floats
    char name[300];
    snprintf(name, sizeof name, "%s.pc2", stem);
    size_t bytes = 0;
    char *cache = read_in(out, name, &bytes);
    TEST_REQUIRE(cache);
    TEST_EQUAL(bytes, 32 + 2 * 12 * (size_t)view.vertex_count);
    for (int32_t i = 0; i < 3 * view.vertex_count; ++i) {
        float x;
        memcpy(&x, cache + 32 + 12 * (size_t)view.vertex_count + 4 * (size_t)i, sizeof x);
        TEST_CHECK(x == (float)view.positions[i]);
    }
    free(cache);
    snprintf(name, sizeof name, "%s.gltf", stem);
    char *gltf = read_in(out, name, NULL);
    TEST_REQUIRE(gltf);
    TEST_CONTAINS(gltf, "\"animations\"");
    free(gltf);
    lyra_surface_destroy(moved);
    test_context_end(ctx);
}

LYRA_TEST(cli_run_of_no_steps_has_no_animation)
{
    const char *scene = make_scene(), *out = kept("still");
    TEST_EQUAL(lyra("run %s --steps 0 --save-every 1 --threads 1 --out %s", scene, out), 0);
    TEST_CHECK(errors[0] == '\0');
    TEST_CHECK(is_there(out, "displacement.npy"));
    TEST_CHECK(!strstr(output, ".gltf"));
}

LYRA_TEST(cli_run_writing_does_not_change_the_motion)
{
    const char *scene = make_scene(), *a = kept("plain"), *b = kept("busy");
    TEST_EQUAL(lyra("run %s --steps 25 --out %s --threads 1", scene, a), 0);
    TEST_EQUAL(lyra("run %s --steps 25 --out %s --vtu-every 1 --obj-every 2 --save-every 1 "
                    "--checkpoint-every 1 --threads 2",
                    scene, b),
               0);
    size_t bytes = 0, other = 0;
    char *x = read_state(a, &bytes), *y = read_state(b, &other);
    TEST_REQUIRE(x && y);
    TEST_CHECK(bytes == other && memcmp(x, y, bytes) == 0);
    free(x);
    free(y);
}

LYRA_TEST(cli_run_json_is_one_object_per_line)
{
    const char *scene = make_scene();
    TEST_EQUAL(lyra("run %s --steps 12 --json", scene), 0);
    TEST_STRING(errors, "");
    int lines = 0;
    for (char *line = strtok(output, "\n"); line; line = strtok(NULL, "\n")) {
        ++lines;
        size_t length = strlen(line);
        TEST_CHECK(line[0] == '{' && line[length - 1] == '}');
        // one level, keys in quotes, a comma between
        TEST_CHECK(strchr(line + 1, '{') == NULL);
        char begin[64];
        snprintf(begin, sizeof begin, "{\"step\": %d, \"time\": ", lines);
        TEST_CHECK(strncmp(line, begin, strlen(begin)) == 0);
        TEST_CONTAINS(line, "\"kinetic\": ");
        TEST_CONTAINS(line, "\"outcome\": \"accepted\"");
    }
    TEST_EQUAL(lines, 12);
}

LYRA_TEST(cli_run_counts_steps_as_told)
{
    const char *scene = make_scene(), *out = kept("count");
    TEST_EQUAL(lyra("run %s --duration 0.07 --out %s --quiet", scene, out), 0);
    TEST_STRING(output, "");
    TEST_STRING(errors, "");
    TEST_EQUAL(count_lines(out, "steps.csv"), 8);
    TEST_EQUAL(lyra("run %s --duration 0.071 --out %s", scene, out), 0);
    TEST_EQUAL(count_lines(out, "steps.csv"), 9);
    // a value of the scene from the command line
    TEST_EQUAL(lyra("run %s --duration 0.07 --set timestep=0.02 --out %s", scene, out), 0);
    TEST_EQUAL(count_lines(out, "steps.csv"), 5);
    TEST_EQUAL(lyra("run %s --steps 0 --out %s", scene, out), 0);
    TEST_EQUAL(count_lines(out, "steps.csv"), 1);
}

// ---- what does not work -------------------------------------------------------------------------

LYRA_TEST(cli_run_wrong_usage_is_2)
{
    const char *scene = make_scene();
    TEST_EQUAL(lyra("run"), 2);
    TEST_CONTAINS(errors, "expected SCENE");
    TEST_EQUAL(lyra("run %s --steps -3", scene), 2);
    TEST_EQUAL(lyra("run %s --steps -1", scene), 2);
    TEST_CONTAINS(errors, "--steps needs a whole number, 0 or more, found \"-1\"");
    TEST_EQUAL(lyra("run %s --steps 1 --out x --save-every -1", scene), 2);
    TEST_EQUAL(lyra("run %s --steps many", scene), 2);
    TEST_EQUAL(lyra("run %s --steps 3 --duration 1", scene), 2);
    TEST_CONTAINS(errors, "not both");
    TEST_EQUAL(lyra("run %s --steps 3 --save-every 2", scene), 2);
    TEST_CONTAINS(errors, "--out");
    TEST_EQUAL(lyra("run %s --steps 3 --resume", scene), 2);
    TEST_EQUAL(lyra("run %s --steps 3 --checkpoint-seconds 0 --out x", scene), 2);
    TEST_EQUAL(lyra("run %s --duration -1", scene), 2);
    TEST_EQUAL(lyra("run %s --steps 3 --threads 1000", scene), 2);
    TEST_EQUAL(lyra("run %s --loud", scene), 2);
    TEST_EQUAL(lyra("run --help"), 0);
    TEST_CONTAINS(output, "--checkpoint-every");
}

LYRA_TEST(cli_run_bad_scenes_leave_nothing)
{
    const char *scene = make_scene(), *out = kept("never");
    TEST_EQUAL(lyra("run /nonexistent/scene.config --steps 3 --out %s", out), 1);
    TEST_CONTAINS(errors, "/nonexistent/scene.config");
    TEST_CHECK(access(out, F_OK) != 0);
    TEST_EQUAL(lyra("run %s --set timestep=soon --steps 3 --out %s", scene, out), 1);
    TEST_CHECK(access(out, F_OK) != 0);
    // no number of steps anywhere
    TEST_EQUAL(lyra("run %s --out %s", scene, out), 1);
    TEST_CONTAINS(errors, "--steps");
    TEST_CHECK(access(out, F_OK) != 0);
    // a folder that cannot be
    TEST_EQUAL(lyra("run %s --steps 3 --out %s/below", scene, scene), 1);
    TEST_CONTAINS(errors, "folder");
}

LYRA_TEST(cli_run_failed_step_keeps_the_last_state)
{
    const char *scene = make_scene(), *out = kept("failed");
    // steps that long, with forces beyond all bounds, have no end
    TEST_EQUAL(lyra("run %s --steps 9 --set timestep=1e6 --set g=1e300 --out %s", scene, out), 1);
    TEST_CONTAINS(errors, "step 1, from t = 0 s, failed: ");
    TEST_EQUAL(note_number(out, "\nstep "), 0);
    char *summary = read_in(out, "summary.json", NULL);
    TEST_REQUIRE(summary);
    TEST_CONTAINS(summary, "\"result\": \"failed\"");
    TEST_CONTAINS(summary, "\"reason\": \"step 1");
    free(summary);
}

// ---- checkpoints --------------------------------------------------------------------------------

LYRA_TEST(cli_run_goes_on_where_it_was)
{
    const char *scene = make_scene(), *a = kept("whole"), *b = kept("parts");
    TEST_EQUAL(lyra("run %s --steps 23 --out %s %s", scene, a, EVERYTHING), 0);
    TEST_EQUAL(lyra("run %s --steps 8 --out %s %s", scene, b, EVERYTHING), 0);
    TEST_EQUAL(lyra("run %s --steps 8 --out %s %s --resume", scene, b, EVERYTHING), 0);
    TEST_EQUAL(lyra("run %s --steps 15 --out %s %s --resume", scene, b, EVERYTHING), 0);
    TEST_EQUAL(lyra("run %s --steps 23 --out %s %s --resume --threads 1", scene, b, EVERYTHING), 0);
    TEST_CONTAINS(errors, "going on at step 15 of 23");
    // the number of threads is the only thing that is not the same
    char *summary = read_in(b, "summary.json", NULL);
    TEST_REQUIRE(summary);
    free(summary);
    TEST_EQUAL(lyra("run %s --steps 23 --out %s %s --resume", scene, b, EVERYTHING), 0);
    compare_runs(a, b);
    TEST_EQUAL(lyra("run %s --steps 5 --out %s %s --resume", scene, b, EVERYTHING), 1);
    TEST_CONTAINS(errors, "beyond the 5 to take");
}

LYRA_TEST(cli_run_goes_on_with_its_own_scene_only)
{
    const char *scene = make_scene(), *out = kept("own");
    char path[2048];
    TEST_EQUAL(lyra("run %s --steps 4 --out %s --save-every 2", scene, out), 0);
    TEST_EQUAL(
        lyra("run %s --steps 8 --out %s --save-every 2 --set timestep=0.02 --resume", scene, out),
        1);
    TEST_CONTAINS(errors, "another scene");
    TEST_EQUAL(lyra("run %s --steps 8 --out %s --save-every 4 --resume", scene, out), 1);
    TEST_CONTAINS(errors, "begun with --save-every 2, found 4");
    // a damaged checkpoint is no checkpoint
    size_t bytes = 0;
    snprintf(path, sizeof path, "%s/checkpoint.lyra", out);
    char *text = test_read_file(path, &bytes);
    TEST_REQUIRE(text);
    test_write_file(path, text, bytes - 9);
    TEST_EQUAL(lyra("run %s --steps 8 --out %s --save-every 2 --resume", scene, out), 1);
    TEST_CONTAINS(errors, "checkpoint.lyra");
    test_write_file(path, text, bytes);
    free(text);
    // and files that lost what it counts are told
    snprintf(path, sizeof path, "%s/steps.csv", out);
    TEST_EQUAL(truncate(path, 900), 0);
    TEST_EQUAL(lyra("run %s --steps 8 --out %s --save-every 2 --resume", scene, out), 1);
    TEST_CONTAINS(errors, "steps.csv");
    // a run without --resume starts anew, and without a checkpoint --resume does too
    TEST_EQUAL(lyra("run %s --steps 8 --out %s --save-every 4", scene, out), 0);
    TEST_EQUAL(lyra("run %s --steps 2 --out %s --resume", scene, kept("empty")), 0);
    TEST_CONTAINS(errors, "no checkpoint");
}

LYRA_TEST(cli_run_survives_a_few_kills)
{
    check_kills(4, 3);
}

LYRA_TEST(cli_run_has_its_folder_alone)
{
    const char *scene = make_scene(), *out = kept("shared"), *peace = kept("peace");
    char arguments[4096];
    snprintf(arguments, sizeof arguments,
             "run %s --out %s --steps 1000000 --checkpoint-every 2 --quiet %s", scene, out,
             EVERYTHING);
    pid_t first = start_lyra(arguments);
    for (int i = 0; i < PATIENCE && !is_there(out, "checkpoint.lyra"); ++i) {
        wait_seconds(0.01);
    }
    // refused in one sentence, whether it begins or goes on
    const char *const ways[] = {"", "--resume"};
    for (int w = 0; w < 2; ++w) {
        TEST_EQUAL(lyra("run %s --out %s --steps 4 %s %s", scene, out, EVERYTHING, ways[w]), 1);
        TEST_CONTAINS(errors, "lyra: another run writes to ");
        TEST_CHECK(strchr(errors, '\n') == errors + strlen(errors) - 1);
        TEST_STRING(output, "");
    }
    // the first one does not notice
    long long before = note_number(out, "\nstep ");
    for (int i = 0; i < PATIENCE && note_number(out, "\nstep ") <= before; ++i) {
        wait_seconds(0.01);
    }
    TEST_CHECK(note_number(out, "\nstep ") > before);
    // killed, it is not in the way
    kill(first, SIGKILL);
    TEST_EQUAL(end_of(first), -SIGKILL);
    TEST_EQUAL(lyra("run %s --out %s --steps 8 %s", scene, out, EVERYTHING), 0);
    TEST_EQUAL(lyra("run %s --out %s --steps 8 %s", scene, peace, EVERYTHING), 0);
    compare_runs(peace, out);
}

LYRA_TEST(cli_run_signals_end_the_step)
{
    const char *scene = make_scene(), *a = kept("stopped"), *b = kept("quiet");
    static const int signals[] = {SIGINT, SIGTERM};
    char arguments[4096];
    snprintf(arguments, sizeof arguments,
             "run %s --out %s --steps 1000000 --resume --quiet --checkpoint-every 5 %s", scene, a,
             EVERYTHING);
    for (int s = 0; s < 2; ++s) {
        // well under way
        long long before = note_number(a, "\nstep ");
        pid_t process = start_lyra(arguments);
        for (int k = 0; k < PATIENCE && note_number(a, "\nstep ") <= before; ++k) {
            wait_seconds(0.01);
        }
        kill(process, signals[s]);
        TEST_EQUAL(end_of(process), 128 + signals[s]);
        char *summary = read_in(a, "summary.json", NULL);
        TEST_REQUIRE(summary);
        TEST_CONTAINS(summary, "\"result\": \"interrupted\"");
        free(summary);
        TEST_EQUAL(count_lines(a, "steps.csv"), note_number(a, "\nstep ") + 1);
    }
    long long steps = note_number(a, "\nstep ") + 3;
    TEST_EQUAL(lyra("run %s --out %s --steps %lld --resume %s", scene, a, steps, EVERYTHING), 0);
    TEST_EQUAL(lyra("run %s --out %s --steps %lld %s", scene, b, steps, EVERYTHING), 0);
    compare_runs(b, a);
}

// ---- full disks ---------------------------------------------------------------------------------

// one sentence was said, and the summary has it and nothing else
static void check_failure(const char *folder, const char *part)
{
    TEST_CHECK(strchr(errors, '\n') == errors + strlen(errors) - 1);
    char *summary = read_in(folder, "summary.json", NULL);
    TEST_REQUIRE(summary);
    TEST_CONTAINS(summary, "{\n  \"result\": \"failed\",\n  \"reason\": \"");
    TEST_CONTAINS(summary, part);
    TEST_CHECK(strlen(summary) > 2 && strcmp(summary + strlen(summary) - 2, "}\n") == 0);
    free(summary);
}

// no file can grow beyond what steps.csv needs before the end
LYRA_TEST(cli_run_file_limit_keeps_the_checkpoint)
{
    const char *scene = make_scene(), *a = kept("limited"), *b = kept("free");
    char command[8192];
    snprintf(command, sizeof command,
             "trap '' XFSZ; ulimit -f 60; '%s' run %s --steps 200 --out %s --checkpoint-every 4 "
             ">/dev/null 2>'%s'",
             LYRA_CLI, scene, a, kept("stderr"));
    int status = system(command);
    TEST_EQUAL(WIFEXITED(status) ? WEXITSTATUS(status) : -1, 1);
    read_into(kept("stderr"), errors);
    TEST_CONTAINS(errors, "cannot write");
    TEST_CONTAINS(errors, "File too large");
    TEST_CHECK(note_number(a, "\nstep ") > 0);
    check_failure(a, "File too large");
    TEST_EQUAL(lyra("run %s --steps 200 --out %s --resume", scene, a), 0);
    TEST_EQUAL(lyra("run %s --steps 200 --out %s", scene, b), 0);
    compare_runs(b, a);
}

LYRA_TEST(cli_run_that_cannot_begin_says_so_in_its_summary)
{
    const char *scene = make_scene(), *out = kept("begun");
    TEST_EQUAL(lyra("run %s --steps 2 --out %s", scene, out), 0);
    char blocked[2048];
    snprintf(blocked, sizeof blocked, "%s/displacement.npy", out);
    TEST_EQUAL(mkdir(blocked, 0777), 0);
    TEST_EQUAL(lyra("run %s --steps 2 --out %s --save-every 1 --quiet", scene, out), 1);
    check_failure(out, "displacement.npy");
}

// a disk of a few pages in a namespace of our own
LYRA_TEST(cli_run_full_disk_keeps_the_checkpoint)
{
    if (system("unshare -rm true 2>/dev/null") != 0) {
        TEST_SKIP("no namespaces here");
    }
    const char *scene = make_scene(), *disk = kept("disk"), *a = kept("filled"), *b = kept("roomy");
    char script[8192];
    snprintf(script, sizeof script,
             "mkdir -p '%s' '%s'\n"
             "mount -t tmpfs -o size=512k none '%s' || exit 77\n"
             "'%s' run '%s' --steps 300 --out '%s/run' --checkpoint-every 3 --save-every 1 "
             "--quiet 2>'%s'\n"
             "test $? = 1 || exit 2\n"
             "cp -r '%s/run/.' '%s' || exit 3\n",
             disk, a, disk, LYRA_CLI, scene, disk, kept("stderr"), disk, a);
    const char *file = kept("full.sh");
    test_write_file(file, script, strlen(script));
    char command[4096];
    snprintf(command, sizeof command, "unshare -rm sh '%s' 2>/dev/null", file);
    int status = system(command);
    if (WIFEXITED(status) && WEXITSTATUS(status) == 77) {
        TEST_SKIP("no tmpfs here");
    }
    TEST_EQUAL(WIFEXITED(status) ? WEXITSTATUS(status) : -1, 0);
    read_into(kept("stderr"), errors);
    TEST_CONTAINS(errors, "No space left on device");
    TEST_CHECK(note_number(a, "\nstep ") > 0);
    check_failure(a, "No space left on device");
    TEST_EQUAL(lyra("run %s --steps 300 --out %s --save-every 1 --resume", scene, a), 0);
    TEST_EQUAL(lyra("run %s --steps 300 --out %s --save-every 1", scene, b), 0);
    compare_runs(b, a);
}
