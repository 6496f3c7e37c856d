// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// The inside of a context, for the files of base only.

#ifndef LY_BASE_CONTEXT_H
#define LY_BASE_CONTEXT_H

#include "base/base.h"
#include "base/registry.h"

#include <stdatomic.h>

typedef struct LyThreadPool LyThreadPool;
typedef struct LyArenaBlock LyArenaBlock;
typedef struct LyRegistryEntry LyRegistryEntry;

struct LyraArena {
    LyraContext *ctx;    // whose allocator serves
    LyArenaBlock *block; // the block in use, newest first
    size_t used;         // bytes taken in that block
    size_t demand, peak; // bytes pushed now, and the most so far
};

struct LyraContext {
    LyraAllocator allocator;
    LyraLogFunction *log;
    void *log_user;
    LyraLogLevel log_level;
    LyraTaskRunner *task_runner;
    void *task_user;
    int32_t thread_count;
    LyraIsa isa;
    int32_t dense_backend; // 0: the best of this build; see math/dense.h
    atomic_size_t byte_count;
    atomic_uint_fast64_t stamp; // the last that was given
    LyThreadPool *pool;         // without threads of its own where a host's task runner stands in
    LyraArena *arenas;          // [thread_count]
    _Atomic(LyRegistryEntry *) registry[LY_REGISTRY_KIND_COUNT]; // the first of each kind
};

/// Memory of the context itself, outside lyra_context_byte_count().
void *ly_allocator_take(const LyraAllocator *allocator, size_t bytes);
void ly_allocator_give(const LyraAllocator *allocator, void *memory, size_t bytes);

LyraStatus ly_thread_pool_create(const LyraAllocator *allocator, int32_t thread_count,
                                 LyThreadPool **out);
void ly_thread_pool_destroy(const LyraAllocator *allocator, LyThreadPool *pool);

void ly_arena_init(LyraArena *arena, LyraContext *ctx);
void ly_arena_finish(LyraArena *arena);

/// Ends what was registered.
void ly_registry_end(LyraContext *ctx);

#define LY_THREADS_MAX 256

/// Cores that this process may use, in [1, LY_THREADS_MAX].
int32_t ly_core_count(void);

/// Cores that the control groups of this process allow; 0: no limit. `root`: in front of the paths
/// of the system; "" but in tests.
double ly_core_quota(const char *root);

/// Best instruction set of this machine.
LyraIsa ly_isa_best(void);

#endif
