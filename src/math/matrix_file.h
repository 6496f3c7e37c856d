// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Dense matrices from bytes in memory: what the readers of files and the fuzzers share. Memory
// taken is at most a few times `length`, whatever the bytes claim.

#ifndef LY_MATH_MATRIX_FILE_H
#define LY_MATH_MATRIX_FILE_H

#include "base/base.h"
#include "lyra/matrix_file.h"

/// As lyra_dense_load_npy().
LyraStatus ly_dense_parse_npy(LyraContext *ctx, const char *bytes, size_t length, LyraDense **out);

/// As lyra_dense_load_vega().
LyraStatus ly_dense_parse_vega(LyraContext *ctx, const char *bytes, size_t length, LyraDense **out);

/// As lyra_dense_list_load_vega().
LyraStatus ly_dense_list_parse_vega(LyraContext *ctx, const char *bytes, size_t length,
                                    LyraDenseList **out);

// ---- numbers as bytes ---------------------------------------------------------------------------

/// Unsigned integer of `size` bytes, at most 8, least significant first.
static inline uint64_t ly_bytes_little(const char *bytes, int32_t size)
{
    uint64_t value = 0;
    for (int32_t i = size - 1; i >= 0; --i) {
        value = value << 8 | (unsigned char)bytes[i];
    }
    return value;
}

/// As ly_bytes_little(), most significant first.
static inline uint64_t ly_bytes_big(const char *bytes, int32_t size)
{
    uint64_t value = 0;
    for (int32_t i = 0; i < size; ++i) {
        value = value << 8 | (unsigned char)bytes[i];
    }
    return value;
}

/// Writes `size` bytes, least significant first.
static inline void ly_bytes_put_little(char *bytes, int32_t size, uint64_t value)
{
    for (int32_t i = 0; i < size; ++i) {
        bytes[i] = (char)(unsigned char)(value >> (8 * i) & 255);
    }
}

#endif
