// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// States from files: matrices with a row for each unknown, or arrays of vectors; and how Vega's
// integrators start from them.

#include "world/start.h"

#include "base/file.h"
#include "integrate/integrate.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// ---- files --------------------------------------------------------------------------------------

static LyraStatus check_rows(const char *path, LyraDenseView found, int64_t rows, int32_t columns)
{
    char wanted[32] = "any number of";
    if (found.rows == rows && (columns == 0 || found.columns == columns)) {
        return LYRA_OK;
    }
    if (columns) {
        snprintf(wanted, sizeof wanted, "%d", (int)columns);
    }
    return ly_fail(LYRA_BAD_FORMAT,
                   "%s: found %d rows and %d columns, expected %lld rows and %s column%s", path,
                   (int)found.rows, (int)found.columns, (long long)rows, wanted,
                   columns == 1 ? "" : "s");
}

static LyraStatus check_finite(const char *path, LyraDenseView found)
{
    for (int64_t i = 0; i < (int64_t)found.rows * found.columns; ++i) {
        if (!isfinite(found.values[i])) {
            return ly_fail(LYRA_NOT_FINITE, "%s: entry %lld of column %lld is not finite", path,
                           (long long)(i % found.rows + 1), (long long)(i / found.rows + 1));
        }
    }
    return LYRA_OK;
}

// one frame of an array, as a column of `rows` numbers: rows of three, or the numbers themselves
static LyraStatus take_frame(const char *path, LyraDenseView frame, int64_t rows, double *column)
{
    int64_t count = (int64_t)frame.rows * frame.columns;
    if (count != rows || (frame.columns != 1 && frame.columns != 3 && frame.rows != 1)) {
        return ly_fail(LYRA_BAD_FORMAT,
                       "%s: found an array of %d rows and %d columns, expected %lld numbers, in "
                       "rows of three or one after another",
                       path, (int)frame.rows, (int)frame.columns, (long long)rows);
    }
    for (int64_t i = 0; i < count; ++i) {
        column[i] = frame.values[i / frame.columns + i % frame.columns * frame.rows];
    }
    return LYRA_OK;
}

static LyraStatus load_array(LyraContext *ctx, const char *path, int64_t rows, LyraDense **out)
{
    LyraDense *frame = NULL;
    LyraStatus status = LYRA_OK;
    LY_TRY_DONE(lyra_dense_load_npy(ctx, path, &frame));
    LY_TRY_DONE(lyra_dense_create(ctx, (int32_t)rows, 1, out));
    LY_TRY_DONE(take_frame(path, lyra_dense_view(frame), rows, lyra_dense_values(*out)));
done:
    lyra_dense_destroy(frame);
    return status;
}

// frames of an array of three dimensions, a column each
static LyraStatus gather_frames(LyraContext *ctx, const char *path, int64_t rows, int32_t *count,
                                double **columns)
{
    for (;; ++*count) {
        LyraDense *frame = NULL;
        LyraStatus status = lyra_dense_load_npy_frame(ctx, path, *count, &frame);
        if (status == LYRA_INVALID_ARGUMENT && *count > 0) {
            return LYRA_OK; // past the last
        }
        if (status == LYRA_OK) {
            status = ly_grow_array(ctx, *count, (size_t)rows * sizeof **columns, (void *)columns);
        }
        if (status == LYRA_OK) {
            status = take_frame(path, lyra_dense_view(frame), rows, *columns + rows * *count);
        }
        lyra_dense_destroy(frame);
        LY_TRY(status);
    }
}

// steps of an array of (steps, 3 n) or (steps, n, 3) numbers
static LyraStatus load_frames(LyraContext *ctx, const char *path, int64_t rows, LyraDense **out)
{
    LyraDense *first = NULL;
    double *columns = NULL;
    int32_t count = 0;
    LyraStatus status = LYRA_OK;
    LY_TRY_DONE(lyra_dense_load_npy_frame(ctx, path, 0, &first));
    LyraDenseView whole = lyra_dense_view(first);
    if (whole.columns == rows) {
        count = whole.rows;
        LY_TRY_DONE(ly_allocate_array(ctx, rows * count, sizeof *columns, &columns));
        for (int64_t i = 0; i < rows * count; ++i) {
            columns[i] = whole.values[i / rows + i % rows * count];
        }
    } else {
        LY_TRY_DONE(gather_frames(ctx, path, rows, &count, &columns));
    }
    LY_TRY_DONE(lyra_dense_create(ctx, (int32_t)rows, count, out));
    if (count > 0) {
        memcpy(lyra_dense_values(*out), columns, (size_t)(rows * count) * sizeof *columns);
    }
done:
    ly_release(ctx, columns);
    lyra_dense_destroy(first);
    return status;
}

static LyraStatus load(const LyraWorld *world, const char *path, int64_t rows, int32_t columns,
                       LyraDense **out)
{
    if (ly_path_has_extension(path, ".npy")) {
        LY_TRY(columns == 1 ? load_array(world->ctx, path, rows, out)
                            : load_frames(world->ctx, path, rows, out));
    } else {
        LY_TRY(lyra_dense_load_vega(world->ctx, path, out));
    }
    LY_TRY(check_rows(path, lyra_dense_view(*out), rows, columns));
    return check_finite(path, lyra_dense_view(*out));
}

LyraStatus ly_world_load_columns(LyraWorld *world, const char *file, int64_t rows, int32_t columns,
                                 LyraDense **out)
{
    char *path = NULL;
    LyraDense *found = NULL;
    LY_TRY(ly_world_path(world, file, &path));
    LyraStatus status = load(world, path, rows, columns, &found);
    ly_release(world->ctx, path);
    if (status != LYRA_OK) {
        lyra_dense_destroy(found);
        return status;
    }
    LyraDenseView view = lyra_dense_view(found);
    ly_world_digest(world, view.values,
                    (size_t)view.rows * (size_t)view.columns * sizeof *view.values);
    *out = found;
    return LYRA_OK;
}

static LyraStatus keep_column(LyraWorld *world, const char *key, const char *file, int32_t vertices,
                              double **out)
{
    LyraDense *column = NULL;
    if (!file) {
        return LYRA_OK;
    }
    int64_t rows = 3 * (int64_t)vertices;
    LY_TRY(ly_within_key(ly_world_load_columns(world, file, rows, 1, &column), key));
    LyraStatus status = ly_arena_allocate(world->arena, rows, sizeof **out, out);
    if (status == LYRA_OK) {
        memcpy(*out, lyra_dense_view(column).values, (size_t)rows * sizeof **out);
    }
    lyra_dense_destroy(column);
    return status;
}

LyraStatus ly_body_load_start(LyraWorld *world, int32_t vertices, LyBody *body)
{
    const LyraStart *start = &body->def->start;
    LY_TRY(ly_within_key(keep_column(world, "displacement-file", start->displacement_file, vertices,
                                     &body->start[0]),
                         "start"));
    return ly_within_key(
        keep_column(world, "velocity-file", start->velocity_file, vertices, &body->start[1]),
        "start");
}

// ---- Vega ---------------------------------------------------------------------------------------

static bool is_moving(const LyraWorld *world)
{
    static const double still[3] = {0};
    bool moving = false;
    for (int32_t b = 0; b < world->body_count; ++b) {
        const LyraStart *start = &world->bodies[b].def->start;
        moving |= start->velocity_file != NULL ||
                  memcmp(start->velocity, still, sizeof still) != 0 ||
                  memcmp(start->angular_velocity, still, sizeof still) != 0;
    }
    return moving;
}

// the acceleration of the body without the forces of files
static LyraStatus start_acceleration(LyraWorld *world)
{
    LyraStateView state = lyra_state_view(world->state);
    LyraVector *g = NULL;
    LyraStatus status = LYRA_OK;
    LY_TRY(lyra_system_vector_create(world->system, lyra_vector_size(state.u), &g));
    LyraPoint at = {.u = state.u, .v = state.v, .committed = world->state};
    LyraResponse response = {.g = g};
    LY_TRY_DONE(lyra_system_update_damping(world->system, &at));
    LY_TRY_DONE(lyra_system_evaluate(world->system, &at, &response));
    lyra_vector_axpby(-1, g, 0, g);
    LY_TRY_DONE(lyra_system_solve_mass(world->system, g, state.a));
    LY_TRY_DONE(ly_keep_acceleration(world->state, 0));
done:
    lyra_vector_destroy(g);
    return status;
}

// Newmark started with a velocity takes the acceleration that belongs to it; started without one it
// takes none, which is what the integrator does by itself. Central differences start from
// u_-1 = u_0 - dt v_0 and then go on in substeps.
LyraStatus ly_world_start_vega(LyraWorld *world)
{
    const LyraIntegratorDef *def = &world->spec.integrator;
    if (!def->vega || !is_moving(world)) {
        return LYRA_OK;
    }
    if (strcmp(def->name, "central-differences") == 0) {
        LyraVector *v = lyra_state_view(world->state).v;
        lyra_vector_axpby(0, v, world->substeps, v);
    }
    return strcmp(def->name, "newmark") == 0 ? start_acceleration(world) : LYRA_OK;
}
