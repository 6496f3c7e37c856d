// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Sorting of 64-bit keys that carry a 32-bit value.

#ifndef LY_MESH_RADIX_H
#define LY_MESH_RADIX_H

#include "base/base.h"

/// Sorts `keys` [count] ascending and `values` [count] with them; equal keys keep their order. In
/// time proportional to the count, whatever the keys.
LyraStatus ly_radix_sort(LyraContext *ctx, int64_t count, uint64_t *keys, int32_t *values);

#endif
