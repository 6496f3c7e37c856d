// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// The probes of a world.

#ifndef LY_WORLD_PROBE_H
#define LY_WORLD_PROBE_H

#include "lyra/fields.h"
#include "lyra/probe.h"
#include "world/world.h"

/// Ends all probes.
void ly_world_end_probes(LyraWorld *world);

#endif
