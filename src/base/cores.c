// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// How many cores this process may use: those of its affinity, and no more than the quota of its
// control groups, which is how containers are limited. A quota of 2.5 cores gives two threads: a
// third would stop all of them for a part of each period.
//
// /proc/self/cgroup has a line "0::/path" for groups of version 2, whose quota is in cpu.max
// ("max 100000", "250000 100000"), and "4:cpu,cpuacct:/path" for version 1, with cpu.cfs_quota_us
// and cpu.cfs_period_us. Groups above bind as well. In a container the path may be the one outside
// of it while only the part below is mounted; files that are not there are passed over.

#define _GNU_SOURCE
#include "base/context.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define PATH_ROOM 4096

// the beginning of a file as text; false if it cannot be read
static bool read_text(const char *path, char *text, size_t room)
{
    int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0) {
        return false;
    }
    size_t length = 0;
    ssize_t got = 0;
    do {
        got = read(file, text + length, room - 1 - length);
        length += got > 0 ? (size_t)got : 0;
    } while ((got > 0 && length < room - 1) || (got < 0 && errno == EINTR));
    close(file);
    text[length] = '\0';
    return got >= 0;
}

// The number in a file of a group, and the one behind it; 0 if there is none, or it says "max" or
// -1.
static double read_limit(const char *folder, const char *name, double *second)
{
    char path[PATH_ROOM + 64], text[256], *end = text;
    snprintf(path, sizeof path, "%s/%s", folder, name);
    if (!read_text(path, text, sizeof text)) {
        return 0;
    }
    long long first = strtoll(text, &end, 10);
    *second = (double)strtoll(end, NULL, 10);
    return first > 0 ? (double)first : 0;
}

// cores that the group in `folder` may use; 0: no limit
static double group_quota(const char *folder, int version)
{
    double period = 0, none = 0, quota = 0;
    if (version == 2) {
        quota = read_limit(folder, "cpu.max", &period);
    } else {
        quota = read_limit(folder, "cpu.cfs_quota_us", &none);
        period = read_limit(folder, "cpu.cfs_period_us", &none);
    }
    return quota > 0 && period > 0 ? quota / period : 0;
}

// the lesser of two limits, of which 0 is none
static double lesser(double a, double b)
{
    return a > 0 && (b == 0 || a < b) ? a : b;
}

// the least of the group `path` below `mount` and of those above it; 0: no limit
static double path_quota(const char *mount, const char *path, size_t length, int version)
{
    char folder[PATH_ROOM];
    double least = 0;
    size_t base = strlen(mount);
    if (base + length + 1 > sizeof folder) {
        return 0;
    }
    memcpy(folder, mount, base);
    memcpy(folder + base, path, length);
    folder[base + length] = '\0';
    for (;;) {
        least = lesser(group_quota(folder, version), least);
        char *slash = strrchr(folder + base, '/');
        if (!slash) {
            return least;
        }
        *slash = '\0';
    }
}

// whether the list "cpu,cpuacct" of `length` characters has cpu in it
static bool has_cpu(const char *list, size_t length)
{
    for (size_t i = 0; i + 3 <= length; ++i) {
        if (strncmp(list + i, "cpu", 3) == 0 && (i == 0 || list[i - 1] == ',') &&
            (i + 3 == length || list[i + 3] == ',')) {
            return true;
        }
    }
    return false;
}

// what a line "4:cpu,cpuacct:/path" of `length` characters leads to; 0: no limit
static double line_quota(const char *root, const char *line, size_t length)
{
    char mount[PATH_ROOM];
    const char *list = memchr(line, ':', length);
    const char *group = list ? memchr(list + 1, ':', length - (size_t)(list + 1 - line)) : NULL;
    if (!group) {
        return 0;
    }
    int list_length = (int)(group - ++list);
    size_t group_length = length - (size_t)(++group - line);
    if (list_length == 0) {
        snprintf(mount, sizeof mount, "%s/sys/fs/cgroup", root);
        return path_quota(mount, group, group_length, 2);
    }
    if (!has_cpu(list, (size_t)list_length)) {
        return 0;
    }
    snprintf(mount, sizeof mount, "%s/sys/fs/cgroup/cpu", root);
    double quota = path_quota(mount, group, group_length, 1);
    snprintf(mount, sizeof mount, "%s/sys/fs/cgroup/%.*s", root, list_length, list);
    return lesser(path_quota(mount, group, group_length, 1), quota);
}

double ly_core_quota(const char *root)
{
    char path[PATH_ROOM], text[PATH_ROOM];
    double least = 0;
    snprintf(path, sizeof path, "%s/proc/self/cgroup", root);
    if (!read_text(path, text, sizeof text)) {
        return 0;
    }
    for (const char *line = text; *line;) {
        size_t length = strcspn(line, "\n");
        least = lesser(line_quota(root, line, length), least);
        line += length + (line[length] == '\n');
    }
    return least;
}

int32_t ly_core_count(void)
{
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
#ifdef __linux__
    cpu_set_t sets[16];
    if (sched_getaffinity(0, sizeof sets, sets) == 0) {
        cores = CPU_COUNT_S(sizeof sets, sets);
    }
#endif
    double quota = ly_core_quota("");
    if (quota > 0 && quota < (double)cores) {
        cores = (long)quota;
    }
    return cores < 1 ? 1 : cores > LY_THREADS_MAX ? LY_THREADS_MAX : (int32_t)cores;
}
