// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Small meshes that the tests of mesh operations share.

#ifndef MESH_SAMPLES_H
#define MESH_SAMPLES_H

#include "lyra/lyra.h"
#include "lyra_test.h"

#include <stdlib.h>
#include <string.h>

/// Box of cells from the origin to `size`.
static inline LyraMesh *sample_box(LyraContext *ctx, LyraElementKind kind, int32_t nx, int32_t ny,
                                   int32_t nz, double edge)
{
    LyraMeshShapeDef def = lyra_mesh_shape_def_default();
    def.kind = kind;
    const int32_t cells[3] = {nx, ny, nz};
    for (int32_t i = 0; i < 3; ++i) {
        def.cells[i] = cells[i];
        def.size[i] = edge * cells[i];
        def.center[i] = 0.5 * def.size[i];
    }
    LyraMesh *mesh = NULL;
    TEST_OK(lyra_mesh_generate(ctx, &def, &mesh));
    return mesh;
}

/// Any of the shapes, of about `n` tets.
static inline LyraMesh *sample_shape(LyraContext *ctx, LyraMeshShape shape, int64_t n)
{
    LyraMeshShapeDef def = lyra_mesh_shape_def_default();
    def.shape = shape;
    def.elements = n;
    LyraMesh *mesh = NULL;
    TEST_OK(lyra_mesh_generate(ctx, &def, &mesh));
    return mesh;
}

/// The mesh with two materials of density 1000 and 3000: set "odd" (every other element) has the
/// second one; set "first" holds element 0.
static inline LyraMesh *sample_grouped(LyraContext *ctx, const LyraMesh *mesh)
{
    LyraMeshView view = lyra_mesh_view(mesh);
    int32_t *odd = malloc((size_t)view.element_count * sizeof *odd + 1);
    int32_t first[1] = {0}, count = 0;
    for (int32_t e = 1; e < view.element_count; e += 2) {
        odd[count++] = e;
    }
    LyraMeshMaterial materials[2] = {lyra_mesh_material_default(), lyra_mesh_material_default()};
    materials[0].name = "light";
    materials[1].name = "heavy";
    materials[1].density = 3000;
    LyraMeshSet sets[2] = {{.name = "odd", .elements = odd, .count = count},
                           {.name = "first", .elements = first, .count = 1}};
    LyraMeshRegion regions[2] = {{.material = 0, .set = LYRA_MESH_ALL_ELEMENTS},
                                 {.material = 1, .set = 0}};
    view.material_count = 2;
    view.materials = materials;
    view.set_count = 2;
    view.sets = sets;
    view.region_count = 2;
    view.regions = regions;
    LyraMesh *out = NULL;
    TEST_OK(lyra_mesh_create(ctx, &view, &out));
    free(odd);
    return out;
}

/// Mesh from arrays, of the default material.
static inline LyraMesh *sample_raw(LyraContext *ctx, LyraElementKind kind, int32_t vertex_count,
                                   const double *positions, int32_t element_count,
                                   const int32_t *elements)
{
    LyraMeshView view = {
        .kind = kind,
        .vertex_count = vertex_count,
        .element_count = element_count,
        .positions = positions,
        .elements = elements,
    };
    LyraMesh *mesh = NULL;
    TEST_OK(lyra_mesh_create(ctx, &view, &mesh));
    return mesh;
}

#endif
