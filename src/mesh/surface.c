// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// A surface as data: copying in, checking, lending.

#include "mesh/surface.h"

#include "mesh/names.h"

#include <math.h>
#include <string.h>

LyraSurfaceMaterial lyra_surface_material_default(void)
{
    return (LyraSurfaceMaterial){
        .name = "",
        .ambient = {0.2, 0.2, 0.2},
        .diffuse = {0.8, 0.8, 0.8},
        .opacity = 1,
        .illumination = 1,
    };
}

// ---- checks -------------------------------------------------------------------------------------

static LyraStatus check_counts(const LyraSurfaceView *data)
{
    if (data->vertex_count < 0 || data->face_count < 0 || data->corner_count < 0 ||
        data->texcoord_count < 0 || data->normal_count < 0 || data->group_count < 0 ||
        data->material_count < 0) {
        return ly_fail(LYRA_INVALID_ARGUMENT, "surface: a count is negative");
    }
    return LYRA_OK;
}

static LyraStatus check_finite(const double *values, int64_t count, int32_t each, const char *what)
{
    for (int64_t i = 0; i < count * each; ++i) {
        if (!isfinite(values[i])) {
            return ly_fail(LYRA_NOT_FINITE, "surface: number %d of %s %lld is not finite",
                           (int)(i % each), what, (long long)(i / each));
        }
    }
    return LYRA_OK;
}

static LyraStatus check_faces(const LyraSurfaceView *data)
{
    if (data->face_begin &&
        (data->face_begin[0] != 0 || data->face_begin[data->face_count] != data->corner_count)) {
        return ly_fail(LYRA_BAD_MESH, "surface: the faces span corners %d to %d, expected 0 to %d",
                       data->face_begin[0], data->face_begin[data->face_count], data->corner_count);
    }
    if (!data->face_begin && (data->face_count > 0 || data->corner_count > 0)) {
        return ly_fail(LYRA_INVALID_ARGUMENT, "surface: the first corners of faces are missing");
    }
    for (int32_t f = 0; f < data->face_count; ++f) {
        int64_t corners = (int64_t)data->face_begin[f + 1] - data->face_begin[f];
        if (corners < 3 || data->face_begin[f + 1] > data->corner_count) {
            return ly_fail(LYRA_BAD_MESH, "surface: face %d has %lld corners, expected 3 or more",
                           f, (long long)corners);
        }
    }
    return LYRA_OK;
}

static LyraStatus check_ids(const int32_t *ids, int32_t id_count, int32_t lowest, int32_t count,
                            const char *owner, const char *what)
{
    for (int32_t i = 0; ids && i < id_count; ++i) {
        if (ids[i] < lowest || ids[i] >= count) {
            return ly_fail(LYRA_BAD_MESH, "surface: %s %d has %s %d, expected %d to %d", owner, i,
                           what, ids[i], lowest, count - 1);
        }
    }
    return LYRA_OK;
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\v' || c == '\f';
}

// what a line of a file can hold and give back
static bool name_is_plain(const char *name)
{
    size_t length = strlen(name);
    return length > 0 && !strpbrk(name, "\r\n") && !is_blank(name[0]) &&
           !is_blank(name[length - 1]) && name[length - 1] != '\\';
}

static LyraStatus check_names(LyraContext *ctx, int32_t count, const char *const *groups,
                              const LyraSurfaceMaterial *materials)
{
    LyraStatus status = LYRA_OK;
    const char *what = groups ? "group" : "material";
    LyNames names = {.ctx = ctx};
    for (int32_t i = 0; i < count; ++i) {
        const char *name = groups ? groups[i] : materials[i].name;
        if (!name || !name_is_plain(name)) {
            LY_TRY_DONE(ly_fail(LYRA_INVALID_ARGUMENT,
                                "surface: the name of %s %d is missing or holds what a line of a "
                                "file cannot",
                                what, i));
        }
        int32_t id;
        bool added;
        LY_TRY_DONE(ly_names_add(&names, (LySlice){name, strlen(name)}, &id, &added));
        if (!added) {
            LY_TRY_DONE(ly_fail(LYRA_BAD_MESH, "surface: %ss %d and %d are both called \"%s\"",
                                what, id, i, name));
        }
    }
done:
    ly_names_release(&names);
    return status;
}

static LyraStatus check_materials(const LyraSurfaceView *data)
{
    for (int32_t m = 0; m < data->material_count; ++m) {
        const LyraSurfaceMaterial *material = &data->materials[m];
        const double *colors[3] = {material->ambient, material->diffuse, material->specular};
        bool finite = isfinite(material->shininess) && isfinite(material->opacity);
        for (int32_t i = 0; i < 9; ++i) {
            finite = finite && isfinite(colors[i / 3][i % 3]);
        }
        if (!finite) {
            return ly_fail(LYRA_NOT_FINITE, "surface: a number of material \"%s\" is not finite",
                           material->name);
        }
        if (material->diffuse_map && !name_is_plain(material->diffuse_map)) {
            return ly_fail(LYRA_INVALID_ARGUMENT,
                           "surface: the map of material \"%s\" holds what a line of a file cannot",
                           material->name);
        }
    }
    return LYRA_OK;
}

static LyraStatus check(LyraContext *ctx, const LyraSurfaceView *data)
{
    LY_TRY(check_counts(data));
    LY_TRY(check_finite(data->positions, data->vertex_count, 3, "vertex"));
    LY_TRY(check_finite(data->texcoords, data->texcoord_count, 2, "texture coordinate"));
    LY_TRY(check_finite(data->normals, data->normal_count, 3, "normal"));
    LY_TRY(check_faces(data));
    LY_TRY(check_ids(data->corner_vertices, data->corner_count, 0, data->vertex_count, "corner",
                     "vertex"));
    LY_TRY(check_ids(data->corner_texcoords, data->corner_count, -1, data->texcoord_count, "corner",
                     "texture coordinate"));
    LY_TRY(check_ids(data->corner_normals, data->corner_count, -1, data->normal_count, "corner",
                     "normal"));
    // without groups there will be one
    LY_TRY(check_ids(data->face_groups, data->face_count, 0,
                     data->group_count > 0 ? data->group_count : 1, "face", "group"));
    LY_TRY(check_ids(data->face_materials, data->face_count, -1, data->material_count, "face",
                     "material"));
    if (data->group_count > 0) {
        LY_TRY(check_names(ctx, data->group_count, data->groups, NULL));
    }
    LY_TRY(check_names(ctx, data->material_count, NULL, data->materials));
    return check_materials(data);
}

// ---- making -------------------------------------------------------------------------------------

static LyraStatus copy_array(LyraContext *ctx, const void *source, int64_t count, size_t size,
                             void *out)
{
    void *copy = NULL;
    LY_TRY(ly_allocate_array(ctx, count, size, &copy));
    if (count > 0) {
        memcpy(copy, source, (size_t)count * size);
    }
    memcpy(out, &copy, sizeof copy);
    return LYRA_OK;
}

static LyraStatus fill_array(LyraContext *ctx, int32_t value, int64_t count, int32_t **out)
{
    LY_TRY(ly_allocate_array(ctx, count, sizeof **out, out));
    for (int64_t i = 0; i < count; ++i) {
        (*out)[i] = value;
    }
    return LYRA_OK;
}

static LyraStatus copy_arrays(LyraContext *ctx, const LyraSurfaceView *data, LySurfaceArrays *out)
{
    static const int32_t zero = 0;
    LY_TRY(copy_array(ctx, data->positions, 3 * (int64_t)data->vertex_count, sizeof(double),
                      &out->positions));
    LY_TRY(copy_array(ctx, data->texcoords, 2 * (int64_t)data->texcoord_count, sizeof(double),
                      &out->texcoords));
    LY_TRY(copy_array(ctx, data->normals, 3 * (int64_t)data->normal_count, sizeof(double),
                      &out->normals));
    LY_TRY(copy_array(ctx, data->face_begin ? data->face_begin : &zero,
                      (int64_t)data->face_count + 1, sizeof(int32_t), &out->face_begin));
    LY_TRY(copy_array(ctx, data->corner_vertices, data->corner_count, sizeof(int32_t),
                      &out->corner_vertices));
    if (data->corner_texcoords) {
        LY_TRY(copy_array(ctx, data->corner_texcoords, data->corner_count, sizeof(int32_t),
                          &out->corner_texcoords));
    }
    if (data->corner_normals) {
        LY_TRY(copy_array(ctx, data->corner_normals, data->corner_count, sizeof(int32_t),
                          &out->corner_normals));
    }
    if (data->face_groups) {
        LY_TRY(copy_array(ctx, data->face_groups, data->face_count, sizeof(int32_t),
                          &out->face_groups));
    }
    if (data->face_materials) {
        LY_TRY(copy_array(ctx, data->face_materials, data->face_count, sizeof(int32_t),
                          &out->face_materials));
    }
    return LYRA_OK;
}

static size_t text_bytes(const char *text)
{
    return text ? strlen(text) + 1 : 0;
}

// NULL stays NULL
static char *put_text(char **end, const char *text)
{
    size_t length = text_bytes(text);
    char *copy = text ? memcpy(*end, text, length) : NULL;
    *end += length;
    return copy;
}

static LyraStatus copy_groups(LyraSurface *surface, const LyraSurfaceView *data)
{
    static const char *const standard[] = {"default"};
    LyraContext *ctx = surface->ctx;
    const char *const *groups = data->group_count > 0 ? data->groups : standard;
    surface->group_count = data->group_count > 0 ? data->group_count : 1;
    surface->material_count = data->material_count;
    // names lie together: each alone would take many times its length
    size_t bytes = 0;
    for (int32_t g = 0; g < surface->group_count; ++g) {
        bytes += text_bytes(groups[g]);
    }
    for (int32_t m = 0; m < surface->material_count; ++m) {
        bytes += text_bytes(data->materials[m].name) + text_bytes(data->materials[m].diffuse_map);
    }
    LY_TRY(ly_allocate_array(ctx, (int64_t)bytes, 1, &surface->names));
    LY_TRY(ly_allocate_array(ctx, surface->group_count, sizeof *surface->groups, &surface->groups));
    LY_TRY(copy_array(ctx, data->materials, data->material_count, sizeof *surface->materials,
                      &surface->materials));
    char *end = surface->names;
    for (int32_t g = 0; g < surface->group_count; ++g) {
        surface->groups[g] = put_text(&end, groups[g]);
    }
    for (int32_t m = 0; m < surface->material_count; ++m) {
        surface->materials[m].name = put_text(&end, data->materials[m].name);
        surface->materials[m].diffuse_map = put_text(&end, data->materials[m].diffuse_map);
    }
    return LYRA_OK;
}

static LyraStatus make(LyraContext *ctx, const LyraSurfaceView *data, const LySurfaceArrays *take,
                       LyraSurface **out)
{
    LyraStatus status = LYRA_OK;
    LyraSurface *surface = NULL;
    LY_TRY(ly_allocate_array(ctx, 1, sizeof *surface, &surface));
    *surface = (LyraSurface){
        .ctx = ctx,
        .vertex_count = data->vertex_count,
        .face_count = data->face_count,
        .corner_count = data->corner_count,
        .texcoord_count = data->texcoord_count,
        .normal_count = data->normal_count,
    };
    LySurfaceArrays copies = {0};
    LY_TRY_DONE(copy_groups(surface, data));
    if (!take) {
        LY_TRY_DONE(copy_arrays(ctx, data, &copies));
    }
    // arrays that were left out
    int32_t *groups = take ? take->face_groups : copies.face_groups;
    int32_t *materials = take ? take->face_materials : copies.face_materials;
    if (!groups) {
        LY_TRY_DONE(fill_array(ctx, 0, data->face_count, &copies.face_groups));
    }
    if (!materials) {
        LY_TRY_DONE(fill_array(ctx, -1, data->face_count, &copies.face_materials));
    }
    surface->arrays = take ? *take : copies;
    surface->arrays.face_groups = groups ? groups : copies.face_groups;
    surface->arrays.face_materials = materials ? materials : copies.face_materials;
    *out = surface;
done:
    if (status != LYRA_OK) {
        ly_surface_arrays_release(ctx, &copies);
        lyra_surface_destroy(surface);
    }
    return status;
}

LyraStatus lyra_surface_create(LyraContext *ctx, const LyraSurfaceView *data, LyraSurface **out)
{
    LY_TRY(check(ctx, data));
    return make(ctx, data, NULL, out);
}

LyraStatus ly_surface_create_take(LyraContext *ctx, const LyraSurfaceView *data,
                                  const LySurfaceArrays *arrays, LyraSurface **out)
{
    LyraSurfaceView whole = *data;
    whole.positions = arrays->positions;
    whole.texcoords = arrays->texcoords;
    whole.normals = arrays->normals;
    whole.face_begin = arrays->face_begin;
    whole.corner_vertices = arrays->corner_vertices;
    whole.corner_texcoords = arrays->corner_texcoords;
    whole.corner_normals = arrays->corner_normals;
    whole.face_groups = arrays->face_groups;
    whole.face_materials = arrays->face_materials;
    LY_TRY(check(ctx, &whole));
    return make(ctx, &whole, arrays, out);
}

void ly_surface_arrays_release(LyraContext *ctx, LySurfaceArrays *arrays)
{
    ly_release(ctx, arrays->positions);
    ly_release(ctx, arrays->texcoords);
    ly_release(ctx, arrays->normals);
    ly_release(ctx, arrays->face_begin);
    ly_release(ctx, arrays->corner_vertices);
    ly_release(ctx, arrays->corner_texcoords);
    ly_release(ctx, arrays->corner_normals);
    ly_release(ctx, arrays->face_groups);
    ly_release(ctx, arrays->face_materials);
    *arrays = (LySurfaceArrays){0};
}

void lyra_surface_destroy(LyraSurface *surface)
{
    if (!surface) {
        return;
    }
    LyraContext *ctx = surface->ctx;
    ly_surface_arrays_release(ctx, &surface->arrays);
    ly_release(ctx, surface->names);
    ly_release(ctx, surface->groups);
    ly_release(ctx, surface->materials);
    ly_release(ctx, surface);
}

LyraSurfaceView lyra_surface_view(const LyraSurface *surface)
{
    const LySurfaceArrays *arrays = &surface->arrays;
    return (LyraSurfaceView){
        .vertex_count = surface->vertex_count,
        .face_count = surface->face_count,
        .corner_count = surface->corner_count,
        .texcoord_count = surface->texcoord_count,
        .normal_count = surface->normal_count,
        .group_count = surface->group_count,
        .material_count = surface->material_count,
        .positions = arrays->positions,
        .texcoords = arrays->texcoords,
        .normals = arrays->normals,
        .face_begin = arrays->face_begin,
        .corner_vertices = arrays->corner_vertices,
        .corner_texcoords = arrays->corner_texcoords,
        .corner_normals = arrays->corner_normals,
        .face_groups = arrays->face_groups,
        .face_materials = arrays->face_materials,
        .groups = (const char *const *)surface->groups,
        .materials = surface->materials,
    };
}
