// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// What a program has registered in a context: types of its own by kind and name. The modules that
// look names up ask here after their own tables; what is kept are pointers to the caller's types.

#ifndef LY_BASE_REGISTRY_H
#define LY_BASE_REGISTRY_H

#include "base/base.h"

typedef enum LyRegistryKind {
    LY_REGISTRY_LAW = 0,    // LyraMaterialType, with its user
    LY_REGISTRY_SOLVER,     // LyraSolverType
    LY_REGISTRY_INTEGRATOR, // LyraIntegratorType
    LY_REGISTRY_FORCE,      // LyraForceMaker
    LY_REGISTRY_KIND_COUNT
} LyRegistryKind;

typedef struct LyRegistered {
    const char *name;
    const void *type;
    const void *user;
} LyRegistered;

/// Adds an entry, whose name must be new; its pointers must outlive the context.
LyraStatus ly_registry_add(LyraContext *ctx, LyRegistryKind kind, LyRegistered entry);

/// Entry `index` in the order of registration; NULL past the last, and for an index below 0.
const LyRegistered *ly_registry_at(const LyraContext *ctx, LyRegistryKind kind, int32_t index);

/// The entry of a name; NULL without.
const LyRegistered *ly_registry_find(const LyraContext *ctx, LyRegistryKind kind, const char *name);

/// Name of entry `index`; NULL past the last.
const char *ly_registry_name(const LyraContext *ctx, LyRegistryKind kind, int32_t index);

/// Adds all names of a kind to a list "a, b, c" of at most `size` bytes.
void ly_registry_list(const LyraContext *ctx, LyRegistryKind kind, size_t size, char *list);

#endif
