// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Stands in for libFuzzer: hands each file named on the command line, each file in each folder
// named there, and an empty input to the fuzz target once. A folder that does not exist counts as
// empty. Whatever goes wrong inside shows as a crash or as a sanitizer's report.

#include <dirent.h>
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static int input_count;

static void run_file(const char *path, size_t size)
{
    FILE *file = fopen(path, "rb");
    // a block of exactly the size, so that a read past the end is seen
    uint8_t *data = malloc(size ? size : 1);
    if (!file || !data || fread(data, 1, size, file) != size) {
        fprintf(stderr, "%s cannot be read\n", path);
        exit(EXIT_FAILURE);
    }
    fclose(file);
    LLVMFuzzerTestOneInput(data, size);
    free(data);
    ++input_count;
}

static void run_path(const char *path)
{
    struct stat info;
    if (stat(path, &info) != 0) {
        if (errno == ENOENT) {
            return;
        }
        fprintf(stderr, "%s: %s\n", path, strerror(errno));
        exit(EXIT_FAILURE);
    }
    if (!S_ISDIR(info.st_mode)) {
        run_file(path, (size_t)info.st_size);
        return;
    }
    struct dirent **entries = NULL;
    int count = scandir(path, &entries, NULL, alphasort);
    for (int i = 0; i < count; ++i) {
        if (entries[i]->d_name[0] != '.') {
            char *inner = malloc(strlen(path) + strlen(entries[i]->d_name) + 2);
            if (!inner) {
                exit(EXIT_FAILURE);
            }
            sprintf(inner, "%s/%s", path, entries[i]->d_name);
            run_path(inner);
            free(inner);
        }
        free(entries[i]);
    }
    free(entries);
}

int main(int argc, char **argv)
{
    LLVMFuzzerTestOneInput((const uint8_t *)"", 0);
    for (int i = 1; i < argc; ++i) {
        run_path(argv[i]);
    }
    printf("%d inputs and the empty one\n", input_count);
    return 0;
}
