// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Any bytes as a .mesh file of Medit.

#include "fuzz_mesh.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const LyraMemoryFile file = {"a.mesh", data, size};
    fuzz_mesh(&file, 1, LYRA_MESH_FORMAT_MEDIT);
    fuzz_faces("a.mesh", data, size, LYRA_MESH_FORMAT_MEDIT);
    return 0;
}
