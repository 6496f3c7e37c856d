// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

/// @file
/// Elastic solids: forces from a volumetric mesh, a model and constants. The energies are stated in
/// docs/theory/materials.md.

#ifndef LYRA_ELASTIC_H
#define LYRA_ELASTIC_H

#include "lyra/force.h"
#include "lyra/mesh.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Elastic models, by the names that scenes, commands and benches use.
typedef enum LyraElasticModel {
    LYRA_ELASTIC_LINEAR = 0,  ///< "linear": small strain, not invariant under rotation.
    LYRA_ELASTIC_STVK,        ///< "stvk": Saint Venant-Kirchhoff.
    LYRA_ELASTIC_NEO_HOOKEAN, ///< "neo-hookean": with logarithms of det F.
    LYRA_ELASTIC_MODEL_COUNT
} LyraElasticModel;

/// Name of a model, "unknown" outside the list.
LYRA_API const char *lyra_elastic_model_name(LyraElasticModel model);

/// Model of a name; LYRA_INVALID_ARGUMENT with the list of names if there is none.
LYRA_API LyraStatus lyra_elastic_model_find(const char *name, LyraElasticModel *model);

/// Parameters of the isotropic models, for lyra_assembly_set_parameter().
typedef enum LyraElasticParameter {
    LYRA_ELASTIC_LAMBDA = 0, ///< First Lame constant, Pa.
    LYRA_ELASTIC_MU,         ///< Shear modulus, Pa.
    LYRA_ELASTIC_PARAMETER_COUNT
} LyraElasticParameter;

/// Settings of an elastic force. Start from lyra_elastic_def_default().
typedef struct LyraElasticDef {
    LyraElasticModel model; ///< Default LYRA_ELASTIC_NEO_HOOKEAN.
    uint32_t cookie;        ///< Written by the default function only.
} LyraElasticDef;

LYRA_API LyraElasticDef lyra_elastic_def_default(void);

/// Elastic force of the elements of `mesh` with the materials that the mesh names (ENU). Copies
/// what it needs. Fails with LYRA_BAD_MESH, naming the first one, if an element has zero or
/// negative volume, and with LYRA_INVALID_ARGUMENT unless E > 0 and -1 < nu < 0.5.
LYRA_API LyraStatus lyra_elastic_create(LyraContext *ctx, const LyraMesh *mesh,
                                        const LyraElasticDef *def, LyraForce **out);

#ifdef __cplusplus
}
#endif

#endif
