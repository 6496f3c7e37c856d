// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Names of models, those of registered laws among them.

#ifndef LY_FORCE_SOLID_H
#define LY_FORCE_SOLID_H

#include "lyra/solid.h"

/// As lyra_solid_model(), then the laws that are registered in the context.
const char *ly_solid_choice(const LyraContext *ctx, int32_t index);

/// The settings of a model that is an isotropic law, or a registered one, as those of an elastic
/// force; the others are refused. Arrays are those of `def`.
LyraStatus ly_solid_elastic(const LyraContext *ctx, const LyraSolidDef *def, LyraElasticDef *out);

/// Whether the parameters of a model come from Young's modulus and Poisson's ratio: of all but
/// registered laws without `from_enu`.
bool ly_model_has_moduli(const LyraContext *ctx, const char *model);

#endif
