// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Files that grow frame by frame: a head of fixed length with the number of frames in it, then the
// frames. A frame is written behind the last one before the head counts it, so that whoever reads
// the file, also after the program was killed, finds whole frames only.

#include "io/series.h"

#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { NPY_HEAD = 128, NPY_TEXT = 10, PC2_HEAD = LY_PC2_HEAD, VEGA_HEAD = 8, VEGA_COLUMNS = 4 };

struct LyraSeries {
    LyraContext *ctx;
    LyraSeriesDef def;
    char *path;
    int file;
    int64_t frames;
    int64_t numbers;     // in a frame
    int64_t head_bytes;  // before the first frame
    int64_t frame_bytes; // of a frame in the file
    float *floats;       // [numbers], of PC2
};

// ---- heads --------------------------------------------------------------------------------------

static void put_u32(unsigned char *at, uint32_t value)
{
    for (int i = 0; i < 4; ++i) {
        at[i] = (unsigned char)(value >> (8 * i));
    }
}

static void put_float(unsigned char *at, double value)
{
    float narrow = (float)value;
    uint32_t bits;
    memcpy(&bits, &narrow, sizeof bits);
    put_u32(at, bits);
}

static void make_npy_head(const LyraSeriesDef *def, int64_t frames, unsigned char head[NPY_HEAD])
{
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    const char *type = ">f8";
#else
    const char *type = "<f8";
#endif
    char shape[64] = "", text[NPY_HEAD - NPY_TEXT + 1];
    if (def->dimensions == 1) {
        snprintf(shape, sizeof shape, " %lld", (long long)def->shape[0]);
    } else if (def->dimensions == 2) {
        snprintf(shape, sizeof shape, " %lld, %lld", (long long)def->shape[0],
                 (long long)def->shape[1]);
    }
    int length =
        snprintf(text, sizeof text, "{'descr': '%s', 'fortran_order': False, 'shape': (%lld,%s), }",
                 type, (long long)frames, shape);
    memset(head, ' ', NPY_HEAD);
    memcpy(head, "\x93NUMPY\x01\x00", 8);
    head[8] = NPY_HEAD - NPY_TEXT;
    head[9] = 0;
    memcpy(head + NPY_TEXT, text, (size_t)length);
    head[NPY_HEAD - 1] = '\n';
}

static void make_pc2_head(const LyraSeriesDef *def, int64_t frames, unsigned char head[PC2_HEAD])
{
    memcpy(head, "POINTCACHE2", 12);
    put_u32(head + 12, 1);
    put_u32(head + LY_PC2_POINTS, (uint32_t)def->shape[0]);
    put_float(head + 20, def->start_frame);
    put_float(head + 24, def->per_frame);
    put_u32(head + LY_PC2_SAMPLES, (uint32_t)frames);
}

static void make_head(const LyraSeries *series, int64_t frames, unsigned char head[NPY_HEAD])
{
    switch (series->def.format) {
    case LYRA_SERIES_PC2:
        make_pc2_head(&series->def, frames, head);
        break;
    case LYRA_SERIES_VEGA:
        // rows and columns in the byte order of the machine, as its doubles
        memcpy(head, &(int32_t){(int32_t)series->numbers}, sizeof(int32_t));
        memcpy(head + VEGA_COLUMNS, &(int32_t){(int32_t)frames}, sizeof(int32_t));
        break;
    default:
        make_npy_head(&series->def, frames, head);
        break;
    }
}

/// The number of frames that a head states, -1 where none can be read.
static int64_t read_frames(const LyraSeries *series, const unsigned char head[NPY_HEAD])
{
    int64_t frames = 0;
    if (series->def.format == LYRA_SERIES_PC2) {
        for (int i = 3; i >= 0; --i) {
            frames = 256 * frames + head[LY_PC2_SAMPLES + i];
        }
        return frames;
    }
    if (series->def.format == LYRA_SERIES_VEGA) {
        int32_t columns;
        memcpy(&columns, head + VEGA_COLUMNS, sizeof columns);
        return columns;
    }
    char text[NPY_HEAD + 1];
    memcpy(text, head, NPY_HEAD);
    text[NPY_HEAD] = '\0';
    const char *at = strstr(text + NPY_TEXT, "'shape': (");
    if (!at) {
        return -1;
    }
    at += strlen("'shape': (");
    int digits = 0;
    for (; *at >= '0' && *at <= '9' && digits < 18; ++at, ++digits) {
        frames = 10 * frames + (*at - '0');
    }
    return digits > 0 ? frames : -1;
}

// ---- bytes --------------------------------------------------------------------------------------

static LyraStatus write_at(LyraSeries *series, const void *bytes, int64_t count, int64_t offset)
{
    const char *at = bytes;
    while (count > 0) {
        ssize_t written = pwrite(series->file, at, (size_t)count, (off_t)offset);
        if (written < 0 && errno == EINTR) {
            continue;
        }
        if (written <= 0) {
            return ly_fail_system("write", series->path, written < 0 ? errno : ENOSPC);
        }
        at += written;
        offset += written;
        count -= written;
    }
    return LYRA_OK;
}

static LyraStatus write_head(LyraSeries *series, int64_t frames)
{
    unsigned char head[NPY_HEAD];
    make_head(series, frames, head);
    return write_at(series, head, series->head_bytes, 0);
}

// ---- life ---------------------------------------------------------------------------------------

LyraSeriesDef lyra_series_def_default(void)
{
    return (LyraSeriesDef){.dimensions = 2, .keep = -1, .per_frame = 1, .cookie = LY_DEF_COOKIE};
}

static LyraStatus check_def(const LyraSeriesDef *def, int64_t *numbers)
{
    if ((int)def->format < 0 || def->format >= LYRA_SERIES_COUNT || def->dimensions < 0 ||
        def->dimensions > 2) {
        return ly_fail(LYRA_INVALID_ARGUMENT, "series: no format %d with %d dimensions",
                       (int)def->format, def->dimensions);
    }
    if (def->format == LYRA_SERIES_PC2 && (def->dimensions != 2 || def->shape[1] != 3)) {
        return ly_fail(LYRA_INVALID_ARGUMENT, "series: PC2 has frames of shape (n, 3)");
    }
    *numbers = 1;
    for (int32_t d = 0; d < def->dimensions; ++d) {
        if (def->shape[d] < 0 || def->shape[d] > INT32_MAX) {
            return ly_fail(LYRA_INVALID_ARGUMENT, "series: %lld is no size of a frame",
                           (long long)def->shape[d]);
        }
        *numbers *= def->shape[d];
    }
    if (def->format == LYRA_SERIES_VEGA && *numbers > INT32_MAX) {
        return ly_fail(LYRA_INVALID_ARGUMENT, "series: %lld rows are too many for Vega's matrices",
                       (long long)*numbers);
    }
    return LYRA_OK;
}

/// Checks an existing file against the def and cuts it after the frames to keep.
static LyraStatus resume(LyraSeries *series)
{
    unsigned char head[NPY_HEAD] = {0}, expected[NPY_HEAD] = {0};
    struct stat info;
    if (fstat(series->file, &info) != 0) {
        return ly_fail_system("read", series->path, errno);
    }
    ssize_t count = pread(series->file, head, (size_t)series->head_bytes, 0);
    int64_t frames = count == series->head_bytes ? read_frames(series, head) : -1;
    if (frames >= 0) {
        make_head(series, frames, expected);
    }
    if (frames < 0 || memcmp(head, expected, (size_t)series->head_bytes) != 0) {
        return ly_fail(LYRA_BAD_FORMAT, "%s: the head is not that of the series to go on with",
                       series->path);
    }
    int64_t keep = series->def.keep, there = (int64_t)info.st_size;
    if (frames < keep || there < series->head_bytes + keep * series->frame_bytes) {
        return ly_fail(LYRA_BAD_FORMAT, "%s: holds %lld frames, expected at least %lld",
                       series->path, (long long)frames, (long long)keep);
    }
    LY_TRY(write_head(series, keep));
    if (ftruncate(series->file, (off_t)(series->head_bytes + keep * series->frame_bytes)) != 0) {
        return ly_fail_system("write", series->path, errno);
    }
    series->frames = keep;
    return LYRA_OK;
}

LyraStatus lyra_series_create(LyraContext *ctx, const char *path, const LyraSeriesDef *def,
                              LyraSeries **out)
{
    LY_CHECK_DEF(def, "lyra_series_def_default");
    LyraSeries *series = NULL;
    LyraStatus status = LYRA_OK;
    int64_t numbers = 0;
    LY_TRY(check_def(def, &numbers));
    LY_TRY(ly_allocate_zeroed(ctx, 1, sizeof *series, &series));
    bool floats = def->format == LYRA_SERIES_PC2;
    series->ctx = ctx;
    series->def = *def;
    series->file = -1;
    series->numbers = numbers;
    static const int64_t heads[LYRA_SERIES_COUNT] = {
        [LYRA_SERIES_NPY] = NPY_HEAD, [LYRA_SERIES_PC2] = PC2_HEAD, [LYRA_SERIES_VEGA] = VEGA_HEAD};
    series->head_bytes = heads[def->format];
    series->frame_bytes = (floats ? 4 : 8) * numbers;
    LY_TRY_DONE(ly_string_copy(ctx, path, strlen(path), &series->path));
    if (floats) {
        LY_TRY_DONE(ly_allocate_array(ctx, numbers, sizeof *series->floats, &series->floats));
    }
    int flags = O_RDWR | O_CLOEXEC | (def->keep >= 0 ? 0 : O_CREAT | O_TRUNC);
    do {
        series->file = open(path, flags, 0666);
    } while (series->file < 0 && errno == EINTR);
    if (series->file < 0) {
        status = ly_fail_system("write", path, errno);
        goto done;
    }
    LY_TRY_DONE(def->keep >= 0 ? resume(series) : write_head(series, 0));
    *out = series;
    return LYRA_OK;
done:
    lyra_series_destroy(series);
    return status;
}

void lyra_series_destroy(LyraSeries *series)
{
    if (!series) {
        return;
    }
    if (series->file >= 0) {
        close(series->file);
    }
    ly_release(series->ctx, series->floats);
    ly_release(series->ctx, series->path);
    ly_release(series->ctx, series);
}

// ---- frames -------------------------------------------------------------------------------------

LyraStatus lyra_series_append(LyraSeries *series, const double *values)
{
    const void *bytes = values;
    if (series->floats) {
        for (int64_t i = 0; i < series->numbers; ++i) {
            put_float((unsigned char *)(series->floats + i), values[i]);
        }
        bytes = series->floats;
    }
    if (series->def.format != LYRA_SERIES_NPY && series->frames == INT32_MAX) {
        return ly_fail(LYRA_TOO_LARGE, "%s: its format holds no more than %d frames", series->path,
                       INT32_MAX);
    }
    int64_t offset = series->head_bytes + series->frames * series->frame_bytes;
    LY_TRY(write_at(series, bytes, series->frame_bytes, offset));
    LY_TRY(write_head(series, series->frames + 1));
    ++series->frames;
    return LYRA_OK;
}

int64_t lyra_series_frames(const LyraSeries *series)
{
    return series->frames;
}

LyraStatus lyra_series_sync(LyraSeries *series)
{
    if (fsync(series->file) != 0 && errno != EINVAL && errno != EROFS) {
        return ly_fail_system("write", series->path, errno);
    }
    return LYRA_OK;
}
