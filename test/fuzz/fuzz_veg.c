// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Any bytes as a .veg file. A byte 0xff starts a second file, which the first one may include as
// "b".

#include "fuzz_mesh.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    size_t first = fuzz_split(data, size);
    size_t second = size - first - (first < size);
    const LyraMemoryFile files[] = {
        {"a.veg", data, first},
        {"b", data + size - second, second},
    };
    fuzz_mesh(files, 2, LYRA_MESH_FORMAT_VEG);
    return 0;
}
