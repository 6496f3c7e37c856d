// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// A scene compiled into a world: text in YAML to tree, overrides, settings by the tables of keys,
// and then, from settings of whatever file, what any program does that makes a world. The tree and
// the settings are gone afterwards; until then they say where in the file a failure is at home.

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

static LyraStatus set_output(LyraScene *scene, const LyraSceneOutput *output)
{
    for (int i = 0; i < 2; ++i) {
        if (output->snapshot_size[i] < 16 || output->snapshot_size[i] > 8000) {
            return ly_fail_key(LYRA_BAD_FORMAT, "output.snapshot-size",
                               "found [%d, %d], expected width and height of pictures, each from "
                               "16 to 8000",
                               (int)output->snapshot_size[0], (int)output->snapshot_size[1]);
        }
    }
    const char *name = output->matrix;
    char *matrix = NULL;
    if (name && (strchr(name, '/') || name[0] == '.' || !name[0] || strlen(name) > 200)) {
        return ly_fail_key(LYRA_BAD_FORMAT, "output.matrix",
                           "found \"%.80s\", expected the name of a file, without a folder", name);
    }
    if (name) {
        LY_TRY(ly_string_copy(scene->ctx, name, strlen(name), &matrix));
    }
    scene->output = *output;
    scene->output.matrix = matrix;
    return LYRA_OK;
}

static LyraStatus set_camera(LyraScene *scene, const LyCameraSpec *spec)
{
    const double degrees = 57.29577951308232;
    LyraSceneCamera *camera = &scene->camera;
    LY_TRY(ly_within_key(ly_check_direction("up", spec->up), "camera"));
    camera->fitted = !spec->eye;
    if (spec->eye) {
        if (memcmp(spec->eye, spec->target, sizeof camera->eye) == 0) {
            return ly_fail_key(LYRA_BAD_FORMAT, "camera",
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

static LyraStatus set_appearance(const LySceneBuild *build)
{
    LyraScene *scene = build->scene;
    const char *title = build->spec->world.title;
    LY_TRY(set_output(scene, &build->spec->output.files));
    LY_TRY(set_camera(scene, &build->spec->camera));
    return title ? ly_string_copy(scene->ctx, title, strlen(title), &scene->name) : LYRA_OK;
}

// ---- the world ----------------------------------------------------------------------------------

static LyraStatus make_world(const LySceneBuild *build, LyraContext *ctx, LyraWorld **world)
{
    const LyWorldSpec *spec = &build->spec->world;
    LyraWorldDef def = lyra_world_def_default();
    def.title = spec->title;
    memcpy(def.gravity, spec->gravity, sizeof def.gravity);
    def.mass = spec->mass;
    def.damping = spec->damping;
    def.integrator = spec->integrator;
    def.solver = spec->solver;
    def.time = spec->time;
    LY_TRY(lyra_world_create(ctx, &def, world));
    ly_world_digest(*world, &build->digest, sizeof build->digest);
    ly_world_digest(*world, &spec->time.dt, sizeof spec->time.dt);
    ly_world_digest(*world, &spec->time.substeps, sizeof spec->time.substeps);
    return ly_scene_set_folder(build->scene, *world);
}

// adds item `index` of a list
typedef LyraStatus AddItem(LyraWorld *world, const LySceneSpec *spec, int32_t index);

static LyraStatus add_body(LyraWorld *world, const LySceneSpec *spec, int32_t index)
{
    return lyra_world_add_body(world, &spec->world.bodies[index], NULL);
}

static LyraStatus add_constraint(LyraWorld *world, const LySceneSpec *spec, int32_t index)
{
    return lyra_world_add_constraint(world, &spec->world.constraints[index]);
}

static LyraStatus add_load(LyraWorld *world, const LySceneSpec *spec, int32_t index)
{
    return lyra_world_add_load(world, &spec->world.loads[index]);
}

static LyraStatus add_force(LyraWorld *world, const LySceneSpec *spec, int32_t index)
{
    return lyra_world_add_force(world, &spec->world.forces[index]);
}

static LyraStatus add_tie(LyraWorld *world, const LySceneSpec *spec, int32_t index)
{
    return lyra_world_add_tie(world, &spec->world.ties[index], NULL);
}

static LyraStatus add_joint(LyraWorld *world, const LySceneSpec *spec, int32_t index)
{
    return lyra_world_add_joint(world, &spec->world.joints[index], NULL);
}

static LyraStatus add_obstacle(LyraWorld *world, const LySceneSpec *spec, int32_t index)
{
    return lyra_world_add_obstacle(world, &spec->world.obstacles[index], NULL);
}

static LyraStatus add_change(LyraWorld *world, const LySceneSpec *spec, int32_t index)
{
    return lyra_world_add_change(world, &spec->world.changes[index]);
}

static LyraStatus add_probe(LyraWorld *world, const LySceneSpec *spec, int32_t index)
{
    return lyra_world_add_probe(world, &spec->output.probes[index], NULL);
}

static LyraStatus add_list(const LySceneBuild *build, LyraWorld *world, const char *list,
                           int32_t count, AddItem *add)
{
    for (int32_t i = 0; i < count; ++i) {
        LyraStatus status = add(world, build->spec, i);
        if (status != LYRA_OK) {
            return ly_within_item(status, list, i);
        }
    }
    return LYRA_OK;
}

static LyraStatus fill_world(const LySceneBuild *build, LyraWorld *world)
{
    const LyWorldSpec *spec = &build->spec->world;
    LY_TRY(add_list(build, world, "bodies", spec->body_count, add_body));
    LY_TRY(add_list(build, world, "constraints", spec->constraint_count, add_constraint));
    LY_TRY(add_list(build, world, "loads", spec->load_count, add_load));
    LY_TRY(add_list(build, world, "forces", spec->force_count, add_force));
    LY_TRY(add_list(build, world, "ties", spec->tie_count, add_tie));
    LY_TRY(add_list(build, world, "joints", spec->joint_count, add_joint));
    LY_TRY(add_list(build, world, "obstacles", spec->obstacle_count, add_obstacle));
    LY_TRY(add_list(build, world, "changes", spec->change_count, add_change));
    LY_TRY(add_list(build, world, "output.probes", build->spec->output.probe_count, add_probe));
    return lyra_world_prepare(world);
}

LyraStatus ly_scene_build(const LySceneBuild *build, LyraContext *ctx, LyraWorld **out)
{
    LyraWorld *world = NULL;
    LyraStatus status = LYRA_OK;
    LY_TRY_DONE(set_appearance(build));
    LY_TRY_DONE(make_world(build, ctx, &world));
    LY_TRY_DONE(fill_world(build, world));
    *out = world;
    return LYRA_OK;
done:
    lyra_world_destroy(world);
    return build->place(build->self, status);
}

// ---- YAML ---------------------------------------------------------------------------------------

// what does not make the motion stays out of the digest
static uint64_t digest_tree(const LyNode *root)
{
    uint64_t digest = 0xcbf29ce484222325u;
    for (const LyNode *child = root->first; child; child = child->next) {
        if (strcmp(child->key, "title") != 0 && strcmp(child->key, "output") != 0 &&
            strcmp(child->key, "camera") != 0 && strcmp(child->key, "time") != 0) {
            digest = ly_node_digest(digest, child);
        }
    }
    return digest;
}

static LyraStatus place_in_tree(const void *self, LyraStatus status)
{
    return ly_node_place(self, status);
}

LyraStatus ly_scene_compile(LyraScene *scene, LyraContext *ctx, const char *text, size_t length,
                            const LyraSceneDef *def, LyraWorld **out)
{
    Compiler compiler = {.scene = scene};
    LyraStatus status = LYRA_OK;
    LY_TRY(ly_arena_create(scene->ctx, 0, &compiler.arena));
    LY_TRY_DONE(read_tree(&compiler, text, length, def));
    LY_TRY_DONE(read_spec(&compiler));
    const LySceneBuild build = {.scene = scene,
                                .spec = &compiler.spec,
                                .place = place_in_tree,
                                .self = compiler.root,
                                .digest = digest_tree(compiler.root)};
    LY_TRY_DONE(ly_scene_build(&build, ctx, out));
done:
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
