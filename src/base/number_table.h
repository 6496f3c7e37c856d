// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Powers of ten with 128 bits, shared by the reading and the printing of numbers.

#ifndef LY_BASE_NUMBER_TABLE_H
#define LY_BASE_NUMBER_TABLE_H

#include <stdint.h>

#define LY_POWER_FIRST (-342)
#define LY_POWER_LAST 324

/// Entry q - LY_POWER_FIRST is 10^q scaled by a power of two into [2^127, 2^128), high word first.
/// Exact for 0 <= q <= 55, rounded up for -27 <= q < 0, cut otherwise.
extern const uint64_t ly_power_table[LY_POWER_LAST - LY_POWER_FIRST + 1][2];

#endif
