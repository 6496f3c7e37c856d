// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Faces become a surface. Repeated corners of a face go; faces with fewer than three corners or
// without area go too. Orientation is left as it is: a surface may be open, and then has no inside.

#include "mesh/import.h"

#include "lyra/mesh_ops.h"

#include <math.h>
#include <string.h>

/// Copies the corners of a face without repeats; how many are left.
static int32_t copy_corners(const LyImport *import, const int32_t *corners, int32_t count,
                            int32_t *out)
{
    int32_t kept = 0;
    for (int32_t a = 0; a < count; ++a) {
        if (import->as_is || corners[a] != corners[(a + count - 1) % count]) {
            out[kept++] = corners[a];
        }
    }
    return kept;
}

/// Whether a face has no area, to rounding: twice its vector area against its longest side.
static bool is_flat(const double *positions, const int32_t *corners, int32_t count)
{
    double area[3] = {0}, longest = 0;
    const double *o = positions + 3 * (int64_t)corners[0];
    for (int32_t a = 1; a < count; ++a) {
        const double *p = positions + 3 * (int64_t)corners[a];
        const double *q = positions + 3 * (int64_t)corners[a + 1 < count ? a + 1 : 0];
        double u[3], w[3], length = 0;
        for (int32_t i = 0; i < 3; ++i) {
            u[i] = p[i] - o[i];
            w[i] = q[i] - o[i];
            length += u[i] * u[i];
        }
        longest = fmax(longest, length);
        area[0] += u[1] * w[2] - u[2] * w[1];
        area[1] += u[2] * w[0] - u[0] * w[2];
        area[2] += u[0] * w[1] - u[1] * w[0];
    }
    double size = sqrt(area[0] * area[0] + area[1] * area[1] + area[2] * area[2]);
    // as for elements without volume; beyond the range of double nothing is said
    return isfinite(longest) && !(size > LYRA_MESH_DEGENERATE * longest);
}

/// Fills faces and corners; `firsts` [cell_count + 1]: faces before each cell.
static void fill_faces(const LyImport *import, LySurfaceArrays *arrays, int32_t *firsts,
                       LyraSurfaceView *view)
{
    const int32_t *at = import->corners;
    int32_t faces = 0, corners = 0;
    for (int64_t c = 0; c < import->cell_count; ++c) {
        LyCellShape shape = import->shapes[c];
        int32_t nodes = shape == LY_CELL_POLYGON ? *at++ : ly_cell_nodes(shape);
        int32_t *face = arrays->corner_vertices + corners;
        firsts[c] = faces;
        arrays->face_begin[faces] = corners;
        int32_t kept = copy_corners(import, at, nodes, face);
        if (import->as_is || (kept >= 3 && !is_flat(import->builder.positions, face, kept))) {
            faces += 1;
            corners += kept;
        }
        at += nodes;
    }
    firsts[import->cell_count] = faces;
    arrays->face_begin[faces] = corners;
    view->face_count = faces;
    view->corner_count = corners;
}

/// Each face belongs to the first set that holds it; those of none make one more group.
static LyraStatus make_groups(const LyImport *import, int32_t face_count, int32_t **out,
                              LyNames *names)
{
    const LyMeshBuilder *builder = &import->builder;
    int32_t *groups = NULL, set_count = builder->sets.names.count, id;
    LY_TRY(ly_allocate_array(import->ctx, face_count, sizeof *groups, &groups));
    *out = groups;
    memset(groups, 0xff, (size_t)face_count * sizeof *groups);
    for (int32_t s = set_count - 1; s >= 0; --s) {
        int64_t end = s + 1 < set_count ? builder->sets.begins[s + 1] : builder->sets.id_count;
        for (int64_t i = builder->sets.begins[s]; i < end; ++i) {
            groups[builder->sets.ids[i]] = s;
        }
    }
    for (int32_t s = 0; s < set_count; ++s) {
        const char *name = builder->sets.names.names[s];
        LY_TRY(ly_names_add(names, (LySlice){name, strlen(name)}, &id, NULL));
    }
    for (int32_t f = 0; f < face_count; ++f) {
        if (groups[f] < 0) {
            LY_TRY(ly_names_add(names, (LySlice){"default", 7}, &groups[f], NULL));
        }
    }
    return LYRA_OK;
}

static LyraStatus build(LyImport *import, int32_t *firsts, int64_t cells, LyraSurface **out)
{
    LyraContext *ctx = import->ctx;
    LyMeshBuilder *builder = &import->builder;
    LySurfaceArrays arrays = {0};
    LyNames names = {.ctx = ctx};
    int32_t *further = NULL;
    LyraStatus status = LYRA_OK;
    LY_TRY_DONE(ly_allocate_array(ctx, import->cell_count + 1, sizeof(int32_t), &further));
    LY_TRY_DONE(
        ly_allocate_array(ctx, import->cell_count + 1, sizeof(int32_t), &arrays.face_begin));
    LY_TRY_DONE(
        ly_allocate_array(ctx, import->corner_count, sizeof(int32_t), &arrays.corner_vertices));
    LyraSurfaceView view = {.vertex_count = (int32_t)builder->vertex_count};
    fill_faces(import, &arrays, further, &view);
    if (view.face_count < import->cell_count) {
        ly_log(ctx, LYRA_LOG_INFO, "%s: %lld faces without area dropped", import->path,
               (long long)(import->cell_count - view.face_count));
    }
    for (int64_t c = 0; c <= cells; ++c) {
        firsts[c] = further[firsts[c]];
    }
    LY_TRY_DONE(ly_import_map_sets(import, firsts));
    if (builder->sets.names.count > 0) {
        LY_TRY_DONE(make_groups(import, view.face_count, &arrays.face_groups, &names));
        view.group_count = names.count;
        view.groups = (const char *const *)names.names;
    }
    // a surface without vertices has an array for them too
    LY_TRY_DONE(
        ly_resize_array(ctx, 3 * builder->vertex_count, sizeof(double), &builder->positions));
    arrays.positions = builder->positions;
    status = ly_surface_create_take(ctx, &view, &arrays, out);
    if (status == LYRA_OK) {
        builder->positions = NULL;
        arrays = (LySurfaceArrays){0};
    }
    arrays.positions = NULL;
done:
    ly_surface_arrays_release(ctx, &arrays);
    ly_names_release(&names);
    ly_release(ctx, further);
    return status;
}

LyraStatus ly_import_surface(LyImport *import, LyraSurface **out)
{
    int64_t cells = import->cell_count;
    int32_t *firsts = NULL;
    LyraContext *ctx = import->ctx;
    bool solids = ly_import_has_solids(import);
    LY_TRY(ly_import_select(import, false, &firsts));
    LyraStatus status = LYRA_OK;
    if (import->cell_count == 0 && solids) {
        LY_TRY_DONE(ly_fail(LYRA_BAD_MESH,
                            "%s: found a volumetric mesh, expected a surface; `lyra mesh surface` "
                            "writes its boundary",
                            import->path));
    }
    status = build(import, firsts, cells, out);
done:
    ly_release(ctx, firsts);
    return status;
}
