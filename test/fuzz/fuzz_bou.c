// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Any bytes as a list of vertices.

#include "fuzz_mesh.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const LyraMemoryFile file = {"a.bou", data, size};
    int32_t count = 0, *list = NULL;
    LyraContext *ctx = fuzz_context();
    if (lyra_vertex_list_load_memory(ctx, &file, 1, 1000, &count, &list) == LYRA_OK) {
        for (int32_t i = 0; i < count; ++i) {
            FUZZ_REQUIRE(list[i] >= 0 && list[i] < 1000 && (i == 0 || list[i] > list[i - 1]));
        }
    }
    lyra_vertex_list_destroy(ctx, list);
    FUZZ_REQUIRE(lyra_context_byte_count(ctx) == 0);
    return 0;
}
