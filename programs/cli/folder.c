// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

#include "cli.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define NAME_ROOM 64 // for the names of files in it

bool cli_folder_make(char folder[CLI_FOLDER_MAX])
{
    const char *base = getenv("TMPDIR");
    int length = snprintf(folder, CLI_FOLDER_MAX, "%s/lyra-XXXXXX", base && *base ? base : "/tmp");
    return length < CLI_FOLDER_MAX - NAME_ROOM && mkdtemp(folder) != NULL;
}

void cli_folder_remove(const char *folder)
{
    DIR *entries = opendir(folder);
    for (struct dirent *entry; entries && (entry = readdir(entries)) != NULL;) {
        char path[CLI_FOLDER_MAX + 300];
        if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0) {
            snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
            unlink(path);
        }
    }
    if (entries) {
        closedir(entries);
    }
    rmdir(folder);
}
