// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Animated surfaces as glTF 2.0. One mesh with a primitive per material; frame 0 gives the
// positions, frame k > 0 the morph target k - 1, its positions less those of frame 0; the animation
// sets, at the time of frame k, the weight of its target to 1 and all others to 0, so that linear
// interpolation of the weights is linear interpolation of the frames.
//
// The .bin holds, as little-endian words of four bytes: positions of frame 0, times, weights
// [frame][target], corners by material, and the targets.

#include "io/series.h"

#include "base/file.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#define GLTF_FLOAT 5126
#define GLTF_UNSIGNED_INT 5125

typedef struct Box {
    float low[3], high[3];
} Box;

typedef struct Gltf {
    LyraContext *ctx;
    LyraSurfaceView view; // triangles
    int64_t points, frames, targets;
    float *first, *frame; // [points][3]
    Box *boxes;           // [frames]: of the positions, then of each target
    int32_t *counts;      // triangles of each material, the last for those without, [materials + 1]
    const char *source;   // the PC2 file
    FILE *stream;
} Gltf;

// ---- frames -------------------------------------------------------------------------------------

static uint32_t get_u32(const unsigned char *at)
{
    return (uint32_t)at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24;
}

static LyraStatus open_frames(Gltf *gltf)
{
    unsigned char head[LY_PC2_HEAD];
    gltf->stream = fopen(gltf->source, "rb");
    if (!gltf->stream) {
        return ly_fail_system("read", gltf->source, errno);
    }
    if (fread(head, 1, sizeof head, gltf->stream) != sizeof head ||
        memcmp(head, "POINTCACHE2", 12) != 0) {
        return ly_fail(LYRA_BAD_FORMAT, "%s: not a PC2 file", gltf->source);
    }
    int64_t points = get_u32(head + LY_PC2_POINTS), frames = get_u32(head + LY_PC2_SAMPLES);
    if (points != gltf->points || frames < gltf->frames) {
        return ly_fail(LYRA_BAD_FORMAT,
                       "%s: holds %lld frames of %lld points, expected %lld of %lld", gltf->source,
                       (long long)frames, (long long)points, (long long)gltf->frames,
                       (long long)gltf->points);
    }
    return LYRA_OK;
}

/// Reads frame k of the source into `to`, less frame 0 where k > 0, and widens its box.
static LyraStatus read_frame(Gltf *gltf, int64_t k, float *to)
{
    size_t count = (size_t)gltf->points * 3;
    long offset = (long)(LY_PC2_HEAD + k * 12 * gltf->points);
    if (fseek(gltf->stream, offset, SEEK_SET) != 0 || fread(to, 4, count, gltf->stream) != count) {
        return ly_fail(LYRA_BAD_FORMAT, "%s: frame %lld is cut off", gltf->source, (long long)k);
    }
    Box *box = &gltf->boxes[k];
    for (size_t i = 0; i < count; ++i) {
        uint32_t bits = get_u32((const unsigned char *)(to + i));
        memcpy(to + i, &bits, sizeof bits);
        to[i] -= k > 0 ? gltf->first[i] : 0;
        float *low = &box->low[i % 3], *high = &box->high[i % 3];
        *low = i < 3 || to[i] < *low ? to[i] : *low;
        *high = i < 3 || to[i] > *high ? to[i] : *high;
        if (!isfinite(to[i])) {
            return ly_fail(LYRA_NOT_FINITE, "%s: frame %lld, point %zu is not finite", gltf->source,
                           (long long)k, i / 3);
        }
    }
    return LYRA_OK;
}

// ---- binary -------------------------------------------------------------------------------------

static void write_word(LyWriter *writer, uint32_t word)
{
    unsigned char bytes[4] = {(unsigned char)word, (unsigned char)(word >> 8),
                              (unsigned char)(word >> 16), (unsigned char)(word >> 24)};
    ly_writer_bytes(writer, bytes, sizeof bytes);
}

static void write_float(LyWriter *writer, float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    write_word(writer, bits);
}

static void write_frame(LyWriter *writer, const float *values, int64_t points)
{
    for (int64_t i = 0; i < 3 * points; ++i) {
        write_float(writer, values[i]);
    }
}

static int32_t material_of(const Gltf *gltf, int32_t face)
{
    int32_t material = gltf->view.face_materials[face];
    return material < 0 ? gltf->view.material_count : material;
}

static LyraStatus write_binary(Gltf *gltf, LyWriter *writer, const double *times)
{
    LY_TRY(read_frame(gltf, 0, gltf->first));
    write_frame(writer, gltf->first, gltf->points);
    for (int64_t k = 0; k < gltf->frames; ++k) {
        write_float(writer, (float)(times[k] - times[0]));
    }
    for (int64_t k = 0; k < gltf->frames; ++k) {
        for (int64_t t = 0; t < gltf->targets; ++t) {
            write_float(writer, t == k - 1 ? 1 : 0);
        }
    }
    for (int32_t m = 0; m <= gltf->view.material_count; ++m) {
        for (int32_t f = 0; f < gltf->view.face_count; ++f) {
            for (int c = 0; c < 3 && material_of(gltf, f) == m; ++c) {
                write_word(writer, (uint32_t)gltf->view.corner_vertices[3 * (int64_t)f + c]);
            }
        }
    }
    for (int64_t k = 1; k < gltf->frames && ly_writer_status(writer) == LYRA_OK; ++k) {
        LY_TRY(read_frame(gltf, k, gltf->frame));
        write_frame(writer, gltf->frame, gltf->points);
    }
    return LYRA_OK;
}

// ---- JSON ---------------------------------------------------------------------------------------

static void write_text(LyWriter *writer, const char *text)
{
    ly_writer_char(writer, '"');
    for (; *text; ++text) {
        if (*text == '"' || *text == '\\') {
            ly_writer_char(writer, '\\');
        }
        if ((unsigned char)*text >= 32) {
            ly_writer_char(writer, *text);
        }
    }
    ly_writer_char(writer, '"');
}

static void write_triple(LyWriter *writer, const char *name, const float values[3])
{
    ly_writer_print(writer, ", \"%s\": [", name);
    for (int i = 0; i < 3; ++i) {
        ly_writer_string(writer, i > 0 ? ", " : "");
        ly_writer_double(writer, values[i]);
    }
    ly_writer_char(writer, ']');
}

static void write_accessor(LyWriter *writer, int view, int64_t offset, int component, int64_t count,
                           const char *type)
{
    ly_writer_print(writer,
                    "    {\"bufferView\": %d, \"byteOffset\": %lld, \"componentType\": %d, "
                    "\"count\": %lld, \"type\": \"%s\"",
                    view, (long long)offset, component, (long long)count, type);
}

/// Accessors: 0 positions, 1 times, 2 weights, then targets, then corners of materials in use.
static void write_accessors(const Gltf *gltf, LyWriter *writer, const double *times)
{
    ly_writer_string(writer, "  \"accessors\": [\n");
    for (int64_t k = 0; k < gltf->frames; ++k) {
        int64_t offset = k > 0 ? (k - 1) * 12 * gltf->points : 0;
        write_accessor(writer, k > 0 ? 4 : 0, offset, GLTF_FLOAT, gltf->points, "VEC3");
        write_triple(writer, "min", gltf->boxes[k].low);
        write_triple(writer, "max", gltf->boxes[k].high);
        ly_writer_string(writer, "},\n");
        if (k > 0) {
            continue;
        }
        write_accessor(writer, 1, 0, GLTF_FLOAT, gltf->frames, "SCALAR");
        ly_writer_string(writer, ", \"min\": [0], \"max\": [");
        ly_writer_double(writer, (float)(times[gltf->frames - 1] - times[0]));
        ly_writer_string(writer, "]},\n");
        write_accessor(writer, 2, 0, GLTF_FLOAT, gltf->frames * gltf->targets, "SCALAR");
        ly_writer_string(writer, "},\n");
    }
    int64_t offset = 0;
    for (int32_t m = 0; m <= gltf->view.material_count; ++m) {
        if (gltf->counts[m] > 0) {
            ly_writer_string(writer, offset > 0 ? ",\n" : "");
            write_accessor(writer, 3, offset, GLTF_UNSIGNED_INT, 3 * (int64_t)gltf->counts[m],
                           "SCALAR");
            ly_writer_char(writer, '}');
            offset += 12 * (int64_t)gltf->counts[m];
        }
    }
    ly_writer_string(writer, "\n  ],\n");
}

static void write_materials(const Gltf *gltf, LyWriter *writer)
{
    ly_writer_string(writer, "  \"materials\": [\n");
    for (int32_t m = 0; m <= gltf->view.material_count; ++m) {
        LyraSurfaceMaterial material = lyra_surface_material_default();
        material.name = "default";
        if (m < gltf->view.material_count) {
            material = gltf->view.materials[m];
        }
        ly_writer_string(writer, m > 0 ? ",\n    {\"name\": " : "    {\"name\": ");
        write_text(writer, material.name);
        ly_writer_string(writer, ", \"doubleSided\": true, \"pbrMetallicRoughness\": "
                                 "{\"metallicFactor\": 0, \"baseColorFactor\": [");
        for (int i = 0; i < 4; ++i) {
            double value = i < 3 ? material.diffuse[i] : material.opacity;
            ly_writer_string(writer, i > 0 ? ", " : "");
            ly_writer_double(writer, value < 0 ? 0 : value > 1 ? 1 : value);
        }
        ly_writer_string(writer, "]}");
        ly_writer_string(writer, material.opacity < 1 ? ", \"alphaMode\": \"BLEND\"}" : "}");
    }
    ly_writer_string(writer, "\n  ],\n");
}

static void write_mesh(const Gltf *gltf, LyWriter *writer)
{
    int64_t corners = gltf->frames + 2;
    bool first = true;
    ly_writer_string(writer, "  \"meshes\": [{\"primitives\": [\n");
    for (int32_t m = 0; m <= gltf->view.material_count; ++m) {
        if (gltf->counts[m] == 0) {
            continue;
        }
        ly_writer_string(writer, first ? "" : ",\n");
        first = false;
        ly_writer_print(writer,
                        "    {\"attributes\": {\"POSITION\": 0}, \"indices\": %lld, "
                        "\"material\": %d",
                        (long long)corners++, m);
        for (int64_t t = 0; t < gltf->targets; ++t) {
            ly_writer_print(writer, "%s{\"POSITION\": %lld}", t > 0 ? ", " : ", \"targets\": [",
                            (long long)(t + 3));
        }
        ly_writer_string(writer, gltf->targets > 0 ? "]}" : "}");
    }
    ly_writer_string(writer, "\n  ]}],\n");
}

static void write_buffers(const Gltf *gltf, LyWriter *writer, const char *binary)
{
    int64_t frame = 12 * gltf->points, times = 4 * gltf->frames;
    int64_t bytes[5] = {frame, times, times * gltf->targets, 12 * (int64_t)gltf->view.face_count,
                        frame * gltf->targets};
    int32_t count = gltf->targets > 0 ? 5 : 4;
    int64_t offset = 0;
    ly_writer_string(writer, "  \"bufferViews\": [\n");
    for (int32_t i = 0; i < count; ++i) {
        ly_writer_print(writer,
                        "    {\"buffer\": 0, \"byteOffset\": %lld, \"byteLength\": %lld%s}%s\n",
                        (long long)offset, (long long)bytes[i],
                        i == 3             ? ", \"target\": 34963"
                        : i == 0 || i == 4 ? ", \"byteStride\": 12, \"target\": 34962"
                                           : "",
                        i + 1 < count ? "," : "");
        offset += bytes[i];
    }
    ly_writer_string(writer, "  ],\n  \"buffers\": [{\"uri\": ");
    write_text(writer, ly_path_name(binary));
    ly_writer_print(writer, ", \"byteLength\": %lld}]\n}\n", (long long)offset);
}

static void write_json(const Gltf *gltf, LyWriter *writer, const char *binary, const double *times)
{
    ly_writer_string(writer, "{\n  \"asset\": {\"version\": \"2.0\", \"generator\": \"Lyra\"},\n"
                             "  \"scene\": 0,\n  \"scenes\": [{\"nodes\": [0]}],\n"
                             "  \"nodes\": [{\"mesh\": 0}],\n");
    if (gltf->targets > 0) {
        ly_writer_string(writer, "  \"animations\": [{\"samplers\": [{\"input\": 1, \"output\": 2, "
                                 "\"interpolation\": \"LINEAR\"}], \"channels\": [{\"sampler\": 0, "
                                 "\"target\": {\"node\": 0, \"path\": \"weights\"}}]}],\n");
    }
    write_materials(gltf, writer);
    write_mesh(gltf, writer);
    write_accessors(gltf, writer, times);
    write_buffers(gltf, writer, binary);
}

// ---- all ----------------------------------------------------------------------------------------

static LyraStatus check_input(const Gltf *gltf, const double *times)
{
    if (gltf->points == 0 || gltf->view.face_count == 0 || gltf->frames < 2) {
        return ly_fail(LYRA_INVALID_ARGUMENT,
                       "glTF: an animation needs points, triangles and two frames, found %lld, %d "
                       "and %lld",
                       (long long)gltf->points, gltf->view.face_count, (long long)gltf->frames);
    }
    for (int64_t k = 1; k < gltf->frames; ++k) {
        if (!((float)(times[k] - times[0]) > (float)(times[k - 1] - times[0]))) {
            return ly_fail(LYRA_INVALID_ARGUMENT,
                           "glTF: times must rise, frame %lld is at %g s after %g s", (long long)k,
                           times[k], times[k - 1]);
        }
    }
    return LYRA_OK;
}

static LyraStatus save_all(Gltf *gltf, const char *path, const char *binary, const double *times)
{
    LyWriter *writers[2] = {NULL, NULL};
    LY_TRY(check_input(gltf, times));
    LY_TRY(ly_allocate_zeroed(gltf->ctx, (int64_t)gltf->view.material_count + 1, sizeof(int32_t),
                              &gltf->counts));
    for (int32_t f = 0; f < gltf->view.face_count; ++f) {
        ++gltf->counts[material_of(gltf, f)];
    }
    LY_TRY(ly_allocate_array(gltf->ctx, 3 * gltf->points, sizeof(float), &gltf->first));
    LY_TRY(ly_allocate_array(gltf->ctx, 3 * gltf->points, sizeof(float), &gltf->frame));
    LY_TRY(ly_allocate_zeroed(gltf->ctx, gltf->frames, sizeof(Box), &gltf->boxes));
    LY_TRY(open_frames(gltf));
    LY_TRY(ly_writer_create(gltf->ctx, binary, &writers[0]));
    LyraStatus status = ly_writer_create(gltf->ctx, path, &writers[1]);
    if (status == LYRA_OK) {
        status = write_binary(gltf, writers[0], times);
    }
    if (status != LYRA_OK) {
        ly_writer_discard(writers[0]);
        ly_writer_discard(writers[1]);
        return status;
    }
    write_json(gltf, writers[1], binary, times);
    return ly_writer_commit_all(writers, 2);
}

LyraStatus lyra_gltf_save_animation(LyraContext *ctx, const char *path, const LyraSurface *surface,
                                    const char *frames_pc2, int64_t frames, const double *times)
{
    LyraSurface *triangles = NULL;
    char *binary = NULL;
    Gltf gltf = {.ctx = ctx, .frames = frames, .targets = frames - 1, .source = frames_pc2};
    LyraStatus status = LYRA_OK;
    LY_TRY_DONE(lyra_surface_triangulate(surface, &triangles));
    LY_TRY_DONE(ly_path_replace_extension(ctx, path, ".bin", &binary));
    gltf.view = lyra_surface_view(triangles);
    gltf.points = gltf.view.vertex_count;
    LY_TRY_DONE(save_all(&gltf, path, binary, times));
done:
    if (gltf.stream) {
        fclose(gltf.stream);
    }
    ly_release(ctx, gltf.first);
    ly_release(ctx, gltf.frame);
    ly_release(ctx, gltf.boxes);
    ly_release(ctx, gltf.counts);
    ly_release(ctx, binary);
    lyra_surface_destroy(triangles);
    return status;
}
