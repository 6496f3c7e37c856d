// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Any bytes as a .node file and, behind a byte 0xff, an .ele file.

#include "fuzz_mesh.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    size_t first = fuzz_split(data, size);
    size_t second = size - first - (first < size);
    const LyraMemoryFile files[] = {
        {"a.node", data, first},
        {"a.ele", data + size - second, second},
    };
    fuzz_mesh(files, 2, LYRA_MESH_FORMAT_TETGEN);
    return 0;
}
