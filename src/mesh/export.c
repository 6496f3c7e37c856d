// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

#include "mesh/export.h"

#include "lyra/mesh_ops.h"
#include "mesh/sort.h"
#include "mesh/topology.h"

#include <stdio.h>
#include <string.h>

void ly_export_mesh(LyExport *data, const LyraMesh *mesh)
{
    data->ctx = mesh->ctx;
    data->vertex_count = mesh->vertex_count;
    data->cell_count = mesh->element_count;
    data->positions = mesh->positions;
    data->corners = mesh->elements;
    data->nodes = lyra_element_kind_nodes(mesh->kind);
    data->set_count = mesh->set_count;
    data->sets = mesh->sets;
    data->mesh = mesh;
}

/// The groups of a surface as sets: counting sort of the faces.
static LyraStatus make_groups(LyExport *data, const LyraSurface *surface)
{
    LyraContext *ctx = surface->ctx;
    int32_t count = surface->group_count;
    const int32_t *groups = surface->arrays.face_groups;
    LY_TRY(ly_allocate_zeroed(ctx, count, sizeof *data->groups, &data->groups));
    LY_TRY(ly_allocate_array(ctx, surface->face_count, sizeof *data->members, &data->members));
    for (int32_t f = 0; f < surface->face_count; ++f) {
        data->groups[groups[f]].count += 1;
    }
    int32_t *next = data->members;
    for (int32_t g = 0; g < count; ++g) {
        data->groups[g].name = surface->groups[g];
        data->groups[g].elements = next;
        next += data->groups[g].count;
        data->groups[g].count = 0;
    }
    for (int32_t f = 0; f < surface->face_count; ++f) {
        LyraMeshSet *group = &data->groups[groups[f]];
        data->members[group->elements - data->members + group->count++] = f;
    }
    data->set_count = count;
    data->sets = data->groups;
    return LYRA_OK;
}

LyraStatus ly_export_surface(LyExport *data, const LyraSurface *surface, int32_t corners_max)
{
    bool fits = true;
    const int32_t *begins = surface->arrays.face_begin;
    for (int32_t f = 0; f < surface->face_count; ++f) {
        fits = fits && begins[f + 1] - begins[f] <= corners_max;
    }
    if (!fits) {
        LY_TRY(lyra_surface_triangulate(surface, &data->triangles));
        surface = data->triangles;
    }
    data->ctx = surface->ctx;
    data->vertex_count = surface->vertex_count;
    data->cell_count = surface->face_count;
    data->positions = surface->arrays.positions;
    data->corners = surface->arrays.corner_vertices;
    data->begins = surface->arrays.face_begin;
    return surface->group_count > 1 ? make_groups(data, surface) : LYRA_OK;
}

/// Fills corners and sets. `number`: of each face of each element; `id` [face numbers]: -1.
static LyraStatus collect_faces(const LyraMesh *mesh, const int32_t *number, int32_t *id,
                                LyExport *faces)
{
    int32_t sides = ly_kind_faces(mesh->kind), *members = faces->members;
    int64_t nodes = lyra_element_kind_nodes(mesh->kind), corners = faces->nodes;
    for (int32_t s = 0; s < mesh->face_set_count; ++s) {
        const LyraMeshFaceSet *set = &mesh->face_sets[s];
        for (int64_t i = 0; i < set->count; ++i) {
            int32_t e = set->faces[2 * i], side = set->faces[2 * i + 1];
            int32_t *at = &id[number[(int64_t)sides * e + side]];
            const int32_t *local = lyra_element_kind_face(mesh->kind, side);
            for (int32_t a = 0; a < corners && *at < 0; ++a) {
                faces->own_corners[corners * faces->cell_count + a] =
                    mesh->elements[nodes * e + local[a]];
            }
            *at = *at < 0 ? (int32_t)faces->cell_count++ : *at;
            members[i] = *at;
        }
        // a face between two elements may be there twice
        int64_t count = set->count;
        LY_TRY(ly_sort_unique(mesh->ctx, &count, members));
        faces->groups[s] = (LyraMeshSet){set->name, members, (int32_t)count};
        members += count;
    }
    return LYRA_OK;
}

LyraStatus ly_export_faces(const LyExport *solid, LyExport *faces)
{
    const LyraMesh *mesh = solid->mesh;
    *faces = (LyExport){.ctx = solid->ctx, .path = solid->path, .encoding = solid->encoding};
    if (!mesh || mesh->face_set_count == 0) {
        return LYRA_OK;
    }
    LyraContext *ctx = mesh->ctx;
    int32_t *number = NULL, *id = NULL;
    int64_t members = 0, numbers = 0;
    for (int32_t s = 0; s < mesh->face_set_count; ++s) {
        members += mesh->face_sets[s].count;
    }
    faces->vertex_count = solid->vertex_count;
    faces->positions = solid->positions;
    faces->nodes = lyra_element_kind_face_nodes(mesh->kind);
    faces->set_count = mesh->face_set_count;
    LyraStatus status = LYRA_OK;
    LY_TRY_DONE(ly_allocate_zeroed(ctx, faces->set_count, sizeof *faces->groups, &faces->groups));
    LY_TRY_DONE(ly_allocate_array(ctx, members, sizeof *faces->members, &faces->members));
    LY_TRY_DONE(ly_allocate_array(ctx, faces->nodes * members, sizeof *faces->own_corners,
                                  &faces->own_corners));
    LY_TRY_DONE(ly_allocate_array(ctx, ly_kind_faces(mesh->kind) * (int64_t)mesh->element_count,
                                  sizeof *number, &number));
    LY_TRY_DONE(ly_number_faces(mesh, number, &numbers));
    LY_TRY_DONE(ly_allocate_array(ctx, numbers, sizeof *id, &id));
    memset(id, 0xff, (size_t)numbers * sizeof *id);
    LY_TRY_DONE(collect_faces(mesh, number, id, faces));
    faces->corners = faces->own_corners;
    faces->sets = faces->groups;
done:
    ly_release(ctx, id);
    ly_release(ctx, number);
    if (status != LYRA_OK) {
        ly_export_finish(faces);
    }
    return status;
}

void ly_export_finish(LyExport *data)
{
    if (data->ctx) {
        ly_release(data->ctx, data->groups);
        ly_release(data->ctx, data->members);
        ly_release(data->ctx, data->own_corners);
    }
    lyra_surface_destroy(data->triangles);
    *data = (LyExport){0};
}

LyraStatus ly_export_groups(const LyExport *data, int32_t **out)
{
    int32_t *groups = NULL;
    LY_TRY(ly_allocate_zeroed(data->ctx, data->cell_count, sizeof *groups, &groups));
    for (int32_t s = data->set_count - 1; s >= 0; --s) {
        for (int32_t i = 0; i < data->sets[s].count; ++i) {
            groups[data->sets[s].elements[i]] = s + 1;
        }
    }
    *out = groups;
    return LYRA_OK;
}

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

LyraStatus ly_export_label(LyNames *used, const char *name, char label[LY_LABEL_MAX])
{
    // room for a number behind
    char word[LY_LABEL_MAX - 12];
    size_t length = 0;
    if (!is_letter(name[0])) {
        word[length++] = 'S';
    }
    for (; *name && length + 1 < sizeof word; ++name) {
        bool plain = is_letter(*name) || (*name >= '0' && *name <= '9') || *name == '-';
        word[length++] = plain ? *name : '_';
    }
    word[length] = '\0';
    for (int32_t attempt = 1;; ++attempt) {
        int bytes = attempt == 1 ? snprintf(label, LY_LABEL_MAX, "%s", word)
                                 : snprintf(label, LY_LABEL_MAX, "%s_%d", word, attempt);
        char upper[LY_LABEL_MAX];
        for (int i = 0; i <= bytes; ++i) {
            upper[i] = (char)(label[i] >= 'a' && label[i] <= 'z' ? label[i] - 'a' + 'A' : label[i]);
        }
        int32_t id;
        bool added;
        LY_TRY(ly_names_add(used, (LySlice){upper, (size_t)bytes}, &id, &added));
        if (added) {
            return LYRA_OK;
        }
    }
}
