// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// The glyphs. A glyph is a width and strokes with blanks between. A stroke is a list of points, two
// letters each: x from a = 0, y from A = -3, so that D is the baseline, J the height of small
// letters and M that of capitals. A stroke with ~ in front is a quadratic B-spline of its points:
// it leaves the first and arrives at the last, and in between touches the middles of the pieces of
// its polygon; if the first point is the last, it is a closed curve. So ~aMcMcJaJaM is an ellipse.

#include "render/font.h"

#include <stdint.h>
#include <string.h>

typedef struct Glyph {
    int32_t width;
    const char *strokes;
} Glyph;

#define BOWL "~bJeJfHfFeDbDaFaHbJ"
#define ARCH "~aGaJdJfJfGfD"

static const Glyph ascii[95] = {
    {3, ""},                                      // space
    {0, "aDaE aGaM"},                             // !
    {2, "aMaK cMcK"},                             // "
    {6, "bDcM eDfM aGgG aJgJ"},                   // #
    {6, "~gKfMdMaMaIgHgDdDaDaF dNdC"},            // $
    {7, "~aMdMdIaIaM ~eHhHhDeDeH bDgM"},          // %
    {7, "~hHgDcDaDaHdIfJfMdMbMbKcIhD"},           // &
    {0, "aMaK"},                                  // '
    {2, "~cNaKaGaDcA"},                           // (
    {2, "~aNcKcGcDaA"},                           // )
    {4, "cMcI aLeJ eLaJ"},                        // *
    {6, "aHgH dEdK"},                             // +
    {1, "bEaB"},                                  // ,
    {4, "aHeH"},                                  // -
    {0, "aDaE"},                                  // .
    {4, "aBeN"},                                  // /
    {5, "~bMeMfKfFeDbDaFaKbM"},                   // 0
    {5, "aKdMdD"},                                // 1
    {5, "~aKaMcMfMfIbFaD aDfD"},                  // 2
    {5, "~aKaMcMfMfIcI ~cIfIfDcDaDaF"},           // 3
    {5, "eDeMaGfG"},                              // 4
    {5, "fMbMaI ~aIbJcJfJfDcDaDaF"},              // 5
    {5, "~eMbLaIaFaDcDfDfJcJaJaF"},               // 6
    {5, "aMfMbD"},                                // 7
    {5, "~cMfMfIcIaIaMcM ~cIfIfDcDaDaIcI"},       // 8
    {5, "~bDeEfHfKfMdMaMaGdGfGfK"},               // 9
    {0, "aDaE aIaJ"},                             // :
    {1, "bIbJ bEaB"},                             // ;
    {6, "gKaHgE"},                                // <
    {6, "aJgJ aFgF"},                             // =
    {6, "aKgHaE"},                                // >
    {5, "~aKaMcMfMfJcIcG cDcE"},                  // ?
    {9, "~gHgJeJdJdFeFgFgH ~gJgFjFjMeMaMaDeDhD"}, // @
    {6, "aDdMgD bGfG"},                           // A
    {6, "aDaM ~aMdMfMfIdIaI ~aIdIgIgDdDaD"},      // B
    {6, "~gKfMdMaMaJaGaDdDfDgF"},                 // C
    {6, "aDaM ~aMcMgMgJgGgDcDaD"},                // D
    {5, "fMaMaDfD aIeI"},                         // E
    {5, "fMaMaD aIeI"},                           // F
    {6, "~gKfMdMaMaJaGaDdDgDgGgH gHdH"},          // G
    {6, "aDaM gDgM aIgI"},                        // H
    {0, "aDaM"},                                  // I
    {4, "~eMeGeDcDaDaG"},                         // J
    {6, "aDaM gMaG cIgD"},                        // K
    {5, "aMaDfD"},                                // L
    {8, "aDaMeFiMiD"},                            // M
    {6, "aDaMgDgM"},                              // N
    {7, "~cMfMhKhFfDcDaFaKcM"},                   // O
    {6, "aDaM ~aMdMgMgHdHaH"},                    // P
    {7, "~cMfMhKhFfDcDaFaKcM eFhC"},              // Q
    {6, "aDaM ~aMdMgMgHdHaH dHgD"},               // R
    {6, "~gKfMdMaMaIgHgDdDaDaF"},                 // S
    {6, "aMgM dMdD"},                             // T
    {6, "~aMaJaGaDdDgDgGgJgM"},                   // U
    {6, "aMdDgM"},                                // V
    {8, "aMcDeKgDiM"},                            // W
    {6, "aMgD gMaD"},                             // X
    {6, "aMdHgM dHdD"},                           // Y
    {6, "aMgMaDgD"},                              // Z
    {2, "cNaNaBcB"},                              // [
    {4, "aNeB"},                                  // backslash
    {2, "aNcNcBaB"},                              // ]
    {4, "aJcMeJ"},                                // ^
    {6, "aBgB"},                                  // _
    {1, "aMbK"},                                  // `
    {5, BOWL " fJfD"},                            // a
    {5, BOWL " aMaD"},                            // b
    {5, "~fIeJcJaJaGaDcDeDfE"},                   // c
    {5, BOWL " fMfD"},                            // d
    {5, "aGfG ~fGfJcJaJaGaDcDeDfE"},              // e
    {3, "~dMcMbMbJbD aJdJ"},                      // f
    {5, BOWL " ~fJfDfAcAaAaB"},                   // g
    {5, "aMaD " ARCH},                            // h
    {0, "aJaD aLaM"},                             // i
    {2, "~cJcDcAaA cLcM"},                        // j
    {5, "aMaD eJaF bGfD"},                        // k
    {1, "~aMaFaDbD"},                             // l
    {8, "aJaD ~aGaJcJeJeGeD ~eGeJgJiJiGiD"},      // m
    {5, "aJaD " ARCH},                            // n
    {5, BOWL},                                    // o
    {5, BOWL " aJaA"},                            // p
    {5, BOWL " fJfA"},                            // q
    {3, "aJaD ~aGaJcJdJ"},                        // r
    {4, "~eIdJcJaJaGeGeDcDaDaE"},                 // s
    {3, "~bLbFbDdD aJdJ"},                        // t
    {5, "fJfD ~aJaGaDcDfDfG"},                    // u
    {4, "aJcDeJ"},                                // v
    {8, "aJcDeJgDiJ"},                            // w
    {5, "aJfD fJaD"},                             // x
    {4, "aJcD ~eJcDbAaA"},                        // y
    {4, "aJeJaDeD"},                              // z
    {3, "~dNbNbHaG ~aGbGbBdB"},                   // {
    {0, "aNaB"},                                  // |
    {3, "~aNcNcHdG ~dGcGcBaB"},                   // }
    {6, "~aGbIcIeGfGgI"},                         // ~
};

static const struct {
    uint32_t code;
    Glyph glyph;
} others[] = {
    {0x00b0, {3, "~aMdMdJaJaM"}},             // degree
    {0x00b2, {3, "~aLaMbMdMdKaI aIdI"}},      // squared
    {0x00b3, {3, "aMdMbK ~bKdKdHbHaI"}},      // cubed
    {0x00b5, {5, "fJfD aJaA ~aJaGaDcDfDfG"}}, // micro
    {0x00b7, {0, "aGaH"}},                    // middle dot
    {0x00d7, {5, "aJfE fJaE"}},               // times
    {0x03bc, {5, "fJfD aJaA ~aJaGaDcDfDfG"}}, // mu
    {0x2013, {5, "aHfH"}},                    // dash
    {0x2212, {6, "aHgH"}},                    // minus
};

static const Glyph missing = {5, "aDaMfMfDaD"};

/// Between glyphs.
static const double gap = 2.4;

/// Reads a character of UTF-8 and goes on behind it; a byte that starts none is a character.
static uint32_t next_code(const char **text)
{
    const unsigned char *c = (const unsigned char *)*text;
    int extra = c[0] >= 0xf0 ? 3 : c[0] >= 0xe0 ? 2 : c[0] >= 0xc0 ? 1 : 0;
    uint32_t code = extra == 0 ? c[0] : c[0] & (0x3fu >> extra);
    for (int i = 1; i <= extra; ++i) {
        if ((c[i] & 0xc0) != 0x80) {
            *text += 1;
            return 0xfffd;
        }
        code = code << 6 | (c[i] & 0x3fu);
    }
    *text += extra + 1;
    return code;
}

static const Glyph *find_glyph(uint32_t code)
{
    if (code >= ' ' && code <= '~') {
        return &ascii[code - ' '];
    }
    for (int32_t i = 0; i < LY_COUNT_OF(others); ++i) {
        if (others[i].code == code) {
            return &others[i].glyph;
        }
    }
    return &missing;
}

double ly_font_width(const char *text)
{
    double width = 0;
    while (*text) {
        width += find_glyph(next_code(&text))->width + gap;
    }
    return width > 0 ? width - gap : 0;
}

// ---- drawing ------------------------------------------------------------------------------------

enum { POINTS_MAX = 24, CURVE_PIECES = 6 };

typedef struct Point {
    double x, y;
} Point;

static Point middle(Point a, Point b)
{
    return (Point){(a.x + b.x) / 2, (a.y + b.y) / 2};
}

/// The parabola from a to c whose tangents meet in b.
static void draw_parabola(Point a, Point b, Point c, LyFontPen *pen, void *data)
{
    Point from = a;
    for (int i = 1; i <= CURVE_PIECES; ++i) {
        double t = (double)i / CURVE_PIECES, s = 1 - t;
        Point to = {s * s * a.x + 2 * s * t * b.x + t * t * c.x,
                    s * s * a.y + 2 * s * t * b.y + t * t * c.y};
        pen(data, from.x, from.y, to.x, to.y);
        from = to;
    }
}

static void draw_spline(int count, const Point *points, LyFontPen *pen, void *data)
{
    bool closed = points[0].x == points[count - 1].x && points[0].y == points[count - 1].y;
    if (closed) {
        int n = count - 1;
        for (int i = 0; i < n; ++i) {
            draw_parabola(middle(points[(i + n - 1) % n], points[i]), points[i],
                          middle(points[i], points[(i + 1) % n]), pen, data);
        }
        return;
    }
    Point from = points[0];
    for (int i = 1; i + 1 < count; ++i) {
        Point to = i + 2 < count ? middle(points[i], points[i + 1]) : points[count - 1];
        draw_parabola(from, points[i], to, pen, data);
        from = to;
    }
}

static void draw_glyph(const Glyph *glyph, double x, LyFontPen *pen, void *data)
{
    const char *at = glyph->strokes;
    while (*at) {
        Point points[POINTS_MAX] = {{0, 0}};
        int count = 0;
        bool smooth = *at == '~';
        at += smooth;
        for (; *at && *at != ' ' && count < POINTS_MAX; at += 2) {
            points[count++] = (Point){x + (at[0] - 'a'), at[1] - 'D'};
        }
        at += *at == ' ';
        if (smooth) {
            draw_spline(count, points, pen, data);
            continue;
        }
        for (int i = 0; i + 1 < count; ++i) {
            pen(data, points[i].x, points[i].y, points[i + 1].x, points[i + 1].y);
        }
    }
}

void ly_font_draw(const char *text, LyFontPen *pen, void *data)
{
    double x = 0;
    while (*text) {
        const Glyph *glyph = find_glyph(next_code(&text));
        draw_glyph(glyph, x, pen, data);
        x += glyph->width + gap;
    }
}
