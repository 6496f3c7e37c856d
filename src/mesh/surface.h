// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// The inside of a surface.

#ifndef LY_MESH_SURFACE_H
#define LY_MESH_SURFACE_H

#include "base/base.h"
#include "lyra/surface.h"

/// Arrays of a surface, made by ly_allocate_array. Those of texture coordinates and normals of the
/// corners may be NULL; so may those of the faces while a surface is being made.
typedef struct LySurfaceArrays {
    double *positions, *texcoords, *normals;
    int32_t *face_begin;
    int32_t *corner_vertices, *corner_texcoords, *corner_normals;
    int32_t *face_groups, *face_materials;
} LySurfaceArrays;

struct LyraSurface {
    LyraContext *ctx;
    int32_t vertex_count, face_count, corner_count;
    int32_t texcoord_count, normal_count;
    int32_t group_count, material_count;
    LySurfaceArrays arrays;
    char **groups;
    LyraSurfaceMaterial *materials;
    char *names; // of groups, materials and maps, one behind the other
};

/// Makes a surface that takes `arrays` in place of copies of the arrays of `data` (which are
/// ignored); groups and materials are copied. On failure the arrays stay the caller's.
LyraStatus ly_surface_create_take(LyraContext *ctx, const LyraSurfaceView *data,
                                  const LySurfaceArrays *arrays, LyraSurface **out);

void ly_surface_arrays_release(LyraContext *ctx, LySurfaceArrays *arrays);

/// Corners that follow and precede corner c of face f, round the face.
static inline int32_t ly_next_corner(const int32_t *face_begin, int32_t f, int32_t c)
{
    return c + 1 < face_begin[f + 1] ? c + 1 : face_begin[f];
}

static inline int32_t ly_previous_corner(const int32_t *face_begin, int32_t f, int32_t c)
{
    return c > face_begin[f] ? c - 1 : face_begin[f + 1] - 1;
}

/// Vector area of a face: its direction is that of the normal, its length the area if the face is
/// plane.
void ly_face_vector_area(const LyraSurface *surface, const double *positions, int32_t face,
                         double area[3]);

// ---- edges --------------------------------------------------------------------------------------

/// Sides of faces sorted so that those of one edge follow each other. A side is named by its first
/// corner. Sides from a vertex to itself are left out.
typedef struct LySides {
    LyraContext *ctx;
    int64_t count;
    uint64_t *keys;       // lower vertex << 32 | higher vertex, ascending
    int32_t *corners;     // first corner of each side
    int32_t *corner_face; // face of each corner
} LySides;

LyraStatus ly_sides_make(const LyraSurface *surface, LySides *sides);
void ly_sides_release(LySides *sides);

/// Fans of corners around their vertices: a forest over the corners with links to parents, which
/// point down to lower ids.
int32_t ly_fan_of(int32_t *parents, int32_t corner);

/// Joins the corners of sides `a` and `b` of one edge at both ends of it.
void ly_fans_join(const LyraSurface *surface, const LySides *sides, int32_t *parents, int32_t a,
                  int32_t b);

#endif
