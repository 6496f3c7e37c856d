// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

/// @file
/// Elastic solids: forces from a volumetric mesh, a model and constants. The energies are stated in
/// docs/theory/materials.md.

#ifndef LYRA_ELASTIC_H
#define LYRA_ELASTIC_H

#include "lyra/force.h"
#include "lyra/material.h"
#include "lyra/mesh.h"
#include "lyra/plasticity.h"
#include "lyra/viscoelasticity.h"

#ifdef __cplusplus
extern "C" {
#endif

// ---- parameters ---------------------------------------------------------------------------------

/// First parameters of "stvk", both stable neo-Hookean models, "neo-hookean",
/// "rotated-linear" and "hencky", for lyra_assembly_set_parameter().
typedef enum LyraElasticParameter {
    LYRA_ELASTIC_LAMBDA = 0, ///< First Lame constant, Pa.
    LYRA_ELASTIC_MU,         ///< Shear modulus, Pa.
    LYRA_ELASTIC_PARAMETER_COUNT
} LyraElasticParameter;

/// Parameters of an element of a model: those of its law in the order of LyraMaterialType, then
/// "compression-resistance" (r E / (1 - 2 nu), Pa).
LYRA_API int32_t lyra_elastic_parameter_count(LyraMaterialLaw model);

/// Name of a parameter; NULL outside the list.
LYRA_API const char *lyra_elastic_parameter_name(LyraMaterialLaw model, int32_t parameter);

/// Parameter of a name; LYRA_INVALID_ARGUMENT with the list of names if there is none.
LYRA_API LyraStatus lyra_elastic_parameter_find(LyraMaterialLaw model, const char *name,
                                                int32_t *parameter);

/// A parameter given by name, the same for all elements.
typedef struct LyraElasticConstant {
    const char *name;
    double value;
} LyraElasticConstant;

// ---- forces -------------------------------------------------------------------------------------

/// What an isotropic law does where a stretch falls below the threshold, that is under strong
/// compression and in inverted elements. "hencky" goes on by itself: with it the first and the last
/// are the same.
typedef enum LyraInversion {
    LYRA_INVERSION_EXTEND = 0, ///< "extend": smooth extension; the tangent is that of the force.
    LYRA_INVERSION_CLAMP, ///< "clamp": stretches are clamped; no energy, and the tangent is not the
                          ///< derivative of the force.
    LYRA_INVERSION_NONE,  ///< "none": the law itself; NaN where it has no value.
    LYRA_INVERSION_COUNT
} LyraInversion;

/// Name of a mode, "unknown" outside the list.
LYRA_API const char *lyra_inversion_name(LyraInversion inversion);

/// Mode of a name; LYRA_INVALID_ARGUMENT with the list of names if there is none.
LYRA_API LyraStatus lyra_inversion_find(const char *name, LyraInversion *inversion);

/// How an isotropic law takes the volume of elements, which lock where it hardly changes.
/// docs/theory/locking.md derives them.
typedef enum LyraVolumetric {
    LYRA_VOLUMETRIC_STANDARD = 0, ///< "standard": at each point by itself.
    LYRA_VOLUMETRIC_MEAN,  ///< "mean": by the mean over an element; cubes, hexahedra, 10-node tets.
    LYRA_VOLUMETRIC_NODAL, ///< "nodal": by the mean over the tets around each vertex; 4-node tets.
    LYRA_VOLUMETRIC_COUNT
} LyraVolumetric;

/// Name of a way, "unknown" outside the list.
LYRA_API const char *lyra_volumetric_name(LyraVolumetric volumetric);

/// Way of a name; LYRA_INVALID_ARGUMENT with the list of names if there is none.
LYRA_API LyraStatus lyra_volumetric_find(const char *name, LyraVolumetric *volumetric);

/// Settings of an elastic force. Start from lyra_elastic_def_default().
typedef struct LyraElasticDef {
    LyraMaterialLaw model;         ///< Default LYRA_MATERIAL_NEO_HOOKEAN.
    LyraInversion inversion;       ///< Default LYRA_INVERSION_EXTEND.
    LyraVolumetric volumetric;     ///< Default LYRA_VOLUMETRIC_STANDARD.
    double inversion_threshold;    ///< Stretch, in (0, 1). Default 0.1.
    double compression_resistance; ///< r >= 0: for J < 1, W gains -r E/(1 - 2 nu) (J - 1)^3 / 2592.
                                   ///< Default 0.
    double young;   ///< Pa; of all elements, in place of the mesh's materials. Default 0: theirs.
    double poisson; ///< Of all elements, in (-1, 0.5); read only if `young` is given. Default 0.45.
    /// Parameters by name, overruling what `young` or the mesh give. [constant_count]. Nullable.
    const LyraElasticConstant *constants;
    int32_t constant_count;
    /// A law of the user's own in place of `model`; without a function `from_enu`, `constants` must
    /// give all its parameters. Must outlive the force. Nullable.
    const LyraMaterialType *law;
    const void *law_user; ///< Handed to the law's functions. Nullable.
    /// Lets it flow. Cubes take 2x2x2 Gauss points then. Not with LYRA_INVERSION_CLAMP. Nullable.
    const LyraPlasticityDef *plasticity;
    /// Lets it relax by a Prony series; cubes as above. Nullable.
    const LyraViscoelasticityDef *viscoelasticity;
    uint32_t cookie; ///< Written by the default function only.
} LyraElasticDef;

LYRA_API LyraElasticDef lyra_elastic_def_default(void);

/// Elastic force of the elements of `mesh` with the constants of `def` or, without, the materials
/// that the mesh names: ENU, and Mooney-Rivlin for "mooney-rivlin" (ENU becomes mu01 = mu10 = mu/4,
/// v1 = half the bulk modulus). Copies what it needs.
///
/// Fails with LYRA_BAD_MESH, naming the first one, if a tet has zero or negative volume, a cube
/// is not an axis-aligned box of positive size, or a tet of 10 nodes or a hexahedron folds over,
/// with LYRA_INVALID_ARGUMENT for settings outside their range, unknown names, or unless E > 0 and
/// -1 < nu < 0.5, and with LYRA_UNSUPPORTED for a combination that does not exist.
///
/// "stvk" with LYRA_INVERSION_NONE has LYRA_FORCE_CONTRACTION, the exact derivative of its tangent,
/// that of the resistance to compression included (which jumps at J = 1). With the other modes it
/// has not: "extend" is smooth up to the tangent only, and "clamp" not even that far. No other
/// model has it.
LYRA_API LyraStatus lyra_elastic_create(LyraContext *ctx, const LyraMesh *mesh,
                                        const LyraElasticDef *def, LyraForce **out);

/// How far the elements of a body are from inversion.
typedef struct LyraDetF {
    double min;       ///< Smallest det F.
    int32_t element;  ///< The first element that has it, -1 without elements.
    int32_t inverted; ///< Elements with det F <= 0 somewhere; not all, where `min` is NaN.
    int32_t elements; ///< Elements with a rest volume; not all, where `min` is NaN.
} LyraDetF;

/// det F over the elements of `mesh` at the positions `x` [vertex_count][3]; of cubes and
/// hexahedra, at their 2 x 2 x 2 Gauss points, of tets of 10 nodes at their 4. Elements without a
/// rest volume are passed over; `min` is +infinity if there are no others, and NaN where one has
/// NaN, whose number is `element`.
LYRA_API LyraDetF lyra_elastic_det_f(const LyraMesh *mesh, const double *x);

#ifdef __cplusplus
}
#endif

#endif
