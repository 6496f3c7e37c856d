// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Formats known by the start of a file. Most have a word of their own there:
//
//     ply                     PLY
//     $MeshFormat, $Comments  Gmsh
//     # vtk DataFile          VTK legacy
//     <?xml, <VTKFile         VTU
//     MeshVersionFormatted    Medit
//
// Binary STL has none: it is a file whose size is the one that the count of its triangles, behind
// 80 bytes of any content, asks for; that goes first, as those bytes may hold any of the words.
// Text STL starts with "solid" and goes on with "facet" or "endsolid". Both .veg and .inp have
// lines that start with a star; in .inp a second star makes a comment, a comma follows where
// options come, and *NODE, *ELEMENT, *HEADING, *PART are its own. OBJ is what has its keywords at
// the start of the first lines. Rows of numbers (.node, .ele) may be anything, so there the name
// decides.

#include "mesh/format.h"

#include <string.h>

static bool starts_with(LySlice text, const char *word)
{
    size_t length = strlen(word);
    return text.length >= length && memcmp(text.text, word, length) == 0;
}

static bool is_binary_stl(LySlice start, uint64_t size)
{
    if (size < 84 || start.length < 84) {
        return false;
    }
    uint64_t count = 0;
    for (int32_t i = 3; i >= 0; --i) {
        count = count << 8 | (uint8_t)start.text[80 + i];
    }
    return size == 84 + 50 * count;
}

/// A line that starts with a star: of .veg or .inp.
static LyraMeshFormat guess_star(LySlice line)
{
    static const char *const inp[] = {"*NODE", "*ELEMENT", "*HEADING", "*PART", "*PREPRINT"};
    static const char *const veg[] = {"*VERTICES", "*ELEMENTS", "*SET", "*REGION"};
    if (starts_with(line, "**") || memchr(line.text, ',', line.length)) {
        return LYRA_MESH_FORMAT_ABAQUS;
    }
    while (line.length > 0 && ly_char_class[(uint8_t)line.text[line.length - 1]]) {
        --line.length;
    }
    size_t word = 0;
    while (word < line.length && !ly_char_class[(uint8_t)line.text[word]]) {
        ++word;
    }
    LySlice keyword = {line.text, word};
    for (int32_t i = 0; i < LY_COUNT_OF(veg); ++i) {
        if (ly_slice_is_word(keyword, veg[i])) {
            return LYRA_MESH_FORMAT_VEG;
        }
    }
    for (int32_t i = 0; i < LY_COUNT_OF(inp); ++i) {
        if (ly_slice_is_word(keyword, inp[i])) {
            return LYRA_MESH_FORMAT_ABAQUS;
        }
    }
    // *MATERIAL soft and *INCLUDE other.veg
    return LYRA_MESH_FORMAT_AUTO;
}

static LyraMeshFormat guess_line(LySlice line)
{
    static const char *const obj[] = {"v", "vt",     "vn",     "f",  "o", "g",
                                      "s", "mtllib", "usemtl", "vp", "l", "p"};
    if (line.text[0] == '*') {
        return guess_star(line);
    }
    LyScanner scanner = {.at = line.text, .end = line.text + line.length, .begin = line.text};
    LySlice word = ly_scanner_token(&scanner);
    for (int32_t i = 0; i < LY_COUNT_OF(obj); ++i) {
        if (ly_slice_is(word, obj[i])) {
            return LYRA_MESH_FORMAT_OBJ;
        }
    }
    return LYRA_MESH_FORMAT_AUTO;
}

static bool is_text_stl(LySlice text)
{
    if (!starts_with(text, "solid")) {
        return false;
    }
    // the name runs to the end of the line
    const char *end = text.text + text.length, *at = text.text;
    while (at < end && *at != '\n' && *at != '\r') {
        ++at;
    }
    while (at < end && ly_char_class[(uint8_t)*at] && *at) {
        ++at;
    }
    LySlice rest = {at, (size_t)(end - at)};
    return starts_with(rest, "facet") || starts_with(rest, "endsolid");
}

LyraMeshFormat ly_format_guess(LySlice start, uint64_t size)
{
    static const struct {
        const char *word;
        LyraMeshFormat format;
    } words[] = {
        {"ply\n", LYRA_MESH_FORMAT_PLY},          {"ply\r", LYRA_MESH_FORMAT_PLY},
        {"$MeshFormat", LYRA_MESH_FORMAT_GMSH},   {"$Comments", LYRA_MESH_FORMAT_GMSH},
        {"# vtk DataFile", LYRA_MESH_FORMAT_VTK}, {"<?xml", LYRA_MESH_FORMAT_VTU},
        {"<VTKFile", LYRA_MESH_FORMAT_VTU},       {"MeshVersionFormatted", LYRA_MESH_FORMAT_MEDIT},
    };
    if (is_binary_stl(start, size)) {
        return LYRA_MESH_FORMAT_STL;
    }
    // a byte order mark and blank lines in front don't count
    LySlice text = start;
    if (starts_with(text, "\xef\xbb\xbf")) {
        text = (LySlice){text.text + 3, text.length - 3};
    }
    while (text.length > 0) {
        while (text.length > 0 && ly_char_class[(uint8_t)*text.text] && *text.text) {
            text = (LySlice){text.text + 1, text.length - 1};
        }
        for (int32_t i = 0; i < LY_COUNT_OF(words); ++i) {
            if (starts_with(text, words[i].word)) {
                return words[i].format;
            }
        }
        if (is_text_stl(text)) {
            return LYRA_MESH_FORMAT_STL;
        }
        size_t length = 0;
        while (length < text.length && text.text[length] != '\n' && text.text[length] != '\r') {
            ++length;
        }
        // the start may end inside a line; comments say nothing
        bool whole = length < text.length || start.length == size;
        if (length > 0 && whole && text.text[0] != '#') {
            return guess_line((LySlice){text.text, length});
        }
        text = (LySlice){text.text + length, text.length - length};
    }
    return LYRA_MESH_FORMAT_AUTO;
}
