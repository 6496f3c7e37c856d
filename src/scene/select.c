// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Selections: vertices, triangles of the surface, or elements that meet all that a selector says.

#include "scene/select.h"
#include "math/vec3.h"
#include "mesh/cavities.h"

#include <math.h>
#include <string.h>

LyraStatus ly_check_direction(const void *group, const char *key, const double direction[3])
{
    double length = ly_dot3(direction, direction);
    if (length > 0 && isfinite(length)) {
        return LYRA_OK;
    }
    const LyNode *node = *(const LyNode *const *)group, *child = ly_node_find(node, key);
    return ly_node_fail(child ? child : node, LYRA_BAD_FORMAT,
                        "found %s without a length, expected a direction", key);
}

// ---- what a selector says of a point ------------------------------------------------------------

static bool says_component(const LySelectSpec *spec)
{
    return ly_schema_says(spec, "component") || ly_schema_says(spec, "component-at");
}

static bool says_any(const LySelectSpec *spec)
{
    return spec->all || spec->surface || spec->file || spec->set || spec->box.node ||
           spec->sphere.node || spec->half_space.node || spec->normal.node || spec->near.node ||
           says_component(spec) || ly_schema_says(spec, "vertices");
}

static bool says_count(const LySelectSpec *spec)
{
    return spec->near.node && ly_schema_says(&spec->near, "count");
}

static LyraStatus check_spec(const LySelectSpec *spec)
{
    if (!says_any(spec)) {
        return ly_node_fail(spec->node, LYRA_BAD_FORMAT,
                            "found an empty selector, expected one of: all, vertices, file, set, "
                            "box, sphere, half-space, near, component, component-at, surface, "
                            "normal");
    }
    if (spec->near.node && says_count(spec) == ly_schema_says(&spec->near, "distance")) {
        return ly_node_expect(spec->near.node, "either distance or count");
    }
    if (ly_schema_says(spec, "component") && ly_schema_says(spec, "component-at")) {
        return ly_key_fail(ly_node_find(spec->node, "component-at"), LYRA_BAD_FORMAT,
                           "found component-at beside component, expected one of them");
    }
    if (spec->half_space.node) {
        LY_TRY(ly_check_direction(&spec->half_space, "normal", spec->half_space.normal));
    }
    return spec->normal.node
               ? ly_check_direction(&spec->normal, "direction", spec->normal.direction)
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

static bool holds_point(const LySelectSpec *spec, const double x[3])
{
    bool in = true;
    if (spec->box.node) {
        for (int i = 0; i < 3; ++i) {
            in &= x[i] >= spec->box.min[i] && x[i] <= spec->box.max[i];
        }
    }
    if (spec->sphere.node) {
        in &= is_within(x, spec->sphere.center, spec->sphere.radius);
    }
    if (spec->near.node && !says_count(spec)) {
        in &= is_within(x, spec->near.point, spec->near.distance);
    }
    if (spec->half_space.node) {
        double d[3];
        for (int i = 0; i < 3; ++i) {
            d[i] = x[i] - spec->half_space.point[i];
        }
        in &= ly_dot3(d, spec->half_space.normal) >= 0;
    }
    return in;
}

static bool looks_there(const LyNormalSpec *spec, const double normal[3])
{
    double length = sqrt(ly_dot3(normal, normal) * ly_dot3(spec->direction, spec->direction));
    return length > 0 && ly_dot3(normal, spec->direction) >= cos(spec->angle) * length;
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

static LyraStatus meet_lists(LyYaml *yaml, const LyraMeshView *mesh, const LySelectSpec *spec,
                             uint8_t *met, uint8_t *demands)
{
    LyraContext *ctx = yaml->scene->ctx;
    if (ly_schema_says(spec, "vertices")) {
        for (int32_t i = 0; i < spec->vertices.count; ++i) {
            if (spec->vertices.values[i] >= mesh->vertex_count) {
                return ly_node_fail(ly_node_find(spec->node, "vertices"), LYRA_BAD_FORMAT,
                                    "found vertex %d, expected 0 to %d",
                                    (int)spec->vertices.values[i], (int)mesh->vertex_count - 1);
            }
        }
        meet(met, spec->vertices.count, spec->vertices.values, (*demands)++);
    }
    if (spec->file) {
        const LyNode *node = ly_node_find(spec->node, "file");
        char *path = NULL;
        int32_t count, *list = NULL;
        LY_TRY(ly_path_beside(ctx, yaml->scene->path, spec->file, &path));
        LyraStatus status = lyra_vertex_list_load(ctx, path, (int32_t)spec->first,
                                                  mesh->vertex_count, &count, &list);
        ly_release(ctx, path);
        LY_TRY(ly_node_within(node, status));
        meet(met, count, list, (*demands)++);
        lyra_vertex_list_destroy(ctx, list);
    }
    return LYRA_OK;
}

// vertices of a set; a set of faces says nothing of the vertices where faces are selected
static LyraStatus meet_set(const LyraMeshView *mesh, const LySelectSpec *spec, LySelectKind kind,
                           uint8_t *met, uint8_t *demands)
{
    LyNamedSet set;
    int32_t nodes = lyra_element_kind_nodes(mesh->kind);
    if (!spec->set) {
        return LYRA_OK;
    }
    LY_TRY(ly_select_set(mesh, spec, kind, &set));
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

static LyraStatus meet_component(LyYaml *yaml, const LyraMesh *mesh, const LySelectSpec *spec,
                                 uint8_t *met, uint8_t *demands)
{
    LyraContext *ctx = yaml->scene->ctx;
    LyraMeshView view = lyra_mesh_view(mesh);
    uint8_t *in = NULL;
    int32_t nodes = lyra_element_kind_nodes(view.kind);
    if (!says_component(spec)) {
        return LYRA_OK;
    }
    LY_TRY(ly_allocate_array(ctx, view.element_count, 1, &in));
    LyraStatus status = ly_select_component(ctx, mesh, spec, in);
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

// whether a triangle of the surface is one of those that `spec->surface` means, [face_count]
static LyraStatus choose_walls(LyraContext *ctx, const LyraMeshView *view,
                               const LyraMeshBoundaryView *faces, const LySelectSpec *spec,
                               bool *meant)
{
    bool sides = spec->surface == LY_SURFACE_INNER || spec->surface == LY_SURFACE_OUTER;
    if (sides) {
        LY_TRY(ly_mark_cavities(ctx, view->positions, faces->face_count, faces->faces, meant));
    }
    for (int32_t f = 0; f < faces->face_count; ++f) {
        meant[f] = !sides || meant[f] == (spec->surface == LY_SURFACE_INNER);
    }
    return LYRA_OK;
}

static LyraStatus meet_surface(LyYaml *yaml, const LyraMesh *mesh, const LySelectSpec *spec,
                               LySelectKind kind, uint8_t *met, uint8_t *demands)
{
    if (!spec->surface && !spec->normal.node) {
        return LYRA_OK;
    }
    LyraContext *ctx = yaml->scene->ctx;
    LyraMeshView view = lyra_mesh_view(mesh);
    LyraMeshBoundary *boundary = NULL;
    double *normals = NULL;
    bool *meant = NULL;
    LyraStatus status = LYRA_OK;
    LY_TRY_DONE(lyra_mesh_boundary_create(mesh, true, &boundary));
    LyraMeshBoundaryView faces = lyra_mesh_boundary_view(boundary);
    if (spec->surface) {
        LY_TRY_DONE(ly_allocate_array(ctx, faces.face_count, sizeof *meant, &meant));
        LY_TRY_DONE(choose_walls(ctx, &view, &faces, spec, meant));
        for (int32_t f = 0; f < faces.face_count; ++f) {
            meet(met, meant[f] ? 3 : 0, faces.faces + 3 * (int64_t)f, *demands);
        }
        ++*demands;
    }
    if (spec->normal.node && kind == LY_SELECT_VERTICES) {
        LY_TRY_DONE(
            ly_allocate_zeroed(ctx, 3 * (int64_t)view.vertex_count, sizeof *normals, &normals));
        add_normals(&view, &faces, normals);
        for (int32_t v = 0; v < view.vertex_count; ++v) {
            met[v] = (uint8_t)(met[v] + (met[v] == *demands &&
                                         looks_there(&spec->normal, normals + 3 * (int64_t)v)));
        }
        ++*demands;
    }
done:
    ly_release(ctx, meant);
    ly_release(ctx, normals);
    lyra_mesh_boundary_destroy(boundary);
    return status;
}

// `chosen` [vertex_count] of one body gets 1 for the vertices that are in; `by_vertices`: whether
// anything is said of vertices at all. Nullable.
static LyraStatus choose_vertices(LyYaml *yaml, const LyraMesh *mesh, const LySelectSpec *spec,
                                  LySelectKind kind, uint8_t *chosen, bool *by_vertices)
{
    LyraMeshView view = lyra_mesh_view(mesh);
    uint8_t demands = 0;
    memset(chosen, 0, (size_t)view.vertex_count);
    LY_TRY(meet_lists(yaml, &view, spec, chosen, &demands));
    LY_TRY(meet_set(&view, spec, kind, chosen, &demands));
    LY_TRY(meet_component(yaml, mesh, spec, chosen, &demands));
    LY_TRY(meet_surface(yaml, mesh, spec, kind, chosen, &demands));
    for (int32_t v = 0; v < view.vertex_count; ++v) {
        chosen[v] = chosen[v] == demands && holds_point(spec, view.positions + 3 * (int64_t)v);
    }
    if (says_count(spec)) {
        LY_TRY(ly_select_nearest(yaml->scene->ctx, spec, view.vertex_count, view.positions,
                                 "vertices", chosen));
    }
    for (int32_t v = 0; v < view.vertex_count && spec->invert; ++v) {
        chosen[v] = !chosen[v];
    }
    if (by_vertices) {
        *by_vertices = demands > 0 || spec->all || spec->box.node || spec->sphere.node ||
                       spec->half_space.node || spec->near.node;
    }
    return LYRA_OK;
}

LyraStatus ly_select_bodies(const LyYaml *yaml, const LyNode *node, const char *name,
                            int32_t *first, int32_t *end)
{
    *first = 0;
    *end = yaml->scene->body_count;
    if (!name) {
        return LYRA_OK;
    }
    *first = ly_name_index_find(&yaml->names, name);
    *end = *first + 1;
    return *first >= 0 ? LYRA_OK : ly_node_expect(ly_node_find(node, "body"), "the name of a body");
}

static LyraStatus refuse_empty(const LySelectSpec *spec, const char *what)
{
    return ly_node_fail(spec->node, LYRA_BAD_FORMAT, "found no %s in the selection, expected some",
                        what);
}

// numbers of vertices and parts need one body to belong to
static LyraStatus check_numbers(const LySelectSpec *spec, int32_t bodies)
{
    static const char *const keys[] = {"file", "vertices", "component", "component-at"};
    const char *key = says_count(spec) ? "near" : NULL;
    for (int32_t k = 0; k < LY_COUNT_OF(keys) && !key; ++k) {
        key = ly_schema_says(spec, keys[k]) ? keys[k] : NULL;
    }
    if (bodies > 1 && key) {
        return ly_key_fail(ly_node_find(spec->node, key), LYRA_BAD_FORMAT,
                           "found %s without a body, expected the name of one beside select, as "
                           "there are several",
                           key);
    }
    return LYRA_OK;
}

// one mark for each vertex of the shapes of bodies [first, end), one body after another
static LyraStatus make_marks(LyYaml *yaml, int32_t first, int32_t end, uint8_t **marks)
{
    int64_t total = 0;
    for (int32_t b = first; b < end; ++b) {
        total += lyra_mesh_view(ly_body_shape(&yaml->scene->bodies[b])).vertex_count;
    }
    return ly_allocate_array(yaml->scene->ctx, total, 1, marks);
}

LyraStatus ly_select_vertices(LyYaml *yaml, const LyNode *node, const char *body,
                              const LySelectSpec *spec, LySelection *out)
{
    LyraContext *ctx = yaml->scene->ctx;
    int32_t first, end, *list = NULL;
    LyBodyPoint *points = NULL;
    int64_t found[2] = {0}; // vertices, points of affine bodies
    LY_TRY(check_spec(spec));
    LY_TRY(ly_select_bodies(yaml, node, body, &first, &end));
    LY_TRY(check_numbers(spec, end - first));
    uint8_t *marks = NULL, *at;
    LyraStatus status = LYRA_OK;
    LY_TRY(make_marks(yaml, first, end, &marks));
    at = marks;
    for (int32_t b = first; b < end; ++b) {
        const LyraMesh *shape = ly_body_shape(&yaml->scene->bodies[b]);
        int32_t vertices = lyra_mesh_view(shape).vertex_count;
        LY_TRY_DONE(choose_vertices(yaml, shape, spec, LY_SELECT_VERTICES, at, NULL));
        for (int32_t v = 0; v < vertices; ++v) {
            found[yaml->scene->bodies[b].affine != NULL] += at[v];
        }
        at += vertices;
    }
    if (found[0] + found[1] == 0) {
        LY_TRY_DONE(refuse_empty(spec, "vertices"));
    }
    LY_TRY_DONE(ly_tree_allocate(yaml->arena, found[0], sizeof *list, &list));
    LY_TRY_DONE(ly_tree_allocate(yaml->arena, found[1], sizeof *points, &points));
    *out = (LySelection){.vertices = list, .points = points};
    at = marks;
    for (int32_t b = first; b < end; ++b) {
        const LyraSceneBody *own = &yaml->scene->bodies[b];
        int32_t vertices = lyra_mesh_view(ly_body_shape(own)).vertex_count;
        for (int32_t v = 0; v < vertices; ++v) {
            if (at[v] && own->affine) {
                points[out->point_count++] = (LyBodyPoint){b, v};
            } else if (at[v]) {
                list[out->count++] = own->first_vertex + v;
            }
        }
        at += vertices;
    }
done:
    ly_release(ctx, marks);
    return status;
}

LyraStatus ly_select_whole(LyYaml *yaml, const LyNode *node, const char *body,
                           const LySelectSpec *spec, int32_t *count, const int32_t **vertices)
{
    LySelection found;
    int32_t *list = NULL, at = 0, point = 0, used = 0;
    LY_TRY(ly_select_vertices(yaml, node, body, spec, &found));
    if (found.point_count == 0) {
        *count = found.count;
        *vertices = found.vertices;
        return LYRA_OK;
    }
    // a body of n vertices gives 4 for n points
    LY_TRY(ly_tree_allocate(yaml->arena, found.count + 4 * (int64_t)found.point_count, sizeof *list,
                            &list));
    for (int32_t b = 0; b < yaml->scene->body_count; ++b) {
        const LyraSceneBody *own = &yaml->scene->bodies[b];
        int32_t end = own->first_vertex + own->vertex_count, points = 0;
        for (; !own->affine && at < found.count && found.vertices[at] < end; ++at) {
            list[used++] = found.vertices[at];
        }
        for (; point < found.point_count && found.points[point].body == b; ++point) {
            ++points;
        }
        if (points > 0 && points < lyra_mesh_view(own->shape).vertex_count) {
            return ly_node_fail(spec->node, LYRA_UNSUPPORTED,
                                "found a part of affine body \"%.60s\", expected all of it; at "
                                "points it is held by loads of type spring",
                                own->name);
        }
        for (int32_t v = own->first_vertex; points > 0 && v < end; ++v) {
            list[used++] = v;
        }
    }
    *count = used;
    *vertices = list;
    return LYRA_OK;
}

// ---- triangles ----------------------------------------------------------------------------------

static bool face_looks_there(const LyNormalSpec *spec, const double *positions, const int32_t *face)
{
    const double *p = positions + 3 * (int64_t)face[0], *q = positions + 3 * (int64_t)face[1];
    const double *r = positions + 3 * (int64_t)face[2];
    double n[3];
    for (int i = 0; i < 3; ++i) {
        int j = (i + 1) % 3, k = (i + 2) % 3;
        n[i] = (q[j] - p[j]) * (r[k] - p[k]) - (q[k] - p[k]) * (r[j] - p[j]);
    }
    return !spec->node || looks_there(spec, n);
}

// what is said of faces themselves, [face_count]; `by_faces`: whether anything is
static LyraStatus choose_faces(LyraContext *ctx, const LyraMeshView *view,
                               const LyraMeshBoundaryView *faces, const LySelectSpec *spec,
                               bool *meant, bool *by_faces)
{
    LyNamedSet set = {0};
    if (spec->set) {
        LY_TRY(ly_select_set(view, spec, LY_SELECT_FACES, &set));
    }
    LY_TRY(choose_walls(ctx, view, faces, spec, meant));
    for (int32_t f = 0; f < faces->face_count && set.faces; ++f) {
        meant[f] = meant[f] && ly_set_has_face(set.faces, faces->elements[f], faces->sides[f]);
    }
    *by_faces = set.faces || spec->surface > LY_SURFACE_TRUE;
    return LYRA_OK;
}

// adds the triangles of one body to `list`, or counts them where it is NULL
static LyraStatus add_triangles(LyYaml *yaml, const LyraSceneBody *body, const LySelectSpec *spec,
                                uint8_t *chosen, int32_t *count, int32_t *list)
{
    LyraContext *ctx = yaml->scene->ctx;
    const LyraMesh *shape = ly_body_shape(body);
    LyraMeshView view = lyra_mesh_view(shape);
    LyraMeshBoundary *boundary = NULL;
    bool by_vertices, by_faces, *meant = NULL;
    LyraStatus status = LYRA_OK;
    LY_TRY(choose_vertices(yaml, shape, spec, LY_SELECT_FACES, chosen, &by_vertices));
    LY_TRY(lyra_mesh_boundary_create(shape, true, &boundary));
    LyraMeshBoundaryView faces = lyra_mesh_boundary_view(boundary);
    LY_TRY_DONE(ly_allocate_array(ctx, faces.face_count, sizeof *meant, &meant));
    LY_TRY_DONE(choose_faces(ctx, &view, &faces, spec, meant, &by_faces));
    for (int32_t f = 0; f < faces.face_count; ++f) {
        const int32_t *face = faces.faces + 3 * (int64_t)f;
        // inverted, all its vertices are out, or the face itself is
        bool corners = chosen[face[0]] && chosen[face[1]] && chosen[face[2]];
        bool in = spec->invert ? (by_vertices && corners) || (by_faces && !meant[f])
                               : corners && meant[f];
        if (in && face_looks_there(&spec->normal, view.positions, face)) {
            if (body->affine) {
                LY_TRY_DONE(ly_node_fail(spec->node, LYRA_UNSUPPORTED,
                                         "found faces of affine body \"%.60s\", expected those of "
                                         "solids; it is pushed by loads of type force",
                                         body->name));
            }
            for (int c = 0; list && c < 3; ++c) {
                list[3 * (int64_t)*count + c] = body->first_vertex + face[c];
            }
            ++*count;
        }
    }
done:
    ly_release(ctx, meant);
    lyra_mesh_boundary_destroy(boundary);
    return status;
}

LyraStatus ly_select_triangles(LyYaml *yaml, const LyNode *node, const char *body,
                               const LySelectSpec *spec, int32_t *count, const int32_t **triangles)
{
    LyraContext *ctx = yaml->scene->ctx;
    int32_t first, end, found = 0, *list = NULL;
    LY_TRY(check_spec(spec));
    LY_TRY(ly_select_bodies(yaml, node, body, &first, &end));
    LY_TRY(check_numbers(spec, end - first));
    uint8_t *chosen = NULL;
    LyraStatus status = LYRA_OK;
    LY_TRY(make_marks(yaml, first, end, &chosen));
    for (int32_t b = first; b < end; ++b) {
        LY_TRY_DONE(add_triangles(yaml, &yaml->scene->bodies[b], spec, chosen, &found, NULL));
    }
    if (found == 0) {
        LY_TRY_DONE(refuse_empty(spec, "faces of the surface"));
    }
    LY_TRY_DONE(ly_tree_allocate(yaml->arena, 3 * (int64_t)found, sizeof *list, &list));
    found = 0;
    for (int32_t b = first; b < end; ++b) {
        LY_TRY_DONE(add_triangles(yaml, &yaml->scene->bodies[b], spec, chosen, &found, list));
    }
    *count = found;
    *triangles = list;
done:
    ly_release(ctx, chosen);
    return status;
}

// ---- elements -----------------------------------------------------------------------------------

// what a selector may not say of elements
static LyraStatus check_elements(const LySelectSpec *spec)
{
    static const char *const refused[] = {"vertices", "file", "surface", "normal"};
    LY_TRY(check_spec(spec));
    for (int32_t r = 0; r < LY_COUNT_OF(refused); ++r) {
        const LyNode *child = ly_node_find(spec->node, refused[r]);
        if (child) {
            return ly_key_fail(child, LYRA_BAD_FORMAT,
                               "found %s for elements, expected box, sphere, half-space, near, "
                               "component, component-at, set or all",
                               refused[r]);
        }
    }
    return LYRA_OK;
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
static LyraStatus choose_elements(LyraContext *ctx, const LyraMesh *mesh, const LySelectSpec *spec,
                                  const double *centres, uint8_t *in)
{
    LyraMeshView view = lyra_mesh_view(mesh);
    LyNamedSet set = {0};
    if (spec->set) {
        LY_TRY(ly_select_set(&view, spec, LY_SELECT_ELEMENTS, &set));
    }
    memset(in, 1, (size_t)view.element_count);
    if (says_component(spec)) {
        LY_TRY(ly_select_component(ctx, mesh, spec, in));
    }
    int32_t in_set = 0;
    for (int32_t e = 0; e < view.element_count; ++e) {
        in[e] = in[e] && holds_point(spec, centres + 3 * (int64_t)e);
        if (set.elements) {
            in_set += in_set < set.elements->count && set.elements->elements[in_set] < e;
            in[e] = in[e] && in_set < set.elements->count && set.elements->elements[in_set] == e;
        }
    }
    return says_count(spec)
               ? ly_select_nearest(ctx, spec, view.element_count, centres, "elements", in)
               : LYRA_OK;
}

LyraStatus ly_select_elements(LyYaml *yaml, const LyraMesh *mesh, const LySelectSpec *spec,
                              int32_t *count, int32_t **elements)
{
    LyraContext *ctx = yaml->scene->ctx;
    LyraMeshView view = lyra_mesh_view(mesh);
    int32_t total = view.element_count, found = 0, *list = NULL;
    uint8_t *in = NULL;
    double *centres = NULL;
    LyraStatus status = LYRA_OK;
    LY_TRY(check_elements(spec));
    LY_TRY_DONE(ly_allocate_array(ctx, total, 1, &in));
    LY_TRY_DONE(ly_allocate_array(ctx, 3 * (int64_t)total, sizeof *centres, &centres));
    find_centres(&view, centres);
    LY_TRY_DONE(choose_elements(ctx, mesh, spec, centres, in));
    LY_TRY_DONE(ly_tree_allocate(yaml->arena, total, sizeof *list, &list));
    for (int32_t e = 0; e < total; ++e) {
        if ((in[e] != 0) != spec->invert) {
            list[found++] = e;
        }
    }
    if (found == 0) {
        LY_TRY_DONE(refuse_empty(spec, "elements"));
    }
    *count = found;
    *elements = list;
done:
    ly_release(ctx, centres);
    ly_release(ctx, in);
    return status;
}
