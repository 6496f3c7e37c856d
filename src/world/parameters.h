// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Numbers that are turned while a world runs: how each is found and set. The rows of the tables of
// keys point here; a path of such a row is a parameter.

#ifndef LY_WORLD_PARAMETERS_H
#define LY_WORLD_PARAMETERS_H

#include "world/world.h"

/// How a number is turned. `body`: its number; -1: all bodies at once, or the world's own.
struct LyLive {
    /// Whether the world has it, and does not change it by itself.
    bool (*has)(const LyraWorld *world, int32_t body);
    /// Writes all but `path` and `name`.
    void (*read)(const LyraWorld *world, int32_t body, LyraWorldParameter *out);
    /// Sets it; what it changes in the model goes through `undo`. On failure the caller takes that
    /// back.
    LyraStatus (*set)(LyraWorld *world, LyUndo *undo, int32_t body, double value);
};

extern const LyLive ly_live_young, ly_live_poisson, ly_live_stiffness, ly_live_density,
    ly_live_activation, ly_live_mass_damping, ly_live_stiffness_damping, ly_live_dt,
    ly_live_gravity, ly_live_yield, ly_live_hardening, ly_live_flow_viscosity, ly_live_yield_strain,
    ly_live_flow_limit;

#endif
