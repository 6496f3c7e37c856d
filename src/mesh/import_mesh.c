// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Solids become a mesh of one kind of elements.
//
// Hexahedra alone stay what they are. Elsewhere a pyramid, prism or hexahedron is cut into tets
// from its vertex with the lowest id: each of its faces that does not touch this vertex is cut into
// triangles from its own lowest vertex, and each triangle makes a tet with the first one (a pulling
// triangulation). A face that two cells share is cut from its lowest vertex on both sides, so the
// tets fit together whatever the cells around. That gives 2, 3 or 6 tets; where a cell names a
// vertex twice, those tets that would do so are left out, so that collapsed hexahedra come out
// right.

#include "mesh/import.h"

#include "lyra/mesh_edit.h"
#include "lyra/mesh_ops.h"
#include "mesh/element.h"

#include <math.h>
#include <string.h>

// as for the corners of cubes in a model: files have few digits
#define BOX_TOLERANCE 1e-4

// ---- cubes --------------------------------------------------------------------------------------

/// Whether all cells are axis-aligned cubes of one size; then puts their corners in order.
static bool order_cubes(LyImport *import)
{
    double size = 0;
    for (int32_t pass = 0; pass < 2; ++pass) {
        for (int64_t c = 0; c < import->cell_count; ++c) {
            int32_t *element = import->corners + 8 * c, ordered[8];
            double edges[3];
            if (import->shapes[c] != LY_CELL_HEX ||
                !ly_cube_order_corners(import->builder.positions, element, BOX_TOLERANCE, ordered,
                                       edges)) {
                return false;
            }
            size = c == 0 ? edges[0] : size;
            for (int32_t i = 0; i < 3; ++i) {
                if (!(fabs(edges[i] - size) <= BOX_TOLERANCE * size)) {
                    return false;
                }
            }
            // nothing changes until all are known to fit
            if (pass == 1) {
                memcpy(element, ordered, sizeof ordered);
            }
        }
    }
    return true;
}

/// Whether no cell, all of them hexahedra, names a vertex twice.
static bool have_eight_corners(const LyImport *import)
{
    for (int64_t c = 0; c < import->cell_count; ++c) {
        const int32_t *v = import->corners + 8 * c;
        for (int32_t a = 1; a < 8; ++a) {
            for (int32_t b = 0; b < a; ++b) {
                if (v[a] == v[b]) {
                    return false;
                }
            }
        }
    }
    return true;
}

/// Takes tets of 10 nodes by their corners where there are other solids beside them.
static void drop_middles(LyImport *import)
{
    int64_t solids = 0, dropped = 0, write = 0;
    for (int64_t c = 0; c < import->cell_count; ++c) {
        solids += ly_cell_is_solid(import->shapes[c]);
        dropped += import->shapes[c] == LY_CELL_TET10;
    }
    if (dropped == 0 || dropped == solids) {
        return;
    }
    const int32_t *read = import->corners;
    for (int64_t c = 0; c < import->cell_count; ++c) {
        LyCellShape shape = import->shapes[c];
        int32_t nodes = shape == LY_CELL_POLYGON ? 1 + *read : ly_cell_nodes(shape);
        int32_t kept = shape == LY_CELL_TET10 ? 4 : nodes;
        memmove(import->corners + write, read, (size_t)kept * sizeof *read);
        import->shapes[c] = shape == LY_CELL_TET10 ? LY_CELL_TET : (uint8_t)shape;
        write += kept;
        read += nodes;
    }
    import->corner_count = write;
    ly_log(import->ctx, LYRA_LOG_INFO,
           "%s: %lld tets of 10 nodes taken by their corners, as other elements stand beside them",
           import->path, (long long)dropped);
}

// ---- cutting ------------------------------------------------------------------------------------

/// Faces of the shapes, -1 behind those of three corners.
static const int8_t faces[LY_CELL_SHAPE_COUNT][6][4] = {
    [LY_CELL_TET] = {{0, 1, 2, -1}, {0, 1, 3, -1}, {1, 2, 3, -1}, {0, 2, 3, -1}},
    [LY_CELL_PYRAMID] = {{0, 1, 2, 3}, {0, 1, 4, -1}, {1, 2, 4, -1}, {2, 3, 4, -1}, {3, 0, 4, -1}},
    [LY_CELL_PRISM] = {{0, 1, 2, -1}, {3, 4, 5, -1}, {0, 1, 4, 3}, {1, 2, 5, 4}, {2, 0, 3, 5}},
    [LY_CELL_HEX] =
        {{0, 1, 2, 3}, {4, 5, 6, 7}, {0, 1, 5, 4}, {1, 2, 6, 5}, {2, 3, 7, 6}, {3, 0, 4, 7}},
};
static const int8_t face_counts[LY_CELL_SHAPE_COUNT] = {
    [LY_CELL_TET] = 4, [LY_CELL_PYRAMID] = 5, [LY_CELL_PRISM] = 5, [LY_CELL_HEX] = 6};

/// Adds the tet of `apex` and a triangle, positive, unless it names a vertex twice.
static int32_t add_tet(const double *positions, int32_t apex, int32_t a, int32_t b, int32_t c,
                       int32_t *tet)
{
    if (a == b || b == c || c == a || apex == a || apex == b || apex == c) {
        return 0;
    }
    double e[3][3];
    const int32_t ends[3] = {a, b, c};
    for (int32_t i = 0; i < 9; ++i) {
        e[i / 3][i % 3] =
            positions[3 * (int64_t)ends[i / 3] + i % 3] - positions[3 * (int64_t)apex + i % 3];
    }
    double volume = e[0][0] * (e[1][1] * e[2][2] - e[1][2] * e[2][1]) -
                    e[0][1] * (e[1][0] * e[2][2] - e[1][2] * e[2][0]) +
                    e[0][2] * (e[1][0] * e[2][1] - e[1][1] * e[2][0]);
    tet[0] = apex;
    tet[1] = a;
    tet[2] = volume < 0 ? c : b;
    tet[3] = volume < 0 ? b : c;
    return 1;
}

/// Cuts a cell into at most 6 tets; how many.
static int32_t cut_cell(const double *positions, LyCellShape shape, const int32_t *cell,
                        int32_t *tets)
{
    int32_t nodes = ly_cell_nodes(shape), apex = 0, count = 0;
    for (int32_t a = 1; a < nodes; ++a) {
        apex = cell[a] < cell[apex] ? a : apex;
    }
    for (int32_t f = 0; f < face_counts[shape]; ++f) {
        const int8_t *face = faces[shape][f];
        int32_t corners = face[3] < 0 ? 3 : 4, lowest = 0, ids[4];
        bool touches = false;
        for (int32_t a = 0; a < corners; ++a) {
            ids[a] = cell[face[a]];
            touches = touches || ids[a] == cell[apex];
            lowest = ids[a] < ids[lowest] ? a : lowest;
        }
        for (int32_t t = 1; t + 1 < corners && !touches; ++t) {
            count += add_tet(positions, cell[apex], ids[lowest], ids[(lowest + t) % corners],
                             ids[(lowest + t + 1) % corners], tets + 4 * count);
        }
    }
    return count;
}

static LyraStatus cut_cells(LyImport *import, int32_t **firsts)
{
    LyMeshBuilder *builder = &import->builder;
    LyraContext *ctx = import->ctx;
    int32_t *begins = NULL, *tets = NULL;
    int64_t most = 0, count = 0, cut = 0;
    for (int64_t c = 0; c < import->cell_count; ++c) {
        most += import->shapes[c] == LY_CELL_TET ? 1 : 6;
    }
    if (most >= INT32_MAX) {
        return ly_fail(LYRA_TOO_LARGE, "%s: its %lld cells make more tets than there are ids",
                       import->path, (long long)import->cell_count);
    }
    LyraStatus status = LYRA_OK;
    LY_TRY_DONE(ly_allocate_array(ctx, import->cell_count + 1, sizeof *begins, &begins));
    LY_TRY_DONE(ly_allocate_array(ctx, 4 * most, sizeof *tets, &tets));
    const int32_t *cell = import->corners;
    for (int64_t c = 0; c < import->cell_count; ++c) {
        LyCellShape shape = import->shapes[c];
        begins[c] = (int32_t)count;
        if (shape == LY_CELL_TET) {
            memcpy(tets + 4 * count++, cell, 4 * sizeof *tets);
        } else {
            count += cut_cell(builder->positions, shape, cell, tets + 4 * count);
            cut += 1;
        }
        cell += ly_cell_nodes(shape);
    }
    begins[import->cell_count] = (int32_t)count;
    ly_log(ctx, LYRA_LOG_INFO, "%s: %lld pyramids, prisms and hexahedra cut into %lld tets",
           import->path, (long long)cut, (long long)(count - (import->cell_count - cut)));
    builder->elements = tets;
    builder->element_count = count;
    builder->element_capacity = most;
    *firsts = begins;
    tets = begins = NULL;
done:
    ly_release(ctx, tets);
    ly_release(ctx, begins);
    return status;
}

LyraStatus ly_import_elements(LyImport *import, int32_t **firsts)
{
    LyMeshBuilder *builder = &import->builder;
    bool tets = true, tets10 = import->cell_count > 0, hexes = tets10;
    for (int64_t c = 0; c < import->cell_count; ++c) {
        tets = tets && import->shapes[c] == LY_CELL_TET;
        tets10 = tets10 && import->shapes[c] == LY_CELL_TET10;
        hexes = hexes && import->shapes[c] == LY_CELL_HEX;
    }
    bool other = tets || tets10 || (import->as_is && import->hexahedra);
    bool cubes = !other && (import->as_is || order_cubes(import));
    hexes = hexes && !cubes && (import->as_is || have_eight_corners(import));
    builder->kind = tets10  ? LYRA_ELEMENT_TET10
                    : cubes ? LYRA_ELEMENT_CUBE8
                    : hexes ? LYRA_ELEMENT_HEX8
                            : LYRA_ELEMENT_TET4;
    if (!tets && !tets10 && !cubes && !hexes) {
        return cut_cells(import, firsts);
    }
    builder->elements = import->corners;
    builder->element_count = import->cell_count;
    builder->element_capacity = import->corner_capacity / lyra_element_kind_nodes(builder->kind);
    import->corners = NULL;
    *firsts = NULL;
    return LYRA_OK;
}

// ---- elements without volume or turned inside out -----------------------------------------------

/// Drops elements without volume from `*mesh`, which it replaces.
static LyraStatus drop_flat(LyraMesh **mesh, const char *path, int32_t flat)
{
    LyraMesh *old = *mesh, *better = NULL;
    if (flat == old->element_count) {
        return ly_fail(LYRA_BAD_MESH,
                       "%s: found %d elements without volume, expected some with one", path, flat);
    }
    int32_t *list = NULL, count = 0;
    LY_TRY(ly_allocate_array(old->ctx, old->element_count, sizeof *list, &list));
    for (int32_t e = 0; e < old->element_count; ++e) {
        if (!ly_element_is_degenerate(old, e, ly_element_volume(old, e))) {
            list[count++] = e;
        }
    }
    LyraStatus status = lyra_mesh_submesh(old, count, list, NULL, NULL, &better);
    ly_release(old->ctx, list);
    LY_TRY(status);
    ly_log(old->ctx, LYRA_LOG_INFO, "%s: %d elements without volume dropped", path, flat);
    *mesh = better;
    lyra_mesh_destroy(old);
    return LYRA_OK;
}

/// Squared distance of a middle node from the middle of an edge.
static double off_edge2(const LyraMesh *mesh, const int32_t *element, int32_t node, int32_t edge)
{
    const int32_t *ends = lyra_element_kind_edge(LYRA_ELEMENT_TET10, edge);
    double sum = 0;
    for (int32_t i = 0; i < 3; ++i) {
        double middle = 0.5 * mesh->positions[3 * (int64_t)element[ends[0]] + i] +
                        0.5 * mesh->positions[3 * (int64_t)element[ends[1]] + i];
        double off = mesh->positions[3 * (int64_t)element[node] + i] - middle;
        sum += off * off;
    }
    return sum;
}

/// Says how many elements fold over, and whether the order of their middle nodes is why.
static void warn_folded(const LyraMesh *mesh, const char *path)
{
    int32_t folded = 0, first = 0, swapped = 0;
    for (int32_t e = 0; e < mesh->element_count; ++e) {
        if (!ly_element_is_folded(mesh, e)) {
            continue;
        }
        first = folded++ == 0 ? e : first;
        if (mesh->kind == LYRA_ELEMENT_TET10) {
            const int32_t *v = mesh->elements + 10 * (int64_t)e;
            swapped += off_edge2(mesh, v, 8, 5) + off_edge2(mesh, v, 9, 4) <
                       off_edge2(mesh, v, 8, 4) + off_edge2(mesh, v, 9, 5);
        }
    }
    if (folded > 0) {
        ly_log(mesh->ctx, LYRA_LOG_WARNING,
               "%s: %d of %d elements fold over, the first is element %d%s", path, folded,
               mesh->element_count, first,
               swapped > folded / 2 ? "; their last two middle nodes stand at each other's edge: "
                                      "Gmsh writes those of 23 and 13, VTK, Abaqus and Medit "
                                      "13 and 23"
                                    : "");
    }
}

LyraStatus ly_mesh_repair(LyraMesh **mesh, const char *path)
{
    int32_t flat = 0, inverted = 0;
    for (int32_t e = 0; e < (*mesh)->element_count; ++e) {
        double volume = ly_element_volume(*mesh, e);
        bool degenerate = ly_element_is_degenerate(*mesh, e, volume);
        flat += degenerate;
        inverted += !degenerate && ly_element_is_reversed(*mesh, e, volume);
    }
    if (flat > 0) {
        LY_TRY(drop_flat(mesh, path, flat));
    }
    if (inverted > 0) {
        LyraMesh *better = NULL;
        LY_TRY(lyra_mesh_orient(*mesh, NULL, &better));
        ly_log((*mesh)->ctx, LYRA_LOG_INFO, "%s: %d of %d elements turned, which were inside out",
               path, inverted, (*mesh)->element_count);
        lyra_mesh_destroy(*mesh);
        *mesh = better;
    }
    warn_folded(*mesh, path);
    return LYRA_OK;
}

// ---- the mesh -----------------------------------------------------------------------------------

/// Composes the maps from cells to wanted cells and on to elements, in place.
static void compose(int32_t *firsts, int64_t count, const int32_t *further)
{
    for (int64_t c = 0; further && c <= count; ++c) {
        firsts[c] = further[firsts[c]];
    }
}

LyraStatus ly_import_mesh(LyImport *import, LyraMesh **out)
{
    LyraContext *ctx = import->ctx;
    int64_t cells = import->cell_count;
    if (!ly_import_has_solids(import) && !import->as_is) {
        return ly_fail(LYRA_BAD_MESH,
                       cells > 0 ? "%s: found a surface of %lld faces, expected a volumetric mesh"
                                 : "%s: found %lld elements, expected a volumetric mesh",
                       import->path, (long long)cells);
    }
    int32_t *firsts = NULL, *further = NULL;
    LyraMesh *mesh = NULL;
    LyraStatus status = LYRA_OK;
    drop_middles(import);
    LY_TRY_DONE(ly_import_split_sets(import));
    LY_TRY_DONE(ly_import_select(import, true, &firsts));
    LY_TRY_DONE(ly_import_elements(import, &further));
    compose(firsts, cells, further);
    LY_TRY_DONE(ly_import_map_sets(import, firsts));
    LY_TRY_DONE(ly_import_match_faces(import, firsts));
    LY_TRY_DONE(ly_mesh_builder_create(&import->builder, &mesh));
    if (!import->as_is) {
        LY_TRY_DONE(ly_mesh_repair(&mesh, import->path));
    }
    *out = mesh;
    mesh = NULL;
done:
    lyra_mesh_destroy(mesh);
    ly_release(ctx, further);
    ly_release(ctx, firsts);
    return status;
}
