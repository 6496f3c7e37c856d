// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// ParaView's list of files over time.

#include "lyra/output.h"

#include "base/file.h"

static void write_escaped(LyWriter *writer, const char *text)
{
    for (; *text; ++text) {
        switch (*text) {
        case '&':
            ly_writer_string(writer, "&amp;");
            break;
        case '<':
            ly_writer_string(writer, "&lt;");
            break;
        case '>':
            ly_writer_string(writer, "&gt;");
            break;
        case '"':
            ly_writer_string(writer, "&quot;");
            break;
        default:
            ly_writer_char(writer, *text);
            break;
        }
    }
}

LyraStatus lyra_pvd_save(LyraContext *ctx, const char *path, int32_t count,
                         const LyraPvdEntry *entries)
{
    LyWriter *writer = NULL;
    LY_TRY(ly_writer_create(ctx, path, &writer));
    ly_writer_string(writer,
                     "<?xml version=\"1.0\"?>\n<VTKFile type=\"Collection\" version=\"0.1\">"
                     "\n<Collection>\n");
    for (int32_t i = 0; i < count; ++i) {
        ly_writer_string(writer, "<DataSet timestep=\"");
        ly_writer_double(writer, entries[i].time);
        ly_writer_string(writer, "\" part=\"0\" file=\"");
        write_escaped(writer, entries[i].file);
        ly_writer_string(writer, "\"/>\n");
    }
    ly_writer_string(writer, "</Collection>\n</VTKFile>\n");
    return ly_writer_commit(writer);
}
