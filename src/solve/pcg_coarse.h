// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// The coarse space of pcg as its makers (pcg_coarse.c) and its users (pcg_deflate.c) see it.

#ifndef LY_SOLVE_PCG_COARSE_H
#define LY_SOLVE_PCG_COARSE_H

#include "solve/pcg.h"

/// All in the order of the copy.
struct LyPcgCoarse {
    LyraContext *ctx;
    const LyPcgMatrix *matrix;
    int32_t rows, aggregates, size;
    int32_t *order;     // rows along the curve, [rows]
    int32_t *begin;     // first place of each aggregate, [aggregates + 1]
    int32_t *of;        // aggregate of each row, [rows]
    double *positions;  // [rows][3]
    int32_t *filter_of; // of each row, -1: none, [rows]
    // neighbours of each row, itself first: their rows, blocks (~block for the transpose) and
    // which of the row's aggregates they belong to
    int64_t *near_start; // [rows + 1]
    int32_t *near_row, *near_source, *near_slot;
    int64_t *start;   // aggregates of each row, [rows + 1]
    int32_t *touched; // [start[rows]]
    int32_t touched_max;
    double *scratch; // of workers, [workers][touched_max][3][8]
    double *modes;   // C^-T Z, [rows][3][6]
    void *Z, *W;     // in the precision of the copy, [rows][3][6], [start[rows]][3][6]
    double *dense;   // G, [size * size], its lower triangle
    LyraDenseFactor *factor;
    bool *dropped; // columns of Z that are zero, [size]
    double *sums;  // of each domain, [domains][aggregates][8]
    double *rhs;   // [size]
    void *mu;      // G^-1 rhs in the precision of the copy, [aggregates][8], two of them zero
    int64_t bytes;
};

/// A row of A Y: sum[slot] += A Y over `count` blocks of A, [..][9], each at its place in `values`
/// or, as ~place, transposed; Y is [rows][3][6] and a sum [3][8], two of which nobody reads.
typedef void LyPcgExpand(int64_t count, const int32_t *row, const int32_t *source,
                         const int32_t *slot, const double *values, const double *Y, double *sum);
LY_KERNEL_DECLARE(LyPcgExpand, ly_pcg_expand);

#endif
