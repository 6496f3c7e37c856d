// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Uniaxial, equibiaxial and planar tension (and compression) of a block against the laws as the
// books write them, in principal stretches s_1, s_2, s_3: with the nominal stresses P_i = dW/ds_i,
//
//   uniaxial      s_1 = s given,         s_2 = s_3 = q with P_2(s, q, q) = 0;
//   equibiaxial   s_1 = s_2 = s given,   s_3 = q with P_3(s, s, q) = 0;
//   planar        s_1 = s, s_2 = 1,      s_3 = q with P_3(s, 1, q) = 0.
//
// q is followed from the state at rest in small steps of s. Not every law has an answer everywhere:
// Saint Venant-Kirchhoff under uniaxial tension has q^2 = 1 - nu (s^2 - 1), which ends at
// s^2 = 1 + 1/nu; laws linear in stretches end in the same way under equibiaxial tension; and where
// W is no longer convex enough the state is not one that a body would stay in. Stretches are
// compared up to there, and what is left out is said.
//
// The block is a unit cube of 2 x 2 x 2 cells whose faces are moved by their normals; strain is
// constant, so that rounding and the end of Newton's method are the only errors: tolerance 1e-11.

#include "verify_body.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define TOLERANCE 1e-11
#define YOUNG 1e5
#define POISSON 0.3
#define STRETCH_LEAST 0.1 // below it the library leaves the law (LyraInversion)

// Lame's constants and the bulk modulus
static const double lambda = YOUNG * POISSON / ((1 + POISSON) * (1 - 2 * POISSON));
#define SHEAR (YOUNG / (2 * (1 + POISSON)))
static const double mu = SHEAR;
static const double kappa = YOUNG / (3 * (1 - 2 * POISSON));

// ---- laws: P_i = dW/ds_i ------------------------------------------------------------------------

// linear in the stretches: also small-strain and corotational elasticity, as nothing turns here
static void stress_linear(const double s[3], double P[3])
{
    double trace = s[0] + s[1] + s[2] - 3;
    for (int i = 0; i < 3; ++i) {
        P[i] = lambda * trace + 2 * mu * (s[i] - 1);
    }
}

static void stress_stvk(const double s[3], double P[3])
{
    double trace = 0.5 * (s[0] * s[0] + s[1] * s[1] + s[2] * s[2] - 3);
    for (int i = 0; i < 3; ++i) {
        P[i] = s[i] * (lambda * trace + mu * (s[i] * s[i] - 1));
    }
}

static void stress_neo_hookean(const double s[3], double P[3])
{
    double log_J = log(s[0] * s[1] * s[2]);
    for (int i = 0; i < 3; ++i) {
        P[i] = mu * (s[i] - 1 / s[i]) + lambda * log_J / s[i];
    }
}

static void stress_stable(const double s[3], double P[3])
{
    double J = s[0] * s[1] * s[2];
    for (int i = 0; i < 3; ++i) {
        P[i] = mu * s[i] + ((lambda + mu) * (J - 1) - mu) * J / s[i];
    }
}

static void stress_stable_log(const double s[3], double P[3])
{
    double m = 4.0 / 3 * mu, l = lambda + 5.0 / 6 * mu, J = s[0] * s[1] * s[2];
    double I = s[0] * s[0] + s[1] * s[1] + s[2] * s[2];
    for (int i = 0; i < 3; ++i) {
        P[i] = m * s[i] * (1 - 1 / (I + 1)) + (l * (J - 1) - mu) * J / s[i];
    }
}

// laws U(a) + kappa/2 (J - 1)^2 with a = I J^(-2/3), from U'
static void stress_isochoric(const double s[3], double (*slope)(double a), double P[3])
{
    double J = s[0] * s[1] * s[2], I = s[0] * s[0] + s[1] * s[1] + s[2] * s[2];
    double c = pow(J, -2.0 / 3);
    for (int i = 0; i < 3; ++i) {
        P[i] = slope(I * c) * c * (2 * s[i] - 2.0 / 3 * I / s[i]) + kappa * (J - 1) * J / s[i];
    }
}

#define YEOH_C20 2000.0
#define YEOH_C30 100.0

static double slope_yeoh(double a)
{
    return 0.5 * mu + 2 * YEOH_C20 * (a - 3) + 3 * YEOH_C30 * (a - 3) * (a - 3);
}

static void stress_yeoh(const double s[3], double P[3])
{
    stress_isochoric(s, slope_yeoh, P);
}

static const LyraElasticConstant yeoh[] = {{"c20", YEOH_C20}, {"c30", YEOH_C30}};

#define POLYNOMIAL_C20 1000.0
#define POLYNOMIAL_C40 10.0
#define POLYNOMIAL_C60 0.1

static double slope_polynomial(double a)
{
    double d = a - 3;
    return 0.5 * mu + 2 * POLYNOMIAL_C20 * d + 4 * POLYNOMIAL_C40 * d * d * d +
           6 * POLYNOMIAL_C60 * pow(d, 5);
}

static void stress_polynomial(const double s[3], double P[3])
{
    stress_isochoric(s, slope_polynomial, P);
}

static const LyraElasticConstant polynomial[] = {
    {"c20", POLYNOMIAL_C20}, {"c40", POLYNOMIAL_C40}, {"c60", POLYNOMIAL_C60}};

#define CHAIN_LOCK 4.0

// the first five terms of the inverse Langevin function [AB93]
static double slope_chains(double a)
{
    static const double alpha[5] = {1.0 / 2, 1.0 / 20, 11.0 / 1050, 19.0 / 7000, 519.0 / 673750};
    double sum = 0, rest = 0;
    for (int i = 0; i < 5; ++i) {
        double c = (i + 1) * alpha[i] * pow(CHAIN_LOCK, -2 * i);
        sum += c * pow(a, i);
        rest += c * pow(3, i);
    }
    // so that the shear modulus at rest, 2 U'(3), is mu
    return 0.5 * mu * sum / rest;
}

static void stress_chains(const double s[3], double P[3])
{
    stress_isochoric(s, slope_chains, P);
}

static const LyraElasticConstant chains[] = {{"lock", CHAIN_LOCK}};

#define FUNG_B 0.2

static double slope_fung(double a)
{
    return 0.5 * mu * exp(FUNG_B * (a - 3));
}

static void stress_fung(const double s[3], double P[3])
{
    stress_isochoric(s, slope_fung, P);
}

static const LyraElasticConstant fung[] = {{"b", FUNG_B}};

#define MOONEY_10 12000.0
#define MOONEY_01 4000.0
#define MOONEY_V 50000.0

static void stress_mooney(const double s[3], double P[3])
{
    double J = s[0] * s[1] * s[2], I = s[0] * s[0] + s[1] * s[1] + s[2] * s[2];
    double II = s[0] * s[0] * s[1] * s[1] + s[1] * s[1] * s[2] * s[2] + s[2] * s[2] * s[0] * s[0];
    for (int i = 0; i < 3; ++i) {
        P[i] = MOONEY_10 * pow(J, -2.0 / 3) * (2 * s[i] - 2.0 / 3 * I / s[i]) +
               MOONEY_01 * pow(J, -4.0 / 3) * (2 * s[i] * (I - s[i] * s[i]) - 4.0 / 3 * II / s[i]) +
               2 * MOONEY_V * (J - 1) * J / s[i];
    }
}

static const LyraElasticConstant mooney[] = {
    {"mu10", MOONEY_10}, {"mu01", MOONEY_01}, {"v1", MOONEY_V}};

// rubber, as [Ogd72] fits it, in Pa; only the bulk modulus is lower
static const double ogden_mu[3] = {0.63e6, 0.0012e6, -0.01e6}, ogden_alpha[3] = {1.3, 5, -2};
static const double ogden_kappa = 2e6;

static void stress_ogden(const double s[3], double P[3])
{
    double J = s[0] * s[1] * s[2];
    P[0] = P[1] = P[2] = 0;
    for (int p = 0; p < 3; ++p) {
        double power[3];
        for (int i = 0; i < 3; ++i) {
            power[i] = pow(s[i] * pow(J, -1.0 / 3), ogden_alpha[p]);
        }
        for (int i = 0; i < 3; ++i) {
            P[i] += ogden_mu[p] * (power[i] - (power[0] + power[1] + power[2]) / 3) / s[i];
        }
    }
    for (int i = 0; i < 3; ++i) {
        P[i] += ogden_kappa * (J - 1) * J / s[i];
    }
}

static const LyraElasticConstant ogden[] = {
    {"mu1", 0.63e6},  {"alpha1", 1.3}, {"mu2", 0.0012e6}, {"alpha2", 5},
    {"mu3", -0.01e6}, {"alpha3", -2},  {"kappa", 2e6},
};

#define SPLINE_LIMIT 0.4

// [ITF04] section 6, with slopes 2 mu at rest and 10 mu from the limit on
static void stress_spline(const double s[3], double P[3])
{
    double k0 = 2 * mu, ke = 10 * mu, L = SPLINE_LIMIT;
    for (int i = 0; i < 3; ++i) {
        double t = fabs(s[i] - 1), r = fmin(t, L);
        double p = k0 * r + (ke - k0) * (r * r / L - r * r * r / (3 * L * L)) + ke * (t - r);
        P[i] = copysign(p, s[i] - 1) + lambda * (s[0] + s[1] + s[2] - 3);
    }
}

static const LyraElasticConstant spline[] = {{"limit", SPLINE_LIMIT}};

typedef struct Law {
    const char *model;
    double shear; // modulus at rest, for the charts
    void (*stress)(const double s[3], double P[3]);
    const LyraElasticConstant *constants;
    int32_t constant_count;
    bool convex; // W is a convex function of F itself, so that every state is stable
} Law;

#define CONSTANTS(list) list, sizeof list / sizeof list[0], false

static const Law laws[] = {
    {"linear", SHEAR, stress_linear, NULL, 0, true},
    {"corotational", SHEAR, stress_linear, NULL, 0, false},
    {"corotational-exact", SHEAR, stress_linear, NULL, 0, false},
    {"rotated-linear", SHEAR, stress_linear, NULL, 0, false},
    {"biphasic-spline", SHEAR, stress_spline, CONSTANTS(spline)},
    {"stvk", SHEAR, stress_stvk, NULL, 0, false},
    {"neo-hookean", SHEAR, stress_neo_hookean, NULL, 0, false},
    {"stable-neo-hookean", SHEAR, stress_stable, NULL, 0, false},
    {"stable-neo-hookean-log", SHEAR, stress_stable_log, NULL, 0, false},
    {"mooney-rivlin", 2 * (MOONEY_10 + MOONEY_01), stress_mooney, CONSTANTS(mooney)},
    {"yeoh", SHEAR, stress_yeoh, CONSTANTS(yeoh)},
    {"reduced-polynomial", SHEAR, stress_polynomial, CONSTANTS(polynomial)},
    {"arruda-boyce", SHEAR, stress_chains, CONSTANTS(chains)},
    {"fung", SHEAR, stress_fung, CONSTANTS(fung)},
    {"ogden", 0.4225e6, stress_ogden, CONSTANTS(ogden)},
};

enum { LAW_COUNT = sizeof laws / sizeof laws[0] };

// ---- closed forms -------------------------------------------------------------------------------

typedef enum Mode { UNIAXIAL, EQUIBIAXIAL, PLANAR } Mode;

static void set_stretches(Mode mode, double s, double q, double out[3])
{
    out[0] = s;
    out[1] = mode == UNIAXIAL ? q : mode == EQUIBIAXIAL ? s : 1;
    out[2] = q;
}

static double free_stress(const Law *law, Mode mode, double s, double q)
{
    double stretches[3], P[3];
    set_stretches(mode, s, q, stretches);
    law->stress(stretches, P);
    return P[2];
}

// the free stretch at s near `*q`; false where there is none, or none that is a minimum
static bool find_free_stretch(const Law *law, Mode mode, double s, double *q)
{
    double x = *q;
    for (int k = 0; k < 50; ++k) {
        double d = 1e-6 * x, f = free_stress(law, mode, s, x);
        double slope =
            (free_stress(law, mode, s, x + d) - free_stress(law, mode, s, x - d)) / (2 * d);
        if (!(slope > 0)) {
            return false;
        }
        double step = -f / slope;
        if (!(x + step > 0.5 * STRETCH_LEAST)) {
            return false;
        }
        x += step;
        if (fabs(step) < 1e-15 * x || (k > 20 && fabs(step) < 1e-13)) {
            break;
        }
    }
    // the next one on the branch is near
    if (!(fabs(x - *q) < 0.05) || x < STRETCH_LEAST) {
        return false;
    }
    *q = x;
    return true;
}

// Whether the state is one that a body stays in: the Hessian of W in the stretches is positive
// definite (Sylvester's criterion), and so is the energy of each shear alone, d2W/dF_ij^2 =
// (s_i W_i - s_j W_j)/(s_i^2 - s_j^2) (half the sum of flip and twist), as ellipticity demands.
static bool is_stable(const Law *law, Mode mode, double s, double q)
{
    double at[3], P[3], H[3][3];
    set_stretches(mode, s, q, at);
    if (law->convex) {
        return true;
    }
    law->stress(at, P);
    for (int j = 0; j < 3; ++j) {
        double moved[3] = {at[0], at[1], at[2]}, d = 1e-6 * at[j], above[3], below[3];
        moved[j] = at[j] + d;
        law->stress(moved, above);
        moved[j] = at[j] - d;
        law->stress(moved, below);
        for (int i = 0; i < 3; ++i) {
            H[i][j] = (above[i] - below[i]) / (2 * d);
        }
    }
    for (int i = 0; i < 3; ++i) {
        int j = (i + 1) % 3;
        // the limit where the two are equal: (s W_i)' / (2 s) along the difference of the two
        double shear = fabs(at[i] - at[j]) > 1e-4
                           ? (at[i] * P[i] - at[j] * P[j]) / (at[i] * at[i] - at[j] * at[j])
                           : 0.5 * (H[i][i] - H[i][j] + P[i] / at[i]);
        if (!(shear > 0)) {
            return false;
        }
    }
    double minor = H[0][0] * H[1][1] - H[0][1] * H[1][0];
    double det = H[0][0] * (H[1][1] * H[2][2] - H[1][2] * H[2][1]) -
                 H[0][1] * (H[1][0] * H[2][2] - H[1][2] * H[2][0]) +
                 H[0][2] * (H[1][0] * H[2][1] - H[1][1] * H[2][0]);
    return H[0][0] > 0 && minor > 0 && det > 0;
}

// follows the branch from rest to s
static bool follow(const Law *law, Mode mode, double s, double *q)
{
    enum { STEPS = 400 };
    *q = 1;
    for (int k = 1; k <= STEPS; ++k) {
        double at = 1 + (s - 1) * k / STEPS;
        if (!find_free_stretch(law, mode, at, q) || !is_stable(law, mode, at, *q)) {
            return false;
        }
    }
    return true;
}

// ---- blocks -------------------------------------------------------------------------------------

// from rest outwards, both ways
static const double stretches[] = {1.1,  1.25, 1.5, 1.75, 2,   2.25, 2.5,
                                   2.75, 3,    0.9, 0.8,  0.7, 0.6,  0.5};

enum { STRETCH_COUNT = sizeof stretches / sizeof stretches[0], PULLED_COUNT = 9 };

typedef struct Answer {
    double stress, free;
} Answer;

static LyraStatus hold_block(VerifyBody *body, Mode mode)
{
    VERIFY_TRY(verify_hold_plane(body, 0, 0, "x"));
    VERIFY_TRY(verify_hold_plane(body, 1, 0, "y"));
    VERIFY_TRY(verify_hold_plane(body, 2, 0, "z"));
    VERIFY_TRY(verify_hold_plane(body, 0, 1, "x"));
    return mode == UNIAXIAL ? LYRA_OK : verify_hold_plane(body, 1, 1, "y");
}

static void move_faces(VerifyBody *body, Mode mode, double s)
{
    for (int32_t v = 0; v < body->view.vertex_count; ++v) {
        body->held[3 * v] = verify_on_plane(body, v, 0, 1) ? s - 1 : 0;
        body->held[3 * v + 1] = mode == EQUIBIAXIAL && verify_on_plane(body, v, 1, 1) ? s - 1 : 0;
    }
}

// the free stretch, of the vertex at z = 1 that is farthest off the first one there
static double measure_free(const VerifyBody *body)
{
    const double *u = verify_body_displacements(body);
    double first = NAN, farthest = NAN;
    for (int32_t v = 0; v < body->view.vertex_count; ++v) {
        if (verify_on_plane(body, v, 2, 1)) {
            double q = 1 + u[3 * v + 2];
            first = isnan(first) ? q : first;
            farthest = isnan(farthest) || fabs(q - first) > fabs(farthest - first) ? q : farthest;
        }
    }
    return farthest;
}

// a block at the stretches [first, end) that `wanted` says
static LyraStatus stretch_block(LyraContext *ctx, VerifyBody *body, Mode mode, int first, int end,
                                const bool *wanted, Answer *answers)
{
    lyra_vector_fill(lyra_state_view(body->state).u, 0);
    for (int k = first; k < end && wanted[k]; ++k) {
        move_faces(body, mode, stretches[k]);
        VERIFY_TRY(verify_body_solve(body, NULL));
        double reaction[3];
        VERIFY_TRY(verify_plane_reaction(ctx, body, 0, 1, reaction));
        answers[k] = (Answer){.stress = reaction[0], .free = measure_free(body)};
    }
    return LYRA_OK;
}

static LyraStatus solve_block(LyraContext *ctx, const Law *law, Mode mode, LyraElementKind kind,
                              const bool *wanted, Answer *answers)
{
    static const int32_t cells[3] = {2, 2, 2};
    static const double unit[3] = {1, 1, 1};
    LyraMesh *mesh = NULL;
    VERIFY_TRY(verify_box(ctx, kind, cells, unit, &mesh));
    VerifyBodyDef def = verify_body_def_default(mesh);
    def.solid.model = law->model;
    def.solid.young = YOUNG;
    def.solid.poisson = POISSON;
    def.solid.constants = law->constants;
    def.solid.constant_count = law->constant_count;
    def.integrator.load_steps = 4;
    VerifyBody body;
    VERIFY_TRY(verify_body_create(ctx, &def, &body));
    LyraStatus status = hold_block(&body, mode);
    if (status == LYRA_OK) {
        status = stretch_block(ctx, &body, mode, 0, PULLED_COUNT, wanted, answers);
    }
    if (status == LYRA_OK) {
        status = stretch_block(ctx, &body, mode, PULLED_COUNT, STRETCH_COUNT, wanted, answers);
    }
    verify_body_end(&body);
    return status;
}

// ---- cases --------------------------------------------------------------------------------------

// closed forms at all stretches; where the branch ends, it does so for those farther out too
static void find_answers(const Law *law, Mode mode, bool *exists, Answer *answers)
{
    for (int k = 0; k < STRETCH_COUNT; ++k) {
        double q, s[3], P[3];
        exists[k] = follow(law, mode, stretches[k], &q);
        if (exists[k]) {
            set_stretches(mode, stretches[k], q, s);
            law->stress(s, P);
            answers[k] = (Answer){.stress = P[0], .free = q};
        }
    }
}

// says where the branch ends, if that is before `end`
static void tell_limit(Verify *verify, const Law *law, Mode mode, double end)
{
    double q, inside = 1, outside = end;
    if (follow(law, mode, end, &q)) {
        return;
    }
    while (fabs(outside - inside) > 1e-6) {
        double middle = 0.5 * (inside + outside);
        *(follow(law, mode, middle, &q) ? &inside : &outside) = middle;
    }
    verify_information(verify, NAN, inside, "%s, compared %s to", law->model,
                       end > 1 ? "up" : "down");
}

// the worst of a quantity over stretches and meshes
typedef struct Worst {
    double error, exact, ours, stretch;
    const char *mesh;
} Worst;

static void compare(Worst *worst, double exact, double ours, double stretch, LyraElementKind kind)
{
    double error = fabs(ours / exact - 1);
    // a NaN is the worst
    if (!worst->mesh || !(error <= worst->error)) {
        *worst = (Worst){error, exact, ours, stretch, kind == LYRA_ELEMENT_TET4 ? "tets" : "cubes"};
    }
}

// ten lines have colours of their own: not the others that are linear in the stretches, whose line
// is the same, nor the spline, five times as stiff, nor a second polynomial
static bool is_drawn(const Law *law)
{
    bool same = law->stress == stress_linear && strcmp(law->model, "rotated-linear") != 0;
    return !same && law->stress != stress_spline && law->stress != stress_polynomial;
}

static void draw_law(VerifyPlot *plot, const Law *law, const bool *exists, const Answer *ours)
{
    double x[STRETCH_COUNT], y[STRETCH_COUNT];
    int count = 0;
    for (int k = STRETCH_COUNT - 1; k >= 0; --k) {
        // ascending: from the last one pressed to the last one pulled
        int from = k >= PULLED_COUNT ? k : PULLED_COUNT - 1 - k;
        if (exists[from]) {
            x[count] = stretches[from];
            y[count++] = ours[from].stress / law->shear;
        }
    }
    verify_series(plot, count, x, y, "%s", law->model);
}

static LyraStatus check_law(Verify *verify, const Law *law, Mode mode, VerifyPlot *plot)
{
    bool exists[STRETCH_COUNT];
    Answer exact[STRETCH_COUNT], ours[STRETCH_COUNT];
    find_answers(law, mode, exists, exact);
    double low = 1, high = 1;
    Worst stress = {0}, free_stretch = {0};
    for (int kind = 0; kind < LYRA_ELEMENT_TET10; ++kind) {
        VERIFY_TRY(solve_block(verify->ctx, law, mode, (LyraElementKind)kind, exists, ours));
        for (int k = 0; k < STRETCH_COUNT; ++k) {
            if (exists[k]) {
                low = fmin(low, stretches[k]);
                high = fmax(high, stretches[k]);
                compare(&stress, exact[k].stress, ours[k].stress, stretches[k],
                        (LyraElementKind)kind);
                compare(&free_stretch, exact[k].free, ours[k].free, stretches[k],
                        (LyraElementKind)kind);
            }
        }
    }
    verify_relative(verify, stress.exact, stress.ours, TOLERANCE,
                    "%s, stress, worst of %g to %g: %s at %g", law->model, low, high, stress.mesh,
                    stress.stretch);
    verify_relative(verify, free_stretch.exact, free_stretch.ours, TOLERANCE,
                    "%s, free stretch, worst of %g to %g: %s at %g", law->model, low, high,
                    free_stretch.mesh, free_stretch.stretch);
    tell_limit(verify, law, mode, 0.5);
    tell_limit(verify, law, mode, 3);
    if (is_drawn(law)) {
        draw_law(plot, law, exists, ours);
    }
    return LYRA_OK;
}

static LyraStatus run_mode(Verify *verify, Mode mode, const char *name, const char *title)
{
    verify_note(verify,
                "Nominal stress (Pa) and free stretch at %d stretches from 0.5 to 3 against the "
                "laws in principal stretches as the books write them. Where a law has no answer up "
                "to these ends, or none that is stable, or the free stretch falls below %g (where "
                "the library leaves the law), rows marked info say how far it is compared.",
                STRETCH_COUNT, STRETCH_LEAST);
    VerifyPlot *plot =
        verify_plot(verify, name, title, "stretch", "nominal stress / shear modulus", false, false);
    for (int i = 0; i < LAW_COUNT; ++i) {
        VERIFY_TRY(check_law(verify, &laws[i], mode, plot));
    }
    return LYRA_OK;
}

static LyraStatus run_uniaxial(Verify *verify)
{
    return run_mode(verify, UNIAXIAL, "uniaxial", "Uniaxial tension and compression");
}

static LyraStatus run_equibiaxial(Verify *verify)
{
    return run_mode(verify, EQUIBIAXIAL, "equibiaxial", "Equibiaxial tension and compression");
}

static LyraStatus run_planar(Verify *verify)
{
    return run_mode(verify, PLANAR, "planar", "Planar tension and compression");
}

const VerifyCase verify_tension_cases[] = {
    {"uniaxial", "statics", "Uniaxial tension and compression of every law", true, run_uniaxial},
    {"equibiaxial", "statics", "Equibiaxial tension and compression of every law", true,
     run_equibiaxial},
    {"planar", "statics", "Planar tension and compression (pure shear) of every law", true,
     run_planar},
    {0},
};
