// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Lists of what a program registered. Entries stay where they are until the context ends, and are
// linked in with a release, so that lookups on other threads see whole entries or none.

#include "base/registry.h"

#include "base/context.h"

#include <string.h>

struct LyRegistryEntry {
    LyRegistered item;
    _Atomic(LyRegistryEntry *) next;
};

static LyRegistryEntry *first_of(const LyraContext *ctx, LyRegistryKind kind)
{
    return atomic_load_explicit(&ctx->registry[kind], memory_order_acquire);
}

static LyRegistryEntry *next_of(const LyRegistryEntry *entry)
{
    return atomic_load_explicit(&entry->next, memory_order_acquire);
}

LyraStatus ly_registry_add(LyraContext *ctx, LyRegistryKind kind, LyRegistered item)
{
    LyRegistryEntry *entry = ly_allocator_take(&ctx->allocator, sizeof *entry);
    if (!entry) {
        return ly_fail_memory(sizeof *entry);
    }
    entry->item = item;
    atomic_init(&entry->next, NULL);
    _Atomic(LyRegistryEntry *) *last = &ctx->registry[kind];
    LyRegistryEntry *at;
    while ((at = atomic_load_explicit(last, memory_order_acquire)) != NULL) {
        last = &at->next;
    }
    atomic_store_explicit(last, entry, memory_order_release);
    return LYRA_OK;
}

void ly_registry_end(LyraContext *ctx)
{
    for (int kind = 0; kind < LY_REGISTRY_KIND_COUNT; ++kind) {
        for (LyRegistryEntry *at = first_of(ctx, (LyRegistryKind)kind); at;) {
            LyRegistryEntry *next = next_of(at);
            ly_allocator_give(&ctx->allocator, at, sizeof *at);
            at = next;
        }
    }
}

const LyRegistered *ly_registry_at(const LyraContext *ctx, LyRegistryKind kind, int32_t index)
{
    const LyRegistryEntry *at = index >= 0 ? first_of(ctx, kind) : NULL;
    for (; at && index > 0; --index) {
        at = next_of(at);
    }
    return at ? &at->item : NULL;
}

const LyRegistered *ly_registry_find(const LyraContext *ctx, LyRegistryKind kind, const char *name)
{
    const LyRegistryEntry *at = first_of(ctx, kind);
    while (at && strcmp(at->item.name, name) != 0) {
        at = next_of(at);
    }
    return at ? &at->item : NULL;
}

const char *ly_registry_name(const LyraContext *ctx, LyRegistryKind kind, int32_t index)
{
    const LyRegistered *found = ly_registry_at(ctx, kind, index);
    return found ? found->name : NULL;
}

void ly_registry_list(const LyraContext *ctx, LyRegistryKind kind, size_t size, char *list)
{
    for (const LyRegistryEntry *at = first_of(ctx, kind); at; at = next_of(at)) {
        ly_list_name(size, list, at->item.name);
    }
}
