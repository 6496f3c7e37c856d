// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

/// @file
/// Vectors of unknowns as integrators see them: opaque, with sums that do not depend on threads.
/// Today they live in the memory of the CPU; another place is another implementation.

#ifndef LYRA_VECTOR_H
#define LYRA_VECTOR_H

#include "lyra/base.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct LyraVector LyraVector;

/// A vector of `size` zeros, size >= 0.
LYRA_API LyraStatus lyra_vector_create(LyraContext *ctx, int32_t size, LyraVector **out);

/// Accepts NULL.
LYRA_API void lyra_vector_destroy(LyraVector *vector);

LYRA_API int32_t lyra_vector_size(const LyraVector *vector);

/// Lends the values, [size], to read.
LYRA_API const double *lyra_vector_values(const LyraVector *vector);

/// Lends the values, [size], to write.
LYRA_API double *lyra_vector_values_mutable(LyraVector *vector);

// Vectors of one call have one size.

/// y = value everywhere.
LYRA_API void lyra_vector_fill(LyraVector *y, double value);

/// y = x. The two may be one.
LYRA_API void lyra_vector_copy(const LyraVector *x, LyraVector *y);

/// y = a x + b y; with b = 0, y is not read. The two may be one.
LYRA_API void lyra_vector_axpby(double a, const LyraVector *x, double b, LyraVector *y);

/// out = y + a x. `out` may be one of the two.
LYRA_API void lyra_vector_sum(double a, const LyraVector *x, const LyraVector *y, LyraVector *out);

/// The largest size of an entry, entries that are NaN left out; 0 for none.
LYRA_API double lyra_vector_largest(const LyraVector *x);

/// The sum of products.
LYRA_API double lyra_vector_dot(const LyraVector *x, const LyraVector *y);

/// The root of the sum of squares, without overflow.
LYRA_API double lyra_vector_norm(const LyraVector *x);

/// Whether all values are finite.
LYRA_API bool lyra_vector_is_finite(const LyraVector *x);

#ifdef __cplusplus
}
#endif

#endif
