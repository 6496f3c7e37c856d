// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Cubes from a surface: those that a triangle touches, found by halving the box of the triangle as
// long as it touches, and those whose centre the surface winds around.

#include "mesh/generate.h"
#include "volume/volume.h"

#include <math.h>
#include <string.h>

typedef struct Grid {
    LyVolumeInput *input;
    int32_t size[3];
    double origin[3];
    uint8_t *cells; // 1: part of the body; x fastest
} Grid;

static int64_t cell_index(const Grid *grid, int32_t x, int32_t y, int32_t z)
{
    return x + grid->size[0] * (y + (int64_t)grid->size[1] * z);
}

static LyraStatus make_grid(LyraContext *ctx, LyVolumeInput *input, Grid *grid)
{
    grid->input = input;
    double total = 1;
    for (int32_t i = 0; i < 3; ++i) {
        double extent = input->high[i] - input->low[i];
        double cells = fmax(1, ceil(extent / input->cell - 1e-9));
        total *= cells;
        if (!(total <= INT32_MAX)) {
            return ly_fail(LYRA_TOO_LARGE, "voxelize: more than %d cells; lower the resolution",
                           INT32_MAX);
        }
        grid->size[i] = (int32_t)cells;
        grid->origin[i] = 0.5 * (input->low[i] + input->high[i]) - 0.5 * cells * input->cell;
    }
    return ly_allocate_zeroed(ctx, (int64_t)total, sizeof *grid->cells, &grid->cells);
}

// ---- touched cells ------------------------------------------------------------------------------

// Whether a triangle, in units of cells about the middle of a box of half widths `half`, touches
// the box: no axis of the 13 (faces of the box, normal, cross products of edges) parts them.
static bool touches(const double x[3][3], const double half[3])
{
    double e[3][3];
    for (int32_t i = 0; i < 3; ++i) {
        if (fmin(x[0][i], fmin(x[1][i], x[2][i])) > half[i] ||
            fmax(x[0][i], fmax(x[1][i], x[2][i])) < -half[i]) {
            return false;
        }
        for (int32_t a = 0; a < 3; ++a) {
            e[a][i] = x[(a + 1) % 3][i] - x[a][i];
        }
    }
    for (int32_t a = 0; a < 3; ++a) {
        for (int32_t i = 0; i < 3; ++i) {
            // axis: unit vector i times edge a
            int32_t j = (i + 1) % 3, k = (i + 2) % 3;
            double p = e[a][j] * x[a][k] - e[a][k] * x[a][j];
            double q = e[a][j] * x[(a + 2) % 3][k] - e[a][k] * x[(a + 2) % 3][j];
            double reach = half[j] * fabs(e[a][k]) + half[k] * fabs(e[a][j]);
            if (fmin(p, q) > reach || fmax(p, q) < -reach) {
                return false;
            }
        }
    }
    double plane = 0, reach = 0;
    for (int32_t i = 0; i < 3; ++i) {
        int32_t j = (i + 1) % 3, k = (i + 2) % 3;
        double n = e[0][j] * e[1][k] - e[0][k] * e[1][j];
        plane += n * x[0][i];
        reach += half[i] * fabs(n);
    }
    return fabs(plane) <= reach;
}

// Marks the cells of [low, high) that the triangle touches.
static void mark_range(const Grid *grid, const double x[3][3], const int32_t low[3],
                       const int32_t high[3])
{
    double about[3][3], half[3];
    int32_t longest = 0;
    for (int32_t i = 0; i < 3; ++i) {
        half[i] = 0.5 * (high[i] - low[i]);
        for (int32_t a = 0; a < 3; ++a) {
            about[a][i] = x[a][i] - (low[i] + half[i]);
        }
        longest = high[i] - low[i] > high[longest] - low[longest] ? i : longest;
    }
    if (!touches(about, half)) {
        return;
    }
    if (high[longest] - low[longest] == 1) {
        grid->cells[cell_index(grid, low[0], low[1], low[2])] = 1;
        return;
    }
    int32_t middle = low[longest] + (high[longest] - low[longest]) / 2;
    int32_t first_high[3] = {high[0], high[1], high[2]}, second_low[3] = {low[0], low[1], low[2]};
    first_high[longest] = second_low[longest] = middle;
    mark_range(grid, x, low, first_high);
    mark_range(grid, x, second_low, high);
}

static void mark_touched(const Grid *grid)
{
    const LyraSurfaceTree *tree = grid->input->tree;
    for (int32_t t = 0; t < tree->boxes.count; ++t) {
        const LyTriangleBlock *block = &tree->blocks[t / LY_BOX_TREE_WIDTH];
        double x[3][3];
        int32_t low[3], high[3];
        for (int32_t i = 0; i < 3; ++i) {
            double least = DBL_MAX, most = -DBL_MAX;
            for (int32_t a = 0; a < 3; ++a) {
                x[a][i] =
                    (block->x[a][i][t % LY_BOX_TREE_WIDTH] - grid->origin[i]) / grid->input->cell;
                least = fmin(least, x[a][i]);
                most = fmax(most, x[a][i]);
            }
            // What lies between two cells belongs to the upper one, except at the end of the grid;
            // a triangle that reaches a side from below to rounding does not touch what is above.
            low[i] = (int32_t)fmin(fmax(floor(least + 1e-9), 0), grid->size[i] - 1);
            high[i] = (int32_t)fmin(fmax(ceil(most - 1e-9), low[i] + 1), grid->size[i]);
        }
        mark_range(grid, x, low, high);
    }
}

// ---- inside -------------------------------------------------------------------------------------

static void mark_row(void *data, int32_t index, int32_t worker)
{
    (void)worker;
    const Grid *grid = data;
    int32_t y = index % grid->size[1], z = index / grid->size[1];
    double cell = grid->input->cell;
    double p[3] = {0, grid->origin[1] + (y + 0.5) * cell, grid->origin[2] + (z + 0.5) * cell};
    uint8_t *row = grid->cells + cell_index(grid, 0, y, z);
    for (int32_t x = 0; x < grid->size[0]; ++x) {
        p[0] = grid->origin[0] + (x + 0.5) * cell;
        if (!row[x]) {
            row[x] = ly_surface_tree_holds(grid->input->tree, p);
        }
    }
}

// Fills what no walk over sides of empty cells reaches from outside of the grid.
static LyraStatus fill_cavities(LyraContext *ctx, const Grid *grid)
{
    enum { EMPTY = 0, REACHED = 2 };
    const int32_t *size = grid->size;
    int64_t total = (int64_t)size[0] * size[1] * size[2], count = 0;
    int32_t *queue = NULL;
    LY_TRY(ly_allocate_array(ctx, total, sizeof *queue, &queue));
    for (int32_t z = 0; z < size[2]; ++z) {
        for (int32_t y = 0; y < size[1]; ++y) {
            bool side = z == 0 || z == size[2] - 1 || y == 0 || y == size[1] - 1;
            for (int32_t x = 0; x < size[0]; x += side || size[0] == 1 ? 1 : size[0] - 1) {
                int64_t at = cell_index(grid, x, y, z);
                if (grid->cells[at] == EMPTY) {
                    grid->cells[at] = REACHED;
                    queue[count++] = (int32_t)at;
                }
            }
        }
    }
    for (int64_t k = 0; k < count; ++k) {
        int64_t at = queue[k], stride = 1;
        for (int32_t i = 0; i < 3; ++i) {
            int32_t place = (int32_t)(at / stride % size[i]);
            for (int32_t step = -1; step <= 1; step += 2) {
                int64_t next = at + step * stride;
                bool within = place + step >= 0 && place + step < size[i];
                if (within && grid->cells[next] == EMPTY) {
                    grid->cells[next] = REACHED;
                    queue[count++] = (int32_t)next;
                }
            }
            stride *= size[i];
        }
    }
    for (int64_t at = 0; at < total; ++at) {
        grid->cells[at] = grid->cells[at] != REACHED;
    }
    ly_release(ctx, queue);
    return LYRA_OK;
}

// ---- mesh ---------------------------------------------------------------------------------------

static LyraStatus make_mesh(LyraContext *ctx, const Grid *grid, const LyraMeshMaterial *material,
                            LyraMesh **out)
{
    int64_t total = (int64_t)grid->size[0] * grid->size[1] * grid->size[2], count = 0;
    for (int64_t at = 0; at < total; ++at) {
        count += grid->cells[at];
    }
    if (count == 0) {
        return ly_fail(LYRA_BAD_MESH,
                       "voxelize: no cube of %g m has its centre inside of the surface",
                       grid->input->cell);
    }
    int32_t(*voxels)[3] = NULL;
    LY_TRY(ly_allocate_array(ctx, count, sizeof *voxels, &voxels));
    int64_t next = 0;
    for (int32_t z = 0; z < grid->size[2]; ++z) {
        for (int32_t y = 0; y < grid->size[1]; ++y) {
            for (int32_t x = 0; x < grid->size[0]; ++x) {
                if (grid->cells[cell_index(grid, x, y, z)]) {
                    const int32_t voxel[3] = {x, y, z};
                    memcpy(voxels[next++], voxel, sizeof voxel);
                }
            }
        }
    }
    LyraStatus status = ly_mesh_create_from_voxels(ctx, count, voxels[0], grid->origin,
                                                   grid->input->cell, material, out);
    ly_release(ctx, voxels);
    return status;
}

LyraStatus lyra_mesh_voxelize(const LyraSurface *surface, const LyraVolumeDef *def,
                              LyraVolumeReport *report, LyraMesh **out)
{
    LY_CHECK_DEF(def, "lyra_volume_def_default");
    LyVolumeInput input = {0};
    LY_TRY(ly_volume_input_make(surface, def, &input));
    LyraContext *ctx = input.tree->ctx;
    Grid grid = {0};
    LyraStatus status = LYRA_OK;
    LY_TRY_DONE(make_grid(ctx, &input, &grid));
    if (def->cover) {
        mark_touched(&grid);
    }
    ly_parallel_for(ctx, grid.size[1] * grid.size[2], mark_row, &grid);
    if (def->fill_cavities) {
        LY_TRY_DONE(fill_cavities(ctx, &grid));
    }
    LY_TRY_DONE(make_mesh(ctx, &grid, def->material, out));
    if (report) {
        *report = (LyraVolumeReport){.repair = input.repair, .cell = input.cell};
    }
done:
    ly_release(ctx, grid.cells);
    ly_volume_input_release(&input);
    return status;
}
