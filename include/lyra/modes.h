// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

/// @file
/// Linear modes: the smallest eigenpairs of K x = w^2 M x at a state of a system, with whatever its
/// constraints leave free. Free bodies are welcome: their rigid motions come first, as modes of
/// frequency 0. docs/modes.md says how they are found and how well.

#ifndef LYRA_MODES_H
#define LYRA_MODES_H

#include "lyra/base.h"
#include "lyra/system.h"

#ifdef __cplusplus
extern "C" {
#endif

/// How modes are searched for.
typedef enum LyraModesMethod {
    LYRA_MODES_AUTO = 0, ///< ARPACK where the build has it and the body is large enough for it.
    LYRA_MODES_LANCZOS,  ///< Block Lanczos with thick restarts, of our own.
    LYRA_MODES_ARPACK,   ///< ARPACK; LYRA_UNSUPPORTED where the build lacks it.
    LYRA_MODES_METHOD_COUNT
} LyraModesMethod;

/// "auto", "lanczos" or "arpack". Never NULL.
LYRA_API const char *lyra_modes_method_name(LyraModesMethod method);

/// Settings of a search. Start from lyra_modes_def_default().
typedef struct LyraModesDef {
    int32_t count;          ///< Modes, in [1, free unknowns]. Default 10.
    LyraModesMethod method; ///< Default LYRA_MODES_AUTO.
    /// sigma of K + sigma M, which is factored, 1/s^2, > 0: large enough to make it positive
    /// definite, not much larger than the eigenvalues sought. Default 0: chosen.
    double shift;
    double tolerance;   ///< Relative, on eigenvalues of the inverse, in (0, 0.1). Default 1e-10.
    int32_t solves_max; ///< Solves with K + sigma M. Default 10000.
    uint32_t cookie;    ///< Written by the default function only.
} LyraModesDef;

LYRA_API LyraModesDef lyra_modes_def_default(void);

/// What a search did.
typedef struct LyraModesReport {
    LyraModesMethod method; ///< That served; never LYRA_MODES_AUTO.
    double shift;           ///< sigma, 1/s^2.
    double largest;         ///< Largest eigenvalue of M^-1 K, estimated, 1/s^2.
    double residual;        ///< The largest of all modes; see LyraModesView.
    int32_t solves;         ///< With K + sigma M.
    int32_t restarts;       ///< Of the basis.
    int32_t overlooked;     ///< Checks that found a mode which the search before had missed.
    double factor_seconds, search_seconds;
    const char *solver; ///< Linear solver that served.
} LyraModesReport;

typedef struct LyraModes LyraModes;

/// Finds modes of a system at a point. `at`: Nullable: at rest, at time 0. The system keeps the
/// tangent and the factor of the search. Starts are fixed: a search repeats to the last bit.
///
/// LYRA_INVALID_ARGUMENT for settings out of range and for more modes than there are free unknowns;
/// LYRA_SINGULAR if a free vertex has no mass (it is named) or the body has no stiffness at all;
/// LYRA_NOT_FINITE for a state or a stiffness that is not; LYRA_UNSUPPORTED if K is not symmetric;
/// LYRA_NOT_POSITIVE_DEFINITE if the shift given does not make the matrix so; LYRA_NOT_CONVERGED
/// beyond solves_max. `def`: Nullable: defaults. `report`: Nullable.
LYRA_API LyraStatus lyra_modes_create(LyraSystem *system, const LyraPoint *at,
                                      const LyraModesDef *def, LyraModes **out,
                                      LyraModesReport *report);

/// Accepts NULL.
LYRA_API void lyra_modes_destroy(LyraModes *modes);

/// A view of modes, by rising eigenvalue, valid while they live.
typedef struct LyraModesView {
    int32_t size;  ///< Unknowns.
    int32_t count; ///< Modes.
    /// Modes whose eigenvalue is zero to rounding (1e-12 of the largest of M^-1 K): rigid motions
    /// and mechanisms.
    int32_t rigid_count;
    const double *eigenvalues; ///< w^2, 1/s^2, [count]; negative where the state is unstable.
    /// Hz, [count]: w / 2 pi, and minus |w| / 2 pi for a negative eigenvalue.
    const double *frequencies;
    /// |x - (w^2 + sigma) (K + sigma M)^-1 M x| in the norm of M, [count]: there is an eigenvalue
    /// whose sum with sigma is relatively as near to w^2 + sigma as this.
    const double *residuals;
    /// Shapes, [count][size], X^T M X = 1, zero where constraints hold; the entry of largest
    /// magnitude is positive.
    const double *vectors;
} LyraModesView;

LYRA_API LyraModesView lyra_modes_view(const LyraModes *modes);

#ifdef __cplusplus
}
#endif

#endif
