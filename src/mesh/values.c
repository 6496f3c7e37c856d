// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

#include "mesh/values.h"

#include <string.h>

#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
#define NATIVE_BIG true
#else
#define NATIVE_BIG false
#endif

int32_t ly_scalar_size(LyScalar type)
{
    static const int8_t sizes[LY_SCALAR_COUNT] = {1, 1, 2, 2, 4, 4, 8, 8, 4, 8};
    return sizes[type];
}

LyScalar ly_scalar_find(const LyScalarName *names, int32_t count, LySlice name)
{
    for (int32_t i = 0; i < count; ++i) {
        if (ly_slice_is_word(name, names[i].name)) {
            return names[i].type;
        }
    }
    return LY_SCALAR_COUNT;
}

// ---- bytes --------------------------------------------------------------------------------------

uint64_t ly_bytes_load(const char *at, int32_t size, bool big_endian)
{
    uint64_t value = 0;
    for (int32_t i = 0; i < size; ++i) {
        int32_t shift = 8 * (big_endian ? size - 1 - i : i);
        value |= (uint64_t)(uint8_t)at[i] << shift;
    }
    return value;
}

static inline uint64_t load64(const char *at, bool swap)
{
    uint64_t bits;
    memcpy(&bits, at, sizeof bits);
    return swap ? __builtin_bswap64(bits) : bits;
}

static inline uint32_t load32(const char *at, bool swap)
{
    uint32_t bits;
    memcpy(&bits, at, sizeof bits);
    return swap ? __builtin_bswap32(bits) : bits;
}

int64_t ly_bytes_integer(const char *at, LyScalar type, bool big_endian)
{
    uint64_t bits = ly_bytes_load(at, ly_scalar_size(type), big_endian);
    switch (type) {
    case LY_SCALAR_INT8:
        return (int8_t)bits;
    case LY_SCALAR_INT16:
        return (int16_t)bits;
    case LY_SCALAR_INT32:
        return (int32_t)bits;
    case LY_SCALAR_INT64:
        return (int64_t)bits;
    default:
        return bits > INT64_MAX ? INT64_MAX : (int64_t)bits;
    }
}

bool ly_bytes_doubles(const char *data, LyScalar type, bool big_endian, int64_t count, double *out)
{
    bool swap = big_endian != NATIVE_BIG;
    // a sum of zeros times the numbers is a NaN if one of them is not finite
    double trouble = 0;
    if (type == LY_SCALAR_FLOAT64) {
        for (int64_t i = 0; i < count; ++i) {
            uint64_t bits = load64(data + 8 * i, swap);
            memcpy(&out[i], &bits, sizeof bits);
            trouble += 0 * out[i];
        }
    } else if (type == LY_SCALAR_FLOAT32) {
        for (int64_t i = 0; i < count; ++i) {
            uint32_t bits = load32(data + 4 * i, swap);
            float narrow;
            memcpy(&narrow, &bits, sizeof bits);
            out[i] = narrow;
            trouble += 0 * out[i];
        }
    } else {
        int32_t size = ly_scalar_size(type);
        for (int64_t i = 0; i < count; ++i) {
            out[i] = (double)ly_bytes_integer(data + size * i, type, big_endian);
        }
    }
    return trouble == 0;
}

bool ly_bytes_int32(const char *data, LyScalar type, bool big_endian, int64_t count, int32_t *out)
{
    bool swap = big_endian != NATIVE_BIG, fits = type < LY_SCALAR_FLOAT32;
    if (type == LY_SCALAR_INT32) {
        for (int64_t i = 0; i < count; ++i) {
            out[i] = (int32_t)load32(data + 4 * i, swap);
        }
    } else if (type == LY_SCALAR_INT64) {
        for (int64_t i = 0; i < count; ++i) {
            int64_t wide = (int64_t)load64(data + 8 * i, swap);
            out[i] = (int32_t)wide;
            fits = fits && out[i] == wide;
        }
    } else {
        int32_t size = ly_scalar_size(type);
        for (int64_t i = 0; i < count && fits; ++i) {
            int64_t wide = ly_bytes_integer(data + size * i, type, big_endian);
            out[i] = (int32_t)wide;
            fits = fits && out[i] == wide;
        }
    }
    return fits;
}

// ---- text or bytes ------------------------------------------------------------------------------

LyraStatus ly_values_fit(const LyValues *values, LyScalar type, int64_t count, const char *what)
{
    const LyScanner *scanner = values->scanner;
    int64_t left = scanner->end - scanner->at;
    // a digit and what separates it from the next
    int64_t most = values->binary ? left / ly_scalar_size(type) : (left + 1) / 2;
    if (count > most) {
        return ly_scanner_complain(scanner, scanner->at, LYRA_BAD_FORMAT,
                                   "found %lld bytes to the end of the file, expected %lld numbers "
                                   "of %s",
                                   (long long)left, (long long)count, what);
    }
    return LYRA_OK;
}

LyraStatus ly_values_bytes(const LyValues *values, int64_t count, const char *what,
                           const char **data)
{
    LyScanner *scanner = values->scanner;
    if (count > scanner->end - scanner->at) {
        return ly_scanner_complain(scanner, scanner->at, LYRA_BAD_FORMAT,
                                   "found %lld bytes to the end of the file, expected %lld of %s",
                                   (long long)(scanner->end - scanner->at), (long long)count, what);
    }
    *data = scanner->at;
    scanner->at += count;
    return LYRA_OK;
}

LyraStatus ly_values_doubles(const LyValues *values, LyScalar type, int64_t count, double *out,
                             const char *what)
{
    LyScanner *scanner = values->scanner;
    if (!values->binary) {
        for (int64_t i = 0; i < count; ++i) {
            ly_scanner_skip_space(scanner);
            LY_TRY(ly_scanner_double(scanner, &out[i], what));
        }
        return LYRA_OK;
    }
    const char *data = NULL;
    LY_TRY(ly_values_fit(values, type, count, what));
    LY_TRY(ly_values_bytes(values, count * ly_scalar_size(type), what, &data));
    if (!ly_bytes_doubles(data, type, values->big_endian, count, out)) {
        return ly_scanner_complain(scanner, data, LYRA_NOT_FINITE,
                                   "found a NaN or an infinity in the numbers of %s, expected "
                                   "finite ones",
                                   what);
    }
    return LYRA_OK;
}

LyraStatus ly_values_int32(const LyValues *values, LyScalar type, int64_t count, int32_t *out,
                           const char *what)
{
    LyScanner *scanner = values->scanner;
    if (!values->binary) {
        for (int64_t i = 0; i < count; ++i) {
            ly_scanner_skip_space(scanner);
            LY_TRY(ly_scanner_int32(scanner, &out[i], what));
        }
        return LYRA_OK;
    }
    const char *data = NULL;
    LY_TRY(ly_values_fit(values, type, count, what));
    LY_TRY(ly_values_bytes(values, count * ly_scalar_size(type), what, &data));
    if (!ly_bytes_int32(data, type, values->big_endian, count, out)) {
        return ly_scanner_complain(scanner, data, LYRA_BAD_FORMAT,
                                   "found a number of %s that is no integer from %d to %d", what,
                                   INT32_MIN, INT32_MAX);
    }
    return LYRA_OK;
}

LyraStatus ly_values_int64(const LyValues *values, LyScalar type, int64_t low, int64_t high,
                           int64_t *out, const char *what)
{
    LyScanner *scanner = values->scanner;
    if (!values->binary) {
        ly_scanner_skip_space(scanner);
        return ly_scanner_int64_in(scanner, low, high, out, what);
    }
    const char *data = NULL;
    LY_TRY(ly_values_bytes(values, ly_scalar_size(type), what, &data));
    int64_t value = ly_bytes_integer(data, type, values->big_endian);
    if (value < low || value > high) {
        return ly_scanner_complain(scanner, data, LYRA_BAD_FORMAT,
                                   "found %lld, expected %lld to %lld for %s", (long long)value,
                                   (long long)low, (long long)high, what);
    }
    *out = value;
    return LYRA_OK;
}

LyraStatus ly_values_skip(const LyValues *values, LyScalar type, int64_t count, const char *what)
{
    LyScanner *scanner = values->scanner;
    const char *data = NULL;
    LY_TRY(ly_values_fit(values, type, count, what));
    if (values->binary) {
        return ly_values_bytes(values, count * ly_scalar_size(type), what, &data);
    }
    for (int64_t i = 0; i < count; ++i) {
        ly_scanner_skip_space(scanner);
        if (ly_scanner_token(scanner).length == 0) {
            return ly_scanner_fail(scanner, LYRA_BAD_FORMAT, "a number for %s", what);
        }
    }
    return LYRA_OK;
}
