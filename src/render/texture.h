// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Textures with smaller copies of themselves, for parts that are far away.

#ifndef LY_RENDER_TEXTURE_H
#define LY_RENDER_TEXTURE_H

#include "render/picture.h"

#define LY_TEXTURE_LEVELS 15

typedef struct LyTexture {
    LyraPicture *levels[LY_TEXTURE_LEVELS]; ///< Each half as wide and high as the one before.
    int32_t level_count;                    ///< 0: no texture.
    double scale[2], offset[2];             ///< Of texture coordinates: scale * uv + offset.
    bool clamp; ///< The border goes on outside; else the picture repeats.
} LyTexture;

struct LyraTextureSet {
    LyraContext *ctx;
    int32_t count;
    LyTexture *textures; // [count], by material
};

/// Linear colour at (u, v), v up, of a texture whose pixels are about as large as `footprint`, the
/// length in texture coordinates that a pixel of the picture covers.
void ly_texture_sample(const LyTexture *texture, double u, double v, double footprint,
                       double color[3]);

/// Splits a map_Kd entry: fills scale, offset and clamp of `texture` and returns the name of the
/// file, which points into `map`.
const char *ly_texture_parse_map(const char *map, LyTexture *texture);

#endif
