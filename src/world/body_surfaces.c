// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Surfaces that bodies carry along and show.

#include "base/file.h"
#include "lyra/mesh_ops.h"
#include "world/world.h"

#include <string.h>

static const LyBodyType *type_of(const LyraBodyView *body)
{
    return ly_body_type_find(body->kind);
}

// the surface itself, with its name
static LyraStatus read_surface(const LyraWorld *world, const LyraBodySurface *def,
                               LyraShownSurface *out)
{
    LyraContext *ctx = world->ctx;
    if (!def->file == !def->surface) {
        return ly_fail(LYRA_BAD_FORMAT, "found %s of a surface, expected one of them",
                       def->file ? "file and arrays" : "neither file nor arrays");
    }
    const char *name = def->name ? def->name : def->file ? ly_path_name(def->file) : "surface";
    LY_TRY(ly_string_copy(ctx, name, strlen(name), (char **)&out->name));
    if (def->surface) {
        LyraSurfaceView view = lyra_surface_view(def->surface);
        return lyra_surface_create(ctx, &view, (LyraSurface **)&out->surface);
    }
    LY_TRY(ly_world_path(world, def->file, (char **)&out->path));
    return ly_within_key(
        lyra_surface_load(ctx, out->path, LYRA_MESH_FORMAT_AUTO, (LyraSurface **)&out->surface),
        "file");
}

static LyraStatus read_weights(const LyraWorld *world, const LyraBodyView *body, const char *file,
                               int32_t vertices, LyraEmbedding **out)
{
    char *path = NULL;
    if (type_of(body)->weighted) {
        return ly_fail(LYRA_UNSUPPORTED,
                       "found weights of a surface of an %s body, expected none: they are computed",
                       body->kind);
    }
    LY_TRY(ly_world_path(world, file, &path));
    LyraStatus status = lyra_embedding_load(world->ctx, path, body->vertex_count, out);
    ly_release(world->ctx, path);
    LY_TRY(status);
    int32_t points = lyra_embedding_view(*out).point_count;
    return points == vertices
               ? LYRA_OK
               : ly_fail(LYRA_BAD_FORMAT,
                         "found weights of %d points, expected %d as the surface has vertices",
                         (int)points, (int)vertices);
}

static LyraStatus match_surface(const LyraBodyView *body, const LyraBodySurface *def,
                                int32_t vertices)
{
    if (def->weights) {
        return ly_fail_key(LYRA_BAD_FORMAT, "weights",
                           "found weights of a surface that is matched, expected one of them");
    }
    return vertices == body->vertex_count && !type_of(body)->weighted
               ? LYRA_OK
               : ly_fail_key(LYRA_BAD_FORMAT, "matched",
                             "found a surface of %d vertices for a body of %d, expected as many",
                             (int)vertices, (int)body->vertex_count);
}

static LyraStatus load_surface(const LyraWorld *world, const LyraBodyView *body,
                               const LyraBodySurface *def, LyraShownSurface *out)
{
    LyraEmbedding **embedding = (LyraEmbedding **)&out->embedding;
    LY_TRY(read_surface(world, def, out));
    LyraSurfaceView view = lyra_surface_view(out->surface);
    if (def->matched) {
        return match_surface(body, def, view.vertex_count);
    }
    if (!ly_body_shape(body)) {
        return ly_fail_key(LYRA_UNSUPPORTED, "matched",
                           "found a surface to carry along for springs without a mesh of "
                           "elements, expected matched: true");
    }
    if (def->weights) {
        return ly_within_key(read_weights(world, body, def->weights, view.vertex_count, embedding),
                             "weights");
    }
    if (type_of(body)->weighted) {
        return type_of(body)->embed(body, view.vertex_count, view.positions, embedding);
    }
    return lyra_embedding_create(body->mesh, view.vertex_count, view.positions, 0, embedding, NULL);
}

// the skin of the mesh, on its own vertices, or weighted
static LyraStatus make_skin(const LyraWorld *world, const LyraBodyView *body, LyraShownSurface *out)
{
    LyraContext *ctx = world->ctx;
    LyraMeshBoundary *boundary = NULL;
    int32_t *begin = NULL;
    LyraStatus status = LYRA_OK;
    LY_TRY_DONE(ly_string_copy(ctx, "skin", 4, (char **)&out->name));
    LY_TRY_DONE(lyra_mesh_boundary_create(ly_body_shape(body), true, &boundary));
    LyraMeshBoundaryView faces = lyra_mesh_boundary_view(boundary);
    LY_TRY_DONE(ly_allocate_array(ctx, faces.face_count + 1, sizeof *begin, &begin));
    for (int32_t f = 0; f <= faces.face_count; ++f) {
        begin[f] = 3 * f;
    }
    LyraMeshView mesh = lyra_mesh_view(ly_body_shape(body));
    LyraSurfaceView view = {.vertex_count = mesh.vertex_count,
                            .positions = mesh.positions,
                            .face_count = faces.face_count,
                            .corner_count = 3 * faces.face_count,
                            .face_begin = begin,
                            .corner_vertices = faces.faces};
    LY_TRY_DONE(lyra_surface_create(ctx, &view, (LyraSurface **)&out->surface));
    if (type_of(body)->weighted) {
        LY_TRY_DONE(type_of(body)->embed(body, view.vertex_count, view.positions,
                                         (LyraEmbedding **)&out->embedding));
    }
done:
    ly_release(ctx, begin);
    lyra_mesh_boundary_destroy(boundary);
    return status;
}

LyraStatus ly_body_show(LyraWorld *world, LyraBodyView *view, const LyraBodyDef *def)
{
    int32_t count = def->surface_count ? def->surface_count : 1;
    LyraShownSurface *made = NULL;
    if (view->surfaces || (!def->surface_count && !ly_body_shape(view))) {
        return LYRA_OK; // its kind has made some, or there is nothing to make one of
    }
    LY_TRY(ly_allocate_zeroed(world->ctx, count, sizeof *made, &made));
    view->surfaces = made;
    view->surface_count = count;
    if (!def->surface_count) {
        return make_skin(world, view, made);
    }
    for (int32_t s = 0; s < count; ++s) {
        LY_TRY(
            ly_within_item(load_surface(world, view, &def->surfaces[s], &made[s]), "surfaces", s));
    }
    return LYRA_OK;
}
