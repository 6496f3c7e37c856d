// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Inside and outside of the boundary of a body.

#ifndef LY_MESH_CAVITIES_H
#define LY_MESH_CAVITIES_H

#include "base/base.h"

/// Writes for each of `triangles` [count][3], the outward boundary of a body, whether it belongs to
/// the wall of a cavity.
LyraStatus ly_mark_cavities(LyraContext *ctx, const double *positions, int32_t count,
                            const int32_t *triangles, bool *inner);

#endif
