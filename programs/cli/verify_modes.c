// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Natural frequencies against beams and against a plate whose frequencies are known in three
// dimensions.
//
// Beam of length L, section h x h, Poisson's ratio 0. Euler and Bernoulli: w = (b L)^2
// (E I / rho A L^4)^(1/2) with cosh bL cos bL = -1 (clamped and free) or +1 (free and free). With
// shear and the inertia of rotation, Timoshenko's beam has [Hua61], in
//
//   b^2 = rho A w^2 L^4 / E I,   r^2 = I / A L^2,   s^2 = E I / k A G L^2,   k = 5/6,
//   alpha, beta = (1/2)^(1/2) (-+(r^2 + s^2) + ((r^2 - s^2)^2 + 4 / b^2)^(1/2))^(1/2),
//
//   clamped, free  2 + (b^2 (r^2 - s^2)^2 + 2) cosh(b alpha) cos(b beta)
//                    - b (r^2 + s^2) (1 - b^2 r^2 s^2)^(-1/2) sinh(b alpha) sin(b beta) = 0,
//   free, free     2 - 2 cosh(b alpha) cos(b beta) + b (1 - b^2 r^2 s^2)^(-1/2)
//                    (b^2 r^2 (r^2 - s^2)^2 + 3 r^2 - s^2) sinh(b alpha) sin(b beta) = 0,
//
// a theory that agrees with three dimensions to some 1e-3 at L = 10 h. Waves along a bar without
// lateral contraction are exact in three dimensions: n c / 2 L free, (2 n - 1) c / 4 L clamped.
//
// Plate 10 x 10 x 1 m, E / rho = 25e6, nu = 0.3; u_y = u_z = 0 at x = 0 and 10, u_x = u_z = 0 at
// y = 0 and 10. Motions are products of sines and cosines in x and y and solve the equations of
// three dimensions exactly across the thickness; those of shear in the plane are (c_s / 2 a)
// (m^2 + n^2)^(1/2).

#include "verify_body.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define PI 3.14159265358979323846

// modes of a body by a system with a factor; masses are consistent
static LyraStatus find_modes(Verify *verify, const VerifyBody *body, int32_t count, LyraModes **out)
{
    LyraSolverDef solver = lyra_solver_def_default();
    solver.task = LYRA_SOLVER_MANY;
    LyraSystem *system = NULL;
    LyraModesDef def = lyra_modes_def_default();
    def.count = count;
    LyraStatus status = lyra_system_create_sparse(verify->ctx, body->model, &solver, &system);
    if (status == LYRA_OK) {
        status = lyra_modes_create(system, NULL, &def, out, NULL);
    }
    lyra_system_destroy(system);
    return status;
}

// share of the squares of a mode that direction `axis` has
static double share_of(const LyraModesView *view, int32_t mode, int axis)
{
    const double *x = view->vectors + (int64_t)mode * view->size;
    double part = 0, all = 0;
    for (int32_t i = 0; i < view->size; ++i) {
        part += i % 3 == axis ? x[i] * x[i] : 0;
        all += x[i] * x[i];
    }
    return part / all;
}

static LyraStatus make_body(Verify *verify, LyraElementKind kind, const int32_t cells[3],
                            const double size[3], double young, double poisson, VerifyBody *out)
{
    LyraMesh *mesh = NULL;
    LyraStatus status = verify_box(verify->ctx, kind, cells, size, &mesh);
    if (status != LYRA_OK) {
        return status;
    }
    VerifyBodyDef def = verify_body_def_default(mesh);
    def.solid.model = "linear";
    def.solid.young = young;
    def.solid.poisson = poisson;
    def.consistent_mass = true;
    return verify_body_create(verify->ctx, &def, out);
}

// ---- beams --------------------------------------------------------------------------------------

#define LENGTH 10.0
#define YOUNG 1e9 // Pa, with 1000 kg/m^3: c = 1000 m/s
#define SPEED 1000.0
#define BENDING 3 // modes compared
#define AXIAL 1

static double euler_bernoulli(bool held, int mode)
{
    static const double roots[2][BENDING] = {{4.730040744863, 7.853204624096, 10.995607838002},
                                             {1.875104068712, 4.694091132974, 7.854757438238}};
    double root = roots[held][mode];
    return root * root * SPEED * sqrt(1 / 12.0) / (LENGTH * LENGTH) / (2 * PI);
}

static double timoshenko_equation(bool held, double b)
{
    double r2 = 1 / 12.0 / (LENGTH * LENGTH), s2 = r2 * 2 * 6 / 5;
    double root = sqrt((r2 - s2) * (r2 - s2) + 4 / (b * b));
    double A = b * sqrt(0.5 * (root - r2 - s2)), B = b * sqrt(0.5 * (root + r2 + s2));
    double q = b / sqrt(1 - b * b * r2 * s2), d2 = (r2 - s2) * (r2 - s2);
    return held ? 2 + (b * b * d2 + 2) * cosh(A) * cos(B) - q * (r2 + s2) * sinh(A) * sin(B)
                : 2 - 2 * cosh(A) * cos(B) + q * (b * b * r2 * d2 + 3 * r2 - s2) * sinh(A) * sin(B);
}

// the root below the one of Euler and Bernoulli and above that before it
static double timoshenko(bool held, int mode)
{
    double scale = 2 * PI * LENGTH * LENGTH / (SPEED * sqrt(1 / 12.0));
    double low = 0.1, value = timoshenko_equation(held, low);
    for (int found = 0;;) {
        double high = low * 1.002, next = timoshenko_equation(held, high);
        if ((value > 0) != (next > 0) && found++ == mode) {
            for (int i = 0; i < 60; ++i) {
                double middle = 0.5 * (low + high);
                bool below = (timoshenko_equation(held, middle) > 0) == (value > 0);
                low = below ? middle : low;
                high = below ? high : middle;
            }
            return low / scale;
        }
        low = high;
        value = next;
    }
}

// frequencies of bending and along the bar, found by direction: all is held in z, where nothing
// happens without lateral contraction
static LyraStatus beam_frequencies(Verify *verify, LyraElementKind kind, bool held, int32_t along,
                                   double bending[BENDING], double *axial)
{
    const int32_t across = along / 10, cells[3] = {along, across, across};
    const double size[3] = {LENGTH, 1, 1};
    VerifyBody body;
    LyraModes *modes = NULL;
    LyraStatus status = make_body(verify, kind, cells, size, YOUNG, 0, &body);
    if (status != LYRA_OK) {
        return status;
    }
    for (int32_t i = 0; i < body.view.vertex_count && status == LYRA_OK; ++i) {
        int32_t dof = 3 * i + 2;
        status = lyra_constraints_fix_dofs(lyra_model_constraints(body.model), 1, &dof);
    }
    if (status == LYRA_OK && held) {
        status = verify_hold_plane(&body, 0, 0, "xyz");
    }
    if (status == LYRA_OK) {
        status = find_modes(verify, &body, 8, &modes);
    }
    int32_t found[2] = {0, 0};
    for (int32_t k = 0; status == LYRA_OK && k < 8; ++k) {
        LyraModesView view = lyra_modes_view(modes);
        bool is_axial = share_of(&view, k, 0) > 0.5;
        if (k < view.rigid_count) {
            continue;
        }
        if (is_axial && found[1]++ == 0) {
            *axial = view.frequencies[k];
        } else if (!is_axial && found[0] < BENDING) {
            bending[found[0]++] = view.frequencies[k];
        }
    }
    lyra_modes_destroy(modes);
    verify_body_end(&body);
    return status;
}

// one kind of element, one way of holding: meshes of `levels` sizes
static LyraStatus run_beam(Verify *verify, LyraElementKind kind, bool held, int levels,
                           VerifyPlot *plot)
{
    const char *name = kind == LYRA_ELEMENT_TET4 ? "tets" : "cubes";
    const char *ends = held ? "clamped-free" : "free-free";
    double bending[3][BENDING] = {{0}}, axial[3] = {0}, size[3], error[3];
    for (int level = 0; level < levels; ++level) {
        int32_t along = 20 << level;
        LyraStatus status =
            beam_frequencies(verify, kind, held, along, bending[level], &axial[level]);
        if (status != LYRA_OK) {
            return status;
        }
        for (int m = 0; m < BENDING; ++m) {
            verify_information(verify, timoshenko(held, m), bending[level][m],
                               "%s, %s %dx%dx%d, bending %d, Hz", ends, name, along, along / 10,
                               along / 10, m + 1);
        }
        size[level] = LENGTH / along;
        error[level] = bending[level][0] / timoshenko(held, 0) - 1;
    }
    verify_series(plot, levels, size, error, "%s, %s", name, ends);
    int last = levels - 1;
    double exact = held ? SPEED / (4 * LENGTH) : SPEED / (2 * LENGTH);
    verify_relative(verify, exact, verify_limit(axial[last - 1], axial[last]), 1e-4,
                    "%s, %s, along the bar 1, limit, Hz", ends, name);
    for (int m = 0; m < BENDING; ++m) {
        double reference = timoshenko(held, m);
        double limit = verify_limit(bending[last - 1][m], bending[last][m]);
        if (levels == 3) {
            double order = log2((bending[0][m] - bending[1][m]) / (bending[1][m] - bending[2][m]));
            verify_range(verify, kind == LYRA_ELEMENT_TET4 ? 1.6 : 1.8, 2.2, order,
                         "%s, %s, bending %d, order in h", ends, name, m + 1);
            verify_relative(verify, reference, limit, 0.006, "%s, %s, bending %d, limit, Hz", ends,
                            name, m + 1);
        } else {
            verify_relative(verify, reference, limit, 0.005, "%s, %s, bending %d, limit, Hz", ends,
                            name, m + 1);
        }
        verify_information(verify, euler_bernoulli(held, m), limit,
                           "%s, %s, bending %d, limit, beside Euler-Bernoulli, Hz", ends, name,
                           m + 1);
    }
    return LYRA_OK;
}

// a free body has six modes of zero frequency, and the others have no momentum: as consistent
// masses times a translation are the lumped ones, these serve for the sums
static LyraStatus run_rigid(Verify *verify, LyraElementKind kind)
{
    const int32_t cells[3] = {20, 2, 2};
    const double size[3] = {LENGTH, 1, 1};
    VerifyBody body;
    LyraModes *modes = NULL;
    LyraStatus status = make_body(verify, kind, cells, size, YOUNG, 0.3, &body);
    if (status != LYRA_OK) {
        return status;
    }
    status = find_modes(verify, &body, 10, &modes);
    if (status == LYRA_OK) {
        const char *name = kind == LYRA_ELEMENT_TET4 ? "tets" : "cubes";
        LyraModesView view = lyra_modes_view(modes);
        double momentum = 0;
        for (int32_t k = 6; k < 10; ++k) {
            double sum[3] = {0};
            for (int32_t v = 0; v < body.view.vertex_count; ++v) {
                for (int i = 0; i < 3; ++i) {
                    sum[i] += body.masses[v] * view.vectors[(int64_t)k * view.size + 3 * v + i];
                }
            }
            for (int i = 0; i < 3; ++i) {
                momentum = fmax(momentum, fabs(sum[i]) / sqrt(1000 * LENGTH));
            }
        }
        verify_absolute(verify, 6, view.rigid_count, 0, "%s, free body: modes of zero frequency",
                        name);
        verify_absolute(verify, 0, fabs(view.frequencies[5]) / view.frequencies[6], 1e-6,
                        "%s, free body: |f_6| / f_7", name);
        verify_absolute(verify, 0, momentum, 1e-10, "%s, free body: momentum of modes 7 to 10",
                        name);
    }
    lyra_modes_destroy(modes);
    verify_body_end(&body);
    return status;
}

static LyraStatus run_beams(Verify *verify)
{
    verify_note(
        verify,
        "Beam 10 x 1 x 1 m, E = 1 GPa, nu = 0, 1000 kg/m^3, consistent masses. The "
        "reference is Timoshenko's beam with k = 5/6; \"limit\" is Richardson's "
        "from the two finest meshes. Linear elements are too stiff in bending: "
        "frequencies come down as h^2 (tets are so stiff on "
        "the coarsest mesh that its order shows later). What is left at the limit is the beam "
        "theory's own error, which grows with the number of the mode.");
    VerifyPlot *plot =
        verify_plot(verify, "beam_frequencies", "first bending frequency against Timoshenko's",
                    "size of elements, m", "relative error", true, true);
    LyraStatus status = LYRA_OK;
    for (int held = 0; held < 2 && status == LYRA_OK; ++held) {
        status = run_beam(verify, LYRA_ELEMENT_CUBE8, held, verify->quick ? 2 : 3, plot);
        if (status == LYRA_OK && !verify->quick) {
            status = run_beam(verify, LYRA_ELEMENT_TET4, held, 3, plot);
        }
    }
    if (status == LYRA_OK) {
        status = run_rigid(verify, LYRA_ELEMENT_CUBE8);
    }
    return status == LYRA_OK ? run_rigid(verify, LYRA_ELEMENT_TET4) : status;
}

// ---- the plate ----------------------------------------------------------------------------------

#define OUT 8 // modes out of the plane
#define IN 3  // modes in it

// frequencies out of the plane and in it, rising
static LyraStatus plate_frequencies(Verify *verify, int32_t along, double out[OUT], double in[IN])
{
    enum { COUNT = 14 };
    const int32_t cells[3] = {along, along, along / 10};
    const double size[3] = {10, 10, 1};
    VerifyBody body;
    LyraModes *modes = NULL;
    LyraStatus status = make_body(verify, LYRA_ELEMENT_CUBE8, cells, size, 25e9, 0.3, &body);
    if (status != LYRA_OK) {
        return status;
    }
    for (int side = 0; side < 2 && status == LYRA_OK; ++side) {
        status = verify_hold_plane(&body, 0, 10.0 * side, "yz");
        if (status == LYRA_OK) {
            status = verify_hold_plane(&body, 1, 10.0 * side, "xz");
        }
    }
    if (status == LYRA_OK) {
        status = find_modes(verify, &body, COUNT, &modes);
    }
    for (int k = 0, o = 0, i = 0; status == LYRA_OK && k < COUNT; ++k) {
        LyraModesView view = lyra_modes_view(modes);
        bool is_out = share_of(&view, k, 2) > 0.1;
        if (is_out && o < OUT) {
            out[o++] = view.frequencies[k];
        } else if (!is_out && i < IN) {
            in[i++] = view.frequencies[k];
        }
    }
    lyra_modes_destroy(modes);
    verify_body_end(&body);
    return status;
}

static LyraStatus run_plate(Verify *verify)
{
    static const double exact_out[OUT] = {45.9712,  109.8569, 109.8569, 168.8193,
                                          205.8646, 205.8646, 258.5599, 258.5599};
    const double shear = sqrt(25e6 / 2.6) / 20, exact_in[IN] = {shear, shear, shear * sqrt(2.0)};
    double out[3][OUT] = {{0}}, in[3][IN] = {{0}};
    int levels = verify->quick ? 2 : 3;
    verify_note(verify, "Solid plate 10 x 10 x 1 m, E = 200 GPa, nu = 0.3, 8000 kg/m^3 (run with "
                        "the same E / rho), cubes. The figures of 45.897, 109.44 and 167.89 Hz "
                        "that are often quoted are those of a Mindlin plate.");
    for (int level = 0; level < levels; ++level) {
        int32_t along = 10 << level;
        LyraStatus status = plate_frequencies(verify, along, out[level], in[level]);
        if (status != LYRA_OK) {
            return status;
        }
        for (int m = 0; m < OUT; ++m) {
            verify_information(verify, exact_out[m], out[level][m],
                               "cubes %dx%dx%d, out of the plane %d, Hz", along, along, along / 10,
                               m + 1);
        }
    }
    int last = levels - 1;
    for (int m = 0; m < OUT; ++m) {
        verify_relative(verify, exact_out[m], verify_limit(out[last - 1][m], out[last][m]),
                        levels == 3 ? 0.01 : 0.025, "out of the plane %d, limit, Hz", m + 1);
    }
    for (int m = 0; m < IN; ++m) {
        verify_relative(verify, exact_in[m], verify_limit(in[last - 1][m], in[last][m]),
                        levels == 3 ? 1e-4 : 1e-3, "shear in the plane %d, limit, Hz", m + 1);
    }
    return LYRA_OK;
}

const VerifyCase verify_modes_cases[] = {
    {"beam-frequencies", "modes", "Natural frequencies of clamped and free beams", true, run_beams},
    {"plate-frequencies", "modes", "A solid plate with exact frequencies", true, run_plate},
    {0},
};
