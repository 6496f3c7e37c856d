// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Writing OBJ: vertices, texture coordinates, normals, then the faces in their order, with a line
// where the group or the material changes. Groups and materials keep their numbers when the file is
// read back: materials by their order in the library, groups because all of them are named in front
// unless their first faces come in that order anyway.

#include "mesh/mtl.h"
#include "mesh/obj.h"

#include <string.h>

static void write_numbers(LyWriter *writer, const char *keyword, const double *values,
                          int32_t count, int32_t each)
{
    size_t length = strlen(keyword);
    for (int32_t i = 0; i < count && ly_writer_status(writer) == LYRA_OK; ++i) {
        ly_writer_bytes(writer, keyword, length);
        for (int32_t k = 0; k < each; ++k) {
            ly_writer_char(writer, ' ');
            ly_writer_double(writer, values[(int64_t)each * i + k]);
        }
        ly_writer_char(writer, '\n');
    }
}

static void write_name(LyWriter *writer, const char *keyword, const char *name)
{
    ly_writer_string(writer, keyword);
    ly_writer_char(writer, ' ');
    ly_writer_string(writer, name);
    ly_writer_char(writer, '\n');
}

static bool groups_come_in_order(const LyraSurface *surface)
{
    int32_t next = 0;
    for (int32_t f = 0; f < surface->face_count; ++f) {
        if (surface->arrays.face_groups[f] > next) {
            return false;
        }
        next += surface->arrays.face_groups[f] == next;
    }
    return next == surface->group_count;
}

static void write_corner(LyWriter *writer, const LySurfaceArrays *arrays, int32_t corner)
{
    int32_t texcoord = arrays->corner_texcoords ? arrays->corner_texcoords[corner] : -1;
    int32_t normal = arrays->corner_normals ? arrays->corner_normals[corner] : -1;
    ly_writer_char(writer, ' ');
    ly_writer_int(writer, (int64_t)arrays->corner_vertices[corner] + 1);
    if (texcoord >= 0 || normal >= 0) {
        ly_writer_char(writer, '/');
    }
    if (texcoord >= 0) {
        ly_writer_int(writer, (int64_t)texcoord + 1);
    }
    if (normal >= 0) {
        ly_writer_char(writer, '/');
        ly_writer_int(writer, (int64_t)normal + 1);
    }
}

static void write_faces(const LyraSurface *surface, LyWriter *writer)
{
    const LySurfaceArrays *arrays = &surface->arrays;
    int32_t group = -1, material = -1;
    if (!groups_come_in_order(surface)) {
        for (int32_t g = 0; g < surface->group_count; ++g) {
            write_name(writer, "g", surface->groups[g]);
        }
    }
    for (int32_t f = 0; f < surface->face_count && ly_writer_status(writer) == LYRA_OK; ++f) {
        if (arrays->face_groups[f] != group) {
            group = arrays->face_groups[f];
            write_name(writer, "g", surface->groups[group]);
        }
        if (arrays->face_materials[f] != material) {
            material = arrays->face_materials[f];
            if (material >= 0) {
                write_name(writer, "usemtl", surface->materials[material].name);
            } else {
                ly_writer_string(writer, "usemtl\n");
            }
        }
        ly_writer_char(writer, 'f');
        for (int32_t c = arrays->face_begin[f]; c < arrays->face_begin[f + 1]; ++c) {
            write_corner(writer, arrays, c);
        }
        ly_writer_char(writer, '\n');
    }
}

LyraStatus ly_obj_write(const LyraSurface *surface, const char *path)
{
    LyraContext *ctx = surface->ctx;
    LyraStatus status = LYRA_OK;
    bool has_library = surface->material_count > 0;
    char *library = NULL;
    LyWriter *writers[2] = {NULL, NULL}; // of the surface and of its library
    LY_TRY_DONE(ly_path_replace_extension(ctx, path, ".mtl", &library));
    if (has_library && strpbrk(ly_path_name(library), "\r\n")) {
        LY_TRY_DONE(ly_fail(LYRA_INVALID_ARGUMENT,
                            "%s: found an end of a line in the name, which mtllib cannot state",
                            path));
    }
    LY_TRY_DONE(ly_writer_create(ctx, path, &writers[0]));
    if (has_library) {
        LY_TRY_DONE(ly_writer_create(ctx, library, &writers[1]));
        ly_mtl_write(surface, writers[1]);
        write_name(writers[0], "mtllib", ly_path_name(library));
    }
    write_numbers(writers[0], "v", surface->arrays.positions, surface->vertex_count, 3);
    write_numbers(writers[0], "vt", surface->arrays.texcoords, surface->texcoord_count, 2);
    write_numbers(writers[0], "vn", surface->arrays.normals, surface->normal_count, 3);
    write_faces(surface, writers[0]);
    status = ly_writer_commit_all(writers, has_library ? 2 : 1);
    writers[0] = writers[1] = NULL;
done:
    ly_writer_discard(writers[0]);
    ly_writer_discard(writers[1]);
    ly_release(ctx, library);
    return status;
}
