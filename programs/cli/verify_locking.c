// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Locking as Poisson's ratio goes to 1/2, tets against cubes, and how well volume is kept.
//
// A cantilever 8 x 1 x 1 with n x n cells in its section. Small end load P, small strain: the
// deflection of Timoshenko's beam,
//
//   w = P L^3/(3 E I) + P L/(k G A),   k = 10 (1 + nu)/(12 + 11 nu),
//
// depends on nu only by its small second part, up to what the clamped end adds, some 1 % here.
// Linear elements fall short of it: in bending, and the more so as shape changes that keep the
// volume of every element run out. Locking has no closed form, so the shares are shown; judged is
// what theory says of it: the discrete body is stiffer than the true one (displacements that
// minimise the energy in a smaller space), finer meshes are softer, and cubes softer than tets on
// the same vertices.
//
// Change of volume: the same bar, neo-Hookean, pulled to 1.5 times its length between clamped ends;
// V/V0 - 1 of the whole falls as nu grows, towards zero at 1/2 (like 1 - 2 nu).

#include "verify_body.h"

#include <math.h>
#include <stdlib.h>

#define LENGTH 8.0
#define YOUNG 1e6
#define STRETCH 1.5

static const double ratios[] = {0, 0.3, 0.4, 0.45, 0.48, 0.49, 0.495, 0.499};
static const int32_t levels[] = {1, 2, 4, 8};

enum {
    RATIOS = sizeof ratios / sizeof ratios[0],
    LEVELS = sizeof levels / sizeof levels[0],
};

typedef struct Elements {
    const char *name;
    LyraElementKind kind;
    LyraVolumetric volumetric;
} Elements;

// those that minimise an energy in displacements alone come first
static const Elements all_elements[] = {
    {"tets", LYRA_ELEMENT_TET4, LYRA_VOLUMETRIC_STANDARD},
    {"cubes", LYRA_ELEMENT_CUBE8, LYRA_VOLUMETRIC_STANDARD},
    {"hexahedra", LYRA_ELEMENT_HEX8, LYRA_VOLUMETRIC_STANDARD},
    {"tets of 10 nodes", LYRA_ELEMENT_TET10, LYRA_VOLUMETRIC_STANDARD},
    {"tets, nodal pressure", LYRA_ELEMENT_TET4, LYRA_VOLUMETRIC_NODAL},
    {"cubes, mean dilatation", LYRA_ELEMENT_CUBE8, LYRA_VOLUMETRIC_MEAN},
    {"hexahedra, mean dilatation", LYRA_ELEMENT_HEX8, LYRA_VOLUMETRIC_MEAN},
    {"tets of 10 nodes, mean dilatation", LYRA_ELEMENT_TET10, LYRA_VOLUMETRIC_MEAN},
};

enum { STANDARD = 4, KINDS = sizeof all_elements / sizeof all_elements[0] };

static LyraStatus make_bar(LyraContext *ctx, const Elements *elements, int32_t n, const char *model,
                           double poisson, VerifyBody *body)
{
    const int32_t cells[3] = {(int32_t)LENGTH * n, n, n};
    static const double size[3] = {LENGTH, 1, 1};
    LyraMesh *mesh = NULL;
    VERIFY_TRY(verify_box(ctx, elements->kind, cells, size, &mesh));
    VerifyBodyDef def = verify_body_def_default(mesh);
    def.solid.model = model;
    def.solid.volumetric = elements->volumetric;
    def.solid.young = YOUNG;
    def.solid.poisson = poisson;
    def.integrator.newton = lyra_newton_def_default();
    return verify_body_create(ctx, &def, body);
}

// ---- bending ------------------------------------------------------------------------------------

static LyraStatus bend(VerifyBody *body, double poisson, double *share)
{
    static const double traction[3] = {0, -1, 0};
    VERIFY_TRY(verify_hold_plane(body, 0, 0, "xyz"));
    VERIFY_TRY(verify_push_face(body, 0, LENGTH, traction));
    VERIFY_TRY(verify_body_solve(body, NULL));
    double end[3], G = YOUNG / (2 * (1 + poisson)), k = 10 * (1 + poisson) / (12 + 11 * poisson);
    verify_plane_displacement(body, 0, LENGTH, end);
    double w = pow(LENGTH, 3) / (3 * YOUNG / 12) + LENGTH / (k * G);
    *share = -end[1] / w;
    return LYRA_OK;
}

static LyraStatus bend_bars(Verify *verify, int count, double shares[LEVELS][KINDS][RATIOS])
{
    for (int level = 0; level < count; ++level) {
        for (int kind = 0; kind < KINDS; ++kind) {
            for (int r = 0; r < RATIOS; ++r) {
                VerifyBody body;
                // loads are small: a law of large strain is linear too
                VERIFY_TRY(make_bar(verify->ctx, &all_elements[kind], levels[level],
                                    kind < STANDARD ? "linear" : "neo-hookean", ratios[r], &body));
                LyraStatus status = bend(&body, ratios[r], &shares[level][kind][r]);
                verify_body_end(&body);
                VERIFY_TRY(status);
                // of the others, the ends are enough
                bool shown = all_elements[kind].kind != LYRA_ELEMENT_HEX8 && kind < STANDARD;
                if (!shown && r != 1 && r != RATIOS - 1) {
                    continue;
                }
                verify_information(verify, 1, shares[level][kind][r],
                                   "%s, %d x %d: deflection / theory at nu = %g",
                                   all_elements[kind].name, levels[level], levels[level],
                                   ratios[r]);
            }
        }
    }
    return LYRA_OK;
}

static LyraStatus run_bending(Verify *verify)
{
    double shares[LEVELS][KINDS][RATIOS];
    int count = verify->quick ? LEVELS - 1 : LEVELS;
    verify_note(verify, "Deflection of a cantilever of 8 x 1 x 1 under a small end load, over that "
                        "of Timoshenko's beam: 1 is right, less is locked. Rows marked info are "
                        "what the elements give; of linear ones that take the volume at each point "
                        "it is little at 0.499.");
    VERIFY_TRY(bend_bars(verify, count, shares));
    double largest = -INFINITY, cubes = INFINITY, finer = INFINITY;
    VerifyPlot *plot = verify_plot(verify, "locking", "Locking of a cantilever, n x n cells thick",
                                   "Poisson's ratio", "deflection / theory", false, false);
    for (int level = 0; level < count; ++level) {
        for (int kind = 0; kind < STANDARD; ++kind) {
            // hexahedra are the cubes here
            if (all_elements[kind].kind != LYRA_ELEMENT_HEX8) {
                verify_series(plot, RATIOS, ratios, shares[level][kind], "%s, n = %d",
                              all_elements[kind].name, levels[level]);
            }
            for (int r = 0; r < RATIOS; ++r) {
                largest = fmax(largest, shares[level][kind][r]);
                if (level > 0) {
                    finer = fmin(finer, shares[level][kind][r] / shares[level - 1][kind][r]);
                }
                cubes = fmin(cubes, shares[level][1][r] / shares[level][0][r]);
            }
        }
    }
    VerifyPlot *ways = verify_plot(verify, "locking_ways", "A cantilever, elements of every kind",
                                   "Poisson's ratio", "deflection / theory", false, false);
    for (int kind = 0; kind < KINDS; ++kind) {
        if (all_elements[kind].kind != LYRA_ELEMENT_HEX8) {
            verify_series(ways, RATIOS, ratios, shares[1][kind], "%s, n = 2",
                          all_elements[kind].name);
        }
    }
    // where volumes do not lock, the largest ratio bends as the smallest does, but for the clamp
    for (int kind = STANDARD; kind < KINDS; ++kind) {
        const double *finest = shares[count - 1][kind];
        verify_range(verify, 0.9, INFINITY, finest[RATIOS - 1] / finest[1],
                     "%s, %d x %d: deflection at nu = 0.499 / that at 0.3", all_elements[kind].name,
                     levels[count - 1], levels[count - 1]);
    }
    // a beam that is clamped in all directions is a little stiffer than Timoshenko's
    verify_range(verify, -INFINITY, 1.001, largest, "largest deflection / theory");
    verify_range(verify, 1, INFINITY, finer, "smallest deflection / that of the coarser mesh");
    verify_range(verify, 1, INFINITY, cubes, "smallest deflection of cubes / that of tets");
    return LYRA_OK;
}

// ---- volume -------------------------------------------------------------------------------------

static LyraStatus pull(LyraContext *ctx, VerifyBody *body, double *change)
{
    VERIFY_TRY(verify_hold_plane(body, 0, 0, "xyz"));
    VERIFY_TRY(verify_hold_plane(body, 0, LENGTH, "xyz"));
    for (int32_t v = 0; v < body->view.vertex_count; ++v) {
        body->held[3 * (int64_t)v] =
            verify_on_plane(body, v, 0, LENGTH) ? (STRETCH - 1) * LENGTH : 0;
    }
    VERIFY_TRY(verify_body_solve(body, NULL));
    // elements have one volume, so the change of the whole is the mean of theirs
    LyraFields *fields = NULL;
    VERIFY_TRY(lyra_fields_create(ctx, body->model, body->mesh, 0, &fields));
    int32_t count = body->view.element_count;
    double *det = cli_allocate((size_t)count * sizeof *det);
    const LyraElementFields out = {.det = det};
    LyraStatus status = lyra_fields_evaluate(fields, body->state, &out);
    *change = 0;
    for (int32_t e = 0; e < count && status == LYRA_OK; ++e) {
        *change += (det[e] - 1) / count;
    }
    free(det);
    lyra_fields_destroy(fields);
    return status;
}

// the change of volume of a long bar: its free stretch q by bisection of the lateral stress
static double change_of_long_bar(double poisson)
{
    double lambda = YOUNG * poisson / ((1 + poisson) * (1 - 2 * poisson));
    double mu = YOUNG / (2 * (1 + poisson)), low = 0.5, high = 1.1;
    while (high - low > 1e-15) {
        double q = 0.5 * (low + high);
        double stress = mu * (q - 1 / q) + lambda * log(STRETCH * q * q) / q;
        *(stress > 0 ? &high : &low) = q;
    }
    return STRETCH * low * low - 1;
}

static LyraStatus run_volume(Verify *verify)
{
    double changes[KINDS][RATIOS], exact[RATIOS], steepest = 0;
    int32_t n = verify->quick ? 2 : 4;
    verify_note(verify,
                "Change of volume of a neo-Hookean bar of 8 x 1 x 1, pulled to 1.5 times its "
                "length between clamped ends, beside that of a long bar (uniaxial tension), which "
                "the ends do not hinder. At nu = 0 the two are one and the answer is exact.");
    for (int r = 0; r < RATIOS; ++r) {
        exact[r] = change_of_long_bar(ratios[r]);
        for (int kind = 0; kind < KINDS; ++kind) {
            VerifyBody body;
            VERIFY_TRY(
                make_bar(verify->ctx, &all_elements[kind], n, "neo-hookean", ratios[r], &body));
            LyraStatus status = pull(verify->ctx, &body, &changes[kind][r]);
            verify_body_end(&body);
            VERIFY_TRY(status);
            const char *name = all_elements[kind].name;
            if (r == 0) {
                // a state of constant strain: what Newton's method leaves
                verify_relative(verify, exact[r], changes[kind][r], 1e-6,
                                "%s, %d x %d: change of volume at nu = 0", name, n, n);
            } else {
                if (kind < STANDARD || r == RATIOS - 1) {
                    verify_information(verify, exact[r], changes[kind][r],
                                       "%s, %d x %d: change of volume at nu = %g", name, n, n,
                                       ratios[r]);
                }
                steepest = fmax(steepest, changes[kind][r] / changes[kind][r - 1]);
            }
        }
    }
    verify_range(verify, 0, 1, steepest, "largest change of volume / that at the ratio before");
    VerifyPlot *plot = verify_plot(verify, "volume", "Change of volume at stretch 1.5",
                                   "Poisson's ratio", "V / V0 - 1", false, true);
    verify_series(plot, RATIOS, ratios, exact, "long bar");
    for (int kind = 0; kind < KINDS; ++kind) {
        verify_series(plot, RATIOS, ratios, changes[kind], "%s", all_elements[kind].name);
    }
    return LYRA_OK;
}

const VerifyCase verify_locking_cases[] = {
    {"locking", "statics", "Bending of a bar against Poisson's ratio", true, run_bending},
    {"volume", "statics", "Change of volume of a bar against Poisson's ratio", true, run_volume},
    {0},
};
