// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Points of a body that obstacles hold off, and what the barrier is to be like for it.
//
// A point's area is a third of that of the triangles around it (faces of 6 nodes count as four
// triangles); points without triangles, as in chains and inside of solids, get the mean one. The
// barrier begins at d = min(edge / 4, 0.005 diagonal). Its stiffness is a tenth of Young's modulus
// of the softest material. Bodies that have none (cloth, springs, particles, stiff affine bodies)
// get a stiffness by their mass: 4 m d / (A h^2) with a usual step h, so that half of d carries
// their weight and a step stops them, or m v^2 / (2 A d), so that the barrier has the energy of a
// fall from ten times their size, or of their first speed, whichever is more.

#include "world/obstacles.h"

#include "lyra/mesh_ops.h"
#include "math/vec3.h"
#include "world/curve.h"

#include <math.h>
#include <string.h>

#define EDGE_SHARE 0.25
#define DIAGONAL_SHARE 5e-3
#define YOUNG_SHARE 0.1
#define MASS_SHARE 4
#define FALL 10 // diagonals that it may have fallen

typedef struct Skin {
    LyBodyPoints points;
    double *area; // [points]
    uint8_t *on;  // on the surface
    double total; // area
    int64_t triangles;
} Skin;

static void add_triangle(Skin *skin, const int32_t v[3])
{
    const double *x = skin->points.positions;
    double a[3], b[3], n[3];
    ly_subtract3(x + 3 * (int64_t)v[1], x + 3 * (int64_t)v[0], a);
    ly_subtract3(x + 3 * (int64_t)v[2], x + 3 * (int64_t)v[0], b);
    ly_cross3(a, b, n);
    double area = 0.5 * ly_length3(n);
    for (int i = 0; i < 3; ++i) {
        skin->area[v[i]] += area / 3;
        skin->on[v[i]] = 1;
    }
    skin->total += area;
    ++skin->triangles;
}

static void add_faces(Skin *skin, const LyraSurface *surface)
{
    LyraSurfaceView view = lyra_surface_view(surface);
    for (int32_t f = 0; f < view.face_count; ++f) {
        int32_t begin = view.face_begin[f], end = view.face_begin[f + 1];
        for (int32_t c = begin + 1; c + 1 < end; ++c) {
            const int32_t v[3] = {view.corner_vertices[begin], view.corner_vertices[c],
                                  view.corner_vertices[c + 1]};
            add_triangle(skin, v);
        }
    }
}

static LyraStatus find_triangles(const LyraBodyView *view, Skin *skin)
{
    const LyraMesh *mesh = ly_body_shape(view);
    if (mesh) {
        LyraMeshBoundary *boundary = NULL;
        LY_TRY(lyra_mesh_boundary_create(mesh, true, &boundary));
        LyraMeshBoundaryView faces = lyra_mesh_boundary_view(boundary);
        for (int64_t f = 0; f < faces.face_count; ++f) {
            add_triangle(skin, faces.faces + 3 * f);
        }
        lyra_mesh_boundary_destroy(boundary);
        return LYRA_OK;
    }
    for (int32_t s = 0; s < view->surface_count && skin->triangles == 0; ++s) {
        LyraSurfaceView faces = lyra_surface_view(view->surfaces[s].surface);
        if (!view->surfaces[s].embedding && faces.vertex_count == skin->points.count) {
            add_faces(skin, view->surfaces[s].surface);
        }
    }
    return LYRA_OK;
}

// Young's modulus; of Mooney-Rivlin that of small strains, incompressible
static double young_of(const LyraMeshMaterial *m)
{
    switch (m->kind) {
    case LYRA_MESH_MATERIAL_MOONEY_RIVLIN:
        return 6 * (m->mooney_rivlin.mu01 + m->mooney_rivlin.mu10);
    case LYRA_MESH_MATERIAL_ORTHOTROPIC:
        return fmin(fmin(m->orthotropic.young[0], m->orthotropic.young[1]),
                    m->orthotropic.young[2]);
    default:
        return m->enu.young;
    }
}

// 0: it has none
static double find_young(const LyraBodyView *view, const LyBody *body)
{
    if (!view->solid || !view->mesh) {
        return 0;
    }
    LyraMeshView mesh = lyra_mesh_view(view->mesh);
    double least = body->solid_def.young > 0 ? body->solid_def.young : INFINITY;
    for (int32_t e = 0; !(body->solid_def.young > 0) && e < mesh.element_count; ++e) {
        double young = young_of(&mesh.materials[mesh.element_materials[e]]);
        least = young > 0 ? fmin(least, young) : least;
    }
    return isfinite(least) ? least : 0;
}

static double find_diagonal(const LyBodyPoints *points)
{
    double low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY};
    double sum = 0;
    for (int64_t i = 0; i < 3 * (int64_t)points->count; ++i) {
        low[i % 3] = fmin(low[i % 3], points->positions[i]);
        high[i % 3] = fmax(high[i % 3], points->positions[i]);
    }
    for (int i = 0; i < 3; ++i) {
        sum += (high[i] - low[i]) * (high[i] - low[i]);
    }
    return sqrt(sum);
}

// edges of triangles, or of a chain
static double find_edge(const Skin *skin, double diagonal)
{
    if (skin->triangles > 0) {
        return sqrt(4 / sqrt(3.0) * skin->total / (double)skin->triangles);
    }
    return skin->points.count > 1 ? diagonal / (skin->points.count - 1) : 0;
}

// square of the speed that it may get, (m/s)^2
static double find_fall(const LyraWorld *world, const LyBody *body, double diagonal)
{
    double g[3];
    for (int i = 0; i < 3; ++i) {
        g[i] = ly_curve_at(&world->spec.gravity[i], 0).value;
    }
    const double *v = body->def->start.velocity;
    return 2 * ly_length3(g) * FALL * diagonal + ly_dot3(v, v);
}

static LyraStatus fill(LyraWorld *world, int32_t body, bool all, double dt, const Skin *skin,
                       LyObstaclePoints *out)
{
    LyraContext *ctx = world->ctx;
    const LyraBodyView *view = &world->views[body];
    const LyBody *own = &world->bodies[body];
    bool weighted = own->type->weighted, whole = all || skin->triangles == 0;
    int64_t nodes = weighted ? LYRA_AFFINE_PARTICLES : 1;
    double diagonal = find_diagonal(&skin->points), edge = find_edge(skin, diagonal);
    double young = find_young(view, own), mass = 0;
    int32_t count = 0;
    for (int32_t v = 0; v < skin->points.count; ++v) {
        count += whole || skin->on[v];
    }
    for (int32_t v = 0; v < view->vertex_count; ++v) {
        mass += own->masses[v];
    }
    double d = fmin(EDGE_SHARE * edge, DIAGONAL_SHARE * diagonal);
    LY_TRY(ly_allocate_array(ctx, count + (int64_t)1, sizeof *out->start, &out->start));
    LY_TRY(ly_allocate_array(ctx, nodes * count, sizeof *out->vertices, &out->vertices));
    LY_TRY(ly_allocate_array(ctx, nodes * count, sizeof *out->weights, &out->weights));
    LY_TRY(ly_allocate_array(ctx, count, sizeof *out->area, &out->area));
    LY_TRY(ly_allocate_array(ctx, count, sizeof *out->distance, &out->distance));
    LY_TRY(ly_allocate_array(ctx, count, sizeof *out->stiffness, &out->stiffness));
    double mean = edge > 0 ? edge * edge : 1, sum = 0;
    out->start[0] = 0;
    for (int32_t v = 0; v < skin->points.count; ++v) {
        if (!whole && !skin->on[v]) {
            continue;
        }
        int32_t p = out->count++;
        out->distance[p] = d;
        out->area[p] = skin->area[v] > 0 ? skin->area[v] : mean;
        sum += out->area[p];
        for (int64_t k = 0; k < nodes; ++k) {
            int64_t at = nodes * p + k;
            out->vertices[at] = view->first_vertex + (weighted ? (int32_t)k : v);
            out->weights[at] = weighted
                                   ? lyra_embedding_view(lyra_affine_view(view->affine).embedding)
                                         .weights[nodes * v + k]
                                   : 1;
        }
        out->start[p + 1] = nodes * (p + 1);
    }
    double fall = find_fall(world, own, diagonal);
    double by_mass = d > 0 ? mass / sum * fmax(MASS_SHARE * d / (dt * dt), 0.5 * fall / d) : 0;
    for (int32_t p = 0; p < out->count; ++p) {
        out->stiffness[p] = young > 0 ? YOUNG_SHARE * young : by_mass;
    }
    return LYRA_OK;
}

LyraStatus ly_obstacle_points(LyraWorld *world, int32_t body, bool all, double dt,
                              LyObstaclePoints *out)
{
    Skin skin = {.points = ly_body_points(world, body)};
    LyraStatus status = LYRA_OK;
    *out = (LyObstaclePoints){0};
    LY_TRY_DONE(ly_allocate_zeroed(world->ctx, skin.points.count, sizeof *skin.area, &skin.area));
    LY_TRY_DONE(ly_allocate_zeroed(world->ctx, skin.points.count, sizeof *skin.on, &skin.on));
    LY_TRY_DONE(find_triangles(&world->views[body], &skin));
    LY_TRY_DONE(fill(world, body, all, dt, &skin, out));
done:
    ly_release(world->ctx, skin.area);
    ly_release(world->ctx, skin.on);
    if (status != LYRA_OK) {
        ly_obstacle_points_release(world->ctx, out);
    }
    return status;
}
