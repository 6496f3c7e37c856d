// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Soups of tets: four corners of three numbers each in a line. Corners at one place are one vertex
// only where the numbers are the same.

#include "mesh/format.h"
#include "mesh/values.h"

static const char what[] = "a coordinate";

LyraStatus ly_soup_read(LyImport *import);
LyraStatus ly_soup_save(const LyExport *data);

LyraStatus ly_soup_read(LyImport *import)
{
    const LyValues values = {.scanner = &import->scanner};
    import->scanner.comment = '#';
    for (int32_t first = import->vertex_first;; first += 4) {
        double *x = NULL;
        int32_t *corners = NULL;
        ly_scanner_skip_space(&import->scanner);
        if (ly_scanner_at_end(&import->scanner)) {
            return LYRA_OK;
        }
        LY_TRY(ly_import_vertices(import, 4, &x, NULL));
        LY_TRY(ly_values_doubles(&values, LY_SCALAR_FLOAT64, 12, x, what));
        LY_TRY(ly_import_cells(import, LY_CELL_TET, 0, 1, &corners));
        for (int32_t k = 0; k < 4; ++k) {
            corners[k] = first + k;
        }
    }
}

LyraStatus ly_soup_save(const LyExport *data)
{
    LyWriter *writer = NULL;
    LY_TRY(ly_writer_create(data->ctx, data->path, &writer));
    for (int64_t c = 0; c < data->cell_count; ++c) {
        const int32_t *corners = ly_export_corners(data, c);
        for (int32_t k = 0; k < 12; ++k) {
            ly_writer_double(writer, data->positions[3 * (int64_t)corners[k / 3] + k % 3]);
            ly_writer_char(writer, k < 11 ? ' ' : '\n');
        }
    }
    return ly_writer_commit(writer);
}
