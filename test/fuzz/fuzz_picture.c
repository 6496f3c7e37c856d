// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Any bytes as a picture: a status, or a picture within its limits.

#include "fuzz.h"
#include "lyra/picture.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    LyraContext *ctx = fuzz_context();
    LyraMemoryFile file = {"fuzz", data, size};
    LyraPicture *picture = NULL;
    if (lyra_picture_load_memory(ctx, &file, &picture) == LYRA_OK) {
        LyraPictureView view = lyra_picture_view(picture);
        int64_t pixels = (int64_t)view.width * view.height;
        FUZZ_REQUIRE(view.width > 0 && view.height > 0 && pixels <= LYRA_PICTURE_PIXELS_MAX);
        // every byte was written: the sum is a number that a sanitizer has seen
        uint64_t sum = 0;
        for (int64_t i = 0; i < 4 * pixels; ++i) {
            sum += view.pixels[i];
        }
        FUZZ_REQUIRE(sum <= 255 * 4 * (uint64_t)pixels);
    } else {
        FUZZ_REQUIRE(!picture && lyra_error_message()[0]);
    }
    lyra_picture_destroy(picture);
    FUZZ_REQUIRE(lyra_context_byte_count(ctx) == 0);
    return 0;
}
