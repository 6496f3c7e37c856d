// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Bodies of springs in Vega's scenes: `.massspring` files (over quads of an OBJ, tets or cubes) and
// chains, `chain,N,k`. As Vega moves them: densities and spring damping are read and not used (the
// mass of a vertex is its share of area or volume), and gravity points up.

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
    vega->gravity[1] = vega->scale * g;
    ly_log(vega->ctx, LYRA_LOG_WARNING, "%s: gravity pulls springs up, along +y, as in Vega",
           vega->config.path);
}

// springs alone, whose force is the world's
static const LyBodyType springs_type = {.name = "springs", .meshless = true};

// takes the springs and makes their force the world's
static LyraStatus add_force(LyVega *vega, LyraSprings *take, const double *group_stiffness)
{
    LyraForce *force = NULL;
    vega->springs = take;
    LyraMassSpringDef def = lyra_mass_spring_def_default();
    def.group_stiffness = group_stiffness;
    LY_TRY(lyra_mass_spring_create(vega->ctx, vega->springs, &def, &force));
    vega->body.type = &springs_type;
    return ly_world_own_force(vega->world, 0, vega->view.name, force);
}

static LyraStatus make_vertices(LyVega *vega, int32_t count, const double *positions)
{
    vega->vertex_count = count;
    LY_TRY(ly_allocate_zeroed(vega->ctx, count, sizeof *vega->masses, &vega->masses));
    LY_TRY(ly_allocate_zeroed(vega->ctx, 3 * (int64_t)count, sizeof *vega->positions,
                              &vega->positions));
    if (positions) {
        memcpy(vega->positions, positions, 3 * (size_t)count * sizeof *positions);
    }
    return LYRA_OK;
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

// unit masses from y = 0 to y = 1, each tied to the next
static LyraStatus make_chain(LyVega *vega)
{
    LyraContext *ctx = vega->ctx;
    const char *text = vega->config.values[LY_VEGA_CUSTOM_SPRINGS].text;
    int32_t count = 0, *pairs = NULL;
    double stiffness = 0;
    if (!parse_chain(text, &count, &stiffness)) {
        char quoted[LY_QUOTE_CHARS];
        return ly_config_at(&vega->config, LY_VEGA_CUSTOM_SPRINGS,
                            ly_fail(LYRA_BAD_FORMAT,
                                    "found %s, expected chain,N,k with N vertices from 1 to %d and "
                                    "a stiffness k above 0, as chain,10,500",
                                    ly_quote(quoted, (LySlice){text, strlen(text)}), CHAIN_MAX));
    }
    vega->chain = true;
    LY_TRY(make_vertices(vega, count, NULL));
    LY_TRY(ly_allocate_array(ctx, 2 * ((int64_t)count - 1), sizeof *pairs, &pairs));
    for (int32_t i = 0; i < count; ++i) {
        vega->masses[i] = 1;
        vega->positions[3 * (int64_t)i + 1] = count == 1 ? 0 : (double)i / (count - 1);
        if (i > 0) {
            pairs[2 * (i - 1)] = i - 1;
            pairs[2 * (i - 1) + 1] = i;
        }
    }
    LyraSpringsDef def = lyra_springs_def_default();
    def.vertex_count = count;
    def.spring_count = count - 1;
    def.vertices = pairs;
    def.positions = vega->positions;
    LyraSprings *springs = NULL;
    LyraStatus status = lyra_springs_create(ctx, &def, &springs);
    ly_release(ctx, pairs);
    LY_TRY(status);
    set_gravity(vega, false);
    return add_force(vega, springs, &(double){vega->scale * stiffness});
}

// ---- quads --------------------------------------------------------------------------------------

static LyraStatus make_quads(LyVega *vega, const LyConfig *file, const LyraSurface *surface,
                             const char *path)
{
    LyraContext *ctx = vega->ctx;
    LyraSurfaceView view = lyra_surface_view(surface);
    for (int32_t f = 0; f < view.face_count; ++f) {
        int32_t corners = view.face_begin[f + 1] - view.face_begin[f];
        if (corners != 4) {
            return ly_fail(LYRA_BAD_MESH,
                           "%s: face %d has %d corners, expected quads only for springs", path,
                           f + 1, corners);
        }
    }
    LY_TRY(make_vertices(vega, view.vertex_count, view.positions));
    // Vega's masses leave the density out
    lyra_quads_lumped_masses(view.vertex_count, view.positions, view.face_count,
                             view.corner_vertices, 1, vega->masses);
    LyraSprings *springs = NULL;
    LY_TRY(lyra_springs_create_from_quads(ctx, view.vertex_count, view.positions, view.face_count,
                                          view.corner_vertices, &springs));
    const double stiffness[] = {
        [LYRA_QUAD_SPRING_STRUCTURAL] = vega->scale * ly_config_number(file, TENSILE),
        [LYRA_QUAD_SPRING_SHEAR] = vega->scale * ly_config_number(file, SHEAR),
        [LYRA_QUAD_SPRING_BEND] = vega->scale * ly_config_number(file, BEND),
    };
    return add_force(vega, springs, stiffness);
}

static LyraStatus read_quads(LyVega *vega, const LyConfig *file, const char *path)
{
    LyraSurface *surface = NULL;
    LY_TRY(lyra_surface_load(vega->ctx, path, LYRA_MESH_FORMAT_OBJ, &surface));
    LyraStatus status = make_quads(vega, file, surface, path);
    lyra_surface_destroy(surface);
    LY_TRY(status);
    LY_TRY(ly_vega_digest_file(vega, path));
    return ly_string_copy(vega->ctx, path, strlen(path), &vega->surface_path);
}

// ---- tets and cubes -----------------------------------------------------------------------------

static LyraStatus lump_volumes(LyVega *vega, const LyraMesh *mesh)
{
    LyraMeshView view = lyra_mesh_view(mesh);
    double *ones = NULL;
    LY_TRY(make_vertices(vega, view.vertex_count, view.positions));
    LY_TRY(ly_allocate_array(vega->ctx, view.element_count, sizeof *ones, &ones));
    for (int32_t e = 0; e < view.element_count; ++e) {
        ones[e] = 1;
    }
    lyra_mesh_lumped_masses(mesh, ones, vega->masses);
    ly_release(vega->ctx, ones);
    return LYRA_OK;
}

static LyraStatus read_volume(LyVega *vega, const LyConfig *file, LyraElementKind kind,
                              const char *path)
{
    LyraMesh *mesh = NULL;
    LyraSolid *solid = NULL;
    LY_TRY(ly_vega_load_mesh(vega, path, &mesh));
    vega->view.mesh = mesh;
    vega->body.type = ly_body_type_find("solid");
    LyraElementKind found = lyra_mesh_view(mesh).kind;
    if (found != kind) {
        return ly_fail(LYRA_BAD_MESH, "%s: found a mesh of %ss, expected one of %ss", path,
                       lyra_element_kind_name(found), lyra_element_kind_name(kind));
    }
    LyraSolidDef def = lyra_solid_def_default();
    def.model = "mass-spring";
    def.stiffness = vega->scale * ly_config_number(file, TENSILE);
    LY_TRY(lyra_solid_create(vega->ctx, mesh, &def, &solid));
    vega->view.solid = solid;
    vega->body.solid_def = def;
    LY_TRY(lyra_springs_create_from_mesh(vega->ctx, mesh, &vega->springs));
    LY_TRY(lump_volumes(vega, mesh));
    return ly_config_path(file, SURFACE, &vega->surface_path);
}

// ---- files --------------------------------------------------------------------------------------

static LyraStatus read_springs(LyVega *vega, LyVegaSprings kind, const LyConfig *file)
{
    LY_TRY(ly_config_check_required(file));
    char *path = NULL;
    LY_TRY(ly_config_path(file, MESH, &path));
    LyraStatus status =
        kind == LY_SPRINGS_OBJ
            ? read_quads(vega, file, path)
            : read_volume(vega, file,
                          kind == LY_SPRINGS_TET ? LYRA_ELEMENT_TET4 : LYRA_ELEMENT_CUBE8, path);
    ly_release(vega->ctx, path);
    LY_TRY(ly_config_at(file, MESH, status));
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

LyraStatus ly_vega_make_springs(LyVega *vega)
{
    static const LyVegaKey keys[] = {
        [LY_SPRINGS_OBJ] = LY_VEGA_SPRINGS_OBJ,
        [LY_SPRINGS_TET] = LY_VEGA_SPRINGS_TET,
        [LY_SPRINGS_CUBIC] = LY_VEGA_SPRINGS_CUBIC,
    };
    for (int32_t k = 0; k < LY_COUNT_OF(keys); ++k) {
        if (ly_config_has(&vega->config, (int32_t)keys[k])) {
            char *path = NULL;
            LY_TRY(ly_config_path(&vega->config, (int32_t)keys[k], &path));
            LyraStatus status = read_file(vega, (LyVegaSprings)k, path);
            ly_release(vega->ctx, path);
            return ly_config_at(&vega->config, (int32_t)keys[k], status);
        }
    }
    return make_chain(vega);
}
