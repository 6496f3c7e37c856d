// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

/// @file
/// What the elements of a body feel: change of volume, strain energy, stress; and what they
/// remember of flow. The stress is the mean of Cauchy's over the element as it is now, from the
/// forces on its vertices, so that it is there for every law.

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

/// What elements remember of their past, from the histories of their forces: the mean over the
/// points of an element. Forces of one's own take part by the names of their history.
typedef enum LyraMemory {
    /// "plastic-strain": equivalent plastic strain. Named "equivalent-plastic-strain".
    LYRA_MEMORY_PLASTIC_STRAIN = 0,
    /// "plastic-log-strain", of kinematic hardening, 11, 22, 33, 12, 23, 31. "plastic-strain-11"
    /// ...
    LYRA_MEMORY_PLASTIC_LOG_STRAIN,
    /// "inverse-flow": Fp^-1 - 1, row-major. "inverse-flow-11" ...
    LYRA_MEMORY_INVERSE_FLOW,
    /// "goal-distance": norm of plastic logarithmic strain less that of the goal. The same name.
    LYRA_MEMORY_GOAL_DISTANCE,
    /// "plastic-loss": energy lost in plastic flow so far over rest volume, J/m^3. Forces that lose
    /// energy (LYRA_FORCE_LOSES) and have an equivalent plastic strain.
    LYRA_MEMORY_PLASTIC_LOSS,
    /// "viscous-loss": the same, of the branches of viscoelasticity. All others that lose energy.
    LYRA_MEMORY_VISCOUS_LOSS,
    LYRA_MEMORY_COUNT
} LyraMemory;

/// What a memory is called, and how many numbers an element has of it.
typedef struct LyraMemoryView {
    const char *name, *unit;
    int32_t components;
} LyraMemoryView;

LYRA_API LyraMemoryView lyra_memory_view(LyraMemory memory);

/// Whether a force of the elements remembers it.
LYRA_API bool lyra_fields_have_memory(const LyraFields *fields, LyraMemory memory);

/// Reads a memory from a state of the model, zero before the first step:
/// [element_count][components]. Losses are NaN where the rest volume is zero. LYRA_INVALID_ARGUMENT
/// where no force has it.
LYRA_API LyraStatus lyra_fields_read_memory(LyraFields *fields, LyraMemory memory,
                                            const LyraState *state, double *values);

#ifdef __cplusplus
}
#endif

#endif
