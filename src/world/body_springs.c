// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Bodies of kind "springs": masses at vertices, springs between them, over the elements of a mesh,
// the quads or the edges of a surface, or a line.

#include "base/file.h"
#include "lyra/mesh_ops.h"
#include "mesh/sort.h"
#include "world/world.h"

#include <math.h>
#include <string.h>

#define DEFAULT_STIFFNESS 100.0

// what is made, step by step
typedef struct Made {
    const LyraBodySprings *def;
    int32_t count;        // of vertices
    double *positions;    // [count][3]
    double *masses;       // [count]
    double *stiffness;    // of each spring; NULL: by groups
    LyraSurface *surface; // placed. Nullable
    char *path;           // of its file. Nullable
} Made;

// ---- what has no use ----------------------------------------------------------------------------

static LyraStatus refuse(const char *key, const char *hint)
{
    const char *name = strrchr(key, '.') ? strrchr(key, '.') + 1 : key;
    return ly_fail_key(LYRA_BAD_FORMAT, key, "found %s of a body of springs, expected %s", name,
                       hint);
}

static LyraStatus check_def(const LyraBodyDef *def, const LyraBodySprings *springs)
{
    static const char hint[] = "stiffness and damping in springs";
    const LyraSolidDef *given = &def->material, none = lyra_body_def_default().material;
    bool meshed = springs->over == LYRA_SPRINGS_OVER_ELEMENTS;
    if (strcmp(given->model, none.model) != 0) {
        return refuse("material.model", hint);
    }
    if (given->stiffness != 0 || given->damping != 0) {
        return refuse(given->stiffness != 0 ? "material.stiffness" : "material.damping", hint);
    }
    if (given->constant_count > 0) {
        return refuse("material.parameters", hint);
    }
    if (given->plasticity || given->volumetric != none.volumetric) {
        return refuse(given->plasticity ? "material.plasticity" : "material.volumetric",
                      "it of solids alone");
    }
    if (!isnan(def->stiffness)) {
        return refuse("stiffness", "structural in springs");
    }
    if (def->viscosity || def->fibre) {
        return refuse(def->viscosity ? "viscosity" : "fibre", "it of solids alone");
    }
    if (!meshed && (def->file || def->mesh || def->generate)) {
        return refuse(def->generate ? "generate" : "mesh", "it with springs over elements alone");
    }
    if (!meshed && !isnan(def->density)) {
        return refuse("material.density", "surface-density or mass in springs");
    }
    if (!meshed && (given->young > 0 || def->region_count > 0)) {
        return refuse(given->young > 0 ? "material.young" : "regions",
                      "it with springs over elements alone");
    }
    return LYRA_OK;
}

// ---- masses -------------------------------------------------------------------------------------

static void set_mass(const Made *made, double *masses)
{
    double sum = 0;
    for (int32_t v = 0; v < made->count; ++v) {
        sum += masses[v];
    }
    for (int32_t v = 0; v < made->count && !isnan(made->def->mass) && sum > 0; ++v) {
        masses[v] *= made->def->mass / sum;
    }
}

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

// each corner of a face gets an equal share of it
static void share_areas(const LyraSurfaceView *surface, double density, double *masses)
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

static LyraStatus make_arrays(LyraContext *ctx, Made *made, int32_t count, const double *positions)
{
    made->count = count;
    LY_TRY(ly_allocate_zeroed(ctx, count, sizeof *made->masses, &made->masses));
    LY_TRY(ly_allocate_zeroed(ctx, 3 * (int64_t)count, sizeof *made->positions, &made->positions));
    if (positions && count > 0) {
        memcpy(made->positions, positions, 3 * (size_t)count * sizeof *positions);
    }
    return LYRA_OK;
}

// ---- elements -----------------------------------------------------------------------------------

static LyraStatus make_elements(LyraWorld *world, const LyraMesh *mesh, Made *made,
                                LyraSprings **out)
{
    LyraContext *ctx = world->ctx;
    LyraMeshView view = lyra_mesh_view(mesh);
    LY_TRY(make_arrays(ctx, made, view.vertex_count, view.positions));
    lyra_mesh_lumped_masses(mesh, NULL, made->masses);
    LY_TRY(lyra_springs_create_from_mesh(ctx, mesh, out));
    if (isnan(made->def->structural) && view.kind == LYRA_ELEMENT_TET4) {
        LY_TRY(ly_allocate_array(ctx, lyra_springs_view(*out).spring_count, sizeof(double),
                                 &made->stiffness));
        return ly_within_key(lyra_springs_modulus_stiffness(*out, mesh, NULL, made->stiffness),
                             "structural");
    }
    return LYRA_OK;
}

// ---- surfaces -----------------------------------------------------------------------------------

static LyraStatus load_surface(const LyraWorld *world, Made *made)
{
    const LyraBodySprings *def = made->def;
    if (!def->file == !def->surface) {
        return ly_fail_key(LYRA_BAD_FORMAT, "surface", "found %s, expected one surface",
                           def->file ? "a file and arrays" : "none");
    }
    if (def->surface) {
        LyraSurfaceView view = lyra_surface_view(def->surface);
        return lyra_surface_create(world->ctx, &view, &made->surface);
    }
    LY_TRY(ly_world_path(world, def->file, &made->path));
    return ly_within_key(
        lyra_surface_load(world->ctx, made->path, LYRA_MESH_FORMAT_AUTO, &made->surface),
        "surface");
}

static LyraStatus place_surface(const LyraWorld *world, const LyraPlacement *place, Made *made)
{
    double A[9], t[3];
    if (!ly_placement_matrix(place, A, t)) {
        return LYRA_OK;
    }
    LyraSurfaceView view = lyra_surface_view(made->surface);
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
    lyra_surface_destroy(made->surface);
    made->surface = placed;
    return LYRA_OK;
}

static LyraStatus make_quads(LyraContext *ctx, Made *made, LyraSprings **out)
{
    LyraSurfaceView view = lyra_surface_view(made->surface);
    for (int32_t f = 0; f < view.face_count; ++f) {
        int32_t corners = view.face_begin[f + 1] - view.face_begin[f];
        if (corners != 4) {
            return ly_fail_key(LYRA_BAD_MESH, "surface",
                               "%s%sface %d has %d corners, expected quads only for springs",
                               made->path ? made->path : "", made->path ? ": " : "", (int)f + 1,
                               (int)corners);
        }
    }
    lyra_quads_lumped_masses(view.vertex_count, view.positions, view.face_count,
                             view.corner_vertices, made->def->surface_density, made->masses);
    return lyra_springs_create_from_quads(ctx, view.vertex_count, view.positions, view.face_count,
                                          view.corner_vertices, out);
}

// each edge of the faces once, lower vertex first, ascending
static LyraStatus find_edges(LyraContext *ctx, const LyraSurfaceView *view, int32_t *count,
                             int32_t *pairs)
{
    uint64_t *keys = NULL;
    int32_t *order = NULL, at = 0;
    LyraStatus status = LYRA_OK;
    LY_TRY_DONE(ly_allocate_array(ctx, view->corner_count, sizeof *keys, &keys));
    LY_TRY_DONE(ly_allocate_zeroed(ctx, view->corner_count, sizeof *order, &order));
    for (int32_t f = 0; f < view->face_count; ++f) {
        int32_t begin = view->face_begin[f], end = view->face_begin[f + 1];
        for (int32_t c = begin; c < end; ++c) {
            uint32_t a = (uint32_t)view->corner_vertices[c];
            uint32_t b = (uint32_t)view->corner_vertices[c + 1 < end ? c + 1 : begin];
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
    }
done:
    ly_release(ctx, order);
    ly_release(ctx, keys);
    return status;
}

static LyraStatus connect(LyraContext *ctx, const Made *made, int32_t count, const int32_t *pairs,
                          LyraSprings **out)
{
    LyraSpringsDef def = lyra_springs_def_default();
    def.vertex_count = made->count;
    def.spring_count = count;
    def.vertices = pairs;
    def.positions = made->positions;
    return lyra_springs_create(ctx, &def, out);
}

static LyraStatus make_edges(LyraContext *ctx, Made *made, LyraSprings **out)
{
    LyraSurfaceView view = lyra_surface_view(made->surface);
    int32_t count = 0, *pairs = NULL;
    share_areas(&view, made->def->surface_density, made->masses);
    LY_TRY(ly_allocate_array(ctx, 2 * (int64_t)view.corner_count, sizeof *pairs, &pairs));
    LyraStatus status = find_edges(ctx, &view, &count, pairs);
    if (status == LYRA_OK) {
        status = connect(ctx, made, count, pairs, out);
    }
    ly_release(ctx, pairs);
    return status;
}

static LyraStatus make_surface(LyraWorld *world, const LyraBodyDef *body, Made *made,
                               LyraSprings **out)
{
    LY_TRY(load_surface(world, made));
    LY_TRY(place_surface(world, &body->transform, made));
    LyraSurfaceView view = lyra_surface_view(made->surface);
    if (view.face_count == 0) {
        return ly_fail_key(LYRA_BAD_MESH, "surface", "found no faces, expected some for springs");
    }
    LY_TRY(make_arrays(world->ctx, made, view.vertex_count, view.positions));
    return made->def->over == LYRA_SPRINGS_OVER_QUADS ? make_quads(world->ctx, made, out)
                                                      : make_edges(world->ctx, made, out);
}

// ---- chains -------------------------------------------------------------------------------------

#define CHAIN_MAX 10000000

static LyraStatus make_chain(LyraWorld *world, const LyraBodyDef *body, Made *made,
                             LyraSprings **out)
{
    const LyraBodySprings *def = made->def;
    int32_t count = def->count, *pairs = NULL;
    double A[9], t[3], mass = isnan(def->mass) ? 1 : def->mass;
    bool placed = ly_placement_matrix(&body->transform, A, t);
    if (count > CHAIN_MAX) {
        return ly_fail_key(LYRA_BAD_FORMAT, "count", "found %d, expected a chain of %d at most",
                           (int)count, CHAIN_MAX);
    }
    LY_TRY(make_arrays(world->ctx, made, count, NULL));
    LY_TRY(ly_allocate_array(world->ctx, 2 * ((int64_t)count - 1), sizeof *pairs, &pairs));
    for (int32_t v = 0; v < count; ++v) {
        double s = count == 1 ? 0 : (double)v / (count - 1), x[3];
        double *to = made->positions + 3 * (int64_t)v;
        made->masses[v] = mass / count;
        for (int i = 0; i < 3; ++i) {
            to[i] = x[i] = s == 1 ? def->to[i] : def->from[i] + s * (def->to[i] - def->from[i]);
        }
        for (int i = 0; i < 3 && placed; ++i) {
            to[i] = t[i] + A[3 * i] * x[0] + A[3 * i + 1] * x[1] + A[3 * i + 2] * x[2];
        }
        if (v > 0) {
            pairs[2 * (v - 1)] = v - 1;
            pairs[2 * (v - 1) + 1] = v;
        }
    }
    LyraStatus status = connect(world->ctx, made, count - 1, pairs, out);
    ly_release(world->ctx, pairs);
    return status;
}

// ---- the body -----------------------------------------------------------------------------------

static LyraStatus add_force(LyraWorld *world, const LyraBodyView *view, Made *made,
                            const LyraSprings *springs)
{
    const LyraBodySprings *def = made->def;
    double structural = isnan(def->structural) ? DEFAULT_STIFFNESS : def->structural;
    double shear = isnan(def->shear) ? structural : def->shear;
    // of elements: edges, diagonals of faces, of bodies; of quads: edges, diagonals, past a vertex
    bool quads = def->over == LYRA_SPRINGS_OVER_QUADS;
    const double groups[3] = {structural, shear, quads ? def->bend : shear};
    LyraMassSpringDef force = lyra_mass_spring_def_default();
    LyraForce *made_force = NULL;
    force.group_stiffness = groups;
    force.spring_stiffness = made->stiffness;
    force.damping = def->damping;
    force.damping_kind = def->damping == 0 ? LYRA_SPRING_UNDAMPED
                         : def->full       ? LYRA_SPRING_DAMPING_FULL
                                           : LYRA_SPRING_DAMPING_ALONG;
    force.symmetric = true;
    LY_TRY(lyra_mass_spring_create(world->ctx, springs, &force, &made_force));
    return ly_world_own_force(world, world->body_count, view->name, made_force);
}

// shows the surface that the springs are over
static LyraStatus show_surface(LyraContext *ctx, LyraBodyView *view, Made *made)
{
    LyraShownSurface *shown = NULL;
    const char *name = made->path ? ly_path_name(made->path) : "surface";
    LY_TRY(ly_allocate_zeroed(ctx, 1, sizeof *shown, &shown));
    view->surfaces = shown;
    view->surface_count = 1;
    LY_TRY(ly_string_copy(ctx, name, strlen(name), (char **)&shown->name));
    shown->path = made->path;
    shown->surface = made->surface;
    made->path = NULL;
    made->surface = NULL;
    return LYRA_OK;
}

static LyraStatus make(LyraWorld *world, LyraBodyView *view, LyBody *body, Made *made)
{
    const LyraBodySprings *def = made->def;
    switch (def->over) {
    case LYRA_SPRINGS_OVER_ELEMENTS:
        LY_TRY(make_elements(world, view->mesh, made, &body->springs));
        break;
    case LYRA_SPRINGS_OVER_CHAIN:
        LY_TRY(make_chain(world, body->def, made, &body->springs));
        break;
    default:
        LY_TRY(make_surface(world, body->def, made, &body->springs));
        break;
    }
    set_mass(made, made->masses);
    LY_TRY(add_force(world, view, made, body->springs));
    LY_TRY(
        ly_body_set_vertices(world->ctx, view, body, made->count, made->positions, made->masses));
    return made->surface && !body->def->surface_count ? show_surface(world->ctx, view, made)
                                                      : LYRA_OK;
}

static const LyraBodySprings *springs_of(const LyraBodyDef *def, LyraBodySprings *defaults)
{
    *defaults = lyra_body_springs_default();
    return def->springs ? def->springs : defaults;
}

static LyraStatus create(LyraWorld *world, LyraMesh *take, LyraBodyView *view, LyBody *body)
{
    LyraBodySprings defaults;
    Made made = {.def = springs_of(body->def, &defaults)};
    view->mesh = take;
    LY_TRY(check_def(body->def, made.def));
    LyraStatus status = make(world, view, body, &made);
    lyra_surface_destroy(made.surface);
    ly_release(world->ctx, made.path);
    ly_release(world->ctx, made.stiffness);
    ly_release(world->ctx, made.positions);
    ly_release(world->ctx, made.masses);
    return ly_within_key(status, "springs");
}

static bool is_meshless(const LyraBodyDef *def)
{
    return def->springs && def->springs->over != LYRA_SPRINGS_OVER_ELEMENTS;
}

const LyBodyType ly_body_springs = {.name = "springs", .create = create, .meshless = is_meshless};
