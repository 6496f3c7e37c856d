// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Consistent masses of all bodies.

#include "lyra/mesh_ops.h"
#include "world/world.h"

#include <math.h>

// the mesh of all bodies, for their consistent masses; the caller releases it
static LyraStatus join_meshes(const LyraWorld *world, const double *positions, LyraMesh **out)
{
    for (int32_t b = 0; b < world->body_count; ++b) {
        if (!world->views[b].mesh) {
            return ly_fail_key(LYRA_UNSUPPORTED, "mass",
                               "found consistent masses beside %s body \"%.60s\", expected lumped",
                               world->views[b].kind, world->views[b].name);
        }
    }
    LyraMeshView whole = lyra_mesh_view(world->views[0].mesh);
    int32_t nodes = lyra_element_kind_nodes(whole.kind);
    int64_t count = 0;
    for (int32_t b = 0; b < world->body_count; ++b) {
        LyraMeshView view = lyra_mesh_view(world->views[b].mesh);
        const LyraBodySprings *springs = world->bodies[b].def->springs;
        if (springs && !isnan(springs->mass)) {
            return ly_fail_key(LYRA_UNSUPPORTED, "mass",
                               "found consistent masses beside the mass of springs body \"%.60s\", "
                               "expected lumped",
                               world->views[b].name);
        }
        if (view.kind != whole.kind) {
            return ly_fail_key(LYRA_UNSUPPORTED, "mass",
                               "found consistent masses for bodies of tets and of cubes together, "
                               "expected lumped");
        }
        count += view.element_count;
    }
    if (count > INT32_MAX) {
        return ly_fail(LYRA_TOO_LARGE, "more than %d elements in all bodies", INT32_MAX);
    }
    int32_t *elements = NULL, at = 0;
    LY_TRY(ly_allocate_array(world->ctx, count * nodes, sizeof *elements, &elements));
    for (int32_t b = 0; b < world->body_count; ++b) {
        LyraMeshView view = lyra_mesh_view(world->views[b].mesh);
        for (int64_t c = 0; c < (int64_t)view.element_count * nodes; ++c) {
            elements[(int64_t)at * nodes + c] = view.elements[c] + world->views[b].first_vertex;
        }
        at += view.element_count;
    }
    LyraMeshView data = {.kind = whole.kind,
                         .vertex_count = world->vertex_count,
                         .element_count = (int32_t)count,
                         .positions = positions,
                         .elements = elements};
    LyraStatus status = lyra_mesh_create(world->ctx, &data, out);
    ly_release(world->ctx, elements);
    return status;
}

LyraStatus ly_world_mass_matrix(const LyraWorld *world, const double *positions,
                                LyraMassMatrix **out)
{
    LyraMesh *whole = NULL;
    double *densities = NULL;
    int64_t at = 0;
    LyraStatus status = LYRA_OK;
    LY_TRY_DONE(join_meshes(world, positions, &whole));
    LY_TRY_DONE(ly_allocate_array(world->ctx, lyra_mesh_view(whole).element_count,
                                  sizeof *densities, &densities));
    for (int32_t b = 0; b < world->body_count; ++b) {
        LyraMeshView view = lyra_mesh_view(world->views[b].mesh);
        for (int32_t e = 0; e < view.element_count; ++e) {
            densities[at++] = view.materials[view.element_materials[e]].density;
        }
    }
    LY_TRY_DONE(lyra_mass_matrix_create(whole, densities, true, out));
done:
    ly_release(world->ctx, densities);
    lyra_mesh_destroy(whole);
    return status;
}
