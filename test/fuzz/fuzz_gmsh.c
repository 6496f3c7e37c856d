// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Any bytes as one of Gmsh's .msh files.

#include "fuzz_mesh.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const LyraMemoryFile file = {"a.msh", data, size};
    fuzz_mesh(&file, 1, LYRA_MESH_FORMAT_GMSH);
    fuzz_faces("a.msh", data, size, LYRA_MESH_FORMAT_GMSH);
    return 0;
}
