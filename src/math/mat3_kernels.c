// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// The decompositions over arrays, LY_LANES matrices at a time. Matrices left over at the end go
// through the same code from a padded copy, so that a matrix gives the same bits wherever it
// stands.

#include "math/mat3_kernels.h"

#include "math/decompose.h"

// where the lanes of one step read and write: the array, or a padded copy at its end
static inline const double *lanes_in(const double *array, int64_t begin, int64_t live,
                                     double copy[9 * LY_LANES])
{
    if (live == LY_LANES) {
        return array + 9 * begin;
    }
    memset(copy, 0, 9 * LY_LANES * sizeof *copy);
    memcpy(copy, array + 9 * begin, (size_t)(9 * live) * sizeof *copy);
    return copy;
}

static inline void put_mat3(double *array, int64_t begin, int64_t live, const LyMat3 *A)
{
    if (!array) {
        return;
    }
    if (live == LY_LANES) {
        ly_mat3_store(array + 9 * begin, A);
    } else {
        double copy[9 * LY_LANES];
        ly_mat3_store(copy, A);
        memcpy(array + 9 * begin, copy, (size_t)(9 * live) * sizeof *copy);
    }
}

static inline void put_vec3(double *array, int64_t begin, int64_t live, const LyVec3 *a)
{
    if (live == LY_LANES) {
        ly_vec3_store(array + 3 * begin, a);
    } else {
        double copy[3 * LY_LANES];
        ly_vec3_store(copy, a);
        memcpy(array + 3 * begin, copy, (size_t)(3 * live) * sizeof *copy);
    }
}

static inline int64_t live_lanes(int64_t left)
{
    return left < LY_LANES ? left : LY_LANES;
}

void LY_KERNEL(ly_mat3_svd_many)(int64_t count, const double *F, double *U, double *s, double *V)
{
    double copy[9 * LY_LANES];
    for (int64_t begin = 0; begin < count; begin += LY_LANES) {
        int64_t live = live_lanes(count - begin);
        LyMat3 A = ly_mat3_load(lanes_in(F, begin, live, copy));
        LySvd3 svd;
        ly_mat3_svd(&A, &svd);
        put_mat3(U, begin, live, &svd.U);
        put_vec3(s, begin, live, &svd.s);
        put_mat3(V, begin, live, &svd.V);
    }
}

void LY_KERNEL(ly_mat3_polar_many)(int64_t count, const double *F, double *R, double *S)
{
    double copy[9 * LY_LANES];
    for (int64_t begin = 0; begin < count; begin += LY_LANES) {
        int64_t live = live_lanes(count - begin);
        LyMat3 A = ly_mat3_load(lanes_in(F, begin, live, copy)), rotation;
        ly_mat3_polar(&A, &rotation);
        put_mat3(R, begin, live, &rotation);
        if (S) {
            LyMat3 stretch = ly_mat3_transposed_multiply(&rotation, &A);
            // symmetric to the last bit
            for (int i = 0; i < 3; ++i) {
                int j = (i + 1) % 3;
                LyReal mean = 0.5 * stretch.m[i][j] + 0.5 * stretch.m[j][i];
                stretch.m[i][j] = mean;
                stretch.m[j][i] = mean;
            }
            put_mat3(S, begin, live, &stretch);
        }
    }
}

void LY_KERNEL(ly_mat3_eigen_many)(int64_t count, const double *A, double *values, double *V)
{
    double copy[9 * LY_LANES];
    for (int64_t begin = 0; begin < count; begin += LY_LANES) {
        int64_t live = live_lanes(count - begin);
        LyMat3 matrix = ly_mat3_load(lanes_in(A, begin, live, copy)), vectors;
        LyVec3 found;
        ly_mat3_eigen(&matrix, &found, &vectors);
        put_vec3(values, begin, live, &found);
        put_mat3(V, begin, live, &vectors);
    }
}
