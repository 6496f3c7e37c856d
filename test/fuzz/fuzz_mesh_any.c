// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Any bytes as a file without a name to go by: its content decides.

#include "fuzz_mesh.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const LyraMemoryFile file = {"a", data, size};
    fuzz_mesh(&file, 1, LYRA_MESH_FORMAT_AUTO);
    fuzz_faces("a", data, size, LYRA_MESH_FORMAT_AUTO);
    return 0;
}
