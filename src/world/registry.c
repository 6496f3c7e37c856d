// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Types of a program's own: checked, and put into the registry of the context, where the modules
// find them that look their names up.

#include "lyra/registry.h"

#include "base/registry.h"
#include "force/solid.h"
#include "integrate/integrate.h"
#include "solve/solve.h"
#include "world/keys.h"

#include <math.h>
#include <string.h>

const char *ly_force_choice(const LyraContext *ctx, int32_t index)
{
    return ly_registry_name(ctx, LY_REGISTRY_FORCE, index);
}

// a name that can stand in scenes, and that none of `choice` has
static LyraStatus check_name(const LyraContext *ctx, const char *what, const char *name,
                             const char *(*choice)(const LyraContext *ctx, int32_t index))
{
    if (!name || !*name) {
        return ly_fail(LYRA_INVALID_ARGUMENT, "found a %s without a name, expected one", what);
    }
    if (strlen(name) > 60) {
        return ly_fail(LYRA_INVALID_ARGUMENT,
                       "found a %s with a name of %zu bytes, expected at most 60", what,
                       strlen(name));
    }
    const char *known;
    for (int32_t i = 0; (known = choice(ctx, i)) != NULL; ++i) {
        if (strcmp(known, name) == 0) {
            return ly_fail(LYRA_INVALID_ARGUMENT,
                           "found a second %s called \"%s\", expected names to differ", what, name);
        }
    }
    return LYRA_OK;
}

LyraStatus lyra_register_law(LyraContext *ctx, const LyraMaterialType *law, const void *user)
{
    LYRA_ASSERT(ctx && law);
    LY_TRY(check_name(ctx, "law", law->name, ly_solid_choice));
    if (!law->evaluate || (unsigned)law->arguments > LYRA_MATERIAL_STRETCHES ||
        law->parameter_count < 0 || law->parameter_count > LYRA_MATERIAL_PARAMETERS_MAX ||
        (law->parameter_count > 0 && !law->parameter_names)) {
        return ly_fail(LYRA_INVALID_ARGUMENT,
                       "law \"%s\" needs a function `evaluate`, arguments of a known kind, and at "
                       "most %d named parameters",
                       law->name, LYRA_MATERIAL_PARAMETERS_MAX);
    }
    return ly_registry_add(ctx, LY_REGISTRY_LAW, (LyRegistered){law->name, law, user});
}

LyraStatus lyra_register_solver(LyraContext *ctx, const LyraSolverType *solver)
{
    LYRA_ASSERT(ctx && solver);
    LY_TRY(check_name(ctx, "solver", solver->name, ly_solver_word));
    LY_TRY(ly_solver_type_check(solver));
    return ly_registry_add(ctx, LY_REGISTRY_SOLVER, (LyRegistered){solver->name, solver, NULL});
}

LyraStatus lyra_register_integrator(LyraContext *ctx, const LyraIntegratorType *integrator)
{
    LYRA_ASSERT(ctx && integrator);
    LY_TRY(check_name(ctx, "integrator", integrator->facts.name, ly_integrator_choice));
    LY_TRY(ly_integrator_type_check(integrator));
    return ly_registry_add(ctx, LY_REGISTRY_INTEGRATOR,
                           (LyRegistered){integrator->facts.name, integrator, NULL});
}

LyraStatus lyra_register_force(LyraContext *ctx, const LyraForceMaker *maker)
{
    LYRA_ASSERT(ctx && maker);
    LY_TRY(check_name(ctx, "force", maker->name, ly_force_choice));
    if (!maker->create || maker->number_count < 0 || (maker->number_count > 0 && !maker->numbers)) {
        return ly_fail(LYRA_INVALID_ARGUMENT,
                       "force \"%s\" needs a function `create`, and a list of its %d numbers",
                       maker->name, (int)maker->number_count);
    }
    for (int32_t n = 0; n < maker->number_count; ++n) {
        const LyraForceNumber *number = &maker->numbers[n];
        if (!number->name || !*number->name ||
            (unsigned)number->kind >= LYRA_PARAMETER_KIND_COUNT ||
            (number->optional && !isfinite(number->fallback))) {
            return ly_fail(LYRA_INVALID_ARGUMENT,
                           "number %d of force \"%s\" needs a name, a known kind and, where it is "
                           "optional, a finite fallback",
                           (int)n, maker->name);
        }
    }
    return ly_registry_add(ctx, LY_REGISTRY_FORCE, (LyRegistered){maker->name, maker, NULL});
}
