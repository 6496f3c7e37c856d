// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Selections: vertices, triangles of the surface, or elements that meet all that a selector says.

#include "lyra/mesh_ops.h"
#include "scene/yaml.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static double dot(const double a[3], const double b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

LyraStatus ly_check_direction(const void *group, const char *key, const double direction[3])
{
    double length = dot(direction, direction);
    if (length > 0 && isfinite(length)) {
        return LYRA_OK;
    }
    const LyNode *node = *(const LyNode *const *)group, *child = ly_node_find(node, key);
    return ly_node_fail(child ? child : node, LYRA_BAD_FORMAT,
                        "found %s without a length, expected a direction", key);
}

// ---- what a selector says of a point ------------------------------------------------------------

static bool says_any(const LySelectSpec *spec)
{
    return spec->all || spec->surface || spec->file || spec->set || spec->box.node ||
           spec->sphere.node || spec->half_space.node || spec->normal.node ||
           ly_schema_says(spec, "vertices");
}

static LyraStatus check_spec(const LySelectSpec *spec)
{
    if (!says_any(spec)) {
        return ly_node_fail(spec->node, LYRA_BAD_FORMAT,
                            "found an empty selector, expected one of: all, vertices, file, set, "
                            "box, sphere, half-space, surface, normal");
    }
    if (spec->half_space.node) {
        LY_TRY(ly_check_direction(&spec->half_space, "normal", spec->half_space.normal));
    }
    return spec->normal.node
               ? ly_check_direction(&spec->normal, "direction", spec->normal.direction)
               : LYRA_OK;
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
        double d[3];
        for (int i = 0; i < 3; ++i) {
            d[i] = x[i] - spec->sphere.center[i];
        }
        in &= dot(d, d) <= spec->sphere.radius * spec->sphere.radius;
    }
    if (spec->half_space.node) {
        double d[3];
        for (int i = 0; i < 3; ++i) {
            d[i] = x[i] - spec->half_space.point[i];
        }
        in &= dot(d, spec->half_space.normal) >= 0;
    }
    return in;
}

static bool looks_there(const LyNormalSpec *spec, const double normal[3])
{
    double length = sqrt(dot(normal, normal) * dot(spec->direction, spec->direction));
    return length > 0 && dot(normal, spec->direction) >= cos(spec->angle) * length;
}

static const LyraMeshSet *find_set(const LyraMeshView *mesh, const char *name)
{
    for (int32_t s = 0; s < mesh->set_count; ++s) {
        if (strcmp(mesh->sets[s].name, name) == 0) {
            return &mesh->sets[s];
        }
    }
    return NULL;
}

static LyraStatus want_set(const LyraMeshView *mesh, const LySelectSpec *spec,
                           const LyraMeshSet **set)
{
    *set = find_set(mesh, spec->set);
    if (*set) {
        return LYRA_OK;
    }
    // as many of those that there are as fit a sentence
    char list[512] = "";
    size_t length = 0;
    int32_t s = 0;
    while (s < mesh->set_count && length + strlen(mesh->sets[s].name) + 4 < sizeof list) {
        length += (size_t)snprintf(list + length, sizeof list - length, "%s\"%s\"",
                                   s > 0 ? ", " : "", mesh->sets[s].name);
        ++s;
    }
    char more[48] = "";
    if (s < mesh->set_count) {
        snprintf(more, sizeof more, " and %d more", (int)(mesh->set_count - s));
    }
    const LyNode *node = ly_node_find(spec->node, "set");
    return s > 0 ? ly_node_expect(node, "one of the sets of the mesh: %s%s", list, more)
                 : ly_node_expect(node, "no set, as the mesh has none");
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
    if (spec->set) {
        const LyraMeshSet *set;
        LY_TRY(want_set(mesh, spec, &set));
        int32_t nodes = lyra_element_kind_nodes(mesh->kind);
        for (int32_t i = 0; i < set->count; ++i) {
            meet(met, nodes, mesh->elements + (int64_t)nodes * set->elements[i], *demands);
        }
        ++*demands;
    }
    return LYRA_OK;
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

static LyraStatus meet_surface(LyYaml *yaml, const LyraMesh *mesh, const LySelectSpec *spec,
                               bool by_normal, uint8_t *met, uint8_t *demands)
{
    if (!spec->surface && !spec->normal.node) {
        return LYRA_OK;
    }
    LyraContext *ctx = yaml->scene->ctx;
    LyraMeshView view = lyra_mesh_view(mesh);
    LyraMeshBoundary *boundary = NULL;
    double *normals = NULL;
    LyraStatus status = LYRA_OK;
    LY_TRY_DONE(lyra_mesh_boundary_create(mesh, true, &boundary));
    LyraMeshBoundaryView faces = lyra_mesh_boundary_view(boundary);
    if (spec->surface) {
        meet(met, 3 * faces.face_count, faces.faces, (*demands)++);
    }
    if (spec->normal.node && by_normal) {
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
    ly_release(ctx, normals);
    lyra_mesh_boundary_destroy(boundary);
    return status;
}

// `chosen` [vertex_count] of one body gets 1 for the vertices that are in
static LyraStatus choose_vertices(LyYaml *yaml, const LyraMesh *mesh, const LySelectSpec *spec,
                                  bool by_normal, uint8_t *chosen)
{
    LyraMeshView view = lyra_mesh_view(mesh);
    uint8_t demands = 0;
    memset(chosen, 0, (size_t)view.vertex_count);
    LY_TRY(meet_lists(yaml, &view, spec, chosen, &demands));
    LY_TRY(meet_surface(yaml, mesh, spec, by_normal, chosen, &demands));
    for (int32_t v = 0; v < view.vertex_count; ++v) {
        bool in = chosen[v] == demands && holds_point(spec, view.positions + 3 * (int64_t)v);
        chosen[v] = in != spec->invert;
    }
    return LYRA_OK;
}

LyraStatus ly_select_bodies(const LyYaml *yaml, const LyNode *node, const char *name,
                            int32_t *first, int32_t *end)
{
    int32_t count = yaml->scene->body_count;
    *first = 0;
    *end = count;
    if (!name) {
        return LYRA_OK;
    }
    for (int32_t b = 0; b < count; ++b) {
        if (strcmp(yaml->scene->bodies[b].name, name) == 0) {
            *first = b;
            *end = b + 1;
            return LYRA_OK;
        }
    }
    return ly_node_expect(ly_node_find(node, "body"), "the name of a body");
}

static LyraStatus refuse_empty(const LySelectSpec *spec, const char *what)
{
    return ly_node_fail(spec->node, LYRA_BAD_FORMAT, "found no %s in the selection, expected some",
                        what);
}

// numbers of vertices need one body to belong to
static LyraStatus check_numbers(const LySelectSpec *spec, int32_t bodies)
{
    const char *key = spec->file ? "file" : "vertices";
    if (bodies > 1 && (spec->file || ly_schema_says(spec, "vertices"))) {
        return ly_key_fail(ly_node_find(spec->node, key), LYRA_BAD_FORMAT,
                           "found %s without a body, expected the name of one beside select, as "
                           "there are several",
                           key);
    }
    return LYRA_OK;
}

LyraStatus ly_select_vertices(LyYaml *yaml, const LyNode *node, const char *body,
                              const LySelectSpec *spec, int32_t *count, const int32_t **vertices)
{
    LyraContext *ctx = yaml->scene->ctx;
    int32_t first, end, found = 0, *list = NULL;
    LY_TRY(check_spec(spec));
    LY_TRY(ly_select_bodies(yaml, node, body, &first, &end));
    LY_TRY(check_numbers(spec, end - first));
    uint8_t *chosen = NULL;
    LyraStatus status = LYRA_OK;
    LY_TRY(ly_allocate_array(ctx, yaml->vertex_count, 1, &chosen));
    for (int32_t b = first; b < end; ++b) {
        const LyraSceneBody *at = &yaml->scene->bodies[b];
        LY_TRY_DONE(choose_vertices(yaml, at->mesh, spec, true, chosen + at->first_vertex));
        for (int32_t v = 0; v < at->vertex_count; ++v) {
            found += chosen[at->first_vertex + v];
        }
    }
    if (found == 0) {
        LY_TRY_DONE(refuse_empty(spec, "vertices"));
    }
    LY_TRY_DONE(ly_tree_allocate(yaml->arena, found, sizeof *list, &list));
    found = 0;
    for (int32_t b = first; b < end; ++b) {
        const LyraSceneBody *at = &yaml->scene->bodies[b];
        for (int32_t v = at->first_vertex; v < at->first_vertex + at->vertex_count; ++v) {
            if (chosen[v]) {
                list[found++] = v;
            }
        }
    }
    *count = found;
    *vertices = list;
done:
    ly_release(ctx, chosen);
    return status;
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

// adds the triangles of one body to `list`, or counts them where it is NULL
static LyraStatus add_triangles(LyYaml *yaml, const LyraSceneBody *body, const LySelectSpec *spec,
                                uint8_t *chosen, int32_t *count, int32_t *list)
{
    LyraMeshView view = lyra_mesh_view(body->mesh);
    LyraMeshBoundary *boundary = NULL;
    LY_TRY(choose_vertices(yaml, body->mesh, spec, false, chosen));
    LY_TRY(lyra_mesh_boundary_create(body->mesh, true, &boundary));
    LyraMeshBoundaryView faces = lyra_mesh_boundary_view(boundary);
    for (int32_t f = 0; f < faces.face_count; ++f) {
        const int32_t *face = faces.faces + 3 * (int64_t)f;
        if (chosen[face[0]] && chosen[face[1]] && chosen[face[2]] &&
            face_looks_there(&spec->normal, view.positions, face)) {
            for (int c = 0; list && c < 3; ++c) {
                list[3 * (int64_t)*count + c] = body->first_vertex + face[c];
            }
            ++*count;
        }
    }
    lyra_mesh_boundary_destroy(boundary);
    return LYRA_OK;
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
    LY_TRY(ly_allocate_array(ctx, yaml->vertex_count, 1, &chosen));
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

LyraStatus ly_select_elements(LyraArena *arena, const LyraMeshView *mesh, const LySelectSpec *spec,
                              int32_t *count, int32_t **elements)
{
    static const char *const refused[] = {"vertices", "file", "surface", "normal"};
    LY_TRY(check_spec(spec));
    for (int32_t r = 0; r < LY_COUNT_OF(refused); ++r) {
        const LyNode *child = ly_node_find(spec->node, refused[r]);
        if (child) {
            return ly_key_fail(child, LYRA_BAD_FORMAT,
                               "found %s for elements, expected box, sphere, half-space, set or "
                               "all",
                               refused[r]);
        }
    }
    const LyraMeshSet *set = NULL;
    if (spec->set) {
        LY_TRY(want_set(mesh, spec, &set));
    }
    int32_t nodes = lyra_element_kind_nodes(mesh->kind), found = 0, *list = NULL, in_set = 0;
    LY_TRY(ly_tree_allocate(arena, mesh->element_count, sizeof *list, &list));
    for (int32_t e = 0; e < mesh->element_count; ++e) {
        double centre[3] = {0};
        for (int32_t a = 0; a < nodes; ++a) {
            for (int i = 0; i < 3; ++i) {
                centre[i] +=
                    mesh->positions[3 * (int64_t)mesh->elements[(int64_t)nodes * e + a] + i] /
                    nodes;
            }
        }
        bool in = holds_point(spec, centre);
        if (set) {
            in_set += in_set < set->count && set->elements[in_set] < e;
            in &= in_set < set->count && set->elements[in_set] == e;
        }
        if (in != spec->invert) {
            list[found++] = e;
        }
    }
    if (found == 0) {
        return refuse_empty(spec, "elements");
    }
    *count = found;
    *elements = list;
    return LYRA_OK;
}
