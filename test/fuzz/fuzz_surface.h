// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// What the fuzz targets of surfaces and embeddings share.

#ifndef LYRA_FUZZ_SURFACE_H
#define LYRA_FUZZ_SURFACE_H

#include "fuzz.h"

#include <string.h>

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
