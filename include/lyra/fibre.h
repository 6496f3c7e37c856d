// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

/// @file
/// Fibres in solids: stiffness along one direction per element, and active stress, as in muscle. A
/// force of its own, to be put beside an isotropic one. docs/theory/fibre.md derives it.

#ifndef LYRA_FIBRE_H
#define LYRA_FIBRE_H

#include "lyra/force.h"
#include "lyra/mesh.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Parameters, for lyra_assembly_set_parameter().
typedef enum LyraFibreParameter {
    LYRA_FIBRE_STIFFNESS = 0, ///< k1, Pa, >= 0.
    LYRA_FIBRE_EXPONENT,      ///< k2, dimensionless, >= 0.
    LYRA_FIBRE_ACTIVE_STRESS, ///< Second Piola stress along the fibre at full activation, Pa, >= 0.
    LYRA_FIBRE_ACTIVATION,    ///< In [0, 1].
    LYRA_FIBRE_PARAMETER_COUNT
} LyraFibreParameter;

/// Settings. Start from lyra_fibre_def_default(). The energy per volume, with I4 = |F a|^2, is
/// k1/2 (I4 - 1)^2 phi(k2 (I4 - 1)^2) + activation active_stress / 2 (I4 - 1),
/// phi(q) = (exp(q) - 1) / q, phi(0) = 1.
typedef struct LyraFibreDef {
    const double *directions; ///< Fibre of each element at rest, any length, [element_count][3].
    double stiffness;         ///< k1 of all elements, Pa, >= 0. Default 0.
    double exponent;          ///< k2, >= 0; 0: quadratic in I4. Default 0.
    double active_stress;     ///< Pa, >= 0. Default 0.
    double activation;        ///< In [0, 1]. Default 0.
    bool tension_only;        ///< No k1 term where I4 < 1. Default true.
    uint32_t cookie;          ///< Written by the default function only.
} LyraFibreDef;

LYRA_API LyraFibreDef lyra_fibre_def_default(void);

/// Fibres in the elements of `mesh`, tets or cubes (2x2x2 Gauss points). Copies what it needs.
/// Fails with LYRA_BAD_MESH, naming the first one, for an element of zero or negative volume or a
/// cube that is no axis-aligned box; with LYRA_INVALID_ARGUMENT for a direction that is zero or not
/// finite, naming the element, and for constants out of range.
LYRA_API LyraStatus lyra_fibre_create(LyraContext *ctx, const LyraMesh *mesh,
                                      const LyraFibreDef *def, LyraForce **out);

#ifdef __cplusplus
}
#endif

#endif
