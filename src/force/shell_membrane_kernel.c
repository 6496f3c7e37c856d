// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Membranes of any isotropic law in plane stress. With f_1, f_2 the images of two unit vectors in
// the plane of a triangle at rest and n its unit normal now, F = [f_1 f_2 s n] is that of a slab
// whose thickness has the stretch s, and
//
//   W(f_1, f_2) = min over c of W_3(f_1, f_2, c),   P_3 = dW_3/dc = 0.
//
// The minimum has c = s n for an isotropic law, also for one that has flowed or relaxed in the
// plane, so one number is sought: g(s) = n . P_3 = 0, by Newton's method with g' = n . D_33 n
// inside of a bracket. All that solids can is so had from the kernels of their points: what is
// remembered, extended, read from tables. The stress of the membrane is P_1, P_2; its tangent the
// Schur complement of that of the solid,
//
//   S_ab = D_ab - D_a3 D_33^-1 D_3b.                                                            (1)
//
// In the frame of the stretches it splits as the solid's: the condensed Hessian
// W_ab - W_a3 W_b3/W_33, flip and twist in the plane, and for each direction with the normal
// f = W_a/(s_a - s), t = W_a/(s_a + s), of which (1) leaves 2 f t/(f + t) = W_a/s_a, as the stress
// across, P_3, is 0. Where the solid's tangent is projected (W_a < 0: t = 0), (1) leaves 0:
// wrinkles resist nothing.
//
// A triangle without an area has no normal: any that is normal to its longest side serves.

#include "force/definite.h"
#include "force/isotropic_point.h"
#include "force/shell.h"
#include "math/elementary.h"

#define WIDTH LYRA_BATCH_WIDTH

/// A batch of triangles: columns f_1, f_2 of F, the normal, and the stretch across.
typedef struct Sheet {
    double f[2][3 * WIDTH], n[3 * WIDTH], s[WIDTH];
} Sheet;

// any unit vector normal to the longer one of f_1 and f_2, or to z where they have no length
LY_INLINE LyVec3 any_normal(const LyVec3 f[2])
{
    LyReal long_1 = ly_vec3_dot(&f[0], &f[0]), long_2 = ly_vec3_dot(&f[1], &f[1]);
    LyMask first = ly_greater_equal(long_1, long_2);
    LyVec3 d, n;
    for (int i = 0; i < 3; ++i) {
        d.v[i] = ly_select(first, f[0].v[i], f[1].v[i]);
    }
    LyReal zero = ly_set(0), one = ly_set(1), x = ly_abs(d.v[0]), y = ly_abs(d.v[1]);
    // d x e of the axis that it is farthest from, of two
    LyMask by_x = ly_less(x, y);
    LyReal ex = ly_select(by_x, one, zero), ey = one - ex;
    n.v[0] = -d.v[2] * ey;
    n.v[1] = d.v[2] * ex;
    n.v[2] = d.v[0] * ey - d.v[1] * ex;
    LyReal square = ly_vec3_dot(&n, &n);
    LyMask none = ly_less_equal(square, ly_set(0x1p-1000));
    LyReal inverse = 1.0 / ly_sqrt(ly_select(none, one, square));
    n.v[0] = ly_select(none, zero, n.v[0] * inverse);
    n.v[1] = ly_select(none, zero, n.v[1] * inverse);
    n.v[2] = ly_select(none, one, n.v[2] * inverse);
    return n;
}

// f_1, f_2, n, and a first s = J^-(nu/(1 - nu)), J the stretch of area
LY_INLINE void load_sheet(const LyShellMembrane *self, const LyraBatch *batch, int lane,
                          Sheet *sheet)
{
    LyReal b[4], u[2][3];
    LyVec3 f[2], n;
    for (int k = 0; k < 4; ++k) {
        b[k] = ly_load(batch->constants + (LY_SHELL_B + k) * WIDTH + lane);
    }
    for (int i = 0; i < 3; ++i) {
        LyReal u0 = ly_load(batch->u + i * WIDTH + lane);
        u[0][i] = ly_load(batch->u + (3 + i) * WIDTH + lane) - u0;
        u[1][i] = ly_load(batch->u + (6 + i) * WIDTH + lane) - u0;
        f[0].v[i] = ly_load(batch->constants + (LY_SHELL_T1 + i) * WIDTH + lane) +
                    (u[0][i] * b[0] + u[1][i] * b[2]);
        f[1].v[i] = ly_load(batch->constants + (LY_SHELL_T2 + i) * WIDTH + lane) +
                    (u[0][i] * b[1] + u[1][i] * b[3]);
    }
    n = ly_vec3_cross(&f[0], &f[1]);
    LyReal square = ly_vec3_dot(&n, &n);
    LyReal size = ly_vec3_dot(&f[0], &f[0]) + ly_vec3_dot(&f[1], &f[1]);
    LyMask flat = ly_less_equal(square, 1e-26 * (size * size) + 0x1p-1000);
    LyReal J = ly_sqrt(ly_select(flat, ly_set(1), square));
    LyVec3 other = any_normal(f);
    for (int i = 0; i < 3; ++i) {
        ly_store(sheet->f[0] + i * WIDTH + lane, f[0].v[i]);
        ly_store(sheet->f[1] + i * WIDTH + lane, f[1].v[i]);
        ly_store(sheet->n + i * WIDTH + lane, ly_select(flat, other.v[i], n.v[i] / J));
    }
    // 1/(1 + r (J - 1)) is J^-r to first order, and stays positive
    LyReal r = ly_set(self->thinning), s = 1.0 / ly_max(1.0 + r * (J - 1.0), ly_set(0.25));
    ly_store(sheet->s + lane, ly_min(ly_max(s, ly_set(0.25)), ly_set(4)));
}

LY_INLINE void fill_points(const Sheet *sheet, int lane, LyPoints *points)
{
    LyReal s = ly_load(sheet->s + lane);
    for (int i = 0; i < 3; ++i) {
        ly_store(points->F + 3 * i * WIDTH + lane, ly_load(sheet->f[0] + i * WIDTH + lane));
        ly_store(points->F + (3 * i + 1) * WIDTH + lane, ly_load(sheet->f[1] + i * WIDTH + lane));
        ly_store(points->F + (3 * i + 2) * WIDTH + lane, s * ly_load(sheet->n + i * WIDTH + lane));
    }
}

static void evaluate_points(const LyIsotropic *solid, const LyraBatch *batch, const Sheet *sheet,
                            bool tangent, bool psd, LyPoints *points)
{
    points->volume = NULL;
    for (int lane = 0; lane < WIDTH; lane += LY_LANES) {
        fill_points(sheet, lane, points);
    }
    LY_POINTS_EVALUATE(solid, batch, 0, tangent, psd, points);
}

// the stress across and its slope
LY_INLINE void find_across(const LyIsotropic *solid, const LyPoints *points, const Sheet *sheet,
                           int lane, LyReal *g, LyReal *slope)
{
    LyVec3 n = ly_vec3_load_lanes(sheet->n + lane), Dn;
    LyMat3 P = ly_mat3_load_lanes(points->P + lane), D[6];
    ly_points_blocks(solid, points, lane, NULL, D);
    *g = P.m[0][2] * n.v[0] + P.m[1][2] * n.v[1] + P.m[2][2] * n.v[2];
    Dn = ly_mat3_apply(&D[2], &n);
    *slope = ly_vec3_dot(&n, &Dn);
}

#define NEWTON_MAX 60

// Newton's method for s, halved in where it leaves what is known of the root
static void find_thickness(const LyIsotropic *solid, const LyraBatch *batch, Sheet *sheet)
{
    LyPoints points __attribute__((aligned(64)));
    double low[WIDTH] __attribute__((aligned(64))), high[WIDTH] __attribute__((aligned(64)));
    LyraBatch look = *batch;
    look.trial_history = NULL;
    for (int lane = 0; lane < WIDTH; lane += LY_LANES) {
        ly_store(low + lane, ly_set(0));
        ly_store(high + lane, ly_set(INFINITY));
    }
    for (int k = 0; k < NEWTON_MAX; ++k) {
        bool done = true;
        evaluate_points(solid, &look, sheet, true, false, &points);
        for (int lane = 0; lane < WIDTH; lane += LY_LANES) {
            LyReal g, slope, s = ly_load(sheet->s + lane);
            find_across(solid, &points, sheet, lane, &g, &slope);
            LyReal a = ly_load(low + lane), b = ly_load(high + lane);
            LyMask above = ly_greater(g, ly_set(0));
            a = ly_select(above, a, s);
            b = ly_select(above, s, b);
            ly_store(low + lane, a);
            ly_store(high + lane, b);
            LyMask rises = ly_greater(slope, ly_set(0));
            LyReal t = s - g / ly_select(rises, slope, ly_set(1));
            // no farther than twice at once, and inside of what is known
            LyReal far = ly_select(above, ly_max(a, 0.5 * s), ly_min(b, 2.0 * s));
            LyReal half =
                ly_select(above, 0.5 * (ly_max(a, 0.25 * s) + s), 0.5 * (s + ly_min(b, 3.0 * s)));
            LyMask inside = ly_and(ly_greater(t, ly_min(s, far)), ly_less(t, ly_max(s, far)));
            LyMask same = ly_equal(g, ly_set(0));
            t = ly_select(ly_and(rises, inside), t, half);
            // steps that only rounding makes are steps of Newton's all the same
            LyReal newton = s - g / ly_select(rises, slope, ly_set(1));
            LyMask tiny = ly_and(rises, ly_less(ly_abs(newton - s), 1e-8 * s));
            t = ly_select(tiny, newton, t);
            t = ly_select(same, s, t);
            // NaN stays where it is, and ends the search
            LyMask settled = ly_or(tiny, same), number = ly_equal(g, g);
            t = ly_select(number, t, s);
            done = done && ly_all(ly_or(settled, ly_not(number)));
            ly_store(sheet->s + lane, t);
        }
        if (done) {
            return;
        }
    }
}

// D_33 inverse times B, of a symmetric matrix that may lack directions
LY_INLINE LyMat3 divide(const LyMat3 *D, const LyMat3 *B)
{
    LyMat3 A = *D;
    LyReal size = ly_abs(A.m[0][0]) + ly_abs(A.m[1][1]) + ly_abs(A.m[2][2]);
    LyReal floor = 1e-14 * size + 0x1p-900;
    for (int i = 0; i < 3; ++i) {
        A.m[i][i] += floor;
    }
    LyMat3 K = ly_mat3_cofactor(&A), out;
    LyReal det = ly_mat3_determinant(&A);
    LyMask none = ly_equal(det, ly_set(0));
    LyReal inverse = ly_select(none, ly_set(0), 1.0 / ly_select(none, ly_set(1), det));
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) {
            // the inverse is the transposed cofactor matrix over det
            LyReal sum = K.m[0][i] * B->m[0][j] + K.m[1][i] * B->m[1][j] + K.m[2][i] * B->m[2][j];
            out.m[i][j] = inverse * sum;
        }
    }
    return out;
}

// (1) on the nodes
LY_INLINE void store_tangent(const LyIsotropic *solid, const LyraBatch *batch,
                             const LyPoints *points, int lane)
{
    LyReal volume = ly_load(batch->constants + LY_SHELL_VOLUME * WIDTH + lane), b[4];
    LyMat3 D[6], S[3];
    for (int k = 0; k < 4; ++k) {
        b[k] = ly_load(batch->constants + (LY_SHELL_B + k) * WIDTH + lane);
    }
    ly_points_blocks(solid, points, lane, NULL, D);
    // D_13 and D_23, their transposes over D_33
    const LyMat3 *across[2] = {&D[5], &D[4]};
    LyMat3 over[2];
    for (int a = 0; a < 2; ++a) {
        LyMat3 turned;
        for (int k = 0; k < 9; ++k) {
            turned.m[k / 3][k % 3] = across[a]->m[k % 3][k / 3];
        }
        over[a] = divide(&D[2], &turned);
    }
    LyMat3 less_11 = ly_mat3_multiply(across[0], &over[0]);
    LyMat3 less_12 = ly_mat3_multiply(across[0], &over[1]);
    LyMat3 less_22 = ly_mat3_multiply(across[1], &over[1]);
    for (int k = 0; k < 9; ++k) {
        int i = k / 3, j = k % 3;
        S[0].m[i][j] = D[0].m[i][j] - 0.5 * (less_11.m[i][j] + less_11.m[j][i]);
        S[1].m[i][j] = D[3].m[i][j] - less_12.m[i][j];
        S[2].m[i][j] = D[1].m[i][j] - 0.5 * (less_22.m[i][j] + less_22.m[j][i]);
    }
    for (int k = 0; k < 9; ++k) {
        int i = k / 3, j = k % 3;
        LyReal s11 = volume * S[0].m[i][j], s22 = volume * S[2].m[i][j];
        LyReal s12 = volume * S[1].m[i][j], s21 = volume * S[1].m[j][i];
        LyReal k11 = b[0] * (b[0] * s11 + b[1] * s21) + b[1] * (b[0] * s12 + b[1] * s22);
        LyReal k12 = b[0] * (b[2] * s11 + b[3] * s12) + b[1] * (b[2] * s21 + b[3] * s22);
        LyReal k21 = b[2] * (b[0] * s11 + b[1] * s12) + b[3] * (b[0] * s21 + b[1] * s22);
        LyReal k22 = b[2] * (b[2] * s11 + b[3] * s21) + b[3] * (b[2] * s12 + b[3] * s22);
        // pairs 01, 02, 12
        ly_store(batch->dfdx + k * WIDTH + lane, -(k11 + k21));
        ly_store(batch->dfdx + (9 + k) * WIDTH + lane, -(k12 + k22));
        ly_store(batch->dfdx + (18 + k) * WIDTH + lane, k12);
    }
}

LY_INLINE void store_gradient(const LyraBatch *batch, const LyPoints *points, int lane)
{
    LyReal volume = ly_load(batch->constants + LY_SHELL_VOLUME * WIDTH + lane), b[4];
    LyMat3 P = ly_mat3_load_lanes(points->P + lane);
    for (int k = 0; k < 4; ++k) {
        b[k] = volume * ly_load(batch->constants + (LY_SHELL_B + k) * WIDTH + lane);
    }
    for (int i = 0; i < 3; ++i) {
        LyReal f1 = P.m[i][0] * b[0] + P.m[i][1] * b[1], f2 = P.m[i][0] * b[2] + P.m[i][1] * b[3];
        ly_store(batch->gradient + i * WIDTH + lane, -(f1 + f2));
        ly_store(batch->gradient + (3 + i) * WIDTH + lane, f1);
        ly_store(batch->gradient + (6 + i) * WIDTH + lane, f2);
    }
}

static void evaluate(const void *data, const LyraBatch *batch)
{
    const LyShellMembrane *self = data;
    const LyIsotropic *solid = &self->solid;
    Sheet sheet __attribute__((aligned(64)));
    LyPoints points __attribute__((aligned(64)));
    for (int lane = 0; lane < WIDTH; lane += LY_LANES) {
        load_sheet(self, batch, lane, &sheet);
    }
    find_thickness(solid, batch, &sheet);
    evaluate_points(solid, batch, &sheet, batch->dfdx != NULL, batch->psd, &points);
    for (int lane = 0; lane < WIDTH; lane += LY_LANES) {
        LyReal volume = ly_load(batch->constants + LY_SHELL_VOLUME * WIDTH + lane);
        if (batch->trial_history) {
            ly_points_add_lost(solid, batch, &points, true, volume, lane);
        }
        if (batch->energy) {
            ly_store(batch->energy + lane, volume * ly_load(points.energy + lane));
        }
        if (batch->gradient) {
            store_gradient(batch, &points, lane);
        }
        if (batch->dfdx) {
            store_tangent(solid, batch, &points, lane);
        }
    }
}

void LY_KERNEL(ly_shell_membrane)(const void *self, const LyraBatch *batch, LyraArena *scratch)
{
    const LyIsotropic *solid = &((const LyShellMembrane *)self)->solid;
    if (!(solid->prony || solid->plasticity) || !batch->psd || !batch->dfdx) {
        evaluate(self, batch);
        return;
    }
    // as tet_isotropic_kernel.c does: the exact tangent where it is positive, memory last
    LyraBatch first = *batch;
    first.trial_history = NULL;
    ly_evaluate_positive(evaluate, 3, true, self, &first, scratch);
    if (batch->trial_history) {
        first.trial_history = batch->trial_history;
        first.dfdx = first.gradient = first.energy = NULL;
        evaluate(self, &first);
    }
}
