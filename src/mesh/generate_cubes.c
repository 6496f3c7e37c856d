// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Cube meshes of the ball, the cylinder and the torus: the cubes of a lattice whose centre lies
// inside. A lattice of edge h has a corner or the centre of a cube at the middle of the body; about
// V / h^3 of its cubes are inside a body of volume V. The edge is corrected a few times by the
// count it gave, and the lattice that comes nearest is taken.

#include "mesh/generate.h"

#include <math.h>

#define PI 3.14159265358979323846
#define ROUNDS 5

// more rows of cubes than this are not looked through: the body is too thin for its lattice
#define ROW_LIMIT 2e7

typedef struct Lattice {
    double edge;   // in units of the radius
    bool centered; // the centre of a cube is at the middle; else a corner
} Lattice;

// The body with radius 1, in which all is reckoned so that nothing overflows.
static LyraMeshShapeDef unit_body(const LyraMeshShapeDef *def)
{
    LyraMeshShapeDef unit = *def;
    unit.radius = 1;
    unit.tube_radius = def->tube_radius / def->radius;
    unit.height = def->height / def->radius;
    return unit;
}

// Half of the body's box along y and z.
static void half_box(const LyraMeshShapeDef *def, double *y, double *z)
{
    bool torus = def->shape == LYRA_MESH_SHAPE_TORUS;
    bool cylinder = def->shape == LYRA_MESH_SHAPE_CYLINDER;
    *y = 1 + (torus ? def->tube_radius : 0);
    *z = torus ? def->tube_radius : cylinder ? 0.5 * def->height : 1;
}

// Cube root of the volume, apart so that it can't underflow.
static double volume_root(const LyraMeshShapeDef *def)
{
    double tube = cbrt(def->tube_radius);
    switch (def->shape) {
    case LYRA_MESH_SHAPE_SPHERE:
        return cbrt(4.0 / 3 * PI);
    case LYRA_MESH_SHAPE_CYLINDER:
        return cbrt(PI) * cbrt(def->height);
    default:
        return cbrt(2 * PI * PI) * tube * tube;
    }
}

// Half the extent along x of the body at (y, z), as an interval [inner, outer] of |x|; empty where
// outer < 0.
static void extent_at(const LyraMeshShapeDef *def, double y, double z, double *inner, double *outer)
{
    *inner = -1;
    *outer = -1;
    double square = 1 - y * y;
    if (def->shape == LYRA_MESH_SHAPE_SPHERE) {
        square -= z * z;
    } else if (def->shape == LYRA_MESH_SHAPE_CYLINDER) {
        square = fabs(z) > 0.5 * def->height ? -1 : square;
    } else {
        double tube = def->tube_radius * def->tube_radius - z * z;
        if (tube < 0) {
            return;
        }
        double far = 1 + sqrt(tube), near = 1 - sqrt(tube);
        square = far * far - y * y;
        *inner = near * near > y * y ? sqrt(near * near - y * y) : -1;
    }
    if (square >= 0) {
        *outer = sqrt(square);
    }
}

// Counts the cubes inside; writes them where `voxels` is not NULL. -1 where there are more than
// `limit` or the body is too thin.
static int64_t collect(const LyraMeshShapeDef *def, const Lattice *lattice, int64_t limit,
                       int32_t *voxels)
{
    double half_y, half_z;
    half_box(def, &half_y, &half_z);
    half_y = ceil(half_y / lattice->edge) + 1;
    half_z = ceil(half_z / lattice->edge) + 1;
    if (!(half_y * half_z < ROW_LIMIT)) {
        return -1;
    }
    int64_t last_y = (int64_t)half_y, last_z = (int64_t)half_z;
    double shift = lattice->centered ? 0 : 0.5;
    int64_t count = 0;
    for (int64_t k = -last_z; k <= last_z; ++k) {
        for (int64_t j = -last_y; j <= last_y; ++j) {
            if (count > limit) {
                return -1;
            }
            double inner, outer;
            extent_at(def, ((double)j + shift) * lattice->edge, ((double)k + shift) * lattice->edge,
                      &inner, &outer);
            if (outer < 0) {
                continue;
            }
            int64_t last = (int64_t)ceil(outer / lattice->edge) + 1;
            for (int64_t i = -last; i <= last; ++i) {
                double x = fabs((double)i + shift) * lattice->edge;
                if (x > outer || x < inner) {
                    continue;
                }
                if (voxels) {
                    voxels[3 * count] = (int32_t)i;
                    voxels[3 * count + 1] = (int32_t)j;
                    voxels[3 * count + 2] = (int32_t)k;
                }
                ++count;
            }
        }
    }
    return count;
}

static double distance(int64_t count, int64_t wanted)
{
    return count > 0 ? fabs(log((double)count / (double)wanted)) : INFINITY;
}

static LyraStatus choose_lattice(const LyraMeshShapeDef *def, Lattice *out, int64_t *out_count)
{
    int64_t limit = 8 * def->elements + 1000;
    double best = INFINITY;
    for (int32_t centered = 0; centered < 2; ++centered) {
        double edge = volume_root(def) / cbrt((double)def->elements);
        for (int32_t round = 0; round < ROUNDS; ++round) {
            Lattice lattice = {.edge = edge, .centered = centered};
            int64_t count = collect(def, &lattice, limit, NULL);
            if (distance(count, def->elements) < best) {
                best = distance(count, def->elements);
                *out = lattice;
                *out_count = count;
            }
            if (count == def->elements) {
                break;
            }
            edge *= count > 0    ? cbrt((double)count / (double)def->elements)
                    : count == 0 ? 0.7
                                 : 2.0;
        }
    }
    if (!(best < INFINITY)) {
        return ly_fail(LYRA_INVALID_ARGUMENT, "mesh: no lattice of about %lld cubes fits the %s",
                       (long long)def->elements, lyra_mesh_shape_name(def->shape));
    }
    if (*out_count > INT32_MAX) {
        return ly_fail(LYRA_TOO_LARGE, "mesh: %lld cubes, at most %d", (long long)*out_count,
                       INT32_MAX);
    }
    return LYRA_OK;
}

LyraStatus ly_generate_round_cubes(LyraContext *ctx, const LyraMeshShapeDef *def, LyraMesh **out)
{
    LyraMeshShapeDef unit = unit_body(def);
    Lattice lattice = {0};
    int64_t count = 0;
    LY_TRY(choose_lattice(&unit, &lattice, &count));
    int32_t *voxels = NULL;
    LY_TRY(ly_allocate_array(ctx, 3 * count, sizeof *voxels, &voxels));
    collect(&unit, &lattice, INT64_MAX, voxels);
    double origin[3], edge = lattice.edge * def->radius;
    for (int32_t i = 0; i < 3; ++i) {
        origin[i] = def->center[i] - (lattice.centered ? 0.5 * edge : 0);
    }
    LyraStatus status =
        ly_mesh_create_from_voxels(ctx, count, voxels, origin, edge, def->material, out);
    ly_release(ctx, voxels);
    return status;
}
