// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// The coverage of a pixel by a line of width w is taken from the distance d of its middle to the
// line: w/2 + 1/2 - d, between 0 and 1; lines thinner than a pixel are fainter instead.

#include "render/paint.h"

#include "render/color.h"
#include "render/font.h"

#include <math.h>
#include <string.h>

static void reset_dirty(LyPainter *painter)
{
    painter->dirty[0] = painter->dirty[1] = INT32_MAX;
    painter->dirty[2] = painter->dirty[3] = -1;
}

LyraStatus ly_painter_begin(LyraPicture *picture, LyPainter *painter)
{
    LyPainter made = {.picture = picture};
    LY_TRY(ly_allocate_zeroed(picture->ctx, (int64_t)picture->width * picture->height, 1,
                              (void *)&made.mask));
    ly_painter_clip(&made, NULL);
    reset_dirty(&made);
    *painter = made;
    return LYRA_OK;
}

void ly_painter_end(LyPainter *painter)
{
    if (painter->picture) {
        ly_release(painter->picture->ctx, painter->mask);
    }
}

void ly_painter_clip(LyPainter *painter, const double box[4])
{
    const double whole[4] = {0, 0, painter->picture->width, painter->picture->height};
    for (int i = 0; i < 4; ++i) {
        double value = box ? box[i] : whole[i];
        painter->clip[i] = fmin(fmax(value, 0), whole[i % 2 + 2]);
    }
}

/// Pixels of a box that the clip lets through: [low, high). False if there are none.
static bool pixel_box(const LyPainter *painter, const double box[4], int32_t out[4])
{
    for (int i = 0; i < 2; ++i) {
        double low = fmax(box[i], painter->clip[i]), high = fmin(box[i + 2], painter->clip[i + 2]);
        if (!(low < high)) {
            return false;
        }
        out[i] = (int32_t)floor(low);
        out[i + 2] = (int32_t)ceil(high);
    }
    return true;
}

void ly_paint_line(LyPainter *painter, double x0, double y0, double x1, double y1, double width)
{
    double reach = fmax(width, 1) / 2 + 0.5, strength = fmin(width, 1);
    double box[4] = {fmin(x0, x1) - reach, fmin(y0, y1) - reach, fmax(x0, x1) + reach,
                     fmax(y0, y1) + reach};
    int32_t at[4];
    if (!pixel_box(painter, box, at)) {
        return;
    }
    double dx = x1 - x0, dy = y1 - y0, square = dx * dx + dy * dy;
    for (int32_t y = at[1]; y < at[3]; ++y) {
        uint8_t *row = painter->mask + (size_t)y * (size_t)painter->picture->width;
        int32_t begin = at[0], end = at[2];
        // a steep or long line covers few pixels of a row: those near where it crosses the row
        if (fabs(dy) > 1e-9) {
            double ta = (y - reach + 0.5 - y0) / dy, tb = (y + reach + 0.5 - y0) / dy;
            double tl = fmax(fmin(ta, tb), 0), th = fmin(fmax(ta, tb), 1);
            double xa = x0 + tl * dx, xb = x0 + th * dx;
            begin = (int32_t)fmax(begin, floor(fmin(xa, xb) - reach));
            end = (int32_t)fmin(end, ceil(fmax(xa, xb) + reach));
        }
        for (int32_t x = begin; x < end; ++x) {
            double px = x + 0.5 - x0, py = y + 0.5 - y0;
            double t = square > 0 ? fmin(fmax((px * dx + py * dy) / square, 0), 1) : 0;
            double distance = hypot(px - t * dx, py - t * dy);
            uint8_t cover = ly_color_byte(strength * fmin(reach - distance, 1));
            row[x] = cover > row[x] ? cover : row[x];
        }
    }
    for (int i = 0; i < 2; ++i) {
        painter->dirty[i] = at[i] < painter->dirty[i] ? at[i] : painter->dirty[i];
        painter->dirty[i + 2] =
            at[i + 2] > painter->dirty[i + 2] ? at[i + 2] : painter->dirty[i + 2];
    }
}

static void blend(uint8_t *pixel, const double color[3], double opacity)
{
    for (int c = 0; c < 3; ++c) {
        double value = pixel[c] / 255.0;
        pixel[c] = ly_color_byte(value + opacity * (color[c] - value));
    }
    pixel[3] = ly_color_byte(pixel[3] / 255.0 + opacity * (1 - pixel[3] / 255.0));
}

void ly_paint_flush(LyPainter *painter, const double color[3], double opacity)
{
    for (int32_t y = painter->dirty[1]; y < painter->dirty[3]; ++y) {
        uint8_t *row = painter->mask + (size_t)y * (size_t)painter->picture->width;
        uint8_t *pixels =
            painter->picture->pixels + 4 * (size_t)y * (size_t)painter->picture->width;
        for (int32_t x = painter->dirty[0]; x < painter->dirty[2]; ++x) {
            if (row[x]) {
                blend(pixels + 4 * (size_t)x, color, opacity * row[x] / 255.0);
                row[x] = 0;
            }
        }
    }
    reset_dirty(painter);
}

void ly_paint_box(LyPainter *painter, const double box[4], const double color[3], double opacity)
{
    int32_t at[4];
    if (!pixel_box(painter, box, at)) {
        return;
    }
    for (int32_t y = at[1]; y < at[3]; ++y) {
        double high = fmin(box[3], y + 1) - fmax(box[1], y);
        uint8_t *pixels =
            painter->picture->pixels + 4 * (size_t)y * (size_t)painter->picture->width;
        for (int32_t x = at[0]; x < at[2]; ++x) {
            double wide = fmin(box[2], x + 1) - fmax(box[0], x);
            blend(pixels + 4 * (size_t)x, color, opacity * wide * high);
        }
    }
}

// ---- text ---------------------------------------------------------------------------------------

typedef struct TextPen {
    LyPainter *painter;
    double x, y, scale, width;
    bool vertical;
} TextPen;

static void draw_piece(void *data, double x0, double y0, double x1, double y1)
{
    const TextPen *pen = data;
    double s = pen->scale;
    if (pen->vertical) {
        ly_paint_line(pen->painter, pen->x - s * y0, pen->y - s * x0, pen->x - s * y1,
                      pen->y - s * x1, pen->width);
    } else {
        ly_paint_line(pen->painter, pen->x + s * x0, pen->y - s * y0, pen->x + s * x1,
                      pen->y - s * y1, pen->width);
    }
}

double ly_text_width(const char *text, double size)
{
    return ly_font_width(text) * size / LY_FONT_CAPITAL;
}

void ly_paint_text(LyPainter *painter, double x, double y, const LyTextStyle *style,
                   const char *text)
{
    double width = ly_text_width(text, style->size);
    double back = style->anchor == LY_ANCHOR_START ? 0
                  : style->anchor == LY_ANCHOR_END ? width
                                                   : width / 2;
    TextPen pen = {
        .painter = painter,
        .x = style->vertical ? x : x - back,
        .y = style->vertical ? y + back : y,
        .scale = style->size / LY_FONT_CAPITAL,
        .width = fmax(1, 0.125 * style->size),
        .vertical = style->vertical,
    };
    ly_font_draw(text, draw_piece, &pen);
    ly_paint_flush(painter, style->color, 1);
}
