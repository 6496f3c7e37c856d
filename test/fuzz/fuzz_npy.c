// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// .npy files from arbitrary bytes.

#include "fuzz.h"
#include "math/matrix_file.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    LyraContext *ctx = fuzz_context();
    LyraDense *matrix = NULL;
    LyraStatus status = ly_dense_parse_npy(ctx, (const char *)data, size, &matrix);
    FUZZ_REQUIRE((status == LYRA_OK) == (matrix != NULL));
    if (matrix) {
        // touch the last number
        LyraDenseView view = lyra_dense_view(matrix);
        int64_t count = (int64_t)view.rows * view.columns;
        volatile double last = count > 0 ? view.values[count - 1] : 0;
        (void)last;
    } else {
        FUZZ_REQUIRE(lyra_error_message()[0] != '\0');
    }
    lyra_dense_destroy(matrix);
    FUZZ_REQUIRE(lyra_context_byte_count(ctx) == 0);
    return 0;
}
