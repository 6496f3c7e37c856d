// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Eigenvalues and vectors of symmetric 3x3 matrices by Jacobi's rotations.

// `A`: 9 numbers by rows. { values: [3], vectors: [9] }, columns are the vectors.
export function eigen(A) {
    const a = Array.from(A);
    const v = [1, 0, 0, 0, 1, 0, 0, 0, 1];
    const size = Math.max(...a.map(Math.abs));
    for (let sweep = 0; sweep < 12; ++sweep) {
        for (const [p, q] of [[0, 1], [0, 2], [1, 2]]) {
            const off = a[3 * p + q];
            if (Math.abs(off) <= 1e-12 * size) {
                continue;
            }
            const theta = (a[4 * q] - a[4 * p]) / (2 * off);
            const t = (theta < 0 ? -1 : 1) / (Math.abs(theta) + Math.hypot(theta, 1));
            const c = 1 / Math.hypot(t, 1);
            const s = t * c;
            for (let k = 0; k < 3; ++k) {
                const [x, y] = [a[3 * k + p], a[3 * k + q]];
                a[3 * k + p] = c * x - s * y;
                a[3 * k + q] = s * x + c * y;
            }
            for (let k = 0; k < 3; ++k) {
                const [x, y] = [a[3 * p + k], a[3 * q + k]];
                a[3 * p + k] = c * x - s * y;
                a[3 * q + k] = s * x + c * y;
                const [m, n] = [v[3 * k + p], v[3 * k + q]];
                v[3 * k + p] = c * m - s * n;
                v[3 * k + q] = s * m + c * n;
            }
        }
    }
    return { values: [a[0], a[4], a[8]], vectors: v };
}
