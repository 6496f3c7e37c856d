// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

/// @file
/// What the elements of a body feel: change of volume, strain energy, stress. The stress is the
/// mean of Cauchy's over the element as it is now, from the forces on its vertices, so that it is
/// there for every law.

#ifndef LYRA_FIELDS_H
#define LYRA_FIELDS_H

#include "lyra/base.h"
#include "lyra/mesh.h"
#include "lyra/model.h"
#include "lyra/state.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Fields of the elements of one body of a model.
typedef struct LyraFields LyraFields;

/// Prepares the fields of `mesh`, whose vertices are [first_vertex, first_vertex + vertex_count) of
/// `model`; both must outlive them. Forces of the model whose stencils are elements of the mesh
/// (the same vertices in the same order) take part, those that depend on velocities too; springs
/// and loads do not.
LYRA_API LyraStatus lyra_fields_create(LyraContext *ctx, LyraModel *model, const LyraMesh *mesh,
                                       int32_t first_vertex, LyraFields **out);

/// Accepts NULL.
LYRA_API void lyra_fields_destroy(LyraFields *fields);

/// Whether a force of the model acts on the elements, so that there are stresses and energies.
LYRA_API bool lyra_fields_have_stress(const LyraFields *fields);

/// What lyra_fields_evaluate() writes. Nullable, each; NaN where the rest volume, for stresses the
/// present one, is zero.
typedef struct LyraElementFields {
    double *det;            ///< Volume over rest volume, the mean of det F. [element_count].
    double *energy_density; ///< Strain energy over rest volume, J/m^3. [element_count].
    /// Cauchy stress, Pa, [element_count][6]: xx, yy, zz, xy, yz, xz. Where a law gives an element
    /// a torque (the linear one, once it has turned), the symmetric part.
    double *stress;
    double *von_mises; ///< Of `stress`, Pa. [element_count].
} LyraElementFields;

/// Evaluates the fields at a state of the model. Rayleigh damping takes no part. Threaded, the same
/// bits at any thread count; nothing is allocated, but where a state has no history yet.
LYRA_API LyraStatus lyra_fields_evaluate(LyraFields *fields, const LyraState *state,
                                         const LyraElementFields *out);

#ifdef __cplusplus
}
#endif

#endif
