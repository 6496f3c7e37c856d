// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Bodies of kind "particles": the vertices of a mesh with their masses, and nothing between them.

#include "lyra/mesh_ops.h"
#include "world/world.h"

static LyraStatus create(LyraWorld *world, LyraMesh *take, LyraBodyView *view, LyBody *body)
{
    view->mesh = take; // the world ends what is in `view`, also on failure
    if (body->def->viscosity || body->def->fibre) {
        return ly_fail_key(LYRA_BAD_FORMAT, body->def->viscosity ? "viscosity" : "fibre",
                           "found it of particles, expected it of solids alone");
    }
    LyraMeshView mesh = lyra_mesh_view(take);
    double *masses = NULL;
    LY_TRY(ly_allocate_array(world->ctx, mesh.vertex_count, sizeof *masses, &masses));
    lyra_mesh_lumped_masses(take, NULL, masses);
    LyraStatus status =
        ly_body_set_vertices(world->ctx, view, body, mesh.vertex_count, mesh.positions, masses);
    ly_release(world->ctx, masses);
    return status;
}

// without `forces` there are none
extern const LyBodyType ly_body_particles;
const LyBodyType ly_body_particles = {.name = "particles", .create = create};
