// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// The inside of Newton's method: what newton.c, newton_start.c, line_search.c and
// newton_keep.c share.

#ifndef LY_INTEGRATE_NEWTON_H
#define LY_INTEGRATE_NEWTON_H

#include "integrate/integrate.h"

/// A look at the equation at some q. Energies are those of the incremental potential, which is
/// scaled so that it is in J: see line_search.c.
typedef struct LyLook {
    bool finite;
    double potential; // J; 0 where there is none
    double noise;     // rounding of `potential`, J
    double energy;    // size of its parts that change in a step, J
    double residual;  // |P r|, N
    double whole;     // |r|, reactions of the constraints included, N
    double force;     // size of the forces that make up r, N
} LyLook;

/// A direction and what is known of it.
typedef struct LyDirection {
    bool usable;    // there is one, and it descends where there is a potential
    bool psd;       // of the positive tangent
    bool kept;      // of a tangent kept from before
    double slope;   // u_q r . d, J; minus the decrement squared
    double largest; // u_q |d|_max, m
} LyDirection;

struct LyNewton {
    LyraContext *ctx;
    LyraNewtonDef def;
    LyraSystem *system;
    int32_t size;
    LyraVector *q_try, *r, *r_try, *d, *moved, *b; // iterates, residuals, directions
    LyraVector *u, *v, *a;                         // the point looked at last
    LyraVector *mass, *external, *damping;         // its forces
    LyraVector *start;                             // u when the solve began: loads work from there
    LyraVector *rest;                              // u of the rest shape, placed
    LyraVector *signs;                             // 1 and -1, as if at random; see find_floor()
    LyraVector *next;    // the Newton step from a trial, by the tangent of the start
    LyraVector *lengths; // that forces are computed from, beside displacements, m
    double floor;        // residual that rounding alone can make, N
    double extent;       // size of the body, m; 0: unknown
    double spread;       // by how far forces may be rounded over it: 0 if `lengths` are, m
    double *kept;        // copy of the block that S was formed from; NULL unless simplified
    int64_t kept_count;
    uint64_t stamp;  // of the system when S was formed from `kept`
    LyraAhead ahead; // of the look that follows
    bool warm;       // `d` is a start of the solve that follows
    bool staying;    // u is stage->stay to the last bit, where forces may be known
};

/// Whether the equation is the gradient of a potential.
bool ly_newton_has_potential(const LyNewton *newton);

/// Whether its tangents are symmetric.
bool ly_newton_is_symmetric(const LyNewton *newton);

/// u, v, a of the stage at q, into newton's vectors.
void ly_newton_place(LyNewton *newton, const LyStage *stage, const LyraVector *q);

/// Looks at q: writes the residual P r and what is said of it. Numbers without end are no failure:
/// look->finite says so.
LyraStatus ly_newton_look(LyNewton *newton, LyraIntegrator *it, const LyStage *stage,
                          const LyraVector *q, LyraVector *r, LyLook *look);

/// Whether `trial` is to be preferred to `best`.
bool ly_look_is_better(const LyNewton *newton, const LyLook *trial, const LyLook *best);

/// Searches along newton->d from q, where `from` was seen, for a step that descends. Leaves q +
/// alpha d in q_try, its residual in r_try and what was seen in `look`; alpha is 0 when there is
/// none.
LyraStatus ly_line_search(LyNewton *newton, LyraIntegrator *it, const LyStage *stage,
                          const LyraVector *q, const LyLook *from, double slope, bool expand,
                          LyLook *look, double *alpha);

// ---- directions (newton.c) ----------------------------------------------------------------------

/// Whether another tangent may help.
bool ly_newton_is_trouble(LyraStatus status);

/// Forms S at q.
LyraStatus ly_newton_form(LyNewton *newton, LyraIntegrator *it, const LyStage *stage,
                          const LyraVector *q, bool psd);

/// Solves S d = -r on the free unknowns into newton->d, and says what d is worth.
LyraStatus ly_newton_direction(LyNewton *newton, LyraIntegrator *it, const LyStage *stage,
                               const LyraVector *r, double forcing, LyDirection *direction);

// ---- starts (newton_start.c) --------------------------------------------------------------------

/// One Newton step from the old place of all vertices, the motion of the constraints being part of
/// it. Leaves the result in q_try and what was seen at the old place in `look`.
LyraStatus ly_newton_step_from_stay(LyNewton *newton, LyraIntegrator *it, const LyStage *stage,
                                    const LyraVector *q, LyLook *look);

/// Ends a step whose forces are not finite.
LyraStatus ly_newton_fail_not_finite(LyraIntegrator *it, const LyStage *stage);

/// Moves q to the best start, with its residual in newton->r.
LyraStatus ly_newton_start(LyNewton *newton, LyraIntegrator *it, const LyStage *stage,
                           LyraVector *q, LyLook *look);

// ---- kept tangents (newton_keep.c) --------------------------------------------------------------

/// Doubles of the block.
int64_t ly_keep_count(const LyNewton *newton);

/// Notes in `trial` that S was formed at the point of newton->u and newton->v.
LyraStatus ly_keep_note(LyNewton *newton, LyraIntegrator *it, const LyStage *stage, bool psd,
                        LyraState *trial);

/// Whether `trial` has a tangent that serves this stage; if so, S is that one after the call.
LyraStatus ly_keep_find(LyNewton *newton, LyraIntegrator *it, const LyStage *stage,
                        LyraState *trial, bool *found);

/// Forgets it.
LyraStatus ly_keep_drop(LyNewton *newton, LyraState *trial);

#endif
