// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Whole commands that run out of memory: whichever request is refused, the command says so in one
// sentence, exits with 1, leaves an existing result as it was and nothing unfinished beside it.
// With LYRA_TEST_THOROUGH set, each of the first 300 requests of a command is refused in turn and
// one in every few after that; else a few of each. Under the address sanitizer nothing may leak.

#include "run_cases.h"

#define DENSE_REQUESTS 300
#define LATER_SAMPLES 60
#define QUICK_SAMPLES 6

// entries of a folder, and the bytes in its files
static void measure_folder(const char *folder, int *entries, long long *bytes)
{
    *entries = 0;
    *bytes = 0;
    DIR *opened = opendir(folder);
    for (struct dirent *entry; opened && (entry = readdir(opened));) {
        char path[2048];
        struct stat about;
        snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
        if (entry->d_name[0] != '.' && stat(path, &about) == 0 && S_ISREG(about.st_mode)) {
            *entries += 1;
            *bytes += (long long)about.st_size;
        } else if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0) {
            *entries += 1;
        }
    }
    if (opened) {
        closedir(opened);
    }
}

// lines of `errors` that are no warnings, nor say where a run that failed left its state
static int sentences(void)
{
    int count = 0;
    for (const char *line = errors; *line;) {
        count += strncmp(line, "lyra: warning: ", 15) != 0 &&
                 strncmp(line, "lyra: the state before it is in ", 32) != 0;
        const char *end = strchr(line, '\n');
        line = end ? end + 1 : line + strlen(line);
    }
    return count;
}

// requests that the command makes when none is refused
static long long count_requests(const char *command)
{
    setenv("LYRA_FAIL_ALLOCATION", "0", 1);
    setenv("LYRA_COUNT_ALLOCATIONS", test_temp_path("count"), 1);
    remove(test_temp_path("count"));
    TEST_CHECK_MSG(lyra("%s", command) == 0, "lyra %s: %s", command, errors);
    unsetenv("LYRA_COUNT_ALLOCATIONS");
    char *text = test_read_file(test_temp_path("count"), NULL);
    long long requests = text ? strtoll(text, NULL, 10) : 0;
    free(text);
    return requests;
}

// the request to refuse after `request`
static long long next_request(long long request, long long requests)
{
    if (!getenv("LYRA_TEST_THOROUGH")) {
        return request + 1 + requests / QUICK_SAMPLES;
    }
    return request < DENSE_REQUESTS ? request + 1
                                    : request + 1 + (requests - DENSE_REQUESTS) / LATER_SAMPLES;
}

// whether the summary of a run, if there is one, says how it ended
static bool has_ended(const char *folder)
{
    char path[2048];
    snprintf(path, sizeof path, "%s/summary.json", folder ? folder : "");
    char *text = folder ? test_read_file(path, NULL) : NULL;
    bool ended =
        !text || strstr(text, "\"result\": \"finished\"") || strstr(text, "\"result\": \"failed\"");
    free(text);
    return ended;
}

// refuses requests of `command` one run after another. `folder` holds its inputs and, from an
// earlier run, its result `kept_file`, which must not change; both nullable.
// `results`: folder of a run. Nullable.
static void refuse_each(const char *command, const char *folder, const char *kept_file,
                        const char *results)
{
    long long requests = count_requests(command);
    TEST_CHECK_MSG(requests > 10, "lyra %s: %lld requests", command, requests);
    static const char mark[] = "what was here before\n";
    if (kept_file) {
        test_write_file(kept_file, mark, sizeof mark - 1);
    }
    int entries = 0, entries_after = 0;
    long long bytes = 0, bytes_after = 0;
    if (folder) {
        measure_folder(folder, &entries, &bytes);
    }
    long long runs = 0;
    for (long long n = 1; n <= requests; n = next_request(n, requests), ++runs) {
        char number[32];
        snprintf(number, sizeof number, "%lld", n);
        setenv("LYRA_FAIL_ALLOCATION", number, 1);
        int code = lyra("%s", command);
        bool holds =
            TEST_CHECK_MSG(code == 1, "lyra %s, request %lld of %lld: exit code %d, \"%s\"",
                           command, n, requests, code, errors);
        holds &= TEST_CHECK_MSG(sentences() == 1 && strncmp(errors, "lyra: ", 6) == 0,
                                "lyra %s, request %lld: said \"%s\"", command, n, errors);
        holds &= TEST_CONTAINS(errors, "memory");
        if (folder) {
            measure_folder(folder, &entries_after, &bytes_after);
            holds &= TEST_CHECK_MSG(entries_after == entries && bytes_after == bytes,
                                    "lyra %s, request %lld: the folder had %d entries of %lld "
                                    "bytes and has %d of %lld",
                                    command, n, entries, bytes, entries_after, bytes_after);
        }
        holds &= TEST_CHECK_MSG(has_ended(results), "lyra %s, request %lld: the run has no end",
                                command, n);
        if (kept_file) {
            char *text = test_read_file(kept_file, NULL);
            holds &=
                TEST_CHECK_MSG(text && strcmp(text, mark) == 0,
                               "lyra %s, request %lld: the earlier result changed", command, n);
            free(text);
        }
        if (!holds) {
            break;
        }
    }
    unsetenv("LYRA_FAIL_ALLOCATION");
    printf("lyra %s: %lld of %lld requests refused\n", command, runs, requests);
}

// ---- meshes -------------------------------------------------------------------------------------

// a folder with a mesh and its surface
static const char *mesh_folder(void)
{
    const char *folder = kept("meshes");
    mkdir(folder, 0777);
    TEST_EQUAL(lyra("mesh box %s/in.veg --elements 120 --size 1,0.5,0.5", folder), 0);
    TEST_EQUAL(lyra("mesh surface %s/in.veg %s/in.obj", folder, folder), 0);
    return folder;
}

// refuses requests of `lyra` with `arguments`, in which IN, SKIN and OUT stand for files
static void refuse_mesh(const char *arguments, const char *result)
{
    const char *folder = mesh_folder();
    char command[2048] = "", out[1100];
    snprintf(out, sizeof out, "%s/%s", folder, result ? result : "");
    for (const char *c = arguments; *c;) {
        size_t end = strlen(command);
        const char *names[] = {"IN", "SKIN", "OUT"}, *files[] = {"in.veg", "in.obj", result};
        int i = 0;
        while (i < 3 && strncmp(c, names[i], strlen(names[i])) != 0) {
            ++i;
        }
        if (i < 3) {
            snprintf(command + end, sizeof command - end, "'%s/%s'", folder, files[i]);
            c += strlen(names[i]);
        } else {
            command[end] = *c++;
            command[end + 1] = '\0';
        }
    }
    refuse_each(command, folder, result ? out : NULL, NULL);
}

LYRA_TEST(cli_mesh_inspection_runs_out_of_memory)
{
    refuse_mesh("mesh info IN --json", NULL);
    refuse_mesh("mesh info SKIN", NULL);
}

LYRA_TEST(cli_mesh_files_run_out_of_memory)
{
    refuse_mesh("mesh convert IN OUT", "out.vtu");
    refuse_mesh("mesh surface IN OUT", "out.obj");
    refuse_mesh("mesh refine IN OUT", "out.veg");
    refuse_mesh("mesh orient IN OUT", "out.veg");
    refuse_mesh("mesh embed IN SKIN OUT", "out.interp");
}

LYRA_TEST(cli_mesh_generation_runs_out_of_memory)
{
    refuse_mesh("mesh box OUT --elements 60", "out.veg");
    refuse_mesh("mesh sphere OUT --elements 60 --type cube", "out.veg");
    refuse_mesh("mesh torus OUT --elements 60", "out.veg");
    refuse_mesh("mesh voxelize SKIN OUT --resolution 6", "out.veg");
    refuse_mesh("mesh tetrahedralize SKIN OUT --resolution 6", "out.veg");
}

LYRA_TEST(cli_snapshot_runs_out_of_memory)
{
    refuse_mesh("snapshot IN --out OUT --size 64x48 --threads 1", "out.ppm");
}

LYRA_TEST(cli_fit_runs_out_of_memory)
{
    char command[2048];
    const char *folder = kept("fits");
    mkdir(folder, 0777);
    snprintf(command, sizeof command, "%s/in.csv", folder);
    const char *text = "time,modulus\n1,3\n2,2\n4,1\n8,0.9\n";
    test_write_file(command, text, strlen(text));
    snprintf(command, sizeof command, "fit prony '%s/in.csv'", folder);
    refuse_each(command, folder, NULL, NULL);
    refuse_each("fit constant-q --q 5 --low 1 --high 10 --modulus 1 --branches 1", NULL, NULL,
                NULL);
}

// ---- runs ---------------------------------------------------------------------------------------

LYRA_TEST(cli_run_runs_out_of_memory)
{
    char command[2048];
    snprintf(command, sizeof command, "run '%s' --steps 3 --quiet --threads 1", make_scene());
    refuse_each(command, NULL, NULL, NULL);
}

LYRA_TEST(cli_run_that_writes_runs_out_of_memory)
{
    char command[4096];
    snprintf(command, sizeof command,
             "run '%s' --out '%s' --steps 2 --quiet --threads 1 --save-every 1 --vtu-every 1 "
             "--obj-every 1 --checkpoint-every 1",
             make_scene(), kept("out"));
    refuse_each(command, NULL, NULL, kept("out"));
}

// what is refused before the first step leaves an earlier run as it was
LYRA_TEST(cli_run_without_memory_for_its_scene_keeps_the_earlier_run)
{
    const char *scene = make_scene(), *out = kept("earlier");
    TEST_EQUAL(lyra("run %s --steps 2 --quiet --threads 1 --save-every 1 --out %s", scene, out), 0);
    int entries, entries_after;
    long long bytes, bytes_after;
    measure_folder(out, &entries, &bytes);
    TEST_CHECK(entries > 3);
    for (int n = 1; n < 200; n += 20) {
        char number[32];
        snprintf(number, sizeof number, "%d", n);
        setenv("LYRA_FAIL_ALLOCATION", number, 1);
        TEST_EQUAL(lyra("run %s --steps 4 --quiet --threads 1 --out %s", scene, out), 1);
        measure_folder(out, &entries_after, &bytes_after);
        TEST_EQUAL(entries_after, entries);
        TEST_EQUAL(bytes_after, bytes);
    }
    unsetenv("LYRA_FAIL_ALLOCATION");
}

LYRA_TEST(cli_scene_and_compare_run_out_of_memory)
{
    const char *scene = make_scene(), *out = kept("compared");
    char command[4096];
    snprintf(command, sizeof command, "scene '%s' --json", scene);
    refuse_each(command, NULL, NULL, NULL);
    TEST_EQUAL(lyra("run %s --steps 2 --quiet --threads 1 --save-every 1 --out %s", scene, out), 0);
    snprintf(command, sizeof command, "compare '%s' '%s'", out, out);
    refuse_each(command, out, NULL, NULL);
}
