// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// What the kernels of plastic points share: numbers of the history, parameters, the strength.

#ifndef LY_FORCE_PLASTIC_POINT_H
#define LY_FORCE_PLASTIC_POINT_H

#include "force/plasticity.h"
#include "force/stretch_form.h"

#define LY_ROOT_TWO_THIRDS 0.81649658092772603273

// no strength is below this share of mu: pressure alone would resist
#define LY_STRENGTH_FLOOR 1e-6

LY_INLINE LyReal ly_flow_load(const double *history, int q, int number, int lane)
{
    return ly_load(history + (q * LY_FLOW_COUNT + number) * LY_WIDTH + lane);
}

LY_INLINE void ly_flow_store(double *history, int q, int number, int lane, LyReal x)
{
    ly_store(history + (q * LY_FLOW_COUNT + number) * LY_WIDTH + lane, x);
}

LY_INLINE LyReal ly_plastic_load(const LyPlasticity *plasticity, const double *parameters,
                                 int number, int lane)
{
    return ly_load(parameters + (plasticity->first_parameter + number) * LY_WIDTH + lane);
}

LY_INLINE LyMask ly_no_lane(void)
{
    return ly_less(ly_set(1), ly_set(0));
}

// ---- strength -----------------------------------------------------------------------------------

typedef struct LyStrength {
    LyReal yield, hardening; // y(alpha) = yield t(alpha) + hardening alpha
} LyStrength;

// Flow g from alpha, not cut, and the slope of y at its end: 2 mu q - c y - (2 mu + rate) g = 0.
LY_INLINE LyReal ly_flow_find(const LyPlasticity *p, const LyStrength *y, LyReal drive,
                              LyReal stiffness, LyReal alpha, LyReal *slope)
{
    const double c = LY_ROOT_TWO_THIRDS;
    LyReal g = ly_set(0);
    *slope = y->hardening;
    for (int k = 0; k < p->rows; ++k) {
        LyReal H = y->yield * p->slope[k] + y->hardening;
        LyReal line =
            y->yield * (p->factor[k] + p->slope[k] * (alpha - p->strain[k])) + y->hardening * alpha;
        LyReal root = (drive - c * line) / (stiffness + (2.0 / 3) * H), end = alpha + c * root;
        LyMask here = k > 0 ? ly_greater_equal(end, ly_set(p->strain[k])) : ly_equal(end, end);
        if (k + 1 < p->rows) {
            here = ly_and(here, ly_less(end, ly_set(p->strain[k + 1])));
        }
        g = ly_select(here, root, g);
        *slope = ly_select(here, H, *slope);
    }
    return g;
}

// the integral of y - y(0) from 0 to alpha
LY_INLINE LyReal ly_strength_integral(const LyPlasticity *p, const LyStrength *y, LyReal alpha)
{
    LyReal sum = ly_set(0);
    for (int k = 0; k < p->rows; ++k) {
        LyReal x = alpha - p->strain[k];
        LyReal here = p->integral[k] + x * (p->factor[k] - 1 + 0.5 * p->slope[k] * x);
        sum = ly_select(ly_greater_equal(x, ly_set(0)), here, sum);
    }
    return y->yield * sum + 0.5 * y->hardening * alpha * alpha;
}

// eta/dt, and where nothing flows: in a step of no length, whose energy is what is stored. Inside
// out, where flow is never kept, it is part of the potential that such a point has.
LY_INLINE LyReal ly_flow_rate(LyReal viscosity, double dt, LyReal least_stretch, LyMask *frozen)
{
    LyMask whole = ly_or(ly_greater(least_stretch, ly_set(0)), ly_greater(viscosity, ly_set(0)));
    *frozen = dt > 0 ? ly_no_lane() : whole;
    return dt > 0 ? viscosity / dt : ly_set(0);
}

#endif
