// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Any bytes as an .inp file.

#include "fuzz_mesh.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const LyraMemoryFile file = {"a.inp", data, size};
    fuzz_mesh(&file, 1, LYRA_MESH_FORMAT_ABAQUS);
    fuzz_faces("a.inp", data, size, LYRA_MESH_FORMAT_ABAQUS);
    return 0;
}
