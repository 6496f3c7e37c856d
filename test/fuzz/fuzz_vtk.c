// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Any bytes as a VTK legacy file.

#include "fuzz_mesh.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const LyraMemoryFile file = {"a.vtk", data, size};
    fuzz_mesh(&file, 1, LYRA_MESH_FORMAT_VTK);
    fuzz_faces("a.vtk", data, size, LYRA_MESH_FORMAT_VTK);
    return 0;
}
