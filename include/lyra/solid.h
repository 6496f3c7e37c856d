// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

/// @file
/// The internal forces of a volumetric mesh by the name of a model: one flat list for scenes,
/// commands and benches over what elastic.h, corotational.h, fibre.h and springs.h make.

#ifndef LYRA_SOLID_H
#define LYRA_SOLID_H

#include "lyra/elastic.h"
#include "lyra/force.h"
#include "lyra/mesh.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Name of model `index`, for example "neo-hookean"; NULL past the last.
LYRA_API const char *lyra_solid_model(int32_t index);

/// Settings of a solid. Start from lyra_solid_def_default(). What a model has no use for is
/// ignored, but for `constants`, whose names must be known.
typedef struct LyraSolidDef {
    const char *model;             ///< A name of lyra_solid_model(). Default "neo-hookean".
    double young;                  ///< Pa; of all elements. Default 0: the mesh's materials.
    double poisson;                ///< Of all elements, read if `young` is given. Default 0.45.
    double stiffness;              ///< Springs, N/m, > 0. Default 0: from the modulus (tets only).
    double damping;                ///< Springs, N s/m, >= 0, not projected. Default 0.
    LyraInversion inversion;       ///< Default LYRA_INVERSION_EXTEND.
    LyraVolumetric volumetric;     ///< Of isotropic laws. Default LYRA_VOLUMETRIC_STANDARD.
    double inversion_threshold;    ///< Stretch, in (0, 1). Default 0.1.
    double compression_resistance; ///< >= 0. Default 0.
    bool vega;                     ///< Cubes take the frame that Vega takes. Default false.
    /// Parameters of the model by name, the same for all elements: those of its law (elastic.h);
    /// "fibre-stiffness", "fibre-exponent", "active-stress" and "activation" of "fibre";
    /// "stiffness" and "damping" of "mass-spring", overruling the fields above. [constant_count].
    /// Nullable.
    const LyraElasticConstant *constants;
    int32_t constant_count;
    /// Lets models with an isotropic law flow; the others refuse it. Nullable.
    const LyraPlasticityDef *plasticity;
    /// Lets models with an isotropic law relax; the others refuse "prony". Nullable.
    const LyraViscoelasticityDef *viscoelasticity;
    const double *directions; ///< "fibre": [element_count][3]. Nullable: along x.
    uint32_t cookie;          ///< Written by the default function only.
} LyraSolidDef;

LYRA_API LyraSolidDef lyra_solid_def_default(void);

/// The forces of a solid.
typedef struct LyraSolid LyraSolid;

/// Makes the forces. Failures are those of the functions behind the model; a name that is not in
/// the list is LYRA_INVALID_ARGUMENT with the list.
LYRA_API LyraStatus lyra_solid_create(LyraContext *ctx, const LyraMesh *mesh,
                                      const LyraSolidDef *def, LyraSolid **out);

/// Accepts NULL. Assemblies of its forces must be gone.
LYRA_API void lyra_solid_destroy(LyraSolid *solid);

/// Lends the forces, [count].
LYRA_API LyraForce *const *lyra_solid_forces(const LyraSolid *solid, int32_t *count);

/// Whether all forces are gradients of energies.
LYRA_API bool lyra_solid_is_conservative(const LyraSolid *solid);

#ifdef __cplusplus
}
#endif

#endif
