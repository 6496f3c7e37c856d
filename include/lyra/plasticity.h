// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

/// @file
/// Plastic flow of solids: an option of isotropic laws (elastic.h, solid.h). The equations are in
/// docs/theory/plasticity.md.

#ifndef LYRA_PLASTICITY_H
#define LYRA_PLASTICITY_H

#include "lyra/base.h"

#ifdef __cplusplus
extern "C" {
#endif

/// When a solid flows.
typedef enum LyraYield {
    /// "von-mises": where the Kirchhoff stress of the law "hencky" exceeds the strength. Implicit:
    /// the stress at the end of a step obeys the strength, at any step.
    LYRA_YIELD_VON_MISES = 0,
    /// "deformation": where the logarithmic strain of any isotropic law exceeds a limit. Flows at
    /// the end of a step, by what is in excess; dynamics only.
    LYRA_YIELD_DEFORMATION,
    LYRA_YIELD_COUNT
} LyraYield;

/// Name of a criterion, "unknown" outside the list.
LYRA_API const char *lyra_yield_name(LyraYield yield);

/// Criterion of a name; LYRA_INVALID_ARGUMENT with the list of names if there is none.
LYRA_API LyraStatus lyra_yield_find(const char *name, LyraYield *yield);

/// A row of a table of strengths.
typedef struct LyraStrengthRow {
    double strain; ///< Equivalent plastic strain, >= 0.
    double stress; ///< Pa, > 0.
} LyraStrengthRow;

/// Settings of plastic flow, the same for all elements. Start from lyra_plasticity_def_default().
/// Those with a name in quotation marks are parameters of the force, which may be set for each
/// element and while it moves (lyra_model_set_parameter()).
///
/// The equivalent plastic strain is sqrt(2/3) times the plastic logarithmic strain that was passed
/// through; in uniaxial stress it is the plastic logarithmic strain.
typedef struct LyraPlasticityDef {
    LyraYield yield;     ///< Default LYRA_YIELD_VON_MISES.
    double yield_stress; ///< "yield", Pa, >= 0; below 1e-6 mu it counts as that. von-mises.
    double hardening;    ///< "hardening", Pa per equivalent plastic strain, >= 0. Default 0.
    /// Backstress per plastic strain, Pa, >= 0: "kinematic-hardening", as in uniaxial stress. The
    /// strain is then the logarithm of F^T F and the plastic one is taken from it: det F > 0 is
    /// needed, and energy and forces are NaN where it is not. Default 0.
    double kinematic_hardening;
    double viscosity; ///< "flow-viscosity", Pa s, >= 0: Perzyna's. Default 0.
    /// Strength by equivalent plastic strain: strains from 0 upwards, stresses (Pa) that do not
    /// fall; in between linear, constant beyond. "yield" is then the first stress, and other values
    /// of it scale the table; `hardening` is added. [table_count]. Nullable.
    const LyraStrengthRow *table;
    int32_t table_count;
    double yield_strain; ///< "yield-strain", >= 0. deformation.
    /// deformation: only the part of the strain without change of volume counts, and flows.
    bool keeps_volume; ///< Default false.
    /// deformation: positions of the vertices in a goal shape, m, [vertex_count][3]. Flow then
    /// leads toward it only: the distance to the goal in plastic logarithmic strain never grows;
    /// the history has it as "goal-distance". "goal-11" to "goal-31" are the strain of the goal,
    /// 11, 22, 33, 12, 23, 31; `flow_limit` is ignored. Copied. Nullable.
    const double *goal;
    /// deformation: the same by the strain of the goal of each element, ln(Fg^T Fg)/2 of the map Fg
    /// from rest to goal: 11, 22, 33, 12, 23, 31, [element_count][6]. Not with `goal`. Copied.
    /// Nullable.
    const double *goal_strain;
    /// "flow-max": equivalent plastic strain that is not exceeded, >= 0. von-mises. Default 1e300.
    double flow_max;
    /// "step-flow-max": most flow in a step, as a norm of logarithmic strain, > 0. von-mises.
    /// Default 1.
    double step_flow_max;
    /// "flow-limit": norm of the logarithm of the plastic stretches, > 0, at which flow stops until
    /// it would lead back. Default 1.
    double flow_limit;
    uint32_t cookie; ///< Written by the default function only.
} LyraPlasticityDef;

LYRA_API LyraPlasticityDef lyra_plasticity_def_default(void);

#ifdef __cplusplus
}
#endif

#endif
