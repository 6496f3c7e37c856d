// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Lines and their generators.

#include "mesh/lines.h"

#include "base/base.h"

#include <math.h>
#include <string.h>

// ---- data ---------------------------------------------------------------------------------------

static LyraStatus check(const LyraLinesView *data)
{
    if (data->vertex_count < 0 || data->edge_count < 0 ||
        (data->vertex_count > 0 && !data->positions) || (data->edge_count > 0 && !data->edges)) {
        return ly_fail(LYRA_INVALID_ARGUMENT, "lines: %d edges of %d vertices need arrays",
                       (int)data->edge_count, (int)data->vertex_count);
    }
    for (int64_t i = 0; i < 3 * (int64_t)data->vertex_count; ++i) {
        if (!isfinite(data->positions[i])) {
            return ly_fail(LYRA_NOT_FINITE, "lines: vertex %d is not finite", (int)(i / 3));
        }
    }
    for (int32_t e = 0; e < data->edge_count; ++e) {
        const int32_t *ends = data->edges + 2 * (int64_t)e;
        if (ends[0] < 0 || ends[0] >= data->vertex_count || ends[1] < 0 ||
            ends[1] >= data->vertex_count || ends[0] == ends[1]) {
            return ly_fail(LYRA_BAD_MESH,
                           "lines: edge %d joins vertices %d and %d, expected two of 0 to %d",
                           (int)e, (int)ends[0], (int)ends[1], (int)data->vertex_count - 1);
        }
        if (data->radii && !(data->radii[e] > 0 && data->radii[e] <= 1e100)) {
            return ly_fail(LYRA_INVALID_ARGUMENT,
                           "lines: edge %d has radius %g, expected a number above 0", (int)e,
                           data->radii[e]);
        }
    }
    return LYRA_OK;
}

LyraStatus lyra_lines_create(LyraContext *ctx, const LyraLinesView *data, LyraLines **out)
{
    LYRA_ASSERT(ctx && data && out);
    LY_TRY(check(data));
    LyraLines *lines = NULL;
    size_t vertices = (size_t)data->vertex_count, edges = (size_t)data->edge_count;
    LY_TRY(ly_allocate_zeroed(ctx, 1, sizeof *lines, &lines));
    lines->ctx = ctx;
    LyraStatus status = LYRA_OK;
    LY_TRY_DONE(ly_allocate_array(ctx, 3 * (int64_t)vertices, sizeof(double), &lines->positions));
    LY_TRY_DONE(ly_allocate_array(ctx, 2 * (int64_t)edges, sizeof(int32_t), &lines->edges));
    if (data->radii) {
        LY_TRY_DONE(ly_allocate_array(ctx, (int64_t)edges, sizeof(double), &lines->radii));
    }
    if (vertices > 0) {
        memcpy(lines->positions, data->positions, 3 * vertices * sizeof(double));
    }
    if (edges > 0) {
        memcpy(lines->edges, data->edges, 2 * edges * sizeof(int32_t));
        if (data->radii) {
            memcpy(lines->radii, data->radii, edges * sizeof(double));
        }
    }
    lines->view = (LyraLinesView){data->vertex_count, data->edge_count, lines->positions,
                                  lines->edges, lines->radii};
    *out = lines;
    lines = NULL;
done:
    lyra_lines_destroy(lines);
    return status;
}

void lyra_lines_destroy(LyraLines *lines)
{
    if (lines) {
        ly_release(lines->ctx, lines->positions);
        ly_release(lines->ctx, lines->edges);
        ly_release(lines->ctx, lines->radii);
        ly_release(lines->ctx, lines);
    }
}

LyraLinesView lyra_lines_view(const LyraLines *lines)
{
    return lines->view;
}

// ---- generators ---------------------------------------------------------------------------------

LyraLineDef lyra_line_def_default(void)
{
    return (LyraLineDef){.edges = 50,
                         .to = {1, 0, 0},
                         .radius = 0.1,
                         .pitch = 0.05,
                         .turns = 5,
                         .cookie = LY_DEF_COOKIE};
}

static bool all_fine(const double *values, int64_t count)
{
    bool fine = true;
    for (int64_t i = 0; i < count; ++i) {
        fine = fine && fabs(values[i]) <= 1e100;
    }
    return fine;
}

static LyraStatus check_def(const LyraLineDef *def)
{
    if ((int)def->shape < 0 || def->shape >= LYRA_LINE_SHAPE_COUNT) {
        return ly_fail(LYRA_INVALID_ARGUMENT, "line: shape %d, expected 0 to %d", (int)def->shape,
                       LYRA_LINE_SHAPE_COUNT - 1);
    }
    if (def->edges < 1 || def->edges > 10000000) {
        return ly_fail(LYRA_INVALID_ARGUMENT, "line: %d edges, expected 1 to 10000000",
                       (int)def->edges);
    }
    if (!all_fine(def->from, 3) || !all_fine(def->to, 3) || !all_fine(def->center, 3) ||
        !all_fine(&def->pitch, 1)) {
        return ly_fail(LYRA_NOT_FINITE, "line: a place or the pitch is not finite");
    }
    if (def->shape == LYRA_LINE_HELIX &&
        !(def->radius > 0 && def->radius <= 1e100 && def->turns > 0 && def->turns <= 1e6)) {
        return ly_fail(LYRA_INVALID_ARGUMENT,
                       "line: a helix of radius %g and %g turns, expected both above 0, and a "
                       "million turns at most",
                       def->radius, def->turns);
    }
    if (def->shape == LYRA_LINE_CURVE &&
        (def->point_count < (def->closed ? 3 : 2) || !def->points)) {
        return ly_fail(LYRA_INVALID_ARGUMENT, "line: a %scurve through %d points, expected %d",
                       def->closed ? "closed " : "", (int)def->point_count, def->closed ? 3 : 2);
    }
    for (int32_t p = 0; def->shape == LYRA_LINE_CURVE && p < def->point_count; ++p) {
        if (!all_fine(def->points[p].at, 3)) {
            return ly_fail(LYRA_NOT_FINITE, "line: point %d of the curve is not finite", (int)p);
        }
    }
    return LYRA_OK;
}

// a place on the curve: Catmull and Rom's cubic between points floor(s) and the next
static void curve_at(const LyraLineDef *def, double s, double out[3])
{
    int32_t n = def->point_count, pieces = def->closed ? n : n - 1;
    int32_t k = (int32_t)fmin(floor(s), pieces - 1);
    double t = s - k;
    const double *p[4];
    double ends[2][3];
    for (int32_t i = 0; i < 4; ++i) {
        int32_t at = k - 1 + i;
        p[i] = def->points[def->closed ? (at + n) % n : at < 0 ? 0 : at >= n ? n - 1 : at].at;
    }
    for (int i = 0; i < 3; ++i) {
        // beyond its ends the curve goes straight on
        ends[0][i] = 2 * p[1][i] - p[2][i];
        ends[1][i] = 2 * p[2][i] - p[1][i];
    }
    p[0] = !def->closed && k == 0 ? ends[0] : p[0];
    p[3] = !def->closed && k == pieces - 1 ? ends[1] : p[3];
    for (int i = 0; i < 3; ++i) {
        double a = 0.5 * (p[2][i] - p[0][i]), b = 0.5 * (p[3][i] - p[1][i]);
        double d = p[2][i] - p[1][i];
        out[i] = p[1][i] + t * (a + t * ((3 * d - 2 * a - b) + t * (a + b - 2 * d)));
    }
}

// samples of the curve per edge or piece that measure its length
#define SAMPLES 16

static LyraStatus fill_curve(LyraContext *ctx, const LyraLineDef *def, int32_t vertices, double *x)
{
    int32_t pieces = def->closed ? def->point_count : def->point_count - 1;
    int64_t count = SAMPLES * ((int64_t)def->edges > pieces ? def->edges : pieces), at = 1;
    double *lengths = NULL, before[3], here[3];
    LY_TRY(ly_allocate_array(ctx, count + 1, sizeof *lengths, &lengths));
    lengths[0] = 0;
    curve_at(def, 0, before);
    for (int64_t k = 1; k <= count; ++k) {
        curve_at(def, (double)k * pieces / (double)count, here);
        lengths[k] = lengths[k - 1] +
                     hypot(hypot(here[0] - before[0], here[1] - before[1]), here[2] - before[2]);
        memcpy(before, here, sizeof before);
    }
    for (int32_t v = 0; v < vertices; ++v) {
        double wanted = lengths[count] * v / def->edges;
        while (at < count && lengths[at] < wanted) {
            ++at;
        }
        double step = lengths[at] - lengths[at - 1];
        double share = step > 0 ? (wanted - lengths[at - 1]) / step : 0;
        double s = ((double)(at - 1) + fmin(fmax(share, 0), 1)) * pieces / (double)count;
        curve_at(def, v == def->edges ? pieces : s, x + 3 * (int64_t)v);
    }
    ly_release(ctx, lengths);
    return LYRA_OK;
}

static void fill_simple(const LyraLineDef *def, int32_t vertices, double *x)
{
    for (int32_t v = 0; v < vertices; ++v, x += 3) {
        double s = (double)v / def->edges, angle = 2 * 3.14159265358979323846 * def->turns * s;
        if (def->shape == LYRA_LINE_HELIX) {
            x[0] = def->center[0] + def->radius * cos(angle);
            x[1] = def->center[1] + def->radius * sin(angle);
            x[2] = def->center[2] + def->pitch * def->turns * s;
            continue;
        }
        for (int i = 0; i < 3; ++i) {
            x[i] = v == def->edges ? def->to[i] : def->from[i] + s * (def->to[i] - def->from[i]);
        }
    }
}

LyraStatus lyra_lines_generate(LyraContext *ctx, const LyraLineDef *def, LyraLines **out)
{
    LYRA_ASSERT(ctx && def && out);
    LY_CHECK_DEF(def, "lyra_line_def_default");
    LY_TRY(check_def(def));
    bool closed = def->shape == LYRA_LINE_CURVE
                      ? def->closed
                      : def->shape == LYRA_LINE_HELIX && def->pitch == 0 && def->turns == 1;
    if (closed && def->edges < 3) {
        return ly_fail(LYRA_INVALID_ARGUMENT, "line: a closed one of %d edges, expected 3",
                       (int)def->edges);
    }
    int32_t vertices = def->edges + !closed, *edges = NULL;
    double *x = NULL;
    LyraStatus status = LYRA_OK;
    LY_TRY_DONE(ly_allocate_array(ctx, 3 * (int64_t)vertices, sizeof *x, &x));
    LY_TRY_DONE(ly_allocate_array(ctx, 2 * (int64_t)def->edges, sizeof *edges, &edges));
    for (int32_t e = 0; e < def->edges; ++e) {
        edges[2 * (int64_t)e] = e;
        edges[2 * (int64_t)e + 1] = (e + 1) % vertices;
    }
    if (def->shape == LYRA_LINE_CURVE) {
        LY_TRY_DONE(fill_curve(ctx, def, vertices, x));
    } else {
        fill_simple(def, vertices, x);
    }
    const LyraLinesView view = {vertices, def->edges, x, edges, NULL};
    LY_TRY_DONE(lyra_lines_create(ctx, &view, out));
done:
    ly_release(ctx, x);
    ly_release(ctx, edges);
    return status;
}
