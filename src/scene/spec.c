// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Keys of a scene beside those of its world: outputs and pictures.

#include "scene/spec.h"

#include "world/keys_rows.h"

#include <string.h>

// the words of fields of pictures, in the order of the enum
#define FIELDS(X)                                                                                  \
    X(NONE, "none")                                                                                \
    X(DISPLACEMENT, "displacement")                                                                \
    X(SPEED, "speed")                                                                              \
    X(VON_MISES, "von-mises")                                                                      \
    X(STRAIN, "strain")                                                                            \
    X(PLASTIC_STRAIN, "plastic-strain")                                                            \
    X(GOAL_DISTANCE, "goal-distance")                                                              \
    X(PLASTIC_LOSS, "plastic-loss")                                                                \
    X(VISCOUS_LOSS, "viscous-loss")
#define FIELD_NAME(field, word) [LYRA_SCENE_FIELD_##field] = word,
#define FIELD_CHOICE(field, word) "|" word

static const char *const field_names[LYRA_SCENE_FIELD_COUNT] = {FIELDS(FIELD_NAME)};
static const char field_choices[] = FIELDS(FIELD_CHOICE);

const char *lyra_scene_field_name(LyraSceneField field)
{
    return field >= 0 && field < LYRA_SCENE_FIELD_COUNT ? field_names[field] : "unknown";
}

static const LyKey output_keys[] = {
    {"save-every", LY_KEY_INTEGER, AT(LyOutputSpec, files.save_every),
     .range = LY_RANGE_NOT_NEGATIVE, .meaning = "Steps between frames of `displacement.npy`."},
    {"save-history", LY_KEY_BOOL, AT(LyOutputSpec, files.save_history),
     .meaning = "What elements remember of flow beside these frames, `<body>_plastic-strain.npy` "
                "and so on."},
    {"vtu-every", LY_KEY_INTEGER, AT(LyOutputSpec, files.vtu_every), .range = LY_RANGE_NOT_NEGATIVE,
     .meaning = "Steps between VTU files."},
    {"obj-every", LY_KEY_INTEGER, AT(LyOutputSpec, files.obj_every), .range = LY_RANGE_NOT_NEGATIVE,
     .meaning = "Steps between OBJ files."},
    {"checkpoint-every", LY_KEY_INTEGER, AT(LyOutputSpec, files.checkpoint_every),
     .range = LY_RANGE_NOT_NEGATIVE, .meaning = "Steps between checkpoints."},
    {"snapshot-every", LY_KEY_INTEGER, AT(LyOutputSpec, files.snapshot_every),
     .range = LY_RANGE_NOT_NEGATIVE, .meaning = "Steps between pictures."},
    {"snapshot-field", LY_KEY_WORD, AT(LyOutputSpec, files.snapshot_field),
     .choices = field_choices + 1, .meaning = "Colours in pictures; `strain` is of cloth."},
    {"snapshot-size", LY_KEY_INTEGERS, AT(LyOutputSpec, files.snapshot_size),
     .meaning = "Width and height of pictures in pixels."},
    {"snapshot-edges", LY_KEY_BOOL, AT(LyOutputSpec, files.snapshot_edges),
     .meaning = "Edges of faces in pictures."},
    {"pc2", LY_KEY_BOOL, AT(LyOutputSpec, files.pc2), .meaning = "A PC2 cache of the surfaces."},
    {"gltf", LY_KEY_BOOL, AT(LyOutputSpec, files.gltf),
     .meaning = "An animated glTF file of the surfaces."},
    {"matrix", LY_KEY_TEXT, AT(LyOutputSpec, files.matrix),
     .meaning = "Name, without a folder, of a matrix of Vega with a column of displacements per "
                "step."},
    {"probes", LY_KEY_LIST, LIST(LyOutputSpec, probes, probe_count), .group = &ly_probe_keys,
     .meaning = "Numbers that are watched, columns of `steps.csv`."},
};
GROUP(output, LyOutputSpec, NULL, "output",
      "What to write; 0 is never. The command may overrule it.");

static const LyKey camera_keys[] = {
    {"azimuth", LY_KEY_NUMBER, AT(LyCameraSpec, azimuth), .unit = "rad", .shown_default = "30 deg",
     .meaning = "Where `eye` is not given, the camera is fitted to the bodies."},
    {"elevation", LY_KEY_NUMBER, AT(LyCameraSpec, elevation), .unit = "rad",
     .shown_default = "20 deg", .meaning = "The same."},
    {"eye", LY_KEY_VECTOR, AT(LyCameraSpec, eye), .pointer = true, .unit = "m",
     .meaning = "Where the camera is."},
    {"target", LY_KEY_VECTOR, AT(LyCameraSpec, target), .unit = "m",
     .meaning = "What it looks at; read with `eye`."},
    {"up", LY_KEY_VECTOR, AT(LyCameraSpec, up), .meaning = "What is up in pictures."},
    {"field-of-view", LY_KEY_NUMBER, AT(LyCameraSpec, field_of_view), .unit = "rad",
     .shown_default = "40 deg", .range = LY_RANGE_ANGLE, .meaning = "Vertical."},
};
GROUP(camera, LyCameraSpec, NULL, "camera", "Where pictures are taken from.");

static void init_scene(void *out)
{
    const double degree = 0.017453292519943295;
    LySceneSpec *spec = out;
    ly_world_keys.init(&spec->world);
    spec->output = (LyOutputSpec){.files = {.snapshot_size = {1200, 900}}};
    spec->camera = (LyCameraSpec){.azimuth = 30 * degree,
                                  .elevation = 20 * degree,
                                  .up = {0, 1, 0},
                                  .field_of_view = 40 * degree};
}

LyGroup ly_scene_keys(LyKey keys[LY_SCENE_KEYS_MAX])
{
    static const LyKey added[] = {
        {"output", LY_KEY_GROUP, AT(LySceneSpec, output), .shown = true, .group = &output,
         .meaning = "What to write."},
        {"camera", LY_KEY_GROUP, AT(LySceneSpec, camera), .shown = true, .group = &camera,
         .meaning = "Where pictures are taken from."},
    };
    // the world comes first in the struct
    int32_t count = ly_world_keys.key_count;
    LYRA_ASSERT(count + LY_COUNT_OF(added) <= LY_SCENE_KEYS_MAX);
    memcpy(keys, ly_world_keys.keys, (size_t)count * sizeof *keys);
    memcpy(keys + count, added, sizeof added);
    return (LyGroup){.name = ly_world_keys.name,
                     .meaning = ly_world_keys.meaning,
                     .size = sizeof(LySceneSpec),
                     .init = init_scene,
                     .key_count = count + LY_COUNT_OF(added),
                     .keys = keys};
}
