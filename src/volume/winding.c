// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Generalised winding numbers [JKSH13], far triangles by an expansion [BDSL18]. The formulas are in
// docs/theory/distance.md.
//
// The solid angle of a triangle seen from the point is twice the argument of the complex number
// den + i num (Van Oosterom and Strackee). Arguments add when numbers are multiplied, so the near
// triangles cost one product each and one atan2 in all; crossings of the cut of the argument are
// counted on the way.

#include "volume/volume.h"

#include <math.h>

// Nodes farther than this many radii are taken by their expansion.
#define FAR_RATIO 2.5

// ---- moments ------------------------------------------------------------------------------------

// Sums over the triangles below a child, about a centre: area, vector area, first moments of the
// normals.
typedef struct Moments {
    double area, center[3];
    double vector[3];
    double first[3][3]; // sum of (p - center)_i (A n)_j
    double radius;      // around the centre
} Moments;

static Moments triangle_moments(const LyraSurfaceTree *tree, int64_t item)
{
    const LyTriangleBlock *block = &tree->blocks[item / LY_BOX_TREE_WIDTH];
    int32_t lane = (int32_t)(item % LY_BOX_TREE_WIDTH);
    double x[3][3], e[2][3];
    Moments m = {0};
    for (int32_t i = 0; i < 3; ++i) {
        for (int32_t a = 0; a < 3; ++a) {
            x[a][i] = (block->x[a][i][lane] - tree->boxes.origin[i]) * tree->boxes.scale;
        }
        e[0][i] = x[1][i] - x[0][i];
        e[1][i] = x[2][i] - x[0][i];
        m.center[i] = (x[0][i] + x[1][i] + x[2][i]) / 3;
    }
    for (int32_t i = 0; i < 3; ++i) {
        int32_t j = (i + 1) % 3, k = (i + 2) % 3;
        m.vector[i] = 0.5 * (e[0][j] * e[1][k] - e[0][k] * e[1][j]);
    }
    m.area =
        sqrt(m.vector[0] * m.vector[0] + m.vector[1] * m.vector[1] + m.vector[2] * m.vector[2]);
    for (int32_t a = 0; a < 3; ++a) {
        double d[3] = {x[a][0] - m.center[0], x[a][1] - m.center[1], x[a][2] - m.center[2]};
        m.radius = fmax(m.radius, sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]));
    }
    return m;
}

// The sum of several, about their common centre; the radius holds the spheres of all.
static Moments join_moments(int32_t count, const Moments *parts)
{
    Moments sum = {0};
    double weights = 0;
    for (int32_t k = 0; k < count; ++k) {
        // parts without area still have a place, which the radius must hold
        double weight = parts[k].area + 1e-30;
        weights += weight;
        sum.area += parts[k].area;
        for (int32_t i = 0; i < 3; ++i) {
            sum.center[i] += weight * parts[k].center[i];
            sum.vector[i] += parts[k].vector[i];
        }
    }
    for (int32_t i = 0; i < 3; ++i) {
        sum.center[i] /= weights;
    }
    for (int32_t k = 0; k < count; ++k) {
        double d[3], d2 = 0;
        for (int32_t i = 0; i < 3; ++i) {
            d[i] = parts[k].center[i] - sum.center[i];
            d2 += d[i] * d[i];
        }
        for (int32_t i = 0; i < 3; ++i) {
            for (int32_t j = 0; j < 3; ++j) {
                sum.first[i][j] += parts[k].first[i][j] + d[i] * parts[k].vector[j];
            }
        }
        sum.radius = fmax(sum.radius, sqrt(d2) + parts[k].radius);
    }
    return sum;
}

static void set_far(LyFarNode *node, int32_t lane, const Moments *m)
{
    double reach = FAR_RATIO * m->radius;
    node->reach2[lane] = (float)(reach * reach * (1 + 1e-5) + 1e-12);
    for (int32_t i = 0; i < 3; ++i) {
        node->center[i][lane] = (float)m->center[i];
        node->area[i][lane] = (float)m->vector[i];
        node->moment[i][lane] = (float)m->first[i][i];
        int32_t j = i == 2 ? 1 : 0, k = i == 0 ? 1 : 2; // xy, xz, yz
        node->moment[3 + i][lane] = (float)(m->first[j][k] + m->first[k][j]);
    }
}

LyraStatus ly_surface_tree_expand(LyraSurfaceTree *tree)
{
    LyraContext *ctx = tree->ctx;
    const LyBoxTree *boxes = &tree->boxes;
    LyraStatus status = LYRA_OK;
    Moments *below = NULL;
    LY_TRY_DONE(ly_allocate_zeroed(ctx, boxes->level_begin[boxes->level_count], sizeof *tree->far,
                                   &tree->far));
    LY_TRY_DONE(ly_allocate_array(ctx, boxes->count, sizeof *below, &below));
    for (int32_t t = 0; t < boxes->count; ++t) {
        below[t] = triangle_moments(tree, t);
    }
    int64_t count = boxes->count;
    for (int32_t level = 0; level < boxes->level_count; ++level) {
        int64_t nodes = boxes->level_begin[level + 1] - boxes->level_begin[level];
        for (int64_t n = 0; n < nodes; ++n) {
            int64_t begin = LY_BOX_TREE_WIDTH * n;
            int32_t size = (int32_t)ly_min_i64(LY_BOX_TREE_WIDTH, count - begin);
            LyFarNode *far = &tree->far[boxes->level_begin[level] + n];
            for (int32_t k = 0; k < size; ++k) {
                set_far(far, k, &below[begin + k]);
            }
            // a missing child is far from everything and weighs nothing
            for (int32_t k = size; k < LY_BOX_TREE_WIDTH; ++k) {
                far->reach2[k] = -1;
                for (int32_t i = 0; i < 3; ++i) {
                    far->center[i][k] = 4;
                }
            }
            below[n] = join_moments(size, &below[begin]);
        }
        count = nodes;
    }
done:
    ly_release(ctx, below);
    return status;
}

// ---- near triangles -----------------------------------------------------------------------------

// An angle as a complex number and whole turns.
typedef struct Angle {
    double re, im;
    int32_t turns;
} Angle;

static void turn(Angle *angle, double re, double im)
{
    double size = fabs(re) + fabs(im);
    if (!(size > 0)) {
        return; // a corner at the point, or a triangle without extent
    }
    re /= size;
    im /= size;
    double product_re = angle->re * re - angle->im * im,
           product_im = angle->re * im + angle->im * re;
    // two arguments of [0, pi] whose sum shows a negative one have crossed the cut, and so below
    if (angle->im >= 0 && im >= 0) {
        angle->turns += product_im < 0;
    } else if (angle->im < 0 && im < 0) {
        angle->turns -= product_im >= 0;
    }
    // lengths are within [1/sqrt 2, 1] per factor: brought back before they vanish
    double length = fabs(product_re) + fabs(product_im);
    angle->re = length < 1e-100 ? product_re / length : product_re;
    angle->im = length < 1e-100 ? product_im / length : product_im;
}

// Turns by half the solid angle of each triangle of a block.
static void turn_block(const LyTriangleBlock *block, const double p[3], double scale, Angle *angle)
{
    double re[LY_BOX_TREE_WIDTH], im[LY_BOX_TREE_WIDTH];
    for (int32_t k = 0; k < LY_BOX_TREE_WIDTH; ++k) {
        double a[3], b[3], c[3];
        for (int32_t i = 0; i < 3; ++i) {
            a[i] = (block->x[0][i][k] - p[i]) * scale;
            b[i] = (block->x[1][i][k] - p[i]) * scale;
            c[i] = (block->x[2][i][k] - p[i]) * scale;
        }
        double la = sqrt(a[0] * a[0] + a[1] * a[1] + a[2] * a[2]);
        double lb = sqrt(b[0] * b[0] + b[1] * b[1] + b[2] * b[2]);
        double lc = sqrt(c[0] * c[0] + c[1] * c[1] + c[2] * c[2]);
        double ab = a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
        double bc = b[0] * c[0] + b[1] * c[1] + b[2] * c[2];
        double ca = c[0] * a[0] + c[1] * a[1] + c[2] * a[2];
        im[k] = a[0] * (b[1] * c[2] - b[2] * c[1]) + a[1] * (b[2] * c[0] - b[0] * c[2]) +
                a[2] * (b[0] * c[1] - b[1] * c[0]);
        re[k] = la * lb * lc + ab * lc + bc * la + ca * lb;
    }
    for (int32_t k = 0; k < LY_BOX_TREE_WIDTH; ++k) {
        turn(angle, re[k], im[k]);
    }
}

// ---- the sum ------------------------------------------------------------------------------------

// Adds the expansions of the far children of a node to `sum`; returns bits of the near ones.
// 4 pi w = N.r / r^3 + tr C / r^3 - 3 r.C r / r^5, r from the point to the centre.
static uint32_t add_far(const LyFarNode *node, const float q[3], LyFloat4 *sum)
{
    LyFloat4 r[3], r2 = {0}, reach2;
    LyFloat4 area[3], moment[6];
    for (int32_t i = 0; i < 3; ++i) {
        LyFloat4 center;
        memcpy(&center, node->center[i], sizeof center);
        r[i] = center - q[i];
        r2 += r[i] * r[i];
    }
    memcpy(&reach2, node->reach2, sizeof reach2);
    memcpy(area, node->area, sizeof area);
    memcpy(moment, node->moment, sizeof moment);
    LyMask4 far = r2 > reach2;
    LyFloat4 inverse;
    for (int32_t k = 0; k < LY_BOX_TREE_WIDTH; ++k) {
        inverse[k] = 1 / sqrtf(r2[k]);
    }
    LyFloat4 inverse2 = inverse * inverse;
    LyFloat4 quadratic = r[0] * (moment[0] * r[0] + moment[3] * r[1] + moment[4] * r[2]) +
                         r[1] * (moment[1] * r[1] + moment[5] * r[2]) + moment[2] * r[2] * r[2];
    LyFloat4 term = (area[0] * r[0] + area[1] * r[1] + area[2] * r[2] + moment[0] + moment[1] +
                     moment[2] - 3 * quadratic * inverse2) *
                    inverse2 * inverse;
    *sum += (LyFloat4)((LyMask4)term & far);
    LyMask4 near = ~far & (LyMask4){1, 2, 4, 8};
    return (uint32_t)(near[0] | near[1] | near[2] | near[3]);
}

double ly_surface_tree_winding(const LyraSurfaceTree *tree, const double p[3])
{
    const LyBoxTree *boxes = &tree->boxes;
    struct {
        int32_t level, index;
    } stack[LY_BOX_TREE_STACK];
    float q[3];
    bool inside = true;
    for (int32_t i = 0; i < 3; ++i) {
        inside = inside && p[i] >= tree->low[i] && p[i] <= tree->high[i];
        q[i] = (float)((p[i] - boxes->origin[i]) * boxes->scale);
    }
    // far away the expansion of the root holds, but floats do not: the winding number is below
    // 1 / (4 pi 1e6) of the area
    double far2 = (double)q[0] * q[0] + (double)q[1] * q[1] + (double)q[2] * q[2];
    if (!inside && !(far2 < 1e6)) {
        return 0;
    }
    LyFloat4 sum = {0};
    Angle angle = {1, 0, 0};
    int32_t top = 0;
    stack[top].level = boxes->level_count - 1;
    stack[top++].index = 0;
    while (top > 0) {
        int32_t level = stack[--top].level, index = stack[top].index;
        LyFloat4 before = sum;
        uint32_t near = add_far(&tree->far[boxes->level_begin[level] + index], q, &sum);
        if (level == 0) {
            // a block with one near triangle is taken as near, whole
            if (near) {
                sum = before;
                turn_block(&tree->blocks[index], p, boxes->scale, &angle);
            }
            continue;
        }
        while (near) {
            int32_t k = __builtin_ctz(near);
            near &= near - 1;
            stack[top].level = level - 1;
            stack[top++].index = LY_BOX_TREE_WIDTH * index + k;
        }
    }
    const double pi = 3.14159265358979323846;
    double solid = 2 * (atan2(angle.im, angle.re) + 2 * pi * angle.turns);
    return (solid + (double)sum[0] + (double)sum[1] + (double)sum[2] + (double)sum[3]) / (4 * pi);
}
