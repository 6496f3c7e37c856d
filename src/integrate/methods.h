// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// The methods, and what the implicit ones share.

#ifndef LY_INTEGRATE_METHODS_H
#define LY_INTEGRATE_METHODS_H

#include "integrate/integrate.h"

extern const LyIntegratorType ly_backward_euler;

/// Sets the constrained part of q so that u = u_q q + u_0 is prescribed there at time t.
void ly_start_constrained(LyraIntegrator *it, const LyStage *stage, double t, LyraVector *q);

/// Ends a step at time t: prescribed u, v and a on the constraints, the history after dt, and a
/// note that a belongs to t.
LyraStatus ly_end_step(LyraIntegrator *it, LyraState *trial, double t, double dt);

#endif
