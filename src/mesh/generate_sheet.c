// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Generated sheets: rectangles of cells, and discs of rings. Ring k of a disc has 6 k vertices; a
// sixth of the band inside it has k triangles on the outer ring and k - 1 on the inner one.

#include "mesh/surface.h"

#include <math.h>
#include <stdio.h>

#define PI 3.14159265358979323846
#define CELLS_MAX 100000
#define BAND_CHARS 16

typedef struct Sheet {
    LyraContext *ctx;
    const LyraSheetDef *def;
    int32_t nx, nz;  // cells
    int32_t corners; // of a face
    int32_t vertex_count, face_count;
    int32_t vertices, faces; // made so far
    double *positions, *texcoords;
    int32_t *corner_vertices, *face_begin, *face_groups;
} Sheet;

LyraSheetDef lyra_sheet_def_default(void)
{
    return (LyraSheetDef){.length = 1,
                          .width = 1,
                          .radius = 0.5,
                          .cells = {20, 20},
                          .bands = 1,
                          .cookie = LY_DEF_COOKIE};
}

// ---- checks -------------------------------------------------------------------------------------

static LyraStatus check_length(const char *name, double value)
{
    return value > 1e-100 && value < 1e100
               ? LYRA_OK
               : ly_fail(LYRA_INVALID_ARGUMENT, "sheet: found %s %g, expected a length above 0",
                         name, value);
}

static LyraStatus check_count(const char *name, int32_t value, int32_t most)
{
    return value >= 1 && value <= most
               ? LYRA_OK
               : ly_fail(LYRA_INVALID_ARGUMENT, "sheet: found %d %s, expected 1 to %d", (int)value,
                         name, (int)most);
}

static LyraStatus check_def(const LyraSheetDef *def)
{
    if ((unsigned)def->shape >= LYRA_SHEET_COUNT ||
        (unsigned)def->faces >= LYRA_SHEET_FACES_COUNT) {
        return ly_fail(LYRA_INVALID_ARGUMENT, "sheet: found shape %d with faces %d",
                       (int)def->shape, (int)def->faces);
    }
    for (int i = 0; i < 3; ++i) {
        if (!(fabs(def->center[i]) < 1e100)) {
            return ly_fail(LYRA_INVALID_ARGUMENT, "sheet: found a centre at %g, expected a place",
                           def->center[i]);
        }
    }
    LY_TRY(
        check_count(def->shape == LYRA_SHEET_DISC ? "rings" : "cells", def->cells[0], CELLS_MAX));
    if (def->shape == LYRA_SHEET_DISC) {
        LY_TRY(check_length("radius", def->radius));
        return check_count("bands of a disc", def->bands, 1);
    }
    LY_TRY(check_length("length", def->length));
    LY_TRY(check_length("width", def->width));
    LY_TRY(def->shape == LYRA_SHEET_GRID ? check_count("cells", def->cells[1], CELLS_MAX)
                                         : LYRA_OK);
    return check_count("bands", def->bands, def->cells[0]);
}

// ---- building -----------------------------------------------------------------------------------

static void put_vertex(Sheet *sheet, double x, double z, double u, double v)
{
    const double *center = sheet->def->center;
    double *position = sheet->positions + 3 * (int64_t)sheet->vertices;
    position[0] = center[0] + x;
    position[1] = center[1];
    position[2] = center[2] + z;
    sheet->texcoords[2 * (int64_t)sheet->vertices] = u;
    sheet->texcoords[2 * (int64_t)sheet->vertices + 1] = v;
    ++sheet->vertices;
}

static void put_face(Sheet *sheet, int32_t group, const int32_t *corners)
{
    for (int32_t c = 0; c < sheet->corners; ++c) {
        sheet->corner_vertices[(int64_t)sheet->corners * sheet->faces + c] = corners[c];
    }
    sheet->face_groups[sheet->faces] = group;
    sheet->face_begin[sheet->faces + 1] = sheet->corners * (sheet->faces + 1);
    ++sheet->faces;
}

// ---- rectangles ---------------------------------------------------------------------------------

static void put_grid_vertex(Sheet *sheet, double i, double j)
{
    double s = i / sheet->nx, t = j / sheet->nz;
    const LyraSheetDef *def = sheet->def;
    put_vertex(sheet, (s - 0.5) * def->length, (t - 0.5) * def->width, s * def->length,
               (1 - t) * def->width);
}

// corners a b along x, c d behind them along z
static void put_cell(Sheet *sheet, int32_t i, int32_t j)
{
    int32_t row = sheet->nx + 1, a = j * row + i, b = a + 1, c = a + row, d = c + 1;
    int32_t group = (int32_t)((int64_t)i * sheet->def->bands / sheet->nx);
    int32_t middle = row * (sheet->nz + 1) + j * sheet->nx + i;
    const int32_t ring[5] = {a, c, d, b, a};
    switch (sheet->def->faces) {
    case LYRA_SHEET_QUADS:
        put_face(sheet, group, ring);
        break;
    case LYRA_SHEET_CROSSED:
        for (int k = 0; k < 4; ++k) {
            put_face(sheet, group, (int32_t[]){ring[k], ring[k + 1], middle});
        }
        break;
    default:
        if (sheet->def->faces == LYRA_SHEET_ALTERNATING && (i + j) % 2 == 1) {
            put_face(sheet, group, (int32_t[]){a, c, d});
            put_face(sheet, group, (int32_t[]){a, d, b});
        } else {
            put_face(sheet, group, (int32_t[]){a, c, b});
            put_face(sheet, group, (int32_t[]){b, c, d});
        }
    }
}

static void fill_grid(Sheet *sheet)
{
    for (int32_t j = 0; j <= sheet->nz; ++j) {
        for (int32_t i = 0; i <= sheet->nx; ++i) {
            put_grid_vertex(sheet, i, j);
        }
    }
    for (int32_t j = 0; j < sheet->nz; ++j) {
        for (int32_t i = 0; i < sheet->nx; ++i) {
            if (sheet->def->faces == LYRA_SHEET_CROSSED) {
                put_grid_vertex(sheet, i + 0.5, j + 0.5);
            }
        }
    }
    for (int32_t j = 0; j < sheet->nz; ++j) {
        for (int32_t i = 0; i < sheet->nx; ++i) {
            put_cell(sheet, i, j);
        }
    }
}

// ---- discs --------------------------------------------------------------------------------------

// vertex p of ring k, counted around
static int32_t ring_vertex(int32_t k, int32_t p)
{
    return k == 0 ? 0 : 1 + 3 * k * (k - 1) + p % (6 * k);
}

static void fill_disc(Sheet *sheet)
{
    double R = sheet->def->radius;
    put_vertex(sheet, 0, 0, R, R);
    for (int32_t k = 1; k <= sheet->nx; ++k) {
        double r = R * k / sheet->nx;
        for (int32_t p = 0; p < 6 * k; ++p) {
            // against z, for faces to look along +y
            double x = r * cos(PI * p / (3 * k)), z = -r * sin(PI * p / (3 * k));
            put_vertex(sheet, x, z, R + x, R - z);
        }
        for (int32_t p = 0; p < 6 * k; ++p) {
            int32_t sixth = p / k, q = p % k, inner = sixth * (k - 1) + q;
            put_face(
                sheet, 0,
                (int32_t[]){ring_vertex(k, p), ring_vertex(k, p + 1), ring_vertex(k - 1, inner)});
            if (q < k - 1) {
                put_face(sheet, 0,
                         (int32_t[]){ring_vertex(k - 1, inner), ring_vertex(k, p + 1),
                                     ring_vertex(k - 1, inner + 1)});
            }
        }
    }
}

// ---- making -------------------------------------------------------------------------------------

static LyraStatus count(Sheet *sheet)
{
    const LyraSheetDef *def = sheet->def;
    int64_t n = sheet->nx, m = sheet->nz, vertices, faces;
    sheet->corners = 3;
    if (def->shape == LYRA_SHEET_DISC) {
        vertices = 1 + 3 * n * (n + 1);
        faces = 6 * n * n;
    } else {
        bool crossed = def->faces == LYRA_SHEET_CROSSED, quads = def->faces == LYRA_SHEET_QUADS;
        vertices = (n + 1) * (m + 1) + (crossed ? n * m : 0);
        faces = n * m * (crossed ? 4 : quads ? 1 : 2);
        sheet->corners = quads ? 4 : 3;
    }
    if (faces > INT32_MAX / 6 || vertices > INT32_MAX / 6) {
        return ly_fail(LYRA_TOO_LARGE, "sheet: %lld faces, expected at most %d", (long long)faces,
                       INT32_MAX / 6);
    }
    sheet->vertex_count = (int32_t)vertices;
    sheet->face_count = (int32_t)faces;
    return LYRA_OK;
}

static LyraStatus allocate(Sheet *sheet)
{
    LyraContext *ctx = sheet->ctx;
    int64_t n = sheet->vertex_count, f = sheet->face_count, corners = sheet->corners;
    LY_TRY(ly_allocate_array(ctx, 3 * n, sizeof(double), &sheet->positions));
    LY_TRY(ly_allocate_array(ctx, 2 * n, sizeof(double), &sheet->texcoords));
    LY_TRY(ly_allocate_array(ctx, corners * f, sizeof(int32_t), &sheet->corner_vertices));
    LY_TRY(ly_allocate_zeroed(ctx, f + 1, sizeof(int32_t), &sheet->face_begin));
    return ly_allocate_array(ctx, f, sizeof(int32_t), &sheet->face_groups);
}

static LyraStatus make_surface(const Sheet *sheet, char (*names)[BAND_CHARS], const char **groups,
                               LyraSurface **out)
{
    for (int32_t b = 0; b < sheet->def->bands; ++b) {
        snprintf(names[b], BAND_CHARS, "band%d", (int)b + 1);
        groups[b] = names[b];
    }
    const LyraSurfaceView view = {.vertex_count = sheet->vertex_count,
                                  .face_count = sheet->face_count,
                                  .corner_count = sheet->corners * sheet->face_count,
                                  .texcoord_count = sheet->vertex_count,
                                  .group_count = sheet->def->bands > 1 ? sheet->def->bands : 0,
                                  .positions = sheet->positions,
                                  .texcoords = sheet->texcoords,
                                  .face_begin = sheet->face_begin,
                                  .corner_vertices = sheet->corner_vertices,
                                  .corner_texcoords = sheet->corner_vertices,
                                  .face_groups = sheet->def->bands > 1 ? sheet->face_groups : NULL,
                                  .groups = groups};
    return lyra_surface_create(sheet->ctx, &view, out);
}

static LyraStatus make_sheet(Sheet *sheet, LyraSurface **out)
{
    char(*names)[BAND_CHARS] = NULL;
    const char **groups = NULL;
    LyraStatus status = LYRA_OK;
    LY_TRY(count(sheet));
    LY_TRY_DONE(allocate(sheet));
    LY_TRY_DONE(ly_allocate_array(sheet->ctx, sheet->def->bands, sizeof *names, &names));
    LY_TRY_DONE(ly_allocate_array(sheet->ctx, sheet->def->bands, sizeof *groups, (void *)&groups));
    if (sheet->def->shape == LYRA_SHEET_DISC) {
        fill_disc(sheet);
    } else {
        fill_grid(sheet);
    }
    LY_TRY_DONE(make_surface(sheet, names, groups, out));
done:
    ly_release(sheet->ctx, (void *)groups);
    ly_release(sheet->ctx, names);
    ly_release(sheet->ctx, sheet->positions);
    ly_release(sheet->ctx, sheet->texcoords);
    ly_release(sheet->ctx, sheet->corner_vertices);
    ly_release(sheet->ctx, sheet->face_begin);
    ly_release(sheet->ctx, sheet->face_groups);
    return status;
}

LyraStatus lyra_surface_generate(LyraContext *ctx, const LyraSheetDef *def, LyraSurface **out)
{
    LY_CHECK_DEF(def, "lyra_sheet_def_default");
    LY_TRY(check_def(def));
    Sheet sheet = {.ctx = ctx, .def = def, .nx = def->cells[0], .nz = def->cells[1]};
    if (def->shape == LYRA_SHEET_STRIP) {
        double rows = round(def->cells[0] * def->width / def->length);
        sheet.nz = rows < 1 ? 1 : rows > CELLS_MAX ? CELLS_MAX : (int32_t)rows;
    }
    return make_sheet(&sheet, out);
}
