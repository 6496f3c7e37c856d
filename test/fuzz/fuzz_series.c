// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Series of frames from arbitrary bytes: the first chooses the format (NPY, PC2, Vega's matrix) and
// how many frames to keep. A file that is taken grows by a frame; one that is not stays as it was.
// A PC2 file is then made an animation.

#include "fuzz.h"
#include "lyra/output.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { POINTS = 3 };

static char folder[] = "/tmp/lyra-fuzz-XXXXXX";

static void clean_up(void)
{
    static const char *const names[] = {"fuzz", "fuzz.gltf", "fuzz.bin"};
    for (int i = 0; i < 3; ++i) {
        char path[256];
        snprintf(path, sizeof path, "%s/%s", folder, names[i]);
        unlink(path);
    }
    rmdir(folder);
}

static void write_file(const char *path, const uint8_t *data, size_t size)
{
    FILE *file = fopen(path, "wb");
    FUZZ_REQUIRE(file && fwrite(data, 1, size, file) == size && fclose(file) == 0);
}

static bool is_unchanged(const char *path, const uint8_t *data, size_t size)
{
    FILE *file = fopen(path, "rb");
    char *found = malloc(size + 1);
    FUZZ_REQUIRE(file && found);
    bool same = fread(found, 1, size + 1, file) == size && memcmp(found, data, size) == 0;
    fclose(file);
    free(found);
    return same;
}

static void animate(LyraContext *ctx, const char *path, int64_t frames)
{
    static const double positions[3 * POINTS] = {0, 0, 0, 1, 0, 0, 0, 1, 0};
    static const int32_t begin[2] = {0, 3}, corners[3] = {0, 1, 2};
    const double times[4] = {0, 1, 2, 3};
    LyraSurfaceView triangle = {.vertex_count = POINTS,
                                .face_count = 1,
                                .corner_count = 3,
                                .positions = positions,
                                .face_begin = begin,
                                .corner_vertices = corners};
    LyraSurface *surface = NULL;
    char out[256];
    snprintf(out, sizeof out, "%s/fuzz.gltf", folder);
    FUZZ_REQUIRE(lyra_surface_create(ctx, &triangle, &surface) == LYRA_OK);
    FUZZ_REQUIRE(lyra_gltf_save_animation(ctx, out, surface, path, frames, times) == LYRA_OK ||
                 lyra_error_message()[0]);
    lyra_surface_destroy(surface);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static bool made;
    LyraContext *ctx = fuzz_context();
    if (size < 1) {
        return 0;
    }
    if (!made) {
        FUZZ_REQUIRE(mkdtemp(folder) && atexit(clean_up) == 0);
        made = true;
    }
    char path[256];
    snprintf(path, sizeof path, "%s/fuzz", folder);
    write_file(path, data + 1, size - 1);
    LyraSeriesDef def = lyra_series_def_default();
    LyraSeries *series = NULL;
    def.format = (LyraSeriesFormat)(data[0] % LYRA_SERIES_COUNT);
    def.shape[0] = POINTS;
    def.shape[1] = 3;
    def.keep = data[0] / LYRA_SERIES_COUNT % 5;
    if (lyra_series_create(ctx, path, &def, &series) == LYRA_OK) {
        const double frame[3 * POINTS] = {1, 2, 3};
        FUZZ_REQUIRE(lyra_series_append(series, frame) == LYRA_OK);
        FUZZ_REQUIRE(lyra_series_frames(series) == def.keep + 1);
    } else {
        FUZZ_REQUIRE(!series && lyra_error_message()[0]);
        FUZZ_REQUIRE(is_unchanged(path, data + 1, size - 1));
    }
    lyra_series_destroy(series);
    if (def.format == LYRA_SERIES_PC2) {
        animate(ctx, path, 2 + data[0] % 3);
    }
    FUZZ_REQUIRE(lyra_context_byte_count(ctx) == 0);
    return 0;
}
