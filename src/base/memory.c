// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Counted memory. Each allocation has a head of one alignment unit in front of it that holds its
// size, so that callers need not remember it.

#include "base/context.h"

#include <string.h>

void *ly_allocator_take(const LyraAllocator *allocator, size_t bytes)
{
    return allocator->allocate(allocator->user, bytes, LY_ALIGNMENT);
}

void ly_allocator_give(const LyraAllocator *allocator, void *memory, size_t bytes)
{
    if (memory) {
        allocator->release(allocator->user, memory, bytes);
    }
}

static size_t *head_of(void *memory)
{
    return (size_t *)((char *)memory - LY_ALIGNMENT);
}

void *ly_allocate(LyraContext *ctx, size_t bytes)
{
    if (bytes > SIZE_MAX - LY_ALIGNMENT) {
        return NULL;
    }
    char *head = ly_allocator_take(&ctx->allocator, bytes + LY_ALIGNMENT);
    if (!head) {
        return NULL;
    }
    *(size_t *)head = bytes;
    atomic_fetch_add_explicit(&ctx->byte_count, bytes, memory_order_relaxed);
    return head + LY_ALIGNMENT;
}

void ly_release(LyraContext *ctx, void *memory)
{
    if (!memory) {
        return;
    }
    size_t *head = head_of(memory);
    size_t bytes = *head;
    atomic_fetch_sub_explicit(&ctx->byte_count, bytes, memory_order_relaxed);
    ly_allocator_give(&ctx->allocator, head, bytes + LY_ALIGNMENT);
}

static LyraStatus array_bytes(int64_t count, size_t element_size, size_t *bytes)
{
    if (count < 0 || __builtin_mul_overflow((size_t)count, element_size, bytes) ||
        *bytes > PTRDIFF_MAX) {
        return ly_fail(LYRA_TOO_LARGE, "an array of %lld elements of %zu bytes is too large",
                       (long long)count, element_size);
    }
    return LYRA_OK;
}

LyraStatus ly_allocate_array(LyraContext *ctx, int64_t count, size_t element_size, void *out)
{
    size_t bytes = 0;
    LY_TRY(array_bytes(count, element_size, &bytes));
    void *memory = ly_allocate(ctx, bytes);
    if (!memory) {
        return ly_fail_memory(bytes);
    }
    memcpy(out, &memory, sizeof memory);
    return LYRA_OK;
}

LyraStatus ly_allocate_zeroed(LyraContext *ctx, int64_t count, size_t element_size, void *out)
{
    void *memory = NULL;
    LY_TRY(ly_allocate_array(ctx, count, element_size, &memory));
    memset(memory, 0, (size_t)count * element_size);
    memcpy(out, &memory, sizeof memory);
    return LYRA_OK;
}

LyraStatus ly_resize_array(LyraContext *ctx, int64_t count, size_t element_size, void *array)
{
    void *old = NULL;
    memcpy(&old, array, sizeof old);
    void *memory = NULL;
    LY_TRY(ly_allocate_array(ctx, count, element_size, &memory));
    if (old) {
        size_t old_bytes = *head_of(old);
        size_t new_bytes = (size_t)count * element_size;
        memcpy(memory, old, old_bytes < new_bytes ? old_bytes : new_bytes);
        ly_release(ctx, old);
    }
    memcpy(array, &memory, sizeof memory);
    return LYRA_OK;
}
