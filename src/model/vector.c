// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Vectors: a size, a stamp, and numbers that a type knows how to compute with. The type of the host
// has arrays, and the loops of solve whose pieces and sums do not depend on threads.
//
// Stamps count the changes of all vectors of a context. A vector whose numbers were lent to write
// may change at any time, so it has none, and copies of it get fresh ones.
//
// Sharing. Copies of long vectors that are rewritten as a whole, as histories are, may read one
// buffer until one of them is written. A vector brings one buffer when it is made and takes one
// along when it is destroyed: those of the vectors that read another's wait with that one, and who
// is written takes one of them. So nothing is allocated on the way, and no buffer moves while
// someone reads it.

#include "model/vector.h"

#include "solve/solve.h"

#include <math.h>
#include <stdatomic.h>
#include <string.h>

struct LyraVector {
    LyraContext *ctx;
    const LyraVectorType *type;
    void *place;
    int32_t size;
    bool lent;
    uint64_t stamp;
    void *data;
};

// ---- the host's ---------------------------------------------------------------------------------

// stands before the numbers of a vector of the host
typedef struct Buffer {
    atomic_flag lock;
    int32_t readers;     // vectors
    struct Buffer *idle; // those of the other readers, one behind the other
} Buffer;

#define HEAD (LY_ALIGNMENT / (int64_t)sizeof(double))
_Static_assert(sizeof(Buffer) <= LY_ALIGNMENT, "numbers stay aligned");

static Buffer *buffer_of(void *data)
{
    return (Buffer *)((char *)data - LY_ALIGNMENT);
}

static double *values_of(Buffer *buffer)
{
    return (double *)((char *)buffer + LY_ALIGNMENT);
}

static LyraStatus host_create(void *place, int32_t size, void **data)
{
    double *values = NULL;
    LY_TRY(ly_allocate_zeroed(place, HEAD + size, sizeof *values, &values));
    Buffer *buffer = (Buffer *)values;
    atomic_flag_clear(&buffer->lock);
    buffer->readers = 1;
    *data = values_of(buffer);
    return LYRA_OK;
}

static void lock_buffer(Buffer *buffer)
{
    while (atomic_flag_test_and_set_explicit(&buffer->lock, memory_order_acquire)) {
    }
}

static void unlock_buffer(Buffer *buffer)
{
    atomic_flag_clear_explicit(&buffer->lock, memory_order_release);
}

// one reader less: the buffer that it takes along, with the first `kept` numbers. The last reader
// may write or release, on another thread, as soon as this one is gone.
static Buffer *leave_buffer(Buffer *buffer, int32_t kept)
{
    Buffer *own = buffer;
    lock_buffer(buffer);
    if (buffer->readers > 1) {
        own = buffer->idle;
        buffer->idle = own->idle;
        own->idle = NULL;
        memcpy(values_of(own), values_of(buffer), (size_t)kept * sizeof(double));
        --buffer->readers;
    }
    unlock_buffer(buffer);
    return own;
}

// one more, who brings a buffer that nobody reads
static void join_buffer(Buffer *buffer, Buffer *own)
{
    lock_buffer(buffer);
    own->idle = buffer->idle;
    buffer->idle = own;
    ++buffer->readers;
    unlock_buffer(buffer);
}

static void host_destroy(void *place, void *data)
{
    ly_release(place, leave_buffer(buffer_of(data), 0));
}

static void host_read(void *place, const void *x, int32_t first, int32_t count, double *values)
{
    (void)place;
    memcpy(values, (const double *)x + first, (size_t)count * sizeof *values);
}

static void host_write(void *place, void *y, int32_t first, int32_t count, const double *values)
{
    (void)place;
    memcpy((double *)y + first, values, (size_t)count * sizeof *values);
}

static void host_fill(void *place, int32_t size, double value, void *y)
{
    ly_vector_fill(place, size, value, y);
}

static void host_copy(void *place, int32_t size, const void *x, void *y)
{
    ly_vector_copy(place, size, x, y);
}

static void host_axpby(void *place, int32_t size, double a, const void *x, double b, void *y)
{
    ly_vector_axpby(place, size, a, x, b, y);
}

static void host_sum(void *place, int32_t size, double a, const void *x, const void *y, void *out)
{
    ly_vector_sum(place, size, a, x, y, out);
}

static double host_dot(void *place, int32_t size, const void *x, const void *y)
{
    return size > 0 ? ly_vector_dot(place, size, x, y) : 0;
}

static double host_norm(void *place, int32_t size, const void *x)
{
    return size > 0 ? ly_vector_norm(place, size, x) : 0;
}

static double host_largest(void *place, int32_t size, const void *x)
{
    return size > 0 ? ly_vector_largest(place, size, x) : 0;
}

static bool host_is_finite(void *place, int32_t size, const void *x)
{
    return size == 0 || ly_find_not_finite(place, size, x) < 0;
}

static bool host_equal(void *place, int32_t size, const void *x, const void *y)
{
    (void)place;
    return size == 0 || memcmp(x, y, (size_t)size * sizeof(double)) == 0;
}

#define GRAIN 8192
#define CHUNK 256

typedef struct Combination {
    int32_t size, pieces, count;
    const double *c;
    const void *const *x;
    double *y;
} Combination;

static void combine_piece(void *data, int32_t index, int32_t worker)
{
    (void)worker;
    const Combination *sum = data;
    int64_t begin = ly_piece_begin(sum->size, sum->pieces, index);
    int64_t end = ly_piece_begin(sum->size, sum->pieces, index + 1);
    double part[CHUNK];
    for (int64_t i = begin; i < end; i += CHUNK) {
        int32_t n = (int32_t)ly_min_i64(CHUNK, end - i);
        for (int32_t j = 0; j < n; ++j) {
            part[j] = 0;
        }
        for (int32_t k = 0; k < sum->count; ++k) {
            const double *x = (const double *)sum->x[k] + i;
            double c = sum->c[k];
            for (int32_t j = 0; j < n; ++j) {
                part[j] += c * x[j];
            }
        }
        // y only now, as it may be one of the x
        memcpy(sum->y + i, part, (size_t)n * sizeof *part);
    }
}

static void host_combine(void *place, int32_t size, int32_t count, const double *c,
                         const void *const *x, void *y)
{
    Combination sum = {.size = size, .count = count, .c = c, .x = x, .y = y};
    sum.pieces = ly_piece_count(size, GRAIN);
    ly_parallel_for(place, sum.pieces, combine_piece, &sum);
}

#define SQUARES_PIECES 256

typedef struct Squares {
    int32_t size, pieces;
    const double *e, *x, *y;
    double absolute, relative;
    double part[SQUARES_PIECES];
} Squares;

static void squares_piece(void *data, int32_t index, int32_t worker)
{
    (void)worker;
    Squares *squares = data;
    int64_t end = ly_piece_begin(squares->size, squares->pieces, index + 1);
    double sum = 0;
    for (int64_t i = ly_piece_begin(squares->size, squares->pieces, index); i < end; ++i) {
        double size = fmax(fabs(squares->x[i]), fabs(squares->y[i]));
        // what is held, or at zero, meets a tolerance of zero as well
        double e = squares->e[i];
        double ratio = e == 0 ? 0 : e / (squares->absolute + squares->relative * size);
        sum += ratio * ratio;
    }
    squares->part[index] = sum;
}

static double host_error_squares(void *place, int32_t size, const void *e, const void *x,
                                 const void *y, double absolute, double relative)
{
    Squares squares = {
        .size = size, .e = e, .x = x, .y = y, .absolute = absolute, .relative = relative};
    int64_t grain = ly_max_i64(GRAIN, squares.size / (SQUARES_PIECES / 2));
    squares.pieces = ly_piece_count(squares.size, grain);
    LYRA_ASSERT(squares.pieces <= SQUARES_PIECES);
    ly_parallel_for(place, squares.pieces, squares_piece, &squares);
    double sum = 0;
    for (int32_t i = 0; i < squares.pieces; ++i) {
        sum += squares.part[i];
    }
    return sum;
}

static void host_noise(void *place, int32_t size, const void *signs, const void *lengths,
                       const void *x, void *z)
{
    (void)place;
    const double *sign = signs, *length = lengths, *value = x;
    double *out = z;
    for (int32_t i = 0; i < size; ++i) {
        out[i] = sign[i] * (fabs(value[i]) + (length ? length[i] : 0));
    }
}

const LyraVectorType ly_host_vectors = {
    .name = "host",
    .create = host_create,
    .destroy = host_destroy,
    .read = host_read,
    .write = host_write,
    .fill = host_fill,
    .copy = host_copy,
    .axpby = host_axpby,
    .sum = host_sum,
    .combine = host_combine,
    .dot = host_dot,
    .norm = host_norm,
    .largest = host_largest,
    .is_finite = host_is_finite,
    .equal = host_equal,
    .error_squares = host_error_squares,
    .noise = host_noise,
};

// ---- life ---------------------------------------------------------------------------------------

static void renew(LyraVector *vector)
{
    vector->stamp = ly_context_next_stamp(vector->ctx);
}

// before it is written: `keep` the numbers, where others read them too
static void separate(LyraVector *vector, bool keep)
{
    if (vector->type != &ly_host_vectors) {
        return;
    }
    vector->data = values_of(leave_buffer(buffer_of(vector->data), keep ? vector->size : 0));
}

LyraStatus lyra_vector_create(LyraContext *ctx, int32_t size, LyraVector **out)
{
    return lyra_vector_create_typed(ctx, NULL, NULL, size, out);
}

LyraStatus lyra_vector_create_typed(LyraContext *ctx, const LyraVectorType *type, void *place,
                                    int32_t size, LyraVector **out)
{
    LYRA_ASSERT(ctx && out);
    if (size < 0) {
        return ly_fail(LYRA_INVALID_ARGUMENT, "vector: a size of %d", (int)size);
    }
    LyraVector *vector = NULL;
    LY_TRY(ly_allocate_zeroed(ctx, 1, sizeof *vector, &vector));
    vector->ctx = ctx;
    vector->type = type ? type : &ly_host_vectors;
    vector->place = type && type != &ly_host_vectors ? place : ctx;
    vector->size = size;
    LyraStatus status = vector->type->create(vector->place, size, &vector->data);
    if (status != LYRA_OK) {
        ly_release(ctx, vector);
        return status;
    }
    renew(vector);
    *out = vector;
    return LYRA_OK;
}

void lyra_vector_destroy(LyraVector *vector)
{
    if (vector) {
        vector->type->destroy(vector->place, vector->data);
        ly_release(vector->ctx, vector);
    }
}

int32_t lyra_vector_size(const LyraVector *vector)
{
    LYRA_ASSERT(vector);
    return vector->size;
}

const LyraVectorType *lyra_vector_type(const LyraVector *vector)
{
    LYRA_ASSERT(vector);
    return vector->type == &ly_host_vectors ? NULL : vector->type;
}

bool lyra_vector_is_alike(const LyraVector *x, const LyraVector *y)
{
    LYRA_ASSERT(x && y);
    // contexts of the host share their memory
    return x->type == y->type && (x->type == &ly_host_vectors || x->place == y->place);
}

bool ly_vector_lies_at(const LyraVector *vector, const LyraVectorType *type, const void *place)
{
    return !type || type == &ly_host_vectors ? vector->type == &ly_host_vectors
                                             : vector->type == type && vector->place == place;
}

bool ly_vector_has_stamp_of(const LyraVector *x, const LyraVector *y)
{
    return x->ctx == y->ctx && x->stamp == y->stamp && !x->lent && !y->lent;
}

uint64_t lyra_vector_stamp(const LyraVector *vector)
{
    LYRA_ASSERT(vector);
    return vector->lent ? 0 : vector->stamp;
}

const void *lyra_vector_data(const LyraVector *vector)
{
    LYRA_ASSERT(vector);
    return vector->data;
}

void *lyra_vector_data_mutable(LyraVector *vector)
{
    LYRA_ASSERT(vector);
    separate(vector, true);
    vector->lent = true;
    return vector->data;
}

const double *lyra_vector_values(const LyraVector *vector)
{
    LYRA_ASSERT(vector && vector->type == &ly_host_vectors);
    return vector->data;
}

double *lyra_vector_values_mutable(LyraVector *vector)
{
    LYRA_ASSERT(vector && vector->type == &ly_host_vectors);
    separate(vector, true);
    vector->lent = true;
    return vector->data;
}

double *ly_vector_write_access(LyraVector *vector)
{
    LYRA_ASSERT(vector && vector->type == &ly_host_vectors);
    separate(vector, true);
    renew(vector);
    return vector->data;
}

double *ly_vector_rewrite_access(LyraVector *vector)
{
    LYRA_ASSERT(vector && vector->type == &ly_host_vectors);
    separate(vector, false);
    renew(vector);
    return vector->data;
}

// ---- operations ---------------------------------------------------------------------------------

#ifndef NDEBUG
// for asserts
static bool matches(const LyraVector *x, const LyraVector *y)
{
    return x && y && x->size == y->size && lyra_vector_is_alike(x, y);
}
#endif

void lyra_vector_read(const LyraVector *x, int32_t first, int32_t count, double *values)
{
    LYRA_ASSERT(x && first >= 0 && count >= 0 && count <= x->size - first);
    if (count > 0) {
        x->type->read(x->place, x->data, first, count, values);
    }
}

void lyra_vector_write(LyraVector *y, int32_t first, int32_t count, const double *values)
{
    LYRA_ASSERT(y && first >= 0 && count >= 0 && count <= y->size - first);
    if (count > 0) {
        separate(y, true);
        y->type->write(y->place, y->data, first, count, values);
        renew(y);
    }
}

void lyra_vector_fill(LyraVector *y, double value)
{
    LYRA_ASSERT(y);
    separate(y, false);
    y->type->fill(y->place, y->size, value, y->data);
    renew(y);
}

// y has the numbers of x now
static void note_copy(const LyraVector *x, LyraVector *y)
{
    if (x->lent || x->ctx != y->ctx) {
        renew(y);
    } else {
        y->stamp = x->stamp;
    }
}

void lyra_vector_copy(const LyraVector *x, LyraVector *y)
{
    LYRA_ASSERT(matches(x, y));
    if (x == y || ly_vector_has_stamp_of(x, y)) {
        return;
    }
    separate(y, false);
    y->type->copy(y->place, y->size, x->data, y->data);
    note_copy(x, y);
}

void ly_vector_share(const LyraVector *x, LyraVector *y)
{
    LYRA_ASSERT(matches(x, y));
    bool can = x->type == &ly_host_vectors && x->ctx == y->ctx && !x->lent && !y->lent;
    if (!can || ly_vector_has_stamp_of(x, y)) {
        lyra_vector_copy(x, y);
        return;
    }
    Buffer *own = leave_buffer(buffer_of(y->data), 0);
    join_buffer(buffer_of(x->data), own);
    y->data = x->data;
    note_copy(x, y);
}

void lyra_vector_axpby(double a, const LyraVector *x, double b, LyraVector *y)
{
    LYRA_ASSERT(matches(x, y));
    separate(y, true);
    y->type->axpby(y->place, y->size, a, x->data, b, y->data);
    renew(y);
}

void lyra_vector_sum(double a, const LyraVector *x, const LyraVector *y, LyraVector *out)
{
    LYRA_ASSERT(matches(x, y) && matches(x, out));
    separate(out, true);
    out->type->sum(out->place, out->size, a, x->data, y->data, out->data);
    renew(out);
}

void lyra_vector_combine(int32_t count, const double *c, LyraVector *const *x, LyraVector *y)
{
    LYRA_ASSERT(y && count >= 0 && count <= LYRA_COMBINE_MAX);
    separate(y, true);
    double factors[LYRA_COMBINE_MAX];
    const void *terms[LYRA_COMBINE_MAX];
    int32_t used = 0;
    for (int32_t k = 0; k < count; ++k) {
        if (c[k] != 0) {
            LYRA_ASSERT(matches(x[k], y));
            factors[used] = c[k];
            terms[used++] = x[k]->data;
        }
    }
    y->type->combine(y->place, y->size, used, factors, terms, y->data);
    renew(y);
}

double lyra_vector_dot(const LyraVector *x, const LyraVector *y)
{
    LYRA_ASSERT(matches(x, y));
    return x->type->dot(x->place, x->size, x->data, y->data);
}

double lyra_vector_largest(const LyraVector *x)
{
    LYRA_ASSERT(x);
    return x->type->largest(x->place, x->size, x->data);
}

double lyra_vector_norm(const LyraVector *x)
{
    LYRA_ASSERT(x);
    return x->type->norm(x->place, x->size, x->data);
}

bool lyra_vector_is_finite(const LyraVector *x)
{
    LYRA_ASSERT(x);
    return x->type->is_finite(x->place, x->size, x->data);
}

bool lyra_vector_equal(const LyraVector *x, const LyraVector *y)
{
    LYRA_ASSERT(matches(x, y));
    return x->type->equal(x->place, x->size, x->data, y->data);
}

double lyra_vector_error_squares(const LyraVector *e, const LyraVector *x, const LyraVector *y,
                                 double absolute, double relative)
{
    LYRA_ASSERT(matches(e, x) && matches(e, y));
    return e->type->error_squares(e->place, e->size, e->data, x->data, y->data, absolute, relative);
}

void lyra_vector_noise(const LyraVector *signs, const LyraVector *lengths, const LyraVector *x,
                       LyraVector *z)
{
    LYRA_ASSERT(matches(signs, z) && matches(x, z) && (!lengths || matches(lengths, z)));
    separate(z, true);
    z->type->noise(z->place, z->size, signs->data, lengths ? lengths->data : NULL, x->data,
                   z->data);
    renew(z);
}
