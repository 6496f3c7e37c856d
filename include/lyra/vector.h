// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

/// @file
/// Vectors of unknowns as integrators see them: opaque, with sums that do not depend on threads.
/// Those of the library lie in the memory of the host; a system may bring a type of its own, whose
/// numbers lie elsewhere (another device, another process).

#ifndef LYRA_VECTOR_H
#define LYRA_VECTOR_H

#include "lyra/base.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct LyraVector LyraVector;

/// Most vectors of one lyra_vector_combine().
#define LYRA_COMBINE_MAX 32

/// Where the numbers of vectors lie, and who computes with them. `place` is what the vectors were
/// created with, a system's `self` for those of its own; `size` is the number of entries; the other
/// pointers are what `create` gave. Results are to be the same in every run, and an operand may be
/// the result where the function of the same name below allows it.
typedef struct LyraVectorType {
    const char *name;
    /// Storage of `size` zeros.
    LyraStatus (*create)(void *place, int32_t size, void **data);
    void (*destroy)(void *place, void *data);
    /// Entries [first, first + count) to and from the memory of the host.
    void (*read)(void *place, const void *x, int32_t first, int32_t count, double *values);
    void (*write)(void *place, void *y, int32_t first, int32_t count, const double *values);
    void (*fill)(void *place, int32_t size, double value, void *y);
    void (*copy)(void *place, int32_t size, const void *x, void *y);
    void (*axpby)(void *place, int32_t size, double a, const void *x, double b, void *y);
    void (*sum)(void *place, int32_t size, double a, const void *x, const void *y, void *out);
    /// count in [0, LYRA_COMBINE_MAX], no c[k] is zero.
    void (*combine)(void *place, int32_t size, int32_t count, const double *c, const void *const *x,
                    void *y);
    double (*dot)(void *place, int32_t size, const void *x, const void *y);
    double (*norm)(void *place, int32_t size, const void *x);
    double (*largest)(void *place, int32_t size, const void *x);
    bool (*is_finite)(void *place, int32_t size, const void *x);
    /// Whether the two have the same bits.
    bool (*equal)(void *place, int32_t size, const void *x, const void *y);
    double (*error_squares)(void *place, int32_t size, const void *e, const void *x, const void *y,
                            double absolute, double relative);
    /// lengths: Nullable.
    void (*noise)(void *place, int32_t size, const void *signs, const void *lengths, const void *x,
                  void *z);
} LyraVectorType;

/// A vector of `size` zeros in the memory of the host, size >= 0.
LYRA_API LyraStatus lyra_vector_create(LyraContext *ctx, int32_t size, LyraVector **out);

/// The same of another type, which with `place` must outlive it. `type`: Nullable: the host's.
LYRA_API LyraStatus lyra_vector_create_typed(LyraContext *ctx, const LyraVectorType *type,
                                             void *place, int32_t size, LyraVector **out);

/// Accepts NULL.
LYRA_API void lyra_vector_destroy(LyraVector *vector);

LYRA_API int32_t lyra_vector_size(const LyraVector *vector);

/// NULL: the host's.
LYRA_API const LyraVectorType *lyra_vector_type(const LyraVector *vector);

/// Whether the two are of one type and one place.
LYRA_API bool lyra_vector_is_alike(const LyraVector *x, const LyraVector *y);

/// What `create` of its type gave.
LYRA_API const void *lyra_vector_data(const LyraVector *vector);

/// The same, to write.
LYRA_API void *lyra_vector_data_mutable(LyraVector *vector);

/// A number that every change renews and a copy takes along: two vectors of one context with one
/// stamp have the same bits. 0 once lyra_vector_values_mutable() or lyra_vector_data_mutable() has
/// lent the numbers to write, as later changes are not seen: then it tells nothing.
LYRA_API uint64_t lyra_vector_stamp(const LyraVector *vector);

/// Lends the values, [size], to read. Of host vectors only.
LYRA_API const double *lyra_vector_values(const LyraVector *vector);

/// Lends the values, [size], to write. Of host vectors only.
LYRA_API double *lyra_vector_values_mutable(LyraVector *vector);

/// Copies entries [first, first + count) into `values`.
LYRA_API void lyra_vector_read(const LyraVector *x, int32_t first, int32_t count, double *values);

/// Sets entries [first, first + count).
LYRA_API void lyra_vector_write(LyraVector *y, int32_t first, int32_t count, const double *values);

// Vectors of one call have one size, one type and one place.

/// y = value everywhere.
LYRA_API void lyra_vector_fill(LyraVector *y, double value);

/// y = x. The two may be one.
LYRA_API void lyra_vector_copy(const LyraVector *x, LyraVector *y);

/// y = a x + b y; with b = 0, y is not read. The two may be one.
LYRA_API void lyra_vector_axpby(double a, const LyraVector *x, double b, LyraVector *y);

/// out = y + a x. `out` may be one of the two.
LYRA_API void lyra_vector_sum(double a, const LyraVector *x, const LyraVector *y, LyraVector *out);

/// y = sum c_k x_k, added in this order; y may be one of them, and those with c_k = 0 are not read.
/// count <= LYRA_COMBINE_MAX.
LYRA_API void lyra_vector_combine(int32_t count, const double *c, LyraVector *const *x,
                                  LyraVector *y);

/// The largest size of an entry, entries that are NaN left out; 0 for none.
LYRA_API double lyra_vector_largest(const LyraVector *x);

/// The sum of products.
LYRA_API double lyra_vector_dot(const LyraVector *x, const LyraVector *y);

/// The root of the sum of squares, without overflow.
LYRA_API double lyra_vector_norm(const LyraVector *x);

/// Whether all values are finite.
LYRA_API bool lyra_vector_is_finite(const LyraVector *x);

/// Whether the two have the same bits.
LYRA_API bool lyra_vector_equal(const LyraVector *x, const LyraVector *y);

/// The sum of (e_i / (absolute + relative max(|x_i|, |y_i|)))^2, entries with e_i = 0 left out.
LYRA_API double lyra_vector_error_squares(const LyraVector *e, const LyraVector *x,
                                          const LyraVector *y, double absolute, double relative);

/// z_i = signs_i (|x_i| + lengths_i). `lengths`: Nullable: 0.
LYRA_API void lyra_vector_noise(const LyraVector *signs, const LyraVector *lengths,
                                const LyraVector *x, LyraVector *z);

#ifdef __cplusplus
}
#endif

#endif
