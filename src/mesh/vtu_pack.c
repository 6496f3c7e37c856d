// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Compressed arrays of .vtu files: cut into blocks, each compressed by zlib on its own, behind a
// head of numbers of 4 or 8 bytes:
//
//     blocks, bytes of a block, bytes of the last one (0: it is a whole one), packed bytes of each
//
// zlib makes at most about 1032 bytes of one, so a head that asks for more is not believed.

#include "mesh/vtu.h"

#include "config.h"

#include <string.h>

#define BLOCK_BYTES ((size_t)1 << 20)
#define RATIO_MAX 1100

static uint64_t head_number(const LyVtuFile *file, LySlice bytes, uint64_t index)
{
    int32_t size = file->header_64 ? 8 : 4;
    return ly_bytes_load(bytes.text + index * (uint64_t)size, size, file->big_endian);
}

uint64_t ly_vtu_packed_bytes(const LyVtuFile *file, LySlice start)
{
    uint64_t size = file->header_64 ? 8 : 4;
    if (start.length < 3 * size) {
        return 3 * size;
    }
    uint64_t blocks = head_number(file, start, 0);
    if (blocks > UINT32_MAX) {
        return UINT64_MAX;
    }
    uint64_t head = (3 + blocks) * size, total = head;
    if (start.length < head) {
        return head;
    }
    for (uint64_t b = 0; b < blocks; ++b) {
        uint64_t packed = head_number(file, start, 3 + b);
        total = packed > UINT64_MAX / 4 - total ? UINT64_MAX / 4 : total + packed;
    }
    return total;
}

#if LY_HAVE_ZLIB
#include <zlib.h>

static LyraStatus fail_head(const LyVtuFile *file, const LyVtuArray *array)
{
    return ly_vtu_fail(file, array, LYRA_BAD_FORMAT,
                       "found a head of compressed data that does not fit it, expected one that "
                       "does");
}

LyraStatus ly_vtu_unpack(const LyVtuFile *file, const LyVtuArray *array, LySlice packed, char **out,
                         size_t *length)
{
    uint64_t size = file->header_64 ? 8 : 4;
    if (packed.length < 3 * size) {
        // an empty array may have no more than a zero
        *length = 0;
        return packed.length >= size && head_number(file, packed, 0) == 0 ? LYRA_OK
                                                                          : fail_head(file, array);
    }
    uint64_t blocks = head_number(file, packed, 0), block = head_number(file, packed, 1);
    uint64_t last = head_number(file, packed, 2), needed = ly_vtu_packed_bytes(file, packed);
    if (needed > packed.length || block > UINT64_MAX / RATIO_MAX || last > block) {
        return fail_head(file, array);
    }
    last = blocks == 0 ? 0 : last == 0 ? block : last;
    // what the packed bytes cannot hold is not made room for
    uint64_t most = RATIO_MAX * (uint64_t)packed.length;
    uint64_t whole = blocks > 0 ? blocks - 1 : 0;
    if (last > most || (whole > 0 && (block > most || whole > most / (block > 0 ? block : 1))) ||
        whole * block + last > most) {
        return fail_head(file, array);
    }
    uint64_t total = blocks > 0 ? whole * block + last : 0;
    char *bytes = NULL;
    LY_TRY(ly_allocate_array(file->ctx, (int64_t)total, 1, &bytes));
    const char *at = packed.text + (3 + blocks) * size;
    for (uint64_t b = 0; b < blocks; ++b) {
        uint64_t from = head_number(file, packed, 3 + b), expected = b + 1 < blocks ? block : last;
        uLongf made = (uLongf)expected;
        if (uncompress((Bytef *)bytes + b * block, &made, (const Bytef *)at, (uLong)from) != Z_OK ||
            made != expected) {
            ly_release(file->ctx, bytes);
            return ly_vtu_fail(file, array, LYRA_BAD_FORMAT,
                               "found a damaged block %llu of compressed data, expected %llu bytes",
                               (unsigned long long)b, (unsigned long long)expected);
        }
        at += from;
    }
    *out = bytes;
    *length = (size_t)total;
    return LYRA_OK;
}

LyraStatus ly_vtu_pack(LyraContext *ctx, const char *path, LySlice bytes, char **out,
                       size_t *length)
{
    uint64_t blocks = (bytes.length + BLOCK_BYTES - 1) / BLOCK_BYTES;
    size_t head = (size_t)(3 + blocks) * sizeof(uint64_t), used = head;
    size_t bound = (size_t)compressBound(BLOCK_BYTES);
    char *packed = NULL;
    LY_TRY(ly_allocate_array(ctx, (int64_t)(head + blocks * bound), 1, &packed));
    uint64_t numbers[3] = {blocks, BLOCK_BYTES, bytes.length % BLOCK_BYTES};
    memcpy(packed, numbers, sizeof numbers);
    for (uint64_t b = 0; b < blocks; ++b) {
        size_t begin = (size_t)b * BLOCK_BYTES, left = bytes.length - begin;
        uLongf made = (uLongf)bound;
        if (compress2((Bytef *)packed + used, &made, (const Bytef *)bytes.text + begin,
                      (uLong)(left < BLOCK_BYTES ? left : BLOCK_BYTES),
                      Z_DEFAULT_COMPRESSION) != Z_OK) {
            ly_release(ctx, packed);
            return ly_fail(LYRA_OUT_OF_MEMORY, "%s: zlib has no memory to compress", path);
        }
        uint64_t size = made;
        memcpy(packed + (3 + b) * sizeof size, &size, sizeof size);
        used += (size_t)made;
    }
    *out = packed;
    *length = used;
    return LYRA_OK;
}

#else

LyraStatus ly_vtu_unpack(const LyVtuFile *file, const LyVtuArray *array, LySlice packed, char **out,
                         size_t *length)
{
    (void)packed;
    (void)out;
    (void)length;
    return ly_vtu_fail(file, array, LYRA_UNSUPPORTED,
                       "found compressed data, which this build does not read, as it has no zlib");
}

LyraStatus ly_vtu_pack(LyraContext *ctx, const char *path, LySlice bytes, char **out,
                       size_t *length)
{
    (void)ctx;
    (void)bytes;
    (void)out;
    (void)length;
    return ly_fail(LYRA_UNSUPPORTED, "%s: this build writes no compressed data, as it has no zlib",
                   path);
}

#endif
