// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// What all fuzz targets share.

#ifndef LYRA_FUZZ_H
#define LYRA_FUZZ_H

#include "lyra/base.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/// Ends the process, which the fuzzer takes as a find.
#define FUZZ_REQUIRE(condition) ((condition) ? (void)0 : abort())

/// One context for all inputs: its threads would cost more than a load.
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

#endif
