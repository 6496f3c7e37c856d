// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Data arrays of VTK's XML files, and what the reader and writer of .vtu agree on.

#ifndef LY_MESH_VTU_H
#define LY_MESH_VTU_H

#include "mesh/values.h"
#include "mesh/xml.h"

/// Field data that carries what VTK has no word for. Constants of a material: density, then E and
/// nu; mu01, mu10 and v1; or E (3), nu (3), G (3) and the axes (9). Unused ones are 0.
#define LY_VTU_MATERIAL_NAMES "LyraMaterialNames"
#define LY_VTU_MATERIAL_KINDS "LyraMaterialKinds"
#define LY_VTU_MATERIAL_CONSTANTS "LyraMaterialConstants"
#define LY_VTU_CONSTANT_COUNT 19
#define LY_VTU_SET_NAMES "LyraSetNames"
#define LY_VTU_SET_SIZES "LyraSetSizes"
#define LY_VTU_SET_ELEMENTS "LyraSetElements"
#define LY_VTU_VERTEX_SET_NAMES "LyraVertexSetNames"
#define LY_VTU_VERTEX_SET_SIZES "LyraVertexSetSizes"
#define LY_VTU_VERTEX_SET_VERTICES "LyraVertexSetVertices"
#define LY_VTU_FACE_SET_NAMES "LyraFaceSetNames"
#define LY_VTU_FACE_SET_SIZES "LyraFaceSetSizes"
#define LY_VTU_FACE_SET_FACES "LyraFaceSetFaces"
#define LY_VTU_REGIONS "LyraRegions"
#define LY_VTU_ELEMENT_COUNT "LyraElementCount"
/// There where hexahedra are no cubes.
#define LY_VTU_HEXAHEDRA "LyraHexahedra"

/// Cell data: index of the material.
#define LY_VTU_MATERIAL "material"

/// What holds for all arrays of a file.
typedef struct LyVtuFile {
    LyraContext *ctx;
    LyScanner scanner; ///< Over the whole file, for messages.
    bool big_endian, header_64, compressed;
    bool zlib; ///< Compressed by zlib.
    bool appended_base64;
    LySlice appended; ///< Behind the underscore; text NULL if the file has none.
} LyVtuFile;

/// A <DataArray>. Zero, with `at` NULL, where a file has none.
typedef struct LyVtuArray {
    const char *at; ///< The tag, for messages.
    const char *name;
    const char *type_name; ///< As in the file.
    LyScalar type;
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
    char *unpacked; // owned; what was compressed
} LyVtuValues;

/// Reads type, components, format and offset of a tag.
LyraStatus ly_vtu_array_read(const LyVtuFile *file, const LyXmlTag *tag, LyVtuArray *array);

/// Starts on the values of an array, of which there must be `count` (-1: any number). Fails if
/// there cannot be so many, so that the caller may allocate for them.
LyraStatus ly_vtu_values_open(LyVtuValues *values, const LyVtuFile *file, const LyVtuArray *array,
                              int64_t count);

/// Next values. The array must be of this kind.
LyraStatus ly_vtu_values_doubles(LyVtuValues *values, int64_t count, double *numbers);
LyraStatus ly_vtu_values_integer(LyVtuValues *values, int64_t low, int64_t high, int64_t *value);

/// Next values, all in [low, high].
LyraStatus ly_vtu_values_integers(LyVtuValues *values, int32_t low, int32_t high, int64_t count,
                                  int32_t *numbers);

/// Whether another value is left.
bool ly_vtu_values_more(LyVtuValues *values);

/// Fails if text is left.
LyraStatus ly_vtu_values_end(const LyVtuValues *values);

/// Unpacks the bytes of a compressed array, base64 undone, head included; the caller releases them.
LyraStatus ly_vtu_unpack(const LyVtuFile *file, const LyVtuArray *array, LySlice packed, char **out,
                         size_t *length);

/// Packs bytes, with a head of numbers of 8 bytes in front; the caller releases them.
LyraStatus ly_vtu_pack(LyraContext *ctx, const char *path, LySlice bytes, char **out,
                       size_t *length);

/// Bytes that the head of a compressed array and its blocks take, as far as `start` tells: at least
/// `start.length` + 1 while the head is not whole.
uint64_t ly_vtu_packed_bytes(const LyVtuFile *file, LySlice start);

/// Accepts values that are zero.
void ly_vtu_values_close(LyVtuValues *values);

/// Fails with "path:line: array "name": <format>".
LyraStatus ly_vtu_fail(const LyVtuFile *file, const LyVtuArray *array, LyraStatus status,
                       const char *format, ...) LYRA_PRINTF(4, 5);

#endif
