// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Signed distances on a grid: made row by row from the tree, read by trilinear interpolation.

#include "volume/distance_field.h"

#include "volume/volume.h"

#include <math.h>
#include <string.h>

enum { GRAIN = 1024 };

LyraDistanceFieldDef lyra_distance_field_def_default(void)
{
    return (LyraDistanceFieldDef){.resolution = 64, .margin = 2, .cookie = LY_DEF_COOKIE};
}

// ---- making -------------------------------------------------------------------------------------

LyraStatus ly_distance_field_allocate(LyraContext *ctx, const LyraDistanceFieldView *shape,
                                      LyraDistanceField **out)
{
    int64_t count = 1;
    for (int32_t i = 0; i < 3; ++i) {
        if (shape->dimensions[i] < 2) {
            return ly_fail(LYRA_INVALID_ARGUMENT,
                           "distance field: %d samples along axis %d, expected at least 2",
                           shape->dimensions[i], i);
        }
        if (!isfinite(shape->origin[i])) {
            return ly_fail(LYRA_NOT_FINITE, "distance field: the origin is not finite");
        }
        count *= shape->dimensions[i];
        if (count > INT32_MAX) {
            return ly_fail(LYRA_TOO_LARGE, "distance field: %d x %d x %d samples, at most %d",
                           shape->dimensions[0], shape->dimensions[1], shape->dimensions[2],
                           INT32_MAX);
        }
    }
    if (!(shape->spacing > 0) || !isfinite(shape->spacing)) {
        return ly_fail(LYRA_INVALID_ARGUMENT,
                       "distance field: the spacing is %g, expected a positive length",
                       shape->spacing);
    }
    LyraDistanceField *field = NULL;
    LY_TRY(ly_allocate_zeroed(ctx, 1, sizeof *field, &field));
    field->ctx = ctx;
    field->shape = *shape;
    field->shape.values = NULL;
    LyraStatus status = ly_allocate_array(ctx, count, sizeof *field->values, &field->values);
    if (status != LYRA_OK) {
        ly_release(ctx, field);
        return status;
    }
    *out = field;
    return LYRA_OK;
}

LyraStatus lyra_distance_field_create_from_values(LyraContext *ctx,
                                                  const LyraDistanceFieldView *data,
                                                  LyraDistanceField **out)
{
    LyraDistanceField *field = NULL;
    LY_TRY(ly_distance_field_allocate(ctx, data, &field));
    int64_t count =
        (int64_t)data->dimensions[0] * data->dimensions[1] * (int64_t)data->dimensions[2];
    for (int64_t i = 0; i < count; ++i) {
        if (!isfinite(data->values[i])) {
            lyra_distance_field_destroy(field);
            return ly_fail(LYRA_NOT_FINITE, "distance field: value %lld is not finite",
                           (long long)i);
        }
    }
    memcpy(field->values, data->values, (size_t)count * sizeof *field->values);
    *out = field;
    return LYRA_OK;
}

typedef struct Sampling {
    const LyraSurfaceTree *tree;
    LyraDistanceField *field;
} Sampling;

static void sample_row(void *data, int32_t index, int32_t worker)
{
    (void)worker;
    const Sampling *sampling = data;
    const LyraDistanceFieldView *shape = &sampling->field->shape;
    int32_t y = index % shape->dimensions[1], z = index / shape->dimensions[1];
    double *row = sampling->field->values + (int64_t)index * shape->dimensions[0];
    double p[3] = {0, shape->origin[1] + y * shape->spacing, shape->origin[2] + z * shape->spacing};
    double limit = INFINITY;
    for (int32_t x = 0; x < shape->dimensions[0]; ++x) {
        p[0] = shape->origin[0] + x * shape->spacing;
        double distance = ly_surface_tree_distance(sampling->tree, p, limit, NULL, NULL);
        row[x] = ly_surface_tree_holds(sampling->tree, p) ? -distance : distance;
        // a step away the surface is at most a step farther
        limit = (distance + shape->spacing) * (1 + 1e-9);
    }
}

LyraStatus lyra_distance_field_create(const LyraSurfaceTree *tree, const LyraDistanceFieldDef *def,
                                      LyraDistanceField **out)
{
    LY_CHECK_DEF(def, "lyra_distance_field_def_default");
    if (def->resolution < 1 || def->margin < 0) {
        return ly_fail(
            LYRA_INVALID_ARGUMENT,
            "distance field: resolution %d and margin %d, expected at least 1 and at least 0",
            def->resolution, def->margin);
    }
    LyraDistanceFieldView shape = {.spacing = 0};
    for (int32_t i = 0; i < 3; ++i) {
        shape.spacing = fmax(shape.spacing, (tree->high[i] - tree->low[i]) / def->resolution);
    }
    if (!(shape.spacing > 1e-100)) {
        return ly_fail(LYRA_BAD_MESH, "distance field: the surface has no extent");
    }
    for (int32_t i = 0; i < 3; ++i) {
        double cells = ceil((tree->high[i] - tree->low[i]) / shape.spacing - 1e-9);
        double samples = cells + 2 * (double)def->margin + 1;
        if (samples > INT32_MAX) {
            return ly_fail(LYRA_TOO_LARGE, "distance field: %g samples along axis %d, at most %d",
                           samples, i, INT32_MAX);
        }
        // a flat surface still gets a cell
        shape.dimensions[i] = samples < 2 ? 2 : (int32_t)samples;
        double middle = 0.5 * (tree->low[i] + tree->high[i]);
        shape.origin[i] = middle - 0.5 * (shape.dimensions[i] - 1) * shape.spacing;
    }
    Sampling sampling = {.tree = tree};
    LY_TRY(ly_distance_field_allocate(tree->ctx, &shape, &sampling.field));
    // rows are few enough for their number to fit: all samples do
    ly_parallel_for(tree->ctx, shape.dimensions[1] * shape.dimensions[2], sample_row, &sampling);
    *out = sampling.field;
    return LYRA_OK;
}

void lyra_distance_field_destroy(LyraDistanceField *field)
{
    if (field) {
        LyraContext *ctx = field->ctx;
        ly_release(ctx, field->values);
        ly_release(ctx, field);
    }
}

LyraDistanceFieldView lyra_distance_field_view(const LyraDistanceField *field)
{
    LyraDistanceFieldView view = field->shape;
    view.values = field->values;
    return view;
}

// ---- reading ------------------------------------------------------------------------------------

static double sample_point(const LyraDistanceField *field, const double p[3], double gradient[3])
{
    const LyraDistanceFieldView *shape = &field->shape;
    int32_t cell[3];
    double t[3], beyond[3], beyond2 = 0;
    for (int32_t i = 0; i < 3; ++i) {
        double last = shape->dimensions[i] - 1;
        double x = (p[i] - shape->origin[i]) / shape->spacing;
        double inside = x < 0 ? 0 : x > last ? last : x;
        beyond[i] = (x - inside) * shape->spacing;
        beyond2 += beyond[i] * beyond[i];
        cell[i] = (int32_t)fmin(inside, last - 1);
        t[i] = inside - cell[i];
    }
    int64_t dy = shape->dimensions[0], dz = dy * shape->dimensions[1];
    const double *v = field->values + cell[0] + cell[1] * dy + cell[2] * dz;
    // values along x, then along y, then along z
    double x00 = v[0] + t[0] * (v[1] - v[0]), x10 = v[dy] + t[0] * (v[dy + 1] - v[dy]);
    double x01 = v[dz] + t[0] * (v[dz + 1] - v[dz]);
    double x11 = v[dz + dy] + t[0] * (v[dz + dy + 1] - v[dz + dy]);
    double y0 = x00 + t[1] * (x10 - x00), y1 = x01 + t[1] * (x11 - x01);
    double beyond_length = sqrt(beyond2);
    if (gradient) {
        double d0 = v[1] - v[0], d1 = v[dy + 1] - v[dy];
        double d2 = v[dz + 1] - v[dz], d3 = v[dz + dy + 1] - v[dz + dy];
        double g[3] = {
            (d0 + t[1] * (d1 - d0)) * (1 - t[2]) + (d2 + t[1] * (d3 - d2)) * t[2],
            (x10 - x00) + t[2] * ((x11 - x01) - (x10 - x00)),
            y1 - y0,
        };
        for (int32_t i = 0; i < 3; ++i) {
            // across the side of the grid the value stays and the way back grows
            gradient[i] = beyond[i] != 0 ? beyond[i] / beyond_length : g[i] / shape->spacing;
        }
    }
    return y0 + t[2] * (y1 - y0) + beyond_length;
}

typedef struct FieldQuery {
    const LyraDistanceField *field;
    int32_t count, pieces;
    const double *points;
    double *distances, *gradients;
} FieldQuery;

static void sample_points(void *data, int32_t index, int32_t worker)
{
    (void)worker;
    const FieldQuery *query = data;
    int64_t end = ly_piece_begin(query->count, query->pieces, index + 1);
    for (int64_t i = ly_piece_begin(query->count, query->pieces, index); i < end; ++i) {
        const double *p = query->points + 3 * i;
        double gradient[3] = {0}, distance = INFINITY;
        if (ly_box_tree_accepts(p)) {
            distance = sample_point(query->field, p, query->gradients ? gradient : NULL);
        }
        query->distances[i] = distance;
        if (query->gradients) {
            memcpy(query->gradients + 3 * i, gradient, sizeof gradient);
        }
    }
}

void lyra_distance_field_sample(const LyraDistanceField *field, int32_t count, const double *points,
                                double *distances, double *gradients)
{
    LYRA_ASSERT(count >= 0);
    FieldQuery query = {
        .field = field,
        .count = count,
        .pieces = ly_piece_count(count, GRAIN),
        .points = points,
        .distances = distances,
        .gradients = gradients,
    };
    ly_parallel_for(field->ctx, query.pieces, sample_points, &query);
}
