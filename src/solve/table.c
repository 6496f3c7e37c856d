// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// The solvers of this build by name.

#include "base/registry.h"
#include "solve/front.h"

#include <stdio.h>
#include <string.h>

static const LyraSolverType *const types[] = {
    &ly_solver_pcg,          &ly_solver_cholesky, &ly_solver_band,
#if LY_HAVE_CHOLMOD
    &ly_solver_cholmod,
#endif
#if LY_HAVE_UMFPACK
    &ly_solver_umfpack,
#endif
#if LY_HAVE_MUMPS
    &ly_solver_mumps,
#endif
#if LY_HAVE_SPOOLES
    &ly_solver_spooles,
#endif
    &ly_solver_factor_reuse, &ly_solver_minres,   &ly_solver_bicgstab,
    &ly_solver_gmres,        &ly_solver_dense,    &ly_solver_pardiso, // the last
};

// solvers that can be made: the last one depends on the machine
static bool is_here(int32_t index)
{
    return index >= 0 && index < LY_COUNT_OF(types) &&
           (types[index] != &ly_solver_pardiso || ly_pardiso_found());
}

// names that other builds have
static const struct {
    const char *name, *needs;
} absent[] = {
#if !LY_HAVE_CHOLMOD
    {"cholmod", "CHOLMOD (-DLYRA_GPL=ON)"},
#endif
#if !LY_HAVE_UMFPACK
    {"umfpack", "UMFPACK (-DLYRA_GPL=ON)"},
#endif
#if !LY_HAVE_MUMPS
    {"mumps", "MUMPS"},
#endif
#if !LY_HAVE_SPOOLES
    {"spooles", "SPOOLES (-DLYRA_WITH_SPOOLES=ON)"},
#endif
    {NULL, NULL},
};

const char *lyra_solver_name(int32_t index, const LyraSolverType **type)
{
    if (!is_here(index)) {
        return NULL;
    }
    if (type) {
        *type = types[index];
    }
    return types[index]->name;
}

const char *ly_solver_choice(const LyraContext *ctx, int32_t index)
{
    int32_t count = LY_COUNT_OF(types) - !ly_pardiso_found();
    return index < count ? lyra_solver_name(index, NULL)
                         : ly_registry_name(ctx, LY_REGISTRY_SOLVER, index - count);
}

void ly_solver_list(uint32_t traits, size_t capacity, char *text)
{
    const char *names[LY_COUNT_OF(types)];
    int32_t count = 0;
    for (int32_t k = 0; is_here(k); ++k) {
        if ((types[k]->traits & traits) == traits) {
            names[count++] = types[k]->name;
        }
    }
    size_t length = 0;
    text[0] = '\0';
    for (int32_t k = 0; k < count && length < capacity; ++k) {
        const char *between = k == 0 ? "" : k + 1 < count ? ", " : " or ";
        length += (size_t)snprintf(text + length, capacity - length, "%s%s", between, names[k]);
    }
}

LyraStatus ly_solver_find(const LyraContext *ctx, const char *name, const LyraSolverType **out)
{
    const LyRegistered *own = ly_registry_find(ctx, LY_REGISTRY_SOLVER, name);
    if (own) {
        *out = own->type;
        return LYRA_OK;
    }
    for (int32_t k = 0; k < LY_COUNT_OF(types); ++k) {
        if (strcmp(types[k]->name, name) == 0) {
            *out = types[k];
            return LYRA_OK;
        }
    }
    for (int32_t k = 0; absent[k].name; ++k) {
        if (strcmp(absent[k].name, name) == 0) {
            return ly_fail(LYRA_UNSUPPORTED, "solver: \"%s\" needs %s, which this build lacks",
                           name, absent[k].needs);
        }
    }
    char list[256], own_list[256] = "";
    ly_solver_list(0, sizeof list, list);
    ly_registry_list(ctx, LY_REGISTRY_SOLVER, sizeof own_list, own_list);
    return ly_fail(LYRA_INVALID_ARGUMENT, "solver: \"%s\" is unknown; there are auto, %s%s%s", name,
                   list, *own_list ? ", and registered: " : "", own_list);
}
