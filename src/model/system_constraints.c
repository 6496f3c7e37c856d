// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// What integrators do with the constraints of a system. A system whose vectors are its own does it
// itself; for those of the host it is done here.

#include "model/system.h"
#include "model/vector.h"

#include <math.h>
#include <string.h>

const LyraConstraints *lyra_system_constraints(const LyraSystem *system)
{
    LYRA_ASSERT(system);
    return system->type->constraints ? system->type->constraints(system->self) : NULL;
}

static LyraConstraintsView view_of(const LyraSystem *system)
{
    const LyraConstraints *constraints = lyra_system_constraints(system);
    return constraints ? lyra_constraints_view(constraints) : (LyraConstraintsView){0};
}

int32_t lyra_system_constraint_count(const LyraSystem *system)
{
    return view_of(system).count;
}

uint64_t lyra_system_constraint_version(const LyraSystem *system)
{
    return view_of(system).version;
}

const double *lyra_system_constraint_values(const LyraSystem *system)
{
    return view_of(system).value;
}

uint64_t lyra_system_constraint_digest(const LyraSystem *system)
{
    LyraConstraintsView view = view_of(system);
    uint64_t h = 0xcbf29ce484222325u;
    for (int32_t k = 0; k < view.count; ++k) {
        uint64_t word[3];
        memcpy(word, view.direction + 3 * (int64_t)k, sizeof word);
        for (int i = 0; i < 4; ++i) {
            h = (h ^ (i < 3 ? word[i] : (uint64_t)view.vertex[k])) * 0x9e3779b97f4a7c15u;
            h ^= h >> 32;
        }
    }
    return h;
}

void lyra_system_project(LyraSystem *system, LyraVector *x)
{
    LYRA_ASSERT(system && x);
    const LyraConstraints *constraints = lyra_system_constraints(system);
    if (!constraints) {
        return;
    }
    if (system->type->project) {
        system->type->project(system->self, x);
    } else {
        lyra_constraints_project(constraints, ly_vector_write_access(x));
    }
}

// ---- of the host --------------------------------------------------------------------------------

static void merge(const LyraConstraintsView *view, const double *from, double *to)
{
    for (int32_t k = 0; k < view->count; ++k) {
        const double *n = view->direction + 3 * (int64_t)k;
        int64_t first = 3 * (int64_t)view->vertex[k];
        int32_t width = (int32_t)ly_min_i64(3, view->size - first);
        // a direction along an axis takes the very bits
        int32_t axis = 0, parts = 0;
        for (int32_t i = 0; i < width; ++i) {
            axis = fabs(n[i]) == 1 ? i : axis;
            parts += n[i] != 0;
        }
        if (fabs(n[axis]) == 1 && parts == 1) {
            to[first + axis] = from ? from[first + axis] : 0;
            continue;
        }
        double along = 0;
        for (int32_t i = 0; i < width; ++i) {
            along += n[i] * ((from ? from[first + i] : 0) - to[first + i]);
        }
        for (int32_t i = 0; i < width; ++i) {
            to[first + i] += n[i] * along;
        }
    }
}

static void take_components(const LyraConstraintsView *view, const double *x, double *values)
{
    for (int32_t k = 0; k < view->count; ++k) {
        const double *n = view->direction + 3 * (int64_t)k;
        int64_t first = 3 * (int64_t)view->vertex[k];
        values[k] = 0;
        for (int64_t i = 0; i < 3 && first + i < view->size; ++i) {
            values[k] += n[i] != 0 ? n[i] * x[first + i] : 0;
        }
    }
}

static void add_components(const LyraConstraintsView *view, const double *values, double *x)
{
    for (int32_t k = 0; k < view->count; ++k) {
        const double *n = view->direction + 3 * (int64_t)k;
        int64_t first = 3 * (int64_t)view->vertex[k];
        for (int64_t i = 0; i < 3 && first + i < view->size; ++i) {
            x[first + i] += n[i] != 0 ? n[i] * values[k] : 0;
        }
    }
}

// ---- calls --------------------------------------------------------------------------------------

void lyra_system_merge(LyraSystem *system, const LyraVector *x, LyraVector *y)
{
    LYRA_ASSERT(system && y);
    LyraConstraintsView view = view_of(system);
    if (view.count == 0) {
        return;
    }
    if (system->type->merge) {
        system->type->merge(system->self, x, y);
    } else {
        merge(&view, x ? lyra_vector_values(x) : NULL, ly_vector_write_access(y));
    }
}

void lyra_system_components(LyraSystem *system, const LyraVector *x, double *values)
{
    LYRA_ASSERT(system && x);
    LyraConstraintsView view = view_of(system);
    if (view.count == 0) {
        return;
    }
    if (system->type->components) {
        system->type->components(system->self, x, values);
    } else {
        take_components(&view, lyra_vector_values(x), values);
    }
}

void lyra_system_add_components(LyraSystem *system, const double *values, LyraVector *x)
{
    LYRA_ASSERT(system && x);
    LyraConstraintsView view = view_of(system);
    if (view.count == 0) {
        return;
    }
    if (system->type->add_components) {
        system->type->add_components(system->self, values, x);
    } else {
        add_components(&view, values, ly_vector_write_access(x));
    }
}
