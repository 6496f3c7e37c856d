// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Tendons: LyraForce "tendon".

#ifndef LY_WORLD_TENDON_H
#define LY_WORLD_TENDON_H

#include "world/world.h"

/// Adds a load of type tendon.
LyraStatus ly_world_add_tendon(LyraWorld *world, const LyraLoadDef *load);

#endif
