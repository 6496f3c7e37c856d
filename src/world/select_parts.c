// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Sets, components and nearest points for selections.

#include "world/select.h"

#include "lyra/embed.h"
#include "mesh/sort.h"

#include <stdio.h>
#include <string.h>

// ---- sets ---------------------------------------------------------------------------------------

// names of sets as far as they fit a sentence
typedef struct SetList {
    char text[512];
    size_t length;
    int32_t left_out;
} SetList;

static void list_name(SetList *list, const char *kind, bool first, const char *name)
{
    char item[600];
    int length = snprintf(item, sizeof item, "%s%s%s\"%s\"",
                          first ? (list->length > 0 ? "; of " : "of ") : ", ", first ? kind : "",
                          first ? " " : "", name);
    if (list->left_out > 0 || length < 0 || list->length + (size_t)length >= sizeof list->text) {
        list->left_out += 1;
        return;
    }
    memcpy(list->text + list->length, item, (size_t)length + 1);
    list->length += (size_t)length;
}

static LyraStatus refuse_set(const LyraMeshView *mesh, const LyraSelector *select,
                             LySelectKind kind)
{
    SetList list = {0};
    bool elements_only = kind == LY_SELECT_ELEMENTS;
    for (int32_t s = 0; s < mesh->set_count; ++s) {
        list_name(&list, "elements", s == 0, mesh->sets[s].name);
    }
    for (int32_t s = 0; s < mesh->vertex_set_count && !elements_only; ++s) {
        list_name(&list, "vertices", s == 0, mesh->vertex_sets[s].name);
    }
    for (int32_t s = 0; s < mesh->face_set_count && !elements_only; ++s) {
        list_name(&list, "faces", s == 0, mesh->face_sets[s].name);
    }
    char more[48] = "";
    if (list.left_out > 0) {
        snprintf(more, sizeof more, " and %d more", (int)list.left_out);
    }
    return list.length > 0 || list.left_out > 0
               ? ly_fail_key(LYRA_BAD_FORMAT, "set",
                             "found \"%.80s\", expected one of the sets of the mesh: %s%s",
                             select->set, list.text, more)
               : ly_fail_key(LYRA_BAD_FORMAT, "set",
                             "found \"%.80s\", expected no set, as the mesh has none%s",
                             select->set, elements_only ? " of elements" : "");
}

LyraStatus ly_select_set(const LyraMeshView *mesh, const LyraSelector *select, LySelectKind kind,
                         LyNamedSet *set)
{
    LyNamedSet found = {0};
    for (int32_t s = 0; s < mesh->set_count && !found.elements; ++s) {
        found.elements = strcmp(mesh->sets[s].name, select->set) == 0 ? &mesh->sets[s] : NULL;
    }
    for (int32_t s = 0; s < mesh->vertex_set_count && !found.vertices; ++s) {
        const LyraMeshVertexSet *one = &mesh->vertex_sets[s];
        found.vertices = strcmp(one->name, select->set) == 0 ? one : NULL;
    }
    for (int32_t s = 0; s < mesh->face_set_count && !found.faces; ++s) {
        const LyraMeshFaceSet *one = &mesh->face_sets[s];
        found.faces = strcmp(one->name, select->set) == 0 ? one : NULL;
    }
    *set = (LyNamedSet){0};
    if (kind == LY_SELECT_ELEMENTS) {
        set->elements = found.elements;
    } else if (found.faces && (kind == LY_SELECT_FACES || !found.vertices)) {
        set->faces = found.faces;
    } else if (found.vertices) {
        set->vertices = found.vertices;
    } else {
        set->elements = found.elements;
    }
    return set->elements || set->vertices || set->faces ? LYRA_OK : refuse_set(mesh, select, kind);
}

bool ly_set_has_face(const LyraMeshFaceSet *set, int32_t element, int32_t side)
{
    int64_t low = 0, high = set->count;
    while (low < high) {
        int64_t middle = (low + high) / 2;
        const int32_t *face = set->faces + 2 * middle;
        if (face[0] < element || (face[0] == element && face[1] < side)) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    const int32_t *face = set->faces + 2 * low;
    return low < set->count && face[0] == element && face[1] == side;
}

// ---- components ---------------------------------------------------------------------------------

LyraStatus ly_select_component(LyraContext *ctx, const LyraMesh *mesh, const LyraSelector *select,
                               uint8_t *in)
{
    LyraMeshView view = lyra_mesh_view(mesh);
    LyraElementTree *tree = NULL;
    int32_t *labels = NULL, count = 0, closest = -1;
    int64_t wanted = select->component;
    LyraStatus status = LYRA_OK;
    LY_TRY_DONE(ly_allocate_array(ctx, view.element_count, sizeof *labels, &labels));
    LY_TRY_DONE(lyra_mesh_components(mesh, LYRA_MESH_CONNECTION_VERTEX, &count, labels));
    bool by_place = select->component_at != NULL;
    if (!by_place && wanted >= count) {
        LY_TRY_DONE(ly_fail_key(LYRA_BAD_FORMAT, "component",
                                "found %lld, expected a number from 0 to %d, as the body has %d "
                                "components",
                                (long long)wanted, count - 1, count));
    }
    if (by_place) {
        LY_TRY_DONE(lyra_element_tree_create(mesh, &tree));
        const LyraClosestElements found = {.elements = &closest};
        lyra_element_tree_closest(tree, 1, select->component_at, &found);
        if (closest < 0) {
            LY_TRY_DONE(ly_fail_key(LYRA_BAD_FORMAT, "component-at",
                                    "found a place that no element is near to, expected another"));
        }
        wanted = labels[closest];
    }
    for (int32_t e = 0; e < view.element_count; ++e) {
        in[e] = labels[e] == wanted;
    }
done:
    lyra_element_tree_destroy(tree);
    ly_release(ctx, labels);
    return status;
}

// ---- nearest points -----------------------------------------------------------------------------

LyraStatus ly_select_nearest(LyraContext *ctx, const LyraSelector *select, int32_t count,
                             const double *points, const char *what, uint8_t *in)
{
    uint64_t *keys = NULL;
    int32_t *order = NULL;
    int64_t left = 0;
    LyraStatus status = LYRA_OK;
    LY_TRY_DONE(ly_allocate_array(ctx, count, sizeof *keys, &keys));
    LY_TRY_DONE(ly_allocate_array(ctx, count, sizeof *order, &order));
    for (int32_t i = 0; i < count; ++i) {
        double distance = 0;
        for (int c = 0; c < 3; ++c) {
            double d = points[3 * (int64_t)i + c] - select->near->point[c];
            distance += d * d;
        }
        if (in[i]) {
            // numbers from 0 on are in the order of their bits
            memcpy(&keys[left], &distance, sizeof distance);
            order[left++] = i;
        }
        in[i] = 0;
    }
    if (left < select->near->count) {
        LY_TRY_DONE(ly_fail_key(LYRA_BAD_FORMAT, "near.count",
                                "found %lld, expected at most %lld, as there are so many %s",
                                (long long)select->near->count, (long long)left, what));
    }
    LY_TRY_DONE(ly_sort_keys(ctx, left, keys, order));
    for (int64_t i = 0; i < select->near->count; ++i) {
        in[order[i]] = 1;
    }
done:
    ly_release(ctx, order);
    ly_release(ctx, keys);
    return status;
}
