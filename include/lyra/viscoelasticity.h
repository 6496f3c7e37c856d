// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

/// @file
/// Solids that relax and creep: an option of isotropic laws (elastic.h, solid.h), and series fitted
/// to measurements. The equations are in docs/theory/viscoelasticity.md.

#ifndef LYRA_VISCOELASTICITY_H
#define LYRA_VISCOELASTICITY_H

#include "lyra/base.h"

#ifdef __cplusplus
extern "C" {
#endif

/// How a solid relaxes.
typedef enum LyraRelaxation {
    /// "prony": shares of the stress of any isotropic law fade away. Exact for stresses that change
    /// at a constant rate in a step.
    LYRA_RELAXATION_PRONY = 0,
    /// "maxwell": springs in logarithmic strain with dampers beside the law: they lose energy and
    /// never gain any, at any strain, inverted elements included. Of first order in dt. Each is a
    /// force group of its own, "maxwell-1" and so on, with parameters "mu" and "relaxation-time".
    LYRA_RELAXATION_MAXWELL,
    LYRA_RELAXATION_COUNT
} LyraRelaxation;

/// Name of a model, "unknown" outside the list.
LYRA_API const char *lyra_relaxation_name(LyraRelaxation model);

/// Model of a name; LYRA_INVALID_ARGUMENT with the list of names if there is none.
LYRA_API LyraStatus lyra_relaxation_find(const char *name, LyraRelaxation *model);

/// A branch. The law itself is what is left when all branches have relaxed.
typedef struct LyraRelaxationBranch {
    double time;  ///< Relaxation time, s, > 0.
    double shear; ///< prony: its modulus over that of the law, >= 0; maxwell: mu, Pa, > 0.
    double bulk;  ///< prony: the same of the pressure, >= 0; maxwell: not read.
} LyraRelaxationBranch;

#define LYRA_RELAXATION_BRANCHES_MAX 8

/// prony: a series of one coefficient of the law: that part of its stress fades away by it. Laws
/// that are linear in their coefficients have such.
typedef struct LyraCoefficientSeries {
    const char *coefficient;              ///< Of the law, "mu10".
    const LyraRelaxationBranch *branches; ///< `shear` is the share, >= 0; `bulk` is not read.
    int32_t branch_count;                 ///< [1, LYRA_RELAXATION_BRANCHES_MAX].
} LyraCoefficientSeries;

#define LYRA_COEFFICIENT_SERIES_MAX 8

/// Settings. Start from lyra_viscoelasticity_def_default().
typedef struct LyraViscoelasticityDef {
    LyraRelaxation model;                 ///< Default LYRA_RELAXATION_PRONY.
    const LyraRelaxationBranch *branches; ///< [branch_count]. Default NULL.
    int32_t branch_count;                 ///< [1, LYRA_RELAXATION_BRANCHES_MAX]. Default 0.
    /// prony, in solids of lyra_solid_create(): series of coefficients, in place of `branches`.
    /// Each is a force group of its own, "prony-mu10". Default NULL, 0.
    const LyraCoefficientSeries *coefficients; ///< [coefficient_count].
    int32_t coefficient_count;                 ///< [0, LYRA_COEFFICIENT_SERIES_MAX].
    uint32_t cookie;                           ///< Written by the default function only.
} LyraViscoelasticityDef;

LYRA_API LyraViscoelasticityDef lyra_viscoelasticity_def_default(void);

// ---- fits ---------------------------------------------------------------------------------------

/// A series in moduli: G(t) = equilibrium + sum of modulus e^(-t/time). Its branches for a law that
/// holds the equilibrium have the shares modulus/equilibrium. (Where a program gives shares g_i of
/// the modulus at once, as Abaqus does: modulus_i = g_i G_0, equilibrium = G_0 (1 - sum g_i).)
typedef struct LyraPronySeries {
    double equilibrium; ///< Pa.
    int32_t branch_count;
    double time[LYRA_RELAXATION_BRANCHES_MAX];    ///< s, falling.
    double modulus[LYRA_RELAXATION_BRANCHES_MAX]; ///< Pa.
    /// Root of the mean square of the relative error, over all rows: |M/M_fit - 1| of complex
    /// moduli, G_fit/G - 1 of relaxation.
    double error;
} LyraPronySeries;

/// Measurements: complex moduli by frequency, or relaxation by time. All > 0, in any order.
typedef struct LyraPronyData {
    int32_t count;           ///< Rows, at least 2.
    const double *frequency; ///< Hz, [count]. Nullable: `time`.
    const double *storage;   ///< Pa, [count], with `frequency`.
    const double *loss;      ///< Pa, [count], >= 0, with `frequency`.
    const double *time;      ///< s since the strain was reached, [count]. Nullable: `frequency`.
    const double *modulus;   ///< Stress over strain, Pa, [count], with `time`.
    double ramp; ///< s that it took to reach the strain, >= 0: times count from its end.
} LyraPronyData;

/// Fits a series with at most `branches` branches, at most LYRA_RELAXATION_BRANCHES_MAX; 0: as many
/// as make the error fall by a fifth each. Moduli are not negative: first by least squares with
/// times spread evenly over the data, then times and moduli by the Gauss-Newton method.
/// LYRA_INVALID_ARGUMENT, naming the row, for data out of range.
LYRA_API LyraStatus lyra_fit_prony(LyraContext *ctx, const LyraPronyData *data, int32_t branches,
                                   LyraPronySeries *out);

/// Fits a series to a constant quality factor `q` > 0 (stored over lost energy in a cycle, 4 pi
/// times) between the frequencies low < high, Hz, in Kjartansson's model, which has the modulus |M|
/// = `modulus`, Pa, at `reference`, Hz. `branches` as above.
LYRA_API LyraStatus lyra_fit_constant_q(LyraContext *ctx, double q, double low, double high,
                                        double modulus, double reference, int32_t branches,
                                        LyraPronySeries *out);

#ifdef __cplusplus
}
#endif

#endif
