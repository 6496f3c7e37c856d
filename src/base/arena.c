// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Scratch memory as a stack of bytes. It grows by whole blocks when a push does not fit; once the
// stack is empty again the blocks are replaced by a single one as large as the peak, so that a
// repeated task allocates in its first round only.

#include "base/context.h"

struct LyArenaBlock {
    LyArenaBlock *below; // the block used before this one
    size_t capacity;     // bytes after the head
};

#define BLOCK_HEAD LY_ALIGNMENT
#define BLOCK_MINIMUM ((size_t)1 << 16)

_Static_assert(sizeof(LyArenaBlock) <= BLOCK_HEAD, "the head of a block must fit its space");

void ly_arena_init(LyraArena *arena, LyraContext *ctx)
{
    *arena = (LyraArena){.ctx = ctx};
}

LyraContext *ly_arena_context(const LyraArena *arena)
{
    return arena->ctx;
}

static bool push_block(LyraArena *arena, size_t capacity)
{
    capacity = capacity < BLOCK_MINIMUM ? BLOCK_MINIMUM : capacity;
    if (capacity > SIZE_MAX - BLOCK_HEAD) {
        return false;
    }
    LyArenaBlock *block = ly_allocator_take(&arena->ctx->allocator, capacity + BLOCK_HEAD);
    if (!block) {
        return false;
    }
    *block = (LyArenaBlock){.below = arena->block, .capacity = capacity};
    arena->block = block;
    arena->used = 0;
    return true;
}

static void pop_block(LyraArena *arena)
{
    LyArenaBlock *block = arena->block;
    arena->block = block->below;
    ly_allocator_give(&arena->ctx->allocator, block, block->capacity + BLOCK_HEAD);
}

void ly_arena_finish(LyraArena *arena)
{
    while (arena->block) {
        pop_block(arena);
    }
}

LyraStatus ly_arena_create(LyraContext *ctx, size_t bytes, LyraArena **out)
{
    LyraArena *arena = NULL;
    LY_TRY(ly_allocate_array(ctx, 1, sizeof *arena, &arena));
    ly_arena_init(arena, ctx);
    LyraStatus status = ly_arena_reserve(arena, bytes);
    if (status != LYRA_OK) {
        ly_release(ctx, arena);
        return status;
    }
    *out = arena;
    return LYRA_OK;
}

void ly_arena_destroy(LyraContext *ctx, LyraArena *arena)
{
    if (arena) {
        ly_arena_finish(arena);
        ly_release(ctx, arena);
    }
}

static bool round_up(size_t bytes, size_t *rounded)
{
    *rounded = (bytes + LY_ALIGNMENT - 1) / LY_ALIGNMENT * LY_ALIGNMENT;
    return bytes <= SIZE_MAX / 2;
}

static bool fits(const LyraArena *arena, size_t bytes)
{
    return arena->block && arena->block->capacity - arena->used >= bytes;
}

LyraStatus ly_arena_reserve(LyraArena *arena, size_t bytes)
{
    size_t rounded;
    if (!round_up(bytes, &rounded)) {
        return ly_fail_memory(bytes);
    }
    if (fits(arena, rounded)) {
        return LYRA_OK;
    }
    // an empty stack needs only one block
    if (arena->demand == 0) {
        ly_arena_finish(arena);
    }
    return push_block(arena, rounded) ? LYRA_OK : ly_fail_memory(bytes);
}

void *lyra_arena_push(LyraArena *arena, size_t bytes)
{
    size_t rounded;
    if (!round_up(bytes, &rounded)) {
        return NULL;
    }
    if (!fits(arena, rounded) && !push_block(arena, rounded)) {
        return NULL;
    }
    void *memory = (char *)arena->block + BLOCK_HEAD + arena->used;
    arena->used += rounded;
    arena->demand += rounded;
    arena->peak = arena->demand > arena->peak ? arena->demand : arena->peak;
    return memory;
}

LyArenaMark ly_arena_mark(const LyraArena *arena)
{
    return (LyArenaMark){.block = arena->block, .used = arena->used, .demand = arena->demand};
}

void ly_arena_release_to(LyraArena *arena, LyArenaMark mark)
{
    arena->demand = mark.demand;
    if (arena->demand > 0) {
        while (arena->block != mark.block) {
            pop_block(arena);
        }
        arena->used = mark.used;
        return;
    }
    arena->used = 0;
    if (arena->block && (arena->block->below || arena->block->capacity < arena->peak)) {
        // the stack is empty but the round needed several blocks: keep one that would have held it
        ly_arena_finish(arena);
        (void)push_block(arena, arena->peak);
    }
}
