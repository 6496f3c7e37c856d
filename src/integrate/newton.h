// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// The inside of Newton's method: what newton.c, newton_start.c, line_search.c and
// newton_keep.c share.

#ifndef LY_INTEGRATE_NEWTON_H
#define LY_INTEGRATE_NEWTON_H

#include "integrate/integrate.h"

/// The equation evaluated at some q. Energies are those of the incremental potential, which is
/// scaled so that it is in J: see line_search.c.
typedef struct LyEvaluation {
    bool finite;      // false for points that can't be reached, too
    bool blocked;     // which this is one of
    double potential; // J; 0 where there is none
    double noise;     // rounding of `potential`, J
    double energy;    // size of its parts that change in a step, J
    double residual;  // |P r|, N
    double whole;     // |r|, reactions of the constraints included, N
    double force;     // size of the forces that make up r, N
} LyEvaluation;

/// A direction and what is known of it.
typedef struct LyDirection {
    bool usable;    // there is one, and it descends where there is a potential
    bool psd;       // of the positive tangent
    bool kept;      // of a tangent kept from before
    double slope;   // u_q r . d, J; minus the decrement squared
    double largest; // u_q |d|_max, m
} LyDirection;

#define LY_KEPT_HEAD 11
#define LY_KEPT_VECTORS 4

/// Where a kept tangent was taken, as newton_keep.c has it in the state.
typedef struct LyKeptTangent {
    uint64_t stamp;                    // of the system when S was formed
    double head[LY_KEPT_HEAD];         // numbers
    uint64_t vectors[LY_KEPT_VECTORS]; // stamps of the vectors
    LyraState *point;                  // u and v: scratch; what the material remembered there
} LyKeptTangent;

struct LyNewton {
    LyraContext *ctx;
    LyraNewtonDef def;
    LyraSystem *system;
    int32_t size;
    LyraVector *q_try, *r, *r_try, *d, *moved, *b; // iterates, residuals, directions
    LyraVector *u, *v, *a;                         // the point evaluated last
    LyraVector *mass, *external, *damping;         // its forces
    LyraVector *start;                             // u when the solve began: loads work from there
    LyraVector *rest;                              // u of the rest shape, placed
    LyraVector *signs;                             // 1 and -1, as if at random; see find_floor()
    LyraVector *next;             // the Newton step from a trial, by the tangent of the start
    LyraVector *lengths;          // that forces are computed from, beside displacements, m
    double floor;                 // residual that rounding alone can make, N
    double extent;                // size of the body, m; 0: unknown
    bool iterates;                // rest, signs and lengths are there
    double spread;                // by how far forces may be rounded over it: 0 if `lengths` are, m
    LyFormed formed;              // S of a constant system
    LyKeptTangent kept;           // what S was formed from, of the simplified policy
    LyraTangentNeed need_tangent; // of the evaluation that follows
    double limit;                 // part of the direction that could be gone, of the last search
    bool ahead;                   // forces of the one step look ahead
    bool warm;                    // `d` is a start of the solve that follows
    bool at_previous;             // u is stage->previous to the last bit, where forces may be known
};

/// Whether the equation is the gradient of a potential.
bool ly_newton_has_potential(const LyNewton *newton);

/// Whether its tangents are symmetric.
bool ly_newton_is_symmetric(const LyNewton *newton);

/// u, v, a of the stage at q, into newton's vectors.
void ly_newton_place(LyNewton *newton, const LyStage *stage, const LyraVector *q);

/// Evaluates q: writes the residual P r and the rest. Non-finite values are no failure:
/// evaluation->finite says so.
LyraStatus ly_newton_evaluate(LyNewton *newton, LyraIntegrator *it, const LyStage *stage,
                              const LyraVector *q, LyraVector *r, LyEvaluation *evaluation);

/// Whether `trial` is to be preferred to `best`.
bool ly_evaluation_is_better(const LyNewton *newton, const LyEvaluation *trial,
                             const LyEvaluation *best);

/// newton->limit: the part of newton->d that the body can go from q, where it has been.
LyraStatus ly_newton_bound(LyNewton *newton, LyraIntegrator *it, const LyStage *stage,
                           const LyraVector *q);

/// Searches along newton->d from q, where `from` was seen, for a step that descends. Leaves q +
/// alpha d in q_try, its residual in r_try and the rest in `evaluation`; alpha is 0 when there is
/// none.
LyraStatus ly_line_search(LyNewton *newton, LyraIntegrator *it, const LyStage *stage,
                          const LyraVector *q, const LyEvaluation *from,
                          const LyDirection *direction, LyEvaluation *evaluation, double *alpha);

/// Tells the system that q, of which `evaluation` is, is linearised next; evaluates it again where
/// forces are others after that.
LyraStatus ly_newton_begin_iteration(LyNewton *newton, LyraIntegrator *it, const LyStage *stage,
                                     LyraUpdateMoment moment, const LyraVector *q, LyraVector *r,
                                     LyEvaluation *evaluation);

// ---- directions (newton.c) ----------------------------------------------------------------------

/// Whether another tangent may help.
bool ly_newton_can_retry(LyraStatus status);

/// Forms S at q.
LyraStatus ly_newton_form(LyNewton *newton, LyraIntegrator *it, const LyStage *stage,
                          const LyraVector *q, bool psd);

/// Solves S d = -r on the free unknowns into newton->d, and says what d is worth.
LyraStatus ly_newton_direction(LyNewton *newton, LyraIntegrator *it, const LyStage *stage,
                               const LyraVector *r, double forcing, LyDirection *direction);

// ---- ahead of what moves by itself (newton_ahead.c) ---------------------------------------------

/// A step ahead that went less of its direction: one that is judged follows.
#define LY_STUCK 0.3

/// Lets forces at q look `share` of the way ahead, if something has not arrived.
LyraStatus ly_newton_look_ahead(LyNewton *newton, LyraIntegrator *it, const LyStage *stage,
                                const LyraVector *q, double share, LyraVector *r,
                                LyEvaluation *evaluation, bool *ahead);

/// After that the body went `share` of a motion that was bounded, to q: the rest goes with it.
LyraStatus ly_newton_moved(LyNewton *newton, LyraIntegrator *it, const LyStage *stage,
                           const LyraVector *q, double share, LyraVector *r,
                           LyEvaluation *evaluation);

/// A step ahead from q, newton->limit of its direction; `went` is false where all has arrived.
/// Writes newton->r and the rest of q; not finite where there is none.
LyraStatus ly_newton_go_ahead(LyNewton *newton, LyraIntegrator *it, const LyStage *stage,
                              LyraVector *q, LyEvaluation *evaluation, bool *went);

/// Steps ahead until all has arrived; LYRA_STEP_BLOCKED where that takes too many.
LyraStatus ly_newton_arrive(LyNewton *newton, LyraIntegrator *it, const LyStage *stage,
                            LyraVector *q);

// ---- starts (newton_start.c) --------------------------------------------------------------------

/// One Newton step from the old place of all vertices, the motion of the constraints being part of
/// it. Leaves the result in q_try and the evaluation of the old place.
LyraStatus ly_newton_step_from_previous(LyNewton *newton, LyraIntegrator *it, const LyStage *stage,
                                        const LyraVector *q, LyEvaluation *evaluation);

/// Ends a step whose forces are not finite, or whose way is blocked, at what was evaluated.
LyraStatus ly_newton_fail_at(LyNewton *newton, LyraIntegrator *it, const LyStage *stage,
                             const LyEvaluation *evaluation);

/// Moves q to the best start, with its residual in newton->r.
LyraStatus ly_newton_start(LyNewton *newton, LyraIntegrator *it, const LyStage *stage,
                           LyraVector *q, LyEvaluation *evaluation);

// ---- kept tangents (newton_keep.c) --------------------------------------------------------------

/// Notes in `trial` that S was formed at the point of newton->u and newton->v.
LyraStatus ly_keep_note(LyNewton *newton, LyraIntegrator *it, const LyStage *stage, bool psd,
                        LyraState *trial);

/// Whether `trial` has a tangent that serves this stage; if so, S is that one after the call.
LyraStatus ly_keep_find(LyNewton *newton, LyraIntegrator *it, const LyStage *stage,
                        LyraState *trial, bool *found);

/// Forgets it.
LyraStatus ly_keep_drop(LyNewton *newton, LyraState *trial);

#endif
