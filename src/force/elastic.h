// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// What the elastic kernels and their set-up share.

#ifndef LY_FORCE_ELASTIC_H
#define LY_FORCE_ELASTIC_H

#include "force/rest_shape.h"
#include "lyra/elastic.h"
#include "math/kernel.h"

#include <string.h>

typedef void LyElasticKernel(const void *self, const LyraBatch *batch, LyraArena *scratch);

/// Fails unless E > 0 and -1 < nu < 0.5, naming the material.
LyraStatus ly_check_enu(const LyraMeshMaterial *material);

/// The contraction of a constant tangent.
static inline void ly_clear_contraction(const LyraBatch *batch, int nodes)
{
    memset(batch->contraction, 0, (size_t)(3 * nodes * LYRA_BATCH_WIDTH) * sizeof(double));
}

LY_KERNEL_DECLARE(LyElasticKernel, ly_tet_linear);
LY_KERNEL_DECLARE(LyElasticKernel, ly_tet_stvk);
LY_KERNEL_DECLARE(LyElasticKernel, ly_tet_neo_hookean);

#endif
