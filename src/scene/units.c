// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Units: products of powers of named units with prefixes, "kg/m^3", "N s/m", "mm/s^2".

#include "base/number.h"
#include "scene/numbers.h"

#include <math.h>
#include <string.h>

typedef struct Unit {
    const char *name;
    double size; // in SI
    int8_t power[4];
    bool prefixed; // takes prefixes
} Unit;

// m, kg, s, rad
static const Unit units[] = {
    {"m", 1, {1, 0, 0, 0}, true},
    {"g", 1e-3, {0, 1, 0, 0}, true},
    {"s", 1, {0, 0, 1, 0}, true},
    {"min", 60, {0, 0, 1, 0}, false},
    {"rad", 1, {0, 0, 0, 1}, true},
    {"deg", 0.017453292519943295, {0, 0, 0, 1}, false},
    {"Hz", 1, {0, 0, -1, 0}, true},
    {"N", 1, {1, 1, -2, 0}, true},
    {"Pa", 1, {-1, 1, -2, 0}, true},
    {"bar", 1e5, {-1, 1, -2, 0}, true},
    {"mmHg", 133.322387415, {-1, 1, -2, 0}, false},
    {"J", 1, {2, 1, -2, 0}, true},
    {"W", 1, {2, 1, -3, 0}, true},
    {"%", 0.01, {0, 0, 0, 0}, false},
};

static const struct {
    const char *name;
    double size;
} prefixes[] = {
    {"n", 1e-9}, {"u", 1e-6}, {"\xc2\xb5", 1e-6}, {"m", 1e-3}, {"c", 1e-2},
    {"d", 1e-1}, {"h", 1e2},  {"k", 1e3},         {"M", 1e6},  {"G", 1e9},
};

static bool is_name(const char *text, size_t length, const char *name)
{
    return strlen(name) == length && memcmp(text, name, length) == 0;
}

// a unit as it is, or else with a prefix
static const Unit *find_unit(const char *text, size_t length, double *prefix)
{
    *prefix = 1;
    for (int32_t u = 0; u < LY_COUNT_OF(units); ++u) {
        if (is_name(text, length, units[u].name)) {
            return &units[u];
        }
    }
    for (int32_t p = 0; p < LY_COUNT_OF(prefixes); ++p) {
        size_t skip = strlen(prefixes[p].name);
        if (length <= skip || memcmp(text, prefixes[p].name, skip) != 0) {
            continue;
        }
        for (int32_t u = 0; u < LY_COUNT_OF(units); ++u) {
            if (units[u].prefixed && is_name(text + skip, length - skip, units[u].name)) {
                *prefix = prefixes[p].size;
                return &units[u];
            }
        }
    }
    return NULL;
}

static bool is_unit_byte(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '%' || (unsigned char)c >= 0x80;
}

// the power behind ^, 1 without; NULL if it is none
static const char *parse_power(const char *at, const char *end, int32_t *power)
{
    *power = 1;
    if (at == end || *at != '^') {
        return at;
    }
    const char *stop = ly_parse_int32(at + 1, end, power);
    return stop && *power >= -6 && *power <= 6 ? stop : NULL;
}

bool ly_unit_parse(const char *text, const char *end, LyDimension *dimension, double *size,
                   const char **bad)
{
    int32_t total[4] = {0};
    double product = 1;
    int32_t sign = 1;
    const char *at = text;
    // "1/s" is a unit too
    if (end - at >= 2 && at[0] == '1' && at[1] == '/') {
        sign = -1;
        at += 2;
    }
    for (;;) {
        while (at < end && *at == ' ') {
            ++at;
        }
        const char *begin = at;
        while (at < end && is_unit_byte(*at)) {
            ++at;
        }
        *bad = begin;
        double prefix;
        int32_t power;
        const Unit *unit = find_unit(begin, (size_t)(at - begin), &prefix);
        at = unit ? parse_power(at, end, &power) : NULL;
        if (!at) {
            return false;
        }
        for (int i = 0; i < 4; ++i) {
            total[i] += sign * power * unit->power[i];
            if (total[i] < -100 || total[i] > 100) {
                return false;
            }
        }
        product *= pow(unit->size * prefix, sign * power);
        while (at < end && *at == ' ') {
            ++at;
        }
        if (at == end) {
            break;
        }
        // one slash divides by what follows it alone; "N s/m" has a blank for a product
        sign = *at == '/' ? -1 : 1;
        at += *at == '/' || *at == '*';
    }
    for (int i = 0; i < 4; ++i) {
        dimension->power[i] = (int8_t)total[i];
    }
    *size = product;
    return true;
}
