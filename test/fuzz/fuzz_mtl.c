// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Any bytes as MTL: a status, or materials with names and finite numbers.

#include "fuzz_surface.h"
#include "mesh/mtl.h"

#include <math.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    LyraContext *ctx = fuzz_context();
    char *text = fuzz_text(data, size);
    LyMaterials materials = {.names.ctx = ctx};
    if (ly_mtl_parse("fuzz.mtl", text, size, &materials) == LYRA_OK) {
        const LyraSurfaceMaterial *list = ly_materials_list(&materials);
        for (int32_t m = 0; m < materials.names.count; ++m) {
            FUZZ_REQUIRE(list[m].name[0] && isfinite(list[m].opacity));
            FUZZ_REQUIRE(isfinite(list[m].diffuse[0]) && isfinite(list[m].diffuse[2]));
            FUZZ_REQUIRE(!list[m].diffuse_map || list[m].diffuse_map[0]);
        }
        // what a file gives a surface takes
        LyraSurface *surface = NULL;
        LyraSurfaceView view = {.materials = list, .material_count = materials.names.count};
        FUZZ_REQUIRE(lyra_surface_create(ctx, &view, &surface) == LYRA_OK);
        lyra_surface_destroy(surface);
    } else {
        FUZZ_REQUIRE(lyra_error_message()[0]);
    }
    ly_materials_release(&materials);
    free(text);
    FUZZ_REQUIRE(lyra_context_byte_count(ctx) == 0);
    return 0;
}
