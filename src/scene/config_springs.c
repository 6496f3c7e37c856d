// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Bodies of springs in Vega's scenes: `.massspring` files (over quads of an OBJ, tets or cubes) and
// chains, `chain,N,k`. As Vega moves them: densities and spring damping are read and not used (the
// mass of a vertex is its share of area or volume: a density of 1), and gravity points up.

#include "scene/vega_scene.h"

#include "base/file.h"

#include <string.h>

// ---- keys ---------------------------------------------------------------------------------------

// those of springs over quads; the other two have some of them
enum { MESH, SURFACE, DENSITY, TENSILE, DAMPING, ADD_GRAVITY, SHEAR, BEND, OBJ_KEY_COUNT };
#define VOLUME_KEY_COUNT SHEAR

#define NOT_NEGATIVE .kind = LY_CONFIG_NUMBER, .high = INFINITY, .required = true
#define VOLUME_KEYS(mesh)                                                                          \
    {                                                                                              \
        [MESH] = {mesh, LY_CONFIG_TEXT, .required = true},                                         \
        [SURFACE] = {.name = "surfaceMeshFilename", .kind = LY_CONFIG_TEXT},                       \
        [DENSITY] = {.name = "density", NOT_NEGATIVE},                                             \
        [TENSILE] = {.name = "tensileStiffness", .kind = LY_CONFIG_POSITIVE, .required = true},    \
        [DAMPING] = {.name = "damping", NOT_NEGATIVE},                                             \
        [ADD_GRAVITY] = {.name = "addGravity", .kind = LY_CONFIG_SWITCH, .required = true},        \
    }

static const LyConfigKey tet_keys[VOLUME_KEY_COUNT] = VOLUME_KEYS("tetMeshFilename");
static const LyConfigKey cubic_keys[VOLUME_KEY_COUNT] = VOLUME_KEYS("cubicMeshFilename");
static const LyConfigKey obj_keys[OBJ_KEY_COUNT] = {
    [MESH] = {.name = "massSpringMeshFilename", .kind = LY_CONFIG_TEXT, .required = true},
    [SURFACE] = {.name = "surfaceMeshFilename", .kind = LY_CONFIG_TEXT},
    [DENSITY] = {.name = "surfaceDensity", NOT_NEGATIVE},
    [TENSILE] = {.name = "tensileStiffness", NOT_NEGATIVE},
    [DAMPING] = {.name = "damping", NOT_NEGATIVE},
    [ADD_GRAVITY] = {.name = "addGravity", .kind = LY_CONFIG_SWITCH, .required = true},
    [SHEAR] = {.name = "shearStiffness", NOT_NEGATIVE},
    [BEND] = {.name = "bendStiffness", NOT_NEGATIVE},
};

const LyConfigKey *ly_vega_spring_keys(LyVegaSprings kind, int32_t *count)
{
    *count = kind == LY_SPRINGS_OBJ ? OBJ_KEY_COUNT : VOLUME_KEY_COUNT;
    return kind == LY_SPRINGS_OBJ ? obj_keys : kind == LY_SPRINGS_TET ? tet_keys : cubic_keys;
}

// ---- what all springs share ---------------------------------------------------------------------

// The switch of the scene brings its g; that of the springs alone brings 9.81.
static void set_gravity(LyVega *vega, bool switched_on)
{
    bool scene = ly_config_is_on(&vega->config, LY_VEGA_ADD_GRAVITY);
    if (!scene && !switched_on) {
        return;
    }
    double g = scene ? ly_config_number(&vega->config, LY_VEGA_G) : 9.81;
    vega->spec.world.gravity[1].value = vega->scale * g;
    ly_log(vega->ctx, LYRA_LOG_WARNING, "%s: gravity pulls springs up, along +y, as in Vega",
           vega->config.path);
}

static void begin_springs(LyVega *vega, LyraSpringsOver over)
{
    vega->springs = lyra_body_springs_default();
    vega->springs.over = over;
    vega->body.kind = "springs";
    vega->body.springs = &vega->springs;
}

// ---- chains -------------------------------------------------------------------------------------

#define CHAIN_MAX 10000000

static bool parse_chain(const char *text, int32_t *count, double *stiffness)
{
    const char *end = text + strlen(text);
    const size_t word = strlen("chain,");
    if (!ly_slice_is_word((LySlice){text, strlen(text) < word ? 0 : word}, "chain,")) {
        return false;
    }
    const char *at = ly_parse_int32(text + word, end, count);
    if (!at || *at != ',') {
        return false;
    }
    at = ly_parse_double(at + 1, end, stiffness);
    return at == end && *count >= 1 && *count <= CHAIN_MAX && *stiffness > 0 &&
           isfinite(*stiffness);
}

// Unit masses from y = 0 to y = 1, each tied to the next. It starts displaced by (1 - y, 1 - y, 0):
// turned by a right angle about its fixed end.
static LyraStatus read_chain(LyVega *vega)
{
    const char *text = vega->config.values[LY_VEGA_CUSTOM_SPRINGS].text;
    int32_t count = 0;
    double stiffness = 0;
    if (!parse_chain(text, &count, &stiffness)) {
        char quoted[LY_QUOTE_CHARS];
        return ly_config_at(&vega->config, LY_VEGA_CUSTOM_SPRINGS,
                            ly_fail(LYRA_BAD_FORMAT,
                                    "found %s, expected chain,N,k with N vertices from 1 to %d and "
                                    "a stiffness k above 0, as chain,10,500",
                                    ly_quote(quoted, (LySlice){text, strlen(text)}), CHAIN_MAX));
    }
    begin_springs(vega, LYRA_SPRINGS_OVER_CHAIN);
    vega->source = LY_VEGA_CUSTOM_SPRINGS;
    vega->chain = true;
    vega->springs.count = count;
    vega->springs.mass = count;
    vega->springs.to[0] = 0;
    vega->springs.to[1] = 1;
    vega->springs.structural = vega->scale * stiffness;
    vega->body.start.rotate.center[1] = 1;
    vega->body.start.rotate.angle = 0.5 * 3.14159265358979323846;
    set_gravity(vega, false);
    return LYRA_OK;
}

// ---- files --------------------------------------------------------------------------------------

// A file that the `.massspring` file names, as the scene would name it.
static LyraStatus keep_path(LyVega *vega, const LyConfig *file, int32_t key, const char **out)
{
    char *path = NULL;
    const char *name = file->values[key].text;
    *out = NULL;
    if (!name) {
        return LYRA_OK;
    }
    LY_TRY(ly_path_beside(vega->ctx, vega->config.values[vega->source].text, name, &path));
    LyraStatus status = ly_vega_keep(vega, path, out);
    ly_release(vega->ctx, path);
    return status;
}

// Vega's masses leave the density out
static LyraStatus read_quads(LyVega *vega, const LyConfig *file)
{
    LyraBodySprings *springs = &vega->springs;
    begin_springs(vega, LYRA_SPRINGS_OVER_QUADS);
    springs->structural = vega->scale * ly_config_number(file, TENSILE);
    springs->shear = vega->scale * ly_config_number(file, SHEAR);
    springs->bend = vega->scale * ly_config_number(file, BEND);
    return keep_path(vega, file, MESH, &springs->file);
}

static LyraStatus read_volume(LyVega *vega, const LyConfig *file, LyraElementKind kind)
{
    int32_t vertices;
    LyraElementKind found;
    begin_springs(vega, LYRA_SPRINGS_OVER_ELEMENTS);
    vega->springs.structural = vega->scale * ly_config_number(file, TENSILE);
    vega->body.density = 1;
    LY_TRY(keep_path(vega, file, MESH, &vega->body.file));
    LY_TRY(keep_path(vega, file, SURFACE, &vega->surface));
    LY_TRY(ly_vega_probe_mesh(vega, &vertices, &found));
    return found == kind ? LYRA_OK
                         : ly_fail(LYRA_BAD_MESH, "%s: found a mesh of %ss, expected one of %ss",
                                   vega->body.file, lyra_element_kind_name(found),
                                   lyra_element_kind_name(kind));
}

static LyraStatus read_springs(LyVega *vega, LyVegaSprings kind, const LyConfig *file)
{
    LY_TRY(ly_config_check_required(file));
    LY_TRY(ly_config_at(
        file, MESH,
        kind == LY_SPRINGS_OBJ
            ? read_quads(vega, file)
            : read_volume(vega, file,
                          kind == LY_SPRINGS_TET ? LYRA_ELEMENT_TET4 : LYRA_ELEMENT_CUBE8)));
    set_gravity(vega, ly_config_is_on(file, ADD_GRAVITY));
    return LYRA_OK;
}

static LyraStatus read_file(LyVega *vega, LyVegaSprings kind, const char *path)
{
    LyraContext *ctx = vega->ctx;
    char *text = NULL;
    size_t length = 0;
    int32_t key_count = 0;
    const LyConfigKey *keys = ly_vega_spring_keys(kind, &key_count);
    LY_TRY(ly_file_read(ctx, path, &text, &length));
    ly_vega_digest(vega, text, length);
    LyConfig file = {0};
    LyraStatus status = ly_config_parse(&file, ctx, path, text, length, key_count, keys);
    ly_release(ctx, text);
    if (status == LYRA_OK) {
        status = read_springs(vega, kind, &file);
    }
    ly_config_end(&file);
    return status;
}

LyraStatus ly_vega_read_springs(LyVega *vega)
{
    static const LyVegaKey keys[] = {
        [LY_SPRINGS_OBJ] = LY_VEGA_SPRINGS_OBJ,
        [LY_SPRINGS_TET] = LY_VEGA_SPRINGS_TET,
        [LY_SPRINGS_CUBIC] = LY_VEGA_SPRINGS_CUBIC,
    };
    for (int32_t k = 0; k < LY_COUNT_OF(keys); ++k) {
        if (ly_config_has(&vega->config, (int32_t)keys[k])) {
            char *path = NULL;
            vega->source = keys[k];
            LY_TRY(ly_config_path(&vega->config, (int32_t)keys[k], &path));
            LyraStatus status = read_file(vega, (LyVegaSprings)k, path);
            ly_release(vega->ctx, path);
            return ly_config_at(&vega->config, (int32_t)keys[k], status);
        }
    }
    return read_chain(vega);
}
