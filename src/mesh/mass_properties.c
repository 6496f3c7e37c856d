// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Volume, mass, centre of mass and inertia of a mesh.
//
// Two passes over the elements. The first takes moments about the middle of the box and gives the
// centre of mass; the second takes second moments about that centre, so that nothing large cancels
// however far from the origin the body lies. Sums are compensated (Neumaier): each keeps the part
// that rounding would drop. Pieces of fixed size are summed apart and combined in order, so the
// result has the same bits at any thread count. With S = int rho r r^T: I = tr(S) 1 - S.

#include "lyra/mesh_ops.h"
#include "mesh/element.h"

#include <math.h>
#include <string.h>

#define GRAIN 8192

// ---- compensated sums ---------------------------------------------------------------------------

typedef struct Sum {
    double value, rest;
} Sum;

static void sum_add(Sum *sum, double x)
{
    double total = sum->value + x;
    sum->rest += fabs(sum->value) >= fabs(x) ? (sum->value - total) + x : (x - total) + sum->value;
    sum->value = total;
}

static double sum_result(Sum sum)
{
    // the rest of an infinite sum is NaN
    return isfinite(sum.value) ? sum.value + sum.rest : sum.value;
}

// ---- volumes ------------------------------------------------------------------------------------

typedef struct VolumeTask {
    const LyraMesh *mesh;
    double *volumes;
    int32_t pieces;
} VolumeTask;

static void volume_piece(void *data, int32_t index, int32_t worker)
{
    (void)worker;
    const VolumeTask *task = data;
    int64_t end = ly_piece_begin(task->mesh->element_count, task->pieces, index + 1);
    for (int64_t e = ly_piece_begin(task->mesh->element_count, task->pieces, index); e < end; ++e) {
        task->volumes[e] = ly_element_volume(task->mesh, (int32_t)e);
    }
}

void lyra_mesh_element_volumes(const LyraMesh *mesh, double *volumes)
{
    VolumeTask task = {mesh, volumes, ly_piece_count(mesh->element_count, GRAIN)};
    ly_parallel_for(mesh->ctx, task.pieces, volume_piece, &task);
}

// ---- moments ------------------------------------------------------------------------------------

typedef enum {
    SUM_VOLUME,
    SUM_MASS,
    SUM_FIRST,
    SUM_SECOND = SUM_FIRST + 3,
    SUM_COUNT = SUM_SECOND + 6,
} SumIndex;

typedef struct Part {
    Sum sums[SUM_COUNT];
    double min_volume, max_volume;
    int32_t min_element, max_element;
} Part;

typedef struct MomentTask {
    const LyraMesh *mesh;
    const double *densities;
    double origin[3];
    int32_t pieces;
    Part *parts;
} MomentTask;

static void moment_piece(void *data, int32_t index, int32_t worker)
{
    (void)worker;
    const MomentTask *task = data;
    const LyraMesh *mesh = task->mesh;
    Part part = {
        .min_volume = INFINITY, .max_volume = -INFINITY, .min_element = -1, .max_element = -1};
    int64_t end = ly_piece_begin(mesh->element_count, task->pieces, index + 1);
    for (int64_t e = ly_piece_begin(mesh->element_count, task->pieces, index); e < end; ++e) {
        double volume, first[3], second[6];
        ly_element_moments(mesh, (int32_t)e, task->origin, &volume, first, second);
        double density = task->densities ? task->densities[e]
                                         : mesh->materials[mesh->element_materials[e]].density;
        sum_add(&part.sums[SUM_VOLUME], volume);
        sum_add(&part.sums[SUM_MASS], density * volume);
        for (int32_t i = 0; i < 3; ++i) {
            sum_add(&part.sums[SUM_FIRST + i], density * first[i]);
        }
        for (int32_t i = 0; i < 6; ++i) {
            sum_add(&part.sums[SUM_SECOND + i], density * second[i]);
        }
        double signed_volume = ly_element_volume(mesh, (int32_t)e);
        if (signed_volume < part.min_volume) {
            part.min_volume = signed_volume;
            part.min_element = (int32_t)e;
        }
        if (signed_volume > part.max_volume) {
            part.max_volume = signed_volume;
            part.max_element = (int32_t)e;
        }
    }
    task->parts[index] = part;
}

static Part take_moments(MomentTask *task)
{
    ly_parallel_for(task->mesh->ctx, task->pieces, moment_piece, task);
    Part all = task->parts[0];
    for (int32_t p = 1; p < task->pieces; ++p) {
        const Part *part = &task->parts[p];
        for (int32_t i = 0; i < SUM_COUNT; ++i) {
            sum_add(&all.sums[i], part->sums[i].value);
            sum_add(&all.sums[i], part->sums[i].rest);
        }
        if (part->min_volume < all.min_volume) {
            all.min_volume = part->min_volume;
            all.min_element = part->min_element;
        }
        if (part->max_volume > all.max_volume) {
            all.max_volume = part->max_volume;
            all.max_element = part->max_element;
        }
    }
    return all;
}

static void find_box(const LyraMesh *mesh, double box[2][3])
{
    for (int32_t i = 0; i < 3; ++i) {
        box[0][i] = mesh->vertex_count > 0 ? INFINITY : 0;
        box[1][i] = mesh->vertex_count > 0 ? -INFINITY : 0;
    }
    for (int64_t v = 0; v < mesh->vertex_count; ++v) {
        for (int32_t i = 0; i < 3; ++i) {
            double x = mesh->positions[3 * v + i];
            box[0][i] = x < box[0][i] ? x : box[0][i];
            box[1][i] = x > box[1][i] ? x : box[1][i];
        }
    }
}

static bool is_finite(const LyraMassProperties *properties)
{
    double all = properties->volume + properties->mass;
    for (int32_t i = 0; i < 9; ++i) {
        all += fabs(properties->inertia[i]) + fabs(properties->center_of_mass[i % 3]);
    }
    return isfinite(all);
}

LyraStatus lyra_mesh_mass_properties(const LyraMesh *mesh, const double *densities,
                                     LyraMassProperties *out)
{
    LyraMassProperties result = {0};
    MomentTask task = {
        .mesh = mesh,
        .densities = densities,
        .pieces = ly_piece_count(mesh->element_count, GRAIN),
    };
    LY_TRY(ly_allocate_array(mesh->ctx, task.pieces, sizeof *task.parts, &task.parts));
    find_box(mesh, result.box);
    double middle[3];
    for (int32_t i = 0; i < 3; ++i) {
        middle[i] = 0.5 * result.box[0][i] + 0.5 * result.box[1][i];
        task.origin[i] = middle[i];
    }

    // first pass: mass and its centre
    Part part = take_moments(&task);
    result.volume = sum_result(part.sums[SUM_VOLUME]);
    result.mass = sum_result(part.sums[SUM_MASS]);
    for (int32_t i = 0; i < 3; ++i) {
        double offset = sum_result(part.sums[SUM_FIRST + i]) / result.mass;
        result.center_of_mass[i] = middle[i] + (result.mass != 0 ? offset : 0);
        task.origin[i] = result.center_of_mass[i];
    }
    result.min_element = part.min_element;
    result.max_element = part.max_element;
    result.min_element_volume = part.min_element >= 0 ? part.min_volume : 0;
    result.max_element_volume = part.max_element >= 0 ? part.max_volume : 0;

    // second pass: inertia about it
    part = take_moments(&task);
    ly_release(mesh->ctx, task.parts);
    double second[6];
    for (int32_t i = 0; i < 6; ++i) {
        second[i] = sum_result(part.sums[SUM_SECOND + i]);
    }
    double xx = second[0], xy = second[1], xz = second[2];
    double yy = second[3], yz = second[4], zz = second[5];
    const double inertia[9] = {yy + zz, -xy, -xz, -xy, xx + zz, -yz, -xz, -yz, xx + yy};
    memcpy(result.inertia, inertia, sizeof inertia);
    if (!is_finite(&result)) {
        return ly_fail(LYRA_NOT_FINITE, "mesh: its mass properties are beyond the range of double");
    }
    *out = result;
    return LYRA_OK;
}
