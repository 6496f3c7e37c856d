// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Any bytes as OBJ: a status, or a surface whose indices are right and on which all operations
// work.

#include "fuzz_surface.h"
#include "mesh/obj.h"

static void check(const LyraSurface *surface)
{
    LyraSurfaceView view = lyra_surface_view(surface);
    FUZZ_REQUIRE(view.vertex_count > 0 && view.face_begin[view.face_count] == view.corner_count);
    for (int32_t f = 0; f < view.face_count; ++f) {
        FUZZ_REQUIRE(view.face_begin[f + 1] - view.face_begin[f] >= 3);
        FUZZ_REQUIRE(view.face_groups[f] >= 0 && view.face_groups[f] < view.group_count);
        FUZZ_REQUIRE(view.face_materials[f] >= -1 && view.face_materials[f] < view.material_count);
    }
    for (int32_t c = 0; c < view.corner_count; ++c) {
        FUZZ_REQUIRE(view.corner_vertices[c] >= 0 && view.corner_vertices[c] < view.vertex_count);
        FUZZ_REQUIRE(!view.corner_texcoords || view.corner_texcoords[c] < view.texcoord_count);
        FUZZ_REQUIRE(!view.corner_normals || view.corner_normals[c] < view.normal_count);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    LyraContext *ctx = fuzz_context();
    char *text = fuzz_text(data, size);
    LyraSurface *surface = NULL, *triangles = NULL, *split = NULL;
    LyraSurfaceReport report;
    if (ly_obj_parse(ctx, "fuzz.obj", false, text, size, &surface) == LYRA_OK) {
        check(surface);
        FUZZ_REQUIRE(lyra_surface_triangulate(surface, &triangles) == LYRA_OK);
        check(triangles);
        FUZZ_REQUIRE(lyra_surface_report(triangles, &report) == LYRA_OK);
        FUZZ_REQUIRE(lyra_surface_split_normals(surface, 1, LYRA_NORMAL_WEIGHT_ANGLE, &split) ==
                     LYRA_OK);
        check(split);
        (void)lyra_surface_measure(split, NULL);
    } else {
        FUZZ_REQUIRE(!surface && lyra_error_message()[0]);
    }
    lyra_surface_destroy(surface);
    lyra_surface_destroy(triangles);
    lyra_surface_destroy(split);
    free(text);
    FUZZ_REQUIRE(lyra_context_byte_count(ctx) == 0);
    return 0;
}
