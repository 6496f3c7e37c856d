// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Any bytes as `.interp`: a status, or an embedding whose ids and weights are right.

#include "fuzz_surface.h"
#include "mesh/embed.h"

#include <math.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    enum { VERTICES = 100 };
    static const double u[3 * VERTICES];
    LyraContext *ctx = fuzz_context();
    char *text = fuzz_text(data, size);
    LyraEmbedding *embedding = NULL;
    if (ly_interp_parse(ctx, "fuzz.interp", text, size, VERTICES, &embedding) == LYRA_OK) {
        LyraEmbeddingView view = lyra_embedding_view(embedding);
        int64_t count = (int64_t)view.point_count * view.node_count;
        for (int64_t i = 0; i < count; ++i) {
            FUZZ_REQUIRE(view.vertices[i] >= 0 && view.vertices[i] < VERTICES);
            FUZZ_REQUIRE(isfinite(view.weights[i]));
        }
        double *moved = malloc(3 * sizeof *moved * ((size_t)view.point_count + 1));
        FUZZ_REQUIRE(moved);
        lyra_embedding_interpolate(embedding, u, moved);
        free(moved);
    } else {
        FUZZ_REQUIRE(!embedding && lyra_error_message()[0]);
    }
    lyra_embedding_destroy(embedding);
    free(text);
    FUZZ_REQUIRE(lyra_context_byte_count(ctx) == 0);
    return 0;
}
