// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Making shapes: a frame and sizes for each term, samples for fields.

#include "collide/shape.h"

#include "lyra/distance.h"
#include "math/vec3.h"

#include <math.h>
#include <string.h>

#define MARGIN_CELLS 3

LyraShapeDef lyra_shape_def_default(void)
{
    return (LyraShapeDef){.normal = {0, 1, 0},
                          .end = {0, 1, 0},
                          .radius = 0.5,
                          .tube = 0.1,
                          .size = {1, 1, 1},
                          .spacing = 1,
                          .resolution = 64,
                          .cookie = LY_DEF_COOKIE};
}

// ---- frames -------------------------------------------------------------------------------------

// rows of `axes` with the second one along `up`, which has a length
static void set_axes(const double up[3], LyTerm *term)
{
    double length = ly_length3(up), y[3], x[3], z[3];
    for (int i = 0; i < 3; ++i) {
        y[i] = up[i] / length;
    }
    double other[3] = {0};
    other[fabs(y[0]) <= fabs(y[1]) && fabs(y[0]) <= fabs(y[2]) ? 0
          : fabs(y[1]) <= fabs(y[2])                           ? 1
                                                               : 2] = 1;
    ly_cross3(other, y, z);
    double size = ly_length3(z);
    for (int i = 0; i < 3; ++i) {
        z[i] /= size;
    }
    ly_cross3(y, z, x);
    memcpy(term->axes, x, sizeof x);
    memcpy(term->axes + 3, y, sizeof y);
    memcpy(term->axes + 6, z, sizeof z);
}

static LyTerm *add_term(LyraShape *shape, LyTermKind kind, const double origin[3],
                        const double up[3])
{
    LyTerm *term = &shape->terms[shape->term_count++];
    *term = (LyTerm){.kind = kind, .convex = true, .lipschitz = 1};
    memcpy(term->origin, origin, sizeof term->origin);
    set_axes(up, term);
    return term;
}

// ---- checks -------------------------------------------------------------------------------------

static LyraStatus check_positive(const char *what, double value)
{
    return value > 0 && isfinite(value) ? LYRA_OK
                                        : ly_fail_key(LYRA_INVALID_ARGUMENT, what,
                                                      "found %g, expected a number above 0", value);
}

static LyraStatus check_vector(const char *what, const double v[3], bool length)
{
    for (int i = 0; i < 3; ++i) {
        if (!isfinite(v[i])) {
            return ly_fail_key(LYRA_NOT_FINITE, what, "found %g, expected finite numbers", v[i]);
        }
    }
    return length && !(ly_dot3(v, v) > 0)
               ? ly_fail_key(LYRA_INVALID_ARGUMENT, what, "found a direction without a length")
               : LYRA_OK;
}

// ---- kinds --------------------------------------------------------------------------------------

static LyraStatus make_along(LyraShape *shape, const LyraShapeDef *def)
{
    double up[3], middle[3];
    LY_TRY(check_vector("end", def->end, false));
    LY_TRY(check_positive("radius", def->radius));
    ly_subtract3(def->end, def->point, up);
    double length = ly_length3(up);
    if (!(length > 0) || !isfinite(length)) {
        return ly_fail_key(LYRA_INVALID_ARGUMENT, "end",
                           "found the place of point, expected another end");
    }
    for (int i = 0; i < 3; ++i) {
        middle[i] = 0.5 * (def->point[i] + def->end[i]);
    }
    bool capped = def->kind == LYRA_SHAPE_CYLINDER;
    memcpy(shape->center, middle, sizeof middle);
    shape->bound = capped ? hypot(0.5 * length, def->radius) : 0.5 * length + def->radius;
    LyTermKind kind = !capped ? LY_TERM_CAPSULE : def->inside ? LY_TERM_TUBE : LY_TERM_CYLINDER;
    LyTerm *term = add_term(shape, kind, middle, up);
    term->half[1] = 0.5 * length;
    term->radius = def->radius;
    term->inside = def->inside;
    term->convex = !def->inside;
    if (capped && def->inside) {
        const double down[3] = {-up[0], -up[1], -up[2]};
        add_term(shape, LY_TERM_PLANE, def->point, up);
        add_term(shape, LY_TERM_PLANE, def->end, down);
    }
    return LYRA_OK;
}

static LyraStatus make_box(LyraShape *shape, const LyraShapeDef *def)
{
    const double up[3] = {0, 1, 0};
    double sum = 0;
    for (int i = 0; i < 3; ++i) {
        LY_TRY(check_positive("size", def->size[i]));
        sum += 0.25 * def->size[i] * def->size[i];
    }
    memcpy(shape->center, def->point, sizeof shape->center);
    shape->bound = sqrt(sum);
    if (!def->inside) {
        LyTerm *term = add_term(shape, LY_TERM_BOX, def->point, up);
        memset(term->axes, 0, sizeof term->axes);
        for (int i = 0; i < 3; ++i) {
            term->axes[4 * i] = 1;
            term->half[i] = 0.5 * def->size[i];
        }
        return LYRA_OK;
    }
    for (int i = 0; i < 6; ++i) {
        double at[3], normal[3] = {0}, sign = i % 2 ? -1 : 1;
        memcpy(at, def->point, sizeof at);
        at[i / 2] -= 0.5 * sign * def->size[i / 2];
        normal[i / 2] = sign;
        add_term(shape, LY_TERM_PLANE, at, normal);
    }
    return LYRA_OK;
}

static LyraStatus make_heights(LyraShape *shape, const LyraShapeDef *def)
{
    const double up[3] = {0, 1, 0};
    int64_t count = (int64_t)def->count[0] * def->count[1];
    double slope = 0;
    LY_TRY(check_positive("spacing", def->spacing));
    if (def->inside) {
        return ly_fail_key(LYRA_UNSUPPORTED, "inside", "a height field has no inside");
    }
    if (!def->heights || def->count[0] < 2 || def->count[1] < 2) {
        return ly_fail_key(LYRA_INVALID_ARGUMENT, "heights",
                           "found %d by %d heights, expected 2 or more each way",
                           (int)def->count[0], (int)def->count[1]);
    }
    LY_TRY(ly_allocate_array(shape->ctx, count, sizeof *shape->values, &shape->values));
    memcpy(shape->values, def->heights, (size_t)count * sizeof *shape->values);
    // slopes along x and z are means of differences
    double most[2] = {0};
    for (int64_t k = 0; k < count; ++k) {
        if (!isfinite(def->heights[k])) {
            return ly_fail_key(LYRA_NOT_FINITE, "heights", "height %lld is %g", (long long)k,
                               def->heights[k]);
        }
        bool next = k % def->count[0] + 1 < def->count[0], over = k + def->count[0] < count;
        most[0] = next ? fmax(most[0], fabs(def->heights[k + 1] - def->heights[k])) : most[0];
        most[1] =
            over ? fmax(most[1], fabs(def->heights[k + def->count[0]] - def->heights[k])) : most[1];
    }
    slope = hypot(most[0], most[1]) / def->spacing;
    LyTerm *term = add_term(shape, LY_TERM_HEIGHTS, def->point, up);
    memset(term->axes, 0, sizeof term->axes);
    term->axes[0] = term->axes[4] = term->axes[8] = 1;
    term->convex = false;
    term->count[0] = def->count[0];
    term->count[2] = def->count[1];
    term->spacing = def->spacing;
    term->scale = 1 / sqrt(1 + slope * slope);
    term->values = shape->values;
    shape->bound = INFINITY;
    return LYRA_OK;
}

static LyraStatus sample(LyraShape *shape, const LyraShapeDef *def, LyraSurfaceTree **tree,
                         LyraDistanceField **field)
{
    LyraSurfaceReport report;
    double low[3], high[3], longest = 0;
    LY_TRY(lyra_surface_report(def->surface, &report));
    if (!report.closed) {
        return ly_fail_key(LYRA_BAD_MESH, "file",
                           "found a surface with %lld open edges, expected a closed one: thin "
                           "sheets have no inside to keep bodies out of; close it, or give it a "
                           "thickness",
                           (long long)report.boundary_edges);
    }
    LyraSurfaceView view = lyra_surface_view(def->surface);
    for (int i = 0; i < 3; ++i) {
        low[i] = INFINITY;
        high[i] = -INFINITY;
    }
    for (int64_t k = 0; k < 3 * (int64_t)view.vertex_count; ++k) {
        low[k % 3] = fmin(low[k % 3], view.positions[k]);
        high[k % 3] = fmax(high[k % 3], view.positions[k]);
    }
    for (int i = 0; i < 3; ++i) {
        longest = fmax(longest, high[i] - low[i]);
    }
    LyraDistanceFieldDef grid = lyra_distance_field_def_default();
    double cells = ceil(2 * def->reach / longest * def->resolution) + MARGIN_CELLS;
    grid.resolution = def->resolution;
    grid.margin = (int32_t)fmin(cells, 4.0 * def->resolution);
    LY_TRY(lyra_surface_tree_create(def->surface, tree));
    LY_TRY(lyra_distance_field_create(*tree, &grid, field));
    LyraDistanceFieldView samples = lyra_distance_field_view(*field);
    int64_t count = (int64_t)samples.dimensions[0] * samples.dimensions[1] * samples.dimensions[2];
    LY_TRY(ly_allocate_array(shape->ctx, count, sizeof *shape->values, &shape->values));
    memcpy(shape->values, samples.values, (size_t)count * sizeof *shape->values);
    const double up[3] = {0, 1, 0};
    LyTerm *term = add_term(shape, LY_TERM_GRID, samples.origin, up);
    memset(term->axes, 0, sizeof term->axes);
    term->axes[0] = term->axes[4] = term->axes[8] = 1;
    memcpy(term->count, samples.dimensions, sizeof term->count);
    term->spacing = samples.spacing;
    term->scale = (grid.margin - 1) * samples.spacing;
    term->convex = false;
    term->lipschitz = sqrt(3);
    term->values = shape->values;
    term->inside = def->inside;
    for (int i = 0; i < 3; ++i) {
        shape->center[i] = 0.5 * (low[i] + high[i]);
    }
    shape->bound =
        0.5 * hypot(hypot(high[0] - low[0], high[1] - low[1]), high[2] - low[2]) + samples.spacing;
    return LYRA_OK;
}

static LyraStatus make_mesh(LyraShape *shape, const LyraShapeDef *def)
{
    LyraSurfaceTree *tree = NULL;
    LyraDistanceField *field = NULL;
    if (!def->surface) {
        return ly_fail_key(LYRA_INVALID_ARGUMENT, "file", "found none, expected a closed surface");
    }
    if (def->resolution < 4 || def->resolution > 1024) {
        return ly_fail_key(LYRA_INVALID_ARGUMENT, "resolution", "found %d, expected 4 to 1024",
                           (int)def->resolution);
    }
    LyraStatus status = sample(shape, def, &tree, &field);
    lyra_distance_field_destroy(field);
    lyra_surface_tree_destroy(tree);
    return status;
}

static LyraStatus make(LyraShape *shape, const LyraShapeDef *def)
{
    static const double up[3] = {0, 1, 0};
    LyTerm *term = NULL;
    LY_TRY(check_vector("point", def->point, false));
    memcpy(shape->center, def->point, sizeof shape->center);
    switch (def->kind) {
    case LYRA_SHAPE_PLANE:
        LY_TRY(check_vector("normal", def->normal, true));
        term = add_term(shape, LY_TERM_PLANE, def->point, def->normal);
        term->inside = def->inside;
        shape->bound = INFINITY;
        return LYRA_OK;
    case LYRA_SHAPE_SPHERE:
        LY_TRY(check_positive("radius", def->radius));
        term = add_term(shape, LY_TERM_CAPSULE, def->point, up);
        term->radius = shape->bound = def->radius;
        term->inside = def->inside;
        term->convex = !def->inside;
        return LYRA_OK;
    case LYRA_SHAPE_CAPSULE:
    case LYRA_SHAPE_CYLINDER:
        return make_along(shape, def);
    case LYRA_SHAPE_BOX:
        return make_box(shape, def);
    case LYRA_SHAPE_TORUS:
        LY_TRY(check_vector("normal", def->normal, true));
        LY_TRY(check_positive("radius", def->radius));
        LY_TRY(check_positive("tube", def->tube));
        term = add_term(shape, LY_TERM_TORUS, def->point, def->normal);
        term->radius = def->radius;
        term->tube = def->tube;
        term->inside = def->inside;
        term->convex = false;
        shape->bound = def->radius + def->tube;
        return LYRA_OK;
    case LYRA_SHAPE_HEIGHT_FIELD:
        return make_heights(shape, def);
    case LYRA_SHAPE_MESH:
        return make_mesh(shape, def);
    default:
        return ly_fail_key(LYRA_INVALID_ARGUMENT, "shape", "found %d, expected 0 to %d",
                           (int)def->kind, (int)LYRA_SHAPE_KIND_COUNT - 1);
    }
}

LyraStatus lyra_shape_create(LyraContext *ctx, const LyraShapeDef *def, LyraShape **out)
{
    LYRA_ASSERT(ctx && def && out);
    LY_CHECK_DEF(def, "lyra_shape_def_default");
    LyraShape *shape = NULL;
    LY_TRY(ly_allocate_zeroed(ctx, 1, sizeof *shape, &shape));
    shape->ctx = ctx;
    shape->kind = def->kind;
    LyraStatus status = make(shape, def);
    if (status != LYRA_OK) {
        lyra_shape_destroy(shape);
        return status;
    }
    if (def->inside) {
        // solid is all around
        shape->bound = INFINITY;
    }
    *out = shape;
    return LYRA_OK;
}

void lyra_shape_destroy(LyraShape *shape)
{
    if (shape) {
        ly_release(shape->ctx, shape->values);
        ly_release(shape->ctx, shape);
    }
}

void lyra_shape_distance(const LyraShape *shape, int32_t count, const double *points,
                         double *distances, double *gradients, double *hessians)
{
    LYRA_ASSERT(shape && (count == 0 || (points && distances)));
    for (int64_t p = 0; p < count; ++p) {
        distances[p] = INFINITY;
        for (int32_t t = 0; t < shape->term_count; ++t) {
            double n[3], H[9];
            double phi = ly_term_distance(&shape->terms[t], points + 3 * p, n, hessians ? H : NULL);
            if (phi < distances[p]) {
                distances[p] = phi;
                if (gradients) {
                    memcpy(gradients + 3 * p, n, sizeof n);
                }
                if (hessians) {
                    memcpy(hessians + 9 * p, H, sizeof H);
                }
            }
        }
    }
}
