// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

/// @file
/// Pictures in memory and in files, and a renderer of surfaces that needs neither a screen nor a
/// graphics card. How a picture comes about is in docs/pictures.md.
///
/// A part: it may change between minor versions, and lyra/lyra.h leaves it out (lyra/parts.h).

#ifndef LYRA_PICTURE_H
#define LYRA_PICTURE_H

#include "lyra/base.h"
#include "lyra/surface.h"

#ifdef __cplusplus
extern "C" {
#endif

// ---- pictures -----------------------------------------------------------------------------------

/// Largest width and height, and most pixels, of a picture.
#define LYRA_PICTURE_SIDE_MAX 16384
#define LYRA_PICTURE_PIXELS_MAX (INT64_C(1) << 26)

/// The data of a picture.
typedef struct LyraPictureView {
    int32_t width, height; ///< Pixels.
    /// Red, green, blue (sRGB), opacity, rows from the top, [height][width][4]; colours are not
    /// multiplied by the opacity.
    const uint8_t *pixels;
} LyraPictureView;

/// A raster of pixels. Immutable.
typedef struct LyraPicture LyraPicture;

/// Makes a picture from a copy of `pixels` as above. Nullable: white. Fails with
/// LYRA_INVALID_ARGUMENT for sizes outside of the limits above.
LYRA_API LyraStatus lyra_picture_create(LyraContext *ctx, int32_t width, int32_t height,
                                        const uint8_t *pixels, LyraPicture **out);

/// Accepts NULL.
LYRA_API void lyra_picture_destroy(LyraPicture *picture);

/// Data of the picture, valid while it lives.
LYRA_API LyraPictureView lyra_picture_view(const LyraPicture *picture);

/// Reads a picture; the format is told by the first bytes, TGA, which has no mark, by the rest.
/// PPM and PGM (binary and text) and TGA (true colour, grey, colour maps, plain or run lengths) are
/// always read; PNG and JPEG are LYRA_UNSUPPORTED in a build without libpng or libjpeg.
LYRA_API LyraStatus lyra_picture_load(LyraContext *ctx, const char *path, LyraPicture **out);

/// As lyra_picture_load, from memory.
LYRA_API LyraStatus lyra_picture_load_memory(LyraContext *ctx, const LyraMemoryFile *file,
                                             LyraPicture **out);

/// Writes a picture, whole or not at all, in the format that the extension names: `.png`
/// (LYRA_UNSUPPORTED in a build without libpng), or `.ppm`, which drops the opacity.
LYRA_API LyraStatus lyra_picture_save(const LyraPicture *picture, const char *path);

// ---- colours ------------------------------------------------------------------------------------

/// Colours for numbers. Neighbours in a table are equally far apart to the eye.
typedef enum LyraColorMap {
    LYRA_COLOR_MAP_SEQUENTIAL = 0, ///< Violet, blue, green, yellow: dark is low, light is high.
    LYRA_COLOR_MAP_DIVERGING,      ///< Blue, near white in the middle, red.
    LYRA_COLOR_MAP_COUNT
} LyraColorMap;

/// "sequential" or "diverging". Never NULL.
LYRA_API const char *lyra_color_map_name(LyraColorMap map);

#define LYRA_COLOR_MAP_SIZE 256

/// Writes the colours of a map from low to high, red green blue (sRGB) in [0, 1].
LYRA_API void lyra_color_map_table(LyraColorMap map, double table[LYRA_COLOR_MAP_SIZE][3]);

// ---- textures -----------------------------------------------------------------------------------

/// The pictures that the materials of a surface name.
typedef struct LyraTextureSet LyraTextureSet;

/// Reads the diffuse maps of the materials of `surface`, named as seen from the folder of the file
/// `beside` (that of the surface). One that cannot be read is a warning in the log, and the colour
/// of its material stands in.
LYRA_API LyraStatus lyra_texture_set_load(LyraContext *ctx, const LyraSurface *surface,
                                          const char *beside, LyraTextureSet **out);

/// Accepts NULL.
LYRA_API void lyra_texture_set_destroy(LyraTextureSet *set);

/// The picture of material `material`; NULL where it has none. Valid while the set lives.
LYRA_API const LyraPicture *lyra_texture_set_get(const LyraTextureSet *set, int32_t material);

// ---- rendering ----------------------------------------------------------------------------------

/// A surface and its appearance. Start from lyra_render_body_default(). Everything is lent for the
/// call.
typedef struct LyraRenderBody {
    const LyraSurface *surface; ///< What to show.
    const double *positions;    ///< m, [vertex_count][3]. Nullable: those of the surface.
    const double *field;        ///< Numbers that the color map shows, [vertex_count]; grey where
                                ///< not finite. Nullable: none.
    const LyraTextureSet *textures; ///< Of the surface's materials. Nullable: colours alone.
    double color[3];     ///< Where no material is, sRGB in [0, 1]. Default 0.42, 0.58, 0.75.
    bool materials;      ///< Use the materials of the surface. Default true.
    bool flat;           ///< One normal per face; else smooth ones. Default false.
    double crease_angle; ///< Edges sharper than this stay sharp, rad, [0, pi]. Default 1.
    bool edges;          ///< Draw the edges of the faces. Default false.
    int32_t dot_count;   ///< Vertices that are marked by a dot, such as fixed ones. Default 0.
    const int32_t *dots; ///< Their ids, [dot_count]. Nullable if none.
    uint32_t cookie;     ///< Written by the default function only.
} LyraRenderBody;

LYRA_API LyraRenderBody lyra_render_body_default(void);

/// Settings of a picture. Start from lyra_render_def_default().
typedef struct LyraRenderDef {
    int32_t width, height; ///< Pixels. Default 1200 x 900.
    int32_t samples;       ///< Per side of a pixel, [1, 8]. Default 4.

    /// Camera. Fitted: it looks at the bodies from a direction, just far enough to show all of
    /// them. Else it stands at `eye` and looks at `target`.
    bool fitted;          ///< Default true.
    double azimuth;       ///< About `up`, rad, from where z (for up = y) points. Default 0.6.
    double elevation;     ///< Above the horizon, rad, [-pi/2, pi/2]. Default 0.35.
    double field_of_view; ///< Of the height, rad, (0, 3). Default 0.5.
    double up[3];         ///< Default y.
    double eye[3];        ///< m. Default 0, 0, 1.
    double target[3];     ///< m. Default 0.

    double background[2][3]; ///< At the top and the bottom, sRGB. Default nearly white.
    bool shadows;            ///< Soft shadows and dark corners; off is faster. Default true.
    bool ground;             ///< A ground that shows shadows only, seen from above. Default true.
    double ground_height;    ///< Along `up`, m; NAN: below the lowest vertex. Default NAN.

    LyraColorMap color_map; ///< Default LYRA_COLOR_MAP_SEQUENTIAL.
    double field_range[2];  ///< Numbers at the ends of the map; NAN: from the fields. Default NAN.
    bool legend;            ///< A scale of the fields at the right. Default true.
    const char *label;      ///< Above the scale, UTF-8. Nullable: none. Default NULL.
    const char *title;      ///< At the top left, UTF-8. Nullable: none. Default NULL.
    uint32_t cookie;        ///< Written by the default function only.
} LyraRenderDef;

LYRA_API LyraRenderDef lyra_render_def_default(void);

/// Draws `bodies` [body_count]. Faces are seen from both sides. The same bits at any thread count.
/// Fails with LYRA_NOT_FINITE for positions that are not finite, LYRA_INVALID_ARGUMENT for settings
/// out of range or a camera without a direction.
LYRA_API LyraStatus lyra_render(LyraContext *ctx, const LyraRenderDef *def, int32_t body_count,
                                const LyraRenderBody *bodies, LyraPicture **out);

#ifdef __cplusplus
}
#endif

#endif
