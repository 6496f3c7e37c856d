// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// A mesh with sets of every kind, and how such sets are compared.

#ifndef MESH_SETS_H
#define MESH_SETS_H

#include "mesh_samples.h"

#include <math.h>

static inline const LyraMeshSet *set_of_elements(const LyraMesh *mesh, const char *name)
{
    LyraMeshView view = lyra_mesh_view(mesh);
    for (int32_t s = 0; s < view.set_count; ++s) {
        if (strcmp(view.sets[s].name, name) == 0) {
            return &view.sets[s];
        }
    }
    return NULL;
}

static inline const LyraMeshVertexSet *set_of_vertices(const LyraMesh *mesh, const char *name)
{
    LyraMeshView view = lyra_mesh_view(mesh);
    for (int32_t s = 0; s < view.vertex_set_count; ++s) {
        if (strcmp(view.vertex_sets[s].name, name) == 0) {
            return &view.vertex_sets[s];
        }
    }
    return NULL;
}

static inline const LyraMeshFaceSet *set_of_faces(const LyraMesh *mesh, const char *name)
{
    LyraMeshView view = lyra_mesh_view(mesh);
    for (int32_t s = 0; s < view.face_set_count; ++s) {
        if (strcmp(view.face_sets[s].name, name) == 0) {
            return &view.face_sets[s];
        }
    }
    return NULL;
}

/// A box of unit cells from the origin: elements "low" (the first half) and "high", vertices
/// "corner" (at the origin) and "right" (x largest), faces "top" (z largest), "right" (x largest)
/// and "edge" (both). The faces overlap, and names of different kinds are alike.
static inline LyraMesh *sample_sets(LyraContext *ctx, LyraElementKind kind, int32_t nx, int32_t ny,
                                    int32_t nz)
{
    LyraMesh *body = sample_box(ctx, kind, nx, ny, nz, 1), *out = NULL;
    LyraMeshView view = lyra_mesh_view(body);
    LyraMeshBoundary *boundary = NULL;
    TEST_OK(lyra_mesh_boundary_create(body, false, &boundary));
    LyraMeshBoundaryView faces = lyra_mesh_boundary_view(boundary);
    int32_t *ids = malloc((size_t)view.element_count * sizeof *ids), half = view.element_count / 2;
    int32_t *right = malloc((size_t)view.vertex_count * sizeof *right), right_count = 0,
            corner = -1;
    int32_t *pairs[3], counts[3] = {0};
    for (int32_t e = 0; e < view.element_count; ++e) {
        ids[e] = e;
    }
    for (int32_t v = 0; v < view.vertex_count; ++v) {
        const double *x = view.positions + 3 * (size_t)v;
        corner = x[0] == 0 && x[1] == 0 && x[2] == 0 ? v : corner;
        if (x[0] == nx) {
            right[right_count++] = v;
        }
    }
    for (int32_t s = 0; s < 3; ++s) {
        pairs[s] = malloc(2 * (size_t)faces.face_count * sizeof(int32_t));
    }
    for (int32_t f = 0; f < faces.face_count; ++f) {
        bool on[3] = {true, true, true};
        for (int32_t a = 0; a < faces.nodes; ++a) {
            const double *x = view.positions + 3 * (size_t)faces.faces[faces.nodes * f + a];
            on[0] = on[0] && x[2] == nz;
            on[1] = on[1] && x[0] == nx;
        }
        on[2] = on[0] || on[1];
        for (int32_t s = 0; s < 3; ++s) {
            if (on[s]) {
                pairs[s][2 * counts[s]] = faces.elements[f];
                pairs[s][2 * counts[s]++ + 1] = faces.sides[f];
            }
        }
    }
    const LyraMeshSet sets[] = {{"low", ids, half},
                                {"high", ids + half, view.element_count - half}};
    const LyraMeshVertexSet vertex_sets[] = {{"corner", &corner, 1}, {"right", right, right_count}};
    const LyraMeshFaceSet face_sets[] = {{"top", pairs[0], counts[0]},
                                         {"right", pairs[1], counts[1]},
                                         {"edge", pairs[2], counts[2]}};
    view.set_count = 2;
    view.sets = sets;
    view.vertex_set_count = 2;
    view.vertex_sets = vertex_sets;
    view.face_set_count = 3;
    view.face_sets = face_sets;
    TEST_OK(lyra_mesh_create(ctx, &view, &out));
    for (int32_t s = 0; s < 3; ++s) {
        free(pairs[s]);
    }
    free(right);
    free(ids);
    lyra_mesh_boundary_destroy(boundary);
    lyra_mesh_destroy(body);
    return out;
}

/// What a set of faces covers, whatever its faces are called: area, vector area (outward), and the
/// integral of the position.
typedef struct Cover {
    double area, vector[3], moment[3];
} Cover;

static inline Cover cover_of(const LyraMesh *mesh, const LyraMeshFaceSet *set)
{
    LyraMeshView view = lyra_mesh_view(mesh);
    int32_t nodes = lyra_element_kind_nodes(view.kind);
    int32_t corners = lyra_element_kind_face_nodes(view.kind);
    Cover cover = {0};
    for (int32_t i = 0; set && i < set->count; ++i) {
        const int32_t *element = view.elements + (int64_t)nodes * set->faces[2 * i];
        const int32_t *local = lyra_element_kind_face(view.kind, set->faces[2 * i + 1]);
        for (int32_t t = 1; t + 1 < corners; ++t) {
            const double *p = view.positions + 3 * (size_t)element[local[0]];
            const double *q = view.positions + 3 * (size_t)element[local[t]];
            const double *r = view.positions + 3 * (size_t)element[local[t + 1]];
            double n[3], size = 0;
            for (int c = 0; c < 3; ++c) {
                int a = (c + 1) % 3, b = (c + 2) % 3;
                n[c] = 0.5 * ((q[a] - p[a]) * (r[b] - p[b]) - (q[b] - p[b]) * (r[a] - p[a]));
                size += n[c] * n[c];
            }
            size = sqrt(size);
            cover.area += size;
            for (int c = 0; c < 3; ++c) {
                cover.vector[c] += n[c];
                cover.moment[c] += size * (p[c] + q[c] + r[c]) / 3;
            }
        }
    }
    return cover;
}

static inline void check_covers(Cover a, Cover b, const char *what)
{
    // sums of a few hundred numbers of the size of ten
    bool near = fabs(a.area - b.area) < 1e-11;
    for (int c = 0; c < 3; ++c) {
        near = near && fabs(a.vector[c] - b.vector[c]) < 1e-11 &&
               fabs(a.moment[c] - b.moment[c]) < 1e-10;
    }
    TEST_CHECK_MSG(near, "%s: area %.17g for %.17g", what, a.area, b.area);
}

#endif
