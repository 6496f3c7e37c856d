// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Lists of springs. Those of meshes and quads come from a longer list of candidate pairs, sorted,
// of which equal ones become one spring in the lowest of their groups.

#include "force/springs.h"

#include "base/base.h"
#include "lyra/mesh_ops.h"
#include "mesh/sort.h"

#include <math.h>
#include <string.h>

static LyraStatus allocate_springs(LyraContext *ctx, int32_t vertex_count, int64_t spring_count,
                                   LyraSprings **out)
{
    LyraSprings *springs = NULL;
    LY_TRY(ly_allocate_zeroed(ctx, 1, sizeof *springs, &springs));
    springs->ctx = ctx;
    LyraStatus status = LYRA_OK;
    LY_TRY_DONE(ly_allocate_zeroed(ctx, 2 * spring_count, sizeof(int32_t), &springs->vertices));
    LY_TRY_DONE(ly_allocate_zeroed(ctx, spring_count, sizeof(int32_t), &springs->groups));
    LY_TRY_DONE(ly_allocate_zeroed(ctx, spring_count, sizeof(double), &springs->rest_lengths));
    springs->view = (LyraSpringsView){
        .vertex_count = vertex_count,
        .spring_count = (int32_t)spring_count,
        .vertices = springs->vertices,
        .groups = springs->groups,
        .rest_lengths = springs->rest_lengths,
    };
    *out = springs;
done:
    if (status != LYRA_OK) {
        lyra_springs_destroy(springs);
    }
    return status;
}

void lyra_springs_destroy(LyraSprings *springs)
{
    if (!springs) {
        return;
    }
    ly_release(springs->ctx, springs->vertices);
    ly_release(springs->ctx, springs->groups);
    ly_release(springs->ctx, springs->rest_lengths);
    ly_release(springs->ctx, springs);
}

LyraSpringsView lyra_springs_view(const LyraSprings *springs)
{
    return springs->view;
}

// rest lengths from positions, and the number of groups
static LyraStatus measure(LyraSprings *springs, const double *positions)
{
    for (int32_t s = 0; s < springs->view.spring_count; ++s) {
        const int32_t *pair = springs->vertices + 2 * (int64_t)s;
        if (positions) {
            const double *a = positions + 3 * (int64_t)pair[0];
            const double *b = positions + 3 * (int64_t)pair[1];
            double square = 0;
            for (int i = 0; i < 3; ++i) {
                square += (b[i] - a[i]) * (b[i] - a[i]);
            }
            springs->rest_lengths[s] = sqrt(square);
        }
        if (!isfinite(springs->rest_lengths[s])) {
            return ly_fail(LYRA_NOT_FINITE, "spring %d from vertex %d to %d: rest length %g", s,
                           pair[0], pair[1], springs->rest_lengths[s]);
        }
        if (springs->groups[s] >= springs->view.group_count) {
            springs->view.group_count = springs->groups[s] + 1;
        }
    }
    return LYRA_OK;
}

// ---- edge lists ---------------------------------------------------------------------------------

LyraSpringsDef lyra_springs_def_default(void)
{
    return (LyraSpringsDef){.cookie = LY_DEF_COOKIE};
}

static LyraStatus check_list(const LyraSpringsDef *def)
{
    if (def->vertex_count < 0 || def->spring_count < 0 ||
        (def->spring_count > 0 && (!def->vertices || (!def->positions && !def->rest_lengths)))) {
        return ly_fail(LYRA_INVALID_ARGUMENT,
                       "springs: %d springs of %d vertices need pairs, and positions or lengths",
                       def->spring_count, def->vertex_count);
    }
    for (int32_t s = 0; s < def->spring_count; ++s) {
        const int32_t *pair = def->vertices + 2 * (int64_t)s;
        if (pair[0] < 0 || pair[0] >= def->vertex_count || pair[1] < 0 ||
            pair[1] >= def->vertex_count || pair[0] == pair[1]) {
            return ly_fail(LYRA_INVALID_ARGUMENT,
                           "spring %d joins vertices %d and %d, expected two of 0 to %d", s,
                           pair[0], pair[1], def->vertex_count - 1);
        }
        if (def->groups && (def->groups[s] < 0 || def->groups[s] == INT32_MAX)) {
            return ly_fail(LYRA_INVALID_ARGUMENT, "spring %d: group %d is out of range", s,
                           def->groups[s]);
        }
        if (def->rest_lengths && def->rest_lengths[s] < 0) {
            return ly_fail(LYRA_INVALID_ARGUMENT, "spring %d: rest length %g is negative", s,
                           def->rest_lengths[s]);
        }
    }
    return LYRA_OK;
}

LyraStatus lyra_springs_create(LyraContext *ctx, const LyraSpringsDef *def, LyraSprings **out)
{
    LY_CHECK_DEF(def, "lyra_springs_def_default");
    LY_TRY(check_list(def));
    LyraSprings *springs = NULL;
    LY_TRY(allocate_springs(ctx, def->vertex_count, def->spring_count, &springs));
    size_t count = (size_t)def->spring_count;
    if (count > 0) {
        memcpy(springs->vertices, def->vertices, 2 * count * sizeof(int32_t));
    }
    if (count > 0 && def->groups) {
        memcpy(springs->groups, def->groups, count * sizeof(int32_t));
    }
    if (count > 0 && def->rest_lengths) {
        memcpy(springs->rest_lengths, def->rest_lengths, count * sizeof(double));
    }
    LyraStatus status = measure(springs, def->rest_lengths ? NULL : def->positions);
    if (status != LYRA_OK) {
        lyra_springs_destroy(springs);
        return status;
    }
    *out = springs;
    return LYRA_OK;
}

// ---- candidates ---------------------------------------------------------------------------------

typedef struct Pairs {
    LyraContext *ctx;
    int64_t count, capacity;
    uint32_t *low, *high; // vertices
    int32_t *group;
    int32_t *order, *scratch; // of the sort
} Pairs;

static void release_pairs(Pairs *pairs)
{
    ly_release(pairs->ctx, pairs->low);
    ly_release(pairs->ctx, pairs->high);
    ly_release(pairs->ctx, pairs->group);
    ly_release(pairs->ctx, pairs->order);
    ly_release(pairs->ctx, pairs->scratch);
}

static LyraStatus allocate_pairs(LyraContext *ctx, int64_t capacity, Pairs *pairs)
{
    *pairs = (Pairs){.ctx = ctx, .capacity = capacity};
    if (capacity > INT32_MAX) {
        return ly_fail(LYRA_TOO_LARGE, "springs: %lld candidate pairs, at most 2^31 - 1",
                       (long long)capacity);
    }
    LY_TRY(ly_allocate_array(ctx, capacity, sizeof *pairs->low, &pairs->low));
    LY_TRY(ly_allocate_array(ctx, capacity, sizeof *pairs->high, &pairs->high));
    LY_TRY(ly_allocate_array(ctx, capacity, sizeof *pairs->group, &pairs->group));
    LY_TRY(ly_allocate_array(ctx, capacity, sizeof *pairs->order, &pairs->order));
    return ly_allocate_array(ctx, capacity, sizeof *pairs->scratch, &pairs->scratch);
}

static void add_pair(Pairs *pairs, int32_t a, int32_t b, int32_t group)
{
    LYRA_ASSERT(pairs->count < pairs->capacity);
    pairs->low[pairs->count] = (uint32_t)(a < b ? a : b);
    pairs->high[pairs->count] = (uint32_t)(a < b ? b : a);
    pairs->group[pairs->count++] = group;
}

// leaves each pair once, ascending
static LyraStatus unite_pairs(Pairs *pairs, int32_t vertex_count, LyraSprings **out)
{
    int64_t distinct = 0;
    for (int64_t i = 0; i < pairs->count; ++i) {
        pairs->order[i] = (int32_t)i;
    }
    ly_sort_order(pairs->count, pairs->high, pairs->order, pairs->scratch);
    ly_sort_order(pairs->count, pairs->low, pairs->order, pairs->scratch);
    for (int64_t i = 0; i < pairs->count; ++i) {
        int32_t at = pairs->order[i], before = i > 0 ? pairs->order[i - 1] : at;
        distinct += i == 0 || pairs->low[at] != pairs->low[before] ||
                    pairs->high[at] != pairs->high[before];
    }
    LyraSprings *springs = NULL;
    LY_TRY(allocate_springs(pairs->ctx, vertex_count, distinct, &springs));
    int64_t s = -1;
    for (int64_t i = 0; i < pairs->count; ++i) {
        int32_t at = pairs->order[i], a = (int32_t)pairs->low[at], b = (int32_t)pairs->high[at];
        if (s < 0 || springs->vertices[2 * s] != a || springs->vertices[2 * s + 1] != b) {
            ++s;
            springs->vertices[2 * s] = a;
            springs->vertices[2 * s + 1] = b;
            springs->groups[s] = pairs->group[at];
        } else if (pairs->group[at] < springs->groups[s]) {
            springs->groups[s] = pairs->group[at];
        }
    }
    springs->distinct = true;
    *out = springs;
    return LYRA_OK;
}

static LyraStatus finish(LyraSprings *springs, const double *positions, LyraSprings **out)
{
    LyraStatus status = measure(springs, positions);
    if (status != LYRA_OK) {
        lyra_springs_destroy(springs);
        return status;
    }
    *out = springs;
    return LYRA_OK;
}

// ---- meshes -------------------------------------------------------------------------------------

LyraStatus lyra_springs_create_from_mesh(LyraContext *ctx, const LyraMesh *mesh, LyraSprings **out)
{
    // corners of a cube as bits x, y, z: the axes along which two corners differ make the group
    static const int32_t corner[8] = {0, 1, 3, 2, 4, 5, 7, 6};
    LyraMeshView view = lyra_mesh_view(mesh);
    int32_t nodes = lyra_element_kind_nodes(view.kind);
    Pairs pairs;
    LyraSprings *springs = NULL;
    LyraStatus status = LYRA_OK;
    if (view.kind == LYRA_ELEMENT_TET10) {
        return ly_fail(LYRA_UNSUPPORTED,
                       "springs: the elements are tets of 10 nodes, expected tets of 4, cubes or "
                       "hexahedra; `lyra mesh linear` keeps their corners");
    }
    LY_TRY_DONE(
        allocate_pairs(ctx, (int64_t)view.element_count * (nodes * (nodes - 1) / 2), &pairs));
    for (int32_t e = 0; e < view.element_count; ++e) {
        const int32_t *ids = view.elements + (int64_t)e * nodes;
        for (int32_t a = 0; a < nodes; ++a) {
            for (int32_t b = a + 1; b < nodes; ++b) {
                if (ids[a] == ids[b]) {
                    status = ly_fail(LYRA_BAD_MESH, "element %d names vertex %d twice", e, ids[a]);
                    goto done;
                }
                int32_t axes = nodes == 4 ? 1 : corner[a] ^ corner[b];
                add_pair(&pairs, ids[a], ids[b], __builtin_popcount((unsigned)axes) - 1);
            }
        }
    }
    LY_TRY_DONE(unite_pairs(&pairs, view.vertex_count, &springs));
    LY_TRY_DONE(finish(springs, view.positions, out));
done:
    release_pairs(&pairs);
    return status;
}

// spring of a pair in an ascending list, -1 if there is none
static int32_t find_spring(const LyraSpringsView *view, int32_t a, int32_t b)
{
    int32_t low = a < b ? a : b, high = a < b ? b : a, begin = 0, end = view->spring_count;
    while (begin < end) {
        int32_t middle = begin + (end - begin) / 2;
        const int32_t *pair = view->vertices + 2 * (int64_t)middle;
        if (pair[0] < low || (pair[0] == low && pair[1] < high)) {
            begin = middle + 1;
        } else {
            end = middle;
        }
    }
    const int32_t *pair = view->vertices + 2 * (int64_t)begin;
    return begin < view->spring_count && pair[0] == low && pair[1] == high ? begin : -1;
}

// adds E V of tet `e` to its six springs
static LyraStatus add_element(const LyraSprings *springs, const LyraMeshView *mesh, int32_t e,
                              double volume, const double *young, double *stiffness)
{
    const int32_t *ids = mesh->elements + 4 * (int64_t)e;
    const LyraMeshMaterial *material = &mesh->materials[mesh->element_materials[e]];
    if (!young && material->kind != LYRA_MESH_MATERIAL_ENU) {
        return ly_fail(LYRA_UNSUPPORTED, "material \"%s\" is not of the kind ENU: give the moduli",
                       material->name);
    }
    double modulus = young ? young[e] : material->enu.young;
    if (!(modulus >= 0) || isinf(modulus)) {
        return ly_fail(LYRA_INVALID_ARGUMENT, "element %d has Young's modulus %g, expected >= 0", e,
                       modulus);
    }
    if (!(volume >= 0) || isinf(volume)) {
        return ly_fail(LYRA_BAD_MESH, "element %d has rest volume %g, expected >= 0", e, volume);
    }
    for (int32_t k = 0; k < 6; ++k) {
        const int32_t *edge = lyra_element_kind_edge(LYRA_ELEMENT_TET4, k);
        int32_t s = find_spring(&springs->view, ids[edge[0]], ids[edge[1]]);
        if (s < 0) {
            return ly_fail(LYRA_INVALID_ARGUMENT,
                           "element %d has an edge without a spring: the list is of another mesh",
                           e);
        }
        stiffness[s] += modulus * volume;
    }
    return LYRA_OK;
}

LyraStatus lyra_springs_modulus_stiffness(const LyraSprings *springs, const LyraMesh *mesh,
                                          const double *young, double *stiffness)
{
    LyraMeshView view = lyra_mesh_view(mesh);
    if (view.kind != LYRA_ELEMENT_TET4 || !springs->distinct) {
        return ly_fail(LYRA_UNSUPPORTED,
                       "springs: constants from moduli are for lists made from a mesh of tets");
    }
    LyraContext *ctx = springs->ctx;
    int32_t count = springs->view.spring_count;
    double *volumes = NULL, *sums = NULL;
    LyraStatus status = LYRA_OK;
    LY_TRY_DONE(ly_allocate_array(ctx, view.element_count, sizeof *volumes, &volumes));
    LY_TRY_DONE(ly_allocate_zeroed(ctx, count, sizeof *sums, &sums));
    lyra_mesh_element_volumes(mesh, volumes);
    for (int32_t e = 0; e < view.element_count; ++e) {
        LY_TRY_DONE(add_element(springs, &view, e, volumes[e], young, sums));
    }
    for (int32_t s = 0; s < count; ++s) {
        double length = springs->view.rest_lengths[s];
        sums[s] /= length * length;
        if (!isfinite(sums[s])) {
            const int32_t *pair = springs->view.vertices + 2 * (int64_t)s;
            status = ly_fail(LYRA_BAD_MESH, "edge from vertex %d to %d has length %g", pair[0],
                             pair[1], length);
            goto done;
        }
    }
    if (count > 0) {
        memcpy(stiffness, sums, (size_t)count * sizeof *sums);
    }
done:
    ly_release(ctx, volumes);
    ly_release(ctx, sums);
    return status;
}

// ---- quads --------------------------------------------------------------------------------------

static LyraStatus check_quads(int32_t vertex_count, int32_t quad_count, const int32_t *quads)
{
    for (int64_t i = 0; i < 4 * (int64_t)quad_count; ++i) {
        bool bad = quads[i] < 0 || quads[i] >= vertex_count;
        for (int64_t j = i - i % 4; j < i; ++j) {
            bad |= quads[j] == quads[i];
        }
        if (bad) {
            return ly_fail(LYRA_BAD_MESH, "quad %lld names vertex %d twice or it is not in 0 to %d",
                           (long long)(i / 4), quads[i], vertex_count - 1);
        }
    }
    return LYRA_OK;
}

// edge-neighbours of each vertex: those of v are neighbor[start[v]] to neighbor[start[v + 1] - 1]
static void find_neighbors(const LyraSpringsView *edges, int64_t *start, int32_t *neighbor)
{
    memset(start, 0, ((size_t)edges->vertex_count + 1) * sizeof *start);
    for (int64_t i = 0; i < 2 * (int64_t)edges->spring_count; ++i) {
        ++start[edges->vertices[i]];
    }
    for (int32_t v = 0; v < edges->vertex_count; ++v) {
        start[v + 1] += start[v];
    }
    // from the back, so that start ends at the beginnings
    for (int64_t i = 2 * (int64_t)edges->spring_count - 1; i >= 0; --i) {
        neighbor[--start[edges->vertices[i]]] = edges->vertices[i ^ 1];
    }
}

// edges, diagonals, and all pairs of edge-neighbours; those that share a quad are among the former
static LyraStatus add_quad_pairs(LyraContext *ctx, const LyraSpringsView *edges, int32_t quad_count,
                                 const int32_t *quads, Pairs *pairs)
{
    int64_t *start = NULL, count = edges->spring_count + 2 * (int64_t)quad_count;
    int32_t *neighbor = NULL;
    LyraStatus status = LYRA_OK;
    LY_TRY_DONE(ly_allocate_array(ctx, (int64_t)edges->vertex_count + 1, sizeof *start, &start));
    LY_TRY_DONE(
        ly_allocate_array(ctx, 2 * (int64_t)edges->spring_count, sizeof *neighbor, &neighbor));
    find_neighbors(edges, start, neighbor);
    for (int32_t v = 0; v < edges->vertex_count; ++v) {
        int64_t valence = start[v + 1] - start[v];
        count += valence * (valence - 1) / 2;
    }
    LY_TRY_DONE(allocate_pairs(ctx, count, pairs));
    for (int64_t i = 0; i < edges->spring_count; ++i) {
        add_pair(pairs, edges->vertices[2 * i], edges->vertices[2 * i + 1],
                 LYRA_QUAD_SPRING_STRUCTURAL);
    }
    for (int64_t q = 0; q < quad_count; ++q) {
        add_pair(pairs, quads[4 * q], quads[4 * q + 2], LYRA_QUAD_SPRING_SHEAR);
        add_pair(pairs, quads[4 * q + 1], quads[4 * q + 3], LYRA_QUAD_SPRING_SHEAR);
    }
    for (int32_t v = 0; v < edges->vertex_count; ++v) {
        for (int64_t i = start[v]; i < start[v + 1]; ++i) {
            for (int64_t j = start[v]; j < i; ++j) {
                add_pair(pairs, neighbor[i], neighbor[j], LYRA_QUAD_SPRING_BEND);
            }
        }
    }
done:
    ly_release(ctx, start);
    ly_release(ctx, neighbor);
    return status;
}

LyraStatus lyra_springs_create_from_quads(LyraContext *ctx, int32_t vertex_count,
                                          const double *positions, int32_t quad_count,
                                          const int32_t *quads, LyraSprings **out)
{
    if (vertex_count < 0 || quad_count < 0 || (quad_count > 0 && (!positions || !quads))) {
        return ly_fail(LYRA_INVALID_ARGUMENT, "springs: %d quads of %d vertices without arrays",
                       quad_count, vertex_count);
    }
    LY_TRY(check_quads(vertex_count, quad_count, quads));
    Pairs outlines = {.ctx = ctx}, pairs = {.ctx = ctx};
    LyraSprings *edges = NULL, *springs = NULL;
    LyraStatus status = LYRA_OK;
    LY_TRY_DONE(allocate_pairs(ctx, 4 * (int64_t)quad_count, &outlines));
    for (int64_t i = 0; i < 4 * (int64_t)quad_count; ++i) {
        add_pair(&outlines, quads[i], quads[i - i % 4 + (i + 1) % 4], LYRA_QUAD_SPRING_STRUCTURAL);
    }
    LY_TRY_DONE(unite_pairs(&outlines, vertex_count, &edges));
    LY_TRY_DONE(add_quad_pairs(ctx, &edges->view, quad_count, quads, &pairs));
    LY_TRY_DONE(unite_pairs(&pairs, vertex_count, &springs));
    LY_TRY_DONE(finish(springs, positions, out));
done:
    lyra_springs_destroy(edges);
    release_pairs(&outlines);
    release_pairs(&pairs);
    return status;
}

void lyra_quads_lumped_masses(int32_t vertex_count, const double *positions, int32_t quad_count,
                              const int32_t *quads, double density, double *masses)
{
    memset(masses, 0, (size_t)vertex_count * sizeof *masses);
    for (int64_t q = 0; q < quad_count; ++q) {
        const int32_t *ids = quads + 4 * q;
        double d[2][3], square = 0;
        for (int i = 0; i < 3; ++i) {
            d[0][i] = positions[3 * (int64_t)ids[2] + i] - positions[3 * (int64_t)ids[0] + i];
            d[1][i] = positions[3 * (int64_t)ids[3] + i] - positions[3 * (int64_t)ids[1] + i];
        }
        for (int i = 0; i < 3; ++i) {
            int j = (i + 1) % 3, k = (i + 2) % 3;
            double normal = d[0][j] * d[1][k] - d[0][k] * d[1][j];
            square += normal * normal;
        }
        for (int a = 0; a < 4; ++a) {
            masses[ids[a]] += density * sqrt(square) / 8;
        }
    }
}
