// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// What the fuzz targets of mesh files share: a load must end in a status or in a mesh whose indices
// are right, and hold no memory afterwards.

#ifndef LYRA_FUZZ_MESH_H
#define LYRA_FUZZ_MESH_H

#include "fuzz.h"
#include "lyra/surface.h"

#include <math.h>
#include <string.h>

/// Length of what stands in front of the first byte 0xff.
static inline size_t fuzz_split(const uint8_t *data, size_t size)
{
    const uint8_t *split = size > 0 ? memchr(data, 0xff, size) : NULL;
    return split ? (size_t)(split - data) : size;
}

/// Sets hold what there is, ascending.
static inline void fuzz_sets(const LyraMeshView *view)
{
    for (int32_t s = 0; s < view->set_count; ++s) {
        for (int32_t i = 0, last = -1; i < view->sets[s].count;
             last = view->sets[s].elements[i++]) {
            FUZZ_REQUIRE(view->sets[s].elements[i] > last &&
                         view->sets[s].elements[i] < view->element_count);
        }
    }
    for (int32_t s = 0; s < view->vertex_set_count; ++s) {
        const LyraMeshVertexSet *set = &view->vertex_sets[s];
        for (int32_t i = 0, last = -1; i < set->count; last = set->vertices[i++]) {
            FUZZ_REQUIRE(set->vertices[i] > last && set->vertices[i] < view->vertex_count);
        }
    }
    int32_t sides = lyra_element_kind_corners(view->kind) == 4 ? 4 : 6;
    for (int32_t s = 0; s < view->face_set_count; ++s) {
        const LyraMeshFaceSet *set = &view->face_sets[s];
        int64_t last = -1;
        for (int64_t i = 0; i < set->count; ++i) {
            int32_t element = set->faces[2 * i], side = set->faces[2 * i + 1];
            FUZZ_REQUIRE(element >= 0 && element < view->element_count && side >= 0 &&
                         side < sides);
            FUZZ_REQUIRE((int64_t)element * sides + side > last);
            last = (int64_t)element * sides + side;
        }
    }
}

static inline void fuzz_mesh(const LyraMemoryFile *files, int32_t count, LyraMeshFormat format)
{
    LyraContext *ctx = fuzz_context();
    LyraMesh *mesh = NULL;
    LyraStatus status = lyra_mesh_load_memory(ctx, files, count, format, &mesh);
    FUZZ_REQUIRE((status == LYRA_OK) == (mesh != NULL));
    if (mesh) {
        LyraMeshView view = lyra_mesh_view(mesh);
        int64_t ids = (int64_t)lyra_element_kind_nodes(view.kind) * view.element_count;
        for (int64_t i = 0; i < ids; ++i) {
            FUZZ_REQUIRE(view.elements[i] >= 0 && view.elements[i] < view.vertex_count);
        }
        for (int64_t i = 0; i < 3 * (int64_t)view.vertex_count; ++i) {
            FUZZ_REQUIRE(isfinite(view.positions[i]));
        }
        fuzz_sets(&view);
        for (int32_t e = 0; e < view.element_count; ++e) {
            FUZZ_REQUIRE(view.element_materials[e] >= 0 &&
                         view.element_materials[e] < view.material_count);
        }
    } else {
        FUZZ_REQUIRE(lyra_error_message()[0] != '\0');
    }
    lyra_mesh_destroy(mesh);
    FUZZ_REQUIRE(lyra_context_byte_count(ctx) == 0);
}

/// Any bytes as a file that may hold a surface.
static inline void fuzz_faces(const char *path, const uint8_t *data, size_t size,
                              LyraMeshFormat format)
{
    LyraContext *ctx = fuzz_context();
    const LyraMemoryFile file = {path, data, size};
    LyraSurface *surface = NULL;
    LyraStatus status = lyra_surface_load_memory(ctx, &file, format, &surface);
    FUZZ_REQUIRE((status == LYRA_OK) == (surface != NULL));
    if (surface) {
        LyraSurfaceView view = lyra_surface_view(surface);
        for (int32_t c = 0; c < view.corner_count; ++c) {
            FUZZ_REQUIRE(view.corner_vertices[c] >= 0 &&
                         view.corner_vertices[c] < view.vertex_count);
        }
        for (int64_t i = 0; i < 3 * (int64_t)view.vertex_count; ++i) {
            FUZZ_REQUIRE(isfinite(view.positions[i]));
        }
        for (int32_t f = 0; f < view.face_count; ++f) {
            FUZZ_REQUIRE(view.face_begin[f + 1] - view.face_begin[f] >= 3);
            FUZZ_REQUIRE(view.face_groups[f] >= 0 && view.face_groups[f] < view.group_count);
        }
    } else {
        FUZZ_REQUIRE(lyra_error_message()[0] != '\0');
    }
    lyra_surface_destroy(surface);
    FUZZ_REQUIRE(lyra_context_byte_count(ctx) == 0);
}

#endif
