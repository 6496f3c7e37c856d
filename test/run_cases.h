// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// A small scene for the tests of `lyra run`, runs that are killed and go on, and the comparison of
// what two runs left.

#ifndef LYRA_TEST_RUN_CASES_H
#define LYRA_TEST_RUN_CASES_H

#include "cli_run.h"
#include "lyra/output.h"

#include <dirent.h>
#include <signal.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define EVERYTHING "--save-every 3 --vtu-every 10 --obj-every 7"

// path in the folder of the test, kept
static inline const char *kept(const char *name)
{
    static char paths[16][1024];
    static int next;
    char *path = paths[next++ % 16];
    snprintf(path, sizeof paths[0], "%s", test_temp_path(name));
    return path;
}

// a block of tets that hangs from some vertices; Vega's format, as it needs no library
static inline const char *make_scene(void)
{
    static const char text[] = "*volumetricMeshFilename\nblock.veg\n"
                               "*fixedVerticesFilename\nblock.bou\n"
                               "*deformableObjectMethod\nStVK\n"
                               "*solver\nimplicitBackwardEuler\n"
                               "*renderingMeshFilename\nblock.obj\n"
                               "*timestep\n0.01\n"
                               "*addGravity\n1\n"
                               "*frequencyScaling\n1\n"
                               "*deformableObjectCompliance\n1\n"
                               "*dampingMassCoef\n0\n"
                               "*dampingStiffnessCoef\n0.001\n"
                               "*lightingConfigFilename\nblock.lighting\n";
    const char *scene = kept("block.config"), *list = kept("block.bou");
    test_write_file(scene, text, sizeof text - 1);
    test_write_file(list, "1,2,3,4,5,6\n", 12);
    TEST_EQUAL(lyra("mesh box %s --elements 200 --size 1,0.5,0.5 --young 1e5", kept("block.veg")),
               0);
    TEST_EQUAL(lyra("mesh surface %s %s --keep-vertices", kept("block.veg"), kept("block.obj")), 0);
    return scene;
}

// a square of cloth that hangs from two corners
static inline const char *make_cloth(void)
{
    static const char text[] = "*objMeshname\nsquare.obj\n"
                               "*fixedVerticesFilename\nsquare.bou\n"
                               "*lightingFilename\nnone\n"
                               "*timeStep\n0.01\n";
    const char *scene = kept("cloth.config"), *list = kept("square.bou");
    test_write_file(scene, text, sizeof text - 1);
    test_write_file(list, "1,7\n", 4);
    TEST_EQUAL(lyra("mesh grid %s --cells 6,6", kept("square.obj")), 0);
    return scene;
}

// ---- killing ------------------------------------------------------------------------------------

static inline void wait_seconds(double seconds)
{
    struct timespec time = {.tv_sec = (time_t)seconds};
    time.tv_nsec = (long)(1e9 * (seconds - (double)time.tv_sec));
    nanosleep(&time, NULL);
}

// How long to wait for what must come, in waits of 0.01 s: bounds a hang, however busy the machine.
#define PATIENCE 60000

// starts `lyra` with words that hold no blanks; returns its process
static inline pid_t start_lyra(const char *arguments)
{
    char text[4096], *words[64] = {(char *)LYRA_CLI};
    int count = 1;
    snprintf(text, sizeof text, "%s", arguments);
    for (char *word = strtok(text, " "); word && count < 63; word = strtok(NULL, " ")) {
        words[count++] = word;
    }
    fflush(NULL);
    pid_t process = fork();
    if (process == 0) {
        execv(LYRA_CLI, words);
        _exit(127);
    }
    return process;
}

// exit code of a process, minus the signal that ended it
static inline int end_of(pid_t process)
{
    int status = 0;
    waitpid(process, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

// number behind a word in the note of a checkpoint, -1 without one
static inline long long note_number(const char *folder, const char *word)
{
    char path[2048], *note = NULL;
    size_t length;
    long long value = -1;
    snprintf(path, sizeof path, "%s/checkpoint.lyra", folder);
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    if (access(path, F_OK) == 0) {
        // whatever the moment of the kill, the file is whole
        TEST_OK(lyra_checkpoint_load(ctx, path, NULL, &note, &length));
        const char *at = note ? strstr(note, word) : NULL;
        value = at ? strtoll(at + strlen(word), NULL, 10) : -1;
        lyra_checkpoint_note_release(ctx, note);
    }
    test_context_end(ctx);
    return value;
}

// ---- comparing ----------------------------------------------------------------------------------

// the packed state of a checkpoint: what follows its head of 40 bytes and its note
static inline char *read_state(const char *folder, size_t *bytes)
{
    char path[2048];
    snprintf(path, sizeof path, "%s/checkpoint.lyra", folder);
    char *text = test_read_file(path, bytes);
    uint64_t note = 0;
    if (!text || *bytes < 40) {
        free(text);
        return NULL;
    }
    memcpy(&note, text + 16, sizeof note);
    *bytes -= 40 + (size_t)note;
    memmove(text, text + 40 + note, *bytes);
    return text;
}

// blanks out what is measured in seconds: the last three columns, lines of JSON with that word
static inline void drop_seconds(const char *name, char *text)
{
    bool csv = strcmp(name, "steps.csv") == 0;
    for (char *line = text; *line;) {
        char *end = line + strcspn(line, "\n");
        bool last = *end == '\0';
        *end = '\0';
        if (csv) {
            char *from = line;
            for (int commas = 0; commas < 33 && from; ++commas) {
                from = strchr(from, ',');
                from = from ? from + 1 : NULL;
            }
            TEST_CHECK(from != NULL);
            memset(from ? from : line, ' ', from ? strlen(from) : 0);
        } else if (strstr(line, "seconds\": ")) {
            memset(line, ' ', strlen(line));
        }
        *end = last ? '\0' : '\n';
        line = last ? end : end + 1;
    }
}

// copies a text without blanks, as seconds have more digits or fewer
static inline void squeeze(char *text)
{
    char *to = text;
    for (const char *c = text; *c; ++c) {
        if (*c != ' ') {
            *to++ = *c;
        }
    }
    *to = '\0';
}

static inline bool is_timed(const char *name)
{
    return strcmp(name, "steps.csv") == 0 || strcmp(name, "summary.json") == 0;
}

// every file of folder a is in b with the same bytes, times in seconds set aside; returns how many
static inline int compare_folders(const char *a, const char *b)
{
    DIR *folder = opendir(a);
    TEST_CHECK_MSG(folder != NULL, "no folder %s", a);
    int count = 0;
    struct dirent *entry;
    while (folder && (entry = readdir(folder))) {
        const char *name = entry->d_name;
        if (strcmp(name, ".") == 0 || strcmp(name, "..") == 0) {
            continue;
        }
        char one[2048], other[2048];
        snprintf(one, sizeof one, "%s/%s", a, name);
        snprintf(other, sizeof other, "%s/%s", b, name);
        struct stat info;
        if (stat(one, &info) == 0 && S_ISDIR(info.st_mode)) {
            count += compare_folders(one, other);
            continue;
        }
        bool state = strcmp(name, "checkpoint.lyra") == 0;
        size_t bytes = 0, other_bytes = 0;
        char *x = state ? read_state(a, &bytes) : test_read_file(one, &bytes);
        char *y = state ? read_state(b, &other_bytes) : test_read_file(other, &other_bytes);
        TEST_CHECK_MSG(x && y, "%s is missing", other);
        if (x && y && is_timed(name)) {
            drop_seconds(name, x);
            drop_seconds(name, y);
            squeeze(x);
            squeeze(y);
            bytes = strlen(x);
            other_bytes = strlen(y);
        }
        TEST_CHECK_MSG(x && y && bytes == other_bytes && memcmp(x, y, bytes) == 0, "%s differs",
                       other);
        free(x);
        free(y);
        ++count;
    }
    if (folder) {
        closedir(folder);
    }
    return count;
}

static inline void compare_runs(const char *a, const char *b)
{
    int there = compare_folders(a, b);
    TEST_EQUAL(compare_folders(b, a), there);
    TEST_CHECK(there > 0);
}

// kills a run `kills` times at random moments, lets it end, and compares it with one in peace
static inline void check_kills(int kills, uint64_t seed)
{
    const char *scene = make_scene(), *folder = kept("killed"), *peace = kept("peace");
    char arguments[4096];
    TestRandom random = test_random(seed);
    snprintf(arguments, sizeof arguments,
             "run %s --out %s --steps 1000000 --checkpoint-every 2 --resume --quiet %s", scene,
             folder, EVERYTHING);
    long long before = -1;
    for (int k = 0; k < kills; ++k) {
        pid_t process = start_lyra(arguments);
        // every second time not before it got on, however slow the machine
        for (int i = 0; i < PATIENCE && k % 2 == 1 && note_number(folder, "\nstep ") <= before;
             ++i) {
            wait_seconds(0.01);
        }
        wait_seconds(test_random_in(&random, 0.0, 0.12));
        kill(process, SIGKILL);
        TEST_EQUAL(end_of(process), -SIGKILL);
        long long step = note_number(folder, "\nstep ");
        TEST_CHECK_MSG(step >= before, "a checkpoint went back from %lld to %lld", before, step);
        before = step;
    }
    TEST_CHECK_MSG(before > 0, "no checkpoint in %d starts", kills);
    long long steps = (before > 0 ? before : 0) + 11;
    TEST_EQUAL(lyra("run %s --out %s --steps %lld --resume %s", scene, folder, steps, EVERYTHING),
               0);
    TEST_EQUAL(lyra("run %s --out %s --steps %lld %s", scene, peace, steps, EVERYTHING), 0);
    compare_runs(peace, folder);
}

#endif
