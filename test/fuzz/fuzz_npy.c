// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// .npy files from arbitrary bytes.

#include "math/matrix_file.h"

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
    LyraDense *matrix = NULL;
    if (ly_dense_parse_npy(ctx, (const char *)data, size, &matrix) == LYRA_OK) {
        // touch the last number
        LyraDenseView view = lyra_dense_view(matrix);
        int64_t count = (int64_t)view.rows * view.columns;
        volatile double last = count > 0 ? view.values[count - 1] : 0;
        (void)last;
    } else if (matrix || lyra_error_message()[0] == 0) {
        abort();
    }
    lyra_dense_destroy(matrix);
    if (lyra_context_byte_count(ctx) != 0) {
        abort();
    }
    return 0;
}
