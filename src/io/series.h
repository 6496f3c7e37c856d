// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// What the files of io know of PC2: a head of 32 bytes (name, version, points, first frame, rate,
// samples), then floats, all little-endian.

#ifndef LY_IO_SERIES_H
#define LY_IO_SERIES_H

#include "lyra/output.h"

enum { LY_PC2_HEAD = 32, LY_PC2_POINTS = 16, LY_PC2_SAMPLES = 28 };

#endif
