// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

#include "render/texture.h"

#include "base/number.h"
#include "render/color.h"

#include <math.h>
#include <string.h>

// ---- names --------------------------------------------------------------------------------------

static const char *skip_blanks(const char *at)
{
    while (*at == ' ' || *at == '\t') {
        ++at;
    }
    return at;
}

static const char *skip_word(const char *at)
{
    while (*at && *at != ' ' && *at != '\t') {
        ++at;
    }
    return at;
}

const char *ly_texture_parse_map(const char *map, LyTexture *texture)
{
    const char *end = map + strlen(map), *at = skip_blanks(map);
    texture->scale[0] = texture->scale[1] = 1;
    texture->offset[0] = texture->offset[1] = 0;
    texture->clamp = false;
    while (*at == '-') {
        const char *option = at, *after = skip_word(at);
        size_t length = (size_t)(after - option);
        at = skip_blanks(after);
        double values[3] = {1, 1, 1};
        if (length == 2 && strchr("ost", option[1])) {
            // one to three numbers
            values[0] = values[1] = option[1] == 's' ? 1 : 0;
            for (int i = 0; i < 3; ++i) {
                const char *number = ly_parse_double(at, end, &values[i]);
                if (!number || (*number && *number != ' ' && *number != '\t')) {
                    break;
                }
                at = skip_blanks(number);
            }
            double *to = option[1] == 's' ? texture->scale : texture->offset;
            if (option[1] != 't' && isfinite(values[0]) && isfinite(values[1])) {
                to[0] = values[0];
                to[1] = values[1];
            }
            continue;
        }
        texture->clamp |=
            length == 6 && memcmp(option, "-clamp", 6) == 0 && at[0] == 'o' && at[1] == 'n';
        // every other option has one word, -mm two
        at = skip_blanks(skip_word(at));
        if (length == 3 && memcmp(option, "-mm", 3) == 0) {
            at = skip_blanks(skip_word(at));
        }
    }
    return at;
}

// ---- levels -------------------------------------------------------------------------------------

/// Half the size; each pixel is the mean light of the two to nine it lies over.
static void halve(const LyraPicture *from, LyraPicture *to)
{
    for (int32_t y = 0; y < to->height; ++y) {
        for (int32_t x = 0; x < to->width; ++x) {
            int32_t x0 = (int32_t)((int64_t)x * from->width / to->width);
            int32_t x1 = (int32_t)(((int64_t)x + 1) * from->width / to->width);
            int32_t y0 = (int32_t)((int64_t)y * from->height / to->height);
            int32_t y1 = (int32_t)(((int64_t)y + 1) * from->height / to->height);
            double sum[3] = {0};
            for (int32_t j = y0; j < y1; ++j) {
                for (int32_t i = x0; i < x1; ++i) {
                    for (int c = 0; c < 3; ++c) {
                        sum[c] += ly_color_to_linear(
                            from->pixels[4 * ((int64_t)j * from->width + i) + c] / 255.0);
                    }
                }
            }
            uint8_t *pixel = to->pixels + 4 * ((int64_t)y * to->width + x);
            double count = (double)(x1 - x0) * (y1 - y0);
            for (int c = 0; c < 3; ++c) {
                pixel[c] = ly_color_byte(ly_color_from_linear(sum[c] / count));
            }
            pixel[3] = 255;
        }
    }
}

static LyraStatus make_levels(LyraContext *ctx, LyTexture *texture)
{
    while (texture->level_count < LY_TEXTURE_LEVELS) {
        const LyraPicture *last = texture->levels[texture->level_count - 1];
        if (last->width == 1 && last->height == 1) {
            break;
        }
        LyraPicture *next = NULL;
        LY_TRY(ly_picture_create(ctx, last->width > 1 ? last->width / 2 : 1,
                                 last->height > 1 ? last->height / 2 : 1, &next));
        halve(last, next);
        texture->levels[texture->level_count++] = next;
    }
    return LYRA_OK;
}

// ---- sets ---------------------------------------------------------------------------------------

static LyraStatus load_texture(LyraContext *ctx, const char *map, const char *beside,
                               LyTexture *texture)
{
    char *path = NULL;
    uint64_t identity[2];
    LyraPicture *picture = NULL;
    LY_TRY(ly_path_beside(ctx, beside, ly_texture_parse_map(map, texture), &path));
    for (char *c = path; *c; ++c) {
        *c = *c == '\\' ? '/' : *c;
    }
    // a file that is named by a file must be a plain one
    LyraStatus status = ly_file_identify(path, identity);
    if (status == LYRA_OK) {
        status = lyra_picture_load(ctx, path, &picture);
    }
    ly_release(ctx, path);
    if (status == LYRA_OK) {
        texture->levels[texture->level_count++] = picture;
        status = make_levels(ctx, texture);
    } else if (status != LYRA_OUT_OF_MEMORY) {
        ly_log(ctx, LYRA_LOG_WARNING, "texture left out: %s", lyra_error_message());
        status = LYRA_OK;
    }
    return status;
}

LyraStatus lyra_texture_set_load(LyraContext *ctx, const LyraSurface *surface, const char *beside,
                                 LyraTextureSet **out)
{
    LYRA_ASSERT(ctx && surface && beside && out);
    LyraSurfaceView view = lyra_surface_view(surface);
    LyraTextureSet *set = NULL;
    LyraStatus status = LYRA_OK;
    LY_TRY(ly_allocate_zeroed(ctx, 1, sizeof *set, &set));
    set->ctx = ctx;
    LY_TRY_DONE(
        ly_allocate_zeroed(ctx, view.material_count, sizeof *set->textures, &set->textures));
    set->count = view.material_count;
    for (int32_t m = 0; m < set->count; ++m) {
        if (view.materials[m].diffuse_map) {
            LY_TRY_DONE(
                load_texture(ctx, view.materials[m].diffuse_map, beside, &set->textures[m]));
        }
    }
    *out = set;
    set = NULL;
done:
    lyra_texture_set_destroy(set);
    return status;
}

void lyra_texture_set_destroy(LyraTextureSet *set)
{
    if (!set) {
        return;
    }
    for (int32_t m = 0; m < set->count; ++m) {
        for (int32_t i = 0; i < set->textures[m].level_count; ++i) {
            lyra_picture_destroy(set->textures[m].levels[i]);
        }
    }
    ly_release(set->ctx, set->textures);
    ly_release(set->ctx, set);
}

const LyraPicture *lyra_texture_set_get(const LyraTextureSet *set, int32_t material)
{
    LYRA_ASSERT(set);
    bool has = material >= 0 && material < set->count && set->textures[material].level_count > 0;
    return has ? set->textures[material].levels[0] : NULL;
}

// ---- sampling -----------------------------------------------------------------------------------

/// The neighbours of place t in [0, 1) times `size` pixels, and the weight of the second.
static void neighbours(double t, int32_t size, bool clamp, int32_t at[2], double *weight)
{
    t = !isfinite(t) ? 0 : clamp ? fmin(fmax(t, 0), 1) : t - floor(t);
    double place = t * size - 0.5, low = floor(place);
    *weight = place - low;
    for (int i = 0; i < 2; ++i) {
        int32_t k = (int32_t)low + i;
        at[i] = clamp ? (k < 0 ? 0 : k >= size ? size - 1 : k) : (k + size) % size;
    }
}

void ly_texture_sample(const LyTexture *texture, double u, double v, double footprint,
                       double color[3])
{
    const LyraPicture *base = texture->levels[0];
    double texels = footprint * fmax(base->width * fabs(texture->scale[0]),
                                     base->height * fabs(texture->scale[1]));
    double level = texels > 1 ? floor(log2(texels) + 0.5) : 0;
    int32_t last = texture->level_count - 1;
    const LyraPicture *picture = texture->levels[level < last ? (int32_t)level : last];
    int32_t x[2], y[2];
    double a, b;
    neighbours(texture->scale[0] * u + texture->offset[0], picture->width, texture->clamp, x, &a);
    neighbours(1 - (texture->scale[1] * v + texture->offset[1]), picture->height, texture->clamp, y,
               &b);
    for (int c = 0; c < 3; ++c) {
        double sum = 0;
        for (int i = 0; i < 4; ++i) {
            int64_t at = (int64_t)y[i / 2] * picture->width + x[i % 2];
            sum += (i / 2 ? b : 1 - b) * (i % 2 ? a : 1 - a) * picture->pixels[4 * at + c];
        }
        // between neighbours the curve of sRGB hardly matters
        color[c] = ly_color_to_linear(sum / 255);
    }
}
