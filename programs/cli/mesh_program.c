// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Tets by tetgen or gmsh: a folder for the files, the program in it, its mesh read back.

#include "mesh_volume.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

enum { FILE_ROOM = CLI_FOLDER_MAX + 64, WORDS_ROOM = 400, ARGUMENTS_ROOM = 9 };

bool cli_find_mesher(const char *name, CliMesher *mesher)
{
    static const char *const names[CLI_MESHER_COUNT] = {"tetgen", "gmsh"};
    for (int32_t m = 0; m < CLI_MESHER_COUNT; ++m) {
        if (strcmp(name, names[m]) == 0) {
            *mesher = (CliMesher)m;
            return true;
        }
    }
    return false;
}

// ---- input --------------------------------------------------------------------------------------

static void write_number(FILE *file, double value)
{
    char text[CLI_NUMBER_MAX];
    cli_format_double(value, text);
    fprintf(file, " %s", text);
}

// The triangles as a piecewise linear complex in tetgen's .smesh.
static bool write_smesh(const LyraSurface *surface, const char *path)
{
    LyraSurfaceView view = lyra_surface_view(surface);
    FILE *file = fopen(path, "w");
    if (!file) {
        return false;
    }
    fprintf(file, "%d 3 0 0\n", view.vertex_count);
    for (int32_t v = 0; v < view.vertex_count; ++v) {
        fprintf(file, "%d", v);
        for (int32_t i = 0; i < 3; ++i) {
            write_number(file, view.positions[3 * (size_t)v + (size_t)i]);
        }
        fputc('\n', file);
    }
    fprintf(file, "%d 0\n", view.face_count);
    for (int32_t f = 0; f < view.face_count; ++f) {
        const int32_t *v = view.corner_vertices + view.face_begin[f];
        fprintf(file, "3 %d %d %d\n", v[0], v[1], v[2]);
    }
    fprintf(file, "0\n0\n");
    return fclose(file) == 0;
}

// A volume within the triangles of surface.stl, for gmsh.
static bool write_geo(const char *path, double edge)
{
    FILE *file = fopen(path, "w");
    if (!file) {
        return false;
    }
    fprintf(file, "Merge \"surface.stl\";\nSurface Loop(1) = {1};\nVolume(1) = {1};\n"
                  "Mesh.MeshSizeMax =");
    write_number(file, edge);
    fprintf(file, ";\n");
    return fclose(file) == 0;
}

// ---- the program --------------------------------------------------------------------------------

// Last words that the program left in a file, on one line.
static void last_words(const char *path, char words[WORDS_ROOM])
{
    words[0] = 0;
    FILE *file = fopen(path, "r");
    char line[WORDS_ROOM];
    while (file && fgets(line, sizeof line, file)) {
        line[strcspn(line, "\r\n")] = 0;
        if (line[strspn(line, " \t")]) {
            memcpy(words, line, sizeof line);
        }
    }
    if (file) {
        fclose(file);
    }
}

// Runs a command line, its output into the file `log`. Explains what went wrong.
static CliExit run_program(const char *const arguments[ARGUMENTS_ROOM], const char *log)
{
    // the array is not written to, though its type says it may be
    char *unqualified[ARGUMENTS_ROOM];
    memcpy(unqualified, arguments, sizeof unqualified);
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_addopen(&actions, 1, log, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    posix_spawn_file_actions_adddup2(&actions, 1, 2);
    pid_t child;
    int error = posix_spawnp(&child, arguments[0], &actions, NULL, unqualified, environ);
    posix_spawn_file_actions_destroy(&actions);
    if (error == ENOENT) {
        return cli_fail("%s is not installed; --method lattice needs no other program",
                        arguments[0]);
    }
    if (error) {
        return cli_fail("cannot run %s: %s", arguments[0], strerror(error));
    }
    int state = 0;
    while (waitpid(child, &state, 0) < 0 && errno == EINTR) {
    }
    if (WIFEXITED(state) && WEXITSTATUS(state) == 0) {
        return CLI_OK;
    }
    char words[WORDS_ROOM];
    last_words(log, words);
    return cli_fail("%s could not fill the surface (%s %d; it says: %s); --method lattice can",
                    arguments[0], WIFEXITED(state) ? "exit" : "signal",
                    WIFEXITED(state) ? WEXITSTATUS(state) : WTERMSIG(state), words);
}

static CliExit run_tetgen(const char *folder, const LyraSurface *surface, double edge,
                          char result[FILE_ROOM])
{
    char path[FILE_ROOM], log[FILE_ROOM], number[CLI_NUMBER_MAX], size[CLI_NUMBER_MAX + 8];
    snprintf(path, sizeof path, "%s/surface.smesh", folder);
    if (!write_smesh(surface, path)) {
        return cli_fail("cannot write %s: %s", path, strerror(errno));
    }
    // volume of a regular tet: edge^3 / (6 sqrt 2)
    cli_format_double(edge * edge * edge / 8.48528137423857, number);
    snprintf(size, sizeof size, "-pqa%s", number);
    const char *arguments[ARGUMENTS_ROOM] = {"tetgen", size, path};
    snprintf(result, FILE_ROOM, "%s/surface.1.node", folder);
    snprintf(log, sizeof log, "%s/log", folder);
    return run_program(arguments, log);
}

static CliExit run_gmsh(const char *folder, const LyraSurface *surface, double edge,
                        char result[FILE_ROOM])
{
    char path[FILE_ROOM], log[FILE_ROOM];
    snprintf(path, sizeof path, "%s/surface.stl", folder);
    if (lyra_surface_save(surface, path, LYRA_MESH_FORMAT_AUTO) != LYRA_OK) {
        return cli_failed();
    }
    snprintf(path, sizeof path, "%s/surface.geo", folder);
    if (!write_geo(path, edge)) {
        return cli_fail("cannot write %s: %s", path, strerror(errno));
    }
    snprintf(result, FILE_ROOM, "%s/volume.msh", folder);
    snprintf(log, sizeof log, "%s/log", folder);
    const char *arguments[ARGUMENTS_ROOM] = {"gmsh", "-3", "-format", "msh2", "-o", result, path};
    return run_program(arguments, log);
}

CliExit cli_run_mesher(LyraContext *ctx, CliMesher mesher, const LyraSurface *surface, double edge,
                       LyraMesh **mesh)
{
    char folder[CLI_FOLDER_MAX], result[FILE_ROOM];
    if (!cli_folder_make(folder)) {
        return cli_fail("cannot make a folder for temporary files: %s", strerror(errno));
    }
    CliExit exit = mesher == CLI_MESHER_TETGEN ? run_tetgen(folder, surface, edge, result)
                                               : run_gmsh(folder, surface, edge, result);
    if (exit == CLI_OK && lyra_mesh_load(ctx, result, LYRA_MESH_FORMAT_AUTO, mesh) != LYRA_OK) {
        exit = cli_failed();
    }
    cli_folder_remove(folder);
    return exit;
}
