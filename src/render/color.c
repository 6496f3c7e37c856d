// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Colour maps. Equal steps in a field should look equally large, so a map is a curve in Oklab
// [Ott20], a space in which distance is close to what the eye sees, walked at constant speed.
//
// The curve is given by lightness L(s), hue h(s) and a wish for chroma C(s), s in [0, 1]. Where the
// screen cannot show that much chroma, the largest that it can is taken. The curve is sampled
// finely, its length is summed up, and the table takes points at equal lengths.
//
//   sequential   L rises from 0.28 to 0.93; the hue goes from violet through blue and green to
//                yellow. Since L rises all the way, the map also reads in grey.
//   diverging    L falls from 0.96 in the middle to 0.44 at both ends, blue below and red above.

#include "render/color.h"

#include "base/base.h"

#include <math.h>
#include <string.h>

static const double PI = 3.14159265358979323846;

// ---- sRGB ---------------------------------------------------------------------------------------

double ly_color_to_linear(double srgb)
{
    return srgb <= 0.04045 ? srgb / 12.92 : pow((srgb + 0.055) / 1.055, 2.4);
}

double ly_color_from_linear(double linear)
{
    return linear <= 0.0031308 ? 12.92 * linear : 1.055 * pow(linear, 1 / 2.4) - 0.055;
}

uint8_t ly_color_byte(double value)
{
    if (!(value > 0)) {
        return 0;
    }
    return value >= 1 ? 255 : (uint8_t)(255 * value + 0.5);
}

// ---- Oklab --------------------------------------------------------------------------------------

void ly_color_oklab(const double linear[3], double lab[3])
{
    const double r = linear[0], g = linear[1], b = linear[2];
    double l = cbrt(0.4122214708 * r + 0.5363325363 * g + 0.0514459929 * b);
    double m = cbrt(0.2119034982 * r + 0.6806995451 * g + 0.1073969566 * b);
    double s = cbrt(0.0883024619 * r + 0.2817188376 * g + 0.6299787005 * b);
    lab[0] = 0.2104542553 * l + 0.7936177850 * m - 0.0040720468 * s;
    lab[1] = 1.9779984951 * l - 2.4285922050 * m + 0.4505937099 * s;
    lab[2] = 0.0259040371 * l + 0.7827717662 * m - 0.8086757660 * s;
}

static void from_oklab(const double lab[3], double linear[3])
{
    double l = lab[0] + 0.3963377774 * lab[1] + 0.2158037573 * lab[2];
    double m = lab[0] - 0.1055613458 * lab[1] - 0.0638541728 * lab[2];
    double s = lab[0] - 0.0894841775 * lab[1] - 1.2914855480 * lab[2];
    l = l * l * l;
    m = m * m * m;
    s = s * s * s;
    linear[0] = 4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s;
    linear[1] = -1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s;
    linear[2] = -0.0041960863 * l - 0.7034186147 * m + 1.7076147010 * s;
}

static bool can_be_shown(const double linear[3])
{
    for (int c = 0; c < 3; ++c) {
        if (linear[c] < 0 || linear[c] > 1) {
            return false;
        }
    }
    return true;
}

/// Linear colour of lightness, hue (degrees) and the wished chroma, or the largest there is.
static void from_lightness(double L, double chroma, double hue, double linear[3])
{
    double low = 0, high = chroma;
    double a = cos(hue * PI / 180), b = sin(hue * PI / 180);
    double lab[3] = {L, chroma * a, chroma * b};
    from_oklab(lab, linear);
    if (can_be_shown(linear)) {
        return;
    }
    for (int i = 0; i < 30; ++i) {
        double middle = (low + high) / 2;
        double trial[3] = {L, middle * a, middle * b}, color[3];
        from_oklab(trial, color);
        if (can_be_shown(color)) {
            low = middle;
            memcpy(linear, color, sizeof color);
        } else {
            high = middle;
        }
    }
}

// ---- maps ---------------------------------------------------------------------------------------

/// The curve of a map at s in [0, 1], linear light.
static void curve_at(LyraColorMap map, double s, double linear[3])
{
    if (map == LYRA_COLOR_MAP_DIVERGING) {
        double t = fabs(2 * s - 1);
        from_lightness(0.96 - 0.52 * t, 0.175 * t, s < 0.5 ? 262 : 27, linear);
        return;
    }
    // the hue passes blue and teal evenly and hurries at the end, where green turns into yellow;
    // screens show little chroma around teal
    double hue = 305 - 150 * s - 50 * s * s * s;
    double dip = sin(PI * fmin(s / 0.9, 1));
    from_lightness(0.28 + 0.65 * s, 0.125 - 0.0357 * dip * dip + 0.045 * s * s * s, hue, linear);
}

enum { CURVE_POINTS = 1024 };

void lyra_color_map_table(LyraColorMap map, double table[LYRA_COLOR_MAP_SIZE][3])
{
    static const int last = LYRA_COLOR_MAP_SIZE - 1;
    double length[CURVE_POINTS + 1];
    double color[3], lab[3], before[3] = {0};
    for (int i = 0; i <= CURVE_POINTS; ++i) {
        curve_at(map, (double)i / CURVE_POINTS, color);
        ly_color_oklab(color, lab);
        double square = 0;
        for (int c = 0; c < 3; ++c) {
            square += (lab[c] - before[c]) * (lab[c] - before[c]);
            before[c] = lab[c];
        }
        length[i] = i > 0 ? length[i - 1] + sqrt(square) : 0;
    }
    int at = 0;
    for (int k = 0; k <= last; ++k) {
        double wanted = length[CURVE_POINTS] * k / last;
        while (at < CURVE_POINTS - 1 && length[at + 1] < wanted) {
            ++at;
        }
        double part = (wanted - length[at]) / (length[at + 1] - length[at]);
        curve_at(map, fmin((at + part) / CURVE_POINTS, 1), color);
        for (int c = 0; c < 3; ++c) {
            table[k][c] = ly_color_from_linear(fmin(fmax(color[c], 0), 1));
        }
    }
}

const char *lyra_color_map_name(LyraColorMap map)
{
    static const char *const names[] = {"sequential", "diverging"};
    return (uint32_t)map < LYRA_COLOR_MAP_COUNT ? names[map] : "unknown";
}

void ly_color_map_at(const double table[LYRA_COLOR_MAP_SIZE][3], double t, double out[3])
{
    double place = fmin(fmax(t, 0), 1) * (LYRA_COLOR_MAP_SIZE - 1);
    int at = (int)place;
    at = at > LYRA_COLOR_MAP_SIZE - 2 ? LYRA_COLOR_MAP_SIZE - 2 : at;
    double part = place - at;
    for (int c = 0; c < 3; ++c) {
        out[c] = table[at][c] + part * (table[at + 1][c] - table[at][c]);
    }
}
