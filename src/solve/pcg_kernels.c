// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// The kernels of pcg in single and in double precision, compiled once per instruction set.

#include "solve/pcg.h"

#include <string.h>
#ifdef __AVX512F__
#include <immintrin.h>
#endif

#define INLINE static inline __attribute__((always_inline))
#define JOIN_(a, b, c) a##_##b##_##c
#define JOIN(a, b, c) JOIN_(a, b, c)

#define TABLE                                                                                      \
    {                                                                                              \
        .backward = NAME(backward), .forward = NAME(forward), .lower = NAME(lower),                \
        .product = NAME(product), .project = NAME(project), .blocks = NAME(blocks),                \
        .dot = NAME(dot), .direct = NAME(direct), .subtract = NAME(subtract),                      \
        .joint = NAME(joint), .step = NAME(step), .advance = NAME(advance), .enter = NAME(enter),  \
        .leave = NAME(leave), .norm = NAME(norm), .copy = NAME(copy), .gather = NAME(gather),      \
        .deflate = NAME(deflate), .spread = NAME(spread), .combine = NAME(combine),                \
    }

#define REAL float
#define INTEGER int32_t
#define NAME(base) JOIN(base, float, LY_ISA)
#include "solve/pcg_lanes.h"
const LyPcgKernels NAME(ly_pcg_kernels) = TABLE;
#undef REAL
#undef INTEGER
#undef NAME

#define REAL double
#define INTEGER int64_t
#define NAME(base) JOIN(base, double, LY_ISA)
#include "solve/pcg_lanes.h"
const LyPcgKernels NAME(ly_pcg_kernels) = TABLE;
