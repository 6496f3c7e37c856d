// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// What selections ask of a sheet of triangles: its groups and materials, and its parts.

#include "base/choices.h"
#include "base/forest.h"
#include "math/vec3.h"
#include "world/select.h"

#include <math.h>
#include <string.h>

// ---- groups and materials -----------------------------------------------------------------------

// false where there is none of that name
static bool mark(const LyraSurfaceView *view, const char *name, bool *in)
{
    int32_t group = view->group_count - 1, material = view->material_count - 1;
    for (; group >= 0 && strcmp(view->groups[group], name) != 0; --group) {
    }
    for (; material >= 0 && strcmp(view->materials[material].name, name) != 0; --material) {
    }
    for (int32_t t = 0; t < view->face_count; ++t) {
        in[t] = (group >= 0 && view->face_groups && view->face_groups[t] == group) ||
                (material >= 0 && view->face_materials && view->face_materials[t] == material);
    }
    return group >= 0 || material >= 0;
}

LyraStatus ly_select_sheet_set(const LyraSurfaceView *view, const char *key, const char *name,
                               bool *in)
{
    if (mark(view, name, in)) {
        return LYRA_OK;
    }
    LyChoices names = {.word = name};
    char expected[2 * LY_CHOICES_CHARS];
    for (int32_t g = 0; g < view->group_count; ++g) {
        ly_choices_add(&names, view->groups[g]);
    }
    for (int32_t m = 0; m < view->material_count; ++m) {
        ly_choices_add(&names, view->materials[m].name);
    }
    return ly_fail_key(LYRA_BAD_FORMAT, key,
                       "found \"%.60s\", expected a group or a material of the surface: %s", name,
                       ly_choices_expected(&names, "there is none", expected));
}

// ---- parts --------------------------------------------------------------------------------------

// the vertex nearest to a place
static int32_t find_nearest(const LyraSurfaceView *view, const double *place)
{
    int32_t nearest = 0;
    double least = INFINITY;
    for (int32_t v = 0; v < view->vertex_count; ++v) {
        double d[3];
        for (int i = 0; i < 3; ++i) {
            d[i] = view->positions[3 * (int64_t)v + i] - place[i];
        }
        nearest = ly_dot3(d, d) < least ? v : nearest;
        least = fmin(least, ly_dot3(d, d));
    }
    return nearest;
}

// the root of the part `wanted`, counted by first triangles; -1 beyond the last, `*count` of them
static int32_t find_part(const LyraSurfaceView *view, int32_t *parents, uint8_t *seen,
                         int64_t wanted, int32_t *count)
{
    int32_t found = -1;
    *count = 0;
    for (int32_t t = 0; t < view->face_count; ++t) {
        int32_t root = ly_forest_root(parents, view->corner_vertices[3 * (int64_t)t]);
        if (!seen[root]) {
            seen[root] = 1;
            found = *count == wanted ? root : found;
            ++*count;
        }
    }
    return found;
}

LyraStatus ly_select_sheet_component(LyraContext *ctx, const LyraSurfaceView *view,
                                     const LyraSelector *select, bool *in)
{
    int32_t *parents = NULL, count, root;
    uint8_t *seen = NULL;
    LyraStatus status = LYRA_OK;
    LY_TRY_DONE(ly_allocate_array(ctx, view->vertex_count, sizeof *parents, &parents));
    LY_TRY_DONE(ly_allocate_zeroed(ctx, view->vertex_count, sizeof *seen, &seen));
    for (int32_t v = 0; v < view->vertex_count; ++v) {
        parents[v] = v;
    }
    for (int32_t t = 0; t < view->face_count; ++t) {
        const int32_t *ids = view->corner_vertices + 3 * (int64_t)t;
        for (int c = 1; c < 3; ++c) {
            ly_forest_join(parents, ids[0], ids[c]);
        }
    }
    root = find_part(view, parents, seen, select->component, &count);
    if (select->component_at) {
        root = ly_forest_root(parents, find_nearest(view, select->component_at));
    } else if (root < 0) {
        LY_TRY_DONE(ly_fail_key(LYRA_BAD_FORMAT, "component",
                                "found %lld, expected a number from 0 to %d, as the body has %d "
                                "components",
                                (long long)select->component, count - 1, count));
    }
    for (int32_t t = 0; t < view->face_count; ++t) {
        in[t] = ly_forest_root(parents, view->corner_vertices[3 * (int64_t)t]) == root;
    }
done:
    ly_release(ctx, seen);
    ly_release(ctx, parents);
    return status;
}
