// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Any bytes as a .vtu file.

#include "fuzz_mesh.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const LyraMemoryFile file = {"a.vtu", data, size};
    fuzz_mesh(&file, 1, LYRA_MESH_FORMAT_VTU);
    fuzz_faces("a.vtu", data, size, LYRA_MESH_FORMAT_VTU);
    return 0;
}
