// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

#include "force/rest_shape.h"

#include "base/base.h"
#include "lyra/force.h"
#include "math/vec3.h"
#include "mesh/element.h"
#include "mesh/element_map.h"

#include <math.h>
#include <string.h>

// how far, in parts of the shortest edge, corners of a cube may be off those of a box: files have
// few digits
#define BOX_TOLERANCE 1e-4

// the inverse of the matrix with columns edge_1, edge_2, edge_3 has rows b_1, b_2, b_3
void ly_rest_tet(const double *corners, const int32_t *order, double *constants)
{
    double *b = constants + LY_TET_B, edge[3][3], area[3];
    for (int k = 0; k < 3; ++k) {
        for (int i = 0; i < 3; ++i) {
            edge[k][i] = corners[3 * order[k + 1] + i] - corners[3 * order[0] + i];
        }
    }
    ly_cross3(edge[0], edge[1], area);
    double volume6 = area[0] * edge[2][0] + area[1] * edge[2][1] + area[2] * edge[2][2];
    for (int k = 0; k < 3; ++k) {
        ly_cross3(edge[(k + 1) % 3], edge[(k + 2) % 3], b + 3 * k);
        for (int i = 0; i < 3; ++i) {
            b[3 * k + i] /= volume6;
        }
    }
    constants[LY_TET_VOLUME] = fabs(volume6) / 6;
}

void ly_rest_cube(const double *corners, double edges[3])
{
    for (int i = 0; i < 3; ++i) {
        edges[i] = 0;
        for (int32_t a = 0; a < 8; ++a) {
            edges[i] += 0.25 * ly_cube_sign(a, i) * corners[3 * a + i];
        }
    }
}

static bool is_tet_fit(const double *corners)
{
    static const int32_t natural[4] = {0, 1, 2, 3};
    double constants[LY_TET_CONSTANTS];
    ly_rest_tet(corners, natural, constants);
    // a volume whose gradients overflow is as good as none
    bool finite = true;
    for (int i = 0; i < LY_TET_CONSTANTS; ++i) {
        finite = finite && isfinite(constants[i]);
    }
    return finite && constants[LY_TET_VOLUME] > 0;
}

static bool is_cube_fit(const double *corners)
{
    double edges[3];
    ly_rest_cube(corners, edges);
    double volume = edges[0] * edges[1] * edges[2];
    return isfinite(volume) && volume > 0 && isfinite(1 / volume);
}

// length of the longest edge between two of the corners, [nodes][3]
static double longest_edge(int32_t nodes, const double *corners)
{
    double longest = 0;
    for (int32_t a = 0; a < nodes; ++a) {
        for (int32_t b = 0; b < a; ++b) {
            double dx = corners[3 * a] - corners[3 * b];
            double dy = corners[3 * a + 1] - corners[3 * b + 1];
            double dz = corners[3 * a + 2] - corners[3 * b + 2];
            longest = fmax(longest, hypot(hypot(dx, dy), dz));
        }
    }
    return longest;
}

// fails where two nodes of an element in `trouble` are one, or at one place
static LyraStatus fail_repeated(const LyraMeshView *view, int32_t e, const double *corners,
                                const char *trouble)
{
    int32_t nodes = lyra_element_kind_nodes(view->kind);
    const int32_t *ids = view->elements + (int64_t)nodes * e;
    for (int32_t a = 0; a < nodes; ++a) {
        for (int32_t b = 0; b < a; ++b) {
            if (ids[a] == ids[b]) {
                return ly_fail(LYRA_BAD_MESH,
                               "element %d names vertex %d twice and %s; correct its vertices or "
                               "remove it",
                               e, ids[a], trouble);
            }
            if (memcmp(corners + 3 * a, corners + 3 * b, 3 * sizeof *corners) == 0) {
                return ly_fail(LYRA_BAD_MESH,
                               "element %d %s, as its vertices %d and %d are at the same place; "
                               "move one of them or remove the element",
                               e, trouble, ids[b], ids[a]);
            }
        }
    }
    return LYRA_OK;
}

// says what is wrong with an element that encloses nothing, and what helps
static LyraStatus fail_volume(const LyraMesh *mesh, int32_t e, double volume, const double *corners)
{
    LyraMeshView view = lyra_mesh_view(mesh);
    int32_t nodes = lyra_element_kind_nodes(view.kind);
    LY_TRY(fail_repeated(&view, e, corners, "has zero rest volume"));
    double edge = longest_edge(nodes, corners);
    // rounding of coordinates near those of the element makes some 1e-16 of its cube
    if (volume < 0 && -volume > 1e-14 * edge * edge * edge) {
        return ly_fail(LYRA_BAD_MESH,
                       "element %d has negative rest volume: it is inside out, and `lyra mesh "
                       "orient` turns such elements",
                       e);
    }
    return ly_fail(LYRA_BAD_MESH,
                   "element %d has zero rest volume (%g m^3 with edges of up to %g m): it is flat; "
                   "move its vertices apart or remove it",
                   e, volume, edge);
}

// says of an element with volume where det dX/dxi <= 0
static LyraStatus fail_fold(const LyraMesh *mesh, int32_t e, const double *corners)
{
    LyraMeshView view = lyra_mesh_view(mesh);
    LY_TRY(fail_repeated(&view, e, corners, "folds over"));
    return ly_fail(LYRA_BAD_MESH,
                   "element %d folds over: det dX/dxi is %g m^3 at one of its nodes or Gauss "
                   "points, expected more than 0; move its %s",
                   e, ly_element_least_jacobian(mesh, e),
                   view.kind == LYRA_ELEMENT_TET10 ? "middle nodes towards those of its edges"
                                                   : "vertices apart");
}

static LyraStatus check_element(const LyraMesh *mesh, int32_t e, LyraElementKind kind,
                                const double *corners)
{
    double volume = ly_element_volume(mesh, e), edges[3];
    if (ly_kind_is_mapped(kind)) {
        bool usable = isfinite(volume) && isfinite(1 / volume);
        bool ordered = volume < 0 && !ly_element_is_reversed(mesh, e, volume);
        if (!usable || (!(volume > 0) && !ordered)) {
            return fail_volume(mesh, e, volume, corners);
        }
        return ly_element_is_folded(mesh, e) ? fail_fold(mesh, e, corners) : LYRA_OK;
    }
    bool fit = kind == LYRA_ELEMENT_TET4 ? is_tet_fit(corners) : is_cube_fit(corners);
    if (!(volume > 0) || !fit) {
        return fail_volume(mesh, e, volume, corners);
    }
    if (kind == LYRA_ELEMENT_CUBE8 && !ly_cube_is_box(mesh, e, BOX_TOLERANCE, edges)) {
        return ly_fail(LYRA_BAD_MESH, "element %d is no axis-aligned box with its corners in order",
                       e);
    }
    return LYRA_OK;
}

static void load_corners(int32_t nodes, const int32_t *elements, const double *positions, int32_t e,
                         double *corners)
{
    const int32_t *ids = elements + (int64_t)nodes * e;
    for (int32_t a = 0; a < nodes; ++a) {
        memcpy(corners + 3 * a, positions + 3 * (int64_t)ids[a], 3 * sizeof *corners);
    }
}

void ly_rest_corners(const LyRest *rest, int32_t element, double *corners)
{
    load_corners(rest->nodes, rest->elements, rest->positions, element, corners);
}

void ly_rest_setup_tet(const LyRest *rest, int32_t element, const int32_t *order, double *constants)
{
    double corners[12];
    ly_rest_corners(rest, element, corners);
    ly_rest_tet(corners, order, constants);
}

LyraStatus ly_rest_check(const LyraMesh *mesh)
{
    LyraMeshView view = lyra_mesh_view(mesh);
    int32_t nodes = lyra_element_kind_nodes(view.kind);
    for (int32_t e = 0; e < view.element_count; ++e) {
        double corners[3 * LYRA_STENCIL_NODES_MAX] = {0};
        load_corners(nodes, view.elements, view.positions, e, corners);
        LY_TRY(check_element(mesh, e, view.kind, corners));
    }
    return LYRA_OK;
}

LyraStatus ly_rest_create(LyraContext *ctx, const LyraMesh *mesh, LyRest *out)
{
    LY_TRY(ly_rest_check(mesh));
    LyraMeshView view = lyra_mesh_view(mesh);
    LyRest rest = {.nodes = lyra_element_kind_nodes(view.kind)};
    int64_t count = 3 * (int64_t)view.vertex_count;
    LY_TRY(ly_allocate_array(ctx, count, sizeof *rest.positions, &rest.positions));
    if (count > 0) {
        memcpy(rest.positions, view.positions, (size_t)count * sizeof *rest.positions);
    }
    *out = rest;
    return LYRA_OK;
}
