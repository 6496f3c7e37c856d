// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// What all scenes share, whatever file they come from: loading, life, a look at them.

#include "scene/scene.h"

#include "base/file.h"
#include "base/scanner.h"

#include <string.h>

LyraSceneDef lyra_scene_def_default(void)
{
    return (LyraSceneDef){.cookie = LY_DEF_COOKIE};
}

// ---- life ---------------------------------------------------------------------------------------

void lyra_scene_destroy(LyraScene *scene)
{
    if (!scene) {
        return;
    }
    LyraContext *ctx = scene->ctx, *own = scene->own_ctx ? ctx : NULL;
    for (int32_t s = 0; s < scene->setting_count; ++s) {
        ly_release(ctx, (char *)scene->settings[s].value);
    }
    ly_release(ctx, scene->settings);
    ly_release(ctx, (char *)scene->output.matrix);
    ly_release(ctx, scene->name);
    ly_release(ctx, scene->path);
    ly_release(ctx, scene);
    lyra_context_destroy(own);
}

// Where the world has a context of its own the scene has one too, as either may end first.
static LyraStatus create_scene(LyraContext *ctx, const char *path, LyraScene **out)
{
    LyraContext *own = NULL;
    LyraScene *scene = NULL;
    if (!ctx) {
        LyraContextDef def = lyra_context_def_default();
        def.thread_count = 1;
        LY_TRY(lyra_context_create(&def, &own));
        ctx = own;
    }
    LyraStatus status = ly_allocate_zeroed(ctx, 1, sizeof *scene, &scene);
    if (status != LYRA_OK) {
        lyra_context_destroy(own);
        return status;
    }
    scene->ctx = ctx;
    scene->own_ctx = own != NULL;
    scene->camera = (LyraSceneCamera){
        .fitted = true, .azimuth = 30, .elevation = 20, .up = {0, 1, 0}, .field_of_view = 40};
    status = ly_string_copy(ctx, path, strlen(path), &scene->path);
    if (status != LYRA_OK) {
        lyra_scene_destroy(scene);
        return status;
    }
    *out = scene;
    return LYRA_OK;
}

// gives the scene to whoever wants it, or ends it
static LyraStatus hand_over(LyraStatus status, LyraScene *scene, LyraWorld *world, LyraWorld **out,
                            LyraScene **scene_out)
{
    if (status == LYRA_OK) {
        *out = world;
    }
    if (status == LYRA_OK && scene_out) {
        *scene_out = scene;
    } else {
        lyra_scene_destroy(scene);
    }
    return status;
}

LyraStatus ly_scene_set_folder(const LyraScene *scene, LyraWorld *world)
{
    char *folder = NULL;
    LY_TRY(ly_string_copy(world->ctx, scene->path, ly_path_directory_length(scene->path), &folder));
    ly_release(world->ctx, world->folder);
    world->folder = folder;
    return LYRA_OK;
}

// ---- loading ------------------------------------------------------------------------------------

// By the extension; a file that has another is a `.config` if the first thing in it that is no
// comment is a star, which opens their keys and would be an alias in YAML.
static LyraStatus find_format(LyraContext *ctx, const char *path, bool *config)
{
    *config = ly_path_has_extension(path, ".config");
    if (*config || ly_path_has_extension(path, ".yaml") || ly_path_has_extension(path, ".yml")) {
        return LYRA_OK;
    }
    char *text = NULL;
    size_t length;
    LY_TRY(ly_file_read(ctx, path, &text, &length));
    LyScanner scanner = ly_scanner_make(path, text, length, '#');
    *config = ly_scanner_next_content(&scanner) && *scanner.at == '*';
    ly_release(ctx, text);
    return LYRA_OK;
}

LyraStatus lyra_world_load(LyraContext *ctx, const char *path, const LyraSceneDef *def,
                           LyraWorld **out, LyraScene **scene_out)
{
    LYRA_ASSERT(path && out);
    LyraSceneDef defaults = lyra_scene_def_default();
    def = def ? def : &defaults;
    LY_CHECK_DEF(def, "lyra_scene_def_default");
    LyraScene *scene = NULL;
    LyraWorld *world = NULL;
    bool config = false;
    LY_TRY(create_scene(ctx, path, &scene));
    LyraStatus status = find_format(scene->ctx, path, &config);
    if (status == LYRA_OK) {
        status = config ? ly_scene_read_config(scene, ctx, def, &world)
                        : ly_scene_read_yaml(scene, ctx, def, &world);
    }
    return hand_over(status, scene, world, out, scene_out);
}

LyraStatus lyra_scene_convert(LyraContext *ctx, const char *path, const LyraSceneDef *def,
                              const char *target)
{
    LYRA_ASSERT(path && target);
    LyraSceneDef defaults = lyra_scene_def_default();
    def = def ? def : &defaults;
    LY_CHECK_DEF(def, "lyra_scene_def_default");
    LyraScene *scene = NULL;
    bool config = false;
    LY_TRY(create_scene(ctx, path, &scene));
    LyraStatus status = find_format(scene->ctx, path, &config);
    if (status == LYRA_OK && !config) {
        status = ly_fail(LYRA_BAD_FORMAT, "%s: found a scene in YAML, expected one of Vega", path);
    }
    if (status == LYRA_OK) {
        status = ly_scene_convert(scene, ctx, def, target);
    }
    lyra_scene_destroy(scene);
    return status;
}

LyraStatus lyra_world_load_memory(LyraContext *ctx, const char *text, size_t length,
                                  const char *folder, const LyraSceneDef *def, LyraWorld **out,
                                  LyraScene **scene_out)
{
    LYRA_ASSERT((text || length == 0) && out);
    LyraSceneDef defaults = lyra_scene_def_default();
    def = def ? def : &defaults;
    LY_CHECK_DEF(def, "lyra_scene_def_default");
    LyraScene *scene = NULL;
    LyraWorld *world = NULL;
    char *path = NULL;
    LY_TRY(create_scene(ctx, "scene", &scene));
    // files are seen from beside this name
    LyraStatus status = ly_path_join(scene->ctx, folder ? folder : "", "scene", &path);
    if (status == LYRA_OK) {
        ly_release(scene->ctx, scene->path);
        scene->path = path;
        status = ly_scene_compile(scene, ctx, text ? text : "", length, def, &world);
    }
    return hand_over(status, scene, world, out, scene_out);
}

// ---- reading ------------------------------------------------------------------------------------

LyraSceneView lyra_scene_view(const LyraScene *scene)
{
    LYRA_ASSERT(scene);
    return (LyraSceneView){
        .name = scene->name ? scene->name : ly_path_name(scene->path),
        .path = scene->path,
        .output = scene->output,
        .camera = scene->camera,
        .setting_count = scene->setting_count,
        .settings = scene->settings,
    };
}
