// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// What cases of `lyra verify` do with worlds that come to rest.

#ifndef LYRA_CLI_VERIFY_WORLD_H
#define LYRA_CLI_VERIFY_WORLD_H

#include "verify.h"

/// A world under constant gravity, m/s^2, for damped motion to equilibrium: backward Euler with
/// full Newton steps of `dt`, direct solves.
LyraStatus verify_world_create(LyraContext *ctx, const double gravity[3], double dt,
                               LyraWorld **out);

/// Steps until the kinetic energy is below `least`, J: until nothing moves by more than rounding.
LyraStatus verify_settle(LyraWorld *world, double least);

/// Forces of constraints on vertices of the model; the caller ends the vector.
LyraStatus verify_world_reactions(LyraWorld *world, LyraVector **out);

// ---- the catenary -------------------------------------------------------------------------------

/// Distance of the ends of a chain of length 1 along x that hangs by them.
#define VERIFY_SPAN 0.8

/// Begins a hanging chain with a parabola; prepares the world.
LyraStatus verify_start_hanging(LyraWorld *world);

/// Finds sag, least and largest tension, in units of weight, of a chain cut in so many parts.
typedef LyraStatus VerifyHang(LyraContext *ctx, int32_t parts, double out[3]);

/// Compares these with the catenary, for 20 parts and, unless quick, 40 and 80.
LyraStatus verify_catenary(Verify *verify, const char *parts, VerifyHang *hang);

#endif
