// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Tet meshes of the ball, the cylinder and the torus.
//
// A disk is a core, the square grid of n x n cells, and k layers of cells between the core and the
// circle, 4 n cells each; a ball likewise has a core of n x n x n cells and k layers of 6 n^2. No
// cell has a corner flattened to 180 degrees, as it would be in a square mapped onto a disk. With
// x in [-1, 1]^d on the core and R the radius:
//     core:    p(x) = s R x [(1 - b) + b |x|_inf / |x|_2]       a square (cube) with round sides
//     circle:  q(x) = R t / |t|_2, t_i = tan(pi/4 x_i)          equal angles between vertices
//     layer j: (1 - w) p + w q, w = j / k
// The cylinder is a stack of disks; the torus is a stack of disks bent to a ring.
//
// Cells are cut in six tets (generate.c). Axes: x, y, z in the core; r (outward) and the two others
// in their positive directions in the layers. Two cells always agree on their common face, since
// every axis of a face has one direction for both.

#include "mesh/generate.h"

#include <math.h>

#define PI 3.14159265358979323846

// found by trying: the smallest dihedral angle over many n and k is the largest here
#define DISK_SIZE 0.55  // s
#define DISK_ROUND 0.45 // b
#define BALL_SIZE 0.46
#define BALL_ROUND 0.5
// layers over core cells for cells of about one size
#define DISK_LAYERS 0.36
#define BALL_LAYERS 0.42

typedef struct Grid {
    int64_t core;   // n: cells along an edge of the core
    int64_t layers; // k: layers around the core
    int64_t stack;  // disks' cells along the axis or around the ring
} Grid;

// ---- sizes --------------------------------------------------------------------------------------

static double grid_elements(LyraMeshShape shape, double n, double k, double stack)
{
    double cells =
        shape == LYRA_MESH_SHAPE_SPHERE ? n * n * n + 6 * n * n * k : (n * n + 4 * n * k) * stack;
    return LY_TETS_PER_CELL * cells;
}

// How far a grid is from what is wanted: in the number of elements first, then in the shape of
// cells.
static double grid_cost(double count, double wanted, double k, double k_ideal, double stack,
                        double stack_ideal)
{
    return fabs(log(count / wanted)) + 0.1 * fabs(log(k / k_ideal)) +
           0.1 * fabs(log(stack / stack_ideal));
}

static Grid choose_grid(const LyraMeshShapeDef *def)
{
    bool ball = def->shape == LYRA_MESH_SHAPE_SPHERE;
    bool torus = def->shape == LYRA_MESH_SHAPE_TORUS;
    double wanted = (double)def->elements;
    double length = torus ? 2 * PI * def->radius : def->height;
    double radius = torus ? def->tube_radius : def->radius;
    double stack_min = torus ? 3 : 1;
    // a needle gets longer cells rather than many times the elements wanted
    double stack_most = fmax(stack_min, floor(4 * wanted / grid_elements(def->shape, 1, 1, 1)));
    Grid best = {.core = 1, .layers = 1, .stack = ball ? 1 : (int64_t)stack_min};
    double best_cost = INFINITY;
    for (int64_t core = 1;; ++core) {
        double n = (double)core;
        double k_ideal = fmax(1, (ball ? BALL_LAYERS : DISK_LAYERS) * n);
        double k_first = fmax(1, floor(0.6 * k_ideal));
        double stack_ideal = fmin(fmax(stack_min, length / (2 * DISK_SIZE * radius / n)), 1e9);
        double stack_first = ball ? 1 : fmax(stack_min, fmin(floor(0.6 * stack_ideal), stack_most));
        if (n > 1 && grid_elements(def->shape, n, k_first, stack_first) > 4 * wanted) {
            return best;
        }
        int64_t k_last = (int64_t)ceil(1.6 * k_ideal);
        for (int64_t layers = (int64_t)k_first; layers <= k_last; ++layers) {
            double k = (double)layers;
            // the stack that comes nearest, as far as it keeps the cells in shape
            double stack = 1;
            if (!ball) {
                stack = round(wanted / grid_elements(def->shape, n, k, 1));
                stack = fmax(fmin(stack, ceil(1.6 * stack_ideal)), stack_first);
            }
            double cost = grid_cost(grid_elements(def->shape, n, k, stack), wanted, k, k_ideal,
                                    stack, ball ? 1 : stack_ideal);
            if (cost < best_cost) {
                best_cost = cost;
                best = (Grid){core, layers, (int64_t)stack};
            }
        }
    }
}

// ---- positions ----------------------------------------------------------------------------------

// Point of the core, then blended toward the circle or sphere by w in [0, 1]; `x` of `dimension`.
static void round_point(int32_t dimension, double radius, const double *x, double w, double *p)
{
    double size = dimension == 2 ? DISK_SIZE : BALL_SIZE;
    double roundness = dimension == 2 ? DISK_ROUND : BALL_ROUND;
    double largest = 0, square = 0, outer_square = 0, outer[3];
    for (int32_t i = 0; i < dimension; ++i) {
        largest = fmax(largest, fabs(x[i]));
        square += x[i] * x[i];
        outer[i] = tan(0.25 * PI * x[i]);
        outer_square += outer[i] * outer[i];
    }
    double factor = square > 0 ? 1 - roundness + roundness * largest / sqrt(square) : 0;
    for (int32_t i = 0; i < dimension; ++i) {
        double inside = size * factor * x[i];
        double outside = w > 0 ? outer[i] / sqrt(outer_square) : 0;
        p[i] = radius * ((1 - w) * inside + w * outside);
    }
}

// Places of the points of the core's boundary among themselves: -1 for points inside.
// `count`: points along an edge, in `dimension` directions.
static int32_t rank_boundary(int32_t dimension, int64_t count, int32_t *rank)
{
    int32_t next = 0;
    int64_t total = dimension == 2 ? count * count : count * count * count;
    for (int64_t p = 0; p < total; ++p) {
        int64_t i = p % count, j = p / count % count, k = p / count / count;
        bool on = i == 0 || i == count - 1 || j == 0 || j == count - 1 ||
                  (dimension == 3 && (k == 0 || k == count - 1));
        rank[p] = on ? next++ : -1;
    }
    return next;
}

// Writes the points of the core and of the layers after it.
static void place_points(int32_t dimension, double radius, Grid grid, const int32_t *rank,
                         int64_t boundary, double *points)
{
    int64_t count = grid.core + 1;
    int64_t total = dimension == 2 ? count * count : count * count * count;
    for (int64_t p = 0; p < total; ++p) {
        int64_t index[3] = {p % count, p / count % count, p / count / count};
        double x[3];
        for (int32_t i = 0; i < dimension; ++i) {
            x[i] = (double)(2 * index[i] - grid.core) / (double)grid.core;
        }
        round_point(dimension, radius, x, 0, points + dimension * p);
        for (int64_t layer = 1; layer <= grid.layers && rank[p] >= 0; ++layer) {
            int64_t at = total + (layer - 1) * boundary + rank[p];
            round_point(dimension, radius, x, (double)layer / (double)grid.layers,
                        points + dimension * at);
        }
    }
}

// ---- ball ---------------------------------------------------------------------------------------

// Lattice point number `p` of the core's boundary in layer `layer`; layer 0 is the core itself.
static int32_t layer_point(int64_t total, int64_t boundary, const int32_t *rank, int64_t p,
                           int64_t layer)
{
    return (int32_t)(layer == 0 ? p : total + (layer - 1) * boundary + rank[p]);
}

static void add_ball_core(LyCellMesh *builder, int64_t n)
{
    int64_t count = n + 1;
    for (int64_t p = 0; p < n * n * n; ++p) {
        int64_t i = p % n, j = p / n % n, k = p / n / n;
        int32_t corner[8];
        for (int32_t c = 0; c < 8; ++c) {
            corner[c] =
                (int32_t)(((k + (c >> 2)) * count + j + (c >> 1 & 1)) * count + i + (c & 1));
        }
        ly_cell_mesh_add_cell(builder, corner, true);
    }
}

static void add_ball_layers(LyCellMesh *builder, Grid grid, const int32_t *rank, int64_t boundary)
{
    int64_t n = grid.core, count = n + 1, total = count * count * count;
    int64_t step[3] = {1, count, count * count};
    for (int32_t side = 0; side < 6; ++side) {
        // axes of a cell: outward, then the two others in ascending order
        int32_t normal = side / 2, u = normal == 0 ? 1 : 0, v = normal == 2 ? 1 : 2;
        bool positive = side % 2 == 1;
        bool right_handed = positive == (normal != 1);
        int64_t base = positive ? n * step[normal] : 0;
        for (int64_t layer = 0; layer < grid.layers; ++layer) {
            for (int64_t cell = 0; cell < n * n; ++cell) {
                int64_t a = cell % n, b = cell / n;
                int32_t corner[8];
                for (int32_t c = 0; c < 8; ++c) {
                    int64_t p = base + (a + (c >> 1 & 1)) * step[u] + (b + (c >> 2)) * step[v];
                    corner[c] = layer_point(total, boundary, rank, p, layer + (c & 1));
                }
                ly_cell_mesh_add_cell(builder, corner, right_handed);
            }
        }
    }
}

static LyraStatus generate_ball(LyraContext *ctx, const LyraMeshShapeDef *def, Grid grid,
                                LyraMesh **out)
{
    int64_t count = grid.core + 1, total = count * count * count;
    int64_t boundary = 6 * grid.core * grid.core + 2;
    int64_t cells = grid.core * grid.core * (grid.core + 6 * grid.layers);
    LyCellMesh builder;
    LY_TRY(ly_cell_mesh_init(&builder, ctx, LYRA_ELEMENT_TET4, total + grid.layers * boundary,
                             LY_TETS_PER_CELL * cells));
    int32_t *rank = NULL;
    LyraStatus status = ly_allocate_array(ctx, total, sizeof *rank, &rank);
    if (status != LYRA_OK) {
        ly_release(ctx, builder.positions);
        ly_release(ctx, builder.elements);
        return status;
    }
    rank_boundary(3, count, rank);
    place_points(3, def->radius, grid, rank, boundary, builder.positions);
    for (int64_t i = 0; i < 3 * (int64_t)builder.vertex_count; ++i) {
        builder.positions[i] += def->center[i % 3];
    }
    add_ball_core(&builder, grid.core);
    add_ball_layers(&builder, grid, rank, boundary);
    ly_release(ctx, rank);
    return ly_cell_mesh_finish(&builder, def->material, out);
}

// ---- disks in a stack or a ring -----------------------------------------------------------------

// Cells of one disk: four points each, bit 0 along the first axis, and the handedness.
typedef struct DiskCell {
    int32_t point[4];
    bool right_handed;
} DiskCell;

static void list_disk_cells(Grid grid, const int32_t *rank, DiskCell *cells)
{
    int64_t n = grid.core, count = n + 1, total = count * count, boundary = 4 * n;
    for (int64_t p = 0; p < n * n; ++p) {
        DiskCell cell = {.right_handed = true};
        for (int32_t c = 0; c < 4; ++c) {
            cell.point[c] = (int32_t)((p / n + (c >> 1)) * count + p % n + (c & 1));
        }
        *cells++ = cell;
    }
    for (int32_t side = 0; side < 4; ++side) {
        int32_t normal = side / 2;
        bool positive = side % 2 == 1;
        int64_t step = normal == 0 ? count : 1;
        int64_t base = positive ? n * (normal == 0 ? 1 : count) : 0;
        for (int64_t layer = 0; layer < grid.layers; ++layer) {
            for (int64_t a = 0; a < n; ++a) {
                DiskCell cell = {.right_handed = positive == (normal == 0)};
                for (int32_t c = 0; c < 4; ++c) {
                    cell.point[c] = layer_point(total, boundary, rank, base + (a + (c >> 1)) * step,
                                                layer + (c & 1));
                }
                *cells++ = cell;
            }
        }
    }
}

// Vertices of disk `s` of the stack from the points of one.
static void place_disk(const LyraMeshShapeDef *def, Grid grid, int64_t s, int64_t point_count,
                       const double *points, double *positions)
{
    if (def->shape == LYRA_MESH_SHAPE_CYLINDER) {
        double z = def->height * ((double)s / (double)grid.stack - 0.5);
        for (int64_t p = 0; p < point_count; ++p) {
            positions[3 * p] = def->center[0] + points[2 * p];
            positions[3 * p + 1] = def->center[1] + points[2 * p + 1];
            positions[3 * p + 2] = def->center[2] + z;
        }
        return;
    }
    // the disk's axes are outward and -z, which together with the way around are right-handed
    double angle = 2 * PI * (double)s / (double)grid.stack;
    double c = cos(angle), sn = sin(angle);
    for (int64_t p = 0; p < point_count; ++p) {
        double from_axis = def->radius + points[2 * p];
        positions[3 * p] = def->center[0] + c * from_axis;
        positions[3 * p + 1] = def->center[1] + sn * from_axis;
        positions[3 * p + 2] = def->center[2] - points[2 * p + 1];
    }
}

static LyraStatus generate_stack(LyraContext *ctx, const LyraMeshShapeDef *def, Grid grid,
                                 LyraMesh **out)
{
    bool ring = def->shape == LYRA_MESH_SHAPE_TORUS;
    int64_t count = grid.core + 1, total = count * count, boundary = 4 * grid.core;
    int64_t point_count = total + grid.layers * boundary;
    int64_t cell_count = grid.core * (grid.core + 4 * grid.layers);
    int64_t disks = ring ? grid.stack : grid.stack + 1;
    double radius = ring ? def->tube_radius : def->radius;
    int32_t *rank = NULL;
    double *points = NULL;
    DiskCell *cells = NULL;
    LyraStatus status = LYRA_OK;
    LY_TRY_DONE(ly_allocate_array(ctx, total, sizeof *rank, &rank));
    LY_TRY_DONE(ly_allocate_array(ctx, 2 * point_count, sizeof *points, &points));
    LY_TRY_DONE(ly_allocate_array(ctx, cell_count, sizeof *cells, &cells));
    rank_boundary(2, count, rank);
    place_points(2, radius, grid, rank, boundary, points);
    list_disk_cells(grid, rank, cells);
    LyCellMesh builder;
    LY_TRY_DONE(ly_cell_mesh_init(&builder, ctx, LYRA_ELEMENT_TET4, disks * point_count,
                                  LY_TETS_PER_CELL * cell_count * grid.stack));
    for (int64_t s = 0; s < disks; ++s) {
        place_disk(def, grid, s, point_count, points, builder.positions + 3 * s * point_count);
    }
    for (int64_t s = 0; s < grid.stack; ++s) {
        int64_t low = s * point_count, high = (s + 1) % disks * point_count;
        for (int64_t p = 0; p < cell_count; ++p) {
            int32_t corner[8];
            for (int32_t c = 0; c < 8; ++c) {
                corner[c] = (int32_t)((c >> 2 ? high : low) + cells[p].point[c & 3]);
            }
            ly_cell_mesh_add_cell(&builder, corner, cells[p].right_handed);
        }
    }
    status = ly_cell_mesh_finish(&builder, def->material, out);
done:
    ly_release(ctx, rank);
    ly_release(ctx, points);
    ly_release(ctx, cells);
    return status;
}

LyraStatus ly_generate_round(LyraContext *ctx, const LyraMeshShapeDef *def, LyraMesh **out)
{
    Grid grid = choose_grid(def);
    double elements =
        grid_elements(def->shape, (double)grid.core, (double)grid.layers, (double)grid.stack);
    if (elements > INT32_MAX) {
        return ly_fail(LYRA_TOO_LARGE, "mesh: %.0f elements, at most %d", elements, INT32_MAX);
    }
    return def->shape == LYRA_MESH_SHAPE_SPHERE ? generate_ball(ctx, def, grid, out)
                                                : generate_stack(ctx, def, grid, out);
}
