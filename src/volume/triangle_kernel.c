// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Squared distances from a point to four triangles at once, without branches: the least of those to
// the three sides, or that to the plane where the point is above the inside.

#include "math/lanes.h"
#include "volume/volume.h"

// as a selection, so that loops stay free of branches
LY_INLINE double at_most(double a, double b)
{
    return a < b ? a : b;
}

LY_INLINE double at_least(double a, double b)
{
    return a > b ? a : b;
}

void LY_KERNEL(ly_triangle_distances)(const LyTriangleBlock *block, const double p[3],
                                      double distance2[LY_BOX_TREE_WIDTH])
{
    double side2[LY_BOX_TREE_WIDTH], plane2[LY_BOX_TREE_WIDTH], least[LY_BOX_TREE_WIDTH];
    for (int32_t k = 0; k < LY_BOX_TREE_WIDTH; ++k) {
        double a[3], b[3], c[3], ab[3], ac[3], bc[3];
        for (int32_t i = 0; i < 3; ++i) {
            a[i] = block->x[0][i][k] - p[i];
            b[i] = block->x[1][i][k] - p[i];
            c[i] = block->x[2][i][k] - p[i];
            ab[i] = b[i] - a[i];
            ac[i] = c[i] - a[i];
            bc[i] = c[i] - b[i];
        }
        double d1 = -(ab[0] * a[0] + ab[1] * a[1] + ab[2] * a[2]);
        double d2 = -(ac[0] * a[0] + ac[1] * a[1] + ac[2] * a[2]);
        double d3 = -(ab[0] * b[0] + ab[1] * b[1] + ab[2] * b[2]);
        double d4 = -(ac[0] * b[0] + ac[1] * b[1] + ac[2] * b[2]);
        double d5 = -(ab[0] * c[0] + ab[1] * c[1] + ab[2] * c[2]);
        double d6 = -(ac[0] * c[0] + ac[1] * c[1] + ac[2] * c[2]);
        // a side without length divides by the smallest number instead
        double tab = at_most(at_least(d1 / at_least(d1 - d3, 1e-300), 0), 1);
        double tac = at_most(at_least(d2 / at_least(d2 - d6, 1e-300), 0), 1);
        double tbc = (d4 - d3) / at_least((d4 - d3) + (d5 - d6), 1e-300);
        tbc = at_most(at_least(tbc, 0), 1);
        double sab = 0, sac = 0, sbc = 0;
        for (int32_t i = 0; i < 3; ++i) {
            double x = a[i] + tab * ab[i], y = a[i] + tac * ac[i], z = b[i] + tbc * bc[i];
            sab += x * x;
            sac += y * y;
            sbc += z * z;
        }
        side2[k] = at_most(sab, at_most(sac, sbc));
        double n[3] = {ab[1] * ac[2] - ab[2] * ac[1], ab[2] * ac[0] - ab[0] * ac[2],
                       ab[0] * ac[1] - ab[1] * ac[0]};
        double height = n[0] * a[0] + n[1] * a[1] + n[2] * a[2];
        plane2[k] = height * height / at_least(n[0] * n[0] + n[1] * n[1] + n[2] * n[2], 1e-300);
        least[k] = at_most(d3 * d6 - d5 * d4, at_most(d5 * d2 - d1 * d6, d1 * d4 - d3 * d2));
    }
    for (int32_t k = 0; k < LY_BOX_TREE_WIDTH; ++k) {
        // barycentric coordinates, all positive inside
        distance2[k] = least[k] > 0 ? plane2[k] : side2[k];
    }
}
