// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// What makes the `lyra` command run out of memory where a test says. The objects of the command are
// linked with this file and `--wrap` for the calls below, so that the command itself knows nothing
// of it, and the sanitizers see its memory as always.
//
//   LYRA_FAIL_ALLOCATION   number of the request, from 1 on, that is refused; 0 and none: no one
//   LYRA_COUNT_ALLOCATIONS file into which the number of requests is written at the end

#include "lyra/base.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

LyraStatus __real_lyra_context_create(const LyraContextDef *def, LyraContext **out);
LyraStatus __wrap_lyra_context_create(const LyraContextDef *def, LyraContext **out);
void *__real_malloc(size_t bytes);
void *__wrap_malloc(size_t bytes);
void *__real_calloc(size_t count, size_t bytes);
void *__wrap_calloc(size_t count, size_t bytes);
void *__real_realloc(void *memory, size_t bytes);
void *__wrap_realloc(void *memory, size_t bytes);

static atomic_llong requests;

static void write_count(void)
{
    FILE *file = fopen(getenv("LYRA_COUNT_ALLOCATIONS"), "w");
    if (file) {
        fprintf(file, "%lld\n", atomic_load(&requests));
        fclose(file);
    }
}

// whether this request is the one to refuse
static bool refused(void)
{
    const char *failing = getenv("LYRA_FAIL_ALLOCATION");
    long long request = atomic_fetch_add(&requests, 1) + 1;
    if (request == 1 && getenv("LYRA_COUNT_ALLOCATIONS")) {
        atexit(write_count);
    }
    return failing && strtoll(failing, NULL, 10) == request;
}

static void *allocate(void *user, size_t bytes, size_t alignment)
{
    (void)user;
    void *memory = NULL;
    return !refused() && posix_memalign(&memory, alignment, bytes) == 0 ? memory : NULL;
}

static void release(void *user, void *memory, size_t bytes)
{
    (void)user;
    (void)bytes;
    free(memory);
}

LyraStatus __wrap_lyra_context_create(const LyraContextDef *def, LyraContext **out)
{
    LyraContextDef changed = *def;
    changed.allocator = (LyraAllocator){.allocate = allocate, .release = release};
    return __real_lyra_context_create(&changed, out);
}

void *__wrap_malloc(size_t bytes)
{
    return refused() ? NULL : __real_malloc(bytes);
}

void *__wrap_calloc(size_t count, size_t bytes)
{
    return refused() ? NULL : __real_calloc(count, bytes);
}

void *__wrap_realloc(void *memory, size_t bytes)
{
    return refused() ? NULL : __real_realloc(memory, bytes);
}
