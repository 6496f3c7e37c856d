// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Isosurface stuffing [LS07], first half: the values of the lattice, the points where its edges
// cross the surface, and the moves of lattice points that are close to one.
//
// A point moves when an edge is cut within a part ALPHA of its length from the point; its other
// cuts are forgotten then. With these two numbers every tet that is left has dihedral angles
// between 10.7 and 164.8 degrees.

#include "volume/lattice.h"

#include <math.h>
#include <string.h>

#define ALPHA_LONG 0.24999
#define ALPHA_SHORT 0.41189

// closer than this many cells is on the surface
#define ON_SURFACE 1e-7

const int32_t ly_lattice_way[LY_LATTICE_WAYS][3] = {
    {2, 0, 0}, {0, 2, 0}, {0, 0, 2}, {1, 1, 1}, {1, 1, -1}, {1, -1, 1}, {1, -1, -1},
};

static LyraStatus make_lattice(LyLattice *lattice)
{
    const LyVolumeInput *input = lattice->input;
    double corners = 1, centers = 1;
    for (int32_t i = 0; i < 3; ++i) {
        // one empty cube to each side, two where the body is a layer around the surface
        double cubes = ceil((input->high[i] - input->low[i]) / input->cell - 1e-9) + 4;
        corners *= cubes + 1;
        centers *= cubes;
        if (!(corners + centers <= INT32_MAX)) {
            return ly_fail(LYRA_TOO_LARGE,
                           "tetrahedralize: more than %d lattice points; lower the resolution",
                           INT32_MAX);
        }
        lattice->size[i] = (int32_t)cubes;
        lattice->origin[i] = 0.5 * (input->low[i] + input->high[i]) - 0.5 * cubes * input->cell;
    }
    lattice->corners = (int64_t)corners;
    lattice->count = (int64_t)corners + (int64_t)centers;
    LY_TRY(
        ly_allocate_array(lattice->ctx, lattice->count, sizeof *lattice->value, &lattice->value));
    LY_TRY(ly_allocate_array(lattice->ctx, lattice->count, sizeof *lattice->sign, &lattice->sign));
    return ly_allocate_array(lattice->ctx, lattice->count, sizeof *lattice->crossing,
                             &lattice->crossing);
}

// ---- values -------------------------------------------------------------------------------------

enum { GRAIN = 256 };

typedef struct Valuation {
    LyLattice *lattice;
    int32_t pieces;
    bool layer;
} Valuation;

static void find_values(void *data, int32_t index, int32_t worker)
{
    (void)worker;
    const Valuation *valuation = data;
    LyLattice *lattice = valuation->lattice;
    const LyraSurfaceTree *tree = lattice->input->tree;
    double cell = lattice->input->cell;
    int64_t end = ly_piece_begin(lattice->count, valuation->pieces, index + 1);
    for (int64_t k = ly_piece_begin(lattice->count, valuation->pieces, index); k < end; ++k) {
        int32_t at[3];
        double p[3];
        ly_lattice_at(lattice, k, at);
        ly_lattice_position(lattice, at, p);
        double distance = ly_surface_tree_distance(tree, p, cell, NULL, NULL) / cell;
        double value;
        if (valuation->layer) {
            value = 0.75 - distance;
        } else if (distance < ON_SURFACE) {
            value = 0;
        } else {
            value = ly_surface_tree_holds(tree, p) ? distance : -distance;
        }
        lattice->value[k] = (float)value;
        lattice->sign[k] = (int8_t)((value > 0) - (value < 0));
    }
}

static void value_points(LyLattice *lattice, bool layer)
{
    Valuation valuation = {
        .lattice = lattice,
        .pieces = ly_piece_count(lattice->count, GRAIN),
        .layer = layer,
    };
    ly_parallel_for(lattice->ctx, valuation.pieces, find_values, &valuation);
}

// ---- cuts ---------------------------------------------------------------------------------------

// The point on one side of an edge, at part t of the way from `a`.
static bool is_inside(const LyLattice *lattice, const double a[3], const int32_t way[3], double t)
{
    double p[3];
    for (int32_t i = 0; i < 3; ++i) {
        p[i] = a[i] + 0.5 * t * way[i] * lattice->input->cell;
    }
    return ly_surface_tree_holds(lattice->input->tree, p);
}

// Where the surface cuts the edge from a point along a way: linear between the distances of its
// ends, if they can be those of one surface between them; across holes, where there is no surface
// to be near to, by halving on the winding number.
static double find_cut(const LyLattice *lattice, bool layer, int64_t from, int64_t to,
                       const int32_t way[3])
{
    double a = fabs((double)lattice->value[from]), b = fabs((double)lattice->value[to]);
    double length = way[0] * way[1] * way[2] != 0 ? 0.86602540378443865 : 1;
    if (layer || a + b <= length * (1 + 1e-6)) {
        return a / (a + b);
    }
    int32_t at[3];
    double x[3], low = 0, high = 1;
    ly_lattice_at(lattice, from, at);
    ly_lattice_position(lattice, at, x);
    for (int32_t step = 0; step < 10; ++step) {
        double middle = 0.5 * (low + high);
        if (is_inside(lattice, x, way, middle) == (lattice->sign[from] > 0)) {
            low = middle;
        } else {
            high = middle;
        }
    }
    return 0.5 * (low + high);
}

// Neighbour along way w (of 14: the seven and their opposites), -1 beyond the lattice.
static int64_t neighbour(const LyLattice *lattice, const int32_t at[3], int32_t w)
{
    const int32_t *way = ly_lattice_way[w % LY_LATTICE_WAYS];
    int32_t turn = w < LY_LATTICE_WAYS ? 1 : -1;
    const int32_t there[3] = {at[0] + turn * way[0], at[1] + turn * way[1], at[2] + turn * way[2]};
    return ly_lattice_index(lattice, there);
}

static void find_crossings(LyLattice *lattice)
{
    for (int64_t k = 0; k < lattice->count; ++k) {
        int32_t at[3];
        lattice->crossing[k] = -1;
        ly_lattice_at(lattice, k, at);
        for (int32_t w = 0; w < 2 * LY_LATTICE_WAYS; ++w) {
            int64_t other = neighbour(lattice, at, w);
            if (other >= 0 && lattice->sign[k] * lattice->sign[other] < 0) {
                lattice->crossing[k] = lattice->crossing_count++;
                break;
            }
        }
    }
}

typedef struct Cutting {
    LyLattice *lattice;
    bool layer;
    int32_t pieces;
} Cutting;

static void find_cuts(void *data, int32_t index, int32_t worker)
{
    (void)worker;
    const Cutting *cutting = data;
    LyLattice *lattice = cutting->lattice;
    int64_t end = ly_piece_begin(lattice->crossing_count, cutting->pieces, index + 1);
    for (int64_t c = ly_piece_begin(lattice->crossing_count, cutting->pieces, index); c < end;
         ++c) {
        int64_t k = lattice->crossing_point[c];
        int32_t at[3];
        ly_lattice_at(lattice, k, at);
        ly_lattice_position(lattice, at, lattice->place[c]);
        for (int32_t w = 0; w < LY_LATTICE_WAYS; ++w) {
            int64_t other = neighbour(lattice, at, w);
            bool across = other >= 0 && lattice->sign[k] * lattice->sign[other] < 0;
            lattice->cut[c][w] =
                across ? find_cut(lattice, cutting->layer, k, other, ly_lattice_way[w]) : -1;
        }
    }
}

static LyraStatus cut_edges(LyLattice *lattice, bool layer)
{
    LyraContext *ctx = lattice->ctx;
    find_crossings(lattice);
    int32_t count = lattice->crossing_count;
    LY_TRY(
        ly_allocate_array(ctx, count, sizeof *lattice->crossing_point, &lattice->crossing_point));
    LY_TRY(ly_allocate_array(ctx, count, sizeof *lattice->cut, &lattice->cut));
    LY_TRY(ly_allocate_array(ctx, count, sizeof *lattice->place, &lattice->place));
    for (int64_t k = 0; k < lattice->count; ++k) {
        if (lattice->crossing[k] >= 0) {
            lattice->crossing_point[lattice->crossing[k]] = (int32_t)k;
        }
    }
    Cutting cutting = {lattice, layer, ly_piece_count(count, GRAIN)};
    ly_parallel_for(ctx, cutting.pieces, find_cuts, &cutting);
    return LYRA_OK;
}

// Part of the edge along way w of 14 at which it is cut, seen from crossing point c.
static double cut_from(const LyLattice *lattice, int64_t c, int64_t other, int32_t w)
{
    if (w < LY_LATTICE_WAYS) {
        return lattice->cut[c][w];
    }
    return 1 - lattice->cut[lattice->crossing[other]][w - LY_LATTICE_WAYS];
}

double ly_lattice_cut(const LyLattice *lattice, int64_t a, int64_t b, const int32_t way[3])
{
    for (int32_t w = 0; w < LY_LATTICE_WAYS; ++w) {
        const int32_t *known = ly_lattice_way[w];
        if (known[0] == way[0] && known[1] == way[1] && known[2] == way[2]) {
            return cut_from(lattice, lattice->crossing[a], b, w);
        }
        if (known[0] == -way[0] && known[1] == -way[1] && known[2] == -way[2]) {
            return cut_from(lattice, lattice->crossing[a], b, w + LY_LATTICE_WAYS);
        }
    }
    LYRA_ASSERT(false && "no way of the lattice");
    return 0.5;
}

// ---- moves --------------------------------------------------------------------------------------

// Moves points with a cut nearby onto the nearest one, in order: a point that moved has no sign any
// more, and its edges no cuts.
static void move_points(LyLattice *lattice)
{
    for (int64_t c = 0; c < lattice->crossing_count; ++c) {
        int64_t k = lattice->crossing_point[c];
        int32_t at[3], nearest = -1;
        double nearest_part = 0, nearest_length = INFINITY;
        ly_lattice_at(lattice, k, at);
        for (int32_t w = 0; w < 2 * LY_LATTICE_WAYS; ++w) {
            int64_t other = neighbour(lattice, at, w);
            if (other < 0 || lattice->sign[k] * lattice->sign[other] >= 0) {
                continue;
            }
            bool is_long = w % LY_LATTICE_WAYS < LY_LATTICE_LONG;
            double part = cut_from(lattice, c, other, w);
            double length = part * (is_long ? 1 : 0.86602540378443865);
            if (part < (is_long ? ALPHA_LONG : ALPHA_SHORT) && length < nearest_length) {
                nearest = w;
                nearest_part = part;
                nearest_length = length;
            }
        }
        if (nearest < 0) {
            continue;
        }
        const int32_t *way = ly_lattice_way[nearest % LY_LATTICE_WAYS];
        double turn = nearest < LY_LATTICE_WAYS ? 1 : -1;
        for (int32_t i = 0; i < 3; ++i) {
            lattice->place[c][i] += 0.5 * turn * nearest_part * way[i] * lattice->input->cell;
        }
        lattice->sign[k] = 0;
    }
}

// ---- all of it ----------------------------------------------------------------------------------

static void release_cuts(LyLattice *lattice)
{
    ly_release(lattice->ctx, lattice->crossing_point);
    ly_release(lattice->ctx, lattice->cut);
    ly_release(lattice->ctx, lattice->place);
    lattice->crossing_point = NULL;
    lattice->cut = NULL;
    lattice->place = NULL;
    lattice->crossing_count = 0;
}

static LyraStatus fill_lattice(LyLattice *lattice, bool layer, const LyraMeshMaterial *material,
                               LyraMesh **out)
{
    value_points(lattice, layer);
    LyraStatus status = cut_edges(lattice, layer);
    if (status == LYRA_OK) {
        move_points(lattice);
        status = ly_lattice_stuff(lattice, material, out);
    }
    release_cuts(lattice);
    return status;
}

LyraStatus lyra_mesh_tetrahedralize(const LyraSurface *surface, const LyraVolumeDef *def,
                                    LyraVolumeReport *report, LyraMesh **out)
{
    LY_CHECK_DEF(def, "lyra_volume_def_default");
    LyVolumeInput input = {0};
    LY_TRY(ly_volume_input_make(surface, def, &input));
    LyraContext *ctx = input.tree->ctx;
    LyraStatus status = LYRA_OK;
    LyLattice lattice = {.ctx = ctx, .input = &input};
    LyraMesh *made = NULL;
    bool layer = false;
    LY_TRY_DONE(make_lattice(&lattice));
    LY_TRY_DONE(fill_lattice(&lattice, false, def->material, &made));
    if (!made) {
        // No lattice point is inside, or all of them moved onto the surface. A layer always has
        // some: every point of space is within 0.56 of a cell of one.
        layer = true;
        LY_TRY_DONE(fill_lattice(&lattice, true, def->material, &made));
    }
    if (!made) {
        LY_TRY_DONE(ly_fail(LYRA_BAD_MESH, "tetrahedralize: nothing is left of the body"));
    }
    *out = made;
    if (report) {
        *report = (LyraVolumeReport){.repair = input.repair, .cell = input.cell, .layer = layer};
    }
done:
    ly_release(ctx, lattice.value);
    ly_release(ctx, lattice.sign);
    ly_release(ctx, lattice.crossing);
    ly_volume_input_release(&input);
    return status;
}
