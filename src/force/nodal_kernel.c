// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Volumes of tets and energies of vertices; nodal.h says what for.

#include "force/nodal.h"
#include "force/volumetric_lanes.h"
#include "math/mat3_lanes.h"

#define WIDTH LYRA_BATCH_WIDTH

void LY_KERNEL(ly_nodal_elements)(const LyBatches *batches, const double *x, int32_t begin,
                                  int32_t end, bool slopes, double *element)
{
    double u[12][WIDTH] __attribute__((aligned(64)));
    for (int32_t batch = begin; batch < end; ++batch) {
        const int32_t *vertex = batches->vertex + (int64_t)batch * 4 * WIDTH;
        const double *constants =
            batches->constants + (int64_t)batch * batches->force->type->constant_count * WIDTH;
        double *out = element + (int64_t)batch * 10 * WIDTH;
        for (int k = 0; k < 12 * WIDTH; ++k) {
            int node = k / WIDTH / 3, i = k / WIDTH % 3, lane = k % WIDTH;
            u[3 * node + i][lane] = x[4 * (int64_t)vertex[node * WIDTH + lane] + i];
        }
        for (int lane = 0; lane < WIDTH; lane += LY_LANES) {
            LyReal V = ly_load(constants + LY_TET_VOLUME * WIDTH + lane);
            LyVec3 b[3];
            LyMat3 F;
            for (int i = 0; i < 3; ++i) {
                for (int a = 0; a < 3; ++a) {
                    b[a].v[i] = ly_load(constants + (LY_TET_B + 3 * a + i) * WIDTH + lane);
                }
            }
            for (int k = 0; k < 9; ++k) {
                int i = k / 3, j = k % 3;
                LyReal sum = ly_set(i == j);
                for (int a = 0; a < 3; ++a) {
                    sum += (ly_load(u[3 * (a + 1) + i] + lane) - ly_load(u[i] + lane)) * b[a].v[j];
                }
                F.m[i][j] = sum;
            }
            LyMat3 K = ly_mat3_cofactor(&F);
            ly_store(out + lane, V * ly_mat3_determinant(&F));
            for (int a = 0; slopes && a < 3; ++a) {
                LyVec3 g = ly_mat3_apply(&K, &b[a]);
                for (int i = 0; i < 3; ++i) {
                    ly_store(out + (1 + 3 * a + i) * WIDTH + lane, V * g.v[i]);
                }
            }
        }
    }
}

void LY_KERNEL(ly_nodal_vertices)(const LyNodalPressure *nodal, const LyBatches *batches,
                                  const double *element, int32_t begin, int32_t end, double *value)
{
    double J[WIDTH] __attribute__((aligned(64)));
    const LyIsotropic *solid = batches->force->self;
    int32_t parameters = batches->force->type->parameter_count;
    for (int32_t group = begin; group < end; ++group) {
        for (int32_t lane = 0; lane < WIDTH; ++lane) {
            // lanes past the last vertex repeat it
            int32_t k =
                group * WIDTH + lane < nodal->count ? group * WIDTH + lane : nodal->count - 1;
            double v = 0;
            for (int64_t n = nodal->around_start[k]; n < nodal->around_start[k + 1]; ++n) {
                int32_t at = nodal->around[n];
                v += element[(int64_t)(at / WIDTH) * 10 * WIDTH + at % WIDTH];
            }
            J[lane] = v / (4 * nodal->volume[k]);
        }
        ly_volumetric(solid, nodal->parameters + (int64_t)group * parameters * WIDTH,
                      LY_VOLUMETRIC_ELEMENT, J, value + (int64_t)group * 3 * WIDTH);
    }
}
