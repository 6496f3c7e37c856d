// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Any bytes as the triangles of a surface: repaired, filled with tets and cubes, or a status. The
// first byte is the resolution, then three bytes a corner, one for each coordinate.

#include "fuzz.h"
#include "lyra/mesh_ops.h"
#include "lyra/volume.h"

#include <stdlib.h>

enum { TRIANGLES_MAX = 60 };

static void check_mesh(LyraStatus status, LyraMesh *mesh)
{
    if (status == LYRA_OK) {
        LyraMeshQuality quality;
        FUZZ_REQUIRE(lyra_mesh_quality(mesh, &quality) == LYRA_OK);
        FUZZ_REQUIRE(quality.inverted == 0 && quality.degenerate == 0);
        FUZZ_REQUIRE(quality.min_dihedral > 10 * 3.14159 / 180);
    } else {
        FUZZ_REQUIRE(!mesh && lyra_error_message()[0]);
    }
    lyra_mesh_destroy(mesh);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    LyraContext *ctx = fuzz_context();
    static double positions[9 * TRIANGLES_MAX];
    static int32_t corners[3 * TRIANGLES_MAX], begin[TRIANGLES_MAX + 1];
    int32_t count = size > 1 ? (int32_t)((size - 1) / 9) : 0;
    count = count < TRIANGLES_MAX ? count : TRIANGLES_MAX;
    for (int32_t k = 0; k < 9 * count; ++k) {
        positions[k] = (int8_t)data[1 + k];
    }
    for (int32_t k = 0; k < 3 * count; ++k) {
        corners[k] = k;
    }
    for (int32_t f = 0; f <= count; ++f) {
        begin[f] = 3 * f;
    }
    LyraSurfaceView view = {
        .vertex_count = 3 * count,
        .face_count = count,
        .corner_count = 3 * count,
        .positions = positions,
        .face_begin = begin,
        .corner_vertices = corners,
    };
    LyraSurface *surface = NULL;
    FUZZ_REQUIRE(lyra_surface_create(ctx, &view, &surface) == LYRA_OK);
    LyraVolumeDef def = lyra_volume_def_default();
    def.resolution = size > 0 ? 1 + data[0] % 8 : 1;
    def.fill_cavities = size > 0 && data[0] & 8;
    def.repair = size > 0 && data[0] & 16;
    LyraMesh *mesh = NULL;
    LyraStatus status = lyra_mesh_tetrahedralize(surface, &def, NULL, &mesh);
    check_mesh(status, mesh);
    mesh = NULL;
    status = lyra_mesh_voxelize(surface, &def, NULL, &mesh);
    check_mesh(status, mesh);
    lyra_surface_destroy(surface);
    FUZZ_REQUIRE(lyra_context_byte_count(ctx) == 0);
    return 0;
}
