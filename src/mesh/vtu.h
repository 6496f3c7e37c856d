// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Data arrays of VTK's XML files, and what the reader and writer of .vtu agree on.

#ifndef LY_MESH_VTU_H
#define LY_MESH_VTU_H

#include "mesh/xml.h"

/// VTK's numbers of cell types.
#define LY_VTU_TETRA 10
#define LY_VTU_HEXAHEDRON 12

/// Field data that carries what VTK has no word for. Constants of a material: density, then E and
/// nu; mu01, mu10 and v1; or E (3), nu (3), G (3) and the axes (9). Unused ones are 0.
#define LY_VTU_MATERIAL_NAMES "LyraMaterialNames"
#define LY_VTU_MATERIAL_KINDS "LyraMaterialKinds"
#define LY_VTU_MATERIAL_CONSTANTS "LyraMaterialConstants"
#define LY_VTU_CONSTANT_COUNT 19
#define LY_VTU_SET_NAMES "LyraSetNames"
#define LY_VTU_SET_SIZES "LyraSetSizes"
#define LY_VTU_SET_ELEMENTS "LyraSetElements"
#define LY_VTU_REGIONS "LyraRegions"
#define LY_VTU_ELEMENT_COUNT "LyraElementCount"

/// Cell data: index of the material.
#define LY_VTU_MATERIAL "material"

typedef enum LyVtuType {
    LY_VTU_INT8,
    LY_VTU_UINT8,
    LY_VTU_INT16,
    LY_VTU_UINT16,
    LY_VTU_INT32,
    LY_VTU_UINT32,
    LY_VTU_INT64,
    LY_VTU_UINT64,
    LY_VTU_FLOAT32,
    LY_VTU_FLOAT64,
    LY_VTU_STRING,
    LY_VTU_TYPE_COUNT
} LyVtuType;

/// What holds for all arrays of a file.
typedef struct LyVtuFile {
    LyraContext *ctx;
    LyScanner scanner; ///< Over the whole file, for messages.
    bool big_endian, header_64, compressed;
    bool appended_base64;
    LySlice appended; ///< Behind the underscore; text NULL if the file has none.
} LyVtuFile;

/// A <DataArray>. Zero, with `at` NULL, where a file has none.
typedef struct LyVtuArray {
    const char *at; ///< The tag, for messages.
    const char *name;
    LyVtuType type;
    int64_t components;
    enum { LY_VTU_ASCII, LY_VTU_BINARY, LY_VTU_APPENDED } format;
    int64_t offset; ///< Into the appended data.
    LySlice text;   ///< Inline content.
} LyVtuArray;

/// Values of an array, one after another.
typedef struct LyVtuValues {
    const LyVtuFile *file;
    const LyVtuArray *array;
    int64_t most;   ///< Values there can be at most: exact unless the array is text.
    int64_t left;   // values still to come, of an array that is not text
    LyScanner text; // of an array that is text
    const char *at; // of one that is not
    char *decoded;  // owned; base64 as bytes
} LyVtuValues;

/// Reads type, components, format and offset of a tag.
LyraStatus ly_vtu_array_read(const LyVtuFile *file, const LyXmlTag *tag, LyVtuArray *array);

/// Starts on the values of an array, of which there must be `count` (-1: any number). Fails if
/// there cannot be so many, so that the caller may allocate for them.
LyraStatus ly_vtu_values_open(LyVtuValues *values, const LyVtuFile *file, const LyVtuArray *array,
                              int64_t count);

/// Next value. The array must be of this kind: numbers of any type serve as double.
LyraStatus ly_vtu_values_double(LyVtuValues *values, double *value);
LyraStatus ly_vtu_values_integer(LyVtuValues *values, int64_t low, int64_t high, int64_t *value);

/// Whether another value is left.
bool ly_vtu_values_more(LyVtuValues *values);

/// Fails if text is left.
LyraStatus ly_vtu_values_end(const LyVtuValues *values);

/// Accepts values that are zero.
void ly_vtu_values_close(LyVtuValues *values);

/// Fails with "path:line: array "name": <format>".
LyraStatus ly_vtu_fail(const LyVtuFile *file, const LyVtuArray *array, LyraStatus status,
                       const char *format, ...) LYRA_PRINTF(4, 5);

#endif
