// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Meshes of tets of 10 nodes and of general hexahedra for tests.

#ifndef LYRA_CURVED_SHAPES_H
#define LYRA_CURVED_SHAPES_H

#include "lyra/mesh_edit.h"
#include "lyra/mesh_generate.h"
#include "lyra_test.h"

#include <stdlib.h>
#include <string.h>

/// A box of nx x ny x nz cells of edge `cell`, all vertices off their place by up to `jitter` cells
/// and the middle nodes of curved tets by up to `bend` cells beside.
static inline LyraMesh *curved_box(LyraContext *ctx, LyraElementKind kind, int32_t nx, int32_t ny,
                                   int32_t nz, double cell, double jitter, double bend)
{
    LyraMeshShapeDef def = lyra_mesh_shape_def_default();
    LyraMesh *plain = NULL, *mesh = NULL, *quadratic = NULL;
    def.kind = kind == LYRA_ELEMENT_TET10 ? LYRA_ELEMENT_TET4 : kind;
    const int32_t cells[3] = {nx, ny, nz};
    for (int i = 0; i < 3; ++i) {
        def.cells[i] = cells[i];
        def.size[i] = cell * cells[i];
        def.center[i] = 0.5 * def.size[i];
    }
    TEST_OK(lyra_mesh_generate(ctx, &def, &plain));
    LyraMeshView view = lyra_mesh_view(plain);
    double *x = malloc((size_t)view.vertex_count * 3 * sizeof *x);
    TestRandom random = test_random(17);
    for (int32_t i = 0; i < 3 * view.vertex_count; ++i) {
        x[i] = view.positions[i] + cell * test_random_in(&random, -jitter, jitter);
    }
    view.positions = x;
    TEST_OK(lyra_mesh_create(ctx, &view, &mesh));
    free(x);
    lyra_mesh_destroy(plain);
    if (kind != LYRA_ELEMENT_TET10) {
        return mesh;
    }
    int32_t corners = view.vertex_count;
    TEST_OK(lyra_mesh_quadratic(mesh, &quadratic));
    lyra_mesh_destroy(mesh);
    view = lyra_mesh_view(quadratic);
    x = malloc((size_t)view.vertex_count * 3 * sizeof *x);
    for (int32_t i = 0; i < 3 * view.vertex_count; ++i) {
        double off = i < 3 * corners ? 0 : test_random_in(&random, -bend, bend);
        x[i] = view.positions[i] + cell * off;
    }
    view.positions = x;
    TEST_OK(lyra_mesh_create(ctx, &view, &mesh));
    free(x);
    lyra_mesh_destroy(quadratic);
    return mesh;
}

#endif
