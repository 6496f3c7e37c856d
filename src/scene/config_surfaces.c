// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Surfaces of the body of a Vega scene: the embedded one in front, then the one whose vertices are
// the body's. None of them moves anything, so a file that is not there is a warning; without any
// surface that of the volume stands in.

#include "scene/vega_scene.h"

#include "base/file.h"

#include <string.h>

static void add_surface(LyVega *vega, LyraBodySurface surface)
{
    vega->surfaces[vega->body.surface_count++] = surface;
    vega->body.surfaces = vega->surfaces;
}

// Whether a file can be read; if not, the log says what that means. `vertices`: of a surface;
// Nullable.
static LyraStatus find_file(LyVega *vega, const char *file, const char *meaning, int32_t *vertices,
                            bool *found)
{
    char *path = NULL, *text = NULL;
    size_t length;
    LyraSurface *surface = NULL;
    LY_TRY(ly_path_beside(vega->ctx, vega->config.path, file, &path));
    LyraStatus status = vertices
                            ? lyra_surface_load(vega->ctx, path, LYRA_MESH_FORMAT_AUTO, &surface)
                            : ly_file_read(vega->ctx, path, &text, &length);
    ly_release(vega->ctx, path);
    *found = status == LYRA_OK;
    if (vertices && *found) {
        *vertices = lyra_surface_view(surface).vertex_count;
    }
    lyra_surface_destroy(surface);
    ly_release(vega->ctx, text);
    if (status == LYRA_IO_FAILED) {
        ly_log(vega->ctx, LYRA_LOG_WARNING, "%s: %s: %s", vega->config.path, meaning,
               lyra_error_message());
        return LYRA_OK;
    }
    return status;
}

static LyraStatus read_embedded(LyVega *vega, const char *file)
{
    const char *weights = vega->config.values[LY_VEGA_SECONDARY_WEIGHTS].text;
    LyraBodySurface surface = {.file = file};
    int32_t vertices;
    bool found;
    if (vega->springs.over != LYRA_SPRINGS_OVER_ELEMENTS) {
        ly_log(vega->ctx, LYRA_LOG_WARNING, "%s: springs without a volume carry no other surface",
               vega->config.path);
        return LYRA_OK;
    }
    LY_TRY(ly_config_at(&vega->config, LY_VEGA_SECONDARY_MESH,
                        find_file(vega, file, "a surface is not shown", &vertices, &found)));
    if (found && weights) {
        bool there;
        LY_TRY(ly_config_at(&vega->config, LY_VEGA_SECONDARY_WEIGHTS,
                            find_file(vega, weights, "weights are computed", NULL, &there)));
        surface.weights = there ? weights : NULL;
    }
    if (found) {
        add_surface(vega, surface);
    }
    return LYRA_OK;
}

static LyraStatus count_vertices(LyVega *vega, int32_t *count)
{
    LyraElementKind kind;
    *count = vega->springs.count;
    return vega->chain ? LYRA_OK
                       : ly_config_at(&vega->config, (int32_t)vega->source,
                                      ly_vega_probe_mesh(vega, count, &kind));
}

static LyraStatus read_own(LyVega *vega, const char *file)
{
    int32_t vertices, wanted;
    bool found;
    LY_TRY(ly_config_at(&vega->config, LY_VEGA_RENDERING_MESH,
                        find_file(vega, file, "a surface is not shown", &vertices, &found)));
    if (!found) {
        return LYRA_OK;
    }
    LY_TRY(count_vertices(vega, &wanted));
    if (vertices == wanted) {
        add_surface(vega, (LyraBodySurface){.file = file, .matched = true});
    } else {
        ly_log(vega->ctx, LYRA_LOG_WARNING,
               "%s: a surface is not shown: %s has %d vertices, and the body %d", vega->config.path,
               file, (int)vertices, (int)wanted);
    }
    return LYRA_OK;
}

LyraStatus ly_vega_read_surfaces(LyVega *vega)
{
    const char *secondary = vega->config.values[LY_VEGA_SECONDARY_MESH].text;
    const char *own =
        vega->surface ? vega->surface : vega->config.values[LY_VEGA_RENDERING_MESH].text;
    if (secondary) {
        LY_TRY(read_embedded(vega, secondary));
    }
    // springs over quads show these
    return own && vega->springs.over != LYRA_SPRINGS_OVER_QUADS ? read_own(vega, own) : LYRA_OK;
}
