// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Numbers of files that come as text or as bytes, in either byte order, behind one set of calls.
// Text is free: numbers are separated by blanks and ends of lines alike.

#ifndef LY_MESH_VALUES_H
#define LY_MESH_VALUES_H

#include "base/scanner.h"

typedef enum LyScalar {
    LY_SCALAR_INT8,
    LY_SCALAR_UINT8,
    LY_SCALAR_INT16,
    LY_SCALAR_UINT16,
    LY_SCALAR_INT32,
    LY_SCALAR_UINT32,
    LY_SCALAR_INT64,
    LY_SCALAR_UINT64,
    LY_SCALAR_FLOAT32,
    LY_SCALAR_FLOAT64,
    LY_SCALAR_COUNT
} LyScalar;

/// Bytes of a number.
int32_t ly_scalar_size(LyScalar type);

/// What a format calls a type.
typedef struct LyScalarName {
    const char *name;
    LyScalar type;
} LyScalarName;

/// The type of a name, upper and lower case alike; LY_SCALAR_COUNT if it is none of `names`
/// [count].
LyScalar ly_scalar_find(const LyScalarName *names, int32_t count, LySlice name);

/// How the numbers of a file are written.
typedef struct LyValues {
    LyScanner *scanner;
    bool binary, big_endian; ///< Otherwise text; otherwise the lowest byte first.
} LyValues;

/// Goes past blanks, ends of lines and comments.
static inline void ly_scanner_skip_space(LyScanner *scanner)
{
    const char *at = scanner->at;
    while (ly_char_class[(uint8_t)*at] && *at) {
        ++at;
    }
    scanner->at = at;
    if (*at && *at == scanner->comment) {
        ly_scanner_next_content(scanner);
    }
}

/// Fails unless the file has room for `count` more numbers: nobody allocates what it cannot hold.
LyraStatus ly_values_fit(const LyValues *values, LyScalar type, int64_t count, const char *what);

/// Reads `count` numbers. `type` is that of bytes; text may be any number, whole for integers.
/// `what` names them in errors. Fails with LYRA_NOT_FINITE, or where a whole number is beyond
/// int32.
LyraStatus ly_values_doubles(const LyValues *values, LyScalar type, int64_t count, double *out,
                             const char *what);
LyraStatus ly_values_int32(const LyValues *values, LyScalar type, int64_t count, int32_t *out,
                           const char *what);

/// Reads one whole number in [low, high].
LyraStatus ly_values_int64(const LyValues *values, LyScalar type, int64_t low, int64_t high,
                           int64_t *out, const char *what);

/// Passes over `count` numbers.
LyraStatus ly_values_skip(const LyValues *values, LyScalar type, int64_t count, const char *what);

/// Goes on by `count` bytes, which must be there; `data` is where they start.
LyraStatus ly_values_bytes(const LyValues *values, int64_t count, const char *what,
                           const char **data);

// ---- bytes --------------------------------------------------------------------------------------

/// `size` bytes as an integer, zero-extended.
uint64_t ly_bytes_load(const char *at, int32_t size, bool big_endian);

/// A whole number of any type but floats; those of 64 bits without a sign saturate.
int64_t ly_bytes_integer(const char *at, LyScalar type, bool big_endian);

/// Converts numbers; false if one of them is not finite, or not within int32.
bool ly_bytes_doubles(const char *data, LyScalar type, bool big_endian, int64_t count, double *out);
bool ly_bytes_int32(const char *data, LyScalar type, bool big_endian, int64_t count, int32_t *out);

#endif
