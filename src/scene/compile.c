// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// A scene in YAML compiled into a world: text to tree, overrides, settings by the tables of keys,
// and then what any program does that makes a world. The tree and the settings are gone afterwards;
// until then they say where in the file a failure is at home.

#include "base/file.h"
#include "scene/scene.h"
#include "scene/spec.h"

#include <string.h>

// A scene is written by people; one of more than this is something else.
#define TEXT_MAX ((size_t)64 << 20)

typedef struct Compiler {
    LyraScene *scene;
    LyraArena *arena; // of the tree and the settings
    LyNode *root;
    LySceneSpec spec;
    LyraWorld *world;
} Compiler;

// ---- reading ------------------------------------------------------------------------------------

static LyraStatus read_tree(Compiler *compiler, const char *text, size_t length,
                            const LyraSceneDef *def)
{
    const char *path = compiler->scene->path;
    if (length > TEXT_MAX) {
        return ly_fail(LYRA_TOO_LARGE, "%s: found %zu bytes, expected a scene of 64 MiB at most",
                       path, length);
    }
    LY_TRY(ly_tree_parse(compiler->arena, path, text, length, &compiler->root));
    for (int32_t o = 0; o < def->override_count; ++o) {
        // nodes point to their override
        char *copy = NULL;
        size_t size = strlen(def->overrides[o]) + 1;
        LY_TRY(ly_arena_allocate(compiler->arena, (int64_t)size, 1, &copy));
        memcpy(copy, def->overrides[o], size);
        LY_TRY(ly_tree_override(compiler->arena, &compiler->root, copy));
    }
    return compiler->root ? LYRA_OK
                          : ly_fail(LYRA_BAD_FORMAT,
                                    "%s:1:1: found nothing, expected a scene with bodies", path);
}

static LyraStatus read_spec(Compiler *compiler)
{
    LyKey keys[LY_SCENE_KEYS_MAX];
    LyGroup group = ly_scene_keys(keys);
    return ly_spec_read(compiler->arena, &group, compiler->root, &compiler->spec);
}

// ---- outputs and pictures -----------------------------------------------------------------------

static LyraStatus set_output(LyraScene *scene, const LyraSceneOutput *output, const LyNode *node)
{
    for (int i = 0; i < 2; ++i) {
        if (output->snapshot_size[i] < 16 || output->snapshot_size[i] > 8000) {
            return ly_node_expect(ly_node_find(node, "snapshot-size"),
                                  "width and height of pictures, each from 16 to 8000");
        }
    }
    scene->output = *output;
    return LYRA_OK;
}

static LyraStatus set_camera(LyraScene *scene, const LyCameraSpec *spec, const LyNode *node)
{
    const double degrees = 57.29577951308232;
    LyraSceneCamera *camera = &scene->camera;
    LY_TRY(ly_node_place(node, ly_check_direction("up", spec->up)));
    camera->fitted = !spec->eye;
    if (spec->eye) {
        if (memcmp(spec->eye, spec->target, sizeof camera->eye) == 0) {
            return ly_key_fail(node, LYRA_BAD_FORMAT,
                               "found the eye at its target, expected it elsewhere");
        }
        memcpy(camera->eye, spec->eye, sizeof camera->eye);
    }
    camera->azimuth = spec->azimuth * degrees;
    camera->elevation = spec->elevation * degrees;
    camera->field_of_view = spec->field_of_view * degrees;
    memcpy(camera->target, spec->target, sizeof camera->target);
    memcpy(camera->up, spec->up, sizeof camera->up);
    return LYRA_OK;
}

static LyraStatus set_looks(Compiler *compiler)
{
    LyraScene *scene = compiler->scene;
    const LySceneSpec *spec = &compiler->spec;
    const char *title = spec->world.title;
    LY_TRY(set_output(scene, &spec->output.files, ly_node_find(compiler->root, "output")));
    LY_TRY(set_camera(scene, &spec->camera, ly_node_find(compiler->root, "camera")));
    return title ? ly_string_copy(scene->ctx, title, strlen(title), &scene->name) : LYRA_OK;
}

// ---- the world ----------------------------------------------------------------------------------

// what does not make the motion stays out of the digest
static void digest_tree(const Compiler *compiler)
{
    const LyraTiming *time = &compiler->spec.world.time;
    uint64_t digest = 0xcbf29ce484222325u;
    for (const LyNode *child = compiler->root->first; child; child = child->next) {
        if (strcmp(child->key, "title") != 0 && strcmp(child->key, "output") != 0 &&
            strcmp(child->key, "camera") != 0 && strcmp(child->key, "time") != 0) {
            digest = ly_node_digest(digest, child);
        }
    }
    ly_world_digest(compiler->world, &digest, sizeof digest);
    ly_world_digest(compiler->world, &time->dt, sizeof time->dt);
    ly_world_digest(compiler->world, &time->substeps, sizeof time->substeps);
}

static LyraStatus make_world(Compiler *compiler, LyraContext *ctx)
{
    const LyWorldSpec *spec = &compiler->spec.world;
    LyraWorldDef def = lyra_world_def_default();
    def.title = spec->title;
    memcpy(def.gravity, spec->gravity, sizeof def.gravity);
    def.mass = (LyraMassKind)spec->mass;
    def.damping = spec->damping;
    def.integrator = spec->integrator;
    def.solver = spec->solver;
    def.time = spec->time;
    LY_TRY(ly_node_place(compiler->root, lyra_world_create(ctx, &def, &compiler->world)));
    digest_tree(compiler);
    return ly_scene_set_folder(compiler->scene, compiler->world);
}

static LyraStatus add_body(LyraWorld *world, const void *item)
{
    return lyra_world_add_body(world, item, NULL);
}

static LyraStatus add_constraint(LyraWorld *world, const void *item)
{
    return lyra_world_add_constraint(world, item);
}

static LyraStatus add_load(LyraWorld *world, const void *item)
{
    return lyra_world_add_load(world, item);
}

static LyraStatus add_tie(LyraWorld *world, const void *item)
{
    return lyra_world_add_tie(world, item, NULL);
}

static LyraStatus add_change(LyraWorld *world, const void *item)
{
    return lyra_world_add_change(world, item);
}

static LyraStatus add_probe(LyraWorld *world, const void *item)
{
    return lyra_world_add_probe(world, item, NULL);
}

static LyraStatus add_list(Compiler *compiler, const LyNode *parent, const char *key,
                           const void *items, size_t size,
                           LyraStatus (*add)(LyraWorld *world, const void *item))
{
    const LyNode *list = parent ? ly_node_find(parent, key) : NULL;
    const char *item = items;
    for (const LyNode *node = list ? list->first : NULL; node; node = node->next, item += size) {
        LY_TRY(ly_node_place(node, add(compiler->world, item)));
    }
    return LYRA_OK;
}

static LyraStatus fill_world(Compiler *compiler)
{
    const LyWorldSpec *spec = &compiler->spec.world;
    const LyOutputSpec *output = &compiler->spec.output;
    const LyNode *root = compiler->root;
    LY_TRY(add_list(compiler, root, "bodies", spec->bodies, sizeof *spec->bodies, add_body));
    LY_TRY(add_list(compiler, root, "constraints", spec->constraints, sizeof *spec->constraints,
                    add_constraint));
    LY_TRY(add_list(compiler, root, "loads", spec->loads, sizeof *spec->loads, add_load));
    LY_TRY(add_list(compiler, root, "ties", spec->ties, sizeof *spec->ties, add_tie));
    LY_TRY(add_list(compiler, root, "changes", spec->changes, sizeof *spec->changes, add_change));
    LY_TRY(add_list(compiler, ly_node_find(root, "output"), "probes", output->probes,
                    sizeof *output->probes, add_probe));
    return ly_node_place(compiler->root, lyra_world_prepare(compiler->world));
}

LyraStatus ly_scene_compile(LyraScene *scene, LyraContext *ctx, const char *text, size_t length,
                            const LyraSceneDef *def, LyraWorld **out)
{
    Compiler compiler = {.scene = scene};
    LyraStatus status = LYRA_OK;
    LY_TRY(ly_arena_create(scene->ctx, 0, &compiler.arena));
    LY_TRY_DONE(read_tree(&compiler, text, length, def));
    LY_TRY_DONE(read_spec(&compiler));
    LY_TRY_DONE(set_looks(&compiler));
    LY_TRY_DONE(make_world(&compiler, ctx));
    LY_TRY_DONE(fill_world(&compiler));
    *out = compiler.world;
    compiler.world = NULL;
done:
    lyra_world_destroy(compiler.world);
    ly_arena_destroy(scene->ctx, compiler.arena);
    return status;
}

LyraStatus ly_scene_read_yaml(LyraScene *scene, LyraContext *ctx, const LyraSceneDef *def,
                              LyraWorld **out)
{
    char *text = NULL;
    size_t length;
    LY_TRY(ly_file_read(scene->ctx, scene->path, &text, &length));
    LyraStatus status = ly_scene_compile(scene, ctx, text, length, def, out);
    ly_release(scene->ctx, text);
    return status;
}
