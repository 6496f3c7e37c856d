// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Boxes of small strain in a frame that turns with them. docs/theory/corotational.md has the
// derivation; numbers in brackets are its equations.
//
// A trilinear field on a box is a sum of products of 1 and sqrt(3) (2 t - 1) along each axis, which
// are orthonormal, so that its gradient falls into seven orthogonal parts H_m, m a set of axes that
// is not all three: the field varies along the axes in m. With the sums w_p = sum_a s_p(a) u_a over
// the nodes, s_p(a) the product of the sides on which node a stands along the axes of p,
//   column i of H_m = q_i 3^(-|m|/2) w_{m + i}  for i not in m, else 0,   q_i = 1 / (4 h_i)  [13]
//   energy V/2 sum_m s_m : H_m,  s_m = D : H_m                                              [14]
// which is what 2x2x2 Gauss points give, exactly. Gradients come back the same way. With z = R^T x
// - X in place of u this is the corotated element; its force is R K z and its tangent
//   R^T K_ab R = K_ab + A_a Z [b_b]x                                                        [15]
// with b_b the gradient, by node b, of what R is the rotation of, Z = (tr S 1 - S)^-1, and column k
// of A_a = [e_k]x f_a - (K [e_k]x z)_a. In the PSD mode it is R K R^T, unless the exact one is
// positive.

#include "force/corotational_lanes.h"
#include "force/definite.h"
#include "force/rest_shape.h"

#define WIDTH LYRA_BATCH_WIDTH

// sets of axes m that are not all three
#define PARTS 7

static const double part_scale[PARTS] = {1,      0.57735026918962576451, 0.57735026918962576451,
                                         1. / 3, 0.57735026918962576451, 1. / 3,
                                         1. / 3};

typedef struct Cube {
    LyReal q[3], volume;
    LyMat3 B;
    LyVec3 rest[8]; // w_p of the rest positions; 0 is not used
} Cube;

LY_INLINE Cube load_cube(const LyraBatch *batch, int lane)
{
    Cube cube;
    const double *constants = batch->constants + lane;
    for (int p = 1; p < 8; ++p) {
        for (int i = 0; i < 3; ++i) {
            cube.rest[p].v[i] = ly_load(constants + (LY_BOX_REST + 3 * (p - 1) + i) * WIDTH);
        }
    }
    for (int i = 0; i < 3; ++i) {
        cube.q[i] = ly_load(constants + (LY_BOX_Q + i) * WIDTH);
    }
    cube.volume = ly_load(constants + LY_BOX_VOLUME * WIDTH);
    cube.B = ly_mat3_load_components(constants + LY_BOX_INVERSE * WIDTH, WIDTH);
    return cube;
}

// ---- nodes and sums -----------------------------------------------------------------------------

// w_p from values at corners, in place: index bits of the corner become bits of p
LY_INLINE void to_sums(LyVec3 w[8])
{
    for (int axis = 1; axis < 8; axis *= 2) {
        for (int low = 0; low < 8; ++low) {
            if (low & axis) {
                continue;
            }
            for (int i = 0; i < 3; ++i) {
                LyReal a = w[low].v[i], b = w[low | axis].v[i];
                w[low].v[i] = b + a;
                w[low | axis].v[i] = b - a;
            }
        }
    }
}

// the transpose: sum_p s_p(corner) w_p
LY_INLINE void from_sums(LyVec3 w[8])
{
    for (int axis = 1; axis < 8; axis *= 2) {
        for (int low = 0; low < 8; ++low) {
            if (low & axis) {
                continue;
            }
            for (int i = 0; i < 3; ++i) {
                LyReal a = w[low].v[i], b = w[low | axis].v[i];
                w[low].v[i] = a - b;
                w[low | axis].v[i] = a + b;
            }
        }
    }
}

// displacements at corners, relative to node 0
LY_INLINE void load_corners(const LyraBatch *batch, int lane, LyVec3 u[8])
{
    for (int i = 0; i < 3; ++i) {
        LyReal u0 = ly_load(batch->u + i * WIDTH + lane);
        for (int a = 0; a < 8; ++a) {
            u[ly_cube_bits[a]].v[i] = ly_load(batch->u + (3 * a + i) * WIDTH + lane) - u0;
        }
    }
}

// ---- parts --------------------------------------------------------------------------------------

// [13]
LY_INLINE LyMat3 part_gradient(const Cube *cube, const LyVec3 w[8], int m)
{
    LyMat3 H;
    for (int i = 0; i < 3; ++i) {
        LyReal scale = part_scale[m] * cube->q[i];
        for (int r = 0; r < 3; ++r) {
            H.m[r][i] = m >> i & 1 ? ly_set(0) : scale * w[m | 1 << i].v[r];
        }
    }
    return H;
}

// adds V s_m : dH_m / dw_p to sums[p]
LY_INLINE void add_part(const Cube *cube, const LyMat3 *stress, int m, LyVec3 sums[8])
{
    for (int i = 0; i < 3; ++i) {
        if (!(m >> i & 1)) {
            LyReal scale = cube->volume * part_scale[m] * cube->q[i];
            for (int r = 0; r < 3; ++r) {
                sums[m | 1 << i].v[r] += scale * stress->m[r][i];
            }
        }
    }
}

LY_INLINE void clear_sums(LyVec3 sums[8])
{
    for (int p = 0; p < 8; ++p) {
        sums[p].v[0] = sums[p].v[1] = sums[p].v[2] = ly_set(0);
    }
}

// ---- tangent ------------------------------------------------------------------------------------

// block of nodes a and b of K, turned
LY_INLINE LyMat3 node_block(const LyCorotational *self, bool isotropic, bool rotated,
                            const LyStiffness *D, const LyMat3 *qq, const LyMat3 *R, int a, int b)
{
    const double *pairs = self->pairs[a][b];
    LyMat3 G;
#pragma GCC unroll 9
    for (int k = 0; k < 9; ++k) {
        G.m[k / 3][k % 3] = pairs[k] * qq->m[k / 3][k % 3];
    }
    LyMat3 K = ly_stiffness_block(isotropic, D, &G);
    return rotated ? ly_turned(R, &K) : K;
}

// V q_j q_l
LY_INLINE LyMat3 pair_scales(const Cube *cube)
{
    LyMat3 qq;
    for (int k = 0; k < 9; ++k) {
        qq.m[k / 3][k % 3] = cube->volume * cube->q[k / 3] * cube->q[k % 3];
    }
    return qq;
}

LY_INLINE void store_symmetric(const LyCorotational *self, bool isotropic, bool rotated,
                               const LyraBatch *batch, int lane, const Cube *cube,
                               const LyStiffness *D, const LyMat3 *R)
{
    LyMat3 qq = pair_scales(cube);
    for (int a = 0, block = 0; a < 8; ++a) {
        for (int b = a + 1; b < 8; ++b, ++block) {
            LyMat3 K = node_block(self, isotropic, rotated, D, &qq, R, a, b);
            ly_store_block(batch, lane, block, &K);
        }
    }
}

// what turns with the frame: left[a] right[b] in block (a, b)
typedef struct Turn {
    LyMat3 left[8], right[8];
} Turn;

// row a of all blocks: turned K and, where given, what turns; `turn`: nullable
LY_INLINE void store_full(const LyCorotational *self, bool isotropic, const LyraBatch *batch,
                          int lane, const Cube *cube, const LyStiffness *D, const LyMat3 *R,
                          const Turn *turn)
{
    LyMat3 qq = pair_scales(cube);
    for (int a = 0; a < 8; ++a) {
        for (int b = a; b < 8; ++b) {
            LyMat3 K = node_block(self, isotropic, true, D, &qq, R, a, b), L;
#pragma GCC unroll 9
            for (int k = 0; k < 9; ++k) {
                L.m[k % 3][k / 3] = K.m[k / 3][k % 3];
            }
            if (turn) {
                LyMat3 upper = ly_mat3_multiply(&turn->left[a], &turn->right[b]);
                LyMat3 lower = ly_mat3_multiply(&turn->left[b], &turn->right[a]);
#pragma GCC unroll 9
                for (int k = 0; k < 9; ++k) {
                    K.m[k / 3][k % 3] += upper.m[k / 3][k % 3];
                    L.m[k / 3][k % 3] += lower.m[k / 3][k % 3];
                }
            }
            ly_store_block(batch, lane, 8 * a + b, &K);
            if (a != b) {
                ly_store_block(batch, lane, 8 * b + a, &L);
            }
        }
    }
}

// left[a] = R A_a: column k of A in sums is [e_k]x f - K [e_k]x z
LY_INLINE void find_left(bool isotropic, const Cube *cube, const LyStiffness *D, const LyMat3 *R,
                         const LyVec3 z[8], const LyVec3 force[8], LyMat3 left[8])
{
    for (int k = 0; k < 3; ++k) {
        int i = (k + 1) % 3, j = (k + 2) % 3;
        LyVec3 column[8];
        for (int p = 0; p < 8; ++p) {
            column[p].v[k] = ly_set(0);
            column[p].v[i] = force[p].v[j];
            column[p].v[j] = -force[p].v[i];
        }
        // minus the wanted, so that parts can be added
        for (int m = 0; m < PARTS; ++m) {
            LyMat3 H = part_gradient(cube, z, m), turned;
            for (int c = 0; c < 3; ++c) {
                turned.m[k][c] = ly_set(0);
                turned.m[i][c] = -H.m[j][c];
                turned.m[j][c] = H.m[i][c];
            }
            LyMat3 stress = ly_stress(isotropic, D, &turned);
            add_part(cube, &stress, m, column);
        }
        from_sums(column);
        for (int a = 0; a < 8; ++a) {
            LyVec3 turned = ly_mat3_apply(R, &column[ly_cube_bits[a]]);
            for (int r = 0; r < 3; ++r) {
                left[a].m[r][k] = -turned.v[r];
            }
        }
    }
}

// right[b] = Z [b_b]x R^T
LY_INLINE void find_right(const LyCorotational *self, const Cube *cube, const LyMat3 *Z,
                          const LyMat3 *R, LyMat3 right[8])
{
    for (int b = 0; b < 8; ++b) {
        bool counts = !self->vega_frame || b == 3 || b == 4 || b == 1 || b == 6;
        LyVec3 gradient;
        for (int i = 0; i < 3; ++i) {
            gradient.v[i] = ly_set(0);
            for (int k = 0; counts && k < 3; ++k) {
                gradient.v[i] += ly_cube_sign(b, k) * cube->B.m[k][i];
            }
        }
        LyMat3 turn = ly_multiply_cross(Z, &gradient);
        right[b] = ly_mat3_multiply_transposed(&turn, R);
    }
}

// ---- one element --------------------------------------------------------------------------------

// gradient whose rotation is the frame: 1 + [d_1 d_2 d_3] B, with sums w of displacements u
LY_INLINE LyMat3 frame_gradient(const LyCorotational *self, const Cube *cube, const LyVec3 w[8],
                                const LyVec3 u[8])
{
    LyMat3 d;
    for (int i = 0; i < 3; ++i) {
        for (int r = 0; r < 3; ++r) {
            d.m[r][i] = w[1 << i].v[r];
        }
    }
    if (self->vega_frame) {
        static const int32_t nodes[4] = {3, 4, 1, 6};
        for (int i = 0; i < 3; ++i) {
            for (int r = 0; r < 3; ++r) {
                d.m[r][i] = ly_set(0);
                for (int n = 0; n < 4; ++n) {
                    d.m[r][i] += ly_cube_sign(nodes[n], i) * u[ly_cube_bits[nodes[n]]].v[r];
                }
            }
        }
    }
    LyMat3 F = ly_mat3_multiply(&d, &cube->B);
    for (int i = 0; i < 3; ++i) {
        F.m[i][i] += 1.0;
    }
    return F;
}

LY_INLINE void evaluate_cube(const LyCorotational *self, bool isotropic, bool rotated,
                             const LyraBatch *batch, int lane)
{
    Cube cube = load_cube(batch, lane);
    LyStiffness D = ly_stiffness_load(isotropic, batch->parameters + lane);
    LyVec3 u[8], z[8], sums[8];
    load_corners(batch, lane, u);
    memcpy(z, u, sizeof z);
    to_sums(z);
    LyFrame frame = {.R = ly_mat3_identity()};
    LyMat3 F = frame.R;
    if (rotated) {
        F = frame_gradient(self, &cube, z, u);
        frame = ly_frame_find(self, batch, lane, &F);
    }
    // sums of z = R^T (X + u) - X
    for (int p = 1; rotated && p < 8; ++p) {
        LyVec3 x;
        for (int i = 0; i < 3; ++i) {
            x.v[i] = z[p].v[i] + cube.rest[p].v[i];
        }
        for (int i = 0; i < 3; ++i) {
            LyReal turned =
                frame.R.m[0][i] * x.v[0] + frame.R.m[1][i] * x.v[1] + frame.R.m[2][i] * x.v[2];
            z[p].v[i] = turned - cube.rest[p].v[i];
        }
    }
    bool exact = rotated && self->model == LYRA_COROTATIONAL_EXACT && !batch->psd;
    if (batch->energy || batch->gradient || (batch->dfdx && exact)) {
        LyReal energy = ly_set(0);
        clear_sums(sums);
        for (int m = 0; m < PARTS; ++m) {
            LyMat3 H = part_gradient(&cube, z, m), stress = ly_stress(isotropic, &D, &H);
            for (int k = 0; k < 9; ++k) {
                energy += stress.m[k / 3][k % 3] * H.m[k / 3][k % 3];
            }
            add_part(&cube, &stress, m, sums);
        }
        if (batch->energy) {
            ly_store(batch->energy + lane, 0.5 * cube.volume * energy);
        }
    }
    if (batch->gradient) {
        LyVec3 f[8];
        memcpy(f, sums, sizeof f);
        from_sums(f);
        for (int a = 0; a < 8; ++a) {
            const LyVec3 *local = &f[ly_cube_bits[a]];
            LyVec3 turned = rotated ? ly_mat3_apply(&frame.R, local) : *local;
            for (int i = 0; i < 3; ++i) {
                ly_store(batch->gradient + (3 * a + i) * WIDTH + lane, turned.v[i]);
            }
        }
    }
    if (!batch->dfdx) {
        return;
    }
    const LyMat3 *R = &frame.R;
    if (!rotated || self->type.traits & LYRA_FORCE_SYMMETRIC) {
        store_symmetric(self, isotropic, rotated, batch, lane, &cube, &D, R);
    } else if (!exact) {
        store_full(self, isotropic, batch, lane, &cube, &D, R, NULL);
    } else {
        Turn turn;
        LyMat3 S = ly_mat3_transposed_multiply(R, &F), Z = ly_frame_turn(&frame, &S);
        find_left(isotropic, &cube, &D, R, z, sums, turn.left);
        find_right(self, &cube, &Z, R, turn.right);
        store_full(self, isotropic, batch, lane, &cube, &D, R, &turn);
    }
}

static void evaluate_cubes(const void *self, const LyraBatch *batch)
{
    const LyCorotational *force = self;
    bool rotated = force->model != LYRA_COROTATIONAL_LINEAR;
    for (int lane = 0; lane < WIDTH; lane += LY_LANES) {
        if (force->isotropic && rotated) {
            evaluate_cube(force, true, true, batch, lane);
        } else if (force->isotropic) {
            evaluate_cube(force, true, false, batch, lane);
        } else if (rotated) {
            evaluate_cube(force, false, true, batch, lane);
        } else {
            evaluate_cube(force, false, false, batch, lane);
        }
    }
}

void LY_KERNEL(ly_corotational_cube)(const void *self, const LyraBatch *batch, LyraArena *scratch)
{
    const LyCorotational *force = self;
    if (batch->contraction) {
        ly_clear_contraction(batch, 8);
    }
    if (force->type.scratch_bytes > 0 && batch->psd && batch->dfdx) {
        ly_evaluate_positive(evaluate_cubes, 8, false, self, batch, scratch);
    } else {
        evaluate_cubes(self, batch);
    }
}
