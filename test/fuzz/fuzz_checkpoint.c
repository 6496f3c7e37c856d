// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Checkpoints from arbitrary bytes: refused, with the state as before, or read whole. No mutation
// meets the two checksums, so where the first byte is odd both are set right, and what lies behind
// them is reached.

#include "fuzz.h"
#include "io/checkpoint.h"

#include <string.h>

enum { HEAD = 40, NOTE_LENGTH = 16, STATE_LENGTH = 24, CHECKSUM = 32, WORDS = 24, UNKNOWNS = 6 };
enum { VERSION = 8 };

static void seal_state(char *state, uint64_t length)
{
    uint64_t words = length / 8, sum = 0xcbf29ce484222325u;
    if (words < 6) {
        return;
    }
    memcpy(state + WORDS, &words, 8);
    for (uint64_t i = 0; i + 1 < words; ++i) {
        uint64_t word;
        memcpy(&word, state + 8 * i, 8);
        sum = (sum ^ word) * 0x9e3779b97f4a7c15u;
        sum ^= sum >> 32;
    }
    memcpy(state + 8 * (words - 1), &sum, 8);
}

static void seal(char *text, size_t size)
{
    uint64_t note, sum = 0xcbf29ce484222325u;
    if (size < HEAD) {
        return;
    }
    memcpy(&note, text + NOTE_LENGTH, 8);
    note = note <= size - HEAD ? note : 0;
    uint64_t state = size - HEAD - note;
    memcpy(text + NOTE_LENGTH, &note, 8);
    memcpy(text + STATE_LENGTH, &state, 8);
    for (size_t i = 0; i < HEAD + note; ++i) {
        sum = i >= CHECKSUM && i < HEAD ? sum : (sum ^ (unsigned char)text[i]) * 0x100000001b3u;
    }
    memcpy(text + CHECKSUM, &sum, 8);
    seal_state(text + HEAD + note, state);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    LyraContext *ctx = fuzz_context();
    if (size < 1) {
        return 0;
    }
    char *text = malloc(size), *note = NULL;
    LyraState *state = NULL, *copy = NULL;
    size_t length = 0;
    FUZZ_REQUIRE(text && lyra_state_create(ctx, UNKNOWNS, &state) == LYRA_OK);
    FUZZ_REQUIRE(lyra_state_copy(state, &copy) == LYRA_OK);
    memcpy(text, data + 1, size - 1);
    if (data[0] % 2 == 1) {
        seal(text, size - 1);
    }
    if (ly_checkpoint_parse(ctx, "fuzz", text, size - 1, state, &note, &length) == LYRA_OK) {
        FUZZ_REQUIRE(note && note[length] == '\0' && length < size);
        // what was read is packed to the same bytes, if they were of this version, and read again
        uint32_t version;
        size_t packed = lyra_state_packed_size(state);
        char *again = malloc(packed);
        memcpy(&version, text + HEAD + length + VERSION, sizeof version);
        FUZZ_REQUIRE(again && (version < 3 || packed == size - 1 - HEAD - length));
        lyra_state_pack(state, again);
        FUZZ_REQUIRE(version < 3 || memcmp(again, text + HEAD + length, packed) == 0);
        FUZZ_REQUIRE(lyra_state_unpack(copy, again, packed) == LYRA_OK);
        FUZZ_REQUIRE(lyra_state_equal(state, copy));
        free(again);
    } else {
        FUZZ_REQUIRE(!note && lyra_error_message()[0] && lyra_state_equal(state, copy));
    }
    lyra_checkpoint_note_release(ctx, note);
    lyra_state_destroy(state);
    lyra_state_destroy(copy);
    free(text);
    FUZZ_REQUIRE(lyra_context_byte_count(ctx) == 0);
    return 0;
}
