// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Any bytes as a scene in YAML, and what follows a byte 0xff as an override of it: a status, or
// values that are within their ranges. Bodies are not built, as a few digits ask for any size.

#include "base/base.h"
#include "fuzz_mesh.h"
#include "scene/spec.h"
#include "world/curve.h"

// a copy with a zero byte behind
static char *copy_text(const uint8_t *data, size_t size)
{
    char *text = malloc(size + 1);
    FUZZ_REQUIRE(text);
    if (size > 0) {
        memcpy(text, data, size);
    }
    text[size] = 0;
    return text;
}

// values are within their ranges, and a world would copy them
static void check(LyraArena *arena, const LySceneSpec *spec)
{
    const LyWorldSpec *world = &spec->world;
    FUZZ_REQUIRE(world->body_count > 0 && world->time.dt > 0 && isfinite(world->time.dt));
    FUZZ_REQUIRE(world->time.substeps > 0 && world->integrator.name && world->solver.name);
    for (int32_t b = 0; b < world->body_count; ++b) {
        FUZZ_REQUIRE(world->bodies[b].material.model && world->bodies[b].kind);
        FUZZ_REQUIRE(!world->bodies[b].generate || world->bodies[b].generate->elements > 0);
    }
    LyWorldSpec copy;
    LyraStatus status = ly_keys_copy(arena, &ly_world_keys, world, &copy);
    FUZZ_REQUIRE(status == LYRA_OK || lyra_error_message()[0]);
    for (int i = 0; i < 3 && status == LYRA_OK; ++i) {
        FUZZ_REQUIRE(isfinite(ly_curve_at(&copy.gravity[i], 0).value));
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    LyraContext *ctx = fuzz_context();
    LyraArena *arena = NULL;
    FUZZ_REQUIRE(ly_arena_create(ctx, 0, &arena) == LYRA_OK);
    size_t split = fuzz_split(data, size);
    char *text = copy_text(data, split);
    char *change = split < size ? copy_text(data + split + 1, size - split - 1) : NULL;
    LyNode *root = NULL;
    LySceneSpec spec = {0};
    LyraStatus status = ly_tree_parse(arena, "fuzz.yaml", text, split, &root);
    if (status == LYRA_OK && change) {
        status = ly_tree_override(arena, &root, change);
    }
    if (status == LYRA_OK && root) {
        (void)ly_node_digest(1, root);
        LyKey keys[LY_SCENE_KEYS_MAX];
        LyGroup group = ly_scene_keys(keys);
        status = ly_spec_read(arena, &group, root, &spec);
        if (status == LYRA_OK) {
            check(arena, &spec);
        }
    }
    FUZZ_REQUIRE(status == LYRA_OK || lyra_error_message()[0]);
    free(text);
    free(change);
    ly_arena_destroy(ctx, arena);
    FUZZ_REQUIRE(lyra_context_byte_count(ctx) == 0);
    return 0;
}
