// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Viscoelastic solids against closed forms at small strain, by one material point. With the moduli
// G at rest, shares beta_i and times tau_i:
//
//   relaxation         G(t) = G (1 + sum beta_i e^{-t/tau_i});
//   a ramp of rate r   G r t + sum G beta_i r tau_i (1 - e^{-t/tau_i});
//   creep of a branch  e = (1 - beta/(1 + beta) e^{-t/tc}) s/E,   tc = tau (1 + beta);
//   cycles             G' = G + sum G beta_i w^2 tau_i^2/(1 + w^2 tau_i^2),
//                      G'' = sum G beta_i w tau_i/(1 + w^2 tau_i^2), lost pi A^2 G'' in each;
//   constant Q         Kjartansson's modulus M0 (i w/w0)^{2 gamma}, gamma = atan(1/Q)/pi, [Hau04].

#include "point.h"
#include "verify.h"

#include <math.h>
#include <stdio.h>

#define PI 3.14159265358979323846
#define STRAIN 1e-6 // small enough for closed forms of linear strain

// laws of shear modulus 1 Pa, nu = 0.3, and what relaxes
enum { PRONY, STVK, ROTATED, MAXWELL, RELAXING };

static const LyraRelaxationBranch two_branches[2] = {{0.5, 2, 2}, {3, 0.4, 0.4}};
static const char *const relaxing_names[RELAXING] = {"prony, neo-Hooke", "prony, StVK",
                                                     "prony, corotational", "maxwell, neo-Hooke"};
static const char *const relaxing_models[RELAXING] = {"neo-hookean", "stvk", "corotational-exact",
                                                      "neo-hookean"};

static LyraStatus make_point(LyraContext *ctx, int which, const LyraRelaxationBranch *branches,
                             int32_t count, double young, CliPoint **out)
{
    LyraSolidDef def = lyra_solid_def_default();
    LyraViscoelasticityDef series = lyra_viscoelasticity_def_default();
    series.model = which == MAXWELL ? LYRA_RELAXATION_MAXWELL : LYRA_RELAXATION_PRONY;
    series.branches = branches;
    series.branch_count = count;
    def.model = relaxing_models[which];
    def.young = young;
    def.poisson = 0.3;
    def.viscoelasticity = &series;
    return cli_point_create(ctx, &def, NULL, out);
}

// a step to a shear; the shear stress
static LyraStatus shear(CliPoint *point, double gamma, double time, double *stress)
{
    const double F[9] = {1, gamma, 0, 0, 1, 0, 0, 0, 1};
    VERIFY_TRY(cli_point_step(point, F, time));
    *stress = point->P[1];
    return LYRA_OK;
}

// ---- relaxation and ramps -----------------------------------------------------------------------

static LyraStatus relax(Verify *verify, int which, CliPoint *point)
{
    static const double times[] = {0.1, 0.5, 2, 10};
    const LyraRelaxationBranch *b = two_branches;
    double now = 1e-9, stress = NAN;
    int steps = which == MAXWELL ? 2000 : 1;
    VERIFY_TRY(shear(point, STRAIN, now, &stress));
    verify_relative(verify, 3.4, stress / STRAIN, 1e-5, "%s: G at once", relaxing_names[which]);
    for (int t = 0; t < 4; ++t) {
        double span = times[t] - now;
        for (int s = 1; s <= steps; ++s) {
            VERIFY_TRY(shear(point, STRAIN, now + span * s / steps, &stress));
        }
        now = times[t];
        double exact = 1 + b[0].shear * exp(-now / b[0].time) + b[1].shear * exp(-now / b[1].time);
        verify_relative(verify, exact, stress / STRAIN, which == MAXWELL ? 1e-3 : 1e-5,
                        "%s, steps %d: G(%g s)", relaxing_names[which], steps, now);
    }
    return LYRA_OK;
}

static LyraStatus run_relaxation(Verify *verify)
{
    verify_note(
        verify,
        "Shear modulus 1 Pa, nu = 0.3, branches of 2 and 0.4 with 0.5 s and 3 s, sheared to "
        "1e-6 in 1e-9 s and held. The update of a series is exact, so each row is one "
        "step; Maxwell branches are of first order, with 2000 steps to each row.");
    for (int which = 0; which < RELAXING; ++which) {
        CliPoint *point = NULL;
        VERIFY_TRY(make_point(verify->ctx, which, two_branches, 2, 2.6, &point));
        LyraStatus status = relax(verify, which, point);
        cli_point_destroy(point);
        VERIFY_TRY(status);
    }
    return LYRA_OK;
}

static LyraStatus run_ramp(Verify *verify)
{
    verify_note(verify,
                "The same body sheared at a constant rate to 1e-6 in 3 s. A series is exact "
                "in steps of any length.");
    static const int32_t counts[] = {1, 10, 300};
    const LyraRelaxationBranch *b = two_branches;
    const double end = 3, rate = STRAIN / end;
    double exact = rate * end;
    for (int i = 0; i < 2; ++i) {
        exact += b[i].shear * rate * b[i].time * (1 - exp(-end / b[i].time));
    }
    for (int which = 0; which < MAXWELL; ++which) {
        for (int c = 0; c < 3; ++c) {
            CliPoint *point = NULL;
            double stress = NAN;
            VERIFY_TRY(make_point(verify->ctx, which, two_branches, 2, 2.6, &point));
            LyraStatus status = LYRA_OK;
            for (int32_t s = 1; s <= counts[c] && status == LYRA_OK; ++s) {
                double t = end * s / counts[c];
                status = shear(point, rate * t, t, &stress);
            }
            cli_point_destroy(point);
            VERIFY_TRY(status);
            verify_relative(verify, exact / STRAIN, stress / STRAIN, 1e-5,
                            "%s, steps %d: stress over strain after 3 s, Pa", relaxing_names[which],
                            counts[c]);
        }
    }
    return LYRA_OK;
}

// ---- creep --------------------------------------------------------------------------------------

// axial strain over stress, times E, after 2 s of a stress that comes at once
static LyraStatus creep(LyraContext *ctx, int which, int32_t steps, double *strain)
{
    const LyraRelaxationBranch branch = {0.5, 2, 2};
    CliPoint *point = NULL;
    VERIFY_TRY(make_point(ctx, which, &branch, 1, 1, &point));
    LyraStatus status = cli_point_load(point, STRAIN, 1e-9);
    for (int32_t s = 1; s <= steps && status == LYRA_OK; ++s) {
        status = cli_point_load(point, STRAIN, 2.0 * s / steps);
    }
    *strain = (point->F[0] - 1) / STRAIN;
    cli_point_destroy(point);
    return status;
}

static LyraStatus run_creep(Verify *verify)
{
    verify_note(verify,
                "E = 1 Pa, a branch of twice the modulus and 0.5 s in shear and pressure, a "
                "stress of 1e-6 Pa for 2 s: strain over stress. Second order in the step.");
    const double exact = 1 - 2.0 / 3 * exp(-2 / 1.5);
    for (int which = 0; which < MAXWELL; ++which) {
        double strain[3];
        for (int c = 0; c < 3; ++c) {
            VERIFY_TRY(creep(verify->ctx, which, 20 << c, &strain[c]));
            verify_relative(verify, exact, strain[c], 4e-3 / (1 << (2 * c)), "%s, steps %d: strain",
                            relaxing_names[which], 20 << c);
        }
        verify_range(verify, 1.8, 2.2, log2((strain[0] - strain[1]) / (strain[1] - strain[2])),
                     "%s: order in the step", relaxing_names[which]);
    }
    return LYRA_OK;
}

// ---- cycles -------------------------------------------------------------------------------------

// what a cycle of shear found
typedef struct Cycle {
    double storage, loss; // moduli, Pa
    double lost;          // in the last cycle, J/m^3
} Cycle;

// cycles of `amplitude` at w, 1/s, with n steps each; the last one is measured
static LyraStatus turn(CliPoint *point, double amplitude, double w, int32_t cycles, int32_t n,
                       Cycle *out)
{
    *out = (Cycle){0};
    double before = 0;
    for (int32_t i = 1; i <= cycles * n; ++i) {
        double phase = 2 * PI * i / n, stress;
        before = i == (cycles - 1) * n + 1 ? point->dissipated : before;
        VERIFY_TRY(shear(point, amplitude * sin(phase), phase / w, &stress));
        if (i > (cycles - 1) * n) {
            out->storage += 2 * stress * sin(phase) / (n * amplitude);
            out->loss += 2 * stress * cos(phase) / (n * amplitude);
        }
    }
    out->lost = point->dissipated - before;
    return LYRA_OK;
}

static LyraStatus run_cycle(Verify *verify)
{
    verify_note(verify,
                "Shear of amplitude 1e-4 at 2 rad/s, law of 1 Pa, one branch of 2 Pa and 0.5 s: "
                "moduli and loss of the sixth cycle. Series: 200 steps in a cycle; Maxwell branch, "
                "of first order: 4000.");
    const LyraRelaxationBranch branch = {0.5, 2, 2};
    const double w = 2, A = 1e-4, y = w * branch.time;
    const double storage = 1 + 2 * y * y / (1 + y * y), loss = 2 * y / (1 + y * y);
    for (int which = 0; which < RELAXING; ++which) {
        CliPoint *point = NULL;
        Cycle cycle;
        VERIFY_TRY(make_point(verify->ctx, which, &branch, 1, 2.6, &point));
        LyraStatus status = turn(point, A, w, 6, which == MAXWELL ? 4000 : 200, &cycle);
        cli_point_destroy(point);
        VERIFY_TRY(status);
        const char *name = relaxing_names[which];
        verify_relative(verify, storage, cycle.storage, 2e-3, "%s: storage modulus, Pa", name);
        verify_relative(verify, loss, cycle.loss, 2e-3, "%s: loss modulus, Pa", name);
        verify_relative(verify, PI * A * A * loss, cycle.lost, 2e-3, "%s: lost in a cycle, J/m^3",
                        name);
    }
    return LYRA_OK;
}

// ---- constant Q ---------------------------------------------------------------------------------

// shares of a fit
static void find_shares(const LyraPronySeries *fit, LyraRelaxationBranch *branches)
{
    for (int32_t i = 0; i < fit->branch_count; ++i) {
        double share = fit->modulus[i] / fit->equilibrium;
        branches[i] = (LyraRelaxationBranch){fit->time[i], share, share};
    }
}

static LyraStatus run_liver(Verify *verify)
{
    verify_note(
        verify,
        "Liver: 2.5 kPa at 2 Hz, Q = 4.8 between 0.1 Hz and 10 kHz. Errors are roots of the "
        "mean square of |M/M_fit - 1|; the references are those of a fit by another program "
        "(numpy). With five branches the fit is the material of a body, sheared at 2 Hz.");
    static const double errors[] = {0.123, 0.067, 0.035, 0.018};
    static const double times[] = {0.719, 0.0540, 0.00429, 3.41e-4, 2.46e-5};
    static const double moduli[] = {0.262, 0.337, 0.470, 0.654, 1.086};
    LyraPronySeries fit;
    for (int32_t n = 2; n <= 5; ++n) {
        VERIFY_TRY(lyra_fit_constant_q(verify->ctx, 4.8, 0.1, 1e4, 2500, 2, n, &fit));
        verify_absolute(verify, errors[n - 2], fit.error, 1e-3, "%d branches: error", n);
    }
    verify_absolute(verify, 0.603, fit.equilibrium / 2500, 1e-3, "equilibrium over M0");
    for (int i = 0; i < 5; ++i) {
        verify_relative(verify, times[i], fit.time[i], 5e-3, "time of branch %d, s", i + 1);
        verify_relative(verify, moduli[i], fit.modulus[i] / 2500, 5e-3,
                        "modulus of branch %d over M0", i + 1);
    }
    LyraRelaxationBranch branches[LYRA_RELAXATION_BRANCHES_MAX];
    CliPoint *point = NULL;
    Cycle cycle;
    find_shares(&fit, branches);
    VERIFY_TRY(make_point(verify->ctx, ROTATED, branches, 5, 2.6 * fit.equilibrium, &point));
    LyraStatus status = turn(point, 1e-4, 2 * PI * 2, 20, 400, &cycle);
    cli_point_destroy(point);
    VERIFY_TRY(status);
    verify_relative(verify, 2500, hypot(cycle.storage, cycle.loss), 0.03, "|M| at 2 Hz, Pa");
    verify_relative(verify, 4.8, cycle.storage / cycle.loss, 0.08, "Q at 2 Hz");
    return LYRA_OK;
}

// Q of a cube with viscosity by the rate of strain that has Q = 4.8 at `middle`, Hz
static LyraStatus turn_kelvin(LyraContext *ctx, double middle, double f, double *q)
{
    LyraSolidDef def = lyra_solid_def_default();
    LyraViscosityDef viscous = lyra_viscosity_def_default();
    CliPoint *point = NULL;
    Cycle cycle;
    def.model = "neo-hookean";
    def.young = 2.6;
    def.poisson = 0.3;
    viscous.mu = 1 / (4.8 * 2 * PI * middle);
    VERIFY_TRY(cli_point_create(ctx, &def, &viscous, &point));
    LyraStatus status = turn(point, 1e-5, 2 * PI * f, 2, 5000, &cycle);
    cli_point_destroy(point);
    *q = cycle.storage / cycle.loss;
    return status;
}

static LyraStatus run_constant_q(Verify *verify)
{
    verify_note(verify,
                "A cube sheared to and fro over a decade of frequencies, after [Hau04]: with a "
                "series fitted to Q = 4.8 between 0.1 Hz and 10 kHz the quality stays; with the "
                "viscosity of Kelvin and Voigt that has it at sqrt(10) Hz it falls as 1/f.");
    enum { COUNT = 5 };
    double f[COUNT], series[COUNT], kelvin[COUNT], middle = sqrt(10);
    LyraPronySeries fit;
    LyraRelaxationBranch branches[LYRA_RELAXATION_BRANCHES_MAX];
    VERIFY_TRY(lyra_fit_constant_q(verify->ctx, 4.8, 0.1, 1e4, 1, middle, 5, &fit));
    find_shares(&fit, branches);
    for (int k = 0; k < COUNT; ++k) {
        CliPoint *point = NULL;
        Cycle cycle;
        f[k] = pow(10, 0.25 * k);
        VERIFY_TRY(make_point(verify->ctx, ROTATED, branches, 5, 2.6 * fit.equilibrium, &point));
        // 4 s: the slowest branch has forgotten the start
        LyraStatus status = turn(point, 1e-4, 2 * PI * f[k], 1 + (int32_t)(4 * f[k]), 200, &cycle);
        cli_point_destroy(point);
        VERIFY_TRY(status);
        VERIFY_TRY(turn_kelvin(verify->ctx, middle, f[k], &kelvin[k]));
        series[k] = cycle.storage / cycle.loss;
        verify_range(verify, 4.45, 5.86, series[k], "%.2f Hz: Q of the series", f[k]);
        verify_relative(verify, 4.8 * middle / f[k], kelvin[k], 3e-3,
                        "%.2f Hz: Q of Kelvin and Voigt", f[k]);
    }
    VerifyPlot *plot = verify_plot(verify, "viscous_constant_q", "Quality over a decade",
                                   "frequency, Hz", "Q", true, true);
    verify_series(plot, COUNT, f, series, "series of five branches");
    verify_series(plot, COUNT, f, kelvin, "Kelvin-Voigt");
    return LYRA_OK;
}

const VerifyCase verify_viscous_cases[] = {
    {"viscous-relaxation", "viscous", "Stress under a strain that is held", true, run_relaxation},
    {"viscous-ramp", "viscous", "Stress under a strain that grows", true, run_ramp},
    {"viscous-creep", "viscous", "Strain under a stress that is held", true, run_creep},
    {"viscous-cycle", "viscous", "Storage, loss and lost energy of cycles", true, run_cycle},
    {"viscous-liver", "viscous", "A series fitted to the quality of liver", true, run_liver},
    {"viscous-constant-q", "viscous", "Constant Q beside Kelvin and Voigt", true, run_constant_q},
    {0},
};
