// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Positive element matrices, found by Cholesky's factorization.
//
// The matrix of an element that moving all nodes together does not change is K = T^T A T, with A
// its rows and columns of the nodes 1 to n - 1 and T x the positions of these relative to node 0.
// So K and A have the same signs, and as |T|^2 = n, an eigenvalue of A not below -e means none of K
// below -n e. A + e 1 has a factor with positive pivots, up to the rounding of the factorization,
// just if A has no eigenvalue below -e. With e = 4e-13 |A| / n, above that rounding, this separates
// matrices that are positive from those that are not.

#include "force/definite.h"
#include "math/lanes.h"

#include <math.h>

#define WIDTH LYRA_BATCH_WIDTH
#define SLACK 4e-13

enum { ROWS_MAX = 27, ENTRIES_MAX = ROWS_MAX * (ROWS_MAX + 1) / 2 };

// entry (i, j), j <= i, of a lower triangle
#define AT(i, j) ((i) * ((i) + 1) / 2 + (j))

// entry (i, j) of block (a, b), a != b, of the symmetric part
LY_INLINE LyReal load_entry(int nodes, bool symmetric, const double *blocks, int a, int b, int i,
                            int j)
{
    if (!symmetric) {
        return 0.5 * (ly_load(blocks + (9 * (nodes * a + b) + 3 * i + j) * WIDTH) +
                      ly_load(blocks + (9 * (nodes * b + a) + 3 * j + i) * WIDTH));
    }
    int low = a < b ? a : b, high = a < b ? b : a, at = a < b ? 3 * i + j : 3 * j + i;
    int pair = low * nodes - low * (low + 1) / 2 + high - low - 1;
    return ly_load(blocks + (9 * pair + at) * WIDTH);
}

// A, its diagonal blocks from zero row sums
static void fill(int nodes, bool symmetric, const double *blocks, LyReal *A)
{
    for (int a = 1; a < nodes; ++a) {
        for (int k = 0; k < 9; ++k) {
            int i = k / 3, j = k % 3, row = 3 * (a - 1) + i;
            LyReal sum = ly_set(0);
            for (int b = 0; b < nodes; ++b) {
                if (b == a) {
                    continue;
                }
                LyReal x = load_entry(nodes, symmetric, blocks, a, b, i, j);
                sum -= x;
                if (b > 0 && b < a) {
                    A[AT(row, 3 * (b - 1) + j)] = x;
                }
            }
            if (j <= i) {
                A[AT(row, 3 * (a - 1) + j)] = sum;
            }
        }
    }
}

// lanes in which A + e 1 has a factor, which takes its place
static LyMask factor(int rows, LyReal e, LyReal *A)
{
    LyReal zero = ly_set(0), one = ly_set(1), least = ly_set(INFINITY);
    for (int i = 0; i < rows; ++i) {
        for (int j = 0; j <= i; ++j) {
            LyReal sum = A[AT(i, j)];
            for (int k = 0; k < j; ++k) {
                sum -= A[AT(i, k)] * A[AT(j, k)];
            }
            if (j < i) {
                A[AT(i, j)] = sum * A[AT(j, j)];
                continue;
            }
            // the inverse of the pivot; 1 once one was not positive, for nothing to overflow
            sum += e;
            LyMask positive = ly_greater(sum, zero);
            least = ly_select(positive, ly_min(least, sum), zero);
            A[AT(i, i)] = one / ly_sqrt(ly_select(positive, sum, one));
        }
    }
    return ly_greater(least, zero);
}

// lanes that are positive, of blocks at a lane
static LyMask find_positive(int nodes, bool symmetric, const double *exact)
{
    int rows = 3 * (nodes - 1);
    LyReal A[ENTRIES_MAX] = {ly_set(0)}, square = ly_set(0);
    fill(nodes, symmetric, exact, A);
    for (int i = 0; i < rows; ++i) {
        for (int j = 0; j <= i; ++j) {
            square += (j < i ? 2.0 : 1.0) * A[AT(i, j)] * A[AT(i, j)];
        }
    }
    return factor(rows, (SLACK / nodes) * ly_sqrt(square), A);
}

bool LY_KERNEL(ly_is_positive)(int nodes, bool symmetric, const double *exact, double *lanes)
{
    bool all = true;
    for (int lane = 0; lane < WIDTH; lane += LY_LANES) {
        LyMask positive = find_positive(nodes, symmetric, exact + lane);
        ly_store(lanes + lane, ly_select(positive, ly_set(1), ly_set(0)));
        all = all && ly_all(positive);
    }
    return all;
}

void LY_KERNEL(ly_keep_lanes)(int nodes, bool symmetric, const double *lanes, const double *exact,
                              double *dfdx)
{
    int blocks = symmetric ? nodes * (nodes - 1) / 2 : nodes * nodes;
    for (int lane = 0; lane < WIDTH; lane += LY_LANES) {
        LyMask keep = ly_greater(ly_load(lanes + lane), ly_set(0));
        for (int k = 0; k < 9 * blocks; ++k) {
            double *to = dfdx + k * WIDTH + lane;
            ly_store(to, ly_select(keep, ly_load(exact + k * WIDTH + lane), ly_load(to)));
        }
    }
}

void LY_KERNEL(ly_keep_positive)(int nodes, bool symmetric, const double *exact, double *dfdx)
{
    double lanes[WIDTH] __attribute__((aligned(64)));
    LY_KERNEL(ly_is_positive)(nodes, symmetric, exact, lanes);
    LY_KERNEL(ly_keep_lanes)(nodes, symmetric, lanes, exact, dfdx);
}
