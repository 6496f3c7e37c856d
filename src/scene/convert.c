// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Scenes of Vega made scenes in YAML that move alike.

#include "scene/scene.h"

#include "base/file.h"

#include <errno.h>
#include <limits.h>
#include <string.h>
#include <unistd.h>

// The folder of the scene as one in another folder sees it: absolute, as links on the way may lead
// anywhere. NULL where both are in one folder.
static LyraStatus find_folder(LyraContext *ctx, const char *path, const char *target, char **out)
{
    size_t length = ly_path_directory_length(path), other = ly_path_directory_length(target);
    char here[PATH_MAX];
    *out = NULL;
    if (length == other && memcmp(path, target, length) == 0) {
        return LYRA_OK;
    }
    char *folder = NULL;
    LY_TRY(ly_string_copy(ctx, path, length, &folder));
    if (path[0] == '/') {
        *out = folder;
        return LYRA_OK;
    }
    LyraStatus status = getcwd(here, sizeof here) ? ly_path_join(ctx, here, folder, out)
                                                  : ly_fail_system("find", "the folder", errno);
    ly_release(ctx, folder);
    return status;
}

static void write_comments(LyWriter *writer, const LyraScene *scene)
{
    ly_writer_print(writer, "# %s, made a scene in YAML.\n\n", ly_path_name(scene->path));
}

// what moves nothing, and scenes in YAML have no keys of
static void write_settings(LyWriter *writer, const LyraScene *scene)
{
    ly_writer_string(writer, "\n# What the scene says to viewers:\n");
    for (int32_t s = 0; s < scene->setting_count; ++s) {
        ly_writer_print(writer, "# %s: ", scene->settings[s].key);
        // values are of one line
        ly_writer_string(writer, scene->settings[s].value);
        ly_writer_char(writer, '\n');
    }
}

static LyraStatus write_scene(const LyraScene *scene, const char *text, const char *target)
{
    LyWriter *writer = NULL;
    LY_TRY(ly_writer_create(scene->ctx, target, &writer));
    write_comments(writer, scene);
    ly_writer_string(writer, text);
    write_settings(writer, scene);
    return ly_writer_commit(writer);
}

LyraStatus ly_scene_convert(LyraScene *scene, LyraContext *ctx, const LyraSceneDef *def,
                            const char *target)
{
    char *folder = NULL, *text = NULL;
    LyraStatus status = LYRA_OK;
    LY_TRY_DONE(find_folder(scene->ctx, scene->path, target, &folder));
    LY_TRY_DONE(ly_scene_format_config(scene, ctx, def, folder, &text));
    LY_TRY_DONE(write_scene(scene, text, target));
done:
    ly_release(scene->ctx, text);
    ly_release(scene->ctx, folder);
    return status;
}
