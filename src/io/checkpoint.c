// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Checkpoints: "LYRACKPT", version, length of the note, length of the state, checksum of all that
// and of the note (FNV-1a, 64 bits), each of eight bytes in the byte order of the machine; then the
// note and the packed state, which has a checksum of its own.

#include "io/checkpoint.h"

#include "base/file.h"

#include <string.h>

#define VERSION 1

typedef struct Head {
    char magic[8];
    uint64_t version, note_length, state_length, checksum;
} Head;

static uint64_t add_bytes(uint64_t sum, const void *bytes, size_t count)
{
    const unsigned char *at = bytes;
    for (size_t i = 0; i < count; ++i) {
        sum = (sum ^ at[i]) * 0x100000001b3u;
    }
    return sum;
}

static uint64_t find_checksum(const Head *head, const void *note, size_t note_length)
{
    uint64_t sum = add_bytes(0xcbf29ce484222325u, head, offsetof(Head, checksum));
    return add_bytes(sum, note, note_length);
}

LyraStatus lyra_checkpoint_save(LyraContext *ctx, const char *path, const LyraState *state,
                                const void *note, size_t note_length)
{
    Head head = {.magic = "LYRACKP", .version = VERSION, .note_length = note_length};
    LyWriter *writer = NULL;
    char *packed = NULL;
    size_t bytes = lyra_state_packed_size(state);
    LY_TRY(ly_allocate_array(ctx, (int64_t)bytes, 1, &packed));
    lyra_state_pack(state, packed);
    head.state_length = bytes;
    head.checksum = find_checksum(&head, note, note_length);
    LyraStatus status = ly_writer_create(ctx, path, &writer);
    if (status == LYRA_OK) {
        ly_writer_sync(writer);
        ly_writer_bytes(writer, &head, sizeof head);
        ly_writer_bytes(writer, note, note_length);
        ly_writer_bytes(writer, packed, bytes);
        status = ly_writer_commit(writer);
    }
    ly_release(ctx, packed);
    return status;
}

static LyraStatus check_file(const char *path, const char *text, size_t length, Head *head)
{
    if (length < sizeof *head || memcmp(text, "LYRACKP", sizeof head->magic) != 0) {
        return ly_fail(LYRA_BAD_FORMAT, "%s: not a checkpoint", path);
    }
    memcpy(head, text, sizeof *head);
    if (head->version != VERSION) {
        return ly_fail(LYRA_BAD_FORMAT, "%s: checkpoint of version %llu, expected %d", path,
                       (unsigned long long)head->version, VERSION);
    }
    size_t rest = length - sizeof *head;
    if (head->note_length > rest || head->state_length != rest - head->note_length) {
        return ly_fail(LYRA_BAD_FORMAT, "%s: checkpoint cut off or too long", path);
    }
    if (find_checksum(head, text + sizeof *head, (size_t)head->note_length) != head->checksum) {
        return ly_fail(LYRA_BAD_FORMAT, "%s: checkpoint damaged, its checksum does not fit", path);
    }
    return LYRA_OK;
}

LyraStatus ly_checkpoint_parse(LyraContext *ctx, const char *path, const char *text, size_t length,
                               LyraState *state, char **note, size_t *note_length)
{
    char *copy = NULL;
    Head head;
    LyraStatus status = LYRA_OK;
    LY_TRY(check_file(path, text, length, &head));
    LY_TRY(ly_string_copy(ctx, text + sizeof head, (size_t)head.note_length, &copy));
    if (state) {
        const char *packed = text + sizeof head + head.note_length;
        LY_TRY_DONE(lyra_state_unpack(state, packed, (size_t)head.state_length));
    }
    *note = copy;
    *note_length = (size_t)head.note_length;
    copy = NULL;
done:
    ly_release(ctx, copy);
    return status;
}

LyraStatus lyra_checkpoint_load(LyraContext *ctx, const char *path, LyraState *state, char **note,
                                size_t *note_length)
{
    char *text = NULL;
    size_t length;
    LY_TRY(ly_file_read(ctx, path, &text, &length));
    LyraStatus status = ly_checkpoint_parse(ctx, path, text, length, state, note, note_length);
    ly_release(ctx, text);
    return status;
}

void lyra_checkpoint_note_release(LyraContext *ctx, char *note)
{
    ly_release(ctx, note);
}
