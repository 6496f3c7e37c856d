// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Checksums, as of packed states and of the numbers of models. One step,
//
//   h <- (h xor w) p,   h <- h xor (h >> 32),   p odd,
//
// is a bijection of h for a given word and of the word for a given h. So a change within one word
// always changes the sum, and any other goes unseen once in 2^64.

#include "base/base.h"

#include <string.h>

uint64_t ly_checksum(uint64_t sum, const void *bytes, int64_t words)
{
    const char *at = bytes;
    for (int64_t i = 0; i < words; ++i) {
        uint64_t word;
        memcpy(&word, at + 8 * i, 8);
        sum = (sum ^ word) * 0x9e3779b97f4a7c15u;
        sum ^= sum >> 32;
    }
    return sum;
}
