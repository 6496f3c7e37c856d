// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Lines, boxes and text on a picture. Places are in pixels from the top left corner of the picture:
// the middle of the first pixel is at (0.5, 0.5).

#ifndef LY_RENDER_PAINT_H
#define LY_RENDER_PAINT_H

#include "render/picture.h"

/// Strokes go into a mask first and are coloured at once, so that a line is no darker where its
/// pieces meet.
typedef struct LyPainter {
    LyraPicture *picture;
    uint8_t *mask;    // [height][width]
    double clip[4];   // low x, low y, high x, high y
    int32_t dirty[4]; // pixels that the mask may cover; low > high: none
} LyPainter;

/// Starts to paint on `picture`, which must outlive the painter; nothing is clipped.
LyraStatus ly_painter_begin(LyraPicture *picture, LyPainter *painter);

void ly_painter_end(LyPainter *painter);

/// Nothing is drawn outside of a box; NULL: outside of the picture.
void ly_painter_clip(LyPainter *painter, const double box[4]);

/// Adds a line with round ends to the mask.
void ly_paint_line(LyPainter *painter, double x0, double y0, double x1, double y1, double width);

/// Colours the mask, sRGB in [0, 1], and clears it.
void ly_paint_flush(LyPainter *painter, const double color[3], double opacity);

/// Fills a box; its sides may lie within pixels.
void ly_paint_box(LyPainter *painter, const double box[4], const double color[3], double opacity);

typedef enum LyAnchor { LY_ANCHOR_START, LY_ANCHOR_MIDDLE, LY_ANCHOR_END } LyAnchor;

typedef struct LyTextStyle {
    double size;     ///< Height of capitals, pixels.
    LyAnchor anchor; ///< Which part of the text stands at its place.
    bool vertical;   ///< Runs upward.
    double color[3]; ///< sRGB.
} LyTextStyle;

/// Draws text with its baseline at (x, y).
void ly_paint_text(LyPainter *painter, double x, double y, const LyTextStyle *style,
                   const char *text);

/// Width of text whose capitals are `size` high.
double ly_text_width(const char *text, double size);

#endif
