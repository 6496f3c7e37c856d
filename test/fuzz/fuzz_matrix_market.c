// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Matrix Market files from arbitrary bytes.

#include "lyra/matrix_market.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static LyraContext *ctx;
    if (!ctx) {
        LyraContextDef def = lyra_context_def_default();
        def.thread_count = 1;
        if (lyra_context_create(&def, &ctx) != LYRA_OK) {
            abort();
        }
    }
    LyraCsrPattern *pattern = NULL;
    LyraCsrMatrix *matrix = NULL;
    LyraStatus status =
        lyra_matrix_market_read(ctx, "fuzz.mtx", (const char *)data, size, &pattern, &matrix);
    if (status == LYRA_OK) {
        // what was read is a sound matrix
        LyraCsrPatternView view = lyra_csr_pattern_view(pattern);
        const double *values = lyra_csr_matrix_values(matrix);
        for (int32_t i = 0; i < view.row_count; ++i) {
            for (int64_t k = view.row_start[i]; k < view.row_start[i + 1]; ++k) {
                bool ascends = k == view.row_start[i] || view.column[k - 1] < view.column[k];
                int32_t first = view.storage == LYRA_STORAGE_UPPER ? i : 0;
                if (!ascends || view.column[k] < first || view.column[k] >= view.column_count ||
                    values[k] != values[k]) {
                    abort();
                }
            }
        }
    } else if (pattern || matrix || lyra_error_message()[0] == 0) {
        abort();
    }
    lyra_csr_matrix_destroy(matrix);
    lyra_csr_pattern_destroy(pattern);
    if (lyra_context_byte_count(ctx) != 0) {
        abort();
    }
    return 0;
}
