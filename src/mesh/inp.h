// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// What the tests of .inp need of its writer.

#ifndef LY_MESH_INP_H
#define LY_MESH_INP_H

#include "base/number.h"

/// Writes a number in the 20 characters that the programs read: the shortest text that reads back
/// to the same bits where it fits, otherwise rounded to as many digits as fit.
void ly_inp_format(char text[LY_DOUBLE_CHARS], double value);

#endif
