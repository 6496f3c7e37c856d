// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Any bytes as a CSV table: a status, or a table that can be drawn.

#include "fuzz.h"
#include "lyra/plot.h"

#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    LyraContext *ctx = fuzz_context();
    LyraMemoryFile file = {"fuzz.csv", data, size};
    LyraTable *table = NULL;
    if (lyra_table_load_memory(ctx, &file, &table) == LYRA_OK) {
        LyraTableView view = lyra_table_view(table);
        LyraPlotSeries series[4];
        LyraPicture *picture = NULL;
        LyraPlotDef def = lyra_plot_def_default();
        int32_t count = view.column_count < 4 ? view.column_count : 4;
        FUZZ_REQUIRE(count > 0);
        for (int32_t c = 0; c < view.column_count; ++c) {
            FUZZ_REQUIRE(strlen(view.names[c]) <= size + 40);
        }
        for (int32_t s = 0; s < count; ++s) {
            series[s] = (LyraPlotSeries){view.names[s], view.row_count, view.values,
                                         view.values + s * view.row_count};
        }
        def.width = 200;
        def.height = 150;
        def.log_y = size % 2;
        def.title = view.names[0];
        FUZZ_REQUIRE(lyra_plot_draw(ctx, &def, count, series, &picture) == LYRA_OK);
        lyra_picture_destroy(picture);
    } else {
        FUZZ_REQUIRE(!table && lyra_error_message()[0]);
    }
    lyra_table_destroy(table);
    FUZZ_REQUIRE(lyra_context_byte_count(ctx) == 0);
    return 0;
}
