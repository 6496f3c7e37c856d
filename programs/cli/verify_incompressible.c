// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Cook's membrane where the volume can hardly change: plane strain, E = 1, nu = 0.4999, total shear
// load 1 on the right edge, small strain, one cell through the thickness, z held. The limit of the
// vertical displacement at (48, 52, 0) is 18.50, extrapolated from fine meshes of elements that do
// not lock; meshes of n x n cells have these values, found apart from this program by dense
// assembly of the same elements.
//
// The laws are those of large strain under a load of 1e-7, which leaves 1e-6 of curvature.

#include "verify_body.h"

#include <math.h>
#include <stdlib.h>

#define WIDTH 48.0
#define LIMIT 18.50
#define LOAD 1e-7

enum { LEVELS = 4 };

typedef struct Row {
    const char *name;
    LyraElementKind kind;
    LyraVolumetric volumetric;
    double stated[LEVELS]; // NAN: none
} Row;

static const Row rows[] = {
    {"tets", LYRA_ELEMENT_TET4, LYRA_VOLUMETRIC_STANDARD, {5.19, 5.26, 5.41, 5.88}},
    {"tets, nodal pressure", LYRA_ELEMENT_TET4, LYRA_VOLUMETRIC_NODAL, {6.45, 11.45, 16.08, 17.76}},
    {"hexahedra", LYRA_ELEMENT_HEX8, LYRA_VOLUMETRIC_STANDARD, {5.21, 5.35, 5.79, 7.11}},
    {"hexahedra, mean dilatation",
     LYRA_ELEMENT_HEX8,
     LYRA_VOLUMETRIC_MEAN,
     {15.91, 17.65, 18.21, 18.40}},
    {"tets of 10 nodes", LYRA_ELEMENT_TET10, LYRA_VOLUMETRIC_STANDARD, {14.67, 17.23, 18.10, NAN}},
    {"tets of 10 nodes, mean dilatation",
     LYRA_ELEMENT_TET10,
     LYRA_VOLUMETRIC_MEAN,
     {16.80, 18.09, 18.37, NAN}},
};

enum { ROWS = sizeof rows / sizeof rows[0] };

// a box of n x n x 1 cells drawn onto the trapezium, middle nodes between their corners
static LyraStatus make_membrane(LyraContext *ctx, LyraElementKind kind, int32_t n, LyraMesh **out)
{
    const int32_t cells[3] = {n, n, 1};
    static const double unit[3] = {1, 1, 1};
    bool quadratic = kind == LYRA_ELEMENT_TET10;
    LyraMesh *box = NULL, *drawn = NULL;
    VERIFY_TRY(verify_box(ctx, quadratic ? LYRA_ELEMENT_TET4 : kind, cells, unit, &box));
    LyraMeshView view = lyra_mesh_view(box);
    double *positions = cli_allocate(3 * (size_t)view.vertex_count * sizeof *positions);
    for (int64_t v = 0; v < view.vertex_count; ++v) {
        const double *X = view.positions + 3 * v;
        positions[3 * v] = WIDTH * X[0];
        positions[3 * v + 1] = 44 * X[0] + X[1] * (44 - 28 * X[0]);
        positions[3 * v + 2] = X[2];
    }
    view.positions = positions;
    LyraStatus status = lyra_mesh_create(ctx, &view, quadratic ? &drawn : out);
    if (status == LYRA_OK && quadratic) {
        status = lyra_mesh_quadratic(drawn, out);
    }
    free(positions);
    lyra_mesh_destroy(box);
    lyra_mesh_destroy(drawn);
    return status;
}

static LyraStatus load_membrane(VerifyBody *body, double *deflection)
{
    VERIFY_TRY(verify_hold_plane(body, 0, 0, "xyz"));
    for (int z = 0; z < 3; ++z) {
        VERIFY_TRY(verify_hold_plane(body, 2, 0.5 * z, "z"));
    }
    static const double traction[3] = {0, LOAD / 16, 0};
    VERIFY_TRY(verify_push_face(body, 0, WIDTH, traction));
    VERIFY_TRY(verify_body_solve(body, NULL));
    // one of the two vertices: tets are not alike on both sides
    const double *u = verify_body_displacements(body);
    for (int32_t v = 0; v < body->view.vertex_count; ++v) {
        if (verify_on_plane(body, v, 0, WIDTH) && verify_on_plane(body, v, 1, 52) &&
            verify_on_plane(body, v, 2, 0)) {
            *deflection = u[3 * (int64_t)v + 1] / LOAD;
        }
    }
    return LYRA_OK;
}

static LyraStatus solve_membrane(LyraContext *ctx, const Row *row, int32_t n, double *deflection)
{
    LyraMesh *mesh = NULL;
    VERIFY_TRY(make_membrane(ctx, row->kind, n, &mesh));
    VerifyBodyDef def = verify_body_def_default(mesh);
    def.solid.model = "neo-hookean";
    def.solid.young = 1;
    def.solid.poisson = 0.4999;
    def.solid.volumetric = row->volumetric;
    def.integrator.newton = lyra_newton_def_default();
    VerifyBody body;
    VERIFY_TRY(verify_body_create(ctx, &def, &body));
    LyraStatus status = load_membrane(&body, deflection);
    verify_body_end(&body);
    return status;
}

static LyraStatus run_cook_strain(Verify *verify)
{
    static const int32_t cells[LEVELS] = {4, 8, 16, 32};
    int count = verify->quick ? LEVELS - 1 : LEVELS;
    verify_note(verify, "Cook's membrane in plane strain at nu = 0.4999: deflection at (48, 52), "
                        "whose limit is 18.50, of n x n cells. Elements that take the volume at "
                        "each point lock. The reference is a dense assembly of the same elements "
                        "at small strain by a program of its own.");
    VerifyPlot *plot = verify_plot(verify, "cook_incompressible",
                                   "Cook's membrane at nu = 0.4999, error of the deflection",
                                   "cell / edge", "relative error", true, true);
    for (int r = 0; r < ROWS; ++r) {
        double h[LEVELS], errors[LEVELS], last = 0;
        for (int k = 0; k < count; ++k) {
            double found = NAN;
            VERIFY_TRY(solve_membrane(verify->ctx, &rows[r], cells[k], &found));
            // stated with two digits behind the point
            if (isnan(rows[r].stated[k])) {
                verify_information(verify, LIMIT, found, "%s, %d x %d: deflection", rows[r].name,
                                   cells[k], cells[k]);
            } else {
                verify_relative(verify, rows[r].stated[k], found, 1e-3, "%s, %d x %d: deflection",
                                rows[r].name, cells[k], cells[k]);
            }
            h[k] = 1.0 / cells[k];
            errors[k] = fabs(found / LIMIT - 1);
            last = found;
        }
        verify_series(plot, count, h, errors, "%s", rows[r].name);
        if (rows[r].volumetric == LYRA_VOLUMETRIC_MEAN) {
            verify_relative(verify, LIMIT, last, verify->quick ? 2e-2 : 1e-2,
                            "%s, %d x %d: deflection beside the limit", rows[r].name,
                            cells[count - 1], cells[count - 1]);
        }
    }
    return LYRA_OK;
}

const VerifyCase verify_incompressible_cases[] = {
    {"cook-incompressible", "statics", "Cook's membrane in plane strain, nearly incompressible",
     true, run_cook_strain},
    {0},
};
