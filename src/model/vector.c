// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Vectors in the memory of the CPU: an array, and the loops of solve whose pieces and sums do not
// depend on threads.

#include "lyra/vector.h"

#include "base/base.h"
#include "solve/solve.h"

struct LyraVector {
    LyraContext *ctx;
    int32_t size;
    double *values;
};

// ---- life ---------------------------------------------------------------------------------------

LyraStatus lyra_vector_create(LyraContext *ctx, int32_t size, LyraVector **out)
{
    LYRA_ASSERT(ctx && out);
    if (size < 0) {
        return ly_fail(LYRA_INVALID_ARGUMENT, "vector: a size of %d", (int)size);
    }
    LyraStatus status = LYRA_OK;
    LyraVector *vector = NULL;
    LY_TRY(ly_allocate_zeroed(ctx, 1, sizeof *vector, &vector));
    vector->ctx = ctx;
    vector->size = size;
    LY_TRY_DONE(ly_allocate_zeroed(ctx, size, sizeof(double), &vector->values));
    *out = vector;
    return LYRA_OK;
done:
    lyra_vector_destroy(vector);
    return status;
}

void lyra_vector_destroy(LyraVector *vector)
{
    if (vector) {
        ly_release(vector->ctx, vector->values);
        ly_release(vector->ctx, vector);
    }
}

int32_t lyra_vector_size(const LyraVector *vector)
{
    LYRA_ASSERT(vector);
    return vector->size;
}

const double *lyra_vector_values(const LyraVector *vector)
{
    LYRA_ASSERT(vector);
    return vector->values;
}

double *lyra_vector_values_mutable(LyraVector *vector)
{
    LYRA_ASSERT(vector);
    return vector->values;
}

// ---- operations ---------------------------------------------------------------------------------

void lyra_vector_fill(LyraVector *y, double value)
{
    LYRA_ASSERT(y);
    ly_vector_fill(y->ctx, y->size, value, y->values);
}

void lyra_vector_copy(const LyraVector *x, LyraVector *y)
{
    LYRA_ASSERT(x && y && x->size == y->size);
    ly_vector_copy(y->ctx, y->size, x->values, y->values);
}

void lyra_vector_axpby(double a, const LyraVector *x, double b, LyraVector *y)
{
    LYRA_ASSERT(x && y && x->size == y->size);
    ly_vector_axpby(y->ctx, y->size, a, x->values, b, y->values);
}

void lyra_vector_sum(double a, const LyraVector *x, const LyraVector *y, LyraVector *out)
{
    LYRA_ASSERT(x && y && out && x->size == y->size && x->size == out->size);
    ly_vector_sum(out->ctx, out->size, a, x->values, y->values, out->values);
}

double lyra_vector_dot(const LyraVector *x, const LyraVector *y)
{
    LYRA_ASSERT(x && y && x->size == y->size);
    return x->size > 0 ? ly_vector_dot(x->ctx, x->size, x->values, y->values) : 0;
}

double lyra_vector_largest(const LyraVector *x)
{
    LYRA_ASSERT(x);
    return x->size > 0 ? ly_vector_largest(x->ctx, x->size, x->values) : 0;
}

double lyra_vector_norm(const LyraVector *x)
{
    LYRA_ASSERT(x);
    return x->size > 0 ? ly_vector_norm(x->ctx, x->size, x->values) : 0;
}

bool lyra_vector_is_finite(const LyraVector *x)
{
    LYRA_ASSERT(x);
    return x->size == 0 || ly_find_not_finite(x->ctx, x->size, x->values) < 0;
}
