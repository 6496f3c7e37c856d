// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

/// @file
/// Isotropic constitutive laws: energy density and its derivatives, evaluated eight at a time. No
/// mesh and no matrix: elastic.h puts them on elements. The energies are stated in
/// docs/theory/materials.md.

#ifndef LYRA_MATERIAL_H
#define LYRA_MATERIAL_H

#include "lyra/base.h"
#include "lyra/parameter.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Points in a batch: the stride of all arrays of a LyraMaterialBatch.
#define LYRA_MATERIAL_WIDTH 8

/// What the energy density is a function of. With F the deformation gradient and C = F^T F:
typedef enum LyraMaterialArguments {
    LYRA_MATERIAL_INVARIANTS = 0, ///< I = tr C, II = tr C^2, J = det F.
    LYRA_MATERIAL_STRETCHES,      ///< s1, s2, s3, the singular values of F; symmetric in the three.
} LyraMaterialArguments;

/// Points to evaluate. Component-major: arguments[i * LYRA_MATERIAL_WIDTH + p] is argument i of
/// point p. All points are to be computed; none depends on another. All arrays are aligned to 64
/// bytes.
typedef struct LyraMaterialBatch {
    const double *arguments;  ///< As the type's `arguments` says, [3].
    const double *parameters; ///< [parameter_count].
    double *energy;           ///< Energy density W, J/m^3, [1]. Nullable.
    double *gradient;         ///< dW by each argument, [3]. Nullable.
    double *hessian;          ///< Second derivatives 11, 22, 33, 12, 23, 31, [6]. Nullable.
} LyraMaterialBatch;

/// A law: a table of functions. Functions may run on any thread, several at a time.
typedef struct LyraMaterialType {
    const char *name; ///< Unique.
    LyraMaterialArguments arguments;
    bool without_second;                ///< On invariants: W does not depend on II. Saves work.
    int32_t parameter_count;            ///< Numbers per element, [0, LYRA_MATERIAL_PARAMETERS_MAX].
    const char *const *parameter_names; ///< [parameter_count].
    /// What elements may have for them, [parameter_count]. Nullable: any finite numbers.
    const LyraParameterKind *parameter_kinds;
    /// Writes those outputs that are not NULL. Where W has no value (J <= 0 under a logarithm) it
    /// may give NaN.
    void (*evaluate)(const void *user, const LyraMaterialBatch *batch);
    /// Writes the Taylor polynomial of W in the stretches about the point `stretches` [3] with
    /// powers up to 2 of each: coefficient of d1^i d2^j d3^k at taylor[9 i + 3 j + k], [27]. Always
    /// in the stretches, also for a law on invariants. Nullable: then the law has no
    /// LYRA_INVERSION_EXTEND, the default of LyraElasticDef, and needs
    /// LYRA_INVERSION_CLAMP or LYRA_INVERSION_NONE.
    void (*expand)(const void *user, const double *stretches, const double *parameters,
                   double *taylor);
} LyraMaterialType;

#define LYRA_MATERIAL_PARAMETERS_MAX 8

/// Laws that come with the library, by the names that scenes, commands and benches use.
typedef enum LyraMaterialLaw {
    LYRA_MATERIAL_STVK = 0,               ///< "stvk": Saint Venant-Kirchhoff.
    LYRA_MATERIAL_NEO_HOOKEAN,            ///< "neo-hookean": with logarithms of J.
    LYRA_MATERIAL_MOONEY_RIVLIN,          ///< "mooney-rivlin": isochoric and volumetric parts.
    LYRA_MATERIAL_STABLE_NEO_HOOKEAN,     ///< "stable-neo-hookean": polynomial in F.
    LYRA_MATERIAL_STABLE_NEO_HOOKEAN_LOG, ///< "stable-neo-hookean-log": with ln(I + 1).
    LYRA_MATERIAL_OGDEN,                  ///< "ogden": three powers of isochoric stretches.
    LYRA_MATERIAL_YEOH,                   ///< "yeoh": cubic in the isochoric I.
    LYRA_MATERIAL_ARRUDA_BOYCE,           ///< "arruda-boyce": eight chains, five terms.
    LYRA_MATERIAL_FUNG,                   ///< "fung": exponential in the isochoric I.
    LYRA_MATERIAL_REDUCED_POLYNOMIAL,     ///< "reduced-polynomial": isochoric I up to power 6.
    LYRA_MATERIAL_BIPHASIC_SPLINE,        ///< "biphasic-spline": stress by a spline per stretch.
    LYRA_MATERIAL_ROTATED_LINEAR,         ///< "rotated-linear": linear in the stretches.
    LYRA_MATERIAL_HENCKY,                 ///< "hencky": quadratic in logarithmic strain.
    LYRA_MATERIAL_LAW_COUNT
} LyraMaterialLaw;

/// Name of a law, "unknown" outside the list.
LYRA_API const char *lyra_material_law_name(LyraMaterialLaw law);

/// Law of a name; LYRA_INVALID_ARGUMENT with the list of names if there is none.
LYRA_API LyraStatus lyra_material_law_find(const char *name, LyraMaterialLaw *law);

/// Table of a law, compiled for `isa`, which must be available (LYRA_ISA_AUTO: the scalar one).
/// NULL outside the list.
LYRA_API const LyraMaterialType *lyra_material_type(LyraMaterialLaw law, LyraIsa isa);

/// Parameters of a law from Young's modulus (Pa) and Poisson's ratio, such that it agrees with
/// linear elasticity at small strain; constants that those two do not fix get the defaults of
/// docs/theory/materials.md. `parameters`: [parameter_count].
LYRA_API LyraStatus lyra_material_from_enu(LyraMaterialLaw law, double young, double poisson,
                                           double *parameters);

/// Three bulk moduli at small strain, E / (1 - 2 nu), Pa, of given parameters.
LYRA_API double lyra_material_bulk3(LyraMaterialLaw law, const double *parameters);

#ifdef __cplusplus
}
#endif

#endif
