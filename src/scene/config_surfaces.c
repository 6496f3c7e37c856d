// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Surfaces of the body of a Vega scene: the embedded one in front, then the one whose vertices are
// the body's. None of them moves anything, so a file that is not there is a warning; without any
// surface the boundary of the volume stands in.

#include "scene/vega_scene.h"

#include "base/file.h"
#include "lyra/mesh_ops.h"

#include <string.h>

#define SURFACES_MAX 2

// takes surface and embedding; `path`: Nullable: made, and called a boundary
static LyraStatus add_surface(LyVega *vega, const char *path, LyraSurface *surface,
                              LyraEmbedding *embedding)
{
    LyraBodyView *body = &vega->view;
    const char *name = path ? ly_path_name(path) : "boundary";
    char *copy = NULL, *file = NULL;
    LyraStatus status = ly_string_copy(vega->ctx, name, strlen(name), &copy);
    if (status == LYRA_OK && path) {
        status = ly_string_copy(vega->ctx, path, strlen(path), &file);
    }
    if (status == LYRA_OK && !body->surfaces) {
        LyraShownSurface *surfaces = NULL;
        status = ly_allocate_zeroed(vega->ctx, SURFACES_MAX, sizeof *surfaces, &surfaces);
        body->surfaces = surfaces;
    }
    if (status != LYRA_OK) {
        ly_release(vega->ctx, file);
        ly_release(vega->ctx, copy);
        lyra_embedding_destroy(embedding);
        lyra_surface_destroy(surface);
        return status;
    }
    ((LyraShownSurface *)body->surfaces)[body->surface_count++] =
        (LyraShownSurface){.name = copy, .path = file, .surface = surface, .embedding = embedding};
    return LYRA_OK;
}

// `absent` says that the file could not be opened, which the log has then
static LyraStatus load_surface(LyVega *vega, const char *path, LyraSurface **out, bool *absent)
{
    LyraStatus status = lyra_surface_load(vega->ctx, path, LYRA_MESH_FORMAT_OBJ, out);
    *absent = status == LYRA_IO_FAILED;
    if (*absent) {
        ly_log(vega->ctx, LYRA_LOG_WARNING, "%s: a surface is not shown: %s", vega->config.path,
               lyra_error_message());
        return LYRA_OK;
    }
    return status;
}

// ---- embedded surfaces --------------------------------------------------------------------------

// weights from the file of the scene, or from the place of the points in the mesh
static LyraStatus embed(LyVega *vega, const LyraSurface *surface, LyraEmbedding **out)
{
    const LyConfig *config = &vega->config;
    LyraSurfaceView view = lyra_surface_view(surface);
    char *path = NULL;
    LY_TRY(ly_config_path(config, LY_VEGA_SECONDARY_WEIGHTS, &path));
    LyraStatus status = LYRA_IO_FAILED;
    if (path) {
        status = lyra_embedding_load(vega->ctx, path, vega->vertex_count, out);
        if (status == LYRA_IO_FAILED) {
            ly_log(vega->ctx, LYRA_LOG_WARNING, "%s: weights are computed: %s", config->path,
                   lyra_error_message());
        }
    }
    if (status == LYRA_OK && lyra_embedding_view(*out).point_count != view.vertex_count) {
        status = ly_fail(LYRA_BAD_FORMAT, "%s: found weights of %d points, expected %d", path,
                         lyra_embedding_view(*out).point_count, view.vertex_count);
        lyra_embedding_destroy(*out);
        *out = NULL;
    }
    ly_release(vega->ctx, path);
    if (status != LYRA_IO_FAILED) {
        return ly_config_at(config, LY_VEGA_SECONDARY_WEIGHTS, status);
    }
    return lyra_embedding_create(vega->view.mesh, view.vertex_count, view.positions, 0, out, NULL);
}

static LyraStatus add_embedded(LyVega *vega, const char *path)
{
    LyraSurface *surface = NULL;
    LyraEmbedding *embedding = NULL;
    bool absent = false;
    if (!vega->view.mesh) {
        ly_log(vega->ctx, LYRA_LOG_WARNING, "%s: springs without a volume carry no other surface",
               vega->config.path);
        return LYRA_OK;
    }
    LY_TRY(ly_config_at(&vega->config, LY_VEGA_SECONDARY_MESH,
                        load_surface(vega, path, &surface, &absent)));
    if (absent) {
        return LYRA_OK;
    }
    LyraStatus status = embed(vega, surface, &embedding);
    if (status != LYRA_OK) {
        lyra_surface_destroy(surface);
        return status;
    }
    return add_surface(vega, path, surface, embedding);
}

// ---- surfaces of the body's own vertices --------------------------------------------------------

static LyraStatus add_boundary(LyVega *vega)
{
    const LyraMesh *mesh = vega->view.mesh;
    LyraMeshBoundary *boundary = NULL;
    LyraSurface *surface = NULL;
    int32_t *begin = NULL;
    LyraStatus status = LYRA_OK;
    LY_TRY_DONE(lyra_mesh_boundary_create(mesh, false, &boundary));
    LyraMeshBoundaryView view = lyra_mesh_boundary_view(boundary);
    LY_TRY_DONE(ly_allocate_array(vega->ctx, (int64_t)view.face_count + 1, sizeof *begin, &begin));
    for (int32_t f = 0; f <= view.face_count; ++f) {
        begin[f] = view.nodes * f;
    }
    LyraSurfaceView data = {
        .vertex_count = vega->vertex_count,
        .positions = vega->positions,
        .face_count = view.face_count,
        .corner_count = view.nodes * view.face_count,
        .face_begin = begin,
        .corner_vertices = view.faces,
    };
    LY_TRY_DONE(lyra_surface_create(vega->ctx, &data, &surface));
    LY_TRY_DONE(add_surface(vega, NULL, surface, NULL));
done:
    ly_release(vega->ctx, begin);
    lyra_mesh_boundary_destroy(boundary);
    return status;
}

static LyraStatus add_own(LyVega *vega, const char *path)
{
    LyraSurface *surface = NULL;
    bool absent = false;
    LY_TRY(ly_config_at(&vega->config, LY_VEGA_RENDERING_MESH,
                        load_surface(vega, path, &surface, &absent)));
    if (absent) {
        return LYRA_OK;
    }
    int32_t found = lyra_surface_view(surface).vertex_count;
    if (found != vega->vertex_count) {
        ly_log(vega->ctx, LYRA_LOG_WARNING,
               "%s: a surface is not shown: %s has %d vertices, and the body %d", vega->config.path,
               path, found, vega->vertex_count);
        lyra_surface_destroy(surface);
        return LYRA_OK;
    }
    return add_surface(vega, path, surface, NULL);
}

LyraStatus ly_vega_make_surfaces(LyVega *vega)
{
    LyraContext *ctx = vega->ctx;
    const LyraBodyView *body = &vega->view;
    char *secondary = NULL, *own = NULL;
    LyraStatus status = LYRA_OK;
    LY_TRY_DONE(ly_config_path(&vega->config, LY_VEGA_SECONDARY_MESH, &secondary));
    LY_TRY_DONE(ly_config_path(&vega->config, LY_VEGA_RENDERING_MESH, &own));
    if (secondary) {
        LY_TRY_DONE(add_embedded(vega, secondary));
    }
    const char *path = vega->surface_path ? vega->surface_path : own;
    if (path) {
        LY_TRY_DONE(add_own(vega, path));
    }
    if (body->surface_count == 0 && body->mesh) {
        LY_TRY_DONE(add_boundary(vega));
    }
done:
    ly_release(ctx, secondary);
    ly_release(ctx, own);
    return status;
}
