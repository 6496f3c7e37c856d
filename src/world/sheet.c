// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Surfaces that bodies are made of.

#include "world/sheet.h"

#include "base/file.h"
#include "mesh/sort.h"

#include <math.h>
#include <string.h>

// ---- making -------------------------------------------------------------------------------------

static LyraStatus load(const LyraWorld *world, const LySheetSource *from, LySheet *sheet)
{
    int count = (from->file != NULL) + (from->surface != NULL) + (from->generate != NULL);
    if (count != 1) {
        return ly_fail_key(LYRA_BAD_FORMAT, "surface", "found %s, expected one surface",
                           count == 0       ? "none"
                           : from->generate ? "a sheet to generate and another surface"
                                            : "a file and arrays");
    }
    if (from->generate) {
        return ly_within_key(lyra_surface_generate(world->ctx, from->generate, &sheet->surface),
                             "generate");
    }
    if (from->surface) {
        LyraSurfaceView view = lyra_surface_view(from->surface);
        return lyra_surface_create(world->ctx, &view, &sheet->surface);
    }
    LY_TRY(ly_world_path(world, from->file, &sheet->path));
    return ly_within_key(
        lyra_surface_load(world->ctx, sheet->path, LYRA_MESH_FORMAT_AUTO, &sheet->surface),
        "surface");
}

static void replace(LySheet *sheet, LyraSurface *made)
{
    lyra_surface_destroy(sheet->surface);
    sheet->surface = made;
}

static LyraStatus put(const LyraWorld *world, const LyraPlacement *place, LySheet *sheet)
{
    double A[9], t[3];
    if (!ly_placement_matrix(place, A, t)) {
        return LYRA_OK;
    }
    LyraSurfaceView view = lyra_surface_view(sheet->surface);
    double *moved = NULL;
    LyraSurface *placed = NULL;
    LY_TRY(ly_allocate_array(world->ctx, 3 * (int64_t)view.vertex_count, sizeof *moved, &moved));
    for (int64_t v = 0; v < view.vertex_count; ++v) {
        for (int i = 0; i < 3; ++i) {
            moved[3 * v + i] = t[i];
            for (int j = 0; j < 3; ++j) {
                moved[3 * v + i] += A[3 * i + j] * view.positions[3 * v + j];
            }
        }
    }
    view.positions = moved;
    LyraStatus status = lyra_surface_create(world->ctx, &view, &placed);
    ly_release(world->ctx, moved);
    LY_TRY(status);
    replace(sheet, placed);
    return LYRA_OK;
}

static LyraStatus cut(LySheet *sheet)
{
    LyraSurfaceView view = lyra_surface_view(sheet->surface);
    LyraSurface *triangles = NULL;
    if (view.corner_count == 3 * (int64_t)view.face_count) {
        return LYRA_OK;
    }
    LY_TRY(lyra_surface_triangulate(sheet->surface, &triangles));
    replace(sheet, triangles);
    return LYRA_OK;
}

LyraStatus ly_sheet_make(const LyraWorld *world, const LySheetSource *from,
                         const LyraPlacement *place, bool triangles, LySheet *sheet)
{
    LY_TRY(load(world, from, sheet));
    LY_TRY(put(world, place, sheet));
    if (lyra_surface_view(sheet->surface).face_count == 0) {
        return ly_fail_key(LYRA_BAD_MESH, "surface", "found no faces, expected some");
    }
    return triangles ? ly_within_key(cut(sheet), "surface") : LYRA_OK;
}

void ly_sheet_release(LyraContext *ctx, LySheet *sheet)
{
    lyra_surface_destroy(sheet->surface);
    ly_release(ctx, sheet->path);
    *sheet = (LySheet){0};
}

const char *ly_sheet_name(const LySheet *sheet, const char **separator)
{
    *separator = sheet->path ? ": " : "";
    return sheet->path ? sheet->path : "";
}

// ---- measuring ----------------------------------------------------------------------------------

// half the length of the sum of the corners' cross products about the first one
static double face_area(const double *positions, int32_t corners, const int32_t *face)
{
    double sum[3] = {0};
    const double *o = positions + 3 * (int64_t)face[0];
    for (int32_t c = 1; c + 1 < corners; ++c) {
        const double *p = positions + 3 * (int64_t)face[c];
        const double *q = positions + 3 * (int64_t)face[c + 1];
        for (int i = 0; i < 3; ++i) {
            int j = (i + 1) % 3, k = (i + 2) % 3;
            sum[i] += (p[j] - o[j]) * (q[k] - o[k]) - (p[k] - o[k]) * (q[j] - o[j]);
        }
    }
    return 0.5 * sqrt(sum[0] * sum[0] + sum[1] * sum[1] + sum[2] * sum[2]);
}

void ly_sheet_share_areas(const LyraSurfaceView *surface, double density, double *masses)
{
    memset(masses, 0, (size_t)surface->vertex_count * sizeof *masses);
    for (int32_t f = 0; f < surface->face_count; ++f) {
        const int32_t *face = surface->corner_vertices + surface->face_begin[f];
        int32_t corners = surface->face_begin[f + 1] - surface->face_begin[f];
        double share = density * face_area(surface->positions, corners, face) / corners;
        for (int32_t c = 0; c < corners; ++c) {
            masses[face[c]] += share;
        }
    }
}

static LyraStatus find_edges(LyraContext *ctx, const LyraSurfaceView *surface, int32_t *count,
                             int32_t *pairs, int32_t *uses)
{
    uint64_t *keys = NULL;
    int32_t *order = NULL, at = 0;
    LyraStatus status = LYRA_OK;
    LY_TRY_DONE(ly_allocate_array(ctx, surface->corner_count, sizeof *keys, &keys));
    LY_TRY_DONE(ly_allocate_zeroed(ctx, surface->corner_count, sizeof *order, &order));
    for (int32_t f = 0; f < surface->face_count; ++f) {
        int32_t begin = surface->face_begin[f], end = surface->face_begin[f + 1];
        for (int32_t c = begin; c < end; ++c) {
            uint32_t a = (uint32_t)surface->corner_vertices[c];
            uint32_t b = (uint32_t)surface->corner_vertices[c + 1 < end ? c + 1 : begin];
            keys[at++] = a < b ? (uint64_t)a << 32 | b : (uint64_t)b << 32 | a;
        }
    }
    LY_TRY_DONE(ly_sort_keys(ctx, at, keys, order));
    *count = 0;
    for (int32_t k = 0; k < at; ++k) {
        if (k == 0 || keys[k] != keys[k - 1]) {
            pairs[2 * (int64_t)*count] = (int32_t)(keys[k] >> 32);
            pairs[2 * (int64_t)*count + 1] = (int32_t)(keys[k] & 0xffffffffu);
            ++*count;
        }
        if (uses) {
            ++uses[*count - 1];
        }
    }
done:
    ly_release(ctx, order);
    ly_release(ctx, keys);
    return status;
}

LyraStatus ly_sheet_edges(LyraContext *ctx, const LyraSurfaceView *surface, int32_t *count,
                          int32_t *pairs)
{
    return find_edges(ctx, surface, count, pairs, NULL);
}

LyraStatus ly_sheet_edge_uses(LyraContext *ctx, const LyraSurfaceView *surface, int32_t *count,
                              int32_t *pairs, int32_t **uses)
{
    LY_TRY(ly_allocate_zeroed(ctx, surface->corner_count, sizeof **uses, uses));
    return find_edges(ctx, surface, count, pairs, *uses);
}

void ly_sheet_set_mass(int32_t count, double mass, double *masses)
{
    double sum = 0;
    for (int32_t v = 0; v < count; ++v) {
        sum += masses[v];
    }
    for (int32_t v = 0; v < count && !isnan(mass) && sum > 0; ++v) {
        masses[v] *= mass / sum;
    }
}

// ---- showing ------------------------------------------------------------------------------------

LyraStatus ly_sheet_show(LyraContext *ctx, LyraBodyView *view, LySheet *sheet)
{
    LyraShownSurface *shown = NULL;
    const char *name = sheet->path ? ly_path_name(sheet->path) : "surface";
    LY_TRY(ly_allocate_zeroed(ctx, 1, sizeof *shown, &shown));
    view->surfaces = shown;
    view->surface_count = 1;
    LY_TRY(ly_string_copy(ctx, name, strlen(name), (char **)&shown->name));
    shown->path = sheet->path;
    shown->surface = sheet->surface;
    *sheet = (LySheet){0};
    return LYRA_OK;
}

const LyraSurface *ly_body_faces(const LyraBodyView *view)
{
    bool shown = view->surface_count > 0 && !view->surfaces[0].embedding && !view->mesh;
    return view->sheet ? view->sheet : shown ? view->surfaces[0].surface : NULL;
}
