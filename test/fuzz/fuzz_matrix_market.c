// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Matrix Market files from arbitrary bytes.

#include "fuzz.h"
#include "lyra/matrix_market.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    LyraContext *ctx = fuzz_context();
    LyraCsrPattern *pattern = NULL;
    LyraCsrMatrix *matrix = NULL;
    LyraStatus status =
        lyra_matrix_market_read(ctx, "fuzz.mtx", (const char *)data, size, &pattern, &matrix);
    FUZZ_REQUIRE((status == LYRA_OK) == (matrix != NULL) && !matrix == !pattern);
    if (matrix) {
        // what was read is a sound matrix
        LyraCsrPatternView view = lyra_csr_pattern_view(pattern);
        const double *values = lyra_csr_matrix_values(matrix);
        for (int32_t i = 0; i < view.row_count; ++i) {
            for (int64_t k = view.row_start[i]; k < view.row_start[i + 1]; ++k) {
                bool ascends = k == view.row_start[i] || view.column[k - 1] < view.column[k];
                int32_t first = view.storage == LYRA_STORAGE_UPPER ? i : 0;
                FUZZ_REQUIRE(ascends && view.column[k] >= first &&
                             view.column[k] < view.column_count && values[k] == values[k]);
            }
        }
    } else {
        FUZZ_REQUIRE(lyra_error_message()[0] != '\0');
    }
    lyra_csr_matrix_destroy(matrix);
    lyra_csr_pattern_destroy(pattern);
    FUZZ_REQUIRE(lyra_context_byte_count(ctx) == 0);
    return 0;
}
