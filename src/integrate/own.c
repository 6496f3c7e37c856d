// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Methods of a program's own behind the table of ours: the driver halves, measures and reports as
// with any other, and what a step owes at its end is done here.

#include "integrate/explicit.h"

LyraStatus ly_integrator_type_check(const LyraIntegratorType *type)
{
    if (!type->facts.name || !*type->facts.name || !type->step) {
        return ly_fail(LYRA_INVALID_ARGUMENT, "integrator: type \"%s\" lacks %s",
                       type->facts.name ? type->facts.name : "",
                       type->step ? "a name" : "a function `step`");
    }
    if (type->facts.order < 0) {
        return ly_fail(LYRA_INVALID_ARGUMENT,
                       "integrator: type \"%s\" has the order %d, expected "
                       "0 (statics) or more",
                       type->facts.name, (int)type->facts.order);
    }
    if (type->destroy && !type->create) {
        return ly_fail(LYRA_INVALID_ARGUMENT,
                       "integrator: type \"%s\" has a function `destroy` and no `create`",
                       type->facts.name);
    }
    return LYRA_OK;
}

static LyraStatus create(LyraIntegrator *it)
{
    return it->own->create ? it->own->create(it->ctx, &it->def, it->system, &it->self) : LYRA_OK;
}

static LyraStatus step(LyraIntegrator *it, LyraState *trial, double dt)
{
    double begin = lyra_state_view(trial).time;
    LY_TRY(it->own->step(it->self, it, trial, dt, &it->report));
    return ly_explicit_finish(it, trial, begin, dt);
}

static void destroy(LyraIntegrator *it)
{
    if (it->self && it->own->destroy) {
        it->own->destroy(it->self);
    }
}

LyIntegratorType ly_integrator_adapt(const LyraIntegratorType *own)
{
    return (LyIntegratorType){
        .facts = own->facts, .create = create, .step = step, .destroy = destroy};
}

void lyra_integrator_hold(LyraIntegrator *it, double time, LyraVector *u, LyraVector *v)
{
    LYRA_ASSERT(it);
    ly_impose(it, time, u, v);
}

LyraStatus lyra_integrator_acceleration(LyraIntegrator *it, LyraState *trial, double time,
                                        LyraVector *u, LyraVector *v, LyraVector *a)
{
    LYRA_ASSERT(it && trial && u && v && a);
    double since = time - lyra_state_view(trial).time;
    ly_impose(it, time, u, v);
    return ly_explicit_acceleration(it, trial, time, since > 0 ? since : 0, u, v, a);
}
