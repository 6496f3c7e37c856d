// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Any bytes as a distance field: a status, or a field that can be asked anywhere.

#include "fuzz.h"
#include "lyra/distance.h"

#include <math.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    LyraContext *ctx = fuzz_context();
    LyraMemoryFile file = {"fuzz.vtk", data, size};
    LyraDistanceField *field = NULL;
    if (lyra_distance_field_load_memory(ctx, &file, &field) == LYRA_OK) {
        const double points[4][3] = {{0, 0, 0}, {1, 2, 3}, {-1e30, 1e30, 0}, {NAN, 0, 0}};
        double distances[4], gradients[4][3];
        lyra_distance_field_sample(field, 4, points[0], distances, gradients[0]);
        FUZZ_REQUIRE(distances[3] == INFINITY);
    } else {
        FUZZ_REQUIRE(!field && lyra_error_message()[0]);
    }
    lyra_distance_field_destroy(field);
    FUZZ_REQUIRE(lyra_context_byte_count(ctx) == 0);
    return 0;
}
