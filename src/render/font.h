// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// A font of strokes for pictures without a font engine. Lengths are in units of the font: capitals
// are LY_FONT_CAPITAL high, the pen is about one unit wide, y points up from the baseline.

#ifndef LY_RENDER_FONT_H
#define LY_RENDER_FONT_H

#include "base/base.h"

#define LY_FONT_CAPITAL 9.0
#define LY_FONT_DESCENT 3.0

/// Draws a straight piece of a stroke.
typedef void LyFontPen(void *data, double x0, double y0, double x1, double y1);

/// Width of UTF-8 text.
double ly_font_width(const char *text);

/// Draws UTF-8 text from the origin to the right; what the font lacks is a box.
void ly_font_draw(const char *text, LyFontPen *pen, void *data);

#endif
