// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Isosurface stuffing [LS07], second half: what is left of each tet of the lattice.
//
// By the signs of its four points a tet is kept whole (none outside), dropped (none inside), or
// cut. What is left of a cut one is a tet (one point inside), a pyramid over a quadrilateral with
// its tip on the surface (two inside, one outside), or a prism of triangles (three and one, two and
// two). The quadrilaterals on faces of lattice tets are cut in two by a rule that knows the face
// alone, so that the tets to both sides of it agree; a third one inside of the tet is cut so that
// the prism falls into tets.

#include "volume/lattice.h"

#include "mesh/sort.h"

#include <string.h>

// A vertex of the mesh to be: a point of the lattice (`b` -1) or the cut between two, the first
// inside.
typedef struct Corner {
    int32_t a, b;
} Corner;

// A tet of the lattice: points 0, 1 are centres in a row, 2, 3 an edge of the square between.
typedef struct LatticeTet {
    int64_t point[4];
    int32_t at[4][3];
} LatticeTet;

typedef struct Stuffing {
    const LyLattice *lattice;
    Corner (*tets)[4];
    int64_t count, capacity;
} Stuffing;

// ---- corners ------------------------------------------------------------------------------------

static void corner_position(const LyLattice *lattice, Corner corner, double x[3])
{
    int32_t at[3], to[3];
    ly_lattice_at(lattice, corner.a, at);
    if (corner.b < 0) {
        int32_t c = lattice->crossing[corner.a];
        if (c >= 0) {
            memcpy(x, lattice->place[c], 3 * sizeof *x);
        } else {
            ly_lattice_position(lattice, at, x);
        }
        return;
    }
    ly_lattice_at(lattice, corner.b, to);
    const int32_t way[3] = {to[0] - at[0], to[1] - at[1], to[2] - at[2]};
    double part = ly_lattice_cut(lattice, corner.a, corner.b, way);
    ly_lattice_position(lattice, at, x);
    for (int32_t i = 0; i < 3; ++i) {
        x[i] += 0.5 * part * way[i] * lattice->input->cell;
    }
}

static Corner whole(const LatticeTet *tet, int32_t i)
{
    return (Corner){(int32_t)tet->point[i], -1};
}

static Corner between(const LatticeTet *tet, int32_t inside, int32_t outside)
{
    return (Corner){(int32_t)tet->point[inside], (int32_t)tet->point[outside]};
}

static double distance2(const LyLattice *lattice, Corner a, Corner b)
{
    double x[3], y[3], sum = 0;
    corner_position(lattice, a, x);
    corner_position(lattice, b, y);
    for (int32_t i = 0; i < 3; ++i) {
        sum += (x[i] - y[i]) * (x[i] - y[i]);
    }
    return sum;
}

// Adds a tet, turned to have positive volume.
static LyraStatus add_tet(Stuffing *stuffing, Corner a, Corner b, Corner c, Corner d)
{
    if (stuffing->count == stuffing->capacity) {
        int64_t capacity = ly_max_i64(1024, stuffing->capacity + stuffing->capacity / 2);
        if (capacity > INT32_MAX) {
            return ly_fail(LYRA_TOO_LARGE, "tetrahedralize: more than %d tets", INT32_MAX);
        }
        LY_TRY(ly_resize_array(stuffing->lattice->ctx, capacity, sizeof *stuffing->tets,
                               &stuffing->tets));
        stuffing->capacity = capacity;
    }
    double x[4][3], e[3][3];
    const Corner corners[4] = {a, b, c, d};
    for (int32_t k = 0; k < 4; ++k) {
        corner_position(stuffing->lattice, corners[k], x[k]);
    }
    for (int32_t k = 0; k < 3; ++k) {
        for (int32_t i = 0; i < 3; ++i) {
            e[k][i] = x[k + 1][i] - x[0][i];
        }
    }
    double volume = e[0][0] * (e[1][1] * e[2][2] - e[1][2] * e[2][1]) +
                    e[0][1] * (e[1][2] * e[2][0] - e[1][0] * e[2][2]) +
                    e[0][2] * (e[1][0] * e[2][1] - e[1][1] * e[2][0]);
    Corner *tet = stuffing->tets[stuffing->count++];
    memcpy(tet, corners, sizeof corners);
    if (volume < 0) {
        tet[2] = d;
        tet[3] = c;
    }
    return LYRA_OK;
}

// ---- quadrilaterals and prisms ------------------------------------------------------------------

// edges between points of one kind are long
static bool is_long(int32_t i, int32_t j)
{
    return (i < 2) == (j < 2);
}

// The face of points p and q inside and n outside keeps the quadrilateral p, q, cut(q n), cut(p n).
// Whether its diagonal runs from p (to the cut of q n) or from q.
static bool diagonal_from_first(const LatticeTet *tet, int32_t p, int32_t q, int32_t n)
{
    if (is_long(p, q)) {
        // both cut edges are short, and either will do: from the point with the lower coordinate
        const int32_t *a = tet->at[p], *b = tet->at[q];
        return a[0] + a[1] + a[2] < b[0] + b[1] + b[2];
    }
    // to the cut of the long edge: to that of the short one, angles go below 7 degrees
    return is_long(q, n);
}

// Prism over the triangles u and w; first[k] says whether the diagonal of the quadrilateral between
// sides k and k + 1 starts at u[k] (or at u[k + 1]). The three must not run in a circle.
static LyraStatus add_prism(Stuffing *stuffing, const Corner u[3], const Corner w[3],
                            const bool first[3])
{
    // side k wins against k + 1 if its corner of u has the diagonal; the order of the wins cuts the
    // prism
    int32_t wins[3], order[3] = {0, 1, 2};
    for (int32_t k = 0; k < 3; ++k) {
        wins[k] = first[k] + !first[(k + 2) % 3];
    }
    for (int32_t k = 0; k < 3; ++k) {
        order[2 - wins[k]] = k;
    }
    int32_t x = order[0], y = order[1], z = order[2];
    LY_TRY(add_tet(stuffing, u[x], w[x], w[y], w[z]));
    LY_TRY(add_tet(stuffing, u[x], u[y], w[y], w[z]));
    return add_tet(stuffing, u[x], u[y], u[z], w[z]);
}

// ---- cases --------------------------------------------------------------------------------------

// One inside: its corner of the tet, down to the cuts or to points on the surface.
static LyraStatus stuff_one(Stuffing *stuffing, const LatticeTet *tet, const int8_t sign[4],
                            int32_t p)
{
    Corner corners[4];
    for (int32_t i = 0; i < 4; ++i) {
        corners[i] = sign[i] < 0 ? between(tet, p, i) : whole(tet, i);
    }
    return add_tet(stuffing, corners[0], corners[1], corners[2], corners[3]);
}

// Two inside, one outside, one on the surface: a pyramid.
static LyraStatus stuff_pyramid(Stuffing *stuffing, const LatticeTet *tet, const int32_t in[2],
                                int32_t out, int32_t on)
{
    Corner p = whole(tet, in[0]), q = whole(tet, in[1]), tip = whole(tet, on);
    Corner cp = between(tet, in[0], out), cq = between(tet, in[1], out);
    if (diagonal_from_first(tet, in[0], in[1], out)) {
        LY_TRY(add_tet(stuffing, p, q, cq, tip));
        return add_tet(stuffing, p, cq, cp, tip);
    }
    LY_TRY(add_tet(stuffing, p, q, cp, tip));
    return add_tet(stuffing, q, cq, cp, tip);
}

static LyraStatus stuff_three(Stuffing *stuffing, const LatticeTet *tet, const int32_t in[3],
                              int32_t out)
{
    Corner u[3], w[3];
    bool first[3];
    for (int32_t k = 0; k < 3; ++k) {
        u[k] = whole(tet, in[k]);
        w[k] = between(tet, in[k], out);
        first[k] = diagonal_from_first(tet, in[k], in[(k + 1) % 3], out);
    }
    return add_prism(stuffing, u, w, first);
}

static LyraStatus stuff_two(Stuffing *stuffing, const LatticeTet *tet, const int32_t in[2],
                            const int32_t out[2])
{
    int32_t p = in[0], q = in[1];
    const Corner u[3] = {whole(tet, p), between(tet, p, out[0]), between(tet, p, out[1])};
    const Corner w[3] = {whole(tet, q), between(tet, q, out[0]), between(tet, q, out[1])};
    bool first[3];
    first[0] = diagonal_from_first(tet, p, q, out[0]);  // side 0 wins against 1
    first[2] = !diagonal_from_first(tet, p, q, out[1]); // side 2 wins against 0
    if (first[0] == first[2]) {
        first[1] = !first[0]; // anything else would run in a circle
    } else {
        const LyLattice *lattice = stuffing->lattice;
        first[1] = distance2(lattice, u[1], w[2]) <= distance2(lattice, u[2], w[1]);
    }
    return add_prism(stuffing, u, w, first);
}

static LyraStatus stuff_tet(Stuffing *stuffing, const LatticeTet *tet)
{
    int8_t sign[4];
    int32_t in[4], out[4], on[4], ins = 0, outs = 0, ons = 0;
    for (int32_t i = 0; i < 4; ++i) {
        sign[i] = stuffing->lattice->sign[tet->point[i]];
        if (sign[i] > 0) {
            in[ins++] = i;
        } else if (sign[i] < 0) {
            out[outs++] = i;
        } else {
            on[ons++] = i;
        }
    }
    if (ins == 0) {
        return LYRA_OK;
    }
    if (outs == 0) {
        return add_tet(stuffing, whole(tet, 0), whole(tet, 1), whole(tet, 2), whole(tet, 3));
    }
    if (ins == 1) {
        return stuff_one(stuffing, tet, sign, in[0]);
    }
    if (ins == 3) {
        return stuff_three(stuffing, tet, in, out[0]);
    }
    return outs == 1 ? stuff_pyramid(stuffing, tet, in, out[0], on[0])
                     : stuff_two(stuffing, tet, in, out);
}

// ---- all tets -----------------------------------------------------------------------------------

static LyraStatus stuff_all(Stuffing *stuffing)
{
    const LyLattice *lattice = stuffing->lattice;
    for (int64_t k = lattice->corners; k < lattice->count; ++k) {
        LatticeTet tet;
        tet.point[0] = k;
        ly_lattice_at(lattice, k, tet.at[0]);
        for (int32_t axis = 0; axis < 3; ++axis) {
            memcpy(tet.at[1], tet.at[0], sizeof tet.at[1]);
            tet.at[1][axis] += 2;
            tet.point[1] = ly_lattice_index(lattice, tet.at[1]);
            if (tet.point[1] < 0) {
                continue;
            }
            int32_t j = (axis + 1) % 3, l = (axis + 2) % 3;
            // corners of the square, around it
            static const int32_t around[5][2] = {{-1, -1}, {1, -1}, {1, 1}, {-1, 1}, {-1, -1}};
            for (int32_t side = 0; side < 4; ++side) {
                for (int32_t end = 0; end < 2; ++end) {
                    int32_t *at = tet.at[2 + end];
                    at[axis] = tet.at[0][axis] + 1;
                    at[j] = tet.at[0][j] + around[side + end][0];
                    at[l] = tet.at[0][l] + around[side + end][1];
                    tet.point[2 + end] = ly_lattice_index(lattice, at);
                }
                LY_TRY(stuff_tet(stuffing, &tet));
            }
        }
    }
    return LYRA_OK;
}

static uint64_t corner_key(Corner corner)
{
    return (uint64_t)(uint32_t)corner.a << 32 | (uint32_t)(corner.b + 1);
}

// Numbers the corners in the order of their keys and makes the mesh.
static LyraStatus make_mesh(const Stuffing *stuffing, const LyraMeshMaterial *material,
                            LyraMesh **out)
{
    LyraContext *ctx = stuffing->lattice->ctx;
    LyraStatus status = LYRA_OK;
    LyCellMesh builder = {0};
    uint64_t *keys = NULL;
    int32_t *places = NULL;
    int64_t corners = 4 * stuffing->count;
    if (corners > INT32_MAX) {
        return ly_fail(LYRA_TOO_LARGE, "tetrahedralize: %lld tets, at most %d",
                       (long long)stuffing->count, INT32_MAX / 4);
    }
    LY_TRY_DONE(ly_allocate_array(ctx, corners, sizeof *keys, &keys));
    LY_TRY_DONE(ly_allocate_array(ctx, corners, sizeof *places, &places));
    for (int64_t k = 0; k < corners; ++k) {
        keys[k] = corner_key(stuffing->tets[k / 4][k % 4]);
        places[k] = (int32_t)k;
    }
    LY_TRY_DONE(ly_sort_keys(ctx, corners, keys, places));
    int64_t vertices = 0;
    for (int64_t k = 0; k < corners; ++k) {
        vertices += k == 0 || keys[k] != keys[k - 1];
    }
    LY_TRY_DONE(ly_cell_mesh_init(&builder, ctx, LYRA_ELEMENT_TET4, vertices, stuffing->count));
    int64_t vertex = -1;
    for (int64_t k = 0; k < corners; ++k) {
        if (k == 0 || keys[k] != keys[k - 1]) {
            ++vertex;
            corner_position(stuffing->lattice, stuffing->tets[places[k] / 4][places[k] % 4],
                            builder.positions + 3 * vertex);
        }
        builder.elements[places[k]] = (int32_t)vertex;
    }
    status = ly_cell_mesh_finish(&builder, material, out);
done:
    ly_release(ctx, keys);
    ly_release(ctx, places);
    return status;
}

LyraStatus ly_lattice_stuff(const LyLattice *lattice, const LyraMeshMaterial *material,
                            LyraMesh **out)
{
    Stuffing stuffing = {.lattice = lattice};
    LyraStatus status = stuff_all(&stuffing);
    if (status == LYRA_OK && stuffing.count > 0) {
        status = make_mesh(&stuffing, material, out);
    }
    ly_release(lattice->ctx, stuffing.tets);
    return status;
}
