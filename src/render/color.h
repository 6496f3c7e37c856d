// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Colours: between the sRGB of files and linear light, and the maps of numbers to colours.

#ifndef LY_RENDER_COLOR_H
#define LY_RENDER_COLOR_H

#include "lyra/picture.h"

/// Linear light in [0, 1] of an sRGB value in [0, 1], and back.
double ly_color_to_linear(double srgb);
double ly_color_from_linear(double linear);

/// Byte of a value in [0, 1], rounded; values outside are clamped, NaN is 0.
uint8_t ly_color_byte(double value);

/// Linear light of a map at t in [0, 1], between the entries of `table` (linear light too).
void ly_color_map_at(const double table[LYRA_COLOR_MAP_SIZE][3], double t, double out[3]);

/// Oklab coordinates of a linear colour, for measures of what the eye sees.
void ly_color_oklab(const double linear[3], double lab[3]);

#endif
