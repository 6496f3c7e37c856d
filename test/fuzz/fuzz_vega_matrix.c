// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Vega's binary matrices and lists of them from arbitrary bytes.

#include "fuzz.h"
#include "math/matrix_file.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    LyraContext *ctx = fuzz_context();
    LyraDense *matrix = NULL;
    LyraDenseList *list = NULL;
    LyraStatus one = ly_dense_parse_vega(ctx, (const char *)data, size, &matrix);
    LyraStatus all = ly_dense_list_parse_vega(ctx, (const char *)data, size, &list);
    // what is one matrix is also a list of one
    FUZZ_REQUIRE((one == LYRA_OK) == (matrix != NULL) && (all == LYRA_OK) == (list != NULL));
    FUZZ_REQUIRE(!matrix || (list && lyra_dense_list_count(list) == 1));
    for (int32_t i = 0; list && i < lyra_dense_list_count(list); ++i) {
        // touch the last number
        LyraDenseView view = lyra_dense_list_view(list, i);
        int64_t count = (int64_t)view.rows * view.columns;
        volatile double last = count > 0 ? view.values[count - 1] : 0;
        (void)last;
    }
    lyra_dense_destroy(matrix);
    lyra_dense_list_destroy(list);
    FUZZ_REQUIRE(lyra_context_byte_count(ctx) == 0);
    return 0;
}
