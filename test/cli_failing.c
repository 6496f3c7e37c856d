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

// asked by the leak check at the end of the process
__attribute__((visibility("default"))) int __lsan_is_turned_off(void);

static atomic_llong requests;
static atomic_bool ended; // a request of the command's own was refused: it exits where it stands

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

int __lsan_is_turned_off(void)
{
    return atomic_load(&ended);
}

// as refused(), for what the command itself asks for
static bool ends(void)
{
    bool last = refused();
    if (last) {
        atomic_store(&ended, true);
    }
    return last;
}

void *__wrap_malloc(size_t bytes)
{
    return ends() ? NULL : __real_malloc(bytes);
}

void *__wrap_calloc(size_t count, size_t bytes)
{
    return ends() ? NULL : __real_calloc(count, bytes);
}

void *__wrap_realloc(void *memory, size_t bytes)
{
    return ends() ? NULL : __real_realloc(memory, bytes);
}
