// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// What the fuzz targets of surfaces and embeddings share.

#ifndef LYRA_FUZZ_SURFACE_H
#define LYRA_FUZZ_SURFACE_H

#include "lyra/base.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/// Ends the process, which the fuzzer takes as a find.
#define FUZZ_REQUIRE(condition) ((condition) ? (void)0 : abort())

/// One context for all inputs.
static inline LyraContext *fuzz_context(void)
{
    static LyraContext *ctx;
    if (!ctx) {
        LyraContextDef def = lyra_context_def_default();
        def.thread_count = 1;
        FUZZ_REQUIRE(lyra_context_create(&def, &ctx) == LYRA_OK);
    }
    return ctx;
}

/// Copy with a zero byte behind, as readers expect it, to free().
static inline char *fuzz_text(const uint8_t *data, size_t size)
{
    char *text = malloc(size + 1);
    FUZZ_REQUIRE(text);
    if (size > 0) {
        memcpy(text, data, size);
    }
    text[size] = '\0';
    return text;
}

#endif
