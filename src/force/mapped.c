// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

#include "force/mapped.h"

#include "base/base.h"
#include "mesh/element_map.h"

#include <math.h>

bool ly_mapped_kind(LyraElementKind kind)
{
    return ly_kind_is_mapped(kind);
}

void ly_mapped_rule(LyraElementKind kind, LyMappedRule *rule)
{
    double xi[8][3], weight[8];
    *rule =
        (LyMappedRule){.tet = kind == LYRA_ELEMENT_TET10, .nodes = lyra_element_kind_nodes(kind)};
    rule->points = ly_map_points(kind, xi, weight);
    for (int32_t q = 0; q < rule->points; ++q) {
        ly_shape_functions(kind, xi[q], NULL, rule->shape[q]);
        for (int32_t i = 0; i < 3; ++i) {
            rule->coordinate[q][i] = xi[q][i];
        }
    }
    // along an edge of a hexahedron
    for (int32_t i = 0; i < 2; ++i) {
        double at = 0.5 + (i ? 0.5 : -0.5) * sqrt(1.0 / 3);
        rule->value[0][i] = 1 - at;
        rule->value[1][i] = at;
        rule->product[0][i] = (1 - at) * (1 - at);
        rule->product[1][i] = at * (1 - at);
        rule->product[2][i] = at * at;
    }
}

void ly_mapped_setup(const LyMappedRule *rule, const double *corners, double *constants)
{
    LyraElementKind kind = rule->tet ? LYRA_ELEMENT_TET10 : LYRA_ELEMENT_HEX8;
    double xi[8][3], weight[8], r[LYRA_STENCIL_NODES_MAX][3];
    ly_map_points(kind, xi, weight);
    for (int32_t a = 0; a < rule->nodes; ++a) {
        for (int32_t i = 0; i < 3; ++i) {
            r[a][i] = corners[3 * a + i] - corners[i];
        }
    }
    for (int32_t q = 0; q < rule->points; ++q) {
        double J[3][3], *point = constants + LY_MAPPED_POINT * q;
        double D = ly_map_jacobian(kind, r, xi[q], J);
        for (int32_t k = 0; k < 3; ++k) {
            const double *a = J[(k + 1) % 3], *b = J[(k + 2) % 3];
            double *g = point + LY_MAPPED_G + 3 * k;
            for (int32_t i = 0; i < 3; ++i) {
                int32_t j = (i + 1) % 3, l = (i + 2) % 3;
                g[i] = (a[j] * b[l] - a[l] * b[j]) / D;
            }
        }
        point[LY_MAPPED_WEIGHT] = weight[q] * D;
    }
}

void ly_mapped_setup_element(const LyMappedRule *rule, const LyRest *rest, int32_t element,
                             double *constants)
{
    double corners[3 * LYRA_STENCIL_NODES_MAX];
    ly_rest_corners(rest, element, corners);
    ly_mapped_setup(rule, corners, constants);
}

size_t ly_mapped_scratch(const LyMappedRule *rule)
{
    // blocks of 9 numbers: of tets those of 4 points and 45 pairs; of hexahedra those that cubes of
    // 27 points have
    size_t blocks = rule->tet ? 4 * 6 + 45 : 225 + 28;
    return blocks * 9 * LYRA_BATCH_WIDTH * sizeof(double);
}
