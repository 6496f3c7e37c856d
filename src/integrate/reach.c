// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Points that a body can reach. A system may bound how far it goes (walls, contact that is not to
// be passed). The state is somewhere allowed; from there every point that forces, tangents or
// damping are looked at is the end of a straight way from a point reached before:
//
//   it->reached, the last of this chain.  Going back to an earlier point of it asks nobody.
//
// Starts that can't be reached are dropped, searches stop in front of the bound; what has to be at
// some place and can't (stages, prescribed motion, the end of a step) fails with LYRA_STEP_BLOCKED,
// and the driver takes a shorter step. Systems without bounds have no chain.

#include "integrate/integrate.h"

#include "model/vector.h"

// part of the way to the bound that is left, so that rounding does not pass it
#define MARGIN 0x1p-20

void ly_reach_return(LyraIntegrator *it, const LyraVector *u)
{
    if (it->reached) {
        lyra_vector_copy(u, it->reached);
    }
}

static bool is_there(const LyraIntegrator *it, const LyraVector *u)
{
    return ly_vector_has_stamp_of(u, it->reached);
}

LyraStatus ly_reach(LyraIntegrator *it, const LyraVector *u, bool *can)
{
    double bound = 1;
    *can = true;
    if (!it->reached || is_there(it, u)) {
        return LYRA_OK;
    }
    lyra_vector_sum(-1, it->reached, u, it->way);
    if (lyra_vector_largest(it->way) == 0) {
        // what moves by itself need not follow
        lyra_vector_copy(u, it->reached);
        return LYRA_OK;
    }
    LY_TRY(lyra_system_step_bound(it->system, it->reached, it->way, &bound));
    *can = bound >= 1;
    if (*can) {
        lyra_vector_copy(u, it->reached);
    }
    return LYRA_OK;
}

LyraStatus ly_fail_blocked(LyraIntegrator *it, double t)
{
    return ly_step_fail(it, LYRA_STEP_BLOCKED,
                        ly_fail(LYRA_NOT_CONVERGED, "%s: the way of the body at %g s is blocked",
                                it->type->facts.name, t));
}

LyraStatus ly_fail_forces(LyraIntegrator *it, const char *what, double t, const LyraVector *u)
{
    LyraDetF det = lyra_system_det_f(it->system, u);
    LyraStatus status = LYRA_OK;
    // some laws have no energy there
    if (det.min <= 0) {
        status =
            ly_fail(LYRA_NOT_FINITE, "%s at %g s are not finite, where det F of element %d is %g",
                    what, t, (int)det.element, det.min);
    } else {
        status = ly_fail(LYRA_NOT_FINITE, "%s at %g s are not finite", what, t);
    }
    return ly_step_fail(it, LYRA_STEP_NOT_FINITE, status);
}

LyraStatus ly_reach_or_fail(LyraIntegrator *it, const LyraVector *u, double t)
{
    bool can = true;
    LY_TRY(ly_reach(it, u, &can));
    return can ? LYRA_OK : ly_fail_blocked(it, t);
}

LyraStatus ly_reach_part(LyraIntegrator *it, double scale, const LyraVector *d, double *part)
{
    *part = 1;
    if (!it->reached) {
        return LYRA_OK;
    }
    lyra_vector_axpby(scale, d, 0, it->way);
    LY_TRY(lyra_system_step_bound(it->system, it->reached, it->way, part));
    *part = *part < 1 ? *part * (1 - MARGIN) : 1;
    return LYRA_OK;
}
