// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Selections: vertices, triangles of the surface, or elements that meet all that a selector says.

#include "world/select.h"

#include "base/choices.h"
#include "base/file.h"
#include "math/vec3.h"
#include "mesh/cavities.h"

#include <math.h>
#include <string.h>

LyraStatus ly_check_direction(const char *key, const double direction[3])
{
    double length = ly_dot3(direction, direction);
    return length > 0 && isfinite(length)
               ? LYRA_OK
               : ly_fail_key(LYRA_BAD_FORMAT, key,
                             "found %s without a length, expected a direction", key);
}

// ---- what a selector says of a point ------------------------------------------------------------

static bool says_component(const LyraSelector *select)
{
    return select->component >= 0 || select->component_at;
}

bool ly_selector_says_any(const LyraSelector *select)
{
    return select->all || select->surface || select->file || select->set || select->box ||
           select->sphere || select->half_space || select->normal || select->near ||
           says_component(select) || select->vertices;
}

static bool says_count(const LyraSelector *select)
{
    return select->near && select->near->count > 0;
}

static LyraStatus check_selector(const LyraSelector *select)
{
    if (!ly_selector_says_any(select)) {
        return ly_fail(LYRA_BAD_FORMAT,
                       "found an empty selector, expected one of: all, vertices, file, set, "
                       "box, sphere, half-space, near, component, component-at, surface, "
                       "normal");
    }
    if (select->near && says_count(select) == !isnan(select->near->distance)) {
        return ly_fail_key(LYRA_BAD_FORMAT, "near", "found %s, expected either distance or count",
                           says_count(select) ? "distance and count"
                                              : "neither distance nor count");
    }
    if (select->component >= 0 && select->component_at) {
        return ly_fail_key(LYRA_BAD_FORMAT, "component-at",
                           "found component-at beside component, expected one of them");
    }
    if (select->half_space) {
        LY_TRY(
            ly_within_key(ly_check_direction("normal", select->half_space->normal), "half-space"));
    }
    return select->normal
               ? ly_within_key(ly_check_direction("direction", select->normal->direction), "normal")
               : LYRA_OK;
}

static bool is_within(const double x[3], const double center[3], double radius)
{
    double d[3];
    for (int i = 0; i < 3; ++i) {
        d[i] = x[i] - center[i];
    }
    return ly_dot3(d, d) <= radius * radius;
}

static bool holds_point(const LyraSelector *select, const double x[3])
{
    bool in = true;
    if (select->box) {
        for (int i = 0; i < 3; ++i) {
            in &= x[i] >= select->box->min[i] && x[i] <= select->box->max[i];
        }
    }
    if (select->sphere) {
        in &= is_within(x, select->sphere->center, select->sphere->radius);
    }
    if (select->near && !says_count(select)) {
        in &= is_within(x, select->near->point, select->near->distance);
    }
    if (select->half_space) {
        double d[3];
        for (int i = 0; i < 3; ++i) {
            d[i] = x[i] - select->half_space->point[i];
        }
        in &= ly_dot3(d, select->half_space->normal) >= 0;
    }
    return in;
}

static bool faces_there(const LyraSelectNormal *facing, const double normal[3])
{
    double length = sqrt(ly_dot3(normal, normal) * ly_dot3(facing->direction, facing->direction));
    return length > 0 && ly_dot3(normal, facing->direction) >= cos(facing->angle) * length;
}

// ---- vertices of a body -------------------------------------------------------------------------

// counts for each vertex how many of the demands it meets, as lists say which ones do
static void meet(uint8_t *met, int32_t count, const int32_t *vertices, uint8_t demand)
{
    for (int32_t i = 0; i < count; ++i) {
        if (met[vertices[i]] == demand) {
            met[vertices[i]] = (uint8_t)(demand + 1);
        }
    }
}

static LyraStatus meet_lists(LyraWorld *world, int32_t count, const LyraSelector *select,
                             uint8_t *met, uint8_t *demands)
{
    LyraContext *ctx = world->ctx;
    if (select->vertices) {
        for (int32_t i = 0; i < select->vertex_count; ++i) {
            int32_t vertex = select->vertices[i];
            if (vertex < 0 || vertex >= count) {
                return ly_fail_key(LYRA_BAD_FORMAT, "vertices", "found vertex %d, expected 0 to %d",
                                   (int)vertex, (int)count - 1);
            }
        }
        meet(met, select->vertex_count, select->vertices, (*demands)++);
    }
    if (select->file) {
        char *path = NULL;
        int32_t found, *list = NULL;
        if (select->first != (int32_t)select->first) {
            return ly_fail_key(LYRA_BAD_FORMAT, "first",
                               "found %lld, expected a whole number of 32 bits",
                               (long long)select->first);
        }
        LY_TRY(ly_world_path(world, select->file, &path));
        LyraStatus status =
            lyra_vertex_list_load(ctx, path, (int32_t)select->first, count, &found, &list);
        ly_release(ctx, path);
        LY_TRY(ly_within_key(status, "file"));
        meet(met, found, list, (*demands)++);
        lyra_vertex_list_destroy(ctx, list);
    }
    return LYRA_OK;
}

// vertices of a set; a set of faces says nothing of the vertices where faces are selected
static LyraStatus meet_set(const LyraMeshView *mesh, const LyraSelector *select, LySelectKind kind,
                           uint8_t *met, uint8_t *demands)
{
    LyNamedSet set;
    int32_t nodes = lyra_element_kind_nodes(mesh->kind);
    if (!select->set) {
        return LYRA_OK;
    }
    LY_TRY(ly_select_set(mesh, select, kind, &set));
    if (set.faces && kind == LY_SELECT_FACES) {
        return LYRA_OK;
    }
    if (set.vertices) {
        meet(met, set.vertices->count, set.vertices->vertices, *demands);
    }
    for (int32_t i = 0; set.elements && i < set.elements->count; ++i) {
        meet(met, nodes, mesh->elements + (int64_t)nodes * set.elements->elements[i], *demands);
    }
    for (int64_t i = 0; set.faces && i < set.faces->count; ++i) {
        const int32_t *face = set.faces->faces + 2 * i;
        const int32_t *local = lyra_element_kind_face(mesh->kind, face[1]);
        for (int32_t a = 0; a < lyra_element_kind_face_nodes(mesh->kind); ++a) {
            meet(met, 1, &mesh->elements[(int64_t)nodes * face[0] + local[a]], *demands);
        }
    }
    ++*demands;
    return LYRA_OK;
}

static LyraStatus meet_component(LyraWorld *world, const LyraMesh *mesh, const LyraSelector *select,
                                 uint8_t *met, uint8_t *demands)
{
    LyraContext *ctx = world->ctx;
    LyraMeshView view = lyra_mesh_view(mesh);
    uint8_t *in = NULL;
    int32_t nodes = lyra_element_kind_nodes(view.kind);
    if (!says_component(select)) {
        return LYRA_OK;
    }
    LY_TRY(ly_allocate_array(ctx, view.element_count, 1, &in));
    LyraStatus status = ly_select_component(ctx, mesh, select, in);
    for (int32_t e = 0; e < view.element_count && status == LYRA_OK; ++e) {
        meet(met, in[e] ? nodes : 0, view.elements + (int64_t)nodes * e, *demands);
    }
    ++*demands;
    ly_release(ctx, in);
    return status;
}

// area-weighted normals, [vertex_count][3]; zero off the surface
static void add_normals(const LyraMeshView *mesh, const LyraMeshBoundaryView *boundary,
                        double *normals)
{
    for (int32_t f = 0; f < boundary->face_count; ++f) {
        const int32_t *face = boundary->faces + 3 * (int64_t)f;
        const double *p = mesh->positions + 3 * (int64_t)face[0];
        const double *q = mesh->positions + 3 * (int64_t)face[1];
        const double *r = mesh->positions + 3 * (int64_t)face[2];
        for (int i = 0; i < 3; ++i) {
            int j = (i + 1) % 3, k = (i + 2) % 3;
            double n = (q[j] - p[j]) * (r[k] - p[k]) - (q[k] - p[k]) * (r[j] - p[j]);
            for (int c = 0; c < 3; ++c) {
                normals[3 * (int64_t)face[c] + i] += n;
            }
        }
    }
}

// whether a triangle of the surface is one of those that `select->surface` means, [face_count]
static LyraStatus choose_walls(LyraContext *ctx, const LyraMeshView *view,
                               const LyraMeshBoundaryView *faces, const LyraSelector *select,
                               bool *meant)
{
    bool sides = select->surface == LYRA_SELECT_INNER || select->surface == LYRA_SELECT_OUTER;
    if (sides) {
        LY_TRY(ly_mark_cavities(ctx, view->positions, faces->face_count, faces->faces, meant));
    }
    for (int32_t f = 0; f < faces->face_count; ++f) {
        meant[f] = !sides || meant[f] == (select->surface == LYRA_SELECT_INNER);
    }
    return LYRA_OK;
}

// The triangles that a body shows to the outside: those around its elements, or those of a sheet,
// which has vertices alone in `mesh`. Ends with lyra_mesh_boundary_destroy().
typedef struct Skin {
    LyraMeshBoundary *boundary;
    LyraMeshBoundaryView faces;
    LyraMeshView mesh;
} Skin;

static LyraStatus open_skin(const LyraBodyView *body, const LyraSelector *select, Skin *skin)
{
    if (!body->sheet) {
        skin->mesh = lyra_mesh_view(ly_body_shape(body));
        LY_TRY(lyra_mesh_boundary_create(ly_body_shape(body), true, &skin->boundary));
        skin->faces = lyra_mesh_boundary_view(skin->boundary);
        return LYRA_OK;
    }
    if (select->surface > LYRA_SELECT_SURFACE) {
        return ly_fail_key(LYRA_UNSUPPORTED, "surface",
                           "found the walls of cavities of %s body \"%.60s\", expected true",
                           body->kind, body->name);
    }
    LyraSurfaceView sheet = lyra_surface_view(body->sheet);
    skin->mesh.vertex_count = sheet.vertex_count;
    skin->mesh.positions = sheet.positions;
    skin->faces.face_count = sheet.face_count;
    skin->faces.faces = sheet.corner_vertices;
    return LYRA_OK;
}

static LyraStatus meet_surface(LyraWorld *world, const LyraBodyView *body,
                               const LyraSelector *select, LySelectKind kind, uint8_t *met,
                               uint8_t *demands)
{
    if (!select->surface && !select->normal) {
        return LYRA_OK;
    }
    LyraContext *ctx = world->ctx;
    Skin skin = {0};
    double *normals = NULL;
    bool *meant = NULL;
    LyraStatus status = LYRA_OK;
    LY_TRY(open_skin(body, select, &skin));
    LyraMeshView view = skin.mesh;
    LyraMeshBoundaryView faces = skin.faces;
    if (select->surface) {
        LY_TRY_DONE(ly_allocate_array(ctx, faces.face_count, sizeof *meant, &meant));
        LY_TRY_DONE(choose_walls(ctx, &view, &faces, select, meant));
        for (int32_t f = 0; f < faces.face_count; ++f) {
            meet(met, meant[f] ? 3 : 0, faces.faces + 3 * (int64_t)f, *demands);
        }
        ++*demands;
    }
    if (select->normal && kind == LY_SELECT_VERTICES) {
        LY_TRY_DONE(
            ly_allocate_zeroed(ctx, 3 * (int64_t)view.vertex_count, sizeof *normals, &normals));
        add_normals(&view, &faces, normals);
        for (int32_t v = 0; v < view.vertex_count; ++v) {
            met[v] = (uint8_t)(met[v] + (met[v] == *demands &&
                                         faces_there(select->normal, normals + 3 * (int64_t)v)));
        }
        ++*demands;
    }
done:
    ly_release(ctx, meant);
    ly_release(ctx, normals);
    lyra_mesh_boundary_destroy(skin.boundary);
    return status;
}

static LyraStatus refuse_meshless(const LyraBodyView *body, const char *what)
{
    return ly_fail(LYRA_UNSUPPORTED,
                   "found %s of %s body \"%.60s\", which has no mesh of elements; expected "
                   "vertices, file, box, sphere, half-space, near or all",
                   what, body->kind, body->name);
}

// what only the triangles of a sheet can answer
static LyraStatus meet_sheet(LyraWorld *world, const LyraBodyView *body, const LyraSelector *select,
                             LySelectKind kind, uint8_t *met, uint8_t *demands)
{
    LyraContext *ctx = world->ctx;
    LyraSurfaceView view = lyra_surface_view(body->sheet);
    bool *in = NULL;
    LyraStatus status = LYRA_OK;
    LY_TRY(ly_allocate_array(ctx, view.face_count, sizeof *in, &in));
    for (int what = 0; what < 2; ++what) {
        if (what == 0 ? !select->set || kind == LY_SELECT_FACES : !says_component(select)) {
            continue;
        }
        LY_TRY_DONE(what == 0 ? ly_select_sheet_set(&view, "set", select->set, in)
                              : ly_select_sheet_component(ctx, &view, select, in));
        for (int32_t t = 0; t < view.face_count; ++t) {
            meet(met, in[t] ? 3 : 0, view.corner_vertices + 3 * (int64_t)t, *demands);
        }
        ++*demands;
    }
done:
    ly_release(ctx, in);
    return status;
}

// what only a mesh or a sheet can answer
static LyraStatus meet_mesh(LyraWorld *world, const LyraBodyView *body, const LyraSelector *select,
                            LySelectKind kind, uint8_t *met, uint8_t *demands)
{
    const LyraMesh *mesh = ly_body_shape(body);
    if (body->sheet) {
        LY_TRY(meet_sheet(world, body, select, kind, met, demands));
        return meet_surface(world, body, select, kind, met, demands);
    }
    if (!mesh) {
        const char *what = select->set                         ? "a set"
                           : says_component(select)            ? "a component"
                           : select->surface || select->normal ? "the surface"
                                                               : NULL;
        return what ? refuse_meshless(body, what) : LYRA_OK;
    }
    LyraMeshView view = lyra_mesh_view(mesh);
    LY_TRY(meet_set(&view, select, kind, met, demands));
    LY_TRY(meet_component(world, mesh, select, met, demands));
    return meet_surface(world, body, select, kind, met, demands);
}

// `chosen` [points] of one body gets 1 for the vertices that are in; `by_vertices`: whether
// anything is said of vertices at all. Nullable.
static LyraStatus choose_vertices(LyraWorld *world, int32_t body, const LyraSelector *select,
                                  LySelectKind kind, uint8_t *chosen, bool *by_vertices)
{
    LyBodyPoints points = ly_body_points(world, body);
    uint8_t demands = 0;
    memset(chosen, 0, (size_t)points.count);
    LY_TRY(meet_lists(world, points.count, select, chosen, &demands));
    LY_TRY(meet_mesh(world, &world->views[body], select, kind, chosen, &demands));
    for (int32_t v = 0; v < points.count; ++v) {
        chosen[v] = chosen[v] == demands && holds_point(select, points.positions + 3 * (int64_t)v);
    }
    if (says_count(select)) {
        LY_TRY(ly_select_nearest(world->ctx, select, points.count, points.positions, "vertices",
                                 chosen));
    }
    for (int32_t v = 0; v < points.count && select->invert; ++v) {
        chosen[v] = !chosen[v];
    }
    if (by_vertices) {
        *by_vertices = demands > 0 || select->all || select->box || select->sphere ||
                       select->half_space || select->near;
    }
    return LYRA_OK;
}

LyraStatus ly_find_body(const LyraWorld *world, const char *key, const char *name, int32_t *body)
{
    *body = ly_name_index_find(&world->names, name);
    if (*body >= 0) {
        return LYRA_OK;
    }
    LyChoices names = {.word = name};
    char expected[2 * LY_CHOICES_CHARS];
    for (int32_t b = 0; b < world->body_count; ++b) {
        ly_choices_add(&names, world->views[b].name);
    }
    return ly_fail_key(LYRA_BAD_FORMAT, key, "found \"%.80s\", expected the name of a body: %s",
                       name, ly_choices_expected(&names, "there is none yet", expected));
}

LyraStatus ly_select_bodies(const LyraWorld *world, const char *name, int32_t *first, int32_t *end)
{
    *first = 0;
    *end = world->body_count;
    if (name) {
        LY_TRY(ly_find_body(world, "body", name, first));
        *end = *first + 1;
    }
    return LYRA_OK;
}

static LyraStatus refuse_empty(const char *what)
{
    return ly_fail(LYRA_BAD_FORMAT, "found no %s in the selection, expected some", what);
}

// numbers of vertices and parts need one body to belong to
static LyraStatus check_numbers(const LyraSelector *select, int32_t bodies)
{
    const char *key = says_count(select)       ? "near"
                      : select->file           ? "file"
                      : select->vertices       ? "vertices"
                      : select->component >= 0 ? "component"
                      : select->component_at   ? "component-at"
                                               : NULL;
    return bodies > 1 && key
               ? ly_fail_key(LYRA_BAD_FORMAT, key,
                             "found %s without a body, expected the name of one beside select, as "
                             "there are several",
                             key)
               : LYRA_OK;
}

// one mark for each vertex of the shapes of bodies [first, end), one body after another
static LyraStatus make_marks(LyraWorld *world, int32_t first, int32_t end, uint8_t **marks)
{
    int64_t total = 0;
    for (int32_t b = first; b < end; ++b) {
        total += ly_body_points(world, b).count;
    }
    return ly_allocate_array(world->ctx, total, 1, marks);
}

static LyraStatus select_vertices(LyraWorld *world, int32_t first, int32_t end,
                                  const LyraSelector *select, LySelection *out)
{
    LyraContext *ctx = world->ctx;
    int32_t *list = NULL;
    LyBodyPoint *points = NULL;
    int64_t found[2] = {0}; // vertices, points of weighted bodies
    LY_TRY(check_selector(select));
    LY_TRY(check_numbers(select, end - first));
    uint8_t *marks = NULL, *at;
    LyraStatus status = LYRA_OK;
    LY_TRY(make_marks(world, first, end, &marks));
    at = marks;
    for (int32_t b = first; b < end; ++b) {
        int32_t count = ly_body_points(world, b).count;
        LY_TRY_DONE(choose_vertices(world, b, select, LY_SELECT_VERTICES, at, NULL));
        for (int32_t v = 0; v < count; ++v) {
            found[world->bodies[b].type->weighted] += at[v];
        }
        at += count;
    }
    if (found[0] + found[1] == 0) {
        LY_TRY_DONE(refuse_empty("vertices"));
    }
    LY_TRY_DONE(ly_arena_allocate(world->arena, found[0], sizeof *list, &list));
    LY_TRY_DONE(ly_arena_allocate(world->arena, found[1], sizeof *points, &points));
    *out = (LySelection){.vertices = list, .points = points};
    at = marks;
    for (int32_t b = first; b < end; ++b) {
        int32_t count = ly_body_points(world, b).count;
        for (int32_t v = 0; v < count; ++v) {
            if (at[v] && world->bodies[b].type->weighted) {
                points[out->point_count++] = (LyBodyPoint){b, v};
            } else if (at[v]) {
                list[out->count++] = world->views[b].first_vertex + v;
            }
        }
        at += count;
    }
done:
    ly_release(ctx, marks);
    return status;
}

LyraStatus ly_select_vertices(LyraWorld *world, const char *body, const LyraSelector *select,
                              LySelection *out)
{
    int32_t first, end;
    LY_TRY(ly_select_bodies(world, body, &first, &end));
    return ly_within_key(select_vertices(world, first, end, select, out), "select");
}

LyraStatus ly_select_whole(LyraWorld *world, const char *body, const LyraSelector *select,
                           int32_t *count, const int32_t **vertices)
{
    LySelection found;
    int32_t *list = NULL, at = 0, point = 0, used = 0;
    LY_TRY(ly_select_vertices(world, body, select, &found));
    if (found.point_count == 0) {
        *count = found.count;
        *vertices = found.vertices;
        return LYRA_OK;
    }
    // a body of n vertices gives 4 for n points
    LY_TRY(ly_arena_allocate(world->arena, found.count + 4 * (int64_t)found.point_count,
                             sizeof *list, &list));
    for (int32_t b = 0; b < world->body_count; ++b) {
        const LyraBodyView *own = &world->views[b];
        bool weighted = world->bodies[b].type->weighted;
        int32_t end = own->first_vertex + own->vertex_count, points = 0;
        for (; !weighted && at < found.count && found.vertices[at] < end; ++at) {
            list[used++] = found.vertices[at];
        }
        for (; point < found.point_count && found.points[point].body == b; ++point) {
            ++points;
        }
        if (points > 0 && points < ly_body_points(world, b).count) {
            return ly_fail_key(LYRA_UNSUPPORTED, "select",
                               "found a part of %s body \"%.60s\", expected all of it; at points "
                               "it is held by loads of type spring",
                               own->kind, own->name);
        }
        for (int32_t v = own->first_vertex; points > 0 && v < end; ++v) {
            list[used++] = v;
        }
    }
    *count = used;
    *vertices = list;
    return LYRA_OK;
}

LyraStatus lyra_world_select(LyraWorld *world, const char *body, const LyraSelector *select,
                             int32_t *count, int32_t **vertices)
{
    LYRA_ASSERT(world && body && select && count && vertices);
    int32_t b, end, found = 0, *list = NULL;
    uint8_t *chosen = NULL;
    LyraStatus status = LYRA_OK;
    LY_TRY(ly_select_bodies(world, body, &b, &end));
    LY_TRY(ly_within_key(check_selector(select), "select"));
    LyBodyPoints points = ly_body_points(world, b);
    LY_TRY_DONE(ly_allocate_array(world->ctx, points.count, 1, &chosen));
    LY_TRY_DONE(ly_within_key(choose_vertices(world, b, select, LY_SELECT_VERTICES, chosen, NULL),
                              "select"));
    LY_TRY_DONE(ly_allocate_array(world->ctx, points.count, sizeof *list, &list));
    for (int32_t v = 0; v < points.count; ++v) {
        if (chosen[v]) {
            list[found++] = v;
        }
    }
    *count = found;
    *vertices = list;
done:
    ly_release(world->ctx, chosen);
    return status;
}

// ---- triangles ----------------------------------------------------------------------------------

static bool face_faces_there(const LyraSelectNormal *facing, const double *positions,
                             const int32_t *face)
{
    const double *p = positions + 3 * (int64_t)face[0], *q = positions + 3 * (int64_t)face[1];
    const double *r = positions + 3 * (int64_t)face[2];
    double n[3];
    for (int i = 0; i < 3; ++i) {
        int j = (i + 1) % 3, k = (i + 2) % 3;
        n[i] = (q[j] - p[j]) * (r[k] - p[k]) - (q[k] - p[k]) * (r[j] - p[j]);
    }
    return !facing || faces_there(facing, n);
}

// what is said of faces themselves, [face_count]; `by_faces`: whether anything is
static LyraStatus choose_faces(LyraContext *ctx, const LyraBodyView *body, const Skin *skin,
                               const LyraSelector *select, bool *meant, bool *by_faces)
{
    const LyraMeshBoundaryView *faces = &skin->faces;
    LyNamedSet set = {0};
    if (body->sheet && select->set) {
        // those of the group itself, not all whose corners are in it
        LyraSurfaceView view = lyra_surface_view(body->sheet);
        *by_faces = true;
        return ly_select_sheet_set(&view, "set", select->set, meant);
    }
    if (select->set) {
        LY_TRY(ly_select_set(&skin->mesh, select, LY_SELECT_FACES, &set));
    }
    LY_TRY(choose_walls(ctx, &skin->mesh, faces, select, meant));
    for (int32_t f = 0; f < faces->face_count && set.faces; ++f) {
        meant[f] = meant[f] && ly_set_has_face(set.faces, faces->elements[f], faces->sides[f]);
    }
    *by_faces = set.faces || select->surface > LYRA_SELECT_SURFACE;
    return LYRA_OK;
}

// adds the triangles of one body to `list`, or counts them where it is NULL
static LyraStatus add_triangles(LyraWorld *world, int32_t b, const LyraSelector *select,
                                uint8_t *chosen, int32_t *count, int32_t *list)
{
    const LyraBodyView *body = &world->views[b];
    LyraContext *ctx = world->ctx;
    Skin skin = {0};
    bool by_vertices, by_faces, *meant = NULL;
    LyraStatus status = LYRA_OK;
    LY_TRY(body->sheet || ly_body_shape(body) ? LYRA_OK : refuse_meshless(body, "faces"));
    LY_TRY(choose_vertices(world, b, select, LY_SELECT_FACES, chosen, &by_vertices));
    LY_TRY(open_skin(body, select, &skin));
    LyraMeshBoundaryView faces = skin.faces;
    LY_TRY_DONE(ly_allocate_array(ctx, faces.face_count, sizeof *meant, &meant));
    LY_TRY_DONE(choose_faces(ctx, body, &skin, select, meant, &by_faces));
    for (int32_t f = 0; f < faces.face_count; ++f) {
        const int32_t *face = faces.faces + 3 * (int64_t)f;
        // inverted, all its vertices are out, or the face itself is; a normal that stands beside
        // other things is not inverted
        bool corners = chosen[face[0]] && chosen[face[1]] && chosen[face[2]];
        bool there = face_faces_there(select->normal, skin.mesh.positions, face);
        bool out = (by_vertices && corners) || (by_faces && !meant[f]);
        bool alone = !by_vertices && !by_faces;
        bool in = !select->invert ? corners && meant[f] && there : alone ? !there : out && there;
        if (in) {
            if (world->bodies[b].type->weighted) {
                LY_TRY_DONE(
                    ly_fail(LYRA_UNSUPPORTED,
                            "found faces of %s body \"%.60s\", expected those of solids; it "
                            "is pushed by loads of type force",
                            body->kind, body->name));
            }
            for (int c = 0; list && c < 3; ++c) {
                list[3 * (int64_t)*count + c] = body->first_vertex + face[c];
            }
            ++*count;
        }
    }
done:
    ly_release(ctx, meant);
    lyra_mesh_boundary_destroy(skin.boundary);
    return status;
}

static LyraStatus select_triangles(LyraWorld *world, int32_t first, int32_t end,
                                   const LyraSelector *select, int32_t *count,
                                   const int32_t **triangles)
{
    LyraContext *ctx = world->ctx;
    int32_t found = 0, *list = NULL;
    LY_TRY(check_selector(select));
    LY_TRY(check_numbers(select, end - first));
    uint8_t *chosen = NULL;
    LyraStatus status = LYRA_OK;
    LY_TRY(make_marks(world, first, end, &chosen));
    for (int32_t b = first; b < end; ++b) {
        LY_TRY_DONE(add_triangles(world, b, select, chosen, &found, NULL));
    }
    if (found == 0) {
        LY_TRY_DONE(refuse_empty("faces of the surface"));
    }
    LY_TRY_DONE(ly_arena_allocate(world->arena, 3 * (int64_t)found, sizeof *list, &list));
    found = 0;
    for (int32_t b = first; b < end; ++b) {
        LY_TRY_DONE(add_triangles(world, b, select, chosen, &found, list));
    }
    *count = found;
    *triangles = list;
done:
    ly_release(ctx, chosen);
    return status;
}

LyraStatus ly_select_triangles(LyraWorld *world, const char *body, const LyraSelector *select,
                               int32_t *count, const int32_t **triangles)
{
    int32_t first, end;
    LY_TRY(ly_select_bodies(world, body, &first, &end));
    return ly_within_key(select_triangles(world, first, end, select, count, triangles), "select");
}

// ---- elements -----------------------------------------------------------------------------------

// what a selector may not say of elements
static LyraStatus check_elements(const LyraSelector *select)
{
    const char *key = select->vertices  ? "vertices"
                      : select->file    ? "file"
                      : select->surface ? "surface"
                      : select->normal  ? "normal"
                                        : NULL;
    LY_TRY(check_selector(select));
    return key ? ly_fail_key(LYRA_BAD_FORMAT, key,
                             "found %s for elements, expected box, sphere, half-space, near, "
                             "component, component-at, set or all",
                             key)
               : LYRA_OK;
}

static void find_centres(const LyraMeshView *mesh, double *centres)
{
    int32_t nodes = lyra_element_kind_nodes(mesh->kind);
    for (int64_t e = 0; e < mesh->element_count; ++e) {
        double *centre = centres + 3 * e;
        centre[0] = centre[1] = centre[2] = 0;
        for (int32_t a = 0; a < nodes; ++a) {
            for (int i = 0; i < 3; ++i) {
                centre[i] +=
                    mesh->positions[3 * (int64_t)mesh->elements[nodes * e + a] + i] / nodes;
            }
        }
    }
}

// `in` [element_count] gets 1 for the elements that are in
static LyraStatus choose_elements(LyraContext *ctx, const LyraMesh *mesh,
                                  const LyraSelector *select, const double *centres, uint8_t *in)
{
    LyraMeshView view = lyra_mesh_view(mesh);
    LyNamedSet set = {0};
    if (select->set) {
        LY_TRY(ly_select_set(&view, select, LY_SELECT_ELEMENTS, &set));
    }
    memset(in, 1, (size_t)view.element_count);
    if (says_component(select)) {
        LY_TRY(ly_select_component(ctx, mesh, select, in));
    }
    int32_t in_set = 0;
    for (int32_t e = 0; e < view.element_count; ++e) {
        in[e] = in[e] && holds_point(select, centres + 3 * (int64_t)e);
        if (set.elements) {
            in_set += in_set < set.elements->count && set.elements->elements[in_set] < e;
            in[e] = in[e] && in_set < set.elements->count && set.elements->elements[in_set] == e;
        }
    }
    return says_count(select)
               ? ly_select_nearest(ctx, select, view.element_count, centres, "elements", in)
               : LYRA_OK;
}

static LyraStatus select_elements(LyraWorld *world, const LyraMesh *mesh,
                                  const LyraSelector *select, int32_t *count, int32_t **elements)
{
    LyraContext *ctx = world->ctx;
    LyraMeshView view = lyra_mesh_view(mesh);
    int32_t total = view.element_count, found = 0, *list = NULL;
    uint8_t *in = NULL;
    double *centres = NULL;
    LyraStatus status = LYRA_OK;
    LY_TRY(check_elements(select));
    LY_TRY_DONE(ly_allocate_array(ctx, total, 1, &in));
    LY_TRY_DONE(ly_allocate_array(ctx, 3 * (int64_t)total, sizeof *centres, &centres));
    find_centres(&view, centres);
    LY_TRY_DONE(choose_elements(ctx, mesh, select, centres, in));
    LY_TRY_DONE(ly_arena_allocate(world->arena, total, sizeof *list, &list));
    for (int32_t e = 0; e < total; ++e) {
        if ((in[e] != 0) != select->invert) {
            list[found++] = e;
        }
    }
    if (found == 0) {
        LY_TRY_DONE(refuse_empty("elements"));
    }
    *count = found;
    *elements = list;
done:
    ly_release(ctx, centres);
    ly_release(ctx, in);
    return status;
}

LyraStatus ly_select_elements(LyraWorld *world, const LyraMesh *mesh, const LyraSelector *select,
                              int32_t *count, int32_t **elements)
{
    return ly_within_key(select_elements(world, mesh, select, count, elements), "select");
}
