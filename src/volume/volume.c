// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// What the meshers of volumes start with.

#include "volume/volume.h"

#include <math.h>
#include <string.h>

LyraVolumeDef lyra_volume_def_default(void)
{
    return (LyraVolumeDef){
        .resolution = 32,
        .repair = true,
        .cover = true,
        .cookie = LY_DEF_COOKIE,
    };
}

LyraStatus ly_volume_input_make(const LyraSurface *surface, const LyraVolumeDef *def,
                                LyVolumeInput *input)
{
    if (def->resolution < 1) {
        return ly_fail(LYRA_INVALID_ARGUMENT, "volume: the resolution is %d, expected at least 1",
                       def->resolution);
    }
    LyVolumeInput made = {0};
    if (def->repair) {
        LyraSurface *repaired = NULL;
        LY_TRY(lyra_surface_repair(surface, &made.repair, &repaired));
        LyraStatus status = LYRA_OK;
        if (lyra_surface_view(repaired).face_count == 0) {
            status = ly_fail(LYRA_BAD_MESH, "volume: none of the %d faces of the surface has area",
                             lyra_surface_view(surface).face_count);
        } else {
            status = lyra_surface_tree_create(repaired, &made.tree);
        }
        lyra_surface_destroy(repaired);
        LY_TRY(status);
    } else {
        LY_TRY(lyra_surface_tree_create(surface, &made.tree));
    }
    double longest = 0;
    for (int32_t i = 0; i < 3; ++i) {
        made.low[i] = made.tree->low[i];
        made.high[i] = made.tree->high[i];
        longest = fmax(longest, made.high[i] - made.low[i]);
    }
    made.cell = longest / def->resolution;
    // below this, neighbours of the lattice have equal coordinates far from the origin
    double largest = 0;
    for (int32_t i = 0; i < 3; ++i) {
        largest = fmax(largest, fmax(fabs(made.low[i]), fabs(made.high[i])));
    }
    if (!(made.cell > 1e-12 * largest) || !(made.cell > 1e-100)) {
        ly_volume_input_release(&made);
        return ly_fail(LYRA_BAD_MESH, "volume: cells of %g m are too small at coordinates of %g m",
                       made.cell, largest);
    }
    *input = made;
    return LYRA_OK;
}

void ly_volume_input_release(LyVolumeInput *input)
{
    lyra_surface_tree_destroy(input->tree);
    input->tree = NULL;
}
