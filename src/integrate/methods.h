// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// The methods, and what the implicit ones share.

#ifndef LY_INTEGRATE_METHODS_H
#define LY_INTEGRATE_METHODS_H

#include "integrate/integrate.h"

extern const LyIntegratorType ly_backward_euler;
extern const LyIntegratorType ly_newmark;
extern const LyIntegratorType ly_generalized_alpha;
extern const LyIntegratorType ly_static;
extern const LyIntegratorType ly_implicit_midpoint;
extern const LyIntegratorType ly_imex;
extern const LyIntegratorType ly_bdf2;
extern const LyIntegratorType ly_bdf3;
extern const LyIntegratorType ly_bdf4;

/// Vectors that ly_sdirk4_step() needs.
#define LY_SDIRK4_WORK 15

/// One step of `trial` by a method of order 4, without history and prescribed ends.
LyraStatus ly_sdirk4_step(LyraIntegrator *it, LyraState *trial, double h, LyraVector *const *work);

/// Sets the constrained part of q so that u = u_q q + u_0 is prescribed there at time t.
void ly_start_constrained(LyraIntegrator *it, const LyStage *stage, double t, LyraVector *q);

/// Then sets the constrained parts of v_0 and a_0 so that v = v_q q + v_0 and a = a_q q + a_0 are
/// what it->prescribed[1] and [2] have there, and takes those two for scratch: differences of
/// prescribed displacements are off by half an acceleration, which masses that couple vertices and
/// dampers would pass on to the free ones. `v_0` and `a_0` are those of the stage, to be changed.
void ly_hold_rates(LyraIntegrator *it, const LyStage *stage, const LyraVector *q, LyraVector *v_0,
                   LyraVector *a_0);

// ---- starts of one-step policies (predict.c) ----------------------------------------------------

/// Whether the linear solver starts where the last accelerations lead.
bool ly_predicts(const LyraIntegrator *it);

/// q = the acceleration that a step of h is likely to end with, from those of the steps before.
LyraStatus ly_predict(LyraIntegrator *it, LyraState *trial, double h, LyraVector *q);

/// Notes that it ended with q, while `trial` still has the one before. Without effect where no one
/// predicts.
LyraStatus ly_predict_note(LyraIntegrator *it, LyraState *trial, double h, const LyraVector *q);

/// Ends a step at time t: prescribed u, v and a on the constraints, the history after dt, and a
/// note that a belongs to t.
LyraStatus ly_end_step(LyraIntegrator *it, LyraState *trial, double t, double dt);

#endif
