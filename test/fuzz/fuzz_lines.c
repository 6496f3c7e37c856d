// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Any bytes as lines of OBJ, VTK and Gmsh: a status, or lines whose indices are right.

#include "fuzz_surface.h"
#include "mesh/lines.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const names[] = {"fuzz.obj", "fuzz.vtk", "fuzz.msh"};
    LyraContext *ctx = fuzz_context();
    char *text = fuzz_text(data, size);
    for (int k = 0; k < 3; ++k) {
        LyraLines *lines = NULL;
        if (ly_lines_parse(ctx, names[k], text, size, &lines) == LYRA_OK) {
            LyraLinesView view = lyra_lines_view(lines);
            FUZZ_REQUIRE(view.vertex_count > 1 && view.edge_count > 0);
            for (int32_t i = 0; i < 2 * view.edge_count; ++i) {
                FUZZ_REQUIRE(view.edges[i] >= 0 && view.edges[i] < view.vertex_count);
            }
        }
        lyra_lines_destroy(lines);
    }
    free(text);
    FUZZ_REQUIRE(lyra_context_byte_count(ctx) == 0);
    return 0;
}
