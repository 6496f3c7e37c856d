// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// The inside of vectors, for the files of model.

#ifndef LY_MODEL_VECTOR_H
#define LY_MODEL_VECTOR_H

#include "base/base.h"
#include "lyra/vector.h"

/// The type of vectors in the memory of the host, whose place is the context.
extern const LyraVectorType ly_host_vectors;

/// As lyra_vector_values_mutable(), for one who writes before anybody looks again and keeps no
/// pointer: the stamp is renewed and goes on to tell.
double *ly_vector_write_access(LyraVector *vector);

/// The same for one who writes all numbers: they are not kept before, and what
/// lyra_vector_values() gave earlier stays readable while copies share it.
double *ly_vector_rewrite_access(LyraVector *vector);

/// lyra_vector_copy(), but the two read the same memory until one of them is written, where that is
/// possible. What lyra_vector_values(y) gave before is not y's any more.
void ly_vector_share(const LyraVector *x, LyraVector *y);

/// Whether the stamps of the two tell that they have the same bits.
bool ly_vector_has_stamp_of(const LyraVector *x, const LyraVector *y);

/// Whether a vector is of this type and place; NULL: the host's.
bool ly_vector_lies_at(const LyraVector *vector, const LyraVectorType *type, const void *place);

#endif
