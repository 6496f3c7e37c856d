// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Keys of worlds, and which group has which.

#include "world/keys_rows.h"
#include "world/parameters.h"

#include <string.h>

// as the def of a world that a program makes
static void init_world(void *out)
{
    LyraWorldDef def = lyra_world_def_default();
    LyWorldSpec *spec = out;
    *spec = (LyWorldSpec){.mass = def.mass,
                          .damping = def.damping,
                          .integrator = def.integrator,
                          .solver = def.solver,
                          .time = def.time};
    memcpy(spec->gravity, def.gravity, sizeof spec->gravity);
}

static const LyKey world_keys[] = {
    {"title", LY_KEY_TEXT, AT(LyWorldSpec, title), .meaning = "Without, the name of the file."},
    {"bodies", LY_KEY_LIST, LIST(LyWorldSpec, bodies, body_count), .required = true, .shown = true,
     .group = &ly_body_keys, .meaning = "What moves, at least one."},
    {"mass", LY_KEY_WORD, AT(LyWorldSpec, mass), .choices = "lumped|consistent",
     .meaning = "Mass matrix: at the vertices, or of the elements."},
    {"gravity", LY_KEY_CURVES, AT(LyWorldSpec, gravity), .unit = "m/s^2",
     .meaning = "Over time. A number alone is its size, along -y.", .live = &ly_live_gravity},
    {"constraints", LY_KEY_LIST, LIST(LyWorldSpec, constraints, constraint_count),
     .group = &ly_constraint_keys, .meaning = "What is held."},
    {"loads", LY_KEY_LIST, LIST(LyWorldSpec, loads, load_count), .group = &ly_load_keys,
     .meaning = "Forces from outside."},
    {"forces", LY_KEY_LIST, LIST(LyWorldSpec, forces, force_count), .group = &ly_force_keys,
     .meaning = "Forces of the program's own."},
    {"ties", LY_KEY_LIST, LIST(LyWorldSpec, ties, tie_count), .group = &ly_tie_keys,
     .meaning = "What is tied together."},
    {"joints", LY_KEY_LIST, LIST(LyWorldSpec, joints, joint_count), .group = &ly_joint_keys,
     .meaning = "What is joined so that it can turn or slide."},
    {"obstacles", LY_KEY_LIST, LIST(LyWorldSpec, obstacles, obstacle_count),
     .group = &ly_obstacle_keys, .meaning = "What bodies do not enter."},
    {"changes", LY_KEY_LIST, LIST(LyWorldSpec, changes, change_count), .group = &ly_change_keys,
     .meaning = "Parameters that change."},
    {"damping", LY_KEY_GROUP, AT(LyWorldSpec, damping), .shown = true, .group = &ly_damping_keys,
     .meaning = "Rayleigh damping."},
    {"integrator", LY_KEY_GROUP, AT(LyWorldSpec, integrator), .shown = true,
     .group = &ly_integrator_keys, .meaning = "How time goes on."},
    {"solver", LY_KEY_GROUP, AT(LyWorldSpec, solver), .shown = true, .group = &ly_solver_keys,
     .meaning = "How linear systems are solved."},
    {"time", LY_KEY_GROUP, AT(LyWorldSpec, time), .shown = true, .group = &ly_time_keys,
     .meaning = "How long and how finely."},
};

PUBLIC_GROUP(ly_world_keys, world_keys, LyWorldSpec, init_world, "scene", "The whole file.");
