// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Rods in worlds: their angles and frames.

#ifndef LY_WORLD_ROD_H
#define LY_WORLD_ROD_H

#include "world/world.h"

/// Finds the edges of rods with both ends among vertices of the model, which are to be there.
LyraStatus ly_world_find_angles(LyraWorld *world, int32_t count, const int32_t *vertices,
                                LyAngles *out);

/// Turns the frames of rods that are turned at the start.
LyraStatus ly_world_start_rods(LyraWorld *world);

#endif
